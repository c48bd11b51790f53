//! The limits: one table for parsing, help and documentation.
//!
//! The library counts nodes, states and nesting; these limits give the same answer on every machine. The main thread
//! keeps time and memory; these limits end what would not end.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use coarsen::base::control::Budget;
use std::time::Duration;

/// One limit.
pub struct Limit {
    /// Its option, without the dashes.
    pub option: &'static str,
    /// How its value is written.
    unit: Unit,
    /// The default, as written.
    pub default: &'static str,
    /// Least value, in the base unit.
    least: u64,
    /// Greatest value, in the base unit.
    most: u64,
    /// The range, as written.
    pub range: &'static str,
    /// What it limits.
    pub help: &'static str,
}

/// How a limit is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// A plain number.
    Count,
    /// A plain number; `none` for no limit.
    Operations,
    /// Milliseconds; `none` for no limit.
    Time,
    /// Bytes; `none` for no limit.
    Memory,
}

/// All limits.
pub const LIMITS: &[Limit] = &[
    Limit {
        option: "limit-nodes",
        unit: Unit::Count,
        default: "20000000",
        least: 100,
        most: u32::MAX as u64,
        range: "100 to 4294967295",
        help: "Nodes of any one BDD",
    },
    Limit {
        option: "limit-time",
        unit: Unit::Time,
        default: "none",
        least: 1,
        most: 31_536_000_000,
        range: "1ms to 8760h, or none",
        help: "Time for one model (500ms, 60s, 2m, 1h, plain seconds)",
    },
    Limit {
        option: "limit-memory",
        unit: Unit::Memory,
        default: "4GiB",
        least: 16 << 20,
        most: 1 << 50,
        range: "16MiB to 1024TiB, or none",
        help: "Resident memory of the process (512MiB, 4GiB, 1G, plain bytes); kept on Linux only",
    },
    Limit {
        option: "limit-states",
        unit: Unit::Count,
        default: "20000000",
        least: 1,
        most: u32::MAX as u64,
        range: "1 to 4294967295",
        help: "Explicit states held at once, by --cross-check or where BDDs would be too large",
    },
    Limit {
        option: "limit-effort",
        unit: Unit::Count,
        default: "1000000000",
        least: 1,
        most: u64::MAX,
        range: "1 to 18446744073709551615",
        help: "Work on BDDs, in pairs of nodes, before `check` goes on without them",
    },
    Limit {
        option: "limit-depth",
        unit: Unit::Count,
        default: "2000",
        least: 1,
        most: 10_000,
        range: "1 to 10000",
        help: "Nesting of statements and expressions in a model",
    },
];

/// The limits of `coarsen reach`.
pub const REACH_LIMITS: &[Limit] = &[
    Limit {
        option: "limit-nodes",
        unit: Unit::Count,
        default: "100000000",
        least: 100,
        most: u32::MAX as u64,
        range: "100 to 4294967295",
        help: "Nodes of decision diagrams at once, or of any one BDD",
    },
    Limit {
        option: "limit-operations",
        unit: Unit::Operations,
        default: "none",
        least: 1,
        most: u64::MAX,
        range: "1 to 18446744073709551615, or none",
        help: "Operations on decision diagrams",
    },
    Limit {
        option: "limit-states",
        unit: Unit::Count,
        default: "100000000",
        least: 1,
        most: u32::MAX as u64,
        range: "1 to 4294967295",
        help: "States held one by one, by the engines `explicit` and `interpreter`",
    },
    Limit {
        option: "limit-effort",
        unit: Unit::Count,
        default: "1000000000",
        least: 1,
        most: u64::MAX,
        range: "1 to 18446744073709551615",
        help: "Work on BDDs, in pairs of nodes, before the reduced system is found without them",
    },
    Limit {
        option: "limit-time",
        unit: Unit::Time,
        default: "none",
        least: 1,
        most: 31_536_000_000,
        range: "1ms to 8760h, or none",
        help: "Time (500ms, 60s, 2m, 1h, plain seconds)",
    },
    Limit {
        option: "limit-memory",
        unit: Unit::Memory,
        default: "4GiB",
        least: 16 << 20,
        most: 1 << 50,
        range: "16MiB to 1024TiB, or none",
        help: "Resident memory of the process (512MiB, 4GiB, 1G, plain bytes); kept on Linux only",
    },
    Limit {
        option: "limit-depth",
        unit: Unit::Count,
        default: "2000",
        least: 1,
        most: 10_000,
        range: "1 to 10000",
        help: "Nesting of statements and expressions in a model",
    },
];

