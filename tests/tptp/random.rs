//! Random formulas and texts: answers against the naive algebras, statements against the direct ones, and no panic.

use super::naive::{Algebra, algebras, demonic};
use super::{DEPTH, folder, problems, read, stated};
use crate::random;
use coarsen::algebra::files::{Text, load_suite};
use coarsen::algebra::prove::Limits;
use coarsen::algebra::suite::Suite;
use coarsen::algebra::tptp::{Szs, solve};
use coarsen::base::control::Control;
use std::collections::BTreeSet;

/// Seeded random numbers.
struct Dice(u64);

impl Dice {
    fn seeded(usual: u64) -> Dice {
        Dice(random::seed(usual))
    }

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

/// The answer to a formula, and whether it is seen to fail in one of some algebras: then it is no theorem.
fn answered(axioms: &str, body: &str, all: &[Algebra]) -> (Szs, bool) {
    let limits = Limits {
        steps: 100,
        pairs: 2_000,
        models: 1_000,
        ..Limits::default()
    };
    let text = format!("fof(goal, conjecture, ! [X,Y] : {body} ).");
    let problem = stated(axioms, &text);
    let goal = &problem.formulas.last().expect("a conjecture").formula;
    let fails = all.iter().find(|a| !a.satisfies(goal, &[]));
    let solution = solve(&problem, &limits, &Control::default()).expect("not stopped");
    match (solution.szs, fails) {
        (Szs::Theorem, Some(algebra)) => panic!("{text} fails in {}", algebra.name),
        (szs @ (Szs::Theorem | Szs::CounterSatisfiable | Szs::GaveUp), fails) => {
            (szs, fails.is_some())
        }
        (other, _) => panic!("{text}: {other:?}"),
    }
}

/// A comparison, mostly under another one.
fn implication(dice: &mut Dice, n: u32, depth: usize, functions: &[&str]) -> String {
    let mut part = |depth| term(dice, &["X", "Y"], depth, functions);
    let mut compare = |depth| {
        let (s, t) = (part(depth), part(depth));
        format!("addition({s},{t}) = {t}")
    };
    let goal = compare(3);
    match n % 3 {
        0 => goal,
        _ => format!("( {} => {goal} )", compare(depth)),
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
    let mut dice = Dice::seeded(0x2545_F491_4F6C_DD1D);
    let (mut theorems, mut refuted, mut seen, mut open) = (0, 0, 0, 0);
    for n in 0..random::cases(160) as usize {
        let functions = &functions[..[2, 5, 6, 7][n % 4]];
        let body = formula(&mut dice, &letters, 2, functions);
        match answered("omega tests", &body, &all) {
            (Szs::Theorem, _) => theorems += 1,
            (Szs::CounterSatisfiable, fails) => {
                refuted += 1;
                seen += usize::from(fails);
            }
            _ => open += 1,
        }
    }
    println!("{theorems} theorems, {refuted} refuted ({seen} seen to fail), {open} open");
    assert!(random::enough(theorems, 15) && random::enough(refuted, 80));
    assert!(random::any_number() || seen * 10 > refuted * 9);
}

/// The same of domains, in the algebras that satisfy their axioms; some of those have domains that are no tests.
#[test]
fn random_formulas_about_domains_are_answered_rightly() {
    let mut dice = Dice::seeded(0x5851_F42D_4C95_7F2D);
    let sets: [(&str, &[&str]); 3] = [
        (
            "semiring antidomain",
            &["addition", "multiplication", "antidomain", "coantidomain"],
        ),
        (
            "kleene antidomain",
            &["multiplication", "star", "antidomain", "antidomain"],
        ),
        (
            "semiring domain",
            &["addition", "multiplication", "domain", "domain"],
        ),
    ];
    for (axioms, functions) in sets {
        let given = stated(axioms, "");
        let all: Vec<Algebra> = algebras()
            .into_iter()
            .filter(|a| given.formulas.iter().all(|f| a.satisfies(&f.formula, &[])))
            .collect();
        assert!(all.len() > 3, "{axioms}: {}", all.len());
        let (mut theorems, mut refuted) = (0, 0);
        for n in 0..random::cases(120) {
            let body = implication(&mut dice, n, 1, functions);
            match answered(axioms, &body, &all).0 {
                Szs::Theorem => theorems += 1,
                Szs::CounterSatisfiable => refuted += 1,
                _ => {}
            }
        }
        println!("{axioms}: {theorems} theorems, {refuted} refuted");
        assert!(random::enough(theorems, 10) && random::enough(refuted, 25));
    }
}

/// The same of divergence, with the axioms of star and without: there star may be any that coinduction allows.
#[test]
fn random_formulas_about_divergence_are_answered_rightly() {
    let mut dice = Dice::seeded(0x3C6E_F372_FE94_F82B);
    let functions = [
        "addition",
        "multiplication",
        "multiplication",
        "divergence",
        "divergence",
        "star",
        "antidomain",
    ];
    for axioms in [
        "kleene antidomain divergence",
        "semiring antidomain divergence",
    ] {
        let given = stated(axioms, "");
        let holds = |a: &Algebra| given.formulas.iter().all(|f| a.satisfies(&f.formula, &[]));
        let other = algebras().into_iter().map(Algebra::with_top_for_star);
        let all: Vec<Algebra> = algebras().into_iter().chain(other).filter(holds).collect();
        let (mut theorems, mut refuted, mut seen) = (0, 0, 0);
        for n in 0..random::cases(200) {
            let body = implication(&mut dice, n, 2, &functions[..5 + n as usize % 3]);
            match answered(axioms, &body, &all) {
                (Szs::Theorem, _) => theorems += 1,
                (Szs::CounterSatisfiable, fails) => {
                    refuted += 1;
                    seen += usize::from(fails);
                }
                _ => {}
            }
        }
        println!(
            "{axioms}: {} algebras, {theorems} theorems, {refuted} refuted ({seen} seen to fail)",
            all.len()
        );
        assert!(random::enough(theorems, 20) && random::enough(refuted, 60));
        assert!(random::any_number() || seen * 10 > refuted * 9);
    }
}

/// What is assumed of all elements, or of some, is used for no others than it says.
#[test]
fn random_assumptions_about_all_elements_are_used_rightly() {
    let mut dice = Dice::seeded(0xA54F_F53A_5F1D_36F1);
    let functions = [
        "addition",
        "multiplication",
        "multiplication",
        "divergence",
        "antidomain",
    ];
    let axioms = "kleene antidomain divergence";
    let given = stated(axioms, "");
    let holds = |a: &Algebra| given.formulas.iter().all(|f| a.satisfies(&f.formula, &[]));
    let all: Vec<Algebra> = algebras().into_iter().filter(holds).collect();
    let mut theorems = 0;
    for n in 0..random::cases(200) {
        let mut compare = |letters: &[&str]| {
            let mut part = || term(&mut dice, letters, 1, &functions);
            let (s, t) = (part(), part());
            format!("addition({s},{t}) = {t}")
        };
        let (a, b) = (compare(&["X", "Z"]), compare(&["X", "Z"]));
        let (c, d) = (compare(&["X", "W"]), compare(&["X", "Y"]));
        let body = match n % 5 {
            0 => format!("( ( ! [Z] : {a} ) => {d} )"),
            1 => format!("( ( ! [Z] : ( {a} => {b} ) ) => ! [W] : {c} )"),
            2 => format!("( ( ? [Z] : {a} ) => ! [W] : ( {c} => {d} ) )"),
            3 => format!("( ~ ( ? [Z] : {a} ) | ! [W] : {c} )"),
            _ => format!("( ( {d} => ! [Z] : ( {a} & {b} ) ) => ( ! [W] : {c} | {d} ) )"),
        };
        theorems += usize::from(answered(axioms, &body, &all).0 == Szs::Theorem);
    }
    println!("{theorems} theorems");
    assert!(random::enough(theorems, 20));
}

/// The same of demonic refinement algebra: no theorem fails in a finite one, relational or not.
#[test]
fn random_formulas_of_demonic_refinement_are_answered_rightly() {
    let mut dice = Dice::seeded(0x6A09_E667_F3BC_C909);
    let given = stated("demonic", "");
    let holds = |a: &Algebra| given.formulas.iter().all(|f| a.satisfies(&f.formula, &[]));
    let all: Vec<Algebra> = demonic().into_iter().filter(holds).collect();
    let chains = all.iter().filter(|a| a.name == "a chain").count();
    assert_eq!((all.len(), chains), (5, 2));
    let functions = [
        "addition",
        "multiplication",
        "multiplication",
        "star",
        "strong_iteration",
    ];
    let (mut theorems, mut refuted, mut seen) = (0, 0, 0);
    for n in 0..random::cases(400) {
        let body = implication(&mut dice, n, 2, &functions);
        match answered("demonic", &body, &all) {
            (Szs::Theorem, _) => theorems += 1,
            (Szs::CounterSatisfiable, fails) => {
                refuted += 1;
                seen += usize::from(fails);
            }
            _ => {}
        }
    }
    println!("{theorems} theorems, {refuted} refuted ({seen} seen to fail)");
    assert!(random::enough(theorems, 60) && random::enough(refuted, 80));
    assert!(random::any_number() || seen * 10 > refuted * 9);
}

/// A sequent printed as TPTP and read back is the statement itself: same terms, same premises.
#[test]
fn sequents_come_back_as_they_are() {
    let mut dice = Dice::seeded(0x9E37_79B9_7F4A_7C15);
    let (actions, tests) = (["X", "Y"], ["P", "Q"]);
    // Only the statements matter.
    let hasty = Limits {
        steps: 1,
        pairs: 100,
        classes: 1,
        nodes: 10,
        models: 1,
    };
    for _ in 0..random::cases(200) {
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

/// Texts with pieces taken out, doubled or exchanged: read or refused, and answered, but never a panic.
#[test]
fn mutations_never_panic() {
    let mut dice = Dice::seeded(0xD1B5_4A32_D192_ED03);
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
    for _ in 0..random::cases(1_500) {
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
    assert!(random::enough(solved, 100), "{solved}");
}
