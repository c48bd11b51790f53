//! Programs as `coarsen` model text, every statement on a line of its own.

use super::ast::{
    Arena, By, Discipline, Exchange, Expr, Family, Field, Hidden, Kind, Object, Op, Place, Program,
    Property, Root, Shared, StateKind, Stmt, StmtKind, TONES, Type, Variable,
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
    for (number, procedure) in program.procedures.iter_mut().enumerate() {
        printer.procedure(number, &mut procedure.body);
    }
    for (number, family) in program.families.iter_mut().enumerate() {
        family.line = printer.line;
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
        for object in &self.program.objects {
            self.write(&object_declaration(object));
        }
        for record in &self.program.records {
            self.write(&format!("record {} {{", record.name));
            self.depth += 1;
            for field in &record.fields {
                match field {
                    Field::Data(data) => self.variable(data, ""),
                    Field::Object(object) => self.write(&object_declaration(object)),
                }
            }
            self.depth -= 1;
            self.write("}");
        }
        for pool in &self.program.pools {
            let record = &self.program.records[pool.record].name;
            self.write(&format!("pool {}[{}]: {record};", pool.name, pool.size));
        }
        for shared in &self.program.shared {
            self.variable(shared, "var ");
        }
        if let Some(init) = &self.program.init {
            self.write(&format!("init {};", self.expr(init)));
        }
    }

    /// A shared variable, or a field of a record.
    fn variable(&mut self, declared: &Shared, word: &str) {
        let Shared {
            variable,
            discipline,
        } = declared;
        let target = match variable.size {
            Some(_) => format!("{}[k]", variable.name),
            None => variable.name.clone(),
        };
        let discipline = match discipline {
            Discipline::Omitted => String::new(),
            Discipline::Unprotected => " unprotected".to_owned(),
            Discipline::Protected { by, read, init } => {
                let by = match by {
                    By::Predicate(predicate) => self.expr(predicate),
                    By::Lock(lock) => self.place(lock),
                    By::All(locks) => {
                        let locks: Vec<String> =
                            locks.iter().map(|lock| self.place(lock)).collect();
                        format!("{{{}}}", locks.join(", "))
                    }
                };
                let read = read.as_ref().map_or(String::new(), |read| {
                    format!(", read by {}", self.expr(read))
                });
                let init = init
                    .as_ref()
                    .map_or(String::new(), |init| format!(" init {}", self.expr(init)));
                format!(" protected {target} by {by}{read}{init}")
            }
        };
        let variable = self.declaration(variable);
        self.write(&format!("{word}{variable}{discipline};"));
    }

    /// `x: T = e`
    fn declaration(&self, variable: &Variable) -> String {
        let initial = match (variable.initial, variable.ty) {
            (None, _) => String::new(),
            (Some(value), Type::Bool) => format!(" = {}", value == 1),
            (Some(value), Type::Tone) => format!(" = {}", TONES[value as usize]),
            (Some(..0), Type::Ref(..)) => " = null".to_owned(),
            (Some(slot), Type::Ref(arena, _)) => format!(" = &{}[{slot}]", self.arena(arena)),
            (Some(value), _) => format!(" = {value}"),
        };
        format!(
            "{}{}: {}{initial}",
            variable.name,
            dimension(variable.size),
            self.ty(variable.ty)
        )
    }

    fn ty(&self, ty: Type) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Range(low, high) => format!("{low}..{high}"),
            Type::Mod(k) => format!("mod {k}"),
            Type::Tone => "tone".to_owned(),
            Type::Record(record) => self.program.records[record].name.clone(),
            Type::Ref(arena, _) => {
                let record = match arena {
                    Arena::Pool(pool) => self.program.pools[pool].record,
                    Arena::Array(shared) => match self.program.shared[shared].variable.ty {
                        Type::Record(record) => record,
                        _ => unreachable!("references point to records"),
                    },
                };
                let record = &self.program.records[record].name;
                format!("ref {record} in {}", self.arena(arena))
            }
        }
    }

    fn arena(&self, arena: Arena) -> &str {
        match arena {
            Arena::Pool(pool) => &self.program.pools[pool].name,
            Arena::Array(shared) => &self.program.shared[shared].variable.name,
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

    fn procedure(&mut self, number: usize, body: &mut [Stmt]) {
        self.family = None;
        let procedure = &self.program.procedures[number];
        let (parameters, locals) = procedure.variables.split_at(procedure.parameters);
        let parameters: Vec<String> = parameters
            .iter()
            .map(|parameter| self.declaration(parameter))
            .collect();
        let result = procedure
            .result
            .map_or(String::new(), |result| format!(": {}", self.ty(result)));
        let (name, parameters) = (&procedure.name, parameters.join(", "));
        self.write(&format!("proc {name}({parameters}){result} {{"));
        self.locals(locals);
        self.block(body);
        self.write("}");
    }

    fn locals(&mut self, locals: &[Variable]) {
        self.depth += 1;
        for local in locals {
            let local = self.declaration(local);
            self.write(&format!("var {local};"));
        }
        self.depth -= 1;
    }

    fn thread(&mut self, number: usize, family: &mut Family) {
        self.family = Some(number);
        let index = family.members.map_or(String::new(), |members| {
            format!("(i in 0..{})", members - 1)
        });
        self.write(&format!("thread {}{index} {{", family.name));
        self.locals(&family.locals);
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

    /// `place = `, if a result goes somewhere.
    fn assigned(&self, result: Option<&Place>) -> String {
        result.map_or(String::new(), |place| format!("{} = ", self.place(place)))
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
            StmtKind::Exchange {
                operation,
                result,
                place,
                operands,
            } => {
                let result = self.assigned(result.as_ref());
                let name = match operation {
                    Exchange::Cas => "cas",
                    Exchange::FetchAdd => "fetch_add",
                    Exchange::Swap => "swap",
                };
                let mut all = vec![self.place(place)];
                all.extend(operands.iter().map(|operand| self.expr(operand)));
                format!("{result}{name}({});", all.join(", "))
            }
            StmtKind::Pick {
                place,
                range: (low, high),
                not,
                condition,
            } => {
                let (place, condition) = (self.place(place), self.expr(condition));
                format!("choose {place} in {low}..{high} where {place} != {not} && ({condition});")
            }
            StmtKind::Assert(condition) => format!("assert({});", self.expr(condition)),
            StmtKind::Assume(condition) => format!("assume({});", self.expr(condition)),
            StmtKind::Lock(mutex) => format!("lock({});", self.place(mutex)),
            StmtKind::Unlock(mutex) => format!("unlock({});", self.place(mutex)),
            StmtKind::ReadLock(lock) => format!("read_lock({});", self.place(lock)),
            StmtKind::ReadUnlock(lock) => format!("read_unlock({});", self.place(lock)),
            StmtKind::WriteLock(lock) => format!("write_lock({});", self.place(lock)),
            StmtKind::WriteUnlock(lock) => format!("write_unlock({});", self.place(lock)),
            StmtKind::Wait(cond, mutex) => {
                format!("wait({}, {});", self.place(cond), self.place(mutex))
            }
            StmtKind::Notify(cond) => format!("notify({});", self.place(cond)),
            StmtKind::NotifyAll(cond) => format!("notifyAll({});", self.place(cond)),
            StmtKind::Down(semaphore) => format!("down({});", self.place(semaphore)),
            StmtKind::Up(semaphore) => format!("up({});", self.place(semaphore)),
            StmtKind::Await(barrier) => format!("await({});", self.place(barrier)),
            StmtKind::Start(thread) => format!("start({});", self.program.thread_name(*thread)),
            StmtKind::Join(thread) => format!("join({});", self.program.thread_name(*thread)),
            StmtKind::New(place, pool) => {
                let pool = &self.program.pools[*pool].name;
                format!("{} = new {pool};", self.place(place))
            }
            StmtKind::Free(reference, _) => format!("free({});", self.expr(reference)),
            StmtKind::Call {
                result,
                procedure,
                arguments,
            } => {
                let result = self.assigned(result.as_ref());
                let arguments: Vec<String> = arguments
                    .iter()
                    .map(|argument| self.expr(argument))
                    .collect();
                let name = &self.program.procedures[*procedure].name;
                format!("{result}{name}({});", arguments.join(", "))
            }
            StmtKind::Return(None) => "return;".to_owned(),
            StmtKind::Return(Some(value)) => format!("return {};", self.expr(value)),
            StmtKind::Goto(label) => format!("goto {label};"),
            StmtKind::Part(_) => unreachable!("made by the compiler"),
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
        let field = |record: usize, field: usize| match &self.program.records[record].fields[field]
        {
            Field::Data(data) => &data.variable.name,
            Field::Object(object) => &object.name,
        };
        let name = match &place.root {
            Root::Shared(number) => self.program.shared[*number].variable.name.clone(),
            Root::Object(number) => self.program.objects[*number].name.clone(),
            Root::Pool(number) => self.program.pools[*number].name.clone(),
            Root::Local(number) => {
                let family = self.family.expect("locals occur inside threads only");
                self.program.families[family].locals[*number].name.clone()
            }
            Root::Frame {
                procedure,
                variable,
            } => self.program.procedures[*procedure].variables[*variable]
                .name
                .clone(),
            Root::Sibling {
                record,
                field: number,
            } => field(*record, *number).clone(),
            Root::Field {
                base,
                record,
                field: number,
            } => format!("{}.{}", self.place(base), field(*record, *number)),
        };
        match &place.index {
            Some(index) => format!("{name}[{}]", self.expr(index)),
            None => name,
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
            Expr::Null => "null".to_owned(),
            Expr::Reference(arena, slot) => format!("&{}[{}]", self.arena(*arena), self.expr(slot)),
            Expr::Allocated(pool, slot) => {
                let pool = &self.program.pools[*pool].name;
                format!("{pool}.allocated[{}]", self.expr(slot))
            }
            Expr::Hidden(place, hidden) => {
                let hidden = match hidden {
                    Hidden::Owner => "owner".to_owned(),
                    Hidden::Depth => "depth".to_owned(),
                    Hidden::Writer => "writer".to_owned(),
                    Hidden::Value => "value".to_owned(),
                    Hidden::Reading(thread) => format!("reading[{}]", self.expr(thread)),
                    Hidden::Waiting(thread) => format!("waiting[{}]", self.expr(thread)),
                };
                format!("{}.{hidden}", self.place(place))
            }
            Expr::At(thread, label) => format!("at({}, {label})", self.expr(thread)),
            Expr::Not(operand) => format!("!({})", self.expr(operand)),
            Expr::Flip(operand) => format!("~{}", self.expr(operand)),
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

fn object_declaration(object: &Object) -> String {
    let name = format!("{}{}", object.name, dimension(object.size));
    match object.kind {
        Kind::Mutex => format!("mutex {name};"),
        Kind::Reentrant(bound) => format!("reentrant({bound}) mutex {name};"),
        Kind::RwLock => format!("rwlock {name};"),
        Kind::Cond => format!("cond {name};"),
        Kind::Semaphore { highest, initial } => {
            format!("semaphore {name}: 0..{highest} = {initial};")
        }
        Kind::Barrier(parties) => format!("barrier {name}: {parties};"),
    }
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
        Op::BitAnd => "&",
        Op::BitOr => "|",
        Op::BitXor => "^",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::And => "&&",
        Op::Or => "||",
        Op::Implies => "=>",
    }
}
