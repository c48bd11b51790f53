//! What the commands do, from a text to a result; the command line (`cli`) reads the files and prints the result.

pub mod compare;
pub mod coverage;
pub mod emit;
pub mod explore;
mod movers;
pub mod reach;
pub mod session;
pub mod simulate;
mod together;
