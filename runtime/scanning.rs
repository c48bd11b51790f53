//! `sscanf` and `fscanf`: the C library reads the text into places of our own, and what it has found is written where
//! the program wants it, one step for each. x86-64 only.

use crate::atomics::access;
use crate::check;
use crate::libc;
use crate::printing::Arguments;
use crate::shared::*;
use crate::streams;
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
                _ => check::limit("a format of `scanf` that is not known"),
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
    scanned(format, args, |own| unsafe {
        libc::vsscanf(s as *const u8, format, (own as *mut Arguments).cast())
    })
}

/// `vfscanf`: what comes next in the file is a stream of the C library's as long as it takes.
pub extern "C" fn vfscanf(at: usize, format: *const u8, args: &mut Arguments) -> i32 {
    let stream = streams::source(at);
    let mut next = [0u8; ROOM];
    let (n, to_the_end) = stream.ahead(&mut next[..ROOM - 1]);
    scanned(format, args, |own| unsafe {
        let file = libc::fmemopen(next.as_mut_ptr(), n, c"r".as_ptr().cast());
        if file == 0 {
            check::limit("`fscanf` without memory");
        }
        let count = libc::vfscanf(file, format, (own as *mut Arguments).cast());
        let (passed, ended) = (libc::ftell(file), libc::feof(file) != 0);
        libc::fclose(file);
        if ended && !to_the_end {
            check::limit("`fscanf` of more than 1,023 bytes");
        }
        stream.pass(passed as usize, ended);
        count
    })
}

/// `vscanf`.
pub extern "C" fn vscanf(format: *const u8, args: &mut Arguments) -> i32 {
    vfscanf(streams::input(), format, args)
}

/// Has `read` fill places of our own, and hands on what it has found.
fn scanned(
    format: *const u8,
    args: &mut Arguments,
    read: impl FnOnce(&mut Arguments) -> i32,
) -> i32 {
    // What no conversion writes: a position is not negative.
    let mut found = [[0xFFu8; ROOM]; MOST];
    let mut places = [0u64; MOST];
    let mut kinds = [Written::Text; MOST];
    let mut n = 0;
    for kind in Format(format) {
        if n == MOST {
            check::limit("`scanf` with more than 32 conversions");
        }
        kinds[n] = kind;
        places[n] = found[n].as_mut_ptr() as u64;
        n += 1;
    }
    let count = read(&mut Arguments::of(&places));
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
