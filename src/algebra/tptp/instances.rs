//! Instances of what a conjecture assumes of all elements.
//!
//! `(! [X] : a(X)) => b` is the same with `a(t)` beside the assumption. The assumption itself is left out later
//! (`super::sequents`); its instances are not. They are those for variables that stand for any element, and for the
//! divergences of such: those, and what is below them, are what well-foundedness is stated of.

use super::text::{Formula, Term, Variable};

/// Instances of one assumption.
const MOST: usize = 24;

/// A conjecture with instances of what it assumes of all elements.
pub(super) fn with_instances(conjecture: &Formula) -> Formula {
    let mut any = Vec::new();
    variables(conjecture, true, &mut any);
    let mut by: Vec<Term> = any.iter().cloned().map(Term::Variable).collect();
    conjecture.atoms(&mut |s, t| {
        for t in [Some(s), t].into_iter().flatten() {
            t.parts(&mut |part| {
                let is_new =
                    matches!(part, Term::Apply(f, of) if f == "divergence" && of.len() == 1);
                let mut free = true;
                part.parts(&mut |p| free &= !matches!(p, Term::Variable(v) if !any.contains(v)));
                if is_new && free && !by.contains(part) {
                    by.push(part.clone());
                }
            });
        }
    });
    assumed(conjecture, true, &by)
}

/// The variables that stand for any element: bound by `!` where a formula is to be shown, by `?` where it is given.
fn variables(f: &Formula, shown: bool, into: &mut Vec<Variable>) {
    match f {
        Formula::Constant(_) | Formula::Atom(_) | Formula::Equal(..) | Formula::Iff(..) => {}
        Formula::Not(a) => variables(a, !shown, into),
        Formula::And(all) | Formula::Or(all) => all.iter().for_each(|a| variables(a, shown, into)),
        Formula::Implies(a, b) => {
            variables(a, !shown, into);
            variables(b, shown, into);
        }
        Formula::All(bound, a) | Formula::Some(bound, a) => {
            if shown == matches!(f, Formula::All(..)) {
                into.extend(bound.iter().cloned());
                variables(a, shown, into);
            }
        }
    }
}

/// A formula with instances beside what is given of all elements.
fn assumed(f: &Formula, shown: bool, by: &[Term]) -> Formula {
    let one = |a: &Formula, shown: bool| Box::new(assumed(a, shown, by));
    match f {
        Formula::Not(a) => Formula::Not(one(a, !shown)),
        Formula::And(all) => Formula::And(all.iter().map(|a| assumed(a, shown, by)).collect()),
        Formula::Or(all) => Formula::Or(all.iter().map(|a| assumed(a, shown, by)).collect()),
        Formula::Implies(a, b) => Formula::Implies(one(a, !shown), one(b, shown)),
        Formula::All(bound, a) if shown => Formula::All(bound.clone(), one(a, true)),
        Formula::Some(bound, a) if !shown => Formula::Some(bound.clone(), one(a, false)),
        Formula::All(bound, a) if is_plain(a) => {
            let mut all = vec![(**a).clone()];
            for v in bound {
                let put = |a: &Formula, t: &Term| replaced(a, v, t);
                all = (all.iter().flat_map(|a| by.iter().map(move |t| put(a, t)))).collect();
                all.truncate(MOST);
            }
            all.push(f.clone());
            Formula::And(all)
        }
        other => other.clone(),
    }
}

/// Whether nothing is bound in it: each binder has variables of its own, which a copy would share.
fn is_plain(f: &Formula) -> bool {
    match f {
        Formula::Constant(_) | Formula::Atom(_) | Formula::Equal(..) => true,
        Formula::Not(a) => is_plain(a),
        Formula::And(all) | Formula::Or(all) => all.iter().all(is_plain),
        Formula::Implies(a, b) | Formula::Iff(a, b) => is_plain(a) && is_plain(b),
        Formula::All(..) | Formula::Some(..) => false,
    }
}

/// A formula without binders, with a term in the place of a variable.
fn replaced(f: &Formula, v: &Variable, by: &Term) -> Formula {
    let one = |a: &Formula| Box::new(replaced(a, v, by));
    let all = |of: &[Formula]| of.iter().map(|a| replaced(a, v, by)).collect();
    match f {
        Formula::Atom(t) => Formula::Atom(put(t, v, by)),
        Formula::Equal(s, t) => Formula::Equal(put(s, v, by), put(t, v, by)),
        Formula::Not(a) => Formula::Not(one(a)),
        Formula::And(of) => Formula::And(all(of)),
        Formula::Or(of) => Formula::Or(all(of)),
        Formula::Implies(a, b) => Formula::Implies(one(a), one(b)),
        Formula::Iff(a, b) => Formula::Iff(one(a), one(b)),
        Formula::Constant(_) | Formula::All(..) | Formula::Some(..) => f.clone(),
    }
}

fn put(t: &Term, v: &Variable, by: &Term) -> Term {
    match t {
        Term::Variable(w) if w == v => by.clone(),
        Term::Apply(f, of) => Term::Apply(f.clone(), of.iter().map(|x| put(x, v, by)).collect()),
        other => other.clone(),
    }
}
