//! Active waiting: a thread that is back where it was, in the same local state, and has found nothing but what is still
//! there, would do the same again. It is blocked until one of the cells that it has read holds another value.
//!
//! The local state is the thread's stack above the call, without local variables whose value makes no difference any
//! more, its callee-saved registers, and the locks it holds. The thread must have changed nothing in between; locks
//! taken and given back don't count. A thread that holds a lock at that place which it gives back in the loop is not
//! blocked there (others may need the lock), but where it has given it back.
//!
//! What was chosen in between does not matter: whatever a thread may choose that is back where it was, it could have
//! chosen before. But such a thread is no error if nobody lets it go.

use crate::ahead;
use crate::pipes;
use crate::objects::object;
pub use crate::shared::own_stack;
use crate::shared::*;
use crate::shims;
use crate::state::*;
use crate::atomics::poke;
use crate::steps::peek;

/// Scatters bits.
pub fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^ x >> 29
}

/// Where a thread's stack begins (it grows down).
pub fn stack_top(who: usize) -> usize {
    STACKS_AT + (who + 1) * STACK_SIZE
}

/// The thread has changed something: what it saw before says nothing about what it will do.
pub fn forget(who: usize) {
    let thread = thread(who);
    thread.nheads = 0;
    thread.nseen = 0;
}

/// Whether what a thread writes there is part of its local state, and seen by nobody else.
pub fn own_place(who: usize, addr: u64, size: u32) -> bool {
    let shared = shared();
    let shown = &shared.place[..shared.shown as usize];
    let meets = |&[at, long]: &[u64; 2]| at < addr + u64::from(size) && addr < at + long;
    own_stack(who, addr) && !shown.iter().any(meets)
}

/// Whether an access that the runtime makes for the running thread need not be a step: it is on its own stack, where
/// nobody else looks, as far as is known. The place is noted, so that the explorer finds out if that is wrong.
pub fn is_private(addr: u64, size: u32) -> bool {
    if !own_place(rt().current, addr, size) {
        return false;
    }
    let shared = shared();
    let n = shared.hidden as usize;
    let place = [addr, size.into()];
    if !shared.hidden_place[..n].contains(&place) {
        if n == MAX_HIDDEN {
            crate::check::limit(
                "more than 1,024 places on stacks that are accessed without a step",
            );
        }
        shared.hidden_place[n] = place;
        shared.hidden += 1;
    }
    true
}

/// So many variables that make no difference are looked for.
const FAINT: usize = 24;

/// Sets local variables to 0 whose value makes no difference to what the thread does from here on, and keeps what they
/// held. They are noted in the code, behind the calls by which the thread has come here
/// (`ctest/values/faint.rs`).
fn clear_faint(who: usize, registers: &shims::Registers, held: &mut [[u64; 3]; FAINT]) -> usize {
    const IS: u64 = 0x00FF_0000_00FF_FFFF;
    const MARK: u64 = 0x005C_0000_0080_1F0F;
    let (mut pc, mut frame) = (registers.pc, registers.saved[1]);
    let mut below = registers.sp as u64;
    let top = stack_top(who) as u64;
    let mut count = 0;
    loop {
        let mut marked = false;
        while pc != 0 {
            let mark = unsafe { (pc as *const u64).read_unaligned() };
            if mark & IS != MARK {
                break;
            }
            marked = below < frame && frame & 7 == 0 && frame + 16 <= top;
            let (size, offset) = (1 << (mark >> 46 & 3), mark >> 24 & 0x3F_FFFF);
            let at = frame.wrapping_sub(offset);
            if marked && offset > 0 && below < at && count < FAINT {
                held[count] = [at, size, peek(at, size as u32)];
                poke(at, size as u32, 0);
                count += 1;
            }
            pc += 7;
        }
        if !marked {
            return count;
        }
        below = frame;
        pc = peek(frame + 8, 8);
        frame = peek(frame, 8);
    }
}

pub fn local_state(who: usize) -> u64 {
    let registers = shims::registers();
    let mut held = [[0; 3]; FAINT];
    let count = clear_faint(who, &registers, &mut held);
    let hash = hash_of_stack(who, &registers);
    for [at, size, value] in held[..count].iter().rev() {
        poke(*at, *size as u32, *value);
    }
    hash
}

fn hash_of_stack(who: usize, registers: &shims::Registers) -> u64 {
    let mut hash = mix(thread(who).held ^ registers.sp as u64);
    for saved in registers.saved {
        hash = (hash ^ saved).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 31;
    }
    let mut at = registers.sp + 8;
    let top = stack_top(who);
    while at < top {
        let word = unsafe { (at as *const u64).read_unaligned() };
        hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
        at += 8;
    }
    hash
}

