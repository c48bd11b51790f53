//! Equal words against a naive twin, and every derivation through the kernel.

use crate::random;
use coarsen::algebra::egraph::{
    Cause, Limits, Rewrite, Stop, Words, factors, kernel_steps, reversed,
};
use coarsen::kernel::{Development, Id, ONE, Rule, Statement, TOP, Terms, Theorem, ZERO};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

type Word = Vec<Id>;

/// Letters of the tests: actions a, b, c, tests p, q, ~p, then a*, (a b)*, a^w, T and 0.
struct World {
    d: Development,
    letters: Vec<Id>,
    hole: u32,
}

fn world() -> World {
    let mut d = Development::default();
    let t = &mut d.terms;
    let atom = |t: &mut Terms, name: &str, test| {
        let symbol = t.symbol(name, test, 0);
        t.atom(symbol, Vec::new())
    };
    let [a, b, c] = ["a", "b", "c"].map(|n| atom(t, n, false));
    let [p, q] = ["p", "q"].map(|n| atom(t, n, true));
    let not_p = t.not(p);
    let a_star = t.star(a);
    let ab = t.product([a, b]);
    let ab_star = t.star(ab);
    let a_omega = t.omega(a);
    let hole = t.symbol("_", false, 0);
    World {
        letters: vec![a, b, c, p, q, not_p, a_star, ab_star, a_omega, TOP, ZERO],
        d,
        hole,
    }
}

/// Admits `a = b` from the equations as premises, proved by the steps and the way back.
fn admit(world: &mut World, equations: &[(Word, Word)], a: &[Id], b: &[Id], steps: &[Rewrite]) {
    let t = &mut world.d.terms;
    let mut parts = |l: &[Id], r: &[Id]| {
        let (l, r) = (t.product(l.iter().copied()), t.product(r.iter().copied()));
        Statement {
            parts: vec![(l, r), (r, l)],
            ..Statement::default()
        }
    };
    let mut theorem = Theorem {
        name: "words".to_string(),
        premises: equations.iter().map(|(l, r)| parts(l, r)).collect(),
        statement: parts(a, b),
        ..Theorem::default()
    };
    let mut proofs = Vec::new();
    for n in 0..equations.len() {
        theorem.steps.push(Rule::Premise(n, 0, Vec::new()));
        theorem.steps.push(Rule::Premise(n, 1, Vec::new()));
        proofs.push((2 * n, 2 * n + 1));
    }
    for (from, steps) in [(a, steps.to_vec()), (b, reversed(steps))] {
        let end = kernel_steps(t, from, &steps, &proofs, world.hole, &mut theorem.steps);
        theorem.proves.push(end.expect("every cause is known"));
    }
    world.d.admit(theorem).expect("the kernel admits it");
}

/// Whether the steps lead from one word to the other, each touching only what it says.
fn leads(from: &[Id], steps: &[Rewrite], to: &[Id]) -> bool {
    let mut word = from.to_vec();
    for s in steps {
        if s.before != word || s.before[..s.position] != s.after[..s.position] {
            return false;
        }
        word = [&word[..s.position], s.to(), s.suffix()].concat();
        if word != s.after {
            return false;
        }
    }
    word == to
}

/// The twin's equations: those given, and the laws between letters that occur, written out.
fn twin_equations(
    world: &World,
    equations: &[(Word, Word)],
    words: [&Word; 2],
) -> Vec<(Word, Word)> {
    let l = &world.letters;
    let [a, b, _, p, q, not_p, s, abs, w, top, zero] = l[..] else {
        panic!("the letters of the world");
    };
    let sides = equations.iter().flat_map(|(l, r)| [l, r]);
    let mut used: BTreeSet<Id> = sides.chain(words).flatten().copied().collect();
    for (of, parts) in [(s, [a, a]), (abs, [a, b]), (w, [a, top])] {
        if used.contains(&of) {
            used.extend(parts);
        }
    }
    if used.contains(&p) && used.contains(&not_p) {
        used.insert(zero);
    }
    let mut all = Vec::new();
    for x in [p, q, not_p, s, abs, top] {
        all.push((vec![x, x], vec![x]));
    }
    all.extend([
        (vec![p, q], vec![q, p]),
        (vec![not_p, q], vec![q, not_p]),
        (vec![p, not_p], vec![zero]),
        (vec![not_p, p], vec![zero]),
        (vec![a, s], vec![s, a]),
        (vec![a, b, abs], vec![abs, a, b]),
        (vec![a, w], vec![w]),
        (vec![s, w], vec![w]),
        (vec![w, top], vec![w]),
    ]);
    for &x in l {
        all.push((vec![zero, x], vec![zero]));
        all.push((vec![x, zero], vec![zero]));
    }
    all.retain(|(l, r)| l.iter().chain(r).all(|x| used.contains(x)));
    all.extend_from_slice(equations);
    all
}

