//! Sequents as statements of the algebra: letters for variables and constants, test letters for those that are tests.
//!
//! `c` is total: on tests it is the complement, elsewhere 0. Where it is not known whether `t` is a test, `c(t)` makes
//! two sequents of one: `t` is a test in the first; in the second it is none, so that `test(t)` is one of the goals,
//! and `c(t)` is 0.

use super::axioms::{Needs, Symbol, operation};
use super::sequents::{Literal, Sequent};
use crate::algebra::Order;
use crate::algebra::demonic::Demonic;
use crate::algebra::names;
use crate::algebra::tptp::text::Term;
use crate::kernel::{Id, Node, ONE, Operator, Statement, Sym, Terms, ZERO};
use rustc_hash::{FxHashMap, FxHashSet};

/// A sequent in the algebra. It holds if a goal does.
#[derive(Clone, Debug, Default)]
pub(super) struct Claim {
    pub premises: Vec<Statement>,
    pub goals: Vec<Goal>,
    /// What was left out, in words: what refutes this need not refute the problem.
    pub left_out: Vec<String>,
    /// What the sequent speaks of.
    pub needs: Needs,
}

/// A goal. What is to be proved implies it; what is to be refuted is implied by it.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// A comparison.
    Compare(Id, Id, Order),
    /// A term is a test because all of this holds: it has a complement.
    Complemented(Vec<(Id, Id, Order)>),
    /// A term is a test: nothing is known that would show it. Tests are below 1.
    BelowOne(Id),
}

/// More claims are not made of one sequent.
const MOST: usize = 64;

/// The names of a problem in the algebra.
#[derive(Default)]
pub(super) struct Letters {
    /// Of variables and constants, as actions and as tests.
    symbols: FxHashMap<(Term, bool), Sym>,
    names: FxHashSet<String>,
    /// Of x, the letter that `x*` is, where of star little is known.
    pub stars: Vec<(Id, Id)>,
}

/// What is left out where `x*` is any letter.
pub(super) const OF_STAR: &str = "what divergence says of star";

/// How symbols are read.
#[derive(Clone, Copy, Default)]
pub(super) struct Read {
    /// In a demonic refinement algebra; else `x 0 = 0`.
    pub demonic: Option<Demonic>,
    /// Of star no laws are known but those of divergence that mention it: `x*` is a letter of its own for each x.
    pub free_star: bool,
}

/// The claims that a sequent makes.
///
/// # Errors
/// Why there are none.
pub(super) fn claims(
    terms: &mut Terms,
    letters: &mut Letters,
    read: Read,
    sequent: Sequent,
) -> Result<Vec<Claim>, String> {
    let mut done = Vec::new();
    let mut open = vec![sequent];
    while let Some(sequent) = open.pop() {
        let mut reader = Reader::new(terms, letters, read, &sequent);
        match reader.claim(&sequent) {
            Ok(claim) => done.push(claim),
            Err(Unknown(t)) => {
                let (mut yes, mut no) = (sequent.clone(), sequent);
                yes.given.push(Literal::Test(t.clone()));
                no.goals.push(Literal::Test(t));
                open.extend([no, yes]);
            }
        }
        if terms.is_spent() {
            return Err("the terms are nested too deeply or are too long".into());
        }
        if done.len() + open.len() > MOST {
            return Err(format!(
                "more than {MOST} cases of what is a test and what is none"
            ));
        }
    }
    Ok(done)
}

/// It is not known whether a term is a test.
struct Unknown(Term);

struct Reader<'a> {
    terms: &'a mut Terms,
    letters: &'a mut Letters,
    read: Read,
    /// Variables and constants that are tests.
    tests: FxHashSet<&'a Term>,
    /// Other terms that are tests, with a letter that is equal to each; or that are none.
    known: Vec<(&'a Term, Id, Option<Id>)>,
    needs: Needs,
    /// A symbol that is not in the vocabulary.
    foreign: Option<String>,
}

impl<'a> Reader<'a> {
    fn new(
        terms: &'a mut Terms,
        letters: &'a mut Letters,
        read: Read,
        sequent: &'a Sequent,
    ) -> Self {
        let is_letter = |t: &&Term| match t {
            Term::Variable(_) => true,
            Term::Apply(name, of) => of.is_empty() && operation(name, 0).is_none(),
            Term::Foreign(_) => false,
        };
        let tests = tests_of(&sequent.given).filter(is_letter).collect();
        Reader {
            terms,
            letters,
            read,
            tests,
            known: Vec::new(),
            needs: Needs::default(),
            foreign: None,
        }
    }

