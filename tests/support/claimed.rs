//! Random programs with claims `transaction NAME { .. }`, and what is true of claims, by the definition: all states are
//! enumerated with the interpreter, and what is observed is found on the paths of the text.

#![allow(dead_code, reason = "every program uses its own part")]

use coarsen::base::control::Control;
use coarsen::base::evidence::Bundle;
use coarsen::certificate::{BundleVerdict, verify, write};
use coarsen::engine::{
    State, explore, initial_candidates, is_deadlock, is_initial, successors, violates,
};
use coarsen::model::program::{
    CellId, Claim, Class, Command, Edge, Expr, LocId, Program, Target, ThreadId, apply,
};
use coarsen::model::text::ast::{BinaryOp, PropertyKind};
use coarsen::results::{
    self, ClaimReason, Distinction, Property, PropertyReason, Report, Status, Step,
};
use coarsen::theorem::{Reduce, alike};
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};

/// A part of a step, as far as locals are concerned.
#[derive(Clone, Debug)]
enum Part {
    Read(CellId),
    Write(CellId),
    To(LocId),
}

type Way = Vec<Part>;

/// All ways through the steps of a location.
fn ways(p: &Program, thread: ThreadId, l: LocId) -> Vec<Way> {
    let edges = p.threads[thread].locations[l].edges.iter();
    edges.flat_map(|edge| through(p, edge)).collect()
}

fn through(p: &Program, edge: &Edge) -> Vec<Way> {
    let mut first = Vec::new();
    edge.guard.iter().for_each(|e| reads(p, e, &mut first));
    follow(p, &edge.body, vec![first])
}

/// Whether an edge stands in a block of this name, by the text.
fn is_within(p: &Program, claim: &Claim, edge: &Edge) -> bool {
    let head = format!("transaction {} ", claim.name);
    p.source.match_indices(&head).any(|(begin, _)| {
        let mut depth = 0;
        let end = p.source[begin..].char_indices().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            *c == '}' && depth == 0
        });
        let end = begin + end.expect("a block").0;
        (begin..end).contains(&edge.span.start)
    })
}

fn reads(p: &Program, e: &Expr, into: &mut Way) {
    e.walk(&mut |e| match e {
        Expr::Cell(c) => into.push(Part::Read(*c)),
        Expr::Element(array, _) => into.extend(p.cells_of(*array).map(Part::Read)),
        _ => {}
    });
}

fn follow(p: &Program, commands: &[Command], mut ways: Vec<Way>) -> Vec<Way> {
    let then = |ways: Vec<Way>, more: Way| -> Vec<Way> {
        let all = ways.into_iter();
        all.map(|w| [w, more.clone()].concat()).collect()
    };
    let read = |e: &Expr| {
        let mut more = Vec::new();
        reads(p, e, &mut more);
        more
    };
    let write = |target: &Target| match target {
        Target::Cell(c) => vec![Part::Write(*c)],
        Target::Element(array, _) => {
            let class = p.arrays[*array].class;
            assert!(!matches!(class, Class::Local(_)), "not for this twin");
            Vec::new()
        }
    };
    for command in commands {
        ways = match command {
            Command::Assign(target, value) => then(then(ways, read(value)), write(target)),
            Command::Havoc(target) => then(ways, write(target)),
            Command::Check(e, _) => then(ways, read(e)),
            Command::If(c, yes, no) => {
                let ways = then(ways, read(c));
                [follow(p, yes, ways.clone()), follow(p, no, ways)].concat()
            }
            Command::Choose(all) => {
                let each = all.iter().flat_map(|b| follow(p, b, ways.clone()));
                each.collect()
            }
            Command::Goto(l) => then(ways, vec![Part::To(*l)]),
        };
    }
    ways
}

