//! Whether a fact holds for all numbers of threads.
//!
//! A fact is an inclusion between products of letters. Each path of the left side, from an arbitrary type-correct
//! state, has to be one of the right side: the same state behind, q included. Where the right side may choose, it first
//! takes the ways that the left side took.

use super::access::Known;
use super::linear::{Linear, Literal};
use super::loops;
use super::oracle::{Oracle, Place};
use super::products::{Factor, Words};
use super::run::{Generic, Key, Placed, Run, Said, Unsaid, onward};
use super::step::{Choosing, Steps, Ways};
use crate::base::evidence::{Letter, Right};
use crate::base::results::Obstacle;
use crate::kernel::{Id, Node, Sym};
use crate::model::program::{LocId, Program};

/// Ways that are tried for one product of the right side.
const MOST_WAYS: usize = 256;

/// How often a path may divide again to be covered.
const DEEPEST: usize = 8;

/// A statement about generic threads, and what its letters stand for.
#[derive(Clone)]
pub(super) struct Question<'q, 'p> {
    pub steps: &'q Steps<'p>,
    pub words: Words<'q>,
    /// The program of the instance.
    pub program: &'q Program,
    /// What holds of threads where they are, if that may be made use of.
    pub known: Option<(&'q Oracle<'p>, &'q Known)>,
}

impl Question<'_, '_> {
    /// Whether `left <= right`, from each of these paths.
    pub fn included(&self, begun: &[Run], left: Id, right: Id) -> Said<bool> {
        let products = self.words.products(right)?;
        if let Node::Omega(run) = self.words.speech.terms.node(left) {
            return self.ends(*run, &products);
        }
        for product in self.words.products(left)? {
            for run in self.placed(begun.to_vec(), &product)? {
                if !self.product(&run, &product, &products)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The states in which a product may begin, each thread where its first letter has it.
    fn placed(&self, runs: Vec<Run>, product: &[Factor]) -> Said<Vec<Run>> {
        let Some((oracle, known)) = self.known else {
            return Ok(runs);
        };
        let mut placed: Vec<(Vec<Run>, Vec<Option<Place>>)> = vec![(runs, Vec::new())];
        for (n, (_, kind)) in self.words.variables.iter().enumerate() {
            let first = product.iter().find_map(|factor| match *factor {
                Factor::Step(thread, letter) if thread == n => Some(letter),
                Factor::Test(thread, letter, true) if thread == n => Some(letter),
                _ => None,
            });
            let locations = first.map_or(&[][..], |letter| self.words.locations(letter));
            placed = onward(placed, |(runs, places)| {
                let with = |place| [places.as_slice(), &[place]].concat();
                if locations.is_empty() {
                    return Ok(vec![(runs, with(None))]);
                }
                let at = |l: &LocId| {
                    let there = known.at(self.steps, runs.clone(), (n, *kind), *l)?;
                    Ok((there, with(Some((*kind, *l)))))
                };
                locations.iter().map(at).collect()
            })?;
        }
        onward(placed, |(runs, places)| {
            known.sums.below(oracle, self.steps, &places, runs, &[])
        })
    }

    /// Whether steps of one thread come to an end.
    fn ends(&self, of: Id, products: &[Vec<Factor>]) -> Said<bool> {
        let all = self.words.products(of)?;
        let mut locations = std::collections::BTreeSet::new();
        let mut thread = None;
        for product in all {
            let [Factor::Step(t, letter)] = product.as_slice() else {
                return Err(Unsaid::Because(Obstacle::Form));
            };
            if thread.is_some_and(|known| known != *t) {
                return Err(Unsaid::Because(Obstacle::Form));
            }
            thread = Some(*t);
            locations.extend(self.words.locations(*letter).iter().copied());
        }
        let machine = &self.steps.machine;
        let ends = match thread.map(|t| self.steps.threads[t].like) {
            Some(like) => loops::end(machine.parametric, like, &locations, machine.control)?,
            None => true,
        };
        match ends && products.is_empty() {
            true => Ok(true),
            false => Err(Unsaid::Because(Obstacle::Loops)),
        }
    }

    /// Whether all paths of a product are among those of others.
    fn product(&self, begun: &Run, left: &[Factor], right: &[Vec<Factor>]) -> Said<bool> {
        self.steps.machine.begin();
        let (left, ends_anywhere) = match left.split_last() {
            Some((Factor::Top, rest)) => (rest, true),
            _ => (left, false),
        };
        let mut runs = vec![begun.clone()];
        for factor in left {
            let mut next = Vec::new();
            for run in runs {
                next.extend(self.forward(run, *factor)?);
            }
            runs = next;
        }
        for run in runs {
            if self.steps.is_impossible(&run)? {
                continue;
            }
            let mut start = run.clone();
            start.writes = begun.writes.clone();
            start.left = begun.left.clone();
            start.denied.clear();
            let goal = Goal {
                run: &run,
                ends_anywhere,
                begun,
            };
            if !self.covered(start, &goal, right, DEEPEST)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All paths through a factor of the left side.
    fn forward(&self, run: Run, factor: Factor) -> Said<Vec<Run>> {
        match factor {
            Factor::Top => Err(Unsaid::Because(Obstacle::Form)),
            Factor::Test(thread, letter, wanted) => {
                let all = self.test(run, thread, letter)?;
                let kept = all.into_iter().filter(|(_, holds)| *holds == wanted);
                Ok(kept.map(|(run, _)| run).collect())
            }
            Factor::Step(thread, letter) => {
                let thread = &self.steps.threads[thread];
                let mut all = Vec::new();
                for (run, location) in self.leaves(run, thread, letter)?.0 {
                    all.extend(self.steps.step(run, thread, location, &mut Choosing::All)?);
                }
                Ok(all)
            }
        }
    }

    /// The paths on which a thread is at one of a letter's locations, and that on which it is at none.
    fn leaves(&self, run: Run, thread: &Generic, letter: Sym) -> Said<(Placed, Vec<Run>)> {
        let m = &self.steps.machine;
        let locations = self.words.locations(letter);
        let (mut all, mut none) = (Vec::new(), Vec::new());
        let index = std::slice::from_ref(&thread.index);
        for (run, at) in m.read(run, &Key::Location(thread.family), index)? {
            let at = run.settled(&at);
            let (there, elsewhere) = m.one_of(run, &at, locations)?;
            all.extend(there);
            none.extend(elsewhere);
        }
        Ok((all, none))
    }

    /// Whether a test holds, on each path.
    fn test(&self, run: Run, thread: usize, letter: Sym) -> Said<Vec<(Run, bool)>> {
        let m = &self.steps.machine;
        match self.words.letter(letter)? {
            Letter::Violated => {
                let mut all = Vec::new();
                for (run, q) in m.read(run, &Key::Violated, &[])? {
                    let (no, yes) = m.divide(&run, Literal::Zero(q))?;
                    all.extend(yes.map(|run| (run, true)));
                    all.extend(no.map(|run| (run, false)));
                }
                Ok(all)
            }
            Letter::Access { cell, right, .. } => {
                let mut cells = self.program.cells.iter();
                let Some(cell) = cells.position(|c| c.name == *cell) else {
                    return Err(Unsaid::Because(Obstacle::Form));
                };
                let array = self.program.cells[cell].array;
                let array = self.steps.shared(array);
                let found = self
                    .steps
                    .disciplines
                    .iter()
                    .position(|d| Some(d.open.array) == array);
                let Some(d) = found else {
                    return Err(Unsaid::Because(Obstacle::Form));
                };
                let index = self.program.indices(cell).into_iter();
                let index: Vec<Linear> = index.map(|i| Linear::constant(i as i128)).collect();
                let exclusive = *right == Right::Exclusive;
                self.steps
                    .right(run, d, &self.steps.threads[thread], &index, exclusive)
            }
            _ => {
                let thread = &self.steps.threads[thread];
                let (there, none) = self.leaves(run, thread, letter)?;
                let mut all: Vec<(Run, bool)> = none.into_iter().map(|run| (run, false)).collect();
                for (run, location) in there {
                    all.extend(self.steps.is_enabled(run, thread, location)?);
                }
                Ok(all)
            }
        }
    }

    /// Whether the right side leads to the goal on all continuations of a path.
    fn covered(&self, run: Run, goal: &Goal, right: &[Vec<Factor>], depth: usize) -> Said<bool> {
        if depth == 0 {
            return Ok(false);
        }
        let mut divided: Option<Vec<Run>> = None;
        for product in right {
            let mut ways = Ways {
                first: (*goal.run.ways).clone(),
                taken: (*goal.run.ways).clone(),
                ..Ways::default()
            };
            for _ in 0..MOST_WAYS {
                ways.met.clear();
                let ends = self.backed(run.clone(), product, goal, &mut ways)?;
                let mut open = Vec::new();
                for (run, arrived) in &ends {
                    if !arrived && !self.steps.is_impossible(run)? {
                        open.push(run.clone());
                    }
                }
                if open.is_empty() && !ends.is_empty() {
                    return Ok(true);
                }
                // Some of it is covered, or at least more is known: the rest is asked for again.
                let is_news = open.len() < ends.len() || ends.len() > 1;
                if is_news
                    && divided
                        .as_ref()
                        .is_none_or(|known| open.len() < known.len())
                {
                    divided = Some(open);
                }
                if !next_way(&mut ways) {
                    break;
                }
            }
        }
        let Some(rest) = divided else {
            return Ok(false);
        };
        for mut run in rest {
            run.writes = goal.begun.writes.clone();
            run.left = goal.begun.left.clone();
            run.denied.clear();
            if !self.covered(run, goal, right, depth - 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The ends of a product's paths, and whether each is the goal.
    fn backed(
        &self,
        run: Run,
        product: &[Factor],
        goal: &Goal,
        ways: &mut Ways,
    ) -> Said<Vec<(Run, bool)>> {
        let (mut open, mut ends) = (vec![run], Vec::new());
        for (n, factor) in product.iter().enumerate() {
            let mut next = Vec::new();
            for run in open {
                match *factor {
                    Factor::Top if n + 1 == product.len() => ends.push((run, true)),
                    Factor::Top => return Err(Unsaid::Because(Obstacle::Form)),
                    Factor::Test(thread, letter, wanted) => {
                        let all = self.test(run, thread, letter)?;
                        let (on, off): (Vec<_>, Vec<_>) =
                            all.into_iter().partition(|x| x.1 == wanted);
                        next.extend(on.into_iter().map(|(run, _)| run));
                        ends.extend(off.into_iter().map(|(run, _)| (run, false)));
                    }
                    Factor::Step(thread, letter) => {
                        let (on, none) = self.one_way(run, thread, letter, ways)?;
                        next.extend(on);
                        ends.extend(none.into_iter().map(|run| (run, false)));
                    }
                }
            }
            open = next;
        }
        let is_top = matches!(product.last(), Some(Factor::Top));
        for run in open {
            match goal.ends_anywhere {
                true => ends.push((run, false)),
                false if is_top => ends.push((run, true)),
                false => ends.extend(self.arrived(run, goal)?),
            }
        }
        Ok(ends)
    }

    /// The step of a thread that is chosen now, and the paths on which there is none.
    fn one_way(
        &self,
        run: Run,
        thread: usize,
        letter: Sym,
        ways: &mut Ways,
    ) -> Said<(Vec<Run>, Vec<Run>)> {
        let thread = &self.steps.threads[thread];
        let (there, mut none) = self.leaves(run, thread, letter)?;
        let mut on = Vec::new();
        for (run, location) in there {
            for (run, is_open) in self.steps.way_open(run, thread, location, ways)? {
                match is_open {
                    true => {
                        let mut one = Choosing::One(ways);
                        on.extend(self.steps.step(run, thread, location, &mut one)?);
                    }
                    false => none.push(run),
                }
            }
        }
        Ok((on, none))
    }

    /// Whether a path has arrived at the goal's state.
    fn arrived(&self, run: Run, goal: &Goal) -> Said<Vec<(Run, bool)>> {
        let m = &self.steps.machine;
        let from = goal.begun.writes.len();
        let touched = goal.run.writes[from..].iter().chain(&run.writes[from..]);
        let mut cells: Vec<(Key, Vec<Linear>)> = Vec::new();
        for (key, index, _) in touched {
            if !cells.iter().any(|(k, i)| k == key && i == index) {
                cells.push((key.clone(), index.clone()));
            }
        }
        let (mut same, mut ends) = (vec![run], Vec::new());
        for (key, index) in cells {
            let mut next = Vec::new();
            for run in same {
                for (run, here) in m.read(run, &key, &index)? {
                    let mut there = run.clone();
                    there.writes = goal.run.writes.clone();
                    for (mut there, wanted) in m.read(there, &key, &index)? {
                        there.writes = run.writes.clone();
                        let (equal, other) =
                            m.divide(&there, Literal::Zero(here.minus(&wanted)))?;
                        next.extend(equal);
                        ends.extend(other.map(|run| (run, false)));
                    }
                }
            }
            same = next;
        }
        ends.extend(same.into_iter().map(|run| (run, true)));
        Ok(ends)
    }
}

/// Where the left side has led.
struct Goal<'r> {
    run: &'r Run,
    /// The left side ends in T.
    ends_anywhere: bool,
    begun: &'r Run,
}

/// The next choice of ways; false after the last.
fn next_way(ways: &mut Ways) -> bool {
    let mut met: Vec<_> = ways.met.iter().map(|(c, n)| (*c, *n)).collect();
    met.sort_unstable();
    // Each choice turns in a circle that begins where the left side went.
    for (choice, count) in met.into_iter().rev() {
        let start = ways.first.get(&choice).copied().unwrap_or(0);
        let now = ways.taken.get(&choice).copied().unwrap_or(0);
        let next = (now + 1) % count;
        ways.taken.insert(choice, next);
        if next != start % count {
            return true;
        }
    }
    false
}
