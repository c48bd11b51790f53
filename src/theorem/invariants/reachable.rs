//! The exact reachable states of the original program, as a BDD: the strongest inductive invariant J.
//!
//! Few steps on BDDs are tried first. Then the engines of `reach` explore, and the set that they keep has the bits of
//! the encoding already. They do not expand violated states, but J has to be closed under every step of the original
//! program: where something is violated, BDDs go on.

use crate::base::control::Stop;
use crate::engine::Variable;
use crate::engine::reach::{How, Kept, portfolio};
use crate::engine::relations::{Encoding, Item, before};
use biodivine_lib_bdd::Bdd;

/// What an operation of these may cost, if none of them comes to an end.
const COST: u64 = 8;

/// The reachable states, q included; `None` if more than `budget` pairs of nodes had to be looked at, or what takes as
/// long done. BDDs look at the `first` of them before other engines are asked.
///
/// # Errors
/// Any [`Stop`].
pub fn reachable(e: &Encoding, first: u64, budget: u64) -> Result<Option<Bdd>, Stop> {
    let mut chained = Chained {
        states: e.initial.clone(),
        spent: 0,
    };
    if chained.is_closed(e, budget.min(first))? {
        return Ok(Some(chained.states));
    }
    if budget <= first {
        return Ok(None);
    }
    match by_engines(e, budget)? {
        Found::All(kept) => Ok(Some(set(e, &kept)?)),
        Found::Some => Ok(None),
        Found::Violated => {
            let closed = chained.is_closed(e, budget)?;
            Ok(closed.then_some(chained.states))
        }
    }
}

/// States met so far, by actions applied in turn to all of them (chaining).
struct Chained {
    states: Bdd,
    spent: u64,
}

impl Chained {
    /// Applies actions until none adds a state; false if more than `budget` pairs of nodes had to be looked at.
    fn is_closed(&mut self, e: &Encoding, budget: u64) -> Result<bool, Stop> {
        let m = &e.m;
        loop {
            let mut grown = false;
            for action in &e.actions {
                loop {
                    let begun = m.work();
                    let next = action.rel.image(m, &self.states)?;
                    let adds = !m.within(&next, &self.states);
                    if adds {
                        self.states = m.or(&self.states, &next)?;
                        grown = true;
                    }
                    self.spent += m.work() - begun;
                    if self.spent > budget {
                        return Ok(false);
                    }
                    if !adds {
                        break;
                    }
                }
            }
            if !grown {
                return Ok(true);
            }
        }
    }
}

/// What the engines of `reach` found.
enum Found {
    /// All states, and no violation.
    All(Kept),
    /// Not all within the budget.
    Some,
    /// A violation.
    Violated,
}

/// The states that engines find, their variables in the order of the encoding.
fn by_engines(e: &Encoding, budget: u64) -> Result<Found, Stop> {
    let control = e.m.control();
    let variables = e.layout.order().iter().filter_map(|item| match item {
        Item::Of(variable) => Some(*variable),
        Item::Violated => None,
    });
    let order: Vec<Variable> = variables.collect();
    let only = |n: usize| (n == 0).then(|| ("threads".to_string(), order.clone()));
    let how = How {
        most: budget.min(e.m.left()) / COST,
        facts: true,
        cores: 1,
        keep: true,
        until_violated: true,
    };
    let (outcome, attempts) = portfolio(e.program, &[], &only, (None, None), how, control);
    e.m.charge(attempts.iter().map(|(_, operations)| operations).sum());
    control.check()?;
    Ok(match outcome.kept {
        _ if outcome.violated => Found::Violated,
        Some(kept) if kept.order == order => Found::All(kept),
        _ => Found::Some,
    })
}

/// A set with the same bits as a BDD.
fn set(e: &Encoding, kept: &Kept) -> Result<Bdd, Stop> {
    if kept.root < 2 {
        return Ok(e.m.constant(kept.root == 1));
    }
    // The root is the last node that a BDD has.
    let nodes = kept.diagrams.nodes().iter().take(kept.root as usize - 1);
    let nodes: Vec<(usize, u32, u32)> = nodes.map(|n| (before(n.bit), n.low, n.high)).collect();
    e.m.build(&nodes).ok_or(Stop::Nodes)
}
