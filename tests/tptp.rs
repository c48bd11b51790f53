//! Problems in TPTP's form: what is read, what is answered, and that no answer is wrong.
//!
//! `tests/tptp/*.p` say their status, and the answer where it is another (`% Answer`). `tests/tptp/bad/*.p` give the
//! diagnostics beside them (`.out`; `UPDATE=1` writes them anew). Random formulas are answered, and evaluated in the
//! algebras of `naive`.

mod laws;
mod naive;
mod random;

use crate::missing;

use coarsen::algebra::files::{Flawed, Text};
use coarsen::algebra::prove::{Limits, Status};
use coarsen::algebra::tptp::text::TPTP_CODES;
use coarsen::algebra::tptp::{Problem, Solution, Szs, load, solve};
use coarsen::base::control::Control;
use coarsen::base::diagnostic::{Position, position};
use naive::algebras;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const DEPTH: usize = 256;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tptp")
}

/// Files of a folder that end with `.p`, in order.
fn problems(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut all: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == "p"));
    all.sort();
    assert!(!all.is_empty());
    all
}

/// Finds includes beside a file and in the folders above it.
fn beside(path: &str, from: &str) -> Result<Text, String> {
    let mut places = Path::new(from).ancestors().skip(1).map(|f| f.join(path));
    let file = places
        .find(|f| f.is_file())
        .ok_or("there is no such file")?;
    let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
    let name = file.display().to_string();
    Ok(Text { name, text })
}

fn read(name: &str, text: &str) -> Result<Problem, Box<Flawed>> {
    let file = Text {
        name: name.to_string(),
        text: text.to_string(),
    };
    load(file, DEPTH, &mut beside)
}

fn answer(problem: &Problem) -> Solution {
    solve(problem, &Limits::default(), &Control::default()).expect("not stopped")
}

/// A problem that includes the shipped files of axioms named, and has this text besides.
fn stated(axioms: &str, text: &str) -> Problem {
    let mut whole = String::new();
    for name in axioms.split_whitespace() {
        let _ = writeln!(whole, "include('Axioms/{name}.ax').");
    }
    whole += text;
    let name = folder().join("stated.p").display().to_string();
    match read(&name, &whole) {
        Ok(problem) => problem,
        Err(flawed) => panic!("{whole}\n{:?}", flawed.diagnostics),
    }
}

fn szs(axioms: &str, text: &str) -> Szs {
    answer(&stated(axioms, text)).szs
}

/// The word behind `% Name :` of a problem.
fn said<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let line = text
        .lines()
        .find_map(|l| l.strip_prefix('%')?.trim().strip_prefix(name));
    line?
        .trim_start()
        .strip_prefix(':')?
        .split_whitespace()
        .next()
}

/// What was proved is a certificate that the kernel accepts.
fn is_certified(problem: &Problem, solution: &Solution) {
    let proved = solution.parts.iter().filter(|p| p.status == Status::Proved);
    let text = coarsen::kernel::write(&solution.development);
    let again = coarsen::kernel::read(&text).expect("a certificate");
    assert_eq!(again.theorems().len(), proved.count(), "{}", problem.name);
}

#[test]
fn shipped_problems_have_their_status() {
    for path in problems(&folder()) {
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.display().to_string();
        let problem = read(&name, &text).unwrap_or_else(|f| panic!("{name}: {:?}", f.diagnostics));
        let status = said(&text, "Status");
        assert_eq!(problem.declared.as_deref(), status, "{name}");
        let solution = answer(&problem);
        let expected = said(&text, "Answer").or(status);
        assert_eq!(
            Some(solution.szs.name()),
            expected,
            "{name}: {}",
            solution.reason
        );
        assert_eq!(
            solution.reason.is_empty(),
            solution.szs != Szs::GaveUp,
            "{name}"
        );
        is_certified(&problem, &solution);
    }
}

/// The problems of the TPTP are not shipped.
#[test]
fn problems_of_the_tptp_have_their_status() {
    let Some(folder) = missing::shared("suites/tptp/Problems/KLE") else {
        return;
    };
    let mut open = Vec::new();
    let all = problems(&folder);
    for path in &all {
        let text = std::fs::read_to_string(path).expect("a text");
        let problem = read(&path.display().to_string(), &text).expect("no errors");
        let solution = answer(&problem);
        match (solution.szs, said(&text, "Status")) {
            (Szs::GaveUp, _) => open.push(problem.name.clone()),
            (szs, status) => assert_eq!(Some(szs.name()), status, "{}", problem.name),
        }
        is_certified(&problem, &solution);
    }
    assert!(open.is_empty(), "{open:?} of {}", all.len());
}

