//! The explicit search on several processes, on one machine or on many.
//!
//! States are divided by hash among workers (Stern and Dill 1997). All go through the levels of a breadth-first search
//! in step, and each writes the states it meets to level files, from which the search goes on after whatever happens.
//! What a step is, what is asked and what is counted is that of [`crate::engine::compiled`].
//!
//! `peers` connects the processes, `pulse` notices who is lost, `post` carries states by timely dataflow. `search` is
//! a worker: it expands and is `sending`, what is new it is `taking`, and `rounds` keep all in step. What it has met is
//! in `known`, and beyond memory in `runs`. `levels` are the files, in `blocks` with checksums, under a `manifest`;
//! `frontier` reads them, `resume` goes on from them, `back` finds executions in them.

mod back;
mod blocks;
mod frontier;
mod known;
mod levels;
mod manifest;
mod peers;
mod post;
mod pulse;
mod resume;
mod rounds;
mod runs;
mod search;
mod sending;
mod storage;
mod taking;
mod tell;

pub use peers::{Apart, Cluster, Peers, Purpose};
pub use pulse::Lost;
pub use storage::{Lock, Refused, Storage};

use crate::base::control::{Control, Stop};
use crate::base::results::distributed::{Distributed, Trouble, Worker};
use crate::engine::State;
use crate::engine::Variable;
use crate::engine::compiled::{Compiled, Found, Task};
use crate::engine::quotients::Symmetry;
use crate::engine::reach::{Answer, Outcome, Question, Reduction, Sort, Way, count, execution};
use crate::model::program::Program;
use num_bigint::BigUint;
use post::{Office, Post};
use search::{Ended, Given, Searcher, Totals};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tell::{Counted, Tell};

/// What the engine is called.
const NAME: &str = "distributed";

/// The stack of a worker: as deep as the front end's, since both go into expressions.
const STACK: usize = 512 << 20;

/// How often progress is told.
const OFTEN: Duration = Duration::from_millis(200);

/// Peers that are there for one search, and where it keeps its levels.
#[derive(Clone, Debug)]
pub struct Together {
    waiting: Arc<Mutex<Waiting>>,
    /// Where the levels are kept.
    pub storage: Storage,
}

/// What waits for the search.
#[derive(Debug)]
struct Waiting {
    peers: Option<(Peers, Lock)>,
    storage: Storage,
}

impl Drop for Waiting {
    /// Of a search that never begins there are no levels.
    fn drop(&mut self) {
        if let (Some((peers, _)), true) = (&self.peers, self.storage.passing) {
            self.storage.remove(peers.cluster.addresses.len().max(1));
        }
    }
}

impl Together {
    /// Those peers.
    pub fn new(peers: Peers, (storage, lock): (Storage, Lock)) -> Self {
        let waiting = Waiting {
            peers: Some((peers, lock)),
            storage: storage.clone(),
        };
        Together {
            waiting: Arc::new(Mutex::new(waiting)),
            storage,
        }
    }

    /// The peers, the first time.
    fn take(&self) -> Option<(Peers, Lock)> {
        self.waiting.lock().ok()?.peers.take()
    }
}

/// How far the search is, for people.
#[derive(Debug)]
struct Progress {
    begun: Instant,
    state: Mutex<Going>,
}

#[derive(Debug)]
struct Going {
    told: Instant,
    level: u64,
    /// States to be expanded when the level began, and when that was.
    before: (u64, Instant),
    resumed: Option<u64>,
    damaged: Option<String>,
    again: bool,
}

impl Progress {
    fn new() -> Self {
        let now = Instant::now();
        Progress {
            begun: now,
            state: Mutex::new(Going {
                told: now,
                level: 0,
                before: (0, now),
                resumed: None,
                damaged: None,
                again: false,
            }),
        }
    }

    fn resumed(&self, level: u64) {
        if let Ok(mut going) = self.state.lock() {
            going.resumed = Some(level);
        }
    }

    /// There was no level to go on from.
    fn again(&self) {
        if let Ok(mut going) = self.state.lock() {
            going.again = true;
        }
    }

    fn damaged(&self, file: String) {
        if let Ok(mut going) = self.state.lock() {
            going.damaged = Some(file);
        }
    }

    /// Says how far all have come, now and then.
    fn tell(&self, control: &Control, level: u64, totals: &Totals) {
        let Ok(mut going) = self.state.lock() else {
            return;
        };
        if going.level != level {
            going.level = level;
            going.before = (totals.left, Instant::now());
        }
        if going.told.elapsed() < OFTEN {
            return;
        }
        going.told = Instant::now();
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        let (begun, since) = going.before;
        let expanded = begun.saturating_sub(totals.left).max(1) as f64;
        let ahead = since.elapsed().as_secs_f64() * totals.left as f64 / expanded;
        control.enter(
            Phase {
                level,
                totals: totals.clone(),
                rate: totals.states as f64 / seconds,
                ahead,
            }
            .to_string(),
        );
    }
}