/// The words reached by replacing parts of words, no word longer than the limit, at most so many.
fn twin(equations: &[(Word, Word)], from: &Word, longest: usize, most: usize) -> BTreeSet<Word> {
    let mut all = BTreeSet::from([from.clone()]);
    let mut new = vec![from.clone()];
    while let Some(word) = new.pop() {
        let both = equations.iter().flat_map(|(l, r)| [(l, r), (r, l)]);
        for (l, r) in both {
            for at in 0..=word.len() {
                let Some(rest) = word[at..].strip_prefix(l.as_slice()) else {
                    continue;
                };
                let other = [&word[..at], r, rest].concat();
                if other.len() <= longest && all.len() < most && all.insert(other.clone()) {
                    new.push(other);
                }
            }
        }
    }
    all
}

/// What the kernel's products keep, without stutter.
fn is_plain(world: &mut World, word: &[Id]) -> bool {
    let product = world.d.terms.product(word.iter().copied());
    let own = factors(&world.d.terms, product);
    own == word
        && !word
            .windows(2)
            .any(|w| w[0] == w[1] && world.letters[6..8].contains(&w[0]))
}

fn order(a: &Word, b: &Word) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn words(most: usize) -> impl Strategy<Value = Vec<usize>> {
    // Mostly actions and tests.
    let letter = prop_oneof![8 => 0..3usize, 5 => 3..6usize, 2 => 6..8usize, 1 => 8..11usize];
    vec(letter, 0..=most)
}

proptest! {
    #![proptest_config(random::config(500))]

    #[test]
    fn agrees_with_the_twin(
        equations in vec((words(3), words(2)), 0..4),
        from in words(4),
        to in words(4),
        picked in any::<usize>(),
    ) {
        let mut world = world();
        let word = |w: &[usize]| -> Word { w.iter().map(|n| world.letters[*n]).collect() };
        let equations: Vec<(Word, Word)> =
            equations.iter().map(|(l, r)| (word(l), word(r))).collect();
        let (from, mut to) = (word(&from), word(&to));
        // Half of the time a word that is equal.
        let pick = picked % 2 == 0;
        let laws = twin_equations(&world, &equations, [&from, if pick { &from } else { &to }]);
        let reached = twin(&laws, &from, 6, 400);
        if pick {
            to = reached.iter().nth(picked / 2 % reached.len()).cloned().unwrap_or(to);
        }

        let limits = Limits { nodes: 300, iterations: 8 };
        let mut asked = Words::new(&equations, limits);
        let equal = asked.equal(&world.d.terms, &from, &to);
        match &equal {
            Some(steps) => {
                prop_assert!(leads(&from, steps, &to));
                admit(&mut world, &equations, &from, &to, steps);
            }
            None => prop_assert!(asked.stop() != Stop::Saturated || !reached.contains(&to)),
        }

        let listed = asked.class(&world.d.terms, &from, 20);
        let saturated = asked.stop() == Stop::Saturated;
        prop_assert!(listed.windows(2).all(|w| order(&w[0].0, &w[1].0).is_lt()));
        for (other, steps) in listed.iter().take(5) {
            prop_assert!(leads(&from, steps, other));
            admit(&mut world, &equations, &from, other, steps);
        }
        let (normal, steps) = asked.normal(&world.d.terms, &from);
        prop_assert!(leads(&from, &steps, &normal));
        // 0 is not taken apart, so what equals it is not all listed.
        if saturated && normal != [ZERO] {
            prop_assert!(reached.iter().all(|w| order(&normal, w).is_le()));
            let last = listed.last().map(|(w, _)| w.clone()).unwrap_or_default();
            for w in &reached {
                let due = listed.len() < 20 && w.len() <= from.len() || order(w, &last).is_le();
                if due && is_plain(&mut world, w) {
                    prop_assert!(listed.iter().any(|(l, _)| l == w), "{:?} is not listed", w);
                }
            }
        }
        // The same question has the same answer.
        let mut again = Words::new(&equations, limits);
        prop_assert_eq!(again.equal(&world.d.terms, &from, &to), equal);
    }
}

/// A world of named letters, for words written as text.
struct Named {
    world: World,
    names: Vec<(&'static str, Id)>,
}

fn named() -> Named {
    let world = world();
    let names = [
        "a", "b", "c", "p", "q", "~p", "a*", "(ab)*", "a^w", "T", "0",
    ];
    Named {
        names: names
            .into_iter()
            .zip(world.letters.iter().copied())
            .collect(),
        world,
    }
}

impl Named {
    fn word(&self, text: &str) -> Word {
        let letter = |name: &str| self.names.iter().find(|(n, _)| *n == name).map(|(_, x)| *x);
        text.split_whitespace()
            .map(|name| letter(name).expect("a letter"))
            .collect()
    }

    fn equations(&self, all: &[&str]) -> Vec<(Word, Word)> {
        all.iter()
            .filter_map(|e| e.split_once('='))
            .map(|(l, r)| (self.word(l), self.word(r)))
            .collect()
    }

