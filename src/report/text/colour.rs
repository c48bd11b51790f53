//! Answers in colour, for a terminal: what holds is green, what is refuted red, what is open yellow.
//!
//! Colours are added when everything else is written, so no text of a model can bring its own.

use super::verdict_words;
use crate::base::results::{Report, Status, Verdict};
use crate::report::layout::printable;

const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";

/// A rendered report, with the verdict and each answer in its colour.
pub fn coloured(report: &Report, text: &str) -> String {
    let verdict = match report.verdict {
        Verdict::Holds => GREEN,
        Verdict::Refuted => RED,
        Verdict::HypothesisRefuted | Verdict::Unknown => YELLOW,
    };
    let first = format!("{}: ", printable(&report.model));
    let mut all = String::new();
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let painted = match n {
            0 => painted(line, &first, verdict_words(report.verdict), verdict),
            _ => report.properties.iter().find_map(|p| {
                let colour = match p.verdict {
                    Status::Holds => GREEN,
                    Status::Refuted => RED,
                    Status::Unknown => YELLOW,
                };
                painted(
                    line,
                    &format!("  {}  ", printable(&p.name)),
                    p.verdict.id(),
                    colour,
                )
            }),
        };
        all += painted.as_deref().unwrap_or(line);
    }
    all
}

/// A line that begins like this, perhaps some blanks, and then with the word, which is painted.
fn painted(line: &str, start: &str, word: &str, colour: &str) -> Option<String> {
    let rest = line.strip_prefix(start)?;
    let blanks = rest.len() - rest.trim_start_matches(' ').len();
    let (blanks, rest) = rest.split_at(blanks);
    let rest = rest.strip_prefix(word)?;
    Some(format!(
        "{start}{blanks}\x1b[1;{colour}m{word}\x1b[0m{rest}"
    ))
}
