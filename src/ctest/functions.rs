//! Which functions are transactions, for people and for programs.

use super::claims::Claimed;
use super::movers::{Break, Finding, Key, Verdict};
use super::report::Report;
use serde_json::{Value, json};
use std::collections::BTreeMap;
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

    fn key_json(&self, key: &Key) -> Value {
        let object = self.debug.object(key.addr);
        json!({"thread": key.thread, "place": self.debug.place(key.pc),
            "operation": self.operation(key.kind, key.addr, &object, 0)})
    }

    fn other(&self, key: &Key) -> String {
        format!("{} in T{}", self.step(key), key.thread)
    }

    /// Why a claim is open, if it is: reasons to read, and for programs.
    fn open_claim(&self, claimed: &Claimed) -> Option<(&'static str, &'static str)> {
        let all = self.all_seen();
        match (&claimed.cycle, claimed.longest) {
            (Some(_), _) => Some((
                "cycle",
                "in some execution its steps can't stand side by side",
            )),
            (None, None) if all => Some((
                "never left",
                "its block is never left, so nothing is said of it",
            )),
            (None, _) if !all => Some(("not all executions", "not all executions were seen")),
            _ => None,
        }
    }

    /// All claims of the program, also of blocks that nobody enters.
    fn claims(&self) -> BTreeMap<String, Claimed> {
        let known = self.debug.claims.iter();
        let mut all: BTreeMap<String, Claimed> = known
            .map(|name| (name.clone(), Claimed::default()))
            .collect();
        let met = self.exploration.claims.all();
        all.extend(met.map(|(name, claimed)| (name.to_string(), claimed.clone())));
        all
    }

    /// The claims of which it is not known whether they are true.
    pub(super) fn open_claims(&self) -> Vec<String> {
        let claims = self.claims().into_iter();
        let open = claims.filter(|(_, claimed)| self.open_claim(claimed).is_some());
        open.map(|(name, _)| name).collect()
    }

    pub(super) fn claims_text(&self) -> String {
        let claims = self.claims();
        if claims.is_empty() {
            return String::new();
        }
        let mut text = String::from("\nclaims:\n");
        let width = claims.keys().map(String::len).max().unwrap_or(0);
        for (name, claimed) in &claims {
            let said = match self.open_claim(claimed) {
                Some((_, why)) => format!("unknown: {why}"),
                None => "atomic: each execution is equivalent to one in which nobody interrupts it"
                    .into(),
            };
            let _ = writeln!(text, "    {name:width$}  {said}");
            if let Some(cycle) = &claimed.cycle {
                for (n, key) in cycle.iter().enumerate() {
                    let then = if n == 0 { "" } else { "then " };
                    let _ = writeln!(text, "    {:width$}    {then}{}", "", self.other(key));
                }
                let _ = writeln!(
                    text,
                    "    {:width$}    (it may be atomic all the same, as loops around a compare-and-swap mostly are)",
                    ""
                );
            }
        }
        text
    }

    pub(super) fn claims_json(&self) -> Value {
        let step = |key: &Key| self.key_json(key);
        let claims = self.claims();
        let claims = claims.iter().map(|(name, claimed)| {
            let open = self.open_claim(claimed);
            json!({
                "name": name,
                "verdict": if open.is_some() { "unknown" } else { "atomic" },
                "reason": open.map(|o| o.0),
                "cycle": claimed.cycle.iter().flatten().map(step).collect::<Vec<_>>(),
            })
        });
        claims.collect()
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
        let step = |key: &Key| self.key_json(key);
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
