//! Every rule of the kernel against random relational models.
//!
//! A model is drawn first. Premises are then drawn among the statements that are true in it, and the rule is applied to
//! them with little care for its side conditions. What the kernel admits has to be true in the model. So an unsound
//! rule shows as soon as a careless use of it gets through; a test of careful uses would see nothing.

use crate::{algebra, random};

use algebra::dice::{Dice, Vocabulary};
use algebra::model::Model;
use coarsen::algebra::prove::Decider;
use coarsen::kernel::{
    Claim, Development, Id, Index, Node, ONE, Operator, Rule, Statement, TOP, Theorem, ZERO,
};
use std::collections::BTreeSet;

const VARIABLES: u32 = 3;

struct World {
    d: Dice,
    development: Development,
    vocabulary: Vocabulary,
    model: Model,
    premises: Vec<Statement>,
    /// The first ones use the premises, in order.
    steps: Vec<Rule>,
}

type Pairs = Vec<(u32, u32)>;

impl World {
    fn new(seed: u64) -> Self {
        let mut d = Dice::seeded(seed);
        let mut development = Development::default();
        let mut vocabulary = Vocabulary::indexed(&mut development.terms, VARIABLES);
        vocabulary.top = true;
        vocabulary.omega = true;
        vocabulary.domain = true;
        let (states, processes) = (1 + d.below(3), 1 + d.below(3));
        let model = Model::random(&mut d, &development.terms, states, processes);
        World {
            d,
            development,
            vocabulary,
            model,
            premises: Vec::new(),
            steps: Vec::new(),
        }
    }

    fn term(&mut self, most: usize) -> Id {
        let size = 1 + self.d.below(most);
        self.vocabulary
            .term(&mut self.d, &mut self.development.terms, size, 0)
    }

    fn test(&mut self, most: usize) -> Id {
        let size = 1 + self.d.below(most);
        self.vocabulary
            .test(&mut self.d, &mut self.development.terms, size, 0)
    }

    fn var(&mut self) -> u32 {
        self.d.below(VARIABLES as usize) as u32
    }

    fn distinct(&mut self) -> Pairs {
        self.vocabulary.distinct(&mut self.d)
    }

    /// All of some pairs, or fewer.
    fn some(&mut self, of: &Pairs) -> Pairs {
        match self.d.below(3) {
            0 => of.clone(),
            1 => Vec::new(),
            _ => of.iter().copied().filter(|_| self.d.flip()).collect(),
        }
    }

    fn renaming(&mut self) -> Pairs {
        (0..self.d.below(3))
            .map(|_| (self.var(), self.var()))
            .collect()
    }

    fn product<const N: usize>(&mut self, of: [Id; N]) -> Id {
        self.development.terms.product(of)
    }

    fn sum<const N: usize>(&mut self, of: [Id; N]) -> Id {
        self.development.terms.sum(of)
    }

    fn is_true(&self, distinct: &Pairs, left: Id, right: Id) -> bool {
        self.model
            .holds(&self.development.terms, &statement(distinct, left, right))
    }

    /// A true premise with a step that uses it: the step's number.
    fn premise(&mut self, distinct: &Pairs, left: Id, right: Id) -> Option<usize> {
        if !self.is_true(distinct, left, right) {
            return None;
        }
        self.premises.push(statement(distinct, left, right));
        self.steps
            .push(Rule::Premise(self.premises.len() - 1, 0, Vec::new()));
        Some(self.steps.len() - 1)
    }

    /// Something that may well be above a term.
    fn above(&mut self, left: Id) -> Id {
        let more = self.term(3);
        match self.d.below(8) {
            0 => TOP,
            1..=3 => self.sum([left, more]),
            4 => self.development.terms.star(left),
            _ => more,
        }
    }

    /// A sum or product over processes.
    fn over(&mut self, sum: bool) -> (Id, Id) {
        let but: Vec<Index> = (0..self.d.below(3))
            .map(|_| Index::Var(self.var()))
            .collect();
        let size = 1 + self.d.below(3);
        let terms = &mut self.development.terms;
        let t = match sum {
            true => {
                let body = self.vocabulary.term(&mut self.d, terms, size, 1);
                terms.sum_over(but, body)
            }
            false => {
                let body = self.vocabulary.test(&mut self.d, terms, size, 1);
                terms.product_over(but, body)
            }
        };
        match self.development.terms.node(t) {
            Node::SumOver(_, body) | Node::ProductOver(_, body) => (t, *body),
            _ => (t, t),
        }
    }

