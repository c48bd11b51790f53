//! The exploration of all executions up to equivalence, on several cores.
//!
//! The work that is left is a tree of decisions (`node.rs`). In each round some of the open ways are handed out, in a
//! fixed order, each with a budget of executions. Each is explored depth first in a process of its own (`worker.rs`).
//! The results are put together in the same order: what was found, what is to be tried at decisions above, and which
//! decisions are left below. What a round hands out does not depend on how many processes there are, nor does the
//! result. A way is handed out only when the way before it at the same decision has taken its step: the accesses of
//! that step are needed to put its thread to sleep. The way before it may still be explored below. Then more is
//! explored in vain than by one process, so everything is in one piece at first.

use super::claims::Claims;
use super::filters::{self, Filters};
use super::findings::{DataRace, Endless, Found};
use super::history::{Late, Step};
use super::movers::Calls;
use super::node::Node;
use super::process::{Process, Promise};
use super::shared::MAX_SHOWN;
use super::stacks::Place;
use super::trace::Extras;
use super::worker::{self, Item, Known, Part};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// What to do, and for how long.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Go on after an error, to find all of them.
    pub keep_going: bool,
    /// Whether it is an error if no thread can go on; else such executions are kept apart.
    pub refute_stuck: bool,
    /// Every interleaving: no reduction at all.
    pub exhaustive: bool,
    /// Most preemptions of an execution.
    pub preemptions: Option<u32>,
    /// Most executions.
    pub executions: u64,
    /// Most steps of one execution.
    pub steps: u32,
    /// Most threads of one execution.
    pub threads: u32,
    /// Most bytes that the program allocates.
    pub memory: u64,
    /// Processor time for which a thread may compute without a step.
    pub patience: Duration,
    /// Whether the program keeps all its state in memory.
    pub reset: bool,
    /// How many processes explore at the same time. What is found does not depend on it.
    pub cores: usize,
    /// Executions that are handed out at once; [`PIECE`], but in tests.
    pub piece: u64,
    /// Steps that are made before anything is handed out; [`ALONE`], but in tests.
    pub alone: u64,
    /// What else may happen, and is an error.
    pub extras: Extras,
    /// Find out which functions are transactions.
    pub movers: bool,
    /// Explore with the thesis's filters instead.
    pub filters: Option<Filters>,
}

/// What was explored.
#[derive(Debug, Default)]
pub struct Exploration {
    /// Executions that came to an end: all different, up to equivalence.
    pub executions: u64,
    /// Those among them in which a thread had to wait actively.
    pub waited: u64,
    /// Executions that were given up, since all that was left was known.
    pub redundant: u64,
    /// Ways that were left out for what follows behind them.
    pub spared: u64,
    /// Executions in which an assumption failed.
    pub assumed: u64,
    /// Executions that ended at a limit.
    pub cut: u64,
    /// Alternatives that the bound on preemptions has excluded.
    pub bounded: u64,
    /// Different classes among the executions; counted with `exhaustive` only.
    pub classes: FxHashSet<u64>,
    /// Errors.
    pub errors: Vec<Found>,
    /// Deadlocks and livelocks, where they are no errors.
    pub stuck: Vec<Found>,
    /// Data races, one of each pair of places.
    pub races: Vec<DataRace>,
    /// What has ended the exploration, or an execution, too early.
    pub limits: Vec<String>,
    /// Steps of all executions.
    pub steps: u64,
    /// Steps of the longest.
    pub depth: usize,
    /// Whether threads were not created, since there were too many.
    pub crowded: bool,
    /// Bits of what is only a sample.
    pub sampled: u32,
    /// Whether all was explored.
    pub finished: bool,
    /// The most threads of an execution.
    pub threads: usize,
    /// Whether it has to begin anew.
    pub again: bool,
    /// The first thread that computes without end.
    pub endless: Option<Endless>,
    /// What was learnt about functions, if that is asked for.
    pub calls: Calls,
    /// What was learnt about blocks that are claimed to be atomic.
    pub claims: Claims,
    /// Executions that `main` ends while other threads wait for what nobody will do.
    pub left: u64,
    /// The first of them.
    pub left_as: Option<Found>,
    /// The call of what can't be controlled, with its place, that has ended the exploration.
    pub refused: Option<(String, u64)>,
    /// Where atomic operations are done that are weaker than sequentially consistent ones.
    pub weak: BTreeSet<u64>,
}

