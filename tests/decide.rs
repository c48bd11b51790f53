//! Questions without a file: what letters they have, what is said of wrong ones, and the commands `decide` and
//! `simplify`.

use crate::algebra::dice::Dice;
use crate::random;
use coarsen::algebra::files::Text;
use coarsen::algebra::inline::{self, Question, Wrong};
use coarsen::algebra::prove::{Limits, Status, prove};
use coarsen::algebra::simplify::simplify;
use coarsen::algebra::suite::Level;
use coarsen::algebra::{egraph, library, show};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn no_file(path: &str, _: &str) -> Result<Text, String> {
    Err(format!("no file {path}"))
}

fn question<'a>(text: &'a str, given: &'a [String], tests: &'a [String]) -> Question<'a> {
    Question {
        text,
        given,
        tests,
        theory: None,
        level: None,
    }
}

/// The answer to a statement, with premises separated by `;`.
fn answer(text: &str, given: &str, tests: &[&str]) -> Status {
    let strings = |all: &[&str]| all.iter().map(|s| s.to_string()).collect::<Vec<_>>();
    let given: Vec<&str> = given.split(';').filter(|s| !s.is_empty()).collect();
    let (given, tests) = (strings(&given), strings(tests));
    let asked = question(text, &given, &tests);
    let mut suite = inline::statement(&asked, 200, &mut no_file).expect("a statement");
    let last = suite.items.len() - 1;
    prove(&mut suite, last, &Limits::default()).status
}

/// At level `demonic` `x 0` is what x does without end.
#[test]
fn a_statement_stands_at_its_level() {
    for (text, level, due) in [
        ("x 0 = 0", None, Status::Proved),
        ("x 0 = 0", Some(Level::Kleene), Status::Proved),
        ("x 0 = 0", Some(Level::Demonic), Status::Refuted),
        ("x 0 <= x", Some(Level::Demonic), Status::Proved),
        ("x # 0 = x^w", None, Status::Proved),
        (
            "x # 1 = x* + (x # 1) 0",
            Some(Level::Demonic),
            Status::Proved,
        ),
        (
            "x # 1 = x* + (x # 1) 0",
            Some(Level::Omega),
            Status::Refuted,
        ),
    ] {
        let asked = Question {
            level,
            ..question(text, &[], &[])
        };
        let mut suite = inline::statement(&asked, 200, &mut no_file).expect("a statement");
        let last = suite.items.len() - 1;
        let status = prove(&mut suite, last, &Limits::default()).status;
        assert_eq!(status, due, "{text} at {level:?}");
    }
    let low = Question {
        level: Some(Level::Semiring),
        ..question("x x* <= x*", &[], &[])
    };
    assert!(inline::statement(&low, 200, &mut no_file).is_err());
}

#[test]
fn letters_are_tests_where_they_have_to_be() {
    for (text, given, tests, due) in [
        ("x (y x)^w = (x y)^w", "", vec![], Status::Proved),
        ("x y <= y x", "", vec![], Status::Refuted),
        ("x x <= x", "", vec![], Status::Refuted),
        ("x x = x", "", vec!["x"], Status::Proved),
        ("p p = p", "p ~p = 0", vec![], Status::Proved),
        ("(x y)* <= x* y*", "y x <= x y", vec![], Status::Proved),
        ("p x* ~p = 0", "p x ~p = 0", vec![], Status::Proved),
        ("u[i] <= (+ j : u[j])", "", vec![], Status::Proved),
        (
            "i != j => p[i] u[j] <= u[j] p[i]",
            "i != j => u[j] p[i] = p[i] u[j]",
            vec![],
            Status::Proved,
        ),
        ("(. j : p[j]) <= p[i]", "", vec![], Status::Proved),
        ("x <= x T x", "", vec![], Status::Unknown),
        (
            "x // what stands behind is no part of it\n <= x + y // nor is this",
            "",
            vec![],
            Status::Proved,
        ),
    ] {
        assert_eq!(answer(text, given, &tests), due, "{text}");
    }
}

