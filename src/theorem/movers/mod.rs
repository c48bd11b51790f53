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

mod branches;
mod candidates;
mod conditions;
mod exchange;
mod laws;
mod met;

pub use branches::{Branch, branches};
pub use conditions::{Shared, Under};

use crate::base::control::Stop;
use crate::base::results::Law;
use crate::engine::compiled::{Mover, Movers};
use crate::engine::relations::{Bdds, Bit, Encoding, Rel};
use crate::model::program::{LocId, ThreadId};
use crate::theorem::exchanges::Exchanges;
use crate::theorem::invariants::{Budgets, Ladder, Rung, Step};
use biodivine_lib_bdd::{Bdd, BddValuation};
use laws::{About, Broken, LEFT, RIGHT};
use met::Met;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

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
    /// What it is under conditions, if that is more; asked for with all obstacles. The weakest condition comes first.
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
    MoverSearch::new(e, detail, Budgets::under(e.m.control()))?.all(wanted)
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
    /// Where `clean` leads from, once it is asked for.
    enabled: OnceCell<Bdd>,
    violating: Bdd,
}

impl Part {
    fn enabled(&self, m: &Bdds) -> Result<&Bdd, Stop> {
        if let Some(known) = self.enabled.get() {
            return Ok(known);
        }
        let enabled = self.clean.domain(m)?;
        Ok(self.enabled.get_or_init(|| enabled))
    }
}

/// An action up to an exchange of threads.
type Kind = (ThreadId, LocId);

/// What is known of a law. Each step of the ladder is within those below.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The lowest step on which no law is known to fail.
    holds: Option<Step>,
    /// The highest on which one does.
    fails: Option<(Step, Law)>,
}

/// Of what something is known already that can't be mended.
const NOT_ASKED: (Option<Law>, Rung) = (None, Rung::True);

/// The search for movers: pairs of actions that have been compared, and the invariants for that.
pub struct MoverSearch<'e, 'p> {
    e: &'e Encoding<'p>,
    ladder: Ladder<'e, 'p>,
    /// States that are reachable in any case, once they are asked for.
    met: Option<Met>,
    calm: Bdd,
    parts: Vec<Part>,
    /// Where laws about two actions fail: what was composed last is asked for again, both ways and on each rung.
    broken: RefCell<Option<Broken>>,
    /// The states of steps of the ladder in which nothing has been violated.
    states: FxHashMap<Step, Rc<Bdd>>,
    detail: Detail,
    /// What is tried, in this order.
    steps: Vec<Step>,
    exchanges: Exchanges,
    /// By two actions, and whether the first is to move right.
    pairs: FxHashMap<(Kind, Kind, bool), Known>,
}

