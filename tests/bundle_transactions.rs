//! Bundles of theorems about transactions: what a check establishes is accepted, and what is changed in a bundle is
//! rejected. (That wrong movers are rejected, hypothesis by hypothesis: `src/theorem/reduced/transactions/tests.rs`.)

use crate::claimed::{programs, truth};
use crate::{random, shipped, twin};

use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::evidence::{Bundle, FALSE, Part};
use coarsen::certificate::{BundleVerdict, Wanted, verify};
use coarsen::certificate::{read, write};
use coarsen::results::{Report, Status};
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;
use std::cell::Cell;
use twin::generate::{Disciplines, samples_with};

const THEOREMS: [&str; 4] = ["flanagan-qadeer", "left-movers", "right-movers", "lipton"];

fn check(session: &Session, theorem: &str) -> Report {
    let theory = theory(theorem).expect("shipped");
    let options = CheckOptions {
        certificate: true,
        claims_by: Some(theorem.into()),
        ..CheckOptions::default()
    };
    session.check(&theory, &options, &Control::default())
}

fn replay(bundle: &Bundle) -> BundleVerdict {
    verify(&write(bundle), None, &[], &Control::default())
}

/// Whether there is a bundle: it shows all that holds, and is accepted.
fn accepted(name: &str, report: &Report) -> Result<usize, TestCaseError> {
    let held = report.properties.iter();
    let held = held.filter(|p| p.verdict == Status::Holds);
    let Some(bundle) = &report.bundle else {
        prop_assert_eq!(held.count(), 0, "{}: no bundle", name);
        return Ok(0);
    };
    for p in held {
        prop_assert!(bundle.shows(&p.name), "{}: {}", name, p.name);
    }
    let again = read(&write(bundle));
    prop_assert_eq!(again.as_ref(), Ok(&**bundle), "{}", name);
    let verdict = replay(bundle);
    prop_assert!(verdict.is_accepted(), "{}: {:#?}", name, verdict);
    let unproved = |t: &&String| t.contains("its proof is missing");
    prop_assert!(verdict.trusted.iter().find(unproved).is_none(), "{name}");
    Ok(1)
}

