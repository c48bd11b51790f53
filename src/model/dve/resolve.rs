//! Names to numbers, and all that can be wrong with a system: unknown and double names, values that do not fit, arrays
//! without index.

use super::numbers::apply;
use super::system::{
    Channel, ChannelId, Expr, Kind, Place, Process, ProcessId, State, StateId, Sync, System,
    Transition, Var, VarId,
};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::nearest;
use crate::model::dve::text::codes::{CHANNEL, MISUSE, NO_INDEX, SURPLUS, TWICE, UNKNOWN, VALUE};
use crate::model::dve::text::{self, ExprKind, Init, Passed, Unary};
use crate::model::text::ast::Name;
use rustc_hash::FxHashMap;

/// Elements of an array, or items of a channel, at most.
const LARGEST: i64 = 32768;

/// Diagnostics that are kept.
const MOST: usize = 100;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Symbol {
    Var(VarId),
    Constant(i64),
    Channel(ChannelId),
    Process(ProcessId),
    /// Declared, but with an error.
    Broken,
}

/// Resolves a tree; with warnings.
///
/// # Errors
/// All that is wrong with it.
pub(super) fn resolve(tree: &text::System) -> Result<(System, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut r = Resolver::default();
    r.declarations(None, &tree.vars, &tree.channels);
    for (p, process) in tree.processes.iter().enumerate() {
        r.declare(None, &process.name, Symbol::Process(p));
        r.locals.push(FxHashMap::default());
        r.begin(process);
    }
    for (p, process) in tree.processes.iter().enumerate() {
        r.declarations(Some(p), &process.vars, &process.channels);
    }
    for (p, process) in tree.processes.iter().enumerate() {
        r.process(p, process);
    }
    if r.wrong.is_empty() {
        Ok((r.system, r.warnings))
    } else {
        r.wrong.sort_by_key(|d| d.span);
        Err(r.wrong)
    }
}

#[derive(Default)]
struct Resolver {
    system: System,
    globals: FxHashMap<String, Symbol>,
    locals: Vec<FxHashMap<String, Symbol>>,
    /// Where the number of values on an untyped channel was first seen.
    used: FxHashMap<ChannelId, Span>,
    /// Constant arrays.
    constants: Vec<VarId>,
    wrong: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Resolver {
    fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        expected: &str,
        help: impl Into<String>,
    ) {
        if self.wrong.len() < MOST {
            let d = Diagnostic::error(code, span, message, expected, help);
            self.wrong.push(d);
        }
    }

    fn warn(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        expected: &str,
        help: impl Into<String>,
    ) {
        if self.warnings.len() < MOST {
            let d = Diagnostic::warning(code, span, message, expected, help);
            self.warnings.push(d);
        }
    }

    // ---- declarations ----

    fn declare(&mut self, owner: Option<ProcessId>, name: &Name, symbol: Symbol) {
        let scope = match owner {
            Some(p) => &mut self.locals[p],
            None => &mut self.globals,
        };
        if scope.insert(name.text.clone(), symbol).is_some() {
            self.twice(name);
        }
    }

    fn twice(&mut self, name: &Name) {
        self.error(
            TWICE,
            name.span,
            format!("`{}` is declared twice", name.text),
            "a name of its own",
            "rename one of them",
        );
    }

    fn declarations(
        &mut self,
        owner: Option<ProcessId>,
        vars: &[text::VarDecl],
        channels: &[text::ChannelDecl],
    ) {
        for decl in vars {
            let symbol = self.variable(owner, decl).unwrap_or(Symbol::Broken);
            self.declare(owner, &decl.name, symbol);
        }
        for decl in channels {
            let symbol = self.channel(owner, decl).unwrap_or(Symbol::Broken);
            self.declare(owner, &decl.name, symbol);
        }
    }

