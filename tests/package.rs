//! The packages have all that is needed to build them, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The files of a package.
fn files(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "-p",
            package,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_string)
        .collect()
}

/// The files of a folder in the repository, relative to it.
fn below(folder: &str, found: &mut Vec<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{folder}/{}", entry.file_name().display());
        match entry.path().is_dir() {
            true => below(&name, found),
            false => found.push(name),
        }
    }
}

#[test]
fn what_is_built_in_is_in_the_package() {
    let packed = files("coarsen");
    let mut wanted = vec!["build.rs", "README.md", "CHANGELOG.md", "LICENSE"]
        .into_iter()
        .map(str::to_string)
        .collect();
    for folder in ["theories", "runtime", "models", "docs"] {
        below(folder, &mut wanted);
    }
    below("proofs", &mut wanted);
    // What Coq makes beside its library stays out.
    wanted.retain(|f| !f.starts_with("proofs/coq/") || f.ends_with(".v"));
    let missing: Vec<&String> = wanted.iter().filter(|f| !packed.contains(*f)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let superfluous = [
        "tests/",
        "benches/",
        "editors/",
        "examples/",
        ".ci/",
        "src/kernel/",
    ];
    let packed = packed
        .iter()
        .filter(|f| superfluous.iter().any(|s| f.starts_with(s)));
    assert_eq!(packed.collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(files("coarsen-kernel").contains("src/lib.rs"));
}
