//! What the runtime (inside the tested program) and the explorer (inside coarsen) write to each other.
//!
//! Both compile this file: coarsen as `ctest::shared`, the runtime as `shared`. It is a piece of memory that both map:
//! the explorer writes a request (which steps to take first, who is asleep), the runtime the execution that it made of
//! it.

/// Threads of one execution; identities are never reused.
pub const MAX_THREADS: usize = 256;
/// Words of a set of threads.
pub const SET_WORDS: usize = MAX_THREADS / 64;
/// Most steps of one execution.
pub const MAX_STEPS: usize = 1 << 17;
/// Most accesses of one execution.
pub const MAX_ACCESSES: usize = 1 << 19;
/// Where the stacks of threads are, and how large each is.
pub const STACKS_AT: usize = 0x2300_0000_0000;
/// One stack.
pub const STACK_SIZE: usize = 8 << 20;

/// Where files are that the program opens: so many heads of this size, then so many contents.
pub const FILES_AT: usize = 0x2500_0000_0000;
/// Names of files are told apart by this many places.
pub const FILES: usize = 1 << 14;
/// What is known of one.
pub const FILE_HEAD: usize = 512;
/// The most that is in one.
pub const FILE_SIZE: usize = 1 << 20;

/// Where pipes are, how large each is, and where what is written begins.
pub const PIPES_AT: usize = 0x2700_0000_0000;
/// Pipes of one thread.
pub const PIPES: usize = 16;
/// One pipe.
pub const PIPE_SIZE: usize = 1 << 20;
/// What is known of one.
pub const PIPE_HEAD: usize = 4096;

/// Whether an address is on a thread's own stack.
pub fn own_stack(thread: usize, addr: u64) -> bool {
    let bottom = (STACKS_AT + thread * STACK_SIZE) as u64;
    (bottom..bottom + STACK_SIZE as u64).contains(&addr)
}

/// The other thread on whose stack an address is. `main`'s is not watched: it mostly outlives the others.
pub fn foreign_stack(thread: usize, addr: u64) -> Option<usize> {
    let at = usize::try_from(addr).ok()?.checked_sub(STACKS_AT)?;
    let owner = at / STACK_SIZE;
    (owner != thread && owner != 0 && owner < MAX_THREADS).then_some(owner)
}

/// Most times that functions are entered or left in one execution, where that is asked for.
pub const MAX_MARKS: usize = 1 << 18;
/// Most changes of priorities in one execution.
pub const MAX_CHANGES: usize = 16;
/// Most claims.
pub const MAX_CLAIMS: usize = 32;
/// Most times that claimed blocks are entered or left in one execution.
pub const MAX_BOUNDS: usize = 1 << 16;
/// Most blocks of the heap that are told.
pub const MAX_BLOCKS: usize = 1 << 14;
/// Most pointers into the heap that are told.
pub const MAX_POINTERS: usize = 1 << 16;
/// Most invariants.
pub const MAX_INVARIANTS: usize = 32;
/// Most variables that invariants read.
pub const MAX_CELLS: usize = 1 << 12;
/// Most places on stacks that others look at.
pub const MAX_SHOWN: usize = 256;
/// Most places on stacks that the runtime accesses without a step.
pub const MAX_HIDDEN: usize = 1024;
/// Most errors of an execution: with the last of them it ends.
pub const MAX_MISHAPS: usize = 64;
/// Most accesses of sleeping threads.
pub const MAX_ASLEEP: usize = 1 << 16;
/// Where the runtime finds the shared memory.
pub const SHARED_FD: i32 = 3;
/// Where the runtime reads requests from, byte by byte.
pub const REQUEST_FD: i32 = 4;
/// Where the runtime says that an execution has ended.
pub const ANSWER_FD: i32 = 5;
/// What the program reads from standard input, if anything.
pub const INPUT_FD: i32 = 6;

/// A set of threads.
pub type Threads = [u64; SET_WORDS];

macro_rules! kinds {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// What a step does.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Kind { #[default] $(#[doc = $text] $name),* }

        impl Kind {
            const ALL: &[Kind] = &[$(Kind::$name),*];

            /// As a report calls it.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$name => $text),* }
            }
        }
    };
}

