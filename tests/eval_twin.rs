//! `coarsen eval` against a naive twin: random terms of omega algebra, evaluated on explicit Boolean matrices over all
//! type-correct states (and over the reachable ones), straight from the relational model of omega algebra (Stoller &
//! Cohen 2003, section 2).

use crate::random;
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::engine::relations::{
    Concrete, Encoding, Evaluator, Ground, GroundAtom, Meaning, singleton,
};
use coarsen::engine::{
    State, initial_candidates, initially_violated, is_initial, successors, violates,
};
use coarsen::model::program::Program;
use coarsen::results::Status;
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;
use std::collections::HashMap;

/// Small models that differ in what lies outside a term's support.
const MODELS: [&str; 5] = [
    "mutex m; var x: 0..1 = 0 protected x by m;
     thread t(i in 0..1) {
        A: lock(m);
        B: x = 1 - x;
        C: unlock(m);
     }",
    "var x: 0..2 = 0 unprotected; var y: bool = false protected y by x == self;
     thread t(i in 0..1) {
        A: when (x == i) skip;
        B: y = !y;
        C: x = 1 - i;
     }",
    "var x: 0..2 unprotected; thread t { while (true) { A: x = 0; } }",
    "var x: bool = false protected x by self == 0;
     thread t { var n: 0..2 = 0; A: x = true; while (n < 2) { B: n = n + 1; C: x = !x; } }
     thread s { A: when (false) skip; B: x = false; }",
    "var x: 0..1 = 0 unprotected; thread t { while (true) { A: x = 1; B: x = 0; } }",
];

type Matrix = Vec<Vec<bool>>;

struct Twin {
    session: Session,
    nodes: usize,
    reachable: Vec<bool>,
    atoms: HashMap<String, Matrix>,
}

/// All valuations of the given ranges.
fn valuations(ranges: &[(i64, i64)]) -> Vec<Vec<i64>> {
    ranges.iter().fold(vec![Vec::new()], |all, &(lo, hi)| {
        let longer = |v: Vec<i64>| (lo..=hi).map(move |x| [v.as_slice(), &[x]].concat());
        all.into_iter().flat_map(longer).collect()
    })
}

fn states(p: &Program) -> Vec<State> {
    let cells: Vec<(i64, i64)> = p.cells.iter().map(|c| (c.ty.lo, c.ty.hi)).collect();
    let places: Vec<(i64, i64)> = p
        .threads
        .iter()
        .map(|t| (0, t.locations.len() as i64 - 1))
        .collect();
    let mut all = Vec::new();
    for cells in valuations(&cells) {
        for places in valuations(&places) {
            let places: Vec<usize> = places.iter().map(|&l| l as usize).collect();
            all.push(State::new(&cells, &places));
        }
    }
    all
}

impl Twin {
    fn new(source: &str) -> Twin {
        let (session, _) = Session::load("twin.cor", source, &[], ParseLimits::default()).unwrap();
        let theory = theory("stoller-cohen").unwrap();
        let report = session.check(&theory, &CheckOptions::thorough(), &Control::default());
        let p = session.program();
        let states = states(p);
        let index: HashMap<State, usize> = states
            .iter()
            .enumerate()
            .map(|(n, s)| (s.clone(), n))
            .collect();
        // Node 2n is state n without q, 2n+1 with q.
        let nodes = 2 * states.len();
        let empty = || vec![vec![false; nodes]; nodes];
        let mut atoms: HashMap<String, Matrix> = HashMap::new();
        for (t, thread) in p.threads.iter().enumerate() {
            let invisible = |l: usize| {
                let name = &thread.locations[l].name;
                report
                    .invisible
                    .iter()
                    .any(|s| s.thread == thread.name && s.location == *name)
            };
            for name in [format!("u[{t}]"), format!("v[{t}]")] {
                atoms.insert(name, empty());
            }
            for (n, s) in states.iter().enumerate() {
                let l = s.location(t);
                let name = format!("{}[{t}]", if invisible(l) { "u" } else { "v" });
                for step in successors(p, s, t) {
                    let to = index[&step.state];
                    for q in 0..2 {
                        let after = q == 1 || violates(p, t, s, &step);
                        atoms.get_mut(&name).unwrap()[2 * n + q][2 * to + usize::from(after)] =
                            true;
                        let label = format!("{}.{}", thread.name, thread.locations[l].name);
                        if thread
                            .labels
                            .iter()
                            .any(|(n, _)| *n == thread.locations[l].name)
                        {
                            atoms.entry(label).or_insert_with(empty)[2 * n + q]
                                [2 * to + usize::from(after)] = true;
                        }
                    }
                }
            }
            let u = &atoms[&format!("u[{t}]")];
            let still = (0..nodes)
                .map(|n| !u[n].contains(&true))
                .collect::<Vec<bool>>();
            atoms.insert(format!("p[{t}]"), diagonal(&still));
        }
        atoms.insert(
            "q".into(),
            diagonal(&(0..nodes).map(|n| n % 2 == 1).collect::<Vec<bool>>()),
        );
        let x0: Vec<bool> = (0..nodes)
            .map(|n| states[n / 2].cell(p.arrays[0].first) == 1)
            .collect();
        let expr = match p.arrays[0].name.as_str() {
            "m" => "{m.owner == 1}",
            _ if p.cells[0].ty.kind == coarsen::model::program::Kind::Bool => "{x}",
            _ => "{x == 1}",
        };
        atoms.insert(expr.into(), diagonal(&x0));
        let mut reachable = vec![false; nodes];
        let mut stack: Vec<usize> = initial_candidates(p)
            .filter(|s| is_initial(p, s))
            .map(|s| 2 * index[&s] + usize::from(initially_violated(p, &s)))
            .collect();
        while let Some(n) = stack.pop() {
            if std::mem::replace(&mut reachable[n], true) {
                continue;
            }
            for (name, m) in &atoms {
                if name.starts_with('u') || name.starts_with('v') {
                    stack.extend((0..nodes).filter(|&k| m[n][k]));
                }
            }
        }
        Twin {
            session,
            nodes,
            reachable,
            atoms,
        }
    }

