//! `coarsen compare` as one page: a table for each model, and bars.

use super::{escaped, logarithm, page};
use crate::base::results::{CompareReport, CompareRow};
use crate::report::layout::about;
use crate::report::text::{deadlock, recommended, verdict_words};
use std::fmt::Write;

/// A page about some models.
pub fn compare(reports: &[CompareReport]) -> String {
    let mut sections = String::from(SWITCH);
    for report in reports {
        about(&report.model, || section(&mut sections, report));
    }
    page("coarsen compare", &sections, &[])
}

/// Bars are drawn twice; the box says which are shown.
const SWITCH: &str = "<p><label class=\"switch\"><input type=\"checkbox\" \
                      onchange=\"document.body.classList.toggle('log', this.checked)\"> bars on a logarithmic \
                      scale</label></p>\n";

const HEAD: &str = "<tr><th>technique</th><th>engine</th><th class=\"n\">states</th><th class=\"n\">visited</th><th \
                    class=\"n\">forced</th><th class=\"n\">executions</th><th class=\"n\">steps</th><th \
                    class=\"n\">deadlock</th><th class=\"n\">seconds</th><th \
                    class=\"n\">bytes</th><th>verdict</th></tr>";

fn section(page: &mut String, report: &CompareReport) {
    // Writing to a string does not fail.
    let _ = write!(
        page,
        "<section>\n<h2>{}: {}</h2>\n<p>{}</p>\n<div class=\"wide\"><table class=\"compared\">\n<thead>{HEAD}</thead>\n\
         <tbody>\n",
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
        let deadlock = Some(deadlock(row).to_string());
        for number in [
            &row.states,
            &row.visited,
            &row.forced,
            &row.executions,
            &row.transitions,
            &deadlock,
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
    if let Some(recommended) = recommended(report) {
        let _ = writeln!(
            page,
            "<p>recommended: <code>{}</code></p>",
            escaped(&recommended)
        );
    }
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
    let longest = measured.iter().map(|m| m.2);
    let longest = longest.fold(f64::NEG_INFINITY, f64::max);
    if !longest.is_finite() {
        return;
    }
    let _ = writeln!(
        page,
        "<p class=\"note\">{what}</p>\n<div class=\"wide\"><table class=\"bars\">"
    );
    // One is to be seen, too.
    let of_ten = |length: f64| (length + 0.3).max(0.0);
    for (row, n, length) in measured {
        let class = if row.sound { "bar" } else { "bar unsound-bar" };
        let bar = |scale: &str, part: f64| {
            let width = 75.0 * part;
            format!("<span class=\"{class} {scale}\" style=\"width:{width:.1}%\"></span>")
        };
        let _ = writeln!(
            page,
            "<tr><td>{}, {}</td><td>{}{} {n}</td></tr>",
            escaped(&row.technique),
            escaped(&row.engine),
            bar("linear", 10f64.powf(length - longest)),
            bar("logarithmic", of_ten(length) / of_ten(longest))
        );
    }
    *page += "</table></div>\n";
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
        let page = compare(&[report]);
        assert!(page.contains("&lt;b&gt;&amp;&quot;x&quot;.cor: unknown"));
        assert!(page.contains("1 &lt; 2"));
        assert!(!page.contains("http") && !page.contains("<script"));
    }
}