    /// Whether the words are found equal, each such answer through the kernel.
    fn equal(&mut self, equations: &[&str], a: &str, b: &str) -> bool {
        let equations = self.equations(equations);
        let (a, b) = (self.word(a), self.word(b));
        let mut words = Words::new(&equations, Limits::default());
        let found = words.equal(&self.world.d.terms, &a, &b);
        if let Some(steps) = &found {
            admit(&mut self.world, &equations, &a, &b, steps);
        }
        found.is_some()
    }

    fn normal(&mut self, equations: &[&str], word: &str) -> String {
        let equations = self.equations(equations);
        let word = self.word(word);
        let mut words = Words::new(&equations, Limits::default());
        let (normal, steps) = words.normal(&self.world.d.terms, &word);
        admit(&mut self.world, &equations, &word, &normal, &steps);
        let name = |x: &Id| {
            self.names
                .iter()
                .find(|(_, y)| x == y)
                .map_or("?", |(n, _)| n)
        };
        normal.iter().map(name).collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn laws() {
    let mut n = named();
    for (a, b) in [
        ("p q a", "q p p a"),
        ("a p q ~p b", "0"),
        ("T T a", "T a"),
        ("a* a* b", "a* b"),
        ("a a*", "a* a"),
        ("a a* a a*", "a* a a"),
        ("a b (ab)* c", "(ab)* a b c"),
        ("a a^w", "a^w"),
        ("a* a^w T b", "a a^w b"),
        ("0 a b", "c 0"),
    ] {
        assert!(n.equal(&[], a, b), "{a} = {b}");
        assert!(n.equal(&[], b, a), "{b} = {a}");
    }
    for (a, b) in [
        ("a b", "b a"),
        ("a*", "a a*"),
        ("a* (ab)*", "(ab)* a*"),
        ("p", "q"),
        ("a^w b", "a^w"),
        ("0 a", "a"),
    ] {
        assert!(!n.equal(&[], a, b), "{a} = {b}");
    }
}

#[test]
fn equations_are_used_anywhere_and_in_both_directions() {
    let mut n = named();
    let commute = ["a b = b a", "a p = p a", "b p = p b"];
    assert!(n.equal(&commute, "a b p a q", "p a a b q"));
    assert!(!n.equal(&commute, "a q b", "b q a"));
    assert_eq!(n.normal(&commute, "b a b p a"), "a a b b p");
    // A way through a longer word, and through 1.
    assert!(n.equal(&["a = b c b", "b c b = c"], "a a", "c c"));
    assert!(n.equal(&["a b = ", "b c = "], "a", "c"));
    assert_eq!(n.normal(&["a p = 0"], "b a q p c"), "0");
}

#[test]
fn a_limit_is_told_and_never_an_answer() {
    let n = named();
    let equations = n.equations(&["a = b a c", "a a = a b a"]);
    let limits = Limits {
        nodes: 60,
        iterations: 100,
    };
    let mut words = Words::new(&equations, limits);
    let (a, b) = (n.word("a a a"), n.word("c"));
    assert_eq!(words.equal(&n.world.d.terms, &a, &b), None);
    assert_eq!(words.stop(), Stop::Nodes);
    assert!(words.is_exhausted());

    let mut few = Words::new(
        &n.equations(&["a b = b a"]),
        Limits {
            iterations: 1,
            ..limits
        },
    );
    assert_eq!(
        few.equal(&n.world.d.terms, &n.word("a a b b"), &n.word("b b a a")),
        None
    );
    assert_eq!(few.stop(), Stop::Iterations);

    let long = vec![a[0]; 1000];
    assert_eq!(few.equal(&n.world.d.terms, &long, &a), None);
    assert_eq!(few.stop(), Stop::Length);
    assert_eq!(few.normal(&n.world.d.terms, &long), (long, Vec::new()));
}

#[test]
fn many_tests_do_not_blow_up() {
    let mut n = named();
    let t = &mut n.world.d.terms;
    let mut tests: Word = (0..70)
        .map(|k| {
            let s = t.symbol(&format!("t{k}"), true, 0);
            t.atom(s, Vec::new())
        })
        .collect();
    let a = n.word("a")[0];
    let equations = vec![(vec![tests[3], a], vec![a, tests[3]])];
    tests.push(a);
    let mut moved = tests.clone();
    moved.remove(3);
    moved.push(tests[3]);
    let limits = Limits {
        nodes: 20_000,
        iterations: 200,
    };
    let mut words = Words::new(&equations, limits);
    let steps = words
        .equal(&n.world.d.terms, &tests, &moved)
        .expect("equal");
    admit(&mut n.world, &equations, &tests, &moved, &steps);
    assert!(steps.iter().any(|s| s.cause == Cause::Equation(0)));
    assert_eq!(factors(&n.world.d.terms, ONE), Vec::<Id>::new());
}
