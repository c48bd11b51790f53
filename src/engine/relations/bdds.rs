//! BDD operations under a budget: a thin layer over biodivine-lib-bdd.
//!
//! The package has no unique table and no cancel hook; operands are plain values. This layer polls the control around
//! each operation, bounds results where the package can (`binary_op_with_limit`), and hides its traps. Work is counted
//! in pairs of nodes: the package calls a function for each pair. Once the budget is used up, that function returns a
//! constant. That ends the operation, and the result is thrown away. `==` on `Bdd` is structural, so equality is an
//! empty difference here, and a rename must keep the order of levels.

use crate::base::control::{Control, Stop};
use biodivine_lib_bdd::{Bdd, BddNode, BddPointer, BddVariable, op_function};
use std::cell::Cell;

/// A level of the variable order.
pub type Level = usize;

/// An operation on constants, as far as they are known.
type Operation = fn(Option<bool>, Option<bool>) -> Option<bool>;

/// The operations.
#[derive(Debug)]
pub struct Bdds<'c> {
    levels: u16,
    control: &'c Control,
    peak: Cell<usize>,
    spent: Cell<u64>,
    /// Pairs of nodes looked at so far.
    work: Cell<u64>,
    /// How much work there may be before [`Stop::Effort`].
    end: Cell<u64>,
    /// How large a result may be before it.
    largest: Cell<usize>,
    yes: Bdd,
    no: Bdd,
}

impl<'c> Bdds<'c> {
    /// Operations over this many levels.
    ///
    /// # Errors
    /// [`Stop::Variables`] if the package can't number that many.
    pub fn new(levels: usize, control: &'c Control) -> Result<Self, Stop> {
        let levels = u16::try_from(levels)
            .ok()
            .filter(|&l| l < u16::MAX)
            .ok_or(Stop::Variables)?;
        let no = Bdd::from_nodes(&[BddNode::mk_zero(levels)]).map_err(|_| Stop::Variables)?;
        let yes = Bdd::from_nodes(&[BddNode::mk_zero(levels), BddNode::mk_one(levels)])
            .map_err(|_| Stop::Variables)?;
        Ok(Bdds {
            levels,
            control,
            peak: Cell::new(0),
            spent: Cell::new(0),
            work: Cell::new(0),
            end: Cell::new(u64::MAX),
            largest: Cell::new(usize::MAX),
            yes,
            no,
        })
    }

