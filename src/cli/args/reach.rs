//! Arguments of `coarsen reach`.

use super::super::limits::{Of, Reach};
use super::{
    Defines, EngineName, Form, Format, ReductionName, SearchName, TogetherArgs, TraceFormat,
    detail, exit_codes,
};
use crate::cli::named::named;
use coarsen::engine::partial_order::{Extend, Technique};
use coarsen::report::text::Detail;
use std::path::PathBuf;

/// Arguments of `coarsen reach`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct ReachArgs {
    /// Model files (`.cor`, `.dve`), or directories that have some; `-` reads standard input
    #[arg(value_name = "MODEL|DIR", required = true)]
    pub models: Vec<String>,
    /// Print one line a model, and let those of its `expect` lines decide the exit code that an exploration speaks of
    #[arg(long, conflicts_with_all = ["defines", "print_order"])]
    pub expect: bool,
    /// Who explores
    #[arg(long, value_enum, default_value_t)]
    pub engine: EngineName,
    /// Explore the reduced system of a theorem
    #[arg(long)]
    pub reduced: bool,
    /// The reduction theorem: by name, or one of yours, FILE.thy; `auto` chooses [default: stoller-cohen]
    #[arg(long, value_name = "NAME", requires = "reduced")]
    pub theorem: Option<String>,
    /// Leave out orders of independent steps: one technique, or several with commas
    #[arg(long, value_name = "NAME", value_parser = named(&Technique::ALL, Technique::told), value_delimiter = ',')]
    pub por: Vec<Technique>,
    /// See states as one, in one way or several with commas: then counts are those of what is left [default: none]
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub reductions: Vec<ReductionName>,
    /// Steps of an execution at most, for techniques that keep no states
    #[arg(long, value_name = "N", requires = "por", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub depth: Option<u32>,
    /// Which Cartesian prefix is made longer next [default: round-robin]
    #[arg(long, value_name = "NAME", value_parser = named(&Extend::ALL, Extend::told), requires = "por")]
    pub extend: Option<Extend>,
    /// The variable order: best (the default), interaction, force, threads, declared, or a file with one name on a line
    #[arg(long, value_name = "NAME|FILE")]
    pub order: Option<String>,
    /// Print the variable order instead of exploring
    #[arg(long)]
    pub print_order: bool,
    /// Ask whether there is a deadlock, and for how many
    #[arg(long)]
    pub deadlock: bool,
    /// Ask for a state that satisfies this condition; may be repeated
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub find: Vec<String>,
    /// Ask about this property of the model; may be repeated
    #[arg(long, value_name = "NAME")]
    pub invariant: Vec<String>,
    /// Do not use facts about pairs of actions to save work
    #[arg(long)]
    pub no_facts: bool,
    /// How the explicit engine searches
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub search: SearchName,
    /// Cores for the explicit engine and Cartesian vectors (the result does not depend on it) [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub cores: Option<u16>,
    /// Other processes
    #[command(flatten)]
    pub together: TogetherArgs,
    /// What the model is, besides its text
    #[command(flatten)]
    pub defines: Defines,
    /// Form of the output
    #[arg(long = "format", value_enum, default_value_t)]
    pub form: Form,
    /// Write the trace of the first question that has one to this file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Form of that file [default: as the file's name ends, else itf]
    #[arg(long, value_enum, value_name = "FORM", requires = "trace")]
    pub trace_format: Option<TraceFormat>,
    /// Write the evidence for what holds, for `coarsen verify`
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Print only the verdict
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print what was tried, times and sizes too
    #[arg(short, long)]
    pub verbose: bool,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Reach>,
}

impl ReachArgs {
    /// The form of single answers.
    pub fn format(&self) -> Format {
        self.form.format()
    }

    /// How much to say. Of models in a directory one line each is enough.
    pub fn detail(&self) -> Detail {
        detail(self.quiet, self.verbose)
    }

    /// The same for these models, which the paths stand for.
    pub fn of(&self, models: Vec<String>) -> Self {
        ReachArgs {
            quiet: self.quiet || models != self.models && !self.verbose,
            models,
            ..self.clone()
        }
    }
}
