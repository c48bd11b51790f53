//! The manual, executed: every fenced block of README.md and docs/*.md that shows a model or a command.
//!
//! | block | what the test does |
//! | --- | --- |
//! | `cor` | loads and cross-checks the model; every `expect` line is met, and there is one |
//! | `cor file=NAME` | the same, but `expect` lines may be missing; the page's commands find it as NAME |
//! | `cor error=CODE` | the model has this error, and none with another code (`warning=CODE` likewise) |
//! | `cor fragment=statements` | puts the text into a thread of [`AROUND`], then as above |
//! | `cor fragment=declarations` | puts the text before a thread that does nothing, then as above |
//! | `thy` | elaborates the file; with `error=CODE` it has that error and no other; `file=NAME` as above |
//! | `tptp file=NAME` | reads the problem; the page's commands find it as NAME |
//! | `console` | runs each `$ coarsen ..` and compares what the terminal would show, and the exit code |
//!
//! In a `console` block, `? 10` behind a command is its exit code (0 if there is none), and `...` stands for any lines.
//! Commands run in a scratch directory of their page, with copies of `models/`, `theories/`, `proofs/` and the axioms
//! of `tests/tptp/`. Seconds are written as 0.000. `UPDATE=1 cargo test --test all manual` writes the real output into
//! the pages; what was elided is elided again where it can be found (a part between two `...` by its first line).

