//! Each sum, and what is known of threads where they are, in each state that is reached, for the first values of the
//! constant.

use super::{Mark, Part, Sum, Sums, Variables, wrong_at};
use crate::base::control::{Control, ParseLimits};
use crate::engine::{State, holds, initial_candidates, is_initial, successors};
use crate::model::program::{Closing, Expr, Eyes, Program, ThreadId, elaborate};
use crate::model::text::ast::BinaryOp;
use crate::model::text::parse_model;
use crate::theorem::every::Template;
use crate::theorem::every::access::Known;
use crate::theorem::every::instance::Instance;
use crate::theorem::every::kinds::Kind;
use crate::theorem::every::linear::Linear;
use crate::theorem::every::oracle::Oracle;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use rustc_hash::FxHashSet;

/// A program at one value.
struct At<'p> {
    closing: Closing<'p>,
    /// By thread, its kind's number, and the thread whose text it has.
    kinds: Vec<(usize, ThreadId)>,
}

impl At<'_> {
    fn program(&self) -> &Program {
        self.closing.program
    }

    fn eyes(&self, thread: ThreadId) -> Eyes<'static> {
        Eyes {
            thread,
            like: self.kinds[thread].1,
            binders: &[],
        }
    }

    fn mark(&self, mark: &Mark, thread: ThreadId, k: i64, state: &State) -> bool {
        match mark {
            Mark::True(e) => self.is_true(e, thread, state),
            Mark::Is(e) => self.is(e, k, thread, state),
        }
    }

    fn is(&self, e: &Expr, value: i64, thread: ThreadId, state: &State) -> bool {
        let (e, value) = (Box::new(e.clone()), Box::new(Expr::Const(value)));
        self.is_true(&Expr::Binary(BinaryOp::Eq, e, value), thread, state)
    }

    fn is_true(&self, e: &Expr, thread: ThreadId, state: &State) -> bool {
        let closed = self.closing.expr(e, self.eyes(thread));
        holds(self.program(), &closed.expect("of the program"), state)
    }

    /// What is known of each thread where it is holds; how much that is.
    fn know(&self, known: &Known, state: &State) -> usize {
        let mut count = 0;
        for thread in 0..self.program().threads.len() {
            for (e, wanted) in known.told((self.kinds[thread].0, state.location(thread))) {
                let holds = match wanted {
                    None => self.is(e, thread as i64, thread, state),
                    Some(wanted) => self.is_true(e, thread, state) == wanted,
                };
                assert!(holds, "{e:?} of thread {thread} in {state:?}");
                count += 1;
            }
        }
        count
    }

    /// The weight of a thread's place; the least one where it is not known where it went wrong.
    fn weight(&self, sums: &Sums, sum: &Sum, thread: ThreadId, k: i64, state: &State) -> i128 {
        let (kind, like) = self.kinds[thread];
        let held = sums.marks[kind].iter();
        let held: Vec<bool> = held.map(|m| self.mark(m, thread, k, state)).collect();
        let text = &self.closing.open.program.threads[like];
        let l = state.location(thread);
        let places = match text.wrong == Some(l) {
            true => (0..text.locations.len())
                .map(|l| wrong_at(text, l))
                .collect(),
            false => vec![l],
        };
        let weights = places
            .iter()
            .filter_map(|l| sum.weights.get(&((kind, *l), held.clone())));
        *weights
            .min()
            .unwrap_or_else(|| panic!("thread {thread} is nowhere in {state:?}"))
    }

    /// What is left of the bound; none if the sum says nothing of the index.
    fn left(&self, sums: &Sums, (sum, bound): (&Sum, i128), k: i64, state: &State) -> Option<i128> {
        let mut left = bound;
        for (part, factor) in &sum.factors {
            let array = self
                .closing
                .array(part.array(), None)
                .expect("of the program");
            let array = &self.program().arrays[array];
            let at = if array.dims.is_empty() {
                0
            } else {
                usize::try_from(k).ok()?
            };
            let value = (at < array.len).then(|| state.cell(array.first + at))?;
            left -= factor
                * match part {
                    Part::Value(_) => i128::from(value),
                    Part::AtMost(_) => i128::from(value <= k),
                };
        }
        for thread in 0..self.program().threads.len() {
            left -= self.weight(sums, sum, thread, k, state);
        }
        Some(left)
    }
}

