//! From statements to locations: `docs/language.md`, section "Steps".
//!
//! A statement is compiled backwards: given the location behind it, it yields the location before it. Constant
//! conditions vanish, `either` merges the first actions of its branches, and locations that no path reaches are
//! dropped. A call is the procedure's body in its place; `wait` and `await` have two locations, a thread that is
//! started has one more in front of its body.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{Expr, Op, Part, Place, Program, Root, Stmt, StmtKind, Type};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Loc {
    At(usize),
    End,
    Wrong,
}

/// The control-flow graph of one thread.
#[derive(Clone, Debug)]
pub struct Graph {
    pub entry: Loc,
    pub locations: Vec<Location>,
    /// The locations of each label: a procedure's label names one in every copy.
    pub labels: BTreeMap<String, BTreeSet<Loc>>,
    /// Whether some path reaches the end of the body.
    pub ends: bool,
}

impl Graph {
    /// The locations that a report may mean by a line and a name, all of them or none.
    ///
    /// Several locations are on one line where a procedure is called more than once, and at `wait` and `await`. The
    /// language does not say how a report tells them apart; we let it add ` #2` or ` (..)` to the name.
    pub fn called(&self, line: usize, name: &str) -> Vec<usize> {
        let begins = |location: &Location| {
            let part = |command: &Command| match command {
                Command::Act { stmt, .. } => matches!(stmt.kind, StmtKind::Part(Part::Begin)),
                _ => false,
            };
            location.commands.iter().any(part)
        };
        let numbers = 0..self.locations.len();
        // Nor does it say on which line the location in front of a body is.
        if name == "start"
            && let Some(start) = self.locations.iter().position(begins)
        {
            return vec![start];
        }
        let on_line = |number: &usize| {
            let location = &self.locations[*number];
            location.line == line && !begins(location)
        };
        let here: Vec<usize> = numbers.filter(on_line).collect();
        let is_here = |at: &Loc| matches!(at, Loc::At(number) if here.contains(number));
        let labels: Vec<&String> = self
            .labels
            .iter()
            .filter(|(_, at)| at.iter().any(is_here))
            .map(|(label, _)| label)
            .collect();
        let by_line = format!("line {line}");
        let is_known = |name: &str| match labels.is_empty() {
            true => name == by_line,
            false => labels.iter().any(|label| *label == name),
        };
        // `line 5 (from line 10)` in a procedure that is called on line 10.
        let base = name.split(" (").next().expect("at least one part");
        let known = match here.len() {
            0 => false,
            1 => is_known(base),
            _ => {
                let base = base.split(" #").next().expect("at least one part");
                base == by_line || is_known(base)
            }
        };
        if known { here } else { Vec::new() }
    }
}

/// A location; all its commands together are one action.
#[derive(Clone, Debug)]
pub struct Location {
    /// Of its statement; for an `either`, of its first action.
    pub line: usize,
    pub commands: Vec<Command>,
    /// The parameters of procedures that hold a constant here, by procedure and number: those of the calls around it.
    pub known: BTreeMap<(usize, usize), i64>,
}

#[derive(Clone, Debug)]
pub enum Command {
    /// A single action, or an `atomic` block.
    Act { stmt: Stmt, next: Loc },
    /// The condition of an `if` or a `while`.
    Test {
        condition: Expr,
        then: Loc,
        otherwise: Loc,
    },
    /// The first action of `await`: the last thread to arrive goes on, the others wait.
    Arrive {
        barrier: Place,
        last: Loc,
        waits: Loc,
    },
}

impl Command {
    fn targets(&self) -> Vec<Loc> {
        match self {
            Command::Act { next, .. } => vec![*next],
            Command::Test {
                then, otherwise, ..
            } => vec![*then, *otherwise],
            Command::Arrive { last, waits, .. } => vec![*last, *waits],
        }
    }
}

/// What is constant in the statements of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// The thread's number, `self`.
    pub thread: i64,
    /// The family's index, `i`.
    pub index: i64,
}

