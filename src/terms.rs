//! Terms of omega algebra, hash-consed: equal terms have equal numbers.
//!
//! The constructors keep terms in a normal form that every omega algebra validates (Stoller & Cohen 2003, section 2): sums are flat,
//! sorted and without repetition; products are flat; `0` and `1` are absorbed; neighbouring tests of a product are sorted; a
//! complement stands on atomic tests only (De Morgan, also for sums and products over processes).

use rustc_hash::FxHashMap;

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
    /// `(+ j != i, .. : x)`: over all processes that differ from those given, which count from outside the binder.
    SumOver(Vec<Index>, Id),
    /// `(. j != i, .. : p)`, of tests.
    ProductOver(Vec<Index>, Id),
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
    ids: FxHashMap<Node, Id>,
    symbols: Vec<Symbol>,
    /// Complements met so far.
    complements: FxHashMap<Id, Id>,
    /// Members of all terms together.
    stored: usize,
    work: u64,
    spent: bool,
}

/// Terms nested deeper than this are not built (see [`Terms::is_spent`]), so that recursion over terms is safe.
pub const DEEPEST: u32 = 1000;
/// Nor sums and products with more members than this.
const LONGEST: usize = 1 << 16;
/// Nor more than this many terms and members of terms, so that memory is bounded.
const MOST: usize = 1 << 25;

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
            stored: 0,
            work: u64::MAX,
            spent: false,
        };
        for node in [Node::Zero, Node::One, Node::Top] {
            terms.intern(node);
        }
        terms
    }

    /// How a term is built.
    pub fn node(&self, t: Id) -> &Node {
        &self.nodes[t as usize]
    }

    /// How many terms there are; their numbers are below.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Allows so many operations from now on, also if those allowed before have been used up.
    pub fn allow(&mut self, operations: u64) {
        self.work = operations;
        self.spent = false;
    }

    /// Whether the operations allowed have been used up, or a term grew too deep or too long. Then terms mean nothing any more.
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

    /// All symbols.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Whether a term is a test: built from tests by sums, products and complements.
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
        });
        (self.symbols.len() - 1) as Sym
    }

    fn intern(&mut self, node: Node) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let outside = |i: &Index, under: u32| match i {
            Index::Bound(n) => n.saturating_add(1).saturating_sub(under),
            Index::Var(_) => 0,
        };
        let all = |indices: &[Index]| indices.iter().map(|i| outside(i, 0)).max().unwrap_or(0);
        let of = |x: &Id| self.meta[*x as usize];
        let meta = match &node {
            Node::Zero | Node::One => Meta {
                test: true,
                depth: 0,
                loose: 0,
            },
            Node::Top => Meta {
                test: false,
                depth: 0,
                loose: 0,
            },
            Node::Atom(s, indices) => Meta {
                test: self.symbols[*s as usize].test,
                depth: 0,
                loose: all(indices),
            },
            Node::Not(x) => Meta {
                depth: of(x).depth + 1,
                ..of(x)
            },
            Node::Sum(xs) | Node::Product(xs) => Meta {
                test: xs.iter().all(|x| of(x).test),
                depth: 1 + xs.iter().map(|x| of(x).depth).max().unwrap_or(0),
                loose: xs.iter().map(|x| of(x).loose).max().unwrap_or(0),
            },
            Node::Star(x) | Node::Omega(x) => Meta {
                test: false,
                depth: of(x).depth + 1,
                loose: of(x).loose,
            },
            Node::SumOver(but, x) | Node::ProductOver(but, x) => Meta {
                test: of(x).test,
                depth: of(x).depth + 1,
                loose: of(x).loose.saturating_sub(1).max(all(but)),
            },
        };
        self.stored += match &node {
            Node::Sum(xs) | Node::Product(xs) => 8 + xs.len(),
            Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _) => 8 + 2 * is.len(),
            _ => 8,
        };
        if meta.depth > DEEPEST || self.stored > MOST {
            self.spent = true;
            return TOP;
        }
        let id = self.nodes.len() as Id;
        self.ids.insert(node.clone(), id);
        self.nodes.push(node);
        self.meta.push(meta);
        id
    }

    /// `a[i, ..]`; there must be as many indices as the symbol takes.
    pub fn atom(&mut self, symbol: Sym, indices: Vec<Index>) -> Id {
        self.intern(Node::Atom(symbol, indices))
    }

    /// `x + y + ..`
    pub fn sum(&mut self, of: impl IntoIterator<Item = Id>) -> Id {
        let mut all = Vec::new();
        for x in of {
            match self.node(x) {
                Node::Sum(more) => all.extend_from_slice(more),
                Node::Zero => {}
                _ => all.push(x),
            }
        }
        if self.is_too_long(all.len()) {
            return TOP;
        }
        all.sort_unstable();
        all.dedup();
        if all.binary_search(&TOP).is_ok() {
            return TOP;
        }
        // 1 absorbs tests, and so does a test with its complement.
        let whole = all.binary_search(&ONE).is_ok() || self.clash(&all);
        if whole {
            all.retain(|x| !self.is_test(*x));
            all.push(ONE);
            all.sort_unstable();
        }
        match all.as_slice() {
            [] => ZERO,
            [one] => *one,
            _ => self.intern(Node::Sum(all)),
        }
    }

    fn is_too_long(&mut self, length: usize) -> bool {
        self.spend(length + 1);
        self.spent |= length > LONGEST;
        self.spent
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
        let mut all: Vec<Id> = Vec::new();
        for x in of {
            match self.node(x) {
                Node::Product(more) => all.extend_from_slice(more),
                Node::One => {}
                Node::Zero => return ZERO,
                _ => all.push(x),
            }
        }
        if self.is_too_long(all.len()) {
            return TOP;
        }
        // Neighbouring tests commute and repeat without effect.
        let mut done: Vec<Id> = Vec::new();
        let mut rest = all.as_slice();
        while let Some(&x) = rest.first() {
            let run = rest.iter().take_while(|x| self.is_test(**x)).count();
            if run == 0 {
                if !(x == TOP && done.last() == Some(&TOP)) {
                    done.push(x);
                }
                rest = &rest[1..];
                continue;
            }
            let mut tests = rest[..run].to_vec();
            tests.sort_unstable();
            tests.dedup();
            if self.clash(&tests) {
                return ZERO;
            }
            done.extend(tests);
            rest = &rest[run..];
        }
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
        let done = match self.node(x).clone() {
            Node::Zero => ONE,
            Node::One => ZERO,
            Node::Not(y) => y,
            Node::Sum(all) => {
                let all: Vec<Id> = all.into_iter().map(|y| self.not(y)).collect();
                self.product(all)
            }
            Node::Product(all) => {
                let all: Vec<Id> = all.into_iter().map(|y| self.not(y)).collect();
                self.sum(all)
            }
            Node::SumOver(but, y) => {
                let y = self.not(y);
                self.product_over(but, y)
            }
            Node::ProductOver(but, y) => {
                let y = self.not(y);
                self.sum_over(but, y)
            }
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

    /// Rebuilds a term; `f` may replace an atom (given as it stands under that many binders) and maps each index.
    fn rebuild(
        &mut self,
        t: Id,
        under: u32,
        f: &mut dyn Rebuild,
        seen: &mut FxHashMap<(Id, u32), Id>,
    ) -> Id {
        if let Some(&done) = seen.get(&(t, under)) {
            return done;
        }
        self.spend(1);
        if self.spent {
            return TOP;
        }
        let map = |f: &mut dyn Rebuild, is: &[Index]| -> Vec<Index> {
            is.iter().map(|i| f.index(*i, under)).collect()
        };
        let done = match self.node(t).clone() {
            Node::Zero | Node::One | Node::Top => t,
            Node::Atom(s, indices) => match f.atom(t, s) {
                Some(other) => other,
                None => {
                    let indices = map(f, &indices);
                    self.atom(s, indices)
                }
            },
            Node::Not(x) => {
                let x = self.rebuild(x, under, f, seen);
                self.not(x)
            }
            Node::Sum(all) => {
                let all: Vec<Id> = all
                    .into_iter()
                    .map(|x| self.rebuild(x, under, f, seen))
                    .collect();
                self.sum(all)
            }
            Node::Product(all) => {
                let all: Vec<Id> = all
                    .into_iter()
                    .map(|x| self.rebuild(x, under, f, seen))
                    .collect();
                self.product(all)
            }
            Node::Star(x) => {
                let x = self.rebuild(x, under, f, seen);
                self.star(x)
            }
            Node::Omega(x) => {
                let x = self.rebuild(x, under, f, seen);
                self.omega(x)
            }
            Node::SumOver(but, x) => {
                let but = map(f, &but);
                let x = self.rebuild(x, under + 1, f, seen);
                self.sum_over(but, x)
            }
            Node::ProductOver(but, x) => {
                let but = map(f, &but);
                let x = self.rebuild(x, under + 1, f, seen);
                self.product_over(but, x)
            }
        };
        seen.insert((t, under), done);
        done
    }

    /// The body of a sum or product over processes, for process `at` (a variable).
    pub fn open(&mut self, body: Id, at: u32) -> Id {
        self.rebuild(body, 0, &mut Open(at), &mut FxHashMap::default())
    }

    /// Makes a variable `Bound(0)`, ready for a binder around the term.
    pub fn close(&mut self, t: Id, var: u32) -> Id {
        self.rebuild(t, 0, &mut Close(var), &mut FxHashMap::default())
    }

    /// Index variables replaced by others.
    pub fn rename(&mut self, t: Id, map: &[(u32, u32)]) -> Id {
        self.rebuild(t, 0, &mut Rename(map), &mut FxHashMap::default())
    }

    /// Atoms of symbols without indices replaced by (closed) terms, tests by tests.
    pub fn replace(&mut self, t: Id, map: &[(Sym, Id)]) -> Id {
        self.rebuild(t, 0, &mut Replace(map), &mut FxHashMap::default())
    }

    /// Whether an index variable occurs in a term.
    pub fn has_var(&self, t: Id, var: u32) -> bool {
        self.any(t, &mut |n| {
            let (Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _)) = n else {
                return false;
            };
            is.contains(&Index::Var(var))
        })
    }

    /// Whether a part of a term is as `f` says.
    pub fn any(&self, t: Id, f: &mut dyn FnMut(&Node) -> bool) -> bool {
        let mut seen = vec![t];
        let mut next = 0;
        let mut known: rustc_hash::FxHashSet<Id> = seen.iter().copied().collect();
        while let Some(&x) = seen.get(next) {
            next += 1;
            let node = self.node(x);
            if f(node) {
                return true;
            }
            let mut push = |x: Id| {
                if known.insert(x) {
                    seen.push(x);
                }
            };
            match node {
                Node::Zero | Node::One | Node::Top | Node::Atom(..) => {}
                Node::Not(x) | Node::Star(x) | Node::Omega(x) => push(*x),
                Node::SumOver(_, x) | Node::ProductOver(_, x) => push(*x),
                Node::Sum(all) | Node::Product(all) => all.iter().for_each(|x| push(*x)),
            }
        }
        false
    }
}

