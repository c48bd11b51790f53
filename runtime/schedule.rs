//! Who goes on: a thread announces a step and waits here until it is chosen.
//!
//! The request gives the first steps; after them the running thread goes on as long as it can, then the one with the
//! lowest number, and threads asleep are passed over until somebody takes a step that theirs depends on. A step is
//! recorded before the program takes it, so that a crash leaves the execution behind that led to it.

use crate::ahead;
use crate::arena;
use crate::invariants;
use crate::shared::*;
use crate::server;
use crate::shims;
use crate::state::*;
use crate::{spin, steps, tls};

/// So many steps in a row, and another thread's turn comes.
const ROW: u32 = 2000;

/// Announces a step of the running thread, and returns with its result when it has been taken.
pub fn step(op: Op) -> i64 {
    let rt = rt();
    if rt.checking != 0 {
        invariants::forbidden();
    }
    let who = rt.current;
    let thread = me();
    let registers = shims::registers();
    let waits = match ahead::step(&op) {
        ahead::Goes::Taken(result) => return result,
        goes => matches!(goes, ahead::Goes::Back),
    };
    thread.op = op;
    if thread.op.pc == 0 {
        thread.op.pc = registers.pc;
    }
    if registers.sp < thread.low && spin::own_stack(who, registers.sp as u64) {
        thread.low = registers.sp;
    }
    if shared().tell != 0 {
        arena::tell_pointers(who, registers.sp as u64);
    }
    look_back(who);
    if rt.region && op.kind != Kind::Exit && steps::enabled(who) {
        // The region is one step: what happens in it belongs to the event that began it.
        let n = rt.steps - 1;
        let choices = steps::choices(who);
        if choices > 1 {
            shared().event[n as usize].chose = 1;
        }
        let choice = draw(n, choices);
        return record(who, choice, n);
    }
    rt.region = false;
    if rt.changed != 0 {
        invariants::check();
    }
    // A call may make several steps at the same place without being back there; only after a wait the second one
    // counts.
    if waits {
        ahead::found(who);
    } else if registers.fresh != 0 || op.kind == Kind::TimedReacquire {
        if spin::announce(who) {
            return ahead::begin();
        }
    } else {
        me().local = spin::mix(rt.steps.into());
    }
    next();
    // A region that had to wait for something goes on as one step.
    let me = me();
    if core::mem::take(&mut me.stops) {
        coarsen_step_reached(registers.pc);
    }
    crate::state::rt().region = me.regions > 0;
    // A call of the program may be several steps; the next one is at the same place.
    shims::set_registers(registers);
    me.result
}

/// A debugger has a breakpoint here, and sets another one at `pc`: there the program goes on behind the step.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn coarsen_step_reached(pc: u64) {
    core::hint::black_box(pc);
}

/// Reads what the last plain store of a thread has stored; nobody else has run since.
pub fn look_back(who: usize) {
    let thread = thread(who);
    if let Some((addr, size)) = thread.stores.take()
        && steps::peek(addr, size) != thread.old
    {
        spin::forget(who);
    }
    if thread.unread != NO_STEP {
        let event = &mut shared().event[thread.unread as usize];
        event.value = steps::peek(event.addr, event.size);
        thread.unread = NO_STEP;
    }
}

/// One digit of the alternative of event `n` that is taken: which of `choices`.
fn draw(n: u32, choices: u16) -> u16 {
    if choices <= 1 {
        return 0;
    }
    let draw = &mut rt().draw;
    let digit = draw.rest % choices;
    draw.rest /= choices;
    let number = |digit: u16| draw.taken + u64::from(digit) * draw.scale;
    if digit + 1 < choices {
        let Ok(next) = u16::try_from(number(digit + 1)) else {
            crate::check::limit("more than 65,535 alternatives of an atomic region");
        };
        shared().event[n as usize].next = next;
    }
    draw.taken = number(digit);
    draw.scale = draw.scale.saturating_mul(choices.into());
    digit
}

/// Whether the last step was asked for an alternative that it does not have.
fn overdrawn() -> bool {
    let (rt, shared) = (rt(), shared());
    if rt.draw.rest == 0 {
        return false;
    }
    rt.draw.rest = 0;
    shared.event[rt.steps as usize - 1].choice = rt.draw.taken as u16;
    shared.loose == 0
}

