//! An execution re-executed by the plain interpreter and told in the user's words.

use super::about::{About, of_goal};
use super::search::Execution;
use crate::base::diagnostic::Position;
use crate::base::evidence::{self, Taken};
use crate::base::results;
use crate::base::results::{
    Binding, Change, Outcome, Overlap, Step, Trace, TraceStep, TraceVariable, Value, Violation,
};
use crate::engine::Variable;
use crate::engine::reach::Path;
use crate::engine::relations::{Bit, Concrete, Encoding, Item};
use crate::engine::{
    State, Successor, each_successor, holds, initially_violated, is_initial, may_access, overlap,
    violates,
};
use crate::model::program::{CellId, Expr, Kind, LocId, Program, Protection, ThreadId};
use crate::theorem::properties::{Asked, Goal, GoalKind};
use std::ops::ControlFlow;

/// A name with its value.
pub fn binding(name: impl Into<String>, value: impl Into<String>) -> Binding {
    Binding {
        name: name.into(),
        value: value.into(),
    }
}

/// Re-executes an execution on the original program and tells it; `None` if some step is not one of the program's, or
/// the goal is not reached.
pub fn retell(e: &Encoding, execution: &Execution, goal: &Goal) -> Option<Trace> {
    let (trace, last, said) = replay(e, execution)?;
    settles(e.program, Rerun { trace, last, said }, goal)
}

/// The trace of an execution that was repeated, with the words for its end; `None` if that does not settle what is
/// asked.
pub fn settles(p: &Program, rerun: Rerun, goal: &Asked) -> Option<Trace> {
    let Rerun {
        mut trace,
        last,
        said,
    } = rerun;
    if !goal.reached(p, &last) {
        return None;
    }
    if let Some(about) = of_goal(p, goal, &last.state) {
        trace.about = about;
    }
    let said = said.map(Outcome::Violation);
    trace.outcome = match goal.kind {
        GoalKind::Discipline => said.unwrap_or(Outcome::Discipline),
        GoalKind::Assertions => said.unwrap_or(Outcome::Wrong),
        GoalKind::DeadlockFree => deadlock(p, &last.state),
        GoalKind::User(_) if goal.wanted => Outcome::Reached(goal.name.clone()),
        GoalKind::User(_) => Outcome::Violates(goal.name.clone()),
    };
    Some(trace)
}

/// Re-executes an execution on the original program and tells it with this outcome; `None` if some step is not one of
/// the program's.
pub fn retell_as(e: &Encoding, execution: &Execution, outcome: Outcome) -> Option<Trace> {
    let (mut trace, ..) = replay(e, execution)?;
    trace.outcome = outcome;
    Some(trace)
}

/// One step of an execution that is to be repeated.
pub struct Walked {
    /// Its coarse step.
    pub coarse: usize,
    /// Its thread.
    pub thread: ThreadId,
    /// The location it leaves.
    pub location: LocId,
    /// The state after it.
    pub after: State,
    /// Whether q holds after it, where that is known.
    pub violated: Option<bool>,
}

/// An execution re-executed.
pub struct Rerun {
    /// The execution as it is told; without states and steps if it was not to be told.
    pub trace: Trace,
    /// The last state.
    pub last: Concrete,
    /// What the last thing that went wrong was.
    pub said: Option<Violation>,
}

/// An execution re-executed: the trace, the last state, and what the last thing that went wrong was.
fn replay(e: &Encoding, execution: &Execution) -> Option<(Trace, Concrete, Option<Violation>)> {
    let steps = execution.steps.iter().map(|(coarse, a, after)| Walked {
        coarse: *coarse,
        thread: e.actions[*a].thread,
        location: e.actions[*a].location,
        after: after.state.clone(),
        violated: Some(after.violated),
    });
    let rerun = rerun(e.program, &execution.first, steps, true)?;
    Some((rerun.trace, rerun.last, rerun.said))
}

