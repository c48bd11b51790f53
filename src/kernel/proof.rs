//! Proofs as lists of rule uses, and the check of each use.
//!
//! A claim `D |- x <= y` says: for all processes that differ as `D` says, `x <= y` follows from the hypotheses. Every rule below is sound in
//! omega algebra (Stoller & Cohen 2003, section 2) with finite sums over processes, of which there is at least one; no rule searches.

use super::decide::{Pairs, replay};
use crate::terms::{Id, Index, Node, Sym, Terms};
use rustc_hash::FxHashSet;

/// `x <= y` if the processes of each pair differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Variables that differ: sorted pairs, the smaller first.
    pub distinct: Vec<(u32, u32)>,
    /// The smaller side.
    pub left: Id,
    /// The larger side.
    pub right: Id,
}

/// Inclusions that hold together; an equation is two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Variables that differ: sorted pairs, the smaller first.
    pub distinct: Vec<(u32, u32)>,
    /// `x <= y` each.
    pub parts: Vec<(Id, Id)>,
}

/// A proved statement with the premises it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theorem {
    /// Its name.
    pub name: String,
    /// What it assumes besides the hypotheses of the theory: each for all values of its variables.
    pub premises: Vec<Statement>,
    /// What it says.
    pub statement: Statement,
    /// Rule uses, each after those it rests on.
    pub steps: Vec<Rule>,
    /// The step that proves each part.
    pub proves: Vec<usize>,
}

/// Everything that is proved together. What has been admitted is proved; nothing else gets in.
#[derive(Default)]
pub struct Development {
    /// The terms.
    pub terms: Terms,
    /// Names of the index variables, for printing.
    pub variables: Vec<String>,
    /// What is assumed throughout: name and statement, each for all values of its variables.
    hypotheses: Vec<(String, Statement)>,
    /// What is proved, and whether a hypothesis was used.
    theorems: Vec<(Theorem, bool)>,
}

/// The terms, the hypotheses by name, and the theorems with whether they use hypotheses.
pub type Parts<'d> = (
    &'d mut Terms,
    &'d [(String, Statement)],
    &'d [(Theorem, bool)],
);

/// Variables renamed: from, to.
pub type Renaming = Vec<(u32, u32)>;

/// A rule use. Steps are given by their position in the list of the theorem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `x <= y` in Kleene algebra with tests and top, as a finite relation between derivatives shows.
    Decide(Id, Id, Pairs),
    /// Part of a hypothesis.
    Hypothesis(usize, usize, Renaming),
    /// Part of a premise of this theorem.
    Premise(usize, usize, Renaming),
    /// Part of an earlier theorem.
    Theorem {
        /// Its position.
        theorem: usize,
        /// Which part.
        part: usize,
        /// Index variables renamed.
        variables: Renaming,
        /// Atoms without indices replaced.
        letters: Vec<(Sym, Id)>,
        /// A step for each part of each premise, in order; before those, if letters are replaced in a theorem that rests on
        /// hypotheses, one for each part of each hypothesis.
        premises: Vec<usize>,
    },
    /// `x <= y`, `y <= z`, .. so `x <= z`.
    Chain(Vec<usize>),
    /// `x <= y`, so `c(x) <= c(y)`; the hole of `c` is the symbol.
    Context(Id, Sym, usize),
    /// `x <= z`, `y <= z`, .. so `x + y + .. <= z`.
    Join(Vec<usize>),
    /// `z <= y` and `x y <= y`, so `x* z <= y`. Given: x, the two steps.
    StarLeft(Id, usize, usize),
    /// `z <= y` and `y x <= y`, so `z x* <= y`. Given: x, the two steps.
    StarRight(Id, usize, usize),
    /// `y <= x y + z`, so `y <= x^w + x* z`. Given: x, z, the step.
    Coinduction(Id, Id, usize),
    /// `x^w <= x x^w`. Given: x.
    Unfold(Id),
    /// `x_k <= (+ j : x_j)`. Given: the sum, k.
    SumIntro(Id, u32),
    /// `a x_j b <= z` for a variable j that occurs nowhere else, so `a (+ j : x_j) b <= z`. Given: a, the sum, b, j, the step.
    SumElim(Id, Id, Id, u32, usize),
    /// `(. j : p_j) <= p_k`. Given: the product, k.
    ProductElim(Id, u32),
    /// `q <= p_j` for a variable j that occurs nowhere else and a test q, so `q <= (. j : p_j)`. Given: the product, j, the step.
    ProductIntro(Id, u32, usize),
    /// `(+ j : x_j) <= x_k + (+ j != k : x_j)`. Given: the sum, k.
    Separate(Id, u32),
    /// A step where `j` is replaced by `i`, and one where they differ. Given: i, j, the claim, the two steps.
    Cases(u32, u32, Claim, usize, usize),
}

