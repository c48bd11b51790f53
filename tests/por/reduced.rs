//! Partial-order reduction on reduced systems: whatever steps are visible, it sees the scheduling points that a naive
//! exploration of coarse steps sees; and on what a theorem makes of random programs it agrees with the full
//! exploration, of the reduced system and of the program.

use super::{combinations, control, deadlock, find, loaded, local_questions, naive, reach};
use crate::{loops, random, twin};

use coarsen::engine::compiled::Mode;
use coarsen::engine::partial_order::{Por, explore};
use coarsen::engine::reach::{
    Answer, Blocked, Outcome, Question, Reduction, Sort, enumerate, explicit,
};
use coarsen::engine::{Heuristic, State};
use coarsen::model::program::{Expr, Program, ThreadId};
use coarsen::results::Status;
use coarsen::{ReachOptions, Session, candidates, theory};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::HashSet;

/// A visible step of a thread, and invisible ones behind it up to the next scheduling point.
fn coarse(p: &Program, from: &State, t: ThreadId, reduction: &Reduction) -> Vec<State> {
    let visible = |s: &State| reduction.visible[t][s.location(t)];
    if !visible(from) {
        return Vec::new();
    }
    let mut points = Vec::new();
    let mut seen: HashSet<State> = HashSet::new();
    let mut waiting = naive::pending(p, from, t).0;
    while let Some(next) = waiting.pop() {
        if !seen.insert(next.clone()) {
            continue;
        }
        if visible(&next) {
            points.push(next);
            continue;
        }
        let behind = naive::pending(p, &next, t).0;
        if behind.is_empty() && reduction.when_blocked == Blocked::Ends {
            points.push(next);
        }
        waiting.extend(behind);
    }
    points
}

