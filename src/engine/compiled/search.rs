//! All reachable states: breadth first on several cores, or depth first on one.
//!
//! States are divided by hash among shards that share nothing (Stern and Dill 1997): a round expands some states of
//! each shard, writes what they lead to into boxes, one for each shard, and then each shard takes in its boxes. The
//! number of shards does not depend on the number of cores, and boxes are emptied in the order of their senders. So the
//! result does not depend on the cores.

use super::compile::Compiled;
use super::machine::Machine;
use super::successors::{Sending, Taken, successors};
use super::task::{GOOD, IS_POINT, Orbits, POINT, QUEUED, Tally, Task, gained};
use super::visited::{BATCH, Visited};
use crate::base::control::{Control, Stop};
use crate::engine::diagrams::mix;
use crate::engine::interpreter::{State, initial_candidates, initially_violated, is_initial};
use crate::engine::quotients::Symmetry;
use crate::engine::reach::{Question, Reduction};
use crate::model::program::Program;
use std::ops::ControlFlow;

/// A power of two; more cores are of no use.
pub(super) const SHARDS: usize = 16;

/// States of a shard that a round expands at most.
const CHUNK: usize = 2048;

/// Words that a box keeps.
const ROOM: usize = 1 << 14;

/// The stack of a helper: as deep as the worker's, since both run the same code.
const STACK: usize = 512 << 20;

/// States of a round below which one core is faster.
const FEW: usize = 512;

/// In which order states are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// By distance from the initial states: executions are shortest.
    #[default]
    Breadth,
    /// What was met last first: executions are found soon, and long.
    Depth,
}

/// A state: its number in its shard, times the shards, plus its shard.
type Id = u32;

const NOBODY: Id = Id::MAX;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Distinct states, or those at scheduling points in the reduced system.
    pub states: u64,
    /// All states met, if those inside the steps of the reduced system were kept.
    pub visited: Option<u64>,
    /// Deadlocked states among them, if that was asked.
    pub deadlocks: u64,
    /// States in which a thread has gone wrong, and deadlocked ones among them, of those above.
    pub wrong: (u64, u64),
    /// Whether a step violates the discipline.
    pub violated: bool,
    /// Steps taken.
    pub transitions: u64,
    /// What that cost, the measure of budgets: a step costs the more the longer a state is.
    pub operations: u64,
    /// Bytes held.
    pub bytes: usize,
    /// The numbers of states above, where each counts for all that differ from it by exchanges of threads.
    pub orbits: Option<Orbits>,
}

impl Found {
    /// What was found, from what was counted.
    pub(crate) fn of(task: &Task, visited: u64, tally: Tally, bytes: usize) -> Found {
        Found {
            states: match task.reduction {
                None => visited,
                Some(_) => tally.points,
            },
            visited: (task.inside || task.reduction.is_none()).then_some(visited),
            deadlocks: tally.deadlocks,
            wrong: tally.wrong,
            violated: tally.violated,
            transitions: tally.transitions,
            operations: tally.operations,
            bytes,
            orbits: task.symmetry.map(|_| tally.orbits),
        }
    }
}

/// A search under way; it can be interrupted and goes on where it was.
pub struct ExplicitSearch<'c> {
    task: Task<'c>,
    shards: Vec<Shard>,
    cores: usize,
    mode: Mode,
    /// Depth first: what is still to be expanded.
    stack: Vec<Id>,
    layer: u32,
    /// Whether it ends where a step violates the discipline.
    pub until_violated: bool,
    /// States that may be initial, and have not been tested yet.
    beginning: Option<Box<dyn Iterator<Item = State> + 'c>>,
    peak: usize,
}

/// States that have the same hash in its lowest bits.
struct Shard {
    visited: Visited,
    /// By state, where the task is not plain.
    flags: Vec<u8>,
    /// For each state the one before it, if there are questions.
    parents: Vec<Id>,
    frontier: Vec<u32>,
    /// How many of these have been expanded.
    expanded: usize,
    /// How many have been, of all layers.
    done: u64,
    next: Vec<u32>,
    tally: Tally,
    /// Of the first violations one: the layer, the state behind it and the one before it.
    violation: Option<(u32, u32, Id)>,
    /// For each question the layer and the number of a state.
    found: Vec<Option<(u32, u32)>>,
    /// What its states lead to, by shard: the state before and flags, then the words.
    boxes: Vec<Vec<u64>>,
}

