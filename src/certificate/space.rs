//! The sets of a bundle, as sets of concrete states.
//!
//! A diagram is walked directly, without the BDD package. Codes that stand for no value are in no set, whatever the
//! diagram says.

use crate::base::evidence::{Diagrams, FALSE, Item, Root, TRUE};
use crate::engine::State;
use crate::model::program::Program;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// What an item is on the program at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// q.
    Violated,
    /// A thread's location.
    Location(usize),
    /// A cell.
    Cell(usize),
}

/// An item with its bits.
#[derive(Clone, Copy, Debug)]
struct Place {
    part: Part,
    first: u32,
    width: u32,
    values: u64,
}

/// A state with q.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Marked {
    /// The program state.
    pub state: State,
    /// Whether q holds.
    pub violated: bool,
}

/// The program's states under the bundle's order of items.
pub struct Space<'a> {
    program: &'a Program,
    diagrams: &'a Diagrams,
    places: Vec<Place>,
    /// The place that each bit belongs to.
    owner: Vec<u32>,
}

/// A state with more items is not gone through, so that recursion over them is safe.
const MOST_ITEMS: usize = 4000;

impl<'a> Space<'a> {
    /// Finds the items in the program.
    ///
    /// # Errors
    /// If they are not exactly the components of its state, or a diagram has more bits.
    pub fn new(
        program: &'a Program,
        part: &'a crate::base::evidence::Part,
    ) -> Result<Self, &'static str> {
        let cells = program.cells.iter().map(|c| c.name.as_str());
        let cells: FxHashMap<&str, usize> = cells.zip(0..).collect();
        let threads = program.threads.iter().map(|t| t.name.as_str());
        let threads: FxHashMap<&str, usize> = threads.zip(0..).collect();
        let (mut places, mut owner, mut first) = (Vec::<Place>::new(), Vec::new(), 0u32);
        for item in &part.items {
            let missing = "an item that is no part of the model's state";
            let (part, values) = match item {
                Item::Violated => (Part::Violated, 2),
                Item::Location(t) => {
                    let t = *threads.get(t.as_str()).ok_or(missing)?;
                    let all = program.threads[t].locations.len() as u64;
                    (Part::Location(t), all)
                }
                Item::Cell(c) => {
                    let c = *cells.get(c.as_str()).ok_or(missing)?;
                    (Part::Cell(c), program.cells[c].ty.size())
                }
            };
            let width = 64 - values.saturating_sub(1).leading_zeros();
            owner.extend(std::iter::repeat_n(places.len() as u32, width as usize));
            places.push(Place {
                part,
                first,
                width,
                values,
            });
            first += width;
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let key = |p: Part| match p {
            Part::Violated => (0, 0),
            Part::Location(t) => (1, t),
            Part::Cell(c) => (2, c),
        };
        let all = 1 + program.threads.len() + program.cells.len();
        if !places.iter().all(|p| seen.insert(key(p.part))) || places.len() != all {
            return Err("the items are not those of the model's state, each once");
        }
        if part.diagrams.nodes().iter().any(|n| n.bit >= first) {
            return Err("a node looks at a bit that there is not");
        }
        Ok(Space {
            program,
            diagrams: &part.diagrams,
            places,
            owner,
        })
    }

    /// The items in their order.
    pub fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        self.places.iter().map(|p| p.part)
    }

    fn code(&self, part: Part, s: &Marked) -> u64 {
        match part {
            Part::Violated => u64::from(s.violated),
            Part::Location(t) => s.state.location(t) as u64,
            Part::Cell(c) => (s.state.cell(c) - self.program.cells[c].ty.lo) as u64,
        }
    }

    /// Whether a state belongs to a set.
    pub fn has(&self, set: Root, s: &Marked) -> bool {
        self.walk(set, |part| self.code(part, s))
    }

    fn walk(&self, set: Root, code: impl Fn(Part) -> u64) -> bool {
        let mut at = set;
        while let Some(node) = self.diagrams.node(at) {
            let place = &self.places[self.owner[node.bit as usize] as usize];
            let shift = place.width - 1 - (node.bit - place.first);
            at = match code(place.part) >> shift & 1 {
                1 => node.high,
                _ => node.low,
            };
        }
        at == TRUE
    }

    /// Whether a set has a state that agrees with `s` on the parts for which `given` says so.
    pub fn has_some(&self, set: Root, s: &Marked, given: &dyn Fn(Part) -> bool) -> bool {
        let mut view: View<u64> = View::new(self, 1 << 22);
        view.fixed = Some((s, given));
        // Out of bounds counts as found: then the state is judged, which can only be too strict.
        view.count(0, set, true).is_none_or(|n| n > 0)
    }

    /// How many states a set has; `None` if that is not easily said. Saturates.
    pub fn count(&self, set: Root) -> Option<u64> {
        View::new(self, 1 << 22).count(0, set, true)
    }

    /// How many states a set has, exactly; `None` if that is not easily said.
    pub fn cardinality(&self, set: Root) -> Option<BigUint> {
        View::new(self, 1 << 22).count(0, set, true)
    }

    /// Nodes in the diagram of a set.
    pub fn size(&self, set: Root) -> usize {
        self.diagrams.below(set).len()
    }

    /// Calls `visit` with each state of a set; the set must have been counted.
    pub fn each<B>(
        &self,
        set: Root,
        visit: &mut dyn FnMut(&Marked) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut view: View<u64> = View::new(self, 1 << 22);
        view.count(0, set, true);
        let present = Present {
            cells: self.program.cells.iter().map(|c| c.ty.lo).collect(),
            locations: vec![0; self.program.threads.len()],
            violated: false,
        };
        let mut walk = Walk {
            view,
            present,
            visit,
        };
        walk.states((0, set, true), 0)
    }

    /// Bits of a state.
    fn bits(&self) -> u32 {
        self.owner.len() as u32
    }

    /// Where a bit lies: its item, whether it may be 1 after bits that are the greatest code's so far, and whether it
    /// is the item's last.
    fn bit(&self, bit: u32) -> Bit<'_> {
        let place = &self.places[self.owner[bit as usize] as usize];
        let shift = place.width - 1 - (bit - place.first);
        Bit {
            place,
            shift,
            greatest: (place.values - 1) >> shift & 1 == 1,
        }
    }

    /// Where a node leads if a bit is 0 or 1.
    fn child(&self, bit: u32, node: Root, one: bool) -> Root {
        match self.diagrams.node(node) {
            Some(n) if n.bit == bit => match one {
                true => n.high,
                false => n.low,
            },
            _ => node,
        }
    }
}

