//! Functions as transactions: known answers, and random programs against an enumeration of all interleavings that knows
//! no clocks.

use super::random::{FAMILIES, pipes};
use super::support::{Dice, HEAD, Scratch, make, possible, run, settings};
use coarsen::ctest::compile::Program;
use coarsen::ctest::debug::Debug;
use coarsen::ctest::explore::{Exploration, Settings};
use coarsen::ctest::movers::{Finding, Verdict};
use coarsen::ctest::process::Process;
use coarsen::ctest::shared::{self, Kind, Order};
use coarsen::ctest::shorten::{Outcome, follow};
use std::collections::BTreeMap;
use std::fmt::Write;

fn with_movers() -> Settings {
    Settings {
        movers: true,
        ..settings()
    }
}

/// What is said of each function, by name; also whether a call was torn.
fn functions(program: &Program, e: &Exploration) -> BTreeMap<String, (&'static str, bool)> {
    let verdicts = e.calls.verdicts();
    let debug = Debug::new(&program.path);
    let said = verdicts.iter().map(|v| {
        let name = match v.finding {
            Finding::Transaction => "transaction",
            Finding::Split(_) => "split",
            Finding::Broken(_) => "broken",
        };
        (debug.called(v.pc), (name, v.torn.is_some()))
    });
    said.collect()
}

/// Functions with what is to be said of them when two threads call all of them, in the same order.
const KNOWN: &[(&str, &str, &str)] = &[
    ("locked", "lock(m[0]); x[0]++; unlock(m[0]);", "transaction"),
    ("racy", "x[0]++;", "broken"),
    ("store", "x[0] = 7;", "transaction"),
    ("two_stores", "x[0] = 7; x[1] = 7;", "broken"),
    (
        "private",
        "int l[2]; int *p = l; p[0] = 1; p[1]++;",
        "transaction",
    ),
    ("updated", "atomic_fetch_add(&a[0], 1);", "transaction"),
    (
        "updated_twice",
        "atomic_fetch_add(&a[0], 1); atomic_fetch_add(&a[0], 1);",
        "broken",
    ),
    (
        "in_turn",
        "lock(m[0]); unlock(m[0]); lock(m[0]); unlock(m[0]);",
        "broken",
    ),
    (
        "nested",
        "lock(m[0]); lock(m[1]); x[0]++; unlock(m[1]); x[1]++; unlock(m[0]);",
        "transaction",
    ),
    (
        "hand_over_hand",
        "lock(m[0]); lock(m[1]); unlock(m[0]); unlock(m[1]);",
        "transaction",
    ),
    (
        "after_a_lock",
        "lock(m[0]); unlock(m[0]); x[0]++;",
        "broken",
    ),
    (
        "store_after_a_lock",
        "lock(m[0]); x[1]++; unlock(m[0]); int l = 5; l++;",
        "transaction",
    ),
    // An attempt that fails is a step like others.
    (
        "by_hand",
        "while (atomic_exchange(&a[0], 1)); x[0]++; a[0] = 0;",
        "broken",
    ),
    ("barrier", "pthread_barrier_wait(&b);", "broken"),
    (
        "region",
        "coarsen_atomic_begin(); x[0]++; x[1]++; coarsen_atomic_end();",
        "transaction",
    ),
];

#[test]
fn functions_with_known_answers() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("movers");
    for (name, body, expected) in KNOWN {
        let text = format!(
            "{HEAD}#include \"coarsen.h\"\nint x[3]; atomic_int a[2]; pthread_mutex_t m[2]; pthread_barrier_t b;\n\
             void {name}(void) {{ {body} }}\nvoid *t(void *_) {{ {name}(); return 0; }}\n\
             int main() {{ pthread_barrier_init(&b, 0, 2); pthread_t h; go(h, t); {name}(); end(h); return 0; }}\n"
        );
        let program = make(&scratch.file(name, &text), &[]);
        let found = run(&program, &with_movers());
        assert!(found.limits.is_empty(), "{name}: {:?}", found.limits);
        let said = functions(&program, &found);
        assert_eq!(said[*name].0, *expected, "{text}");
    }
    let waiting = format!(
        "{HEAD}pthread_mutex_t m; pthread_cond_t c; int full;\n\
         void put(void) {{ lock(m); while (full) pthread_cond_wait(&c, &m); full = 1; pthread_cond_signal(&c); \
         unlock(m); }}\nvoid get(void) {{ lock(m); while (!full) pthread_cond_wait(&c, &m); full = 0; \
         pthread_cond_signal(&c); unlock(m); }}\nvoid *t(void *_) {{ put(); put(); return 0; }}\n\
         int main() {{ pthread_t h; go(h, t); get(); get(); end(h); return 0; }}\n"
    );
    let program = make(&scratch.file("waiting", &waiting), &[]);
    let said = functions(&program, &run(&program, &with_movers()));
    for (name, expected) in [
        ("put", ("split", true)),
        ("get", ("split", true)),
        ("t", ("broken", true)),
        ("main", ("broken", true)),
    ] {
        assert_eq!(said[name], expected, "{name}");
    }
}

