//! Quotients: states that differ only in what no step and no question can tell apart are explored as one.
//!
//! There is one file for each way. What it makes is a program, or states of a program, for any engine; executions are
//! told of the program as it was given.

mod dead_locals;
mod forms;
mod images;
mod symmetry;
mod unread;

pub use dead_locals::DeadLocals;
pub use symmetry::Symmetry;

/// A way to see states as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quotient {
    /// A local variable that is not read before it is written has its initial value.
    DeadLocals,
    /// Threads of a family are told apart by nothing but their numbers.
    Symmetry,
}

impl Quotient {
    /// All of them.
    pub const ALL: [Quotient; 2] = [Quotient::DeadLocals, Quotient::Symmetry];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Quotient::DeadLocals => "dead-locals",
            Quotient::Symmetry => "symmetry",
        }
    }
}
