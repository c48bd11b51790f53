//! Blocks that are transactions once some of their steps are weakened, or taken path by path.
//!
//! Elmas, Qadeer & Tasiran 2009 (A calculus of atomic actions): a step may be replaced by one that does more, if the
//! block as a whole, run without interruption, does not. A read of what others change may then give any value, and a
//! compare-and-swap may fail for no reason; neither has anything to do with other threads any more. Here all steps are
//! weakened together, and one comparison covers them: with the weaker steps and the block atomic, no state without a
//! thread inside is met that is not met with the block atomic as it is.
//!
//! The argument, for a program in which nothing goes wrong. Its executions are executions of the weakened program, and
//! each block in one that ends with no thread inside is complete. If each way through a block consists of right movers,
//! one step and left movers, those can be put together (Lipton 1975), whether or not steps are enabled elsewhere. So
//! the state is met with the weakened block atomic, and by the comparison with the block atomic as it is.
//!
//! Where this differs from the source: weaker steps are found, not given; and movers are steps along one path, not
//! actions. Movers are judged in a program of its own in which each path has a location, and nothing is protected, so
//! that no law needs the discipline.

use super::RUNGS;
use super::atomic::WhenAtomic;
use super::sections::{Section, sections};
use crate::base::control::{Control, Stop};
use crate::base::evidence::WeakPath;
use crate::engine::compiled::Mover;
use crate::engine::relations::Encoding;
use crate::model::program::{
    Claim, ClaimedBlock, Class, Command, Edge, LocId, Location, Named, Program, Thread, ThreadId,
};
use crate::theorem::invariants::Rung;
use crate::theorem::movers::{Detail, MoverSearch};
use crate::theorem::paths::{Known, Part, Path};
use crate::theorem::relocated::Relocated;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Paths that are weakened.
pub type Weaker = BTreeSet<WeakPath>;

/// What movers may cost for one claim, in pairs of nodes.
const WORK: u64 = 1 << 20;

/// States that are explored with the block atomic, as it is and with weaker steps, at most.
const STATES: usize = 1 << 15;

/// What is known at a point of a block: the location, whether it has committed, and the thread's own variables.
type Point = (LocId, bool, Known);

/// Points of a block at most.
const POINTS: usize = 1 << 12;

/// The paths that are weakened, if a claim holds with some: none if it is enough to take the block path by path.
/// Nothing goes wrong in the program.
///
/// # Errors
/// Any [`Stop`] but those of BDDs, which leave the claim open.
pub fn by_weakening(
    program: &Program,
    claim: &Claim,
    control: &Control,
) -> Result<Option<Weaker>, Stop> {
    let work = Cell::new(WORK);
    let all = choices(program, claim, &work, control)?;
    // What is cheap for one may be enough for it, so that dear rungs are not tried in vain for another.
    for highest in [Rung::LockOwnership, Rung::Reachable] {
        for weaker in &all {
            let Some(block) = Block::new(program, claim, weaker, &work) else {
                continue;
            };
            if let Some(rung) = block.transaction(weaker, highest, control)? {
                return block.needed(weaker.clone(), rung, control).map(Some);
            }
        }
    }
    Ok(None)
}

/// What may be weakened together, each as much as can be: in the block as it stands, then with its sections as steps.
fn choices(
    program: &Program,
    claim: &Claim,
    work: &Cell<u64>,
    control: &Control,
) -> Result<Vec<Weaker>, Stop> {
    let mut found: Vec<Weaker> = Vec::new();
    let Some(paths) = Path::all(program, claim) else {
        return Ok(found);
    };
    let most = STATES.min(control.budget().states);
    let sections = sections(program, claim, &paths);
    let joined = sections.iter().flat_map(|s| &s.joined);
    let joined: Weaker = joined.filter(|p| p.weak.is_some()).map(key).collect();
    let mut atomic = None;
    let with_sections = Some(joined).filter(|joined| !joined.is_empty());
    for sections in std::iter::once(Weaker::new()).chain(with_sections) {
        let Some(block) = Block::new(program, claim, &sections, work) else {
            continue;
        };
        let all = block.can_be_weakened();
        if atomic.is_none() && !all.is_empty() {
            atomic = WhenAtomic::new(program, claim, most, control)?;
        }
        let forward: Vec<WeakPath> = all.iter().copied().collect();
        let backward: Vec<WeakPath> = all.iter().rev().copied().collect();
        for order in [forward, backward] {
            let weaker = match &atomic {
                Some(atomic) => block.largest(&order, atomic, most, control)?,
                None => Weaker::new(),
            };
            if !found.contains(&weaker) {
                found.push(weaker);
            }
        }
    }
    Ok(found)
}

