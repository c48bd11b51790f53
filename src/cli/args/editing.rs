//! Arguments of what works on texts.

use super::super::limits::{Editor, Of, Relations, Text};
use super::{Defines, exit_codes};
use std::path::PathBuf;

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

/// Languages that a model is emitted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum EmitFormat {
    /// The language of `coarsen`
    #[default]
    Cor,
    /// Promela, for Spin
    Promela,
}

/// Arguments of `coarsen emit`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct EmitArgs {
    /// Model file (`.cor`, `.dve`); `-` reads standard input
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// Language of the output
    #[arg(long, value_enum, default_value_t)]
    pub format: EmitFormat,
    /// Write the evidence for each block to this directory, beside the model that it is about
    #[arg(long, value_name = "DIR")]
    pub evidence: Option<PathBuf>,
    /// What the model is, besides its text
    #[command(flatten)]
    pub defines: Defines,
    /// Limits of all checks together
    #[command(flatten)]
    pub limits: Of<Relations>,
}

/// Arguments of `coarsen explore`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct ExploreArgs {
    /// Model file (`.cor`, `.dve`); `-` reads standard input
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// What the model is, besides its text
    #[command(flatten)]
    pub defines: Defines,
    /// Limits of the check, and of each search
    #[command(flatten)]
    pub limits: Of<Relations>,
}
