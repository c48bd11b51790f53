//! The naive twin of `coarsen`: programs, their explicit-state semantics, and the reduction theorem by enumeration.
//!
//! Architecture invariant: nothing here but `compare` uses the crate under test, and `compare` only its report. The
//! twin is written from `docs/language.md` and the theorem's definitions, for clarity and not for speed.
//!
//! A program of `generate` (of the second part of the language: `second`, in a `scenario`, with the phrases of
//! `scenes`) is printed for the tool by `print`, compiled by `compile`, given cells by `storage`, executed by
//! `semantics`, `sync` and `eval`, enumerated by `model`, judged by `visibility` and `theorem`, explored by `explore`;
//! `verdict` is the whole answer, which `compare` holds against the tool's report.

#![allow(dead_code, reason = "every test file uses its own part of the twin")]

pub mod ast;
pub mod examples;
pub mod expect;
pub mod print;

pub mod compile;
pub mod eval;
pub mod semantics;
pub mod storage;
pub mod sync;

pub mod explore;
pub mod model;
pub mod theorem;
pub mod verdict;
pub mod visibility;

pub mod choices;
pub mod generate;
pub mod phrases;
pub mod scenario;
pub mod scenes;
pub mod second;

pub mod compare;
