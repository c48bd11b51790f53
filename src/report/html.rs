//! `coarsen compare` as one page that needs nothing else: a table for each model, and bars on a logarithmic scale.

use super::text::verdict_words;
use crate::base::results::{CompareReport, CompareRow};
use std::fmt::Write;

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --bar: #3b7dd8; --bad: #c0392b; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1rem auto; max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.n { text-align: right; white-space: nowrap; } td:first-child { white-space: nowrap; } .wide td:last-child { \
min-width: 18em; }
.bars td { border: 0; padding: .1rem .5rem; } .bars td:first-child { width: 1%; }
.bar { background: var(--bar); height: .8em; min-width: 2px; display: inline-block; vertical-align: baseline; }
.unsound { color: var(--bad); font-weight: bold; } .unsound-bar { background: var(--bad); }
.note { color: #777; font-size: .9em; }
@media (max-width: 40rem) { body { font-size: 13px; padding: 0 .4rem; } th, td { padding: .2rem .3rem; } }
@media print { body { max-width: none; margin: 0; } section { break-inside: avoid; } .bar { print-color-adjust: exact; \
-webkit-print-color-adjust: exact; } }
";

/// A page about some models.
pub fn render(reports: &[CompareReport]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>coarsen \
         compare</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>coarsen compare</h1>\n"
    );
    for report in reports {
        section(&mut page, report);
    }
    page += "</body>\n</html>\n";
    page
}

fn section(page: &mut String, report: &CompareReport) {
    // Writing to a string does not fail.
    let _ = write!(
        page,
        "<section>\n<h2>{}: {}</h2>\n<p>{}</p>\n<div \
         class=\"wide\"><table>\n<thead><tr><th>technique</th><th>engine</th><th class=\"n\">states</th><th \
         class=\"n\">visited</th><th class=\"n\">forced</th><th class=\"n\">executions</th><th \
         class=\"n\">steps</th><th class=\"n\">seconds</th><th \
         class=\"n\">bytes</th><th>verdict</th></tr></thead>\n<tbody>\n",
        escaped(&report.model),
        verdict_words(report.verdict),
        escaped(&report.reason.to_string())
    );
    for row in &report.rows {
        let unsound = match row.sound {
            true => "",
            false => "<span class=\"unsound\">UNSOUND</span> ",
        };
        let _ = write!(
            page,
            "<tr><td>{}</td><td>{}</td>",
            escaped(&row.technique),
            escaped(&row.engine)
        );
        let seconds = Some(format!("{:.3}", row.timing.total));
        for number in [
            &row.states,
            &row.visited,
            &row.forced,
            &row.executions,
            &row.transitions,
            &seconds,
            &row.memory,
        ] {
            let number = number.as_deref().unwrap_or("-");
            let _ = write!(page, "<td class=\"n\">{number}</td>");
        }
        let _ = writeln!(
            page,
            "<td>{unsound}{}: {}</td></tr>",
            verdict_words(row.verdict),
            escaped(&row.reason.to_string())
        );
    }
    *page += "</tbody>\n</table></div>\n";
    bars(page, "visited states", report, |r| r.visited.as_deref());
    for note in &report.notes {
        let _ = writeln!(page, "<p class=\"note\">{}</p>", escaped(&note.to_string()));
    }
    *page += "</section>\n";
}

/// One bar for each row that has the number, its length the number's logarithm.
fn bars(
    page: &mut String,
    what: &str,
    report: &CompareReport,
    number: impl Fn(&CompareRow) -> Option<&str>,
) {
    let measured: Vec<(&CompareRow, &str, f64)> = report
        .rows
        .iter()
        .filter_map(|r| number(r).map(|n| (r, n, logarithm(n))))
        .collect();
    let longest = measured.iter().map(|m| m.2).fold(0.0, f64::max);
    if longest <= 0.0 {
        return;
    }
    let _ = writeln!(
        page,
        "<p class=\"note\">{what}, on a logarithmic scale</p>\n<table class=\"bars\">"
    );
    for (row, n, length) in measured {
        let class = if row.sound { "bar" } else { "bar unsound-bar" };
        let _ = writeln!(
            page,
            "<tr><td>{}, {}</td><td><span class=\"{class}\" style=\"width:{:.1}%\"></span> {n}</td></tr>",
            escaped(&row.technique),
            escaped(&row.engine),
            75.0 * length / longest
        );
    }
    *page += "</table>\n";
}

/// The decimal logarithm of a number of any length, one more for zero to be seen.
fn logarithm(digits: &str) -> f64 {
    let head: f64 = digits
        .chars()
        .take(15)
        .collect::<String>()
        .parse()
        .unwrap_or(0.0);
    let more = digits.chars().count().saturating_sub(15) as f64;
    (head + 1.0).log10() + more
}

fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => all += "&amp;",
            '<' => all += "&lt;",
            '>' => all += "&gt;",
            '"' => all += "&quot;",
            c if c.is_control() => all.push(' '),
            c => all.push(c),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::results::{CompareReason, RowReason};

    /// What a model is called is text, not markup; nothing is fetched from elsewhere.
    #[test]
    fn names_are_text() {
        let mut report = CompareReport::undecided("<b>&\"x\".cor");
        report.reason = CompareReason::Agree(RowReason::Violates("1 < 2".to_string()), 1);
        let page = render(&[report]);
        assert!(page.contains("&lt;b&gt;&amp;&quot;x&quot;.cor: unknown"));
        assert!(page.contains("1 &lt; 2"));
        assert!(!page.contains("http") && !page.contains("<script"));
    }

    #[test]
    fn long_numbers_have_logarithms() {
        assert!((logarithm("999") - 3.0).abs() < 1e-9);
        let long = format!("1{}", "0".repeat(400));
        assert!((logarithm(&long) - 400.0).abs() < 1e-9);
    }
}
