//! Dead locals: a local variable that no path reads before it writes it is put back to its initial value.
//!
//! `d` does that in a state, to all threads. For each step `a`, `a d = d a d`: what `d` forgets has no influence on
//! what the step does, but for what is forgotten behind it. `theories/identities/quotients.thy` has what follows. Here
//! `d` becomes part of the program: each step ends with assignments. So every engine can explore the result, as it
//! explores any program, and an execution of it is an execution of the original but for values that are dead.

use crate::engine::Variable;
use crate::engine::interpreter::{State, each_successor, violates};
use crate::engine::reach::{Move, Path};
use crate::model::program::{
    CellId, Class, Command, Edge, Expr, How, LocId, Program, Target, Thread, ThreadId, each_use,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The local variables that are dead, by thread and location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLocals {
    dead: Vec<Vec<Vec<CellId>>>,
    /// By thread: the variables that only its own steps look at.
    own: Vec<Cells>,
    /// By cell: the value that a dead one has.
    rest: Vec<i64>,
}

/// Cells.
pub type Cells = BTreeSet<CellId>;

impl DeadLocals {
    /// Finds what is dead if nothing is asked but the properties of the program, its deadlocks, and these.
    pub fn new(program: &Program, asked: &[&Expr]) -> Self {
        Self::looked_at(program, asked, &|_, _, _| false)
    }

    /// The same where somebody looks at variables while a thread is at some locations. They are alive there, and so
    /// where their values come from.
    pub fn looked_at(
        program: &Program,
        asked: &[&Expr],
        seen: &dyn Fn(ThreadId, LocId, CellId) -> bool,
    ) -> Self {
        let alive = alive(program, asked);
        let own = |t: ThreadId| -> Cells {
            let cells = program.cells.iter().enumerate();
            let own = cells.filter(|(c, cell)| cell.class == Class::Local(t) && !alive.contains(c));
            own.map(|(c, _)| c).collect()
        };
        let own: Vec<Cells> = (0..program.threads.len()).map(own).collect();
        let threads = program.threads.iter().zip(&own).enumerate();
        let of = |(t, (thread, own)): (ThreadId, (&Thread, &Cells))| {
            let looked = |l: LocId| -> Cells {
                let cells = own.iter().copied();
                cells.filter(|&c| seen(t, l, c)).collect()
            };
            let looked: Vec<Cells> = (0..thread.locations.len()).map(looked).collect();
            let live = live(program, thread, own, looked);
            let dead = live.iter().map(|l| own.difference(l).copied().collect());
            dead.collect()
        };
        let cells = program.cells.iter();
        DeadLocals {
            dead: threads.map(of).collect(),
            own,
            rest: cells.map(|c| c.initial.unwrap_or(c.ty.lo)).collect(),
        }
    }

    /// Without those that are to be kept, by thread and location. This is for looking at states: a program must not
    /// forget what is kept behind its next step.
    pub fn keeping(mut self, kept: &dyn Fn(ThreadId, LocId, CellId) -> bool) -> Self {
        for (t, locations) in self.dead.iter_mut().enumerate() {
            for (l, cells) in locations.iter_mut().enumerate() {
                cells.retain(|&c| !kept(t, l, c));
            }
        }
        self
    }

    /// The cells of a thread that are dead at a location.
    pub fn at(&self, thread: ThreadId, location: LocId) -> &[CellId] {
        &self.dead[thread][location]
    }

    /// The variables that only a thread's own steps look at, and those of them that are alive, by location.
    pub fn liveness(&self, thread: ThreadId) -> (Cells, Vec<Cells>) {
        let own = self.own[thread].clone();
        let alive = |dead: &Vec<CellId>| &own - &dead.iter().copied().collect();
        let live = self.dead[thread].iter().map(alive).collect();
        (own, live)
    }

    /// A state in which everything dead has its initial value.
    pub fn forget(&self, state: &State) -> State {
        let (mut cells, places) = (state.cells(), state.locations());
        for (t, l) in places.iter().enumerate() {
            for &c in self.at(t, *l) {
                cells[c] = self.rest[c];
            }
        }
        State::new(&cells, &places)
    }

    /// The program whose steps forget what is dead behind them. A step that goes wrong forgets nothing: there is
    /// nothing behind it.
    pub fn forgetting(&self, program: &Program) -> Program {
        let mut made = program.clone();
        for (t, thread) in made.threads.iter_mut().enumerate() {
            for &c in self.at(t, thread.initial) {
                made.cells[c].initial = Some(self.rest[c]);
            }
            for (l, location) in thread.locations.iter_mut().enumerate() {
                for edge in &mut location.edges {
                    let written = written(program, edge);
                    let kept: Cells = self.at(t, l).iter().copied().collect();
                    let mut put = |to: LocId| {
                        let dead = self.at(t, to).iter().copied();
                        // What was dead before and is not written has its initial value already.
                        let changed = dead.filter(|c| !kept.contains(c) || written.contains(c));
                        let back = |c| Command::Assign(Target::Cell(c), Expr::Const(self.rest[c]));
                        changed.map(back).collect()
                    };
                    before_gotos(&mut edge.body, &mut put);
                }
            }
        }
        made
    }

    /// The execution of the original program that an execution of the forgetting one stands for; its last step violates
    /// the discipline if that is wanted.
    pub fn original(&self, program: &Program, path: &Path, badly: bool) -> Option<Path> {
        let (mut cells, mut places) = (path.first.cells(), path.first.locations());
        let (mut present, mut moves) = (path.first.clone(), Vec::new());
        for (n, m) in path.moves.iter().enumerate() {
            for &(variable, value) in &m.after {
                match variable {
                    Variable::Cell(c) => cells[c] = value,
                    Variable::Location(t) => places[t] = value as LocId,
                }
            }
            let meant = State::new(&cells, &places);
            let wanted = self.forget(&meant);
            let bad = badly && n + 1 == path.moves.len();
            let mut other = None;
            let found = each_successor(program, &present, m.thread, Some(&meant), &mut |step| {
                if self.forget(&step.state) != wanted {
                    return ControlFlow::Continue(());
                }
                match violates(program, m.thread, &present, &step) == bad {
                    true => ControlFlow::Break(step.state),
                    false => {
                        other.get_or_insert(step.state);
                        ControlFlow::Continue(())
                    }
                }
            });
            let next = match found {
                ControlFlow::Break(next) => next,
                ControlFlow::Continue(()) => other?,
            };
            moves.push(Move::between(program, m.thread, &present, &next));
            present = next;
        }
        Some(Path {
            first: path.first.clone(),
            moves,
            shortest: path.shortest,
        })
    }
}

/// What somebody other than a thread's own steps looks at.
fn alive(program: &Program, asked: &[&Expr]) -> Cells {
    let mut alive = Cells::new();
    let mut look = |e: &Expr| each_cell(program, e, &mut |c| alive.extend([c]));
    let protections = program.protections.iter();
    let predicates =
        protections.flat_map(|x| x.predicates.iter().chain(x.readers.iter().flatten()));
    let properties = program.properties.iter().chain(&program.lemmas);
    let properties = properties.map(|p| &p.expr);
    predicates
        .chain(&program.init)
        .chain(properties)
        .for_each(&mut look);
    asked.iter().for_each(|e| look(e));
    alive.extend(program.protections.iter().map(|x| x.cell));
    for (t, thread) in program.threads.iter().enumerate() {
        for edge in thread.locations.iter().flat_map(|l| &l.edges) {
            each_use(program, edge, &mut |used| {
                let others = |c: &CellId| program.cells[*c].class != Class::Local(t);
                alive.extend(used.cells.filter(others));
            });
        }
    }
    alive
}

/// The cells that an expression may look at.
fn each_cell(program: &Program, e: &Expr, visit: &mut dyn FnMut(CellId)) {
    e.walk(&mut |e| match e {
        Expr::Cell(c) => visit(*c),
        Expr::Element(array, _) | Expr::Via(_, Some(array)) => {
            program.cells_of(*array).for_each(&mut *visit);
        }
        _ => {}
    });
}

/// The cells that an edge may write.
fn written(program: &Program, edge: &Edge) -> Cells {
    let mut all = Cells::new();
    each_use(program, edge, &mut |used| {
        if used.how == How::Write {
            all.extend(used.cells);
        }
    });
    all
}

/// Which of these cells are alive at each location of a thread, beside those that are looked at: the least solution.
fn live(program: &Program, thread: &Thread, own: &Cells, looked: Vec<Cells>) -> Vec<Cells> {
    let mut live = looked.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for l in (0..live.len()).rev() {
            let mut here = looked[l].clone();
            for edge in &thread.locations[l].edges {
                let flow = Flow {
                    program,
                    own,
                    live: &live,
                };
                let mut before = flow.before(&edge.body, Cells::new());
                flow.read(edge.guard.iter(), &mut before);
                here.extend(before);
            }
            changed |= here != live[l];
            live[l] = here;
        }
    }
    live
}

