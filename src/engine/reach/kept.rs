//! The reachable states as diagrams of a bundle: what shows that nothing else is reached.
//!
//! The bits are those of [`crate::base::evidence::Diagrams`]: q first, then the variables in the order of the
//! exploration, each most significant bit first.

use crate::base::control::{Control, Stop};
use crate::base::evidence::{Diagrams, FALSE, Node, Root, TRUE};
use crate::engine::Variable;
use crate::engine::compiled::{Compiled, ExplicitSearch};
use crate::engine::diagrams::{self, DONE, EMPTY, range};
use crate::engine::interpreter::State;
use crate::model::program::Program;
use rustc_hash::FxHashMap;

/// A set of states in which nothing is violated.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The variables from the top.
    pub order: Vec<Variable>,
    /// The nodes.
    pub diagrams: Diagrams,
    /// The set.
    pub root: Root,
}

/// Bits of the variables of an order.
struct Bits {
    /// First bit and number of bits, by level.
    places: Vec<(u32, u32)>,
}

impl Bits {
    fn new(program: &Program, order: &[Variable]) -> Self {
        let mut first = 1;
        let places = order.iter().map(|v| {
            let (lo, hi) = range(program, *v);
            let width = u64::BITS - ((hi - lo) as u64).leading_zeros();
            let place = (first, width);
            first += width;
            place
        });
        Bits {
            places: places.collect(),
        }
    }

    /// Bits in all, q included.
    fn all(&self) -> u32 {
        self.places.last().map_or(1, |(first, width)| first + width)
    }
}

/// A node; one that decides nothing is what lies below it.
fn add(diagrams: &mut Diagrams, bit: u32, low: Root, high: Root) -> Result<Root, Stop> {
    // Nodes are made from below, so it fails only if there are too many.
    diagrams
        .add(Node { bit, low, high })
        .map_err(|_| Stop::Nodes)
}

/// What is kept: nothing is violated in it.
fn calm(mut diagrams: Diagrams, order: &[Variable], below: Root) -> Result<Kept, Stop> {
    let root = add(&mut diagrams, 0, below, FALSE)?;
    Ok(Kept {
        order: order.to_vec(),
        diagrams,
        root,
    })
}

/// A set of the decision diagrams.
///
/// # Errors
/// Any [`Stop`].
pub(super) fn from_diagrams(
    space: &diagrams::Space,
    engine: &diagrams::Engine,
    set: diagrams::Node,
) -> Result<Kept, Stop> {
    let bits = Bits::new(space.program, &space.order);
    let mut made = Made {
        engine,
        bits: &bits,
        known: FxHashMap::default(),
        diagrams: Diagrams::default(),
    };
    let root = made.node(set)?;
    calm(made.diagrams, &space.order, root)
}

struct Made<'a, 'c> {
    engine: &'a diagrams::Engine<'c>,
    bits: &'a Bits,
    known: FxHashMap<diagrams::Node, Root>,
    diagrams: Diagrams,
}

impl Made<'_, '_> {
    /// Without recursion on the depth of the diagram.
    fn node(&mut self, set: diagrams::Node) -> Result<Root, Stop> {
        self.known.insert(EMPTY, FALSE);
        self.known.insert(DONE, TRUE);
        let mut open = vec![set];
        while let Some(&node) = open.last() {
            let store = &self.engine.store;
            let children = || store.edges(node).iter().map(|e| e.child);
            let before = open.len();
            if !self.known.contains_key(&node) {
                open.extend(children().filter(|c| !self.known.contains_key(c)));
            }
            if open.len() > before {
                continue;
            }
            open.pop();
            if self.known.contains_key(&node) {
                continue;
            }
            self.engine.control.check()?;
            self.engine.control.nodes(self.diagrams.nodes().len())?;
            let edges: Vec<(u64, Root)> = store
                .edges(node)
                .iter()
                .map(|e| (u64::from(e.value), self.known[&e.child]))
                .collect();
            let (first, width) = self.bits.places[store.level(node) as usize];
            let root = values(&mut self.diagrams, first, width, &edges)?;
            self.known.insert(node, root);
        }
        Ok(self.known[&set])
    }
}

