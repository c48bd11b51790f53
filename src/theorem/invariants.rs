//! The ladder of inductive invariants J, cheapest first.
//!
//! The hypotheses of a theorem are judged on all type-correct states that satisfy an inductive invariant of the
//! original program. Each rung of the ladder is such an invariant, and each is stronger than the one below: no
//! invariant at all; who owns which lock where (`ownership`); each thread with the shared variables (`thread_modular`);
//! the user's lemmas (`lemmas`); the exact reachable states (`reachable`). A rung is computed when it is first asked
//! for.
//!
//! None but the last says anything about q or looks at a discipline: they are computed from steps without q, so nothing
//! that an annotation claims is assumed. Every one is closed under every step, whatever q; debug builds check it.

pub(super) mod excluded;
pub(super) mod lemmas;
mod ownership;
pub(super) mod reachable;
mod thread_modular;

use self::lemmas::{Fate, Judged};
use self::ownership::Ownership;
use self::reachable::reachable;
use self::thread_modular::Modular;
use crate::base::control::{Control, Stop};
pub use crate::base::results::Rung;
use crate::base::results::Unavailable;
use crate::engine::Variable;
use crate::engine::relations::{Bit, Encoding, Item, Q, Rel};
use crate::model::program::Class;
use biodivine_lib_bdd::Bdd;

/// What is asked of the ladder in turn, cheapest first: its rungs, the thread-modular one after a weaker set that is
/// had sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// All type-correct states.
    True,
    /// Who owns which lock where.
    LockOwnership,
    /// Each thread with the shared variables but data.
    Controlled,
    /// Each thread with the shared variables.
    ThreadModular,
    /// The user's lemmas.
    Lemmas,
    /// The reachable states.
    Reachable,
}

impl Step {
    /// All of them, the lowest first.
    pub const ALL: [Step; 6] = [
        Step::True,
        Step::LockOwnership,
        Step::Controlled,
        Step::ThreadModular,
        Step::Lemmas,
        Step::Reachable,
    ];

    /// The rung that it belongs to.
    pub fn rung(self) -> Rung {
        match self {
            Step::True => Rung::True,
            Step::LockOwnership => Rung::LockOwnership,
            Step::Controlled | Step::ThreadModular => Rung::ThreadModular,
            Step::Lemmas => Rung::Lemmas,
            Step::Reachable => Rung::Reachable,
        }
    }
}

/// Work that may be done for a rung before it is given up, in pairs of nodes looked at, and what is data.
#[derive(Clone, Copy, Debug)]
pub struct Budgets {
    /// For lock ownership.
    pub ownership: u64,
    /// For the thread-modular fixpoint without shared data.
    pub controlled: u64,
    /// A shared variable of more values than that is data.
    pub few: i64,
    /// For the thread-modular fixpoint.
    pub modular: u64,
    /// Before the reachable states are asked for: where these are had, it says nothing that they do not say, and may
    /// cost much more.
    pub modular_first: u64,
    /// For the reachable states.
    pub reachable: u64,
    /// On BDDs, before other engines are asked.
    pub reachable_first: u64,
}

impl Default for Budgets {
    fn default() -> Self {
        Budgets {
            ownership: 1 << 25,
            controlled: 1 << 24,
            few: 2,
            modular: 1 << 26,
            modular_first: 1 << 23,
            reachable: 1 << 26,
            reachable_first: 1 << 18,
        }
    }
}

impl Budgets {
    /// What rungs may cost under this control. Where another explores the program in full meanwhile, the reachable
    /// states would come too late.
    pub fn under(control: &Control) -> Self {
        let all = Budgets::default();
        match control.is_beside_another() {
            true => Budgets {
                reachable: 1 << 20,
                ..all
            },
            false => all,
        }
    }

    /// Only what is had soon.
    pub fn soon() -> Self {
        Budgets {
            modular: 0,
            reachable: 0,
            ..Budgets::default()
        }
    }
}

/// What became of a rung.
#[derive(Clone, Debug)]
enum Known<T> {
    /// Not asked for yet.
    Unasked,
    /// An invariant stronger than those below.
    Stronger(T),
    /// It says no more than what is known below.
    Same,
    /// It could not be had, for this reason.
    Unknown(Unavailable),
}

