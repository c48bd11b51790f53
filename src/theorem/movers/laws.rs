//! Where the laws of movers fail: as sets of states, which are the same on every rung of the ladder. A law fails on a
//! rung if the two sets meet.

use super::MoverSearch;
use crate::base::control::Stop;
use crate::base::results::Law;
use crate::engine::relations::{Bit, Rel};
use biodivine_lib_bdd::Bdd;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What an action has to obey to commute to the right of another.
pub(super) const RIGHT: [Law; 3] = [Law::Right, Law::RightViolation, Law::RightHidden];

/// What it has to obey to commute to the left.
pub(super) const LEFT: [Law; 4] = [Law::Left, Law::Outcome, Law::LeftViolation, Law::LeftHidden];

/// What laws are about.
pub(super) enum About<'a> {
    /// An action and another.
    Pair([usize; 2]),
    /// These actions, and the states in which the law fails.
    States(&'a [usize], Rc<Bdd>),
}

impl About<'_> {
    /// The actions whose steps they are about.
    pub(super) fn actions(&self) -> &[usize] {
        match self {
            About::Pair(pair) => pair,
            About::States(actions, _) => actions,
        }
    }
}

/// Two actions one after the other, in both orders, and where laws about them fail, as far as it was asked for.
pub(super) struct Broken {
    of: (usize, usize),
    there: Bdd,
    back: Bdd,
    known: FxHashMap<(Law, usize), Rc<Bdd>>,
}

impl Broken {
    /// `a b` and not `b a`.
    fn orders(&self, a: usize) -> (&Bdd, &Bdd) {
        match a == self.of.0 {
            true => (&self.there, &self.back),
            false => (&self.back, &self.there),
        }
    }
}

impl MoverSearch<'_, '_> {
    /// Whether `a` commutes to the right of `b` from these states.
    pub(super) fn is_right(&self, a: usize, b: usize, from: &Bdd) -> Result<bool, Stop> {
        let pair = About::Pair([a, b]);
        Ok(self.first_broken(&pair, &RIGHT, from)?.is_none())
    }

    /// Whether `a` commutes to the left of `b` from these states.
    pub(super) fn is_left(&self, a: usize, b: usize, from: &Bdd) -> Result<bool, Stop> {
        let pair = About::Pair([a, b]);
        Ok(self.first_broken(&pair, &LEFT, from)?.is_none())
    }

    /// The first law that fails at one of these states.
    pub(super) fn first_broken(
        &self,
        about: &About,
        laws: &[Law],
        from: &Bdd,
    ) -> Result<Option<Law>, Stop> {
        let m = &self.e.m;
        for &law in laws {
            let bounds = self.bounds(law, about)?;
            let may_fail = bounds.iter().flatten().all(|b| !m.disjoint(b, from));
            if may_fail && !m.disjoint(&*self.broken(law, about)?, from) {
                return Ok(Some(law));
            }
        }
        Ok(None)
    }

    /// Sets that contain the states in which a law fails, and cost little.
    pub(super) fn bounds(&self, law: Law, about: &About) -> Result<[Option<&Bdd>; 2], Stop> {
        let About::Pair([a, b]) = about else {
            return Ok([None, None]);
        };
        let m = &self.e.m;
        let (x, y) = (&self.parts[*a], &self.parts[*b]);
        Ok(match law {
            Law::Outcome => [Some(x.enabled(m)?), Some(y.enabled(m)?)],
            Law::RightHidden => [Some(&x.violating), None],
            Law::LeftHidden => [Some(&y.violating), None],
            _ => [None, None],
        })
    }

    /// The states in which a law fails.
    pub(super) fn broken(&self, law: Law, about: &About) -> Result<Rc<Bdd>, Stop> {
        match about {
            About::Pair([a, b]) => self.broken_by(law, (*a, *b)),
            About::States(_, states) => Ok(Rc::clone(states)),
        }
    }

