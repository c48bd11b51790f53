//! What `coarsen reach` found, for people.

use super::{Detail, distributed, trace, verdict_words, whole};
use crate::base::results::{PropertyKind, ReachReport, Status};
use crate::report::layout::{folded, wrapped};
use std::fmt::{self, Write};

/// The report of `coarsen reach` on one model.
pub fn render_reach(report: &ReachReport, detail: Detail) -> String {
    let first = (verdict_words(report.verdict), &report.reason as _);
    whole(&report.model, first, detail, || {
        let mut body = String::new();
        // Writing to a string does not fail.
        let _ = write(&mut body, report, detail == Detail::Verbose);
        folded(&body)
    })
}

fn write(f: &mut String, report: &ReachReport, verbose: bool) -> fmt::Result {
    if !report.questions.is_empty() {
        writeln!(f, "\nquestions:")?;
        let names = report.questions.iter().map(|q| q.name.chars().count());
        let width = names.max().unwrap_or(0);
        for q in &report.questions {
            let answer = match (q.kind, q.verdict) {
                (PropertyKind::Find, Status::Holds) => "found",
                (PropertyKind::Find, Status::Refuted) => "unreachable",
                (PropertyKind::Deadlock, Status::Holds) => "none",
                (PropertyKind::Deadlock, Status::Refuted) => "found",
                (_, answer) => answer.id(),
            };
            let pad = " ".repeat(width - q.name.chars().count());
            writeln!(f, "  {}{pad}  {answer:<11}  {}", q.name, q.reason)?;
            if let Some(trace) = &q.trace {
                write!(
                    f,
                    "{}",
                    trace::Shown {
                        model: &report.model,
                        trace,
                        all: verbose
                    }
                )?;
            }
        }
    }
    counts(f, report)?;
    costs(f, report, verbose)?;
    times(f, report, verbose)?;
    distributed::write(f, report.distributed.as_ref(), verbose)?;
    if !report.notes.is_empty() {
        writeln!(f, "\nnotes:")?;
        for note in &report.notes {
            writeln!(f, "{}", wrapped(&format!("  {note}"), 4))?;
        }
    }
    Ok(())
}

/// How many states there are, and of which kind.
fn counts(f: &mut String, report: &ReachReport) -> fmt::Result {
    writeln!(f, "\nnumbers:")?;
    let unknown = "unknown".to_string();
    let system = match &report.theorem {
        None if report.por.is_some() => "states explored".to_string(),
        None if !report.not_counted().is_empty() => "reduced states".to_string(),
        None => "reachable states".to_string(),
        Some(theorem) => format!("states of the reduced system ({theorem})"),
    };
    row(f, &system, report.states.as_ref().unwrap_or(&unknown))?;
    if report.theorem.is_some() {
        let visited = match (&report.visited, &report.states) {
            (Some(visited), _) => visited,
            (None, Some(_)) => "not counted",
            (None, None) => &unknown,
        };
        row(f, "with those inside its steps", visited)?;
    }
    if !report.not_counted().is_empty() {
        row(f, "original states", "-")?;
    }
    if let Some(representatives) = &report.representatives {
        row(f, "explored up to symmetry", representatives)?;
    }
    let some = |n: &Option<String>| n.clone().filter(|n| n != "0");
    if let Some(wrong) = some(&report.wrong) {
        row(f, "with a thread gone wrong", &wrong)?;
    }
    if let Some(deadlocks) = &report.deadlocks {
        row(f, "deadlocks", deadlocks)?;
        if let Some(wrong) = some(&report.wrong_deadlocks) {
            row(f, "with a thread gone wrong", &wrong)?;
        }
    }
    if let Some(executions) = &report.executions {
        row(f, "complete executions", executions)?;
    }
    if let Some(redundant) = &report.redundant {
        row(f, "superfluous ones", redundant)?;
    }
    if let Some(transitions) = &report.transitions {
        row(f, "steps", transitions)?;
    }
    Ok(())
}

/// What found them, what it took, and how far it got.
fn costs(f: &mut String, report: &ReachReport, verbose: bool) -> fmt::Result {
    let order = report.order.as_ref();
    let order = order.map_or(String::new(), |o| format!(", order {o}"));
    if let Some(por) = &report.por {
        row(f, "partial-order reduction", por)?;
    }
    if !report.reductions.is_empty() {
        row(f, "states are one up to", &report.reductions.join(", "))?;
    }
    row(f, "engine", &format!("{}{order}", report.engine))?;
    if let Some(nodes) = &report.peak_nodes {
        row(f, "peak nodes", nodes)?;
    }
    if let Some(memory) = &report.memory {
        row(f, "peak memory of sets", &size(memory))?;
    }
    if verbose && let Some(operations) = &report.operations {
        row(f, "operations", operations)?;
    }
    if let Some(hit) = &report.limits.hit {
        row(f, "limit", &hit.to_string())?;
    }
    if let Some(so_far) = &report.limits.so_far {
        let parts = [
            ("states", &so_far.states),
            ("nodes", &so_far.nodes),
            ("operations", &so_far.operations),
        ];
        let known = parts.iter().filter_map(|(what, n)| {
            let n = n.as_ref()?;
            Some(format!("{n} {what}"))
        });
        let known: Vec<String> = known.collect();
        if !known.is_empty() {
            row(f, "how far it got", &known.join(", "))?;
        }
    }
    Ok(())
}

/// Seconds, and what was tried.
fn times(f: &mut String, report: &ReachReport, verbose: bool) -> fmt::Result {
    let t = &report.timing;
    row(f, "time", &format!("{:.3} s", t.total))?;
    if verbose {
        for (what, seconds) in [
            ("reading the model", t.front_end),
            ("hypotheses", t.hypotheses),
            ("exploration", t.exploration),
            ("evidence", t.evidence),
        ] {
            row(f, &format!("  {what}"), &format!("{seconds:.3} s"))?;
        }
        for a in &report.attempts {
            let end = if a.finished {
                "finished"
            } else {
                "interrupted"
            };
            let what = format!("{}, order {}", a.engine, a.order);
            row(
                f,
                "tried",
                &format!("{what}: {end}, {} operations in all", a.operations),
            )?;
        }
    }
    Ok(())
}

fn row(f: &mut String, what: &str, value: &str) -> fmt::Result {
    writeln!(f, "  {what:<30}  {value}")
}

/// Bytes in a unit that can be read.
pub(super) fn size(bytes: &str) -> String {
    let Ok(n) = bytes.parse::<f64>() else {
        return bytes.to_string();
    };
    match n {
        n if n < 10e3 => format!("{n:.0} B"),
        n if n < 10e6 => format!("{:.0} kB", n / 1e3),
        n => format!("{:.0} MB", n / 1e6),
    }
}
