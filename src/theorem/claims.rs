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
mod diagrams;
mod interruption;
mod objects;
mod observed;
mod patterns;
mod rounds;
mod sections;
mod weakened;

pub use self::diagrams::alike;
pub use self::patterns::{PATTERNS, Pattern, blocks, commits, has_blocks};
pub use self::weakened::{Divided, by_path};

use self::compared::{Compared, Found, compare};
use self::rounds::{divided, looked_at};
use self::weakened::{Weaker, by_weakening};
use super::movers::{Detail, MoverSearch, Obstacle, Other};
use crate::algebra::Theory;
use crate::base::control::{Control, Stop};
use crate::base::diagnostic::{Position, Span};
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
use crate::theorem::invariants::{Budgets, Rung};
use std::collections::{BTreeMap, BTreeSet};

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
    /// How many states the program has, if that is known.
    pub states: Option<u64>,
    /// Whether what a theorem says is compared as well, and scratch forgotten from the beginning.
    pub both: bool,
    /// The claims to be judged.
    pub asked: Vec<&'e Claim>,
}

struct Judge<'c, 'e, 'p> {
    context: &'c Context<'e, 'p>,
    /// Unless BDDs take too much work.
    movers: Option<(&'e Encoding<'p>, MoverSearch<'e, 'p>)>,
}

/// The actions of a claim as movers, on the highest rung they were looked at.
#[derive(Debug, Default)]
struct Moving {
    of: BTreeMap<usize, Mover>,
    /// The rung on which they have a theorem's form.
    rung: Option<Rung>,
}

impl Moving {
    fn mover(&self, action: usize) -> Mover {
        self.of.get(&action).copied().unwrap_or_default()
    }
}

/// What is known of a claim before states are compared.
struct Known<'e> {
    by: Result<By<'e>, NoTheorem>,
    entry: results::Claim,
}

/// The rungs that cost little beside the reachable states. Ownership costs least of all, and lets accesses under a lock
/// be what people take them for.
const CHEAP: [Rung; 4] = [
    Rung::LockOwnership,
    Rung::True,
    Rung::ThreadModular,
    Rung::Lemmas,
];

/// What rungs may cost for a claim: where they would be dearer, states are compared.
const RUNGS: Budgets = Budgets {
    ownership: 1 << 22,
    controlled: 0,
    few: 2,
    modular: 1 << 22,
    modular_first: 1 << 22,
    reachable: 1 << 22,
    reachable_first: 1 << 18,
};

/// States that are looked at to see whether a block is ever left.
const SEEN: usize = 1 << 14;

/// What shows a claim without comparing all states.
#[derive(Clone, Debug)]
struct By<'e> {
    theorem: &'e str,
    /// The paths that are weakened for it, if it is not the block as it stands.
    weakened: Option<Weaker>,
}

/// What became of a claim: its entry, its property, and the limit that was hit.
pub type Answer = (results::Claim, Property, Option<Stop>);

/// Judges claims.
///
/// # Errors
/// Any [`Stop`] of the search for movers; limits of the comparison make a claim unknown.
pub fn claims(context: &Context, control: &Control) -> Result<Vec<Answer>, Stop> {
    if context.asked.is_empty() {
        return Ok(Vec::new());
    }
    control.enter("transactions: movers");
    let search = |e| MoverSearch::new(e, Detail::Class, RUNGS);
    let movers = match context.encoding.map(|e| Ok((e, search(e)?))).transpose() {
        Err(stop) if is_of_bdds(stop) => None,
        movers => movers?,
    };
    let mut judge = Judge { context, movers };
    let all = context.asked.iter();
    let known: Vec<Known> = all
        .map(|c| judge.known(c, control))
        .collect::<Result<_, Stop>>()?;
    let asked = context.asked.iter().zip(&known);
    let asked: Vec<(&Claim, bool)> = asked
        .map(|(c, known)| (*c, known.by.is_err() || context.both))
        .collect();
    control.enter("transactions: all states");
    let found = looked_at(context, &asked, control)?;
    let answers = context.asked.iter().zip(known).zip(found);
    Ok(answers
        .map(|((claim, known), found)| judge.answer(claim, known, found))
        .collect())
}

