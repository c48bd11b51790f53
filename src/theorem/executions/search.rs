//! From sets of states to one execution: a shortest sequence of coarse steps, expanded to single actions.

use crate::base::control::Stop;
use crate::engine::relations::{Concrete, Encoding, pick, singleton};
use crate::model::program::ThreadId;
use crate::theorem::properties::Goal;
use crate::theorem::reduced::coarse::{Explorer, Grain, Reduced};
use biodivine_lib_bdd::Bdd;

/// An execution: the first state, then actions with the state after each and the coarse step they belong to.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The initial state.
    pub first: Concrete,
    /// The steps: coarse step, action, state after it.
    pub steps: Vec<(usize, usize, Concrete)>,
    /// Whether no execution has fewer coarse steps.
    pub shortest: bool,
}

/// Nodes that the search for a shortest execution may build beside as many as the answer took.
const SHORTEST: u64 = 5_000_000;

/// Nodes that each search for a shortest execution may build, once it is known what is met: evidence costs little more
/// than the answer.
pub fn shortest_budget(e: &Encoding) -> u64 {
    e.m.spent() + SHORTEST
}

/// Some actions of one thread, each with the state after it.
type Moves = Vec<(usize, Concrete)>;

/// A shortest execution (in coarse steps, then in the actions of each) that meets a goal; `None` if none does. Where
/// the search builds more than `budget` nodes, some execution.
///
/// Breadth first from both ends, always the end whose last layer is the smaller BDD: a layer of all states at one
/// distance is often far larger than the set of all states.
///
/// # Errors
/// Any [`Stop`].
pub fn execution(
    e: &Encoding,
    explorer: &Explorer,
    reduced: &Reduced,
    goal: &Goal,
    budget: u64,
) -> Result<Option<Execution>, Stop> {
    let m = &e.m;
    if let Some(first) = pick(e, &m.and(&e.initial, &goal.bad)?) {
        return Ok(Some(Execution {
            first,
            steps: Vec::new(),
            shortest: true,
        }));
    }
    let scheduling = m.and_not(&reduced.states, &e.q())?;
    let bad = m.or(
        &m.and(&goal.bad, &reduced.visited)?,
        &m.and(&goal.bad, &reduced.states)?,
    )?;
    let threads = 0..e.program.threads.len();
    let mut ahead = vec![m.and_not(&e.initial, &e.q())?];
    let mut ahead_all = ahead[0].clone();
    let mut behind = vec![before(e, explorer, &bad, &scheduling)?];
    let mut behind_all = behind[0].clone();
    let begun = m.spent();
    loop {
        if m.spent() - begun > budget {
            return chained(e, explorer, &bad, &scheduling);
        }
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
    Ok(Some(Execution {
        first,
        steps,
        shortest: true,
    }))
}

/// The states among `from` with a (perhaps partial) coarse step into `target`.
fn before(e: &Encoding, explorer: &Explorer, target: &Bdd, from: &Bdd) -> Result<Bdd, Stop> {
    let m = &e.m;
    let mut all = m.no();
    for t in 0..e.program.threads.len() {
        all = m.or(&all, &before_by(e, explorer, t, target)?)?;
    }
    m.and(&all, from)
}

/// The states with a (perhaps partial) coarse step of one thread into `target`.
fn before_by(
    e: &Encoding,
    explorer: &Explorer,
    thread: ThreadId,
    target: &Bdd,
) -> Result<Bdd, Stop> {
    let m = &e.m;
    let (visible, invisible) = explorer.actions(thread);
    let mut known = target.clone();
    let mut ring = target.clone();
    while !ring.is_false() {
        let next = m.and_not(&preimage_of(e, &invisible, &ring)?, &e.q())?;
        ring = m.and_not(&next, &known)?;
        known = m.or(&known, &ring)?;
    }
    preimage_of(e, &visible, &known)
}

/// Some execution that meets a goal: backwards thread by thread, each from all that the others have reached, which
/// takes far fewer images than layers of equal distance.
fn chained(
    e: &Encoding,
    explorer: &Explorer,
    bad: &Bdd,
    scheduling: &Bdd,
) -> Result<Option<Execution>, Stop> {
    let m = &e.m;
    let start = m.and_not(&e.initial, &e.q())?;
    // The n-th set leads by one coarse step into the union of the sets before it, those of the first `direct` into
    // `bad`.
    let mut sets: Vec<Bdd> = Vec::new();
    let mut unions = vec![m.no()];
    let mut direct = 0;
    let mut grown = true;
    while grown && m.disjoint(&unions[unions.len() - 1], &start) {
        grown = false;
        for t in 0..e.program.threads.len() {
            let total = unions[unions.len() - 1].clone();
            let target = if direct == 0 { bad } else { &total };
            let fresh = m.and(&before_by(e, explorer, t, target)?, scheduling)?;
            let fresh = m.and_not(&fresh, &total)?;
            if fresh.is_false() {
                continue;
            }
            grown = true;
            unions.push(m.or(&total, &fresh)?);
            sets.push(fresh);
        }
        if direct == 0 {
            direct = sets.len();
        }
    }
    let Some(first) = pick(e, &m.and(&start, &unions[unions.len() - 1])?) else {
        return Ok(None);
    };
    let (mut steps, mut coarse, mut current) = (Vec::new(), 0, first.clone());
    loop {
        let here = singleton(e, &current, &e.all_bits());
        let Some(n) = sets.iter().position(|set| !m.disjoint(set, &here)) else {
            return Ok(None);
        };
        let target = if n < direct { bad } else { &unions[n] };
        let Some((_, moves)) = coarse_step(e, explorer, &here, target)? else {
            return Ok(None);
        };
        coarse += 1;
        for (action, state) in moves {
            current = state.clone();
            steps.push((coarse, action, state));
        }
        if n < direct {
            return Ok(Some(Execution {
                first,
                steps,
                shortest: false,
            }));
        }
    }
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

#[cfg(test)]
mod tests {
    use super::super::trace::{coarse_length, retell};
    use super::*;
    use crate::base::control::Control;
    use crate::base::control::ParseLimits;
    use crate::model::Loaded;
    use crate::theorem::properties::goals;
    use crate::theorem::reduced::coarse::explore;
    use crate::theorem::visibility::Visibility;

    /// Without a budget the chained search takes over; its executions replay, and are no shorter than shortest ones.
    #[test]
    fn an_execution_found_without_a_budget_replays() {
        let ring = include_str!("../../../models/classic/locked_ring.cor");
        let forgotten = include_str!("../../../models/seeded/lock_forgotten.cor");
        let blocked = include_str!("../../../models/features/blocked_inside.cor");
        let barrier = include_str!("../../../models/stoller_cohen/two_locks_barrier.cor");
        for source in [ring, forgotten, blocked, barrier] {
            let (session, _) = Loaded::load("m.cor", source, &[], ParseLimits::default()).unwrap();
            let control = Control::default();
            let mut e = Encoding::new(session.program(), &control).unwrap();
            let mut visibility = Visibility::by_definition(&mut e).unwrap();
            let goals = goals(&e, &[]).unwrap();
            visibility.repair(&e, &goals, false).unwrap();
            let explorer = Explorer::new(&e, &visibility).unwrap();
            let reduced = explore(&explorer, &goals);
            let mut told = 0;
            for (goal, _) in goals.iter().zip(&reduced.met).filter(|(_, met)| **met) {
                let length = |budget| {
                    let found = execution(&e, &explorer, &reduced, goal, budget)
                        .unwrap()
                        .unwrap();
                    let trace = retell(&e, &found, goal).expect("an execution of the program");
                    (
                        found.shortest || found.steps.is_empty(),
                        coarse_length(&trace),
                    )
                };
                let (shortest, least) = length(u64::MAX);
                let (chained, some) = length(0);
                assert!(shortest && least <= some, "{}", goal.name);
                // One coarse step is found before the budget is looked at.
                assert!(!chained || some <= 1, "{}", goal.name);
                told += 1;
            }
            assert!(told > 0);
        }
    }
}
