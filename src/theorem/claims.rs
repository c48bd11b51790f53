//! May this block be atomic? The claims `transaction NAME { .. }` of a model.
//!
//! Lipton 1975: a block is a transaction if each execution of it consists of right movers, one action, and left movers;
//! Then every terminating execution has the outcome of one in which the block is not interrupted. Two special cases are
//! tried first, because they need less: one action and left movers behind it, or right movers and one action behind
//! them. Movers are established on the model (`movers`), on states in which the discipline has not been violated. So a
//! claim holds only if the discipline does.
//!
//! A claim that no theorem establishes may still be true. It is refuted by an execution whose outcome no execution has
//! in which all copies of the block are atomic: all outcomes of the latter are gathered, state by state, and those of
//! the program held against them. An outcome is the shared state with the locals of a thread that has the block, once
//! every thread has ended.

use super::movers::{Detail, Judged, Obstacle, Other, judged};
use crate::algebra::{Shape, Theory};
use crate::base::control::Stop;
use crate::base::results;
use crate::base::results::{
    ClaimBlock, ClaimReason, ClaimSearch, Conflict, Contradiction, MoverClass, MovingStep, Outcome,
    Property, PropertyKind, PropertyReason, Status, Trace,
};
use crate::engine::Heuristic;
use crate::engine::compiled::{Compiled, Execution, Inside, Mover, Outcomes};
use crate::engine::relations::{Concrete, Encoding};
use crate::engine::{State, initially_violated};
use crate::model::program::{CellId, Claim, ClaimedBlock, Class, LocId, Program, ThreadId};
use crate::theorem::executions::trace::{Walked, rerun, step_of};
use crate::theorem::invariants::Rung;
use crate::theorem::reduced::transactions::{LEFT_MOVERS, LIPTON, RIGHT_MOVERS, Uses};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

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

/// What is known of the rest of the program when claims are judged.
pub struct Context<'e, 'p> {
    /// The program.
    pub encoding: &'e Encoding<'p>,
    /// The program as it was given: a shared variable that is inferred to be private is part of every outcome all the
    /// same.
    pub declared: &'e Program,
    /// At which locations, by thread, the theorem of the exploration keeps other threads from being scheduled, if it
    /// applies.
    pub inside: Option<&'e dyn Fn(ThreadId, LocId) -> bool>,
    /// The one theorem that may be used.
    pub only: Option<&'e str>,
    /// The theorem of the exploration.
    pub theorem: &'e Theory,
    /// Whether the discipline is known to hold.
    pub disciplined: bool,
    /// The claims to be judged.
    pub asked: Vec<&'e Claim>,
}

struct Judge<'c, 'e, 'p> {
    context: &'c Context<'e, 'p>,
    judged: Vec<Judged>,
}

/// What became of a claim: its entry, its property, and the limit that was hit in the search for an execution that
/// refutes it.
pub type Answer = (results::Claim, Property, Option<Stop>);

