//! What a program is built from: C files, or what a build has made of them.
//!
//! `coarsen cc` compiles as the compiler does, and lets it put a section [`SECTION`] into the object with the command,
//! as wllvm and gllvm do. Linker and archiver keep it, so an object, an archive or an executable of any build system
//! says which files it was made from, and how. They are compiled anew for the test. A build that writes
//! `compile_commands.json` (CMake does, and Bear) can be read as well.

use super::compile::NotBuilt;
use super::cxx::is_cxx_file;
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where commands stand in objects.
pub const SECTION: &str = ".coarsen";

/// A C file, and how it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The file, as seen from the directory.
    pub file: String,
    /// Where it is compiled; empty for the present directory.
    pub directory: PathBuf,
    /// Options for the compiler.
    pub flags: Vec<String>,
}

/// A command that compiles.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Recorded {
    directory: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    /// The same in one line, as `compile_commands.json` may have it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    command: String,
}

/// Options with an argument of their own that have nothing to do with what a program does.
const DROPPED_WITH_NEXT: [&str; 9] = [
    "-o", "-MF", "-MT", "-MQ", "-l", "-L", "-T", "-z", "-Xlinker",
];
/// Options with an argument of their own that stay.
const KEPT_WITH_NEXT: [&str; 11] = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-x",
    "--param",
    "-isysroot",
];
/// Beginnings of options that are dropped: for other outputs, for speed, and for linking.
const DROPPED: [&str; 18] = [
    "-c",
    "-S",
    "-O",
    "-g",
    "-M",
    "-W",
    "-w",
    "-l",
    "-L",
    "-flto",
    "-fsanitize",
    "-fprofile",
    "-ftest-coverage",
    "--coverage",
    "-shared",
    "-static",
    "-pie",
    "-save-temps",
];

fn is_source(argument: &str) -> bool {
    let extension = Path::new(argument).extension().and_then(|e| e.to_str());
    !argument.starts_with('-') && (matches!(extension, Some("c" | "i")) || is_cxx_file(argument))
}

/// The C files of a command, and the options that matter.
fn taken_apart(arguments: &[String]) -> (Vec<&str>, Vec<String>) {
    let (mut files, mut flags) = (Vec::new(), Vec::new());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if DROPPED_WITH_NEXT.contains(&argument.as_str()) {
            arguments.next();
        } else if KEPT_WITH_NEXT.contains(&argument.as_str()) {
            flags.push(argument.clone());
            flags.extend(arguments.next().cloned());
        } else if is_source(argument) {
            files.push(argument.as_str());
        } else if argument.starts_with('-')
            && !argument.starts_with("-o")
            && !DROPPED.iter().any(|d| argument.starts_with(d))
        {
            flags.push(argument.clone());
        }
    }
    (files, flags)
}

/// How objects come to remember the command that they are made by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    /// It is put into these objects when they are there.
    Objects(Vec<PathBuf>),
    /// It is compiled with the files: the objects are gone when the command has ended.
    Header(String),
}

/// The section that a command is remembered by, and how it gets into the objects; none, if it compiles no C file.
pub fn memory(directory: &Path, arguments: &[String]) -> Option<(Vec<u8>, Memory)> {
    let other = ["-E", "-M", "-MM", "-S", "-fsyntax-only"];
    let compiles = !arguments.iter().any(|a| other.contains(&a.as_str()));
    let (files, _) = taken_apart(arguments);
    if files.is_empty() || !compiles {
        return None;
    }
    let recorded = Recorded {
        directory: directory.to_path_buf(),
        arguments: arguments.to_vec(),
        command: String::new(),
    };
    let mut section = serde_json::to_vec(&recorded).ok()?;
    section.push(0);
    // A header would be among the dependencies that a compiler writes down for make.
    let memory = match arguments.iter().any(|a| a == "-c") {
        true => Memory::Objects(objects(&files, arguments)),
        false => Memory::Header(header(&section)),
    };
    Some((section, memory))
}

/// The objects that a command with `-c` makes.
fn objects(files: &[&str], arguments: &[String]) -> Vec<PathBuf> {
    let named = arguments.iter().rposition(|a| a.starts_with("-o"));
    let named = named.and_then(|at| match arguments[at].strip_prefix("-o") {
        Some("") => arguments.get(at + 1).map(String::as_str),
        joined => joined,
    });
    match named {
        Some(name) => vec![name.into()],
        None => {
            let stems = files.iter().filter_map(|f| Path::new(f).file_stem());
            stems.map(|s| Path::new(s).with_extension("o")).collect()
        }
    }
}

/// A section as a declaration of C.
fn header(section: &[u8]) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_./=:,[]{} ".contains(b);
    let escaped: String = section
        .iter()
        .map(|b| match plain(b) {
            true => char::from(*b).to_string(),
            // For the assembler, and once more for the compiler.
            false => format!("\\\\{b:03o}"),
        })
        .collect();
    format!(
        "__asm__(\".pushsection {SECTION},\\\"\\\"\\n.ascii \\\"{escaped}\\\"\\n.popsection\\n\");\n"
    )
}

/// The files that a command compiles.
fn units_of(recorded: &Recorded) -> Vec<Unit> {
    let arguments = match recorded.arguments.is_empty() {
        false => recorded.arguments.clone(),
        true => shlex::split(&recorded.command).unwrap_or_default(),
    };
    let (files, flags) = taken_apart(&arguments);
    let unit = |file: &str| Unit {
        file: file.to_string(),
        directory: recorded.directory.clone(),
        flags: flags.clone(),
    };
    files.into_iter().map(unit).collect()
}

