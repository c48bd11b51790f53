//! Dates and options: functions of the C library that write into memory of their own or of the program, with the steps
//! that say so.

use crate::atomics::access;
use crate::libc;
use crate::shared::*;
use core::cell::UnsafeCell;

/// `struct tm`.
const PARTS: u32 = 56;
/// What `asctime` writes.
const TEXT: u32 = 26;

/// What functions with one result for all threads write.
#[repr(C, align(16))]
struct Own(UnsafeCell<[u8; 64]>);
// One operating system thread only.
unsafe impl Sync for Own {}
static OWN_PARTS: Own = Own(UnsafeCell::new([0; 64]));
static OWN_TEXT: Own = Own(UnsafeCell::new([0; 64]));

type Split = unsafe extern "C" fn(*const i64, *mut u8) -> *mut u8;

fn split(how: Split, when: *const i64, to: *mut u8) -> *mut u8 {
    access(Kind::Read, when as u64, 8);
    let when = unsafe { *when };
    access(Kind::Write, to as u64, PARTS);
    unsafe { how(&when, to) }
}

pub extern "C" fn localtime(when: *const i64) -> *mut u8 {
    split(libc::localtime_r, when, OWN_PARTS.0.get().cast())
}

pub extern "C" fn gmtime(when: *const i64) -> *mut u8 {
    split(libc::gmtime_r, when, OWN_PARTS.0.get().cast())
}

pub extern "C" fn localtime_r(when: *const i64, to: *mut u8) -> *mut u8 {
    split(libc::localtime_r, when, to)
}

pub extern "C" fn gmtime_r(when: *const i64, to: *mut u8) -> *mut u8 {
    split(libc::gmtime_r, when, to)
}

pub extern "C" fn mktime(parts: *mut u8) -> i64 {
    access(Kind::Write, parts as u64, PARTS);
    unsafe { libc::mktime(parts) }
}

pub extern "C" fn asctime_r(parts: *const u8, to: *mut u8) -> *mut u8 {
    access(Kind::Read, parts as u64, PARTS);
    access(Kind::Write, to as u64, TEXT);
    unsafe { libc::asctime_r(parts, to) }
}

pub extern "C" fn asctime(parts: *const u8) -> *mut u8 {
    asctime_r(parts, OWN_TEXT.0.get().cast())
}

pub extern "C" fn ctime_r(when: *const i64, to: *mut u8) -> *mut u8 {
    access(Kind::Read, when as u64, 8);
    let mut parts = [0u8; PARTS as usize];
    access(Kind::Write, to as u64, TEXT);
    unsafe {
        libc::localtime_r(when, parts.as_mut_ptr());
        libc::asctime_r(parts.as_ptr(), to)
    }
}

pub extern "C" fn ctime(when: *const i64) -> *mut u8 {
    ctime_r(when, OWN_TEXT.0.get().cast())
}

pub extern "C" fn strftime(to: u64, n: usize, format: *const u8, parts: *const u8) -> usize {
    access(Kind::Read, parts as u64, PARTS);
    let mut text = [0u8; 1024];
    let m = unsafe { libc::strftime(text.as_mut_ptr(), n.min(text.len()), format, parts) };
    if m > 0 {
        access(Kind::Write, to, m as u32 + 1);
        unsafe { libc::memcpy(to as *mut u8, text.as_ptr(), m + 1) };
    }
    m
}

/// What `getopt` may write: where it is, and the order of the arguments.
fn options(argc: i32, argv: *const *mut u8) {
    access(Kind::Write, &raw const libc::optarg as u64, 8);
    access(Kind::Write, &raw const libc::optind as u64, 4);
    access(Kind::Write, &raw const libc::optopt as u64, 4);
    access(Kind::Write, argv as u64, argc.max(0) as u32 * 8);
}

pub extern "C" fn getopt(argc: i32, argv: *const *mut u8, short: *const u8) -> i32 {
    options(argc, argv);
    unsafe { libc::getopt(argc, argv, short) }
}

/// `struct option`.
#[repr(C)]
pub struct Long {
    name: *const u8,
    has_arg: i32,
    flag: *mut i32,
    value: i32,
}

pub extern "C" fn getopt_long(
    argc: i32,
    argv: *const *mut u8,
    short: *const u8,
    long: *const Long,
    index: *mut i32,
) -> i32 {
    options(argc, argv);
    let mut each = long;
    unsafe {
        while !each.is_null() && !(*each).name.is_null() {
            if !(*each).flag.is_null() {
                access(Kind::Write, (*each).flag as u64, 4);
            }
            each = each.add(1);
        }
        if !index.is_null() {
            access(Kind::Write, index as u64, 4);
        }
        libc::getopt_long(argc, argv, short, long.cast(), index)
    }
}
