//! Inclusions with omega at the end of monomials: decided both ways, and held against infinite words, tried one by one.

use crate::algebra::dice::Dice;
use crate::random;
use coarsen::algebra::Order;
use coarsen::algebra::files::{Also, Text, load_suite, prove_item};
use coarsen::algebra::prove::{Limits, Status, prove};
use coarsen::algebra::show;
use coarsen::algebra::suite::{Added, Declared, Item, Level, Link, Suite};
use coarsen::kernel::{Id, Node, ONE, Terms};

/// A word `u v v ..` as a relational model: place n leads to n + 1, the last back to `back`; the state after the last
/// place is on no path.
struct Word {
    /// Letter and true tests of each place.
    places: Vec<(Id, Vec<Id>)>,
    back: usize,
}

/// A relation: the states that each state is related to, as bits.
type Relation = Vec<u32>;

impl Word {
    fn compose(a: &Relation, b: &Relation) -> Relation {
        let row = |r: &u32| {
            (0..b.len())
                .filter(|t| r >> t & 1 == 1)
                .fold(0, |all, t| all | b[t])
        };
        a.iter().map(row).collect()
    }

    fn value(&self, terms: &Terms, t: Id) -> Relation {
        let n = self.places.len() + 1;
        let one: Relation = (0..n).map(|s| 1 << s).collect();
        let union = |a: Relation, b: Relation| a.iter().zip(b).map(|(x, y)| x | y).collect();
        match terms.node(t) {
            Node::Zero => vec![0; n],
            Node::One => one,
            Node::Top => vec![(1 << n) - 1; n],
            Node::Atom(..) => {
                let row = |s: usize| match self.places.get(s) {
                    Some((_, tests)) if terms.is_test(t) => u32::from(tests.contains(&t)) << s,
                    Some((letter, _)) if *letter == t => {
                        1 << if s + 1 < n - 1 { s + 1 } else { self.back }
                    }
                    _ => 0,
                };
                (0..n).map(row).collect()
            }
            Node::Not(x) => {
                let x = self.value(terms, *x);
                one.iter().zip(x).map(|(o, x)| o & !x).collect()
            }
            Node::Sum(all) => all
                .iter()
                .fold(vec![0; n], |sum, x| union(sum, self.value(terms, *x))),
            Node::Product(all) => all
                .iter()
                .fold(one, |left, x| Word::compose(&left, &self.value(terms, *x))),
            Node::Star(x) => {
                let x = self.value(terms, *x);
                (0..n).fold(one.clone(), |all, _| {
                    union(one.clone(), Word::compose(&x, &all))
                })
            }
            Node::Omega(x) => {
                let x = self.value(terms, *x);
                // States with paths of n steps have infinite ones.
                let on = (0..n).fold((1 << n) - 1, |on: u32, _| {
                    (0..n)
                        .filter(|s| x[*s] & on != 0)
                        .fold(0, |all, s| all | 1 << s)
                });
                (0..n)
                    .map(|s| if on >> s & 1 == 1 { (1 << n) - 1 } else { 0 })
                    .collect()
            }
            other => panic!("{other:?}"),
        }
    }

    fn is_against(&self, terms: &Terms, left: Id, right: Id) -> bool {
        let (l, r) = (self.value(terms, left), self.value(terms, right));
        l.iter().zip(r).any(|(l, r)| l & !r != 0)
    }
}

/// All words of so many places.
fn words(letters: &[Id], tests: &[Id], length: usize) -> Vec<Word> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let mut longer = Vec::new();
        for word in &all {
            for &letter in letters {
                for values in 0..1u32 << tests.len() {
                    let holds = tests
                        .iter()
                        .enumerate()
                        .filter(|(n, _)| values >> n & 1 == 1);
                    let mut word: Vec<(Id, Vec<Id>)> = word.clone();
                    word.push((letter, holds.map(|(_, t)| *t).collect()));
                    longer.push(word);
                }
            }
        }
        all = longer;
    }
    let lassos = |places: Vec<(Id, Vec<Id>)>| {
        (0..length).map(move |back| Word {
            places: places.clone(),
            back,
        })
    };
    all.into_iter().flat_map(lassos).collect()
}

fn regular(t: &mut Terms, d: &mut Dice, letters: &[Id], tests: &[Id], depth: usize) -> Id {
    if depth == 0 {
        if tests.is_empty() || d.below(4) > 0 {
            return d.pick(letters);
        }
        let p = d.pick(tests);
        return if d.flip() { t.not(p) } else { p };
    }
    let kind = d.below(5);
    let x = regular(t, d, letters, tests, depth - 1);
    if kind == 4 {
        return t.star(x);
    }
    let y = regular(t, d, letters, tests, depth - 1);
    if kind < 2 {
        t.sum([x, y])
    } else {
        t.product([x, y])
    }
}

fn infinite(t: &mut Terms, d: &mut Dice, letters: &[Id], tests: &[Id], depth: usize) -> Id {
    let mut all = Vec::new();
    for _ in 0..1 + d.below(3) {
        let (m, n) = (d.below(depth), d.below(depth));
        let before = match d.flip() {
            true => ONE,
            false => regular(t, d, letters, tests, m),
        };
        let body = regular(t, d, letters, tests, n);
        let omega = t.omega(body);
        all.push(t.product([before, omega]));
    }
    t.sum(all)
}