/// The flow through a step, backwards.
pub(super) struct Flow<'a> {
    pub(super) program: &'a Program,
    pub(super) own: &'a Cells,
    pub(super) live: &'a [Cells],
}

impl Flow<'_> {
    fn read<'e>(&self, all: impl IntoIterator<Item = &'e Expr>, live: &mut Cells) {
        for e in all {
            each_cell(self.program, e, &mut |c| {
                if self.own.contains(&c) {
                    live.insert(c);
                }
            });
        }
    }

    /// Only a write to a known cell ends what was there. A write that goes wrong ends everything.
    fn write(&self, target: &Target, live: &mut Cells) {
        match target {
            Target::Cell(c) => live.retain(|other| other != c),
            Target::Element(_, index) => self.read(index, live),
        }
    }

    /// What is alive before these commands, if this is behind them.
    pub(super) fn before(&self, commands: &[Command], mut live: Cells) -> Cells {
        for command in commands.iter().rev() {
            match command {
                Command::Goto(l) => live.extend(&self.live[*l]),
                Command::Assign(target, value) => {
                    self.write(target, &mut live);
                    self.read([value], &mut live);
                }
                Command::Havoc(target) => self.write(target, &mut live),
                Command::Check(e, _) => self.read([e], &mut live),
                Command::If(c, yes, no) => {
                    let other = self.before(no, live.clone());
                    live = self.before(yes, live);
                    live.extend(other);
                    self.read([c], &mut live);
                }
                Command::Choose(branches) => {
                    let all = branches.iter().map(|b| self.before(b, live.clone()));
                    live = all.fold(Cells::new(), |all, one| &all | &one);
                }
            }
        }
        live
    }
}

/// Puts commands before each `goto`; nothing but that follows one.
fn before_gotos(commands: &mut Vec<Command>, put: &mut dyn FnMut(LocId) -> Vec<Command>) {
    for mut command in std::mem::take(commands) {
        match &mut command {
            Command::Goto(l) => commands.extend(put(*l)),
            Command::If(_, yes, no) => {
                before_gotos(yes, put);
                before_gotos(no, put);
            }
            Command::Choose(branches) => {
                branches.iter_mut().for_each(|b| before_gotos(b, put));
            }
            _ => {}
        }
        commands.push(command);
    }
}
