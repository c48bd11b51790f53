//! The `coarsen` command.
fn main() {}
