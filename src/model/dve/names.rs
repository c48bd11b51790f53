//! Names in our language: those of the model, with a suffix where one is reserved or taken.

use super::places::{Class, Places};
use super::system::{ProcessId, System, VarId};
use crate::model::text::is_reserved;
use rustc_hash::FxHashSet;

/// What everything is called.
#[derive(Debug)]
pub(super) struct Names {
    pub vars: Vec<String>,
    pub threads: Vec<String>,
    /// The variable that says where a process is, if there is one, and its values.
    pub places: Vec<Option<(String, Vec<String>)>>,
    /// By process and cluster.
    pub labels: Vec<Vec<String>>,
    /// For channels with a buffer, the variables with its length and the parts of its items.
    pub channels: Vec<Option<(String, Vec<String>)>>,
    /// By process, one for each assertion.
    pub asserts: Vec<Vec<String>>,
    /// All names of the top level.
    taken: Taken,
}

#[derive(Clone, Debug, Default)]
struct Taken(FxHashSet<String>);

impl Taken {
    /// The name itself, or with a `_` or a number.
    fn fresh(&mut self, wanted: &str) -> String {
        let base = legal(wanted);
        let mut name = base.clone();
        let mut number = 1;
        while is_reserved(&name) || self.0.contains(&name) {
            number += 1;
            name = match number {
                2 => format!("{base}_"),
                _ => format!("{base}_{number}"),
            };
        }
        self.0.insert(name.clone());
        name
    }
}

/// DVE's names may have `$` and `#` in them.
fn legal(name: &str) -> String {
    name.replace(['$', '#'], "_")
}

impl Names {
    pub fn new(system: &System, places: &[Places], shared: &[bool]) -> Names {
        let mut taken = Taken::default();
        let mut vars = vec![String::new(); system.vars.len()];
        // Names of the model come first, so that they are the ones that stay.
        for (v, var) in system.vars.iter().enumerate() {
            if var.owner.is_none() {
                vars[v] = taken.fresh(&var.name);
            }
        }
        let threads: Vec<String> = system
            .processes
            .iter()
            .map(|p| taken.fresh(&p.name))
            .collect();
        let owned = |v: VarId| shared[v] && system.vars[v].owner.is_some();
        for v in (0..vars.len()).filter(|&v| owned(v)) {
            let name = &system.vars[v].name;
            let alone = (0..vars.len()).filter(|&w| owned(w) && system.vars[w].name == *name);
            vars[v] = match system.vars[v].owner {
                Some(p) if alone.count() > 1 || taken.0.contains(name) => {
                    taken.fresh(&format!("{}_{name}", threads[p]))
                }
                _ => taken.fresh(name),
            };
        }
        let channels = system
            .channels
            .iter()
            .map(|c| {
                (c.size > 0).then(|| {
                    let length = taken.fresh(&format!("{}_length", c.name));
                    let parts = (0..c.width).map(|n| match c.width {
                        1 => taken.fresh(&c.name),
                        _ => taken.fresh(&format!("{}_{n}", c.name)),
                    });
                    (length, parts.collect())
                })
            })
            .collect();
        let mut variables = Vec::new();
        for (p, groups) in places.iter().enumerate() {
            let name = &system.processes[p].name;
            variables.push((groups.classes.len() > 1).then(|| {
                let variable = taken.fresh(&format!("{name}_at"));
                let values = groups.classes.iter().map(|class| match class {
                    Class::State(s) => {
                        taken.fresh(&format!("{name}_{}", system.processes[p].states[*s].name))
                    }
                    Class::Others { committed: false } => taken.fresh(&format!("{name}_elsewhere")),
                    Class::Others { committed: true } => taken.fresh(&format!("{name}_committed")),
                });
                (variable, values.collect())
            }));
        }
        for (p, process) in system.processes.iter().enumerate() {
            let mut own = taken.clone();
            for v in 0..vars.len() {
                if system.vars[v].owner == Some(p) && !shared[v] {
                    let name = &system.vars[v].name;
                    vars[v] = match own.0.contains(name) {
                        true => own.fresh(&format!("{}_{name}", process.name)),
                        false => own.fresh(name),
                    };
                }
            }
        }
        Names {
            labels: labels(system, places),
            asserts: asserts(system),
            vars,
            threads,
            places: variables,
            channels,
            taken,
        }
    }

    /// A name for one more variable of a thread.
    pub fn local(&self, system: &System, p: ProcessId, wanted: &str, more: &[String]) -> String {
        let mut own = self.taken.clone();
        let known = system.vars.iter().zip(&self.vars);
        own.0.extend(
            known
                .filter(|(v, _)| v.owner == Some(p))
                .map(|(_, name)| name.clone()),
        );
        own.0.extend(more.iter().cloned());
        own.fresh(wanted)
    }
}

/// The label of each cluster: the state's name, or those of the first and last of several.
fn labels(system: &System, places: &[Places]) -> Vec<Vec<String>> {
    let of = |p: ProcessId, groups: &Places| {
        // What `at` knows besides labels.
        let mut taken = Taken(
            ["end", "wrong", "start"]
                .map(String::from)
                .into_iter()
                .collect(),
        );
        let states = &system.processes[p].states;
        let alone: Vec<Option<String>> = groups
            .clusters
            .iter()
            .map(|c| match c.as_slice() {
                [one] => Some(taken.fresh(&states[*one].name)),
                _ => None,
            })
            .collect();
        alone
            .into_iter()
            .zip(&groups.clusters)
            .map(|(name, c)| match (name, c.as_slice()) {
                (Some(name), _) => name,
                (None, [first, last]) => taken.fresh(&format!(
                    "{}_or_{}",
                    states[*first].name, states[*last].name
                )),
                (None, [first, .., last]) => taken.fresh(&format!(
                    "{}_to_{}",
                    states[*first].name, states[*last].name
                )),
                (None, _) => taken.fresh("states"),
            })
            .collect()
    };
    places.iter().enumerate().map(|(p, g)| of(p, g)).collect()
}

fn asserts(system: &System) -> Vec<Vec<String>> {
    let mut taken = Taken(
        ["discipline", "assertions", "deadlock_free"]
            .map(String::from)
            .into_iter()
            .collect(),
    );
    let one = |p: &super::system::Process, s: usize, taken: &mut Taken| {
        taken.fresh(&format!("{}_{}", p.name, p.states[s].name))
    };
    system
        .processes
        .iter()
        .map(|p| {
            p.asserts
                .iter()
                .map(|(s, _)| one(p, *s, &mut taken))
                .collect()
        })
        .collect()
}
