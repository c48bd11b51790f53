//! Problems in TPTP's form: what is read, what is answered, and that no answer is wrong.
//!
//! `tests/tptp/*.p` say their status, and the answer where it is another (`% Answer`). `tests/tptp/bad/*.p` give the diagnostics beside them
//! (`.out`; `UPDATE=1` writes them anew). Random formulas are answered, and evaluated in the algebras of `naive`.

mod naive;

use coarsen::algebra::prove::{Limits, Status};
use coarsen::algebra::suite::Suite;
use coarsen::control::Control;
use coarsen::suites::{Flawed, Text, load_suite};
use coarsen::syntax::diagnostic::line_column;
use coarsen::syntax::tptp::{Formula, Item, Numbers, TPTP_CODES, parse_problem};
use coarsen::tptp::{Problem, Solution, Szs, load, solve};
use naive::{Algebra, algebras};
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/suites/tptp/Problems/KLE");
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
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

/// Every formula of a file of axioms, by name.
fn axioms(name: &str) -> Vec<(String, Formula)> {
    let text = std::fs::read_to_string(folder().join(format!("Axioms/{name}.ax"))).expect("axioms");
    let items = parse_problem(&text, DEPTH, &mut Numbers::default()).expect("no errors");
    let formula = |item| match item {
        Item::Formula(f) => (f.name, f.formula),
        Item::Include(i) => panic!("{i:?}"),
    };
    items.into_iter().map(formula).collect()
}

/// The text of a file of axioms, one string a formula.
fn axiom_texts(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder().join(format!("Axioms/{name}.ax"))).expect("axioms");
    let text: String = text
        .lines()
        .filter(|l| !l.starts_with('%'))
        .fold(String::new(), |all, l| all + l + "\n");
    text.split_inclusive(").\n").map(String::from).collect()
}

#[test]
fn the_algebras_of_the_tests_satisfy_the_axioms() {
    for algebra in algebras() {
        for name in ["omega", "tests", "de_morgan"] {
            for (axiom, formula) in axioms(name) {
                assert!(
                    algebra.satisfies(&formula, &[]),
                    "{axiom} in {}",
                    algebra.name
                );
            }
        }
    }
}

/// An axiom does not follow from the others, so without it nothing may be said to follow that needs it. The only exceptions are the two
/// unfoldings, each of which follows from the other and induction.
#[test]
fn without_an_axiom_it_is_no_theorem() {
    for (file, others) in [("omega", ""), ("tests", "omega")] {
        let texts = axiom_texts(file);
        for (n, axiom) in texts.iter().enumerate() {
            let rest: String = [&texts[..n], &texts[n + 1..]].concat().concat();
            let goal = axiom.replace(", axiom,", ", conjecture,");
            let expected = match axiom.contains("(unfold") {
                true => Szs::Theorem,
                false => Szs::GaveUp,
            };
            assert_eq!(szs(others, &(rest.clone() + &goal)), expected, "{axiom}");
            let whole = format!("{others} {file}");
            assert_eq!(szs(&whole, &goal), Szs::Theorem, "{axiom}");
            // Nor where something else needs it.
            let goal =
                "fof(goal, conjecture, ! [P,X] : ( ( test(P) & leq(X,omega(multiplication(P,X))) )
                => ( leq(X,multiplication(X,X)) | multiplication(c(P),X) = zero ) ) ).";
            let expected = match axiom.contains("(unfold") {
                true => szs(&format!("{others} {file} tests"), goal),
                false => Szs::GaveUp,
            };
            let tests = if file == "tests" { "" } else { "tests" };
            assert_eq!(
                szs(&format!("{others} {tests}"), &(rest + goal)),
                expected,
                "{axiom}"
            );
        }
    }
}

