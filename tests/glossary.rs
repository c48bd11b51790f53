//! The glossary (`docs/glossary.md`, which `coarsen explain` prints) has every theorem, every hypothesis with its
//! formula, and every numbered equation; the files that it names are there.
//!
//! Nothing but the standard library is used, so that `rustc --test tests/glossary.rs` is enough to run it.

use std::fs;
use std::path::PathBuf;

fn root() -> PathBuf {
    option_env!("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from)
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Runs of blanks and line ends as one blank.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The entries: names, and text on one line.
fn entries() -> Vec<(Vec<String>, String)> {
    let page = read("docs/glossary.md");
    let mut found = Vec::new();
    for part in page.split("\n### ").skip(1) {
        let part = part.split("\n## ").next().unwrap_or_default();
        let (names, text) = part.split_once('\n').expect("a text");
        let names = names.split(", ").map(str::to_string).collect();
        found.push((names, flat(text)));
    }
    found
}

fn entry(name: &str) -> String {
    let found = entries()
        .into_iter()
        .find(|(names, _)| names.iter().any(|n| n == name));
    let (_, text) = found.unwrap_or_else(|| panic!("the glossary has no entry `{name}`"));
    text
}

/// Without comments, item by item.
fn items(theory: &str) -> Vec<String> {
    let bare: Vec<&str> = theory
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect();
    let text = bare.join("\n");
    let items = text.split(';').map(flat);
    items.filter(|item| !item.is_empty()).collect()
}

fn theories() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for file in fs::read_dir(root().join("theories")).expect("theories") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|e| e == "thy") {
            let name = path.file_name().expect("a name").to_string_lossy();
            let path = format!("theories/{name}");
            found.push((path.clone(), read(&path)));
        }
    }
    assert!(found.len() > 5);
    found
}

/// The formula behind `WORD NAME "..":`, and the name.
fn stated<'a>(item: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let rest = item.strip_prefix(word)?.strip_prefix(' ')?;
    let (name, _) = rest.split_once(' ')?;
    let (_, formula) = rest.rsplit_once("\"")?;
    let (_, formula) = formula.split_once(": ")?;
    Some((name, formula.split(" proved ").next().unwrap_or(formula)))
}

#[test]
fn every_theorem_has_an_entry_with_its_conclusion_and_its_files() {
    for (path, text) in theories() {
        let items = items(&text);
        let name = items.iter().find_map(|i| i.strip_prefix("theory "));
        // What theorems have in common has no header and no conclusion.
        let Some(name) = name.and_then(|n| n.split(' ').next()) else {
            continue;
        };
        let said = entry(name);
        let (_, conclusion) = items
            .iter()
            .find_map(|i| stated(i, "conclusion"))
            .expect("a conclusion");
        for part in [format!("`{path}`"), format!("`{conclusion}`")] {
            assert!(said.contains(&part), "the entry `{name}` lacks {part}");
        }
    }
}

#[test]
fn every_hypothesis_has_an_entry_with_its_formula() {
    let mut count = 0;
    for (path, text) in theories() {
        for item in items(&text) {
            let Some((name, formula)) = stated(&item, "hypothesis") else {
                continue;
            };
            let numbered = name.chars().all(|c| c.is_ascii_digit());
            let name = if numbered {
                format!("({name})")
            } else {
                name.to_string()
            };
            let formula = format!("`{formula}`");
            assert!(
                entry(&name).contains(&formula),
                "{path}: {name} is {formula}"
            );
            count += 1;
        }
    }
    assert!(count >= 30, "only {count} hypotheses were found");
}

#[test]
fn every_numbered_equation_has_an_entry_with_its_formula() {
    for n in 1..=26 {
        entry(&format!("({n})"));
    }
    let mut count = 0;
    for line in read("theories/stoller_cohen.thy").lines() {
        let (Some(rest), Some((_, comment))) = (line.strip_prefix("let "), line.split_once("// ("))
        else {
            continue;
        };
        let number = comment.split(')').next().unwrap_or_default();
        let formula = rest.split(';').next().unwrap_or_default();
        let formula = format!("`{formula}`");
        assert!(
            entry(&format!("({number})")).contains(&formula),
            "({number}) is {formula}"
        );
        count += 1;
    }
    assert_eq!(count, 8, "definitions (3) to (10)");
}

#[test]
fn every_entry_names_its_file() {
    for (names, text) in entries() {
        let (_, code) = text
            .split_once("Code: ")
            .unwrap_or_else(|| panic!("{names:?}: no file"));
        let files: Vec<&str> = code.split('`').skip(1).step_by(2).collect();
        let files: Vec<&&str> = files.iter().filter(|f| f.contains('/')).collect();
        assert!(!files.is_empty(), "{names:?} names no file");
        for file in files {
            assert!(
                root().join(file).is_file(),
                "{names:?}: `{file}` is not there"
            );
        }
    }
}

/// What answers say, and what the compared techniques are called.
#[test]
fn the_names_that_outputs_use_have_entries() {
    let words = read("src/report/evidence.rs");
    for states in [
        "lock ownership",
        "thread-modular",
        "reachable",
        "type-correct",
    ] {
        assert!(words.contains(states));
        entry(states);
    }
    // Words of reports' first screens.
    for word in [
        "discipline",
        "assertions",
        "deadlock_free",
        "inferred",
        "repair",
        "revised guess",
        "visible step",
        "invisible step",
        "never reached",
        "never enabled",
        "never taken",
        "premise",
        "stuck",
        "can block",
        "not observed",
        "in full",
        "not settled",
        "outcome",
        "start",
        "mend",
        "coarse step",
        "fact",
        "lemma",
        "vacuous",
        "claim",
        "interruption",
        "limit",
    ] {
        entry(word);
    }
    let mut names = 0;
    for (page, heading) in [
        ("docs/por.md", "\n## Techniques\n"),
        ("docs/command-line.md", "\n## `coarsen compare MODEL...`\n"),
        ("docs/transactions.md", "# Theorems about transactions\n"),
    ] {
        let page = read(page);
        let (_, section) = page.split_once(heading).expect("a heading");
        let section = section.split("\n## ").next().unwrap_or_default();
        // The first table.
        let rows = section.lines().skip_while(|l| !l.starts_with('|')).skip(2);
        for row in rows.take_while(|l| l.starts_with('|')) {
            let cell = row.trim_matches('|').split(" | ").next();
            for name in cell.unwrap_or_default().split('`').skip(1).step_by(2) {
                entry(name);
                names += 1;
            }
        }
    }
    assert!(names > 20, "only {names} names were found");
    for word in [
        "mover",
        "transaction",
        "claim",
        "discipline",
        "commit",
        "phase",
        "atomic",
        "omega",
        "star",
        "BDD",
        "e-graph",
    ] {
        entry(word);
    }
}
