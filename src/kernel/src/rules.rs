//! The rules: each a function under its formula.
//!
//! All are sound in omega algebra with finite sums over processes, of which there is at least one. The axioms are those
//! of Stoller & Cohen 2003, section 2: Kozen's of Kleene algebra (1994) and of tests (1997), `x <= T`, and Cohen's of
//! `x^w` (2000), of domain and codomain (Desharnais, Moeller & Struth 2006), and of divergence (2011, Algebraic notions
//! of termination). No rule searches.

use crate::decide::{Pairs, replay};
use crate::proof::{Claim, Proved, Rejected, Rule, Statement, Theorem, distinct};
use crate::terms::{Id, Index, Node, Operator, Sym, Terms, ZERO};
use std::collections::BTreeSet;

type Why = &'static str;
type Step = Result<Claim, Why>;
/// Pairs of variables that differ.
type Distinct = Vec<(u32, u32)>;
type Map = [(u32, u32)];

const TRIVIAL: Why = "a process is asked to differ from itself";
const SPENT: Why = "too large";
const NO_PART: Why = "the statement has no such part";
const NO_SYMBOL: Why = "there is no such symbol";
/// Bytes of a claim and of a pair in it.
const CLAIM: usize = 96;
const PAIR: usize = 16;

/// The check of one theorem.
pub(crate) struct Scope<'a> {
    terms: &'a mut Terms,
    hypotheses: &'a [(String, Statement)],
    earlier: &'a [Proved],
    own: &'a Theorem,
    /// The hypotheses in use.
    rests_on: BTreeSet<usize>,
    claims: Vec<Claim>,
    /// Bytes of the claims.
    held: usize,
}

fn claim(distinct: Distinct, left: Id, right: Id) -> Step {
    Ok(Claim {
        distinct,
        left,
        right,
    })
}

fn renamed(terms: &mut Terms, pairs: &Map, map: &Map) -> Result<Distinct, Why> {
    terms.spend(pairs.len() * (1 + map.len()));
    let to = |v: u32| map.iter().find(|m| m.0 == v).map_or(v, |m| m.1);
    distinct(pairs.iter().map(|(i, j)| (to(*i), to(*j)))).ok_or(TRIVIAL)
}

/// A claim by its step.
fn at(claims: &[Claim], n: usize) -> Result<&Claim, Why> {
    claims.get(n).ok_or("there is no such step before this one")
}

fn union(terms: &mut Terms, a: &Map, b: &Map) -> Result<Distinct, Why> {
    terms.spend(a.len() + b.len());
    match terms.is_spent() {
        true => Err(SPENT),
        false => distinct(a.iter().chain(b).copied()).ok_or(TRIVIAL),
    }
}

/// Whether one sorted list of pairs has all of another.
fn within(some: &Map, all: &Map) -> bool {
    some.iter().all(|d| all.binary_search(d).is_ok())
}

impl<'a> Scope<'a> {
    pub fn new(
        terms: &'a mut Terms,
        hypotheses: &'a [(String, Statement)],
        earlier: &'a [Proved],
        own: &'a Theorem,
    ) -> Self {
        Scope {
            terms,
            hypotheses,
            earlier,
            own,
            rests_on: BTreeSet::new(),
            claims: Vec::new(),
            held: 0,
        }
    }

    /// The claims of all steps and the hypotheses in use, if the last claims are the theorem.
    pub fn check(mut self) -> Result<(Vec<Claim>, Vec<usize>), Rejected> {
        let found = self.steps();
        self.terms.release(self.held);
        let rests_on = Vec::from_iter(self.rests_on);
        match found {
            Ok(()) if self.terms.hold(8 * rests_on.len()) => Ok((self.claims, rests_on)),
            found => {
                let (step, why) = found.err().unwrap_or_default();
                let place = format!("theorem `{}`, step {step}", self.own.name);
                Err(Rejected::at(place, why, self.terms))
            }
        }
    }

    fn steps(&mut self) -> Result<(), (usize, Why)> {
        for (n, rule) in self.own.steps.iter().enumerate() {
            self.step(rule).map_err(|why| (n, why))?;
        }
        self.end().map_err(|why| (self.own.steps.len(), why))
    }

