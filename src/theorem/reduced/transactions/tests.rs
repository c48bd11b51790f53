//! What each hypothesis is there for: with phases that are wrong in one way, the reduced system misses an error, and
//! that hypothesis says so.

use super::*;
use crate::base::control::Control;
use crate::base::control::ParseLimits;
use crate::base::results::{Property, Report, Status};
use crate::certificate::{BundleVerdict, verify};
use crate::engine::reach::Blocked;
use crate::model::program::Program;
use crate::theorem::Detail;
use crate::theorem::discharge::facts::Discharge;
use crate::theorem::discharge::hypotheses::{Pairs, evaluate};
use crate::theorem::exchanges::Exchanges;
use crate::theorem::explored::Explored;
use crate::theorem::invariants::Ladder;
use crate::theorem::properties::{GoalKind, goals};
use crate::theorem::read::{Model, Names};
use crate::theorem::reduced::coarse::{Explorer, explore};
use crate::{Session, theory};

const BOTH: Uses = Uses {
    rights: true,
    lefts: true,
    keeps_inside: true,
};

/// Whether a thread goes wrong in the reduced system, and which hypotheses don't hold.
fn evaluated(phased: &Phased) -> (bool, Vec<String>) {
    let control = Control::default();
    let mut e = Encoding::new(&phased.program, &control).unwrap();
    let goals = goals(&e, &[]).unwrap();
    let visibility = scheduling(&e, phased);
    let reduced = explore(
        &Explorer::prepared(&e, &visibility, Blocked::Waits).unwrap(),
        &goals,
    );
    let wrong = goals.iter().zip(&reduced.met);
    let wrong = wrong
        .filter(|(g, _)| g.kind == GoalKind::Assertions)
        .any(|(_, met)| *met);
    e.actions = checked(&e).unwrap();
    let theory = theory("flanagan-qadeer").expect("shipped");
    let model = Model {
        encoding: &e,
        visibility: &visibility,
        phased: Some(phased),
        theory: &theory,
        states: Vec::new(),
        names: Names::Variables,
    };
    let mut ladder = Ladder::new(&e);
    let mut open = Vec::new();
    let exchanges = Exchanges::new(&phased.program);
    for hypothesis in &theory.hypotheses {
        let [entry, once] = [None, Some(&exchanges)].map(|exchanges| {
            let pairs = &mut Pairs::default();
            evaluate(&model, hypothesis, exchanges, &mut ladder, pairs).unwrap()
        });
        assert_eq!(once.status, entry.status, "{}", hypothesis.id);
        if entry.status != Status::Holds {
            open.push(hypothesis.id.clone());
        }
    }
    (wrong, open)
}

/// The same, and the checker rejects a bundle with these phases, or accepts one in which nothing is missed.
fn judged(phased: &Phased) -> (bool, Vec<String>) {
    let (wrong, open) = evaluated(phased);
    if !wrong {
        let verdict = replayed(phased);
        let why = verdict.rejected.as_deref().unwrap_or_default();
        // Phases that break A2 can't be written down in a bundle: no movers lead to them.
        let named = |id: &String| id == "A2" || why.starts_with(&format!("hypothesis ({id})"));
        assert_eq!(why.is_empty(), open.is_empty(), "{verdict:#?}");
        assert!(open.iter().all(named), "{why}");
    }
    (wrong, open)
}

