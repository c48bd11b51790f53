//! Right and left movers, established before they are used.
//!
//! Levin, Palmer, Qadeer and Rajamani 2005, section 3, properties (1)-(4) of FORMULAS.md, taken action by action (all edges that leave
//! one location are one action, so a location never offers a mover beside something else, which FORMULAS.md warns of). An action
//! that shares nothing with other threads is their thread-local step. Of the others those are movers for which the
//! properties hold, pair by pair, on the states of an inductive invariant in which nothing has been violated.
//!
//! Where it differs from the source: a step that violates the discipline, and a state that a property forbids (or asks for), count as
//! something going wrong in another thread at that moment. So for a set V of states in which that may happen, a right mover
//! must not lead into V from outside, and a left mover not out of it. Nothing is asked of the effect of a violating step.

use super::invariant::{Ladder, Rung};
use crate::control::Stop;
use crate::explore::core::{Mover, Movers};
use crate::relation::{Bit, Encoding, Rel};
use biodivine_lib_bdd::Bdd;

/// Finds the movers of a program; `wanted` are sets of states whose reachability matters.
///
/// # Errors
/// Any [`Stop`].
pub fn movers(e: &Encoding, wanted: &[Bdd]) -> Result<Movers, Stop> {
    let mut all: Movers = e
        .program
        .threads
        .iter()
        .map(|t| vec![Mover::default(); t.locations.len()])
        .collect();
    let mut search = Search {
        e,
        ladder: Ladder::new(e),
        calm: calm(e)?,
        parts: Vec::new(),
    };
    for a in 0..e.actions.len() {
        search.parts.push(search.part(a)?);
    }
    let wanted: Vec<Bdd> = wanted
        .iter()
        .map(|v| e.m.and_not(v, &e.q()))
        .collect::<Result<_, Stop>>()?;
    for (n, a) in e.actions.iter().enumerate() {
        all[a.thread][a.location] = search.mover(n, &wanted)?;
    }
    Ok(all)
}

/// The states without q in which no exclusive access predicates overlap: others are reached by violating steps only.
pub(super) fn calm(e: &Encoding) -> Result<Bdd, Stop> {
    let mut calm = e.q().not();
    for x in 0..e.program.protections.len() {
        calm = e.m.and_not(&calm, e.overlap(x))?;
    }
    Ok(calm)
}

/// An action without its violations, and where it has some.
struct Part {
    clean: Rel,
    violating: Bdd,
}

struct Search<'e, 'p> {
    e: &'e Encoding<'p>,
    ladder: Ladder<'e, 'p>,
    calm: Bdd,
    parts: Vec<Part>,
}

impl Search<'_, '_> {
    fn part(&self, n: usize) -> Result<Part, Stop> {
        let (e, m) = (self.e, &self.e.m);
        let rel = &e.actions[n].rel;
        let q = e.q();
        let after = rel.after(m, &q);
        let calm = |bdd: &Bdd| m.and_not(bdd, &q);
        let bad = m.exists(&m.and(&rel.bdd, &after)?, |l| l % 3 == 1)?;
        Ok(Part {
            clean: Rel {
                writes: rel.writes.clone(),
                bdd: calm(&m.and_not(&rel.bdd, &after)?)?,
            },
            // If q is not written, `after` is q itself, and nothing is left of it.
            violating: calm(&bad)?,
        })
    }

    fn mover(&mut self, n: usize, wanted: &[Bdd]) -> Result<Mover, Stop> {
        let e = self.e;
        let action = &e.actions[n];
        let others: Vec<usize> = (0..e.actions.len())
            .filter(|&o| e.actions[o].thread != action.thread)
            .filter(|&o| !action.independent(&e.actions[o]))
            .collect();
        let seen: Vec<&Bdd> = wanted
            .iter()
            .filter(|v| {
                let levels = e.m.support(v);
                let read = |b: &Bit| levels.binary_search(&(3 * *b as usize)).is_ok();
                action.writes.iter().any(read)
            })
            .collect();
        if others.is_empty() && seen.is_empty() {
            return Ok(Mover {
                local: true,
                right: true,
                left: true,
            });
        }
        Ok(Mover {
            local: false,
            right: self.all(n, &others, &seen, Self::is_right, Self::enters)?,
            left: self.all(n, &others, &seen, Self::is_left, Self::leaves)?,
        })
    }