    fn step(&mut self, rule: &Rule) -> Result<(), Why> {
        self.terms.spend(1);
        let mut claim = self.rule(rule)?;
        if !self.terms.is_closed(claim.left) || !self.terms.is_closed(claim.right) {
            return Err("an index has lost its binder");
        }
        let size = CLAIM + PAIR * claim.distinct.len();
        self.held += size;
        if !self.terms.hold(size) {
            return Err(SPENT);
        }
        claim.distinct.shrink_to_fit();
        self.claims.push(claim);
        Ok(())
    }

    fn end(&mut self) -> Result<(), Why> {
        let stated = &self.own.statement;
        if stated.parts.is_empty() || self.own.proves.len() != stated.parts.len() {
            return Err("not every part of the statement has a proof");
        }
        for (part, n) in stated.parts.iter().zip(&self.own.proves) {
            let claim = at(&self.claims, *n)?;
            self.terms.spend(claim.distinct.len());
            if (claim.left, claim.right) != *part || !within(&claim.distinct, &stated.distinct) {
                return Err("the proof is one of another statement");
            }
        }
        Ok(())
    }

    fn rule(&mut self, rule: &Rule) -> Step {
        match rule {
            Rule::Decide(x, y, pairs) => self.decide(*x, *y, pairs),
            Rule::Hypothesis(n, part, map) => self.hypothesis(*n, *part, map),
            Rule::Premise(n, part, map) => self.premise(*n, *part, map),
            Rule::Theorem {
                theorem,
                part,
                variables,
                letters,
                premises,
            } => self.theorem((*theorem, *part), variables, letters, premises),
            Rule::Chain(steps) => self.chain(steps),
            Rule::Context(context, hole, step) => self.context(*context, *hole, *step),
            Rule::Join(steps) => self.join(steps),
            Rule::StarLeft(x, base, step) => self.star_left(*x, *base, *step),
            Rule::StarRight(x, base, step) => self.star_right(*x, *base, *step),
            Rule::Coinduction(x, z, step) => self.coinduction(*x, *z, *step),
            Rule::Unfold(x) => self.unfold(*x),
            Rule::Domain(x) => self.domain(*x),
            Rule::Codomain(x) => self.codomain(*x),
            Rule::BeforeDomain(y, x, step) => self.before_domain(*y, *x, *step),
            Rule::BehindCodomain(x, y, step) => self.behind_codomain(*x, *y, *step),
            Rule::Divergence(x) => self.divergence(*x),
            Rule::BelowDivergence(x, step) => self.below_divergence(*x, *step),
            Rule::SumIntro(sum, at) => self.sum_intro(*sum, *at),
            Rule::SumElim(a, sum, b, var, step) => self.sum_elim([*a, *sum, *b], *var, *step),
            Rule::ProductElim(product, at) => self.product_elim(*product, *at),
            Rule::ProductIntro(product, var, step) => self.product_intro(*product, *var, *step),
            Rule::Separate(sum, at) => self.separate(*sum, *at),
            Rule::Cases(i, j, whole, same, differ) => self.cases((*i, *j), whole, *same, *differ),
        }
    }

    /// `x <= y` in Kleene algebra with tests and top, as a finite relation between derivatives shows (Antimirov 1996;
    /// see `decide.rs`).
    fn decide(&mut self, x: Id, y: Id, pairs: &Pairs) -> Step {
        replay(self.terms, x, y, pairs)?;
        claim(Vec::new(), x, y)
    }

    /// `H_k` for other processes, where `H_k` is part of a hypothesis of the theory, which holds for all.
    fn hypothesis(&mut self, n: usize, part: usize, map: &Map) -> Step {
        let all = self.hypotheses;
        let (_, statement) = all.get(n).ok_or("there is no such hypothesis")?;
        self.rests_on.insert(n);
        self.instance(statement, part, map)
    }