impl<'c> ExplicitSearch<'c> {
    /// A search that has not begun, on so many cores at most.
    pub fn new(
        program: &'c Program,
        compiled: &'c Compiled,
        questions: &[Question],
        (reduction, symmetry): (Option<&'c Reduction>, Option<&'c Symmetry>),
        (mode, cores): (Mode, usize),
        control: &'c Control,
    ) -> Self {
        let shard = |_| Shard {
            visited: Visited::new(compiled.layout.words),
            flags: Vec::new(),
            parents: Vec::new(),
            frontier: Vec::new(),
            expanded: 0,
            done: 0,
            next: Vec::new(),
            tally: Tally::default(),
            violation: None,
            found: vec![None; questions.len()],
            boxes: vec![Vec::new(); SHARDS],
        };
        ExplicitSearch {
            task: Task::new(program, compiled, questions, (reduction, symmetry), control),
            shards: (0..SHARDS).map(shard).collect(),
            cores: cores.clamp(1, SHARDS),
            mode,
            stack: Vec::new(),
            layer: 0,
            until_violated: false,
            beginning: Some(Box::new(initial_candidates(program))),
            peak: 0,
        }
    }

    /// Explores until nothing is left, up to so many states, or for about so many operations.
    ///
    /// # Errors
    /// [`Stop::Operations`] after those operations; then it may be called again. [`Stop::Settled`] if a violation is
    /// all that is wanted, and there is one. Any other [`Stop`].
    pub fn run(&mut self, operations: u64, most_states: usize) -> Result<(), Stop> {
        let most = self.spent().saturating_add(operations);
        let most_states = most_states.min(self.task.control.budget().states);
        loop {
            let left = most.saturating_sub(self.spent());
            let more = match (self.beginning.is_some(), self.mode) {
                (true, _) => self.begin(left)?,
                (_, Mode::Breadth) => self.round((left, most_states))?,
                (_, Mode::Depth) => self.deeper((left, most_states))?,
            };
            if self.until_violated && self.shards.iter().any(|s| s.tally.violated) {
                return Err(Stop::Settled);
            }
            if !more {
                return Ok(());
            }
            let states = self.visited();
            if self.task.reduction.is_some_and(|r| states > r.inside) {
                self.task.inside = false;
            }
            if states > most_states {
                return Err(Stop::States);
            }
            if self.spent() >= most {
                return Err(Stop::Operations);
            }
        }
    }

    /// Operations so far.
    pub fn spent(&self) -> u64 {
        self.shards.iter().map(|s| s.tally.operations).sum()
    }

    /// States of each shard to be expanded in a round: fewer if they are long, and no more than `left` operations are
    /// for if they cost what others have cost.
    fn chunk(&self, left: u64) -> usize {
        let words = self.task.compiled.layout.words;
        let done: u64 = self.shards.iter().map(|s| s.done).sum();
        let each = self.task.dear().max(self.spent() / done.max(1));
        let paid = usize::try_from(left / (SHARDS as u64 * each)).unwrap_or(usize::MAX);
        (CHUNK * 8 / (7 + words)).min(paid).max(1)
    }

    /// Takes in some of the initial states; there is always more to do.
    fn begin(&mut self, left: u64) -> Result<bool, Stop> {
        let task = &self.task;
        let mut state = vec![0; task.compiled.layout.words];
        let some = left.clamp(1, CHUNK as u64);
        for _ in 0..some {
            task.control.check()?;
            let Some(candidate) = self.beginning.as_mut().and_then(Iterator::next) else {
                self.beginning = None;
                break;
            };
            self.shards[0].tally.operations += 1;
            if !is_initial(task.program, &candidate) {
                continue;
            }
            task.compiled.layout.pack(&candidate, &mut state);
            if let Some(symmetry) = task.symmetry {
                task.compiled.layout.sort(symmetry, &mut state);
            }
            let good = match initially_violated(task.program, &candidate) {
                true => 0,
                false => GOOD,
            };
            let to = &mut self.shards[0].boxes[shard_of(&state)];
            to.push(u64::from(NOBODY) | good | IS_POINT);
            to.extend_from_slice(&state);
        }
        self.deliver(1, self.layer)?;
        if self.beginning.is_none() {
            self.advance();
        }
        Ok(true)
    }

