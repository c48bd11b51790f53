//! Proofs in the languages of other checkers.

pub mod coq;