/// The value of a constant expression.
pub fn constant(expr: &Expr, constants: Constants) -> Option<i64> {
    let value = |operand: &Expr| constant(operand, constants);
    match expr {
        Expr::Int(value) | Expr::Tone(value) => Some(*value),
        Expr::Bool(value) => Some(i64::from(*value)),
        Expr::Thread(number) => Some(*number as i64),
        Expr::Self_ => Some(constants.thread),
        Expr::Index => Some(constants.index),
        Expr::Not(operand) => Some(1 - value(operand)?),
        Expr::Flip(operand) => Some(-1 - value(operand)?),
        Expr::Binary(op, left, right) => match (decided_by(*op), value(left)?) {
            (Some((decisive, result)), left) if left == decisive => Some(result),
            (Some(_), _) => value(right),
            (None, left) => apply(*op, left, value(right)?),
        },
        Expr::Choose(condition, then, otherwise) => match value(condition)? {
            1 => value(then),
            _ => value(otherwise),
        },
        Expr::Nobody | Expr::Parameter | Expr::Read(_) | Expr::At(..) => None,
        Expr::Null | Expr::Reference(..) | Expr::Allocated(..) | Expr::Hidden(..) => None,
    }
}

/// For an operator that need not evaluate its right side: the left value that decides, and the result it gives.
pub fn decided_by(op: Op) -> Option<(i64, i64)> {
    match op {
        Op::And => Some((0, 0)),
        Op::Or => Some((1, 1)),
        Op::Implies => Some((0, 1)),
        _ => None,
    }
}

/// A strict operator on values; `None` is a division by zero, or a shift by an amount that is negative or more than 62.
pub fn apply(op: Op, left: i64, right: i64) -> Option<i64> {
    match op {
        Op::Add => Some(left + right),
        Op::Sub => Some(left - right),
        Op::Mul => Some(left * right),
        Op::Div => left.checked_div_euclid(right),
        Op::Rem => left.checked_rem_euclid(right),
        Op::BitAnd | Op::BitOr | Op::BitXor => Some(bitwise(op, left, right)),
        Op::Shl => (0..=62)
            .contains(&right)
            .then(|| (0..right).fold(left, |doubled, _| 2 * doubled)),
        Op::Shr => (0..=62)
            .contains(&right)
            .then(|| (0..right).fold(left, |halved, _| halved.div_euclid(2))),
        Op::Eq => Some(i64::from(left == right)),
        Op::Ne => Some(i64::from(left != right)),
        Op::Lt => Some(i64::from(left < right)),
        Op::Le => Some(i64::from(left <= right)),
        Op::And | Op::Or | Op::Implies => unreachable!("evaluated from the left"),
    }
}

/// Bit by bit from the lowest, until nothing but signs is left: 0 is all zeros, -1 all ones.
fn bitwise(op: Op, left: i64, right: i64) -> i64 {
    let (a, b) = (left.rem_euclid(2) == 1, right.rem_euclid(2) == 1);
    let bit = i64::from(match op {
        Op::BitAnd => a && b,
        Op::BitOr => a || b,
        _ => a != b,
    });
    if [left, right].iter().all(|rest| [0, -1].contains(rest)) {
        return -bit;
    }
    2 * bitwise(op, left.div_euclid(2), right.div_euclid(2)) + bit
}

/// The graph of one thread.
pub fn compile(program: &Program, thread: usize) -> Graph {
    let numbered = program.threads()[thread];
    let mut builder = Builder {
        program,
        constants: constants(program, thread),
        locations: Vec::new(),
        labels: BTreeMap::new(),
        joins: BTreeMap::new(),
        calls: Vec::new(),
        assigned: surviving(program, thread)
            .into_iter()
            .flat_map(parameters)
            .collect(),
        known: BTreeMap::new(),
        jumps: Vec::new(),
        offers: Vec::new(),
    };
    let family = &program.families[numbered.family];
    let mut entry = builder.body(&family.body, Loc::End);
    if started(program).contains(&thread) {
        entry = builder.act(family.line, StmtKind::Part(Part::Begin), entry);
        builder
            .labels
            .entry("start".to_owned())
            .or_insert(BTreeSet::from([entry]));
    }
    builder.finish(entry)
}

pub fn constants(program: &Program, thread: usize) -> Constants {
    Constants {
        thread: thread as i64,
        index: program.threads()[thread].index,
    }
}

/// The threads that some `start` in the program names.
pub fn started(program: &Program) -> BTreeSet<usize> {
    let mut started = BTreeSet::new();
    for thread in 0..program.threads().len() {
        for stmt in surviving(program, thread) {
            if let StmtKind::Start(thread) = stmt.kind {
                started.insert(thread);
            }
        }
    }
    started
}

/// Every statement of a thread and of what it calls, without the branches that constant conditions remove.
pub fn surviving(program: &Program, thread: usize) -> Vec<&Stmt> {
    let body = &program.families[program.threads()[thread].family].body;
    let mut found = Vec::new();
    survivors(
        program,
        constants(program, thread),
        (body, body),
        &mut found,
    );
    found
}