    fn variable(&mut self, owner: Option<ProcessId>, decl: &text::VarDecl) -> Option<Symbol> {
        let size = match &decl.size {
            Some(size) => Some(self.size(owner, size, 1)?),
            None => None,
        };
        let given: &[text::Expr] = match &decl.init {
            None => &[],
            Some(Init::One(e)) => std::slice::from_ref(e),
            Some(Init::Many(all, _)) => all,
        };
        match (&decl.init, size) {
            (Some(Init::Many(_, span)), None) => self.error(
                MISUSE,
                *span,
                format!("`{}` is no array", decl.name.text),
                "one initial value",
                "write `= e`, or give the variable a size",
            ),
            (Some(Init::One(e)), Some(_)) => self.error(
                MISUSE,
                e.span,
                format!("`{}` is an array", decl.name.text),
                "initial values in braces",
                "write `= {e, e}`; missing ones are 0",
            ),
            _ => {}
        }
        let elements = size.unwrap_or(1);
        let (lo, hi) = decl.ty.range();
        let mut init = Vec::new();
        for (n, e) in given.iter().enumerate() {
            let value = self.constant(owner, e)?;
            // DiVinE reads such arrays (those of BEEM's anderson), and forgets the rest.
            if n >= elements {
                self.warn(
                    SURPLUS,
                    e.span,
                    "more initial values than elements; the rest is forgotten",
                    "as many values as elements at most",
                    "remove the rest, or enlarge the array",
                );
                break;
            }
            if !(lo..=hi).contains(&value) {
                self.error(
                    VALUE,
                    e.span,
                    format!("{value} is outside {lo}..{hi}"),
                    "a value of the variable's type",
                    "correct the value or the type",
                );
            }
            init.push(value);
        }
        init.resize(elements, 0);
        if decl.constant && size.is_none() {
            return Some(Symbol::Constant(init[0]));
        }
        self.system.vars.push(Var {
            name: decl.name.text.clone(),
            span: decl.name.span,
            owner,
            ty: decl.ty,
            size,
            init,
        });
        if decl.constant {
            self.constants.push(self.system.vars.len() - 1);
        }
        Some(Symbol::Var(self.system.vars.len() - 1))
    }

    fn channel(&mut self, owner: Option<ProcessId>, decl: &text::ChannelDecl) -> Option<Symbol> {
        let size = match &decl.size {
            Some(size) => self.size(owner, size, 0)?,
            None => 0,
        };
        self.system.channels.push(Channel {
            name: decl.name.text.clone(),
            span: decl.name.span,
            types: decl.types.clone(),
            size,
            width: decl.types.as_ref().map_or(0, Vec::len),
        });
        Some(Symbol::Channel(self.system.channels.len() - 1))
    }

    fn size(&mut self, owner: Option<ProcessId>, e: &text::Expr, least: i64) -> Option<usize> {
        let value = self.constant(owner, e)?;
        if !(least..=LARGEST).contains(&value) {
            self.error(
                VALUE,
                e.span,
                format!("{value} is no size"),
                &format!("{least} to {LARGEST}"),
                "correct the size",
            );
            return None;
        }
        usize::try_from(value).ok()
    }

    fn constant(&mut self, owner: Option<ProcessId>, e: &text::Expr) -> Option<i64> {
        let before = self.wrong.len();
        let resolved = self.expr(owner, e)?;
        let value = folded(&resolved);
        if value.is_none() && self.wrong.len() == before {
            self.error(
                VALUE,
                e.span,
                "this is no constant",
                "numbers, `const` variables and operators",
                "write the value, or assign it in a first transition",
            );
        }
        value
    }

    // ---- processes ----

    /// The states, which other processes may ask for.
    fn begin(&mut self, process: &text::Process) {
        let mut states: Vec<State> = Vec::new();
        for name in &process.states {
            if states.iter().any(|s| s.name == name.text) {
                self.twice(name);
            }
            states.push(State {
                name: name.text.clone(),
                span: name.span,
                committed: process.commit.iter().any(|c| c.text == name.text),
            });
        }
        self.system.processes.push(Process {
            name: process.name.text.clone(),
            span: process.span,
            states,
            initial: 0,
            asserts: Vec::new(),
            transitions: Vec::new(),
        });
    }

    fn process(&mut self, p: ProcessId, process: &text::Process) {
        if let Some(initial) = self.state(p, &process.init) {
            self.system.processes[p].initial = initial;
        }
        for name in &process.commit {
            self.state(p, name);
        }
        for (state, e) in &process.asserts {
            let (state, e) = (self.state(p, state), self.expr(Some(p), e));
            if let (Some(state), Some(e)) = (state, e) {
                self.system.processes[p].asserts.push((state, e));
            }
        }
        for t in &process.transitions {
            if let Some(t) = self.transition(p, t) {
                self.system.processes[p].transitions.push(t);
            }
        }
    }