    /// Whether an action passes each test with each other action and set, on the lowest rung of the ladder where that is so.
    fn all(
        &mut self,
        n: usize,
        others: &[usize],
        seen: &[&Bdd],
        with: impl Fn(&Self, usize, usize, &Bdd) -> Result<bool, Stop>,
        set: impl Fn(&Self, usize, &Bdd, &Bdd) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        for &other in others {
            if !self.on_some_rung(|s, j| with(s, n, other, j))? {
                return Ok(false);
            }
        }
        for v in seen {
            if !self.on_some_rung(|s, j| Ok(!set(s, n, v, j)?))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn on_some_rung(
        &mut self,
        holds: impl Fn(&Self, &Bdd) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        for rung in Rung::ALL {
            let j = match (rung, self.ladder.ask(rung)?) {
                (Rung::True, _) => self.e.type_correct(&self.e.all_bits())?,
                (_, Some(j)) => j.clone(),
                (_, None) => continue,
            };
            let j = self.e.m.and(&j, &self.calm)?;
            if holds(self, &j)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether `a` commutes to the right of `b` from the states of J: `a b <= b a`, and `a` neither makes `b` violate the discipline nor does
    /// `b` keep `a` from violating it.
    fn is_right(&self, a: usize, b: usize, j: &Bdd) -> Result<bool, Stop> {
        let m = &self.e.m;
        let (x, y) = (&self.parts[a], &self.parts[b]);
        Ok(self.swaps(&x.clean, &y.clean, j)?
            && !self.leads_into(&x.clean, &y.violating, j)?
            && m.disjoint(
                &y.clean.image(m, &m.and(j, &x.violating)?)?,
                &x.clean.domain(m)?,
            ))
    }

    /// Whether `a` commutes to the left of `b` from the states of J: `b a <= a b`, `b` takes no outcome from `a` nor makes it violate the
    /// discipline, and `a` does not keep `b` from violating it.
    fn is_left(&self, a: usize, b: usize, j: &Bdd) -> Result<bool, Stop> {
        let (x, y) = (&self.parts[a], &self.parts[b]);
        Ok(self.swaps(&y.clean, &x.clean, j)?
            && self.keeps_outcomes(a, &y.clean, j)?
            && !self.leads_into(&y.clean, &x.violating, j)?
            && !self.leads_out_of(&x.clean, &y.violating, j)?)
    }

    /// Whether an action leads from outside a set into it.
    fn enters(&self, a: usize, set: &Bdd, j: &Bdd) -> Result<bool, Stop> {
        self.leads_into(&self.parts[a].clean, set, j)
    }

    /// Whether an action leads out of a set.
    fn leaves(&self, a: usize, set: &Bdd, j: &Bdd) -> Result<bool, Stop> {
        self.leads_out_of(&self.parts[a].clean, set, j)
    }

    fn leads_into(&self, step: &Rel, set: &Bdd, j: &Bdd) -> Result<bool, Stop> {
        let m = &self.e.m;
        let outside = m.and_not(j, set)?;
        Ok(!m.disjoint(&step.image(m, &outside)?, set))
    }

    fn leads_out_of(&self, step: &Rel, set: &Bdd, j: &Bdd) -> Result<bool, Stop> {
        let m = &self.e.m;
        let inside = m.and(j, set)?;
        Ok(!m.within(&step.image(m, &inside)?, set))
    }

    /// `x y <= y x` from the states of J.
    fn swaps(&self, x: &Rel, y: &Rel, j: &Bdd) -> Result<bool, Stop> {
        let m = &self.e.m;
        let left = x.then(m, y)?;
        let left = Rel {
            bdd: m.and(&left.bdd, j)?,
            writes: left.writes,
        };
        if left.is_empty() {
            return Ok(true);
        }
        let right = y.then(m, x)?;
        let (left, right) = (left.widen(m, &right.writes)?, right.widen(m, &left.writes)?);
        Ok(m.within(&left.bdd, &right.bdd))
    }

    /// (4), for actions with several outcomes, too: each step of `a` can also be taken after `step`, and leads to where `step` leads from
    /// its end. With (3) it is enough that for each outcome there is one that agrees on all that `step` does not write, and that
    /// this determines the rest. (The paper's actions have one outcome, so there (4) speaks of the own state only.)
    fn keeps_outcomes(&self, a: usize, step: &Rel, j: &Bdd) -> Result<bool, Stop> {
        let m = &self.e.m;
        let clean = &self.parts[a].clean;
        let written = |b: &Bit| step.writes.binary_search(b).is_ok();
        let both: Vec<Bit> = clean.writes.iter().copied().filter(written).collect();
        let is_both = |l: usize| both.binary_search(&((l / 3) as Bit)).is_ok();
        for &bit in &both {
            let level = 3 * bit as usize + 1;
            let to = |value: bool| {
                let here = m.and(&clean.bdd, &m.cube(&[(level, value)]))?;
                m.exists(&here, |l| l % 3 == 1 && is_both(l))
            };
            if !m.disjoint(&m.and(&to(false)?, j)?, &to(true)?) {
                return Ok(false);
            }
        }
        // The outcome at the third copy, out of the way of what `step` writes.
        let outcomes = m.exists(&clean.bdd, |l| l % 3 == 1 && is_both(l))?;
        let outcomes = m.rename(&outcomes, |l| if l % 3 == 1 { l + 1 } else { l });
        let after = m.rename(&outcomes, |l| {
            let moved = l % 3 == 0 && written(&((l / 3) as Bit));
            if moved { l + 1 } else { l }
        });
        let both = m.and(&m.and(&outcomes, j)?, &step.bdd)?;
        Ok(m.within(&both, &after))
    }
}