/// What the checker says of a bundle for a program with these phases, all hypotheses left to it.
fn replayed(phased: &Phased) -> BundleVerdict {
    let control = Control::default();
    let e = Encoding::new(&phased.program, &control).unwrap();
    let goals = goals(&e, &[]).unwrap();
    let visibility = scheduling(&e, phased);
    let explorer = Explorer::prepared(&e, &visibility, Blocked::Waits).unwrap();
    let mut with_checks = Encoding::new(&phased.program, &control).unwrap();
    with_checks.actions = checked(&with_checks).unwrap();
    let mut report = Report::undecided("m.cor", "flanagan-qadeer");
    report.properties = goals
        .iter()
        .map(|g| Property::undecided(&g.name, g.reported(&phased.program)))
        .map(|p| Property {
            verdict: Status::Holds,
            ..p
        })
        .collect();
    report.invariant = Some(crate::theorem::Rung::Reachable);
    let program = load(&phased.program.source);
    let plain = Encoding::new(&program, &control).unwrap();
    let explored = Explored {
        plain: &plain,
        encoding: &e,
        explorer: &explorer,
        visibility: &visibility,
        reduced: &explore(&explorer, &goals),
        goals: &goals,
        phased: Some(phased),
    };
    let mut ladder = Ladder::new(&with_checks);
    let part = explored.gather(&report, &mut ladder, &Discharge::default());
    let part = part.unwrap().expect("no thread goes wrong");
    let bundle = crate::base::evidence::Bundle {
        parts: vec![part],
        ..crate::theorem::empty("m.cor", &load(&phased.program.source))
    };
    verify(&crate::certificate::write(&bundle), None, &[], &control)
}

fn load(source: &str) -> Program {
    let (session, _) = Session::load("m.cor", source, &[], ParseLimits::default()).unwrap();
    session.program().clone()
}

/// The movers as they are, but for some locations of the first thread (by line of the text).
fn forged(program: &Program, forged: &[(usize, Mover)]) -> Movers {
    let control = Control::default();
    let e = Encoding::new(program, &control).unwrap();
    let mut movers = by_location(&e, &crate::theorem::judged(&e, &[], Detail::Class).unwrap());
    for (line, mover) in forged {
        let at = |l: &usize| program.line(program.threads[0].locations[*l].span) == *line;
        let l = program.threads[0].steps().find(at).expect("a step there");
        movers[0][l] = *mover;
    }
    movers
}

const RIGHT: Mover = Mover {
    local: false,
    right: true,
    left: false,
};

const LEFT: Mover = Mover {
    local: false,
    right: false,
    left: true,
};

fn no_cuts(program: &Program) -> Cuts {
    vec![BTreeSet::new(); program.threads.len()]
}

/// As it is done, the error is found and all hypotheses hold.
fn found(program: &Program) {
    let control = Control::default();
    let e = Encoding::new(program, &control).unwrap();
    let movers = crate::theorem::judged(&e, &[], Detail::Class).unwrap();
    let right = phased(&e, &movers, BOTH, u64::MAX).unwrap();
    assert_eq!(judged(&right), (true, Vec::new()));
}

#[test]
fn a3_is_there_for_right_movers() {
    let program = load(
        "var x: 0..2 = 0 unprotected;\nthread a {\n x = 1;\n x = 2;\n}\nthread b { assert(x != 1); }",
    );
    found(&program);
    let movers = forged(&program, &[(3, RIGHT)]);
    let wrong = Phased::new(&program, &movers, BOTH, &no_cuts(&program));
    assert_eq!(judged(&wrong), (false, vec!["A3".to_string()]));
}

#[test]
fn a4_is_there_for_left_movers() {
    let program = load(
        "var x: 0..2 = 0 unprotected;\nthread a {\n x = 1;\n x = 2;\n}\nthread b { assert(x != 1); }",
    );
    let movers = forged(&program, &[(4, LEFT)]);
    let wrong = Phased::new(&program, &movers, BOTH, &no_cuts(&program));
    assert_eq!(judged(&wrong), (false, vec!["A4".to_string()]));
}

#[test]
fn a6_is_there_for_transactions_that_do_not_end() {
    let program = load(
        "var x: 0..1 = 0 unprotected;\nthread a {\n x = 1;\n while (true) { skip; }\n}\nthread b { assert(x == 0); }",
    );
    found(&program);
    let movers = forged(&program, &[]);
    let wrong = Phased::new(&program, &movers, BOTH, &no_cuts(&program));
    assert_eq!(judged(&wrong), (false, vec!["A6".to_string()]));
}

