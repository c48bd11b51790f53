//! Claims `transaction NAME { .. }`, by their definition: the program cannot be told from the one in which no other
//! thread takes a step while one is inside a block.
//!
//! The interpreter goes through all states of both. Each state of the program in which no thread is inside has to be
//! one of the other, as it is observed, and whatever goes wrong in the program has to go wrong in the other: in the
//! same command, against the same protection along the same edge, or against the same invariant. The block is entered
//! and left, and no thread gets stuck inside if the model asks for that. Where a block begins and ends is as the front
//! end says.

use super::invariant::Refused;
use super::observed::Observed;
use super::verdict::BundleVerdict;
use crate::base::control::{Control, Stop};
use crate::engine::{
    State, Successor, breaks, each_outcome, holds, initial_candidates, is_deadlock, is_initial,
};
use crate::model::program::{Claim, Command, LocId, Program, ThreadId};
use crate::model::text::ast::PropertyKind;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// Something that goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Wrong {
    /// A thread, along an edge of a location, in the command at this address; in the guard, if there is none.
    Fails(ThreadId, LocId, usize, Option<usize>),
    /// A step along an edge violates a protection, by its number.
    Breaks(ThreadId, LocId, usize, usize),
    /// An invariant is violated, by its place among the properties.
    Invariant(usize),
}

/// What the interpreter meets.
enum Met<'m> {
    /// A step from a state.
    Step(&'m State, ThreadId, &'m Successor),
    /// Something wrong.
    Wrong(Wrong),
    /// A state, once, and whether it is a deadlock.
    State(&'m State, bool),
}

/// Checks that a claim holds by its definition.
///
/// # Errors
/// What tells the two programs apart, or else is against it; or the limit that was hit.
pub fn check(
    program: &Program,
    name: &str,
    control: &Control,
    verdict: &mut BundleVerdict,
) -> Result<(), Refused> {
    let (program, claim) = claimed(program, name)?;
    let subject = Subject { program, claim };
    let atomic = Atomic::new(&subject, control)?;
    control.enter(format!("{name}, as it is"));
    let outside = subject.explore(false, control, &mut |met| {
        let told = match met {
            Met::Step(..) => None,
            Met::Wrong(what) => (!atomic.wrong.contains(&what)).then(|| subject.told(what)),
            Met::State(s, deadlocked) => match subject.inside(s) {
                Some(t) if deadlocked && program.deadlock_free.is_some() => {
                    Some(format!("{} gets stuck inside", program.threads[t].name))
                }
                Some(_) => None,
                None => (!atomic.has(s)?).then(|| NOT_THERE.into()),
            },
        };
        told.map_or(Ok(true), |why| Err(subject.refused(&why)))
    })?;
    verdict.replayed.push(format!(
        "{name}: each of {outside} states of the program without a thread inside is, as observed, one of {} with the \
         block atomic, and nothing else goes wrong; both were gone through by the interpreter",
        atomic.states.len()
    ));
    Ok(())
}

const NOT_THERE: &str = "a state is not reached with the block atomic";

/// Checks that some thread leaves the block of a claim.
///
/// # Errors
/// If none does, or the limit that was hit.
pub fn is_left(program: &Program, name: &str, control: &Control) -> Result<(), Refused> {
    let (program, claim) = claimed(program, name)?;
    let subject = Subject { program, claim };
    control.enter(format!("{name}, whether it is left"));
    let mut left = false;
    subject.explore(false, control, &mut |met| {
        if let Met::Step(before, t, step) = met {
            let (from, to) = (before.location(t), step.state.location(t));
            let own = subject.has(t, (from, step.edge));
            left |= own && !subject.is_inside(t, to) && step.failure.is_none();
        }
        Ok(!left)
    })?;
    match left {
        true => Ok(()),
        false => Err(subject.refused("it is vacuous, as no thread leaves the block")),
    }
}

/// What a program does with the block atomic.
pub struct Atomic<'s, 'p> {
    subject: &'s Subject<'p>,
    observed: Observed<'p>,
    /// The states without a thread inside, as they are observed.
    states: FxHashSet<State>,
    wrong: FxHashSet<Wrong>,
}

impl<'s, 'p> Atomic<'s, 'p> {
    /// All of it.
    ///
    /// # Errors
    /// The limit that was hit.
    pub fn new(subject: &'s Subject<'p>, control: &Control) -> Result<Self, Refused> {
        let mut all = Atomic {
            subject,
            observed: Observed::new(subject.program, subject.claim),
            states: FxHashSet::default(),
            wrong: FxHashSet::default(),
        };
        control.enter(format!("{}, with the block atomic", subject.claim.name));
        subject.explore(true, control, &mut |met| {
            match met {
                Met::Wrong(what) => drop(all.wrong.insert(what)),
                Met::State(s, _) if subject.inside(s).is_none() => {
                    all.states.insert(all.observed.of(s));
                }
                Met::State(..) | Met::Step(..) => {}
            }
            Ok(true)
        })?;
        Ok(all)
    }

    /// Whether a state is one of these, as it is observed.
    fn has(&self, state: &State) -> Result<bool, Refused> {
        let known = |seen: &State| self.states.contains(seen);
        self.observed.is_among(state, &known)
    }

    /// Checks that another program, which differs in the block's steps only, reaches no other states with its block
    /// atomic; how many it does.
    ///
    /// # Errors
    /// If it does, or the limit that was hit.
    pub fn has_all_of(&self, other: &Subject, control: &Control) -> Result<usize, Refused> {
        other.explore(true, control, &mut |met| match met {
            Met::State(s, _) if other.inside(s).is_none() && !self.has(s)? => {
                Err(self.subject.refused(NOT_THERE))
            }
            _ => Ok(true),
        })
    }
}

