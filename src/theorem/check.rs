//! `coarsen check`: relations, visibility, hypotheses, the reduced system, evidence, verdict.
//!
//! Each phase fills its part of the report and publishes it, so that an interrupted run still shows what is known.

use super::claims;
use super::discharge::{By, Generic, settle};
use super::in_full;
use super::properties::{Asked, Goal, asked, goals};
use super::verdict;
use super::visibility::{Visibility, stays_invisible};
use super::wellformed::{self, well_formedness};
use crate::algebra::Theory;
use crate::base::control::{Control, Hit, Stop};
use crate::base::evidence::Part;
use crate::base::results::{
    Evidence, Note, Property, PropertyKind, Remark, Report, Statistics, Status, VisibilityReason,
};
use crate::engine::quotients::Quotient;
use crate::engine::reach::Blocked;
use crate::engine::relations::{Encoding, building};
use crate::model::program::{Claim, LocId, Program, Thread, ThreadId};
use crate::model::text::ast::ExpectKind;
use crate::theorem::discharge::derive::Deriver;
use crate::theorem::discharge::facts::Discharge;
use crate::theorem::discharge::hypotheses::{self, Pairs};
use crate::theorem::discharge::syntactic as by_text;
use crate::theorem::every::Families;
use crate::theorem::evidence::complete;
use crate::theorem::executions::trace::step_at;
use crate::theorem::explored::{Explored, is_inside};
use crate::theorem::inference::{Inference, Subject, annotated};
use crate::theorem::invariants::lemmas;
use crate::theorem::invariants::{Ladder, Rung};
use crate::theorem::own;
use crate::theorem::read::{Model, Names, Unreadable};
use crate::theorem::reduced::coarse::{Explorer, Reduced, explore};
use crate::theorem::reduced::engines::Quick;
use crate::theorem::reduced::transactions;
use crate::theorem::refuted_guesses::{self as inferred, Held};
use std::cell::OnceCell;
use std::time::Instant;

/// Whether the theorem has to be applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduce {
    /// Only if that answers sooner than an exploration of the original program does. The two work in turns.
    Auto,
    /// In any case.
    #[default]
    Always,
    /// First; the original program is explored only if that does not answer.
    First,
    /// Only if an exploration of the original program does not answer.
    Last,
}

/// Whether more is asked than what holds for the constants as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForEvery {
    /// No.
    #[default]
    Never,
    /// If little work, in pairs of BDD nodes, says what holds for every value.
    Within(u64),
    /// In any case.
    Always,
}

/// How far a check goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// To the end.
    #[default]
    Verdict,
    /// Until the hypotheses are settled: somebody else explores the reduced system.
    Hypotheses,
    /// Until it is known which steps are visible, by disciplines that the reduced system does not violate: somebody
    /// else settles the hypotheses, too.
    Visibility,
}

/// What to check and how.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Explore the original program too, state by state, and compare.
    pub cross_check: bool,
    /// Say what is executed in so many states of the original program at most; not at all if that is 0.
    pub coverage: usize,
    /// Establish what the model's `expect` lines ask for: the number of original states, if one does.
    pub expected: bool,
    /// Refuse where a repair would make further steps visible.
    pub strict: bool,
    /// Decide only these properties (and the discipline, which all others rest on); all, if none are named.
    pub properties: Vec<String>,
    /// Write the inferred disciplines into the model's text.
    pub annotate: bool,
    /// Gather a bundle that shows what holds.
    pub certificate: bool,
    /// Who settles the hypotheses.
    pub discharge: By,
    /// When facts are established for generic threads.
    pub generic: Generic,
    /// Judge claims of transactions by this theorem only.
    pub claims_by: Option<String>,
    /// How far to go.
    pub until: Until,
    /// See states of the reduced system as one in these ways. (Not of a theorem about transactions.)
    pub quotients: Vec<Quotient>,
    /// Theorems that may be applied instead, if one promises more and nothing is asked for that only a reduction has.
    pub others: Vec<Theory>,
    /// Whether to apply the one that promises most, whatever is asked for.
    pub chooses: bool,
    /// Whether to say of each constant that numbers threads for which of its values the hypotheses hold, too.
    pub every: ForEvery,
    /// Whether the theorem has to be applied. All that only a reduction has, such as evidence, has it applied, too.
    pub reduce: Reduce,
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

