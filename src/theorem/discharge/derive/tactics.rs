//! How the shapes of statements are proved from facts.
//!
//! Which tactic is used is decided by the statement's form, never by its name; what a tactic proves is compared with
//! the statement by the kernel.
//!
//! - `x y .. <= r` with sums of steps: one fact for each choice of single steps, with the same choice on the right,
//!   which is smaller.
//! - `x p <= p x`: x moves over the factors of p one by one.
//! - `t x <= 0`: each step of x is excluded by what t says of a single step.
//! - `1 <= p + u T`: where p does not hold, some step is enabled.
//! - `(u t)^w <= 0`: a run is one of u, and u has none.

use super::lemmas::Steps;
use super::script::{Equation, Script};
use crate::algebra::Order;
use crate::base::results::Underived;
use crate::engine::relations::{Ground, Meaning};
use crate::kernel::{Id, Index, Node, ONE, Operator, Rule, TOP, Terms, ZERO};
use crate::model::program::LocId;
use crate::theorem::discharge::derive::{Deriver, Goal, MOST_LETTERS, Open, because};
use crate::theorem::discharge::facts::{Letter, PhaseLetter};
use crate::theorem::read::{Atoms, Instance};
use rustc_hash::FxHashSet;

/// Choices of single steps in one product.
const MOST_CHOICES: usize = 20_000;

/// The proof of one statement.
pub(super) struct Tactics<'t, 'h, 'd, 'e, 'p> {
    pub script: Script,
    pub instance: &'t Instance,
    pub atoms: &'t Atoms,
    pub goal: &'t mut Goal<'h>,
    pub deriver: &'t mut Deriver<'d, 'e, 'p>,
}

/// Atoms of a ground term replaced.
type Put<'a> = &'a [(usize, Id)];

