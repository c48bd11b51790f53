//! What there is to decide at a step, and what of it is done.

use super::history::Step;
use super::shared::{ALL, Access, MODE_WRITE, ORDER, Order, SET_WORDS, Threads, disturbs};
use std::sync::Arc;

/// A thread's step: one that need not be tried until somebody does something that depends on it, or one that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rest {
    /// The thread.
    pub thread: u16,
    /// Which alternative, or [`ALL`].
    pub choice: u16,
    /// The alternative that comes next, or 0.
    pub next: u16,
    /// What it would access.
    pub accesses: Arc<[Access]>,
    /// Whether what is explored where it does not sleep is known here: all that has to come before it is to be tried.
    pub settled: bool,
}

/// With more alternatives a thread sleeps as long as no step conflicts with any of them.
const MOST_APART: usize = 16;

impl Rest {
    /// What `step` is.
    pub fn new(step: &Step) -> Rest {
        Rest {
            thread: step.thread,
            choice: step.choice,
            next: step.next,
            accesses: Arc::clone(&step.accesses),
            settled: true,
        }
    }
}

/// Whether two steps access something in common, however they do.
fn meets(a: &[Access], b: &[Access]) -> bool {
    let end = |x: &Access| x.key + u64::from(x.size);
    a.iter()
        .any(|x| b.iter().any(|y| x.key < end(y) && y.key < end(x)))
}

/// Whether a thread is in a set.
pub fn has(set: &Threads, i: u16) -> bool {
    set[usize::from(i) / 64] >> (i % 64) & 1 == 1
}

/// Puts a thread into a set.
pub fn put(set: &mut Threads, i: u16) {
    set[usize::from(i) / 64] |= 1 << (i % 64);
}

/// The threads of a set.
pub fn members(set: &Threads) -> impl Iterator<Item = u16> + '_ {
    (0..(SET_WORDS * 64) as u16).filter(|&i| has(set, i))
}

/// The beginning of an execution in which a race is the other way round.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reversal {
    /// The steps that do not need the one which comes later now, in order, with the reversed step among them.
    pub steps: Vec<Rest>,
    /// Which of them is the reversed one, as it was behind the one that comes later now.
    pub reversed: usize,
    /// Who could begin up to the reversed one.
    pub initials: Vec<Initial>,
    /// Whether these are the steps of an execution that went on to its end.
    pub whole: bool,
}

impl Reversal {
    /// Whether a step would be another one behind one of these.
    fn disturbs(&self, at: usize, accesses: &[Access]) -> bool {
        let step = &self.steps[at];
        // Where it comes first, the reversed step may write what it only reads behind the other one.
        let meets = at == self.reversed && meets(&step.accesses, accesses);
        meets || disturbs(&step.accesses, accesses)
    }

    /// What a step would access where it comes first, if that is known.
    fn accesses(&self, at: usize) -> Option<Arc<[Access]>> {
        let accesses = &self.steps[at].accesses;
        if at != self.reversed {
            return Some(Arc::clone(accesses));
        }
        let single = accesses.iter().filter(|a| a.flags & ORDER == 0).count() <= 1;
        let written = accesses.iter().map(|&a| Access {
            mode: MODE_WRITE,
            ..a
        });
        single.then(|| written.collect())
    }

    /// Which of some steps a thread could begin with.
    fn beginning(&self, steps: &[usize], thread: u16) -> Option<usize> {
        let at = steps.iter().position(|&k| self.steps[k].thread == thread)?;
        let k = steps[at];
        let needs = |&j: &usize| {
            self.disturbs(j, &self.steps[k].accesses) || self.disturbs(k, &self.steps[j].accesses)
        };
        (!steps[..at].iter().any(needs)).then_some(at)
    }

    /// The first of some steps behind which a step is not known to be the same; one that is not known may sleep on.
    fn woken(&self, steps: &[usize], thread: u16, accesses: Option<&[Access]>) -> Option<usize> {
        let wakes = |&k: &usize| {
            self.steps[k].thread == thread || self.disturbs(k, accesses.unwrap_or(&[]))
        };
        match accesses {
            Some(_) => steps.iter().copied().find(wakes),
            None => steps.iter().copied().max(),
        }
    }

