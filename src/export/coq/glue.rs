//! From what a rule yields to the kernel's normal form of it.
//!
//! `kat` sees through sums, products, stars and complements, not into omegas and sums over processes. So these are brought into normal form
//! first, from the inside out, each by a congruence; then the rest is a leaf.

use super::leaf::Leaves;
use super::print::{Printer, Scope};
use super::tree::{Sort, Tree};
use crate::kernel::{Id, Node, ONE, Sym, TOP, ZERO};

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

fn equal(links: [Proof; 2]) -> Proof {
    match links {
        [Some(a), Some(b)] => Some(format!("(tre {a} {b})")),
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
        match sort {
            Sort::Element => equal([from, leaf]),
            Sort::Test => match (from, leaf) {
                (Some(a), Some(b)) => Some(format!("(tre_test {a} {b})")),
                (a, b) => a.or(b),
            },
        }
    }

    /// A tree with its opaque parts in normal form, and a proof that it is equal.
    fn tidy(&mut self, t: &Tree, sort: Sort, scope: &Scope) -> (Tree, Proof) {
        let test = sort == Sort::Test;
        let one = |me: &mut Self, x: &Tree, sort: Sort, lemma: &str, f: fn(Box<Tree>) -> Tree| {
            let (x, proof) = me.tidy(x, sort, scope);
            let tree = f(Box::new(x)).folded(me.printer.terms, sort_of(lemma, sort));
            (tree, proof.map(|p| format!("({lemma} {p})")))
        };
        match t {
            Tree::Term(_) => (t.clone(), None),
            Tree::Test(x) => one(self, x, Sort::Test, "eq_inj", Tree::Test),
            Tree::Not(x) => one(self, x, Sort::Test, "eq_not", Tree::Not),
            Tree::Star(x) => one(self, x, sort, "eq_str", Tree::Star),
            Tree::Sum(all) | Tree::Product(all) => {
                let parts: Vec<(Tree, Proof)> =
                    all.iter().map(|x| self.tidy(x, sort, scope)).collect();
                let changed = parts.iter().any(|(_, p)| p.is_some());
                let (sum, same) = (matches!(t, Tree::Sum(_)), if test { "ref_test" } else { "rfe" });
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
                let tree = if sum { Tree::Sum(trees) } else { Tree::Product(trees) };
                (tree.folded(self.printer.terms, sort), proof)
            }
            Tree::Omega(x) => self.omega(x, scope),
            Tree::Over(but, x) => {
                let (inner, k) = scope.under();
                let body = x.normal(self.printer.terms);
                let inside = self.same(x, body, sort, &inner);
                let names = if test { ["eq_sumt", "but_sumt", "sumt_bot"] } else { ["eq_sumx", "but_sumx", "sumx_zero"] };
                let mut proof = inside.map(|p| format!("({} (fun {k} => {p}))", names[0]));
                let id = self.printer.terms.sum_over(but.clone(), body);
                let step = match self.printer.terms.node(id).clone() {
                    _ if id == ZERO => Some(names[2].to_string()),
                    Node::SumOver(sorted, _) if sorted != *but => {
                        Some(format!("({} ltac:(members))", names[1]))
                    }
                    _ => None,
                };
                let tests = !test && id != ZERO && self.printer.terms.is_test(id);
                proof = match test {
                    false => equal([proof, step]),
                    true => match (proof, step) {
                        (Some(a), Some(b)) => Some(format!("(tre_test {a} {b})")),
                        (a, b) => a.or(b),
                    },
                };
                if tests {
                    let f = self.printer.function(body, Sort::Test, scope);
                    proof = equal([proof, Some(format!("(sumx_tests {f})"))]);
                }
                (Tree::Term(id), proof)
            }
        }
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
        (Tree::Term(id), equal([proof, step.map(String::from)]))
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
                let all = parts.into_iter().reduce(|a, b| format!("({lemma} {a} {b})"));
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

/// The sort of what a congruence is about, where it is not that of its part.
fn sort_of(lemma: &str, sort: Sort) -> Sort {
    match lemma {
        "eq_inj" => Sort::Element,
        _ => sort,
    }
}
