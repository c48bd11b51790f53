//! The `coarsen` command.
#![warn(missing_docs)]

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