    /// The value of a term on the states of J.
    fn value(&self, t: &Term, j: &[bool]) -> Matrix {
        let n = self.nodes;
        let on_j = |m: Matrix| -> Matrix {
            (0..n)
                .map(|a| (0..n).map(|b| m[a][b] && j[a] && j[b]).collect())
                .collect()
        };
        match t {
            Term::Zero => vec![vec![false; n]; n],
            Term::One => diagonal(j),
            Term::Top => on_j(vec![vec![true; n]; n]),
            Term::Atom(name) => on_j(self.atoms[name].clone()),
            Term::Not(x) => {
                let x = self.value(x, j);
                diagonal(&(0..n).map(|a| j[a] && !x[a][a]).collect::<Vec<bool>>())
            }
            Term::Sum(x, y) => plus(&self.value(x, j), &self.value(y, j)),
            Term::Product(x, y) => times(&self.value(x, j), &self.value(y, j)),
            Term::Star(x) => star(&self.value(x, j), j),
            Term::Omega(x) => {
                let forever = endless(&self.value(x, j));
                (0..n)
                    .map(|a| (0..n).map(|b| forever[a] && j[b]).collect())
                    .collect()
            }
            Term::Domain(x) => {
                let x = self.value(x, j);
                diagonal(&(0..n).map(|a| x[a].contains(&true)).collect::<Vec<bool>>())
            }
            Term::Codomain(x) => {
                let x = self.value(x, j);
                let on = (0..n).map(|b| x.iter().any(|row| row[b]));
                diagonal(&on.collect::<Vec<bool>>())
            }
            Term::Divergence(x) => diagonal(&endless(&self.value(x, j))),
            Term::Hash(x, y) => {
                let omega = self.value(&Term::Omega(x.clone()), j);
                plus(
                    &omega,
                    &times(&star(&self.value(x, j), j), &self.value(y, j)),
                )
            }
        }
    }

    fn below(&self, x: &Term, y: &Term) -> bool {
        let on = |j: &[bool]| {
            let (x, y) = (self.value(x, j), self.value(y, j));
            x.iter()
                .zip(&y)
                .all(|(a, b)| a.iter().zip(b).all(|(a, b)| !a || *b))
        };
        on(&vec![true; self.nodes]) || on(&self.reachable)
    }
}

fn diagonal(on: &[bool]) -> Matrix {
    (0..on.len())
        .map(|a| (0..on.len()).map(|b| a == b && on[a]).collect())
        .collect()
}

fn plus(x: &Matrix, y: &Matrix) -> Matrix {
    x.iter()
        .zip(y)
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| *a || *b).collect())
        .collect()
}

fn times(x: &Matrix, y: &Matrix) -> Matrix {
    let n = x.len();
    x.iter()
        .map(|row| {
            let mut out = vec![false; n];
            for (k, _) in row.iter().enumerate().filter(|(_, on)| **on) {
                for (o, v) in out.iter_mut().zip(&y[k]) {
                    *o |= v;
                }
            }
            out
        })
        .collect()
}

