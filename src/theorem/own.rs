//! What a theorem of the user's says of a program: nothing, if its conclusion is not proved; what its conclusion speaks
//! of; and, if its hypotheses imply those of a theorem that comes with the tool, all that this one says.
//!
//! A reduced system that is no shipped one is evaluated. The conclusion is `A <= B`, and A relates an initial state to
//! others if the original program gets where it is asked about. So it does not where B relates no initial state to any.

use super::read::{Atoms, Model, Unreadable};
use crate::algebra::{Form, Order, Statement, Term, Theory};
use crate::base::control::Stop;
use crate::base::results::{Doubt, Gap, Note, PropertyReason, Report, Silence, Status};
use crate::engine::relations::{Encoding, Ground, Meaning};
use crate::theorem::reduced::transactions::uses;
use biodivine_lib_bdd::Bdd;

/// Says what a theorem is not known to say of any program.
pub(super) fn begin(report: &mut Report, theory: &Theory) {
    let Some(own) = &theory.own else {
        return;
    };
    if own.proof.is_none() {
        report.unproved = Some(own.file.name.clone());
    }
    let silent = (!own.implies).then(|| Gap::Silent(theory.name.clone()));
    let open = (!own.same).then_some(Gap::NotEvaluated);
    report.silence = Silence {
        violations: open.clone(),
        // That a thread goes wrong is what theorems about transactions speak of.
        wrong: match uses(theory) {
            Some(_) => open,
            None => silent.clone(),
        },
        states: silent,
        evaluated: !own.same,
    };
}

/// Evaluates the reduced system, if it is the theorem's own.
pub(super) fn evaluate(report: &mut Report, model: &Model) -> Result<(), Stop> {
    if !report.silence.evaluated {
        return Ok(());
    }
    model
        .encoding
        .m
        .control()
        .enter("the reduced system, evaluated");
    let empty = match is_empty(model) {
        Ok(empty) => empty,
        Err(Unreadable::Stopped(stop)) => return Err(stop),
        Err(Unreadable::Meaningless { .. }) => return Ok(()),
    };
    let gap = (!empty).then(|| Gap::Reached(model.theory.name.clone()));
    let silence = &mut report.silence;
    silence.violations.clone_from(&gap);
    if model.phased.is_some() {
        silence.wrong = gap;
    }
    let note = Note::Evaluated(model.theory.name.clone());
    if !report.notes.contains(&note) {
        report.notes.push(note);
    }
    Ok(())
}

/// Whether the right side of the conclusion relates no initial state to any.
fn is_empty(model: &Model) -> Result<bool, Unreadable> {
    let conclusion = model.theory.conclusion.as_ref();
    let Some(right) = conclusion.and_then(|c| c.statement.sides.last()) else {
        return Ok(false);
    };
    let statement = Statement {
        distinct: Vec::new(),
        sides: vec![right.clone(), Term::new(right.span, Form::Zero)],
        orders: vec![Order::Below],
    };
    let mut atoms = Atoms::default();
    let instances = model.instances(&statement, &mut atoms)?;
    let images = Images {
        encoding: model.encoding,
        atoms: &atoms,
    };
    for instance in &instances {
        let Some(reduced) = instance.sides.first() else {
            return Ok(false);
        };
        match images.of(&model.encoding.initial, reduced)? {
            Some(reached) if reached.is_false() => {}
            _ => return Ok(false),
        }
    }
    Ok(!instances.is_empty())
}

/// What terms relate sets of states to.
struct Images<'a, 'p> {
    encoding: &'a Encoding<'p>,
    atoms: &'a Atoms,
}

impl Images<'_, '_> {
    /// The states that a term relates some state of a set to; none if that is not known.
    fn of(&self, from: &Bdd, term: &Ground) -> Result<Option<Bdd>, Stop> {
        let (e, m) = (self.encoding, &self.encoding.m);
        m.control().check()?;
        if from.is_false() {
            return Ok(Some(m.no()));
        }
        if let Some(test) = self.test(term)? {
            return Ok(Some(m.and(from, &test)?));
        }
        let mut reached = m.no();
        match term {
            Ground::Atom(a) => {
                let Meaning::Actions(all) = &self.atoms.0[*a].meaning else {
                    return Ok(None);
                };
                for action in all {
                    let image = e.actions[*action].rel.image(m, from)?;
                    reached = m.or(&reached, &image)?;
                }
            }
            Ground::Top => reached = e.type_correct(&e.all_bits())?,
            Ground::Sum(all) => {
                for term in all {
                    let Some(image) = self.of(from, term)? else {
                        return Ok(None);
                    };
                    reached = m.or(&reached, &image)?;
                }
            }
            Ground::Product(all) => {
                reached = from.clone();
                for term in all {
                    let Some(image) = self.of(&reached, term)? else {
                        return Ok(None);
                    };
                    reached = image;
                }
            }
            Ground::Star(x) => {
                let mut new = from.clone();
                while !new.is_false() {
                    reached = m.or(&reached, &new)?;
                    let Some(image) = self.of(&new, x)? else {
                        return Ok(None);
                    };
                    new = m.and_not(&image, &reached)?;
                }
            }
            // Endless runs are no matter of what is reached.
            _ => return Ok(None),
        }
        Ok(Some(reached))
    }

    /// Where a term holds, if it is a test.
    fn test(&self, term: &Ground) -> Result<Option<Bdd>, Stop> {
        let m = &self.encoding.m;
        Ok(Some(match term {
            Ground::Zero => m.no(),
            Ground::One => m.no().not(),
            Ground::Not(x) => match self.test(x)? {
                Some(test) => test.not(),
                None => return Ok(None),
            },
            Ground::Atom(a) => match &self.atoms.0[*a].meaning {
                Meaning::Test(test) => test.clone(),
                Meaning::Actions(_) => return Ok(None),
            },
            Ground::Sum(all) | Ground::Product(all) => {
                let mut tests = Vec::new();
                for x in all {
                    match self.test(x)? {
                        Some(test) => tests.push(test),
                        None => return Ok(None),
                    }
                }
                match term {
                    Ground::Sum(_) => tests.iter().try_fold(m.no(), |a, b| m.or(&a, b))?,
                    _ => tests.iter().try_fold(m.no().not(), |a, b| m.and(&a, b))?,
                }
            }
            _ => return Ok(None),
        }))
    }
}

/// Leaves everything open under a conclusion that is not proved.
pub(super) fn end(report: &mut Report) {
    let Some(file) = &report.unproved else {
        return;
    };
    let gap = Gap::Unproved(file.clone());
    for property in &mut report.properties {
        property.verdict = Status::Unknown;
        property.reason = PropertyReason::Unsettled(Doubt::Gap(gap.clone()));
    }
}
