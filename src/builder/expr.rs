//! Expressions, with the operators of Rust where it has them, and names for the others.

use super::name;
use crate::base::diagnostic::Span;
use crate::model::text::ast::{self, BinaryOp, ExprKind, Place, Selector, UnaryOp};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

/// An expression of the model language.
#[derive(Clone, Debug)]
pub struct Expr(pub(super) ast::Expr);

/// A variable or an object, or a part of one.
#[derive(Clone, Debug)]
pub struct Variable(pub(super) Place);

impl Variable {
    /// What is declared under a name.
    pub fn named(text: &str) -> Self {
        Variable(Place {
            name: name(text),
            selectors: Vec::new(),
            span: Span::default(),
        })
    }

    fn with(&self, selector: Selector) -> Self {
        let mut place = self.0.clone();
        place.selectors.push(selector);
        Variable(place)
    }

    /// `x[e]`
    #[must_use]
    pub fn at(&self, index: impl Into<Expr>) -> Self {
        self.with(Selector::Index(index.into().0))
    }

    /// `x.field`: of a record, through a reference, or of an object's state, such as `m.owner`.
    #[must_use]
    pub fn field(&self, field: &str) -> Self {
        self.with(Selector::Field(name(field)))
    }

    /// `&P[e]`: the reference to a slot.
    pub fn reference(&self) -> Expr {
        Expr::of(ExprKind::Reference(self.0.clone()))
    }
}

impl Expr {
    pub(super) fn of(kind: ExprKind) -> Self {
        Expr(ast::Expr {
            kind,
            span: Span::default(),
        })
    }

    /// A constant, a value of an enum, or a bound name.
    pub fn named(text: &str) -> Self {
        Variable::named(text).into()
    }

    fn binary(op: BinaryOp, a: Expr, b: Expr) -> Self {
        Expr::of(ExprKind::Binary(op, Box::new(a.0), Box::new(b.0)))
    }

    /// The number of a thread of a family: `worker(e)`.
    pub fn member(family: &str, index: impl Into<Expr>) -> Self {
        Expr::of(ExprKind::Call(name(family), vec![index.into().0]))
    }

    /// A call of a procedure: `f(e, ..)`.
    pub fn call(procedure: &str, arguments: impl IntoIterator<Item = Expr>) -> Self {
        let arguments = arguments.into_iter().map(|e| e.0).collect();
        Expr::of(ExprKind::Call(name(procedure), arguments))
    }

    /// `at(thread, label)`, in properties and predicates; `end` and `wrong` are labels of every thread.
    pub fn is_at(self, label: &str) -> Self {
        Expr::of(ExprKind::At(Box::new(self.0), name(label)))
    }

    /// `thread.t`: a thread's local variable, in properties and predicates.
    pub fn local(self, variable: &str) -> Self {
        let place = Variable::named(variable).0;
        Expr::of(ExprKind::Local(Box::new(self.0), place))
    }

    /// `c ? a : b`
    pub fn then(self, yes: impl Into<Expr>, no: impl Into<Expr>) -> Self {
        let (yes, no) = (Box::new(yes.into().0), Box::new(no.into().0));
        Expr::of(ExprKind::Cond(Box::new(self.0), yes, no))
    }
}

