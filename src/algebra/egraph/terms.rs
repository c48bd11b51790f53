//! The e-graph of a term: smaller terms that equal it by the laws of omega algebra.
//!
//! Equality saturation (Tate et al. 2009) with egg. `+` and `.` are binary here, so commutativity and associativity are
//! rules like the others, and limits keep them in bounds. Equations and inclusions without variables need no rule: two
//! classes are made one. What is found is not trusted; see `crate::algebra::simplify`.

use crate::kernel::{Id, Node, ONE, TOP, Terms, ZERO};
use egg::{
    Analysis, BackoffScheduler, CostFunction, DidMerge, EGraph, Extractor, Language, Pattern,
    RecExpr, Rewrite, Runner, Var, define_language,
};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Terms with more symbols are left as they are.
pub const LARGEST: usize = 200;
/// Rounds in which every law is used everywhere.
const ITERATIONS: usize = 30;
/// A law that fits at more places than this pauses for some rounds, and may be used twice as often afterwards: so
/// commutativity and associativity leave room for the others.
const USES: usize = 50;

define_language! {
    enum Form {
        "0" = Zero,
        "1" = One,
        "T" = Top,
        "+" = Sum([egg::Id; 2]),
        "." = Product([egg::Id; 2]),
        "*" = Star(egg::Id),
        "^w" = Omega(egg::Id),
        // Everything that is not looked into: an atom, a complement, a sum over processes.
        Leaf(Id),
    }
}

/// Which classes are tests: those of 0, 1, tests among the leaves, and their sums and products.
#[derive(Default)]
struct Tests(FxHashSet<Id>);

impl Analysis<Form> for Tests {
    type Data = bool;

    fn make(graph: &mut EGraph<Form, Self>, node: &Form, _: egg::Id) -> bool {
        match node {
            Form::Zero | Form::One => true,
            Form::Leaf(x) => graph.analysis.0.contains(x),
            Form::Sum(of) | Form::Product(of) => of.iter().all(|x| graph[*x].data),
            Form::Top | Form::Star(_) | Form::Omega(_) => false,
        }
    }

    fn merge(&mut self, to: &mut bool, from: bool) -> DidMerge {
        egg::merge_max(to, from)
    }
}

