//! The reduced systems: coarse steps between visible ones, and transactions.

pub(super) mod coarse;
pub(super) mod completion;
pub(super) mod engines;
pub(super) mod transactions;
