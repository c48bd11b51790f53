//! Systematic testing of C programs (Florian 2010, SCALE): every schedule of a program with POSIX threads, up to
//! equivalence.
//!
//! [`compile`] builds the program together with the runtime (`runtime/`, which is inside this library as bytes),
//! [`process`] runs it, one execution on each request, and [`explore`] says which: source-set dynamic partial order
//! reduction with sleep sets (Abdulla, Aronis, Jonsson, Sagonas 2014). The thesis explores graphs of states and
//! restarts the program to come back to one; here each execution is another equivalence class, and no state is stored.

mod aggregates;
pub mod assembly;
pub mod claims;
pub mod compile;
mod cxx;
pub mod debug;
pub mod explore;
pub mod filters;
pub mod findings;
pub mod functions;
mod gimple;
pub mod history;
pub mod hunt;
mod library;
pub mod movers;
pub mod names;
pub mod node;
pub mod process;
mod registers;
pub mod report;
#[path = "../../runtime/shared.rs"]
pub mod shared;
pub mod shorten;
mod stacks;
mod told;
pub mod trace;
pub mod units;
mod values;
pub mod worker;
