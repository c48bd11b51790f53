//! A check of a program with many threads as one of its family ([`member`]): the hypotheses hold for every value of the
//! constant that numbers them, so no relations are built. Engines explore the reduced system.

use super::check::{Check, describe};
use super::discharge::syntactic::{is_ever_open, may_hide};
use super::discharge::{By, Generic, hypotheses};
use super::every::{Member, member};
use super::properties::asked;
use super::visibility::mentioned;
use super::wellformed;
use crate::algebra;
use crate::base::control::Stop;
use crate::base::results::{Hypothesis, Note, Report, VisibilityReason};
use crate::model::program::{LocId, Program, Thread, ThreadId};
use crate::theorem::check::ForEvery;
use crate::theorem::discharge::facts::Discharge;
use crate::theorem::reduced::transactions::uses;
use std::time::Instant;

/// Relations of so many threads are built first; they cost less than what is derived for every value.
const FEW: usize = 8;

/// The part of all work that the derivation is worth.
const PART: u64 = 16;

impl Check<'_> {
    /// Whether to look for a family before relations are built.
    pub(super) fn is_large(&self) -> bool {
        self.program.threads.len() > FEW || self.options.generic == Generic::First
    }

    /// Checks the program as one of its family; whether that answers.
    ///
    /// # Errors
    /// Any [`Stop`], but for that it took too much work.
    pub(super) fn by_family(&mut self, report: &mut Report) -> Result<bool, Stop> {
        if !self.may_be_of_family() {
            return Ok(false);
        }
        let clock = Instant::now();
        self.control.enter("every value of a constant");
        let control = self.control.worth(self.control.budget().effort / PART);
        let found = member(&report.model, self.program, self.theory, &control)?;
        self.control.check()?;
        let Some(member) = found else {
            return Ok(false);
        };
        let prepared = &member.prepared;
        let program = &prepared.program;
        let asked = asked(program, &self.options.properties);
        if may_hide(program, &asked, &prepared.visible) {
            return Ok(false);
        }
        self.begin(report, program, &asked);
        report.timing.hypotheses = clock.elapsed().as_secs_f64();
        self.tell_family(report, &member);
        report.well_formedness = wellformed::by_text(program, &asked);
        self.control.publish(report);
        let quotients = self.quotients();
        let clock = Instant::now();
        self.control.enter("the reduced system");
        let is_guessed = !member.inferred.is_empty();
        let how = (u64::MAX, is_guessed);
        let outcome = prepared.explore(&asked, &quotients, how, self.control);
        report.timing.exploration = clock.elapsed().as_secs_f64();
        // What was inferred does not stand here.
        if is_guessed && outcome.violated {
            return Ok(false);
        }
        self.explored(report, prepared.telling(&asked), &quotients, &outcome);
        self.settled = Some(program.clone());
        self.done.discharge = Discharge::default();
        if self.options.every != ForEvery::Never {
            report.every.push(member.report.unasked());
        }
        self.control.publish(report);
        Ok(true)
    }

    /// Whether nothing is asked for that only relations have.
    fn may_be_of_family(&self) -> bool {
        let options = self.options;
        let by_relations = options.strict
            || options.certificate
            || options.cross_check
            || options.annotate
            || options.ends_early()
            || options.discharge != By::Either
            || options.generic == Generic::Never
            || !options.quotients.is_empty();
        let shipped = uses(self.theory).is_none() && self.theory.own.is_none();
        let program = self.program;
        let expects = program.overridden.is_empty() && !program.expects.is_empty();
        !by_relations
            && shipped
            && program.claims.is_empty()
            && program.lemmas.is_empty()
            && !expects
    }

    /// What is known of the program as one of its family.
    fn tell_family(&self, report: &mut Report, member: &Member) {
        let prepared = &member.prepared;
        let program = &prepared.program;
        let every = &member.report;
        let instance = every.instance.as_deref().unwrap_or_default();
        let like = format!("{} = {instance}", every.constant);
        report.discipline.clone_from(&member.inferred);
        report.revisions.clear();
        let because = |(t, l): (ThreadId, LocId)| {
            let mut reasons = mentioned(program, t, l);
            if reasons.is_empty() {
                reasons.push(VisibilityReason::AsWith(like.clone()));
            }
            match prepared.visible[t][l] && is_ever_open(&program.threads[t], l) {
                true => reasons,
                false => Vec::new(),
            }
        };
        let steps = |(t, thread): (ThreadId, &Thread)| {
            let places: Vec<_> = thread.steps().map(|l| (t, l)).collect();
            places
        };
        let places = program.threads.iter().enumerate().flat_map(steps);
        let placed: Vec<_> = places.map(|place| (place, because(place))).collect();
        let placed = placed.iter().map(|(place, why)| (*place, why.as_slice()));
        describe(report, program, placed);
        let hypotheses = self.theory.hypotheses.iter().zip(&member.hypotheses);
        report.hypotheses = hypotheses
            .map(|(h, held)| of_all(h, held, program))
            .collect();
        report.invariant = hypotheses::common_invariant(report);
        report.notes.push(Note::OfFamily {
            from: every.from.clone().unwrap_or_default(),
            like,
        });
    }
}

/// A hypothesis of all threads of a program.
fn of_all(hypothesis: &algebra::Hypothesis, held: &Hypothesis, program: &Program) -> Hypothesis {
    let n = program.threads.len();
    let instances = match hypothesis.statement.distinct.is_empty() {
        true => n,
        false => n * n.saturating_sub(1),
    };
    Hypothesis {
        instances: instances.to_string(),
        ..held.clone()
    }
}