    /// Whether a thread that takes none of some steps could take its own before them as well as behind them.
    fn spares(&self, steps: &[usize], thread: u16, accesses: &[Access]) -> bool {
        self.woken(steps, thread, Some(accesses)).is_none()
    }
}

/// A way to be taken, and what is to be taken behind it: a wakeup tree (Abdulla et al. 2014, section 5).
#[derive(Clone, Debug)]
pub struct Way {
    /// The thread.
    pub thread: u16,
    /// What its step accesses, if that is known.
    accesses: Option<Arc<[Access]>>,
    /// The ways behind it; where there is none, all is open, and nobody sleeps.
    pub then: Vec<Way>,
}

impl Way {
    /// A thread, with all that follows left open.
    fn open(thread: u16) -> Way {
        Way {
            thread,
            accesses: None,
            then: Vec::new(),
        }
    }

    /// Who goes on behind it first, one after the other.
    pub fn guide(mut ways: &[Way]) -> Vec<u16> {
        let mut guide = Vec::new();
        while let Some(way) = ways.first() {
            guide.push(way.thread);
            ways = &way.then;
        }
        guide
    }
}

/// Steps that are prescribed at most in one piece: trees are not that deep. Who still sleeps then is not settled.
const MOST_PRESCRIBED: usize = 500;

/// Has some steps of a reversal taken, unless they are. Says whether that is new.
fn insert(ways: &mut Vec<Way>, reversal: &Reversal, mut steps: Vec<usize>, mut end: usize) -> bool {
    for way in ways.iter_mut() {
        let accesses = way.accesses.as_deref();
        match reversal.beginning(&steps, way.thread) {
            Some(at) => {
                steps.remove(at);
            }
            None => match accesses {
                Some(a) if reversal.whole && reversal.spares(&steps, way.thread, a) => {}
                _ => {
                    let woken = reversal.woken(&steps, way.thread, accesses);
                    end = end.max(woken.map_or(0, |k| k + 1));
                    continue;
                }
            },
        }
        return !way.then.is_empty() && insert(&mut way.then, reversal, steps, end);
    }
    let mut all = Vec::new();
    let prescribed = steps.iter().filter(|&&k| k < end).take(MOST_PRESCRIBED);
    for &k in prescribed.collect::<Vec<_>>().into_iter().rev() {
        let step = &reversal.steps[k];
        let alone = step.choice == 0 && step.next == 0;
        all = vec![Way {
            thread: step.thread,
            accesses: alone.then(|| reversal.accesses(k)).flatten(),
            then: all,
        }];
    }
    let new = !all.is_empty();
    ways.append(&mut all);
    new
}

/// A decision: the ways that were taken, and those to be taken.
#[derive(Clone, Debug)]
pub struct Node {
    /// Who sleeps since before.
    pub sleep: Vec<Rest>,
    /// Who was or is being tried.
    taken: Threads,
    /// The ways to be taken, in this order: who was tried first sleeps when the next is tried.
    ways: Vec<Way>,
    /// The way that others explore at present.
    handed_out: Option<Way>,
    /// Whether not all that is found where others are tried is among the ways: nobody who rests here is settled then.
    loose: bool,
    /// Who was tried, with all alternatives.
    pub done: Vec<Rest>,
    /// Who can go on.
    pub enabled: Threads,
    /// Who took the step before.
    pub previous: Option<u16>,
    /// Preemptions before this step.
    pub preemptions: u32,
    /// Who is being tried, and the alternative that comes next, or 0.
    present: Option<(u16, u16)>,
    /// Its alternatives up to now.
    tried: Vec<Rest>,
}

impl Node {
    /// The decision that was made with `step`, and the ways to be taken there.
    pub fn new(
        step: &Step,
        ways: Vec<Way>,
        sleep: Vec<Rest>,
        previous: Option<u16>,
        preemptions: u32,
    ) -> Node {
        let mut taken = [0; SET_WORDS];
        put(&mut taken, step.thread);
        let mut node = Node {
            sleep,
            taken,
            ways,
            handed_out: None,
            loose: false,
            done: Vec::new(),
            enabled: step.enabled,
            previous,
            preemptions,
            present: Some((step.thread, step.next)),
            tried: vec![Rest::new(step)],
        };
        let can = |way: &Way| way.thread != step.thread && has(&step.enabled, way.thread);
        node.ways.retain(can);
        node
    }

