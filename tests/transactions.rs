//! `coarsen compare`: sound techniques find an error exactly when the full exploration does, and the unsound one misses
//! some.

use crate::loops::programs;
use crate::{random, shipped, twin};

use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::command::reach::{Engine, ReachOptions};
use coarsen::engine::Heuristic;
use coarsen::engine::compiled::{Compiled, Technique, transactions};
use coarsen::engine::relations::Encoding;
use coarsen::model::program::Expr;
use coarsen::results::{CompareReport, Status, Verdict};
use coarsen::theorem::movers;
use coarsen::{Session, theory};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::cell::Cell;

/// Sound techniques about transactions; the first is explored by two engines.
const SOUND: [&str; 7] = [
    "flanagan-qadeer",
    "left-movers",
    "right-movers",
    "cycle-detection",
    "cpc",
    "cpc-l19",
    "symbolic-cpc",
];

fn compared(session: &Session) -> CompareReport {
    let theory = theory("stoller-cohen").expect("shipped");
    session.compare(&theory, &Control::default(), &mut |_| {})
}

fn load(source: &str) -> Session {
    match Session::load("m.cor", source, &[], ParseLimits::default()) {
        Ok((session, _)) => session,
        Err(diagnostics) => panic!("{diagnostics:?}\n{source}"),
    }
}

fn row<'r>(report: &'r CompareReport, technique: &str) -> &'r coarsen::results::CompareRow {
    let found = report.rows.iter().find(|r| r.technique == technique);
    found.expect("a row of that technique")
}

/// The transactions of a program find what there is to be found, and no state that is not reachable.
fn agree(report: &CompareReport) -> Result<(), TestCaseError> {
    prop_assert!(!report.disagrees(), "{}\n{:#?}", report.reason, report.rows);
    let full = row(report, "none");
    let count = |n: &Option<String>| n.as_ref().and_then(|n| n.parse::<u64>().ok());
    for technique in SOUND {
        let rows = report.rows.iter().filter(|r| r.technique == technique);
        for row in rows {
            prop_assert_eq!(row.verdict, full.verdict, "{}: {}", technique, row.reason);
            prop_assert!(count(&row.states) <= count(&full.states), "{technique}");
        }
    }
    let by_theorem = || report.rows.iter().filter(|r| r.technique == SOUND[0]);
    let counts: Vec<_> = by_theorem().map(|r| (&r.states, &r.visited)).collect();
    let violated = by_theorem().any(|r| r.reason.to_string().contains("discipline is violated"));
    prop_assert!(
        violated || counts.windows(2).all(|w| w[0] == w[1]),
        "{:#?}",
        report.rows
    );
    // It may miss errors; it makes none up.
    if row(report, "unsound").verdict == Verdict::Refuted {
        prop_assert_eq!(full.verdict, Verdict::Refuted);
    }
    Ok(())
}

/// What the language allows; loops in atomic blocks, for instance, are refused.
fn loaded(source: &str) -> Option<Session> {
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    loaded.ok().map(|(session, _)| session)
}

