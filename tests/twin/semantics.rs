//! The explicit-state semantics of `docs/language.md`: states, steps with their accesses, going wrong.

use std::collections::BTreeSet;

use super::ast::{
    Discipline, Expr, NOBODY, Place, Program, Root, Stmt, StmtKind, Thread, Type, Variable,
};
use super::compile::{Command, Graph, Loc, apply, compile, decided_by};

/// A program with its cells numbered and its threads compiled.
pub struct System {
    pub program: Program,
    pub threads: Vec<Thread>,
    pub graphs: Vec<Graph>,
    /// Every cell of the shared variables, the mutexes' owners and the thread-local variables.
    pub cells: Vec<Cell>,
    /// The protected cells.
    pub protected: Vec<Protected>,
    shared: Vec<usize>,
    mutexes: Vec<usize>,
    locals: Vec<Vec<usize>>,
}

pub struct Cell {
    /// All values of its type.
    pub domain: Vec<i64>,
    /// Its initial values.
    pub initial: Vec<i64>,
}

/// Cell `index` of a protected shared variable.
#[derive(Clone, Copy, Debug)]
pub struct Protected {
    pub variable: usize,
    pub index: usize,
    pub cell: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub cells: Vec<i64>,
    /// Where each thread is.
    pub locations: Vec<Loc>,
}

/// Where a step leads, and the cells it read or wrote on the path it took.
pub struct Step {
    pub target: State,
    pub accesses: BTreeSet<usize>,
}

/// Who evaluates an expression.
#[derive(Clone, Copy, Default)]
pub struct Scope {
    pub thread: Option<usize>,
    pub parameter: Option<i64>,
}

/// An evaluation error: an index outside its array, or a division by zero.
pub struct GoesWrong;

/// The middle or the end of an action.
#[derive(Clone)]
struct Run {
    state: State,
    accesses: BTreeSet<usize>,
    wrong: bool,
}

impl System {
    pub fn new(program: &Program) -> System {
        let program = program.clone();
        let threads = program.threads();
        let mut cells = Vec::new();
        let mut declare = |size: Option<usize>, domain: Vec<i64>, initial: Option<i64>| {
            let first = cells.len();
            for _ in 0..size.unwrap_or(1) {
                let initial = initial.map_or(domain.clone(), |value| vec![value]);
                cells.push(Cell {
                    domain: domain.clone(),
                    initial,
                });
            }
            first
        };
        let mut variable =
            |variable: &Variable| declare(variable.size, variable.ty.values(), variable.initial);
        let shared: Vec<usize> = program
            .shared
            .iter()
            .map(|shared| variable(&shared.variable))
            .collect();
        let locals: Vec<Vec<usize>> = threads
            .iter()
            .map(|thread| {
                program.families[thread.family]
                    .locals
                    .iter()
                    .map(&mut variable)
                    .collect()
            })
            .collect();
        let owners: Vec<i64> = (NOBODY..threads.len() as i64).collect();
        let mutexes = program
            .mutexes
            .iter()
            .map(|mutex| declare(mutex.size, owners.clone(), Some(NOBODY)))
            .collect();
        let graphs = (0..threads.len())
            .map(|thread| compile(&program, thread))
            .collect();
        let mut protected = Vec::new();
        for (number, declared) in program.shared.iter().enumerate() {
            if !matches!(declared.discipline, Discipline::Unprotected) {
                for index in 0..declared.variable.size.unwrap_or(1) {
                    protected.push(Protected {
                        variable: number,
                        index,
                        cell: shared[number] + index,
                    });
                }
            }
        }
        System {
            program,
            threads,
            graphs,
            cells,
            protected,
            shared,
            mutexes,
            locals,
        }
    }

    /// How many type-correct states there are at most.
    pub fn size(&self) -> usize {
        let valuations: usize = self.cells.iter().map(|cell| cell.domain.len()).product();
        let locations: usize = self
            .graphs
            .iter()
            .map(|graph| graph.locations.len() + 2)
            .product();
        valuations * locations
    }

