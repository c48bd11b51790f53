//! A tree as text with every pair of parentheses written out, so that a golden file shows its whole shape.

use coarsen::model::text::ast::*;

/// One line per declaration and statement.
pub fn model(model: &Model) -> String {
    model.decls.iter().map(|d| decl(d) + "\n").collect()
}

fn decl(decl: &Decl) -> String {
    match decl {
        Decl::Const { name, value } => format!("const {} = {}", name.text, expr(value)),
        Decl::Enum { name, variants } => format!("enum {} {{{}}}", name.text, names(variants)),
        Decl::Object(o) => object(o),
        Decl::Record(r) => {
            let fields: String = r
                .fields
                .iter()
                .map(|f| match f {
                    Field::Var(var) => format!("  {}\n", variable(var)),
                    Field::Object(o) => format!("  {}\n", object(o)),
                })
                .collect();
            format!("record {} {{\n{fields}}}", r.name.text)
        }
        Decl::Pool { name, size, record } => {
            format!("pool {}[{}]: {}", name.text, expr(size), record.text)
        }
        Decl::Proc(p) => {
            let params: Vec<String> = p
                .params
                .iter()
                .map(|(n, t)| format!("{}: {}", n.text, type_expr(t)))
                .collect();
            let result = p.result.as_ref().map(|t| format!(": {}", type_expr(t)));
            format!(
                "proc {}({}){} {}",
                p.name.text,
                params.join(", "),
                result.unwrap_or_default(),
                block(&p.body, 1)
            )
        }
        Decl::Var(var) => variable(var),
        Decl::Thread(ThreadDecl {
            name, family, body, ..
        }) => {
            let family = family
                .as_ref()
                .map(|(i, lo, hi)| format!("({} in {}..{})", i.text, expr(lo), expr(hi)));
            format!(
                "thread {}{} {}",
                name.text,
                family.unwrap_or_default(),
                block(body, 1)
            )
        }
        Decl::Init(e) => format!("init {}", expr(e)),
        Decl::Property {
            kind,
            name,
            expr: e,
        } => format!("{kind:?} {}: {}", name.text, expr(e)),
        Decl::DeadlockFree(_) => "deadlock_free".to_string(),
        Decl::Expect(Expect { kind, .. }) => match kind {
            ExpectKind::Verdict(verdict) => format!("expect verdict {}", verdict.text),
            ExpectKind::Property { verdict, property } => {
                format!("expect property {} {}", verdict.text, property.text)
            }
            ExpectKind::Count { what, count } => format!("expect count {} {count}", what.text),
        },
    }
}

fn object(o: &ObjectDecl) -> String {
    let (kind, behind) = match &o.kind {
        ObjectKind::Mutex => ("mutex".to_string(), String::new()),
        ObjectKind::Reentrant(bound) => {
            let bound = bound.as_ref().map(|b| format!("({})", expr(b)));
            (
                format!("reentrant{}", bound.unwrap_or_default()),
                String::new(),
            )
        }
        ObjectKind::RwLock => ("rwlock".to_string(), String::new()),
        ObjectKind::Cond => ("cond".to_string(), String::new()),
        ObjectKind::Semaphore { lo, hi, initial } => (
            "semaphore".to_string(),
            format!(": {} {} = {}", expr(lo), expr(hi), expr(initial)),
        ),
        ObjectKind::Barrier(n) => ("barrier".to_string(), format!(": {}", expr(n))),
    };
    format!("{kind} {}{}{behind}", o.name.text, brackets(&o.dims))
}

fn type_expr(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Bool(_) => "bool".to_string(),
        TypeExpr::Range(lo, hi) => format!("range {} {}", expr(lo), expr(hi)),
        TypeExpr::Mod(k, _) => format!("mod {}", expr(k)),
        TypeExpr::Named(name) => format!("named {}", name.text),
        TypeExpr::Enum(variants, _) => format!("enum {{{}}}", names(variants)),
        TypeExpr::Ref { record, pool, .. } => format!("ref {} in {}", record.text, pool.text),
    }
}

fn variable(var: &VarDecl) -> String {
    let ty = type_expr(&var.ty);
    let init = match &var.init {
        None => String::new(),
        Some(Initial::All(e)) => format!(" = all {}", expr(e)),
        Some(Initial::Each(es, _)) => format!(" = each [{}]", exprs(es)),
    };
    let discipline = match &var.discipline {
        None => String::new(),
        Some(Discipline::Unprotected(_)) => " unprotected".to_string(),
        Some(Discipline::Protected {
            target,
            by,
            read,
            init,
            ..
        }) => {
            let target = target.as_ref().map(|(name, indices)| {
                let indices: String = indices.iter().map(|i| format!("[{}]", i.text)).collect();
                format!(" {}{indices}", name.text)
            });
            let by = match by {
                By::One(e) => expr(e),
                By::All(places, _) => {
                    let places: Vec<String> = places.iter().map(place).collect();
                    format!("{{{}}}", places.join(", "))
                }
            };
            let read = read.as_ref().map(|e| format!(" read {}", expr(e)));
            let init = init.as_ref().map(|e| format!(" init {}", expr(e)));
            format!(
                " protected{} by {by}{}{}",
                target.unwrap_or_default(),
                read.unwrap_or_default(),
                init.unwrap_or_default()
            )
        }
    };
    format!(
        "var {}{}: {ty}{init}{discipline}",
        var.name.text,
        brackets(&var.dims)
    )
}

