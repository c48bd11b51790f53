//! Files of theories, proofs and identities, with all that they use: text to suites.

use super::derivation::derivation;
use super::refute::Model;
use super::show;
use crate::algebra::elaborate::{Source, elaborate};
use crate::algebra::library;
use crate::algebra::prove::{self, Engine, Limits, Status};
use crate::algebra::suite::{Declared, Item, Level, Suite};
use crate::algebra::text::{codes as code, parse_file, parse_suite};
use crate::algebra::tree::{Entry, File, Used};
use crate::base::control::{Control, Stop};
use crate::base::diagnostic::Diagnostic;
use crate::base::nearest;
use crate::base::results::SCHEMA_VERSION;
use crate::base::results::derivation::Derivation;
use crate::base::results::proofs::{Assigned, Counterexample, Proof, Relation};
use crate::kernel::Development;
use std::time::Instant;

/// A text with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What messages call it; two texts of one name are the same.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A file with errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flawed {
    /// The file.
    pub file: Text,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Finds the file that `use "path";` speaks of: the path, and the name of the file that it stands in.
pub type Loader<'a> = dyn FnMut(&str, &str) -> Result<Text, String> + 'a;

/// More files than these are not used together.
const MOST_FILES: usize = 1000;

/// Reads and elaborates a file with all that it uses. A name that ends with `.txt` is a suite of S-expressions.
///
/// # Errors
/// The first file with errors; files in use come first.
pub fn load_suite(file: Text, depth: usize, load: &mut Loader) -> Result<Suite, Box<Flawed>> {
    let asked = file.name.clone();
    let files = load_trees(file, depth, load)?;
    let sources: Vec<Source> = files
        .iter()
        .map(|(text, tree)| Source {
            name: &text.name,
            text: &text.text,
            tree,
            asked: text.name == asked,
        })
        .collect();
    elaborate(&sources).map_err(|(n, diagnostics)| {
        Box::new(Flawed {
            file: files[n].0.clone(),
            diagnostics,
        })
    })
}

/// Reads a file with all that it uses; each file stands behind those that it uses.
pub(crate) fn load_trees(
    file: Text,
    depth: usize,
    load: &mut Loader,
) -> Result<Vec<(Text, File)>, Box<Flawed>> {
    let mut files = Files {
        depth,
        done: Vec::new(),
        open: Vec::new(),
    };
    files.add(file, load)?;
    Ok(files.done)
}

struct Files {
    depth: usize,
    /// Files read, each behind those that it uses.
    done: Vec<(Text, File)>,
    /// Names of the files around the one at hand.
    open: Vec<String>,
}

impl Files {
    fn add(&mut self, file: Text, load: &mut Loader) -> Result<(), Box<Flawed>> {
        let parsed = if file.name.ends_with(".txt") {
            parse_suite(&file.text, self.depth)
        } else {
            parse_file(&file.text, self.depth)
        };
        let tree = match parsed {
            Ok(tree) => tree,
            Err(diagnostics) => return Err(Box::new(Flawed { file, diagnostics })),
        };
        self.open.push(file.name.clone());
        let mut wrong = Vec::new();
        for item in &tree.items {
            let Entry::Use(used) = item else { continue };
            match find(used, &file.name, load) {
                Ok(text) if self.done.iter().any(|(t, _)| t.name == text.name) => {}
                Ok(text) if self.open.contains(&text.name) => {
                    let message = if text.name == file.name {
                        format!("`{}` uses itself", file.name)
                    } else {
                        format!("`{}` uses this file, perhaps through others", text.name)
                    };
                    wrong.push(refused(
                        used,
                        message,
                        "take one of the `use` items away".into(),
                    ));
                }
                Ok(_) if self.open.len() + self.done.len() >= MOST_FILES => {
                    let message = format!("more than {MOST_FILES} files are used together");
                    wrong.push(refused(used, message, "use fewer files".into()));
                }
                Ok(text) => self.add(text, load)?,
                Err(diagnostic) => wrong.push(*diagnostic),
            }
        }
        self.open.pop();
        if !wrong.is_empty() {
            return Err(Box::new(Flawed {
                file,
                diagnostics: wrong,
            }));
        }
        self.done.push((file, tree));
        Ok(())
    }
}

