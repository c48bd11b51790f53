//! Whether the processes are alive: each tells the others that its workers get on, not only that it is there.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often a process tells.
const BEAT: Duration = Duration::from_millis(500);

/// After so long without a word a process is given up.
const SILENCE: Duration = Duration::from_secs(6);

/// A worker that does nothing for so long is taken for dead, unless it waits for a disk or prepares the search.
const IDLE: Duration = Duration::from_secs(3);

/// What is told: that the workers get on.
const ALIVE: u8 = 1;

/// What is told: that this is the end, and all is well.
const DONE: u8 = 2;

/// How a process was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It closed its connection without saying why.
    Gone,
    /// It did not tell for a while that it gets on.
    Silent,
}

/// How far each worker of this process has got, and who was lost.
#[derive(Debug)]
pub struct Pulse {
    /// By worker, something that grows.
    work: Vec<AtomicU64>,
    /// How many workers are at something that tells nothing meanwhile.
    away: AtomicU64,
    over: AtomicBool,
    lost: Mutex<Option<(usize, Lost)>>,
}

impl Pulse {
    fn new(workers: usize) -> Self {
        Pulse {
            work: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            // What comes before the search tells nothing.
            away: AtomicU64::new(1),
            over: AtomicBool::new(false),
            lost: Mutex::new(None),
        }
    }

    /// Says that the search begins, in which all workers get on.
    pub fn begin(&self) {
        self.away.fetch_sub(1, Ordering::SeqCst);
    }

    /// Says that a worker gets on.
    #[inline]
    pub fn on(&self, worker: usize) {
        self.work[worker].fetch_add(1, Ordering::Relaxed);
    }

    /// Does something that may take long and tells nothing meanwhile.
    pub fn away<T>(&self, work: impl FnOnce() -> T) -> T {
        self.away.fetch_add(1, Ordering::SeqCst);
        let done = work();
        self.away.fetch_sub(1, Ordering::SeqCst);
        done
    }

    /// The first process that was lost.
    pub fn lost(&self) -> Option<(usize, Lost)> {
        self.lost.lock().ok().and_then(|l| *l)
    }

    fn lose(&self, process: usize, how: Lost) {
        if let Ok(mut lost) = self.lost.lock() {
            lost.get_or_insert((process, how));
        }
    }
}

/// The threads that tell and listen.
#[derive(Debug)]
pub struct Heart {
    /// What they know.
    pub pulse: Arc<Pulse>,
    streams: Vec<TcpStream>,
    threads: Vec<JoinHandle<()>>,
}

impl Heart {
    /// Begins to tell the others, and to listen to them; `streams` has a connection with each other process.
    ///
    /// # Errors
    /// Of the connections.
    pub fn start(streams: Vec<(usize, TcpStream)>, workers: usize) -> std::io::Result<Self> {
        let pulse = Arc::new(Pulse::new(workers));
        let mut threads = Vec::new();
        let mut others = Vec::new();
        for (process, stream) in streams {
            stream.set_read_timeout(Some(SILENCE))?;
            stream.set_write_timeout(Some(SILENCE))?;
            let listening = stream.try_clone()?;
            let shared = Arc::clone(&pulse);
            threads.push(thread::spawn(move || listen(process, listening, &shared)));
            others.push(stream);
        }
        let mut telling = Vec::new();
        for stream in &others {
            telling.push(stream.try_clone()?);
        }
        let shared = Arc::clone(&pulse);
        threads.push(thread::spawn(move || tell(telling, &shared)));
        Ok(Heart {
            pulse,
            streams: others,
            threads,
        })
    }
}

impl Heart {
    /// Says that this process has done all that the others wait for.
    pub fn done(&mut self) {
        self.pulse.over.store(true, Ordering::SeqCst);
        for stream in &mut self.streams {
            // Who is not there any more need not be told.
            let _ = stream.write_all(&[DONE]);
        }
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        self.pulse.over.store(true, Ordering::SeqCst);
        for stream in &self.streams {
            let _ = stream.shutdown(Shutdown::Both);
        }
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // They do nothing that could panic.
            let _ = thread.join();
        }
    }
}

fn listen(process: usize, mut stream: TcpStream, pulse: &Pulse) {
    let mut told = [0; 64];
    loop {
        match stream.read(&mut told) {
            Ok(n) if n > 0 => {
                if told[..n].contains(&DONE) {
                    return;
                }
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            other => {
                if !pulse.over.load(Ordering::SeqCst) {
                    let silent = matches!(&other, Err(e)
                        if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
                    pulse.lose(process, if silent { Lost::Silent } else { Lost::Gone });
                }
                return;
            }
        }
    }
}

fn tell(mut streams: Vec<TcpStream>, pulse: &Pulse) {
    let mut seen = vec![(u64::MAX, Instant::now()); pulse.work.len()];
    while !pulse.over.load(Ordering::SeqCst) {
        let mut lively = true;
        for (work, (last, since)) in pulse.work.iter().zip(&mut seen) {
            let now = work.load(Ordering::Relaxed);
            if now != *last || pulse.away.load(Ordering::SeqCst) > 0 {
                (*last, *since) = (now, Instant::now());
            }
            lively &= since.elapsed() < IDLE;
        }
        if lively {
            for stream in &mut streams {
                // Who listens will notice.
                let _ = stream.write_all(&[ALIVE]);
            }
        }
        thread::park_timeout(BEAT);
    }
}
