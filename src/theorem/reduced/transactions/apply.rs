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
use crate::base::results::{
    Demand, Doubt, Evaluated, Evidence, Hypothesis, Note, Property, PropertyKind, PropertyReason,
    Remark, Report, Status,
};
use crate::engine::reach::Blocked;
use crate::engine::relations::Encoding;
use crate::model::program::{Class, Program};
use crate::theorem::check::{Check, Reduce, hit, tell};
use crate::theorem::claims::class;
use crate::theorem::discharge::By;
use crate::theorem::discharge::hypotheses::{self, Pairs, evaluate};
use crate::theorem::executions::trace::step_of;
use crate::theorem::explored::Explored;
use crate::theorem::inference::annotated;
use crate::theorem::invariants::{Budgets, Ladder, Rung};
use crate::theorem::movers::{Detail, Judged, Other, judged};
use crate::theorem::own;
use crate::theorem::properties::{Asked, Goal, GoalKind, goals, with_states};
use crate::theorem::read::{Model, Names, Unreadable};
use crate::theorem::reduced::coarse::{Explorer, Reduced};
use crate::theorem::reduced::engines::Quick;
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
    let inference = inferred::settled(check.subject, check.left, check.control)?;
    report.timing.inference = clock.elapsed().as_secs_f64();
    let Some(inference) = inference else {
        let program = check.program;
        attempt(check, program, (uses, is_lenient(check)), report)?;
        return Ok(());
    };
    inferred::tell(report, &inference);
    if check.options.annotate {
        report.annotated = Some(annotated(&inference));
    }
    let guessed = inference.program().clone();
    if !attempt(check, &guessed, (uses, is_lenient(check)), report)? {
        // A guess that a real execution violates says nothing about the model.
        report.discipline.clear();
        report.revisions.clear();
        if check.options.annotate {
            report.annotated = Some(check.program.source.clone());
        }
        attempt(check, check.program, (uses, is_lenient(check)), report)?;
        report.notes.push(Note::GuessesDropped);
    }
    Ok(())
}

/// Whether it may be assumed at first that no thread goes wrong: nobody else rests on what is settled so.
fn is_lenient(check: &Check) -> bool {
    let options = check.options;
    !options.certificate && !options.ends_early() && options.discharge == By::Either
}

/// Checks one program; whether the disciplines that it has by inference are kept. If `lenient`, a deadlock is looked
/// for only where no thread has gone wrong, and that counts if none does.
fn attempt(
    check: &mut Check,
    program: &Program,
    (uses, lenient): (Uses, bool),
    report: &mut Report,
) -> Result<bool, Stop> {
    let clock = Instant::now();
    let (options, control) = (check.options, check.control);
    check.settled = Some(program.clone());
    control.enter("building relations");
    let plain = Encoding::within(program, check.left, control)?;
    let observed = goals(&plain, &options.properties)?;
    let asked: Vec<Asked> = observed.iter().map(|g| g.asked.clone()).collect();
    check.begin(report, program, &asked);
    control.enter("movers");
    let observed = observed.iter().filter(|g| is_observed(g));
    let observed = observed.map(|goal| seen(&plain, goal, lenient));
    let observed: Vec<Bdd> = observed.collect::<Result<_, Stop>>()?;
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

    settle(check, report, &mut e, (&phased, lenient), &goals)?;
    if options.ends_early() {
        check.done.prepared = Some(phased.prepared(program));
        return Ok(true);
    }
    let e = e;
    let inside = |t, l| phased.is_inside(t, l);
    let prepared = phased.prepared(program);
    let asked: Vec<Asked> = goals.iter().map(|g| g.asked.clone()).collect();
    let telling = prepared.telling(&asked);
    match check.quick(report, &prepared, (&asked, false)) {
        Quick::Answered(outcome) => {
            check.tell(report, telling, &outcome);
            report.statistics.peak_nodes = Some(e.m.peak().to_string());
        }
        Quick::Cut if options.reduce != Reduce::Always => {
            let violated = check.elsewhere(report, telling);
            if violated && has_guesses(program) {
                return Ok(false);
            }
        }
        Quick::Cut | Quick::Violated(_) | Quick::Open if lenient => {
            return attempt(check, program, (uses, false), report);
        }
        Quick::Cut | Quick::Violated(_) | Quick::Open => {
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
            return Ok(true);
        }
    }
    if lenient {
        without_deadlocks(report);
    }
    check.judge(report, (&plain, &inside), &asked)?;
    Ok(true)
}

/// Whether a goal is a set of states that an observer looks at. (Violations and failed assertions are threads that go
/// wrong.)
fn is_observed(goal: &Goal) -> bool {
    matches!(goal.kind, GoalKind::DeadlockFree | GoalKind::User(_))
}

/// Without what was said of deadlocks if no thread goes wrong, where one does.
fn without_deadlocks(report: &mut Report) {
    let is_wrong = |p: &Property| {
        matches!(p.kind, PropertyKind::Discipline | PropertyKind::Assertions)
            && p.verdict != Status::Holds
    };
    if !report.properties.iter().any(is_wrong) {
        return;
    }
    let properties = report.properties.iter_mut();
    for property in properties.filter(|p| p.kind == PropertyKind::DeadlockFree) {
        if property.verdict == Status::Holds {
            property.verdict = Status::Unknown;
            property.reason = PropertyReason::Unsettled(Doubt::Hidden);
        }
    }
}

/// The states in which an observer of a goal goes wrong.
fn seen(e: &Encoding, goal: &Goal, lenient: bool) -> Result<Bdd, Stop> {
    match lenient && goal.kind == GoalKind::DeadlockFree {
        true => {
            e.m.and_not(&goal.bad, &e.predicate(&e.program.gone_wrong())?)
        }
        false => Ok(goal.bad.clone()),
    }
}

/// Settles the theory's hypotheses, and A3 and A4 for the observers, on the program with phases and access checks.
fn settle(
    check: &mut Check,
    report: &mut Report,
    e: &mut Encoding,
    phased: (&Phased, bool),
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
    (phased, lenient): (&Phased, bool),
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
        let bad = seen(e, goal, lenient)?;
        let model = about(&observer, vec![(goal.name.clone(), bad)]);
        let soon = match lenient {
            // What is had soon is enough for most locks.
            true => {
                let soon = &mut Ladder::within(e, Budgets::soon());
                Some(observed(&model, goal, soon, &mut Pairs::default())?)
            }
            false => None,
        };
        let entry = match soon.filter(|entry| entry.status == Status::Holds) {
            Some(entry) => entry,
            None => observed(&model, goal, &mut ladder, &mut pairs)?,
        };
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
        let mut entry = match evaluate(model, &hypothesis, None, ladder, pairs) {
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

/// Whether some cell has a discipline that is a guess.
fn has_guesses(p: &Program) -> bool {
    p.protections.iter().any(|x| {
        let array = p.cells[x.cell].array;
        p.arrays[array].class == Class::Unprotected { declared: false }
    })
}

/// Whether the discipline is violated at a cell whose discipline is a guess.
fn guess_violated(e: &Encoding, reduced: &Reduced) -> Result<bool, Stop> {
    let m = &e.m;
    if reduced.met.first() != Some(&true) {
        return Ok(false);
    }
    if !has_guesses(e.program) {
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
            step.reasons.push(Remark::InTheWay(e.place(other)));
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
