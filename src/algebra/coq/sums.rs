//! The rules about sums and products over processes, as proof terms.

use super::glue::linked;
use super::print::Scope;
use super::theorem::Script;
use super::tree::{Put, Sort, Tree};
use crate::kernel::{Id, Index, Node, ONE, ZERO};

impl Script<'_> {
    /// A member is below the sum.
    pub(super) fn sum_intro(&mut self, n: usize, sum: Id, at: u32, scope: &Scope) -> String {
        let [_, right] = self.sides(n);
        let over = self.over(sum, at, scope);
        let index = self.glue.printer.index(Index::Var(at), scope);
        let lemma = over.lemma("intro", &index, true);
        self.framed(n, &over.member, lemma, &right, scope)
    }

    /// A sum is below a member and the sum of the others.
    pub(super) fn separate(&mut self, n: usize, sum: Id, at: u32, scope: &Scope) -> String {
        let [left, _] = self.sides(n);
        let over = self.over(sum, at, scope);
        let index = self.glue.printer.index(Index::Var(at), scope);
        let lemma = over.lemma("separate", &index, false);
        let mut but = vec![Index::Var(at)];
        but.extend(&over.left_out);
        let rest = Tree::Over(but, Box::new(Tree::Term(over.body)));
        let rest = if over.test {
            Tree::Test(Box::new(rest))
        } else {
            rest
        };
        let right = Tree::Sum(vec![over.member, rest]);
        self.framed(n, &left, lemma, &right, scope)
    }

    /// A product of tests is below each factor.
    pub(super) fn product_elim(&mut self, n: usize, product: Id, at: u32, scope: &Scope) -> String {
        let [left, _] = self.sides(n);
        let sum = self.glue.printer.terms.not(product);
        let over = self.over(sum, at, scope);
        let at = self.glue.printer.index(Index::Var(at), scope);
        let lemma = format!(
            "(product_elim {} {} {at} {})",
            over.but, over.function, over.apart
        );
        self.framed(n, &left, lemma, &over.complement(), scope)
    }

    /// A sum, between `a` and `b`, is below what each member is below.
    pub(super) fn sum_elim(
        &mut self,
        n: usize,
        [a, sum, b]: [Id; 3],
        (var, m): (u32, usize),
        scope: &Scope,
    ) -> String {
        let [_, right] = self.sides(n);
        let inner = self.member_scope(var, scope);
        let over = self.over(sum, var, &inner);
        let inner = over.assume(inner, var);
        let raw = Tree::Product(vec![Tree::Term(a), over.member.clone(), Tree::Term(b)]);
        let step = self.below(&raw, m, &inner);
        let kind = if over.test { "elim_t" } else { "elim_x" };
        let a_ = self.glue.printer.argument(a, Sort::Element, scope);
        let b_ = self.glue.printer.argument(b, Sort::Element, scope);
        let j = self.glue.printer.index(Index::Var(var), &inner);
        let lemma = format!(
            "({kind} {a_} {} {} {b_} (fun {j} N{var} => {step}))",
            over.but, over.function
        );
        self.framed(n, &Tree::product(&[a, sum, b]), lemma, &right, scope)
    }

    /// A test is below a product if it is below each factor.
    pub(super) fn product_intro(
        &mut self,
        n: usize,
        product: Id,
        (var, m): (u32, usize),
        scope: &Scope,
    ) -> String {
        let [_, right] = self.sides(n);
        let sum = self.glue.printer.terms.not(product);
        let inner = self.member_scope(var, scope);
        let over = self.over(sum, var, &inner);
        let inner = over.assume(inner, var);
        let given = self.claims[m].clone();
        let glue = self
            .glue
            .below(&Tree::Term(given.right), &over.complement(), &inner);
        let start = as_test(given.left);
        let begin = self.glue.below(&start, &Tree::Term(given.left), &inner);
        let step = linked([begin, Some(self.use_of(m, &inner)), glue]);
        let q = self.glue.printer.argument(given.left, Sort::Test, scope);
        let j = self.glue.printer.index(Index::Var(var), &inner);
        let lemma = format!(
            "(product_intro {q} {} {} (fun {j} N{var} => {step}))",
            over.but, over.function
        );
        self.framed(n, &start, lemma, &right, scope)
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
