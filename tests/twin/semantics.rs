//! The explicit-state semantics of `docs/language.md`: states, steps with their reads and writes, going wrong.

use std::collections::BTreeSet;

use super::ast::{Exchange, Expr, NULL, Part, Place, Program, Root, Stmt, StmtKind, Thread};
use super::compile::{Command, Graph, Loc, compile};
use super::eval::Scope;
use super::storage::{Data, Layout, ObjectCells, Storage};

/// A program with its cells numbered and its threads compiled.
pub struct System {
    pub program: Program,
    pub threads: Vec<Thread>,
    pub graphs: Vec<Graph>,
    pub layout: Layout,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub cells: Vec<i64>,
    /// Where each thread is.
    pub locations: Vec<Loc>,
}

/// Where a step leads, and the cells of variables that it read and wrote on the path it took.
pub struct Step {
    pub target: State,
    pub reads: BTreeSet<usize>,
    pub writes: BTreeSet<usize>,
}

/// The middle or the end of an action.
#[derive(Clone)]
pub struct Run {
    pub state: State,
    pub reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
    pub wrong: bool,
}

impl System {
    pub fn new(program: &Program) -> System {
        let program = program.clone();
        let threads = program.threads();
        let graphs = (0..threads.len())
            .map(|thread| compile(&program, thread))
            .collect();
        System {
            layout: Layout::new(&program),
            program,
            threads,
            graphs,
        }
    }

    /// How many type-correct states there are at most.
    pub fn size(&self) -> usize {
        let cells = self.layout.cells.iter();
        let valuations: usize = cells.map(|cell| cell.domain.len()).product();
        let locations: usize = self
            .graphs
            .iter()
            .map(|graph| graph.locations.len() + 2)
            .product();
        valuations * locations
    }

    /// Every initial state.
    pub fn initial(&self) -> Vec<State> {
        let cells = self.layout.cells.iter();
        let domains: Vec<Vec<i64>> = cells.map(|cell| cell.initial.clone()).collect();
        let locations: Vec<Loc> = self.graphs.iter().map(|graph| graph.entry).collect();
        let states = product(&domains).into_iter().map(|cells| State {
            cells,
            locations: locations.clone(),
        });
        states
            .filter(|state| match &self.program.init {
                Some(init) => self.holds(init, Scope::default(), state),
                None => true,
            })
            .collect()
    }

    /// Every step of the thread from the state. Where a parameter is known to hold a constant, that is what is read,
    /// also in states that no execution reaches.
    pub fn steps(&self, state: &State, thread: usize) -> Vec<Step> {
        let Loc::At(location) = state.locations[thread] else {
            return Vec::new();
        };
        let mut read = state.clone();
        let known = self.graphs[thread].locations[location].known.iter();
        let known: Vec<usize> = known
            .map(|((procedure, variable), value)| {
                let parameter = &self.layout.frames[&(thread, *procedure)][*variable][0];
                let Storage::Data(Data { cell, .. }) = parameter else {
                    unreachable!("a number")
                };
                read.cells[*cell] = *value;
                *cell
            })
            .collect();
        let mut steps = self.taken(&read, thread, location);
        // No step behind the call assigns to them.
        for step in &mut steps {
            for cell in &known {
                step.target.cells[*cell] = state.cells[*cell];
            }
        }
        steps
    }

    fn taken(&self, state: &State, thread: usize, location: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        for command in &self.graphs[thread].locations[location].commands {
            let start = Run {
                state: state.clone(),
                reads: BTreeSet::new(),
                writes: BTreeSet::new(),
                wrong: false,
            };
            match command {
                Command::Act { stmt, next } => {
                    let runs = self.run(stmt, thread, start);
                    steps.extend(runs.into_iter().map(|run| run.arrive(thread, *next)));
                }
                Command::Test {
                    condition,
                    then,
                    otherwise,
                } => {
                    let mut run = start;
                    let value = self.eval(condition, thread, &mut run);
                    let next = if value == Some(1) { *then } else { *otherwise };
                    steps.push(run.arrive(thread, next));
                }
                Command::Arrive {
                    barrier,
                    last,
                    waits,
                } => {
                    let mut run = start;
                    let next = match self.arrives_last(barrier, thread, &mut run) {
                        true => *last,
                        false => *waits,
                    };
                    steps.push(run.arrive(thread, next));
                }
            }
        }
        steps
    }

