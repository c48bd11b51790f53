//! A system in DVE with names resolved: numbers instead of names, constants instead of `const`.

use crate::base::diagnostic::Span;
use crate::model::dve::text::{Binary, Type, Unary};

/// Index into [`System::vars`].
pub(super) type VarId = usize;
/// Index into [`System::channels`].
pub(super) type ChannelId = usize;
/// Index into [`System::processes`].
pub(super) type ProcessId = usize;
/// Index into [`Process::states`].
pub(super) type StateId = usize;

#[derive(Debug, Default)]
pub(super) struct System {
    pub vars: Vec<Var>,
    pub channels: Vec<Channel>,
    pub processes: Vec<Process>,
}

/// A variable, or a constant array; constants of one value are folded.
#[derive(Debug)]
pub(super) struct Var {
    pub name: String,
    pub span: Span,
    /// The process it belongs to, if it is no global one.
    pub owner: Option<ProcessId>,
    pub ty: Type,
    pub size: Option<usize>,
    /// As many as it has elements.
    pub init: Vec<i64>,
}

#[derive(Debug)]
pub(super) struct Channel {
    pub name: String,
    pub span: Span,
    /// The types of what it carries; untyped channels carry what is sent.
    pub types: Option<Vec<Type>>,
    /// 0 for a rendezvous.
    pub size: usize,
    /// How many values an item has.
    pub width: usize,
}

#[derive(Debug)]
pub(super) struct Process {
    pub name: String,
    pub span: Span,
    pub states: Vec<State>,
    pub initial: StateId,
    pub asserts: Vec<(StateId, Expr)>,
    pub transitions: Vec<Transition>,
}

#[derive(Debug)]
pub(super) struct State {
    pub name: String,
    pub span: Span,
    pub committed: bool,
}

#[derive(Debug)]
pub(super) struct Transition {
    pub from: StateId,
    pub to: StateId,
    /// All of these hold.
    pub guards: Vec<Expr>,
    pub sync: Option<Sync>,
    pub effects: Vec<(Place, Expr)>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum Sync {
    Send(ChannelId, Vec<Expr>),
    Receive(ChannelId, Vec<Place>),
}

#[derive(Clone, Debug)]
pub(super) struct Place {
    pub var: VarId,
    pub index: Option<Box<Expr>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub kind: Kind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Number(i64),
    Place(Place),
    At(ProcessId, StateId),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// Calls `f` on this expression and all in it.
    pub fn walk(&self, f: &mut impl FnMut(&Expr)) {
        f(self);
        match &self.kind {
            Kind::Number(_) | Kind::At(..) => {}
            Kind::Place(place) => {
                if let Some(index) = &place.index {
                    index.walk(f);
                }
            }
            Kind::Unary(_, e) => e.walk(f),
            Kind::Binary(_, a, b) => {
                a.walk(f);
                b.walk(f);
            }
        }
    }
}

impl Transition {
    /// Calls `f` on all its expressions and all in them; places assigned to count as expressions.
    pub fn walk(&self, f: &mut impl FnMut(&Expr)) {
        let place = |p: &Place, f: &mut dyn FnMut(&Expr)| {
            let kind = Kind::Place(p.clone());
            Expr { kind, span: p.span }.walk(&mut |e| f(e));
        };
        self.guards.iter().for_each(|e| e.walk(f));
        match &self.sync {
            Some(Sync::Send(_, values)) => values.iter().for_each(|e| e.walk(f)),
            Some(Sync::Receive(_, places)) => places.iter().for_each(|p| place(p, f)),
            None => {}
        }
        for (target, value) in &self.effects {
            place(target, f);
            value.walk(f);
        }
    }
}

impl System {
    /// The rendezvous that a transition takes part in as the receiver, if it does.
    pub fn receives(&self, t: &Transition) -> Option<ChannelId> {
        match t.sync {
            Some(Sync::Receive(c, _)) if self.channels[c].size == 0 => Some(c),
            _ => None,
        }
    }

    /// The same, as the sender.
    pub fn sends(&self, t: &Transition) -> Option<ChannelId> {
        match t.sync {
            Some(Sync::Send(c, _)) if self.channels[c].size == 0 => Some(c),
            _ => None,
        }
    }
}