/// Calls families' statements from functions, each of one to three of them.
fn random_program(dice: &mut Dice, statements: &[&str]) -> String {
    let mut text = super::random::random_program(dice, statements, false);
    let head = text.find("void *t0").expect("its threads");
    text.truncate(head);
    for f in 0..3 {
        let _ = write!(text, "void f{f}(void) {{ ");
        for _ in 0..1 + dice.roll(3) {
            let j = dice.roll(2);
            let statement = statements[dice.roll(statements.len() as u64) as usize];
            let statement = statement
                .replace('J', &j.to_string())
                .replace('K', &(1 - j).to_string())
                .replace("V1", &format!("l{}", dice.0 % 100_000))
                .replace('V', &dice.roll(2).to_string());
            let _ = write!(text, "{statement} ");
        }
        text.push_str("}\n");
    }
    let calls = |dice: &mut Dice| match dice.roll(3) {
        0 => format!("f{}(); f{}();", dice.roll(3), dice.roll(3)),
        _ => format!("f{}();", dice.roll(3)),
    };
    let (first, second) = (calls(dice), calls(dice));
    let value = dice.roll(2);
    let _ = writeln!(
        text,
        "void *t(void *_) {{ {first} return 0; }}\nint main() {{ sem_init(&s, 0, {value}); pthread_barrier_init(&b, 0, \
         2); {} pthread_t h; go(h, t); {second} end(h); return 0; }}",
        pipes(statements)
    );
    text
}

