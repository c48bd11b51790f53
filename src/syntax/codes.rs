//! Diagnostic codes, explained.

/// A diagnostic code.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// `E0101`.
    pub code: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What it means, with an example.
    pub text: &'static str,
}
