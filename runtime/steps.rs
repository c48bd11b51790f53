//! What each step is: when it can be taken, what it accesses, what it does.
//!
//! `footprint` is asked before `execute`, in the state in which the step is taken, and is as exact as that state
//! allows: a compare-and-swap that fails reads, a signal that nobody waits for changes nothing. What is dependent
//! follows from the accesses alone (`shared::conflict`), for the explorer as well.

mod effects;
mod footprint;

pub use footprint::footprint;

use crate::atomics;
use crate::objects::{NOBODY, Object, object};
use crate::pipes;
use crate::poll;
use crate::shared::*;
use crate::spin;
use crate::state::*;

/// A result that says: undefined, report it.
pub const UNDEFINED: i64 = -1000;

/// The value in memory; of wide accesses none.
pub fn peek(addr: u64, size: u32) -> u64 {
    unsafe {
        match size {
            1 => (addr as *const u8).read_volatile().into(),
            2 => (addr as *const u16).read_unaligned().into(),
            4 => (addr as *const u32).read_unaligned().into(),
            8 => (addr as *const u64).read_unaligned(),
            _ => 0,
        }
    }
}

/// Those that wait for a condition variable.
fn waiters(cond: u64) -> impl Iterator<Item = usize> {
    let rt = rt();
    (0..rt.count).filter(move |&i| {
        let thread = thread(i);
        has(&rt.alive, i)
            && matches!(thread.op.kind, Kind::Reacquire | Kind::TimedReacquire)
            && thread.op.addr == cond
            && !thread.signalled
    })
}

/// Those that stand at a barrier, with `who`, who comes now.
fn meeting(who: usize, barrier: u64) -> impl Iterator<Item = usize> {
    let rt = rt();
    (0..rt.count).filter(move |&i| {
        let thread = thread(i);
        let stands = thread.op.kind == Kind::Leave && thread.op.addr == barrier;
        let now = thread.generation == object(barrier).generation;
        has(&rt.alive, i) && (i == who || stands && now)
    })
}

/// Who may be told to be the serial one: those who look at that, and one of the others.
fn serials(who: usize, barrier: u64) -> impl Iterator<Item = usize> {
    let mut other = false;
    meeting(who, barrier).filter(move |&i| thread(i).asks || !core::mem::replace(&mut other, true))
}

fn free_for(object: &Object, who: usize) -> bool {
    object.owner == NOBODY
        || object.destroyed
        || (usize::from(object.owner) == who && object.class != 0)
}

/// Whether a read-write lock is free for a writer.
fn nobody_has(lock: &Object) -> bool {
    lock.destroyed || lock.owner == NOBODY && lock.limit == 0
}

/// Whether a thread could take its step now.
pub fn enabled(who: usize) -> bool {
    let thread = thread(who);
    let op = &thread.op;
    if thread.spins && !spin::released(who) {
        return false;
    }
    match op.kind {
        Kind::Lock => free_for(object(op.addr), who),
        Kind::Reacquire => thread.signalled && object(op.a).owner == NOBODY,
        Kind::TimedReacquire => object(op.a).owner == NOBODY,
        Kind::Join => crate::state::thread(op.addr as usize).ended,
        Kind::SemWait => {
            let semaphore = object(op.addr);
            semaphore.destroyed || semaphore.count > 0
        }
        Kind::ReadLock => object(op.addr).owner == NOBODY,
        Kind::WriteLock => nobody_has(object(op.addr)),
        Kind::Leave => object(op.addr).generation != thread.generation,
        Kind::Once => object(op.addr).count != 1,
        Kind::PipeRead | Kind::PipeWrite => pipes::enabled(op),
        Kind::Poll => poll::enabled(op),
        Kind::ProcessExit | Kind::Assume | Kind::Stopped | Kind::TooMany => false,
        _ => true,
    }
}

/// How many alternatives the step has.
pub fn choices(who: usize) -> u16 {
    let op = &thread(who).op;
    match op.kind {
        Kind::Choice | Kind::Allocate => (op.a as u16).max(1),
        Kind::Signal => (waiters(op.addr).count() as u16).max(1),
        Kind::Arrive if object(op.addr).count + 1 >= object(op.addr).limit => {
            serials(who, op.addr).count() as u16
        }
        _ => 1,
    }
}

/// Takes the step. The result is what the function returns; the value is for people.
pub fn execute(who: usize, choice: u16) -> (i64, u64) {
    let thread = thread(who);
    let op = thread.op;
    if thread.spins {
        spin::goes_on(who);
    }
    let result = match op.kind {
        Kind::Read
        | Kind::Write
        | Kind::Free
        | Kind::AtomicLoad
        | Kind::AtomicStore
        | Kind::AtomicUpdate
        | Kind::CompareAndSwap => {
            return atomics::execute(who);
        }
        _ => effects::synchronise(who, choice, &op),
    };
    (result, result as u64)
}

/// The object that a step must not find destroyed. Who is woken may find that the condition variable is gone, and who
/// leaves a barrier, too.
fn used(op: &Op) -> Option<u64> {
    match op.kind {
        Kind::Lock
        | Kind::TryLock
        | Kind::TimedLock
        | Kind::Unlock
        | Kind::Destroy
        | Kind::Wait
        | Kind::Signal
        | Kind::Broadcast
        | Kind::SemWait
        | Kind::SemTryWait
        | Kind::SemTimedWait
        | Kind::SemPost
        | Kind::SemGet
        | Kind::ReadLock
        | Kind::WriteLock
        | Kind::TryReadLock
        | Kind::TryWriteLock
        | Kind::TimedReadLock
        | Kind::TimedWriteLock
        | Kind::ReadWriteUnlock
        | Kind::Arrive => Some(op.addr),
        Kind::Reacquire | Kind::TimedReacquire => Some(op.a),
        _ => None,
    }
}
