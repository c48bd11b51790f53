//! A rule use of the kernel's proof as a proof term: the lemma that stands for the rule, between glue for the normal
//! forms.

use super::glue::{Proof, linked};
use super::print::Scope;
use super::statement::{Prefix, part, sides, together};
use super::theorem::Script;
use super::tree::{Put, Sort, Tree};
use crate::kernel::{Id, Index, Node, ONE, Rule, Statement, Sym, ZERO};
use std::fmt::Write;

impl Script<'_> {
    /// The proof of a claim by a lemma about `left <= right`, with the steps between those and the claim's own sides.
    fn framed(
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
        let claim = self.claims[n].clone();
        let (whole_left, whole_right) = (Tree::Term(claim.left), Tree::Term(claim.right));
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
            Rule::Join(all) => {
                let sum: Vec<Id> = all.iter().map(|m| self.claims[*m].left).collect();
                let proofs: Vec<String> = all.iter().map(|m| self.use_of(*m, scope)).collect();
                let lemma = proofs.into_iter().reduce(|a, b| format!("(join {a} {b})"));
                self.framed(
                    n,
                    &Tree::sum(&sum),
                    lemma.unwrap_or_default(),
                    &whole_right,
                    scope,
                )
            }
            Rule::Context(c, hole, m) => {
                let inner = self.claims[*m].clone();
                let proof = self.use_of(*m, scope);
                let lemma = self.glue.context(*c, *hole, &proof, scope);
                let mut put = |by: Id| {
                    let letters = [(*hole, by)];
                    let put = Put {
                        letters: &letters,
                        ..Put::NOTHING
                    };
                    put.into(self.glue.printer.terms, *c)
                };
                let (left, right) = (put(inner.left), put(inner.right));
                self.framed(n, &left, lemma, &right, scope)
            }
            Rule::StarLeft(x, base, step) | Rule::StarRight(x, base, step) => {
                let (z, y) = (self.claims[*base].left, self.claims[*base].right);
                let star = Tree::Star(Box::new(Tree::Term(*x)));
                let (lemma, by_x, left) = match rule {
                    Rule::StarLeft(..) => ("star_left", [*x, y], vec![star, Tree::Term(z)]),
                    _ => ("star_right", [y, *x], vec![Tree::Term(z), star]),
                };
                let unfolded = self.below(&Tree::product(&by_x), *step, scope);
                let lemma = format!("({lemma} {} {unfolded})", self.use_of(*base, scope));
                self.framed(n, &Tree::Product(left), lemma, &whole_right, scope)
            }
            Rule::Coinduction(x, z, m) => {
                let y = self.claims[*m].left;
                let goal = Tree::Sum(vec![Tree::product(&[*x, y]), Tree::Term(*z)]);
                let given = self.claims[*m].right;
                let glue = self.glue.below(&Tree::Term(given), &goal, scope);
                let step = linked([Some(self.use_of(*m, scope)), glue]);
                let one = |t: Id| Box::new(Tree::Term(t));
                let ends = Tree::Product(vec![Tree::Star(one(*x)), Tree::Term(*z)]);
                let right = Tree::Sum(vec![Tree::Omega(one(*x)), ends]);
                self.framed(
                    n,
                    &whole_left,
                    format!("(coinduction {step})"),
                    &right,
                    scope,
                )
            }
            Rule::Unfold(x) => {
                let omega = || Tree::Omega(Box::new(Tree::Term(*x)));
                let right = Tree::Product(vec![Tree::Term(*x), omega()]);
                self.framed(n, &omega(), "unfold_om".to_string(), &right, scope)
            }
            Rule::SumIntro(sum, at) => {
                let over = self.over(*sum, *at, scope);
                let lemma = over.lemma(
                    "intro",
                    &self.glue.printer.index(Index::Var(*at), scope),
                    true,
                );
                self.framed(n, &over.member, lemma, &whole_right, scope)
            }
            Rule::Separate(sum, at) => {
                let over = self.over(*sum, *at, scope);
                let lemma = over.lemma(
                    "separate",
                    &self.glue.printer.index(Index::Var(*at), scope),
                    false,
                );
                let mut but = vec![Index::Var(*at)];
                but.extend(&over.left_out);
                let rest = Tree::Over(but, Box::new(Tree::Term(over.body)));
                let rest = if over.test {
                    Tree::Test(Box::new(rest))
                } else {
                    rest
                };
                let right = Tree::Sum(vec![over.member, rest]);
                self.framed(n, &whole_left, lemma, &right, scope)
            }
            Rule::ProductElim(product, at) => {
                let sum = self.glue.printer.terms.not(*product);
                let over = self.over(sum, *at, scope);
                let at = self.glue.printer.index(Index::Var(*at), scope);
                let lemma = format!(
                    "(product_elim {} {} {at} {})",
                    over.but, over.function, over.apart
                );
                self.framed(n, &whole_left, lemma, &over.complement(), scope)
            }
            Rule::SumElim(a, sum, b, var, m) => {
                let inner = self.member_scope(*var, scope);
                let over = self.over(*sum, *var, &inner);
                let inner = over.assume(inner, *var);
                let raw = Tree::Product(vec![Tree::Term(*a), over.member.clone(), Tree::Term(*b)]);
                let step = self.below(&raw, *m, &inner);
                let kind = if over.test { "elim_t" } else { "elim_x" };
                let a_ = self.glue.printer.argument(*a, Sort::Element, scope);
                let b_ = self.glue.printer.argument(*b, Sort::Element, scope);
                let j = self.glue.printer.index(Index::Var(*var), &inner);
                let lemma = format!(
                    "({kind} {a_} {} {} {b_} (fun {j} N{var} => {step}))",
                    over.but, over.function
                );
                self.framed(
                    n,
                    &Tree::product(&[*a, *sum, *b]),
                    lemma,
                    &whole_right,
                    scope,
                )
            }
            Rule::ProductIntro(product, var, m) => {
                let sum = self.glue.printer.terms.not(*product);
                let inner = self.member_scope(*var, scope);
                let over = self.over(sum, *var, &inner);
                let inner = over.assume(inner, *var);
                let given = self.claims[*m].clone();
                let glue = self
                    .glue
                    .below(&Tree::Term(given.right), &over.complement(), &inner);
                let start = as_test(given.left);
                let begin = self.glue.below(&start, &Tree::Term(given.left), &inner);
                let step = linked([begin, Some(self.use_of(*m, &inner)), glue]);
                let q = self.glue.printer.argument(given.left, Sort::Test, scope);
                let j = self.glue.printer.index(Index::Var(*var), &inner);
                let lemma = format!(
                    "(product_intro {q} {} {} (fun {j} N{var} => {step}))",
                    over.but, over.function
                );
                self.framed(n, &start, lemma, &whole_right, scope)
            }
            Rule::Cases(..) => "rfl".to_string(),
        }
    }

    /// A proof of `raw <= z` from a step that says so of the normal form of `raw`.
    fn below(&mut self, raw: &Tree, step: usize, scope: &Scope) -> String {
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
            for (_, s) in all {
                let _ = write!(text, " {}", self.premise(s, letters, &mut given, scope));
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

    fn member_scope(&self, var: u32, scope: &Scope) -> Scope {
        let mut inner = scope.clone();
        let name = self.glue.printer.names.variables[var as usize].clone();
        inner.variables.insert(var, name);
        inner.distinct.retain(|(i, j), _| *i != var && *j != var);
        inner
    }

    fn over(&mut self, sum: Id, at: u32, scope: &Scope) -> Over {
        let Node::SumOver(left_out, body) = self.glue.printer.terms.node(sum).clone() else {
            return Over::default();
        };
        let test = self.glue.printer.terms.is_test(sum);
        let sort = if test { Sort::Test } else { Sort::Element };
        let put = Put {
            open: Some(at),
            ..Put::NOTHING
        };
        let mut apart = "not_nil".to_string();
        for i in left_out.iter().rev() {
            if let Index::Var(v) = i {
                apart = format!("(not_cons {} {apart})", scope.differ(*v, at));
            }
        }
        Over {
            member: match test {
                true if body == ONE => as_test(body),
                _ => put.into(self.glue.printer.terms, body),
            },
            but: self.glue.printer.but(&left_out, scope),
            function: self.glue.printer.function(body, sort, scope),
            apart,
            left_out,
            body,
            test,
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

/// A test as an element, also where it is 0 or 1.
fn as_test(t: Id) -> Tree {
    match t {
        ZERO | ONE => Tree::Test(Box::new(Tree::Term(t))),
        _ => Tree::Term(t),
    }
}

/// A sum over processes at a member.
#[derive(Default)]
struct Over {
    left_out: Vec<Index>,
    body: Id,
    test: bool,
    /// The member as an element.
    member: Tree,
    /// The processes left out, the body as a function, and a proof that the member is not left out.
    but: String,
    function: String,
    apart: String,
}

impl Over {
    fn lemma(&self, name: &str, at: &str, needs_apart: bool) -> String {
        let kind = if self.test { "t" } else { "x" };
        let apart = if needs_apart {
            format!(" {}", self.apart)
        } else {
            String::new()
        };
        format!("({name}_{kind} {} {} {at}{apart})", self.but, self.function)
    }

    /// The complement of the member, as an element.
    fn complement(&self) -> Tree {
        let inner = match &self.member {
            Tree::Test(x) => x.clone(),
            x => Box::new(x.clone()),
        };
        Tree::Test(Box::new(Tree::Not(inner)))
    }

    /// The scope in which a generic member is not left out.
    fn assume(&self, mut scope: Scope, at: u32) -> Scope {
        let mut proof = format!("N{at}");
        for i in &self.left_out {
            if let Index::Var(v) = i {
                scope
                    .distinct
                    .insert((*v, at), format!("(not_head {proof})"));
            }
            proof = format!("(not_tail {proof})");
        }
        scope
    }
}
