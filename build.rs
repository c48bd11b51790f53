//! Compiles the runtime of `coarsen test` (`runtime/`), which is linked into tested programs and therefore is a library
//! of its own, without `std`: one object file, which the command carries inside itself.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=runtime");
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let target = env::var("TARGET").unwrap_or_default();
    let object = out.join("coarsen_runtime.o");
    // Switching stacks is written for this architecture and this system's calls; elsewhere the command says that it
    // can't test.
    if !target.starts_with("x86_64-unknown-linux") {
        write(&object, &[]);
        return;
    }
    let archive = out.join("libcoarsen_runtime.a");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "staticlib"])
        .args(["--crate-name", "coarsen_runtime", "--target", &target])
        // One unit with all it needs of `core`, so that one member of the archive is enough.
        .args(["-Copt-level=3", "-Clto=fat", "-Ccodegen-units=1"])
        .args([
            "-Cpanic=abort",
            "-Crelocation-model=pic",
            "-Cstrip=debuginfo",
        ])
        .args(["-Cdebug-assertions=off", "-Coverflow-checks=off"])
        .arg("runtime/lib.rs")
        .arg("-o")
        .arg(&archive)
        .status();
    if !status.is_ok_and(|status| status.success()) {
        panic!("the runtime in runtime/ does not compile");
    }
    let bytes = fs::read(&archive).unwrap_or_default();
    match member(&bytes) {
        Some(bytes) => write(&object, bytes),
        None => panic!("the archive of the runtime has no member of its own"),
    }
}

fn write(to: &Path, bytes: &[u8]) {
    if let Err(error) = fs::write(to, bytes) {
        panic!("can't write {}: {error}", to.display());
    }
}

/// The runtime's member of an archive: the first that is an object file (the others are the compiler's own functions).
fn member(archive: &[u8]) -> Option<&[u8]> {
    let mut rest = archive.strip_prefix(b"!<arch>\n")?;
    loop {
        let (head, body) = (rest.get(..60)?, rest.get(60..)?);
        let size: usize = str::from_utf8(head.get(48..58)?)
            .ok()?
            .trim()
            .parse()
            .ok()?;
        let content = body.get(..size)?;
        if content.starts_with(b"\x7fELF") {
            return Some(content);
        }
        rest = body.get(size + size % 2..)?;
    }
}
