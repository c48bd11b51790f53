//! Texts to be compared: steps and conditions as trees, in which the order of operands does not count where it makes
//! no difference, and threads that are meant are told from numbers.

use super::images::Exchange;
use crate::model::program::{
    ArrayId, CellId, Command, Edge, Expr, Kind, LocId, Program, Target, ThreadId, is_total,
};
use crate::model::text::ast::BinaryOp;

/// What a text mentions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Leaf {
    /// A cell.
    Cell(CellId),
    /// A whole array, since the index is not known.
    Array(ArrayId),
    /// A thread that is compared with, or becomes, the owner of something; none if negative.
    Thread(i64),
    /// Where a thread is.
    At(ThreadId, Vec<LocId>),
    /// Any other value, or a location.
    Number(i64),
}

/// A text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    Leaf(Leaf),
    /// What is done with the parts, whether their order makes no difference, and the parts.
    Node(String, bool, Vec<Form>),
}

/// Where operands may change places.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// In conditions, since only their value counts.
    Conditions,
    /// In steps, where it also counts which protected cells are looked at.
    Steps,
}

struct Reader<'a> {
    program: &'a Program,
    order: Order,
}

fn node(what: impl Into<String>, parts: Vec<Form>) -> Form {
    Form::Node(what.into(), false, parts)
}

impl Form {
    /// The steps from one location; none if they do something with a thread's number but to compare it.
    pub fn of_edges(program: &Program, edges: &[Edge]) -> Option<Form> {
        let order = Order::Steps;
        let reader = Reader { program, order };
        let of = |edge: &Edge| {
            let guard = match &edge.guard {
                Some(guard) => vec![reader.expr(guard)?],
                None => Vec::new(),
            };
            Some(node(
                "edge",
                vec![node("guard", guard), reader.all(&edge.body)?],
            ))
        };
        let all: Option<Vec<Form>> = edges.iter().map(of).collect();
        Some(node("edges", all?))
    }

    /// A condition; none as above.
    pub fn of_condition(program: &Program, e: &Expr) -> Option<Form> {
        let order = Order::Conditions;
        Reader { program, order }.expr(e)
    }

    /// The same text about other things, free operands sorted.
    pub fn renamed(&self, to: &dyn Fn(&Leaf) -> Leaf) -> Form {
        match self {
            Form::Leaf(leaf) => Form::Leaf(to(leaf)),
            Form::Node(what, free, parts) => {
                let mut parts: Vec<Form> = parts.iter().map(|p| p.renamed(to)).collect();
                if *free {
                    parts.sort();
                }
                Form::Node(what.clone(), *free, parts)
            }
        }
    }

    pub fn each_leaf(&self, visit: &mut dyn FnMut(&Leaf)) {
        match self {
            Form::Leaf(leaf) => visit(leaf),
            Form::Node(_, _, parts) => parts.iter().for_each(|p| p.each_leaf(visit)),
        }
    }

    /// Whether two texts differ in cells and threads only; `known` judges each pair of cells.
    pub fn pair(&self, other: &Form, known: &mut dyn FnMut(CellId, CellId) -> bool) -> bool {
        match (self, other) {
            (Form::Leaf(Leaf::Cell(c)), Form::Leaf(Leaf::Cell(d))) => known(*c, *d),
            (Form::Leaf(Leaf::Thread(_)), Form::Leaf(Leaf::Thread(_))) => true,
            (Form::Leaf(Leaf::At(_, a)), Form::Leaf(Leaf::At(_, b))) => a == b,
            (Form::Leaf(a), Form::Leaf(b)) => a == b,
            (Form::Node(a, _, these), Form::Node(b, _, those)) => {
                let mut both = these.iter().zip(those);
                a == b && these.len() == those.len() && both.all(|(x, y)| x.pair(y, known))
            }
            _ => false,
        }
    }
}

/// Whether nothing in a condition can fail, so that its parts may be evaluated in any order.
pub(super) fn is_plain(program: &Program, e: &Expr) -> bool {
    let order = Order::Conditions;
    Reader { program, order }.is_plain(e)
}

/// A condition with two threads exchanged, of which there is a form.
pub(super) fn exchanged(program: &Program, e: &Expr, exchange: &Exchange) -> Expr {
    let order = Order::Conditions;
    Reader { program, order }.exchanged(e, exchange, false)
}

