//! Functions with any number of arguments: the arguments are put where `va_list` has them, as the calling
//! convention says, and handed on. x86-64 only.

use crate::atomics::{deliver, plain};
use crate::check;
use crate::descriptors;
use crate::libc;
use crate::printing::{self, Arguments};
use crate::scanning;
use crate::shared::*;
use crate::shims::{REGISTERS, note_registers};
use crate::streams;
use core::arch::global_asm;

/// Most that is printed at once.
const ROOM: usize = 1 << 16;

/// `vsnprintf`, told as reads of the strings and a write.
pub extern "C" fn vsnprintf(to: u64, n: u64, format: *const u8, args: &mut Arguments) -> i32 {
    printing::strings(format, args);
    let mut text = [0u8; ROOM];
    let length = unsafe {
        libc::vsnprintf(
            text.as_mut_ptr(),
            ROOM,
            format,
            args as *mut Arguments as usize,
        )
    };
    if length < 0 || n == 0 {
        return length;
    }
    let m = (length as usize).min(ROOM - 1).min(n as usize - 1);
    plain(Kind::Write, to, m as u32 + 1);
    unsafe {
        libc::memcpy(to as *mut u8, text.as_ptr(), m);
        ((to + m as u64) as *mut u8).write(0);
    }
    length
}

/// `vsprintf`.
pub extern "C" fn vsprintf(to: u64, format: *const u8, args: &mut Arguments) -> i32 {
    vsnprintf(to, u64::MAX, format, args)
}

/// `vasprintf`: into a new block.
pub extern "C" fn vasprintf(to: *mut u64, format: *const u8, args: &mut Arguments) -> i32 {
    printing::strings(format, args);
    let mut text = [0u8; ROOM];
    let length = unsafe {
        libc::vsnprintf(
            text.as_mut_ptr(),
            ROOM,
            format,
            args as *mut Arguments as usize,
        )
    };
    if length < 0 {
        return length;
    }
    let n = (length as usize).min(ROOM - 1) + 1;
    let block = crate::arena::malloc(n as u64);
    if block == 0 {
        return -1;
    }
    plain(Kind::Write, block, n as u32);
    unsafe { libc::memcpy(block as *mut u8, text.as_ptr(), n) };
    deliver(to, block);
    length
}

/// `vdprintf`.
pub extern "C" fn vdprintf(to: i32, format: *const u8, args: &mut Arguments) -> i32 {
    printing::strings(format, args);
    let mut text = [0u8; ROOM];
    let args = args as *mut Arguments as usize;
    let length = unsafe { libc::vsnprintf(text.as_mut_ptr(), ROOM, format, args) };
    if length >= ROOM as i32 {
        check::limit("`dprintf` of more than 65,535 bytes");
    }
    descriptors::write(to, text.as_ptr() as u64, length.max(0) as u64) as i32
}

/// `vwarnx`, and `vwarn` but for what went wrong.
pub extern "C" fn vwarnx(format: *const u8, args: &mut Arguments) {
    if !format.is_null() {
        vdprintf(2, format, args);
    }
    unsafe { libc::write(2, b"\n".as_ptr(), 1) };
}

/// `verrx`, which ends the process.
pub extern "C" fn verrx(code: i32, format: *const u8, args: &mut Arguments) {
    vwarnx(format, args);
    check::exit(code);
}

macro_rules! variadic {
    ($name:literal, $to:path, $named:literal, $($place:literal),*) => {
        global_asm!(
            concat!(".globl ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            note_registers!(),
            "push rbp",
            "mov rbp, rsp",
            "sub rsp, 208",
            "mov [rsp + 24], rdi",
            "mov [rsp + 32], rsi",
            "mov [rsp + 40], rdx",
            "mov [rsp + 48], rcx",
            "mov [rsp + 56], r8",
            "mov [rsp + 64], r9",
            "movups [rsp + 72], xmm0",
            "movups [rsp + 88], xmm1",
            "movups [rsp + 104], xmm2",
            "movups [rsp + 120], xmm3",
            "movups [rsp + 136], xmm4",
            "movups [rsp + 152], xmm5",
            "movups [rsp + 168], xmm6",
            "movups [rsp + 184], xmm7",
            concat!("mov dword ptr [rsp], ", $named),
            "mov dword ptr [rsp + 4], 48",
            "lea rax, [rbp + 16]",
            "mov [rsp + 8], rax",
            "lea rax, [rsp + 24]",
            "mov [rsp + 16], rax",
            $($place,)*
            "call {f}",
            "leave",
            "ret",
            r = sym REGISTERS,
            f = sym $to,
        );
    };
}
variadic!("coarsen_c_snprintf", vsnprintf, 24, "mov rcx, rsp");
variadic!("coarsen_c_printf", printing::vprintf, 8, "mov rsi, rsp");
variadic!("coarsen_c_fprintf", streams::vfprintf, 16, "mov rdx, rsp");
variadic!("coarsen_c_asprintf", vasprintf, 16, "mov rdx, rsp");
variadic!("coarsen_c_sscanf", scanning::vsscanf, 16, "mov rdx, rsp");
variadic!("coarsen_c_scanf", scanning::vscanf, 8, "mov rsi, rsp");
variadic!("coarsen_c_fscanf", scanning::vfscanf, 16, "mov rdx, rsp");
variadic!("coarsen_c_dprintf", vdprintf, 16, "mov rdx, rsp");
variadic!("coarsen_c_warnx", vwarnx, 8, "mov rsi, rsp");
variadic!("coarsen_c_warn", vwarnx, 8, "mov rsi, rsp");
variadic!("coarsen_c_errx", verrx, 16, "mov rdx, rsp");
variadic!("coarsen_c_err", verrx, 16, "mov rdx, rsp");
variadic!(
    "coarsen_c_sprintf",
    vsnprintf,
    16,
    "mov rcx, rsp",
    "mov rdx, rsi",
    "mov rsi, -1"
);
