//! The models of `fails` statements: names resolved, ranges checked, and evaluated.

use super::{Elaborator, Meaning};
use crate::algebra::refute::{Flaw, Model, Value, atoms_of};
use crate::algebra::show;
use crate::algebra::text::codes as code;
use crate::algebra::tree::{ModelEntry, ModelTree};
use crate::base::diagnostic::Span;
use crate::kernel::Statement;

/// Most states and processes of a model that a file gives: it is evaluated pair by pair.
const STATES: usize = 64;
const PROCESSES: usize = 8;

const HELP: &str =
    "a model is `{ states 3; processes 2; x = 1->2,3  2->3; p = 1,2; u[1] = none; i = 1 }`";

impl Elaborator {
    /// Evaluates the models of the file at hand, when all its hypotheses are known.
    pub(super) fn models(&mut self) {
        for (item, tree) in std::mem::take(&mut self.pending) {
            let errors = self.errors.len();
            let (assumed, goal) = self.suite.on_relations(item);
            let (names, assumed): (Vec<String>, Vec<Statement>) = assumed.into_iter().unzip();
            let Some(model) = self.model(&tree, &assumed, &goal) else {
                continue;
            };
            if self.errors.len() > errors {
                continue;
            }
            let d = &self.suite.development;
            let message = match model.complete(&d.terms, &assumed, &goal) {
                Ok(model) => {
                    self.suite.items[item].model = Some(model);
                    continue;
                }
                Err(Flaw::Hypothesis(n)) => {
                    let text = show::statement(d, &assumed[n]);
                    match names[n].as_str() {
                        "" => format!("the premise `{text}` is false in this model"),
                        name => format!("`{name}` is false in this model: `{text}`"),
                    }
                }
                Err(Flaw::Holds) => "the statement is true in this model".to_string(),
                Err(Flaw::TooMany) => {
                    "too many states and processes for this statement".to_string()
                }
            };
            let expected = "relations in which the hypotheses hold and the statement fails";
            self.error(code::MODEL, tree.span, message, expected, HELP);
        }
    }

    fn wrong(&mut self, span: Span, message: impl Into<String>, expected: impl Into<String>) {
        self.error(code::MODEL, span, message, expected, HELP);
    }

    /// The relations as given; what is wrong with them is among the errors.
    fn model(
        &mut self,
        tree: &ModelTree,
        assumed: &[Statement],
        goal: &Statement,
    ) -> Option<Model> {
        let Some((states, span)) = tree.states else {
            self.wrong(tree.span, "the model has no states", "`states 3;`");
            return None;
        };
        if states == 0 || states > STATES {
            self.wrong(span, "a model has 1 to 64 states", "a number from 1 to 64");
            return None;
        }
        let all: Vec<&Statement> = assumed.iter().chain([goal]).collect();
        let atoms = atoms_of(&self.suite.development.terms, &all);
        let processes = self.processes(tree, &atoms, goal)?;
        let mut model = Model {
            states,
            processes,
            ..Model::default()
        };
        model.fill(&atoms);
        let mut given = Vec::new();
        for entry in &tree.entries {
            let key = (&entry.name.name, entry.processes.iter().map(|(p, _)| *p));
            let key = (key.0.clone(), key.1.collect::<Vec<usize>>());
            if given.contains(&key) {
                let message = format!("`{}` has a value already", entry.name.name);
                self.wrong(entry.name.span, message, "each name once");
            }
            given.push(key);
            self.entry(entry, &mut model, &atoms.variables);
        }
        Some(model)
    }

    fn processes(
        &mut self,
        tree: &ModelTree,
        atoms: &crate::algebra::refute::Atoms,
        goal: &Statement,
    ) -> Option<usize> {
        let speaks = atoms.indexed || !goal.distinct.is_empty();
        let named = tree.entries.iter().flat_map(|e| &e.processes);
        let most = named.map(|(p, _)| *p).max().unwrap_or(1);
        match tree.processes {
            Some((_, span)) if !speaks => {
                let message = "nothing in this statement speaks of processes";
                self.wrong(span, message, "no number of processes");
                None
            }
            Some((n, span)) if n == 0 || n > PROCESSES => {
                let message = "a model has 1 to 8 processes";
                self.wrong(span, message, "a number from 1 to 8");
                None
            }
            Some((n, _)) => Some(n),
            None if !speaks => Some(0),
            None => Some(most.clamp(1, PROCESSES)),
        }
    }

    fn entry(&mut self, entry: &ModelEntry, model: &mut Model, variables: &[u32]) {
        let name = &entry.name;
        let arity = entry.processes.len();
        let (states, processes) = (model.states, model.processes);
        let at: Vec<usize> = entry
            .processes
            .iter()
            .map(|(p, _)| p.wrapping_sub(1))
            .collect();
        if let Some((p, span)) = entry
            .processes
            .iter()
            .find(|(p, _)| *p == 0 || *p > processes)
        {
            let message = format!("there is no process {p}");
            let expected = format!("a process from 1 to {processes}");
            self.wrong(*span, message, expected);
            return;
        }
        let letter = match self.meanings.get(&(name.name.clone(), arity)) {
            Some(Meaning::Letter(symbol)) => Some(*symbol),
            Some(Meaning::Definition { .. }) => {
                let message = format!("`{}` is a definition", name.name);
                self.wrong(name.span, message, "values of the names it is made of");
                return;
            }
            None => None,
        };
        if let Some(symbol) = letter {
            let mut atoms = model.atoms.iter_mut();
            let own = |a: &&mut Value| a.symbol == symbol && a.processes == at;
            let Some(value) = atoms.find(own) else {
                let message = format!("the statement does not speak of `{}`", name.name);
                self.wrong(
                    name.span,
                    message,
                    "a name in the statement or a hypothesis",
                );
                return;
            };
            let test = self.suite.development.terms.symbols()[symbol as usize].test;
            let alone = entry.states.iter().map(|(s, span)| (*s, *s, *span));
            for (s, t, span) in alone.chain(entry.pairs.iter().copied()) {
                let out = |s: usize| s == 0 || s > states;
                let wrong = if out(s) || out(t) {
                    let n = if out(s) { s } else { t };
                    let expected = format!("a state from 1 to {states}");
                    Some((format!("there is no state {n}"), expected))
                } else if test && s != t {
                    let message = format!("`{}` is a test: it has states, not pairs", name.name);
                    Some((message, "states such as `1,2`".to_string()))
                } else if !test && entry.states.iter().any(|(_, other)| *other == span) {
                    let message = format!("`{}` is an action: it has pairs of states", name.name);
                    Some((message, format!("`{s}->{s}`")))
                } else {
                    None
                };
                if let Some((message, expected)) = wrong {
                    self.wrong(span, message, expected);
                    return;
                }
                value.pairs.insert((s - 1, t - 1));
            }
            return;
        }
        let variable = self.variables.get(&name.name).copied();
        match (
            variable.filter(|v| arity == 0 && variables.contains(v)),
            entry.states.as_slice(),
        ) {
            (Some(v), [(p, _)]) if entry.pairs.is_empty() && *p >= 1 && *p <= processes => {
                model.variables.push((v, p - 1));
            }
            (Some(_), _) => {
                let message = format!("`{}` stands for one process", name.name);
                let expected = format!("a process from 1 to {processes}");
                self.wrong(name.span, message, expected);
            }
            (None, _) => {
                let indices = if arity == 0 { "" } else { "[..]" };
                let message = format!("the statement does not speak of `{}{indices}`", name.name);
                let expected = "a name in the statement or a hypothesis";
                self.wrong(name.span, message, expected);
            }
        }
    }
}
