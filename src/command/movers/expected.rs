//! What a model expects of movers: what it says of blocks, and its `expect` lines on how many statements are of each
//! class, and how many transactions of more than one action there are.

use crate::base::results::{Expectation, Found, MoversReason, MoversReport, Status};
use crate::model::program::Program;

/// The word for transactions of more than one action.
const TRANSACTIONS: &str = "transactions";

/// What became of it. Transactions are counted by all theorems, so if one is asked for that line is not established.
pub(super) fn expectations(
    report: &MoversReport,
    program: &Program,
    by_one: bool,
) -> Vec<Expectation> {
    if !program.overridden.is_empty() {
        return Vec::new();
    }
    let lines = program.expects.iter().filter_map(|(kind, text)| {
        let (what, wanted) = kind.counted_by_movers()?;
        let found = counted(report, what).filter(|_| !by_one || what != TRANSACTIONS);
        Some(Expectation {
            text: text.clone(),
            met: found.as_ref().map(|n| n == wanted),
            found: found.map_or(Found::Nothing, Found::Count),
        })
    });
    let said = report.annotations.iter().map(|a| Expectation {
        text: format!("transaction {} {}", a.name, a.said),
        met: (a.verdict != Status::Unknown).then_some(a.verdict == Status::Holds),
        found: Found::Status(a.verdict),
    });
    said.chain(lines).collect()
}

fn counted(report: &MoversReport, what: &str) -> Option<String> {
    let MoversReason::Found { classes, long } = &report.reason else {
        return None;
    };
    let mut classes = classes.iter();
    let count = match what {
        TRANSACTIONS => Some(long),
        _ => classes
            .find(|(class, _)| class.id() == what)
            .map(|(_, n)| n),
    };
    count.map(usize::to_string)
}