/// Judges claims.
///
/// # Errors
/// Any [`Stop`] of the search for movers; limits of the search for outcomes make a claim unknown.
pub fn claims(context: &Context) -> Result<Vec<Answer>, Stop> {
    let e = context.encoding;
    if context.asked.is_empty() {
        return Ok(Vec::new());
    }
    e.m.control().enter("transactions: movers");
    let judge = Judge {
        context,
        judged: judged(e, &[], Detail::Obstacles)?,
    };
    let mut all = Vec::new();
    for &claim in &context.asked {
        e.m.control().enter(format!("transaction {}", claim.name));
        all.push(judge.claim(claim)?);
    }
    Ok(all)
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

impl Judge<'_, '_, '_> {
    fn claim(&self, claim: &Claim) -> Result<Answer, Stop> {
        let mut hit = None;
        let p = self.context.encoding.program;
        let mut property = Property::undecided(&claim.name, PropertyKind::Transaction);
        let mut entry = results::Claim {
            name: claim.name.clone(),
            line: p.line(claim.span),
            verdict: Status::Unknown,
            theorem: None,
            blocks: Vec::new(),
            conflict: None,
            invariant: Some(self.rung(claim)),
        };
        for block in &claim.blocks {
            entry.blocks.push(self.told(block));
        }
        if claim.blocks.is_empty() {
            property.verdict = Status::Holds;
            property.reason = PropertyReason::Claim(ClaimReason::Vacuous);
        } else if let Some(theorem) = self.established(claim) {
            entry.theorem = Some(theorem.to_string());
            let theorem = theorem.to_string();
            let (verdict, why) = match self.context.disciplined {
                true => {
                    let commits = commit_lines(&entry);
                    (Status::Holds, ClaimReason::Atomic { theorem, commits })
                }
                false => (Status::Unknown, ClaimReason::Undisciplined(theorem)),
            };
            (property.verdict, property.reason) = (verdict, PropertyReason::Claim(why));
        } else {
            hit = self.doubt(claim, &mut entry, &mut property)?;
        }
        entry.verdict = property.verdict;
        Ok((entry, property, hit))
    }

    /// The highest rung that what is said of a claim's actions needs.
    fn rung(&self, claim: &Claim) -> Rung {
        let of = |b: &ClaimedBlock| {
            let inside = b.entries.iter().chain(&b.inside).copied();
            self.actions(b, &inside.collect::<Vec<LocId>>())
        };
        let actions = claim.blocks.iter().flat_map(of);
        let rungs = actions.map(|a| self.judged[a].rung);
        rungs.max().unwrap_or(Rung::True)
    }

    fn mover(&self, action: usize) -> Mover {
        self.judged[action].mover
    }

    /// The actions of a thread at these locations.
    fn actions(&self, block: &ClaimedBlock, locations: &[LocId]) -> Vec<usize> {
        let e = self.context.encoding;
        e.of_thread(block.thread)
            .filter(|&a| locations.contains(&e.actions[a].location))
            .collect()
    }

    /// The first theorem by which all copies of the block are transactions.
    fn established(&self, claim: &Claim) -> Option<&str> {
        let e = self.context.encoding;
        let all = |with: &dyn Fn(&ClaimedBlock) -> bool| claim.blocks.iter().all(with);
        let theorem = &self.context.theorem.name;
        let only = self.context.only.is_none_or(|only| only == theorem);
        let inside = self.context.inside.filter(|_| only);
        if inside.is_some_and(|inside| claim.is_within(inside)) {
            return Some(theorem);
        }
        let mut patterns = PATTERNS.iter().filter_map(|p| Some((*p, self.named(*p)?)));
        let fits = |pattern: Pattern| all(&|b| pattern.broken_by(e, &self.judged, b).is_none());
        let (_, name) = patterns.find(|(pattern, _)| fits(*pattern))?;
        Some(name)
    }

    /// What a pattern that may be used is called.
    fn named(&self, pattern: Pattern) -> Option<&str> {
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

    fn told(&self, block: &ClaimedBlock) -> ClaimBlock {
        let e = self.context.encoding;
        let mut locations: Vec<LocId> =
            block.entries.iter().chain(&block.inside).copied().collect();
        locations.sort_unstable();
        locations.dedup();
        let actions = self.actions(block, &locations);
        ClaimBlock {
            thread: e.program.threads[block.thread].name.clone(),
            commits: commits(e, &self.judged, block)
                .into_iter()
                .map(|a| step_of(e, a))
                .collect(),
            actions: actions
                .into_iter()
                .map(|a| MovingStep {
                    step: step_of(e, a),
                    class: class(self.mover(a)),
                })
                .collect(),
        }
    }

    /// A claim that no theorem establishes.
    fn doubt(
        &self,
        claim: &Claim,
        entry: &mut results::Claim,
        property: &mut Property,
    ) -> Result<Option<Stop>, Stop> {
        let e = self.context.encoding;
        let only = self.context.only;
        let pattern = PATTERNS
            .iter()
            .find(|p| only.is_some() && self.named(**p).is_some());
        let pattern = pattern.unwrap_or(&PATTERNS[PATTERNS.len() - 1]);
        let broken = claim
            .blocks
            .iter()
            .find_map(|b| pattern.broken_by(e, &self.judged, b));
        let Some(broken) = broken else {
            property.reason = PropertyReason::Claim(self.outside(claim));
            return Ok(None);
        };
        let obstacle = self.judged[broken.action].left.first();
        if let Some(Obstacle {
            other: Other::Action(other),
            law,
        }) = obstacle
        {
            entry.conflict = Some(Conflict {
                action: step_of(e, broken.action),
                other: step_of(e, *other),
                committed: step_of(e, broken.committed),
                law: *law,
            });
        }
        let broken = |search: ClaimSearch| {
            PropertyReason::Claim(ClaimReason::Broken {
                line: step_of(e, broken.action).line,
                committed: step_of(e, broken.committed).line,
                search,
            })
        };
        property.reason = match self.search(claim) {
            Ok(Searched::Refuted { thread, trace }) => {
                property.verdict = Status::Refuted;
                property.trace_length = Some(trace.steps.len().to_string());
                property.trace = Some(*trace);
                broken(ClaimSearch::Outcome(thread))
            }
            Ok(Searched::Nothing) => broken(ClaimSearch::Nothing),
            Ok(Searched::Violated) => broken(ClaimSearch::Violated),
            Ok(Searched::NotRepeated) => PropertyReason::Contradicted(Contradiction::NotRepeated),
            Err(stop @ Stop::States) => {
                property.reason = broken(ClaimSearch::Stopped(stop));
                return Ok(Some(stop));
            }
            Err(stop) => return Err(stop),
        };
        Ok(None)
    }

    /// Why the theorem of the exploration, the only one that may be used, does not establish a claim that others might.
    fn outside(&self, claim: &Claim) -> ClaimReason {
        let e = self.context.encoding;
        let theorem = self.context.theorem.name.clone();
        let Some(inside) = self.context.inside else {
            return ClaimReason::Inapplicable(theorem);
        };
        let open = claim.blocks.iter().find_map(|b| {
            let open = b.inside.iter().find(|&&l| !inside(b.thread, l))?;
            self.actions(b, &[*open]).first().copied()
        });
        let scheduled = open.map(|action| step_of(e, action).line);
        ClaimReason::NotShown { theorem, scheduled }
    }

    /// Looks for an execution whose outcome no execution has in which all copies of the block are atomic.
    fn search(&self, claim: &Claim) -> Result<Searched, Stop> {
        let e = self.context.encoding;
        let (p, control) = (e.program, e.m.control());
        let order = Heuristic::ALL[0].0.order(p);
        let compiled = Compiled::new(p, &order, control)?;
        let mut blocks: Vec<(ThreadId, Vec<CellId>)> = claim
            .blocks
            .iter()
            .map(|b| (b.thread, outcome_cells(self.context.declared, b.thread)))
            .collect();
        blocks.dedup_by_key(|b| b.0);
        let inside: Vec<Inside> = claim
            .blocks
            .iter()
            .map(|b| Inside {
                thread: b.thread,
                locations: &b.inside,
            })
            .collect();
        let outcome = |state: &State, cells: &[CellId]| -> Vec<i64> {
            cells.iter().map(|&c| state.cell(c)).collect()
        };
        let mut known: Vec<FxHashSet<Vec<i64>>> = vec![FxHashSet::default(); blocks.len()];
        let mut atomic = Outcomes::new(p, &compiled, control);
        atomic.explore(&inside, &mut |state| {
            for ((_, cells), known) in blocks.iter().zip(&mut known) {
                known.insert(outcome(state, cells));
            }
            ControlFlow::Continue(())
        })?;
        let mut free = Outcomes::new(p, &compiled, control);
        let mut whose = 0;
        let found = free.explore(&[], &mut |state| {
            let mut each = blocks.iter().zip(&known);
            match each.find(|((_, cells), known)| !known.contains(&outcome(state, cells))) {
                None => ControlFlow::Continue(()),
                Some(((thread, _), _)) => {
                    whose = *thread;
                    ControlFlow::Break(())
                }
            }
        })?;
        if atomic.violated || free.violated {
            return Ok(Searched::Violated);
        }
        let Some(execution) = found else {
            return Ok(Searched::Nothing);
        };
        Ok(match repeated(p, &execution) {
            Some(trace) => Searched::Refuted {
                thread: p.threads[whose].name.clone(),
                trace: Box::new(trace),
            },
            None => Searched::NotRepeated,
        })
    }
}

enum Searched {
    Refuted {
        /// Whose outcome it is.
        thread: String,
        trace: Box<Trace>,
    },
    Nothing,
    Violated,
    NotRepeated,
}

/// The lines at which a claimed block may commit.
fn commit_lines(entry: &results::Claim) -> Vec<usize> {
    let steps = entry.blocks.iter().flat_map(|b| &b.commits);
    let lines: BTreeSet<usize> = steps.map(|s| s.line).collect();
    lines.into_iter().collect()
}

/// What an outcome is made of: the shared state and the locals of a thread with the block.
fn outcome_cells(p: &Program, thread: ThreadId) -> Vec<CellId> {
    let counts = |c: &CellId| match p.cells[*c].class {
        Class::Local(t) => t == thread,
        _ => true,
    };
    (0..p.cells.len()).filter(counts).collect()
}

/// An execution repeated by the interpreter.
fn repeated(p: &Program, (first, steps): &Execution) -> Option<Trace> {
    let begin = Concrete {
        state: first.clone(),
        violated: initially_violated(p, first),
    };
    let before = std::iter::once(first).chain(steps.iter().map(|(_, s)| s));
    let walked = steps
        .iter()
        .zip(before)
        .enumerate()
        .map(|(n, ((thread, after), before))| Walked {
            coarse: n + 1,
            thread: *thread,
            location: before.location(*thread),
            after: after.clone(),
            violated: None,
        });
    let rerun = rerun(p, &begin, walked, true)?;
    let mut trace = rerun.trace;
    trace.outcome = Outcome::NotAtomic;
    Some(trace)
}
