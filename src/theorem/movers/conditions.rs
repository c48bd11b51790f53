//! Classes that an action has under a condition: for example, `c a` may be a right mover although `a` is none.
//!
//! Flanagan & Qadeer 2003 have such classes in their instrumented program: an access is a mover where the access
//! predicate holds (section 5, `p' = p && E(t, z)`). Here conditions are guessed, from what the thread holds and from
//! the values of what its action uses, and `c a` is judged like any other action, so nothing rests on how a condition
//! was guessed. Of the conditions that make a class better, the weakest ones are kept.

use super::{Judged, MoverSearch, Obstacle, Other, Part};
use crate::base::control::Stop;
use crate::base::results::Condition;
use crate::engine::relations::Rel;
use crate::model::program::{CellId, Expr, Kind, NO_OWNER, ThreadId, each_use};
use crate::model::text::ast::BinaryOp;
use crate::theorem::invariants::Rung;
use biodivine_lib_bdd::Bdd;
use num_bigint::BigUint;

/// Values of a cell that are told apart.
const VALUES: u64 = 6;

/// Conditions tried for an action.
const TRIED: usize = 40;

/// A class under a condition.
#[derive(Clone, Debug)]
pub struct Under {
    /// The condition.
    pub condition: Expr,
    /// As it is told.
    pub told: Condition,
    /// Whether the action is a right mover then, or anyway.
    pub right: bool,
    /// Whether it is a left mover then, or anyway.
    pub left: bool,
}

impl MoverSearch<'_, '_> {
    /// The conditions under which an action, which is a right or left mover or not, is more.
    pub(super) fn under(&mut self, n: usize, judged: &Judged) -> Result<Vec<Under>, Stop> {
        let (right, left) = (judged.mover.right, judged.mover.left);
        if right && left {
            return Ok(Vec::new());
        }
        let (e, m) = (self.e, &self.e.m);
        let mut known = self.calm.clone();
        for rung in Rung::ALL {
            known = self.states(rung)?.unwrap_or(known);
        }
        let enabled = m.and(&e.actions[n].enabled, &known)?;
        let mut found: Vec<(Under, Bdd, BigUint)> = Vec::new();
        for (told, condition) in self.candidates(n) {
            let holds = e.predicate(&condition)?;
            let here = m.and(&enabled, &holds)?;
            // What always holds, or never, is no condition.
            if here.is_false() || m.within(&enabled, &holds) {
                continue;
            }
            let whole = self.restrict(n, &holds)?;
            let under = self.class_now(n, judged, &known);
            self.parts[n] = whole;
            let (r, l) = under?;
            if (r, l) != (right, left) {
                let (right, left) = (r, l);
                let size = e.count(&here)?;
                let under = Under {
                    condition,
                    told,
                    right,
                    left,
                };
                found.push((under, here, size));
            }
        }
        found.sort_by(|a, b| b.2.cmp(&a.2));
        let mut kept: Vec<(Under, Bdd)> = Vec::new();
        for (under, here, _) in found {
            let says_no_more = |(k, there): &(Under, Bdd)| {
                (k.right || !under.right) && (k.left || !under.left) && m.within(&here, there)
            };
            if !kept.iter().any(says_no_more) {
                kept.push((under, here));
            }
        }
        Ok(kept.into_iter().map(|(under, _)| under).collect())
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
            violating: m.and(&part.violating, condition)?,
        };
        Ok(std::mem::replace(&mut self.parts[n], under))
    }

    /// Whether the action, as it is now, is a right and a left mover, from these states; what it is anyway is not
    /// asked. What a law says of more states it says of fewer, so the strongest invariant is enough.
    fn class_now(&self, n: usize, judged: &Judged, known: &Bdd) -> Result<(bool, bool), Stop> {
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
            right = right && (judged.mover.right || self.is_right(n, other, known)?.is_none());
        }
        for other in first(&judged.left) {
            left = left && (judged.mover.left || self.is_left(n, other, known)?.is_none());
        }
        Ok((right, left))
    }

    /// Conditions that may matter to an action: the locks of its thread, then the values of what it uses.
    fn candidates(&self, n: usize) -> Vec<(Condition, Expr)> {
        let (action, p) = (&self.e.actions[n], self.e.program);
        let me = action.thread;
        let mut all: Vec<(Condition, Expr)> = Vec::new();
        let mut used: Vec<CellId> = Vec::new();
        for edge in &p.threads[me].locations[action.location].edges {
            each_use(p, edge, &mut |u| used.extend(u.cells.clone()));
        }
        used.sort_unstable();
        used.dedup();
        for (c, cell) in p.cells.iter().enumerate() {
            if cell.ty.kind == Kind::Owner {
                let lock = crate::theorem::inference::lock_name(p, c);
                all.push((Condition::Holds(lock.clone()), is(c, me as i64)));
                if used.contains(&c) {
                    all.push((Condition::Free(lock), is(c, NO_OWNER)));
                }
            }
        }
        for x in &p.protections {
            if used.contains(&x.cell) {
                let access = Condition::Access(p.cells[x.cell].name.clone());
                all.push((access, x.predicates[me].clone()));
            }
        }
        for &c in &used {
            let values = self.values(me, c).into_iter();
            all.extend(values.map(|(text, expr)| (Condition::Expression(text), expr)));
        }
        all.truncate(TRIED);
        all
    }

    fn values(&self, me: ThreadId, c: CellId) -> Vec<(String, Expr)> {
        let p = self.e.program;
        let ty = p.cells[c].ty;
        if ty.kind == Kind::Owner {
            return Vec::new();
        }
        let own = format!("{}.", p.threads[me].name);
        let name = &p.cells[c].name;
        let name = name.strip_prefix(&own).unwrap_or(name);
        if ty.kind == Kind::Bool {
            return vec![(name.to_string(), is(c, 1)), (format!("!{name}"), is(c, 0))];
        }
        let told: Vec<i64> = match ty.size() <= VALUES {
            true => (ty.lo..=ty.hi).collect(),
            false => vec![ty.lo, ty.hi],
        };
        let equal = told
            .iter()
            .map(|&v| (format!("{name} == {}", p.show(c, v)), is(c, v)));
        let unequal = told.iter().filter(|_| ty.size() > 2).map(|&v| {
            let words = format!("{name} != {}", p.show(c, v));
            (words, Expr::Not(Box::new(is(c, v))))
        });
        equal.chain(unequal).collect()
    }
}

fn is(c: CellId, value: i64) -> Expr {
    let (cell, value) = (Expr::Cell(c), Expr::Const(value));
    Expr::Binary(BinaryOp::Eq, Box::new(cell), Box::new(value))
}
