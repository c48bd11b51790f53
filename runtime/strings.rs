//! Functions of the C library that read and write memory for the program: each is a step that reads and one that
//! writes.

use crate::arena;
use crate::atomics::{deliver, fetch, plain};
use crate::libc;
use crate::shared::*;
use crate::written::Unwritten;

fn size(n: u64) -> u32 {
    n.min(u32::MAX.into()) as u32
}

/// Most bytes that are kept between two steps.
pub const ROOM: usize = 4096;

/// What a step has read.
pub struct Kept {
    from: u64,
    n: u64,
    bytes: [u8; ROOM],
    unwritten: Unwritten,
}

impl Kept {
    /// Right behind the step that reads `n` bytes.
    pub fn new(from: u64, n: u64) -> Kept {
        let mut bytes = [0; ROOM];
        if n as usize <= ROOM {
            unsafe { libc::memcpy(bytes.as_mut_ptr(), from as *const u8, n as usize) };
        }
        let unwritten = Unwritten::of(from, n as usize);
        Kept {
            from,
            n,
            bytes,
            unwritten,
        }
    }

    /// What was read. Of more than there is room for, what is there now: it makes a difference only if somebody has
    /// written meanwhile, which is a data race that is reported.
    pub fn place(&self) -> *const u8 {
        if self.n as usize <= ROOM {
            self.bytes.as_ptr()
        } else {
            self.from as *const u8
        }
    }

    /// Writes it as one step, with zeros behind it up to `all` bytes.
    pub fn write(&self, to: u64, all: u64) {
        plain(Kind::Write, to, size(all));
        let (place, rest) = ((to + self.n) as *mut u8, all.saturating_sub(self.n));
        unsafe {
            libc::memmove(to as *mut u8, self.place(), self.n as usize);
            libc::memset(place, 0, rest as usize);
        }
        self.unwritten.again(to);
    }
}

/// Copies between places that may overlap: a step that reads and one that writes.
pub fn copy(to: u64, from: u64, n: u64) {
    plain(Kind::Read, from, size(n));
    Kept::new(from, n).write(to, n);
}

pub extern "C" fn memcpy(to: u64, from: u64, n: u64) -> u64 {
    copy(to, from, n);
    to
}

pub extern "C" fn memset(to: u64, byte: i32, n: u64) -> u64 {
    plain(Kind::Write, to, size(n));
    unsafe { libc::memset(to as *mut u8, byte, n as usize) };
    to
}

pub extern "C" fn memcmp(a: u64, b: u64, n: u64) -> i32 {
    plain(Kind::Read, a, size(n));
    let first = Kept::new(a, n);
    plain(Kind::Read, b, size(n));
    unsafe { libc::memcmp(first.place(), b as *const u8, n as usize) }
}

/// The length of a string, as a step that reads it.
pub fn length(s: u64) -> u64 {
    strnlen(s, u64::MAX)
}

pub extern "C" fn strlen(s: u64) -> u64 {
    length(s)
}

/// The length of a string, but at most so much.
pub extern "C" fn strnlen(s: u64, most: u64) -> u64 {
    let length = || {
        let ends = |&i: &u64| unsafe { *((s + i) as *const u8) } == 0;
        (0..most).find(ends).unwrap_or(most)
    };
    let mut n = length();
    loop {
        plain(Kind::Read, s, size(n.saturating_add(1).min(most)));
        // Somebody may have written meanwhile.
        let now = length();
        if now == n {
            return n;
        }
        n = now;
    }
}

/// A string of at most so many bytes, without its end, as a step that reads it.
pub fn string(s: u64, most: u64) -> Kept {
    let n = strnlen(s, most);
    Kept::new(s, n)
}

pub extern "C" fn strcpy(to: u64, from: u64) -> u64 {
    let text = string(from, u64::MAX);
    text.write(to, text.n + 1);
    to
}

pub extern "C" fn strncpy(to: u64, from: u64, n: u64) -> u64 {
    string(from, n).write(to, n);
    to
}

pub extern "C" fn strcat(to: u64, from: u64) -> u64 {
    strncat(to, from, u64::MAX)
}

