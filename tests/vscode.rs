//! The extension for Visual Studio Code: its two commands build it, and its grammars colour what the parser reads.

use crate::{missing, shipped};
use coarsen::algebra::Function;
use coarsen::base::control::ParseLimits;
use coarsen::kernel::WORDS;
use coarsen::model::text::names::Names;
use coarsen::model::text::{is_name, parse_model, words};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The extension's folder, with what npm installs.
fn extension() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode");
    let installed = folder.join("node_modules/vscode-textmate").is_dir();
    if !installed {
        missing::say("node");
    }
    installed.then_some(folder)
}

/// A token: its line, where it begins and ends there in words of UTF-16, and its class.
fn token(text: &str, (start, end): (usize, usize), class: &str) -> Vec<Value> {
    let line = text[..start].matches('\n').count();
    let mut begins = text[..start].rfind('\n').map_or(0, |n| n + 1);
    let mut found = Vec::new();
    for (n, part) in text[start..end].split('\n').enumerate() {
        let from = if n == 0 { start } else { begins };
        let column = |at: usize| text[begins..at].encode_utf16().count();
        if !part.trim().is_empty() {
            found.push(json!([
                line + n,
                column(from),
                column(from + part.len()),
                class
            ]));
        }
        begins = from + part.len() + 1;
    }
    found
}

/// Comments, words, numbers and signs of a text; `class` says what a word or another piece is, if that is certain.
fn tokens<'t>(
    text: &'t str,
    open: &str,
    class: impl Fn(usize, &'t str) -> Option<&'static str>,
) -> Vec<Value> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (length, kind) = if c.is_whitespace() {
            (c.len_utf8(), None)
        } else if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), Some("comment"))
        } else if rest.starts_with("/*") && open.is_empty() {
            (rest.find("*/").expect("closed") + 2, Some("comment"))
        } else if rest.starts_with("^w") {
            (2, Some("sign"))
        } else if open.contains(c) {
            let close = if c == '{' { '}' } else { c };
            (rest[1..].find(close).expect("closed") + 2, Some("string"))
        } else if c.is_ascii_digit() {
            (
                rest.find(|c| !word(c)).unwrap_or(rest.len()),
                Some("number"),
            )
        } else if word(c) {
            let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
            (length, class(at, &rest[..length]))
        } else {
            (c.len_utf8(), Some("sign"))
        };
        if let Some(kind) = kind {
            all.extend(token(text, (at, at + length), kind));
        }
        at += length;
    }
    all
}

fn lines(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// Has the grammar colour files, and holds that to the tokens.
fn coloured(folder: &Path, (scope, file): (&str, &str), files: &[Value]) {
    let input = json!({ "scope": scope, "file": file, "files": files });
    let mut child = Command::new("node")
        .arg(folder.join("test/grammar.js"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node");
    let mut stdin = child.stdin.take().expect("piped");
    stdin
        .write_all(input.to_string().as_bytes())
        .expect("written");
    drop(stdin);
    let output = child.wait_with_output().expect("waited");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    assert!(told.contains(" tokens, 0 wrong"), "{told}");
}

#[test]
fn models_are_coloured_as_the_parser_reads_them() {
    let Some(folder) = extension() else { return };
    let reserved = |word: &str| !is_name(word);
    let file = |name: &str, text: &str| {
        let (tree, _) = parse_model(text, ParseLimits::default());
        let names = Names::of(&tree, text);
        let uses: BTreeSet<usize> = names.uses.iter().map(|u| u.span.start).collect();
        let class = |at: usize, word: &str| match () {
            () if reserved(word) => Some("keyword"),
            () if uses.contains(&at) => Some("name"),
            // A word that has its meaning at this place.
            () if words().contains(&word) => Some("keyword"),
            () => None,
        };
        json!({ "name": name, "lines": lines(text), "tokens": tokens(text, "", class) })
    };
    let mut files: Vec<Value> = shipped::texts()
        .iter()
        .map(|m| file(&m.name, &m.source))
        .collect();
    // Words that are names elsewhere.
    let words = "var wait: 0..1 = 0; var pool: 0..1 = 0; enum e { record, cond }\n\
        /* a\n { thread */ var swap: e = cond;\n\
        thread t { new1: wait = pool;\n\
        free: join: wait = wait + swap(pool, 1); up: skip; }\n\
        mutex m; var read: 0..1 = 0 protected read by m, read by true;\n";
    files.push(file("words", words));
    coloured(
        &folder,
        ("source.coarsen", "coarsen.tmLanguage.json"),
        &files,
    );
}

#[test]
fn theories_are_coloured_as_the_parser_reads_them() {
    let Some(folder) = extension() else { return };
    let mut open = vec![
        Path::new(env!("CARGO_MANIFEST_DIR")).join("theories"),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("proofs"),
    ];
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .expect("read")
                    .map(|e| e.expect("an entry").path()),
            );
        } else if path.extension().is_some_and(|e| e == "thy") {
            let text = fs::read_to_string(&path).expect("read");
            // A word begins an item where one has ended.
            let class = |at: usize, word: &str| {
                let mut before = text[..at]
                    .lines()
                    .map(|l| l.split("//").next().unwrap_or_default().trim_end());
                let ended = before
                    .rfind(|l| !l.is_empty())
                    .is_none_or(|l| l.ends_with(';'));
                match ended
                    && text[..at].ends_with('\n')
                    && (WORDS.contains(&word) || word == "theory")
                {
                    true => Some("keyword"),
                    false if WORDS.contains(&word) || Function::named(word).is_some() => None,
                    false => Some("name"),
                }
            };
            let found = tokens(&text, "{\"", class);
            files.push(json!({ "name": path.display().to_string(), "lines": lines(&text), "tokens": found }));
        }
    }
    assert!(files.len() > 20, "{}", files.len());
    coloured(
        &folder,
        ("source.coarsen-theory", "theory.tmLanguage.json"),
        &files,
    );
}

#[test]
fn the_extension_is_built_by_the_commands_of_its_readme() {
    let Some(folder) = extension() else { return };
    let readme = fs::read_to_string(folder.join("README.md")).expect("read");
    assert!(readme.contains("npm ci\nnpm run package\n"), "{readme}");
    // The first has run; the second needs no network.
    let built = Command::new("npm")
        .args(["run", "package"])
        .current_dir(&folder)
        .output()
        .expect("npm");
    let told = String::from_utf8_lossy(&built.stdout).into_owned()
        + &String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{told}");
    let made = fs::metadata(folder.join("coarsen.vsix")).expect("a package");
    assert!(made.len() > 10_000, "{told}");
}
