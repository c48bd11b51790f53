//! Random well-typed programs: two or three threads, one or two mutexes, few variables.
//!
//! Most accesses follow the discipline that is declared afterwards, so that the theorem's hypotheses often hold and say
//! something; some do not.

use proptest::prelude::*;

use super::ast::{
    By, Discipline, Expr, Family, Field, Kind, Object, Op, Place, Program, Property, Root, Shared,
    StateKind, Stmt,
};
use super::ast::{StmtKind, Type, Variable};
use super::choices::Choices;
use super::compile::{Constants, constant};
use super::model::Model;
use super::phrases::{Phrases, Style, scalar, test};
use super::print::print;
use super::second;
use super::semantics::System;

/// The largest number of type-correct states of a generated program.
pub const STATE_LIMIT: usize = 12_000;

/// The same for the second part, whose objects have many states that are never reached.
pub const SECOND_LIMIT: usize = 24_000;

/// A generated program as the tool and as the twin see it.
#[derive(Clone)]
pub struct Sample {
    /// With the lines of its statements.
    pub program: Program,
    pub source: String,
}

/// What proptest shows of a counter-example.
impl std::fmt::Debug for Sample {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "\n{}", self.source)
    }
}

impl Sample {
    pub fn new(mut program: Program) -> Sample {
        let source = print(&mut program);
        Sample { program, source }
    }

    /// The program's states and steps.
    pub fn model(&self) -> Model {
        Model::new(&self.program)
    }
}

/// Whether the variables of a sample say how they are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disciplines {
    /// Each shared variable and each field has a discipline word, its own or that of the record variable.
    Written,
    /// None has: only what holds of the original program can be compared.
    Omitted,
}

/// Programs that have an initial state and at most [`STATE_LIMIT`] type-correct states.
pub fn samples() -> impl Strategy<Value = Sample> {
    samples_with(Disciplines::Written)
}

pub fn samples_with(disciplines: Disciplines) -> impl Strategy<Value = Sample> {
    let omitting = move |program: fn(&mut Choices) -> Program| {
        move |choices: &mut Choices| {
            let mut program = program(choices);
            if disciplines == Disciplines::Omitted {
                omit_disciplines(&mut program);
            }
            program
        }
    };
    let first = from_tape(STATE_LIMIT, omitting(program));
    let second = from_tape(SECOND_LIMIT, omitting(second::program));
    prop_oneof![
        1 => first,
        1 => second,
    ]
}

/// Programs of the first part only.
pub fn first_samples() -> impl Strategy<Value = Sample> {
    from_tape(STATE_LIMIT, program)
}

/// Programs of the second part only.
pub fn second_samples() -> impl Strategy<Value = Sample> {
    from_tape(SECOND_LIMIT, second::program)
}

fn from_tape(
    limit: usize,
    program: impl Fn(&mut Choices) -> Program,
) -> impl Strategy<Value = Sample> {
    let tape = proptest::collection::vec(any::<u16>(), 0..400);
    tape.prop_filter_map("too many states, or no initial one", move |tape| {
        let program = program(&mut Choices::new(tape));
        let system = System::new(&program);
        let small = system.size() <= limit && !system.initial().is_empty();
        small.then(|| Sample::new(program))
    })
}

fn omit_disciplines(program: &mut Program) {
    let fields = program
        .records
        .iter_mut()
        .flat_map(|record| &mut record.fields);
    let fields = fields.filter_map(|field| match field {
        Field::Data(data) => Some(data),
        Field::Object(_) => None,
    });
    for shared in program.shared.iter_mut().chain(fields) {
        shared.discipline = Discipline::Omitted;
    }
}

