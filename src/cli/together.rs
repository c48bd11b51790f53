//! Several processes for one search: who they are, how they come together, and where the levels are.

use super::args::TogetherArgs;
use super::limits::Limits;
use super::model_run::Wrong;
use super::output::say;
use coarsen::base::control::Control;
use coarsen::base::results::distributed::Distributed;
use coarsen::distributed::{Apart, Cluster, Lock, Purpose, Storage, Together};
use sha2::{Digest, Sha256};
use std::net::{IpAddr, ToSocketAddrs};
use std::path::PathBuf;

/// The variable that may have the token.
pub const TOKEN: &str = "COARSEN_TOKEN";

/// What a process takes before there are states.
const BASE: u64 = 16 << 20;

/// The part of the rest that states may take: tables double, and the old one is there meanwhile; sorting takes room.
const PART: u64 = 4;

/// What states may take in any case.
const LEAST: u64 = 1 << 20;

/// A search on several processes, or one whose levels are kept.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who takes part.
    pub cluster: Cluster,
    /// Where levels are kept; none for a directory that goes when the search ends.
    directory: Option<PathBuf>,
    resume: bool,
    memory: Option<u64>,
    disk: Option<u64>,
}

impl Plan {
    /// What the arguments ask for, if they do.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn of(
        args: &TogetherArgs,
        models: &[String],
        limits: &Limits,
        cores: Option<u16>,
    ) -> Result<Option<Self>, String> {
        let directory = args.resume.clone().or_else(|| args.checkpoint.clone());
        if args.distribute.is_none() && directory.is_none() {
            return Ok(None);
        }
        refused(&[
            (models.len() > 1, "several models"),
            (
                models.iter().any(|m| m == "-"),
                "a model from standard input",
            ),
        ])?;
        let addresses = match &args.distribute {
            None => Vec::new(),
            Some(text) => addresses(text, args.port)?,
        };
        let processes = addresses.len().max(1);
        let process = match args.process {
            Some(process) if process >= processes => {
                return Err(format!(
                    "--process {process}: there are {processes} processes, numbered from 0"
                ));
            }
            Some(process) => process,
            None if processes == 1 => 0,
            None => {
                return Err(
                    "--distribute needs --process: which of them this one is, from 0".into(),
                );
            }
        };
        let machine = std::thread::available_parallelism().map_or(1, usize::from);
        let cluster = Cluster {
            process,
            token: token(args)?,
            listen: args.listen.clone(),
            workers: cores.map_or(machine, usize::from),
            patience: args.wait,
            addresses,
        };
        if cluster.is_too_large() {
            return Err(format!(
                "{} workers are more than can be numbered",
                cluster.all_workers()
            ));
        }
        if cluster.token.is_empty() && processes > 1 {
            let own = cluster
                .listen
                .as_ref()
                .unwrap_or(&cluster.addresses[process]);
            if !is_local(own) {
                return Err(format!(
                    "{own} can be reached from elsewhere: give all processes the same secret, by --token FILE or the \
                     environment variable {TOKEN}"
                ));
            }
        }
        Ok(Some(Plan {
            cluster,
            directory,
            resume: args.resume.is_some(),
            memory: limits.memory,
            disk: limits.disk,
        }))
    }

    /// The same, unless something was asked for that does not go with it.
    ///
    /// # Errors
    /// What that is.
    pub fn unless(self, asked: &[(bool, &str)]) -> Result<Self, String> {
        refused(asked).map(|()| self)
    }

    /// Whether this is the process that tells the answer.
    pub fn is_first(&self) -> bool {
        self.cluster.process == 0
    }

    /// Meets the others, for this model and this question.
    ///
    /// # Errors
    /// If they don't come, or for something else, or there is no place for the levels.
    pub fn meet(&self, source: &str, about: String, control: &Control) -> Result<Together, Wrong> {
        control.enter("waiting for the other processes");
        let purpose = Purpose {
            version: env!("CARGO_PKG_VERSION").to_string(),
            model: format!("{:x}", Sha256::digest(source.as_bytes())),
            options: about.clone(),
        };
        let own = match &self.directory {
            Some(directory) => Some(self.place(directory.clone(), about.clone(), &purpose)?),
            None => None,
        };
        let gone = || control.check().is_err();
        let peers = self
            .cluster
            .connect(&purpose, &gone)
            .map_err(|why| match why {
                Apart::Absent(..) | Apart::Broken(..) => Wrong::Stopped(match control.check() {
                    Err(stop) => format!("stopped by {stop} while waiting for the other processes"),
                    Ok(()) => format!("{why}; nothing was explored"),
                }),
                Apart::Deaf(..) | Apart::Different { .. } | Apart::Token(_) => {
                    Wrong::Usage(why.to_string())
                }
            })?;
        let own = match own {
            Some(own) => own,
            None => {
                let directory = std::env::temp_dir().join(format!("coarsen-{}", peers.run));
                self.place(directory, about, &purpose)?
            }
        };
        Ok(Together::new(peers, own))
    }

    /// A directory that is fit, for this process.
    fn place(
        &self,
        directory: PathBuf,
        about: String,
        purpose: &Purpose,
    ) -> Result<(Storage, Lock), Wrong> {
        let storage = self.storage(directory, about);
        let prepared = storage.prepare(&purpose.fingerprint());
        let locked = prepared.and_then(|()| storage.lock(self.cluster.process));
        match locked {
            Ok(lock) => Ok((storage, lock)),
            Err(why) => Err(Wrong::Usage(why.to_string())),
        }
    }

    fn storage(&self, directory: PathBuf, about: String) -> Storage {
        let workers = self.cluster.workers as u64;
        let share = self
            .memory
            .map(|bytes| (bytes.saturating_sub(BASE) / PART / workers).max(LEAST));
        Storage {
            directory,
            resume: self.resume,
            passing: self.directory.is_none(),
            share: share.and_then(|bytes| usize::try_from(bytes).ok()),
            disk: self.disk,
            about,
        }
    }
}