    /// Expands some states of the present layer; whether any are left, here or in the next layer.
    fn round(&mut self, left: (u64, usize)) -> Result<bool, Stop> {
        let chunk = self.chunk(left.0);
        let waiting = |s: &Shard| (s.frontier.len() - s.expanded).min(chunk);
        let (task, layer) = (&self.task, self.layer);
        let cores = match self.shards.iter().map(waiting).sum::<usize>() {
            0..FEW => 1,
            _ => self.cores,
        };
        side_by_side(&mut self.shards, cores, |first, shards| {
            let mut machine = Machine::new(task.compiled);
            let mut state = vec![0; task.compiled.layout.words];
            for (n, shard) in shards.iter_mut().enumerate() {
                let end = shard.frontier.len().min(shard.expanded + chunk);
                while shard.expanded < end {
                    let own = (first + n, shard.frontier[shard.expanded]);
                    shard.expand(task, own, left, &mut machine, &mut state)?;
                    shard.expanded += 1;
                }
            }
            Ok(())
        })?;
        self.deliver(cores, layer)?;
        if self.shards.iter().all(|s| s.expanded == s.frontier.len()) {
            self.advance();
        }
        Ok(self.shards.iter().any(|s| !s.frontier.is_empty()))
    }

    /// Empties all boxes.
    fn deliver(&mut self, cores: usize, layer: u32) -> Result<(), Stop> {
        let held: usize = self.shards.iter().map(Shard::bytes).sum();
        self.peak = self.peak.max(held);
        let mut boxes: Vec<Vec<Vec<u64>>> = self
            .shards
            .iter_mut()
            .map(|s| std::mem::take(&mut s.boxes))
            .collect();
        let task = &self.task;
        let senders = &boxes;
        side_by_side(&mut self.shards, cores, |first, shards| {
            let machine = Machine::new(task.compiled);
            for (n, shard) in shards.iter_mut().enumerate() {
                for sender in senders {
                    shard.take_in(task, &machine, &sender[first + n], layer)?;
                }
            }
            Ok(())
        })?;
        for (shard, boxes) in self.shards.iter_mut().zip(&mut boxes) {
            for b in boxes.iter_mut() {
                b.clear();
                b.shrink_to(ROOM);
            }
            shard.boxes = std::mem::take(boxes);
        }
        Ok(())
    }

    /// The next layer is the present one.
    fn advance(&mut self) {
        self.layer += 1;
        for (n, shard) in self.shards.iter_mut().enumerate() {
            shard.expanded = 0;
            shard.frontier.clear();
            match self.mode {
                Mode::Breadth => std::mem::swap(&mut shard.frontier, &mut shard.next),
                Mode::Depth => self
                    .stack
                    .extend(shard.next.drain(..).map(|number| id(number, n))),
            }
        }
    }

    /// Expands some states, the last met first; whether any are left.
    fn deeper(&mut self, left: (u64, usize)) -> Result<bool, Stop> {
        let task = &self.task;
        let mut machine = Machine::new(task.compiled);
        let mut state = vec![0; task.compiled.layout.words];
        for _ in 0..self.chunk(left.0) {
            let Some(&next) = self.stack.last() else {
                return Ok(false);
            };
            let from = next as usize % SHARDS;
            let number = next / SHARDS as u32;
            self.shards[from].expand(task, (from, number), left, &mut machine, &mut state)?;
            self.stack.pop();
            let mut boxes = std::mem::take(&mut self.shards[from].boxes);
            for (n, (shard, sent)) in self.shards.iter_mut().zip(&mut boxes).enumerate() {
                shard.take_in(task, &machine, sent, self.layer)?;
                sent.clear();
                self.stack
                    .extend(shard.next.drain(..).map(|number| id(number, n)));
            }
            self.shards[from].boxes = boxes;
            // No layers: what is found first stays.
            self.layer += 1;
        }
        let held: usize = self.shards.iter().map(Shard::bytes).sum();
        self.peak = self.peak.max(held + self.stack.capacity() * 4);
        Ok(true)
    }

