//! Which functions a thread is in: the compiler puts a call where one is entered and where it is left. And which blocks
//! that are claimed to be atomic: the program says so.

use crate::ahead;
use crate::check;
use crate::shared::*;
use crate::shims::{self, Registers};
use crate::state::*;

fn mark(registers: Registers, caller: u64) {
    let rt = rt();
    if rt.quiet || rt.checking != 0 || ahead::on() {
        return;
    }
    let shared = shared();
    if shared.mark_calls == 0 {
        return;
    }
    let n = shared.marks as usize;
    if n >= MAX_MARKS {
        check::limit("more than 100,000 calls of functions in one execution");
    }
    shared.mark[n] = Mark {
        pc: registers.pc,
        sp: registers.sp as u64,
        bp: registers.saved[1],
        caller,
        at: rt.steps,
        thread: rt.current as u16,
        unused: 0,
    };
    shared.marks += 1;
}

pub extern "C" fn enter(caller: u64) {
    mark(shims::registers(), caller)
}

pub extern "C" fn leave() {
    let left = Registers {
        pc: 0,
        ..shims::registers()
    };
    mark(left, 0)
}

/// A number for the claim of this name, from 1.
fn claim(name: *const u8) -> u32 {
    let shared = shared();
    let text = check::text(name);
    let known = (shared.claims as usize).min(MAX_CLAIMS);
    let text = &text[..text.len().min(shared.claim[0].text.len())];
    if let Some(i) = (0..known).find(|&i| shared.claim[i].text() == text) {
        return i as u32 + 1;
    }
    if known == MAX_CLAIMS {
        check::limit("more than 32 claims");
    }
    let new = &mut shared.claim[known];
    new.text[..text.len()].copy_from_slice(text);
    new.length = text.len() as u32;
    shared.claims += 1;
    known as u32 + 1
}

fn bound(claim: u32) {
    let (rt, shared) = (rt(), shared());
    let n = shared.bounds as usize;
    if n >= MAX_BOUNDS {
        check::limit("more than 65,536 times that a claimed block is entered or left");
    }
    shared.bound[n] = Bound {
        pc: shims::registers().pc,
        claim,
        at: rt.steps,
        thread: rt.current as u16,
        unused: [0; 3],
    };
    shared.bounds += 1;
}

pub extern "C" fn begin_claimed(name: *const u8) {
    bound(claim(name));
}

pub extern "C" fn end_claimed() {
    bound(0);
}
