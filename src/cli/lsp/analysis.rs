//! Models checked beside the editing: one at a time, the newest text of each, within the limits.

use super::super::args::DEFAULT_THEOREM;
use super::super::limits::Limits;
use super::super::progress::Progress;
use super::super::supervise::{Ended, Interrupts, supervise};
use super::document::Facts;
use coarsen::base::control::{Control, ParseLimits, Stop};
use coarsen::command::coverage::ALWAYS;
use coarsen::theorem::{CheckOptions, Reduce};
use coarsen::{Session, candidates, theory};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How long a text has to stay as it is before it is checked.
const QUIET: Duration = Duration::from_millis(300);

/// A text to be checked.
pub struct Job {
    pub uri: String,
    pub version: i32,
    pub name: String,
    pub source: String,
}

/// What was found out about a text.
pub struct Checked {
    pub uri: String,
    pub version: i32,
    pub facts: Facts,
}

/// The check at hand: of which document, and how to stop it.
type Running = Mutex<Option<(String, Arc<Control>)>>;

/// The thread that checks.
pub struct Analysis {
    jobs: Sender<Job>,
    checked: Receiver<Checked>,
    running: Arc<Running>,
}

impl Analysis {
    pub fn start(limits: Limits) -> Self {
        let (jobs, todo) = unbounded();
        let (done, checked) = unbounded();
        let running = Arc::default();
        let shared = Arc::clone(&running);
        thread::spawn(move || work(&todo, &done, &shared, &limits));
        Analysis {
            jobs,
            checked,
            running,
        }
    }

    pub fn checked(&self) -> &Receiver<Checked> {
        &self.checked
    }

    /// Has a text checked. What is being found out about an older one is not wanted any more.
    pub fn check(&self, job: Job) {
        self.forget(&job.uri);
        // Without the thread there are no facts, and the editor works as before.
        let _ = self.jobs.send(job);
    }

    /// Stops the check of a document.
    pub fn forget(&self, uri: &str) {
        if let Ok(running) = self.running.lock()
            && let Some((of, control)) = &*running
            && of == uri
        {
            control.stop(Stop::Interrupt);
        }
    }
}

fn work(todo: &Receiver<Job>, done: &Sender<Checked>, running: &Running, limits: &Limits) {
    let mut waiting: Vec<Job> = Vec::new();
    loop {
        let next = match waiting.is_empty() {
            true => todo.recv().ok(),
            false => todo.recv_timeout(QUIET).ok(),
        };
        match next {
            Some(job) => {
                waiting.retain(|w| w.uri != job.uri);
                waiting.push(job);
            }
            // The editor has gone.
            None if waiting.is_empty() => return,
            None => {
                let job = waiting.remove(0);
                let control = Arc::new(Control::new(limits.budget));
                if let Ok(mut running) = running.lock() {
                    *running = Some((job.uri.clone(), Arc::clone(&control)));
                }
                if let Some(facts) = facts(&job, &control, limits) {
                    let (uri, version) = (job.uri, job.version);
                    let checked = Checked {
                        uri,
                        version,
                        facts,
                    };
                    if done.send(checked).is_err() {
                        return;
                    }
                }
                if let Ok(mut running) = running.lock() {
                    *running = None;
                }
            }
        }
    }
}

/// What a check as by default finds out, and one of movers; nothing if it was stopped before there is an answer.
fn facts(job: &Job, control: &Arc<Control>, limits: &Limits) -> Option<Facts> {
    let (name, source, depth) = (job.name.clone(), job.source.clone(), limits.depth);
    let asked = move |control: &Control| {
        let (session, _) = Session::load(&name, &source, &[], ParseLimits { depth }).ok()?;
        let theory = theory(DEFAULT_THEOREM)?;
        let options = CheckOptions {
            coverage: ALWAYS,
            others: candidates().split_off(1),
            reduce: Reduce::Auto,
            ..CheckOptions::default()
        };
        let report = session.check(&theory, &options, control);
        let movers = match control.check() {
            Ok(()) => Some(session.movers(&theory, None, control)),
            Err(_) => None,
        };
        Some(Facts { report, movers })
    };
    let nobody = Interrupts::default();
    match supervise(asked, control, limits, &nobody, &mut Progress::Silent) {
        Ended::Done(facts) => facts.filter(|_| control.check() != Err(Stop::Interrupt)),
        Ended::Abandoned(_) | Ended::Broken(_) => None,
    }
}
