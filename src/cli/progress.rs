//! What is being done, on stderr, once it takes longer than a moment.

use super::output::say;
use coarsen::base::control::Stop;
use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::time::Duration;

/// A spinner appears after this time.
const PATIENCE: Duration = Duration::from_secs(1);
/// Where there is no terminal, a line is written each time this has passed.
const PERIOD: Duration = Duration::from_secs(10);

/// How progress is shown.
pub enum Progress {
    /// Not at all.
    Silent,
    /// A line now and then, for logs.
    Lines {
        /// When the next line is due.
        next: Duration,
    },
    /// A spinner, once it has appeared.
    Spinner(Option<ProgressBar>),
}

impl Progress {
    /// Progress as stderr can show it.
    pub fn on_stderr() -> Self {
        if std::io::stderr().is_terminal() {
            Progress::Spinner(None)
        } else {
            Progress::Lines { next: PERIOD }
        }
    }

    /// Shows that `phase` goes on, `elapsed` after the start.
    pub fn tick(&mut self, phase: &str, elapsed: Duration) {
        match self {
            Progress::Silent => {}
            Progress::Lines { next } => {
                if elapsed >= *next {
                    say(&format!("still working: {}", line(phase, elapsed)));
                    *next = elapsed + PERIOD;
                }
            }
            Progress::Spinner(bar) => {
                if elapsed >= PATIENCE {
                    let bar = bar.get_or_insert_with(ProgressBar::new_spinner);
                    bar.set_message(line(phase, elapsed));
                    bar.tick();
                }
            }
        }
    }

    /// Shows that the work was asked to stop because of `why`.
    pub fn stopping(&mut self, why: Stop) {
        self.clear();
        if why == Stop::Interrupt && !matches!(self, Progress::Silent) {
            say("stopping; a second Ctrl-C ends at once");
        }
    }

    /// Takes the spinner off the screen.
    pub fn clear(&mut self) {
        if let Progress::Spinner(bar) = self
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

fn line(phase: &str, elapsed: Duration) -> String {
    let phase = if phase.is_empty() { "starting" } else { phase };
    format!("{phase} ({} s)", elapsed.as_secs())
}
