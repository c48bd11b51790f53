//! Questions without a file: a statement or a term from the command line.
//!
//! A question becomes the text of a small file, in which the letters are declared that it uses and its theory does not:
//! A letter is a test if it stands under `~` or in a product over processes, or if the user says so. Errors are
//! reported at the part that the user wrote.

use crate::algebra::files::{Flawed, Loader, Text, load_suite, load_trees};
use crate::algebra::suite::{Level, Suite};
use crate::algebra::text::{codes, parse_chain, parse_term};
use crate::algebra::tree::{Chain, Entry};
use crate::algebra::{Form, Function, Term};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::kernel::Id;

/// A question as the user writes it.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The statement, or the term.
    pub text: &'a str,
    /// Statements that are assumed.
    pub given: &'a [String],
    /// Letters that are tests, besides those whose complement is used.
    pub tests: &'a [String],
    /// A file whose declarations, definitions and hypotheses are used: the name of a shipped one, or a path.
    pub theory: Option<&'a str>,
    /// The level that it stands at, if one is declared.
    pub level: Option<Level>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Wrong {
    /// A part of the question, or its theory, has errors.
    Flawed(Box<Flawed>),
    /// This is called a test, and is no letter of the question that is free to be one.
    NoLetter(String),
}

/// What the statement of a question is called in messages.
pub const STATEMENT: &str = "<statement>";
/// What the term of a question is called.
pub const TERM: &str = "<term>";
const THEORY: &str = "<theory>";
/// What the file is called that a question becomes.
const FILE: &str = "<question>";

/// A suite whose last item is the statement asked for.
///
/// # Errors
/// See [`Wrong`].
pub fn statement(q: &Question, depth: usize, load: &mut Loader) -> Result<Suite, Wrong> {
    let chain = part(STATEMENT, q.text, parse_chain(q.text, depth))?;
    let mut letters = Letters::default();
    letters.chain(&chain);
    file(q, STATEMENT, letters, "", depth, load)
}

/// A term asked for.
pub struct Asked {
    /// What it stands in: the letters, the hypotheses of its theory, and as the last item a statement with what is
    /// given as premises.
    pub suite: Suite,
    /// The term.
    pub term: Id,
    /// How many symbols the user wrote, products having none.
    pub written: usize,
}

/// A term, ready for [`crate::algebra::simplify`].
///
/// # Errors
/// See [`Wrong`].
pub fn term(q: &Question, depth: usize, load: &mut Loader) -> Result<Asked, Wrong> {
    let tree = part(TERM, q.text, parse_term(q.text, depth))?;
    let mut letters = Letters::default();
    letters.tree(&tree, false);
    let suite = file(q, TERM, letters, "<= T", depth, load)?;
    let link = suite.items.last().and_then(|i| i.links.first());
    let term = link.map_or(crate::kernel::TOP, |l| l.left);
    Ok(Asked {
        suite,
        term,
        written: symbols(&tree),
    })
}

/// Symbols of a term as written; products have none.
fn symbols(tree: &Term) -> usize {
    let all = |xs: &[Term]| xs.iter().map(symbols).sum::<usize>();
    match &tree.form {
        Form::Zero | Form::One | Form::Top | Form::Atom(_) | Form::State(_) => 1,
        Form::SumOver(..) | Form::ProductOver(..) => 1,
        Form::Not(x) | Form::Star(x) | Form::Omega(x) => 1 + symbols(x),
        Form::Applied(_, x) => 1 + symbols(x),
        Form::Sum(xs) => all(xs) + xs.len() - 1,
        Form::Product(xs) => all(xs),
        Form::Hash(x, y) => 1 + symbols(x) + symbols(y),
    }
}

fn part<T>(name: &str, text: &str, parsed: Result<T, Diagnostic>) -> Result<T, Wrong> {
    parsed.map_err(|d| flawed(name, text, vec![d]))
}

fn flawed(name: &str, text: &str, diagnostics: Vec<Diagnostic>) -> Wrong {
    Wrong::Flawed(Box::new(Flawed {
        file: Text {
            name: name.to_string(),
            text: text.to_string(),
        },
        diagnostics,
    }))
}

/// A letter as it is used.
struct Letter {
    name: String,
    arity: usize,
    test: bool,
}

/// The letters of a question in the order in which they come.
#[derive(Default)]
struct Letters(Vec<Letter>);

impl Letters {
    fn chain(&mut self, chain: &Chain) {
        for side in &chain.sides {
            self.tree(side, false);
        }
    }

    /// `test` says whether the term has to be a test.
    fn tree(&mut self, tree: &Term, test: bool) {
        match &tree.form {
            Form::Zero | Form::One | Form::Top | Form::State(_) => {}
            Form::Atom(atom) => {
                let arity = atom.indices.len();
                let known = |l: &&mut Letter| l.name == atom.name && l.arity == arity;
                match self.0.iter_mut().find(known) {
                    Some(letter) => letter.test |= test,
                    None => self.0.push(Letter {
                        name: atom.name.clone(),
                        arity,
                        test,
                    }),
                }
            }
            Form::Not(x) | Form::ProductOver(_, x) => self.tree(x, true),
            Form::Sum(all) | Form::Product(all) => all.iter().for_each(|x| self.tree(x, test)),
            Form::Star(x) | Form::Omega(x) | Form::SumOver(_, x) => self.tree(x, test),
            Form::Applied(Function::Test(_), x) => self.tree(x, false),
            Form::Applied(Function::Converse, x) => self.tree(x, test),
            Form::Hash(x, y) => {
                self.tree(x, test);
                self.tree(y, test);
            }
        }
    }

