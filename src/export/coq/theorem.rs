//! Theorems: each rule use of the kernel's proof as one intermediate claim, proved by the lemma that stands for the rule.

use super::glue::{Glue, Proof, linked};
use super::leaf::Leaves;
use super::names::{Names, comment};
use super::print::{Printer, Scope};
use super::statement::{
    Prefix, binders, ordered, part, parts_of, proposition, sides, together, with,
};
use super::tree::{Put, Sort, Tree};
use crate::algebra::show;
use crate::kernel::{Claim, Development, Id, Index, Node, ONE, Rejected, Rule, Statement, Sym, Theorem};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What is known of all theorems of a development.
pub struct Context<'a> {
    /// The development.
    pub d: &'a mut Development,
    /// The identifiers.
    pub names: &'a Names,
    /// The letters of the hypotheses.
    pub assumed: BTreeSet<Sym>,
    /// The letters that each theorem so far speaks of.
    pub letters: Vec<BTreeSet<Sym>>,
    /// The leaves so far.
    pub leaves: Leaves,
}

/// The proof of one theorem.
struct Script<'a> {
    glue: Glue<'a>,
    hypotheses: &'a [(String, Statement)],
    assumed: &'a BTreeSet<Sym>,
    letters: &'a [BTreeSet<Sym>],
    theorems: Vec<(&'a Theorem, bool)>,
    own: &'a Theorem,
    claims: &'a [Claim],
    /// The letters in scope, and nothing else.
    scope: Scope,
}

impl Context<'_> {
    /// The text of a theorem; theorems come in order.
    ///
    /// # Errors
    /// The operations allowed are used up.
    pub fn theorem(&mut self, n: usize) -> Result<String, Rejected> {
        let claims = self.d.claims(n)?;
        let conditional = self.d.is_conditional(n);
        let Some(own) = self.d.theorem(n).cloned() else {
            return Ok(String::new());
        };
        let stated = own.premises.iter().chain([&own.statement]).flat_map(sides);
        let (_, mut letters) = parts_of(&self.d.terms, stated);
        if conditional {
            letters.extend(&self.assumed);
        }
        let scope = with(&letters);
        let title = comment(&format!("{}: {}", own.name, show::statement(self.d, &own.statement)));
        let mut text = format!("(** {title}");
        for p in &own.premises {
            let _ = write!(text, "\n    if {}", comment(&show::statement(self.d, p)));
        }
        text.push_str(" *)\n");
        let (terms, hypotheses, theorems) = self.d.taken_apart();
        let mut script = Script {
            glue: Glue {
                printer: Printer { terms, names: self.names },
                leaves: &mut self.leaves,
            },
            hypotheses,
            assumed: &self.assumed,
            letters: &self.letters,
            theorems: theorems.iter().map(|(t, c)| (t, *c)).collect(),
            own: &own,
            claims: &claims,
            scope,
        };
        script.whole(n, &letters, conditional, &mut text);
        self.letters.push(letters);
        Ok(text)
    }

    /// The record of the hypotheses.
    pub fn hypotheses(&mut self) -> String {
        let (terms, hypotheses, _) = self.d.taken_apart();
        let mut printer = Printer { terms, names: self.names };
        let scope = with(&self.assumed);
        let letters = binders(&printer, &self.assumed);
        let mut text = format!("(** What is assumed throughout. *)\nRecord hypotheses {letters} : Prop := {{\n");
        for (n, (_, s)) in hypotheses.iter().enumerate() {
            let said = proposition(&mut printer, s, &scope);
            let end = if n + 1 == hypotheses.len() { "" } else { ";" };
            let _ = writeln!(text, "  {} : {said}{end}", self.names.hypotheses[n]);
        }
        text + "}.\n\n"
    }
}

