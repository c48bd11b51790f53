//! Commit point completion on sets of states: transactions as BDDs, completed by backward fixpoints.
//!
//! Levin, Palmer, Qadeer and Rajamani 2005 complete transactions on the way back of a depth first search. Here the
//! transactions of one thread t from a set of states S, in which all threads are scheduled, are explored together; each
//! begins with the phase true. That gives the sets R(t) (phase true: only right movers and local steps so far), L(t)
//! (phase false, and a left mover or local step enabled), both without the states in which t is at its initial location
//! or at `wrong`, and N(t), the ends of transactions, which join S. Then every state of L(t) has to be *covered*.
//! Covered is the least set with:
//!
//! - a state of S is covered;
//! - a state of L(t) with a step of t into a covered state is covered: whatever the others do from it, they can do
//!   behind this step, a left mover;
//! - a state of L(t) that a mover in both directions, or a local step, leads to from a covered state is covered:
//!   whatever the others do from it, they can do before this step, a right mover.
//!
//! The rest X is cut: some of its states are put into S, so that the cut covers all of X. The ends and the cut are
//! scheduled, and all begins again, until S grows no more.
//!
//! Why nothing is missed: let w be a shortest execution from any state k of S to an error of a kind that is not found.
//! No step but perhaps the last violates, so steps may be exchanged as the movers say. Give each thread the phase true
//! at k, and let t take the first step c of w that does not leave its thread in R. (If there is none, w consists of
//! right movers; the last does not lead into an error, so w was not shortest.) What other threads did before c are
//! right movers: each can be taken behind all steps of t up to c, so w begins with these. If they end in N(t), that is
//! a state of S, and what is left is shorter. Else it is a state of L(t), where t's action is a left mover or local: a
//! further step of t in w can be taken at once, and so on, until t is in N(t), or w has no more steps of t. Then t is
//! in a state s of L(t), and the rest σ, shorter than w, is of other threads only. By induction on when s was covered,
//! σ leads to the same kind of error from a state of S: through the second rule because after each step of σ the same
//! outcome of the left mover is still there, through the third because the right mover can be taken behind σ, and
//! neither makes or unmakes an error. (With left movers in the third rule that would fail: figure 3.) So w was not
//! shortest. What was covered once remains so, as S and L(t) only grow. See docs/soundness.md.
//!
//! Where it differs from the source: a transaction begins with the phase true wherever it begins, so movers in both
//! directions do not commit it; line L19, by which states behind pure left movers have to be completed anew, is the
//! third rule's restriction to movers in both directions; and a cut may lie anywhere in X, not only where a search
//! leaves it first.

use crate::base::control::Stop;
use crate::engine::compiled::{Mover, Movers};
use crate::engine::relations::Encoding;
use crate::model::program::{LocId, ThreadId};
use crate::theorem::movers::calm;
use biodivine_lib_bdd::Bdd;
use std::collections::BTreeMap;

/// What was explored.
pub struct Completed {
    /// The program states in which all threads are scheduled.
    pub states: Bdd,
    /// Those, and the states inside transactions, the violated ones too.
    pub visited: Bdd,
    /// Those of `states` that are there to complete a transaction, and in which another thread has a step.
    pub forced: Bdd,
}

/// The transactions of one thread.
struct Plan {
    steps: BTreeMap<LocId, CoarseStep>,
    /// The locations at which a transaction always ends.
    outside: Bdd,
    /// L(t) without the phase.
    committed: Bdd,
    /// The states that all threads were scheduled from already.
    expanded: Bdd,
    /// R(t) and L(t), as far as they were met.
    before: Bdd,
    behind: Bdd,
    /// The part of L(t) that is covered.
    covered: Bdd,
}

/// An action of the thread.
struct CoarseStep {
    action: usize,
    mover: Mover,
    targets: Vec<LocId>,
}

impl CoarseStep {
    /// The phase behind it.
    fn phase(&self, phase: bool) -> bool {
        match self.mover.local {
            true => phase,
            false => self.mover.right && (phase || !self.mover.left),
        }
    }

