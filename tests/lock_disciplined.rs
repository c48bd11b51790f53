//! Programs that follow a locking discipline, without a word about it: every variable that threads share is found
//! protected by its mutex, and the reduced system is that of the program with the annotations written by hand.

use crate::random;
use coarsen::CheckOptions;
use coarsen::results::{Discipline, Report, Verdict};
use proptest::prelude::*;
use std::fmt::Write;

/// One critical section: its mutexes in order, and the variables it accesses, with what is done to them.
#[derive(Clone, Debug)]
struct Section {
    locks: Vec<usize>,
    accesses: Vec<(usize, u8)>,
}

#[derive(Clone, Debug)]
struct Disciplined {
    /// The mutex of each variable.
    lock_of: Vec<usize>,
    locks: usize,
    threads: Vec<(Vec<Section>, bool)>,
}

fn programs() -> impl Strategy<Value = Disciplined> {
    (1usize..=6, 1usize..=8, 1usize..=20).prop_flat_map(|(threads, locks, variables)| {
        let lock_of = prop::collection::vec(0..locks, variables);
        let section = (
            prop::collection::btree_set(0..locks, 1..=2.min(locks)),
            prop::collection::vec((0..variables, 0u8..4), 1..4),
        );
        let body = prop::collection::vec(section, 1..=2);
        let threads = prop::collection::vec((body, prop::bool::weighted(0.2)), threads);
        (lock_of, threads).prop_map(move |(lock_of, threads)| {
            let section = |(locks, accesses): (_, Vec<(usize, u8)>)| Section {
                locks: Vec::from_iter::<std::collections::BTreeSet<usize>>(locks),
                accesses,
            };
            let threads = threads
                .into_iter()
                .map(|(body, endless)| (body.into_iter().map(section).collect(), endless))
                .collect();
            Disciplined {
                lock_of,
                locks,
                threads,
            }
        })
    })
}

impl Disciplined {
    /// The accesses of a section that its mutexes allow.
    fn allowed<'a>(&'a self, s: &'a Section) -> impl Iterator<Item = (usize, u8)> + 'a {
        let held = |v: &usize| s.locks.contains(&self.lock_of[*v]);
        s.accesses.iter().copied().filter(move |(v, _)| held(v))
    }

    fn source(&self, annotated: bool) -> String {
        let mut out = format!("mutex m[{}];\n", self.locks);
        for (v, lock) in self.lock_of.iter().enumerate() {
            let word = match annotated {
                true => format!(" protected v{v} by m[{lock}]"),
                false => String::new(),
            };
            writeln!(out, "var v{v}: 0..1 = 0{word};").expect("written");
        }
        for (t, (body, endless)) in self.threads.iter().enumerate() {
            writeln!(out, "thread t{t} {{").expect("written");
            if *endless {
                out += "while (true) {\n";
            }
            for s in body {
                for l in &s.locks {
                    writeln!(out, "  lock(m[{l}]);").expect("written");
                }
                for (v, kind) in self.allowed(s) {
                    match kind {
                        0 => writeln!(out, "  v{v} = 1;"),
                        1 => writeln!(out, "  v{v} = 1 - v{v};"),
                        2 => writeln!(out, "  if (v{v} == 1) {{ v{v} = 0; }}"),
                        _ => writeln!(out, "  assert(v{v} <= 1);"),
                    }
                    .expect("written");
                }
                for l in s.locks.iter().rev() {
                    writeln!(out, "  unlock(m[{l}]);").expect("written");
                }
            }
            if *endless {
                out += "}\n";
            }
            out += "}\n";
        }
        out
    }

    /// The mutexes held at every access to a variable; where there are two, either protects it.
    fn always_held(&self, v: usize) -> Vec<usize> {
        let sections = self.threads.iter().flat_map(|(body, _)| body);
        let with = sections.filter(|s| self.allowed(s).any(|(w, _)| w == v));
        with.fold((0..self.locks).collect(), |mut held, s| {
            held.retain(|l| s.locks.contains(l));
            held
        })
    }

    /// Whether some thread writes a variable.
    fn is_written(&self, v: usize) -> bool {
        let sections = self.threads.iter().flat_map(|(body, _)| body);
        let mut accesses = sections.flat_map(|s| self.allowed(s));
        accesses.any(|(w, kind)| w == v && kind < 3)
    }

    /// The threads that mention a variable.
    fn users(&self, v: usize) -> usize {
        let mentions = |s: &Section| self.allowed(s).any(|(w, _)| w == v);
        let bodies = self.threads.iter();
        bodies.filter(|(b, _)| b.iter().any(mentions)).count()
    }
}

fn check(source: &str) -> Report {
    coarsen::check_source("disciplined.cor", source, &CheckOptions::thorough())
        .unwrap_or_else(|errors| panic!("{errors:?} in\n{source}"))
}

#[test]
fn every_variable_is_found_protected_by_its_mutex() {
    let mut runner = random::runner(40);
    let result = runner.run(&programs(), |program| {
        let (bare, annotated) = (program.source(false), program.source(true));
        let (found, wanted) = (check(&bare), check(&annotated));
        prop_assert_eq!(found.verdict, Verdict::Holds, "{}", bare);
        prop_assert_eq!(&found.states.reduced, &wanted.states.reduced, "{}", bare);
        prop_assert_eq!(&found.states.visited, &wanted.states.visited, "{}", bare);
        for (v, lock) in program.lock_of.iter().enumerate() {
            let name = format!("v{v}");
            let told = found.discipline.iter().find(|d| d.variable == name);
            let told = told.map(|d| &d.discipline);
            let mutex = |l: &usize| format!("m[{l}]");
            let right = match program.users(v) {
                0 => told == Some(&Discipline::Unused),
                _ if !program.is_written(v) && program.users(v) > 1 => {
                    told == Some(&Discipline::Constant)
                }
                1 => matches!(told, Some(Discipline::Private(_, locks)) if locks.contains(&mutex(lock))),
                _ => {
                    let held = program.always_held(v);
                    let named = |l: &usize| told == Some(&Discipline::Mutexes(vec![mutex(l)]));
                    held.contains(lock) && held.iter().any(named)
                }
            };
            prop_assert!(right, "v{v}: {told:?}\n{bare}");
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}