    /// The states in which a law of `a` and `b` fails.
    pub(super) fn broken_by(&self, law: Law, (a, b): (usize, usize)) -> Result<Rc<Bdd>, Stop> {
        // These are laws of the other action as well.
        let (law, a, b) = match law {
            Law::Left => (Law::Right, b, a),
            Law::LeftViolation => (Law::RightViolation, b, a),
            law => (law, a, b),
        };
        let of = (a.min(b), a.max(b));
        let mut last = self.broken.borrow_mut();
        if last.as_ref().is_none_or(|broken| broken.of != of) {
            *last = Some(self.composed(of)?);
        }
        let Some(broken) = last.as_mut() else {
            return Ok(Rc::new(self.e.m.no()));
        };
        if let Some(known) = broken.known.get(&(law, a)) {
            return Ok(Rc::clone(known));
        }
        let m = &self.e.m;
        let (x, y) = (&self.parts[a], &self.parts[b]);
        let states = match law {
            Law::Outcome => self.lost(&x.clean, &y.clean)?,
            Law::RightViolation => self.leads_into(&x.clean, &y.violating)?,
            Law::RightHidden => m.and(&y.clean.preimage(m, x.enabled(m)?)?, &x.violating)?,
            Law::LeftHidden => self.leads_out_of(&x.clean, &y.violating)?,
            // Of an action and a set.
            Law::Enters | Law::Leaves => m.no(),
            Law::Right | Law::Left | Law::LeftViolation => {
                let (one, other) = broken.orders(a);
                m.and_exists(one, &other.not(), |l| l % 3 != 0)?
            }
        };
        let states = Rc::new(states);
        broken.known.insert((law, a), Rc::clone(&states));
        Ok(states)
    }

    /// Two actions one after the other.
    fn composed(&self, of: (usize, usize)) -> Result<Broken, Stop> {
        let m = &self.e.m;
        let (x, y) = (&self.parts[of.0].clean, &self.parts[of.1].clean);
        let (there, back) = (x.then(m, y)?, y.then(m, x)?);
        Ok(Broken {
            of,
            there: there.widen(m, &back.writes)?.bdd,
            back: back.widen(m, &there.writes)?.bdd,
            known: FxHashMap::default(),
        })
    }

    /// The states outside a set from which a step leads into it.
    pub(super) fn leads_into(&self, step: &Rel, set: &Bdd) -> Result<Bdd, Stop> {
        let m = &self.e.m;
        m.and_not(&step.preimage(m, set)?, set)
    }

    /// The states in a set from which a step leads out of it.
    pub(super) fn leads_out_of(&self, step: &Rel, set: &Bdd) -> Result<Bdd, Stop> {
        let m = &self.e.m;
        m.and(set, &step.preimage(m, &set.not())?)
    }

    /// Where (4) fails, for actions with several outcomes, too: each step of `clean` can also be taken after `step`,
    /// and leads to where `step` leads from its end. With (3) it is enough that for each outcome there is one that
    /// agrees on all that `step` does not write, and that this determines the rest. (The paper's actions have one
    /// outcome, so there (4) speaks of the own state only.)
    fn lost(&self, clean: &Rel, step: &Rel) -> Result<Bdd, Stop> {
        let m = &self.e.m;
        let written = |b: &Bit| step.writes.binary_search(b).is_ok();
        let both: Vec<Bit> = clean.writes.iter().copied().filter(written).collect();
        let is_both = |l: usize| both.binary_search(&((l / 3) as Bit)).is_ok();
        let mut lost = m.no();
        for &bit in &both {
            let level = 3 * bit as usize + 1;
            let to = |value: bool| {
                let here = m.and(&clean.bdd, &m.cube(&[(level, value)]))?;
                m.exists(&here, |l| l % 3 == 1 && is_both(l))
            };
            let undetermined = m.and_exists(&to(false)?, &to(true)?, |l| l % 3 != 0)?;
            lost = m.or(&lost, &undetermined)?;
        }
        // The outcome at the third copy, out of the way of what `step` writes.
        let outcomes = m.exists(&clean.bdd, |l| l % 3 == 1 && is_both(l))?;
        let outcomes = m.rename(&outcomes, |l| if l % 3 == 1 { l + 1 } else { l });
        let after = m.rename(&outcomes, |l| {
            let moved = l % 3 == 0 && written(&((l / 3) as Bit));
            if moved { l + 1 } else { l }
        });
        let taken = m.and(&outcomes, &step.bdd)?;
        m.or(&lost, &m.and_exists(&taken, &after.not(), |l| l % 3 != 0)?)
    }
}