/// Whether the value of a local is read before it is overwritten, on some way from here.
fn is_read(
    p: &Program,
    t: ThreadId,
    rest: &[Part],
    cell: CellId,
    met: &mut HashSet<LocId>,
) -> bool {
    for part in rest {
        match part {
            Part::Read(c) if *c == cell => return true,
            Part::Write(c) if *c == cell => return false,
            Part::To(l) => {
                let new = met.insert(*l);
                let mut all = ways(p, t, *l).into_iter();
                return new && all.any(|w| is_read(p, t, &w, cell, met));
            }
            _ => {}
        }
    }
    false
}

/// The locations where a value is still there.
fn is_there(p: &Program, t: ThreadId, rest: &[Part], cell: CellId, met: &mut HashSet<LocId>) {
    for part in rest {
        match part {
            Part::Write(c) if *c == cell => return,
            Part::To(l) => {
                if met.insert(*l) {
                    for w in ways(p, t, *l) {
                        is_there(p, t, &w, cell, met);
                    }
                }
                return;
            }
            _ => {}
        }
    }
}

/// The locals of a thread that are observed, by location.
fn observed(p: &Program, claim: &Claim, t: ThreadId) -> Vec<BTreeSet<CellId>> {
    let own = (0..p.cells.len()).filter(|c| p.cells[*c].class == Class::Local(t));
    let own: Vec<CellId> = own.collect();
    let mut all = vec![BTreeSet::new(); p.threads[t].locations.len()];
    for (l, seen) in all.iter_mut().enumerate() {
        let live = |c: &CellId| is_read(p, t, &[Part::To(l)], *c, &mut HashSet::new());
        seen.extend(own.iter().copied().filter(live));
    }
    let locations = p.threads[t].locations.iter();
    let steps = locations.flat_map(|l| l.edges.iter().filter(|e| is_within(p, claim, e)));
    for way in steps.flat_map(|e| through(p, e)) {
        for (n, part) in way.iter().enumerate() {
            let Part::Write(c) = part else { continue };
            let rest = &way[n + 1..];
            if own.contains(c) && !is_read(p, t, rest, *c, &mut HashSet::new()) {
                let mut places = HashSet::new();
                is_there(p, t, rest, *c, &mut places);
                places.into_iter().for_each(|l| {
                    all[l].insert(*c);
                });
            }
        }
    }
    all
}

/// Something that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wrong {
    /// In a command of an edge: which branch, and which command, again and again; none is the guard.
    Fails(ThreadId, LocId, usize, Vec<usize>),
    /// This protection is violated along an edge.
    Violates(ThreadId, LocId, usize, usize),
    /// This invariant is violated.
    Invariant(String),
}

/// The value of an expression; none if its evaluation fails.
fn value(p: &Program, s: &State, e: &Expr) -> Option<i64> {
    Some(match e {
        Expr::Const(c) => *c,
        Expr::Cell(c) => s.cell(*c),
        Expr::At(t, at) => i64::from(at.contains(&s.location(*t))),
        Expr::Not(e) => i64::from(value(p, s, e)? == 0),
        Expr::Binary(op, a, b) => {
            let a = value(p, s, a)?;
            match (op, a != 0) {
                (BinaryOp::And, false) => 0,
                (BinaryOp::Or, true) | (BinaryOp::Implies, false) => 1,
                _ => apply(*op, a, value(p, s, b)?)?,
            }
        }
        Expr::Element(array, index) => s.cell(place(p, s, *array, index)?),
        Expr::Via(e, allocated) => {
            let slot = usize::try_from(value(p, s, e)?).ok()?;
            let live = |a: &usize| s.cell(p.arrays[*a].first + slot) != 0;
            (allocated.iter().all(live)).then_some(slot as i64)?
        }
        Expr::Slot(e, pool) => {
            let slot = value(p, s, e)?;
            (0..p.pools[*pool].len as i64)
                .contains(&slot)
                .then_some(slot)?
        }
        Expr::Neg(e) => -value(p, s, e)?,
        Expr::Cond(c, yes, no) => match value(p, s, c)? {
            0 => value(p, s, no)?,
            _ => value(p, s, yes)?,
        },
    })
}

