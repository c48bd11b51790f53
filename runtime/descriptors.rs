//! Numbers that stand for open files and ends of pipes.
//!
//! A number is of the thread that has opened it, and is not given out twice, so it does not depend on other threads.
//! Files are as those of streams (`files.rs`), pipes are in `pipes.rs`.

use crate::atomics::deliver;
use crate::check;
use crate::files::{self, How, Stream};
use crate::libc;
use crate::pipes;
use crate::printing;
use crate::shared::*;
use crate::state::*;
use crate::streams;

const DESCRIPTORS_AT: usize = 0x2810_0000_0000;
/// Those of one thread.
const MOST: usize = 64;
/// The first number: those below are not ours.
const FIRST: i32 = 100;

/// What a number stands for; it stays so, closed or not. The stream changes, and nobody keeps a reference to it across
/// a step.
#[derive(Clone, Copy)]
pub enum Open {
    File(*mut Stream),
    /// Where the pipe is, and which end.
    Pipe(u64, usize),
}

/// A number's place in the table.
struct Descriptor {
    open: Open,
    stream: Stream,
}

pub fn map_all() {
    map(DESCRIPTORS_AT, MAX_THREADS * MOST * size_of::<Descriptor>());
    pipes::map_all();
}

fn place(number: usize) -> *mut Descriptor {
    unsafe { (DESCRIPTORS_AT as *mut Descriptor).add(number) }
}

/// What a number of the program's stands for; none, if that was never opened here.
pub fn known(number: i32) -> Option<Open> {
    let n = usize::try_from(number.checked_sub(FIRST)?).ok()?;
    let (owner, k) = (n / MOST, n % MOST);
    let is_made = owner < MAX_THREADS && has(&rt().made, owner);
    (is_made && k < thread(owner).descriptors as usize).then(|| unsafe { (*place(n)).open })
}

/// Whether a number is one of the process's own.
pub fn is_standard(number: i32) -> bool {
    (0..3).contains(&number)
}

/// Whether a function that we don't know has opened a file of the process.
pub fn is_foreign(number: i32) -> bool {
    number > INPUT_FD
        && known(number).is_none()
        && unsafe { libc::fcntl(number, libc::F_GETFD) } >= 0
}

/// What a number stands for; an error is that it is no number of anything.
fn opened(number: i32) -> Result<Open, i32> {
    match known(number) {
        Some(open) => Ok(open),
        None if is_standard(number) => check::limit(streams::NO_INPUT),
        None if is_foreign(number) => {
            check::limit("a file descriptor that neither `open` nor `pipe` has made")
        }
        None => Err(libc::EBADF),
    }
}

/// What a function returns.
fn told(result: Result<i64, i32>) -> i64 {
    result.unwrap_or_else(files::fail)
}

/// A new number, of a pipe's end or of a file.
fn new(pipe: Option<(u64, usize)>, stream: Stream) -> i32 {
    let n = me().descriptors as usize;
    if n == MOST {
        check::limit("more than 64 file descriptors of one thread");
    }
    me().descriptors += 1;
    let number = rt().current * MOST + n;
    let at = place(number);
    let open = match pipe {
        Some((pipe, end)) => Open::Pipe(pipe, end),
        None => Open::File(unsafe { &raw mut (*at).stream }),
    };
    unsafe { at.write(Descriptor { open, stream }) };
    FIRST + number as i32
}

pub extern "C" fn pipe(to: *mut [i32; 2]) -> i32 {
    let pipe = pipes::make();
    let ends = [pipes::READING, pipes::WRITING].map(|end| new(Some((pipe, end)), files::NONE));
    deliver(to, ends);
    0
}

pub extern "C" fn pipe2(to: *mut [i32; 2], flags: i32) -> i32 {
    if flags & libc::NONBLOCK != 0 {
        check::limit("a pipe that does not block");
    }
    pipe(to)
}

pub extern "C" fn open(path: u64, flags: i32) -> i32 {
    let access = flags & 3;
    let how = How {
        reads: access != 1,
        writes: access != 0,
        appends: flags & 0x400 != 0,
        creates: flags & 0x40 != 0,
        is_new: flags & 0xC0 == 0xC0,
        truncates: flags & 0x200 != 0 && access != 0,
    };
    let made = files::open(path, how).map(|stream| new(None, stream));
    told(made.map(i64::from)) as i32
}

pub extern "C" fn creat(path: u64, _: u32) -> i32 {
    open(path, 0x241)
}

pub extern "C" fn read(number: i32, to: u64, n: u64) -> i64 {
    if number == 0
        && let Some(input) = files::input()
    {
        return files::read(input, to, n, None);
    }
    told(opened(number).map(|open| match open {
        Open::File(stream) => files::read(stream, to, n, None),
        Open::Pipe(at, end) => pipes::read((at, end), to, n),
    }))
}

pub extern "C" fn write(number: i32, from: u64, n: u64) -> i64 {
    match known(number) {
        Some(Open::File(stream)) => files::write(stream, from, n, None),
        Some(Open::Pipe(at, end)) => pipes::write((at, end), from, n),
        None if is_standard(number) || is_foreign(number) => {
            printing::bytes(from, n);
            unsafe { libc::write(number, from as *const u8, n as usize) as i64 }
        }
        None => files::fail(libc::EBADF),
    }
}

pub extern "C" fn close(number: i32) -> i32 {
    if is_standard(number) {
        // What is printed makes no difference.
        return 0;
    }
    if is_foreign(number) {
        return unsafe { libc::close(number) };
    }
    let closed = opened(number).map(|open| match open {
        Open::File(stream) => files::close(stream),
        Open::Pipe(at, end) => pipes::close((at, end)),
    });
    told(closed.map(i64::from)) as i32
}

/// The file behind a number; the error where that is a pipe is given.
fn file(number: i32, else_error: i32) -> Result<*mut Stream, i32> {
    match opened(number)? {
        Open::File(stream) => Ok(stream),
        Open::Pipe(..) => Err(else_error),
    }
}

pub extern "C" fn pread(number: i32, to: u64, n: u64, at: u64) -> i64 {
    told(file(number, libc::ESPIPE).map(|stream| files::read(stream, to, n, Some(at))))
}

pub extern "C" fn pwrite(number: i32, from: u64, n: u64, at: u64) -> i64 {
    told(file(number, libc::ESPIPE).map(|stream| files::write(stream, from, n, Some(at))))
}

pub extern "C" fn lseek(number: i32, by: i64, from: i32) -> i64 {
    told(file(number, libc::ESPIPE).map(|stream| files::seek(stream, by, from)))
}

pub extern "C" fn ftruncate(number: i32, size: i64) -> i32 {
    let truncated = match u64::try_from(size) {
        Ok(size) => file(number, libc::EINVAL).map(|stream| files::truncate(stream, size)),
        Err(_) => Err(libc::EINVAL),
    };
    told(truncated) as i32
}

/// `fsync` and its kin: what is written is there.
pub extern "C" fn sync(_: i32) -> i32 {
    0
}

/// Other functions of files, by number or by name: the C library's know nothing of ours.
pub extern "C" fn not_followed() {
    check::limit("a function of files such as `dup`, `fcntl`, `fstat` or `access`")
}
