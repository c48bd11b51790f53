//! A check that explores the original program as well, in turns with the hypotheses and the reduced system. Whoever
//! settles the properties first answers them, so a check takes little longer than a plain exploration.
//!
//! The exploration in full needs no theorem: its answers are those of [`crate::engine::reach`], on the program as it
//! was written. What was inferred has no influence on them.

use super::check::{Check, CheckOptions, Done, Reduce, asked_claims, hit, run};
use super::choice::{candidates, promises};
use super::executions::trace::{repeat, settles};
use super::properties::{Asked, asked};
use super::verdict;
use crate::algebra::Theory;
use crate::base::control::{Control, Hit, Stop};
use crate::base::results::{
    Candidate, Contradiction, Doubt, Evidence, Note, Property, PropertyKind, PropertyReason,
    Report, Status, Verdict,
};
use crate::base::{Side, Turns};
use crate::engine::reach::{Answer, Outcome, Question};
use crate::engine::relations::Encoding;
use crate::model::program::Program;
use crate::model::text::ast::ExpectKind;
use crate::theorem::discharge::{By, hypotheses};
use crate::theorem::inference::Inference;
use crate::theorem::reduced::engines::{by_exchanges, is_complete};
use std::sync::Arc;
use std::thread;

/// Deep expressions need a deep stack; it is taken as it is used.
const STACK: usize = 256 << 20;

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

/// Checks a program by the theorem that promises most of those that may be used, and by the next if that leaves
/// something open. Where all do, the answer is that of the theorem asked for.
fn by_best(
    name: &str,
    program: &Program,
    theory: &Theory,
    options: &CheckOptions,
    control: &Control,
) -> (Report, Done) {
    // Claims are judged by each theorem anyway, and guesses are settled by the reduced system of the default one.
    let inference = Inference::begin(program, control).ok().flatten();
    let guesses = inference.is_some_and(|i| i.has_guesses(i.program()));
    if options.others.is_empty() || !program.claims.is_empty() || guesses {
        return run(name, program, theory, options, control);
    }
    let theories: Vec<Theory> = std::iter::once(theory)
        .chain(&options.others)
        .cloned()
        .collect();
    let promises = promises(program, &theories, control);
    let mut told = candidates(&promises, &theories);
    let mut open = None;
    for (n, _) in promises {
        let theory = &theories[n];
        let (mut report, done) = run(name, program, theory, options, control);
        let chosen = Note::Chosen(theory.name.clone(), told.clone());
        report.notes.insert(0, chosen);
        if is_settled(&report) || control.check().is_err() {
            return (report, done);
        }
        told[n].1 = match (verdict::gap(&report), &report.limits.hit) {
            (_, Some(hit)) => Candidate::Hit(hit.clone()),
            (Some(gap), None) => Candidate::Gap(gap),
            (None, None) => Candidate::Open,
        };
        if n == 0 || open.is_none() {
            open = Some((report, done));
        }
    }
    open.unwrap_or_else(|| run(name, program, theory, options, control))
}

/// Whether nothing is left to be said.
fn is_settled(report: &Report) -> bool {
    let is_definite = matches!(report.verdict, Verdict::Holds | Verdict::Refuted);
    is_definite && !is_cut(report) || report.is_contradicted()
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
        Reduce::First => Turns::first(Side::Reduced),
        Reduce::Last => Turns::first(Side::Full),
        _ => Turns::default(),
    });
    let reduced = control.in_turns(&turns, Side::Reduced);
    let full = control.in_turns(&turns, Side::Full);
    let all = asked(program, &options.properties);
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
            return by_best(name, program, theory, options, control);
        };
        let begun = turns.begin(Side::Reduced);
        let _stop = StopOnPanic(&full);
        let (mut report, done) = by_best(name, program, theory, options, &reduced);
        let is_settled = is_settled(&report);
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

fn explore(program: &Program, asked: &[Asked], control: &Control) -> Outcome {
    // All engines count what others do behind an error then, as relations do.
    let mut program = program.clone();
    program.errors_end = false;
    let p = &program;
    let questions: Vec<Question> = asked.iter().map(|a| a.question(p)).collect();
    by_exchanges(p, &questions, None, u64::MAX, control)
}

/// Explores a program in full where relations are too large for a theorem about transactions, before its hypotheses
/// were settled: what is asked of the program is answered all the same.
pub(super) fn instead(check: &mut Check, report: &mut Report) -> Result<(), Stop> {
    // What they were found to be would be lost, and a refuted one is an answer of its own.
    if report
        .hypotheses
        .iter()
        .any(|h| h.status != Status::Unknown)
    {
        return Err(Stop::Effort);
    }
    let (program, control) = (check.program, check.control);
    let too_large = Hit::Phase(Stop::Effort, control.phase());
    let all = asked(program, &check.options.properties);
    check.begin(report, program, &all);
    // Nothing rests on guesses here, and nothing was held against them.
    check.settled = Some(program.clone());
    report.annotated = check.options.annotate.then(|| program.source.clone());
    control.publish(report);
    control.enter("the program in full");
    let outcome = explore(program, &all, control);
    if !is_complete(&outcome) {
        report.limits.hit = Some(too_large);
        return outcome.stopped.map_or(Ok(()), Err);
    }
    tell(report, program, &all, &outcome);
    report.limits.hit = Some(too_large);
    claims(check, 0, report)
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
            let rerun = repeat(p, path, &|_| true, badly);
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
