//! The reduced system on decision diagrams: from each set, a visible step of one thread, the closure under its
//! invisible steps, and of that what has no further invisible step (Stoller & Cohen 2003, section 3;
//! `theorem/reduced/coarse.rs` is the same on BDDs).

use super::question::{Question, Sort, enabled, located};
use super::symbolic::{Model, Settings, badly, changed, name};
use super::{Answer, Blocked, Outcome, Reduction};
use crate::base::control::Stop;
use crate::engine::diagrams::{EMPTY, Event, Execution, Formula, Node, Rel, Strategy, Taken, Way};

/// A thread's events.
struct Plan {
    visible: Vec<Rel>,
    invisible: Vec<Rel>,
    /// Those that violate the discipline.
    visible_bad: Vec<Rel>,
    invisible_bad: Vec<Rel>,
    /// The closure under the invisible ones, for saturation.
    closure: Option<u32>,
    /// Where a coarse step ends.
    ends: Vec<Formula>,
}

/// One thread's coarse steps from one set, for finding executions.
struct Round {
    thread: usize,
    from: Node,
    inside: Node,
    violated: Node,
}

/// The rounds so far. They go on from here, if operations ran out.
pub(super) struct Rounds {
    history: Vec<Round>,
    /// Where coarse steps begin, and all states with those inside.
    states: Node,
    visited: Node,
    violated: Node,
    /// From which states each thread's coarse steps were taken.
    expanded: Vec<Node>,
    /// Whose turn it is in the present round over the threads, and whether it has led anywhere.
    thread: usize,
    grown: bool,
    number: usize,
    over: bool,
}

impl Rounds {
    fn new(model: &Model) -> Self {
        Rounds {
            history: Vec::new(),
            states: model.initial,
            visited: model.initial,
            violated: model.violated,
            expanded: vec![EMPTY; model.space.program.threads.len()],
            thread: 0,
            grown: false,
            number: 1,
            over: false,
        }
    }

    /// All sets in it, for the engine to keep.
    fn sets(&self) -> impl Iterator<Item = Node> {
        let rounds = self.history.iter();
        let of_rounds = rounds.flat_map(|r| [r.from, r.inside, r.violated]);
        let present = [self.states, self.visited, self.violated];
        let all = of_rounds.chain(present);
        all.chain(self.expanded.iter().copied())
    }
}

pub(super) fn explore(
    model: &mut Model,
    reduction: &Reduction,
    questions: &[Question],
    settings: &Settings,
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    let plans = plans(model, reduction, settings)?;
    let mut rounds = model.rounds.take().unwrap_or_else(|| Rounds::new(model));
    rounds.sets().for_each(|set| model.engine.keep(set));
    let mut done = take(model, &plans, &mut rounds, settings);
    if done.is_ok() {
        done = answer(model, &plans, &rounds, questions, outcome);
    }
    model.rounds = Some(rounds);
    done
}

/// Takes coarse steps until they lead to nothing new.
fn take(
    model: &mut Model,
    plans: &[Plan],
    rounds: &mut Rounds,
    settings: &Settings,
) -> Result<(), Stop> {
    let control = model.engine.control;
    let by = name(settings.strategy);
    let enter = |n| {
        control.enter(format!(
            "{by}: the reduced system: round {n} over the threads"
        ))
    };
    enter(rounds.number);
    while !rounds.over {
        let Some(plan) = plans.get(rounds.thread) else {
            rounds.over = !rounds.grown;
            rounds.thread = 0;
            rounds.grown = false;
            rounds.number += 1;
            enter(rounds.number);
            continue;
        };
        let from = model
            .engine
            .minus(rounds.states, rounds.expanded[rounds.thread])?;
        if from == EMPTY {
            rounds.thread += 1;
            continue;
        }
        // What follows is taken over as a whole, or is done again.
        model.engine.keep(from);
        let round = coarse(model, plan, rounds.thread, from, settings)?;
        model.engine.keep(round.inside);
        model.engine.keep(round.violated);
        let ends = super::question::all_of(&mut model.engine, round.inside, &plan.ends)?;
        let states = model.engine.union(rounds.states, ends)?;
        model.engine.keep(states);
        let visited = model.engine.union(rounds.visited, round.inside)?;
        model.engine.keep(visited);
        let violated = model.engine.union(rounds.violated, round.violated)?;
        model.engine.keep(violated);
        rounds.grown = true;
        rounds.expanded[rounds.thread] = rounds.states;
        (rounds.states, rounds.visited, rounds.violated) = (states, visited, violated);
        rounds.history.push(round);
    }
    Ok(())
}

