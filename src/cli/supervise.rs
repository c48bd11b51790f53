//! A worker does the work; this thread keeps the time, the memory and Ctrl-C.
//!
//! The BDD package has no cancel hook: one operation may run for minutes. So the worker is asked to stop, gets a
//! moment to return what it has, and is then left behind; its last snapshot says how far it came. The worker's stack
//! is large, because models nest as deep as `--limit-depth` allows. (Virtual memory: only what is used is real.)

use super::exit::Exit;
use super::limits::Limits;
use super::memory;
use super::output::say;
use super::progress::Progress;
use coarsen::base::control::{Control, Stop};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The worker's stack.
const STACK: usize = 512 << 20;
/// How often limits are looked at.
const POLL: Duration = Duration::from_millis(10);
/// How long a worker that was asked to stop may take to return.
const GRACE: Duration = Duration::from_secs(1);

/// Ctrl-C, as seen by the main thread.
#[derive(Clone, Debug, Default)]
pub struct Interrupts(Arc<AtomicBool>);

impl Interrupts {
    /// From now on the first Ctrl-C is remembered and the second ends the process.
    pub fn install() -> Self {
        let interrupts = Interrupts::default();
        let flag = interrupts.clone();
        let handler = move || {
            if flag.0.swap(true, Ordering::SeqCst) {
                std::process::exit(Exit::Unknown as i32);
            }
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            say(&format!(
                "coarsen: Ctrl-C will end the run at once, without a report ({error})"
            ));
        }
        interrupts
    }

    /// Whether Ctrl-C was pressed.
    pub fn pending(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// How work ended.
#[derive(Debug)]
pub enum Ended<T> {
    /// With a result; perhaps a partial one, if it was asked to stop.
    Done(T),
    /// The worker did not stop when asked, for this reason, and is still running.
    Abandoned(Stop),
    /// Without a result.
    Broken(Broken),
}

/// Why a worker has no result that it should have.
#[derive(Debug)]
pub enum Broken {
    /// It panicked, which is a bug.
    Panicked,
    /// It could not be started.
    NotStarted(io::Error),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Panicked => f.write_str(
                "internal error: this is a bug in coarsen, not in what it was given; please report it with that and \
                 the text above",
            ),
            Broken::NotStarted(error) => write!(f, "can't start a thread: {error}"),
        }
    }
}

/// Runs `job` in a worker until it ends, a limit is hit or Ctrl-C is pressed.
pub fn supervise<T: Send + 'static>(
    job: impl FnOnce(&Control) -> T + Send + 'static,
    control: &Arc<Control>,
    limits: &Limits,
    interrupts: &Interrupts,
    progress: &mut Progress,
) -> Ended<T> {
    let started = Instant::now();
    let (sender, receiver) = channel();
    let shared = Arc::clone(control);
    let worker = thread::Builder::new()
        .name("worker".to_string())
        .stack_size(STACK)
        .spawn(move || {
            // The receiver is gone if this thread was left behind; then the result is not wanted.
            let _ = sender.send(job(&shared));
        });
    if let Err(error) = worker {
        return Ended::Broken(Broken::NotStarted(error));
    }
    let mut asked: Option<(Stop, Instant)> = None;
    let ended = loop {
        let left = limits.time.map(|t| t.saturating_sub(started.elapsed()));
        let patience = match (asked, left) {
            (None, Some(left)) => left.clamp(Duration::from_millis(1), POLL),
            _ => POLL,
        };
        match receiver.recv_timeout(patience) {
            Ok(result) => break Ended::Done(result),
            Err(RecvTimeoutError::Disconnected) => break Ended::Broken(Broken::Panicked),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match asked {
            Some((why, since)) if since.elapsed() >= GRACE || is_far_beyond(limits) => {
                break Ended::Abandoned(why);
            }
            Some(_) => {}
            None => {
                progress.tick(&control.phase(), started.elapsed());
                if let Some(why) = reason_to_stop(started, limits, interrupts, control) {
                    control.stop(why);
                    progress.stopping(why);
                    asked = Some((why, Instant::now()));
                }
            }
        }
    };
    progress.clear();
    ended
}

/// Whether a worker that was asked to stop has gone on allocating, a twentieth beyond the limit.
fn is_far_beyond(limits: &Limits) -> bool {
    let Some(limit) = limits.memory else {
        return false;
    };
    memory::resident().is_some_and(|bytes| bytes > limit.saturating_add(limit / 20))
}

fn reason_to_stop(
    started: Instant,
    limits: &Limits,
    interrupts: &Interrupts,
    control: &Control,
) -> Option<Stop> {
    if interrupts.pending() {
        return Some(Stop::Interrupt);
    }
    if limits.time.is_some_and(|limit| started.elapsed() >= limit) {
        return Some(Stop::Time);
    }
    let (limit, held) = (limits.memory?, memory::resident()?);
    control.leave(usize::try_from(limit.saturating_sub(held)).unwrap_or(usize::MAX));
    (held > limit).then_some(Stop::Memory)
}

#[cfg(test)]
mod tests;
