//! The first screen of a check: the answers, what protects what, whether the theorem applies, and how many states are
//! left. What it leaves out is named in its last line.

use super::{Body, claims, coverage, discipline, distributed, every, lemmas, states, widest};
use crate::base::results::{
    EveryReport, Evidence, Hypothesis, Obstacle, Property, PropertyKind, Revision, Status,
};
use crate::report::layout::{counted, counted_text, display_id, place, wrapped};
use std::collections::BTreeSet;
use std::fmt;

/// Properties that hold, and kinds of disciplines, that are told one by one.
const SHOWN: usize = 5;

impl Body<'_> {
    pub(super) fn brief(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.answers(f)?;
        let (report, verbose) = (self.report, false);
        write!(f, "{}", claims::Shown { report, verbose })?;
        self.traces(f)?;
        let lemmas = self.report.lemmas.iter();
        let broken: Vec<_> = lemmas
            .filter(|l| l.status != Status::Holds)
            .cloned()
            .collect();
        let (model, all) = (&self.report.model, &broken);
        write!(
            f,
            "{}",
            lemmas::Shown {
                model,
                all,
                verbose
            }
        )?;
        writeln!(f)?;
        self.disciplines(f)?;
        self.theorem(f)?;
        self.saved(f)?;
        distributed::write(f, self.report.distributed.as_ref(), false)?;
        coverage::write(f, self.report, false)?;
        self.remarks(f)?;
        self.left_out(f)
    }

    /// All answers but some of those that hold: claims of transactions come first among them.
    fn answers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = &self.report.properties;
        if all.is_empty() {
            return Ok(());
        }
        writeln!(f)?;
        let is_claim = |p: &&Property| p.kind == PropertyKind::Transaction;
        let holds = |p: &&Property| p.verdict == Status::Holds;
        let claims = all.iter().filter(holds).filter(is_claim);
        let others = all.iter().filter(holds).filter(|p| !is_claim(p));
        let folded: Vec<&Property> = claims.chain(others).skip(SHOWN).collect();
        let is_folded = |p: &Property| folded.iter().any(|other| std::ptr::eq(*other, p));
        let told: Vec<&Property> = all.iter().filter(|p| !is_folded(p)).collect();
        let width = widest(told.iter().map(|p| p.name.as_str()));
        for property in told {
            self.property(f, property, width)?;
        }
        match folded.len() {
            0 => Ok(()),
            1 => writeln!(f, "  and 1 more holds"),
            n => writeln!(f, "  and {n} more hold"),
        }
    }

    /// How what is refuted comes about.
    fn traces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refuted = |p: &&Property| p.verdict == Status::Refuted;
        for property in self.report.properties.iter().filter(refuted) {
            if let Some(trace) = &property.trace {
                let last = trace.steps.last().map(|s| &s.step);
                let at = match last.filter(|s| s.line > 0) {
                    Some(s) => format!(", {}", place(&self.report.model, s.line, s.column)),
                    None => String::new(),
                };
                let shown = self.trace(trace, false);
                write!(f, "\n{}{at}:\n{shown}", property.name)?;
            }
        }
        Ok(())
    }

    /// What the model protects, and what was found to protect the rest: `x, y protected by m; z used by main only`
    fn disciplines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        discipline::declared(f, self.report, SHOWN)?;
        if self.report.in_full {
            return Ok(());
        }
        let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
        for d in &self.report.discipline {
            let kind = d.discipline.brief();
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, variables)) => variables.push(&d.variable),
                None => kinds.push((kind, vec![&d.variable])),
            }
        }
        if kinds.is_empty() {
            return Ok(());
        }
        let told = |(kind, variables): &(String, Vec<&str>)| {
            let (first, more) = variables.split_at(variables.len().min(SHOWN));
            let more = match more.len() {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            format!("{}{more} {kind}", first.join(", "))
        };
        let mut parts: Vec<String> = kinds.iter().take(SHOWN).map(told).collect();
        if let Some(n) = kinds.len().checked_sub(SHOWN).filter(|n| *n > 0) {
            parts.push(format!("{n} more kinds"));
        }
        writeln!(
            f,
            "{}",
            wrapped(&format!("inferred: {}", parts.join("; ")), 4)
        )
    }

    /// Whether the theorem applies: in a line if it does, else what is in the way.
    fn theorem(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        if report.hypotheses.is_empty() {
            return Ok(());
        }
        let all = || report.well_formedness.iter().chain(&report.hypotheses);
        if all().all(|h| h.status != Status::Holds && h.evidence == Evidence::InFull) {
            let of = format!("hypotheses of {}", report.theorem);
            return match report.limits.hit {
                None => writeln!(
                    f,
                    "{of}: {} (`--reduce always` settles them)",
                    Evidence::InFull
                ),
                // Nobody was first: they were given up, and the limit is told as the reason.
                Some(_) => writeln!(f, "{of}: not settled"),
            };
        }
        let open: Vec<Hypothesis> = all()
            .filter(|h| h.status != Status::Holds)
            .cloned()
            .collect();
        if open.is_empty() {
            let facts: usize = all().map(|h| h.evidence.facts().len()).sum();
            let lemmas: BTreeSet<&String> = all().flat_map(|h| h.evidence.lemmas()).collect();
            let mut from: Vec<String> = Vec::new();
            if facts > 0 {
                from.push(counted(facts, "fact"));
            }
            from.extend(lemmas.into_iter().map(|name| format!("lemma {name}")));
            let from = match from.is_empty() {
                true => String::new(),
                false => format!(", by {}", from.join(", ")),
            };
            let vacuous = report.hypotheses.iter().all(|h| h.vacuous);
            let on = match (vacuous, report.invariant) {
                (true, _) => " vacuously".to_string(),
                (false, Some(rung)) => format!(" on {}", states(rung)),
                (false, None) => String::new(),
            };
            let hypotheses = counted_of(report.hypotheses.len());
            let line = format!("{} applies: {hypotheses}{on}{from}", report.theorem);
            writeln!(f, "{}", wrapped(&line, 4))?;
            return every::lines(f, &report.every);
        }
        writeln!(
            f,
            "{} needs what does not hold, or is open:",
            report.theorem
        )?;
        let unasked =
            |h: &&Hypothesis| matches!(h.evidence, Evidence::Undecided | Evidence::InFull);
        let told: Vec<&Hypothesis> = open.iter().filter(|h| !unasked(h)).collect();
        let names: Vec<String> = told.iter().map(|h| display_id(&h.id)).collect();
        let width = widest(names.iter().map(String::as_str));
        for (hypothesis, name) in told.iter().zip(&names) {
            self.condition(f, hypothesis, name, width)?;
        }
        match open.len() - told.len() {
            0 => {}
            n => writeln!(f, "  {n} not settled")?,
        }
        match all().count() - open.len() {
            0 => Ok(()),
            n => writeln!(f, "  and {n} more hold"),
        }
    }

    /// How many states there are, and how many there were without the theorem, if they were counted.
    fn saved(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reduced, original) = (&self.report.states.reduced, self.report.original_states());
        let one = match self.report.reductions.as_slice() {
            [] => String::new(),
            some => format!(" up to {}", some.join(",")),
        };
        match (reduced, original) {
            (Some(n), None) => writeln!(f, "{}{one}", counted_text(n, "state")),
            (Some(n), Some(all)) => {
                writeln!(
                    f,
                    "{}{one}; {all} without the theorem",
                    counted_text(n, "state")
                )
            }
            (None, Some(all)) => writeln!(f, "{}", counted_text(all, "state")),
            (None, None) => Ok(()),
        }
    }

    /// What `-v` has.
    fn left_out(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        let repairs = report.visible.iter().filter(|s| s.repair().is_some());
        let (visible, invisible) = (report.visible.len(), report.invisible.len());
        let revised = |r: &&Revision| r.from.brief() != r.to.brief();
        let mut parts = Vec::new();
        let mut add = |n: usize, one: &str, many: &str| match n {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            n => parts.push(format!("{n} {many}")),
        };
        add(report.hypotheses.len(), "hypothesis", "hypotheses");
        add(report.well_formedness.len(), "condition", "conditions");
        add(repairs.count(), "repair", "repairs");
        add(
            report.revisions.iter().filter(revised).count(),
            "revised guess",
            "revised guesses",
        );
        add(visible, "visible step", "visible steps");
        add(invisible, "invisible step", "invisible steps");
        let unasked = |every: &&EveryReport| {
            every.from.is_none() && every.obstacle == Some(Obstacle::Unasked)
        };
        let open = report.every.iter().filter(unasked);
        parts.extend(open.map(|every| format!("for which {} they hold", every.constant)));
        parts.push("sizes and times".to_string());
        writeln!(
            f,
            "{}",
            wrapped(&format!("-v shows {}", parts.join(", ")), 4)
        )
    }
}

fn counted_of(hypotheses: usize) -> String {
    match hypotheses {
        1 => "its hypothesis holds".to_string(),
        n => format!("its {n} hypotheses hold"),
    }
}