fn answer(
    model: &mut Model,
    plans: &[Plan],
    rounds: &Rounds,
    questions: &[Question],
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    let control = model.engine.control;
    let Rounds {
        history,
        states,
        visited,
        violated,
        ..
    } = rounds;
    let violated = *violated;
    outcome.violated = violated != EMPTY;
    control.enter("counting");
    let counted = model.engine.union(*states, model.violated)?;
    model.engine.keep(counted);
    let all = model.engine.union(*visited, violated)?;
    model.engine.keep(all);
    outcome.states = Some(model.engine.count(counted)?);
    outcome.visited = Some(model.engine.count(all)?);
    for (n, question) in questions.iter().enumerate() {
        control.enter(format!("looking for {}", question.name));
        let met = question.among(&model.space, &mut model.engine, (all, violated))?;
        model.engine.keep(met);
        if question.sort == Sort::Deadlock {
            outcome.deadlocks = Some(model.engine.count(met)?);
            outcome.wrong_deadlocks = Some(super::symbolic::wrong(model, met)?);
        }
        let Some(target) = model.engine.pick(met) else {
            continue;
        };
        control.enter(format!("an execution for {}", question.name));
        outcome.answers[n] = match execution(model, plans, history, (&target, badly(question))) {
            Ok(Some(execution)) => Answer::Found(model.path(&execution)),
            Ok(None) => Answer::Somewhere(Stop::Operations),
            Err(stop) => Answer::Somewhere(stop),
        };
    }
    Ok(())
}

fn plans(model: &mut Model, reduction: &Reduction, settings: &Settings) -> Result<Vec<Plan>, Stop> {
    let mut plans = Vec::new();
    for thread in 0..model.space.program.threads.len() {
        let of = |visible: bool| {
            move |e: &Event| e.thread == thread && reduction.visible[thread][e.location] == visible
        };
        let invisible = model.relations(false, of(false));
        let closure = match settings.strategy {
            Strategy::Saturation => Some(model.engine.closure(&invisible, settings.facts)?),
            _ => None,
        };
        let mut ends = Vec::new();
        for l in model.space.program.threads[thread].steps() {
            if !reduction.visible[thread][l] {
                let goes_on = match reduction.when_blocked {
                    Blocked::Ends => enabled(&model.space, &mut model.engine, thread, l),
                    Blocked::Waits => located(&model.space, &mut model.engine, thread, l),
                };
                ends.push(model.engine.relations.formulas.not(goes_on));
            }
        }
        plans.push(Plan {
            visible: model.relations(false, of(true)),
            invisible,
            visible_bad: model.relations(true, of(true)),
            invisible_bad: model.relations(true, of(false)),
            closure,
            ends,
        });
    }
    Ok(plans)
}

/// A thread's coarse steps from a set that is kept.
fn coarse(
    model: &mut Model,
    plan: &Plan,
    thread: usize,
    from: Node,
    settings: &Settings,
) -> Result<Round, Stop> {
    let mark = model.engine.kept();
    let first = images(model, from, &plan.visible)?;
    model.engine.keep(first);
    let inside = match plan.closure {
        Some(closure) => model.engine.saturate(first, closure)?,
        None => {
            let way = Way {
                strategy: settings.strategy,
                facts: settings.facts,
                history: false,
            };
            model.engine.close(first, &plan.invisible, way)?.set
        }
    };
    model.engine.keep(inside);
    let one = images(model, from, &plan.visible_bad)?;
    model.engine.keep(one);
    let other = images(model, inside, &plan.invisible_bad)?;
    let violated = model.engine.union(one, other);
    model.engine.release(mark);
    Ok(Round {
        thread,
        from,
        inside,
        violated: violated?,
    })
}

