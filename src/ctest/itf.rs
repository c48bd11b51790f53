//! A schedule in Apalache's Informal Trace Format: for each step the memory that the steps have accessed, by name, and
//! where each thread stands.
//!
//! Values are strings, as a program's are of many types; what a variable holds before its first access is `?`, as it is
//! not asked.

use super::explore::Found;
use super::history::Step;
use super::report::{Report, number};
use super::shared::Kind;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Where the format is described.
const DESCRIPTION: &str = "https://apalache-mc.org/docs/adr/015adr-trace.html";

/// Whether a step tells what its memory holds.
fn tells(step: &Step) -> bool {
    let memory = matches!(
        step.kind,
        Kind::Read
            | Kind::Write
            | Kind::AtomicLoad
            | Kind::AtomicStore
            | Kind::AtomicUpdate
            | Kind::CompareAndSwap
    );
    memory && step.size <= 8
}

impl Report {
    /// The schedule of an error, as an indented document with a line break at its end.
    pub fn itf(&self, error: &Found) -> String {
        let name = |s: &Step| self.places.object(s.addr);
        let mut values: BTreeMap<String, String> = BTreeMap::new();
        for step in error.steps.iter().filter(|s| tells(s)) {
            let value = match step.kind {
                Kind::Read | Kind::AtomicLoad => number(step.value, step.size),
                _ => "?".into(),
            };
            values.entry(name(step)).or_insert(value);
        }
        let threads = error.steps.iter().map(|s| usize::from(s.thread) + 1).max();
        let threads = threads.unwrap_or(0);
        // Where a thread stands is where its next step is.
        let stands = |thread: usize, from: usize| {
            let next = error.steps[from..]
                .iter()
                .find(|s| usize::from(s.thread) == thread);
            let last = error
                .last
                .get(thread)
                .filter(|l| l.ended == 0 && l.begun != 0);
            let pc = next.map(|s| s.pc).or(last.map(|l| l.pc));
            let known = error.last.len() > thread;
            let end = if known { "end" } else { "?" };
            pc.map_or(end.into(), |pc| self.places.line(pc))
        };
        let mut states = Vec::new();
        for index in 0..=error.steps.len() {
            let mut meta = json!({ "index": index });
            if let Some(step) = index.checked_sub(1).map(|i| &error.steps[i]) {
                if tells(step) {
                    values.insert(name(step), number(step.value, step.size));
                }
                meta["thread"] = json!(format!("T{}", step.thread));
                meta["place"] = json!(self.places.line(step.pc));
                meta["operation"] = json!(self.operation(step.kind, step.addr, step.size));
                meta["choice"] = json!(step.choice);
            }
            if index == error.steps.len() {
                meta["violation"] = json!(self.describe(error));
            }
            let mut state = Map::new();
            state.insert("#meta".into(), meta);
            for (name, value) in &values {
                state.insert(name.clone(), json!(value));
            }
            for thread in 0..threads {
                state.insert(format!("T{thread}"), json!(stands(thread, index)));
            }
            states.push(Value::Object(state));
        }
        let threads = (0..threads).map(|t| format!("T{t}"));
        let vars: Vec<String> = values.into_keys().chain(threads).collect();
        let document = json!({
            "#meta": {
                "format": "ITF",
                "format-description": DESCRIPTION,
                "source": self.program,
                "description": self.describe(error),
            },
            "vars": vars,
            "states": states,
        });
        format!("{document:#}\n")
    }
}