    /// The control that bounds the work.
    pub fn control(&self) -> &'c Control {
        self.control
    }

    /// Nodes of the largest result so far.
    pub fn peak(&self) -> usize {
        self.peak.get()
    }

    /// Nodes of all results so far: a measure of work that is the same on every machine.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Pairs of nodes looked at so far: what operations cost, however small their results.
    pub fn work(&self) -> u64 {
        self.work.get()
    }

    /// Sets the budget of work, and of nodes in one result. Beyond it operations fail with [`Stop::Effort`].
    pub fn allow(&self, work: u64, largest: usize) {
        self.end.set(self.work().saturating_add(work));
        self.largest.set(largest);
    }

    /// Work that is allowed still.
    pub fn left(&self) -> u64 {
        self.end.get().saturating_sub(self.work())
    }

    /// Counts work that was done elsewhere.
    pub fn charge(&self, work: u64) {
        self.work.set(self.work().saturating_add(work));
    }

    /// Counts a pair of nodes, and says whether the operation may go on. (Operations that only say yes or no always go
    /// on.)
    fn go_on(&self) -> bool {
        const POLLED: u64 = 1 << 16;
        let work = self.work.get() + 1;
        self.work.set(work);
        if work.is_multiple_of(POLLED) {
            self.control.worked(POLLED);
            if self.control.check().is_err() {
                self.end.set(0);
            }
        }
        work < self.end.get()
    }

    /// True everywhere.
    pub fn yes(&self) -> Bdd {
        self.yes.clone()
    }

    /// False everywhere.
    pub fn no(&self) -> Bdd {
        self.no.clone()
    }

    /// True or false everywhere.
    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.yes() } else { self.no() }
    }

    /// The level's variable.
    pub fn var(&self, level: Level) -> Bdd {
        self.cube(&[(level, true)])
    }

    /// A conjunction of literals, given in any order.
    pub fn cube(&self, literals: &[(Level, bool)]) -> Bdd {
        let mut sorted = literals.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        sorted.dedup();
        if sorted.windows(2).any(|w| w[0].0 == w[1].0) {
            return self.no();
        }
        let mut nodes = Nodes::new(self.levels);
        let mut rest = BddPointer::one();
        for (level, value) in sorted {
            rest = match value {
                true => nodes.add(level, BddPointer::zero(), rest),
                false => nodes.add(level, rest, BddPointer::zero()),
            };
        }
        nodes.finish()
    }

    /// States that the two levels of each pair have the same value; the pairs in ascending order, the first level of
    /// each above the second, and both above the next pair.
    pub fn equal_pairs(&self, pairs: impl DoubleEndedIterator<Item = (Level, Level)>) -> Bdd {
        let mut nodes = Nodes::new(self.levels);
        let mut rest = BddPointer::one();
        for (upper, lower) in pairs.rev() {
            let unset = nodes.add(lower, rest, BddPointer::zero());
            let set = nodes.add(lower, BddPointer::zero(), rest);
            rest = nodes.add(upper, unset, set);
        }
        nodes.finish()
    }

    fn done(&self, result: Bdd) -> Result<Bdd, Stop> {
        let size = result.size();
        self.spent.set(self.spent.get() + size as u64);
        if size > self.peak.get() {
            self.peak.set(size);
        }
        self.control.nodes(size)?;
        match self.work() < self.end.get() && size <= self.largest.get() {
            true => Ok(result),
            false => Err(Stop::Effort),
        }
    }

    fn apply(&self, a: &Bdd, b: &Bdd, op: Operation) -> Result<Bdd, Stop> {
        let nodes = self.control.budget().nodes;
        let limit = nodes.min(self.largest.get());
        let counted = |a, b| if self.go_on() { op(a, b) } else { Some(false) };
        match Bdd::binary_op_with_limit(limit, a, b, counted) {
            Some(result) => self.done(result),
            None if limit < nodes => Err(Stop::Effort),
            None => Err(Stop::Nodes),
        }
    }

    /// Conjunction.
    ///
    /// # Errors
    /// Any [`Stop`], here and below.
    pub fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        match (a.as_bool(), b.as_bool()) {
            (Some(false), _) | (_, Some(true)) => Ok(a.clone()),
            (Some(true), _) | (_, Some(false)) => Ok(b.clone()),
            _ => self.apply(a, b, op_function::and),
        }
    }

    /// Disjunction.
    ///
    /// # Errors
    /// As [`Bdds::and`].
    pub fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        match (a.as_bool(), b.as_bool()) {
            (Some(true), _) | (_, Some(false)) => Ok(a.clone()),
            (Some(false), _) | (_, Some(true)) => Ok(b.clone()),
            _ => self.apply(a, b, op_function::or),
        }
    }

    /// `a` and not `b`.
    ///
    /// # Errors
    /// As [`Bdds::and`].
    pub fn and_not(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        match (a.as_bool(), b.as_bool()) {
            (Some(false), _) | (_, Some(false)) => Ok(a.clone()),
            (_, Some(true)) => Ok(self.no()),
            _ => self.apply(a, b, op_function::and_not),
        }
    }

    /// `a` exactly where `b`.
    ///
    /// # Errors
    /// As [`Bdds::and`].
    pub fn iff(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        self.apply(a, b, op_function::iff)
    }

    /// Exactly one of the two.
    ///
    /// # Errors
    /// As [`Bdds::and`].
    pub fn xor(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        match (a.as_bool(), b.as_bool()) {
            (Some(false), _) => Ok(b.clone()),
            (_, Some(false)) => Ok(a.clone()),
            (Some(true), _) => Ok(b.not()),
            (_, Some(true)) => Ok(a.not()),
            _ => self.apply(a, b, op_function::xor),
        }
    }

    /// `c ? a : b`
    ///
    /// # Errors
    /// As [`Bdds::and`].
    pub fn ite(&self, c: &Bdd, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        match c.as_bool() {
            Some(true) => Ok(a.clone()),
            Some(false) => Ok(b.clone()),
            None => self.or(&self.and(c, a)?, &self.and_not(b, c)?),
        }
    }

    /// Removes the levels that `gone` selects, existentially.
    ///
    /// # Errors
    /// As [`Bdds::and`].
    pub fn exists(&self, a: &Bdd, gone: impl Fn(Level) -> bool) -> Result<Bdd, Stop> {
        self.and_exists(a, &self.yes, gone)
    }

    /// Relational product: conjunction, then removal of the levels that `gone` selects.
    ///
    /// # Errors
    /// As [`Bdds::and`].
    pub fn and_exists(&self, a: &Bdd, b: &Bdd, gone: impl Fn(Level) -> bool) -> Result<Bdd, Stop> {
        if a.is_false() || b.is_false() {
            return Ok(self.no());
        }
        let trigger = |v: BddVariable| gone(v.to_index());
        let counted = |op: Operation| move |a, b| if self.go_on() { op(a, b) } else { Some(false) };
        let (both, either) = (counted(op_function::and), counted(op_function::or));
        self.done(Bdd::binary_op_nested(a, b, trigger, both, either))
    }

    /// Renames levels; `to` must keep the order of the levels that occur.
    pub fn rename(&self, a: &Bdd, to: impl Fn(Level) -> Level) -> Bdd {
        if a.as_bool().is_some() {
            return a.clone();
        }
        let mut nodes = Nodes::new(self.levels);
        for pointer in a.pointers().skip(2) {
            let level = to(a.var_of(pointer).to_index());
            nodes.add(level, a.low_link_of(pointer), a.high_link_of(pointer));
        }
        nodes.finish()
    }

    /// The BDD of a list of nodes, each a level and two earlier nodes; 0 and 1 are the constants, the first node has
    /// number 2, the last is the root. `None` if the package refuses it.
    pub fn build(&self, nodes: &[(Level, u32, u32)]) -> Option<Bdd> {
        let mut built = Nodes::new(self.levels);
        for &(level, low, high) in nodes {
            let known = built.0.len();
            if level >= usize::from(self.levels) || low.max(high) as usize >= known {
                return None;
            }
            let pointer = |n: u32| BddPointer::from_index(n as usize);
            built.add(level, pointer(low), pointer(high));
        }
        Bdd::from_nodes(&built.0).ok()
    }

    /// Whether `a` lies within `b`; stops at the first witness to the contrary.
    pub fn within(&self, a: &Bdd, b: &Bdd) -> bool {
        self.is_empty(a, b, op_function::and_not)
    }

    /// Whether `a` and `b` have nothing in common; stops at the first witness to the contrary.
    pub fn disjoint(&self, a: &Bdd, b: &Bdd) -> bool {
        self.is_empty(a, b, op_function::and)
    }

    /// Whether the two are one function (`==` on `Bdd` compares structure).
    pub fn same(&self, a: &Bdd, b: &Bdd) -> bool {
        self.is_empty(a, b, op_function::xor)
    }

    fn is_empty(&self, a: &Bdd, b: &Bdd, op: Operation) -> bool {
        let counted = |a, b| {
            self.go_on();
            op(a, b)
        };
        Bdd::binary_op_with_limit(2, a, b, counted).is_some_and(|d| d.is_false())
    }

    /// The levels that occur, sorted.
    pub fn support(&self, a: &Bdd) -> Vec<Level> {
        let mut levels: Vec<Level> = a
            .support_set()
            .into_iter()
            .map(BddVariable::to_index)
            .collect();
        levels.sort_unstable();
        levels
    }
}

/// A BDD under construction, children before parents.
struct Nodes(Vec<BddNode>);

impl Nodes {
    fn new(levels: u16) -> Self {
        Nodes(vec![BddNode::mk_zero(levels), BddNode::mk_one(levels)])
    }

    fn add(&mut self, level: Level, low: BddPointer, high: BddPointer) -> BddPointer {
        self.0
            .push(BddNode::mk_node(BddVariable::from_index(level), low, high));
        BddPointer::from_index(self.0.len() - 1)
    }

    fn finish(self) -> Bdd {
        // `from_nodes` refuses a broken order of levels; every caller keeps it (sorted literals, interleaved copies).
        match Bdd::from_nodes(&self.0) {
            Ok(bdd) => bdd,
            Err(why) => unreachable!("nodes out of order: {why}"),
        }
    }
}
