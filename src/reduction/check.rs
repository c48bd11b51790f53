//! `coarsen check`: relations, visibility, hypotheses, the reduced system, evidence, verdict.
//!
//! Each phase fills its part of the report and publishes it, so that whoever interrupts the work still sees what is known.

use super::certificate::Found;
use super::claims;
use super::derive::Deriver;
use super::discharge::{By, is_contradiction, settle};
use super::facts::Discharge;
use super::hypotheses::{self, Pairs};
use super::inferred;
use super::instantiate::{Model, Names, Unreadable};
use super::invariant::{Ladder, Rung};
use super::lemmas;
use super::properties::{Goal, GoalKind, goals};
use super::search::{Execution, SHORTEST_BUDGET, execution};
use super::stoller_cohen::{Explorer, Reduced, explore};
use super::trace::{coarse_length, retell, step_of};
use super::transactions;
use super::verdict;
use super::visibility::{Visibility, stays_invisible};
use super::wellformed::{self, hides_id, well_formedness};
use crate::algebra::Theory;
use crate::control::{Control, Stop};
use crate::explore::reach::Blocked;
use crate::explore::{Original, explore as explore_original};
use crate::inference::{Inference, annotated};
use crate::program::{Claim, LocId, Program, ThreadId};
use crate::relation::Encoding;
use crate::report::{Property, REPAIR, Report, Status, Trace};
use std::time::Instant;

/// What to check and how.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Explore the original program too, state by state, and compare.
    pub cross_check: bool,
    /// Refuse where a repair would make further steps visible.
    pub strict: bool,
    /// Decide only this property (and the discipline, which all others rest on).
    pub property: Option<String>,
    /// Write the inferred disciplines into the model's text.
    pub annotate: bool,
    /// Gather a bundle that shows what holds.
    pub certificate: bool,
    /// Who settles the hypotheses.
    pub discharge: By,
    /// Judge claims of transactions by this theorem only.
    pub claims_by: Option<String>,
    /// Stop when the hypotheses are settled: somebody else explores the reduced system.
    pub only_hypotheses: bool,
}

/// What the exploration of a reduced system needs to know, whoever explores it.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The program, with what was inferred.
    pub program: Program,
    /// Which steps are visible, by thread and location; locations without steps are.
    pub visible: Vec<Vec<bool>>,
    /// What becomes of a coarse step that is blocked inside.
    pub when_blocked: Blocked,
    /// If the program has phases: the program without, and what each location is a copy of, by thread.
    pub plain: Option<(Program, Vec<Vec<LocId>>)>,
}

/// How what the reduced system shows is told.
pub(super) struct Told<'t> {
    /// An execution repeated on the original program; `None` if that fails.
    pub retell: &'t dyn Fn(&Execution, &Goal) -> Option<Trace>,
    /// Why a goal that was not met holds.
    pub because: &'t dyn Fn(&Goal) -> &'static str,
}

impl CheckOptions {
    /// The defaults, with all checks of one part against another that cost no more than the work itself: as the tests run.
    pub fn thorough() -> Self {
        CheckOptions {
            discharge: By::Both,
            ..CheckOptions::default()
        }
    }
}

/// Checks a program under a theorem. Never fails: what could not be decided is `unknown` and says why.
pub fn check(
    name: &str,
    program: &Program,
    theory: &Theory,
    options: &CheckOptions,
    control: &Control,
) -> Report {
    check_with_facts(name, program, theory, options, control).0
}

/// Checks whether a theorem applies to a program, and says what its reduced system is. The report has no answers about
/// properties; nothing is prepared if a limit was hit before visibility was known.
pub fn prepare(
    name: &str,
    program: &Program,
    theory: &Theory,
    control: &Control,
) -> (Report, Option<Prepared>) {
    let options = CheckOptions {
        only_hypotheses: true,
        ..CheckOptions::default()
    };
    let (report, done) = run(name, program, theory, &options, control);
    (report, done.prepared)
}

/// The same, with what was derived in the last round: proofs that the kernel has replayed, and the facts they rest on.
pub fn check_with_facts(
    name: &str,
    program: &Program,
    theory: &Theory,
    options: &CheckOptions,
    control: &Control,
) -> (Report, Discharge) {
    let (report, done) = run(name, program, theory, options, control);
    (report, done.discharge)
}

/// What is left when a check is done, besides its report.
pub(super) struct Done {
    pub(super) discharge: Discharge,
    pub(super) prepared: Option<Prepared>,
}

