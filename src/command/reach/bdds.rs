//! The biodivine engine: a worklist of single actions, or the exploration of coarse steps that `coarsen check` uses.

use crate::base::control::{Control, Stop};
use crate::base::results::VisibilityReason;
use crate::engine::Variable;
use crate::engine::reach::{Answer, Blocked, Move, Outcome, Path, Question, Reduction, Sort};
use crate::engine::relations::{Action, Bit, Encoding, Q, Rel};
use crate::model::program::Program;
use crate::theorem::{
    Asked, Explorer, Goal, GoalKind, Reduced, Visibility, deadlocks, execution, explore,
    shortest_budget,
};
use biodivine_lib_bdd::Bdd;
use std::collections::{BTreeMap, BTreeSet};

/// Explores a program on BDDs.
pub(super) fn bdds(
    program: &Program,
    questions: &[Question],
    order: &[Variable],
    reduction: Option<&Reduction>,
    control: &Control,
) -> Outcome {
    let mut outcome = Outcome::begin("bdd", questions.len());
    control.enter("bdd: building relations");
    let done = Encoding::ordered(program, order, control)
        .and_then(|e| run(&e, questions, reduction, &mut outcome));
    outcome.stopped = outcome.stopped.or(done.err());
    outcome
}

fn run(
    e: &Encoding,
    questions: &[Question],
    reduction: Option<&Reduction>,
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    let m = &e.m;
    let mut visibility = Visibility {
        reasons: vec![Vec::new(); e.actions.len()],
        refused: Vec::new(),
    };
    for (n, a) in e.actions.iter().enumerate() {
        if reduction.is_none_or(|r| r.visible[a.thread][a.location]) {
            visibility.pin(n, VisibilityReason::Wanted);
        }
    }
    let when_blocked = reduction.map_or(Blocked::Ends, |r| r.when_blocked);
    let explorer = Explorer::prepared(e, &visibility, when_blocked)?;
    let mut goals = Vec::new();
    for question in questions {
        goals.push(goal(e, question)?);
    }
    m.control().enter("bdd: the reachable states");
    let reduced = match reduction {
        None => single(e, &goals),
        Some(_) => explore(&explorer, &goals),
    };
    outcome.peak_nodes = Some(m.peak());
    let wrong = e.predicate(&e.program.gone_wrong())?;
    let violating = m.and(&reduced.visited, &e.q())?;
    outcome.violated = !violating.is_false();
    outcome.stopped = reduced.stopped;
    if reduced.stopped.is_none() {
        m.control().enter("counting");
        // Without invisible steps, a state that is only reached with a violation is a scheduling point like any other.
        let all = match reduction {
            None => &reduced.visited,
            Some(_) => &reduced.states,
        };
        outcome.states = Some(e.count(all)?);
        outcome.wrong = match reduction {
            None => Some(e.count(&m.and(all, &wrong)?)?),
            Some(_) => None,
        };
        outcome.visited = match reduction {
            None => None,
            Some(_) => Some(e.count(&reduced.visited)?),
        };
    } else {
        outcome.so_far = Some(e.count(&reduced.states)?);
    }
    let budget = shortest_budget(e);
    for (n, (goal, question)) in goals.iter().zip(questions).enumerate() {
        if question.sort == Sort::Deadlock && reduced.stopped.is_none() {
            let dead = m.and(&goal.bad, &reduced.visited)?;
            outcome.deadlocks = Some(e.count(&dead)?);
            outcome.wrong_deadlocks = Some(e.count(&m.and(&dead, &wrong)?)?);
        }
        if reduced.met[n] {
            m.control()
                .enter(format!("an execution for {}", question.name));
            outcome.answers[n] = match path(e, &explorer, &reduced, (goal, budget)) {
                Ok(Some(path)) => Answer::Found(path),
                Ok(None) => Answer::Somewhere(Stop::Nodes),
                Err(stop) => Answer::Somewhere(stop),
            };
        }
    }
    Ok(())
}

