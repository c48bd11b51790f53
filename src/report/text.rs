//! A report for people: the answer first, then why, then numbers.
//!
//! Only what helps to act on the answer is shown unasked: refuted properties with their whole traces, refuted
//! hypotheses with their witnesses, what a repair made visible. `-v` adds what held and why, and what it cost.

mod brief;
mod claims;
mod code;
mod colour;
mod compare;
mod coverage;
mod discipline;
mod distributed;
mod every;
mod lemmas;
mod movers;
mod reach;
mod simulate;
mod steps;
mod trace;
mod witness;

use super::layout::{about, counted, counted_text, display_id, folded, printable, wrapped};
use crate::base::control::Hit;
use crate::base::results::{
    EvalReport, Evidence, Expectation, Found, Hypothesis, Property, Report, Rung, States, Status,
    Trace, Verdict, Witness,
};
pub use colour::coloured;
pub(super) use compare::{deadlock, recommended};
pub use compare::{render_compare, render_compare_row};
pub use every::render_every;
pub use movers::render_movers;
pub use reach::render_reach;
pub use simulate::render_simulate;
use std::fmt;
use steps::{at, listed};

/// How much to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The verdict line only.
    Quiet,
    /// What helps to act on the answer.
    #[default]
    Normal,
    /// That, and each step with what makes it visible or lets it be invisible.
    Steps,
    /// Everything.
    Verbose,
}

/// The report of `coarsen check` on one model.
pub fn render(report: &Report, detail: Detail) -> String {
    let first = (verdict_words(report.verdict), &report.reason as _);
    whole(&report.model, first, detail, || {
        folded(&Body { report, detail }.to_string())
    })
}

/// A report on a model: a headline of a few words and a reason, and behind it the rest, unless the headline is enough.
fn whole(
    model: &str,
    (words, reason): (&str, &dyn fmt::Display),
    detail: Detail,
    rest: impl FnOnce() -> String,
) -> String {
    about(model, || {
        let first = headline(model, words, &reason.to_string());
        match detail {
            Detail::Quiet => first,
            _ => first + &rest(),
        }
    })
}

/// A trace of a property of a model, as it stands in reports.
pub fn render_trace(model: &str, property: &str, trace: &Trace) -> String {
    about(model, || {
        let first = headline(model, property, &trace.outcome.to_string());
        let all = true;
        first + &folded(&trace::Shown { model, trace, all }.to_string())
    })
}

/// A text for people, on lines that are not too long.
pub fn fitted(text: &str) -> String {
    folded(text)
}

/// An execution of a C program, as it stands under what it is about.
pub fn trace_of(trace: &Trace, all: bool) -> String {
    let model = "";
    folded(&trace::Shown { model, trace, all }.to_string())
}

/// One line on what a model expects and what was found, which is told in a word as well.
pub fn render_expected(model: &str, found: &str, lines: &[Expectation]) -> String {
    let open = |e: &&Expectation| e.met != Some(true);
    let open = lines.iter().filter(open).map(|e| match e.met {
        Some(false) => format!("{}: found {}", e.text, e.found),
        _ => format!("{}: {}", e.text, e.found),
    });
    let open: Vec<String> = open.collect();
    match (lines.len(), open.as_slice()) {
        (0, _) => headline(model, found, "it expects nothing"),
        (n, []) => {
            let met = format!("{found}, {}", counted(n, "line"));
            headline(model, "as expected", &met)
        }
        (_, open) => headline(model, "not as expected", &open.join("; ")),
    }
}

/// The report of `coarsen eval`.
pub fn render_eval(report: &EvalReport) -> String {
    about(&report.model, || {
        let reason = match report.status {
            Status::Unknown => report.evidence.to_string(),
            _ => {
                let instances = counted_text(&report.instances, "instance");
                let places = report.evidence.places();
                format!("{places} ({instances})")
            }
        };
        let mut out = headline(&report.model, report.status.id(), &reason);
        if let Some(witness) = &report.witness {
            let model = &report.model;
            out += &folded(&witness::Shown { model, witness }.to_string());
        }
        out
    })
}

/// `MODEL: VERDICT - REASON`, on one line whatever the names contain.
pub fn headline(model: &str, verdict: &str, reason: &str) -> String {
    let model = printable(model);
    if reason.is_empty() {
        format!("{model}: {verdict}\n")
    } else {
        format!("{model}: {verdict} - {}\n", printable(reason))
    }
}

