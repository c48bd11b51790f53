//! `new` and `free`: which slots of a pool are in use.

use super::actions::Action;
use super::cfg::Graph;
use super::codes;
use super::expressions::{balanced, not};
use super::operations::action;
use super::scope::{Context, Elaborator, Entity, Symbol};
use super::{ArrayId, Command, Expr, Kind, NULL, Target};
use crate::model::text::ast::{self, BinaryOp, Name, Place};

impl Elaborator {
    /// `free(p);`
    pub(super) fn free(
        &mut self,
        g: &mut Graph,
        argument: &ast::Expr,
        cx: &Context,
    ) -> Option<Action> {
        let value = self.expression(argument, cx)?;
        let allocated = match value.kind {
            Kind::Ref(target) if self.targets.get(target).is_some_and(|t| t.pool) => {
                let record = self.targets[target].instance?;
                self.instances[record].allocated?
            }
            found => {
                self.mismatch(
                    argument.span,
                    found,
                    "a reference into a pool",
                    "only what `new` has allocated can be freed",
                );
                return None;
            }
        };
        g.may_fail = true;
        let slot = Expr::Via(Box::new(value.expr), Some(allocated));
        let free = Command::Assign(Target::Element(allocated, vec![slot]), Expr::FALSE);
        Some(action(vec![free]))
    }

    /// `p = new P;`
    pub(super) fn new_object(
        &mut self,
        g: &mut Graph,
        place: &Place,
        pool: &Name,
        cx: &Context,
    ) -> Option<Action> {
        let target = self.target_of(place, cx);
        let found = self.target(pool, cx)?;
        let (target, array) = target?;
        self.assume_size(&self.slots(found), pool.span, cx);
        let allocated = match self.symbol(&pool.text) {
            Some(Symbol::Entity(Entity::Record(r))) => self.instances[r].allocated,
            _ => None,
        };
        let Some(allocated) = allocated else {
            self.error(
                codes::NOT_A_VARIABLE,
                pool.span,
                format!("`{}` is not a pool", pool.text),
                "a pool",
                "the objects of an array are always there: refer to them with `&a[k]`",
            );
            return None;
        };
        let ty = self.program.cells[self.program.arrays[array].first].ty;
        if ty.kind != Kind::Ref(found) {
            self.mismatch(
                place.span,
                ty.kind,
                &format!("a place for a reference into `{}`", pool.text),
                "correct the pool, or the variable's type",
            );
            return None;
        }
        g.may_fail |= matches!(target, Target::Element(..));
        let slots = self.program.pools[found].len;
        let halvings = slots.ilog2() as usize + 1;
        if !self.grow(slots.saturating_mul(halvings), place.span) {
            return None;
        }
        let none = vec![Command::Assign(target.clone(), Expr::Const(NULL))];
        let some = self.some_free(allocated, 0, slots);
        let first = self.first_free(allocated, &target, 0, slots);
        Some(action(vec![Command::If(some, first, none)]))
    }

    fn some_free(&mut self, allocated: ArrayId, low: usize, high: usize) -> Expr {
        let terms = (low..high)
            .map(|k| not(self.state_of(allocated, &[Expr::Const(k as i64)], None)))
            .collect();
        balanced(BinaryOp::Or, terms, Expr::FALSE)
    }

    /// Takes the lowest free slot of these, some of which are free. The place comes first: its index is evaluated
    /// before anything is written.
    fn first_free(
        &mut self,
        allocated: ArrayId,
        target: &Target,
        low: usize,
        high: usize,
    ) -> Vec<Command> {
        if high - low <= 1 {
            let slot = Expr::Const(low as i64);
            return vec![
                Command::Assign(target.clone(), slot.clone()),
                self.set(allocated, &[slot], None, Expr::TRUE),
            ];
        }
        let middle = low + (high - low) / 2;
        let in_first = self.some_free(allocated, low, middle);
        let first = self.first_free(allocated, target, low, middle);
        let second = self.first_free(allocated, target, middle, high);
        vec![Command::If(in_first, first, second)]
    }
}