/// The invariants of one program, as far as they have been asked for.
pub struct Ladder<'e, 'p> {
    encoding: &'e Encoding<'p>,
    budgets: Budgets,
    steps: Vec<Rel>,
    everywhere: Option<Bdd>,
    ownership: Known<Ownership>,
    controlled: Known<Modular>,
    modular: Known<Modular>,
    lemmas: Known<Bdd>,
    judged: Option<Judged>,
    reachable: Known<Bdd>,
}

impl<'e, 'p> Ladder<'e, 'p> {
    /// The ladder of a program, nothing computed yet.
    pub fn new(encoding: &'e Encoding<'p>) -> Self {
        Ladder::within(encoding, Budgets::under(encoding.m.control()))
    }

    /// The same with other budgets.
    pub fn within(encoding: &'e Encoding<'p>, budgets: Budgets) -> Self {
        Ladder {
            encoding,
            budgets,
            steps: Vec::new(),
            everywhere: None,
            ownership: Known::Unasked,
            controlled: Known::Unasked,
            modular: Known::Unasked,
            lemmas: Known::Unasked,
            judged: None,
            reachable: Known::Unasked,
        }
    }

    /// The program.
    pub(super) fn encoding(&self) -> &'e Encoding<'p> {
        self.encoding
    }

    /// The invariant of a rung, computed if that has not been tried yet; `None` if it is not known, or no stronger than
    /// what is known below (as `True` always is). A node limit hit on the way is an answer: it is not known.
    ///
    /// # Errors
    /// Any other [`Stop`].
    pub fn ask(&mut self, rung: Rung) -> Result<Option<&Bdd>, Stop> {
        match rung {
            Rung::True => {}
            Rung::LockOwnership => self.ask_ownership()?,
            Rung::ThreadModular => self.ask_modular()?,
            Rung::Lemmas => self.ask_lemmas()?,
            Rung::Reachable => self.ask_reachable()?,
        }
        Ok(self.known(rung))
    }

    /// The invariant of a rung if it has been computed and says more than those below; of the thread-modular one the
    /// weaker set, if it has not been asked for more.
    pub fn known(&self, rung: Rung) -> Option<&Bdd> {
        match rung {
            Rung::True => None,
            Rung::LockOwnership => self.ownership().map(|o| &o.set),
            Rung::ThreadModular => self.modular().map(|m| &m.set),
            Rung::Lemmas => known(&self.lemmas),
            Rung::Reachable => known(&self.reachable),
        }
    }

    /// The invariant of a step, as [`Ladder::ask`].
    ///
    /// # Errors
    /// As [`Ladder::ask`].
    pub fn step(&mut self, step: Step) -> Result<Option<&Bdd>, Stop> {
        match step {
            Step::Controlled => self.controlled(),
            _ => self.ask(step.rung()),
        }
    }

    /// The strongest invariant known on the rungs up to this one, computed as far as that has not been tried yet.
    ///
    /// # Errors
    /// As [`Ladder::ask`].
    pub fn strongest(&mut self, rung: Rung) -> Result<Bdd, Stop> {
        for &below in Rung::ALL.iter().rev().filter(|r| **r <= rung) {
            if let Some(set) = self.ask(below)? {
                return Ok(set.clone());
            }
        }
        self.everywhere()
    }

    /// The invariant that rests what was settled on the rungs up to this one, and no higher.
    ///
    /// # Errors
    /// As [`Ladder::ask`].
    pub fn rested_on(&mut self, rung: Rung) -> Result<Bdd, Stop> {
        match self.known(rung) {
            Some(set) => Ok(set.clone()),
            None => self.strongest(rung),
        }
    }

    /// Why a rung could not be had, if that was tried.
    pub fn unknown(&self, rung: Rung) -> Option<Unavailable> {
        match rung {
            Rung::True => None,
            Rung::LockOwnership => reason(&self.ownership),
            Rung::ThreadModular => reason(&self.modular),
            Rung::Lemmas => reason(&self.lemmas),
            Rung::Reachable => reason(&self.reachable),
        }
    }

    /// What is known of lock ownership.
    pub(super) fn ownership(&self) -> Option<&Ownership> {
        known(&self.ownership)
    }

    /// What is known of each thread with the shared variables.
    pub(super) fn modular(&self) -> Option<&Modular> {
        match &self.modular {
            Known::Unasked => known(&self.controlled),
            asked => known(asked),
        }
    }

