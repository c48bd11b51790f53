//! How the shapes of statements are proved from facts.
//!
//! Nothing here knows a hypothesis by its name; what is proved is compared with the statement by the kernel.
//!
//! - A product of tests and of sums of steps is a sum of words. Each word lies below the right side with the same
//!   choice of single steps, which is smaller: by another order of its letters, which the e-graph reaches by equations
//!   between two of them; by a lemma; or as a fact.
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

/// Words of one product.
const MOST_WORDS: usize = 20_000;

/// The proof of one statement.
pub(super) struct Tactics<'t, 'h, 'd, 'e, 'p> {
    pub script: Script,
    pub instance: &'t Instance,
    pub atoms: &'t Atoms,
    pub goal: &'t mut Goal<'h>,
    pub deriver: &'t mut Deriver<'d, 'e, 'p>,
}

/// A factor of a product as a sum: its summands, and the atom if the right side is read with the same choice.
struct Choice {
    of: Option<usize>,
    all: Vec<Id>,
}

/// Another order of a word, and the step that says that it lies below something else.
type Rearranged = Option<(Vec<Id>, Option<usize>)>;

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
        match factors(l).as_slice() {
            [Ground::Omega(run)] if right == ZERO => self.endless(run),
            [] => self.covered(r, right),
            _ => self.words(l, r, order),
        }
    }

    fn is_test(&mut self, t: &Ground) -> Result<bool, Open> {
        let t = self.read(t, &[])?;
        Ok(self.terms().is_test(t))
    }

    /// The letters of a word.
    fn factors_of(&mut self, t: Id) -> Vec<Id> {
        match self.terms().node(t) {
            Node::Product(all) => all.clone(),
            Node::One => Vec::new(),
            _ => vec![t],
        }
    }

    /// The words of the left side, each below the right side with the same choice of single steps.
    fn words(&mut self, l: &Ground, r: &Ground, order: Order) -> Result<usize, Open> {
        let mut choices: Vec<Choice> = Vec::new();
        for factor in factors(l) {
            choices.push(match factor {
                Ground::Atom(a) if matches!(self.atoms.0[*a].meaning, Meaning::Actions(_)) => {
                    if choices.iter().any(|c| c.of == Some(*a)) {
                        return because(Underived::ActionTwice);
                    }
                    let all = self.letters(*a)?;
                    Choice { of: Some(*a), all }
                }
                test if self.is_test(test)? => {
                    let test = self.read(test, &[])?;
                    let all = match self.terms().node(test) {
                        Node::Sum(all) => all.clone(),
                        _ => vec![test],
                    };
                    Choice { of: None, all }
                }
                _ => return because(Underived::Form),
            });
        }
        if choices.iter().map(|c| c.all.len()).product::<usize>() > MOST_WORDS {
            return because(Underived::Facts(MOST_WORDS));
        }
        let mut claims = Vec::new();
        let mut at = vec![0; choices.len()];
        loop {
            let chosen: Vec<(Option<usize>, Id)> = choices
                .iter()
                .zip(&at)
                .map(|(c, n)| (c.of, c.all[*n]))
                .collect();
            let put: Vec<(usize, Id)> = chosen
                .iter()
                .filter_map(|(of, one)| Some(((*of)?, *one)))
                .collect();
            let left = self.terms().product(chosen.iter().map(|(_, one)| *one));
            let right = self.read(r, &put)?;
            let mut steps = vec![self.word(left, right, order)?];
            self.widened(r, &put, &mut steps)?;
            claims.push(self.script.chain(steps));
            if !more(&mut at, &choices) {
                break;
            }
        }
        let joined = self.join(claims);
        let all = self.script.left(joined);
        let left = self.read(l, &[])?;
        let split = self.decide(left, all)?;
        Ok(self.script.chain(vec![split, joined]))
    }

    /// From the right side with single steps to that with the sums that they are of.
    fn widened(&mut self, r: &Ground, put: Put, steps: &mut Vec<usize>) -> Result<(), Open> {
        let hole = self.hole();
        let of_hole = self.terms().node(hole).clone();
        for (n, &(atom, one)) in put.iter().enumerate() {
            let whole = self.read(&Ground::Atom(atom), &[])?;
            if one == whole {
                continue;
            }
            let mut context = put.to_vec();
            context[n].1 = hole;
            for (a, by) in &mut context[..n] {
                *by = self.read(&Ground::Atom(*a), &[])?;
            }
            let context = self.read(r, &context)?;
            if !self.terms().any(context, &mut |n| *n == of_hole) {
                continue;
            }
            let below = self.decide(one, whole)?;
            steps.push(self.within(&[context], below));
        }
        Ok(())
    }

    /// A word of single steps and tests below the right side: it is another order of the same letters that does lie
    /// below, by equations between pairs; or a lemma says so; or it is a fact itself.
    fn word(&mut self, left: Id, right: Id, order: Order) -> Result<usize, Open> {
        let from = self.factors_of(left);
        let other = self.rearranged(&from, right)?;
        // Of two letters the inclusion is a fact itself, and says less than an equation does.
        let is_fact = |below: &Option<usize>| from.len() == 2 && below.is_none();
        if let Some((to, below)) = &other
            && (order == Order::Equal || !is_fact(below))
        {
            let pairs = self.inverted(&from, to);
            if self.all_commute(&pairs, order)? {
                let mut equations = Vec::new();
                for (x, y) in pairs {
                    equations.push(self.equation(x, y)?);
                }
                let mut steps = vec![self.equal(&equations, &from, to)?];
                steps.extend(below);
                return Ok(self.script.chain(steps));
            }
        }
        if let [x, y] = from.as_slice()
            && let (Some(b), Some(a)) = (self.place(*x), self.place(*y))
            && let Some(step) =
                self.deriver
                    .by_lemma(self.goal, &mut self.script, (b, a), (left, right))?
        {
            return Ok(step);
        }
        if self.terms().is_test(left) {
            // What is said of states alone is a fact only if that is all.
            match self.decide(left, right) {
                Err(_) if self.terms().is_test(right) => {}
                decided => return decided,
            }
        }
        let swaps = other.is_some() && from.len() == 2;
        self.fact(vec![(left, right)], 0, swaps)
    }

    /// Another order of a word's letters that lies below the right side, and the step that says so if it is not the
    /// right side itself: the first letter moved behind all others, or the last one before them.
    fn rearranged(&mut self, from: &[Id], right: Id) -> Result<Rearranged, Open> {
        if from.len() < 2 || right == ZERO {
            return Ok(None);
        }
        let of_right = self.factors_of(right);
        let sorted = |word: &[Id]| {
            let mut word = word.to_vec();
            word.sort_unstable();
            word
        };
        let (mut first_last, mut last_first) = (from.to_vec(), from.to_vec());
        first_last.rotate_left(1);
        last_first.rotate_right(1);
        if sorted(from) == sorted(&of_right) {
            return Ok(Some((of_right, None)));
        }
        for to in [first_last, last_first] {
            let word = self.terms().product(to.iter().copied());
            if let Ok(below) = self.decide(word, right) {
                return Ok(Some((to, Some(below))));
            }
        }
        Ok(None)
    }

    /// The pairs of letters that stand the other way round in another order of a word: a step before a test, and steps
    /// in an order of their own, so that one equation serves both ways.
    fn inverted(&mut self, from: &[Id], to: &[Id]) -> Vec<(Id, Id)> {
        let place = |x: &Id| to.iter().position(|y| x == y);
        let mut pairs = Vec::new();
        for (n, &x) in from.iter().enumerate() {
            for &y in from[n + 1..].iter().filter(|y| place(y) < place(&x)) {
                let key = |t: Id| (self.deriver.discharge.development.terms.is_test(t), t);
                pairs.push(match key(x) < key(y) {
                    true => (x, y),
                    false => (y, x),
                });
            }
        }
        pairs
    }

    /// Whether each pair commutes for all threads: because neither touches what the other uses, or because a step and
    /// a test are claimed to be equal either way.
    fn all_commute(&mut self, pairs: &[(Id, Id)], order: Order) -> Result<bool, Open> {
        for &(x, y) in pairs {
            if order == Order::Equal && self.terms().is_test(y) {
                continue;
            }
            let (xy, yx) = (self.terms().product([x, y]), self.terms().product([y, x]));
            let both = [(xy, yx), (yx, xy)];
            if !self.deriver.all_independent(self.goal, x, y)?
                || !self.deriver.is_for_every(self.goal, &both)?
            {
                return Ok(false);
            }
        }
        Ok(true)
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

/// Whether there is a next choice; `at` is it.
fn more(at: &mut [usize], choices: &[Choice]) -> bool {
    for (n, choice) in at.iter_mut().zip(choices).rev() {
        *n += 1;
        if *n < choice.all.len() {
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
