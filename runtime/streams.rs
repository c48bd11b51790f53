//! Functions of streams (`FILE *`): those that `fopen` has made are followed, with their files in `files.rs`; the C
//! library's (`stdout` and its kin) are written to as ever.

use crate::ahead;
use crate::arena;
use crate::atomics::{self, access};
use crate::check;
use crate::files::{self, EOF, How, MARK, Stream, fail};
use crate::libc;
use crate::printing::{self, Arguments};
use crate::shared::*;

/// Why nothing comes from standard input.
pub const NO_INPUT: &str = "reading from standard input (`--stdin FILE` says what is there)";

/// The stream behind a pointer, if it is one of ours: it is read, and a step is taken with its file.
fn stream(at: usize) -> Option<&'static mut Stream> {
    if at == input() {
        let stream = files::input()?;
        stream.step();
        return Some(stream);
    }
    if !is_ours(at) {
        return None;
    }
    // What is done here is not on the stack, so it could not be undone.
    if ahead::on() {
        ahead::fail();
    }
    let size = size_of::<Stream>() as u32;
    access(Kind::Read, at as u64, size);
    arena::check(at as u64, size);
    let stream = unsafe { &mut *(at as *mut Stream) };
    stream.step();
    Some(stream)
}

/// Whether a pointer is to a stream of ours, and not the C library's.
fn is_ours(at: usize) -> bool {
    arena::owns(at as u64) && unsafe { *(at as *const u64) } == MARK
}

/// The C library's pointer to standard input.
pub fn input() -> usize {
    unsafe extern "C" {
        static stdin: usize;
    }
    unsafe { stdin }
}

/// The stream to read from; the C library's can't be followed.
pub fn source(at: usize) -> &'static mut Stream {
    let Some(stream) = stream(at) else {
        check::limit(match at == input() {
            true => NO_INPUT,
            false => "reading from a stream that `fopen` has not made",
        })
    };
    if !stream.reads {
        stream.failed = true;
        fail(libc::EBADF);
    }
    stream
}

pub extern "C" fn fopen(path: u64, mode: *const u8) -> usize {
    let mode = check::text(mode);
    let with = |c: u8| mode.contains(&c);
    let Some(first @ (b'r' | b'w' | b'a')) = mode.first() else {
        fail(libc::EINVAL);
        return 0;
    };
    let how = How {
        reads: with(b'+') || *first == b'r',
        writes: with(b'+') || *first != b'r',
        appends: *first == b'a',
        creates: *first != b'r',
        is_new: *first == b'w' && with(b'x'),
        truncates: *first == b'w',
    };
    match files::open(path, how) {
        Err(error) => {
            fail(error);
            0
        }
        Ok(stream) => {
            let at = arena::own(size_of::<Stream>() as u64) as usize;
            unsafe { (at as *mut Stream).write(stream) };
            at
        }
    }
}

pub extern "C" fn fclose(at: usize) -> i32 {
    if at != input()
        && let Some(stream) = stream(at)
    {
        stream.end();
        arena::free(at as u64);
    }
    0
}

pub extern "C" fn fflush(at: usize) -> i32 {
    match at != 0 && is_ours(at) {
        true => 0,
        false => unsafe { libc::fflush(at) },
    }
}

pub extern "C" fn vfprintf(at: usize, format: *const u8, args: &mut Arguments) -> i32 {
    printing::strings(format, args);
    let list = args as *mut Arguments as usize;
    if !is_ours(at) {
        return unsafe { libc::vfprintf(at, format, list) };
    }
    let mut text = [0u8; 1 << 14];
    let n = unsafe { libc::vsnprintf(text.as_mut_ptr(), text.len(), format, list) };
    if n as usize >= text.len() {
        check::limit("`fprintf` of more than 16,383 bytes");
    }
    match stream(at).is_some_and(|s| s.put(&text[..n as usize])) {
        true => n,
        false => EOF,
    }
}

pub extern "C" fn fputs(s: u64, at: usize) -> i32 {
    printing::string(s, u64::MAX);
    if !is_ours(at) {
        return unsafe { libc::fputs(s as *const u8, at) };
    }
    let n = unsafe { libc::strlen(s as *const u8) };
    fputs_of(
        unsafe { core::slice::from_raw_parts(s as *const u8, n) },
        at,
    )
}

fn fputs_of(bytes: &[u8], at: usize) -> i32 {
    match stream(at).is_some_and(|s| s.put(bytes)) {
        true => 1,
        false => EOF,
    }
}

pub extern "C" fn fputc(c: i32, at: usize) -> i32 {
    if !is_ours(at) {
        return unsafe { libc::fputc(c, at) };
    }
    match fputs_of(&[c as u8], at) {
        EOF => EOF,
        _ => (c as u8).into(),
    }
}

pub extern "C" fn fwrite(from: u64, size: u64, n: u64, at: usize) -> u64 {
    let all = size.saturating_mul(n);
    printing::bytes(from, all);
    if !is_ours(at) {
        return unsafe { libc::fwrite(from as *const u8, size, n, at) };
    }
    let bytes = unsafe { core::slice::from_raw_parts(from as *const u8, all as usize) };
    match stream(at).is_some_and(|s| s.put(bytes)) {
        true => n,
        false => 0,
    }
}