/// Takes the next step of some thread, and goes to that thread. Returns when the calling thread is chosen.
pub fn next() {
    let (rt, shared) = (rt(), shared());
    let before = rt.current;
    let n = rt.steps;
    if overdrawn() {
        finish(DIVERGED);
    }
    if rt.sleeping && n > 0 {
        wake(n as usize - 1);
    }
    let enabled = enabled();
    shared.can = enabled;
    let (who, choice) = choose(&enabled);
    if n >= shared.max_steps || n as usize >= MAX_STEPS {
        finish(STEP_LIMIT);
    }
    if shared.sleepers > 0 && n == shared.sleep_from {
        rt.sleeping = true;
        for sleeper in &shared.sleeper[..shared.sleepers as usize] {
            look_for_first(sleeper.thread.into());
        }
    }
    let op = &thread(who).op;
    shared.event[n as usize] = Event {
        pc: op.pc,
        addr: op.addr,
        value: 0,
        before: 0,
        size: op.size,
        first: rt.accesses,
        accesses: 0,
        thread: who as u16,
        choice,
        choices: steps::choices(who),
        next: 0,
        kind: op.kind as u8,
        chose: 0,
        fences: core::mem::take(&mut thread(who).fences),
        enabled,
    };
    rt.draw = Draw {
        rest: choice,
        taken: 0,
        scale: 1,
    };
    rt.row = if who == before { rt.row + 1 } else { 0 };
    rt.steps = n + 1;
    shared.events = n + 1;
    thread(who).stops = shared.stop_at == n + 1;
    rt.taking = who + 1;
    let choice = draw(n, steps::choices(who));
    let taken = unsafe { server::coarsen_take(who, choice, n) };
    rt.taking = 0;
    if taken.crashed != 0 {
        // The others go on; this thread goes no further.
        thread(who).op = Op {
            kind: Kind::Stopped,
            ..Op::default()
        };
        return next();
    }
    thread(who).result = taken.result;
    if who != before {
        unsafe {
            thread(before).errno = *crate::libc::__errno_location();
            tls::enter(who);
            *crate::libc::__errno_location() = thread(who).errno;
            rt.current = who;
            shims::coarsen_switch(&mut thread(before).sp, thread(who).sp);
        }
    }
}

/// Takes the step that a thread has announced, as part of event `n`.
pub extern "C" fn record(who: usize, choice: u16, n: u32) -> i64 {
    let (rt, shared) = (rt(), shared());
    let event = &mut shared.event[n as usize];
    let region = if rt.region { ATOMIC } else { 0 };
    steps::footprint(who, choice, &mut |mut access| {
        access.flags |= region;
        if region != 0 {
            // A region is atomic whatever is in it.
            access.order = 0;
        }
        if rt.accesses as usize >= MAX_ACCESSES {
            crate::check::limit("more than 500,000 accesses");
        }
        shared.access[rt.accesses as usize] = access;
        rt.accesses += 1;
        event.accesses += 1;
        if access.key & !0xFF == PROMISED {
            rt.changed |= 1 << (access.key & 0x1F);
        }
    });
    shared.accesses = rt.accesses;
    if matches!(event.kind(), Kind::Write | Kind::AtomicStore | Kind::AtomicUpdate | Kind::CompareAndSwap) {
        event.before = steps::peek(event.addr, event.size);
    }
    let (result, value) = steps::execute(who, choice);
    event.value = value;
    if event.kind() == Kind::Write {
        thread(who).unread = n;
    }
    result
}

/// Who can go on.
fn enabled() -> Threads {
    let rt = rt();
    let mut set = [0; SET_WORDS];
    for (word, &bits) in rt.alive.iter().enumerate() {
        let mut bits = bits;
        while bits != 0 {
            let i = word * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if steps::enabled(i) {
                put(&mut set, i);
            }
        }
    }
    if set == [0; SET_WORDS] {
        // The end of the process waits for all others: what they do does not depend on it.
        for i in 0..rt.count {
            if has(&rt.alive, i) && thread(i).op.kind == Kind::ProcessExit {
                put(&mut set, i);
                return set;
            }
        }
        finish(stuck());
    }
    set
}