impl CheckOptions {
    /// Whether somebody else explores the reduced system.
    pub(super) fn ends_early(&self) -> bool {
        self.until != Until::Verdict
    }

    /// The defaults, with all checks of one part against another that cost no more than the work itself: as the tests
    /// run.
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
/// properties; nothing is prepared if a limit was hit before visibility was known. What is looked at on the way may be
/// looked at up to quotients.
pub fn prepare(
    name: &str,
    program: &Program,
    theory: &Theory,
    quotients: &[Quotient],
    control: &Control,
) -> (Report, Option<Prepared>) {
    let options = CheckOptions {
        until: Until::Hypotheses,
        quotients: quotients.to_vec(),
        ..CheckOptions::default()
    };
    prepare_until(name, program, theory, &options, control)
}

/// The same, as far as the options say.
pub(super) fn prepare_until(
    name: &str,
    program: &Program,
    theory: &Theory,
    options: &CheckOptions,
    control: &Control,
) -> (Report, Option<Prepared>) {
    let subject = Subject::new(program);
    let (report, done) = run(name, &subject, theory, options, control);
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
    let mut expects = program.expects.iter();
    let counts = |kind: &ExpectKind| match kind {
        ExpectKind::Count { what, .. } => what.text == "original",
        _ => false,
    };
    let counted = options.expected && expects.any(|(kind, _)| counts(kind));
    let options = &CheckOptions {
        cross_check: options.cross_check || counted,
        ..options.clone()
    };
    if in_full::may_be(program, theory, options) {
        let (report, done) = in_full::in_turns(name, program, theory, options, control);
        return (report, done.discharge);
    }
    let options = CheckOptions {
        reduce: Reduce::Always,
        ..options.clone()
    };
    let subject = Subject::new(program);
    let (report, done) = match options.chooses {
        true => in_full::by_best(name, &subject, theory, &options, control),
        false => run(name, &subject, theory, &options, control),
    };
    (report, done.discharge)
}

/// What is left when a check is done, besides its report.
pub(super) struct Done {
    pub(super) discharge: Discharge,
    pub(super) prepared: Option<Prepared>,
}

pub(super) fn run(
    name: &str,
    subject: &Subject,
    theory: &Theory,
    options: &CheckOptions,
    control: &Control,
) -> (Report, Done) {
    let program = subject.program;
    let begun = Instant::now();
    let mut report = Report::undecided(name, &theory.name);
    report.theorem_source = theory.source.clone();
    if options.annotate {
        report.annotated = Some(program.source.clone());
    }
    report.only = options.properties.clone();
    // The model's `expect` lines speak of the default theorem, if they speak of a reduced system.
    let default = (transactions::uses(theory).is_none() || options.reduce != Reduce::Always)
        && (options.claims_by.is_none() || program.claims.is_empty());
    report.as_by_default = options.properties.is_empty()
        && !options.strict
        && default
        && options.quotients.is_empty()
        && theory.is_proved()
        && theory.reduces_as_shape();
    if transactions::uses(theory).is_none() {
        let names = options.quotients.iter().map(|q| q.name().to_string());
        report.reductions = names.collect();
    }
    own::begin(&mut report, theory);
    report.statistics.threads = Some(program.threads.len().to_string());
    // Nothing rests on a conclusion that is not proved, so nothing is explored.
    let only_hypotheses = CheckOptions {
        until: Until::Hypotheses,
        certificate: false,
        ..options.clone()
    };
    let options = match report.unproved {
        Some(_) => &only_hypotheses,
        None => options,
    };
    let mut check = Check::new(subject, theory, options, control);
    // Only what Stoller & Cohen call invisible can be read off the text.
    let default = transactions::uses(theory).is_none();
    let outcome = match check.run(&mut report) {
        Err(Stop::Effort) if default => check.by_text(&mut report),
        Err(Stop::Variables) if check.left < u64::MAX && default => check.by_text(&mut report),
        // Otherwise somebody explores in full already.
        Err(Stop::Effort)
            if !options.ends_early() && !in_full::may_be(program, theory, options) =>
        {
            in_full::instead(&mut check, &mut report)
        }
        other => other,
    };
    // Claims that relations are too large for are compared state by state.
    let outcome = match outcome {
        Ok(()) | Err(Stop::Nodes | Stop::Variables | Stop::Effort | Stop::States)
            if report.claims.is_empty() && !options.ends_early() =>
        {
            outcome.and(check.claims(&mut report, None))
        }
        other => other,
    };
    let parts = std::mem::take(&mut check.parts);
    let settled = check.settled.take();
    if let Err(stop) = outcome {
        hit(&mut report, stop, control);
    } else if let (true, Some(program)) = (options.certificate, settled) {
        complete(&mut report, &program, parts, control);
    }
    own::end(&mut report);
    verdict::settle(&mut report, program);
    report.timing.total = begun.elapsed().as_secs_f64();
    (report, check.done)
}

/// The claims that are asked about.
pub(super) fn asked_claims<'p>(
    program: &'p Program,
    options: &'p CheckOptions,
) -> impl Iterator<Item = &'p Claim> {
    let only = &options.properties;
    let asked = |c: &&Claim| only.is_empty() || only.contains(&c.name);
    program.claims.iter().filter(asked)
}

