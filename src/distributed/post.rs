//! Carries states between workers, in rounds: the only part that knows timely dataflow.
//!
//! A dataflow of one operator and a loop. Times are rounds: what is sent in one arrives in the next, and a round is
//! complete when timely's progress tracking says that no worker can send in it any more (Murray et al. 2013). Each
//! worker of the search has such an operator in a thread of timely's. Timely answers the end of a connection with a
//! panic; that then happens to that thread only.

use super::tell::Tell;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, unbounded};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::net::{Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{Allocator, AllocatorBuilder, Hooks, WorkerGuards, initialize_from};
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::scheduling::SyncActivator;
use timely::worker::Worker;

/// How timely's threads are called.
const THREADS: &str = "timely:";

/// How long a thread of timely's sleeps at most.
const NAP: Duration = Duration::from_millis(100);

/// What is sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Sent {
    /// Records: a head and a state each.
    States(Vec<u64>),
    /// How far a worker has come.
    Tell(Box<Tell>),
}

/// What is sent from one worker to another in a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Letter {
    pub to: usize,
    pub from: usize,
    pub round: u64,
    pub sent: Sent,
}

/// What comes.
pub(super) enum Come {
    Letter(Letter),
    /// All letters of the round have come.
    All,
    /// Nothing, for a while.
    Nothing,
    /// Nothing will any more.
    Closed,
}

enum Event {
    Letter(Letter),
    Complete(u64),
}

/// A worker's side.
pub(super) struct Post {
    outgoing: Sender<Vec<Letter>>,
    incoming: Receiver<Event>,
    wake: SyncActivator,
    round: u64,
    /// Letters of the next round, from those who are faster.
    early: VecDeque<Letter>,
}

impl Post {
    /// Sends what is to arrive in the next round, which begins.
    pub fn send(&mut self, letters: Vec<Letter>) {
        self.round += 1;
        // If nobody is there any more, `next` says so.
        let _ = self.outgoing.send(letters);
        let _ = self.wake.activate();
    }

    /// The number of the round in which letters that are written now arrive.
    pub fn arrives(&self) -> u64 {
        self.round + 1
    }

    /// What comes next in the present round.
    pub fn next(&mut self, patience: Duration) -> Come {
        if self.early.front().is_some_and(|l| l.round == self.round) {
            return self.early.pop_front().map_or(Come::Nothing, Come::Letter);
        }
        loop {
            return match self.incoming.recv_timeout(patience) {
                Ok(Event::Letter(letter)) if letter.round > self.round => {
                    self.early.push_back(letter);
                    continue;
                }
                Ok(Event::Letter(letter)) => Come::Letter(letter),
                Ok(Event::Complete(round)) if round == self.round => Come::All,
                Ok(Event::Complete(_)) | Err(RecvTimeoutError::Timeout) => Come::Nothing,
                Err(RecvTimeoutError::Disconnected) => Come::Closed,
            };
        }
    }
}

/// The threads behind the workers' posts.
pub(super) struct Office {
    guards: Option<WorkerGuards<()>>,
    streams: Vec<TcpStream>,
    over: Arc<AtomicBool>,
}

impl Office {
    /// Opens, with the connections to all processes, and gives the posts of this one's workers.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(
        streams: Vec<Option<TcpStream>>,
        process: usize,
        workers: usize,
    ) -> Result<(Self, Vec<Post>), String> {
        keep_quiet();
        let copies = streams.iter().flatten().map(TcpStream::try_clone);
        let copies: Vec<TcpStream> = copies
            .collect::<std::io::Result<_>>()
            .map_err(|e| e.to_string())?;
        let inner = || ProcessBuilder::new_typed_vector(workers, Hooks::default().refill, None);
        let (builders, others): (Vec<AllocatorBuilder>, Box<dyn std::any::Any + Send>) =
            match streams.len() {
                0 | 1 => (
                    inner().into_iter().map(AllocatorBuilder::Process).collect(),
                    Box::new(()),
                ),
                _ => {
                    let hooks = Hooks::default();
                    let (tcp, guard) = initialize_networking_from_sockets(
                        inner(),
                        streams,
                        process,
                        workers,
                        hooks,
                    )
                    .map_err(|e| e.to_string())?;
                    (
                        tcp.into_iter().map(AllocatorBuilder::Tcp).collect(),
                        Box::new(guard),
                    )
                }
            };
        let over = Arc::new(AtomicBool::new(false));
        let (ready, posts) = unbounded();
        let flag = Arc::clone(&over);
        let guards = initialize_from(builders, others, move |allocator| {
            // A connection that ends is a panic; those who wait for letters learn it by the closed channel.
            let _ = catch_unwind(AssertUnwindSafe(|| deliver(allocator, &ready, &flag)));
        })?;
        let mut all: Vec<(usize, Post)> = Vec::new();
        for _ in 0..workers {
            all.push(posts.recv().map_err(|e| e.to_string())?);
        }
        all.sort_by_key(|(index, _)| *index);
        let office = Office {
            guards: Some(guards),
            streams: copies,
            over,
        };
        Ok((office, all.into_iter().map(|(_, post)| post).collect()))
    }

    /// Closes. If not all is well, nobody is waited for.
    pub fn close(mut self, well: bool) {
        if let Some(guards) = self.guards.take() {
            if well {
                // What was sent last still has to go out.
                drop(guards);
                return;
            }
            self.over.store(true, Ordering::SeqCst);
            for stream in &self.streams {
                let _ = stream.shutdown(Shutdown::Both);
            }
            // Dropped, it would wait for threads that wait for others.
            std::mem::forget(guards);
        }
    }
}