fn key(path: &Path) -> WeakPath {
    WeakPath {
        start: path.span.start,
        end: path.span.end,
        way: path.way,
    }
}

/// A program in which the paths of a block are edges of their own.
pub struct Divided {
    /// The program.
    pub program: Program,
    /// The claim.
    pub claim: Claim,
    /// The edges of sections that are steps of their own: a step of the program stands for each way along these.
    pub inner: BTreeSet<(ThreadId, LocId, usize)>,
}

/// The program and the claim with each path of the block an edge of its own, weakened if it is among these, and without
/// discipline; none if a step has too many paths, or one of these is none that can be weakened. A section of which a
/// way is weakened has an edge for each of its ways besides.
pub fn by_path(program: &Program, claim: &Claim, weaker: &Weaker) -> Option<Divided> {
    let work = Cell::new(0);
    let block = Block::new(program, claim, weaker, &work)?;
    let made = weaker
        .is_subset(&block.can_be_weakened())
        .then(|| block.by_path(weaker))?;
    let inner = block.inner.iter().map(|&n| {
        let path = &block.paths[n];
        (path.thread, path.from, made.edges[n])
    });
    Some(Divided {
        inner: inner.collect(),
        program: made.program,
        claim: made.claim,
    })
}

/// A claimed block, path by path.
struct Block<'p> {
    program: &'p Program,
    claim: &'p Claim,
    /// The paths, and behind them the ways through sections as paths.
    paths: Vec<Path>,
    /// The sections that are steps of their own.
    sections: Vec<Section>,
    /// The paths in them.
    inner: BTreeSet<usize>,
    /// What is left of the work for movers.
    work: &'p Cell<u64>,
}

/// The program in which each path is an edge of its own.
struct ByPath {
    program: Program,
    claim: Claim,
    /// By path: its number at its location.
    edges: Vec<usize>,
}

/// The program in which each path has a location of its own.
struct Placed {
    program: Program,
    /// By path: where it begins there.
    at: Vec<LocId>,
}

impl<'p> Block<'p> {
    /// A block in which the sections that have a way among these are steps; none if a step has too many paths.
    fn new(
        program: &'p Program,
        claim: &'p Claim,
        weaker: &Weaker,
        work: &'p Cell<u64>,
    ) -> Option<Self> {
        let mut paths = Path::all(program, claim)?;
        let mut sections = sections(program, claim, &paths);
        sections.retain(|s| s.joined.iter().any(|p| weaker.contains(&key(p))));
        paths.extend(sections.iter().flat_map(|s| s.joined.iter().cloned()));
        Some(Block {
            program,
            claim,
            paths,
            inner: sections.iter().flat_map(|s| s.inner.clone()).collect(),
            sections,
            work,
        })
    }

    /// The paths that can be weakened.
    fn can_be_weakened(&self) -> Weaker {
        let paths = self.paths.iter().enumerate();
        let weak = paths.filter(|(n, p)| p.weak.is_some() && !self.inner.contains(n));
        weak.map(|(_, p)| key(p)).collect()
    }

    /// Whether a path is weakened.
    fn is_weak(&self, path: &Path, weaker: &Weaker) -> bool {
        path.weak.is_some() && weaker.contains(&key(path))
    }

