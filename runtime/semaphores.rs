//! Semaphores, read-write locks, barriers and `once`.

use crate::atomics::deliver;
use crate::check;
use crate::libc;
use crate::objects::object;
use crate::pthread::{init, on};
use crate::shared::*;
use crate::steps::UNDEFINED;

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

pub extern "C" fn sem_wait(sem: u64) -> i32 {
    told(on(SEM_WAIT, sem, 0))
}

pub extern "C" fn sem_trywait(sem: u64) -> i32 {
    told(on(SEM_TRYWAIT, sem, 0))
}

pub extern "C" fn sem_timedwait(sem: u64, _: usize) -> i32 {
    told(on(SEM_TIMEDWAIT, sem, 0))
}

pub extern "C" fn sem_post(sem: u64) -> i32 {
    told(on(SEM_POST, sem, 0))
}

pub extern "C" fn sem_getvalue(sem: u64, to: *mut i32) -> i32 {
    let value = on(SEM_GET, sem, 0);
    deliver(to, value as i32);
    0
}

pub extern "C" fn destroy(object: u64) -> i32 {
    on(DESTROY, object, 0) as i32
}

fn lock(kind: Kind, lock: u64) -> i32 {
    if object(lock).destroyed {
        check::error(MISUSE, lock, &[b"use of a destroyed read-write lock"]);
    }
    let result = on(kind, lock, 0);
    if result == UNDEFINED {
        check::error(
            MISUSE,
            lock,
            &[b"unlock of a read-write lock that is not held"],
        );
    }
    result as i32
}

pub extern "C" fn rwlock_init(it: u64, _: usize) -> i32 {
    init(it, 0, 0, 0)
}

pub extern "C" fn rdlock(it: u64) -> i32 {
    lock(RDLOCK, it)
}

pub extern "C" fn wrlock(it: u64) -> i32 {
    lock(WRLOCK, it)
}

pub extern "C" fn tryrdlock(it: u64) -> i32 {
    lock(TRYRDLOCK, it)
}

pub extern "C" fn trywrlock(it: u64) -> i32 {
    lock(TRYWRLOCK, it)
}

pub extern "C" fn timedrdlock(it: u64, _: usize) -> i32 {
    lock(TIMEDRDLOCK, it)
}

pub extern "C" fn timedwrlock(it: u64, _: usize) -> i32 {
    lock(TIMEDWRLOCK, it)
}

pub extern "C" fn rwunlock(it: u64) -> i32 {
    lock(RWUNLOCK, it)
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
    let result = on(ARRIVE, it, 0);
    if result == UNDEFINED {
        check::error(MISUSE, it, &[b"wait at a destroyed barrier"]);
    }
    if result == libc::EINVAL.into() {
        check::error(MISUSE, it, &[b"wait at a barrier without a count"]);
    }
    on(LEAVE, it, 0);
    if crate::state::me().serial { -1 } else { 0 }
}

pub extern "C" fn once(it: u64, routine: extern "C" fn()) -> i32 {
    if on(ONCE, it, 0) == 1 {
        routine();
        on(ONCE_DONE, it, 0);
    }
    0
}