pub fn program(choices: &mut Choices) -> Program {
    let families = layout(choices);
    let threads: usize = families
        .iter()
        .map(|(_, members)| members.unwrap_or(1))
        .sum();
    let mutexes = match choices.below(3) {
        0 => vec![mutex("m", None)],
        1 => vec![mutex("m", None), mutex("n", None)],
        _ => vec![mutex("m", Some(2))],
    };
    let mut shared = Vec::new();
    let mut keys = Vec::new();
    for name in ["x", "z"]
        .into_iter()
        .take(choices.weighted(&[(2, 1), (1, 2)]))
    {
        let ty = choices.one_of(&[
            Type::Range(0, 1),
            Type::Range(0, 2),
            Type::Mod(2),
            Type::Bool,
            Type::Tone,
        ]);
        let size = if choices.once_in(3) && shared.is_empty() {
            Some(2)
        } else {
            None
        };
        keys.push((shared.len(), choices.below(mutexes.len())));
        let variable = Variable {
            name: name.to_owned(),
            ty,
            size,
            initial: initial(choices, ty),
        };
        shared.push(Shared {
            variable,
            discipline: Discipline::Unprotected,
        });
    }
    let style = choices.weighted(&[
        (5, Style::Locks),
        (2, Style::Barrier),
        (3, Style::Turns),
        (2, Style::Regions),
    ]);
    let needs_free = matches!(style, Style::Barrier | Style::Turns);
    let free = (needs_free || choices.once_in(3)).then_some(shared.len());
    if free.is_some() {
        let ty = choices.one_of(&[
            Type::Range(0, 2),
            Type::Mod(2),
            Type::Mod(3),
            Type::Range(0, 1),
        ]);
        let variable = Variable {
            name: "y".to_owned(),
            ty,
            size: None,
            initial: initial(choices, ty),
        };
        shared.push(Shared {
            variable,
            discipline: Discipline::Unprotected,
        });
    }
    let mut program = Program {
        objects: mutexes,
        shared,
        ..Program::default()
    };
    let room = if threads == 2 { 7 } else { 4 };
    for (name, members) in families {
        let scene = Scene {
            program: &program,
            keys: &keys,
            free,
            style,
            room,
        };
        let family = scene.family(choices, name, members);
        program.families.push(family);
    }
    for (variable, mutex) in &keys {
        program.shared[*variable].discipline =
            discipline(choices, &program, style, *variable, *mutex);
    }
    let open = program
        .shared
        .iter()
        .position(|shared| shared.variable.initial.is_none());
    if let Some(number) = open.filter(|_| choices.once_in(2)) {
        let Variable { ty, size, .. } = program.shared[number].variable;
        let index = size.map(|_| Box::new(Expr::Int(1)));
        program.init = Some(test(
            choices,
            Place {
                root: Root::Shared(number),
                index,
            },
            ty,
        ));
    }
    for number in 0..choices.below(3) {
        let mut kinds = vec![StateKind::Invariant, StateKind::Reach];
        if choices.once_in(4) {
            kinds = vec![StateKind::Lemma];
        }
        let kind = choices.one_of(&kinds);
        let expr = state_expr(choices, &program);
        program.properties.push(Property::State {
            kind,
            name: format!("P{number}"),
            expr,
        });
    }
    if choices.once_in(2) {
        program.properties.push(Property::DeadlockFree);
    }
    program
}

/// Names of the families and how many members they have.
fn layout(choices: &mut Choices) -> Vec<(&'static str, Option<usize>)> {
    match choices.below(6) {
        0 | 1 => vec![("worker", Some(2))],
        2 | 3 => vec![("a", None), ("b", None)],
        4 => vec![("a", None), ("worker", Some(2))],
        _ => vec![("a", None), ("b", None), ("c", None)],
    }
}

fn mutex(name: &str, size: Option<usize>) -> Object {
    Object {
        name: name.to_owned(),
        size,
        kind: Kind::Mutex,
    }
}

fn initial(choices: &mut Choices, ty: Type) -> Option<i64> {
    let value = if choices.once_in(4) {
        choices.one_of(&ty.values())
    } else {
        0
    };
    (!choices.once_in(8)).then_some(value)
}

/// What all families of a program share.
struct Scene<'a> {
    program: &'a Program,
    /// The protected variables, each with its mutex.
    keys: &'a [(usize, usize)],
    free: Option<usize>,
    style: Style,
    /// How many locations a body has at most.
    room: usize,
}

