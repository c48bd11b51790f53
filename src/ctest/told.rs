//! An execution of a C program as the executions of models are told: states, steps with their lines of source text,
//! what each changes.
//!
//! What no step of another thread depends on is marked, so that a report may leave it out.

use super::findings::Found;
use super::history::Step;
use super::names::{Named, is_memory};
use super::report::Report;
use super::shared::{Kind, MODE_WRITE, OBJECT};
use crate::base::evidence::Execution;
use crate::base::results::{
    Change, Code, Outcome, Step as Told, Trace, TraceStep, TraceVariable, Value,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Values that are kept of all states together.
const MOST_VALUES: usize = 4_000_000;
/// An access with more bytes concerns everybody.
const WIDEST: u32 = 512;
/// What a mutex is that nobody holds.
const FREE: &str = "free";
/// What a variable holds that has not been accessed yet.
const UNKNOWN: &str = "?";

/// For each step, how many steps of each thread come before it whatever the schedule: those of its own thread, those
/// before the thread was created, and all of threads that it has joined.
fn begun(steps: &[Step]) -> Vec<Vec<usize>> {
    let threads = steps.iter().map(|s| usize::from(s.thread) + 1).max();
    let mut clocks = vec![vec![0; threads.unwrap_or(0)]; threads.unwrap_or(0)];
    let mut all = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        let me = usize::from(step.thread);
        let other = step.addr as usize;
        if step.kind == Kind::Join && other < clocks.len() {
            let theirs = clocks[other].clone();
            for (mine, theirs) in clocks[me].iter_mut().zip(theirs) {
                *mine = theirs.max(*mine);
            }
        }
        all.push(clocks[me].clone());
        clocks[me][me] = n + 1;
        if step.kind == Kind::Create && other < clocks.len() {
            clocks[other] = clocks[me].clone();
        }
    }
    all
}

/// Whether a step concerns another thread of its execution: a step there depends on it that need not come before it or
/// after it for the threads' sake, or it is about threads.
fn concerns_others(steps: &[Step]) -> Vec<bool> {
    let begun = begun(steps);
    // Who accesses a byte, how, and at which steps.
    let mut users: FxHashMap<u64, Vec<(usize, u8, Vec<usize>)>> = FxHashMap::default();
    let bytes = |step: &Step| -> Vec<(u64, u8)> {
        let accesses = step.accesses.iter().filter(|a| a.size <= WIDEST);
        let each =
            accesses.flat_map(|a| (0..u64::from(a.size)).map(|n| (a.key.wrapping_add(n), a.mode)));
        each.collect()
    };
    for (n, step) in steps.iter().enumerate() {
        for (byte, mode) in bytes(step) {
            let who = usize::from(step.thread);
            let users = users.entry(byte).or_default();
            match users.iter_mut().find(|u| (u.0, u.1) == (who, mode)) {
                Some(known) => known.2.push(n),
                None => users.push((who, mode, vec![n])),
            }
        }
    }
    let meets = |n: usize, (byte, mode): (u64, u8)| {
        let me = usize::from(steps[n].thread);
        users[&byte].iter().any(|(who, other, at)| {
            // The first of theirs that need not come before; later ones come after if this one does.
            let first = at.partition_point(|&m| m < begun[n][*who]);
            let free = at.get(first).is_some_and(|&m| begun[m][me] <= n);
            *who != me && !(mode == *other && mode != MODE_WRITE) && free
        })
    };
    let concerns = |(n, step): (usize, &Step)| {
        let wide = step.accesses.iter().any(|a| a.size > WIDEST);
        wide || bytes(step).into_iter().any(|access| meets(n, access))
    };
    let mut concerns: Vec<bool> = steps.iter().enumerate().map(concerns).collect();
    let tells = |kind| {
        matches!(
            kind,
            Kind::Create
                | Kind::Join
                | Kind::Choice
                | Kind::Allocate
                | Kind::Assume
                | Kind::Signal
                | Kind::Broadcast
                | Kind::Wait
        )
    };
    for (n, step) in steps.iter().enumerate() {
        concerns[n] |= tells(step.kind) || n + 1 == steps.len();
    }
    concerns
}

/// How many steps there are before another thread is there.
fn before_threads(steps: &[Step]) -> usize {
    let created = steps.iter().position(|s| s.kind == Kind::Create);
    created.unwrap_or(0)
}

/// What is known of memory and mutexes.
#[derive(Default)]
struct State {
    names: Vec<String>,
    start: Vec<String>,
    index: FxHashMap<String, usize>,
    /// Names of mutexes, by their addresses.
    mutexes: FxHashMap<u64, String>,
}

impl State {
    /// A variable, which begins with this value if it is new.
    fn variable(&mut self, name: &str, starts: &str) -> usize {
        if let Some(&known) = self.index.get(name) {
            return known;
        }
        self.index.insert(name.to_string(), self.names.len());
        self.names.push(name.to_string());
        self.start.push(starts.to_string());
        self.names.len() - 1
    }
}