    /// Applies a rule; whether the kernel admits it. Then the conclusion must be true.
    fn concludes(&mut self, rule: Rule, distinct: &Pairs, left: Id, right: Id) -> Option<bool> {
        self.steps.push(rule);
        let theorem = Theorem {
            name: "attempt".into(),
            premises: self.premises.clone(),
            statement: statement(distinct, left, right),
            steps: self.steps.clone(),
            proves: vec![self.steps.len() - 1],
        };
        let admitted = self.development.admit(theorem).is_ok();
        if admitted {
            assert!(
                self.is_true(distinct, left, right),
                "admitted, and false in a model of {} states and {} processes:\n{}",
                self.model.states,
                self.model.processes,
                coarsen::kernel::write(&self.development)
            );
        }
        Some(admitted)
    }
}

fn statement(distinct: &Pairs, left: Id, right: Id) -> Statement {
    Statement {
        distinct: distinct.clone(),
        parts: vec![(left, right)],
    }
}

fn renamed(pairs: &Pairs, map: &Pairs) -> Pairs {
    let to = |v: u32| {
        map.iter()
            .find(|(from, _)| *from == v)
            .map_or(v, |(_, to)| *to)
    };
    coarsen::kernel::distinct(pairs.iter().map(|(i, j)| (to(*i), to(*j)))).unwrap_or_default()
}

fn both(a: &Pairs, b: &Pairs) -> Pairs {
    coarsen::kernel::distinct(a.iter().chain(b).copied()).unwrap_or_default()
}

/// Uses a rule so many times in the long suite; at least `least` uses have to be admitted there, else the test tests
/// nothing.
fn check(uses: u32, least: usize, attempt: impl Fn(&mut World) -> Option<bool>) {
    let admitted = (0..u64::from(random::cases(uses)))
        .filter(|seed| attempt(&mut World::new(*seed + 1)) == Some(true))
        .count();
    assert!(
        random::enough(admitted, least),
        "only {admitted} uses were admitted"
    );
}

#[test]
fn premises_are_renamed() {
    check(6_000, 500, |w| {
        let (d, left) = (w.distinct(), w.term(3));
        let right = w.above(left);
        w.premise(&d, left, right)?;
        let map = w.renaming();
        let (left, right) = (
            w.development.terms.rename(left, &map),
            w.development.terms.rename(right, &map),
        );
        let d = w.some(&renamed(&d, &map));
        w.concludes(Rule::Premise(0, 0, map), &d, left, right)
    });
}

#[test]
fn chains() {
    check(6_000, 300, |w| {
        let (d, e, left) = (w.distinct(), w.distinct(), w.term(2));
        let middle = w.above(left);
        let right = w.above(middle);
        let other = if w.d.below(4) == 0 { left } else { middle };
        w.premise(&d, left, middle)?;
        w.premise(&e, other, right)?;
        let f = w.some(&both(&d, &e));
        let steps = if w.d.below(6) == 0 {
            vec![1, 0]
        } else {
            vec![0, 1]
        };
        w.concludes(Rule::Chain(steps), &f, left, right)
    });
}

#[test]
fn joins() {
    check(6_000, 300, |w| {
        let (d, e, x, y) = (w.distinct(), w.distinct(), w.term(2), w.term(2));
        let right = w.above(x);
        let right = if w.d.flip() { w.sum([right, y]) } else { right };
        w.premise(&d, x, right)?;
        w.premise(&e, y, right)?;
        let f = w.some(&both(&d, &e));
        let left = w.sum([x, y]);
        w.concludes(Rule::Join(vec![0, 1]), &f, left, right)
    });
}

#[test]
fn contexts() {
    check(6_000, 500, |w| {
        let (d, left, context) = (w.distinct(), w.term(3), w.term(5));
        let right = w.above(left);
        w.premise(&d, left, right)?;
        // Also letters of a process, which are no holes.
        let actions = w.vocabulary.actions.clone();
        let hole = match w.d.below(4) {
            0 => w.d.pick(&actions).0,
            _ => 0,
        };
        let left = w.development.terms.replace(context, &[(hole, left)]);
        let right = w.development.terms.replace(context, &[(hole, right)]);
        let d = w.some(&d);
        w.concludes(Rule::Context(context, hole, 0), &d, left, right)
    });
}

