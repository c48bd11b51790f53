//! Terms of omega algebra, hash-consed: equal terms have equal numbers.
//!
//! The constructors keep terms in a normal form that every omega algebra validates (Stoller & Cohen 2003, section 2):
//! sums are flat, sorted and without repetition; products are flat; `0` and `1` are absorbed; neighbouring tests of a
//! product are sorted; a complement stands on atomic tests, domains and divergences only (De Morgan, also for sums and
//! products over processes).

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// A term, as its number in [`Terms`].
pub type Id = u32;
/// A symbol, as its number in [`Terms`].
pub type Sym = u32;

/// A process index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Index {
    /// A variable, by number; a statement holds for all its values.
    Var(u32),
    /// Bound by the n-th enclosing sum or product over processes, counted from the inside.
    Bound(u32),
}

/// How a term is built.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `0`
    Zero,
    /// `1`
    One,
    /// `T`
    Top,
    /// `a[i, j]`: an action, or a test if its symbol is one.
    Atom(Sym, Vec<Index>),
    /// `~p` of an atomic test.
    Not(Id),
    /// `x + y + ..`
    Sum(Vec<Id>),
    /// `x y ..`
    Product(Vec<Id>),
    /// `x*`
    Star(Id),
    /// `x^w`
    Omega(Id),
    /// A test of x.
    Applied(Operator, Id),
    /// `(+ j != i, .. : x)`: over all processes that differ from those given, which count from outside the binder.
    SumOver(Vec<Index>, Id),
    /// `(. j != i, .. : p)`, of tests.
    ProductOver(Vec<Index>, Id),
}

/// Operators that make a test of any term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// `dom(x)`: an execution of x begins here.
    Domain,
    /// `cod(x)`: an execution of x ends here.
    Codomain,
    /// `div(x)`: executions of x can follow each other for ever from here.
    Divergence,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 3] = [Operator::Domain, Operator::Codomain, Operator::Divergence];

    /// The operator of a name in terms.
    pub fn named(name: &str) -> Option<Operator> {
        Operator::ALL.into_iter().find(|o| o.name() == name)
    }

    /// Its name in terms.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Domain => "dom",
            Operator::Codomain => "cod",
            Operator::Divergence => "div",
        }
    }

    /// Its name in certificates.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Operator::Domain => "domain",
            Operator::Codomain => "codomain",
            Operator::Divergence => "divergence",
        }
    }
}

impl Node {
    /// The terms it is built from.
    pub fn parts(&self) -> &[Id] {
        match self {
            Node::Zero | Node::One | Node::Top | Node::Atom(..) => &[],
            Node::Sum(all) | Node::Product(all) => all,
            Node::Not(x) | Node::Star(x) | Node::Omega(x) => std::slice::from_ref(x),
            Node::Applied(_, x) => std::slice::from_ref(x),
            Node::SumOver(_, x) | Node::ProductOver(_, x) => std::slice::from_ref(x),
        }
    }

    /// Its own process indices.
    pub fn indices(&self) -> &[Index] {
        match self {
            Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _) => is,
            _ => &[],
        }
    }

    /// 1 if it binds an index, else 0.
    fn binders(&self) -> u32 {
        u32::from(matches!(self, Node::SumOver(..) | Node::ProductOver(..)))
    }
}

/// The name of actions or tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// Whether it is a test: then it has a complement.
    pub test: bool,
    /// How many process indices it takes.
    pub arity: usize,
    /// The action that is read as its converse, if there is one. No rule knows of it, and no certificate.
    pub converse: Option<Sym>,
}

#[derive(Clone, Copy)]
struct Meta {
    test: bool,
    depth: u32,
    /// Binders missing around it.
    loose: u32,
}

/// All terms in use.
pub struct Terms {
    nodes: Vec<Node>,
    meta: Vec<Meta>,
    /// By hash; what has the same hash follows behind.
    ids: FxHashMap<u64, Id>,
    symbols: Vec<Symbol>,
    /// Complements met so far.
    complements: FxHashMap<Id, Id>,
    /// Operations left.
    work: u64,
    /// Bytes left.
    room: u64,
    spent: bool,
}

