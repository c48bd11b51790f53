//! What is said of the replay of a bundle.

use super::verdict::{BundleVerdict, Shown};
use crate::base::results::SCHEMA_VERSION;
use crate::base::results::replayed::{
    About, BundleAnswer, EveryAnswer, HypothesisAnswer, PartAnswer,
};

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
            weakened: shown.weakened.clone(),
            every: every(shown),
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
            by_comparison: verdict.by_comparison.clone(),
            reached: verdict.reached.clone(),
            uncovered: verdict.uncovered.clone(),
            disciplines: verdict.disciplines.clone(),
            parts: verdict.parts.iter().map(PartAnswer::of).collect(),
            replayed: verdict.replayed.clone(),
            trusted: verdict.trusted.clone(),
        }
    }
}

/// The values of a constant for which claims are shown, if not for one.
fn every(shown: &Shown) -> Option<EveryAnswer> {
    shown.every.as_ref().map(|values| EveryAnswer {
        constant: values.constant.clone(),
        from: values.from.to_string(),
    })
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
    let values = verdict.parts.iter().find_map(every);
    let values = values.map_or(String::new(), |values| format!(" {values}"));
    format!("{said}{values} in {model}{with}{open}{vacuous}")
}
