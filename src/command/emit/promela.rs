//! A program in Promela, for Spin: a process for each thread, with a label for each location and an `atomic` option for
//! each edge.
//!
//! Numbers of Promela have 32 bits and its division rounds to zero, so intervals are followed, and Euclidean division
//! is written out. An expression that is undefined, and a value outside its type, lead to `wrong`. The discipline is
//! not checked: it is no part of what the program does.

use crate::model::program::{
    ArrayId, CellId, Command, Edge, Expr, Interval, LocId, Program, Target, ThreadId, Type,
    interval, is_total,
};
use crate::model::text::ast::{BinaryOp, PropertyKind};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What Promela can't say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsayable {
    /// A number may need more than 32 bits.
    Wide,
    /// More processes, variables or initial values than Spin takes.
    Large,
}

/// Most processes of a model in Spin, the one that starts the others among them.
const PROCESSES: usize = 255;

/// A program as a model for Spin. `head` is what stands above it, line by line.
///
/// # Errors
/// What Promela can't say.
pub fn promela(program: &Program, head: &[String]) -> Result<String, Unsayable> {
    let monitors = program
        .properties
        .iter()
        .filter(|p| p.kind == PropertyKind::Invariant);
    if program.threads.len() + monitors.count() + 1 > PROCESSES {
        return Err(Unsayable::Large);
    }
    let mut writer = Writer {
        program,
        arrays: names(program.arrays.iter().map(|a| a.name.as_str())),
        threads: names(program.threads.iter().map(|t| t.name.as_str())),
        observed: observed(program),
        text: String::new(),
    };
    for line in head {
        writer.line(0, &format!("// {line}"));
    }
    writer.variables();
    for thread in 0..program.threads.len() {
        writer.thread(thread)?;
    }
    writer.properties()?;
    writer.init()?;
    Ok(writer.text)
}

/// Words of Promela and of C that a name may not be.
#[rustfmt::skip]
const TAKEN: &[&str] = &[
    "active", "assert", "atomic", "bit", "bool", "break", "byte", "chan", "d_step", "do", "else",
    "empty", "enabled", "end", "eval", "false", "fi", "for", "full", "get_priority", "goto",
    "hidden", "if", "in", "init", "inline", "int", "len", "local", "ltl", "mtype", "nempty",
    "never", "nfull", "notrace", "np_", "od", "of", "pc_value", "pid", "printf", "priority",
    "proctype", "provided", "return", "run", "select", "set_priority", "short", "show", "skip",
    "timeout", "trace", "true", "typedef", "unless", "unsigned", "until", "xr", "xs", "always",
    "eventually", "next", "equivalent", "implies", "stronguntil", "weakuntil", "release", "unlock",
    "lock", "wrong", "main", "auto", "case", "char", "const", "continue", "default", "double",
    "enum", "extern", "float", "long", "register", "signed", "sizeof", "static", "struct", "switch",
    "typeof", "union", "void", "volatile", "while", "uchar", "ushort", "uint",
];

/// Names of Promela for names of ours: `worker(0).t` becomes `worker_0_t`.
fn names<'n>(all: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    all.map(|name| {
        let plain: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let plain = plain.trim_matches('_').replace("__", "_");
        let mut chosen = match TAKEN.contains(&plain.as_str()) || plain.is_empty() {
            true => format!("v_{plain}"),
            false => plain,
        };
        while !used.insert(chosen.clone()) {
            chosen.push('_');
        }
        chosen
    })
    .collect()
}

/// The threads whose locations somebody looks at.
fn observed(program: &Program) -> BTreeSet<ThreadId> {
    let mut found = BTreeSet::new();
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            if let Expr::At(t, _) = e {
                found.insert(*t);
            }
        });
    };
    program
        .init
        .iter()
        .chain(program.properties.iter().map(|p| &p.expr))
        .for_each(&mut look);
    let locations = program.threads.iter().flat_map(|t| &t.locations);
    for edge in locations.flat_map(|l| &l.edges) {
        edge.each_expression(&mut look);
    }
    found
}

/// An expression of Promela.
struct Value {
    text: String,
    /// Where it is defined; nothing if it is everywhere.
    defined: Option<String>,
    interval: Interval,
}

/// Both conditions.
fn both(a: Option<String>, b: Option<String>) -> Option<String> {
    match (a, b) {
        (Some(a), Some(b)) => Some(format!("({a} && {b})")),
        (a, b) => a.or(b),
    }
}