    /// What has become of the lemmas, in the order of the program; asks for them.
    ///
    /// # Errors
    /// As [`Ladder::ask`].
    pub(super) fn judged(&mut self) -> Result<Option<&Judged>, Stop> {
        self.ask_lemmas()?;
        Ok(self.judged.as_ref())
    }

    /// The states in which a lemma holds that is part of the invariant, with its name.
    pub(super) fn lemmas_in_use(&self) -> impl Iterator<Item = (&str, &Bdd)> {
        let judged = self.judged.iter().flat_map(|j| &j.lemmas);
        judged
            .filter(|l| matches!(l.fate, Fate::Inductive))
            .map(|l| (l.name.as_str(), &l.holds))
    }

    fn everywhere(&mut self) -> Result<Bdd, Stop> {
        if self.everywhere.is_none() {
            self.everywhere = Some(self.encoding.type_correct(&self.encoding.all_bits())?);
        }
        Ok(self
            .everywhere
            .clone()
            .unwrap_or_else(|| self.encoding.m.yes()))
    }

    fn prepare(&mut self) -> Result<(), Stop> {
        if self.steps.is_empty() {
            let all: Result<Vec<Rel>, Stop> = (0..self.encoding.actions.len())
                .map(|a| without_q(self.encoding, a))
                .collect();
            self.steps = all?;
        }
        Ok(())
    }

    fn ask_ownership(&mut self) -> Result<(), Stop> {
        if !matches!(self.ownership, Known::Unasked) {
            return Ok(());
        }
        let e = self.encoding;
        e.m.control().enter("which thread owns which mutex where");
        self.prepare()?;
        let below = self.everywhere()?;
        let budget = self.budgets.ownership;
        let found = ownership::ownership(e, &self.steps, &below, budget);
        self.ownership = self.settle(found, budget, |o| &o.set, &below)?;
        Ok(())
    }

    fn ask_modular(&mut self) -> Result<(), Stop> {
        if !matches!(self.modular, Known::Unasked) {
            return Ok(());
        }
        let below = self.strongest(Rung::LockOwnership)?;
        let e = self.encoding;
        let phase = || {
            e.m.control()
                .enter("each thread with the shared variables, under interference");
        };
        phase();
        let mut budget = self.budgets.modular.min(self.budgets.modular_first);
        let within = |ladder: &Self, budget| {
            thread_modular::thread_modular(e, &e.initial, &ladder.steps, budget)
        };
        let mut found = within(self, budget);
        if matches!(found, Ok(None)) && budget < self.budgets.modular {
            self.ask_reachable()?;
            if known(&self.reachable).is_none() {
                budget = self.budgets.modular;
                phase();
                found = within(self, budget);
            }
        }
        self.modular = match self.settle(found, budget, |m| &m.set, &below)? {
            Known::Unknown(_) if self.controlled()?.is_some() => self.controlled.clone(),
            known => known,
        };
        Ok(())
    }

    /// A thread-modular invariant that says less than the rung does, and is had sooner.
    ///
    /// # Errors
    /// As [`Ladder::ask`].
    pub fn controlled(&mut self) -> Result<Option<&Bdd>, Stop> {
        if matches!(self.controlled, Known::Unasked) {
            let below = self.strongest(Rung::LockOwnership)?;
            let (e, budget) = (self.encoding, self.budgets.controlled);
            e.m.control()
                .enter("each thread with the shared variables but data, under interference");
            let found = match thread_modular::controlled(e, &self.steps, self.budgets.few, budget)?
            {
                None => None,
                // A ladder goes up.
                Some(found) => Some(Modular {
                    set: e.m.and(&found.set, &below)?,
                    ..found
                }),
            };
            self.controlled = self.settle(Ok(found), budget, |m| &m.set, &below)?;
        }
        Ok(known(&self.controlled).map(|m| &m.set))
    }

    fn ask_lemmas(&mut self) -> Result<(), Stop> {
        if !matches!(self.lemmas, Known::Unasked) {
            return Ok(());
        }
        let e = self.encoding;
        if lemmas::of(e.program).next().is_none() {
            self.lemmas = Known::Same;
            return Ok(());
        }
        self.ask_modular()?;
        let below = self.strongest(Rung::ThreadModular)?;
        e.m.control().enter("the lemmas");
        match lemmas::judge(e, &self.steps, &below) {
            Ok(judged) => {
                self.lemmas = self.settle(Ok(Some(judged.set.clone())), 0, |s| s, &below)?;
                self.judged = Some(judged);
            }
            Err(Stop::Nodes) => self.lemmas = Known::Unknown(Unavailable::Limit(Stop::Nodes)),
            Err(stop) => return Err(stop),
        }
        Ok(())
    }