/// Notes the first limit that was hit, and what was being done then.
pub(super) fn hit(report: &mut Report, stop: Stop, control: &Control) {
    if report.limits.hit.is_none() {
        report.limits.hit = Some(Hit::Phase(stop, control.phase()));
    }
}

pub(super) struct Check<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) program: &'a Program,
    pub(super) theory: &'a Theory,
    pub(super) options: &'a CheckOptions,
    pub(super) control: &'a Control,
    /// What was derived in this round, and prepared.
    pub(super) done: Done,
    /// Work that BDDs may still be, in this round and those to come.
    pub(super) left: u64,
    /// How many steps are invisible by the text, without guesses.
    by_text: usize,
    /// The program with its disciplines, as of the last round.
    pub(super) settled: Option<Program>,
    /// What the bundle will have.
    pub(super) parts: Vec<Part>,
}

impl<'a> Check<'a> {
    /// Nothing done yet.
    pub(super) fn new(
        subject: &'a Subject<'a>,
        theory: &'a Theory,
        options: &'a CheckOptions,
        control: &'a Control,
    ) -> Self {
        Check {
            subject,
            program: subject.program,
            theory,
            options,
            control,
            done: Done {
                discharge: Discharge::default(),
                prepared: None,
            },
            // Only BDDs have what is asked for then.
            left: match options.strict || options.discharge != By::Either {
                true => u64::MAX,
                false => control.budget().effort,
            },
            by_text: 0,
            settled: None,
            parts: Vec::new(),
        }
    }
}