    /// What was found so far.
    pub fn found(&self) -> Found {
        let visited = self.visited() as u64;
        let mut tally = Tally::default();
        self.shards.iter().for_each(|s| tally.add(&s.tally));
        let held: usize = self.shards.iter().map(Shard::bytes).sum();
        Found::of(&self.task, visited, tally, self.peak.max(held))
    }

    /// How many states were met.
    pub fn visited(&self) -> usize {
        self.shards.iter().map(|s| s.visited.len()).sum()
    }

    /// Calls `visit` with every state that was met.
    ///
    /// # Errors
    /// What `visit` says.
    pub fn each_state(
        &self,
        visit: &mut dyn FnMut(&[u64]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut state = vec![0; self.task.compiled.layout.words];
        for shard in &self.shards {
            for number in 0..shard.visited.len() as u32 {
                shard.visited.state(number, &mut state);
                visit(&state)?;
            }
        }
        Ok(())
    }

    /// Where [`Self::each_state`] comes to a state, if it was met.
    pub fn index(&self, state: &[u64]) -> Option<usize> {
        let shard = shard_of(state);
        let before: usize = self.shards[..shard].iter().map(|s| s.visited.len()).sum();
        let number = self.shards[shard].visited.find(state)?;
        Some(before + number as usize)
    }

    /// The states on the way to one that a question asks for, from an initial state on: each is a step, or a coarse
    /// step, from the one before it.
    pub fn execution(&self, question: usize) -> Option<Vec<Vec<u64>>> {
        let mut state = vec![0; self.task.compiled.layout.words];
        let mut candidates: Vec<(u32, Vec<u64>, Id)> = Vec::new();
        let mut all = Vec::new();
        let mut present;
        if self.task.asks_for_violations(question) {
            let violations = self.shards.iter().enumerate();
            let first = violations
                .filter_map(|(n, s)| Some((s.violation?, n)))
                .min()?;
            let ((_, number, before), n) = first;
            self.shards[n].visited.state(number, &mut state);
            all.push(state.clone());
            present = before;
        } else {
            for (n, shard) in self.shards.iter().enumerate() {
                if let Some((layer, number)) = shard.found[question] {
                    shard.visited.state(number, &mut state);
                    candidates.push((layer, state.clone(), id(number, n)));
                }
            }
            present = candidates.into_iter().min()?.2;
        }
        while present != NOBODY {
            let shard = &self.shards[present as usize % SHARDS];
            let number = present / SHARDS as u32;
            shard.visited.state(number, &mut state);
            all.push(state.clone());
            present = shard.parents[number as usize];
        }
        all.reverse();
        Some(all)
    }
}

/// Does something with all shards, on several cores: `work` is given some shards and the number of the first.
fn side_by_side(
    shards: &mut [Shard],
    cores: usize,
    work: impl Fn(usize, &mut [Shard]) -> Result<(), Stop> + Sync,
) -> Result<(), Stop> {
    if cores == 1 {
        return work(0, shards);
    }
    let share = shards.len().div_ceil(cores);
    std::thread::scope(|scope| {
        let work = &work;
        let helpers: Vec<_> = shards
            .chunks_mut(share)
            .enumerate()
            .map(|(n, chunk)| {
                let builder = std::thread::Builder::new().stack_size(STACK);
                builder.spawn_scoped(scope, move || work(n * share, chunk))
            })
            .collect();
        let ends = helpers.into_iter().map(|h| match h.map(|h| h.join()) {
            Ok(Ok(end)) => end,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // No room for another thread.
            Err(_) => Err(Stop::Memory),
        });
        // Wait for all, also if the first has failed.
        let ends: Vec<Result<(), Stop>> = ends.collect();
        ends.into_iter().collect()
    })
}

fn id(number: u32, shard: usize) -> Id {
    number * SHARDS as u32 + shard as u32
}

#[inline]
pub(super) fn shard_of(state: &[u64]) -> usize {
    let hash = state.iter().fold(0, |h, &word| mix(h ^ word));
    hash as usize % SHARDS
}

impl Shard {
    /// Writes into the boxes what one of its states leads to. Within so many operations, and if there are not more than
    /// so many successors; else nothing was done.
    fn expand(
        &mut self,
        task: &Task,
        (own, number): (usize, u32),
        left: (u64, usize),
        machine: &mut Machine,
        state: &mut [u64],
    ) -> Result<(), Stop> {
        task.control.check()?;
        self.visited.state(number, state);
        let mut sending = Sending {
            head: u64::from(id(number, own)),
            wide: 1 + task.compiled.layout.words,
            begins: std::array::from_fn(|n| self.boxes[n].len()),
            boxes: &mut self.boxes,
            taken: Taken::default(),
            task,
            left,
        };
        let outcome = successors(task, machine, state, &mut sending);
        let taken = sending.taken;
        if let ControlFlow::Break(stop) = outcome {
            let begins = sending.begins;
            for (sent, begin) in self.boxes.iter_mut().zip(begins) {
                sent.truncate(begin);
            }
            return Err(stop);
        }
        self.tally.expanded(task, machine, state, taken);
        self.done += 1;
        Ok(())
    }