/// All interleavings, each run from its beginning; none if there are more than `most`.
fn interleavings(program: &Program, most: usize) -> Option<Vec<Outcome>> {
    let settings = Settings {
        reset: program.reset,
        ..settings()
    };
    let mut process = Process::start(&program.path, &[], false).expect("it starts");
    let mut open: Vec<Vec<Order>> = vec![Vec::new()];
    let mut all = Vec::new();
    while let Some(prefix) = open.pop() {
        let outcome = follow(&mut process, &settings, &prefix, 0).expect("an answer");
        for i in prefix.len().saturating_sub(1)..outcome.steps.len() {
            let step = &outcome.steps[i];
            let mut to = |thread, choice| {
                let before = outcome.steps[..i].iter().map(|s| Order {
                    thread: s.thread,
                    choice: s.choice,
                });
                open.push(before.chain([Order { thread, choice }]).collect());
            };
            if step.choice == 0 {
                (1..step.choices).for_each(|c| to(step.thread, c));
            }
            if i >= prefix.len() {
                let enabled = |t: &u16| step.enabled[usize::from(*t) / 64] >> (t % 64) & 1 == 1;
                let others = (0..4).filter(enabled).filter(|&t| t != step.thread);
                others.for_each(|t| to(t, 0));
            }
        }
        all.push(outcome);
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// The representative of an execution's class: what can come next with the smallest thread, again and again.
/// Who is the serial thread of a barrier belongs to the barrier, not to who comes last.
fn class(outcome: &Outcome) -> Vec<(u16, u64, Kind, u16)> {
    let steps = &outcome.steps;
    let mut left: Vec<usize> = (0..steps.len()).collect();
    let mut class = Vec::new();
    let mut serial = Vec::new();
    while !left.is_empty() {
        let free = |&k: &usize| {
            left[..k].iter().all(|&j| {
                let (a, b) = (&steps[j], &steps[left[k]]);
                a.thread != b.thread && !shared::dependent(&a.accesses, &b.accesses)
            })
        };
        let candidates = (0..left.len()).filter(free);
        let k = candidates.min_by_key(|&k| steps[left[k]].thread);
        let step = &steps[left.remove(k.expect("the first is free"))];
        let barrier = step.kind == Kind::Arrive;
        if barrier && step.choices > 1 {
            let generation = step.accesses.last().map_or(0, |a| a.key);
            serial.push((0, generation, step.kind, step.choice));
        }
        let choice = if barrier { 0 } else { step.choice };
        class.push((step.thread, step.pc, step.kind, choice));
    }
    serial.sort_unstable();
    class.extend(serial);
    class
}

/// The calls of an execution: thread, its how manieth call, the function, the steps.
fn calls(outcome: &Outcome) -> Vec<(u16, usize, u64, Vec<usize>)> {
    let mut calls: Vec<(u16, usize, u64, u32, u32)> = Vec::new();
    let mut open: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for mark in &outcome.seen.marks {
        if mark.pc == 0 {
            let i = open.entry(mark.thread).or_default().pop().expect("entered");
            calls[i].4 = mark.at;
        } else {
            let number = calls.iter().filter(|c| c.0 == mark.thread).count();
            open.entry(mark.thread).or_default().push(calls.len());
            calls.push((mark.thread, number, mark.pc, mark.at, u32::MAX));
        }
    }
    let within = |(thread, number, pc, from, to): (u16, usize, u64, u32, u32)| {
        let own = outcome.steps.iter().enumerate();
        let steps = own.filter(|(i, s)| s.thread == thread && (from..to).contains(&(*i as u32)));
        (thread, number, pc, steps.map(|(i, _)| i).collect())
    };
    calls.into_iter().map(within).collect()
}

#[test]
fn transactions_against_every_interleaving() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("movers-random");
    let mut dice = Dice::seeded(0x2545_F491_4F6C_DD1D);
    let (mut compared, mut transactions, mut broken) = (0, 0, 0);
    for (family, statements) in FAMILIES {
        for round in 0..crate::random::cases(4) {
            let text = random_program(&mut dice, statements);
            let program = make(&scratch.file(&format!("{family}{round}"), &text), &[]);
            let Some(all) = interleavings(&program, 2_500) else {
                continue;
            };
            compared += 1;
            // For each function, whether each call in each class has an execution in which nobody interrupts it.
            let mut serial: BTreeMap<(Vec<_>, u16, usize, u64), bool> = BTreeMap::new();
            for outcome in &all {
                let class = class(outcome);
                for (thread, number, pc, steps) in calls(outcome) {
                    let whole = steps.windows(2).all(|w| w[0] + 1 == w[1]);
                    *serial
                        .entry((class.clone(), thread, number, pc))
                        .or_default() |= whole;
                }
            }
            let mut torn: BTreeMap<u64, bool> = BTreeMap::new();
            for ((_, _, _, pc), whole) in serial {
                *torn.entry(pc).or_default() |= !whole;
            }
            let reduced = run(&program, &with_movers());
            let verdicts = reduced.calls.verdicts();
            assert_eq!(verdicts.len(), torn.len(), "{text}");
            for v in &verdicts {
                assert_eq!(v.torn.is_some(), torn[&v.pc], "{text}");
                match v.finding {
                    Finding::Transaction => {
                        assert!(!torn[&v.pc], "{text}");
                        transactions += 1;
                    }
                    _ => broken += 1,
                }
            }
            // Not only each by itself: in each class there is an execution in which nobody interrupts any transaction.
            let serial = |v: &&Verdict| v.finding == Finding::Transaction;
            let serial: Vec<u64> = verdicts.iter().filter(serial).map(|v| v.pc).collect();
            let mut together: BTreeMap<_, bool> = BTreeMap::new();
            for outcome in &all {
                let mut calls = calls(outcome).into_iter().filter(|c| serial.contains(&c.2));
                let whole = calls.all(|c| c.3.windows(2).all(|w| w[0] + 1 == w[1]));
                *together.entry(class(outcome)).or_default() |= whole;
            }
            assert!(together.values().all(|&whole| whole), "{text}");
            let every = Settings {
                exhaustive: true,
                ..with_movers()
            };
            let every = run(&program, &every);
            assert_eq!(every.executions, all.len() as u64, "{text}");
            assert_eq!(
                functions(&program, &reduced),
                functions(&program, &every),
                "{text}"
            );
        }
    }
    assert!(
        crate::random::enough(compared, 24),
        "only {compared} programs were small enough"
    );
    assert!(
        crate::random::enough(transactions.min(broken), 40),
        "{transactions} {broken}"
    );
}
