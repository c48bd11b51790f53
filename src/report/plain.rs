//! Steps and states as short lines, for whoever lays them out.

use super::layout::printable;
use super::trace::{said, written};
use crate::base::results::{Step, TraceVariable, Value};

/// `line 7: x[0] = i;`, with the label of its location if it has one.
pub fn step(step: &Step) -> String {
    printable(&said(step)).into_owned()
}

/// Each variable or thread with what it holds.
pub fn state((names, values): &(Vec<TraceVariable>, Vec<Value>)) -> Vec<(String, String)> {
    let pairs = names.iter().zip(values);
    pairs
        .map(|(name, value)| (name.name.clone(), written(value)))
        .collect()
}
