//! Steps of generic threads: what an edge does, and whether that violates a discipline.
//!
//! q becomes true as in (26) of Stoller & Cohen 2003, read as the relations read it: the step accesses a protected cell
//! without the right to, or predicates overlap behind it for a cell that it accessed or whose predicates it changed.
//! Where it is not known whether they overlap, that is an atom of its own, which depends on what the predicates look
//! at.

use super::linear::{Linear, Literal};
use super::run::{
    Choice, Denied, Generic, Indexed, Key, Machine, Run, Said, Unknown, Unsaid, Values, View,
    Writes, bit,
};
use crate::base::results::Obstacle;
use crate::model::program::{ArrayId, Command, Edge, Expr, LocId, OpenDiscipline, SELF, Target};
use std::collections::BTreeSet;

/// A discipline, for all cells of its variable.
#[derive(Clone, Debug)]
pub(super) struct Discipline {
    pub open: OpenDiscipline,
    /// What its predicates look at.
    pub support: BTreeSet<Key>,
    /// Which locations of a family they tell apart from the others.
    pub regions: Vec<(usize, Vec<LocId>)>,
    /// Whether the predicates of two threads can overlap for a cell, in type-correct states.
    pub overlaps: bool,
    /// The shared variables in its predicates, with their indices.
    pub mentions: Vec<(ArrayId, Vec<Expr>)>,
    /// Whether of locations and threads' own variables each predicate looks at its own thread's only.
    pub looks_at_itself: bool,
}

/// The ways that steps may take where there is a choice, and how many ways there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Ways that are tried first; the first where nothing stands.
    pub first: rustc_hash::FxHashMap<Choice, usize>,
    /// Ways taken now.
    pub taken: rustc_hash::FxHashMap<Choice, usize>,
    /// Choices met on the way.
    pub met: rustc_hash::FxHashMap<Choice, usize>,
}

/// How choices are dealt with.
pub(super) enum Choosing<'w> {
    /// All ways.
    All,
    /// One way for each choice.
    One(&'w mut Ways),
}

/// What steps are taken in.
pub(super) struct Steps<'p> {
    pub machine: Machine<'p>,
    pub disciplines: Vec<Discipline>,
    /// The threads in question, of which predicates may be looked at.
    pub threads: Vec<Generic>,
    /// The array of the open program that each array of the instance's is.
    pub arrays: Vec<ArrayId>,
}

/// A step that is being taken.
struct Taken<'g> {
    thread: &'g Generic,
    from: LocId,
    count: usize,
    choices: usize,
}

/// The paths that go on, and those on which the step went wrong.
type Ended = (Vec<Run>, Vec<Run>);

