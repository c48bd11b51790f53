//! Semaphores, read-write locks, barriers and `once`.

use crate::atomics::deliver;
use crate::libc;
use crate::pthread::{init, operate};
use crate::shared::*;
use crate::time::late;

/// Semaphores say what went wrong in `errno`.
fn told(result: i64) -> i32 {
    if result == 0 {
        return 0;
    }
    unsafe { *libc::__errno_location() = result as i32 };
    -1
}

pub extern "C" fn sem_init(sem: u64, _: i32, value: u32) -> i32 {
    init(sem, 0, value, 0)
}

fn semaphore(kind: Kind, it: u64) -> i64 {
    operate(kind, (it, 0), b"semaphore", b"")
}

pub extern "C" fn sem_wait(sem: u64) -> i32 {
    told(semaphore(Kind::SemWait, sem))
}

pub extern "C" fn sem_trywait(sem: u64) -> i32 {
    told(semaphore(Kind::SemTryWait, sem))
}

pub extern "C" fn sem_timedwait(sem: u64, until: *const [i64; 2]) -> i32 {
    let result = semaphore(Kind::SemTimedWait, sem);
    late(result as i32, until);
    told(result)
}

pub extern "C" fn sem_clockwait(sem: u64, _: i32, until: *const [i64; 2]) -> i32 {
    sem_timedwait(sem, until)
}

pub extern "C" fn sem_post(sem: u64) -> i32 {
    told(semaphore(Kind::SemPost, sem))
}

pub extern "C" fn sem_getvalue(sem: u64, to: *mut i32) -> i32 {
    let value = semaphore(Kind::SemGet, sem);
    deliver(to, value as i32);
    0
}

pub extern "C" fn destroy(object: u64) -> i32 {
    let wrong = b"destruction of a barrier at which threads wait";
    operate(Kind::Destroy, (object, 0), b"object", wrong) as i32
}

fn lock(kind: Kind, lock: u64) -> i32 {
    let wrong = b"unlock of a read-write lock that is not held";
    operate(kind, (lock, 0), b"read-write lock", wrong) as i32
}

pub extern "C" fn rwlock_init(it: u64, _: usize) -> i32 {
    init(it, 0, 0, 0)
}

pub extern "C" fn rdlock(it: u64) -> i32 {
    lock(Kind::ReadLock, it)
}

pub extern "C" fn wrlock(it: u64) -> i32 {
    lock(Kind::WriteLock, it)
}

pub extern "C" fn tryrdlock(it: u64) -> i32 {
    lock(Kind::TryReadLock, it)
}

pub extern "C" fn trywrlock(it: u64) -> i32 {
    lock(Kind::TryWriteLock, it)
}

pub extern "C" fn timedrdlock(it: u64, until: *const [i64; 2]) -> i32 {
    late(lock(Kind::TimedReadLock, it), until)
}

pub extern "C" fn clockrdlock(it: u64, _: i32, until: *const [i64; 2]) -> i32 {
    timedrdlock(it, until)
}

pub extern "C" fn timedwrlock(it: u64, until: *const [i64; 2]) -> i32 {
    late(lock(Kind::TimedWriteLock, it), until)
}

pub extern "C" fn clockwrlock(it: u64, _: i32, until: *const [i64; 2]) -> i32 {
    timedwrlock(it, until)
}

pub extern "C" fn rwunlock(it: u64) -> i32 {
    lock(Kind::ReadWriteUnlock, it)
}

pub extern "C" fn barrier_init(it: u64, _: usize, count: u32) -> i32 {
    if count == 0 {
        return libc::EINVAL;
    }
    init(it, 0, 0, count)
}

pub extern "C" fn barrier_wait(it: u64) -> i32 {
    meet(it, true)
}

/// The same where nobody reads the result.
pub extern "C" fn barrier_unasked(it: u64) -> i32 {
    meet(it, false)
}

fn meet(it: u64, asks: bool) -> i32 {
    crate::state::me().asks = asks;
    let wrong = b"wait at a barrier without a count";
    operate(Kind::Arrive, (it, 0), b"barrier", wrong);
    operate(Kind::Leave, (it, 0), b"", b"");
    if crate::state::me().serial { -1 } else { 0 }
}

pub extern "C" fn once(it: u64, routine: extern "C" fn()) -> i32 {
    if operate(Kind::Once, (it, 0), b"", b"") == 1 {
        routine();
        operate(Kind::OnceDone, (it, 0), b"", b"");
    }
    0
}
