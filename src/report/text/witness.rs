//! A witness against an inclusion: the states and steps of its left side, and what is wrong with them.

use super::steps::at;
use crate::base::results::{Binding, Start, Witness};
use crate::report::layout::counted;
use std::fmt;

/// Displays a witness, indented under its hypothesis.
pub(super) struct Shown<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The witness.
    pub witness: &'a Witness,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let witness = self.witness;
        write!(f, "      fails: {}", witness.inequality)?;
        if witness.instance.is_empty() {
            writeln!(f)?;
        } else {
            writeln!(f, "   with {}", witness.instance_words())?;
        }
        writeln!(f, "      {}", witness.words())?;
        let rows = witness.states.len().max(witness.steps.len());
        for i in 0..rows {
            if let Some(state) = witness.states.get(i) {
                let before = i.checked_sub(1).and_then(|b| witness.states.get(b));
                writeln!(f, "        s{}: {}", i + 1, described(state, before))?;
            }
            if let Some(step) = witness.steps.get(i) {
                writeln!(f, "          {}", at(self.model, step))?;
                for reason in &step.reasons {
                    writeln!(f, "            ({reason})")?;
                }
            }
        }
        write!(f, "      ")?;
        match &witness.start {
            Start::Reachable(Ok(trace)) => {
                let length = counted(trace.steps.len(), "action");
                write!(f, "s1 is reachable in the original program, in {length}")?;
            }
            Start::Reachable(Err(_)) => write!(f, "s1 is reachable in the original program")?,
            Start::Unreachable(_) => write!(f, "s1 is unreachable")?,
            Start::Unknown(_) => write!(f, "whether s1 is reachable is not known")?,
        }
        match witness.start.to_string().as_str() {
            "" => writeln!(f)?,
            why => writeln!(f, ": {why}")?,
        }
        match witness.mend_words().as_str() {
            "" => Ok(()),
            mend => writeln!(f, "      mend: {mend}"),
        }
    }
}

/// All of a first state; of a later one what differs from the state before.
fn described(state: &[Binding], before: Option<&Vec<Binding>>) -> String {
    let Some(before) = before else {
        let all: Vec<String> = state.iter().map(Binding::to_string).collect();
        return or_else(all, "any state");
    };
    let changes: Vec<String> = state
        .iter()
        .filter_map(|b| match before.iter().find(|old| old.name == b.name) {
            Some(old) if old.value == b.value => None,
            Some(old) => Some(format!("{}: {} -> {}", b.name, old.value, b.value)),
            None => Some(b.to_string()),
        })
        .collect();
    or_else(changes, "nothing changes")
}

fn or_else(parts: Vec<String>, if_none: &str) -> String {
    if parts.is_empty() {
        if_none.to_string()
    } else {
        parts.join(", ")
    }
}