    fn claim(&mut self, sequent: &'a Sequent) -> Result<Claim, Unknown> {
        let mut claim = Claim {
            left_out: sequent.left_out.clone(),
            ..Claim::default()
        };
        self.sorts(sequent, &mut claim)?;
        for literal in &sequent.given {
            let parts = match literal {
                Literal::Equal(s, t) => {
                    let (s, t) = (self.term(s)?, self.term(t)?);
                    vec![(s, t), (t, s)]
                }
                Literal::Below(s, t) => {
                    self.needs.order = true;
                    vec![(self.term(s)?, self.term(t)?)]
                }
                Literal::Test(_) => continue,
            };
            match self.foreign.take() {
                Some(name) => claim.leave_out(format!("an assumption about `{name}`")),
                None => claim.assume(parts),
            }
        }
        for literal in &sequent.goals {
            let goal = match literal {
                Literal::Equal(s, t) => Goal::Compare(self.term(s)?, self.term(t)?, Order::Equal),
                Literal::Below(s, t) => {
                    self.needs.order = true;
                    Goal::Compare(self.term(s)?, self.term(t)?, Order::Below)
                }
                Literal::Test(t) => self.test_goal(t, sequent)?,
            };
            match self.foreign.take() {
                Some(name) => claim.leave_out(format!("a goal about `{name}`")),
                None => claim.goals.push(goal),
            }
        }
        claim.needs = self.needs;
        if !self.letters.stars.is_empty() {
            claim.leave_out(OF_STAR.into());
        }
        Ok(claim)
    }

    /// Settles which terms are tests: small ones first, as they stand in larger ones.
    fn sorts(&mut self, sequent: &'a Sequent, claim: &mut Claim) -> Result<(), Unknown> {
        let given = tests_of(&sequent.given).map(|t| (t, true));
        let goals = tests_of(&sequent.goals).map(|t| (t, false));
        let mut all: Vec<(&Term, bool)> = given.chain(goals).collect();
        all.sort_by_key(|(t, given)| (t.size(), !*given));
        for (t, given) in all {
            self.needs.tests = true;
            let id = self.term(t)?;
            if let Some(name) = self.foreign.take() {
                let what = if given { "an assumption" } else { "a goal" };
                claim.leave_out(format!("{what} about `{name}`"));
                continue;
            }
            if self.terms.is_test(id) || self.known.iter().any(|(u, ..)| *u == t) {
                continue;
            }
            let letter = given.then(|| {
                let symbol = self.letters.fresh(self.terms, "test", true);
                let p = self.terms.atom(symbol, Vec::new());
                claim.assume(vec![(id, p), (p, id)]);
                p
            });
            self.known.push((t, id, letter));
        }
        Ok(())
    }

    fn test_goal(&mut self, t: &'a Term, sequent: &'a Sequent) -> Result<Goal, Unknown> {
        self.needs.tests = true;
        let id = self.term(t)?;
        let mut complement = self.complement(t, id);
        for literal in &sequent.given {
            // What equals a test is one.
            let other = match literal {
                Literal::Equal(s, u) if s == t => u,
                Literal::Equal(u, s) if s == t => u,
                _ => continue,
            };
            if complement.is_none() {
                let other_id = self.term(other)?;
                complement = self.complement(other, other_id);
            }
        }
        let Some(not) = complement else {
            return Ok(Goal::BelowOne(id));
        };
        let whole = self.terms.sum([id, not]);
        let (one, other) = (self.terms.product([id, not]), self.terms.product([not, id]));
        let equal = Order::Equal;
        Ok(Goal::Complemented(vec![
            (whole, ONE, equal),
            (one, ZERO, equal),
            (other, ZERO, equal),
        ]))
    }

    /// The complement of a term that is known to be a test.
    fn complement(&mut self, t: &Term, id: Id) -> Option<Id> {
        if self.terms.is_test(id) {
            return Some(self.terms.not(id));
        }
        let same = |(u, known, _): &&(&Term, Id, Option<Id>)| *u == t || *known == id;
        let letter = self.known.iter().filter(same).find_map(|(.., p)| *p)?;
        Some(self.terms.not(letter))
    }