/// The cell of an array at an index.
fn place(p: &Program, s: &State, array: usize, index: &[Expr]) -> Option<CellId> {
    let dims = &p.arrays[array].dims;
    let index: Option<Vec<i64>> = index.iter().map(|e| value(p, s, e)).collect();
    let mut offset = 0;
    for (i, &d) in index?.into_iter().zip(dims) {
        let i = usize::try_from(i).ok().filter(|i| *i < d)?;
        offset = offset * d + i;
    }
    Some(p.arrays[array].first + offset)
}

fn goal(p: &Program, s: &State, target: &Target) -> Option<CellId> {
    match target {
        Target::Cell(c) => Some(*c),
        Target::Element(array, index) => place(p, s, *array, index),
    }
}

/// Runs commands, each state with what is behind it; where they fail is noted.
fn run(
    p: &Program,
    commands: &[Command],
    here: &[usize],
    states: Vec<State>,
    fails: &mut BTreeSet<Vec<usize>>,
) -> Vec<State> {
    let mut states = states;
    for (n, command) in commands.iter().enumerate() {
        let at = |more: &[usize]| [here, &[n], more].concat();
        let with = |s: &State, c: CellId, v: i64| {
            let mut cells = s.cells();
            cells[c] = v;
            State::new(&cells, &s.locations())
        };
        let mut next = Vec::new();
        for s in &states {
            match command {
                Command::Assign(target, e) => match (goal(p, s, target), value(p, s, e)) {
                    (Some(c), Some(v)) if p.cells[c].ty.wraps => {
                        next.push(with(s, c, v.rem_euclid(p.cells[c].ty.size() as i64)));
                    }
                    (Some(c), Some(v)) if p.cells[c].ty.contains(v) => next.push(with(s, c, v)),
                    _ => {
                        fails.insert(at(&[]));
                    }
                },
                Command::Havoc(target) => match goal(p, s, target) {
                    Some(c) => {
                        let ty = p.cells[c].ty;
                        next.extend((ty.lo..=ty.hi).map(|v| with(s, c, v)));
                    }
                    None => {
                        fails.insert(at(&[]));
                    }
                },
                Command::Check(e, _) => match value(p, s, e) {
                    Some(1) => next.push(s.clone()),
                    _ => {
                        fails.insert(at(&[]));
                    }
                },
                Command::If(e, yes, no) => match value(p, s, e) {
                    Some(1) => next.extend(run(p, yes, &at(&[1]), vec![s.clone()], fails)),
                    Some(_) => next.extend(run(p, no, &at(&[0]), vec![s.clone()], fails)),
                    None => {
                        fails.insert(at(&[]));
                    }
                },
                Command::Choose(all) => {
                    for (m, branch) in all.iter().enumerate() {
                        next.extend(run(p, branch, &at(&[m]), vec![s.clone()], fails));
                    }
                }
                Command::Goto(_) => next.push(s.clone()),
            }
        }
        states = next;
    }
    states
}

/// Where the steps of a thread along an edge fail.
fn fails(p: &Program, s: &State, edge: &Edge) -> BTreeSet<Vec<usize>> {
    let mut all = BTreeSet::new();
    match edge.guard.as_ref().map_or(Some(1), |g| value(p, s, g)) {
        Some(0) => {}
        Some(_) => {
            run(p, &edge.body, &[], vec![s.clone()], &mut all);
        }
        None => {
            all.insert(Vec::new());
        }
    }
    all
}

/// What a program does, as far as it can be observed.
#[derive(Default)]
struct Behaviour {
    /// States with nobody inside: cells that are observed, and locations.
    states: BTreeSet<Vec<i64>>,
    wrong: BTreeSet<Wrong>,
    entered: bool,
    left: bool,
    /// Whether there is a deadlock with a thread inside.
    stuck: bool,
}

