//! Random programs of the second part of the language: one variable, one way to protect it, one place where it lives,
//! and seldom one thing more, so that the state spaces stay small.

use super::ast::{
    Arena, By, Discipline, Expr, Family, Field, Kind, Object, Place, Pool, Procedure, Program,
    Property, Record, Root, Shared, StateKind, Stmt, StmtKind, Type, Variable,
};
use super::choices::Choices;
use super::compile::surviving;
use super::generate::jump;
use super::phrases::test;
use super::scenario::{Guard, Home, Layout, Procedures, Scenario, scenario};
use super::scenes::{GUARD, Speaker, VALUE, hidden_test};

pub fn program(choices: &mut Choices) -> Program {
    let layout: Layout = match choices.below(8) {
        0..=2 => vec![("worker", Some(2))],
        3..=5 => vec![("a", None), ("b", None)],
        6 => vec![("a", None), ("worker", Some(2))],
        _ => vec![("a", None), ("b", None), ("c", None)],
    };
    let mut scenario = scenario(choices, &layout);
    let mut program = declarations(choices, &mut scenario);
    let mut regions = Vec::new();
    if scenario.procedures != Procedures::None {
        let procedure = procedure(choices, &program, scenario, &mut regions);
        program.procedures.push(procedure);
    }
    for (number, (name, members)) in layout.iter().enumerate() {
        let family = Scene {
            program: &program,
            scenario,
            regions: &mut regions,
            number,
            name,
            members: *members,
        };
        let family = family.family(choices);
        program.families.push(family);
    }
    // Phrases for which there was no room took their labels with them.
    let mut used = Vec::new();
    for thread in 0..scenario.threads {
        let labels = surviving(&program, thread).into_iter();
        used.extend(labels.flat_map(|stmt| stmt.labels.clone()));
    }
    regions.retain(|region| used.contains(region));
    let discipline = discipline(choices, scenario, &regions);
    place_discipline(choices, &mut program, scenario, discipline);
    properties(choices, &mut program, scenario);
    program
}

fn variable(name: &str, ty: Type, initial: Option<i64>) -> Variable {
    Variable {
        name: name.to_owned(),
        ty,
        size: None,
        initial,
    }
}

fn object(name: &str, kind: Kind, size: Option<usize>) -> Object {
    Object {
        name: name.to_owned(),
        size,
        kind,
    }
}

fn field(place: Root) -> Place {
    place.into()
}

/// Objects, records, the pool and the shared variables; the variable's discipline comes later.
fn declarations(choices: &mut Choices, scenario: &mut Scenario) -> Program {
    let mut program = Program::default();
    let initial = |choices: &mut Choices| (!choices.once_in(8)).then_some(0);
    let bound = 2 - choices.below(2) as i64;
    let kinds = match scenario.guard {
        Guard::Mutex => vec![Kind::Mutex],
        Guard::Reentrant => vec![Kind::Reentrant(bound)],
        Guard::RwLock => vec![Kind::RwLock],
        Guard::Set if choices.once_in(5) => vec![Kind::Mutex, Kind::Reentrant(1)],
        Guard::Set => vec![Kind::Mutex, Kind::Mutex],
        Guard::Semaphore => vec![Kind::Semaphore {
            highest: bound,
            initial: if choices.once_in(6) { bound } else { 1 },
        }],
        Guard::Barrier if choices.once_in(8) => vec![Kind::Barrier(1)],
        Guard::Barrier => vec![Kind::Barrier(scenario.threads)],
        Guard::Joined | Guard::Nothing => Vec::new(),
    };
    let declare = |names: [&str; 2], size| -> Vec<Object> {
        let named = names.into_iter().zip(&kinds);
        named
            .map(|(name, kind)| object(name, *kind, size))
            .collect()
    };
    let unprotected = |variable| Shared {
        variable,
        discipline: Discipline::Unprotected,
    };
    let size = match scenario.home {
        Home::Cells | Home::Records | Home::Pointed => Some(2),
        _ => None,
    };
    if matches!(scenario.home, Home::Variable | Home::Cells) {
        program.objects = declare(["m", "n"], size);
        let mut x = variable("x", scenario.ty, initial(choices));
        x.size = size;
        scenario.shared = Some(0);
        program.shared.push(unprotected(x));
    } else {
        let value = variable("value", scenario.ty, initial(choices));
        let mut fields = vec![Field::Data(unprotected(value))];
        fields.extend(
            declare(["guard", "other"], None)
                .into_iter()
                .map(Field::Object),
        );
        let several = scenario.guard == Guard::Nothing || choices.once_in(4);
        let slots = if several { 2 - choices.below(2) } else { 1 };
        if scenario.next {
            let next = variable("next", Type::Ref(Arena::Pool(0), slots), Some(-1));
            fields.push(Field::Data(unprotected(next)));
        }
        program.records.push(Record {
            name: "cell".to_owned(),
            fields,
        });
        let mut holder = variable("r", Type::Record(0), None);
        holder.size = size;
        if scenario.home == Home::Nested {
            let mut inner = unprotected(variable("inner", Type::Record(0), None));
            inner.discipline = Discipline::Omitted;
            program.records.push(Record {
                name: "outer".to_owned(),
                fields: vec![Field::Data(inner)],
            });
            holder.ty = Type::Record(1);
        }
        if scenario.home == Home::Pool {
            program.pools.push(Pool {
                name: "P".to_owned(),
                size: slots,
                record: 0,
            });
            if choices.once_in(3) {
                scenario.head = Some(program.shared.len());
                let head = variable("h", Type::Ref(Arena::Pool(0), slots), Some(-1));
                program.shared.push(unprotected(head));
            }
        } else {
            scenario.shared = Some(0);
            let mut holder = unprotected(holder);
            holder.discipline = Discipline::Omitted;
            program.shared.push(holder);
        }
    }
    if scenario.monitor {
        program.objects.push(object("q", Kind::Cond, None));
    }
    if scenario.init || choices.once_in(5) {
        scenario.flag = Some(program.shared.len());
        program
            .shared
            .push(unprotected(variable("y", Type::Bool, Some(0))));
    }
    program
}

