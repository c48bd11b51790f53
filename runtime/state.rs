//! The state of one execution.
//!
//! The small part is static data of the program, which a reset restores with the rest; threads lie in a mapping of
//! their own, and are made anew when they are created.

use crate::libc;
use crate::shared::*;
use core::cell::UnsafeCell;

/// Where things are mapped: fixed places, so that addresses are the same in all executions.
pub const THREADS_AT: usize = 0x2000_0000_0000;
pub const ARENA_AT: usize = 0x2100_0000_0000;
pub const ARENA_SIZE: usize = 1 << 32;
pub const GUARD: usize = 64 << 10;

/// A step that a thread has announced.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Op {
    pub kind: Kind,
    /// Of memory: which operation, see `atomics.rs`.
    pub sub: u8,
    /// Of memory: flags of the access.
    pub flags: u8,
    /// Of memory: the memory order, and that of a compare-and-swap that fails.
    pub order: [u8; 2],
    pub size: u32,
    pub addr: u64,
    pub a: u64,
    pub b: u64,
    pub pc: u64,
}

/// One cell that a thread in a loop has read, with what it found.
#[derive(Clone, Copy, Default)]
pub struct Seen {
    pub key: u64,
    pub size: u32,
    pub value: u64,
}

/// How many cells the body of an active wait may read.
pub const WINDOW: usize = 48;
/// How many places a thread's loop may have.
pub const HEADS: usize = 32;

/// A place to which a thread may come back in a loop, with its local state there.
#[derive(Clone, Copy, Default)]
pub struct Head {
    pub pc: u64,
    pub addr: u64,
    pub hash: u64,
    /// Which of the reads in the window came after it.
    pub from: u32,
    /// How many locks the thread holds there.
    pub holds: u32,
    /// How often it had given a lock back.
    pub gave: u32,
    /// How often it had chosen.
    pub chose: u32,
}

/// A thread.
#[repr(C)]
pub struct Thread {
    pub sp: usize,
    pub op: Op,
    pub result: i64,
    pub entry: usize,
    pub argument: usize,
    pub value: usize,
    pub errno: i32,
    pub alive: bool,
    pub ended: bool,
    pub begun: bool,
    pub detached: bool,
    pub joined: bool,
    /// Woken from a condition variable.
    pub signalled: bool,
    /// Which generation of the barrier it waits for.
    pub generation: u32,
    /// The one that a barrier tells so.
    pub serial: bool,
    /// Whether it looks at that.
    pub asks: bool,
    /// Whether a debugger waits for what it does next.
    pub stops: bool,
    /// Fences since its last step, as memory orders.
    pub fences: u8,
    /// Atomic regions that it is in.
    pub regions: u32,
    pub children: u16,
    /// Whether its atomic operation has read what nobody has written.
    pub unwritten: bool,
    /// Whether one of its allocations has failed.
    pub starved: bool,
    /// Pipes that it has made, and numbers that it has opened.
    pub pipes: u32,
    pub descriptors: u32,
    /// Cleanup handlers that it has pushed.
    pub handlers: u32,
    /// The step whose value is to be read when the thread comes back.
    pub unread: u32,
    pub time: i64,
    pub random: u64,
    // Active waiting, see `spin.rs`.
    pub holds: u32,
    pub held: u64,
    pub gave: u32,
    pub spins: bool,
    /// Whether it would only wait because of what it has chosen; and how often it has chosen.
    pub circles: bool,
    pub chose: u32,
    /// A hash of its stack and registers, where that is asked for.
    pub local: u64,
    /// The place of a store whose effect is to be looked at when the thread comes back, and what was there.
    pub stores: Option<(u64, u32)>,
    pub old: u64,
    pub seen: [Seen; WINDOW],
    pub nseen: u32,
    pub heads: [Head; HEADS],
    pub nheads: u32,
    // Memory.
    pub top: u64,
    pub blocks: u32,
    pub low: usize,
    pub specific: [usize; 64],
}

pub const NO_STEP: u32 = u32::MAX;

/// An alternative of a step, digit by digit.
pub struct Draw {
    /// The digits to come.
    pub rest: u16,
    /// The number that those up to now make.
    pub taken: u64,
    /// What the next one counts.
    pub scale: u64,
}