    fn is_left(&self) -> bool {
        self.mover.left || self.mover.local
    }

    fn is_both(&self) -> bool {
        self.mover.left && self.mover.right || self.mover.local
    }
}

struct CompletionSearch<'e, 'p> {
    e: &'e Encoding<'p>,
    plans: Vec<Plan>,
    found: Completed,
}

/// Explores a program by transactions. With an error, what was found so far is given as well.
///
/// # Errors
/// Any [`Stop`].
pub fn complete(e: &Encoding, movers: &Movers) -> (Completed, Result<(), Stop>) {
    let no = e.m.no();
    let mut search = CompletionSearch {
        e,
        plans: Vec::new(),
        found: Completed {
            states: no.clone(),
            visited: e.initial.clone(),
            forced: no,
        },
    };
    let done = search.run(movers);
    (search.found, done)
}

impl CompletionSearch<'_, '_> {
    fn run(&mut self, movers: &Movers) -> Result<(), Stop> {
        let (e, m) = (self.e, &self.e.m);
        for (t, movers) in movers.iter().enumerate() {
            let plan = self.plan(t, movers)?;
            self.plans.push(plan);
        }
        self.found.states = m.and(&e.initial, &calm(e)?)?;
        let mut rounds = 0;
        loop {
            rounds += 1;
            m.control()
                .enter(format!("symbolic-cpc: round {rounds} over the threads"));
            let mut grown = false;
            for t in 0..self.plans.len() {
                let fresh = m.and_not(&self.found.states, &self.plans[t].expanded)?;
                if fresh.is_false() {
                    continue;
                }
                grown = true;
                self.plans[t].expanded = self.found.states.clone();
                self.follow(t, fresh)?;
                self.cover(t)?;
            }
            if !grown {
                return Ok(());
            }
        }
    }

    fn plan(&self, t: ThreadId, movers: &[Mover]) -> Result<Plan, Stop> {
        let (e, m) = (self.e, &self.e.m);
        let thread = &e.program.threads[t];
        let mut outside = e.at(t, thread.initial);
        if let Some(wrong) = thread.wrong {
            outside = m.or(&outside, &e.at(t, wrong))?;
        }
        let (mut steps, mut committed) = (BTreeMap::new(), m.no());
        for action in e.of_thread(t) {
            let a = &e.actions[action];
            let step = CoarseStep {
                action,
                mover: movers[a.location],
                targets: (0..thread.locations.len())
                    .filter(|&l| !m.disjoint(&a.rel.bdd, &a.rel.after(m, &e.at(t, l))))
                    .collect(),
            };
            if step.is_left() {
                let here = m.and(&e.at(t, a.location), &a.enabled)?;
                committed = m.or(&committed, &here)?;
            }
            steps.insert(a.location, step);
        }
        Ok(Plan {
            steps,
            committed: m.and_not(&committed, &outside)?,
            outside,
            expanded: m.no(),
            before: m.no(),
            behind: m.no(),
            covered: m.no(),
        })
    }

    /// The transactions of a thread from states of S: their ends join S, what is inside joins R(t) and L(t).
    fn follow(&mut self, t: ThreadId, from: Bdd) -> Result<(), Stop> {
        let (e, m) = (self.e, &self.e.m);
        let q = e.q();
        let plan = &mut self.plans[t];
        let mut pending: BTreeMap<(LocId, bool), Bdd> = BTreeMap::new();
        for &l in plan.steps.keys() {
            pending.insert((l, true), m.and(&from, &e.at(t, l))?);
        }
        while let Some(((l, phase), set)) = pending.pop_first() {
            let Some(step) = plan.steps.get(&l) else {
                continue;
            };
            if set.is_false() {
                continue;
            }
            let next = e.actions[step.action].rel.image(m, &set)?;
            // Before anything else can stop: a violation is one, whatever comes later.
            self.found.visited = m.or(&self.found.visited, &next)?;
            let next = m.and_not(&next, &q)?;
            let phase = step.phase(phase);
            let ends = match phase {
                true => m.and(&next, &plan.outside)?,
                false => m.and_not(&next, &plan.committed)?,
            };
            self.found.states = m.or(&self.found.states, &ends)?;
            let known = match phase {
                true => &mut plan.before,
                false => &mut plan.behind,
            };
            let inside = m.and_not(&next, &ends)?;
            let fresh = m.and_not(&inside, known)?;
            *known = m.or(known, &fresh)?;
            for &to in &step.targets {
                let here = m.and(&fresh, &e.at(t, to))?;
                let waiting = pending.entry((to, phase)).or_insert_with(|| m.no());
                *waiting = m.or(waiting, &here)?;
            }
        }
        Ok(())
    }

