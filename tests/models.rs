//! The shipped models keep what their comments and `expect` lines promise, and their counts are counted a second time.

use crate::{random, shipped};

use std::collections::BTreeSet;
use std::process::Command;

use coarsen::engine::{State, initial_candidates, successors};
use coarsen::results::{Report, Rung, Start, Status, Verdict};
use shipped::coarse::{closure, occurs, reduced};
use shipped::{check, model, models};

fn exit_code(verdict: Verdict) -> i32 {
    match verdict {
        Verdict::Holds => 0,
        Verdict::Refuted => 10,
        Verdict::HypothesisRefuted => 11,
        Verdict::Unknown => 20,
    }
}

fn original(report: &Report) -> usize {
    let count = report.states.original.as_ref().expect("cross-checked");
    count.parse().expect("a count")
}

fn scheduling_points(report: &Report) -> usize {
    let count = report.states.reduced.as_ref().expect("explored");
    count.parse().expect("a count")
}

#[test]
fn every_model_meets_what_it_expects() {
    for m in models() {
        assert!(
            m.source.starts_with("// "),
            "{}: opens with a comment",
            m.name
        );
        let report = m.report(false);
        let unmet: Vec<_> = report
            .expectations
            .iter()
            .filter(|e| e.met != Some(true))
            .collect();
        assert!(unmet.is_empty(), "{}: {unmet:?}", m.name);
        for start in ["expect verdict", "expect original", "expect reduced"] {
            assert!(
                report
                    .expectations
                    .iter()
                    .any(|e| e.text.starts_with(start)),
                "{}: no `{start}` line",
                m.name
            );
        }
    }
}

#[test]
fn every_verdict_has_its_exit_code() {
    let mut seen = BTreeSet::new();
    for m in models() {
        let report = m.report(false);
        let status = Command::new(env!("CARGO_BIN_EXE_coarsen"))
            .args(["check", "-q", &m.name])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("started")
            .status;
        assert_eq!(status.code(), Some(exit_code(report.verdict)), "{}", m.name);
        seen.insert(status.code());
    }
    assert_eq!(
        seen,
        BTreeSet::from([Some(0), Some(10), Some(11), Some(20)])
    );
}

#[test]
fn the_reduced_system_is_the_one_of_the_definitions() {
    for m in models() {
        for strict in [false, true] {
            let session = m.load(&[]);
            let report = m.report(strict);
            if report
                .hypotheses
                .iter()
                .any(|h| h.id == "11" && h.status != Status::Holds)
            {
                // Invisible steps without end: the counts are those of the steps that end.
                assert!(strict, "{}: repaired by default", m.name);
            }
            let expected = reduced(session.program(), &report);
            let found = |count: &Option<String>| count.clone().expect("explored");
            assert_eq!(
                (found(&report.states.reduced), found(&report.states.visited)),
                (expected.states.to_string(), expected.visited.to_string()),
                "{} (strict: {strict})",
                m.name
            );
            assert!(
                scheduling_points(&report) <= original(&report),
                "{}",
                m.name
            );
        }
    }
}

/// Which rung of the invariant a model needs; all others of those that hold, and those with a violation, need none.
const RUNGS: &[(&str, &str)] = &[
    ("classic/barrier", "reachable"),
    ("features/grid", "thread_modular"),
    ("hypotheses/taken_away", "none"),
    ("hypotheses/token_ring", "thread_modular"),
    ("invariants/claimed_under_lock", "lock_ownership"),
    ("invariants/flag_lock", "lemmas"),
    ("invariants/peterson_claim", "reachable"),
    ("invariants/pipeline", "thread_modular"),
    ("monitors/double_checked", "lock_ownership"),
    ("section6/master_workers", "thread_modular"),
    ("section6/memory_reuse_annotated", "lock_ownership"),
    ("threads/thread_pool", "lock_ownership"),
    ("threads/thread_pool_bug", "lock_ownership"),
];

#[test]
fn every_model_needs_the_rung_of_the_invariant_that_it_is_made_for() {
    for m in models() {
        let session = m.load(&[]);
        let report = m.report(false);
        let short = m
            .name
            .trim_start_matches("models/")
            .trim_end_matches(".cor");
        let named = RUNGS.iter().find(|(name, _)| *name == short);
        let rung = report.invariant.map_or("none", Rung::id);
        assert_eq!(rung, named.map_or("true", |n| n.1), "{short}");
        for h in &report.hypotheses {
            assert_eq!(
                h.excluded.is_empty(),
                matches!(h.invariant, Some(Rung::True) | None)
            );
            // What is said to be unreachable is, and each witness lies on the rung it is told of.
            for witness in &h.excluded {
                let excluded = matches!(witness.start, Start::Unreachable(_));
                assert!(excluded && witness.mend.is_none(), "{short}: {witness:?}");
                assert!(!occurs(session.program(), &witness.states[0]), "{short}");
            }
            for witness in h.witness.iter() {
                assert!(occurs(session.program(), &witness.states[0]), "{short}");
                let trace = witness.start.trace().expect("a trace");
                assert_eq!(trace.states.len(), trace.steps.len() + 1);
            }
        }
    }
}