/// What a rebuild changes.
trait Rebuild {
    fn index(&mut self, i: Index, under: u32) -> Index;
    fn atom(&mut self, _: Id, _: Sym) -> Option<Id> {
        None
    }
}

struct Open(u32);
impl Rebuild for Open {
    fn index(&mut self, i: Index, under: u32) -> Index {
        match i {
            Index::Bound(n) if n == under => Index::Var(self.0),
            Index::Bound(n) if n > under => Index::Bound(n - 1),
            other => other,
        }
    }
}

struct Close(u32);
impl Rebuild for Close {
    fn index(&mut self, i: Index, under: u32) -> Index {
        match i {
            Index::Var(v) if v == self.0 => Index::Bound(under),
            Index::Bound(n) if n >= under => Index::Bound(n.saturating_add(1)),
            other => other,
        }
    }
}

struct Rename<'a>(&'a [(u32, u32)]);
impl Rebuild for Rename<'_> {
    fn index(&mut self, i: Index, _: u32) -> Index {
        match i {
            Index::Var(v) => Index::Var(
                self.0
                    .iter()
                    .find(|(from, _)| *from == v)
                    .map_or(v, |(_, to)| *to),
            ),
            bound => bound,
        }
    }
}

struct Replace<'a>(&'a [(Sym, Id)]);
impl Rebuild for Replace<'_> {
    fn index(&mut self, i: Index, _: u32) -> Index {
        i
    }
    fn atom(&mut self, _: Id, s: Sym) -> Option<Id> {
        self.0
            .iter()
            .find(|(from, _)| *from == s)
            .map(|(_, to)| *to)
    }
}
