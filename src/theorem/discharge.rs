//! A hypothesis settled: derived from facts about single steps, evaluated on relations, or both.

pub(super) mod derive;
pub(super) mod facts;
pub(super) mod hypotheses;
pub(super) mod syntactic;

use self::hypotheses::{Pairs, evaluate};
use crate::algebra;
use crate::base::results::{Contradiction, Discharge, Evidence, Hypothesis, Status};
use crate::theorem::discharge::derive::{Deriver, Open};
use crate::theorem::read::Unreadable;

/// Who settles the hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// The algebra, and where it cannot the relations.
    #[default]
    Either,
    /// The algebra; what it cannot derive is unknown.
    Algebra,
    /// The relations.
    Relations,
    /// Both, and they must not contradict each other.
    Both,
}

/// When a fact is established for generic threads, instead of for each choice of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generic {
    /// When relations were evaluated for several choices, and there are more.
    #[default]
    Pays,
    /// Before relations are looked at.
    First,
    /// Never.
    Never,
}

/// Settles one hypothesis.
///
/// # Errors
/// If it can't be read on this program, or a limit is hit.
pub fn settle(
    deriver: &mut Deriver,
    hypothesis: &algebra::Hypothesis,
    by: By,
    pairs: &mut Pairs,
) -> Result<Hypothesis, Unreadable> {
    let model = deriver.model;
    if by == By::Relations {
        return evaluate(model, hypothesis, None, deriver.ladder(), pairs);
    }
    let derived = match deriver.derive(hypothesis, pairs) {
        Ok(derived) => Ok(derived),
        Err(Open::Stopped(stop)) => return Err(stop.into()),
        Err(Open::Because(why)) => Err(why),
    };
    match (derived, by) {
        (Ok(derived), By::Both) => {
            let pairs = &mut Pairs::default();
            let evaluated = evaluate(model, hypothesis, None, deriver.ladder(), pairs)?;
            Ok(both(derived, evaluated))
        }
        (Ok(derived), _) => Ok(derived),
        (Err(why), By::Algebra) => Ok(Hypothesis {
            evidence: Evidence::NotDerived(why),
            ..hypotheses::undecided(hypothesis)
        }),
        (Err(_), _) => deriver.evaluate(hypothesis, pairs),
    }
}

/// What was derived, held against what the relations say.
fn both(derived: Hypothesis, evaluated: Hypothesis) -> Hypothesis {
    if evaluated.status == Status::Refuted {
        let why = Contradiction::Derived {
            evidence: Box::new(derived.evidence),
        };
        return Hypothesis {
            evidence: Evidence::Contradicted(why.clone()),
            contradiction: Some(why),
            discharge: Discharge::None,
            ..evaluated
        };
    }
    let evidence = match (derived.evidence, evaluated.evidence) {
        (Evidence::Derived(derived), Evidence::Evaluated(evaluated)) => {
            Evidence::Both(derived, evaluated)
        }
        (derived, _) => derived,
    };
    Hypothesis {
        evidence,
        ..derived
    }
}
