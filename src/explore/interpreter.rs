//! The plain interpreter: one step of one thread from one state, as `docs/language.md` says it.

use crate::program::{
    ArrayId, CellId, Command, Expr, Failure, LocId, Program, Target, ThreadId, apply,
};
use crate::syntax::ast::BinaryOp;

/// A valuation of all cells and locations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    values: Box<[i32]>,
    cells: u32,
}

impl State {
    /// A state from the values of the cells and the locations of the threads.
    pub fn new(cells: &[i64], locations: &[LocId]) -> Self {
        let values = cells
            .iter()
            .map(|&v| v as i32)
            .chain(locations.iter().map(|&l| l as i32))
            .collect();
        State {
            values,
            cells: cells.len() as u32,
        }
    }

    /// The value of a cell.
    pub fn cell(&self, cell: CellId) -> i64 {
        i64::from(self.values[cell])
    }

    /// The location of a thread.
    pub fn location(&self, thread: ThreadId) -> LocId {
        self.values[self.cells as usize + thread] as LocId
    }

    fn set_cell(&mut self, cell: CellId, value: i64) {
        self.values[cell] = value as i32;
    }

    fn set_location(&mut self, thread: ThreadId, location: LocId) {
        let at = self.cells as usize + thread;
        self.values[at] = location as i32;
    }
}

/// The outcome of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The state after it.
    pub state: State,
    /// The cells it read or wrote, sorted.
    pub accesses: Vec<CellId>,
    /// Why the thread went wrong, if it did.
    pub failure: Option<Failure>,
    /// The edge taken, an index into the location's edges.
    pub edge: usize,
}

/// A run of an effect under way.
#[derive(Clone)]
struct Run {
    state: State,
    accesses: Vec<CellId>,
    failure: Option<Failure>,
}

struct Evaluation<'a> {
    program: &'a Program,
    state: &'a State,
    accesses: &'a mut Vec<CellId>,
}

impl Evaluation<'_> {
    fn value(&mut self, e: &Expr) -> Result<i64, Failure> {
        match e {
            Expr::Const(c) => Ok(*c),
            Expr::Cell(c) => {
                self.accesses.push(*c);
                Ok(self.state.cell(*c))
            }
            Expr::Element(array, index) => {
                let cell = self.element(*array, index)?;
                self.accesses.push(cell);
                Ok(self.state.cell(cell))
            }
            Expr::At(thread, locations) => {
                Ok(i64::from(locations.contains(&self.state.location(*thread))))
            }
            Expr::Not(e) => Ok(1 - self.value(e)?),
            Expr::Neg(e) => Ok(-self.value(e)?),
            Expr::Binary(op, a, b) => {
                let a = self.value(a)?;
                match (op, a != 0) {
                    (BinaryOp::And, false) => return Ok(0),
                    (BinaryOp::Or, true) | (BinaryOp::Implies, false) => return Ok(1),
                    _ => {}
                }
                let b = self.value(b)?;
                apply(*op, a, b).ok_or(Failure::Division)
            }
            Expr::Cond(c, a, b) => {
                if self.value(c)? != 0 {
                    self.value(a)
                } else {
                    self.value(b)
                }
            }
        }
    }

    fn element(&mut self, array: ArrayId, index: &[Expr]) -> Result<CellId, Failure> {
        let index: Result<Vec<i64>, Failure> = index.iter().map(|e| self.value(e)).collect();
        self.program.element(array, &index?).ok_or(Failure::Index)
    }

    fn target(&mut self, target: &Target) -> Result<CellId, Failure> {
        match target {
            Target::Cell(c) => Ok(*c),
            Target::Element(array, index) => self.element(*array, index),
        }
    }
}

/// The truth of a state expression; false if its evaluation fails.
pub fn holds(program: &Program, e: &Expr, state: &State) -> bool {
    let mut accesses = Vec::new();
    Evaluation {
        program,
        state,
        accesses: &mut accesses,
    }
    .value(e)
    .is_ok_and(|v| v != 0)
}

/// All outcomes of the steps of `thread` that are enabled in `state`.
pub fn successors(program: &Program, state: &State, thread: ThreadId) -> Vec<Successor> {
    let t = &program.threads[thread];
    let mut all = Vec::new();
    for (number, edge) in t.locations[state.location(thread)].edges.iter().enumerate() {
        let mut run = Run {
            state: state.clone(),
            accesses: Vec::new(),
            failure: None,
        };
        if let Some(guard) = &edge.guard {
            match (Evaluation {
                program,
                state,
                accesses: &mut run.accesses,
            })
            .value(guard)
            {
                Ok(0) => continue,
                Ok(_) => {}
                Err(failure) => run.failure = Some(failure),
            }
        }
        for mut run in execute(program, thread, &edge.body, vec![run]) {
            if let (Some(_), Some(wrong)) = (run.failure, t.wrong) {
                run.state.set_location(thread, wrong);
            }
            run.accesses.sort_unstable();
            run.accesses.dedup();
            let next = Successor {
                state: run.state,
                accesses: run.accesses,
                failure: run.failure,
                edge: number,
            };
            if !all.contains(&next) {
                all.push(next);
            }
        }
    }
    all
}

