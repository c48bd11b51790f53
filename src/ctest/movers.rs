//! Which functions are transactions (Lipton 1975): in each call right movers come first, then at most one step that is
//! no mover, then left movers.
//!
//! Atomizer (Flanagan, Freund 2004) decides it from lock sets in one execution. Here all executions up to equivalence
//! are known, with their happens-before relations. A step that could stand directly behind a step of another thread on
//! which it depends is no left mover; the other one is no right mover. These are the edges of the happens-before
//! relation between threads that do not follow from others. The acquisition of a lock only comes behind (a right
//! mover), the release only comes before (a left mover), an access that a lock protects is in no such edge (both), and
//! one that races is in both kinds. A step is known by its thread, its place and its object, and what is found in any
//! execution counts in all of them.
//!
//! Why it is enough: if the steps of a call can not be put side by side in an execution, something of other threads
//! happens after one of them and before another. So there is an edge out of the call, and later in the call an edge
//! into it: the pattern is broken.

use super::history::{History, Step};
use super::shared::{Kind, Mark};
use rustc_hash::{FxHashMap, FxHashSet};

/// A step of all executions: the same thread at the same place with the same object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Where.
    pub pc: u64,
    /// On what.
    pub addr: u64,
    /// Whose.
    pub thread: u16,
    /// What it does.
    pub kind: Kind,
}

impl Key {
    /// That of a step.
    pub fn of(step: &Step) -> Key {
        Key {
            pc: step.pc,
            addr: step.addr,
            thread: step.thread,
            kind: step.kind,
        }
    }
}

/// What is known of a step: with whom it can't be exchanged.
#[derive(Clone, Copy, Debug)]
struct Known {
    key: Key,
    /// A step of another thread that came directly behind it: it is no right mover.
    behind: Option<Key>,
    /// One that came directly before it: it is no left mover.
    before: Option<Key>,
}

/// What became of a function's calls.
#[derive(Debug, Default)]
struct Function {
    /// The different calls: the first and last occurrences of each step, in order; [`SPLIT`] where the thread waited.
    forms: FxHashSet<Box<[u32]>>,
    /// A call in which a step of another thread has to stand: a step of the call, that step, a later one of the call.
    torn: Option<[Key; 3]>,
    /// The most steps of a call.
    longest: usize,
}

/// Where a call waits for a condition.
const SPLIT: u32 = u32::MAX;
/// The forms of calls that are kept, in elements, at most.
const MOST: usize = 1 << 24;

/// What was learnt from all executions up to now.
#[derive(Debug, Default)]
pub struct Calls {
    numbers: FxHashMap<Key, u32>,
    known: Vec<Known>,
    functions: FxHashMap<u64, Function>,
    /// The numbers of the present execution's steps.
    present: Vec<u32>,
    kept: usize,
    full: bool,
}

/// Two steps of a call that are not in the order of a transaction, each with what it can't be exchanged with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Break {
    /// A step that is no right mover,
    pub first: Key,
    /// because of this one, behind it;
    pub behind: Key,
    /// and a later one that is no left mover,
    pub second: Key,
    /// because of this one, before it.
    pub before: Key,
}

/// What is said of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// All its calls are transactions.
    Transaction,
    /// They are, except for waiting: the parts before, between and after waits are transactions.
    Split(Break),
    /// At least one is not.
    Broken(Break),
}

/// A function that was called.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// A place at its beginning.
    pub pc: u64,
    /// Whether it is a transaction.
    pub finding: Finding,
    /// A call whose steps can't stand side by side in its execution: one of its steps, one of another thread that must
    /// come after it, and a later one of the call that must come after that.
    pub torn: Option<[Key; 3]>,
    /// The most steps of a call.
    pub longest: usize,
}

impl Verdict {
    /// All places that it speaks of.
    pub fn places(&self) -> Vec<u64> {
        let mut places = vec![self.pc];
        if let Finding::Split(b) | Finding::Broken(b) = &self.finding {
            places.extend([b.first, b.behind, b.second, b.before].map(|k| k.pc));
        }
        places.extend(self.torn.iter().flatten().map(|k| k.pc));
        places
    }
}

