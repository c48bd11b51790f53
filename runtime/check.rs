//! Errors that the runtime finds, and the ends of executions.

use crate::libc;
use crate::schedule;
use crate::shared::*;
use crate::startup;
use crate::state::*;

/// Writes the message of the answer.
pub fn message(parts: &[&[u8]]) {
    let shared = shared();
    let mut at = 0;
    for part in parts {
        for &byte in *part {
            if at < shared.message.len() {
                shared.message[at] = byte;
                at += 1;
            }
        }
    }
    shared.message_len = at as u32;
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
    let (rt, shared) = (rt(), shared());
    rt.quiet = true;
    rt.checking = 0;
    if shared.error == NO_ERROR {
        shared.error = kind;
        shared.error_thread = rt.current as u32;
        shared.error_pc = crate::shims::registers().pc;
        shared.error_addr = addr;
        message(parts);
    }
    if shared.keep_going == 0 {
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
    shared().error_thread = rt().current as u32;
    message(&[what.as_bytes()]);
    schedule::finish(RUNTIME_LIMIT)
}

/// The program calls what can't be controlled (`ctest/compile.rs` says what).
pub extern "C" fn refused(what: *const u8) {
    let shared = shared();
    shared.error_thread = rt().current as u32;
    shared.error_pc = crate::shims::registers().pc;
    message(&[text(what)]);
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
    let registers = crate::shims::registers();
    crate::shims::set_registers(crate::shims::Registers {
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
        let registers = crate::shims::registers();
        startup::finish();
        crate::shims::set_registers(registers);
    }
    process_exit(code)
}

/// `_exit`.
pub extern "C" fn process_exit(code: i32) {
    schedule::step(Op {
        kind: Kind::ProcessExit,
        a: code as u64,
        pc: crate::shims::registers().pc,
        ..Op::default()
    });
    schedule::finish(DIVERGED)
}
