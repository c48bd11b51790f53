//! `coarsen test`: every schedule of a C program; and `coarsen replay`: one of them again.

use super::args::{Filter, Format, ReplayArgs, ScheduleFormat, TestArgs, TreatmentArg};
use super::exit::Exit;
use super::output::{Output, say};
use super::supervise::Interrupts;
use super::trace_file;
use coarsen::base::diagnostic::Position;
use coarsen::ctest::compile::{NotBuilt, Program, Sources, build};
use coarsen::ctest::debug::Debug;
use coarsen::ctest::explore::{ALONE, Exploration, PIECE, Settings, Watch, explore};
use coarsen::ctest::filters::Filters;
use coarsen::ctest::findings::{DataRace, Found};
use coarsen::ctest::history::Step;
use coarsen::ctest::hunt::{self, Hunt, Hunted};
use coarsen::ctest::names::{About, Names};
use coarsen::ctest::process::{Given, Process};
use coarsen::ctest::report::{DATA_RACE, Report, Treatment, Verdict};
use coarsen::ctest::shared::{self, Last};
use coarsen::ctest::shorten::{Outcome, follow, request, schedule, shorten};
use coarsen::ctest::trace::{Extras, Trace, VERSION};
use coarsen::report::ci::{Case, State};
use std::cell::Cell;
use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

/// What ends an exploration before its time.
struct Guard<'a> {
    interrupts: &'a Interrupts,
    deadline: Option<Instant>,
    began: Instant,
    told: Cell<Instant>,
    silent: bool,
}

impl Watch for Guard<'_> {
    fn progress(&self, e: &Exploration) {
        if self.silent || self.told.get().elapsed() < Duration::from_millis(500) {
            return;
        }
        self.told.set(Instant::now());
        let made = e.made();
        let rate = made as f64 / self.began.elapsed().as_secs_f64();
        eprint!(
            "\r{made} executions, {rate:.0}/s, longest {} steps ",
            e.depth
        );
    }

    fn stop(&self) -> Option<String> {
        if self.interrupts.pending() {
            return Some("interrupted".into());
        }
        let late = self.deadline.is_some_and(|d| Instant::now() >= d);
        late.then(|| "time".into())
    }
}

fn settings(args: &TestArgs, program: &Program) -> Settings {
    // In programs that say what an error is, only that and what is undefined is one.
    let deadlocks = match args.deadlocks {
        None if program.names_errors => TreatmentArg::List,
        None => TreatmentArg::Refute,
        Some(how) => how,
    };
    Settings {
        refute_stuck: deadlocks == TreatmentArg::Refute,
        // What a function is, all executions decide.
        keep_going: args.keep_going || args.movers,
        exhaustive: args.exhaustive || args.preemptions.is_some(),
        preemptions: args.preemptions,
        executions: args.limit_executions,
        steps: args.limit_steps,
        threads: shared::MAX_THREADS as u32,
        memory: args.limit_memory << 20,
        patience: Duration::from_secs(2),
        reset: program.reset && !args.fork,
        extras: extras(args),
        movers: args.movers,
        filters: filters(args),
        cores: args.cores.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            usize::from,
        ),
        piece: PIECE,
        alone: ALONE,
    }
}

/// The filters that are asked for; `source-dpor` is what is done without any.
fn filters(args: &TestArgs) -> Option<Filters> {
    let on = |f| args.filters.contains(&f);
    let filtered = !args.filters.is_empty() && !on(Filter::SourceDpor);
    filtered.then(|| Filters {
        not_seen_before: on(Filter::NotSeenBefore),
        super_step: on(Filter::SuperStep),
        local_cycles: on(Filter::LocalCycles),
        depth: args.depth,
    })
}

/// What can't be combined (the table is in docs/c-programs.md).
fn combined(args: &TestArgs) -> Result<(), &'static str> {
    let dpor = args.filters.contains(&Filter::SourceDpor);
    if dpor && args.filters.len() > 1 {
        return Err(
            "source-dpor is combined with no filter: it has sleep sets, and what may sleep on one way to a state need \
             not be allowed to on another",
        );
    }
    let others = args.exhaustive || args.preemptions.is_some() || args.movers;
    if args.hunt && (others || !args.filters.is_empty()) {
        return Err(
            "--hunt is not combined with --exhaustive, --preemptions, --movers and --filters: these want to see all \
             executions",
        );
    }
    if args.filters.is_empty() || dpor {
        return match args.depth {
            Some(_) => Err(
                "--depth belongs to --filters; without filters, --limit-steps bounds executions",
            ),
            None => Ok(()),
        };
    }
    if others {
        return Err(
            "--filters is not combined with --exhaustive, --preemptions and --movers: these want to see whole \
             executions",
        );
    }
    Ok(())
}

