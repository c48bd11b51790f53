//! The instrumented program of Flanagan & Qadeer 2003, section 4: every location of a thread once for each phase it can
//! be met in.
//!
//! A thread is outside its transactions (N), in one before its commit point (R), or behind that (L). From outside, and
//! from before the commit point, a right mover leads to before it and any other action behind it; behind it only left
//! movers stay. A transaction ends where no left mover follows, where the thread has ended or gone wrong, and where it
//! is cut, because it could not be finished from there (A6). Phases are where a thread is, so a phased program is a
//! program like any other: without the phases, the same states are reached in it as in the program.
//!
//! Where it differs from the source: movers are those of `movers`, found on the relations; the paper finds them from
//! access predicates. A phase is a copy of a location, not a variable beside it.

use super::cuts::Cuts;
use crate::base::results::Conclusion;
use crate::engine::State;
use crate::engine::compiled::Movers;
use crate::engine::reach::Blocked;
use crate::engine::relations::{Concrete, Encoding};
use crate::model::program::{
    Command, Edge, Expr, LocId, Location, Named, Program, Thread, ThreadId,
};
use crate::theorem::check::Prepared;
use crate::theorem::executions::search::Execution;
use crate::theorem::properties::GoalKind;
use crate::theorem::relocated::Relocated;
use crate::theorem::settled::by_transactions;
use std::collections::{BTreeMap, BTreeSet};

/// Where a thread is in a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// In none: N of the paper.
    Outside,
    /// Before the commit point: R.
    Before,
    /// Behind the commit point: L.
    Behind,
}

/// Which movers a theorem lets transactions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uses {
    /// Right movers before the commit point.
    pub rights: bool,
    /// Left movers behind it.
    pub lefts: bool,
    /// Whether what goes wrong inside a transaction goes wrong in the reduced system; else the theorem speaks of
    /// states with all threads outside only.
    pub keeps_inside: bool,
}

/// A program with phases.
#[derive(Clone, Debug)]
pub struct Phased {
    /// It.
    pub program: Program,
    /// The phase of each location, by thread.
    pub phases: Vec<Vec<Phase>>,
    /// What each location is a copy of, by thread.
    pub origin: Vec<Vec<LocId>>,
    /// The movers that it was made with.
    pub movers: Movers,
    /// The cuts that it was made with.
    pub cuts: Cuts,
    /// What it was made for.
    pub uses: Uses,
}

/// A thread whose locations are being copied.
pub(super) struct Copies<'a> {
    pub(super) thread: &'a Thread,
    pub(super) movers: &'a [crate::engine::compiled::Mover],
    pub(super) uses: Uses,
    pub(super) cuts: &'a BTreeSet<LocId>,
}

impl Copies<'_> {
    /// The phase of a location that is come to by the action at `from`.
    fn next(&self, from: (LocId, Phase), to: LocId) -> Phase {
        let target = &self.thread.locations[to];
        if target.edges.is_empty() || Some(to) == self.thread.unstarted {
            return Phase::Outside;
        }
        let right = self.movers[from.0].right || self.movers[from.0].local;
        let left = self.movers[to].left || self.movers[to].local;
        if from.1 != Phase::Behind && self.uses.rights && right {
            return Phase::Before;
        }
        match self.uses.lefts && left && !self.cuts.contains(&to) {
            true => Phase::Behind,
            false => Phase::Outside,
        }
    }

    /// The copies that control can come to, those with steps first; each with its number.
    pub(super) fn all(&self) -> BTreeMap<(bool, LocId, Phase), LocId> {
        let key = |l: LocId, phase: Phase| (self.thread.locations[l].edges.is_empty(), l, phase);
        let fixed = [
            Some(self.thread.initial),
            self.thread.end,
            self.thread.wrong,
            self.thread.unstarted,
        ];
        let mut found: BTreeSet<(bool, LocId, Phase)> = BTreeSet::new();
        let mut open: Vec<(LocId, Phase)> = fixed
            .into_iter()
            .flatten()
            .map(|l| (l, Phase::Outside))
            .collect();
        while let Some((l, phase)) = open.pop() {
            if !found.insert(key(l, phase)) {
                continue;
            }
            for to in self.thread.locations[l].targets() {
                open.push((to, self.next((l, phase), to)));
            }
        }
        found
            .into_iter()
            .enumerate()
            .map(|(n, copy)| (copy, n))
            .collect()
    }
}

impl Phased {
    /// Whether a thread at a location of the program is always inside a transaction, so that no other is scheduled
    /// there.
    pub fn is_inside(&self, t: ThreadId, l: LocId) -> bool {
        let mut copies = self.origin[t].iter().zip(&self.phases[t]);
        copies.all(|(origin, phase)| *origin != l || *phase != Phase::Outside)
    }

    /// A state expression of the program, for all copies of the locations that it asks for.
    pub fn expr(&self, e: &Expr) -> Expr {
        let of = |origin: &Vec<LocId>| {
            let mut copies: BTreeMap<LocId, Vec<LocId>> = BTreeMap::new();
            for (copy, l) in origin.iter().enumerate() {
                copies.entry(*l).or_default().push(copy);
            }
            copies
        };
        let copies = self.origin.iter().map(of).collect();
        Relocated { copies }.expr(e)
    }