/// Those of a block, which stands in a body.
fn survivors<'a>(
    program: &'a Program,
    constants: Constants,
    (body, block): (&'a [Stmt], &'a [Stmt]),
    found: &mut Vec<&'a Stmt>,
) {
    for stmt in block {
        found.push(stmt);
        let blocks: Vec<&'a [Stmt]> = match &stmt.kind {
            StmtKind::If(condition, then, otherwise) => {
                let value = constant(condition, constants);
                let stays = |block: &[Stmt], gone| value != Some(gone) || is_entered(body, block);
                let mut blocks: Vec<&[Stmt]> = vec![then, otherwise];
                let mut gone = [0, 1].into_iter();
                blocks.retain(|block| stays(block, gone.next().expect("one of two")));
                blocks
            }
            StmtKind::While(condition, block) => {
                let stays = constant(condition, constants) != Some(0) || is_entered(body, block);
                stays.then_some(block.as_slice()).into_iter().collect()
            }
            StmtKind::Atomic(block) => vec![block],
            StmtKind::When(_, action) => vec![std::slice::from_ref(action.as_ref())],
            StmtKind::Either(branches) => branches.iter().map(Vec::as_slice).collect(),
            StmtKind::Call { procedure, .. } => {
                let called = program.procedures[*procedure].body.as_slice();
                survivors(program, constants, (called, called), found);
                continue;
            }
            _ => continue,
        };
        for block in blocks {
            survivors(program, constants, (body, block), found);
        }
    }
}

/// The block of an `atomic`, in which calls are replaced by what they do.
fn inlined(program: &Program, block: &[Stmt]) -> Vec<Stmt> {
    let mut stmts = Vec::new();
    for stmt in block {
        let kind = match &stmt.kind {
            StmtKind::Call {
                result,
                procedure,
                arguments,
            } => {
                let called = &program.procedures[*procedure];
                if called.has_entry(program) {
                    let enter = Part::Enter(*procedure, arguments.clone());
                    stmts.push(StmtKind::Part(enter).into());
                }
                let mut body = inlined(program, &called.body);
                // It can only be the last statement.
                if let Some(StmtKind::Return(value)) = body.last().map(|last| last.kind.clone()) {
                    body.pop();
                    body.extend(value.map(|value| Stmt::from(returned(result.as_ref(), value))));
                }
                stmts.extend(body);
                continue;
            }
            StmtKind::Atomic(block) => StmtKind::Atomic(inlined(program, block)),
            StmtKind::If(condition, then, otherwise) => StmtKind::If(
                condition.clone(),
                inlined(program, then),
                inlined(program, otherwise),
            ),
            StmtKind::Either(branches) => StmtKind::Either(
                branches
                    .iter()
                    .map(|branch| inlined(program, branch))
                    .collect(),
            ),
            StmtKind::When(guard, action) => {
                let [action] = inlined(program, std::slice::from_ref(action.as_ref()))
                    .try_into()
                    .expect("no call directly under `when`");
                StmtKind::When(guard.clone(), Box::new(action))
            }
            kind => kind.clone(),
        };
        stmts.push(Stmt {
            kind,
            ..stmt.clone()
        });
    }
    stmts
}

/// `return value` in a call whose result goes to the place, which is the caller's.
fn returned(result: Option<&Place>, value: Expr) -> StmtKind {
    match result {
        Some(place) => StmtKind::Assign(place.clone(), value),
        None => StmtKind::Part(Part::Drop(value)),
    }
}

/// The parameters that a statement assigns to.
fn parameters(stmt: &Stmt) -> Vec<(usize, usize)> {
    let places = match &stmt.kind {
        StmtKind::Assign(place, _)
        | StmtKind::Havoc(place)
        | StmtKind::Pick { place, .. }
        | StmtKind::New(place, _) => vec![place],
        StmtKind::Exchange { result, place, .. } => result.iter().chain([place]).collect(),
        StmtKind::Call { result, .. } => result.iter().collect(),
        _ => Vec::new(),
    };
    let parameter = |place: &Place| match place.root {
        Root::Frame {
            procedure,
            variable,
        } => Some((procedure, variable)),
        _ => None,
    };
    places.into_iter().filter_map(parameter).collect()
}

