//! How long functions are, and how deep their blocks are nested.
//!
//! A function's length is its lines, from the one with its `fn` to that of its closing brace.
//!
//! Its depth is the most blocks that are open at once inside its body. A block is the body of an `if`, `else`, `for`,
//! `while`, `loop` or closure, the braces of a `match`, those of an arm, and what stands in braces alone. Struct
//! literals, patterns and the braces of a macro are no blocks. A function inside another one has a depth of its own,
//! and its lines are the outer one's too.

use super::{is_word, read, root};
use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a function.
const LONGEST: usize = 100;

/// The most blocks that may be open at once in a function.
const DEEPEST: usize = 5;

/// Longer functions that are one `match` with one short arm for each case: a table, best read at a stretch.
const ONE_ARM_PER_CASE: &[(&str, &str)] = &[];

/// A function as it stands in a file.
#[derive(Debug, PartialEq)]
struct Function {
    name: String,
    lines: usize,
    depth: usize,
}

/// What matters of a text: words, signs, and the place of each.
struct Token {
    text: String,
    line: usize,
}

/// Signs of several characters whose parts would mean something else.
const SIGNS: &[&str] = &["..=", "=>", "->", "==", "<=", ">=", "!=", "||"];

/// The end of what stands in quotes from `at` on: a string of any kind or a character. A lifetime is none.
pub(super) fn quoted(chars: &[char], at: usize) -> Option<usize> {
    let prefixes: [&[char]; 6] = [&['b', 'r'], &['c', 'r'], &['r'], &['b'], &['c'], &[]];
    let prefix = prefixes.into_iter().find(|p| chars[at..].starts_with(p))?;
    let raw = prefix.last() == Some(&'r');
    let behind = at + prefix.len();
    let hashes = chars[behind..].iter().take_while(|c| **c == '#').count();
    let open = behind + hashes;
    match chars.get(open) {
        Some('"') if raw => {
            let close = [vec!['"'], vec!['#'; hashes]].concat();
            let closed = |n: &usize| chars[*n..].starts_with(&close);
            (open + 1..chars.len())
                .find(closed)
                .map(|n| n + close.len())
        }
        Some('"') if hashes == 0 => closing(chars, open),
        // A character, not a lifetime.
        Some('\'') if hashes == 0 && !raw => {
            let escaped = chars.get(open + 1) == Some(&'\\');
            match escaped || chars.get(open + 2) == Some(&'\'') {
                true => closing(chars, open),
                false => None,
            }
        }
        _ => None,
    }
}

