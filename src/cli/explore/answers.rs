//! What the page asks, and its answers as JSON.

use coarsen::Session;
use coarsen::base::control::{Budget, Control, Stop};
use coarsen::command::explore::{Coarse, Explorer, MOST, Seen, Way, find, follow};
use coarsen::report::diagnostics::{Colour, render};
use coarsen::results::{Property, Report, Step, Value};
use serde_json::{Value as Json, json};
use std::sync::Mutex;

/// A model that is being explored.
pub struct Explored {
    session: Session,
    report: Report,
    budget: Budget,
}

impl Explored {
    pub fn new(session: Session, report: Report, budget: Budget) -> Self {
        Explored {
            session,
            report,
            budget,
        }
    }

    /// The answer to a question, if it is one.
    pub fn answer(&self, path: &str, query: &str, explorer: &Mutex<Explorer>) -> Option<Json> {
        // A worker that has panicked leaves a graph in which every state is as it was.
        let locked = || explorer.lock().unwrap_or_else(|e| e.into_inner());
        match path {
            "/model" => Some(self.model(&locked())),
            "/state" => {
                let id = argument(query, "id")?.parse().ok()?;
                Some(seen(&locked().look(id)?))
            }
            // Others go on while a state is searched for.
            "/find" => {
                let goal = argument(query, "where")?;
                let goal = match self.session.state_expression(&goal) {
                    Ok(e) => e,
                    Err(wrong) => {
                        let told = render("the condition", &goal, &wrong, Colour::Plain);
                        return Some(json!({ "wrong": told }));
                    }
                };
                let found = find(self.session.program(), &goal, &self.control());
                Some(way(found.map(|f| f.map(|f| locked().numbers(&f)))))
            }
            "/execution" => {
                let name = argument(query, "of")?;
                let property = self.report.properties.iter().find(|p| p.name == name)?;
                let trace = property.trace.as_ref()?;
                let found = follow(self.session.program(), trace, &self.control());
                Some(way(found.map(|f| f.map(|f| locked().numbers(&f)))))
            }
            _ => None,
        }
    }

    /// No more states than may have numbers.
    fn control(&self) -> Control {
        Control::new(Budget {
            states: self.budget.states.min(MOST),
            ..self.budget
        })
    }

    fn model(&self, explorer: &Explorer) -> Json {
        let property = |p: &Property| {
            json!({
                "name": p.name,
                "verdict": p.verdict.id(),
                "reason": p.reason.to_string(),
                "execution": p.trace.is_some(),
            })
        };
        let names: Vec<String> = explorer.names().into_iter().map(|v| v.name).collect();
        json!({
            "name": self.report.model,
            "verdict": self.report.verdict.id(),
            "reason": self.report.reason.to_string(),
            "theorem": self.report.theorem,
            "properties": self.report.properties.iter().map(property).collect::<Vec<_>>(),
            "initial": explorer.starts(),
            "variables": names,
            "source": self.session.program().source,
        })
    }
}

/// A way through the graph, or why there is none.
fn way(found: Result<Option<Vec<usize>>, Stop>) -> Json {
    match found {
        Ok(Some(way)) => json!({ "way": way }),
        Ok(None) => json!({ "none": true }),
        Err(stop) => json!({ "stopped": stop.to_string() }),
    }
}

fn step(step: &Step) -> Json {
    json!({
        "thread": step.thread,
        "location": step.location,
        "line": step.line,
        "column": step.column,
        "text": step.text,
    })
}

fn seen(seen: &Seen) -> Json {
    let of = |way: &Way| {
        let visible = way.visible.as_ref().map(|(visible, _)| *visible);
        let reasons = way.visible.iter().flat_map(|(_, reasons)| reasons);
        json!({
            "step": step(&way.step),
            "changes": way.changes,
            "violation": way.violation.as_ref().map(ToString::to_string),
            "to": way.to,
            "visible": visible,
            "reasons": reasons.map(ToString::to_string).collect::<Vec<_>>(),
        })
    };
    let coarse = |c: &Coarse| json!({ "thread": c.thread, "first": step(&c.first), "way": c.way });
    json!({
        "id": seen.id,
        "before": seen.before,
        "depth": seen.depth,
        "values": seen.values.iter().map(told).collect::<Vec<_>>(),
        "ended": seen.ended.map(|e| e.to_string()),
        "steps": seen.steps.iter().map(of).collect::<Vec<_>>(),
        "coarse": seen.coarse.iter().map(coarse).collect::<Vec<_>>(),
    })
}

/// A value as it is read.
fn told(value: &Value) -> String {
    match value {
        Value::Int(n) => n.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(all) => {
            let all: Vec<String> = all.iter().map(told).collect();
            format!("[{}]", all.join(", "))
        }
    }
}

/// An argument of a question.
fn argument(query: &str, name: &str) -> Option<String> {
    let mut all = query.split('&').filter_map(|part| part.split_once('='));
    let (_, value) = all.find(|(n, _)| *n == name)?;
    let value = value.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&value)
        .decode_utf8()
        .ok()?;
    Some(decoded.into_owned())
}
