//! Terms of omega algebra (Stoller & Cohen 2003, section 2) over indexed atoms, and statements about them.

use crate::base::diagnostic::Span;
use crate::kernel::Operator;
use std::fmt;

/// A term, with its place in the text. Terms are equal if they are built alike, wherever they stand.
#[derive(Clone, Debug)]
pub struct Term {
    /// Where it stands.
    pub span: Span,
    /// How it is built.
    pub form: Form,
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.form == other.form
    }
}

impl Eq for Term {}

/// How a term is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `0`
    Zero,
    /// `1`
    One,
    /// `T`, the greatest element `1^w`
    Top,
    /// `u[i]`, `q`, a defined name, or a single action by its label
    Atom(Atom),
    /// `{ e }`: the test that a state expression of the model holds (its text)
    State(String),
    /// `~x`, the complement of a test
    Not(Box<Term>),
    /// `x + y + ..`
    Sum(Vec<Term>),
    /// `x y ..`
    Product(Vec<Term>),
    /// `x*`
    Star(Box<Term>),
    /// `x^w`
    Omega(Box<Term>),
    /// `dom(x)` and its kin
    Applied(Function, Box<Term>),
    /// `x # y = x^w + x* y`
    Hash(Box<Term>, Box<Term>),
    /// `(+ i : x)`, the sum over all processes (that differ from those given)
    SumOver(Over, Box<Term>),
    /// `(. i : x)`, the product over all processes (that differ from those given)
    ProductOver(Over, Box<Term>),
}

/// What stands before brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// An operator that makes a test.
    Test(Operator),
    /// `conv(x)`
    Converse,
}

impl Function {
    /// The function with this name.
    pub fn named(name: &str) -> Option<Function> {
        let tests = Operator::ALL.into_iter().map(Function::Test);
        let mut all = tests.chain([Function::Converse]);
        all.find(|f| f.name() == name)
    }

    /// Its name in terms.
    pub fn name(self) -> &'static str {
        match self {
            Function::Test(operator) => operator.name(),
            Function::Converse => "conv",
        }
    }
}

/// `i != j, i != k`: the index of a sum or product over processes, and those that it differs from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Over {
    /// The index that is bound.
    pub index: String,
    /// Processes left out.
    pub but: Vec<Index>,
}

/// A name with process indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The name.
    pub name: String,
    /// Its indices.
    pub indices: Vec<Index>,
    /// For `worker(0).B`: the label.
    pub label: Option<String>,
}

/// A process index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// A variable, or the name of a single thread.
    Name(String),
    /// A thread number.
    Number(i64),
    /// `worker(1)`
    Member(String, i64),
}

/// How two sides of a statement compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `<=`
    Below,
    /// `=`
    Equal,
}

/// `i != j => x <= y = z`: for all processes that differ as said, each side compares with the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Indices that differ.
    pub distinct: Vec<(Index, Index)>,
    /// The sides, two or more.
    pub sides: Vec<Term>,
    /// One less than sides.
    pub orders: Vec<Order>,
}

impl Statement {
    /// The same with a set of states, given by the text of its expression, for a name without indices.
    pub fn with_states(&self, name: &str, text: &str) -> Statement {
        let sides = self.sides.iter().map(|side| side.with_states(name, text));
        Statement {
            sides: sides.collect(),
            ..self.clone()
        }
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Name(n) => f.write_str(n),
            Index::Number(n) => write!(f, "{n}"),
            Index::Member(n, i) => write!(f, "{n}({i})"),
        }
    }
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.but.is_empty() {
            return f.write_str(&self.index);
        }
        let all = self.but.iter().map(|i| format!("{} != {i}", self.index));
        f.write_str(&all.collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = &self.label {
            f.write_str(&self.name)?;
            if let [i] = self.indices.as_slice() {
                write!(f, "({i})")?;
            }
            return write!(f, ".{label}");
        }
        f.write_str(&self.name)?;
        if self.indices.is_empty() {
            return Ok(());
        }
        let all: Vec<String> = self.indices.iter().map(ToString::to_string).collect();
        write!(f, "[{}]", all.join(", "))
    }
}