impl Rule {
    fn steps(&mut self) -> Vec<&mut usize> {
        match self {
            Rule::Decide(..) | Rule::Hypothesis(..) | Rule::Premise(..) | Rule::Unfold(_) => {
                Vec::new()
            }
            Rule::SumIntro(..) | Rule::ProductElim(..) | Rule::Separate(..) => Vec::new(),
            Rule::Theorem { premises: all, .. } | Rule::Chain(all) | Rule::Join(all) => {
                all.iter_mut().collect()
            }
            Rule::Context(_, _, n) | Rule::Coinduction(_, _, n) => vec![n],
            Rule::SumElim(_, _, _, _, n) | Rule::ProductIntro(_, _, n) => vec![n],
            Rule::StarLeft(_, a, b) | Rule::StarRight(_, a, b) => vec![a, b],
            Rule::Cases(_, _, _, a, b) => vec![a, b],
        }
    }

    /// The steps it rests on.
    pub fn rests_on(&self) -> Vec<usize> {
        self.clone().steps().into_iter().map(|n| *n).collect()
    }

    /// Other numbers for the steps it rests on.
    pub fn renumber(&mut self, f: impl Fn(usize) -> usize) {
        for n in self.steps() {
            *n = f(*n);
        }
    }
}

/// Why a certificate is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct Rejected {
    /// Where: theorem and step.
    pub place: String,
    /// What is wrong.
    pub why: &'static str,
}

impl Development {
    /// What is assumed throughout.
    pub fn hypotheses(&self) -> &[(String, Statement)] {
        &self.hypotheses
    }

    /// Assumes a statement; its position.
    pub fn assume(&mut self, name: &str, statement: Statement) -> usize {
        self.hypotheses.push((name.to_string(), statement));
        self.hypotheses.len() - 1
    }

    /// What is proved.
    pub fn theorems(&self) -> impl ExactSizeIterator<Item = &Theorem> {
        self.theorems.iter().map(|(t, _)| t)
    }

    /// A theorem by position.
    pub fn theorem(&self, n: usize) -> Option<&Theorem> {
        self.theorems.get(n).map(|(t, _)| t)
    }

    /// Forgets all theorems from a position on.
    pub fn forget(&mut self, from: usize) {
        self.theorems.truncate(from);
    }

