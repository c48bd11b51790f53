//! Why a command gives its verdict, in words.

use super::layout::{display_id, enumerated};
use super::text::verdict_words;
use crate::base::results::{CheckReason, CompareReason, Gap, ReachReason, RowReason, RowVerdict};
use std::fmt;

impl fmt::Display for CheckReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecided => f.write_str("nothing has been established yet"),
            Self::Interrupted => f.write_str("not checked, because of an interrupt"),
            Self::Occupied => {
                f.write_str("not checked, because work on an earlier model did not stop when asked")
            }
            Self::NoTheorem(name) => write!(f, "there is no theorem `{name}`"),
            Self::Unproved(file) => Gap::Unproved(file.clone()).fmt(f),
            Self::Abandoned(hit) => write!(f, "stopped by {hit}"),
            Self::Rejected(of, why) => write!(f, "evidence rejected: {}: {why}", display_id(of)),
            Self::Property {
                name,
                reason,
                others,
            } => {
                write!(f, "{name}: {}", reason.brief())?;
                match others {
                    0 => Ok(()),
                    n => write!(f, " (and {n} more refuted)"),
                }
            }
            Self::Fails(id) => {
                let id = display_id(id);
                write!(
                    f,
                    "the theorem does not apply: {id} fails in a reachable state"
                )
            }
            Self::Hit(hit) => hit.fmt(f),
            Self::Open(id, evidence) => {
                write!(f, "{} is not established: {evidence}", display_id(id))
            }
            Self::Nothing => f.write_str("nothing has been established"),
            Self::Holds {
                only,
                vacuous,
                in_full,
            } => {
                match only.as_slice() {
                    [] => f.write_str("the discipline and every property hold")?,
                    [one] if one == "discipline" => f.write_str("the discipline holds")?,
                    names => {
                        let names = names.iter().map(String::as_str);
                        let names = names.filter(|n| *n != "discipline");
                        let all: Vec<&str> = ["the discipline"].into_iter().chain(names).collect();
                        write!(f, "{} hold", enumerated(&all))?;
                    }
                }
                f.write_str(match vacuous {
                    true => " vacuously",
                    false => " in the original program",
                })?;
                match in_full {
                    Some(states) => write!(f, ", explored in full: {states} states"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl fmt::Display for ReachReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecided => f.write_str("nothing was explored yet"),
            Self::Abandoned(hit) => write!(f, "stopped by {hit}"),
            Self::Unproved(file) => Gap::Unproved(file.clone()).fmt(f),
            Self::NotReduced(hit) => write!(f, "the reduced system was not found: {hit}"),
            Self::Rejected(None, why) => write!(f, "evidence rejected: {why}"),
            Self::Rejected(Some(name), why) => write!(f, "evidence rejected: {name}: {why}"),
            Self::Question(name, reason) => write!(f, "{name}: {reason}"),
            Self::Stopped(stop) => write!(f, "stopped by {stop}"),
            Self::Refused(why) => f.write_str(why),
            Self::Explored {
                states,
                executions,
                reduced,
                por,
                reductions,
                representatives,
                answers,
            } => {
                counted(f, states.as_deref(), executions.as_deref())?;
                f.write_str(match reduced {
                    true => " in the reduced system",
                    false => " reachable",
                })?;
                if let Some(por) = por {
                    write!(f, " by {por}")?;
                }
                if !reductions.is_empty() {
                    write!(f, " up to {}", reductions.join(","))?;
                }
                if let Some(some) = representatives {
                    write!(f, ", {some} up to symmetry")?;
                }
                let mut answers = answers.iter();
                answers.try_for_each(|(name, reason)| write!(f, "; {name}: {reason}"))
            }
        }
    }
}

/// How many executions, or else states; very many roughly.
fn counted(
    f: &mut fmt::Formatter<'_>,
    states: Option<&str>,
    executions: Option<&str>,
) -> fmt::Result {
    match (executions, states.unwrap_or("?")) {
        (Some("1"), _) => f.write_str("1 execution"),
        (Some(executions), _) => write!(f, "{executions} executions"),
        (None, states) => match states.len() {
            0..=30 => write!(f, "{states} states"),
            digits => write!(
                f,
                "{}.{}e{} states",
                &states[..1],
                &states[1..4],
                digits - 1
            ),
        },
    }
}

impl fmt::Display for CompareReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecided => f.write_str("nothing was explored yet"),
            Self::Abandoned(hit) => write!(f, "stopped by {hit}"),
            Self::Open => f.write_str("no sound technique has decided it"),
            Self::Disagree([one, other]) => write!(f, "{one}, {other}; this is a bug in coarsen"),
            Self::Agree(reason, rows) => write!(f, "{reason}, as {rows} sound rows agree"),
        }
    }
}

impl fmt::Display for RowVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = verdict_words(self.verdict);
        write!(f, "{} on {} says {verdict}", self.technique, self.engine)
    }
}

impl fmt::Display for RowReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(reason) => reason.fmt(f),
            Self::Reach(reason) => reason.fmt(f),
            Self::Gap(gap) => gap.fmt(f),
            Self::Discipline => f.write_str("the discipline is violated"),
            Self::Wrong => f.write_str("a thread goes wrong"),
            Self::NotReached(name) => write!(f, "{name} is not reached"),
            Self::Violates(name) => write!(f, "{name} is violated"),
            Self::Fine => f.write_str("nothing goes wrong"),
            Self::Stopped(stop) => stop.fmt(f),
            Self::NotBegun(stop) => write!(f, "stopped by {stop}"),
        }
    }
}