/// Which command takes a file that is no C program.
fn taken_by(file: &str) -> Option<&'static str> {
    match Path::new(file).extension()?.to_str()? {
        "cor" | "dve" => Some("check"),
        "thy" => Some("prove"),
        _ => None,
    }
}

/// Tests the program of `args`.
pub fn run(args: &TestArgs, output: &mut Output) -> Exit {
    let other = args.files.iter().find_map(|f| Some((f, taken_by(f)?)));
    if let Some((file, command)) = other {
        say(&format!(
            "coarsen: {file} is no C program; `coarsen {command} {file}` takes it"
        ));
        return Exit::Usage;
    }
    if let Err(why) = combined(args) {
        say(&format!(
            "coarsen: {why} (docs/c-programs.md says what may be combined)"
        ));
        return Exit::Usage;
    }
    let name = args.files.join(" ");
    let sources = Sources {
        files: args.files.clone(),
        cflags: args.cflags.clone(),
        compiler: args.cc.clone(),
    };
    let program = match build(&sources) {
        Ok(program) => program,
        Err(error) => return refuse(&name, &error, args.form.format(), output),
    };
    let mut settings = settings(args, &program);
    let mut process =
        match Process::start_in(&[], &program.path, given(&args.args, &args.stdin), false) {
            Ok(process) => process,
            Err(error) => {
                let error = NotBuilt::Failed(format!("the program can't be started: {error}"));
                return refuse(&name, &error, args.form.format(), output);
            }
        };
    let interrupts = Interrupts::install();
    let began = Instant::now();
    let guard = Guard {
        interrupts: &interrupts,
        deadline: args.limit_time.map(|t| began + t),
        began,
        told: Cell::new(began),
        silent: !std::io::stderr().is_terminal(),
    };
    let (mut exploration, hunted) = explored(args, &mut process, &settings, &guard);
    let time = began.elapsed();
    if !guard.silent {
        eprint!("\r\x1b[K");
    }
    if let Some((what, pc)) = exploration
        .refused
        .as_ref()
        .filter(|_| exploration.errors.is_empty())
    {
        let at = Debug::new(&program.path).place(*pc);
        let error = NotBuilt::Refused(format!("the program calls {what} (at {at})"));
        return refuse(&name, &error, args.form.format(), output);
    }
    settings.steps = settings
        .steps
        .max(exploration.depth as u32 + 1000)
        .min(shared::MAX_STEPS as u32);
    if !args.no_shorten {
        for error in &mut exploration.errors {
            shorter(&mut process, &settings, error, &guard);
        }
    }
    let debug = Debug::new(&program.path);
    name_all(&mut process, &settings, &debug, &mut exploration, &guard);
    if args.races == TreatmentArg::Refute {
        let races = exploration.races.iter().map(DataRace::error);
        exploration.errors.extend(races.collect::<Vec<_>>());
    }
    let report = Report {
        program: name,
        uncontrolled: program.uncontrolled.clone(),
        exhaustive: settings.exhaustive,
        preemptions: args.preemptions,
        movers: args.movers,
        hunted,
        races: args.races.into(),
        deadlocks: args.deadlocks.unwrap_or_default().into(),
        time,
        debug,
        exploration,
    };
    let mut exit = match report.verdict() {
        Verdict::Holds => Exit::Holds,
        Verdict::Refuted => Exit::Refuted,
        Verdict::Unknown => Exit::Unknown,
    };
    exit = exit.and(write_trace(args, &process, &report));
    output.cases(|| cases(&report, &args.files));
    match args.form.format() {
        Format::Json => output.line(serde_json::to_string(&report.json())),
        Format::Text => output.write(&report.text(args.quiet, args.verbose)),
    }
    exit
}

