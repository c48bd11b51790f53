//! Tests that can't run here: a tool or a folder is missing. Each says so, and `.ci/run` counts them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says that the test of this thread (or a part of it) does not run, as `what` is missing. The test passes.
pub fn say(what: &str) {
    let thread = std::thread::current();
    let line = format!(
        "{what} is missing: not run: {}\n",
        thread.name().unwrap_or("a test")
    );
    // Not by `eprintln!`: what that prints is shown of failed tests only.
    let _ = std::io::stderr().write_all(line.as_bytes());
    let Some(path) = std::env::var_os("MISSING") else {
        return;
    };
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path);
    // One write, so that lines of several tests don't mix.
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", Path::new(&path).display()));
}

/// Whether these tools can be started; what can't is said.
pub fn tools(names: &[&str]) -> bool {
    let missing = names.iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_err()
    });
    if let Some(name) = missing {
        say(name);
    }
    missing.is_none()
}

/// A folder of examples that is kept beside the repository; users don't have it.
pub fn shared(inside: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared")
        .join(inside);
    if !folder.is_dir() {
        say("../shared");
        return None;
    }
    Some(folder)
}
