//! From trees to suites: names resolved, definitions unfolded, sorts and indices checked, hints looked up.
//!
//! All files of a suite share their names; those that are used come first. An error in a term is reported once: the
//! name of a faulty definition is known, but has no meaning.

mod algebras;
mod hints;
mod model;
mod terms;

use super::demonic::Demonic;
use super::names;
use super::suite::{Added, Item, Level, Link, Suite};
use super::term::{Function, Order};
use super::theory::Sort;
use super::tree::{Chain, Entry, File, ModelTree, Named};
use crate::algebra::text::codes as code;
use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::nearest;
use crate::kernel::{self, Id, Statement, Sym};
use rustc_hash::{FxHashMap, FxHashSet};
use terms::Indices;

/// A file to elaborate.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Its name in answers.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Its tree.
    pub tree: &'a File,
    /// Whether it was asked for, not only used.
    pub asked: bool,
}

/// Elaborates files in this order: each uses only those before it.
///
/// # Errors
/// Everything that is wrong with the first file that has errors, by its position.
pub fn elaborate(files: &[Source]) -> Result<Suite, (usize, Vec<Diagnostic>)> {
    let mut e = Elaborator::default();
    for (n, file) in files.iter().enumerate() {
        e.file(file);
        if e.errors.is_empty() {
            e.models();
        }
        if !e.errors.is_empty() {
            return Err((n, e.errors));
        }
    }
    Ok(e.suite)
}

/// What a name with so many indices stands for.
#[derive(Clone)]
enum Meaning {
    Letter(Sym),
    Definition {
        indices: Vec<u32>,
        /// Nothing if it has errors of its own.
        body: Option<Id>,
        level: Level,
    },
}

/// What a hint may name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stated {
    Hypothesis(usize),
    Item(usize),
}

/// A name of the file at hand that comes only later.
struct Later {
    name: String,
    arity: usize,
    /// The names in its definition.
    uses: Vec<(String, usize)>,
}

#[derive(Default)]
struct Elaborator {
    suite: Suite,
    meanings: FxHashMap<(String, usize), Meaning>,
    variables: FxHashMap<String, u32>,
    stated: FxHashMap<String, Stated>,
    /// Names of letters and of theorems, as certificates have them: files may have different things of one name.
    letters: FxHashSet<String>,
    titles: FxHashSet<String>,
    /// Models given in the file at hand, with the positions of their items.
    pending: Vec<(usize, ModelTree)>,
    /// Of each item the index variables and letters that a hint may give values.
    free: Vec<hints::Free>,
    errors: Vec<Diagnostic>,
    /// Whether the file at hand was asked for, so that it is warned of.
    asked: bool,
    /// Of the file at hand: the names of its statements so far, what is not defined yet, and the level declared.
    named: FxHashSet<String>,
    later: Vec<Later>,
    /// Names of statements that are not reached yet.
    stated_later: Vec<String>,
    /// Whether the definition that is not defined yet is at hand.
    defining: bool,
    level: Option<Level>,
    /// What `0` means there, if it is no zero from the right; and the letters for it, once there are any.
    demonic: Option<Demonic>,
    demonic_letters: Option<(Demonic, Sym)>,
    /// Terms turned round.
    converses: FxHashMap<Id, Id>,
    /// Of the statement at hand: the level its symbols need, and whether that has been called too high.
    needs: Level,
    blamed: bool,
}

