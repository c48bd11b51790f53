//! The other processes: connecting with them, and seeing that they have come for the same thing.
//!
//! Each process dials those before it and waits for those behind it, twice: for states, and for signs of life. Both
//! sides show that they know the token by a keyed hash of random numbers, so it is not sent. Then they compare what
//! they are about to do. What follows is neither encrypted nor authenticated.

use super::levels::WORKERS;
use super::pulse::Heart;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Who takes part, and as whom this process does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The number of this process.
    pub process: usize,
    /// Where each process is reached; one alone needs no address.
    pub addresses: Vec<String>,
    /// Where this one listens, if that is elsewhere.
    pub listen: Option<String>,
    /// What all know and no one else does.
    pub token: String,
    /// Workers of each process.
    pub workers: usize,
    /// How long the others may take to come.
    pub patience: Duration,
}

/// What all processes have to agree on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purpose {
    /// The version of the tool.
    pub version: String,
    /// A hash of the model's text.
    pub model: String,
    /// What was asked, and how.
    pub options: String,
}

impl Purpose {
    /// A short name for all of it.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for part in [&self.version, &self.model, &self.options] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let bytes = hash.finalize();
        bytes[..16].iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// Why a process does not take part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Apart {
    /// It can't listen.
    #[error("can't listen at {0}: {1}")]
    Deaf(String, String),
    /// The others have not come.
    #[error("process {0} was not reached within {1} s (at {2})")]
    Absent(usize, u64, String),
    /// Another process has come for something else.
    #[error(
        "process {process} has come for something else: its {what} is {theirs}, here it is {ours}"
    )]
    Different {
        /// Which one.
        process: usize,
        /// What differs.
        what: &'static str,
        /// There.
        theirs: String,
        /// Here.
        ours: String,
    },
    /// Another process does not know the token.
    #[error("process {0} does not know the token")]
    Token(usize),
    /// A connection fails.
    #[error("the connection with process {0} fails: {1}")]
    Broken(usize, String),
}

/// Connections with all other processes.
#[derive(Debug)]
pub struct Peers {
    /// Who takes part.
    pub cluster: Cluster,
    /// What for.
    pub purpose: Purpose,
    /// The number of the run, from process 0.
    pub run: String,
    /// For states, by process; none with this one.
    pub(super) streams: Vec<Option<TcpStream>>,
    /// For signs of life.
    pub(super) heart: Heart,
}

/// What is said first.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Hello {
    process: usize,
    processes: usize,
    workers: usize,
    run: String,
    purpose: Purpose,
}

/// First bytes of a connection, of the one who dials and of the one who listens.
const DIALS: &[u8; 16] = b"coarsen dials 1\n";
const HEARS: &[u8; 16] = b"coarsen hears 1\n";

/// How long one waits for a word while connecting.
const WORD: Duration = Duration::from_secs(3);

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// What a connection is for.
const FOR: [u8; 2] = [b's', b'l'];

impl Cluster {
    /// How many workers there are in all.
    pub fn all_workers(&self) -> usize {
        self.workers * self.addresses.len().max(1)
    }

    /// Whether there are more workers than can be numbered.
    pub fn is_too_large(&self) -> bool {
        self.all_workers() > WORKERS
    }

