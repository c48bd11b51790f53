//! One execution with its happens-before relation, step by step.
//!
//! Two relations are kept, as vector clocks: that of dependence (a step happens before another if it comes first and
//! they depend on each other, transitively), which says what may be reversed, and that of synchronisation alone, which
//! says what is a data race. An atomic operation synchronises with another one as C11 says of their memory orders
//! (5.1.2.4): if it acquires and reads from a release sequence. Steps can be taken back, since the exploration goes
//! depth first.

use super::node::{Initial, Rest, Reversal};
use super::shared::{
    ACQUIRES, ATOMIC, Access, BLOCKING, EARLY, Event, Kind, MODE_READ, MODE_WRITE, OBJECT, ORDER,
    ORDERED, READS, RELEASE, RELEASES, SILENT, Threads, WATCHED, conflict, dependent,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Counts, for each thread, how many of its steps happen before (and include) a step.
pub type Clock = Vec<u32>;

/// A step of an execution.
#[derive(Clone, Debug)]
pub struct Step {
    /// The thread.
    pub thread: u16,
    /// Which alternative.
    pub choice: u16,
    /// Of how many, not counting what is chosen inside of an atomic region.
    pub choices: u16,
    /// The one to be tried next, or 0.
    pub next: u16,
    /// Whether something is chosen inside of it.
    pub chose: bool,
    /// What it did.
    pub kind: Kind,
    /// Where.
    pub pc: u64,
    /// On what.
    pub addr: u64,
    /// How many bytes.
    pub size: u32,
    /// What was read, written or returned.
    pub value: u64,
    /// What was in memory before.
    pub before: u64,
    /// The fences before it, as memory orders, and [`EARLY`].
    pub fences: u8,
    /// Who could have gone on.
    pub enabled: Threads,
    /// What it accessed.
    pub accesses: Arc<[Access]>,
    /// What steps would have accessed that slept where it was taken, and may be other ones behind it.
    pub forgone: Vec<Access>,
}

impl Step {
    /// The step of an event and its accesses.
    pub fn new(event: &Event, accesses: &[Access]) -> Step {
        Step {
            thread: event.thread,
            choice: event.choice,
            choices: event.choices,
            next: event.next,
            chose: event.chose != 0,
            kind: event.kind(),
            pc: event.pc,
            addr: event.addr,
            size: event.size,
            value: event.value,
            before: event.before,
            fences: event.fences,
            enabled: event.enabled,
            accesses: accesses.into(),
            forgone: Vec::new(),
        }
    }

    /// Accesses of steps that sleep where this one is taken, and that are gone behind it: a step of several accesses
    /// may be another step then, and other alternatives of this step are lost. The writes noted here conflict with all
    /// steps that would have to come before those.
    pub fn forgoes<'a>(&'a self, sleeping: &'a Rest) -> impl Iterator<Item = Access> + 'a {
        let all = &sleeping.accesses;
        let changed = match sleeping.thread == self.thread {
            true => sleeping.choice != self.choice,
            false => all.len() > 1 && dependent(all, &self.accesses),
        };
        let covers = |w: &Access, a: &Access| {
            let end = |x: &Access| x.key + u64::from(x.size);
            w.mode == MODE_WRITE && w.key <= a.key && end(a) <= end(w)
        };
        let kept = move |a: &&Access| {
            let order = a.flags & ORDER != 0;
            changed && !order && !self.accesses.iter().any(|w| covers(w, a))
        };
        all.iter().filter(kept).copied()
    }
}

/// One access in the history of a word of memory.
#[derive(Clone, Copy)]
struct Entry {
    step: u32,
    thread: u16,
    mask: u8,
    mode: u8,
    flags: u8,
    order: u8,
    /// What kinds of accesses the word has had up to this one: [`PLAIN`], [`ORDERED`].
    had: u8,
}

/// An access without a memory order.
const PLAIN: u8 = 2;

fn kind(access: &Access) -> u8 {
    match access.order {
        _ if access.flags & WATCHED != 0 => 0,
        0 => PLAIN,
        _ => ORDERED,
    }
}

/// Accesses wider than this are compared one by one.
const WIDE: u32 = 512;

/// An execution.
#[derive(Default)]
pub struct History {
    /// Its steps.
    pub steps: Vec<Step>,
    clocks: Vec<Clock>,
    sync: Vec<Clock>,
    orders: Vec<Orders>,
    /// The steps of each thread.
    of: Vec<Vec<u32>>,
    words: FxHashMap<u64, Vec<Entry>>,
    wide: Vec<u32>,
    /// The steps that something was forgone by.
    forgoing: Vec<u32>,
}

/// What memory orders have to do with what comes after a step (C11, 5.1.2.4 and 7.17.3).
#[derive(Clone, Default)]
struct Orders {
    /// What happens before who reads what the step has written, and acquires: the heads of its release sequences.
    released: Vec<(u16, Arc<Clock>)>,
    /// What its thread has read without acquiring; a fence may do so later.
    pending: Option<Arc<Clock>>,
    /// What happened before the last fence of its thread that releases.
    fence: Option<Arc<Clock>>,
}

/// What a step, taken now, would have to do with those before it.
pub struct Look {
    /// The steps that it may be reversed with, latest first.
    pub races: Vec<u32>,
    /// The steps with which it makes a data race.
    pub data_races: Vec<u32>,
    /// What happens before it, without regard to its accesses.
    pub before: Clock,
    full: Clock,
    sync: Clock,
    orders: Orders,
}

/// A step that races with earlier ones: one of the execution, or one that a thread could not take.
#[derive(Clone, Debug)]
pub struct Late {
    /// The step.
    pub step: Rest,
    /// Which one of the execution it is, or would be.
    pub at: usize,
    /// What happens before it, without regard to its accesses.
    pub before: Clock,
    /// The steps that it races with, and who could begin an execution in which it comes before them, once that is
    /// known.
    pub races: Vec<(u32, Vec<Initial>)>,
}

impl Look {
    /// An atomic operation of `thread` comes behind the one that has written what it finds.
    fn comes_behind(&mut self, written: &Orders, access: &Access, thread: u16) {
        let reads = access.order & READS != 0;
        for (head, clock) in &written.released {
            if access.order & ACQUIRES != 0 {
                join(&mut self.sync, clock);
            } else if reads {
                join(
                    Arc::make_mut(self.orders.pending.get_or_insert_default()),
                    clock,
                );
            }
            // A release sequence goes on with updates by anybody, and stores by its own thread.
            let goes_on = access.mode == MODE_WRITE && (reads || *head == thread);
            let known = |(_, c): &(u16, Arc<Clock>)| Arc::ptr_eq(c, clock);
            if goes_on && !self.orders.released.iter().any(known) {
                self.orders.released.push((*head, Arc::clone(clock)));
            }
        }
    }
}

impl Orders {
    /// What a step releases itself; `sync` is its clock.
    fn releases(&mut self, step: &Step, sync: &Clock) {
        let writes = |a: &&Access| a.mode == MODE_WRITE && a.order != 0;
        let Some(access) = step.accesses.iter().find(writes) else {
            return;
        };
        let clock = match access.order & RELEASES {
            0 => self.fence.clone(),
            _ => Some(Arc::new(sync.clone())),
        };
        self.released
            .extend(clock.map(|clock| (step.thread, clock)));
    }
}

fn join(a: &mut Clock, b: &Clock) {
    if a.len() < b.len() {
        a.resize(b.len(), 0);
    }
    for (x, y) in a.iter_mut().zip(b) {
        *x = (*x).max(*y);
    }
}

fn at(clock: &Clock, thread: u16) -> u32 {
    clock.get(usize::from(thread)).copied().unwrap_or(0)
}

/// The words of an access, with the bytes in each.
fn words(access: &Access) -> impl Iterator<Item = (u64, u8)> {
    let (first, end) = (access.key, access.key + u64::from(access.size));
    (first >> 3..=(end - 1) >> 3).map(move |word| {
        let from = first.max(word << 3) & 7;
        let to = (end.min((word + 1) << 3) - 1) & 7;
        (word, (0xFFu16 << from & 0xFFu16 >> (7 - to)) as u8)
    })
}

impl History {
    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The number of a step among its thread's, from 1.
    pub fn local(&self, step: usize) -> u32 {
        at(&self.clocks[step], self.steps[step].thread)
    }

    /// Whether step `a` happens before what has the clock `b`.
    pub fn covers(&self, b: &Clock, a: usize) -> bool {
        at(b, self.steps[a].thread) >= self.local(a)
    }

    /// The clock of a step.
    pub fn clock(&self, step: usize) -> &Clock {
        &self.clocks[step]
    }

    /// The steps of a thread.
    pub fn of(&self, thread: u16) -> &[u32] {
        self.of.get(usize::from(thread)).map_or(&[], Vec::as_slice)
    }

    /// A step of a thread by its number among them, from 1.
    pub fn nth(&self, thread: u16, number: u32) -> usize {
        self.of[usize::from(thread)][number as usize - 1] as usize
    }

    /// Looks at a step of `thread` that would come next, behind these fences.
    pub fn look(&self, thread: u16, accesses: &[Access], fences: u8) -> Look {
        let last = self.of.get(usize::from(thread)).and_then(|of| of.last());
        let own = |clocks: &[Clock]| last.map_or(Clock::new(), |&l| clocks[l as usize].clone());
        let mut before = own(&self.clocks);
        let mut sync = own(&self.sync);
        // The last step that this one had to wait for, without regard to its accesses.
        let mut let_go = 0;
        for access in accesses.iter().filter(|a| a.flags & ORDER != 0) {
            self.visit(access, &mut |entry| {
                let_go = let_go.max(entry.step);
                join(&mut before, &self.clocks[entry.step as usize]);
                join(&mut sync, &self.sync[entry.step as usize]);
                entry.mode == MODE_WRITE
            });
        }
        let orders = self.orders_behind(last, fences, &mut sync);
        let mut look = Look {
            races: Vec::new(),
            data_races: Vec::new(),
            full: before.clone(),
            before,
            sync,
            orders,
        };
        for access in accesses.iter().filter(|a| a.order != 0) {
            self.visit(access, &mut |entry| {
                let writes = entry.mode == MODE_WRITE;
                if writes && entry.order != 0 {
                    look.comes_behind(&self.orders[entry.step as usize], access, thread);
                }
                writes
            });
        }
        // If the thread stood before this step already and could not take it, there is nothing to reverse here. But an
        // earlier step may have made it impossible. If another step had to let it go first, that step may come earlier
        // as well. So may be what makes it possible, if it does not need that step.
        let impossible = |step: u32| {
            let set = &self.steps[step as usize].enabled;
            let enabled = set[usize::from(thread) / 64] >> (thread % 64) & 1 == 1;
            let stood = last.is_some_and(|&l| l < step);
            stood && !enabled && let_go <= step && !self.changed_without(step, accesses)
        };
        // Another thread's post may let it go as well; no other thread gives back what a thread holds.
        let only = |step: u32, access: &Access| {
            let post = self.steps[step as usize].kind == Kind::SemPost;
            !post || !self.changed_without(step, std::slice::from_ref(access))
        };
        for access in accesses.iter().filter(|a| a.flags & ORDER == 0) {
            let memory = access.key & OBJECT == 0;
            self.visit(access, &mut |entry| {
                let step = entry.step as usize;
                join(&mut look.full, &self.clocks[step]);
                let silent = access.flags & SILENT != 0;
                let plain = memory && (access.flags & entry.flags & ATOMIC == 0);
                // In a region, what was locked before in it counts.
                let known = entry.thread == thread || self.covers_in(&look.sync, &self.sync, step);
                if (access.flags | entry.flags) & WATCHED != 0 {
                    // The accesses that were made are among the steps themselves.
                } else if plain && !known {
                    look.data_races.push(entry.step);
                } else if !plain && !silent && (access.order == 0 || entry.order == 0) {
                    join(&mut look.sync, &self.sync[step]);
                }
                let given_back = access.flags & BLOCKING != 0 && entry.flags & RELEASE != 0;
                if given_back && only(entry.step, access) || impossible(entry.step) {
                    // Before it was given back, it could not be taken. What can be reversed is the step that took it
                    // before.
                    let known = entry.thread == thread || self.covers(&look.before, step);
                    return known && entry.mode == MODE_WRITE;
                }
                if entry.thread != thread && !self.covers(&look.before, step) {
                    look.races.push(entry.step);
                }
                entry.mode == MODE_WRITE
            });
        }
        for access in accesses {
            self.look_at_mixed(thread, access, &mut look);
        }
        look.races.sort_unstable_by(|a, b| b.cmp(a));
        look.races.dedup();
        look.data_races.sort_unstable();
        look.data_races.dedup();
        self.keep_immediate(accesses, &mut look);
        // What a sleeping step would have seen, had it come before the step that changed it.
        for &i in &self.forgoing {
            let step = &self.steps[i as usize];
            let known = step.thread == thread || self.covers(&look.full, i as usize);
            if !known && !impossible(i) && dependent(&step.forgone, accesses) {
                look.races.push(i);
            }
        }
        look.races.sort_unstable_by(|a, b| b.cmp(a));
        look.races.dedup();
        look
    }

    /// Keeps the races with nothing in between.
    fn keep_immediate(&self, accesses: &[Access], look: &mut Look) {
        // A step of several accesses may have been impossible at one of
        // them (a waiter that needs the mutex as well), which then must not stand before an earlier one.
        if accesses.iter().filter(|a| a.flags & ORDER == 0).count() == 1 {
            let all = look.races.clone();
            // An attempt that failed shows that the object could not be taken there either. What has to be reversed is
            // the step that took it before.
            let waits = accesses.iter().any(|a| a.flags & BLOCKING != 0);
            let failed = |c: u32| {
                let mut met = self.steps[c as usize].accesses.iter();
                waits && met.all(|a| a.mode == MODE_READ)
            };
            look.races.retain(|&i| {
                !all.iter().any(|&c| {
                    c > i && self.covers(&self.clocks[c as usize], i as usize) && !failed(c)
                })
            });
        }
    }

    /// What the memory orders of a thread have come to behind its last step and these fences.
    fn orders_behind(&self, last: Option<&u32>, fences: u8, sync: &mut Clock) -> Orders {
        let Orders { pending, fence, .. } = match last {
            Some(&last) => self.orders[last as usize].clone(),
            None => Orders::default(),
        };
        // What a fence acquires, it releases, too, and so do those behind it; one before it released without that.
        let early = (fences & EARLY != 0).then(|| Arc::new(sync.clone()));
        if let Some(pending) = pending.as_ref().filter(|_| fences & ACQUIRES != 0) {
            join(sync, pending);
        }
        let fence = match fences & RELEASES {
            0 => fence,
            _ => early.or_else(|| Some(Arc::new(sync.clone()))),
        };
        Orders {
            released: Vec::new(),
            pending,
            fence,
        }
    }

    /// Data races of memory that is accessed both with a memory order and without: two operations with weak orders may
    /// come one behind the other and not synchronise, so what is before the last write may matter as well.
    fn look_at_mixed(&self, thread: u16, access: &Access, look: &mut Look) {
        let watched = access.flags & WATCHED != 0;
        if watched || access.size == 0 || access.size > WIDE || access.key & OBJECT != 0 {
            return;
        }
        for (word, mask) in words(access) {
            let entries = self.words.get(&word).map_or(&[][..], Vec::as_slice);
            let had = entries.last().map_or(0, |e| e.had);
            if had | kind(access) != PLAIN | ORDERED {
                continue;
            }
            let met = |e: &&Entry| e.mask & mask != 0 && e.flags & WATCHED == 0;
            for entry in entries.iter().filter(met) {
                let conflict = entry.mode == MODE_WRITE || access.mode == MODE_WRITE;
                let atomic = access.flags & entry.flags & ATOMIC != 0;
                let step = entry.step as usize;
                let known = entry.thread == thread || self.covers_in(&look.sync, &self.sync, step);
                if conflict && !atomic && !known {
                    look.data_races.push(entry.step);
                }
            }
        }
    }

    /// Whether a step behind `i` that does not need `i` changes something of this.
    fn changed_without(&self, i: u32, accesses: &[Access]) -> bool {
        let changes = |a: &Access| {
            let meets = |b: &Access| {
                let end = |x: &Access| x.key + u64::from(x.size);
                b.flags & ORDER == 0 && a.key < end(b) && b.key < end(a)
            };
            a.mode != MODE_READ && accesses.iter().any(meets)
        };
        (i as usize + 1..self.len()).any(|k| {
            !self.covers(&self.clocks[k], i as usize) && self.steps[k].accesses.iter().any(changes)
        })
    }

    fn covers_in(&self, clock: &Clock, clocks: &[Clock], step: usize) -> bool {
        let thread = self.steps[step].thread;
        at(clock, thread) >= at(&clocks[step], thread)
    }

    /// Calls `see` with the entries that conflict with an access, latest first, until it has said of entries for all of
    /// its bytes that what is earlier does not matter.
    fn visit(&self, access: &Access, see: &mut dyn FnMut(&Entry) -> bool) {
        if access.size == 0 {
            return;
        }
        for &step in self.wide.iter().rev() {
            self.see_wide(access, step, see);
        }
        if access.size > WIDE {
            for step in (0..self.steps.len() as u32).rev() {
                self.see_wide(access, step, see);
            }
            return;
        }
        for (word, mask) in words(access) {
            let Some(entries) = self.words.get(&word) else {
                continue;
            };
            let mut covered = 0u8;
            for entry in entries.iter().rev() {
                let meets = entry.mask & mask;
                let same = entry.mode == access.mode && access.mode != MODE_WRITE;
                if meets != 0 && !same && see(entry) {
                    covered |= entry.mask;
                    if covered & mask == mask {
                        break;
                    }
                }
            }
        }
    }

    fn see_wide(&self, access: &Access, step: u32, see: &mut dyn FnMut(&Entry) -> bool) {
        let other = &self.steps[step as usize];
        for &a in other.accesses.iter().filter(|a| conflict(a, access)) {
            see(&Entry {
                step,
                thread: other.thread,
                mask: 0xFF,
                mode: a.mode,
                flags: a.flags,
                order: a.order,
                had: 0,
            });
        }
    }

    /// Appends a step that was looked at.
    pub fn push(&mut self, step: Step, look: Look) {
        let (index, thread) = (self.steps.len() as u32, usize::from(step.thread));
        if self.of.len() <= thread {
            self.of.resize_with(thread + 1, Vec::new);
        }
        self.of[thread].push(index);
        let local = self.of[thread].len() as u32;
        let (mut full, mut sync) = (look.full, look.sync);
        for clock in [&mut full, &mut sync] {
            if clock.len() <= thread {
                clock.resize(thread + 1, 0);
            }
            clock[thread] = local;
        }
        if !step.forgone.is_empty() {
            self.forgoing.push(index);
        }
        self.clocks.push(full);
        let mut orders = look.orders;
        orders.releases(&step, &sync);
        self.sync.push(sync);
        self.orders.push(orders);
        for access in step.accesses.iter().filter(|a| a.size > 0) {
            if access.size > WIDE {
                self.wide.push(index);
                continue;
            }
            for (word, mask) in words(access) {
                let entries = self.words.entry(word).or_default();
                let had = entries.last().map_or(0, |e| e.had);
                entries.push(Entry {
                    step: index,
                    thread: step.thread,
                    mask,
                    mode: access.mode,
                    flags: access.flags,
                    order: access.order,
                    had: had | kind(access),
                });
            }
        }
        self.steps.push(step);
    }

    /// Takes steps back until `n` are left.
    pub fn truncate(&mut self, n: usize) {
        while self.steps.len() > n {
            let Some(step) = self.steps.pop() else { return };
            let index = self.steps.len() as u32;
            if self.forgoing.last() == Some(&index) {
                self.forgoing.pop();
            }
            self.clocks.pop();
            self.sync.pop();
            self.orders.pop();
            self.of[usize::from(step.thread)].pop();
            for access in step.accesses.iter().filter(|a| a.size > 0) {
                if access.size > WIDE {
                    self.wide.pop();
                    continue;
                }
                for (word, _) in words(access) {
                    if let Some(entries) = self.words.get_mut(&word) {
                        while entries.last().is_some_and(|e| e.step >= index) {
                            entries.pop();
                        }
                    }
                }
            }
        }
    }

    /// The steps after `i` and before `end` that do not need `i`.
    fn behind(&self, i: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
        (i + 1..end).filter(move |&k| !self.covers(&self.clocks[k], i))
    }

    /// Which threads could begin an execution in which a step comes before step `i`, among those between the two that
    /// do not need `i`. That of the reversed step comes first, if it is one.
    pub fn initials(&self, i: usize, late: &Late) -> Vec<Initial> {
        let mut first: Vec<u32> = Vec::new();
        let mut heads: Vec<usize> = Vec::new();
        let mut steps = Vec::new();
        for k in self.behind(i, late.at) {
            steps.push(k);
            let t = usize::from(self.steps[k].thread);
            if first.len() <= t {
                first.resize(t + 1, u32::MAX);
            }
            if first[t] == u32::MAX {
                first[t] = self.local(k);
                heads.push(k);
            }
        }
        let free = |clock: &Clock, own: u16| {
            first
                .iter()
                .enumerate()
                .all(|(t, &f)| t == usize::from(own) || at(clock, t as u16) < f)
        };
        let mut threads: Vec<Initial> = Vec::new();
        let (thread, accesses) = (late.step.thread, &late.step.accesses);
        let begun = first
            .get(usize::from(thread))
            .is_some_and(|&f| f != u32::MAX);
        if !begun
            && free(&late.before, thread)
            && !steps
                .iter()
                .any(|&k| dependent(&self.steps[k].accesses, accesses))
        {
            threads.push((thread, None));
        }
        for k in heads {
            let Step { thread, choice, .. } = self.steps[k];
            if free(&self.clocks[k], thread) {
                threads.push((thread, Some(choice)));
            }
        }
        threads
    }

    /// How an execution begins in which a step comes before step `i`: with those after `i` that do not need `i`, all of
    /// them if `whole`, else those before that step.
    pub fn reversal(&self, i: usize, late: &Late, initials: Vec<Initial>, whole: bool) -> Reversal {
        let rest = |k: usize| Rest::new(&self.steps[k]);
        let mut steps: Vec<Rest> = self.behind(i, late.at).map(rest).collect();
        let reversed = steps.len();
        steps.push(late.step.clone());
        if whole {
            let later = self.behind(i, self.len()).filter(|&k| k > late.at);
            steps.extend(later.map(rest));
        }
        Reversal {
            steps,
            reversed,
            initials,
            whole,
        }
    }
}