impl Elaborator {
    fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<String>,
    ) {
        let d = Diagnostic::error(code, span, message, expected, help);
        self.errors.push(d);
    }

    fn file(&mut self, file: &Source) {
        self.asked = file.asked;
        let lines = Lines::of(file.text);
        self.named.clear();
        self.level = None;
        self.demonic = None;
        self.later = file.tree.items.iter().flat_map(Later::of).collect();
        self.stated_later = file.tree.items.iter().filter_map(name_of).collect();
        // Later names are taken off the end.
        self.later.reverse();
        for entry in &file.tree.items {
            self.needs = Level::Semiring;
            self.blamed = false;
            match entry {
                Entry::Level(level) => {
                    self.level = Some(*level);
                    self.demonic = (*level == Level::Demonic).then(|| self.demonic());
                }
                Entry::Use(_) => {}
                Entry::Declare(sort, names) => {
                    for (name, indices, _) in names {
                        self.later.pop();
                        self.declare(*sort, name, indices);
                    }
                }
                Entry::Define {
                    name,
                    indices,
                    term,
                } => {
                    self.define(name, indices, term);
                    self.later.pop();
                }
                Entry::Hypothesis { name, chain, .. } => self.hypothesis(name, chain),
                Entry::Conclusion { chain, .. } => {
                    let _ = self.statement(chain);
                }
                Entry::Claim {
                    declared,
                    name,
                    without,
                    premises,
                    chain,
                    model,
                } => {
                    let line = lines.of_offset(name.span.start);
                    let item = Item {
                        name: name.name.clone(),
                        title: names::title(&name.name, |n| self.titles.insert(n.to_string())),
                        file: file.name.to_string(),
                        line,
                        declared: *declared,
                        text: text_of(without, premises, chain),
                        level: Level::Semiring,
                        asked: file.asked,
                        without: self.without(without, chain),
                        premises: Vec::new(),
                        added: Added::default(),
                        distinct: Vec::new(),
                        links: Vec::new(),
                        model: None,
                        on_relations: None,
                    };
                    self.claim(item, name, premises, chain);
                    if let Some(model) = model {
                        let last = self.suite.items.len() - 1;
                        self.pending.push((last, model.clone()));
                    }
                }
            }
            if self.suite.development.terms.is_spent() {
                self.too_large(entry);
                return;
            }
        }
    }

    fn too_large(&mut self, entry: &Entry) {
        let span = match entry {
            Entry::Define { name, term, .. } => name.span.to(term.span),
            Entry::Hypothesis { name, chain, .. }
            | Entry::Conclusion { name, chain, .. }
            | Entry::Claim { name, chain, .. } => name.span.to(chain.span),
            Entry::Level(_) | Entry::Use(_) | Entry::Declare(..) => Span::default(),
        };
        let deepest = kernel::DEEPEST;
        self.error(
            code::TOO_DEEP,
            span,
            format!(
                "with definitions put in, this is nested deeper than {deepest} levels or longer than 65,536 members"
            ),
            "a smaller term",
            "state it about a letter, and use it for the term with `lemma(x := TERM)`",
        );
    }

    fn declare(&mut self, sort: Sort, name: &Named, indices: &[Named]) {
        let key = (name.name.clone(), indices.len());
        let test = sort == Sort::Test;
        let terms = &self.suite.development.terms;
        match self.meanings.get(&key) {
            Some(Meaning::Letter(s)) if terms.symbols()[*s as usize].test == test => {}
            Some(known) => {
                let what = match known {
                    Meaning::Letter(_) if test => "an action",
                    Meaning::Letter(_) => "a test",
                    Meaning::Definition { .. } => "a definition",
                };
                self.error(
                    code::WORD,
                    name.span,
                    format!("`{}` is {what} already", name.name),
                    "another name",
                    "a name is an action, a test or a definition",
                );
            }
            None if name.name == "T" && indices.is_empty() => self.error(
                code::WORD,
                name.span,
                "`T` is the greatest element",
                "another name",
                "`T` needs no declaration",
            ),
            None if Function::named(&name.name).is_some() => self.operator(name),
            None => {
                let terms = &mut self.suite.development.terms;
                let letters = &mut self.letters;
                let unique = names::letter(&name.name, |n| letters.insert(n.to_string()));
                let symbol = terms.symbol(&unique, test, indices.len());
                self.meanings.insert(key, Meaning::Letter(symbol));
            }
        }
    }

    fn operator(&mut self, name: &Named) {
        self.error(
            code::WORD,
            name.span,
            format!("`{}` is an operator", name.name),
            "another name",
            format!("it stands before brackets: `{}(x)`", name.name),
        );
    }

    fn define(&mut self, name: &Named, indices: &[Named], term: &super::term::Term) {
        if Function::named(&name.name).is_some() {
            self.operator(name);
        }
        let mut own: Vec<String> = Vec::new();
        for index in indices {
            if own.contains(&index.name) {
                self.error(
                    code::SUMS,
                    index.span,
                    format!("`{}` is an index already", index.name),
                    "another index variable",
                    "each index of a definition has its own name",
                );
            }
            own.push(index.name.clone());
        }
        let variables: Vec<u32> = own.iter().map(|n| self.variable(n)).collect();
        let key = (name.name.clone(), indices.len());
        if self.meanings.contains_key(&key) || key == ("T".to_string(), 0) {
            self.error(
                code::WORD,
                name.span,
                format!("`{}` has a meaning already", name.name),
                "another name",
                "a name is an action, a test or a definition",
            );
        }
        self.defining = true;
        let body = self.term(term, &mut Indices::of_definition(own));
        self.defining = false;
        self.meanings.entry(key).or_insert(Meaning::Definition {
            indices: variables,
            body,
            level: match self.demonic {
                Some(_) => Level::Demonic,
                None => self.needs,
            },
        });
    }

    fn variable(&mut self, name: &str) -> u32 {
        let names = &mut self.suite.development.variables;
        let next = names.len() as u32;
        *self.variables.entry(name.to_string()).or_insert_with(|| {
            // `T` is an index here, and no name in a certificate.
            let told = names::letter(name, |n| !names.iter().any(|known| known == n));
            names.push(told);
            next
        })
    }

    /// Gives a statement its name.
    fn state(&mut self, name: &Named, what: Stated) {
        if self.named.contains(&name.name) {
            self.error(
                code::TWICE,
                name.span,
                format!("`{}` has been stated already in this file", name.name),
                "another name",
                "each statement and hypothesis has a name of its own",
            );
            return;
        }
        self.named.insert(name.name.clone());
        self.stated.insert(name.name.clone(), what);
    }

    fn hypothesis(&mut self, name: &Named, chain: &Chain) {
        let n = self.suite.development.hypotheses().len();
        self.state(name, Stated::Hypothesis(n));
        if self.suite.items.iter().any(|i| i.level == Level::Demonic) {
            self.demonic_assumes(name);
        }
        if let Some((statement, _)) = self.statement(chain) {
            let d = &mut self.suite.development;
            let is_free = |n: &str| d.hypotheses().iter().all(|(known, _)| known != n);
            let title = names::title(&name.name, is_free);
            d.assume(&title, statement);
        }
    }

    /// A statement with its links; none if there are errors.
    fn statement(&mut self, chain: &Chain) -> Option<(Statement, Vec<Link>)> {
        let mut indices = Indices::of_statement();
        let mut pairs = Vec::new();
        for (i, j, span) in &chain.distinct {
            let (a, b) = (
                self.index(i, *span, &mut indices),
                self.index(j, *span, &mut indices),
            );
            let pair = a.zip(b);
            if let Some((a, b)) = pair
                && a == b
            {
                self.error(
                    code::SUMS,
                    *span,
                    format!("`{i}` can't differ from itself"),
                    "two index variables",
                    "write `i != j => ..`",
                );
            }
            pairs.extend(pair);
        }
        let sides: Vec<Option<Id>> = chain
            .sides
            .iter()
            .map(|side| self.term(side, &mut indices))
            .collect();
        let sides: Vec<Id> = sides.into_iter().collect::<Option<_>>()?;
        let mut statement = Statement {
            distinct: kernel::distinct(pairs)?,
            parts: Vec::new(),
        };
        let mut links = Vec::new();
        for (pair, &order) in sides.windows(2).zip(&chain.orders) {
            let (left, right) = (pair[0], pair[1]);
            statement.parts.push((left, right));
            if order == Order::Equal {
                statement.parts.push((right, left));
            }
            links.push(Link::new(left, right, order));
        }
        Some((statement, links))
    }

    fn claim(
        &mut self,
        mut item: Item,
        name: &Named,
        premises: &[(Option<Named>, Chain)],
        chain: &Chain,
    ) {
        let mut names: Vec<&str> = Vec::new();
        let mut complete = true;
        for (title, premise) in premises {
            if let Some(title) = title {
                if names.contains(&title.name.as_str()) {
                    self.error(
                        code::TWICE,
                        title.span,
                        format!("there is a premise `{}` already", title.name),
                        "another name",
                        "each premise has a name of its own, or none",
                    );
                }
                names.push(&title.name);
            }
            match self.statement(premise) {
                Some((statement, _)) => {
                    let title = title.as_ref().map_or("", |t| &t.name);
                    item.premises.push((title.to_string(), statement));
                }
                None => complete = false,
            }
        }
        let stated = self.statement(chain);
        item.level = self.level.unwrap_or(self.needs);
        if let (Some((statement, links)), true) = (stated, complete) {
            item.distinct = statement.distinct;
            item.links = links;
            self.hints(&mut item, chain);
            self.read_demonic(&mut item, name);
            self.read_converses(&mut item);
        } else {
            // Hints may name it all the same.
            item.links.clear();
        }
        let n = self.suite.items.len();
        self.state(name, Stated::Item(n));
        let free = self.free_of(&item);
        self.free.push(free);
        self.suite.items.push(item);
    }

    /// The hypotheses that a statement leaves out.
    fn without(&mut self, names: &[Named], chain: &Chain) -> Vec<usize> {
        let mut found = Vec::new();
        for name in names {
            match self.stated.get(&name.name) {
                Some(Stated::Hypothesis(n)) => found.push(*n),
                _ => self.error(
                    code::MODEL,
                    name.span,
                    format!("there is no hypothesis `{}`", name.name),
                    "a hypothesis of this file or of one that it uses",
                    "behind `without` stand hypotheses that the statement does not assume",
                ),
            }
        }
        if !names.is_empty()
            && let Some(hint) = chain.hints.iter().flatten().flatten().next()
        {
            // What a lemma rests on is not looked at.
            self.error(
                code::MODEL,
                hint.span,
                "a statement that leaves out hypotheses has no hints",
                "no `by`",
                "it is there to be refuted",
            );
        }
        found
    }

    /// What was probably meant.
    fn guess<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
        nearest(word, known).map(|near| format!("did you mean `{near}`?"))
    }
}

