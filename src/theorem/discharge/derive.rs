//! Hypotheses of a theorem derived from facts about single steps.
//!
//! A statement is read with `u[i]`, `v[i]` as sums of letters, one for each action of a thread of i's class, and `p[i]`
//! as the product of the tests that say that none of them is enabled. `tactics` asks for the facts it needs and builds
//! a proof, for generic threads i and j of two classes; the kernel checks it. So one proof serves for all threads of a
//! class, whatever their number. Hypotheses that the tactics cannot prove are left to the relations.

mod establish;
mod lemmas;
mod renaming;
mod script;
mod tactics;

use super::Generic;
use super::facts::{Derived, Discharge, Fact, Letter, Places, VARIABLES, summary};
use crate::algebra::{self, Order, names};
use crate::base::control::Stop;
use crate::base::results;
use crate::base::results::{Derivation, Evidence, Status, Underived, Witness};
use crate::engine::relations::Meaning;
use crate::kernel::{Id, Index, Statement, Sym, Theorem, distinct};
use crate::model::program::ThreadId;
use crate::theorem::discharge::hypotheses::{self, Failed, Pairs, is_vacuous};
use crate::theorem::every::{Families, Oracle};
use crate::theorem::exchanges::Exchanges;
use crate::theorem::invariants::{Ladder, Rung};
use crate::theorem::read::{Atoms, Instance, Model, Unreadable};
use renaming::Alike;
use rustc_hash::{FxHashMap, FxHashSet};
use script::Script;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A thread whose actions take more letters than this is left to the relations.
const MOST_LETTERS: usize = 200;

/// Why a hypothesis is not derived.
#[derive(Debug)]
pub enum Open {
    /// A limit was hit.
    Stopped(Stop),
    /// There is no derivation, for this reason.
    Because(Underived),
}

impl From<Stop> for Open {
    fn from(stop: Stop) -> Self {
        Open::Stopped(stop)
    }
}

impl From<Unreadable> for Open {
    fn from(why: Unreadable) -> Self {
        match why {
            Unreadable::Stopped(stop) => Open::Stopped(stop),
            Unreadable::Meaningless { message, .. } => {
                Open::Because(Underived::Unreadable(message))
            }
        }
    }
}

fn because<T>(why: Underived) -> Result<T, Open> {
    Err(Open::Because(why))
}

/// What derivations about one program have in common.
pub struct Deriver<'d, 'e, 'p> {
    pub(in crate::theorem) model: &'d Model<'d, 'd>,
    pub(in crate::theorem) ladder: &'d mut Ladder<'e, 'p>,
    /// What has been derived.
    pub discharge: &'d mut Discharge,
    /// Who says whether a fact holds for every value of a constant, if that is asked.
    pub(in crate::theorem) every: Option<&'d Oracle<'d>>,
    /// The families of threads, if a fact may be established for generic ones.
    pub(in crate::theorem) families: Option<&'d Families<'d>>,
    /// When these are asked.
    pub(in crate::theorem) generic: Generic,
    /// Who is asked about them.
    oracle: Option<Option<Oracle<'d>>>,
    /// How many questions took too many cases.
    given_up: usize,
    /// How many choices of threads were evaluated.
    evaluated: usize,
    /// Whether a fact may need a stronger invariant than the hypothesis it serves; otherwise the relations do better.
    pub may_climb: bool,
    places: Places<'d>,
    alike: Alike,
    exchanges: Exchanges,
    prints: FxHashMap<(Letter, ThreadId), Option<Rc<establish::Print>>>,
    /// Of two letters at threads, whether no step of one changes what the other does.
    undisturbed: FxHashMap<[(Letter, ThreadId); 2], bool>,
    /// Facts that are assumed, by their inclusions.
    known: FxHashMap<Vec<(Id, Id)>, usize>,
    /// Facts that nothing rests on yet.
    pending: FxHashMap<Vec<(Id, Id)>, (Statement, Fact)>,
    /// What fails on some type-correct states.
    fails: FxHashSet<Vec<(Id, Id)>>,
}

/// The hypothesis that is being derived.
struct Goal<'h> {
    hypothesis: &'h algebra::Hypothesis,
    /// Its index variables.
    variables: Vec<String>,
    /// The class of each.
    classes: Vec<usize>,
    /// The instances that fail on all type-correct states, and where they hold.
    climbed: FxHashMap<Vec<ThreadId>, Option<Rung>>,
    /// Rungs on which they were seen to fail, the lowest first, and how.
    failed: FxHashMap<Vec<ThreadId>, Vec<(Rung, Failed)>>,
    /// Why an instance that needs the highest rung fails below it.
    excluded: (Rung, Vec<Witness>),
    /// The facts in use.
    facts: Vec<usize>,
    /// The lemmas in use, by name.
    lemmas: BTreeSet<String>,
    /// Whether facts have to hold on all type-correct states just now.
    everywhere: bool,
}