    fn state(&mut self, p: ProcessId, name: &Name) -> Option<StateId> {
        let process = &self.system.processes[p];
        let found = process.states.iter().position(|s| s.name == name.text);
        if found.is_none() {
            let known = process.states.iter().map(|s| s.name.as_str());
            let help = match nearest(&name.text, known) {
                Some(other) => format!("did you mean `{other}`?"),
                None => "declare it behind `state`".into(),
            };
            let message = format!("`{}` has no state `{}`", process.name, name.text);
            self.error(UNKNOWN, name.span, message, "a state of the process", help);
        }
        found
    }

    fn transition(&mut self, p: ProcessId, t: &text::Transition) -> Option<Transition> {
        let (from, to) = (self.state(p, &t.from), self.state(p, &t.to));
        let guards: Vec<_> = t.guards.iter().map(|e| self.expr(Some(p), e)).collect();
        let sync = match &t.sync {
            Some(sync) => self.sync(p, sync).map(Some),
            None => Some(None),
        };
        let effects: Vec<_> = t
            .effects
            .iter()
            .map(|(target, e)| (self.target(p, target), self.expr(Some(p), e)))
            .collect();
        Some(Transition {
            from: from?,
            to: to?,
            guards: guards.into_iter().collect::<Option<_>>()?,
            sync: sync?,
            effects: effects
                .into_iter()
                .map(|(target, e)| Some((target?, e?)))
                .collect::<Option<_>>()?,
            span: t.span,
        })
    }

    fn sync(&mut self, p: ProcessId, sync: &text::Sync) -> Option<Sync> {
        let name = &sync.channel;
        let channel = match self.lookup(Some(p), name)? {
            Symbol::Channel(c) => Some(c),
            Symbol::Broken => None,
            _ => {
                let message = format!("`{}` is no channel", name.text);
                let help = "declare it with `channel`";
                self.error(MISUSE, name.span, message, "a channel", help);
                None
            }
        };
        let (resolved, width) = match &sync.passed {
            Passed::Sent(values) => {
                let all: Vec<_> = values.iter().map(|e| self.expr(Some(p), e)).collect();
                let send = |c, all| Sync::Send(c, all);
                let all = all.into_iter().collect::<Option<Vec<_>>>();
                (channel.zip(all).map(|(c, all)| send(c, all)), values.len())
            }
            Passed::Received(places) => {
                let all: Vec<_> = places.iter().map(|e| self.target(p, e)).collect();
                let all = all.into_iter().collect::<Option<Vec<_>>>();
                let receive = |c, all| Sync::Receive(c, all);
                (
                    channel.zip(all).map(|(c, all)| receive(c, all)),
                    places.len(),
                )
            }
        };
        let c = channel?;
        let declared = &mut self.system.channels[c];
        if declared.types.is_none() && !self.used.contains_key(&c) {
            self.used.insert(c, sync.span);
            declared.width = width;
        }
        if declared.width != width {
            let expected = match declared.width {
                0 => "no value".to_string(),
                1 => "one value".to_string(),
                n => format!("{n} values"),
            };
            let message = format!("`{}` carries {expected}", name.text);
            let help = "let all that use the channel agree, or declare another one";
            self.error(CHANNEL, sync.span, message, &expected, help);
            return None;
        }
        resolved
    }

    // ---- expressions ----

    fn lookup(&mut self, owner: Option<ProcessId>, name: &Name) -> Option<Symbol> {
        let local = owner.and_then(|p| self.locals.get(p)?.get(&name.text).copied());
        let found = local.or_else(|| self.globals.get(&name.text).copied());
        if found.is_none() {
            let locals = owner.and_then(|p| self.locals.get(p));
            let mut known: Vec<&str> = locals
                .into_iter()
                .flat_map(|l| l.keys())
                .chain(self.globals.keys())
                .map(String::as_str)
                .collect();
            known.sort_unstable();
            let help = match nearest(&name.text, known) {
                Some(other) => format!("did you mean `{other}`?"),
                None => "declare it".into(),
            };
            let message = format!("`{}` is not declared", name.text);
            self.error(UNKNOWN, name.span, message, "a declared name", help);
        }
        found
    }

    fn process_named(&mut self, owner: Option<ProcessId>, name: &Name) -> Option<ProcessId> {
        // A variable may hide the name of a process, but is never meant in front of `.` or `->`.
        if let Some(Symbol::Process(p)) = self.globals.get(&name.text) {
            return Some(*p);
        }
        if self.lookup(owner, name)? != Symbol::Broken {
            let message = format!("`{}` is no process", name.text);
            let help = "a process stands in front of `.` and `->`";
            self.error(MISUSE, name.span, message, "a process", help);
        }
        None
    }