/// The type of references to the records, if there are references.
fn reference_type(program: &Program, home: Home) -> Option<Type> {
    match home {
        Home::Pool => Some(Type::Ref(Arena::Pool(0), program.pools[0].size)),
        Home::Pointed => Some(Type::Ref(Arena::Array(0), 2)),
        _ => None,
    }
}

/// `proc f(p: ref .., d: T): T { var e: T; .. }`, or some of it.
fn procedure(
    choices: &mut Choices,
    program: &Program,
    scenario: Scenario,
    regions: &mut Vec<String>,
) -> Procedure {
    let ty = scenario.ty;
    let mut variables = Vec::new();
    let frame = |variable| {
        Place::from(Root::Frame {
            procedure: 0,
            variable,
        })
    };
    let mut references = Vec::new();
    if let Some(reference) = reference_type(program, scenario.home) {
        references.push(frame(variables.len()));
        variables.push(variable("u", reference, None));
    }
    let mut own = Vec::new();
    if choices.once_in(2) {
        own.push((frame(variables.len()), ty));
        variables.push(variable("d", ty, None));
    }
    let parameters = variables.len();
    if choices.once_in(3) {
        own.push((frame(variables.len()), ty));
        let initial = choices.one_of(&[Some(0), None]);
        variables.push(variable("e", ty, initial));
    }
    let result = choices.once_in(2).then_some(ty);
    let sections = scenario.procedures == Procedures::Sections;
    let leaves_early = sections && choices.once_in(4);
    let mut speaker = Speaker {
        choices,
        scenario,
        program,
        own,
        references,
        indexed: false,
        first: false,
        procedure: true,
        regions,
    };
    let mut body = match sections {
        true => speaker.section(),
        false => vec![speaker.use_once()],
    };
    let returned = |speaker: &mut Speaker| -> Stmt {
        let value = result.map(|ty| speaker.value(ty, None));
        StmtKind::Return(value).into()
    };
    if leaves_early && let Some((place, ty)) = speaker.own.first().cloned() {
        let condition = test(speaker.choices, place, ty);
        let early = returned(&mut speaker);
        body.insert(0, StmtKind::If(condition, vec![early], Vec::new()).into());
    }
    if result.is_some() {
        body.push(returned(&mut speaker));
    }
    let own = speaker.own.first().cloned();
    if sections && choices.once_in(3) {
        body[0].labels.push("F".to_owned());
    }
    if let Some((place, ty)) = own.filter(|_| sections && choices.once_in(3)) {
        let condition = test(choices, place, ty);
        jump(choices, &mut body, condition);
    }
    Procedure {
        name: "f".to_owned(),
        variables,
        parameters,
        result,
        body,
    }
}

/// One family of a program.
struct Scene<'a> {
    program: &'a Program,
    scenario: Scenario,
    regions: &'a mut Vec<String>,
    number: usize,
    name: &'a str,
    members: Option<usize>,
}