    /// The ways in which a statement can be executed; none if it blocks.
    fn run(&self, stmt: &Stmt, thread: usize, mut run: Run) -> Vec<Run> {
        match &stmt.kind {
            StmtKind::Skip => vec![run],
            StmtKind::Assign(place, value) => {
                if let Some(data) = self.data(place, thread, &mut run)
                    && let Some(value) = self.eval(value, thread, &mut run)
                {
                    run.store(data, value);
                }
                vec![run]
            }
            StmtKind::Havoc(place) => match self.data(place, thread, &mut run) {
                None => vec![run],
                Some(data) => {
                    let values = data.ty.values().into_iter();
                    values
                        .map(|value| {
                            let mut run = run.clone();
                            run.store(data, value);
                            run
                        })
                        .collect()
                }
            },
            StmtKind::Exchange {
                operation,
                result,
                place,
                operands,
            } => {
                self.exchange(
                    (*operation, result.as_ref()),
                    (place, operands),
                    thread,
                    &mut run,
                );
                vec![run]
            }
            StmtKind::Pick {
                place,
                range,
                not,
                condition,
            } => {
                let candidates = (range.0..=range.1).filter(|value| value != not);
                let taken = |value: i64| {
                    let mut run = run.clone();
                    match self.eval(condition, thread, &mut run) {
                        None => return Some(run),
                        Some(0) => return None,
                        Some(_) => {}
                    }
                    if let Some(data) = self.data(place, thread, &mut run) {
                        run.store(data, value);
                    }
                    Some(run)
                };
                candidates.filter_map(taken).collect()
            }
            StmtKind::Assert(condition) => {
                run.wrong = self.eval(condition, thread, &mut run) != Some(1);
                vec![run]
            }
            StmtKind::Assume(guard) => match self.eval(guard, thread, &mut run) {
                Some(0) => Vec::new(),
                _ => vec![run],
            },
            StmtKind::When(guard, action) => match self.eval(guard, thread, &mut run) {
                None => vec![run],
                Some(0) => Vec::new(),
                Some(_) => self.run(action, thread, run),
            },
            StmtKind::Atomic(block) => self.run_block(block, thread, run),
            StmtKind::If(condition, then, otherwise) => {
                match self.eval(condition, thread, &mut run) {
                    None => vec![run],
                    Some(0) => self.run_block(otherwise, thread, run),
                    Some(_) => self.run_block(then, thread, run),
                }
            }
            StmtKind::Either(branches) => branches
                .iter()
                .flat_map(|branch| self.run_block(branch, thread, run.clone()))
                .collect(),
            StmtKind::New(place, pool) => {
                if let Some(data) = self.data(place, thread, &mut run) {
                    let pool = &self.layout.pools[*pool];
                    let mut slots = 0..pool.slots.len();
                    let free = slots.find(|slot| run.state.cells[pool.allocated + slot] == 0);
                    match free {
                        Some(slot) => {
                            run.state.cells[pool.allocated + slot] = 1;
                            run.store(data, slot as i64);
                        }
                        None => run.store(data, NULL),
                    }
                }
                vec![run]
            }
            StmtKind::Free(reference, pool) => {
                if let Some(slot) = self.eval(reference, thread, &mut run) {
                    let allocated = self.layout.pools[*pool].allocated;
                    if slot == NULL || run.state.cells[allocated + slot as usize] == 0 {
                        run.wrong = true;
                    } else {
                        run.state.cells[allocated + slot as usize] = 0;
                    }
                }
                vec![run]
            }
            StmtKind::Start(other) => {
                let cell = self.layout.started[other];
                match run.state.cells[cell] {
                    0 => run.state.cells[cell] = 1,
                    _ => run.wrong = true,
                }
                vec![run]
            }
            StmtKind::Join(other) => match run.state.locations[*other] {
                Loc::End => vec![run],
                Loc::At(_) | Loc::Wrong => Vec::new(),
            },
            StmtKind::Part(Part::Begin) => match run.state.cells[self.layout.started[&thread]] {
                0 => Vec::new(),
                _ => vec![run],
            },
            StmtKind::Part(Part::Enter(procedure, arguments)) => {
                self.enter(*procedure, arguments, thread, &mut run);
                vec![run]
            }
            StmtKind::Part(Part::Drop(value)) => {
                self.eval(value, thread, &mut run);
                vec![run]
            }
            StmtKind::While(..) | StmtKind::Wait(..) | StmtKind::Await(_) => {
                unreachable!("more than one action")
            }
            StmtKind::Call { .. } | StmtKind::Return(_) => unreachable!("inlined"),
            StmtKind::Goto(_) => unreachable!("no action"),
            _ => self.operate(stmt, thread, run),
        }
    }

