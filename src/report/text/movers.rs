//! `coarsen movers`, for people: what each statement is, what is in the way of more, and the transactions as claims to
//! paste back.

use super::steps::at;
use super::{Detail, whole};
use crate::base::results::{
    Annotation, Conditional, Missed, MoverStatement, MoversReport, Transaction,
};
use crate::report::layout::{counted, folded, place, places, wrapped};
use std::fmt::Write;

/// Conditions shown for a statement, the weakest first.
const CONDITIONS: usize = 2;

/// The report of `coarsen movers` on one model.
pub fn render_movers(report: &MoversReport, detail: Detail) -> String {
    whole(&report.model, ("movers", &report.reason), detail, || {
        let verbose = detail == Detail::Verbose;
        let mut body = String::from("\n");
        for a in &report.annotations {
            annotation(&mut body, &report.model, a);
        }
        let mut threads: &[String] = &[];
        for s in &report.statements {
            if s.threads != threads {
                threads = &s.threads;
                // Writing to a string does not fail.
                let _ = writeln!(body, "{}:", threads.join(", "));
            }
            statement(&mut body, &report.model, s, verbose);
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
                claim(&mut body, &report.model, n + 1, t);
            }
        }
        if !report.notes.is_empty() {
            body += "\nnotes:\n";
            for note in &report.notes {
                let _ = writeln!(body, "{}", wrapped(&format!("  {note}"), 4));
            }
        }
        folded(&body)
    })
}

fn annotation(body: &mut String, model: &str, a: &Annotation) {
    let place = place(model, a.line, a.column);
    let said = match a.said {
        "atomic" => "atomic by movers".to_string(),
        said => format!("a {said} mover"),
    };
    let _ = writeln!(body, "{}: {place}: {} is {said}", a.verdict.id(), a.name);
    if !a.entered {
        let _ = writeln!(body, "    no thread enters it");
    }
    for (n, step) in a.against.iter().enumerate() {
        let step = at(model, step);
        let _ = match (a.said, n) {
            ("atomic", 0) => writeln!(body, "    but {step} is no right mover"),
            ("atomic", _) => writeln!(body, "    and {step}, behind it, is no left mover"),
            _ => writeln!(body, "    but not {step}"),
        };
    }
}

fn statement(body: &mut String, model: &str, s: &MoverStatement, verbose: bool) {
    let at = match s.line {
        0 => String::new(),
        line => place(model, line, s.column) + ": ",
    };
    let label = match s.location.starts_with("line ") {
        true => String::new(),
        false => format!("{}, ", s.location),
    };
    let _ = writeln!(body, "  {:5}  {label}{at}{}", s.class.id(), s.text);
    if verbose {
        let actions = match s.actions.as_str() {
            "1" => String::new(),
            n => format!("{n} actions; "),
        };
        let _ = writeln!(body, "           {actions}{}", s.why);
    }
    missed(body, model, "right", s.right.as_ref(), verbose);
    missed(body, model, "left", s.left.as_ref(), verbose);
    let shown = if verbose { s.under.len() } else { CONDITIONS };
    for u in s.under.iter().take(shown) {
        let _ = writeln!(body, "           {}", condition(u, &s.threads));
    }
    for way in &s.branches {
        let _ = writeln!(body, "           {way}");
    }
}

/// `right if ready`, after the threads if these are not all that have the statement.
fn condition(u: &Conditional, all: &[String]) -> String {
    let of = match u.threads == all {
        true => String::new(),
        false => format!("{}: ", u.threads.join(", ")),
    };
    format!("{of}{} if {}", u.class.id(), u.condition)
}

fn missed(body: &mut String, model: &str, direction: &str, missed: Option<&Missed>, verbose: bool) {
    let Some(missed) = missed else {
        return;
    };
    let line = format!("           not {direction}: {missed}");
    let _ = writeln!(body, "{}", wrapped(&line, 15));
    if missed.more.is_empty() {
        return;
    }
    if !verbose {
        let _ = writeln!(body, "               (and {} more)", missed.more.len());
    }
    for other in missed.more.iter().filter(|_| verbose) {
        let _ = writeln!(body, "               and {}", at(model, other));
    }
}

fn claim(body: &mut String, model: &str, n: usize, t: &Transaction) {
    let commits = match t.commits.as_slice() {
        [] => "nothing commits".to_string(),
        some => format!("commits at {}", places(some)),
    };
    let begin = place(model, t.first_line, t.column);
    let lines = match t.first_line == t.last_line {
        true => begin,
        false => format!("{begin} to line {}", t.last_line),
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