impl Kind {
    /// The kind with a number: none, if the tested program has overwritten the memory where the number was.
    pub fn numbered(number: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(number)).copied()
    }
}

kinds! {
    Nothing = "nothing",
    Start = "start",
    Exit = "end",
    Read = "read",
    Write = "write",
    AtomicLoad = "atomic load",
    AtomicStore = "atomic store",
    AtomicUpdate = "atomic update",
    CompareAndSwap = "compare-and-swap",
    Lock = "lock",
    TryLock = "trylock",
    TimedLock = "timed lock",
    Unlock = "unlock",
    Init = "init",
    Destroy = "destroy",
    Wait = "wait",
    Reacquire = "wake up",
    TimedReacquire = "wake up or time out",
    Signal = "signal",
    Broadcast = "broadcast",
    Create = "create",
    Join = "join",
    SemWait = "sem_wait",
    SemTryWait = "sem_trywait",
    SemTimedWait = "sem_timedwait",
    SemPost = "sem_post",
    SemGet = "sem_getvalue",
    ReadLock = "rdlock",
    WriteLock = "wrlock",
    TryReadLock = "tryrdlock",
    TryWriteLock = "trywrlock",
    TimedReadLock = "timed rdlock",
    TimedWriteLock = "timed wrlock",
    ReadWriteUnlock = "rwlock unlock",
    Arrive = "arrive at the barrier",
    Leave = "leave the barrier",
    Once = "once",
    OnceDone = "once done",
    Key = "key",
    Free = "free",
    Choice = "choice",
    Allocate = "allocation",
    Assume = "assumption that fails",
    Stopped = "stopped",
    ProcessExit = "exit",
    AtomicBegin = "atomic region",
    Promise = "invariant from here on",
    TooMany = "create too many threads",
    Detach = "detach",
    PipeRead = "read from",
    PipeWrite = "write to",
    PipeClose = "close",
    Poll = "poll",
}

/// Reads what others must not write meanwhile.
pub const MODE_READ: u8 = 0;
/// Changes it in a way that commutes with other changes of this mode.
pub const MODE_ADD: u8 = 1;
/// Changes it.
pub const MODE_WRITE: u8 = 2;
/// As [`MODE_ADD`], but does not commute with that: arrivals at a barrier have one of the two, by turns.
pub const MODE_ADD_OTHER: u8 = 3;

/// Only orders: nobody could have done this earlier, so there is nothing to reverse.
pub const ORDER: u8 = 1;
/// Waits until the object can be had.
pub const BLOCKING: u8 = 2;
/// Gives the object back: before it, whoever waits for the object could not go on.
pub const RELEASE: u8 = 4;
/// By an atomic operation (of memory).
pub const ATOMIC: u8 = 8;
/// Orders nothing that the program could rely on.
pub const SILENT: u8 = 16;
/// The last of the changes that commute: one that has not come yet will be another one.
pub const CLOSES: u8 = 32;

/// What the thread waits for, as it has read it before: no access of the program.
pub const WATCHED: u8 = 64;

/// One access of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Access {
    /// The first byte; objects other than memory have [`OBJECT`] set.
    pub key: u64,
    /// Bytes.
    pub size: u32,
    /// Which of the modes.
    pub mode: u8,
    /// Flags.
    pub flags: u8,
    /// Of an atomic operation, its memory order: [`ORDERED`] and more; else 0.
    pub order: u8,
    /// Nothing.
    pub unused: u8,
}

/// It has a memory order.
pub const ORDERED: u8 = 1;
/// What it reads from happens before it, if that releases.
pub const ACQUIRES: u8 = 2;
/// It happens before who reads from it and acquires.
pub const RELEASES: u8 = 4;
/// It takes part in the one order of all such operations.
pub const SEQUENTIAL: u8 = 8;
/// It reads: all do but stores.
pub const READS: u8 = 16;

/// Of fences that follow each other: none that acquires comes before, or is, the last one that releases.
pub const EARLY: u8 = 32;

/// What fences of a thread have come to with one more.
pub fn fenced(fences: u8, order: u8) -> u8 {
    let acquired = (fences | order) & ACQUIRES != 0;
    match order & RELEASES {
        0 => fences | order,
        _ if acquired => (fences | order) & !EARLY,
        _ => fences | order | EARLY,
    }
}

