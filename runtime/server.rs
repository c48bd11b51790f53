//! The process side: `main` waits for requests; a child makes the executions, so that a crash is an answer.
//!
//! A program that keeps all its state in memory is reset from within: its writable memory is as it was before `main`,
//! bytes copied from a snapshot. Otherwise each execution has a child of its own.

use crate::ahead;
use crate::arena;
use crate::check;
use crate::descriptors;
use crate::files;
use crate::invariants;
use crate::libc;
use crate::objects;
use crate::pthread;
use crate::shared::*;
use crate::shims;
use crate::spin;
use crate::startup;
use crate::state::*;
use crate::tls;
use core::arch::global_asm;
use core::cell::UnsafeCell;

const SNAPSHOT_AT: usize = 0x2010_0000_0000;
const SIGNAL_STACK_AT: usize = 0x2011_0000_0000;
const SIGNAL_STACK: usize = 64 << 10;
const REGIONS: usize = 16;
/// The child can't go on, because nobody asks any more.
const NO_MORE: i32 = 99;
/// Milliseconds between looks of the watchdog.
const TICK: i64 = 100;

unsafe extern "C" {
    fn coarsen_user_main(argc: i32, argv: usize, envp: usize) -> i32;
}

#[derive(Clone, Copy)]
struct Region {
    from: usize,
    to: usize,
}

/// What `main` was called with.
struct Start {
    argc: i32,
    argv: usize,
    envp: usize,
}

/// The first thread's routine: the argument is where its arguments are.
extern "C" fn first(start: usize) -> usize {
    let start = unsafe { &*(start as *const Start) };
    rt().starting = true;
    startup::construct(start.argc, start.argv, start.envp);
    rt().starting = false;
    invariants::begin_early();
    let code = unsafe { coarsen_user_main(start.argc, start.argv, start.envp) };
    check::exit(code);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, argv: usize, envp: usize) -> i32 {
    unsafe {
        if libc::getenv(c"COARSEN_TEST".as_ptr().cast()).is_null() {
            let text = b"this program was built for `coarsen test`, which runs it\n";
            libc::write(2, text.as_ptr(), text.len());
            return 97;
        }
        let size = core::mem::size_of::<Shared>();
        let at = libc::mmap(
            core::ptr::null_mut(),
            size,
            libc::PROT_RW,
            libc::MAP_SHARED,
            SHARED_FD,
            0,
        );
        if at as isize == -1 {
            return 97;
        }
        rt().shared = at.cast();
        tls::find();
        objects::map_tables();
        arena::map_all();
        descriptors::map_all();
        files::map_all();
        let protection = if runs_on_stack() {
            libc::PROT_RWX
        } else {
            libc::PROT_RW
        };
        map_for(STACKS_AT, STACK_SIZE * MAX_THREADS, protection);
        map(SIGNAL_STACK_AT, SIGNAL_STACK);
        let start = Start { argc, argv, envp };
        serve(&start)
    }
}

/// Whether the program has code on its stacks, as nested functions need it: the linker says so in the program's header.
fn runs_on_stack() -> bool {
    const STACK: u32 = 0x6474_E551;
    tls::headers().any(|header| unsafe {
        let [kind, flags] = *(header as *const [u32; 2]);
        kind == STACK && flags & 1 != 0
    })
}

fn serve(start: &Start) -> i32 {
    loop {
        let mut status = 0;
        let child = unsafe { libc::fork() };
        if child == 0 {
            execute_all(start);
        }
        if child < 0 || unsafe { libc::waitpid(child, &mut status, 0) } != child {
            return 97;
        }
        if status == NO_MORE << 8 {
            return 0;
        }
        let shared = shared();
        if status & 0x7F != 0 && shared.status == RUNNING {
            shared.status = ERROR;
            shared.threads = 0;
            check::mishap(CRASH, 0, (0, 0), &[b"killed by a signal"]);
        }
        if unsafe { libc::write(ANSWER_FD, b".".as_ptr(), 1) } != 1 {
            return 0;
        }
    }
}

/// The child: executions until it can't make another one.
fn execute_all(start: &Start) -> ! {
    const DIE_WITH_PARENT: i32 = 1;
    unsafe { libc::prctl(DIE_WITH_PARENT, 9) };
    install_handlers();
    let mut regions = [Region { from: 0, to: 0 }; REGIONS];
    let mut snapshot = 0;
    let end = unsafe { libc::sbrk(0) };
    loop {
        let mut byte = [0];
        if unsafe { libc::read(REQUEST_FD, byte.as_mut_ptr(), 1) } != 1 {
            unsafe { libc::_exit(NO_MORE) }
        }
        if snapshot == 0 && shared().reset != 0 {
            snapshot = take_snapshot(&mut regions);
        }
        execution(start);
        let shared = shared();
        let again = matches!(
            shared.status,
            COMPLETE | ASLEEP | DEADLOCK | LIVELOCK | ASSUMED | STEP_LIMIT | THREAD_LIMIT
        ) && shared.reset != 0
            && snapshot != 0;
        if shared.show != 0 {
            unsafe { libc::exit(0) }
        }
        if !again {
            unsafe { libc::_exit(0) }
        }
        wipe();
        unsafe {
            restore(&regions);
            if libc::sbrk(0) != end {
                libc::brk(end);
            }
            if libc::write(ANSWER_FD, b".".as_ptr(), 1) != 1 {
                libc::_exit(NO_MORE);
            }
        }
    }
}