/// What a program does; with `atomic`, if the blocks are not interrupted.
fn behaviour(p: &Program, claim: &Claim, atomic: bool) -> Behaviour {
    let of = |t: ThreadId| claim.blocks.iter().filter(move |b| b.thread == t);
    let is_inside = |t: ThreadId, l: LocId| of(t).any(|b| b.inside.contains(&l));
    let seen: Vec<_> = (0..p.threads.len())
        .map(|t| observed(p, claim, t))
        .collect();
    let alone = p.protections.iter().map(|x| {
        let mut one = p.clone();
        one.protections = vec![x.clone()];
        one
    });
    let alone_protected: Vec<Program> = alone.collect();
    let mut all = Behaviour::default();
    let mut open: Vec<State> = initial_candidates(p).filter(|s| is_initial(p, s)).collect();
    let mut met: HashSet<State> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        let threads = 0..p.threads.len();
        let inside = threads.clone().find(|&t| is_inside(t, state.location(t)));
        for one in &p.properties {
            if one.kind == PropertyKind::Invariant && value(p, &state, &one.expr) != Some(1) {
                all.wrong.insert(Wrong::Invariant(one.name.clone()));
            }
        }
        all.stuck |= inside.is_some() && is_deadlock(p, &state);
        if inside.is_none() {
            let cell = |c: CellId| match p.cells[c].class {
                Class::Local(t) if !seen[t][state.location(t)].contains(&c) => -77,
                _ => state.cell(c),
            };
            let cells = (0..p.cells.len()).map(cell);
            let places = state.locations().into_iter().map(|l| l as i64);
            all.states.insert(cells.chain(places).collect());
        }
        let alone = inside.filter(|_| atomic);
        for t in threads.filter(|t| alone.is_none_or(|a| a == *t)) {
            let from = state.location(t);
            let edges = &p.threads[t].locations[from].edges;
            for step in successors(p, &state, t) {
                let to = step.state.location(t);
                let own = is_within(p, claim, &edges[step.edge]);
                let sites = fails(p, &state, &edges[step.edge]);
                assert!(step.failure.is_none() || !sites.is_empty());
                let sites = sites.into_iter();
                let sites = sites.map(|site| Wrong::Fails(t, from, step.edge, site));
                all.wrong.extend(sites);
                for (n, one) in alone_protected.iter().enumerate() {
                    if violates(one, t, &state, &step) {
                        all.wrong.insert(Wrong::Violates(t, from, step.edge, n));
                    }
                }
                all.entered |= own;
                let was_inside = own || is_inside(t, from);
                all.left |= was_inside && step.failure.is_none() && !is_inside(t, to);
                if met.insert(step.state.clone()) {
                    open.push(step.state);
                }
            }
        }
    }
    all
}

/// What decision diagrams find of a claim is true, and they find it where nothing goes wrong and nothing is told apart.
fn is_alike(p: &Program, claim: &Claim) -> Result<(), TestCaseError> {
    let (p, claim) = divided(p, claim);
    let (free, atomic) = (behaviour(p, claim, false), behaviour(p, claim, true));
    let found = alike(p, (claim, true), u64::MAX, &Control::default());
    let found = found.expect("no limit is met");
    let goes_wrong = |w: &Wrong| !matches!(w, Wrong::Invariant(_));
    let wanted = free.states == atomic.states && !free.wrong.iter().any(goes_wrong);
    let told = found
        .as_ref()
        .map(|a| (a.entered, a.finished, a.stuck.is_some()));
    let truth = wanted.then_some((free.entered, free.left, free.stuck));
    // Slots of pools are not renamed on diagrams.
    if p.pools.is_empty() || told.is_some() {
        prop_assert_eq!(told, truth, "{}", &claim.name);
    }
    if let Some(found) = found {
        let all = explore(p, &Control::default()).expect("few states");
        prop_assert_eq!(found.states, all.states.into());
    }
    Ok(())
}

/// The program that says where control is inside, and the claim there.
fn divided<'c>(p: &'c Program, claim: &'c Claim) -> (&'c Program, &'c Claim) {
    let p = claim.split.as_deref().unwrap_or(p);
    let mut all = p.claims.iter();
    (p, all.find(|c| c.name == claim.name).expect("the same"))
}

