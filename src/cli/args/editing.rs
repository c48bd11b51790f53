//! Arguments of what works on texts.

use super::super::limits::{Editor, Of, Text};
use super::exit_codes;

/// Arguments of `coarsen fmt`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct FmtArgs {
    /// Model files (`.cor`), or directories that have some; `-` formats standard input, to standard output
    #[arg(value_name = "MODEL|DIR", required = true)]
    pub models: Vec<String>,
    /// Change nothing; name the files that are not formatted, with exit code 10 if there are some
    #[arg(long)]
    pub check: bool,
    /// Limits
    #[command(flatten)]
    pub limits: Of<Text>,
}

/// Arguments of `coarsen lsp`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct LspArgs {
    /// Standard input and output, as editors may say; there is no other way
    #[arg(long)]
    pub stdio: bool,
    /// Limits of the check of a model as it stands
    #[command(flatten)]
    pub limits: Of<Editor>,
}
