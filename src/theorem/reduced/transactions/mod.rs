//! Transactions by theorem: Flanagan & Qadeer 2003, Theorem A.1, and the theorems that are parts of it.
//!
//! Movers are found (`movers`), the program gets phases (`phases`), transactions are cut where they could not be
//! finished (A6), and then the hypotheses of the theory file are evaluated on the program with phases and access checks
//! (`checked`). There A3 and A4 decide whether an action was rightly taken for a mover, not the place where it was
//! guessed.
//!
//! The theorem speaks of threads that go wrong. A question about a set V of states is one more thread, an observer that
//! goes wrong in V and does nothing else; as it is never in a transaction, A1, A2, A5 and A6 say nothing of it, A3 says
//! that no right mover leads into V from outside, and A4 that no left mover leads out of it. A deadlock is such a set.
//! So acquiring a lock, a right mover otherwise, is none in a program that has a deadlock, if deadlocks are asked for.

mod apply;
mod checked;
mod cuts;
mod phases;
#[cfg(test)]
mod tests;

pub use checked::{checked, somewhere};
pub use cuts::{Cuts, fewest};
pub use phases::{Phase, Phased, Uses};

use crate::algebra::{Shape, Theory, Word};
use crate::base::control::{Control, Stop};
use crate::base::results::VisibilityReason;
use crate::engine::compiled::{Mover, Movers};
use crate::engine::relations::Encoding;
use crate::theorem::invariants::{Ladder, Step};
use crate::theorem::movers::Judged;
use crate::theorem::visibility::Visibility;
use checked::unfinished;
use std::collections::BTreeSet;

pub(in crate::theorem) use apply::apply;

/// Right movers before the commit point, left movers behind it.
const FLANAGAN_QADEER: Uses = Uses {
    rights: true,
    lefts: true,
    keeps_inside: true,
};

pub(in crate::theorem) const LEFT_MOVERS: Uses = Uses {
    rights: false,
    ..FLANAGAN_QADEER
};

/// With l[i] empty: no transaction is ever behind its commit point.
pub(in crate::theorem) const RIGHT_MOVERS: Uses = Uses {
    lefts: false,
    ..FLANAGAN_QADEER
};

/// Only what is reached with all threads outside transactions is kept.
pub(in crate::theorem) const LIPTON: Uses = Uses {
    keeps_inside: false,
    ..FLANAGAN_QADEER
};

/// Which movers a theorem lets transactions have, if it is about transactions; its reduced system then is one of a
/// program with phases.
pub fn uses(theory: &Theory) -> Option<Uses> {
    let uses = match theory.shape? {
        Shape::StollerCohen => return None,
        Shape::FlanaganQadeer => FLANAGAN_QADEER,
        Shape::LeftMovers => LEFT_MOVERS,
        Shape::RightMovers => RIGHT_MOVERS,
        Shape::Lipton => LIPTON,
    };
    // Where the reduced system is the theorem's own, it has the phases that the theorem has letters for.
    let has = |word| theory.reduces_as_shape() || theory.letter(word).is_some();
    Some(Uses {
        rights: uses.rights && has(Word::Before),
        lefts: uses.lefts && has(Word::Behind),
        ..uses
    })
}

/// The movers among the actions of a program, by thread and location.
pub fn by_location(e: &Encoding, judged: &[Judged]) -> Movers {
    let threads = e.program.threads.iter();
    let mut all: Movers = threads
        .map(|t| vec![Mover::default(); t.locations.len()])
        .collect();
    for (a, judged) in e.actions.iter().zip(judged) {
        all[a.thread][a.location] = judged.mover;
    }
    all
}

/// Gives a program phases (each encoding with so much work on BDDs at most), its transactions cut where that leaves few
/// states, and so that they can be finished: anew, until they can.
///
/// # Errors
/// Any [`Stop`].
pub fn phased(e: &Encoding, judged: &[Judged], uses: Uses, effort: u64) -> Result<Phased, Stop> {
    let movers = by_location(e, judged);
    let mut cuts = fewest(e.program, &movers, uses);
    loop {
        let phased = Phased::new(e.program, &movers, uses, &cuts);
        if !cut_more(&phased, &mut cuts, (e, effort))? {
            return Ok(phased);
        }
    }
}

/// Cuts transactions that could not be finished; whether there were any.
fn cut_more(phased: &Phased, cuts: &mut Cuts, (e, effort): (&Encoding, u64)) -> Result<bool, Stop> {
    let some = phased.phases.iter().flatten().any(|p| *p == Phase::Behind);
    if !some {
        return Ok(false);
    }
    let with = with_checks(phased, effort, e.m.control())?;
    let mut ladder = Ladder::new(&with);
    let mut grown = false;
    for (t, cuts) in cuts.iter_mut().enumerate() {
        let mut more = BTreeSet::new();
        for step in Step::ALL {
            let j = match (step, ladder.step(step)?) {
                (Step::True, _) => with.type_correct(&with.all_bits())?,
                (_, Some(j)) => j.clone(),
                (_, None) => continue,
            };
            more = unfinished(&with, phased, t, &j)?;
            if more.is_empty() {
                break;
            }
        }
        grown |= !more.is_empty();
        cuts.extend(more);
    }
    Ok(grown)
}

/// The relations of a program with phases, with access checks.
///
/// # Errors
/// Any [`Stop`].
fn with_checks<'p>(
    phased: &'p Phased,
    effort: u64,
    control: &'p Control,
) -> Result<Encoding<'p>, Stop> {
    let mut e = Encoding::within(&phased.program, effort, control)?;
    e.actions = checked(&e)?;
    Ok(e)
}

/// What visibility is for an exploration: steps outside transactions are visible, those inside are not.
pub fn scheduling(e: &Encoding, phased: &Phased) -> Visibility {
    let mut visibility = Visibility {
        reasons: vec![Vec::new(); e.actions.len()],
        refused: Vec::new(),
    };
    for (n, a) in e.actions.iter().enumerate() {
        if phased.phases[a.thread][a.location] == Phase::Outside {
            visibility.pin(n, VisibilityReason::Wanted);
        }
    }
    visibility
}