    /// Connects with all others, who must have come for the same purpose.
    ///
    /// # Errors
    /// If they have not come, or for something else. `gone` says whether not to wait any longer.
    pub fn connect(&self, purpose: &Purpose, gone: &dyn Fn() -> bool) -> Result<Peers, Apart> {
        let processes = self.addresses.len().max(1);
        let mut hello = Hello {
            process: self.process,
            processes,
            workers: self.workers,
            run: random()[..8].iter().map(|b| format!("{b:02x}")).collect(),
            purpose: purpose.clone(),
        };
        let mut made: Vec<[Option<TcpStream>; 2]> = (0..processes).map(|_| [None, None]).collect();
        let end = Instant::now() + self.patience;
        let late = |process: usize| {
            Apart::Absent(
                process,
                self.patience.as_secs(),
                self.addresses[process].clone(),
            )
        };
        let listener = match self.process + 1 < processes {
            true => Some(self.bind(&self.addresses[self.process])?),
            false => None,
        };
        for (process, made) in made.iter_mut().enumerate().take(self.process) {
            for purpose in FOR {
                let (stream, theirs) = loop {
                    match self.dial(process, purpose, &hello) {
                        Ok(reached) => break reached,
                        Err(apart @ (Apart::Different { .. } | Apart::Token(_))) => {
                            return Err(apart);
                        }
                        Err(_) if Instant::now() < end && !gone() => sleep(PAUSE),
                        Err(_) => return Err(late(process)),
                    }
                };
                if process == 0 {
                    hello.run = theirs.run;
                }
                made[usize::from(purpose == FOR[1])] = Some(stream);
            }
        }
        let mut refused = None;
        while let Some(missing) =
            (self.process + 1..processes).find(|p| made[*p].iter().any(Option::is_none))
        {
            if Instant::now() > end || gone() {
                return Err(refused.unwrap_or_else(|| late(missing)));
            }
            match listener.as_ref().map(TcpListener::accept) {
                Some(Ok((stream, _))) => match self.hear(stream, &hello) {
                    Ok((process, purpose, stream)) => {
                        made[process][usize::from(purpose == FOR[1])] = Some(stream);
                    }
                    Err(Some(apart @ Apart::Different { .. })) => return Err(apart),
                    // Whoever it was, the right one may still come.
                    Err(other) => refused = other.or(refused),
                },
                _ => sleep(PAUSE),
            }
        }
        let (mut states, mut life) = (Vec::new(), Vec::new());
        for (process, [state, sign]) in made.into_iter().enumerate() {
            states.push(state);
            life.extend(sign.map(|s| (process, s)));
        }
        let heart = Heart::start(life, self.workers)
            .map_err(|e| Apart::Broken(self.process, e.to_string()))?;
        Ok(Peers {
            cluster: self.clone(),
            purpose: purpose.clone(),
            run: hello.run,
            streams: states,
            heart,
        })
    }

    fn bind(&self, own: &str) -> Result<TcpListener, Apart> {
        let at = self.listen.as_deref().unwrap_or(own);
        let deaf = |e: io::Error| Apart::Deaf(at.to_string(), e.to_string());
        let listener = TcpListener::bind(at).map_err(deaf)?;
        listener.set_nonblocking(true).map_err(deaf)?;
        Ok(listener)
    }

    /// Connects with a process before this one.
    fn dial(
        &self,
        process: usize,
        purpose: u8,
        hello: &Hello,
    ) -> Result<(TcpStream, Hello), Apart> {
        let broken = |e: io::Error| Apart::Broken(process, e.to_string());
        let addresses = self.addresses[process].to_socket_addrs().map_err(broken)?;
        let mut reached: io::Result<TcpStream> = Err(ErrorKind::NotFound.into());
        for address in addresses {
            reached = reached.or_else(|_| TcpStream::connect_timeout(&address, WORD));
        }
        let mut stream = reached.map_err(broken)?;
        timed(&stream, Some(WORD)).map_err(broken)?;
        let nonce = random();
        stream.write_all(DIALS).map_err(broken)?;
        stream.write_all(&nonce).map_err(broken)?;
        expect(&mut stream, HEARS).map_err(broken)?;
        let (mut theirs, mut proof) = ([0; 32], [0; 32]);
        stream.read_exact(&mut theirs).map_err(broken)?;
        stream.read_exact(&mut proof).map_err(broken)?;
        if !self.shown(b"hears", &nonce, &theirs, &proof) {
            return Err(Apart::Token(process));
        }
        let own = self.proof(b"dials", &nonce, &theirs);
        stream.write_all(&own).map_err(broken)?;
        stream.write_all(&[purpose]).map_err(broken)?;
        send(&mut stream, hello).map_err(broken)?;
        // One who is not believed is not answered.
        let answer: Hello = match receive(&mut stream) {
            Ok(answer) => answer,
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Err(Apart::Token(process)),
            Err(e) => return Err(broken(e)),
        };
        self.same(process, hello, &answer)?;
        timed(&stream, None).map_err(broken)?;
        Ok((stream, answer))
    }

