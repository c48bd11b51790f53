//! `sscanf`: the C library reads the text into places of our own, and what it has found is written where the program
//! wants it, one step for each. x86-64 only.

use crate::atomics::access;
use crate::check;
use crate::libc;
use crate::printing::Arguments;
use crate::shared::*;
use crate::strings;

/// Most conversions of one call.
const MOST: usize = 32;
/// Most bytes of one of them.
const ROOM: usize = 1024;

/// What a conversion writes.
#[derive(Clone, Copy)]
enum Written {
    Bytes(usize),
    Text,
    /// `%n`, which does not count.
    Position(usize),
}

/// Reads a format, conversion by conversion.
struct Format(*const u8);

impl Format {
    fn byte(&self) -> u8 {
        unsafe { *self.0 }
    }

    fn pass(&mut self) -> u8 {
        let byte = self.byte();
        if byte != 0 {
            self.0 = unsafe { self.0.add(1) };
        }
        byte
    }

    /// The bytes of a number, by its prefix.
    fn length(&mut self, double: bool) -> usize {
        let mut bytes = 4;
        loop {
            bytes = match (self.byte(), bytes) {
                (b'h', 2) => 1,
                (b'h', _) => 2,
                (b'L', _) if double => 16,
                (b'l' | b'j' | b'z' | b't' | b'L' | b'q', _) => 8,
                _ => return bytes,
            };
            self.pass();
        }
    }

    fn set(&mut self) {
        if self.byte() == b'^' {
            self.pass();
        }
        // A bracket that comes first is one of the set.
        self.pass();
        while !matches!(self.pass(), b']' | 0) {}
    }
}

impl Iterator for Format {
    type Item = Written;

    fn next(&mut self) -> Option<Written> {
        loop {
            match self.pass() {
                0 => return None,
                b'%' => {}
                _ => continue,
            }
            if self.byte() == b'%' {
                self.pass();
                continue;
            }
            let dropped = self.byte() == b'*';
            if dropped {
                self.pass();
            }
            let mut width = 0;
            while self.byte().is_ascii_digit() {
                width = (width * 10 + usize::from(self.pass() - b'0')).min(ROOM);
            }
            let short = Format(self.0).length(false);
            let long = self.length(true);
            let kind = match self.pass() {
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => Written::Bytes(short),
                b'p' => Written::Bytes(8),
                b'a' | b'e' | b'f' | b'g' | b'E' | b'F' | b'G' | b'A' => Written::Bytes(long),
                b'c' if short == 4 => Written::Bytes(width.max(1)),
                b's' if short == 4 => Written::Text,
                b'[' if short == 4 => {
                    self.set();
                    Written::Text
                }
                b'n' => Written::Position(short),
                _ => check::limit("a format of `sscanf` that is not known"),
            };
            if !dropped {
                return Some(kind);
            }
        }
    }
}

/// `vsscanf`.
pub extern "C" fn vsscanf(s: u64, format: *const u8, args: &mut Arguments) -> i32 {
    if strings::strlen(s) >= ROOM as u64 {
        check::limit("`sscanf` of more than 1,023 bytes");
    }
    // What no conversion writes: a position is not negative.
    let mut found = [[0xFFu8; ROOM]; MOST];
    let mut places = [0u64; MOST];
    let mut kinds = [Written::Text; MOST];
    let mut n = 0;
    for kind in Format(format) {
        if n == MOST {
            check::limit("`sscanf` with more than 32 conversions");
        }
        kinds[n] = kind;
        places[n] = found[n].as_mut_ptr() as u64;
        n += 1;
    }
    let mut own = Arguments::of(&places);
    let count = unsafe { libc::vsscanf(s as *const u8, format, (&raw mut own).cast()) };
    let mut left = count.max(0);
    for i in 0..n {
        let to = args.integer();
        let bytes = match kinds[i] {
            Written::Position(bytes) if found[i][bytes - 1] & 0x80 == 0 => bytes,
            Written::Position(_) => continue,
            _ if left == 0 => break,
            Written::Bytes(bytes) => bytes,
            Written::Text => found[i].iter().position(|&b| b == 0).unwrap_or(ROOM - 1) + 1,
        };
        if !matches!(kinds[i], Written::Position(_)) {
            left -= 1;
        }
        access(Kind::Write, to, bytes as u32);
        unsafe { libc::memcpy(to as *mut u8, found[i].as_ptr(), bytes) };
    }
    count
}
