//! The one door between the command line and the library.
//!
//! A trait, so that the tests of the command line can put a library behind it that panics, hangs or ignores a
//! request to stop.

use super::args::DEFAULT_THEOREM;
use super::theorem::Chosen;
use coarsen::algebra::text::TERM_CODES;
use coarsen::algebra::tptp::text::TPTP_CODES;
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::Diagnostic;
use coarsen::distributed::Together;
use coarsen::model::dve::text::DVE_CODES;
use coarsen::model::program::codes::PROGRAM_CODES;
use coarsen::model::text::SYNTAX_CODES;
use coarsen::results::{CheckReason, EvalReport, MoversReport, Report};
use coarsen::{Session, theory};

pub use coarsen::CheckOptions as Options;
pub use coarsen::base::diagnostic::Code;
pub use coarsen::model::text::decode;

/// What the command line needs of the library. All of it runs in the worker thread.
pub trait Backend: Clone + Send + 'static {
    /// A model that has no errors.
    type Model;

    /// Reads a model; `depth_limit` bounds its nesting. An unknown name among `defines` is an error of the input.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    fn load(
        &self,
        name: &str,
        source: &str,
        defines: &[(String, String)],
        depth_limit: usize,
    ) -> Result<(Self::Model, Vec<Diagnostic>), Vec<Diagnostic>>;

    /// Names of everything that [`Options::properties`] may ask for.
    fn property_names(&self, model: &Self::Model) -> Vec<String>;

    /// The variables from the top of the order to its bottom.
    fn variable_order(&self, model: &Self::Model) -> Vec<String>;

    /// Checks a model, with other processes if there are some.
    fn check(
        &self,
        model: &Self::Model,
        theorem: &Chosen,
        how: (&Options, Option<&Together>),
        control: &Control,
    ) -> Report;

    /// What its statements are as movers.
    fn movers(&self, model: &Self::Model, control: &Control) -> MoversReport;

    /// Evaluates an inclusion or equation.
    ///
    /// # Errors
    /// Diagnostics whose spans lie in `statement`.
    fn eval(
        &self,
        model: &Self::Model,
        statement: &str,
        control: &Control,
    ) -> Result<EvalReport, Vec<Diagnostic>>;
}

/// The library itself.
#[derive(Clone, Copy, Debug)]
pub struct Library;

/// Every diagnostic code of the library.
pub fn codes() -> Vec<&'static Code> {
    super::input::CODES
        .iter()
        .chain(SYNTAX_CODES)
        .chain(PROGRAM_CODES)
        .chain(TERM_CODES)
        .chain(TPTP_CODES)
        .chain(DVE_CODES)
        .collect()
}

fn unknown_theorem(name: &str) -> Report {
    let mut report = Report::undecided("", name);
    report.reason = CheckReason::NoTheorem(name.to_string());
    report
}

impl Backend for Library {
    type Model = Session;

    fn load(
        &self,
        name: &str,
        source: &str,
        defines: &[(String, String)],
        depth_limit: usize,
    ) -> Result<(Session, Vec<Diagnostic>), Vec<Diagnostic>> {
        Session::load(name, source, defines, ParseLimits { depth: depth_limit })
    }

    fn property_names(&self, model: &Session) -> Vec<String> {
        model.property_names()
    }

    fn variable_order(&self, model: &Session) -> Vec<String> {
        model.variable_order()
    }

    fn check(
        &self,
        model: &Session,
        theorem: &Chosen,
        (options, together): (&Options, Option<&Together>),
        control: &Control,
    ) -> Report {
        let Some((theory, others)) = theorem.theories() else {
            return unknown_theorem(theorem.name());
        };
        let mut options = options.clone();
        options.chooses = !others.is_empty();
        options.others.extend(others);
        match together {
            Some(together) => model.check_together(&theory, &options, together, control),
            None => model.check(&theory, &options, control),
        }
    }

    fn movers(&self, model: &Session, control: &Control) -> MoversReport {
        match theory(DEFAULT_THEOREM) {
            Some(theory) => model.movers(&theory, None, control),
            None => MoversReport::undecided(""),
        }
    }

    fn eval(
        &self,
        model: &Session,
        statement: &str,
        control: &Control,
    ) -> Result<EvalReport, Vec<Diagnostic>> {
        match theory(DEFAULT_THEOREM) {
            Some(theory) => model.eval(statement, &theory, control),
            None => Err(Vec::new()),
        }
    }
}
