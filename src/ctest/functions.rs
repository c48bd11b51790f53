//! Which functions are transactions, for people and for programs.

use super::movers::{Break, Finding, Key, Verdict};
use super::report::Report;
use serde_json::{Value, json};
use std::fmt::Write;

/// What is said of a function.
fn name(finding: &Finding, all: bool) -> &'static str {
    match finding {
        Finding::Broken(_) => "broken",
        _ if !all => "unknown",
        Finding::Split(_) => "split",
        Finding::Transaction => "transaction",
    }
}

impl Report {
    fn step(&self, key: &Key) -> String {
        let operation = self.operation(key.kind, key.addr, &self.debug.object(key.addr), 0);
        format!("{operation} at {}", self.debug.place(key.pc))
    }

    fn other(&self, key: &Key) -> String {
        format!("{} in T{}", self.step(key), key.thread)
    }

    fn verdicts(&self) -> Vec<(String, Verdict)> {
        let verdicts = self.exploration.calls.verdicts().into_iter();
        let mut named: Vec<(String, Verdict)> =
            verdicts.map(|v| (self.debug.called(v.pc), v)).collect();
        named.sort_by(|a, b| (&a.0, a.1.pc).cmp(&(&b.0, b.1.pc)));
        named
    }

    /// Whether all executions were seen, errors or not.
    fn all_seen(&self) -> bool {
        self.exploration.finished && self.limits().is_empty()
    }

    pub(super) fn functions_text(&self) -> String {
        let all = self.all_seen();
        let verdicts = self.verdicts();
        let mut text = if all {
            String::from("\nfunctions, in all executions:\n")
        } else {
            String::from("\nfunctions, in the executions that were seen:\n")
        };
        let width = verdicts.iter().map(|v| v.0.len()).max().unwrap_or(0);
        for (function, verdict) in &verdicts {
            let _ = write!(
                text,
                "    {function:width$}  {}",
                name(&verdict.finding, all)
            );
            if verdict.longest == 0 {
                text.push_str(" (no step that others could see)");
            }
            text.push('\n');
            if let Finding::Split(b) | Finding::Broken(b) = &verdict.finding {
                let pad = width + 6;
                let first = (self.step(&b.first), self.other(&b.behind));
                let second = (self.step(&b.second), self.other(&b.before));
                let _ = writeln!(
                    text,
                    "{:pad$}{} ({} came right behind it),",
                    "", first.0, first.1
                );
                let _ = writeln!(
                    text,
                    "{:pad$}then {} ({} came right before it)",
                    "", second.0, second.1
                );
                let _ = match &verdict.torn {
                    Some([_, other, _]) => writeln!(
                        text,
                        "{:pad$}inside a call, in some execution, has to stand: {}",
                        "",
                        self.other(other)
                    ),
                    None => writeln!(
                        text,
                        "{:pad$}yet each call is equivalent to one that nobody interrupts",
                        ""
                    ),
                };
            }
        }
        if verdicts.is_empty() {
            text.push_str("    none was called\n");
        }
        text
    }

    pub(super) fn functions_json(&self) -> Value {
        let all = self.all_seen();
        let step = |key: &Key| {
            json!({"thread": key.thread, "place": self.debug.place(key.pc),
                "operation": self.operation(key.kind, key.addr, &self.debug.object(key.addr), 0)})
        };
        let pair = |b: &Break| {
            json!([
                {"step": step(&b.first), "followed_by": step(&b.behind)},
                {"step": step(&b.second), "preceded_by": step(&b.before)},
            ])
        };
        let functions = self.verdicts().into_iter().map(|(function, verdict)| {
            let broken_by = match &verdict.finding {
                Finding::Split(b) | Finding::Broken(b) => pair(b),
                Finding::Transaction => Value::Null,
            };
            let serial = match verdict.torn {
                Some(_) => json!(false),
                None if all => json!(true),
                None => Value::Null,
            };
            json!({
                "name": function,
                "place": self.debug.place(verdict.pc),
                "verdict": name(&verdict.finding, all),
                "broken_by": broken_by,
                "serializable": serial,
                "interrupted": verdict.torn.as_ref().map(|torn| torn.each_ref().map(step)),
                "longest": verdict.longest,
            })
        });
        functions.collect()
    }
}
