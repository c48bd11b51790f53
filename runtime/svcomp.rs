//! Functions of SV-COMP's programs, and those of `coarsen.h`.

use crate::check;
use crate::schedule;
use crate::shared::*;
use crate::state::*;

pub extern "C" fn error() {
    check::error(UNREACHABLE, 0, &[])
}

pub extern "C" fn assume(holds: i32) {
    if holds == 0 {
        check::stop(Kind::Assume)
    }
}

/// `abort` where it says that something is assumed.
pub extern "C" fn assume_abort() {
    check::stop(Kind::Assume)
}

/// Marks that other tools need, and we don't.
pub extern "C" fn nothing() {}

/// A number that does not depend on the process.
pub extern "C" fn process() -> i32 {
    4242
}

/// Likewise for a thread.
pub extern "C" fn thread_number() -> i32 {
    4242 + rt().current as i32
}

/// Only those that ask who one is, or give way.
pub extern "C" fn system_call(number: u64) -> i64 {
    match number {
        24 => 0,
        39 => process().into(),
        186 => thread_number().into(),
        _ => check::limit("a system call that is not known"),
    }
}

/// No address, or one of a new block.
pub extern "C" fn nondet_pointer() -> u64 {
    shared().sampled |= SAMPLED_NONDET;
    if choice(2) == 0 {
        0
    } else {
        crate::arena::own(256)
    }
}

pub extern "C" fn assert(holds: i32) {
    if holds == 0 {
        check::error(ASSERTION, 0, &[])
    }
}

pub extern "C" fn atomic_begin() {
    if crate::ahead::region(true) {
        return;
    }
    me().regions += 1;
    if me().regions == 1 {
        schedule::step(Op {
            kind: Kind::AtomicBegin,
            ..Op::default()
        });
    }
}

pub extern "C" fn atomic_end() {
    if crate::ahead::region(false) {
        return;
    }
    schedule::look_back(rt().current);
    let me = me();
    me.regions = me.regions.saturating_sub(1);
    rt().region = me.regions > 0;
}

/// Any number below `n`, each in turn.
pub extern "C" fn choice(n: u32) -> u32 {
    choose(n, core::ptr::null()) as u32
}

/// Any of `n` numbers, each in turn: those that the program can tell apart (`ctest/values/`).
pub extern "C" fn nondet_among(values: *const i64, n: u32) -> i64 {
    choose(n, values)
}

fn choose(n: u32, values: *const i64) -> i64 {
    if n > 0xFFFF {
        check::limit("a choice among more than 65,535");
    }
    schedule::step(Op {
        kind: Kind::Choice,
        size: if values.is_null() { 0 } else { 8 },
        a: n.into(),
        b: values as u64,
        ..Op::default()
    })
}

pub extern "C" fn nondet_bool() -> u32 {
    choice(2)
}

/// A few of the values of a wide type; that they are a sample is said.
pub extern "C" fn nondet() -> i64 {
    shared().sampled |= SAMPLED_NONDET;
    choose(4, [0, 1, -1, 2].as_ptr())
}

pub extern "C" fn nondet_unsigned() -> u64 {
    shared().sampled |= SAMPLED_NONDET;
    choose(4, [0, 1, 2, 3].as_ptr()) as u64
}

pub extern "C" fn nondet_float() -> f32 {
    nondet() as f32
}

pub extern "C" fn nondet_double() -> f64 {
    nondet() as f64
}

/// One fixed sequence for each thread.
pub extern "C" fn rand() -> i32 {
    shared().sampled |= SAMPLED_RANDOM;
    let thread = me();
    crate::spin::forget(rt().current);
    thread.random = thread
        .random
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407 + rt().current as u64 * 2);
    (thread.random >> 33) as i32
}

pub extern "C" fn long_rand() -> i64 {
    rand().into()
}

pub extern "C" fn real_rand() -> f64 {
    f64::from(rand()) / 2_147_483_648.0
}

pub extern "C" fn rand_r(_: usize) -> i32 {
    rand()
}

pub extern "C" fn srand(_: u32) {}
