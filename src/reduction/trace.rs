//! From layers of sets to one execution: a shortest sequence of coarse steps, expanded to single actions and re-executed
//! by the plain interpreter.

use super::properties::{Goal, GoalKind};
use super::stoller_cohen::{Explorer, Grain, Reduced};
use crate::control::Stop;
use crate::explore::{
    State, Successor, each_successor, holds, initially_violated, is_initial, violates,
};
use crate::program::{CellId, Class, Kind, Program, ThreadId};
use crate::relation::{Bit, Concrete, Encoding, Item, pick, singleton};
use crate::report::{self, Binding, Change, Step, Trace, TraceStep, TraceVariable, Value};
use biodivine_lib_bdd::Bdd;
use std::ops::ControlFlow;

fn binding(name: impl Into<String>, value: impl Into<String>) -> Binding {
    Binding {
        name: name.into(),
        value: value.into(),
    }
}

/// An execution: the first state, then actions with the state after each and the coarse step they belong to.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The initial state.
    pub first: Concrete,
    /// The steps.
    pub steps: Vec<(usize, usize, Concrete)>,
}

/// Some actions of one thread, each with the state after it.
type Moves = Vec<(usize, Concrete)>;

/// A shortest execution (in coarse steps, then in the actions of each) that meets a goal; `None` if none does.
///
/// Breadth first from both ends, always the end whose last layer is the smaller BDD: a layer of all states at one distance is
/// often far larger than the set of all states.
///
/// # Errors
/// Any [`Stop`].
pub fn execution(
    e: &Encoding,
    explorer: &Explorer,
    reduced: &Reduced,
    goal: &Goal,
) -> Result<Option<Execution>, Stop> {
    let m = &e.m;
    if let Some(first) = pick(e, &m.and(&e.initial, &goal.bad)?) {
        return Ok(Some(Execution {
            first,
            steps: Vec::new(),
        }));
    }
    let scheduling = m.and_not(&reduced.states, &e.q())?;
    let bad = m.and(&goal.bad, &reduced.visited)?;
    let threads = 0..e.program.threads.len();
    let mut ahead = vec![m.and_not(&e.initial, &e.q())?];
    let mut ahead_all = ahead[0].clone();
    let mut behind = vec![before(e, explorer, &bad, &scheduling)?];
    let mut behind_all = behind[0].clone();
    loop {
        let (front, back) = (&ahead[ahead.len() - 1], &behind[behind.len() - 1]);
        let meeting = m.and(front, back)?;
        if let Some(state) = pick(e, &meeting) {
            return assemble(e, explorer, &ahead, &behind, &bad, state);
        }
        if front.is_false() || back.is_false() {
            return Ok(None);
        }
        if front.size() <= back.size() {
            let mut next = m.no();
            for t in threads.clone() {
                next = m.or(&next, &explorer.coarse(t, front, Grain::Joined)?.ends)?;
            }
            let next = m.and_not(&next, &ahead_all)?;
            ahead_all = m.or(&ahead_all, &next)?;
            ahead.push(next);
        } else {
            let next = m.and_not(&before(e, explorer, back, &scheduling)?, &behind_all)?;
            behind_all = m.or(&behind_all, &next)?;
            behind.push(next);
        }
    }
}

/// The execution through a state that lies on the last layers of both ends.
fn assemble(
    e: &Encoding,
    explorer: &Explorer,
    ahead: &[Bdd],
    behind: &[Bdd],
    bad: &Bdd,
    meeting: Concrete,
) -> Result<Option<Execution>, Stop> {
    let alone = |c: &Concrete| singleton(e, c, &e.all_bits());
    let mut coarse: Vec<Moves> = Vec::new();
    let mut first = meeting.clone();
    for layer in ahead[..ahead.len() - 1].iter().rev() {
        let Some((start, moves)) = coarse_step(e, explorer, layer, &alone(&first))? else {
            return Ok(None);
        };
        coarse.push(moves);
        first = start;
    }
    coarse.reverse();
    let mut last = meeting;
    for target in behind[..behind.len() - 1].iter().rev().chain([bad]) {
        let Some((_, moves)) = coarse_step(e, explorer, &alone(&last), target)? else {
            return Ok(None);
        };
        if let Some((_, state)) = moves.last() {
            last = state.clone();
        }
        coarse.push(moves);
    }
    let steps = coarse
        .into_iter()
        .enumerate()
        .flat_map(|(n, moves)| moves.into_iter().map(move |(a, s)| (n + 1, a, s)))
        .collect();
    Ok(Some(Execution { first, steps }))
}