impl Reader<'_> {
    /// The same, where `owner` says that a thread is meant.
    fn exchanged(&self, e: &Expr, by: &Exchange, owner: bool) -> Expr {
        let part = |e: &Expr| Box::new(self.exchanged(e, by, false));
        let thread = |e: &Expr| Box::new(self.exchanged(e, by, true));
        let all = |index: &[Expr]| index.iter().map(|e| *part(e)).collect();
        match e {
            Expr::Const(k) if owner => Expr::Const(by.owner(*k)),
            Expr::Const(_) => e.clone(),
            Expr::Cell(c) => Expr::Cell(by.cell(*c)),
            Expr::Element(array, index) => Expr::Element(*array, all(index)),
            Expr::Via(reference, allocated) => Expr::Via(part(reference), *allocated),
            Expr::Slot(number, pool) => Expr::Slot(part(number), *pool),
            Expr::At(t, places) => Expr::At(by.thread(*t), places.clone()),
            Expr::Not(e) => Expr::Not(part(e)),
            Expr::Neg(e) => Expr::Neg(part(e)),
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b)
                if self.is_owner(a) || self.is_owner(b) =>
            {
                Expr::Binary(*op, thread(a), thread(b))
            }
            Expr::Binary(op, a, b) => Expr::Binary(*op, part(a), part(b)),
            Expr::Cond(c, a, b) if owner => Expr::Cond(part(c), thread(a), thread(b)),
            Expr::Cond(c, a, b) => Expr::Cond(part(c), part(a), part(b)),
        }
    }

    fn is_owner(&self, e: &Expr) -> bool {
        let cell = match e {
            Expr::Cell(c) => *c,
            Expr::Element(array, _) => self.program.arrays[*array].first,
            _ => return false,
        };
        self.program.cells[cell].ty.kind == Kind::Owner
    }

    /// Whether the order of two operands makes no difference: neither evaluation fails, nor is it an access that
    /// somebody looks at.
    fn is_plain(&self, e: &Expr) -> bool {
        let mut plain = true;
        e.walk(&mut |e| match e {
            Expr::Element(..) | Expr::Via(..) | Expr::Slot(..) => plain = false,
            Expr::Binary(op, _, right) => plain &= is_total(*op, right),
            Expr::Cell(c) if self.order == Order::Steps => {
                plain &= self.program.protection_of(*c).is_none();
            }
            _ => {}
        });
        plain
    }

    fn place(&self, array: ArrayId, index: &[Expr]) -> Option<Form> {
        let index: Option<Vec<Form>> = index.iter().map(|e| self.expr(e)).collect();
        let array = Form::Leaf(Leaf::Array(array));
        Some(node("element", [vec![array], index?].concat()))
    }

    /// A thread, or none.
    fn owner(&self, e: &Expr) -> Option<Form> {
        match e {
            Expr::Const(k) => Some(Form::Leaf(Leaf::Thread(*k))),
            Expr::Cell(c) if self.is_owner(e) => Some(Form::Leaf(Leaf::Cell(*c))),
            Expr::Element(array, index) if self.is_owner(e) => self.place(*array, index),
            Expr::Cond(c, a, b) => {
                let parts = vec![self.expr(c)?, self.owner(a)?, self.owner(b)?];
                Some(node("cond", parts))
            }
            _ => None,
        }
    }

    fn expr(&self, e: &Expr) -> Option<Form> {
        if self.is_owner(e) {
            return None;
        }
        Some(match e {
            Expr::Const(k) => Form::Leaf(Leaf::Number(*k)),
            Expr::Cell(c) => Form::Leaf(Leaf::Cell(*c)),
            Expr::Element(array, index) => self.place(*array, index)?,
            Expr::Via(reference, allocated) => {
                let array = allocated.iter().map(|a| Form::Leaf(Leaf::Array(*a)));
                node(
                    "via",
                    [self.expr(reference)?].into_iter().chain(array).collect(),
                )
            }
            Expr::Slot(number, pool) => node(format!("slot {pool}"), vec![self.expr(number)?]),
            Expr::At(t, places) => Form::Leaf(Leaf::At(*t, places.clone())),
            Expr::Not(e) => node("not", vec![self.expr(e)?]),
            Expr::Neg(e) => node("neg", vec![self.expr(e)?]),
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b)
                if self.is_owner(a) || self.is_owner(b) =>
            {
                let what = match e {
                    Expr::Binary(BinaryOp::Eq, ..) => "owns",
                    _ => "owns not",
                };
                node(what, vec![self.owner(a)?, self.owner(b)?])
            }
            Expr::Binary(op, a, b) => {
                let free = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Add);
                let what = format!("{op:?}");
                if !free || !self.is_plain(e) {
                    return Some(node(what, vec![self.expr(a)?, self.expr(b)?]));
                }
                let mut parts = Vec::new();
                for part in [self.expr(a)?, self.expr(b)?] {
                    match part {
                        Form::Node(same, true, more) if same == what => parts.extend(more),
                        other => parts.push(other),
                    }
                }
                Form::Node(what, true, parts)
            }
            Expr::Cond(c, a, b) => node("cond", vec![self.expr(c)?, self.expr(a)?, self.expr(b)?]),
        })
    }

    /// What is written, and whether that is an owner.
    fn target(&self, target: &Target) -> Option<(Form, bool)> {
        match target {
            Target::Cell(c) => {
                let owner = self.is_owner(&Expr::Cell(*c));
                Some((Form::Leaf(Leaf::Cell(*c)), owner))
            }
            Target::Element(array, index) => {
                let owner = self.is_owner(&Expr::Element(*array, Vec::new()));
                Some((self.place(*array, index)?, owner))
            }
        }
    }

    fn all(&self, commands: &[Command]) -> Option<Form> {
        let all: Option<Vec<Form>> = commands.iter().map(|c| self.command(c)).collect();
        Some(node("all", all?))
    }

    fn command(&self, command: &Command) -> Option<Form> {
        Some(match command {
            Command::Assign(target, value) => {
                let (target, owner) = self.target(target)?;
                let value = match owner {
                    true => self.owner(value)?,
                    false => self.expr(value)?,
                };
                node("assign", vec![target, value])
            }
            Command::Havoc(target) => node("havoc", vec![self.target(target)?.0]),
            Command::Check(e, failure) => node(format!("{failure:?}"), vec![self.expr(e)?]),
            Command::If(c, yes, no) => {
                node("if", vec![self.expr(c)?, self.all(yes)?, self.all(no)?])
            }
            Command::Choose(branches) => {
                let all: Option<Vec<Form>> = branches.iter().map(|b| self.all(b)).collect();
                Form::Node("choose".into(), true, all?)
            }
            Command::Goto(l) => node("goto", vec![Form::Leaf(Leaf::Number(*l as i64))]),
        })
    }
}