/// Repeats an execution with the interpreter; `None` if it does not begin in an initial state, or if some step is not
/// one of the program's. Long ones need not be told.
pub fn rerun(
    p: &Program,
    first: &Concrete,
    steps: impl Iterator<Item = Walked>,
    tell: bool,
) -> Option<Rerun> {
    let starts = p
        .threads
        .iter()
        .enumerate()
        .all(|(t, thread)| first.state.location(t) == thread.initial)
        && p.cells
            .iter()
            .enumerate()
            .all(|(c, cell)| cell.initial.is_none_or(|v| v == first.state.cell(c)))
        && is_initial(p, &first.state)
        && first.violated == initially_violated(p, &first.state);
    if !starts {
        return None;
    }
    let mut trace = Trace {
        variables: variables(p),
        states: Vec::new(),
        steps: Vec::new(),
        skipped: 0,
        outcome: Outcome::Untold,
        about: Vec::new(),
        execution: evidence::Execution::default(),
    };
    let mut about = About::new(p);
    if tell {
        let cells = p.cells.iter().enumerate();
        let start = cells.map(|(c, cell)| (cell.name.clone(), first.state.cell(c)));
        trace.execution.start = start.collect();
        trace.states.push(values(p, &first.state));
    }
    let mut current = first.clone();
    let mut said = first
        .violated
        .then(|| any_overlap(p, &first.state))
        .flatten();
    for walked in steps {
        let thread = walked.thread;
        if current.state.location(thread) != walked.location {
            return None;
        }
        let (from, to) = (&current.state, &walked.after);
        let mut violated = current.violated;
        let found = each_successor(p, from, thread, Some(to), &mut |s| {
            violated = current.violated || violates(p, thread, from, &s);
            if s.state == *to && walked.violated.is_none_or(|q| q == violated) {
                ControlFlow::Break(s)
            } else {
                ControlFlow::Continue(())
            }
        });
        let ControlFlow::Break(step) = found else {
            return None;
        };
        let violation = gone_wrong(p, thread, &current, (&step, violated));
        let edge = &p.threads[thread].locations[walked.location].edges[step.edge];
        about.violation(violation.as_ref(), edge);
        said = violation.clone().or(said);
        if tell {
            trace.steps.push(TraceStep {
                coarse: walked.coarse,
                step: step_by(p, thread, walked.location, step.edge),
                changes: changes(p, from, to),
                violation,
                code: None,
            });
            trace.states.push(values(p, to));
            trace.execution.steps.push(taken(p, thread, from, to));
        }
        current = Concrete {
            state: walked.after,
            violated,
        };
    }
    trace.about = about.names();
    Some(Rerun {
        trace,
        last: current,
        said,
    })
}

/// What goes wrong in a step, behind which the discipline is `violated`, if something does.
pub fn gone_wrong(
    p: &Program,
    thread: ThreadId,
    before: &Concrete,
    (step, violated): (&Successor, bool),
) -> Option<Violation> {
    if let Some(failure) = step.failure {
        return Some(Violation::Failure(p.threads[thread].name.clone(), failure));
    }
    let is_new = violated && !before.violated;
    is_new
        .then(|| undisciplined(p, thread, &before.state, step))
        .flatten()
}

/// A step with what it changes.
fn taken(p: &Program, thread: ThreadId, before: &State, after: &State) -> Taken {
    let cells = (0..p.cells.len()).filter(|&c| before.cell(c) != after.cell(c));
    let threads = p.threads.iter().enumerate();
    let moved = threads.filter(|(t, _)| before.location(*t) != after.location(*t));
    Taken {
        thread: p.threads[thread].name.clone(),
        cells: cells
            .map(|c| (p.cells[c].name.clone(), after.cell(c)))
            .collect(),
        locations: moved
            .map(|(t, thread)| {
                let location = &thread.locations[after.location(t)];
                (thread.name.clone(), location.name.clone())
            })
            .collect(),
    }
}

/// Values in a trace up to which it is told; beyond, it is repeated only.
const TOLD: usize = 20_000_000;

