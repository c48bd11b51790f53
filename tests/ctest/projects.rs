//! Programs of several files, written for this: rings, maps, caches, pools, loggers, in C and in C++. Each is right,
//! and wrong with `BUG`. What is said of both is kept in `told.txt`, with the execution that goes wrong.

use super::formats::coarsen;
use crate::{missing, random};
use std::path::{Path, PathBuf};

/// The folders of programs.
fn projects() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ctest/projects");
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut all: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    all.sort();
    all
}

/// The source files of a program, and whether they are C++.
fn sources(project: &Path) -> (Vec<String>, bool) {
    let entries = std::fs::read_dir(project).expect("a folder");
    let names = entries.map(|e| e.expect("an entry").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let mut all: Vec<String> = names
        .filter(|name| name.ends_with(".c") || name.ends_with(".cpp"))
        .collect();
    all.sort();
    let is_cxx = all.iter().any(|name| name.ends_with(".cpp"));
    (all, is_cxx)
}

/// What is said of a program that is right, or wrong.
fn told(project: &Path, wrong: bool) -> String {
    let (files, is_cxx) = sources(project);
    let mut arguments: Vec<&str> = vec!["test"];
    arguments.extend(files.iter().map(String::as_str));
    if is_cxx {
        arguments.push("--cflags=-std=c++17");
    }
    if wrong {
        arguments.push("--cflags=-DBUG");
    }
    let (code, output, error) = coarsen(&arguments, project);
    let name = project.display();
    let found = code == 10 || output.contains("data races:");
    assert!(
        found == wrong && [0, 10].contains(&code),
        "{name}: {output}{error}"
    );
    // The library's places are those of this machine.
    let lines = if is_cxx { 1 } else { usize::MAX };
    let kept: Vec<&str> = output.lines().take(lines).collect();
    format!("$ coarsen {}\n{}\n", arguments.join(" "), kept.join("\n"))
}

#[test]
fn programs_of_several_files_are_told_right() {
    let projects = projects();
    assert_eq!(2 * projects.len(), 40, "each is right, and wrong");
    if !super::possible() || !missing::tools(&["g++"]) {
        return;
    }
    for (_, project) in projects
        .iter()
        .enumerate()
        .filter(|(n, _)| random::picked(*n))
    {
        let got = [false, true].map(|wrong| told(project, wrong)).join("\n");
        let path = project.join("told.txt");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &got).expect("written");
        }
        let expected = std::fs::read_to_string(&path).expect("what is kept");
        assert_eq!(got, expected, "{}", path.display());
    }
}
