//! Dead locals: on the interpreter's states, on relations, by the twin, and with mistakes made on purpose.

use super::{control, counter, everything, loaded, locals, loops, random, reach, shipped, twin};

use coarsen::base::control::Control;
use coarsen::command::reach::Engine;
use coarsen::engine::quotients::{DeadLocals, Quotient};
use coarsen::engine::relations::{Encoding, Rel};
use coarsen::engine::{
    State, holds, initial_candidates, initially_violated, is_deadlock, is_initial, successors,
    violates,
};
use coarsen::model::program::{Command, Expr, Program};
use coarsen::model::text::ast::BinaryOp;
use coarsen::results::{Status, Verdict};
use coarsen::{CheckOptions, ReachOptions, Session, theory};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::por::judge::combinations;
use twin::compile::Loc;
use twin::explore::{is_deadlock as stuck, is_wrong, original};
use twin::generate::{Sample, samples};
use twin::model::{Model, state_of};
use twin::visibility::concerned;

const FORGETTING: &[Quotient] = &[Quotient::DeadLocals];

/// States of a program at most, where they are compared one by one.
const MOST: usize = 20_000;

/// What is reached, and whether a step violates the discipline; none if that is too much.
fn reached(p: &Program) -> Option<(BTreeSet<State>, bool)> {
    let (mut seen, mut violated) = (BTreeSet::new(), false);
    let mut open = Vec::new();
    // A state that is met with a violation is not left, unless it is also met without.
    let mut fine = BTreeSet::new();
    for state in initial_candidates(p).filter(|s| is_initial(p, s)) {
        let bad = initially_violated(p, &state);
        violated |= bad;
        if !bad && fine.insert(state.clone()) {
            open.push(state.clone());
        }
        seen.insert(state);
    }
    while let Some(state) = open.pop() {
        for t in 0..p.threads.len() {
            for step in successors(p, &state, t) {
                let bad = violates(p, t, &state, &step);
                violated |= bad;
                if !bad && fine.insert(step.state.clone()) {
                    open.push(step.state.clone());
                }
                seen.insert(step.state);
            }
        }
        if seen.len() > MOST {
            return None;
        }
    }
    Some((seen, violated))
}

fn is_gone_wrong(p: &Program, state: &State) -> bool {
    holds(p, &p.gone_wrong(), state)
}

/// What a program that forgets should have in common with the program itself, and has not.
fn differs(p: &Program, dead: &DeadLocals) -> Option<&'static str> {
    let forgetting = dead.forgetting(p);
    let ((all, bad), (some, worse)) = (reached(p)?, reached(&forgetting)?);
    if bad != worse {
        return Some("a violation");
    }
    let through = |states: &BTreeSet<State>, which: &dyn Fn(&State) -> bool| -> BTreeSet<State> {
        let asked = states.iter().filter(|s| which(s));
        asked.map(|s| dead.forget(s)).collect()
    };
    if through(&all, &|_| true) != through(&some, &|_| true) {
        return Some("what is reached");
    }
    let stuck = (
        through(&all, &|s| is_deadlock(p, s)),
        through(&some, &|s| is_deadlock(&forgetting, s)),
    );
    if stuck.0 != stuck.1 {
        return Some("deadlocks");
    }
    let wrong = |s: &State| is_gone_wrong(p, s);
    if through(&all, &wrong) != through(&some, &wrong) {
        return Some("what goes wrong");
    }
    // A step that goes wrong forgets nothing.
    let forgot = |s: &State| is_gone_wrong(p, s) || dead.forget(s) == *s;
    if !some.iter().all(forgot) {
        return Some("something is not forgotten");
    }
    let mut asked = p.properties.iter().chain(&p.lemmas);
    let told = |x: &Expr| all.iter().any(|s| holds(p, x, s)) != some.iter().any(|s| holds(p, x, s));
    let not = |x: &Expr| told(&Expr::Not(Box::new(x.clone())));
    asked
        .any(|x| told(&x.expr) || not(&x.expr))
        .then_some("a property")
}

/// How many cells are dead somewhere in a thread that has steps.
fn gain(p: &Program, dead: &DeadLocals) -> usize {
    let threads = p.threads.iter().enumerate();
    let of = threads.flat_map(|(t, thread)| thread.steps().map(move |l| (t, l)));
    of.map(|(t, l)| dead.at(t, l).len()).sum()
}

fn programs() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => locals(),
        1 => loops::programs(),
        1 => samples().prop_map(|s| s.source),
    ]
}

