//! Coverage as files: the text with numbers beside it, and the tracefile format of lcov (`man geninfo`).

use crate::base::results::Coverage;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Per line: steps from it, and whether some of its statements is never reached or never enabled.
fn by_line(coverage: &Coverage) -> BTreeMap<usize, (u64, bool)> {
    let mut lines: BTreeMap<usize, (u64, bool)> = BTreeMap::new();
    for s in &coverage.statements {
        let line = lines.entry(s.line).or_default();
        line.0 += s.executions;
        line.1 |= s.executions == 0;
    }
    lines
}

/// The text of a model, with the number of steps beside each line that has statements: `!` where one of them has none.
pub fn annotated(model: &str, source: &str, coverage: &Coverage) -> String {
    let lines = by_line(coverage);
    let mut out = format!("{model}: {} states", coverage.states);
    out += match coverage.complete {
        true => ", all that are reachable; each number counts pairs of a state and a step\n",
        false => ", and there are more; each number counts pairs of a state and a step\n",
    };
    let width = lines.values().map(|(n, _)| n.to_string().len()).max();
    let width = width.unwrap_or(1);
    for (n, text) in source.lines().enumerate() {
        let (mark, count) = match lines.get(&(n + 1)) {
            Some((steps, true)) => ('!', steps.to_string()),
            Some((steps, false)) => (' ', steps.to_string()),
            None => (' ', String::new()),
        };
        // Writing to a string does not fail.
        let _ = writeln!(out, "{mark}{count:>width$} | {text}");
    }
    out
}

/// A tracefile for lcov's tools: a record for the model's file, with lines and branches.
pub fn lcov(model: &str, coverage: &Coverage) -> String {
    let mut out = format!("TN:\nSF:{model}\n");
    let (mut branches, mut taken) = (0, 0);
    for (block, s) in coverage.statements.iter().enumerate() {
        for (n, branch) in s.branches.iter().enumerate() {
            let count = match s.executions {
                // Of a statement that is never executed nothing is known.
                0 => "-".to_string(),
                _ => branch.steps.to_string(),
            };
            let _ = writeln!(out, "BRDA:{},{block},{n},{count}", s.line);
            branches += 1;
            taken += usize::from(branch.steps > 0);
        }
    }
    let _ = writeln!(out, "BRF:{branches}\nBRH:{taken}");
    let lines = by_line(coverage);
    for (line, (steps, _)) in &lines {
        let _ = writeln!(out, "DA:{line},{steps}");
    }
    let hit = lines.values().filter(|(steps, _)| *steps > 0).count();
    let _ = writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::results::{Covered, Onward};

    #[test]
    fn files_have_a_number_for_each_line_with_statements() {
        let covered = |line, executions, branches: &[(usize, u64)]| Covered {
            line,
            column: 1,
            text: String::new(),
            reached: true,
            executions,
            branches: branches
                .iter()
                .map(|&(line, steps)| Onward {
                    line,
                    column: 1,
                    steps,
                })
                .collect(),
        };
        let coverage = Coverage {
            states: "7".to_string(),
            complete: true,
            statements: vec![
                covered(1, 12, &[(2, 12), (3, 0)]),
                covered(1, 0, &[]),
                covered(3, 0, &[]),
            ],
            stuck: Vec::new(),
            trivial: Vec::new(),
        };
        assert_eq!(
            lcov("m.cor", &coverage),
            "TN:\nSF:m.cor\nBRDA:1,0,0,12\nBRDA:1,0,1,0\nBRF:2\nBRH:1\nDA:1,12\nDA:3,0\nLF:2\nLH:1\nend_of_record\n"
        );
        let text = annotated("m.cor", "a\nb\nc\n", &coverage);
        assert!(text.ends_with("!12 | a\n    | b\n! 0 | c\n"), "{text}");
    }
}
