//! The limits: one table for parsing, help and documentation.
//!
//! The library counts nodes, states and nesting; these limits give the same answer on every machine. The main thread
//! keeps time and memory; these limits end what would not end.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use coarsen::algebra::prove;
use coarsen::base::control::{Budget, ParseLimits};
use std::marker::PhantomData;
use std::ops::Deref;
use std::time::Duration;

/// One limit.
pub struct Limit {
    /// What is read by it.
    id: &'static str,
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

const NODES: &str = "limit-nodes";
const STATES: &str = "limit-states";
const EFFORT: &str = "limit-effort";
const OPERATIONS: &str = "limit-operations";
const STEPS: &str = "limit-steps";
const PAIRS: &str = "limit-pairs";
const CLASSES: &str = "limit-classes";
const MODELS: &str = "limit-models";
const DEPTH: &str = "limit-depth";
const TIME: &str = "limit-time";
const MEMORY: &str = "limit-memory";
const DISK: &str = "limit-disk";
/// The nodes of an e-graph are limited by the option of the same name.
const EGRAPH_NODES: &str = "egraph-nodes";

/// The greatest number of things that have 32 bits as their names.
const MOST: u64 = u32::MAX as u64;

const fn count(
    option: &'static str,
    default: &'static str,
    (least, most): (u64, u64),
    help: &'static str,
) -> Limit {
    Limit {
        id: option,
        option,
        unit: Unit::Count,
        default,
        least,
        most,
        help,
    }
}

const fn depth(help: &'static str) -> Limit {
    count(DEPTH, "2000", (1, 10_000), help)
}

const fn time(help: &'static str) -> Limit {
    Limit {
        unit: Unit::Time,
        ..count(TIME, "none", (1, 31_536_000_000), help)
    }
}

const fn memory() -> Limit {
    let help = "Resident memory of the process (512MiB, 4GiB, 1G, plain bytes); kept on Linux only";
    Limit {
        unit: Unit::Memory,
        ..count(MEMORY, "4GiB", (16 << 20, 1 << 50), help)
    }
}

const fn disk() -> Limit {
    let help = "Bytes of level files, and of states that do not fit into memory, in all processes together";
    Limit {
        unit: Unit::Memory,
        ..count(DISK, "none", (1 << 20, 1 << 50), help)
    }
}

/// The limits of a command.
pub trait Table {
    /// They, as its help has them.
    const LIMITS: &'static [Limit];
}

/// `coarsen compare`, `movers` and `eval`.
#[derive(Clone, Copy, Debug)]
pub struct Relations;

const OF_RELATIONS: [Limit; 6] = [
    count(NODES, "20000000", (100, MOST), "Nodes of any one BDD"),
    time("Time for one model (500ms, 60s, 2m, 1h, plain seconds)"),
    memory(),
    count(
        STATES,
        "20000000",
        (1, MOST),
        "Explicit states held at once, by --cross-check or where BDDs would be too large",
    ),
    count(
        EFFORT,
        "1000000000",
        (1, u64::MAX),
        "Work on BDDs, in pairs of nodes; `check` goes on without them",
    ),
    depth("Nesting of statements and expressions in a model"),
];

impl Table for Relations {
    const LIMITS: &'static [Limit] = &OF_RELATIONS;
}

/// `coarsen check`.
#[derive(Clone, Copy, Debug)]
pub struct Check;

impl Table for Check {
    const LIMITS: &'static [Limit] = {
        let [nodes, time, memory, states, effort, depth] = OF_RELATIONS;
        &[nodes, time, memory, states, effort, disk(), depth]
    };
}

/// `coarsen reach`.
#[derive(Clone, Copy, Debug)]
pub struct Reach;

impl Table for Reach {
    const LIMITS: &'static [Limit] = &[
        count(
            NODES,
            "100000000",
            (100, MOST),
            "Nodes of decision diagrams at once, or of any one BDD",
        ),
        Limit {
            unit: Unit::Operations,
            ..count(
                OPERATIONS,
                "none",
                (1, u64::MAX),
                "Operations on decision diagrams",
            )
        },
        count(
            STATES,
            "100000000",
            (1, 1 << 50),
            "States held one by one, by the engines `explicit` and `interpreter`, or by all processes",
        ),
        count(
            EFFORT,
            "1000000000",
            (1, u64::MAX),
            "Work on BDDs, in pairs of nodes, before the reduced system is found without them",
        ),
        time("Time (500ms, 60s, 2m, 1h, plain seconds)"),
        memory(),
        disk(),
        depth("Nesting of statements and expressions in a model"),
    ];
}

/// `coarsen fmt`.
#[derive(Clone, Copy, Debug)]
pub struct Text;

impl Table for Text {
    const LIMITS: &'static [Limit] = &[
        depth("Nesting of statements and expressions in a model"),
        memory(),
    ];
}

/// `coarsen lsp`.
#[derive(Clone, Copy, Debug)]
pub struct Editor;

