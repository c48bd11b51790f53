//! Schedules as files, for `coarsen replay`.

use super::shared::{Order, Shared};
use serde::{Deserialize, Serialize};

/// The version of the format.
pub const VERSION: u32 = 1;

/// What may happen in an execution, and what is an error there, besides the usual.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Extras {
    /// A wait for a condition variable may end without a signal.
    pub spurious: bool,
    /// Of each thread one allocation may fail.
    pub oom: bool,
    /// It is an error if memory is lost.
    pub leaks: bool,
    /// It is an error to read what nobody has written.
    pub uninitialised: bool,
}

impl Extras {
    /// Asks for executions with them.
    pub fn request(self, shared: &mut Shared) {
        shared.spurious = self.spurious.into();
        shared.oom = self.oom.into();
        shared.leaks = self.leaks.into();
        shared.unwritten = self.uninitialised.into();
    }
}

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
    /// The file that the program reads from standard input.
    #[serde(default)]
    pub stdin: Option<String>,
    /// What else may happen there, and is an error.
    #[serde(flatten)]
    pub extras: Extras,
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