    /// The terms, the hypotheses, and the theorems with whether they use them.
    pub fn taken_apart(&mut self) -> Parts<'_> {
        (&mut self.terms, &self.hypotheses, &self.theorems)
    }

    /// What each step of a theorem claims, for those who write proofs down in another form.
    ///
    /// # Errors
    /// The operations allowed are used up.
    pub fn claims(&mut self, n: usize) -> Result<Vec<Claim>, Rejected> {
        let Some((own, _)) = self.theorems.get(n) else {
            return Ok(Vec::new());
        };
        let mut scope = Scope {
            terms: &mut self.terms,
            hypotheses: &self.hypotheses,
            earlier: &self.theorems[..n],
            own,
            conditional: false,
            claims: Vec::new(),
        };
        match scope.theorem() {
            Ok(()) => Ok(scope.claims),
            Err((step, why)) => Err(Rejected {
                place: format!("theorem `{}`, step {step}", own.name),
                why,
            }),
        }
    }

    /// Whether the proof of a theorem uses a hypothesis of the theory.
    pub fn is_conditional(&self, n: usize) -> bool {
        self.theorems.get(n).is_some_and(|(_, c)| *c)
    }

    /// Checks a theorem and takes it in; its position. [`Terms::allow`] bounds the work.
    ///
    /// # Errors
    /// The first use of a rule that is none.
    pub fn admit(&mut self, theorem: Theorem) -> Result<usize, Rejected> {
        let mut scope = Scope {
            terms: &mut self.terms,
            hypotheses: &self.hypotheses,
            earlier: &self.theorems,
            own: &theorem,
            conditional: false,
            claims: Vec::new(),
        };
        match scope.theorem() {
            Ok(()) => {
                let conditional = scope.conditional;
                self.theorems.push((theorem, conditional));
                Ok(self.theorems.len() - 1)
            }
            Err((step, why)) => Err(Rejected {
                place: format!("theorem `{}`, step {step}", theorem.name),
                why,
            }),
        }
    }
}

type Step = Result<Claim, &'static str>;

/// Pairs of variables that differ.
type Distinct = Vec<(u32, u32)>;

struct Scope<'a> {
    terms: &'a mut Terms,
    hypotheses: &'a [(String, Statement)],
    earlier: &'a [(Theorem, bool)],
    own: &'a Theorem,
    conditional: bool,
    claims: Vec<Claim>,
}

/// Pairs sorted, for comparison; `None` if a process would have to differ from itself.
pub fn distinct(pairs: impl IntoIterator<Item = (u32, u32)>) -> Option<Vec<(u32, u32)>> {
    let mut all: Vec<(u32, u32)> = pairs
        .into_iter()
        .map(|(i, j)| (i.min(j), i.max(j)))
        .collect();
    all.sort_unstable();
    all.dedup();
    all.iter().all(|(i, j)| i != j).then_some(all)
}

fn renamed(pairs: &[(u32, u32)], map: &[(u32, u32)]) -> Option<Vec<(u32, u32)>> {
    let to = |v: u32| {
        map.iter()
            .find(|(from, _)| *from == v)
            .map_or(v, |(_, to)| *to)
    };
    distinct(pairs.iter().map(|(i, j)| (to(*i), to(*j))))
}

const TRIVIAL: &str = "a process is asked to differ from itself";

