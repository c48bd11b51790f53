//! Every rung of the ladder of invariants is what its definition says, on random programs: the same set as an
//! enumeration finds, closed under every step, within the rung below, and around the reachable states.

#[path = "ladder/naive.rs"]
mod naive;
use crate::{random, shipped, twin};

use biodivine_lib_bdd::{Bdd, BddValuation};
use coarsen::Session;
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::Span;
use coarsen::engine::State;
use coarsen::engine::relations::{Encoding, Item};
use coarsen::model::program::{Command, Expr, Kind, Program, Property, Target};
use coarsen::model::text::ast::{BinaryOp, PropertyKind};
use coarsen::results::{Lemma, Report, Status, Unavailable, Verdict};
use coarsen::theorem::{self, Budgets, Ladder, Rung, leaves};
use naive::{Naive, Set};
use proptest::prelude::*;
use shipped::{check, model};
use std::cell::RefCell;
use std::collections::BTreeSet;
use twin::generate::samples;

fn load(source: &str) -> Session {
    match Session::load("m.cor", source, &[], ParseLimits::default()) {
        Ok((session, _)) => session,
        Err(errors) => panic!("{errors:?} in\n{source}"),
    }
}

/// Whether a set has a state.
fn has(e: &Encoding, set: &Bdd, program: &Program, state: &State, q: bool) -> bool {
    let mut valuation = vec![false; e.layout.levels()];
    for &item in e.layout.order() {
        let group = e.layout.group(item);
        let code = match item {
            Item::Violated => u64::from(q),
            Item::Of(coarsen::engine::Variable::Location(t)) => state.location(t) as u64,
            Item::Of(coarsen::engine::Variable::Cell(c)) => {
                (state.cell(c) - program.cells[c].ty.lo) as u64
            }
        };
        for (n, bit) in group.bits().enumerate() {
            valuation[3 * bit as usize] = code >> (group.width as usize - 1 - n) & 1 == 1;
        }
    }
    set.eval_in(&BddValuation::new(valuation))
}

/// The program, at times with what the language does not (yet) say: a guard that looks at the second thread's location,
/// or a step of the first thread that gives a mutex to the second.
fn vary(program: &Program, choice: usize) -> Program {
    let mut program = program.clone();
    let owner = (0..program.cells.len()).find(|&c| program.cells[c].ty.kind == Kind::Owner);
    let there = Expr::At(1, vec![choice % program.threads[1].locations.len()]);
    let locations = &mut program.threads[0].locations;
    let steps = locations.iter().filter(|l| !l.edges.is_empty()).count();
    let edge = &mut locations[choice % steps].edges[0];
    match (choice % 4, owner) {
        (1, _) => {
            edge.guard = Some(match edge.guard.take() {
                Some(g) => Expr::Binary(BinaryOp::And, Box::new(g), Box::new(there)),
                None => there,
            });
        }
        (2, Some(c)) => edge
            .body
            .insert(0, Command::Assign(Target::Cell(c), Expr::Const(1))),
        _ => {}
    }
    program
}

/// The program with three more lemmas. Two are true in its reachable states, and often inductive: which locations the
/// first two threads are at together, and which values the last cell has while the first thread is at its locations.
/// One is false in the initial states, and often kept by all steps: that the first thread has left its first location.
fn with_lemmas(program: &Program) -> Program {
    let mut program = program.clone();
    let naive = Naive::new(&program);
    let reachable: Vec<&State> = naive
        .reachable()
        .iter()
        .map(|(s, _)| &naive.states[*s])
        .collect();
    let at = |t: usize, l: usize| Expr::At(t, vec![l]);
    let both = |a: Expr, b: Expr| Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b));
    let last = program.cells.len() - 1;
    let pairs: BTreeSet<(usize, usize)> = reachable
        .iter()
        .map(|s| (s.location(0), s.location(1)))
        .collect();
    let values: BTreeSet<(usize, i64)> = reachable
        .iter()
        .map(|s| (s.location(0), s.cell(last)))
        .collect();
    let together = pairs
        .iter()
        .map(|&(k, l)| both(at(0, k), at(1, l)))
        .collect();
    let is = |v| {
        Expr::Binary(
            BinaryOp::Eq,
            Box::new(Expr::Cell(last)),
            Box::new(Expr::Const(v)),
        )
    };
    let valued = values.iter().map(|&(l, v)| both(at(0, l), is(v))).collect();
    let some = |all: Vec<Expr>| {
        let or = |a, b| Expr::Binary(BinaryOp::Or, Box::new(a), Box::new(b));
        all.into_iter().reduce(or).unwrap_or(Expr::FALSE)
    };
    let first = program.threads[0].initial;
    let later = (0..program.threads[0].locations.len()).filter(|l| *l != first);
    let left = later.map(|l| at(0, l)).collect();
    for (name, all) in [("together", together), ("valued", valued), ("left", left)] {
        program.lemmas.push(Property {
            name: name.into(),
            kind: PropertyKind::Lemma,
            expr: some(all),
            span: Span::default(),
        });
    }
    program
}