impl Calls {
    /// Whether something had to be left out.
    pub fn full(&self) -> bool {
        self.full
    }

    /// An execution that is not looked at, of which the first `given` steps were in the last one as well.
    pub fn skip(&mut self, given: usize) {
        self.present.truncate(given);
    }

    /// Looks at an execution, of which the first `given` steps were in the last one as well.
    pub fn execution(&mut self, history: &History, given: usize, marks: &[Mark]) {
        self.skip(given);
        let given = self.present.len();
        for i in given..history.len() {
            let number = self.number(Key::of(&history.steps[i]));
            self.present.push(number);
            self.edges(history, i);
        }
        let mut of: Vec<Vec<u32>> = Vec::new();
        for (i, step) in history.steps.iter().enumerate() {
            let thread = usize::from(step.thread);
            if of.len() <= thread {
                of.resize_with(thread + 1, Vec::new);
            }
            of[thread].push(i as u32);
        }
        let mut open: Vec<Vec<(u64, usize)>> = vec![Vec::new(); of.len()];
        for mark in marks {
            let thread = usize::from(mark.thread);
            let Some(steps) = of.get(thread) else {
                continue;
            };
            let now = steps.partition_point(|&i| i < mark.at);
            if mark.pc != 0 {
                open[thread].push((mark.pc, now));
            } else if let Some((pc, from)) = open[thread].pop() {
                self.call(history, given, pc, &steps[from..now]);
            }
        }
        // What is still open when the execution ends is a call as far as it has come.
        for (steps, open) in of.iter().zip(&open) {
            for &(pc, from) in open {
                self.call(history, given, pc, &steps[from..]);
            }
        }
    }