/// Names say nothing, formulas everything: what looks like an axiom is none, and what is one may look different.
#[test]
fn axioms_are_recognised_by_their_formulas() {
    let goal = "fof(goal, conjecture, ! [P,X] : ( test(P) => leq(omega(multiplication(P,X)),omega(one)) ) ).";
    let whole = [axiom_texts("omega"), axiom_texts("tests")].concat();
    let with = |name: &str, formula: &str| {
        let mark = format!("fof({name}, axiom,");
        assert_eq!(
            whole.iter().filter(|a| a.contains(&mark)).count(),
            1,
            "{name}"
        );
        let all = whole.iter().map(|a| match a.contains(&mark) {
            true => format!("fof({name}, axiom, {formula} ).\n"),
            false => a.clone(),
        });
        szs("", &(all.collect::<String>() + &goal))
    };
    for (name, formula) in [
        ("plus_comm", "! [Y,X] : addition(X,Y) = addition(Y,X)"),
        (
            "plus_assoc",
            "! [X] : ! [Y,Z] : addition(addition(X,Y),Z) = addition(X,addition(Y,Z))",
        ),
        ("plus_zero", "! [A] : A = addition(zero,A)"),
        (
            "times_plus",
            "! [A,B,C] : addition(multiplication(A,C),multiplication(A,B)) = multiplication(A,addition(B,C))",
        ),
        ("below", "! [A,B] : ( B = addition(B,A) <=> leq(A,B) )"),
        (
            "unfold",
            "! [A] : addition(multiplication(A,star(A)),one) = star(A)",
        ),
        (
            "unfold",
            "! [A] : addition(star(A),addition(multiplication(A,star(A)),one)) = star(A)",
        ),
        (
            "induct",
            "! [A,B,C] : ( leq(multiplication(star(A),C),B) <= leq(addition(C,multiplication(A,B)),B) )",
        ),
        (
            "induct",
            "! [A,B,C] : ( ~ leq(addition(C,multiplication(A,B)),B) | leq(multiplication(star(A),C),B) )",
        ),
        (
            "a_complement",
            "! [P,Q] : ( ( addition(Q,P) = one & zero = multiplication(Q,P) & multiplication(P,Q) = zero ) <=> complement(Q,P) )",
        ),
        (
            "c_test",
            "! [P,Q] : ( ( complement(P,Q) <=> Q = c(P) ) <= test(P) )",
        ),
    ] {
        assert_eq!(with(name, formula), Szs::Theorem, "{name}: {formula}");
    }
    for (name, formula) in [
        ("plus_comm", "! [A,B] : addition(A,B) = addition(A,B)"),
        (
            "plus_assoc",
            "! [A,B,C] : addition(A,addition(B,C)) = addition(addition(A,C),C)",
        ),
        ("plus_zero", "! [A] : addition(A,one) = A"),
        ("plus_idem", "! [A,B] : addition(A,B) = A"),
        ("plus_idem", "? [A] : addition(A,A) = A"),
        (
            "times_assoc",
            "! [A,B,C] : multiplication(A,multiplication(B,C)) = multiplication(multiplication(A,C),B)",
        ),
        ("times_one", "! [A] : multiplication(one,A) = A"),
        (
            "times_plus",
            "! [A,B,C] : multiplication(A,addition(B,C)) = addition(multiplication(B,A),multiplication(A,C))",
        ),
        (
            "times_plus",
            "! [A,B] : multiplication(A,addition(B,B)) = addition(multiplication(A,B),multiplication(A,B))",
        ),
        ("times_zero", "! [A] : multiplication(zero,A) = zero"),
        ("times_zero", "! [A] : multiplication(A,zero) = A"),
        ("below", "! [A,B] : ( leq(A,B) <=> addition(A,B) = A )"),
        ("below", "! [A,B] : ( leq(A,B) => addition(A,B) = B )"),
        (
            "induct",
            "! [A,B,C] : ( leq(addition(multiplication(A,B),C),B) => leq(multiplication(star(B),C),B) )",
        ),
        (
            "induct",
            "! [A,B,C] : ( leq(multiplication(star(A),C),B) => leq(addition(multiplication(A,B),C),B) )",
        ),
        (
            "induct_back",
            "! [A,B,C] : ( leq(addition(multiplication(A,B),C),B) => leq(multiplication(star(A),C),B) )",
        ),
        ("forever", "! [A] : multiplication(omega(A),A) = omega(A)"),
        (
            "coinduct",
            "! [A,B,C] : ( leq(B,addition(multiplication(A,B),C)) => leq(B,addition(omega(A),multiplication(star(C),C))) )",
        ),
        (
            "coinduct",
            "! [A,B] : ( leq(B,addition(multiplication(A,B),B)) => leq(B,addition(omega(A),multiplication(star(A),B))) )",
        ),
        ("a_test", "! [P] : ( test(P) <=> ! [Q] : complement(Q,P) )"),
        ("a_test", "! [P,Q] : ( test(P) <=> complement(Q,P) )"),
        (
            "a_complement",
            "! [P,Q] : ( complement(Q,P) <=> ( multiplication(P,Q) = zero & addition(P,Q) = one ) )",
        ),
        (
            "c_test",
            "! [P,Q] : ( test(P) => ( c(P) = P <=> complement(P,Q) ) )",
        ),
        ("c_else", "! [P] : ( ~ test(P) => c(P) = one )"),
        ("c_else", "! [P] : ( test(P) => c(P) = zero )"),
    ] {
        assert_eq!(with(name, formula), Szs::GaveUp, "{name}: {formula}");
    }
}