impl Tactics<'_, '_, '_, '_, '_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.deriver.discharge.development.terms
    }

    /// A ground term over letters, some of its atoms replaced.
    pub fn read(&mut self, t: &Ground, put: Put) -> Result<Id, Open> {
        let mut each = |all: &[Ground]| -> Result<Vec<Id>, Open> {
            all.iter().map(|x| self.read(x, put)).collect()
        };
        Ok(match t {
            Ground::Zero => ZERO,
            Ground::One => ONE,
            Ground::Top => TOP,
            Ground::Atom(a) => match put.iter().find(|(b, _)| b == a) {
                Some((_, by)) => *by,
                None => self.atom(*a)?,
            },
            Ground::Not(x) => {
                let x = self.read(x, put)?;
                if !self.terms().is_test(x) {
                    return because(Underived::ComplementOfAction);
                }
                self.terms().not(x)
            }
            Ground::Sum(all) => {
                let all = each(all)?;
                self.terms().sum(all)
            }
            Ground::Product(all) => {
                let all = each(all)?;
                self.terms().product(all)
            }
            Ground::Star(x) => {
                let x = self.read(x, put)?;
                self.terms().star(x)
            }
            Ground::Omega(x) => {
                let x = self.read(x, put)?;
                self.terms().omega(x)
            }
            Ground::Domain(x) => {
                let x = self.read(x, put)?;
                self.terms().applied(Operator::Domain, x)
            }
            Ground::Codomain(x) => {
                let x = self.read(x, put)?;
                self.terms().applied(Operator::Codomain, x)
            }
            Ground::Hash(x, y) => {
                let (x, y) = (self.read(x, put)?, self.read(y, put)?);
                let (omega, star) = (self.terms().omega(x), self.terms().star(x));
                let ends = self.terms().product([star, y]);
                self.terms().sum([omega, ends])
            }
        })
    }

    fn atom(&mut self, atom: usize) -> Result<Id, Open> {
        let atoms = self.atoms;
        let ground = &atoms.0[atom];
        if let Meaning::Actions(_) = ground.meaning {
            let letters = self.letters(atom)?;
            return Ok(self.terms().sum(letters));
        }
        if ground.name == "q" {
            return Ok(self.deriver.letter(Letter::Violated, None));
        }
        if ground.name == "init" {
            return Ok(self.deriver.letter(Letter::Initial, None));
        }
        let threads = self.instance.threads.iter().map(|(_, t)| *t);
        for (var, t) in threads.enumerate() {
            let name = self.deriver.model.thread_name(t);
            let phase = PhaseLetter::ALL
                .into_iter()
                .find(|p| ground.name == format!("{}[{name}]", p.name()));
            if let (Some(phase), true) = (phase, self.deriver.model.phased.is_some()) {
                let letter = Letter::Phase(self.goal.classes[var], phase);
                return Ok(self.deriver.letter(letter, Some(var as u32)));
            }
            // `p[i]`: no invisible action of i is enabled.
            if ground.name == format!("p[{}]", self.deriver.model.thread_name(t)) {
                let class = self.goal.classes[var];
                let known = &self.deriver.discharge.classes[class];
                if known.invisible.locations.is_empty() {
                    return Ok(ONE);
                }
                let any = Letter::Enabled(class, known.groups.len());
                let some = self.deriver.letter(any, Some(var as u32));
                return Ok(self.terms().not(some));
            }
        }
        because(Underived::Unknown(ground.name.clone()))
    }

    /// The letters of the actions that an atom stands for.
    fn letters(&mut self, atom: usize) -> Result<Vec<Id>, Open> {
        let atoms = self.atoms;
        let Meaning::Actions(all) = &atoms.0[atom].meaning else {
            return Ok(Vec::new());
        };
        let mut letters: Vec<Id> = Vec::new();
        let mut known: FxHashSet<(usize, usize)> = FxHashSet::default();
        let members: FxHashSet<usize> = all.iter().copied().collect();
        for a in all {
            let action = &self.deriver.model.encoding.actions[*a];
            let mut threads = self.instance.threads.iter();
            let Some(var) = threads.position(|(_, t)| *t == action.thread) else {
                return because(Underived::CertainThread);
            };
            let class = self.goal.classes[var];
            let group = self.deriver.discharge.classes[class].group_of(action.location);
            if !known.insert((var, group)) {
                continue;
            }
            // A letter stands for all actions of a group. Movers may be a part of them.
            let group_of = self.deriver.discharge.classes[class].group(group);
            let has = |l: &LocId| {
                let other = self.deriver.model.encoding.action_at(action.thread, *l);
                other.is_some_and(|a| members.contains(&a))
            };
            if !group_of.locations.iter().all(has) {
                return because(Underived::Unknown(atoms.0[atom].name.clone()));
            }
            if known.len() > MOST_LETTERS {
                return because(Underived::Letters(MOST_LETTERS));
            }
            letters.push(
                self.deriver
                    .letter(Letter::Action(class, group), Some(var as u32)),
            );
        }
        Ok(letters)
    }

    /// The place of an action's letter.
    fn place(&self, letter: Id) -> Option<Steps> {
        let d = &self.deriver.discharge;
        match d.development.terms.node(letter) {
            Node::Atom(s, indices) => match (d.letters.get(*s as usize)?, indices.first()?) {
                (Letter::Action(class, group), Index::Var(var)) => Some(Steps {
                    letter,
                    class: *class,
                    group: *group,
                    var: *var,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    fn decide(&mut self, left: Id, right: Id) -> Result<usize, Open> {
        let terms = &mut self.deriver.discharge.development.terms;
        match self.script.decide(terms, left, right) {
            Some(step) => Ok(step),
            None => because(Underived::Form),
        }
    }

    fn within(&mut self, context: &[Id], step: usize) -> usize {
        let terms = &mut self.deriver.discharge.development.terms;
        let context = terms.product(context.iter().copied());
        self.script.within(terms, context, step)
    }

    fn join(&mut self, steps: Vec<usize>) -> usize {
        let terms = &mut self.deriver.discharge.development.terms;
        self.script.join(terms, steps)
    }

    fn hole(&mut self) -> Id {
        let terms = &mut self.deriver.discharge.development.terms;
        self.script.hole(terms)
    }

    /// A fact as a step; `part` of it.
    fn fact(&mut self, parts: Vec<(Id, Id)>, part: usize, swaps: bool) -> Result<usize, Open> {
        let (left, right) = parts[part];
        let n = self.deriver.fact(self.goal, parts, swaps)?;
        let rule = Rule::Hypothesis(n, part, Vec::new());
        Ok(self.script.add(rule, left, right))
    }

    /// A step that claims `l <= r`; the order says whether the converse is asked for, too.
    pub fn prove(&mut self, l: &Ground, r: &Ground, order: Order) -> Result<usize, Open> {
        let (left, right) = (self.read(l, &[])?, self.read(r, &[])?);
        if left == right || left == ZERO {
            return self.decide(left, right);
        }
        let (of_left, of_right) = (factors(l), factors(r));
        match (of_left.as_slice(), of_right.as_slice()) {
            ([Ground::Omega(run)], _) if right == ZERO => self.endless(run),
            ([], _) => self.covered(r, right),
            ([t, x], _) if right == ZERO && self.is_test(t)? && !self.is_test(x)? => {
                self.excluded(t, x)
            }
            ([x, y], [y2, x2]) if x == x2 && y == y2 && self.is_test(x)? != self.is_test(y)? => {
                self.moved(x, y, order)
            }
            _ => self.choices(l, r, left),
        }
    }

    fn is_test(&mut self, t: &Ground) -> Result<bool, Open> {
        let t = self.read(t, &[])?;
        Ok(self.terms().is_test(t))
    }

    /// The factors of a product of tests.
    fn parts_of(&mut self, t: Id) -> Vec<Id> {
        match self.terms().node(t) {
            Node::Product(all) => all.clone(),
            Node::One => Vec::new(),
            _ => vec![t],
        }
    }

    /// One fact for each choice of single steps.
    fn choices(&mut self, l: &Ground, r: &Ground, left: Id) -> Result<usize, Open> {
        let mut sums: Vec<(usize, Vec<Id>)> = Vec::new();
        for factor in factors(l) {
            match factor {
                Ground::Atom(a) if matches!(self.atoms.0[*a].meaning, Meaning::Actions(_)) => {
                    if sums.iter().any(|(b, _)| a == b) {
                        return because(Underived::ActionTwice);
                    }
                    sums.push((*a, self.letters(*a)?));
                }
                Ground::Atom(_) | Ground::One => {}
                Ground::Not(x) if matches!(**x, Ground::Atom(_)) => {}
                _ => return because(Underived::Form),
            }
        }
        if sums.is_empty() {
            let right = self.read(r, &[])?;
            // What is said of states alone is a fact itself.
            return match self.decide(left, right) {
                Ok(step) => Ok(step),
                Err(_) if self.terms().is_test(left) && self.terms().is_test(right) => {
                    self.fact(vec![(left, right)], 0, false)
                }
                Err(open) => Err(open),
            };
        }
        let many = sums.iter().map(|(_, all)| all.len()).product::<usize>();
        if many > MOST_CHOICES {
            return because(Underived::Facts(MOST_CHOICES));
        }
        let hole = self.hole();
        let mut claims = Vec::new();
        let mut at = vec![0; sums.len()];
        loop {
            let put: Vec<(usize, Id)> = sums
                .iter()
                .zip(&at)
                .map(|((a, all), n)| (*a, all[*n]))
                .collect();
            let mut steps = vec![self.choice(l, r, &put)?];
            // On the right each single step lies below the sum that it is one of.
            for (n, &(atom, one)) in put.iter().enumerate() {
                let whole = self.read(&Ground::Atom(atom), &[])?;
                if one == whole {
                    continue;
                }
                let mut context = put.clone();
                context[n].1 = hole;
                for (a, by) in &mut context[..n] {
                    *by = self.read(&Ground::Atom(*a), &[])?;
                }
                let context = self.read(r, &context)?;
                let below = self.decide(one, whole)?;
                let step = self.within(&[context], below);
                if self.script.left(step) != self.script.right(step) {
                    steps.push(step);
                }
            }
            claims.push(self.script.chain(steps));
            if !more(&mut at, &sums) {
                break;
            }
        }
        let joined = self.join(claims);
        let all = self.script.left(joined);
        let split = self.decide(left, all)?;
        Ok(self.script.chain(vec![split, joined]))
    }

    /// `b a <= ..` for single steps, from the strongest fact there is.
    fn choice(&mut self, l: &Ground, r: &Ground, put: Put) -> Result<usize, Open> {
        let (left, right) = (self.read(l, put)?, self.read(r, put)?);
        let swapped = match self.terms().node(left).clone() {
            Node::Product(two) if two.len() == 2 => Some((two[0], two[1])),
            Node::Product(three) if three.len() == 3 => {
                return self.swap_with_test(&three, left, right);
            }
            _ => None,
        };
        let Some((x, y)) = swapped else {
            return self.fact(vec![(left, right)], 0, false);
        };
        let other = self.terms().product([y, x]);
        let Ok(lift) = self.decide(other, right) else {
            return self.fact(vec![(left, right)], 0, false);
        };
        let commutes = vec![(left, other), (other, left)];
        if other != right
            && self.deriver.all_independent(self.goal, x, y)?
            && self.deriver.is_for_every(self.goal, &commutes)?
        {
            let commute = self.equation(x, y)?;
            let swap = self.equal(&[commute], &[x, y], &[y, x])?;
            return Ok(self.script.chain(vec![swap, lift]));
        }
        if let (Some(b), Some(a)) = (self.place(x), self.place(y)) {
            let lemma =
                self.deriver
                    .by_lemma(self.goal, &mut self.script, (b, a), (left, right))?;
            if let Some(step) = lemma {
                return Ok(step);
            }
        }
        self.fact(vec![(left, right)], 0, true)
    }

    /// `a t b <= b a t` or `b t a <= t a b` for single steps: if a and b are independent, from `t b = b t` and
    /// `a b <= b a`.
    fn swap_with_test(&mut self, three: &[Id], left: Id, right: Id) -> Result<usize, Open> {
        let (x, t, y) = (three[0], three[1], three[2]);
        let steps = self.place(x).is_some() && self.place(y).is_some();
        if !steps || !self.terms().is_test(t) || !self.deriver.all_independent(self.goal, x, y)? {
            return self.fact(vec![(left, right)], 0, false);
        }
        for of_first in [true, false] {
            // Whose test it is, the other step moves over it first.
            let (one, other) = match of_first {
                true => ((t, y), (y, t)),
                false => ((x, t), (t, x)),
            };
            if !self.deriver.all_independent(self.goal, one.0, one.1)? {
                continue;
            }
            let swapped = match of_first {
                true => [y, x, t],
                false => [t, y, x],
            };
            if self.terms().product(swapped) != right {
                continue;
            }
            let pair = |terms: &mut Terms, p: (Id, Id)| terms.product([p.0, p.1]);
            let (l, r) = (pair(self.terms(), one), pair(self.terms(), other));
            let over = self.fact(vec![(l, r)], 0, true)?;
            let (l, r) = (pair(self.terms(), (x, y)), pair(self.terms(), (y, x)));
            let swap = self.fact(vec![(l, r)], 0, true)?;
            let hole = self.hole();
            let (first, second) = match of_first {
                true => ([x, hole], [hole, t]),
                false => ([hole, y], [t, hole]),
            };
            let first = self.within(&first, over);
            let second = self.within(&second, swap);
            return Ok(self.script.chain(vec![first, second]));
        }
        self.fact(vec![(left, right)], 0, false)
    }

    /// `x t <= t x` for a product t of tests, or `t x <= x t`.
    fn moved(&mut self, x: &Ground, y: &Ground, order: Order) -> Result<usize, Open> {
        let test_last = self.is_test(y)?;
        let (steps, test) = if test_last { (x, y) } else { (y, x) };
        let Ground::Atom(atom) = steps else {
            return because(Underived::Form);
        };
        let (sum, test) = (self.read(steps, &[])?, self.read(test, &[])?);
        let (letters, tests) = (self.letters(*atom)?, self.parts_of(test));
        if tests
            .iter()
            .any(|t| matches!(self.terms().node(*t), Node::Sum(_)))
        {
            return because(Underived::Form);
        }
        if letters.len() * tests.len() > MOST_CHOICES {
            return because(Underived::Facts(MOST_CHOICES));
        }
        let hole = self.hole();
        let mut claims = Vec::new();
        for b in letters {
            let mut chain = Vec::new();
            if order == Order::Equal {
                chain.push(self.moved_by_words(b, &tests, test_last)?);
            } else {
                let [t] = tests.as_slice() else {
                    return because(Underived::Form);
                };
                let (bt, tb) = (self.terms().product([b, *t]), self.terms().product([*t, b]));
                let part = if test_last { (bt, tb) } else { (tb, bt) };
                chain.push(self.fact(vec![part], 0, true)?);
            }
            let below = self.decide(b, sum)?;
            let context = if test_last {
                [test, hole]
            } else {
                [hole, test]
            };
            chain.push(self.within(&context, below));
            claims.push(self.script.chain(chain));
        }
        let joined = self.join(claims);
        let all = self.script.left(joined);
        let whole = if test_last { [sum, test] } else { [test, sum] };
        let left = self.terms().product(whole);
        let split = self.decide(left, all)?;
        Ok(self.script.chain(vec![split, joined]))
    }

    /// `b t .. <= t .. b` for tests that b commutes with, or the other way round.
    fn moved_by_words(&mut self, b: Id, tests: &[Id], test_last: bool) -> Result<usize, Open> {
        let mut equations = Vec::new();
        for &t in tests {
            equations.push(self.equation(b, t)?);
        }
        let (first, last) = ([&[b], tests].concat(), [tests, &[b]].concat());
        let (from, to) = match test_last {
            true => (first, last),
            false => (last, first),
        };
        self.equal(&equations, &from, &to)
    }

    /// `x y = y x`, which is a fact.
    fn equation(&mut self, x: Id, y: Id) -> Result<Equation, Open> {
        let (xy, yx) = (self.terms().product([x, y]), self.terms().product([y, x]));
        let parts = vec![(xy, yx), (yx, xy)];
        Ok(Equation {
            sides: (vec![x, y], vec![y, x]),
            proofs: (
                self.fact(parts.clone(), 0, true)?,
                self.fact(parts, 1, true)?,
            ),
        })
    }

    /// A word below one that is equal by equations.
    fn equal(&mut self, by: &[Equation], from: &[Id], to: &[Id]) -> Result<usize, Open> {
        let terms = &mut self.deriver.discharge.development.terms;
        match self.script.equal(terms, by, from, to) {
            Some(step) => Ok(step),
            None => because(Underived::Words),
        }
    }

    /// `t x <= 0` for a sum t, or a product, of what is said of single steps.
    fn excluded(&mut self, t: &Ground, x: &Ground) -> Result<usize, Open> {
        let Ground::Atom(atom) = x else {
            return because(Underived::Form);
        };
        let (test, sum) = (self.read(t, &[])?, self.read(x, &[])?);
        let letters = self.letters(*atom)?;
        let mut claims = Vec::new();
        let tests = match self.terms().node(test).clone() {
            Node::Sum(all) => all,
            _ => vec![test],
        };
        for b in letters {
            for &t in &tests {
                let left = self.terms().product([t, b]);
                claims.push(self.fact(vec![(left, ZERO)], 0, false)?);
            }
        }
        let joined = self.join(claims);
        let all = self.script.left(joined);
        let left = self.terms().product([test, sum]);
        let split = self.decide(left, all)?;
        Ok(self.script.chain(vec![split, joined]))
    }

    /// `1 <= t + x T + ..`
    fn covered(&mut self, r: &Ground, right: Id) -> Result<usize, Open> {
        let Ground::Sum(all) = r else {
            return because(Underived::Form);
        };
        let (mut tests, mut goes) = (Vec::new(), Vec::new());
        for summand in all {
            if self.is_test(summand)? {
                tests.push(self.read(summand, &[])?);
            } else if let [Ground::Atom(_), Ground::Top] = factors(summand).as_slice() {
                goes.push(self.read(summand, &[])?);
            }
        }
        let ([test], [goes]) = (tests.as_slice(), goes.as_slice()) else {
            return because(Underived::Form);
        };
        let other = self.terms().not(*test);
        let fact = self.fact(vec![(other, *goes)], 0, false)?;
        let steps = [self.decide(*test, right)?, self.decide(*goes, right)?];
        let goes = self.script.chain(vec![fact, steps[1]]);
        let joined = self.join(vec![steps[0], goes]);
        let all = self.script.left(joined);
        let split = self.decide(ONE, all)?;
        Ok(self.script.chain(vec![split, joined]))
    }

    /// `(u t)^w <= 0`, where control can't go on in u for ever.
    fn endless(&mut self, run: &Ground) -> Result<usize, Open> {
        let of = factors(run);
        let Some((Ground::Atom(atom), rest)) = of.split_first().map(|(x, r)| (*x, r)) else {
            return because(Underived::Form);
        };
        for t in rest {
            if !self.is_test(t)? {
                return because(Underived::Form);
            }
        }
        let (run, sum) = (self.read(run, &[])?, self.read(&Ground::Atom(*atom), &[])?);
        let free = self.decide(run, sum)?;
        let hole = self.hole();
        let (context, omega) = (self.terms().omega(hole), self.terms().omega(sum));
        let wider = self.within(&[context], free);
        let none = self.fact(vec![(omega, ZERO)], 0, false)?;
        Ok(self.script.chain(vec![wider, none]))
    }
}

fn more(at: &mut [usize], sums: &[(usize, Vec<Id>)]) -> bool {
    for (n, (_, all)) in at.iter_mut().zip(sums).rev() {
        *n += 1;
        if *n < all.len() {
            return true;
        }
        *n = 0;
    }
    false
}

/// The factors of a term.
fn factors(t: &Ground) -> Vec<&Ground> {
    match t {
        Ground::Product(all) => all.iter().flat_map(factors).collect(),
        Ground::One => Vec::new(),
        other => vec![other],
    }
}
