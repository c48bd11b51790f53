//! `coarsen check` under a theorem about transactions: movers, phases, hypotheses, the reduced system, evidence.
//!
//! The reduced system is explored on the program with phases, from states with all threads outside transactions, a
//! thread's steps being followed until it is outside again. An execution that is found is one of that program. Without
//! the phases it is one of the given program, and is repeated there.

use super::phases::{Phase, Phased, Uses};
use super::{checked, phased, scheduling, somewhere, with_checks};
use crate::algebra;
use crate::algebra::text::observer;
use crate::base::control::Stop;
use crate::base::results::{Demand, Evaluated, Evidence, Hypothesis, Note, Remark, Report, Status};
use crate::engine::reach::Blocked;
use crate::engine::relations::Encoding;
use crate::model::program::{Class, Program};
use crate::theorem::check::{Check, hit, tell};
use crate::theorem::claims::class;
use crate::theorem::discharge::hypotheses::{self, Pairs, evaluate};
use crate::theorem::executions::trace::step_of;
use crate::theorem::explored::Explored;
use crate::theorem::inference::annotated;
use crate::theorem::invariants::{Ladder, Rung};
use crate::theorem::movers::{Detail, Judged, Other, judged};
use crate::theorem::own;
use crate::theorem::properties::{Asked, Goal, GoalKind, goals, with_states};
use crate::theorem::read::{Model, Names, Unreadable};
use crate::theorem::reduced::coarse::{Explorer, Reduced};
use crate::theorem::refuted_guesses as inferred;
use crate::theorem::wellformed::{disjoint_initially, entry, hides_id};
use biodivine_lib_bdd::Bdd;
use std::time::Instant;

/// Checks a program under a theorem about transactions.
///
/// # Errors
/// Any [`Stop`].
pub fn apply(check: &mut Check, uses: Uses, report: &mut Report) -> Result<(), Stop> {
    let clock = Instant::now();
    check.control.enter("inferring disciplines");
    let inference = inferred::settled(check.program, check.left, check.control)?;
    report.timing.inference = clock.elapsed().as_secs_f64();
    let Some(inference) = inference else {
        let program = check.program;
        attempt(check, program, uses, report)?;
        return Ok(());
    };
    inferred::tell(report, &inference);
    if check.options.annotate {
        report.annotated = Some(annotated(&inference));
    }
    let guessed = inference.program().clone();
    if !attempt(check, &guessed, uses, report)? {
        // A guess that a real execution violates says nothing about the model.
        report.discipline.clear();
        report.revisions.clear();
        if check.options.annotate {
            report.annotated = Some(check.program.source.clone());
        }
        attempt(check, check.program, uses, report)?;
        report.notes.push(Note::GuessesDropped);
    }
    Ok(())
}

/// Checks one program; whether the disciplines that it has by inference are kept.
fn attempt(
    check: &mut Check,
    program: &Program,
    uses: Uses,
    report: &mut Report,
) -> Result<bool, Stop> {
    let clock = Instant::now();
    let (options, control) = (check.options, check.control);
    let only = options.property.as_deref();
    check.settled = Some(program.clone());
    control.enter("building relations");
    let plain = Encoding::within(program, check.left, control)?;
    let observed = goals(&plain, only)?;
    let asked: Vec<Asked> = observed.iter().map(|g| g.asked.clone()).collect();
    check.begin(report, program, &asked);
    control.enter("movers");
    let observed = observed.into_iter().filter(is_observed);
    let observed: Vec<Bdd> = observed.map(|g| g.bad).collect();
    let judged = judged(&plain, &observed, Detail::Class)?;
    control.enter("transactions");
    let phased = phased(&plain, &judged, uses, check.left)?;
    let mut e = Encoding::within(&phased.program, check.left, control)?;
    // The program with phases makes no claims, so what these rest on is not known of it.
    let goals = with_states(&e, asked)?;
    let visibility = scheduling(&e, &phased);
    describe(report, &plain, &judged, &phased);
    report.statistics.bits = Some(e.layout.bits().to_string());
    report.timing.encoding = clock.elapsed().as_secs_f64();
    control.publish(report);

    settle(check, report, &mut e, &phased, &goals)?;
    if options.only_hypotheses {
        check.done.prepared = Some(phased.prepared(program));
        return Ok(true);
    }
    let e = e;
    let explorer = Explorer::prepared(&e, &visibility, Blocked::Waits)?;
    control.enter("the reduced system");
    let reduced = check.explore(report, &explorer, &goals);
    if guess_violated(&e, &reduced)? {
        return Ok(false);
    }
    let explored = Explored {
        plain: &plain,
        encoding: &e,
        explorer: &explorer,
        visibility: &visibility,
        reduced: &reduced,
        goals: &goals,
        phased: Some(&phased),
    };
    // Invariants that the certificate needs are those of the program with access checks.
    let with_checks = match options.certificate {
        true => Some(with_checks(&phased, check.left, control)?),
        false => None,
    };
    let mut ladder = Ladder::new(with_checks.as_ref().unwrap_or(&e));
    check.conclude(report, &explored, &mut ladder)?;
    Ok(true)
}