/// Refuted without all axioms is refuted; but every axiom that is there has to hold in the model.
#[test]
fn counter_models_satisfy_every_axiom() {
    let goal = "fof(goal, conjecture, ! [X,Y] : multiplication(X,Y) = multiplication(Y,X) ).\n";
    let with = |axiom: &str| szs("semiring", &format!("fof(more, axiom, {axiom} ).\n{goal}"));
    assert_eq!(szs("", goal), Szs::CounterSatisfiable);
    assert_eq!(with("! [X] : leq(zero,X)"), Szs::CounterSatisfiable);
    assert_eq!(
        with("! [X,Y] : ( ( leq(X,Y) & leq(Y,X) ) => X = Y )"),
        Szs::CounterSatisfiable
    );
    assert_eq!(with("! [X] : multiplication(X,X) = X"), Szs::GaveUp);
    assert_eq!(with("! [X] : domain(X) = X"), Szs::GaveUp);
    assert_eq!(
        with("? [X] : multiplication(X,X) != X"),
        Szs::CounterSatisfiable
    );
    assert_eq!(
        with("multiplication(a,b) = multiplication(b,a)"),
        Szs::CounterSatisfiable
    );
    assert_eq!(with("one = zero"), Szs::Theorem);
    assert_eq!(with("$false"), Szs::Theorem);
    assert_eq!(with("p(a)"), Szs::GaveUp);
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

/// Seeded random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % n
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A random term; `c` of anything if `partial`.
fn term(dice: &mut Dice, letters: &[&str], depth: usize, functions: &[&str]) -> String {
    if depth == 0 || dice.below(4) == 0 {
        return match dice.below(6) {
            0 => dice.pick(&["zero", "one"]).to_string(),
            _ => dice.pick(letters).to_string(),
        };
    }
    let mut part = || term(dice, letters, depth - 1, functions);
    let (s, t) = (part(), part());
    match dice.pick(functions) {
        f @ ("addition" | "multiplication") => format!("{f}({s},{t})"),
        f => format!("{f}({s})"),
    }
}

/// A random formula of few atoms.
fn formula(dice: &mut Dice, letters: &[&str], depth: usize, functions: &[&str]) -> String {
    if depth == 0 || dice.below(3) == 0 {
        let mut part = || term(dice, letters, 2, functions);
        let (s, t) = (part(), part());
        return match dice.below(8) {
            0 | 1 => format!("test({s})"),
            2 => format!("complement({s},{t})"),
            3 | 4 => format!("( {s} = {t} )"),
            5 => format!("( {s} != {t} )"),
            _ => format!("leq({s},{t})"),
        };
    }
    let mut part = || formula(dice, letters, depth - 1, functions);
    let (a, b) = (part(), part());
    match dice.pick(&["&", "|", "=>", "=>", "=>", "<=>", "<~>", "~"]) {
        "~" => format!("~ {a}"),
        sign => format!("( {a} {sign} {b} )"),
    }
}

/// No theorem fails in any of the algebras, and no formula that is refuted follows from the axioms: most fail in one.
#[test]
fn random_formulas_are_answered_rightly() {
    let all: Vec<Algebra> = algebras();
    let functions = [
        "addition",
        "multiplication",
        "multiplication",
        "c",
        "c",
        "star",
        "omega",
    ];
    let letters = ["X", "Y"];
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let (mut theorems, mut refuted, mut seen, mut open) = (0, 0, 0, 0);
    let limits = Limits {
        steps: 100,
        pairs: 2_000,
        models: 1_000,
        ..Limits::default()
    };
    for n in 0..250 {
        let functions = &functions[..[2, 5, 6, 7][n % 4]];
        let body = formula(&mut dice, &letters, 2, functions);
        let text = format!("fof(goal, conjecture, ! [X,Y] : {body} ).");
        let problem = stated("omega tests", &text);
        let goal = &problem.formulas.last().expect("a conjecture").formula;
        let fails = all.iter().find(|a| !a.satisfies(goal, &[]));
        let solution = solve(&problem, &limits, &Control::default()).expect("not stopped");
        match (solution.szs, fails) {
            (Szs::Theorem, None) => theorems += 1,
            (Szs::Theorem, Some(algebra)) => panic!("{text} fails in {}", algebra.name),
            (Szs::CounterSatisfiable, fails) => {
                refuted += 1;
                seen += usize::from(fails.is_some());
            }
            (Szs::GaveUp, _) => open += 1,
            (other, _) => panic!("{text}: {other:?}"),
        }
    }
    println!("{theorems} theorems, {refuted} refuted ({seen} seen to fail), {open} open");
    assert!(theorems > 30 && refuted > 100 && seen * 10 > refuted * 9);
}

/// A sequent printed as TPTP and read back is the statement itself: same terms, same premises.
#[test]
fn sequents_come_back_as_they_are() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let (actions, tests) = (["X", "Y"], ["P", "Q"]);
    // Only the statements matter.
    let hasty = Limits {
        steps: 1,
        pairs: 100,
        nodes: 10,
        models: 1,
    };
    for _ in 0..200 {
        let mut sides = Vec::new();
        for _ in 0..2 * (1 + dice.below(3)) {
            sides.push(tree(&mut dice, 3));
        }
        let orders: Vec<bool> = (0..sides.len() / 2).map(|_| dice.below(2) == 0).collect();
        let compare = |n: usize, thy: bool| {
            let (s, t) = (&sides[2 * n], &sides[2 * n + 1]);
            match (thy, orders[n]) {
                (true, true) => format!("{} = {}", s.0, t.0),
                (true, false) => format!("{} <= {}", s.0, t.0),
                (false, true) => format!("{} = {}", s.1, t.1),
                (false, false) => format!("leq({},{})", s.1, t.1),
            }
        };
        let premises: Vec<String> = (1..orders.len()).map(|n| compare(n, true)).collect();
        let direct = match premises.is_empty() {
            true => format!(": {}", compare(0, true)),
            false => format!("[{}] : {}", premises.join(", "), compare(0, true)),
        };
        let mut given = vec!["test(P)".to_string(), "test(Q)".to_string()];
        given.extend((1..orders.len()).map(|n| compare(n, false)));
        let goal = compare(0, false);
        let text = format!(
            "fof(g, conjecture, ! [X,Y,P,Q] : ( ( {} ) => {goal} ) ).",
            given.join(" & ")
        );
        let (problem, control) = (stated("omega tests", &text), Control::default());
        let solution = solve(&problem, &hasty, &control).expect("not stopped");
        let [part] = solution.parts.as_slice() else {
            panic!("{text}");
        };
        let back = match part.text.strip_prefix('[') {
            Some(_) => part.text.replacen("] ", "] : ", 1),
            None => format!(": {}", part.text),
        };
        let file = format!(
            "action {}; test {};\nidentity a {direct};\nidentity b {back};\n",
            actions.join(", "),
            tests.join(", ")
        );
        let suite = thy(&file);
        let (a, b) = (&suite.items[0], &suite.items[1]);
        // A premise that says nothing is left out, and so is a repeated one.
        let set = |item: &coarsen::algebra::suite::Item| -> BTreeSet<Vec<(u32, u32)>> {
            let all = item.premises.iter().map(|(_, s)| s.parts.clone());
            all.filter(|p| p.iter().any(|(l, r)| l != r)).collect()
        };
        assert_eq!(set(a), set(b), "{file}");
        assert_eq!(
            (a.links[0].left, a.links[0].right),
            (b.links[0].left, b.links[0].right),
            "{file}"
        );
        assert_eq!(a.links[0].order, b.links[0].order, "{file}");
    }
}