/// A phase, as it is shown while it lasts.
struct Phase {
    level: u64,
    totals: Totals,
    rate: f64,
    /// Seconds that the level will take, about.
    ahead: f64,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Totals {
            states,
            left,
            bytes,
            disk,
            ..
        } = self.totals;
        let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
        write!(
            f,
            "distributed: level {}, {states} states, {:.0} a second, {left} to expand here (about {:.0} s), {} \
             MiB, {} MiB on disk",
            self.level,
            self.rate,
            self.ahead,
            megabytes(bytes),
            megabytes(disk),
        )
    }
}

/// What is explored: the program, the questions, the order of the variables, the reduction and the symmetry.
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// What is asked.
    pub questions: &'a [Question],
    /// In which order variables lie in a state.
    pub order: &'a [Variable],
    /// The reduced system, if it is explored.
    pub reduction: Option<&'a Reduction>,
    /// Which threads may be exchanged.
    pub symmetry: Option<&'a Symmetry>,
}

impl Subject<'_> {
    /// A hash of all of it: processes that settle hypotheses by themselves have to come to the same.
    fn digest(&self) -> String {
        let Subject {
            program,
            questions,
            order,
            reduction,
            symmetry,
        } = self;
        let all = format!("{program:?} {questions:?} {order:?} {reduction:?} {symmetry:?}");
        let bytes = Sha256::digest(all.as_bytes());
        bytes[..16].iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// How one worker ended.
struct Ending {
    ended: Option<Ended>,
    share: Worker,
    totals: Totals,
    level: u64,
    kept: Option<u64>,
    /// What all counted, if all could be asked.
    counted: Option<Counted>,
    shares: Vec<Worker>,
    ways: Vec<Option<Vec<Vec<u64>>>>,
}

/// Explores with all peers, in about so many operations at most. All processes have the same outcome.
pub fn distributed(
    subject: &Subject,
    together: &Together,
    most: u64,
    control: &Control,
) -> (Outcome, Distributed) {
    explore(subject, together, most, control).unwrap_or_else(|why| {
        let outcome = Outcome {
            stopped: Some(Stop::Peer),
            ..Outcome::begin(NAME, subject.questions.len())
        };
        let told = Distributed {
            trouble: Some(Trouble::Files { why }),
            ..Distributed::default()
        };
        (outcome, told)
    })
}

fn explore(
    subject: &Subject,
    together: &Together,
    most: u64,
    control: &Control,
) -> Result<(Outcome, Distributed), String> {
    let storage = &together.storage;
    let (peers, _lock) = together.take().ok_or("the processes were together once")?;
    control.enter("distributed: compiling");
    let mut outcome = Outcome::begin(NAME, subject.questions.len());
    let compiled = match Compiled::new(subject.program, subject.order, control) {
        Ok(compiled) => compiled,
        Err(stop) => {
            outcome.stopped = Some(stop);
            return Ok((outcome, Distributed::default()));
        }
    };
    let up_to = (subject.reduction, subject.symmetry);
    let task = Task::new(
        subject.program,
        &compiled,
        subject.questions,
        up_to,
        control,
    );
    let Peers {
        cluster,
        purpose,
        streams,
        mut heart,
        ..
    } = peers;
    let all = cluster.all_workers();
    let who = (cluster.addresses.len().max(1), cluster.process);
    let (office, posts) = Office::open(streams, cluster.process, cluster.workers)?;
    let progress = Progress::new();
    let system = subject.digest();
    heart.pulse.begin();
    control.enter("distributed: the reachable states");
    let given = |local: usize| Given {
        task: &task,
        local,
        me: cluster.process * cluster.workers + local,
        all,
        process: cluster.process,
        per_process: cluster.workers,
        storage,
        fingerprint: purpose.fingerprint(),
        system: &system,
        pulse: &heart.pulse,
        most,
        progress: &progress,
    };
    let mut results = side_by_side(posts, &given)?;
    let alone = results
        .iter()
        .any(|r| matches!(r.ended, Some(Ended::Alone(_))));
    office.close(!alone);
    if !alone {
        // Only now: the others would take it for a loss.
        heart.done();
    }
    drop(heart);
    let result = results.swap_remove(0);
    let (outcome, mut told) =
        put_together(subject, &task, outcome, (result, &progress, who), control);
    let over = outcome.stopped.is_none();
    // Of a search that has ended nobody needs them, unless they were asked for.
    if storage.passing && (over || told.kept.is_none()) {
        storage.remove(who.0);
    } else if !over {
        told.directory = Some(storage.directory.display().to_string());
    }
    Ok((outcome, told))
}

/// Runs the workers of this process.
fn side_by_side<'t>(
    posts: Vec<Post>,
    given: &(impl Fn(usize) -> Given<'t> + Sync),
) -> Result<Vec<Ending>, String> {
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (local, post) in posts.into_iter().enumerate() {
            let thread = std::thread::Builder::new()
                .name("search".into())
                .stack_size(STACK)
                .spawn_scoped(scope, move || work(Searcher::new(given(local), post)));
            threads.push(thread.map_err(|e| e.to_string())?);
        }
        let ends = threads.into_iter().map(|t| match t.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        Ok(ends.collect())
    })
}