/// What a step does to a variable, and what else there is to say of it.
struct Deed {
    /// The variable, its value before and after.
    change: Option<(String, String, String)>,
    does: String,
}

/// What a step does.
fn deed(report: &Report, step: &Step, named: &Named, mutexes: &FxHashMap<u64, String>) -> Deed {
    let object = || named.object.clone();
    let does = |does: String| Deed { change: None, does };
    let changes = |name: String, old: String, new: String| Deed {
        change: Some((name, old, new)),
        does: String::new(),
    };
    let me = || format!("T{}", step.thread);
    match step.kind {
        Kind::Read | Kind::AtomicLoad if step.size > 8 => does(format!("reads {}", named.object)),
        Kind::Read | Kind::AtomicLoad => does(format!("{} is {}", named.object, named.value)),
        Kind::CompareAndSwap if step.accesses.iter().all(|a| a.mode != MODE_WRITE) => {
            does(format!("fails: {} is {}", named.object, named.value))
        }
        Kind::Write if step.size > 8 => does(format!("writes {}", named.object)),
        _ if is_memory(step.kind) => changes(object(), named.before.clone(), named.value.clone()),
        Kind::Lock | Kind::TryLock | Kind::TimedLock if step.value == 0 => {
            changes(object(), FREE.into(), me())
        }
        Kind::Unlock if step.value == 0 => changes(object(), me(), FREE.into()),
        Kind::Wait | Kind::Reacquire | Kind::TimedReacquire => {
            // The mutex is the access that is no condition variable.
            let keys = step.accesses.iter().map(|a| a.key & !OBJECT);
            let mutex = keys
                .filter(|k| *k != step.addr)
                .find_map(|k| mutexes.get(&k));
            let change = mutex.map(|mutex| match step.kind {
                Kind::Wait => (mutex.clone(), me(), FREE.to_string()),
                _ => (mutex.clone(), FREE.to_string(), me()),
            });
            Deed {
                change,
                does: report.deed(step, named),
            }
        }
        _ => does(report.deed(step, named)),
    }
}

impl Report {
    /// The execution of an error, from the beginning.
    pub fn trace(&self, error: &Found) -> Trace {
        let concerns = concerns_others(&error.steps);
        let mut state = State::default();
        let mut steps = Vec::new();
        let sites = self.sites(error);
        let mut sets: Vec<Option<(usize, String)>> = Vec::new();
        let nothing = Named::default();
        for (n, step) in error.steps.iter().enumerate() {
            let named = error.names.steps.get(n).unwrap_or(&nothing);
            let done = deed(self, step, named, &state.mutexes);
            if matches!(step.kind, Kind::Lock | Kind::TryLock | Kind::TimedLock) {
                state.mutexes.insert(step.addr, named.object.clone());
            }
            let reads = matches!(step.kind, Kind::Read | Kind::AtomicLoad) && step.size <= 8;
            let set = match &done.change {
                Some((name, old, new)) if concerns[n] => {
                    Some((state.variable(name, old), new.clone()))
                }
                None if concerns[n] && reads => Some((
                    state.variable(&named.object, &named.value),
                    named.value.clone(),
                )),
                _ => None,
            };
            let changes = done
                .change
                .map(|(name, old, new)| Change { name, old, new });
            sets.push(set);
            steps.push(self.told((step, sites[n]), changes, done.does, concerns[n]));
        }
        let places = self.standing(error, &sites);
        let (variables, states) = states(&state, &sets, &places);
        Trace {
            variables,
            states,
            steps,
            skipped: 0,
            outcome: Outcome::Program(self.describe(error)),
            about: self.about(error),
            execution: Execution::default(),
        }
    }

    /// The same without what comes before another thread is there.
    pub fn short_trace(&self, error: &Found) -> Trace {
        let mut trace = self.trace(error);
        trace.skipped = before_threads(&error.steps);
        trace.steps.drain(..trace.skipped);
        trace.states.drain(..trace.skipped);
        // What nobody has accessed by then is of no interest at the beginning.
        let known = |n: &usize| trace.states.first().is_none_or(|s| s[*n] != unknown());
        let kept: Vec<usize> = (0..trace.variables.len()).filter(known).collect();
        trace.variables = kept.iter().map(|&n| trace.variables[n].clone()).collect();
        for state in &mut trace.states {
            *state = kept.iter().map(|&n| state[n].clone()).collect();
        }
        trace
    }

