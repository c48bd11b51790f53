//! Symmetry: counts from the sizes of orbits, answers, executions, refusals, and mistakes made on purpose.

use super::{counter, everything, loaded, random, reach, shipped, twin};

use coarsen::base::control::Control;
use coarsen::command::reach::Engine;
use coarsen::engine::Heuristic;
use coarsen::engine::compiled::Mode;
use coarsen::engine::quotients::{Quotient, Symmetry};
use coarsen::engine::reach::{Answer, Outcome, Question, Sort, explicit};
use coarsen::model::program::{Command, Expr, Program};
use coarsen::results::{Note, ReachReport, Status};
use coarsen::theorem::Reduce;
use coarsen::{CheckOptions, ReachOptions, Session};
use num_bigint::BigUint;
use proptest::prelude::*;
use std::cell::Cell;

use twin::explore::{count, original};
use twin::generate::samples;

const SYMMETRIC: &[Quotient] = &[Quotient::Symmetry];

/// Statements of the members of a family; most treat all members alike.
fn member(depth: u32) -> BoxedStrategy<String> {
    let simple = prop_oneof![
        12 => prop::sample::select(vec![
            "t = x;", "x = t;", "t = 1 - t;", "havoc t;", "b[i] = t;", "t = b[i];", "b[i] = 1;",
            "lock(m);", "unlock(m);", "x = b[i];", "when (x == 1) skip;", "when (t == 1) x = 0;",
            "atomic { when (x == t) x = 1 - x; }", "assert(t == 0);", "assert(m.owner == self);",
            "read_lock(r);", "read_unlock(r);", "write_lock(r);", "write_unlock(r);",
            "if (m.owner == none) { x = 1; }", "down(s);", "up(s);", "notify_all(c);", "y = t;",
            "lock(m); wait(c, m); unlock(m);", "lock(m); y = 1 - y; unlock(m);", "y = 1 - y;",
            "either { t = 0; } or { x = 1; }",
        ]),
        1 => prop::sample::select(vec![
            "x = i;", "t = b[x];", "b[0] = 1;", "if (i == 0) { x = 1; }", "for k in 0..1 { b[k] = 0; }",
            "if (m.owner == w(0)) { x = 1; }", "t = b[1 - i];", "lock(l[i]);", "unlock(l[i]);",
            "for k in 0..1 { t = b[k]; }",
        ]),
    ];
    let simple = simple.prop_map(String::from);
    if depth == 0 {
        return simple.boxed();
    }
    let block = move || prop::collection::vec(member(depth - 1), 1..3).prop_map(|b| b.join(" "));
    prop_oneof![
        12 => simple,
        1 => block().prop_map(|b| format!("while (t == 0) {{ {b} }}")),
        1 => block().prop_map(|b| format!("while (true) {{ {b} }}")),
        1 => (block(), block()).prop_map(|(a, b)| format!("if (x == t) {{ {a} }} else {{ {b} }}")),
    ]
    .boxed()
}

/// Programs of one family, or of a family and another thread.
pub fn families() -> impl Strategy<Value = String> {
    let body = prop::collection::vec(member(1), 1..5).prop_map(|all| all.join(" "));
    let other = prop::sample::select(vec![
        "",
        "",
        "thread o { lock(m); x = 1; unlock(m); }",
        "thread o { when (x == 1) x = 0; y = 1; }",
        "thread o { b[0] = 1; }",
        "thread v(i in 0..1) { lock(m); x = 1 - x; unlock(m); }",
        "thread v(i in 0..1) { var u: 0..1; x = u; }",
    ]);
    let asked = prop::sample::select(vec![
        "",
        "",
        "invariant one: x == 0 || y == 0;",
        "reach all: forall (k in 0..1) w(k).t == 1;",
        "reach some: exists (k in 0..1) at(w(k), end) && x == 1;",
        "invariant first: w(0).t == 0;",
        "reach owned: m.owner == w(1);",
        "reach cells: b[0] == 1 && b[1] == 1;",
        "reach cell: b[1] == 1;",
        "reach indexed: b[x] == 1 && x == 0;",
        "invariant indexed: b[x] == 0;",
        "reach two: w(0).t == 1 && at(w(1), end) && m.owner != w(0);",
        "invariant two: !(w(0).t == 1 && w(1).t == 0);",
        "init b[x] == 0;",
        "invariant free: m.owner == none || x == 0;",
        "init b[0] == b[1];",
        "init b[0] == 0;",
    ]);
    let initial = || prop::sample::select(vec!["", " = 0", " = 0"]);
    let y = prop::sample::select(vec![
        "unprotected",
        "protected by m",
        "protected by self.t == 1",
        "protected by self.t == b[x]",
    ]);
    let n = prop::sample::select(vec![1, 1, 2]);
    (body, other, asked, (initial(), initial()), y, n).prop_map(|(w, o, asked, (t, b), y, n)| {
        format!(
            "mutex m; mutex l[3]; rwlock r; semaphore s: 0..2 = 1; cond c;
             var x: 0..2 = 0 unprotected; var y: 0..1 = 0 {y}; var b[3]: 0..1{b} unprotected; {asked}
             thread w(i in 0..{n}) {{ var t: 0..1{t}; {w} }} {o}"
        )
    })
}