impl Scene<'_> {
    fn family(&self, choices: &mut Choices, name: &str, members: Option<usize>) -> Family {
        let mut local = None;
        if choices.once_in(2) {
            let ty = choices.one_of(&[
                Type::Range(0, 1),
                Type::Mod(2),
                Type::Bool,
                Type::Range(0, 2),
            ]);
            local = Some(Variable {
                name: "t".to_owned(),
                ty,
                size: None,
                initial: initial(choices, ty),
            });
        }
        let locals: Vec<Variable> = local.iter().cloned().collect();
        let repeats = choices.below(4);
        let count = 1 + choices.below(4);
        let Scene {
            program:
                Program {
                    objects: mutexes,
                    shared,
                    ..
                },
            keys,
            free,
            style,
            room,
        } = *self;
        let indexed = members.is_some();
        let rogue = choices.once_in(4);
        let mut phrases = Phrases {
            choices,
            style,
            rogue,
            mutexes,
            shared,
            keys,
            free,
            local,
            indexed,
        };
        let mut body: Vec<Stmt> = Vec::new();
        for _ in 0..count {
            let phrase = phrases.phrase();
            if locations(&body) + locations(&phrase) <= room {
                body.extend(phrase);
            }
        }
        if body.is_empty() {
            body.push(StmtKind::Skip.into());
        }
        let jumps = phrases.choices.once_in(3);
        let condition = jumps.then(|| phrases.condition());
        for (number, stmt) in body.iter_mut().enumerate() {
            if choices.once_in(2) {
                stmt.labels.push(format!("L{number}"));
            }
        }
        if let Some(condition) = condition {
            jump(choices, &mut body, condition);
        }
        if repeats == 3 {
            body = vec![StmtKind::While(Expr::Bool(true), body).into()];
        }
        Family {
            name: name.to_owned(),
            members,
            locals,
            body,
            line: 0,
        }
    }
}

/// Puts one or two jumps into a body, which lead to statements with an action: so there is a step in every circle.
pub fn jump(choices: &mut Choices, body: &mut Vec<Stmt>, condition: Expr) {
    for number in 0..=choices.below(2) {
        let label = format!("J{number}");
        let target = choices.below(body.len());
        let stmt = &mut body[target];
        let inner = match &mut stmt.kind {
            StmtKind::If(_, then, _) => then.first_mut(),
            StmtKind::While(_, block) => block.first_mut(),
            StmtKind::Either(branches) => branches[0].first_mut(),
            _ => None,
        };
        let entered = inner.filter(|stmt| acts(stmt) && choices.once_in(2));
        let stmt = match entered {
            Some(inner) => inner,
            None => stmt,
        };
        if !acts(stmt) {
            continue;
        }
        stmt.labels.push(label.clone());
        let goto = Stmt::from(StmtKind::Goto(label));
        let place = choices.below(body.len());
        let block = match &mut body[place].kind {
            StmtKind::If(_, then, _) => Some(then),
            StmtKind::While(Expr::Binary(..), block) => Some(block),
            StmtKind::Either(branches) => branches.last_mut(),
            _ => None,
        };
        match block {
            Some(block) => {
                let alone = choices.once_in(2);
                if alone && block.iter().all(|stmt| stmt.labels.is_empty()) {
                    block.clear();
                }
                block.push(goto);
            }
            None if choices.once_in(3) => body.insert(place, goto),
            None => {
                let test = StmtKind::If(condition.clone(), vec![goto], Vec::new());
                body.insert(place, test.into());
            }
        }
    }
}

/// Whether a statement is an action, or begins with one.
fn acts(stmt: &Stmt) -> bool {
    let any = Constants {
        thread: 0,
        index: 0,
    };
    match &stmt.kind {
        StmtKind::Goto(_) | StmtKind::Return(None) => false,
        StmtKind::If(condition, ..) | StmtKind::While(condition, _) => {
            constant(condition, any).is_none()
        }
        _ => true,
    }
}

/// How many locations a block has at most.
fn locations(block: &[Stmt]) -> usize {
    let of = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If(_, then, otherwise) => 1 + locations(then) + locations(otherwise),
        StmtKind::While(_, body) => 1 + locations(body),
        _ => 1,
    };
    block.iter().map(of).sum()
}

