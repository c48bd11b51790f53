//! The hypotheses for every value of a constant, such as the number of threads.
//!
//! The model is read with the constant left open (`model::program::parametric`). Derivations speak of generic threads
//! as it is; so it is enough to establish their facts for generic threads, too: symbolically, from an arbitrary
//! type-correct state, with case distinctions over which cells are one (`run`, `eval`, `step`, `facts`). What facts
//! there are to be established is found on a small instance. Nothing else of the instance is believed.

mod access;
mod arithmetic;
mod blocks;
mod conditions;
mod disciplines;
mod eval;
mod facts;
mod families;
mod instance;
mod kinds;
mod leaf;
mod linear;
mod locks;
mod loops;
mod member;
mod oracle;
mod overlap;
mod overlaps;
mod products;
mod rays;
mod run;
mod step;
mod sums;
mod views;
mod violation;

pub(in crate::theorem) use self::families::Families;
pub use self::instance::{Instance, LARGEST};
pub use self::leaf::Leaf;
pub use self::member::numbering;
pub(in crate::theorem) use self::member::{Member, member};
pub(in crate::theorem) use self::oracle::Oracle;
pub use self::oracle::Wrong;
pub use self::run::Unsaid;

use self::run::{Key, Said};
use super::check::{CheckOptions, Prepared, Until, prepare_until};
use super::discharge::derive::{Deriver, Open};
use super::discharge::facts::Discharge;
use super::discharge::hypotheses::Pairs;
use super::evidence::for_every;
use super::invariants::Ladder;
use super::read::{Model, Names};
use super::visibility::Visibility;
use crate::algebra::{Hypothesis, Theory};
use crate::base::control::{Control, Hit};
use crate::base::evidence::{Letter, Values};
use crate::base::results;
use crate::base::results::{
    EveryHypothesis, EveryReport, Evidence, Inferred, Obstacle, Status, Underived, Verdict,
    VisibilityReason,
};
use crate::engine::relations::Encoding;
use crate::kernel::Terms;
use crate::model::program::{LocId, OpenDiscipline, ThreadId};
use crate::model::text::ast;
use std::time::Instant;

/// A model, and the constant that is to be left open.
#[derive(Clone, Copy)]
pub struct Template<'a> {
    /// Its tree.
    pub tree: &'a ast::Model,
    /// Its text.
    pub source: &'a str,
    /// Constants that are given.
    pub defines: &'a [(String, String)],
    /// The constant that is left open.
    pub constant: &'a str,
}

/// What is asked.
pub struct Asked<'a> {
    /// The model's name.
    pub name: &'a str,
    /// The model.
    pub model: Template<'a>,
    /// The theorem.
    pub theory: &'a Theory,
    /// Whether a bundle is wanted.
    pub certificate: bool,
    /// Whether it is looked for what holds of all threads together, if what holds of each does not do.
    pub sums: bool,
}

/// What statements about generic threads speak of.
pub struct Speech<'s> {
    /// Their terms.
    pub terms: &'s Terms,
    /// What each symbol stands for.
    pub letters: &'s [Letter],
}

/// What was derived on an instance.
struct Derived {
    /// Its program with disciplines, and the visible steps.
    prepared: Prepared,
    /// What of that was inferred.
    inferred: Vec<Inferred>,
    /// The disciplines for every value.
    disciplines: Vec<OpenDiscipline>,
    /// The hypotheses that hold for every value.
    hypotheses: Vec<results::Hypothesis>,
}

/// Says for which values of a constant the hypotheses hold, and whether the discipline is kept for all of them.
pub fn every(asked: &Asked, control: &Control) -> EveryReport {
    derived(asked, control).0
}

