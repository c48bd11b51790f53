//! Time that stands still unless somebody sleeps: each thread has its own clock, so time orders nothing.

use crate::atomics::{deliver, fetch};
use crate::shared::SAMPLED_TIME;
use crate::spin;
use crate::state::*;

fn pass(nanoseconds: i64) -> i64 {
    shared().sampled |= SAMPLED_TIME;
    spin::forget(rt().current);
    me().time = me().time.wrapping_add(nanoseconds);
    1_000_000_000_000_000_000i64.wrapping_add(me().time)
}

/// Sleeping is no step: others can go on before and after the next one anyway.
fn sleep_for(nanoseconds: i64) {
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

/// Without a clock that stands for an absolute time, all are relative.
pub extern "C" fn clock_nanosleep(_: i32, _: i32, wish: *const [i64; 2], left: *mut [i64; 2]) -> i32 {
    nanosleep(wish, left)
}

/// `select` and `poll` without files sleep.
pub extern "C" fn select(files: i32, _: usize, _: usize, _: usize, wish: *const [i64; 2]) -> i32 {
    if files > 0 || wish.is_null() {
        crate::check::limit("waiting for files");
    }
    let [seconds, rest] = fetch(wish);
    sleep_for(seconds.wrapping_mul(1_000_000_000).wrapping_add(rest.wrapping_mul(1000)));
    0
}

pub extern "C" fn poll(_: usize, files: u64, milliseconds: i32) -> i32 {
    if files > 0 || milliseconds < 0 {
        crate::check::limit("waiting for files");
    }
    sleep_for(i64::from(milliseconds) * 1_000_000);
    0
}

pub extern "C" fn yields() -> i32 {
    0
}

pub extern "C" fn time(to: *mut i64) -> i64 {
    let now = pass(1000) / 1_000_000_000;
    if !to.is_null() {
        deliver(to, now);
    }
    now
}

pub extern "C" fn clock_gettime(_: i32, to: *mut [i64; 2]) -> i32 {
    let now = pass(1000);
    deliver(to, [now / 1_000_000_000, now % 1_000_000_000]);
    0
}

pub extern "C" fn gettimeofday(to: *mut [i64; 2], _: usize) -> i32 {
    let now = pass(1000);
    deliver(to, [now / 1_000_000_000, now % 1_000_000_000 / 1000]);
    0
}

pub extern "C" fn clock() -> i64 {
    pass(1000) / 1000 % 1_000_000_000
}
