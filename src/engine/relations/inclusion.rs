//! Is `left <= right`? Decided part by part where the left side is a product of unions of actions.
//!
//! A monomial of the left side is split into one check per choice of single actions. Each is first tried with the same
//! choice on the right, which only makes the right side smaller (all operators are monotone and no action stands under
//! a complement); only if that fails is it checked against the whole right side. A check `x y <= .. + y x + ..` is
//! skipped if x and y are independent. Both are argued in `docs/soundness.md`.

use super::evaluate::{Evaluator, Ground, Meaning, Restriction, Scope, before_top};
use super::layout::Bit;
use super::witness::{Concrete, pick, pick_pair, singleton, walk};
use crate::base::control::Stop;
use crate::base::results::Shape;
use crate::engine::relations::relation::Rel;
use biodivine_lib_bdd::Bdd;

/// A run that goes on for ever is shown up to this many states.
const LONGEST_LASSO: usize = 1000;

/// A side with more monomials than this is taken as a whole.
const MOST_MONOMIALS: usize = 64;

/// The outcome of a check.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Choices of single actions that were evaluated.
    pub checked: usize,
    /// Choices skipped because the actions are independent.
    pub skipped: usize,
    /// Why the inclusion fails, if it does.
    pub failure: Option<Failure>,
}

/// A pair on the left that is not on the right, with what lies between.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The states along the left side.
    pub states: Vec<Concrete>,
    /// The steps between them: an action, or a factor in words.
    pub steps: Vec<Taken>,
    /// The bits that matter.
    pub bits: Vec<Bit>,
    /// What it was about.
    pub shape: Shape,
}

/// A step of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A single action, by index.
    Action(usize),
    /// A factor of the term.
    Factor(String),
}

