//! Right and left movers, established before they are used.
//!
//! Levin, Palmer, Qadeer and Rajamani 2005, section 3, properties (1)-(4), taken action by action (all edges that leave
//! one location are one action, so a location never offers a mover beside something else). An action that shares
//! nothing with other threads is their thread-local step. Another action is a mover if the properties hold for it, pair
//! by pair, on the states of an inductive invariant in which nothing has been violated.
//!
//! Where it differs from the source: a step that violates the discipline, and a state that a property forbids (or asks
//! for), count as something going wrong in another thread at that moment. So for a set V of states in which that may
//! happen, a right mover must not lead into V from outside, and a left mover not out of it. The effect of a violating
//! step does not matter.

mod conditions;
mod met;

pub use conditions::Under;

use crate::base::control::Stop;
use crate::base::results::Law;
use crate::engine::compiled::{Mover, Movers};
use crate::engine::relations::{Bit, Encoding, Rel};
use crate::model::program::{LocId, ThreadId};
use crate::theorem::invariants::{Ladder, Rung};
use biodivine_lib_bdd::Bdd;
use met::Met;

/// What is said of an action as a mover.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What it is.
    pub mover: Mover,
    /// What keeps it from being a right mover.
    pub right: Vec<Obstacle>,
    /// What keeps it from being a left mover.
    pub left: Vec<Obstacle>,
    /// The actions of other threads that share something with it.
    pub shares: Vec<usize>,
    /// Those of them that can't follow it, and that it can't follow, on the states looked at.
    pub excluded: usize,
    /// The strongest invariant that was needed for what it is.
    pub rung: Rung,
    /// What it is under a condition, if that is more; asked for with all obstacles.
    pub under: Vec<Under>,
}

/// Why an action is no mover in some direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// With what it does not commute.
    pub other: Other,
    /// In which way.
    pub law: Law,
}

/// What an action has to commute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// An action of another thread.
    Action(usize),
    /// A set of states whose reachability matters, by its number.
    Set(usize),
}

/// How much is said of each action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// What it is; of what is in the way of more one thing, for less work.
    Class,
    /// All that is in the way.
    Obstacles,
    /// That, and under which conditions it is more.
    Conditions,
}

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
    for (a, judged) in e.actions.iter().zip(judged(e, wanted, Detail::Class)?) {
        all[a.thread][a.location] = judged.mover;
    }
    Ok(all)
}

/// Says of each action what it is as a mover, and why.
///
/// # Errors
/// Any [`Stop`].
pub fn judged(e: &Encoding, wanted: &[Bdd], detail: Detail) -> Result<Vec<Judged>, Stop> {
    let mut search = MoverSearch::new(e, detail)?;
    let wanted: Vec<Bdd> = wanted
        .iter()
        .map(|v| e.m.and_not(v, &e.q()))
        .collect::<Result<_, Stop>>()?;
    (0..e.actions.len())
        .map(|n| search.judge(n, &wanted))
        .collect()
}

