//! Arguments of a search on several processes.

use super::super::limits::duration;
use super::exit_codes;
use std::path::PathBuf;
use std::time::Duration;

/// Who takes part in a search, and where its levels are kept.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Several processes (docs/distributed.md)")]
pub struct TogetherArgs {
    /// Explore with other processes: a file with an address (host:port) on each line, or their number on this machine
    #[arg(long, value_name = "FILE|N")]
    pub distribute: Option<String>,
    /// Which of them this one is, from 0; process 0 prints the report
    #[arg(long, value_name = "K", requires = "distribute")]
    pub process: Option<usize>,
    /// The first port, where their number is given: process K listens at 127.0.0.1, port PORT + K
    #[arg(
        long,
        value_name = "PORT",
        requires = "distribute",
        default_value_t = 34600
    )]
    pub port: u16,
    /// Where this process listens, if that is not the address by which the others reach it
    #[arg(long, value_name = "HOST:PORT", requires = "distribute")]
    pub listen: Option<String>,
    /// A file with a secret that all processes have; the environment variable COARSEN_TOKEN gives one, too
    #[arg(long, value_name = "FILE", requires = "distribute")]
    pub token: Option<PathBuf>,
    /// How long to wait for the others to come
    #[arg(long, value_name = "TIME", requires = "distribute", value_parser = duration, default_value = "8s")]
    pub wait: Duration,
    /// Keep the levels in this directory, so that the search can go on after an interruption
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub checkpoint: Option<PathBuf>,
    /// Go on from the levels in this directory, with any number of processes
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,
}

/// Arguments of `coarsen launch`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = exit_codes())]
pub struct LaunchArgs {
    /// How many processes
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub processes: u16,
    /// How often all go on from the last level when one was lost
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub restarts: u32,
    /// What each of them does: `reach` or `check`, with its arguments
    #[arg(
        value_name = "COMMAND",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub command: Vec<String>,
}
