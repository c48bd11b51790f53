//! Reachability on decision diagrams: makes the sets of states, and answers questions from them.

use super::kept::from_diagrams;
use super::question::{Question, Sort};
use super::reduced::{self, Rounds};
use super::{Answer, Move, Outcome, Path, Reduction};
use crate::base::control::{Control, Stop};
use crate::engine::Variable;
use crate::engine::diagrams::{
    Closed, EMPTY, Engine, Event, Execution, Formula, Formulas, Node, Rel, Relations, Space,
    Strategy, Way, events, overlap,
};
use crate::model::program::{Expr, Program};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How diagrams are used.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How sets are closed.
    pub strategy: Strategy,
    /// The variables from the top.
    pub order: Vec<Variable>,
    /// Whether facts `t u <= u t` save firings.
    pub facts: bool,
    /// Steps at most.
    pub operations: u64,
    /// The reduced system, if it is to be explored.
    pub reduction: Option<Reduction>,
    /// Rubbish is collected whenever a node is made: for tests.
    pub stress: bool,
    /// Whether all states are wanted ([`Outcome::kept`]).
    pub keep: bool,
}

/// The engine's name.
pub fn name(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Saturation => "saturation",
        Strategy::Chaining => "chaining",
        Strategy::Worklist => "worklist",
    }
}

/// All that is needed to look into the reachable states.
pub(super) struct Model<'p, 'c> {
    pub space: Space<'p>,
    pub engine: Engine<'c>,
    pub events: Vec<Event>,
    /// Events by relation.
    pub by_rel: FxHashMap<Rel, usize>,
    /// Initial states without a violation.
    pub initial: Node,
    /// Initial states with one.
    pub violated: Node,
    /// The reachable states, once they are found; of the reduced system, the rounds so far.
    closed: Option<Rc<Closed>>,
    pub rounds: Option<Rounds>,
    /// Sets that are kept from the beginning.
    kept: usize,
}

impl<'p, 'c> Model<'p, 'c> {
    pub fn new(
        program: &'p Program,
        settings: &Settings,
        control: &'c Control,
    ) -> Result<Self, Stop> {
        let space = Space::new(program, settings.order.clone());
        let mut relations = Relations::new(Formulas::new(space.ranges()));
        let events = events(&space, &mut relations, control)?;
        let by_rel = events.iter().enumerate().map(|(n, e)| (e.rel, n)).collect();
        let mut engine = Engine::new(relations, control);
        if settings.stress {
            engine.store.stress();
        }
        let values: Vec<Vec<u32>> = space
            .order
            .iter()
            .map(|v| match *v {
                Variable::Location(t) => vec![program.threads[t].initial as u32],
                Variable::Cell(c) => {
                    let cell = &program.cells[c];
                    match cell.initial {
                        Some(v) => vec![(v - cell.ty.lo) as u32],
                        None => (0..cell.ty.size() as u32).collect(),
                    }
                }
            })
            .collect();
        let mut model = Model {
            space,
            engine,
            events,
            by_rel,
            initial: EMPTY,
            violated: EMPTY,
            closed: None,
            rounds: None,
            kept: 0,
        };
        let mut initial = model.engine.product(&values)?;
        for e in &program.init {
            let f = &mut model.engine.relations.formulas;
            let condition = model.space.holds(f, e, &model.space);
            initial = model.engine.satisfying(initial, condition)?;
        }
        model.engine.keep(initial);
        let mut fine: Vec<Formula> = Vec::new();
        for x in &program.protections {
            let f = &mut model.engine.relations.formulas;
            let both = overlap(&model.space, f, x, &model.space);
            fine.push(f.not(both));
        }
        model.initial = initial;
        for c in fine {
            model.initial = model.engine.satisfying(model.initial, c)?;
            model.engine.keep(model.initial);
        }
        model.violated = model.engine.minus(initial, model.initial)?;
        model.engine.keep(model.violated);
        model.kept = model.engine.kept();
        Ok(model)
    }

    /// The relations of the events that violate the discipline, or of the others.
    pub fn relations(&self, violates: bool, wanted: impl Fn(&Event) -> bool) -> Vec<Rel> {
        self.events
            .iter()
            .filter(|e| e.violates == violates && wanted(e))
            .map(|e| e.rel)
            .collect()
    }

    /// A program state as a path: an execution on diagrams in the program's terms.
    pub fn path(&self, execution: &Execution) -> Path {
        let moves = execution.steps.iter().map(|s| {
            let event = &self.events[self.by_rel[&s.rel]];
            Move {
                thread: event.thread,
                location: event.location,
                after: s.after.iter().map(|&(l, v)| self.binding(l, v)).collect(),
            }
        });
        Path {
            first: self.space.state(&execution.first),
            moves: moves.collect(),
            shortest: false,
        }
    }

    fn binding(&self, level: u32, value: u32) -> (Variable, i64) {
        let variable = self.space.order[level as usize];
        let (lo, _) = crate::engine::diagrams::range(self.space.program, variable);
        (variable, lo + i64::from(value))
    }
}

/// Explores a program on diagrams.
pub fn diagrams(
    program: &Program,
    questions: &[Question],
    settings: &Settings,
    control: &Control,
) -> Outcome {
    answer(program, questions, settings, control, &mut None)
}