/// After so many executions that met a limit the exploration ends: most of them are the same again.
pub const MOST_CUT: u64 = 100;
/// Executions of each way that is handed out.
pub const PIECE: u64 = 64;
/// Steps that are made in one depth-first exploration first: in one, few executions are given up or none.
pub const ALONE: u64 = 1 << 20;
/// Steps that are made so at most.
const ALONE_AT_MOST: u64 = 1 << 22;
/// Ways that are handed out in a round.
const WAYS: usize = 32;
/// Those among them that depart least from the first execution, and newest first. There errors are found that going
/// depth first would come to after all orders of what is below.
const QUICK: usize = 8;
/// With so many open decisions only what is deep is handed out, so that they become fewer.
const MOST_OPEN: usize = 300_000;

/// Threads of a program that creates too many.
pub const FEW: u32 = 5;

/// Told now and then how far the exploration is; says whether to stop.
pub trait Watch {
    /// Called now and then.
    fn progress(&self, exploration: &Exploration);
    /// Why to stop, if so.
    fn stop(&self) -> Option<String>;
}

impl Exploration {
    /// All executions, however they end.
    pub fn made(&self) -> u64 {
        self.executions + self.redundant + self.assumed + self.cut
    }

    fn limit(&mut self, what: String) {
        if !self.limits.contains(&what) {
            self.limits.push(what);
        }
    }

    pub(super) fn add(&mut self, other: Exploration, known: &mut Known) {
        self.executions += other.executions;
        self.waited += other.waited;
        self.redundant += other.redundant;
        self.spared += other.spared;
        self.assumed += other.assumed;
        self.cut += other.cut;
        self.bounded += other.bounded;
        self.steps += other.steps;
        self.depth = self.depth.max(other.depth);
        self.threads = self.threads.max(other.threads);
        self.sampled |= other.sampled;
        self.crowded |= other.crowded;
        self.classes.extend(other.classes);
        self.endless = self.endless.or(other.endless);
        self.calls.merge(other.calls);
        self.left += other.left;
        self.left_as = self.left_as.take().or(other.left_as);
        self.refused = self.refused.take().or(other.refused);
        self.claims.merge(other.claims);
        self.weak.extend(other.weak);
        for limit in other.limits {
            self.limit(limit);
        }
        let mut races = other.races;
        races.retain(|race| known.races.insert(race.key()));
        self.races.append(&mut races);
        let mut errors = other.errors;
        errors.retain(|error| known.errors.insert(error.key()));
        self.errors.append(&mut errors);
        let mut stuck = other.stuck;
        stuck.retain(|found| known.errors.insert(found.key()));
        self.stuck.append(&mut stuck);
    }
}

/// A decision that is not done with.
struct Open {
    parent: Option<usize>,
    /// The step that leads to it; the first one has none.
    edge: Option<Step>,
    depth: usize,
    /// How often the way here departs from the first execution.
    departures: u32,
    /// When a quick way has led to one more way to take here.
    stamp: u64,
    node: Arc<Node>,
    /// Whether the step that leads to it comes late, and that need not be settled.
    late: Vec<Late>,
    /// Open decisions right below, and ways that are handed out.
    below: usize,
    handed_out: bool,
}

/// The tree of open decisions, by numbers that only grow: what is deep and new comes last.
#[derive(Default)]
struct Tree {
    open: BTreeMap<usize, Open>,
    /// Those that may have a way left to hand out.
    ready: BTreeSet<usize>,
    /// The same, by departures, and those that quick ways have led to first, the newest first.
    fresh: BTreeSet<(u32, Reverse<u64>, usize)>,
    next: usize,
    stamps: u64,
    /// What is taken back now is a quick way.
    quick: bool,
    /// Up to now everything was explored in one order, depth first.
    alone: bool,
    excluded: u64,
}

impl Tree {
    /// A decision has a way to take.
    fn add_ready(&mut self, at: usize) {
        if let Some(open) = self.open.get_mut(&at) {
            self.fresh
                .remove(&(open.departures, Reverse(open.stamp), at));
            if self.quick {
                // The results of a quick way go first: so a thread is moved before each of many others in turn.
                self.stamps += 1;
                open.stamp = self.stamps;
            }
            self.fresh
                .insert((open.departures, Reverse(open.stamp), at));
            self.ready.insert(at);
        }
    }

    fn remove_ready(&mut self, at: usize) {
        self.ready.remove(&at);
        if let Some(open) = self.open.get(&at) {
            self.fresh
                .remove(&(open.departures, Reverse(open.stamp), at));
        }
    }

