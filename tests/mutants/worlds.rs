//! All reachable states of a model and all steps between them, by one of two enumerations that share no code: of the
//! interpreter's steps, and of the naive twin's.

use crate::twin;

use coarsen::Session;
use coarsen::engine::{State, holds, initial_candidates, is_deadlock, is_initial, successors};
use std::collections::{BTreeSet, HashMap};
use twin::ast::Program as TwinProgram;
use twin::compile::{Loc, started};
use twin::eval::{Rights, Scope};
use twin::semantics::{State as TwinState, System};

/// More states are not enumerated.
pub const MOST: usize = 40_000;

/// A reachable state.
pub struct Place {
    pub cells: Vec<i64>,
    /// Where the threads are, by the numbers that the tool has; the twin has others.
    pub locations: Option<Vec<usize>>,
    pub wrong: bool,
    pub dead: bool,
    /// For each declared protection, the rights of the threads.
    pub rights: Vec<Vec<Rights>>,
}

/// A step between states.
pub struct Move {
    pub thread: usize,
    pub target: usize,
    pub reads: BTreeSet<usize>,
    pub writes: BTreeSet<usize>,
}

/// Who knows what properties say.
pub enum Origin {
    Tool(Box<Session>, Vec<State>),
    Twin(Box<System>, Vec<TwinState>),
}

pub struct World {
    cells: HashMap<String, usize>,
    threads: Vec<String>,
    pub initial: Vec<usize>,
    pub places: Vec<Place>,
    pub moves: Vec<Vec<Move>>,
    /// The cells that the text protects.
    pub protected: Vec<usize>,
    pub origin: Origin,
}

impl World {
    pub fn cell(&self, name: &str) -> Option<usize> {
        self.cells.get(name).copied()
    }

    pub fn thread(&self, name: &str) -> Option<usize> {
        self.threads.iter().position(|t| t == name)
    }

    /// How many indices an array of this name has.
    pub fn dimensions(&self, array: &str) -> Option<usize> {
        let first = format!("{array}[0]");
        let rest = self.cells.keys().find_map(|c| c.strip_prefix(&first))?;
        let plain = rest.chars().all(|c| "[]0123456789".contains(c));
        plain.then(|| 1 + rest.matches('[').count())
    }

    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// By the interpreter; `None` if there are too many states.
    pub fn of_the_tool(session: Session) -> Option<World> {
        let p = session.program();
        let mut known = Numbers::default();
        for (n, state) in initial_candidates(p).enumerate() {
            if n > MOST {
                return None;
            }
            if is_initial(p, &state) {
                known.number(state);
            }
        }
        let initial = (0..known.all.len()).collect();
        let mut moves = Vec::new();
        while moves.len() < known.all.len() {
            let state = known.all[moves.len()].clone();
            let mut here = Vec::new();
            for thread in 0..p.threads.len() {
                for step in successors(p, &state, thread) {
                    here.push(Move {
                        thread,
                        target: known.number(step.state),
                        reads: step.accesses.into_iter().collect(),
                        writes: step.writes.into_iter().collect(),
                    });
                }
            }
            moves.push(here);
            if known.all.len() > MOST {
                return None;
            }
        }
        let rights = |state: &State| {
            let of = |x: &coarsen::model::program::Protection, t: usize| Rights {
                exclusive: holds(p, &x.predicates[t], state),
                shared: x.readers.as_ref().is_some_and(|r| holds(p, &r[t], state)),
            };
            let all = p.protections.iter();
            all.map(|x| (0..p.threads.len()).map(|t| of(x, t)).collect())
                .collect()
        };
        let mut places = Vec::new();
        for state in &known.all {
            let threads = 0..p.threads.len();
            let mut all = threads.clone();
            places.push(Place {
                cells: (0..p.cells.len()).map(|c| state.cell(c)).collect(),
                wrong: all.any(|t| p.threads[t].wrong == Some(state.location(t))),
                locations: Some(threads.map(|t| state.location(t)).collect()),
                dead: is_deadlock(p, state),
                rights: rights(state),
            });
        }
        let cells = p.cells.iter().map(|c| c.name.clone());
        Some(World {
            cells: cells.zip(0..).collect(),
            threads: p.threads.iter().map(|t| t.name.clone()).collect(),
            initial,
            places,
            moves,
            protected: p.protections.iter().map(|x| x.cell).collect(),
            origin: Origin::Tool(Box::new(session), known.all),
        })
    }

