//! Claims that blocks may be treated as atomic: what stands in the way of those that no theorem shows, what is not
//! observed, and on demand what all are made of.

use super::steps::at;
use crate::base::results::{BlockedThread, Claim, Interruption, Report, Status, Step};
use crate::report::layout::{place, wrapped};
use std::fmt;

/// Displays the claims as a section of a report.
pub(super) struct Shown<'a> {
    /// Whose claims.
    pub report: &'a Report,
    /// Whether to show those that hold, and all actions.
    pub verbose: bool,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown =
            |c: &&Claim| self.verbose || c.verdict != Status::Holds || c.can_block.is_some();
        let (told, others): (Vec<&Claim>, Vec<&Claim>) = self.report.claims.iter().partition(shown);
        let unseen = others.iter().filter(|c| !c.unseen.is_empty());
        let unseen = unseen.map(|c| format!("{} ({})", c.unseen.join(", "), c.name));
        let unseen: Vec<String> = unseen.collect();
        if !unseen.is_empty() {
            let line = format!("  not observed: {}", unseen.join("; "));
            writeln!(f, "{}", wrapped(&line, 4))?;
        }
        if told.is_empty() {
            return Ok(());
        }
        writeln!(f, "\ntransactions:")?;
        for claim in told {
            let model = &self.report.model;
            let named = place(model, claim.line, claim.column);
            writeln!(f, "  {}, {named}", claim.name)?;
            if let Some(BlockedThread { thread, at }) = &claim.can_block {
                writeln!(f, "      can block: {thread} at {at}, for ever")?;
            }
            if !claim.unseen.is_empty() {
                let unseen = claim.unseen.join(", ");
                writeln!(f, "      not observed: {unseen}")?;
            }
            if let Some(i) = &claim.interruption {
                interruption(f, model, i)?;
            }
            let conflict = claim.conflict.as_ref();
            let open = claim.verdict != Status::Holds && claim.interruption.is_none();
            if let Some(c) = conflict.filter(|_| self.verbose || open) {
                writeln!(f, "      {} fails: {}", c.law.formula(), c.law)?;
                writeln!(f, "        a: {}", at(model, &c.action))?;
                writeln!(f, "        b: {}", at(model, &c.other))?;
                writeln!(f, "      behind the commit at {}", at(model, &c.committed))?;
            }
            if !self.verbose {
                continue;
            }
            for moving in claim.blocks.iter().flat_map(|b| &b.actions) {
                writeln!(
                    f,
                    "      {:5}  {}",
                    moving.class.id(),
                    at(model, &moving.step)
                )?;
            }
        }
        Ok(())
    }
}

/// What came between, and what would keep it from that.
fn interruption(f: &mut fmt::Formatter<'_>, model: &str, i: &Interruption) -> fmt::Result {
    let (variable, does) = (&i.variable, if i.writes { "writes" } else { "reads" });
    let named = |step: &Step, at: String| match step.line {
        0 => step.location.clone(),
        _ => at,
    };
    let before = named(&i.before, i.before.at().to_string());
    let where_ = match i.before.at() == i.behind.at() {
        true => format!("steps of {}, {before}", i.before.thread),
        false => {
            let behind = named(&i.behind, i.behind.at().again());
            format!("{before} and {behind} of {}", i.before.thread)
        }
    };
    writeln!(f, "      came between {where_}: {}", at(model, &i.between))?;
    let mend = "(a mutex that all of them take), or do it in one step (`atomic`, `cas`)";
    let line =
        format!("      it {does} {variable}; to mend it, keep others from {variable} there {mend}");
    writeln!(f, "{}", wrapped(&line, 8))
}
