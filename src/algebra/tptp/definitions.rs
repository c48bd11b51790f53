//! Axioms that define a symbol, put in the place of the symbol.
//!
//! `! [X,Y] : f(X,Y) = t` defines f if f does not stand in t. A formula then says the same with t in the place of
//! `f(X,Y)`, whatever other axioms say of f. So `forward_diamond`, boxes and domains
//! that are defined by antidomains need no laws of their own.

use super::axioms::is_structural;
use super::text::{Annotated, Formula, Role, Term};

/// A formula may have so many symbols when its definitions are unfolded.
const LARGEST: usize = 20_000;

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
        for a in &mut done {
            a.formula = formula(&a.formula, &definition);
            let mut size = 0;
            a.formula
                .atoms(&mut |s, t| size += s.size() + t.map_or(0, Term::size));
            if size > LARGEST {
                return formulas.to_vec();
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

fn formula(f: &Formula, d: &Definition) -> Formula {
    let of = |a: &Formula| Box::new(formula(a, d));
    let all = |all: &[Formula]| all.iter().map(|a| formula(a, d)).collect();
    match f {
        Formula::Constant(value) => Formula::Constant(*value),
        Formula::Atom(t) => Formula::Atom(atom(t, d)),
        Formula::Equal(s, t) => Formula::Equal(term(s, d), term(t, d)),
        Formula::Not(a) => Formula::Not(of(a)),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::Implies(a, b) => Formula::Implies(of(a), of(b)),
        Formula::Iff(a, b) => Formula::Iff(of(a), of(b)),
        Formula::All(variables, a) => Formula::All(variables.clone(), of(a)),
        Formula::Some(variables, a) => Formula::Some(variables.clone(), of(a)),
    }
}

/// An atomic formula: its own symbol is a predicate.
fn atom(t: &Term, d: &Definition) -> Term {
    match t {
        Term::Apply(name, of) => Term::Apply(name.clone(), of.iter().map(|x| term(x, d)).collect()),
        other => other.clone(),
    }
}

fn term(t: &Term, d: &Definition) -> Term {
    let Term::Apply(name, of) = t else {
        return t.clone();
    };
    let of: Vec<Term> = of.iter().map(|x| term(x, d)).collect();
    match *name == d.name && of.len() == d.variables.len() {
        true => put(&d.means, &d.variables, &of),
        false => Term::Apply(name.clone(), of),
    }
}

/// A term with others in the place of its variables.
fn put(t: &Term, variables: &[u32], by: &[Term]) -> Term {
    match t {
        Term::Variable(v) => match variables.iter().position(|n| *n == v.number) {
            Some(n) => by[n].clone(),
            None => t.clone(),
        },
        Term::Apply(name, of) => Term::Apply(
            name.clone(),
            of.iter().map(|x| put(x, variables, by)).collect(),
        ),
        Term::Foreign(_) => t.clone(),
    }
}