/// What the report says excludes the witnesses against (15).
#[test]
fn a_witness_says_what_excludes_it() {
    let cases: &[(&str, &[&str])] = &[
        (
            "invariants/claimed_under_lock",
            &["lock ownership: worker(0) at Use owns m"],
        ),
        (
            "invariants/pipeline",
            &["thread-modular: there is never checker at Pass with stage = empty"],
        ),
        ("invariants/flag_lock", &["lemma one_inside excludes it"]),
        (
            "invariants/peterson_claim",
            &[
                "thread-modular: there is never process(0) at Use with flag[0] = false",
                "reachable states: there is never process(0) at Use with process(1) at Claim",
            ],
        ),
    ];
    for (name, expected) in cases {
        let report = model(name).report(false);
        let h = report
            .hypotheses
            .iter()
            .find(|h| h.id == "15")
            .expect("(15)");
        let found: Vec<String> = h.excluded.iter().map(|w| w.start.to_string()).collect();
        assert_eq!(&found, expected, "{name}");
    }
}

/// Whether a model is one of a bug, next to one of the program without it.
fn sound_twin(name: &str) -> Option<String> {
    Some(format!("{}.cor", name.strip_suffix("_bug.cor")?))
}

#[test]
fn every_bug_is_found_and_the_program_without_it_is_not_blamed() {
    let all = models();
    let mut bugs = 0;
    for m in &all {
        let Some(sound) = sound_twin(&m.name) else {
            continue;
        };
        bugs += 1;
        let report = m.report(false);
        assert_eq!(report.verdict, Verdict::Refuted, "{}", m.name);
        let refuted = report
            .properties
            .iter()
            .filter(|p| p.verdict == Status::Refuted);
        for p in refuted {
            assert!(p.trace.is_some(), "{}: a trace of {}", m.name, p.name);
        }
        let sound = all.iter().find(|m| m.name == sound).expect("both are");
        let report = sound.report(false);
        assert_eq!(report.verdict, Verdict::Holds, "{}", sound.name);
    }
    assert_eq!(bugs, if random::long() { 36 } else { 31 });
}

/// A bound on the work, since a bound on the time says little on a busy machine.
#[test]
fn no_model_costs_much() {
    for m in models() {
        let report = m.report(false);
        let nodes = report.statistics.peak_nodes.as_ref().expect("explored");
        let nodes: usize = nodes.parse().expect("a count");
        // The predicate of the paper compares all files' references with all blocks.
        let limit = match m.name.ends_with("memory_reuse_annotated.cor") {
            true => 1_000_000,
            false => 100_000,
        };
        assert!(nodes <= limit, "{}: {nodes} nodes", m.name);
        assert!(scheduling_points(&report) <= 5_000, "{}", m.name);
        assert!(original(&report) <= 25_000, "{}", m.name);
    }
}

#[test]
fn inferred_disciplines_can_be_pasted_back() {
    let theory = coarsen::theory("stoller-cohen").expect("the default theorem");
    let options = coarsen::CheckOptions {
        annotate: true,
        ..coarsen::CheckOptions::default()
    };
    let run = |name: &str, source: &str| {
        let limits = coarsen::base::control::ParseLimits::default();
        let (session, _) = coarsen::Session::load(name, source, &[], limits)
            .unwrap_or_else(|errors| panic!("{name}: {errors:?} in\n{source}"));
        session.check(
            &theory,
            &options,
            &coarsen::base::control::Control::default(),
        )
    };
    for m in models() {
        // Where everything is declared there is nothing to paste.
        if m.report(false).discipline.is_empty() {
            continue;
        }
        let report = run(&m.name, &m.source);
        let annotated = report.annotated.clone().expect("asked for");
        let again = run(&m.name, &annotated);
        let answers = |r: &Report| -> Vec<_> {
            let all = r.properties.iter();
            all.map(|p| (p.name.clone(), p.verdict)).collect()
        };
        assert_eq!(report.verdict, again.verdict, "{}:\n{annotated}", m.name);
        assert_eq!(answers(&report), answers(&again), "{}", m.name);
        // A declared predicate that holds at `wrong` makes each step visible that can go wrong; an inferred one does
        // not.
        if annotated.contains("at(self, wrong)") {
            assert!(
                scheduling_points(&report) <= scheduling_points(&again),
                "{}",
                m.name
            );
        } else {
            assert_eq!(report.states.reduced, again.states.reduced, "{}", m.name);
        }
    }
}