impl<'d, 'e, 'p> Deriver<'d, 'e, 'p> {
    /// Derives about this program.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn new(
        model: &'d Model<'d, 'd>,
        ladder: &'d mut Ladder<'e, 'p>,
        discharge: &'d mut Discharge,
        may_climb: bool,
    ) -> Result<Self, Stop> {
        let mut places = Places::new(model.encoding);
        if let Some(phased) = model.phased {
            places = places.with_phases(phased)?;
        }
        Ok(Deriver {
            places,
            alike: Alike::default(),
            exchanges: Exchanges::new(model.encoding.program),
            prints: FxHashMap::default(),
            model,
            ladder,
            discharge,
            may_climb,
            every: None,
            families: None,
            generic: Generic::default(),
            oracle: None,
            given_up: 0,
            evaluated: 0,
            undisturbed: FxHashMap::default(),
            known: FxHashMap::default(),
            pending: FxHashMap::default(),
            fails: FxHashSet::default(),
        })
    }

    /// The invariants.
    pub fn ladder(&mut self) -> &mut Ladder<'e, 'p> {
        self.ladder
    }

    /// Evaluates a hypothesis on relations, for threads up to exchanges.
    ///
    /// # Errors
    /// As [`hypotheses::evaluate`].
    pub fn evaluate(
        &mut self,
        hypothesis: &algebra::Hypothesis,
        pairs: &mut Pairs,
    ) -> Result<results::Hypothesis, Unreadable> {
        let exchanges = Some(&self.exchanges);
        hypotheses::evaluate(self.model, hypothesis, exchanges, self.ladder, pairs)
    }

    /// Derives all instances of a hypothesis.
    ///
    /// # Errors
    /// A limit that was hit, or why there is no derivation: one missing fact, for instance.
    pub fn derive(
        &mut self,
        hypothesis: &algebra::Hypothesis,
        pairs: &mut Pairs,
    ) -> Result<results::Hypothesis, Open> {
        let variables = self.model.variables(&hypothesis.statement);
        let all_differ = variables.len() < 2
            || variables.len() == 2 && !hypothesis.statement.distinct.is_empty();
        if variables.len() > VARIABLES.len() || !all_differ {
            return because(Underived::MayBeSame);
        }
        let mut goal = Goal {
            hypothesis,
            classes: vec![0; variables.len()],
            variables,
            climbed: FxHashMap::default(),
            failed: FxHashMap::default(),
            excluded: (Rung::True, Vec::new()),
            facts: Vec::new(),
            lemmas: BTreeSet::new(),
            everywhere: false,
        };
        let mut instances = 0;
        let mut vacuous = true;
        let before = self.discharge.development.theorems().len();
        loop {
            let choices = self.choices(&goal.classes);
            if let Some(first) = choices.first() {
                self.model.encoding.m.control().check()?;
                instances += choices.len();
                let empty = self.one(&mut goal, first)?;
                vacuous = vacuous && (empty || self.all_vacuous(&goal, &choices)?);
            }
            if !next(&mut goal.classes, self.discharge.classes.len()) {
                break;
            }
        }
        let facts = goal.facts.iter().map(|f| &self.discharge.facts[*f]);
        let (needed, independent) = summary(facts);
        pairs.checked += needed.all() - independent;
        pairs.skipped += independent;
        let proofs = self.discharge.development.theorems().skip(before);
        let evidence = Evidence::Derived(Derivation {
            needed,
            independent,
            lemmas: goal.lemmas.iter().cloned().collect(),
            facts: goal
                .facts
                .iter()
                .map(|f| self.discharge.facts[*f].text.clone())
                .collect(),
            steps: proofs.map(|t| t.steps.len()).sum(),
        });
        Ok(results::Hypothesis {
            status: Status::Holds,
            instances: instances.to_string(),
            discharge: results::Discharge::Derived,
            facts: needed.all().to_string(),
            evidence,
            vacuous,
            invariant: Some(needed.highest()),
            contradiction: None,
            excluded: goal.excluded.1,
            ..hypotheses::undecided(hypothesis)
        })
    }

    /// All choices of different threads of these classes.
    fn choices(&self, classes: &[usize]) -> Vec<Vec<ThreadId>> {
        let mut all: Vec<Vec<ThreadId>> = vec![Vec::new()];
        for class in classes {
            let members = &self.discharge.classes[*class].threads;
            let longer = all.iter().flat_map(|some| {
                let others = members.iter().filter(|t| !some.contains(t));
                others.map(|t| [some.as_slice(), &[*t]].concat())
            });
            all = longer.collect();
        }
        all
    }

    /// The same up to exchanges of threads, each with the number of those that it stands for.
    fn choices_up_to_exchanges(&self, classes: &[usize]) -> Vec<(Vec<ThreadId>, usize)> {
        let mut all: Vec<(Vec<ThreadId>, usize)> = vec![(Vec::new(), 1)];
        for class in classes {
            let members = &self.discharge.classes[*class].threads;
            let longer = all.iter().flat_map(|(some, times)| {
                let mut kinds: BTreeMap<ThreadId, (ThreadId, usize)> = BTreeMap::new();
                for &t in members.iter().filter(|t| !some.contains(t)) {
                    let kind = kinds.entry(self.kind(t, members)).or_insert((t, 0));
                    kind.1 += 1;
                }
                let with =
                    |(t, n): (ThreadId, usize)| ([some.as_slice(), &[t]].concat(), times * n);
                kinds.into_values().map(with).collect::<Vec<_>>()
            });
            all = longer.collect();
        }
        all
    }

    /// The first of these threads that one may be exchanged with: that leaves the program as it is, and both are in the
    /// same phases at their locations. Of which steps others notice something a property may say of some threads only.
    fn kind(&self, thread: ThreadId, members: &[ThreadId]) -> ThreadId {
        let first = |t: ThreadId| self.exchanges.first(t);
        let phases = |t: ThreadId| self.model.phased.map(|p| &p.phases[t]);
        let is_like = |t: &&ThreadId| first(**t) == first(thread) && phases(**t) == phases(thread);
        members.iter().find(is_like).copied().unwrap_or(thread)
    }

    /// Derives the instances for threads of certain classes. Whether an action in them is empty.
    fn one(&mut self, goal: &mut Goal, first: &[ThreadId]) -> Result<bool, Open> {
        let mut atoms = Atoms::default();
        let Some(instance) = self.instance(goal, first, &mut atoms)? else {
            return because(Underived::NoTwoProcesses);
        };
        let mut statement = Statement {
            distinct: Vec::new(),
            parts: Vec::new(),
        };
        if goal.variables.len() == 2 {
            statement.distinct = distinct([(0, 1)]).unwrap_or_default();
        }
        let mut tactics = tactics::Tactics {
            script: Script::new(self.discharge.hole),
            instance: &instance,
            atoms: &atoms,
            goal,
            deriver: self,
        };
        let mut proves = Vec::new();
        for (n, order) in instance.orders.iter().enumerate() {
            let (l, r) = (&instance.sides[n], &instance.sides[n + 1]);
            let mut directions = vec![(l, r)];
            if *order == Order::Equal {
                directions.push((r, l));
            }
            for (l, r) in directions {
                let claim = (tactics.read(l, &[])?, tactics.read(r, &[])?);
                statement.parts.push(claim);
                proves.push(tactics.prove(l, r, *order)?);
            }
        }
        let steps = tactics.script.steps;
        let d = &self.discharge.development;
        let is_free = |n: &str| d.theorems().all(|t| t.name != n);
        let classes = goal.classes.iter();
        let classes = classes.map(|c| &self.discharge.classes[*c].name);
        let said = classes.fold(goal.hypothesis.id.clone(), |all, c| format!("{all}.{c}"));
        let theorem = Theorem {
            name: names::title(&said, is_free),
            premises: Vec::new(),
            statement,
            steps,
            proves,
        };
        let admitted = self.discharge.development.admit(theorem);
        debug_assert!(admitted.is_ok(), "{admitted:?}");
        if let Err(rejected) = admitted {
            return because(Underived::Rejected(rejected.to_string()));
        }
        self.discharge.derived.push(Derived {
            hypothesis: goal.hypothesis.id.clone(),
            threads: goal.classes.clone(),
        });
        Ok(atoms
            .0
            .iter()
            .any(|a| matches!(&a.meaning, Meaning::Actions(all) if all.is_empty())))
    }

    fn instance(
        &self,
        goal: &Goal,
        threads: &[ThreadId],
        atoms: &mut Atoms,
    ) -> Result<Option<Instance>, Unreadable> {
        let statement = &goal.hypothesis.statement;
        self.model
            .instance(statement, (&goal.variables, threads), atoms)
    }

    fn all_vacuous(&self, goal: &Goal, choices: &[Vec<ThreadId>]) -> Result<bool, Unreadable> {
        for threads in choices {
            let mut atoms = Atoms::default();
            if let Some(instance) = self.instance(goal, threads, &mut atoms)?
                && !is_vacuous(&instance, &atoms)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn letter(&mut self, letter: Letter, at: Option<u32>) -> Id {
        let symbol: Sym = self.discharge.letter(self.model.encoding, letter);
        let indices = at.map(Index::Var).into_iter().collect();
        self.discharge.development.terms.atom(symbol, indices)
    }
}

/// The next choice of numbers below `n`, the last running fastest; false after the last.
fn next(chosen: &mut [usize], n: usize) -> bool {
    for at in chosen.iter_mut().rev() {
        *at += 1;
        if *at < n {
            return true;
        }
        *at = 0;
    }
    false
}
