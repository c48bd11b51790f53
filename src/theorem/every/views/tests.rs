//! What each two threads see of each state that is reached, for the first values of the constant, is among the views;
//! and none of the steps violates the discipline.

use super::{ANOTHER, NOBODY, ONE, TWO, Views};
use crate::base::control::{Control, ParseLimits};
use crate::base::results::Obstacle;
use crate::engine::{State, initial_candidates, is_initial, overlap, successors, violates};
use crate::model::program::{CellId, Class, Closing, Program, ThreadId, elaborate};
use crate::model::text::parse_model;
use crate::theorem::every::Template;
use crate::theorem::every::instance::Instance;
use crate::theorem::every::oracle::Oracle;
use crate::theorem::every::run::Unsaid;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use rustc_hash::FxHashSet;

/// A program at one value: its shared cells, and the own ones of each thread with the number of its kind.
struct At<'p> {
    program: &'p Program,
    shared: Vec<CellId>,
    own: Vec<(usize, Vec<CellId>)>,
}

impl At<'_> {
    fn own(&self, views: &Views, state: &State, thread: ThreadId) -> Option<u32> {
        let (kind, cells) = &self.own[thread];
        let values = cells.iter().map(|c| state.cell(*c) as i32).collect();
        let of = (*kind, state.location(thread), values);
        views.all_own.numbers.get(&of).copied()
    }

    /// Whether what two threads see of a state is one of the views.
    fn is_seen(&self, views: &Views, state: &State, (one, two): (ThreadId, ThreadId)) -> bool {
        let value = |c: &CellId| {
            let value = state.cell(*c);
            match self.program.cells[*c].class {
                Class::Owner if value < 0 => NOBODY,
                Class::Owner if value == one as i64 => ONE,
                Class::Owner if value == two as i64 => TWO,
                Class::Owner => ANOTHER,
                _ => value as i32,
            }
        };
        let shared: Vec<i32> = self.shared.iter().map(value).collect();
        let shared = views.all_shared.numbers.get(&shared).copied();
        let (one, two) = (self.own(views, state, one), self.own(views, state, two));
        let view = shared.zip(one.zip(two));
        view.is_some_and(|(shared, (one, two))| views.views.contains(&(shared, one, two)))
    }
}

/// How many states were looked at; nothing if the views say that the discipline may be violated.
fn seen(source: &str) -> Option<usize> {
    let (tree, _) = parse_model(source, ParseLimits::default());
    let model = Template {
        tree: &tree,
        source,
        defines: &[],
        constant: "N",
    };
    let control = Control::default();
    let instance = Instance::first(&model, &control).unwrap_or_else(|e| panic!("{e:?}: {source}"));
    let oracle = Oracle::new(&instance, &instance.program, Vec::new(), &control).expect("said");
    let views = match Views::of(&oracle) {
        Ok(views) => views,
        Err(Unsaid::Because(Obstacle::NoAccess { .. } | Obstacle::Overlap(_))) => return None,
        Err(unsaid) => panic!("{unsaid:?}: {source}"),
    };
    let mut count = 0;
    for value in 1..=4 {
        let defines = [("N".to_string(), value.to_string())];
        let Ok((program, _)) = elaborate(&tree, source, &defines) else {
            continue;
        };
        let closing = Closing {
            open: &instance.parametric,
            instance: &instance.program,
            program: &program,
            value,
        };
        let own = |thread: ThreadId| {
            let mut kinds = instance.kinds.iter();
            let kind = kinds.position(|k| k.has(&closing, thread) == Some(true));
            let prefix = format!("{}.", program.threads[thread].name);
            let is_own = |c: &CellId| {
                let name = &program.arrays[program.cells[*c].array].name;
                name.starts_with(&prefix)
            };
            let cells = (0..program.cells.len()).filter(is_own).collect();
            (kind.expect("a kind"), cells)
        };
        let own: Vec<(usize, Vec<CellId>)> = (0..program.threads.len()).map(own).collect();
        let is_shared = |c: &CellId| own.iter().all(|(_, cells)| !cells.contains(c));
        let at = At {
            shared: (0..program.cells.len()).filter(is_shared).collect(),
            program: &program,
            own,
        };
        let mut open: Vec<State> = initial_candidates(&program)
            .filter(|s| is_initial(&program, s))
            .collect();
        let mut known: FxHashSet<State> = open.iter().cloned().collect();
        while let Some(state) = open.pop() {
            let threads = 0..program.threads.len();
            for one in threads.clone() {
                for two in threads.clone().filter(|two| *two != one) {
                    assert!(
                        at.is_seen(&views, &state, (one, two)),
                        "{one} and {two} with N = {value}: {state:?} of {source}"
                    );
                }
            }
            let mut all = program.protections.iter();
            assert!(
                !all.any(|x| overlap(&program, x, &state)),
                "{state:?} of {source}"
            );
            count += 1;
            if known.len() > 3_000 {
                break;
            }
            for thread in threads {
                for next in successors(&program, &state, thread) {
                    let violates = violates(&program, thread, &state, &next);
                    assert!(
                        !violates,
                        "{thread} with N = {value} in {state:?} of {source}"
                    );
                    if known.insert(next.state.clone()) {
                        open.push(next.state);
                    }
                }
            }
        }
    }
    Some(count)
}

