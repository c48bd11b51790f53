//! Cartesian partial-order reduction: Gueta, Flanagan, Yahav and Sagiv 2007, figures 7 and 8.
//!
//! A state leads to the ends of the finite prefixes of its Cartesian vector (`vectors.rs`), and to nothing else. Every
//! local state of a thread that the program can reach lies on some prefix of it (Theorem 1 of the paper). So a question
//! about threads one by one is asked of all states on prefixes. A question about several threads is an observer: a
//! thread that for ever reads what the question is about. It sees what it looks for in one of the states kept.
//!
//! What is not in the paper: deadlocks. Take a deadlocked state, and of all states kept the one from which the fewest
//! steps lead to it. No thread comes to the end of its prefix on the way, else that prefix could be taken first. So
//! each thread takes some first steps of its prefix, which are independent, and then waits. There an infinite prefix
//! ends, or it is the thread's state from the beginning. Hence deadlocks are the ends of all infinite prefixes, put
//! together, where all threads wait: each one is found, and can be counted.
//!
//! Where it differs from the figures: breadth first in rounds of a fixed size, so that the result does not depend on
//! the workers.

use super::Searched;
use super::steps::{Steps, compile};
use super::vectors::{Extend, Prefix, vector};
use crate::base::control::{Control, Stop};
use crate::engine::State;
use crate::engine::compiled::Visited;
use crate::engine::reach::{Question, Sort};
use crate::model::program::{Class, Expr, Program, ThreadId};
use crate::model::text::ast::BinaryOp;
use rayon::prelude::*;

/// States whose vectors are computed before what they lead to is taken in.
const ROUND: usize = 4096;

/// States that one worker takes at once.
const FEW: usize = 16;

/// Workers at most.
const MOST: usize = 64;

/// The stack of a worker: as deep as the main worker's, since both run the same code.
const STACK: usize = 512 << 20;

/// What a state leads to.
#[derive(Default)]
struct Expanded {
    /// By whose prefix, and where.
    ends: Vec<(ThreadId, Vec<u64>)>,
    transitions: u64,
    violated: bool,
    /// The deadlock at the end of all prefixes, with the states on the way.
    dead: Option<Vec<Vec<u64>>>,
    /// Questions answered, with the states on the way.
    met: Vec<(usize, Vec<Vec<u64>>)>,
}

struct CartesianSearch<'s, 'c> {
    steps: &'s mut Steps<'c>,
    order: Extend,
    pool: Option<rayon::ThreadPool>,
    visited: Visited,
    /// By state the one before it, and whose prefix leads from there to here.
    parents: Vec<(u32, u32)>,
    /// Observers whose questions are about single threads.
    local: Vec<ThreadId>,
    deadlocks: Visited,
}

/// In place of a state before.
const NOBODY: u32 = u32::MAX;

/// Explores the ends of prefixes.
pub(super) fn explore(
    steps: &mut Steps,
    questions: &[Question],
    order: Extend,
    cores: usize,
) -> Searched {
    let words = steps.compiled.layout.words;
    let is_local = |o: &ThreadId| is_local(steps.program, &questions[steps.question(*o)]);
    let local = steps.all().skip(steps.threads()).filter(is_local).collect();
    let builder = rayon::ThreadPoolBuilder::new()
        .num_threads(cores.min(MOST))
        .stack_size(STACK);
    let mut search = CartesianSearch {
        steps,
        order,
        // Without a pool there is one worker: this one.
        pool: (cores > 1).then(|| builder.build().ok()).flatten(),
        visited: Visited::new(words),
        parents: Vec::new(),
        local,
        deadlocks: Visited::new(words),
    };
    let stopped = search.run().err();
    Searched {
        states: Some(search.visited.len() as u64),
        deadlocks: Some(search.deadlocks.len() as u64),
        memory: Some(
            search.visited.bytes() + search.deadlocks.bytes() + search.parents.capacity() * 8,
        ),
        stopped,
        ..Searched::default()
    }
}

impl CartesianSearch<'_, '_> {
    fn run(&mut self) -> Result<(), Stop> {
        for state in self.steps.initial()? {
            self.meet(&state, NOBODY, 0)?;
        }
        let mut at = 0;
        while at < self.visited.len() {
            let round = at..self.visited.len().min(at + ROUND);
            at = round.end;
            for (number, expanded) in round.clone().zip(self.expand(round)) {
                let expanded = expanded?;
                self.steps.violated |= expanded.violated;
                for (question, way) in expanded.met {
                    self.answer(question, number as u32, way)?;
                }
                if let Some(way) = expanded.dead {
                    let dead = way.last().map_or(&[][..], Vec::as_slice);
                    let (_, fresh) = self.deadlocks.insert(dead, self.steps.control)?;
                    if let (true, Some(question)) = (fresh, self.steps.deadlock()) {
                        self.answer(question, number as u32, way)?;
                    }
                }
                self.steps.count(expanded.transitions)?;
                for (thread, state) in expanded.ends {
                    self.meet(&state, number as u32, thread as u32)?;
                }
            }
        }
        Ok(())
    }