/// The discipline of a variable that most accesses reach under `mutex`, mostly what the style needs.
fn discipline(
    choices: &mut Choices,
    program: &Program,
    style: Style,
    variable: usize,
    mutex: usize,
) -> Discipline {
    let array = program.shared[variable].variable.size.is_some();
    let index = match (program.objects[mutex].size, array) {
        (None, _) => None,
        (Some(_), true) => Some(Box::new(Expr::Parameter)),
        (Some(_), false) => Some(Box::new(Expr::Int(0))),
    };
    let owner = || {
        Expr::owner(Place {
            root: Root::Object(mutex),
            index: index.clone(),
        })
    };
    let owned = Expr::eq(owner(), Expr::Self_);
    let taken = Expr::binary(Op::Ne, owner(), Expr::Nobody);
    let entitled = Expr::eq(
        Expr::Self_,
        if array { Expr::Parameter } else { Expr::Int(0) },
    );
    let at = |choices: &mut Choices| match labels(program).as_slice() {
        [] => Expr::Bool(false),
        labels => Expr::at(Expr::Self_, &choices.one_of(labels)),
    };
    let free = free_variable(program).map_or(Expr::Int(2), |free| Expr::Read(scalar(free)));
    let chosen = choices.below(10);
    let predicate = match style {
        Style::Barrier if chosen < 7 => {
            Expr::or(owned, Expr::and(Expr::eq(free, Expr::Int(2)), entitled))
        }
        Style::Turns if chosen < 7 => Expr::eq(free, Expr::Self_),
        Style::Regions => match chosen {
            0..=3 => Expr::and(owned, Expr::negate(at(choices))),
            4..=6 => Expr::or(owned, at(choices)),
            7 => Expr::or(at(choices), at(choices)),
            _ => Expr::negate(at(choices)),
        },
        _ if chosen < 5 && (array || index.is_none()) => {
            return Discipline::lock(Place {
                root: Root::Object(mutex),
                index,
            });
        }
        _ => match choices.below(10) {
            0..=3 => owned,
            4 | 5 => Expr::and(owned, Expr::eq(free, Expr::Int(0))),
            6 => entitled,
            7 => taken,
            8 => Expr::binary(Op::Implies, taken, owned),
            _ => Expr::eq(Expr::binary(Op::Div, Expr::Int(1), free), Expr::Int(1)),
        },
    };
    let free = free_variable(program).map_or(Expr::Int(2), |free| Expr::Read(scalar(free)));
    let read = match choices.below(16) {
        0 => Some(Expr::eq(free, Expr::Int(1))),
        1 => Some(at(choices)),
        _ => None,
    };
    Discipline::Protected {
        by: By::Predicate(predicate),
        read,
        init: None,
    }
}

/// The shared variable that stays unprotected, if there is one.
fn free_variable(program: &Program) -> Option<usize> {
    program
        .shared
        .iter()
        .position(|shared| shared.variable.name == "y")
}

/// The labels that occur in the program.
fn labels(program: &Program) -> Vec<String> {
    let statements = program
        .families
        .iter()
        .flat_map(|family| outermost(&family.body));
    statements.flat_map(|stmt| stmt.labels.clone()).collect()
}

/// The statements that may have labels.
fn outermost(body: &[Stmt]) -> &[Stmt] {
    match body {
        [
            Stmt {
                kind: StmtKind::While(Expr::Bool(true), body),
                ..
            },
        ] => body,
        _ => body,
    }
}

/// A state expression about variables, owners and locations.
fn state_expr(choices: &mut Choices, program: &Program) -> Expr {
    let first = state_atom(choices, program);
    match choices.below(8) {
        0 | 1 => first,
        2 => Expr::negate(first),
        3 | 4 => Expr::and(first, state_atom(choices, program)),
        5 | 6 => Expr::or(first, state_atom(choices, program)),
        _ => {
            let place = choices.one_of(&["end", "wrong"]);
            Expr::negate(Expr::at(
                Expr::Thread(choices.below(program.threads().len())),
                place,
            ))
        }
    }
}

fn state_atom(choices: &mut Choices, program: &Program) -> Expr {
    let threads = program.threads();
    let thread = choices.below(threads.len());
    let body = outermost(&program.families[threads[thread].family].body);
    let labels: Vec<String> = body.iter().flat_map(|stmt| stmt.labels.clone()).collect();
    match choices.below(5) {
        0 if !labels.is_empty() => Expr::at(Expr::Thread(thread), &choices.one_of(&labels)),
        1 => {
            let index = program.objects[0].size.map(|_| Box::new(Expr::Int(1)));
            let who = choices.one_of(&[Expr::Nobody, Expr::Thread(thread)]);
            Expr::eq(
                Expr::owner(Place {
                    root: Root::Object(0),
                    index,
                }),
                who,
            )
        }
        _ => {
            let number = choices.below(program.shared.len());
            let variable = &program.shared[number].variable;
            let index = variable.size.map(|size| match free_variable(program) {
                Some(free) if choices.once_in(3) => Box::new(Expr::Read(scalar(free))),
                _ => Box::new(Expr::Int(choices.below(size) as i64)),
            });
            test(
                choices,
                Place {
                    root: Root::Shared(number),
                    index,
                },
                variable.ty,
            )
        }
    }
}