/// Threads that are told apart by nothing but what they own, from a stream of numbers.
fn family(mut next: impl FnMut(usize) -> usize) -> String {
    let by = [
        "m",
        "m.owner == self",
        "at(self, A)",
        "b == 1 && at(self, A)",
        "l[1]",
    ][next(5)];
    let by = match by {
        "m" | "l[1]" => format!("by {by}"),
        other => format!("by ({other})"),
    };
    let mut text = format!(
        "const N = 3; mutex m; mutex l[2]; var b: 0..2 = 0; var p: 0..3 = {}; semaphore s: 0..1 = 1;\n\
         var x: 0..3 = 0 protected {by};\n",
        next(2)
    );
    let families = ["w(i in 0..N-1)", "v(i in 0..N-2)", "u"];
    for of in &families[..1 + next(3)] {
        let mut body = String::new();
        for _ in 0..1 + next(3) {
            let work = ["A: x = 1;", "A: t = x;", "A: x = (x + 1) % 4; x = 0;"][next(3)];
            // A label stands once.
            let work = if body.contains("A:") {
                &work[3..]
            } else {
                work
            };
            body += &match next(14) {
                0 | 1 => format!("lock(m); {work} unlock(m);"),
                2 => format!("when (b == 0) b = 1;\n{work}\nb = 0;"),
                3 => format!("down(s); {work} up(s);"),
                4 => format!(
                    "atomic {{ t = p; if (p < 3) {{ p = p + 1; }} }}\nif (t == 0) {{ {work} }}"
                ),
                5 => format!(
                    "atomic {{ t = p; if (p < 3) {{ p = p + 1; }} }}\nif (t != 1) {{ {work} }}"
                ),
                6 => format!(
                    "havoc t;\nif (t < 2) {{ lock(l[t]); if (t == 1) {{ {work} }} unlock(l[t]); }}"
                ),
                7 => format!("lock(l[1]);\nlock(m);\n{work}\nunlock(l[1]); unlock(m);"),
                8 => "when (b == 1) b = 2;".to_string(),
                9 => "b = (b + 1) % 3;".to_string(),
                10 => "lock(m);".to_string(),
                11 => "unlock(m);".to_string(),
                12 => "t = b;\nassert(t < 2);".to_string(),
                _ => format!("when (b != 1 && t == 0) skip;\n{work}"),
            };
            body += "\n";
        }
        if !body.contains("A:") {
            body += "A: skip;\n";
        }
        if next(2) == 0 {
            body = format!("while (true) {{ {body} }}");
        }
        text += &format!("thread {of} {{ var t: 0..3 = {};\n{body} }}\n", next(2));
    }
    text
}

#[test]
fn views_of_reached_states() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let all = prop::collection::vec(0usize..1000, 40);
    let (mut of, mut states) = (0, 0);
    for _ in 0..150 {
        let numbers = all.new_tree(&mut runner).expect("numbers").current();
        let mut stream = numbers.into_iter().cycle();
        let source = family(|n| stream.next().unwrap_or(0) % n);
        if let Some(count) = seen(&source) {
            (of, states) = (of + 1, states + count);
        }
    }
    assert!(of > 20, "only of {of} families views are known");
    assert!(states > 10_000, "only {states} states");
}