    /// `P_k` for other processes, where `P_k` is part of a premise of this theorem, which holds for all.
    fn premise(&mut self, n: usize, part: usize, map: &Map) -> Step {
        let own = self.own;
        let premise = own.premises.get(n).ok_or("there is no such premise")?;
        self.instance(premise, part, map)
    }

    /// From `P |- S` and proofs of `P'`: `S'`, where `'` renames index variables and replaces letters. If letters are
    /// replaced in what rests on a hypothesis, all hypotheses with one of these letters change, and need proofs as the
    /// premises do; the others are rested on. (Fewer would do, but other checkers take the hypotheses as a whole.) A
    /// premise is used for all values of its variables. So its proof must not restrict them further; they must not be
    /// renamed; and a replacing term, which speaks of one process at a time, must not contain one of them.
    fn theorem(
        &mut self,
        (n, part): (usize, usize),
        variables: &Map,
        letters: &[(Sym, Id)],
        premises: &[usize],
    ) -> Step {
        let all = self.earlier;
        let (lemma, used) = all
            .get(n)
            .ok_or("there is no such theorem before this one")?;
        for (symbol, by) in letters {
            let s = self
                .terms
                .symbols()
                .get(*symbol as usize)
                .ok_or(NO_SYMBOL)?;
            if s.arity != 0 || s.test && !self.terms.is_test(*by) || !self.terms.is_closed(*by) {
                return Err("a letter is replaced by what can't stand for it");
            }
        }
        let &(left, right) = lemma.statement.parts.get(part).ok_or(NO_PART)?;
        let [left, right] = [left, right].map(|t| {
            let t = self.terms.rename(t, variables);
            self.terms.replace(t, letters)
        });
        let by: Vec<Id> = letters.iter().map(|(_, by)| *by).collect();
        let named = self.terms.variables(&by);
        let mut given = premises.iter();
        let mut more = renamed(self.terms, &lemma.statement.distinct, variables)?;
        let mut assumed = Vec::new();
        if letters.is_empty() {
            self.terms.spend(used.len());
            self.rests_on.extend(used);
        } else if !used.is_empty() {
            self.terms.spend(used.len() + self.hypotheses.len());
            for (n, (_, hypothesis)) in self.hypotheses.iter().enumerate() {
                if hypothesis.changes(self.terms, letters) {
                    assumed.push(hypothesis);
                } else {
                    self.rests_on.insert(n);
                }
            }
        }
        for premise in assumed.into_iter().chain(&lemma.premises) {
            for &(left, right) in &premise.parts {
                let mut caught = self.terms.variables(&[left, right]);
                caught.extend(premise.distinct.iter().flat_map(|(i, j)| [*i, *j]));
                if !named.is_disjoint(&caught) {
                    return Err("a letter is replaced by a term with a variable of a premise");
                }
                let step = given
                    .next()
                    .ok_or("a premise of the theorem has no proof")?;
                let asked = [left, right].map(|t| self.terms.replace(t, letters));
                let claim = at(&self.claims, *step)?;
                if [claim.left, claim.right] != asked {
                    return Err("a premise of the theorem is proved by another statement");
                }
                let also = claim.distinct.iter();
                let also = also.filter(|d| premise.distinct.binary_search(d).is_err());
                let also: Distinct = also.copied().collect();
                if also
                    .iter()
                    .any(|(i, j)| caught.contains(i) || caught.contains(j))
                {
                    return Err("a premise of the theorem is not proved for all processes");
                }
                self.terms
                    .spend(premise.distinct.len() + claim.distinct.len());
                more = union(self.terms, &more, &also)?;
            }
        }
        claim(more, left, right)
    }