/// What `--strict` refuses: the model, and the hypothesis or condition that fails.
const STRICT: &[(&str, &str)] = &[
    ("hypotheses/invisible_loop", "11"),
    ("hypotheses/taken_away", "15"),
    ("hypotheses/hidden_invariant", "hides(never_both)"),
    ("hypotheses/first_step", "WFinitVis"),
];

#[test]
fn strict_refuses_what_is_repaired_by_default() {
    for (name, id) in STRICT {
        let m = model(name);
        let session = m.load(&[]);
        let report = m.report(true);
        assert_eq!(report.verdict, Verdict::HypothesisRefuted, "{name}");
        let conditions = report.well_formedness.iter().chain(&report.hypotheses);
        let refuted: Vec<_> = conditions.filter(|h| h.status == Status::Refuted).collect();
        let ids: Vec<&str> = refuted.iter().map(|h| h.id.as_str()).collect();
        assert_eq!(ids, [*id], "{name}");
        assert!(
            report.visible.iter().all(|step| step.repair().is_none()),
            "{name}: nothing is repaired"
        );
        for witness in refuted.iter().filter_map(|h| h.witness.as_ref()) {
            assert_eq!(witness.start.is_reachable(), Some(true), "{name}");
            assert!(
                occurs(session.program(), &witness.states[0]),
                "{name}: s1 is not reachable: {:?}",
                witness.states[0]
            );
        }
        let status = Command::new(env!("CARGO_BIN_EXE_coarsen"))
            .args(["check", "-q", "--strict", &m.name])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("started")
            .status;
        assert_eq!(status.code(), Some(11), "{name}");
        let repaired = m.report(false);
        let only_default = repaired.visible.iter().any(|step| step.repair().is_some());
        assert_eq!(only_default, *id != "15", "{name}");
    }
}

#[test]
fn each_rung_of_the_invariant_is_needed_by_some_model() {
    let rungs: BTreeSet<&str> = models()
        .iter()
        .map(|m| m.report(false).invariant.map_or("none", Rung::id))
        .collect();
    let expected = [
        "none",
        "true",
        "lock_ownership",
        "thread_modular",
        "lemmas",
        "reachable",
    ];
    assert_eq!(rungs, BTreeSet::from(expected));
}

#[test]
fn philosophers_have_as_many_states_as_the_formula_says() {
    for n in 2..=8 {
        let report = check(&model("classic/philosophers").load(&[("N", n)]), false);
        let expected = 3usize.pow(n as u32) - 1;
        assert_eq!(original(&report), expected, "N = {n}");
        assert_eq!(scheduling_points(&report), expected, "N = {n}");
        assert_eq!(report.verdict, Verdict::Refuted, "N = {n}");
        assert!(report.expectations.is_empty(), "-D switches them off");
    }
}

#[test]
fn extra_accesses_cost_the_reduced_system_nothing() {
    for k in 0..=20 {
        let report = check(
            &model("stoller_cohen/two_locks_barrier_k").load(&[("K", k)]),
            false,
        );
        assert_eq!(scheduling_points(&report), 62, "K = {k}");
        assert_eq!(original(&report), 106 + 6 * k as usize, "K = {k}");
        assert_eq!(report.verdict, Verdict::Holds, "K = {k}");
    }
}

#[test]
fn the_token_goes_round_in_any_ring() {
    for n in 2..=7 {
        let report = check(&model("hypotheses/token_ring").load(&[("N", n)]), false);
        // x has period 2 from turn to turn, the token period n.
        let turns = if n % 2 == 0 { n } else { 2 * n } as usize;
        assert_eq!(original(&report), 4 * turns, "N = {n}");
        assert_eq!(scheduling_points(&report), 2 * turns, "N = {n}");
        assert_eq!(report.verdict, Verdict::Holds, "N = {n}");
        let rung = match n {
            2 => Rung::True,
            _ => Rung::ThreadModular,
        };
        assert_eq!(report.invariant, Some(rung), "N = {n}");
    }
}