fn run(
    name: &str,
    program: &Program,
    theory: &Theory,
    options: &CheckOptions,
    control: &Control,
) -> (Report, Done) {
    let begun = Instant::now();
    let mut report = Report::undecided(name, &theory.name, "nothing has been established yet");
    report.theorem_source = theory.source.clone();
    if options.annotate {
        report.annotated = Some(program.source.clone());
    }
    report.only = options.property.clone();
    // The model's `expect` lines speak of the default theorem.
    let default = transactions::uses(&theory.name).is_none()
        && (options.claims_by.is_none() || program.claims.is_empty());
    report.as_by_default = options.property.is_none() && !options.strict && default;
    report.statistics.threads = Some(program.threads.len().to_string());
    let mut check = Check {
        program,
        theory,
        options,
        control,
        done: Done {
            discharge: Discharge::default(),
            prepared: None,
        },
    };
    let outcome = check.run(&mut report);
    if let Err(stop) = outcome {
        hit(&mut report, stop, control);
    }
    verdict::settle(&mut report, program);
    report.timing.total = begun.elapsed().as_secs_f64();
    (report, check.done)
}

/// The claims that are asked about.
pub(super) fn asked_claims<'p>(
    program: &'p Program,
    options: &'p CheckOptions,
) -> impl Iterator<Item = &'p Claim> {
    let asked = |c: &&Claim| match &options.property {
        Some(name) => *name == c.name,
        None => true,
    };
    program.claims.iter().filter(asked)
}

/// Notes the first limit that was hit, and what was being done then.
pub(super) fn hit(report: &mut Report, stop: Stop, control: &Control) {
    if report.limits.hit.is_none() {
        report.limits.hit = Some(format!("{stop} was hit in phase `{}`", control.phase()));
    }
}

pub(super) struct Check<'a> {
    pub(super) program: &'a Program,
    pub(super) theory: &'a Theory,
    pub(super) options: &'a CheckOptions,
    pub(super) control: &'a Control,
    /// What was derived in this round, and prepared.
    pub(super) done: Done,
}

