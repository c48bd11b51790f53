//! What is said of movers, and of what is in their way.

use super::layout::{counted, enumerated};
use crate::base::diagnostic::Position;
use crate::base::results::{
    Binding, Clash, Condition, Impossible, Law, Missed, MoversReason, Sharing, Spot, Use, Way,
};
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
                    counted(all, "statement"),
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

/// In a few words why an action is no better a mover: with what it does not commute, over what, and where that is seen.
impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (this, other) = (&self.thread, &self.other.thread);
        write!(f, "{other} at {} ", self.other.at())?;
        match self.clashes.first() {
            Some(first) => {
                let alike = |c: &&Clash| (c.this, c.other) == (first.this, first.other);
                let names = self.clashes.iter().filter(alike);
                let names: Vec<&str> = names.map(|c| c.variable.as_str()).collect();
                let names = enumerated(&names);
                match (first.other, first.this) {
                    (Use::Reads, _) => write!(f, "reads {names}, which this writes")?,
                    (Use::Needs, _) => write!(f, "has its rights by {names}, which this writes")?,
                    (_, Use::Reads) => write!(f, "writes {names}, which this reads")?,
                    (_, Use::Writes | Use::Goes) => write!(f, "writes {names}, as this does")?,
                    (_, Use::Needs) => write!(f, "writes {names}, by which this has its rights")?,
                    (Use::Looks, _) => write!(f, "depends on where {names} is")?,
                    (_, Use::Looks) => write!(f, "goes on, and this depends on where {names} is")?,
                }
            }
            None => f.write_str("does not commute with this")?,
        }
        let Some(exchange) = &self.exchange else {
            return Ok(());
        };
        let reachable = match exchange.reachable {
            true => "the reachable state",
            false => "the state",
        };
        match exchange.state.as_slice() {
            [] => write!(f, "; in {reachable} where both are at these steps: ")?,
            state => write!(f, "; in {reachable} {}: ", bound(state))?,
        }
        let taken = bound(&exchange.taken);
        let (first, second) = match self.law {
            Law::Left => (other, this),
            _ => (this, other),
        };
        match (self.law, &exchange.swapped, exchange.impossible) {
            (Law::Outcome, Some(swapped), _) => write!(
                f,
                "{this} alone may give {taken}; behind {other} it gives {}",
                bound(swapped)
            )?,
            (_, Some(swapped), _) => write!(
                f,
                "{first} first gives {taken}; {second} first gives {}",
                bound(swapped)
            )?,
            (_, _, Some(Impossible::First)) => {
                write!(f, "{second} has no step before {first}'s")?;
            }
            (_, _, Some(Impossible::Second)) => {
                write!(f, "{first} has no step behind {second}'s")?;
            }
            (_, _, Some(Impossible::FirstViolates)) => {
                write!(
                    f,
                    "{second}'s step violates the discipline before {first}'s"
                )?;
            }
            (_, _, Some(Impossible::SecondViolates)) => {
                write!(
                    f,
                    "{first}'s step violates the discipline behind {second}'s"
                )?;
            }
            (Law::RightViolation, ..) => write!(
                f,
                "{other} violates the discipline only because {this} came first"
            )?,
            (Law::RightHidden, ..) => {
                write!(f, "{other} keeps {this} from violating the discipline")?;
            }
            (Law::LeftViolation, ..) => write!(
                f,
                "{this} violates the discipline only because {other} came first"
            )?,
            (Law::LeftHidden, ..) => {
                write!(f, "{this} keeps {other} from violating the discipline")?;
            }
            (Law::Outcome, ..) => write!(f, "{other} takes away an outcome")?,
            _ => f.write_str("the orders do not give the same")?,
        }
        match exchange.reachable {
            true => Ok(()),
            false => f.write_str(
                " (it was not settled within the budget whether the state is reachable)",
            ),
        }
    }
}

/// Variables of a state that a line shows.
const SHOWN: usize = 8;

fn bound(all: &[Binding]) -> String {
    let shown = all.iter().take(SHOWN).map(Binding::to_string);
    let mut words: Vec<String> = shown.collect();
    if all.len() > SHOWN {
        words.push("..".to_string());
    }
    words.join(", ")
}

/// `left where it goes on to line 12: x = 1;`
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(taken) = &self.taken {
            parts.push(format!("takes {taken}"));
        }
        if let Some(then) = &self.then {
            parts.push(format!("goes on to {then}"));
        }
        if let Some(writes) = &self.writes {
            let names: Vec<&str> = writes.iter().map(String::as_str).collect();
            parts.push(match names.as_slice() {
                [] => "writes nothing that others see".to_string(),
                names => format!("writes {}", enumerated(names)),
            });
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        write!(f, "{} where it {}", self.class.id(), enumerated(&parts))
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.text),
            (line, column) => write!(f, "{}: {}", Position { line, column }, self.text),
        }
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
        let keep = |n: usize| match n {
            1 => "1 action keeps it".to_string(),
            n => format!("{} keep it", actions(n)),
        };
        let left = actions(self.left);
        match (self.right, self.left) {
            (0, 0) => f.write_str("; it commutes with all of them"),
            (0, n) => write!(f, "; {} from moving left", keep(n)),
            (n, 0) => write!(f, "; {} from moving right", keep(n)),
            (n, _) => write!(
                f,
                "; {} from moving right, {left} from moving left",
                keep(n)
            ),
        }
    }
}