/// Random statements with so many letters and tests: how many were proved and refuted.
fn run(cases: u32, letters: usize, tests: usize, longest: usize) -> (usize, usize) {
    let (mut proved, mut refuted) = (0, 0);
    for seed in 1..u64::from(random::cases(cases)) {
        let mut suite = Suite::default();
        let mut d = Dice::seeded(seed);
        let t = &mut suite.development.terms;
        let mut named = |n: usize, first: u8, test: bool| -> Vec<Id> {
            let mut new = |k| {
                let symbol = t.symbol(&((first + k as u8) as char).to_string(), test, 0);
                t.atom(symbol, Vec::new())
            };
            (0..n).map(&mut new).collect()
        };
        let (letters, tests) = (named(letters, b'x', false), named(tests, b'p', true));
        let left = infinite(t, &mut d, &letters, &tests, 3);
        let right = infinite(t, &mut d, &letters, &tests, 4);
        let right = if d.below(3) == 0 {
            t.sum([left, right])
        } else {
            right
        };
        suite.items.push(Item {
            name: "s".into(),
            title: "s".into(),
            file: String::new(),
            line: 1,
            declared: Declared::Open,
            text: String::new(),
            level: Level::Omega,
            asked: true,
            without: Vec::new(),
            premises: Vec::new(),
            added: Added::default(),
            distinct: Vec::new(),
            links: vec![Link::new(left, right, Order::Below)],
            model: None,
            on_relations: None,
        });
        let outcome = prove(&mut suite, 0, &Limits::default());
        let told = || {
            format!(
                "seed {seed}: {} <= {}: {outcome:?}",
                show::term(&suite.development, left),
                show::term(&suite.development, right)
            )
        };
        let terms = &suite.development.terms;
        match outcome.status {
            Status::Proved => {
                proved += 1;
                for word in (1..=longest).flat_map(|n| words(&letters, &tests, n)) {
                    assert!(!word.is_against(terms, left, right), "{}", told());
                }
            }
            // A model, evaluated by `Model::is_confirmed`.
            Status::Refuted => refuted += 1,
            Status::Unknown => assert!(
                outcome.why.iter().any(|w| w.contains("--limit")),
                "{}",
                told()
            ),
        }
    }
    (proved, refuted)
}

#[test]
fn every_statement_is_proved_or_refuted() {
    let (proved, refuted) = run(150, 2, 0, 4);
    assert!(
        random::enough(proved, 50) && random::enough(refuted, 30),
        "{proved} {refuted}"
    );
}

#[test]
fn with_a_test_too() {
    let (proved, refuted) = run(80, 2, 1, 3);
    assert!(
        random::enough(proved, 20) && random::enough(refuted, 10),
        "{proved} {refuted}"
    );
}

fn answers(text: &str) -> Vec<(String, String)> {
    let file = Text {
        name: "omega.thy".into(),
        text: format!("level omega;\naction x, y, z;\ntest p, q;\n{text}"),
    };
    let mut suite = load_suite(file, 256, &mut |_, _| Err(String::new())).unwrap();
    (0..suite.items.len())
        .map(|n| {
            let proof = prove_item(&mut suite, n, &Limits::default(), Also::default());
            let (status, engine) = (proof.status.name(), proof.engine.name());
            (proof.name, format!("{status} by {engine}"))
        })
        .collect()
}

#[test]
fn laws_are_decided() {
    let laws = "
        identity sliding : (x y)^w = x (y x)^w;
        identity denesting : (x + y)^w = (x* y)^w + (x* y)* x^w;
        identity power : (x x x)^w = x^w;
        identity ramsey : (x + y)^w <= (x + y)* x^w + (x + y)* (x x y + y)^w + (x + y)* (x y + y)^w + ((x + y)* x x)^w \
        + ((x + y)* y)^w;
        identity three : (x + y + z)^w = ((x + y)* z)^w + (x + y + z)* (x + y)^w;
        identity reflexive : (1 + x)^w = T;
        identity guard : (p + x)^w = x^w + x* p T;
        identity guards : (p x + ~p y)^w <= (x + y)^w;
        identity ended : x^w T = x^w;
        identity ended_test : p^w = p T;
    ";
    for (name, answer) in answers(laws) {
        assert!(
            ["proved by omega", "proved by decide"].contains(&answer.as_str()),
            "{name}: {answer}"
        );
    }
}

#[test]
fn under_hypotheses() {
    let laws = "
        identity bachmair_dershowitz [y x <= x (x + y)*, x^w = 0, y^w = 0] : (x + y)^w = 0;
        identity quasi_commutation [y x <= x (x + y)*] : (x + y)^w = x^w + x* y^w;
        identity invariant [p x ~p = 0, (p x)^w = 0] : p x^w = 0;
        identity apart [x y = 0] : (x + y)^w = x^w + y* x^w + y^w;
        identity power [(x x)^w = 0] : x^w = 0;
    ";
    for (name, answer) in answers(laws) {
        assert!(answer.starts_with("proved"), "{name}: {answer}");
    }
}

#[test]
fn what_needs_a_long_word_is_refuted() {
    // The words of five letters x are the first that all others miss.
    let text = "fails long : (x + y)^w <= (1 + x + x x + x x x + x x x x) y T + x x x x x x T + x x x x x y y T;";
    assert_eq!(
        answers(text),
        [("long".into(), "refuted by refuter".into())]
    );
}

#[test]
fn zero_annihilates_from_the_right_only_where_it_stands() {
    // In languages of infinite words `x^w 0` would be `x^w`.
    let text = "
        identity zero : x^w 0 = 0;
        fails left : x^w <= x^w 0;
        fails other : x^w <= x^w y;
        open square : x^w <= x^w x^w;
    ";
    let found = answers(text);
    let statuses: Vec<&str> = found
        .iter()
        .map(|(_, a)| a.split(' ').next().unwrap())
        .collect();
    assert_eq!(statuses, ["proved", "refuted", "refuted", "unknown"]);
}