fn number(n: &Option<String>) -> Option<BigUint> {
    n.as_ref().map(|n| n.parse().expect("a number"))
}

/// Whether states were seen as one; everything told is the same as without.
fn same(session: &Session, reduced: bool) -> Result<bool, TestCaseError> {
    let with = |quotients: &[Quotient]| {
        let options = ReachOptions {
            reduced,
            ..everything(session.program(), quotients)
        };
        reach(session, "stoller-cohen", &options)
    };
    let (plain, some) = (with(&[]), with(SYMMETRIC));
    prop_assert!(!some.is_contradicted(), "{}", some.reason);
    if plain.states.is_none() || some.reductions.is_empty() {
        return Ok(false);
    }
    let counts = |r: &ReachReport| {
        let all = [
            &r.states,
            &r.visited,
            &r.deadlocks,
            &r.wrong,
            &r.wrong_deadlocks,
        ];
        all.map(number)
    };
    prop_assert_eq!(counts(&plain), counts(&some));
    prop_assert_eq!(plain.violated, some.violated);
    for (mine, other) in some.questions.iter().zip(&plain.questions) {
        prop_assert_eq!(mine.verdict, other.verdict, "{}", mine.name);
        if !reduced && !plain.violated {
            prop_assert_eq!(&mine.trace_length, &other.trace_length, "{}", mine.name);
        }
    }
    let few = number(&some.representatives);
    prop_assert!(few.is_some() && few <= number(&some.states), "{:?}", few);
    Ok(true)
}