fn star(x: &Matrix, j: &[bool]) -> Matrix {
    let mut total = plus(&diagonal(j), x);
    loop {
        let more = times(&total, &total);
        if more == total {
            return total;
        }
        total = more;
    }
}

fn endless(x: &Matrix) -> Vec<bool> {
    let mut on = vec![true; x.len()];
    loop {
        let next: Vec<bool> = x
            .iter()
            .map(|row| row.iter().zip(&on).any(|(step, on)| *step && *on))
            .collect();
        if next == on {
            return on;
        }
        on = next;
    }
}

#[derive(Clone, Debug)]
enum Term {
    Zero,
    One,
    Top,
    Atom(String),
    Not(Box<Term>),
    Sum(Box<Term>, Box<Term>),
    Product(Box<Term>, Box<Term>),
    Star(Box<Term>),
    Omega(Box<Term>),
    Domain(Box<Term>),
    Divergence(Box<Term>),
    Codomain(Box<Term>),
    Hash(Box<Term>, Box<Term>),
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Term::Zero => write!(f, "0"),
            Term::One => write!(f, "1"),
            Term::Top => write!(f, "T"),
            Term::Atom(a) => write!(f, "{a}"),
            Term::Not(x) => write!(f, "~({x})"),
            Term::Sum(x, y) => write!(f, "({x} + {y})"),
            Term::Product(x, y) => write!(f, "({x} {y})"),
            Term::Star(x) => write!(f, "({x})*"),
            Term::Omega(x) => write!(f, "({x})^w"),
            Term::Domain(x) => write!(f, "dom({x})"),
            Term::Divergence(x) => write!(f, "div({x})"),
            Term::Codomain(x) => write!(f, "cod({x})"),
            Term::Hash(x, y) => write!(f, "(({x}) # ({y}))"),
        }
    }
}

/// Whether it may end in any state.
fn has_top(t: &Term) -> bool {
    match t {
        Term::Top | Term::Omega(_) | Term::Hash(..) => true,
        Term::Zero | Term::One | Term::Atom(_) => false,
        Term::Domain(x) | Term::Codomain(x) | Term::Divergence(x) => has_top(x),
        Term::Not(x) | Term::Star(x) => has_top(x),
        Term::Sum(x, y) | Term::Product(x, y) => has_top(x) || has_top(y),
    }
}

fn term(actions: Vec<String>, tests: Vec<String>) -> impl Strategy<Value = Term> + Clone {
    let test = prop::sample::select(tests).prop_map(Term::Atom);
    let tests = test.clone().prop_recursive(2, 4, 2, |x| {
        prop_oneof![
            x.clone().prop_map(|x| Term::Not(Box::new(x))),
            (x.clone(), x.clone()).prop_map(|(x, y)| Term::Sum(Box::new(x), Box::new(y))),
            (x.clone(), x).prop_map(|(x, y)| Term::Product(Box::new(x), Box::new(y))),
        ]
    });
    let leaf = prop_oneof![
        6 => prop::sample::select(actions).prop_map(Term::Atom),
        3 => tests,
        1 => Just(Term::Top),
        1 => Just(Term::One),
        1 => Just(Term::Zero),
    ];
    leaf.prop_recursive(4, 12, 2, |x| {
        prop_oneof![
            3 => (x.clone(), x.clone()).prop_map(|(x, y)| Term::Sum(Box::new(x), Box::new(y))),
            5 => (x.clone(), x.clone()).prop_map(|(x, y)| Term::Product(Box::new(x), Box::new(y))),
            1 => x.clone().prop_map(|x| Term::Star(Box::new(x))),
            1 => x.clone().prop_map(|x| Term::Omega(Box::new(x))),
            1 => (x.clone(), any::<bool>(), any::<bool>()).prop_map(|(x, ahead, not)| {
                let x = Box::new(x);
                // `cod` of what ends anywhere is refused.
                let test = match ahead || has_top(&x) {
                    true => Term::Domain(x),
                    false => Term::Codomain(x),
                };
                if not { Term::Not(Box::new(test)) } else { test }
            }),
            1 => (x.clone(), any::<bool>()).prop_map(|(x, not)| {
                let test = Term::Divergence(Box::new(x));
                if not { Term::Not(Box::new(test)) } else { test }
            }),
            1 => (x.clone(), x).prop_map(|(x, y)| Term::Hash(Box::new(x), Box::new(y))),
        ]
    })
}