/// Repeats a path with the interpreter, and tells it if it is not too long. Steps are numbered by the coarse steps that
/// they belong to, of which one begins with each step that `begins` says; with a violation at its end if that is
/// wanted.
pub fn repeat(
    p: &Program,
    path: &Path,
    begins: &dyn Fn(usize) -> bool,
    badly: bool,
) -> Option<Rerun> {
    let first = Concrete {
        state: path.first.clone(),
        violated: initially_violated(p, &path.first),
    };
    let width = p.cells.len() + p.threads.len();
    let tell = (path.moves.len() + 1).saturating_mul(width) <= TOLD;
    let mut present = Present::new(p, &path.first);
    let mut coarse = 0;
    let steps = path.moves.iter().enumerate().map(|(n, m)| {
        coarse += usize::from(begins(n));
        Walked {
            coarse,
            thread: m.thread,
            location: m.location,
            after: present.after(&m.after),
            violated: badly.then_some(n + 1 == path.moves.len()),
        }
    });
    rerun(p, &first, steps, tell)
}

/// A state that is changed step by step.
struct Present {
    cells: Vec<i64>,
    locations: Vec<LocId>,
}

impl Present {
    fn new(p: &Program, state: &State) -> Self {
        Present {
            cells: (0..p.cells.len()).map(|c| state.cell(c)).collect(),
            locations: (0..p.threads.len()).map(|t| state.location(t)).collect(),
        }
    }

    fn after(&mut self, changes: &[(Variable, i64)]) -> State {
        for &(v, value) in changes {
            match v {
                Variable::Cell(c) => self.cells[c] = value,
                Variable::Location(t) => self.locations[t] = value as LocId,
            }
        }
        State::new(&self.cells, &self.locations)
    }
}

/// An action as a step of a report.
pub fn step_of(e: &Encoding, action: usize) -> Step {
    let a = &e.actions[action];
    step_at(e.program, a.thread, a.location)
}

/// The steps of a thread from a location, as a step of a report.
pub fn step_at(p: &Program, thread: ThreadId, location: LocId) -> Step {
    let thread = &p.threads[thread];
    let location = &thread.locations[location];
    let Position { line, column } = p.position(location.span);
    Step {
        thread: thread.name.clone(),
        location: location.name.clone(),
        line,
        column,
        text: p.text(location.span),
        reasons: Vec::new(),
    }
}

/// The same, for the steps by one edge.
pub fn step_by(p: &Program, thread: ThreadId, location: LocId, edge: usize) -> Step {
    let mut told = step_at(p, thread, location);
    let edges = &p.threads[thread].locations[location].edges;
    if edges.len() > 1 {
        let at = p.position(edges[edge].span);
        (told.line, told.column) = (at.line, at.column);
        told.text = p.text(edges[edge].span);
    }
    told
}

/// A state in the user's words: the items that have one of these bits, or all.
pub fn bindings(e: &Encoding, concrete: &Concrete, only: Option<&[Bit]>) -> Vec<Binding> {
    let p = e.program;
    let shown =
        |item: Item| only.is_none_or(|bits| e.layout.group(item).bits().any(|b| bits.contains(&b)));
    let mut all = Vec::new();
    for (c, cell) in p
        .cells
        .iter()
        .enumerate()
        .filter(|(c, _)| shown(Item::Of(Variable::Cell(*c))))
    {
        all.push(binding(&cell.name, p.show(c, concrete.state.cell(c))));
    }
    for (t, thread) in p
        .threads
        .iter()
        .enumerate()
        .filter(|(t, _)| shown(Item::Of(Variable::Location(*t))))
    {
        let location = thread
            .locations
            .get(concrete.state.location(t))
            .map_or("?", |l| l.name.as_str());
        all.push(binding(&thread.name, location));
    }
    if concrete.violated {
        all.push(binding("discipline", "violated"));
    }
    all
}

/// What differs between two states, but for locations.
pub fn changes(p: &Program, before: &State, after: &State) -> Vec<Change> {
    let changed = |c: &CellId| before.cell(*c) != after.cell(*c);
    (0..p.cells.len())
        .filter(changed)
        .map(|c| Change {
            name: p.cells[c].name.clone(),
            old: p.show(c, before.cell(c)),
            new: p.show(c, after.cell(c)),
        })
        .collect()
}

/// The variables of traces.
pub fn variables(p: &Program) -> Vec<TraceVariable> {
    let arrays = p.arrays.iter().map(|a| TraceVariable {
        name: variable_of(p, a.first),
        dims: a.dims.clone(),
    });
    let threads = p.threads.iter().map(|t| TraceVariable {
        name: t.name.clone(),
        dims: Vec::new(),
    });
    arrays.chain(threads).collect()
}