    /// By the twin.
    pub fn of_the_twin(program: &TwinProgram) -> Option<World> {
        let system = System::new(program);
        let mut known = Numbers::default();
        for state in system.initial() {
            known.number(state);
        }
        let initial = (0..known.all.len()).collect();
        let mut moves = Vec::new();
        while moves.len() < known.all.len() {
            let state = known.all[moves.len()].clone();
            let mut here = Vec::new();
            for thread in 0..system.threads.len() {
                for step in system.steps(&state, thread) {
                    here.push(Move {
                        thread,
                        target: known.number(step.target),
                        reads: step.reads,
                        writes: step.writes,
                    });
                }
            }
            moves.push(here);
            if known.all.len() > MOST {
                return None;
            }
        }
        let waits = started(&system.program);
        let threads = 0..system.threads.len();
        let mut places = Vec::new();
        for (state, moves) in known.all.iter().zip(&moves) {
            let protected = system.layout.protected.iter();
            let rights = protected.map(|x| {
                let all = threads.clone();
                all.map(|t| system.rights(x, t, state)).collect()
            });
            let unstarted = |t: usize, l: &Loc| waits.contains(&t) && *l == system.graphs[t].entry;
            let mut all = state.locations.iter().enumerate();
            let waiting = all.any(|(t, l)| matches!(l, Loc::At(_)) && !unstarted(t, l));
            places.push(Place {
                cells: state.cells.clone(),
                locations: None,
                wrong: state.locations.contains(&Loc::Wrong),
                dead: moves.is_empty() && waiting,
                rights: rights.collect(),
            });
        }
        let cells = system.layout.cells.iter().map(|c| c.name.clone());
        Some(World {
            cells: cells.zip(0..).collect(),
            threads: threads.map(|t| system.program.thread_name(t)).collect(),
            initial,
            places,
            moves,
            protected: system.layout.protected.iter().map(|x| x.cell).collect(),
            origin: Origin::Twin(Box::new(system), known.all),
        })
    }

    /// In which states a property's expression holds, by the name of the property; `None` if there is none.
    pub fn holds(&self, name: &str) -> Option<Vec<bool>> {
        match &self.origin {
            Origin::Tool(session, states) => {
                let p = session.program();
                let mut all = p.properties.iter().chain(&p.lemmas);
                let property = all.find(|property| property.name == name)?;
                let expr = p.asked(property.kind, property.expr.clone());
                Some(states.iter().map(|s| holds(p, &expr, s)).collect())
            }
            Origin::Twin(system, states) => {
                let mut all = system.program.properties.iter();
                let expr = all.find_map(|property| match property {
                    twin::ast::Property::State { name: n, expr, .. } if n == name => Some(expr),
                    _ => None,
                })?;
                let scope = Scope::default;
                Some(
                    states
                        .iter()
                        .map(|s| system.holds(expr, scope(), s))
                        .collect(),
                )
            }
        }
    }

    /// In which states a goal is met: a property by name, or `find` and a condition.
    pub fn meets(&self, goal: &str) -> Option<Vec<bool>> {
        let Some(condition) = goal.strip_prefix("find ") else {
            return self.holds(goal);
        };
        match &self.origin {
            Origin::Tool(session, states) => {
                let p = session.program();
                let kind = coarsen::model::text::ast::PropertyKind::Reach;
                let expr = p.asked(kind, session.state_expression(condition).ok()?);
                Some(states.iter().map(|s| holds(p, &expr, s)).collect())
            }
            Origin::Twin(..) => None,
        }
    }
}

struct Numbers<S> {
    all: Vec<S>,
    known: HashMap<S, usize>,
}

impl<S> Default for Numbers<S> {
    fn default() -> Self {
        Numbers {
            all: Vec::new(),
            known: HashMap::new(),
        }
    }
}

impl<S: Clone + Eq + std::hash::Hash> Numbers<S> {
    fn number(&mut self, state: S) -> usize {
        let next = self.all.len();
        let n = *self.known.entry(state.clone()).or_insert(next);
        if n == next {
            self.all.push(state);
        }
        n
    }
}
