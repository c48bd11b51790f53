//! What tests and benches of C programs have in common.

use crate::{missing, random};
use coarsen::ctest::compile::{Program, Sources, build};
use coarsen::ctest::explore::{ALONE, Exploration, PIECE, Settings, Watch, explore};
use coarsen::ctest::filters::Filters;
use coarsen::ctest::process::Process;
use coarsen::ctest::trace::Extras;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What most programs begin with.
pub const HEAD: &str = "#define _GNU_SOURCE\n#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include \
    <sched.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include \
    <time.h>\n#define lock(m) pthread_mutex_lock(&(m))\n#define unlock(m) pthread_mutex_unlock(&(m))\n\
    #define go(h, f) pthread_create(&(h), 0, f, 0)\n#define end(h) pthread_join(h, 0)\n";

/// Lets explorations go on.
pub struct Nobody;

impl Watch for Nobody {
    fn progress(&self, _: &Exploration) {}
    fn stop(&self) -> Option<String> {
        None
    }
}

/// All executions, with all errors.
pub fn settings() -> Settings {
    Settings {
        keep_going: true,
        refute_stuck: true,
        exhaustive: false,
        preemptions: None,
        executions: 200_000,
        steps: 3000,
        threads: 256,
        memory: 1 << 30,
        patience: Duration::from_secs(2),
        reset: true,
        extras: Extras::default(),
        movers: false,
        filters: None,
        cores: 2,
        piece: PIECE,
        alone: ALONE,
    }
}

/// Whether C programs can be built here; says so if not.
pub fn possible() -> bool {
    let switches = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    if !switches {
        missing::say("Linux on x86-64");
    }
    switches && missing::tools(&["gcc", "objcopy"])
}

/// Builds a program.
pub fn make(file: &Path, cflags: &[&str]) -> Program {
    let sources = Sources {
        files: vec![file.display().to_string()],
        cflags: cflags.iter().map(ToString::to_string).collect(),
        compiler: None,
    };
    match build(&sources) {
        Ok(program) => program,
        Err(error) => panic!("{}: {error:?}", file.display()),
    }
}

/// Explores a program.
pub fn run(program: &Program, settings: &Settings) -> Exploration {
    again(&mut start(program, &[]), program, settings)
}

/// A program that is ready, with arguments.
pub fn start(program: &Program, args: &[String]) -> Process {
    Process::start(&program.path, args, false).expect("it starts")
}

/// Explores a program that is ready.
pub fn again(process: &mut Process, program: &Program, settings: &Settings) -> Exploration {
    let settings = Settings {
        reset: settings.reset && program.reset,
        ..settings.clone()
    };
    explore(process, &settings, &Nobody)
}

/// What came of holding explorations against what is right, with at most `MOST` executions each.
#[derive(Default)]
pub struct Held {
    /// Programs that agree with every interleaving, and with every beginning.
    pub same: [usize; 2],
    /// Programs that have too many.
    pub large: usize,
    /// What differs.
    pub wrong: String,
}

