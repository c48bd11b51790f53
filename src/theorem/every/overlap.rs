//! What is known of whether predicates overlap: which of those atoms are one, and on which paths they surely do.

use super::linear::Linear;
use super::run::{Denied, Generic, Key, Machine, Run, Said, Unknown, Values, Writes};
use super::step::{Discipline, Steps};
use crate::model::program::{ArrayId, Expr, SELF};
use std::collections::BTreeSet;

impl Steps<'_> {
    /// Whether a path is impossible, since predicates overlap where it takes them not to.
    pub fn is_impossible(&self, run: &Run) -> Said<bool> {
        for step in run.denied.iter() {
            if self.surely_overlaps(run, step)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether predicates of two of the threads in question overlap behind a step for a cell that it accessed or whose
    /// predicates it changed, whatever else holds.
    pub fn surely_overlaps(&self, run: &Run, step: &Denied) -> Said<bool> {
        let d = step.discipline;
        let arity = self.disciplines[d].open.binders.len();
        let mut earlier = run.clone();
        earlier.writes.truncate(step.writes.0);
        let mut later = run.clone();
        later.writes.truncate(step.writes.1);
        let mut cells: Vec<(Vec<Linear>, bool)> = step
            .accessed
            .iter()
            .map(|index| (index.clone(), true))
            .collect();
        if !step.only_accessed {
            // A cell whose predicates were changed may have the indices of what was written.
            for (_, index, _) in &run.writes[step.writes.0..step.writes.1] {
                if index.len() == arity {
                    cells.push((index.clone(), false));
                }
            }
            let array = self.disciplines[d].open.array;
            for (_, index, _) in run.accesses.iter().filter(|a| a.0 == array) {
                cells.push((index.clone(), false));
            }
        }
        for (index, is_accessed) in cells {
            // Of a cell that there is.
            let array = self.disciplines[d].open.array;
            if !self
                .machine
                .inside(later.clone(), array, &index)?
                .1
                .is_empty()
            {
                continue;
            }
            for one in &self.threads {
                if !self.surely(&later, d, one, &index, (true, true))? {
                    continue;
                }
                for other in self.threads.iter().filter(|t| t.number != one.number) {
                    if !self.surely(&later, d, other, &index, (false, true))? {
                        continue;
                    }
                    let changed = is_accessed
                        || self.surely(&earlier, d, one, &index, (true, false))?
                        || self.surely(&earlier, d, other, &index, (true, false))?;
                    if changed {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether a thread has access, or has none, on all continuations of a path.
    fn surely(
        &self,
        run: &Run,
        d: usize,
        thread: &Generic,
        index: &[Linear],
        (write, wanted): (bool, bool),
    ) -> Said<bool> {
        let all = self.right(run.clone(), d, thread, index, write)?;
        Ok(all.iter().all(|(_, right)| *right == wanted))
    }

    /// What the first writes of a path did to the variables that predicates look at (those for one cell, or for all),
    /// in an order that does not depend on that in which they were made where they concern different cells.
    pub fn relevant(
        &self,
        run: &Run,
        d: usize,
        length: usize,
        cell: Option<&[Linear]>,
    ) -> Said<Writes> {
        let Discipline { support, .. } = &self.disciplines[d];
        let mut all: Writes = Vec::new();
        let mut is_free = true;
        for (key, index, value) in run.writes[..length]
            .iter()
            .filter(|w| support.contains(&w.0))
        {
            all.retain(|(k, i, _)| k != key || i != index);
            for (_, i, _) in all.iter().filter(|(k, _, _)| k == key) {
                is_free &= self.machine.same(run, index, i)?.0.is_none();
            }
            let value = self.told_apart(d, key, value);
            all.push((key.clone(), index.clone(), value));
        }
        // A thread that came back to where it was, as far as predicates can tell, has not moved.
        let stays = |(key, index, value): &(Key, Vec<Linear>, Linear)| {
            let was = run.base_value(key, index);
            was.is_some_and(|was| self.told_apart(d, key, &was) == *value)
        };
        all.retain(|w| !matches!(w.0, Key::Location(_)) || !stays(w));
        if let Some(cell) = cell {
            let mut kept = Vec::new();
            for write in all {
                if !self.leaves_alone(run, d, length, &write, cell)? {
                    kept.push(write);
                }
            }
            all = kept;
        }
        if is_free {
            all.sort();
        }
        Ok(all)
    }

    /// Whether where a thread is now, or what its own variables hold, is nothing to the predicates for a cell: its own
    /// would say the same if it had not moved, and others' do not look at it.
    fn leaves_alone(
        &self,
        run: &Run,
        d: usize,
        length: usize,
        (key, index, _): &(Key, Vec<Linear>, Linear),
        cell: &[Linear],
    ) -> Said<bool> {
        if let Key::Shared(array) = key {
            return self.unmentioned(run, d, (*array, index), cell);
        }
        if !self.disciplines[d].looks_at_itself {
            return Ok(false);
        }
        let family_of = |key: &Key| match key {
            Key::Location(family) | Key::Own(family, _) => Some(*family),
            _ => None,
        };
        let of_it =
            |t: &&Generic| Some(t.family) == family_of(key) && index.first() == Some(&t.index);
        let Some(thread) = self.threads.iter().find(of_it) else {
            return Ok(false);
        };
        let is_own = |key: &Key| family_of(key) == Some(thread.family);
        let mut now = run.clone();
        now.writes.truncate(length);
        let mut before = now.clone();
        before
            .writes
            .retain(|(k, i, _)| !is_own(k) || i.first() != Some(&thread.index));
        for write in [true, false] {
            let same = |wanted: bool| -> Said<bool> {
                Ok(self.surely(&before, d, thread, cell, (write, wanted))?
                    && self.surely(&now, d, thread, cell, (write, wanted))?)
            };
            if !same(true)? && !same(false)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the predicates for a cell look at other cells of a variable than this one.
    fn unmentioned(
        &self,
        run: &Run,
        d: usize,
        (array, index): (ArrayId, &[Linear]),
        cell: &[Linear],
    ) -> Said<bool> {
        let discipline = &self.disciplines[d];
        let binders = discipline.open.binders.iter().copied();
        let values: Values = binders.zip(cell.iter().cloned()).collect();
        for (_, mention) in discipline.mentions.iter().filter(|m| m.0 == array) {
            let there: Said<Vec<Linear>> = mention
                .iter()
                .map(|e| self.machine.open_term(e, &values))
                .collect();
            // An index that depends on the thread, or on the state, may be any.
            let Ok(there) = there else { return Ok(false) };
            if self.machine.same(run, index, &there)?.0.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What was written that matters to the cells whose predicates a step of a thread changed, before and behind it. If
    /// the step wrote nothing but what is the thread's own, only its own predicates changed.
    pub fn concerned(
        &self,
        run: &Run,
        d: usize,
        before: usize,
        thread: &Generic,
        both: (Writes, Writes),
    ) -> Said<(Writes, Writes)> {
        let discipline = &self.disciplines[d];
        let own = |w: &(Key, Vec<Linear>, Linear)| match &w.0 {
            Key::Location(f) | Key::Own(f, _) => {
                *f == thread.family && w.1.first() == Some(&thread.index)
            }
            key => !discipline.support.contains(key),
        };
        if !discipline.looks_at_itself || !run.writes[before..].iter().all(own) {
            return Ok(both);
        }
        let named = |n: usize| Unknown::Named(format!("[{n}] changed"));
        let arity = discipline.open.binders.len();
        let cell: Vec<Linear> = (0..arity)
            .map(|n| Linear::atom(self.machine.atom(named(n))))
            .collect();
        let (inside, _) = self
            .machine
            .inside(run.clone(), discipline.open.array, &cell)?;
        let mut changed = Vec::new();
        for run in inside {
            for write in [true, false] {
                let length = run.writes.len();
                for (run, now) in self.holds_at(run.clone(), length, d, thread, &cell, write)? {
                    let all = self.holds_at(run, before, d, thread, &cell, write)?;
                    changed.extend(all.into_iter().filter(|x| x.1 != now).map(|x| x.0));
                }
            }
        }
        let (mut ahead, mut behind) = both;
        let mut kept = Vec::new();
        for write in &behind {
            let mut is_alone = !own(write);
            for run in &changed {
                is_alone = is_alone && self.leaves_alone(run, d, run.writes.len(), write, &cell)?;
            }
            if !is_alone {
                kept.push(write.clone());
            }
        }
        let dropped = |w: &(Key, Vec<Linear>, Linear)| behind.contains(w) && !kept.contains(w);
        ahead.retain(|w| !dropped(w));
        behind = kept;
        Ok((ahead, behind))
    }

    /// A location, or one that the predicates of a discipline do not tell apart from it; other values as they are.
    fn told_apart(&self, d: usize, key: &Key, value: &Linear) -> Linear {
        let (Key::Location(family), Some(l)) = (key, value.value()) else {
            return value.clone();
        };
        let of_family = self.disciplines[d]
            .regions
            .iter()
            .filter(|(f, _)| f == family);
        let signature: Vec<bool> = of_family
            .map(|(_, all)| all.iter().any(|x| *x as i128 == l))
            .collect();
        // Numbered behind all locations, so that no location is taken for a signature.
        let code = signature
            .iter()
            .fold(1i128, |code, bit| 2 * code + i128::from(*bit));
        Linear::constant(-code)
    }
}

/// What an expression looks at, in the eyes of a thread.
pub(super) fn looks_at(m: &Machine, e: &Expr, thread: &Generic, into: &mut BTreeSet<Key>) {
    e.walk(&mut |e| match e {
        Expr::Cell(c) if !m.parametric.open.is_open(*c) => {
            if let Some(cell) = m.parametric.program.cells.get(*c) {
                into.insert(m.key(cell.array, thread).0);
            }
        }
        Expr::Element(array, _) | Expr::Via(_, Some(array)) => {
            into.insert(m.key(*array, thread).0);
        }
        Expr::At(t, _) => {
            let family = match *t == SELF {
                true => thread.family,
                false => m.parametric.open.members[*t].0,
            };
            into.insert(Key::Location(family));
        }
        _ => {}
    });
}
