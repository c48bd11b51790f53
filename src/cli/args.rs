//! The arguments, as clap derives them.

mod check;
mod editing;
mod reach;
mod together;
mod values;

pub use check::CheckArgs;
pub use editing::{EmitArgs, EmitFormat, ExploreArgs, FmtArgs, LspArgs};
pub use reach::ReachArgs;
pub use together::{LaunchArgs, TogetherArgs};
pub use values::{
    CompareFormat, Discharge, EngineName, Filter, Form, Format, ReduceName, ReductionName,
    ScheduleFormat, SearchName, ShowAs, TraceFormat, TreatmentArg,
};

use super::exit::EXITS;
use super::limits::{Of, Prove, Relations, Verify};
use super::named::named;
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use coarsen::algebra::suite::Level;
use coarsen::ctest::hunt::MOST_DEPTH;
use coarsen::report::proofs;
use coarsen::report::text::Detail;
use std::path::PathBuf;

/// The name that leaves the choice of a theorem to the tool.
pub const AUTO: &str = "auto";

/// The theorem used unless another is asked for.
pub const DEFAULT_THEOREM: &str = "stoller-cohen";

/// May I treat this block as atomic? Checks the side conditions of reduction theorems on concurrent programs, then
/// explores the reduced system.
#[derive(Debug, Parser)]
#[command(name = "coarsen", version, arg_required_else_help = true, after_help = exit_codes())]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the discipline and every property of models
    Check(CheckArgs),
    /// Count the reachable states, and look for deadlocks and other states among them
    Reach(ReachArgs),
    /// Explore or check a model with several processes on this machine
    Launch(LaunchArgs),
    /// Explore models with every technique, side by side
    Compare(CompareArgs),
    /// Walk through a model step by step: by hand, at random, to a state, or along a trace
    Simulate(SimulateArgs),
    /// Show the states of a model in a browser, to be walked through and searched
    Explore(ExploreArgs),
    /// Say what each action is as a mover, and how long transactions can be
    Movers(MoversArgs),
    /// Run a program in C or C++ through all its schedules
    Test(TestArgs),
    /// Repeat an execution that `coarsen test --trace` has written
    Replay(ReplayArgs),
    /// Compile as the C compiler does, so that `coarsen test` can take objects, archives and executables
    Cc(CcArgs),
    /// Print a model of another language (DVE) in ours
    Convert(ConvertArgs),
    /// Print a model with the blocks atomic that may be, and with locals put back where they die
    Emit(EmitArgs),
    /// Put models into the usual layout, or ask whether they are
    Fmt(FmtArgs),
    /// Serve an editor: diagnostics, names, layout, and what a check finds out, where models are written
    Lsp(LspArgs),
    /// Evaluate an inclusion or equation between terms on a model
    Eval(EvalArgs),
    /// Prove or refute the statements of theories, proofs and suites of identities
    Prove(ProveArgs),
    /// Prove or refute one statement between terms
    Decide(DecideArgs),
    /// Find the smallest term that equals a given one
    Simplify(SimplifyArgs),
    /// Check certificates
    Verify(VerifyArgs),
    /// Explain a term, such as a hypothesis, a diagnostic or an exit code
    Explain(ExplainArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write manual pages, for `man`, to a directory
    Man(ManArgs),
}

fn detail(quiet: bool, verbose: bool) -> Detail {
    match (quiet, verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Verbose,
        _ => Detail::Normal,
    }
}

/// Arguments of `coarsen compare`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct CompareArgs {
    /// Model files (`.cor`, `.dve`); `-` reads standard input
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<String>,
    /// What the models are, besides their text
    #[command(flatten)]
    pub defines: Defines,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: CompareFormat,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Relations>,
}