impl Scene<'_> {
    fn family(self, choices: &mut Choices) -> Family {
        let Scene {
            program, scenario, ..
        } = self;
        let mut locals = Vec::new();
        let mut references = Vec::new();
        let mut own = Vec::new();
        let local = |number| Place::from(Root::Local(number));
        if let Some(reference) = reference_type(program, scenario.home) {
            references.push(local(0));
            let initial = match scenario.home {
                Home::Pointed => choices.one_of(&[Some(0), Some(1), None]),
                _ => Some(-1),
            };
            locals.push(variable("p", reference, initial));
        }
        if choices.once_in(3) {
            own.push((local(locals.len()), scenario.ty));
            locals.push(variable("t", scenario.ty, Some(0)));
        }
        let first = self.number == 0;
        let room = match (scenario.threads, scenario.monitor) {
            (2, false) => 7,
            (2, true) => 8,
            (_, false) => 4,
            (_, true) => 6,
        };
        let repeats = choices.once_in(6);
        let labels = choices.once_in(4);
        let count = 1 + choices.below(3);
        let mut speaker = Speaker {
            choices,
            scenario,
            program,
            own,
            references,
            indexed: self.members.is_some(),
            first,
            procedure: false,
            regions: self.regions,
        };
        let own_first = speaker.own.first().cloned();
        let mut body: Vec<Stmt> = Vec::new();
        if scenario.home == Home::Pool && !speaker.choices.once_in(4) {
            body.push(StmtKind::New(local(0), 0).into());
        }
        if scenario.init {
            body.extend(speaker.initialise(first));
        }
        for _ in 0..count {
            let phrase = match scenario.guard {
                Guard::Joined if !speaker.choices.once_in(4) => vec![speaker.use_once()],
                _ if scenario.procedures == Procedures::Sections && body.is_empty() => {
                    vec![speaker.call()]
                }
                _ => speaker.phrase(),
            };
            if locations(program, &body) + locations(program, &phrase) <= room {
                body.extend(phrase);
            }
        }
        if scenario.starts && first {
            self.start_and_join(choices, &mut body);
        } else if repeats && !scenario.starts && !body.is_empty() && locations(program, &body) > 0 {
            body = vec![StmtKind::While(Expr::Bool(true), body).into()];
        }
        if body.is_empty() {
            body.push(StmtKind::Skip.into());
        }
        if let Some((place, ty)) = own_first.filter(|_| choices.once_in(3)) {
            let condition = test(choices, place, ty);
            jump(choices, &mut body, condition);
        }
        if labels {
            body[0].labels.push("L0".to_owned());
        }
        Family {
            name: self.name.to_owned(),
            members: self.members,
            locals,
            body,
            line: 0,
        }
    }

    /// The first thread starts the last one, joins it, or both.
    fn start_and_join(&self, choices: &mut Choices, body: &mut Vec<Stmt>) {
        let last = self.scenario.threads - 1;
        let start: Stmt = StmtKind::Start(last).into();
        let join: Stmt = StmtKind::Join(last).into();
        let middle = choices.below(body.len() + 1);
        match choices.below(8) {
            0..=2 => {
                body.insert(middle, join);
                body.insert(middle, start);
            }
            3 => body.insert(middle, join),
            4 => body.insert(middle, start),
            5 => {
                body.insert(0, start);
                body.push(join);
            }
            6 => {
                body.insert(0, start.clone());
                body.push(start);
            }
            _ => {
                let alone = StmtKind::If(Expr::Bool(false), vec![start], Vec::new());
                body.insert(0, alone.into());
                body.push(join);
            }
        }
    }
}

/// How many locations a block has at most.
fn locations(program: &Program, block: &[Stmt]) -> usize {
    let inside = |block: &[Stmt]| locations(program, block);
    let is_index = |condition: &Expr| match condition {
        Expr::Binary(_, left, _) => matches!(**left, Expr::Index),
        _ => false,
    };
    let of = |stmt: &Stmt| match &stmt.kind {
        // No thread has both branches.
        StmtKind::If(condition, then, otherwise) if is_index(condition) => {
            inside(then).max(inside(otherwise))
        }
        StmtKind::If(_, then, otherwise) => 1 + inside(then) + inside(otherwise),
        StmtKind::While(_, body) => 1 + inside(body),
        StmtKind::Wait(..) | StmtKind::Await(_) => 2,
        StmtKind::Call { procedure, .. } => {
            let called = &program.procedures[*procedure];
            usize::from(called.has_entry(program)) + inside(&called.body)
        }
        _ => 1,
    };
    block.iter().map(of).sum()
}