impl Held {
    /// Holds an exploration of a program against what is right.
    pub fn hold(&mut self, (name, program): (&str, &Program), found: &Exploration, counts: bool) {
        let limited = !found.limits.is_empty();
        let right =
            (!limited).then(|| Right::of(&|s| run(program, s), found, asked("MOST", 1_000)));
        match right.flatten() {
            None => self.large += 1,
            Some(right) => match right.differs(found, counts) {
                None => self.same[usize::from(!right.every)] += 1,
                Some(how) => self.wrong += &format!("{name}: {how}\n"),
            },
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: Held) {
        (0..2).for_each(|i| self.same[i] += other.same[i]);
        self.large += other.large;
        self.wrong += &other.wrong;
    }

    /// Nothing differs, and at least so many were compared.
    pub fn finish(&self, least: usize) {
        let [every, beginnings] = self.same;
        eprintln!(
            "{every} agree with every interleaving, {beginnings} with every beginning, {} have too many",
            self.large
        );
        assert!(self.wrong.is_empty(), "{}", self.wrong);
        let compared = every + beginnings;
        assert!(
            random::enough(compared, least),
            "only {compared} were small enough"
        );
    }
}

/// Every beginning of an execution up to equivalence: knows neither races nor sleepers, but the same dependence.
pub const BEGINNINGS: Filters = Filters {
    not_seen_before: true,
    super_step: false,
    local_cycles: false,
    depth: None,
};

/// What is right of a program, found without reversing races.
pub struct Right {
    /// By every interleaving; else by every beginning.
    every: bool,
    findings: Vec<String>,
    classes: u64,
    /// Whether executions went wrong before their end: each way has others of them.
    short: bool,
    /// Whether threads waited actively.
    pub waited: bool,
}

/// Filters tell no livelocks, and look for data races in what they leave only.
fn left_out(finding: &str) -> bool {
    finding.starts_with("race") || finding.starts_with("livelock")
}

impl Right {
    /// Explores with `run`. `None` if there is too much, or a limit is met; `usual` is what the exploration has found.
    pub fn of(
        run: &dyn Fn(&Settings) -> Exploration,
        usual: &Exploration,
        most: u64,
    ) -> Option<Right> {
        let every = Settings {
            exhaustive: true,
            executions: most / 4,
            cores: 1,
            ..settings()
        };
        let complete = |e: &Exploration| e.finished && e.limits.is_empty();
        let found = Some(run(&every)).filter(complete);
        let every = found.is_some();
        let filters = Settings {
            filters: Some(BEGINNINGS),
            executions: most,
            cores: 1,
            ..settings()
        };
        // Without interleavings that wait actively would go on and on.
        let few = usual.waited == 0 && usual.made() <= most / 20;
        let beginnings = || few.then(|| run(&filters));
        let found = found.or_else(|| beginnings().filter(complete))?;
        let mut right = Right {
            every,
            findings: findings(&found),
            classes: match every {
                true => found.classes.len() as u64,
                false => found.executions,
            },
            short: cut_short(&found),
            waited: found.waited > 0,
        };
        if !every {
            right.findings.retain(|f| !left_out(f));
        }
        Some(right)
    }

    fn compare(&self, e: &Exploration, found: &[String], counts: bool) -> Option<String> {
        let counts = counts && !self.short;
        let same = found == self.findings && e.limits.is_empty();
        let same = same && (!counts || e.executions == self.classes);
        let Right {
            classes, findings, ..
        } = self;
        let (n, limits) = (e.executions, &e.limits);
        (!same).then(|| {
            format!("{n} executions {found:?} {limits:?}, right are {classes} {findings:?}")
        })
    }

    /// How an exploration differs from this; `counts` says whether its executions are one of each class.
    pub fn differs(&self, e: &Exploration, counts: bool) -> Option<String> {
        let mut found = findings(e);
        found.retain(|f| self.every || !left_out(f));
        self.compare(e, &found, counts)
    }

    /// The same for an exploration with filters.
    pub fn filters_differ(&self, e: &Exploration, counts: bool) -> Option<String> {
        let mut found = findings(e);
        found.retain(|f| !left_out(f));
        found.extend(self.findings.iter().filter(|f| left_out(f)).cloned());
        found.sort_unstable();
        self.compare(e, &found, counts && !self.waited)
    }
}

/// A number from the environment.
pub fn asked(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |n| n.parse().expect("a number"))
}

/// A directory that goes away.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let at = std::env::temp_dir().join(format!("coarsen-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&at).expect("a directory");
        Scratch(at)
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let at = self.0.join(format!("{name}.c"));
        std::fs::write(&at, text).expect("a file");
        at
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Random numbers (xorshift), the same on every machine.
pub struct Dice(pub u64);

impl Dice {
    /// Those of a test: `SEED` gives others.
    pub fn seeded(usual: u64) -> Dice {
        Dice(crate::random::seed(usual))
    }

    pub fn roll(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % n
    }
}

fn waits(kind: &str) -> bool {
    ["deadlock", "livelock"].contains(&kind)
}

/// What an exploration says of errors and data races.
pub fn findings(e: &Exploration) -> Vec<String> {
    let mut found: Vec<String> = e
        .errors
        .iter()
        .map(|error| {
            if !waits(error.kind) {
                // Who else has gone wrong in the same execution is no matter.
                return format!("{} {:x}", error.kind, error.pc);
            }
            let open = error.last.iter().filter(|l| l.ended == 0);
            format!(
                "{} {:x?}",
                error.kind,
                open.map(|l| (l.kind, l.pc)).collect::<Vec<_>>()
            )
        })
        .collect();
    found.extend(e.races.iter().map(|race| {
        let mut places = race.places.map(|p| p.1);
        places.sort_unstable();
        format!("race {places:x?}")
    }));
    found.sort_unstable();
    found
}

/// Whether an execution went wrong before its end.
pub fn cut_short(e: &Exploration) -> bool {
    e.errors.iter().any(|error| !waits(error.kind))
}
