//! Models made in Rust: threads, variables and statements as values, instead of text.
//!
//! A [`Model`] becomes a text of the language ([`Model::text`]), which is read as any other; so what is wrong with it
//! is told as for a file, and what it means is in the language's documentation. Names are checked there, too.
//!
//! ```
//! use coarsen::builder::{Model, Type};
//! use coarsen::results::Status;
//!
//! let mut model = Model::new("counter");
//! let n = model.constant("N", 3);
//! let m = model.mutex("m");
//! let x = model.variable("x", Type::range(0, &n), 0).protected_by(&m).declare();
//! model.threads("worker", "i", 1, &n, |t, _| {
//!     let seen = t.local("seen", Type::range(0, &n), 0);
//!     t.claim("increment", |b| {
//!         b.lock(&m);
//!         b.assign(&seen, &x);
//!         b.assign(&x, &seen + 1);
//!         b.unlock(&m);
//!     });
//! });
//! model.invariant("small", x.le(&n));
//!
//! let report = model.check().unwrap_or_else(|wrong| panic!("{wrong}"));
//! assert_eq!(report.claims[0].name, "increment");
//! assert_eq!(report.claims[0].verdict, Status::Holds);
//! ```

mod block;
mod expr;

pub use block::Block;
pub use expr::{Expr, Variable, cas, exists, fetch_add, forall, none, null, self_thread, swap};

use crate::base::control::{Control, ParseLimits};
use crate::base::diagnostic::{Diagnostic, Position, Span, position};
use crate::base::results::Report;
use crate::command::session::{Session, candidates, theory};
use crate::model::text::ast::{
    self, By, Decl, Discipline, Initial, ObjectDecl, ObjectKind, PropertyKind, ThreadDecl,
    TypeExpr, VarDecl,
};
use crate::model::text::{parse_model, print_model};
use crate::theorem::{CheckOptions, Reduce};
use std::fmt;

/// `protected by e`, from nowhere in a text.
fn protected(target: Option<(ast::Name, Vec<ast::Name>)>, by: Expr) -> Discipline {
    Discipline::Protected {
        target,
        by: By::One(by.0),
        read: None,
        init: None,
        span: Span::default(),
    }
}

/// A name, anywhere.
fn name(text: &str) -> ast::Name {
    ast::Name {
        text: text.to_string(),
        span: Span::default(),
    }
}

/// The type of a variable.
#[derive(Clone, Debug)]
pub struct Type(TypeExpr);

impl Type {
    /// `bool`
    pub fn bool() -> Self {
        Type(TypeExpr::Bool(Span::default()))
    }

    /// `lo..hi`, both inclusive; assigning anything else goes wrong.
    pub fn range(lo: impl Into<Expr>, hi: impl Into<Expr>) -> Self {
        Type(TypeExpr::Range(lo.into().0, hi.into().0))
    }

    /// `mod k`: the numbers `0..k-1`; assignments wrap.
    pub fn modulo(k: impl Into<Expr>) -> Self {
        Type(TypeExpr::Mod(k.into().0, Span::default()))
    }

    /// A declared enum.
    pub fn named(enumeration: &str) -> Self {
        Type(TypeExpr::Named(name(enumeration)))
    }

    /// `ref record in pool`
    pub fn reference(record: &str, pool: &str) -> Self {
        Type(TypeExpr::Ref {
            record: name(record),
            pool: name(pool),
            span: Span::default(),
        })
    }
}

/// A model that has errors, with its text.
#[derive(Clone, Debug)]
pub struct Flawed {
    /// What is wrong; spans are places in the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The model as text.
    pub text: String,
}

impl fmt::Display for Flawed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for d in &self.diagnostics {
            let Position { line, column } = position(&self.text, d.span.start);
            writeln!(f, "{line}:{column}: {d}; {}", d.help)?;
        }
        f.write_str(&self.text)
    }
}

impl std::error::Error for Flawed {}

/// A model in the making.
#[derive(Clone, Debug, Default)]
pub struct Model {
    name: String,
    tree: ast::Model,
    /// What could not be read of declarations given as text.
    wrong: Option<Flawed>,
}

impl Model {
    /// A model without declarations. The name stands in reports.
    pub fn new(name: &str) -> Self {
        Model {
            name: name.to_string(),
            ..Self::default()
        }
    }

    // ---- declarations ----

    /// `const NAME = value;`
    pub fn constant(&mut self, called: &str, value: impl Into<Expr>) -> Expr {
        self.tree.decls.push(Decl::Const {
            name: name(called),
            value: value.into().0,
        });
        Expr::named(called)
    }

