//! A tree of a model as text: parsed again it gives the same tree, but for spans.
//!
//! Parentheses stand where the grammar needs them, and nowhere else. Comments are no part of the tree.

use super::ast::{
    BinaryOp, Block, By, Claimed, Decl, Discipline, ExpectKind, Expr, ExprKind, Field, Initial,
    Model, Name, ObjectDecl, ObjectKind, Place, PropertyKind, Selector, Stmt, StmtKind, TypeExpr,
    UnaryOp, VarDecl,
};

/// The text of a model.
pub fn print_model(model: &Model) -> String {
    let mut p = Printer::default();
    let mut before: Option<&Decl> = None;
    for decl in &model.decls {
        if before.is_some_and(|b| is_long(b) || is_long(decl)) {
            p.text.push('\n');
        }
        p.decl(decl);
        before = Some(decl);
    }
    p.text
}

/// Whether empty lines stand around a declaration.
fn is_long(decl: &Decl) -> bool {
    matches!(decl, Decl::Thread(_) | Decl::Proc(_) | Decl::Record(_))
}

/// How strongly an expression binds: 0 for what needs parentheses as an operand.
const OPEN: usize = 0;
const IMPLIES: usize = 1;
const PREFIX: usize = 12;
const OPERAND: usize = 13;

fn strength(op: BinaryOp) -> usize {
    use BinaryOp::*;
    match op {
        Implies => IMPLIES,
        Or => 2,
        And => 3,
        Eq | Ne => 4,
        Lt | Le | Gt | Ge => 5,
        BitOr => 6,
        BitXor => 7,
        BitAnd => 8,
        Shl | Shr => 9,
        Add | Sub => 10,
        Mul | Div | Rem => 11,
    }
}

fn sign(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Implies => "=>",
        Or => "||",
        And => "&&",
        Eq => "==",
        Ne => "!=",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
        BitOr => "|",
        BitXor => "^",
        BitAnd => "&",
        Shl => "<<",
        Shr => ">>",
        Add => "+",
        Sub => "-",
        Mul => "*",
        Div => "/",
        Rem => "%",
    }
}

#[derive(Default)]
struct Printer {
    text: String,
    indent: usize,
    /// In a bound of a range, where no spaces stand around operators: `0..N-1`.
    in_range: bool,
}

impl Printer {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn begin(&mut self) {
        for _ in 0..self.indent {
            self.put("    ");
        }
    }

    /// A line of its own.
    fn line(&mut self, write: impl FnOnce(&mut Self)) {
        self.begin();
        write(self);
        self.put("\n");
    }

    fn separated<T>(&mut self, all: &[T], one: impl Fn(&mut Self, &T)) {
        for (n, item) in all.iter().enumerate() {
            if n > 0 {
                self.put(", ");
            }
            one(self, item);
        }
    }

    fn names(&mut self, all: &[Name]) {
        self.separated(all, |p, name| p.put(&name.text));
    }

    // ---- declarations ----

    fn decl(&mut self, decl: &Decl) {
        match decl {
            Decl::Const { name, value } => self.line(|p| {
                p.put(&format!("const {} = ", name.text));
                p.expr(value);
                p.put(";");
            }),
            Decl::Enum { name, variants } => self.line(|p| {
                p.put(&format!("enum {} {{ ", name.text));
                p.names(variants);
                p.put(" }");
            }),
            Decl::Object(object) => self.line(|p| p.object(object)),
            Decl::Var(var) => self.line(|p| {
                p.put("var ");
                p.variable(var);
            }),
            Decl::Record(record) => {
                self.line(|p| p.put(&format!("record {} {{", record.name.text)));
                self.indent += 1;
                for field in &record.fields {
                    self.line(|p| match field {
                        Field::Var(var) => p.variable(var),
                        Field::Object(object) => p.object(object),
                    });
                }
                self.indent -= 1;
                self.line(|p| p.put("}"));
            }
            Decl::Pool { name, size, record } => self.line(|p| {
                p.put(&format!("pool {}[", name.text));
                p.expr(size);
                p.put(&format!("]: {};", record.text));
            }),
            Decl::Proc(procedure) => {
                self.line(|p| {
                    p.put(&format!("proc {}(", procedure.name.text));
                    p.separated(&procedure.params, |p, (name, ty)| {
                        p.put(&format!("{}: ", name.text));
                        p.ty(ty);
                    });
                    p.put(")");
                    if let Some(result) = &procedure.result {
                        p.put(": ");
                        p.ty(result);
                    }
                    p.put(" ");
                    p.block(&procedure.body);
                });
            }
            Decl::Thread(thread) => self.line(|p| {
                p.put(&format!("thread {}", thread.name.text));
                if let Some((name, lo, hi)) = &thread.family {
                    p.put("(");
                    p.binding(name, lo, hi);
                }
                p.put(" ");
                p.block(&thread.body);
            }),
            Decl::Init(e) => self.line(|p| {
                p.put("init ");
                p.expr(e);
                p.put(";");
            }),
            Decl::Property { kind, name, expr } => self.line(|p| {
                p.put(match kind {
                    PropertyKind::Invariant => "invariant",
                    PropertyKind::Lemma => "lemma",
                    PropertyKind::Reach => "reach",
                });
                p.put(&format!(" {}: ", name.text));
                p.expr(expr);
                p.put(";");
            }),
            Decl::DeadlockFree(_) => self.line(|p| p.put("deadlock_free;")),
            Decl::Expect(expect) => self.line(|p| {
                p.put(&match &expect.kind {
                    ExpectKind::Verdict(verdict) => format!("expect verdict {};", verdict.text),
                    ExpectKind::Property { verdict, property } => {
                        format!("expect {} {};", verdict.text, property.text)
                    }
                    ExpectKind::Count { what, count } => format!("expect {} {count};", what.text),
                });
            }),
        }
    }

