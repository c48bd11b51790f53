//! What became of a bundle, as data and text: which model it is about, what it shows and by what, and what it leaves open.

use super::SCHEMA_VERSION;
use super::layout::printable;
use crate::leaf::{BundleVerdict, Shown};
use serde::Serialize;
use std::fmt::Write;

/// What is to be said of a bundle: the evidence for a model's properties.
#[derive(Clone, Debug, Serialize)]
pub struct BundleAnswer {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The file.
    pub file: String,
    /// `accepted`, `rejected`, or `unknown` if the work was cut short.
    pub status: &'static str,
    /// What holds, or what is wrong.
    pub reason: String,
    /// What it is about.
    pub model: About,
    /// The properties that are claimed to hold, by all parts together.
    pub claims: Vec<String>,
    /// Goals that are reached, each by an execution.
    pub reached: Vec<String>,
    /// What the model asks for and the bundle does not show.
    pub uncovered: Vec<String>,
    /// Disciplines that come from the bundle, not from the model's text.
    pub disciplines: Vec<String>,
    /// What is claimed, by theorem.
    pub parts: Vec<PartAnswer>,
    /// What was replayed, and how.
    pub replayed: Vec<String>,
    /// What the answer rests on besides.
    pub trusted: Vec<String>,
}

/// The model that a bundle is about.
#[derive(Clone, Debug, Serialize)]
pub struct About {
    /// Its name: as the bundle says, or the file it was compared with.
    pub name: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Constants that are not as the text has them, `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Whether text and constants are those that the user gave (`--model`, `-D`).
    pub compared: bool,
}

/// A part of a bundle.
#[derive(Clone, Debug, Serialize)]
pub struct PartAnswer {
    /// The reduction theorem; null if an invariant of the original program shows the claims.
    pub theorem: Option<String>,
    /// Where the theorem is from.
    pub source: String,
    /// Its hypotheses.
    pub hypotheses: Vec<HypothesisAnswer>,
    /// The properties that are claimed to hold.
    pub claims: Vec<String>,
}

/// A hypothesis that was replayed.
#[derive(Clone, Debug, Serialize)]
pub struct HypothesisAnswer {
    /// Such as `14`.
    pub id: String,
    /// What it says, in words.
    pub words: String,
    /// What it says.
    pub formula: String,
}

impl PartAnswer {
    fn of(shown: &Shown) -> Self {
        let all = shown.hypotheses.iter().map(|h| HypothesisAnswer {
            id: h.id.clone(),
            words: h.words.clone(),
            formula: h.formula.clone(),
        });
        PartAnswer {
            theorem: shown.theorem.clone(),
            source: shown.source.clone(),
            hypotheses: all.collect(),
            claims: shown.claims.clone(),
        }
    }

    fn tell(&self, line: &mut dyn FnMut(&str, &str)) {
        let shows = self.claims.join(", ");
        let Some(theorem) = &self.theorem else {
            line(
                "theorem",
                &format!("none: an invariant of the original program shows {shows}"),
            );
            return;
        };
        line(
            "theorem",
            &format!("{theorem} ({}) shows {shows}", self.source),
        );
        for h in &self.hypotheses {
            let id = format!("({})", h.id);
            line(&id, &format!("{}    {}", h.formula, h.words));
        }
    }
}

impl BundleAnswer {
    /// What is to be said of the replay of a file.
    pub fn of(file: &str, verdict: &BundleVerdict) -> BundleAnswer {
        let defines = verdict.defines.iter();
        BundleAnswer {
            schema_version: SCHEMA_VERSION,
            file: file.to_string(),
            status: verdict.status(),
            reason: reason(verdict),
            model: About {
                name: verdict.model.clone(),
                sha256: verdict.hash.clone(),
                defines: defines.map(|(n, v)| format!("{n}={v}")).collect(),
                compared: verdict.compared,
            },
            claims: verdict.claims().cloned().collect(),
            reached: verdict.reached.clone(),
            uncovered: verdict.uncovered.clone(),
            disciplines: verdict.disciplines.clone(),
            parts: verdict.parts.iter().map(PartAnswer::of).collect(),
            replayed: verdict.replayed.clone(),
            trusted: verdict.trusted.clone(),
        }
    }

    /// The answer as text; quietly only its first line.
    pub fn render(&self, quiet: bool) -> String {
        let mut out = super::text::headline(&self.file, self.status, &self.reason);
        if quiet || self.status != "accepted" {
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
        self.parts.iter().for_each(|part| part.tell(&mut line));
        self.replayed.iter().for_each(|l| line("replayed", l));
        self.trusted.iter().for_each(|l| line("trusted", l));
        out
    }
}

/// The status in a sentence: what is claimed, of which model, and what is left open; or what is wrong.
fn reason(verdict: &BundleVerdict) -> String {
    if let Some(why) = &verdict.rejected {
        return why.clone();
    }
    if let Some(stop) = verdict.stopped {
        return format!("{stop} was hit");
    }
    let all: Vec<&str> = verdict.claims().map(String::as_str).collect();
    let held = match all.as_slice() {
        [] => None,
        [one] => Some(format!("{one} holds")),
        some => Some(format!("{} hold", some.join(", "))),
    };
    let reached = match verdict.reached.as_slice() {
        [] => None,
        [one] => Some(format!("{one} is reached")),
        some => Some(format!("{} are reached", some.join(", "))),
    };
    let said: Vec<String> = held.into_iter().chain(reached).collect();
    let defines = verdict.defines.iter();
    let defines: Vec<String> = defines.map(|(n, v)| format!("{n}={v}")).collect();
    let with = match defines.is_empty() {
        true => String::new(),
        false => format!(" with {}", defines.join(", ")),
    };
    let open = match verdict.uncovered.is_empty() {
        true => String::new(),
        false => format!("; not shown: {}", verdict.uncovered.join(", ")),
    };
    let vacuous = match verdict.vacuous {
        true => "; vacuous: the model has no initial state",
        false => "",
    };
    let (said, model) = (said.join(", "), &verdict.model);
    format!("{said} in {model}{with}{open}{vacuous}")
}