/// The variable of traces that has a cell.
pub fn variable_of(p: &Program, cell: CellId) -> String {
    without_indices(&p.cells[cell].name)
}

/// `m[0].owner` as the variable `m.owner`.
fn without_indices(cell: &str) -> String {
    let mut depth = 0;
    cell.chars()
        .filter(|c| {
            depth += usize::from(*c == '[');
            let outside = depth == 0;
            depth -= usize::from(*c == ']');
            outside
        })
        .collect()
}

/// The values of the variables of traces in a state.
pub fn values(p: &Program, state: &State) -> Vec<Value> {
    let arrays = p.arrays.iter().map(|a| {
        let mut cells = a.first..a.first + a.len;
        nested(p, state, &a.dims, &mut cells)
    });
    let threads = p.threads.iter().enumerate().map(|(t, thread)| {
        let location = thread.locations.get(state.location(t));
        Value::Text(location.map_or_else(String::new, |l| l.name.clone()))
    });
    arrays.chain(threads).collect()
}

fn nested(
    p: &Program,
    state: &State,
    dims: &[usize],
    cells: &mut std::ops::Range<CellId>,
) -> Value {
    match dims.split_first() {
        Some((&n, rest)) => Value::List((0..n).map(|_| nested(p, state, rest, cells)).collect()),
        None => match cells.next() {
            None => Value::Int(0),
            Some(c) => match p.cells[c].ty.kind {
                Kind::Bool => Value::Bool(state.cell(c) != 0),
                Kind::Int => Value::Int(state.cell(c)),
                Kind::Enum(_) | Kind::Owner | Kind::Ref(_) => Value::Text(p.show(c, state.cell(c))),
            },
        },
    }
}

fn undisciplined(
    p: &Program,
    thread: ThreadId,
    before: &State,
    step: &Successor,
) -> Option<Violation> {
    let name = |t: ThreadId| p.threads[t].name.clone();
    let forbidden = p.protections.iter().find(|x| {
        let accessed = step.accesses.binary_search(&x.cell).is_ok();
        accessed && !may_access(p, x, thread, before, step)
    });
    let Some(x) = forbidden else {
        return any_overlap(p, &step.state);
    };
    let others = (0..p.threads.len()).filter(|&o| o != thread);
    let holders = others.filter(|&o| holds(p, &x.predicates[o], before));
    Some(Violation::Access {
        thread: name(thread),
        cell: p.cells[x.cell].name.clone(),
        holders: holders.map(name).collect(),
    })
}

fn any_overlap(p: &Program, state: &State) -> Option<Violation> {
    let overlap = p.protections.iter().find_map(|x| overlap_of(p, x, state));
    overlap.map(Violation::Overlap)
}

/// Who has access to a protected cell besides the one who has it exclusively.
pub fn overlap_of(p: &Program, x: &Protection, state: &State) -> Option<Overlap> {
    if !overlap(p, x, state) {
        return None;
    }
    let names = |of: &[Expr]| -> Vec<String> {
        let satisfied = (0..of.len()).filter(|&t| holds(p, &of[t], state));
        satisfied.map(|t| p.threads[t].name.clone()).collect()
    };
    let owners = names(&x.predicates);
    let mut readers = names(x.readers.as_deref().unwrap_or_default());
    readers.retain(|r| !owners.contains(r));
    Some(Overlap {
        cell: p.cells[x.cell].name.clone(),
        owners,
        readers,
    })
}

/// Who waits where in a deadlock.
pub fn deadlock(p: &Program, state: &State) -> Outcome {
    let threads = p.threads.iter().enumerate();
    let waiting = threads.filter_map(|(t, thread)| {
        let l = state.location(t);
        let waits = thread.resting().all(|r| r != l);
        waits.then(|| p.place(t, l))
    });
    Outcome::Deadlock(waiting.collect())
}

/// The number of coarse steps of a trace.
pub fn coarse_length(trace: &results::Trace) -> usize {
    trace.steps.last().map_or(0, |s| s.coarse)
}
