//! What is said of movers, and of what is in their way.

use super::layout::counted;
use crate::base::results::{Condition, Law, MoversReason, Sharing};
use std::fmt;

impl fmt::Display for MoversReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecided => f.write_str("nothing has been established yet"),
            Self::Stopped(stop, phase) => write!(f, "stopped by {stop}, in phase `{phase}`"),
            Self::Open(gap) => gap.fmt(f),
            Self::Found { classes, long } => {
                let all = classes.iter().map(|(_, n)| n).sum();
                let each = classes.map(|(class, n)| format!("{n} {}", class.id()));
                let long = counted(*long, "transaction");
                write!(
                    f,
                    "{}: {}-movers; {long} of more than one action",
                    counted(all, "action"),
                    each.join(", ")
                )
            }
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "a cannot be delayed until after b",
            Self::RightViolation => "b violates the discipline only because a came first",
            Self::RightHidden => "b keeps a from violating the discipline",
            Self::Enters => "a leads into the set of states asked for",
            Self::Left => "a cannot be taken before b instead of after it",
            Self::Outcome => "b disables a, or takes away one of its outcomes",
            Self::LeftViolation => "a violates the discipline only because b came first",
            Self::LeftHidden => "a keeps b from violating the discipline",
            Self::Leaves => "a leads out of the set of states asked for",
        })
    }
}

/// `it` is the action's thread.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds(lock) => write!(f, "it holds {lock}"),
            Self::Free(lock) => write!(f, "{lock} is free"),
            Self::Access(cell) => write!(f, "it has exclusive access to {cell}"),
            Self::Expression(text) => f.write_str(text),
        }
    }
}

/// Why an action is what it is.
impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.actions == 0 {
            return f.write_str("it shares nothing with other threads");
        }
        let actions = |n: usize| counted(n, "action");
        let all = actions(self.actions);
        write!(f, "it shares something with {all} of other threads")?;
        match self.excluded {
            0 => {}
            n if n == self.actions => f.write_str(", none of which can come next to it")?,
            n => write!(f, ", {n} of which can't come next to it")?,
        }
        let (right, left) = (actions(self.right), actions(self.left));
        match (self.right, self.left) {
            (0, 0) => f.write_str("; it commutes with all of them"),
            (0, _) => write!(f, "; {left} keep it from moving left"),
            (_, 0) => write!(f, "; {right} keep it from moving right"),
            _ => write!(
                f,
                "; {right} keep it from moving right, {left} from moving left"
            ),
        }
    }
}