impl Scope<'_> {
    fn theorem(&mut self) -> Result<(), (usize, &'static str)> {
        let own = self.own;
        for (n, rule) in own.steps.iter().enumerate() {
            self.terms.spend(1);
            let claim = self.rule(rule).map_err(|why| (n, why))?;
            if self.terms.is_spent() {
                return Err((n, "too large: the limit of the checker is reached"));
            }
            if !self.terms.is_closed(claim.left) || !self.terms.is_closed(claim.right) {
                return Err((n, "an index has lost its binder"));
            }
            self.claims.push(claim);
        }
        let end = own.steps.len();
        if own.proves.len() != own.statement.parts.len() {
            return Err((end, "not every part of the statement has a proof"));
        }
        for (&(left, right), &n) in own.statement.parts.iter().zip(&own.proves) {
            let claim = self.claim(n).map_err(|why| (end, why))?;
            let covered = claim
                .distinct
                .iter()
                .all(|d| own.statement.distinct.contains(d));
            if (claim.left, claim.right) != (left, right) || !covered {
                return Err((end, "the proof is one of another statement"));
            }
        }
        Ok(())
    }

    fn claim(&self, n: usize) -> Step {
        self.claims
            .get(n)
            .cloned()
            .ok_or("there is no such step before this one")
    }

    /// The claims of several steps with all they ask to differ.
    fn claims(&self, steps: &[usize]) -> Result<(Vec<Claim>, Distinct), &'static str> {
        let all: Result<Vec<Claim>, _> = steps.iter().map(|n| self.claim(*n)).collect();
        let all = all?;
        let both = distinct(all.iter().flat_map(|c| c.distinct.iter().copied())).ok_or(TRIVIAL)?;
        Ok((all, both))
    }

    fn instance(&mut self, s: &Statement, part: usize, map: &[(u32, u32)]) -> Step {
        let &(left, right) = s.parts.get(part).ok_or("the statement has no such part")?;
        Ok(Claim {
            distinct: renamed(&s.distinct, map).ok_or(TRIVIAL)?,
            left: self.terms.rename(left, map),
            right: self.terms.rename(right, map),
        })
    }

    fn rule(&mut self, rule: &Rule) -> Step {
        let free = |left, right| {
            Ok(Claim {
                distinct: Vec::new(),
                left,
                right,
            })
        };
        match rule {
            Rule::Decide(left, right, pairs) => {
                replay(self.terms, *left, *right, pairs)?;
                free(*left, *right)
            }
            Rule::Hypothesis(n, part, map) => {
                let all = self.hypotheses;
                let (_, statement) = all.get(*n).ok_or("there is no such hypothesis")?;
                self.conditional = true;
                self.instance(statement, *part, map)
            }
            Rule::Premise(n, part, map) => {
                let own = self.own;
                let premise = own.premises.get(*n).ok_or("there is no such premise")?;
                self.instance(premise, *part, map)
            }
            Rule::Theorem {
                theorem,
                part,
                variables,
                letters,
                premises,
            } => self.lemma(*theorem, *part, variables, letters, premises),
            Rule::Chain(steps) => {
                let (all, distinct) = self.claims(steps)?;
                let (Some(first), Some(last)) = (all.first(), all.last()) else {
                    return Err("an empty chain");
                };
                if all.windows(2).any(|w| w[0].right != w[1].left) {
                    return Err("the links of the chain do not meet");
                }
                Ok(Claim {
                    distinct,
                    left: first.left,
                    right: last.right,
                })
            }
            Rule::Context(context, hole, step) => {
                let inner = self.claim(*step)?;
                let symbol = self
                    .terms
                    .symbols()
                    .get(*hole as usize)
                    .ok_or("there is no such symbol")?;
                if symbol.test || symbol.arity != 0 {
                    return Err("a hole must be an action without indices");
                }
                Ok(Claim {
                    left: self.terms.replace(*context, &[(*hole, inner.left)]),
                    right: self.terms.replace(*context, &[(*hole, inner.right)]),
                    ..inner
                })
            }
            Rule::Join(steps) => {
                let (all, distinct) = self.claims(steps)?;
                let right = all.first().ok_or("nothing to join")?.right;
                if all.iter().any(|c| c.right != right) {
                    return Err("the joined claims have different right sides");
                }
                let left = self.terms.sum(all.iter().map(|c| c.left));
                Ok(Claim {
                    distinct,
                    left,
                    right,
                })
            }
            Rule::StarLeft(x, base, step) | Rule::StarRight(x, base, step) => {
                let (all, distinct) = self.claims(&[*base, *step])?;
                let (z, y) = (all[0].left, all[0].right);
                let to_left = matches!(rule, Rule::StarLeft(..));
                let by_x = if to_left { [*x, y] } else { [y, *x] };
                let unfolded = self.terms.product(by_x);
                if (all[1].left, all[1].right) != (unfolded, y) {
                    return Err("the second claim is not the induction step");
                }
                let star = self.terms.star(*x);
                let left = self
                    .terms
                    .product(if to_left { [star, z] } else { [z, star] });
                Ok(Claim {
                    distinct,
                    left,
                    right: y,
                })
            }
            Rule::Coinduction(x, z, step) => {
                let claim = self.claim(*step)?;
                let y = claim.left;
                let xy = self.terms.product([*x, y]);
                if claim.right != self.terms.sum([xy, *z]) {
                    return Err("the claim is not `y <= x y + z`");
                }
                let (omega, star) = (self.terms.omega(*x), self.terms.star(*x));
                let ends = self.terms.product([star, *z]);
                let right = self.terms.sum([omega, ends]);
                Ok(Claim { right, ..claim })
            }
            Rule::Unfold(x) => {
                let omega = self.terms.omega(*x);
                let right = self.terms.product([*x, omega]);
                free(omega, right)
            }
            Rule::SumIntro(sum, at) => {
                let (distinct, body) = self.over(*sum, *at, true)?;
                let left = self.terms.open(body, *at);
                Ok(Claim {
                    distinct,
                    left,
                    right: *sum,
                })
            }
            Rule::ProductElim(product, at) => {
                let (distinct, body) = self.over(*product, *at, false)?;
                let right = self.terms.open(body, *at);
                Ok(Claim {
                    distinct,
                    left: *product,
                    right,
                })
            }
            Rule::SumElim(a, sum, b, var, step) => {
                let claim = self.claim(*step)?;
                let (allowed, body) = self.over(*sum, *var, true)?;
                let one = self.terms.open(body, *var);
                let left = self.terms.product([*a, one, *b]);
                if claim.left != left {
                    return Err("the claim is not one of a member of the sum");
                }
                self.generic(*var, &[*a, *b, *sum, claim.right])?;
                let distinct = Self::forget(&claim.distinct, *var, &allowed)?;
                let left = self.terms.product([*a, *sum, *b]);
                Ok(Claim {
                    distinct,
                    left,
                    right: claim.right,
                })
            }
            Rule::ProductIntro(product, var, step) => {
                let claim = self.claim(*step)?;
                let (allowed, body) = self.over(*product, *var, false)?;
                if claim.right != self.terms.open(body, *var) || !self.terms.is_test(claim.left) {
                    return Err("the claim is not one of a test and a factor of the product");
                }
                self.generic(*var, &[claim.left, *product])?;
                let distinct = Self::forget(&claim.distinct, *var, &allowed)?;
                Ok(Claim {
                    distinct,
                    right: *product,
                    ..claim
                })
            }
            Rule::Separate(sum, at) => {
                let Node::SumOver(but, body) = self.terms.node(*sum).clone() else {
                    return Err("not a sum over processes");
                };
                let one = self.terms.open(body, *at);
                let mut more = but;
                more.push(Index::Var(*at));
                let rest = self.terms.sum_over(more, body);
                let right = self.terms.sum([one, rest]);
                free(*sum, right)
            }
            Rule::Cases(i, j, claim, same, differ) => {
                let (same, differ) = (self.claim(*same)?, self.claim(*differ)?);
                let map = [(*j, *i)];
                let whole = (
                    self.terms.rename(claim.left, &map),
                    self.terms.rename(claim.right, &map),
                );
                if whole != (same.left, same.right)
                    || (claim.left, claim.right) != (differ.left, differ.right)
                {
                    return Err("the two cases are not those of the claim");
                }
                let pair = (*i.min(j), *i.max(j));
                if i == j
                    || claim.distinct.contains(&pair)
                    || distinct(claim.distinct.iter().copied()).as_ref() != Some(&claim.distinct)
                {
                    return Err("not a split by whether two processes are the same");
                }
                let under = renamed(&claim.distinct, &map).ok_or(TRIVIAL)?;
                let given = |d: &(u32, u32)| claim.distinct.contains(d) || *d == pair;
                if !same.distinct.iter().all(|d| under.contains(d))
                    || !differ.distinct.iter().all(given)
                {
                    return Err("a case assumes more than the claim allows");
                }
                Ok(claim.clone())
            }
        }
    }

    fn lemma(
        &mut self,
        theorem: usize,
        part: usize,
        variables: &[(u32, u32)],
        letters: &[(Sym, Id)],
        premises: &[usize],
    ) -> Step {
        let all = self.earlier;
        let (lemma, conditional) = all
            .get(theorem)
            .ok_or("there is no such theorem before this one")?;
        // With letters replaced, the hypotheses are others: they need proofs as the premises do.
        let hypotheses = match *conditional && !letters.is_empty() {
            true => self.hypotheses,
            false => &[],
        };
        self.conditional |= *conditional && letters.is_empty();
        for (symbol, by) in letters {
            let s = self
                .terms
                .symbols()
                .get(*symbol as usize)
                .ok_or("there is no such symbol")?;
            if s.arity != 0 || s.test && !self.terms.is_test(*by) || !self.terms.is_closed(*by) {
                return Err("a letter is replaced by what can't stand for it");
            }
        }
        let put = |terms: &mut Terms, t: Id| {
            let t = terms.rename(t, variables);
            terms.replace(t, letters)
        };
        let &(left, right) = lemma
            .statement
            .parts
            .get(part)
            .ok_or("the statement has no such part")?;
        let (left, right) = (put(self.terms, left), put(self.terms, right));
        let by: Vec<Id> = letters.iter().map(|(_, by)| *by).collect();
        let used = self.variables(&by);
        let mut given = premises.iter();
        let mut more = renamed(&lemma.statement.distinct, variables).ok_or(TRIVIAL)?;
        let assumed = hypotheses.iter().map(|(_, s)| s);
        for premise in assumed.chain(&lemma.premises) {
            for &(left, right) in &premise.parts {
                // A premise is used for all values of its variables: what proves it must not restrict them further, nor may they be renamed,
                // nor may a replacing term, which speaks of one process at a time, be caught by that "for all".
                let mut caught = self.variables(&[left, right]);
                caught.extend(premise.distinct.iter().flat_map(|(i, j)| [*i, *j]));
                if !used.is_disjoint(&caught) {
                    return Err("a letter is replaced by a term with a variable of a premise");
                }
                let claim = self.claim(
                    *given
                        .next()
                        .ok_or("a premise of the theorem has no proof")?,
                )?;
                let asked = (
                    self.terms.replace(left, letters),
                    self.terms.replace(right, letters),
                );
                if (claim.left, claim.right) != asked {
                    return Err("a premise of the theorem is proved by another statement");
                }
                for d in claim
                    .distinct
                    .iter()
                    .filter(|d| !premise.distinct.contains(d))
                {
                    if caught.contains(&d.0) || caught.contains(&d.1) {
                        return Err("a premise of the theorem is not proved for all processes");
                    }
                    more.push(*d);
                }
            }
        }
        Ok(Claim {
            distinct: distinct(more).ok_or(TRIVIAL)?,
            left,
            right,
        })
    }

    /// The index variables of some terms.
    fn variables(&mut self, of: &[Id]) -> FxHashSet<u32> {
        let mut found = FxHashSet::default();
        let mut size = 0;
        for t in of {
            self.terms.any(*t, &mut |n| {
                size += 1;
                if let Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _) = n {
                    found.extend(is.iter().filter_map(|i| match i {
                        Index::Var(v) => Some(*v),
                        Index::Bound(_) => None,
                    }));
                }
                false
            });
        }
        self.terms.spend(size);
        found
    }

    /// The body of a sum or product, and what its member `at` has to differ from.
    fn over(&self, t: Id, at: u32, sum: bool) -> Result<(Distinct, Id), &'static str> {
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

    fn generic(&mut self, var: u32, terms: &[Id]) -> Result<(), &'static str> {
        if self.variables(terms).contains(&var) {
            return Err("the variable of the member occurs elsewhere");
        }
        Ok(())
    }

    /// What a claim about a generic member assumes of all other variables.
    fn forget(
        assumed: &[(u32, u32)],
        var: u32,
        allowed: &[(u32, u32)],
    ) -> Result<Vec<(u32, u32)>, &'static str> {
        let mut rest = Vec::new();
        for d in assumed {
            match d.0 == var || d.1 == var {
                false => rest.push(*d),
                true if allowed.contains(d) => {}
                true => {
                    return Err(
                        "the member is assumed to differ from a process that the sum does not leave out",
                    );
                }
            }
        }
        Ok(rest)
    }
}