#[test]
fn counts_are_those_of_all_states() {
    let (symmetric, compared) = (Cell::new(0), Cell::new(0));
    let mut runner = random::runner(300);
    let result = runner.run(&families(), |source| {
        let Some(session) = loaded(&source) else {
            return Ok(());
        };
        compared.set(compared.get() + 1);
        for reduced in [false, true] {
            let known = same(&session, reduced);
            let known = known.map_err(|e| TestCaseError::fail(format!("{e:?} of {source}")))?;
            symmetric.set(symmetric.get() + usize::from(known));
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(compared.get(), 200), "{compared:?} compared");
    assert!(
        random::enough(symmetric.get(), 100),
        "{symmetric:?} symmetric"
    );
}

#[test]
fn the_twin_counts_the_same() {
    let symmetric = Cell::new(0);
    let mut runner = random::runner(150);
    let result = runner.run(&samples(), |sample| {
        let Some(session) = loaded(&sample.source) else {
            return Ok(());
        };
        let options = everything(session.program(), SYMMETRIC);
        let report = reach(&session, "stoller-cohen", &options);
        prop_assert!(!report.is_contradicted(), "{}", sample.source);
        if !report.reductions.is_empty() {
            let all = count(&original(&sample.model()).states).to_string();
            prop_assert_eq!(report.states, Some(all), "{}", sample.source);
            symmetric.set(symmetric.get() + 1);
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        random::enough(symmetric.get(), 5),
        "{symmetric:?} symmetric"
    );
}

#[test]
fn shipped_models() {
    let mut symmetric = 0;
    for model in shipped::some() {
        let session = model.load(&[]);
        let known = same(&session, false);
        symmetric += usize::from(known.unwrap_or_else(|e| panic!("{}: {e}", model.name)));
    }
    assert!(random::enough(symmetric, 5), "{symmetric} are symmetric");
}

#[test]
fn the_counter() {
    let run = |n: usize, quotients: &[Quotient], cores: usize| {
        let session = counter(n);
        let options = ReachOptions {
            cores,
            ..everything(session.program(), quotients)
        };
        let report = reach(&session, "stoller-cohen", &options);
        let told = |n: &Option<String>| n.clone().expect("counted");
        (told(&report.states), told(&report.representatives))
    };
    let both = |a: &str, b: &str| (a.to_string(), b.to_string());
    for cores in [1, 3] {
        assert_eq!(run(10, SYMMETRIC, cores), both("39456401", "41"));
        assert_eq!(run(10, &Quotient::ALL, cores), both("16384", "41"));
    }
    // 2^64 with the lock free, and 3 * 64 * 2^63 with an owner.
    let all = (BigUint::from(1u32) << 64usize) + (BigUint::from(192u32) << 63usize);
    let (states, explored) = run(64, &Quotient::ALL, 0);
    assert_eq!((states, explored.as_str()), (all.to_string(), "257"));
}

/// Both together leave what dead locals leave.
#[test]
fn with_dead_locals() {
    let symmetric = Cell::new(0);
    let mut runner = random::runner(100);
    let result = runner.run(&families(), |source| {
        let Some(session) = loaded(&source) else {
            return Ok(());
        };
        let with = |quotients: &[Quotient]| {
            let options = everything(session.program(), quotients);
            reach(&session, "stoller-cohen", &options)
        };
        let (one, both) = (with(&[Quotient::DeadLocals]), with(&Quotient::ALL));
        prop_assert!(!both.is_contradicted(), "{} of {}", both.reason, source);
        prop_assert_eq!(&one.states, &both.states, "{}", source);
        prop_assert_eq!(&one.deadlocks, &both.deadlocks, "{}", source);
        for (mine, other) in both.questions.iter().zip(&one.questions) {
            prop_assert_eq!(mine.verdict, other.verdict, "{} of {}", mine.name, source);
        }
        symmetric.set(symmetric.get() + usize::from(both.representatives.is_some()));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        random::enough(symmetric.get(), 20),
        "{symmetric:?} symmetric"
    );
}

/// Why there is no symmetry is told, with the place.
#[test]
fn what_tells_threads_apart_is_named() {
    let note = |declared: &str, body: &str| {
        let source = format!(
            "mutex m; mutex l[2]; var x: 0..2 = 0 unprotected; var b[2]: 0..1 = 0 unprotected; {declared}
             thread w(i in 0..1) {{ var t: 0..1 = 0; {body} }}"
        );
        let session = loaded(&source).expect("a model");
        let options = everything(session.program(), SYMMETRIC);
        let report = reach(&session, "stoller-cohen", &options);
        let mut notes = report.notes.iter();
        let told = notes.find_map(|n| match n {
            Note::Asymmetric(_) => Some(n.to_string()),
            _ => None,
        });
        assert_eq!(told.is_none(), report.representatives.is_some());
        told.unwrap_or_default()
    };
    let told = |why: &str| {
        format!("no symmetry of the threads `w`: an exchange of two of them changes {why}")
    };
    let skip = "t = 1 - t;";
    assert_eq!(note("", skip), "");
    assert_eq!(note("", "lock(m); b[i] = 1; unlock(m);"), "");
    assert_eq!(note("reach all: b[0] == 1 && b[1] == 1;", "b[i] = 1;"), "");
    assert_eq!(note("reach one: b[0] == 1;", "b[i] = 1;"), "");
    assert_eq!(note("invariant mine: w(1).t == 0;", skip), "");
    assert_eq!(
        note("reach one: b[x] == 1;", "b[i] = 1;"),
        told("the question one")
    );
    let late = "var y: 0..1 = 0 protected by self.t == b[x];";
    for declared in ["init b[x] == 0;", late] {
        let why = told("the cells of b, whose index is computed");
        assert_eq!(note(declared, "b[i] = 1;"), why);
    }
    assert_eq!(note("", "x = i;"), told("a step of w(1) at line 2"));
    assert_eq!(
        note("", "b[i] = 1; t = b[x];"),
        told("the cells of b, whose index is computed")
    );
    assert_eq!(
        note("", "lock(l[i]);"),
        told("whose l[0].owner is, one of several")
    );
    assert_eq!(
        note("", "b[i] = 1; t = b[1 - i];"),
        told("what is theirs alone")
    );
    assert_eq!(
        note("init b[0] == 0;", "b[i] = 1;"),
        told("the initial value of init")
    );
    assert_eq!(
        note("thread o { b[0] = 1; }", "b[i] = 1;"),
        told("a step of o at line 1")
    );
}

/// A symmetry with a mistake: that of a program in which less is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutant {
    Questions,
    Numbers,
    Owners,
    Init,
    Disciplines,
    Others,
    Guards,
}

impl Mutant {
    fn expr(self, e: &Expr) -> Expr {
        let sub = |e: &Expr| Box::new(self.expr(e));
        match e {
            Expr::Const(k) if self == Mutant::Numbers => Expr::Const((*k).min(0)),
            Expr::Binary(op, a, b) => {
                // A thread that is compared with.
                let owner =
                    matches!((a.as_ref(), b.as_ref()), (Expr::Cell(_), Expr::Const(k)) if *k >= 0);
                match self == Mutant::Owners && owner {
                    true => Expr::TRUE,
                    false => Expr::Binary(*op, sub(a), sub(b)),
                }
            }
            Expr::Not(e) => Expr::Not(sub(e)),
            Expr::Cond(c, a, b) => Expr::Cond(sub(c), sub(a), sub(b)),
            other => other.clone(),
        }
    }

    fn commands(self, all: &mut [Command]) {
        for command in all {
            match command {
                Command::Assign(_, e) | Command::Check(e, _) => *e = self.expr(e),
                Command::If(c, yes, no) => {
                    *c = self.expr(c);
                    self.commands(yes);
                    self.commands(no);
                }
                Command::Choose(branches) => branches.iter_mut().for_each(|b| self.commands(b)),
                Command::Havoc(_) | Command::Goto(_) => {}
            }
        }
    }

    fn of(self, p: &Program) -> Program {
        let mut p = p.clone();
        match self {
            Mutant::Init => p.init.clear(),
            Mutant::Disciplines => p.protections.clear(),
            _ => {}
        }
        for thread in &mut p.threads {
            for location in &mut thread.locations {
                if self == Mutant::Others && thread.index.is_none() {
                    location.edges.clear();
                }
                for edge in &mut location.edges {
                    edge.guard = match self {
                        Mutant::Guards => None,
                        _ => edge.guard.as_ref().map(|g| self.expr(g)),
                    };
                    self.commands(&mut edge.body);
                }
            }
        }
        p
    }
}

pub fn asked(p: &Program) -> Vec<Question> {
    let all = p.properties.iter().map(|x| Question {
        name: x.name.clone(),
        sort: Sort::Find,
        expr: x.expr.clone(),
    });
    let not = p.properties.iter().map(|x| Question {
        name: format!("not {}", x.name),
        sort: Sort::Invariant,
        expr: x.expr.clone(),
    });
    let deadlock = Question {
        name: "deadlock".into(),
        sort: Sort::Deadlock,
        expr: Expr::TRUE,
    };
    all.chain(not).chain([deadlock]).collect()
}

/// Whether a symmetry gives what there is.
fn right(
    p: &Program,
    questions: &[Question],
    symmetry: Option<&Symmetry>,
    plain: &Outcome,
) -> bool {
    let found = explored(p, questions, symmetry);
    let told = |o: &Outcome| {
        let counts = (
            o.states.clone(),
            o.deadlocks.clone(),
            o.wrong.clone(),
            o.violated,
        );
        let answers = o.answers.iter().map(|a| matches!(a, Answer::Nowhere));
        (counts, answers.collect::<Vec<bool>>())
    };
    told(&found) == told(plain)
}

fn explored(p: &Program, questions: &[Question], symmetry: Option<&Symmetry>) -> Outcome {
    let order = Heuristic::ALL[0].0.order(p);
    let (how, control) = ((Mode::Breadth, 1), Control::default());
    explicit(
        p,
        questions,
        &order,
        (None, symmetry),
        how,
        2_000_000,
        &control,
    )
}

#[test]
fn mistakes_are_noticed() {
    let model = |declared: &str, body: &str| {
        let source = format!(
            "mutex m; var x: 0..2 = 0 unprotected; var b[2]: 0..1 = 0 unprotected; {declared}
             thread w(i in 0..1) {{ var t: 0..1 = 0; {body} }}"
        );
        loaded(&source).expect("a model")
    };
    let late = "var y: 0..1 = 0 protected by self == w(0);";
    let any = "var a[2]: 0..1 unprotected; init a[0] == 0;";
    for (mutant, declared, body) in [
        (
            Mutant::Questions,
            "reach one: w(0).t == 1 && w(1).t == 0;",
            "t = 1;",
        ),
        (Mutant::Numbers, "", "x = i + 1;"),
        (Mutant::Numbers, "", "if (x == i) { x = 1; }"),
        (
            Mutant::Owners,
            "",
            "lock(m); if (m.owner == w(0)) { x = 1; }",
        ),
        (Mutant::Init, any, "a[i] = 1;"),
        (Mutant::Disciplines, late, "y = 1; skip;"),
        (
            Mutant::Others,
            "thread o { b[0] = 1; }",
            "when (b[i] == 1) skip;",
        ),
        (Mutant::Guards, "", "when (x == i) skip;"),
    ] {
        let session = model(declared, body);
        let p = session.program();
        let questions = asked(p);
        let (own, refused) = Symmetry::new(p, &questions, None);
        // With all its images a question tells no threads apart.
        let asked = usize::from(mutant == Mutant::Questions);
        assert!(
            own.is_trivial() == (asked == 0) && refused.len() == 1 - asked,
            "{mutant:?} of {body}"
        );
        let some = match mutant {
            Mutant::Questions => &[],
            _ => questions.as_slice(),
        };
        let (wrong, why) = Symmetry::new(&mutant.of(p), some, None);
        assert!(!wrong.is_trivial(), "{mutant:?} of {body}: {why:?}");
        let plain = explored(p, &questions, None);
        assert!(
            !right(p, &questions, Some(&wrong), &plain),
            "{mutant:?} of {body}"
        );
    }
}

/// A question may name threads: one is asked of all, and the execution is told with threads exchanged.
#[test]
fn questions_that_name_threads() {
    let source = |n: usize| {
        format!(
            "mutex m; var x: 0..1 = 0 unprotected; var b[{n}]: 0..1 = 0 unprotected;
             thread w(i in 0..{n}-1) {{ lock(m); x = 1 - x; b[i] = x; unlock(m); }}
             reach last: b[{n}-1] == 1 && b[0] == 0 && at(w(0), end) && m.owner == w(1);
             invariant two: !(b[1] == 1 && b[2] == 1) || m.owner != w(0);
             reach never: m.owner == w(0) && m.owner == w(1);"
        )
    };
    for (n, states, explored) in [(4, "191", "17"), (6, "1995", "25")] {
        let session = loaded(&source(n)).expect("a model");
        assert!(same(&session, false).expect("the same"));
        let options = everything(session.program(), SYMMETRIC);
        let report = reach(&session, "stoller-cohen", &options);
        assert_eq!(report.states.as_deref(), Some(states));
        assert_eq!(report.representatives.as_deref(), Some(explored));
        let verdicts: Vec<Status> = report.questions.iter().map(|q| q.verdict).collect();
        let traced = report.questions.iter().filter(|q| q.trace_length.is_some());
        assert_eq!((verdicts.len(), traced.count()), (4, 2), "{verdicts:?}");
    }
    // Three of nine threads can be named in 504 ways.
    let many = source(9).replace("at(w(0), end)", "at(w(2), end)");
    let session = loaded(&many).expect("a model");
    let options = everything(session.program(), SYMMETRIC);
    let report = reach(&session, "stoller-cohen", &options);
    assert!(report.representatives.is_none());
}

/// Whose cell it is that an index leads to is not known: that a question, or the initial states, tell threads apart by
/// it was not noticed.
#[test]
fn a_computed_index_tells_threads_apart() {
    for (declared, reached) in [("", true), ("init b[x] == 0;", true)] {
        let source = format!(
            "var y: 0..1 = 0 unprotected; var x: 0..2 = 0 unprotected; var b[3]: 0..1 = 0 unprotected; {declared}
             thread w(i in 0..2) {{ atomic {{ when (y == 0) skip; y = 1; b[i] = 1; }} }}
             reach indexed: b[x] == 1;"
        );
        let session = loaded(&source).expect("a model");
        for reduced in [false, true] {
            let options = ReachOptions {
                reduced,
                ..everything(session.program(), SYMMETRIC)
            };
            let report = reach(&session, "stoller-cohen", &options);
            assert!(report.representatives.is_none());
            let found = report.questions.iter().find(|q| q.name == "indexed");
            assert_eq!(found.map(|q| q.verdict == Status::Holds), Some(reached));
        }
    }
}

/// `coarsen check` exchanges threads, too.
#[test]
fn a_check_says_of_a_computed_index_what_is_true() {
    let source = "mutex m; var x: 0..2 = 1 unprotected; var y: 0..1 = 0 unprotected;
        var b[3]: 0..1 = 0 unprotected;
        thread w(i in 0..2) {
            var t: 0..1 = 0;
            if (t == 1) { b[i] = 1; } else { y = 1; }
            atomic { when (y == 0) skip; y = 1; b[i] = 1; }
            b[i] = t;
        }
        thread o { lock(m); y = 0; unlock(m); }
        reach q: b[x] == 1;
        invariant nq: b[x] == 0;";
    assert_eq!(checked(&loaded(source).expect("a model")), Ok(2));
}

/// It asks of each of four threads what is asked of one by its name: one of them comes first, and it may be any.
#[test]
fn a_check_asks_of_threads_by_name() {
    let source = "var y: 0..1 = 0 unprotected; var b[4]: 0..1 = 0 unprotected;
        thread w(i in 0..3) { atomic { when (y == 0) skip; y = 1; b[i] = 1; } }
        reach first: b[0] == 1;
        reach second: b[1] == 1;
        reach last: b[3] == 1;
        invariant third: b[2] == 0;";
    assert_eq!(checked(&loaded(source).expect("a model")), Ok(4));
}

/// How many properties a check says the same of as an exploration without exchanges.
fn checked(session: &Session) -> Result<usize, String> {
    let plain = reach(
        session,
        "stoller-cohen",
        &everything(session.program(), &[]),
    );
    if plain.violated {
        return Ok(0);
    }
    let theory = coarsen::theory("stoller-cohen").expect("shipped");
    let mut compared = 0;
    for reduce in [Reduce::Auto, Reduce::First, Reduce::Last] {
        let options = CheckOptions {
            reduce,
            others: coarsen::candidates().split_off(1),
            ..CheckOptions::default()
        };
        let report = session.check(&theory, &options, &Control::default());
        compared = 0;
        for property in &report.properties {
            let found = plain.questions.iter().find(|q| q.name == property.name);
            let (mine, other) = (property.verdict, found.map(|q| q.verdict));
            if mine == Status::Unknown || other.is_none_or(|v| v == Status::Unknown) {
                continue;
            }
            if other != Some(mine) {
                return Err(format!("{mine:?}, not {other:?}: {}", property.name));
            }
            compared += 1;
        }
    }
    Ok(compared)
}

#[test]
fn checks_say_the_same() {
    let compared = Cell::new(0);
    let mut runner = random::runner(200);
    // A program in full is explored up to exchanges of four threads, not of three.
    let four = |source: String| {
        let more = source.replace("w(i in 0..2)", "w(i in 0..3)");
        more.replace("[3]", "[4]")
    };
    let result = runner.run(&families().prop_map(four), |source| {
        if let Some(session) = loaded(&source) {
            let same = checked(&session);
            let same = same.map_err(|e| TestCaseError::fail(format!("{e} of {source}")))?;
            compared.set(compared.get() + same);
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(compared.get(), 60), "{compared:?} compared");
}

/// A search that follows the last state met finds the same.
#[test]
fn depth_first_as_well() {
    let session = counter(5);
    let options = ReachOptions {
        search: Mode::Depth,
        engine: Engine::Explicit,
        ..everything(session.program(), SYMMETRIC)
    };
    let report = reach(&session, "stoller-cohen", &options);
    let plain = reach(
        &session,
        "stoller-cohen",
        &everything(session.program(), &[]),
    );
    assert_eq!(report.states, plain.states);
    assert!(
        report
            .questions
            .iter()
            .all(|q| q.verdict != Status::Unknown)
    );
}

/// Each theorem's reduced system of the counter is counted exactly, and few of its states are explored.
#[test]
fn the_counter_with_transactions() {
    let session = counter(6);
    for theorem in ["lipton", "flanagan-qadeer", "right-movers"] {
        let options = ReachOptions {
            reduced: true,
            quotients: Quotient::ALL.to_vec(),
            ..ReachOptions::default()
        };
        let report = reach(&session, theorem, &options);
        assert_eq!(report.states.as_deref(), Some("64"), "{theorem}");
        assert_eq!(report.representatives.as_deref(), Some("7"), "{theorem}");
    }
}
