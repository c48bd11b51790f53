//! Facts about two threads on the states whose views are reached.

use super::super::Oracle;
use super::super::products::{Factor, Words};
use super::super::run::{Said, Unsaid};
use super::{Alone, ONE, STEP, Shared, TWO, View, Views};
use crate::base::evidence::{Letter, Right};
use crate::base::results::Obstacle;
use crate::kernel::{Id, Node};
use crate::model::program::LocId;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl Views {
    /// Whether an inclusion holds of threads of these kinds in each state whose views are reached. In none of them the
    /// discipline has been violated.
    ///
    /// # Errors
    /// That it has no such form, or a limit that was hit.
    pub fn included(
        &mut self,
        oracle: &Oracle,
        words: Words,
        (left, right): (Id, Id),
    ) -> Said<bool> {
        let is_run = matches!(words.speech.terms.node(left), Node::Omega(_));
        if is_run || words.variables.is_empty() || words.variables.len() > 2 {
            return Ok(false);
        }
        let (lefts, rights) = (words.products(left)?, words.products(right)?);
        let mut views: Vec<View> = self.views.iter().copied().collect();
        if words.variables.len() == 1 {
            let mut seen = FxHashSet::default();
            views.retain(|(shared, one, _)| seen.insert((*shared, *one)));
        }
        for view in views {
            let of = [view.1, view.2].map(|own| self.all_own.get(own).0);
            if words
                .variables
                .iter()
                .zip(of)
                .any(|((_, kind), is)| *kind != is)
            {
                continue;
            }
            let (mut leads, mut may) = (FxHashSet::default(), FxHashSet::default());
            let from = self.ends(oracle, words, view, &lefts, &mut leads)?;
            let to = self.ends(oracle, words, view, &rights, &mut may)?;
            if !to && (from || !leads.is_subset(&may)) {
                return Ok(false);
            }
        }
        self.is_used = true;
        Ok(true)
    }

    /// Where products lead; whether one of them leads anywhere.
    fn ends(
        &mut self,
        oracle: &Oracle,
        words: Words,
        from: View,
        products: &[Vec<Factor>],
        into: &mut FxHashSet<View>,
    ) -> Said<bool> {
        for product in products {
            let mut at = vec![from];
            for (n, factor) in product.iter().enumerate() {
                oracle.control.worked(STEP);
                oracle.control.check()?;
                let mut next = Vec::new();
                for view in at {
                    match *factor {
                        Factor::Top if n + 1 == product.len() => return Ok(true),
                        Factor::Top => return Err(Unsaid::Because(Obstacle::Form)),
                        Factor::Test(thread, letter, wanted) => {
                            let is = self.test(oracle, view, thread, words.letter(letter)?)?;
                            next.extend((is == wanted).then_some(view));
                        }
                        Factor::Step(thread, letter) => {
                            self.step(oracle, view, thread, words.locations(letter), &mut next)?;
                        }
                    }
                }
                at = next;
            }
            into.extend(at);
        }
        Ok(false)
    }

    /// A view as one of its threads has it.
    fn alone_in(
        &mut self,
        oracle: &Oracle,
        (shared, one, two): View,
        thread: usize,
    ) -> Said<(Shared, Rc<Alone>)> {
        let (code, own) = if thread == 0 { (ONE, one) } else { (TWO, two) };
        let mine = self.mine(shared, code);
        Ok((mine, self.alone(oracle, (mine, own))?))
    }

    /// The steps of a thread that is at one of these locations.
    fn step(
        &mut self,
        oracle: &Oracle,
        view: View,
        thread: usize,
        locations: &[LocId],
        into: &mut Vec<View>,
    ) -> Said<()> {
        let (shared, one, two) = view;
        if !self.is_at(view, thread, locations) {
            return Ok(());
        }
        let (mine, alone) = self.alone_in(oracle, view, thread)?;
        for &(after, there) in &alone.steps {
            let code = if thread == 0 { ONE } else { TWO };
            let changed = self.changed(shared, (mine, after), code)?;
            into.push(match thread {
                0 => (changed, there, two),
                _ => (changed, one, there),
            });
        }
        Ok(())
    }

    fn is_at(&self, (_, one, two): View, thread: usize, locations: &[LocId]) -> bool {
        let own = if thread == 0 { one } else { two };
        locations.contains(&self.all_own.get(own).1)
    }

    /// Whether a test holds of a thread.
    fn test(&mut self, oracle: &Oracle, view: View, thread: usize, letter: &Letter) -> Said<bool> {
        let alone = self.alone_in(oracle, view, thread)?.1;
        Ok(match letter {
            Letter::Violated => false,
            Letter::Enabled { locations, .. } => {
                self.is_at(view, thread, locations) && !alone.steps.is_empty()
            }
            Letter::Access { cell, right, .. } => {
                let mut all = oracle.program.protections.iter();
                let x = all.position(|x| oracle.program.cells[x.cell].name == *cell);
                let (write, read) = alone.rights[x.ok_or(Unsaid::Because(Obstacle::Form))?];
                match right {
                    Right::Exclusive => write,
                    _ => read,
                }
            }
            _ => return Err(Unsaid::Because(Obstacle::Form)),
        })
    }
}
