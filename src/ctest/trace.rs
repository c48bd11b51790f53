//! Schedules as files, for `coarsen replay`.

use super::shared::Order;
use serde::{Deserialize, Serialize};

/// The version of the format.
pub const VERSION: u32 = 1;

/// What is needed to repeat an execution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// [`VERSION`].
    pub schema_version: u32,
    /// Always `coarsen-c-trace`.
    pub format: String,
    /// The C files.
    pub files: Vec<String>,
    /// Options for the compiler.
    pub cflags: Vec<String>,
    /// The compiler, if one was asked for.
    pub compiler: Option<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Whether waits for condition variables may end without a signal.
    #[serde(default)]
    pub spurious: bool,
    /// Whether allocations may fail.
    #[serde(default)]
    pub oom: bool,
    /// Whether lost memory is an error.
    #[serde(default)]
    pub leaks: bool,
    /// The error.
    pub kind: String,
    /// Where it is.
    pub place: String,
    /// How many errors come before it.
    #[serde(default)]
    pub after: u32,
    /// Which thread is which: the parent, and its how manieth child.
    pub threads: Vec<[u16; 2]>,
    /// The steps: the thread, and which of its alternatives it takes.
    pub schedule: Vec<[u16; 2]>,
}

impl Trace {
    /// The steps.
    pub fn orders(&self) -> Vec<Order> {
        let order = |&[thread, choice]: &[u16; 2]| Order { thread, choice };
        self.schedule.iter().map(order).collect()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn read(text: &str) -> Result<Trace, String> {
        let trace: Trace = serde_json::from_str(text)
            .map_err(|e| format!("not a trace of `coarsen test --trace`: {e}"))?;
        if trace.format != "coarsen-c-trace" || trace.schema_version != VERSION {
            return Err("a trace of another kind or version".into());
        }
        if trace.threads.len() > super::shared::MAX_THREADS
            || trace.schedule.len() > super::shared::MAX_STEPS
        {
            return Err("a trace that is too long".into());
        }
        Ok(trace)
    }
}
