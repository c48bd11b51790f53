//! Reading models: files or standard input, text or an explanation of why not.

use super::backend::{self, Code};
use coarsen::base::diagnostic::{Diagnostic, Span};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A larger model is refused before it is read to its end.
const LARGEST: u64 = 64 << 20;

/// How standard input is asked for, and how it is called in messages.
const STDIN: (&str, &str) = ("-", "<stdin>");

const TOO_LARGE: &str = "E0301";

/// Diagnostics of this file, explained.
pub const CODES: &[Code] = &[Code {
    code: TOO_LARGE,
    title: "the file is too large",
    text: "A model of more than 64 MiB is refused before it is read. Use families of threads, arrays and constants \
           instead of repeated text.",
}];

/// A model's text.
#[derive(Debug)]
pub struct Input {
    /// Its name in messages and reports.
    pub name: String,
    /// Its text, with replacement characters where it is not UTF-8.
    pub source: String,
}

/// Why a model's text can't be had.
#[derive(Debug)]
pub enum Refused {
    /// Reading fails.
    Unreadable(io::Error),
    /// What was read is no text for a model.
    NotAModel(Input, Box<Diagnostic>),
}

/// The name of a model in messages and reports.
pub fn name(path: &str) -> &str {
    if path == STDIN.0 { STDIN.1 } else { path }
}

/// Whether standard input is asked for more than once; it can be read only once.
pub fn repeats_stdin(paths: &[String]) -> bool {
    paths.iter().filter(|p| *p == STDIN.0).count() > 1
}

/// The paths with each directory replaced by the files below it that have one of these extensions, in the order of
/// their names. Links to directories are not followed, pipes and devices not read.
///
/// # Errors
/// The directory that can't be read, or in which there is no such file, with the reason; standard input, if it is asked
/// for more than once.
pub fn expanded(paths: &[String], extensions: &[&str]) -> Result<Vec<String>, String> {
    if repeats_stdin(paths) {
        return Err("standard input (`-`) can be read only once".to_string());
    }
    let mut all = Vec::new();
    for path in paths {
        if path == STDIN.0 || !Path::new(path).is_dir() {
            all.push(path.clone());
            continue;
        }
        let mut files = Vec::new();
        files_below(Path::new(path), extensions, &mut files).map_err(|(folder, error)| {
            format!("{}: can't read the directory: {error}", folder.display())
        })?;
        if files.is_empty() {
            return Err(format!(
                "{path}: there is no file `*.{}`",
                extensions.join("` or `*.")
            ));
        }
        files.sort();
        all.extend(files.iter().map(|f| f.to_string_lossy().into_owned()));
    }
    Ok(all)
}

/// The files below a directory that have one of these extensions.
///
/// # Errors
/// The directory that can't be read.
pub fn files_below(
    folder: &Path,
    extensions: &[&str],
    into: &mut Vec<PathBuf>,
) -> Result<(), (PathBuf, io::Error)> {
    let broken = |error| (folder.to_path_buf(), error);
    let wanted = |path: &Path| {
        let extension = path.extension().and_then(|e| e.to_str());
        extension.is_some_and(|e| extensions.contains(&e))
    };
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(broken)? {
        let entry = entry.map_err(broken)?;
        let path = entry.path();
        if entry.file_type().map_err(broken)?.is_dir() {
            folders.push(path);
        } else if wanted(&path) && !path.metadata().is_ok_and(|m| !m.is_file()) {
            into.push(path);
        }
    }
    let mut folders = folders.iter();
    folders.try_for_each(|f| files_below(f, extensions, into))
}

/// Reads a model.
///
/// # Errors
/// See [`Refused`].
pub fn read(path: &str) -> Result<Input, Refused> {
    let bytes = if path == STDIN.0 {
        bounded(io::stdin().lock())
    } else {
        File::open(path).and_then(bounded)
    };
    decode(name(path), bytes.map_err(Refused::Unreadable)?)
}

fn bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn decode(name: &str, bytes: Vec<u8>) -> Result<Input, Refused> {
    let input = |source| Input {
        name: name.to_string(),
        source,
    };
    if bytes.len() as u64 > LARGEST {
        let diagnostic = Diagnostic::error(
            TOO_LARGE,
            Span::default(),
            "the file is larger than 64 MiB",
            "",
            "use families of threads, arrays and constants instead of repeated text",
        );
        return Err(Refused::NotAModel(
            input(String::new()),
            Box::new(diagnostic),
        ));
    }
    match backend::decode(bytes) {
        Ok(source) => Ok(input(source)),
        Err(bad) => Err(Refused::NotAModel(
            input(bad.lossy),
            Box::new(bad.diagnostic),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_shown_with_their_place() {
        match decode("m", b"ab\xff\xfec".to_vec()) {
            Err(Refused::NotAModel(input, d)) => {
                assert_eq!(d.span, Span::new(2, 5));
                assert_eq!(&input.source[2..5], "\u{fffd}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(
            decode("m", b"abc".to_vec())
                .map(|i| i.source)
                .ok()
                .as_deref(),
            Some("abc")
        );
    }

    #[test]
    fn too_much_is_refused() {
        let huge = bounded(io::repeat(b'x')).expect("reads");
        assert_eq!(huge.len() as u64, LARGEST + 1);
        assert!(matches!(decode("m", huge), Err(Refused::NotAModel(_, d)) if d.code == TOO_LARGE));
    }

    #[test]
    fn a_directory_is_unreadable() {
        assert!(matches!(read("."), Err(Refused::Unreadable(_))));
        assert!(repeats_stdin(&[
            "-".to_string(),
            "a".to_string(),
            "-".to_string()
        ]));
    }
}
