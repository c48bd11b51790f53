//! The kernel on garbage: certificates cut short, scrambled and mutated, and some written to hurt. It never panics, is
//! done in bounded time, and what it accepts is true, as far as relational models can tell.

use crate::{algebra, random};

#[path = "kernel_fuzz/structured.rs"]
pub mod structured;

use algebra::dice::{Dice, Text};
use algebra::model::Model;
use coarsen::algebra::files::{self, load_suite};
use coarsen::algebra::prove::{Limits, derive, prove};
use coarsen::algebra::refute::refute;
use coarsen::algebra::show;
use coarsen::kernel::{self, Development, Statement};
use std::collections::BTreeSet;
use std::fmt::Write;

fn read(text: &str) -> Result<Development, String> {
    kernel::read(text).map_err(|e| e.to_string())
}

/// Of each theorem what it says and rests on, with what the letters are.
fn told(d: &Development) -> Vec<String> {
    let letters: Vec<String> = d
        .terms
        .symbols()
        .iter()
        .map(|s| format!("{} {} {}", s.name, s.test, s.arity))
        .collect();
    let said = |s: &Statement| show::statement(d, s);
    let given: Vec<String> = d.hypotheses().iter().map(|(_, s)| said(s)).collect();
    d.theorems()
        .map(|t| {
            let premises: Vec<String> = t.premises.iter().map(said).collect();
            format!(
                "{letters:?} {given:?} {premises:?} |- {}",
                said(&t.statement)
            )
        })
        .collect()
}

/// Whether each theorem that is not known to be true survives the search for a model in which it is false; how many
/// were searched.
pub fn is_true(
    d: &Development,
    known: &BTreeSet<String>,
    dice: &mut Dice,
) -> Result<usize, String> {
    if d.terms.symbols().iter().any(|s| s.arity > 2) {
        return Ok(0);
    }
    let limits = Limits {
        models: 600,
        ..Limits::default()
    };
    let mut searched = 0;
    for (theorem, said) in d.theorems().zip(told(d)) {
        if known.contains(&said) {
            continue;
        }
        searched += 1;
        let given = d
            .hypotheses()
            .iter()
            .map(|(_, s)| s)
            .chain(&theorem.premises);
        let given: Vec<Statement> = given.cloned().collect();
        let s = &theorem.statement;
        let search = refute(&d.terms, &given, &s.distinct, &s.parts, &limits);
        if let Some(model) = search.model {
            let part = &s.parts[model.part];
            let lines = model.lines(&d.terms, &d.variables, part).join("\n");
            return Err(format!("`{}` is false:\n{lines}", theorem.name));
        }
        for _ in 0..5 {
            let (states, processes) = (1 + dice.below(3), 1 + dice.below(3));
            let model = Model::random(dice, &d.terms, states, processes);
            if given.iter().all(|g| model.holds(&d.terms, g)) && !model.holds(&d.terms, s) {
                return Err(format!("`{}` is false", theorem.name));
            }
        }
    }
    Ok(searched)
}

/// Certificates of small statements, one for each engine and rule of the prover.
fn small() -> Vec<String> {
    [
        (&[][..], "(a + b)* <= a* (b a*)*"),
        (&[], "p a + ~p a <= a T"),
        (&["b a <= a b"], "(a + b)* <= a* b*"),
        (&["a b <= b c"], "a* b <= b c*"),
        (&["x <= y x + z"], "x <= y^ + y* z"),
        (&["a p <= 0"], "a <= a ~p"),
        (&["a a <= a", "1 <= a"], "a* <= a"),
        (&["p a <= p a q", "q b <= q b r"], "p a b <= p a b r"),
    ]
    .into_iter()
    .map(|(premises, goal)| {
        let mut text = Text::default();
        let mut inclusion = |t: &str| Statement {
            distinct: Vec::new(),
            parts: vec![text.inclusion(t)],
        };
        let premises: Vec<Statement> = premises.iter().map(|p| inclusion(p)).collect();
        let goal = inclusion(goal);
        let mut d = Development::default();
        d.terms = text.terms;
        let proved = derive(&mut d, "goal", &premises, &goal, &Limits::default());
        assert!(proved.is_ok(), "{}: {proved:?}", show::statement(&d, &goal));
        kernel::write(&d)
    })
    .collect()
}