impl Check<'_> {
    /// Checks the program, again and again while an inferred discipline has to be revised.
    fn run(&mut self, report: &mut Report) -> Result<(), Stop> {
        if let Some(uses) = transactions::uses(&self.theory.name) {
            return transactions::apply(self, uses, report);
        }
        let clock = Instant::now();
        let mut inference = Inference::begin(self.program, self.control)?;
        loop {
            let again = match &mut inference {
                None => self.attempt(self.program, None, report)?,
                Some(inference) => {
                    let program = inference.program().clone();
                    inferred::tell(report, inference);
                    self.attempt(&program, Some(inference), report)?
                }
            };
            if !again {
                if let (true, Some(inference)) = (self.options.annotate, &inference) {
                    report.annotated = Some(annotated(inference));
                }
                return Ok(());
            }
            report.timing.inference = clock.elapsed().as_secs_f64();
        }
    }

    /// One round: everything for one program. Whether another is needed, because a guess was revised.
    fn attempt(
        &mut self,
        program: &Program,
        mut inference: Option<&mut Inference>,
        report: &mut Report,
    ) -> Result<bool, Stop> {
        let clock = Instant::now();
        self.control.enter("building relations");
        let mut encoding = Encoding::new(program, self.control)?;
        let mut visibility = Visibility::by_definition(&mut encoding)?;
        let encoding = encoding;
        if let Some(inference) = &inference {
            inferred::pin(&encoding, &mut visibility, inference);
        }
        let goals = goals(&encoding, self.options.property.as_deref())?;
        visibility.repair(&encoding, &goals, self.options.strict)?;
        let explorer = Explorer::new(&encoding, &visibility)?;
        report.notes = notes(program);
        describe(report, &encoding, &visibility);
        report.properties = goals.iter().map(|g| undecided(g, program)).collect();
        report.claims.clear();
        report
            .properties
            .extend(asked_claims(program, self.options).map(claims::undecided));
        report.well_formedness = wellformed::undecided(&goals);
        report.lemmas = lemmas::unjudged(self.program);
        report.hypotheses = self
            .theory
            .hypotheses
            .iter()
            .map(hypotheses::undecided)
            .collect();
        report.timing.encoding = clock.elapsed().as_secs_f64();
        self.control.publish(report);

        // A guess is held against the reduced system before anything else is done with it.
        let mut explored = None;
        if let Some(inference) = &mut inference {
            let clock = Instant::now();
            self.control
                .enter("inferring disciplines: the reduced system");
            let reduced = explore(&explorer, &goals);
            report.timing.exploration = clock.elapsed().as_secs_f64();
            // Also after a limit: the violation of a guess must never be told as one of the model.
            if inferred::revise(&encoding, &explorer, &reduced, inference)? {
                return Ok(true);
            }
            explored = Some(reduced);
        }

        let clock = Instant::now();
        let mut ladder = Ladder::new(&encoding);
        let hypotheses = self.hypotheses(report, &encoding, &visibility, &goals, &mut ladder);
        report.timing.hypotheses = clock.elapsed().as_secs_f64();
        self.control.publish(report);
        // Even where the theorem does not apply, a violation that the reduced system finds is real.
        if let Err(stop) = hypotheses {
            hit(report, stop, self.control);
            self.control.check()?;
        } else if let (Some(inference), false) = (&mut inference, self.options.strict)
            && inferred::pin_witnesses(&encoding, &visibility, report, inference)
        {
            return Ok(true);
        }

        if self.options.only_hypotheses {
            self.done.prepared = Some(prepared(&encoding, &visibility));
            return Ok(false);
        }
        let reduced = explored.unwrap_or_else(|| {
            let clock = Instant::now();
            self.control.enter("the reduced system");
            let reduced = explore(&explorer, &goals);
            report.timing.exploration = clock.elapsed().as_secs_f64();
            reduced
        });
        if let Some(stop) = reduced.stopped {
            hit(report, stop, self.control);
        }
        report.statistics.rounds = Some(reduced.rounds.to_string());
        report.statistics.peak_nodes = Some(encoding.m.peak().to_string());

        let clock = Instant::now();
        let told = Told {
            retell: &|x, goal| retell(&encoding, x, goal),
            because: &|goal| holds_because(goal, &visibility),
        };
        self.evidence(report, &encoding, &explorer, &reduced, &goals, &told)?;
        self.control.publish(report);
        let invisible = |t: ThreadId, l: LocId| {
            let at = |a: &usize| encoding.actions[*a].location == l;
            let action = encoding.of_thread(t).find(at);
            action.is_none_or(|a| !visibility.is_visible(a))
        };
        self.claims(report, &encoding, &invisible)?;
        self.control.publish(report);
        if self.options.cross_check {
            self.cross_check(report, &goals)?;
        }
        if self.options.certificate {
            let found = Found {
                explorer: &explorer,
                visibility: &visibility,
                reduced: &reduced,
                goals: &goals,
                discharge: &self.done.discharge,
            };
            report.bundle = found.gather(report, &mut ladder)?.map(Box::new);
            if report.bundle.is_some() && !report.claims.is_empty() {
                report.notes.push(
                    "claims of transactions are not in the certificate: they rest on movers that were evaluated on the relations".into(),
                );
            }
        }
        report.timing.evidence = clock.elapsed().as_secs_f64();
        Ok(false)
    }

    /// What became of the blocks that are claimed to be transactions.
    pub(super) fn claims(
        &self,
        report: &mut Report,
        e: &Encoding,
        inside: &dyn Fn(ThreadId, LocId) -> bool,
    ) -> Result<(), Stop> {
        let disciplined = report
            .properties
            .iter()
            .any(|p| p.name == "discipline" && p.verdict == Status::Holds);
        let applies = verdict::gap(report).is_none();
        let context = claims::Context {
            encoding: e,
            declared: self.program,
            inside: Some(inside).filter(|_| applies),
            only: self.options.claims_by.as_deref(),
            theorem: &self.theory.name,
            disciplined: disciplined || e.program.protections.is_empty(),
            asked: asked_claims(e.program, self.options).collect(),
        };
        for (claim, property, stop) in claims::claims(&context)? {
            if let Some(stop) = stop {
                hit(report, stop, self.control);
            }
            report.evidence_rejected |= property.reason.contains("bug in coarsen");
            if let Some(known) = report
                .properties
                .iter_mut()
                .find(|p| p.kind == property.kind && p.name == property.name)
            {
                *known = property;
            }
            report.claims.push(claim);
        }
        Ok(())
    }

    fn hypotheses(
        &mut self,
        report: &mut Report,
        e: &Encoding,
        visibility: &Visibility,
        goals: &[Goal],
        ladder: &mut Ladder,
    ) -> Result<(), Stop> {
        self.control.enter("well-formedness");
        report.well_formedness = well_formedness(e, visibility, goals, ladder)?;
        let model = Model {
            encoding: e,
            visibility,
            theory: self.theory,
            states: Vec::new(),
            phased: None,
            names: Names::Variables,
        };
        let mut pairs = Pairs::default();
        self.done.discharge = Discharge::new(e, |a| visibility.is_visible(a));
        let by = self.options.discharge;
        let mut deriver =
            Deriver::new(&model, ladder, &mut self.done.discharge, by == By::Algebra)?;
        for (hypothesis, entry) in self.theory.hypotheses.iter().zip(&mut report.hypotheses) {
            self.control
                .enter(format!("hypothesis ({})", hypothesis.id));
            match settle(&mut deriver, hypothesis, by, &mut pairs) {
                Ok(done) => *entry = done,
                Err(Unreadable::Stopped(stop)) => {
                    entry.evidence = format!("not evaluated: {stop} was hit");
                    return Err(stop);
                }
                Err(why @ Unreadable::Meaningless { .. }) => {
                    entry.evidence = format!("not evaluated: {why}")
                }
            }
        }
        report.evidence_rejected |= report.hypotheses.iter().any(is_contradiction);
        report.statistics.pairs_checked = Some(pairs.checked.to_string());
        report.statistics.pairs_skipped = Some(pairs.skipped.to_string());
        report.invariant = hypotheses::common_invariant(report).into();
        report.lemmas = lemmas::tell(ladder, report.invariant == Rung::Lemmas.id())?;
        Ok(())
    }

    pub(super) fn evidence(
        &self,
        report: &mut Report,
        e: &Encoding,
        explorer: &Explorer,
        reduced: &Reduced,
        goals: &[Goal],
        told: &Told,
    ) -> Result<(), Stop> {
        self.control.enter("counting");
        let complete = reduced.stopped.is_none();
        if complete {
            report.states.reduced = Some(e.count(&reduced.states)?.to_string());
            report.states.visited = Some(e.count(&reduced.visited)?.to_string());
        }
        let violated = reduced.met.first() == Some(&true);
        let vacuous = e.initial.is_false();
        if vacuous {
            report.notes.insert(
                0,
                "vacuous: no state satisfies the initial values and `init`, so nothing can happen"
                    .into(),
            );
        }
        for ((goal, met), n) in goals.iter().zip(&reduced.met).zip(0..) {
            self.control.enter(format!("the trace for {}", goal.name));
            let property = &mut report.properties[n];
            if *met {
                property.reason =
                    "found in the reduced system, but not yet traced and re-executed".into();
                let found = execution(e, explorer, reduced, goal, SHORTEST_BUDGET)?;
                if found.as_ref().is_some_and(|x| !x.shortest) {
                    let name = &goal.name;
                    report.notes.push(format!(
                        "the trace for {name} is perhaps not a shortest one: the search for that used up its budget"
                    ));
                }
                let trace = found.and_then(|x| (told.retell)(&x, goal));
                let Some(trace) = trace else {
                    report.evidence_rejected = true;
                    property.reason = "the execution found in the reduced system could not be re-executed: this is a bug in coarsen".into();
                    continue;
                };
                property.verdict = if goal.wanted {
                    Status::Holds
                } else {
                    Status::Refuted
                };
                property.reason = trace.outcome.clone();
                property.trace_length = Some(trace.steps.len().to_string());
                property.coarse_length = Some(coarse_length(&trace).to_string());
                property.trace = Some(trace);
                continue;
            }
            let hidden = report
                .well_formedness
                .iter()
                .any(|w| w.id == hides_id(goal) && w.status != Status::Holds);
            let gap = verdict::gap(report);
            let property = &mut report.properties[n];
            (property.verdict, property.reason) = if !complete {
                (
                    Status::Unknown,
                    "undecided: the exploration was cut short before it was met".into(),
                )
            } else if let Some(gap) = gap {
                (
                    Status::Unknown,
                    format!("nothing found in the reduced system, but that says nothing: {gap}"),
                )
            } else if violated {
                (
                    Status::Unknown,
                    "undecided: the discipline is violated, and the theorem then says nothing about the rest"
                        .into(),
                )
            } else if hidden {
                (
                    Status::Unknown,
                    "undecided: nothing found, but an invisible step could hide it".into(),
                )
            } else if goal.wanted {
                (
                    Status::Refuted,
                    "no reachable state satisfies it: the reduced system was explored completely"
                        .into(),
                )
            } else {
                (Status::Holds, (told.because)(goal).into())
            };
        }
        Ok(())
    }

    /// Explores the original program state by state and compares every answer with it.
    pub(super) fn cross_check(&self, report: &mut Report, goals: &[Goal]) -> Result<(), Stop> {
        self.control
            .enter("the original system, state by state (--cross-check)");
        // Without guesses: nothing that was inferred stops this exploration.
        let original = match explore_original(self.program, self.control) {
            Ok(original) => original,
            Err(Stop::States) => {
                let limit = self.control.budget().states;
                report.notes.push(format!(
                    "the cross-check was cut short: more than {limit} states (--limit-states)"
                ));
                return Err(Stop::States);
            }
            Err(stop) => return Err(stop),
        };
        report.states.original = Some(original.states.to_string());
        for (goal, property) in goals.iter().zip(&mut report.properties) {
            let met = met_in(&original, goal.kind);
            let said = match (property.verdict, goal.wanted) {
                (Status::Unknown, _) => {
                    if met {
                        let name = &goal.name;
                        report.notes.push(format!(
                            "cross-check: {name} is {} in the original program, state by state",
                            if goal.wanted { "reached" } else { "violated" }
                        ));
                    }
                    continue;
                }
                (Status::Holds, wanted) => wanted,
                (Status::Refuted, wanted) => !wanted,
            };
            if said != met {
                report.evidence_rejected = true;
                property.reason = format!(
                    "the cross-check disagrees: state by state {} {}; this is a bug in coarsen",
                    goal.name,
                    if met { "is met" } else { "is never met" }
                );
            }
        }
        let found_more = report.notes.iter().any(|n| n.starts_with("cross-check: "));
        if !report.evidence_rejected && !found_more {
            report.notes.push("cross-checked: the original program, explored state by state, contradicts no answer".into());
        }
        Ok(())
    }
}