/// Arguments of `coarsen test`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct TestArgs {
    /// C files, which together are the program; or what `coarsen cc` has made of them (objects, archives, an
    /// executable), or a `compile_commands.json`
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARG")]
    pub args: Vec<String>,
    /// What the program reads from standard input
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<String>,
    /// An option for the compiler; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub cflags: Vec<String>,
    /// The compiler [default: gcc, or clang where that is not there]
    #[arg(long, value_name = "COMMAND")]
    pub cc: Option<String>,
    /// Go on after the first error, to find the others
    #[arg(long)]
    pub keep_going: bool,
    /// Take every interleaving, without reduction, and count the classes of equivalent ones
    #[arg(long)]
    pub exhaustive: bool,
    /// Take every interleaving with at most so many preemptions, without reduction
    #[arg(long, value_name = "N", conflicts_with = "exhaustive")]
    pub preemptions: Option<u32>,
    /// Waits for condition variables may end without a signal, as POSIX allows
    #[arg(long)]
    pub spurious: bool,
    /// Allocations may fail: of each thread one at most, each in turn
    #[arg(long)]
    pub oom: bool,
    /// Memory that nobody can free any more at the end of an execution is an error
    #[arg(long)]
    pub leaks: bool,
    /// Reading memory of the heap that nobody has written is an error
    #[arg(long, visible_alias = "uninitialized")]
    pub uninitialised: bool,
    /// Look for errors in random executions, with a guarantee, where not all executions can be seen
    #[arg(long)]
    pub hunt: bool,
    /// With --hunt: how many orders of pairs of steps an error needs that is to be found
    #[arg(long, value_name = "N", default_value_t = 3, requires = "hunt",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_DEPTH)))]
    pub bug_depth: u32,
    /// With --hunt: the number of the first execution; each follows from its number
    #[arg(long, value_name = "N", default_value_t = 1, requires = "hunt",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub seed: u64,
    /// Explore with the filters of Florian's thesis instead, for comparison; several are separated by commas
    #[arg(long, value_name = "NAME", value_enum, value_delimiter = ',')]
    pub filters: Vec<Filter>,
    /// With --filters: most steps of an execution
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub depth: Option<u32>,
    /// Say of each function whether it is a transaction in all executions, and what breaks it
    #[arg(long)]
    pub movers: bool,
    /// Print schedules as they were found, without looking for ones with fewer preemptions
    #[arg(long)]
    pub no_shorten: bool,
    /// A process for each execution, even where the program could be reset
    #[arg(long)]
    pub fork: bool,
    /// How many processes explore at the same time; the answer does not depend on it [default: as many as there are
    /// cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub cores: Option<u16>,
    /// Write the execution of the first error to this file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// In this form [default: by the file's extension]
    #[arg(long, value_name = "FORM", value_enum, requires = "trace")]
    pub trace_format: Option<ScheduleFormat>,
    /// Data races are listed, are errors, or are not spoken of
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub races: TreatmentArg,
    /// The same for deadlocks and livelocks [default: refute; list, if the program calls `reach_error` or
    /// `__VERIFIER_error`]
    #[arg(long, value_name = "HOW", value_enum)]
    pub deadlocks: Option<TreatmentArg>,
    /// Form of the output
    #[arg(long = "format", value_enum, default_value_t)]
    pub form: Form,
    /// Print only the verdict
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show every step of executions, also those that concern no other thread
    #[arg(short, long)]
    pub verbose: bool,
    /// Most executions
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub limit_executions: u64,
    /// Most steps of one execution
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit_steps: u32,
    /// Time for the exploration (500ms, 60s, 2m, 1h, plain seconds)
    #[arg(long, value_name = "TIME", value_parser = super::limits::duration)]
    pub limit_time: Option<std::time::Duration>,
    /// Most memory that the program may allocate, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    pub limit_memory: u64,
}

/// Arguments of `coarsen replay`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct ReplayArgs {
    /// The file of `coarsen test --trace`
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Show what the program prints
    #[arg(long)]
    pub output: bool,
    /// Run it in gdb, which stops behind a step
    #[arg(long, conflicts_with = "output")]
    pub gdb: bool,
    /// With --gdb: behind which one, by its number in the report [default: the last one]
    #[arg(long, value_name = "N", requires = "gdb")]
    pub step: Option<u32>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print only the verdict
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show every step, also those that concern no other thread
    #[arg(short, long)]
    pub verbose: bool,
}

/// Arguments of `coarsen cc`.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct CcArgs {
    /// The compiler (gcc, if none is named), and what it is given
    #[arg(
        value_name = "ARG",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub arguments: Vec<String>,
}