/// The certificates of all that a shipped file proves, in one.
fn shipped(name: &str, text: &str) -> String {
    let file = files::Text {
        name: name.to_string(),
        text: text.to_string(),
    };
    let loaded = load_suite(file, 200, &mut |path, _| Err(format!("no {path}")));
    let mut suite = loaded.unwrap_or_else(|e| panic!("{name}: {:?}", e.diagnostics));
    for item in 0..suite.items.len() {
        prove(&mut suite, item, &Limits::default());
    }
    kernel::write(&suite.development)
}

/// A certificate with a line or two changed.
pub fn mutate(text: &str, d: &mut Dice) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for _ in 0..1 + d.below(2) {
        let at = d.below(lines.len());
        match d.below(8) {
            0 => _ = lines.remove(at),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = d.below(lines.len());
                lines.swap(at, other);
            }
            _ => {
                let mut words: Vec<String> = lines[at].split(' ').map(str::to_string).collect();
                let word = d.below(words.len());
                let others = [
                    "1",
                    "T",
                    "4294967295",
                    "99999999999999999999",
                    "-1",
                    "0>1",
                    "b0",
                    "b4294967295",
                    "i0",
                    ";",
                    "step",
                    "chain",
                ];
                words[word] = match words[word].parse::<u32>() {
                    Ok(n) if d.below(5) > 0 => match d.below(3) {
                        0 => n.wrapping_add(1).to_string(),
                        1 => n.saturating_sub(1).to_string(),
                        _ => d.below(40).to_string(),
                    },
                    _ if d.below(3) == 0 => String::new(),
                    _ => d.pick(&others).to_string(),
                };
                lines[at] = words.join(" ");
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

fn check_mutants(text: &str, mutants: u32, dice: &mut Dice) -> usize {
    let original = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let known: BTreeSet<String> = told(&original).into_iter().collect();
    let mut accepted = 0;
    for _ in 0..random::cases(mutants) {
        let mutant = mutate(text, dice);
        if let Ok(d) = read(&mutant) {
            accepted += 1;
            if let Err(why) = is_true(&d, &known, dice) {
                panic!("{why}\n{mutant}");
            }
        }
    }
    accepted
}

#[test]
fn what_is_cut_short_is_rejected() {
    for text in small() {
        assert!(read(&text).is_ok());
        let lines: Vec<&str> = text.lines().collect();
        for n in 0..lines.len() {
            assert!(
                read(&lines[..n].join("\n")).is_err(),
                "{n} lines of\n{text}"
            );
        }
        for n in (0..text.trim_end().len()).filter(|n| text.is_char_boundary(*n)) {
            assert!(read(&text[..n]).is_err(), "{n} bytes of\n{text}");
        }
    }
}

#[test]
fn mutants_are_rejected_or_true() {
    let mut dice = Dice::seeded(1);
    let accepted: usize = small()
        .iter()
        .map(|text| check_mutants(text, 4_000, &mut dice))
        .sum();
    assert!(random::enough(accepted, 100), "{accepted}");
}

#[test]
fn mutants_of_shipped_proofs_are_rejected_or_true() {
    let mut dice = Dice::seeded(2);
    for (name, text) in [
        (
            "semiring.thy",
            include_str!("../theories/identities/semiring.thy"),
        ),
        (
            "kleene.thy",
            include_str!("../theories/identities/kleene.thy"),
        ),
        (
            "tests.thy",
            include_str!("../theories/identities/tests.thy"),
        ),
        (
            "omega.thy",
            include_str!("../theories/identities/omega.thy"),
        ),
        (
            "stoller_cohen.thy",
            include_str!("../proofs/stoller_cohen.thy"),
        ),
    ] {
        let text = shipped(name, text);
        check_mutants(&text, 300, &mut dice);
    }
}

#[test]
fn random_bytes_are_rejected() {
    let mut dice = Dice::seeded(3);
    let words = [
        "term",
        "atom",
        "sum",
        "product",
        "star",
        "omega",
        "domain",
        "codomain",
        "not",
        "sumover",
        "productover",
        "symbol",
        "test",
        "action",
        "theorem",
        "statement",
        "part",
        "step",
        "qed",
        "premise",
        "hypothesis",
        "distinct",
        "decide",
        "pair",
        "chain",
        "join",
        "0",
        "1",
        "2",
        "3",
        "4",
        "b0",
        "i0",
        "i1",
        "0>1",
        ";",
        "end",
        "\n",
        "\n",
        "\n",
    ];
    for _ in 0..random::cases(20_000) {
        let length = dice.below(60);
        let text: String = match dice.below(3) {
            0 => (0..length).map(|_| dice.below(256) as u8 as char).collect(),
            _ => (0..length).flat_map(|_| [dice.pick(&words), " "]).collect(),
        };
        let _ = read(&text);
        if let Ok(d) = read(&format!(
            "coarsen certificate 1\nsymbol action 0 a\nsymbol test 1 p\n{text}\nend\n"
        )) && let Err(why) = is_true(&d, &BTreeSet::new(), &mut dice)
        {
            panic!("{why}\n{text}");
        }
    }
}

/// A certificate that begins with an action `a` (term 3) and tests.
fn begun(tests: usize) -> (String, usize) {
    let mut text = "coarsen certificate 1\nsymbol action 0 a\n".to_string();
    (0..tests).for_each(|n| _ = writeln!(text, "symbol test 0 p{n}"));
    text += "term atom 0\n";
    (0..tests).for_each(|n| _ = writeln!(text, "term atom {}", n + 1));
    (text, 4 + tests)
}

/// The complement of a test in which each level stands twice: small as a graph, 2^200 as a tree.
#[test]
fn a_complement_of_a_dag_is_cheap() {
    let (mut text, mut next) = begun(400);
    let mut at = 4;
    for level in 0..200 {
        for p in [4 + 2 * level, 5 + 2 * level] {
            let _ = writeln!(text, "term product {at} {p}");
        }
        let _ = writeln!(text, "term sum {next} {}", next + 1);
        next += 3;
        at = next - 1;
    }
    let _ = writeln!(text, "term not {at}\nend");
    assert!(read(&text).is_ok());
}

/// A parity of 40 tests, each level used twice and complemented twice; as a claim.
#[test]
fn a_parity_is_decided_or_given_up() {
    let (mut text, mut next) = begun(40);
    let mut at = 4;
    for p in 5..44 {
        let (not_at, not_p) = (next, next + 1);
        let _ = writeln!(
            text,
            "term not {at}\nterm not {p}\nterm product {at} {not_p}\nterm product {not_at} {p}"
        );
        let _ = writeln!(text, "term sum {} {}", next + 2, next + 3);
        at = next + 4;
        next += 5;
    }
    for right in [at, 4] {
        let claim = format!(
            "{text}theorem t\nstatement\npart {at} {right}\nstep decide {at} {right}\npair {at} {right}\nqed 0\nend\n"
        );
        assert_eq!(read(&claim).is_ok(), right == at);
    }
}

/// (p1 q1 + p2 q2 + ..) with all p before all q: splitting atoms in order meets 2^30 cofactors.
#[test]
fn a_bad_order_of_atoms_is_given_up() {
    let (mut text, mut next) = begun(60);
    let first = next;
    for n in 0..30 {
        let _ = writeln!(text, "term product {} {}", 4 + n, 34 + n);
        next += 1;
    }
    let all: Vec<String> = (first..next).map(|n| n.to_string()).collect();
    let _ = writeln!(text, "term sum {}\nterm not {}", all.join(" "), next);
    let (l, r) = (next, next + 1);
    let _ = writeln!(
        text,
        "term sum {l} 4\ntheorem t\nstatement\npart {r} {l}\nstep decide {r} {l}\npair {r} {l}\nqed 0\nend"
    );
    assert!(read(&text).is_err());
}

/// (x + 1)(x + 1), again and again: 2^n moves.
#[test]
fn too_many_moves_are_given_up() {
    let (mut text, mut next) = begun(0);
    let mut at = 3;
    for _ in 0..300 {
        let _ = writeln!(
            text,
            "term star {at}\nterm product {next} 3 {next} 3 {next}"
        );
        at = next + 1;
        next += 2;
    }
    let _ = writeln!(
        text,
        "theorem t\nstatement\npart {at} {at}\nstep decide {at} {at}\npair {at} {at}\nqed 0\nend"
    );
    let _ = read(&text);
}

/// Sums that grow by one member a line: memory and time grow with the square.
#[test]
fn long_sums_are_given_up() {
    let (mut text, mut next) = begun(30_000);
    let mut at = 4;
    for n in 0..29_000 {
        let _ = writeln!(text, "term sum {at} {}", 5 + n);
        at = next;
        next += 1;
    }
    text += "end\n";
    assert!(read(&text).is_err());
}

/// As deep as terms may be, through everything that walks over terms.
#[test]
fn deep_terms_do_not_exhaust_the_stack() {
    let (mut text, mut next) = begun(2);
    // Tests: p0 + p1 (p0 + p1 (..)).
    let mut test = 4;
    for n in 0..990 {
        let kind = if n % 2 == 0 { "sum" } else { "product" };
        let _ = writeln!(text, "term {kind} {test} {}", 4 + n % 2);
        test = next;
        next += 1;
    }
    let _ = writeln!(text, "term not {test}\nterm star 3\nterm sum {next} {test}");
    let claim = format!(
        "{text}theorem t\nstatement\npart 1 {0}\nstep decide 1 {0}\npair 1 {0}\nqed 0\nend\n",
        next + 2
    );
    let _ = read(&claim);
    let (mut text, mut next) = begun(1);
    let mut at = 3;
    for n in 0..330 {
        let _ = writeln!(
            text,
            "term omega {at}\nterm star {next}\nterm {} {} 3",
            ["sum", "product"][n % 2],
            next + 1
        );
        at = next + 2;
        next += 3;
    }
    let claim = format!(
        "{text}theorem t\nstatement\npart {at} {at}\nstep decide {at} {at}\npair {at} {at}\nstep context {at} 0 0\nqed \
         1\nend\n"
    );
    assert!(read(&claim).is_ok_and(|d| d.theorems().len() == 1) || read(&claim).is_err());
    let deeper = format!(
        "{text}{}end\n",
        (0..400)
            .map(|n| format!(
                "term star {}\nterm product {} 3\n",
                at + 2 * n,
                at + 2 * n + 1
            ))
            .collect::<String>()
    );
    assert!(read(&deeper).is_err());
}

/// Many answers on the right, each asked for again and again.
#[test]
fn wide_decisions_are_paid_for() {
    let (mut text, mut next) = begun(0);
    let first = next;
    for _ in 0..1_500 {
        let _ = writeln!(
            text,
            "term star {}",
            if next == first { 3 } else { next - 1 }
        );
        let _ = writeln!(text, "term product 3 {next} 3");
        next += 2;
    }
    let all: Vec<String> = (first..next).map(|n| n.to_string()).collect();
    let all = all.join(" ");
    let _ = writeln!(text, "term sum {all}");
    let _ = writeln!(
        text,
        "theorem t\nstatement\npart {next} {next}\nstep decide {next} {next}\npair {next} {next}"
    );
    (0..300).for_each(|_| _ = writeln!(text, "pair {next} {all} {all}"));
    text += "qed 0\nend\n";
    let _ = read(&text);
}

#[test]
fn an_index_without_binder_proves_nothing() {
    let begin = "coarsen certificate 1\nsymbol action 1 a\n";
    for index in ["b0", "b7", "b4294967295"] {
        let text = format!(
            "{begin}term atom 0 {index}\ntheorem t\nstatement\npart 3 3\nstep decide 3 3\npair 3 3\nqed 0\nend\n"
        );
        assert!(read(&text).is_err());
    }
}

/// A lemma with premise `i != v => u[i] <= x`, used with `w[v]` for x where only `i != v => u[i] <= w[v]` is proved: it
/// would follow that `u[v] <= w[v]`.
#[test]
fn a_replaced_letter_is_not_caught_by_the_variables_of_a_side_condition() {
    let text = "coarsen certificate 1
symbol action 1 u
symbol action 0 x
symbol action 1 w
term atom 0 i0
term atom 1
term atom 2 i1
term atom 0 i2
hypothesis h
distinct 0>1
part 3 5
theorem lemma
premise
distinct 0>1
part 3 4
statement
distinct 1>2
part 6 4
step premise 0 0 0>2
qed 0
theorem wrong
statement
distinct 2>3
part 6 5
step hypothesis 0 0
step theorem 0 0 1>3 ; 1>5 ; 0
qed 1
end
";
    let error = read(text).map(|_| ()).unwrap_err();
    assert!(
        error.contains("a letter is replaced by a term with a variable of a premise"),
        "{error}"
    );
}

/// The same where what proves the premise asks in addition that i differs from a process of the replacing term.
#[test]
fn a_premise_is_not_proved_under_more_side_conditions() {
    let text = "coarsen certificate 1
symbol action 1 u
symbol action 0 x
symbol action 1 w
term atom 0 i1
term atom 1
term atom 2 i3
hypothesis h
distinct 0>1 0>3
part 3 5
theorem lemma
premise
distinct 0>1
part 3 4
statement
distinct 0>1
part 3 4
step premise 0 0
qed 0
theorem wrong
statement
distinct 0>1 0>3
part 3 5
step hypothesis 0 0
step theorem 0 0 ; 1>5 ; 0
qed 1
end
";
    let error = read(text).map(|_| ()).unwrap_err();
    assert!(error.contains("not proved for all processes"), "{error}");
}
