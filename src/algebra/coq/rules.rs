//! A rule use of the kernel's proof as a proof term: the lemma that stands for the rule, between glue for the normal
//! forms.

use super::glue::{Proof, linked};
use super::print::Scope;
use super::statement::{Prefix, part, sides, together};
use super::theorem::Script;
use super::tree::{Put, Tree};
use crate::kernel::{Claim, Id, Operator, Rule, Statement, Sym, ZERO};
use std::fmt::Write;

impl Script<'_> {
    /// The proof of a claim by a lemma about `left <= right`, with the steps between those and the claim's own sides.
    pub(super) fn framed(
        &mut self,
        n: usize,
        left: &Tree,
        lemma: String,
        right: &Tree,
        scope: &Scope,
    ) -> String {
        let claim = self.claims[n].clone();
        let before = self.glue.below(&Tree::Term(claim.left), left, scope);
        let after = self.glue.below(right, &Tree::Term(claim.right), scope);
        linked([before, Some(lemma), after])
    }

    pub fn rule(&mut self, n: usize, rule: &Rule, scope: &Scope) -> String {
        match rule {
            Rule::Decide(l, r, _) => {
                let leaf = self.glue.below(&Tree::Term(*l), &Tree::Term(*r), scope);
                leaf.unwrap_or_else(|| "rfl".to_string())
            }
            Rule::Hypothesis(h, k, map) => {
                let all = self.hypotheses;
                let name = self.glue.printer.names.hypotheses[*h].clone();
                let letters = self.plain(self.assumed, scope);
                let proof = format!("({name}{letters} H)");
                self.instance(n, (&all[*h].1, *k), Put::renaming(map), &proof, scope)
            }
            Rule::Premise(h, k, map) => {
                let own = self.own;
                let given = (&own.premises[*h], *k);
                self.instance(n, given, Put::renaming(map), &format!("H{h}"), scope)
            }
            Rule::Theorem {
                theorem,
                part,
                variables,
                letters,
                premises,
            } => {
                let proof = self.lemma(*theorem, letters, premises, scope);
                let (lemma, _) = self.theorems[*theorem];
                let put = Put {
                    letters,
                    ..Put::renaming(variables)
                };
                self.instance(n, (&lemma.statement, *part), put, &proof, scope)
            }
            Rule::Chain(all) => {
                let links: Vec<Proof> = all.iter().map(|m| Some(self.use_of(*m, scope))).collect();
                linked(links)
            }
            Rule::Join(all) => self.join(n, all, scope),
            Rule::Context(c, hole, m) => self.context(n, (*c, *hole), *m, scope),
            Rule::StarLeft(x, base, step) | Rule::StarRight(x, base, step) => {
                let left = matches!(rule, Rule::StarLeft(..));
                self.star(n, (*x, left), (*base, *step), scope)
            }
            Rule::Coinduction(x, z, m) => self.coinduction(n, (*x, *z), *m, scope),
            Rule::Unfold(x) => {
                let omega = || Tree::Omega(Box::new(Tree::Term(*x)));
                let right = Tree::Product(vec![Tree::Term(*x), omega()]);
                self.framed(n, &omega(), "unfold_om".to_string(), &right, scope)
            }
            Rule::Domain(x) => {
                let end = test(Operator::Domain, Tree::Term(*x));
                let right = Tree::Product(vec![end, Tree::Term(*x)]);
                let lemma = "below_dm".to_string();
                self.framed(n, &Tree::Term(*x), lemma, &right, scope)
            }
            Rule::Codomain(x) => {
                let end = test(Operator::Codomain, Tree::Term(*x));
                let right = Tree::Product(vec![Tree::Term(*x), end]);
                let lemma = "below_cd".to_string();
                self.framed(n, &Tree::Term(*x), lemma, &right, scope)
            }
            Rule::BeforeDomain(y, x, m) => {
                let nothing = self.below(&Tree::product(&[*y, *x]), *m, scope);
                let end = test(Operator::Domain, Tree::Term(*x));
                let left = Tree::Product(vec![Tree::Term(*y), end]);
                let lemma = format!("(before_dm {nothing})");
                self.framed(n, &left, lemma, &Tree::Term(ZERO), scope)
            }
            Rule::BehindCodomain(x, y, m) => {
                let nothing = self.below(&Tree::product(&[*x, *y]), *m, scope);
                let end = test(Operator::Codomain, Tree::Term(*x));
                let left = Tree::Product(vec![end, Tree::Term(*y)]);
                let lemma = format!("(behind_cd {nothing})");
                self.framed(n, &left, lemma, &Tree::Term(ZERO), scope)
            }
            Rule::Divergence(x) => {
                let left = test(Operator::Divergence, Tree::Term(*x));
                let again = Tree::Product(vec![Tree::Term(*x), left.clone()]);
                let right = test(Operator::Domain, again);
                self.framed(n, &left, "unfold_dv".to_string(), &right, scope)
            }
            Rule::BelowDivergence(x, m) => self.below_divergence(n, *x, *m, scope),
            Rule::SumIntro(sum, at) => self.sum_intro(n, *sum, *at, scope),
            Rule::Separate(sum, at) => self.separate(n, *sum, *at, scope),
            Rule::ProductElim(product, at) => self.product_elim(n, *product, *at, scope),
            Rule::SumElim(a, sum, b, var, m) => self.sum_elim(n, [*a, *sum, *b], (*var, *m), scope),
            Rule::ProductIntro(product, var, m) => {
                self.product_intro(n, *product, (*var, *m), scope)
            }
            Rule::Cases(..) => "rfl".to_string(),
        }
    }

    /// The sides of a claim.
    pub(super) fn sides(&self, n: usize) -> [Tree; 2] {
        let claim = &self.claims[n];
        [Tree::Term(claim.left), Tree::Term(claim.right)]
    }

    /// A sum is below what its summands are below.
    fn join(&mut self, n: usize, all: &[usize], scope: &Scope) -> String {
        let [_, right] = self.sides(n);
        let sum: Vec<Id> = all.iter().map(|m| self.claims[*m].left).collect();
        let proofs: Vec<String> = all.iter().map(|m| self.use_of(*m, scope)).collect();
        let lemma = proofs.into_iter().reduce(|a, b| format!("(join {a} {b})"));
        self.framed(
            n,
            &Tree::sum(&sum),
            lemma.unwrap_or_default(),
            &right,
            scope,
        )
    }

    /// What is proved of a part holds of the whole.
    fn context(&mut self, n: usize, (c, hole): (Id, Sym), m: usize, scope: &Scope) -> String {
        let inner = self.claims[m].clone();
        let proof = self.use_of(m, scope);
        let lemma = self.glue.context(c, hole, &proof, scope);
        let mut put = |by: Id| {
            let letters = [(hole, by)];
            let put = Put {
                letters: &letters,
                ..Put::NOTHING
            };
            put.into(self.glue.printer.terms, c)
        };
        let (left, right) = (put(inner.left), put(inner.right));
        self.framed(n, &left, lemma, &right, scope)
    }

    /// Induction on a star, which stands on the left of a product or on the right.
    fn star(
        &mut self,
        n: usize,
        (x, on_the_left): (Id, bool),
        (base, step): (usize, usize),
        scope: &Scope,
    ) -> String {
        let [_, right] = self.sides(n);
        let (z, y) = (self.claims[base].left, self.claims[base].right);
        let star = Tree::Star(Box::new(Tree::Term(x)));
        let (lemma, by_x, left) = match on_the_left {
            true => ("star_left", [x, y], vec![star, Tree::Term(z)]),
            false => ("star_right", [y, x], vec![Tree::Term(z), star]),
        };
        let unfolded = self.below(&Tree::product(&by_x), step, scope);
        let lemma = format!("({lemma} {} {unfolded})", self.use_of(base, scope));
        self.framed(n, &Tree::Product(left), lemma, &right, scope)
    }

    fn coinduction(&mut self, n: usize, (x, z): (Id, Id), m: usize, scope: &Scope) -> String {
        let [left, _] = self.sides(n);
        let y = self.claims[m].left;
        let goal = Tree::Sum(vec![Tree::product(&[x, y]), Tree::Term(z)]);
        let given = self.claims[m].right;
        let glue = self.glue.below(&Tree::Term(given), &goal, scope);
        let step = linked([Some(self.use_of(m, scope)), glue]);
        let one = |t: Id| Box::new(Tree::Term(t));
        let ends = Tree::Product(vec![Tree::Star(one(x)), Tree::Term(z)]);
        let right = Tree::Sum(vec![Tree::Omega(one(x)), ends]);
        self.framed(n, &left, format!("(coinduction {step})"), &right, scope)
    }

    /// `p <= div(x)` from a proof of `p <= dom(x p)`.
    fn below_divergence(&mut self, n: usize, x: Id, m: usize, scope: &Scope) -> String {
        let Claim { left: p, right, .. } = self.claims[m];
        // p may be 1, which the lemma wants as a test.
        let of = Tree::Test(Box::new(Tree::Term(p)));
        let goal = test(
            Operator::Domain,
            Tree::Product(vec![Tree::Term(x), of.clone()]),
        );
        let before = self.glue.below(&of, &Tree::Term(p), scope);
        let after = self.glue.below(&Tree::Term(right), &goal, scope);
        let step = linked([before, Some(self.use_of(m, scope)), after]);
        let right = test(Operator::Divergence, Tree::Term(x));
        let lemma = format!("(below_dv {step})");
        self.framed(n, &of, lemma, &right, scope)
    }

    /// A proof of `raw <= z` from a step that says so of the normal form of `raw`.
    pub(super) fn below(&mut self, raw: &Tree, step: usize, scope: &Scope) -> String {
        let left = self.claims[step].left;
        let glue = self.glue.below(raw, &Tree::Term(left), scope);
        linked([glue, Some(self.use_of(step, scope))])
    }

    /// A part of a statement that `proof` proves, with variables and letters replaced.
    fn instance(
        &mut self,
        n: usize,
        (s, k): (&Statement, usize),
        put: Put,
        proof: &str,
        scope: &Scope,
    ) -> String {
        let prefix = Prefix::new(self.glue.printer.terms, sides(s), &s.distinct);
        let all = prefix.apply(proof, put.variables, &self.glue.printer, scope);
        let lemma = part(&all, &s.parts, k);
        let (l, r) = s.parts[k];
        let [left, right] = [l, r].map(|t| put.into(self.glue.printer.terms, t));
        self.framed(n, &left, lemma, &right, scope)
    }

    /// An earlier theorem with letters replaced and its premises proved.
    fn lemma(
        &mut self,
        theorem: usize,
        letters: &[(Sym, Id)],
        premises: &[usize],
        scope: &Scope,
    ) -> String {
        let (lemma, conditional) = self.theorems[theorem];
        let known = self.letters;
        let arguments = self.replaced(&known[theorem], letters, scope);
        let mut text = format!("({}{arguments}", self.glue.printer.names.theorems[theorem]);
        let mut given = premises.iter().copied();
        if conditional && letters.is_empty() {
            text.push_str(" H");
        } else if conditional {
            let all = self.hypotheses;
            let arguments = self.replaced(self.assumed, letters, scope);
            let _ = write!(text, " (Build_hypotheses{arguments}");
            for (n, (_, s)) in all.iter().enumerate() {
                let proof = match s.changes(self.glue.printer.terms, letters) {
                    true => self.premise(s, letters, &mut given, scope),
                    false => {
                        let letters = self.plain(self.assumed, scope);
                        format!("({}{letters} H)", self.glue.printer.names.hypotheses[n])
                    }
                };
                let _ = write!(text, " {proof}");
            }
            text.push(')');
        }
        for s in &lemma.premises {
            let _ = write!(text, " {}", self.premise(s, letters, &mut given, scope));
        }
        text + ")"
    }

    /// A proof of a premise for all its processes.
    fn premise(
        &mut self,
        s: &Statement,
        letters: &[(Sym, Id)],
        given: &mut impl Iterator<Item = usize>,
        scope: &Scope,
    ) -> String {
        let prefix = Prefix::new(self.glue.printer.terms, sides(s), &s.distinct);
        let inner = prefix.enter(&self.glue.printer, scope);
        let mut proofs = Vec::new();
        for &(l, r) in &s.parts {
            let Some(step) = given.next() else { break };
            let put = Put {
                letters,
                ..Put::NOTHING
            };
            let (left, right) = (
                put.into(self.glue.printer.terms, l),
                put.into(self.glue.printer.terms, r),
            );
            let end = self
                .glue
                .below(&Tree::Term(self.claims[step].right), &right, &inner);
            let begin = self
                .glue
                .below(&left, &Tree::Term(self.claims[step].left), &inner);
            proofs.push(linked([begin, Some(self.use_of(step, &inner)), end]));
        }
        let all = together(&s.parts, &proofs);
        let bound = prefix.intros(&self.glue.printer, &inner);
        match bound.is_empty() {
            true => all,
            false => format!("(fun {bound} => {all})"),
        }
    }

    pub fn cases(
        &mut self,
        n: usize,
        (i, j): (u32, u32),
        [same, differ]: [usize; 2],
        scope: &Scope,
        text: &mut String,
    ) {
        let claim = self.claims[n].clone();
        let (first, second) = (
            scope.variables.get(&i).cloned(),
            scope.variables.get(&j).cloned(),
        );
        // In the first case, j is i.
        let mut one = scope.clone();
        let to = |v: u32| if v == j { i } else { v };
        one.distinct = scope
            .distinct
            .iter()
            .map(|((a, b), proof)| ((to(*a), to(*b)), proof.clone()))
            .collect();
        if let (None, Some(second)) = (&first, &second) {
            one.variables.insert(i, second.clone());
        }
        let put = Put {
            variables: &[(j, i)],
            ..Put::NOTHING
        };
        let sides = [claim.left, claim.right].map(|t| put.into(self.glue.printer.terms, t));
        let begin = self
            .glue
            .below(&sides[0], &Tree::Term(self.claims[same].left), &one);
        let end = self
            .glue
            .below(&Tree::Term(self.claims[same].right), &sides[1], &one);
        let proof = linked([begin, Some(self.use_of(same, &one)), end]);
        let (Some(first), Some(second)) = (first, second) else {
            let _ = writeln!(text, "    exact {proof}.");
            return;
        };
        let mut two = scope.clone();
        two.distinct.insert((i, j), "N_differ".to_string());
        let other = self.use_of(differ, &two);
        let _ = writeln!(
            text,
            "    destruct (same {first} {second}) as [N_same | N_differ]."
        );
        let _ = writeln!(
            text,
            "    - subst {second}. exact {proof}.\n    - exact {other}."
        );
    }
}

/// A test of an element, as an element.
fn test(operator: Operator, x: Tree) -> Tree {
    Tree::Test(Box::new(Tree::Applied(operator, Box::new(x))))
}
