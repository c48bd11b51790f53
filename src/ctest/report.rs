//! What was found, for people and for programs.

use super::explore::{DataRace, ENDLESS, Endless, Exploration, Found};
use super::history::Step;
use super::places::Places;
use super::shared::{self, Kind, Last};
use super::shorten::preemptions;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// The version of the JSON.
pub const VERSION: u32 = 1;

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No execution has an error.
    Holds,
    /// One has.
    Refuted,
    /// Not all executions were seen.
    Unknown,
}

impl Verdict {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Refuted => "refuted",
            Verdict::Unknown => "unknown",
        }
    }
}

/// What a data race is called as an error.
pub const DATA_RACE: &str = "data race";

impl DataRace {
    /// As an error: of whom comes second.
    pub fn error(&self) -> Found {
        let (thread, pc, _) = self.places[1];
        Found {
            kind: DATA_RACE,
            message: String::new(),
            thread: Some(thread),
            pc,
            addr: self.addr,
            steps: self.steps.clone(),
            last: Vec::new(),
        }
    }

    /// Whether it is this error.
    fn errs(&self, error: &Found) -> bool {
        let (thread, pc, _) = self.places[1];
        Some(thread) == error.thread && pc == error.pc && self.steps.len() == error.steps.len()
    }
}

/// What is done about data races, and about executions in which no thread can go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Treatment {
    /// They are listed, and do not decide the verdict.
    #[default]
    List,
    /// They are errors.
    Refute,
    /// Nothing is said of them.
    Off,
}

/// All that there is to say of a program.
pub struct Report {
    /// The program.
    pub program: String,
    /// What was explored.
    pub exploration: Exploration,
    /// What is not controlled.
    pub uncontrolled: Vec<String>,
    /// Whether every interleaving was taken.
    pub exhaustive: bool,
    /// The bound on preemptions.
    pub preemptions: Option<u32>,
    /// Whether to say which functions are transactions.
    pub movers: bool,
    /// What is done about data races.
    pub races: Treatment,
    /// What is done about deadlocks and livelocks.
    pub deadlocks: Treatment,
    /// How long it took, without building.
    pub time: Duration,
    /// Names.
    pub places: Places,
}

/// The addresses of code that the report will speak of.
pub fn addresses(exploration: &Exploration) -> Vec<u64> {
    let mut pcs = Vec::new();
    for error in exploration.errors.iter().chain(&exploration.stuck) {
        pcs.push(error.pc);
        if error.kind == "invariant" {
            pcs.push(error.addr + 1);
        }
        pcs.extend(error.steps.iter().map(|s| s.pc));
        pcs.extend(error.last.iter().map(|l| l.pc));
    }
    for race in &exploration.races {
        pcs.extend(race.steps.iter().map(|s| s.pc));
    }
    pcs.extend(exploration.endless.iter().flat_map(|e| [e.pc, e.after]));
    for verdict in exploration.calls.verdicts() {
        pcs.extend(verdict.places());
    }
    pcs
}

fn plural(n: u64, one: &str) -> String {
    let many = if n == 1 { "" } else { "s" };
    format!("{n} {one}{many}")
}

impl Report {
    /// The answer.
    pub fn verdict(&self) -> Verdict {
        if !self.exploration.errors.is_empty() {
            Verdict::Refuted
        } else if self.limits().is_empty() {
            Verdict::Holds
        } else {
            Verdict::Unknown
        }
    }

    /// The data races that are listed.
    fn races(&self) -> &[DataRace] {
        match self.races {
            Treatment::List => &self.exploration.races,
            // Spoken of among the errors, or not at all.
            Treatment::Refute | Treatment::Off => &[],
        }
    }

    /// The deadlocks and livelocks that are listed.
    fn stuck(&self) -> &[Found] {
        match self.deadlocks {
            Treatment::List => &self.exploration.stuck,
            Treatment::Refute | Treatment::Off => &[],
        }
    }

