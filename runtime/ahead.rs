//! Looking ahead: whether a thread that is back at a place of a loop, in another local state than before, waits all the
//! same.
//!
//! The first turn of a loop leaves in temporaries what it has read, so that the local state is the same only from the
//! second turn on; whether it is so already after the first one depends on what the stack has held before. Therefore
//! the thread is let make another turn at once, in which it finds what it has found in the turn before, and may change
//! nothing but its own stack. If that leads back to the same local state, it would do the same again, and waits
//! actively from here on. Else its stack is restored, and nothing has happened. It depends only on what the thread
//! itself has seen, so equivalent executions agree.

use crate::atomics;
use crate::shared::*;
use crate::shims;
use crate::spin;
use crate::state::*;
use crate::steps::peek;
use core::cell::UnsafeCell;

/// Stacks that are larger are not copied.
const ROOM: usize = 8 << 10;
/// So many calls in one turn.
const CALLS: u32 = 1000;

struct Ahead {
    /// Which reads of the window the turn has made, and which one comes next.
    from: usize,
    next: usize,
    calls: u32,
    /// In how many atomic regions it is.
    regions: u32,
    /// What the thread's clock showed.
    time: i64,
    /// Where the turn began, and the local state.
    pc: u64,
    hash: u64,
    /// What the cells hold now, while the thread finds what it has found before.
    held: [u64; WINDOW],
    /// The stack, and where it belongs.
    sp: usize,
    stack: [u8; ROOM],
}

struct Global(UnsafeCell<Ahead>);
// One operating system thread only.
unsafe impl Sync for Global {}

static AHEAD: Global = Global(UnsafeCell::new(Ahead {
    from: 0,
    next: 0,
    calls: 0,
    regions: 0,
    time: 0,
    pc: 0,
    hash: 0,
    held: [0; WINDOW],
    sp: 0,
    stack: [0; ROOM],
}));

pub struct Flag(UnsafeCell<u8>);
// Likewise.
unsafe impl Sync for Flag {}

/// Whether the running thread looks ahead. The shims ask for it as well.
pub static ON: Flag = Flag(UnsafeCell::new(0));

fn set(on: bool) {
    unsafe { *ON.0.get() = on.into() }
}

pub fn on() -> bool {
    unsafe { *ON.0.get() != 0 }
}

fn ahead() -> &'static mut Ahead {
    unsafe { &mut *AHEAD.0.get() }
}

/// What becomes of a step.
pub enum Goes {
    /// Nobody looks ahead.
    On,
    /// It was taken, to look ahead.
    Taken(i64),
    /// The thread is back.
    Back,
}

/// The cells of the turn that others can write, each with its place in the window.
fn cells(who: usize) -> impl Iterator<Item = (usize, Seen)> {
    let thread = thread(who);
    (ahead().from..thread.nseen as usize)
        .map(move |i| (i, thread.seen[i]))
        .filter(move |(_, seen)| !spin::own_stack(who, seen.key))
}

/// Puts back what the cells hold, and the thread's clock.
fn restore(who: usize) {
    thread(who).time = ahead().time;
    for (i, seen) in cells(who) {
        if peek(seen.key, seen.size) != ahead().held[i] {
            atomics::poke(seen.key, seen.size, ahead().held[i]);
        }
    }
}

