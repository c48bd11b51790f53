//! Which steps there are in reachable states, by the explicit search: all states first, then the steps of each. Some
//! may be counted more than once.

use super::{Compiled, ExplicitSearch, Machine, Mode};
use crate::base::control::{Control, Stop};
use crate::engine::Heuristic;
use crate::model::program::{Expr, LocId, Program, ThreadId};
use std::ops::ControlFlow;

/// What the states that were looked at have.
#[derive(Clone, Debug)]
pub struct Steps {
    /// How many they are.
    pub states: u64,
    /// Whether they are all that can be reached.
    pub complete: bool,
    /// By thread and location: whether the thread is ever there.
    pub reached: Vec<Vec<bool>>,
    /// By thread and location: the edge taken and the location behind it, with the number of steps.
    pub taken: Vec<Vec<Vec<(usize, LocId, u64)>>>,
    /// By thread: a location at which it may have taken its last step, although it does not rest there.
    pub stuck: Vec<Option<LocId>>,
    /// Of each condition, whether it is ever true.
    pub met: Vec<bool>,
}

/// Operations for each state that may be looked at.
const STEPS: u64 = 8;

/// How often limits are looked at among the steps of one state.
const OFTEN: u64 = 1 << 16;

/// Looks at so many reachable states at most, and at all steps from them.
///
/// # Errors
/// Any [`Stop`] but that of states.
pub fn steps(
    program: &Program,
    conditions: &[&Expr],
    most: usize,
    control: &Control,
) -> Result<Steps, Stop> {
    control.enter("coverage");
    let compiled = Compiled::new(program, &Heuristic::ALL[0].0.order(program), control)?;
    let how = (Mode::Breadth, 1);
    let mut search = ExplicitSearch::new(program, &compiled, &[], (None, None), how, control);
    // A state may have very many steps, and so may those that `init` rejects.
    let operations = (most as u64).saturating_mul(STEPS);
    let complete = match search.run(operations, most) {
        Ok(()) => true,
        Err(Stop::States | Stop::Operations) => false,
        Err(stop) => return Err(stop),
    };
    let places = || program.threads.iter().map(|t| t.locations.len());
    let mut found = Steps {
        states: search.visited() as u64,
        // What comes behind a violation of the discipline is not looked at.
        complete: complete && !search.found().violated,
        reached: places().map(|n| vec![false; n]).collect(),
        taken: places().map(|n| vec![Vec::new(); n]).collect(),
        stuck: Vec::new(),
        met: vec![false; conditions.len()],
    };
    let mut machine = Machine::new(&compiled);
    let conditions: Vec<_> = conditions
        .iter()
        .map(|e| machine.compile(program, e))
        .collect();
    let mut left = operations;
    let mut graph = Graph::default();
    search.each_state(&mut |state| {
        control.check()?;
        let number = graph.states as u32;
        graph.states += 1;
        for (met, condition) in found.met.iter_mut().zip(&conditions) {
            *met = *met || machine.holds(condition, state);
        }
        for thread in 0..program.threads.len() {
            let from = compiled.layout.location(state, thread);
            found.reached[thread][from] = true;
            let taken = &mut found.taken[thread][from];
            let mut moves = false;
            let each = machine.each_step(state, thread, &mut |step| {
                // Of a state that was not expanded nobody knows how many there are.
                left = left.saturating_sub(1);
                moves = true;
                if left == 0 {
                    return ControlFlow::Break(None);
                }
                graph.edge(number, search.index(step.after));
                if left.is_multiple_of(OFTEN)
                    && let Err(stop) = control.check()
                {
                    return ControlFlow::Break(Some(stop));
                }
                let to = compiled.layout.location(step.after, thread);
                let known = taken.iter_mut().find(|t| (t.0, t.1) == (step.edge, to));
                match known {
                    Some(known) => known.2 += 1,
                    None => taken.push((step.edge, to, 1)),
                }
                ControlFlow::Continue(())
            });
            if let ControlFlow::Break(Some(stop)) = each {
                return Err(stop);
            }
            if !moves && graph.waits.len() < KEPT && !machine.is_resting(state, thread) {
                graph.waits.push((thread, number, from));
            }
        }
        if left == 0 {
            graph.open.push(number);
        }
        // The search was allowed to end its last round, and may have taken more.
        found.complete &= left > 0;
        Ok(())
    })?;
    found.stuck = graph.stuck(program.threads.len());
    Ok(found)
}

/// Steps, and states in which a thread waits, that are kept; and states and steps that are looked at for all threads.
const KEPT: usize = 1 << 22;
const LOOKED_AT: usize = 1 << 25;

/// The states that were looked at, by number.
#[derive(Default)]
struct Graph {
    states: usize,
    /// Threads that have no step in a state and do not rest, with the state and their location.
    waits: Vec<(ThreadId, u32, LocId)>,
    /// The steps, against their direction: to and from.
    edges: Vec<(u32, u32)>,
    /// States of which not all steps are known.
    open: Vec<u32>,
}

impl Graph {
    fn edge(&mut self, from: u32, to: Option<usize>) {
        match to {
            // States are numbered by 32 bits where they are kept.
            Some(to) if to as u32 == from => {}
            Some(to) if self.edges.len() < KEPT => self.edges.push((to as u32, from)),
            _ if self.open.last() != Some(&from) => self.open.push(from),
            _ => {}
        }
    }

    /// By thread: where it can wait for ever, whatever the others do. It can not where a state can be reached in which
    /// it has a step or rests, or of which not all is known. Of very many states nothing is known.
    fn stuck(mut self, threads: usize) -> Vec<Option<LocId>> {
        self.edges.sort_unstable();
        self.edges.dedup();
        self.waits.sort_unstable();
        let mut stuck = vec![None; threads];
        let each = self.waits.chunk_by(|a, b| a.0 == b.0);
        let looked_at = each.clone().count() * (self.states + self.edges.len());
        if self.waits.len() >= KEPT || looked_at > LOOKED_AT {
            return stuck;
        }
        for waits in each {
            let mut moves = vec![true; self.states];
            for (_, number, _) in waits {
                moves[*number as usize] = false;
            }
            for number in &self.open {
                moves[*number as usize] = true;
            }
            let mut todo: Vec<u32> = (0..self.states as u32)
                .filter(|n| moves[*n as usize])
                .collect();
            while let Some(to) = todo.pop() {
                let begin = self.edges.partition_point(|e| e.0 < to);
                for (_, from) in self.edges[begin..].iter().take_while(|e| e.0 == to) {
                    if !std::mem::replace(&mut moves[*from as usize], true) {
                        todo.push(*from);
                    }
                }
            }
            let first = waits.iter().find(|(_, n, _)| !moves[*n as usize]);
            if let Some((thread, _, at)) = first {
                stuck[*thread] = Some(*at);
            }
        }
        stuck
    }
}