#[test]
fn star_induction() {
    check(12_000, 500, |w| {
        let (d, e, x, z) = (w.distinct(), w.distinct(), w.term(2), w.term(2));
        let star = w.development.terms.star(x);
        let closed = if w.d.flip() {
            w.product([star, z])
        } else {
            w.product([z, star])
        };
        let y = w.above(closed);
        w.premise(&d, z, y)?;
        let step = if w.d.flip() {
            w.product([x, y])
        } else {
            w.product([y, x])
        };
        w.premise(&e, step, y)?;
        let f = w.some(&both(&d, &e));
        let steps = if w.d.below(4) == 0 { (1, 0) } else { (0, 1) };
        if w.d.flip() {
            let left = w.product([star, z]);
            w.concludes(Rule::StarLeft(x, steps.0, steps.1), &f, left, y)
        } else {
            let left = w.product([z, star]);
            w.concludes(Rule::StarRight(x, steps.0, steps.1), &f, left, y)
        }
    });
}

#[test]
fn coinduction() {
    check(20_000, 500, |w| {
        let (d, x, z) = (w.distinct(), w.term(2), w.term(2));
        let (omega, star) = (w.development.terms.omega(x), w.development.terms.star(x));
        let ends = w.product([star, z]);
        let y = match w.d.below(4) {
            0 => omega,
            1 => w.sum([omega, ends]),
            2 => ends,
            _ => w.term(3),
        };
        let step = if w.d.below(4) == 0 {
            w.product([y, x])
        } else {
            w.product([x, y])
        };
        let right = w.sum([step, z]);
        w.premise(&d, y, right)?;
        let d = w.some(&d);
        let right = match w.d.below(4) {
            0 => ends,
            _ => w.sum([omega, ends]),
        };
        w.concludes(Rule::Coinduction(x, z, 0), &d, y, right)
    });
}

#[test]
fn unfolding() {
    check(4_000, 1_000, |w| {
        let x = w.term(4);
        let omega = w.development.terms.omega(x);
        let more = if w.d.below(4) == 0 {
            w.product([omega, x])
        } else {
            w.product([x, omega])
        };
        w.concludes(Rule::Unfold(x), &Vec::new(), omega, more)
    });
}

#[test]
fn domains() {
    check(4_000, 1_000, |w| {
        let (x, ahead) = (w.term(4), w.d.flip());
        let terms = &mut w.development.terms;
        let (end, rule) = match ahead {
            true => (terms.applied(Operator::Domain, x), Rule::Domain(x)),
            false => (terms.applied(Operator::Codomain, x), Rule::Codomain(x)),
        };
        let right = match ahead ^ (w.d.below(4) == 0) {
            true => w.product([end, x]),
            false => w.product([x, end]),
        };
        w.concludes(rule, &Vec::new(), x, right)
    });
}

#[test]
fn domains_are_the_least() {
    check(40_000, 500, |w| {
        let (d, x, y, ahead) = (w.distinct(), w.term(3), w.term(3), w.d.flip());
        let not = match ahead {
            true => w.development.terms.applied(Operator::Domain, x),
            false => w.development.terms.applied(Operator::Codomain, x),
        };
        let not = w.development.terms.not(not);
        let (x, y) = match w.d.below(4) {
            0 => (x, not),
            1 => {
                let test = w.test(2);
                (x, w.product([y, test]))
            }
            _ => (x, y),
        };
        let nothing = match ahead ^ (w.d.below(8) == 0) {
            true => w.product([y, x]),
            false => w.product([x, y]),
        };
        w.premise(&d, nothing, ZERO)?;
        let d = w.some(&d);
        let terms = &mut w.development.terms;
        let (end, rule) = match ahead {
            true => (
                terms.applied(Operator::Domain, x),
                Rule::BeforeDomain(y, x, 0),
            ),
            false => (
                terms.applied(Operator::Codomain, x),
                Rule::BehindCodomain(x, y, 0),
            ),
        };
        let left = match ahead ^ (w.d.below(8) == 0) {
            true => w.product([y, end]),
            false => w.product([end, y]),
        };
        w.concludes(rule, &d, left, ZERO)
    });
}

#[test]
fn divergence_goes_on() {
    check(4_000, 1_000, |w| {
        let x = w.term(4);
        let terms = &mut w.development.terms;
        let divergence = terms.applied(Operator::Divergence, x);
        let again = match w.d.below(4) {
            0 => w.product([divergence, x]),
            _ => w.product([x, divergence]),
        };
        let right = w.development.terms.applied(Operator::Domain, again);
        w.concludes(Rule::Divergence(x), &Vec::new(), divergence, right)
    });
}

#[test]
fn divergences_are_the_greatest() {
    check(40_000, 500, |w| {
        let (d, x) = (w.distinct(), w.term(3));
        let p = match w.d.below(4) {
            0 => w.term(2),
            _ => w.test(3),
        };
        let again = match w.d.below(8) {
            0 => w.product([p, x]),
            1 => w.term(3),
            _ => w.product([x, p]),
        };
        let operator = Operator::ALL[w.d.below(8).saturating_sub(5)];
        let again = w.development.terms.applied(operator, again);
        w.premise(&d, p, again)?;
        let d = w.some(&d);
        let operator = Operator::ALL[2 - w.d.below(8).saturating_sub(5)];
        let end = w.development.terms.applied(operator, x);
        w.concludes(Rule::BelowDivergence(x, 0), &d, p, end)
    });
}

