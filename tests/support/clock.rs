//! What a test may take: time in which its thread ran, so that other work on the machine does not count.

use std::time::{Duration, Instant};

/// A clock that stands still while the thread waits for a processor (on Linux).
pub struct Clock {
    started: Instant,
    ran: Option<Duration>,
}

impl Clock {
    pub fn start() -> Clock {
        Clock {
            started: Instant::now(),
            ran: ran(),
        }
    }

    pub fn elapsed(&self) -> Duration {
        match (self.ran, ran()) {
            (Some(then), Some(now)) => now - then,
            _ => self.started.elapsed(),
        }
    }
}

/// How long this thread has run.
fn ran() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let first = text.split_whitespace().next()?;
    first.parse().ok().map(Duration::from_nanos)
}
