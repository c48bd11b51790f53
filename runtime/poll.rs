//! `poll` and `select`: waiting until one of several pipes is ready.
//!
//! It is one step, which reads the state of all of them. With a deadline it comes too late where none is ready, as
//! waits for locks do. Files are always ready.

use crate::ahead;
use crate::atomics::access;
use crate::check;
use crate::descriptors::{self, Open};
use crate::libc;
use crate::pipes;
use crate::schedule;
use crate::shared::*;
use crate::spin;
use crate::state::*;
use crate::time::sleep_for;

/// Numbers that one call may ask for.
const MOST: usize = 64;
/// Events: something to read (`POLLIN`, `POLLRDNORM`), room to write (`POLLOUT`, `POLLWRNORM`); the other end is
/// closed, of a pipe that is written or read; no number.
pub const IN: u16 = 0x41;
pub const OUT: u16 = 0x104;
pub const ERROR_EVENT: u16 = 8;
pub const HANGS_UP: u16 = 0x10;
const NO_NUMBER: u16 = 0x20;

/// What `select` takes for something to read, and for room to write.
const READABLE: u16 = IN | HANGS_UP | ERROR_EVENT;
const WRITABLE: u16 = OUT | ERROR_EVENT;

/// What a thread waits for.
struct Wait {
    asked: [(i32, u16); MOST],
    n: usize,
    timed: bool,
}

impl Wait {
    fn new(timed: bool) -> Wait {
        // It is no step of a turn that is made ahead (`ahead.rs`).
        if ahead::on() {
            ahead::fail();
        }
        Wait {
            asked: [(0, 0); MOST],
            n: 0,
            timed,
        }
    }

    fn ask(&mut self, number: i32, events: u16) {
        if self.n == MOST || descriptors::is_foreign(number) {
            check::limit(
                "waiting for files that neither `open` nor `pipe` has made, or for more than 64",
            );
        }
        self.asked[self.n] = (number, events);
        self.n += 1;
    }

    fn asked(&self) -> &[(i32, u16)] {
        &self.asked[..self.n]
    }

    /// How many are ready.
    fn ready(&self) -> usize {
        let ready = self.asked().iter().filter(|&&(n, e)| ready(n, e) != 0);
        ready.count()
    }

    /// Waits; how many are ready then.
    fn step(&self) -> i64 {
        schedule::step(Op {
            kind: Kind::Poll,
            addr: self as *const Wait as u64,
            ..Op::default()
        })
    }
}

/// Which of the events have come to what a number stands for.
fn ready(number: i32, events: u16) -> u16 {
    let come = match descriptors::known(number) {
        Some(Open::Pipe(at, end)) => pipes::events(at, end),
        Some(Open::File(stream)) => unsafe { !(*stream).is_closed() }.then_some(IN | OUT),
        None if descriptors::is_standard(number) => Some(IN | OUT),
        None if number < 0 => Some(0),
        None => None,
    };
    come.unwrap_or(NO_NUMBER) & (events | NO_NUMBER)
}

fn wait(op: &Op) -> &'static Wait {
    unsafe { &*(op.addr as *const Wait) }
}

/// Whether a thread could take its step now.
pub fn enabled(op: &Op) -> bool {
    let wait = wait(op);
    wait.timed || wait.ready() > 0
}

/// What the step looks at.
pub fn looks_at(op: &Op) -> impl Iterator<Item = Open> {
    let asked = wait(op).asked().iter();
    asked.filter_map(|&(number, _)| descriptors::known(number))
}

/// Takes the step.
pub fn take(who: usize, op: &Op) -> i64 {
    let ready = wait(op).ready();
    if ready > 0 {
        spin::forget(who);
        return ready as i64;
    }
    for open in looks_at(op) {
        if let Open::Pipe(at, _) = open {
            spin::see_object(who, at);
        }
    }
    0
}

/// `struct pollfd`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PollFd {
    number: i32,
    events: u16,
    come: u16,
}

pub extern "C" fn poll(fds: *mut PollFd, n: u64, milliseconds: i32) -> i32 {
    let rest = i64::from(milliseconds).wrapping_mul(1_000_000);
    if n == 0 && milliseconds >= 0 {
        sleep_for(rest);
        return 0;
    }
    let mut wait = Wait::new(milliseconds >= 0);
    access(Kind::Read, fds as u64, (n * 8).min(u32::MAX.into()) as u32);
    for i in 0..n as usize {
        let PollFd { number, events, .. } = unsafe { fds.add(i).read() };
        // These come unasked.
        wait.ask(number, events | ERROR_EVENT | HANGS_UP);
    }
    let found = wait.step();
    if found == 0 {
        sleep_for(rest);
    }
    // Nobody has gone on since.
    let come = wait.asked.map(|(number, events)| ready(number, events));
    for (i, come) in come[..wait.n].iter().enumerate() {
        let to = unsafe { &raw mut (*fds.add(i)).come };
        access(Kind::Write, to as u64, 2);
        unsafe { to.write(*come) };
    }
    found as i32
}

/// `fd_set`.
type Set = [u64; 16];

pub extern "C" fn select(
    numbers: i32,
    reads: *mut Set,
    writes: *mut Set,
    others: *mut Set,
    wish: *const [i64; 2],
) -> i32 {
    let rest = match wish.is_null() {
        true => None,
        false => {
            let [seconds, rest] = crate::atomics::fetch(wish);
            let seconds = seconds.wrapping_mul(1_000_000_000);
            Some(seconds.wrapping_add(rest.wrapping_mul(1000)))
        }
    };
    if let (0, Some(rest)) = (numbers, rest) {
        sleep_for(rest);
        return 0;
    }
    let mut wait = Wait::new(rest.is_some());
    let given = [reads, writes, others].map(|set| match set.is_null() {
        true => [0; 16],
        false => {
            access(Kind::Read, set as u64, size_of::<Set>() as u32);
            unsafe { set.read() }
        }
    });
    let is_in = |set: &Set, i: i32| set[i as usize / 64] >> (i % 64) & 1 != 0;
    for i in 0..numbers.min(1024) {
        let asked = |k: usize, events: u16| if is_in(&given[k], i) { events } else { 0 };
        let events = asked(0, READABLE) | asked(1, WRITABLE);
        if events != 0 {
            wait.ask(i, events);
        }
    }
    let found = wait.step();
    if let (0, Some(rest)) = (found, rest) {
        sleep_for(rest);
    }
    let mut come = [[0u64; 16]; 3];
    for &(number, events) in wait.asked() {
        let bits = ready(number, events);
        if bits & NO_NUMBER != 0 {
            return crate::files::fail(libc::EBADF) as i32;
        }
        let of = [bits & READABLE, bits & WRITABLE];
        for (k, bits) in of.into_iter().enumerate() {
            if bits != 0 && is_in(&given[k], number) {
                come[k][number as usize / 64] |= 1 << (number % 64);
            }
        }
    }
    for (set, come) in [reads, writes, others].into_iter().zip(come) {
        if !set.is_null() {
            access(Kind::Write, set as u64, size_of::<Set>() as u32);
            unsafe { set.write(come) };
        }
    }
    come.iter().flatten().map(|w| w.count_ones() as i32).sum()
}