use coarsen::algebra::files::{Text, load_suite};
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::{Diagnostic, Severity};
use coarsen::{CheckOptions, Session, theory};
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What stands around a fragment of statements: a name for everything they may use.
const AROUND: (&str, &str) = (
    "const N = 2;
     enum color { red, green, blue }
     mutex m; mutex locks[N];
     var x: 0..7 = 0; var y: 0..7 = 0; var w: mod 4 = 0; var a[N]: 0..7 = 0; var b: bool = false; var c: color = red;
     thread worker(i in 0..N-1) { var t: 0..7 = 0;\n",
    "\n} thread observer { skip; }",
);

/// A test for each page.
macro_rules! pages {
    ($($test:ident $file:literal)*) => {
        const PAGES: &[&str] = &[$($file),*];
        $(
            #[test]
            fn $test() {
                is_true($file);
            }
        )*
    };
}

pages! {
    readme "README.md"
    algebra "docs/algebra.md"
    c_programs "docs/c-programs.md"
    certificates "docs/certificates.md"
    command_line "docs/command-line.md"
    distributed "docs/distributed.md"
    dve "docs/dve.md"
    editors "docs/editors.md"
    glossary "docs/glossary.md"
    inference "docs/inference.md"
    json "docs/json.md"
    language "docs/language.md"
    performance "docs/performance.md"
    por "docs/por.md"
    proof_format "docs/proof-format.md"
    reachability "docs/reachability.md"
    soundness "docs/soundness.md"
    terms "docs/terms.md"
    testing "docs/testing.md"
    theorems "docs/theorems.md"
    tptp "docs/tptp.md"
    transactions "docs/transactions.md"
    tutorial "docs/tutorial.md"
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every page has its test, and there is much to run on them.
#[test]
fn no_page_is_left_out() {
    let entries = fs::read_dir(root().join("docs")).expect("docs");
    let names = entries.map(|e| format!("docs/{}", e.expect("entry").file_name().display()));
    let mut pages: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    // The table of contents of the book (`tests/book.rs`).
    pages.retain(|name| !name.ends_with("SUMMARY.md"));
    pages.push("README.md".to_string());
    pages.sort();
    assert_eq!(pages, PAGES, "the pages, and those with a test");
    let text = |name: &str| fs::read_to_string(root().join(name)).expect("page");
    let blocks: usize = PAGES.iter().map(|name| blocks(&text(name))).sum();
    assert!(blocks > 100, "only {blocks} blocks are run");
}

/// How many blocks of a page are to be run.
fn blocks(text: &str) -> usize {
    let run = |l: &str| {
        let info = l.strip_prefix("```").unwrap_or_default();
        ["cor", "thy", "tptp", "console"].contains(&info.split(' ').next().unwrap_or_default())
    };
    text.lines().filter(|l| run(l)).count()
}

fn is_true(name: &str) {
    let path = root().join(name);
    let text = fs::read_to_string(&path).expect("page");
    let mut page = Page::new(&path, root());
    let updated = page.run(&text);
    if std::env::var_os("UPDATE").is_some() && updated != text {
        fs::write(&path, updated).expect("written");
    }
    let Page { wrong, run, .. } = page;
    assert!(
        wrong.is_empty(),
        "{wrong}UPDATE=1 accepts the outputs of commands"
    );
    assert_eq!(run, blocks(&text), "blocks that were run");
}

/// A page of the manual while it is run.
struct Page {
    name: String,
    scratch: PathBuf,
    wrong: String,
    run: usize,
}

impl Page {
    fn new(path: &Path, root: &Path) -> Page {
        let name = path
            .file_name()
            .expect("name")
            .to_string_lossy()
            .into_owned();
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("manual")
            .join(&name);
        let _ = fs::remove_dir_all(&scratch);
        for folder in ["models", "theories", "proofs"] {
            copy(&root.join(folder), &scratch.join(folder));
        }
        copy(&root.join("tests/tptp/Axioms"), &scratch.join("Axioms"));
        Page {
            name,
            scratch,
            wrong: String::new(),
            run: 0,
        }
    }

    /// Runs the blocks of a page; the result is the page with the outputs that were found.
    fn run(&mut self, text: &str) -> String {
        let mut updated = String::new();
        let mut lines = text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            let _ = writeln!(updated, "{line}");
            let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else {
                continue;
            };
            let body: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| *line != "```")
                .collect();
            let place = format!("{}:{}", self.name, number + 1);
            let mut words = info.split_whitespace();
            let body = match words.next() {
                Some("cor") => {
                    self.model(&place, &words.collect::<Vec<_>>(), &body.join("\n"));
                    body.join("\n")
                }
                Some("thy") => {
                    self.theory(&place, &words.collect::<Vec<_>>(), &body.join("\n"));
                    body.join("\n")
                }
                Some("tptp") => {
                    self.problem(&place, words.next().unwrap_or_default(), &body.join("\n"));
                    body.join("\n")
                }
                Some("console") => self.console(&place, &body),
                _ => body.join("\n"),
            };
            let _ = writeln!(updated, "{body}\n```");
        }
        updated
    }

    fn complain(&mut self, place: &str, what: impl std::fmt::Display) {
        let _ = writeln!(self.wrong, "{place}: {what}\n");
    }

    fn model(&mut self, place: &str, options: &[&str], text: &str) {
        self.run += 1;
        let option = |name: &str| {
            let value = |o: &&str| o.strip_prefix(name)?.strip_prefix('=').map(str::to_string);
            options.iter().find_map(value)
        };
        let source = match option("fragment").as_deref() {
            None => text.to_string(),
            Some("declarations") => format!("{text}\nthread observer {{ skip; }}"),
            Some("statements") => format!("{}{text}{}", AROUND.0, AROUND.1),
            Some(other) => panic!("{place}: no fragment {other}"),
        };
        if let Some(file) = option("file") {
            fs::write(self.scratch.join(file), format!("{text}\n")).expect("written");
        }
        let (session, found) = match Session::load(place, &source, &[], ParseLimits::default()) {
            Ok((session, warnings)) => (Some(session), warnings),
            Err(errors) => (None, errors),
        };
        let wanted: Vec<String> = option("error").or(option("warning")).into_iter().collect();
        let codes = |d: &[Diagnostic]| {
            let mut codes: Vec<String> = d.iter().map(|d| d.code.to_string()).collect();
            codes.dedup();
            codes
        };
        let errors = found
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .count();
        if codes(&found) != wanted || (errors > 0) != option("error").is_some() {
            let found: Vec<String> = found
                .iter()
                .map(|d| format!("{} {}", d.code, d.message))
                .collect();
            return self.complain(place, format!("wanted {wanted:?}, found {found:#?}"));
        }
        let whole = option("fragment").is_none();
        if let Some(session) = session.filter(|_| whole) {
            self.expectations(place, &session, option("file").is_some());
        }
    }

    fn theory(&mut self, place: &str, options: &[&str], text: &str) {
        self.run += 1;
        let option = |name: &str| {
            let value = |o: &&str| o.strip_prefix(name)?.strip_prefix('=').map(str::to_string);
            options.iter().find_map(value)
        };
        let file = Text {
            name: option("file").unwrap_or("page.thy".to_string()),
            text: format!("{text}\n"),
        };
        if option("file").is_some() {
            fs::write(self.scratch.join(&file.name), &file.text).expect("written");
        }
        let scratch = self.scratch.clone();
        let mut load = |path: &str, _: &str| match fs::read_to_string(scratch.join(path)) {
            Ok(text) => Ok(Text {
                name: path.to_string(),
                text,
            }),
            Err(error) => Err(error.to_string()),
        };
        let mut found: Vec<String> = match load_suite(file, 2000, &mut load) {
            Ok(_) => Vec::new(),
            Err(flawed) => flawed
                .diagnostics
                .iter()
                .map(|d| d.code.to_string())
                .collect(),
        };
        found.dedup();
        let wanted: Vec<String> = option("error").into_iter().collect();
        if found != wanted {
            self.complain(place, format!("wanted {wanted:?}, found {found:?}"));
        }
    }

    fn problem(&mut self, place: &str, option: &str, text: &str) {
        self.run += 1;
        let name = option.strip_prefix("file=").unwrap_or("page.p");
        let file = Text {
            name: name.to_string(),
            text: format!("{text}\n"),
        };
        fs::write(self.scratch.join(name), &file.text).expect("written");
        let scratch = self.scratch.clone();
        let mut load = |path: &str, _: &str| match fs::read_to_string(scratch.join(path)) {
            Ok(text) => Ok(Text {
                name: path.to_string(),
                text,
            }),
            Err(error) => Err(error.to_string()),
        };
        if let Err(flawed) = coarsen::algebra::tptp::load(file, 2000, &mut load) {
            self.complain(place, format!("{:?}", flawed.diagnostics));
        }
    }

    fn expectations(&mut self, place: &str, session: &Session, optional: bool) {
        let theory = theory("stoller-cohen").expect("shipped");
        let options = CheckOptions {
            cross_check: true,
            ..CheckOptions::thorough()
        };
        let report = session.check(&theory, &options, &Control::default());
        if report.is_contradicted() {
            self.complain(place, format!("evidence rejected: {}", report.reason));
        }
        if report.expectations.is_empty() && !optional {
            self.complain(place, "no `expect` line");
        }
        for e in report.expectations.iter().filter(|e| e.met != Some(true)) {
            self.complain(
                place,
                format!("{}: found {} ({})", e.text, e.found, report.reason),
            );
        }
    }

    /// Runs the commands of a block; the result is the block with the outputs that were found.
    fn console(&mut self, place: &str, body: &[&str]) -> String {
        self.run += 1;
        let mut shown = Vec::new();
        let mut rest = body;
        while let Some((line, behind)) = rest.split_first() {
            let command = line
                .strip_prefix("$ ")
                .unwrap_or_else(|| panic!("{place}: no command: {line}"));
            let end = behind
                .iter()
                .position(|l| l.starts_with("$ "))
                .unwrap_or(behind.len());
            let (mut expected, after) = behind.split_at(end);
            rest = after;
            let mut wanted = "0";
            if let Some((first, output)) = expected.split_first()
                && let Some(code) = first.strip_prefix("? ")
            {
                (wanted, expected) = (code, output);
            }
            let (code, output) = self.command(place, command);
            let found: Vec<&str> = output.lines().collect();
            shown.push(line.to_string());
            if code != "0" {
                shown.push(format!("? {code}"));
            }
            if code == wanted && matches(expected, &found) {
                shown.extend(expected.iter().map(ToString::to_string));
            } else {
                shown.extend(elided(expected, &found));
                let what = format!("$ {command}\nexit code {code}, expected {wanted}\n{output}");
                self.complain(place, what);
            }
        }
        shown.join("\n")
    }

    /// Exit code and output of a command, standard output and standard error as they come.
    fn command(&self, place: &str, line: &str) -> (String, String) {
        let line = line
            .strip_prefix("cargo run --release -- ")
            .map_or(line.to_string(), |a| format!("coarsen {a}"));
        let words = words(&line);
        assert_eq!(words[0], "coarsen", "{place}: only coarsen is run");
        let log = self.scratch.join("output");
        let file = File::create(&log).expect("created");
        let status = Command::new(env!("CARGO_BIN_EXE_coarsen"))
            .args(&words[1..])
            .current_dir(&self.scratch)
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("cloned"))
            .stderr(file)
            .status()
            .expect("started");
        let code = status.code().map_or("none".to_string(), |c| c.to_string());
        (code, timeless(&fs::read_to_string(log).expect("output")))
    }
}