/// One execution, on this stack's behalf.
fn execution(start: &Start) {
    let shared = shared();
    shared.status = RUNNING;
    shared.mishaps = 0;
    shared.events = 0;
    shared.accesses = 0;
    (shared.marks, shared.bounds) = (0, 0);
    (shared.blocks, shared.pointers) = (0, 0);
    shared.halt = Mishap::new(NO_ERROR, 0, (0, 0), 0, &[]);
    shared.sampled = 0;
    shared.spun = 0;
    shared.hidden = 0;
    shared.exit_code = 0;
    shared.generation = shared.generation.wrapping_add(1);
    let rt = rt();
    pthread::spawn(
        0,
        first as *const () as usize,
        start as *const Start as usize,
    );
    // `main` has no creator to wait for, and begins at once.
    thread(0).begun = true;
    rt.current = 0;
    rt.quiet = false;
    tls::enter(0);
    unsafe { shims::coarsen_switch(&mut rt.home, thread(0).sp) };
    crate::state::rt().quiet = true;
}

fn wipe() {
    let rt = rt();
    files::wipe();
    for i in 0..rt.count {
        if has(&rt.made, i) {
            arena::wipe(i);
            // The stack, with what library functions may have used below the deepest call that we have seen.
            let top = spin::stack_top(i);
            let low = (thread(i).low - (16 << 10)).max(top - STACK_SIZE + GUARD);
            unsafe { libc::memset(low as *mut u8, 0, top - low) };
        }
    }
}

/// Copies the program's writable memory; returns how much, or 0 if that can't be done.
fn take_snapshot(regions: &mut [Region; REGIONS]) -> usize {
    let mut text = [0u8; 16384];
    let mut n = 0;
    unsafe {
        let fd = libc::open(c"/proc/self/maps".as_ptr().cast(), 0);
        if fd < 0 {
            return 0;
        }
        while n < text.len() {
            let got = libc::read(fd, text.as_mut_ptr().add(n), text.len() - n);
            if got <= 0 {
                break;
            }
            n += got as usize;
        }
        libc::close(fd);
    }
    let mut count = 0;
    let mut size = 0;
    for line in text[..n].split(|&b| b == b'\n') {
        let Some((from, to)) = writable(line) else {
            continue;
        };
        if to > THREADS_AT {
            continue;
        }
        if count == REGIONS {
            return 0;
        }
        regions[count] = Region { from, to };
        count += 1;
        size += to - from;
    }
    // A program with much static data is faster forked.
    if count == 0 || size > 4 << 20 {
        return 0;
    }
    map(SNAPSHOT_AT, size.next_multiple_of(4096));
    let mut at = SNAPSHOT_AT;
    for region in &regions[..count] {
        let n = region.to - region.from;
        unsafe { libc::memcpy(at as *mut u8, region.from as *const u8, n) };
        at += n;
    }
    size
}

fn restore(regions: &[Region]) {
    let mut at = SNAPSHOT_AT;
    for region in regions {
        let n = region.to - region.from;
        unsafe { libc::memcpy(region.from as *mut u8, at as *const u8, n) };
        at += n;
    }
}

/// The addresses of a line of `/proc/self/maps`, if the memory is private and can be written.
fn writable(line: &[u8]) -> Option<(usize, usize)> {
    let mut words = line.split(|&b| b == b' ');
    let range = words.next()?;
    if words.next()? != b"rw-p" {
        return None;
    }
    let mut ends = range.split(|&b| b == b'-');
    let number = |text: &[u8]| {
        text.iter().try_fold(0usize, |n, &b| {
            (b as char).to_digit(16).map(|d| n << 4 | d as usize)
        })
    };
    Some((number(ends.next()?)?, number(ends.next()?)?))
}

fn install_handlers() {
    let stack = libc::SigStack {
        sp: SIGNAL_STACK_AT,
        flags: 0,
        size: SIGNAL_STACK,
    };
    // With the context, on the other stack.
    let action = |handler: usize, flags: i32| libc::SigAction {
        handler,
        mask: [0; 16],
        flags: 4 | flags,
        restorer: 0,
    };
    unsafe {
        libc::sigaltstack(&stack, core::ptr::null_mut());
        let crash = action(crashed as *const () as usize, 0x0800_0000);
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
            libc::sigaction(signal, &crash, core::ptr::null_mut());
        }
        let watch = action(watchdog as *const () as usize, 0x0800_0000 | 0x1000_0000);
        libc::sigaction(libc::SIGVTALRM, &watch, core::ptr::null_mut());
        let every = [0, TICK * 1000];
        let timer = libc::Timer {
            interval: every,
            value: every,
        };
        libc::setitimer(libc::ITIMER_VIRTUAL, &timer, core::ptr::null_mut());
    }
}