    /// The steps that lead to a decision, with all decisions on the way.
    fn lead_to(&self, mut at: usize, item: &mut Item) {
        while let Some(open) = self.open.get(&at) {
            item.prefix.extend(open.edge.clone());
            item.above.push(Arc::clone(&open.node));
            item.late.extend(open.late.iter().cloned());
            match open.parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        item.prefix.reverse();
        item.above.reverse();
    }

    /// The decision at a depth, on the way to another one.
    fn above(&self, mut at: usize, depth: usize) -> Option<usize> {
        loop {
            let open = self.open.get(&at)?;
            if open.depth == depth {
                return Some(at);
            }
            at = open.parent?;
        }
    }

    /// Adds what is left below a decision; `edge` leads there.
    fn grow(&mut self, mut parent: Option<usize>, mut edge: Option<Step>, part: &mut Part) {
        let above = parent.and_then(|p| self.open.get(&p));
        let departures = above.map_or(0, |above| above.departures + 1);
        let (nodes, edges) = std::mem::take(&mut part.left);
        let mut edges = edges.into_iter();
        for node in nodes {
            let number = self.next;
            self.next += 1;
            let mut depth = 0;
            if let Some(above) = parent.and_then(|p| self.open.get_mut(&p)) {
                above.below += 1;
                depth = above.depth + 1;
            }
            let (late, others) = std::mem::take(&mut part.late)
                .into_iter()
                .partition(|late| late.at + 1 == depth);
            part.late = others;
            let open = Open {
                parent,
                edge,
                depth,
                departures,
                stamp: 0,
                node: Arc::new(node),
                late,
                below: 0,
                handed_out: false,
            };
            self.open.insert(number, open);
            self.add_ready(number);
            parent = Some(number);
            edge = edges.next();
        }
    }

    /// Forgets a decision with nothing left, and those above it that were waiting for it.
    fn prune(&mut self, mut at: usize) {
        while let Some(open) = self.open.get(&at) {
            if open.below > 0 || open.handed_out || self.ready.contains(&at) {
                return;
            }
            self.excluded += open.node.excluded();
            let parent = open.parent;
            self.open.remove(&at);
            let Some(parent) = parent else { return };
            if let Some(open) = self.open.get_mut(&parent) {
                open.below -= 1;
            }
            at = parent;
        }
    }

    /// Hands out ways, at most one of each decision, and says how many of them are quick ones.
    fn hand_out(&mut self, most: usize, preemptions: Option<u32>) -> (Vec<(usize, Item)>, usize) {
        let mut ways = Vec::new();
        if self.open.len() < MOST_OPEN && !self.alone {
            for (_, _, at) in self.fresh.clone() {
                if ways.len() == QUICK.min(most) {
                    break;
                }
                ways.extend(self.way(at, preemptions));
            }
        }
        let quick = ways.len();
        for at in self.ready.clone().into_iter().rev() {
            if ways.len() == most {
                break;
            }
            // In one order only what is deepest comes next: all is done below it.
            let next = self.open.get(&at).is_some_and(|open| open.below == 0);
            if next || !self.alone {
                ways.extend(self.way(at, preemptions));
            }
        }
        (ways, quick)
    }

    fn way(&mut self, at: usize, preemptions: Option<u32>) -> Option<(usize, Item)> {
        let open = self.open.get_mut(&at).filter(|open| !open.handed_out)?;
        let Some(branch) = Arc::make_mut(&mut open.node).next(preemptions) else {
            self.remove_ready(at);
            self.prune(at);
            return None;
        };
        open.handed_out = true;
        let then = Arc::make_mut(&mut open.node).hand_out(branch.thread);
        let node = &open.node;
        let mut item = Item {
            rests: node.resting(open.below == 0),
            preemptions: node.preemptions,
            then,
            branch: Some(branch),
            budget: 1,
            ..Item::default()
        };
        self.lead_to(at, &mut item);
        Some((at, item))
    }

    /// Takes what came of a way back.
    fn take_back(&mut self, at: usize, part: &mut Part) {
        let Some(open) = self.open.get_mut(&at) else {
            return;
        };
        open.handed_out = false;
        let node = Arc::make_mut(&mut open.node);
        match &part.branch {
            Some(step) => node.took(step),
            None => node.take_back(),
        }
        for (depth, reversal) in std::mem::take(&mut part.wanted) {
            let Some(above) = self.above(at, depth) else {
                continue;
            };
            if let Some(open) = self.open.get_mut(&above)
                && !open.node.settles(&reversal.initials)
                && Arc::make_mut(&mut open.node).want(&reversal, self.alone)
            {
                self.add_ready(above);
            }
        }
        self.grow(Some(at), part.branch.take(), part);
    }
}

/// Explores a program. One that creates more threads than there can be (most such create them without end) is explored
/// with few: what goes wrong mostly does so with few, and there all executions can be seen.
pub fn explore(process: &mut Process, settings: &Settings, watch: &dyn Watch) -> Exploration {
    let mut out = explore_settled(process, settings, watch);
    if out.crowded && out.errors.is_empty() && settings.threads > FEW {
        let few = Settings {
            threads: FEW,
            ..settings.clone()
        };
        out = explore_settled(process, &few, watch);
        out.limit(format!("executions with at most {FEW} threads"));
    } else if out.crowded {
        let most = settings.threads;
        out.limit(format!("executions with at most {most} threads"));
    }
    out
}

/// Adds places that are not known.
fn add(shown: &mut Vec<Place>, places: Vec<Place>) {
    for place in places {
        if !shown.contains(&place) {
            shown.push(place);
        }
    }
}

/// Explores anew for as long as invariants read what was not known to matter: steps that write it depend on each other,
/// from the first execution on.
fn explore_settled(process: &mut Process, settings: &Settings, watch: &dyn Watch) -> Exploration {
    let mut settings = settings.clone();
    let mut promises = process.promises();
    let mut shown = Vec::new();
    loop {
        let mut out = explore_once(process, &settings, watch, (&mut promises, &mut shown));
        if shown.len() > MAX_SHOWN {
            out.again = false;
            out.limit(format!(
                "more than {MAX_SHOWN} places on stacks that others look at"
            ));
        }
        if !std::mem::take(&mut out.again) {
            return out;
        }
        settings.executions = settings.executions.saturating_sub(out.made()).max(1);
    }
}

fn explore_once(
    process: &mut Process,
    settings: &Settings,
    watch: &dyn Watch,
    (promises, shown): (&mut Vec<Promise>, &mut Vec<Place>),
) -> Exploration {
    let mut known = Known {
        names: process.names(),
        promises: promises.clone(),
        shown: shown.clone(),
        fork: !settings.reset,
        ..Known::default()
    };
    let mut gathered = Gathered {
        settings,
        watch,
        promises,
        shown,
        out: Exploration::default(),
        tree: Tree {
            alone: true,
            ..Tree::default()
        },
    };
    let all = Item {
        budget: settings.piece.min(settings.executions),
        steps: settings.alone * u64::from(!settings.exhaustive),
        ..Item::default()
    };
    if let Some(filters) = settings.filters {
        let stop = || watch.stop().is_some();
        let part = filters::explore(process, settings, filters, &all, &known, &stop, watch);
        return gathered.filtered(part, &mut known);
    }
    let mut others: Vec<Process> = Vec::new();
    let mut ways = vec![(usize::MAX, all)];
    let mut quick = 0;
    while !ways.is_empty() {
        while others.len() + 1 < settings.cores.min(ways.len()) {
            match process.another() {
                Ok(other) => others.push(other),
                Err(_) => break,
            }
        }
        let mut processes: Vec<&mut Process> = others.iter_mut().collect();
        processes.push(process);
        let mut take =
            |i: usize, part, known: &mut _| gathered.take((ways[i].0, i < quick), part, known);
        let goes_on = round(
            &mut processes,
            settings,
            watch,
            &ways,
            &mut known,
            &mut take,
        );
        for other in processes {
            // A process ends with the thread that has started it.
            if other.moved() && other.restart().is_err() {
                let why = "the program can't be started again".into();
                gathered.out.limit(why);
            }
        }
        if !goes_on {
            if let Some(why) = watch.stop() {
                gathered.out.limit(why);
            }
            break;
        }
        (ways, quick) = gathered.hand_out();
    }
    let Gathered { mut out, tree, .. } = gathered;
    out.bounded += tree.excluded;
    process.set_names(&known.names);
    out
}

/// What was found so far, and what is still to be explored.
struct Gathered<'a> {
    settings: &'a Settings,
    watch: &'a dyn Watch,
    promises: &'a mut Vec<Promise>,
    shown: &'a mut Vec<Place>,
    out: Exploration,
    tree: Tree,
}