    fn number(&mut self, key: Key) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.known.push(Known {
                key,
                behind: None,
                before: None,
            });
            self.known.len() as u32 - 1
        })
    }

    /// The steps of other threads that step `j` depends on, and nothing in between.
    fn edges(&mut self, history: &History, j: usize) {
        let thread = history.steps[j].thread;
        let clock = history.clock(j);
        let own = history.local(j);
        let before = (own > 1).then(|| history.clock(history.nth(thread, own - 1)));
        let last = |t: usize| (clock[t] > 0).then(|| history.nth(t as u16, clock[t]));
        for p in (0..clock.len()).filter(|&p| p != usize::from(thread)) {
            let Some(e) = last(p) else { continue };
            let reaches = |i: usize| history.covers(history.clock(i), e);
            let known = before.is_some_and(|b| history.covers(b, e))
                || (0..clock.len())
                    .filter(|&q| q != p && q != usize::from(thread))
                    .any(|q| last(q).is_some_and(reaches));
            if known {
                continue;
            }
            let (a, b) = (self.present[e] as usize, self.present[j] as usize);
            let (a_key, b_key) = (self.known[a].key, self.known[b].key);
            let smaller = |old: Option<Key>, new: Key| Some(old.map_or(new, |old| old.min(new)));
            self.known[a].behind = smaller(self.known[a].behind, b_key);
            self.known[b].before = smaller(self.known[b].before, a_key);
        }
    }

    /// A call with these steps.
    fn call(&mut self, history: &History, given: usize, pc: u64, steps: &[u32]) {
        let function = self.functions.entry(pc).or_default();
        let (Some(&first), Some(&last)) = (steps.first(), steps.last()) else {
            return;
        };
        if (last as usize) < given {
            return;
        }
        function.longest = function.longest.max(steps.len());
        if function.torn.is_none() {
            function.torn = torn(history, steps, first as usize, last as usize);
        }
        let form = form(steps.iter().map(|&i| {
            let waits = history.steps[i as usize].kind == Kind::Wait;
            (self.present[i as usize], waits)
        }));
        if self.kept + form.len() > MOST {
            self.full = true;
        } else if !function.forms.contains(form.as_slice()) {
            self.kept += form.len();
            function.forms.insert(form.into());
        }
    }

    /// Adds what another exploration has learnt.
    pub fn merge(&mut self, other: Calls) {
        let mut numbers = Vec::new();
        for known in &other.known {
            let i = self.number(known.key);
            numbers.push(i);
            let mine = &mut self.known[i as usize];
            mine.behind = [mine.behind, known.behind].into_iter().flatten().min();
            mine.before = [mine.before, known.before].into_iter().flatten().min();
        }
        for (pc, theirs) in other.functions {
            let mine = self.functions.entry(pc).or_default();
            mine.longest = mine.longest.max(theirs.longest);
            mine.torn = mine.torn.or(theirs.torn);
            for form in theirs.forms {
                let own = form.iter().map(|&n| numbers.get(n as usize).copied());
                let form: Box<[u32]> = own.map(|n| n.unwrap_or(SPLIT)).collect();
                let n = form.len();
                if self.kept + n > MOST {
                    self.full = true;
                } else if mine.forms.insert(form) {
                    self.kept += n;
                }
            }
        }
        self.full |= other.full;
    }

    /// What there is to say of each function that was called.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let mut verdicts: Vec<Verdict> = self
            .functions
            .iter()
            .map(|(&pc, function)| Verdict {
                pc,
                finding: self.finding(function),
                torn: function.torn,
                longest: function.longest,
            })
            .collect();
        verdicts.sort_unstable_by_key(|v| v.pc);
        verdicts
    }

    fn finding(&self, function: &Function) -> Finding {
        let forms = || function.forms.iter();
        let within = forms().flat_map(|form| form.split(|&n| n == SPLIT));
        if let Some(found) = within.filter_map(|part| self.broken(part)).min() {
            return Finding::Broken(found);
        }
        match forms().filter_map(|form| self.broken(form)).min() {
            Some(found) => Finding::Split(found),
            None => Finding::Transaction,
        }
    }

    /// The first step that is no right mover, and the first behind it that is no left mover.
    fn broken(&self, form: &[u32]) -> Option<Break> {
        let mut steps = form.iter().filter_map(|&n| self.known.get(n as usize));
        let (first, behind) = steps.find_map(|k| Some((k.key, k.behind?)))?;
        let (second, before) = steps.find_map(|k| Some((k.key, k.before?)))?;
        Some(Break {
            first,
            behind,
            second,
            before,
        })
    }
}

/// A step of another thread that has to stand between the steps of a call, whose first and last are given.
fn torn(history: &History, steps: &[u32], first: usize, last: usize) -> Option<[Key; 3]> {
    let thread = history.steps[first].thread;
    let end = history.clock(last);
    let e = (first + 1..last).find(|&e| {
        history.steps[e].thread != thread
            && history.covers(history.clock(e), first)
            && history.covers(end, e)
    })?;
    let mut own = steps.iter().map(|&i| i as usize);
    let a = own.rfind(|&i| i < e && history.covers(history.clock(e), i))?;
    let mut own = steps.iter().map(|&i| i as usize);
    let b = own.find(|&i| i > e && history.covers(history.clock(i), e))?;
    Some([a, e, b].map(|i| Key::of(&history.steps[i])))
}

/// The first and last occurrence of each step, between waits: only these matter for what can come before or after what.
fn form(steps: impl Iterator<Item = (u32, bool)>) -> Vec<u32> {
    let mut form = Vec::new();
    let mut part: Vec<u32> = Vec::new();
    let mut steps = steps.peekable();
    while let Some((step, waits)) = steps.next() {
        part.push(step);
        if waits || steps.peek().is_none() {
            let mut last = FxHashMap::default();
            for (i, &n) in part.iter().enumerate() {
                last.entry(n).or_insert((i, i)).1 = i;
            }
            let ends = part.iter().enumerate();
            form.extend(
                ends.filter(|(i, n)| {
                    let (first, end) = last[*n];
                    first == *i || end == *i
                })
                .map(|(_, &n)| n),
            );
            if steps.peek().is_some() {
                form.push(SPLIT);
            }
            part.clear();
        }
    }
    form
}
