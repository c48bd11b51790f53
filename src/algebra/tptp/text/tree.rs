//! First-order formulas as trees. Every bound variable of a file has a number of its own, so that no name is ever
//! caught.

use crate::base::diagnostic::Span;

/// An item of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `fof(..)` or `cnf(..)`
    Formula(Annotated),
    /// `include(..)`
    Include(Include),
}

/// A formula with its name and role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotated {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// What it says; closed.
    pub formula: Formula,
    /// Where its name stands.
    pub span: Span,
}

/// `include('path', [names]).`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// The file.
    pub path: String,
    /// Where the path stands.
    pub span: Span,
    /// The formulas to be taken; all of them if nothing is said.
    pub names: Option<Vec<(String, Span)>>,
}

/// What a formula is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Assumed.
    Axiom,
    /// To be proved.
    Conjecture,
    /// Assumed, to be led to a contradiction.
    Negated,
}

/// A first-order formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `$true`, `$false`
    Constant(bool),
    /// A predicate of terms.
    Atom(Term),
    /// `s = t`
    Equal(Term, Term),
    /// `~ a`
    Not(Box<Formula>),
    /// `a & b & ..`
    And(Vec<Formula>),
    /// `a | b | ..`
    Or(Vec<Formula>),
    /// `a => b`
    Implies(Box<Formula>, Box<Formula>),
    /// `a <=> b`
    Iff(Box<Formula>, Box<Formula>),
    /// `! [X, ..] : a`
    All(Vec<Variable>, Box<Formula>),
    /// `? [X, ..] : a`
    Some(Vec<Variable>, Box<Formula>),
}

/// A variable: its number, which no other binder of the file has, and its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
}

/// A term, or an atomic formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A variable.
    Variable(Variable),
    /// A symbol with its arguments.
    Apply(String, Vec<Term>),
    /// A number, a `"distinct object"`, or a symbol that begins with `$`.
    Foreign(String),
}

impl Formula {
    /// `~ a`
    pub fn negated(self) -> Formula {
        Formula::Not(Box::new(self))
    }

    /// `a => b`
    pub fn implies(self, other: Formula) -> Formula {
        Formula::Implies(Box::new(self), Box::new(other))
    }

    /// Goes through all atomic formulas, equations as a pair of terms.
    pub fn atoms<'a>(&'a self, f: &mut dyn FnMut(&'a Term, Option<&'a Term>)) {
        match self {
            Formula::Constant(_) => {}
            Formula::Atom(t) => f(t, None),
            Formula::Equal(s, t) => f(s, Some(t)),
            Formula::Not(a) | Formula::All(_, a) | Formula::Some(_, a) => a.atoms(f),
            Formula::And(all) | Formula::Or(all) => all.iter().for_each(|a| a.atoms(f)),
            Formula::Implies(a, b) | Formula::Iff(a, b) => {
                a.atoms(f);
                b.atoms(f);
            }
        }
    }

    /// Whether no quantifier stands in it.
    pub fn is_quantifier_free(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Atom(_) | Formula::Equal(..) => true,
            Formula::Not(a) => a.is_quantifier_free(),
            Formula::And(all) | Formula::Or(all) => all.iter().all(Formula::is_quantifier_free),
            Formula::Implies(a, b) | Formula::Iff(a, b) => {
                a.is_quantifier_free() && b.is_quantifier_free()
            }
            Formula::All(..) | Formula::Some(..) => false,
        }
    }
}

impl Term {
    /// Goes through the term and all its parts.
    pub fn parts<'a>(&'a self, f: &mut dyn FnMut(&'a Term)) {
        f(self);
        if let Term::Apply(_, arguments) = self {
            arguments.iter().for_each(|t| t.parts(f));
        }
    }

    /// How many symbols and variables it has.
    pub fn size(&self) -> usize {
        let mut n = 0;
        self.parts(&mut |_| n += 1);
        n
    }
}
