//! What was found, for people and for programs.

use super::debug::{Debug, is_number, number};
use super::explore::Exploration;
use super::findings::{DataRace, ENDLESS, Endless, Found};
use super::history::Step;
use super::hunt::{Hunt, Hunted, one_in};
use super::names::{Named, is_memory};
use super::shared::{self, Kind};
use super::shorten::preemptions;
use crate::report::text::{fitted, trace_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

/// The version of the JSON.
pub const VERSION: u32 = 2;

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
            after: self.after,
            last: Vec::new(),
            names: self.names.clone(),
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
    /// What random executions were asked for, and what they have covered.
    pub hunted: Option<(Hunt, Hunted)>,
    /// What is done about data races.
    pub races: Treatment,
    /// What is done about deadlocks and livelocks.
    pub deadlocks: Treatment,
    /// How long it took, without building.
    pub time: Duration,
    /// What the program's debug information says.
    pub debug: Debug,
}

/// Data races that are listed in a text; JSON has all.
const MOST_RACES: usize = 20;
/// Steps of data races' executions that JSON has, together.
const MOST_TOLD: usize = 50_000;
/// Blocks of the heap that are listed in a text.
const MOST_BLOCKS: usize = 12;
/// Errors whose executions are shown in a text.
const MOST_SHOWN: usize = 10;

fn plural(n: u64, one: &str) -> String {
    let many = if n == 1 { "" } else { "s" };
    format!("{n} {one}{many}")
}

impl Report {
    /// The answer.
    pub fn verdict(&self) -> Verdict {
        if !self.exploration.errors.is_empty() {
            Verdict::Refuted
        } else if self.limits().is_empty() && self.open_claims().is_empty() {
            Verdict::Holds
        } else {
            Verdict::Unknown
        }
    }

    /// The data races that are listed: of those between the same two lines the first one.
    fn races(&self) -> Vec<&DataRace> {
        // Else they are spoken of among the errors, or not at all.
        let listed = self.races == Treatment::List;
        let mut lines: BTreeSet<[String; 2]> = BTreeSet::new();
        let first = |race: &&DataRace| {
            let mut pair = race
                .places
                .map(|(thread, pc, _)| self.raced(race, thread, pc));
            pair.sort();
            listed && lines.insert(pair)
        };
        self.exploration.races.iter().filter(first).collect()
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
        let e = &self.exploration;
        if e.finished && e.executions == 0 && limits.is_empty() {
            limits.push("an assumption fails in every execution".into());
        }
        let uncontrolled = self.uncontrolled.iter();
        limits.extend(uncontrolled.map(|what| format!("{what} is not controlled")));
        limits
    }

    /// The lines with atomic operations that are weaker than sequentially consistent ones.
    fn weak(&self) -> Vec<String> {
        let places = self.exploration.weak.iter().map(|&pc| self.debug.place(pc));
        let places: BTreeSet<String> = places.collect();
        places.into_iter().collect()
    }