#[test]
fn what_is_wrong_is_told_of_the_part_that_was_written() {
    let none: [String; 0] = [];
    let wrong = |text: &str, given: &[&str], theory: Option<&str>| {
        let given: Vec<String> = given.iter().map(|s| s.to_string()).collect();
        let asked = Question {
            theory,
            ..question(text, &given, &none)
        };
        match inline::statement(&asked, 200, &mut no_file) {
            Ok(_) => panic!("{text} is a statement"),
            Err(Wrong::NoLetter(name)) => panic!("no letter {name}"),
            Err(Wrong::Flawed(f)) => {
                let d = &f.diagnostics[0];
                let at = f.file.text[d.span.start..d.span.end].to_string();
                (f.file.name, d.code, at)
            }
        }
    };
    let told = |name: &str, code, at: &str| (name.to_string(), code, at.to_string());
    assert_eq!(wrong("x y", &[], None).0, "<statement>");
    assert_eq!(
        wrong("x <= ) y", &[], None),
        told("<statement>", "E0403", ")")
    );
    assert_eq!(wrong("x <= y; open b : x <= y", &[], None).2, ";");
    assert_eq!(
        wrong("x <= y", &["x = y", "x (y <= y"], None).0,
        "<given 2>"
    );
    assert_eq!(wrong("x <= y by z", &[], None).0, "<statement>");
    assert_eq!(wrong("~(x T) <= y", &[], None).1, "E0409");
    assert_eq!(
        wrong("x <= y", &["i != i => u[i] <= x"], None).0,
        "<given 1>"
    );
    assert_eq!(
        wrong("(+ i : u[i]) <= x", &["(+ i : (+ i : u[i])) <= x"], None).0,
        "<given 1>"
    );
    assert_eq!(wrong("x <= y", &[], Some("klene")).0, "<theory>");
    assert_eq!(wrong("x <= y", &[], Some("none.thy")).0, "<theory>");
    assert_eq!(
        wrong("x <= y", &[], Some("a\"; open b : x <= \"")).0,
        "<theory>"
    );
    assert_eq!(wrong("u[i, j] <= y open", &[], None).0, "<statement>");
    // A test is no letter of the question, or the theory has said what it is.
    let tests = ["q".to_string()];
    for theory in [None, Some("stoller-cohen")] {
        let asked = Question {
            theory,
            ..question(
                if theory.is_some() {
                    "q x <= x"
                } else {
                    "x <= x"
                },
                &none,
                &tests,
            )
        };
        let refused = inline::statement(&asked, 200, &mut no_file);
        assert!(matches!(refused, Err(Wrong::NoLetter(name)) if name == "q"));
    }
}

#[test]
fn a_theory_gives_letters_definitions_and_hypotheses() {
    let none: [String; 0] = [];
    for (text, due) in [
        ("M[i] = v[i] u[i]*", Status::Proved),
        ("p[i] u[i] = 0", Status::Proved),
        ("q u[i] u[i] <= u[i] u[i] q", Status::Proved),
        ("u[i] p[i] = 0", Status::Unknown),
    ] {
        let asked = Question {
            theory: Some("stoller-cohen"),
            ..question(text, &none, &none)
        };
        let mut suite = inline::statement(&asked, 200, &mut no_file).expect("a statement");
        let last = suite.items.len() - 1;
        let found = prove(&mut suite, last, &Limits::default());
        let as_due =
            found.status == due || due == Status::Unknown && found.status != Status::Proved;
        assert!(as_due, "{text}: {:?}", found.why);
    }
}