/// The limits of `coarsen prove`.
pub const PROOF_LIMITS: &[Limit] = &[
    Limit {
        option: "limit-steps",
        unit: Unit::Count,
        default: "2000",
        least: 1,
        most: u32::MAX as u64,
        range: "1 to 4294967295",
        help: "Nodes of the search for one inclusion",
    },
    Limit {
        option: "limit-pairs",
        unit: Unit::Count,
        default: "20000",
        least: 1,
        most: u32::MAX as u64,
        range: "1 to 4294967295",
        help: "Pairs of terms and sets of terms in one decision",
    },
    Limit {
        option: "limit-classes",
        unit: Unit::Count,
        default: "60",
        least: 1,
        most: 1000,
        range: "1 to 1000",
        help: "Classes of words that a decision with omega tells apart",
    },
    Limit {
        option: "limit-nodes",
        unit: Unit::Count,
        default: "10000",
        least: 1,
        most: u32::MAX as u64,
        range: "1 to 4294967295",
        help: "Nodes of one e-graph",
    },
    Limit {
        option: "limit-models",
        unit: Unit::Count,
        default: "20000",
        least: 0,
        most: u32::MAX as u64,
        range: "0 to 4294967295",
        help: "Hundreds of steps on BDDs in the search for a model of one statement",
    },
    Limit {
        option: "limit-depth",
        unit: Unit::Count,
        default: "2000",
        least: 1,
        most: 10_000,
        range: "1 to 10000",
        help: "Nesting of terms in a file",
    },
    Limit {
        option: "limit-time",
        unit: Unit::Time,
        default: "none",
        least: 1,
        most: 31_536_000_000,
        range: "1ms to 8760h, or none",
        help: "Time for one file (500ms, 60s, 2m, 1h, plain seconds)",
    },
    Limit {
        option: "limit-memory",
        unit: Unit::Memory,
        default: "4GiB",
        least: 16 << 20,
        most: 1 << 50,
        range: "16MiB to 1024TiB, or none",
        help: "Resident memory of the process (512MiB, 4GiB, 1G, plain bytes); kept on Linux only",
    },
];

/// The limits of `coarsen verify`.
pub const VERIFY_LIMITS: &[Limit] = &[
    Limit {
        option: "limit-operations",
        unit: Unit::Count,
        default: "2000000000",
        least: 1,
        most: u64::MAX,
        range: "1 to 18446744073709551615",
        help: "Operations of the kernel on one certificate of theorems",
    },
    Limit {
        option: "limit-nodes",
        unit: Unit::Count,
        default: "20000000",
        least: 100,
        most: u32::MAX as u64,
        range: "100 to 4294967295",
        help: "Nodes of any one BDD",
    },
    Limit {
        option: "limit-time",
        unit: Unit::Time,
        default: "none",
        least: 1,
        most: 31_536_000_000,
        range: "1ms to 8760h, or none",
        help: "Time for one file (500ms, 60s, 2m, 1h, plain seconds)",
    },
    Limit {
        option: "limit-memory",
        unit: Unit::Memory,
        default: "4GiB",
        least: 16 << 20,
        most: 1 << 50,
        range: "16MiB to 1024TiB, or none",
        help: "Resident memory of the process (512MiB, 4GiB, 1G, plain bytes); kept on Linux only",
    },
];

/// The limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The limits the library keeps.
    pub budget: Budget,
    /// Time for one model.
    pub time: Option<Duration>,
    /// Bytes of resident memory.
    pub memory: Option<u64>,
    /// Nesting.
    pub depth: usize,
}

impl Limit {
    /// Reads a value of this limit; none for no limit.
    fn parse(&self, text: &str) -> Result<Option<u64>, String> {
        let value = match self.unit {
            Unit::Count => text.replace('_', "").parse().ok().map(Some),
            _ if text == "none" => return Ok(None),
            Unit::Operations => text.replace('_', "").parse().ok().map(Some),
            Unit::Time => scaled(text, TIMES).map(Some),
            Unit::Memory => scaled(text, SIZES).map(Some),
        };
        match value {
            Some(Some(v)) if self.least <= v && v <= self.most => Ok(Some(v)),
            _ => Err(format!("expected {}", self.expected())),
        }
    }

    fn expected(&self) -> String {
        let kind = match self.unit {
            Unit::Count | Unit::Operations => "a number",
            Unit::Time => "a time such as 500ms, 60s, 2m, 1h or plain seconds",
            Unit::Memory => "a size such as 512MiB, 4GiB, 1G or plain bytes",
        };
        format!("{kind}, from {}", self.range)
    }

    fn arg(&'static self) -> Arg {
        let name = match self.unit {
            Unit::Count | Unit::Operations => "N",
            Unit::Time => "TIME",
            Unit::Memory => "SIZE",
        };
        Arg::new(self.option)
            .long(self.option)
            .value_name(name)
            .default_value(self.default)
            .help(format!("{} [range: {}]", self.help, self.range))
            .help_heading("Limits")
            .value_parser(move |text: &str| self.parse(text).map(Value))
    }
}

/// Factors to milliseconds; seconds if there is no unit.
const TIMES: &[(&str, u64)] = &[
    ("", 1_000),
    ("ms", 1),
    ("s", 1_000),
    ("m", 60_000),
    ("min", 60_000),
    ("h", 3_600_000),
];

