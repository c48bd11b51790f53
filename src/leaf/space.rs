//! The sets of a bundle, as sets of concrete states.
//!
//! A diagram is walked directly, without the BDD package. Codes that stand for no value are in no set, whatever the diagram says.

use crate::bundle::{Bundle, Diagrams, FALSE, Item, Root, TRUE};
use crate::explore::State;
use crate::program::Program;
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

/// An item with more values is not gone through one by one.
const MOST_VALUES: u64 = 1 << 16;
/// Nor is a state with more items, so that recursion over them is safe.
const MOST_ITEMS: usize = 4000;

impl<'a> Space<'a> {
    /// Finds the items in the program.
    ///
    /// # Errors
    /// If they are not exactly the components of its state, or a diagram has more bits.
    pub fn new(program: &'a Program, bundle: &'a Bundle) -> Result<Self, &'static str> {
        let cells = program.cells.iter().map(|c| c.name.as_str());
        let cells: FxHashMap<&str, usize> = cells.zip(0..).collect();
        let threads = program.threads.iter().map(|t| t.name.as_str());
        let threads: FxHashMap<&str, usize> = threads.zip(0..).collect();
        let (mut places, mut owner, mut first) = (Vec::<Place>::new(), Vec::new(), 0u32);
        for item in &bundle.items {
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
        if bundle.diagrams.nodes().iter().any(|n| n.bit >= first) {
            return Err("a node looks at a bit that there is not");
        }
        Ok(Space {
            program,
            diagrams: &bundle.diagrams,
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
        let mut view = View {
            space: self,
            fixed: Some((s, given)),
            counts: FxHashMap::default(),
            work: 1 << 22,
        };
        // Out of bounds counts as found: then the state is judged, which can only be too strict.
        view.count(0, set).is_none_or(|n| n > 0)
    }

    /// How many states a set has; `None` if that is not easily said. Saturates.
    pub fn count(&self, set: Root) -> Option<u64> {
        self.view().count(0, set)
    }

    /// Nodes in the diagram of a set.
    pub fn size(&self, set: Root) -> usize {
        self.diagrams.below(set).len()
    }

    fn view(&self) -> View<'_, 'a> {
        View {
            space: self,
            fixed: None,
            counts: FxHashMap::default(),
            work: 1 << 24,
        }
    }

    /// Calls `visit` with each state of a set; the set must have been counted.
    pub fn each<B>(
        &self,
        set: Root,
        visit: &mut dyn FnMut(&Marked) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut view = self.view();
        view.count(0, set);
        let mut cells: Vec<i64> = self.program.cells.iter().map(|c| c.ty.lo).collect();
        let mut locations = vec![0; self.program.threads.len()];
        self.states(
            &view,
            0,
            set,
            (&mut cells, &mut locations, &mut false),
            visit,
        )
    }

    fn states<B>(
        &self,
        view: &View,
        at: usize,
        node: Root,
        values: (&mut Vec<i64>, &mut Vec<usize>, &mut bool),
        visit: &mut dyn FnMut(&Marked) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (cells, locations, violated) = values;
        let Some(place) = self.places.get(at) else {
            return visit(&Marked {
                state: State::new(cells, locations),
                violated: *violated,
            });
        };
        for code in 0..place.values {
            let next = self.follow(place, node, code);
            if next == FALSE || view.counts.get(&(at + 1, next)) == Some(&0) {
                continue;
            }
            match place.part {
                Part::Violated => *violated = code == 1,
                Part::Location(t) => locations[t] = code as usize,
                Part::Cell(c) => cells[c] = self.program.cells[c].ty.lo + code as i64,
            }
            self.states(view, at + 1, next, (cells, locations, violated), visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Where a node leads if an item has this code.
    fn follow(&self, place: &Place, mut node: Root, code: u64) -> Root {
        while let Some(n) = self.diagrams.node(node) {
            if n.bit >= place.first + place.width {
                break;
            }
            let shift = place.width - 1 - (n.bit - place.first);
            node = if code >> shift & 1 == 1 {
                n.high
            } else {
                n.low
            };
        }
        node
    }
}

/// Counting, with what is known already.
struct View<'v, 'a> {
    space: &'v Space<'a>,
    /// Parts that have the values of this state.
    fixed: Option<(&'v Marked, &'v dyn Fn(Part) -> bool)>,
    counts: FxHashMap<(usize, Root), u64>,
    work: u64,
}

impl View<'_, '_> {
    /// States below a node, counted from this item on.
    fn count(&mut self, at: usize, node: Root) -> Option<u64> {
        let space = self.space;
        if space.places.len() > MOST_ITEMS {
            return None;
        }
        if node == FALSE {
            return Some(0);
        }
        let Some(place) = space.places.get(at) else {
            return Some(1);
        };
        if let Some(&known) = self.counts.get(&(at, node)) {
            return Some(known);
        }
        let fixed = self.fixed.filter(|(_, given)| given(place.part));
        let passes = space
            .diagrams
            .node(node)
            .is_none_or(|n| n.bit >= place.first + place.width);
        let n = if let Some((s, _)) = fixed {
            let next = space.follow(place, node, space.code(place.part, s));
            self.count(at + 1, next)?
        } else if passes {
            place.values.saturating_mul(self.count(at + 1, node)?)
        } else {
            if place.values > MOST_VALUES {
                return None;
            }
            self.work = self.work.checked_sub(place.values)?;
            let mut sum = 0u64;
            for code in 0..place.values {
                let next = space.follow(place, node, code);
                sum = sum.saturating_add(self.count(at + 1, next)?);
            }
            sum
        };
        self.counts.insert((at, node), n);
        Some(n)
    }
}