    /// Has all threads tried that can go on. Says whether that is new.
    pub fn try_all(&mut self) -> bool {
        let known = |t: u16| has(&self.taken, t) || self.ways.iter().any(|way| way.thread == t);
        let new: Vec<Way> = members(&self.enabled)
            .filter(|&t| !known(t))
            .map(Way::open)
            .collect();
        let any = !new.is_empty();
        self.ways.extend(new);
        self.loose = true;
        any
    }

    /// Another way was taken.
    pub fn took(&mut self, step: &Step) {
        if self.present.is_none_or(|p| p.0 != step.thread) {
            self.tried.clear();
            put(&mut self.taken, step.thread);
            self.ways.retain(|way| way.thread != step.thread);
        }
        self.tried.push(Rest::new(step));
        self.present = Some((step.thread, step.next));
    }

    /// Who need not be tried.
    pub fn rests(&self) -> impl Iterator<Item = &Rest> {
        self.sleep.iter().chain(&self.done)
    }

    /// A way is explored elsewhere: what is found from now on comes too late for it.
    pub fn hand_out(&mut self, thread: u16) -> Vec<Way> {
        let way = self.ways.iter().position(|way| way.thread == thread);
        self.handed_out = way.map(|at| self.ways.remove(at));
        put(&mut self.taken, thread);
        self.handed_out
            .as_ref()
            .map_or_else(Vec::new, |way| way.then.clone())
    }

    /// The way that was handed out is still to be explored.
    pub fn take_back(&mut self) {
        if let Some(way) = self.handed_out.take() {
            self.taken[usize::from(way.thread) / 64] &= !(1 << (way.thread % 64));
            self.loose = true;
            self.ways.insert(0, way);
        }
    }

    /// Those who need not be tried when the next way is taken; `settled` says whether all that follows from those who
    /// were tried here is known.
    pub fn resting(&self, settled: bool) -> Vec<Rest> {
        let rests = self.rests().map(|r| Rest {
            settled: r.settled && settled && !self.loose,
            ..r.clone()
        });
        rests.collect()
    }

    /// The rest that an alternative belongs to, if it need not be tried.
    fn rest(&self, thread: u16, choice: u16) -> Option<&Rest> {
        self.rests()
            .find(|r| r.thread == thread && (r.choice == choice || r.choice == ALL))
    }

    /// The first alternative of a thread, from this one on, that is to be tried.
    fn awake_from(&self, thread: u16, mut choice: u16) -> Option<u16> {
        while let Some(rest) = self.rest(thread, choice) {
            if rest.next == 0 {
                return None;
            }
            choice = rest.next;
        }
        Some(choice)
    }

    fn candidates(&self) -> impl Iterator<Item = u16> {
        let ways = self.ways.iter().map(|way| way.thread);
        ways.filter(|&t| self.awake_from(t, 0).is_some())
    }

    /// What is to be taken behind a step of `thread`.
    pub fn then(&self, thread: u16) -> Vec<Way> {
        let way = self.ways.iter().find(|way| way.thread == thread);
        way.map_or_else(Vec::new, |way| way.then.clone())
    }

    /// How often a thread is preempted here, if that one goes on.
    fn preempted(&self, thread: u16) -> bool {
        self.previous
            .is_some_and(|p| p != thread && has(&self.enabled, p))
    }

    /// The next way to take, with a bound on preemptions. If it is not taken, the next call gives the same way.
    pub fn next(&mut self, most: Option<u32>) -> Option<Order> {
        if let Some((thread, next)) = self.present {
            let choice = Some(next).filter(|&n| n > 0);
            if let Some(choice) = choice.and_then(|c| self.awake_from(thread, c)) {
                return Some(Order { thread, choice });
            }
            self.settle();
            self.present = None;
        }
        let most = most.unwrap_or(u32::MAX);
        let fits = |t: &u16| self.preemptions + u32::from(self.preempted(*t)) <= most;
        let thread = self.candidates().find(fits)?;
        let choice = self.awake_from(thread, 0)?;
        Some(Order { thread, choice })
    }