/// The states that some of these relations lead to.
fn images(model: &mut Model, from: Node, relations: &[Rel]) -> Result<Node, Stop> {
    let mark = model.engine.kept();
    let mut all = EMPTY;
    for &rel in relations {
        let next = model.engine.image(from, rel)?;
        model.engine.keep(next);
        all = model.engine.union(all, next)?;
        model.engine.keep(all);
    }
    model.engine.release(mark);
    Ok(all)
}

/// An execution to a visited state, coarse step by coarse step backwards; with a violation at its end if that is
/// wanted.
fn execution(
    model: &mut Model,
    plans: &[Plan],
    history: &[Round],
    (target, mut badly): (&[u32], bool),
) -> Result<Option<Execution>, Stop> {
    let mut present = target.to_vec();
    let mut steps: Vec<Taken> = Vec::new();
    loop {
        let engine = &model.engine;
        let begins = !badly && engine.contains(model.initial, &present);
        if begins || engine.contains(model.violated, &present) {
            break;
        }
        let round = history.iter().find(|r| {
            (!badly && engine.contains(r.inside, &present)) || engine.contains(r.violated, &present)
        });
        let Some(round) = round else { return Ok(None) };
        let plan = &plans[round.thread];
        let Some(before) = within(model, plan, round, (present, badly), &mut steps)? else {
            return Ok(None);
        };
        present = before;
        badly = false;
    }
    steps.reverse();
    Ok(Some(Execution {
        first: present,
        steps,
    }))
}

/// Goes back from a state to one that its coarse step began in; the steps are added last first.
fn within(
    model: &mut Model,
    plan: &Plan,
    round: &Round,
    target: (Vec<u32>, bool),
    steps: &mut Vec<Taken>,
) -> Result<Option<Vec<u32>>, Stop> {
    let mark = model.engine.kept();
    let found = layers(model, plan, round, target, steps);
    model.engine.release(mark);
    found
}

fn layers(
    model: &mut Model,
    plan: &Plan,
    round: &Round,
    (target, badly): (Vec<u32>, bool),
    steps: &mut Vec<Taken>,
) -> Result<Option<Vec<u32>>, Stop> {
    // The sets after the visible step, and after one more invisible step each time.
    let mut sets = vec![round.from];
    let mut seen = EMPTY;
    loop {
        let last = sets[sets.len() - 1];
        let (fine, bad) = match sets.len() {
            1 => (&plan.visible, &plan.visible_bad),
            _ => (&plan.invisible, &plan.invisible_bad),
        };
        let next = images(model, last, fine)?;
        model.engine.keep(next);
        let end = images(model, last, bad)?;
        let met = !badly && model.engine.contains(next, &target);
        if met || model.engine.contains(end, &target) {
            break;
        }
        let fresh = model.engine.minus(next, seen)?;
        if fresh == EMPTY {
            return Ok(None);
        }
        model.engine.keep(fresh);
        seen = model.engine.union(seen, fresh)?;
        model.engine.keep(seen);
        sets.push(fresh);
    }
    let mut present = target;
    let mut last = true;
    while let Some(set) = sets.pop() {
        let (fine, bad) = match sets.len() {
            0 => (&plan.visible, &plan.visible_bad),
            _ => (&plan.invisible, &plan.invisible_bad),
        };
        let mut before = None;
        let keeping = fine.iter().filter(|_| !(last && badly));
        for &rel in keeping.chain(bad.iter().filter(|_| last)) {
            if let Some(found) = model.engine.predecessor(set, rel, &present)? {
                before = Some((rel, found));
                break;
            }
        }
        let Some((rel, found)) = before else {
            return Ok(None);
        };
        steps.push(Taken {
            rel,
            after: changed(&found, &present),
        });
        present = found;
        last = false;
    }
    Ok(Some(present))
}
