//! Time that stands still unless somebody sleeps: each thread has its own clock, so time orders nothing.
//!
//! What happened before is no later, though: a thread begins at the time of its creation, and goes on at that of those
//! whom it joins, or who gave back what it takes (`see`), as a clock of Lamport's does (1978). All of that is fixed in
//! a class of executions.

use crate::atomics::{deliver, fetch};
use crate::libc;
use crate::shared::SAMPLED_TIME;
use crate::spin;
use crate::state::*;

/// The beginning, in nanoseconds.
const BEGINNING: i64 = 1_000_000_000_000_000_000;
/// How much passes at most when the time is asked for.
const MOST: i64 = 100_000_000;

/// The time that the calling thread is told. Who asks again and again, to wait until it is late enough, need not ask a
/// million times.
fn pass() -> i64 {
    shared().sampled |= SAMPLED_TIME;
    spin::forget(rt().current);
    let gone = (me().time / 16).clamp(1000, MOST);
    me().time = me().time.wrapping_add(gone);
    BEGINNING.wrapping_add(me().time)
}

/// What the thread does is no earlier than that.
pub fn see(who: usize, time: i64) {
    let thread = thread(who);
    thread.time = thread.time.max(time);
}

/// The calling thread comes too late, if that is the result: the deadline has passed.
pub fn late(result: i32, until: *const [i64; 2]) -> i32 {
    if result == libc::ETIMEDOUT && !until.is_null() {
        reach(until);
    }
    result
}

fn reach(until: *const [i64; 2]) {
    let [seconds, nanoseconds] = fetch(until);
    let until = seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds);
    see(rt().current, until.saturating_sub(BEGINNING));
}

/// Sleeping is no step: others can go on before and after the next one anyway.
pub fn sleep_for(nanoseconds: i64) {
    // A loop that sleeps and looks again waits actively; the clock that goes on is no progress.
    me().time = me().time.wrapping_add(nanoseconds);
}

pub extern "C" fn sleep(seconds: u32) -> u32 {
    sleep_for(i64::from(seconds) * 1_000_000_000);
    0
}

pub extern "C" fn usleep(microseconds: u32) -> i32 {
    sleep_for(i64::from(microseconds) * 1000);
    0
}

pub extern "C" fn nanosleep(wish: *const [i64; 2], left: *mut [i64; 2]) -> i32 {
    let [seconds, rest] = fetch(wish);
    sleep_for(seconds.wrapping_mul(1_000_000_000).wrapping_add(rest));
    if !left.is_null() {
        deliver(left, [0, 0]);
    }
    0
}

pub extern "C" fn clock_nanosleep(
    _: i32,
    flags: i32,
    wish: *const [i64; 2],
    left: *mut [i64; 2],
) -> i32 {
    if flags == 0 {
        return nanosleep(wish, left);
    }
    reach(wish);
    0
}

pub extern "C" fn clock_getres(_: i32, to: *mut [i64; 2]) -> i32 {
    if !to.is_null() {
        deliver(to, [0, 1]);
    }
    0
}

pub extern "C" fn timespec_get(to: *mut [i64; 2], base: i32) -> i32 {
    clock_gettime(0, to);
    base
}

pub extern "C" fn yields() -> i32 {
    0
}

pub extern "C" fn time(to: *mut i64) -> i64 {
    let now = pass() / 1_000_000_000;
    if !to.is_null() {
        deliver(to, now);
    }
    now
}

pub extern "C" fn clock_gettime(_: i32, to: *mut [i64; 2]) -> i32 {
    let now = pass();
    deliver(to, [now / 1_000_000_000, now % 1_000_000_000]);
    0
}

pub extern "C" fn gettimeofday(to: *mut [i64; 2], _: usize) -> i32 {
    let now = pass();
    deliver(to, [now / 1_000_000_000, now % 1_000_000_000 / 1000]);
    0
}

pub extern "C" fn clock() -> i64 {
    pass() / 1000 % 1_000_000_000
}
