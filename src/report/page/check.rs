//! `coarsen check` as one page: the answer, the text with what protects what and what each statement is as a mover,
//! executions to step through, and how many states the theorem saves.

use super::walk::{SCRIPT, walk};
use super::{escaped, linked, logarithm, page};
use crate::base::diagnostic::Position;
use crate::base::results::{
    Claim, Hypothesis, MoverStatement, MoversReport, Property, Report, Status, Step, Verdict,
};
use crate::report::layout::{counted, display_id};
use crate::report::text::verdict_words;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The page about a check of a model with this text; with its movers, where they are known.
pub fn check(report: &Report, source: &str, movers: Option<&MoversReport>) -> String {
    let mut sections = String::new();
    let out = &mut sections;
    let verdict = verdict_words(report.verdict);
    let class = match report.verdict {
        Verdict::HypothesisRefuted => Verdict::Refuted.id(),
        other => other.id(),
    };
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<p><span class=\"{class}\">{verdict}</span>: {}</p>",
        linked(&report.reason)
    );
    properties(out, report);
    executions(out, report);
    states(out, report);
    disciplines(out, report);
    text(out, report, source, movers);
    hypotheses(out, report);
    for note in &report.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", linked(note));
    }
    page(&report.model, &sections, &[SCRIPT])
}

fn answer(status: Status) -> String {
    format!("<span class=\"{0}\">{0}</span>", status.id())
}

fn properties(out: &mut String, report: &Report) {
    if report.properties.is_empty() {
        return;
    }
    *out += "<section>\n<h2>Properties and claims</h2>\n<div class=\"wide\"><table>\n";
    for (n, p) in report.properties.iter().enumerate() {
        let link = match (&p.trace, p.verdict) {
            (Some(_), _) => format!(" <a href=\"#execution-{n}\">execution</a>"),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}{}{link}</td></tr>",
            escaped(&p.name),
            answer(p.verdict),
            linked(&p.reason),
            claim(report, p),
        );
    }
    *out += "</table></div>\n</section>\n";
}

/// What else is to be said of a property that is a claim.
fn claim(report: &Report, property: &Property) -> String {
    let named = |c: &&Claim| c.name == property.name;
    let Some(claim) = report.claims.iter().find(named) else {
        return String::new();
    };
    let mut said = format!(
        "; {}",
        linked(&Position {
            line: claim.line,
            column: claim.column,
        })
    );
    if !claim.unseen.is_empty() {
        said += &escaped(&format!("; not observed: {}", claim.unseen.join(", ")));
    }
    if let Some(blocked) = &claim.can_block {
        said += &format!(
            "; can block: {} at {}",
            escaped(&blocked.thread),
            linked(&blocked.at)
        );
    }
    said
}

fn executions(out: &mut String, report: &Report) {
    for (n, p) in report.properties.iter().enumerate() {
        let Some(trace) = &p.trace else { continue };
        let _ = write!(
            out,
            "<section id=\"execution-{n}\">\n<h2>{}: {}</h2>\n<p class=\"note\">{}. Choose a step, or press the arrow \
             keys.</p>\n{}</section>\n",
            escaped(&p.name),
            counted(trace.steps.len(), "step"),
            linked(&trace.outcome),
            walk(trace)
        );
    }
}

fn states(out: &mut String, report: &Report) {
    let s = &report.states;
    let rows = [
        ("original program", report.original_states()),
        (
            "reduced system, with states inside its steps",
            s.visited.as_ref(),
        ),
        ("reduced system", s.reduced.as_ref()),
    ];
    let known: Vec<(&str, &String, f64)> = rows
        .into_iter()
        .filter_map(|(name, n)| Some((name, n?, logarithm(n?))))
        .collect();
    let longest = known.iter().map(|k| k.2);
    let longest = longest.fold(f64::NEG_INFINITY, f64::max);
    if !longest.is_finite() {
        return;
    }
    *out += "<section>\n<h2>States</h2>\n<div class=\"wide\"><table class=\"bars\">\n";
    for (name, n, value) in known {
        let _ = writeln!(
            out,
            "<tr><td>{name}</td><td><span class=\"bar\" style=\"width:{:.1}%\"></span> {n}</td></tr>",
            60.0 * 10f64.powf(value - longest)
        );
    }
    *out += "</table></div>\n</section>\n";
}

fn disciplines(out: &mut String, report: &Report) {
    if report.discipline.is_empty() && report.declared.is_empty() {
        return;
    }
    *out += "<section>\n<h2>What protects what</h2>\n<div class=\"wide\"><table>\n";
    for declared in &report.declared {
        let (variable, by) = declared.split_once(" by ").unwrap_or((declared, ""));
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>protected by <code>{}</code>, as declared</td></tr>",
            escaped(variable),
            escaped(by)
        );
    }
    for d in &report.discipline {
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td></tr>",
            escaped(&d.variable),
            escaped(&d.discipline.to_string())
        );
    }
    *out += "</table></div>\n</section>\n";
}

/// What stands beside a line of the text.
#[derive(Default)]
struct Margin {
    /// Short words, each with what it means.
    words: BTreeMap<String, String>,
}