/// Whether a goal is a set of states that an observer looks at. (Violations and failed assertions are threads that go
/// wrong.)
fn is_observed(goal: &Goal) -> bool {
    matches!(goal.kind, GoalKind::DeadlockFree | GoalKind::User(_))
}

/// Settles the theory's hypotheses, and A3 and A4 for the observers, on the program with phases and access checks.
fn settle(
    check: &mut Check,
    report: &mut Report,
    e: &mut Encoding,
    phased: &Phased,
    goals: &[Goal],
) -> Result<(), Stop> {
    let clock = Instant::now();
    report.well_formedness = vec![disjoint_initially(e)];
    let with_checks = checked(e)?;
    let raw = std::mem::replace(&mut e.actions, with_checks);
    let initial = e.m.and_not(&e.initial, &e.q())?;
    let initial = std::mem::replace(&mut e.initial, initial);
    let settled = settle_with_checks(check, report, e, phased, goals);
    (e.actions, e.initial) = (raw, initial);
    report.timing.hypotheses = clock.elapsed().as_secs_f64();
    check.control.publish(report);
    if let Err(stop) = settled {
        hit(report, stop, check.control);
        check.control.check()?;
    }
    Ok(())
}

fn settle_with_checks(
    check: &mut Check,
    report: &mut Report,
    e: &Encoding,
    phased: &Phased,
    goals: &[Goal],
) -> Result<(), Stop> {
    let mut ladder = Ladder::new(e);
    let visibility = scheduling(e, phased);
    let theory = check.theory;
    let observer = observer().unwrap_or_default();
    let about = |theory, states| Model {
        encoding: e,
        visibility: &visibility,
        phased: Some(phased),
        theory,
        states,
        names: Names::Variables,
    };
    let mut pairs = check.settle(report, &about(theory, Vec::new()), &mut ladder)?;
    own::evaluate(report, &about(theory, Vec::new()))?;
    for goal in goals.iter().filter(|g| is_observed(g)) {
        check.control.enter(format!("who may hide {}", goal.name));
        let model = about(&observer, vec![(goal.name.clone(), goal.bad.clone())]);
        let entry = observed(&model, goal, &mut ladder, &mut pairs)?;
        report.well_formedness.push(entry);
    }
    if !phased.uses.keeps_inside {
        for goal in goals {
            let entry = outside(e, phased, goal, &mut ladder)?;
            report.well_formedness.push(entry);
        }
    }
    tell(report, pairs, &mut ladder)
}

/// A3 and A4 where the other thread is the observer of a goal.
fn observed(
    model: &Model,
    goal: &Goal,
    ladder: &mut Ladder,
    pairs: &mut Pairs,
) -> Result<Hypothesis, Stop> {
    let mut worst: Option<Hypothesis> = None;
    for law in &model.theory.hypotheses {
        let hypothesis = algebra::Hypothesis {
            id: hides_id(goal),
            words: String::new(),
            statement: law.statement.with_states("V", &goal.name),
            syntactic: None,
        };
        let mut entry = match evaluate(model, &hypothesis, ladder, pairs) {
            Ok(entry) => entry,
            Err(Unreadable::Stopped(stop)) => return Err(stop),
            Err(why @ Unreadable::Meaningless { .. }) => Hypothesis {
                evidence: Evidence::NotEvaluated(why.to_string()),
                ..hypotheses::undecided(&hypothesis)
            },
        };
        entry.words = Demand::NotMoved(goal.name.clone());
        let worse = |w: &Hypothesis| {
            w.status == Status::Holds
                && (entry.status != Status::Holds || entry.invariant > w.invariant)
        };
        if worst.as_ref().is_none_or(worse) {
            worst = Some(entry);
        }
    }
    let unread = || {
        entry(
            &hides_id(goal),
            "",
            Demand::NotMoved(goal.name.clone()),
            Status::Unknown,
            Evidence::Undecided,
        )
    };
    Ok(worst.unwrap_or_else(unread))
}