/// Terms nested deeper than this are not built (see [`Terms::is_spent`]), so that recursion over terms is safe.
pub const DEEPEST: u32 = 1000;
/// Nor sums and products with more members than this.
const LONGEST: usize = 1 << 16;
/// Bytes that all terms may take if nothing else is said.
const ROOM: u64 = 2 << 30;
/// Bytes that a term may take in all tables, besides its members and indices.
const NODE: usize = 240;
/// Bytes of an entry of a passing table.
const ENTRY: usize = 48;

/// `0`
pub const ZERO: Id = 0;
/// `1`
pub const ONE: Id = 1;
/// `T`
pub const TOP: Id = 2;

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl Terms {
    /// Only the constants.
    pub fn new() -> Self {
        let mut terms = Terms {
            nodes: Vec::new(),
            meta: Vec::new(),
            ids: FxHashMap::default(),
            symbols: Vec::new(),
            complements: FxHashMap::default(),
            work: u64::MAX,
            room: ROOM,
            spent: false,
        };
        for node in [Node::Zero, Node::One, Node::Top] {
            terms.intern(node);
        }
        terms
    }

    /// How a term is built.
    #[inline]
    pub fn node(&self, t: Id) -> &Node {
        &self.nodes[t as usize]
    }

    /// How many terms there are; their numbers are below.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Allows so many operations from now on, also if those allowed before have been used up.
    pub fn allow(&mut self, operations: u64) {
        self.allow_within(operations, ROOM);
    }

    /// Allows so many operations and new bytes from now on.
    pub fn allow_within(&mut self, operations: u64, bytes: u64) {
        (self.work, self.room, self.spent) = (operations, bytes, false);
    }

    /// Whether the budget is used up, or a term grew too deep or too long. Then terms mean nothing any more.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.spent
    }

    /// Counts operations.
    pub fn spend(&mut self, operations: usize) {
        match self.work.checked_sub(operations as u64) {
            Some(rest) => self.work = rest,
            None => self.spent = true,
        }
    }

    /// Counts bytes before they are taken; whether they may be.
    pub fn hold(&mut self, bytes: usize) -> bool {
        match self.room.checked_sub(bytes as u64) {
            Some(rest) => self.room = rest,
            None => self.spent = true,
        }
        !self.spent
    }

    /// Bytes that were held are free again.
    pub fn release(&mut self, bytes: usize) {
        self.room += bytes as u64;
    }

    /// All symbols.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Whether a term is a test: built from tests, domains and divergences by sums, products and complements.
    #[inline]
    pub fn is_test(&self, t: Id) -> bool {
        self.meta[t as usize].test
    }

    /// Nesting depth.
    pub fn depth(&self, t: Id) -> u32 {
        self.meta[t as usize].depth
    }

    /// Whether every bound index has its binder.
    pub fn is_closed(&self, t: Id) -> bool {
        self.meta[t as usize].loose == 0
    }

    /// A new symbol.
    pub fn symbol(&mut self, name: &str, test: bool, arity: usize) -> Sym {
        self.symbols.push(Symbol {
            name: name.to_string(),
            test,
            arity,
            converse: None,
        });
        (self.symbols.len() - 1) as Sym
    }

    /// A new symbol that is read as the converse of an action.
    pub fn converse(&mut self, of: Sym, name: &str) -> Sym {
        let arity = self.symbols.get(of as usize).map_or(0, |s| s.arity);
        let new = self.symbol(name, false, arity);
        self.symbols[new as usize].converse = Some(of);
        if let Some(of) = self.symbols.get_mut(of as usize) {
            of.converse = Some(new);
        }
        new
    }

    /// The action that a symbol was made the converse of.
    pub fn is_converse_of(&self, symbol: Sym) -> Option<Sym> {
        let other = self.symbols.get(symbol as usize)?.converse;
        other.filter(|other| *other < symbol)
    }

    fn intern(&mut self, mut node: Node) -> Id {
        let mut hasher = FxHasher::default();
        node.hash(&mut hasher);
        let mut place = hasher.finish();
        while let Some(&id) = self.ids.get(&place) {
            if self.nodes[id as usize] == node {
                return id;
            }
            self.spend(1);
            place = place.wrapping_add(1);
        }
        let meta = self.meta(&node);
        let size = NODE + 4 * node.parts().len() + 8 * node.indices().len();
        if meta.depth > DEEPEST || !self.hold(size) {
            self.spent = true;
            return TOP;
        }
        match &mut node {
            Node::Sum(all) | Node::Product(all) => all.shrink_to_fit(),
            Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _) => {
                is.shrink_to_fit();
            }
            _ => {}
        }
        let id = self.nodes.len() as Id;
        self.ids.insert(place, id);
        self.nodes.push(node);
        self.meta.push(meta);
        id
    }

    fn meta(&self, node: &Node) -> Meta {
        let parts = || node.parts().iter().map(|x| self.meta[*x as usize]);
        let outside = node.indices().iter().map(|i| match i {
            Index::Bound(n) => n.saturating_add(1),
            Index::Var(_) => 0,
        });
        let inside = parts().map(|m| m.loose.saturating_sub(node.binders()));
        Meta {
            test: match node {
                Node::Top | Node::Star(_) | Node::Omega(_) => false,
                Node::Applied(..) => true,
                Node::Atom(s, _) => self.symbols[*s as usize].test,
                _ => parts().all(|m| m.test),
            },
            depth: parts().map(|m| m.depth + 1).max().unwrap_or(0),
            loose: outside.chain(inside).max().unwrap_or(0),
        }
    }

    /// `a[i, ..]`; there must be as many indices as the symbol takes.
    pub fn atom(&mut self, symbol: Sym, indices: Vec<Index>) -> Id {
        self.intern(Node::Atom(symbol, indices))
    }

    /// The members of a sum or factors of a product, with those of sums in sums and products in products, without the
    /// neutral element. None if they are too many.
    fn flat(&mut self, of: impl IntoIterator<Item = Id>, neutral: Id) -> Option<Vec<Id>> {
        let mut all: Vec<Id> = Vec::new();
        for x in of.into_iter().filter(|x| *x != neutral) {
            let more = match self.node(x) {
                Node::Sum(more) if neutral == ZERO => more,
                Node::Product(more) if neutral == ONE => more,
                _ => std::slice::from_ref(&x),
            };
            if all.len() + more.len() > LONGEST {
                self.spent = true;
                return None;
            }
            all.extend_from_slice(more);
        }
        self.spend(all.len() + 1);
        (!self.spent).then_some(all)
    }

    /// `x + y + ..`
    pub fn sum(&mut self, of: impl IntoIterator<Item = Id>) -> Id {
        let Some(mut all) = self.flat(of, ZERO) else {
            return TOP;
        };
        all.sort_unstable();
        all.dedup();
        if all.binary_search(&TOP).is_ok() {
            return TOP;
        }
        // 1 absorbs tests, and so does a test with its complement.
        if all.binary_search(&ONE).is_ok() || self.clash(&all) {
            all.retain(|x| !self.is_test(*x));
            all.insert(0, ONE);
        }
        match all.as_slice() {
            [] => ZERO,
            [one] => *one,
            _ => self.intern(Node::Sum(all)),
        }
    }

    /// Whether a sorted list has both a test and its complement.
    fn clash(&self, all: &[Id]) -> bool {
        all.iter().any(|x| match self.node(*x) {
            Node::Not(y) => all.binary_search(y).is_ok(),
            _ => false,
        })
    }

    /// `x y ..`
    pub fn product(&mut self, of: impl IntoIterator<Item = Id>) -> Id {
        let Some(mut rest) = self.flat(of, ONE) else {
            return TOP;
        };
        if rest.contains(&ZERO) {
            return ZERO;
        }
        // Neighbouring tests commute and repeat without effect; so does T.
        let mut done: Vec<Id> = Vec::with_capacity(rest.len());
        for run in rest.chunk_by_mut(|x, y| self.is_test(*x) && self.is_test(*y)) {
            run.sort_unstable();
            if self.clash(run) {
                return ZERO;
            }
            done.extend_from_slice(run);
        }
        done.dedup_by(|x, y| x == y && (*x == TOP || self.is_test(*x)));
        match done.as_slice() {
            [] => ONE,
            [one] => *one,
            _ => self.intern(Node::Product(done)),
        }
    }

    /// `~x` of a test.
    pub fn not(&mut self, x: Id) -> Id {
        // What was built after the limit was hit need not be a test.
        debug_assert!(self.spent || self.is_test(x));
        if let Some(&known) = self.complements.get(&x) {
            return known;
        }
        if self.spent {
            return TOP;
        }
        let node = self.node(x).clone();
        let parts: Vec<Id> = match node {
            Node::Not(y) => vec![y],
            Node::Applied(..) => Vec::new(),
            _ => node.parts().iter().map(|y| self.not(*y)).collect(),
        };
        let done = match node {
            Node::Zero => ONE,
            Node::One => ZERO,
            Node::Not(y) => y,
            Node::Sum(_) => self.product(parts),
            Node::Product(_) => self.sum(parts),
            Node::SumOver(but, _) => self.product_over(but, parts[0]),
            Node::ProductOver(but, _) => self.sum_over(but, parts[0]),
            _ => self.intern(Node::Not(x)),
        };
        if !self.spent {
            self.complements.insert(x, done);
        }
        done
    }

    /// `x*`
    pub fn star(&mut self, x: Id) -> Id {
        match self.node(x) {
            Node::Star(_) | Node::Top => x,
            _ if self.is_test(x) => ONE,
            _ => self.intern(Node::Star(x)),
        }
    }

    /// `x^w`
    pub fn omega(&mut self, x: Id) -> Id {
        match x {
            ZERO => ZERO,
            ONE | TOP => TOP,
            _ => self.intern(Node::Omega(x)),
        }
    }

    /// An operator applied to x; of a test x this is x.
    pub fn applied(&mut self, operator: Operator, x: Id) -> Id {
        match x {
            TOP => ONE,
            _ if self.is_test(x) => x,
            _ => self.intern(Node::Applied(operator, x)),
        }
    }

    /// `(+ j != .. : x)`; `Bound(0)` in `x` is j.
    pub fn sum_over(&mut self, mut but: Vec<Index>, x: Id) -> Id {
        but.sort_unstable();
        but.dedup();
        match x {
            ZERO => ZERO,
            _ => self.intern(Node::SumOver(but, x)),
        }
    }

    /// `(. j != .. : x)` of a test; `Bound(0)` in `x` is j.
    pub fn product_over(&mut self, mut but: Vec<Index>, x: Id) -> Id {
        debug_assert!(self.spent || self.is_test(x));
        but.sort_unstable();
        but.dedup();
        match x {
            ONE => ONE,
            _ => self.intern(Node::ProductOver(but, x)),
        }
    }

    /// A term of the form of a node, with other parts and other indices. Parts that have to be tests must be tests.
    pub(crate) fn build(&mut self, form: &Node, parts: Vec<Id>, indices: Vec<Index>) -> Id {
        match form {
            Node::Zero => ZERO,
            Node::One => ONE,
            Node::Top => TOP,
            Node::Atom(s, _) => self.atom(*s, indices),
            Node::Sum(_) => self.sum(parts),
            Node::Product(_) => self.product(parts),
            Node::Not(_) => self.not(parts[0]),
            Node::Star(_) => self.star(parts[0]),
            Node::Omega(_) => self.omega(parts[0]),
            Node::Applied(operator, _) => self.applied(*operator, parts[0]),
            Node::SumOver(..) => self.sum_over(indices, parts[0]),
            Node::ProductOver(..) => self.product_over(indices, parts[0]),
        }
    }

    fn rebuild(&mut self, t: Id, change: &Change) -> Id {
        let mut seen = FxHashMap::default();
        let done = self.rebuilt(t, 0, change, &mut seen);
        self.release(ENTRY * seen.len());
        done
    }

    fn rebuilt(
        &mut self,
        t: Id,
        under: u32,
        change: &Change,
        seen: &mut FxHashMap<(Id, u32), Id>,
    ) -> Id {
        if let Some(&done) = seen.get(&(t, under)) {
            return done;
        }
        let node = self.node(t).clone();
        self.spend(1 + change.cost * (node.indices().len() + 1));
        if !self.hold(ENTRY) {
            return TOP;
        }
        let parts = node.parts().iter();
        let inside = under + node.binders();
        let parts: Vec<Id> = parts
            .map(|x| self.rebuilt(*x, inside, change, seen))
            .collect();
        let indices = node.indices().iter();
        let indices: Vec<Index> = indices.map(|i| (change.index)(*i, under)).collect();
        let done = match &node {
            Node::Atom(s, _) => change.letters.iter().find(|(from, _)| from == s),
            _ => None,
        };
        let done = match done {
            Some((_, by)) => *by,
            None => self.build(&node, parts, indices),
        };
        seen.insert((t, under), done);
        done
    }

    /// The body of a sum or product over processes, for process `at` (a variable).
    pub fn open(&mut self, body: Id, at: u32) -> Id {
        let index = |i, under| match i {
            Index::Bound(n) if n == under => Index::Var(at),
            Index::Bound(n) if n > under => Index::Bound(n - 1),
            other => other,
        };
        self.rebuild(body, &Change::indices(1, &index))
    }

    /// Makes a variable `Bound(0)`, ready for a binder around the term.
    pub fn close(&mut self, t: Id, var: u32) -> Id {
        let index = |i, under| match i {
            Index::Var(v) if v == var => Index::Bound(under),
            Index::Bound(n) if n >= under => Index::Bound(n.saturating_add(1)),
            other => other,
        };
        self.rebuild(t, &Change::indices(1, &index))
    }

    /// Index variables replaced by others.
    pub fn rename(&mut self, t: Id, map: &[(u32, u32)]) -> Id {
        let index = |i, _| match i {
            Index::Var(v) => Index::Var(map.iter().find(|m| m.0 == v).map_or(v, |m| m.1)),
            bound => bound,
        };
        self.rebuild(t, &Change::indices(map.len(), &index))
    }

    /// Atoms of symbols without indices replaced by (closed) terms, tests by tests.
    pub fn replace(&mut self, t: Id, letters: &[(Sym, Id)]) -> Id {
        let change = Change {
            letters,
            ..Change::indices(letters.len(), &|i, _| i)
        };
        self.rebuild(t, &change)
    }

    /// Whether an index variable occurs in a term.
    pub fn has_var(&self, t: Id, var: u32) -> bool {
        self.any(t, &mut |n| n.indices().contains(&Index::Var(var)))
    }

    /// Whether an action stands in a test, as it does in `dom(a b)`.
    pub fn is_in_test(&self, t: Id, action: Sym) -> bool {
        let here = &mut |n: &Node| matches!(n, Node::Atom(s, _) if *s == action);
        let mut inside = |x: &Id| self.any(*x, here);
        self.any(t, &mut |n| match n {
            Node::Applied(_, x) => inside(x),
            _ => false,
        })
    }

    /// The index variables of some terms.
    pub fn variables(&mut self, of: &[Id]) -> FxHashSet<u32> {
        let mut found = FxHashSet::default();
        let mut size = 0;
        for t in of {
            self.any(*t, &mut |n| {
                size += 1 + n.indices().len();
                found.extend(n.indices().iter().filter_map(|i| match i {
                    Index::Var(v) => Some(*v),
                    Index::Bound(_) => None,
                }));
                false
            });
        }
        self.spend(size);
        found
    }

    /// Whether a part of a term is as `f` says.
    pub fn any(&self, t: Id, f: &mut dyn FnMut(&Node) -> bool) -> bool {
        let mut open = vec![t];
        let mut known = FxHashSet::from_iter([t]);
        while let Some(x) = open.pop() {
            let node = self.node(x);
            if f(node) {
                return true;
            }
            open.extend(node.parts().iter().filter(|x| known.insert(**x)));
        }
        false
    }
}

/// What a rebuild changes: index variables by their number of enclosing binders, letters.
struct Change<'a> {
    letters: &'a [(Sym, Id)],
    index: &'a dyn Fn(Index, u32) -> Index,
    /// Operations to change an index or a letter.
    cost: usize,
}

impl<'a> Change<'a> {
    fn indices(cost: usize, index: &'a dyn Fn(Index, u32) -> Index) -> Self {
        Change {
            letters: &[],
            index,
            cost,
        }
    }
}