/// What protects the variable, spoken where its declaration stands.
fn discipline(choices: &mut Choices, scenario: Scenario, regions: &[String]) -> Discipline {
    let guard = |number: usize| match scenario.home {
        Home::Variable => field(Root::Object(number)),
        Home::Cells => Place::cell(Root::Object(number), Expr::Parameter),
        _ => field(Root::Sibling {
            record: 0,
            field: GUARD + number,
        }),
    };
    let by = match scenario.guard {
        Guard::Nothing => return Discipline::Unprotected,
        Guard::Mutex | Guard::Reentrant if choices.once_in(4) => {
            By::Predicate(Expr::eq(Expr::owner(guard(0)), Expr::Self_))
        }
        Guard::Mutex | Guard::Reentrant | Guard::RwLock => By::Lock(guard(0)),
        Guard::Set => By::All(vec![guard(0), guard(1)]),
        Guard::Semaphore | Guard::Barrier | Guard::Joined => {
            let at = |label: &String| Expr::at(Expr::Self_, label);
            let anywhere = regions.iter().map(at).reduce(Expr::or);
            By::Predicate(anywhere.unwrap_or(Expr::Bool(false)))
        }
    };
    let init = scenario.init.then(|| {
        let flag = Place::from(Root::Shared(scenario.flag.expect("a flag")));
        let first = Expr::eq(Expr::Self_, Expr::Int(0));
        Expr::and(Expr::negate(Expr::Read(flag)), first)
    });
    Discipline::Protected {
        by,
        read: None,
        init,
    }
}

/// Puts the discipline at the variable, at the field, or at the record variable.
fn place_discipline(
    choices: &mut Choices,
    program: &mut Program,
    scenario: Scenario,
    discipline: Discipline,
) {
    match scenario.home {
        Home::Variable | Home::Cells => program.shared[0].discipline = discipline,
        // `protected by r.guard.owner == self` at the record variable, for the field without a word.
        Home::Record if scenario.guard == Guard::Mutex && choices.once_in(2) => {
            let guard = Place::from(Root::Shared(0)).field(0, GUARD);
            let owned = Expr::eq(Expr::owner(guard), Expr::Self_);
            let Discipline::Protected { init, .. } = discipline else {
                unreachable!("a mutex protects")
            };
            program.shared[0].discipline = Discipline::Protected {
                by: By::Predicate(owned),
                read: None,
                init,
            };
            set_field_discipline(program, Discipline::Omitted);
        }
        _ => set_field_discipline(program, discipline),
    }
}

fn set_field_discipline(program: &mut Program, discipline: Discipline) {
    match &mut program.records[0].fields[VALUE] {
        Field::Data(value) => value.discipline = discipline,
        Field::Object(_) => unreachable!("the value is the first field"),
    }
}

fn properties(choices: &mut Choices, program: &mut Program, scenario: Scenario) {
    for number in 0..choices.below(3) {
        let kinds = [StateKind::Invariant, StateKind::Reach, StateKind::Lemma];
        let lemma = usize::from(choices.once_in(4));
        let kind = choices.one_of(&kinds[..2 + lemma]);
        let first = state_atom(choices, program, scenario);
        let expr = match choices.below(4) {
            0 | 1 => first,
            2 => Expr::and(first, state_atom(choices, program, scenario)),
            _ => Expr::or(first, state_atom(choices, program, scenario)),
        };
        program.properties.push(Property::State {
            kind,
            name: format!("P{number}"),
            expr,
        });
    }
    if choices.once_in(2) {
        program.properties.push(Property::DeadlockFree);
    }
}

fn state_atom(choices: &mut Choices, program: &Program, scenario: Scenario) -> Expr {
    let thread = Expr::Thread(choices.below(scenario.threads));
    let shared = scenario.shared.map(Root::Shared);
    let value = match (scenario.home, shared) {
        (Home::Variable, Some(x)) => x.into(),
        (Home::Cells, Some(x)) => Place::cell(x, Expr::Int(1)),
        (Home::Record, Some(r)) => Place::from(r).field(0, VALUE),
        (Home::Nested, Some(r)) => Place::from(r).field(1, 0).field(0, VALUE),
        (Home::Records | Home::Pointed, Some(r)) => Place::cell(r, Expr::Int(0)).field(0, VALUE),
        _ => Place::cell(Root::Pool(0), Expr::Int(0)).field(0, VALUE),
    };
    let hidden = hidden_test(choices, program, thread.clone());
    match (choices.below(5), hidden) {
        (0, _) => Expr::at(thread, choices.one_of(&["end", "wrong"])),
        (1, Some(hidden)) => hidden,
        (2, _) if scenario.head.is_some() => {
            // A state expression with an error is false.
            let head = scenario.head.expect("a reference");
            let value = Place::from(Root::Shared(head)).field(0, VALUE);
            test(choices, value, scenario.ty)
        }
        _ => test(choices, value, scenario.ty),
    }
}
