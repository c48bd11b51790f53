//! Steps of generic threads: what an edge does. Whether that violates a discipline is said in `violation.rs`.

use super::linear::{Linear, Literal};
use super::run::{
    Choice, Failed, Failure, Generic, Indexed, Key, Machine, Run, Said, Unknown, Unsaid, Values,
    View,
};
use crate::base::results::Obstacle;
use crate::model::program::{ArrayId, Command, Edge, Expr, LocId, OpenDiscipline, Target};
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

/// The paths that go on, and those on which the step violates something.
pub(super) type Ended = (Vec<Run>, Vec<Run>);

/// The paths that go on, and those on which the step went wrong, with how it did, by the command where that is known.
type Gone = (Vec<Run>, Vec<(Run, Where)>);

/// A command by its place in the text, and how it goes wrong.
type Where = (Option<usize>, Failure);

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
        run.failed = None;
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
                    None => done.push(self.wrong(run, thread, way, (None, Failure::Evaluation))?),
                    Some(true) => {
                        let mut inner = Taken { ..taken };
                        let (on, wrong) =
                            self.commands(vec![run], &edge.body, &mut inner, &view, choosing)?;
                        done.extend(on);
                        for (run, at) in wrong {
                            done.push(self.wrong(run, thread, way, at)?);
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

    /// Takes the predicates of some disciplines never to overlap: of those that don't in the states in question.
    pub fn keep_apart(&mut self, apart: &[bool]) {
        for (discipline, apart) in self.disciplines.iter_mut().zip(apart) {
            discipline.overlaps &= !apart;
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

    fn wrong(
        &self,
        mut run: Run,
        thread: &Generic,
        way: usize,
        (command, how): Where,
    ) -> Said<Run> {
        let program = &self.machine.parametric.program;
        let Some(wrong) = program.threads[thread.like].wrong else {
            return Err(Unsaid::Because(Obstacle::GoesWrong));
        };
        let at = vec![thread.index.clone()];
        let here = Linear::constant(wrong as i128);
        run.writes.push((Key::Location(thread.family), at, here));
        let command = command.unwrap_or_default();
        run.failed = Some(Failed { way, command, how });
        Ok(run)
    }

    fn commands(
        &self,
        mut runs: Vec<Run>,
        commands: &[Command],
        taken: &mut Taken,
        view: &View,
        choosing: &mut Choosing,
    ) -> Said<Gone> {
        let mut wrong = Vec::new();
        for command in commands {
            let mut next = Vec::new();
            // Choices are numbered by their place in the text, not by the path.
            let choices = taken.choices;
            for run in runs {
                taken.choices = choices;
                let (on, failed) = self.command(run, command, taken, view, choosing)?;
                next.extend(on);
                let inner = failed.into_iter();
                wrong.extend(inner.map(|(run, (at, how))| (run, (at.or(Some(choices)), how))));
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
    ) -> Said<Gone> {
        match command {
            Command::Assign(target, value) => self.assign(run, target, value, view),
            Command::Havoc(target) => self.havoc(run, target, taken, view),
            Command::Check(e, _) => {
                let (mut on, mut wrong) = (Vec::new(), Vec::new());
                for (run, holds) in self.machine.truth(run, e, view)? {
                    match holds {
                        Some(true) => on.push(run),
                        Some(false) => wrong.push((run, (None, Failure::Asserted))),
                        None => wrong.push((run, (None, Failure::Evaluation))),
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
                            wrong.push((run, (None, Failure::Evaluation)));
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

    fn assign(&self, run: Run, target: &Target, value: &Expr, view: &View) -> Said<Gone> {
        let m = &self.machine;
        let (array, places) = self.places(run, target, view)?;
        let (low, high) = m.range(array)?;
        let program = &m.parametric.program;
        let wraps = program.cells[program.arrays[array].first].ty.wraps;
        let (mut on, mut wrong) = (Vec::new(), Vec::new());
        for (run, index) in places {
            let Some(index) = index else {
                wrong.push((run, (None, Failure::Evaluation)));
                continue;
            };
            // An index outside goes wrong before the value is looked at.
            let (inside, outside) = m.inside(run, array, &index)?;
            let outside = outside.into_iter();
            wrong.extend(outside.map(|run| (run, (None, Failure::outside(&index)))));
            let mut values = Vec::new();
            for run in inside {
                values.extend(m.eval(run, value, view)?);
            }
            for (run, value) in values {
                let Some(value) = value else {
                    wrong.push((run, (None, Failure::Evaluation)));
                    continue;
                };
                let stored = match wraps {
                    true => m.quotient(run, true, &value, &high.add(1))?,
                    false => m.within(run, value, &low, &high)?,
                };
                for (run, value) in stored {
                    let Some(value) = value else {
                        let how = match wraps {
                            true => Failure::Evaluation,
                            false => Failure::Range,
                        };
                        wrong.push((run, (None, how)));
                        continue;
                    };
                    let written = m.element(run, array, index.clone(), view, Some(&value))?;
                    on.extend(written.into_iter().map(|(run, _)| run));
                }
            }
        }
        Ok((on, wrong))
    }

    fn havoc(&self, run: Run, target: &Target, taken: &Taken, view: &View) -> Said<Gone> {
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
                wrong.push((run, (None, Failure::Evaluation)));
                continue;
            };
            let (inside, outside) = m.inside(run, array, &index)?;
            let outside = outside.into_iter();
            wrong.extend(outside.map(|run| (run, (None, Failure::outside(&index)))));
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
