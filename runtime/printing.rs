//! What functions read that print: the strings that a format asks for, as far as others could write them. What is
//! printed makes no difference to the program, but a string may have been freed.

use crate::atomics::access;
use crate::libc;
use crate::shared::*;
use crate::spin;
use crate::state::*;
use crate::strings;

/// A `va_list` on x86-64.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Arguments {
    general: u32,
    floating: u32,
    rest: u64,
    saved: u64,
}

impl Arguments {
    /// The next one of at most so many bytes.
    fn next(&mut self, size: u64) -> u64 {
        let at = self.rest;
        self.rest += size;
        unsafe { *(at as *const u64) }
    }

    /// A list of these.
    pub fn of(words: &[u64]) -> Self {
        Arguments {
            general: 48,
            floating: 176,
            rest: words.as_ptr() as u64,
            saved: 0,
        }
    }

    /// The next one, if it is a pointer or an integer.
    pub fn integer(&mut self) -> u64 {
        if self.general >= 48 {
            return self.next(8);
        }
        self.general += 8;
        unsafe { *((self.saved + u64::from(self.general) - 8) as *const u64) }
    }

    fn real(&mut self, long: bool) {
        if long {
            self.rest = self.rest.next_multiple_of(16);
            self.next(16);
        } else if self.floating >= 176 {
            self.next(8);
        } else {
            self.floating += 16;
        }
    }
}

/// Whether anybody could write there.
fn may_change(addr: u64) -> bool {
    unsafe extern "C" {
        static __data_start: u8;
        static _end: u8;
    }
    let data = &raw const __data_start as u64..&raw const _end as u64;
    let own = ARENA_AT as u64..(STACKS_AT + MAX_THREADS * STACK_SIZE) as u64;
    data.contains(&addr) || own.contains(&addr)
}

/// A string is printed, at most so many bytes of it.
pub fn string(s: u64, most: u64) {
    if may_change(s) && !spin::is_private(s, 1) {
        strings::strnlen(s, most);
    }
}

/// Bytes are printed.
pub fn bytes(from: u64, n: u64) {
    if may_change(from) {
        access(Kind::Read, from, n.min(u32::MAX.into()) as u32);
    }
}

/// The strings that a format asks for. Arguments by number are not looked at.
pub fn strings(format: *const u8, arguments: &Arguments) {
    let mut arguments = *arguments;
    let mut at = format;
    let mut take = || unsafe {
        let byte = *at;
        if byte != 0 {
            at = at.add(1);
        }
        byte
    };
    loop {
        match take() {
            0 => return,
            b'%' => {}
            _ => continue,
        }
        let (mut most, mut precise, mut long) = (u64::MAX, false, 0);
        loop {
            match take() {
                b'0'..=b'9' if !precise => {}
                digit @ b'0'..=b'9' => {
                    most = most.wrapping_mul(10).wrapping_add((digit - b'0').into())
                }
                b'.' => (precise, most) = (true, 0),
                b'*' => {
                    let given = arguments.integer();
                    if precise {
                        most = given as i32 as u64;
                    }
                }
                b'-' | b'+' | b' ' | b'#' | b'\'' | b'h' | b'q' | b'j' | b'z' | b't' => {}
                b'l' => long += 1,
                b'L' => long = 4,
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' | b'p' | b'C' | b'S' => {
                    arguments.integer();
                    break;
                }
                b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                    arguments.real(long == 4);
                    break;
                }
                b's' => {
                    let s = arguments.integer();
                    if long == 0 {
                        string(s, most);
                    }
                    break;
                }
                b'n' => {
                    let to = arguments.integer();
                    access(Kind::Write, to, 4);
                    break;
                }
                b'm' | b'%' => break,
                _ => return,
            }
        }
    }
}

pub extern "C" fn vprintf(format: *const u8, arguments: &mut Arguments) -> i32 {
    strings(format, arguments);
    unsafe { libc::vprintf(format, arguments as *mut Arguments as usize) }
}

pub extern "C" fn puts(s: u64) -> i32 {
    string(s, u64::MAX);
    unsafe { libc::puts(s as *const u8) }
}
