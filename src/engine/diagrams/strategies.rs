//! Three ways to the reachable states, over one relational product: saturation, chaining and a worklist.

use super::closure::Closure;
use super::engine::Engine;
use super::facts::Facts;
use super::relations::Rel;
use super::store::Node;
use crate::base::control::Stop;
use rustc_hash::FxHashMap;

/// How sets are closed under events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Events are fired where their highest variable lies, nodes below being closed first.
    Saturation,
    /// All events in turn on the whole set, each on what the last one has added, too.
    Chaining,
    /// Events whose turn it is on the whole set, until it is no event's turn.
    Worklist,
}

/// One event's addition to a set, for finding executions.
#[derive(Clone, Copy, Debug)]
pub struct Added {
    /// The event.
    pub rel: Rel,
    /// The set before.
    pub before: Node,
}

/// A set closed under events.
#[derive(Clone, Debug)]
pub struct Closed {
    /// The set.
    pub set: Node,
    /// What made it, in order, if it was asked for; all sets in it are kept by the engine.
    pub history: Vec<Added>,
    /// The closure in use, for saturation.
    pub closure: Option<u32>,
}

/// Work that a limit interrupted.
#[derive(Debug)]
pub(super) struct Interrupted {
    pub set: Node,
    pub events: Vec<Rel>,
    pub closed: Closed,
}

/// Options of a search.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The strategy.
    pub strategy: Strategy,
    /// Whether facts `t u <= u t` are used.
    pub facts: bool,
    /// Whether the history is kept.
    pub history: bool,
}

impl Engine<'_> {
    /// A set closed under events.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn close(&mut self, set: Node, events: &[Rel], how: Way) -> Result<Closed, Stop> {
        let mut events = events.to_vec();
        // From the bottom up: what lies low is done first.
        events.sort_unstable_by_key(|&r| (std::cmp::Reverse(self.relations.top(r)), r));
        events.dedup();
        self.keep(set);
        match how.strategy {
            Strategy::Saturation => {
                let closure = self.closure(&events, how.facts)?;
                self.record(how.history);
                let closed = self.saturate(set, closure);
                self.record(how.history && closed.is_err());
                Ok(Closed {
                    set: closed?,
                    history: Vec::new(),
                    closure: Some(closure),
                })
            }
            Strategy::Chaining | Strategy::Worklist => {
                let mut closed = self.interrupted(set, &events);
                let done = match how.strategy {
                    Strategy::Chaining => self.chaining(&mut closed, &events, how.history),
                    _ => self.worklist(&mut closed, &events, how),
                };
                match done {
                    Ok(()) => Ok(closed),
                    Err(stop) => {
                        // The next call goes on from here; until then the sets are kept in `work`.
                        self.work = Some(Interrupted {
                            set,
                            events,
                            closed,
                        });
                        Err(stop)
                    }
                }
            }
        }
    }

    /// The work on these events that was interrupted, or none yet.
    fn interrupted(&mut self, set: Node, events: &[Rel]) -> Closed {
        if let Some(work) = self.work.take()
            && work.set == set
            && work.events == events
        {
            self.keep_closed(&work.closed);
            return work.closed;
        }
        Closed {
            set,
            history: Vec::new(),
            closure: None,
        }
    }

    /// Keeps a closed set, and what made it.
    pub fn keep_closed(&mut self, closed: &Closed) {
        for added in &closed.history {
            self.keep(added.before);
        }
        self.keep(closed.set);
    }

    /// Prepares the closure under these events.
    ///
    /// # Errors
    /// As [`crate::base::control::Control::check`].
    pub fn closure(&mut self, events: &[Rel], facts: bool) -> Result<u32, Stop> {
        let mut closure = Closure::new(&self.relations, events.iter().copied(), facts);
        // One that is there has its results in its tables.
        if let Some(n) = self.closures.iter().position(|c| c.is_like(&closure)) {
            return Ok(n as u32);
        }
        if facts {
            Facts::default().skip_in(&mut self.relations, &mut closure);
        }
        self.control.check()?;
        self.closures.push(closure);
        Ok(self.closures.len() as u32 - 1)
    }

    /// How often a closure did not fire an event again because of facts.
    pub fn skipped(&self, closure: u32) -> u64 {
        self.closures[closure as usize].skipped()
    }

    fn chaining(&mut self, closed: &mut Closed, events: &[Rel], history: bool) -> Result<(), Stop> {
        // An event that has added nothing since the set last grew need not be fired again.
        let mut idle = 0;
        while idle < events.len() {
            for &rel in events {
                idle = if self.fire(closed, rel, history)? {
                    0
                } else {
                    idle + 1
                };
                if idle >= events.len() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Adds what an event leads to; whether that is anything new.
    fn fire(&mut self, closed: &mut Closed, rel: Rel, history: bool) -> Result<bool, Stop> {
        let before = closed.set;
        let all = self.more(before, rel)?;
        if all == before {
            return Ok(false);
        }
        if history {
            closed.history.push(Added { rel, before });
        } else {
            self.release(self.kept() - 1);
        }
        self.keep(all);
        closed.set = all;
        Ok(true)
    }

    /// Fires events that are due. After t, u is due unless it was not due before and `t u <= u t` (on any states
    /// whatever), which includes that they are independent in both directions.
    fn worklist(&mut self, closed: &mut Closed, events: &[Rel], how: Way) -> Result<(), Stop> {
        let mut facts = Facts::default();
        let mut due = vec![true; events.len()];
        let mut count = events.len();
        let mut users: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (n, &rel) in events.iter().enumerate() {
            for l in facts.mentions(&self.relations, rel) {
                users.entry(l).or_default().push(n);
            }
        }
        // Who is due again after an event, found once for each.
        let mut follows: Vec<Option<Vec<usize>>> = vec![None; events.len()];
        let mut at = 0;
        while count > 0 {
            if !due[at] {
                at = (at + 1) % events.len();
                continue;
            }
            let grown = self.fire(closed, events[at], how.history)?;
            due[at] = false;
            count -= 1;
            if grown {
                if follows[at].is_none() {
                    let t = events[at];
                    let mut after: Vec<usize> = facts
                        .mentions(&self.relations, t)
                        .iter()
                        .flat_map(|l| users.get(l).into_iter().flatten().copied())
                        .collect();
                    after.sort_unstable();
                    after.dedup();
                    after.retain(|&u| {
                        u == at
                            || if how.facts {
                                !facts.commutes(&mut self.relations, t, events[u])
                            } else {
                                !facts.independent(&self.relations, t, events[u])
                            }
                    });
                    follows[at] = Some(after);
                }
                for &u in follows[at].iter().flatten() {
                    count += usize::from(!due[u]);
                    due[u] = true;
                }
            } else {
                at = (at + 1) % events.len();
            }
        }
        Ok(())
    }
}
