//! Files that the program opens by name: what is on disk is read when a name is first used, and everything else takes
//! place in memory, so that nothing outlives an execution and nothing on disk is changed.
//!
//! What is done with a file is one step, an update of a word that stands for it; so the order of such steps is
//! explored, and none of them is a data race, as POSIX demands of streams. Buffers of streams are left out: what one
//! stream has written, another finds at once.

use crate::ahead;
use crate::atomics::{self, access, atomic};
use crate::check;
use crate::libc;
use crate::printing;
use crate::shared::*;
use crate::state::map;
use crate::svcomp;
use core::cell::UnsafeCell;

/// Longest name.
const NAME: usize = 256;
/// Names that one execution may use.
const MOST: usize = 64;
/// The end of a file, for functions that return a byte.
pub const EOF: i32 = -1;
const SEQ_CST: i32 = 5;

/// What is known of a name. It lies where the name alone says, as it would else depend on who comes first.
#[repr(C)]
struct File {
    /// Counts what was done with it.
    word: u64,
    size: u64,
    /// Streams that are open.
    open: u32,
    /// Whether it has been looked for on disk.
    known: bool,
    exists: bool,
    name: [u8; NAME],
}

/// A file that is open: a stream, which the program has a pointer to, or behind a number.
#[repr(C)]
pub struct Stream {
    pub mark: u64,
    slot: u32,
    pub reads: bool,
    pub writes: bool,
    appends: bool,
    pub ended: bool,
    pub failed: bool,
    /// Behind a number that is closed.
    closed: bool,
    pub at: u64,
    /// A byte that was pushed back.
    pub pushed: i32,
}

/// What a number stands for that is no file.
pub const NONE: Stream = Stream {
    mark: 0,
    slot: 0,
    reads: false,
    writes: false,
    appends: false,
    ended: false,
    failed: false,
    closed: true,
    at: 0,
    pushed: EOF,
};

/// How a file is opened.
#[derive(Clone, Copy)]
pub struct How {
    pub reads: bool,
    pub writes: bool,
    pub appends: bool,
    pub creates: bool,
    /// It is an error if it is there.
    pub is_new: bool,
    pub truncates: bool,
}

/// What tells a stream of ours from one of the C library.
pub const MARK: u64 = 0x6d61_6572_7473_2e63;

/// The slot of standard input, which no name has.
const INPUT: u32 = FILES as u32 - 1;

/// Standard input, once it is used.
struct Standard(UnsafeCell<Stream>);
// One operating system thread only.
unsafe impl Sync for Standard {}
static STANDARD: Standard = Standard(UnsafeCell::new(NONE));

/// The slots in use.
struct Used(UnsafeCell<([u32; MOST], usize)>);
// One operating system thread only.
unsafe impl Sync for Used {}
static USED: Used = Used(UnsafeCell::new(([0; MOST], 0)));

pub fn map_all() {
    map(FILES_AT, FILES * (FILE_HEAD + FILE_SIZE));
}

fn file(slot: u32) -> &'static mut File {
    unsafe { &mut *((FILES_AT + slot as usize * FILE_HEAD) as *mut File) }
}

fn content(slot: u32) -> *mut u8 {
    (FILES_AT + FILES * FILE_HEAD + slot as usize * FILE_SIZE) as *mut u8
}

/// Makes all files unknown again.
pub fn wipe() {
    let (slots, n) = unsafe { &mut *USED.0.get() };
    for &slot in &slots[..*n] {
        let head = (file(slot) as *mut File).cast::<u8>();
        unsafe {
            libc::madvise(content(slot), FILE_SIZE, libc::MADV_DONTNEED);
            libc::memset(head, 0, FILE_HEAD);
        }
    }
    *n = 0;
}

/// The name that the program gives, read as a string.
fn name(path: u64) -> &'static [u8] {
    printing::string(path, u64::MAX);
    let n = unsafe { libc::strlen(path as *const u8) };
    let mut name = unsafe { core::slice::from_raw_parts(path as *const u8, n) };
    while let [b'.', b'/', rest @ ..] = name {
        name = rest;
    }
    if n >= NAME {
        check::limit("a file with a name of more than 255 bytes");
    }
    if [b"/dev/", b"/proc", b"/sys/"]
        .iter()
        .any(|p| name.starts_with(*p))
    {
        check::limit("a file that is no data on disk");
    }
    name
}

