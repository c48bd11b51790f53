//! Blocks that nobody can free any more when an execution ends: no pointer to them is left in variables, on stacks of
//! threads that still wait, or in blocks that can be reached (as in LeakSanitizer, Serebryany 2013; any word that looks
//! like a pointer is taken for one).

use crate::arena;
use crate::shared::*;
use crate::spin::stack_top;
use crate::state::*;

/// What is known of a block that is in use: nothing; that it is reached; that what it holds is reached as well.
const REACHED: u64 = 1;
const DONE: u64 = 2;

fn scan(from: u64, to: u64) {
    for addr in (from.next_multiple_of(8)..to & !7).step_by(8) {
        let value = unsafe { (addr as *const u64).read_unaligned() };
        if let Some(block) = arena::used(value)
            && block.freed_at == 0
        {
            block.freed_at = REACHED;
        }
    }
}

fn each(see: &mut dyn FnMut(&'static mut Block)) {
    let rt = rt();
    for i in (0..rt.count).filter(|&i| has(&rt.made, i)) {
        for block in arena::blocks(i).filter(|b| b.freed == 0) {
            see(block);
        }
    }
}

/// The first block that is lost; `sp` is the stack pointer of the running thread.
pub fn lost(sp: u64) -> Option<&'static Block> {
    unsafe extern "C" {
        static __data_start: u8;
        static _end: u8;
    }
    let rt = rt();
    each(&mut |block| block.freed_at = 0);
    scan(&raw const __data_start as u64, &raw const _end as u64);
    for i in (0..rt.count).filter(|&i| has(&rt.made, i)) {
        let thread = thread(i);
        if i == rt.current {
            scan(sp, stack_top(i) as u64);
        } else if !thread.ended {
            scan(thread.sp as u64, stack_top(i) as u64);
        }
        // What it has left for who joins it, and for itself.
        let own = [thread.value as u64, thread.argument as u64];
        let specific = thread.specific.iter().map(|&v| v as u64);
        let kept = own.into_iter().chain(specific);
        for value in kept.filter(|_| !thread.ended || !thread.joined && !thread.detached) {
            if let Some(block) = arena::used(value)
                && block.freed_at == 0
            {
                block.freed_at = REACHED;
            }
        }
    }
    loop {
        let mut more = false;
        each(&mut |block| {
            if block.freed_at == REACHED {
                block.freed_at = DONE;
                more = true;
                scan(block.start, block.start + block.size);
            }
        });
        if !more {
            break;
        }
    }
    let mut first = None;
    each(&mut |block| {
        if first.is_none() && block.freed_at == 0 {
            first = Some(&*block);
        }
    });
    each(&mut |block| block.freed_at = 0);
    first
}
