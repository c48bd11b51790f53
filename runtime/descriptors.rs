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

/// Those of the process itself.
const STANDARD: core::ops::Range<i32> = 0..3;

/// What a number stands for.
#[repr(C)]
struct Descriptor {
    /// Of an end of a pipe, where the pipe is.
    pipe: u64,
    /// Which of its ends.
    end: usize,
    stream: Stream,
}

pub fn map_all() {
    map(DESCRIPTORS_AT, MAX_THREADS * MOST * size_of::<Descriptor>());
    pipes::map_all();
}

fn place(number: usize) -> *mut Descriptor {
    unsafe { (DESCRIPTORS_AT as *mut Descriptor).add(number) }
}

/// Makes a thread's numbers unknown again.
pub fn wipe(who: usize) {
    let n = thread(who).descriptors as usize;
    zero(place(who * MOST).cast(), n * size_of::<Descriptor>());
    pipes::wipe(who);
}

/// What a number of the program's stands for; none, if that was never opened here.
fn known(number: i32) -> Option<&'static mut Descriptor> {
    let n = usize::try_from(number.checked_sub(FIRST)?).ok()?;
    let (owner, k) = (n / MOST, n % MOST);
    let is_made = owner < MAX_THREADS && has(&rt().made, owner);
    (is_made && k < thread(owner).descriptors as usize).then(|| unsafe { &mut *place(n) })
}

/// Whether a function that we don't know has opened a file of the process.
pub fn is_foreign(number: i32) -> bool {
    number > INPUT_FD
        && known(number).is_none()
        && unsafe { libc::fcntl(number, libc::F_GETFD) } >= 0
}

/// What a number stands for; an error is that it is no number of anything.
fn opened(number: i32) -> Result<&'static mut Descriptor, i32> {
    match known(number) {
        Some(descriptor) => Ok(descriptor),
        None if STANDARD.contains(&number) => check::limit(streams::NO_INPUT),
        None if is_foreign(number) => {
            check::limit("a file descriptor that neither `open` nor `pipe` has made")
        }
        None => Err(libc::EBADF),
    }
}

/// What a number stands for, to who waits for it.
pub enum What {
    Nothing,
    /// A file, with the word that stands for it.
    File(u64),
    Pipe(u64, usize),
}

/// What a number stands for, or has stood for.
pub fn what(number: i32) -> What {
    match known(number) {
        Some(of) if of.pipe != 0 => What::Pipe(of.pipe, of.end),
        Some(of) => What::File(of.stream.word()),
        None if STANDARD.contains(&number) => What::File(files::standard()),
        None => What::Nothing,
    }
}

/// Whether the file behind a number is open; the process's own are.
pub fn is_open(number: i32) -> bool {
    known(number).map_or(STANDARD.contains(&number), |of| !of.stream.is_closed())
}

/// What a function returns.
fn told(result: Result<i64, i32>) -> i64 {
    result.unwrap_or_else(files::fail)
}

/// A new number.
fn new(descriptor: Descriptor) -> i32 {
    let n = me().descriptors as usize;
    if n == MOST {
        check::limit("more than 64 file descriptors of one thread");
    }
    me().descriptors += 1;
    let number = rt().current * MOST + n;
    unsafe { place(number).write(descriptor) };
    FIRST + number as i32
}

pub extern "C" fn pipe(to: *mut [i32; 2]) -> i32 {
    let pipe = pipes::make();
    let ends = [0, 1].map(|end| {
        new(Descriptor {
            pipe,
            end,
            stream: files::NONE,
        })
    });
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
    let made = files::open(path, how).map(|stream| {
        new(Descriptor {
            pipe: 0,
            end: 0,
            stream,
        })
    });
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
    told(opened(number).map(|of| match of.pipe {
        0 => files::read(&mut of.stream, to, n, None),
        pipe => pipes::read((pipe, of.end), to, n),
    }))
}

pub extern "C" fn write(number: i32, from: u64, n: u64) -> i64 {
    match known(number) {
        None if !STANDARD.contains(&number) && !is_foreign(number) => files::fail(libc::EBADF),
        None => {
            printing::bytes(from, n);
            unsafe { libc::write(number, from as *const u8, n as usize) as i64 }
        }
        Some(of) if of.pipe != 0 => pipes::write((of.pipe, of.end), from, n),
        Some(of) => files::write(&mut of.stream, from, n, None),
    }
}

pub extern "C" fn close(number: i32) -> i32 {
    if STANDARD.contains(&number) {
        // What is printed makes no difference.
        return 0;
    }
    if is_foreign(number) {
        return unsafe { libc::close(number) };
    }
    let closed = opened(number).map(|of| match of.pipe {
        0 => files::close(&mut of.stream),
        pipe => pipes::close((pipe, of.end)),
    });
    told(closed.map(i64::from)) as i32
}

/// The file behind a number; the error where that is a pipe is given.
fn file(number: i32, else_error: i32) -> Result<&'static mut Stream, i32> {
    let of = opened(number)?;
    match of.pipe {
        0 => Ok(&mut of.stream),
        _ => Err(else_error),
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