fn find(used: &Used, from: &str, load: &mut Loader) -> Result<Text, Box<Diagnostic>> {
    let name = used.file.name.as_str();
    if used.path {
        return load(name, from).map_err(|why| {
            let help = "paths begin at the folder of the file they stand in".into();
            Box::new(refused(
                used,
                format!("`{name}` can't be read: {why}"),
                help,
            ))
        });
    }
    let shipped = library().iter().find(|(n, _, _)| *n == name);
    shipped
        .map(|(_, path, text)| Text {
            name: (*path).to_string(),
            text: (*text).to_string(),
        })
        .ok_or_else(|| {
            let mut help = match nearest(name, library().iter().map(|(n, _, _)| *n)) {
                Some(near) => format!("did you mean `{near}`? "),
                None => String::new(),
            };
            let all: Vec<&str> = library().iter().map(|(n, _, _)| *n).collect();
            help += &format!("there are: {}; a path stands in quotes", all.join(", "));
            Box::new(refused(
                used,
                format!("no file `{name}` comes with coarsen"),
                help,
            ))
        })
}

fn refused(used: &Used, message: String, help: String) -> Diagnostic {
    Diagnostic::error(
        code::USE,
        used.file.span,
        message,
        "a shipped file, or another file in quotes",
        help,
    )
}

/// The answer for a statement that has not been tried yet.
pub fn untried(item: &Item) -> Proof {
    Proof {
        schema_version: SCHEMA_VERSION,
        name: item.name.clone(),
        file: item.file.clone(),
        line: item.line,
        declared: item.declared,
        status: Status::Unknown,
        engine: Engine::None,
        time: 0.0,
        why: vec!["not tried".to_string()],
        level: item.level.name(),
        unneeded_hints: Vec::new(),
        model: None,
        derivation: None,
        suggestions: None,
    }
}

/// What is wanted besides the answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Also {
    /// The hints that are not needed.
    pub ablate: bool,
    /// The proof for people to read.
    pub derivation: bool,
    /// What a statement that is not proved, nor meant to be false, may be missing.
    pub suggestions: bool,
}

/// The proof of a statement as people read it; none if that takes more operations than the kernel may spend.
fn told(suite: &mut Suite, item: usize, theorem: usize) -> Option<Derivation> {
    let proved = suite.development.theorem(theorem)?;
    let names = suite.names_of_premises(item, proved);
    derivation(&mut suite.development, theorem, &names).ok()?
}

/// Proves or refutes a statement of a suite. With `ablate`, hints that are not needed are named.
pub fn prove_item(suite: &mut Suite, item: usize, limits: &Limits, also: Also) -> Proof {
    let begun = Instant::now();
    let outcome = prove::prove(suite, item, limits);
    let time = begun.elapsed().as_secs_f64();
    let proved = outcome.status == Status::Proved;
    // Nothing is missing where a statement is meant to be false.
    let missing = also.suggestions && !proved && suite.items[item].declared != Declared::Refuted;
    let demonic = suite.items[item].level == Level::Demonic;
    let level = match outcome.theorem {
        Some(theorem) if proved && !demonic => prove::level(&suite.development, theorem),
        _ => suite.items[item].level,
    };
    Proof {
        model: outcome
            .model
            .map(|m| Counterexample::of(&m, &suite.development)),
        status: outcome.status,
        level: level.name(),
        engine: outcome.engine,
        time,
        why: outcome.why,
        derivation: match outcome.theorem {
            Some(theorem) if proved && also.derivation => told(suite, item, theorem),
            _ => None,
        },
        suggestions: missing.then(|| prove::suggestions(suite, item)),
        unneeded_hints: if also.ablate && proved {
            prove::ablate(suite, item, limits)
        } else {
            Vec::new()
        },
        ..untried(&suite.items[item])
    }
}

/// Proves or refutes statements of a suite in order, until it is asked to stop; each answer is told as it comes.
///
/// # Errors
/// Why it was asked to stop.
pub fn prove_items(
    suite: &mut Suite,
    items: &[usize],
    limits: &Limits,
    also: Also,
    control: &Control,
    tell: &mut dyn FnMut(Proof),
) -> Result<(), Stop> {
    for &item in items {
        control.check()?;
        let Item { name, file, .. } = &suite.items[item];
        control.enter(format!("{file}: {name}"));
        tell(prove_item(suite, item, limits, also));
    }
    Ok(())
}

impl Counterexample {
    /// A model in the terms of a development.
    pub fn of(model: &Model, d: &Development) -> Self {
        let up = |(s, t): &(usize, usize)| (s + 1, t + 1);
        let atoms = model.atoms.iter().map(|a| Relation {
            name: a.name(&d.terms),
            pairs: a.pairs.iter().map(up).collect(),
        });
        let variables = model.variables.iter().map(|(v, p)| Assigned {
            name: show::variable(d, *v),
            process: p + 1,
        });
        Counterexample {
            states: model.states,
            processes: model.processes,
            atoms: atoms.collect(),
            variables: variables.collect(),
            part: model.part + 1,
            pair: up(&model.pair),
            smallest: model.smallest,
        }
    }
}