/// Notes the error; what functions return then.
pub fn fail(errno: i32) -> i64 {
    unsafe { *libc::__errno_location() = errno };
    -1
}

/// The slot of a name: a step, which looks at the file and may change it.
fn slot(name: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in name {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    let slot = ((hash ^ hash >> 32) as usize % INPUT as usize) as u32;
    step(slot);
    let file = file(slot);
    if file.known {
        if file.name[..name.len()] != *name || file.name[name.len()] != 0 {
            check::limit("two files whose names can't be told apart here");
        }
        return slot;
    }
    use_now(slot);
    file.name[..name.len()].copy_from_slice(name);
    load(slot);
    slot
}

/// A slot is used from here on.
fn use_now(slot: u32) {
    let (slots, n) = unsafe { &mut *USED.0.get() };
    if *n == MOST {
        check::limit("more than 64 files");
    }
    (slots[*n], *n) = (slot, *n + 1);
    file(slot).known = true;
}

/// Standard input, if it was said what that is.
pub fn input() -> Option<&'static mut Stream> {
    // What is done here is not on the stack, so it could not be undone.
    if ahead::on() {
        ahead::fail();
    }
    let stream = unsafe { &mut *STANDARD.0.get() };
    if stream.mark == MARK {
        return Some(stream);
    }
    if unsafe { libc::lseek(INPUT_FD, 0, 0) } < 0 {
        return None;
    }
    use_now(INPUT);
    load_from(INPUT, INPUT_FD);
    *stream = Stream {
        mark: MARK,
        slot: INPUT,
        reads: true,
        closed: false,
        ..NONE
    };
    Some(stream)
}

/// Takes what is on disk.
fn load(slot: u32) {
    let fd = unsafe { libc::open(file(slot).name.as_ptr(), 0) };
    if fd >= 0 {
        load_from(slot, fd);
        unsafe { libc::close(fd) };
    }
}

/// Takes what a file has, whoever has read from it before.
fn load_from(slot: u32, fd: i32) {
    let file = file(slot);
    let mut n = 0;
    while n < FILE_SIZE {
        let (to, room) = (unsafe { content(slot).add(n) }, FILE_SIZE - n);
        let got = unsafe { libc::pread(fd, to, room, n as i64) };
        if got < 0 {
            // A directory, say.
            check::limit("a file that can't be read");
        }
        if got == 0 {
            break;
        }
        n += got as usize;
    }
    if n == FILE_SIZE {
        check::limit("a file of more than a megabyte");
    }
    (file.size, file.exists) = (n as u64, true);
}

/// Whether there is a directory for a new file.
fn has_directory(name: &[u8]) -> bool {
    let Some(end) = name.iter().rposition(|&b| b == b'/') else {
        return true;
    };
    let mut directory = [0u8; NAME];
    directory[..end.max(1)].copy_from_slice(&name[..end.max(1)]);
    let fd = unsafe { libc::open(directory.as_ptr(), libc::DIRECTORY) };
    if fd >= 0 {
        unsafe { libc::close(fd) };
    }
    fd >= 0
}

/// The word that stands for a file.
fn word(slot: u32) -> u64 {
    &raw const file(slot).word as u64
}

fn step(slot: u32) {
    atomic(atomics::ADD, 8, word(slot), [1, 0], [SEQ_CST; 2]);
}

impl Stream {
    /// A step with its file.
    pub fn step(&self) {
        step(self.slot);
    }

    /// The word that stands for its file.
    pub fn word(&self) -> u64 {
        word(self.slot)
    }

    /// Whether it stands behind a number that is closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// It is closed.
    pub fn end(&self) {
        file(self.slot).open -= 1;
    }

