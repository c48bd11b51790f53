//! Errors that the runtime finds, and the ends of executions.

use crate::libc;
use crate::schedule;
use crate::shared::*;
use crate::shims;
use crate::startup;
use crate::state::*;

/// Notes an error. True: the other threads go on.
pub fn mishap(kind: u32, thread: usize, place: (u64, u64), said: &[&[u8]]) -> bool {
    let shared = shared();
    let n = shared.mishaps as usize;
    if n < MAX_MISHAPS {
        shared.mishap[n] = Mishap::new(kind, thread, place, shared.events, said);
        shared.mishaps += 1;
    }
    shared.mishaps <= shared.passes && n + 1 < MAX_MISHAPS
}

/// Notes why the execution can't go on.
pub fn halt(thread: usize, place: (u64, u64), said: &[&[u8]]) {
    let shared = shared();
    shared.halt = Mishap::new(NO_ERROR, thread, place, shared.events, said);
}

/// A C string.
pub fn text(s: *const u8) -> &'static [u8] {
    if s.is_null() {
        return b"";
    }
    unsafe { core::slice::from_raw_parts(s, libc::strlen(s).min(400)) }
}

/// The running thread has made an error; it does not go on.
pub fn error(kind: u32, addr: u64, parts: &[&[u8]]) -> ! {
    let rt = rt();
    rt.quiet = true;
    rt.checking = 0;
    if !mishap(kind, rt.current, (shims::registers().pc, addr), parts) {
        schedule::finish(ERROR);
    }
    rt.quiet = false;
    rt.region = false;
    stop(Kind::Stopped)
}

/// The running thread goes no further.
pub fn stop(kind: Kind) -> ! {
    rt().checking = 0;
    schedule::step(Op {
        kind,
        ..Op::default()
    });
    // Never chosen, since it is never enabled.
    schedule::finish(DIVERGED)
}

/// The execution can't be continued, and nothing is known of the rest.
pub fn limit(what: &str) -> ! {
    halt(rt().current, (0, 0), &[what.as_bytes()]);
    schedule::finish(RUNTIME_LIMIT)
}

/// The program calls what can't be controlled (`ctest/compile.rs` says what).
pub extern "C" fn refused(what: *const u8) {
    halt(rt().current, (shims::registers().pc, 0), &[text(what)]);
    schedule::finish(REFUSED)
}

/// `assert` of the C library.
pub extern "C" fn assert_fail(what: *const u8, _: *const u8, _: u32, _: *const u8) {
    error(ASSERTION, 0, &[text(what)])
}

pub extern "C" fn abort() {
    error(ABORT, 0, &[])
}

/// `std::terminate`, for an exception of this type that nobody catches, or without one. It is told where the thread's
/// last step is: what calls us is the library's.
pub extern "C" fn terminated(exception: *const [*const u8; 2]) {
    let registers = shims::registers();
    shims::set_registers(shims::Registers {
        pc: thread(rt().current).op.pc,
        ..registers
    });
    if exception.is_null() {
        error(ABORT, 0, &[b"std::terminate"])
    }
    let [_, name] = unsafe { *exception };
    error(ABORT, 0, &[UNCAUGHT.as_bytes(), text(name)])
}

/// `exit`.
pub extern "C" fn exit(code: i32) {
    if startup::is_needed() {
        let registers = shims::registers();
        startup::finish();
        shims::set_registers(registers);
    }
    process_exit(code)
}

/// `_exit`.
pub extern "C" fn process_exit(code: i32) {
    schedule::step(Op {
        kind: Kind::ProcessExit,
        a: code as u64,
        pc: shims::registers().pc,
        ..Op::default()
    });
    schedule::finish(DIVERGED)
}
