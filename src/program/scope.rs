//! What names mean while a model is elaborated, and where its diagnostics are collected.

use super::codes;
use super::{ArrayId, Kind, Program, ThreadId};
use crate::syntax::ast::Name;
use crate::syntax::diagnostic::{Diagnostic, Span};
use crate::syntax::nearest;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a top-level name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    /// A constant or enum value.
    Value(Kind, i64),
    /// An enum, by index.
    Enum(usize),
    /// Something whose declaration has an error: its uses are not reported as well.
    Broken,
    /// A variable or mutex.
    Array(ArrayId),
    /// A thread or family: first number, number of threads, lowest index (`None` for a single thread).
    Thread {
        first: ThreadId,
        count: usize,
        low: Option<i64>,
    },
}

/// The state of elaboration: the program so far, the names, the diagnostics.
pub(super) struct Elaborator {
    pub program: Program,
    symbols: FxHashMap<String, Symbol>,
    pub diagnostics: Vec<Diagnostic>,
    reported: FxHashSet<(&'static str, Span)>,
    /// Cells, locations and unrolled statements made so far; bounded, so that no short text takes all memory.
    pub size: usize,
}

/// Bound on [`Elaborator::size`].
pub(super) const MAX_SIZE: usize = 250_000;

/// Names that hold in one place only.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// The thread that `self` names.
    pub this: Option<ThreadId>,
    /// Thread-local variables.
    pub locals: FxHashMap<String, ArrayId>,
    /// Loop variables, family indices, bound array indices; the innermost last.
    pub bound: Vec<(String, i64)>,
    /// Locals whose declaration has an error.
    pub broken: Vec<String>,
    /// Whether `at(..)` may stand here.
    pub allows_at: bool,
}

impl Elaborator {
    pub fn new(source: &str) -> Self {
        Elaborator {
            program: Program {
                source: source.to_string(),
                ..Program::default()
            },
            symbols: FxHashMap::default(),
            diagnostics: Vec::new(),
            reported: FxHashSet::default(),
            size: 0,
        }
    }

    /// Reports once per place: a family of threads elaborates the same text many times.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.reported.insert((diagnostic.code, diagnostic.span)) {
            self.diagnostics.push(diagnostic);
        }
    }

    pub fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::error(code, span, message, expected, help));
    }

    /// Elaborates without keeping diagnostics, to look ahead.
    pub fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let kept = self.diagnostics.len();
        let reported = self.reported.clone();
        let result = f(self);
        self.diagnostics.truncate(kept);
        self.reported = reported;
        result
    }

    /// Adds to the size of the model; false (with a diagnostic) once it is too large.
    pub fn grow(&mut self, by: usize, span: Span) -> bool {
        let reported = self.size > MAX_SIZE;
        self.size = self.size.saturating_add(by);
        if self.size > MAX_SIZE && !reported {
            self.error(
                codes::TOO_LARGE,
                span,
                "the model is too large from here on",
                format!("at most {MAX_SIZE} cells, locations and unrolled statements together"),
                "make an array, a family or a loop smaller",
            );
        }
        self.size <= MAX_SIZE
    }

    /// Declares a top-level name.
    pub fn declare(&mut self, name: &Name, symbol: Symbol) {
        if self.symbols.contains_key(&name.text) {
            self.duplicate(name);
        } else {
            self.symbols.insert(name.text.clone(), symbol);
        }
    }

    pub fn duplicate(&mut self, name: &Name) {
        self.error(
            codes::DUPLICATE_NAME,
            name.span,
            format!("`{}` is declared twice", name.text),
            "a name that is not used yet",
            "rename one of the two",
        );
    }

    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// Reports an unknown name, with the nearest known one.
    pub fn unknown(&mut self, name: &Name, context: &Context) {
        if context.broken.contains(&name.text) {
            return;
        }
        let known = self
            .symbols
            .keys()
            .chain(context.locals.keys())
            .chain(context.bound.iter().map(|(n, _)| n))
            .map(String::as_str);
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let help = match nearest(&name.text, known) {
            Some(other) => format!("did you mean `{other}`?"),
            None => "declare it, or correct its spelling".to_string(),
        };
        self.error(
            codes::UNKNOWN_NAME,
            name.span,
            format!("`{}` is not declared", name.text),
            "a declared name",
            help,
        );
    }
}