    /// The bytes from here to the end of the file.
    pub fn rest(&self) -> &'static [u8] {
        let size = file(self.slot).size;
        let at = self.at.min(size) as usize;
        unsafe { core::slice::from_raw_parts(content(self.slot).add(at), size as usize - at) }
    }

    pub fn byte(&mut self) -> i32 {
        if !self.reads {
            return EOF;
        }
        if self.pushed != EOF {
            return core::mem::replace(&mut self.pushed, EOF);
        }
        match self.rest().first() {
            Some(&byte) => {
                self.at += 1;
                byte.into()
            }
            None => {
                self.ended = true;
                EOF
            }
        }
    }

    /// Copies what comes next: how many bytes that are, and whether they go to the end.
    pub fn ahead(&self, to: &mut [u8]) -> (usize, bool) {
        if !self.reads {
            return (0, true);
        }
        let pushed = usize::from(self.pushed != EOF);
        let rest = self.rest();
        to[0] = self.pushed as u8;
        let n = rest.len().min(to.len() - pushed);
        to[pushed..pushed + n].copy_from_slice(&rest[..n]);
        (pushed + n, n == rest.len())
    }

    /// Goes on behind so many bytes, which there are; perhaps more were wanted.
    pub fn pass(&mut self, bytes: usize, ended: bool) {
        let pushed = usize::from(self.pushed != EOF && bytes > 0);
        if pushed > 0 {
            self.pushed = EOF;
        }
        self.at += (bytes - pushed) as u64;
        self.ended |= ended && self.reads;
    }

    /// Writes bytes, with zeros before them if the stream stands behind the end; whether it may.
    pub fn put(&mut self, bytes: &[u8]) -> bool {
        if !self.writes {
            self.failed = true;
            fail(libc::EBADF);
            return false;
        }
        if bytes.is_empty() {
            return true;
        }
        let file = file(self.slot);
        if self.appends {
            self.at = file.size;
        }
        let end = self.at + bytes.len() as u64;
        if end > FILE_SIZE as u64 {
            check::limit("a file of more than a megabyte");
        }
        let to = content(self.slot);
        unsafe {
            let gap = self.at.saturating_sub(file.size) as usize;
            libc::memset(to.add(file.size as usize), 0, gap);
            libc::memcpy(to.add(self.at as usize), bytes.as_ptr(), bytes.len());
        }
        file.size = file.size.max(end);
        (self.at, self.pushed) = (end, EOF);
        true
    }
}

/// Opens the file of this name, or says why not.
pub fn open(path: u64, how: How) -> Result<Stream, i32> {
    let name = name(path);
    let slot = slot(name);
    let file = file(slot);
    match file.exists {
        false if !how.creates || !has_directory(name) => return Err(libc::ENOENT),
        true if how.is_new => return Err(libc::EEXIST),
        _ => {}
    }
    if !file.exists && file.open > 0 {
        check::limit("a file in place of one that is removed, and still open");
    }
    if how.truncates || !file.exists {
        file.size = 0;
    }
    file.exists = true;
    file.open += 1;
    Ok(Stream {
        mark: MARK,
        slot,
        reads: how.reads,
        writes: how.writes,
        appends: how.appends,
        closed: false,
        ..NONE
    })
}

/// Most that is read at once.
const READ: usize = 1 << 16;

impl Stream {
    /// Copies what comes next to the program's memory; how much that is.
    pub fn take(&mut self, to: u64, wanted: u64, at: Option<u64>) -> u64 {
        let place = self.at;
        self.at = at.unwrap_or(place);
        let pushed = u64::from(self.pushed != EOF);
        let got = wanted.min(self.rest().len() as u64 + pushed);
        if got > READ as u64 {
            check::limit("reading more than 65,536 bytes at once");
        }
        // Kept, as others may change the file before the program's memory is written.
        let mut kept = [0u8; READ];
        for byte in &mut kept[..got as usize] {
            *byte = self.byte() as u8;
        }
        self.ended |= got < wanted;
        if at.is_some() {
            self.at = place;
        }
        access(Kind::Write, to, got as u32);
        unsafe { libc::memcpy(to as *mut u8, kept.as_ptr(), got as usize) };
        got
    }
}