/// Laws from left to right; those marked with letters hold if these are tests. Names are those of
/// `theories/identities`, where there is one.
const LAWS: &[(&str, &str, &str, &str)] = &[
    ("sum_commutative", "(+ ?x ?y)", "(+ ?y ?x)", ""),
    (
        "sum_associative",
        "(+ ?x (+ ?y ?z))",
        "(+ (+ ?x ?y) ?z)",
        "",
    ),
    ("sum_idempotent", "(+ ?x ?x)", "?x", ""),
    ("sum_zero", "(+ ?x 0)", "?x", ""),
    (
        "product_associative",
        "(. ?x (. ?y ?z))",
        "(. (. ?x ?y) ?z)",
        "",
    ),
    (
        "product_associative_back",
        "(. (. ?x ?y) ?z)",
        "(. ?x (. ?y ?z))",
        "",
    ),
    ("product_one", "(. ?x 1)", "?x", ""),
    ("product_one_left", "(. 1 ?x)", "?x", ""),
    ("product_zero", "(. ?x 0)", "0", ""),
    ("product_zero_left", "(. 0 ?x)", "0", ""),
    (
        "distributive_left",
        "(+ (. ?x ?y) (. ?x ?z))",
        "(. ?x (+ ?y ?z))",
        "",
    ),
    (
        "distributive_right",
        "(+ (. ?x ?z) (. ?y ?z))",
        "(. (+ ?x ?y) ?z)",
        "",
    ),
    (
        "distributive_left_one",
        "(+ ?x (. ?x ?z))",
        "(. ?x (+ 1 ?z))",
        "",
    ),
    (
        "distributive_right_one",
        "(+ ?x (. ?z ?x))",
        "(. (+ 1 ?z) ?x)",
        "",
    ),
    (
        "distributive_left_back",
        "(. ?x (+ ?y ?z))",
        "(+ (. ?x ?y) (. ?x ?z))",
        "",
    ),
    (
        "distributive_right_back",
        "(. (+ ?x ?y) ?z)",
        "(+ (. ?x ?z) (. ?y ?z))",
        "",
    ),
    ("star_of_zero", "(* 0)", "1", ""),
    ("star_of_test", "(* ?p)", "1", "?p"),
    ("star_with_test", "(* (+ ?p ?x))", "(* ?x)", "?p"),
    ("star_idempotent", "(* (* ?x))", "(* ?x)", ""),
    ("star_transitive", "(. (* ?x) (* ?x))", "(* ?x)", ""),
    ("star_above_one", "(+ 1 (* ?x))", "(* ?x)", ""),
    ("star_extensive", "(+ ?x (* ?x))", "(* ?x)", ""),
    ("star_unfold", "(+ 1 (. ?x (* ?x)))", "(* ?x)", ""),
    ("star_slide_self", "(. (* ?x) ?x)", "(. ?x (* ?x))", ""),
    ("star_of_plus", "(* (. ?x (* ?x)))", "(* ?x)", ""),
    (
        "star_plus_absorbs",
        "(+ (* ?x) (. ?x (* ?x)))",
        "(* ?x)",
        "",
    ),
    (
        "star_slide",
        "(. (* (. ?x ?y)) ?x)",
        "(. ?x (* (. ?y ?x)))",
        "",
    ),
    (
        "star_slide_back",
        "(. ?x (* (. ?y ?x)))",
        "(. (* (. ?x ?y)) ?x)",
        "",
    ),
    (
        "star_product_unfold",
        "(+ 1 (. ?x (. (* (. ?y ?x)) ?y)))",
        "(* (. ?x ?y))",
        "",
    ),
    (
        "star_denest",
        "(. (* ?x) (* (. ?y (* ?x))))",
        "(* (+ ?x ?y))",
        "",
    ),
    (
        "star_denest_right",
        "(. (* (. (* ?x) ?y)) (* ?x))",
        "(* (+ ?x ?y))",
        "",
    ),
    (
        "star_denest_product",
        "(* (. (* ?x) (* ?y)))",
        "(* (+ ?x ?y))",
        "",
    ),
    (
        "sum_starred_member",
        "(* (+ (* ?x) ?y))",
        "(* (+ ?x ?y))",
        "",
    ),
    (
        "star_by_squares",
        "(. (+ 1 ?x) (* (. ?x ?x)))",
        "(* ?x)",
        "",
    ),
    ("top_sum", "(+ ?x T)", "T", ""),
    ("top_idempotent", "(. T T)", "T", ""),
    ("star_of_top", "(* T)", "T", ""),
    ("top_absorbs_star", "(. (* ?x) T)", "T", ""),
    ("top_absorbs_star_right", "(. T (* ?x))", "T", ""),
    ("omega_of_zero", "(^w 0)", "0", ""),
    ("omega_of_one", "(^w 1)", "T", ""),
    ("omega_of_top", "(^w T)", "T", ""),
    ("omega_of_star", "(^w (* ?x))", "T", ""),
    ("omega_of_test", "(^w ?p)", "(. ?p T)", "?p"),
    ("omega_unfold", "(. ?x (^w ?x))", "(^w ?x)", ""),
    ("omega_top", "(. (^w ?x) T)", "(^w ?x)", ""),
    ("star_before_omega", "(. (* ?x) (^w ?x))", "(^w ?x)", ""),
    ("star_after_omega", "(. (^w ?x) (* ?y))", "(^w ?x)", ""),
    ("star_of_omega", "(* (^w ?x))", "(+ 1 (^w ?x))", ""),
    ("omega_of_square", "(^w (. ?x ?x))", "(^w ?x)", ""),
    ("omega_of_plus", "(^w (. ?x (* ?x)))", "(^w ?x)", ""),
    ("omega_slide", "(. ?x (^w (. ?y ?x)))", "(^w (. ?x ?y))", ""),
    (
        "omega_sum_unfold",
        "(+ (^w ?x) (. (* ?x) (. ?y (^w (+ ?x ?y)))))",
        "(^w (+ ?x ?y))",
        "",
    ),
    (
        "omega_denest",
        "(+ (^w (. (* ?x) ?y)) (. (* (. (* ?x) ?y)) (^w ?x)))",
        "(^w (+ ?x ?y))",
        "",
    ),
    ("test_idempotent", "(. ?p ?p)", "?p", "?p"),
    ("tests_commute", "(. ?p ?q)", "(. ?q ?p)", "?p ?q"),
    ("test_below_one", "(+ 1 ?p)", "1", "?p"),
    (
        "distributive_over_product",
        "(+ ?p (. ?q ?r))",
        "(. (+ ?p ?q) (+ ?p ?r))",
        "?p ?q ?r",
    ),
];

