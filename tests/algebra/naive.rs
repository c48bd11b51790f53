//! Inclusion in Kleene algebra with tests and top as one would decide it by hand: Brzozowski derivatives by a valuation
//! of all tests and a letter, pair after pair, without guards, antichains or any other idea. `x^w` is a letter followed
//! by `T`; `T` is every word.

use coarsen::kernel::{Id, Node, Terms};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Tree {
    Zero,
    One,
    Top,
    Letter(Id),
    Test(Id),
    Not(Rc<Tree>),
    Sum(BTreeSet<Rc<Tree>>),
    Then(Rc<Tree>, Rc<Tree>),
    Star(Rc<Tree>),
    /// An opaque letter, then anything.
    Omega(Id),
}

use Tree::*;

fn sum(all: impl IntoIterator<Item = Rc<Tree>>) -> Rc<Tree> {
    let mut set = BTreeSet::new();
    for x in all {
        match &*x {
            Zero => {}
            Sum(more) => set.extend(more.iter().cloned()),
            _ => _ = set.insert(x),
        }
    }
    match set.len() {
        0 => Rc::new(Zero),
        1 => set.into_iter().next().unwrap(),
        _ => Rc::new(Sum(set)),
    }
}

fn then(x: Rc<Tree>, y: Rc<Tree>) -> Rc<Tree> {
    match (&*x, &*y) {
        (Zero, _) | (_, Zero) => Rc::new(Zero),
        (One, _) => y,
        (_, One) => x,
        (Then(a, b), _) => then(a.clone(), then(b.clone(), y)),
        _ => Rc::new(Then(x, y)),
    }
}

fn tree(terms: &Terms, t: Id) -> Rc<Tree> {
    Rc::new(match terms.node(t) {
        Node::Zero => Zero,
        Node::One => One,
        Node::Top => Top,
        Node::Applied(..) => Test(t),
        Node::Atom(..) if terms.is_test(t) => Test(t),
        Node::Atom(..) => Letter(t),
        Node::Not(x) => Not(tree(terms, *x)),
        Node::Sum(all) => return sum(all.iter().map(|x| tree(terms, *x))),
        Node::Product(all) => {
            return all
                .iter()
                .rev()
                .fold(Rc::new(One), |rest, x| then(tree(terms, *x), rest));
        }
        Node::Star(x) => Star(tree(terms, *x)),
        Node::Omega(_) => Omega(t),
        Node::SumOver(..) | Node::ProductOver(..) => panic!("no indices here"),
    })
}

type Valuation = BTreeMap<Id, bool>;

fn accepts(t: &Tree, at: &Valuation) -> bool {
    match t {
        Zero | Letter(_) | Omega(_) => false,
        One | Top | Star(_) => true,
        Test(p) => at[p],
        Not(x) => !accepts(x, at),
        Sum(all) => all.iter().any(|x| accepts(x, at)),
        Then(x, y) => accepts(x, at) && accepts(y, at),
    }
}

/// What may follow the letter under the valuation; letter 0 is one that occurs nowhere.
fn after(t: &Rc<Tree>, at: &Valuation, letter: Id) -> Rc<Tree> {
    match &**t {
        Zero | One | Test(_) | Not(_) => Rc::new(Zero),
        Top => t.clone(),
        Letter(a) => Rc::new(if *a == letter { One } else { Zero }),
        Omega(a) => Rc::new(if *a == letter { Top } else { Zero }),
        Sum(all) => sum(all.iter().map(|x| after(x, at, letter))),
        Star(x) => then(after(x, at, letter), t.clone()),
        Then(x, y) => {
            let first = then(after(x, at, letter), y.clone());
            match accepts(x, at) {
                true => sum([first, after(y, at, letter)]),
                false => first,
            }
        }
    }
}

/// Whether `left <= right` in every Kleene algebra with tests and top; `None` if more than `limit` pairs are met.
pub fn included(terms: &Terms, left: Id, right: Id, limit: usize) -> Option<bool> {
    let (mut tests, mut letters) = (BTreeSet::new(), BTreeSet::from([0]));
    let mut todo = vec![left, right];
    while let Some(t) = todo.pop() {
        match terms.node(t) {
            Node::Atom(..) if terms.is_test(t) => _ = tests.insert(t),
            Node::Atom(..) | Node::Omega(_) => _ = letters.insert(t),
            Node::Not(x) | Node::Star(x) => todo.push(*x),
            Node::Sum(all) | Node::Product(all) => todo.extend(all),
            _ => {}
        }
    }
    let valuations: Vec<Valuation> = (0..1u32 << tests.len())
        .map(|code| {
            tests
                .iter()
                .enumerate()
                .map(|(k, p)| (*p, code >> k & 1 == 1))
                .collect()
        })
        .collect();
    let start = (tree(terms, left), tree(terms, right));
    let mut known = HashSet::from([start.clone()]);
    let mut todo = vec![start];
    while let Some((l, r)) = todo.pop() {
        for at in &valuations {
            if accepts(&l, at) && !accepts(&r, at) {
                return Some(false);
            }
            for letter in &letters {
                let next = (after(&l, at, *letter), after(&r, at, *letter));
                if *next.0 != Zero && known.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        if known.len() > limit {
            return None;
        }
    }
    Some(true)
}