impl Script<'_> {
    fn whole(&mut self, n: usize, letters: &BTreeSet<Sym>, conditional: bool, text: &mut String) {
        let name = &self.glue.printer.names.theorems[n];
        let own = self.own;
        let _ = write!(text, "Theorem {name} :");
        let mut intros = String::new();
        if !letters.is_empty() {
            let _ = write!(text, " forall {},", binders(&self.glue.printer, letters));
            for s in ordered(self.glue.printer.terms, letters) {
                intros.push_str(&self.glue.printer.names.symbols[s as usize]);
                intros.push(' ');
            }
        }
        let scope = self.scope.clone();
        if conditional {
            let _ = write!(text, "\n  hypotheses{} ->", self.plain(self.assumed, &scope));
            intros.push_str("H ");
        }
        for (m, p) in own.premises.iter().enumerate() {
            let said = proposition(&mut self.glue.printer, p, &scope);
            let _ = write!(text, "\n  ({said}) ->");
            let _ = write!(intros, "H{m} ");
        }
        let said = proposition(&mut self.glue.printer, &own.statement, &scope);
        let _ = write!(text, "\n  {said}.\nProof.\n");
        if !intros.is_empty() {
            let _ = writeln!(text, "  intros {}.", intros.trim_end());
        }
        let mut needed = vec![false; own.steps.len()];
        own.proves.iter().for_each(|n| needed[*n] = true);
        for n in (0..own.steps.len()).rev() {
            if needed[n] {
                own.steps[n].rests_on().iter().for_each(|m| needed[*m] = true);
            }
        }
        for n in (0..own.steps.len()).filter(|n| needed[*n]) {
            self.step(n, text);
        }
        let statement = &own.statement;
        let prefix = Prefix::new(self.glue.printer.terms, sides(statement), &statement.distinct);
        let inner = prefix.enter(&self.glue.printer, &scope);
        let bound = prefix.intros(&self.glue.printer, &inner);
        if !bound.is_empty() {
            let _ = writeln!(text, "  intros {bound}.");
        }
        let proofs: Vec<String> = own.proves.iter().map(|n| self.use_of(*n, &inner)).collect();
        let _ = writeln!(text, "  exact {}.\nQed.\n", together(&statement.parts, &proofs));
    }

    /// ` x u ..`: letters as they are called at a place.
    fn plain(&mut self, letters: &BTreeSet<Sym>, scope: &Scope) -> String {
        self.replaced(letters, &[], scope)
    }

    /// ` x u ..`: arguments for letters, some replaced.
    fn replaced(&mut self, letters: &BTreeSet<Sym>, by: &[(Sym, Id)], scope: &Scope) -> String {
        let mut text = String::new();
        for s in ordered(self.glue.printer.terms, letters) {
            let symbol = self.glue.printer.terms.symbols()[s as usize].clone();
            let sort = if symbol.test { Sort::Test } else { Sort::Element };
            text.push(' ');
            if let Some((_, t)) = by.iter().find(|(from, _)| *from == s) {
                text += &self.glue.printer.argument(*t, sort, scope);
            } else if scope.letters.contains(&s) {
                text += &self.glue.printer.names.symbols[s as usize];
            } else {
                let nothing = if symbol.test { "bot" } else { "0" };
                let _ = match symbol.arity {
                    0 => write!(text, "{nothing}"),
                    n => write!(text, "(fun{} => {nothing})", " _".repeat(n)),
                };
            }
        }
        text
    }

    fn prefix(&self, n: usize) -> Prefix {
        let c = &self.claims[n];
        Prefix::new(self.glue.printer.terms, [c.left, c.right], &c.distinct)
    }

    /// An earlier step as a proof, at a place.
    fn use_of(&self, n: usize, scope: &Scope) -> String {
        self.prefix(n)
            .apply(&format!("s{n}"), &[], &self.glue.printer, scope)
    }

    fn step(&mut self, n: usize, text: &mut String) {
        let prefix = self.prefix(n);
        let outer = self.scope.clone();
        let inner = prefix.enter(&self.glue.printer, &outer);
        let Claim { left, right, .. } = self.claims[n];
        let said = format!(
            "{}{} ≦ {}",
            prefix.forall(&self.glue.printer, &inner),
            self.glue.printer.term(left, &inner),
            self.glue.printer.term(right, &inner)
        );
        let bound = prefix.intros(&self.glue.printer, &inner);
        let _ = writeln!(text, "  assert (s{n} : {said}).\n  {{");
        if !bound.is_empty() {
            let _ = writeln!(text, "    intros {bound}.");
        }
        let own = self.own;
        match &own.steps[n] {
            Rule::Cases(i, j, _, same, differ) => self.cases(n, (*i, *j), [*same, *differ], &inner, text),
            rule => {
                let proof = self.rule(n, rule, &inner);
                let _ = writeln!(text, "    exact {proof}.");
            }
        }
        text.push_str("  }\n");
    }

    /// The proof of a claim by a lemma about `left <= right`, with whatever is between those and the claim's own sides.
    fn framed(&mut self, n: usize, left: &Tree, lemma: String, right: &Tree, scope: &Scope) -> String {
        let claim = self.claims[n].clone();
        let before = self.glue.below(&Tree::Term(claim.left), left, scope);
        let after = self.glue.below(right, &Tree::Term(claim.right), scope);
        linked([before, Some(lemma), after])
    }

    fn rule(&mut self, n: usize, rule: &Rule, scope: &Scope) -> String {
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
                self.instance(n, &all[*h].1, *k, map, &proof, &[], scope)
            }
            Rule::Premise(h, k, map) => {
                let own = self.own;
                self.instance(n, &own.premises[*h], *k, map, &format!("H{h}"), &[], scope)
            }
            Rule::Theorem { theorem, part, variables, letters, premises } => {
                let (lemma, conditional) = self.theorems[*theorem];
                let proof = self.lemma(*theorem, lemma, conditional, letters, premises, scope);
                self.instance(n, &lemma.statement, *part, variables, &proof, letters, scope)
            }
            Rule::Chain(all) => {
                let links = all.iter().map(|m| Some(self.use_of(*m, scope)));
                linked(links.collect::<Vec<Proof>>())
            }
            Rule::Join(all) => {
                let sum: Vec<Id> = all.iter().map(|m| self.claims[*m].left).collect();
                let proofs = all.iter().map(|m| self.use_of(*m, scope));
                let lemma = proofs.reduce(|a, b| format!("(join {a} {b})"));
                self.framed(n, &Tree::sum(&sum), lemma.unwrap_or_default(), &whole_right, scope)
            }
            Rule::Context(c, hole, m) => {
                let inner = self.claims[*m].clone();
                let proof = self.use_of(*m, scope);
                let lemma = self.glue.context(*c, *hole, &proof, scope);
                let mut put = |by: Id| {
                    let letters = [(*hole, by)];
                    let put = Put { letters: &letters, ..Put::NOTHING };
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
                self.framed(n, &whole_left, format!("(coinduction {step})"), &right, scope)
            }
            Rule::Unfold(x) => {
                let omega = || Tree::Omega(Box::new(Tree::Term(*x)));
                let right = Tree::Product(vec![Tree::Term(*x), omega()]);
                self.framed(n, &omega(), "unfold_om".to_string(), &right, scope)
            }
            Rule::SumIntro(sum, at) => {
                let over = self.over(*sum, *at, scope);
                let lemma = over.lemma("intro", &self.glue.printer.index(Index::Var(*at), scope), true);
                self.framed(n, &over.member, lemma, &whole_right, scope)
            }
            Rule::Separate(sum, at) => {
                let over = self.over(*sum, *at, scope);
                let lemma = over.lemma("separate", &self.glue.printer.index(Index::Var(*at), scope), false);
                let mut but = vec![Index::Var(*at)];
                but.extend(&over.left_out);
                let rest = Tree::Over(but, Box::new(Tree::Term(over.body)));
                let rest = if over.test { Tree::Test(Box::new(rest)) } else { rest };
                let right = Tree::Sum(vec![over.member, rest]);
                self.framed(n, &whole_left, lemma, &right, scope)
            }
            Rule::ProductElim(product, at) => {
                let sum = self.glue.printer.terms.not(*product);
                let over = self.over(sum, *at, scope);
                let at = self.glue.printer.index(Index::Var(*at), scope);
                let lemma = format!("(product_elim {} {} {at} {})", over.but, over.function, over.apart);
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
                self.framed(n, &Tree::product(&[*a, *sum, *b]), lemma, &whole_right, scope)
            }
            Rule::ProductIntro(product, var, m) => {
                let sum = self.glue.printer.terms.not(*product);
                let inner = self.member_scope(*var, scope);
                let over = self.over(sum, *var, &inner);
                let inner = over.assume(inner, *var);
                let given = self.claims[*m].clone();
                let glue = self.glue.below(&Tree::Term(given.right), &over.complement(), &inner);
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

    /// Part of a statement that `proof` proves, with variables renamed and letters replaced.
    #[allow(clippy::too_many_arguments)]
    fn instance(
        &mut self,
        n: usize,
        s: &Statement,
        k: usize,
        map: &[(u32, u32)],
        proof: &str,
        letters: &[(Sym, Id)],
        scope: &Scope,
    ) -> String {
        let prefix = Prefix::new(self.glue.printer.terms, sides(s), &s.distinct);
        let all = prefix.apply(proof, map, &self.glue.printer, scope);
        let lemma = part(&all, &s.parts, k);
        let put = Put { variables: map, letters, open: None };
        let (l, r) = s.parts[k];
        let (left, right) = (
            put.into(self.glue.printer.terms, l),
            put.into(self.glue.printer.terms, r),
        );
        self.framed(n, &left, lemma, &right, scope)
    }

    /// An earlier theorem with letters replaced and its premises proved.
    fn lemma(
        &mut self,
        theorem: usize,
        lemma: &Theorem,
        conditional: bool,
        letters: &[(Sym, Id)],
        premises: &[usize],
        scope: &Scope,
    ) -> String {
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
            let put = Put { letters, ..Put::NOTHING };
            let (left, right) = (
                put.into(self.glue.printer.terms, l),
                put.into(self.glue.printer.terms, r),
            );
            let end = self.glue.below(&Tree::Term(self.claims[step].right), &right, &inner);
            let begin = self.glue.below(&left, &Tree::Term(self.claims[step].left), &inner);
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
        let put = Put { open: Some(at), ..Put::NOTHING };
        let mut apart = "not_nil".to_string();
        for i in left_out.iter().rev() {
            if let Index::Var(v) = i {
                apart = format!("(not_cons {} {apart})", scope.differ(*v, at));
            }
        }
        Over {
            member: put.into(self.glue.printer.terms, body),
            but: self.glue.printer.but(&left_out, scope),
            function: self.glue.printer.function(body, sort, scope),
            apart,
            left_out,
            body,
            test,
        }
    }

    fn cases(&mut self, n: usize, (i, j): (u32, u32), [same, differ]: [usize; 2], scope: &Scope, text: &mut String) {
        let claim = self.claims[n].clone();
        let (first, second) = (scope.variables.get(&i).cloned(), scope.variables.get(&j).cloned());
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
        let put = Put { variables: &[(j, i)], ..Put::NOTHING };
        let sides = [claim.left, claim.right].map(|t| put.into(self.glue.printer.terms, t));
        let begin = self.glue.below(&sides[0], &Tree::Term(self.claims[same].left), &one);
        let end = self.glue.below(&Tree::Term(self.claims[same].right), &sides[1], &one);
        let proof = linked([begin, Some(self.use_of(same, &one)), end]);
        let (Some(first), Some(second)) = (first, second) else {
            let _ = writeln!(text, "    exact {proof}.");
            return;
        };
        let mut two = scope.clone();
        two.distinct.insert((i, j), "d".to_string());
        let other = self.use_of(differ, &two);
        let _ = writeln!(text, "    destruct (same {first} {second}) as [e | d].");
        let _ = writeln!(text, "    - subst {second}. exact {proof}.\n    - exact {other}.");
    }
}

/// A test as an element, also where it is 0 or 1.
fn as_test(t: Id) -> Tree {
    match t {
        crate::kernel::ZERO | ONE => Tree::Test(Box::new(Tree::Term(t))),
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
        let apart = if needs_apart { format!(" {}", self.apart) } else { String::new() };
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
                scope.distinct.insert((*v, at), format!("(not_head {proof})"));
            }
            proof = format!("(not_tail {proof})");
        }
        scope
    }
}