/// Seconds differ from run to run: `(.., 0.012 s)`, `"time":0.012` and `time   0.012 s` become 0.000.
fn timeless(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let mut line = line.to_string();
        if let Some((before, after)) = line.split_once(" s)") {
            let start = before.rfind([' ', '(']).map_or(0, |n| n + 1);
            line = format!("{}0.000 s){after}", &before[..start]);
        } else if let Some(before) = line.strip_suffix(" s\n")
            && let Some((start, number)) = before.rsplit_once("  ")
            && number.contains('.')
            && number.parse::<f64>().is_ok()
        {
            line = format!("{start}  0.000 s\n");
        }
        // In the middle of a line: with three decimals, as all commands write them.
        let parts: Vec<&str> = line.split(" s ").collect();
        if let Some((last, others)) = parts.split_last() {
            let mut timed = String::new();
            for part in others {
                let start = part.rfind(' ').map_or(0, |n| n + 1);
                let (words, number) = part.split_at(start);
                let decimals = number.split_once('.').map_or(0, |(_, d)| d.len());
                let is_time = decimals == 3 && number.parse::<f64>().is_ok();
                timed += words;
                timed += if is_time { "0.000" } else { number };
                timed += " s ";
            }
            line = timed + last;
        }
        if let Some((before, after)) = line.split_once("\"time\":")
            && after.starts_with(|c: char| c.is_ascii_digit())
        {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || ".e-".contains(c));
            line = format!("{before}\"time\":0.000{rest}");
        }
        out += &line;
    }
    out
}