/// The states among `from` with a (perhaps partial) coarse step into `target`.
fn before(e: &Encoding, explorer: &Explorer, target: &Bdd, from: &Bdd) -> Result<Bdd, Stop> {
    let m = &e.m;
    let mut all = m.no();
    for t in 0..e.program.threads.len() {
        let (visible, invisible) = explorer.actions(t);
        let mut known = target.clone();
        let mut ring = target.clone();
        while !ring.is_false() {
            let next = m.and_not(&preimage_of(e, &invisible, &ring)?, &e.q())?;
            ring = m.and_not(&next, &known)?;
            known = m.or(&known, &ring)?;
        }
        all = m.or(&all, &preimage_of(e, &visible, &known)?)?;
    }
    m.and(&all, from)
}

fn preimage_of(e: &Encoding, actions: &[usize], set: &Bdd) -> Result<Bdd, Stop> {
    let m = &e.m;
    actions.iter().try_fold(m.no(), |acc, &a| {
        m.or(&acc, &e.actions[a].rel.preimage(m, set)?)
    })
}

/// A state of `from` and the fewest single actions of one thread's coarse step that lead from it into `target`.
fn coarse_step(
    e: &Encoding,
    explorer: &Explorer,
    from: &Bdd,
    target: &Bdd,
) -> Result<Option<(Concrete, Moves)>, Stop> {
    let m = &e.m;
    let mut best: Option<(Concrete, Moves)> = None;
    for t in 0..e.program.threads.len() {
        let (visible, invisible) = explorer.actions(t);
        let mut rings = vec![target.clone()];
        let mut known = target.clone();
        let start = loop {
            let last = &rings[rings.len() - 1];
            if best
                .as_ref()
                .is_some_and(|(_, moves)| moves.len() <= rings.len())
            {
                break None;
            }
            if let Some(start) = pick(e, &m.and(&preimage_of(e, &visible, last)?, from)?) {
                break Some(start);
            }
            let ring = m.and_not(&preimage_of(e, &invisible, last)?, &e.q())?;
            let ring = m.and_not(&ring, &known)?;
            if ring.is_false() {
                break None;
            }
            known = m.or(&known, &ring)?;
            rings.push(ring);
        };
        let Some(start) = start else { continue };
        let mut moves = Moves::new();
        let mut current = start.clone();
        for ring in rings.iter().rev() {
            let actions = if moves.is_empty() {
                &visible
            } else {
                &invisible
            };
            let here = singleton(e, &current, &e.all_bits());
            let mut taken = None;
            for &a in actions {
                let next = m.and(&e.actions[a].rel.image(m, &here)?, ring)?;
                if let Some(state) = pick(e, &next) {
                    taken = Some((a, state));
                    break;
                }
            }
            let Some((a, state)) = taken else {
                return Ok(None);
            };
            current = state.clone();
            moves.push((a, state));
        }
        best = Some((start, moves));
    }
    Ok(best)
}

/// Re-executes an execution on the original program and tells it; `None` if some step is not one of the program's.
pub fn retell(e: &Encoding, execution: &Execution, goal: &Goal) -> Option<Trace> {
    let p = e.program;
    let first = &execution.first;
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
        states: vec![values(p, &first.state)],
        steps: Vec::new(),
        outcome: String::new(),
    };
    let mut current = first.clone();
    let mut said = first
        .violated
        .then(|| overlap_words(p, &first.state))
        .flatten();
    for (coarse, a, after) in &execution.steps {
        let action = &e.actions[*a];
        if current.state.location(action.thread) != action.location {
            return None;
        }
        let (from, to) = (&current.state, &after.state);
        let found = each_successor(p, from, action.thread, Some(to), &mut |s| {
            let q = current.violated || violates(p, action.thread, from, &s);
            if s.state == *to && q == after.violated {
                ControlFlow::Break(s)
            } else {
                ControlFlow::Continue(())
            }
        });
        let ControlFlow::Break(step) = found else {
            return None;
        };
        let violation = if step.failure.is_some() {
            step.failure.map(|f| {
                format!(
                    "{} goes wrong: {}",
                    p.threads[action.thread].name,
                    f.words()
                )
            })
        } else if after.violated && !current.violated {
            discipline_words(p, action.thread, &current.state, &step)
        } else {
            None
        };
        said = violation.clone().or(said);
        let mut told = step_of(e, *a);
        let edges = &p.threads[action.thread].locations[action.location].edges;
        if edges.len() > 1 {
            told.line = p.line(edges[step.edge].span);
            told.text = p.text(edges[step.edge].span);
        }
        trace.steps.push(TraceStep {
            coarse: *coarse,
            step: told,
            changes: changes(p, &current.state, &after.state),
            violation,
        });
        trace.states.push(values(p, &after.state));
        current = after.clone();
    }
    if !goal.reached(p, &current) {
        return None;
    }
    trace.outcome = match goal.kind {
        GoalKind::Discipline => {
            said.unwrap_or_else(|| "the synchronisation discipline is violated".into())
        }
        GoalKind::Assertions => said.unwrap_or_else(|| "a thread has gone wrong".into()),
        GoalKind::DeadlockFree => deadlock_words(p, &current.state),
        GoalKind::User(_) if goal.wanted => {
            format!("a state that satisfies {} is reached", goal.name)
        }
        GoalKind::User(_) => format!("this state violates {}", goal.name),
    };
    Some(trace)
}