/// Arguments of `coarsen movers`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct MoversArgs {
    /// Model files (`.cor`, `.dve`), or directories that have some; `-` reads standard input
    #[arg(value_name = "MODEL|DIR", required = true)]
    pub models: Vec<String>,
    /// Transactions by this theorem only
    /// (left-movers, right-movers, lipton, or FILE.thy)
    #[arg(long, value_name = "NAME")]
    pub theorem: Option<String>,
    /// What the models are, besides their text
    #[command(flatten)]
    pub defines: Defines,
    /// Print only how many statements of each class each model has
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say why, name all that is in the way, and show the transactions by each theorem
    #[arg(short, long)]
    pub verbose: bool,
    /// Print one line a model, and let their `expect` lines and what they say of blocks as movers decide the exit code
    #[arg(long, conflicts_with = "defines")]
    pub expect: bool,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Relations>,
}

impl MoversArgs {
    /// How much to say.
    pub fn detail(&self) -> Detail {
        detail(self.quiet, self.verbose)
    }

    /// The same for these models, which the paths stand for. Of those in a directory one line each is enough.
    pub fn of(&self, models: Vec<String>) -> Self {
        MoversArgs {
            quiet: self.quiet || models != self.models && !self.verbose,
            models,
            ..self.clone()
        }
    }
}

/// Arguments of `coarsen simulate`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct SimulateArgs {
    /// Model file (`.cor`, `.dve`); `-` reads standard input
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// Take so many steps at random, and print them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    pub steps: Option<u32>,
    /// What is taken at random: the same seed gives the same steps
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// First walk along a trace that was written as ITF
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Take the fewest steps to a state that satisfies this condition
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub goal: Option<String>,
    /// What the model is, besides its text
    #[command(flatten)]
    pub defines: Defines,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Write the walk to this file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Form of that file [default: as the file's name ends, else itf]
    #[arg(long, value_enum, value_name = "FORM", requires = "trace")]
    pub trace_format: Option<TraceFormat>,
    /// Print only how it ended
    #[arg(short, long)]
    pub quiet: bool,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Relations>,
}

/// Arguments of `coarsen eval`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct EvalArgs {
    /// Model file (`.cor`, `.dve`); `-` reads standard input
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// The statement, such as `u[0] v[1] <= v[1] u[0]`
    #[arg(value_name = "STATEMENT")]
    pub statement: String,
    /// What the model is, besides its text
    #[command(flatten)]
    pub defines: Defines,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Relations>,
}

/// Arguments of `coarsen prove`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct ProveArgs {
    /// Files (`.thy`, `.txt` for S-expressions, `.p` for TPTP), or directories that have some
    #[arg(value_name = "FILE|DIR", required = true)]
    pub files: Vec<String>,
    /// Prove only the statement of this name (`*` at either end stands for anything); may be repeated
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Prove only the statement of this name, as with `--only`, and print its proof; may be repeated
    #[arg(long, value_name = "NAME")]
    pub show: Vec<String>,
    /// Form of the proofs that `--show` prints
    #[arg(
        long,
        value_name = "FORM",
        value_enum,
        default_value_t,
        requires = "show"
    )]
    pub show_as: ShowAs,
    /// Look for lemmas and premises with which a statement is proved that is not, unless it is declared by `fails`
    #[arg(long)]
    pub suggest: bool,
    /// Drop each hint in turn, and name those that are not needed
    #[arg(long)]
    pub ablate: bool,
    /// Write what was proved of each file, with the proofs, to this directory
    #[arg(long, value_name = "DIR")]
    pub certificate: Option<PathBuf>,
    /// Write it for another checker, too: `--to coq DIR`, for Coq with relation-algebra
    #[arg(long, num_args = 2, value_names = ["CHECKER", "DIR"])]
    pub to: Vec<String>,
    /// Form of the output
    #[arg(long = "format", value_enum, default_value_t)]
    pub form: Form,
    /// Print only statements that do not have the status they declare, and the last line
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print why, for each statement
    #[arg(short, long)]
    verbose: bool,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Prove>,
}

impl ProveArgs {
    /// The form of single answers.
    pub fn format(&self) -> Format {
        self.form.format()
    }

    /// The names of statements that are wanted; all, if there is none.
    pub fn wanted(&self) -> Vec<&str> {
        self.only
            .iter()
            .chain(&self.show)
            .map(String::as_str)
            .collect()
    }

    /// How much to say.
    pub fn detail(&self) -> proofs::Detail {
        match (self.quiet, self.verbose) {
            (true, _) => proofs::Detail::Quiet,
            (_, true) => proofs::Detail::Verbose,
            _ => proofs::Detail::Normal,
        }
    }
}

