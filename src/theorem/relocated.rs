//! A program whose locations have copies: what its text says of a location is said of all of them.

use crate::model::program::{
    Command, Expr, LocId, Program, Property, Protection, Target, Thread, ThreadId,
};
use std::collections::BTreeMap;

/// Where the copies of each location are.
pub(super) struct Relocated {
    /// By thread and location, in order.
    pub copies: Vec<BTreeMap<LocId, Vec<LocId>>>,
}

impl Relocated {
    /// A program with these threads instead of its own, and no claims.
    pub fn program(&self, base: &Program, threads: Vec<Thread>) -> Program {
        let each = |all: &[Expr]| all.iter().map(|e| self.expr(e)).collect();
        let properties = |all: &[Property]| {
            let all = all.iter();
            all.map(|p| Property {
                expr: self.expr(&p.expr),
                ..p.clone()
            })
            .collect()
        };
        let protections = base.protections.iter();
        let protections = protections.map(|x| Protection {
            predicates: each(&x.predicates),
            readers: x.readers.as_deref().map(each),
            ..x.clone()
        });
        Program {
            threads,
            protections: protections.collect(),
            init: each(&base.init),
            properties: properties(&base.properties),
            lemmas: properties(&base.lemmas),
            claims: Vec::new(),
            ..base.clone()
        }
    }

    /// The copies of these locations.
    pub fn all(&self, thread: ThreadId, locations: &[LocId]) -> Vec<LocId> {
        let of = |l: &LocId| self.copies[thread].get(l).into_iter().flatten().copied();
        let mut all: Vec<LocId> = locations.iter().flat_map(of).collect();
        all.sort_unstable();
        all
    }

    /// An expression that asks for all copies of the locations that it asks for.
    pub fn expr(&self, e: &Expr) -> Expr {
        let boxed = |e: &Expr| Box::new(self.expr(e));
        match e {
            Expr::Const(_) | Expr::Cell(_) => e.clone(),
            Expr::At(t, locations) => Expr::At(*t, self.all(*t, locations)),
            Expr::Element(array, index) => {
                Expr::Element(*array, index.iter().map(|e| self.expr(e)).collect())
            }
            Expr::Via(e, allocated) => Expr::Via(boxed(e), *allocated),
            Expr::Slot(e, pool) => Expr::Slot(boxed(e), *pool),
            Expr::Not(e) => Expr::Not(boxed(e)),
            Expr::Neg(e) => Expr::Neg(boxed(e)),
            Expr::Binary(op, a, b) => Expr::Binary(*op, boxed(a), boxed(b)),
            Expr::Cond(c, a, b) => Expr::Cond(boxed(c), boxed(a), boxed(b)),
        }
    }

    fn target(&self, target: &Target) -> Target {
        match target {
            Target::Cell(c) => Target::Cell(*c),
            Target::Element(array, index) => {
                Target::Element(*array, index.iter().map(|e| self.expr(e)).collect())
            }
        }
    }

    /// Commands that go where they are told.
    pub fn commands(&self, all: &[Command], goto: &impl Fn(LocId) -> Command) -> Vec<Command> {
        all.iter()
            .map(|command| match command {
                Command::Assign(target, e) => Command::Assign(self.target(target), self.expr(e)),
                Command::Havoc(target) => Command::Havoc(self.target(target)),
                Command::Check(e, failure) => Command::Check(self.expr(e), *failure),
                Command::If(e, a, b) => {
                    Command::If(self.expr(e), self.commands(a, goto), self.commands(b, goto))
                }
                Command::Choose(branches) => {
                    Command::Choose(branches.iter().map(|b| self.commands(b, goto)).collect())
                }
                Command::Goto(l) => goto(*l),
            })
            .collect()
    }
}