fn text(out: &mut String, report: &Report, source: &str, movers: Option<&MoversReport>) {
    let mut margins: BTreeMap<usize, Margin> = BTreeMap::new();
    let mut add = |line: usize, word: &str, meaning: String| {
        let words = &mut margins.entry(line).or_default().words;
        words.entry(word.to_string()).or_insert(meaning);
    };
    for m in movers.iter().flat_map(|m| &m.statements) {
        add(m.line, m.class.id(), mover(m));
    }
    let remarks = |s: &Step| {
        let all = s.reasons.iter().map(ToString::to_string);
        all.collect::<Vec<_>>().join("; ")
    };
    for step in &report.visible {
        add(step.line, "visible", remarks(step));
    }
    if let Some(coverage) = &report.coverage {
        for s in coverage.unreached() {
            add(s.line, "never reached", s.text.clone());
        }
        for s in coverage.never_enabled() {
            add(s.line, "never enabled", s.text.clone());
        }
    }
    for d in &report.discipline {
        let name = d.variable.split(['[', '.', ',']).next().unwrap_or_default();
        if let Some(line) = declaration(source, name) {
            let said = d.discipline.to_string();
            add(line, &format!("{} {said}", d.variable), said.clone());
        }
    }
    *out += "<section>\n<h2>The model</h2>\n";
    if movers.is_some() {
        *out += "<p class=\"note\">Beside each statement stands what it is as a mover: right movers may go later, left \
                 movers earlier, past steps of other threads. Point at a word to see why.</p>\n";
    }
    *out += "<div class=\"wide\"><table class=\"source\">\n";
    for (n, line) in source.lines().enumerate() {
        let words = margins.get(&(n + 1)).map(|m| &m.words);
        let words: Vec<String> = words
            .into_iter()
            .flatten()
            .map(|(word, why)| {
                let (word, why) = (escaped(word), escaped(why));
                format!("<span class=\"badge\" title=\"{why}\">{word}</span>")
            })
            .collect();
        let _ = writeln!(
            out,
            "<tr id=\"L{0}\"><td class=\"number\">{0}</td><td>{1}</td><td class=\"margin\">{2}</td></tr>",
            n + 1,
            escaped(&line.replace('\t', "    ")),
            words.join(" ")
        );
    }
    *out += "</table></div>\n</section>\n";
}

/// Why a statement is the mover that it is.
fn mover(m: &MoverStatement) -> String {
    let mut why = m.threads.join(", ");
    for (direction, missed) in [("right", &m.right), ("left", &m.left)] {
        if let Some(missed) = missed {
            let _ = write!(why, "; not {direction}: {missed}");
        }
    }
    why
}

/// The line of a variable's declaration, from 1.
fn declaration(source: &str, name: &str) -> Option<usize> {
    let declares = |line: &str| {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
        words.windows(2).any(|w| w[0] == "var" && w[1] == name)
    };
    source.lines().position(declares).map(|n| n + 1)
}

fn hypotheses(out: &mut String, report: &Report) {
    let all: Vec<&Hypothesis> = report
        .well_formedness
        .iter()
        .chain(&report.hypotheses)
        .collect();
    if all.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<section>\n<details><summary>{} of {}</summary>\n<div class=\"wide\"><table>\n",
        counted(all.len(), "condition"),
        escaped(&report.theorem)
    );
    for h in all {
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td></tr>",
            escaped(&display_id(&h.id)),
            answer(h.status),
            escaped(&h.formula),
            linked(&h.evidence)
        );
    }
    *out += "</table></div>\n</details>\n</section>\n";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::results::{BlockedThread, Coverage};
    use crate::report::samples::{holds, refuted};

    /// Where nothing goes wrong, coverage counts the original program; bars have a length whatever the numbers.
    #[test]
    fn states_are_bars_of_any_length() {
        let mut report = holds();
        let long = format!("1{}", "0".repeat(400));
        report.states.original = None;
        report.states.reduced = Some("7".to_string());
        report.coverage = Some(Coverage {
            states: long.clone(),
            complete: true,
            statements: Vec::new(),
            stuck: Vec::new(),
            trivial: Vec::new(),
        });
        let page = check(&report, "", None);
        assert!(page.contains(&format!("width:60.0%\"></span> {long}<")));
        assert!(page.contains("width:0.0%\"></span> 7<"));
    }

    /// Where a sentence names a line of the text, it leads there.
    #[test]
    fn lines_are_links() {
        let mut report = refuted();
        let at = Position { line: 2, column: 5 };
        let thread = "t(<1>)".to_string();
        report.claims = vec![Claim {
            name: report.properties[0].name.clone(),
            line: 1,
            column: 1,
            verdict: Status::Refuted,
            theorem: None,
            weakened: None,
            paths: None,
            blocks: Vec::new(),
            conflict: None,
            interruption: None,
            can_block: Some(BlockedThread { thread, at }),
            unseen: Vec::new(),
            invariant: None,
        }];
        let page = check(&report, "var x;\nthread t {}\n", None);
        let link = "; can block: t(&lt;1&gt;) at line <a href=\"#L2\">2</a>";
        assert!(page.contains(link) && page.contains("<tr id=\"L2\">"));
    }

    /// Every answer is there, names are text, and nothing is fetched from elsewhere.
    #[test]
    fn a_page_has_the_answers_and_the_text() {
        let mut report = refuted();
        report.model = "<m>.cor".to_string();
        let source = "var x: 0..1 = 0;\nthread t { assert(x < 1 && true); }\n";
        let page = check(&report, source, None);
        for p in &report.properties {
            assert!(page.contains(&escaped(&p.name)), "{}", p.name);
        }
        assert!(page.contains("<h1>&lt;m&gt;.cor</h1>"));
        assert!(page.contains("assert(x &lt; 1 &amp;&amp; true);"));
        assert!(page.contains("class=\"walk\""));
        assert!(!page.contains("http"));
        let page = check(&holds(), source, None);
        assert!(page.contains("<span class=\"holds\">holds</span>"));
    }
}
