//! `coarsen launch`: the processes of one search, on this machine. Those that were lost are replaced: all begin again
//! from the last level that all had on disk.

use super::args::LaunchArgs;
use super::exit::Exit;
use super::output::{Output, say};
use super::supervise::Interrupts;
use super::together::TOKEN;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

/// How often processes are looked at.
const POLL: Duration = Duration::from_millis(20);

/// How long those who were asked to end may take.
const GRACE: Duration = Duration::from_secs(3);

/// How long the others may take when one was lost.
const LAST: Duration = Duration::from_secs(15);

/// Options that say what this command decides.
const OURS: [&str; 4] = ["--distribute", "--process", "--port", "--listen"];

/// Starts the processes and waits for them.
pub fn run(args: &LaunchArgs, output: &mut Output) -> Exit {
    let named = |option: &str| {
        let joined = format!("{option}=");
        args.command
            .iter()
            .any(|a| a == option || a.starts_with(&joined))
    };
    let command = args.command.first().map(String::as_str);
    if !matches!(command, Some("reach" | "check")) {
        say("coarsen: launch is for `reach` and `check`: coarsen launch -n 2 -- reach MODEL");
        return Exit::Usage;
    }
    if let Some(option) = OURS.into_iter().find(|o| named(o)) {
        say(&format!(
            "coarsen: launch itself gives the processes {option}: leave it out"
        ));
        return Exit::Usage;
    }
    let own = std::env::temp_dir().join(format!("coarsen-launch-{}", std::process::id()));
    let mut launch = Launch {
        processes: usize::from(args.processes),
        command: args.command.clone(),
        cores: (!named("--cores")).then(|| cores(args.processes)),
        waits: !named("--wait"),
        keeps: named("--checkpoint") || named("--resume"),
        levels: own.join("levels"),
        interrupts: Interrupts::install(),
        own,
    };
    let result = launch.all(args.restarts);
    // Its levels are of use only if the search is not over.
    if !matches!(result, Ok((_, _, false))) || launch.keeps {
        let _ = std::fs::remove_dir_all(&launch.own);
    }
    match result {
        Ok((exit, report, _)) => {
            output.write(&String::from_utf8_lossy(&report));
            exit
        }
        Err(error) => {
            say(&format!("coarsen: can't start the processes: {error}"));
            Exit::Internal
        }
    }
}

/// The cores of each process.
fn cores(processes: u16) -> usize {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    (all / usize::from(processes)).max(1)
}

struct Launch {
    processes: usize,
    command: Vec<String>,
    cores: Option<usize>,
    /// Whether the command leaves open how long to wait.
    waits: bool,
    /// Whether it says where levels are kept.
    keeps: bool,
    levels: PathBuf,
    interrupts: Interrupts,
    own: PathBuf,
}

/// How the processes ended.
enum Ended {
    /// All by themselves.
    All,
    /// This one was killed, first of all.
    Lost(usize),
    /// One of them could not begin.
    Failed(Exit),
}

/// A process, and what process 0 prints.
struct Started {
    child: Child,
    ended: Option<ExitStatus>,
    printed: Option<JoinHandle<io::Result<Vec<u8>>>>,
}

impl Launch {
    /// Runs all, again if some were lost; how it ended, what was printed, and whether the search is over.
    fn all(&mut self, restarts: u32) -> io::Result<(Exit, Vec<u8>, bool)> {
        std::fs::create_dir_all(&self.own)?;
        let mut left = restarts;
        let mut resume = None;
        loop {
            let mut started = self.start(resume.as_deref())?;
            let ended = self.wait(&mut started)?;
            let report = match started[0].printed.take().map(JoinHandle::join) {
                Some(Ok(printed)) => printed?,
                _ => Vec::new(),
            };
            let code = started[0].ended.and_then(|e| e.code());
            let process = match ended {
                Ended::Lost(process) => process,
                Ended::Failed(exit) => return Ok((exit, report, true)),
                Ended::All => {
                    let exit = code.map_or(Exit::Unknown, Exit::of_code);
                    return Ok((exit, report, exit != Exit::Unknown));
                }
            };
            let kept = self.kept();
            let why = format!("process {process} was lost");
            if left == 0 || self.interrupts.pending() {
                say(&format!(
                    "coarsen: {why}; go on with: coarsen launch -n {} -- {}",
                    self.processes,
                    self.again(&kept)
                ));
                return Ok((Exit::Unknown, report, false));
            }
            left -= 1;
            let begun = kept.join("manifest.json").exists();
            say(&match begun {
                true => format!(
                    "coarsen: {why}; all go on from the last level in {}",
                    kept.display()
                ),
                false => format!("coarsen: {why}; all begin again"),
            });
            resume = begun.then_some(kept);
        }
    }

