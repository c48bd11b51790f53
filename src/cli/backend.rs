//! The one door between the command line and the library.
//!
//! A trait, so that the tests of the command line can put a library behind it that panics, hangs or ignores a
//! request to stop.

use coarsen::control::Control;
use coarsen::report::{EvalReport, Report};
use coarsen::syntax::diagnostic::{Diagnostic, Span};

/// An explained diagnostic code.
pub struct Code {
    /// Such as `E0102`.
    pub code: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What it means and how to mend it.
    pub text: &'static str,
}

/// Bytes that are not UTF-8.
pub struct NotUtf8 {
    /// The bytes with U+FFFD in place of what is not UTF-8.
    pub lossy: String,
    /// What is wrong; its span lies in `lossy`.
    pub diagnostic: Diagnostic,
}

/// The text of a file.
///
/// # Errors
/// If it is not UTF-8.
pub fn decode(bytes: Vec<u8>) -> Result<String, Box<NotUtf8>> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Box::new(NotUtf8 {
            lossy: String::from_utf8_lossy(error.as_bytes()).into_owned(),
            diagnostic: Diagnostic::error(
                "E0001",
                Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8()),
                "the file is not UTF-8",
                "UTF-8 text",
                "save the file as UTF-8",
            ),
        })
    })
}

/// What to check and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Explore the original system too.
    pub cross_check: bool,
    /// Refuse instead of repairing.
    pub strict: bool,
    /// Check only this property.
    pub property: Option<String>,
}

/// What the command line needs of the library. All of it runs in the worker thread, except [`Backend::theorems`].
pub trait Backend: Clone + Send + 'static {
    /// A model that has no errors.
    type Model;

    /// Names of the reduction theorems, each with one line about it.
    fn theorems(&self) -> &'static [(&'static str, &'static str)];

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

    /// Names of everything that [`Options::property`] may ask for.
    fn property_names(&self, model: &Self::Model) -> Vec<String>;

    /// The variables from the top of the order to its bottom.
    fn variable_order(&self, model: &Self::Model) -> Vec<String>;

    /// Checks a model.
    fn check(
        &self,
        model: &Self::Model,
        theorem: &str,
        options: &Options,
        control: &Control,
    ) -> Report;

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
    super::input::CODES.iter().collect()
}

impl Backend for Library {
    type Model = ();

    fn theorems(&self) -> &'static [(&'static str, &'static str)] {
        &[(
            "stoller-cohen",
            "Stoller & Cohen 2003, sections 3 and 4: exclusive access predicates",
        )]
    }

    fn load(
        &self,
        _name: &str,
        _source: &str,
        _defines: &[(String, String)],
        _depth_limit: usize,
    ) -> Result<(Self::Model, Vec<Diagnostic>), Vec<Diagnostic>> {
        Err(vec![Diagnostic::error(
            "E0000",
            Span::default(),
            "this build has no model checker behind its command line",
            "",
            "",
        )])
    }

    fn property_names(&self, (): &Self::Model) -> Vec<String> {
        Vec::new()
    }

    fn variable_order(&self, (): &Self::Model) -> Vec<String> {
        Vec::new()
    }

    fn check(&self, (): &Self::Model, theorem: &str, options: &Options, _: &Control) -> Report {
        let Options {
            cross_check,
            strict,
            property,
        } = options;
        let asked = format!("{cross_check} {strict} {property:?}");
        Report::undecided("", theorem, asked)
    }

    fn eval(
        &self,
        (): &Self::Model,
        _statement: &str,
        _control: &Control,
    ) -> Result<EvalReport, Vec<Diagnostic>> {
        Err(Vec::new())
    }
}