/// The order with a number in `<stdatomic.h>`.
pub fn memory_order(number: i32) -> u8 {
    match number & 0x7FFF {
        0 => ORDERED,
        1 | 2 => ORDERED | ACQUIRES,
        3 => ORDERED | RELEASES,
        4 => ORDERED | ACQUIRES | RELEASES,
        _ => ORDERED | ACQUIRES | RELEASES | SEQUENTIAL,
    }
}

/// Marks the keys of synchronisation objects: what a lock does to its mutex is no access of the memory there.
pub const OBJECT: u64 = 1 << 63;
/// Marks the keys of threads.
pub const THREAD: u64 = 3 << 62;
/// Marks the keys of wake-ups.
pub const WAKE: u64 = THREAD | 1 << 32;

/// Marks the keys of stacks.
pub const STACK: u64 = THREAD | 1 << 33;

/// Marks the keys of what becomes of threads: whether they are joined or detached.
pub const FATE: u64 = THREAD | 1 << 34;

/// Marks the keys of invariants.
pub const PROMISED: u64 = 5 << 61;

/// Whether the order of two accesses by different threads matters. The one definition of dependence.
pub fn conflict(a: &Access, b: &Access) -> bool {
    !(a.mode == b.mode && a.mode != MODE_WRITE)
        && a.key < b.key + u64::from(b.size)
        && b.key < a.key + u64::from(a.size)
}

/// Whether two steps of different threads depend on each other.
pub fn dependent(a: &[Access], b: &[Access]) -> bool {
    a.iter().any(|x| b.iter().any(|y| conflict(x, y)))
}

/// Whether a step after `done` that was to access `would` may be another one now, or not there any more.
pub fn disturbs(done: &[Access], would: &[Access]) -> bool {
    let closed = |a: &Access| a.flags & CLOSES != 0 && would.iter().any(|b| a.key == b.key);
    dependent(done, would) || done.iter().any(closed)
}

/// One step of an execution.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Event {
    /// The address where it is in the program.
    pub pc: u64,
    /// The object or the address.
    pub addr: u64,
    /// What was read, written or returned.
    pub value: u64,
    /// What was there before, of an access of memory.
    pub before: u64,
    /// Bytes.
    pub size: u32,
    /// Its first access in the list of all accesses.
    pub first: u32,
    /// How many accesses it has.
    pub accesses: u32,
    /// The thread.
    pub thread: u16,
    /// Which of its alternatives was taken.
    pub choice: u16,
    /// How many there were.
    pub choices: u16,
    /// The alternative to be tried after this one, or 0. In an atomic region what is chosen inside belongs to the step:
    /// its alternatives are the sequences of choices, as digits (the first one the lowest), depth first.
    pub next: u16,
    /// What it did: the number of a [`Kind`].
    pub kind: u8,
    /// Whether something was chosen inside of it.
    pub chose: u8,
    /// The fences that its thread has come to since its last step, as memory orders.
    pub fences: u8,
    /// Which threads could have gone on instead.
    pub enabled: Threads,
}

impl Event {
    /// What it did.
    pub fn kind(&self) -> Kind {
        Kind::numbered(self.kind).unwrap_or_default()
    }
}

/// How an execution ended.
pub const RUNNING: u32 = 0;
/// All threads have ended, or the process has.
pub const COMPLETE: u32 = 1;
/// Nobody can go on.
pub const DEADLOCK: u32 = 2;
/// Nobody can go on but by waiting actively for what nobody will do.
pub const LIVELOCK: u32 = 3;
/// Everybody who could go on is asleep: the rest is known.
pub const ASLEEP: u32 = 4;
/// Too many steps.
pub const STEP_LIMIT: u32 = 5;
/// An error; see `error`.
pub const ERROR: u32 = 6;
/// An assumption failed, and the others have ended or wait.
pub const ASSUMED: u32 = 7;
/// The request asks for a thread that can't go on.
pub const DIVERGED: u32 = 8;
/// Some other limit of the runtime; the message names it.
pub const RUNTIME_LIMIT: u32 = 9;
/// A thread computes without end, as far as the watchdog can say.
pub const WATCHDOG: u32 = 10;
/// The program has called what can't be controlled; the message names it.
pub const REFUSED: u32 = 12;
/// A thread wanted to create more threads than there may be, and the others have ended or wait.
pub const THREAD_LIMIT: u32 = 11;