    /// The directory of the levels.
    fn kept(&self) -> PathBuf {
        let mut args = self.command.iter();
        while let Some(arg) = args.next() {
            for option in ["--checkpoint", "--resume"] {
                if arg == option {
                    return args.next().map(PathBuf::from).unwrap_or_default();
                }
                if let Some(directory) = arg.strip_prefix(option).and_then(|a| a.strip_prefix('='))
                {
                    return PathBuf::from(directory);
                }
            }
        }
        self.levels.clone()
    }

    /// The arguments without those that say where levels are.
    fn plain(&self) -> Vec<&str> {
        let mut all = Vec::new();
        let mut args = self.command.iter();
        while let Some(arg) = args.next() {
            match arg.split('=').next() {
                Some("--checkpoint" | "--resume") => {
                    if !arg.contains('=') {
                        args.next();
                    }
                }
                _ => all.push(arg.as_str()),
            }
        }
        all
    }

    fn again(&self, kept: &Path) -> String {
        let plain = self.plain();
        let words = plain.iter().copied().map(str::to_string);
        let words: Vec<String> = words
            .chain(["--resume".into(), kept.display().to_string()])
            .collect();
        shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default()
    }

    fn start(&self, resume: Option<&Path>) -> io::Result<Vec<Started>> {
        let hosts = self.own.join("hosts");
        // All are held until all are chosen, so that they differ.
        let ports = (0..self.processes).map(|_| TcpListener::bind("127.0.0.1:0"));
        let ports: Vec<TcpListener> = ports.collect::<io::Result<_>>()?;
        let mut lines = String::new();
        for port in &ports {
            lines += &format!("{}\n", port.local_addr()?);
        }
        drop(ports);
        std::fs::write(&hosts, lines)?;
        let token = format!("{:016x}", RandomState::new().build_hasher().finish());
        let program = std::env::current_exe()?;
        let mut all = Vec::new();
        for process in 0..self.processes {
            let mut command = Command::new(&program);
            match resume {
                None => {
                    command.args(&self.command);
                    if !self.keeps {
                        command.arg("--checkpoint").arg(&self.levels);
                    }
                }
                Some(kept) => {
                    command.args(self.plain()).arg("--resume").arg(kept);
                }
            }
            command.arg("--distribute").arg(&hosts);
            command.args(["--process", &process.to_string()]);
            if self.waits {
                command.args(["--wait", "60s"]);
            }
            if let Some(cores) = self.cores {
                command.args(["--cores", &cores.to_string()]);
            }
            // Ctrl-C is for this process, which passes it on.
            command
                .env(TOKEN, &token)
                .stdin(Stdio::null())
                .process_group(0);
            match process {
                0 => command.stdout(Stdio::piped()),
                _ => command.stdout(Stdio::null()).stderr(Stdio::null()),
            };
            let mut child = command.spawn()?;
            let printed = child.stdout.take().map(|mut out| {
                spawn(move || {
                    let mut all = Vec::new();
                    out.read_to_end(&mut all).map(|_| all)
                })
            });
            all.push(Started {
                child,
                ended: None,
                printed,
            });
        }
        Ok(all)
    }

    /// Waits until all have ended.
    fn wait(&self, all: &mut [Started]) -> io::Result<Ended> {
        let (mut ended, mut end): (Ended, Option<Instant>) = (Ended::All, None);
        loop {
            for (n, started) in all.iter_mut().enumerate() {
                if started.ended.is_some() {
                    continue;
                }
                started.ended = started.child.try_wait()?;
                let Some(status) = started.ended.filter(|_| end.is_none()) else {
                    continue;
                };
                match status.code().map(Exit::of_code) {
                    None => (ended, end) = (Ended::Lost(n), Some(Instant::now() + LAST)),
                    // The others wait for it in vain.
                    Some(exit @ (Exit::Internal | Exit::Usage | Exit::Input)) => {
                        (ended, end) = (Ended::Failed(exit), Some(Instant::now() + GRACE));
                    }
                    Some(_) => {}
                }
            }
            let running: Vec<&mut Started> = all.iter_mut().filter(|s| s.ended.is_none()).collect();
            if running.is_empty() {
                return Ok(ended);
            }
            if self.interrupts.pending() && end.is_none() {
                for started in &running {
                    let pid = i32::try_from(started.child.id())
                        .ok()
                        .and_then(Pid::from_raw);
                    let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
                }
                end = Some(Instant::now() + GRACE);
            }
            if end.is_some_and(|end| Instant::now() > end) {
                for started in running {
                    // It may have ended meanwhile.
                    let _ = started.child.kill();
                }
            }
            sleep(POLL);
        }
    }
}