/// What is true of a claim.
pub fn truth(p: &Program, claim: &Claim) -> Status {
    let (p, claim) = divided(p, claim);
    let (free, atomic) = (behaviour(p, claim, false), behaviour(p, claim, true));
    assert!(atomic.states.is_subset(&free.states) && atomic.wrong.is_subset(&free.wrong));
    let same = free.states == atomic.states && free.wrong == atomic.wrong;
    if !same || p.deadlock_free.is_some() && free.stuck {
        Status::Refuted
    } else if free.entered && free.left {
        Status::Holds
    } else {
        Status::Unknown
    }
}

/// What the checker says of a bundle that claims of some blocks, and of nothing else, that they hold by comparison.
pub fn compared(session: &Session, claims: &[&str], control: &Control) -> BundleVerdict {
    let bundle = Bundle {
        name: "m.cor".into(),
        text: session.program().source.clone(),
        compared: claims.iter().map(ToString::to_string).collect(),
        ..Bundle::default()
    };
    verify(&write(&bundle), None, &[], control)
}

/// The checker accepts that a claim holds by comparison just if it does.
pub fn is_accepted_if_true(session: &Session, claim: &str, truth: Status) {
    let verdict = compared(session, &[claim], &Control::default());
    assert!(verdict.stopped.is_none(), "{claim}: {verdict:#?}");
    assert_eq!(
        verdict.is_accepted(),
        truth == Status::Holds,
        "{claim}: {verdict:#?}"
    );
}

/// The report on a program; its claims by any theorem, or by the one named only.
pub fn checked(session: &Session, only: Option<&str>) -> Report {
    let theory = theory(only.unwrap_or("stoller-cohen")).expect("shipped");
    let options = CheckOptions {
        claims_by: only.map(String::from),
        ..CheckOptions::default()
    };
    session.check(&theory, &options, &Control::default())
}

/// What the report says of each claim is true. Counts the answers: those that hold by a theorem, by comparison, those
/// that are refuted, and those that are vacuous.
pub fn is_true(
    session: &Session,
    only: Option<&str>,
    counts: &[Cell<usize>; 5],
) -> Result<(), TestCaseError> {
    let p = session.program();
    let report = checked(session, only);
    let both = CheckOptions {
        claims_by: only.map(String::from),
        ..CheckOptions::thorough()
    };
    let by = theory(only.unwrap_or("stoller-cohen")).expect("shipped");
    let compared = session.check(&by, &both, &Control::default());
    let sooner = CheckOptions {
        claims_by: only.map(String::from),
        reduce: Reduce::Last,
        ..CheckOptions::default()
    };
    let sooner = session.check(&by, &sooner, &Control::default());
    for report in [&report, &compared, &sooner] {
        prop_assert!(!report.is_contradicted(), "{}", report.reason);
    }
    for claim in &p.claims {
        let found = report.properties.iter().find(|q| q.name == claim.name);
        let told = report.claims.iter().find(|c| c.name == claim.name);
        let (Some(found), Some(told)) = (found, told) else {
            return Err(TestCaseError::fail("no answer"));
        };
        let n = match (found.verdict, &told.theorem, &told.weakened) {
            (Status::Holds, Some(_), None) => 0,
            (Status::Holds, None, _) => 1,
            (Status::Refuted, ..) => 2,
            (Status::Unknown, ..) => 3,
            (Status::Holds, Some(_), Some(_)) => 4,
        };
        counts[n].set(counts[n].get() + 1);
        let traced = found.verdict != Status::Refuted || found.trace.is_some();
        prop_assert!(traced, "{}: no execution", claim.name);
        comes_between(found, told)?;
        let truth = truth(p, claim);
        is_alike(p, claim)?;
        prop_assert_eq!(found.verdict, truth, "{}: {}", &claim.name, &found.reason);
        is_accepted_if_true(session, &claim.name, truth);
        for report in [&compared, &sooner] {
            let found = report.properties.iter().find(|q| q.name == claim.name);
            let found = found.map(|q| (q.verdict, q.trace.is_some()));
            let wanted = Some((truth, truth == Status::Refuted));
            prop_assert_eq!(found, wanted, "{}", &claim.name);
        }
    }
    Ok(())
}

