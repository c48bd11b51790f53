//! Arguments of `coarsen check`.

use super::super::limits::{Check, Of};
use super::{
    Defines, Discharge, Form, Format, ReduceName, ReductionName, TogetherArgs, TraceFormat, detail,
    exit_codes,
};
use coarsen::report::text::Detail;
use std::path::PathBuf;

/// Arguments of `coarsen check`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct CheckArgs {
    /// Model files (`.cor`, `.dve`), or directories that have some; `-` reads standard input
    #[arg(value_name = "MODEL|DIR", required = true)]
    pub models: Vec<String>,
    /// Print one line a model, and let the models' `expect` lines decide the exit code: 0 if all are met
    #[arg(long, conflicts_with_all = ["defines", "property", "every", "print_discipline", "print_order"])]
    pub expect: bool,
    /// The reduction theorem, for claims of transactions, too: by name, or one of yours, FILE.thy; `auto` chooses
    /// [default: auto where none has to be applied, else stoller-cohen; any for claims]
    #[arg(long, value_name = "NAME")]
    pub theorem: Option<String>,
    /// What the model is, besides its text
    #[command(flatten)]
    pub defines: Defines,
    /// Explore the original system too, and compare
    #[arg(long)]
    pub cross_check: bool,
    /// Refuse a model instead of making further steps visible
    #[arg(long)]
    pub strict: bool,
    /// Whether the theorem is applied in any case, or only if that answers sooner than exploring the program in full
    /// [default: auto; always, if something is asked for that only a reduction has]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_default_value = true
    )]
    pub reduce: ReduceName,
    /// See states of the reduced system as one: then counts are those of what is left [default: none]
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub reductions: Vec<ReductionName>,
    /// Settle the hypotheses this way only [default: by algebra where that can, else on relations]
    #[arg(long, value_enum, value_name = "HOW")]
    pub discharge: Option<Discharge>,
    /// Check only this property; may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Without exploring: show for every value of this constant that the theorem applies, and that the discipline is
    /// kept
    #[arg(long, value_name = "CONST", conflicts_with_all = ["cross_check", "strict", "discharge", "property", "trace",
        "explain_visible", "print_discipline", "print_order", "reduce"])]
    pub every: Option<String>,
    /// Form of the output
    #[arg(long = "format", value_enum, default_value_t)]
    pub form: Form,
    /// Write the trace of the first refuted property (or of --property) to this file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Form of that file [default: as the file's name ends, else itf]
    #[arg(long, value_enum, value_name = "FORM", requires = "trace")]
    pub trace_format: Option<TraceFormat>,
    /// Write to this file how often each statement is executed in the reachable states: for lcov, if its name ends in
    /// `.info`, else the text with numbers
    #[arg(long, value_name = "FILE", conflicts_with_all = ["every", "print_order"])]
    pub coverage: Option<PathBuf>,
    /// Write a page about the model to this file: the answers, the text with its movers, executions to step through
    #[arg(long, value_name = "FILE", conflicts_with_all = ["every", "print_order"])]
    pub html: Option<PathBuf>,
    /// Write what shows that the model's properties hold to this file, for `coarsen verify`
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Print only the verdict of each model
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print all steps, hypotheses, times and sizes too
    #[arg(short, long)]
    verbose: bool,
    /// List each step, visible or not, and why
    #[arg(long, conflicts_with = "quiet")]
    explain_visible: bool,
    /// Print the model with the inferred disciplines as annotations, to be pasted back
    #[arg(long, conflicts_with = "quiet")]
    pub print_discipline: bool,
    /// Print the variable order instead of checking
    #[arg(long)]
    pub print_order: bool,
    /// Cores of each process, where several explore [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub cores: Option<u16>,
    /// Other processes that explore
    #[command(flatten)]
    pub together: TogetherArgs,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Check>,
}

impl CheckArgs {
    /// The form of single answers.
    pub fn format(&self) -> Format {
        self.form.format()
    }

    /// The same for these models, which the paths stand for. Of those in a directory one line each is enough.
    pub fn of(&self, models: Vec<String>) -> Self {
        let many = self.expect || models != self.models;
        CheckArgs {
            quiet: self.quiet || many && self.detail() == Detail::Normal,
            models,
            ..self.clone()
        }
    }

    /// How much to say.
    pub fn detail(&self) -> Detail {
        match detail(self.quiet, self.verbose) {
            Detail::Normal if self.explain_visible => Detail::Steps,
            detail => detail,
        }
    }
}