    /// What a place names, with its index.
    fn place(
        &mut self,
        owner: Option<ProcessId>,
        place: &text::Place,
    ) -> Option<(Symbol, Option<Box<Expr>>)> {
        let index = match &place.index {
            Some(e) => self.expr(owner, e).map(|e| Some(Box::new(e))),
            None => Some(None),
        };
        let symbol = match &place.process {
            None => self.lookup(owner, &place.name)?,
            Some(process) => {
                let p = self.process_named(owner, process)?;
                match self.locals.get(p).and_then(|l| l.get(&place.name.text)) {
                    Some(symbol) => *symbol,
                    None => {
                        let message =
                            format!("`{}` has no variable `{}`", process.text, place.name.text);
                        let help = "a global variable has no process in front of it";
                        let expected = "a variable of the process";
                        self.error(UNKNOWN, place.name.span, message, expected, help);
                        return None;
                    }
                }
            }
        };
        let (name, index) = (&place.name.text, index?);
        let is_array = match symbol {
            Symbol::Broken => return None,
            Symbol::Var(v) => self.system.vars[v].size.is_some(),
            Symbol::Constant(_) => false,
            Symbol::Channel(_) | Symbol::Process(_) => {
                let message = format!("`{name}` is no variable");
                let help = "a channel stands behind `sync`, a process in front of `.` or `->`";
                self.error(MISUSE, place.span, message, "a variable", help);
                return None;
            }
        };
        match (is_array, &index) {
            // DiVinE 1 reads this (BEEM's train-gate has it).
            (true, None) => {
                let message = format!("`{name}` is an array; its first element is meant");
                let help = format!("write `{name}[0]`");
                self.warn(NO_INDEX, place.span, message, "an index", help);
                let zero = Expr {
                    kind: Kind::Number(0),
                    span: place.span,
                };
                Some((symbol, Some(Box::new(zero))))
            }
            (false, Some(_)) => {
                let message = format!("`{name}` is no array");
                self.error(MISUSE, place.span, message, "no index", "remove the index");
                None
            }
            _ => Some((symbol, index)),
        }
    }

    /// A variable that is assigned to.
    fn target(&mut self, p: ProcessId, place: &text::Place) -> Option<Place> {
        let (symbol, index) = self.place(Some(p), place)?;
        match symbol {
            Symbol::Var(var) if !self.constants.contains(&var) => Some(Place {
                var,
                index,
                span: place.span,
            }),
            _ => {
                let message = format!("`{}` is a constant", place.name.text);
                let help = "remove `const` from its declaration, or assign to another variable";
                self.error(MISUSE, place.span, message, "a variable", help);
                None
            }
        }
    }

    fn expr(&mut self, owner: Option<ProcessId>, e: &text::Expr) -> Option<Expr> {
        let kind = match &e.kind {
            ExprKind::Number(n) => Kind::Number(*n),
            ExprKind::Place(place) => match self.place(owner, place)? {
                (Symbol::Var(var), index) => {
                    let span = place.span;
                    Kind::Place(Place { var, index, span })
                }
                (Symbol::Constant(value), _) => Kind::Number(value),
                _ => return None,
            },
            ExprKind::At(process, state) => {
                let p = self.process_named(owner, process)?;
                Kind::At(p, self.state(p, state)?)
            }
            ExprKind::Unary(op, inner) => Kind::Unary(*op, Box::new(self.expr(owner, inner)?)),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(owner, a), self.expr(owner, b));
                Kind::Binary(*op, Box::new(a?), Box::new(b?))
            }
        };
        Some(Expr { kind, span: e.span })
    }
}

/// The value of a constant expression, as DVE computes it.
fn folded(e: &Expr) -> Option<i64> {
    match &e.kind {
        Kind::Number(n) => Some(*n),
        Kind::Place(_) | Kind::At(..) => None,
        Kind::Unary(op, e) => {
            let value = folded(e)?;
            Some(match op {
                Unary::Not => i64::from(value == 0),
                Unary::Neg => i64::from((value as i32).wrapping_neg()),
                Unary::Complement => !value,
            })
        }
        Kind::Binary(op, a, b) => apply(*op, folded(a)?, folded(b)?),
    }
}