#[test]
fn locked_rings_have_as_many_states_as_the_formula_says() {
    // L(n) of the model's comment, for w locations with both locks.
    let words = |n: i64, w: i64| {
        let (mut last, mut this) = (3, 9 + 2 * w);
        for _ in 2..n {
            (last, this) = (this, 3 * this + w * last);
        }
        this
    };
    for n in 2..=6 {
        let session = model("classic/locked_ring").load(&[("N", n)]);
        let report = check(&session, false);
        let expected = words(n, 4) - 1;
        assert_eq!(expected, 4_i64.pow(n as u32) + (-1_i64).pow(n as u32) - 1);
        assert_eq!(original(&report) as i64, expected, "N = {n}");
        assert_eq!(original(&report), locked_ring(n as usize), "N = {n}");
        let expected = reduced(session.program(), &report);
        assert_eq!(scheduling_points(&report), expected.states, "N = {n}");
        assert_eq!(expected.states as i64, words(n, 1) - 1, "N = {n}");
        let deadlock = report
            .properties
            .iter()
            .find(|p| p.name == "deadlock_free")
            .expect("asked for");
        assert_eq!(deadlock.verdict, Status::Refuted);
        assert_eq!(deadlock.coarse_length, Some(n.to_string()), "N = {n}");
        assert!(!report.invisible.is_empty(), "found through the reduction");
    }
}

/// The ring written down a second time: locations, owners, cells.
fn locked_ring(n: usize) -> usize {
    type Ring = (Vec<u8>, Vec<Option<usize>>, Vec<bool>);
    let initial: Ring = (vec![0; n], vec![None; n], vec![false; n]);
    let next = |(at, owner, x): &Ring| -> Vec<Ring> {
        let mut all = Vec::new();
        for i in 0..n {
            let r = (i + 1) % n;
            let (mut at2, mut owner2, mut x2) = (at.clone(), owner.clone(), x.clone());
            at2[i] = (at[i] + 1) % 7;
            match at[i] {
                0 if owner[i].is_none() => owner2[i] = Some(i),
                1 if owner[r].is_none() => owner2[r] = Some(i),
                2 => x2[i] = !x[r],
                3 => x2[r] = x[i] && x[r],
                4 => x2[i] = x[r],
                5 => owner2[r] = None,
                6 => owner2[i] = None,
                _ => continue,
            }
            all.push((at2, owner2, x2));
        }
        all
    };
    closure(vec![initial], next).len()
}

#[test]
fn petersons_algorithm_is_counted_a_second_time() {
    // Locations Raise, Yield, Wait, Use, Leave as 0 to 4.
    type Peterson = ([u8; 2], [bool; 2], usize, u8);
    let initial: Peterson = ([0; 2], [false; 2], 0, 0);
    let next = |&(at, flag, turn, data): &Peterson| -> Vec<Peterson> {
        let mut all = Vec::new();
        for i in 0..2 {
            let (mut at2, mut flag2, mut turn2, mut data2) = (at, flag, turn, data);
            at2[i] = (at[i] + 1) % 5;
            match at[i] {
                0 => flag2[i] = true,
                1 => turn2 = 1 - i,
                2 if !flag[1 - i] || turn == i => {}
                3 => data2 = (data + 1) % 3,
                4 => flag2[i] = false,
                _ => continue,
            }
            all.push((at2, flag2, turn2, data2));
        }
        all
    };
    let states = closure(vec![initial], next);
    let report = model("classic/peterson").report(false);
    assert_eq!(original(&report), states.len());
    assert!(states.iter().all(|(at, ..)| at[0] < 3 || at[1] < 3));
}

#[test]
fn the_barrier_is_counted_a_second_time() {
    // Locations Begin, x[i] = true, Wrote, Cross, seen = .., assert, x[r] = false, seen = false, Read as 0 to 8.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Barrier {
        at: Vec<u8>,
        x: Vec<bool>,
        seen: Vec<bool>,
        arrived: usize,
        phase: u8,
    }
    for n in 1..=4usize {
        let initial = Barrier {
            at: vec![0; n],
            x: vec![false; n],
            seen: vec![false; n],
            arrived: 0,
            phase: 0,
        };
        let next = |s: &Barrier| -> Vec<Barrier> {
            let mut all = Vec::new();
            for i in 0..n {
                let r = (i + 1) % n;
                let mut to = s.clone();
                to.at[i] = (s.at[i] + 1) % 9;
                match s.at[i] {
                    0 if s.phase == 0 => {}
                    1 => to.x[i] = true,
                    2 | 8 => {
                        to.arrived = (s.arrived + 1) % n;
                        if to.arrived == 0 {
                            to.phase = u8::from(s.at[i] == 2);
                        }
                    }
                    3 if s.phase == 1 => {}
                    4 => to.seen[i] = s.x[r],
                    5 => assert!(s.seen[i], "each has written before anyone reads"),
                    6 => to.x[r] = false,
                    7 => to.seen[i] = false,
                    _ => continue,
                }
                all.push(to);
            }
            all
        };
        let states = closure(vec![initial], next).len();
        let report = check(&model("classic/barrier").load(&[("N", n as i64)]), false);
        assert_eq!(original(&report), states, "N = {n}");
        assert_eq!(report.verdict, Verdict::Holds, "N = {n}");
    }
}