/// The same, and what it was derived from.
fn derived(asked: &Asked, control: &Control) -> (EveryReport, Option<(Instance, Derived)>) {
    let begun = Instant::now();
    let mut report = EveryReport::undecided(asked.name, &asked.theory.name, asked.model.constant);
    let mut found = None;
    match Instance::first(&asked.model, control) {
        Ok(instance) => {
            report.instance = Some(instance.value.to_string());
            match instance.tell(asked, control, &mut report) {
                Ok(derived) => found = Some((instance, derived)),
                Err(unsaid) => note(&mut report, unsaid, control),
            }
        }
        Err(unsaid) => note(&mut report, unsaid, control),
    }
    report.time = begun.elapsed().as_secs_f64();
    (report, found)
}

fn note(report: &mut EveryReport, unsaid: Unsaid, control: &Control) {
    match unsaid {
        Unsaid::Stopped(stop) => report.limit = Some(Hit::Phase(stop, control.phase())),
        Unsaid::Because(why) => report.obstacle = Some(why),
    }
}

impl Instance {
    /// Says what is known with the steps visible that are so by definition; if that does not do, with those that the
    /// hypotheses on the instance need beside them because a guess at a discipline does not.
    fn tell(&self, asked: &Asked, control: &Control, report: &mut EveryReport) -> Said<Derived> {
        let first = self.prepared(asked, Until::Visibility, control)?;
        let said = self.told(asked, first.clone(), control, report);
        let is_open = |said: &Said<Derived>| match said {
            Ok(_) | Err(Unsaid::Because(_)) => report.from.is_none(),
            Err(Unsaid::Stopped(_)) => false,
        };
        if first.1.is_empty() || !is_open(&said) {
            return said;
        }
        let last = self.prepared(asked, Until::Hypotheses, control)?;
        if last.0.visible == first.0.visible && last.1 == first.1 {
            return said;
        }
        report.hypotheses.clear();
        self.told(asked, last, control, report)
    }

    /// Disciplines and visible steps of the instance, and what of it was inferred.
    fn prepared(
        &self,
        asked: &Asked,
        until: Until,
        control: &Control,
    ) -> Said<(Prepared, Vec<Inferred>)> {
        control.enter("disciplines and visible steps of a small instance");
        let options = CheckOptions {
            until,
            ..CheckOptions::default()
        };
        let (report, prepared) =
            prepare_until(asked.name, &self.program, asked.theory, &options, control);
        match prepared {
            Some(prepared) => Ok((prepared, report.discipline)),
            None => {
                let hit = report.limits.hit;
                let why = hit.map_or(Obstacle::NoInstance, Obstacle::Limit);
                Err(Unsaid::Because(why))
            }
        }
    }

