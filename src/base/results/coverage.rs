//! What an exploration of the original program executes, and what it never does.

use serde::Serialize;

/// What is executed in the states that were looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// How many states of the original program were looked at.
    pub states: String,
    /// Whether those are all: else nothing is known never to be.
    pub complete: bool,
    /// Every statement, in the order of the text.
    pub statements: Vec<Covered>,
    /// Threads that can come to wait for ever, whatever the others do, each with a place; of those that were met.
    pub stuck: Vec<Stuck>,
    /// Invariants that say nothing: what they are premised on is so in none of the states.
    pub trivial: Vec<String>,
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stuck {
    /// The thread.
    pub thread: String,
    /// The line where it waits, from 1; 0 if it has none.
    pub line: usize,
    /// Its column there, in characters from 1.
    pub column: usize,
}

/// A statement, in all threads that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// Its first line, from 1.
    pub line: usize,
    /// Its column there, in characters from 1.
    pub column: usize,
    /// That line's text.
    pub text: String,
    /// Whether some thread comes to it.
    pub reached: bool,
    /// In how many ways it is executed: pairs of a state and a step, of which some may be counted more than once.
    pub executions: u64,
    /// Where it could go on, if it has a choice.
    pub branches: Vec<Onward>,
}

/// A way on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Onward {
    /// The line; 0 stands for the thread's end.
    pub line: usize,
    /// The column there, in characters from 1, of the first that is so reached.
    pub column: usize,
    /// How many steps go there.
    pub steps: u64,
}

impl Coverage {
    /// Statements to which no thread ever comes.
    pub fn unreached(&self) -> impl Iterator<Item = &Covered> {
        let all = self.statements.iter().filter(|_| self.complete);
        all.filter(|s| !s.reached)
    }

    /// Statements at which threads wait, but which never can be executed.
    pub fn never_enabled(&self) -> impl Iterator<Item = &Covered> {
        let all = self.statements.iter().filter(|_| self.complete);
        all.filter(|s| s.reached && s.executions == 0)
    }

    /// Ways on that are never taken, of statements that are executed: the statement, and where it never goes on.
    pub fn never_taken(&self) -> impl Iterator<Item = (&Covered, &Onward)> {
        let all = self.statements.iter().filter(|_| self.complete);
        let executed = all.filter(|s| s.executions > 0);
        executed.flat_map(|s| {
            let never = s.branches.iter().filter(|b| b.steps == 0);
            never.map(move |b| (s, b))
        })
    }
}
