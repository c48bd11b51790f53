//! A failing schedule with fewer preemptions: blocks of one thread's steps are moved together, as long as the same
//! error is found.

use super::explore::Settings;
use super::findings::Found;
use super::history::Step;
use super::names::Seen;
use super::process::Process;
use super::shared::{self, Event, Last, Order};
use std::time::Duration;

/// How often the program is run for it.
const BUDGET: u32 = 400;

/// What came of a given schedule.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub status: u32,
    /// Its errors.
    pub errors: Vec<Found>,
    /// What happened.
    pub steps: Vec<Step>,
    /// Where the threads were at the end.
    pub last: Vec<Last>,
    /// What names are found by.
    pub seen: Seen,
}

/// Asks for an execution by a schedule that goes on behind `passes` errors.
pub fn request(process: &mut Process, settings: &Settings, schedule: &[Order], passes: u32) {
    let request = process.shared_mut();
    let n = schedule.len().min(request.order.len());
    request.order[..n].copy_from_slice(&schedule[..n]);
    request.prefix = n as u32;
    request.max_steps = settings.steps;
    request.loose = 0;
    request.passes = passes;
    request.patience = settings.patience.as_millis() as u32;
    request.memory = settings.memory;
    request.eager = 0;
    request.max_threads = settings.threads;
    request.reset = settings.reset.into();
    request.sleepers = 0;
    request.mark_calls = 1;
    request.tell = 1;
    request.hunt = 0;
    request.stop_at = 0;
    settings.extras.request(request);
    request.local_states = 0;
}

/// Runs the program by a schedule, and on behind `passes` errors.
pub fn follow(
    process: &mut Process,
    settings: &Settings,
    schedule: &[Order],
    passes: u32,
) -> Option<Outcome> {
    request(process, settings, schedule, passes);
    made(process)
}

/// The same, but that steps which can't be taken are skipped.
fn loosely(
    process: &mut Process,
    settings: &Settings,
    schedule: &[Order],
    passes: u32,
) -> Option<Outcome> {
    request(process, settings, schedule, passes);
    process.shared_mut().loose = 1;
    made(process)
}

/// What the process does that it has been asked for.
fn made(process: &mut Process) -> Option<Outcome> {
    if process.answer(Duration::from_secs(20), &|| false).is_err() {
        let _ = process.restart();
        return None;
    }
    let answer = process.shared();
    let step = |event: &Event| {
        let from = event.first as usize;
        let accesses = answer.access.get(from..from + event.accesses as usize);
        Step::new(event, accesses.unwrap_or(&[]))
    };
    let steps: Vec<Step> = (answer.event[..answer.events as usize].iter())
        .map(step)
        .collect();
    let last = answer.last[..(answer.threads as usize).min(shared::MAX_THREADS)].to_vec();
    let errors = (answer.mishaps().iter().enumerate())
        .map(|(after, mishap)| Found::new(mishap, after, &steps, last.clone()))
        .collect();
    Some(Outcome {
        status: answer.status,
        errors,
        steps,
        seen: Seen::new(answer),
        last,
    })
}

impl Outcome {
    /// What the execution has of such an error.
    pub fn shows(mut self, error: &Found) -> Option<Found> {
        if error.thread.is_some() {
            let same = |e: &Found| {
                (e.kind, e.pc) == (error.kind, error.pc)
                    && (e.kind != "invariant" || e.addr == error.addr)
            };
            let i = self.errors.iter().position(same)?;
            return Some(self.errors.swap_remove(i));
        }
        let goes_on = |e: &Found| e.kind == "invariant";
        let kind = self.stuck().filter(|_| self.errors.iter().all(goes_on))?;
        let after = self.errors.len() as u32;
        (kind == error.kind).then(|| Found {
            after,
            ..Found::stuck(kind, self.steps, self.last)
        })
    }

    /// How nobody could go on, if so it is.
    pub fn stuck(&self) -> Option<&'static str> {
        match self.status {
            shared::DEADLOCK => Some("deadlock"),
            shared::LIVELOCK => Some("livelock"),
            _ => None,
        }
    }
}

/// How often a thread that could go on was not let.
pub fn preemptions(steps: &[Step]) -> usize {
    let switches = steps.windows(2).filter(|w| {
        let before = usize::from(w[0].thread);
        w[0].thread != w[1].thread && w[1].enabled[before / 64] >> (before % 64) & 1 == 1
    });
    switches.count()
}

/// The schedule of an execution.
pub fn schedule(steps: &[Step]) -> Vec<Order> {
    let order = |step: &Step| Order {
        thread: step.thread,
        choice: step.choice,
    };
    steps.iter().map(order).collect()
}

/// The blocks of a schedule: steps of one thread in a row.
fn blocks(schedule: &[Order]) -> Vec<Vec<Order>> {
    schedule
        .chunk_by(|a, b| a.thread == b.thread)
        .map(<[Order]>::to_vec)
        .collect()
}

/// Looks for executions with the same error and fewer preemptions, until `stop` says so. None: it can't be repeated.
pub fn shorten(
    process: &mut Process,
    settings: &Settings,
    error: &Found,
    stop: &dyn Fn() -> bool,
) -> Option<Found> {
    let first = follow(process, settings, &schedule(&error.steps), error.after)?;
    let others: Vec<u16> = first.errors.iter().filter_map(|e| e.thread).collect();
    let mut best = first.shows(error)?;
    let mut budget = BUDGET;
    // Others need not go wrong before.
    for other in others {
        let last = best.steps.iter().rposition(|step| step.thread == other);
        let Some(last) = last.filter(|_| best.after > 0 && best.thread != Some(other)) else {
            continue;
        };
        let mut without = schedule(&best.steps);
        without.remove(last);
        best = loosely(process, settings, &without, best.after - 1)
            .and_then(|o| o.shows(error))
            .unwrap_or(best);
    }
    'again: loop {
        let parts = blocks(&schedule(&best.steps));
        let now = preemptions(&best.steps);
        if now == 0 || parts.len() > 2000 {
            return Some(best);
        }
        for i in 0..parts.len() {
            let thread = parts[i][0].thread;
            let Some(j) = (i + 1..parts.len()).find(|&j| parts[j][0].thread == thread) else {
                continue;
            };
            for late in [false, true] {
                let mut moved = parts.clone();
                let block = moved.remove(if late { i } else { j });
                moved.insert(if late { j - 1 } else { i + 1 }, block);
                if budget == 0 || stop() {
                    return Some(best);
                }
                budget -= 1;
                let found = loosely(process, settings, &moved.concat(), best.after);
                if let Some(found) = found.and_then(|o| o.shows(error))
                    && preemptions(&found.steps) < now
                {
                    best = found;
                    continue 'again;
                }
            }
        }
        return Some(best);
    }
}