/// An expression with the values of parameters put in.
fn put_in(expr: &Expr, known: &BTreeMap<(usize, usize), i64>) -> Expr {
    let one = |operand: &Expr| Box::new(put_in(operand, known));
    match expr {
        Expr::Read(Place {
            root: Root::Frame {
                procedure,
                variable,
            },
            index: None,
        }) => match known.get(&(*procedure, *variable)) {
            Some(value) => Expr::Int(*value),
            None => expr.clone(),
        },
        Expr::Not(operand) => Expr::Not(one(operand)),
        Expr::Flip(operand) => Expr::Flip(one(operand)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, one(left), one(right)),
        Expr::Choose(condition, then, otherwise) => {
            Expr::Choose(one(condition), one(then), one(otherwise))
        }
        _ => expr.clone(),
    }
}

struct Builder<'a> {
    program: &'a Program,
    constants: Constants,
    locations: Vec<Location>,
    labels: BTreeMap<String, BTreeSet<Loc>>,
    /// The ends of `while (true)` bodies, which are their beginnings.
    joins: BTreeMap<Loc, Loc>,
    /// The calls we are in: where each puts its result, and the location behind it.
    calls: Vec<(Option<Place>, Loc)>,
    /// The parameters that some statement assigns to.
    assigned: BTreeSet<(usize, usize)>,
    /// Those to which the calls we are in give a constant.
    known: BTreeMap<(usize, usize), i64>,
    /// For the thread's body and each call we are in.
    jumps: Vec<Jumps<'a>>,
    /// The location of each `either`, inner ones first, with the locations that its branches begin at.
    offers: Vec<(Loc, Vec<Loc>)>,
}

/// The labels and jumps of a body, or of one copy of a procedure's.
struct Jumps<'a> {
    body: &'a [Stmt],
    labels: BTreeMap<String, Loc>,
    /// The location of each `goto`, which is that of its label.
    gotos: Vec<(Loc, String)>,
}

/// The labels of a block, and the labels that its jumps name.
fn labels_and_jumps(block: &[Stmt]) -> (Vec<String>, Vec<String>) {
    let (mut labels, mut jumps) = (Vec::new(), Vec::new());
    for stmt in block {
        labels.extend(stmt.labels.clone());
        let blocks: Vec<&[Stmt]> = match &stmt.kind {
            StmtKind::Goto(label) => {
                jumps.push(label.clone());
                Vec::new()
            }
            StmtKind::If(_, then, otherwise) => vec![then, otherwise],
            StmtKind::While(_, block) => vec![block],
            StmtKind::Either(branches) => branches.iter().map(Vec::as_slice).collect(),
            _ => Vec::new(),
        };
        for block in blocks {
            let (more_labels, more_jumps) = labels_and_jumps(block);
            labels.extend(more_labels);
            jumps.extend(more_jumps);
        }
    }
    (labels, jumps)
}

/// Whether a jump from elsewhere in the body leads into a block of it, which does not disappear then.
fn is_entered(body: &[Stmt], block: &[Stmt]) -> bool {
    let (labels, own) = labels_and_jumps(block);
    let (_, all) = labels_and_jumps(body);
    let count = |jumps: &[String], label| jumps.iter().filter(|jump| *jump == label).count();
    labels
        .iter()
        .any(|label| count(&all, label) > count(&own, label))
}

impl<'a> Builder<'a> {
    /// All of a thread's body or of one copy of a procedure's.
    fn body(&mut self, body: &'a [Stmt], next: Loc) -> Loc {
        self.jumps.push(Jumps {
            body,
            labels: BTreeMap::new(),
            gotos: Vec::new(),
        });
        let entry = self.block(body, next);
        let jumps = self.jumps.pop().expect("as pushed");
        for (goto, label) in jumps.gotos {
            let target = jumps.labels[&label];
            self.joins.insert(goto, target);
        }
        entry
    }

    /// A block that a constant condition removes, unless a jump leads into it.
    fn removed(&mut self, block: &'a [Stmt], next: Loc) {
        let jumps = self.jumps.last().expect("in a body");
        if is_entered(jumps.body, block) {
            self.block(block, next);
        }
    }

    fn fresh(&mut self, line: usize, commands: Vec<Command>) -> Loc {
        let known = self.known.clone();
        self.locations.push(Location {
            line,
            commands,
            known,
        });
        Loc::At(self.locations.len() - 1)
    }

    /// The location of one action.
    fn act(&mut self, line: usize, kind: StmtKind, next: Loc) -> Loc {
        let stmt = Stmt {
            line,
            ..kind.into()
        };
        self.fresh(line, vec![Command::Act { stmt, next }])
    }

