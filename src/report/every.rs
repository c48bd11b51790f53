//! Sentences about every value of a constant.

use crate::base::results::{BlockObstacle, Counted, Obstacle, OverThreads, Unordered};
use std::fmt;

/// `worker at A, B + y <= N`
impl fmt::Display for OverThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.threads.iter().map(|t| (&t.factor, t.to_string()));
        let variables = self.variables.iter().map(|(n, name)| (n, name.clone()));
        for (n, (factor, what)) in threads.chain(variables).enumerate() {
            let (sign, size) = match factor.strip_prefix('-') {
                Some(size) => ("-", size),
                None => ("+", factor.as_str()),
            };
            match (n, sign) {
                (0, "+") => {}
                (0, _) => f.write_str(sign)?,
                _ => write!(f, " {sign} ")?,
            }
            match size {
                "1" => f.write_str(&what)?,
                _ => write!(f, "{size} * {what}")?,
            }
        }
        write!(f, " <= {}", self.most)
    }
}

/// `[worker at A, B]`: how many there are.
impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some = if self.some { ", by what it holds" } else { "" };
        write!(f, "[{} at {}{some}]", self.thread, self.at)
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { at, text } => write!(f, "{at} needs the value of {text}"),
            Self::NoInstance => f.write_str("the model has errors for all small values"),
            Self::Open { at, message } => {
                write!(f, "{at}, with the constant left open: {message}")
            }
            Self::FewThreads(n) => write!(
                f,
                "up to {n} there are too few threads of some kind to look at two of them"
            ),
            Self::NoConstant(name) => write!(f, "the model has no integer constant `{name}`"),
            Self::Visibility(step) => {
                write!(
                    f,
                    "whether the step of {step} is visible depends on the thread"
                )
            }
            Self::FirstStep(step) => {
                write!(
                    f,
                    "the step of {step} is invisible, and can be a first step"
                )
            }
            Self::Discipline(name) => write!(
                f,
                "the discipline of `{name}` has no form that is the same for all its cells and threads"
            ),
            Self::Named(family) => {
                write!(f, "threads of `{family}` name each other by their numbers")
            }
            Self::OtherSteps(_) => {
                f.write_str("with the constant left open the text has other steps")
            }
            Self::Underived(why) => why.fmt(f),
            Self::Fact(fact, why) => write!(f, "`{fact}`: {why}"),
            Self::Fails => f.write_str("it does not hold for every value, as far as is seen"),
            Self::NotLinear => f.write_str("a term in it is not linear"),
            Self::GoesWrong => f.write_str("a step in it can go wrong for other values only"),
            Self::Form => f.write_str("it has a form that is not for generic threads"),
            Self::Loops => f.write_str("control may go through invisible steps twice"),
            Self::Paths => f.write_str("it takes too many cases"),
            Self::NoAccess { variable, step } => write!(
                f,
                "nothing shows for every value that the step of {step} has access to `{variable}`"
            ),
            Self::Overlap(variable) => write!(
                f,
                "nothing shows for every value that two threads never have access to `{variable}`"
            ),
            Self::Unasked => f.write_str("it takes more work than is done unasked (`-v` asks)"),
            Self::Unproved => f.write_str("the theorem's conclusion is not proved"),
            Self::Hypotheses => f.write_str("not all hypotheses are shown for every value"),
            Self::Limit(hit) => hit.fmt(f),
        }
    }
}

impl fmt::Display for BlockObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMover {
                step,
                beside,
                behind,
            } => write!(
                f,
                "{step} comes behind {behind}, which commits, and is no left mover beside {beside}"
            ),
            Self::BeginsWithLoop => f.write_str("the block begins with a loop"),
            Self::NeverFinished => f.write_str("no thread is seen to leave the block"),
            Self::Looked(property) => {
                write!(
                    f,
                    "`{property}` looks at what the block writes, or at where threads are"
                )
            }
            Self::Stuck { step, why } => {
                write!(
                    f,
                    "deadlocks are asked for, and a thread may get stuck inside, at {step}, as far as is seen: "
                )?;
                match why {
                    Unordered::NotAbove(other) if other == step => f.write_str(
                        "it may wait for something else than a lock above all that the thread owns",
                    ),
                    Unordered::NotAbove(other) => write!(
                        f,
                        "{other} may wait for something else than a lock above all that its thread owns"
                    ),
                    Unordered::BothOrders => f.write_str("locks are taken in more than one order"),
                    Unordered::Ends(family) => write!(f, "{family} may end with a lock"),
                    Unordered::GoesWrong(other) => {
                        write!(f, "{other} may go wrong while its thread owns a lock")
                    }
                }
            }
            Self::Waits(step) => write!(
                f,
                "something may go wrong while a thread waits inside, at {step}"
            ),
            Self::GoesWrong { step, by } => write!(
                f,
                "{step} may go wrong in more than one way, and {by} may decide in which"
            ),
            Self::Loops(step) => write!(
                f,
                "something may go wrong, and behind {step} the block need not come to an end"
            ),
            Self::Unsaid(why) => why.fmt(f),
        }
    }
}