impl Evaluator<'_, '_> {
    /// Decides `left <= right` on the assumed states.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn included(&self, left: &Ground, right: &Ground) -> Result<Outcome, Stop> {
        let mut outcome = Outcome::default();
        let swaps = monomials(right, MOST_MONOMIALS).unwrap_or_default();
        for monomial in summands(left) {
            let factors = factors(monomial);
            let choices: Vec<(usize, Vec<usize>)> = factors
                .iter()
                .filter_map(|f| match f {
                    Ground::Atom(a) => match &self.atoms[*a].meaning {
                        Meaning::Actions(all) => Some((*a, all.clone())),
                        Meaning::Test(_) => None,
                    },
                    _ => None,
                })
                .collect();
            // An atom that occurs twice, however deep, is not split: its occurrences may take different actions.
            let mut occurs = Vec::new();
            monomial.atoms(&mut |a| occurs.push(a));
            let twice = choices
                .iter()
                .any(|(a, _)| occurs.iter().filter(|b| *b == a).count() > 1);
            if twice || choices.is_empty() {
                outcome.checked += 1;
                outcome.failure = self.check(monomial, right, &Vec::new(), &Vec::new())?;
            } else {
                let swap = match factors.as_slice() {
                    [x, y] => swaps
                        .iter()
                        .any(|s| matches!(s.as_slice(), [a, b] if a == *y && b == *x)),
                    _ => false,
                };
                let test = factors.iter().find(|f| self.is_test(f)).copied();
                self.split(monomial, right, &choices, swap, test, &mut outcome)?;
                if let (true, Some(failure)) = (swap, &mut outcome.failure) {
                    failure.shape = Shape::Swap;
                }
            }
            if outcome.failure.is_some() {
                break;
            }
        }
        Ok(outcome)
    }

    fn split(
        &self,
        left: &Ground,
        right: &Ground,
        choices: &[(usize, Vec<usize>)],
        swap: bool,
        test: Option<&Ground>,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let m = &self.encoding.m;
        let tested: Option<Rel> = match test {
            Some(t) if swap => {
                let scope = self.scope(left, right, &Vec::new())?;
                Some(Rel::test(self.test(t, &scope)?))
            }
            _ => None,
        };
        let mut at = vec![0; choices.len()];
        if choices.iter().any(|(_, all)| all.is_empty()) {
            return Ok(());
        }
        loop {
            m.control().check()?;
            let restriction: Restriction = choices
                .iter()
                .zip(&at)
                .map(|((a, all), &n)| (*a, all[n]))
                .collect();
            let actions = &self.encoding.actions;
            let independent = swap
                && match (restriction.as_slice(), &tested) {
                    ([(_, x), (_, y)], None) => {
                        actions[*x].independent(&actions[*y])
                            || actions[*x].thread != actions[*y].thread
                                && self.encoding.undisturbed(&[*x], &[*y])?
                    }
                    ([(_, x)], Some(t)) => actions[*x].rel.independent(t, m, None),
                    _ => false,
                };
            if independent {
                outcome.skipped += 1;
            } else {
                outcome.checked += 1;
                outcome.failure = self.check(left, right, &restriction, &restriction)?;
                if outcome.failure.is_some() {
                    outcome.failure = self.check(left, right, &restriction, &Vec::new())?;
                }
                if outcome.failure.is_some() {
                    return Ok(());
                }
            }
            let mut n = 0;
            loop {
                if n == at.len() {
                    return Ok(());
                }
                at[n] += 1;
                if at[n] < choices[n].1.len() {
                    break;
                }
                at[n] = 0;
                n += 1;
            }
        }
    }

    fn check(
        &self,
        left: &Ground,
        right: &Ground,
        on_left: &Restriction,
        on_right: &Restriction,
    ) -> Result<Option<Failure>, Stop> {
        let scope = self.scope(left, right, on_right)?;
        let (from, rest) = match self.assumption {
            // From a single state nothing is large.
            Some(j) if j.is_clause() && !scope.is_inner => (j.clone(), right.clone()),
            _ => {
                let (all, rest) = self.all_from(right, &scope, on_right)?;
                (all.not(), rest)
            }
        };
        let l = self.value_from(&from, left, &scope, on_left)?;
        if l.iter().all(Rel::is_empty) {
            return Ok(None);
        }
        let r = self.value_from(&from, &rest, &scope, on_right)?;
        let Some(difference) = self.difference(&l, &r, &scope)? else {
            return Ok(None);
        };
        if !on_right.is_empty() {
            // Only a hint to look at the whole; no need to find states.
            return Ok(Some(Failure {
                states: Vec::new(),
                steps: Vec::new(),
                bits: Vec::new(),
                shape: Shape::Other,
            }));
        }
        self.explain(left, on_left, &difference, &scope.bits)
            .map(Some)
    }

    /// The states from which the right side leads to all others, by those of its summands that end with a T; and its
    /// other summands. What begins at such a state is included, so that nothing has to be composed there.
    fn all_from(
        &self,
        right: &Ground,
        scope: &Scope,
        restriction: &Restriction,
    ) -> Result<(Bdd, Ground), Stop> {
        let m = &self.encoding.m;
        let mut from = m.no();
        let Some(all) = monomials(right, MOST_MONOMIALS) else {
            return Ok((from, right.clone()));
        };
        let mut rest = Vec::new();
        for monomial in all {
            match before_top(&monomial) {
                Some(before) => {
                    from = m.or(&from, &self.sources(before, scope, restriction)?)?;
                }
                None => rest.push(Ground::Product(monomial)),
            }
        }
        // As it was given it has fewer products.
        let rest = match from.is_false() {
            true => right.clone(),
            false => Ground::Sum(rest),
        };
        Ok((from, rest))
    }

    fn explain(
        &self,
        left: &Ground,
        restriction: &Restriction,
        difference: &Rel,
        bits: &[Bit],
    ) -> Result<Failure, Stop> {
        let e = self.encoding;
        let scope = self.scope(left, &Ground::Zero, &Vec::new())?;
        let mut failure = Failure {
            states: Vec::new(),
            steps: Vec::new(),
            bits: bits.to_vec(),
            shape: Shape::Other,
        };
        let Some((first, last)) = pick_pair(e, difference)? else {
            return Ok(failure);
        };
        if let [Ground::Omega(inner)] = factors(left).as_slice() {
            return self.lasso(first, inner, &scope, failure);
        }
        let mut values = Vec::new();
        let mut taken = Vec::new();
        for factor in self.steps_of(left) {
            let value = self.value(&factor, &scope, restriction)?;
            let atom = self.single(&factor, restriction);
            taken.push(atom.map_or_else(|| Taken::Factor(self.show(&factor)), Taken::Action));
            values.push(value);
        }
        match walk(e, &first, &last, &values)? {
            Some(states) => (failure.states, failure.steps) = (states, taken),
            None => failure.states = vec![first, last],
        }
        if failure.steps.is_empty() {
            failure.states.dedup();
        }
        Ok(failure)
    }

    /// The action a factor stands for under a restriction, if it is one.
    fn single(&self, factor: &Ground, restriction: &Restriction) -> Option<usize> {
        let mut found = Vec::new();
        factor.atoms(&mut |a| {
            if let Some((_, action)) = restriction.iter().find(|(b, _)| *b == a) {
                found.push(*action);
            }
        });
        match found.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// An infinite run from `first`: states until one comes again.
    fn lasso(
        &self,
        first: Concrete,
        inner: &Ground,
        scope: &Scope,
        mut failure: Failure,
    ) -> Result<Failure, Stop> {
        let (e, m, all) = (self.encoding, &self.encoding.m, self.encoding.all_bits());
        let step = self.value(inner, scope, &Vec::new())?;
        let forever = self.endless(&step, scope)?;
        let mut candidates = Vec::new();
        inner.atoms(&mut |a| {
            if let Meaning::Actions(actions) = &self.atoms[a].meaning {
                candidates.extend(actions.iter().copied());
            }
        });
        failure.shape = Shape::Endless;
        let mut current = first;
        while failure.states.len() < LONGEST_LASSO && !failure.states.contains(&current) {
            failure.states.push(current.clone());
            let here = singleton(e, &current, &all);
            let next = m.and(&super::witness::image(m, &step, &here)?, &forever)?;
            let Some(state) = pick(e, &next) else { break };
            let there = singleton(e, &state, &all);
            let mut by = Taken::Factor(self.show(inner));
            for &a in &candidates {
                if !m.disjoint(&e.actions[a].rel.image(m, &here)?, &there) {
                    by = Taken::Action(a);
                    break;
                }
            }
            failure.steps.push(by);
            current = state;
        }
        failure.states.push(current);
        Ok(failure)
    }

    fn is_test(&self, t: &Ground) -> bool {
        match t {
            Ground::Not(_) | Ground::One | Ground::Zero => true,
            Ground::Domain(_) | Ground::Codomain(_) => true,
            Ground::Atom(a) => matches!(self.atoms[*a].meaning, Meaning::Test(_)),
            _ => false,
        }
    }

    /// The factors of a term, each test joined to the factor before it (or after, at the front).
    fn steps_of(&self, t: &Ground) -> Vec<Ground> {
        let mut groups: Vec<Vec<Ground>> = Vec::new();
        for factor in factors(t) {
            let joins = |g: &Vec<Ground>| self.is_test(factor) || g.iter().all(|f| self.is_test(f));
            match groups.last_mut() {
                Some(group) if joins(group) => group.push(factor.clone()),
                _ => groups.push(vec![factor.clone()]),
            }
        }
        groups.into_iter().map(Ground::Product).collect()
    }

    /// A ground term as text.
    pub fn show(&self, t: &Ground) -> String {
        let join = |all: &[Ground], sep: &str| {
            all.iter()
                .map(|x| self.show(x))
                .collect::<Vec<_>>()
                .join(sep)
        };
        match t {
            Ground::Zero => "0".into(),
            Ground::One => "1".into(),
            Ground::Top => "T".into(),
            Ground::Atom(a) => self.atoms[*a].name.clone(),
            Ground::Not(x) => format!("~{}", self.show(x)),
            Ground::Sum(all) => format!("({})", join(all, " + ")),
            Ground::Product(all) => join(all, " "),
            Ground::Star(x) => format!("({})*", self.show(x)),
            Ground::Omega(x) => format!("({})^w", self.show(x)),
            Ground::Domain(x) => format!("dom({})", self.show(x)),
            Ground::Codomain(x) => format!("cod({})", self.show(x)),
            Ground::Hash(x, y) => format!("({} # {})", self.show(x), self.show(y)),
        }
    }
}