/// Whether the thread may look ahead from the step that it has announced. If so, it is to return to the program with
/// the result of `begin`. Returns for a second time, with false, if it did not come back.
pub fn possible(who: usize, from: usize, hash: u64) -> bool {
    let (ahead, thread) = (ahead(), thread(who));
    let first = thread.seen[from];
    let objects = || thread.seen[from..thread.nseen as usize].iter();
    let region = thread.op.kind == Kind::AtomicBegin;
    if rt().region
        || !region && (first.key, first.size) != (thread.op.addr, thread.op.size)
        || objects().any(|s| s.key & OBJECT != 0)
        || !spin::own_stack(who, shims::registers().sp as u64)
    {
        return false;
    }
    ahead.from = from;
    ahead.next = from;
    ahead.calls = 0;
    ahead.regions = 0;
    ahead.time = thread.time;
    ahead.pc = thread.op.pc;
    ahead.hash = hash;
    for (i, seen) in cells(who) {
        ahead.held[i] = peek(seen.key, seen.size);
    }
    for (_, seen) in cells(who) {
        if peek(seen.key, seen.size) != seen.value {
            atomics::poke(seen.key, seen.size, seen.value);
        }
    }
    // A cell that had two values in one turn has only one now.
    if cells(who).any(|(_, seen)| peek(seen.key, seen.size) != seen.value) {
        restore(who);
        return false;
    }
    let top = spin::stack_top(who);
    let kept =
        unsafe { shims::coarsen_keep(&raw mut ahead.sp, (&raw mut ahead.stack).cast(), top, ROOM) };
    if kept == 0 {
        set(true);
        return true;
    }
    if kept == 2 {
        restore(who);
    }
    false
}

/// The first step of the turn.
pub fn begin() -> i64 {
    let op = me().op;
    match take(&op) {
        Some(result) => result,
        None => fail(),
    }
}

/// An atomic region is entered or left. True: only while looking ahead, so that nothing is to be done.
pub fn region(enters: bool) -> bool {
    if !on() {
        return false;
    }
    let ahead = ahead();
    if !enters {
        ahead.regions = ahead.regions.saturating_sub(1);
    } else if ahead.regions > 0 {
        ahead.regions += 1;
    } else {
        crate::schedule::step(Op {
            kind: Kind::AtomicBegin,
            ..Op::default()
        });
    }
    true
}

/// The turn did not lead back: nothing of it has happened.
pub extern "C" fn fail() -> ! {
    let (ahead, who) = (ahead(), rt().current);
    restore(who);
    set(false);
    let top = spin::stack_top(who);
    unsafe { shims::coarsen_back(ahead.sp, (&raw const ahead.stack).cast(), top) }
}

/// Has a signal handler return to `fail`, if the thread that was interrupted looks ahead: what it does there has not
/// happened.
///
/// # Safety
/// The two are the registers of the interrupted thread.
pub unsafe fn interrupted(pc: *mut u64, sp: *mut u64) -> bool {
    if on() {
        let below = (ahead().sp as u64 - 4096 & !15) - 8;
        unsafe {
            pc.write(fail as *const () as u64);
            sp.write(below);
        }
    }
    on()
}

/// A step is announced.
pub fn step(op: &Op) -> Goes {
    if !on() {
        return Goes::On;
    }
    let (ahead, who) = (ahead(), rt().current);
    ahead.calls += 1;
    let turned = ahead.next == thread(who).nseen as usize;
    if turned && shims::registers().pc == ahead.pc && spin::local_state(who) == ahead.hash {
        restore(who);
        set(false);
        return Goes::Back;
    }
    match take(op) {
        Some(result) if ahead.calls < CALLS => Goes::Taken(result),
        _ => fail(),
    }
}

/// The thread is back: it waits.
pub fn found(who: usize) {
    spin::waits(who, ahead().from, ahead().hash, false);
}

/// The result of an access, if it changes nothing that others could see, and reads what the turn before has read.
fn take(op: &Op) -> Option<i64> {
    let (ahead, who) = (ahead(), rt().current);
    if op.kind == Kind::Write {
        return spin::own_place(who, op.addr, op.size).then_some(0);
    }
    if op.kind == Kind::AtomicBegin {
        ahead.regions = 1;
        return Some(0);
    }
    let thread = thread(who);
    let seen = thread.seen[ahead.next..thread.nseen as usize].first()?;
    if seen.key != op.addr || seen.size != op.size {
        return None;
    }
    let result = match op.kind {
        Kind::Read => 0,
        Kind::AtomicLoad | Kind::AtomicUpdate | Kind::CompareAndSwap => {
            let old = peek(op.addr, op.size);
            if op.kind != Kind::AtomicLoad && atomics::result(op, old) != old {
                return None;
            }
            old as i64
        }
        _ => return None,
    };
    ahead.next += 1;
    Some(result)
}
