//! What is said of a failed inclusion: what is wrong, what excludes it, how to mend it.

use crate::base::results::{
    Binding, Common, Exclusion, Lock, LockFact, Mend, NoTrace, Part, Shape, Start, Step, Witness,
};
use std::fmt;

impl Witness {
    /// `i = worker(0), j = worker(1)`
    pub(crate) fn instance_words(&self) -> String {
        listed(&self.instance, ", ")
    }

    /// What is wrong.
    pub(crate) fn words(&self) -> String {
        let steps: Vec<String> = self.steps.iter().map(short).collect();
        match (self.shape, steps.as_slice()) {
            (Shape::Endless, _) => "these steps can be repeated for ever".into(),
            (Shape::Swap, [first, second]) => format!(
                "{first}, then {second} lead from s1 to s3; the other way round they do not, and the discipline is \
                 not violated either"
            ),
            (Shape::Swap, _) => {
                "the step leads from s1 to s2, and the test holds on one side of it only".into()
            }
            (Shape::Other, []) => "s1 is on the left, but not on the right".into(),
            (Shape::Other, [one]) => {
                format!("{one} leads from s1 to s2; the right side has no such pair")
            }
            (Shape::Other, many) => format!(
                "{} lead from s1 to s{}; the right side has no such pair",
                many.join(", then "),
                many.len() + 1
            ),
        }
    }

    /// How to mend it; empty if that is not known.
    pub(crate) fn mend_words(&self) -> String {
        match (&self.mend, self.steps.as_slice()) {
            (
                Some(Mend::Guard {
                    common,
                    cell,
                    variable,
                }),
                [first, second],
            ) => format!(
                "{} changes {}, on which {}'s exclusive access to {cell} rests: let it do so only when no other \
                 thread has that access, or declare {variable} `unprotected`",
                short(first),
                shared(common),
                second.thread
            ),
            (Some(Mend::Separate(common)), _) => format!(
                "the two meet in {}: declare it `unprotected`, or let one predicate exclude both",
                shared(common)
            ),
            (Some(Mend::Show), [.., last]) => format!(
                "make {} visible: without --strict this is done by itself",
                short(last)
            ),
            _ => String::new(),
        }
    }
}

/// An action in a few words, or a factor as it stands.
fn short(step: &Step) -> String {
    match step.thread.as_str() {
        "" => step.text.clone(),
        thread => format!("{thread} at {}", step.location),
    }
}

fn shared(common: &[Common]) -> String {
    match common {
        [] => "what both use".to_string(),
        some => listed(some, ", "),
    }
}

/// What excludes s1, or why it is not known whether it is reachable, or why there is no trace; else nothing.
impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(Some(why)) => write!(f, "the reachable states are not known: {why}"),
            Self::Unreachable(exclusion) => exclusion.fmt(f),
            Self::Reachable(Err(NoTrace::NotRepeated)) => f.write_str(
                "no trace: its execution could not be repeated, which is a bug in coarsen",
            ),
            Self::Reachable(Err(NoTrace::Budget(nodes))) => write!(
                f,
                "no trace: the search for one used up its budget of {nodes} nodes"
            ),
            Self::Reachable(Err(NoTrace::NotFound)) => {
                f.write_str("no trace: none was found, which is a bug in coarsen")
            }
            Self::Unknown(None) | Self::Reachable(Ok(_)) => Ok(()),
        }
    }
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Types => f.write_str("no type-correct state is like that"),
            Self::LockOwnership(facts) => {
                write!(f, "lock ownership: {}", listed(facts, ", and "))
            }
            Self::ThreadModular(parts) => write!(f, "thread-modular: {}", never(parts)),
            Self::Lemmas(names) => match names.as_slice() {
                [one] => write!(f, "lemma {one} excludes it"),
                some => write!(f, "lemmas {} together exclude it", some.join(" and ")),
            },
            Self::Reachable(parts) => write!(f, "reachable states: {}", never(parts)),
        }
    }
}

impl fmt::Display for LockFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverAt(thread, location) => write!(f, "{thread} never comes to {location}"),
            Self::NotEverywhere(thread) => {
                write!(f, "{thread} does not come to all its locations")
            }
            Self::NeverOwns(thread, lock) => write!(f, "{thread} never owns {lock}"),
            Self::Owns {
                thread,
                location,
                lock,
                owns,
            } => {
                let owns = if *owns { "owns" } else { "does not own" };
                write!(f, "{thread} at {location} {owns} {lock}")
            }
            Self::OwnsOnly(thread, lock, locations) => {
                write!(f, "{thread} owns {lock} at {} only", locations.join(", "))
            }
        }
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writing = if self.writing { " for writing" } else { "" };
        write!(f, "{}{writing}", self.name)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Violated(true) => f.write_str("a violation"),
            Self::Violated(false) => f.write_str("no violation"),
            Self::Location(at) => write!(f, "{} at {}", at.name, at.value),
            Self::Value(of) => of.fmt(f),
        }
    }
}

impl fmt::Display for Common {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cell(name) => f.write_str(name),
            Self::Location(thread) => write!(f, "the location of {thread}"),
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.value)
    }
}

/// Parts of a state that never come together.
fn never(parts: &[Part]) -> String {
    match parts {
        [] => "there is no such state".into(),
        some => format!("there is never {}", listed(some, " with ")),
    }
}

/// All of them, with something between.
pub(super) fn listed(all: &[impl fmt::Display], between: &str) -> String {
    let words: Vec<String> = all.iter().map(ToString::to_string).collect();
    words.join(between)
}