#[test]
fn a2_is_there_for_transactions_that_commit_twice() {
    let program = load(
        "var x: 0..2 = 0 unprotected;\nthread a {\n var t: 0..1 = 0;\n x = 1;\n t = 1;\n x = 2;\n}\nthread b { \
         assert(x != 1); }",
    );
    found(&program);
    let movers = forged(&program, &[]);
    let mut wrong = Phased::new(&program, &movers, BOTH, &no_cuts(&program));
    let thread = &wrong.program.threads[0];
    let line = |l: usize| wrong.program.line(thread.locations[l].span);
    let last = thread.steps().find(|l| line(*l) == 6).expect("x = 2");
    wrong.phases[0][last] = Phase::Before;
    assert_eq!(judged(&wrong), (false, vec!["A2".to_string()]));
}

/// The locations at which threads are scheduled: by thread, their lines.
/// Threads that do the same may be in other phases: what holds of the first says nothing of the second then.
#[test]
fn phases_tell_threads_apart() {
    let program = load(
        "var x: 0..2 = 0 unprotected;\nthread w(i in 0..1) {\n var t: 0..1 = 0;\n x = 1;\n t = 1;\n x = 2;\n}",
    );
    let movers = forged(&program, &[]);
    let mut wrong = Phased::new(&program, &movers, BOTH, &no_cuts(&program));
    let exchanges = Exchanges::new(&wrong.program);
    assert_eq!(exchanges.first(1), 0);
    let behind = wrong.at(1, Phase::Behind).last().expect("it commits");
    wrong.phases[1][behind] = Phase::Before;
    assert!(!evaluated(&wrong).1.is_empty());
}

fn scheduled(source: &str) -> Vec<Vec<usize>> {
    let program = load(source);
    let control = Control::default();
    let e = Encoding::new(&program, &control).unwrap();
    let movers = crate::theorem::judged(&e, &[], Detail::Class).unwrap();
    let phased = phased(&e, &movers, BOTH, u64::MAX).unwrap();
    let lines = |t: usize| {
        let locations = &phased.program.threads[t].locations;
        let outside = phased.at(t, Phase::Outside);
        let outside = outside.filter(|l| !locations[*l].edges.is_empty());
        outside.map(|l| program.line(locations[l].span)).collect()
    };
    (0..program.threads.len()).map(lines).collect()
}

/// Behind `unlock` the next round's local steps would belong to the transaction, up to the lock that they choose.
#[test]
fn transactions_end_at_the_head_of_a_loop() {
    let round = "havoc k;\n lock(m[k]);\n x[k] = 1 - x[k];\n unlock(m[k]);\n } }";
    let shared = "mutex m[2]; var x[2]: 0..1 = 0 protected x[k] by m[k];\n";
    let head = "thread t(i in 0..1) { var k: 0..1 = 0;\n while (true) {\n";
    assert_eq!(scheduled(&format!("{shared}{head}{round}")), [[4], [4]]);
    // The first step of all is outside, too. At the lock there is a local variable more.
    let later = head.replace("\n while", "\n k = 1; k = 0; while");
    assert_eq!(
        scheduled(&format!("{shared}{later}{round}")),
        [[3, 4], [3, 4]]
    );
}

#[test]
fn no_transaction_is_cut_inside_a_claimed_block() {
    let of = |block: &str| {
        let shared = "mutex m[4]; var x: 0..3 = 0 unprotected;";
        let locals = "var c: bool = false; var k: 0..3 = 0;";
        let inside = "\n x = 1; havoc c;\n while (c) havoc c;";
        let others = "thread u(i in 0..3) { lock(m[i]); unlock(m[i]); x = 2; }";
        format!(
            "{shared}\nthread t {{ {locals}\n while (true) {{ {block} {{{inside} }}\n havoc k; lock(m[k]);\n \
             unlock(m[k]); }} }}\n{others}"
        )
    };
    assert_eq!(scheduled(&of("transaction all"))[0], [4, 6]);
    assert_eq!(scheduled(&of("if (true)"))[0], [4, 5]);
}
