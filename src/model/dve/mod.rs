//! Models in DVE, as models of our language: the same states, the same steps.
//!
//! A process becomes a thread, its states the locations (`places.rs` says what becomes of those that a rendezvous leads
//! to), its transitions the branches of an `either` at their location (`steps.rs`), a rendezvous a branch of the
//! sender. Numbers are taken care of by `numbers.rs`. The meaning of DVE's constructs is taken from the sources of
//! DiVinE 1 and 3 and from counts; see `docs/dve.md`.
//!
//! The result is a tree like that of a `.cor` file with spans in the text in DVE, and is elaborated like one.

mod expressions;
mod names;
mod numbers;
mod places;
mod ranges;
mod resolve;
mod steps;
mod system;
pub mod text;
mod translate;

use crate::base::control::ParseLimits;
use crate::base::diagnostic::Diagnostic;
use crate::model::dve::text::parse_dve;
use crate::model::text::ast::Model;

/// Whether a file of this name is a model in DVE.
pub fn is_dve(name: &str) -> bool {
    name.ends_with(".dve")
}

/// Reads a model in DVE and translates it; with warnings.
///
/// # Errors
/// All that is wrong with it.
pub fn load(text: &str, limits: ParseLimits) -> Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (tree, mut warnings) = parse_dve(text, limits.depth).map_err(|d| vec![d])?;
    let (system, mut found) = resolve::resolve(&tree)?;
    warnings.append(&mut found);
    warnings.sort_by_key(|d| d.span);
    let model = translate::translate(&system, limits.depth)?;
    Ok((model, warnings))
}
