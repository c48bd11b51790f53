//! Memory: plain accesses, which the program makes itself after its call returns, and atomic ones, which are made here.
//!
//! All of them are sequentially consistent, whatever order the program asks for.

use crate::ahead;
use crate::arena;
use crate::invariants;
use crate::schedule;
use crate::shared::*;
use crate::spin;
use crate::state::*;
use crate::steps::peek;
use crate::written;

pub const LOAD: u8 = 0;
pub const STORE: u8 = 1;
pub const EXCHANGE: u8 = 2;
pub const ADD: u8 = 3;
pub const SUB: u8 = 4;
pub const AND: u8 = 5;
pub const OR: u8 = 6;
pub const XOR: u8 = 7;
pub const NAND: u8 = 8;
pub const CAS: u8 = 9;

pub fn poke(addr: u64, size: u32, value: u64) {
    unsafe {
        match size {
            1 => (addr as *mut u8).write_volatile(value as u8),
            2 => (addr as *mut u16).write_unaligned(value as u16),
            4 => (addr as *mut u32).write_unaligned(value as u32),
            _ => (addr as *mut u64).write_unaligned(value),
        }
    }
}

fn cut(value: u64, size: u32) -> u64 {
    if size >= 8 {
        value
    } else {
        value & ((1 << (size * 8)) - 1)
    }
}

/// Whether the announced access reads or writes, in the present state.
pub fn mode(op: &Op) -> u8 {
    match op.kind {
        Kind::Read | Kind::AtomicLoad => MODE_READ,
        Kind::CompareAndSwap if peek(op.addr, op.size) != op.a => MODE_READ,
        _ => MODE_WRITE,
    }
}

/// The memory order of the announced access, which has this mode in the present state.
pub fn order(op: &Op, mode: u8) -> u8 {
    let failed = op.kind == Kind::CompareAndSwap && mode == MODE_READ;
    match op.kind {
        // A load releases nothing, and a store acquires nothing, whatever they are told.
        Kind::AtomicLoad => op.order[0] & !RELEASES | READS,
        Kind::AtomicStore => op.order[0] & !ACQUIRES,
        Kind::CompareAndSwap if failed => op.order[1] & !RELEASES | READS,
        Kind::CompareAndSwap | Kind::AtomicUpdate => op.order[0] | READS,
        _ => 0,
    }
}

/// A fence: no step, but it may make what stands before or behind it acquire or release.
pub extern "C" fn fence(order: i32) {
    me().fences = fenced(me().fences, memory_order(order));
}

/// An atomic operation of the program, with what it is given. Of a compare-and-swap the second order is for when it
/// fails.
pub fn atomic(sub: u8, size: u32, addr: u64, [a, b]: [u64; 2], orders: [i32; 2]) -> u64 {
    if rt().checking != 0 && sub == LOAD {
        invariants::access(Kind::Read, addr, size);
        return peek(addr, size);
    }
    let kind = match sub {
        LOAD => Kind::AtomicLoad,
        STORE => Kind::AtomicStore,
        CAS => Kind::CompareAndSwap,
        _ => Kind::AtomicUpdate,
    };
    let result = schedule::step(Op {
        kind,
        sub,
        flags: ATOMIC,
        order: orders.map(memory_order),
        size,
        addr,
        a: cut(a, size),
        b: cut(b, size),
        pc: 0,
    });
    arena::check(addr, size);
    if core::mem::take(&mut me().unwritten) {
        written::refuse(addr);
    }
    result as u64
}

/// A plain access, which the program makes when this returns.
pub fn plain(kind: Kind, addr: u64, size: u32) {
    if rt().quiet || size == 0 {
        return;
    }
    if rt().checking != 0 {
        return invariants::access(kind, addr, size);
    }
    schedule::step(Op {
        kind,
        size,
        addr,
        ..Op::default()
    });
    arena::check(addr, size);
}

/// A plain read of a value.
pub fn read(addr: u64, size: u32) {
    plain(Kind::Read, addr, size);
    let rt = rt();
    if written::is_fresh(addr, size) && !rt.quiet && rt.checking == 0 && !ahead::on() {
        written::refuse(addr);
    }
}

/// An access that the runtime makes for the program: a step, if others can see it.
pub fn access(kind: Kind, addr: u64, size: u32) {
    if !rt().quiet && !spin::is_private(addr, size) {
        plain(kind, addr, size);
    }
}

/// Reads what the program gives a place of.
pub fn fetch<T: Copy>(from: *const T) -> T {
    access(Kind::Read, from as u64, size_of::<T>() as u32);
    unsafe { from.read_unaligned() }
}

/// Writes a result where the program wants it.
pub fn deliver<T>(to: *mut T, value: T) {
    access(Kind::Write, to as u64, size_of::<T>() as u32);
    unsafe { to.write_unaligned(value) };
}

/// Takes the announced access of a thread.
pub fn execute(who: usize) -> (i64, u64) {
    let thread = thread(who);
    let op = thread.op;
    match op.kind {
        Kind::Read => {
            let value = peek(op.addr, op.size);
            spin::see_memory(who, op.addr, op.size);
            return (0, value);
        }
        Kind::Write => {
            written::note(op.addr, op.size);
            // The thread's own stack is part of the local state that is compared.
            if !spin::own_place(who, op.addr, op.size) {
                if matches!(op.size, 1 | 2 | 4 | 8) {
                    thread.old = peek(op.addr, op.size);
                    thread.stores = Some((op.addr, op.size));
                } else {
                    spin::forget(who);
                }
            }
            return (0, 0);
        }
        Kind::Free => {
            spin::forget(who);
            return (arena::release(op.addr, op.pc), 0);
        }
        _ => {}
    }
    let old = peek(op.addr, op.size);
    let new = result(&op, old);
    thread.unwritten = op.sub != STORE && written::is_fresh(op.addr, op.size);
    if new == old {
        spin::see_memory(who, op.addr, op.size);
    } else {
        spin::forget(who);
    }
    if op.sub != LOAD && !(op.sub == CAS && old != op.a) {
        written::note(op.addr, op.size);
        poke(op.addr, op.size, new);
    }
    (old as i64, new)
}

/// What an atomic operation leaves in memory.
pub fn result(op: &Op, old: u64) -> u64 {
    let new = match op.sub {
        LOAD => old,
        STORE | EXCHANGE => op.a,
        ADD => old.wrapping_add(op.a),
        SUB => old.wrapping_sub(op.a),
        AND => old & op.a,
        OR => old | op.a,
        XOR => old ^ op.a,
        NAND => !(old & op.a),
        _ if old == op.a => op.b,
        _ => old,
    };
    cut(new, op.size)
}