/// A step with the file behind a number; the stream, if it is open, for this.
fn opened(stream: *mut Stream, may: fn(&Stream) -> bool) -> Option<&'static mut Stream> {
    step(unsafe { (*stream).slot });
    let stream = unsafe { &mut *stream };
    let open = !stream.closed && may(stream);
    if !open {
        fail(libc::EBADF);
    }
    open.then_some(stream)
}

/// `read`, from a place of the file or from where the number stands.
pub fn read(stream: *mut Stream, to: u64, n: u64, at: Option<u64>) -> i64 {
    match opened(stream, |s| s.reads) {
        None => -1,
        Some(_) if n == 0 => 0,
        Some(stream) => stream.take(to, n, at) as i64,
    }
}

/// `write`, likewise.
pub fn write(stream: *mut Stream, from: u64, n: u64, at: Option<u64>) -> i64 {
    printing::bytes(from, n);
    let Some(stream) = opened(stream, |s| s.writes) else {
        return -1;
    };
    let bytes = unsafe { core::slice::from_raw_parts(from as *const u8, n as usize) };
    let place = stream.at;
    stream.at = at.unwrap_or(place);
    stream.put(bytes);
    if at.is_some() {
        stream.at = place;
    }
    n as i64
}

pub fn close(stream: *mut Stream) -> i32 {
    let Some(stream) = opened(stream, |_| true) else {
        return -1;
    };
    stream.closed = true;
    stream.end();
    0
}

pub fn seek(stream: *mut Stream, by: i64, from: i32) -> i64 {
    opened(stream, |_| true).map_or(-1, |stream| stream.go(by, from))
}

/// `ftruncate`: what is there beyond the end are zeros.
pub fn truncate(stream: *mut Stream, size: u64) -> i64 {
    let Some(stream) = opened(stream, |_| true) else {
        return -1;
    };
    if !stream.writes {
        return fail(libc::EINVAL);
    }
    if size > FILE_SIZE as u64 {
        check::limit("a file of more than a megabyte");
    }
    let file = file(stream.slot);
    let more = size.saturating_sub(file.size) as usize;
    unsafe { libc::memset(content(stream.slot).add(file.size as usize), 0, more) };
    file.size = size;
    0
}

impl Stream {
    /// Goes to another place, and says where that is.
    pub fn go(&mut self, by: i64, from: i32) -> i64 {
        let pushed = i64::from(self.pushed != EOF);
        let start = match from {
            0 => 0,
            1 => self.at as i64 - pushed,
            _ => file(self.slot).size as i64,
        };
        if start + by < 0 {
            return fail(libc::EINVAL);
        }
        (self.at, self.pushed, self.ended) = ((start + by) as u64, EOF, false);
        start + by
    }
}

pub extern "C" fn remove(path: u64) -> i32 {
    let slot = slot(name(path));
    let file = file(slot);
    if !file.exists {
        fail(libc::ENOENT);
        return -1;
    }
    // Streams that are open go on with what is in it.
    file.exists = false;
    0
}

pub extern "C" fn rename(from: u64, to: u64) -> i32 {
    let (from, to) = (name(from), name(to));
    // Nobody sees one of them changed, and not the other.
    svcomp::atomic_begin();
    let renamed = renamed(slot(from), slot(to), to);
    svcomp::atomic_end();
    if !renamed {
        fail(libc::ENOENT);
        return -1;
    }
    0
}

/// Moves what is in one file to another of this name; whether it is there.
fn renamed(from: u32, to: u32, name: &[u8]) -> bool {
    if !file(from).exists || !has_directory(name) {
        return false;
    }
    if from == to {
        return true;
    }
    if file(from).open + file(to).open > 0 {
        check::limit("renaming a file that is open");
    }
    let size = file(from).size;
    unsafe { libc::memcpy(content(to), content(from), size as usize) };
    (file(to).size, file(to).exists) = (size, true);
    (file(from).size, file(from).exists) = (0, false);
    true
}
