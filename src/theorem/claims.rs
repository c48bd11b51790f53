//! May this block be atomic? The claims `transaction NAME { .. }` of a model.
//!
//! A claim holds if the program cannot be told from the one with the block atomic: by no state in which no thread is
//! inside, as it is observed, and by nothing that goes wrong. It is decided by a theorem if one applies, and else by
//! comparing the two.
//!
//! Lipton 1975: a block is a transaction if each execution of it consists of right movers, one action, and left movers.
//! Then what is reached when all are outside is reached with blocks that are not interrupted. Two special cases are
//! tried first, because they need less: one action and left movers behind it, or right movers and one action behind
//! them. Movers are established on the model (`movers`), on states in which the discipline has not been violated; and
//! an interrupted block need not be complete when something goes wrong. So a theorem decides only where the discipline
//! holds, and nothing goes wrong.

mod atomic;
mod compared;
mod objects;
mod observed;
mod paths;
mod weakened;

pub use self::weakened::by_path;

use self::compared::{Compared, Found, compare};
use self::weakened::{Weaker, by_weakening};
use super::movers::{Detail, Judged, Obstacle, Other, judged};
use crate::algebra::{Shape, Theory};
use crate::base::control::{Control, Stop};
use crate::base::diagnostic::Span;
use crate::base::evidence::WeakPath;
use crate::base::results;
use crate::base::results::{
    ClaimBlock, ClaimReason, Conflict, Contradiction, MoverClass, MovingStep, NoTheorem, Property,
    PropertyKind, PropertyReason, Status, Unmet,
};
use crate::engine::compiled::Mover;
use crate::engine::relations::Encoding;
use crate::model::program::{CellId, Claim, ClaimedBlock, Class, LocId, Program, ThreadId};
use crate::theorem::executions::trace::step_of;
use crate::theorem::invariants::Rung;
use crate::theorem::reduced::transactions::{LEFT_MOVERS, LIPTON, RIGHT_MOVERS, Uses};
use std::collections::BTreeSet;

/// What a theorem lets a transaction be.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// The theorem.
    pub theorem: &'static str,
    shape: Shape,
    uses: Uses,
}

/// The theorems about movers, the least demanding first.
pub const PATTERNS: [Pattern; 3] = [
    Pattern {
        theorem: "left-movers",
        shape: Shape::LeftMovers,
        uses: LEFT_MOVERS,
    },
    Pattern {
        theorem: "right-movers",
        shape: Shape::RightMovers,
        uses: RIGHT_MOVERS,
    },
    Pattern {
        theorem: "lipton",
        shape: Shape::Lipton,
        uses: LIPTON,
    },
];

/// The theorems that say which blocks are transactions.
pub fn blocks() -> Vec<&'static str> {
    PATTERNS.iter().map(|p| p.theorem).collect()
}

/// Whether a theorem, or the one that it is used as, says so.
pub fn has_blocks(theory: &Theory) -> bool {
    PATTERNS.iter().any(|p| theory.shape == Some(p.shape))
}

/// Where a block does not have the form that a theorem asks for: an action behind the commit that is no left mover, and
/// one that commits before it.
#[derive(Clone, Copy, Debug)]
pub struct Break {
    /// The one behind.
    pub action: usize,
    /// The one before.
    pub committed: usize,
}

impl Pattern {
    /// Whether this is what a theorem lets transactions be, for all that is known of it.
    pub fn is_of(self, theory: &Theory) -> bool {
        theory.shape == Some(self.shape)
            && theory.is_proved()
            && theory.implies_shape()
            && theory.reduces_as_shape()
    }

    /// Where a block does not have this form, if it does not: all ways through it are followed.
    pub fn broken_by(self, e: &Encoding, judged: &[Judged], block: &ClaimedBlock) -> Option<Break> {
        let at = |l: LocId| {
            let mut all = e.of_thread(block.thread);
            all.find(|&a| e.actions[a].location == l)
        };
        // By location, and the action that has committed, if one has.
        let mut met: BTreeSet<(LocId, Option<usize>)> = BTreeSet::new();
        let mut open: Vec<(LocId, Option<usize>)> =
            block.entries.iter().map(|&l| (l, None)).collect();
        while let Some((l, committed)) = open.pop() {
            let Some(action) = at(l).filter(|_| met.insert((l, committed))) else {
                continue;
            };
            let mover = judged[action].mover;
            let after = match committed {
                None if self.uses.rights && mover.right => None,
                None => Some(action),
                Some(_) if self.uses.lefts && mover.left => committed,
                Some(committed) => return Some(Break { action, committed }),
            };
            let thread = &e.program.threads[block.thread];
            let targets = thread.locations[l].targets();
            let inside = targets
                .into_iter()
                .filter(|to| block.inside.binary_search(to).is_ok());
            open.extend(inside.map(|to| (to, after)));
        }
        None
    }
}