#[test]
fn connectives_mean_what_they_mean() {
    let bits = &algebras()[1];
    let atom = |value: bool| if value { "zero = zero" } else { "zero = one" };
    for (text, holds) in [
        ("A & B", [false, false, false, true]),
        ("A | B", [false, true, true, true]),
        ("A => B", [true, true, false, true]),
        ("A <= B", [true, false, true, true]),
        ("A <=> B", [true, false, false, true]),
        ("A <~> B", [false, true, true, false]),
        ("A ~| B", [true, false, false, false]),
        ("A ~& B", [true, true, true, false]),
        ("~ A & B", [false, true, false, false]),
        ("~ ( A & B ) & $true", [true, true, true, false]),
        ("( A | $false ) & ~ ~ B", [false, false, false, true]),
        ("A & ! [X] : B", [false, false, false, true]),
        ("( ? [X] : ( A | B ) ) & B", [false, true, false, true]),
    ] {
        for (n, expected) in holds.into_iter().enumerate() {
            let (a, b) = (atom(n & 2 != 0), atom(n & 1 != 0));
            let text = text.replace('A', &format!("( {a} )")).replace('B', b);
            let text = format!("fof(goal, conjecture, {text} ).");
            let problem = stated("", &text);
            assert_eq!(
                bits.satisfies(&problem.formulas[0].formula, &[]),
                expected,
                "{text}"
            );
        }
    }
}

#[test]
fn faulty_problems_give_their_diagnostics() {
    let mut wrong = String::new();
    let mut met = BTreeSet::new();
    for path in problems(&folder().join("bad")) {
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy();
        let flawed = match read(&path.display().to_string(), &text) {
            Ok(_) => panic!("{name} has no errors"),
            Err(flawed) => flawed,
        };
        let mut actual = String::new();
        for d in &flawed.diagnostics {
            let place = |offset| {
                let Position { line, column } = position(&flawed.file.text, offset);
                format!("{line}:{column}")
            };
            let (from, to) = (place(d.span.start), place(d.span.end));
            let around = format!("{}/", folder().join("bad").display());
            let message = d.message.replace(&around, "");
            let file = Path::new(&flawed.file.name).file_name().unwrap_or_default();
            let file = file.to_string_lossy();
            let _ = writeln!(
                actual,
                "{file}:{from}-{to} {} {}\n  expected: {}\n  help: {}",
                d.code, message, d.expected, d.help
            );
            met.insert(d.code);
        }
        let beside = path.with_extension("p.out");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&beside, &actual).expect("written");
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        if expected != actual {
            let _ = write!(wrong, "{name}:\n-- expected\n{expected}-- actual\n{actual}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let missing = TPTP_CODES.iter().filter(|c| !met.contains(c.code));
    let missing: Vec<&str> = missing.map(|c| c.code).collect();
    assert!(missing.is_empty(), "no faulty file for {missing:?}");
}

/// The examples in the explanations of codes.
#[test]
fn explanations_are_true() {
    for code in TPTP_CODES {
        let Some((_, examples)) = code.text.split_once("wrong: ") else {
            continue;
        };
        let (wrong, right) = examples.split_once("      right: ").expect("two examples");
        match read("a.p", wrong) {
            Ok(_) => panic!("{}: {wrong}", code.code),
            Err(flawed) => assert_eq!(flawed.diagnostics[0].code, code.code, "{wrong}"),
        }
        assert!(read("a.p", right).is_ok(), "{}: {right}", code.code);
    }
}

#[test]
fn includes_take_what_is_asked_for() {
    let names = |text: &str| -> Vec<String> {
        let problem = stated("", text);
        problem.formulas.into_iter().map(|f| f.name).collect()
    };
    assert_eq!(
        names("include('Axioms/de_morgan.ax')."),
        ["not_or", "not_and"]
    );
    assert_eq!(
        names("include('Axioms/de_morgan.ax', [not_and])."),
        ["not_and"]
    );
    assert_eq!(
        names("include('Axioms/de_morgan.ax', all)."),
        ["not_or", "not_and"]
    );
    assert!(names("include('Axioms/de_morgan.ax', []).").is_empty());
    let mixed = "include('Axioms/tests.ax', [a_test]).\nfof(b, axiom, $true).";
    assert_eq!(names(mixed), ["a_test", "b"]);
}

/// Nesting is bounded, chains are not; terms that are too deep for the prover are no answer.
#[test]
fn deep_and_long_problems_are_refused_or_answered() {
    let deep = |n: usize| format!("{}one{}", "star(addition(a,".repeat(n), "))".repeat(n));
    let nested = format!("fof(a, conjecture, leq({}, one)).", deep(200));
    assert!(matches!(read("a.p", &nested), Err(flawed) if flawed.diagnostics[0].code == "E0506"));
    let long = ["leq(zero,one)"; 5_000].join(" & ");
    let long = format!("fof(a, conjecture, ( {long} ) => leq(zero,one)).");
    assert_eq!(szs("semiring", &long), Szs::Theorem);
    let cases = "( leq(a,b) | leq(b,a) )";
    let cases = [cases; 12].join(" & ");
    let many = format!("fof(a, conjecture, ( {cases} ) => leq(zero,one) ).");
    assert_eq!(szs("semiring", &many), Szs::GaveUp);
    let splits: Vec<String> = (0..10).map(|n| format!("leq(c(x{n}),one)")).collect();
    let many = format!("fof(a, conjecture, {} ).", splits.join(" | "));
    assert!(matches!(
        szs("semiring tests", &many),
        Szs::GaveUp | Szs::Theorem
    ));
}