fn block(block: &Block, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let stmts: String = block
        .stmts
        .iter()
        .map(|s| format!("{indent}{}\n", stmt(s, depth)))
        .collect();
    format!("{{\n{stmts}{}}}", "  ".repeat(depth - 1))
}

fn stmt(s: &Stmt, depth: usize) -> String {
    let inner = |b| block(b, depth + 1);
    let labels: String = s.labels.iter().map(|l| format!("{}: ", l.text)).collect();
    let kind = match &s.kind {
        StmtKind::Local(var) => variable(var),
        StmtKind::Assign(p, e) => format!("assign {} = {}", place(p), expr(e)),
        StmtKind::Havoc(p) => format!("havoc {}", place(p)),
        StmtKind::Lock(p) => format!("lock {}", place(p)),
        StmtKind::Unlock(p) => format!("unlock {}", place(p)),
        StmtKind::Skip => "skip".to_string(),
        StmtKind::Assert(e) => format!("assert {}", expr(e)),
        StmtKind::Assume(e) => format!("assume {}", expr(e)),
        StmtKind::When(e, action) => format!("when {} do {}", expr(e), stmt(action, depth)),
        StmtKind::If(e, yes, no) => {
            let no = no.as_ref().map(|b| format!(" else {}", inner(b)));
            format!("if {} {}{}", expr(e), inner(yes), no.unwrap_or_default())
        }
        StmtKind::While(e, body) => format!("while {} {}", expr(e), inner(body)),
        StmtKind::For(k, lo, hi, body) => {
            format!(
                "for {} in {}..{} {}",
                k.text,
                expr(lo),
                expr(hi),
                inner(body)
            )
        }
        StmtKind::Choose(v, lo, hi, such) => {
            let such = such.as_ref().map(expr).unwrap_or_default();
            format!("choose {} in {}..{} {such}", v.text, expr(lo), expr(hi))
        }
        StmtKind::Either(branches) => {
            let branches: Vec<String> = branches.iter().map(inner).collect();
            format!("either {}", branches.join(" or "))
        }
        StmtKind::Atomic(body) => format!("atomic {}", inner(body)),
        StmtKind::Transaction(said, body) => {
            let names =
                |all: &[Name]| -> Vec<String> { all.iter().map(|n| n.text.clone()).collect() };
            let (observed, hidden) = (names(&said.observed), names(&said.hidden));
            let name = &said.name.text;
            let mover = said.mover.map(|(m, _)| format!(" {}", m.word()));
            let mover = mover.unwrap_or_default();
            format!(
                "transaction {name}{mover} {observed:?} {hidden:?} {}",
                inner(body)
            )
        }
        StmtKind::New(p, pool) => format!("new {} = {}", place(p), pool.text),
        StmtKind::Call(name, args) => format!("call {} [{}]", name.text, exprs(args)),
        StmtKind::Return(e) => {
            let value = e.as_ref().map(|e| format!(" {}", expr(e)));
            format!("return{}", value.unwrap_or_default())
        }
        StmtKind::Goto(label) => format!("goto {}", label.text),
        StmtKind::Empty => "empty".to_string(),
    };
    labels + &kind
}

fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::SelfThread => "self".to_string(),
        ExprKind::NoThread => "none".to_string(),
        ExprKind::Place(p) => place(p),
        ExprKind::Null => "null".to_string(),
        ExprKind::Reference(p) => format!("(ref {})", place(p)),
        ExprKind::Call(name, args) => format!("(call {} [{}])", name.text, exprs(args)),
        ExprKind::Local(t, p) => format!("(local {} {})", expr(t), place(p)),
        ExprKind::At(t, label) => format!("(at {} {})", expr(t), label.text),
        ExprKind::Unary(op, a) => format!("({op:?} {})", expr(a)),
        ExprKind::Binary(op, a, b) => format!("({op:?} {} {})", expr(a), expr(b)),
        ExprKind::Cond(c, a, b) => format!("(Cond {} {} {})", expr(c), expr(a), expr(b)),
        ExprKind::Quantified {
            all,
            var,
            lo,
            hi,
            body,
        } => {
            let word = if *all { "forall" } else { "exists" };
            format!(
                "({word} {} in {}..{} {})",
                var.text,
                expr(lo),
                expr(hi),
                expr(body)
            )
        }
    }
}

fn place(p: &Place) -> String {
    let selectors = p.selectors.iter().map(|s| match s {
        Selector::Index(e) => format!("[{}]", expr(e)),
        Selector::Field(f) => format!(".{}", f.text),
    });
    p.name.text.clone() + &selectors.collect::<String>()
}

fn brackets(es: &[Expr]) -> String {
    es.iter().map(|e| format!("[{}]", expr(e))).collect()
}

fn exprs(es: &[Expr]) -> String {
    es.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn names(names: &[Name]) -> String {
    names
        .iter()
        .map(|n| n.text.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}
