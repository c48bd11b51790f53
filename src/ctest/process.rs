//! The tested program as a process: it makes one execution on each request.
//!
//! Requests and executions are in memory that both processes map (`shared`); a byte on a pipe says that one is there.

use super::shared::{self, ANSWER_FD, INPUT_FD, REQUEST_FD, SHARED_FD, Shared};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What is needed of the system and not in `std`.
mod sys {
    pub const PROT_RW: i32 = 3;
    pub const MAP_SHARED: i32 = 1;
    pub const ADDR_NO_RANDOMIZE: u64 = 0x0040000;
    pub const POLLIN: i16 = 1;

    #[repr(C)]
    pub struct Poll {
        pub fd: i32,
        pub events: i16,
        pub revents: i16,
    }

    unsafe extern "C" {
        pub fn memfd_create(name: *const std::ffi::c_char, flags: u32) -> i32;
        pub fn mmap(a: *mut u8, n: usize, prot: i32, flags: i32, fd: i32, off: i64) -> *mut u8;
        pub fn munmap(a: *mut u8, n: usize) -> i32;
        pub fn dup2(from: i32, to: i32) -> i32;
        pub fn personality(persona: u64) -> i32;
        pub fn poll(fds: *mut Poll, n: u64, timeout: i32) -> i32;
        pub fn prctl(option: i32, ...) -> i32;
    }
}

/// A program that is ready for requests.
pub struct Process {
    child: Child,
    at: *mut Shared,
    request: File,
    answer: File,
    _memory: OwnedFd,
    program: PathBuf,
    given: Given,
    show: bool,
    moved: bool,
}

// SAFETY: the mapping belongs to this value alone, and only its holder accesses it.
unsafe impl Send for Process {}

/// An invariant, and what it has read in any execution.
#[derive(Clone, Debug)]
pub struct Promise {
    function: u64,
    text: Vec<u8>,
    /// Addresses and sizes.
    pub cells: Vec<(u64, u32)>,
}

impl Promise {
    /// Adds what somebody else knows.
    pub fn add(mine: &mut Vec<Promise>, theirs: &[Promise]) {
        for promise in theirs {
            match mine.iter_mut().find(|m| m.function == promise.function) {
                Some(known) => {
                    let new = promise.cells.iter().filter(|c| !known.cells.contains(c));
                    let new: Vec<_> = new.copied().collect();
                    known.cells.extend(new);
                }
                None => mine.push(promise.clone()),
            }
        }
    }
}

/// What a program is given.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Its arguments.
    pub args: Vec<String>,
    /// The file that it reads from standard input.
    pub stdin: Option<PathBuf>,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Silence {
    /// Somebody wants us to stop.
    Stopped,
    /// The program waits for something outside, or is stuck in a call.
    Hangs,
    /// The process is gone.
    Gone(io::Error),
}

impl Process {
    /// Starts a program that [`super::compile`] has made. What it prints is shown or dropped.
    pub fn start(program: &Path, args: &[String], show: bool) -> io::Result<Process> {
        let given = Given {
            args: args.to_vec(),
            stdin: None,
        };
        Process::start_in(&[], program, given, show)
    }

    /// The same with a command before the program, such as a debugger.
    pub fn start_in(
        before: &[&OsStr],
        program: &Path,
        given: Given,
        show: bool,
    ) -> io::Result<Process> {
        let size = size_of::<Shared>();
        // SAFETY: plain system calls; the descriptor is owned from here on.
        let (memory, at) = unsafe {
            let fd = sys::memfd_create(c"coarsen".as_ptr(), 1);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            let memory = OwnedFd::from_raw_fd(fd);
            File::from(memory.try_clone()?).set_len(size as u64)?;
            let at = sys::mmap(
                std::ptr::null_mut(),
                size,
                sys::PROT_RW,
                sys::MAP_SHARED,
                fd,
                0,
            );
            if at as isize == -1 {
                return Err(io::Error::last_os_error());
            }
            (memory, at.cast::<Shared>())
        };
        let (child, request, answer) = spawn(before, program, &given, show, memory.as_raw_fd())?;
        Ok(Process {
            child,
            at,
            request,
            answer,
            _memory: memory,
            program: program.to_path_buf(),
            given,
            show,
            moved: false,
        })
    }

    /// One more of the same program.
    ///
    /// # Errors
    /// If it can't be started.
    pub fn another(&self) -> io::Result<Process> {
        Process::start_in(&[], &self.program, self.given.clone(), self.show)
    }

    /// Which thread is which: the parent of each, and its how manieth child it is.
    pub fn names(&self) -> Vec<[u16; 2]> {
        let shared = self.shared();
        shared.name[..(shared.names as usize).min(shared::MAX_THREADS)].to_vec()
    }

    /// Says which thread is which.
    pub fn set_names(&mut self, names: &[[u16; 2]]) {
        let shared = self.shared_mut();
        shared.names = names.len() as u32;
        shared.name[..names.len()].copy_from_slice(names);
    }

    /// What invariants have read.
    pub fn promises(&self) -> Vec<Promise> {
        let shared = self.shared();
        let cells = &shared.cell[..(shared.cells as usize).min(shared::MAX_CELLS)];
        let known = (shared.invariants as usize).min(shared::MAX_INVARIANTS);
        let promise = |(i, invariant): (usize, &shared::Invariant)| Promise {
            function: invariant.function,
            text: invariant.text().to_vec(),
            cells: (cells.iter().filter(|c| c.invariant as usize == i))
                .map(|c| (c.addr, c.size))
                .collect(),
        };
        let invariants = shared.invariant[..known].iter().enumerate();
        invariants.map(promise).collect()
    }

