//! `coarsen cc`: the compiler, and objects that remember what they were compiled from.

use super::args::CcArgs;
use super::exit::Exit;
use super::output::say;
use coarsen::ctest::units::{Memory, SECTION, memory};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file for one command; it goes away with this.
struct Scratch(PathBuf);

impl Scratch {
    fn new(extension: &str, content: &[u8]) -> io::Result<Scratch> {
        // Nobody else's file is written to, whatever its name.
        let mut n = 0;
        loop {
            let name = format!("coarsen-cc-{}-{n}.{extension}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match std::fs::File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => n += 1,
                file => {
                    file?.write_all(content)?;
                    return Ok(Scratch(path));
                }
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The compiler, and what it is given: a launcher gets its name first.
fn compiler(arguments: &[String]) -> (String, &[String]) {
    let named = arguments.first().filter(|first| {
        let extension = Path::new(first).extension().and_then(|e| e.to_str());
        // `cc`, `gcc-12.2`; not `main.o`.
        !first.starts_with('-') && extension.is_none_or(|e| e.parse::<u32>().is_ok())
    });
    match named {
        Some(name) => (name.clone(), &arguments[1..]),
        None => {
            let usual = std::env::var("COARSEN_CC").unwrap_or_else(|_| "gcc".into());
            (usual, arguments)
        }
    }
}

/// Compiles; the exit code tells whether the compiler was content.
pub fn run(args: &CcArgs) -> Exit {
    match compiled(&args.arguments) {
        Ok(true) => Exit::Holds,
        // A compiler's failures have this code as well.
        Ok(false) => Exit::Internal,
        Err(error) => {
            say(&format!("coarsen cc: {error}"));
            Exit::Internal
        }
    }
}

fn compiled(arguments: &[String]) -> io::Result<bool> {
    let (compiler, arguments) = compiler(arguments);
    let mut command = Command::new(&compiler);
    let memory = memory(&std::env::current_dir()?, arguments);
    let header = match &memory {
        Some((_, Memory::Header(text))) => Some(Scratch::new("h", text.as_bytes())?),
        _ => None,
    };
    if let Some(header) = &header {
        command.arg("-include").arg(&header.0);
    }
    let status = command.args(arguments).status();
    let status = status.map_err(|e| io::Error::other(format!("`{compiler}`: {e}")))?;
    if let (true, Some((section, Memory::Objects(objects)))) = (status.success(), &memory) {
        // A test of a compiler's options throws its object away.
        for object in objects.iter().filter(|o| o.is_file()) {
            remember(object, section)?;
        }
    }
    Ok(status.success())
}

/// Puts the section with the command into an object.
fn remember(object: &Path, section: &[u8]) -> io::Result<()> {
    let content = Scratch::new("section", section)?;
    let mut option = std::ffi::OsString::from(format!("{SECTION}="));
    option.push(&content.0);
    let mut command = Command::new("objcopy");
    command.arg("--remove-section").arg(SECTION);
    command.arg("--add-section").arg(option).arg(object);
    let status = command.status();
    match status
        .map_err(|e| io::Error::other(format!("`objcopy`: {e}")))?
        .success()
    {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "{}: objcopy can't add what it was made from",
            object.display()
        ))),
    }
}
