//! Programs with phases, for theorems about transactions (Flanagan & Qadeer 2003, section 4).
//!
//! A bundle names movers and cuts; the program with phases is made from these, and then held against the program:
//! without phases each location has exactly the steps of the one that it is a copy of. So the code that makes it need
//! not be trusted. The choice of movers need not be trusted either: the theorem's hypotheses check it.

use super::space::Marked;
use crate::base::evidence::Transactions;
use crate::engine::compiled::{Mover, Movers};
use crate::engine::{State, each_successor, violates};
use crate::model::program::{Command, Edge, Expr, LocId, Program, Target, Thread, ThreadId};
use crate::theorem::{Cuts, Phase, Phased, Uses};
use std::ops::ControlFlow;

/// Gives a program the phases that a bundle says.
///
/// # Errors
/// What is wrong with them.
pub fn phased(program: &Program, all: &Transactions, uses: Uses) -> Result<Phased, &'static str> {
    let find = |(thread, location): &(String, String)| {
        let t = program.threads.iter().position(|t| t.name == *thread);
        let at = |t: ThreadId| {
            let mut locations = program.threads[t].locations.iter();
            Some((t, locations.position(|l| l.name == *location)?))
        };
        t.and_then(at)
            .ok_or("a mover, or a cut, at a location that there is not")
    };
    let threads = program.threads.iter();
    let mut movers: Movers = threads
        .map(|t| vec![Mover::default(); t.locations.len()])
        .collect();
    for name in &all.right {
        let (t, l) = find(name)?;
        movers[t][l].right = true;
    }
    for name in &all.left {
        let (t, l) = find(name)?;
        movers[t][l].left = true;
    }
    let mut cuts: Cuts = vec![Default::default(); program.threads.len()];
    for name in &all.cuts {
        let (t, l) = find(name)?;
        cuts[t].insert(l);
    }
    let phased = Phased::new(program, &movers, uses, &cuts);
    let unused = |p: &Phase| !uses.lefts && *p == Phase::Behind;
    if !is_copy(program, &phased) || phased.phases.iter().flatten().any(unused) {
        return Err("the program with phases is not the program with its locations copied");
    }
    Ok(phased)
}

/// Whether a state expression is another, for all copies of the locations that it asks for.
pub fn asks_for_copies(program: &Program, phased: &Phased, (of, with): (&Expr, &Expr)) -> bool {
    Copies { program, phased }.expr(of, with)
}

/// Whether a program is another with its locations copied.
fn is_copy(program: &Program, phased: &Phased) -> bool {
    let copies = Copies { program, phased };
    let with = &phased.program;
    let exprs = |a: &[Expr], b: &[Expr]| same(a, b, |a, b| copies.expr(a, b));
    let cells = same(&program.cells, &with.cells, |a, b| {
        (&a.name, a.ty, a.initial) == (&b.name, b.ty, b.initial)
    });
    let protections = same(&program.protections, &with.protections, |a, b| {
        let readers = match (&a.readers, &b.readers) {
            (Some(a), Some(b)) => exprs(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        a.cell == b.cell && exprs(&a.predicates, &b.predicates) && readers
    });
    let properties = same(&program.properties, &with.properties, |a, b| {
        a.name == b.name && a.kind == b.kind && copies.expr(&a.expr, &b.expr)
    });
    let threads = program.threads.len() == with.threads.len()
        && phased.origin.len() == with.threads.len()
        && phased.phases.len() == with.threads.len()
        && (0..with.threads.len()).all(|t| copies.thread(t));
    threads
        && cells
        && protections
        && properties
        && exprs(&program.init, &with.init)
        && program.deadlock_free.is_some() == with.deadlock_free.is_some()
}

fn same<A, B>(a: &[A], b: &[B], like: impl Fn(&A, &B) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| like(a, b))
}

struct Copies<'a> {
    program: &'a Program,
    phased: &'a Phased,
}