    /// `enum NAME { .. }`; its values.
    pub fn enumeration<const N: usize>(&mut self, called: &str, values: [&str; N]) -> [Expr; N] {
        self.tree.decls.push(Decl::Enum {
            name: name(called),
            variants: values.iter().map(|v| name(v)).collect(),
        });
        values.map(Expr::named)
    }

    fn object(&mut self, kind: ObjectKind, called: &str, dims: Vec<Expr>) -> Variable {
        self.tree.decls.push(Decl::Object(ObjectDecl {
            kind,
            name: name(called),
            dims: dims.into_iter().map(|e| e.0).collect(),
        }));
        Variable::named(called)
    }

    /// `mutex NAME;`
    pub fn mutex(&mut self, called: &str) -> Variable {
        self.object(ObjectKind::Mutex, called, Vec::new())
    }

    /// `mutex NAME[size];`: [`Variable::at`] has one of them.
    pub fn mutexes(&mut self, called: &str, size: impl Into<Expr>) -> Variable {
        self.object(ObjectKind::Mutex, called, vec![size.into()])
    }

    /// `rwlock NAME;`
    pub fn rwlock(&mut self, called: &str) -> Variable {
        self.object(ObjectKind::RwLock, called, Vec::new())
    }

    /// `cond NAME;`
    pub fn condition(&mut self, called: &str) -> Variable {
        self.object(ObjectKind::Cond, called, Vec::new())
    }

    /// `semaphore NAME: 0..highest = initial;`
    pub fn semaphore(
        &mut self,
        called: &str,
        highest: impl Into<Expr>,
        initial: impl Into<Expr>,
    ) -> Variable {
        let kind = ObjectKind::Semaphore {
            lo: Expr::from(0).0,
            hi: highest.into().0,
            initial: initial.into().0,
        };
        self.object(kind, called, Vec::new())
    }

    /// `barrier NAME: parties;`
    pub fn barrier(&mut self, called: &str, parties: impl Into<Expr>) -> Variable {
        self.object(ObjectKind::Barrier(parties.into().0), called, Vec::new())
    }

    /// A shared variable, to be completed and declared. Its discipline is inferred unless it is said.
    pub fn variable(&mut self, called: &str, ty: Type, initial: impl Into<Expr>) -> Shared<'_> {
        Shared {
            model: self,
            var: var(called, ty, Some(Initial::All(initial.into().0))),
        }
    }

    /// Declarations in the model language, such as records and pools; what they declare is named by
    /// [`Variable::named`].
    pub fn declarations(&mut self, text: &str) {
        // A model has a thread.
        let whole = format!("{text}\nthread t {{ }}");
        let (tree, diagnostics) = parse_model(&whole, ParseLimits::default());
        if !diagnostics.is_empty() {
            self.wrong.get_or_insert(Flawed {
                diagnostics,
                text: text.to_string(),
            });
        }
        let mut decls = tree.decls;
        decls.pop();
        self.tree.decls.extend(decls);
    }

    /// A thread.
    pub fn thread(&mut self, called: &str, body: impl FnOnce(&mut Block)) {
        self.body(called, None, |block| body(block));
    }

    /// A family of threads, one for each number from `lo` to `hi`; the body gets the number, which is called `bound` in
    /// the text.
    pub fn threads(
        &mut self,
        called: &str,
        bound: &str,
        lo: impl Into<Expr>,
        hi: impl Into<Expr>,
        body: impl FnOnce(&mut Block, Expr),
    ) {
        let family = (name(bound), lo.into().0, hi.into().0);
        self.body(called, Some(family), |block| {
            body(block, Expr::named(bound))
        });
    }

    fn body(
        &mut self,
        called: &str,
        family: Option<(ast::Name, ast::Expr, ast::Expr)>,
        body: impl FnOnce(&mut Block),
    ) {
        let mut block = Block::default();
        body(&mut block);
        self.tree.decls.push(Decl::Thread(ThreadDecl {
            name: name(called),
            family,
            body: block.finish(),
            span: Span::default(),
        }));
    }

    fn property(&mut self, kind: PropertyKind, called: &str, e: impl Into<Expr>) {
        self.tree.decls.push(Decl::Property {
            kind,
            name: name(called),
            expr: e.into().0,
        });
    }

    /// `init e;`: what holds in the beginning, besides initial values.
    pub fn init(&mut self, e: impl Into<Expr>) {
        self.tree.decls.push(Decl::Init(e.into().0));
    }

    /// `invariant NAME: e;`: holds in every reachable state.
    pub fn invariant(&mut self, called: &str, e: impl Into<Expr>) {
        self.property(PropertyKind::Invariant, called, e);
    }

    /// `lemma NAME: e;`: a fact that the check may use where it is inductive.
    pub fn lemma(&mut self, called: &str, e: impl Into<Expr>) {
        self.property(PropertyKind::Lemma, called, e);
    }

    /// `reach NAME: e;`: holds in some reachable state.
    pub fn reach(&mut self, called: &str, e: impl Into<Expr>) {
        self.property(PropertyKind::Reach, called, e);
    }

    /// `deadlock_free;`
    pub fn deadlock_free(&mut self) {
        self.tree.decls.push(Decl::DeadlockFree(Span::default()));
    }

    // ---- answers ----

    /// The model as text.
    pub fn text(&self) -> String {
        print_model(&self.tree)
    }

    /// The model, read: what can be asked of it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn load(&self) -> Result<Session, Flawed> {
        if let Some(wrong) = &self.wrong {
            return Err(wrong.clone());
        }
        let text = self.text();
        match Session::load(&self.name, &text, &[], ParseLimits::default()) {
            Ok((session, _)) => Ok(session),
            Err(diagnostics) => Err(Flawed { diagnostics, text }),
        }
    }

    /// The answers of `coarsen check` with its defaults.
    ///
    /// # Errors
    /// What is wrong with the model.
    pub fn check(&self) -> Result<Report, Flawed> {
        let options = CheckOptions {
            others: candidates().split_off(1),
            reduce: Reduce::Auto,
            ..CheckOptions::default()
        };
        self.check_with(&options, &Control::default())
    }

    /// The answers of a check with these options and limits, by the theorem of Stoller & Cohen.
    ///
    /// # Errors
    /// What is wrong with the model.
    pub fn check_with(&self, options: &CheckOptions, control: &Control) -> Result<Report, Flawed> {
        let session = self.load()?;
        let lacking = || Flawed {
            diagnostics: Vec::new(),
            text: self.text(),
        };
        let theory = theory("stoller-cohen").ok_or_else(lacking)?;
        Ok(session.check(&theory, options, control))
    }
}