fn execute(
    program: &Program,
    thread: ThreadId,
    commands: &[Command],
    mut runs: Vec<Run>,
) -> Vec<Run> {
    for command in commands {
        let (going, mut next): (Vec<Run>, Vec<Run>) =
            runs.into_iter().partition(|r| r.failure.is_none());
        for run in going {
            next.extend(command_outcomes(program, thread, command, run));
        }
        runs = next;
    }
    runs
}

fn command_outcomes(
    program: &Program,
    thread: ThreadId,
    command: &Command,
    mut run: Run,
) -> Vec<Run> {
    let before = run.state.clone();
    let mut eval = Evaluation {
        program,
        state: &before,
        accesses: &mut run.accesses,
    };
    let outcome = match command {
        Command::Assign(target, value) => (|| {
            let cell = eval.target(target)?;
            let value = eval.value(value)?;
            let ty = program.cells[cell].ty;
            let value = if ty.wraps {
                value.rem_euclid(ty.size() as i64)
            } else {
                value
            };
            if !ty.contains(value) {
                return Err(Failure::Range);
            }
            eval.accesses.push(cell);
            run.state.set_cell(cell, value);
            Ok(())
        })(),
        Command::Havoc(target) => match eval.target(target) {
            Ok(cell) => {
                eval.accesses.push(cell);
                let ty = program.cells[cell].ty;
                return (ty.lo..=ty.hi)
                    .map(|value| {
                        let mut run = run.clone();
                        run.state.set_cell(cell, value);
                        run
                    })
                    .collect();
            }
            Err(failure) => Err(failure),
        },
        Command::Check(e, failure) => eval
            .value(e)
            .and_then(|v| if v == 0 { Err(*failure) } else { Ok(()) }),
        Command::If(c, yes, no) => match eval.value(c) {
            Ok(v) => return execute(program, thread, if v != 0 { yes } else { no }, vec![run]),
            Err(failure) => Err(failure),
        },
        Command::Choose(branches) => {
            return branches
                .iter()
                .flat_map(|b| execute(program, thread, b, vec![run.clone()]))
                .collect();
        }
        Command::Goto(location) => {
            run.state.set_location(thread, *location);
            Ok(())
        }
    };
    run.failure = outcome.err();
    vec![run]
}

/// Whether a step of `thread` from `before` to `after` violates the synchronisation discipline: the first two disjuncts
/// of (26) in Stoller & Cohen 2003, the second only for the cells whose predicates the step changed or that it accessed.
/// On executions that begin with disjoint predicates that is no restriction: others stay disjoint.
pub fn violates(program: &Program, thread: ThreadId, before: &State, step: &Successor) -> bool {
    program.protections.iter().any(|x| {
        let accessed = step.accesses.binary_search(&x.cell).is_ok();
        if accessed && !holds(program, &x.predicates[thread], before) {
            return true;
        }
        let changed = || {
            x.predicates
                .iter()
                .any(|e| holds(program, e, before) != holds(program, e, &step.state))
        };
        overlap(program, &x.predicates, &step.state) && (accessed || changed())
    })
}

/// Whether two threads' exclusive access predicates for one cell hold in an initial state (WFinitExcl fails).
pub fn initially_violated(program: &Program, state: &State) -> bool {
    program
        .protections
        .iter()
        .any(|x| overlap(program, &x.predicates, state))
}

fn overlap(program: &Program, predicates: &[Expr], state: &State) -> bool {
    predicates
        .iter()
        .filter(|e| holds(program, e, state))
        .take(2)
        .count()
        == 2
}

/// Whether no step is enabled while some thread has neither ended nor gone wrong.
pub fn is_deadlock(program: &Program, state: &State) -> bool {
    let waiting = program.threads.iter().enumerate().any(|(i, t)| {
        let l = state.location(i);
        Some(l) != t.end && Some(l) != t.wrong
    });
    waiting && (0..program.threads.len()).all(|t| successors(program, state, t).is_empty())
}

/// The initial states, one by one, in lexicographic order.
///
/// Cells without an initial value run through their types, so this may be long; `init` expressions filter.
pub fn initial_states(program: &Program) -> impl Iterator<Item = State> + '_ {
    let locations: Vec<LocId> = program.threads.iter().map(|t| t.initial).collect();
    let first: Vec<i64> = program
        .cells
        .iter()
        .map(|c| c.initial.unwrap_or(c.ty.lo))
        .collect();
    let mut next = Some(first);
    std::iter::from_fn(move || {
        let current = next.take()?;
        let mut following = current.clone();
        for (value, cell) in following.iter_mut().zip(&program.cells).rev() {
            if cell.initial.is_some() {
                continue;
            }
            if *value < cell.ty.hi {
                *value += 1;
                next = Some(following);
                break;
            }
            *value = cell.ty.lo;
        }
        Some(State::new(&current, &locations))
    })
    .filter(|s| program.init.iter().all(|e| holds(program, e, s)))
}