    fn told(
        &self,
        (step, site): (&Step, u64),
        change: Option<Change>,
        does: String,
        concerns: bool,
    ) -> TraceStep {
        let line = self.debug.line(site);
        let (file, line, column) = match &line {
            Some(line) => (line.file.clone(), line.line, line.column),
            None => (String::new(), 0, 0),
        };
        TraceStep {
            coarse: 0,
            step: Told {
                thread: format!("T{}", step.thread),
                location: String::new(),
                line,
                column,
                text: self.debug.source(&file, line),
                reasons: Vec::new(),
            },
            changes: change.into_iter().collect(),
            violation: None,
            code: Some(Code {
                file,
                does,
                own: !concerns,
            }),
        }
    }

    /// Where steps are told. What no call of the program itself has led to, as the beginning of a thread of C++, is
    /// told where its thread comes next.
    fn sites(&self, error: &Found) -> Vec<u64> {
        let site = |(n, step): (usize, &Step)| match error.names.steps.get(n) {
            Some(named) if named.site != 0 => named.site,
            _ => step.pc,
        };
        let mut sites: Vec<u64> = error.steps.iter().enumerate().map(site).collect();
        let mut next: BTreeMap<u16, u64> = BTreeMap::new();
        for (n, step) in error.steps.iter().enumerate().rev() {
            match next.get(&step.thread) {
                Some(&next) if self.debug.is_library(sites[n]) => sites[n] = next,
                _ => {
                    next.insert(step.thread, sites[n]);
                }
            }
        }
        sites
    }

    /// For each thread, where it stands in each state: where its next step is.
    fn standing(&self, error: &Found, sites: &[u64]) -> Vec<Vec<String>> {
        let threads = error.steps.iter().map(|s| usize::from(s.thread) + 1).max();
        let threads = threads.unwrap_or(0).max(error.last.len());
        let mut all = Vec::new();
        let mut known: BTreeMap<u64, String> = BTreeMap::new();
        for thread in 0..threads {
            let last = error.last.get(thread);
            let mut at = match last {
                Some(l) if l.ended == 0 && l.begun != 0 => self.standing_at(error, thread, l.pc),
                Some(l) if l.ended == 0 => "not begun".into(),
                Some(_) => "end".into(),
                // Of an execution that is not followed to its end, where the thread was last.
                None => {
                    let own = |s: &&(&Step, &u64)| usize::from(s.0.thread) == thread;
                    let all: Vec<(&Step, &u64)> = error.steps.iter().zip(sites).collect();
                    let last = all.iter().rfind(own);
                    last.map_or(UNKNOWN.into(), |(_, site)| self.debug.place(**site))
                }
            };
            let mut stands = vec![String::new(); error.steps.len() + 1];
            for n in (0..=error.steps.len()).rev() {
                stands[n].clone_from(&at);
                let before = n.checked_sub(1).map(|n| (&error.steps[n], sites[n]));
                let own = before.filter(|(s, _)| usize::from(s.thread) == thread);
                if let Some((_, site)) = own {
                    let place = known.entry(site).or_insert_with(|| self.debug.place(site));
                    at.clone_from(place);
                }
            }
            all.push(stands);
        }
        all
    }

    /// The variables and threads that an error is about.
    fn about(&self, error: &Found) -> Vec<String> {
        let mut about = match error.addr {
            0 => Vec::new(),
            _ => vec![error.names.about.clone()],
        };
        match error.thread {
            Some(thread) => about.push(format!("T{thread}")),
            None => {
                for (i, _) in error.open() {
                    about.push(format!("T{i}"));
                    about.extend(error.names.waiting.get(i).cloned());
                }
            }
        }
        about
    }
}

fn unknown() -> Value {
    Value::Text(UNKNOWN.into())
}

/// The variables and, in all states, their values: of memory and mutexes, then the places of threads.
fn states(
    state: &State,
    sets: &[Option<(usize, String)>],
    places: &[Vec<String>],
) -> (Vec<TraceVariable>, Vec<Vec<Value>>) {
    let variable = |name: String| TraceVariable {
        name,
        dims: Vec::new(),
    };
    // Very many variables in very many states are too much: those that were accessed first are kept.
    let most = (MOST_VALUES / (sets.len() + 1)).saturating_sub(places.len());
    let kept = state.names.len().min(most);
    let mut variables: Vec<TraceVariable> =
        state.names[..kept].iter().cloned().map(variable).collect();
    variables.extend((0..places.len()).map(|n| variable(format!("T{n}"))));
    let mut values: Vec<String> = state.start[..kept].to_vec();
    let mut states = Vec::new();
    for n in 0..=sets.len() {
        let set = n.checked_sub(1).and_then(|n| sets[n].as_ref());
        if let Some((at, value)) = set.filter(|(at, _)| *at < kept) {
            values[*at].clone_from(value);
        }
        let threads = places.iter().map(|stands| &stands[n]);
        let all = values.iter().chain(threads);
        states.push(all.map(|text| Value::Text(text.clone())).collect());
    }
    (variables, states)
}
