//! The runtime that is linked into a tested C program, in place of a thread library and of ThreadSanitizer's.
//!
//! The compiler (`-fsanitize=thread`) puts a call before each shared access, and coarsen renames the thread functions
//! in the program's objects: all of them arrive here (`shims.rs` names them). A call announces the thread's next step
//! and waits until it is chosen (`schedule.rs`), so at any time each thread stands before a step, and the step's effect
//! is known (`steps.rs`). Threads are coroutines on stacks of their own: one execution is one run of one process, and
//! repeatable. `server.rs` makes executions on request; the explorer, in another process, says which.
//!
//! No `std`: the runtime shares a process with a program that may do anything to it, and must not use its allocator.
#![no_std]
#![allow(clippy::missing_safety_doc)]

mod ahead;
mod arena;
mod atomics;
mod c11;
mod calendar;
mod check;
mod descriptors;
mod files;
mod invariants;
mod leaks;
mod libc;
mod marks;
mod objects;
mod pipes;
mod poll;
mod printing;
mod pthread;
mod scanning;
mod schedule;
mod semaphores;
mod server;
#[allow(dead_code)]
mod shared;
mod shims;
mod sorting;
mod spin;
mod startup;
mod state;
mod steps;
mod streams;
mod strings;
mod svcomp;
mod time;
mod tls;
mod variadic;
mod written;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // The exploration takes it for a crash of the program, and shows where; it can only be an index out of range here.
    unsafe { libc::abort() }
}

/// Referred to by `core`, which is compiled for unwinding; never called.
#[unsafe(no_mangle)]
pub extern "C" fn rust_eh_personality() {}