/// The same, with the model of an earlier attempt or a new one. The model is left in place with all that it has found.
pub(super) fn answer<'p, 'c>(
    program: &'p Program,
    questions: &[Question],
    settings: &Settings,
    control: &'c Control,
    model: &mut Option<Model<'p, 'c>>,
) -> Outcome {
    let mut outcome = Outcome::begin(name(settings.strategy), questions.len());
    control.enter("building next-state relations");
    let mut present = match model.take() {
        Some(mut model) => {
            model.engine.release(model.kept);
            Ok(model)
        }
        None => Model::new(program, settings, control),
    };
    match &mut present {
        Ok(model) => {
            model.engine.allow(settings.operations);
            let done = match &settings.reduction {
                None => explore(model, questions, settings, &mut outcome),
                Some(reduction) => {
                    reduced::explore(model, reduction, questions, settings, &mut outcome)
                }
            };
            outcome.stopped = done.err();
            outcome.peak_nodes = Some(model.engine.store.peak());
            outcome.memory = Some(model.engine.peak_bytes());
            outcome.operations = Some(model.engine.operations());
        }
        Err(stop) => outcome.stopped = Some(*stop),
    }
    *model = present.ok();
    outcome
}

fn explore(
    model: &mut Model,
    questions: &[Question],
    settings: &Settings,
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    let control = model.engine.control;
    control.enter(format!("{}: the reachable states", name(settings.strategy)));
    let way = Way {
        strategy: settings.strategy,
        facts: settings.facts,
        history: !questions.is_empty(),
    };
    let closed = match &model.closed {
        Some(closed) => Rc::clone(closed),
        None => {
            let fine = model.relations(false, |_| true);
            Rc::new(model.engine.close(model.initial, &fine, way)?)
        }
    };
    model.engine.keep_closed(&closed);
    model.closed = Some(Rc::clone(&closed));
    outcome.skipped = closed.closure.map(|c| model.engine.skipped(c));
    let mut violated = model.violated;
    let mut exits: Vec<(Rel, Node)> = Vec::new();
    for rel in model.relations(true, |_| true) {
        let next = model.engine.image(closed.set, rel)?;
        if next != EMPTY {
            model.engine.keep(next);
            violated = model.engine.union(violated, next)?;
            model.engine.keep(violated);
            exits.push((rel, next));
        }
    }
    outcome.violated = violated != EMPTY;
    let all = model.engine.union(closed.set, violated)?;
    model.engine.keep(all);
    control.enter("counting");
    outcome.states = Some(model.engine.count(all)?);
    outcome.wrong = Some(wrong(model, all)?);
    if settings.keep && !outcome.violated {
        control.enter("the states as a diagram");
        outcome.kept = Some(from_diagrams(&model.space, &model.engine, closed.set)?);
    }
    for (n, question) in questions.iter().enumerate() {
        control.enter(format!("looking for {}", question.name));
        let met = question.among(&model.space, &mut model.engine, (all, violated))?;
        model.engine.keep(met);
        if question.sort == Sort::Deadlock {
            outcome.deadlocks = Some(model.engine.count(met)?);
            outcome.wrong_deadlocks = Some(wrong(model, met)?);
        }
        let Some(target) = model.engine.pick(met) else {
            continue;
        };
        control.enter(format!("an execution for {}", question.name));
        outcome.answers[n] = match execution(model, &closed, &exits, (&target, badly(question))) {
            Ok(Some(execution)) => Answer::Found(model.path(&execution)),
            Ok(None) => Answer::Somewhere(Stop::Operations),
            Err(stop) => Answer::Somewhere(stop),
        };
    }
    Ok(())
}

/// How many states of a set have a thread that has gone wrong.
pub(super) fn wrong(model: &mut Model, set: Node) -> Result<BigUint, Stop> {
    let gone = match model.space.program.gone_wrong() {
        Expr::Const(_) => return Ok(BigUint::ZERO),
        gone => model
            .space
            .holds(&mut model.engine.relations.formulas, &gone, &model.space),
    };
    let mark = model.engine.kept();
    model.engine.keep(set);
    let found = model.engine.satisfying(set, gone);
    model.engine.release(mark);
    model.engine.count(found?)
}

/// Whether an execution has to end with a violation.
pub(super) fn badly(question: &Question) -> bool {
    question.sort == Sort::Violation
}

/// An execution to a reachable state, with a violation at its end if that is wanted.
fn execution(
    model: &mut Model,
    closed: &Closed,
    exits: &[(Rel, Node)],
    (target, badly): (&[u32], bool),
) -> Result<Option<Execution>, Stop> {
    let engine = &mut model.engine;
    if engine.contains(model.violated, target) {
        return Ok(Some(Execution {
            first: target.to_vec(),
            steps: Vec::new(),
        }));
    }
    if !badly && engine.contains(closed.set, target) {
        return to_closed(engine, closed, model.initial, target);
    }
    for &(rel, set) in exits {
        if !engine.contains(set, target) {
            continue;
        }
        let Some(before) = engine.predecessor(closed.set, rel, target)? else {
            continue;
        };
        let Some(mut execution) = to_closed(engine, closed, model.initial, &before)? else {
            continue;
        };
        execution.steps.push(crate::engine::diagrams::Taken {
            rel,
            after: changed(&before, target),
        });
        return Ok(Some(execution));
    }
    Ok(None)
}

/// The levels at which two states differ, with the second's values.
pub(super) fn changed(before: &[u32], after: &[u32]) -> Vec<(u32, u32)> {
    let differ = before.iter().zip(after).enumerate();
    differ
        .filter(|(_, (b, a))| b != a)
        .map(|(l, (_, a))| (l as u32, *a))
        .collect()
}

fn to_closed(
    engine: &mut Engine,
    closed: &Closed,
    initial: Node,
    target: &[u32],
) -> Result<Option<Execution>, Stop> {
    match closed.closure {
        Some(closure) => engine.explain(closure, initial, target),
        None => engine.traced(&closed.history, target),
    }
}