/// Arguments of `coarsen decide`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct DecideArgs {
    /// The statement, such as `(x y)* x <= x (y x)*`
    #[arg(value_name = "STATEMENT", allow_hyphen_values = true)]
    pub statement: String,
    /// A statement that is assumed; may be repeated
    #[arg(long, value_name = "STATEMENT")]
    pub given: Vec<String>,
    /// The level that the statement stands at, such as `kleene`: it may use no symbols of others
    #[arg(long, value_name = "LEVEL", value_parser = named(&Level::ALL, Level::told))]
    pub level: Option<Level>,
    /// What the letters are
    #[command(flatten)]
    pub letters: LetterArgs,
    /// Write the proof to this file, for `coarsen verify`
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Prove>,
}

/// Arguments of `coarsen simplify`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct SimplifyArgs {
    /// The term, such as `(x* y*)*`
    #[arg(value_name = "TERM", allow_hyphen_values = true)]
    pub term: String,
    /// A statement that is assumed; may be repeated
    #[arg(long, value_name = "STATEMENT")]
    pub given: Vec<String>,
    /// What the letters are
    #[command(flatten)]
    pub letters: LetterArgs,
    /// Write what the e-graph knows to be equal to this file, for Graphviz
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Prove>,
}

/// What the letters of a question are.
#[derive(Clone, Debug, clap::Args)]
pub struct LetterArgs {
    /// Use the declarations, definitions and hypotheses of this file: a shipped one by its name, or a path
    #[arg(long, value_name = "NAME|FILE")]
    pub theory: Option<String>,
    /// Letters that are tests, separated by commas; those under `~` are
    #[arg(long, value_name = "LETTERS", value_delimiter = ',')]
    pub tests: Vec<String>,
}

/// Arguments of `coarsen convert`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct ConvertArgs {
    /// Model file in another language (`.dve`)
    #[arg(value_name = "FILE")]
    pub model: String,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Relations>,
}

/// Arguments of `coarsen verify`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct VerifyArgs {
    /// Certificates; `-` reads standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Certificates of models have to be about this model, with the constants that `-D` gives
    #[arg(long, value_name = "FILE")]
    pub model: Option<String>,
    /// What the model is, besides its text
    #[command(flatten)]
    pub defines: Defines,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print only whether each certificate is accepted
    #[arg(short, long)]
    pub quiet: bool,
    /// A theorem of yours that certificates of models rest on, FILE.thy; may be repeated
    #[arg(long, value_name = "FILE")]
    pub theorem: Vec<String>,
    /// Ask whether a certificate of theorems proves what this file (`.thy`, `.txt`) states; may be repeated
    #[arg(long, value_name = "FILE")]
    pub theory: Vec<String>,
    /// What may be used
    #[command(flatten)]
    pub limits: Of<Verify>,
}

/// Values of constants given on the command line.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Defines {
    /// Override a constant of the model; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = define)]
    pub defines: Vec<(String, String)>,
}

/// Arguments of `coarsen explain`.
#[derive(Clone, Debug, clap::Args)]
pub struct ExplainArgs {
    /// Such as `14`, `mover`, `WFacc`, `E0102`, `exit-11`; without one, all terms are listed
    #[arg(value_name = "TERM")]
    pub term: Vec<String>,
}

/// Arguments of `coarsen completions`.
#[derive(Clone, Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Arguments of `coarsen man`.
#[derive(Clone, Debug, clap::Args)]
pub struct ManArgs {
    /// The directory; it is made if it is not there
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Splits `NAME=VALUE`; whether the model has such a constant is not known here.
fn define(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("expected NAME=VALUE, such as N=4".to_string()),
    }
}

fn exit_codes() -> String {
    let mut codes: Vec<_> = EXITS
        .iter()
        .map(|&(exit, text)| (exit as u8, text))
        .collect();
    codes.sort_unstable();
    let lines = codes
        .iter()
        .map(|(code, text)| format!("\n  {code:>2}  {text}"));
    format!("Exit codes:{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn clap_finds_no_contradiction() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn defines_are_names_and_values() {
        let pair = |n: &str, v: &str| Ok((n.to_string(), v.to_string()));
        assert_eq!(define("N=4"), pair("N", "4"));
        assert_eq!(define(" N = a=b"), pair("N", "a=b"));
        assert_eq!(define("N="), pair("N", ""));
        assert!(define("N").is_err());
        assert!(define("=4").is_err());
    }
}