/// How the message of an abort begins, for an exception that nobody catches: the mangled name of its type follows.
pub const UNCAUGHT: &str = "nobody catches an exception of type ";

macro_rules! errors {
    ($($name:ident = $text:literal),* $(,)?) => {
        #[repr(u32)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum ErrorNumber { $($name),* }
        $(#[doc = $text] pub const $name: u32 = ErrorNumber::$name as u32;)*
        /// The kinds of errors, as a report calls them.
        pub const ERRORS: &[&str] = &[$($text),*];
    };
}

errors! {
    NO_ERROR = "none",
    ASSERTION = "assertion",
    ABORT = "abort",
    CRASH = "crash",
    STACK_OVERFLOW = "stack overflow",
    USE_AFTER_FREE = "use after free",
    OUT_OF_BLOCK = "access outside of an allocated block",
    DOUBLE_FREE = "double free",
    BAD_FREE = "free of what was not allocated",
    MISUSE = "misuse",
    UNREACHABLE = "error reached",
    INVARIANT = "invariant",
    STACK_GONE = "use of the stack of a thread that has ended",
    LEAK = "memory leak",
    UNWRITTEN = "read of memory that nobody has written",
}

/// What went wrong.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Mishap {
    /// Which error, or [`NO_ERROR`].
    pub kind: u32,
    /// Whose.
    pub thread: u32,
    /// Where it is.
    pub pc: u64,
    /// The address that it is about.
    pub addr: u64,
    /// How many steps come before it.
    pub steps: u32,
    /// The length of the message.
    pub length: u32,
    /// What the program says of it.
    pub message: [u8; 512],
}

impl Shared {
    /// The errors of the execution.
    pub fn mishaps(&self) -> &[Mishap] {
        &self.mishap[..(self.mishaps as usize).min(MAX_MISHAPS)]
    }

    /// Whether an error has kept somebody from going on; a broken invariant does not.
    pub fn erred(&self) -> bool {
        self.mishaps().iter().any(|m| m.kind != INVARIANT)
    }
}

impl Mishap {
    /// Of a thread, told in these words.
    pub fn new(
        kind: u32,
        thread: usize,
        (pc, addr): (u64, u64),
        steps: u32,
        said: &[&[u8]],
    ) -> Self {
        let mut message = [0; 512];
        let mut length = 0;
        let bytes = said.iter().flat_map(|part| part.iter());
        for (place, &byte) in message.iter_mut().zip(bytes) {
            *place = byte;
            length += 1;
        }
        Mishap {
            kind,
            thread: thread as u32,
            pc,
            addr,
            steps,
            length,
            message,
        }
    }

    /// The message.
    pub fn text(&self) -> &[u8] {
        &self.message[..(self.length as usize).min(self.message.len())]
    }
}

/// A step that the request asks for.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Order {
    /// The thread.
    pub thread: u16,
    /// Which of its alternatives.
    pub choice: u16,
}

/// Alternatives of threads that sleep.
pub const MAX_SLEEPERS: usize = 2 * MAX_THREADS;

/// All alternatives of a step.
pub const ALL: u16 = u16::MAX;

/// A thread that sleeps, with what it would do.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Sleeper {
    /// The thread.
    pub thread: u16,
    /// Which of its alternatives, or [`ALL`].
    pub choice: u16,
    /// The alternative that comes next, or 0.
    pub next: u16,
    /// Its first access in the list of accesses of sleepers.
    pub first: u32,
    /// How many.
    pub accesses: u32,
}

/// Where a thread is when the execution ends.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Last {
    /// What it would do next, or [`Kind::Exit`] with `ended`: the number of a [`Kind`].
    pub kind: u8,
    /// Whether it has ended.
    pub ended: u8,
    /// Whether it has begun.
    pub begun: u8,
    /// Whether it is blocked in an active wait.
    pub spins: u8,
    /// How many accesses the next step would have.
    pub accesses: u32,
    /// The first of them, in the list of all accesses.
    pub first: u32,
    /// How many alternatives the next step has.
    pub choices: u16,
    /// Whether more than the announced operation belongs to it: it begins or goes on with an atomic region.
    pub region: u16,
    /// Where.
    pub pc: u64,
    /// The object.
    pub addr: u64,
    /// A hash of its local state, where that is asked for.
    pub local: u64,
}