    /// The present thread was tried. Its alternatives sleep one by one if they access different things.
    fn settle(&mut self) {
        let mut tried = std::mem::take(&mut self.tried);
        let Some(first) = tried.first().cloned() else {
            return;
        };
        let whole = !self.sleep.iter().any(|r| r.thread == first.thread);
        let same = tried.iter().all(|r| r.accesses == first.accesses);
        if whole && (same || tried.len() > MOST_APART) {
            let all = tried.iter().flat_map(|r| r.accesses.iter().copied());
            let accesses = if same { first.accesses } else { all.collect() };
            tried = vec![Rest {
                thread: first.thread,
                choice: ALL,
                next: 0,
                accesses,
                settled: true,
            }];
        }
        self.done.append(&mut tried);
    }

    /// How many ways were left out for having too many preemptions, when there is no next one.
    pub fn excluded(&self) -> u64 {
        self.candidates().count() as u64
    }

    /// Whether nothing is missing to have a race explored the other way round, whatever follows: one of those who could
    /// begin sleeps, was tried, or is to be tried with all that follows left open.
    pub fn settles(&self, initials: &[Initial]) -> bool {
        let open = |t| {
            self.ways
                .iter()
                .any(|way| way.thread == t && way.then.is_empty())
        };
        // What sleeps and could begin as well is explored where it is awake.
        let rests = |&(thread, choice): &Initial| match choice {
            Some(choice) => self.rest(thread, choice).is_some(),
            None => self.awake_from(thread, 0).is_none(),
        };
        let usable = |t| has(&self.enabled, t) && (has(&self.taken, t) || open(t));
        let can = initials.iter().any(|i| has(&self.enabled, i.0));
        can && initials.iter().any(|i| usable(i.0) || rests(i))
    }

    /// Has a race explored the other way round that is not settled, unless that is known to happen. With `alone` all
    /// that was found where others were tried is known here. Says whether there is a new way.
    pub fn want(&mut self, reversal: &Reversal, alone: bool) -> bool {
        let can = reversal.initials.iter().find(|i| has(&self.enabled, i.0));
        let Some(&(first, _)) = can else {
            // Not known to happen. It must not be left out in any case.
            return self.try_all();
        };
        let mut steps: Vec<usize> = (0..reversal.steps.len()).collect();
        self.loose |= !reversal.whole;
        if reversal.whole && self.could_begin(reversal, &steps, alone) {
            return false;
        }
        let end = self.awake(reversal, &steps);
        let begins = |&k: &usize| reversal.steps[k].thread == first;
        if let Some(at) = steps.iter().position(begins) {
            steps[..=at].rotate_right(1);
        }
        insert(&mut self.ways, reversal, steps, end)
    }

    /// Whether who sleeps or was tried could begin, or takes none of these steps and could take its own before them as
    /// well as behind them (a weak initial: Abdulla et al. 2014, section 5).
    fn could_begin(&self, reversal: &Reversal, steps: &[usize], alone: bool) -> bool {
        let settled = |r: &&Rest| r.settled;
        let done = self.done.iter().filter(|_| alone);
        let mut rests = self.sleep.iter().filter(settled).chain(done);
        rests.any(|r| {
            let whole = r.choice == ALL || r.choice == 0 && r.next == 0;
            let begins = reversal.beginning(steps, r.thread);
            let begins =
                begins.is_some_and(|at| r.choice == ALL || r.choice == reversal.steps[at].choice);
            begins || whole && reversal.spares(steps, r.thread, &r.accesses)
        })
    }

    /// How many steps of a reversal there are up to where nobody sleeps any more: from there on no execution has to be
    /// given up, so all can be left open.
    fn awake(&self, reversal: &Reversal, steps: &[usize]) -> usize {
        let asleep = self.rests().chain(&self.tried);
        let wakes = asleep.filter_map(|r| reversal.woken(steps, r.thread, Some(&r.accesses)));
        wakes.max().unwrap_or(0).max(reversal.reversed) + 1
    }
}

/// A thread that could begin, and with which alternative, if that is known.
pub type Initial = (u16, Option<u16>);