/// The actions of a block that are no right movers and come first on some way through it.
pub fn commits(e: &Encoding, judged: &[Judged], block: &ClaimedBlock) -> Vec<usize> {
    let mut met: BTreeSet<LocId> = BTreeSet::new();
    let mut found = Vec::new();
    let mut open = block.entries.clone();
    while let Some(l) = open.pop() {
        if !met.insert(l) {
            continue;
        }
        let action = e
            .of_thread(block.thread)
            .find(|&a| e.actions[a].location == l);
        let Some(action) = action else { continue };
        if !judged[action].mover.right {
            found.push(action);
            continue;
        }
        let targets = e.program.threads[block.thread].locations[l].targets();
        open.extend(
            targets
                .into_iter()
                .filter(|to| block.inside.binary_search(to).is_ok()),
        );
    }
    found.sort_unstable();
    found
}

/// Whether a thread at a location is inside a transaction.
pub type Inside<'f> = dyn Fn(ThreadId, LocId) -> bool + 'f;

/// What is known of the rest of the program when claims are judged.
pub struct Context<'e, 'p> {
    /// The program, with the disciplines that were inferred; none if it is too large for BDDs.
    pub encoding: Option<&'e Encoding<'p>>,
    /// The program as it was given.
    pub declared: &'e Program,
    /// At which locations, by thread, the theorem of the exploration keeps other threads from being scheduled, if it
    /// applies.
    pub inside: Option<&'e Inside<'e>>,
    /// The one theorem that may be used.
    pub only: Option<&'e str>,
    /// The theorem of the exploration.
    pub theorem: &'e Theory,
    /// Whether the discipline is known to hold.
    pub disciplined: bool,
    /// Whether it is known that no thread goes wrong, and that no invariant is violated.
    pub sound: bool,
    /// The verdict on deadlocks, if that was asked for.
    pub deadlock_free: Option<Status>,
    /// Whether what a theorem says is compared as well, and scratch forgotten from the beginning.
    pub both: bool,
    /// The claims to be judged.
    pub asked: Vec<&'e Claim>,
}

struct Judge<'c, 'e, 'p> {
    context: &'c Context<'e, 'p>,
    /// The actions and what they are as movers.
    movers: Option<(&'e Encoding<'p>, Vec<Judged>)>,
}

/// What shows a claim without comparing all states.
#[derive(Clone, Debug)]
struct By<'e> {
    theorem: &'e str,
    /// The paths that are weakened for it, if it is not the block as it stands.
    weakened: Option<Weaker>,
}

/// What became of a claim: its entry, its property, and the limit that was hit.
pub type Answer = (results::Claim, Property, Option<Stop>);

/// States that are explored first, and that is all if theorems have decided all claims: for deadlocks inside the block.
const LOOKED_AT: usize = 1 << 16;

/// Judges claims.
///
/// # Errors
/// Any [`Stop`] of the search for movers; limits of the comparison make a claim unknown.
pub fn claims(context: &Context, control: &Control) -> Result<Vec<Answer>, Stop> {
    if context.asked.is_empty() {
        return Ok(Vec::new());
    }
    control.enter("transactions: movers");
    let movers = match context.encoding {
        None => None,
        Some(e) => match judged(e, &[], Detail::Obstacles) {
            Ok(judged) => Some((e, judged)),
            Err(Stop::Nodes | Stop::Effort | Stop::Variables) => None,
            Err(stop) => return Err(stop),
        },
    };
    let judge = Judge { context, movers };
    let by: Vec<Result<By, NoTheorem>> = context
        .asked
        .iter()
        .map(|c| judge.by(c, control))
        .collect::<Result<_, Stop>>()?;
    let asked = context.asked.iter().zip(&by);
    let asked: Vec<(&Claim, bool)> = asked
        .map(|(c, by)| (*c, by.is_err() || context.both))
        .collect();
    control.enter("transactions: all states");
    let all = control.budget().states;
    let open = |found: &Compared| {
        let stuck = context.deadlock_free.is_some_and(|v| v != Status::Holds);
        found.answer.is_err() || !found.complete && (!found.finished || stuck)
    };
    let few = (context.both, LOOKED_AT.min(all));
    let mut found = each(context.declared, &asked, few, control)?;
    if all > LOOKED_AT && found.iter().any(open) {
        found = each(context.declared, &asked, (true, all), control)?;
    }
    let answers = context.asked.iter().zip(by).zip(found);
    Ok(answers
        .map(|((claim, by), found)| judge.answer(claim, by, found))
        .collect())
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
        let split = claim.split.as_deref().unwrap_or(declared);
        let there = split.claims.iter().find(|s| s.name == claim.name);
        let one = [(there.unwrap_or(claim), wanted)];
        found.extend(
            compare(split, &one, limits, control)?
                .into_iter()
                .map(|c| (n, c)),
        );
    }
    found.sort_by_key(|(n, _)| *n);
    Ok(found.into_iter().map(|(_, c)| c).collect())
}