/// Symbols of a term, then its star height: what is to be small.
pub type Cost = (usize, usize);

/// The cost of a term. Products have no symbol of their own; what is not looked into counts as one.
pub fn cost(terms: &Terms, t: Id) -> Cost {
    let all = |xs: &[Id]| {
        xs.iter().fold((0, 0), |(size, height): Cost, x| {
            let (s, h) = cost(terms, *x);
            (size.saturating_add(s), height.max(h))
        })
    };
    match terms.node(t) {
        Node::Zero | Node::One | Node::Top | Node::Atom(..) => (1, 0),
        Node::SumOver(..) | Node::ProductOver(..) => (1, 0),
        Node::Applied(_, x) => {
            let (size, height) = cost(terms, *x);
            (size.saturating_add(1), height)
        }
        Node::Not(x) => (cost(terms, *x).0 + 1, 0),
        Node::Sum(xs) => {
            let (size, height) = all(xs);
            (size.saturating_add(xs.len() - 1), height)
        }
        Node::Product(xs) => all(xs),
        Node::Star(x) | Node::Omega(x) => {
            let (size, height) = cost(terms, *x);
            (size.saturating_add(1), height + 1)
        }
    }
}

/// The costs of leaves are those of their terms.
struct Small<'a>(&'a Terms);

impl CostFunction<Form> for Small<'_> {
    type Cost = Cost;

    fn cost<C: FnMut(egg::Id) -> Cost>(&mut self, node: &Form, mut costs: C) -> Cost {
        let own = match node {
            Form::Leaf(x) => cost(self.0, *x),
            Form::Product(_) => (0, 0),
            Form::Star(_) | Form::Omega(_) => (1, 1),
            _ => (1, 0),
        };
        let mut total = own.0;
        let mut height = 0;
        for child in node.children() {
            let (size, below) = costs(*child);
            total = total.saturating_add(size);
            height = height.max(below);
        }
        (total, height + own.1)
    }
}

/// The smallest term in the class of `t`, where each pair of `equal` is one class, too, and `x <= y` of `below`
/// makes `x + y` and `y` one. The graph has about as many nodes as allowed at most.
pub fn smallest(
    terms: &mut Terms,
    t: Id,
    equal: &[(Id, Id)],
    below: &[(Id, Id)],
    nodes: usize,
) -> Id {
    let (graph, root) = saturated(terms, t, equal, below, nodes);
    let (_, least) = Extractor::new(&graph, Small(terms)).find_best(root);
    built(terms, &least)
}

/// Terms that are known to be equal: a class of the e-graph.
pub struct Class {
    /// The smallest of them.
    pub least: Id,
    /// Others, each made of the smallest terms of its parts' classes; the smallest first.
    pub others: Vec<Id>,
    /// The classes of their parts, by position.
    pub parts: Vec<usize>,
}

