//! Proofs of the algebra as the papers print them: a line a step, the reason at the right. What a reason needs stands
//! below, under its number; what is decided at once stands on one line.

use super::layout::printable;
use crate::base::results::derivation::{Chain, Line, Reason};
use crate::base::results::proofs::Proof;
use std::fmt::Write;

/// Columns that terms take before their reasons.
const WIDEST: usize = 64;

/// The proof of a statement as text; empty if there is none.
pub fn text(proof: &Proof) -> String {
    let Some(told) = &proof.derivation else {
        return String::new();
    };
    let mut out = format!("\n{}\n", printable(&proof.name));
    for premise in &told.premises {
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "  if {}   ({})",
            printable(&premise.statement),
            printable(&premise.name)
        );
    }
    for part in &told.parts {
        out.push('\n');
        chain(&mut out, part, "");
    }
    for (n, below) in told.below.iter().enumerate() {
        if n == 0 {
            out.push('\n');
        }
        chain(&mut out, below, &format!("({}) ", n + 1));
    }
    if told.cut {
        out += "\n  .. (cut: it is longer)\n";
    }
    out
}

fn chain(out: &mut String, chain: &Chain, number: &str) {
    let begins = format!(
        "  {number}{}{}",
        printable(&chain.conditions),
        printable(&chain.left)
    );
    if let [only] = chain.lines.as_slice() {
        let begins = format!("{begins} {} {}", sign(only), printable(&only.term));
        let _ = writeln!(out, "{begins:<WIDEST$}   {}", reason(only));
        return;
    }
    let _ = writeln!(out, "{begins}");
    let indent = 4 + number.len();
    for line in &chain.lines {
        let reached = format!("{:indent$}{:<2} {}", "", sign(line), printable(&line.term));
        let _ = writeln!(out, "{reached:<WIDEST$}   {}", reason(line));
    }
}

/// How a line is related to the one before.
pub(super) fn sign(line: &Line) -> &'static str {
    if line.equal { "=" } else { "<=" }
}

/// Why, with the numbers of what that needs.
pub(super) fn reason(line: &Line) -> String {
    let why = match &line.reason {
        Reason::Decided => "decided".to_string(),
        Reason::Hypothesis { name } => format!("hypothesis {name}"),
        Reason::Premise { name } => name.clone(),
        Reason::Lemma { name, letters } if letters.is_empty() => name.clone(),
        Reason::Lemma { name, letters } => format!("{name}, with {}", letters.join(", ")),
        Reason::Summands => "each summand".to_string(),
        Reason::Induction => "star induction".to_string(),
        Reason::Coinduction => "omega coinduction".to_string(),
        Reason::Unfolding => "unfolding".to_string(),
        Reason::Domain => "domain".to_string(),
        Reason::LeastDomain => "the least domain".to_string(),
        Reason::Divergence => "divergence".to_string(),
        Reason::GreatestDivergence => "the greatest divergence".to_string(),
        Reason::Member => "a member of the sum".to_string(),
        Reason::Members => "each member of the sum".to_string(),
        Reason::Factor => "a factor of the product".to_string(),
        Reason::Factors => "each factor of the product".to_string(),
        Reason::Separated => "one process and the others".to_string(),
        Reason::Cases { one, other } => format!("{one} = {other}, or not"),
    };
    let numbers: Vec<String> = line.below.iter().map(|n| format!("({n})")).collect();
    match numbers.as_slice() {
        [] => printable(&why).into_owned(),
        _ => format!("{}: {}", printable(&why), numbers.join(", ")),
    }
}

/// The proof as LaTeX: an `align*` for each chain, with `amsmath`; empty if there is none.
pub fn latex(proof: &Proof) -> String {
    let Some(told) = &proof.derivation else {
        return String::new();
    };
    let mut out = format!("% {}\n", printable(&proof.name));
    let plain = |text: &str| prose(printable(text).as_ref());
    for premise in &told.premises {
        let (said, name) = (formula(&premise.statement), plain(&premise.name));
        let _ = writeln!(out, "If ${said}$ ({name}):");
    }
    let unnumbered = told.parts.iter().map(|c| (String::new(), c));
    let below = told.below.iter().enumerate();
    let numbered = below.map(|(n, c)| (format!("\\text{{({})}}\\quad ", n + 1), c));
    for (number, chain) in unnumbered.chain(numbered) {
        out += "\\begin{align*}\n";
        let left = formula(&format!("{}{}", chain.conditions, chain.left));
        let _ = writeln!(out, "{number}{left}");
        let rows = chain.lines.iter().map(|line| {
            let sign = if line.equal { "=" } else { "\\leq" };
            let (term, why) = (formula(&line.term), prose(&reason(line)));
            format!("  &{sign} {term} && \\text{{{why}}}")
        });
        out += &rows.collect::<Vec<String>>().join(" \\\\\n");
        out += "\n\\end{align*}\n";
    }
    if told.cut {
        out += "% cut: it is longer\n";
    }
    out
}

/// Text in which nothing means something to LaTeX.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '_' | '%' | '&' | '#' | '$' | '{' | '}' => out.extend(['\\', c]),
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '\\' => out += "\\textbackslash{}",
            '<' | '>' | '=' => out.extend(['$', c, '$']),
            _ => out.push(c),
        }
    }
    out.replace("$<$$=$", "$\\leq$")
}

/// A term of the language as LaTeX's mathematics.
fn formula(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' => out += "^{*}",
            '^' => {
                chars.next();
                out += "^{\\omega}";
            }
            '~' => out += "\\neg ",
            '<' => {
                chars.next();
                out += "\\leq ";
            }
            '!' => {
                chars.next();
                out += "\\neq ";
            }
            '=' if chars.peek() == Some(&'>') => {
                chars.next();
                out += "\\Rightarrow ";
            }
            '#' => out += "\\mathbin{\\#}",
            '[' => out += "_{",
            ']' => out.push('}'),
            ' ' => out += "\\, ",
            'T' if !chars
                .peek()
                .is_some_and(|n| n.is_alphanumeric() || *n == '_') =>
            {
                out += "\\top "
            }
            c if c.is_alphabetic() || c == '_' => {
                let mut name = c.to_string();
                while let Some(n) = chars.next_if(|n| n.is_alphanumeric() || "_'.-".contains(*n)) {
                    name.push(n);
                }
                match name.len() {
                    1 => out += &name.replace('_', "\\_"),
                    _ => {
                        let _ = write!(out, "\\mathit{{{}}}", name.replace('_', "\\_"));
                    }
                }
            }
            c => out.push(c),
        }
    }
    out.replace("\\, +\\, ", " + ")
        .replace("\\, =\\, ", " = ")
        .replace("\\, :\\, ", " : ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_as_mathematics() {
        for (term, expected) in [
            ("(x y)* ~p", "(x\\, y)^{*}\\, \\neg p"),
            ("a^w + T", "a^{\\omega} + \\top "),
            (
                "i != j => u[i] <= M",
                "i\\, \\neq \\, j\\, \\Rightarrow \\, u_{i}\\, \\leq \\, M",
            ),
            ("loop_1 x'", "\\mathit{loop\\_1}\\, \\mathit{x'}"),
        ] {
            assert_eq!(formula(term), expected, "{term}");
        }
        assert_eq!(prose("x := y_1 <= 50%"), "x :$=$ y\\_1 $\\leq$ 50\\%");
    }
}