    fn term(&mut self, t: &Term) -> Result<Id, Unknown> {
        let (name, of) = match t {
            Term::Variable(_) => return Ok(self.letter(t)),
            Term::Foreign(name) => {
                self.foreign = Some(name.clone());
                return Ok(ZERO);
            }
            Term::Apply(name, of) => (name, of),
        };
        let Some(symbol) = operation(name, of.len()) else {
            if of.is_empty() {
                return Ok(self.letter(t));
            }
            self.foreign = Some(name.clone());
            return Ok(ZERO);
        };
        if symbol != Symbol::Star || !self.read.free_star {
            self.needs.function(symbol);
        }
        let mut values = Vec::with_capacity(of.len());
        for t in of {
            values.push(self.term(t)?);
        }
        let first = values.first().copied().unwrap_or(ZERO);
        Ok(match symbol {
            Symbol::Sum => self.terms.sum(values),
            Symbol::Product => self.terms.product(values),
            Symbol::Zero => match self.read.demonic {
                Some(demonic) => demonic.nothing(self.terms),
                None => ZERO,
            },
            Symbol::One => ONE,
            Symbol::Star if self.read.free_star => self.letters.star(self.terms, first),
            Symbol::Star => self.terms.star(first),
            Symbol::Omega => self.terms.omega(first),
            Symbol::Strong if self.read.demonic.is_some() => Demonic::iteration(self.terms, first),
            Symbol::Strong => {
                self.foreign = Some(name.clone());
                ZERO
            }
            Symbol::Domain => self.terms.applied(Operator::Domain, first),
            Symbol::Antidomain => {
                let domain = self.terms.applied(Operator::Domain, first);
                self.not(domain)
            }
            Symbol::Divergence => self.terms.applied(Operator::Divergence, first),
            Symbol::Coantidomain => {
                let codomain = self.terms.applied(Operator::Codomain, first);
                self.not(codomain)
            }
            Symbol::Complement => {
                let Some(t) = of.first().filter(|_| self.foreign.is_none()) else {
                    return Ok(ZERO);
                };
                match self.complement(t, first) {
                    Some(not) => not,
                    None if self.known.iter().any(|(u, id, _)| *u == t || *id == first) => ZERO,
                    None => return Err(Unknown(t.clone())),
                }
            }
        })
    }

    /// The complement of a domain. Behind a limit it need not be one.
    fn not(&mut self, test: Id) -> Id {
        match self.terms.is_test(test) {
            true => self.terms.not(test),
            false => ZERO,
        }
    }

    fn letter(&mut self, t: &Term) -> Id {
        let test = self.tests.contains(t);
        let key = (t.clone(), test);
        let symbol = match self.letters.symbols.get(&key) {
            Some(known) => *known,
            None => {
                let name = match t {
                    Term::Variable(v) => &v.name,
                    Term::Apply(name, _) | Term::Foreign(name) => name,
                };
                let symbol = self.letters.fresh(self.terms, name, test);
                self.letters.symbols.insert(key, symbol);
                symbol
            }
        };
        self.terms.atom(symbol, Vec::new())
    }
}

fn tests_of(literals: &[Literal]) -> impl Iterator<Item = &Term> {
    literals.iter().filter_map(|l| match l {
        Literal::Test(t) => Some(t),
        _ => None,
    })
}

impl Claim {
    /// The same claim of fewer premises, those solved that say no more than what a letter may be: `t <= x` that x is
    /// `x + t`, and `x <= p x` or `dom(x) <= p`, where p is built of domains, that x is `p x`.
    pub fn solved(mut self, terms: &mut Terms) -> Claim {
        loop {
            let solution = |p: &Statement| solution(terms, p);
            let Some((n, letter, by)) = self.premises.iter().enumerate().find_map(|(n, p)| {
                let (letter, by) = solution(p)?;
                Some((n, letter, by))
            }) else {
                return self;
            };
            self.premises.remove(n);
            let by = by.in_place_of(terms, letter);
            let mut put = |t: &mut Id| *t = terms.replace(*t, &[(letter, by)]);
            for (l, r) in self.premises.iter_mut().flat_map(|p| &mut p.parts) {
                put(l);
                put(r);
            }
            for goal in &mut self.goals {
                match goal {
                    Goal::Compare(l, r, _) => [l, r].into_iter().for_each(&mut put),
                    Goal::Complemented(all) => all.iter_mut().for_each(|(l, r, _)| {
                        put(l);
                        put(r);
                    }),
                    Goal::BelowOne(t) => put(t),
                }
            }
        }
    }

