//! Bundles: what a check establishes is accepted by the leaf checker, and what is changed in a bundle is rejected or still true.

use crate::{random, shipped, twin};

use coarsen::bundle::{Bundle, FALSE, Node, read, write};
use coarsen::control::Control;
use coarsen::leaf::{BundleVerdict, verify};
use coarsen::report::{Report, Status, Verdict};
use coarsen::syntax::ParseLimits;
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
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
    verify(bundle, &Control::default())
}

/// The bundle of a shipped model.
fn bundle_of(name: &str, defines: &[(&str, i64)]) -> Bundle {
    let report = check(&shipped::model(name).load(defines));
    *report.bundle.expect("a bundle")
}

/// The report on a shipped model with its bundle, made once.
fn bundled(model: &shipped::Shipped) -> Report {
    type Known = HashMap<String, Arc<OnceLock<Report>>>;
    static KNOWN: OnceLock<Mutex<Known>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    let cell = known
        .lock()
        .expect("no test panics here")
        .entry(model.name.clone())
        .or_default()
        .clone();
    cell.get_or_init(|| check(&model.load(&[]))).clone()
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
    for model in shipped::models().into_iter().skip(first).step_by(2) {
        let report = bundled(&model);
        let by_theorem =
            |p: &&coarsen::report::Property| p.verdict == Status::Holds && p.trace.is_none();
        let shown = report.properties.iter().filter(by_theorem).count();
        let Some(bundle) = report.bundle else {
            assert_eq!(shown, 0, "{}", model.name);
            continue;
        };
        assert_eq!(bundle.claims.len(), shown, "{}", model.name);
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
    assert!(accepted >= 10, "{accepted}");
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

/// A bundle with several threads, J above `true`, facts and derivations.
fn rich() -> Bundle {
    let bundle = bundle_of("classic/barrier", &[]);
    assert!(bundle.invariant.is_some() && bundle.derivations.is_some());
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
        let x = Bundle {
            states: root,
            ..good.clone()
        };
        rejected(&x, "X");
        for t in 0..good.inside.len() {
            let mut y = good.clone();
            y.inside[t] = root;
            rejected(&y, "Y");
        }
    }
    let j = Bundle {
        invariant: Some(FALSE),
        ..good.clone()
    };
    rejected(&j, "an empty J");
    let none = Bundle {
        invariant: None,
        ..good.clone()
    };
    rejected(&none, "no J");
    let fewer = Bundle {
        inside: good.inside[1..].to_vec(),
        ..good.clone()
    };
    rejected(&fewer, "a set Y is missing");
}

/// Each set of a small bundle without one state.
#[test]
fn every_state_is_needed() {
    let good = bundle_of("features/ordered_locks", &[]);
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
        let mut fewer = good.clone();
        fewer.visible.remove(n);
        replay(&write(&fewer)).rejected.is_some()
    };
    assert!((0..good.visible.len()).any(fewer));
    let none = Bundle {
        visible: Vec::new(),
        ..good.clone()
    };
    rejected(&none, "nothing is visible");
    let mut twice = good.clone();
    twice.visible.push(good.visible[0].clone());
    rejected(&twice, "listed twice");
    let mut more = good.clone();
    more.claims.push("no_such_property".into());
    rejected(&more, "a claim without property");
    let mut reach = bundle_of("hypotheses/hidden_invariant", &[]);
    reach.claims = vec!["discipline".into(), "assertions".into()];
    assert!(replay(&write(&reach)).is_accepted());
}

#[test]
fn a_property_that_fails_cannot_be_claimed() {
    for model in shipped::models() {
        let report = bundled(&model);
        let Some(mut bundle) = report.bundle else {
            continue;
        };
        let refuted = report
            .properties
            .iter()
            .filter(|p| p.verdict == Status::Refuted);
        for p in refuted {
            bundle.claims.push(p.name.clone());
            rejected(&bundle, &format!("{}: {}", model.name, p.name));
            bundle.claims.pop();
        }
    }
}

#[test]
fn facts_derivations_and_proofs_are_checked() {
    let good = rich();
    let text = good.derivations.clone().expect("derivations");
    // Every fact replaced by one that is false: everything is empty.
    let lines: Vec<&str> = text.lines().collect();
    let facts = (0..lines.len()).filter(|n| lines[*n].starts_with("hypothesis "));
    for n in facts.step_by(7) {
        let mut changed: Vec<String> = lines.iter().map(ToString::to_string).collect();
        changed[n + 1] = "part 1 0".into();
        if changed[n + 1].starts_with("part") && lines[n + 1].starts_with("part") {
            let bundle = Bundle {
                derivations: Some(changed.join("\n") + "\n"),
                ..good.clone()
            };
            rejected(&bundle, lines[n]);
        }
    }
    // Letters exchanged: other facts are then stated, which may be true for steps that are much alike.
    let steps = |l: &coarsen::bundle::Letter| matches!(l, coarsen::bundle::Letter::Steps { .. });
    let all: Vec<usize> = (0..good.letters.len())
        .filter(|n| steps(&good.letters[*n]))
        .collect();
    let exchanged = |n: &usize| {
        let mut other = good.clone();
        other.letters.swap(all[0], *n);
        replay(&write(&other)).rejected.is_some()
    };
    assert!(all.iter().any(exchanged));
    // Without derivations the hypotheses are evaluated, which is said.
    let without = Bundle {
        classes: Vec::new(),
        letters: Vec::new(),
        derivations: None,
        ..good.clone()
    };
    let verdict = replay(&write(&without));
    assert!(verdict.is_accepted(), "{verdict:#?}");
    // Without the theorem's proof it is trusted, which is said, too.
    let unproved = Bundle {
        proof: None,
        ..good.clone()
    };
    let verdict = replay(&write(&unproved));
    assert!(verdict.is_accepted(), "{verdict:#?}");
    let missing = |t: &String| t.contains("its proof is missing");
    assert!(verdict.trusted.iter().any(missing), "{verdict:#?}");
    // A proof of something else.
    let other = Bundle {
        proof: good.derivations.clone(),
        ..good.clone()
    };
    rejected(&other, "another proof");
    let weaker = good.proof.clone().expect("a proof");
    let weaker: Vec<&str> = weaker.lines().collect();
    let end = weaker
        .iter()
        .rposition(|l| l.starts_with("theorem "))
        .expect("a theorem");
    let nothing = format!("{}\nend\n", weaker[..end / 8].join("\n"));
    let cut = Bundle {
        proof: Some(nothing),
        ..good.clone()
    };
    rejected(&cut, "a proof cut short");
}

#[test]
fn nothing_that_the_text_declares_can_be_redefined() {
    let mut bundle = rich();
    let n = bundle.inside.len();
    let cell = bundle
        .items
        .iter()
        .find_map(|i| match i {
            coarsen::bundle::Item::Cell(c) => Some(c.clone()),
            _ => None,
        })
        .expect("a cell");
    bundle
        .disciplines
        .push(coarsen::bundle::Discipline::Protected {
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
    let claims = good.claims.clone();
    let mut small = good;
    // Most of the text would be the proof, which the kernel's own tests change.
    small.proof = None;
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
            let known = verdict.claims.iter().all(|c| claims.contains(c));
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