    fn block(&mut self, block: &'a [Stmt], next: Loc) -> Loc {
        block
            .iter()
            .rev()
            .fold(next, |next, stmt| self.stmt(stmt, next))
    }

    fn stmt(&mut self, stmt: &'a Stmt, next: Loc) -> Loc {
        let before = self.unlabelled(stmt, next);
        for label in &stmt.labels {
            self.labels.entry(label.clone()).or_default().insert(before);
            let jumps = self.jumps.last_mut().expect("in a body");
            jumps.labels.insert(label.clone(), before);
        }
        before
    }

    fn unlabelled(&mut self, stmt: &'a Stmt, next: Loc) -> Loc {
        match &stmt.kind {
            StmtKind::If(condition, then, otherwise) => match constant(condition, self.constants) {
                Some(value) => {
                    let (taken, gone) = match value {
                        1 => (then, otherwise),
                        _ => (otherwise, then),
                    };
                    self.removed(gone, next);
                    self.block(taken, next)
                }
                None => {
                    let then = self.block(then, next);
                    let otherwise = self.block(otherwise, next);
                    self.fresh(
                        stmt.line,
                        vec![Command::Test {
                            condition: condition.clone(),
                            then,
                            otherwise,
                        }],
                    )
                }
            },
            StmtKind::While(condition, body) => match constant(condition, self.constants) {
                Some(0) => {
                    self.removed(body, next);
                    next
                }
                Some(_) => {
                    let join = self.fresh(stmt.line, Vec::new());
                    let entry = self.block(body, join);
                    assert_ne!(entry, join, "the body of `while (true)` has no action");
                    self.joins.insert(join, entry);
                    entry
                }
                None => {
                    let head = self.fresh(stmt.line, Vec::new());
                    let then = self.block(body, head);
                    let test = Command::Test {
                        condition: condition.clone(),
                        then,
                        otherwise: next,
                    };
                    self.location(head).commands.push(test);
                    head
                }
            },
            StmtKind::Either(branches) => {
                let mut commands = Vec::new();
                let mut lines = Vec::new();
                let mut offered = Vec::new();
                for branch in branches {
                    assert!(
                        !branch.is_empty(),
                        "the model language allows it, the twin does not"
                    );
                    let known = self.locations.len();
                    let mut entry = self.block(branch, next);
                    // A branch that is left before its first action is chosen by a step.
                    if !matches!(entry, Loc::At(number) if number >= known) || self.jumps(entry) {
                        entry = self.act(stmt.line, StmtKind::Skip, entry);
                    }
                    offered.push(entry);
                    let first = self.location(entry);
                    lines.push(first.line);
                    commands.append(&mut first.commands.clone());
                }
                let choice = self.fresh(lines[0], commands);
                self.offers.push((choice, offered));
                choice
            }
            StmtKind::Wait(cond, mutex) => {
                let [sleep, wake] = [Part::Sleep, Part::Wake]
                    .map(|part| StmtKind::Part(part(cond.clone(), mutex.clone())));
                let woken = self.act(stmt.line, wake, next);
                self.act(stmt.line, sleep, woken)
            }
            StmtKind::Await(barrier) => {
                let pass = StmtKind::Part(Part::Pass(barrier.clone()));
                let waits = self.act(stmt.line, pass, next);
                let barrier = barrier.clone();
                let arrive = Command::Arrive {
                    barrier,
                    last: next,
                    waits,
                };
                self.fresh(stmt.line, vec![arrive])
            }
            StmtKind::Call {
                result,
                procedure,
                arguments,
            } => {
                let program = self.program;
                let called = &program.procedures[*procedure];
                self.calls.push((result.clone(), next));
                let outside = self.known.clone();
                self.known.extend(self.given(*procedure, arguments));
                let entry = self.body(&called.body, next);
                self.known = outside;
                self.calls.pop();
                if called.has_entry(program) {
                    let enter = Part::Enter(*procedure, arguments.clone());
                    self.act(stmt.line, StmtKind::Part(enter), entry)
                } else {
                    entry
                }
            }
            StmtKind::Return(value) => {
                let (result, behind) = self.calls.last().expect("in a procedure").clone();
                match value {
                    None => behind,
                    Some(value) => {
                        self.act(stmt.line, returned(result.as_ref(), value.clone()), behind)
                    }
                }
            }
            StmtKind::Goto(label) => {
                let goto = self.fresh(stmt.line, Vec::new());
                let jumps = self.jumps.last_mut().expect("in a body");
                jumps.gotos.push((goto, label.clone()));
                goto
            }
            StmtKind::Atomic(block) => {
                let block = inlined(self.program, block);
                self.act(stmt.line, StmtKind::Atomic(block), next)
            }
            StmtKind::When(..) => {
                let [action] = inlined(self.program, std::slice::from_ref(stmt))
                    .try_into()
                    .expect("a single statement");
                self.act(stmt.line, action.kind, next)
            }
            kind => self.act(stmt.line, kind.clone(), next),
        }
    }