/// All executions, or random ones with what they have covered.
fn explored(
    args: &TestArgs,
    process: &mut Process,
    settings: &Settings,
    guard: &Guard,
) -> (Exploration, Option<(Hunt, Hunted)>) {
    if !args.hunt {
        return (explore(process, settings, guard), None);
    }
    let asked = Hunt {
        depth: args.bug_depth,
        seed: args.seed,
    };
    let (found, hunted) = hunt::explore(process, settings, asked, guard);
    (found, Some((asked, hunted)))
}

/// Writes the execution of the first error, if that is wanted and there is one.
fn write_trace(args: &TestArgs, process: &Process, report: &Report) -> Exit {
    let (Some(file), Some(error)) = (&args.trace, report.exploration.errors.first()) else {
        return Exit::Holds;
    };
    let form = args
        .trace_format
        .unwrap_or_else(|| ScheduleFormat::of(file));
    if let Some(form) = form.of_models() {
        let trace = report.trace(error);
        return trace_file::write((file, form), &report.program, "error", &trace);
    }
    let trace = trace(args, process, error, report.place(error));
    let text = serde_json::to_string(&trace).map_err(std::io::Error::from);
    written(file, text.map(|text| text + "\n"))
}

/// The answers about a program: each error, or that there is none.
fn cases(report: &Report, files: &[String]) -> Vec<Case> {
    let first = files.first().map_or("", String::as_str);
    let errors = report.exploration.errors.iter().map(|error| {
        let at = report.place(error);
        let at = at.rsplit_once(':');
        let at = at.and_then(|(file, line)| Some((file, line.parse().ok()?)));
        // Debug information knows a file by the name that the compiler was given, or a longer one.
        let is_named = |file: &&String| {
            at.is_some_and(|(known, _)| {
                Path::new(known).ends_with(file) || Path::new(file).ends_with(known)
            })
        };
        let named = files.iter().find(is_named).map(String::as_str);
        Case {
            file: named.or(at.map(|a| a.0)).unwrap_or(first).to_string(),
            name: error.kind.to_string(),
            state: State::Failed,
            message: report.describe(error),
            place: at.map(|(_, line)| Position { line, column: 1 }),
        }
    });
    let errors: Vec<Case> = errors.collect();
    match report.verdict() {
        Verdict::Refuted => errors,
        verdict => vec![Case {
            file: first.to_string(),
            name: "schedules".to_string(),
            state: match verdict {
                Verdict::Holds => State::Passed,
                _ => State::Open,
            },
            message: report.text(true, false).trim_end().to_string(),
            place: None,
        }],
    }
}

/// Writes a file, or says why not.
fn written(file: &Path, text: std::io::Result<String>) -> Exit {
    match text.and_then(|text| std::fs::write(file, text)) {
        Ok(()) => Exit::Holds,
        Err(error) => {
            say(&format!("coarsen: can't write {}: {error}", file.display()));
            Exit::Internal
        }
    }
}

/// Finds out by name what errors and data races are about: their executions are made once more.
fn name_all(
    process: &mut Process,
    settings: &Settings,
    debug: &Debug,
    e: &mut Exploration,
    guard: &Guard,
) {
    let mut name = |steps: &[Step], after: u32, last: &[Last], about: About| {
        let settings = Settings {
            steps: steps.len().max(1) as u32,
            ..settings.clone()
        };
        // When the time is up, variables have names, and blocks of the heap have none.
        let outcome = match guard.stop() {
            None => follow(process, &settings, &schedule(steps), after),
            Some(_) => None,
        };
        let seen = outcome.map(|o| o.seen).unwrap_or_default();
        Names::new(debug, &seen, steps, last, about)
    };
    for error in e
        .errors
        .iter_mut()
        .chain(&mut e.stuck)
        .chain(&mut e.left_as)
    {
        error.names = name(&error.steps, error.after, &error.last, error.about());
    }
    for race in &mut e.races {
        race.names = name(&race.steps, race.after, &[], About::Piece(race.addr));
    }
}

/// Replaces the schedule of an error by one with fewer preemptions.
fn shorter(process: &mut Process, settings: &Settings, error: &mut Found, guard: &Guard) {
    if guard.stop().is_some() {
        return;
    }
    if let Some(found) = shorten(process, settings, error, &|| guard.stop().is_some()) {
        *error = found;
    }
}

fn given(args: &[String], stdin: &Option<String>) -> Given {
    Given {
        args: args.to_vec(),
        stdin: stdin.as_ref().map(Into::into),
    }
}

