//! A check that explores the original program as well, in turns with the hypotheses and the reduced system. Whoever
//! settles the properties first answers them, so a check takes little longer than a plain exploration.
//!
//! The exploration in full needs no theorem: its answers are those of [`crate::engine::reach`], on the program as it
//! was written. What was inferred has no influence on them.

use super::check::{Check, CheckOptions, Done, Reduce, asked_claims, hit, run};
use super::executions::trace::{repeat, settles};
use super::properties::{Asked, asked};
use super::verdict;
use crate::algebra::Theory;
use crate::base::control::{Control, Hit, Stop};
use crate::base::results::{
    Contradiction, Doubt, Evidence, Note, Property, PropertyKind, PropertyReason, Report, Status,
    Verdict,
};
use crate::base::{Side, Turns};
use crate::engine::compiled::Mode;
use crate::engine::quotients::Symmetry;
use crate::engine::reach::{Answer, Outcome, Question, explicit};
use crate::engine::relations::Encoding;
use crate::model::program::Program;
use crate::model::text::ast::ExpectKind;
use crate::theorem::discharge::{By, hypotheses};
use crate::theorem::reduced::engines::{by_engines, cores, order};
use std::sync::Arc;
use std::thread;

/// Deep expressions need a deep stack; it is taken as it is used.
const STACK: usize = 256 << 20;

/// Operations with threads exchanged, of each engine without, and then again with: where symmetry helps most, little
/// is enough, and where it helps less, other engines may be faster. Of fewer threads nothing but the first is tried.
const SYMMETRIC_FIRST: u64 = 1 << 15;
const PLAIN_FIRST: u64 = 1 << 20;
const SYMMETRIC: u64 = 1 << 27;
const MANY_THREADS: usize = 5;

/// Work that BDDs may be for each claim beside that of the exploration, in pairs of nodes: a twentieth of a second.
const MOVERS: u64 = 1 << 20;

/// Whether the answer may come from an exploration in full: nothing was asked for that only a reduction has.
pub(super) fn may_be(program: &Program, theory: &Theory, options: &CheckOptions) -> bool {
    let by_reduction = options.strict
        || options.certificate
        || options.cross_check
        || options.annotate
        || options.only_hypotheses
        || options.discharge != By::Either
        || options.claims_by.is_some()
        || !options.quotients.is_empty();
    // The lines of a model with other constants are not looked at.
    let expects = || {
        program
            .expects
            .iter()
            .any(|(kind, _)| is_of_reduction(kind))
    };
    options.reduce != Reduce::Always
        && !by_reduction
        && theory.is_proved()
        && (!program.overridden.is_empty() || !expects())
}

/// Whether an `expect` line speaks of hypotheses, or of the reduced system.
fn is_of_reduction(kind: &ExpectKind) -> bool {
    match kind {
        ExpectKind::Verdict(name) => {
            let settled = [Verdict::Holds, Verdict::Refuted];
            settled.iter().all(|v| v.id() != name.text)
        }
        ExpectKind::Property { verdict, .. } => verdict.text == Status::Unknown.id(),
        ExpectKind::Count { what, .. } => what.text != "original",
    }
}

/// Checks a program in turns with an exploration in full.
pub(super) fn in_turns(
    name: &str,
    program: &Program,
    theory: &Theory,
    options: &CheckOptions,
    control: &Control,
) -> (Report, Done) {
    let turns = Arc::new(match options.reduce {
        Reduce::Last => Turns::reduced_last(),
        _ => Turns::default(),
    });
    let reduced = control.in_turns(&turns, Side::Reduced);
    let full = control.in_turns(&turns, Side::Full);
    let all = asked(program, options.property.as_deref());
    let explores = || {
        let _begun = turns.begin(Side::Full);
        let outcome = explore(program, &all, &full);
        if is_complete(&outcome) {
            reduced.stop(Stop::Settled);
        }
        outcome
    };
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK);
        let Ok(explorer) = builder.spawn_scoped(scope, explores) else {
            return run(name, program, theory, options, control);
        };
        let begun = turns.begin(Side::Reduced);
        let _stop = StopOnPanic(&full);
        let (mut report, done) = run(name, program, theory, options, &reduced);
        let is_definite = matches!(report.verdict, Verdict::Holds | Verdict::Refuted);
        let is_settled = is_definite && !is_cut(&report) || report.is_contradicted();
        if is_settled {
            full.stop(Stop::Settled);
        }
        drop(begun);
        match explorer.join() {
            Ok(outcome) if !is_settled && is_complete(&outcome) => {
                if report.hypotheses.is_empty() {
                    let all = theory.hypotheses.iter().map(hypotheses::undecided);
                    report.hypotheses = all.collect();
                }
                tell(&mut report, program, &all, &outcome);
                let check = Check::new(program, theory, options, control);
                if let Err(stop) = claims(&check, turns.done(Side::Full), &mut report) {
                    hit(&mut report, stop, control);
                }
                verdict::settle(&mut report, program);
            }
            Ok(_) => {}
            Err(panic) => std::panic::resume_unwind(panic),
        }
        (report, done)
    })
}

/// Whether the exploration in full was done before everything was asked here.
fn is_cut(report: &Report) -> bool {
    let open =
        |p: &Property| p.kind == PropertyKind::Transaction && p.reason == PropertyReason::Undecided;
    matches!(report.limits.hit, Some(Hit::Phase(Stop::Settled, _)))
        || report.properties.iter().any(open)
}

/// Nobody waits for the other side if this one has come to grief.
struct StopOnPanic<'c>(&'c Control);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(Stop::Settled);
        }
    }
}

