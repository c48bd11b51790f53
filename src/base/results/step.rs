//! Steps, and why they are visible or not.

use super::{MoverClass, Place};
use crate::base::diagnostic::Position;
use serde::Serialize;

/// A step (action) of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// `worker(0)`; empty if it is no single action.
    pub thread: String,
    /// The location it leaves: a label or `line 12`.
    pub location: String,
    /// Line in the source, from 1; 0 if it has none.
    pub line: usize,
    /// Column there, in characters from 1; 0 if it has none.
    pub column: usize,
    /// The source text of the statement's first line; the factor of the term if it is no single action.
    pub text: String,
    /// Why it is visible or not, if that is asked for.
    pub reasons: Vec<Remark>,
}

impl Step {
    /// Where it stands.
    pub fn at(&self) -> Position {
        let (line, column) = (self.line, self.column);
        Position { line, column }
    }

    /// Why a repair made it visible, if one did.
    pub fn repair(&self) -> Option<&VisibilityReason> {
        self.reasons.iter().find_map(|remark| match remark {
            Remark::Visible(why) if why.is_repair() => Some(why),
            _ => None,
        })
    }
}

/// What is to be said of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A reason to be visible; there may be several.
    Visible(VisibilityReason),
    /// It is invisible: these variables are all that it mentions.
    Invisible {
        /// Those of its own thread.
        own: Vec<String>,
        /// Protected ones.
        protected: Vec<String>,
    },
    /// What it is as a mover.
    Mover(MoverClass),
    /// What keeps it from being more: a step with which it does not commute.
    InTheWay(Place),
}

/// Why an action is visible.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VisibilityReason {
    /// This mutex may occur in it.
    UsesMutex(String),
    /// This object that threads synchronise by may.
    UsesSync(String),
    /// This unprotected shared variable may.
    UsesUnprotected(String),
    /// It waits for another thread's end.
    Waits,
    /// Its blocking guard mentions this protected variable.
    BlockingGuard(String),
    /// It might change an exclusive access predicate of this cell.
    ChangesPredicate(String),
    /// It is enabled in an initial state.
    FirstStep,
    /// It could hide this property.
    Hides(String),
    /// It breaks a cycle of invisible steps.
    Cycle,
    /// This hypothesis is not established while it is invisible, and that rests on a guess.
    Guessed(String),
    /// It would have to be compared with other threads' steps, and BDDs would be too large.
    Uncompared(Shared),
    /// It is at this value of a constant, and so for all.
    AsWith(String),
    /// Whoever explores wants it so.
    Wanted,
}

impl VisibilityReason {
    /// Whether it comes from a repair, not from the definition of visibility.
    pub fn is_repair(&self) -> bool {
        use VisibilityReason::{Cycle, FirstStep, Guessed, Hides, Uncompared};
        matches!(
            self,
            FirstStep | Hides(_) | Cycle | Guessed(_) | Uncompared(_)
        )
    }
}

/// What a step shares with other threads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shared {
    /// It depends on where this thread is.
    LooksAt(String),
    /// It uses this variable.
    Uses(String),
    /// This thread depends on where it is.
    SeenBy(String),
}