    /// What a path does.
    fn parts<'a>(&self, path: &'a Path, weaker: &Weaker) -> &'a [Part] {
        match &path.weak {
            Some(weak) if self.is_weak(path, weaker) => weak,
            _ => &path.parts,
        }
    }

    /// As many paths as can be weakened, taken in this order, while the block run without interruption does the same.
    fn largest(
        &self,
        order: &[WeakPath],
        atomic: &WhenAtomic,
        most: usize,
        control: &Control,
    ) -> Result<Weaker, Stop> {
        let has_all_of = |weaker: &Weaker| {
            let made = self.by_path(weaker);
            atomic.has_all_of(&made.program, &made.claim, most, control)
        };
        let all: Weaker = order.iter().copied().collect();
        if has_all_of(&all)? {
            return Ok(all);
        }
        let mut weaker = Weaker::new();
        for &place in order {
            weaker.insert(place);
            if !has_all_of(&weaker)? {
                weaker.remove(&place);
            }
        }
        Ok(weaker)
    }

    /// Those of them that have to be weakened.
    fn needed(&self, mut weaker: Weaker, rung: Rung, control: &Control) -> Result<Weaker, Stop> {
        for place in weaker.clone() {
            weaker.remove(&place);
            let block = Block::new(self.program, self.claim, &weaker, self.work);
            let holds = match block {
                Some(block) => block.transaction(&weaker, rung, control)?.is_some(),
                None => false,
            };
            if !holds {
                weaker.insert(place);
            }
        }
        Ok(weaker)
    }

    /// The rung, up to this one, on which the block consists of right movers, one step, and left movers, whichever way
    /// is taken.
    fn transaction(
        &self,
        weaker: &Weaker,
        highest: Rung,
        control: &Control,
    ) -> Result<Option<Rung>, Stop> {
        let divided = self.divided(weaker);
        let encoded = Encoding::within(&divided.program, self.work.get(), control);
        let found = encoded.and_then(|e| {
            let found = self.climbed(&e, &divided, weaker, highest);
            self.work.set(self.work.get().saturating_sub(e.m.work()));
            found
        });
        match found {
            Err(Stop::Nodes | Stop::Effort | Stop::Variables) => Ok(None),
            found => found,
        }
    }

    fn climbed(
        &self,
        e: &Encoding,
        divided: &Placed,
        weaker: &Weaker,
        highest: Rung,
    ) -> Result<Option<Rung>, Stop> {
        let mut asked: Vec<usize> = Vec::new();
        // By path: its action among those asked for.
        let mut numbers = Vec::new();
        for (path, &l) in self.paths.iter().zip(&divided.at) {
            let Some(action) = e.action_at(path.thread, l) else {
                return Ok(None);
            };
            let known = asked.iter().position(|&a| a == action);
            numbers.push(known.unwrap_or(asked.len()));
            if known.is_none() {
                asked.push(action);
            }
        }
        let rungs: Vec<Rung> = Rung::ALL.into_iter().filter(|r| *r <= highest).collect();
        MoverSearch::new(e, Detail::Class, RUNGS)?.climbed(&asked, &rungs, &mut |movers| {
            let of: Vec<Mover> = numbers.iter().map(|&n| movers[n]).collect();
            let mut blocks = self.claim.blocks.iter();
            self.are_transactions(&of) && blocks.all(|block| self.has_pattern(block, weaker, &of))
        })
    }

    /// Whether each way through each section is right movers, one step, and left movers.
    fn are_transactions(&self, movers: &[Mover]) -> bool {
        let mut ways = self.sections.iter().flat_map(|s| &s.ways);
        ways.all(|way| {
            let of = way.iter().map(|&n| movers[n]);
            let mut behind = of.skip_while(|mover| mover.right).skip(1);
            behind.all(|mover| mover.left)
        })
    }

    /// Follows all ways through a block, as far as the thread's own variables allow them.
    fn has_pattern(&self, block: &ClaimedBlock, weaker: &Weaker, movers: &[Mover]) -> bool {
        let start = |l: &LocId| (*l, false, Known::default());
        let mut open: Vec<Point> = block.entries.iter().map(start).collect();
        let mut met: BTreeSet<Point> = open.iter().cloned().collect();
        while let Some((l, committed, known)) = open.pop() {
            let all = self.paths.iter().zip(movers).enumerate();
            for (n, (path, mover)) in all {
                if (path.thread, path.from) != (block.thread, l) || self.inner.contains(&n) {
                    continue;
                }
                let parts = self.parts(path, weaker);
                let Some(behind) = known.behind(self.program, path.thread, parts) else {
                    continue;
                };
                if committed && !mover.left {
                    return false;
                }
                let Some(to) = path.to.filter(|to| block.inside.binary_search(to).is_ok()) else {
                    continue;
                };
                let point = (to, committed || !mover.right, behind);
                if met.insert(point.clone()) {
                    open.push(point);
                }
                if met.len() > POINTS {
                    return false;
                }
            }
        }
        true
    }

    /// The program and the claim with each path of the block an edge of its own, and without discipline.
    fn by_path(&self, weaker: &Weaker) -> ByPath {
        let mut program = self.program.clone();
        program.protections.clear();
        let arrays = program.arrays.iter_mut().map(|a| &mut a.class);
        let classes = arrays.chain(program.cells.iter_mut().map(|c| &mut c.class));
        for class in classes.filter(|c| **c == Class::Protected) {
            *class = Class::Unprotected { declared: true };
        }
        let mut claim = self.claim.clone();
        for block in &mut claim.blocks {
            block.edges.clear();
        }
        // Steps that do not belong to the block keep their order, and come first.
        for (t, thread) in program.threads.iter_mut().enumerate() {
            for (l, location) in thread.locations.iter_mut().enumerate() {
                let mut number = 0..;
                let own = |n: usize| {
                    let mut paths = self.paths.iter();
                    paths.any(|p| (p.thread, p.from, p.edge) == (t, l, n))
                };
                location
                    .edges
                    .retain(|_| number.next().is_some_and(|n| !own(n)));
            }
        }
        let mut edges = Vec::new();
        for path in &self.paths {
            let all = &mut program.threads[path.thread].locations[path.from].edges;
            edges.push(all.len());
            for block in claim.blocks.iter_mut().filter(|b| b.thread == path.thread) {
                block.edges.push((path.from, all.len()));
            }
            all.push(path.as_edge(self.is_weak(path, weaker)));
        }
        for block in &mut claim.blocks {
            block.edges.sort_unstable();
        }
        ByPath {
            program,
            claim,
            edges,
        }
    }

    /// The program with a location for each path.
    fn divided(&self, weaker: &Weaker) -> Placed {
        let made = self.by_path(weaker);
        let mut base = made.program;
        let mut at = vec![0; self.paths.len()];
        let mut copies: Vec<BTreeMap<LocId, Vec<LocId>>> = Vec::new();
        for (t, thread) in base.threads.iter_mut().enumerate() {
            copies.push(self.divide(t, thread, &made.edges, &mut at));
        }
        // Where a thread begins at a location with copies, a step of its own chooses one of them. Before that it is
        // at the location, as far as anybody asks.
        let mut asked = copies.clone();
        for (thread, asked) in base.threads.iter_mut().zip(&mut asked) {
            let copies = asked.entry(thread.initial).or_default();
            if copies.len() > 1 {
                let first = chooses(thread);
                copies.push(first);
                thread.initial = first;
            }
        }
        let (going, relocated) = (Relocated { copies }, Relocated { copies: asked });
        let threads = base.threads.iter().enumerate();
        let threads = threads
            .map(|(t, thread)| led(t, thread, &going, &relocated))
            .collect();
        Placed {
            program: relocated.program(&base, threads),
            at,
        }
    }

    /// Gives each path of a thread's blocks a location; where the copies of each location are.
    fn divide(
        &self,
        t: ThreadId,
        thread: &mut Thread,
        edges: &[usize],
        at: &mut [LocId],
    ) -> BTreeMap<LocId, Vec<LocId>> {
        let mut copies: BTreeMap<LocId, Vec<LocId>> =
            (0..thread.locations.len()).map(|l| (l, vec![l])).collect();
        for l in 0..thread.locations.len() {
            let here: Vec<usize> = (0..self.paths.len())
                .filter(|&n| self.paths[n].thread == t && self.paths[n].from == l)
                .collect();
            // Steps of the thread's own are not worth locations, nor is a path that is alone.
            let whole = here.len() == thread.locations[l].edges.len();
            if whole && (here.len() == 1 || here.iter().all(|&n| !self.paths[n].shares)) {
                here.iter().for_each(|&n| at[n] = l);
                continue;
            }
            for &n in &here {
                at[n] = thread.locations.len();
                copies.entry(l).or_default().push(at[n]);
                let original = &thread.locations[l];
                let copy = Location {
                    name: format!("{} (path {})", original.name, at[n]),
                    edges: vec![original.edges[edges[n]].clone()],
                    span: original.span,
                    named: Named::Copy,
                };
                thread.locations.push(copy);
            }
            // The paths are the last ones.
            let others = thread.locations[l].edges.len() - here.len();
            thread.locations[l].edges.truncate(others);
        }
        copies
    }
}

