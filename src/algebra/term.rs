//! Terms of omega algebra (Stoller & Cohen 2003, section 2) over indexed atoms, and statements about them.

use std::fmt;

/// A term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
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
    /// `x # y = x^w + x* y`
    Hash(Box<Term>, Box<Term>),
    /// `(+ i : x)`, the sum over all processes (that differ from those given)
    SumOver(Over, Box<Term>),
    /// `(. i : x)`, the product over all processes (that differ from those given)
    ProductOver(Over, Box<Term>),
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
    fn with_states(&self, name: &str, text: &str) -> Term {
        let of = |x: &Term| Box::new(x.with_states(name, text));
        let all = |terms: &[Term]| terms.iter().map(|x| x.with_states(name, text)).collect();
        match self {
            Term::Atom(a) if a.name == name && a.indices.is_empty() => {
                Term::State(text.to_string())
            }
            Term::Zero | Term::One | Term::Top | Term::Atom(_) | Term::State(_) => self.clone(),
            Term::Not(x) => Term::Not(of(x)),
            Term::Sum(terms) => Term::Sum(all(terms)),
            Term::Product(terms) => Term::Product(all(terms)),
            Term::Star(x) => Term::Star(of(x)),
            Term::Omega(x) => Term::Omega(of(x)),
            Term::Hash(x, y) => Term::Hash(of(x), of(y)),
            Term::SumOver(i, x) => Term::SumOver(i.clone(), of(x)),
            Term::ProductOver(i, x) => Term::ProductOver(i.clone(), of(x)),
        }
    }

    /// Binding strength: 0 sum, 1 `#`, 2 product, 3 star, 4 the rest.
    fn strength(&self) -> u8 {
        match self {
            Term::Sum(_) => 0,
            Term::Hash(..) => 1,
            Term::Product(_) => 2,
            Term::Star(_) | Term::Omega(_) => 3,
            _ => 4,
        }
    }

    fn show(&self, f: &mut fmt::Formatter<'_>, least: u8) -> fmt::Result {
        if self.strength() < least {
            f.write_str("(")?;
            self.show(f, 0)?;
            return f.write_str(")");
        }
        match self {
            Term::Zero => f.write_str("0"),
            Term::One => f.write_str("1"),
            Term::Top => f.write_str("T"),
            Term::Atom(a) => write!(f, "{a}"),
            Term::State(e) => write!(f, "{{{e}}}"),
            Term::Not(x) => {
                f.write_str("~")?;
                x.show(f, 4)
            }
            Term::Sum(terms) => {
                for (n, t) in terms.iter().enumerate() {
                    f.write_str(if n == 0 { "" } else { " + " })?;
                    t.show(f, 1)?;
                }
                Ok(())
            }
            Term::Product(terms) => {
                for (n, t) in terms.iter().enumerate() {
                    f.write_str(if n == 0 { "" } else { " " })?;
                    t.show(f, 3)?;
                }
                Ok(())
            }
            Term::Star(x) => {
                x.show(f, 3)?;
                f.write_str("*")
            }
            Term::Omega(x) => {
                x.show(f, 3)?;
                f.write_str("^w")
            }
            Term::Hash(x, y) => {
                x.show(f, 2)?;
                f.write_str(" # ")?;
                y.show(f, 1)
            }
            Term::SumOver(i, x) => {
                write!(f, "(+ {i} : ")?;
                x.show(f, 0)?;
                f.write_str(")")
            }
            Term::ProductOver(i, x) => {
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
