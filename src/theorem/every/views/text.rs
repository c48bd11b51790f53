//! Whether threads are told apart by nothing but what they own, as their text with the constant left open shows.

use super::super::Oracle;
use super::super::access::{each_write, number};
use super::super::kinds::Kind;
use super::super::linear::Linear;
use super::super::run::{Machine, Said, Unsaid, Values};
use crate::base::results::Obstacle;
use crate::model::program::{
    ArrayId, CellId, Class, Command, Expr, Location, NO_OWNER, SELF, Target, ThreadId,
};
use crate::model::text::ast::BinaryOp;

/// By kind, where a thread may write something shared.
pub(super) fn writes(oracle: &Oracle, machine: &Machine) -> Vec<Vec<bool>> {
    let program = oracle.program;
    let is_shared = |target: &Target| {
        let array = match target {
            Target::Cell(c) => program.cells[*c].array,
            Target::Element(array, _) => *array,
        };
        let array = oracle.open_array(array);
        array.is_none_or(|array| machine.owners[array].is_none())
    };
    let at = |location: &Location| {
        let mut found = false;
        for edge in &location.edges {
            each_write(&edge.body, &mut |target, _| found |= is_shared(target));
        }
        found
    };
    let of = |kind: &Kind| {
        program.threads[kind.like()]
            .locations
            .iter()
            .map(at)
            .collect()
    };
    oracle.kinds.iter().map(of).collect()
}

/// Looks whether threads are told apart by nothing but what they own, and nothing depends on how many there are.
///
/// # Errors
/// If that is not so.
pub(super) fn told_apart_by_owners(oracle: &Oracle) -> Said<()> {
    let (program, open) = (&oracle.parametric.program, &oracle.parametric.open);
    let mut ranges = open.ranges.keys();
    let mut all = open.sizes.is_empty()
        && open.slots.is_empty()
        && open.initial.is_empty()
        && ranges.all(|a| program.arrays[*a].class == Class::Owner);
    let machine = Machine::new(oracle.parametric, oracle.control);
    for kind in oracle.kinds {
        let thread = kind.generic(&machine, 0);
        let mut text = Text {
            machine: &machine,
            thread: Some(thread.like),
            number: Some(number(&machine, &thread)?),
            values: Values::default(),
        };
        if let Some(cell) = open.members[thread.like].1 {
            text.values.insert(cell, thread.index.clone());
        }
        let locations = program.threads[thread.like].locations.iter();
        for edge in locations.flat_map(|l| &l.edges) {
            all &= edge.guard.iter().all(|e| text.is_plain(e, &[])) && text.are_plain(&edge.body);
        }
        for d in &oracle.disciplines {
            let (exclusive, reading) = &d.predicates[thread.like];
            all &= [exclusive, reading]
                .iter()
                .all(|e| text.is_plain(e, &d.binders));
        }
    }
    let initial = Text {
        machine: &machine,
        thread: None,
        number: None,
        values: Values::default(),
    };
    all &= program.init.iter().all(|e| initial.is_plain(e, &[]));
    match all {
        true => Ok(()),
        false => Err(Unsaid::Because(Obstacle::Form)),
    }
}

/// The text of a generic thread, or of none.
struct Text<'t, 'p> {
    machine: &'t Machine<'p>,
    thread: Option<ThreadId>,
    /// The thread's number, as owners are told.
    number: Option<Linear>,
    values: Values,
}

impl Text<'_, '_> {
    fn are_plain(&self, all: &[Command]) -> bool {
        let program = &self.machine.parametric.program;
        all.iter().all(|command| match command {
            Command::Assign(target, value) => {
                let (array, index) = match target {
                    Target::Cell(c) => (program.cells[*c].array, &[][..]),
                    Target::Element(array, index) => (*array, index.as_slice()),
                };
                let is_fine = match program.arrays[array].class {
                    Class::Owner => self.is_nobody_or_itself(value),
                    _ => self.is_plain(value, &[]),
                };
                is_fine && self.is_its(array) && index.iter().all(|e| self.is_plain(e, &[]))
            }
            Command::Havoc(Target::Cell(c)) => self.is_plain(&Expr::Cell(*c), &[]),
            Command::Havoc(Target::Element(array, index)) => {
                self.is_plain(&Expr::Element(*array, index.clone()), &[])
            }
            Command::Check(e, _) => self.is_plain(e, &[]),
            Command::If(c, yes, no) => {
                self.is_plain(c, &[]) && self.are_plain(yes) && self.are_plain(no)
            }
            Command::Choose(branches) => branches.iter().all(|b| self.are_plain(b)),
            Command::Goto(_) => true,
        })
    }

    /// Whether an array is shared, or the thread's own.
    fn is_its(&self, array: ArrayId) -> bool {
        let owner = self.machine.owners[array].as_ref();
        owner.is_none_or(|(thread, _)| Some(*thread) == self.thread)
    }

    fn is_nobody_or_itself(&self, e: &Expr) -> bool {
        let number = || self.machine.open_term(e, &self.values).ok();
        *e == Expr::Const(NO_OWNER) || self.number.is_some() && number() == self.number
    }

    /// Whether an expression has one value for all threads that see the same: it speaks of owners only to ask whether
    /// they are nobody or the thread itself, of no other thread, and of nothing that is open.
    fn is_plain(&self, e: &Expr, binders: &[CellId]) -> bool {
        let (program, open) = (
            &self.machine.parametric.program,
            &self.machine.parametric.open,
        );
        let again = |e: &Expr| self.is_plain(e, binders);
        let is_owner = |array: ArrayId| program.arrays[array].class == Class::Owner;
        match e {
            Expr::Const(_) => true,
            Expr::Cell(c) if binders.contains(c) => true,
            Expr::Cell(c) => {
                let array = program.cells[*c].array;
                !open.is_open(*c) && !is_owner(array) && self.is_its(array)
            }
            Expr::Element(array, index) => {
                !is_owner(*array) && self.is_its(*array) && index.iter().all(again)
            }
            Expr::Via(reference, allocated) => {
                again(reference) && allocated.is_none_or(|array| self.is_its(array))
            }
            Expr::At(thread, _) => *thread == SELF && self.thread.is_some(),
            Expr::Slot(x, _) | Expr::Not(x) | Expr::Neg(x) => again(x),
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, x, y) => {
                let asked = |owner: &Expr, of: &Expr| {
                    let index = match owner {
                        Expr::Cell(c)
                            if program.cells.get(*c).is_some_and(|c| is_owner(c.array)) =>
                        {
                            &[][..]
                        }
                        Expr::Element(array, index) if is_owner(*array) => index.as_slice(),
                        _ => return false,
                    };
                    self.thread.is_some() && index.iter().all(again) && self.is_nobody_or_itself(of)
                };
                asked(x, y) || asked(y, x) || again(x) && again(y)
            }
            Expr::Binary(_, x, y) => again(x) && again(y),
            Expr::Cond(c, x, y) => [c, x, y].into_iter().all(|e| again(e)),
        }
    }
}