impl Steps<'_> {
    /// The steps of a thread from a location; paths on which there is none are not among them.
    pub fn step(
        &self,
        run: Run,
        thread: &Generic,
        location: LocId,
        choosing: &mut Choosing,
    ) -> Said<Vec<Run>> {
        let program = &self.machine.parametric.program;
        let edges = &program.threads[thread.like].locations[location].edges;
        let mut run = run;
        run.accesses.clear();
        let count = {
            let left = run.left.entry((thread.number, location)).or_insert(0);
            *left += 1;
            *left
        };
        let mut taken = Taken {
            thread,
            from: location,
            count,
            choices: 0,
        };
        let before = run.clone();
        let view = View {
            thread,
            binders: Values::default(),
            accesses: true,
        };
        let mut done = Vec::new();
        for way in self.ways(edges.len(), &mut taken, choosing) {
            let mut run = run.clone();
            run.ways.insert((thread.number, location, count, 0), way);
            let edge = &edges[way];
            let open = match &edge.guard {
                None => vec![(run, Some(true))],
                Some(guard) => self.machine.truth(run, guard, &view)?,
            };
            for (run, holds) in open {
                match holds {
                    Some(false) => {}
                    None => done.push(self.wrong(run, thread)?),
                    Some(true) => {
                        let mut inner = Taken { ..taken };
                        let (on, wrong) =
                            self.commands(vec![run], &edge.body, &mut inner, &view, choosing)?;
                        done.extend(on);
                        for run in wrong {
                            done.push(self.wrong(run, thread)?);
                        }
                    }
                }
            }
        }
        let mut all = Vec::new();
        for run in done {
            all.extend(self.judged(&before, run, thread)?);
        }
        Ok(all)
    }

    /// Whether a step of a thread from a location is possible, on each path.
    pub fn is_enabled(
        &self,
        run: Run,
        thread: &Generic,
        location: LocId,
    ) -> Said<Vec<(Run, bool)>> {
        let program = &self.machine.parametric.program;
        let edges = &program.threads[thread.like].locations[location].edges;
        let (mut closed, mut all) = (vec![run], Vec::new());
        for edge in edges {
            let mut next = Vec::new();
            for run in closed {
                for (run, open) in self.is_open(run, thread, edge)? {
                    match open {
                        true => all.push((run, true)),
                        false => next.push(run),
                    }
                }
            }
            closed = next;
        }
        all.extend(closed.into_iter().map(|run| (run, false)));
        Ok(all)
    }

    /// Whether an edge can be taken, on each path: its guard holds, or goes wrong.
    fn is_open(&self, run: Run, thread: &Generic, edge: &Edge) -> Said<Vec<(Run, bool)>> {
        let Some(guard) = &edge.guard else {
            return Ok(vec![(run, true)]);
        };
        let view = View {
            thread,
            binders: Values::default(),
            accesses: false,
        };
        let all = self.machine.truth(run, guard, &view)?;
        Ok(all
            .into_iter()
            .map(|(run, v)| (run, v != Some(false)))
            .collect())
    }

    /// Whether the edge that would be taken can be, on each path.
    pub fn way_open(
        &self,
        run: Run,
        thread: &Generic,
        location: LocId,
        ways: &mut Ways,
    ) -> Said<Vec<(Run, bool)>> {
        let program = &self.machine.parametric.program;
        let edges = &program.threads[thread.like].locations[location].edges;
        let left = run.left.get(&(thread.number, location)).copied();
        let mut taken = Taken {
            thread,
            from: location,
            count: left.unwrap_or(0) + 1,
            choices: 0,
        };
        let chosen = self.ways(edges.len(), &mut taken, &mut Choosing::One(ways));
        match chosen.first() {
            Some(&way) => self.is_open(run, thread, &edges[way]),
            None => Ok(vec![(run, false)]),
        }
    }

    /// The array of the open program that an array of the instance's is.
    pub fn shared(&self, array: ArrayId) -> Option<ArrayId> {
        self.arrays.get(array).copied()
    }

    /// The ways at a choice.
    fn ways(&self, count: usize, taken: &mut Taken, choosing: &mut Choosing) -> Vec<usize> {
        let choice = (taken.thread.number, taken.from, taken.count, taken.choices);
        taken.choices += 1;
        match choosing {
            _ if count < 2 => (0..count).collect(),
            Choosing::All => (0..count).collect(),
            Choosing::One(ways) => {
                ways.met.insert(choice, count);
                let way = ways.taken.get(&choice).copied().unwrap_or(0);
                vec![way.min(count - 1)]
            }
        }
    }

    fn wrong(&self, mut run: Run, thread: &Generic) -> Said<Run> {
        let program = &self.machine.parametric.program;
        let Some(wrong) = program.threads[thread.like].wrong else {
            return Err(Unsaid::Because(Obstacle::GoesWrong));
        };
        let at = vec![thread.index.clone()];
        let here = Linear::constant(wrong as i128);
        run.writes.push((Key::Location(thread.family), at, here));
        Ok(run)
    }

    fn commands(
        &self,
        mut runs: Vec<Run>,
        commands: &[Command],
        taken: &mut Taken,
        view: &View,
        choosing: &mut Choosing,
    ) -> Said<Ended> {
        let mut wrong = Vec::new();
        for command in commands {
            let mut next = Vec::new();
            // Choices are numbered by their place in the text, not by the path.
            let choices = taken.choices;
            for run in runs {
                taken.choices = choices;
                let (on, failed) = self.command(run, command, taken, view, choosing)?;
                next.extend(on);
                wrong.extend(failed);
            }
            taken.choices = choices + 1 + width(command);
            runs = next;
        }
        Ok((runs, wrong))
    }

    fn command(
        &self,
        run: Run,
        command: &Command,
        taken: &mut Taken,
        view: &View,
        choosing: &mut Choosing,
    ) -> Said<Ended> {
        match command {
            Command::Assign(target, value) => self.assign(run, target, value, view),
            Command::Havoc(target) => self.havoc(run, target, taken, view),
            Command::Check(e, _) => {
                let (mut on, mut wrong) = (Vec::new(), Vec::new());
                for (run, holds) in self.machine.truth(run, e, view)? {
                    match holds {
                        Some(true) => on.push(run),
                        _ => wrong.push(run),
                    }
                }
                Ok((on, wrong))
            }
            Command::If(c, yes, no) => {
                let (mut on, mut wrong) = (Vec::new(), Vec::new());
                let choices = taken.choices;
                for (run, holds) in self.machine.truth(run, c, view)? {
                    // The second branch's choices have numbers behind those of the first.
                    let (branch, behind) = match holds {
                        None => {
                            wrong.push(run);
                            continue;
                        }
                        Some(true) => (yes, 0),
                        Some(false) => (no, yes.iter().map(|c| 1 + width(c)).sum()),
                    };
                    taken.choices = choices + behind;
                    let (more, failed) = self.commands(vec![run], branch, taken, view, choosing)?;
                    on.extend(more);
                    wrong.extend(failed);
                }
                Ok((on, wrong))
            }
            Command::Choose(branches) => {
                let (mut on, mut wrong) = (Vec::new(), Vec::new());
                let place = (taken.thread.number, taken.from, taken.count, taken.choices);
                let ways = self.ways(branches.len(), taken, choosing);
                let choices = taken.choices;
                for way in ways {
                    let before = branches[..way].iter().flatten();
                    taken.choices = choices + before.map(|c| 1 + width(c)).sum::<usize>();
                    let mut run = run.clone();
                    run.ways.insert(place, way);
                    let (more, failed) =
                        self.commands(vec![run], &branches[way], taken, view, choosing)?;
                    on.extend(more);
                    wrong.extend(failed);
                }
                Ok((on, wrong))
            }
            Command::Goto(location) => {
                let mut run = run;
                let at = vec![view.thread.index.clone()];
                let there = Linear::constant(*location as i128);
                run.writes
                    .push((Key::Location(view.thread.family), at, there));
                Ok((vec![run], Vec::new()))
            }
        }
    }

    /// The places that a target may be.
    fn places(&self, run: Run, target: &Target, view: &View) -> Said<(usize, Indexed)> {
        let program = &self.machine.parametric.program;
        Ok(match target {
            Target::Cell(c) => {
                let index = program.indices(*c).into_iter();
                let index = index.map(|i| Linear::constant(i as i128)).collect();
                (program.cells[*c].array, vec![(run, Some(index))])
            }
            Target::Element(array, index) => (*array, self.machine.indices(run, index, view)?),
        })
    }

    fn assign(&self, run: Run, target: &Target, value: &Expr, view: &View) -> Said<Ended> {
        let m = &self.machine;
        let (array, places) = self.places(run, target, view)?;
        let (low, high) = m.range(array)?;
        let program = &m.parametric.program;
        let wraps = program.cells[program.arrays[array].first].ty.wraps;
        let (mut on, mut wrong) = (Vec::new(), Vec::new());
        for (run, index) in places {
            let Some(index) = index else {
                wrong.push(run);
                continue;
            };
            // An index outside goes wrong before the value is looked at.
            let (inside, outside) = m.inside(run, array, &index)?;
            wrong.extend(outside);
            let mut values = Vec::new();
            for run in inside {
                values.extend(m.eval(run, value, view)?);
            }
            for (run, value) in values {
                let Some(value) = value else {
                    wrong.push(run);
                    continue;
                };
                let stored = match wraps {
                    true => m.quotient(run, true, &value, &high.add(1))?,
                    false => m.within(run, value, &low, &high)?,
                };
                for (run, value) in stored {
                    let Some(value) = value else {
                        wrong.push(run);
                        continue;
                    };
                    let written = m.element(run, array, index.clone(), view, Some(&value))?;
                    on.extend(written.into_iter().map(|(run, _)| run));
                }
            }
        }
        Ok((on, wrong))
    }

    fn havoc(&self, run: Run, target: &Target, taken: &Taken, view: &View) -> Said<Ended> {
        let edge = (taken.thread.number, taken.from, taken.count, 0);
        let way = run.ways.get(&edge).copied().unwrap_or(0);
        let place = (taken.count * 1_000 + way) * 100_000 + taken.choices;
        let m = &self.machine;
        let (array, places) = self.places(run, target, view)?;
        let (low, high) = m.range(array)?;
        let unknown = Unknown::Arbitrary(taken.thread.number, taken.thread.like, taken.from, place);
        let value = Linear::atom(m.atom(unknown));
        let (mut on, mut wrong) = (Vec::new(), Vec::new());
        for (run, index) in places {
            let Some(index) = index else {
                wrong.push(run);
                continue;
            };
            let (inside, outside) = m.inside(run, array, &index)?;
            wrong.extend(outside);
            for run in inside {
                let above = m.with(&run, Literal::NonNegative(value.minus(&low)))?;
                let Some(run) = above else { continue };
                let within = m.with(&run, Literal::NonNegative(high.minus(&value)))?;
                let Some(run) = within else { continue };
                let written = m.element(run, array, index.clone(), view, Some(&value))?;
                on.extend(written.into_iter().map(|(run, _)| run));
            }
        }
        Ok((on, wrong))
    }

    /// A step from `before`, with q as it then is.
    fn judged(&self, before: &Run, run: Run, thread: &Generic) -> Said<Vec<Run>> {
        let mut open = vec![run];
        let mut violated = Vec::new();
        for d in 0..self.disciplines.len() {
            let mut next = Vec::new();
            for run in open {
                let (fine, bad) = self.against(d, before, run, thread)?;
                next.extend(fine);
                violated.extend(bad);
            }
            open = next;
        }
        for run in &mut violated {
            run.writes.push((Key::Violated, Vec::new(), bit(true)));
        }
        open.extend(violated);
        Ok(open)
    }

    /// The paths on which a step keeps a discipline, and those on which it violates it.
    fn against(&self, d: usize, before: &Run, run: Run, thread: &Generic) -> Said<Ended> {
        let discipline = &self.disciplines[d];
        let mut cells: Vec<(Vec<Linear>, bool)> = Vec::new();
        for (_, index, writes) in run.accesses.iter().filter(|a| a.0 == discipline.open.array) {
            match cells.iter_mut().find(|(known, _)| known == index) {
                Some((_, written)) => *written |= writes,
                None => cells.push((index.clone(), *writes)),
            }
        }
        let (mut open, mut violated) = (vec![run], Vec::new());
        for (index, written) in &cells {
            let mut next = Vec::new();
            for run in open {
                // The right is looked at in the state before the step.
                for (run, right) in
                    self.holds_at(run, before.writes.len(), d, thread, index, *written)?
                {
                    match right {
                        true => next.push(run),
                        false => violated.push(run),
                    }
                }
            }
            open = next;
        }
        if !discipline.overlaps {
            return Ok((open, violated));
        }
        let mut fine = Vec::new();
        let accessed: Vec<Vec<Linear>> = cells.into_iter().map(|(index, _)| index).collect();
        for run in open {
            let (no, yes) = self.overlap((d, thread), before.writes.len(), run, &accessed)?;
            fine.extend(no);
            violated.extend(yes);
        }
        Ok((fine, violated))
    }

    /// Whether a thread had the right to a cell after the first `length` writes of a path.
    fn holds_at(
        &self,
        run: Run,
        length: usize,
        d: usize,
        thread: &Generic,
        index: &[Linear],
        write: bool,
    ) -> Said<Vec<(Run, bool)>> {
        let mut earlier = run.clone();
        let later = earlier.writes.split_off(length);
        let all = self.right(earlier, d, thread, index, write)?;
        let restored = all.into_iter().map(|(mut run, right)| {
            run.writes.extend(later.iter().cloned());
            (run, right)
        });
        Ok(restored.collect())
    }

    /// Whether a thread has the right to a cell.
    pub fn right(
        &self,
        run: Run,
        d: usize,
        thread: &Generic,
        index: &[Linear],
        write: bool,
    ) -> Said<Vec<(Run, bool)>> {
        let discipline = &self.disciplines[d].open;
        let binders = discipline.binders.iter().copied();
        let view = View {
            thread,
            binders: binders.zip(index.iter().cloned()).collect(),
            accesses: false,
        };
        let Some((exclusive, reading)) = discipline.predicates.get(thread.like) else {
            return Ok(vec![(run, false)]);
        };
        let mut all = Vec::new();
        for (run, holds) in self.machine.truth(run, exclusive, &view)? {
            match holds {
                Some(true) => all.push((run, true)),
                _ if write || exclusive == reading => all.push((run, false)),
                _ => {
                    let less = self.machine.truth(run, reading, &view)?;
                    all.extend(less.into_iter().map(|(run, v)| (run, v == Some(true))));
                }
            }
        }
        Ok(all)
    }

    /// The paths on which a step does not violate a discipline by predicates that overlap behind it, and those on which
    /// it does.
    fn overlap(
        &self,
        (d, thread): (usize, &Generic),
        before: usize,
        run: Run,
        accessed: &[Vec<Linear>],
    ) -> Said<Ended> {
        let ahead = self.relevant(&run, d, before, None)?;
        let behind = self.relevant(&run, d, run.writes.len(), None)?;
        let changes = ahead != behind;
        if accessed.is_empty() && !changes {
            return Ok((vec![run], Vec::new()));
        }
        let step = Denied {
            discipline: d,
            writes: (before, run.writes.len()),
            accessed: accessed.to_vec(),
            only_accessed: !changes,
        };
        if self.surely_overlaps(&run, &step)? {
            return Ok((Vec::new(), vec![run]));
        }
        let mut unknowns = Vec::new();
        for index in accessed {
            let here = self.relevant(&run, d, run.writes.len(), Some(index))?;
            unknowns.push(Unknown::Overlap(d, index.clone(), here));
        }
        if changes {
            let (ahead, behind) = self.concerned(&run, d, before, thread, (ahead, behind))?;
            unknowns.push(Unknown::Changed(d, ahead, behind));
        }
        let (mut open, mut violated) = (Some(run), Vec::new());
        for unknown in unknowns {
            let Some(run) = open.take() else { break };
            let atom = Linear::atom(self.machine.atom(unknown.clone()));
            let (no, yes) = self.machine.divide(&run, Literal::Zero(atom.clone()))?;
            let yes = match yes {
                Some(run) => self.machine.with(&run, Literal::Zero(atom.add(-1)))?,
                None => None,
            };
            if let Some(run) = yes {
                violated.extend(self.overlapped(run, &unknown)?);
            }
            open = no;
        }
        let kept = open.map(|mut run| {
            run.denied.push(step);
            run
        });
        Ok((kept.into_iter().collect(), violated))
    }

    /// A path on which predicates overlap for a cell, with what that says of earlier states: behind a step that is
    /// taken to have no part in it they overlap only if they did before.
    fn overlapped(&self, run: Run, unknown: &Unknown) -> Said<Option<Run>> {
        let Unknown::Overlap(d, cell, here) = unknown else {
            return Ok(Some(run));
        };
        let (mut run, mut here) = (run, here.clone());
        for step in run
            .denied
            .clone()
            .iter()
            .rev()
            .filter(|s| s.discipline == *d)
        {
            if self.relevant(&run, *d, step.writes.1, Some(cell))? != here {
                continue;
            }
            here = self.relevant(&run, *d, step.writes.0, Some(cell))?;
            let earlier = Unknown::Overlap(*d, cell.clone(), here.clone());
            let atom = Linear::atom(self.machine.atom(earlier));
            match self.machine.with(&run, Literal::Zero(atom.add(-1)))? {
                Some(more) => run = more,
                None => return Ok(None),
            }
        }
        Ok(Some(run))
    }

    /// Whether a path is impossible, since predicates overlap where it takes them not to.
    pub fn is_impossible(&self, run: &Run) -> Said<bool> {
        for step in &run.denied {
            if self.surely_overlaps(run, step)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether predicates of two of the threads in question overlap behind a step for a cell that it accessed or whose
    /// predicates it changed, whatever else holds.
    fn surely_overlaps(&self, run: &Run, step: &Denied) -> Said<bool> {
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
    fn relevant(
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
    fn concerned(
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

/// How many choices a command may have.
fn width(command: &Command) -> usize {
    let inside = |all: &[Command]| all.iter().map(|c| 1 + width(c)).sum::<usize>();
    match command {
        Command::If(_, a, b) => inside(a) + inside(b),
        Command::Choose(branches) => branches.iter().map(|b| inside(b)).sum(),
        _ => 0,
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