/// Whether everything was explored, and each question has its answer.
fn is_complete(outcome: &Outcome) -> bool {
    let open = |a: &Answer| matches!(a, Answer::Somewhere(_));
    outcome.stopped.is_none() && !outcome.answers.iter().any(open)
}

fn explore(program: &Program, asked: &[Asked], control: &Control) -> Outcome {
    // All engines count what others do behind an error then, as relations do.
    let mut program = program.clone();
    program.errors_end = false;
    let p = &program;
    let questions: Vec<Question> = asked.iter().map(|a| a.question(p)).collect();
    let first = |most| by_engines(p, &questions, None, most, control);
    let (symmetry, _) = Symmetry::new(p, &questions, None);
    let exchanged = |most| {
        let (_, order) = order(p, 0)?;
        let (up_to, on) = ((None, Some(&symmetry)), (Mode::Breadth, cores()));
        let outcome = explicit(p, &questions, &order, up_to, on, most, control);
        is_final(&outcome, control).then_some(outcome)
    };
    let plain = |most| {
        let outcome = first(most);
        is_final(&outcome, control).then_some(outcome)
    };
    if symmetry.is_trivial() {
        return first(u64::MAX);
    }
    let many = symmetry.largest() >= MANY_THREADS;
    exchanged(SYMMETRIC_FIRST)
        .or_else(|| many.then(|| plain(PLAIN_FIRST)).flatten())
        .or_else(|| many.then(|| exchanged(SYMMETRIC)).flatten())
        .unwrap_or_else(|| first(u64::MAX))
}

/// Whether it need not be tried again: it is complete, or everything is over.
fn is_final(outcome: &Outcome, control: &Control) -> bool {
    is_complete(outcome) || control.check().is_err()
}

/// Answers the properties by what an exploration in full found.
fn tell(report: &mut Report, p: &Program, asked: &[Asked], outcome: &Outcome) {
    let conditions = report.well_formedness.iter_mut();
    for open in conditions.chain(&mut report.hypotheses) {
        let stopped = matches!(
            open.evidence,
            Evidence::Undecided | Evidence::Limit(Stop::Settled, _)
        );
        if stopped {
            open.evidence = Evidence::InFull;
        }
    }
    if report
        .hypotheses
        .iter()
        .all(|h| h.evidence == Evidence::InFull)
    {
        // Guesses that nothing was held against.
        report.discipline.clear();
        report.revisions.clear();
    }
    report.limits.hit = None;
    report.in_full = true;
    report.states.original = outcome.states.as_ref().map(ToString::to_string);
    // What was said of the reduced system, its answers and their traces.
    let stays = |n: &Note| matches!(n, Note::Overridden(_) | Note::Vacuous | Note::AllVisible);
    report.notes.retain(stays);
    report.notes.push(Note::InFull(outcome.engine.to_string()));
    if outcome.states.as_ref().is_some_and(|n| *n == 0u32.into()) && !report.vacuous {
        report.vacuous = true;
        report.notes.insert(0, Note::Vacuous);
    }
    let answers = asked.iter().zip(&outcome.answers);
    report.properties = answers
        .map(|(asked, answer)| property(p, asked, answer, outcome.violated))
        .collect();
}

/// Decides the claims. Movers may cost little more than the comparison that there is instead.
fn claims(check: &Check, explored: u64, report: &mut Report) -> Result<(), Stop> {
    let (program, control) = (check.program, check.control);
    let asked = asked_claims(program, check.options);
    let undecided = asked.map(|c| Property::undecided(&c.name, PropertyKind::Transaction));
    let undecided: Vec<Property> = undecided.collect();
    report.claims.clear();
    if undecided.is_empty() {
        return Ok(());
    }
    let most = explored + MOVERS * undecided.len() as u64;
    report.properties.extend(undecided);
    match Encoding::within(program, most, control) {
        Ok(encoding) => check.claims(report, Some((&encoding, None))),
        Err(Stop::Effort | Stop::Nodes | Stop::Variables) => check.claims(report, None),
        Err(stop) => Err(stop),
    }
}

fn property(p: &Program, asked: &Asked, answer: &Answer, violated: bool) -> Property {
    let kind = asked.reported(p);
    let mut property = Property::undecided(&asked.name, kind);
    let answered = |yes: bool| if yes { Status::Holds } else { Status::Refuted };
    match answer {
        Answer::Found(path) => {
            let badly = kind == PropertyKind::Discipline;
            let rerun = repeat(p, path, None, badly);
            match rerun.and_then(|rerun| settles(p, rerun, asked)) {
                Some(trace) => {
                    property.verdict = answered(asked.wanted);
                    property.reason = PropertyReason::Found(trace.outcome.clone());
                    property.trace_length = Some(path.moves.len().to_string());
                    property.trace = Some(trace).filter(|t| !t.states.is_empty());
                }
                None => property.reason = PropertyReason::Contradicted(Contradiction::NotRepeated),
            }
        }
        Answer::Nowhere if violated => {
            property.reason = PropertyReason::NotFound(Doubt::Violated);
        }
        Answer::Nowhere => {
            property.verdict = answered(!asked.wanted);
            property.reason = PropertyReason::Explored(match kind {
                PropertyKind::DeadlockFree => PropertyKind::Deadlock,
                PropertyKind::Reach => PropertyKind::Find,
                kind => kind,
            });
        }
        Answer::Somewhere(stop) => property.reason = PropertyReason::FoundState(*stop),
    }
    property
}