    fn object(&mut self, object: &ObjectDecl) {
        match &object.kind {
            ObjectKind::Mutex => self.put("mutex "),
            ObjectKind::Reentrant(None) => self.put("reentrant mutex "),
            ObjectKind::Reentrant(Some(bound)) => {
                self.put("reentrant(");
                self.expr(bound);
                self.put(") mutex ");
            }
            ObjectKind::RwLock => self.put("rwlock "),
            ObjectKind::Cond => self.put("cond "),
            ObjectKind::Semaphore { .. } => self.put("semaphore "),
            ObjectKind::Barrier(_) => self.put("barrier "),
        }
        self.put(&object.name.text);
        self.indices(&object.dims);
        match &object.kind {
            ObjectKind::Semaphore { lo, hi, initial } => {
                self.put(": ");
                self.range(lo, hi);
                self.put(" = ");
                self.expr(initial);
            }
            ObjectKind::Barrier(parties) => {
                self.put(": ");
                self.expr(parties);
            }
            _ => {}
        }
        self.put(";");
    }

    /// Behind `var`, or a field.
    fn variable(&mut self, var: &VarDecl) {
        self.put(&var.name.text);
        self.indices(&var.dims);
        self.put(": ");
        self.ty(&var.ty);
        match &var.init {
            None => {}
            Some(Initial::All(e)) => {
                self.put(" = ");
                self.expr(e);
            }
            Some(Initial::Each(all, _)) => {
                self.put(" = [");
                self.separated(all, Self::expr);
                self.put("]");
            }
        }
        match &var.discipline {
            None => {}
            Some(Discipline::Unprotected(_)) => self.put(" unprotected"),
            Some(Discipline::Protected {
                target,
                by,
                read,
                init,
                ..
            }) => {
                self.put(" protected");
                if let Some((name, indices)) = target {
                    self.put(&format!(" {}", name.text));
                    for index in indices {
                        self.put(&format!("[{}]", index.text));
                    }
                }
                self.put(" by ");
                match by {
                    By::One(e) => self.expr(e),
                    By::All(places, _) => {
                        self.put("{");
                        self.separated(places, Self::place);
                        self.put("}");
                    }
                }
                if let Some(read) = read {
                    self.put(", read by ");
                    self.expr(read);
                }
                if let Some(init) = init {
                    self.put(" init ");
                    self.expr(init);
                }
            }
        }
        self.put(";");
    }

    fn ty(&mut self, ty: &TypeExpr) {
        match ty {
            TypeExpr::Bool(_) => self.put("bool"),
            TypeExpr::Range(lo, hi) => self.range(lo, hi),
            TypeExpr::Mod(modulus, _) => {
                self.put("mod ");
                self.expr(modulus);
            }
            TypeExpr::Named(name) => self.put(&name.text),
            TypeExpr::Ref { record, pool, .. } => {
                self.put(&format!("ref {} in {}", record.text, pool.text));
            }
            TypeExpr::Enum(variants, _) => {
                self.put("{");
                self.names(variants);
                self.put("}");
            }
        }
    }