/// What an action is as a mover.
pub fn class(mover: Mover) -> MoverClass {
    match (mover.local, mover.right, mover.left) {
        (true, ..) => MoverClass::Local,
        (_, true, true) => MoverClass::Both,
        (_, true, false) => MoverClass::Right,
        (_, false, true) => MoverClass::Left,
        _ => MoverClass::Non,
    }
}

impl<'e> Judge<'_, 'e, '_> {
    /// What a claim holds by without comparing all states, or why there is nothing.
    fn by(&self, claim: &Claim, control: &Control) -> Result<Result<By<'e>, NoTheorem>, Stop> {
        let shown = self.theorem(claim).map(|theorem| By {
            theorem,
            weakened: None,
        });
        let Err(why @ (NoTheorem::Broken { .. } | NoTheorem::TooLarge)) = shown else {
            return Ok(shown);
        };
        let lipton = PATTERNS[PATTERNS.len() - 1];
        let c = self.context;
        let named = self.named(lipton).filter(|_| c.disciplined && c.sound);
        let Some(theorem) = named else {
            return Ok(Err(why));
        };
        control.enter("transactions: weaker steps");
        let program = claim.split.as_deref().unwrap_or(c.declared);
        let Some(there) = program.claims.iter().find(|s| s.name == claim.name) else {
            return Ok(Err(why));
        };
        Ok(match by_weakening(program, there, control)? {
            None => Err(why),
            weakened => Ok(By { theorem, weakened }),
        })
    }

    /// The theorem by which a claim holds, or why there is none.
    fn theorem(&self, claim: &Claim) -> Result<&'e str, NoTheorem> {
        let Some((e, judged)) = &self.movers else {
            return Err(NoTheorem::TooLarge);
        };
        let theorem = self.established(e, judged, claim)?;
        match (self.context.disciplined, self.context.sound) {
            (true, true) => Ok(theorem),
            (false, _) => Err(NoTheorem::Undisciplined(theorem.to_string())),
            (true, false) => Err(NoTheorem::GoesWrong(theorem.to_string())),
        }
    }

    /// The first theorem by which all copies of the block are transactions.
    fn established(
        &self,
        e: &Encoding,
        judged: &[Judged],
        claim: &Claim,
    ) -> Result<&'e str, NoTheorem> {
        let theorem = &self.context.theorem.name;
        let only = self.context.only;
        let usable = only.is_none_or(|only| only == theorem);
        let inside = self.context.inside.filter(|_| usable);
        if inside.is_some_and(|inside| claim.is_within(inside)) {
            return Ok(theorem);
        }
        let broken = |pattern: Pattern| {
            let mut blocks = claim.blocks.iter();
            blocks.find_map(|b| pattern.broken_by(e, judged, b))
        };
        let mut patterns = PATTERNS.iter().filter_map(|p| Some((*p, self.named(*p)?)));
        let fits = |(pattern, _): &(Pattern, &str)| broken(*pattern).is_none();
        if let Some((_, name)) = patterns.find(fits) {
            return Ok(name);
        }
        let named = |p: &&Pattern| only.is_some() && self.named(**p).is_some();
        let pattern = PATTERNS.iter().find(named);
        let pattern = pattern.unwrap_or(&PATTERNS[PATTERNS.len() - 1]);
        Err(match broken(*pattern) {
            Some(broken) => NoTheorem::Broken {
                line: step_of(e, broken.action).line,
                committed: step_of(e, broken.committed).line,
            },
            None => self.outside(e, claim),
        })
    }

    /// What a pattern that may be used is called.
    fn named(&self, pattern: Pattern) -> Option<&'e str> {
        match self.context.only {
            None => Some(pattern.theorem),
            Some(only) => {
                let theory = self.context.theorem;
                let is_it = match theory.name == only {
                    true => pattern.is_of(theory),
                    false => pattern.theorem == only,
                };
                is_it.then_some(only)
            }
        }
    }

    /// Why the theorem of the exploration, the only one that may be used, does not establish a claim that others might.
    fn outside(&self, e: &Encoding, claim: &Claim) -> NoTheorem {
        let theorem = self.context.theorem.name.clone();
        let Some(inside) = self.context.inside else {
            return NoTheorem::Inapplicable(theorem);
        };
        let open = claim.blocks.iter().find_map(|b| {
            let open = b.inside.iter().find(|&&l| !inside(b.thread, l))?;
            actions(e, b, &[*open]).first().copied()
        });
        let scheduled = open.map(|action| step_of(e, action).line);
        NoTheorem::NotShown { theorem, scheduled }
    }

    fn answer(&self, claim: &Claim, by: Result<By, NoTheorem>, found: Compared) -> Answer {
        let p = self.context.declared;
        let mut property = Property::undecided(&claim.name, PropertyKind::Transaction);
        let mut entry = self.entry(claim, &by);
        let names = found.unseen.iter().map(|&c| in_family(p, c));
        let names: BTreeSet<String> = names.collect();
        entry.unseen = names.into_iter().collect();
        let (states, met) = (found.states.map(|n| n.to_string()), found.met.to_string());
        let location = |t: ThreadId, l: LocId| {
            let thread = &claim.split.as_deref().unwrap_or(p).threads[t];
            results::BlockedThread {
                thread: thread.name.clone(),
                line: p.line(thread.locations[l].span),
            }
        };
        entry.can_block = found.stuck.as_ref().map(|(t, l, _)| location(*t, *l));
        let mut hit = None;
        let vacuous = || match (claim.blocks.is_empty(), found.entered, found.finished) {
            (true, ..) | (_, false, _) => Some(ClaimReason::NeverEntered),
            (_, _, false) => Some(ClaimReason::NeverFinished),
            _ => None,
        };
        if let (Ok(_), Ok(Found::Different(..))) = (&by, &found.answer) {
            property.reason = PropertyReason::Contradicted(Contradiction::TransactionCompared);
            return (entry, property, None);
        }
        let refused = p.deadlock_free.is_some() && found.stuck.is_some();
        let deadlock_free = self.context.deadlock_free;
        // Then the block must not be stuck either, and only an exploration says so.
        let stuck = deadlock_free.is_some_and(|v| v != Status::Holds);
        let mut trace = None;
        let reason = match (by, found.answer) {
            (Err(why), Ok(Found::Different(by, repeated))) => match repeated {
                Some(repeated) => {
                    trace = Some(*repeated);
                    property.verdict = Status::Refuted;
                    ClaimReason::Different { by, why }
                }
                None => {
                    property.reason = PropertyReason::Contradicted(Contradiction::NotRepeated);
                    entry.verdict = property.verdict;
                    return (entry, property, None);
                }
            },
            _ if refused => {
                property.verdict = Status::Refuted;
                trace = found.stuck.and_then(|(.., trace)| trace);
                ClaimReason::Blocks
            }
            (Err(why), Err(stop)) => {
                hit = Some(stop);
                ClaimReason::Stopped {
                    stop,
                    states: met,
                    open: Unmet::Compared(why),
                }
            }
            (Ok(_), _) if !found.complete && (stuck || vacuous().is_some()) => {
                hit = Some(Stop::States);
                ClaimReason::Stopped {
                    stop: Stop::States,
                    states: met,
                    open: vacuous().map_or(Unmet::Stuck, |_| Unmet::Left),
                }
            }
            (by, _) => match vacuous() {
                Some(vacuous) => vacuous,
                None => {
                    property.verdict = Status::Holds;
                    match by {
                        Ok(By {
                            theorem,
                            weakened: Some(paths),
                        }) => ClaimReason::Weakened {
                            theorem: theorem.to_string(),
                            lines: lines(p, &paths),
                        },
                        Ok(By { theorem, .. }) => ClaimReason::Atomic {
                            theorem: theorem.to_string(),
                            commits: commit_lines(&entry),
                        },
                        Err(why) => ClaimReason::Compared {
                            states: states.filter(|_| claim.split.is_none()),
                            why,
                        },
                    }
                }
            },
        };
        property.trace_length = trace.as_ref().map(|t| t.steps.len().to_string());
        property.trace = trace;
        property.reason = PropertyReason::Claim(reason);
        entry.verdict = property.verdict;
        (entry, property, hit)
    }

    /// What is told of a claim besides its answer.
    fn entry(&self, claim: &Claim, by: &Result<By, NoTheorem>) -> results::Claim {
        let weakened = by.as_ref().ok().and_then(|by| by.weakened.as_ref());
        let mut entry = results::Claim {
            name: claim.name.clone(),
            line: self.context.declared.line(claim.span),
            verdict: Status::Unknown,
            theorem: by.as_ref().ok().map(|by| by.theorem.to_string()),
            weakened: weakened.map(|paths| lines(self.context.declared, paths)),
            paths: weakened.map(|paths| paths.iter().copied().collect()),
            blocks: Vec::new(),
            conflict: None,
            can_block: None,
            unseen: Vec::new(),
            invariant: None,
        };
        let Some((e, judged)) = &self.movers else {
            return entry;
        };
        entry.invariant = Some(rung(e, judged, claim));
        let blocks = claim.blocks.iter();
        entry.blocks = blocks.map(|b| told(e, judged, b)).collect();
        if let Err(NoTheorem::Broken { .. }) = by {
            entry.conflict = self.conflict(e, judged, claim);
        }
        entry
    }

    fn conflict(&self, e: &Encoding, judged: &[Judged], claim: &Claim) -> Option<Conflict> {
        let named = |p: &&Pattern| self.context.only.is_some() && self.named(**p).is_some();
        let pattern = PATTERNS.iter().find(named);
        let pattern = pattern.unwrap_or(&PATTERNS[PATTERNS.len() - 1]);
        let mut blocks = claim.blocks.iter();
        let broken = blocks.find_map(|b| pattern.broken_by(e, judged, b))?;
        let Obstacle {
            other: Other::Action(other),
            law,
        } = judged[broken.action].left.first()?
        else {
            return None;
        };
        Some(Conflict {
            action: step_of(e, broken.action),
            other: step_of(e, *other),
            committed: step_of(e, broken.committed),
            law: *law,
        })
    }
}

