//! What names mean while a model is elaborated, and where its diagnostics are collected.

use super::calls::{Frame, Returning};
use super::claims::Fronts;
use super::codes;
use super::objects::{Object, Sync};
use super::parametric::Open;
use super::procedures::Procedure;
use super::records::{Instance, RefTarget};
use super::variables::Word;
use super::{ArrayId, Expr, Kind, Program, ThreadId};
use crate::base::diagnostic::{Diagnostic, Help, Span};
use crate::base::nearest;
use crate::model::text::ast::{Name, RecordDecl};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a top-level name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    /// A constant or enum value.
    Value(Kind, i64),
    /// An enum, by index.
    Enum(usize),
    /// Something whose declaration has an error: its uses are not reported as well.
    Broken,
    /// A variable, an object, a record or a pool.
    Entity(Entity),
    /// A record type, by index.
    Record(usize),
    /// A procedure, by index.
    Proc(usize),
    /// A thread or family: first number, number of threads, lowest index (`None` for a single thread).
    Thread {
        first: ThreadId,
        count: usize,
        low: Option<i64>,
    },
}

/// What a place can be while it is followed from its name to its last selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    /// A variable.
    Data(ArrayId),
    /// A synchronisation object, by index.
    Object(usize),
    /// A variable of record type, or a pool, by index.
    Record(usize),
    /// Something whose declaration has an error.
    Broken,
}

/// The state of elaboration: the program so far, the names, the diagnostics.
pub(super) struct Elaborator {
    pub program: Program,
    /// All objects.
    pub objects: Vec<Object>,
    /// All record types.
    pub records: Vec<Rc<RecordDecl>>,
    /// All variables of record types, and pools.
    pub instances: Vec<Instance>,
    /// What references may point into, in step with [`Program::pools`].
    pub targets: Vec<RefTarget>,
    /// Their names.
    pub target_names: FxHashMap<String, usize>,
    /// All procedures.
    pub procs: Vec<Procedure>,
    /// The parameters and locals of procedures in the threads that call them.
    pub frames: FxHashMap<(ThreadId, usize), Rc<Frame>>,
    /// The variables to which some statement assigns; what a call assigns to parameters aside.
    pub assigned: FxHashSet<ArrayId>,
    /// The variables for results of calls in expressions, by thread and place in the text.
    pub results: FxHashMap<(ThreadId, Span), ArrayId>,
    /// The local variables of each thread.
    pub thread_locals: FxHashMap<ThreadId, FxHashMap<String, Entity>>,
    /// For each thread, the flag that says that it has been started, if something starts it.
    pub started: Vec<Option<ArrayId>>,
    /// The variables with a `protected` word.
    pub words: Vec<(ArrayId, Word)>,
    /// Enums declared in place, by where: the same text may be elaborated many times.
    pub in_place: FxHashMap<Span, usize>,
    /// Record types that contain themselves.
    pub recursive: FxHashSet<usize>,
    /// Record types that some variable has.
    pub used_records: FxHashSet<usize>,
    /// Shared variables, objects and pools of the model, before they are declared.
    pub declared_later: FxHashSet<String>,
    /// Which claimed blocks have a location of their own for their first statement.
    pub fronts: Fronts,
    /// Whether a procedure is looked at for its own errors only: what it calls is not put in place.
    pub alone: bool,
    /// How many blocks that disappear are around the one at hand.
    pub gone: usize,
    /// What is known of the constant that is left open, if one is.
    pub open: Option<Box<Open>>,
    symbols: FxHashMap<String, Symbol>,
    pub diagnostics: Vec<Diagnostic>,
    /// The calls inside one action that are being elaborated: procedure and line. The innermost may be the mistake,
    /// not what stands in the body.
    pub inside_one_action: Vec<(String, usize)>,
    reported: FxHashSet<(&'static str, Span)>,
    /// Cells, locations and unrolled statements made so far; bounded, so that no short text takes all memory.
    pub size: usize,
}

/// A number of variables to go back to.
pub(super) struct Mark {
    cells: usize,
    arrays: usize,
    words: usize,
}

/// Bound on [`Elaborator::size`].
pub(super) const MAX_SIZE: usize = 1_000_000;

/// Names that hold in one place only.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// The thread that `self` names.
    pub this: Option<ThreadId>,
    /// Thread-local variables.
    pub locals: FxHashMap<String, Entity>,
    /// Loop variables, family indices, bound array indices; the innermost last.
    pub bound: Vec<(String, i64)>,
    /// The fields that are known by their names, with the indices of the object they belong to.
    pub siblings: Option<(usize, Vec<Expr>)>,
    /// Where `return` goes, in a procedure.
    pub returning: Option<Returning>,
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
            inside_one_action: Vec::new(),
            fronts: Fronts::default(),
            reported: FxHashSet::default(),
            size: 0,
            objects: Vec::new(),
            records: Vec::new(),
            instances: Vec::new(),
            targets: Vec::new(),
            target_names: FxHashMap::default(),
            procs: Vec::new(),
            thread_locals: FxHashMap::default(),
            frames: FxHashMap::default(),
            assigned: FxHashSet::default(),
            results: FxHashMap::default(),
            started: Vec::new(),
            words: Vec::new(),
            in_place: FxHashMap::default(),
            recursive: FxHashSet::default(),
            used_records: FxHashSet::default(),
            declared_later: FxHashSet::default(),
            alone: false,
            gone: 0,
            open: None,
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
        help: impl Into<Help>,
    ) {
        let mut message = message.into();
        if let (codes::BAD_ATOMIC, Some((name, line))) = (code, self.inside_one_action.last()) {
            message += &format!(" (`{name}` is called inside one action on line {line})");
        }
        self.report(Diagnostic::error(code, span, message, expected, help));
    }

    /// Elaborates without keeping diagnostics, to look ahead. What was seen does not count: else a model could be too
    /// large without a diagnostic.
    pub fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (kept, size) = (self.diagnostics.len(), self.size);
        let reported = self.reported.clone();
        let result = f(self);
        self.diagnostics.truncate(kept);
        self.size = size;
        self.reported = reported;
        result
    }

    /// How many variables there are, before something that may disappear is elaborated.
    pub fn mark(&self) -> Mark {
        Mark {
            cells: self.program.cells.len(),
            arrays: self.program.arrays.len(),
            words: self.words.len(),
        }
    }

    /// Takes back the variables made since: what has disappeared leaves none behind.
    pub fn restore(&mut self, mark: &Mark) {
        if self.program.arrays.len() == mark.arrays {
            return;
        }
        let made = |array: &ArrayId| *array >= mark.arrays;
        self.frames.retain(|_, frame| frame.arrays <= mark.arrays);
        self.assigned.retain(|array| !made(array));
        self.results.retain(|_, array| !made(array));
        self.started
            .iter_mut()
            .for_each(|s| *s = s.filter(|a| !made(a)));
        for object in &mut self.objects {
            if let Sync::Reentrant { saved, .. } = &mut object.sync {
                *saved = saved.filter(|a| !made(a));
            }
        }
        self.words.truncate(mark.words);
        self.program.arrays.truncate(mark.arrays);
        self.program.cells.truncate(mark.cells);
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
        let known = self
            .symbols
            .keys()
            .chain(context.locals.keys())
            .chain(context.bound.iter().map(|(n, _)| n))
            .map(String::as_str);
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let help = match nearest(&name.text, known) {
            Some(other) => Help::did_you_mean(other),
            None => "declare it, or correct its spelling".into(),
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