fn name_of(entry: &Entry) -> Option<String> {
    match entry {
        Entry::Hypothesis { name, .. } | Entry::Claim { name, .. } => Some(name.name.clone()),
        _ => None,
    }
}

impl Later {
    fn of(entry: &Entry) -> Vec<Later> {
        match entry {
            Entry::Declare(_, names) => names
                .iter()
                .map(|(name, indices, _)| Later {
                    name: name.name.clone(),
                    arity: indices.len(),
                    uses: Vec::new(),
                })
                .collect(),
            Entry::Define {
                name,
                indices,
                term,
            } => {
                let mut uses = Vec::new();
                terms::names_in(term, &mut uses);
                vec![Later {
                    name: name.name.clone(),
                    arity: indices.len(),
                    uses,
                }]
            }
            _ => Vec::new(),
        }
    }
}

/// `[h] a <= b`
fn text_of(without: &[Named], premises: &[(Option<Named>, Chain)], chain: &Chain) -> String {
    let without = match without {
        [] => String::new(),
        all => {
            let names: Vec<&str> = all.iter().map(|n| n.name.as_str()).collect();
            format!("without {} ", names.join(", "))
        }
    };
    let all: Vec<String> = premises
        .iter()
        .map(|(name, chain)| match name {
            Some(name) => format!("{}: {}", name.name, chain.statement()),
            None => chain.statement().to_string(),
        })
        .collect();
    if all.is_empty() {
        format!("{without}{}", chain.statement())
    } else {
        format!("{without}[{}] {}", all.join(", "), chain.statement())
    }
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        Lines(
            std::iter::once(0)
                .chain(breaks.map(|(n, _)| n + 1))
                .collect(),
        )
    }

    fn of_offset(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }
}
