//! Terms that need not be in normal form: what a rule yields before the kernel brings it into its normal form.

use crate::kernel::{Id, Index, Node, ONE, Operator, Sym, Terms, ZERO};

/// A term; what is in normal form is a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// In normal form.
    Term(Id),
    /// A test as an element.
    Test(Box<Tree>),
    /// `x + y + ..`
    Sum(Vec<Tree>),
    /// `x y ..`
    Product(Vec<Tree>),
    /// `~p`
    Not(Box<Tree>),
    /// `x*`
    Star(Box<Tree>),
    /// `x^w`
    Omega(Box<Tree>),
    /// A test of x.
    Applied(Operator, Box<Tree>),
    /// `(+ j != i, .. : x)`
    Over(Vec<Index>, Box<Tree>),
}

impl Default for Tree {
    fn default() -> Self {
        Tree::Term(ZERO)
    }
}

/// Whether a tree stands for an element or for a test; elements may be tests in their part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// An element.
    Element,
    /// A test.
    Test,
}

impl Tree {
    /// The sum of terms in normal form.
    pub fn sum(of: &[Id]) -> Tree {
        Tree::Sum(of.iter().map(|t| Tree::Term(*t)).collect())
    }

    /// The product of terms in normal form.
    pub fn product(of: &[Id]) -> Tree {
        Tree::Product(of.iter().map(|t| Tree::Term(*t)).collect())
    }

    /// The normal form.
    pub fn normal(&self, terms: &mut Terms) -> Id {
        match self {
            Tree::Term(t) => *t,
            Tree::Test(x) => x.normal(terms),
            Tree::Sum(all) => {
                let all: Vec<Id> = all.iter().map(|x| x.normal(terms)).collect();
                terms.sum(all)
            }
            Tree::Product(all) => {
                let all: Vec<Id> = all.iter().map(|x| x.normal(terms)).collect();
                terms.product(all)
            }
            Tree::Not(x) => {
                let x = x.normal(terms);
                terms.not(x)
            }
            Tree::Star(x) => {
                let x = x.normal(terms);
                terms.star(x)
            }
            Tree::Omega(x) => {
                let x = x.normal(terms);
                terms.omega(x)
            }
            Tree::Applied(operator, x) => {
                let x = x.normal(terms);
                terms.applied(*operator, x)
            }
            Tree::Over(but, x) => {
                let x = x.normal(terms);
                terms.sum_over(but.clone(), x)
            }
        }
    }

    /// The same with parts in normal form given as numbers, wherever they read the same.
    pub fn folded(self, terms: &mut Terms, sort: Sort) -> Tree {
        let fold = |terms: &mut Terms, all: Vec<Tree>| -> Vec<Tree> {
            all.into_iter().map(|x| x.folded(terms, sort)).collect()
        };
        let tree = match self {
            Tree::Term(_) => return self,
            Tree::Test(x) => Tree::Test(Box::new(x.folded(terms, Sort::Test))),
            Tree::Sum(all) => Tree::Sum(fold(terms, all)),
            Tree::Product(all) => Tree::Product(fold(terms, all)),
            Tree::Not(x) => Tree::Not(Box::new(x.folded(terms, sort))),
            Tree::Star(x) => Tree::Star(Box::new(x.folded(terms, sort))),
            Tree::Omega(x) => Tree::Omega(Box::new(x.folded(terms, sort))),
            Tree::Applied(operator, x) => {
                Tree::Applied(operator, Box::new(x.folded(terms, Sort::Element)))
            }
            Tree::Over(but, x) => Tree::Over(but, Box::new(x.folded(terms, sort))),
        };
        if !tree.parts().iter().all(|x| matches!(x, Tree::Term(_))) {
            return tree;
        }
        let id = tree.normal(terms);
        if let Tree::Test(_) = tree {
            // `[top]` reads otherwise than `1`.
            return if id == ZERO || id == ONE {
                tree
            } else {
                Tree::Term(id)
            };
        }
        let level = match terms.is_test(id) {
            true => Sort::Test,
            false => Sort::Element,
        };
        if level == sort && Self::of(terms, id) == tree {
            return Tree::Term(id);
        }
        tree
    }

