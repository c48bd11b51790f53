//! Binary decision diagrams in one table (Bryant 1986; complement edges: Brace, Rudell & Bryant 1990).
//!
//! The entries of all matrices of a search share their nodes, and the budget is counted inside the operations: after so
//! many steps every operation answers `Spent`. That is why this is not the package that the relations of programs use.

use rustc_hash::FxHashMap;

/// A function: a node, and in the lowest bit whether it is complemented.
pub(super) type Bdd = u32;
pub(super) const TRUE: Bdd = 0;
pub(super) const FALSE: Bdd = 1;

/// The budget has been used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spent;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct BddNode {
    variable: u32,
    low: Bdd,
    /// Never complemented, so that a function has one form.
    high: Bdd,
}

/// The variable of the leaf, behind all others.
const LEAF: u32 = u32::MAX;

/// All functions of one search.
pub(super) struct Bdds {
    nodes: Vec<BddNode>,
    ids: FxHashMap<BddNode, u32>,
    known: FxHashMap<(Bdd, Bdd), Bdd>,
    /// Steps that are left.
    pub(super) budget: usize,
}

pub(super) fn not(x: Bdd) -> Bdd {
    x ^ 1
}

impl Bdds {
    pub(super) fn new(budget: usize) -> Self {
        let leaf = BddNode {
            variable: LEAF,
            low: TRUE,
            high: TRUE,
        };
        Bdds {
            nodes: vec![leaf],
            ids: FxHashMap::default(),
            known: FxHashMap::default(),
            budget,
        }
    }

    fn node(&self, x: Bdd) -> BddNode {
        self.nodes[(x >> 1) as usize]
    }

    /// The functions that a function is where its variable is false and where it is true.
    fn cofactors(&self, x: Bdd, variable: u32) -> (Bdd, Bdd) {
        let node = self.node(x);
        if node.variable != variable {
            return (x, x);
        }
        (node.low ^ (x & 1), node.high ^ (x & 1))
    }

    fn make(&mut self, variable: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let sign = high & 1;
        let node = BddNode {
            variable,
            low: low ^ sign,
            high: high ^ sign,
        };
        let next = self.nodes.len() as u32;
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id << 1 | sign
    }

    pub(super) fn variable(&mut self, n: u32) -> Bdd {
        self.make(n, FALSE, TRUE)
    }

    pub(super) fn and(&mut self, x: Bdd, y: Bdd) -> Result<Bdd, Spent> {
        if x == y || y == TRUE {
            return Ok(x);
        }
        if x == TRUE {
            return Ok(y);
        }
        if x == FALSE || y == FALSE || x == not(y) {
            return Ok(FALSE);
        }
        let key = (x.min(y), x.max(y));
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        self.budget = self.budget.checked_sub(1).ok_or(Spent)?;
        let variable = self.node(x).variable.min(self.node(y).variable);
        let (x, y) = (self.cofactors(x, variable), self.cofactors(y, variable));
        let low = self.and(x.0, y.0)?;
        let high = self.and(x.1, y.1)?;
        let done = self.make(variable, low, high);
        self.known.insert(key, done);
        Ok(done)
    }

    pub(super) fn or(&mut self, x: Bdd, y: Bdd) -> Result<Bdd, Spent> {
        Ok(not(self.and(not(x), not(y))?))
    }

    /// How many nodes a function has, but never more than `most`.
    pub(super) fn size(&self, x: Bdd, most: usize) -> usize {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![x >> 1];
        while let Some(n) = open.pop() {
            if seen.len() >= most || !seen.insert(n) || n == 0 {
                continue;
            }
            let node = self.nodes[n as usize];
            open.extend([node.low >> 1, node.high >> 1]);
        }
        seen.len()
    }

    /// The variables that are true where the function is, as few as there can be, and of these the last ones; `None` if
    /// it is nowhere true.
    pub(super) fn fewest(&self, x: Bdd) -> Option<Vec<u32>> {
        let mut costs = FxHashMap::default();
        self.cost(x, &mut costs)?;
        let mut found = Vec::new();
        let mut at = x;
        while at > 1 {
            let node = self.node(at);
            let (low, high) = self.cofactors(at, node.variable);
            let of = |x: Bdd| costs.get(&x).copied().flatten();
            at = match (of(low), of(high)) {
                (Some(l), Some(h)) if l > h + 1 => high,
                (None, _) => high,
                _ => low,
            };
            if at == high {
                found.push(node.variable);
            }
        }
        Some(found)
    }

    /// How many variables are true at least.
    fn cost(&self, x: Bdd, costs: &mut FxHashMap<Bdd, Option<u32>>) -> Option<u32> {
        if x <= 1 {
            let cost = (x == TRUE).then_some(0);
            costs.insert(x, cost);
            return cost;
        }
        if let Some(&known) = costs.get(&x) {
            return known;
        }
        let (low, high) = self.cofactors(x, self.node(x).variable);
        let low = self.cost(low, costs);
        let high = self.cost(high, costs).map(|c| c + 1);
        let cost = match (low, high) {
            (Some(l), Some(h)) => Some(l.min(h)),
            (l, h) => l.or(h),
        };
        costs.insert(x, cost);
        cost
    }
}
