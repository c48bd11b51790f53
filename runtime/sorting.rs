//! `qsort` and `bsearch`: the C library's own would call the program back from where nobody may be switched away, and
//! its accesses of the array would not be seen. Sorting merges, so that what is equal keeps its order, as the C
//! library's does.

use crate::arena;
use crate::atomics::plain;
use crate::libc;
use crate::shared::*;

type Compare = extern "C" fn(u64, u64) -> i32;

fn bytes(n: u64, size: u64) -> u32 {
    n.saturating_mul(size).min(u32::MAX.into()) as u32
}

pub extern "C" fn qsort(base: u64, n: u64, size: u64, compare: Compare) {
    if n < 2 || size == 0 {
        return;
    }
    plain(Kind::Read, base, bytes(n, size));
    let spare = arena::own(n * size);
    let (mut from, mut to) = (base, spare);
    let copy = |to: u64, from: u64, n: u64| unsafe {
        libc::memcpy(to as *mut u8, from as *const u8, n as usize);
    };
    let mut run = 1;
    while run < n {
        for start in (0..n).step_by(2 * run as usize) {
            let (middle, end) = ((start + run).min(n), (start + 2 * run).min(n));
            let (mut a, mut b) = (start, middle);
            for at in start..end {
                let left =
                    a < middle && (b >= end || compare(from + a * size, from + b * size) <= 0);
                let taken = if left { &mut a } else { &mut b };
                copy(to + at * size, from + *taken * size, size);
                *taken += 1;
            }
        }
        (from, to) = (to, from);
        run *= 2;
    }
    plain(Kind::Write, base, bytes(n, size));
    if from != base {
        copy(base, from, n * size);
    }
}

pub extern "C" fn bsearch(key: u64, base: u64, n: u64, size: u64, compare: Compare) -> u64 {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        let at = base + middle * size;
        plain(Kind::Read, at, bytes(1, size));
        match compare(key, at) {
            0 => return at,
            less if less < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    0
}
