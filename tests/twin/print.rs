//! Programs as `coarsen` model text, every statement on a line of its own.

use super::ast::{
    Discipline, Expr, Family, Op, Place, Program, Property, Root, StateKind, Stmt, StmtKind, TONES,
    Type, Variable,
};

/// Prints the program, and writes into each statement the line on which it stands.
pub fn print(program: &mut Program) -> String {
    let declarations = program.clone();
    let mut printer = Printer {
        program: &declarations,
        family: None,
        text: String::new(),
        line: 1,
        depth: 0,
    };
    printer.declarations();
    for (number, family) in program.families.iter_mut().enumerate() {
        printer.thread(number, family);
    }
    printer.properties();
    printer.text
}

struct Printer<'a> {
    program: &'a Program,
    /// The family whose statements are printed; names its locals.
    family: Option<usize>,
    text: String,
    /// The line to be written next.
    line: usize,
    depth: usize,
}

impl Printer<'_> {
    fn write(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
        self.line += 1;
    }

    fn declarations(&mut self) {
        self.write(&format!("enum tone {{ {} }}", TONES.join(", ")));
        for mutex in &self.program.mutexes {
            self.write(&format!("mutex {}{};", mutex.name, dimension(mutex.size)));
        }
        for shared in &self.program.shared {
            let variable = &shared.variable;
            let (target, parameter) = match variable.size {
                Some(_) => (format!("{}[k]", variable.name), "[k]"),
                None => (variable.name.clone(), ""),
            };
            let discipline = match &shared.discipline {
                Discipline::Unprotected => "unprotected".to_owned(),
                Discipline::Protected(predicate) => {
                    format!("protected {target} by {}", self.expr(predicate))
                }
                Discipline::ProtectedBy(mutex) => {
                    let mutex = &self.program.mutexes[*mutex];
                    let index = if mutex.size.is_some() { parameter } else { "" };
                    format!("protected {target} by {}{index}", mutex.name)
                }
            };
            self.write(&format!("{} {discipline};", variable_declaration(variable)));
        }
        if let Some(init) = &self.program.init {
            self.write(&format!("init {};", self.expr(init)));
        }
    }

    fn properties(&mut self) {
        self.family = None;
        for property in &self.program.properties {
            let line = match property {
                Property::DeadlockFree => "deadlock_free;".to_owned(),
                Property::State { kind, name, expr } => {
                    let word = match kind {
                        StateKind::Invariant => "invariant",
                        StateKind::Lemma => "lemma",
                        StateKind::Reach => "reach",
                    };
                    format!("{word} {name}: {};", self.expr(expr))
                }
            };
            self.write(&line);
        }
    }

    fn thread(&mut self, number: usize, family: &mut Family) {
        self.family = Some(number);
        let index = family.members.map_or(String::new(), |members| {
            format!("(i in 0..{})", members - 1)
        });
        self.write(&format!("thread {}{index} {{", family.name));
        self.depth += 1;
        for local in &family.locals {
            self.write(&format!("{};", variable_declaration(local)));
        }
        self.depth -= 1;
        self.block(&mut family.body);
        self.write("}");
    }

    fn block(&mut self, block: &mut [Stmt]) {
        self.depth += 1;
        for stmt in block {
            self.stmt(stmt);
        }
        self.depth -= 1;
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        let labels: String = stmt
            .labels
            .iter()
            .map(|label| format!("{label}: "))
            .collect();
        self.stmt_after(&labels, stmt);
    }

    /// Prints a statement behind what already stands on its line.
    fn stmt_after(&mut self, before: &str, stmt: &mut Stmt) {
        stmt.line = self.line;
        let line = match &mut stmt.kind {
            StmtKind::Skip => "skip;".to_owned(),
            StmtKind::Assign(place, value) => {
                format!("{} = {};", self.place(place), self.expr(value))
            }
            StmtKind::Havoc(place) => format!("havoc {};", self.place(place)),
            StmtKind::Assert(condition) => format!("assert({});", self.expr(condition)),
            StmtKind::Assume(condition) => format!("assume({});", self.expr(condition)),
            StmtKind::Lock(mutex) => format!("lock({});", self.place(mutex)),
            StmtKind::Unlock(mutex) => format!("unlock({});", self.place(mutex)),
            StmtKind::When(guard, action) => {
                let before = format!("{before}when ({}) ", self.expr(guard));
                return self.stmt_after(&before, action);
            }
            StmtKind::Atomic(block) => {
                self.write(&format!("{before}atomic {{"));
                self.block(block);
                return self.write("}");
            }
            StmtKind::While(condition, block) => {
                self.write(&format!("{before}while ({}) {{", self.expr(condition)));
                self.block(block);
                return self.write("}");
            }
            StmtKind::If(condition, then, otherwise) => {
                self.write(&format!("{before}if ({}) {{", self.expr(condition)));
                self.block(then);
                if !otherwise.is_empty() {
                    self.write("} else {");
                    self.block(otherwise);
                }
                return self.write("}");
            }
            StmtKind::Either(branches) => {
                self.write(&format!("{before}either {{"));
                for (number, branch) in branches.iter_mut().enumerate() {
                    if number > 0 {
                        self.write("} or {");
                    }
                    self.block(branch);
                }
                return self.write("}");
            }
        };
        self.write(&format!("{before}{line}"));
    }

    fn place(&self, place: &Place) -> String {
        let name = match place.root {
            Root::Shared(number) => &self.program.shared[number].variable.name,
            Root::Mutex(number) => &self.program.mutexes[number].name,
            Root::Local(number) => {
                let family = self.family.expect("locals occur inside threads only");
                &self.program.families[family].locals[number].name
            }
        };
        match &place.index {
            Some(index) => format!("{name}[{}]", self.expr(index)),
            None => name.clone(),
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) if *value < 0 => format!("(-{})", -value),
            Expr::Int(value) => value.to_string(),
            Expr::Bool(value) => value.to_string(),
            Expr::Tone(value) => TONES[*value as usize].to_owned(),
            Expr::Nobody => "none".to_owned(),
            Expr::Self_ => "self".to_owned(),
            Expr::Index => "i".to_owned(),
            Expr::Parameter => "k".to_owned(),
            Expr::Thread(number) => self.program.thread_name(*number),
            Expr::Read(place) => self.place(place),
            Expr::Owner(place) => format!("{}.owner", self.place(place)),
            Expr::At(thread, label) => format!("at({}, {label})", self.expr(thread)),
            Expr::Not(operand) => format!("!({})", self.expr(operand)),
            Expr::Binary(op, left, right) => {
                format!("({} {} {})", self.expr(left), sign(*op), self.expr(right))
            }
            Expr::Choose(condition, then, otherwise) => {
                format!(
                    "({} ? {} : {})",
                    self.expr(condition),
                    self.expr(then),
                    self.expr(otherwise)
                )
            }
        }
    }
}

fn variable_declaration(variable: &Variable) -> String {
    let ty = match variable.ty {
        Type::Bool => "bool".to_owned(),
        Type::Range(low, high) => format!("{low}..{high}"),
        Type::Mod(k) => format!("mod {k}"),
        Type::Tone => "tone".to_owned(),
    };
    let initial = match (variable.initial, variable.ty) {
        (None, _) => String::new(),
        (Some(value), Type::Bool) => format!(" = {}", value == 1),
        (Some(value), Type::Tone) => format!(" = {}", TONES[value as usize]),
        (Some(value), _) => format!(" = {value}"),
    };
    format!(
        "var {}{}: {ty}{initial}",
        variable.name,
        dimension(variable.size)
    )
}

fn dimension(size: Option<usize>) -> String {
    size.map_or(String::new(), |size| format!("[{size}]"))
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem => "%",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::And => "&&",
        Op::Or => "||",
        Op::Implies => "=>",
    }
}