    /// A read-modify-write operation. What it gives is written first, and an operand evaluated where it is written.
    fn exchange(
        &self,
        (operation, result): (Exchange, Option<&Place>),
        (place, operands): (&Place, &[Expr]),
        thread: usize,
        run: &mut Run,
    ) -> Option<()> {
        // Whose value from before nobody asks for is only written.
        let read = operation != Exchange::Swap || result.is_some();
        let before = match read {
            true => self.eval(&Expr::Read(place.clone()), thread, run)?,
            false => 0,
        };
        let gives = match operation {
            Exchange::Cas => i64::from(before == self.eval(&operands[0], thread, run)?),
            Exchange::FetchAdd | Exchange::Swap => before,
        };
        if let Some(result) = result {
            let data = self.data(result, thread, run)?;
            run.store(data, gives);
            if run.wrong {
                return None;
            }
        }
        let value = match operation {
            Exchange::Cas if gives == 0 => return None,
            Exchange::Cas => self.eval(&operands[1], thread, run)?,
            Exchange::FetchAdd => before + self.eval(&operands[0], thread, run)?,
            Exchange::Swap => self.eval(&operands[0], thread, run)?,
        };
        let data = self.data(place, thread, run)?;
        run.store(data, value);
        Some(())
    }

    fn run_block(&self, block: &[Stmt], thread: usize, run: Run) -> Vec<Run> {
        let mut runs = vec![run];
        for stmt in block {
            let (wrong, alive): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(|run| run.wrong);
            runs = wrong;
            runs.extend(
                alive
                    .into_iter()
                    .flat_map(|run| self.run(stmt, thread, run)),
            );
        }
        runs
    }

    /// A call's assignments: to the parameters one after the other, then the initial values of locals.
    fn enter(&self, procedure: usize, arguments: &[Expr], thread: usize, run: &mut Run) {
        let frame = &self.layout.frames[&(thread, procedure)];
        for (variable, argument) in arguments.iter().enumerate() {
            let place = Place::from(Root::Frame {
                procedure,
                variable,
            });
            let Some(value) = self.eval(argument, thread, run) else {
                return;
            };
            let data = self
                .data(&place, thread, run)
                .expect("a parameter is no array");
            run.store(data, value);
            if run.wrong {
                return;
            }
        }
        let declared = &self.program.procedures[procedure];
        let locals = declared.variables.iter().zip(frame);
        for (local, array) in locals.skip(declared.parameters) {
            if self.program.has_initial(local) {
                array.iter().for_each(|storage| self.renew(storage, run));
            }
        }
    }

    /// Gives a procedure's local its initial value, field by field if it is a record.
    fn renew(&self, storage: &Storage, run: &mut Run) {
        match storage {
            Storage::Data(data) => {
                let initial = &self.layout.cells[data.cell].initial;
                run.state.cells[data.cell] = initial[0];
            }
            Storage::Record(fields) => fields
                .iter()
                .flatten()
                .for_each(|field| self.renew(field, run)),
            Storage::Object(_) => unreachable!("locals have no objects"),
        }
    }

    /// Evaluates for a running action, noting what is read; an error makes the run go wrong.
    fn eval(&self, expr: &Expr, thread: usize, run: &mut Run) -> Option<i64> {
        let value = self.value(expr, Scope::of(thread), &run.state, &mut run.reads);
        run.wrong = value.is_err();
        value.ok()
    }

    /// What a place denotes, whose indices and references are evaluated and checked; an error makes the run go wrong.
    fn denoted(&self, place: &Place, thread: usize, run: &mut Run) -> Option<&Storage> {
        let storage = self.storage(place, Scope::of(thread), &run.state, &mut run.reads);
        run.wrong = storage.is_err();
        storage.ok()
    }

    fn data(&self, place: &Place, thread: usize, run: &mut Run) -> Option<Data> {
        match self.denoted(place, thread, run)? {
            Storage::Data(data) => Some(*data),
            _ => unreachable!("no value"),
        }
    }

    pub fn object(&self, place: &Place, thread: usize, run: &mut Run) -> Option<ObjectCells> {
        match self.denoted(place, thread, run)? {
            Storage::Object(object) => Some(*object),
            _ => unreachable!("no object"),
        }
    }
}

impl Run {
    /// Assigns to a variable, or goes wrong if its type has no such value.
    fn store(&mut self, data: Data, value: i64) {
        match data.ty.store(value) {
            Some(value) => {
                self.writes.insert(data.cell);
                self.state.cells[data.cell] = value;
            }
            None => self.wrong = true,
        }
    }

    fn arrive(mut self, thread: usize, next: Loc) -> Step {
        self.state.locations[thread] = if self.wrong { Loc::Wrong } else { next };
        Step {
            target: self.state,
            reads: self.reads,
            writes: self.writes,
        }
    }
}

/// Every choice of one value per domain.
pub fn product<T: Clone>(domains: &[Vec<T>]) -> Vec<Vec<T>> {
    domains.iter().fold(vec![Vec::new()], |prefixes, domain| {
        let extend = |prefix: &Vec<T>| {
            let prefix = prefix.clone();
            domain
                .iter()
                .map(move |value| [prefix.clone(), vec![value.clone()]].concat())
                .collect::<Vec<_>>()
        };
        prefixes.iter().flat_map(extend).collect()
    })
}
