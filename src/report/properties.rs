//! Why a property has its answer, in words.

use super::layout::{counted_text, display_id, places, stretches};
use super::trace::DEADLOCK;
use super::witness::listed;
use crate::base::control::Hit;
use crate::base::results::{
    ClaimReason, Conclusion, Distinction, Doubt, Gap, NoTheorem, Outcome, PropertyKind,
    PropertyReason, SeenAs, Status, Unmet,
};
use std::fmt;

impl fmt::Display for PropertyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecided => f.write_str("not decided"),
            Self::Found(outcome) => outcome.fmt(f),
            Self::FoundReduced(None) => {
                f.write_str("found in the reduced system, but not yet traced and re-executed")
            }
            Self::FoundReduced(Some(stop)) => write!(
                f,
                "found in the reduced system, but {stop} was hit in the search for an execution"
            ),
            Self::FoundState(stop) => Hit::Search(*stop).fmt(f),
            // Nothing is explored then.
            Self::Unsettled(Doubt::Gap(gap @ Gap::Unproved(_)))
            | Self::NotFound(Doubt::Gap(gap @ Gap::Unproved(_))) => gap.fmt(f),
            Self::Unsettled(Doubt::Gap(gap)) | Self::NotFound(Doubt::Gap(gap)) => {
                write!(
                    f,
                    "nothing found in the reduced system, but that says nothing: {gap}"
                )
            }
            Self::Unsettled(Doubt::Technique(why)) | Self::NotFound(Doubt::Technique(why)) => {
                write!(f, "not found, but {why}")
            }
            Self::Unsettled(doubt) => write!(f, "undecided: {}", doubt.of_check()),
            Self::NotFound(doubt) => f.write_str(doubt.of_reach()),
            Self::NeverReached => f.write_str(
                "no reachable state satisfies it: the reduced system was explored completely",
            ),
            Self::Theorem(conclusion) => conclusion.fmt(f),
            Self::Explored(kind) => f.write_str(match kind {
                PropertyKind::Deadlock => "no reachable state is a deadlock",
                PropertyKind::Find => "no reachable state satisfies it",
                PropertyKind::Discipline => "no step violates it",
                PropertyKind::Assertions => "no assertion fails, and no value leaves its range",
                _ => "every reachable state satisfies it",
            }),
            Self::Claim(why) => why.fmt(f),
            Self::Contradicted(why) => why.fmt(f),
        }
    }
}

impl PropertyReason {
    /// Without the list of those who wait in a deadlock.
    pub(super) fn brief(&self) -> String {
        match self {
            Self::Found(Outcome::Deadlock(_)) => DEADLOCK.to_string(),
            other => other.to_string(),
        }
    }
}

impl Doubt {
    fn of_check(&self) -> &'static str {
        match self {
            Self::Violated => {
                "the discipline is violated, and the theorem then says nothing about the rest"
            }
            Self::Hidden => "nothing found, but an invisible step could hide it",
            _ => "the exploration was cut short before it was met",
        }
    }

    fn of_reach(&self) -> &'static str {
        match self {
            Self::Violated => {
                "not found, but the discipline is violated, and states behind a violation are not explored"
            }
            Self::Hidden => "not found, but an invisible step could hide it",
            _ => "not met before the exploration was cut short",
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, id, status) = match self {
            Self::NotEvaluated => return f.write_str("the hypotheses were not evaluated"),
            Self::Unproved(file) => return write!(f, "the conclusion of {file} is not proved"),
            Self::Silent(theorem) => {
                return write!(
                    f,
                    "the conclusion of {theorem} does not speak of it, and its hypotheses do not imply those of a \
                     theorem that does"
                );
            }
            Self::Reached(theorem) => {
                return write!(
                    f,
                    "the reduced system of {theorem}, evaluated on relations, does not exclude it"
                );
            }
            Self::Condition(id, status) => ("condition", id, status),
            Self::Hypothesis(id, status) => ("hypothesis", id, status),
        };
        let says = match status {
            Status::Refuted => "fails",
            _ => "is not established",
        };
        write!(f, "{what} {} {says}", display_id(id))
    }
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AllVisible => "every step is visible, so the reduced system is the original one",
            Self::Discipline => "no violation in the reduced system, so by (19) none in the original",
            Self::Deadlocks => {
                "the reduced system has exactly the original's deadlocks (corollary (b)), and has none"
            }
            Self::States => "the reduced system would show it (corollary (a)), and does not",
            Self::AllOutside => {
                "no step is inside a transaction, so the reduced system is the original one"
            }
            Self::Threads => {
                "no thread goes wrong in the reduced system, so by (A) none does in the original"
            }
            Self::Observer => {
                "an observer would go wrong in the reduced system by (A), and does not"
            }
        })
    }
}