/// Whether lines match a pattern in which `...` stands for any number of lines.
fn matches(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((&"...", rest)) => (0..=lines.len()).any(|n| matches(rest, &lines[n..])),
        Some((first, rest)) => lines.first() == Some(first) && matches(rest, &lines[1..]),
    }
}

/// New output for a pattern that no longer matches: elided as before where the places can be found again.
fn elided(pattern: &[&str], lines: &[&str]) -> Vec<String> {
    let all = || lines.iter().map(ToString::to_string).collect();
    let parts: Vec<&[&str]> = pattern.split(|l| *l == "...").collect();
    let (mut shown, mut at) = (Vec::new(), 0);
    for (n, part) in parts.iter().enumerate() {
        let from = match (n, part.first()) {
            (0, _) => 0,
            (_, None) => at,
            _ if n + 1 == parts.len() => lines.len().saturating_sub(part.len()),
            (_, Some(first)) => match lines.iter().position(|l| l == first) {
                Some(from) => from,
                None => return all(),
            },
        };
        let to = from + part.len();
        if n + 1 == parts.len() && n == 0 || from < at || to > lines.len() {
            return all();
        }
        if n > 0 {
            shown.push("...".to_string());
        }
        shown.extend(lines[from..to].iter().map(ToString::to_string));
        at = to;
    }
    shown
}

/// The words of a command line; `'..'` quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut begun) = (String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => (quoted, begun) = (!quoted, true),
            ' ' if !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("directory");
    for entry in fs::read_dir(from).expect("directory") {
        let entry = entry.expect("entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("copied");
        }
    }
}

#[test]
fn seconds_are_written_as_zero() {
    for (line, wanted) in [
        ("  time        12.345 s\n", "  time        0.000 s\n"),
        (
            "proved  a  (omega, 0.1 s)\n",
            "proved  a  (omega, 0.000 s)\n",
        ),
        ("{\"time\":1e-5}\n", "{\"time\":0.000}\n"),
        ("{\"time\":null}\n", "{\"time\":null}\n"),
        ("  waits for b s\n", "  waits for b s\n"),
        ("  a  0.012 s  5 kB\n", "  a  0.000 s  5 kB\n"),
        ("  a 0.5 s b s \n", "  a 0.5 s b s \n"),
    ] {
        assert_eq!(timeless(line), wanted);
    }
}

#[test]
fn elisions_match_any_lines() {
    for (pattern, lines, wanted) in [
        (vec!["a"], vec!["a"], true),
        (vec!["a", "..."], vec!["a"], true),
        (vec!["a", "...", "d"], vec!["a", "b", "c", "d"], true),
        (vec!["a", "...", "d"], vec!["a", "b"], false),
        (vec![], vec!["a"], false),
    ] {
        assert_eq!(matches(&pattern, &lines), wanted, "{pattern:?} {lines:?}");
    }
    for (pattern, lines, wanted) in [
        (vec!["a"], vec!["b", "c"], vec!["b", "c"]),
        (vec!["a", "..."], vec!["b", "c"], vec!["b", "..."]),
        (vec!["...", "a"], vec!["b", "c"], vec!["...", "c"]),
        (
            vec!["...", "b", "x", "..."],
            vec!["a", "b", "c", "d"],
            vec!["...", "b", "c", "..."],
        ),
        (vec!["...", "x", "..."], vec!["a", "b"], vec!["a", "b"]),
    ] {
        assert_eq!(elided(&pattern, &lines), wanted, "{pattern:?} {lines:?}");
    }
    assert_eq!(
        words("coarsen eval m 'a b'  ''"),
        ["coarsen", "eval", "m", "a b", ""]
    );
}
