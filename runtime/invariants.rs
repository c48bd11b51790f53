//! Invariants: functions of the program that hold in every state.
//!
//! A state is what a thread leaves when it announces its next step. An invariant is evaluated there if the step before
//! wrote what an invariant has ever read. What it reads is kept from execution to execution: steps that write any of it
//! depend on each other (`steps::footprint`), so that every combination of values is seen, and the explorer starts anew
//! when something is added.

use crate::arena;
use crate::check;
use crate::shared::*;
use crate::shims;
use crate::spin;
use crate::state::*;

/// Invariants that constructors have registered, before there was anything else.
pub struct Early {
    pub count: usize,
    pub list: [(u64, u64); MAX_INVARIANTS],
}

/// Calls `put` with each invariant that has read some of these bytes.
pub fn touched(addr: u64, size: u32, put: &mut dyn FnMut(u64)) {
    let shared = shared();
    let mut done = 0u32;
    for cell in &shared.cell[..(shared.cells as usize).min(MAX_CELLS)] {
        let meets = cell.addr < addr + u64::from(size) && addr < cell.addr + u64::from(cell.size);
        let bit = 1 << (cell.invariant % MAX_INVARIANTS as u32);
        if meets && done & bit == 0 {
            done |= bit;
            put(cell.invariant.into());
        }
    }
}

/// A number for a function, the same in all executions.
fn number(function: u64, text: u64) -> usize {
    let shared = shared();
    let known = (shared.invariants as usize).min(MAX_INVARIANTS);
    if let Some(i) = (0..known).find(|&i| shared.invariant[i].function == function) {
        return i;
    }
    if known == MAX_INVARIANTS {
        check::limit("more than 32 invariants");
    }
    let new = &mut shared.invariant[known];
    let text = check::text(text as *const u8);
    let n = text.len().min(new.text.len());
    new.text[..n].copy_from_slice(&text[..n]);
    new.length = n as u32;
    new.function = function;
    shared.invariants += 1;
    known
}

pub extern "C" fn register(function: u64) {
    register_text(function, 0);
}

pub extern "C" fn register_text(function: u64, text: u64) {
    let rt = rt();
    if rt.starting {
        let early = &mut rt.early;
        if early.count < MAX_INVARIANTS {
            early.list[early.count] = (function, text);
            early.count += 1;
        }
        return;
    }
    let i = number(function, text);
    crate::schedule::step(Op {
        kind: Kind::Promise,
        addr: function,
        a: i as u64,
        ..Op::default()
    });
    begin(i);
}

/// From here on it has to hold.
fn begin(i: usize) {
    rt().promised |= 1 << i;
    evaluate(i);
}

/// Before `main`.
pub fn begin_early() {
    for i in 0..rt().early.count {
        let (function, text) = rt().early.list[i];
        begin(number(function, text));
    }
}

/// Looks at the present state.
pub fn check() {
    let changed = rt().changed & rt().promised;
    rt().changed = 0;
    for i in 0..MAX_INVARIANTS {
        if (changed & !crate::state::rt().violated) >> i & 1 == 1 {
            evaluate(i);
        }
    }
}

fn evaluate(i: usize) {
    let registers = shims::registers();
    rt().checking = i + 1;
    rt().checked_at = &raw const registers as u64;
    let function = shared().invariant[i].function;
    let function: extern "C" fn() -> i32 = unsafe { core::mem::transmute(function as usize) };
    let holds = function();
    rt().checking = 0;
    shims::set_registers(registers);
    if holds != 0 {
        return;
    }
    let (rt, shared) = (rt(), shared());
    rt.violated |= 1 << i;
    let invariant = &shared.invariant[i];
    let (thread, pc) = match rt.steps.checked_sub(1) {
        Some(last) => {
            let event = &shared.event[last as usize];
            (event.thread.into(), event.pc)
        }
        None => (0, invariant.function + 1),
    };
    let place = (pc, invariant.function);
    if !check::mishap(INVARIANT, thread, place, &[invariant.text()]) {
        crate::schedule::finish(ERROR);
    }
}

/// An access by an invariant.
pub fn access(kind: Kind, addr: u64, size: u32) {
    let rt = rt();
    let who = rt.current;
    let sp = shims::registers().sp;
    if sp < me().low && spin::own_stack(who, sp as u64) {
        me().low = sp;
    }
    // Its own local variables.
    if spin::own_stack(who, addr) && addr < rt.checked_at {
        return;
    }
    if kind != Kind::Read {
        forbidden();
    }
    arena::check(addr, size);
    let shared = shared();
    let i = rt.checking as u32 - 1;
    let known = (shared.cells as usize).min(MAX_CELLS);
    let covered = shared.cell[..known].iter().any(|cell| {
        cell.invariant == i
            && cell.addr <= addr
            && addr + u64::from(size) <= cell.addr + u64::from(cell.size)
    });
    if covered {
        return;
    }
    if known == MAX_CELLS {
        rt.checking = 0;
        check::limit("invariants that read more than 4,096 variables");
    }
    shared.cell[known] = Cell {
        addr,
        size,
        invariant: i,
    };
    shared.cells += 1;
}

/// An invariant does more than reading.
pub fn forbidden() -> ! {
    check::error(
        MISUSE,
        0,
        &[b"an invariant must only read, and call nothing that does more"],
    )
}