/// Factors to bytes; single letters mean powers of 1024, as with most tools.
const SIZES: &[(&str, u64)] = &[
    ("", 1),
    ("B", 1),
    ("K", 1 << 10),
    ("M", 1 << 20),
    ("G", 1 << 30),
    ("T", 1 << 40),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Reads a number with at most three decimals and a unit, exactly.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
        .unwrap_or(text.len());
    let (number, unit) = (text[..split].replace('_', ""), text[split..].trim());
    let &(_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    let (whole, decimals) = number.split_once('.').unwrap_or((&number, "0"));
    if decimals.is_empty() || decimals.len() > 3 {
        return None;
    }
    let thousandths: u64 = format!("{decimals:0<3}").parse().ok()?;
    let whole: u64 = whole.parse().ok()?;
    let part = thousandths.checked_mul(factor)? / 1_000;
    whole.checked_mul(factor)?.checked_add(part)
}

/// Reads a time.
///
/// # Errors
/// Says how a time is written.
pub fn duration(text: &str) -> Result<Duration, String> {
    scaled(text, TIMES)
        .filter(|&ms| ms > 0)
        .map(Duration::from_millis)
        .ok_or_else(|| "expected a time such as 500ms, 60s, 2m, 1h or plain seconds".into())
}

/// The parsed value of one limit.
#[derive(Clone, Copy)]
struct Value(Option<u64>);

impl Args for Limits {
    fn augment_args(command: Command) -> Command {
        command.args(LIMITS.iter().map(Limit::arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Limits {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let value = |option: &str| matches.get_one::<Value>(option).and_then(|v| v.0);
        let count = |option, otherwise| {
            value(option).map_or(otherwise, |v| usize::try_from(v).unwrap_or(usize::MAX))
        };
        let Budget {
            nodes,
            states,
            effort,
        } = Budget::default();
        Ok(Limits {
            budget: Budget {
                nodes: count("limit-nodes", nodes),
                states: count("limit-states", states),
                effort: value("limit-effort").unwrap_or(effort),
            },
            time: value("limit-time").map(Duration::from_millis),
            memory: value("limit-memory"),
            depth: count("limit-depth", 2000),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The limits of one exploration.
#[derive(Clone, Copy, Debug)]
pub struct ReachLimits {
    /// Operations on decision diagrams.
    pub operations: Option<u64>,
    /// The others.
    pub process: Limits,
}

impl Args for ReachLimits {
    fn augment_args(command: Command) -> Command {
        command.args(REACH_LIMITS.iter().map(Limit::arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ReachLimits {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let operations = matches
            .get_one::<Value>("limit-operations")
            .and_then(|v| v.0);
        Ok(ReachLimits {
            operations,
            process: Limits::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The limits of one run of the prover.
#[derive(Clone, Copy, Debug)]
pub struct ProofLimits {
    /// Those that the prover keeps.
    pub prover: coarsen::algebra::prove::Limits,
    /// Nesting.
    pub depth: usize,
    /// Time and memory, kept by the main thread.
    pub process: Limits,
}

impl Args for ProofLimits {
    fn augment_args(command: Command) -> Command {
        command.args(PROOF_LIMITS.iter().map(Limit::arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ProofLimits {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let value = |option: &str| matches.get_one::<Value>(option).and_then(|v| v.0);
        let count = |option, otherwise| {
            value(option).map_or(otherwise, |v| usize::try_from(v).unwrap_or(usize::MAX))
        };
        let default = coarsen::algebra::prove::Limits::default();
        let depth = count("limit-depth", 2000);
        Ok(ProofLimits {
            prover: coarsen::algebra::prove::Limits {
                steps: count("limit-steps", default.steps),
                pairs: count("limit-pairs", default.pairs),
                classes: count("limit-classes", default.classes),
                nodes: count("limit-nodes", default.nodes),
                models: count("limit-models", default.models),
            },
            depth,
            process: Limits {
                budget: Budget::default(),
                time: value("limit-time").map(Duration::from_millis),
                memory: value("limit-memory"),
                depth,
            },
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The limits of one replay.
#[derive(Clone, Copy, Debug)]
pub struct VerifyLimits {
    /// Operations of the kernel.
    pub operations: u64,
    /// The others.
    pub process: Limits,
}

impl Args for VerifyLimits {
    fn augment_args(command: Command) -> Command {
        command.args(VERIFY_LIMITS.iter().map(Limit::arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for VerifyLimits {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let value = |option: &str| matches.get_one::<Value>(option).and_then(|v| v.0);
        Ok(VerifyLimits {
            operations: value("limit-operations").unwrap_or(coarsen::kernel::WORK),
            process: Limits {
                budget: Budget {
                    nodes: value("limit-nodes").map_or(usize::MAX, |n| n as usize),
                    ..Budget::default()
                },
                time: value("limit-time").map(Duration::from_millis),
                memory: value("limit-memory"),
                depth: 2000,
            },
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