    /// `x <= y`, `y <= z`, .. so `x <= z`.
    fn chain(&mut self, steps: &[usize]) -> Step {
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
            return Err("an empty chain");
        };
        for pair in steps.windows(2) {
            if self.claim(pair[0])?.right != self.claim(pair[1])?.left {
                return Err("the links of the chain do not meet");
            }
        }
        let (left, right) = (self.claim(*first)?.left, self.claim(*last)?.right);
        claim(self.assumed(steps)?, left, right)
    }

    /// `x <= y`, so `c(x) <= c(y)`; the hole of `c` is an action, and stands in no test. All operations but complements
    /// are isotone, and those stand on tests.
    fn context(&mut self, context: Id, hole: Sym, step: usize) -> Step {
        let inner = self.claim(step)?.clone();
        let symbol = self.terms.symbols().get(hole as usize).ok_or(NO_SYMBOL)?;
        if symbol.test || symbol.arity != 0 {
            return Err("a hole must be an action without indices");
        }
        if self.terms.is_in_test(context, hole) {
            return Err("the hole stands in a domain");
        }
        let [left, right] =
            [inner.left, inner.right].map(|t| self.terms.replace(context, &[(hole, t)]));
        claim(inner.distinct, left, right)
    }

    /// `x <= z`, `y <= z`, .. so `x + y + .. <= z`.
    fn join(&mut self, steps: &[usize]) -> Step {
        let first = steps.first().ok_or("nothing to join")?;
        let right = self.claim(*first)?.right;
        let mut all = Vec::new();
        for step in steps {
            let claim = self.claim(*step)?;
            if claim.right != right {
                return Err("the joined claims have different right sides");
            }
            all.push(claim.left);
        }
        let left = self.terms.sum(all);
        claim(self.assumed(steps)?, left, right)
    }

    /// `z <= y` and `x y <= y`, so `x* z <= y` (Kozen 1994).
    fn star_left(&mut self, x: Id, base: usize, step: usize) -> Step {
        let y = self.claim(base)?.right;
        let unfolded = self.terms.product([x, y]);
        let (distinct, z) = self.induction(base, step, unfolded)?;
        let star = self.terms.star(x);
        claim(distinct, self.terms.product([star, z]), y)
    }

    /// `z <= y` and `y x <= y`, so `z x* <= y` (Kozen 1994).
    fn star_right(&mut self, x: Id, base: usize, step: usize) -> Step {
        let y = self.claim(base)?.right;
        let unfolded = self.terms.product([y, x]);
        let (distinct, z) = self.induction(base, step, unfolded)?;
        let star = self.terms.star(x);
        claim(distinct, self.terms.product([z, star]), y)
    }

    /// What the two claims `z <= y` and `unfolded <= y` assume, and z.
    fn induction(&mut self, base: usize, step: usize, unfolded: Id) -> Result<(Distinct, Id), Why> {
        let (first, second) = (self.claim(base)?, self.claim(step)?);
        if (second.left, second.right) != (unfolded, first.right) {
            return Err("the second claim is not the induction step");
        }
        let z = first.left;
        Ok((self.assumed(&[base, step])?, z))
    }

    /// `y <= x y + z`, so `y <= x^w + x* z` (Cohen 2000).
    fn coinduction(&mut self, x: Id, z: Id, step: usize) -> Step {
        let Claim {
            distinct,
            left: y,
            right: unfolded,
        } = self.claim(step)?.clone();
        let xy = self.terms.product([x, y]);
        if unfolded != self.terms.sum([xy, z]) {
            return Err("the claim is not `y <= x y + z`");
        }
        let (omega, star) = (self.terms.omega(x), self.terms.star(x));
        let ends = self.terms.product([star, z]);
        claim(distinct, y, self.terms.sum([omega, ends]))
    }

    /// `x^w <= x x^w` (Cohen 2000).
    fn unfold(&mut self, x: Id) -> Step {
        let omega = self.terms.omega(x);
        claim(Vec::new(), omega, self.terms.product([x, omega]))
    }

    /// `x <= dom(x) x` (Desharnais, Moeller & Struth 2006, (d1)).
    fn domain(&mut self, x: Id) -> Step {
        let domain = self.terms.applied(Operator::Domain, x);
        claim(Vec::new(), x, self.terms.product([domain, x]))
    }

    /// `x <= x cod(x)`, the mirror image.
    fn codomain(&mut self, x: Id) -> Step {
        let codomain = self.terms.applied(Operator::Codomain, x);
        claim(Vec::new(), x, self.terms.product([x, codomain]))
    }

    /// `y x <= 0`, so `y dom(x) <= 0`. For a test y this says that the domain is the least; for others it is locality
    /// (Desharnais, Moeller & Struth 2006, (d2), (d3) and Lemma 4.6).
    fn before_domain(&mut self, y: Id, x: Id, step: usize) -> Step {
        let distinct = self.nothing([y, x], step)?;
        let domain = self.terms.applied(Operator::Domain, x);
        claim(distinct, self.terms.product([y, domain]), ZERO)
    }

    /// `x y <= 0`, so `cod(x) y <= 0`, the mirror image.
    fn behind_codomain(&mut self, x: Id, y: Id, step: usize) -> Step {
        let distinct = self.nothing([x, y], step)?;
        let codomain = self.terms.applied(Operator::Codomain, x);
        claim(distinct, self.terms.product([codomain, y]), ZERO)
    }

    /// `div(x) <= dom(x div(x))` (Desharnais, Moeller & Struth 2011).
    fn divergence(&mut self, x: Id) -> Step {
        let divergence = self.terms.applied(Operator::Divergence, x);
        let again = self.terms.product([x, divergence]);
        claim(
            Vec::new(),
            divergence,
            self.terms.applied(Operator::Domain, again),
        )
    }

    /// `p <= dom(x p)` of a test p, so `p <= div(x)`. As tests have complements, it follows that `p <= dom(x p) + q`
    /// gives `p <= div(x) + dom(x* q)`, which is the axiom there: take `p ~dom(x* q)` for p.
    fn below_divergence(&mut self, x: Id, step: usize) -> Step {
        let Claim {
            distinct,
            left: p,
            right,
        } = self.claim(step)?.clone();
        if !self.terms.is_test(p) {
            return Err("what is said to diverge is no test");
        }
        let again = self.terms.product([x, p]);
        if right != self.terms.applied(Operator::Domain, again) {
            return Err("the claim is not `p <= dom(x p)`");
        }
        claim(distinct, p, self.terms.applied(Operator::Divergence, x))
    }

    /// What the claim `x y <= 0` assumes.
    fn nothing(&mut self, of: [Id; 2], step: usize) -> Result<Distinct, Why> {
        let product = self.terms.product(of);
        let known = self.claim(step)?;
        match (known.left, known.right) == (product, ZERO) {
            true => Ok(known.distinct.clone()),
            false => Err("the claim is not that the product is 0"),
        }
    }

    /// `x_k <= (+ j : x_j)` for k among those summed over.
    fn sum_intro(&mut self, sum: Id, at: u32) -> Step {
        let (distinct, body) = self.over(sum, at, true)?;
        claim(distinct, self.terms.open(body, at), sum)
    }

    /// `a x_j b <= z` for a variable j that occurs nowhere else, so `a (+ j : x_j) b <= z`. Products distribute over
    /// finite sums.
    fn sum_elim(&mut self, [a, sum, b]: [Id; 3], var: u32, step: usize) -> Step {
        let (allowed, body) = self.over(sum, var, true)?;
        let one = self.terms.open(body, var);
        let member = self.terms.product([a, one, b]);
        let Claim {
            distinct,
            left,
            right,
        } = self.claim(step)?.clone();
        if left != member {
            return Err("the claim is not one of a member of the sum");
        }
        self.generic(var, &[a, b, sum, right])?;
        let distinct = forget(distinct, var, &allowed)?;
        claim(distinct, self.terms.product([a, sum, b]), right)
    }

    /// `(. j : p_j) <= p_k` for k among those multiplied over.
    fn product_elim(&mut self, product: Id, at: u32) -> Step {
        let (distinct, body) = self.over(product, at, false)?;
        claim(distinct, product, self.terms.open(body, at))
    }

    /// `q <= p_j` for a variable j that occurs nowhere else and a test q, so `q <= (. j : p_j)`. A product of tests is
    /// their meet.
    fn product_intro(&mut self, product: Id, var: u32, step: usize) -> Step {
        let (allowed, body) = self.over(product, var, false)?;
        let one = self.terms.open(body, var);
        let Claim {
            distinct,
            left,
            right,
        } = self.claim(step)?.clone();
        if right != one || !self.terms.is_test(left) {
            return Err("the claim is not one of a test and a factor of the product");
        }
        self.generic(var, &[left, product])?;
        claim(forget(distinct, var, &allowed)?, left, product)
    }

    /// `(+ j : x_j) <= x_k + (+ j != k : x_j)`.
    fn separate(&mut self, sum: Id, at: u32) -> Step {
        let Node::SumOver(mut but, body) = self.terms.node(sum).clone() else {
            return Err("not a sum over processes");
        };
        let one = self.terms.open(body, at);
        but.push(Index::Var(at));
        let rest = self.terms.sum_over(but, body);
        claim(Vec::new(), sum, self.terms.sum([one, rest]))
    }

    /// From `D |- x <= y` where j is replaced by i, and `D, i != j |- x <= y`: `D |- x <= y`.
    fn cases(&mut self, (i, j): (u32, u32), whole: &Claim, same: usize, differ: usize) -> Step {
        let map = [(j, i)];
        let sides = [whole.left, whole.right];
        let merged = sides.map(|t| self.terms.rename(t, &map));
        let under = renamed(self.terms, &whole.distinct, &map);
        let (same, differ) = (self.claim(same)?, self.claim(differ)?);
        if merged != [same.left, same.right] || sides != [differ.left, differ.right] {
            return Err("the two cases are not those of the claim");
        }
        let given = whole.distinct.iter().copied();
        let apart = distinct(given.clone().chain([(i, j)])).ok_or(TRIVIAL)?;
        if apart.len() != whole.distinct.len() + 1
            || distinct(given).as_ref() != Some(&whole.distinct)
        {
            return Err("not a split by whether two processes are the same");
        }
        if !within(&same.distinct, &under?) || !within(&differ.distinct, &apart) {
            return Err("a case assumes more than the claim allows");
        }
        Ok(whole.clone())
    }

    fn claim(&self, n: usize) -> Result<&Claim, Why> {
        at(&self.claims, n)
    }

    /// All that several steps ask to differ.
    fn assumed(&mut self, steps: &[usize]) -> Result<Distinct, Why> {
        let mut all = Vec::new();
        for step in steps {
            let more = &at(&self.claims, *step)?.distinct;
            self.terms.spend(more.len());
            if *more != all {
                all = union(self.terms, &all, more)?;
            }
        }
        Ok(all)
    }

    fn instance(&mut self, s: &Statement, part: usize, map: &Map) -> Step {
        let &(left, right) = s.parts.get(part).ok_or(NO_PART)?;
        let distinct = renamed(self.terms, &s.distinct, map)?;
        let [left, right] = [left, right].map(|t| self.terms.rename(t, map));
        claim(distinct, left, right)
    }

    /// What member `at` of a sum or product over processes has to differ from, and its body.
    fn over(&self, t: Id, at: u32, sum: bool) -> Result<(Distinct, Id), Why> {
        let (but, body) = match self.terms.node(t) {
            Node::SumOver(but, body) if sum => (but, *body),
            Node::ProductOver(but, body) if !sum => (but, *body),
            _ => return Err("not a sum or product over processes"),
        };
        let pairs = but.iter().filter_map(|i| match i {
            Index::Var(v) => Some((*v, at)),
            Index::Bound(_) => None,
        });
        Ok((distinct(pairs).ok_or(TRIVIAL)?, body))
    }

    fn generic(&mut self, var: u32, terms: &[Id]) -> Result<(), Why> {
        match self.terms.variables(terms).contains(&var) {
            true => Err("the variable of the member occurs elsewhere"),
            false => Ok(()),
        }
    }
}

/// What a claim about a generic member assumes of all other variables.
fn forget(assumed: Distinct, var: u32, allowed: &Map) -> Result<Distinct, Why> {
    let of_member = |d: &(u32, u32)| d.0 == var || d.1 == var;
    if assumed
        .iter()
        .any(|d| of_member(d) && allowed.binary_search(d).is_err())
    {
        return Err(
            "the member is assumed to differ from a process that the sum does not leave out",
        );
    }
    Ok(assumed.into_iter().filter(|d| !of_member(d)).collect())
}