/// All states, by single actions; those with a violation are not expanded.
fn single(e: &Encoding, goals: &[Goal]) -> Reduced {
    let m = &e.m;
    let mut states = e.initial.clone();
    let stopped = worklist(e, &mut states).err();
    Reduced {
        met: goals.iter().map(|g| !m.disjoint(&g.bad, &states)).collect(),
        visited: states.clone(),
        states,
        rounds: 0,
        stopped,
    }
}

/// Closes a set under all actions. An action is fired as long as it adds something, those that lie low in the order
/// first; after t, u is due again unless neither changes what the other depends on. That is so for steps without a
/// violation, so the others wait to the end.
fn worklist(e: &Encoding, states: &mut Bdd) -> Result<(), Stop> {
    let (m, q) = (&e.m, e.q());
    let mut actions: Vec<(&Action, Rel)> = Vec::new();
    let mut violating: Vec<Rel> = Vec::new();
    for a in &e.actions {
        let after = a.rel.after(m, &q);
        let part = |bdd| Rel {
            writes: a.rel.writes.clone(),
            bdd,
        };
        let bad = m.and(&a.rel.bdd, &after)?;
        if a.rel.writes.contains(&Q) && !bad.is_false() {
            actions.push((a, part(m.and_not(&a.rel.bdd, &after)?)));
            violating.push(part(bad));
        } else {
            actions.push((a, a.rel.clone()));
        }
    }
    actions.sort_by(|a, b| b.0.footprint.cmp(&a.0.footprint));
    let mut users: BTreeMap<Bit, Vec<usize>> = BTreeMap::new();
    for (n, (a, _)) in actions.iter().enumerate() {
        for &bit in &a.footprint {
            users.entry(bit).or_default().push(n);
        }
    }
    let begun = m.and(states, &q)?;
    *states = m.and_not(states, &q)?;
    let mut due: BTreeSet<usize> = (0..actions.len()).collect();
    let mut at = 0;
    while let Some(&n) = due.range(at..).next().or(due.first()) {
        at = n;
        let (action, rel) = &actions[n];
        let next = rel.image(m, states)?;
        if m.disjoint(&next, &states.not()) {
            due.remove(&n);
            continue;
        }
        *states = m.or(states, &next)?;
        let others = action.footprint.iter().flat_map(|bit| &users[bit]);
        due.extend(others.filter(|&&o| !action.independent(actions[o].0)));
    }
    let clean = std::mem::replace(states, begun);
    *states = m.or(states, &clean)?;
    for rel in violating {
        *states = m.or(states, &rel.image(m, &clean)?)?;
    }
    Ok(())
}

fn goal(e: &Encoding, question: &Question) -> Result<Goal, Stop> {
    let (kind, bad) = match question.sort {
        Sort::Deadlock => (
            GoalKind::DeadlockFree,
            e.m.and(&deadlocks(e)?, &e.predicate(&question.expr)?)?,
        ),
        Sort::Violation => (GoalKind::Discipline, e.q()),
        Sort::Find => (GoalKind::User(0), e.predicate(&question.expr)?),
        Sort::Invariant => (GoalKind::User(0), e.predicate(&question.expr)?.not()),
    };
    Ok(Goal {
        asked: Asked {
            name: question.name.clone(),
            kind,
            wanted: question.sort == Sort::Find,
            can_be_hidden: matches!(question.sort, Sort::Find | Sort::Invariant),
        },
        bad,
    })
}

fn path(
    e: &Encoding,
    explorer: &Explorer,
    reduced: &Reduced,
    (goal, budget): (&Goal, u64),
) -> Result<Option<Path>, Stop> {
    let Some(found) = execution(e, explorer, reduced, goal, budget)? else {
        return Ok(None);
    };
    let p = e.program;
    let mut moves = Vec::new();
    let mut before = found.first.state.clone();
    for (_, a, after) in &found.steps {
        let thread = e.actions[*a].thread;
        moves.push(Move::between(p, thread, &before, &after.state));
        before = after.state.clone();
    }
    Ok(Some(Path {
        first: found.first.state,
        moves,
        shortest: found.shortest,
    }))
}