/// A verdict in words.
pub fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::HypothesisRefuted => "hypothesis refuted",
        other => other.id(),
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "not established in this run",
            Self::Verdict(verdict) => verdict.id(),
            Self::Status(status) => status.id(),
            Self::Count(count) => count,
        })
    }
}

/// Everything after the first line.
struct Body<'a> {
    report: &'a Report,
    detail: Detail,
}

impl fmt::Display for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.detail == Detail::Normal {
            return self.brief(f);
        }
        self.properties(f)?;
        let (report, verbose) = (self.report, self.verbose());
        write!(f, "{}", claims::Shown { report, verbose })?;
        discipline::write(f, self.report, self.verbose())?;
        self.hypotheses(f)?;
        every::sections(f, &self.report.every)?;
        let (model, all) = (&self.report.model, &self.report.lemmas);
        let shown = lemmas::Shown {
            model,
            all,
            verbose,
        };
        write!(f, "{shown}")?;
        self.steps(f)?;
        self.numbers(f)?;
        distributed::write(f, self.report.distributed.as_ref(), self.verbose())?;
        coverage::write(f, self.report, self.verbose())?;
        self.remarks(f)
    }
}

impl Body<'_> {
    fn verbose(&self) -> bool {
        self.detail == Detail::Verbose
    }

    fn trace<'t>(&'t self, trace: &'t Trace, all: bool) -> trace::Shown<'t> {
        let model = &self.report.model;
        trace::Shown { model, trace, all }
    }

    fn witness<'w>(&'w self, witness: &'w Witness) -> witness::Shown<'w> {
        let model = &self.report.model;
        witness::Shown { model, witness }
    }

    fn properties(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = &self.report.properties;
        if all.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nproperties:")?;
        let width = widest(all.iter().map(|p| p.name.as_str()));
        for property in all {
            self.property(f, property, width)?;
        }
        Ok(())
    }

    fn property(
        &self,
        f: &mut fmt::Formatter<'_>,
        property: &Property,
        width: usize,
    ) -> fmt::Result {
        let kind = if property.kind.id() == property.name || !self.verbose() {
            String::new()
        } else {
            format!("({}) ", property.kind.id())
        };
        let (name, answer) = (&property.name, property.verdict.id());
        row(
            f,
            name,
            width,
            answer,
            &format!("{kind}{}", property.reason),
        )?;
        match &property.trace {
            Some(trace) if self.verbose() => write!(f, "{}", self.trace(trace, true)),
            Some(trace) if self.detail == Detail::Steps && property.verdict == Status::Refuted => {
                write!(f, "{}", self.trace(trace, false))
            }
            _ => Ok(()),
        }
    }

    fn hypotheses(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        self.conditions(f, "well-formedness", &report.well_formedness)?;
        let on = report
            .invariant
            .map(states)
            .map_or(String::new(), |s| format!(", on {s}"));
        let title = format!("hypotheses of {}{on}", report.theorem);
        self.conditions(f, &title, &report.hypotheses)
    }

    fn conditions(
        &self,
        f: &mut fmt::Formatter<'_>,
        title: &str,
        all: &[Hypothesis],
    ) -> fmt::Result {
        if all.is_empty() {
            return Ok(());
        }
        if all.iter().all(|h| h.evidence == Evidence::InFull) {
            return writeln!(f, "\n{title}: {}", Evidence::InFull);
        }
        writeln!(f, "\n{title}:")?;
        let names: Vec<String> = all.iter().map(|h| display_id(&h.id)).collect();
        let width = widest(names.iter().map(String::as_str));
        for (hypothesis, name) in all.iter().zip(&names) {
            self.condition(f, hypothesis, name, width)?;
        }
        Ok(())
    }

    fn condition(
        &self,
        f: &mut fmt::Formatter<'_>,
        hypothesis: &Hypothesis,
        name: &str,
        width: usize,
    ) -> fmt::Result {
        let how = hypothesis.evidence.brief();
        let how = if hypothesis.vacuous {
            "vacuous: this model has no such steps".to_string()
        } else if hypothesis.instances == "1" || hypothesis.evidence == Evidence::InFull {
            how
        } else {
            let instances = counted_text(&hypothesis.instances, "instance");
            format!("{instances}, {how}")
        };
        row(f, name, width, hypothesis.status.id(), &how)?;
        if self.verbose() || hypothesis.status == Status::Refuted {
            writeln!(f, "      {}", hypothesis.formula)?;
            writeln!(f, "      {}", hypothesis.words)?;
            for fact in hypothesis.evidence.facts() {
                writeln!(f, "        fact  {fact}")?;
            }
        }
        if let Some(witness) = &hypothesis.witness {
            write!(f, "{}", self.witness(witness))?;
        }
        for witness in hypothesis.excluded.iter().filter(|_| self.verbose()) {
            let states = witness.invariant.map(states).unwrap_or_default();
            writeln!(f, "      but on {states} it fails:")?;
            write!(f, "{}", self.witness(witness))?;
        }
        Ok(())
    }

    fn steps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        let repaired: Vec<_> = report
            .visible
            .iter()
            .filter_map(|step| Some((step, step.repair()?)))
            .collect();
        if !repaired.is_empty() {
            writeln!(f, "\nmade visible so that the theorem applies:")?;
        }
        for (step, why) in repaired {
            writeln!(f, "  {}\n      because {why}", at(&report.model, step))?;
        }
        if report.visible.is_empty() && report.invisible.is_empty() {
            return Ok(());
        }
        writeln!(f)?;
        for (title, steps) in [
            ("visible", &report.visible),
            ("invisible", &report.invisible),
        ] {
            writeln!(f, "{title}: {}", counted(steps.len(), "step"))?;
        }
        listed(f, report)
    }

    fn numbers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let States {
            reduced, visited, ..
        } = &self.report.states;
        let original = self.report.original_states();
        let count = |c: Option<&String>| c.map_or("-", String::as_str).to_string();
        let one = match self.report.reductions.as_slice() {
            [] => String::new(),
            some => format!(" up to {}", some.join(",")),
        };
        writeln!(
            f,
            "\nstates: reduced {}{one}, original {}, visited {}",
            count(reduced.as_ref()),
            count(original),
            count(visited.as_ref())
        )?;
        if self.verbose() {
            self.costs(f)?;
        }
        Ok(())
    }

    fn costs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (s, t, l) = (
            &self.report.statistics,
            &self.report.timing,
            &self.report.limits,
        );
        let known = |n: &Option<String>| n.clone().unwrap_or_else(|| "-".to_string());
        let sizes = [
            ("threads", &s.threads),
            ("actions", &s.actions),
            ("bits", &s.bits),
            ("pairs checked", &s.pairs_checked),
            ("pairs skipped", &s.pairs_skipped),
            ("rounds", &s.rounds),
            ("peak nodes", &s.peak_nodes),
        ]
        .map(|(name, n)| format!("{name} {}", known(n)));
        writeln!(f, "sizes: {}", sizes.join(", "))?;
        writeln!(
            f,
            "seconds: total {:.3} (front end {:.3}, encoding {:.3}, hypotheses {:.3}, exploration {:.3}, evidence \
             {:.3})",
            t.total, t.front_end, t.encoding, t.hypotheses, t.exploration, t.evidence
        )?;
        let time = l.time.map_or("none".to_string(), |s| format!("{s} s"));
        let memory = l.memory.as_ref().map(|m| format!("{m} bytes"));
        writeln!(
            f,
            "limits: nodes {}, states {}, time {time}, memory {}",
            known(&l.nodes),
            known(&l.states),
            memory.unwrap_or_else(|| "none".to_string())
        )
    }

    fn remarks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.report.limits.hit {
            Some(hit) if self.report.reason.names(hit) => {}
            Some(hit @ Hit::Abandoned(..)) => writeln!(f, "stopped by {hit}")?,
            Some(hit) => writeln!(f, "{hit}")?,
            None => {}
        }
        for note in &self.report.notes {
            writeln!(f, "note: {note}")?;
        }
        for expectation in &self.report.expectations {
            let text = &expectation.text;
            match expectation.met {
                Some(false) => writeln!(f, "warning: {text}: found {}", expectation.found)?,
                Some(true) if self.verbose() => writeln!(f, "met: {text}")?,
                None if self.verbose() => writeln!(f, "not established by this run: {text}")?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// `  NAME  ANSWER  WHY`, without blanks at the end.
fn row(f: &mut impl fmt::Write, name: &str, width: usize, answer: &str, why: &str) -> fmt::Result {
    let line = wrapped(&format!("  {name:width$}  {answer:7}  {why}"), width + 13);
    writeln!(f, "{}", line.trim_end())
}

fn widest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    // One very long name shall not push all answers off the screen.
    names.map(|n| n.chars().count()).max().unwrap_or(0).min(32)
}

/// The states that a rung of the invariant allows, in words.
fn states(rung: Rung) -> &'static str {
    match rung {
        Rung::Reachable => "exactly the reachable states",
        rung => rung.states(),
    }
}

#[cfg(test)]
mod tests;