fn prepared(e: &Encoding, visibility: &Visibility) -> Prepared {
    let threads = e.program.threads.iter();
    let mut visible: Vec<Vec<bool>> = threads.map(|t| vec![true; t.locations.len()]).collect();
    for (n, a) in e.actions.iter().enumerate() {
        visible[a.thread][a.location] = visibility.is_visible(n);
    }
    Prepared {
        program: e.program.clone(),
        visible,
        when_blocked: Blocked::Ends,
        plain: None,
    }
}

fn met_in(original: &Original, kind: GoalKind) -> bool {
    match kind {
        GoalKind::Discipline => original.violated,
        GoalKind::Assertions => original.wrong,
        GoalKind::DeadlockFree => original.deadlock,
        GoalKind::User(n) => original.found[n],
    }
}

fn holds_because(goal: &Goal, visibility: &Visibility) -> &'static str {
    let nothing_hidden = visibility.reasons.iter().all(|r| !r.is_empty());
    match (goal.kind, nothing_hidden) {
        (_, true) => "every step is visible, so the reduced system is the original one",
        (GoalKind::Discipline, _) => {
            "no violation in the reduced system, so by (19) none in the original"
        }
        (GoalKind::DeadlockFree, _) => {
            "the reduced system has exactly the original's deadlocks (corollary (b)), and has none"
        }
        _ => "the reduced system would show it (corollary (a)), and does not",
    }
}