/// What it means that nobody can go on.
fn stuck() -> u32 {
    let rt = rt();
    let mut status = COMPLETE;
    let mut circles = false;
    for i in 0..rt.count {
        if has(&rt.alive, i) {
            let thread = thread(i);
            circles |= thread.spins && thread.circles;
            let new = match thread.op.kind {
                Kind::Stopped => ERROR,
                Kind::Assume => ASSUMED,
                Kind::TooMany => THREAD_LIMIT,
                _ if thread.spins => LIVELOCK,
                _ => DEADLOCK,
            };
            let weight = |s| match s {
                ERROR => 5,
                THREAD_LIMIT => 4,
                ASSUMED => 3,
                LIVELOCK => 2,
                DEADLOCK => 1,
                _ => 0,
            };
            if weight(new) > weight(status) {
                status = new;
            }
        }
    }
    match status {
        // Somebody can go round and round, and is known to be able to choose something else.
        DEADLOCK | LIVELOCK if circles => COMPLETE,
        _ => status,
    }
}

/// How an execution ends that the process ends: who waits is let down, which is no error; who failed an assumption has
/// failed it.
pub fn unfinished() -> u32 {
    match stuck() {
        status @ (ERROR | THREAD_LIMIT | ASSUMED) => status,
        _ => COMPLETE,
    }
}

fn choose(enabled: &Threads) -> (usize, u16) {
    let (rt, shared) = (rt(), shared());
    while rt.given < shared.prefix {
        let order = shared.order[rt.given as usize];
        rt.given += 1;
        let who = order.thread as usize;
        // What there is to choose inside a region is seen when it comes.
        let among = order.choice < steps::choices(who) || thread(who).regions > 0;
        if has(enabled, who) && among {
            return (who, order.choice);
        }
        if shared.loose == 0 {
            finish(DIVERGED);
        }
    }
    if shared.hunt != 0 {
        return hunted(enabled);
    }
    let who = guided(enabled).unwrap_or_else(|| next_awake(enabled));
    (who, rt.first[who])
}

/// Who is to go on behind the given steps, for as long as these threads can.
fn guided(enabled: &Threads) -> Option<usize> {
    let (rt, shared) = (rt(), shared());
    let end = shared.prefix + shared.guide;
    if rt.given >= end {
        return None;
    }
    let who = shared.order[rt.given as usize].thread as usize;
    let goes_on = has(enabled, who) && !(rt.sleeping && has(&rt.asleep, who));
    rt.given = if goes_on { rt.given + 1 } else { end };
    goes_on.then_some(who)
}

/// Who has the highest priority (probabilistic concurrency testing: `ctest/hunt.rs`), and any of its alternatives.
fn hunted(enabled: &Threads) -> (usize, u16) {
    let (rt, shared) = (rt(), shared());
    let random = |n: u64| spin::mix(shared.hunt.wrapping_add(spin::mix(n)));
    // Whose priority has been changed comes behind all others, by the number of the change: the changes come at random
    // steps, so any order of those is possible.
    let priority = |i: usize| match crate::state::rt().lowered[i] {
        0 => (u32::MAX, random(i as u64)),
        change => (change, 0),
    };
    let highest = || {
        let rt = crate::state::rt();
        let all = (0..rt.count).filter(|&i| has(enabled, i));
        all.max_by_key(|&i| priority(i)).unwrap_or(rt.current)
    };
    let mut who = highest();
    let changes = &shared.change[..(shared.changes as usize).min(MAX_CHANGES)];
    if let Some(change) = changes.iter().position(|&step| step == rt.steps) {
        rt.lowered[who] = change as u32 + 1;
        who = highest();
    }
    let choice = random(u64::from(rt.steps) << 16) % u64::from(steps::choices(who).max(1));
    (who, choice as u16)
}

/// Finds out whether a thread sleeps with all its alternatives, and which is the first that does not.
fn look_for_first(who: usize) {
    let (rt, shared) = (rt(), shared());
    let sleepers = &shared.sleeper[..shared.sleepers as usize];
    let asleep = |choice: u16| {
        let mut own = sleepers.iter().zip(&rt.woken).filter(|(s, woken)| {
            usize::from(s.thread) == who && !**woken && (s.choice == choice || s.choice == ALL)
        });
        own.next().map(|(s, _)| s.next)
    };
    let mut choice = 0;
    drop(&mut rt.asleep, who);
    while let Some(next) = asleep(choice) {
        choice = next;
        if next == 0 {
            put(&mut rt.asleep, who);
            break;
        }
    }
    rt.first[who] = choice;
}

