//! The structure that ARCHITECTURE.md draws is that of the code: which folder imports which, and where files are read
//! and lines printed.
//!
//! Nothing but the standard library is used, so that `rustc --test tests/structure.rs` is enough to run it.

#[path = "structure/functions.rs"]
mod functions;
#[path = "structure/sentences.rs"]
mod sentences;

use functions::{comment, quoted};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The longest chain of imports between folders.
const LONGEST_CHAIN: usize = 9;

/// Folders that may read files, print and end the process; `ctest` builds programs and runs them.
const ACTING: &[&str] = &["cli", "ctest", "distributed"];

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

/// What the names at the root of the library stand for: `pub use command::session::{Session}` makes `Session` one of
/// `command`.
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
        "use crate::a::B;\npub use crate::{c::{D, e}, f};\n// crate::no\nlet x = \"crate::no\"; crate::g::h();\nlet c \
         = '\"'; let l: &'static str = crate::i::j; pub(in crate::k) fn f() {}\n#[cfg(test)]\nmod tests { use \
         crate::no; }",
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

/// Folders of the project whose names begin a path.
const FOLDERS: &[&str] = &[
    "src/",
    "tests/",
    "runtime/",
    "benches/",
    "theories/",
    "proofs/",
    "models/",
    "docs/",
];

/// The names in backticks that look like files or folders of the project; what blocks of code show is left out.
fn named_files(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut shown = false;
    for line in text.lines() {
        shown ^= line.starts_with("```");
        if shown {
            continue;
        }
        for name in line.split('`').skip(1).step_by(2) {
            let path =
                name.starts_with(is_word) && name.chars().all(|c| is_word(c) || "./-".contains(c));
            let below = FOLDERS.iter().any(|f| name.starts_with(f));
            if path && (below || name.ends_with(".rs") || name.ends_with('/')) {
                found.push(name.to_string());
            }
        }
    }
    found
}

/// The pages that a link of `text` leads to, without those elsewhere.
fn linked_files(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1);
    let targets = targets.filter_map(|t| t.split([')', '#']).next());
    let own = targets.filter(|t| !t.is_empty() && !t.contains(':') && !t.contains(' '));
    own.map(str::to_string).collect()
}

/// Every file below the folders of the project, and those beside them.
fn files() -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = FOLDERS.iter().map(|f| root().join(f)).collect();
    let mut found = Vec::new();
    let beside = fs::read_dir(root()).expect("the project");
    let beside = beside.map(|e| e.expect("an entry").path());
    found.extend(beside.filter(|p| p.is_file()));
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// As the project names a file.
fn shown(path: &Path) -> String {
    let below = path.strip_prefix(root()).unwrap_or(path);
    below.to_string_lossy().replace('\\', "/")
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e == extension)
}

/// A file may be named from the project's folder on, or by the end of its path.
#[test]
fn the_files_that_are_named_are_there() {
    let files = files();
    let paths: Vec<String> = files.iter().map(|p| format!("/{}", shown(p))).collect();
    let there = |name: &str| match name.strip_suffix('/') {
        Some(folder) => paths.iter().any(|p| p.contains(&format!("/{folder}/"))),
        None => {
            root().join(name).exists() || paths.iter().any(|p| p.ends_with(&format!("/{name}")))
        }
    };
    let mut wrong = Vec::new();
    let pages: Vec<&PathBuf> = files.iter().filter(|p| has_extension(p, "md")).collect();
    assert!(pages.len() > 15, "only {} pages were found", pages.len());
    for page in pages {
        let text = read(page);
        // What has changed is told with the names of its time.
        if !page.ends_with("CHANGELOG.md") {
            let named = named_files(&text).into_iter().filter(|n| !there(n));
            wrong.extend(named.map(|n| format!("{}: `{n}`", shown(page))));
        }
        let folder = page.parent().expect("a folder");
        let linked = linked_files(&text).into_iter();
        let lost = linked.filter(|l| !folder.join(l).exists());
        wrong.extend(lost.map(|l| format!("{}: ({l})", shown(page))));
    }
    // A comment names a file of the project from one of its folders on; others are those of other projects.
    for file in files.iter().filter(|p| has_extension(p, "rs")) {
        let text = read(file);
        let comments = text.lines().filter(|l| l.trim_start().starts_with("//"));
        let named = named_files(&comments.collect::<Vec<_>>().join("\n"));
        let own = named
            .iter()
            .filter(|n| FOLDERS.iter().any(|f| n.starts_with(f)));
        wrong.extend(
            own.filter(|n| !there(n))
                .map(|n| format!("{}: `{n}`", shown(file))),
        );
    }
    assert!(
        wrong.is_empty(),
        "named, and not there:\n{}",
        wrong.join("\n")
    );
}

/// Pages that a reader does not have.
const ABSENT: &[&str] = &[concat!("DES", "IGN"), concat!("FORM", "ULAS")];

#[test]
fn no_page_is_named_that_a_reader_does_not_have() {
    for file in files() {
        // Files that are no text name nothing.
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        for name in ABSENT {
            let said = text.match_indices(name).any(|(at, _)| {
                let before = text[..at].chars().next_back().unwrap_or(' ');
                let after = text[at + name.len()..].chars().next().unwrap_or(' ');
                !is_word(before) && !is_word(after)
            });
            assert!(!said, "{} names {name}", shown(&file));
        }
    }
}

/// Columns that a line takes at most.
const COLUMNS: usize = 120;

/// Pages whose lines are not wrapped yet.
const UNWRAPPED: &[&str] = &["CHANGELOG.md"];

/// Formatting leaves comments and texts alone, so their lines are counted here.
#[test]
fn no_line_of_code_is_too_long() {
    let mut wrong = Vec::new();
    for file in files().iter().filter(|p| has_extension(p, "rs")) {
        for (n, line) in read(file).lines().enumerate() {
            let columns = line.chars().count();
            if columns > COLUMNS {
                wrong.push(format!("{}:{}: {columns} columns", shown(file), n + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tables, blocks of code and outputs stay as they are; so does a line that is one quoted text.
#[test]
fn no_line_of_a_page_is_too_long() {
    let mut wrong = Vec::new();
    for page in files().iter().filter(|p| has_extension(p, "md")) {
        if UNWRAPPED.iter().any(|name| shown(page) == *name) {
            continue;
        }
        let mut block = false;
        for (n, line) in read(page).lines().enumerate() {
            block ^= line.starts_with("```");
            let whole = line.starts_with('`') && line.trim_end_matches('.').ends_with('`');
            let prose = !block && !line.starts_with(['|', ' ']) && !whole;
            if prose && line.chars().count() >= COLUMNS {
                wrong.push(format!("{}:{}", shown(page), n + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