    fn leave_out(&mut self, what: String) {
        if !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }

    fn assume(&mut self, parts: Vec<(Id, Id)>) {
        let distinct = Vec::new();
        let premise = Statement { distinct, parts };
        // What holds of every pair says nothing.
        let trivial = premise.parts.iter().all(|(l, r)| l == r);
        if !trivial && !self.premises.contains(&premise) {
            self.premises.push(premise);
        }
    }
}

/// What a letter may be.
enum Solution {
    /// It and this.
    Above(Id),
    /// It, behind this test.
    Behind(Id),
}

impl Solution {
    fn in_place_of(self, terms: &mut Terms, letter: Sym) -> Id {
        let x = terms.atom(letter, Vec::new());
        match self {
            Solution::Above(t) => terms.sum([x, t]),
            Solution::Behind(p) => terms.product([p, x]),
        }
    }
}

/// The letter that a premise is solved for, if its only part that says anything is `t <= x`, `x <= 0`, `x <= p x`
/// or `dom(x) <= p`, and neither t nor p has x in it.
fn solution(terms: &Terms, premise: &Statement) -> Option<(Sym, Solution)> {
    let members = |t: Id, sum: bool| match terms.node(t) {
        Node::Sum(all) if sum => all.clone(),
        Node::Product(all) if !sum => all.clone(),
        _ => vec![t],
    };
    let has = |t: Id, x: Sym| terms.any(t, &mut |n| matches!(n, Node::Atom(s, _) if *s == x));
    let letter = |t: Id| match terms.node(t) {
        Node::Atom(s, _) if !terms.is_test(t) => Some(*s),
        _ => None,
    };
    // What is not below the other side by its form.
    let told: Vec<(Vec<Id>, Id)> = premise
        .parts
        .iter()
        .map(|(l, r)| {
            let right = members(*r, true);
            let mut rest = members(*l, true);
            rest.retain(|x| *x != ZERO && *x != *r && !right.contains(x));
            (rest, *r)
        })
        .filter(|(rest, _)| !rest.is_empty())
        .collect();
    let [(left, right)] = told.as_slice() else {
        return None;
    };
    if let Some(x) = letter(*right)
        && let [t] = left.as_slice()
        && !has(*t, x)
    {
        return Some((x, Solution::Above(*t)));
    }
    let [left] = left.as_slice() else {
        return None;
    };
    if let Some(x) = letter(*left).filter(|_| *right == ZERO) {
        return Some((x, Solution::Behind(ZERO)));
    }
    if let Some(x) = letter(*left)
        && let [p, y] = members(*right, false).as_slice()
        && y == left
        && terms.is_test(*p)
        && !has(*p, x)
    {
        return Some((x, Solution::Behind(*p)));
    }
    match terms.node(*left) {
        Node::Applied(Operator::Domain, x) if terms.is_test(*right) => {
            let x = letter(*x).filter(|x| !has(*right, *x))?;
            Some((x, Solution::Behind(*right)))
        }
        _ => None,
    }
}

impl Letters {
    /// The letter that `x*` is.
    fn star(&mut self, terms: &mut Terms, x: Id) -> Id {
        if let Some((_, known)) = self.stars.iter().find(|(y, _)| *y == x) {
            return *known;
        }
        let symbol = self.fresh(terms, "star", false);
        let letter = terms.atom(symbol, Vec::new());
        self.stars.push((x, letter));
        letter
    }

    /// A symbol whose name nothing else has, and that `.thy` files could have, too.
    pub fn fresh(&mut self, terms: &mut Terms, name: &str, test: bool) -> Sym {
        let short: String = name.chars().take(40).collect();
        let unique = names::letter(&short, |n| self.names.insert(n.to_string()));
        terms.symbol(&unique, test, 0)
    }
}
