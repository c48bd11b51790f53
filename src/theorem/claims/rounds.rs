//! The ways to look at all states for claims, in turn: nobody can tell beforehand which one is the shorter.

use super::Context;
use super::compared::{Compared, compare};
use super::diagrams;
use crate::base::control::{Control, Stop};
use crate::base::results::Status;
use crate::model::program::{Claim, Program};

/// A way to look at all states, and how far it may go.
#[derive(Clone, Copy)]
enum Round {
    /// State by state: so many.
    States(usize),
    /// On decision diagrams: so many operations.
    Diagrams(u64),
}

/// What is done for a claim that a theorem has decided, too: deadlocks inside its block are told. Then the others are
/// compared at length, in turn, since nobody can tell which way is the shorter one.
const AT_ONCE: [Round; 2] = [Round::States(1 << 13), Round::Diagrams(1 << 19)];
const AT_LENGTH: [Round; 3] = [
    Round::States(1 << 16),
    Round::Diagrams(DEAR),
    Round::States(usize::MAX),
];

/// What is done before the last two of these where the program is known to have so many states, and they are few. To
/// compare a state takes as long as some twenty operations on diagrams, so these have less of the time.
fn beside(states: u64) -> [Round; 2] {
    let by_state = usize::try_from(states.saturating_mul(4)).unwrap_or(usize::MAX);
    [Round::Diagrams(states * 8), Round::States(by_state)]
}

/// Operations on diagrams at length.
const DEAR: u64 = 1 << 24;

/// States up to which nothing is forgotten on the way, so that their number is told.
const COUNTED: usize = 1 << 16;

/// Looks at all states for claims, and compares for those that are to be compared.
pub(super) fn looked_at(
    context: &Context,
    asked: &[(&Claim, bool)],
    control: &Control,
) -> Result<Vec<Compared>, Stop> {
    let stuck = context.deadlock_free.is_some_and(|v| v != Status::Holds);
    // Where there are no deadlocks, none is inside a block.
    let never = context.deadlock_free == Some(Status::Holds);
    let is_cut = |found: &Compared| {
        let whole = found.complete || never && found.finished;
        found.answer.is_err() || !whole
    };
    let is_open =
        |found: &Compared| found.answer.is_err() || !found.complete && (!found.finished || stuck);
    let mut found: Vec<Option<Compared>> = asked.iter().map(|_| None).collect();
    let at_once = AT_ONCE.map(|round| (round, &is_cut as &dyn Fn(&Compared) -> bool));
    let [first, last @ ..] = AT_LENGTH;
    let few = context.states.filter(|&n| n < DEAR / 8);
    let at_length = [first]
        .into_iter()
        .chain(few.into_iter().flat_map(beside))
        .chain(last);
    let at_length = at_length.map(|round| (round, &is_open as &dyn Fn(&Compared) -> bool));
    let mut done = 0;
    for (round, open) in at_once.into_iter().chain(at_length) {
        let numbers = 0..asked.len();
        let numbers: Vec<usize> = numbers
            .filter(|&n| found[n].as_ref().is_none_or(open))
            .collect();
        let these: Vec<(&Claim, bool)> = numbers.iter().map(|&n| asked[n]).collect();
        let all = match round {
            _ if these.is_empty() => break,
            Round::States(most) => {
                let most = most.min(control.budget().states);
                if most <= done {
                    continue;
                }
                done = most;
                let forgets = context.both || most > COUNTED;
                each(context.declared, &these, (forgets, most), control)?
                    .into_iter()
                    .map(Some)
                    .collect()
            }
            Round::Diagrams(_) if !(context.sound && context.disciplined) => continue,
            Round::Diagrams(most) => these
                .iter()
                .map(|&(claim, wanted)| {
                    let (program, claim) = divided(context.declared, claim);
                    diagrams::compare(program, (claim, wanted), most, control)
                })
                .collect::<Result<Vec<_>, Stop>>()?,
        };
        for (n, one) in numbers.into_iter().zip(all) {
            found[n] = one.or(found[n].take());
        }
    }
    Ok(found.into_iter().flatten().collect())
}

/// The program that says where control is inside a claim's block, and the claim there.
pub(super) fn divided<'c>(declared: &'c Program, claim: &'c Claim) -> (&'c Program, &'c Claim) {
    let program = claim.split.as_deref().unwrap_or(declared);
    let there = program.claims.iter().find(|s| s.name == claim.name);
    (program, there.unwrap_or(claim))
}

/// Compares for each claim. Those that have a program of their own, which says where control is inside, are compared
/// there; the others together.
fn each(
    declared: &Program,
    asked: &[(&Claim, bool)],
    limits: (bool, usize),
    control: &Control,
) -> Result<Vec<Compared>, Stop> {
    let numbered = asked.iter().copied().enumerate();
    let (own, whole): (Vec<_>, Vec<_>) = numbered.partition(|(_, (c, _))| c.split.is_some());
    let (numbers, whole): (Vec<usize>, Vec<_>) = whole.into_iter().unzip();
    let mut found: Vec<(usize, Compared)> = Vec::new();
    if !whole.is_empty() {
        let all = compare(declared, &whole, limits, control)?;
        found.extend(numbers.into_iter().zip(all));
    }
    for (n, (claim, wanted)) in own {
        let (program, claim) = divided(declared, claim);
        let all = compare(program, &[(claim, wanted)], limits, control)?;
        found.extend(all.into_iter().map(|c| (n, c)));
    }
    found.sort_by_key(|(n, _)| *n);
    Ok(found.into_iter().map(|(_, c)| c).collect())
}