impl<'e, 'p> MoverSearch<'e, 'p> {
    /// Nothing compared yet; what the rungs of the ladder may cost.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn new(e: &'e Encoding<'p>, detail: Detail, budgets: Budgets) -> Result<Self, Stop> {
        let mut search = MoverSearch {
            e,
            ladder: Ladder::within(e, budgets),
            met: None,
            calm: calm(e)?,
            parts: Vec::new(),
            broken: RefCell::default(),
            states: FxHashMap::default(),
            detail,
            steps: Step::ALL.to_vec(),
            exchanges: Exchanges::new(e.program),
            pairs: FxHashMap::default(),
        };
        for a in 0..e.actions.len() {
            search.parts.push(search.part(&e.actions[a].rel)?);
        }
        Ok(search)
    }

    /// Says of each action what it is, and why.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn all(&mut self, wanted: &[Bdd]) -> Result<Vec<Judged>, Stop> {
        let e = self.e;
        let calm = |v: &Bdd| e.m.and_not(v, &e.q());
        let wanted: Vec<Bdd> = wanted.iter().map(calm).collect::<Result<_, Stop>>()?;
        (0..e.actions.len())
            .map(|n| self.judge(n, &wanted))
            .collect()
    }

    fn part(&self, rel: &Rel) -> Result<Part, Stop> {
        let m = &self.e.m;
        let q = self.e.q();
        let after = rel.after(m, &q);
        let calm = |bdd: &Bdd| m.and_not(bdd, &q);
        let bad = m.exists(&m.and(&rel.bdd, &after)?, |l| l % 3 == 1)?;
        let clean = Rel {
            writes: rel.writes.clone(),
            bdd: calm(&m.and_not(&rel.bdd, &after)?)?,
        };
        Ok(Part {
            enabled: OnceCell::new(),
            clean,
            // If q is not written, `after` is q itself, and nothing is left of it.
            violating: calm(&bad)?,
        })
    }

    /// What these actions are on each of these rungs of the ladder, in this order, until it is `enough`: the rung where
    /// it is.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn climbed(
        &mut self,
        asked: &[usize],
        rungs: &[Rung],
        enough: &mut dyn FnMut(&[Mover]) -> bool,
    ) -> Result<Option<Rung>, Stop> {
        let all = std::mem::take(&mut self.steps);
        let found = rungs.iter().find_map(|&rung| {
            let of_rung = Step::ALL.into_iter().filter(|s| s.rung() == rung);
            let known = of_rung.filter_map(|step| match self.states(step) {
                Ok(Some(_)) => Some(Ok(step)),
                Ok(None) => None,
                Err(stop) => Some(Err(stop)),
            });
            match known.collect::<Result<Vec<Step>, Stop>>() {
                // Without states to look at, no law would fail.
                Ok(steps) if steps.is_empty() => return None,
                Ok(steps) => self.steps = steps,
                Err(stop) => return Some(Err(stop)),
            }
            let judged = asked.iter().map(|&n| Ok(self.judge(n, &[])?.mover));
            match judged.collect::<Result<Vec<Mover>, Stop>>() {
                Ok(movers) => enough(&movers).then_some(Ok(rung)),
                Err(stop) => Some(Err(stop)),
            }
        });
        self.steps = all;
        found.transpose()
    }

    /// What an action is; `wanted` are sets of states whose reachability matters.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn judge(&mut self, n: usize, wanted: &[Bdd]) -> Result<Judged, Stop> {
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
        for &other in &judged.shares {
            let (right, up) = match judged.right.is_empty() || all {
                true => self.past((n, other), true)?,
                false => NOT_ASKED,
            };
            let (left, down) = match judged.left.is_empty() || all {
                true => self.past((n, other), false)?,
                false => NOT_ASKED,
            };
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
            let step = &self.parts[n].clean;
            let (right, up) = match judged.right.is_empty() || all {
                true => {
                    let enters = About::States(&[n], Rc::new(self.leads_into(step, set)?));
                    self.climb(&enters, &mut Known::default(), &[Law::Enters])?
                }
                false => NOT_ASKED,
            };
            let step = &self.parts[n].clean;
            let (left, down) = match judged.left.is_empty() || all {
                true => {
                    let leaves = About::States(&[n], Rc::new(self.leads_out_of(step, set)?));
                    self.climb(&leaves, &mut Known::default(), &[Law::Leaves])?
                }
                false => NOT_ASKED,
            };
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

    /// The law that keeps an action from moving past another on every rung, if one does, or the lowest rung on which
    /// none does. What is known of others that threads may be exchanged for is known of these.
    fn past(
        &mut self,
        (n, other): (usize, usize),
        right: bool,
    ) -> Result<(Option<Law>, Rung), Stop> {
        let key = (self.kind(n), self.kind(other), right);
        let laws: &[Law] = if right { &RIGHT } else { &LEFT };
        let known = self.pairs.get(&key).copied();
        let mut known = known.map_or_else(|| self.compared(n, other), Ok)?;
        let found = self.climb(&About::Pair([n, other]), &mut known, laws)?;
        self.pairs.insert(key, known);
        Ok(found)
    }

    /// What is known of two actions at first: if they commute on all states, they obey all laws, both ways.
    fn compared(&mut self, n: usize, other: usize) -> Result<Known, Stop> {
        let commute = self.e.undisturbed(&[n], &[other])?;
        let known = Known {
            holds: commute.then_some(Step::True),
            fails: None,
        };
        let (one, two) = (self.kind(n), self.kind(other));
        for right in [true, false] {
            self.pairs.entry((one, two, right)).or_insert(known);
            self.pairs.entry((two, one, right)).or_insert(known);
        }
        Ok(known)
    }

    fn kind(&self, n: usize) -> Kind {
        let action = &self.e.actions[n];
        (self.exchanges.first(action.thread), action.location)
    }

    /// The law that fails on every rung of the ladder, if one does, or the lowest rung on which none fails.
    fn climb(
        &mut self,
        about: &About,
        known: &mut Known,
        laws: &[Law],
    ) -> Result<(Option<Law>, Rung), Stop> {
        let steps = self.steps.clone();
        let (mut law, mut met) = (None, None);
        for &step in &steps {
            if known.holds.is_some_and(|from| from <= step) {
                return Ok((None, step.rung()));
            }
            if let Some((_, failed)) = known.fails.filter(|(to, _)| *to >= step) {
                law = Some(failed);
                continue;
            }
            // A law that fails at reachable states fails on all rungs, which contain them. Laws are looked at in turn,
            // so it is the one that is told if none before it fails. The first that fails anywhere has states met.
            if met.is_none() && self.met.is_some() {
                met = Some(self.met(about, laws)?);
            }
            let (before, failing) = met.unwrap_or((laws.len(), None));
            if before > 0 {
                let Some(j) = self.states(step)? else {
                    continue;
                };
                law = self.first_broken(about, &laws[..before], &j)?;
            }
            let Some(failed) = law.or(failing) else {
                known.holds = Some(step);
                return Ok((None, step.rung()));
            };
            if met.is_none() && steps.last() != Some(&step) {
                met = Some(self.met(about, laws)?);
            }
            let everywhere = met.is_some_and(|(_, failing)| failing == Some(failed));
            let top = if everywhere { steps.last() } else { None };
            known.fails = Some((*top.unwrap_or(&step), failed));
            law = Some(failed);
        }
        Ok((law, Rung::True))
    }

    /// The first law that fails at some states that are reachable in any case, in which these actions may be taken next
    /// and nothing has been violated; and how many come before it.
    fn met(&mut self, about: &About, laws: &[Law]) -> Result<(usize, Option<Law>), Stop> {
        if self.met.is_none() {
            self.met = Some(Met::new(self.e, &self.calm)?);
        }
        let place = |n: &usize| (self.e.actions[*n].thread, self.e.actions[*n].location);
        let places: Vec<(ThreadId, LocId)> = about.actions().iter().map(place).collect();
        let Some(met) = &self.met else {
            return Ok((laws.len(), None));
        };
        let states = met.at(&places);
        for (n, &law) in laws.iter().enumerate() {
            let bounds = self.bounds(law, about)?;
            let may_fail = |s: &&&BddValuation| bounds.iter().flatten().all(|b| b.eval_in(s));
            let states: Vec<&&BddValuation> = states.iter().filter(may_fail).collect();
            if states.is_empty() {
                continue;
            }
            let bad = self.broken(law, about)?;
            if states.iter().any(|s| bad.eval_in(s)) {
                return Ok((n, Some(law)));
            }
        }
        Ok((laws.len(), None))
    }

    /// The states of a step of the ladder in which nothing has been violated.
    fn states(&mut self, step: Step) -> Result<Option<Rc<Bdd>>, Stop> {
        if let Some(known) = self.states.get(&step) {
            return Ok(Some(Rc::clone(known)));
        }
        let j = match (step, self.ladder.step(step)?) {
            (Step::True, _) => &self.e.type_correct(&self.e.all_bits())?,
            (_, Some(j)) => j,
            (_, None) => return Ok(None),
        };
        let states = Rc::new(self.e.m.and(j, &self.calm)?);
        self.states.insert(step, Rc::clone(&states));
        Ok(Some(states))
    }

    /// The states of the strongest rung that can be had, in which nothing has been violated, and which it is.
    fn strongest(&mut self) -> Result<(Rc<Bdd>, Rung), Stop> {
        let mut known = (Rc::new(self.calm.clone()), Rung::True);
        for step in Step::ALL {
            if let Some(j) = self.states(step)? {
                known = (j, step.rung());
            }
        }
        Ok(known)
    }

    /// Whether a thread may come to one of these locations, for all that is known of reachable states.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn may_reach(&mut self, thread: ThreadId, locations: &[LocId]) -> Result<bool, Stop> {
        let (known, _) = self.strongest()?;
        let mut all = locations.iter();
        Ok(all.any(|&l| !self.e.m.disjoint(&known, &self.e.at(thread, l))))
    }

    /// Whether neither of two actions ever follows the other at once, on some rung.
    fn is_excluded(&mut self, a: usize, b: usize) -> Result<bool, Stop> {
        let m = &self.e.m;
        let (x, y) = (&self.parts[a], &self.parts[b]);
        let one = x.clean.preimage(m, y.enabled(m)?)?;
        let other = y.clean.preimage(m, x.enabled(m)?)?;
        // It is told as if it were a law of two actions.
        let follows = About::States(&[a, b], Rc::new(m.or(&one, &other)?));
        let (law, _) = self.climb(&follows, &mut Known::default(), &[Law::Right])?;
        Ok(law.is_none())
    }

    /// Has an action be this; what it was before.
    fn replace(&mut self, n: usize, part: Part) -> Part {
        self.broken.take();
        std::mem::replace(&mut self.parts[n], part)
    }
}
