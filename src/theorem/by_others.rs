//! A check whose exploration somebody else does, such as several processes: there is one, so what it is of has to be
//! known before. It is the reduced system of the first theorem whose hypotheses hold, and the program in full if there
//! is none.
//!
//! All that is settled before depends on the program, the options and counted work only. So processes that do it each
//! for itself come to the same.

use super::check::{Check, CheckOptions, Done, Prepared, Reduce, Until, run};
use super::choice::Candidates;
use super::in_full;
use super::inference::Subject;
use super::properties::asked;
use super::reduced::engines::Explore;
use super::verdict;
use super::wellformed::WF_INIT_EXCL;
use crate::algebra::Theory;
use crate::base::control::Control;
use crate::base::results::{Report, Status};
use crate::model::program::Program;
use std::time::Instant;

/// Checks a program under a theorem, or under the best of several; `explore` is called once at most.
pub fn check_by(
    name: &str,
    program: &Program,
    theory: &Theory,
    options: &CheckOptions,
    explore: &Explore,
    control: &Control,
) -> Report {
    let begun = Instant::now();
    let subject = Subject::new(program);
    let chosen = Chosen::of(name, &subject, theory, options, control);
    let Chosen {
        mut report,
        theory,
        prepared,
        options,
    } = chosen;
    // What the hypotheses came to would be lost, and they were asked for.
    let is_wanted = options.reduce == Reduce::Always;
    let mut settled = report.hypotheses.iter().map(|h| h.status);
    let is_answer = is_wanted && prepared.is_none() && settled.any(|s| s != Status::Unknown);
    if report.unproved.is_some() || is_answer || control.check().is_err() {
        return report;
    }
    let check = Check::new(&subject, &theory, &options, control);
    let clock = Instant::now();
    match &prepared {
        Some(prepared) => {
            control.enter("the reduced system");
            let asked = asked(&prepared.program, &options.properties);
            let quotients = check.quotients();
            let outcome = prepared.explore_by(&asked, &quotients, explore);
            check.explored(&mut report, prepared.telling(&asked), &quotients, &outcome);
            in_full::with_claims(&check, 0, &mut report);
        }
        None => {
            control.enter("the program in full");
            let all = asked(program, &options.properties);
            let outcome = in_full::explore(program, &all, explore);
            let before = report.limits.hit.take().filter(|_| is_wanted);
            in_full::answer(&check, (&all, &outcome), 0, &mut report);
            // It keeps the verdict from being `holds`: the theorem was to be applied.
            if let (Some(hit), None) = (before, &report.limits.hit) {
                report.limits.hit = Some(hit);
                verdict::settle(&mut report, program);
            }
        }
    }
    report.timing.exploration = clock.elapsed().as_secs_f64();
    report.timing.total = begun.elapsed().as_secs_f64();
    report
}

/// The theorem that is applied, and the reduced system that it has; none if the program is explored in full.
struct Chosen {
    report: Report,
    theory: Theory,
    prepared: Option<Prepared>,
    options: CheckOptions,
}

impl Chosen {
    fn of(
        name: &str,
        subject: &Subject,
        theory: &Theory,
        options: &CheckOptions,
        control: &Control,
    ) -> Self {
        let program = subject.program;
        let may_be_full = in_full::may_be(program, theory, options);
        let options = CheckOptions {
            reduce: match may_be_full {
                true => options.reduce,
                false => Reduce::Always,
            },
            ..options.clone()
        };
        let settling = CheckOptions {
            until: Until::Hypotheses,
            ..options.clone()
        };
        let settle = |theory: &Theory| run(name, subject, theory, &settling, control);
        let full = |report: Report| Chosen {
            report,
            theory: theory.clone(),
            prepared: None,
            options: options.clone(),
        };
        if options.reduce == Reduce::Last {
            return full(Report::undecided(name, &theory.name));
        }
        let is_given = !may_be_full && !options.chooses;
        if is_given || in_full::is_for_one(subject, &options, control) {
            let (report, Done { prepared, .. }) = settle(theory);
            let applies = !may_be_full || applies(&report);
            return Chosen {
                prepared: prepared.filter(|_| applies),
                ..full(report)
            };
        }
        let is_reduced = |report: &Report, done: &Done| applies(report) && done.prepared.is_some();
        let best = Candidates::of(subject, theory, &options.others, control)
            .apply(control, settle, is_reduced);
        let Some((theory, report, done)) = best else {
            return full(Report::undecided(name, &theory.name));
        };
        let applies = !may_be_full || applies(&report);
        Chosen {
            theory,
            prepared: done.prepared.filter(|_| applies),
            ..full(report)
        }
    }
}

/// Whether what a reduced system shows holds of the program.
fn applies(report: &Report) -> bool {
    let mut conditions = report.well_formedness.iter();
    // Whether initial states have two owners is seen where they are explored.
    verdict::gap(report).is_none()
        && report.limits.hit.is_none()
        && conditions.all(|w| w.status == Status::Holds || w.id == WF_INIT_EXCL)
}
