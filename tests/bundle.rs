//! Bundles: what a check establishes is accepted by the leaf checker, and what is changed in a bundle is rejected or
//! still true.

use crate::{random, shipped, twin};

use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::evidence::{Bundle, Discipline, FALSE, Node, Part};
use coarsen::certificate::{BundleVerdict, verify};
use coarsen::certificate::{read, write};
use coarsen::results::{Report, Status, Verdict};
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;

use twin::generate::{Disciplines, samples_with};

fn check(session: &Session) -> Report {
    let theory = theory("stoller-cohen").expect("the default theorem");
    let options = CheckOptions {
        certificate: true,
        ..CheckOptions::default()
    };
    session.check(&theory, &options, &Control::default())
}

fn replay(bundle: &str) -> BundleVerdict {
    verify(bundle, None, &[], &Control::default())
}

/// That a cell is private is told to the reader, so it has to be so.
#[test]
fn what_is_said_to_be_private_is() {
    let source = "var x: 0..3 = 0; var y: 0..3 = 1; thread w { x = 1; y = 2; } thread v { x = 2; }";
    let loaded = Session::load("s.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.expect("no errors");
    let good = *check(&session).bundle.expect("it holds");
    let with = |cell: &str, thread: &str| {
        let (cell, thread) = (cell.into(), thread.into());
        let mut bundle = good.clone();
        bundle.disciplines = vec![Discipline::Private { cell, thread }];
        replay(&write(&bundle))
    };
    assert!(with("y", "w").is_accepted());
    for (cell, thread) in [("x", "w"), ("x", "v"), ("y", "v")] {
        assert!(with(cell, thread).rejected.is_some(), "{cell} {thread}");
    }
}

/// The bundle of a shipped model.
fn bundle_of(name: &str, defines: &[(&str, i64)]) -> Bundle {
    let report = check(&shipped::model(name).load(defines));
    *report.bundle.expect("a bundle")
}

/// The report on a shipped model with its bundle, made once.
fn bundled(model: &shipped::Shipped) -> Report {
    model.once("bundled", || check(&model.load(&[])))
}

/// In two halves, that run side by side.
#[test]
fn every_shipped_model_that_holds_has_a_bundle_that_is_accepted() {
    every_other_model_has_its_bundle(0);
}

#[test]
fn and_so_have_the_others() {
    every_other_model_has_its_bundle(1);
}

fn every_other_model_has_its_bundle(first: usize) {
    let mut accepted = 0;
    for model in shipped::some().into_iter().skip(first).step_by(2) {
        let report = bundled(&model);
        let held = |p: &&coarsen::results::Property| p.verdict == Status::Holds;
        let held: Vec<&str> = (report.properties.iter().filter(held))
            .map(|p| p.name.as_str())
            .collect();
        let Some(bundle) = report.bundle else {
            assert!(held.is_empty(), "{}: {held:?}", model.name);
            continue;
        };
        for name in held {
            assert!(bundle.shows(name), "{}: {name}", model.name);
        }
        let text = write(&bundle);
        assert_eq!(read(&text).as_ref(), Ok(&*bundle), "{}", model.name);
        let verdict = replay(&text);
        assert!(verdict.is_accepted(), "{}: {verdict:#?}", model.name);
        let proved = |t: &String| !t.contains("reduction theorem") && !t.contains("corollary");
        assert!(
            verdict.trusted.iter().all(proved),
            "{}: {verdict:#?}",
            model.name
        );
        if report.verdict == Verdict::Holds {
            accepted += 1;
        }
    }
    assert!(random::enough(accepted, 10), "{accepted}");
}

#[test]
fn larger_models_have_bundles_too() {
    let all: [(&str, &[(&str, i64)]); 3] = [
        ("stoller_cohen/two_locks_barrier_k", &[("K", 20)]),
        ("classic/locked_ring", &[("N", 16)]),
        ("classic/philosophers", &[("N", 20)]),
    ];
    for (name, defines) in all {
        let verdict = replay(&write(&bundle_of(name, defines)));
        assert!(verdict.is_accepted(), "{name}: {verdict:#?}");
    }
}

#[test]
fn random_models_that_hold_have_bundles_that_are_accepted() {
    for disciplines in [Disciplines::Written, Disciplines::Omitted] {
        let mut runner = random::runner(40);
        let result = runner.run(&samples_with(disciplines), |sample| {
            let loaded = Session::load("s.cor", &sample.source, &[], ParseLimits::default());
            let Ok((session, _)) = loaded else {
                return Err(TestCaseError::fail("a generated model has errors"));
            };
            if let Some(bundle) = check(&session).bundle {
                let verdict = replay(&write(&bundle));
                prop_assert!(verdict.is_accepted(), "{verdict:#?}\n{}", sample.source);
            }
            Ok(())
        });
        result.unwrap_or_else(|failure| panic!("{failure}"));
    }
}

/// A bundle with its first part changed.
fn with(bundle: &Bundle, change: impl FnOnce(&mut Part)) -> Bundle {
    let mut changed = bundle.clone();
    change(&mut changed.parts[0]);
    changed
}

/// A bundle with several threads, J above `true`, facts and derivations.
fn rich() -> Bundle {
    let bundle = bundle_of("classic/barrier", &[]);
    let part = &bundle.parts[0];
    assert!(part.invariant.is_some() && part.derivations.is_some());
    bundle
}

fn rejected(bundle: &Bundle, what: &str) -> String {
    let verdict = replay(&write(bundle));
    match verdict.rejected {
        Some(why) => why,
        None => panic!("{what}: {verdict:#?}"),
    }
}

#[test]
fn sets_that_are_too_small_or_too_large_are_rejected() {
    let good = rich();
    for root in [FALSE, 1] {
        rejected(&with(&good, |part| part.states = root), "X");
        for t in 0..good.parts[0].inside.len() {
            rejected(&with(&good, |part| part.inside[t] = root), "Y");
        }
    }
    let empty = with(&good, |part| part.invariant = Some(FALSE));
    rejected(&empty, "an empty J");
    rejected(&with(&good, |part| part.invariant = None), "no J");
    let fewer = with(&good, |part| {
        part.inside.remove(0);
    });
    rejected(&fewer, "a set Y is missing");
}

/// Each set of a small bundle without one state.
#[test]
fn every_state_is_needed() {
    let bundle = bundle_of("features/ordered_locks", &[]);
    let good = bundle.parts[0].clone();
    let mut cut = 0;
    for n in 0..good.diagrams.nodes().len() {
        for high in [false, true] {
            let mut less = good.clone();
            less.diagrams = Default::default();
            let mut roots = vec![0, 1];
            for (k, node) in good.diagrams.nodes().iter().enumerate() {
                let mut node = Node {
                    bit: node.bit,
                    low: roots[node.low as usize],
                    high: roots[node.high as usize],
                };
                if k == n && high {
                    node.high = FALSE;
                } else if k == n {
                    node.low = FALSE;
                }
                roots.push(less.diagrams.add(node).expect("in order"));
            }
            less.states = roots[good.states as usize];
            less.inside = good.inside.iter().map(|y| roots[*y as usize]).collect();
            less.invariant = good.invariant.map(|j| roots[j as usize]);
            let same = roots.iter().zip(0..).all(|(a, b)| *a == b);
            // What is reached is needed. Only J may be smaller or larger than it is.
            if !same && (less.states, &less.inside) != (good.states, &good.inside) {
                let less = with(&bundle, |part| *part = less);
                cut += usize::from(!replay(&write(&less)).is_accepted());
            }
        }
    }
    assert!(cut > 20, "{cut}");
}

#[test]
fn visible_steps_and_claims_are_checked() {
    let good = rich();
    // A step may be visible that need not be; none of these bundles is wrong if the hypotheses hold for it.
    let fewer = |n: usize| {
        let fewer = with(&good, |part| {
            part.visible.remove(n);
        });
        replay(&write(&fewer)).rejected.is_some()
    };
    assert!((0..good.parts[0].visible.len()).any(fewer));
    rejected(
        &with(&good, |part| part.visible.clear()),
        "nothing is visible",
    );
    let twice = with(&good, |part| part.visible.push(part.visible[0].clone()));
    rejected(&twice, "listed twice");
    let more = with(&good, |part| part.claims.push("no_such_property".into()));
    rejected(&more, "a claim without property");
    let reach = with(&bundle_of("hypotheses/hidden_invariant", &[]), |part| {
        part.claims = vec!["discipline".into(), "assertions".into()];
    });
    assert!(replay(&write(&reach)).is_accepted());
}

#[test]
fn a_property_that_fails_cannot_be_claimed() {
    for model in shipped::some() {
        let report = bundled(&model);
        let Some(mut bundle) = report.bundle else {
            continue;
        };
        let refuted = report
            .properties
            .iter()
            .filter(|p| p.verdict == Status::Refuted);
        for p in refuted {
            for n in 0..bundle.parts.len() {
                bundle.parts[n].claims.push(p.name.clone());
                rejected(&bundle, &format!("{}: {}", model.name, p.name));
                bundle.parts[n].claims.pop();
            }
        }
    }
}

#[test]
fn facts_derivations_and_proofs_are_checked() {
    let good = rich();
    let text = good.parts[0].derivations.clone().expect("derivations");
    // Every fact replaced by one that is false: everything is empty.
    let lines: Vec<&str> = text.lines().collect();
    let facts = (0..lines.len()).filter(|n| lines[*n].starts_with("hypothesis "));
    for n in facts.step_by(7) {
        let mut changed: Vec<String> = lines.iter().map(ToString::to_string).collect();
        changed[n + 1] = "part 1 0".into();
        if changed[n + 1].starts_with("part") && lines[n + 1].starts_with("part") {
            let changed = Some(changed.join("\n") + "\n");
            rejected(&with(&good, |part| part.derivations = changed), lines[n]);
        }
    }
    // Letters exchanged: other facts are then stated, which may be true for steps that are much alike.
    let steps = |l: &coarsen::base::evidence::Letter| {
        matches!(l, coarsen::base::evidence::Letter::Steps { .. })
    };
    let letters = &good.parts[0].letters;
    let all: Vec<usize> = (0..letters.len()).filter(|n| steps(&letters[*n])).collect();
    let exchanged = |n: &usize| {
        let other = with(&good, |part| part.letters.swap(all[0], *n));
        replay(&write(&other)).rejected.is_some()
    };
    assert!(all.iter().any(exchanged));
    // Without derivations the hypotheses are evaluated, which is said.
    let without = with(&good, |part| {
        part.classes.clear();
        part.letters.clear();
        part.derivations = None;
    });
    let verdict = replay(&write(&without));
    assert!(verdict.is_accepted(), "{verdict:#?}");
    // Without the theorem's proof it is trusted, which is said, too.
    let unproved = with(&good, |part| part.proof = None);
    let verdict = replay(&write(&unproved));
    assert!(verdict.is_accepted(), "{verdict:#?}");
    let missing = |t: &String| t.contains("its proof is missing");
    assert!(verdict.trusted.iter().any(missing), "{verdict:#?}");
    // A proof of something else.
    let other = with(&good, |part| part.proof.clone_from(&part.derivations));
    rejected(&other, "another proof");
    let weaker = good.parts[0].proof.clone().expect("a proof");
    let weaker: Vec<&str> = weaker.lines().collect();
    let end = weaker
        .iter()
        .rposition(|l| l.starts_with("theorem "))
        .expect("a theorem");
    let nothing = format!("{}\nend\n", weaker[..end / 8].join("\n"));
    let cut = with(&good, |part| part.proof = Some(nothing));
    rejected(&cut, "a proof cut short");
}

#[test]
fn nothing_that_the_text_declares_can_be_redefined() {
    let mut bundle = rich();
    let n = bundle.parts[0].inside.len();
    let cell = bundle.parts[0]
        .items
        .iter()
        .find_map(|i| match i {
            coarsen::base::evidence::Item::Cell(c) => Some(c.clone()),
            _ => None,
        })
        .expect("a cell");
    bundle
        .disciplines
        .push(coarsen::base::evidence::Discipline::Protected {
            cell,
            exclusive: vec!["1".into(); n],
            reading: Vec::new(),
        });
    rejected(&bundle, "a discipline of a declared variable");
}

/// Texts changed at random: no panic, and what is accepted claims nothing but what holds.
#[test]
fn garbage_is_rejected() {
    let model = "classic/barrier";
    let good = rich();
    let claims = good.parts[0].claims.clone();
    // Most of the text would be the proof, which the kernel's own tests change.
    let small = with(&good, |part| part.proof = None);
    let text = write(&small);
    let lines: Vec<&str> = text.lines().collect();
    let mut runner = random::runner(150);
    let strategy = (
        0..4u8,
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        any::<u8>(),
    );
    let result = runner.run(&strategy, |(kind, at, other, byte)| {
        let changed = match kind {
            0 => {
                let cut = at.index(text.len());
                let cut = (0..=cut).rev().find(|c| text.is_char_boundary(*c));
                text[..cut.unwrap_or(0)].to_string()
            }
            1 => {
                let mut bytes = text.clone().into_bytes();
                let n = at.index(bytes.len());
                bytes[n] = byte;
                String::from_utf8_lossy(&bytes).into_owned()
            }
            2 => {
                let mut lines = lines.clone();
                let n = lines.len();
                lines.swap(at.index(n), other.index(n));
                lines.join("\n") + "\n"
            }
            _ => {
                let mut lines = lines.clone();
                lines.remove(at.index(lines.len()));
                lines.join("\n") + "\n"
            }
        };
        let verdict = replay(&changed);
        if verdict.is_accepted() {
            // A change in a comment, a name or the order of lines. The model's text may be another one, too.
            let known = verdict.claims().all(|c| claims.contains(c));
            prop_assert!(known, "{model}: {verdict:#?}");
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    for garbage in [
        "",
        "coarsen bundle 1",
        "coarsen bundle 1\nend\n",
        "\u{0}",
        "set X 5\n",
    ] {
        assert!(!replay(garbage).is_accepted());
    }
}