impl Check<'_> {
    /// Checks the program, again and again while an inferred discipline has to be revised.
    fn run(&mut self, report: &mut Report) -> Result<(), Stop> {
        if let Some(uses) = transactions::uses(self.theory) {
            return transactions::apply(self, uses, report);
        }
        if self.is_large() && self.by_family(report)? {
            return Ok(());
        }
        let clock = Instant::now();
        let mut inference = self.subject.inference(self.control)?;
        if self.left < u64::MAX {
            let plain = inference.as_ref().map(Inference::without_guesses);
            let plain = plain.as_ref().unwrap_or(self.program);
            let asked = asked(plain, &self.options.properties);
            self.by_text = by_text::invisible(plain, &by_text::visibility(plain, &asked));
        }
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
        self.settled = Some(program.clone());
        self.control.enter("building relations");
        let mut encoding = Encoding::within(program, self.building(program), self.control)?;
        let mut visibility = Visibility::by_definition(&mut encoding)?;
        let encoding = encoding;
        if let Some(inference) = &inference {
            inferred::pin(&encoding, &mut visibility, inference);
        }
        let goals = goals(&encoding, &self.options.properties)?;
        visibility.repair(&encoding, &goals, self.options.strict)?;
        let asked: Vec<Asked> = goals.iter().map(|g| g.asked.clone()).collect();
        let prepared = prepared(&encoding, &visibility);
        self.introduce(report, &encoding, &visibility, &asked);
        report.timing.encoding = clock.elapsed().as_secs_f64();
        self.control.publish(report);

        encoding.m.allow(self.worth(report), usize::MAX);
        let guesses = inference.as_ref().is_some_and(|i| i.has_guesses(program));
        let mut quick = Quick::Open;
        if guesses {
            quick = self.quick(report, &prepared, (&asked, true));
        }
        let built = OnceCell::new();
        let made = || Explorer::new(&encoding, &visibility);
        let explorer = || built.get_or_init(made).as_ref().map_err(|stop| *stop);
        // A guess is held against the reduced system before anything else is done with it; if that takes long, the
        // hypotheses are settled meanwhile, as if it were right.
        let mut held = Held::Open;
        let guessed = guesses && !matches!(quick, Quick::Answered(_));
        if let (true, Some(inference)) = (guessed, &mut inference) {
            let on = (&encoding, explorer()?, goals.as_slice());
            held = self.hold_first(report, on, inference, (&prepared, &quick))?;
        }
        match held {
            Held::Refuted => return Ok(true),
            _ if self.options.until == Until::Visibility => return self.only(prepared),
            _ => {}
        }
        let mut ladder = Ladder::new(&encoding);
        let settled = self.hypotheses(report, &encoding, &visibility, &goals, &mut ladder)?;
        if matches!((&held, &quick), (Held::Open, Quick::Cut)) && self.may_be_elsewhere() {
            // What others find answers everything, unless it refutes a guess: that is seen on relations.
            quick = self.all(report, &prepared, &asked);
        }
        let open = guessed && !matches!(quick, Quick::Answered(_));
        if let (true, Some(inference), Held::Open) = (open, &mut inference, &held) {
            let on = (&encoding, explorer()?, goals.as_slice());
            held = self.hold_last(report, on, inference, &quick)?;
        }
        if let Held::Refuted = held {
            return Ok(true);
        }
        if let (true, Some(inference), false) = (settled, inference, self.options.strict)
            && inferred::pin_witnesses(&encoding, &visibility, report, inference)
        {
            self.left = self.left.saturating_sub(encoding.m.work());
            return Ok(true);
        }
        if self.options.ends_early() {
            return self.only(prepared);
        }
        if !guesses {
            quick = self.quick(report, &prepared, (&asked, false));
        }
        if matches!(quick, Quick::Answered(_)) || !self.options.quotients.is_empty() {
            return self.by_others(report, (&encoding, &visibility), &prepared, &asked, quick);
        }
        if matches!(quick, Quick::Cut) && self.may_be_elsewhere() {
            let little = encoding.m.left().min(self.little());
            encoding.m.allow(little, usize::MAX);
        }
        let reduced = match held {
            Held::Explored(reduced) => reduced,
            _ => self.explore(report, explorer()?, &goals),
        };
        if reduced.stopped == Some(Stop::Effort) {
            return self.by_others(report, (&encoding, &visibility), &prepared, &asked, quick);
        }
        encoding.m.allow(u64::MAX, usize::MAX);
        let explored = Explored {
            plain: &encoding,
            encoding: &encoding,
            explorer: explorer()?,
            visibility: &visibility,
            reduced: &reduced,
            goals: &goals,
            phased: None,
        };
        self.conclude(report, &explored, &mut ladder)?;
        Ok(false)
    }

    /// Tells what others have found in the reduced system, or has them explore it now.
    fn by_others(
        &self,
        report: &mut Report,
        (encoding, visibility): (&Encoding, &Visibility),
        prepared: &Prepared,
        asked: &[Asked],
        quick: Quick,
    ) -> Result<bool, Stop> {
        encoding.m.allow(u64::MAX, usize::MAX);
        match quick {
            Quick::Answered(outcome) => self.tell(report, prepared.telling(asked), &outcome),
            Quick::Cut | Quick::Violated(_) | Quick::Open => {
                self.elsewhere(report, prepared.telling(asked));
            }
        }
        report.statistics.peak_nodes = Some(encoding.m.peak().to_string());
        let inside = |t, l| is_inside(encoding, visibility, t, l);
        self.judge(report, (encoding, &inside), asked)?;
        Ok(false)
    }

    /// Whether others may explore the reduced system: relations have nothing that is asked for beside answers.
    fn may_be_elsewhere(&self) -> bool {
        let asked_for = self.options.reduce == Reduce::Always || self.options.certificate;
        !asked_for && !self.options.ends_early() && self.left < u64::MAX
    }

    /// Leaves the rest to others, who need this.
    fn only(&mut self, prepared: Prepared) -> Result<bool, Stop> {
        self.done.prepared = Some(prepared);
        Ok(false)
    }

    /// What the relations may cost: what the text shows as well is not worth much.
    fn worth(&self, report: &Report) -> u64 {
        match report.invisible.len() > self.by_text {
            true => self.left,
            false => self.little(),
        }
    }

    /// What is said of a program before anything is settled: what is asked, and which steps are visible.
    fn introduce(
        &self,
        report: &mut Report,
        e: &Encoding,
        visibility: &Visibility,
        asked: &[Asked],
    ) {
        self.begin(report, e.program, asked);
        report.well_formedness = wellformed::undecided(asked);
        let actions = e.actions.iter().zip(&visibility.reasons);
        let placed = actions.map(|(a, why)| ((a.thread, a.location), why.as_slice()));
        describe(report, e.program, placed);
        report.statistics.bits = Some(e.layout.bits().to_string());
    }

    /// Explores a reduced system on BDDs.
    pub(super) fn explore(
        &self,
        report: &mut Report,
        explorer: &Explorer,
        goals: &[Goal],
    ) -> Reduced {
        let clock = Instant::now();
        self.control.enter("the reduced system");
        let reduced = explore(explorer, goals);
        report.timing.exploration = clock.elapsed().as_secs_f64();
        reduced
    }

    /// Work that is worth it where little is to be had.
    fn little(&self) -> u64 {
        match self.left {
            u64::MAX => u64::MAX,
            left => left.min(self.control.budget().little()),
        }
    }

    /// What relations, and what is seen of them at once, may cost.
    fn building(&self, program: &Program) -> u64 {
        match self.left {
            u64::MAX => u64::MAX,
            left => left.min(building(program, self.control)),
        }
    }

    /// Everything without BDDs: what is visible is read off the text, and others explore the reduced system.
    fn by_text(&mut self, report: &mut Report) -> Result<(), Stop> {
        let phase = self.control.phase();
        if !self.is_large() && self.by_family(report)? {
            return Ok(());
        }
        self.control.enter("visibility by the text");
        self.done.discharge = Discharge::default();
        let mut inference = self.subject.inference(self.control)?;
        if let Some(inference) = &mut inference {
            inference.give_up();
            inferred::tell(report, inference);
            if self.options.annotate {
                report.annotated = Some(annotated(inference));
            }
        }
        let program = inference.as_ref().map_or(self.program, Inference::program);
        self.settled = Some(program.clone());
        let asked = asked(program, &self.options.properties);
        let reasons = by_text::visibility(program, &asked);
        self.begin(report, program, &asked);
        // The `expect` lines speak of what relations show.
        report.as_by_default = false;
        report.notes.push(Note::ByText(phase));
        let steps = |(t, thread): (usize, &Thread)| thread.steps().map(move |l| (t, l)).collect();
        let places: Vec<Vec<_>> = program.threads.iter().enumerate().map(steps).collect();
        let placed = places.into_iter().flatten();
        describe(
            report,
            program,
            placed.map(|(t, l)| ((t, l), reasons[t][l].as_slice())),
        );
        report.statistics = Statistics {
            threads: report.statistics.threads.take(),
            actions: report.statistics.actions.take(),
            ..Statistics::default()
        };
        report.well_formedness = wellformed::by_text(program, &asked);
        let vacuous = report.invisible.is_empty();
        report.hypotheses = by_text::hypotheses(self.theory, program, vacuous);
        report.invariant = hypotheses::common_invariant(report);
        self.control.publish(report);
        let visible = |t: &Vec<Vec<VisibilityReason>>, thread: &Thread| -> Vec<bool> {
            let with_steps = t.iter().zip(&thread.locations);
            with_steps
                .map(|(why, l)| l.edges.is_empty() || !why.is_empty())
                .collect()
        };
        let threads = reasons.iter().zip(&program.threads);
        let prepared = Prepared {
            program: program.clone(),
            visible: threads.map(|(r, t)| visible(r, t)).collect(),
            when_blocked: Blocked::Ends,
            plain: None,
        };
        if self.options.ends_early() {
            self.done.prepared = Some(prepared);
            return Ok(());
        }
        let clock = Instant::now();
        self.elsewhere(report, prepared.telling(&asked));
        report.timing.exploration = clock.elapsed().as_secs_f64();
        self.control.publish(report);
        if self.options.cross_check {
            self.cross_check(report, &asked)?;
        }
        Ok(())
    }

    /// Everything that is asked of a program, undecided.
    pub(super) fn begin(&self, report: &mut Report, program: &Program, asked: &[Asked]) {
        report.notes = notes(program);
        let undecided = |a: &Asked| Property::undecided(&a.name, a.reported(program));
        report.properties = asked.iter().map(undecided).collect();
        report.claims.clear();
        let claims = asked_claims(program, self.options);
        let claims = claims.map(|c| Property::undecided(&c.name, PropertyKind::Transaction));
        report.properties.extend(claims);
        report.lemmas = lemmas::unjudged(self.program);
        let hypotheses = self.theory.hypotheses.iter();
        report.hypotheses = hypotheses.map(hypotheses::undecided).collect();
        // What was evaluated, was so with other visible steps, or another program.
        own::begin(report, self.theory);
    }

    /// What became of the blocks that are claimed to be transactions.
    pub(super) fn claims(
        &self,
        report: &mut Report,
        known: Option<(&Encoding, Option<&claims::Inside>)>,
    ) -> Result<(), Stop> {
        let verdict = |kind: PropertyKind| {
            let mut all = report.properties.iter();
            all.find(|p| p.kind == kind).map(|p| p.verdict)
        };
        let holds = |kind| verdict(kind) == Some(Status::Holds);
        let broken = |p: &Property| p.kind == PropertyKind::Invariant && p.verdict != Status::Holds;
        let invariant = !report.properties.iter().any(broken);
        let protections = known.is_some_and(|(e, _)| !e.program.protections.is_empty());
        let applies = verdict::gap(report).is_none()
            && self.theory.implies_shape()
            && self.theory.reduces_as_shape();
        let context = claims::Context {
            encoding: known.map(|(e, _)| e),
            declared: self.program,
            inside: known.and_then(|(_, inside)| inside).filter(|_| applies),
            only: self.options.claims_by.as_deref(),
            theorem: self.theory,
            disciplined: holds(PropertyKind::Discipline) || !protections,
            sound: invariant && (holds(PropertyKind::Assertions) || !self.program.can_go_wrong()),
            deadlock_free: self.program.deadlock_free.map(|_| {
                let verdict = verdict(PropertyKind::DeadlockFree);
                verdict.unwrap_or(Status::Unknown)
            }),
            states: report.states.original.as_ref().and_then(|n| n.parse().ok()),
            both: self.options.discharge == By::Both,
            asked: asked_claims(self.program, self.options).collect(),
        };
        for (claim, property, stop) in claims::claims(&context, self.control)? {
            if let Some(stop) = stop {
                hit(report, stop, self.control);
            }
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

    /// Settles the conditions and hypotheses of Stoller & Cohen. Whether no limit was hit; even where the theorem
    /// does not apply, a violation that the reduced system finds is real.
    fn hypotheses(
        &mut self,
        report: &mut Report,
        e: &Encoding,
        visibility: &Visibility,
        goals: &[Goal],
        ladder: &mut Ladder,
    ) -> Result<bool, Stop> {
        let clock = Instant::now();
        self.control.enter("well-formedness");
        let model = Model {
            encoding: e,
            visibility,
            theory: self.theory,
            states: Vec::new(),
            phased: None,
            names: Names::Variables,
        };
        let conditions = well_formedness(e, visibility, goals, ladder);
        let settled = conditions.and_then(|conditions| {
            report.well_formedness = conditions;
            let pairs = self.settle(report, &model, ladder)?;
            own::evaluate(report, &model)?;
            tell(report, pairs, ladder)
        });
        report.timing.hypotheses = clock.elapsed().as_secs_f64();
        self.control.publish(report);
        match settled {
            Ok(()) => Ok(true),
            Err(Stop::Effort) => Err(Stop::Effort),
            Err(stop) => {
                hit(report, stop, self.control);
                self.control.check()?;
                Ok(false)
            }
        }
    }

    /// Settles the hypotheses of the theorem.
    pub(super) fn settle(
        &mut self,
        report: &mut Report,
        model: &Model,
        ladder: &mut Ladder,
    ) -> Result<Pairs, Stop> {
        let mut pairs = Pairs::default();
        let by = self.options.discharge;
        self.done.discharge = Discharge::new(model);
        let families = Families::new(model.encoding.program, self.control);
        let mut deriver = Deriver::new(model, ladder, &mut self.done.discharge, by == By::Algebra)?;
        deriver.families = model.phased.is_none().then_some(&families);
        deriver.generic = self.options.generic;
        for (hypothesis, entry) in self.theory.hypotheses.iter().zip(&mut report.hypotheses) {
            let phase = format!("hypothesis ({})", hypothesis.id);
            self.control.enter(phase);
            match settle(&mut deriver, hypothesis, by, &mut pairs) {
                Ok(done) => *entry = done,
                Err(Unreadable::Stopped(stop)) => {
                    entry.evidence = Evidence::Limit(stop, None);
                    return Err(stop);
                }
                Err(why @ Unreadable::Meaningless { .. }) => {
                    entry.evidence = Evidence::NotEvaluated(why.to_string())
                }
            }
        }
        Ok(pairs)
    }
}

/// What the hypotheses needed, once they are settled.
pub(super) fn tell(report: &mut Report, pairs: Pairs, ladder: &mut Ladder) -> Result<(), Stop> {
    report.statistics.pairs_checked = Some(pairs.checked.to_string());
    report.statistics.pairs_skipped = Some(pairs.skipped.to_string());
    report.invariant = hypotheses::common_invariant(report);
    report.lemmas = lemmas::tell(ladder, report.invariant == Some(Rung::Lemmas))?;
    Ok(())
}

/// The reduced system, as engines explore it.
pub(super) fn prepared(e: &Encoding, visibility: &Visibility) -> Prepared {
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

/// The visible and the invisible steps, with reasons.
pub(super) fn describe<'r>(
    report: &mut Report,
    p: &Program,
    steps: impl Iterator<Item = ((ThreadId, LocId), &'r [VisibilityReason])>,
) {
    report.visible.clear();
    report.invisible.clear();
    for ((t, l), reasons) in steps {
        let mut step = step_at(p, t, l);
        step.reasons = reasons.iter().cloned().map(Remark::Visible).collect();
        if reasons.is_empty() {
            step.reasons.push(stays_invisible(p, t, l));
            report.invisible.push(step);
        } else {
            report.visible.push(step);
        }
    }
    let actions = report.visible.len() + report.invisible.len();
    report.statistics.actions = Some(actions.to_string());
    if report.invisible.is_empty() {
        report.notes.push(Note::AllVisible);
    }
}

fn notes(program: &Program) -> Vec<Note> {
    match program.overridden.as_slice() {
        [] => Vec::new(),
        some => vec![Note::Overridden(some.to_vec())],
    }
}
