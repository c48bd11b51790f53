//! Facts established on a program: for each choice of threads by footprints if possible, else by BDDs on joint
//! supports.

use crate::base::results::Needed;
use crate::engine::relations::{Evaluator, Ground, GroundAtom, Q};
use crate::kernel::{Id, Index, Node, Statement, Terms, ZERO, distinct};
use crate::model::program::ThreadId;
use crate::theorem::discharge::derive::renaming::{Key, Seen};
use crate::theorem::discharge::derive::{Deriver, Goal, Open, because};
use crate::theorem::discharge::facts::{Fact, Letter};
use crate::theorem::discharge::hypotheses::{Climbed, climb, fails, told_excluded};
use crate::theorem::invariants::Rung;
use crate::theorem::read::Atoms;

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
    /// `x y <= 0`
    Empty(Factor, Factor),
    /// Anything else.
    Other,
}

/// So many choices of a fact are evaluated in debug builds although a short cut is taken.
const RECHECKED: usize = 30;

/// How a fact came to hold of some threads.
enum How {
    Independent,
    On(Rung),
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
            parts,
        };
        let text = self.discharge.show_statement(&statement);
        let form = form(self, &statement, swaps);
        let letters = letters(self, &statement);
        let mut seen = Seen::default();
        let mut rechecked = 0;
        let mut fact = Fact {
            text,
            threads: variables
                .iter()
                .copied()
                .zip(classes.iter().copied())
                .collect(),
            on: Needed::default(),
            independent: 0,
            alike: 0,
        };
        for chosen in self.choices(&classes) {
            let mut threads = vec![ThreadId::MAX; goal.classes.len()];
            for (v, t) in variables.iter().zip(&chosen) {
                threads[*v as usize] = *t;
            }
            let how = match self.at_once(&form, &threads)? {
                Some(how) => {
                    self.recheck(goal, &statement, &threads, &mut rechecked)?;
                    Some(how)
                }
                None => {
                    let key = self.key(&letters, &threads);
                    if key.as_ref().is_some_and(|key| seen.contains(key)) {
                        fact.alike += 1;
                        self.recheck(goal, &statement, &threads, &mut rechecked)?;
                        Some(How::On(Rung::True))
                    } else {
                        let how = self.holds(goal, &statement, &threads)?;
                        if let (Some(How::On(Rung::True)), Some(key)) = (&how, key) {
                            seen.insert(key);
                        }
                        how
                    }
                }
            };
            let Some(how) = how else {
                let names: Vec<&str> = chosen.iter().map(|t| self.model.thread_name(*t)).collect();
                return because(format!(
                    "`{}` is no fact for {}",
                    fact.text,
                    names.join(" and ")
                ));
            };
            match how {
                How::Independent => {
                    fact.independent += 1;
                    fact.on.add(Rung::True, 1);
                }
                How::On(rung) => fact.on.add(rung, 1),
            }
        }
        let name = format!("fact{}", self.discharge.facts.len() + 1);
        let position = self.discharge.development.assume(&name, statement.clone());
        self.discharge.facts.push(fact);
        self.known.insert(statement.parts, position);
        goal.facts.push(position);
        Ok(position)
    }

    /// What relations of actions have in common with those that are the same but for the names of bits; none if tests
    /// of phases or the initial states occur, of which a key does not say what they look like.
    fn key(&mut self, letters: &[Factor], threads: &[ThreadId]) -> Option<Key> {
        let keyless = |l: &Factor| matches!(l.letter, Letter::Phase(..) | Letter::Initial);
        if letters.iter().any(keyless) {
            return None;
        }
        let of = |x: &Factor| (x.letter, self.action(threads, *x).unwrap_or(0));
        let actions: Vec<(Letter, usize)> = letters.iter().map(of).collect();
        Some(self.alike.key(self.model.encoding, &actions))
    }

    /// Whether two actions are independent, whichever threads of their classes they belong to.
    pub(super) fn all_independent(&mut self, goal: &Goal, x: Id, y: Id) -> bool {
        let terms = &self.discharge.development.terms;
        let (Some(x), Some(y)) = (factor(self, terms, x), factor(self, terms, y)) else {
            return false;
        };
        let all = self.choices(&goal.classes);
        all.iter().all(|threads| self.commute(threads, x, y))
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
            assert!(matches!(how, Some(How::On(Rung::True))), "{statement:?}");
        }
        Ok(())
    }

    /// How a fact comes to hold of some threads without its relations being composed, if it does.
    fn at_once(&mut self, form: &Form, threads: &[ThreadId]) -> Result<Option<How>, Open> {
        Ok(match form {
            Form::Swap(x, y) if self.commute(threads, *x, *y) => Some(How::Independent),
            Form::Empty(x, y) if self.is_empty(threads, *x, *y)? => Some(How::On(Rung::True)),
            _ => None,
        })
    }

    /// Whether, and on which states, a fact holds of some threads.
    fn holds(
        &mut self,
        goal: &mut Goal,
        statement: &Statement,
        threads: &[ThreadId],
    ) -> Result<Option<How>, Open> {
        let e = self.model.encoding;
        e.m.control().check()?;
        let mut atoms: Vec<GroundAtom> = Vec::new();
        let mut sides = Vec::new();
        for (l, r) in &statement.parts {
            let l = self.discharge.ground(&self.places, *l, threads, &mut atoms);
            let r = self.discharge.ground(&self.places, *r, threads, &mut atoms);
            sides.push((l, r));
        }
        let everywhere = Evaluator {
            encoding: e,
            atoms: &atoms,
            assumption: None,
        };
        if all_included(&everywhere, &sides)? {
            return Ok(Some(How::On(Rung::True)));
        }
        let Some(from) = self.needed(goal, threads)? else {
            return Ok(None);
        };
        for rung in Rung::ALL.into_iter().filter(|r| *r >= from) {
            if rung > from && !self.may_climb {
                break;
            }
            let Some(set) = self.ladder.ask(rung)? else {
                continue;
            };
            let within = Evaluator {
                assumption: Some(set),
                ..everywhere
            };
            if all_included(&within, &sides)? {
                return Ok(Some(How::On(rung)));
            }
        }
        Ok(None)
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

    fn action(&self, threads: &[ThreadId], x: Factor) -> Option<usize> {
        let (Letter::Action(_, l) | Letter::Enabled(_, l)) = x.letter else {
            return None;
        };
        self.places.action(*threads.get(x.at)?, l)
    }

    /// Whether two factors commute because neither writes what the other reads or writes.
    fn commute(&mut self, threads: &[ThreadId], x: Factor, y: Factor) -> bool {
        let e = self.model.encoding;
        let action = |x| self.action(threads, x).map(|a| &e.actions[a]);
        match (x.letter, y.letter) {
            (Letter::Action(..), Letter::Action(..)) => match (action(x), action(y)) {
                (Some(a), Some(b)) => x.at != y.at && a.independent(b),
                _ => false,
            },
            (Letter::Action(..), Letter::Enabled(..)) => match (action(x), action(y)) {
                (Some(a), Some(_)) => match self.action(threads, y) {
                    Some(b) => {
                        let read = self.alike.bits(e, y.letter, b);
                        read.iter()
                            .all(|bit| a.rel.writes.binary_search(bit).is_err())
                    }
                    None => false,
                },
                _ => false,
            },
            (Letter::Action(..), Letter::Violated) => {
                action(x).is_some_and(|a| a.rel.writes.binary_search(&Q).is_err())
            }
            (Letter::Action(..), Letter::Phase(..)) => {
                // They say where a thread is, and only its own steps move it.
                x.at != y.at && action(x).is_some()
            }
            (Letter::Enabled(..) | Letter::Violated | Letter::Phase(..), Letter::Action(..)) => {
                self.commute(threads, y, x)
            }
            _ => false,
        }
    }

    /// Whether one step cannot follow the other, or a test: seen without composing relations.
    fn is_empty(&self, threads: &[ThreadId], x: Factor, y: Factor) -> Result<bool, Open> {
        let e = self.model.encoding;
        let (Some(a), Some(b)) = (self.action(threads, x), self.action(threads, y)) else {
            return Ok(false);
        };
        let (a, b) = (&e.actions[a], &e.actions[b]);
        Ok(match (x.letter, y.letter) {
            (Letter::Enabled(..), Letter::Action(..)) => {
                let test = match x.complemented {
                    true => a.enabled.not(),
                    false => a.enabled.clone(),
                };
                e.m.disjoint(&test, &b.rel.bdd)
            }
            // The first leads to no state where the other's thread is at its location.
            (Letter::Action(..), Letter::Action(..)) => {
                let there = a.rel.after(&e.m, &e.at(b.thread, b.location));
                e.m.disjoint(&a.rel.bdd, &there)
            }
            _ => false,
        })
    }
}

fn all_included(evaluator: &Evaluator, sides: &[(Ground, Ground)]) -> Result<bool, Open> {
    for (l, r) in sides {
        if evaluator.included(l, r)?.failure.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn form(d: &Deriver, statement: &Statement, swaps: bool) -> Form {
    let terms = &d.discharge.development.terms;
    let Some(&(left, right)) = statement.parts.first() else {
        return Form::Other;
    };
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