    /// Every initial state.
    pub fn initial(&self) -> Vec<State> {
        let domains: Vec<Vec<i64>> = self.cells.iter().map(|cell| cell.initial.clone()).collect();
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

    /// Every step of the thread from the state.
    pub fn steps(&self, state: &State, thread: usize) -> Vec<Step> {
        let Loc::At(location) = state.locations[thread] else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        for command in &self.graphs[thread].locations[location].commands {
            let start = Run {
                state: state.clone(),
                accesses: BTreeSet::new(),
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
            }
        }
        steps
    }

    /// The ways in which a statement can be executed; none if it blocks.
    fn run(&self, stmt: &Stmt, thread: usize, mut run: Run) -> Vec<Run> {
        match &stmt.kind {
            StmtKind::Skip => vec![run],
            StmtKind::Assign(place, value) => {
                if let Some(cell) = self.cell(place, thread, &mut run)
                    && let Some(value) = self.eval(value, thread, &mut run)
                {
                    match self.type_of(place, thread).store(value) {
                        Some(value) => run.write(cell, value),
                        None => run.wrong = true,
                    }
                }
                vec![run]
            }
            StmtKind::Havoc(place) => match self.cell(place, thread, &mut run) {
                None => vec![run],
                Some(cell) => {
                    let values = self.type_of(place, thread).values().into_iter();
                    values
                        .map(|value| {
                            let mut run = run.clone();
                            run.write(cell, value);
                            run
                        })
                        .collect()
                }
            },
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
            StmtKind::Lock(mutex) => {
                if let Some(cell) = self.cell(mutex, thread, &mut run) {
                    if run.state.cells[cell] != NOBODY {
                        return Vec::new();
                    }
                    run.write(cell, thread as i64);
                }
                vec![run]
            }
            StmtKind::Unlock(mutex) => {
                if let Some(cell) = self.cell(mutex, thread, &mut run) {
                    match run.state.cells[cell] == thread as i64 {
                        true => run.write(cell, NOBODY),
                        false => run.wrong = true,
                    }
                }
                vec![run]
            }
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
            StmtKind::While(..) => unreachable!("`while` is no action"),
        }
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

    /// Evaluates for a running action, noting what is read; an error makes the run go wrong.
    fn eval(&self, expr: &Expr, thread: usize, run: &mut Run) -> Option<i64> {
        let scope = Scope {
            thread: Some(thread),
            parameter: None,
        };
        let value = self.value(expr, scope, &run.state, &mut run.accesses).ok();
        run.wrong = value.is_none();
        value
    }

    /// The cell of a place, whose index is evaluated and checked; an error makes the run go wrong.
    fn cell(&self, place: &Place, thread: usize, run: &mut Run) -> Option<usize> {
        let scope = Scope {
            thread: Some(thread),
            parameter: None,
        };
        let cell = self
            .cell_of(place, scope, &run.state, &mut run.accesses)
            .ok();
        run.wrong = cell.is_none();
        cell
    }

    /// A state expression, in which an error makes the whole predicate false.
    pub fn holds(&self, expr: &Expr, scope: Scope, state: &State) -> bool {
        matches!(self.value(expr, scope, state, &mut BTreeSet::new()), Ok(1))
    }

    /// The exclusive access predicate of `thread` for a protected cell.
    pub fn may_access(&self, protected: Protected, thread: usize, state: &State) -> bool {
        match &self.program.shared[protected.variable].discipline {
            Discipline::Unprotected => unreachable!("the cell is protected"),
            Discipline::Protected(predicate) => {
                let scope = Scope {
                    thread: Some(thread),
                    parameter: Some(protected.index as i64),
                };
                self.holds(predicate, scope, state)
            }
            Discipline::ProtectedBy(mutex) => {
                let index = self.program.mutexes[*mutex]
                    .size
                    .map_or(0, |_| protected.index);
                state.cells[self.mutexes[*mutex] + index] == thread as i64
            }
        }
    }

    fn value(
        &self,
        expr: &Expr,
        scope: Scope,
        state: &State,
        accesses: &mut BTreeSet<usize>,
    ) -> Result<i64, GoesWrong> {
        let mut value = |operand: &Expr| self.value(operand, scope, state, accesses);
        Ok(match expr {
            Expr::Int(value) | Expr::Tone(value) => *value,
            Expr::Bool(value) => i64::from(*value),
            Expr::Nobody => NOBODY,
            Expr::Self_ => scope.thread.expect("`self` in the scope of a thread") as i64,
            Expr::Index => self.threads[scope.thread.expect("`i` in the scope of a thread")].index,
            Expr::Parameter => scope
                .parameter
                .expect("`k` in an exclusive access predicate"),
            Expr::Thread(number) => *number as i64,
            Expr::Read(place) => {
                let cell = self.cell_of(place, scope, state, accesses)?;
                accesses.insert(cell);
                state.cells[cell]
            }
            Expr::Owner(place) => state.cells[self.cell_of(place, scope, state, accesses)?],
            Expr::At(thread, label) => {
                let thread = value(thread)? as usize;
                let location = match label.as_str() {
                    "end" => Some(&Loc::End),
                    "wrong" => Some(&Loc::Wrong),
                    _ => self.graphs[thread].labels.get(label),
                };
                i64::from(location == Some(&state.locations[thread]))
            }
            Expr::Not(operand) => 1 - value(operand)?,
            Expr::Binary(op, left, right) => {
                let left = value(left)?;
                match decided_by(*op) {
                    Some((decisive, result)) if left == decisive => result,
                    Some(_) => value(right)?,
                    None => apply(*op, left, value(right)?).ok_or(GoesWrong)?,
                }
            }
            Expr::Choose(condition, then, otherwise) => match value(condition)? {
                0 => value(otherwise)?,
                _ => value(then)?,
            },
        })
    }

    fn cell_of(
        &self,
        place: &Place,
        scope: Scope,
        state: &State,
        accesses: &mut BTreeSet<usize>,
    ) -> Result<usize, GoesWrong> {
        let (first, size) = match place.root {
            Root::Shared(number) => (
                self.shared[number],
                self.program.shared[number].variable.size,
            ),
            Root::Mutex(number) => (self.mutexes[number], self.program.mutexes[number].size),
            Root::Local(number) => {
                let thread = scope.thread.expect("locals in the scope of a thread");
                (self.locals[thread][number], self.local(thread, number).size)
            }
        };
        let index = match &place.index {
            None => 0,
            Some(index) => self.value(index, scope, state, accesses)?,
        };
        if (0..size.unwrap_or(1) as i64).contains(&index) {
            Ok(first + index as usize)
        } else {
            Err(GoesWrong)
        }
    }

    fn type_of(&self, place: &Place, thread: usize) -> Type {
        match place.root {
            Root::Shared(number) => self.program.shared[number].variable.ty,
            Root::Local(number) => self.local(thread, number).ty,
            Root::Mutex(_) => unreachable!("mutexes are not assigned"),
        }
    }

    fn local(&self, thread: usize, number: usize) -> &Variable {
        &self.program.families[self.threads[thread].family].locals[number]
    }
}

impl Run {
    fn write(&mut self, cell: usize, value: i64) {
        self.accesses.insert(cell);
        self.state.cells[cell] = value;
    }

    fn arrive(mut self, thread: usize, next: Loc) -> Step {
        self.state.locations[thread] = if self.wrong { Loc::Wrong } else { next };
        Step {
            target: self.state,
            accesses: self.accesses,
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