    /// Gives a program phases. Where something is protected every thread can go wrong, which is what a violation of the
    /// discipline is for the hypotheses (`checked`).
    pub fn new(program: &Program, movers: &Movers, uses: Uses, cuts: &Cuts) -> Phased {
        let mut base = program.clone();
        if !base.protections.is_empty() {
            for thread in base.threads.iter_mut().filter(|t| t.wrong.is_none()) {
                thread.wrong = Some(thread.locations.len());
                thread.locations.push(Location {
                    name: "wrong".into(),
                    edges: Vec::new(),
                    span: crate::base::diagnostic::Span::default(),
                    named: Named::Rest,
                });
            }
        }
        let none = BTreeSet::new();
        let copies: Vec<Copies> = base
            .threads
            .iter()
            .enumerate()
            .map(|(t, thread)| Copies {
                thread,
                movers: &movers[t],
                uses,
                cuts: cuts.get(t).unwrap_or(&none),
            })
            .collect();
        let numbers: Vec<BTreeMap<(bool, LocId, Phase), LocId>> =
            copies.iter().map(Copies::all).collect();
        let relocated = Relocated {
            copies: numbers
                .iter()
                .map(|all| {
                    let mut of: BTreeMap<LocId, Vec<LocId>> = BTreeMap::new();
                    for (&(_, l, _), &n) in all {
                        of.entry(l).or_default().push(n);
                    }
                    of
                })
                .collect(),
        };
        let threads = (0..base.threads.len())
            .map(|t| thread(&copies[t], &numbers[t], &relocated, t))
            .collect();
        let instrumented = relocated.program(&base, threads);
        Phased {
            movers: movers.clone(),
            cuts: cuts.clone(),
            uses,
            program: instrumented,
            phases: numbers
                .iter()
                .map(|all| all.keys().map(|k| k.2).collect())
                .collect(),
            origin: numbers
                .iter()
                .map(|all| all.keys().map(|k| k.1).collect())
                .collect(),
        }
    }

    /// The locations of a thread in this phase.
    pub fn at(&self, thread: ThreadId, phase: Phase) -> impl Iterator<Item = LocId> + '_ {
        let all = &self.phases[thread];
        (0..all.len()).filter(move |&l| all[l] == phase)
    }

    /// An execution of the program with phases, which `e` encodes, as one of the program.
    pub(in crate::theorem) fn without_phases(
        &self,
        plain: &Encoding,
        e: &Encoding,
        execution: &Execution,
    ) -> Option<Execution> {
        let mut steps = Vec::new();
        for (coarse, a, after) in &execution.steps {
            let action = &e.actions[*a];
            let location = self.origin[action.thread][action.location];
            let a = plain.action_at(action.thread, location)?;
            steps.push((*coarse, a, self.plain(after)));
        }
        Some(Execution {
            first: self.plain(&execution.first),
            steps,
            shortest: execution.shortest,
        })
    }

    /// Why what the reduced system does not show holds.
    pub(in crate::theorem) fn because(&self) -> fn(GoalKind) -> Conclusion {
        by_transactions(self.phases.iter().flatten().all(|p| *p == Phase::Outside))
    }

    /// What the engines of `coarsen reach` need to explore the reduced system of a program with these phases.
    pub(in crate::theorem) fn prepared(&self, program: &Program) -> Prepared {
        let outside = |all: &Vec<Phase>| all.iter().map(|p| *p == Phase::Outside).collect();
        Prepared {
            program: self.program.clone(),
            visible: self.phases.iter().map(outside).collect(),
            when_blocked: Blocked::Waits,
            plain: Some((program.clone(), self.origin.clone())),
        }
    }

    /// A state without its phases.
    pub fn without(&self, state: &State) -> State {
        let cells: Vec<i64> = (0..self.program.cells.len())
            .map(|c| state.cell(c))
            .collect();
        let locations: Vec<LocId> = (0..self.program.threads.len())
            .map(|t| self.origin[t][state.location(t)])
            .collect();
        State::new(&cells, &locations)
    }

    /// The same with q.
    pub fn plain(&self, concrete: &Concrete) -> Concrete {
        Concrete {
            state: self.without(&concrete.state),
            violated: concrete.violated,
        }
    }
}

fn thread(
    copies: &Copies,
    numbers: &BTreeMap<(bool, LocId, Phase), LocId>,
    relocated: &Relocated,
    t: ThreadId,
) -> Thread {
    let base = copies.thread;
    let number = |l: LocId, phase: Phase| {
        let key = (base.locations[l].edges.is_empty(), l, phase);
        numbers.get(&key).copied().unwrap_or_default()
    };
    let locations = numbers
        .keys()
        .map(|&(_, l, phase)| {
            let original = &base.locations[l];
            let goto = |to: LocId| Command::Goto(number(to, copies.next((l, phase), to)));
            Location {
                name: match phase {
                    Phase::Outside => original.name.clone(),
                    Phase::Before => format!("{} (before its commit point)", original.name),
                    Phase::Behind => format!("{} (behind its commit point)", original.name),
                },
                edges: original
                    .edges
                    .iter()
                    .map(|edge| Edge {
                        guard: edge.guard.as_ref().map(|e| relocated.expr(e)),
                        body: relocated.commands(&edge.body, &goto),
                        span: edge.span,
                    })
                    .collect(),
                span: original.span,
                named: original.named,
            }
        })
        .collect();
    let outside = |l: LocId| number(l, Phase::Outside);
    Thread {
        locations,
        initial: outside(base.initial),
        unstarted: base.unstarted.map(outside),
        end: base.end.map(outside),
        wrong: base.wrong.map(outside),
        labels: base
            .labels
            .iter()
            .map(|(name, all)| (name.clone(), relocated.all(t, all)))
            .collect(),
        ..base.clone()
    }
}