/// The smaller term that was found, if one was.
fn smaller(text: &str, given: &[&str], tests: &[&str]) -> Option<String> {
    let strings = |all: &[&str]| all.iter().map(|s| s.to_string()).collect::<Vec<_>>();
    let (given, tests) = (strings(given), strings(tests));
    let asked = question(text, &given, &tests);
    let mut asked = inline::term(&asked, 200, &mut no_file).expect("a term");
    let found = simplify(
        &mut asked.suite,
        asked.term,
        asked.written,
        &Limits::default(),
    )?;
    let d = &asked.suite.development;
    // What is said is what the kernel has admitted.
    let theorem = d.theorem(found.theorem).expect("a theorem");
    assert!(theorem.statement.parts.contains(&(asked.term, found.term)));
    assert!(theorem.statement.parts.contains(&(found.term, asked.term)));
    assert!(egraph::cost(&d.terms, found.term).0 <= asked.written.max(1));
    Some(show::term(d, found.term))
}

#[test]
fn terms_become_smaller() {
    let some = |text: &str| Some(text.to_string());
    assert_eq!(smaller("(a* b*)*", &[], &[]), some("(a + b)*"));
    assert_eq!(smaller("1 + x x*", &[], &[]), some("x*"));
    assert_eq!(smaller("x* x*", &[], &[]), some("x*"));
    assert_eq!(smaller("p x q ~q", &[], &["p"]), some("0"));
    assert_eq!(smaller("(x y)* x", &[], &[]), None);
    assert_eq!(smaller("x (y x)^w", &[], &[]), some("(x y)^w"));
    assert_eq!(smaller("p x + ~p x", &[], &[]), some("x"));
    assert_eq!(smaller("(p q + ~p) x + p ~q x", &[], &[]), some("x"));
    assert_eq!(smaller("(a a + a a a)* (1 + a)", &[], &[]), some("a*"));
    assert_eq!(
        smaller("(x* y)^w + (x* y)* x^w", &[], &[]),
        some("(x + y)^w")
    );
    assert_eq!(smaller("x y x y", &[], &[]), None);
    assert_eq!(smaller("0 x + T T", &[], &[]), some("T"));
    assert_eq!(smaller("p x q", &["p x ~q = 0"], &[]), some("p x"));
    assert_eq!(smaller("x* y", &["x y = 0"], &[]), some("y"));
    assert_eq!(
        smaller("y x x y", &["x y = y x", "x x = x"], &[]),
        some("y y x")
    );
}

/// A random term with so many letters.
fn random(dice: &mut Dice, size: usize) -> String {
    if size <= 1 {
        return ["x", "y", "p", "~p", "1", "0", "T"][[0, 0, 1, 1, 2, 3, 4, 5, 6][dice.below(9)]]
            .to_string();
    }
    let left = 1 + dice.below(size - 1);
    match dice.below(8) {
        0..=2 => format!("({} + {})", random(dice, left), random(dice, size - left)),
        3..=5 => format!("{} {}", random(dice, left), random(dice, size - left)),
        6 => format!("({})*", random(dice, size - 1)),
        _ => format!("({})^w", random(dice, size - 1)),
    }
}

/// The kernel accepts what is said, and it is small: nothing is larger than what was written.
#[test]
fn random_terms_become_smaller_or_stay() {
    let mut dice = Dice::seeded(7);
    let mut found = 0;
    for n in 0..random::cases(40) as usize {
        let text = random(&mut dice, 3 + n % 5);
        let tests = if text.contains('p') {
            vec!["p"]
        } else {
            vec![]
        };
        found += usize::from(smaller(&text, &[], &tests).is_some());
    }
    assert!(random::enough(found, 10), "only {found}");
}

