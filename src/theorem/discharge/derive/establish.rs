//! Facts established on a program: for each choice of threads by footprints if possible, else by BDDs on joint
//! supports.

use crate::base::results::{Needed, Underived};
use crate::engine::relations::{Bit, Evaluator, Failure, Ground, GroundAtom, Q, singleton};
use crate::kernel::{Id, Index, Node, Statement, Terms, ZERO, distinct};
use crate::model::program::{LocId, ThreadId};
use crate::theorem::discharge::Generic;
use crate::theorem::discharge::derive::renaming::{Key, Seen};
use crate::theorem::discharge::derive::{Deriver, Goal, Open, because};
use crate::theorem::discharge::facts::{Fact, Letter};
use crate::theorem::discharge::hypotheses::{Climbed, climb, fails, is_inner, told_excluded};
use crate::theorem::invariants::{Rung, Step};
use crate::theorem::read::Atoms;
use std::rc::Rc;

/// What a fact costs beside BDDs, and each choice of threads that it is established for, in pairs of their nodes.
const FACT: u64 = 1 << 11;
const CHOICE: u64 = 1 << 7;

/// What pays: a fact that has more choices of threads than this is asked about generic ones once it was evaluated for
/// so many of them, and all facts for so many.
const PAYS: (usize, usize) = (2, 40);
/// Or if the relation of a step of its letters has so many nodes. How many steps a letter has does not matter: each is
/// looked at alone.
const LARGE: usize = 600;
/// It no longer does if more questions than this took too many cases.
const GIVEN_UP: usize = 4;

/// A factor of a fact's left side.
#[derive(Clone, Copy)]
struct Factor {
    letter: Letter,
    /// The index variable; that of q is not used.
    at: usize,
    complemented: bool,
}

/// What a fact looks like, as far as there is a short cut for it.
enum Form {
    /// `x y <= ..` where `y x` lies below the right side.
    Swap(Factor, Factor),
    /// `e x <= 0` for a test of enabledness.
    Empty(Factor, Factor),
    /// `x^w <= 0` for a sum of actions of one thread.
    Endless(Vec<Factor>),
    /// Anything else.
    Other,
}

/// What the actions of a letter use and write of one thread, sorted; q aside.
#[derive(Default)]
pub(super) struct Print {
    uses: Vec<Bit>,
    writes: Vec<Bit>,
    /// Whether one of them may set q.
    violates: bool,
}

/// The threads of a choice, each at the variable that it is chosen for.
fn at_variables(goal: &Goal, variables: &[u32], chosen: &[ThreadId]) -> Vec<ThreadId> {
    let mut threads = vec![ThreadId::MAX; goal.classes.len()];
    for (v, t) in variables.iter().zip(chosen) {
        threads[*v as usize] = *t;
    }
    threads
}

/// So many choices of a fact are evaluated in debug builds although a short cut is taken.
const RECHECKED: usize = 30;

/// A short cut by which a fact holds of some threads.
enum How {
    /// The two don't touch what the other uses.
    Independent,
    /// Control, or a test, rules it out.
    Excluded,
}

/// What a fact's choices of threads have in common.
struct Choices {
    form: Form,
    letters: Vec<Factor>,
    /// Those that are alike are evaluated once.
    seen: Seen,
    /// How many there are.
    all: usize,
    /// How many had to be evaluated.
    evaluated: usize,
    /// Whether it is a fact about generic threads, once that was asked.
    generic: Option<bool>,
    rechecked: usize,
}

