//! What `coarsen compare` found, as plain data.

use super::{CompareReason, Note, RowReason, SCHEMA_VERSION, Verdict};
use serde::Serialize;

/// One model under all techniques.
#[derive(Clone, Debug, Serialize)]
pub struct CompareReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The model's file name as given.
    pub model: String,
    /// What the sound rows agree on.
    pub verdict: Verdict,
    /// Why.
    pub reason: CompareReason,
    /// One technique on one engine each.
    pub rows: Vec<CompareRow>,
    /// Seconds for all of it.
    pub timing: CompareTiming,
    /// Things to know.
    pub notes: Vec<Note>,
}

impl CompareReport {
    /// Whether sound rows disagree (exit code 12).
    pub fn disagrees(&self) -> bool {
        matches!(self.reason, CompareReason::Disagree(_))
    }

    /// The row to be repeated for this model: of those that are sound, decided, and commands of their own, the one that
    /// met the fewest states among those that took little longer than the fastest. Where there is a deadlock, it finds
    /// it, if any does.
    pub fn recommended(&self) -> Option<&CompareRow> {
        let usable = |r: &&CompareRow| {
            let decided = matches!(r.verdict, Verdict::Holds | Verdict::Refuted);
            r.sound && decided && r.command.is_some()
        };
        let mut usable: Vec<&CompareRow> = self.rows.iter().filter(usable).collect();
        let finds = |r: &CompareRow| r.deadlock == Some(true);
        if usable.iter().any(|r| finds(r)) {
            usable.retain(|r| finds(r));
        }
        let fastest = usable.iter().map(|r| r.timing.total);
        let fastest = fastest.fold(f64::INFINITY, f64::min);
        let quick = usable
            .into_iter()
            .filter(|r| r.timing.total <= 1.5 * fastest + 0.05);
        // Numbers of any size: the shorter one is smaller.
        quick.min_by_key(|r| {
            let n = r.visited.as_ref().or(r.executions.as_ref());
            n.map_or((usize::MAX, String::new()), |n| (n.len(), n.clone()))
        })
    }

    /// A report without rows: verdict `unknown`.
    pub fn undecided(model: &str) -> Self {
        CompareReport {
            schema_version: SCHEMA_VERSION,
            model: model.to_string(),
            verdict: Verdict::Unknown,
            reason: CompareReason::Undecided,
            rows: Vec::new(),
            timing: CompareTiming::default(),
            notes: Vec::new(),
        }
    }
}

/// One technique on one engine.
#[derive(Clone, Debug, Serialize)]
pub struct CompareRow {
    /// The technique.
    pub technique: String,
    /// The engine.
    pub engine: String,
    /// Program states at scheduling points, if the exploration finished.
    pub states: Option<String>,
    /// All states met, with what the technique adds to them.
    pub visited: Option<String>,
    /// Complete executions, where no states are kept.
    pub executions: Option<String>,
    /// Steps taken, where they are taken one by one.
    pub transitions: Option<String>,
    /// States in which a transaction could have gone on, but another thread that has a step was scheduled.
    pub forced: Option<String>,
    /// Whether a deadlock is reachable, where the technique preserves deadlocks and that was decided.
    pub deadlock: Option<bool>,
    /// What this row found.
    pub verdict: Verdict,
    /// What it found, or why nothing.
    pub reason: RowReason,
    /// Whether that can be relied on.
    pub sound: bool,
    /// The arguments of `coarsen` that ask the same in this way, but for the model; none if no command does.
    pub command: Option<Vec<String>>,
    /// Bytes held by what was explored.
    pub memory: Option<String>,
    /// Seconds.
    pub timing: CompareTiming,
}

/// Seconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct CompareTiming {
    /// All of it.
    pub total: f64,
}