/// Answer, output and messages of the command.
fn coarsen(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args(arguments)
        .output()
        .expect("started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("ended");
    (code, text(output.stdout), text(output.stderr))
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("decide");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn exit_codes_tell_the_answers() {
    for (arguments, due) in [
        (vec!["decide", "x (y x)^w = (x y)^w"], 0),
        (vec!["decide", "x y <= y x"], 10),
        (vec!["decide", "x <= x T x"], 20),
        (vec!["decide", "x <= ) y"], 3),
        (vec!["decide", "x <= y", "--given", "x <= ("], 3),
        (vec!["decide", "x <= y", "--given", "x <= y"], 0),
        (vec!["decide", "p p = p", "--tests", "p"], 0),
        (vec!["decide", "p q = q p", "--tests", "p,q"], 0),
        (vec!["decide", "p p = p", "--tests", "q"], 2),
        (vec!["decide"], 2),
        (vec!["decide", "x <= y", "--theory", "nowhere"], 3),
        (
            vec!["decide", "p[i] u[i] = 0", "--theory", "stoller-cohen"],
            0,
        ),
        (vec!["simplify", "(a* b*)*"], 0),
        (vec!["simplify", "(x y)* x"], 0),
        (vec!["simplify", "x <= y"], 3),
        (vec!["simplify", "p", "--tests", "q"], 2),
    ] {
        let (code, out, err) = coarsen(&arguments);
        assert_eq!(code, due, "{arguments:?}: {out}{err}");
    }
    let (_, out, _) = coarsen(&["decide", "x  y <= y x"]);
    assert!(out.starts_with("refuted  x y <= y x  (refuter"), "{out}");
    assert!(!out.contains("declared"), "{out}");
    assert!(
        out.contains("is in the left side, not in the right"),
        "{out}"
    );
    let (_, _, err) = coarsen(&["decide", "x <= ) y"]);
    assert!(err.contains("<statement>:1:6"), "{err}");
    let (_, out, _) = coarsen(&["simplify", "(a* b*)*"]);
    assert!(out.starts_with("(a* b*)* = (a + b)*\n"), "{out}");
    let (_, out, _) = coarsen(&["simplify", "(x y)* x"]);
    assert!(out.contains("nothing smaller was found"), "{out}");
}

#[test]
fn the_proof_of_an_answer_is_verified() {
    let file = folder().join("answer.cert").to_string_lossy().into_owned();
    let _ = std::fs::remove_file(&file);
    let (code, _, err) = coarsen(&["decide", "x <= y x", "--certificate", &file]);
    assert_eq!(code, 10, "{err}");
    assert!(!Path::new(&file).exists());
    let given = ["--given", "y x <= x y", "--certificate", &file];
    let (code, out, err) = coarsen(&[&["decide", "(x + y)* = x* y*"], &given[..]].concat());
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = coarsen(&["verify", &file]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("if y x <= x y"), "{out}");
    let nowhere = folder()
        .join("none/answer.cert")
        .to_string_lossy()
        .into_owned();
    let (code, _, _) = coarsen(&["decide", "x <= x", "--certificate", &nowhere]);
    assert_eq!(code, 1);
}

#[test]
fn the_json_forms_are_described() {
    let object = |arguments: &[&str]| {
        let (_, out, err) = coarsen(&[arguments, &["--format", "json"]].concat());
        let list: serde_json::Value =
            serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
        let list = list.as_array().expect("a list").clone();
        assert_eq!(list.len(), 1);
        list[0].clone()
    };
    let answer = object(&["decide", "x y <= y x"]);
    assert_eq!(answer["status"], "refuted");
    assert_eq!(answer["name"], "x y <= y x");
    assert_eq!(answer["declared"], "proved");
    let fault = object(&["decide", "x <= ("]);
    assert_eq!(fault["status"], "error");
    assert_eq!(fault["file"], "<statement>");
    let smaller = object(&["simplify", "(a* b*)*"]);
    assert_eq!(smaller["result"], "(a + b)*");
    assert_eq!(smaller["symbols"], 5);
    assert_eq!(smaller["result_symbols"], 4);
    assert_eq!(
        object(&["simplify", "x y"])["result"],
        serde_json::Value::Null
    );
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../docs/schema/simplify.schema.json")).expect("JSON");
    let described = schema["$defs"]["simplification"]["properties"].as_object();
    let described: BTreeSet<&String> = described.expect("properties").keys().collect();
    let found: BTreeSet<&String> = smaller.as_object().expect("an object").keys().collect();
    assert_eq!(described, found);
    let manual = include_str!("../docs/json.md");
    let section = manual
        .split_once("## simplification\n")
        .expect("a section")
        .1;
    let section = section.split("\n## ").next().unwrap_or_default();
    for field in found {
        assert!(section.contains(&format!("| `{field}` |")), "{field}");
    }
}

#[test]
fn questions_may_use_every_shipped_file() {
    let none: [String; 0] = [];
    for (name, _, _) in library() {
        let asked = Question {
            theory: Some(name),
            ..question("new_letter <= new_letter", &none, &none)
        };
        assert!(
            inline::statement(&asked, 200, &mut no_file).is_ok(),
            "{name}"
        );
    }
}

/// What comes from other notations is told with how it is written here.
#[test]
fn other_notations_are_known() {
    for (text, said) in [
        ("x == y", "one `=`"),
        ("x < y", "`<=`"),
        ("x =< y", "`<=`"),
        ("x ≤ y", "`<=`"),
        ("!p x = x", "`~p`"),
        ("¬p x = x", "`~p`"),
        ("x; y = x", "has no sign"),
        ("p & q = q p", "`p q`"),
        ("p && q = q p", "`p q`"),
        ("p /\\ q = q p", "`p q`"),
        ("x | y = y", "`x + y`"),
        ("x || y = y", "`x + y`"),
        ("x ∪ y = y", "`x + y`"),
        ("p => q", "brackets"),
        ("p -> q", "brackets"),
        ("x^* = x", "`x*`"),
        ("x^+ = x", "`x x*`"),
        ("x^2 = x", "written out"),
        ("x' = x", "converse"),
    ] {
        let asked = question(text, &[], &[]);
        let Err(Wrong::Flawed(flawed)) = inline::statement(&asked, 200, &mut no_file) else {
            panic!("{text}: read");
        };
        let told = &flawed.diagnostics[0].help;
        assert!(told.contains(said), "{text}: {told}");
    }
    // What begins as a condition on processes, and is none.
    assert_eq!(
        answer("x (+ k != j : u[k]) <= x T", "", &[]),
        Status::Proved
    );
    assert_eq!(
        answer("x = x", "((+ k != i : u[k])) <= x", &[]),
        Status::Proved
    );
}

/// What the e-graph knows to be equal is proved to be.
#[test]
fn classes_of_the_e_graph_are_true() {
    let mut others = 0;
    for (text, given) in [
        ("(a* b*)* p + ~p", ""),
        ("(x y)* x + y^w", ""),
        ("p x q y", "p x ~q = 0"),
        ("x (y z + w)", "y z = x"),
    ] {
        let premises: Vec<String> = [given]
            .iter()
            .filter(|g| !g.is_empty())
            .map(|g| g.to_string())
            .collect();
        let asked = question(text, &premises, &[]);
        let mut asked = inline::term(&asked, 200, &mut no_file).expect("a term");
        let classes =
            coarsen::algebra::simplify::classes(&mut asked.suite, asked.term, &Limits::default());
        assert!(classes.len() > 2, "{text}");
        for class in &classes {
            assert!(class.parts.iter().all(|p| *p < classes.len()));
            for other in &class.others {
                others += 1;
                let said = format!("{} = {other}", class.least);
                let letters = ["p", "q"].into_iter().filter(|p| said.contains(p));
                let tests: Vec<&str> = letters.collect();
                assert_eq!(answer(&said, given, &tests), Status::Proved, "{said}");
            }
        }
        let dot = coarsen::report::classes::dot(&classes);
        assert_eq!(dot.matches("[label=").count(), classes.len());
    }
    assert!(others > 3, "{others}");
}
