//! The structure that ARCHITECTURE.md draws is that of the code: which folder imports which, and where files are read and lines printed.
//!
//! Nothing but the standard library is used, so that `rustc --test tests/structure.rs` is enough to run it.

#[path = "structure/functions.rs"]
mod functions;

use functions::{comment, quoted};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The longest chain of imports between folders.
const LONGEST_CHAIN: usize = 9;

/// Folders that may read files, print and end the process; `ctest` builds programs and runs them.
const ACTING: &[&str] = &["cli", "ctest"];

/// What only those folders say.
const ACTS: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::io",
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
    "process::exit",
    "File::open",
    "File::create",
];

fn root() -> PathBuf {
    option_env!("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files of the package below `src`, the kernel's own crate left out, each with its module path.
fn sources() -> Vec<(PathBuf, Vec<String>)> {
    let src = root().join("src");
    let mut open = vec![src.clone()];
    let mut found = Vec::new();
    while let Some(dir) = open.pop() {
        let entries = fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path != src.join("kernel") {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let inside = path
                    .strip_prefix(&src)
                    .expect("below src")
                    .with_extension("");
                let parts = inside.iter().map(|p| p.to_string_lossy().into_owned());
                let mut module: Vec<String> = parts.collect();
                if module.last().is_some_and(|m| m == "mod") {
                    module.pop();
                }
                found.push((path, module));
            }
        }
    }
    found.sort();
    found
}

/// Whether a file holds tests only, which may look at everything.
fn is_test(module: &[String]) -> bool {
    module.iter().any(|m| m == "tests" || m == "samples")
}

/// A text without comments, without what stands in quotes, and without the unit tests at its end.
fn bare(text: &str) -> String {
    let text = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let chars: Vec<char> = text.chars().collect();
    let (mut out, mut at) = (String::new(), 0);
    while at < chars.len() {
        let (end, left) = match (comment(&chars, at), quoted(&chars, at)) {
            (Some(end), _) => (end, ' '),
            (None, Some(end)) => (end, '"'),
            (None, None) => (at + 1, chars[at]),
        };
        out.push(left);
        at = end;
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first names behind `prefix`, such as `crate::`: one, or those of a group in braces.
fn heads(text: &str, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let before = text[..at].chars().next_back().unwrap_or(' ');
        if is_word(before) || before == ':' {
            continue;
        }
        let rest = &text[at + prefix.len()..];
        if !rest.starts_with('{') {
            found.push(rest.chars().take_while(|c| is_word(*c)).collect());
            continue;
        }
        let (mut depth, mut start) = (0, true);
        let mut name = String::new();
        for c in rest.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 1 && is_word(c) && start {
                name.push(c);
            } else if !name.is_empty() {
                found.push(std::mem::take(&mut name));
                start = false;
            }
            start |= depth == 1 && c == ',';
            if depth == 0 {
                break;
            }
        }
    }
    found
}

/// What the names at the root of the library stand for: `pub use command::session::{Session}` makes `Session` one of `command`.
fn exported() -> BTreeMap<String, String> {
    let text = bare(&read(&root().join("src/lib.rs")));
    let mut found = BTreeMap::new();
    for line in text.split(';') {
        let Some((_, path)) = line.split_once("pub use ") else {
            continue;
        };
        let folder = path.split("::").next().unwrap_or_default().trim();
        let names = path.rsplit("::").next().unwrap_or_default();
        let names = names.trim_matches(['{', '}', '\n', ' ']);
        for name in names.split(',') {
            let name = name.rsplit(" as ").next().unwrap_or_default().trim();
            let folder = folder.split(" as ").next().unwrap_or_default();
            found.insert(name.to_string(), folder.replace("coarsen_", ""));
        }
    }
    found
}

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Which folder imports which.
fn imports() -> Arrows {
    let exported = exported();
    let mut arrows = Arrows::new();
    for (path, module) in sources() {
        let (Some(folder), true) = (
            module.first().cloned(),
            module.len() > 1 || path.ends_with("mod.rs"),
        ) else {
            continue;
        };
        let known = arrows.entry(folder.clone()).or_default();
        if is_test(&module) {
            continue;
        }
        let text = bare(&read(&path));
        // The command line is a crate of its own, and sees the library from outside.
        let mut names = match folder.as_str() {
            "cli" => heads(&text, "coarsen::"),
            _ => heads(&text, "crate::"),
        };
        // So many steps up lead to the root.
        names.extend(heads(&text, &"super::".repeat(module.len())));
        for name in names {
            let target = exported.get(&name).unwrap_or(&name);
            if *target != folder {
                known.insert(target.clone());
            }
        }
    }
    arrows
}

/// The same from the table in ARCHITECTURE.md: ``| `src/base` | .. | imports |``.
fn drawn() -> Arrows {
    let text = read(&root().join("ARCHITECTURE.md"));
    let quoted = |cell: &str| {
        let names = cell.split('`').skip(1).step_by(2);
        names.map(str::to_string).collect::<BTreeSet<_>>()
    };
    let mut found = Arrows::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, _, imports, _] = cells.as_slice() else {
            continue;
        };
        if let Some(folder) = name.strip_prefix("`src/").and_then(|n| n.strip_suffix('`')) {
            found.insert(folder.to_string(), quoted(imports));
        }
    }
    found
}