    /// Puts a cut into S by which all of L(t) is covered.
    fn cover(&mut self, t: ThreadId) -> Result<(), Stop> {
        let m = &self.e.m;
        let mut covered = m.or(&self.plans[t].covered, &self.found.states)?;
        loop {
            covered = self.spread(t, &covered, None)?;
            let rest = m.and_not(&self.plans[t].behind, &covered)?;
            if rest.is_false() {
                break;
            }
            let cut = self.cut(t, &rest)?;
            self.schedule(t, &cut)?;
            covered = m.or(&covered, &cut)?;
        }
        self.plans[t].covered = m.and(&covered, &self.plans[t].behind)?;
        Ok(())
    }

    /// All of L(t), or of a part of it, that is covered if these states are; with them.
    fn spread(&self, t: ThreadId, covered: &Bdd, part: Option<&Bdd>) -> Result<Bdd, Stop> {
        let (e, m, plan) = (self.e, &self.e.m, &self.plans[t]);
        let part = part.unwrap_or(&plan.behind);
        let mut all = covered.clone();
        let mut fresh = covered.clone();
        while !fresh.is_false() {
            let mut next = m.no();
            for step in plan.steps.values().filter(|s| s.is_left()) {
                let rel = &e.actions[step.action].rel;
                next = m.or(&next, &rel.preimage(m, &fresh)?)?;
                if step.is_both() {
                    next = m.or(&next, &rel.image(m, &fresh)?)?;
                }
            }
            fresh = m.and_not(&m.and(&next, part)?, &all)?;
            all = m.or(&all, &fresh)?;
        }
        Ok(all)
    }

    /// States of X at one location of the thread: where they cover the most, and of such locations where there are the
    /// fewest.
    fn cut(&self, t: ThreadId, rest: &Bdd) -> Result<Bdd, Stop> {
        let (e, m) = (self.e, &self.e.m);
        let mut best: Option<(Bdd, f64, f64)> = None;
        for &l in self.plans[t].steps.keys() {
            let here = m.and(rest, &e.at(t, l))?;
            if here.is_false() {
                continue;
            }
            let covers = self.spread(t, &here, Some(rest))?.cardinality();
            let size = here.cardinality();
            let better = match &best {
                None => true,
                Some((_, most, least)) => covers > *most || covers == *most && size < *least,
            };
            if better {
                best = Some((here, covers, size));
            }
        }
        // Every state of L(t) is at a location with a step, so there is one.
        Ok(best.map_or_else(|| rest.clone(), |(cut, _, _)| cut))
    }

    /// All threads are scheduled in these states of L(t).
    fn schedule(&mut self, t: ThreadId, cut: &Bdd) -> Result<(), Stop> {
        let (e, m) = (self.e, &self.e.m);
        let mut others = m.no();
        for a in e.actions.iter().filter(|a| a.thread != t) {
            let here = m.and(&e.at(a.thread, a.location), &a.enabled)?;
            others = m.or(&others, &here)?;
        }
        self.found.forced = m.or(&self.found.forced, &m.and(cut, &others)?)?;
        self.found.states = m.or(&self.found.states, cut)?;
        Ok(())
    }
}