    fn ask_reachable(&mut self) -> Result<(), Stop> {
        if !matches!(self.reachable, Known::Unasked) {
            return Ok(());
        }
        let e = self.encoding;
        e.m.control()
            .enter("the reachable states of the original program");
        let budget = self.budgets.reachable;
        self.reachable = match reachable(e, self.budgets.reachable_first, budget) {
            Ok(Some(set)) => Known::Stronger(set),
            Ok(None) => Known::Unknown(Unavailable::Budget(budget)),
            Err(Stop::Nodes) => Known::Unknown(Unavailable::Limit(Stop::Nodes)),
            Err(stop) => return Err(stop),
        };
        Ok(())
    }

    fn settle<T>(
        &self,
        found: Result<Option<T>, Stop>,
        budget: u64,
        set: impl Fn(&T) -> &Bdd,
        below: &Bdd,
    ) -> Result<Known<T>, Stop> {
        let m = &self.encoding.m;
        match found {
            Ok(Some(found)) => {
                debug_assert!(m.within(set(&found), below), "a ladder goes up");
                debug_assert!(
                    !matches!(leaves(self.encoding, set(&found)), Ok(Some(_))),
                    "J is closed"
                );
                Ok(if m.within(below, set(&found)) {
                    Known::Same
                } else {
                    Known::Stronger(found)
                })
            }
            Ok(None) => Ok(Known::Unknown(Unavailable::Budget(budget))),
            Err(Stop::Nodes) => Ok(Known::Unknown(Unavailable::Limit(Stop::Nodes))),
            Err(stop) => Err(stop),
        }
    }
}

fn known<T>(step: &Known<T>) -> Option<&T> {
    match step {
        Known::Stronger(found) => Some(found),
        _ => None,
    }
}

fn reason<T>(step: &Known<T>) -> Option<Unavailable> {
    match step {
        Known::Unknown(why) => Some(*why),
        _ => None,
    }
}

/// An action's steps on program states: q is forgotten, before and after. So is that the location or a local of another
/// thread is type-correct, where only the exclusive access predicates looked at it.
fn without_q(e: &Encoding, action: usize) -> Result<Rel, Stop> {
    let (m, a) = (&e.m, &e.actions[action]);
    let mut bdd = m.exists(&a.rel.bdd, |l| l / 3 == Q as usize)?;
    let read: Vec<Bit> = m.support(&bdd).iter().map(|l| (l / 3) as Bit).collect();
    let mut items: Vec<Item> = read.iter().filter_map(|&b| e.layout.item(b)).collect();
    items.dedup();
    for item in items {
        let foreign = match item {
            Item::Violated => false,
            Item::Of(Variable::Location(t)) => t != a.thread,
            Item::Of(Variable::Cell(c)) => match e.program.arrays[e.program.cells[c].array].class {
                Class::Local(t) => t != a.thread,
                _ => false,
            },
        };
        let bits = e.layout.group(item).bits();
        if !foreign || bits.clone().any(|b| a.rel.writes.contains(&b)) {
            continue;
        }
        let free = m.exists(&bdd, |l| l % 3 == 0 && bits.contains(&((l / 3) as Bit)))?;
        let correct = e.type_correct(&bits.clone().collect::<Vec<Bit>>())?;
        if m.same(&m.and(&free, &correct)?, &bdd) {
            bdd = free;
        }
    }
    Ok(Rel {
        bdd,
        writes: a.rel.writes.iter().copied().filter(|&b| b != Q).collect(),
    })
}

/// An action with a step, whatever q, that leads from these states out of them; `None` if they are closed.
///
/// # Errors
/// Any [`Stop`].
pub fn leaves(e: &Encoding, states: &Bdd) -> Result<Option<usize>, Stop> {
    for (a, action) in e.actions.iter().enumerate() {
        if !e.m.within(&action.rel.image(&e.m, states)?, states) {
            return Ok(Some(a));
        }
    }
    Ok(None)
}