impl Copies<'_> {
    fn thread(&self, t: ThreadId) -> bool {
        let (a, b) = (&self.program.threads[t], &self.phased.program.threads[t]);
        let origin = &self.phased.origin[t];
        // A location for threads that violate the discipline is added where there is none.
        let added = a.wrong.is_none().then_some(a.locations.len());
        let is = |copy: Option<LocId>, of: Option<LocId>| match (copy, of) {
            (Some(copy), Some(of)) => {
                origin.get(copy) == Some(&of) && origin.iter().filter(|o| **o == of).count() == 1
            }
            (None, None) => true,
            _ => false,
        };
        let begins = origin.get(b.initial) == Some(&a.initial);
        let wrong = match b.wrong {
            None => a.wrong.is_none() && !origin.contains(&a.locations.len()),
            wrong => is(wrong, a.wrong.or(added)),
        };
        let steps = b.locations.iter().zip(origin).all(|(copy, &of)| {
            let edges: &[Edge] = a.locations.get(of).map_or(&[], |l| &l.edges);
            same(edges, &copy.edges, |a, b| {
                let guards = match (&a.guard, &b.guard) {
                    (Some(a), Some(b)) => self.expr(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                };
                guards && self.commands(t, &a.body, &b.body)
            })
        });
        let named = |t: &Thread| (t.name.clone(), t.family.clone(), t.index);
        named(a) == named(b)
            && b.locations.len() == origin.len()
            && b.locations.len() == self.phased.phases[t].len()
            && begins
            && wrong
            && is(b.end, a.end)
            && is(b.unstarted, a.unstarted)
            && steps
    }

    fn commands(&self, t: ThreadId, a: &[Command], b: &[Command]) -> bool {
        same(a, b, |a, b| match (a, b) {
            (Command::Assign(x, e), Command::Assign(y, f)) => self.target(x, y) && self.expr(e, f),
            (Command::Havoc(x), Command::Havoc(y)) => self.target(x, y),
            (Command::Check(e, x), Command::Check(f, y)) => self.expr(e, f) && x == y,
            (Command::If(e, a, c), Command::If(f, b, d)) => {
                self.expr(e, f) && self.commands(t, a, b) && self.commands(t, c, d)
            }
            (Command::Choose(a), Command::Choose(b)) => same(a, b, |a, b| self.commands(t, a, b)),
            (Command::Goto(l), Command::Goto(copy)) => self.phased.origin[t].get(*copy) == Some(l),
            _ => false,
        })
    }

    fn target(&self, a: &Target, b: &Target) -> bool {
        match (a, b) {
            (Target::Cell(a), Target::Cell(b)) => a == b,
            (Target::Element(a, i), Target::Element(b, j)) => {
                a == b && same(i, j, |a, b| self.expr(a, b))
            }
            _ => false,
        }
    }

    fn expr(&self, a: &Expr, b: &Expr) -> bool {
        match (a, b) {
            (Expr::Const(a), Expr::Const(b)) => a == b,
            (Expr::Cell(a), Expr::Cell(b)) => a == b,
            (Expr::Element(a, i), Expr::Element(b, j)) => {
                a == b && same(i, j, |a, b| self.expr(a, b))
            }
            (Expr::Via(e, a), Expr::Via(f, b)) => a == b && self.expr(e, f),
            (Expr::Slot(e, a), Expr::Slot(f, b)) => a == b && self.expr(e, f),
            // All copies of these locations, and no others.
            (Expr::At(t, all), Expr::At(u, copies)) => {
                let origin = &self.phased.origin[*t];
                let at = |l: &LocId| all.contains(l);
                t == u && (0..origin.len()).all(|c| at(&origin[c]) == copies.contains(&c))
            }
            (Expr::Not(e), Expr::Not(f)) | (Expr::Neg(e), Expr::Neg(f)) => self.expr(e, f),
            (Expr::Binary(o, a, b), Expr::Binary(p, c, d)) => {
                o == p && self.expr(a, c) && self.expr(b, d)
            }
            (Expr::Cond(a, b, c), Expr::Cond(d, e, f)) => {
                self.expr(a, d) && self.expr(b, e) && self.expr(c, f)
            }
            _ => false,
        }
    }
}

/// Calls `visit` with the states that the steps of a thread lead to. q is set as (26) says; with access checks, a step
/// that would set it makes its thread go wrong instead, and does nothing else.
pub fn each_step(
    program: &Program,
    checks: bool,
    thread: ThreadId,
    from: &Marked,
    visit: &mut dyn FnMut(Marked),
) {
    let _: ControlFlow<()> = each_successor(program, &from.state, thread, None, &mut |step| {
        let violation = violates(program, thread, &from.state, &step);
        visit(match (checks && violation, program.threads[thread].wrong) {
            (true, Some(wrong)) => Marked {
                state: moved(program, &from.state, thread, wrong),
                violated: from.violated,
            },
            _ => Marked {
                state: step.state,
                violated: from.violated || violation,
            },
        });
        ControlFlow::Continue(())
    });
}

/// A state with a thread somewhere else.
fn moved(program: &Program, state: &State, thread: ThreadId, to: LocId) -> State {
    let cells: Vec<i64> = (0..program.cells.len()).map(|c| state.cell(c)).collect();
    let at = |t: ThreadId| if t == thread { to } else { state.location(t) };
    let locations: Vec<LocId> = (0..program.threads.len()).map(at).collect();
    State::new(&cells, &locations)
}