/// Says what these actions are on each rung of the ladder up to one, the lowest first, until it is `enough`: the rung
/// where it is.
///
/// # Errors
/// Any [`Stop`].
pub fn climbed(
    e: &Encoding,
    asked: &[usize],
    highest: Rung,
    enough: &mut dyn FnMut(&[Mover]) -> bool,
) -> Result<Option<Rung>, Stop> {
    let mut search = MoverSearch::new(e, Detail::Class)?;
    for rung in Rung::ALL.into_iter().filter(|r| *r <= highest) {
        // Without states to look at, no law would fail.
        if search.states(rung)?.is_none() {
            continue;
        }
        search.rungs = vec![rung];
        let judged = asked.iter().map(|&n| Ok(search.judge(n, &[])?.mover));
        if enough(&judged.collect::<Result<Vec<Mover>, Stop>>()?) {
            return Ok(Some(rung));
        }
    }
    Ok(None)
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

struct MoverSearch<'e, 'p> {
    e: &'e Encoding<'p>,
    ladder: Ladder<'e, 'p>,
    /// States that are reachable in any case, once they are asked for.
    met: Option<Met>,
    calm: Bdd,
    parts: Vec<Part>,
    detail: Detail,
    /// What is tried, in this order.
    rungs: Vec<Rung>,
}

impl<'e, 'p> MoverSearch<'e, 'p> {
    fn new(e: &'e Encoding<'p>, detail: Detail) -> Result<Self, Stop> {
        let mut search = MoverSearch {
            e,
            ladder: Ladder::new(e),
            met: None,
            calm: calm(e)?,
            parts: Vec::new(),
            detail,
            rungs: Rung::ALL.to_vec(),
        };
        for a in 0..e.actions.len() {
            search.parts.push(search.part(a)?);
        }
        Ok(search)
    }

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

    fn judge(&mut self, n: usize, wanted: &[Bdd]) -> Result<Judged, Stop> {
        let e = self.e;
        let action = &e.actions[n];
        let shares: Vec<usize> = (0..e.actions.len())
            .filter(|&o| e.actions[o].thread != action.thread)
            .filter(|&o| !action.independent(&e.actions[o]))
            .collect();
        let seen: Vec<usize> = (0..wanted.len())
            .filter(|&v| {
                let levels = e.m.support(&wanted[v]);
                let read = |b: &Bit| levels.binary_search(&(3 * *b as usize)).is_ok();
                action.writes.iter().any(read)
            })
            .collect();
        let mut judged = Judged {
            mover: Mover::default(),
            right: Vec::new(),
            left: Vec::new(),
            shares,
            excluded: 0,
            rung: Rung::True,
            under: Vec::new(),
        };
        let all = self.detail >= Detail::Obstacles;
        let place = |a: usize| (e.actions[a].thread, e.actions[a].location);
        for &other in &judged.shares {
            let places = &[place(n), place(other)];
            let (right, up) = self.climb(judged.right.is_empty() || all, places, |s, j| {
                s.is_right(n, other, j)
            })?;
            let (left, down) = self.climb(judged.left.is_empty() || all, places, |s, j| {
                s.is_left(n, other, j)
            })?;
            let obstacle = |law: Law| Obstacle {
                other: Other::Action(other),
                law,
            };
            judged.right.extend(right.map(obstacle));
            judged.left.extend(left.map(obstacle));
            judged.rung = judged.rung.max(up).max(down);
            if all && self.is_excluded(n, other)? {
                judged.excluded += 1;
            }
        }
        for v in seen {
            let set = &wanted[v];
            let places = &[place(n)];
            let (right, up) = self.climb(judged.right.is_empty() || all, places, |s, j| {
                Ok(s.enters(n, set, j)?.then_some(Law::Enters))
            })?;
            let (left, down) = self.climb(judged.left.is_empty() || all, places, |s, j| {
                Ok(s.leaves(n, set, j)?.then_some(Law::Leaves))
            })?;
            let obstacle = |law: Law| Obstacle {
                other: Other::Set(v),
                law,
            };
            judged.right.extend(right.map(obstacle));
            judged.left.extend(left.map(obstacle));
            judged.rung = judged.rung.max(up).max(down);
        }
        judged.mover = Mover {
            local: judged.shares.is_empty() && judged.right.is_empty() && judged.left.is_empty(),
            right: judged.right.is_empty(),
            left: judged.left.is_empty(),
        };
        if self.detail == Detail::Conditions && wanted.is_empty() {
            judged.under = self.under(n, &judged)?;
        }
        Ok(judged)
    }

    /// The law that fails on every rung of the ladder, if one does, or the lowest rung on which none fails. Nothing is
    /// asked if it is not `asked`. The steps that the law is about begin at these places.
    fn climb(
        &mut self,
        asked: bool,
        places: &[(ThreadId, LocId)],
        fails: impl Fn(&Self, &Bdd) -> Result<Option<Law>, Stop>,
    ) -> Result<(Option<Law>, Rung), Stop> {
        let rungs = self.rungs.clone();
        let (mut law, mut met) = (None, None);
        for (n, &rung) in rungs.iter().enumerate().filter(|_| asked) {
            // What holds on more states holds on those of the rung.
            if rung == Rung::ThreadModular
                && let Some(more) = self.ladder.controlled()?.cloned()
                && fails(self, &self.e.m.and(&more, &self.calm)?)?.is_none()
            {
                return Ok((None, rung));
            }
            let Some(j) = self.states(rung)? else {
                continue;
            };
            law = fails(self, &j)?;
            if law.is_none() {
                return Ok((None, rung));
            }
            if n + 1 == rungs.len() {
                break;
            }
            if met.is_none() {
                let some = self.met(places)?;
                met = Some(fails(self, &some)?);
            }
            // Laws are looked at in turn, so one that is the first to fail here and at reachable states is so on all
            // rungs between.
            if met == Some(law) {
                break;
            }
        }
        Ok((law, Rung::True))
    }

    /// Some reachable states in which threads are at these places, and nothing has been violated.
    fn met(&mut self, places: &[(ThreadId, LocId)]) -> Result<Bdd, Stop> {
        if self.met.is_none() {
            self.met = Some(Met::new(self.e)?);
        }
        let states = match &self.met {
            Some(met) => met.at(self.e, places)?,
            None => self.e.m.no(),
        };
        self.e.m.and(&states, &self.calm)
    }

    /// The states of a rung in which nothing has been violated.
    fn states(&mut self, rung: Rung) -> Result<Option<Bdd>, Stop> {
        let j = match (rung, self.ladder.ask(rung)?) {
            (Rung::True, _) => self.e.type_correct(&self.e.all_bits())?,
            (_, Some(j)) => j.clone(),
            (_, None) => return Ok(None),
        };
        Ok(Some(self.e.m.and(&j, &self.calm)?))
    }

    /// Whether neither of two actions ever follows the other at once, on some rung.
    fn is_excluded(&mut self, a: usize, b: usize) -> Result<bool, Stop> {
        let apart = |s: &Self, j: &Bdd| {
            let m = &s.e.m;
            let (x, y) = (&s.parts[a].clean, &s.parts[b].clean);
            let one = m.disjoint(&x.image(m, j)?, &y.domain(m)?);
            let other = m.disjoint(&y.image(m, j)?, &x.domain(m)?);
            Ok((!(one && other)).then_some(Law::Right))
        };
        let place = |n: usize| (self.e.actions[n].thread, self.e.actions[n].location);
        let places = [place(a), place(b)];
        Ok(self.climb(true, &places, apart)?.0.is_none())
    }

    /// Whether `a` commutes to the right of `b` from the states of J, or which law fails.
    fn is_right(&self, a: usize, b: usize, j: &Bdd) -> Result<Option<Law>, Stop> {
        let m = &self.e.m;
        let (x, y) = (&self.parts[a], &self.parts[b]);
        if !self.swaps(&x.clean, &y.clean, j)? {
            return Ok(Some(Law::Right));
        }
        if self.leads_into(&x.clean, &y.violating, j)? {
            return Ok(Some(Law::RightViolation));
        }
        let behind = y.clean.image(m, &m.and(j, &x.violating)?)?;
        Ok((!m.disjoint(&behind, &x.clean.domain(m)?)).then_some(Law::RightHidden))
    }

    /// Whether `a` commutes to the left of `b` from the states of J, or which law fails.
    fn is_left(&self, a: usize, b: usize, j: &Bdd) -> Result<Option<Law>, Stop> {
        let (x, y) = (&self.parts[a], &self.parts[b]);
        if !self.swaps(&y.clean, &x.clean, j)? {
            return Ok(Some(Law::Left));
        }
        if !self.keeps_outcomes(a, &y.clean, j)? {
            return Ok(Some(Law::Outcome));
        }
        if self.leads_into(&y.clean, &x.violating, j)? {
            return Ok(Some(Law::LeftViolation));
        }
        Ok(self
            .leads_out_of(&x.clean, &y.violating, j)?
            .then_some(Law::LeftHidden))
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

    /// (4), for actions with several outcomes, too: each step of `a` can also be taken after `step`, and leads to where
    /// `step` leads from its end. With (3) it is enough that for each outcome there is one that agrees on all that
    /// `step` does not write, and that this determines the rest. (The paper's actions have one outcome, so there (4)
    /// speaks of the own state only.)
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