    /// Why not all executions were seen.
    pub fn limits(&self) -> Vec<String> {
        let mut limits = self.exploration.limits.clone();
        for limit in limits.iter_mut().filter(|l| *l == ENDLESS) {
            if let Some(endless) = &self.exploration.endless {
                *limit = self.endless(endless);
            }
        }
        if self.exploration.bounded > 0 {
            let most = self.preemptions.unwrap_or(0);
            limits.push(format!(
                "executions with at most {}",
                plural(most.into(), "preemption")
            ));
        }
        if self.exploration.sampled & shared::SAMPLED_NONDET != 0 {
            limits.push(
                "only four values of each nondeterministic number that is not just compared".into(),
            );
        }
        if self.exploration.calls.full() {
            limits.push("more forms of calls than are kept".into());
        }
        let uncontrolled = self.uncontrolled.iter();
        limits.extend(uncontrolled.map(|what| format!("{what} is not controlled")));
        limits
    }

    /// Where a thread computes without end.
    fn endless(&self, endless: &Endless) -> String {
        let what = format!(
            "T{} computes for long without a step that others could see",
            endless.thread
        );
        let line = self.places.line(endless.pc);
        if line.starts_with("0x") || line == "?" {
            // In the C library, or in what has no lines.
            return format!("{what}, after {}", self.places.line(endless.after));
        }
        let function = self.places.function(endless.pc);
        format!("{what}, in `{function}` at {line}")
    }

    /// The first line.
    fn headline(&self) -> String {
        let e = &self.exploration;
        match self.verdict() {
            Verdict::Refuted => {
                let others = match e.errors.len() {
                    1 => String::new(),
                    n => format!(", and {}", plural(n as u64 - 1, "other error")),
                };
                format!("{}{others}", self.describe(&e.errors[0]))
            }
            Verdict::Holds => format!("no error in {}", self.count()),
            Verdict::Unknown => format!(
                "no error in {}; but not all was seen: {}",
                self.count(),
                self.limits().join("; ")
            ),
        }
    }

    fn count(&self) -> String {
        let e = &self.exploration;
        let complete = e.finished && self.limits().is_empty();
        let executions = match e.executions {
            1 if complete => "the only execution".into(),
            n if complete => format!("all of the {n} executions"),
            n => plural(n, "execution"),
        };
        let stuck = |kind: &str| self.stuck().iter().filter(|f| f.kind == kind).count();
        let listed = [
            (self.races().len(), "data race"),
            (stuck("deadlock"), "deadlock"),
            (stuck("livelock"), "livelock"),
        ];
        let listed = listed.iter().filter(|(n, _)| *n > 0);
        let listed: Vec<String> = listed.map(|&(n, what)| plural(n as u64, what)).collect();
        match listed.as_slice() {
            [] => executions,
            listed => format!("{executions} (with {})", listed.join(", ")),
        }
    }

    /// One line on an error.
    pub fn describe(&self, error: &Found) -> String {
        let race = self.exploration.races.iter().find(|r| r.errs(error));
        if let Some(race) = race.filter(|_| error.kind == DATA_RACE) {
            return format!("{} on {}", error.kind, self.race(race));
        }
        let message = match error.message.as_str() {
            "" if error.kind == "invariant" => {
                format!(" `{}`", self.places.function(error.addr + 1))
            }
            "" => String::new(),
            text if matches!(error.kind, "assertion" | "invariant") => format!(" `{text}`"),
            text => format!(" ({text})"),
        };
        let about = match error.kind {
            DATA_RACE => format!(" on {}", self.places.object(error.addr)),
            "use after free"
            | "access outside of an allocated block"
            | "double free"
            | "free of what was not allocated"
            | "use of the stack of a thread that has ended" => {
                format!(" ({})", self.places.object(error.addr))
            }
            _ => String::new(),
        };
        match error.thread {
            Some(thread) => format!(
                "{}{message}{about} at {} in T{thread}",
                error.kind,
                self.places.line(error.pc)
            ),
            None => {
                let open = error
                    .last
                    .iter()
                    .enumerate()
                    .filter(|(_, l)| l.ended == 0 && l.begun != 0);
                let waits: Vec<String> = open
                    .map(|(i, l)| {
                        let what = self.operation(l.kind(), l.addr, 0);
                        format!("T{i} at {}: {what}", self.places.line(l.pc))
                    })
                    .collect();
                format!("{} ({})", error.kind, waits.join(", "))
            }
        }
    }

    pub(super) fn operation(&self, kind: Kind, addr: u64, size: u32) -> String {
        let name = kind.name();
        match kind {
            Kind::Create | Kind::Join | Kind::Detach => format!("{name} T{addr}"),
            Kind::Start
            | Kind::Exit
            | Kind::Choice
            | Kind::Key
            | Kind::Assume
            | Kind::Stopped
            | Kind::AtomicBegin
            | Kind::Promise
            | Kind::TooMany
            | Kind::ProcessExit => name.to_string(),
            _ if size > 0 && !is_number(size) => {
                format!("{name} {} ({size} bytes)", self.places.object(addr))
            }
            _ => format!("{name} {}", self.places.object(addr)),
        }
    }