/// The commands that an object remembers.
fn remembered(bytes: &[u8]) -> Vec<Unit> {
    let Ok(file) = object::File::parse(bytes) else {
        return Vec::new();
    };
    let section = file.section_by_name(SECTION);
    let data = section.and_then(|s| s.data().ok()).unwrap_or_default();
    let texts = data.split(|b| *b == 0).filter(|t| !t.is_empty());
    let commands = texts.filter_map(|t| serde_json::from_slice::<Recorded>(t).ok());
    commands.flat_map(|c| units_of(&c)).collect()
}

/// What there is to do about a file that does not say what it was made from.
fn unknown(what: &str) -> NotBuilt {
    NotBuilt::Refused(format!(
        "{what} does not say what it was compiled from: compile it with `coarsen cc` (`make CC=\"coarsen cc\"`), or \
         give its C files instead"
    ))
}

fn archived(name: &str, bytes: &[u8]) -> Result<Vec<Unit>, NotBuilt> {
    let broken = |error| NotBuilt::Failed(format!("{name}: {error}"));
    let archive = ArchiveFile::parse(bytes).map_err(broken)?;
    let mut units = Vec::new();
    for member in archive.members() {
        let member = member.map_err(broken)?;
        let object = member.data(bytes).map_err(broken)?;
        let found = remembered(object);
        if found.is_empty() {
            let member = String::from_utf8_lossy(member.name());
            return Err(unknown(&format!("{name}({member})")));
        }
        units.extend(found);
    }
    Ok(units)
}

/// The commands of a `compile_commands.json`.
fn commanded(name: &str, bytes: &[u8]) -> Result<Vec<Unit>, NotBuilt> {
    let commands: Vec<Recorded> = serde_json::from_slice(bytes)
        .map_err(|e| NotBuilt::Refused(format!("{name} is no compile_commands.json: {e}")))?;
    let units: Vec<Unit> = commands.iter().flat_map(units_of).collect();
    match units.is_empty() {
        true => Err(NotBuilt::Refused(format!("{name} compiles no C file"))),
        false => Ok(units),
    }
}

/// What is to be compiled for a program of these files: C files, objects, archives and executables that `coarsen cc`
/// has compiled, and `compile_commands.json`.
///
/// # Errors
/// If a file can't be read, or does not say what it was made from.
pub fn units(files: &[String]) -> Result<Vec<Unit>, NotBuilt> {
    let mut units: Vec<Unit> = Vec::new();
    for name in files {
        let bytes = std::fs::read(name).map_err(|e| NotBuilt::Failed(format!("{name}: {e}")))?;
        let found = if name.ends_with(".json") {
            commanded(name, &bytes)?
        } else if bytes.starts_with(&object::archive::MAGIC) {
            archived(name, &bytes)?
        } else if bytes.starts_with(&object::elf::ELFMAG) {
            match remembered(&bytes) {
                found if found.is_empty() => return Err(unknown(name)),
                found => found,
            }
        } else {
            vec![Unit {
                file: name.clone(),
                directory: PathBuf::new(),
                flags: Vec::new(),
            }]
        };
        for unit in found {
            let same = |u: &Unit| (&u.file, &u.directory) == (&unit.file, &unit.directory);
            if !units.iter().any(same) {
                units.push(unit);
            }
        }
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn what_matters_of_a_command_is_kept() {
        let command = words(
            "-O2 -g3 -DN=3 -D M -I inc -Iother -std=c11 -Wall -Werror -MD -MF x.d -c src/x.c -o x.o -flto -lm -pthread \
             -isystem sys -include pre.h y.c main.o",
        );
        let (files, flags) = taken_apart(&command);
        assert_eq!(files, ["src/x.c", "y.c"]);
        let kept = words("-DN=3 -D M -I inc -Iother -std=c11 -pthread -isystem sys -include pre.h");
        assert_eq!(flags, kept);
        let made = |text: &str| memory(Path::new("/"), &words(text)).map(|m| m.1);
        assert_eq!(made("-E x.c"), None);
        assert_eq!(made("main.o -o x"), None);
        let objects =
            |names: &[&str]| Some(Memory::Objects(names.iter().map(PathBuf::from).collect()));
        assert_eq!(made("-c a/x.c y.c"), objects(&["x.o", "y.o"]));
        assert_eq!(made("-c a/x.c -o b/z.o"), objects(&["b/z.o"]));
        assert_eq!(made("-c a/x.c -ob/z.o"), objects(&["b/z.o"]));
        let command = words("-x c -ox.o -L lib -l m -c x.c");
        assert_eq!(taken_apart(&command), (vec!["x.c"], words("-x c")));
        assert!(matches!(made("x.c -o x"), Some(Memory::Header(_))));
    }

    #[test]
    fn a_header_is_one_declaration_whatever_is_in_the_command() {
        let command = ["-DS=\"a\\b%\"".to_string(), "ü x.c".into()];
        let memory = memory(Path::new("/tmp/a b"), &command).map(|m| m.1);
        let Some(Memory::Header(text)) = memory else {
            panic!("{memory:?}");
        };
        assert_eq!(text.lines().count(), 1);
        assert!(text.starts_with("__asm__(\".pushsection .coarsen,") && text.ends_with("\");\n"));
        assert!(text.is_ascii());
    }
}