/// The scheduling points that can be reached; none if there are more than so many.
fn points(p: &Program, reduction: &Reduction, most: usize) -> Option<Vec<State>> {
    let mut all = naive::initial(p);
    let mut seen: HashSet<State> = all.iter().cloned().collect();
    let mut n = 0;
    while let Some(s) = all.get(n).cloned() {
        n += 1;
        for t in 0..p.threads.len() {
            for next in coarse(p, &s, t, reduction) {
                if seen.insert(next.clone()) {
                    all.push(next);
                }
            }
        }
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// A reduction that no theorem has to allow: the bits say which locations with steps are visible.
fn any_reduction(p: &Program, bits: u64) -> Reduction {
    let mut left = bits;
    let mut visible = Vec::new();
    for thread in &p.threads {
        let own = thread.locations.iter().map(|l| {
            left = left.rotate_right(1);
            l.edges.is_empty() || left & 1 == 1
        });
        visible.push(own.collect());
    }
    let when_blocked = match bits & 1 << 63 {
        0 => Blocked::Ends,
        _ => Blocked::Waits,
    };
    Reduction {
        visible,
        when_blocked,
        inside: usize::MAX,
    }
}

/// What every combination sees of the points has to be what there is; how many explorations were whole.
fn sees_the_points(source: &str, bits: u64) -> Result<usize, TestCaseError> {
    let Some(session) = loaded(source) else {
        return Ok(0);
    };
    let mut p = session.program().clone();
    p.protections.clear();
    let reduction = any_reduction(&p, bits);
    let Some(points) = points(&p, &reduction, 1000) else {
        return Ok(0);
    };
    let locals = local_questions(&p, &points);
    let asked = p.properties.iter().flat_map(|q| {
        let not = Expr::Not(Box::new(q.expr.clone()));
        [find(q.expr.clone()), find(not)]
    });
    let asked: Vec<Question> = asked.chain([deadlock()]).collect();
    let mut whole = 0;
    for por in combinations() {
        let fine = compare(&p, &por, &reduction, &locals, &points)?
            && compare(&p, &por, &reduction, &asked, &points)?
            && compare(&p, &por, &reduction, &[deadlock()], &points)?;
        whole += usize::from(fine);
    }
    Ok(whole)
}

fn compare(
    p: &Program,
    por: &Por,
    reduction: &Reduction,
    asked: &[Question],
    points: &[State],
) -> Result<bool, TestCaseError> {
    let found = explore(p, asked, por, Some(reduction), (5_000, &control()));
    let name = por.name();
    let outcome = &found.outcome;
    let bug = found.refused.as_ref().is_some_and(|r| r.contains("bug"));
    prop_assert!(!bug, "{name}: {:?}", found.refused);
    let whole = found.refused.is_none() && outcome.stopped.is_none();
    for (question, answer) in asked.iter().zip(&outcome.answers) {
        let expected = points.iter().any(|s| question.met(p, s));
        match answer {
            Answer::Found(_) => prop_assert!(expected, "{name} makes up {question:?}"),
            Answer::Nowhere if whole => prop_assert!(!expected, "{name} misses {question:?}"),
            Answer::Nowhere | Answer::Somewhere(_) => {}
        }
    }
    if let (true, Some(count)) = (whole, &outcome.deadlocks) {
        prop_assert_eq!(
            count.clone(),
            naive::deadlocks(p, points).into(),
            "{}",
            name
        );
    }
    if let (true, Some(states)) = (whole, &outcome.states) {
        prop_assert!(*states <= points.len().into(), "{name}: {states}");
    }
    Ok(whole)
}

#[test]
fn whatever_is_visible_the_scheduling_points_are_seen() {
    let wholes = Cell::new(0);
    let sources = prop_oneof![
        2 => super::ending(2..4, 1..6).boxed(),
        1 => loops::programs().boxed(),
        1 => twin::generate::samples().prop_map(|s| s.source).boxed(),
    ];
    let mut runner = random::runner(100);
    runner
        .run(&(sources, any::<u64>()), |(source, bits)| {
            wholes.set(wholes.get() + sees_the_points(&source, bits)?);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        random::enough(wholes.get(), 800),
        "{} explorations were whole",
        wholes.get()
    );
}

/// However few states inside coarse steps a search state by state keeps, it finds what the interpreter finds; how often
/// it ceased to keep them.
fn finds_the_same(source: &str, bits: u64) -> Result<usize, TestCaseError> {
    let Some(session) = loaded(source) else {
        return Ok(0);
    };
    let mut p = session.program().clone();
    p.errors_end = false;
    let asked = p.properties.iter().flat_map(|q| {
        let not = Expr::Not(Box::new(q.expr.clone()));
        [find(q.expr.clone()), find(not)]
    });
    let violation = Question {
        sort: Sort::Violation,
        ..deadlock()
    };
    let places = p.threads.iter().enumerate().flat_map(|(t, thread)| {
        let locations = 0..thread.locations.len();
        locations.map(move |l| find(Expr::At(t, vec![l])))
    });
    let asked: Vec<Question> = asked
        .chain([deadlock(), violation, find(p.gone_wrong())])
        .chain(places)
        .collect();
    let order = Heuristic::Interaction.order(&p);
    let mut hidden = 0;
    for inside in [usize::MAX, 0, 7] {
        let reduction = Reduction {
            inside,
            ..any_reduction(&p, bits)
        };
        let expected = enumerate(&p, &asked, Some(&reduction), 2_000, &control());
        if expected.stopped.is_some() {
            return Ok(0);
        }
        let up_to = (Some(&reduction), None);
        let how = (Mode::Breadth, 1);
        let found = explicit(&p, &asked, &order, up_to, how, u64::MAX, &control());
        let counts = |o: &Outcome| (o.states.clone(), o.deadlocks.clone(), o.violated);
        prop_assert_eq!(counts(&found), counts(&expected), "{} {}", inside, source);
        match inside {
            0 => prop_assert_eq!(&found.visited, &None),
            // Where the limit was passed at the end only, all were kept.
            7 if found.visited.is_none() => hidden += 1,
            _ => prop_assert_eq!(&found.visited, &expected.visited),
        }
        for (n, (mine, other)) in found.answers.iter().zip(&expected.answers).enumerate() {
            match (mine, other) {
                (Answer::Nowhere, Answer::Nowhere) => {}
                (Answer::Found(path), Answer::Found(_)) => {
                    let met = asked[n].met(&p, &path.end());
                    let is_violation = asked[n].sort == Sort::Violation;
                    prop_assert!(met || is_violation, "{inside} {n} {source}");
                }
                _ => prop_assert!(false, "{inside} {n} {mine:?} {other:?} {source}"),
            }
        }
    }
    Ok(hidden)
}

#[test]
fn whatever_is_kept_inside_coarse_steps_the_same_is_found() {
    let hidden = Cell::new(0);
    let sources = prop_oneof![
        2 => super::ending(2..4, 1..6).boxed(),
        1 => loops::programs().boxed(),
        2 => twin::generate::samples().prop_map(|s| s.source).boxed(),
    ];
    let mut runner = random::runner(300);
    runner
        .run(&(sources, any::<u64>()), |(source, bits)| {
            hidden.set(hidden.get() + finds_the_same(&source, bits)?);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(hidden.get(), 50), "{} times", hidden.get());
}

/// A run of invisible steps that goes round in a circle ends, and what is inside it is seen.
#[test]
fn circles_inside_coarse_steps() {
    for round in [1, 7, 8, 100, 1000] {
        let source = format!(
            "var go: bool = false; var x: 0..{round} = 0;
             thread a() {{ go = true; while (true) {{ x = (x + 1) % ({round} + 1); }} }}
             thread b() {{ when (go) go = false; }}
             reach last: x == {round} && go;"
        );
        let p = loaded(&source).expect("well typed").program().clone();
        let visible = p.threads.iter().enumerate().map(|(t, thread)| {
            let first = |l: usize| t == 1 || l == thread.initial;
            (0..thread.locations.len()).map(first).collect()
        });
        let mut reduction = Reduction {
            visible: visible.collect(),
            when_blocked: Blocked::Ends,
            inside: usize::MAX,
        };
        let asked = [find(p.properties[0].expr.clone()), deadlock()];
        let order = Heuristic::Interaction.order(&p);
        for inside in [usize::MAX, 0] {
            reduction.inside = inside;
            let up_to = (Some(&reduction), None);
            let how = (Mode::Breadth, 1);
            let found = explicit(&p, &asked, &order, up_to, how, 100_000, &control());
            assert_eq!(found.stopped, None);
            assert!(matches!(found.answers[0], Answer::Found(_)), "{round}");
            let all = enumerate(&p, &asked, Some(&reduction), 10_000, &control());
            assert_eq!(found.states, all.states);
            assert_eq!(found.deadlocks, all.deadlocks);
        }
    }
}

/// Where a blocked thread waits inside its coarse step, a deadlock there is found, and counted.
#[test]
fn a_deadlock_inside_a_coarse_step() {
    let source = "var x: 0..1 = 0; thread a() { x = 1; when (x == 0) x = 1; }";
    let p = loaded(source).expect("well typed").program().clone();
    let thread = &p.threads[0];
    let first = |l: usize| l == thread.initial || thread.locations[l].edges.is_empty();
    let order = Heuristic::Interaction.order(&p);
    for inside in [usize::MAX, 0] {
        let reduction = Reduction {
            visible: vec![(0..thread.locations.len()).map(first).collect()],
            when_blocked: Blocked::Waits,
            inside,
        };
        let up_to = (Some(&reduction), None);
        let how = (Mode::Breadth, 1);
        let asked = [deadlock()];
        let found = explicit(&p, &asked, &order, up_to, how, u64::MAX, &control());
        assert_eq!(found.states, Some(1u32.into()));
        assert_eq!(found.deadlocks, Some(1u32.into()));
        assert!(matches!(found.answers[0], Answer::Found(_)));
    }
}

const THEOREMS: [&str; 6] = [
    "stoller-cohen",
    "flanagan-qadeer",
    "left-movers",
    "right-movers",
    "lipton",
    "auto",
];

/// On the reduced system of a theorem a technique decides what the full exploration of it decides, and as it does; and
/// that is so in the program.
fn agrees(session: &Session, theorem: &str, por: &Por) -> Result<usize, TestCaseError> {
    let declared = session.program().properties.iter();
    let asked = ReachOptions {
        engine: coarsen::command::reach::Engine::Explicit,
        deadlock: true,
        invariants: declared.map(|p| p.name.clone()).collect(),
        reduced: true,
        operations: Some(20_000),
        ..ReachOptions::default()
    };
    let (theory, others) = match theorem {
        "auto" => (candidates().remove(0), candidates().split_off(1)),
        name => (theory(name).expect("shipped"), Vec::new()),
    };
    let asked = ReachOptions { others, ..asked };
    let run = |options: &ReachOptions| session.reach(&theory, options, &control());
    let full = run(&asked);
    let mine = run(&ReachOptions {
        por: Some(por.clone()),
        ..asked.clone()
    });
    let original = reach(
        session,
        &ReachOptions {
            reduced: false,
            ..asked
        },
    );
    let name = format!("{} by {theorem}", por.name());
    prop_assert!(!mine.is_contradicted(), "{name}: {}", mine.reason);
    let whole = mine.refused.is_none() && mine.limits.hit.is_none();
    prop_assert!(
        !whole || mine.violated == full.violated,
        "{name}: the discipline"
    );
    let (mut decided, mine_violated) = (0, mine.violated);
    for ((mine, full), original) in
        (mine.questions.iter().zip(&full.questions)).zip(&original.questions)
    {
        let known = |s: Status| s != Status::Unknown;
        if known(mine.verdict) {
            // What is found behind a violation is left out by the exploration of the program.
            let there = !known(original.verdict) || mine.verdict == original.verdict;
            prop_assert!(there, "{name}: {} in the program", mine.name);
            let here = !known(full.verdict) || mine.verdict == full.verdict;
            prop_assert!(here, "{name}: {}", mine.name);
            decided += 1;
        }
        // The full exploration asks of states reached by a violation, too.
        let open = !whole || mine_violated || por.name().contains("hashed");
        let lost = !open && known(full.verdict) && !known(mine.verdict);
        prop_assert!(!lost, "{name}: {}: {}", mine.name, mine.reason);
    }
    Ok(decided)
}

#[test]
fn reduced_systems_of_all_theorems() {
    let all = combinations();
    let decided: Vec<Cell<usize>> = THEOREMS.iter().map(|_| Cell::new(0)).collect();
    let mut runner = random::runner(60);
    let sources = prop_oneof![
        loops::programs().boxed(),
        super::ending(2..4, 1..5).boxed(),
        twin::generate::samples().prop_map(|s| s.source).boxed(),
    ];
    let cases = (sources, 0..THEOREMS.len(), 0..all.len());
    runner
        .run(&cases, |(source, theorem, first)| {
            let Some(session) = loaded(&source) else {
                return Ok(());
            };
            for n in 0..4 {
                let por = &all[(first + 5 * n) % all.len()];
                let so_far = decided[theorem].get();
                decided[theorem].set(so_far + agrees(&session, THEOREMS[theorem], por)?);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    for (theorem, decided) in THEOREMS.iter().zip(&decided) {
        assert!(
            random::enough(decided.get(), 1),
            "no question was decided by {theorem}"
        );
    }
}