/// The execution ends without a look at where the threads are.
fn forget_ends() {
    let (rt, shared) = (rt(), shared());
    shared.threads = rt.count as u32;
    for last in &mut shared.last[..rt.count] {
        *last = Last {
            ended: 1,
            ..Last::default()
        };
    }
}

/// Where general registers are in a `ucontext_t`.
const REGISTERS: usize = 40;
const RSP: usize = 15;
const RIP: usize = 16;

extern "C" fn crashed(signal: i32, info: *const u8, context: *mut u8) {
    let (rt, shared) = (rt(), shared());
    unsafe {
        let addr = (info.add(16) as *const u64).read();
        let registers = context.add(REGISTERS) as *mut u64;
        if ahead::interrupted(registers.add(RIP), registers.add(RSP)) {
            return;
        }
        let mut pc = registers.add(RIP).read();
        let mut who = rt.current;
        if rt.taking > 0 {
            // The runtime looks at the memory before the program does.
            who = rt.taking - 1;
            pc = thread(who).op.pc;
        }
        let top = spin::stack_top(who) as u64;
        let bottom = top - STACK_SIZE as u64;
        let overflow = (bottom..bottom + GUARD as u64).contains(&addr);
        let kind = if overflow { STACK_OVERFLOW } else { CRASH };
        let said = match signal {
            _ if overflow => b"the stack of 8 MB is used up" as &[u8],
            libc::SIGFPE => b"arithmetic error",
            libc::SIGILL => b"illegal instruction",
            libc::SIGBUS => b"bus error",
            _ if addr < 4096 => b"access through a null pointer",
            _ => b"access of memory that does not exist",
        };
        let goes_on = check::mishap(kind, who, (pc, addr), &[said]);
        forget_ends();
        let goes_on = goes_on && !overflow && !rt.quiet;
        if goes_on && rt.taking > 0 {
            registers.add(RSP).write(*TAKEN_AT.0.get());
            registers.add(RIP).write(coarsen_taken_not as *const () as u64);
            return;
        }
        if goes_on {
            // The others go on; this thread goes no further.
            let sp = registers.add(RSP).read();
            registers.add(RSP).write((sp - 512 & !15) - 8);
            registers.add(RIP).write(after_crash as *const () as u64);
            return;
        }
        shared.status = ERROR;
        libc::_exit(0)
    }
}

/// What a step gave that may crash.
#[repr(C)]
pub struct Taken {
    pub result: i64,
    pub crashed: u64,
}

unsafe extern "C" {
    /// Takes the step that a thread has announced, as part of an event.
    pub fn coarsen_take(who: usize, choice: u16, event: u32) -> Taken;
    fn coarsen_taken_not();
}

struct Sp(UnsafeCell<u64>);
// One operating system thread only.
unsafe impl Sync for Sp {}
/// Where the stack was before the step.
static TAKEN_AT: Sp = Sp(UnsafeCell::new(0));

// If the step crashes, what has been done since then on the stack is forgotten.
global_asm!(
    ".globl coarsen_take",
    "coarsen_take:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "mov [rip + {at}], rsp",
    "call {record}",
    "xor edx, edx",
    "jmp 2f",
    ".globl coarsen_taken_not",
    "coarsen_taken_not:",
    "mov edx, 1",
    "2:",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    at = sym TAKEN_AT,
    record = sym crate::schedule::record,
);

extern "C" fn after_crash() {
    check::stop(Kind::Stopped)
}

/// The count of steps at the last look, and since how many looks it is the same.
static mut LOOK: (u32, u32, u32) = (0, 0, 0);

extern "C" fn watchdog(_: i32, _: *const u8, context: *mut u8) {
    let (rt, shared) = (rt(), shared());
    unsafe {
        let (generation, steps, looks) = LOOK;
        if (generation, steps) != (shared.generation, rt.steps) {
            LOOK = (shared.generation, rt.steps, 0);
            return;
        }
        LOOK = (generation, steps, looks + 1);
        if i64::from(looks + 1) * TICK >= i64::from(shared.patience) && shared.status == RUNNING {
            let registers = context.add(REGISTERS) as *mut u64;
            if ahead::interrupted(registers.add(RIP), registers.add(RSP)) {
                return;
            }
            let after = shims::registers().pc;
            check::halt(rt.current, (registers.add(RIP).read(), after), &[]);
            forget_ends();
            shared.status = WATCHDOG;
            libc::_exit(0)
        }
    }
}