fn check(twin: &Twin, left: &Term, right: &Term) -> Result<bool, TestCaseError> {
    let expected = twin.below(left, right);
    let text = format!("{left} <= {right}");
    let theory = theory("stoller-cohen").unwrap();
    let report = twin.session.eval(&text, &theory, &Control::default());
    let report = report.map_err(|d| TestCaseError::fail(format!("{text}: {d:?}")))?;
    let found = report.status == Status::Holds;
    prop_assert_eq!(found, expected, "{}: {:?}", text, report);
    prop_assert!(report.status != Status::Unknown);
    prop_assert_eq!(report.witness.is_some(), !expected);
    Ok(expected)
}

/// What random inclusions have found: `cod` has to see steps from the reachable states only, however deep it stands.
#[test]
fn codomains_see_steps_from_the_states_at_hand() {
    let twin = Twin::new(MODELS[0]);
    let not = |x| Term::Not(Box::new(x));
    let cod = |x| Term::Codomain(Box::new(x));
    let atom = |name: &str| {
        let known = twin.atoms.keys().find(|k| k.as_str() == name);
        Term::Atom(known.unwrap_or_else(|| panic!("{name}")).clone())
    };
    let none = || not(Term::Sum(Box::new(atom("p[0]")), Box::new(atom("p[1]"))));
    let step = || atom("t(0).A");
    for left in [
        cod(none()),
        Term::Product(Box::new(cod(none())), Box::new(step())),
        Term::Star(Box::new(Term::Product(
            Box::new(cod(step())),
            Box::new(step()),
        ))),
        Term::Domain(Box::new(Term::Product(
            Box::new(cod(none())),
            Box::new(step()),
        ))),
    ] {
        for right in [step(), Term::Zero, Term::One, cod(step()), not(cod(step()))] {
            check(&twin, &left, &right).unwrap_or_else(|e| panic!("{e}"));
            check(&twin, &right, &left).unwrap_or_else(|e| panic!("{e}"));
        }
    }
    let theory = theory("stoller-cohen").unwrap();
    for text in [
        "cod(q T) <= 0",
        "1 <= dom(cod(t(0).A^w) t(0).A)",
        "<(q # q)| 1 <= 0",
    ] {
        let refused = twin.session.eval(text, &theory, &Control::default());
        assert!(refused.is_err(), "{text}");
    }
}

#[test]
fn random_inclusions_agree_with_matrices() {
    for source in MODELS {
        let twin = Twin::new(source);
        let mut actions: Vec<String> = twin.atoms.keys().cloned().collect();
        actions.sort();
        let is_test = |a: &String| a.starts_with('p') || a == "q" || a.starts_with('{');
        let (tests, actions): (Vec<String>, Vec<String>) = actions.into_iter().partition(is_test);
        let term = term(actions, tests);
        let (held, failed) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
        proptest!(random::config(250), |(x in term.clone(), y in term.clone(), rotate in 0..5)| {
            // Unrelated terms are seldom included in each other; these shapes often are.
            let star = |y: &Term| Term::Star(Box::new(y.clone()));
            let then = |x: &Term, y: Term| Term::Product(Box::new(x.clone()), Box::new(y));
            let right = match rotate {
                0 => y.clone(),
                1 => Term::Sum(Box::new(y.clone()), Box::new(x.clone())),
                2 => then(&x, star(&y)),
                // From some states to all others.
                3 => Term::Sum(Box::new(then(&y, Term::Top)), Box::new(x.clone())),
                _ => then(&x, Term::Sum(Box::new(then(&y, Term::Top)), Box::new(star(&y)))),
            };
            let outcome = if check(&twin, &x, &right)? { &held } else { &failed };
            outcome.set(outcome.get() + 1);
        });
        assert!(
            random::enough(held.get(), 1) && random::enough(failed.get(), 1),
            "one-sided: {held:?} held, {failed:?} failed"
        );
    }
}

