//! From what a rule yields to the kernel's normal form of it.
//!
//! `kat` sees through sums, products, stars and complements, not into omegas and sums over processes. So these are
//! brought into normal form first, from the inside out, each by a congruence; then the rest is a leaf.

use super::leaf::Leaves;
use super::print::{Printer, Scope, short};
use super::tree::{Sort, Tree};
use crate::kernel::{Id, Index, Node, ONE, Operator, Sym, TOP, ZERO};

/// Writes proofs that terms are equal or ordered.
pub struct Glue<'a> {
    /// Prints terms.
    pub printer: Printer<'a>,
    /// The leaves so far.
    pub leaves: &'a mut Leaves,
}

/// A proof, or `None` where both sides are the same text.
pub type Proof = Option<String>;

/// Proofs of `x <= y`, `y <= z`, .. as one.
pub fn linked(links: impl IntoIterator<Item = Proof>) -> String {
    let all: Vec<String> = links.into_iter().flatten().collect();
    let mut rest = all.into_iter().rev();
    let last = rest.next().unwrap_or_else(|| "rfl".to_string());
    rest.fold(last, |proof, link| format!("(tr {link} {proof})"))
}

/// Proofs of `x = y` and `y = z` as one.
fn equal(links: [Proof; 2], sort: Sort) -> Proof {
    let lemma = match sort {
        Sort::Element => "tre",
        Sort::Test => "tre_test",
    };
    match links {
        [Some(a), Some(b)] => Some(format!("({lemma} {a} {b})")),
        [a, b] => a.or(b),
    }
}

