//! Functions of the C library that read and write memory for the program: each is a step that reads and one that writes.

use crate::atomics::plain;
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

/// The length of a string that ends, at the latest, after so many bytes.
fn within(s: u64, most: u64) -> u64 {
    let byte = |i: u64| unsafe { *((s + i) as *const u8) };
    let length = || (0..most).find(|&i| byte(i) == 0).unwrap_or(most);
    let mut n = length();
    loop {
        plain(READ, s, size(n.saturating_add(1).min(most)));
        let again = length();
        if again == n {
            return n;
        }
        n = again;
    }
}

pub extern "C" fn strncpy(to: u64, from: u64, n: u64) -> u64 {
    let used = within(from, n).saturating_add(1).min(n);
    copy(to, from, used);
    memset(to + used, 0, n - used);
    to
}

pub extern "C" fn strcat(to: u64, from: u64) -> u64 {
    let end = to + length(to);
    strcpy(end, from);
    to
}

fn compare(a: u64, b: u64, most: u64, as_what: fn(u8) -> u8) -> i32 {
    let n = within(a, most).min(within(b, most));
    for i in 0..n.saturating_add(1).min(most) {
        let byte = |s: u64| as_what(unsafe { *((s + i) as *const u8) });
        if byte(a) != byte(b) {
            return i32::from(byte(a)) - i32::from(byte(b));
        }
    }
    0
}

fn itself(byte: u8) -> u8 {
    byte
}

fn lower(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

pub extern "C" fn strcmp(a: u64, b: u64) -> i32 {
    compare(a, b, u64::MAX, itself)
}

pub extern "C" fn strncmp(a: u64, b: u64, n: u64) -> i32 {
    compare(a, b, n, itself)
}

pub extern "C" fn strcasecmp(a: u64, b: u64) -> i32 {
    compare(a, b, u64::MAX, lower)
}

pub extern "C" fn strncasecmp(a: u64, b: u64, n: u64) -> i32 {
    compare(a, b, n, lower)
}

pub extern "C" fn strnlen(s: u64, most: u64) -> u64 {
    within(s, most)
}

pub extern "C" fn strncat(to: u64, from: u64, most: u64) -> u64 {
    let n = within(from, most);
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

pub extern "C" fn atol(s: u64) -> i64 {
    length(s);
    unsafe { libc::atol(s as *const u8) }
}

pub extern "C" fn atof(s: u64) -> f64 {
    length(s);
    unsafe { libc::strtod(s as *const u8, core::ptr::null_mut()) }
}

/// How many bytes at the beginning of `s` are (or are not) among those of `set`.
fn span(s: u64, set: u64, among: bool) -> u64 {
    let (n, m) = (length(s), length(set));
    let byte = |at: u64| unsafe { *(at as *const u8) };
    let is_among = |b: u8| (0..m).any(|i| byte(set + i) == b);
    let end = (0..n).find(|&i| is_among(byte(s + i)) != among);
    end.unwrap_or(n)
}

pub extern "C" fn strspn(s: u64, set: u64) -> u64 {
    span(s, set, true)
}

pub extern "C" fn strcspn(s: u64, set: u64) -> u64 {
    span(s, set, false)
}

pub extern "C" fn strpbrk(s: u64, set: u64) -> u64 {
    let at = s + span(s, set, false);
    if unsafe { *(at as *const u8) } == 0 { 0 } else { at }
}

pub extern "C" fn strtok_r(s: u64, set: u64, rest: u64) -> u64 {
    let mut s = s;
    if s == 0 {
        plain(READ, rest, 8);
        s = unsafe { *(rest as *const u64) };
    }
    let put = |at: u64| {
        plain(WRITE, rest, 8);
        unsafe { *(rest as *mut u64) = at };
    };
    if s == 0 {
        return 0;
    }
    let token = s + span(s, set, true);
    let end = token + span(token, set, false);
    if token == end {
        put(end);
        return 0;
    }
    if unsafe { *(end as *const u8) } == 0 {
        put(end);
    } else {
        memset(end, 0, 1);
        put(end + 1);
    }
    token
}

/// Where `strtok` keeps the rest; for all threads, as in the C library.
struct Rest(core::cell::UnsafeCell<u64>);
// One operating system thread only.
unsafe impl Sync for Rest {}
static REST: Rest = Rest(core::cell::UnsafeCell::new(0));

pub extern "C" fn strtok(s: u64, set: u64) -> u64 {
    strtok_r(s, set, REST.0.get() as u64)
}

pub extern "C" fn atoi(s: u64) -> i32 {
    atol(s) as i32
}