/// A state that tells a program from the one with the block atomic has an execution in which the block is interrupted
/// by a step that matters to it: both are in the trace.
fn comes_between(found: &Property, told: &results::Claim) -> Result<(), TestCaseError> {
    let PropertyReason::Claim(ClaimReason::Different { by, .. }) = &found.reason else {
        return Ok(());
    };
    if !matches!(by, Distinction::Value { .. } | Distinction::Together(_)) {
        return Ok(());
    }
    let (Some(i), Some(trace)) = (&told.interruption, &found.trace) else {
        return Err(TestCaseError::fail(format!(
            "{}: what came between?",
            told.name
        )));
    };
    let is = |n: usize, step: &Step| {
        let taken = &trace.steps[n].step;
        (taken.line, &taken.thread) == (step.line, &step.thread)
    };
    let mut numbers = 0..trace.steps.len();
    let between = numbers.any(|n| {
        let before = (0..n)
            .rev()
            .find(|m| trace.steps[*m].step.thread == i.before.thread);
        is(n, &i.between) && before.is_some_and(|m| is(m, &i.before))
    });
    prop_assert!(
        between && i.between.thread != i.before.thread,
        "{}: {:?}",
        told.name,
        i
    );
    Ok(())
}

fn statement() -> BoxedStrategy<String> {
    let simple = prop_oneof![
        3 => Just("lock(m);"),
        3 => Just("unlock(m);"),
        3 => Just("t = g; g = 1 - t;"),
        3 => Just("t = x; g = t; x = 1 - x;"),
        1 => Just("lock(n); y = 1 - y; unlock(n);"),
        2 => Just("x = 1 - x;"),
        2 => Just("t = x;"),
        1 => Just("x = t;"),
        1 => Just("y = t;"),
        2 => Just("t = g;"),
        2 => Just("g = t;"),
        1 => Just("g = 1 - g;"),
        1 => Just("t = 1 - t;"),
        1 => Just("havoc t;"),
        1 => Just("when (g == 1) skip;"),
        1 => Just("when (t == 0) g = 1;"),
        1 => Just("lock(m); t = x; x = 1 - t; unlock(m);"),
        1 => Just("if (t == 1) { g = 0; }"),
        1 => Just("either { x = 0; } or { g = 1; }"),
        2 => Just("r = g;"),
        1 => Just("r = x;"),
        1 => Just("assert(g == 0 || t == 0);"),
        1 => Just("atomic { assert(x == 0 || t == 0); assert(g == 0 || y == 0); }"),
        1 => Just("while (t == 1) { havoc t; }"),
        1 => Just("while (g == 1) { g = 0; }"),
        2 => Just("if (g == 0) { lock(m); if (g == 0) { x = 1; g = 1; } unlock(m); }"),
        2 => Just("t = 0; while (t == 0) { r = g; if (cas(g, r, 1 - r)) { t = 1; } }"),
        2 => Just("t = g; if (cas(g, t, 1 - t)) { x = t; }"),
        1 => Just("while (swap(g, 1) == 1) skip;"),
        1 => Just("t = swap(g, 1); x = t;"),
        1 => Just("if (g == 0) { r = fetch_add(g, 1); }"),
        1 => Just("choose t in 0..1 where t != g;"),
        1 => Just("choose r in 0..1 where r == x || t == 1;"),
        2 => Just("t = 0; while (t == 0) { lock(m); if (x == 1) { x = 0; t = 1; } unlock(m); }"),
        2 => Just(
            "t = 0; while (t == 0) { lock(m); r = x; unlock(m); lock(m); if (x == r) { x = 1 - r; t = 1; } \
             unlock(m); }"
        ),
        1 => Just("lock(m); r = x; unlock(m);"),
        // Locks made by hand, which others may write.
        2 => Just("when (g == 0) g = 1; if (x == 1) { x = 0; t = 1; } g = 0;"),
        1 => Just("while (!cas(g, 0, 1)) skip; r = y; g = 0;"),
        1 => Just("t = 0; while (t == 0) { when (g == 0) g = 1; if (x == 0) { x = 1; t = 1; } g = 0; }"),
        1 => Just("lock(m); if (x == 1) { unlock(m); } else { x = 1; unlock(m); }"),
        1 => Just("t = g; if (t == 0) { x = 1; } else { t = x; }"),
        1 => Just("atomic { when (g == 0) g = 1; t = 0; }"),
    ];
    simple.prop_map(String::from).boxed()
}

