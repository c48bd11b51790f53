//! All tests in one program: one build, and the cores stay busy to the end.

mod adversarial;
mod algebra;
mod algebra_twin;
mod book;
mod both_kinds;
#[path = "support/browser.rs"]
mod browser;
mod builder;
mod bundle;
mod bundle_forgeries;
mod bundle_fuzz;
mod bundle_transactions;
mod by_family;
mod by_text;
mod cartesian;
#[path = "support/claimed.rs"]
mod claimed;
mod claims;
mod cli;
#[path = "support/command.rs"]
mod command;
mod constants;
mod converse;
mod coq;
mod coverage;
mod ctest;
mod decide;
mod discharge;
mod distributed;
mod dve;
#[path = "support/editor.rs"]
mod editor;
mod egraph;
mod emit;
mod encoding_twin;
mod eval_twin;
mod every;
mod every_bundle;
mod every_claims;
mod every_sums;
mod evidence;
mod exchanges;
mod explore;
mod fmt;
#[path = "support/formats.rs"]
mod formats;
mod front;
mod glossary;
mod golden;
mod in_full;
mod inference;
mod jumps;
mod kernel_fuzz;
mod kernel_rules;
mod ladder;
mod lemmas;
mod library;
mod lock_disciplined;
#[path = "support/loops.rs"]
mod loops;
mod lsp;
mod manual;
#[path = "support/missing.rs"]
mod missing;
mod models;
mod movers;
mod mutants;
mod names;
mod omega;
mod own_theorems;
mod package;
mod pages;
mod por;
mod prove;
mod quotients;
#[path = "support/random.rs"]
mod random;
mod randomness;
mod reach;
mod readme;
mod refute;
mod regressions;
mod robust;
mod screen;
mod section6;
mod shipped;
mod structure;
mod syntax;
mod theorem;
mod theorems;
mod told;
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
mod vscode;
mod walks;