    fn meet(&mut self, state: &[u64], before: u32, thread: u32) -> Result<(), Stop> {
        let control = self.steps.control;
        if self.visited.insert(state, control)?.1 {
            self.parents.push((before, thread));
            if self.visited.len() > control.budget().states {
                return Err(Stop::States);
            }
        }
        Ok(())
    }

    /// Keeps an execution, through a state and then the given steps, if it is the first one.
    fn answer(&mut self, question: usize, number: u32, behind: Vec<Vec<u64>>) -> Result<(), Stop> {
        if self.steps.found[question].is_some() {
            return Ok(());
        }
        let mut parts = vec![behind];
        let mut present = number;
        loop {
            let mut to = vec![0; self.steps.compiled.layout.words];
            self.visited.state(present, &mut to);
            let (before, thread) = self.parents[present as usize];
            if before == NOBODY {
                parts.push(vec![to]);
                break;
            }
            let mut from = vec![0; to.len()];
            self.visited.state(before, &mut from);
            parts.push(alone(self.steps, from, thread as ThreadId, &to)?);
            present = before;
        }
        let way = parts.into_iter().rev().flatten().collect();
        self.steps.found[question] = Some(way);
        Ok(())
    }

    /// What some states lead to, in their order.
    fn expand(&self, round: std::ops::Range<usize>) -> Vec<Result<Expanded, Stop>> {
        let threads = self.steps.threads();
        let open: Vec<ThreadId> = self.steps.all().skip(threads).collect();
        let is_local = |o: &ThreadId| self.local.contains(o);
        let (local, global): (Vec<ThreadId>, Vec<ThreadId>) = open.into_iter().partition(is_local);
        let among: Vec<ThreadId> = (0..threads).chain(global).collect();
        let one = |steps: &mut Steps, number: usize| -> Result<Expanded, Stop> {
            let mut state = vec![0; steps.compiled.layout.words];
            self.visited.state(number as u32, &mut state);
            (steps.violated, steps.transitions) = (false, 0);
            let vector = vector(steps, &state, &among, self.order)?;
            Ok(self.look(steps, &state, &vector, &local))
        };
        match &self.pool {
            Some(pool) if round.len() > FEW => pool.install(|| {
                let all = round.into_par_iter().with_min_len(FEW);
                all.map_init(|| self.steps.fork(), one).collect()
            }),
            _ => {
                let mut steps = self.steps.fork();
                round.map(|number| one(&mut steps, number)).collect()
            }
        }
    }

    /// What a vector has to say.
    fn look(
        &self,
        steps: &Steps,
        state: &[u64],
        vector: &[Prefix],
        local: &[ThreadId],
    ) -> Expanded {
        let mut expanded = Expanded {
            violated: steps.violated,
            transitions: steps.transitions,
            ..Expanded::default()
        };
        for prefix in vector {
            if prefix.thread >= steps.threads() && steps.sees(state, prefix.thread) {
                let question = steps.question(prefix.thread);
                expanded.met.push((question, Vec::new()));
            }
            // What only leads back, or is known, need not be taken in.
            let new = |s: &&Vec<u64>| !prefix.infinite && self.visited.find(s).is_none();
            let ends = prefix.last.iter().filter(new);
            expanded
                .ends
                .extend(ends.map(|s| (prefix.thread, s.clone())));
        }
        for &observer in local {
            let question = steps.question(observer);
            if steps.sees(state, observer) {
                expanded.met.push((question, Vec::new()));
                continue;
            }
            for prefix in vector {
                let Some(at) = prefix.states().position(|s| steps.sees(s, observer)) else {
                    continue;
                };
                // Several outcomes of the last step lie next to each other.
                let way = prefix.states().take(at.min(prefix.trail.len() - 1));
                let way = way.chain(prefix.states().nth(at)).cloned().collect();
                expanded.met.push((question, way));
                break;
            }
        }
        if steps.deadlock().is_some() {
            expanded.dead = corner(steps, state, vector);
        }
        expanded
    }
}

/// A state that is kept, with a prefix for each thread.
pub type Vector = (State, Vec<Run>);

/// A prefix, as the interpreter has states.
#[derive(Clone, Debug)]
pub struct Run {
    /// The states from the first one on, up to where the last step begins.
    pub states: Vec<State>,
    /// What the last step leads to: what is there if the thread waits.
    pub last: Vec<State>,
    /// Whether it goes round the cycle that its last step closes for ever.
    pub infinite: bool,
}