pub(super) fn undecided(goal: &Goal, program: &Program) -> Property {
    Property {
        name: goal.name.clone(),
        kind: goal.kind_name(program).into(),
        verdict: Status::Unknown,
        reason: "not decided".into(),
        trace_length: None,
        coarse_length: None,
        trace: None,
    }
}

/// The visible and the invisible steps, with reasons.
fn describe(report: &mut Report, e: &Encoding, visibility: &Visibility) {
    report.visible.clear();
    report.invisible.clear();
    for a in 0..e.actions.len() {
        let mut step = step_of(e, a);
        for reason in &visibility.reasons[a] {
            let words = reason.words(e);
            step.reasons.push(if reason.is_repair() {
                format!("{REPAIR}{words}")
            } else {
                words
            });
        }
        if visibility.is_visible(a) {
            report.visible.push(step);
        } else {
            step.reasons.push(stays_invisible(e, a));
            report.invisible.push(step);
        }
    }
    report.statistics.actions = Some(e.actions.len().to_string());
    report.statistics.bits = Some(e.layout.bits().to_string());
    if report.invisible.is_empty() {
        report.notes.push("no step is invisible: the hypotheses hold vacuously, and the reduced system is the original one".into());
    }
}

pub(super) fn notes(program: &Program) -> Vec<String> {
    let mut notes = Vec::new();
    if !program.overridden.is_empty() {
        notes.push(format!(
            "constants overridden: {}",
            program.overridden.join(", ")
        ));
    }
    notes
}