    /// Derives the hypotheses, finds the smallest value, and looks at the discipline.
    fn told(
        &self,
        asked: &Asked,
        (prepared, inferred): (Prepared, Vec<Inferred>),
        control: &Control,
        report: &mut EveryReport,
    ) -> Said<Derived> {
        let prepared = &prepared;
        let is_visible = |t: ThreadId, l: LocId| prepared.visible[t][l];
        for kind in &self.kinds {
            kind.uniform(&self.parametric, &is_visible)?;
        }
        let smaller = self.smaller(&asked.model, control)?;
        let mut oracle = Oracle::new(self, &prepared.program, smaller, control)?;
        oracle.sums = asked.sums;
        control.enter("building relations");
        let encoding = Encoding::within(&prepared.program, control.budget().effort, control)?;
        let visibility = as_prepared(&encoding, prepared);
        let model = Model {
            encoding: &encoding,
            visibility: &visibility,
            theory: asked.theory,
            states: Vec::new(),
            phased: None,
            names: Names::Variables,
        };
        let mut ladder = Ladder::new(&encoding);
        let mut discharge = Discharge::new(&model);
        let mut deriver = Deriver::new(&model, &mut ladder, &mut discharge, false)?;
        deriver.every = Some(&oracle);
        let mut hypotheses = Vec::new();
        for hypothesis in &asked.theory.hypotheses {
            control.enter(format!("hypothesis ({})", hypothesis.id));
            let derived = match asked.theory.speaks_of_all(&hypothesis.statement) {
                true => Err(Open::Because(Underived::AllProcesses)),
                false => deriver.derive(hypothesis, &mut Pairs::default()),
            };
            hypotheses.extend(derived.as_ref().ok().cloned());
            report.hypotheses.push(entry(hypothesis, derived)?);
        }
        report.facts = discharge.facts.iter().map(|f| f.text.clone()).collect();
        let done = Derived {
            prepared: prepared.clone(),
            inferred,
            disciplines: oracle.disciplines.clone(),
            hypotheses,
        };
        if report.hypotheses.iter().any(|h| h.status != Status::Holds) {
            report.obstacle = Some(Obstacle::Hypotheses);
            return Ok(done);
        }
        report.obstacle = None;
        let from = oracle.smallest(&discharge);
        report.from = Some(from.to_string());
        if !asked.theory.is_proved() {
            return Err(Unsaid::Because(Obstacle::Unproved));
        }
        control.enter("the discipline for every value");
        let mut kept = None;
        for from in from..=self.value {
            oracle.from.set(from);
            match overlaps::kept(&oracle)? {
                Ok(known) => {
                    kept = known;
                    report.from = Some(from.to_string());
                    report.obstacle = None;
                    report.discipline = Status::Holds;
                    report.verdict = Verdict::Holds;
                    break;
                }
                Err(obstacle) => report.obstacle = Some(obstacle),
            }
        }
        report.sums = oracle.used_sums(kept.as_deref())?;
        report.views = oracle.used_views().map(|n| n.to_string());
        if report.discipline == Status::Holds && !self.parametric.program.claims.is_empty() {
            control.enter("transactions for every value");
            report.claims = blocks::claims(&oracle, (asked.name, &self.program), control);
        }
        if asked.certificate {
            let held = report.discipline == Status::Holds;
            let values = Values {
                constant: asked.model.constant.to_string(),
                from: if held { oracle.from.get() } else { from },
                instance: self.value,
            };
            let mut bundle = for_every(
                (asked.name, &asked.theory.name),
                (prepared, &discharge),
                values,
                held,
            );
            let shown = report.claims.iter().filter(|c| c.status == Status::Holds);
            let claims = bundle.parts.iter_mut().map(|part| &mut part.claims);
            claims.for_each(|all| all.extend(shown.clone().map(|c| c.name.clone())));
            report.bundle = Some(Box::new(bundle));
        }
        Ok(done)
    }

    /// Smaller values from which on something can be said.
    fn smaller(&self, model: &Template, control: &Control) -> Said<Vec<i64>> {
        let mut all = Vec::new();
        for value in 1..self.value {
            match self.begins_at(model, value, control) {
                Ok(()) => all.push(value),
                Err(Unsaid::Because(_)) => {}
                Err(stopped) => return Err(stopped),
            }
        }
        Ok(all)
    }
}

/// What is said of a hypothesis.
fn entry(h: &Hypothesis, derived: Result<results::Hypothesis, Open>) -> Said<EveryHypothesis> {
    Ok(match derived {
        Ok(derived) => EveryHypothesis {
            id: h.id.clone(),
            status: Status::Holds,
            facts: derived.facts,
            vacuous: derived.vacuous,
            invariant: derived.invariant,
            lemmas: match derived.evidence {
                Evidence::Derived(d) => d.lemmas,
                _ => Vec::new(),
            },
            obstacle: None,
        },
        Err(Open::Stopped(stop)) => return Err(stop.into()),
        Err(Open::Because(why)) => EveryHypothesis {
            id: h.id.clone(),
            status: Status::Unknown,
            facts: "0".to_string(),
            vacuous: false,
            invariant: None,
            lemmas: Vec::new(),
            obstacle: Some(Obstacle::Underived(why)),
        },
    })
}

/// The visibility that was found.
fn as_prepared(e: &Encoding, prepared: &Prepared) -> Visibility {
    let mut visibility = Visibility {
        reasons: vec![Vec::new(); e.actions.len()],
        refused: Vec::new(),
    };
    for (n, a) in e.actions.iter().enumerate() {
        if prepared.visible[a.thread][a.location] {
            visibility.pin(n, VisibilityReason::Wanted);
        }
    }
    visibility
}