/// Looks whether the thread, before the step it has announced, is back where it was. True: it is to look ahead.
pub fn announce(who: usize) -> bool {
    let thread = thread(who);
    if shared().local_states != 0 {
        thread.local = thread
            .specific
            .iter()
            .chain(&[
                thread.random as usize,
                thread.time as usize,
                thread.top as usize,
            ])
            .fold(local_state(who) ^ thread.op.pc, |hash, &word| {
                mix(hash ^ mix(word as u64))
            });
        return false;
    }
    match thread.op.kind {
        Kind::Read
        | Kind::AtomicLoad
        | Kind::AtomicUpdate
        | Kind::CompareAndSwap
        | Kind::Lock
        | Kind::TryLock
        | Kind::TimedLock
        | Kind::TimedReacquire
        | Kind::SemTryWait
        | Kind::SemTimedWait
        | Kind::TryReadLock
        | Kind::TryWriteLock
        | Kind::TimedReadLock
        | Kind::TimedWriteLock
        | Kind::Poll
        | Kind::AtomicBegin
        | Kind::Choice
        | Kind::Allocate => {}
        _ => return false,
    }
    let hash = local_state(who);
    let (pc, addr) = (thread.op.pc, thread.op.addr);
    let heads = &mut thread.heads[..(thread.nheads as usize).min(HEADS)];
    // A function that reads for others may be called several times in one turn. Between two choices the thread may have
    // come in several states, and be back in any of them.
    let again = |head: &&mut Head| {
        (head.pc, head.addr) == (pc, addr) && (head.hash == hash || head.chose == thread.chose)
    };
    if let Some(head) = heads.iter_mut().find(again) {
        let from = head.from as usize;
        let gives = head.holds > 0 && thread.gave != head.gave;
        let circles = head.chose != thread.chose;
        let seen = &thread.seen[from..thread.nseen as usize];
        // Where a cell has had two values in one turn, the next turn is another one.
        let two = |(i, s): (usize, &Seen)| {
            let same = |t: &&Seen| t.key == s.key && t.size == s.size;
            !own_stack(who, s.key)
                && seen[..i]
                    .iter()
                    .find(same)
                    .is_some_and(|t| t.value != s.value)
        };
        let turned = !gives && (circles || !seen.is_empty()) && !seen.iter().enumerate().any(two);
        if head.hash == hash && turned {
            waits(who, from, hash, circles);
            return false;
        }
        let ahead = turned && !circles && ahead::possible(who, from, hash);
        head.hash = hash;
        head.from = thread.nseen;
        head.holds = thread.holds;
        head.gave = thread.gave;
        head.chose = thread.chose;
        return ahead;
    }
    thread.heads[thread.nheads as usize % HEADS] = Head {
        pc,
        addr,
        hash,
        from: thread.nseen,
        holds: thread.holds,
        gave: thread.gave,
        chose: thread.chose,
    };
    thread.nheads += 1;
    false
}

/// The thread waits actively, in this local state: a turn of its loop, whose reads begin at `from`, would do the same
/// again.
pub fn waits(who: usize, from: usize, hash: u64, circles: bool) {
    let thread = thread(who);
    // Where something has changed meanwhile the thread is released at once. It waits for the same cells all the
    // same: whether the change came before or after this moment must make no difference.
    let seen = &mut thread.seen[from..thread.nseen as usize];
    for s in seen.iter_mut().filter(|s| own_stack(who, s.key)) {
        s.value = now(s);
    }
    thread.seen.copy_within(from..thread.nseen as usize, 0);
    thread.nseen -= from as u32;
    // Another turn may begin here.
    thread.heads[0] = Head {
        pc: thread.op.pc,
        addr: thread.op.addr,
        hash,
        from: 0,
        holds: thread.holds,
        gave: thread.gave,
        chose: thread.chose,
    };
    thread.nheads = 1;
    thread.spins = true;
    thread.circles = circles;
    shared().spun = 1;
}

/// The thread has waited, and goes on.
pub fn goes_on(who: usize) {
    let thread = thread(who);
    thread.nseen = 0;
    thread.spins = false;
}

fn now(seen: &Seen) -> u64 {
    let at = seen.key & !OBJECT;
    if at != seen.key && pipes::is_one(at) {
        return pipes::state(at);
    }
    if seen.key & OBJECT != 0 {
        let object = object(seen.key & !OBJECT);
        u64::from(object.owner) << 40 ^ u64::from(object.count) << 8 ^ u64::from(object.limit)
    } else {
        peek(seen.key, seen.size)
    }
}

/// Whether something that a blocked thread has read has changed.
pub fn released(who: usize) -> bool {
    let thread = thread(who);
    let signalled = thread.op.kind == Kind::TimedReacquire && thread.signalled;
    signalled
        || thread.seen[..thread.nseen as usize]
            .iter()
            .any(|s| now(s) != s.value)
}

/// The cells that a blocked thread waits for, as accesses.
pub fn cells(who: usize, put: &mut dyn FnMut(Access)) {
    let thread = thread(who);
    for seen in &thread.seen[..thread.nseen as usize] {
        put(Access {
            key: seen.key,
            size: seen.size,
            mode: MODE_READ,
            flags: ATOMIC | WATCHED,
            order: 0,
            unused: 0,
        });
    }
}

fn see(who: usize, key: u64, size: u32) {
    let thread = thread(who);
    if thread.nseen as usize >= WINDOW {
        forget(who);
        return;
    }
    let mut seen = Seen {
        key,
        size,
        value: 0,
    };
    seen.value = now(&seen);
    thread.seen[thread.nseen as usize] = seen;
    thread.nseen += 1;
}

/// The thread has found a synchronisation object in a state that made its step fail.
pub fn see_object(who: usize, addr: u64) {
    see(who, addr | OBJECT, 1);
}

/// The thread has read memory. What is wider than a word is not remembered.
pub fn see_memory(who: usize, addr: u64, size: u32) {
    if matches!(size, 1 | 2 | 4 | 8) {
        see(who, addr, size);
    } else {
        forget(who);
    }
}