impl Gathered<'_> {
    /// Takes what came of an exploration with filters, which is in one piece.
    fn filtered(mut self, part: Part, known: &mut Known) -> Exploration {
        Promise::add(self.promises, &part.promises);
        add(self.shown, part.shown);
        self.out.add(part.out, known);
        self.out.again = part.grown;
        self.out.finished = !part.over && !part.grown;
        if let Some(why) = self.watch.stop() {
            self.out.limit(why);
        }
        self.out
    }

    /// Takes what came of a way from a node, or of the first one; whether to go on.
    fn take(&mut self, (at, quick): (usize, bool), mut part: Part, known: &mut Known) -> bool {
        let (out, tree) = (&mut self.out, &mut self.tree);
        Promise::add(self.promises, &part.promises);
        add(self.shown, std::mem::take(&mut part.shown));
        out.again |= part.grown;
        out.add(std::mem::take(&mut part.out), known);
        if at == usize::MAX {
            tree.grow(None, None, &mut part);
        } else {
            tree.quick = quick;
            tree.take_back(at, &mut part);
        }
        self.watch.progress(out);
        let error = !self.settings.keep_going && !out.errors.is_empty();
        if out.cut >= MOST_CUT {
            out.limit(format!("{MOST_CUT} executions that were cut off"));
        }
        let crowded = out.crowded && self.settings.threads > FEW;
        !(part.over || part.grown || error || crowded || out.cut >= MOST_CUT)
    }

    /// The ways of the next round, and how many of them are quick; none, if all is explored or no more is allowed.
    fn hand_out(&mut self) -> (Vec<(usize, Item)>, usize) {
        let (out, settings) = (&mut self.out, self.settings);
        let left = settings.executions.saturating_sub(out.made());
        // Where more was spared than explored, several cores would do in vain what one does not do at all.
        let short = out.steps < ALONE_AT_MOST && out.depth <= worker::MOST_WHOLE;
        self.tree.alone &= out.spared > out.made() && short;
        let ways = WAYS * usize::from(!self.tree.alone);
        let most = ways.min(usize::try_from(left).unwrap_or(WAYS));
        let (mut ways, quick) = self.tree.hand_out(most.max(1), settings.preemptions);
        out.finished = ways.is_empty();
        if left == 0 && !ways.is_empty() {
            out.limit(format!("{} executions", out.made()));
            return (Vec::new(), 0);
        }
        // Rounds are short at first.
        let usual = settings.piece.min((out.made() / 2048).max(2));
        let budget = usual.min(left / ways.len().max(1) as u64);
        if self.tree.alone {
            ways.iter_mut().for_each(|way| way.1.steps = settings.alone);
        }
        ways[quick..]
            .iter_mut()
            .for_each(|way| way.1.budget = budget);
        (ways, quick)
    }
}