/// The classes in the e-graph of `t`, its own first, and those of its parts before theirs; at most so many, and others
/// in each.
pub fn classes(
    terms: &mut Terms,
    t: Id,
    equal: &[(Id, Id)],
    below: &[(Id, Id)],
    nodes: usize,
    (most, others): (usize, usize),
) -> Vec<Class> {
    let (graph, root) = saturated(terms, t, equal, below, nodes);
    let extractor = Extractor::new(&graph, Small(terms));
    let mut order = vec![graph.find(root)];
    let mut at = 0;
    while at < order.len() && order.len() < most {
        for node in &graph[order[at]].nodes {
            for child in node.children() {
                let child = graph.find(*child);
                if !order.contains(&child) && order.len() < most {
                    order.push(child);
                }
            }
        }
        at += 1;
    }
    let least: Vec<RecExpr<Form>> = order.iter().map(|c| extractor.find_best(*c).1).collect();
    drop(extractor);
    let least: Vec<Id> = least.iter().map(|e| built(terms, e)).collect();
    let place = |c: &egg::Id| order.iter().position(|o| *o == graph.find(*c));
    let mut found = Vec::new();
    for (n, class) in order.iter().enumerate() {
        let (mut all, mut parts) = (Vec::new(), Vec::new());
        for node in &graph[*class].nodes {
            let children: Option<Vec<usize>> = node.children().iter().map(place).collect();
            let Some(children) = children else { continue };
            let of: Vec<Id> = children.iter().map(|c| least[*c]).collect();
            all.push(joined(terms, node, &of));
            parts.extend(children.into_iter().filter(|c| *c != n));
        }
        all.retain(|x| *x != least[n]);
        all.sort_by_key(|x| (cost(terms, *x), *x));
        all.dedup();
        all.truncate(others);
        parts.sort_unstable();
        parts.dedup();
        found.push(Class {
            least: least[n],
            others: all,
            parts,
        });
    }
    found
}

/// The e-graph of a term with the laws used everywhere, as far as the limits go, and its class.
fn saturated(
    terms: &Terms,
    t: Id,
    equal: &[(Id, Id)],
    below: &[(Id, Id)],
    nodes: usize,
) -> (EGraph<Form, Tests>, egg::Id) {
    let mut leaves = FxHashSet::default();
    let mut whole = RecExpr::default();
    expression(terms, t, &mut whole, &mut leaves);
    let mut pairs = Vec::new();
    for (n, (l, r)) in equal.iter().chain(below).enumerate() {
        let (mut left, mut right) = (RecExpr::default(), RecExpr::default());
        let l = expression(terms, *l, &mut left, &mut leaves);
        let r = expression(terms, *r, &mut right, &mut leaves);
        if n >= equal.len() {
            let other = expression(terms, below[n - equal.len()].1, &mut left, &mut leaves);
            left.add(Form::Sum([l, other]));
        }
        debug_assert_eq!(right.len(), usize::from(r) + 1);
        pairs.push((left, right));
    }
    let tests = leaves.iter().copied().filter(|x| terms.is_test(*x));
    let mut graph = EGraph::new(Tests(tests.collect()));
    let root = graph.add_expr(&whole);
    for (left, right) in &pairs {
        let (l, r) = (graph.add_expr(left), graph.add_expr(right));
        graph.union(l, r);
    }
    complements(terms, &leaves, &mut graph);
    graph.rebuild();
    let runner = Runner::<Form, Tests>::default()
        .with_egraph(graph)
        .with_scheduler(BackoffScheduler::default().with_initial_match_limit(USES))
        .with_iter_limit(ITERATIONS)
        .with_node_limit(nodes)
        .with_time_limit(Duration::MAX)
        .run(&laws());
    (runner.egraph, root)
}

/// `p ~p = 0` and `p + ~p = 1` for the tests in use.
fn complements(terms: &Terms, leaves: &FxHashSet<Id>, graph: &mut EGraph<Form, Tests>) {
    let mut all: Vec<Id> = leaves.iter().copied().collect();
    all.sort_unstable();
    for x in all {
        let Node::Not(y) = terms.node(x) else {
            continue;
        };
        let (p, q) = (graph.add(Form::Leaf(x)), graph.add(Form::Leaf(*y)));
        let (zero, one) = (graph.add(Form::Zero), graph.add(Form::One));
        for [a, b] in [[p, q], [q, p]] {
            let none = graph.add(Form::Product([a, b]));
            graph.union(none, zero);
        }
        let either = graph.add(Form::Sum([p, q]));
        graph.union(either, one);
    }
}