/// The operator's side of a post.
struct Counter {
    to_send: Receiver<Vec<Letter>>,
    arrived: Sender<Event>,
    /// That it may still send; none when the post is closed.
    capability: Option<Capability<u64>>,
    round: u64,
    /// Whether it was told that the round is complete.
    told: bool,
}

impl Counter {
    /// Takes what is to be sent, if there is something: then a round begins.
    fn outgoing(&mut self) -> Option<Vec<Letter>> {
        match self.to_send.try_recv() {
            Ok(letters) => Some(letters),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.capability = None;
                None
            }
        }
    }

    fn sent(&mut self) {
        self.round += 1;
        self.told = false;
        if let Some(capability) = &mut self.capability {
            capability.downgrade(&self.round);
        }
    }

    /// Tells that the round is complete, if it is.
    fn look(&mut self, is_open: bool) {
        if !self.told && !is_open {
            self.told = true;
            self.tell(Event::Complete(self.round));
        }
    }

    fn tell(&self, event: Event) {
        // Who has gone wants no letters.
        let _ = self.arrived.send(event);
    }
}

/// One thread: builds the dataflow, and works as long as there is something to do.
fn deliver(allocator: Allocator, ready: &Sender<(usize, Post)>, over: &AtomicBool) {
    // Without a clock it would never sleep.
    let clock = Some(Instant::now());
    let mut worker = Worker::new(timely::WorkerConfig::default(), allocator, clock);
    let (outgoing, to_send) = unbounded::<Vec<Letter>>();
    let (arrived, incoming) = unbounded();
    let address = worker.dataflow::<u64, _, _>(|scope| {
        let (handle, cycle) = scope.feedback::<Vec<Letter>>(1);
        let by_receiver = Exchange::new(|l: &Letter| l.to as u64);
        let mut address = Vec::new();
        let sent = cycle.unary_frontier(by_receiver, "search", |capability, info| {
            address.extend_from_slice(&info.address);
            let mut counter = Counter {
                to_send,
                arrived,
                capability: Some(capability),
                round: 0,
                told: true,
            };
            move |(input, frontier), output| {
                input.for_each(|_, letters: &mut Vec<Letter>| {
                    letters
                        .drain(..)
                        .for_each(|l| counter.tell(Event::Letter(l)));
                });
                if let Some(mut letters) = counter.outgoing()
                    && let Some(capability) = &counter.capability
                {
                    output.session(capability).give_container(&mut letters);
                    counter.sent();
                }
                counter.look(frontier.less_equal(&counter.round));
            }
        });
        sent.connect_loop(handle);
        address
    });
    let post = Post {
        outgoing,
        incoming,
        wake: worker.sync_activator_for(address),
        round: 0,
        early: VecDeque::new(),
    };
    if ready.send((worker.index(), post)).is_err() {
        return;
    }
    while worker.has_dataflows() && !over.load(Ordering::SeqCst) {
        worker.step_or_park(Some(NAP));
    }
}

impl Drop for Post {
    /// Has the operator see that the channel is closed.
    fn drop(&mut self) {
        let (nothing, _) = unbounded();
        self.outgoing = nothing;
        let _ = self.wake.activate();
    }
}

/// Panics of timely's threads are told by this module's users, in their words.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current();
            if !thread.name().is_some_and(|n| n.starts_with(THREADS)) {
                others(info);
            }
        }));
    });
}
