//! Which functions a thread is in: the compiler puts a call where one is entered and where it is left.

use crate::ahead;
use crate::check;
use crate::shared::*;
use crate::shims::{self, Registers};
use crate::state::*;

fn mark(registers: Registers) {
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
        at: rt.steps,
        thread: rt.current as u16,
        unused: 0,
    };
    shared.marks += 1;
}

pub extern "C" fn enter() {
    mark(shims::registers())
}

pub extern "C" fn leave() {
    mark(Registers {
        pc: 0,
        ..shims::registers()
    })
}
