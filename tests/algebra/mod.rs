//! What the tests of the algebra share: random terms, random relational models, and a naive decision of Kleene algebra
//! with tests and top.
#![allow(dead_code)]

pub mod dice;
pub mod differential;
pub mod model;
pub mod naive;
