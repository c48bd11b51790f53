//! What each step does that is no access of memory, family by family.

use super::{UNDEFINED, meeting, nobody_has, serials, used, waiters};
use crate::libc::{EAGAIN, EBUSY, EDEADLK, EINVAL, EPERM, ESRCH, ETIMEDOUT};
use crate::objects::{NOBODY, Object, object};
use crate::pipes;
use crate::poll;
use crate::shared::*;
use crate::spin;
use crate::state::*;
use crate::time;
use crate::written;

/// None of the threads.
const NO_THREAD: usize = usize::MAX;

fn take(object: &mut Object, who: usize) {
    object.owner = who as u16;
    object.count = 1;
    time::see(who, object.time);
    let thread = thread(who);
    thread.holds += 1;
    thread.held ^= spin::mix(object.addr);
}

fn give(object: &mut Object, who: usize) {
    object.owner = NOBODY;
    object.count = 0;
    let thread = thread(who);
    object.time = object.time.max(thread.time);
    thread.holds -= 1;
    thread.gave += 1;
    thread.held ^= spin::mix(object.addr);
}

/// Takes a step that is no access of memory; what the function returns.
pub fn synchronise(who: usize, choice: u16, op: &Op) -> i64 {
    let thread = thread(who);
    if let Some(addr) = used(op) {
        object(addr).touched = true;
        if object(addr).destroyed || written::is_raw(addr) {
            return UNDEFINED;
        }
    }
    match op.kind {
        Kind::Lock | Kind::TryLock | Kind::TimedLock => {
            let object = object(op.addr);
            if object.owner == NOBODY {
                take(object, who);
                return 0;
            }
            if usize::from(object.owner) == who && object.class == 1 {
                object.count += 1;
                thread.holds += 1;
                return 0;
            }
            match op.kind {
                Kind::Lock => EDEADLK.into(),
                Kind::TryLock => fails(who, op, EBUSY),
                _ => fails(who, op, ETIMEDOUT),
            }
        }
        Kind::Unlock => {
            let object = object(op.addr);
            if usize::from(object.owner) != who {
                return if object.class == 0 {
                    UNDEFINED
                } else {
                    EPERM.into()
                };
            }
            if object.count > 1 {
                object.count -= 1;
                thread.holds -= 1;
                thread.gave += 1;
            } else {
                give(object, who);
            }
            0
        }
        Kind::Wait => {
            let object = object(op.a);
            if usize::from(object.owner) != who {
                return UNDEFINED;
            }
            if object.count > 1 {
                return UNDEFINED;
            }
            thread.signalled = false;
            give(object, who);
            0
        }
        Kind::Reacquire | Kind::TimedReacquire => {
            let signalled = thread.signalled;
            if signalled {
                spin::forget(who);
            }
            thread.signalled = false;
            take(object(op.a), who);
            if signalled { 0 } else { ETIMEDOUT.into() }
        }
        Kind::AtomicBegin => {
            rt().region = true;
            0
        }
        Kind::Choice | Kind::Allocate => {
            thread.chose += 1;
            match op.b as *const i64 {
                values if values.is_null() => choice.into(),
                values => unsafe { *values.add(choice.into()) },
            }
        }
        Kind::Start => {
            thread.begun = true;
            0
        }
        Kind::Poll => poll::take(who, op),
        _ => {
            spin::forget(who);
            change(who, choice, op)
        }
    }
}

/// The steps that always change something.
fn change(who: usize, choice: u16, op: &Op) -> i64 {
    match op.kind {
        Kind::Exit | Kind::ProcessExit | Kind::Join | Kind::Detach => end(who, op),
        Kind::Init | Kind::Destroy => exist(op),
        Kind::Signal | Kind::Broadcast => wake(choice, op),
        Kind::SemWait | Kind::SemTryWait | Kind::SemTimedWait | Kind::SemPost | Kind::SemGet => {
            semaphore(who, op)
        }
        Kind::ReadLock | Kind::TryReadLock | Kind::TimedReadLock => lock_to_read(who, op),
        Kind::WriteLock | Kind::TryWriteLock | Kind::TimedWriteLock => lock_to_write(who, op),
        Kind::ReadWriteUnlock => unlock_read_write(who, op),
        Kind::Arrive => arrive(who, choice, op),
        Kind::Once | Kind::OnceDone => once(op),
        Kind::PipeRead | Kind::PipeWrite | Kind::PipeClose => pipes::take(who, op),
        _ => 0,
    }
}