/// The claim of this name, with the program that says where control is inside its block.
///
/// # Errors
/// If there is none.
pub fn claimed<'p>(
    program: &'p Program,
    name: &str,
) -> Result<(&'p Program, &'p Claim), &'static str> {
    let of = |p: &'p Program| {
        let claim = p.claims.iter().find(|c| c.name == name);
        claim.ok_or("a claim of a transaction that the model has not")
    };
    let program = of(program)?.split.as_deref().unwrap_or(program);
    let claim = of(program)?;
    let mut blocks = claim.blocks.iter();
    match blocks.any(|b| b.entries.iter().any(|l| b.inside.contains(l))) {
        true => Err("a claim of a block that control may be inside of where it begins"),
        false => Ok((program, claim)),
    }
}

/// A program with a claimed block.
#[derive(Clone, Copy)]
pub struct Subject<'p> {
    /// The program.
    pub program: &'p Program,
    /// The claim.
    pub claim: &'p Claim,
}

impl Subject<'_> {
    /// Why the claim is not accepted.
    pub fn refused(&self, why: &str) -> Refused {
        Refused::Wrong(format!("{} is no transaction: {why}", self.claim.name))
    }

    /// Whether a thread at a location is inside.
    pub fn is_inside(&self, thread: ThreadId, location: LocId) -> bool {
        let mut blocks = self.claim.blocks.iter();
        blocks.any(|b| b.thread == thread && b.inside.contains(&location))
    }

    /// Whether a step along an edge of a location belongs to the block: it does if the thread is inside.
    pub fn has(&self, thread: ThreadId, edge: (LocId, usize)) -> bool {
        let mut blocks = self.claim.blocks.iter().filter(|b| b.thread == thread);
        blocks.any(|b| b.edges.contains(&edge) || b.inside.contains(&edge.0))
    }

    /// The first thread that is inside.
    fn inside(&self, state: &State) -> Option<ThreadId> {
        (0..self.program.threads.len()).find(|&t| self.is_inside(t, state.location(t)))
    }

    /// Goes through all states, or those that are reached if nobody takes a step while another thread is inside, as
    /// long as more is wanted. How many there are without a thread inside.
    fn explore(
        &self,
        atomic: bool,
        control: &Control,
        look: &mut dyn FnMut(Met) -> Result<bool, Refused>,
    ) -> Result<usize, Refused> {
        let p = self.program;
        let most = control.budget().states;
        let mut open: Vec<State> = Vec::new();
        for (tried, s) in initial_candidates(p).enumerate() {
            control.check()?;
            if tried >= most {
                return Err(Refused::Stopped(Stop::States));
            }
            open.extend(Some(s).filter(|s| is_initial(p, s)));
        }
        let mut met: FxHashSet<State> = open.iter().cloned().collect();
        let mut outside = 0;
        while let Some(state) = open.pop() {
            control.check()?;
            if met.len() > most {
                return Err(Refused::Stopped(Stop::States));
            }
            let inside = self.inside(&state);
            outside += usize::from(inside.is_none());
            let alone = inside.filter(|_| atomic);
            for t in (0..p.threads.len()).filter(|t| alone.is_none_or(|a| a == *t)) {
                let outcome = each_outcome(p, &state, t, None, &mut |step, failed| {
                    let new = met.insert(step.state.clone());
                    let looked = self.step(&state, t, (&step, failed), look);
                    open.extend(Some(step.state).filter(|_| new));
                    match looked {
                        Ok(true) => ControlFlow::Continue(()),
                        enough => ControlFlow::Break(enough),
                    }
                });
                if let ControlFlow::Break(enough) = outcome {
                    return enough.map(|_| outside);
                }
            }
            for (n, property) in p.properties.iter().enumerate() {
                let asked = || p.asked(property.kind, property.expr.clone());
                if property.kind == PropertyKind::Invariant && !holds(p, &asked(), &state) {
                    look(Met::Wrong(Wrong::Invariant(n)))?;
                }
            }
            let deadlocked = inside.is_some() && is_deadlock(p, &state);
            look(Met::State(&state, deadlocked))?;
        }
        Ok(outside)
    }

    /// Looks at a step, and at what goes wrong in it.
    fn step(
        &self,
        before: &State,
        t: ThreadId,
        (step, failed): (&Successor, Option<&Command>),
        look: &mut dyn FnMut(Met) -> Result<bool, Refused>,
    ) -> Result<bool, Refused> {
        let more = look(Met::Step(before, t, step))?;
        let from = before.location(t);
        if step.failure.is_some() {
            let failed = failed.map(|command| std::ptr::from_ref(command).addr());
            look(Met::Wrong(Wrong::Fails(t, from, step.edge, failed)))?;
        }
        for (n, x) in self.program.protections.iter().enumerate() {
            if breaks(self.program, x, t, before, step) {
                look(Met::Wrong(Wrong::Breaks(t, from, step.edge, n)))?;
            }
        }
        Ok(more)
    }

    /// What goes wrong, in words.
    fn told(&self, wrong: Wrong) -> String {
        let p = self.program;
        let place = |t: ThreadId, l: LocId| {
            let thread = &p.threads[t];
            format!("{} at {}", thread.name, thread.locations[l].name)
        };
        let what = match wrong {
            Wrong::Fails(t, l, ..) => format!("{} goes wrong", place(t, l)),
            Wrong::Breaks(t, l, _, n) => {
                let cell = p.protections[n].cell;
                format!(
                    "{} violates the protection of {}",
                    place(t, l),
                    p.cells[cell].name
                )
            }
            Wrong::Invariant(n) => format!("{} is violated", p.properties[n].name),
        };
        format!("{what}, and not with the block atomic")
    }
}