    /// Leaves out what a file declares or defines.
    fn without(&mut self, entries: &[Entry]) {
        let known = |name: &str, arity: usize| {
            entries.iter().any(|entry| match entry {
                Entry::Declare(_, names) => names
                    .iter()
                    .any(|(n, is, _)| n.name == name && is.len() == arity),
                Entry::Define {
                    name: n, indices, ..
                } => n.name == name && indices.len() == arity,
                _ => false,
            })
        };
        self.0.retain(|l| !known(&l.name, l.arity));
    }

    /// `action x, u[i1];`, one line for each letter.
    fn declared(&self) -> String {
        let line = |l: &Letter| {
            let word = if l.test { "test" } else { "action" };
            let indices: Vec<String> = (1..=l.arity).map(|n| format!("i{n}")).collect();
            match indices.is_empty() {
                true => format!("{word} {};\n", l.name),
                false => format!("{word} {}[{}];\n", l.name, indices.join(", ")),
            }
        };
        self.0.iter().map(line).collect()
    }
}

/// Parts of the text that the user wrote: what they are called, and where they begin.
#[derive(Default)]
struct Parts {
    text: String,
    own: Vec<(String, String, usize)>,
}

impl Parts {
    fn own(&mut self, name: String, text: &str) {
        self.own.push((name, text.to_string(), self.text.len()));
        self.text += text;
    }

    /// Errors of the whole told of the first part that has one.
    fn told(&self, f: Flawed) -> Wrong {
        if f.file.name != FILE {
            return Wrong::Flawed(Box::new(f));
        }
        for (name, text, begin) in &self.own {
            let within = |d: &&Diagnostic| (*begin..=begin + text.len()).contains(&d.span.start);
            let moved: Vec<Diagnostic> = f
                .diagnostics
                .iter()
                .filter(within)
                .map(|d| Diagnostic {
                    span: Span {
                        start: d.span.start - begin,
                        end: d.span.end.saturating_sub(*begin).min(text.len()),
                    },
                    ..d.clone()
                })
                .collect();
            if !moved.is_empty() {
                return flawed(name, text, moved);
            }
        }
        Wrong::Flawed(Box::new(f))
    }
}

/// The question as a file, elaborated.
fn file(
    q: &Question,
    name: &str,
    mut letters: Letters,
    end: &str,
    depth: usize,
    load: &mut Loader,
) -> Result<Suite, Wrong> {
    let mut parts = Parts::default();
    if let Some(theory) = q.theory {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let path = !theory.chars().all(plain) || theory.is_empty();
        if theory.contains(['"', '\n', '\r']) {
            let span = Span::new(0, theory.len());
            let message = "a path with a quote or a line break can't be used";
            let help = "rename the file";
            let d = Diagnostic::error(codes::USE, span, message, "another path", help);
            return Err(flawed(THEORY, theory, vec![d]));
        }
        let quote = if path { "\"" } else { "" };
        parts.text += "use ";
        parts.own(THEORY.to_string(), &format!("{quote}{theory}{quote}"));
        parts.text += ";\n";
    }
    for (n, given) in q.given.iter().enumerate() {
        let name = format!("<given {}>", n + 1);
        letters.chain(&part(&name, given, parse_chain(given, depth))?);
    }
    if q.theory.is_some() {
        let text = Text {
            name: FILE.to_string(),
            text: parts.text.clone(),
        };
        let trees = load_trees(text, depth, load).map_err(|f| parts.told(*f))?;
        trees
            .iter()
            .for_each(|(_, tree)| letters.without(&tree.items));
    }
    for test in q.tests {
        let mut of_name = letters.0.iter_mut().filter(|l| l.name == *test).peekable();
        if of_name.peek().is_none() {
            return Err(Wrong::NoLetter(test.clone()));
        }
        of_name.for_each(|l| l.test = true);
    }
    parts.text += &letters.declared();
    if let Some(level) = q.level {
        parts.text += &format!("level {};\n", level.name());
    }
    parts.text += "identity question";
    for (n, given) in q.given.iter().enumerate() {
        parts.text += if n == 0 { "[\n" } else { ",\n" };
        parts.own(format!("<given {}>", n + 1), given);
        // A comment would hide what stands behind it.
        parts.text += "\n";
    }
    parts.text += if q.given.is_empty() { " :\n" } else { "] :\n" };
    parts.own(name.to_string(), q.text);
    parts.text += "\n";
    parts.text += end;
    let text = Text {
        name: FILE.to_string(),
        text: parts.text.clone(),
    };
    load_suite(text, depth, load).map_err(|f| parts.told(*f))
}