/// A condition that matters only under another one.
fn under(condition: &str, then: Option<String>) -> Option<String> {
    then.map(|then| format!("(!{condition} || {then})"))
}

struct Writer<'p> {
    program: &'p Program,
    arrays: Vec<String>,
    threads: Vec<String>,
    observed: BTreeSet<ThreadId>,
    text: String,
}

impl Writer<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:1$}{text}", "", indent * 4);
    }

    // ---- variables ----

    fn variables(&mut self) {
        self.line(0, "");
        for (array, name) in self.program.arrays.iter().zip(self.arrays.clone()) {
            let cells = &self.program.cells[array.first..array.first + array.len];
            let Some(first) = cells.first() else { continue };
            let ty = type_of(&first.ty);
            let size = match array.dims.is_empty() {
                true => String::new(),
                false => format!("[{}]", array.len),
            };
            let common = cells.iter().all(|c| c.initial == first.initial);
            let initial = match first.initial.filter(|_| common) {
                Some(value) => format!(" = {value}"),
                None => String::new(),
            };
            self.line(0, &format!("{ty} {name}{size}{initial};"));
        }
        for t in self.observed.clone() {
            let initial = self.program.threads[t].initial;
            let name = self.place(t);
            self.line(0, &format!("short {name} = {initial};"));
        }
    }

    /// The variable that says where a thread is.
    fn place(&self, thread: ThreadId) -> String {
        format!("{}__at", self.threads[thread])
    }

    /// The cells that `init` sets, as not all of their variable have one value.
    fn init(&mut self) -> Result<(), Unsayable> {
        self.line(0, "\ninit {");
        self.line(1, "atomic {");
        for (array, name) in self.program.arrays.iter().zip(self.arrays.clone()) {
            let cells = &self.program.cells[array.first..array.first + array.len];
            let common = cells
                .iter()
                .all(|c| c.initial.is_some() && c.initial == cells[0].initial);
            if common {
                continue;
            }
            for (n, cell) in cells.iter().enumerate() {
                let place = match array.dims.is_empty() {
                    true => name.clone(),
                    false => format!("{name}[{n}]"),
                };
                match cell.initial {
                    Some(value) => self.line(2, &format!("{place} = {value};")),
                    None => self.any(2, &place, &cell.ty),
                }
            }
        }
        for e in &self.program.init {
            let e = self.expr(e)?;
            let holds = both(e.defined, Some(e.text)).unwrap_or_default();
            self.line(2, &format!("if :: {holds} :: else -> goto none fi;"));
        }
        for name in self.threads.clone() {
            self.line(2, &format!("run {name}();"));
        }
        for property in &self.program.properties {
            if property.kind == PropertyKind::Invariant {
                self.line(2, &format!("run never_{}();", property.name));
            }
        }
        self.line(1, "}");
        self.line(0, "none:");
        self.line(1, "skip");
        self.line(0, "}");
        Ok(())
    }

    /// Any value of a type.
    fn any(&mut self, indent: usize, place: &str, ty: &Type) {
        self.line(indent, &format!("{place} = {};", ty.lo));
        self.line(indent, "do");
        self.line(indent, &format!(":: {place} < {} -> {place}++", ty.hi));
        self.line(indent, ":: break");
        self.line(indent, "od;");
    }

    // ---- threads ----

    fn thread(&mut self, t: ThreadId) -> Result<(), Unsayable> {
        let program = self.program;
        let thread = &program.threads[t];
        let name = self.threads[t].clone();
        self.line(0, &format!("\nproctype {name}() {{"));
        if thread.initial != 0 || thread.locations[0].edges.is_empty() {
            self.line(1, &format!("goto {};", self.label(t, thread.initial)));
        }
        for (l, location) in thread.locations.iter().enumerate() {
            if location.edges.is_empty() {
                continue;
            }
            let rests = Some(l) == thread.unstarted;
            let quoted = program.text(location.span);
            let quoted = quoted
                .lines()
                .next()
                .unwrap_or_default()
                .replace("*/", "* /");
            self.line(
                0,
                &format!("{}: /* {}: {quoted} */", self.label(t, l), location.name),
            );
            if rests {
                self.line(0, &format!("end_{l}:"));
            }
            self.line(1, "if");
            for edge in &location.edges {
                self.edge((t, l), edge)?;
            }
            self.line(1, "fi;");
        }
        let ends: Vec<LocId> = (0..thread.locations.len())
            .filter(|l| thread.locations[*l].edges.is_empty() && Some(*l) != thread.wrong)
            .collect();
        self.line(0, "wrong:");
        self.line(1, "assert(false);");
        for l in ends {
            self.line(0, &format!("{}:", self.label(t, l)));
            self.line(1, "skip");
        }
        self.line(0, "}");
        Ok(())
    }

    fn label(&self, t: ThreadId, l: LocId) -> String {
        match Some(l) == self.program.threads[t].wrong {
            true => "wrong".to_string(),
            false => format!("L{l}"),
        }
    }

    fn edge(&mut self, (t, l): (ThreadId, LocId), edge: &Edge) -> Result<(), Unsayable> {
        let guard = match &edge.guard {
            None => None,
            Some(guard) => {
                let guard = self.expr(guard)?;
                if let Some(defined) = &guard.defined {
                    self.line(1, &format!(":: !{defined} -> goto wrong"));
                }
                both(guard.defined, Some(guard.text))
            }
        };
        // Spin refuses a loop that is nothing but `true`.
        let always = match edge.targets().contains(&l) {
            true => "_pid >= 0",
            false => "true",
        };
        let guard = guard.unwrap_or_else(|| always.to_string());
        self.line(1, &format!(":: atomic {{ {guard} ->"));
        self.commands(2, t, &edge.body)?;
        self.line(1, "}");
        Ok(())
    }

    fn commands(&mut self, indent: usize, t: ThreadId, all: &[Command]) -> Result<(), Unsayable> {
        for command in all {
            match command {
                Command::Goto(l) => {
                    if self.observed.contains(&t) {
                        let place = self.place(t);
                        self.line(indent, &format!("{place} = {l};"));
                    }
                    self.line(indent, &format!("goto {};", self.label(t, *l)));
                }
                Command::Assign(target, e) => self.assign(indent, target, e)?,
                Command::Havoc(target) => {
                    let (place, defined, ty) = self.target(target)?;
                    self.check(indent, defined);
                    self.any(indent, &place, &ty);
                }
                Command::Check(e, _) => {
                    let e = self.expr(e)?;
                    self.check(indent, both(e.defined, Some(e.text)));
                }
                Command::If(e, yes, no) => {
                    let e = self.expr(e)?;
                    self.check(indent, e.defined);
                    self.line(indent, "if");
                    self.line(indent, &format!(":: {} ->", e.text));
                    self.branch(indent + 1, t, yes)?;
                    self.line(indent, ":: else ->");
                    self.branch(indent + 1, t, no)?;
                    self.line(indent, "fi;");
                }
                Command::Choose(branches) => {
                    self.line(indent, "if");
                    for branch in branches {
                        self.line(indent, ":: true ->");
                        self.branch(indent + 1, t, branch)?;
                    }
                    self.line(indent, "fi;");
                }
            }
        }
        Ok(())
    }

    fn branch(&mut self, indent: usize, t: ThreadId, all: &[Command]) -> Result<(), Unsayable> {
        if all.is_empty() {
            self.line(indent, "skip;");
        }
        self.commands(indent, t, all)
    }

    /// Goes wrong unless a condition holds.
    fn check(&mut self, indent: usize, condition: Option<String>) {
        if let Some(condition) = condition {
            self.line(
                indent,
                &format!("if :: {condition} :: else -> goto wrong fi;"),
            );
        }
    }

    fn assign(&mut self, indent: usize, target: &Target, e: &Expr) -> Result<(), Unsayable> {
        let (place, defined, ty) = self.target(target)?;
        let value = self.expr(e)?;
        self.check(indent, both(defined, value.defined));
        let (lo, hi) = value.interval;
        let inside = i128::from(ty.lo) <= lo && hi <= i128::from(ty.hi);
        let text = match (inside, ty.wraps) {
            (true, _) => value.text,
            (false, true) => self.division(BinaryOp::Rem, &value.text, &(ty.hi + 1).to_string()),
            (false, false) => {
                let text = &value.text;
                self.check(
                    indent,
                    Some(format!("({text} >= {} && {text} <= {})", ty.lo, ty.hi)),
                );
                value.text
            }
        };
        self.line(indent, &format!("{place} = {text};"));
        Ok(())
    }

    /// Where a value is put, where that is defined, and of which type it is.
    fn target(&mut self, target: &Target) -> Result<(String, Option<String>, Type), Unsayable> {
        Ok(match target {
            Target::Cell(c) => (self.cell(*c), None, self.program.cells[*c].ty),
            Target::Element(array, index) => {
                let (place, defined) = self.element(*array, index)?;
                let first = self.program.arrays[*array].first;
                (place, defined, self.program.cells[first].ty)
            }
        })
    }

    // ---- properties ----

    fn properties(&mut self) -> Result<(), Unsayable> {
        let program = self.program;
        for property in &program.properties {
            let e = self.expr(&property.expr)?;
            let name = &property.name;
            match property.kind {
                PropertyKind::Invariant => {
                    let holds = both(e.defined, Some(e.text)).unwrap_or_default();
                    self.line(0, &format!("\nproctype never_{name}() {{"));
                    self.line(0, "end:");
                    self.line(1, &format!("atomic {{ !{holds} -> assert(false) }}"));
                    self.line(0, "}");
                }
                PropertyKind::Reach => {
                    let found = both(e.defined, Some(e.text)).unwrap_or_default();
                    self.line(
                        0,
                        &format!("\n// It is reached if Spin finds an error with -DREACH_{name}."),
                    );
                    self.line(0, &format!("#ifdef REACH_{name}"));
                    self.line(0, &format!("active proctype reach_{name}() {{"));
                    self.line(0, "end:");
                    self.line(1, &format!("atomic {{ {found} -> assert(false) }}"));
                    self.line(0, "}");
                    self.line(0, "#endif");
                }
                PropertyKind::Lemma => {}
            }
        }
        Ok(())
    }

    // ---- expressions ----

    fn cell(&self, c: CellId) -> String {
        let array = self.program.cells[c].array;
        let known = &self.program.arrays[array];
        match known.dims.is_empty() {
            true => self.arrays[array].clone(),
            false => format!("{}[{}]", self.arrays[array], c - known.first),
        }
    }

    fn element(
        &mut self,
        array: ArrayId,
        index: &[Expr],
    ) -> Result<(String, Option<String>), Unsayable> {
        let dims = self.program.arrays[array].dims.clone();
        let (mut at, mut defined) = (String::new(), None);
        for (e, size) in index.iter().zip(&dims) {
            let e = self.expr(e)?;
            defined = both(defined, e.defined);
            if e.interval.0 < 0 || e.interval.1 >= *size as i128 {
                let inside = format!("({0} >= 0 && {0} < {size})", e.text);
                defined = both(defined, Some(inside));
            }
            at = match at.is_empty() {
                true => e.text,
                false => format!("({at} * {size} + {})", e.text),
            };
        }
        Ok((format!("{}[{at}]", self.arrays[array]), defined))
    }

    /// Euclidean division, or its remainder, where the divisor is not zero.
    fn division(&self, op: BinaryOp, a: &str, b: &str) -> String {
        let size = match b.parse::<i64>() {
            Ok(b) => b.abs().to_string(),
            Err(_) => format!("({b} < 0 -> -{b} : {b})"),
        };
        let rest = format!("((({a} % {b}) + {size}) % {size})");
        match op {
            BinaryOp::Rem => rest,
            _ => format!("(({a} - {rest}) / {b})"),
        }
    }

    fn expr(&mut self, e: &Expr) -> Result<Value, Unsayable> {
        let program = self.program;
        let value = match e {
            Expr::Const(n) => Value {
                text: if *n < 0 {
                    format!("({n})")
                } else {
                    n.to_string()
                },
                defined: None,
                interval: (i128::from(*n), i128::from(*n)),
            },
            Expr::Cell(c) => Value {
                text: self.cell(*c),
                defined: None,
                interval: range(&program.cells[*c].ty),
            },
            Expr::Element(array, index) => {
                let (text, defined) = self.element(*array, index)?;
                let first = program.arrays[*array].first;
                let interval = range(&program.cells[first].ty);
                Value {
                    text,
                    defined,
                    interval,
                }
            }
            Expr::Via(..) | Expr::Slot(..) => self.reference(e)?,
            Expr::At(t, locations) => {
                let place = self.place(*t);
                let all: Vec<String> = locations
                    .iter()
                    .map(|l| format!("{place} == {l}"))
                    .collect();
                let text = if all.is_empty() {
                    "false".to_string()
                } else {
                    all.join(" || ")
                };
                Value {
                    text: format!("({text})"),
                    defined: None,
                    interval: (0, 1),
                }
            }
            Expr::Not(e) => {
                let value = self.expr(e)?;
                Value {
                    text: format!("(!{})", value.text),
                    interval: (0, 1),
                    ..value
                }
            }
            Expr::Neg(e) => {
                let value = self.expr(e)?;
                let (lo, hi) = value.interval;
                Value {
                    text: format!("(-{})", value.text),
                    interval: (-hi, -lo),
                    ..value
                }
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b)?,
            Expr::Cond(c, a, b) => {
                let (c, a, b) = (self.expr(c)?, self.expr(a)?, self.expr(b)?);
                let yes = under(&c.text, a.defined);
                let no = under(&format!("(!{})", c.text), b.defined);
                Value {
                    text: format!("({} -> {} : {})", c.text, a.text, b.text),
                    defined: both(c.defined, both(yes, no)),
                    interval: (
                        a.interval.0.min(b.interval.0),
                        a.interval.1.max(b.interval.1),
                    ),
                }
            }
        };
        let fits = |n: i128| i32::try_from(n).is_ok();
        match fits(value.interval.0) && fits(value.interval.1) {
            true => Ok(value),
            false => Err(Unsayable::Wide),
        }
    }

    /// A slot, by a reference or by its number.
    fn reference(&mut self, e: &Expr) -> Result<Value, Unsayable> {
        let program = self.program;
        Ok(match e {
            Expr::Via(reference, allocated) => {
                let value = self.expr(reference)?;
                let text = &value.text;
                let there = Some(format!("({text} >= 0)"));
                let live = allocated.map(|flags| {
                    // A reference that is null is no index.
                    format!(
                        "({text} < 0 || {}[({text} < 0 -> 0 : {text})] != 0)",
                        self.arrays[flags]
                    )
                });
                let defined = both(both(value.defined, there), live);
                let interval = (value.interval.0.max(0), value.interval.1.max(0));
                Value {
                    text: value.text,
                    defined,
                    interval,
                }
            }
            Expr::Slot(number, pool) => {
                let value = self.expr(number)?;
                let len = program.pools[*pool].len;
                let inside = format!("({0} >= 0 && {0} < {len})", value.text);
                Value {
                    text: value.text,
                    defined: both(value.defined, Some(inside)),
                    interval: (0, len as i128),
                }
            }
            _ => self.expr(e)?,
        })
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Value, Unsayable> {
        use BinaryOp::*;
        let (a, b) = (self.expr(left)?, self.expr(right)?);
        let infix = |sign: &str| format!("({} {sign} {})", a.text, b.text);
        let text = match op {
            Add => infix("+"),
            Sub => infix("-"),
            Mul => infix("*"),
            Div | Rem => self.division(op, &a.text, &b.text),
            BitAnd => infix("&"),
            BitOr => infix("|"),
            BitXor => infix("^"),
            Shl => infix("<<"),
            Shr => infix(">>"),
            Eq => infix("=="),
            Ne => infix("!="),
            Lt => infix("<"),
            Le => infix("<="),
            Gt => infix(">"),
            Ge => infix(">="),
            And => infix("&&"),
            Or => infix("||"),
            Implies => format!("(!{} || {})", a.text, b.text),
        };
        let right_defined = match op {
            And | Implies => under(&a.text, b.defined),
            Or => under(&format!("(!{})", a.text), b.defined),
            _ => b.defined,
        };
        let mut defined = both(a.defined, right_defined);
        if !is_total(op, right) {
            defined = both(
                defined,
                Some(match op {
                    Div | Rem => format!("({} != 0)", b.text),
                    // More would not fit 32 bits.
                    _ => format!("({0} >= 0 && {0} <= 31)", b.text),
                }),
            );
        }
        let interval = interval(op, a.interval, b.interval);
        Ok(Value {
            text,
            defined,
            interval,
        })
    }
}

fn range(ty: &Type) -> Interval {
    (i128::from(ty.lo), i128::from(ty.hi))
}

/// The smallest type of Promela that holds another.
fn type_of(ty: &Type) -> &'static str {
    match (ty.lo, ty.hi) {
        (0, ..=1) => "bit",
        (0.., ..=255) => "byte",
        (-32768.., ..=32767) => "short",
        _ => "int",
    }
}