fn extras(args: &TestArgs) -> Extras {
    Extras {
        spurious: args.spurious,
        oom: args.oom,
        leaks: args.leaks,
        uninitialised: args.uninitialised,
    }
}

fn trace(args: &TestArgs, process: &Process, error: &Found, place: String) -> Trace {
    Trace {
        schema_version: VERSION,
        format: "coarsen-c-trace".into(),
        files: args.files.clone(),
        cflags: args.cflags.clone(),
        compiler: args.cc.clone(),
        args: args.args.clone(),
        stdin: args.stdin.clone(),
        extras: extras(args),
        kind: error.kind.into(),
        place,
        threads: process.names(),
        after: error.after,
        schedule: error.steps.iter().map(|s| [s.thread, s.choice]).collect(),
    }
}

fn refuse(name: &str, error: &NotBuilt, format: Format, output: &mut Output) -> Exit {
    let (exit, reason) = match error {
        NotBuilt::Missing(text) | NotBuilt::Failed(text) => (Exit::Internal, text.clone()),
        NotBuilt::Rejected(text) => {
            say(text);
            (Exit::Input, "the program can't be built".to_string())
        }
        NotBuilt::Refused(text) => (Exit::Input, text.clone()),
    };
    say(&format!("coarsen: {name}: {reason}"));
    output.cases(|| vec![Case::broken(name, &reason)]);
    match format {
        Format::Text => output.write(&format!("{name}: error - {reason}\n")),
        Format::Json => {
            let object = serde_json::json!({
                "schema_version": coarsen::ctest::report::VERSION,
                "program": name, "verdict": "error", "reason": reason,
            });
            output.line(serde_json::to_string(&object));
        }
    }
    exit
}

/// Repeats the execution of a trace.
pub fn replay(args: &ReplayArgs, output: &mut Output) -> Exit {
    let name = args.trace.display().to_string();
    if args.gdb {
        return match debug(args) {
            Ok(()) => Exit::Holds,
            Err(error) => refuse(&name, &error, args.format, output),
        };
    }
    let (trace, program, outcome) = match repeat(&args.trace, args.output) {
        Ok(repeated) => repeated,
        Err(error) => return refuse(&name, &error, args.format, output),
    };
    let debug = Debug::new(&program.path);
    let exploration = repeated(&trace, outcome, &debug);
    let report = Report {
        program: trace.files.join(" "),
        uncontrolled: Vec::new(),
        exhaustive: false,
        preemptions: None,
        movers: false,
        hunted: None,
        races: Treatment::default(),
        deadlocks: Treatment::default(),
        time: Duration::ZERO,
        debug,
        exploration,
    };
    let found = report.exploration.errors.first();
    let same = found.is_some_and(|e| e.kind == trace.kind && report.place(e) == trace.place);
    match args.format {
        Format::Json => output.line(serde_json::to_string(&report.json())),
        Format::Text if same => output.write(&report.text(args.quiet, args.verbose)),
        Format::Text => {}
    }
    if same {
        return Exit::Refuted;
    }
    let error = NotBuilt::Refused(format!(
        "the program does not repeat `{}` at {}: it or its compiler has changed",
        trace.kind, trace.place
    ));
    refuse(&name, &error, Format::Text, output)
}

/// Reads a trace and builds its program.
fn traced(trace: &Path) -> Result<(Trace, Program), NotBuilt> {
    let text = std::fs::read_to_string(trace)
        .map_err(|error| NotBuilt::Failed(format!("can't read the file: {error}")))?;
    let trace = Trace::read(&text).map_err(NotBuilt::Refused)?;
    let program = build(&Sources {
        files: trace.files.clone(),
        cflags: trace.cflags.clone(),
        compiler: trace.compiler.clone(),
    })?;
    Ok((trace, program))
}

/// For one execution, that of a trace.
fn settings_of(trace: &Trace) -> Settings {
    Settings {
        refute_stuck: true,
        keep_going: false,
        exhaustive: false,
        preemptions: None,
        executions: 1,
        steps: shared::MAX_STEPS as u32,
        threads: shared::MAX_THREADS as u32,
        memory: 4 << 30,
        patience: Duration::from_secs(10),
        reset: false,
        extras: trace.extras,
        movers: false,
        filters: None,
        cores: 1,
        piece: PIECE,
        alone: ALONE,
    }
}