impl Last {
    /// What the thread would do next.
    pub fn kind(&self) -> Kind {
        Kind::numbered(self.kind).unwrap_or_default()
    }
}

/// An invariant.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Invariant {
    /// The function.
    pub function: u64,
    /// The length of its text.
    pub length: u32,
    /// The expression, if it is one.
    pub text: [u8; 120],
}

impl Invariant {
    /// The expression.
    pub fn text(&self) -> &[u8] {
        &self.text[..(self.length as usize).min(self.text.len())]
    }
}

/// Memory that an invariant has read.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Cell {
    /// The first byte.
    pub addr: u64,
    /// How many.
    pub size: u32,
    /// Which invariant.
    pub invariant: u32,
}

/// A block that the program has allocated.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Block {
    /// The first byte.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// Where it was allocated.
    pub pc: u64,
    /// Where it was freed.
    pub freed_at: u64,
    /// How many steps there were before it was allocated.
    pub made: u32,
    /// How many there were when it had been freed; 0 while it is in use.
    pub freed: u32,
    /// The thread that has allocated it.
    pub by: u32,
    /// How many functions had been entered or left before.
    pub marks: u32,
}

/// A pointer into the heap that stands on the stack of a thread at one of its steps.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Pointer {
    /// Where it stands.
    pub addr: u64,
    /// What it points to.
    pub value: u64,
    /// How many steps there were before.
    pub at: u32,
    /// How many functions had been entered or left.
    pub marks: u32,
}

/// A block that is claimed to be atomic, by name.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Claim {
    /// The length of its name.
    pub length: u32,
    /// The name.
    pub text: [u8; 60],
}

impl Claim {
    /// The name.
    pub fn text(&self) -> &[u8] {
        &self.text[..(self.length as usize).min(self.text.len())]
    }
}

/// A thread enters a claimed block or leaves the last that it entered.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Bound {
    /// Where.
    pub pc: u64,
    /// Which claim, from 1; 0 where it is left.
    pub claim: u32,
    /// How many steps there were before.
    pub at: u32,
    /// The thread.
    pub thread: u16,
    /// Nothing.
    pub unused: [u16; 3],
}

/// A thread enters a function or leaves the last that it entered.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Mark {
    /// A place at the beginning of the function; 0 where it is left.
    pub pc: u64,
    /// The stack pointer there.
    pub sp: u64,
    /// The register for frames.
    pub bp: u64,
    /// Where the call of the function returns to.
    pub caller: u64,
    /// How many steps there were before.
    pub at: u32,
    /// The thread.
    pub thread: u16,
    /// Nothing.
    pub unused: u16,
}