impl Glue<'_> {
    /// `a <= b`, where both have the same normal form or the inclusion is a leaf.
    pub fn below(&mut self, a: &Tree, b: &Tree, scope: &Scope) -> Proof {
        let (x, from) = self.tidy(a, Sort::Element, scope);
        let (y, to) = self.tidy(b, Sort::Element, scope);
        let leaf = self.leaves.leaf(&mut self.printer, scope, (&x, &y), false);
        let links = [
            from.map(|p| format!("(le {p})")),
            leaf,
            to.map(|p| format!("(ge {p})")),
        ];
        links.iter().any(Option::is_some).then(|| linked(links))
    }

    /// `a = b`, where b is the normal form of a.
    fn same(&mut self, a: &Tree, b: Id, sort: Sort, scope: &Scope) -> Proof {
        let (x, from) = self.tidy(a, sort, scope);
        let (mut x, mut y) = (x, Tree::Term(b));
        if sort == Sort::Test && x != y {
            (x, y) = (Tree::Test(Box::new(x)), Tree::Test(Box::new(y)));
        }
        let leaf = self.leaves.leaf(&mut self.printer, scope, (&x, &y), true);
        let leaf = match sort {
            Sort::Element => leaf,
            Sort::Test => leaf.map(|p| format!("(eq_tests {p})")),
        };
        equal([from, leaf], sort)
    }

    /// A tree with its opaque parts in normal form, and a proof that it is equal.
    fn tidy(&mut self, t: &Tree, sort: Sort, scope: &Scope) -> (Tree, Proof) {
        let test = sort == Sort::Test;
        match t {
            Tree::Term(_) => (t.clone(), None),
            Tree::Test(x) => {
                let (x, proof) = self.tidy(x, Sort::Test, scope);
                let tree = Tree::Test(Box::new(x)).folded(self.printer.terms, sort);
                (tree, proof.map(|p| format!("(eq_inj {p})")))
            }
            Tree::Not(x) => {
                let (x, proof) = self.tidy(x, Sort::Test, scope);
                let tree = Tree::Not(Box::new(x)).folded(self.printer.terms, Sort::Test);
                (tree, proof.map(|p| format!("(eq_not {p})")))
            }
            Tree::Star(x) => {
                let (x, proof) = self.tidy(x, sort, scope);
                let tree = Tree::Star(Box::new(x)).folded(self.printer.terms, sort);
                (tree, proof.map(|p| format!("(eq_str {p})")))
            }
            Tree::Sum(all) | Tree::Product(all) => {
                let parts: Vec<(Tree, Proof)> =
                    all.iter().map(|x| self.tidy(x, sort, scope)).collect();
                let changed = parts.iter().any(|(_, p)| p.is_some());
                let (sum, same) = (
                    matches!(t, Tree::Sum(_)),
                    if test { "ref_test" } else { "rfe" },
                );
                let lemma = match (sum, test) {
                    (true, false) => "eq_cup",
                    (true, true) => "eq_or",
                    (false, false) => "eq_dot",
                    (false, true) => "eq_and",
                };
                let (trees, proofs): (Vec<Tree>, Vec<Proof>) = parts.into_iter().unzip();
                let proof = proofs
                    .into_iter()
                    .map(|p| p.unwrap_or_else(|| same.to_string()))
                    .reduce(|a, b| format!("({lemma} {a} {b})"))
                    .filter(|_| changed);
                let tree = if sum {
                    Tree::Sum(trees)
                } else {
                    Tree::Product(trees)
                };
                (tree.folded(self.printer.terms, sort), proof)
            }
            Tree::Omega(x) => self.omega(x, scope),
            Tree::Applied(operator, x) => self.applied(*operator, x, scope),
            Tree::Over(but, x) => self.over(but, x, sort, scope),
        }
    }

    fn over(&mut self, but: &[Index], x: &Tree, sort: Sort, scope: &Scope) -> (Tree, Proof) {
        let names = match sort {
            Sort::Test => ["eq_sumt", "but_sumt", "sumt_bot"],
            Sort::Element => ["eq_sumx", "but_sumx", "sumx_zero"],
        };
        let (inner, k) = scope.under();
        let body = x.normal(self.printer.terms);
        let inside = self.same(x, body, sort, &inner);
        let inside = inside.map(|p| format!("({} (fun {k} => {p}))", names[0]));
        let id = self.printer.terms.sum_over(but.to_vec(), body);
        let step = match self.printer.terms.node(id) {
            _ if id == ZERO => Some(names[2].to_string()),
            Node::SumOver(sorted, _) if sorted != but => {
                let lists = [but, sorted].map(|l| self.printer.but(l, scope));
                Some(format!(
                    "({} {} {} ltac:(members))",
                    names[1], lists[0], lists[1]
                ))
            }
            _ => None,
        };
        let mut proof = equal([inside, step], sort);
        // A sum of actions whose members turned out to be tests is a test.
        if sort == Sort::Element && id != ZERO && self.printer.terms.is_test(id) {
            let f = self.printer.function(body, Sort::Test, scope);
            proof = equal([proof, Some(format!("(sumx_tests {f})"))], sort);
        }
        (Tree::Term(id), proof)
    }

    fn omega(&mut self, x: &Tree, scope: &Scope) -> (Tree, Proof) {
        let body = x.normal(self.printer.terms);
        let inside = self.same(x, body, Sort::Element, scope);
        let proof = inside.map(|p| format!("(eq_om {p})"));
        let step = match body {
            ZERO => Some("om_zero"),
            ONE => Some("om_one"),
            TOP => Some("om_of_top"),
            _ => None,
        };
        let id = self.printer.terms.omega(body);
        (
            Tree::Term(id),
            equal([proof, step.map(String::from)], Sort::Element),
        )
    }

    /// A domain, or another operator that makes a test.
    fn applied(&mut self, operator: Operator, x: &Tree, scope: &Scope) -> (Tree, Proof) {
        let body = x.normal(self.printer.terms);
        let inside = self.same(x, body, Sort::Element, scope);
        let name = short(operator);
        let proof = inside.map(|p| format!("(eq_{name} {p})"));
        let step = match body {
            ZERO => Some(format!("{name}_zero")),
            ONE => Some(format!("{name}_one")),
            TOP => Some(format!("{name}_top")),
            _ if self.printer.terms.is_test(body) => Some(format!("({name}_test _)")),
            _ => None,
        };
        let id = self.printer.terms.applied(operator, body);
        (Tree::Term(id), equal([proof, step], Sort::Test))
    }

    /// `c(x) <= c(y)` from a proof of `x <= y`, for the letter that is the hole of c.
    pub fn context(&mut self, c: Id, hole: Sym, proof: &str, scope: &Scope) -> String {
        let here = |n: &Node| matches!(n, Node::Atom(s, _) if *s == hole);
        if !self.printer.terms.any(c, &mut |n| here(n)) {
            return "rfl".to_string();
        }
        let node = self.printer.terms.node(c).clone();
        let lemma = match &node {
            Node::Sum(_) => "le_cup",
            Node::Product(_) => "le_dot",
            Node::Star(_) => "le_str",
            Node::Omega(_) => "le_om",
            _ => "le_sumx",
        };
        match node {
            Node::Sum(all) | Node::Product(all) => {
                let parts: Vec<String> = all
                    .into_iter()
                    .map(|x| self.context(x, hole, proof, scope))
                    .collect();
                let all = parts
                    .into_iter()
                    .reduce(|a, b| format!("({lemma} {a} {b})"));
                all.unwrap_or_default()
            }
            Node::Star(x) | Node::Omega(x) => {
                format!("({lemma} {})", self.context(x, hole, proof, scope))
            }
            Node::SumOver(_, x) => {
                let (inner, k) = scope.under();
                let body = self.context(x, hole, proof, &inner);
                format!("({lemma} (fun {k} => {body}))")
            }
            _ => proof.to_string(),
        }
    }
}
