//! Functions of the C library that read and write memory for the program: each is a step that reads and one that writes.

use crate::atomics::{deliver, plain};
use crate::libc;
use crate::shared::*;

fn size(n: u64) -> u32 {
    n.min(u32::MAX.into()) as u32
}

/// Copies between places that may overlap.
pub fn copy(to: u64, from: u64, n: u64) {
    plain(READ, from, size(n));
    // What is written is what is read now: the read and the write are two steps, but the copy itself happens at the second, as no
    // other thread can tell unless it writes in between, which is a data race that is reported.
    plain(WRITE, to, size(n));
    unsafe { libc::memmove(to as *mut u8, from as *const u8, n as usize) };
}

pub extern "C" fn memcpy(to: u64, from: u64, n: u64) -> u64 {
    copy(to, from, n);
    to
}

pub extern "C" fn memset(to: u64, byte: i32, n: u64) -> u64 {
    plain(WRITE, to, size(n));
    unsafe { libc::memset(to as *mut u8, byte, n as usize) };
    to
}

pub extern "C" fn memcmp(a: u64, b: u64, n: u64) -> i32 {
    plain(READ, a, size(n));
    plain(READ, b, size(n));
    unsafe { libc::memcmp(a as *const u8, b as *const u8, n as usize) }
}

/// The length of a string, as a step that reads it.
pub fn length(s: u64) -> u64 {
    let length = || unsafe { libc::strlen(s as *const u8) as u64 };
    let mut n = length();
    loop {
        plain(READ, s, size(n + 1));
        let again = length();
        if again == n {
            return n;
        }
        n = again;
    }
}

pub extern "C" fn strlen(s: u64) -> u64 {
    length(s)
}

pub extern "C" fn strcpy(to: u64, from: u64) -> u64 {
    let n = length(from) + 1;
    copy(to, from, n);
    to
}

pub extern "C" fn strncpy(to: u64, from: u64, n: u64) -> u64 {
    let used = (length(from) + 1).min(n);
    copy(to, from, used);
    memset(to + used, 0, n - used);
    to
}

pub extern "C" fn strcat(to: u64, from: u64) -> u64 {
    let end = to + length(to);
    strcpy(end, from);
    to
}

fn compare(a: u64, b: u64, most: u64) -> i32 {
    let n = length(a).min(length(b)).saturating_add(1).min(most);
    for i in 0..n {
        let byte = |s: u64| unsafe { *((s + i) as *const u8) };
        if byte(a) != byte(b) {
            return i32::from(byte(a)) - i32::from(byte(b));
        }
    }
    0
}

pub extern "C" fn strcmp(a: u64, b: u64) -> i32 {
    compare(a, b, u64::MAX)
}

pub extern "C" fn strncmp(a: u64, b: u64, n: u64) -> i32 {
    compare(a, b, n)
}

pub extern "C" fn strnlen(s: u64, most: u64) -> u64 {
    let n = (0..most).find(|&i| unsafe { *((s + i) as *const u8) } == 0);
    let n = n.unwrap_or(most);
    plain(READ, s, size(most.min(n + 1)));
    n
}

pub extern "C" fn strncat(to: u64, from: u64, most: u64) -> u64 {
    let n = strnlen(from, most);
    let end = to + length(to);
    copy(end, from, n);
    memset(end + n, 0, 1);
    to
}

pub extern "C" fn strchr(s: u64, c: i32) -> u64 {
    length(s);
    unsafe { libc::strchr(s as *const u8, c) as u64 }
}

pub extern "C" fn strrchr(s: u64, c: i32) -> u64 {
    length(s);
    unsafe { libc::strrchr(s as *const u8, c) as u64 }
}

pub extern "C" fn strstr(s: u64, t: u64) -> u64 {
    length(s);
    length(t);
    unsafe { libc::strstr(s as *const u8, t as *const u8) as u64 }
}

pub extern "C" fn memchr(s: u64, c: i32, n: u64) -> u64 {
    plain(READ, s, size(n));
    unsafe { libc::memchr(s as *const u8, c, n as usize) as u64 }
}

pub extern "C" fn bzero(to: u64, n: u64) {
    memset(to, 0, n);
}

macro_rules! numbers {
    ($($name:ident $t:ty),*) => { $(
        pub extern "C" fn $name(s: u64, end: *mut u64, base: i32) -> $t {
            length(s);
            let mut stop = 0;
            let number = unsafe { libc::$name(s as *const u8, &mut stop, base) };
            if !end.is_null() {
                deliver(end, stop);
            }
            number
        }
    )* };
}
numbers! { strtol i64, strtoul u64 }

pub extern "C" fn strtod(s: u64, end: *mut u64) -> f64 {
    length(s);
    let mut stop = 0;
    let number = unsafe { libc::strtod(s as *const u8, &mut stop) };
    if !end.is_null() {
        deliver(end, stop);
    }
    number
}

pub extern "C" fn atol(s: u64) -> i64 {
    length(s);
    unsafe { libc::atol(s as *const u8) }
}

pub extern "C" fn atoi(s: u64) -> i32 {
    atol(s) as i32
}