impl Table for Editor {
    const LIMITS: &'static [Limit] = &[
        Limit {
            default: "10s",
            ..time("Time for one check (500ms, 60s, 2m, 1h, plain seconds)")
        },
        count(NODES, "5000000", (100, MOST), "Nodes of any one BDD"),
        count(STATES, "5000000", (1, MOST), "States held one by one"),
        memory(),
        depth("Nesting of statements and expressions in a model"),
    ];
}

/// `coarsen prove`, `decide` and `simplify`.
#[derive(Clone, Copy, Debug)]
pub struct Prove;

impl Table for Prove {
    const LIMITS: &'static [Limit] = &[
        count(
            STEPS,
            "2000",
            (1, MOST),
            "Nodes of the search for one inclusion",
        ),
        count(
            PAIRS,
            "20000",
            (1, MOST),
            "Pairs of terms and sets of terms in one decision",
        ),
        count(
            CLASSES,
            "60",
            (1, 1000),
            "Classes of words that a decision with omega tells apart",
        ),
        Limit {
            id: EGRAPH_NODES,
            ..count(NODES, "10000", (1, MOST), "Nodes of one e-graph")
        },
        count(
            MODELS,
            "20000",
            (0, MOST),
            "Hundreds of steps on BDDs in the search for a model of one statement",
        ),
        depth("Nesting of terms in a file"),
        time("Time for one file (500ms, 60s, 2m, 1h, plain seconds)"),
        memory(),
    ];
}

/// `coarsen verify`.
#[derive(Clone, Copy, Debug)]
pub struct Verify;

impl Table for Verify {
    const LIMITS: &'static [Limit] = &[
        count(
            OPERATIONS,
            "2000000000",
            (1, u64::MAX),
            "Operations of the kernel on one certificate of theorems",
        ),
        count(NODES, "20000000", (100, MOST), "Nodes of any one BDD"),
        count(
            STATES,
            "20000000",
            (1, MOST),
            "States held at once, where a claim of a transaction was compared",
        ),
        time("Time for one file (500ms, 60s, 2m, 1h, plain seconds)"),
        memory(),
    ];
}

/// The limits of one run; those that a command lacks have their defaults.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Those that work on models keeps.
    pub budget: Budget,
    /// Operations on decision diagrams, or of the kernel.
    pub operations: Option<u64>,
    /// Those that the prover keeps.
    pub prover: prove::Limits,
    /// Time for one model or file.
    pub time: Option<Duration>,
    /// Bytes of resident memory.
    pub memory: Option<u64>,
    /// Bytes on disk.
    pub disk: Option<u64>,
    /// Nesting.
    pub depth: usize,
}

/// The limits of a command, as its arguments give them.
#[derive(Clone, Copy, Debug)]
pub struct Of<C>(Limits, PhantomData<C>);

impl<C> Deref for Of<C> {
    type Target = Limits;

    fn deref(&self) -> &Limits {
        &self.0
    }
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

    /// The range, as written.
    pub fn range(&self) -> String {
        match self.unit {
            Unit::Count => format!("{} to {}", self.least, self.most),
            Unit::Operations => format!("{} to {}, or none", self.least, self.most),
            Unit::Time => "1ms to 8760h, or none".to_string(),
            Unit::Memory => format!("{}MiB to 1024TiB, or none", self.least >> 20),
        }
    }

    fn expected(&self) -> String {
        let kind = match self.unit {
            Unit::Count | Unit::Operations => "a number",
            Unit::Time => "a time such as 500ms, 60s, 2m, 1h or plain seconds",
            Unit::Memory => "a size such as 512MiB, 4GiB, 1G or plain bytes",
        };
        format!("{kind}, from {}", self.range())
    }

    fn arg(&'static self) -> Arg {
        let name = match self.unit {
            Unit::Count | Unit::Operations => "N",
            Unit::Time => "TIME",
            Unit::Memory => "SIZE",
        };
        Arg::new(self.id)
            .long(self.option)
            .value_name(name)
            .default_value(self.default)
            .help(format!("{} [range: {}]", self.help, self.range()))
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

impl<C: Table> Args for Of<C> {
    fn augment_args(command: Command) -> Command {
        command.args(C::LIMITS.iter().map(Limit::arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C> FromArgMatches for Of<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let value = |id: &str| matches.try_get_one::<Value>(id).ok().flatten()?.0;
        let count = |id, otherwise| {
            value(id).map_or(otherwise, |v| usize::try_from(v).unwrap_or(usize::MAX))
        };
        let (budget, prover) = (Budget::default(), prove::Limits::default());
        let limits = Limits {
            budget: Budget {
                nodes: count(NODES, budget.nodes),
                states: count(STATES, budget.states),
                effort: value(EFFORT).unwrap_or(budget.effort),
            },
            operations: value(OPERATIONS),
            prover: prove::Limits {
                steps: count(STEPS, prover.steps),
                pairs: count(PAIRS, prover.pairs),
                classes: count(CLASSES, prover.classes),
                nodes: count(EGRAPH_NODES, prover.nodes),
                models: count(MODELS, prover.models),
            },
            time: value(TIME).map(Duration::from_millis),
            memory: value(MEMORY),
            disk: value(DISK),
            depth: count(DEPTH, ParseLimits::default().depth),
        };
        Ok(Of(limits, PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