/// The operators that Rust's have no results for, of everything that can be an operand.
macro_rules! comparisons {
    ($($(#[$doc:meta])* $method:ident $op:ident;)*) => {
        impl Expr {
            $($(#[$doc])*
            #[must_use]
            pub fn $method(self, other: impl Into<Expr>) -> Expr {
                Expr::binary(BinaryOp::$op, self, other.into())
            })*
        }

        impl Variable {
            $($(#[$doc])*
            #[must_use]
            pub fn $method(&self, other: impl Into<Expr>) -> Expr {
                Expr::binary(BinaryOp::$op, self.into(), other.into())
            })*
        }
    };
}

comparisons! {
    /// `==`
    is Eq;
    /// `!=`
    is_not Ne;
    /// `<`
    lt Lt;
    /// `<=`
    le Le;
    /// `>`
    gt Gt;
    /// `>=`
    ge Ge;
    /// `&&`
    and And;
    /// `||`
    or Or;
    /// `=>`
    implies Implies;
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {
        $(operators!(@ $trait $method $op Expr);
        operators!(@ $trait $method $op &Expr);
        operators!(@ $trait $method $op Variable);
        operators!(@ $trait $method $op &Variable);)*
    };
    (@ $trait:ident $method:ident $op:ident $left:ty) => {
        impl<E: Into<Expr>> $trait<E> for $left {
            type Output = Expr;

            fn $method(self, other: E) -> Expr {
                Expr::binary(BinaryOp::$op, self.into(), other.into())
            }
        }
    };
}

operators! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
    Rem rem Rem;
    BitAnd bitand BitAnd;
    BitOr bitor BitOr;
    BitXor bitxor BitXor;
    Shl shl Shl;
    Shr shr Shr;
}

macro_rules! prefixes {
    ($($trait:ident $method:ident $op:ident $operand:ty;)*) => {
        $(impl $trait for $operand {
            type Output = Expr;

            fn $method(self) -> Expr {
                let operand: Expr = self.into();
                Expr::of(ExprKind::Unary(UnaryOp::$op, Box::new(operand.0)))
            }
        })*
    };
}

prefixes! {
    Not not Not Expr;
    Not not Not &Expr;
    Not not Not &Variable;
    Neg neg Neg Expr;
    Neg neg Neg &Expr;
    Neg neg Neg &Variable;
}

impl From<Variable> for Expr {
    fn from(variable: Variable) -> Self {
        Expr::of(ExprKind::Place(variable.0))
    }
}

impl From<&Variable> for Expr {
    fn from(variable: &Variable) -> Self {
        variable.clone().into()
    }
}

impl From<&Expr> for Expr {
    fn from(e: &Expr) -> Self {
        e.clone()
    }
}

impl From<i64> for Expr {
    fn from(n: i64) -> Self {
        match n {
            0.. => Expr::of(ExprKind::Int(n)),
            // There are no negative numbers in the language, only a minus.
            _ => Expr::of(ExprKind::Unary(UnaryOp::Neg, Box::new(Expr::from(-n).0))),
        }
    }
}

impl From<i32> for Expr {
    fn from(n: i32) -> Self {
        i64::from(n).into()
    }
}

impl From<bool> for Expr {
    fn from(b: bool) -> Self {
        Expr::of(ExprKind::Bool(b))
    }
}

/// `self`: the number of the thread at hand.
pub fn self_thread() -> Expr {
    Expr::of(ExprKind::SelfThread)
}

/// `none`: the owner of a free mutex.
pub fn none() -> Expr {
    Expr::of(ExprKind::NoThread)
}

/// `null`: the reference to nothing.
pub fn null() -> Expr {
    Expr::of(ExprKind::Null)
}

fn quantified(
    all: bool,
    bound: &str,
    (lo, hi): (Expr, Expr),
    body: impl FnOnce(Expr) -> Expr,
) -> Expr {
    Expr::of(ExprKind::Quantified {
        all,
        var: name(bound),
        lo: Box::new(lo.0),
        hi: Box::new(hi.0),
        body: Box::new(body(Expr::named(bound)).0),
    })
}

/// `forall (k in lo..hi) ..`
pub fn forall(
    bound: &str,
    lo: impl Into<Expr>,
    hi: impl Into<Expr>,
    body: impl FnOnce(Expr) -> Expr,
) -> Expr {
    quantified(true, bound, (lo.into(), hi.into()), body)
}

/// `exists (k in lo..hi) ..`
pub fn exists(
    bound: &str,
    lo: impl Into<Expr>,
    hi: impl Into<Expr>,
    body: impl FnOnce(Expr) -> Expr,
) -> Expr {
    quantified(false, bound, (lo.into(), hi.into()), body)
}

/// `cas(x, old, new)`: writes `new` if `x` is `old`; whether it did.
pub fn cas(x: &Variable, old: impl Into<Expr>, new: impl Into<Expr>) -> Expr {
    Expr::call("cas", [x.into(), old.into(), new.into()])
}

/// `fetch_add(x, e)`: adds `e`; the value before.
pub fn fetch_add(x: &Variable, e: impl Into<Expr>) -> Expr {
    Expr::call("fetch_add", [x.into(), e.into()])
}

/// `swap(x, e)`: writes `e`; the value before.
pub fn swap(x: &Variable, e: impl Into<Expr>) -> Expr {
    Expr::call("swap", [x.into(), e.into()])
}