/// Has each way explored, and calls `take` with what came of it, in order, until that says no.
fn round(
    processes: &mut [&mut Process],
    settings: &Settings,
    watch: &dyn Watch,
    ways: &[(usize, Item)],
    known: &mut Known,
    take: &mut dyn FnMut(usize, Part, &mut Known) -> bool,
) -> bool {
    let stopped = AtomicBool::new(false);
    // Nothing behind this way is needed any more.
    let end = AtomicUsize::new(ways.len());
    let next = Mutex::new(0);
    let before = std::mem::take(known);
    known.clone_from(&before);
    let mut parts: Vec<Option<Part>> = ways.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for process in processes.iter_mut() {
            let send = send.clone();
            let (stopped, end, next, before) = (&stopped, &end, &next, &before);
            scope.spawn(move || {
                loop {
                    let i = {
                        let mut next = next.lock().unwrap_or_else(|e| e.into_inner());
                        *next += 1;
                        *next - 1
                    };
                    if i >= end.load(Ordering::Relaxed) {
                        return;
                    }
                    let stop =
                        || stopped.load(Ordering::Relaxed) || i > end.load(Ordering::Relaxed);
                    let part = worker::explore(process, settings, &ways[i].1, before, &stop);
                    let last = part.over
                        || part.grown
                        || !settings.keep_going && !part.out.errors.is_empty();
                    if last {
                        end.fetch_min(i, Ordering::Relaxed);
                    }
                    if send.send((i, part)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        loop {
            match receive.recv_timeout(Duration::from_millis(50)) {
                Ok((i, part)) => parts[i] = Some(part),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            if watch.stop().is_some() {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    });
    for (i, part) in parts.into_iter().enumerate() {
        let Some(part) = part else { return false };
        // Two ways have named threads differently: the later way is explored again, with the names of the earlier one.
        let grown = part.names.len() > before.names.len();
        if grown && !part.names.starts_with(&known.names) {
            let again = Part::nothing(&part);
            if !take(i, again, known) {
                return false;
            }
            continue;
        }
        if grown {
            known.names.clone_from(&part.names);
        }
        known.fork |= part.fork;
        if !take(i, part, known) {
            return false;
        }
    }
    true
}