    /// Where a thread computes without end.
    fn endless(&self, endless: &Endless) -> String {
        let what = format!(
            "T{} computes for long without a step that others could see",
            endless.thread
        );
        let line = self.debug.place(endless.pc);
        if line.starts_with("0x") || line == "?" {
            // In the C library, or in what has no lines.
            return format!("{what}, after {}", self.debug.place(endless.after));
        }
        let function = self.debug.called(endless.pc);
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
            Verdict::Holds => format!("no error in {}, under sequential consistency", self.count()),
            Verdict::Unknown => {
                let open = self.open_claims();
                let count = self.count();
                match (self.limits().as_slice(), open.as_slice()) {
                    ([], open) => format!(
                        "no error in {count}; but it is not known whether {} {} atomic",
                        open.join(", "),
                        if open.len() == 1 { "is" } else { "are" }
                    ),
                    (limits, _) => format!(
                        "no error in {count}; but not all was seen: {}",
                        limits.join("; ")
                    ),
                }
            }
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
                format!(" `{}`", self.debug.called(error.addr + 1))
            }
            "" => String::new(),
            text if matches!(error.kind, "assertion" | "invariant") => format!(" `{text}`"),
            text => format!(" ({text})"),
        };
        let about = match error.kind {
            DATA_RACE => format!(" on {}", error.names.about),
            "use after free"
            | "access outside of an allocated block"
            | "double free"
            | "free of what was not allocated"
            | "memory leak"
            | "read of memory that nobody has written"
            | "use of the stack of a thread that has ended" => {
                format!(" ({})", error.names.about)
            }
            _ => String::new(),
        };
        match error.thread {
            Some(thread) => format!(
                "{}{message}{about} at {} in T{thread}",
                error.kind,
                self.place(error)
            ),
            None => {
                format!("{} ({})", error.kind, self.waits(error))
            }
        }
    }

    /// What random executions promise, and have covered.
    fn hunted_text(&self) -> String {
        let Some((hunt, hunted)) = &self.hunted else {
            return String::new();
        };
        let e = &self.exploration;
        let one_in = one_in(e.threads, e.depth, hunt.depth);
        format!(
            "\nrandom executions {} to {} (--seed {} goes on): each finds an error of depth {} with a probability of \
             at least 1 in {one_in:.0}, if {} and {} are the most\npairs of places that depend on each other: {}, of \
             which {} were seen in both orders\n",
            hunt.seed,
            hunted.next - 1,
            hunted.next,
            hunt.depth,
            plural(e.threads as u64, "thread"),
            plural(e.depth as u64, "step"),
            hunted.pairs.len(),
            hunted.both(),
        )
    }

    /// Who waits where.
    fn waits(&self, error: &Found) -> String {
        let waits = error.open().map(|(i, l)| {
            let what = self.operation(l.kind(), l.addr, waiting(error, i), 0);
            format!("T{i} at {}: {what}", self.standing_at(error, i, l.pc))
        });
        waits.collect::<Vec<_>>().join(", ")
    }

    /// What a step does with an object.
    pub(super) fn operation(&self, kind: Kind, addr: u64, object: &str, size: u32) -> String {
        let name = kind.name();
        match kind {
            Kind::Create | Kind::Join | Kind::Detach => format!("{name} T{addr}"),
            Kind::Start
            | Kind::Exit
            | Kind::Choice
            | Kind::Allocate
            | Kind::Key
            | Kind::Assume
            | Kind::Stopped
            | Kind::AtomicBegin
            | Kind::Promise
            | Kind::TooMany
            | Kind::Poll
            | Kind::ProcessExit => name.to_string(),
            _ if size > 0 && is_memory(kind) && !is_number(size) => {
                format!("{name} {object} ({size} bytes)")
            }
            _ => format!("{name} {object}"),
        }
    }

    /// What a step does, in words.
    pub(super) fn deed(&self, step: &Step, named: &Named) -> String {
        let operation = self.operation(step.kind, step.addr, &named.object, step.size);
        let result = match step.kind {
            Kind::Choice if step.size > 0 => {
                format!(
                    " = {} ({} of {})",
                    number(step.value, step.size),
                    step.choice,
                    step.choices
                )
            }
            Kind::Choice => format!(" {} of {}", step.choice, step.choices),
            Kind::TimedReacquire if step.value != 0 => " without a signal".into(),
            Kind::Allocate if step.value != 0 => " fails".into(),
            _ if step.chose => format!(", alternative {}", step.choice),
            Kind::TryLock
            | Kind::TimedLock
            | Kind::TryReadLock
            | Kind::TryWriteLock
            | Kind::TimedReadLock
            | Kind::TimedWriteLock
            | Kind::SemTryWait
            | Kind::SemTimedWait
                if step.value != 0 =>
            {
                " fails".into()
            }
            _ => String::new(),
        };
        operation + &result
    }

    /// The execution of an error, under its description.
    fn shown(&self, error: &Found, all: bool) -> String {
        let trace = match all {
            true => self.trace(error),
            false => self.short_trace(error),
        };
        let mut text = trace_of(&trace, all);
        let blocks = &error.names.blocks;
        // Those that the error is about are told in any case.
        let is_about = |name: &str| error.names.about.starts_with(name);
        let told =
            |(n, (name, _)): &(usize, &(String, _))| all || *n < MOST_BLOCKS || is_about(name);
        for (_, (name, block)) in blocks.iter().enumerate().filter(told) {
            let bytes = plural(block.size, "byte");
            let at = |pc: u64| match self.debug.is_library(pc) {
                true => String::new(),
                false => format!(" at {}", self.debug.place(pc)),
            };
            let _ = write!(text, "    {name}: {bytes}, allocated{}", at(block.pc));
            if block.freed > 0 && block.freed as usize <= error.steps.len() {
                let freed = at(block.freed_at);
                let _ = write!(text, ", freed{freed} (step {})", block.freed);
            }
            text.push('\n');
        }
        if blocks.len() > MOST_BLOCKS && !all {
            let more = blocks.len() - MOST_BLOCKS;
            let _ = writeln!(
                text,
                "    and {more} more blocks (-v, or --format json, has all)"
            );
        }
        text
    }

    /// For people.
    pub fn text(&self, quiet: bool, all: bool) -> String {
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
        let weak = self.weak();
        if !weak.is_empty() {
            let places = some_of(&weak, 5);
            let _ = writeln!(
                text,
                "limit: weaker memory orders ({places}) allow more than sequential consistency does; that is not \
                 explored"
            );
        }
        for (i, error) in e.errors.iter().enumerate() {
            let preemptions = plural(preemptions(&error.steps) as u64, "preemption");
            let what = self.describe(error);
            let _ = writeln!(text, "\nerror {}, with {preemptions}: {what}", i + 1);
            if i < MOST_SHOWN || all {
                text.push_str(&self.shown(error, all));
            }
        }
        if e.errors.len() > MOST_SHOWN && !all {
            let _ = writeln!(text, "\n(-v shows the executions of all errors)");
        }
        let races = self.races();
        if !races.is_empty() {
            text.push_str("\ndata races:\n");
            let most = if all { races.len() } else { MOST_RACES };
            for race in races.iter().take(most) {
                text.push_str(&fitted(&format!("    {}\n", self.race(race))));
            }
            if races.len() > most {
                let more = races.len() - most;
                let _ = writeln!(text, "    and {more} more (-v, or --format json, has all)");
            }
        }
        if !self.stuck().is_empty() {
            text.push_str("\nnobody can go on (no error here: `--deadlocks refute` shows how):\n");
            for found in self.stuck() {
                let _ = writeln!(text, "    {}", self.describe(found));
            }
        }
        if let Some(left) = &e.left_as {
            let n = plural(e.left, "execution");
            let what = self.waits(left);
            let line = format!("\n{n} ended by main while other threads wait, as here: {what}\n");
            text.push_str(&fitted(&line));
        }
        text.push_str(&fitted(&self.hunted_text()));
        text.push_str(&fitted(&self.claims_text()));
        if self.movers {
            text.push_str(&fitted(&self.functions_text()));
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
            let (name, place) = (kind.name(), self.raced(race, thread, pc));
            format!("{name} at {place} in T{thread}")
        };
        format!("{}: {}, {}", race.names.about, side(a), side(b))
    }

    /// Where one of the two accesses is told.
    fn raced(&self, race: &DataRace, thread: u16, pc: u64) -> String {
        let mut steps = race.steps.iter().zip(&race.names.steps).rev();
        let found = steps.find(|(s, _)| (s.thread, s.pc) == (thread, pc));
        let site = found.map_or(0, |(_, named)| named.site);
        self.debug.place(if site == 0 { pc } else { site })
    }

    fn schedule(&self, steps: &[Step], named: &[Named]) -> Value {
        let nothing = Named::default();
        let steps = steps.iter().enumerate().map(|(n, s)| {
            let named = named.get(n).unwrap_or(&nothing);
            json!({
                "thread": s.thread,
                "choice": s.choice,
                "operation": s.kind.name(),
                "object": named.object,
                "value": s.value.to_string(),
                "shown": named.value,
                "place": self.debug.place(if named.site == 0 { s.pc } else { named.site }),
            })
        });
        steps.collect()
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let e = &self.exploration;
        let threads = |error: &Found| -> Value {
            let each = error.open().map(|(i, l)| {
                json!({"thread": i, "place": self.standing_at(error, i, l.pc),
                    "operation": self.operation(l.kind(), l.addr, waiting(error, i), 0)})
            });
            each.collect()
        };
        let blocks = |error: &Found| -> Value {
            let each = error.names.blocks.iter().map(|(name, b)| {
                let freed = b.freed > 0 && b.freed as usize <= error.steps.len();
                json!({"name": name, "bytes": b.size, "allocated": self.debug.place(b.pc),
                    "freed": freed.then(|| self.debug.place(b.freed_at))})
            });
            each.collect()
        };
        let errors = |found: &[Found]| -> Vec<Value> {
            let each = found.iter().map(|error| {
                json!({
                    "kind": error.kind,
                    "message": error.message,
                    "thread": error.thread,
                    "place": self.place(error),
                    "description": self.describe(error),
                    "waiting": if error.thread.is_none() { threads(error) } else { json!([]) },
                    "preemptions": preemptions(&error.steps),
                    "schedule": self.schedule(&error.steps, &error.names.steps),
                    "blocks": blocks(error),
                })
            });
            each.collect()
        };
        let mut left = MOST_TOLD;
        let races: Vec<Value> = self
            .races()
            .into_iter()
            .map(|race| {
                let told = race.steps.len() <= left;
                left = left.saturating_sub(race.steps.len());
                let schedule = told.then(|| self.schedule(&race.steps, &race.names.steps));
                let places = race.places.map(|(thread, pc, kind)| {
                    json!({"thread": thread, "place": self.raced(race, thread, pc),
                        "operation": kind.name()})
                });
                json!({"object": race.names.about, "accesses": places,
                    "schedule": schedule})
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
            "claims": self.claims_json(),
            "hunt": self.hunted.as_ref().map(|(hunt, hunted)| json!({
                "depth": hunt.depth,
                "seed": hunt.seed,
                "next_seed": hunted.next,
                "one_in": one_in(e.threads, e.depth, hunt.depth),
                "pairs": hunted.pairs.len(),
                "both_orders": hunted.both(),
            })),
            "errors": errors(&e.errors),
            "executions": e.executions,
            "active_waits": e.waited,
            "redundant": e.redundant,
            "assumption_failed": e.assumed,
            "cut_off": e.cut,
            "classes": self.exhaustive.then_some(e.classes.len()),
            "finished": e.finished,
            "left_waiting": e.left_as.as_ref().map(|left| json!({
                "executions": e.left,
                "waiting": threads(left),
            })),
            "races": races,
            "deadlocks": errors(self.stuck()),
            "limits": self.limits(),
            "memory_model": "sequential consistency",
            "weaker_orders": self.weak(),
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
            Some(thread) => self.standing_at(error, thread.into(), error.pc),
            None => {
                let open = error.open().next();
                open.map_or("?".into(), |(i, l)| self.standing_at(error, i, l.pc))
            }
        }
    }

    /// Where a thread is that is at an address, at the end.
    pub(super) fn standing_at(&self, error: &Found, thread: usize, pc: u64) -> String {
        let site = self.debug.told_at(pc, || error.names.called(thread));
        self.debug.place(site)
    }
}

/// The first ones, and how many more there are.
fn some_of(all: &[String], most: usize) -> String {
    let mut some = all[..all.len().min(most)].join(", ");
    if all.len() > most {
        some += &format!(" and {} more", all.len() - most);
    }
    some
}

/// What a thread would access next.
fn waiting(error: &Found, thread: usize) -> &str {
    error.names.waiting.get(thread).map_or("?", String::as_str)
}