    /// The parameters that a call gives a constant, and that keep it.
    fn given(&self, procedure: usize, arguments: &[Expr]) -> BTreeMap<(usize, usize), i64> {
        let declared = &self.program.procedures[procedure].variables;
        let value = |(n, argument): (usize, &Expr)| {
            let ty = declared[n].ty;
            let is_number = !matches!(ty, Type::Ref(..) | Type::Record(_));
            let value = constant(&put_in(argument, &self.known), self.constants)?;
            let stays = is_number && ty.store(value) == Some(value);
            (stays && !self.assigned.contains(&(procedure, n))).then_some(((procedure, n), value))
        };
        arguments.iter().enumerate().filter_map(value).collect()
    }

    /// Whether a location is that of a `goto`, here or in a procedure.
    fn jumps(&self, location: Loc) -> bool {
        let here = &self.jumps.last().expect("in a body").gotos;
        self.joins.contains_key(&location) || here.iter().any(|(goto, _)| *goto == location)
    }

    fn location(&mut self, location: Loc) -> &mut Location {
        match location {
            Loc::At(number) => &mut self.locations[number],
            Loc::End | Loc::Wrong => unreachable!("has no commands"),
        }
    }

    /// Replaces joins and keeps the locations that a path from the entry reaches.
    fn finish(mut self, entry: Loc) -> Graph {
        let joins = self.joins.clone();
        let real = |mut location: Loc| {
            while let Some(entry) = joins.get(&location) {
                location = *entry;
            }
            location
        };
        for location in &mut self.locations {
            for command in &mut location.commands {
                *command = redirect(command, real);
            }
        }
        let mut kept = vec![real(entry)];
        let mut next = 0;
        while let Some(&location) = kept.get(next) {
            next += 1;
            let Loc::At(number) = location else { continue };
            for target in self.locations[number]
                .commands
                .iter()
                .flat_map(Command::targets)
            {
                if !kept.contains(&target) {
                    kept.push(target);
                }
            }
        }
        let ends = kept.contains(&Loc::End);
        kept.retain(|location| *location != Loc::End);
        let renumbered = |location: Loc| match kept.iter().position(|kept| *kept == location) {
            Some(number) => Loc::At(number),
            None => location,
        };
        let mut locations = Vec::new();
        for location in &kept {
            let Location {
                line,
                commands,
                known,
            } = self.location(*location).clone();
            let commands = commands
                .iter()
                .map(|command| redirect(command, renumbered))
                .collect();
            locations.push(Location {
                line,
                commands,
                known,
            });
        }
        let mut labels: BTreeMap<String, BTreeSet<Loc>> = BTreeMap::new();
        for (label, named) in &self.labels {
            let mut named: BTreeSet<Loc> = named.iter().map(|location| real(*location)).collect();
            // What is at a branch's first action can be taken where the choice is made, too.
            for (choice, offered) in &self.offers {
                if offered.iter().any(|first| named.contains(first)) {
                    named.insert(*choice);
                }
            }
            for location in named {
                if location == Loc::End || kept.contains(&location) {
                    let named = labels.entry(label.clone()).or_default();
                    named.insert(renumbered(location));
                }
            }
        }
        Graph {
            entry: renumbered(real(entry)),
            locations,
            labels,
            ends,
        }
    }
}

fn redirect(command: &Command, to: impl Fn(Loc) -> Loc) -> Command {
    match command {
        Command::Act { stmt, next } => Command::Act {
            stmt: stmt.clone(),
            next: to(*next),
        },
        Command::Test {
            condition,
            then,
            otherwise,
        } => Command::Test {
            condition: condition.clone(),
            then: to(*then),
            otherwise: to(*otherwise),
        },
        Command::Arrive {
            barrier,
            last,
            waits,
        } => Command::Arrive {
            barrier: barrier.clone(),
            last: to(*last),
            waits: to(*waits),
        },
    }
}
