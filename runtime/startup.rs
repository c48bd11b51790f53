//! What runs before `main` and when the process ends: constructors, destructors, and what `atexit` is given. They are
//! parts of an execution, as steps of the thread that runs them: `ctest/assembly.rs` puts the program's into sections
//! of our own, each with its priority.

use crate::pthread::on;
use crate::shared::*;
use crate::state::*;
use core::arch::global_asm;

// There is always one entry, so that the linker knows where the sections begin.
global_asm!(
    ".section coarsen_before, \"aw\", @progbits",
    ".quad 0, 0",
    ".section coarsen_after, \"aw\", @progbits",
    ".quad 0, 0",
    ".text",
);

/// A function and its priority.
#[repr(C)]
#[derive(Clone, Copy)]
struct Entry {
    function: usize,
    priority: u64,
}

unsafe extern "C" {
    static __start_coarsen_before: Entry;
    static __stop_coarsen_before: Entry;
    static __start_coarsen_after: Entry;
    static __stop_coarsen_after: Entry;
}

/// Those between two places.
fn entries(start: *const Entry, stop: *const Entry) -> &'static [Entry] {
    let n = (stop as usize - start as usize) / size_of::<Entry>();
    unsafe { core::slice::from_raw_parts(start, n) }
}

/// The one that is number `n` by priorities and places.
fn nth(entries: &[Entry], n: usize) -> Option<usize> {
    let mut last = None;
    for _ in 0..=n {
        let all = entries.iter().enumerate().filter(|(_, e)| e.function != 0);
        let keys = all.map(|(i, e)| (e.priority, i));
        last = Some(
            keys.filter(|key| last.is_none_or(|last| *key > last))
                .min()?,
        );
    }
    last.map(|(_, i)| entries[i].function)
}

/// Calls the constructors.
pub fn construct(argc: i32, argv: usize, envp: usize) {
    let all = entries(
        &raw const __start_coarsen_before,
        &raw const __stop_coarsen_before,
    );
    for function in (0..).map_while(|n| nth(all, n)) {
        let function: extern "C" fn(i32, usize, usize) = unsafe { core::mem::transmute(function) };
        function(argc, argv, envp);
    }
}

fn destructors() -> &'static [Entry] {
    entries(
        &raw const __start_coarsen_after,
        &raw const __stop_coarsen_after,
    )
}

pub extern "C" fn atexit(function: usize) -> i32 {
    on(Kind::Key, 0, 0);
    let rt = rt();
    if rt.at_exit == rt.handler.len() {
        crate::check::limit("more than 64 functions for `atexit`");
    }
    rt.handler[rt.at_exit] = function;
    rt.at_exit += 1;
    0
}

/// Whether anything is to be done when the process ends.
pub fn is_needed() -> bool {
    rt().at_exit > 0 || nth(destructors(), 0).is_some()
}

/// Does it: the last that was asked for first. Each is called once, whoever ends the process.
pub fn finish() {
    while let Some(n) = rt().at_exit.checked_sub(1) {
        rt().at_exit = n;
        let function: extern "C" fn() = unsafe { core::mem::transmute(rt().handler[n]) };
        function();
    }
    let count = (0..).map_while(|n| nth(destructors(), n)).count();
    while let Some(n) = count.checked_sub(rt().destroyed + 1) {
        rt().destroyed += 1;
        if let Some(function) = nth(destructors(), n) {
            let function: extern "C" fn() = unsafe { core::mem::transmute(function) };
            function();
        }
    }
}
