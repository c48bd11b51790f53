//! The report of `coarsen check --every N`.

use super::{Detail, row, whole, widest};
use crate::base::results::Rung;
use crate::base::results::{EveryReport, Obstacle, Status, Verdict};
use crate::report::layout::{about, counted_text, printable_lines, wrapped};
use std::fmt::{self, Write};

/// The report on one model.
pub fn render_every(report: &EveryReport, detail: Detail) -> String {
    let reason = about(&report.model, || reason(report));
    let first = (report.verdict.id(), &reason as _);
    whole(&report.model, first, detail, || {
        let mut body = String::new();
        // Writing to a string cannot fail.
        let _ = rest(report, detail, &mut body);
        printable_lines(&body)
    })
}

/// Why the verdict is what it is.
fn reason(report: &EveryReport) -> String {
    let constant = &report.constant;
    if let Some(hit) = &report.limit {
        return hit.to_string();
    }
    let from = report.from.as_ref();
    let from = from.map(|from| format!("for every {constant} >= {from}"));
    match (report.verdict, from, &report.obstacle) {
        (Verdict::Holds, Some(from), _) => {
            let kept = "no violation of the discipline is reachable";
            match (
                blocks(report, Status::Holds),
                blocks(report, Status::Unknown),
            ) {
                (None, None) => format!("{from} the theorem applies and {kept}"),
                (Some(atomic), None) => {
                    format!("{from} the theorem applies, {kept}, and {atomic} may be atomic")
                }
                (None, Some(open)) => format!(
                    "{from} the theorem applies and {kept}; not shown for every {constant}: that {open} may be atomic"
                ),
                (Some(atomic), Some(open)) => format!(
                    "{from} the theorem applies, {kept}, and {atomic} may be atomic; not shown for every {constant}: \
                     that {open} may be"
                ),
            }
        }
        (_, Some(from), Some(why)) => format!("{from} the hypotheses hold, but {why}"),
        (_, _, Some(why)) => why.to_string(),
        _ => "nothing is known".to_string(),
    }
}

/// The blocks of which something is known.
fn blocks(report: &EveryReport, status: Status) -> Option<String> {
    let all = report.claims.iter().filter(|c| c.status == status);
    let names: Vec<&str> = all.map(|c| c.name.as_str()).collect();
    let (last, others) = names.split_last()?;
    Some(match others {
        [] => last.to_string(),
        others => format!("{} and {last}", others.join(", ")),
    })
}

/// What else a check knows: for every value of constants that number threads.
pub(super) fn sections(f: &mut impl Write, all: &[EveryReport]) -> fmt::Result {
    for report in all {
        rest(report, Detail::Normal, f)?;
        let constant = &report.constant;
        match (&report.obstacle, &report.limit) {
            (_, Some(hit)) => writeln!(f, "\nhypotheses, for every {constant}: not known, {hit}")?,
            (Some(why), _) if report.from.is_none() => {
                writeln!(f, "\nhypotheses, for this {constant} only: {why}")?;
            }
            (Some(why), _) => writeln!(f, "\ndiscipline, for this {constant} only: {why}")?,
            (None, None) => {}
        }
    }
    Ok(())
}

/// The same, each constant in a line.
pub(super) fn lines(f: &mut impl Write, all: &[EveryReport]) -> fmt::Result {
    for report in all {
        let constant = &report.constant;
        let mut open = report.hypotheses.iter();
        let open = open.find_map(|h| Some((&h.id, h.obstacle.as_ref()?)));
        let line = match (&report.from, &report.obstacle) {
            (None, Some(Obstacle::Unasked)) => continue,
            (Some(from), _) if report.discipline == Status::Holds => {
                let atomic = blocks(report, Status::Holds);
                let atomic = atomic.map(|names| format!("; {names} may be atomic"));
                format!(
                    "for every {constant} >= {from}: they hold, and the discipline is kept{}",
                    atomic.unwrap_or_default()
                )
            }
            (Some(from), _) => format!("for every {constant} >= {from}: they hold"),
            (None, Some(why)) => match open {
                Some((id, why)) => format!("for this {constant} only: of ({id}), {why}"),
                None => format!("for this {constant} only: {why}"),
            },
            (None, None) => continue,
        };
        writeln!(f, "{}", wrapped(&line, 4))?;
    }
    Ok(())
}

/// The states on which a fact holds that does not hold on all that are type-correct.
fn allowed(report: &EveryReport) -> &'static str {
    match (report.sums.is_empty(), report.views.is_some()) {
        (true, true) => "the states of which each two threads see one of the views",
        (false, true) => "the states that the sums, or the views of two threads, allow",
        _ => "the states that the sums allow",
    }
}

fn rest(report: &EveryReport, detail: Detail, f: &mut impl Write) -> fmt::Result {
    let (constant, theorem) = (&report.constant, &report.theorem);
    if !report.hypotheses.is_empty() {
        match &report.from {
            Some(from) => writeln!(
                f,
                "\nhypotheses of {theorem}, for every {constant} >= {from}:"
            )?,
            None => writeln!(f, "\nhypotheses of {theorem}, for every {constant}:")?,
        }
    }
    let shown = |id: &str| format!("({id})");
    let width = widest(report.hypotheses.iter().map(|h| h.id.as_str())) + 2;
    for h in &report.hypotheses {
        let why = match (&h.obstacle, h.lemmas.as_slice()) {
            (Some(why), _) => why.to_string(),
            (None, _) if h.vacuous => "vacuous: it says nothing about this model".to_string(),
            (None, lemmas) => {
                let facts = counted_text(&h.facts, "fact");
                let on = match h.invariant {
                    Some(Rung::Lemmas) => format!(", on {}", allowed(report)),
                    Some(rung) if rung != Rung::True => format!(", on {}", rung.states()),
                    _ => String::new(),
                };
                let by = match lemmas {
                    [] => String::new(),
                    some => format!(", by the lemma {}", some.join(", ")),
                };
                format!("derived from {facts}{on}{by}")
            }
        };
        row(f, &shown(&h.id), width, h.status.id(), &why)?;
    }
    if report.discipline == Status::Holds {
        let by = match report.views {
            None => ", by what holds at its location",
            Some(_) => "",
        };
        writeln!(
            f,
            "\ndiscipline: holds - each access is made with exclusive access{by}"
        )?;
    }
    if !report.sums.is_empty() {
        writeln!(f, "\nsums over all threads, none ever above its bound:")?;
        for sum in &report.sums {
            writeln!(f, "{}", wrapped(&format!("  {sum}"), 6))?;
        }
    }
    if let Some(views) = &report.views {
        writeln!(
            f,
            "\nwhat two threads see: {}, in all states of all values",
            counted_text(views, "view")
        )?;
    }
    if let (Some(from), false) = (&report.from, report.claims.is_empty()) {
        writeln!(f, "\ntransactions, for every {constant} >= {from}:")?;
        let width = widest(report.claims.iter().map(|c| c.name.as_str()));
        for c in &report.claims {
            let why = match (&c.theorem, &c.obstacle) {
                (Some(theorem), _) => format!("by {theorem}"),
                (None, Some(why)) => why.to_string(),
                (None, None) => String::new(),
            };
            row(f, &c.name, width, c.status.id(), &why)?;
        }
    }
    if detail == Detail::Verbose {
        writeln!(f, "\nfacts, each for generic threads:")?;
        for fact in &report.facts {
            writeln!(f, "  {fact}")?;
        }
    }
    if let Some(instance) = &report.instance {
        writeln!(
            f,
            "\nfacts were looked for with {constant} = {instance}; {:.2} s",
            report.time
        )?;
    }
    Ok(())
}
