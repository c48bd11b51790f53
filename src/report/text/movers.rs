//! `coarsen movers`, for people: what each action is, what is in the way of more, and the transactions as claims to
//! paste back.

use super::headline;
use super::steps::at;
use crate::base::results::{Blocked, MoverAction, MoversReport, Transaction};
use crate::report::layout::{counted, printable_lines, wrapped};
use std::fmt::Write;

/// Conditions shown for an action, the weakest first.
const CONDITIONS: usize = 2;

/// The report of `coarsen movers` on one model.
pub fn render_movers(report: &MoversReport, verbose: bool) -> String {
    let mut body = String::from("\n");
    for (threads, actions) in alike(report) {
        // Writing to a string does not fail.
        let _ = writeln!(body, "{}:", threads.join(", "));
        for action in actions {
            let place = action.step.location.trim_start_matches("line ");
            let _ = write!(body, "  {:5}  ", action.class.id());
            match place.parse::<usize>() == Ok(action.step.line) {
                true => body += &format!("line {}: {}\n", action.step.line, action.step.text),
                false => {
                    body += &format!(
                        "{}, line {}: {}\n",
                        action.step.location, action.step.line, action.step.text
                    );
                }
            }
            if verbose {
                let _ = writeln!(body, "           {}", action.why);
            }
            blocked(&mut body, "right", &action.right, verbose);
            blocked(&mut body, "left", &action.left, verbose);
            let shown = if verbose {
                action.under.len()
            } else {
                CONDITIONS
            };
            for u in action.under.iter().take(shown) {
                let _ = writeln!(body, "           {} if {}", u.class.id(), u.condition);
            }
        }
    }
    let mut theorems: Vec<&str> = report
        .transactions
        .iter()
        .map(|t| t.theorem.as_str())
        .collect();
    theorems.dedup();
    for theorem in &theorems {
        let of = |t: &&Transaction| t.theorem == *theorem;
        let all = report.transactions.iter().filter(of).count();
        let long: Vec<&Transaction> = report
            .transactions
            .iter()
            .filter(of)
            .filter(|t| t.actions != "1")
            .collect();
        let _ = writeln!(
            body,
            "\nby {theorem}: {}, {} of more than one action",
            counted(all, "transaction"),
            long.len()
        );
        // What a more demanding theorem gives contains the rest.
        if Some(theorem) != theorems.last() && !verbose {
            continue;
        }
        for (n, t) in long.iter().enumerate() {
            claim(&mut body, n + 1, t);
        }
    }
    if !report.notes.is_empty() {
        body += "\nnotes:\n";
        for note in &report.notes {
            let _ = writeln!(body, "  {}", wrapped(&note.to_string(), 2));
        }
    }
    headline(&report.model, "movers", &report.reason.to_string()) + &printable_lines(&body)
}

/// Threads whose actions are the same, with these.
fn alike(report: &MoversReport) -> Vec<(Vec<&str>, Vec<&MoverAction>)> {
    let mut all: Vec<(Vec<&str>, Vec<&MoverAction>)> = Vec::new();
    let mut rest = report.actions.as_slice();
    while let Some(first) = rest.first() {
        let thread = first.step.thread.as_str();
        let end = rest
            .iter()
            .position(|a| a.step.thread != thread)
            .unwrap_or(rest.len());
        let actions: Vec<&MoverAction> = rest[..end].iter().collect();
        let same = |other: &[&MoverAction]| {
            other.len() == actions.len()
                && other.iter().zip(&actions).all(|(a, b)| {
                    (a.step.line, &a.step.text, a.class) == (b.step.line, &b.step.text, b.class)
                })
        };
        match all.iter_mut().find(|(_, other)| same(other)) {
            Some((threads, _)) => threads.push(thread),
            None => all.push((vec![thread], actions)),
        }
        rest = &rest[end..];
    }
    all
}

fn blocked(body: &mut String, direction: &str, by: &[Blocked], verbose: bool) {
    let shown = if verbose { by.len() } else { 1 };
    for b in by.iter().take(shown) {
        let _ = writeln!(
            body,
            "           not {direction}: {} fails with b at {}",
            b.law.formula(),
            at(&b.other)
        );
    }
    if by.len() > shown {
        let _ = writeln!(body, "               (and {} more)", by.len() - shown);
    }
}

fn claim(body: &mut String, n: usize, t: &Transaction) {
    let commits: Vec<String> = t.commits.iter().map(usize::to_string).collect();
    let commits = match commits.as_slice() {
        [] => "nothing commits".to_string(),
        _ => format!("commits at line {}", commits.join(", ")),
    };
    let lines = match t.first_line == t.last_line {
        true => format!("line {}", t.first_line),
        false => format!("lines {} to {}", t.first_line, t.last_line),
    };
    let _ = writeln!(
        body,
        "  {lines} of {}: {} actions, {commits}",
        t.threads.join(", "),
        t.actions
    );
    let _ = writeln!(body, "      transaction t{n} {{");
    let indent = t
        .text
        .lines()
        .skip(1)
        .filter(|l| !l.trim().is_empty())
        .map(|l| l.len() - l.trim_start().len())
        .min()
        .unwrap_or(0);
    for (n, line) in t.text.lines().enumerate() {
        let line = if n == 0 {
            line
        } else {
            line.get(indent..).unwrap_or(line.trim_start())
        };
        let _ = writeln!(body, "          {line}");
    }
    let _ = writeln!(body, "      }}");
}