/// Who goes on, of those that are awake.
fn next_awake(enabled: &Threads) -> usize {
    let (rt, shared) = (rt(), shared());
    let n = rt.steps;
    let mut set = *enabled;
    if rt.sleeping {
        for (word, asleep) in set.iter_mut().zip(rt.asleep) {
            *word &= !asleep;
        }
    }
    if shared.eager != 0 {
        // A start that stands between two steps would be one more way to begin their reversal.
        if let Some(i) = (0..rt.count).find(|&i| has(&set, i) && thread(i).op.kind == Kind::Start) {
            rt.resume = if rt.resume == 0 {
                rt.current + 1
            } else {
                rt.resume
            };
            return i;
        }
        if let Some(i) = core::mem::take(&mut rt.resume).checked_sub(1)
            && has(&set, i)
        {
            return i;
        }
    }
    // Who never ends must not keep the others from their first step.
    let tired = rt.row >= ROW;
    if n > 0 && has(&set, rt.current) && !tired {
        return rt.current;
    }
    if tired && let Some(i) = (rt.current + 1..rt.count).find(|&i| has(&set, i)) {
        return i;
    }
    for (word, bits) in set.iter().enumerate() {
        if *bits != 0 {
            return word * 64 + bits.trailing_zeros() as usize;
        }
    }
    finish(ASLEEP)
}

/// Wakes who would do something that depends on step `n`.
fn wake(n: usize) {
    let (rt, shared) = (rt(), shared());
    let event = &shared.event[n];
    let from = event.first as usize;
    let done = &shared.access[from..from + event.accesses as usize];
    for (k, sleeper) in shared.sleeper[..shared.sleepers as usize]
        .iter()
        .enumerate()
    {
        if rt.woken[k] {
            continue;
        }
        let from = sleeper.first as usize;
        let would = &shared.asleep[from..from + sleeper.accesses as usize];
        if sleeper.thread == event.thread || disturbs(done, would) {
            rt.woken[k] = true;
            look_for_first(sleeper.thread.into());
        }
    }
}

/// Ends the execution.
pub fn finish(status: u32) -> ! {
    let (rt, shared) = (rt(), shared());
    let mut status = if overdrawn() { DIVERGED } else { status };
    if status == COMPLETE && shared.leaks != 0 {
        let sp = &raw const status as u64;
        if let Some(block) = crate::leaks::lost(sp) {
            let owner = arena::owner(block.start) as usize;
            crate::check::mishap(LEAK, owner, (block.pc, block.start), &[]);
            status = ERROR;
        }
    }
    if rt.changed != 0 && rt.checking == 0 && !rt.region && status == ERROR {
        // The thread has changed something since its last step, and announces no other one.
        invariants::check();
    }
    shared.status = status;
    shared.threads = rt.count as u32;
    look_back(rt.current);
    for i in 0..rt.count {
        if !has(&rt.made, i) {
            shared.last[i] = Last::default();
            continue;
        }
        let thread = thread(i);
        let first = rt.accesses;
        let mut accesses = 0;
        if has(&rt.alive, i) {
            let mut put = |access| {
                if (rt.accesses as usize) < MAX_ACCESSES {
                    shared.access[rt.accesses as usize] = access;
                    rt.accesses += 1;
                    accesses += 1;
                }
            };
            steps::footprint(i, 0, &mut put);
        }
        shared.last[i] = Last {
            kind: thread.op.kind as u8,
            ended: thread.ended.into(),
            begun: thread.begun.into(),
            spins: thread.spins.into(),
            accesses,
            first,
            choices: steps::choices(i),
            region: (thread.regions > 0 || thread.op.kind == Kind::AtomicBegin).into(),
            pc: thread.op.pc,
            addr: thread.op.addr,
            local: thread.local,
        };
    }
    if shared.tell != 0 {
        arena::tell();
    }
    tls::leave();
    unsafe {
        let mut nowhere = 0;
        shims::coarsen_switch(&mut nowhere, rt.home);
    }
    // Nobody switches back to `nowhere`.
    unsafe { crate::libc::_exit(96) }
}