fn thy(text: &str) -> Suite {
    let file = Text {
        name: "a.thy".into(),
        text: text.to_string(),
    };
    match load_suite(file, DEPTH, &mut |_, _| Err(String::new())) {
        Ok(suite) => suite,
        Err(flawed) => panic!("{text}\n{:?}", flawed.diagnostics),
    }
}

/// A random term in both languages.
fn tree(dice: &mut Dice, depth: usize) -> (String, String) {
    if depth == 0 || dice.below(5) == 0 {
        let name = dice.pick(&[
            "X", "Y", "X", "Y", "P", "Q", "0", "1", "~P", "~Q", "~(P + Q)",
        ]);
        let other = match name {
            "0" => "zero",
            "1" => "one",
            "~P" => "c(P)",
            "~Q" => "c(Q)",
            "~(P + Q)" => "c(addition(P,Q))",
            letter => letter,
        };
        return (name.to_string(), other.to_string());
    }
    let (s, t) = (tree(dice, depth - 1), tree(dice, depth - 1));
    match dice.below(6) {
        0 | 1 => (
            format!("({} + {})", s.0, t.0),
            format!("addition({},{})", s.1, t.1),
        ),
        2 | 3 => (
            format!("({} {})", s.0, t.0),
            format!("multiplication({},{})", s.1, t.1),
        ),
        4 => (format!("({})*", s.0), format!("star({})", s.1)),
        _ => (format!("({})^w", s.0), format!("omega({})", s.1)),
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
                let (line, column) = line_column(&flawed.file.text, offset);
                format!("{line}:{column}")
            };
            let (from, to) = (place(d.span.start), place(d.span.end));
            let file = Path::new(&flawed.file.name).file_name().unwrap_or_default();
            let file = file.to_string_lossy();
            let _ = writeln!(
                actual,
                "{file}:{from}-{to} {} {}\n  expected: {}\n  help: {}",
                d.code, d.message, d.expected, d.help
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

/// Texts with pieces taken out, doubled or exchanged: read or refused, and answered, but never a panic.
#[test]
fn mutations_never_panic() {
    let mut dice = Dice(0xD1B5_4A32_D192_ED03);
    let mut texts: Vec<String> = Vec::new();
    for path in problems(&folder())
        .iter()
        .chain(&problems(&folder().join("bad")))
    {
        texts.push(std::fs::read_to_string(path).expect("a text"));
    }
    let limits = Limits {
        steps: 50,
        models: 100,
        ..Limits::default()
    };
    let name = folder().join("mutated.p").display().to_string();
    let mut solved = 0;
    for _ in 0..1_500 {
        let mut text: Vec<char> = texts[dice.below(texts.len())].chars().collect();
        for _ in 0..1 + dice.below(4) {
            if text.is_empty() {
                break;
            }
            let (at, length) = (dice.below(text.len()), 1 + dice.below(12));
            let end = (at + length).min(text.len());
            match dice.below(4) {
                0 => drop(text.drain(at..end)),
                1 => {
                    let piece: Vec<char> = text[at..end].to_vec();
                    let to = dice.below(text.len());
                    text.splice(to..to, piece);
                }
                2 => {
                    text[at] = dice
                        .pick(&[
                            "(", ")", "[", "~", "&", "'", "\"", "X", "é", "$", "\\", "%", "1", ".",
                        ])
                        .chars()
                        .next()
                        .unwrap_or(' ')
                }
                _ => text.swap(at, end - 1),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(problem) = read(&name, &text) {
            solved += 1;
            let _ = solve(&problem, &limits, &Control::default());
        }
    }
    assert!(solved > 100, "{solved}");
}

/// Nesting is bounded, chains are not; terms that are too deep for the prover are no answer.
#[test]
fn deep_and_long_problems_are_refused_or_answered() {
    let deep = |n: usize| format!("{}one{}", "star(addition(a,".repeat(n), "))".repeat(n));
    let nested = format!("fof(a, conjecture, leq({}, one)).", deep(200));
    assert!(matches!(read("a.p", &nested), Err(flawed) if flawed.diagnostics[0].code == "E0506"));
    let long = vec!["leq(zero,one)"; 5_000].join(" & ");
    let long = format!("fof(a, conjecture, ( {long} ) => leq(zero,one)).");
    assert_eq!(szs("semiring", &long), Szs::Theorem);
    let cases = "( leq(a,b) | leq(b,a) )";
    let cases = vec![cases; 12].join(" & ");
    let many = format!("fof(a, conjecture, ( {cases} ) => leq(zero,one) ).");
    assert_eq!(szs("semiring", &many), Szs::GaveUp);
    let splits: Vec<String> = (0..10).map(|n| format!("leq(c(x{n}),one)")).collect();
    let many = format!("fof(a, conjecture, {} ).", splits.join(" | "));
    assert!(matches!(
        szs("semiring tests", &many),
        Szs::GaveUp | Szs::Theorem
    ));
}