impl fmt::Display for ClaimReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverEntered => f.write_str("vacuous: no thread ever takes a step of the block"),
            Self::NeverFinished => f.write_str("vacuous: no thread ever leaves the block"),
            Self::Atomic { theorem, commits } => match commits.as_slice() {
                [] => write!(f, "by {theorem}; nothing in it commits"),
                some => write!(f, "by {theorem}; it commits at {}", places(some)),
            },
            Self::Weakened { theorem, steps } => {
                let (step, them) = match steps.as_slice() {
                    [] => return write!(f, "by {theorem}, each way through the block by itself"),
                    [_] => ("a weaker step", "it"),
                    _ => ("weaker steps", "them"),
                };
                let at = stretches(steps);
                write!(
                    f,
                    "by {theorem}, with {step} at {at}: run alone, the block does the same with {them}"
                )
            }
            Self::Compared { states, why } => {
                let states = states.as_ref().map(|n| counted_text(n, "state"));
                let states = states.unwrap_or_else(|| "states".into());
                write!(
                    f,
                    "compared all {states} of this instance; no theorem shows it: {why}"
                )
            }
            Self::Different { by, why } => write!(f, "{by}; {why}"),
            Self::Blocks => f.write_str(
                "a thread gets stuck inside, which no thread does if the block is atomic; deadlock_free is asked for",
            ),
            Self::Stopped { stop, states, open } => {
                write!(f, "{stop} was hit after {}", counted_text(states, "state"))?;
                match open {
                    Unmet::Compared(why) => write!(f, "; no theorem shows it: {why}"),
                    Unmet::Left => f.write_str("; no execution through the block was met"),
                    Unmet::Stuck => {
                        f.write_str("; a deadlock inside of the block may be among the others")
                    }
                }
            }
        }
    }
}

/// `x = 1`, `w(0) is at m.cor:3:5`
fn seen(name: &str, what: &SeenAs) -> String {
    match what {
        SeenAs::Value(value) => format!("{name} = {value}"),
        at => format!("{name} is {at}"),
    }
}

impl fmt::Display for SeenAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => f.write_str(value),
            Self::At(place) => write!(f, "at {}", place.spot(&place.at.to_string())),
            Self::Rests(location) => write!(f, "at {location}"),
        }
    }
}

impl fmt::Display for Distinction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value {
                name,
                value,
                others,
            } => write!(
                f,
                "{}, but {} whenever the block is atomic",
                seen(name, value),
                listed(others, " or ")
            ),
            Self::Together(all) => {
                let all: Vec<String> = all.iter().map(|(n, v)| seen(n, v)).collect();
                let together = all.join(" and ");
                write!(f, "{together}, never together if the block is atomic")
            }
            Self::Wrong { thread, at } => write!(
                f,
                "{thread} goes wrong at {at}, and does not if the block is atomic"
            ),
            Self::Violation {
                thread,
                at,
                variable,
            } => write!(
                f,
                "{thread} violates the protection of {variable} at {at}, and does not if the block is atomic"
            ),
            Self::Invariant(name) => write!(
                f,
                "invariant {name} is violated, and is not if the block is atomic"
            ),
        }
    }
}

impl fmt::Display for NoTheorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("it takes more work to find out what moves past what"),
            Self::Undisciplined(theorem) => {
                write!(f, "{theorem} would if the discipline were known to hold")
            }
            Self::GoesWrong(theorem) => {
                write!(
                    f,
                    "{theorem} would if it were known that no thread goes wrong"
                )
            }
            Self::Broken { at, committed } => write!(
                f,
                "{at} is no left mover, and {} may have committed before",
                committed.again()
            ),
            Self::Inapplicable(theorem) => write!(f, "{theorem} does not apply"),
            Self::NotShown { theorem, scheduled } => match scheduled {
                Some(at) => write!(
                    f,
                    "{theorem} does not, as other threads are scheduled before {at}; another may do (leave out \
                     --theorem)"
                ),
                None => write!(f, "{theorem} does not"),
            },
        }
    }
}