    fn cell(&self, step: &Step) -> String {
        let operation = self.operation(step.kind, step.addr, step.size);
        let value = match step.kind {
            Kind::Read | Kind::Write if !is_number(step.size) => String::new(),
            Kind::Read
            | Kind::Write
            | Kind::AtomicLoad
            | Kind::AtomicStore
            | Kind::AtomicUpdate
            | Kind::CompareAndSwap => format!(" = {}", number(step.value, step.size)),
            Kind::Choice if step.size > 0 => format!(
                " = {} ({} of {})",
                number(step.value, step.size),
                step.choice,
                step.choices
            ),
            Kind::Choice => format!(" {} of {}", step.choice, step.choices),
            _ if step.chose => format!(", alternative {}", step.choice),
            Kind::TryLock
            | Kind::TimedLock
            | Kind::TryReadLock
            | Kind::TryWriteLock
            | Kind::TimedReadLock
            | Kind::TimedWriteLock
            | Kind::SemTryWait
            | Kind::SemTimedWait
            | Kind::TimedReacquire
                if step.value != 0 =>
            {
                " fails".into()
            }
            _ => String::new(),
        };
        format!("{}: {operation}{value}", self.places.line(step.pc))
    }

    /// The steps, one column for each thread.
    pub fn columns(&self, steps: &[Step]) -> String {
        let threads = steps
            .iter()
            .map(|s| usize::from(s.thread) + 1)
            .max()
            .unwrap_or(0);
        let cells: Vec<(usize, String)> = steps
            .iter()
            .map(|s| (usize::from(s.thread), self.cell(s)))
            .collect();
        let mut widths = vec![4; threads];
        for (thread, cell) in &cells {
            widths[*thread] = widths[*thread].max(cell.chars().count() + 2);
        }
        let start = |thread: usize| widths[..thread].iter().sum::<usize>();
        let mut text = String::from("          ");
        for (i, width) in widths.iter().enumerate() {
            let _ = write!(text, "{:width$}", format!("T{i}"));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        for (i, (thread, cell)) in cells.iter().enumerate() {
            let _ = writeln!(
                text,
                "    {:>4}  {:w$}{cell}",
                i + 1,
                "",
                w = start(*thread)
            );
        }
        text
    }

    /// For people.
    pub fn text(&self, quiet: bool) -> String {
        let e = &self.exploration;
        let mut text = format!(
            "{}: {} - {}\n",
            self.program,
            self.verdict().name(),
            self.headline()
        );
        if quiet {
            return text;
        }
        for (i, error) in e.errors.iter().enumerate() {
            let _ = writeln!(text, "\nerror {}: {}", i + 1, self.describe(error));
            let n = preemptions(&error.steps) as u64;
            let steps = plural(error.steps.len() as u64, "step");
            let _ = writeln!(text, "    {steps}, {}", plural(n, "preemption"));
            text.push_str(&self.columns(&error.steps));
        }
        if !self.races().is_empty() {
            text.push_str("\ndata races:\n");
            for race in self.races() {
                let _ = writeln!(text, "    {}", self.race(race));
            }
        }
        if !self.stuck().is_empty() {
            text.push_str("\nnobody can go on (no error here: `--deadlocks refute` shows how):\n");
            for found in self.stuck() {
                let _ = writeln!(text, "    {}", self.describe(found));
            }
        }
        if self.movers {
            text.push_str(&self.functions_text());
        }
        let _ = write!(text, "\nexecutions {}", e.executions);
        let counts = [
            (e.waited, "with an active wait"),
            (e.redundant, "redundant"),
            (e.assumed, "assumption failed"),
            (e.cut, "cut off"),
        ];
        for (n, what) in counts {
            if n > 0 || what == "redundant" {
                let _ = write!(text, ", {what} {n}");
            }
        }
        if self.exhaustive {
            let _ = write!(text, ", classes {}", e.classes.len());
        }
        let _ = writeln!(
            text,
            "; steps {}, longest {}, threads {}",
            e.steps, e.depth, e.threads
        );
        if e.sampled & shared::SAMPLED_RANDOM != 0 {
            text.push_str("random numbers: one fixed sequence for each thread\n");
        }
        if e.sampled & shared::SAMPLED_TIME != 0 {
            text.push_str("time: it passes only where a thread sleeps or asks for it\n");
        }
        for limit in self.limits() {
            let _ = writeln!(text, "limit: {limit}");
        }
        text
    }

    fn race(&self, race: &DataRace) -> String {
        let [a, b] = race.places;
        let side = |(thread, pc, kind): (u16, u64, Kind)| {
            let name = kind.name();
            format!("{name} at {} in T{thread}", self.places.line(pc))
        };
        format!(
            "{}: {}, {}",
            self.places.object(race.addr),
            side(a),
            side(b)
        )
    }

    fn schedule(&self, steps: &[Step]) -> Value {
        let steps = steps.iter().map(|s| {
            json!({
                "thread": s.thread,
                "choice": s.choice,
                "operation": s.kind.name(),
                "object": self.places.object(s.addr),
                "value": s.value.to_string(),
                "place": self.places.line(s.pc),
            })
        });
        steps.collect()
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let e = &self.exploration;
        let threads = |last: &[Last]| -> Value {
            let open = last
                .iter()
                .enumerate()
                .filter(|(_, l)| l.ended == 0 && l.begun != 0);
            open.map(|(i, l)| {
                json!({"thread": i, "place": self.places.line(l.pc),
                    "operation": self.operation(l.kind(), l.addr, 0)})
            })
            .collect()
        };
        let errors = |found: &[Found]| -> Vec<Value> {
            let each = found.iter().map(|error| {
                json!({
                    "kind": error.kind,
                    "message": error.message,
                    "thread": error.thread,
                    "place": self.place(error),
                    "description": self.describe(error),
                    "waiting": if error.thread.is_none() { threads(&error.last) } else { json!([]) },
                    "preemptions": preemptions(&error.steps),
                    "schedule": self.schedule(&error.steps),
                })
            });
            each.collect()
        };
        let races: Vec<Value> = self
            .races()
            .iter()
            .map(|race| {
                let places = race.places.map(|(thread, pc, kind)| {
                    json!({"thread": thread, "place": self.places.line(pc),
                        "operation": kind.name()})
                });
                json!({"object": self.places.object(race.addr), "accesses": places,
                    "schedule": self.schedule(&race.steps)})
            })
            .collect();
        let seconds = self.time.as_secs_f64();
        let functions = self.movers.then(|| self.functions_json());
        let made = e.made();
        json!({
            "schema_version": VERSION,
            "program": self.program,
            "verdict": self.verdict().name(),
            "functions": functions,
            "errors": errors(&e.errors),
            "executions": e.executions,
            "active_waits": e.waited,
            "redundant": e.redundant,
            "assumption_failed": e.assumed,
            "cut_off": e.cut,
            "classes": self.exhaustive.then_some(e.classes.len()),
            "finished": e.finished,
            "races": races,
            "deadlocks": errors(self.stuck()),
            "limits": self.limits(),
            "uncontrolled": self.uncontrolled,
            "steps": e.steps,
            "longest": e.depth,
            "threads": e.threads,
            "timing": {"seconds": seconds, "executions_per_second": made as f64 / seconds.max(1e-9)},
        })
    }

    /// Where an error is; of a deadlock, where its first thread waits.
    pub fn place(&self, error: &Found) -> String {
        match error.thread {
            Some(_) => self.places.line(error.pc),
            None => {
                let open = error.last.iter().find(|l| l.ended == 0 && l.begun != 0);
                open.map_or("?".into(), |l| self.places.line(l.pc))
            }
        }
    }
}

/// Whether a value of this many bytes is shown.
fn is_number(size: u32) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
}

/// A value as C would print it: small negative numbers are negative.
pub(super) fn number(value: u64, size: u32) -> String {
    let bits = 8 * size.min(8);
    if bits == 0 {
        return value.to_string();
    }
    let shifted = (value << (64 - bits)) as i64 >> (64 - bits);
    if (-65536..0).contains(&shifted) {
        return shifted.to_string();
    }
    let cut = if bits == 64 {
        value
    } else {
        value & ((1 << bits) - 1)
    };
    if cut > 1 << 32 {
        return format!("{cut:#x}");
    }
    cut.to_string()
}