    /// Takes in what was sent.
    fn take_in(
        &mut self,
        task: &Task,
        machine: &Machine,
        sent: &[u64],
        layer: u32,
    ) -> Result<(), Stop> {
        let wide = 1 + task.compiled.layout.words;
        let mut numbers = Vec::with_capacity(BATCH);
        for batch in sent.chunks(BATCH * wide) {
            let states = batch.chunks_exact(wide).map(|r| &r[1..]);
            self.visited
                .insert_all(states, task.control, &mut numbers)?;
            for (record, &met) in batch.chunks_exact(wide).zip(&numbers) {
                self.take(task, machine, (record[0], &record[1..]), met, layer)?;
            }
        }
        Ok(())
    }

    /// Takes in a state that was sent, now that it has a number.
    fn take(
        &mut self,
        task: &Task,
        machine: &Machine,
        (head, state): (u64, &[u64]),
        (number, fresh): (u32, bool),
        layer: u32,
    ) -> Result<(), Stop> {
        let n = number as usize;
        if fresh {
            if number > NOBODY / SHARDS as u32 - 1 {
                return Err(Stop::States);
            }
            if task.questions() > 0 {
                self.parents.push(head as Id);
            }
            let (found, visited) = (&mut self.found, &self.visited);
            self.tally.fresh(task, machine, state, &mut |question| {
                note(&mut found[question], (layer, number), state, visited);
            });
            if task.plain {
                self.next.push(number);
                return Ok(());
            }
            self.flags.push(0);
        } else if task.plain {
            return Ok(());
        }
        if head & GOOD == 0 {
            self.tally.violated = true;
            self.violation.get_or_insert((layer, number, head as Id));
        }
        let gained = gained(self.flags[n], head);
        self.flags[n] |= gained;
        if gained & POINT != 0 {
            self.tally.point(task, state);
        }
        if gained & QUEUED != 0 {
            self.next.push(number);
            // Its execution must be one that can go on from here.
            if let Some(parent) = self.parents.get_mut(n) {
                *parent = head as Id;
            }
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.visited.bytes()
            + self.flags.capacity()
            + (self.parents.capacity() + self.frontier.capacity() + self.next.capacity()) * 4
            + self.boxes.iter().map(|b| b.capacity() * 8).sum::<usize>()
    }
}

/// Keeps the nearest state that a question asks for; of those equally far the least, so that the order of arrival does
/// not matter.
fn note(found: &mut Option<(u32, u32)>, at: (u32, u32), state: &[u64], visited: &Visited) {
    let better = match found {
        None => true,
        Some((layer, _)) if *layer < at.0 => false,
        Some((_, number)) => {
            let mut other = vec![0; state.len()];
            visited.state(*number, &mut other);
            state < other.as_slice()
        }
    };
    if better {
        *found = Some(at);
    }
}
