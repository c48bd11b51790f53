//! Models as text, in the syntax in which a file gives the model of a `fails` statement.

use super::{Model, Value};
use crate::kernel::{Id, Terms};
use std::collections::BTreeSet;

impl Model {
    /// The model as `fails .. model { .. }` gives it, then the values of the two sides of the part that fails.
    /// `variables` are the names of index variables.
    pub fn lines(&self, terms: &Terms, variables: &[String], part: &(Id, Id)) -> Vec<String> {
        let mut lines = vec!["model {".to_string()];
        let note = match self.smallest {
            true => "  // none has fewer",
            false => "",
        };
        lines.push(format!("  states {};{note}", self.states));
        if self.processes > 0 {
            lines.push(format!("  processes {};", self.processes));
        }
        for value in &self.atoms {
            let test = terms.symbols()[value.symbol as usize].test;
            let drawn = draw(&value.pairs, test);
            lines.push(format!("  {} = {drawn};", value.name(terms)));
        }
        for (variable, process) in &self.variables {
            let unnamed = format!("i{variable}");
            let name = variables.get(*variable as usize).unwrap_or(&unnamed);
            lines.push(format!("  {name} = {};", process + 1));
        }
        lines.push("}".to_string());
        if let Some((left, right)) = self.sides(terms, part) {
            lines.push(format!("left side:  {}", draw(&left, false)));
            lines.push(format!("right side: {}", draw(&right, false)));
        }
        let (s, t) = (self.pair.0 + 1, self.pair.1 + 1);
        lines.push(format!("{s}->{t} is in the left side, not in the right"));
        lines
    }
}

impl Value {
    /// `x`, or `u[1]`: processes count from 1.
    pub fn name(&self, terms: &Terms) -> String {
        let name = &terms.symbols()[self.symbol as usize].name;
        if self.processes.is_empty() {
            return name.clone();
        }
        let at: Vec<String> = self.processes.iter().map(|p| (p + 1).to_string()).collect();
        format!("{name}[{}]", at.join(", "))
    }
}

/// Where each state leads, `1->2,3  2->3`; of a test its states, `1,2`.
fn draw(pairs: &BTreeSet<(usize, usize)>, test: bool) -> String {
    let mut text = String::new();
    let mut from = None;
    for (s, t) in pairs {
        let first = text.is_empty();
        text += &match (test, from == Some(s)) {
            (true, _) if first => (s + 1).to_string(),
            (true, _) => format!(",{}", s + 1),
            (false, true) => format!(",{}", t + 1),
            (false, false) if first => format!("{}->{}", s + 1, t + 1),
            (false, false) => format!("  {}->{}", s + 1, t + 1),
        };
        from = Some(s);
    }
    match text.is_empty() {
        true => "none".to_string(),
        false => text,
    }
}