/// The place behind the quote that closes the one at `open`.
fn closing(chars: &[char], open: usize) -> Option<usize> {
    let mut at = open + 1;
    while at < chars.len() && chars[at] != chars[open] {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    Some(at + 1)
}

/// The end of the comment that begins at `at`, if one does. Comments in `/* */` may hold others.
pub(super) fn comment(chars: &[char], at: usize) -> Option<usize> {
    let pair = |n: usize| (chars.get(n).copied(), chars.get(n + 1).copied());
    match pair(at) {
        (Some('/'), Some('/')) => {
            let line = chars[at..].iter().take_while(|c| **c != '\n').count();
            Some(at + line)
        }
        (Some('/'), Some('*')) => {
            let (mut depth, mut n) = (0, at);
            loop {
                match pair(n) {
                    (Some('/'), Some('*')) => depth += 1,
                    (Some('*'), Some('/')) => depth -= 1,
                    (None, _) => return Some(n),
                    _ => {
                        n += 1;
                        continue;
                    }
                }
                n += 2;
                if depth == 0 {
                    return Some(n);
                }
            }
        }
        _ => None,
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < chars.len() {
        let rest = &chars[at..];
        let (end, text) = if let Some(end) = comment(&chars, at) {
            (end, None)
        } else if let Some(end) = quoted(&chars, at) {
            (end, Some("\"\"".to_string()))
        } else if rest[0].is_whitespace() {
            (at + 1, None)
        } else if is_word(rest[0]) {
            let word: String = rest.iter().take_while(|c| is_word(**c)).collect();
            (at + word.chars().count(), Some(word))
        } else {
            let ahead: String = rest.iter().take(3).collect();
            let sign = SIGNS.iter().find(|s| ahead.starts_with(**s));
            let sign = sign.map_or(rest[0].to_string(), |s| s.to_string());
            (at + sign.chars().count(), Some(sign))
        };
        let end = end.min(chars.len());
        found.extend(text.map(|text| Token { text, line }));
        line += chars[at..end].iter().filter(|c| **c == '\n').count();
        at = end;
    }
    found
}

/// What a bracket opens.
enum Opened {
    /// A function's body, with the function's name and first line, and the depth that was met so far.
    Body(String, usize, usize),
    Block,
    /// Parentheses, literals, patterns, items.
    Other,
}

/// Words whose block comes next, at the same level of brackets.
enum Header {
    Function(String, usize),
    /// `if`, `while`, `match`, `for`, and the result type of a closure; whether a pattern is being read.
    Control {
        pattern: bool,
    },
    /// `impl A for B`.
    Item,
}

#[derive(Default)]
struct Reader {
    open: Vec<Opened>,
    /// Each with how many brackets were open.
    headers: Vec<(usize, Header)>,
    found: Vec<Function>,
}

impl Reader {
    /// The header that waits for a block here.
    fn header(&mut self) -> Option<&mut Header> {
        let level = self.open.len();
        let last = self.headers.last_mut();
        last.filter(|(l, _)| *l == level).map(|(_, h)| h)
    }

    fn word(&mut self, before: &str, token: &Token, after: &str) {
        let level = self.open.len();
        let header = match token.text.as_str() {
            "fn" if after != "(" => Header::Function(after.to_string(), token.line),
            "impl" if ["", "}", ";", "]", "{", "unsafe"].contains(&before) => Header::Item,
            "if" | "while" | "match" | "->" if self.header().is_none() => {
                Header::Control { pattern: false }
            }
            "for" if after != "<" && self.header().is_none() => Header::Control { pattern: true },
            sign => {
                match (sign, self.header()) {
                    ("let", Some(Header::Control { pattern })) => *pattern = true,
                    ("=" | "in", Some(Header::Control { pattern })) if *pattern => *pattern = false,
                    // A guard has no block, a function without a body neither.
                    ("=>" | ";", Some(_)) => drop(self.headers.pop()),
                    _ => {}
                }
                return;
            }
        };
        self.headers.push((level, header));
    }

    fn opens(&mut self, before: &str) {
        let opened = match self.header() {
            Some(Header::Control { pattern: true }) => Opened::Other,
            Some(_) => match self.headers.pop() {
                Some((_, Header::Function(name, line))) => Opened::Body(name, line, 0),
                Some((_, Header::Control { .. })) => Opened::Block,
                _ => Opened::Other,
            },
            None => match before {
                "else" | "loop" | "unsafe" | "move" | "const" | "async" | "return" => Opened::Block,
                "=>" | "|" | "||" | "=" | ";" | "{" | "}" | "]" | "(" | "," => Opened::Block,
                _ => Opened::Other,
            },
        };
        let block = matches!(opened, Opened::Block);
        self.open.push(opened);
        if !block {
            return;
        }
        let mut depth = 0;
        for opened in self.open.iter_mut().rev() {
            match opened {
                Opened::Block => depth += 1,
                Opened::Other => {}
                Opened::Body(_, _, deepest) => {
                    *deepest = depth.max(*deepest);
                    break;
                }
            }
        }
    }

    fn closes(&mut self, line: usize) {
        if let Some(Opened::Body(name, first, depth)) = self.open.pop() {
            let lines = line + 1 - first;
            self.found.push(Function { name, lines, depth });
        }
        let level = self.open.len();
        self.headers.retain(|(l, _)| *l <= level);
    }
}

fn functions(text: &str) -> Vec<Function> {
    let tokens = tokens(text);
    let mut reader = Reader::default();
    let at = |n: Option<usize>| {
        n.and_then(|n| tokens.get(n))
            .map_or("", |t| t.text.as_str())
    };
    for (n, token) in tokens.iter().enumerate() {
        let (before, after) = (at(n.checked_sub(1)), at(Some(n + 1)));
        match token.text.as_str() {
            "{" if before == "(" && at(n.checked_sub(2)) == "!" => reader.open.push(Opened::Other),
            "{" => reader.opens(before),
            "(" | "[" => reader.open.push(Opened::Other),
            ")" | "]" | "}" => reader.closes(token.line),
            _ => reader.word(before, token, after),
        }
    }
    reader.found
}

/// All files of Rust of the tool, and of what it links into C programs.
fn files() -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = ["src", "runtime", "benches", "build.rs"]
        .map(|f| root().join(f))
        .into();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            open.extend(entries.map(|e| e.expect("an entry").path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(root()).expect("below the root");
    inside.to_string_lossy().into_owned()
}

#[test]
fn functions_are_short_and_flat() {
    let (mut wrong, mut tables) = (Vec::new(), Vec::new());
    for path in files() {
        let file = shown(&path);
        for Function { name, lines, depth } in functions(&read(&path)) {
            let is_table = ONE_ARM_PER_CASE.contains(&(file.as_str(), name.as_str()));
            if is_table && lines > LONGEST {
                tables.push((file.clone(), name.clone()));
            }
            if depth > DEEPEST || lines > LONGEST && !is_table {
                wrong.push(format!(
                    "{file}: `{name}` has {lines} lines, and {depth} blocks in each other"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "at most {LONGEST} lines and {DEEPEST} blocks:\n{}",
        wrong.join("\n")
    );
    for (file, name) in ONE_ARM_PER_CASE {
        let there = tables.iter().any(|(f, n)| f == file && n == name);
        assert!(there, "{file}: `{name}` is not long any more");
    }
}

/// The test's own reading, on texts where it could go wrong.
#[test]
fn functions_are_measured() {
    let measured = |text: &str| {
        let found = functions(text);
        let parts = found.into_iter().map(|f| (f.name, f.lines, f.depth));
        parts.collect::<Vec<_>>()
    };
    let one = |text: &str| measured(text)[0].2;
    assert_eq!(measured("fn a(\n) {\n}\n"), [("a".to_string(), 3, 0)]);
    assert_eq!(measured("trait T { fn a(); fn b() -> [u8; 2]; }"), []);
    let nested = measured("fn a() { if x { fn b() { loop {} } } }");
    assert_eq!(nested, [("b".to_string(), 1, 1), ("a".to_string(), 1, 1)]);
    assert_eq!(one("fn a() -> A { A { b: B { c: 1 } } }"), 0);
    assert_eq!(
        one("fn a() { if let A { b } = c && let D { e } = f { g } else { h } }"),
        1
    );
    assert_eq!(
        one("fn a() { match b { A { c } if d == e => { f } g => B { h } } }"),
        2
    );
    assert_eq!(one("fn a() { for A { b } in c.map(|d| D { d }) { e } }"), 1);
    assert_eq!(
        one("fn a() { b.map(|c| { if c.any(|d| { d }) { e } }) }"),
        2
    );
    assert_eq!(
        one("fn a() { b.map(|c| -> Vec<u8> { c }); let d: fn(u8) -> u8 = E { f }; }"),
        1
    );
    assert_eq!(
        one("fn a() { m!({ \"b\": { \"c\": 1 } }); let Some(d) = e else { return }; }"),
        1
    );
    let hidden =
        r##"fn a<'a>() { "{{{"; r#"{"{"#; b'{'; '\''; '{'; /* { /* { */ { */ 'x: loop {} } // {{"##;
    assert_eq!(one(hidden), 1);
    assert_eq!(
        one("fn a() { match matches!(b, C if d) { true => {} false => E { f } } }"),
        2
    );
    assert_eq!(
        one("impl A for B { fn a(b: impl C, d: for<'e> fn(&'e E)) where F: G { while h {} } }"),
        1
    );
}