#[test]
fn sound_techniques_agree_on_random_programs() {
    let loads = Cell::new(0);
    let mut runner = random::runner(256);
    runner
        .run(&programs(), |source| {
            let Some(session) = loaded(&source) else {
                return Ok(());
            };
            loads.set(loads.get() + 1);
            agree(&compared(&session))
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        random::enough(loads.get(), 100),
        "{} programs are in the language",
        loads.get()
    );
}

/// Deadlocks are sets of states that an observer looks at: right movers that lead into one are none.
#[test]
fn theorems_about_transactions_find_deadlocks_on_random_programs() {
    let (met, free) = (Cell::new(0), Cell::new(0));
    let mut runner = random::runner(256);
    runner
        .run(&programs(), |source| {
            let Some(session) = loaded(&source) else {
                return Ok(());
            };
            let asked = |theorem: Option<&str>, engine| {
                let options = ReachOptions {
                    engine,
                    reduced: theorem.is_some(),
                    deadlock: true,
                    ..ReachOptions::default()
                };
                let theory = theory(theorem.unwrap_or("stoller-cohen")).expect("shipped");
                session.reach(&theory, &options, &Control::default())
            };
            let full = asked(None, Engine::Explicit);
            if full.violated {
                return Ok(());
            }
            let counted = match full.questions[0].verdict {
                Status::Refuted => &met,
                _ => &free,
            };
            counted.set(counted.get() + 1);
            for (theorem, engine) in [
                (SOUND[0], Engine::Explicit),
                (SOUND[0], Engine::Saturation),
                (SOUND[1], Engine::Bdd),
                (SOUND[2], Engine::Interpreter),
            ] {
                let report = asked(Some(theorem), engine);
                let (mine, other) = (&report.questions[0], &full.questions[0]);
                prop_assert_eq!(mine.verdict, other.verdict, "{}: {}", theorem, mine.reason);
                prop_assert!(!report.is_contradicted(), "{}", report.reason);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        [&met, &free].iter().all(|n| random::enough(n.get(), 10)),
        "{met:?} {free:?}"
    );
}

/// Without line L18 the algorithm is what is called unsound: on these programs that is noticed.
#[test]
fn without_line_18_errors_are_missed() {
    let mut runner = random::runner(1);
    let missed = (0..random::cases(2000)).any(|_| {
        let tree = programs().new_tree(&mut runner).expect("a program");
        loaded(&tree.current()).is_some_and(|session| {
            let (unsound, sound) = (Technique::Unsound, Technique::Cpc);
            let [Some(mine), Some(other)] = [unsound, sound].map(|t| explored(&session, t)) else {
                return false;
            };
            mine != other && {
                let report = compared(&session);
                row(&report, "unsound").verdict != row(&report, "none").verdict
            }
        })
    });
    assert!(random::enough(usize::from(missed), 1));
}

/// Whether a thread goes wrong in what a technique explores.
fn explored(session: &Session, technique: Technique) -> Option<bool> {
    let (program, control) = (session.program(), Control::default());
    let e = Encoding::new(program, &control).ok()?;
    let movers = movers(&e, &[]).ok()?;
    let order = Heuristic::ALL[0].0.order(program);
    let compiled = Compiled::new(program, &order, &control).ok()?;
    let wrong = [(program.gone_wrong(), true)];
    let (found, done) = transactions(program, &compiled, &movers, technique, &wrong, &control);
    done.ok()?;
    Some(found.violated || found.met[0])
}

#[test]
fn sound_techniques_agree_on_the_twins_programs() {
    let mut runner = random::runner(100);
    runner
        .run(&twin::generate::samples(), |sample| {
            agree(&compared(&load(&sample.source)))
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_figures_of_the_paper() {
    let report = |name: &str| compared(&shipped::model(name).load(&[]));
    for (name, missed) in [
        ("levin/figure1", true),
        ("levin/figure2", false),
        ("levin/figure3", true),
        ("levin/figure8", true),
    ] {
        let report = report(name);
        assert!(
            !report.disagrees() && report.verdict == Verdict::Refuted,
            "{name}"
        );
        let unsound = row(&report, "unsound");
        assert!(!unsound.sound);
        assert_eq!(unsound.verdict == Verdict::Holds, missed, "{name}");
        for technique in SOUND {
            assert_eq!(row(&report, technique).verdict, Verdict::Refuted, "{name}");
        }
    }
    let count = |name, technique| {
        let count = row(&report(name), technique).forced.clone();
        count.and_then(|n| n.parse::<u64>().ok())
    };
    // In the loop of figure 2 no interleaving is forced, as the transaction may end.
    assert_eq!(count("levin/figure2", "cpc-l19"), Some(0));
    assert_eq!(count("levin/figure2", "symbolic-cpc"), Some(0));
    // At the commit point of figure 8 T2 is forced once, not in each of the two loops.
    assert_eq!(count("levin/figure8", "cpc-l19"), Some(1));
    assert_eq!(count("levin/figure8", "symbolic-cpc"), Some(1));
    assert_eq!(count("levin/figure8", "cycle-detection"), Some(2));
}

/// Figure 3, with states behind non-movers as the only commit points: the release of the lock is overlooked.
#[test]
fn pure_left_movers_are_commit_points() {
    let session = shipped::model("levin/figure3").load(&[]);
    let (program, control) = (session.program(), Control::default());
    let encoding = Encoding::new(program, &control).expect("small");
    let movers = movers(&encoding, &[]).expect("small");
    let order = Heuristic::ALL[0].0.order(program);
    let compiled = Compiled::new(program, &order, &control).expect("small");
    let wrong = Expr::At(1, program.threads[1].wrong.into_iter().collect());
    let found = |technique| {
        let asked = [(wrong.clone(), true)];
        let (found, done) = transactions(program, &compiled, &movers, technique, &asked, &control);
        assert_eq!(done, Ok(()));
        found.met[0]
    };
    assert!(found(Technique::CpcL19));
    assert!(!found(Technique::CommitsOnly));
}

/// The models on which techniques are compared, and which of them have loops that may end behind the commit.
const COMPARED: [&str; 40] = [
    "levin/figure1",
    "levin/figure2",
    "levin/figure3",
    "levin/figure8",
    "levin/bluetooth",
    "levin/bluetooth_loops",
    "levin/bluetooth_bug",
    "levin/bluetooth_bug_loops",
    "classic/alternating_bit",
    "classic/alternating_bit_loops",
    "classic/bakery",
    "classic/bakery_loops",
    "classic/peterson_n",
    "classic/peterson_n_loops",
    "classic/ticket_lock",
    "classic/ticket_lock_loops",
    "classic/two_phase_commit",
    "classic/two_phase_commit_loops",
    "transactions/auction",
    "transactions/auction_bug",
    "transactions/counter_method",
    "transactions/counter_method_bug",
    "transactions/reference_count",
    "transactions/reference_count_bug",
    "transactions/seqlock",
    "transactions/seqlock_unchecked",
    "transactions/singleton",
    "transactions/singleton_bug",
    "transactions/singleton_checked",
    "transactions/two_phase_locking",
    "transactions/two_phase_locking_bug",
    "transactions/work_stealing",
    "transactions/work_stealing_bug",
    "flanagan_qadeer/counter",
    "lock_free/arc",
    "lock_free/cas_counter_bug",
    "lock_free/executor_task",
    "lock_free/leader_ring",
    "lock_free/ms_queue",
    "lock_free/test_and_set_lock",
];

/// `UPDATE=1` writes the table anew.
#[test]
fn verdicts_and_counts_of_every_technique() {
    let mut table = String::from("model\ttechnique\tengine\tstates\tvisited\tforced\tverdict\n");
    for name in COMPARED {
        let report = compared(&shipped::model(name).load(&[]));
        assert!(!report.disagrees(), "{name}: {}", report.reason);
        let count = |technique: &str| -> u64 {
            let visited = row(&report, technique).visited.as_ref();
            visited.and_then(|n| n.parse().ok()).expect("explored")
        };
        if name.ends_with("_loops") {
            let (cpc, cycles) = (count("cpc"), count("cycle-detection"));
            assert!(2 * cpc <= cycles, "{name}: {cpc} and {cycles}");
        }
        for r in &report.rows {
            let known = |n: &Option<String>| n.clone().unwrap_or_else(|| "-".into());
            table += &format!(
                "{name}\t{}\t{}\t{}\t{}\t{}\t{:?}\n",
                r.technique,
                r.engine,
                known(&r.states),
                known(&r.visited),
                known(&r.forced),
                r.verdict
            );
        }
    }
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/techniques.tsv");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &table).expect("written");
    }
    let golden = std::fs::read_to_string(&path).expect("the table");
    for (mine, other) in table.lines().zip(golden.lines()) {
        assert_eq!(mine, other);
    }
    assert_eq!(table.len(), golden.len());
}

/// An action with several outcomes is no left mover if another thread takes one of them away (found by a review:
/// property (4) speaks of the own state only, as the paper's actions have one outcome).
#[test]
fn an_outcome_that_is_taken_away_is_missed() {
    for (loops, property) in [
        ("either { x = 0; } or { when (y == 0) x = 1; }", ""),
        (
            "either { x = 0; } or { when (y == 0) x = 1; }",
            "reach r: y == 1 && x == 0;",
        ),
        ("atomic { havoc x; when (x == 0 || y == 0) skip; }", ""),
    ] {
        let source = format!(
            "var g: 0..1 = 0 unprotected; var x: 0..1 = 0 unprotected; var y: 0..1 = 0 unprotected;
             thread T {{ g = 1; while (x == 0) {{ {loops} }} }}
             thread U {{ when (g == 1) y = 1; assert(x == 1); }} {property}"
        );
        if let Some(session) = loaded(&source) {
            let report = compared(&session);
            agree(&report).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(report.verdict, Verdict::Refuted, "{source}");
        }
    }
}

/// Where a hypothesis fails, the reduced system has nothing to say about what it does not reach.
#[test]
fn a_reduced_row_without_the_theorem_never_holds() {
    let report = compared(&shipped::model("hypotheses/taken_away").load(&[]));
    assert!(!report.disagrees(), "{}", report.reason);
    let rows = report
        .rows
        .iter()
        .filter(|r| r.technique == "stoller-cohen");
    assert!(rows.into_iter().all(|r| r.verdict != Verdict::Holds));
}

/// Every second of the shipped models. In one test they took minutes, with one core idle.
fn sound_techniques_agree(first: usize) {
    for model in shipped::some().into_iter().skip(first).step_by(2) {
        let report = compared(&model.load(&[]));
        assert!(!report.disagrees(), "{}: {}", model.name, report.reason);
    }
}

#[test]
fn sound_techniques_agree_on_shipped_models_one() {
    sound_techniques_agree(0);
}

#[test]
fn sound_techniques_agree_on_shipped_models_two() {
    sound_techniques_agree(1);
}