/// Whether some thread is seen to leave a claim's block, in the states that are looked at without much work.
///
/// # Errors
/// Any [`Stop`] but those of many states.
pub(super) fn finished(p: &Program, claim: &Claim, control: &Control) -> Result<bool, Stop> {
    let (program, claim) = divided(p, claim);
    let found = compare(program, &[(claim, false)], (false, SEEN), control)?;
    Ok(found.iter().any(|c| c.finished))
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

/// Whether it is a limit of BDDs, beyond which others may still decide.
fn is_of_bdds(stop: Stop) -> bool {
    matches!(stop, Stop::Nodes | Stop::Effort | Stop::Variables)
}

impl<'e> Judge<'_, 'e, '_> {
    /// What a claim holds by without comparing all states, or why there is nothing. Weaker steps are tried before the
    /// reachable states are computed.
    fn known(&mut self, claim: &Claim, control: &Control) -> Result<Known<'e>, Stop> {
        let mut moving = Moving::default();
        let mut by = self.theorem(claim, &CHEAP, &mut moving)?;
        let may_be =
            |why: &NoTheorem| matches!(why, NoTheorem::Broken { .. } | NoTheorem::TooLarge);
        let mut weakened = None;
        if by.as_ref().is_err_and(may_be) {
            weakened = self.weakened(claim, control)?;
        }
        if weakened.is_none() && by.as_ref().is_err_and(may_be) {
            control.enter("transactions: movers");
            by = self.theorem(claim, &[Rung::Reachable], &mut moving)?;
        }
        let by = match weakened {
            Some(weakened) => Ok(weakened),
            None => by.map(|theorem| By {
                theorem,
                weakened: None,
            }),
        };
        let entry = self.entry(claim, &by, &moving)?;
        Ok(Known { by, entry })
    }

    /// Weaker steps by which a claim holds.
    fn weakened(&self, claim: &Claim, control: &Control) -> Result<Option<By<'e>>, Stop> {
        let lipton = PATTERNS[PATTERNS.len() - 1];
        let c = self.context;
        let named = self.named(lipton).filter(|_| c.disciplined && c.sound);
        let Some(theorem) = named else {
            return Ok(None);
        };
        control.enter("transactions: weaker steps");
        let (program, claim) = divided(c.declared, claim);
        let weakened = by_weakening(program, claim, control)?;
        Ok(weakened.map(|lines| By {
            theorem,
            weakened: Some(lines),
        }))
    }

    /// The theorem by which a claim holds, or why there is none.
    fn theorem(
        &mut self,
        claim: &Claim,
        rungs: &[Rung],
        moving: &mut Moving,
    ) -> Result<Result<&'e str, NoTheorem>, Stop> {
        let established = match self.established(claim, rungs, moving) {
            Err(stop) if is_of_bdds(stop) => {
                self.movers = None;
                Err(NoTheorem::TooLarge)
            }
            established => established?,
        };
        Ok(established.and_then(
            |theorem| match (self.context.disciplined, self.context.sound) {
                (true, true) => Ok(theorem),
                (false, _) => Err(NoTheorem::Undisciplined(theorem.to_string())),
                (true, false) => Err(NoTheorem::GoesWrong(theorem.to_string())),
            },
        ))
    }

    /// The first theorem by which all copies of the block are transactions, on the first of these rungs.
    fn established(
        &mut self,
        claim: &Claim,
        rungs: &[Rung],
        moving: &mut Moving,
    ) -> Result<Result<&'e str, NoTheorem>, Stop> {
        let patterns = PATTERNS.iter().filter_map(|p| Some((*p, self.named(*p)?)));
        let patterns: Vec<(Pattern, &str)> = patterns.collect();
        let theorem = &self.context.theorem.name;
        let only = self.context.only;
        let usable = only.is_none_or(|only| only == theorem);
        let inside = self.context.inside.filter(|_| usable);
        let is_covered = inside.is_some_and(|inside| claim.is_within(inside));
        let best = self.best();
        let Some((e, search)) = &mut self.movers else {
            return Ok(match is_covered {
                true => Ok(theorem),
                false => Err(NoTheorem::TooLarge),
            });
        };
        let e: &Encoding = e;
        let asked: Vec<usize> = claim
            .blocks
            .iter()
            .flat_map(|b| actions(e, b, &locations(b)))
            .collect();
        let broken = |pattern: Pattern, moving: &Moving| {
            let mut blocks = claim.blocks.iter();
            blocks.find_map(|b| pattern.broken_by(e, &|a| moving.mover(a), b))
        };
        let mut found = None;
        let rung = search.climbed(&asked, rungs, &mut |movers| {
            moving.of = asked.iter().copied().zip(movers.iter().copied()).collect();
            let fits = |(pattern, _): &&(Pattern, &'e str)| broken(*pattern, moving).is_none();
            found = patterns.iter().find(fits).map(|(_, name)| *name);
            found.is_some()
        })?;
        moving.rung = rung;
        if is_covered {
            return Ok(Ok(theorem));
        }
        if let Some(name) = found {
            return Ok(Ok(name));
        }
        Ok(Err(match broken(best, moving) {
            Some(broken) => NoTheorem::Broken {
                at: e.place(broken.action).at,
                committed: e.place(broken.committed).at,
            },
            None => self.outside(e, claim),
        }))
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

    /// The pattern that is held against blocks which have none.
    fn best(&self) -> Pattern {
        let named = |p: &&Pattern| self.context.only.is_some() && self.named(**p).is_some();
        let pattern = PATTERNS.iter().find(named);
        *pattern.unwrap_or(&PATTERNS[PATTERNS.len() - 1])
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
        let scheduled = open.map(|action| e.place(action).at);
        NoTheorem::NotShown { theorem, scheduled }
    }

    fn answer(&self, claim: &Claim, known: Known, found: Compared) -> Answer {
        let p = self.context.declared;
        let mut property = Property::undecided(&claim.name, PropertyKind::Transaction);
        let Known { by, mut entry } = known;
        let names = found.unseen.iter().map(|&c| in_family(p, c));
        let names: BTreeSet<String> = names.collect();
        entry.unseen = names.into_iter().collect();
        let (states, met) = (found.states.map(|n| n.to_string()), found.met.to_string());
        let location = |t: ThreadId, l: LocId| {
            let thread = &claim.split.as_deref().unwrap_or(p).threads[t];
            results::BlockedThread {
                thread: thread.name.clone(),
                at: p.position(thread.locations[l].span),
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
            (Err(why), Ok(Found::Different(by, repeated, between))) => match repeated {
                Some(repeated) => {
                    entry.interruption = between.map(|b| *b);
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
                            steps: stretches(p, &paths),
                        },
                        Ok(By { theorem, .. }) => ClaimReason::Atomic {
                            theorem: theorem.to_string(),
                            commits: committing(&entry),
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
    fn entry(
        &mut self,
        claim: &Claim,
        by: &Result<By, NoTheorem>,
        moving: &Moving,
    ) -> Result<results::Claim, Stop> {
        let weakened = by.as_ref().ok().and_then(|by| by.weakened.as_ref());
        let Position { line, column } = self.context.declared.position(claim.span);
        let mut entry = results::Claim {
            name: claim.name.clone(),
            line,
            column,
            verdict: Status::Unknown,
            theorem: by.as_ref().ok().map(|by| by.theorem.to_string()),
            weakened: weakened.map(|paths| lines(self.context.declared, paths)),
            paths: weakened.map(|paths| paths.iter().copied().collect()),
            blocks: Vec::new(),
            conflict: None,
            interruption: None,
            can_block: None,
            unseen: Vec::new(),
            invariant: moving.rung,
        };
        let Some((e, _)) = &self.movers else {
            return Ok(entry);
        };
        let blocks = claim.blocks.iter();
        entry.blocks = blocks.map(|b| told(e, moving, b)).collect();
        if let Err(NoTheorem::Broken { .. }) = by {
            entry.conflict = match self.conflict(claim, moving) {
                Err(stop) if is_of_bdds(stop) => None,
                conflict => conflict?,
            };
        }
        Ok(entry)
    }

    fn conflict(&mut self, claim: &Claim, moving: &Moving) -> Result<Option<Conflict>, Stop> {
        let pattern = self.best();
        let Some((e, search)) = &mut self.movers else {
            return Ok(None);
        };
        let mut blocks = claim.blocks.iter();
        let broken = blocks.find_map(|b| pattern.broken_by(e, &|a| moving.mover(a), b));
        let Some(broken) = broken else {
            return Ok(None);
        };
        let judged = search.judge(broken.action, &[])?;
        let Some(&Obstacle {
            other: Other::Action(other),
            law,
        }) = judged.left.first()
        else {
            return Ok(None);
        };
        Ok(Some(Conflict {
            action: step_of(e, broken.action),
            other: step_of(e, other),
            committed: step_of(e, broken.committed),
            law,
        }))
    }
}

/// Where paths begin, and the line they end on: a section goes over several statements, all others through one, which
/// is told by its first line.
fn stretches(p: &Program, paths: &Weaker) -> Vec<(Position, usize)> {
    let locations = p.threads.iter().flat_map(|t| &t.locations);
    let spans = locations.flat_map(|l| &l.edges).map(|e| e.span);
    let statements: BTreeSet<(usize, usize)> = spans.map(|s| (s.start, s.end)).collect();
    let stretch = |w: &WeakPath| {
        let at = |start: usize| p.position(Span { start, end: w.end });
        let first = at(w.start);
        match statements.contains(&(w.start, w.end)) {
            true => (first, first.line),
            false => (first, at(w.end.saturating_sub(1)).line),
        }
    };
    let all: BTreeSet<(Position, usize)> = paths.iter().map(stretch).collect();
    all.into_iter().collect()
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

/// Where the actions of a block are.
fn locations(block: &ClaimedBlock) -> Vec<LocId> {
    let mut all: Vec<LocId> = block.entries.iter().chain(&block.inside).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A block in a thread, and what its actions are.
fn told(e: &Encoding, moving: &Moving, block: &ClaimedBlock) -> ClaimBlock {
    let of = |a: usize| MovingStep {
        step: step_of(e, a),
        class: class(moving.mover(a)),
    };
    let committing = commits(e, &|a| moving.mover(a), block).into_iter();
    let all = actions(e, block, &locations(block)).into_iter();
    ClaimBlock {
        thread: e.program.threads[block.thread].name.clone(),
        commits: committing.map(|a| step_of(e, a)).collect(),
        actions: all.map(of).collect(),
    }
}

/// The lines at which a claimed block may commit.
fn committing(entry: &results::Claim) -> Vec<Position> {
    let steps = entry.blocks.iter().flat_map(|b| &b.commits);
    let places: BTreeSet<Position> = steps.map(results::Step::at).collect();
    places.into_iter().collect()
}
