//! `coarsen check` on several processes: each settles the hypotheses by itself, and all explore what is to be explored.

use crate::algebra::Theory;
use crate::base::control::Control;
use crate::base::results::distributed::Distributed;
use crate::base::results::{Note, Report};
use crate::distributed::{Subject, Together, distributed};
use crate::engine::Heuristic;
use crate::engine::quotients::Symmetry;
use crate::model::program::Program;
use crate::theorem::{self, CheckOptions, Wanted};
use std::cell::RefCell;

/// Checks a program together with others, who check the same.
pub(super) fn check(
    name: &str,
    program: &Program,
    (theory, options): (&Theory, &CheckOptions),
    together: &Together,
    control: &Control,
) -> Report {
    let told: RefCell<Option<Distributed>> = RefCell::new(None);
    let explore = |wanted: &Wanted| {
        let Wanted {
            program,
            questions,
            reduction,
            symmetric,
        } = *wanted;
        let symmetry = symmetric.then(|| Symmetry::new(program, questions, reduction).0);
        let subject = Subject {
            program,
            questions,
            order: &Heuristic::ALL[0].0.order(program),
            reduction,
            symmetry: symmetry.as_ref().filter(|s| !s.is_trivial()),
        };
        let (outcome, how) = distributed(&subject, together, u64::MAX, control);
        *told.borrow_mut() = Some(how);
        outcome
    };
    let mut report = theorem::check_by(name, program, theory, options, &explore, control);
    report.distributed = told.into_inner();
    // That has more to say of it.
    report.notes.retain(|n| !matches!(n, Note::Engine(_)));
    report
}
