//! All tests in one program: one build, and the cores stay busy to the end.

mod adversarial;
mod algebra;
mod algebra_twin;
mod both_kinds;
mod bundle;
mod bundle_forgeries;
mod bundle_fuzz;
mod bundle_transactions;
mod by_text;
mod cartesian;
#[path = "support/claimed.rs"]
mod claimed;
mod claims;
mod cli;
#[path = "support/clock.rs"]
mod clock;
mod coq;
mod ctest;
mod decide;
mod discharge;
mod dve;
mod egraph;
mod encoding_twin;
mod eval_twin;
mod front;
mod inference;
mod jumps;
mod kernel_fuzz;
mod kernel_rules;
mod ladder;
mod library;
mod lock_disciplined;
#[path = "support/loops.rs"]
mod loops;
mod manual;
mod models;
mod movers;
mod mutants;
mod omega;
mod por;
mod prove;
#[path = "support/random.rs"]
mod random;
mod randomness;
mod reach;
mod refute;
mod regressions;
mod robust;
mod section6;
mod shipped;
mod syntax;
mod theorem;
mod theorems;
mod tptp;
mod tptp_command;
mod traces;
mod transactions;
mod twin;
mod twin_compare;
mod twin_records;
mod twin_second;
mod twin_self;
mod twin_theorem;
mod twin_vs_interpreter;
mod twin_vs_tool;
mod verify;