/// The head of the shared memory, with the lists behind it.
#[repr(C)]
pub struct Shared {
    /// Request: how many steps are given.
    pub prefix: u32,
    /// Request: how many threads, behind those, are to go on one after the other if they can.
    pub guide: u32,
    /// Request: from which step on the sleepers count.
    pub sleep_from: u32,
    /// Request: how many sleepers.
    pub sleepers: u32,
    /// Request: most steps.
    pub max_steps: u32,
    /// Request: skip given steps that can't be taken.
    pub loose: u32,
    /// Request: so many errors do not end the execution; the other threads go on.
    pub passes: u32,
    /// Request: milliseconds of processor time that a thread may take without a step.
    pub patience: u32,
    /// Request: whether threads start as soon as they are created.
    pub eager: u32,
    /// Request: most threads of an execution.
    pub max_threads: u32,
    /// Request: most bytes the program may allocate.
    pub memory: u64,
    /// Request: whether the process can be reset from within, without a fork.
    pub reset: u32,
    /// Request: end as the program would, with what it prints.
    pub show: u32,
    /// Request: note which functions are entered and left.
    pub mark_calls: u32,
    /// Request: the step, from 1, behind which a debugger is told; or 0.
    pub stop_at: u32,
    /// Request: threads go on by random priorities that follow from this number, unless it is 0.
    pub hunt: u64,
    /// Request: how many times priorities change.
    pub changes: u32,
    /// Request: before which steps, in any order, the priority of who would take it becomes the number in this list.
    pub change: [u32; MAX_CHANGES],
    /// Request: a wait for a condition variable may end without a signal.
    pub spurious: u32,
    /// Request: it is an error if blocks are lost at the end.
    pub leaks: u32,
    /// Request: it is an error to read what nobody has written.
    pub unwritten: u32,
    /// Request: of each thread one allocation may fail.
    pub oom: u32,
    /// Request: note what names are found by: blocks, and pointers to them on stacks.
    pub tell: u32,
    /// Request: nobody is blocked by an active wait; tell local states instead.
    pub local_states: u32,
    /// Answer: how it ended.
    pub status: u32,
    /// Answer: how many steps.
    pub events: u32,
    /// Answer: how many accesses.
    pub accesses: u32,
    /// Answer: how many marks of functions.
    pub marks: u32,
    /// Answer: identities of threads in use.
    pub threads: u32,
    /// Answer: how many executions this process has made.
    pub generation: u32,
    /// Answer: the exit code of the program.
    pub exit_code: i32,
    /// Answer: bits of what the program was given that is only a sample.
    pub sampled: u32,
    /// Answer: whether a thread has waited actively.
    pub spun: u32,
    /// Answer: why the execution could not go on, if that is no error.
    pub halt: Mishap,
    /// Answer: how many errors there were.
    pub mishaps: u32,
    /// Answer: the errors, each thread's first one, in their order.
    pub mishap: [Mishap; MAX_MISHAPS],
    /// Kept: how many names there are.
    pub names: u32,
    /// Kept: thread `i` is the `names[i].1`-th child of `names[i].0`.
    pub name: [[u16; 2]; MAX_THREADS],
    /// Kept: how many invariants there are.
    pub invariants: u32,
    /// Kept: how many variables they have read.
    pub cells: u32,
    /// Kept: the invariants.
    pub invariant: [Invariant; MAX_INVARIANTS],
    /// Kept: what they have read.
    pub cell: [Cell; MAX_CELLS],
    /// Answer: who could go on where the request ended.
    pub can: Threads,
    /// Answer: where the threads are.
    pub last: [Last; MAX_THREADS],
    /// Answer: how many places on their own stacks threads have accessed without a step.
    pub hidden: u32,
    /// Answer: those places, with their sizes.
    pub hidden_place: [[u64; 2]; MAX_HIDDEN],
    /// Request: how many places on stacks others look at.
    pub shown: u32,
    /// Request: those places, with their sizes.
    pub place: [[u64; 2]; MAX_SHOWN],
    /// Request: the steps, and those that are to follow if they can.
    pub order: [Order; MAX_STEPS],
    /// Request: who sleeps.
    pub sleeper: [Sleeper; MAX_SLEEPERS],
    /// Request: what the sleepers would do.
    pub asleep: [Access; MAX_ASLEEP],
    /// Answer: the steps.
    pub event: [Event; MAX_STEPS],
    /// Answer: their accesses.
    pub access: [Access; MAX_ACCESSES],
    /// Answer: when functions were entered and left.
    pub mark: [Mark; MAX_MARKS],
    /// Kept: how many claims have been met.
    pub claims: u32,
    /// Answer: how often claimed blocks were entered and left.
    pub bounds: u32,
    /// Kept: the claims.
    pub claim: [Claim; MAX_CLAIMS],
    /// Answer: when their blocks were entered and left.
    pub bound: [Bound; MAX_BOUNDS],
    /// Answer: how many blocks of the heap are told.
    pub blocks: u32,
    /// Answer: how many pointers into the heap.
    pub pointers: u32,
    /// Answer: the blocks, thread by thread.
    pub block: [Block; MAX_BLOCKS],
    /// Answer: the pointers.
    pub pointer: [Pointer; MAX_POINTERS],
}

/// The program called `rand` or its kin.
pub const SAMPLED_RANDOM: u32 = 1;
/// The program asked for any value of a wide type.
pub const SAMPLED_NONDET: u32 = 2;
/// The program asked for the time.
pub const SAMPLED_TIME: u32 = 4;