/// What is included from each of some states is included on their set; with single states it is decided in another way.
#[test]
fn an_inclusion_on_a_set_is_one_from_each_of_its_states() {
    for source in MODELS {
        let (session, _) = Session::load("twin.cor", source, &[], ParseLimits::default()).unwrap();
        let (p, control) = (session.program(), Control::default());
        let e = Encoding::new(p, &control).expect("small");
        let of = |t: usize| Meaning::Actions(e.of_thread(t).collect());
        let mut meanings: Vec<Meaning> = (0..p.threads.len()).map(of).collect();
        meanings.extend((0..e.actions.len()).map(|a| Meaning::Actions(vec![a])));
        meanings.push(Meaning::Test(e.q()));
        let atoms: Vec<GroundAtom> = meanings
            .into_iter()
            .enumerate()
            .map(|(n, meaning)| GroundAtom {
                name: n.to_string(),
                meaning,
            })
            .collect();
        let one = |(state, violated): (State, bool)| {
            let concrete = Concrete { state, violated };
            singleton(&e, &concrete, &e.all_bits())
        };
        let states = states(p).into_iter();
        let states = states.flat_map(|s| [(s.clone(), false), (s, true)]);
        let singles: Vec<_> = states.map(one).collect();
        let word = prop::collection::vec(0..atoms.len(), 1..4);
        let right = prop::collection::vec((word.clone(), any::<bool>()), 1..4);
        let [held, failed] = [const { std::cell::Cell::new(0) }; 2];
        proptest!(random::config(60), |(left in word, right in right, keep in 2..7usize)| {
            let product = |word: &[usize]| word.iter().map(|a| Ground::Atom(*a)).collect();
            let summand = |(word, top): &(Vec<usize>, bool)| {
                let mut all: Vec<Ground> = product(word);
                all.extend(top.then_some(Ground::Top));
                Ground::Product(all)
            };
            // Its own first letter makes the right side likely to be larger.
            let then = Ground::Sum(right.iter().map(summand).collect());
            let mut all = vec![Ground::Product(vec![Ground::Atom(left[0]), then])];
            all.extend(right.first().map(summand));
            let (left, right) = (Ground::Product(product(&left)), Ground::Sum(all));
            let included = |on| {
                let evaluator = Evaluator { encoding: &e, atoms: &atoms, assumption: Some(on) };
                evaluator.included(&left, &right).expect("small").failure.is_none()
            };
            let chosen: Vec<_> = singles.iter().step_by(keep).collect();
            let set = chosen.iter().fold(e.m.no(), |set, one| e.m.or(&set, one).expect("small"));
            let whole = included(&set);
            prop_assert_eq!(whole, chosen.iter().all(|one| included(one)));
            let outcome = if whole { &held } else { &failed };
            outcome.set(outcome.get() + 1);
        });
        let seen = [held.get(), failed.get()];
        assert!(seen.iter().all(|n| random::enough(*n, 1)), "{seen:?}");
    }
}

#[test]
fn one_action_on_the_left_may_need_others_on_the_right() {
    let twin = Twin::new(MODELS[4]);
    let theory = theory("stoller-cohen").unwrap();
    for (text, expected) in [
        ("v[0] T <= v[0] v[0] T", Status::Holds),
        ("t.A T <= t.A t.A T", Status::Refuted),
        ("t.A T <= t.A t.B T", Status::Holds),
        // On the reachable states, of which there are two, T leads nowhere else.
        ("t.A T <= t.A*", Status::Holds),
        // An atom that occurs again inside a factor must not be split either.
        ("v[0] (v[0] + 0) <= 0", Status::Refuted),
        ("v[0] v[0]* v[0] <= t.A + t.B", Status::Refuted),
    ] {
        let report = twin
            .session
            .eval(text, &theory, &Control::default())
            .unwrap();
        assert_eq!(report.status, expected, "{text}: {report:?}");
    }
}

#[test]
fn a_top_on_the_left_sees_what_lies_outside_the_support() {
    let twin = Twin::new(MODELS[0]);
    let theory = theory("stoller-cohen").unwrap();
    for (text, expected) in [
        ("T <= 1", Status::Refuted),
        ("1 <= T", Status::Holds),
        ("{m.owner == 1} T <= {m.owner == 1}", Status::Refuted),
        (
            "{m.owner == 1} T <= {m.owner == 1} T {x == 0} + T {x == 1}",
            Status::Holds,
        ),
        (
            "{m.owner == 1} T <= {m.owner == 1} T {m.owner != 1}",
            Status::Refuted,
        ),
        // No violation is reachable, so on the reachable states q is empty.
        ("q T <= 0", Status::Holds),
        ("u[0] T <= u[0]", Status::Refuted),
        ("T u[0] <= T", Status::Holds),
        ("(1)^w = T", Status::Holds),
        ("T = T T", Status::Holds),
        ("u[0] # 1 = u[0]*", Status::Holds),
    ] {
        let report = twin
            .session
            .eval(text, &theory, &Control::default())
            .unwrap();
        assert_eq!(report.status, expected, "{text}: {report:?}");
    }
}