    /// Answers one who has dialled. `Err(None)` if it was nobody.
    fn hear(
        &self,
        mut stream: TcpStream,
        hello: &Hello,
    ) -> Result<(usize, u8, TcpStream), Option<Apart>> {
        let nobody = |_: io::Error| None;
        stream.set_nonblocking(false).map_err(nobody)?;
        timed(&stream, Some(WORD)).map_err(nobody)?;
        expect(&mut stream, DIALS).map_err(nobody)?;
        let mut theirs = [0; 32];
        stream.read_exact(&mut theirs).map_err(nobody)?;
        let nonce = random();
        stream.write_all(HEARS).map_err(nobody)?;
        stream.write_all(&nonce).map_err(nobody)?;
        let own = self.proof(b"hears", &theirs, &nonce);
        stream.write_all(&own).map_err(nobody)?;
        let mut proof = [0; 32];
        stream.read_exact(&mut proof).map_err(nobody)?;
        if !self.shown(b"dials", &theirs, &nonce, &proof) {
            return Err(None);
        }
        let mut purpose = [0];
        stream.read_exact(&mut purpose).map_err(nobody)?;
        let theirs: Hello = receive(&mut stream).map_err(nobody)?;
        let process = theirs.process;
        send(&mut stream, hello).map_err(nobody)?;
        self.same(process, hello, &theirs).map_err(Some)?;
        let expected = self.process < process && process < self.addresses.len();
        if !expected || !FOR.contains(&purpose[0]) {
            return Err(None);
        }
        timed(&stream, None).map_err(nobody)?;
        Ok((process, purpose[0], stream))
    }

    /// Whether another process has come for the same.
    fn same(&self, process: usize, ours: &Hello, theirs: &Hello) -> Result<(), Apart> {
        let number = |n: usize| n.to_string();
        let (a, b) = (&ours.purpose, &theirs.purpose);
        let all = [
            ("version", a.version.clone(), b.version.clone()),
            ("model", a.model.clone(), b.model.clone()),
            ("question", a.options.clone(), b.options.clone()),
            (
                "number of processes",
                number(ours.processes),
                number(theirs.processes),
            ),
            (
                "number of workers (--cores)",
                number(ours.workers),
                number(theirs.workers),
            ),
        ];
        for (what, ours, theirs) in all {
            if ours != theirs {
                return Err(Apart::Different {
                    process,
                    what,
                    theirs,
                    ours,
                });
            }
        }
        Ok(())
    }

    fn proof(&self, who: &[u8], dials: &[u8; 32], hears: &[u8; 32]) -> [u8; 32] {
        self.keyed(who, dials, hears).finalize().into_bytes().into()
    }

    fn shown(&self, who: &[u8], dials: &[u8; 32], hears: &[u8; 32], proof: &[u8; 32]) -> bool {
        self.keyed(who, dials, hears).verify_slice(proof).is_ok()
    }

    fn keyed(&self, who: &[u8], dials: &[u8; 32], hears: &[u8; 32]) -> Hmac<Sha256> {
        // Keys of any length will do; a shorter one is never refused.
        let key = self.token.as_bytes();
        let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap_or_else(|_| unreachable!());
        mac.update(who);
        mac.update(dials);
        mac.update(hears);
        mac
    }
}

fn timed(stream: &TcpStream, most: Option<Duration>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(most)?;
    stream.set_write_timeout(most)
}

fn expect(stream: &mut TcpStream, words: &[u8; 16]) -> io::Result<()> {
    let mut read = [0; 16];
    stream.read_exact(&mut read)?;
    match read == *words {
        true => Ok(()),
        false => Err(ErrorKind::InvalidData.into()),
    }
}

/// The longest greeting.
const LONGEST: usize = 1 << 20;

fn send(stream: &mut TcpStream, hello: &Hello) -> io::Result<()> {
    let text = serde_json::to_vec(hello)?;
    stream.write_all(&(text.len() as u32).to_be_bytes())?;
    stream.write_all(&text)
}

fn receive(stream: &mut TcpStream) -> io::Result<Hello> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > LONGEST {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut text = vec![0; length];
    stream.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Bytes that no one can guess, or on systems without a source of them, that no one has had before.
fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    let drawn = std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes));
    if drawn.is_err() {
        for part in bytes.chunks_mut(8) {
            let word = RandomState::new().build_hasher().finish();
            part.copy_from_slice(&word.to_le_bytes());
        }
    }
    bytes
}