#[test]
fn members_of_sums_and_products() {
    check(12_000, 1_000, |w| {
        let is_sum = w.d.flip();
        let ((over, body), at) = (w.over(is_sum), w.var());
        let one = w.development.terms.open(body, at);
        let pairs: Pairs = (0..VARIABLES)
            .filter(|v| *v != at)
            .map(|v| (v.min(at), v.max(at)))
            .collect();
        let d = w.some(&pairs);
        if is_sum {
            w.concludes(Rule::SumIntro(over, at), &d, one, over)
        } else {
            w.concludes(Rule::ProductElim(over, at), &d, over, one)
        }
    });
}

#[test]
fn sums_are_eliminated() {
    check(40_000, 500, |w| {
        let ((over, body), var, d) = (w.over(true), w.var(), w.distinct());
        let (a, b) = (w.term(2), w.term(2));
        let (a, b) = (
            if w.d.flip() { ONE } else { a },
            if w.d.flip() { ONE } else { b },
        );
        let one = w.development.terms.open(body, var);
        let member = w.product([a, one, b]);
        let whole = w.product([a, over, b]);
        let right = if w.d.flip() {
            w.above(whole)
        } else {
            w.above(member)
        };
        w.premise(&d, member, right)?;
        let rest: Pairs = d
            .iter()
            .copied()
            .filter(|(i, j)| *i != var && *j != var)
            .collect();
        let d = w.some(&rest);
        w.concludes(Rule::SumElim(a, over, b, var, 0), &d, whole, right)
    });
}

#[test]
fn products_are_introduced() {
    check(20_000, 300, |w| {
        let ((over, body), var, d) = (w.over(false), w.var(), w.distinct());
        let one = w.development.terms.open(body, var);
        let left = match w.d.below(5) {
            0 => over,
            1 => w.product([over, one]),
            2 => w.term(2),
            _ => w.test(2),
        };
        w.premise(&d, left, one)?;
        let rest: Pairs = d
            .iter()
            .copied()
            .filter(|(i, j)| *i != var && *j != var)
            .collect();
        let d = w.some(&rest);
        w.concludes(Rule::ProductIntro(over, var, 0), &d, left, over)
    });
}

#[test]
fn members_are_separated() {
    check(4_000, 1_000, |w| {
        let ((over, body), at) = (w.over(true), w.var());
        let Node::SumOver(but, _) = w.development.terms.node(over).clone() else {
            return None;
        };
        let one = w.development.terms.open(body, at);
        let more = but.into_iter().chain([Index::Var(at)]).collect();
        let rest = w.development.terms.sum_over(more, body);
        let right = if w.d.below(4) == 0 {
            rest
        } else {
            w.sum([one, rest])
        };
        w.concludes(Rule::Separate(over, at), &Vec::new(), over, right)
    });
}

#[test]
fn cases() {
    check(20_000, 300, |w| {
        let (i, j, d, left) = (w.var(), w.var(), w.distinct(), w.term(2));
        let right = w.above(left);
        let map = vec![(j, i)];
        let (same_left, same_right) = (
            w.development.terms.rename(left, &map),
            w.development.terms.rename(right, &map),
        );
        let more = w.distinct();
        let under = both(
            &renamed(&d, &map),
            &if w.d.below(4) == 0 { more } else { Vec::new() },
        );
        let under = w.some(&under);
        w.premise(&under, same_left, same_right)?;
        let apart = if i == j {
            d.clone()
        } else {
            both(&d, &vec![(i, j)])
        };
        w.premise(&apart, left, right)?;
        let claim = Claim {
            distinct: w.some(&d),
            left,
            right,
        };
        let d = claim.distinct.clone();
        let d = w.some(&d);
        w.concludes(Rule::Cases(i, j, claim, 0, 1), &d, left, right)
    });
}