fn body(n: usize) -> impl Strategy<Value = String> {
    let part = |lo, hi| {
        proptest::collection::vec(statement(), lo..hi).prop_map(|all: Vec<String>| all.join(" "))
    };
    let block = part(1, 5);
    let other = prop_oneof![Just("skip;"), Just("r = x;"), Just("t = g; x = t;")];
    (part(0, 2), block, part(0, 2), 0..10u8, other).prop_map(
        move |(before, block, after, form, other)| match form {
            4 => format!("{before} while (true) {{ transaction c{n} {{ {block} }} {after} }}"),
            0 => format!(
                "{before} either {{ transaction c{n} {{ {block} }} }} or {{ {other} }} {after}"
            ),
            1 => {
                format!(
                    "{before} transaction c{n} {{ transaction d{n} {{ {block} }} t = 0; }} {after}"
                )
            }
            2 => format!(
                "{before} while (t == 0) {{ transaction c{n} {{ {block} t = 1; }} }} {after}"
            ),
            3 => {
                format!(
                    "{before} transaction c{n} {{ while (t == 0) {{ {block} havoc t; }} }} {after}"
                )
            }
            _ => format!("{before} transaction c{n} {{ {block} }} {after}"),
        },
    )
}

/// Programs of two or three threads with a claim each; `x` is protected or not.
pub fn programs() -> impl Strategy<Value = String> {
    let discipline = prop_oneof![Just("protected by m"), Just("unprotected"), Just("")];
    let observer = prop_oneof![
        3 => Just(""),
        1 => Just("thread o { assert(g == 0); }"),
        1 => Just("thread o { var r: 0..1 = 0; r = g; assert(r == 0 || y == 0); }"),
        1 => Just("thread o { while (true) { when (g == 1) g = 0; } }"),
    ];
    let asked = prop_oneof![
        4 => Just(""),
        1 => Just("\ninvariant i: x == 0 || g == 0;"),
        1 => Just("\ninvariant i: y == 0 || x == 1;"),
    ];
    let family = (
        body(0),
        body(1),
        prop::option::of(body(2)),
        (discipline, observer, any::<bool>(), asked),
        any::<bool>(),
    );
    family.prop_map(|(a, b, c, (discipline, observer, live, asked), alike)| {
        let mut text = format!(
            "mutex m; mutex n;\nvar g: 0..1 = 0 unprotected;\nvar x: 0..1 = 0 {discipline};\nvar y: 0..1 = 0 protected \
             by n;\n"
        );
        let local = "var t: 0..1 = 0; var r: 0..1 = 0;";
        match alike {
            true => text += &format!("thread p(i in 0..1) {{ {local} {a} }}\n"),
            false => text += &format!("thread p {{ {local} {a} }}\nthread q {{ {local} {b} }}\n"),
        }
        if let Some(c) = c {
            text += &format!("thread s {{ {local} {c} }}\n");
        }
        text += observer;
        text += asked;
        if live {
            text += "\ndeadlock_free;\n";
        }
        text
    })
}

/// Programs as [`programs`], in which N threads are alike.
pub fn families() -> impl Strategy<Value = String> {
    programs().prop_filter_map("threads that are not alike", |text| {
        let family = text.replace("thread p(i in 0..1)", "thread p(i in 0..N-1)");
        (family != text).then(|| format!("const N = 2;\n{family}"))
    })
}
