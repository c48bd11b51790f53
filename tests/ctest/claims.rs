//! Blocks that a C program claims to be atomic: programs, and random executions against a twin that looks for an order
//! of their steps, among all that respect happens-before, in which nobody interrupts a run of the block.

use super::formats::{coarsen, validated};
use super::{HEAD, Scratch, possible};
use coarsen::ctest::claims::Claims;
use coarsen::ctest::history::{History, Step};
use coarsen::ctest::shared::{Access, Bound, Claim, Event, Kind, MODE_READ, MODE_WRITE};
use proptest::prelude::*;

/// A step: its thread, its cell, and whether it writes.
type Random = (u16, u64, bool);
const THREADS: usize = 3;

/// Of each thread, from which of its steps to which its block goes, by how many eighths; and to which claim it belongs.
type Blocks = Vec<(usize, usize, u32)>;

fn told(&(thread, cell, writes): &Random) -> Step {
    let access = Access {
        key: 0x1000 + 8 * cell,
        size: 8,
        mode: if writes { MODE_WRITE } else { MODE_READ },
        ..Access::default()
    };
    let kind = if writes { Kind::Write } else { Kind::Read };
    let event = Event {
        thread,
        kind: kind as u8,
        addr: access.key,
        ..Event::default()
    };
    Step::new(&event, &[access])
}

/// The block of a thread, as the numbers of its steps.
fn block(steps: &[Random], blocks: &Blocks, thread: usize) -> Vec<usize> {
    let own: Vec<usize> = (0..steps.len())
        .filter(|&i| usize::from(steps[i].0) == thread)
        .collect();
    let (a, b, _) = blocks[thread];
    let at = |eighths: usize| own.len() * eighths / 8;
    own[at(a.min(b))..at(a.max(b))].to_vec()
}

/// Whether there is an order in which no run of the claim's block is interrupted.
fn by_orders(steps: &[Random], blocks: &Blocks, claim: u32) -> bool {
    let runs: Vec<Vec<usize>> = (0..THREADS)
        .filter(|&t| blocks[t].2 == claim)
        .map(|t| block(steps, blocks, t))
        .collect();
    let comes_before = |a: usize, b: usize| {
        let (x, y) = (&steps[a], &steps[b]);
        a < b && (x.0 == y.0 || x.1 == y.1 && (x.2 || y.2))
    };
    fn go(
        done: &mut Vec<usize>,
        n: usize,
        runs: &[Vec<usize>],
        comes_before: &dyn Fn(usize, usize) -> bool,
    ) -> bool {
        if done.len() == n {
            return true;
        }
        let open = runs.iter().find(|run| {
            let met = run.iter().filter(|i| done.contains(i)).count();
            met > 0 && met < run.len()
        });
        for next in 0..n {
            let ready = !done.contains(&next)
                && (0..n).all(|m| !comes_before(m, next) || done.contains(&m));
            if ready && open.is_none_or(|run| run.contains(&next)) {
                done.push(next);
                if go(done, n, runs, comes_before) {
                    return true;
                }
                done.pop();
            }
        }
        false
    }
    go(&mut Vec::new(), steps.len(), &runs, &comes_before)
}

/// What the exploration says of both claims.
fn by_graph(steps: &[Random], blocks: &Blocks) -> Vec<(String, bool)> {
    let mut history = History::default();
    for step in steps.iter().map(told) {
        let look = history.look(step.thread, &step.accesses, 0);
        history.push(step, look);
    }
    let mut bounds = Vec::new();
    for (thread, &(_, _, claim)) in blocks.iter().enumerate() {
        let run = block(steps, blocks, thread);
        if let (Some(&first), Some(&last)) = (run.first(), run.last()) {
            for (at, claim) in [(first, claim), (last + 1, 0)] {
                bounds.push(Bound {
                    claim,
                    at: at as u32,
                    thread: thread as u16,
                    ..Bound::default()
                });
            }
        }
    }
    let claim = |name: &[u8]| {
        let mut text = [0; 60];
        text[..name.len()].copy_from_slice(name);
        Claim {
            length: name.len() as u32,
            text,
        }
    };
    let mut claims = Claims::default();
    claims.execution(&history, &[claim(b"1"), claim(b"2")], &bounds);
    let all = claims
        .all()
        .map(|(name, c)| (name.to_string(), c.cycle.is_none()));
    all.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn a_block_is_serialisable_iff_an_order_has_it_in_one_piece(
        steps in proptest::collection::vec((0..THREADS as u16, 0..3u64, any::<bool>()), 1..9),
        blocks in proptest::collection::vec((0..9usize, 0..9usize, 1..3u32), THREADS),
    ) {
        for (name, atomic) in by_graph(&steps, &blocks) {
            let claim = name.parse().expect("a number");
            prop_assert_eq!(atomic, by_orders(&steps, &blocks, claim), "claim {}", name);
        }
    }
}