/// A lemma with a premise, or with a hypothesis of the theory, used with variables renamed and letters replaced.
#[test]
fn theorems_are_instantiated() {
    check(60_000, 500, |w| {
        // The lemma: from (d, x <= y) the same for other processes, in a context or not.
        let (d, x, map) = (w.distinct(), w.term(2), w.renaming());
        let y = if w.d.flip() { w.above(x) } else { w.term(1) };
        let lemma_d = renamed(&d, &map);
        let (mut left, mut right) = (
            w.development.terms.rename(x, &map),
            w.development.terms.rename(y, &map),
        );
        let by_hypothesis = w.d.below(3) == 0;
        let mut steps = vec![match by_hypothesis {
            true => Rule::Hypothesis(0, 0, map),
            false => Rule::Premise(0, 0, map),
        }];
        if w.d.below(3) == 0 {
            let context = w.term(3);
            left = w.development.terms.replace(context, &[(0, left)]);
            right = w.development.terms.replace(context, &[(0, right)]);
            steps.push(Rule::Context(context, 0, 0));
        }
        let given = statement(&d, x, y);
        if by_hypothesis {
            if !w.is_true(&d, x, y) {
                return None;
            }
            w.development.assume("given", given.clone());
        }
        let lemma = Theorem {
            name: "lemma".into(),
            premises: if by_hypothesis {
                Vec::new()
            } else {
                vec![given]
            },
            statement: statement(&lemma_d, left, right),
            proves: vec![steps.len() - 1],
            steps,
        };
        w.development.admit(lemma).ok()?;
        // Its use.
        let symbols = w.development.terms.symbols().len();
        let mut letters = Vec::new();
        for _ in 0..w.d.below(3) {
            let symbol = w.d.below(symbols) as u32;
            let test = w.development.terms.symbols()[symbol as usize].test;
            let by = if test || w.d.flip() {
                w.test(1)
            } else {
                w.term(2)
            };
            letters.push((symbol, by));
        }
        let variables = w.renaming();
        let (px, py) = (
            w.development.terms.replace(x, &letters),
            w.development.terms.replace(y, &letters),
        );
        let extra = w.distinct();
        let proved_for = match w.d.below(3) {
            0 => d.clone(),
            1 => w.some(&d),
            _ => both(&d, &extra),
        };
        w.premise(&proved_for, px, py)?;
        let premises = if by_hypothesis && letters.is_empty() {
            vec![]
        } else {
            vec![0]
        };
        let put = |w: &mut World, t| {
            let t = w.development.terms.rename(t, &variables);
            w.development.terms.replace(t, &letters)
        };
        let (left, right) = (put(w, left), put(w, right));
        let conclusion = both(&renamed(&lemma_d, &variables), &proved_for);
        let conclusion = w.some(&conclusion);
        let rule = Rule::Theorem {
            theorem: 0,
            part: 0,
            variables,
            letters,
            premises,
        };
        w.concludes(rule, &conclusion, left, right)
    });
}

/// Relations that show an inclusion, damaged; and those of one inclusion for another.
#[test]
fn decisions() {
    check(20_000, 2_000, |w| {
        let left = w.term(4);
        let right = if w.d.flip() { w.above(left) } else { w.term(4) };
        let terms = &mut w.development.terms;
        let mut pairs = match Decider::default().decide(terms, left, right, 200) {
            Ok(Some(pairs)) => pairs,
            // What the automaton's states are, whether the inclusion holds or not.
            _ => {
                let mut automaton = coarsen::kernel::Automaton::default();
                let targets = |a: &mut coarsen::kernel::Automaton, terms: &mut _, t| {
                    a.moves(terms, t)
                        .into_iter()
                        .map(|m| m.target)
                        .collect::<Vec<Id>>()
                };
                let mut pairs = vec![(left, vec![right])];
                let mut at = 0;
                while at < pairs.len() && pairs.len() < 40 {
                    let (l, rs): (Id, Vec<Id>) = pairs[at].clone();
                    let all: BTreeSet<Id> = rs
                        .iter()
                        .flat_map(|r| targets(&mut automaton, terms, *r))
                        .collect();
                    let all: Vec<Id> = all.into_iter().collect();
                    for l in targets(&mut automaton, terms, l) {
                        if !pairs.contains(&(l, all.clone())) {
                            pairs.push((l, all.clone()));
                        }
                    }
                    at += 1;
                }
                pairs
            }
        };
        match w.d.below(4) {
            0 if pairs.len() > 1 => _ = pairs.remove(1 + w.d.below(pairs.len() - 1)),
            1 => {
                let at = w.d.below(pairs.len());
                let rs = &mut pairs[at].1;
                if !rs.is_empty() {
                    rs.remove(w.d.below(rs.len()));
                }
            }
            2 => {
                let (at, by) = (w.d.below(pairs.len()), w.d.below(pairs.len()));
                pairs[at].0 = pairs[by].0;
            }
            _ => {}
        }
        w.concludes(Rule::Decide(left, right, pairs), &Vec::new(), left, right)
    });
}
