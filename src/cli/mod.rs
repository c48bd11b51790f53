//! The command line: arguments in, renderings and an exit code out; it decides nothing about models.
//!
//! Work on a model runs in a worker thread (`supervise`), because the BDD package can't be cancelled; the main thread
//! keeps time, memory and Ctrl-C. The library is used through one door, [`backend`].
//!
//! Architecture invariant: results go to stdout, everything else to stderr, and neither ever panics on a closed pipe.

mod args;
mod backend;
mod cc;
mod certificate_file;
mod check;
mod compare;
mod convert;
mod decide;
mod emit;
mod eval;
mod every;
mod exit;
mod explain;
mod explore;
mod failure;
mod fmt;
mod glossary;
mod input;
mod launch;
mod limits;
mod lsp;
mod memory;
mod model_run;
mod movers;
mod named;
mod output;
mod progress;
mod prove;
mod question;
mod reach;
mod simplify;
mod simulate;
mod suggest;
mod supervise;
mod test;
mod theorem;
mod together;
mod trace_file;
mod verify;

use args::{Arguments, Command, Form};
use backend::Library;
use clap::{CommandFactory, Parser};
use coarsen::report::set_columns;
use exit::Exit;
use output::{Output, say};
use std::process::ExitCode;

/// Runs the command of this process.
pub fn main() -> ExitCode {
    let exit = match Arguments::try_parse() {
        Ok(arguments) => run(arguments.command),
        Err(error) => {
            // Help and version arrive as errors with code 0; a closed pipe does no harm.
            let _ = error.print();
            if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Holds
            }
        }
    };
    exit.into()
}

fn run(command: Command) -> Exit {
    if let Some(columns) = output::stdout_columns() {
        set_columns(columns);
    }
    let mut stdout = std::io::stdout();
    let mut output = Output::new(&mut stdout);
    output.collect(match &command {
        Command::Check(args) => args.form,
        Command::Reach(args) => args.form,
        Command::Prove(args) => args.form,
        Command::Test(args) => args.form,
        _ => Form::Text,
    });
    let exit = match command {
        Command::Check(args) => check::run(&Library, &args, &mut output),
        Command::Reach(args) => reach::run(&args, &mut output),
        Command::Launch(args) => launch::run(&args, &mut output),
        Command::Compare(args) => compare::run(&args, &mut output),
        Command::Simulate(args) => simulate::run(&args, &mut output),
        Command::Movers(args) => movers::run(&args, &mut output),
        Command::Test(args) => test::run(&args, &mut output),
        Command::Replay(args) => test::replay(&args, &mut output),
        Command::Cc(args) => cc::run(&args),
        Command::Convert(args) => convert::run(&args, &mut output),
        Command::Emit(args) => emit::run(&args, &mut output),
        Command::Explore(args) => explore::run(&args, &mut output),
        Command::Fmt(args) => fmt::run(&args, &mut output),
        Command::Lsp(args) => lsp::run(&args),
        Command::Eval(args) => eval::run(&Library, &args, &mut output),
        Command::Prove(args) => prove::run(&args, &mut output),
        Command::Decide(args) => decide::run(&args, &mut output),
        Command::Simplify(args) => simplify::run(&args, &mut output),
        Command::Verify(args) => verify::run(&args, &mut output),
        Command::Explain(args) => explain::run(&args.term, &backend::codes(), &mut output),
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(
                args.shell,
                &mut Arguments::command(),
                "coarsen",
                &mut script,
            );
            output.write(&String::from_utf8_lossy(&script));
            Exit::Holds
        }
        Command::Man(args) => {
            let made = std::fs::create_dir_all(&args.folder);
            let pages = || clap_mangen::generate_to(Arguments::command(), &args.folder);
            match made.and_then(|()| pages()) {
                Ok(()) => Exit::Holds,
                Err(error) => {
                    say(&format!("coarsen: {}: {error}", args.folder.display()));
                    Exit::Internal
                }
            }
        }
    };
    if exit == Exit::Usage {
        output.discard();
    }
    match output.finish() {
        Ok(()) => exit,
        Err(error) => {
            say(&format!("coarsen: can't write the output: {error}"));
            exit.and(Exit::Internal)
        }
    }
}