/// The long suite looks at all models, else one of six is enough of those that are not about transactions.
#[test]
fn every_shipped_model_that_holds_has_a_bundle() {
    let mut found = [0; 4];
    for (n, model) in shipped::models().into_iter().enumerate() {
        let all = random::long();
        let about = ["transactions/", "flanagan_qadeer/"]
            .iter()
            .any(|s| model.name.contains(s));
        if !all && !about && n % 6 > 0 {
            continue;
        }
        // All theorems on what is about transactions, else the one that has all of them in it.
        for (k, theorem) in THEOREMS.iter().enumerate().filter(|(k, _)| {
            if about {
                random::picked(n + k)
            } else {
                *k == 0
            }
        }) {
            let report = match *theorem {
                "flanagan-qadeer" => model.by_flanagan_qadeer(),
                _ => check(&model.load(&[]), theorem),
            };
            let done = accepted(&format!("{} by {theorem}", model.name), &report);
            found[k] += done.unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
    assert!(
        random::enough(found[0], 15) && found[1..].iter().all(|n| random::enough(*n, 5)),
        "{found:?}"
    );
}

#[test]
fn random_models_that_hold_have_bundles() {
    for theorem in THEOREMS {
        for disciplines in [Disciplines::Written, Disciplines::Omitted] {
            let mut runner = random::runner(25);
            let found = Cell::new(0);
            let result = runner.run(&samples_with(disciplines), |sample| {
                let loaded = Session::load("s.cor", &sample.source, &[], ParseLimits::default());
                let (session, _) =
                    loaded.map_err(|_| TestCaseError::fail("a generated model has errors"))?;
                let report = check(&session, theorem);
                found.set(found.get() + accepted(&sample.source, &report)?);
                Ok(())
            });
            result.unwrap_or_else(|failure| panic!("{theorem}: {failure}"));
            assert!(
                random::enough(found.get(), 1),
                "{theorem}: no bundle at all"
            );
        }
    }
}

#[test]
fn what_is_changed_is_rejected() {
    let report = check(
        &shipped::model("flanagan_qadeer/counter").load(&[]),
        "flanagan-qadeer",
    );
    let good = *report.bundle.expect("it holds");
    assert!(replay(&good).is_accepted());
    let rejected = |what: &str, change: &dyn Fn(&mut Part)| {
        let mut bundle = good.clone();
        let parts = bundle.parts.iter_mut();
        let by_theorem = |part: &&mut Part| part.theorem.is_some();
        change(parts.into_iter().find(by_theorem).expect("a part"));
        let verdict = replay(&bundle);
        verdict
            .rejected
            .unwrap_or_else(|| panic!("{what} is accepted"))
    };
    rejected("another theorem", &|b| {
        b.theorem = Some("stoller-cohen".into())
    });
    rejected("a theorem that keeps less", &|b| {
        b.theorem = Some("lipton".into())
    });
    rejected("no transactions", &|b| b.transactions = None);
    rejected("visible steps beside them", &|b| {
        let right = b.transactions.iter().flat_map(|t| &t.right).next();
        b.visible.extend(right.cloned());
    });
    let with = |f: &dyn Fn(&mut coarsen::base::evidence::Transactions)| {
        let f = |b: &mut Part| b.transactions.as_mut().map(f).unwrap_or_default();
        rejected("other movers", &f)
    };
    with(&|t| t.right.push(("nobody".into(), "nowhere".into())));
    with(&|t| t.right.clear());
    with(&|t| t.left.clear());
    with(&|t| t.right = t.left.clone());
    let good = &good.parts[0];
    let first = good
        .transactions
        .iter()
        .flat_map(|t| &t.right)
        .next()
        .cloned();
    with(&|t| t.left.extend(first.clone()));
    rejected("no states", &|b| b.states = FALSE);
    for t in 0..good.inside.len() {
        rejected("no states inside", &|b| b.inside[t] = FALSE);
        rejected("all states inside", &|b| b.inside[t] = 1);
    }
    rejected("J", &|b| b.invariant = Some(FALSE));
    rejected("no J", &|b| b.invariant = None);
    rejected("letters", &|b| b.letters.reverse());
    rejected("an unknown claim", &|b| b.claims.push("no_such".into()));
}

/// A location has another number in the program with phases: that of a goal is looked up there.
#[test]
fn goals_at_locations_are_asked_with_phases() {
    let source = "mutex m; var x: 0..3 = 0 protected x by m;
        thread worker(i in 0..1) {
            var t: 0..3 = 0;
            while (true) { K: t = 0; lock(m); L: x = 1; x = 2; unlock(m); t = 3; }
        }
        reach other: at(worker(1), L) && m.owner == worker(0);";
    let loaded = Session::load("s.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.expect("no errors");
    let good = *check(&session, "flanagan-qadeer").bundle.expect("evidence");
    assert!(good.parts[0].claims.contains(&"never other".to_string()));
    assert!(replay(&good).is_accepted());
    for reached in ["L) && m.owner == worker(1)", "K)", "L)"] {
        let mut bundle = good.clone();
        let claims = &mut bundle.parts[0].claims;
        claims.push(format!("never find at(worker(1), {reached}"));
        assert!(replay(&bundle).rejected.is_some(), "{reached}");
    }
}

/// Of two values of one constant the last one counts: in the order in which they are given, not in the bundle's.
#[test]
fn constants_are_those_that_are_given() {
    let source =
        "const A = 1; var x: 0..9 = 0 unprotected; thread w { x = A; } invariant low: x < 3;";
    let given = |all: [&str; 2]| all.map(|v| ("A".to_string(), v.to_string())).to_vec();
    let loaded = Session::load("s.cor", source, &given(["3", "1"]), ParseLimits::default());
    let (session, _) = loaded.expect("no errors");
    let report = check(&session, "flanagan-qadeer");
    let bundle = write(&report.bundle.expect("it holds"));
    let with = |values: [&str; 2]| {
        let wanted = Wanted {
            name: "s.cor".into(),
            text: source.into(),
            defines: given(values),
        };
        verify(&bundle, Some(&wanted), &[], &Control::default())
    };
    let verdict = with(["3", "1"]);
    assert!(verdict.is_accepted(), "{verdict:#?}");
    assert!(verdict.claims().any(|c| c == "low"), "{verdict:#?}");
    assert!(with(["1", "3"]).rejected.is_some());
}

/// Whatever blocks a bundle claims to be transactions: what is accepted is true of all executions.
#[test]
fn claims_that_are_accepted_are_true() {
    let counts = [const { Cell::new(0) }; 3];
    let mut runner = random::runner(250);
    let result = runner.run(&programs(), |source| {
        let loaded = Session::load("m.cor", &source, &[], ParseLimits::default());
        let Ok((session, _)) = loaded else {
            return Ok(());
        };
        let theory = theory("stoller-cohen").expect("shipped");
        let options = CheckOptions {
            certificate: true,
            ..CheckOptions::default()
        };
        let report = session.check(&theory, &options, &Control::default());
        let Some(bundle) = report.bundle else {
            return Ok(());
        };
        let p = session.program();
        for claim in &p.claims {
            // By movers, not by comparison.
            let mut bundle = (*bundle).clone();
            bundle.compared.clear();
            let shown = bundle.shows(&claim.name);
            if !shown {
                let Some(part) = bundle.parts.first_mut() else {
                    continue;
                };
                part.claims.push(claim.name.clone());
            }
            let verdict = replay(&bundle);
            prop_assert!(
                verdict.stopped.is_none() && (verdict.is_accepted() || !shown),
                "{verdict:#?}"
            );
            if verdict.is_accepted() {
                prop_assert_eq!(truth(p, claim), Status::Holds, "{}", &source);
            }
            let n = if shown {
                0
            } else {
                1 + usize::from(verdict.is_accepted())
            };
            counts[n].set(counts[n].get() + 1);
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    let [shown, rejected, accepted] = counts.map(|c| c.get());
    assert!(
        random::enough(shown, 20) && random::enough(rejected, 20),
        "{shown} {rejected} {accepted}"
    );
}
