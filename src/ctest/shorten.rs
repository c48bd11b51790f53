//! A failing schedule with fewer preemptions: blocks of one thread's steps are moved together, as long as the same
//! error is found.

use super::explore::Settings;
use super::history::Step;
use super::names::Seen;
use super::process::Process;
use super::shared::{self, Last, Order};
use std::time::Duration;

/// How often the program is run for it.
const BUDGET: u32 = 400;

/// What came of a given schedule.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub status: u32,
    /// Its error, if it had one.
    pub error: u32,
    /// Where.
    pub pc: u64,
    /// Whose.
    pub thread: u16,
    /// The address it is about.
    pub addr: u64,
    /// What the program says.
    pub message: String,
    /// What happened.
    pub steps: Vec<Step>,
    /// Where the threads were at the end.
    pub last: Vec<Last>,
    /// What names are found by.
    pub seen: Seen,
}

/// Asks for an execution by a schedule; with `loose`, steps that can't be taken are skipped.
pub fn request(process: &mut Process, settings: &Settings, schedule: &[Order], loose: bool) {
    let request = process.shared_mut();
    let n = schedule.len().min(request.order.len());
    request.order[..n].copy_from_slice(&schedule[..n]);
    request.prefix = n as u32;
    request.max_steps = settings.steps;
    request.loose = loose.into();
    request.keep_going = 0;
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
    request.spurious = settings.spurious.into();
    request.oom = settings.oom.into();
    request.leaks = settings.leaks.into();
    request.local_states = 0;
}

/// Runs the program by a schedule; with `loose`, steps that can't be taken are skipped.
pub fn follow(
    process: &mut Process,
    settings: &Settings,
    schedule: &[Order],
    loose: bool,
) -> Option<Outcome> {
    request(process, settings, schedule, loose);
    if process.answer(Duration::from_secs(20), &|| false).is_err() {
        let _ = process.restart();
        return None;
    }
    let answer = process.shared();
    let steps = answer.event[..answer.events as usize]
        .iter()
        .map(|event| {
            let from = event.first as usize;
            let accesses = answer.access.get(from..from + event.accesses as usize);
            Step::new(event, accesses.unwrap_or(&[]))
        })
        .collect();
    let length = (answer.message_len as usize).min(answer.message.len());
    Some(Outcome {
        status: answer.status,
        error: answer.error,
        pc: answer.error_pc,
        thread: answer.error_thread as u16,
        addr: answer.error_addr,
        message: String::from_utf8_lossy(&answer.message[..length]).into_owned(),
        steps,
        seen: Seen::new(answer),
        last: answer.last[..(answer.threads as usize).min(shared::MAX_THREADS)].to_vec(),
    })
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

/// Looks for an execution with the same end and fewer preemptions than `first`, until `stop` says so.
pub fn shorten(
    process: &mut Process,
    settings: &Settings,
    first: Outcome,
    stop: &dyn Fn() -> bool,
) -> Outcome {
    let same = |a: &Outcome, b: &Outcome| (a.status, a.error, a.pc) == (b.status, b.error, b.pc);
    let mut best = first;
    let mut budget = BUDGET;
    'again: loop {
        let parts = blocks(&schedule(&best.steps));
        let now = preemptions(&best.steps);
        if now == 0 || parts.len() > 2000 {
            return best;
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
                    return best;
                }
                budget -= 1;
                let found = follow(process, settings, &moved.concat(), true);
                if let Some(found) = found.filter(|f| same(f, &best))
                    && preemptions(&found.steps) < now
                {
                    best = found;
                    continue 'again;
                }
            }
        }
        return best;
    }
}