/// The vectors of all states that are kept if nothing is asked.
///
/// # Errors
/// Any [`Stop`].
pub fn vectors(program: &Program, extend: Extend, control: &Control) -> Result<Vec<Vector>, Stop> {
    let mut program = program.clone();
    program.protections.clear();
    let compiled = compile(&program, &[], control)?;
    let Some(mut steps) = Steps::new(&program, &compiled, &[], None, (u64::MAX, control)) else {
        return Ok(Vec::new());
    };
    let among: Vec<ThreadId> = (0..program.threads.len()).collect();
    let mut kept = steps.initial()?;
    let mut all = Vec::new();
    while let Some(state) = kept.get(all.len()).cloned() {
        let runs = vector(&mut steps, &state, &among, extend)?;
        let ends = runs.iter().filter(|run| !run.infinite);
        for end in ends.flat_map(|run| &run.last) {
            if !kept.contains(end) {
                kept.push(end.clone());
            }
        }
        let told = |all: &[Vec<u64>]| all.iter().map(|s| steps.unpack(s)).collect();
        let runs = runs.iter().map(|run| Run {
            states: told(&run.trail),
            last: told(&run.last),
            infinite: run.infinite,
        });
        all.push((steps.unpack(&state), runs.collect()));
    }
    Ok(all)
}

/// The states on the way to where all threads wait, if each does at the end of its infinite prefix, or from the
/// beginning, and that is a deadlock.
fn corner(steps: &Steps, state: &[u64], vector: &[Prefix]) -> Option<Vec<Vec<u64>>> {
    let waits = |p: &Prefix| p.waits && (p.infinite || p.trail.len() == 1);
    if !vector.iter().all(waits) {
        return None;
    }
    let mut way = vec![state.to_vec()];
    for prefix in vector {
        let base = way[way.len() - 1].clone();
        // No two prefixes change the same bits.
        for next in &prefix.trail[1..] {
            let changed = state.iter().zip(next).map(|(a, b)| a ^ b);
            way.push(base.iter().zip(changed).map(|(a, c)| a ^ c).collect());
        }
    }
    steps.is_dead(&way[way.len() - 1]).then_some(way)
}

/// The states behind the steps of a thread that runs alone from one state to another.
fn alone(
    steps: &mut Steps,
    mut from: Vec<u64>,
    thread: ThreadId,
    to: &[u64],
) -> Result<Vec<Vec<u64>>, Stop> {
    let mut way = Vec::new();
    loop {
        let mut after = steps.pending(&from, thread)?.after;
        if after.iter().any(|s| s == to) {
            way.push(to.to_vec());
            return Ok(way);
        }
        // Only a prefix's last step has several outcomes, and one of them is `to`.
        let Some(next) = after.pop() else {
            return Ok(way);
        };
        way.push(next.clone());
        from = next;
    }
}

/// Whether a question is one about single threads: the location and variables of one thread alone can make it true.
fn is_local(program: &Program, question: &Question) -> bool {
    let wanted = question.sort == Sort::Find;
    let mut parts = Vec::new();
    alternatives(&question.expr, wanted, &mut parts);
    let owners: Option<Vec<Option<ThreadId>>> =
        parts.iter().map(|part| owner(program, part)).collect();
    let Some(owners) = owners else {
        return false;
    };
    // If an evaluation fails, the whole expression is false. So a part decides for the whole only if no evaluation can
    // fail.
    let one = owner(program, &question.expr).is_some();
    let mut total = true;
    question.expr.walk(&mut |e| {
        use BinaryOp::{Div, Rem, Shl, Shr};
        total &= !matches!(
            e,
            Expr::Element(..)
                | Expr::Via(..)
                | Expr::Slot(..)
                | Expr::Binary(Div | Rem | Shl | Shr, ..)
        );
    });
    !owners.is_empty() && (one || total)
}

/// Of which parts one has to be true, or false if that is wanted.
fn alternatives<'e>(e: &'e Expr, wanted: bool, into: &mut Vec<&'e Expr>) {
    match (e, wanted) {
        (Expr::Not(e), _) => alternatives(e, !wanted, into),
        (Expr::Binary(BinaryOp::Or, a, b), true) | (Expr::Binary(BinaryOp::And, a, b), false) => {
            alternatives(a, wanted, into);
            alternatives(b, wanted, into);
        }
        (Expr::Binary(BinaryOp::Implies, a, b), true) => {
            alternatives(a, false, into);
            alternatives(b, true, into);
        }
        _ => into.push(e),
    }
}

/// The thread whose own variables and location are all that an expression reads, if there is one; none for a constant.
fn owner(program: &Program, e: &Expr) -> Option<Option<ThreadId>> {
    let mut owners = Vec::new();
    e.walk(&mut |e| {
        let class = match e {
            Expr::Cell(c) => program.cells[*c].class,
            Expr::Element(a, _) | Expr::Via(_, Some(a)) => program.arrays[*a].class,
            Expr::At(t, _) => Class::Local(*t),
            _ => return,
        };
        owners.push(match class {
            Class::Local(t) => Some(t),
            _ => None,
        });
    });
    owners.sort_unstable();
    owners.dedup();
    match owners.as_slice() {
        [] => Some(None),
        [Some(t)] => Some(Some(*t)),
        _ => None,
    }
}
