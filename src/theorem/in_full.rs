//! A check that explores the original program as well, in turns with the hypotheses and the reduced system. Whoever
//! settles the properties first answers them, so a check takes little longer than a plain exploration.
//!
//! The exploration in full needs no theorem: its answers are those of [`crate::engine::reach`], on the program as it
//! was written. What was inferred has no influence on them.

use super::check::{Check, CheckOptions, Done, Reduce, asked_claims, hit, run};
use super::choice::Candidates;
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
use crate::engine::reach::{Answer, Outcome, Question};
use crate::engine::relations::Encoding;
use crate::model::program::Program;
use crate::model::text::ast::ExpectKind;
use crate::theorem::discharge::{By, hypotheses};
use crate::theorem::inference::Subject;
use crate::theorem::reduced::engines::{Explore, Wanted, by_exchanges, is_complete};
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
        || options.ends_early()
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
        ExpectKind::Count { .. } => kind.states().is_some_and(|(what, _)| what != "original"),
    }
}

/// Whether there is nothing to choose: claims are judged by each theorem anyway, and guesses are settled by the reduced
/// system of the default one.
pub(super) fn is_for_one(subject: &Subject, options: &CheckOptions, control: &Control) -> bool {
    let guesses = || {
        let inference = subject.inference(control).ok().flatten();
        inference.is_some_and(|i| i.has_guesses(i.program()))
    };
    let is_free = || subject.program.claims.is_empty() && !guesses();
    options.others.is_empty() || !options.chooses && !is_free()
}

/// Checks a program by the theorem that promises most of those that may be used, and by the next if that leaves
/// something open. Where all do, the answer is that of the theorem asked for.
pub(super) fn by_best(
    name: &str,
    subject: &Subject,
    theory: &Theory,
    options: &CheckOptions,
    control: &Control,
) -> (Report, Done) {
    if is_for_one(subject, options, control) {
        return run(name, subject, theory, options, control);
    }
    let applied = |theory: &Theory| run(name, subject, theory, options, control);
    Candidates::of(subject, theory, &options.others, control)
        .apply(control, applied, |report, _| is_settled(report))
        .map_or_else(|| applied(theory), |(_, report, done)| (report, done))
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
    let subject = &Subject::new(program);
    let all = asked(program, &options.properties);
    let explores = || {
        let _begun = turns.begin(Side::Full);
        let outcome = explored(program, &all, &full);
        if is_complete(&outcome) {
            reduced.stop(Stop::Settled);
        }
        outcome
    };
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("full".into()).stack_size(STACK);
        let Ok(explorer) = builder.spawn_scoped(scope, explores) else {
            return by_best(name, subject, theory, options, control);
        };
        let begun = turns.begin(Side::Reduced);
        let _stop = StopOnPanic(&full);
        let (mut report, done) = by_best(name, subject, theory, options, &reduced);
        let is_settled = is_settled(&report);
        if is_settled {
            full.stop(Stop::Settled);
        }
        drop(begun);
        match explorer.join() {
            Ok(outcome) if !is_settled && is_complete(&outcome) => {
                let check = Check::new(subject, theory, options, control);
                answer(
                    &check,
                    (&all, &outcome),
                    turns.done(Side::Full),
                    &mut report,
                );
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

/// Has a program explored in full.
pub(super) fn explore(program: &Program, asked: &[Asked], explore: &Explore) -> Outcome {
    // All engines count what others do behind an error then, as relations do.
    let mut program = program.clone();
    program.errors_end = false;
    let p = &program;
    let questions: Vec<Question> = asked.iter().map(|a| a.question(p)).collect();
    explore(&Wanted {
        program: p,
        questions: &questions,
        reduction: None,
        symmetric: true,
    })
}

fn explored(program: &Program, asked: &[Asked], control: &Control) -> Outcome {
    explore(program, asked, &|wanted| {
        let Wanted {
            program, questions, ..
        } = wanted;
        by_exchanges(program, questions, None, (u64::MAX, false), control)
    })
}

/// Answers everything by an exploration in full, which took so much work.
pub(super) fn answer(
    check: &Check,
    (asked, outcome): (&[Asked], &Outcome),
    explored: u64,
    report: &mut Report,
) {
    if report.hypotheses.is_empty() {
        let all = check.theory.hypotheses.iter().map(hypotheses::undecided);
        report.hypotheses = all.collect();
    }
    tell(report, check.program, asked, outcome);
    if let Some(stop) = outcome.stopped {
        hit(report, stop, check.control);
    }
    with_claims(check, explored, report);
}

/// Decides the claims, if nothing was cut short before, and with them the verdict.
pub(super) fn with_claims(check: &Check, explored: u64, report: &mut Report) {
    if report.limits.hit.is_some() {
        leave_claims(check, report);
    } else if let Err(stop) = claims(check, explored, report) {
        hit(report, stop, check.control);
    }
    verdict::settle(report, check.program);
}

/// Leaves all claims open; how many there are.
fn leave_claims(check: &Check, report: &mut Report) -> u64 {
    let is_claim = |p: &Property| p.kind == PropertyKind::Transaction;
    report.claims.clear();
    report.properties.retain(|p| !is_claim(p));
    let asked = asked_claims(check.program, check.options);
    let open = asked.map(|c| Property::undecided(&c.name, PropertyKind::Transaction));
    report.properties.extend(open);
    report.properties.iter().filter(|p| is_claim(p)).count() as u64
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
    let outcome = explored(program, &all, control);
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
    let answers = asked.iter().zip(&outcome.answers);
    report.properties = answers
        .map(|(asked, answer)| property(p, asked, answer, outcome))
        .collect();
    report.limits.hit = None;
    if outcome.stopped.is_some() {
        return;
    }
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
}

/// Decides the claims. Movers may cost little more than the comparison that there is instead.
fn claims(check: &Check, explored: u64, report: &mut Report) -> Result<(), Stop> {
    let (program, control) = (check.program, check.control);
    let most = match leave_claims(check, report) {
        0 => return Ok(()),
        some => explored + MOVERS * some,
    };
    match Encoding::within(program, most, control) {
        Ok(encoding) => check.claims(report, Some((&encoding, None))),
        Err(Stop::Effort | Stop::Nodes | Stop::Variables) => check.claims(report, None),
        Err(stop) => Err(stop),
    }
}

fn property(p: &Program, asked: &Asked, answer: &Answer, outcome: &Outcome) -> Property {
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
        // Not so far.
        Answer::Nowhere if outcome.stopped.is_some() => {}
        Answer::Nowhere if outcome.violated => {
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
