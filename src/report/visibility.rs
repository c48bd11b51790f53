//! Why steps are visible or not, in words.

use crate::base::results::{MoverClass, Remark, Shared, VisibilityReason};
use std::fmt;

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Visible(why) if why.is_repair() => write!(f, "repair: {why}"),
            Self::Visible(why) => why.fmt(f),
            Self::Invisible { own, protected } => {
                let kinds = [("thread-local", own), ("protected", protected)];
                let named = kinds.iter().filter(|(_, names)| !names.is_empty());
                let named: Vec<String> = named
                    .map(|(kind, names)| format!("{kind} {}", names.join(", ")))
                    .collect();
                let mentioned = match named.as_slice() {
                    [] => "no variable".to_string(),
                    some => format!("only {}", some.join(" and ")),
                };
                write!(
                    f,
                    "it mentions {mentioned}, and changes no exclusive access predicate"
                )
            }
            Self::Mover(MoverClass::Local) => f.write_str("shares nothing with other threads"),
            Self::Mover(MoverClass::Both) => f.write_str("moves in both directions"),
            Self::Mover(MoverClass::Non) => f.write_str("is no mover"),
            Self::Mover(class) => write!(f, "is a {} mover", class.id()),
            Self::InTheWay(place) => write!(f, "{place} is in its way"),
        }
    }
}

impl fmt::Display for VisibilityReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UsesMutex(name) => write!(f, "uses mutex {name}"),
            Self::UsesSync(name) => write!(f, "uses {name}"),
            Self::UsesUnprotected(name) => write!(f, "uses unprotected {name}"),
            Self::Waits => f.write_str("waits for another thread"),
            Self::BlockingGuard(name) => write!(f, "its guard blocks on protected {name}"),
            Self::ChangesPredicate(cell) => {
                write!(f, "may change an exclusive access predicate of {cell}")
            }
            Self::FirstStep => f.write_str("it can be a thread's first step (WFinitVis)"),
            Self::Hides(property) => write!(f, "it could hide {property} (I u <= u I fails)"),
            Self::Cycle => f.write_str("it lies on a cycle of invisible steps (11)"),
            Self::Guessed(id) => write!(
                f,
                "({id}) is not established otherwise, and the discipline is inferred"
            ),
            Self::Uncompared(shared) => write!(
                f,
                "{shared}, and BDDs to compare it with other threads' steps would be too large"
            ),
            Self::AsWith(value) => write!(f, "it is visible with {value}"),
            Self::Wanted => f.write_str("it is asked for"),
        }
    }
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LooksAt(thread) => write!(f, "it looks at where {thread} is"),
            Self::Uses(variable) => write!(f, "it uses {variable}"),
            Self::SeenBy(thread) => write!(f, "{thread} looks at where its thread is"),
        }
    }
}