/// What a function returns that could not have what it asked for.
fn fails(who: usize, op: &Op, error: i32) -> i64 {
    spin::see_object(who, op.addr);
    error.into()
}

/// Threads end, and what becomes of them.
fn end(who: usize, op: &Op) -> i64 {
    match op.kind {
        Kind::Exit => {
            thread(who).ended = true;
            drop(&mut rt().alive, who);
        }
        Kind::ProcessExit => {
            shared().exit_code = op.a as i32;
            crate::schedule::finish(crate::schedule::unfinished())
        }
        Kind::Join => {
            let other = thread(op.addr as usize);
            if other.joined || other.detached {
                let error = if other.joined { ESRCH } else { EINVAL };
                return error.into();
            }
            other.joined = true;
        }
        _ => thread(op.addr as usize).detached = true,
    }
    0
}

/// Objects are made and destroyed.
fn exist(op: &Op) -> i64 {
    let object = object(op.addr);
    if op.kind == Kind::Init {
        written::note(op.addr, written::HEAD);
        object.owner = NOBODY;
        object.destroyed = false;
        object.class = op.a as u8;
        object.count = op.b as u32;
        object.limit = op.size;
        return 0;
    }
    let waited = waiters(op.addr).next().is_some();
    if meeting(NO_THREAD, op.addr).next().is_some() {
        // They would wait for ever.
        return UNDEFINED;
    }
    if object.owner != NOBODY || waited {
        return EBUSY.into();
    }
    object.destroyed = true;
    0
}

/// One of those that wait for a condition variable is told, or all.
fn wake(choice: u16, op: &Op) -> i64 {
    let (first, most) = match op.kind {
        Kind::Signal => (choice.into(), 1),
        _ => (0, usize::MAX),
    };
    for other in waiters(op.addr).skip(first).take(most) {
        thread(other).signalled = true;
    }
    0
}

fn semaphore(who: usize, op: &Op) -> i64 {
    let semaphore = object(op.addr);
    match op.kind {
        Kind::SemGet => return semaphore.count.into(),
        Kind::SemPost => {
            semaphore.count += 1;
            semaphore.time = semaphore.time.max(thread(who).time);
        }
        _ if semaphore.count > 0 => {
            semaphore.count -= 1;
            time::see(who, semaphore.time);
        }
        Kind::SemTryWait => return fails(who, op, EAGAIN),
        _ => return fails(who, op, ETIMEDOUT),
    }
    0
}

/// Why a read-write lock could not be had.
fn late(op: &Op) -> i32 {
    match op.kind {
        Kind::TimedReadLock | Kind::TimedWriteLock => ETIMEDOUT,
        _ => EBUSY,
    }
}

fn lock_to_read(who: usize, op: &Op) -> i64 {
    let lock = object(op.addr);
    if lock.owner != NOBODY {
        return fails(who, op, late(op));
    }
    lock.limit += 1;
    0
}

fn lock_to_write(who: usize, op: &Op) -> i64 {
    let lock = object(op.addr);
    if !nobody_has(lock) {
        return fails(who, op, late(op));
    }
    lock.owner = who as u16;
    0
}

fn unlock_read_write(who: usize, op: &Op) -> i64 {
    let lock = object(op.addr);
    if usize::from(lock.owner) == who {
        lock.owner = NOBODY;
    } else if lock.owner == NOBODY && lock.limit > 0 {
        lock.limit -= 1;
    } else {
        return UNDEFINED;
    }
    0
}

/// A thread comes to a barrier; the last one opens it.
fn arrive(who: usize, choice: u16, op: &Op) -> i64 {
    let barrier = object(op.addr);
    if barrier.limit == 0 {
        return UNDEFINED;
    }
    thread(who).generation = barrier.generation;
    thread(who).serial = false;
    barrier.count += 1;
    if barrier.count >= barrier.limit {
        if let Some(serial) = serials(who, op.addr).nth(choice.into()) {
            thread(serial).serial = true;
        }
        barrier.count = 0;
        barrier.generation += 1;
    }
    0
}

/// `once` returns 1 to who has to do it.
fn once(op: &Op) -> i64 {
    let once = object(op.addr);
    match op.kind {
        Kind::OnceDone => once.count = 2,
        _ if once.count == 2 => {}
        _ => {
            once.count = 1;
            return 1;
        }
    }
    0
}