/// The node for values of a variable, ascending, each with what lies below it.
fn values(
    diagrams: &mut Diagrams,
    bit: u32,
    width: u32,
    edges: &[(u64, Root)],
) -> Result<Root, Stop> {
    match (edges, width) {
        ([], _) => Ok(FALSE),
        (&[(_, below), ..], 0) => Ok(below),
        _ => {
            let top = 1 << (width - 1);
            let middle = edges.partition_point(|(value, _)| value & top == 0);
            let low = values(diagrams, bit + 1, width - 1, &edges[..middle])?;
            let high = values(diagrams, bit + 1, width - 1, &edges[middle..])?;
            add(diagrams, bit, low, high)
        }
    }
}

/// The states of a search that has ended, which met no violation.
///
/// # Errors
/// Any [`Stop`].
pub(super) fn from_search(
    program: &Program,
    order: &[Variable],
    (compiled, search): (&Compiled, &ExplicitSearch),
    control: &Control,
) -> Result<Kept, Stop> {
    control.enter("the states as a diagram");
    let bits = Bits::new(program, order);
    let words = (bits.all() as usize).div_ceil(64);
    control.room(search.visited().saturating_mul(8 * words + 4))?;
    let mut all: Vec<u64> = Vec::new();
    search.each_state(&mut |state| {
        pack(
            program,
            order,
            &bits,
            &compiled.layout.unpack(state),
            words,
            &mut all,
        );
        control.check()
    })?;
    let mut sorted: Vec<u32> = (0..(all.len() / words) as u32).collect();
    let state = |n: u32| &all[n as usize * words..(n as usize + 1) * words];
    sorted.sort_unstable_by(|a, b| state(*a).cmp(state(*b)));
    let mut diagrams = Diagrams::default();
    let set = Sorted {
        all: &all,
        words,
        bits: bits.all(),
        control,
    };
    let root = set.node(&mut diagrams, 1, &sorted)?;
    calm(diagrams, order, root)
}

/// Appends a state's bits, the first the most significant of the first word.
fn pack(
    program: &Program,
    order: &[Variable],
    bits: &Bits,
    state: &State,
    words: usize,
    into: &mut Vec<u64>,
) {
    let begin = into.len();
    into.resize(begin + words, 0);
    for (v, &(first, width)) in order.iter().zip(&bits.places) {
        let code = match *v {
            Variable::Location(t) => state.location(t) as u64,
            Variable::Cell(c) => (state.cell(c) - program.cells[c].ty.lo) as u64,
        };
        for bit in 0..width {
            let at = (first + bit) as usize;
            into[begin + at / 64] |= (code >> (width - 1 - bit) & 1) << (63 - at % 64);
        }
    }
}

/// States in the order of their bits.
struct Sorted<'a> {
    all: &'a [u64],
    words: usize,
    bits: u32,
    control: &'a Control,
}

impl Sorted<'_> {
    /// The node for states that agree on all bits before this one. The stack is as deep as there are bits.
    fn node(&self, diagrams: &mut Diagrams, bit: u32, states: &[u32]) -> Result<Root, Stop> {
        if states.is_empty() {
            return Ok(FALSE);
        }
        if bit == self.bits {
            return Ok(TRUE);
        }
        self.control.check()?;
        let (word, mask) = ((bit / 64) as usize, 1 << (63 - bit % 64));
        let is_low = |n: &u32| self.all[*n as usize * self.words + word] & mask == 0;
        let middle = states.partition_point(is_low);
        let low = self.node(diagrams, bit + 1, &states[..middle])?;
        let high = self.node(diagrams, bit + 1, &states[middle..])?;
        add(diagrams, bit, low, high)
    }
}