#[test]
fn imports_are_as_drawn() {
    let (mut found, drawn) = (imports(), drawn());
    // A crate of its own; Cargo sees to it that it imports nothing.
    found.insert("kernel".to_string(), BTreeSet::new());
    for (folder, targets) in &found {
        let Some(expected) = drawn.get(folder) else {
            panic!("the table in ARCHITECTURE.md lacks `src/{folder}`");
        };
        let new: Vec<_> = targets.difference(expected).collect();
        assert!(
            new.is_empty(),
            "src/{folder} imports {new:?}: not in ARCHITECTURE.md"
        );
        let gone: Vec<_> = expected.difference(targets).collect();
        assert!(
            gone.is_empty(),
            "src/{folder} does not import {gone:?}: ARCHITECTURE.md says so"
        );
    }
    let more: Vec<_> = drawn.keys().filter(|f| !found.contains_key(*f)).collect();
    assert!(
        more.is_empty(),
        "ARCHITECTURE.md has folders that are not there: {more:?}"
    );
}

/// The folders on the longest way down from one; a folder that is met again is a cycle.
fn longest(arrows: &Arrows, from: &str, above: &mut Vec<String>) -> usize {
    assert!(
        !above.iter().any(|f| f == from),
        "a cycle: {above:?}, and again {from}"
    );
    above.push(from.to_string());
    let below = arrows.get(from).into_iter().flatten();
    let deepest = below
        .map(|to| longest(arrows, to, above))
        .max()
        .unwrap_or(0);
    above.pop();
    deepest + 1
}

#[test]
fn no_cycle_and_no_long_chain() {
    let arrows = imports();
    for folder in arrows.keys() {
        let length = longest(&arrows, folder, &mut Vec::new());
        assert!(
            length <= LONGEST_CHAIN,
            "{length} folders below each other from {folder}"
        );
    }
}

#[test]
fn the_library_reads_no_file_prints_nothing_and_never_exits() {
    for (path, module) in sources() {
        let acting = module.first().is_some_and(|f| ACTING.contains(&f.as_str()));
        if acting || is_test(&module) || module == ["main"] {
            continue;
        }
        let text = bare(&read(&path));
        for act in ACTS {
            let said = text.match_indices(act).any(|(at, _)| {
                let before = text[..at].chars().next_back().unwrap_or(' ');
                !is_word(before) && before != ':'
            });
            assert!(!said, "{} says `{act}`", path.display());
        }
    }
}

/// The test's own reading, on texts where it could go wrong.
#[test]
fn imports_are_found() {
    let text = bare(
        "use crate::a::B;\npub use crate::{c::{D, e}, f};\n// crate::no\nlet x = \"crate::no\"; crate::g::h();\nlet c = '\"'; \
         let l: &'static str = crate::i::j; pub(in crate::k) fn f() {}\n#[cfg(test)]\nmod tests { use crate::no; }",
    );
    assert_eq!(heads(&text, "crate::"), ["a", "c", "f", "g", "i", "k"]);
    let mut cyclic = Arrows::new();
    cyclic.insert("a".into(), ["b".to_string()].into());
    cyclic.insert("b".into(), ["a".to_string()].into());
    let met = std::panic::catch_unwind(|| longest(&cyclic, "a", &mut Vec::new()));
    assert!(met.is_err());
    cyclic.insert("b".into(), BTreeSet::new());
    assert_eq!(longest(&cyclic, "a", &mut Vec::new()), 2);
    assert_eq!(
        exported().get("Session").map(String::as_str),
        Some("command")
    );
}

/// The names in backticks that look like files or folders of the project.
fn named_files(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let names = line.split('`').skip(1).step_by(2);
        let files = names.filter(|n| n.ends_with(".rs") || n.ends_with('/'));
        found.extend(files.map(str::to_string));
    }
    found
}

/// A file may be named from `src` on, or by the end of its path.
#[test]
fn the_files_that_are_named_are_there() {
    let paths: Vec<String> = [sources().into_iter().map(|(p, _)| p).collect(), runtime()]
        .concat()
        .iter()
        .map(|p| format!("/{}", p.strip_prefix(root()).expect("below").display()))
        .collect();
    let pages = [root().join("ARCHITECTURE.md"), root().join("README.md")];
    for page in pages {
        for name in named_files(&read(&page)) {
            let there = root().join(&name).exists()
                || paths.iter().any(|p| match name.strip_suffix('/') {
                    Some(folder) => p.contains(&format!("/{folder}/")),
                    None => p.ends_with(&format!("/{name}")),
                });
            assert!(
                there,
                "{} names `{name}`, which is not there",
                page.display()
            );
        }
    }
}

fn runtime() -> Vec<PathBuf> {
    let folders = ["runtime", "src/kernel/src", "src/kernel/tests"];
    let files = folders
        .iter()
        .flat_map(|f| fs::read_dir(root().join(f)).expect("a folder"));
    files.map(|e| e.expect("an entry").path()).collect()
}