/// Runs the program of a trace by its schedule, with what it prints if that is wanted.
fn repeat(trace: &Path, prints: bool) -> Result<(Trace, Program, Outcome), NotBuilt> {
    let (trace, program) = traced(trace)?;
    let mut process =
        Process::start_in(&[], &program.path, given(&trace.args, &trace.stdin), prints)?;
    process.set_names(&trace.threads);
    process.shared_mut().show = prints.into();
    let settings = settings_of(&trace);
    let outcome = follow(&mut process, &settings, &trace.orders(), trace.after);
    process.finish();
    match outcome {
        Some(outcome) => Ok((trace, program, outcome)),
        None => Err(NotBuilt::Failed("the program's process ended".into())),
    }
}

/// What gdb does before it is the user's: the program is followed to the step, and on to where it goes on behind it.
const GDB: &str = "set pagination off\nset confirm off\nset startup-with-shell off\nset follow-fork-mode child\n\
    handle SIGXCPU SIGVTALRM SIGPROF nostop noprint pass\nbreak coarsen_step_reached\ncommands\nsilent\n\
    tbreak *$rdi\ncontinue\nend\nrun\n";

/// Runs the program of a trace in gdb, which stops behind a step: the last one, if none is named.
fn debug(args: &ReplayArgs) -> Result<(), NotBuilt> {
    let (trace, program) = traced(&args.trace)?;
    let steps = trace.schedule.len();
    let step = args.step.unwrap_or(steps as u32);
    if step == 0 || step as usize > steps {
        let most = format!("the execution has {steps} steps: --step takes one of 1 to {steps}");
        return Err(NotBuilt::Refused(most));
    }
    let script = program.path.with_extension("gdb");
    std::fs::write(&script, GDB)?;
    let before = ["gdb", "-q", "-x"].map(OsStr::new);
    let before = [&before[..], &[script.as_os_str(), OsStr::new("--args")]].concat();
    let process = Process::start_in(
        &before,
        &program.path,
        given(&trace.args, &trace.stdin),
        true,
    );
    let mut process = process.map_err(|error| NotBuilt::Missing(format!("`gdb`: {error}")))?;
    process.set_names(&trace.threads);
    request(
        &mut process,
        &settings_of(&trace),
        &trace.orders(),
        trace.after,
    );
    process.shared_mut().stop_at = step;
    process.shared_mut().show = 1;
    say(&format!(
        "gdb follows the execution of {} to step {step} of {steps}",
        args.trace.display()
    ));
    Ok(process.run()?)
}

/// What the execution of a trace shows.
fn repeated(trace: &Trace, outcome: Outcome, debug: &Debug) -> Exploration {
    let mut exploration = Exploration {
        executions: 1,
        finished: true,
        steps: outcome.steps.len() as u64,
        depth: outcome.steps.len(),
        threads: outcome.last.len(),
        ..Exploration::default()
    };
    let stuck = outcome.stuck();
    // A data race is no error of its execution: its two accesses have to come again.
    let raced = outcome.steps.get(trace.schedule.len().wrapping_sub(1));
    if let Some(second) = raced.filter(|_| trace.kind == DATA_RACE) {
        exploration.errors.push(Found {
            kind: DATA_RACE,
            message: String::new(),
            thread: Some(second.thread),
            pc: second.pc,
            addr: second.addr,
            steps: outcome.steps[..trace.schedule.len()].to_vec(),
            after: trace.after,
            last: Vec::new(),
            names: Names::default(),
        });
    } else if let Some(error) = outcome.errors.into_iter().nth(trace.after as usize) {
        exploration.errors.push(error);
    } else if let Some(kind) = stuck {
        let stuck = Found::stuck(kind, outcome.steps, outcome.last);
        exploration.errors.push(stuck);
    }
    for error in &mut exploration.errors {
        let (steps, last) = (&error.steps, &error.last);
        error.names = Names::new(debug, &outcome.seen, steps, last, error.about());
    }
    exploration
}

impl From<TreatmentArg> for Treatment {
    fn from(how: TreatmentArg) -> Treatment {
        match how {
            TreatmentArg::List => Treatment::List,
            TreatmentArg::Refute => Treatment::Refute,
            TreatmentArg::Off => Treatment::Off,
        }
    }
}