impl Deriver<'_, '_, '_> {
    /// A fact: its position among the hypotheses of the development. `swaps` says that the right side contains the left
    /// one's two factors the other way round.
    pub(super) fn fact(
        &mut self,
        goal: &mut Goal,
        parts: Vec<(Id, Id)>,
        swaps: bool,
    ) -> Result<usize, Open> {
        if let Some(&known) = self.known.get(&parts) {
            if !goal.facts.contains(&known) {
                goal.facts.push(known);
            }
            return Ok(known);
        }
        let (statement, fact) = match self.pending.remove(&parts) {
            Some(pending) => pending,
            None => self.established(goal, &parts, swaps)?,
        };
        let name = format!("fact{}", self.discharge.facts.len() + 1);
        let position = self.discharge.development.assume(&name, statement);
        self.discharge.facts.push(fact);
        self.known.insert(parts, position);
        goal.facts.push(position);
        Ok(position)
    }

    /// Whether something that is a fact in the instance is one for every value, if that is asked.
    pub(super) fn is_for_every(
        &mut self,
        goal: &mut Goal,
        parts: &[(Id, Id)],
    ) -> Result<bool, Open> {
        match self.every {
            Some(_) => self.holds_everywhere(goal, parts),
            None => Ok(true),
        }
    }

    /// Looks whether something is a fact on all type-correct states, and assumes nothing yet.
    pub(super) fn holds_everywhere(
        &mut self,
        goal: &mut Goal,
        parts: &[(Id, Id)],
    ) -> Result<bool, Open> {
        if self.known.contains_key(parts) || self.pending.contains_key(parts) {
            return Ok(true);
        }
        if self.fails.contains(parts) {
            return Ok(false);
        }
        goal.everywhere = true;
        let found = self.established(goal, parts, false);
        goal.everywhere = false;
        match found {
            Ok(fact) => {
                self.pending.insert(parts.to_vec(), fact);
                Ok(true)
            }
            Err(Open::Because(_)) => {
                self.fails.insert(parts.to_vec());
                Ok(false)
            }
            Err(stopped) => Err(stopped),
        }
    }

    /// Something that is a fact, and how it came to be one.
    fn established(
        &mut self,
        goal: &mut Goal,
        parts: &[(Id, Id)],
        swaps: bool,
    ) -> Result<(Statement, Fact), Open> {
        let terms = &self.discharge.development.terms;
        let occurs = |v: &u32| {
            parts
                .iter()
                .any(|(l, r)| terms.has_var(*l, *v) || terms.has_var(*r, *v))
        };
        let variables: Vec<u32> = (0..goal.classes.len() as u32).filter(occurs).collect();
        let classes: Vec<usize> = variables
            .iter()
            .map(|v| goal.classes[*v as usize])
            .collect();
        let statement = Statement {
            distinct: match variables.as_slice() {
                [i, j] => distinct([(*i, *j)]).unwrap_or_default(),
                _ => Vec::new(),
            },
            parts: parts.to_vec(),
        };
        let mut fact = Fact {
            text: self.discharge.show_statement(&statement),
            threads: variables
                .iter()
                .copied()
                .zip(classes.iter().copied())
                .collect(),
            on: Needed::default(),
            independent: 0,
            alike: 0,
            generic: 0,
        };
        let letters = letters(self, &statement);
        let mut choices = Choices {
            form: form(self, &statement, swaps),
            letters,
            seen: Seen::default(),
            all: 0,
            evaluated: 0,
            generic: None,
            rechecked: 0,
        };
        let chosen = match self.stays(&choices.letters) {
            true => self.choices_up_to_exchanges(&classes),
            false => self.choices(&classes).into_iter().map(|c| (c, 1)).collect(),
        };
        choices.all = chosen.iter().map(|(_, times)| times).sum();
        let work = FACT + CHOICE * chosen.len() as u64;
        self.model.encoding.m.control().worked(work);
        // What holds for every value holds of the instance. Nothing of that is looked at then.
        let (every, refuted) = match self.every {
            Some(oracle) => {
                match oracle.asked(self.discharge, &statement, &fact.threads, goal.everywhere)? {
                    Ok(rung) => (Some(rung), None),
                    Err(why) => (None, Some(why)),
                }
            }
            None => (None, None),
        };
        for (chosen, times) in chosen {
            let generic = (choices.generic == Some(true)).then_some(Rung::True);
            if let Some(rung) = every.or(generic) {
                fact.on.add(rung, times);
                fact.generic += times;
                continue;
            }
            let threads = at_variables(goal, &variables, &chosen);
            if !self.choice(goal, &statement, (&threads, times), &mut choices, &mut fact)? {
                let names = chosen.iter().map(|t| self.model.thread_name(*t));
                return because(Underived::NoFact {
                    statement: fact.text,
                    threads: names.map(String::from).collect(),
                });
            }
        }
        if cfg!(debug_assertions)
            && fact.on.highest() == Rung::True
            && !matches!(choices.form, Form::Endless(_))
        {
            for chosen in self.choices(&classes) {
                let threads = at_variables(goal, &variables, &chosen);
                self.recheck(goal, &statement, &threads, &mut choices.rechecked)?;
            }
        }
        if let Some(why) = refuted {
            return because(Underived::NotForEvery {
                statement: fact.text,
                why: Box::new(why),
            });
        }
        Ok((statement, fact))
    }

    /// Whether a fact is to be asked about generic threads, before it is evaluated for these.
    fn pays(&self, choices: &Choices, threads: &[ThreadId]) -> bool {
        let actions = &self.model.encoding.actions;
        let is_large = |x: &Factor| {
            let mut all = self.actions(threads, *x).into_iter();
            all.any(|a| actions[a].rel.bdd.size() >= LARGE)
        };
        match self.generic {
            Generic::First => true,
            Generic::Never => false,
            Generic::Pays if self.given_up > GIVEN_UP || choices.all <= PAYS.0 => false,
            Generic::Pays => {
                let often = choices.evaluated >= PAYS.0 && self.evaluated >= PAYS.1;
                often || choices.letters.iter().any(is_large)
            }
        }
    }

    /// Whether a statement is a fact on all type-correct states about generic threads of these classes; false also if
    /// that can't be said.
    fn is_generic(
        &mut self,
        statement: &Statement,
        classes: &[(u32, usize)],
    ) -> Result<bool, Open> {
        let Some(families) = self.families else {
            return Ok(false);
        };
        if self.oracle.is_none() {
            self.oracle = Some(families.oracle(self.discharge)?);
        }
        let holds = match &self.oracle {
            Some(Some(oracle)) => oracle.says(self.discharge, statement, classes)?,
            _ => Some(false),
        };
        self.given_up += usize::from(holds.is_none());
        Ok(holds.unwrap_or_default())
    }

    /// Whether a statement holds of some threads, which stand for so many, and how: noted in the fact.
    fn choice(
        &mut self,
        goal: &mut Goal,
        statement: &Statement,
        (threads, times): (&[ThreadId], usize),
        choices: &mut Choices,
        fact: &mut Fact,
    ) -> Result<bool, Open> {
        let Some((rung, independent)) = self.looked_at(goal, statement, threads, choices, fact)?
        else {
            return Ok(false);
        };
        match (independent, choices.generic) {
            (true, _) => fact.independent += times,
            (false, Some(true)) => fact.generic += times,
            (false, _) => fact.alike += times - 1,
        }
        fact.on.add(rung, times);
        Ok(true)
    }

    /// On which states a statement holds of some threads, if it does, and whether because actions are independent.
    fn looked_at(
        &mut self,
        goal: &mut Goal,
        statement: &Statement,
        threads: &[ThreadId],
        choices: &mut Choices,
        fact: &mut Fact,
    ) -> Result<Option<(Rung, bool)>, Open> {
        if let Some(how) = self.at_once(&choices.form, threads)? {
            // The closure of relations costs too much to be looked at here, too.
            if !matches!(choices.form, Form::Endless(_)) {
                self.recheck(goal, statement, threads, &mut choices.rechecked)?;
            }
            return Ok(Some((Rung::True, matches!(how, How::Independent))));
        }
        let key = self.key(&choices.letters, threads);
        if key.as_ref().is_some_and(|key| choices.seen.contains(key)) {
            fact.alike += 1;
            self.recheck(goal, statement, threads, &mut choices.rechecked)?;
            return Ok(Some((Rung::True, false)));
        }
        if choices.generic.is_none() && self.pays(choices, threads) {
            choices.generic = Some(self.is_generic(statement, &fact.threads)?);
            if choices.generic == Some(true) {
                return Ok(Some((Rung::True, false)));
            }
        }
        self.evaluated += 1;
        choices.evaluated += 1;
        let rung = self.holds(goal, statement, threads)?;
        if let (Some(Rung::True), Some(key)) = (rung, key) {
            choices.seen.insert(key);
        }
        Ok(rung.map(|rung| (rung, false)))
    }

    /// Whether letters have the meaning for one thread that they have for another, with the two exchanged.
    fn stays(&self, letters: &[Factor]) -> bool {
        letters.iter().all(|l| match l.letter {
            Letter::Access(_, cell, _) => self.exchanges.fix(cell),
            Letter::Schematic => false,
            _ => true,
        })
    }

    /// What relations of actions have in common with those that are the same but for the names of bits; none if tests
    /// of phases or the initial states occur, of which a key does not say what they look like.
    fn key(&mut self, letters: &[Factor], threads: &[ThreadId]) -> Option<Key> {
        let keyless = |l: &Factor| {
            matches!(
                l.letter,
                Letter::Phase(..) | Letter::Initial | Letter::Schematic
            )
        };
        if letters.iter().any(keyless) {
            return None;
        }
        let mut actions: Vec<(Letter, usize)> = Vec::new();
        for x in letters {
            match x.letter {
                Letter::Violated => actions.push((x.letter, 0)),
                Letter::Access(..) => actions.push((x.letter, *threads.get(x.at)?)),
                _ => actions.extend(self.actions(threads, *x).into_iter().map(|a| (x.letter, a))),
            }
        }
        Some(self.alike.key(self.model.encoding, &actions))
    }

    /// Whether two actions are independent, whichever threads of their classes they belong to.
    ///
    /// # Errors
    /// A limit that was hit.
    pub(super) fn all_independent(&mut self, goal: &Goal, x: Id, y: Id) -> Result<bool, Open> {
        let terms = &self.discharge.development.terms;
        let (Some(x), Some(y)) = (factor(self, terms, x), factor(self, terms, y)) else {
            return Ok(false);
        };
        for (threads, _) in self.choices_up_to_exchanges(&goal.classes) {
            if !self.commute(&threads, x, y)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// In debug builds, some of what a short cut says of each fact is evaluated as well.
    fn recheck(
        &mut self,
        goal: &mut Goal,
        statement: &Statement,
        threads: &[ThreadId],
        done: &mut usize,
    ) -> Result<(), Open> {
        if cfg!(debug_assertions) && *done < RECHECKED {
            *done += 1;
            let how = self.holds(goal, statement, threads)?;
            assert_eq!(how, Some(Rung::True), "{statement:?}");
        }
        Ok(())
    }

    /// How a fact comes to hold of some threads without its relations being composed, if it does.
    fn at_once(&mut self, form: &Form, threads: &[ThreadId]) -> Result<Option<How>, Open> {
        Ok(match form {
            Form::Swap(x, y) if self.commute(threads, *x, *y)? => Some(How::Independent),
            Form::Empty(x, y) if self.is_empty(threads, *x, *y)? => Some(How::Excluded),
            Form::Endless(all) if self.is_straight(threads, all) => Some(How::Excluded),
            _ => None,
        })
    }

    /// Whether, and on which states, a fact holds of some threads.
    fn holds(
        &mut self,
        goal: &mut Goal,
        statement: &Statement,
        threads: &[ThreadId],
    ) -> Result<Option<Rung>, Open> {
        let e = self.model.encoding;
        e.m.control().check()?;
        let mut atoms: Vec<GroundAtom> = Vec::new();
        let mut sides = Vec::new();
        for (l, r) in &statement.parts {
            let l = self
                .discharge
                .ground(&self.places, *l, threads, &mut atoms)?;
            let r = self
                .discharge
                .ground(&self.places, *r, threads, &mut atoms)?;
            sides.push((l, r));
        }
        let everywhere = Evaluator {
            encoding: e,
            atoms: &atoms,
            assumption: None,
        };
        let Some(failure) = first_failure(&everywhere, &sides)? else {
            return Ok(Some(Rung::True));
        };
        if goal.everywhere {
            return Ok(None);
        }
        let mut failed = (Rung::True, failure);
        // The rung that the hypothesis needs, if that had to be found on relations.
        let mut needed = None;
        for step in Step::ALL.into_iter().skip(1) {
            let rung = step.rung();
            if rung > failed.0 && needed.is_none() && !self.fails_at(goal, threads, &failed)? {
                match self.needed(goal, threads)? {
                    None => return Ok(None),
                    found => needed = found,
                }
            }
            match needed {
                Some(from) if rung < from => continue,
                Some(from) if rung > from && !self.may_climb => break,
                _ => {}
            }
            let Some(set) = self.ladder.step(step)? else {
                continue;
            };
            let within = Evaluator {
                assumption: Some(set),
                ..everywhere
            };
            match first_failure(&within, &sides)? {
                Some(failure) => failed = (rung, failure),
                None if needed.is_none() => {
                    self.tell_excluded(goal, threads, rung)?;
                    return Ok(Some(rung));
                }
                None => return Ok(Some(rung)),
            }
        }
        Ok(None)
    }

    /// Whether the instance of the hypothesis fails where a fact does that is to serve it: then it fails on that rung.
    fn fails_at(
        &mut self,
        goal: &mut Goal,
        threads: &[ThreadId],
        (rung, failure): &(Rung, Failure),
    ) -> Result<bool, Open> {
        let known = goal.failed.get(threads).and_then(|all| all.last());
        if known.is_some_and(|(highest, _)| highest >= rung) {
            return Ok(true);
        }
        // A fact about one of two threads serves more than one instance.
        let Some(first) = failure
            .states
            .first()
            .filter(|_| !threads.contains(&ThreadId::MAX))
        else {
            return Ok(false);
        };
        let e = self.model.encoding;
        let mut atoms = Atoms::default();
        let Some(instance) = self.instance(goal, threads, &mut atoms)? else {
            return Ok(false);
        };
        // A T at the end would lead to that state only.
        if is_inner(&instance) || instance.ends_left() {
            return Ok(false);
        }
        let there = Evaluator {
            encoding: e,
            atoms: &atoms.0,
            assumption: Some(&singleton(e, first, &e.all_bits())),
        };
        let found = fails(&there, &instance, &mut Default::default())?;
        Ok(match found {
            None => false,
            Some(found) => {
                let all = goal.failed.entry(threads.to_vec()).or_default();
                all.push((*rung, found));
                true
            }
        })
    }

    /// Tells why an instance needs a rung, if none needs more so far.
    fn tell_excluded(
        &mut self,
        goal: &mut Goal,
        threads: &[ThreadId],
        rung: Rung,
    ) -> Result<(), Open> {
        let mut atoms = Atoms::default();
        if goal.excluded.0 >= rung {
            return Ok(());
        }
        let Some(instance) = self.instance(goal, threads, &mut atoms)? else {
            return Ok(());
        };
        let everywhere = Evaluator {
            encoding: self.model.encoding,
            atoms: &atoms.0,
            assumption: None,
        };
        let below = goal.failed.get(threads).map_or(&[][..], Vec::as_slice);
        let below = &below[..below.partition_point(|(failed, _)| *failed < rung)];
        let failures: Vec<_> = match below {
            [first, .., last] => vec![first.clone(), last.clone()],
            few => few.to_vec(),
        };
        let told = told_excluded(self.model, &everywhere, &instance, &failures, self.ladder)?;
        goal.excluded = (rung, told);
        Ok(())
    }

    /// The rung on which the instance of the hypothesis holds that a failing fact is to serve; `None` if it holds on
    /// none. What is above that rung can't be meant.
    fn needed(&mut self, goal: &mut Goal, threads: &[ThreadId]) -> Result<Option<Rung>, Open> {
        // A fact about one of two threads serves more than one instance.
        if threads.contains(&ThreadId::MAX) {
            return Ok(Some(Rung::True));
        }
        if let Some(&known) = goal.climbed.get(threads) {
            return Ok(known);
        }
        let mut atoms = Atoms::default();
        let mut rung = None;
        if let Some(instance) = self.instance(goal, threads, &mut atoms)? {
            let everywhere = Evaluator {
                encoding: self.model.encoding,
                atoms: &atoms.0,
                assumption: None,
            };
            rung = match fails(&everywhere, &instance, &mut Default::default())? {
                None => Some(Rung::True),
                Some(failure) => match climb(&everywhere, &instance, self.ladder)? {
                    Climbed::Fails(_) => None,
                    Climbed::Holds(rung, below) => {
                        if goal.excluded.0 < rung {
                            let failures: Vec<_> = std::iter::once((Rung::True, failure))
                                .chain(below)
                                .collect();
                            let told = told_excluded(
                                self.model,
                                &everywhere,
                                &instance,
                                &failures,
                                self.ladder,
                            )?;
                            goal.excluded = (rung, told);
                        }
                        Some(rung)
                    }
                },
            };
        }
        goal.climbed.insert(threads.to_vec(), rung);
        Ok(rung)
    }

    /// The actions that a factor speaks of.
    fn actions(&self, threads: &[ThreadId], x: Factor) -> Vec<usize> {
        match (x.letter, threads.get(x.at)) {
            (Letter::Action(c, g) | Letter::Enabled(c, g), Some(&t)) => {
                self.places.actions(self.discharge.classes[c].group(g), t)
            }
            _ => Vec::new(),
        }
    }

    /// What a factor's actions use and write, together, or what their enabledness depends on; none if there are none.
    fn print(&mut self, threads: &[ThreadId], x: Factor) -> Option<Rc<Print>> {
        let &thread = threads.get(x.at)?;
        if let Some(known) = self.prints.get(&(x.letter, thread)) {
            return known.clone();
        }
        let e = self.model.encoding;
        let all = self.actions(threads, x);
        let mut print = Print::default();
        for &a in &all {
            let action = &e.actions[a];
            match x.letter {
                Letter::Enabled(..) => print.uses.extend(self.alike.bits(e, x.letter, a)),
                _ => print.uses.extend(&action.footprint),
            }
            if let Letter::Action(..) = x.letter {
                print.writes.extend(&action.writes);
                print.violates |= action.rel.writes.binary_search(&Q).is_ok();
            }
        }
        for bits in [&mut print.uses, &mut print.writes] {
            bits.sort_unstable();
            bits.dedup();
        }
        let print = (!all.is_empty()).then(|| Rc::new(print));
        self.prints.insert((x.letter, thread), print.clone());
        print
    }

    /// Whether two factors commute because neither writes what the other reads or writes, or changes nothing by it.
    fn commute(&mut self, threads: &[ThreadId], x: Factor, y: Factor) -> Result<bool, Open> {
        Ok(match (x.letter, y.letter) {
            (Letter::Action(..), Letter::Action(..) | Letter::Enabled(..)) => {
                let whole = matches!(y.letter, Letter::Action(..));
                match (self.print(threads, x), self.print(threads, y)) {
                    (Some(a), Some(b)) => {
                        let apart = apart(&a.writes, &b.uses) && apart(&b.writes, &a.uses);
                        let differ = x.at != y.at;
                        (differ || !whole)
                            && (apart || whole && differ && self.undisturbed(threads, x, y)?)
                    }
                    _ => false,
                }
            }
            (Letter::Action(..), Letter::Violated) => {
                self.print(threads, x).is_some_and(|a| !a.violates)
            }
            (Letter::Action(..), Letter::Phase(..)) => {
                // They say where a thread is, and only its own steps move it.
                x.at != y.at && self.print(threads, x).is_some()
            }
            (Letter::Enabled(..) | Letter::Violated | Letter::Phase(..), Letter::Action(..)) => {
                self.commute(threads, y, x)?
            }
            _ => false,
        })
    }

    /// Whether no step of an action of one factor changes what an action of the other does.
    fn undisturbed(&mut self, threads: &[ThreadId], x: Factor, y: Factor) -> Result<bool, Open> {
        let pair = [(x.letter, threads[x.at]), (y.letter, threads[y.at])];
        let known = self.undisturbed.get(&pair);
        if let Some(&known) = known.or_else(|| self.undisturbed.get(&[pair[1], pair[0]])) {
            return Ok(known);
        }
        let (of_x, of_y) = (self.actions(threads, x), self.actions(threads, y));
        let same = self.model.encoding.undisturbed(&of_x, &of_y)?;
        self.undisturbed.insert(pair, same);
        Ok(same)
    }

    /// Whether no step of one factor is possible where the other's test says so: seen without composing relations.
    fn is_empty(&self, threads: &[ThreadId], x: Factor, y: Factor) -> Result<bool, Open> {
        let e = self.model.encoding;
        if !matches!(
            (x.letter, y.letter),
            (Letter::Enabled(..), Letter::Action(..))
        ) {
            return Ok(false);
        }
        let mut test = e.m.no();
        for a in self.actions(threads, x) {
            test = e.m.or(&test, &e.actions[a].enabled)?;
        }
        if x.complemented {
            test = test.not();
        }
        let steps = self.actions(threads, y);
        let none = |b: &usize| e.m.disjoint(&test, &e.actions[*b].rel.bdd);
        Ok(!steps.is_empty() && steps.iter().all(none))
    }

    /// Whether a thread's control can go through steps only in some order, none twice. Then it takes finitely many.
    fn is_straight(&self, threads: &[ThreadId], all: &[Factor]) -> bool {
        let e = self.model.encoding;
        let steps = all.iter().flat_map(|x| self.actions(threads, *x));
        let places: Vec<(ThreadId, LocId)> = steps
            .map(|a| (e.actions[a].thread, e.actions[a].location))
            .collect();
        let Some(&(thread, _)) = places.first() else {
            return false;
        };
        let locations = places.iter().map(|p| p.1).collect();
        places.iter().all(|p| p.0 == thread) && e.program.threads[thread].is_straight(locations)
    }
}

/// Whether two sorted lists have nothing in common.
fn apart(some: &[Bit], others: &[Bit]) -> bool {
    let (few, many) = match some.len() < others.len() {
        true => (some, others),
        false => (others, some),
    };
    few.iter().all(|b| many.binary_search(b).is_err())
}

/// Why an inclusion fails, the first that does.
fn first_failure(
    evaluator: &Evaluator,
    sides: &[(Ground, Ground)],
) -> Result<Option<Failure>, Open> {
    for (l, r) in sides {
        let found = evaluator.included(l, r)?.failure;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn form(d: &Deriver, statement: &Statement, swaps: bool) -> Form {
    let terms = &d.discharge.development.terms;
    let Some(&(left, right)) = statement.parts.first() else {
        return Form::Other;
    };
    if let (Node::Omega(run), ZERO) = (terms.node(left), right) {
        let all = match terms.node(*run) {
            Node::Sum(all) => all.as_slice(),
            _ => &[*run],
        };
        // Of anything but a sum of actions, control says nothing.
        let action = |t: &Id| {
            let found = factor(d, terms, *t)?;
            matches!(found.letter, Letter::Action(..)).then_some(found)
        };
        let actions: Option<Vec<Factor>> = all.iter().map(action).collect();
        return actions.map_or(Form::Other, Form::Endless);
    }
    let Node::Product(factors) = terms.node(left) else {
        return Form::Other;
    };
    let [x, y] = factors.as_slice() else {
        return Form::Other;
    };
    match (factor(d, terms, *x), factor(d, terms, *y)) {
        (Some(x), Some(y)) if swaps => Form::Swap(x, y),
        (Some(x), Some(y)) if right == ZERO => Form::Empty(x, y),
        _ => Form::Other,
    }
}

/// The letters of a statement, each once.
fn letters(d: &Deriver, statement: &Statement) -> Vec<Factor> {
    let terms = &d.discharge.development.terms;
    let mut atoms = Vec::new();
    for (l, r) in &statement.parts {
        let mut todo = vec![*r, *l];
        while let Some(t) = todo.pop() {
            match terms.node(t) {
                Node::Atom(..) if !atoms.contains(&t) => atoms.push(t),
                Node::Not(x) | Node::Star(x) | Node::Omega(x) => todo.push(*x),
                Node::Sum(all) | Node::Product(all) => todo.extend(all),
                _ => {}
            }
        }
    }
    atoms
        .into_iter()
        .filter_map(|t| factor(d, terms, t))
        .collect()
}

fn factor(d: &Deriver, terms: &Terms, t: Id) -> Option<Factor> {
    let (atom, complemented) = match terms.node(t) {
        Node::Not(x) => (*x, true),
        _ => (t, false),
    };
    let Node::Atom(symbol, indices) = terms.node(atom) else {
        return None;
    };
    let at = match indices.first() {
        Some(Index::Var(v)) => *v as usize,
        _ => usize::MAX,
    };
    Some(Factor {
        letter: *d.discharge.letters.get(*symbol as usize)?,
        at,
        complemented,
    })
}