/// The rungs of a program, by number of state without and with q, against their definitions; how many states each has.
fn rungs(program: &Program) -> Result<Vec<usize>, TestCaseError> {
    let naive = Naive::new(program);
    let control = Control::default();
    let e = Encoding::new(program, &control).expect("small");
    let mut ladder = Ladder::within(
        &e,
        Budgets {
            few: 0,
            ..Budgets::default()
        },
    );
    let mut sizes = Vec::new();
    let mut below: Option<Bdd> = None;
    let mut sets: Vec<Set> = Vec::new();
    for rung in Rung::ALL {
        let set = ladder.strongest(rung).expect("no limit is hit");
        prop_assert_eq!(ladder.unknown(rung), None);
        let explicit = |q: bool| -> Set {
            let states = naive.states.iter();
            states.map(|s| has(&e, &set, program, s, q)).collect()
        };
        let without = explicit(false);
        if rung == Rung::Reachable {
            let with = explicit(true);
            // BDDs had found them before other engines were asked. What the others do behind an error is among them.
            for errors_end in [false, true] {
                let mut program = program.clone();
                program.errors_end = errors_end;
                let same = Encoding::new(&program, &control).expect("small");
                let found = theorem::reachable(&same, 0, u64::MAX).expect("no limit is hit");
                prop_assert!(found.is_some_and(|by_engines| e.m.same(&by_engines, &set)));
            }
            let reachable = naive.reachable();
            for s in 0..naive.states.len() {
                let found = (without[s], with[s]);
                let wanted = (
                    reachable.contains(&(s, false)),
                    reachable.contains(&(s, true)),
                );
                prop_assert_eq!(found, wanted, "reachable: {:?}", naive.states[s]);
                // The reachable states, whatever q, lie on every rung below.
                for lower in &sets {
                    prop_assert!(lower[s] || !wanted.0 && !wanted.1);
                }
            }
        } else {
            prop_assert!(without == explicit(true), "{:?} looks at q", rung);
            prop_assert!(naive.closed(&without), "{:?} is not closed", rung);
            prop_assert!(naive.initial.iter().all(|s| without[*s]));
            let wanted = match rung {
                Rung::True => vec![true; naive.states.len()],
                Rung::LockOwnership => naive.ownership(),
                Rung::ThreadModular => naive.thread_modular(),
                _ => naive.lemmas(&sets[Rung::ThreadModular as usize]).0,
            };
            prop_assert!(without == wanted, "{:?} is not what it should be", rung);
        }
        if rung == Rung::ThreadModular
            && let Some(more) = ladder.controlled().expect("no limit is hit").cloned()
        {
            let states = naive.states.iter();
            let all: Set = states.map(|s| has(&e, &more, program, s, false)).collect();
            prop_assert!(naive.closed(&all), "without data: not closed");
            prop_assert!((0..all.len()).all(|s| all[s] || !without[s]));
        }
        prop_assert_eq!(leaves(&e, &set), Ok(None), "{:?} is not closed", rung);
        if let Some(below) = &below {
            prop_assert!(
                e.m.within(&set, below),
                "{:?} is weaker than the rung below",
                rung
            );
        }
        sizes.push(without.iter().filter(|x| **x).count());
        below = Some(set);
        sets.push(without);
    }
    Ok(sizes)
}