    /// Says what invariants read.
    pub fn set_promises(&mut self, promises: &[Promise]) {
        let shared = self.shared_mut();
        let mut cells = 0;
        for (i, promise) in promises.iter().enumerate() {
            let invariant = &mut shared.invariant[i];
            invariant.function = promise.function;
            invariant.length = promise.text.len() as u32;
            invariant.text[..promise.text.len()].copy_from_slice(&promise.text);
            for &(addr, size) in &promise.cells {
                // What does not fit is read again, and told.
                if let Some(cell) = shared.cell.get_mut(cells) {
                    *cell = shared::Cell {
                        addr,
                        size,
                        invariant: i as u32,
                    };
                    cells += 1;
                }
            }
        }
        shared.invariants = promises.len() as u32;
        shared.cells = cells as u32;
    }

    /// Whether it was started again, or has not answered, since this was asked last.
    pub fn moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// The memory that is shared with the program.
    pub fn shared(&self) -> &Shared {
        // SAFETY: mapped as long as `self` lives; the other side writes only between a request and its answer, when
        // `answer` has the exclusive borrow. All fields are integers, for which any bytes are values.
        unsafe { &*self.at }
    }

    /// The same, to write a request.
    pub fn shared_mut(&mut self) -> &mut Shared {
        // SAFETY: as for `shared`.
        unsafe { &mut *self.at }
    }

    /// Makes the execution of the request. From time to time `stop` says whether the answer is no longer wanted.
    ///
    /// # Errors
    /// Why there is no answer; the process has to be started again.
    pub fn answer(&mut self, patience: Duration, stop: &dyn Fn() -> bool) -> Result<(), Silence> {
        self.shared_mut().status = shared::RUNNING;
        self.request.write_all(b".").map_err(Silence::Gone)?;
        let began = Instant::now();
        loop {
            let mut fds = sys::Poll {
                fd: self.answer.as_raw_fd(),
                events: sys::POLLIN,
                revents: 0,
            };
            // SAFETY: one valid entry.
            let ready = unsafe { sys::poll(&mut fds, 1, 100) };
            if ready > 0 {
                let mut byte = [0];
                return self.answer.read_exact(&mut byte).map_err(Silence::Gone);
            }
            if stop() {
                self.moved = true;
                return Err(Silence::Stopped);
            }
            if began.elapsed() > patience {
                self.moved = true;
                return Err(Silence::Hangs);
            }
        }
    }

    /// Starts the process again; what it has told so far is kept.
    ///
    /// # Errors
    /// If it can't be started.
    pub fn restart(&mut self) -> io::Result<()> {
        self.end();
        let (child, request, answer) = spawn(
            &[],
            &self.program,
            &self.given,
            self.show,
            self._memory.as_raw_fd(),
        )?;
        (self.child, self.request, self.answer) = (child, request, answer);
        self.moved = true;
        Ok(())
    }

    fn end(&mut self) {
        // The server's child dies with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Has the execution of the request made, and waits until the process ends.
    ///
    /// # Errors
    /// If the process can't be told, or waited for.
    pub fn run(mut self) -> io::Result<()> {
        self.shared_mut().status = shared::RUNNING;
        self.request.write_all(b".")?;
        self.child.wait().map(drop)
    }

    /// Lets the program end by itself, and waits for it.
    pub fn finish(mut self) {
        if let Ok(null) = File::open("/dev/null") {
            self.request = null;
        }
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
        // SAFETY: mapped in `start`, and not used after this.
        unsafe { sys::munmap(self.at.cast(), size_of::<Shared>()) };
    }
}

fn spawn(
    before: &[&OsStr],
    program: &Path,
    given: &Given,
    show: bool,
    memory: i32,
) -> io::Result<(Child, File, File)> {
    let (their_request, request) = io::pipe()?;
    let (answer, their_answer) = io::pipe()?;
    let (from, to) = (their_request.as_raw_fd(), their_answer.as_raw_fd());
    let output = || {
        if show {
            Stdio::inherit()
        } else {
            Stdio::null()
        }
    };
    let words = before.iter().copied().chain([program.as_os_str()]);
    let mut words = words.chain(given.args.iter().map(OsStr::new));
    let mut command = Command::new(words.next().unwrap_or_default());
    // Who is at a debugger types.
    let input = match before {
        [] => Stdio::null(),
        _ => Stdio::inherit(),
    };
    command
        .args(words)
        .env("COARSEN_TEST", "1")
        .stdin(input)
        .stdout(output())
        .stderr(output());
    let input = given.stdin.as_ref().map(|path| {
        let named = |error: io::Error| {
            let text = format!("{}: {error}", path.display());
            io::Error::new(error.kind(), text)
        };
        File::open(path).map_err(named)
    });
    let input = input.transpose()?;
    // Without it the number is taken all the same, by what can't be gone back in.
    let read = input.as_ref().map_or(from, AsRawFd::as_raw_fd);
    // SAFETY: only calls that may be made between fork and exec. The descriptors are moved out of the way first, since
    // they may lie where others are to be put.
    unsafe {
        command.pre_exec(move || {
            sys::personality(sys::ADDR_NO_RANDOMIZE);
            sys::prctl(1, 9);
            for (fd, high) in [(memory, 60), (from, 61), (to, 62), (read, 63)] {
                if sys::dup2(fd, high) < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            let places = [SHARED_FD, REQUEST_FD, ANSWER_FD, INPUT_FD];
            for (high, fd) in (60..).zip(places) {
                if sys::dup2(high, fd) < 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
    let child = command.spawn()?;
    Ok((
        child,
        OwnedFd::from(request).into(),
        OwnedFd::from(answer).into(),
    ))
}
