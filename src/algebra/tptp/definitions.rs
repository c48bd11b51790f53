//! Axioms that define a symbol, put in the place of the symbol.
//!
//! `! [X,Y] : f(X,Y) = t` defines f if f does not stand in t. A formula then says the same with t in the place of
//! `f(X,Y)`, whatever other axioms say of f. So `forward_diamond`, boxes and domains
//! that are defined by antidomains need no laws of their own.

use super::axioms::is_structural;
use super::text::{Annotated, Formula, Role, Term};

/// All formulas together may have so many symbols when a definition has been unfolded.
const LARGEST: usize = 1 << 17;

/// `f(X, ..) = t`
struct Definition {
    name: String,
    /// The numbers of the variables.
    variables: Vec<u32>,
    means: Term,
}

/// The formulas with defined symbols unfolded, and without their definitions; as they are, if they get too large.
pub(super) fn unfolded(formulas: &[Annotated]) -> Vec<Annotated> {
    let mut done = formulas.to_vec();
    // Each round has one axiom less.
    loop {
        let mut all = done.iter().enumerate();
        let Some((n, definition)) = all.find_map(|(n, a)| Some((n, definition(a)?))) else {
            return done;
        };
        done.remove(n);
        let mut unfolding = Unfolding {
            definition: &definition,
            left: LARGEST,
        };
        for a in &mut done {
            match unfolding.formula(&a.formula) {
                Some(formula) => a.formula = formula,
                None => return formulas.to_vec(),
            }
        }
    }
}

/// What an axiom defines, if it is a definition.
fn definition(axiom: &Annotated) -> Option<Definition> {
    if axiom.role != Role::Axiom {
        return None;
    }
    let mut inner = &axiom.formula;
    while let Formula::All(_, a) = inner {
        inner = a;
    }
    let Formula::Equal(s, t) = inner else {
        return None;
    };
    [(s, t), (t, s)].into_iter().find_map(|(left, right)| {
        let Term::Apply(name, of) = left else {
            return None;
        };
        let mut variables = Vec::new();
        for x in of {
            match x {
                Term::Variable(v) if !variables.contains(&v.number) => variables.push(v.number),
                _ => return None,
            }
        }
        let mut fits = !variables.is_empty() && !is_structural(name, of.len());
        right.parts(&mut |part| match part {
            Term::Variable(v) => fits &= variables.contains(&v.number),
            Term::Apply(f, with) => fits &= (f, with.len()) != (name, of.len()),
            Term::Foreign(_) => {}
        });
        fits.then(|| Definition {
            name: name.clone(),
            variables,
            means: right.clone(),
        })
    })
}

/// A definition being unfolded, and how many symbols may still be written.
struct Unfolding<'d> {
    definition: &'d Definition,
    left: usize,
}

impl Unfolding<'_> {
    /// `None` if it gets too large.
    fn formula(&mut self, f: &Formula) -> Option<Formula> {
        let all = |u: &mut Self, all: &[Formula]| -> Option<Vec<Formula>> {
            all.iter().map(|a| u.formula(a)).collect()
        };
        Some(match f {
            Formula::Constant(value) => Formula::Constant(*value),
            Formula::Atom(t) => Formula::Atom(self.atom(t)?),
            Formula::Equal(s, t) => Formula::Equal(self.term(s)?, self.term(t)?),
            Formula::Not(a) => Formula::Not(Box::new(self.formula(a)?)),
            Formula::And(parts) => Formula::And(all(self, parts)?),
            Formula::Or(parts) => Formula::Or(all(self, parts)?),
            Formula::Implies(a, b) => self.formula(a)?.implies(self.formula(b)?),
            Formula::Iff(a, b) => {
                Formula::Iff(Box::new(self.formula(a)?), Box::new(self.formula(b)?))
            }
            Formula::All(bound, a) => Formula::All(bound.clone(), Box::new(self.formula(a)?)),
            Formula::Some(bound, a) => Formula::Some(bound.clone(), Box::new(self.formula(a)?)),
        })
    }

    /// An atomic formula: its own symbol is a predicate.
    fn atom(&mut self, t: &Term) -> Option<Term> {
        Some(match t {
            Term::Apply(name, of) => Term::Apply(name.clone(), self.each(of)?),
            other => other.clone(),
        })
    }

    fn each(&mut self, of: &[Term]) -> Option<Vec<Term>> {
        of.iter().map(|x| self.term(x)).collect()
    }

    fn term(&mut self, t: &Term) -> Option<Term> {
        self.left = self.left.checked_sub(1)?;
        let Term::Apply(name, of) = t else {
            return Some(t.clone());
        };
        let of = self.each(of)?;
        let d = self.definition;
        match *name == d.name && of.len() == d.variables.len() {
            true => self.put(&d.means, &of),
            false => Some(Term::Apply(name.clone(), of)),
        }
    }

    /// What the definition says, with others in the place of its variables.
    fn put(&mut self, t: &Term, by: &[Term]) -> Option<Term> {
        let variables = &self.definition.variables;
        Some(match t {
            Term::Variable(v) => match variables.iter().position(|n| *n == v.number) {
                Some(n) => {
                    self.left = self.left.checked_sub(by[n].size())?;
                    by[n].clone()
                }
                None => t.clone(),
            },
            Term::Apply(name, of) => {
                self.left = self.left.checked_sub(1)?;
                let of: Option<Vec<Term>> = of.iter().map(|x| self.put(x, by)).collect();
                Term::Apply(name.clone(), of?)
            }
            Term::Foreign(_) => t.clone(),
        })
    }
}