/// The summands of a term.
fn summands(t: &Ground) -> Vec<&Ground> {
    match t {
        Ground::Sum(all) => all.iter().flat_map(summands).collect(),
        Ground::Zero => Vec::new(),
        other => vec![other],
    }
}

/// The factors of a term.
fn factors(t: &Ground) -> Vec<&Ground> {
    match t {
        Ground::Product(all) => all.iter().flat_map(factors).collect(),
        Ground::One => Vec::new(),
        other => vec![other],
    }
}

/// The monomials of a term built by sums and products from other terms; `None` if there are more than `most`.
fn monomials(t: &Ground, most: usize) -> Option<Vec<Vec<Ground>>> {
    let all = match t {
        Ground::Zero => Vec::new(),
        Ground::One => vec![Vec::new()],
        Ground::Sum(terms) => {
            let mut all = Vec::new();
            for x in terms {
                all.extend(monomials(x, most)?);
            }
            all
        }
        Ground::Product(terms) => {
            let mut all: Vec<Vec<Ground>> = vec![Vec::new()];
            for x in terms {
                let more = monomials(x, most)?;
                all = all
                    .iter()
                    .flat_map(|a| more.iter().map(|b| [a.as_slice(), b].concat()))
                    .collect();
                if all.len() > most {
                    return None;
                }
            }
            all
        }
        other => vec![vec![other.clone()]],
    };
    (all.len() <= most).then_some(all)
}
