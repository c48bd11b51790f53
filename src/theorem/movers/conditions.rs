//! Classes that an action has under a condition: for example, `c a` may be a right mover although `a` is none.
//!
//! Flanagan & Qadeer 2003 have such classes in their instrumented program: an access is a mover where the access
//! predicate holds (section 5, `p' = p && E(t, z)`). Here conditions are guessed (`candidates.rs`), from what the
//! thread holds and from what its action uses, and `c a` is judged like any other action, so nothing rests on how a
//! condition was guessed. Of the conditions that make a class better, the weakest ones are told; and of several threads
//! once, if what is the same in each thread's own terms makes it better in each.

use super::{Judged, MoverSearch, Obstacle, Other, Part};
use crate::base::control::Stop;
use crate::base::results::Condition;
use crate::engine::compiled::Mover;
use crate::engine::relations::Rel;
use crate::model::program::{Expr, ThreadId};
use biodivine_lib_bdd::Bdd;
use num_bigint::BigUint;
use std::cell::OnceCell;

/// A class under a condition.
#[derive(Clone, Debug)]
pub struct Under {
    /// The condition.
    pub condition: Expr,
    /// The ways in which the thread may say it of itself.
    pub told: Vec<Condition>,
    /// Whether the action is a right mover then, or anyway.
    pub right: bool,
    /// Whether it is a left mover then, or anyway.
    pub left: bool,
    /// The states from which the action has steps, and the condition holds.
    here: Bdd,
}

/// A class that actions of several threads have under what each of them says in the same way.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The condition.
    pub told: Condition,
    /// The threads.
    pub threads: Vec<ThreadId>,
    /// Whether each action is a right mover then, or anyway.
    pub right: bool,
    /// Whether each is a left mover then, or anyway.
    pub left: bool,
}

impl MoverSearch<'_, '_> {
    /// The conditions under which an action, which is a right or left mover or not, is more; the weakest first.
    pub(super) fn under(&mut self, n: usize, judged: &Judged) -> Result<Vec<Under>, Stop> {
        let (right, left) = (judged.mover.right, judged.mover.left);
        if right && left {
            return Ok(Vec::new());
        }
        let (e, m) = (self.e, &self.e.m);
        let (known, _) = self.strongest()?;
        let enabled = m.and(&e.actions[n].enabled, &known)?;
        let mut found: Vec<(Under, BigUint)> = Vec::new();
        for (told, condition) in self.candidates(n) {
            let holds = e.predicate(&condition)?;
            let here = m.and(&enabled, &holds)?;
            // What always holds, or never, is no condition.
            if here.is_false() || m.within(&enabled, &holds) {
                continue;
            }
            let whole = self.restrict(n, &holds)?;
            let under = self.class_now(n, judged, judged.mover, &known);
            self.replace(n, whole);
            let (r, l) = under?;
            if (r, l) != (right, left) {
                let size = e.count(&here)?;
                let under = Under {
                    condition,
                    told,
                    right: r,
                    left: l,
                    here,
                };
                found.push((under, size));
            }
        }
        found.sort_by(|a, b| b.1.cmp(&a.1));
        Ok(found.into_iter().map(|(under, _)| under).collect())
    }

    /// The weakest conditions that make all actions of a group more, each told once; then those that do so for the
    /// actions of some threads only.
    pub fn shared(&self, judged: &[Judged], group: &[usize]) -> Vec<Shared> {
        let mut told = Vec::new();
        let common = self.weakest(judged, group, &[]);
        let thread = |a: usize| self.e.actions[a].thread;
        let mut threads: Vec<ThreadId> = group.iter().map(|&a| thread(a)).collect();
        threads.dedup();
        for c in &common {
            told.push(self.said(c, threads.clone()));
        }
        for &t in threads.iter().filter(|_| threads.len() > 1) {
            let own: Vec<(usize, usize)> = (0..group.len())
                .filter(|&n| thread(group[n]) == t)
                .map(|n| (n, group[n]))
                .collect();
            let actions: Vec<usize> = own.iter().map(|(_, a)| *a).collect();
            let known: Vec<Together> = common
                .iter()
                .map(|c| Together::new(&c.told, own.iter().map(|(n, _)| c.each[*n]).collect()))
                .collect();
            for c in self.weakest(judged, &actions, &known) {
                let said = self.said(&c, vec![t]);
                let same = |s: &&mut Shared| {
                    (&s.told, s.right, s.left) == (&said.told, said.right, said.left)
                        && s.threads.len() < threads.len()
                };
                match told.iter_mut().find(same) {
                    Some(known) => known.threads.push(t),
                    None => told.push(said),
                }
            }
        }
        told
    }