/// Adds a location from which a thread goes to where it began.
fn chooses(thread: &mut Thread) -> LocId {
    let span = thread.locations[thread.initial].span;
    thread.locations.push(Location {
        name: "first".into(),
        edges: vec![Edge {
            guard: None,
            body: vec![Command::Goto(thread.initial)],
            span,
        }],
        span,
        named: Named::Rest,
    });
    thread.locations.len() - 1
}

/// A thread that goes to any copy of a location where it went to the location.
fn led(t: ThreadId, thread: &Thread, going: &Relocated, relocated: &Relocated) -> Thread {
    let goto = |to: LocId| {
        let ways = going.all(t, &[to]).into_iter().map(Command::Goto);
        let mut ways: Vec<Command> = ways.collect();
        match ways.len() {
            1 => ways.remove(0),
            _ => Command::Choose(ways.into_iter().map(|way| vec![way]).collect()),
        }
    };
    let mut led = thread.clone();
    for location in &mut led.locations {
        for edge in &mut location.edges {
            edge.guard = edge.guard.as_ref().map(|e| relocated.expr(e));
            edge.body = relocated.commands(&edge.body, &goto);
        }
    }
    let labels = led.labels.iter_mut();
    labels.for_each(|(_, locations)| *locations = relocated.all(t, locations));
    led
}