/// Lipton's theorem keeps what is reached with all threads outside transactions, and nothing else.
fn outside(
    e: &Encoding,
    phased: &Phased,
    goal: &Goal,
    ladder: &mut Ladder,
) -> Result<Hypothesis, Stop> {
    let m = &e.m;
    let mut inside = m.no();
    for t in 0..e.program.threads.len() {
        let here = [Phase::Before, Phase::Behind].map(|p| phased.at(t, p).collect::<Vec<_>>());
        inside = m.or(&inside, &somewhere(e, t, here.concat())?)?;
    }
    // A violation is a thread that goes wrong here, as a failed assertion is.
    let mut bad = goal.bad.clone();
    if goal.kind == GoalKind::Discipline {
        bad = e.predicate(&e.program.gone_wrong())?;
    }
    let left = m.and(&bad, &inside)?;
    let holds = m.disjoint(&left, &ladder.strongest(Rung::Reachable)?);
    let (status, evidence) = match holds {
        true => (Status::Holds, Evaluated::Outside),
        false => (Status::Unknown, Evaluated::PerhapsInside),
    };
    let formula = format!("{{{}}} <= n", goal.name);
    Ok(entry(
        &hides_id(goal),
        &formula,
        Demand::Outside(goal.name.clone()),
        status,
        Evidence::Evaluated(evidence),
    ))
}

/// Whether the discipline is violated at a cell whose discipline is a guess.
fn guess_violated(e: &Encoding, reduced: &Reduced) -> Result<bool, Stop> {
    let m = &e.m;
    if reduced.met.first() != Some(&true) {
        return Ok(false);
    }
    let guessed = e.program.protections.iter().any(|x| {
        let array = e.program.cells[x.cell].array;
        e.program.arrays[array].class == Class::Unprotected { declared: false }
    });
    if !guessed {
        return Ok(false);
    }
    let states = m.and_not(&m.or(&reduced.visited, &reduced.states)?, &e.q())?;
    for action in &e.actions {
        for (_, outside) in &action.outside {
            if !m.disjoint(outside, &states) {
                return Ok(true);
            }
        }
    }
    for (x, protection) in e.program.protections.iter().enumerate() {
        let array = e.program.cells[protection.cell].array;
        let guess = e.program.arrays[array].class == Class::Unprotected { declared: false };
        let met = m.or(&reduced.visited, &reduced.states)?;
        if guess && !m.disjoint(e.overlap(x), &met) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The steps with which a transaction may begin, and those inside transactions only; with what they are as movers.
fn describe(report: &mut Report, e: &Encoding, judged: &[Judged], phased: &Phased) {
    report.visible.clear();
    report.invisible.clear();
    for (a, action) in e.actions.iter().enumerate() {
        let mut step = step_of(e, a);
        let phases: Vec<Phase> = phased.origin[action.thread]
            .iter()
            .zip(&phased.phases[action.thread])
            .filter(|(origin, _)| **origin == action.location)
            .map(|(_, phase)| *phase)
            .collect();
        let Judged { mover, .. } = &judged[a];
        step.reasons.push(Remark::Mover(class(*mover)));
        let obstacles = judged[a].right.iter().chain(&judged[a].left);
        if let Some(Other::Action(other)) = obstacles.map(|o| o.other).next() {
            let other = step_of(e, other);
            step.reasons.push(Remark::InTheWay {
                thread: other.thread,
                line: other.line,
            });
        }
        if phases.contains(&Phase::Outside) || phases.is_empty() {
            report.visible.push(step);
        } else {
            report.invisible.push(step);
        }
    }
    report.statistics.actions = Some(e.actions.len().to_string());
    report.notes.push(match report.invisible.is_empty() {
        true => Note::AllScheduled,
        false => Note::Transactions,
    });
}