/// What each of two threads does in its block, and what is said of the claim.
const PROGRAMS: &[(&str, &str, &str, &str)] = &[
    (
        "locked",
        "lock(m); x++; y--; unlock(m);",
        "lock(m); y = x; unlock(m);",
        "atomic",
    ),
    (
        "updates",
        "atomic_fetch_add(&a, 1);",
        "atomic_fetch_add(&a, 2);",
        "atomic",
    ),
    (
        "twice",
        "lock(m); x++; unlock(m); lock(m); y++; unlock(m);",
        "lock(m); x = y; unlock(m);",
        "cycle",
    ),
    ("racy", "x++;", "x++;", "cycle"),
    ("skewed", "int v = x; y = v;", "int v = y; x = v;", "cycle"),
    ("apart", "x++;", "y++;", "atomic"),
    (
        "retried",
        "int v = a; while (!atomic_compare_exchange_strong(&a, &v, v + 1));",
        "atomic_fetch_add(&a, 1);",
        "cycle",
    ),
    (
        "left early",
        "for (;;) { lock(m); x++; unlock(m); break; } if (x < 0) return 0;",
        "y++;",
        "atomic",
    ),
];

#[test]
fn claims_of_programs_are_decided() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("claims");
    for (name, first, second, said) in PROGRAMS {
        let text = format!(
            "{HEAD}#include <coarsen.h>\nint x, y; atomic_int a; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             void *t(void *_) {{ coarsen_transaction(\"it\") {{ {first} }} return 0; }}\n\
             int main() {{ pthread_t h; go(h, t); coarsen_transaction(\"it\") {{ {second} }} end(h);\n\
             if (x == 99) coarsen_transaction(\"dead\") {{ x = 0; }} return 0; }}\n"
        );
        let file = name.replace(' ', "_");
        scratch.file(&file, &text);
        let file = format!("{file}.c");
        let (code, out, _) = coarsen(&["test", "--format", "json", &file], &scratch.0);
        let value = validated(&out);
        let claims = value["claims"].as_array().expect("claims");
        let told: Vec<_> = claims
            .iter()
            .map(|c| {
                (
                    c["name"].as_str(),
                    c["verdict"].as_str(),
                    c["reason"].as_str(),
                )
            })
            .collect();
        let it = match *said {
            "atomic" => (Some("it"), Some("atomic"), None),
            why => (Some("it"), Some("unknown"), Some(why)),
        };
        assert_eq!(
            told,
            [(Some("dead"), Some("unknown"), Some("never left")), it],
            "{name}"
        );
        assert_eq!(
            (code, value["verdict"].as_str()),
            (20, Some("unknown")),
            "{name}"
        );
        let (_, text, _) = coarsen(&["test", &file], &scratch.0);
        let line = match *said {
            "atomic" => {
                "    it    atomic: each execution is equivalent to one in which nobody interrupts it"
            }
            _ => {
                "    it    unknown: in some execution its steps can't stand side by side\n            "
            }
        };
        assert!(text.contains(line), "{text}");
    }
    let (code, out, _) = coarsen(&["test", "--limit-executions", "1", "racy.c"], &scratch.0);
    assert!(
        code == 20 && out.contains("it    unknown: not all executions were seen"),
        "{out}"
    );
}