fn var(called: &str, ty: Type, init: Option<Initial>) -> VarDecl {
    VarDecl {
        name: name(called),
        dims: Vec::new(),
        ty: ty.0,
        init,
        discipline: None,
        span: Span::default(),
    }
}

/// A shared variable that is not declared yet.
#[must_use = "it is declared by `declare`"]
pub struct Shared<'m> {
    model: &'m mut Model,
    var: VarDecl,
}

impl Shared<'_> {
    /// An array of so many; may be said again for more dimensions.
    pub fn array(mut self, size: impl Into<Expr>) -> Self {
        self.var.dims.push(size.into().0);
        self
    }

    /// The initial value of each cell, the last index running fastest.
    pub fn each<E: Into<Expr>>(mut self, values: impl IntoIterator<Item = E>) -> Self {
        let values = values.into_iter().map(|e| e.into().0).collect();
        self.var.init = Some(Initial::Each(values, Span::default()));
        self
    }

    /// `unprotected`: everybody may use it at any time, so each access is visible.
    pub fn unprotected(mut self) -> Self {
        self.var.discipline = Some(Discipline::Unprotected(Span::default()));
        self
    }

    /// `protected by e`: a mutex, a read-write lock, or an exclusive access predicate of [`self_thread`].
    pub fn protected_by(mut self, e: impl Into<Expr>) -> Self {
        self.var.discipline = Some(protected(None, e.into()));
        self
    }

    /// The same cell by cell; the closure gets an index for each dimension.
    pub fn each_protected_by(mut self, by: impl FnOnce(&[Expr]) -> Expr) -> Self {
        let (names, indices) = self.indices();
        let target = Some((self.var.name.clone(), names));
        self.var.discipline = Some(protected(target, by(&indices)));
        self
    }

    /// `, read by e`: a thread of which `e` holds may read it as well, while no other may write. The closure gets the
    /// indices that [`Self::each_protected_by`] has named; who may write is said before, else nobody may.
    pub fn read_by(mut self, by: impl FnOnce(&[Expr]) -> Expr) -> Self {
        let (_, indices) = self.indices();
        let word = self.var.discipline.take();
        let mut word = word.unwrap_or_else(|| protected(None, false.into()));
        if let Discipline::Protected { read, .. } = &mut word {
            *read = Some(by(&indices).0);
        }
        self.var.discipline = Some(word);
        self
    }

    /// A name for each of its indices, and the same as expressions.
    fn indices(&self) -> (Vec<ast::Name>, Vec<Expr>) {
        let names: Vec<String> = (0..self.var.dims.len()).map(|n| format!("k{n}")).collect();
        let indices = names.iter().map(|n| Expr::named(n)).collect();
        (names.iter().map(|n| name(n)).collect(), indices)
    }

    /// Declares it.
    pub fn declare(self) -> Variable {
        let variable = Variable::named(&self.var.name.text);
        self.model.tree.decls.push(Decl::Var(self.var));
        variable
    }
}