/// The lines of the statements that paths go through.
fn lines(p: &Program, paths: &Weaker) -> Vec<usize> {
    let span = |w: &WeakPath| Span {
        start: w.start,
        end: w.end,
    };
    let lines: BTreeSet<usize> = paths.iter().map(|w| p.line(span(w))).collect();
    lines.into_iter().collect()
}

/// What a variable is called in all threads of a family.
fn in_family(p: &Program, cell: CellId) -> String {
    let array = &p.arrays[p.cells[cell].array];
    let Class::Local(t) = array.class else {
        return array.name.clone();
    };
    let thread = &p.threads[t];
    match array.name.strip_prefix(&thread.name) {
        Some(rest) => format!("{}{rest}", thread.family),
        None => array.name.clone(),
    }
}

/// The actions of a thread at these locations.
fn actions(e: &Encoding, block: &ClaimedBlock, locations: &[LocId]) -> Vec<usize> {
    e.of_thread(block.thread)
        .filter(|&a| locations.contains(&e.actions[a].location))
        .collect()
}

/// The highest rung that what is said of a claim's actions needs.
fn rung(e: &Encoding, judged: &[Judged], claim: &Claim) -> Rung {
    let of = |b: &ClaimedBlock| {
        let inside = b.entries.iter().chain(&b.inside).copied();
        actions(e, b, &inside.collect::<Vec<LocId>>())
    };
    let actions = claim.blocks.iter().flat_map(of);
    let rungs = actions.map(|a| judged[a].rung);
    rungs.max().unwrap_or(Rung::True)
}

/// A block in a thread, and what its actions are.
fn told(e: &Encoding, judged: &[Judged], block: &ClaimedBlock) -> ClaimBlock {
    let mut locations: Vec<LocId> = block.entries.iter().chain(&block.inside).copied().collect();
    locations.sort_unstable();
    locations.dedup();
    let of = |a: usize| MovingStep {
        step: step_of(e, a),
        class: class(judged[a].mover),
    };
    let committing = commits(e, judged, block).into_iter();
    ClaimBlock {
        thread: e.program.threads[block.thread].name.clone(),
        commits: committing.map(|a| step_of(e, a)).collect(),
        actions: actions(e, block, &locations).into_iter().map(of).collect(),
    }
}

/// The lines at which a claimed block may commit.
fn commit_lines(entry: &results::Claim) -> Vec<usize> {
    let steps = entry.blocks.iter().flat_map(|b| &b.commits);
    let lines: BTreeSet<usize> = steps.map(|s| s.line).collect();
    lines.into_iter().collect()
}