fn laws() -> Vec<Rewrite<Form, Tests>> {
    LAWS.iter().filter_map(law).collect()
}

/// A law as egg takes it; none if it can't be read, which a test excludes.
fn law((name, left, right, tests): &(&str, &str, &str, &str)) -> Option<Rewrite<Form, Tests>> {
    let left: Pattern<Form> = left.parse().ok()?;
    let right: Pattern<Form> = right.parse().ok()?;
    let vars: Option<Vec<Var>> = tests.split_whitespace().map(|v| v.parse().ok()).collect();
    let vars = vars?;
    let all_tests = move |graph: &mut EGraph<Form, Tests>, _: egg::Id, s: &egg::Subst| {
        vars.iter().all(|v| graph[s[*v]].data)
    };
    let right = egg::ConditionalApplier {
        condition: all_tests,
        applier: right,
    };
    Rewrite::new(*name, left, right).ok()
}

/// Appends a term; where it stands.
fn expression(
    terms: &Terms,
    t: Id,
    into: &mut RecExpr<Form>,
    leaves: &mut FxHashSet<Id>,
) -> egg::Id {
    let node = match terms.node(t) {
        Node::Zero => Form::Zero,
        Node::One => Form::One,
        Node::Top => Form::Top,
        Node::Star(x) => Form::Star(expression(terms, *x, into, leaves)),
        Node::Omega(x) => Form::Omega(expression(terms, *x, into, leaves)),
        Node::Sum(all) => return folded(terms, all, Form::Sum, into, leaves),
        Node::Product(all) => return folded(terms, all, Form::Product, into, leaves),
        Node::Atom(..) | Node::SumOver(..) | Node::ProductOver(..) | Node::Applied(..) => {
            leaves.insert(t);
            Form::Leaf(t)
        }
        Node::Not(x) => {
            leaves.extend([t, *x]);
            Form::Leaf(t)
        }
    };
    into.add(node)
}

/// `x + (y + (z + ..))`; sums and products have two members or more.
fn folded(
    terms: &Terms,
    all: &[Id],
    join: fn([egg::Id; 2]) -> Form,
    into: &mut RecExpr<Form>,
    leaves: &mut FxHashSet<Id>,
) -> egg::Id {
    let members: Vec<egg::Id> = all
        .iter()
        .map(|x| expression(terms, *x, into, leaves))
        .collect();
    let last = members.len() - 1;
    let mut whole = members[last];
    for &member in members[..last].iter().rev() {
        whole = into.add(join([member, whole]));
    }
    whole
}

/// The kernel's term.
fn built(terms: &mut Terms, expression: &RecExpr<Form>) -> Id {
    let mut done: Vec<Id> = Vec::new();
    for node in expression.as_ref() {
        let of: Vec<Id> = node
            .children()
            .iter()
            .map(|x| done[usize::from(*x)])
            .collect();
        done.push(joined(terms, node, &of));
    }
    done.last().copied().unwrap_or(ZERO)
}

/// The kernel's term of a node and the terms of its parts.
fn joined(terms: &mut Terms, node: &Form, of: &[Id]) -> Id {
    match node {
        Form::Zero => ZERO,
        Form::One => ONE,
        Form::Top => TOP,
        Form::Leaf(x) => *x,
        Form::Star(_) => terms.star(of[0]),
        Form::Omega(_) => terms.omega(of[0]),
        Form::Sum(_) => terms.sum(of.iter().copied()),
        Form::Product(_) => terms.product(of.iter().copied()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_laws_are_read() {
        assert_eq!(laws().len(), LAWS.len());
    }
}