pub extern "C" fn strncat(to: u64, from: u64, most: u64) -> u64 {
    let text = string(from, most);
    text.write(to + length(to), text.n + 1);
    to
}

/// A new block with the same string.
pub extern "C" fn strdup(from: u64) -> u64 {
    strndup(from, u64::MAX)
}

pub extern "C" fn strndup(from: u64, most: u64) -> u64 {
    let text = string(from, most);
    let block = arena::malloc(text.n + 1);
    if block == 0 {
        return 0;
    }
    text.write(block, text.n + 1);
    block
}

fn compare(a: u64, b: u64, most: u64, fold: fn(u8) -> u8) -> i32 {
    let first = string(a, most);
    let n = strnlen(b, most).min(first.n).saturating_add(1).min(most);
    // Their ends are compared as well.
    let byte = |i: u64| {
        if i < first.n {
            unsafe { *first.place().add(i as usize) }
        } else {
            0
        }
    };
    for i in 0..n {
        let other = fold(unsafe { *((b + i) as *const u8) });
        let own = fold(byte(i));
        if own != other {
            return i32::from(own) - i32::from(other);
        }
    }
    0
}

pub extern "C" fn strcmp(a: u64, b: u64) -> i32 {
    compare(a, b, u64::MAX, |byte| byte)
}

pub extern "C" fn strncmp(a: u64, b: u64, n: u64) -> i32 {
    compare(a, b, n, |byte| byte)
}

fn lower(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

pub extern "C" fn strcasecmp(a: u64, b: u64) -> i32 {
    compare(a, b, u64::MAX, lower)
}

pub extern "C" fn strncasecmp(a: u64, b: u64, n: u64) -> i32 {
    compare(a, b, n, lower)
}

/// How many bytes at the beginning of `s` are among those of `set`, or are not.
fn span(s: u64, set: u64, among: bool) -> (u64, u64) {
    let set = string(set, u64::MAX);
    let n = length(s);
    let has = |byte: u8| (0..set.n as usize).any(|k| unsafe { *set.place().add(k) } == byte);
    let other = |i: &u64| has(unsafe { *((s + i) as *const u8) }) != among;
    ((0..n).find(other).unwrap_or(n), n)
}

pub extern "C" fn strspn(s: u64, set: u64) -> u64 {
    span(s, set, true).0
}

pub extern "C" fn strcspn(s: u64, set: u64) -> u64 {
    span(s, set, false).0
}

pub extern "C" fn strpbrk(s: u64, set: u64) -> u64 {
    let (to, n) = span(s, set, false);
    if to < n { s + to } else { 0 }
}

pub extern "C" fn strtok_r(s: u64, set: u64, rest: *mut u64) -> u64 {
    let s = if s == 0 { fetch(rest) } else { s };
    if s == 0 {
        return 0;
    }
    let start = s + span(s, set, true).0;
    let (n, all) = span(start, set, false);
    let end = start + n;
    if n < all {
        memset(end, 0, 1);
    }
    deliver(rest, if n < all { end + 1 } else { end });
    if n > 0 { start } else { 0 }
}

/// Where it was is the same for all threads.
pub extern "C" fn strtok(s: u64, set: u64) -> u64 {
    strtok_r(s, set, &raw mut crate::state::rt().token)
}

pub extern "C" fn stpcpy(to: u64, from: u64) -> u64 {
    let text = string(from, u64::MAX);
    text.write(to, text.n + 1);
    to + text.n
}

pub extern "C" fn mempcpy(to: u64, from: u64, n: u64) -> u64 {
    copy(to, from, n);
    to + n
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
    let text = Kept::new(s, length(s) + 1);
    length(t);
    let found = unsafe { libc::strstr(text.place(), t as *const u8) };
    if found.is_null() {
        return 0;
    }
    s + (found as u64 - text.place() as u64)
}

pub extern "C" fn memchr(s: u64, c: i32, n: u64) -> u64 {
    plain(Kind::Read, s, size(n));
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

pub extern "C" fn atof(s: u64) -> f64 {
    strtod(s, core::ptr::null_mut())
}

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
