//! What is said of a problem that was solved, or could not be.

use super::{Part, Problem, Solution, Szs};
use crate::base::results::SCHEMA_VERSION;
use crate::base::results::problems::{Answer, Stated};

impl Answer {
    /// The answer for a problem that was solved in so many seconds.
    pub fn of(problem: &Problem, solution: &Solution, time: f64) -> Answer {
        Answer {
            szs: solution.szs,
            reason: solution.reason.clone(),
            laws: solution.laws.clone(),
            parts: solution.parts.iter().map(Stated::of).collect(),
            time,
            ..Answer::unknown(problem, Szs::GaveUp, String::new())
        }
    }

    /// The answer for a problem of which nothing is known.
    pub fn unknown(problem: &Problem, szs: Szs, reason: String) -> Answer {
        Answer {
            schema_version: SCHEMA_VERSION,
            name: problem.name.clone(),
            file: problem.file.clone(),
            szs,
            declared: problem.declared.clone(),
            reason,
            laws: String::new(),
            parts: Vec::new(),
            time: 0.0,
        }
    }
}

impl Stated {
    fn of(part: &Part) -> Stated {
        Stated {
            name: part.name.clone(),
            statement: part.text.clone(),
            status: part.status,
            engine: part.engine,
            time: part.time,
            why: part.why.clone(),
            level: part.level.name(),
        }
    }
}