fn refused(asked: &[(bool, &str)]) -> Result<(), String> {
    match asked.iter().find(|(asked, _)| *asked) {
        Some((_, what)) => Err(format!(
            "a search with --distribute, --checkpoint or --resume does not go with {what} (docs/distributed.md)"
        )),
        None => Ok(()),
    }
}

/// What a process says that does not tell the answer: that of process 0 has all, but not what happens here.
pub fn tell(name: &str, how: Option<&Distributed>) {
    if let Some(trouble) = how.and_then(|d| d.trouble.as_ref()) {
        say(&format!("coarsen: {name}: {trouble}"));
    }
}

/// What is asked, as all processes have to ask it, and those who go on from its levels: the command, the constants and
/// what else is switched on.
pub fn begun(command: &str, defines: &[(String, String)], flags: &[(bool, &str)]) -> Vec<String> {
    let mut all = vec![command.to_string()];
    all.extend(
        defines
            .iter()
            .map(|(name, value)| format!("-D {name}={value}")),
    );
    let on = flags.iter().filter(|(on, _)| *on);
    all.extend(on.map(|(_, flag)| (*flag).to_string()));
    all
}

/// Addresses from a file, or so many on this machine.
fn addresses(text: &str, port: u16) -> Result<Vec<String>, String> {
    if let Ok(processes) = text.parse::<u16>() {
        let last = processes
            .checked_sub(1)
            .ok_or("--distribute 0: there is one process at least")?;
        if port.checked_add(last).is_none() {
            return Err(format!("there are no {processes} ports from {port} on"));
        }
        return Ok((0..processes)
            .map(|n| format!("127.0.0.1:{}", port + n))
            .collect());
    }
    let file = std::fs::read_to_string(text).map_err(|error| {
        format!("--distribute takes a number of processes, or a file with an address on each line; {text}: {error}")
    })?;
    let lines = file
        .lines()
        .map(|l| l.split('#').next().unwrap_or("").trim());
    let all: Vec<String> = lines
        .filter(|l| !l.is_empty())
        .map(str::to_string)
        .collect();
    if all.is_empty() {
        return Err(format!(
            "{text} has no address: one on each line, such as node1:34600"
        ));
    }
    for (n, address) in all.iter().enumerate() {
        let port = address
            .rsplit_once(':')
            .and_then(|(_, port)| port.parse::<u16>().ok());
        if port.is_none() {
            return Err(format!(
                "{text}: `{address}` is no address; expected host:port, such as node1:34600"
            ));
        }
        if all[..n].contains(address) {
            return Err(format!("{text}: `{address}` is there twice"));
        }
    }
    Ok(all)
}

/// The secret that all have.
fn token(args: &TogetherArgs) -> Result<String, String> {
    match &args.token {
        Some(file) => {
            let text =
                std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
            match text.trim() {
                "" => Err(format!(
                    "{} is empty: there is no token in it",
                    file.display()
                )),
                token => Ok(token.to_string()),
            }
        }
        None => Ok(std::env::var(TOKEN).unwrap_or_default()),
    }
}

/// Whether an address is of this machine only.
fn is_local(address: &str) -> bool {
    let found = address.to_socket_addrs();
    found.is_ok_and(|mut all| {
        all.all(|a| match a.ip() {
            IpAddr::V4(ip) => ip.is_loopback(),
            IpAddr::V6(ip) => ip.is_loopback(),
        })
    })
}