/// One worker, up to the executions.
fn work(mut searcher: Searcher) -> Ending {
    let ended = searcher.run().err();
    let level = searcher.level;
    if let Some(writer) = &mut searcher.writer
        && let Err(error) = writer.leave()
    {
        searcher.fail(error.into());
    }
    let own = |s: &Searcher| Worker {
        process: s.process,
        states: s.known.count,
        transitions: s.counted.tally.transitions,
        sent: s.sent,
        memory: s.peak,
        disk: s.disk(),
    };
    let mut result = Ending {
        share: own(&searcher),
        totals: searcher.totals.clone(),
        level,
        kept: searcher.writer.as_ref().and_then(|w| w.synced),
        counted: None,
        shares: Vec::new(),
        ways: Vec::new(),
        ended,
    };
    if matches!(result.ended, Some(Ended::Alone(_))) {
        return result;
    }
    if let Err(ended) = finish(&mut searcher, &mut result) {
        result.ended = Some(ended);
    }
    result
}

/// What all counted, and the ways to what was found.
fn finish(searcher: &mut Searcher, result: &mut Ending) -> Result<(), Ended> {
    let tell = Tell {
        counted: Some(searcher.counted.clone()),
        ..Tell::default()
    };
    let tells = searcher.exchange(tell)?;
    let mut counted = Counted::default();
    let per_process = searcher.per_process;
    for (worker, tell) in tells.iter().enumerate() {
        if let Some(other) = &tell.counted {
            counted.add(other);
        }
        result.shares.push(Worker {
            process: worker / per_process,
            states: tell.states,
            transitions: tell.transitions,
            sent: tell.sent,
            memory: tell.bytes,
            disk: tell.disk,
        });
    }
    result.kept = tells.iter().map(|t| t.synced).min().flatten();
    result.totals = searcher.totals.clone();
    for found in counted.found.clone() {
        let way = match &found {
            Some(found) => searcher.way_to(found)?,
            None => None,
        };
        result.ways.push(way);
    }
    result.counted = Some(counted);
    Ok(())
}

/// The outcome, as of any engine.
fn put_together(
    subject: &Subject,
    task: &Task,
    mut outcome: Outcome,
    (result, progress, who): (Ending, &Progress, (usize, usize)),
    control: &Control,
) -> (Outcome, Distributed) {
    let mut told = Distributed {
        workers: match result.shares.is_empty() {
            true => vec![result.share],
            false => result.shares,
        },
        processes: who.0,
        process: who.1,
        levels: result.level,
        kept: result.kept,
        ..Distributed::default()
    };
    if let Ok(going) = progress.state.lock() {
        told.resumed = going.resumed;
        told.again = going.again;
        told.damaged.clone_from(&going.damaged);
    }
    let (stopped, trouble) = match result.ended {
        None => (None, None),
        Some(Ended::Stopped(stop, trouble)) => (Some(stop), trouble),
        Some(Ended::Alone(trouble)) => (Some(trouble.stop()), Some(trouble)),
    };
    told.trouble = trouble;
    outcome.stopped = stopped;
    let memory: u64 = told.workers.iter().map(|s| s.memory).sum();
    outcome.memory = usize::try_from(memory).ok();
    outcome.operations = Some(result.totals.operations);
    let Some(counted) = result.counted else {
        outcome.so_far = Some(BigUint::from(result.totals.states));
        outcome.transitions = Some(result.totals.transitions);
        return (outcome, told);
    };
    let found = Found::of(task, counted.states, counted.tally, memory as usize);
    outcome.transitions = Some(found.transitions);
    match outcome.stopped {
        None => count(
            &found,
            subject.questions,
            subject.reduction.is_some(),
            &mut outcome,
        ),
        Some(_) => outcome.so_far = Some(BigUint::from(found.states)),
    }
    outcome.violated = found.violated;
    for (n, answer) in outcome.answers.iter_mut().enumerate() {
        let somewhere = counted.found.get(n).is_some_and(Option::is_some);
        let way = result.ways.get(n).and_then(Option::as_ref);
        *answer = match (somewhere, way) {
            (false, _) => Answer::Nowhere,
            (true, None) => Answer::Somewhere(outcome.stopped.unwrap_or(Stop::Disk)),
            (true, Some(states)) => {
                let unpack = |s: &Vec<u64>| task.compiled.layout.unpack(s);
                let states: Vec<State> = states.iter().map(unpack).collect();
                let how = Way {
                    shortest: subject.reduction.is_none() && !found.violated,
                    badly: subject.questions[n].sort == Sort::Violation,
                };
                let up_to = (subject.reduction, subject.symmetry);
                let (p, asked) = (subject.program, subject.questions);
                let turned = |path| match subject.symmetry {
                    Some(symmetry) => symmetry.turned(p, asked, n, path),
                    None => path,
                };
                match execution(p, up_to, &states, how, control) {
                    Ok(path) => Answer::Found(turned(path)),
                    Err(stop) => Answer::Somewhere(stop),
                }
            }
        };
    }
    (outcome, told)
}