pub extern "C" fn fread(to: u64, size: u64, n: u64, at: usize) -> u64 {
    let stream = source(at);
    let wanted = size.saturating_mul(n);
    if wanted == 0 || !stream.reads {
        return 0;
    }
    stream.take(to, wanted, None) / size
}

pub extern "C" fn fgetc(at: usize) -> i32 {
    source(at).byte()
}

pub extern "C" fn getchar() -> i32 {
    fgetc(input())
}

pub extern "C" fn ungetc(c: i32, at: usize) -> i32 {
    let stream = source(at);
    if c == EOF || stream.pushed != EOF || !stream.reads {
        return EOF;
    }
    (stream.pushed, stream.ended) = ((c as u8).into(), false);
    stream.pushed
}

/// The bytes of a line, at most so many, into `line`; it ends with `end`.
fn line(stream: &mut Stream, line: &mut [u8], end: i32) -> usize {
    let mut n = 0;
    while n < line.len() {
        let byte = stream.byte();
        if byte == EOF {
            break;
        }
        line[n] = byte as u8;
        n += 1;
        if byte == end {
            break;
        }
    }
    n
}

/// Longest line.
const LINE: usize = 1 << 14;

pub extern "C" fn fgets(to: u64, size: i32, at: usize) -> u64 {
    let stream = source(at);
    let mut bytes = [0u8; LINE];
    let most = (size.max(1) - 1) as usize;
    let n = line(stream, &mut bytes[..most.min(LINE - 1)], b'\n'.into());
    if n == LINE - 1 && n < most {
        check::limit("a line of more than 16,382 bytes");
    }
    if n == 0 && most > 0 {
        return 0;
    }
    access(Kind::Write, to, n as u32 + 1);
    unsafe { libc::memcpy(to as *mut u8, bytes.as_ptr(), n + 1) };
    to
}

pub extern "C" fn getline(to: *mut u64, room: *mut u64, at: usize) -> i64 {
    getdelim(to, room, b'\n'.into(), at)
}

pub extern "C" fn getdelim(to: *mut u64, room: *mut u64, end: i32, at: usize) -> i64 {
    let stream = source(at);
    let mut bytes = [0u8; LINE];
    let n = line(stream, &mut bytes[..LINE - 1], i32::from(end as u8));
    if n == LINE - 1 {
        check::limit("a line of more than 16,382 bytes");
    }
    if n == 0 {
        return -1;
    }
    let (mut place, has) = (atomics::fetch(to), atomics::fetch(room));
    if place == 0 || has < n as u64 + 1 {
        let new = (n as u64 + 1).max(120);
        place = arena::realloc(place, new);
        atomics::deliver(to, place);
        atomics::deliver(room, new);
    }
    access(Kind::Write, place, n as u32 + 1);
    unsafe { libc::memcpy(place as *mut u8, bytes.as_ptr(), n + 1) };
    n as i64
}

pub extern "C" fn fseek(at: usize, by: i64, from: i32) -> i32 {
    match stream(at) {
        Some(stream) => stream.go(by, from).min(0) as i32,
        None => check::limit("moving in a standard stream"),
    }
}

pub extern "C" fn rewind(at: usize) {
    let Some(stream) = stream(at) else {
        check::limit("moving in a standard stream")
    };
    stream.go(0, 0);
    stream.failed = false;
}

pub extern "C" fn ftell(at: usize) -> i64 {
    let Some(stream) = stream(at) else {
        check::limit("asking for the place in a standard stream")
    };
    stream.at as i64 - i64::from(stream.pushed != EOF)
}

/// Size of `fpos_t`.
const PLACE: usize = 16;

pub extern "C" fn fgetpos(at: usize, to: *mut i64) -> i32 {
    let place = ftell(at);
    access(Kind::Write, to as u64, PLACE as u32);
    unsafe {
        libc::memset(to.cast(), 0, PLACE);
        to.write(place);
    }
    0
}

pub extern "C" fn fsetpos(at: usize, from: *const i64) -> i32 {
    access(Kind::Read, from as u64, PLACE as u32);
    fseek(at, unsafe { from.read() }, 0)
}

pub extern "C" fn feof(at: usize) -> i32 {
    stream(at).is_some_and(|s| s.ended).into()
}

pub extern "C" fn ferror(at: usize) -> i32 {
    stream(at).is_some_and(|s| s.failed).into()
}

pub extern "C" fn clearerr(at: usize) {
    if let Some(stream) = stream(at) {
        (stream.ended, stream.failed) = (false, false);
    }
}

/// `setbuf`, `setvbuf`, `setlinebuf`: buffers are left out.
pub extern "C" fn set_buffer(_: usize) -> i32 {
    0
}

/// Other functions of streams: the C library's must not be given one of ours.
pub extern "C" fn not_followed() {
    check::limit("a function of streams such as `freopen` or `flockfile`")
}

pub extern "C" fn fileno(at: usize) -> i32 {
    match is_ours(at) {
        true => check::limit("`fileno` of a file"),
        false => unsafe { libc::fileno(at) },
    }
}
