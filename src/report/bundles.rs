//! What became of a bundle, as text: which model it is about, what it shows and by what, and what it leaves open.

use super::layout::printable;
use crate::base::results::proofs::Acceptance;
use crate::base::results::replayed::{BundleAnswer, EveryAnswer, PartAnswer};
use std::fmt::{self, Write};

impl fmt::Display for EveryAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "for every {} >= {}", self.constant, self.from)
    }
}

impl PartAnswer {
    fn tell(&self, model: &str, line: &mut dyn FnMut(&str, &str)) {
        let shows = self.claims.join(", ");
        let values = self.every.as_ref();
        let values = values.map_or(String::new(), |values| format!(", {values}"));
        if let Some(lines) = &self.weakened {
            let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
            let steps = match lines.len() {
                1 => "a weaker step",
                _ => "weaker steps",
            };
            let with = match lines.is_empty() {
                true => "path by path".to_string(),
                false => format!("with {steps} at {model}:{}", lines.join(", ")),
            };
            line("movers", &format!("{with}: they show {shows}"));
            return;
        }
        let Some(theorem) = &self.theorem else {
            line(
                "theorem",
                &format!("none: an invariant of the original program shows {shows}"),
            );
            return;
        };
        line(
            "theorem",
            &format!("{theorem} ({}) shows {shows}{values}", self.source),
        );
        for h in &self.hypotheses {
            let id = format!("({})", h.id);
            line(&id, &format!("{}    {}", h.formula, h.words));
        }
    }
}

impl BundleAnswer {
    /// The answer as text; quietly only its first line.
    pub fn render(&self, quiet: bool) -> String {
        let mut out = super::text::headline(&self.file, self.status.name(), &self.reason);
        if quiet || self.status != Acceptance::Accepted {
            return out;
        }
        let mut line = |word: &str, words: &str| {
            let _ = writeln!(out, "  {word:<10} {}", printable(words));
        };
        let name = &self.model.name;
        let whose = match self.model.compared {
            true => format!("{name}, as you gave it"),
            false => {
                format!("called {name} in the bundle; `--model FILE` compares it with yours")
            }
        };
        line("model", &whose);
        line("sha256", &self.model.sha256);
        if !self.model.defines.is_empty() {
            line("constants", &self.model.defines.join(", "));
        }
        for discipline in &self.disciplines {
            let words = format!("{discipline} (from the bundle, not from the model)");
            line("discipline", &words);
        }
        if !self.uncovered.is_empty() {
            line("not shown", &self.uncovered.join(", "));
        }
        self.parts
            .iter()
            .for_each(|part| part.tell(name, &mut line));
        if !self.by_comparison.is_empty() {
            let all = self.by_comparison.join(", ");
            line(
                "compared",
                &format!("{all}: with the block atomic, and as it is"),
            );
        }
        self.replayed.iter().for_each(|l| line("replayed", l));
        self.trusted.iter().for_each(|l| line("trusted", l));
        out
    }
}
