//! The threads of C11 (`<threads.h>`), by those of POSIX. Results are numbers of their own.

use crate::libc;
use crate::pthread;
use crate::semaphores;
use crate::time;

const SUCCESS: i32 = 0;
const BUSY: i32 = 1;
const ERROR: i32 = 2;
const TIMED_OUT: i32 = 4;
/// `mtx_recursive`.
const RECURSIVE: i32 = 1;

fn told(result: i32) -> i32 {
    match result {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

pub extern "C" fn create(handle: *mut u64, entry: usize, argument: usize) -> i32 {
    told(pthread::create(handle, 0, entry, argument))
}

pub extern "C" fn join(handle: u64, to: *mut i32) -> i32 {
    let mut value = 0;
    let result = pthread::join(handle, &mut value);
    if result == 0 && !to.is_null() {
        crate::atomics::deliver(to, value as i32);
    }
    told(result)
}

pub extern "C" fn detach(handle: u64) -> i32 {
    told(pthread::detach(handle))
}

pub extern "C" fn exit(value: i32) {
    pthread::exit(value as usize)
}

pub extern "C" fn sleep(wish: *const [i64; 2], left: *mut [i64; 2]) -> i32 {
    time::nanosleep(wish, left)
}

pub extern "C" fn mtx_init(mutex: u64, kind: i32) -> i32 {
    let class = (kind & RECURSIVE) as u64;
    told(pthread::init(mutex, class, 0, 1))
}

pub extern "C" fn mtx_lock(mutex: u64) -> i32 {
    told(pthread::mutex_lock(mutex))
}

pub extern "C" fn mtx_trylock(mutex: u64) -> i32 {
    told(pthread::mutex_trylock(mutex))
}

pub extern "C" fn mtx_timedlock(mutex: u64, until: *const [i64; 2]) -> i32 {
    told(pthread::mutex_timedlock(mutex, until))
}

pub extern "C" fn mtx_unlock(mutex: u64) -> i32 {
    told(pthread::mutex_unlock(mutex))
}

/// Also of condition variables.
pub extern "C" fn destroy(object: u64) {
    semaphores::destroy(object);
}

pub extern "C" fn cnd_init(cond: u64) -> i32 {
    told(pthread::cond_init(cond, 0))
}

pub extern "C" fn cnd_wait(cond: u64, mutex: u64) -> i32 {
    told(pthread::cond_wait(cond, mutex))
}

pub extern "C" fn cnd_timedwait(cond: u64, mutex: u64, until: *const [i64; 2]) -> i32 {
    told(pthread::cond_timedwait(cond, mutex, until))
}

pub extern "C" fn cnd_signal(cond: u64) -> i32 {
    told(pthread::cond_signal(cond))
}

pub extern "C" fn cnd_broadcast(cond: u64) -> i32 {
    told(pthread::cond_broadcast(cond))
}

pub extern "C" fn call_once(flag: u64, routine: extern "C" fn()) {
    semaphores::once(flag, routine);
}

pub extern "C" fn tss_create(to: *mut u32, destructor: usize) -> i32 {
    told(pthread::key_create(to, destructor))
}

pub extern "C" fn tss_delete(key: u32) {
    pthread::key_delete(key);
}

pub extern "C" fn tss_set(key: u32, value: usize) -> i32 {
    told(pthread::setspecific(key, value))
}
