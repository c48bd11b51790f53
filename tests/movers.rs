//! What is said of movers, on random programs: classes under a condition hold from every reachable state in which
//! nothing has been violated, and where a law fails the state that is told shows it.

use crate::claimed::programs;
use crate::random;
use crate::twin::generate::{Disciplines, samples_with};
use coarsen::Session;
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::engine::relations::Encoding;
use coarsen::engine::{
    State, Successor, holds, initial_candidates, initially_violated, is_initial, successors,
    violates,
};
use coarsen::model::program::{ClaimedBlock, Class, Expr, Program, ThreadId};
use coarsen::results::{
    Binding, Condition, Law, Missed, MoverClass, MoverStatement, MoversReport, Spot, Status, Way,
};
use coarsen::theorem::{Detail, judged};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};

/// The steps of a thread that violate nothing.
fn clean(p: &Program, state: &State, thread: ThreadId) -> Vec<State> {
    let all = successors(p, state, thread);
    let kept = all.into_iter().filter(|s| !violates(p, thread, state, s));
    kept.map(|s| s.state).collect()
}

/// The states that executions without violations reach.
fn reachable(p: &Program) -> HashSet<State> {
    let initial = initial_candidates(p).filter(|s| is_initial(p, s) && !initially_violated(p, s));
    let mut open: Vec<State> = initial.collect();
    let mut met: HashSet<State> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for t in 0..p.threads.len() {
            for next in clean(p, &state, t) {
                if met.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    met
}

/// Properties (1) and (3), (4) of Levin et al. 2005, of these steps of a thread.
fn is_true(
    p: &Program,
    me: ThreadId,
    steps: &dyn Fn(&State) -> Vec<State>,
    (right, left): (bool, bool),
) -> Result<(), TestCaseError> {
    for s in reachable(p) {
        for other in (0..p.threads.len()).filter(|o| *o != me) {
            let mine = steps(&s);
            let theirs = clean(p, &s, other);
            let swapped: HashSet<State> = theirs.iter().flat_map(steps).collect();
            let straight: HashSet<State> = mine.iter().flat_map(|s| clean(p, s, other)).collect();
            prop_assert!(!right || straight.is_subset(&swapped), "right: {s:?}");
            if left {
                prop_assert!(swapped.is_subset(&straight), "left: {s:?}");
                let kept = theirs.iter().all(|s| !steps(s).is_empty());
                prop_assert!(mine.is_empty() || kept, "disabled: {s:?}");
            }
        }
    }
    Ok(())
}

/// The same, where the action is taken from states with a condition only.
fn is_true_under(
    p: &Program,
    (me, at): (ThreadId, usize),
    under: &Expr,
    classes: (bool, bool),
) -> Result<(), TestCaseError> {
    let steps = |s: &State| match s.location(me) == at && holds(p, under, s) {
        true => clean(p, s, me),
        false => Vec::new(),
    };
    is_true(p, me, &steps, classes).map_err(|e| TestCaseError::fail(format!("{under:?}: {e}")))
}

#[test]
fn classes_under_a_condition_are_true() {
    let mut runner = random::runner(512);
    let seen = [const { Cell::new(0) }; 2];
    runner
        .run(&programs(), |source| {
            let Ok((session, _)) = Session::load("m.cor", &source, &[], ParseLimits::default())
            else {
                return Ok(());
            };
            let (p, control) = (session.program(), Control::default());
            let e = Encoding::new(p, &control).expect("small");
            for (n, judged) in judged(&e, &[], Detail::Conditions)
                .expect("small")
                .iter()
                .enumerate()
            {
                for under in &judged.under {
                    // What it is anyway is no matter of the condition.
                    let right = under.right && !judged.mover.right;
                    let left = under.left && !judged.mover.left;
                    prop_assert!(right || left, "{under:?}");
                    seen[0].set(seen[0].get() + usize::from(right));
                    seen[1].set(seen[1].get() + usize::from(left));
                    let place = (e.actions[n].thread, e.actions[n].location);
                    is_true_under(p, place, &under.condition, (right, left))?;
                }
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let [right, left] = seen.map(|c| c.get());
    assert!(
        random::enough(right, 100) && random::enough(left, 50),
        "{right} right, {left} left"
    );
}

/// Programs with a family, statement by statement on a line of its own; its members differ by their index.
fn families() -> impl Strategy<Value = String> {
    let statement = prop::sample::select(vec![
        "x = i;",
        "s = x;",
        "x = s;",
        "if (x == i) y = 1;",
        "if (x != i) { y = 0; } else { y = 1; }",
        "a[i] = x;",
        "s = a[i];",
        "a[0] = 1;",
        "s = a[0];",
        "when (x != i) skip;",
        "when (y == 0) skip;",
        "if (s < x) y = 1 - y;",
        "if (cas(x, s, i)) y = 1;",
        "done = cas(x, i, 0);",
        "lock(m);",
        "unlock(m);",
        "if (x < K) x = x + 1;",
        "s = a[s];",
        "either { x = 0; } or { s = x; }",
    ]);
    let body = || prop::collection::vec(statement.clone(), 1..4);
    (body(), body(), 0..2i64).prop_map(|(family, alone, low)| {
        let (high, mut source) = (low + 1, String::new());
        source += "const K = 2;\nmutex m;\nvar x: 0..2 = 0 unprotected;\nvar y: 0..1 = 0 unprotected;\n\
                   var a[3]: 0..2 = 0 unprotected;\n";
        let locals = "var s: 0..2 = 0;\nvar done: bool = false;\n";
        source += &format!("thread t(i in {low}..{high}) {{\n{locals}{}\n}}\n", family.join("\n"));
        let alone = alone.join("\n").replace("i;", "1;").replace("[i]", "[1]");
        let alone = alone.replace("== i", "== 1").replace("!= i", "!= 1");
        let alone = alone.replace(", i", ", 1");
        source + &format!("thread u {{\n{locals}{alone}\n}}\n")
    })
}

fn reported(session: &Session) -> MoversReport {
    let default = coarsen::theory("stoller-cohen").expect("shipped");
    let lipton = coarsen::theory("lipton");
    session.movers(&default, lipton.as_ref(), &Control::default())
}

fn loaded(source: &str) -> Option<Session> {
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    loaded.ok().map(|(session, _)| session)
}

/// The locations of a thread where a statement stands.
fn places(p: &Program, s: &MoverStatement, thread: &str) -> Vec<(ThreadId, usize)> {
    let thread = p.threads.iter().position(|t| t.name == thread);
    let thread = thread.expect("the thread");
    let at = |l: &usize| {
        let span = p.threads[thread].locations[*l].span;
        p.line(span) == s.line && p.text(span) == s.text
    };
    let steps = p.threads[thread].steps().filter(at);
    steps.map(|l| (thread, l)).collect()
}

/// A condition, as a thread says it of itself, of the program's state.
fn meant(source: &str, condition: &Condition, thread: &str) -> Expr {
    let index = thread.trim_start_matches(char::is_alphabetic);
    let index = index.trim_matches(['(', ')']);
    let text = match condition {
        Condition::Holds(lock) => format!("{lock}.owner == {thread}"),
        Condition::Free(lock) => format!("{lock}.owner == none"),
        Condition::Access(_) => unreachable!("nothing is protected"),
        Condition::Expression(text) => {
            let mut out = String::new();
            let mut word = String::new();
            for c in text.chars().chain([' ']) {
                if c.is_alphanumeric() {
                    word.push(c);
                    continue;
                }
                out += &match word.as_str() {
                    "i" => index.to_string(),
                    "s" | "done" => format!("{thread}.{word}"),
                    _ => word.clone(),
                };
                word.clear();
                out.push(c);
            }
            out
        }
    };
    let asked = format!("{source}invariant meant: {text};");
    let session = loaded(&asked).unwrap_or_else(|| panic!("{asked}"));
    session.program().properties[0].expr.clone()
}

#[test]
fn printed_conditions_are_true_of_each_member() {
    let mut runner = random::runner(512);
    let seen = [const { Cell::new(0) }; 2];
    runner
        .run(&families(), |source| {
            let Some(session) = loaded(&source) else {
                return Ok(());
            };
            let p = session.program();
            for s in &reported(&session).statements {
                for u in &s.under {
                    let alone = u.threads.len() == 1 && s.threads.len() > 1;
                    let of_all = u.threads.len() > 1;
                    seen[0].set(seen[0].get() + usize::from(of_all));
                    seen[1].set(seen[1].get() + usize::from(alone));
                    let is = |class| [class, MoverClass::Both].contains(&u.class);
                    let right = is(MoverClass::Right) && s.class != MoverClass::Right;
                    let left = is(MoverClass::Left) && s.class != MoverClass::Left;
                    prop_assert!(right || left);
                    for t in &u.threads {
                        let condition = meant(&source, &u.condition, t);
                        for place in places(p, s, t) {
                            is_true_under(p, place, &condition, (right, left))?;
                        }
                    }
                }
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let [all, alone] = seen.map(|c| c.get());
    assert!(
        random::enough(all, 100) && random::enough(alone, 10),
        "{all} of all members, {alone} of one"
    );
}

/// Whether a step goes the way that is told.
fn goes(p: &Program, (me, at): (ThreadId, usize), way: &Way, step: &Successor) -> bool {
    let locations = &p.threads[me].locations;
    let spot = |span| (p.line(span), p.text(span));
    let told = |s: &Spot| (s.line, s.text.clone());
    let taken = spot(locations[at].edges[step.edge].span);
    let to = step.state.location(me);
    let then = match p.threads[me].resting().any(|l| l == to) {
        true => (0, locations[to].name.clone()),
        false => spot(locations[to].span),
    };
    let arrays = step.writes.iter().map(|&c| &p.arrays[p.cells[c].array]);
    let shared = arrays.filter(|a| a.class != Class::Local(me));
    let writes: BTreeSet<&str> = shared.map(|a| a.name.as_str()).collect();
    let same = |w: &Vec<String>| w.iter().map(String::as_str).eq(writes.iter().copied());
    way.taken.as_ref().is_none_or(|s| told(s) == taken)
        && way.then.as_ref().is_none_or(|s| told(s) == then)
        && way.writes.as_ref().is_none_or(|w| {
            let mut w = w.clone();
            w.sort();
            same(&w)
        })
}

#[test]
fn classes_of_ways_are_true() {
    let mut runner = random::runner(2048);
    let seen = [const { Cell::new(0) }; 3];
    runner
        .run(&families(), |source| {
            let Some(session) = loaded(&source) else {
                return Ok(());
            };
            let p = session.program();
            for s in &reported(&session).statements {
                for way in &s.branches {
                    let kinds = [
                        way.taken.is_some(),
                        way.then.is_some(),
                        way.writes.is_some(),
                    ];
                    for (count, is) in seen.iter().zip(kinds) {
                        count.set(count.get() + usize::from(is));
                    }
                    let is = |class| [class, MoverClass::Both].contains(&way.class);
                    let classes = (is(MoverClass::Right), is(MoverClass::Left));
                    prop_assert!(classes.0 || classes.1);
                    let mut taken = false;
                    for (me, at) in s.threads.iter().flat_map(|t| places(p, s, t)) {
                        let steps = |s: &State| match s.location(me) == at {
                            true => {
                                let all = successors(p, s, me).into_iter();
                                let kept = all.filter(|n| !violates(p, me, s, n));
                                let kept = kept.filter(|n| goes(p, (me, at), way, n));
                                kept.map(|n| n.state).collect()
                            }
                            false => Vec::new(),
                        };
                        is_true(p, me, &steps, classes)
                            .map_err(|e| TestCaseError::fail(format!("{source}\n{way}: {e}")))?;
                        taken |= reachable(p).iter().any(|s| !steps(s).is_empty());
                    }
                    prop_assert!(taken, "{source}\n{way}: never taken");
                }
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let seen = seen.map(|c| c.get());
    assert!(seen.iter().all(|n| random::enough(*n, 5)), "{seen:?}");
}

/// What the two orders give, of a state, so far as it is told.
fn shows(p: &Program, missed: &Missed, s: &State, places: &[(ThreadId, usize)]) -> bool {
    let thread = |name: &str| p.threads.iter().position(|t| t.name == *name);
    let (me, other) = (thread(&missed.thread), thread(&missed.other.thread));
    let (me, other) = (me.expect("a"), other.expect("b"));
    let exchange = missed.exchange.as_ref().expect("few outcomes");
    let value = |s: &State, name: &str| match thread(name) {
        Some(t) => p.threads[t].locations[s.location(t)].name.clone(),
        None => {
            let cell = p.cells.iter().position(|c| c.name == name).expect("a cell");
            p.show(cell, s.cell(cell))
        }
    };
    let has = |s: &State, all: &[Binding]| all.iter().all(|b| value(s, &b.name) == b.value);
    let at_line = |t: ThreadId, line| p.line(p.threads[t].locations[s.location(t)].span) == line;
    if !has(s, &exchange.state) || !at_line(other, missed.other.line) {
        return false;
    }
    // Where a stands, and goes on from, is told by its statement.
    let mine = |s: &State| match places.contains(&(me, s.location(me))) {
        true => clean(p, s, me),
        false => Vec::new(),
    };
    let here = s.location(other);
    let theirs = |s: &State| match s.location(other) == here {
        true => clean(p, s, other),
        false => Vec::new(),
    };
    let first: HashSet<State> = mine(s).iter().flat_map(theirs).collect();
    let second: HashSet<State> = theirs(s).iter().flat_map(mine).collect();
    let (taken, swapped) = match missed.law {
        Law::Right => (first, second),
        Law::Left => (second, first),
        // Some step of b takes an outcome away.
        _ => (mine(s).into_iter().collect(), second),
    };
    let gives = |u: &State| {
        let told = exchange.swapped.as_ref();
        has(u, &exchange.taken) && told.is_none_or(|told| swapped.iter().any(|v| has(v, told)))
    };
    let lost = taken.difference(&swapped).any(gives);
    match exchange.impossible {
        Some(_) if missed.law == Law::Outcome => {
            lost && theirs(s).iter().any(|s| mine(s).is_empty())
        }
        Some(_) => lost && swapped.is_empty(),
        None => lost,
    }
}

#[test]
fn what_is_in_the_way_is_seen_in_the_state_that_is_told() {
    let mut runner = random::runner(512);
    let seen = [const { Cell::new(0) }; 3];
    runner
        .run(&families(), |source| {
            let Some(session) = loaded(&source) else {
                return Ok(());
            };
            let p = session.program();
            let states = reachable(p);
            for s in &reported(&session).statements {
                for missed in s.right.iter().chain(&s.left) {
                    let exchange = missed.exchange.as_ref().expect("few outcomes");
                    prop_assert!(exchange.reachable);
                    let law = [Law::Right, Law::Left, Law::Outcome];
                    let law = law
                        .iter()
                        .position(|l| *l == missed.law)
                        .expect("no violations");
                    seen[law].set(seen[law].get() + 1);
                    let places = places(p, s, &missed.thread);
                    prop_assert!(
                        states.iter().any(|s| shows(p, missed, s, &places)),
                        "{source}\nline {}: {missed}",
                        s.line
                    );
                }
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let seen = seen.map(|c| c.get());
    assert!(seen.iter().all(|n| random::enough(*n, 50)), "{seen:?}");
}

/// The rung on which no law fails may be any, and what fails at reachable states fails on all: so where nothing
/// is violated, a right mover is what commutes to the right from every reachable state, and a left mover commutes to
/// the left.
#[test]
fn right_movers_are_those_of_the_definition() {
    let mut runner = random::runner(256);
    let (seen, lefts) = ([const { Cell::new(0) }; 2], [const { Cell::new(0) }; 2]);
    runner
        .run(&samples_with(Disciplines::Omitted), |sample| {
            let source = &sample.source;
            let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
            let (session, _) = loaded.expect("a model");
            let (p, control) = (session.program(), Control::default());
            prop_assert!(p.protections.is_empty());
            let (e, met) = (Encoding::new(p, &control).expect("small"), reachable(p));
            let all = judged(&e, &[], Detail::Class).expect("small");
            for (a, judged) in e.actions.iter().zip(&all) {
                let mine = |s: &State| match s.location(a.thread) == a.location {
                    true => clean(p, s, a.thread),
                    false => Vec::new(),
                };
                let commutes = |s: &State, other: ThreadId| {
                    let theirs = clean(p, s, other);
                    let swapped: HashSet<State> = theirs.iter().flat_map(mine).collect();
                    let mut straight = mine(s).into_iter().flat_map(|s| clean(p, &s, other));
                    straight.all(|s| swapped.contains(&s))
                };
                let others = |t: &ThreadId| *t != a.thread;
                let right = (0..p.threads.len())
                    .filter(others)
                    .all(|t| met.iter().all(|s| commutes(s, t)));
                prop_assert_eq!(judged.mover.right, right, "{:?} in {}", a.location, source);
                seen[usize::from(right)].set(seen[usize::from(right)].get() + 1);
                // (3), and (4) for each outcome: a step of the other neither leads here nor takes an outcome away.
                let stays = |s: &State, other: ThreadId| {
                    let ends: Vec<Vec<State>> =
                        mine(s).iter().map(|u| clean(p, u, other)).collect();
                    clean(p, s, other).iter().all(|v| {
                        let then = mine(v);
                        let reached = |w: &State| ends.iter().any(|end| end.contains(w));
                        then.iter().all(reached)
                            && ends.iter().all(|end| then.iter().any(|w| end.contains(w)))
                    })
                };
                let left = (0..p.threads.len())
                    .filter(others)
                    .all(|t| met.iter().all(|s| stays(s, t)));
                prop_assert!(!judged.mover.left || left, "{:?} in {source}", a.location);
                lefts[usize::from(left)].set(lefts[usize::from(left)].get() + 1);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    for [none, some] in [seen, lefts].map(|seen| seen.map(|c| c.get())) {
        assert!(
            random::enough(none, 50) && random::enough(some, 50),
            "{none} and {some}"
        );
    }
}

/// Conditions that people know: a flag that is never taken back, the last reference.
#[test]
fn known_conditions() {
    let told = |source: &str, line: &str| -> Vec<String> {
        let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
        let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
        let default = coarsen::theory("stoller-cohen").expect("shipped");
        let report = session.movers(
            &default,
            coarsen::theory("lipton").as_ref(),
            &Control::default(),
        );
        let mut of = report.statements.iter().filter(|s| s.text == line);
        let all = of.next().map(|a| a.under.iter()).into_iter().flatten();
        all.map(|u| format!("{} if {}", u.class.id(), u.condition))
            .collect()
    };
    let flag = "var ready: bool = false unprotected; var x: 0..1 = 0 unprotected;
        thread a { ready = true; }
        thread b { if (ready) { x = 1; } }";
    assert_eq!(told(flag, "if (ready)"), ["right if ready"]);
    let count = "var count: 0..2 = 2 unprotected;
        thread t(i in 0..1) { var last: bool = false;
            atomic { count = count - 1; last = count == 0; } }";
    assert_eq!(
        told(count, "atomic { count = count - 1; last = count == 0; }"),
        ["right if count == 1"]
    );
    // Not `tail == 2`, which is true of the first member only.
    let swapped = "var tail: 0..2 = 0 unprotected; var seen: 0..2 = 0 unprotected;
        thread t(i in 1..2) { var before: 0..2 = 0;
            before = swap(tail, i); if (!cas(tail, i, 0)) seen = before; }";
    assert_eq!(
        told(swapped, "if (!cas(tail, i, 0))"),
        ["right if tail != i"]
    );
    let compared = "var count: 0..3 = 0 unprotected;
        thread t(i in 1..3) { var seen: 0..3 = 0; seen = count; if (cas(count, seen, seen + 1)) skip; }";
    let line = "if (cas(count, seen, seen + 1))";
    assert_eq!(told(compared, line)[..1], ["right if count != seen"]);
}

/// What a model says of its blocks is answered by the definition, location by location.
#[test]
fn annotations_are_true() {
    const WORDS: [&str; 4] = ["left", "right", "both", "atomic"];
    let strategy = (programs(), prop::sample::select(&WORDS[..]));
    let mut runner = random::runner(512);
    let seen = [const { Cell::new(0) }; 3];
    let atomic = Cell::new(0);
    runner
        .run(&strategy, |(source, word)| {
            let said = source.replace("transaction c0 ", &format!("transaction c0 {word} "));
            let Some(session) = loaded(&said) else {
                return Ok(());
            };
            let (p, report) = (session.program(), reported(&session));
            let claim = p.claims.iter().find(|c| c.name == "c0");
            let (Some(claim), [a]) = (claim, report.annotations.as_slice()) else {
                return Err(TestCaseError::fail("one annotation"));
            };
            prop_assert_eq!((a.name.as_str(), a.said), ("c0", word));
            seen[a.verdict as usize].set(seen[a.verdict as usize].get() + 1);
            prop_assert_eq!(a.verdict == Status::Refuted && a.against.is_empty(), false);
            let classes = (
                matches!(word, "right" | "both"),
                matches!(word, "left" | "both"),
            );
            if a.verdict != Status::Holds {
                return Ok(());
            }
            for b in &claim.blocks {
                let moves = |l: usize, classes: (bool, bool)| {
                    let steps = |s: &State| match s.location(b.thread) == l {
                        true => clean(p, s, b.thread),
                        false => Vec::new(),
                    };
                    is_true(p, b.thread, &steps, classes)
                };
                if word == "atomic" {
                    atomic.set(atomic.get() + 1);
                    prop_assert!(is_reducible(p, b, &moves), "{said}");
                    continue;
                }
                for &l in b.entries.iter().chain(&b.inside) {
                    moves(l, classes)?;
                }
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let [holds, refuted, _] = seen.map(|c| c.get());
    assert!(
        random::enough(holds, 50) && random::enough(refuted, 50),
        "{holds} hold, {refuted} refuted"
    );
    assert!(random::enough(atomic.get(), 20), "{} atomic", atomic.get());
}

/// Whether each way through a block is right movers, one step, left movers.
fn is_reducible(
    p: &Program,
    b: &ClaimedBlock,
    moves: &dyn Fn(usize, (bool, bool)) -> Result<(), TestCaseError>,
) -> bool {
    let mut open: Vec<(usize, bool)> = b.entries.iter().map(|l| (*l, false)).collect();
    let mut met: HashSet<(usize, bool)> = open.iter().copied().collect();
    while let Some((l, committed)) = open.pop() {
        let committed = match committed {
            true if moves(l, (false, true)).is_err() => return false,
            true => true,
            false => moves(l, (true, false)).is_err(),
        };
        for to in p.threads[b.thread].locations[l].targets() {
            if b.inside.contains(&to) && met.insert((to, committed)) {
                open.push((to, committed));
            }
        }
    }
    true
}

/// One block of each kind that is what is said, and one that is not; and one that nobody enters.
#[test]
fn annotations_name_what_is_in_the_way() {
    let source = "mutex m; var x: 0..3 = 0; var y: 0..3 = 0;
thread w(i in 1..2) { var left: 0..3 = 0;
  transaction a atomic { lock(m); transaction b both { left = x; x = 1; } transaction c left { unlock(m); } }
  transaction d right { lock(m); transaction e both { unlock(m); } }
  transaction f atomic { left = y; y = i; }
  if (x > 2) { transaction never both { y = 0; } }
}";
    let report = reported(&loaded(source).expect("a model"));
    let told: Vec<(&str, Status, Vec<&str>)> = report
        .annotations
        .iter()
        .map(|a| {
            let against = a.against.iter().map(|s| s.text.as_str()).collect();
            (a.name.as_str(), a.verdict, against)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("a", Status::Holds, vec![]),
            ("b", Status::Holds, vec![]),
            ("c", Status::Holds, vec![]),
            ("d", Status::Refuted, vec!["unlock(m);"]),
            ("e", Status::Refuted, vec!["unlock(m);"]),
            ("f", Status::Refuted, vec!["left = y;", "y = i;"]),
            ("never", Status::Unknown, vec![]),
        ]
    );
    assert!(
        report
            .annotations
            .iter()
            .all(|a| a.entered == (a.name != "never"))
    );
}