/// How many sums there are, each of them below its bound in each reached state; and how often something is known of a
/// thread in one, which holds.
fn below(source: &str) -> (usize, usize) {
    let (tree, _) = parse_model(source, ParseLimits::default());
    let model = Template {
        tree: &tree,
        source,
        defines: &[],
        constant: "N",
    };
    let control = Control::default();
    let instance = Instance::first(&model, &control).expect("an instance");
    let oracle = Oracle::new(&instance, &instance.program, Vec::new(), &control).expect("said");
    let Ok(sums) = Sums::new(&oracle, Variables::All) else {
        return (0, 0);
    };
    let again = Sums::new(&oracle, Variables::All).expect("as before");
    let knowns = [Known::together(&oracle, again), Known::alone(&oracle, true)];
    let knowns: Vec<Known> = knowns.into_iter().flatten().collect();
    let mut count = 0;
    for value in instance.value..instance.value + 2 {
        let defines = [("N".to_string(), value.to_string())];
        let (program, _) = elaborate(&tree, source, &defines).expect("a program");
        let closing = Closing {
            open: &instance.parametric,
            instance: &instance.program,
            program: &program,
            value,
        };
        let of = |thread: ThreadId| {
            let has = |kind: &Kind| kind.has(&closing, thread) == Some(true);
            let k = instance.kinds.iter().position(has).expect("a kind");
            (k, instance.kinds[k].like())
        };
        let at = At {
            closing,
            kinds: (0..program.threads.len()).map(of).collect(),
        };
        let machine = &oracle.steps(&[]).machine;
        let bound = |sum: &Sum| {
            let bound: Linear = sum.bound(&oracle, machine).expect("a bound");
            let of_constant = bound.terms.first().map_or(0, |t| t.1);
            bound.constant + of_constant * i128::from(value)
        };
        let bounds: Vec<(&Sum, i128)> = sums.all.iter().map(|sum| (sum, bound(sum))).collect();
        let mut open: Vec<State> = initial_candidates(&program)
            .filter(|s| is_initial(&program, s))
            .collect();
        let mut known: FxHashSet<State> = open.iter().cloned().collect();
        while let Some(state) = open.pop() {
            count += knowns
                .iter()
                .map(|known| at.know(known, &state))
                .sum::<usize>();
            for (sum, bound) in &bounds {
                for k in -1..=value + 1 {
                    let left = at.left(&sums, (sum, *bound), k, &state);
                    assert!(
                        left.is_none_or(|n| n >= 0),
                        "{sum:?}\nk = {k}, N = {value}: {state:?} of {source}"
                    );
                }
            }
            if known.len() > 4_000 {
                break;
            }
            for thread in 0..program.threads.len() {
                for next in successors(&program, &state, thread) {
                    if known.insert(next.state.clone()) {
                        open.push(next.state);
                    }
                }
            }
        }
    }
    (sums.all.len(), count)
}

/// Threads that count, from a stream of numbers.
fn family(mut next: impl FnMut(usize) -> usize) -> String {
    let mut text = String::from(
        "const N = 3; mutex m; var y: 0..N = 0; var z: 0..N = N; var b: 0..1 = 0; var c[N]: 0..2 = 1;\n\
         var p: 0..3 = 0;\n",
    );
    let families = ["w(i in 0..N-1)", "v(i in 0..N-2)", "u"];
    for of in &families[..1 + next(3)] {
        let i = if *of == "u" { "0" } else { "i" };
        let mut body = String::new();
        for _ in 0..1 + next(4) {
            body += &match next(16) {
                0 => "when (b == 0) b = 1;".to_string(),
                1 => "b = 0;".to_string(),
                2 => "y = y + 1;".to_string(),
                3 => "when (y == N) skip;".to_string(),
                4 => "z = z - 1;".to_string(),
                5 => format!("when (c[{i}] > 0) c[{i}] = c[{i}] - 1;"),
                6 => format!("c[{i}] = c[{i}] + 1;"),
                7 => "when (c[t % N] > 0) c[t % N] = c[t % N] - 1;".to_string(),
                8 => "havoc t;".to_string(),
                9 => "atomic { t = p; p = p + 1; }".to_string(),
                10 => "if (t == 1) { b = 1 - b; } else { t = 1; }".to_string(),
                11 => format!("atomic {{ c[{i}] = 2; y = 0; }}"),
                12 => format!("atomic {{ y = y + 1; assert(c[{i}] > 0); }}"),
                13 => "lock(m);\nif (b == 1) { assert(t < 2); }\nunlock(m);".to_string(),
                14 => "when (b == 1) skip;\nassert(t != 1);".to_string(),
                _ => "when (p == t) p = p - 1;".to_string(),
            };
            body += "\n";
        }
        let body = if next(2) == 0 {
            format!("while (true) {{ {body} }}")
        } else {
            body
        };
        text += &format!("thread {of} {{ var t: 0..3 = {};\n{body} }}\n", next(2));
    }
    text
}

/// Threads draw tickets, and wait for their turn.
const TICKETS: &str = "const N = 3; var next: 0..N = 0; var now: 0..N = 0; var turns: 0..3 = 0;
    thread w(i in 0..N-1) { var t: 0..N = 0; atomic { t = next; next = next + 1; }
    when (now == t) turns = 3 - turns; turns = 1; now = now + 1; }";

#[test]
fn sums_of_reached_states() {
    assert!(below(TICKETS).0 > 3);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut found, mut known) = (0, 0);
    let all = prop::collection::vec(0usize..1000, 40);
    for _ in 0..60 {
        let numbers = all.new_tree(&mut runner).expect("numbers").current();
        let mut stream = numbers.into_iter().cycle();
        let source = family(|n| stream.next().unwrap_or(0) % n);
        let (sums, often) = below(&source);
        (found, known) = (found + sums, known + often);
    }
    assert!(found > 100, "only {found} sums");
    assert!(known > 1_000, "only {known} times something is known");
}
