//! Reading models: files or standard input, text or an explanation of why not.

use super::backend::{self, Code};
use coarsen::base::diagnostic::{Diagnostic, Span};
use std::fs::File;
use std::io::{self, Read};

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
