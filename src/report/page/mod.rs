//! Pages that need nothing else: no network, no other file. Scripts only move what is there, so that a page can be read
//! without them, but for the steps of an execution.

mod check;
mod compare;
mod derivation;
mod walk;

pub use check::check;
pub use compare::compare;
pub use derivation::derivations;
pub use walk::execution;

use super::layout;
use std::fmt;

const STYLE: &str = include_str!("style.css");

/// A page with this title, these sections and these scripts.
fn page(title: &str, sections: &str, scripts: &[&str]) -> String {
    let scripts: String = scripts
        .iter()
        .map(|s| format!("<script>\n{s}</script>\n"))
        .collect();
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{sections}{scripts}\
         </body>\n</html>\n"
    )
}

/// Text as text, whatever it contains.
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

/// A sentence about the text that stands on the page: where it names a line, a link to it.
fn linked(sentence: &dyn fmt::Display) -> String {
    let pieces = layout::linked(sentence).into_iter();
    pieces
        .map(|(text, line)| match line {
            Some(line) => format!("{}<a href=\"#L{line}\">{line}</a>", escaped(&text)),
            None => escaped(&text),
        })
        .collect()
}

/// The decimal logarithm of a number of any length: minus infinity for zero.
fn logarithm(digits: &str) -> f64 {
    let head: String = digits.chars().take(15).collect();
    let more = digits.chars().count().saturating_sub(15) as f64;
    head.parse().unwrap_or(0.0f64).log10() + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_have_logarithms() {
        assert!((logarithm("1000") - 3.0).abs() < 1e-9);
        assert_eq!(10f64.powf(logarithm("0")), 0.0);
        let long = format!("1{}", "0".repeat(400));
        assert!((logarithm(&long) - 400.0).abs() < 1e-9);
    }
}
