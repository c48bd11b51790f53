//! Thread-local variables (`__thread`): each coroutine has a block of its own, at the top of its stack, and a switch
//! changes the base register of the segment `fs`, by which such variables are found.
//!
//! A block is a copy of the first one, as `main` found it: the variables of the program and of the C library, and
//! behind them the C library's description of the thread, which begins with its own address. A program without such
//! variables has one block only.

use crate::libc;
use crate::spin::stack_top;
use crate::state::*;
use core::arch::{asm, global_asm};

// The linker is told whether there are any.
global_asm!(
    ".data",
    ".balign 8",
    "coarsen_tls_option:",
    ".quad coarsen_has_tls",
    ".text",
);

unsafe extern "C" {
    #[link_name = "coarsen_tls_option"]
    static OPTION: u64;
}

const AT_PHDR: usize = 3;
const AT_PHNUM: usize = 5;
const AT_HWCAP2: usize = 26;
/// One of the program's headers.
const HEADER: usize = 56;
const PT_TLS: u32 = 7;
const ARCH_SET_FS: u64 = 0x1002;
/// At least as long as the C library's description of a thread.
const BEHIND: usize = 4096;

/// Where the blocks are, and how long.
#[derive(Clone, Copy)]
pub struct Blocks {
    /// The first one.
    home: usize,
    /// Bytes before its base; 0 if there is one block only.
    before: usize,
    /// Bytes from its base on.
    behind: usize,
    /// Whether the register may be written without the kernel.
    direct: bool,
}

pub const ONE: Blocks = Blocks {
    home: 0,
    before: 0,
    behind: 0,
    direct: false,
};

/// The program's headers, as the linker has made them.
pub fn headers() -> impl Iterator<Item = *const u8> {
    let [at, n] = [AT_PHDR, AT_PHNUM].map(|kind| unsafe { libc::getauxval(kind) });
    (0..n).map(move |i| (at + HEADER * i) as *const u8)
}

/// Looks where the first block is.
pub fn find() {
    unsafe {
        if (&raw const OPTION).read_volatile() == 0 {
            return;
        }
        let home: usize;
        asm!("mov {}, fs:[0]", out(reg) home);
        for header in headers() {
            if (header as *const u32).read() == PT_TLS {
                let size = (header.add(40) as *const u64).read() as usize;
                let align = (header.add(48) as *const u64).read() as usize;
                rt().tls = Blocks {
                    home,
                    before: size.next_multiple_of(align.clamp(64, BEHIND)),
                    behind: (libc::sbrk(0) as usize).saturating_sub(home).min(BEHIND),
                    direct: libc::getauxval(AT_HWCAP2) & 2 != 0,
                };
            }
        }
    }
}

fn base(who: usize) -> usize {
    stack_top(who) - BEHIND
}

/// Makes the block of a thread; returns where its stack begins.
pub fn make(who: usize) -> usize {
    let Blocks {
        home,
        before,
        behind,
        ..
    } = rt().tls;
    if before == 0 {
        return stack_top(who);
    }
    let base = base(who);
    unsafe {
        libc::memcpy(
            (base - before) as *mut u8,
            (home - before) as *const u8,
            before + behind,
        );
        (base as *mut usize).write(base);
        ((base + 16) as *mut usize).write(base);
    }
    base - before
}

/// What follows is on behalf of a thread.
pub fn enter(who: usize) {
    if rt().tls.before != 0 {
        set(base(who))
    }
}

/// What follows is our own.
pub fn leave() {
    if rt().tls.before != 0 {
        set(rt().tls.home)
    }
}

fn set(base: usize) {
    unsafe {
        if rt().tls.direct {
            asm!("wrfsbase {}", in(reg) base);
        } else {
            asm!("syscall", inout("rax") 158u64 => _, in("rdi") ARCH_SET_FS, in("rsi") base,
                out("rcx") _, out("r11") _);
        }
    }
}
