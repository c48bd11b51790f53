//! Executions: found in sets of states, repeated by the interpreter, told step by step.

pub(super) mod about;
pub(super) mod paths;
pub(super) mod search;
pub(super) mod trace;
pub(super) mod witness;