#[test]
fn the_counter_is_counted_a_second_time() {
    // Location 0 is the choice; incr goes on at 1, decr at 11, read at 21.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Counter {
        at: [u8; 2],
        locals: [(i64, i64); 2],
        owner: [Option<usize>; 2],
        x: i64,
        y: i64,
        count: i64,
    }
    for k in 2..=3i64 {
        let initial = Counter {
            at: [0; 2],
            locals: [(0, 0); 2],
            owner: [None; 2],
            x: 0,
            y: 0,
            count: 0,
        };
        let next = |s: &Counter| -> Vec<Counter> {
            let mut all = Vec::new();
            let mut go = |i: usize, to: u8, change: &dyn Fn(&mut Counter)| {
                let mut next = s.clone();
                next.at[i] = to;
                change(&mut next);
                all.push(next);
            };
            for i in 0..2 {
                let (tx, ty) = s.locals[i];
                let free = [s.owner[0].is_none(), s.owner[1].is_none()];
                match s.at[i] {
                    0 => {
                        if free[0] {
                            go(i, 1, &|n| n.owner[0] = Some(i));
                            go(i, 21, &|n| n.owner[0] = Some(i));
                        }
                        if free[1] {
                            go(i, 11, &|n| n.owner[1] = Some(i));
                        }
                    }
                    1 => go(i, 2, &|n| n.locals[i].0 = s.x),
                    2 => go(i, 3, &|n| n.count = (s.count + 1) % k),
                    3 => go(i, 4, &|n| n.x = (tx + 1) % k),
                    4 => go(i, 0, &|n| n.owner[0] = None),
                    11 => go(i, 12, &|n| n.locals[i].1 = s.y),
                    12 => go(i, 13, &|n| n.count = (s.count + k - 1) % k),
                    13 => go(i, 14, &|n| n.y = (ty + 1) % k),
                    14 => go(i, 0, &|n| n.owner[1] = None),
                    21 => go(i, 22, &|n| n.locals[i].0 = s.x),
                    22 if free[1] => go(i, 23, &|n| n.owner[1] = Some(i)),
                    23 => go(i, 24, &|n| n.locals[i].1 = s.y),
                    24 => {
                        assert_eq!(s.count, (tx - ty).rem_euclid(k), "read sees the truth");
                        go(i, 25, &|_| {});
                    }
                    25 => go(i, 26, &|n| n.owner[1] = None),
                    26 => go(i, 0, &|n| n.owner[0] = None),
                    _ => {}
                }
            }
            all
        };
        let states = closure(vec![initial], next).len();
        let report = check(&model("flanagan_qadeer/counter").load(&[("K", k)]), false);
        assert_eq!(original(&report), states, "K = {k}");
    }
}

#[test]
fn the_assertion_fails_in_one_interleaving_only() {
    let session = model("features/one_interleaving").load(&[]);
    let p = session.program();
    let steps = ["First", "Second", "Third", "Fourth"];
    // Runs under way: the state, and in which order the steps on s were taken.
    let mut open: Vec<(State, Vec<&str>)> = initial_candidates(p).map(|s| (s, vec![])).collect();
    let (mut all, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    while let Some((state, order)) = open.pop() {
        let before = open.len();
        for t in 0..p.threads.len() {
            let name = &p.threads[t].locations[state.location(t)].name;
            let mut order = order.clone();
            order.extend(steps.iter().find(|s| *s == name));
            for step in successors(p, &state, t) {
                if step.failure.is_some() {
                    wrong.insert(order.clone());
                }
                open.push((step.state, order.clone()));
            }
        }
        if open.len() == before {
            all.insert(order);
        }
    }
    assert_eq!(all.len(), 6);
    assert_eq!(wrong, BTreeSet::from([steps.to_vec()]));
}