    /// A term in normal form taken apart once.
    fn of(terms: &mut Terms, t: Id) -> Tree {
        let one = |x: Id| Box::new(Tree::Term(x));
        match terms.node(t).clone() {
            Node::Zero | Node::One | Node::Top | Node::Atom(..) => Tree::Term(t),
            Node::Not(x) => Tree::Not(one(x)),
            Node::Sum(all) => Tree::sum(&all),
            Node::Product(all) => Tree::product(&all),
            Node::Star(x) => Tree::Star(one(x)),
            Node::Omega(x) => Tree::Omega(one(x)),
            Node::Applied(operator, x) => Tree::Applied(operator, one(x)),
            Node::SumOver(but, x) => Tree::Over(but, one(x)),
            Node::ProductOver(..) => Tree::Not(one(terms.not(t))),
        }
    }

    /// What it is made of.
    pub fn parts(&self) -> &[Tree] {
        match self {
            Tree::Term(_) => &[],
            Tree::Sum(all) | Tree::Product(all) => all,
            Tree::Test(x) | Tree::Not(x) | Tree::Star(x) | Tree::Omega(x) | Tree::Over(_, x) => {
                std::slice::from_ref(x)
            }
            Tree::Applied(_, x) => std::slice::from_ref(x),
        }
    }
}

/// What takes the place of letters and indices in a term.
#[derive(Clone, Copy)]
pub struct Put<'a> {
    /// Index variables renamed.
    pub variables: &'a [(u32, u32)],
    /// Letters without indices replaced, after the renaming.
    pub letters: &'a [(Sym, Id)],
    /// What the innermost missing binder stands for.
    pub open: Option<u32>,
}

impl Put<'_> {
    /// Nothing is replaced.
    pub const NOTHING: Put<'static> = Put {
        variables: &[],
        letters: &[],
        open: None,
    };

    /// Only index variables.
    pub fn renaming(variables: &[(u32, u32)]) -> Put<'_> {
        Put {
            variables,
            ..Put::NOTHING
        }
    }

    /// The term with everything in its place, and not brought into normal form.
    pub fn into(self, terms: &mut Terms, t: Id) -> Tree {
        let tree = self.member(terms, t, 0, false);
        tree.folded(terms, Sort::Element)
    }

    fn index(&self, i: Index, under: u32) -> Index {
        match (i, self.open) {
            (Index::Bound(n), Some(v)) if n == under => Index::Var(v),
            (Index::Bound(n), Some(_)) if n > under => Index::Bound(n - 1),
            (Index::Var(v), _) => {
                let to = self.variables.iter().find(|(from, _)| *from == v);
                Index::Var(to.map_or(v, |(_, to)| *to))
            }
            (bound, _) => bound,
        }
    }

    /// A member of a sum or product; a test among actions says that it is one.
    fn member(&self, terms: &mut Terms, x: Id, under: u32, of_tests: bool) -> Tree {
        let tree = self.tree(terms, x, under);
        match !of_tests && terms.is_test(x) && x != ZERO && x != ONE {
            true => Tree::Test(Box::new(tree)),
            false => tree,
        }
    }

    fn tree(&self, terms: &mut Terms, t: Id, under: u32) -> Tree {
        terms.spend(1);
        if terms.is_spent() {
            return Tree::Term(t);
        }
        let tests = terms.is_test(t);
        let all = |terms: &mut Terms, all: Vec<Id>| -> Vec<Tree> {
            all.into_iter()
                .map(|x| self.member(terms, x, under, tests))
                .collect()
        };
        let but = |but: Vec<Index>| but.into_iter().map(|i| self.index(i, under)).collect();
        match terms.node(t).clone() {
            Node::Zero | Node::One | Node::Top => Tree::Term(t),
            Node::Atom(s, indices) => {
                let by = self.letters.iter().find(|(from, _)| *from == s);
                let indices = indices.into_iter().map(|i| self.index(i, under)).collect();
                Tree::Term(by.map_or_else(|| terms.atom(s, indices), |(_, by)| *by))
            }
            Node::Not(x) => Tree::Not(Box::new(self.member(terms, x, under, tests))),
            Node::Sum(xs) => Tree::Sum(all(terms, xs)),
            Node::Product(xs) => Tree::Product(all(terms, xs)),
            Node::Star(x) => Tree::Star(Box::new(self.member(terms, x, under, tests))),
            Node::Omega(x) => Tree::Omega(Box::new(self.member(terms, x, under, tests))),
            Node::Applied(operator, x) => {
                Tree::Applied(operator, Box::new(self.member(terms, x, under, false)))
            }
            Node::SumOver(list, x) => {
                let x = self.member(terms, x, under + 1, tests);
                Tree::Over(but(list), Box::new(x))
            }
            Node::ProductOver(list, x) => {
                let x = terms.not(x);
                let x = self.member(terms, x, under + 1, tests);
                Tree::Not(Box::new(Tree::Over(but(list), Box::new(x))))
            }
        }
    }
}
