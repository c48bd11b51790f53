//! Pipes: what is written at one end is read at the other, in order.
//!
//! A pipe belongs to the thread that has made it, so its number does not depend on others. All that was ever written is
//! kept, and each call is one step, as large as POSIX has it be whole (`PIPE_BUF`).

use crate::atomics::access;
use crate::check;
use crate::files::fail;
use crate::libc;
use crate::poll;
use crate::printing;
use crate::pthread::on;
use crate::shared::*;
use crate::state::*;
use crate::strings::Kept;
use crate::time;

/// Bytes that are written and not yet read, as on Linux.
const ROOM: u64 = 64 << 10;
/// Bytes that are written as one: `PIPE_BUF`.
const WHOLE: u64 = 4096;

/// What is known of a pipe.
#[repr(C)]
struct Pipe {
    /// How much was read, and written.
    read: u64,
    written: u64,
    /// Whether the ends are open, the one to read from first.
    open: [bool; 2],
    time: i64,
}

pub fn map_all() {
    map(PIPES_AT, MAX_THREADS * PIPES * PIPE_SIZE);
}

fn pipe(at: u64) -> &'static mut Pipe {
    unsafe { &mut *(at as *mut Pipe) }
}

fn content(at: u64) -> u64 {
    at + PIPE_HEAD as u64
}

fn place(number: usize) -> u64 {
    (PIPES_AT + number * PIPE_SIZE) as u64
}

/// Whether a pipe is at an address.
pub fn is_one(at: u64) -> bool {
    (PIPES_AT as u64..place(MAX_THREADS * PIPES)).contains(&at)
}

/// A number that another state does not have.
pub fn state(at: u64) -> u64 {
    let pipe = pipe(at);
    let [reads, writes] = pipe.open.map(u64::from);
    pipe.read << 32 | pipe.written << 2 | reads << 1 | writes
}

/// What has come to an end, as `poll` says it; nothing, if the end is closed.
pub fn events(at: u64, end: usize) -> Option<u16> {
    let pipe = pipe(at);
    let held = pipe.written - pipe.read;
    let when = |is: bool, event: u16| if is { event } else { 0 };
    let come = match end {
        READING => when(held > 0, poll::IN) | when(!pipe.open[WRITING], poll::HANGS_UP),
        _ => when(held + WHOLE <= ROOM, poll::OUT) | when(!pipe.open[READING], poll::ERROR_EVENT),
    };
    pipe.open[end].then_some(come)
}

/// A new pipe.
pub fn make() -> u64 {
    let n = me().pipes as usize;
    if n == PIPES {
        check::limit("more than 16 pipes of one thread");
    }
    me().pipes += 1;
    let at = place(rt().current * PIPES + n);
    // What an earlier execution has left is overwritten before it is read.
    *pipe(at) = Pipe {
        read: 0,
        written: 0,
        open: [true; 2],
        time: 0,
    };
    at
}

/// The end to read from, and the one to write to.
pub const READING: usize = 0;
pub const WRITING: usize = 1;

pub fn read((at, end): (u64, usize), to: u64, n: u64) -> i64 {
    // That it is the wrong end depends on nothing, so it is no step.
    if end != READING {
        return fail(libc::EBADF);
    }
    if n == 0 {
        return 0;
    }
    let got = on(Kind::PipeRead, at, n);
    if got <= 0 {
        return if got < 0 { fail(libc::EBADF) } else { 0 };
    }
    // Nobody has gone on since.
    let from = content(at) + pipe(at).read - got as u64;
    access(Kind::Write, to, got as u32);
    unsafe { libc::memcpy(to as *mut u8, from as *const u8, got as usize) };
    got
}

pub fn write((at, end): (u64, usize), from: u64, n: u64) -> i64 {
    if end != WRITING {
        return fail(libc::EBADF);
    }
    let mut done = 0;
    while done < n {
        let piece = (n - done).min(WHOLE);
        printing::bytes(from + done, piece);
        let kept = Kept::new(from + done, piece);
        let given = [kept.place() as u64, piece];
        match on(Kind::PipeWrite, at, given.as_ptr() as u64) {
            0 => done += piece,
            error if error == libc::EPIPE.into() => check::error(
                CRASH,
                0,
                &[b"SIGPIPE: nobody can read from the pipe any more"],
            ),
            error => return fail(error as i32),
        }
    }
    n as i64
}

pub fn close((at, end): (u64, usize)) -> i32 {
    match on(Kind::PipeClose, at, end as u64) {
        0 => 0,
        error => fail(error as i32) as i32,
    }
}

/// What a step that writes was given: where the bytes are, and how many.
fn given(op: &Op) -> [u64; 2] {
    unsafe { *(op.a as *const [u64; 2]) }
}

/// Whether a thread could take its step now.
pub fn enabled(op: &Op) -> bool {
    let pipe = pipe(op.addr);
    let held = pipe.written - pipe.read;
    match op.kind {
        Kind::PipeRead => held > 0 || pipe.open != [true; 2],
        Kind::PipeWrite => {
            let [_, n] = given(op);
            held + n <= ROOM || pipe.open != [true; 2]
        }
        _ => true,
    }
}

/// How the step accesses its pipe. Who reads waits only where it is empty and open; then the step behind which it is
/// not, whoever's, lets the reader go.
pub fn access_of(op: &Op) -> (u8, u8) {
    let pipe = pipe(op.addr);
    let empty = pipe.written == pipe.read;
    let lets_go = match empty && pipe.open == [true; 2] {
        true => RELEASE,
        false => 0,
    };
    match op.kind {
        Kind::PipeRead if empty => (MODE_READ, BLOCKING),
        Kind::PipeRead => (MODE_WRITE, BLOCKING),
        _ => (MODE_WRITE, lets_go),
    }
}

/// Takes the step: how much was read, or an error.
pub fn take(who: usize, op: &Op) -> i64 {
    let pipe = pipe(op.addr);
    match op.kind {
        Kind::PipeRead => {
            if !pipe.open[READING] {
                return -1;
            }
            time::see(who, pipe.time);
            let n = (pipe.written - pipe.read).min(op.a);
            pipe.read += n;
            n as i64
        }
        Kind::PipeWrite => {
            let [from, n] = given(op);
            if !pipe.open[WRITING] {
                return libc::EBADF.into();
            }
            if !pipe.open[READING] {
                return libc::EPIPE.into();
            }
            if pipe.written + n > (PIPE_SIZE - PIPE_HEAD) as u64 {
                check::limit("more than a megabyte through a pipe");
            }
            let to = content(op.addr) + pipe.written;
            unsafe { libc::memcpy(to as *mut u8, from as *const u8, n as usize) };
            pipe.written += n;
            pipe.time = pipe.time.max(thread(who).time);
            0
        }
        _ if !core::mem::replace(&mut pipe.open[op.a as usize], false) => libc::EBADF.into(),
        _ => 0,
    }
}
