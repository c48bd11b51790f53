//! A walk through a program, for people.

use super::{headline, trace};
use crate::base::results::{Ended, SimulateReport};
use crate::report::layout::{about, counted, folded};
use std::fmt;

/// The report of `coarsen simulate`; only how the walk ended, if it is to be `brief`.
pub fn render_simulate(report: &SimulateReport, brief: bool) -> String {
    about(&report.model, || {
        let steps = counted(report.steps, "step");
        let first = headline(&report.model, &steps, &report.ended.to_string());
        match &report.trace {
            Some(trace) if !brief => {
                let shown = trace::Shown {
                    model: &report.model,
                    trace,
                    all: true,
                };
                first + &folded(&shown.to_string())
            }
            _ => first,
        }
    })
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "there is more to be done",
            Self::Goal => "the state satisfies what was asked for",
            Self::NoGoal => "no state from here on satisfies what was asked for",
            Self::Wrong => "something went wrong in the last step",
            Self::Deadlock => "no step is enabled, and a thread waits",
            Self::Rest => "all threads have come to rest",
        })
    }
}
