//! Random programs with claims `transaction NAME { .. }`, and what is true of claims, by the definition: all states are
//! enumerated with the interpreter, and what is observed is found on the paths of the text.

#![allow(dead_code, reason = "every program uses its own part")]

use coarsen::base::control::Control;
use coarsen::engine::{State, initial_candidates, is_deadlock, is_initial, successors, violates};
use coarsen::model::program::{
    CellId, Claim, Class, Command, Expr, LocId, Program, Target, ThreadId,
};
use coarsen::results::{Report, Status};
use coarsen::theorem::Reduce;
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
    let all = edges.flat_map(|edge| {
        let mut first = Vec::new();
        edge.guard.iter().for_each(|e| reads(p, e, &mut first));
        follow(p, &edge.body, vec![first])
    });
    all.collect()
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
    let blocks = claim.blocks.iter().filter(|b| b.thread == t);
    let steps = blocks.flat_map(|b| b.entries.iter().chain(&b.inside).copied());
    for way in steps.flat_map(|l| ways(p, t, l)) {
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

/// What a program does, as far as it can be observed.
#[derive(Default)]
struct Behaviour {
    /// States with nobody inside: cells that are observed, and locations.
    states: BTreeSet<Vec<i64>>,
    /// Whose steps go wrong, from where, and whether they violate the discipline.
    wrong: BTreeSet<(ThreadId, LocId, bool)>,
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
    let mut all = Behaviour::default();
    let mut open: Vec<State> = initial_candidates(p).filter(|s| is_initial(p, s)).collect();
    let mut met: HashSet<State> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        let threads = 0..p.threads.len();
        let inside = threads.clone().find(|&t| is_inside(t, state.location(t)));
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
            let own = of(t).any(|b| b.entries.contains(&from) || b.inside.contains(&from));
            for step in successors(p, &state, t) {
                let to = step.state.location(t);
                if step.failure.is_some() {
                    all.wrong.insert((t, from, false));
                }
                if violates(p, t, &state, &step) {
                    all.wrong.insert((t, from, true));
                }
                all.entered |= own;
                all.left |= own && step.failure.is_none() && !is_inside(t, to);
                if met.insert(step.state.clone()) {
                    open.push(step.state);
                }
            }
        }
    }
    all
}

/// What is true of a claim.
pub fn truth(p: &Program, claim: &Claim) -> Status {
    let p = p.split.as_deref().unwrap_or(p);
    let claim = p
        .claims
        .iter()
        .find(|c| c.name == claim.name)
        .expect("the same");
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
    counts: &[Cell<usize>; 4],
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
        let n = match (found.verdict, &told.theorem) {
            (Status::Holds, Some(_)) => 0,
            (Status::Holds, None) => 1,
            (Status::Refuted, _) => 2,
            (Status::Unknown, _) => 3,
        };
        counts[n].set(counts[n].get() + 1);
        let traced = found.verdict != Status::Refuted || found.trace.is_some();
        prop_assert!(traced, "{}: no execution", claim.name);
        let truth = truth(p, claim);
        prop_assert_eq!(found.verdict, truth, "{}: {}", &claim.name, &found.reason);
        for report in [&compared, &sooner] {
            let found = report.properties.iter().find(|q| q.name == claim.name);
            let found = found.map(|q| (q.verdict, q.trace.is_some()));
            let wanted = Some((truth, truth == Status::Refuted));
            prop_assert_eq!(found, wanted, "{}", &claim.name);
        }
    }
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
        1 => Just("while (t == 1) { havoc t; }"),
        1 => Just("while (g == 1) { g = 0; }"),
        1 => Just("atomic { when (g == 0) g = 1; t = 0; }"),
    ];
    simple.prop_map(String::from).boxed()
}

fn body(n: usize) -> impl Strategy<Value = String> {
    let part = |lo, hi| {
        proptest::collection::vec(statement(), lo..hi).prop_map(|all: Vec<String>| all.join(" "))
    };
    let block = part(1, 5);
    (part(0, 2), block, part(0, 2), 0..10u8).prop_map(
        move |(before, block, after, form)| match form {
            4 => format!("{before} while (true) {{ transaction c{n} {{ {block} }} {after} }}"),
            0 => format!(
                "{before} either {{ transaction c{n} {{ {block} }} }} or {{ skip; }} {after}"
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
    let family = (
        body(0),
        body(1),
        prop::option::of(body(2)),
        (discipline, observer, any::<bool>()),
        any::<bool>(),
    );
    family.prop_map(|(a, b, c, (discipline, observer, live), alike)| {
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
        if live {
            text += "\ndeadlock_free;\n";
        }
        text
    })
}