    fn said(&self, c: &Together, threads: Vec<ThreadId>) -> Shared {
        Shared {
            told: c.told.clone(),
            threads,
            right: c.right,
            left: c.left,
        }
    }

    /// The weakest conditions that make each of these actions more, but for what is `known` of them.
    fn weakest<'j>(
        &self,
        judged: &'j [Judged],
        group: &[usize],
        known: &[Together<'j>],
    ) -> Vec<Together<'j>> {
        let mut kept: Vec<Together> = Vec::new();
        let Some((&first, rest)) = group.split_first() else {
            return kept;
        };
        let mover = judged[first].mover;
        for u in &judged[first].under {
            let ways = u.told.iter().filter_map(|told| {
                let of = |a: &usize| judged[*a].under.iter().find(|v| v.told.contains(told));
                let rest: Option<Vec<&Under>> = rest.iter().map(of).collect();
                Some(Together::new(told, [vec![u], rest?].concat()))
            });
            let mut more = ways.filter(|c| (c.right, c.left) != (mover.right, mover.left));
            let Some(found) = more.next() else {
                continue;
            };
            if !known
                .iter()
                .chain(&kept)
                .any(|k| self.says_no_more(&found, k))
            {
                kept.push(found);
            }
        }
        kept
    }

    /// Whether another condition is as weak, and says as much.
    fn says_no_more(&self, this: &Together, other: &Together) -> bool {
        let m = &self.e.m;
        let mut each = this.each.iter().zip(&other.each);
        (other.right || !this.right)
            && (other.left || !this.left)
            && each.all(|(u, v)| m.within(&u.here, &v.here))
    }

    /// Has the action take its steps under a condition only; what it was before.
    fn restrict(&mut self, n: usize, condition: &Bdd) -> Result<Part, Stop> {
        let m = &self.e.m;
        let part = &self.parts[n];
        let under = Part {
            clean: Rel {
                writes: part.clean.writes.clone(),
                bdd: m.and(&part.clean.bdd, condition)?,
            },
            enabled: OnceCell::new(),
            violating: m.and(&part.violating, condition)?,
        };
        Ok(self.replace(n, under))
    }

    /// Whether the action, as it is now, is a right and a left mover, from these states; what it is `anyway` is not
    /// asked. What a law says of more states it says of fewer, so the strongest invariant is enough.
    pub(super) fn class_now(
        &self,
        n: usize,
        judged: &Judged,
        anyway: Mover,
        known: &Bdd,
    ) -> Result<(bool, bool), Stop> {
        // Those that were in the way before fail first.
        let first = |of: &[Obstacle]| -> Vec<usize> {
            let in_the_way = |o: &usize| of.iter().any(|b| b.other == Other::Action(*o));
            let (mut all, others): (Vec<usize>, Vec<usize>) =
                judged.shares.iter().partition(|o| in_the_way(o));
            all.extend(others);
            all
        };
        let (mut right, mut left) = (true, true);
        for other in first(&judged.right) {
            right = right && (anyway.right || self.is_right(n, other, known)?);
        }
        for other in first(&judged.left) {
            left = left && (anyway.left || self.is_left(n, other, known)?);
        }
        Ok((right, left))
    }
}

/// A condition that is told in the same way of several actions, and what each is then.
struct Together<'j> {
    told: Condition,
    each: Vec<&'j Under>,
    right: bool,
    left: bool,
}

impl<'j> Together<'j> {
    fn new(told: &Condition, each: Vec<&'j Under>) -> Self {
        Together {
            told: told.clone(),
            right: each.iter().all(|u| u.right),
            left: each.iter().all(|u| u.left),
            each,
        }
    }
}