    fn range(&mut self, lo: &Expr, hi: &Expr) {
        for (before, bound) in [("", lo), ("..", hi)] {
            self.put(before);
            self.spaced(true, |p| p.operand(bound, OPEN));
        }
    }

    /// Writes with or without spaces around operators.
    fn spaced(&mut self, in_range: bool, write: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.in_range, in_range);
        write(self);
        self.in_range = around;
    }

    /// `k in lo..hi)`
    fn binding(&mut self, name: &Name, lo: &Expr, hi: &Expr) {
        self.put(&format!("{} in ", name.text));
        self.range(lo, hi);
        self.put(")");
    }

    // ---- statements ----

    fn choice(&mut self, name: &Name, (lo, hi): (&Expr, &Expr), such: Option<&Expr>) {
        self.put(&format!("choose {} in ", name.text));
        self.range(lo, hi);
        if let Some(e) = such {
            self.put(" where ");
            self.expr(e);
        }
        self.put(";");
    }

    /// `{ .. }`, from here on.
    fn block(&mut self, block: &Block) {
        self.block_with(Vec::new(), block);
    }

    /// A block with lines before its statements.
    fn block_with(&mut self, before: Vec<String>, block: &Block) {
        if before.is_empty() && block.stmts.is_empty() {
            return self.put("{ }");
        }
        self.put("{\n");
        self.indent += 1;
        for line in before {
            self.line(|p| p.put(&line));
        }
        for stmt in &block.stmts {
            self.line(|p| p.stmt(stmt));
        }
        self.indent -= 1;
        self.begin();
        self.put("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        for (n, label) in stmt.labels.iter().enumerate() {
            if n > 0 {
                self.put(" ");
            }
            self.put(&format!("{}:", label.text));
        }
        if !stmt.labels.is_empty() && stmt.kind != StmtKind::Empty {
            self.put(" ");
        }
        self.kind(&stmt.kind);
    }

    fn kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Local(var) => {
                self.put("var ");
                self.variable(var);
            }
            StmtKind::Assign(place, value) => {
                self.place(place);
                self.put(" = ");
                self.expr(value);
                self.put(";");
            }
            StmtKind::Havoc(place) => {
                self.put("havoc ");
                self.place(place);
                self.put(";");
            }
            StmtKind::Lock(place) | StmtKind::Unlock(place) => {
                self.put(match kind {
                    StmtKind::Lock(_) => "lock(",
                    _ => "unlock(",
                });
                self.place(place);
                self.put(");");
            }
            StmtKind::Skip => self.put("skip;"),
            StmtKind::Assert(e) | StmtKind::Assume(e) => {
                self.put(match kind {
                    StmtKind::Assert(_) => "assert(",
                    _ => "assume(",
                });
                self.expr(e);
                self.put(");");
            }
            StmtKind::When(guard, action) => {
                self.head("when", guard);
                self.stmt(action);
            }
            StmtKind::If(condition, yes, no) => {
                self.head("if", condition);
                self.block(yes);
                if let Some(no) = no {
                    self.put(" else ");
                    match no.stmts.as_slice() {
                        [one] if one.labels.is_empty() && matches!(one.kind, StmtKind::If(..)) => {
                            self.stmt(one);
                        }
                        _ => self.block(no),
                    }
                }
            }
            StmtKind::While(condition, body) => {
                self.head("while", condition);
                self.block(body);
            }
            StmtKind::For(name, lo, hi, body) => {
                self.put("for (");
                self.binding(name, lo, hi);
                self.put(" ");
                self.block(body);
            }
            StmtKind::Choose(name, lo, hi, such) => self.choice(name, (lo, hi), such.as_ref()),
            StmtKind::Either(branches) => {
                for (n, branch) in branches.iter().enumerate() {
                    self.put(if n == 0 { "either " } else { " or " });
                    self.block(branch);
                }
            }
            StmtKind::Atomic(block) => {
                self.put("atomic ");
                self.block(block);
            }
            StmtKind::Transaction(claimed, block) => {
                self.put(&format!("transaction {} ", claimed.name.text));
                if let Some((mover, _)) = claimed.mover {
                    self.put(&format!("{} ", mover.word()));
                }
                self.block_with(said(claimed), block);
            }
            StmtKind::New(place, pool) => {
                self.place(place);
                self.put(&format!(" = new {};", pool.text));
            }
            StmtKind::Call(name, arguments) => {
                self.put(&format!("{}(", name.text));
                self.separated(arguments, Self::expr);
                self.put(");");
            }
            StmtKind::Return(value) => {
                self.put("return");
                if let Some(value) = value {
                    self.put(" ");
                    self.expr(value);
                }
                self.put(";");
            }
            StmtKind::Goto(label) => self.put(&format!("goto {};", label.text)),
            StmtKind::Empty => {}
        }
    }

    /// `if (c) `
    fn head(&mut self, word: &str, condition: &Expr) {
        self.put(word);
        self.put(" (");
        self.expr(condition);
        self.put(") ");
    }

    // ---- expressions ----

    fn place(&mut self, place: &Place) {
        self.put(&place.name.text);
        for selector in &place.selectors {
            match selector {
                Selector::Index(e) => self.indices(std::slice::from_ref(e)),
                Selector::Field(name) => self.put(&format!(".{}", name.text)),
            }
        }
    }

    fn indices(&mut self, all: &[Expr]) {
        for e in all {
            self.put("[");
            self.expr(e);
            self.put("]");
        }
    }

    fn expr(&mut self, e: &Expr) {
        self.spaced(false, |p| p.operand(e, OPEN));
    }

    /// An expression where only such stand that bind at least so strongly.
    fn operand(&mut self, e: &Expr, least: usize) {
        let own = match &e.kind {
            ExprKind::Cond(..) | ExprKind::Quantified { .. } => OPEN,
            ExprKind::Binary(op, ..) => strength(*op),
            ExprKind::Unary(..) => PREFIX,
            _ => OPERAND,
        };
        if own < least {
            self.put("(");
            self.spaced(false, |p| p.bare(&e.kind));
            self.put(")");
        } else {
            self.bare(&e.kind);
        }
    }

    fn bare(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Int(n) => self.put(&n.to_string()),
            ExprKind::Bool(b) => self.put(if *b { "true" } else { "false" }),
            ExprKind::SelfThread => self.put("self"),
            ExprKind::NoThread => self.put("none"),
            ExprKind::Null => self.put("null"),
            ExprKind::Place(place) => self.place(place),
            ExprKind::Reference(place) => {
                self.put("&");
                self.place(place);
            }
            ExprKind::Call(name, arguments) => {
                self.put(&format!("{}(", name.text));
                self.separated(arguments, Self::expr);
                self.put(")");
            }
            ExprKind::Local(thread, place) => {
                self.operand(thread, OPERAND);
                self.put(".");
                self.place(place);
            }
            ExprKind::At(thread, label) => {
                self.put("at(");
                self.expr(thread);
                self.put(&format!(", {})", label.text));
            }
            ExprKind::Unary(op, inner) => {
                self.put(match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                });
                // `--x` is easily misread.
                let least = match (op, &inner.kind) {
                    (UnaryOp::Neg, ExprKind::Unary(UnaryOp::Neg, _)) => OPERAND,
                    _ => PREFIX,
                };
                self.operand(inner, least);
            }
            ExprKind::Binary(op, a, b) => {
                let own = strength(*op);
                let (left, right) = match op {
                    BinaryOp::Implies => (own + 1, own),
                    // These do not associate.
                    _ if own == strength(BinaryOp::Eq) || own == strength(BinaryOp::Lt) => {
                        (own + 1, own + 1)
                    }
                    _ => (own, own + 1),
                };
                self.operand(a, left);
                match self.in_range && own >= strength(BinaryOp::Add) {
                    true => self.put(sign(*op)),
                    false => self.put(&format!(" {} ", sign(*op))),
                }
                self.operand(b, right);
            }
            ExprKind::Cond(c, a, b) => {
                self.operand(c, IMPLIES);
                self.put(" ? ");
                self.expr(a);
                self.put(" : ");
                self.expr(b);
            }
            ExprKind::Quantified {
                all,
                var,
                lo,
                hi,
                body,
            } => {
                self.put(if *all { "forall (" } else { "exists (" });
                self.binding(var, lo, hi);
                self.put(" ");
                self.expr(body);
            }
        }
    }
}

/// What a claim says of what is observed.
fn said(claimed: &Claimed) -> Vec<String> {
    let all = [("observe", &claimed.observed), ("hide", &claimed.hidden)];
    let all = all.into_iter().filter(|(_, names)| !names.is_empty());
    all.map(|(word, names)| {
        let names: Vec<&str> = names.iter().map(|n| n.text.as_str()).collect();
        format!("{word} {};", names.join(", "))
    })
    .collect()
}