#[test]
fn what_is_reached_is_what_is_reached_and_then_seen_as_one() {
    let (compared, gained) = (Cell::new(0), Cell::new(0));
    let mut runner = random::runner(200);
    let result = runner.run(&programs(), |source| {
        let Some(session) = loaded(&source) else {
            return Ok(());
        };
        let p = session.program();
        let dead = DeadLocals::new(p, &[]);
        prop_assert_eq!(differs(p, &dead), None, "{}", source);
        compared.set(compared.get() + 1);
        gained.set(gained.get() + usize::from(gain(p, &dead) > 0));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(compared.get(), 150), "{compared:?} compared");
    assert!(
        random::enough(gained.get(), 80),
        "{gained:?} with dead cells"
    );
}

/// `d` of one thread, on relations.
fn forget(e: &Encoding, dead: &DeadLocals, thread: usize) -> Rel {
    let p = e.program;
    let places = 0..p.threads[thread].locations.len();
    let cells: BTreeSet<usize> = places
        .clone()
        .flat_map(|l| dead.at(thread, l).to_vec())
        .collect();
    let mut writes: Vec<_> = cells
        .iter()
        .flat_map(|c| e.layout.cell(*c).bits())
        .collect();
    writes.sort_unstable();
    let mut bdd = e.m.no();
    for l in places {
        let mut here = e.at(thread, l);
        for &c in &cells {
            let value = Expr::Const(p.cells[c].initial.unwrap_or(p.cells[c].ty.lo));
            let is = Expr::Binary(BinaryOp::Eq, Box::new(Expr::Cell(c)), Box::new(value));
            let bits: Vec<_> = e.layout.cell(c).bits().collect();
            let part = match dead.at(thread, l).contains(&c) {
                true => e.m.rename(&e.predicate(&is).unwrap(), |level| level + 1),
                false => Rel::test(e.m.yes()).widen(&e.m, &bits).unwrap().bdd,
            };
            here = e.m.and(&here, &part).unwrap();
        }
        bdd = e.m.or(&bdd, &here).unwrap();
    }
    Rel { writes, bdd }
}

fn same(e: &Encoding, a: &Rel, b: &Rel) -> bool {
    let (a, b) = (
        a.widen(&e.m, &b.writes).unwrap(),
        b.widen(&e.m, &a.writes).unwrap(),
    );
    let correct = e.type_correct(&e.all_bits()).unwrap();
    let within = |r: &Rel| e.m.and(&r.bdd, &correct).unwrap();
    e.m.same(&within(&a), &within(&b))
}

/// `a d = d a d` for each step of a thread, and `a d = d a` for the others'.
fn lawful(p: &Program, dead: &DeadLocals) -> bool {
    let control = Control::default();
    let e = Encoding::new(p, &control).unwrap();
    let m = &e.m;
    (0..p.threads.len()).all(|t| {
        let d = forget(&e, dead, t);
        e.actions.iter().all(|a| {
            let behind = a.rel.then(m, &d).unwrap();
            let mut before = d.then(m, &a.rel).unwrap();
            if a.thread == t {
                before = before.then(m, &d).unwrap();
            }
            same(&e, &behind, &before)
        })
    })
}

#[test]
fn each_step_obeys_the_law() {
    let gained = Cell::new(0);
    let mut runner = random::runner(120);
    let result = runner.run(&programs(), |source| {
        let Some(session) = loaded(&source) else {
            return Ok(());
        };
        let p = session.program();
        let dead = DeadLocals::new(p, &[]);
        prop_assert!(lawful(p, &dead), "{}", source);
        gained.set(gained.get() + usize::from(gain(p, &dead) > 0));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        random::enough(gained.get(), 50),
        "{gained:?} with dead cells"
    );
}

/// `a d = d a` is too much to ask of a thread's own steps.
#[test]
fn the_simple_law_is_false() {
    let session = counter(2);
    let p = session.program();
    let dead = DeadLocals::new(p, &[]);
    let control = Control::default();
    let e = Encoding::new(p, &control).unwrap();
    let d = forget(&e, &dead, 0);
    let own = e.actions.iter().filter(|a| a.thread == 0);
    let commutes = own.map(|a| {
        let (behind, before) = (a.rel.then(&e.m, &d), d.then(&e.m, &a.rel));
        same(&e, &behind.unwrap(), &before.unwrap())
    });
    let commutes: Vec<bool> = commutes.collect();
    assert!(commutes.contains(&false), "{commutes:?}");
}

/// A liveness with a mistake: what is alive in a program that has less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mutant {
    Properties,
    Guards,
    Elements,
    Branches,
    Conditions,
    Checks,
    Loops,
}

impl Mutant {
    const ALL: [Mutant; 7] = [
        Mutant::Properties,
        Mutant::Guards,
        Mutant::Elements,
        Mutant::Branches,
        Mutant::Conditions,
        Mutant::Checks,
        Mutant::Loops,
    ];

    fn expr(self, e: &Expr) -> Expr {
        let sub = |e: &Expr| Box::new(self.expr(e));
        match e {
            Expr::Element(..) if self == Mutant::Elements => Expr::Const(0),
            Expr::Not(e) => Expr::Not(sub(e)),
            Expr::Neg(e) => Expr::Neg(sub(e)),
            Expr::Binary(op, a, b) => Expr::Binary(*op, sub(a), sub(b)),
            Expr::Cond(c, a, b) => Expr::Cond(sub(c), sub(a), sub(b)),
            other => other.clone(),
        }
    }

    fn commands(self, all: &[Command], from: usize) -> Vec<Command> {
        let changed = |command: &Command| match command {
            Command::Assign(target, value) => Command::Assign(target.clone(), self.expr(value)),
            Command::Check(e, failure) => match self {
                Mutant::Checks => Command::Check(Expr::TRUE, *failure),
                _ => Command::Check(self.expr(e), *failure),
            },
            Command::If(c, yes, no) => {
                let c = match self {
                    Mutant::Conditions => Expr::TRUE,
                    _ => self.expr(c),
                };
                Command::If(c, self.commands(yes, from), self.commands(no, from))
            }
            Command::Choose(branches) => {
                let kept = match self {
                    Mutant::Branches => &branches[..1],
                    _ => branches.as_slice(),
                };
                Command::Choose(kept.iter().map(|b| self.commands(b, from)).collect())
            }
            other => other.clone(),
        };
        // Without what leads back.
        let kept = all.iter().filter(|c| match c {
            Command::Goto(l) => self != Mutant::Loops || *l > from,
            _ => true,
        });
        kept.map(changed).collect()
    }

    fn of(self, p: &Program) -> Program {
        let mut p = p.clone();
        if self == Mutant::Properties {
            p.properties.clear();
            p.lemmas.clear();
            p.protections.clear();
        }
        for thread in &mut p.threads {
            for (l, location) in thread.locations.iter_mut().enumerate() {
                for edge in &mut location.edges {
                    edge.guard = match (self, &edge.guard) {
                        (Mutant::Guards, _) => None,
                        (_, guard) => guard.as_ref().map(|g| self.expr(g)),
                    };
                    edge.body = self.commands(&edge.body, l);
                }
            }
        }
        p
    }
}

#[test]
fn mistakes_are_noticed() {
    let caught: Cell<BTreeMap<Mutant, usize>> = Cell::default();
    let unlawful: Cell<BTreeMap<Mutant, usize>> = Cell::default();
    let mut runner = random::runner(1000);
    let result = runner.run(&locals(), |source| {
        let Some(session) = loaded(&source) else {
            return Ok(());
        };
        let p = session.program();
        let right = DeadLocals::new(p, &[]);
        for mutant in Mutant::ALL {
            let dead = DeadLocals::new(&mutant.of(p), &[]);
            if dead == right {
                continue;
            }
            let note = |counts: &Cell<BTreeMap<Mutant, usize>>| {
                let mut all = counts.take();
                *all.entry(mutant).or_default() += 1;
                counts.set(all);
            };
            if differs(p, &dead).is_some() {
                note(&caught);
            }
            if !lawful(p, &dead) {
                note(&unlawful);
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    let (caught, unlawful) = (caught.take(), unlawful.take());
    // The law speaks of steps; what properties look at is another matter.
    let steps = Mutant::ALL.iter().filter(|m| **m != Mutant::Properties);
    for mutant in Mutant::ALL {
        assert!(caught.contains_key(&mutant), "{mutant:?} of {caught:?}");
    }
    for mutant in steps {
        assert!(unlawful.contains_key(mutant), "{mutant:?} of {unlawful:?}");
    }
}

/// What the twin says of what the tool calls dead: that steps and questions are blind to it, in every type-correct
/// state; and how many states are left.
fn judged(sample: &Sample, p: &Program) -> Option<(usize, bool)> {
    let dead = DeadLocals::new(p, &[]);
    let model = sample.model();
    let number = |name: &str| p.cells.iter().position(|c| c.name == name);
    let cells = model.system.layout.cells.iter();
    let cells: Vec<usize> = cells
        .map(|c| number(&c.name).expect("named alike"))
        .collect();
    let place = |t: usize, at: Loc| -> Option<usize> {
        let Loc::At(n) = at else {
            let thread = &p.threads[t];
            return if at == Loc::End {
                thread.end
            } else {
                thread.wrong
            };
        };
        p.threads[t].steps().find(|&l| {
            let location = &p.threads[t].locations[l];
            let called = model.system.graphs[t].called(p.line(location.span), &location.name);
            called == [n]
        })
    };
    // Where the two name a place differently, nothing is compared.
    for (t, graph) in model.system.graphs.iter().enumerate() {
        for n in 0..graph.locations.len() {
            place(t, Loc::At(n))?;
        }
    }
    let numbers: HashMap<&twin::semantics::State, usize> = model
        .states
        .iter()
        .enumerate()
        .map(|(n, s)| (s, n))
        .collect();
    let rest = |c: usize| p.cells[c].initial.unwrap_or(p.cells[c].ty.lo);
    let seen: Vec<usize> = model
        .states
        .iter()
        .map(|state| {
            let mut one = state.clone();
            for (t, at) in state.locations.iter().enumerate() {
                let Some(l) = place(t, *at) else { continue };
                for (mine, other) in cells.iter().enumerate() {
                    if dead.at(t, l).contains(other) {
                        one.cells[mine] = rest(*other);
                    }
                }
            }
            numbers[&one]
        })
        .collect();
    let lawful = |s: usize| {
        let same = |a: usize, b: usize| {
            model.threads().all(|t| {
                let to = |from: usize| -> BTreeSet<(usize, bool)> {
                    let steps = model.steps[t][from].iter();
                    steps.map(|x| (seen[x.target], x.violates)).collect()
                };
                to(a) == to(b)
            })
        };
        let asked = model.system.program.properties.iter();
        let mut asked = asked.filter_map(|x| concerned(&model, x));
        same(s, seen[s])
            && stuck(&model, s) == stuck(&model, seen[s])
            && is_wrong(&model, s) == is_wrong(&model, seen[s])
            && asked.all(|c| c[s] == c[seen[s]])
    };
    let lawful = (0..model.states.len()).all(lawful);
    Some((left(&model, &seen), lawful))
}

/// How many states of the original system are left, where those in which a thread has gone wrong count as they are.
fn left(model: &Model, seen: &[usize]) -> usize {
    let all = original(model).states;
    let all = all.iter().map(|node| seen[state_of(*node)]);
    all.collect::<BTreeSet<usize>>().len()
}

#[test]
fn the_twin_agrees() {
    let (compared, counted) = (Cell::new(0), Cell::new(0));
    let mut runner = random::runner(80);
    let result = runner.run(&samples(), |sample| {
        let Some(session) = loaded(&sample.source) else {
            return Ok(());
        };
        let p = session.program();
        let Some((states, lawful)) = judged(&sample, p) else {
            return Ok(());
        };
        prop_assert!(lawful, "{}", sample.source);
        compared.set(compared.get() + 1);
        let report = reach(&session, "stoller-cohen", &everything(p, FORGETTING));
        prop_assert!(!report.is_contradicted(), "{}", sample.source);
        if report.wrong.as_deref() == Some("0") {
            prop_assert_eq!(report.states, Some(states.to_string()), "{}", sample.source);
            counted.set(counted.get() + 1);
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(compared.get(), 30), "{compared:?} compared");
    assert!(random::enough(counted.get(), 10), "{counted:?} counted");
}

/// What is answered with and without, by any engine; traces are as long where they are shortest.
fn same_answers(session: &Session, with: &ReachOptions) -> Result<(), TestCaseError> {
    let p = session.program();
    let plain = reach(session, "stoller-cohen", &everything(p, &[]));
    let some = reach(session, "stoller-cohen", with);
    let name = with.por.as_ref().map(|por| por.name());
    prop_assert!(!some.is_contradicted(), "{:?} {}", name, some.reason);
    for (mine, other) in some.questions.iter().zip(&plain.questions) {
        if [mine.verdict, other.verdict].contains(&Status::Unknown) {
            continue;
        }
        prop_assert_eq!(mine.verdict, other.verdict, "{:?} {}", name, mine.name);
        if with.por.is_none() && !with.reduced && with.engine == Engine::Explicit {
            prop_assert_eq!(&mine.trace_length, &other.trace_length, "{}", mine.name);
        }
    }
    prop_assert_eq!(some.violated && !plain.violated && name.is_none(), false);
    Ok(())
}

#[test]
fn every_engine_and_technique_gives_the_same_answers() {
    let mut runner = random::runner(24);
    let result = runner.run(&programs(), |source| {
        let Some(session) = loaded(&source) else {
            return Ok(());
        };
        let base = everything(session.program(), FORGETTING);
        let engines = [
            Engine::Auto,
            Engine::Saturation,
            Engine::Chaining,
            Engine::Worklist,
            Engine::Bdd,
            Engine::Explicit,
            Engine::Interpreter,
        ];
        let mut all = Vec::new();
        for engine in engines {
            for reduced in [false, true] {
                all.push(ReachOptions {
                    engine,
                    reduced,
                    ..base.clone()
                });
            }
        }
        for por in combinations() {
            all.push(ReachOptions {
                operations: Some(5_000),
                por: Some(por),
                ..base.clone()
            });
        }
        for options in all {
            same_answers(&session, &options)
                .map_err(|e| TestCaseError::fail(format!("{e:?} of {source}")))?;
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// All engines count the same.
#[test]
fn the_counter_is_small_when_it_forgets() {
    let session = counter(10);
    for engine in [
        Engine::Auto,
        Engine::Saturation,
        Engine::Explicit,
        Engine::Bdd,
    ] {
        let options = ReachOptions {
            engine,
            quotients: FORGETTING.to_vec(),
            ..ReachOptions::default()
        };
        let report = reach(&session, "stoller-cohen", &options);
        assert_eq!(report.states.as_deref(), Some("16384"), "{engine:?}");
        assert_eq!(report.reductions, ["dead-locals"]);
    }
    let of = |n: usize, quotients: &[Quotient]| {
        let options = everything(counter(n).program(), quotients);
        reach(&counter(n), "stoller-cohen", &options).states
    };
    // What is left is 2^n with the lock free, and three places of its owner.
    assert_eq!(of(4, FORGETTING), Some((16 + 3 * 4 * 8).to_string()));
    let (all, left) = (of(4, &[]), of(4, FORGETTING));
    assert_ne!(all, left);
}

/// With transactions nothing is left but who has been there.
#[test]
fn the_counter_with_transactions() {
    for theorem in ["lipton", "flanagan-qadeer", "left-movers"] {
        let options = ReachOptions {
            reduced: true,
            quotients: FORGETTING.to_vec(),
            ..ReachOptions::default()
        };
        let report = reach(&counter(5), theorem, &options);
        assert_eq!(report.states.as_deref(), Some("32"), "{theorem}");
    }
}

/// `check` looks at what is left of the reduced system, and says the same.
#[test]
fn a_check_says_the_same() {
    let stoller_cohen = theory("stoller-cohen").expect("shipped");
    let run = |session: &Session, quotients: &[Quotient]| {
        let options = CheckOptions {
            quotients: quotients.to_vec(),
            ..CheckOptions::default()
        };
        session.check(&stoller_cohen, &options, &control())
    };
    let report = run(&counter(10), FORGETTING);
    assert_eq!(report.verdict, Verdict::Holds);
    assert_eq!(report.states.reduced.as_deref(), Some("6144"));
    assert_eq!(report.states.visited.as_deref(), Some("16384"));
    assert_eq!(report.states.original, None);
    let mut runner = random::runner(60);
    let result = runner.run(&programs(), |source| {
        let Some(session) = loaded(&source) else {
            return Ok(());
        };
        let (plain, some) = (run(&session, &[]), run(&session, FORGETTING));
        prop_assert!(!some.is_contradicted(), "{} of {}", some.reason, source);
        prop_assert_eq!(plain.verdict, some.verdict, "{}", source);
        for (mine, other) in some.properties.iter().zip(&plain.properties) {
            prop_assert_eq!(mine.verdict, other.verdict, "{} of {}", mine.name, source);
        }
        let count = |n: &Option<String>| n.as_ref().map(|n| n.parse::<u64>().expect("a number"));
        let (few, many) = (count(&some.states.reduced), count(&plain.states.reduced));
        prop_assert!(few <= many || many.is_none(), "{:?} {:?}", few, many);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn shipped_models() {
    for model in shipped::some() {
        let session = model.load(&[]);
        let p = session.program();
        let options = everything(p, FORGETTING);
        let same = same_answers(&session, &options);
        same.unwrap_or_else(|e| panic!("{}: {e}", model.name));
    }
}