/// An action as a step of a report.
pub fn step_of(e: &Encoding, action: usize) -> Step {
    let a = &e.actions[action];
    let thread = &e.program.threads[a.thread];
    let location = &thread.locations[a.location];
    Step {
        thread: thread.name.clone(),
        location: location.name.clone(),
        line: e.program.line(location.span),
        text: e.program.text(location.span),
        reasons: Vec::new(),
    }
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
        .filter(|(c, _)| shown(Item::Cell(*c)))
    {
        all.push(binding(&cell.name, p.show(c, concrete.state.cell(c))));
    }
    for (t, thread) in p
        .threads
        .iter()
        .enumerate()
        .filter(|(t, _)| shown(Item::Location(*t)))
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

fn changes(p: &Program, before: &State, after: &State) -> Vec<Change> {
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

fn variables(p: &Program) -> Vec<TraceVariable> {
    let owner = |class| if class == Class::Owner { ".owner" } else { "" };
    let arrays = p.arrays.iter().map(|a| TraceVariable {
        name: format!("{}{}", a.name, owner(a.class)),
        dims: a.dims.clone(),
    });
    let threads = p.threads.iter().map(|t| TraceVariable {
        name: t.name.clone(),
        dims: Vec::new(),
    });
    arrays.chain(threads).collect()
}

fn values(p: &Program, state: &State) -> Vec<Value> {
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
                Kind::Enum(_) | Kind::Owner => Value::Text(p.show(c, state.cell(c))),
            },
        },
    }
}

fn discipline_words(
    p: &Program,
    thread: ThreadId,
    before: &State,
    step: &Successor,
) -> Option<String> {
    let name = &p.threads[thread].name;
    for x in &p.protections {
        let accessed = step.accesses.binary_search(&x.cell).is_ok();
        if accessed && !holds(p, &x.predicates[thread], before) {
            let cell = &p.cells[x.cell].name;
            let others: Vec<&str> = (0..p.threads.len())
                .filter(|&o| o != thread && holds(p, &x.predicates[o], before))
                .map(|o| p.threads[o].name.as_str())
                .collect();
            let holder = match others.as_slice() {
                [] => String::new(),
                some => format!("; {} has it", some.join(" and ")),
            };
            return Some(format!(
                "{name} accesses {cell} without exclusive access{holder}"
            ));
        }
    }
    overlap_words(p, &step.state)
}

fn overlap_words(p: &Program, state: &State) -> Option<String> {
    p.protections.iter().find_map(|x| {
        let holders: Vec<&str> = (0..p.threads.len())
            .filter(|&t| holds(p, &x.predicates[t], state))
            .map(|t| p.threads[t].name.as_str())
            .collect();
        (holders.len() > 1).then(|| {
            let both = if holders.len() == 2 { "both" } else { "all" };
            format!(
                "{} {both} have exclusive access to {}",
                holders.join(" and "),
                p.cells[x.cell].name
            )
        })
    })
}

fn deadlock_words(p: &Program, state: &State) -> String {
    let waiting: Vec<String> = p
        .threads
        .iter()
        .enumerate()
        .filter(|(t, thread)| {
            let l = Some(state.location(*t));
            l != thread.end && l != thread.wrong
        })
        .map(|(t, thread)| {
            let location = &thread.locations[state.location(t)];
            format!("{} waits at {}", thread.name, location.name)
        })
        .collect();
    format!("no step is enabled: {}", waiting.join(", "))
}

/// The number of coarse steps of a trace.
pub fn coarse_length(trace: &report::Trace) -> usize {
    trace.steps.last().map_or(0, |s| s.coarse)
}