/// A bit in its item.
struct Bit<'a> {
    place: &'a Place,
    shift: u32,
    greatest: bool,
}

impl Bit<'_> {
    /// Whether the codes so far are those of the greatest one, if they were before this bit; the next item begins anew.
    /// `None` if no code goes on that way.
    fn after(&self, tight: bool, one: bool) -> Option<bool> {
        match (tight, one, self.greatest) {
            (true, true, false) => None,
            _ => Some(self.shift == 0 || tight && one == self.greatest),
        }
    }
}

/// A number of states.
trait Number: Clone {
    fn zero() -> Self;
    fn one() -> Self;
    fn plus(self, other: Self) -> Self;
}

impl Number for u64 {
    fn zero() -> Self {
        0
    }

    fn one() -> Self {
        1
    }

    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl Number for BigUint {
    fn zero() -> Self {
        BigUint::ZERO
    }

    fn one() -> Self {
        BigUint::from(1u32)
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// A node, the bit that comes next, and whether the code of its item is that of the greatest value so far.
type Position = (u32, Root, bool);

/// Counting, with what is known already.
struct View<'v, 'a, N> {
    space: &'v Space<'a>,
    /// Parts that have the values of this state.
    fixed: Option<(&'v Marked, &'v dyn Fn(Part) -> bool)>,
    counts: FxHashMap<Position, N>,
    work: u64,
}

impl<'v, 'a, N: Number> View<'v, 'a, N> {
    fn new(space: &'v Space<'a>, work: u64) -> Self {
        View {
            space,
            fixed: None,
            counts: FxHashMap::default(),
            work,
        }
    }

    /// States below a node, counted from this bit on.
    fn count(&mut self, bit: u32, node: Root, tight: bool) -> Option<N> {
        if self.space.places.len() > MOST_ITEMS {
            return None;
        }
        if node == FALSE {
            return Some(N::zero());
        }
        if bit == self.space.bits() {
            return Some(N::one());
        }
        if let Some(known) = self.counts.get(&(bit, node, tight)) {
            return Some(known.clone());
        }
        self.work = self.work.checked_sub(1)?;
        let here = self.space.bit(bit);
        let fixed = self.fixed.filter(|(_, given)| given(here.place.part));
        let fixed = fixed.map(|(s, _)| self.space.code(here.place.part, s) >> here.shift & 1 == 1);
        let mut sum = N::zero();
        for one in [false, true] {
            if let (None | Some(true), Some(tight)) =
                (fixed.map(|f| f == one), here.after(tight, one))
            {
                let next = self.space.child(bit, node, one);
                sum = sum.plus(self.count(bit + 1, next, tight)?);
            }
        }
        self.counts.insert((bit, node, tight), sum.clone());
        Some(sum)
    }
}

/// A state that is being put together.
struct Present {
    cells: Vec<i64>,
    locations: Vec<usize>,
    violated: bool,
}

/// Going through all states of a set.
struct Walk<'w, 'v, 'a, B> {
    view: View<'v, 'a, u64>,
    present: Present,
    visit: &'w mut dyn FnMut(&Marked) -> ControlFlow<B>,
}

impl<B> Walk<'_, '_, '_, B> {
    /// The states below a position; `code` is that of the present item so far.
    fn states(&mut self, (bit, node, tight): Position, code: u64) -> ControlFlow<B> {
        let space = self.view.space;
        if node == FALSE || self.view.counts.get(&(bit, node, tight)) == Some(&0) {
            return ControlFlow::Continue(());
        }
        if bit == space.bits() {
            return (self.visit)(&Marked {
                state: State::new(&self.present.cells, &self.present.locations),
                violated: self.present.violated,
            });
        }
        let here = space.bit(bit);
        let (part, is_last) = (here.place.part, here.shift == 0);
        for one in [false, true] {
            let Some(tight) = here.after(tight, one) else {
                continue;
            };
            let code = code << 1 | u64::from(one);
            if is_last {
                match part {
                    Part::Violated => self.present.violated = one,
                    Part::Location(t) => self.present.locations[t] = code as usize,
                    Part::Cell(c) => {
                        self.present.cells[c] = space.program.cells[c].ty.lo + code as i64;
                    }
                }
            }
            let next = space.child(bit, node, one);
            let code = if is_last { 0 } else { code };
            self.states((bit + 1, next, tight), code)?;
        }
        ControlFlow::Continue(())
    }
}