impl Term {
    /// A term at a place.
    pub fn new(span: Span, form: Form) -> Term {
        Term { span, form }
    }

    fn with_states(&self, name: &str, text: &str) -> Term {
        let of = |x: &Term| Box::new(x.with_states(name, text));
        let all = |terms: &[Term]| terms.iter().map(|x| x.with_states(name, text)).collect();
        let form = match &self.form {
            Form::Atom(a) if a.name == name && a.indices.is_empty() => {
                Form::State(text.to_string())
            }
            Form::Zero | Form::One | Form::Top | Form::Atom(_) | Form::State(_) => {
                self.form.clone()
            }
            Form::Not(x) => Form::Not(of(x)),
            Form::Sum(terms) => Form::Sum(all(terms)),
            Form::Product(terms) => Form::Product(all(terms)),
            Form::Star(x) => Form::Star(of(x)),
            Form::Omega(x) => Form::Omega(of(x)),
            Form::Applied(function, x) => Form::Applied(*function, of(x)),
            Form::Hash(x, y) => Form::Hash(of(x), of(y)),
            Form::SumOver(i, x) => Form::SumOver(i.clone(), of(x)),
            Form::ProductOver(i, x) => Form::ProductOver(i.clone(), of(x)),
        };
        Term::new(self.span, form)
    }

    /// Binding strength: 0 sum, 1 `#`, 2 product, 3 star, 4 the rest.
    fn strength(&self) -> u8 {
        match &self.form {
            Form::Sum(_) => 0,
            Form::Hash(..) => 1,
            Form::Product(_) => 2,
            Form::Star(_) | Form::Omega(_) => 3,
            _ => 4,
        }
    }

    fn show(&self, f: &mut fmt::Formatter<'_>, least: u8) -> fmt::Result {
        if self.strength() < least {
            f.write_str("(")?;
            self.show(f, 0)?;
            return f.write_str(")");
        }
        match &self.form {
            Form::Zero => f.write_str("0"),
            Form::One => f.write_str("1"),
            Form::Top => f.write_str("T"),
            Form::Atom(a) => write!(f, "{a}"),
            Form::State(e) => write!(f, "{{{e}}}"),
            Form::Not(x) => {
                f.write_str("~")?;
                x.show(f, 4)
            }
            Form::Sum(terms) => {
                for (n, t) in terms.iter().enumerate() {
                    f.write_str(if n == 0 { "" } else { " + " })?;
                    t.show(f, 1)?;
                }
                Ok(())
            }
            Form::Product(terms) => {
                for (n, t) in terms.iter().enumerate() {
                    f.write_str(if n == 0 { "" } else { " " })?;
                    t.show(f, 3)?;
                }
                Ok(())
            }
            Form::Star(x) => {
                x.show(f, 3)?;
                f.write_str("*")
            }
            Form::Omega(x) => {
                x.show(f, 3)?;
                f.write_str("^w")
            }
            Form::Applied(function, x) => {
                write!(f, "{}(", function.name())?;
                x.show(f, 0)?;
                f.write_str(")")
            }
            Form::Hash(x, y) => {
                x.show(f, 2)?;
                f.write_str(" # ")?;
                y.show(f, 1)
            }
            Form::SumOver(i, x) => {
                write!(f, "(+ {i} : ")?;
                x.show(f, 0)?;
                f.write_str(")")
            }
            Form::ProductOver(i, x) => {
                write!(f, "(. {i} : ")?;
                x.show(f, 0)?;
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f, 0)
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (i, j)) in self.distinct.iter().enumerate() {
            write!(f, "{}{i} != {j}", if n == 0 { "" } else { ", " })?;
        }
        if !self.distinct.is_empty() {
            f.write_str(" => ")?;
        }
        for (n, side) in self.sides.iter().enumerate() {
            if n > 0 {
                f.write_str(if self.orders[n - 1] == Order::Below {
                    " <= "
                } else {
                    " = "
                })?;
            }
            write!(f, "{side}")?;
        }
        Ok(())
    }
}