/// The rest.
pub struct Runtime {
    pub shared: *mut Shared,
    pub current: usize,
    pub count: usize,
    /// Threads that are alive.
    pub alive: Threads,
    /// Threads that have been created.
    pub made: Threads,
    pub steps: u32,
    /// How many of the given steps have been taken or skipped.
    pub given: u32,
    pub accesses: u32,
    /// Of each thread the number of the change that has lowered its priority, from 1; or 0.
    pub lowered: [u32; MAX_THREADS],
    /// Steps that the running thread has taken in a row.
    pub row: u32,
    /// Who sleeps with all alternatives; of the others, which is the first that does not; and which sleepers were
    /// woken.
    pub asleep: Threads,
    pub first: [u16; MAX_THREADS],
    pub woken: [bool; MAX_SLEEPERS],
    pub sleeping: bool,
    /// In an atomic region no other thread is chosen.
    pub region: bool,
    /// Which alternative of the last step is being taken.
    pub draw: Draw,
    pub keys: usize,
    pub destructor: [usize; 64],
    /// What `atexit` was given, and how much of it is left; how many destructors of the program have been called.
    pub handler: [usize; 64],
    pub at_exit: usize,
    pub destroyed: usize,
    /// Where `strtok` goes on.
    pub token: u64,
    /// Constructors run.
    pub starting: bool,
    pub allocated: u64,
    /// The stack of the process itself, to which an execution returns.
    pub home: usize,
    pub index: [u16; crate::objects::SLOTS],
    pub objects: usize,
    pub tls: crate::tls::Blocks,
    /// Who goes on when the new threads have started, plus 1.
    pub resume: usize,
    /// Hooks of the code that the runtime itself calls are no steps.
    pub quiet: bool,
    /// Whose step is being taken by the runtime itself, plus one.
    pub taking: usize,
    /// Invariants that have been registered.
    pub promised: u32,
    /// Invariants that did not hold in this execution.
    pub violated: u32,
    /// Those that have read what the last steps have written.
    pub changed: u32,
    /// The one that is being evaluated, plus one.
    pub checking: usize,
    /// Where its own stack begins.
    pub checked_at: u64,
    pub early: crate::invariants::Early,
}

struct Global(UnsafeCell<Runtime>);
// One operating system thread only: tested threads are coroutines.
unsafe impl Sync for Global {}

static RUNTIME: Global = Global(UnsafeCell::new(Runtime {
    shared: core::ptr::null_mut(),
    current: 0,
    count: 0,
    alive: [0; SET_WORDS],
    made: [0; SET_WORDS],
    steps: 0,
    given: 0,
    accesses: 0,
    lowered: [0; MAX_THREADS],
    row: 0,
    asleep: [0; SET_WORDS],
    first: [0; MAX_THREADS],
    woken: [false; MAX_SLEEPERS],
    sleeping: false,
    region: false,
    draw: Draw {
        rest: 0,
        taken: 0,
        scale: 1,
    },
    keys: 0,
    destructor: [0; 64],
    handler: [0; 64],
    at_exit: 0,
    destroyed: 0,
    token: 0,
    starting: false,
    allocated: 0,
    home: 0,
    index: [0; crate::objects::SLOTS],
    objects: 0,
    tls: crate::tls::ONE,
    resume: 0,
    quiet: true,
    taking: 0,
    promised: 0,
    violated: 0,
    changed: 0,
    checking: 0,
    checked_at: 0,
    early: crate::invariants::Early {
        count: 0,
        list: [(0, 0); MAX_INVARIANTS],
    },
}));

/// The state. Nobody keeps the reference across a step.
pub fn rt() -> &'static mut Runtime {
    unsafe { &mut *RUNTIME.0.get() }
}

/// The memory shared with the explorer.
pub fn shared() -> &'static mut Shared {
    unsafe { &mut *rt().shared }
}

/// A thread.
pub fn thread(i: usize) -> &'static mut Thread {
    unsafe { &mut *(THREADS_AT as *mut Thread).add(i % MAX_THREADS) }
}

/// The running thread.
pub fn me() -> &'static mut Thread {
    thread(rt().current)
}

pub fn has(set: &Threads, i: usize) -> bool {
    set[i / 64] >> (i % 64) & 1 == 1
}

pub fn put(set: &mut Threads, i: usize) {
    set[i / 64] |= 1 << (i % 64);
}

pub fn drop(set: &mut Threads, i: usize) {
    set[i / 64] &= !(1 << (i % 64));
}

/// Maps memory at a fixed place, or gives up the process.
pub fn map(at: usize, size: usize) {
    map_for(at, size, libc::PROT_RW)
}

/// Makes memory that was mapped by [`map`] as it was then, from the beginning of a page on.
pub fn zero(base: *mut u8, used: usize) {
    unsafe {
        if used <= 64 << 10 {
            libc::memset(base, 0, used);
        } else {
            libc::madvise(base, used + 4096 & !4095, libc::MADV_DONTNEED);
        }
    }
}

/// The same for a purpose.
pub fn map_for(at: usize, size: usize, protection: i32) {
    let got = unsafe { libc::mmap(at as *mut u8, size, protection, libc::MAP_ARENA, -1, 0) };
    if got as usize != at {
        unsafe { libc::_exit(97) }
    }
}