#[test]
fn every_rung_is_what_its_definition_says() {
    let mut runner = random::runner(256);
    let stronger = RefCell::new([0usize; 5]);
    let result = runner.run(&samples(), |sample| {
        let session = load(&sample.source);
        let program = vary(session.program(), sample.source.len() / 3);
        let sizes = rungs(&with_lemmas(&program))?;
        for n in 1..sizes.len() {
            stronger.borrow_mut()[n] += usize::from(sizes[n] < sizes[n - 1]);
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    // Each rung says more than the one below, for some of the programs.
    let stronger = stronger.into_inner();
    assert!(
        stronger[1..].iter().all(|n| random::enough(*n, 1)),
        "{stronger:?}"
    );
}

#[test]
fn the_rungs_of_the_models_that_need_them_are_right() {
    for name in [
        "claimed_under_lock",
        "pipeline",
        "flag_lock",
        "peterson_claim",
    ] {
        let session = model(&format!("invariants/{name}")).load(&[]);
        rungs(session.program()).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

/// The report on a model with some text in place of its lemma, or added to it.
fn with(name: &str, lemma: &str, text: &str) -> Report {
    let mut source = model(name).source;
    if let Some(at) = source.find(lemma).filter(|_| !lemma.is_empty()) {
        let end = at + source[at..].find(';').expect("a declaration") + 1;
        source.replace_range(at..end, "");
    }
    check(&load(&format!("{source}\n{text}")), false)
}

fn named<'r>(report: &'r Report, name: &str) -> &'r Lemma {
    report.lemmas.iter().find(|l| l.name == name).expect(name)
}

const FLAG: &str = "invariants/flag_lock";

#[test]
fn a_lemma_that_is_needed_is_used_and_one_that_is_not_is_not() {
    let report = with(FLAG, "", "");
    let lemma = named(&report, "one_inside");
    assert_eq!((lemma.status, lemma.used), (Status::Holds, true));
    assert_eq!(report.invariant, Some(Rung::Lemmas));
    let report = with(
        "invariants/pipeline",
        "",
        "lemma tidy: stage != empty => !at(producer, end);",
    );
    let lemma = named(&report, "tidy");
    assert_eq!((lemma.status, lemma.used), (Status::Holds, false));
    assert_eq!(report.invariant, Some(Rung::ThreadModular));
}

#[test]
fn without_its_lemma_the_model_needs_its_reachable_states() {
    let report = with(FLAG, "lemma one_inside", "");
    assert!(report.lemmas.is_empty());
    assert_eq!(
        (report.verdict, report.invariant),
        (Verdict::Holds, Some(Rung::Reachable))
    );
}

#[test]
fn a_false_lemma_is_refuted_and_changes_no_verdict() {
    // Neither can be part of the invariant, so the reachable states are asked for, and show the second to be false.
    let false_ones = "lemma never_free: !free; lemma never_twice: buffer != 2;";
    let report = with(FLAG, "lemma one_inside", false_ones);
    assert_eq!(
        (report.verdict, report.invariant),
        (Verdict::Holds, Some(Rung::Reachable))
    );
    let lemma = named(&report, "never_free");
    assert_eq!((lemma.status, lemma.used), (Status::Refuted, false));
    assert_eq!(lemma.trace.as_ref().map(|t| t.steps.len()), Some(0));
    let lemma = named(&report, "never_twice");
    assert_eq!((lemma.status, lemma.used), (Status::Refuted, false));
    let trace = lemma.trace.as_ref().expect("a trace");
    // Enter, Claim, Use, Again.
    assert_eq!(trace.steps.len(), 4);
    assert!(
        lemma
            .state
            .iter()
            .any(|b| b.name == "buffer" && b.value == "2")
    );
}

#[test]
fn a_lemma_that_is_not_inductive_names_the_step_that_breaks_it() {
    // True, but not inductive: nothing says that the flag is taken while somebody is inside.
    let weak = "lemma not_both: at(worker(0), Enter) || at(worker(1), Enter);";
    let report = with(FLAG, "lemma one_inside", weak);
    let lemma = named(&report, "not_both");
    // The hypotheses need the reachable states, in all of which it is true.
    assert_eq!((lemma.status, lemma.used), (Status::Holds, false));
    let step = lemma.step.as_ref().expect("the step that breaks it");
    assert_eq!(step.location, "Enter");
    assert!(
        lemma
            .state
            .iter()
            .any(|b| b.name == "free" && b.value == "true")
    );
    // Where they do not need them, nobody knows.
    let report = with("classic/peterson", "", "lemma no_more: data < 2;");
    let lemma = named(&report, "no_more");
    assert_eq!((lemma.status, lemma.used), (Status::Unknown, false));
    assert!(lemma.step.is_some() && !lemma.state.is_empty() && lemma.trace.is_none());
}

#[test]
fn lemmas_may_need_each_other_and_fall_together() {
    let halves = "lemma taken: free == (at(worker(0), Enter) && at(worker(1), Enter));
                  lemma not_both: at(worker(0), Enter) || at(worker(1), Enter);";
    let report = with(FLAG, "lemma one_inside", halves);
    assert_eq!(report.invariant, Some(Rung::Lemmas));
    for name in ["taken", "not_both"] {
        assert_eq!(named(&report, name).status, Status::Holds, "{name}");
    }
    // The second alone is not inductive, and what it is based on is false initially.
    let report = with(
        FLAG,
        "lemma one_inside",
        "lemma taken: !free; lemma not_both: at(worker(0), Enter) || at(worker(1), Enter);",
    );
    assert_eq!(named(&report, "taken").status, Status::Refuted);
    assert!(named(&report, "not_both").step.is_some());
    assert_eq!(report.invariant, Some(Rung::Reachable));
}

#[test]
fn an_annotation_is_not_assumed() {
    // Each of these disciplines is violated; the invariants know nothing of it, and so let the violation be found.
    for by in ["user == self", "false", "self == 0", "at(self, Use)"] {
        let source = model("invariants/claimed_under_lock").source;
        let session = load(&source.replace("user == self", by));
        let program = session.program();
        let control = Control::default();
        let e = Encoding::new(program, &control).expect("small");
        let original = load(&source);
        let f = Encoding::new(original.program(), &control).expect("small");
        for rung in Rung::ALL.into_iter().filter(|r| *r != Rung::Reachable) {
            let one = Ladder::new(&e).strongest(rung).expect("no limit");
            let other = Ladder::new(&f).strongest(rung).expect("no limit");
            for state in &Naive::new(program).states {
                for q in [false, true] {
                    let both = (
                        has(&e, &one, program, state, q),
                        has(&f, &other, program, state, q),
                    );
                    assert_eq!(both.0, both.1, "{by}: {rung:?}");
                }
            }
        }
    }
}

#[test]
fn where_the_reachable_states_are_had_the_modular_ones_may_be_left_out() {
    let session = model("invariants/pipeline").load(&[]);
    let control = Control::default();
    let e = Encoding::new(session.program(), &control).expect("small");
    for (reachable, why) in [(1 << 26, Some(Unavailable::Budget(0))), (0, None)] {
        let budgets = Budgets {
            // Nothing is data, so no weaker set takes its place.
            few: i64::MAX,
            modular_first: 0,
            reachable,
            ..Budgets::default()
        };
        let mut ladder = Ladder::within(&e, budgets);
        let set = ladder.ask(Rung::ThreadModular).expect("no limit").cloned();
        assert_eq!(set.is_none(), reachable > 0);
        assert_eq!(ladder.unknown(Rung::ThreadModular), why);
        let highest = ladder.strongest(Rung::Reachable).expect("no limit");
        assert_eq!(leaves(&e, &highest), Ok(None));
        let below = set.is_none_or(|set| e.m.within(&highest, &set));
        assert!(below && e.m.within(&e.initial, &highest));
    }
}

#[test]
fn a_rung_that_costs_too_much_is_left_out() {
    let session = model(FLAG).load(&[]);
    let program = session.program();
    let control = Control::default();
    let e = Encoding::new(program, &control).expect("small");
    let all = Budgets::default();
    let cut = |n: usize| Budgets {
        ownership: if n & 1 == 0 { all.ownership } else { 0 },
        modular: if n & 2 == 0 { all.modular } else { 0 },
        reachable: if n & 4 == 0 { all.reachable } else { 0 },
        ..all
    };
    for n in 0..8 {
        let mut ladder = Ladder::within(&e, cut(n));
        let mut below = ladder.strongest(Rung::True).expect("no limit");
        for (rung, bit) in [
            (Rung::LockOwnership, 1),
            (Rung::ThreadModular, 2),
            (Rung::Lemmas, 0),
            (Rung::Reachable, 4),
        ] {
            let set = ladder.strongest(rung).expect("no limit");
            let why = ladder.unknown(rung);
            assert_eq!(
                why == Some(Unavailable::Budget(0)),
                n & bit != 0,
                "{n}: {rung:?}: {why:?}"
            );
            assert_eq!(leaves(&e, &set), Ok(None), "{n}: {rung:?}");
            assert!(e.m.within(&e.initial, &set) && e.m.within(&set, &below));
            // The lemma is inductive by itself, whatever lies below.
            if rung == Rung::Lemmas {
                assert!(ladder.known(rung).is_some(), "{n}");
            }
            below = set;
        }
    }
}
