//! Checks of a program as one of its family: what they say is what relations say of the same program, and what an
//! exploration in full says of its properties.

use super::random::{enough, runner};
use super::{every, shipped};
use coarsen::base::control::{Control, ParseLimits};
use coarsen::results::{Note, PropertyKind, Report, Status, Verdict};
use coarsen::theorem::{By, ForEvery, Generic, Reduce};
use coarsen::{CheckOptions, Session, theory};
use proptest::collection::vec;
use std::cell::Cell;

fn session(source: &str, n: i64) -> Option<Session> {
    let defines = [("N".to_string(), n.to_string())];
    let loaded = Session::load("m.cor", source, &defines, ParseLimits::default());
    loaded.ok().map(|(session, _)| session)
}

fn check(source: &str, n: i64, options: &CheckOptions) -> Option<Report> {
    let theory = theory("stoller-cohen").expect("shipped");
    Some(session(source, n)?.check(&theory, options, &Control::default()))
}

fn by(generic: Generic) -> CheckOptions {
    CheckOptions {
        generic,
        ..CheckOptions::default()
    }
}

/// What is said of a program as one of its family, if anything is.
fn as_member(source: &str, n: i64) -> Option<Report> {
    check(source, n, &by(Generic::First)).filter(is_of_family)
}

fn is_of_family(report: &Report) -> bool {
    let mut notes = report.notes.iter();
    notes.any(|n| matches!(n, Note::OfFamily { .. }))
}

/// The visible steps and the invisible ones.
fn steps(report: &Report) -> [Vec<(String, String)>; 2] {
    [&report.visible, &report.invisible].map(|all| {
        let names = all.iter().map(|s| (s.thread.clone(), s.location.clone()));
        names.collect()
    })
}

/// Compares what is said of a member with what relations say; whether it is a member, and whether the same steps are
/// visible.
fn agrees(source: &str, n: i64) -> (bool, bool) {
    let Some(report) = as_member(source, n) else {
        return (false, false);
    };
    let all_hold = report.hypotheses.iter().all(|h| h.status == Status::Holds);
    assert!(all_hold, "N = {n} in {source}");
    // Properties: what an exploration of the original program finds.
    let full = CheckOptions {
        reduce: Reduce::Last,
        ..by(Generic::Never)
    };
    let full = check(source, n, &full).expect("a model");
    for (told, truth) in report.properties.iter().zip(&full.properties) {
        assert_eq!(told.name, truth.name);
        let open = [told.verdict, truth.verdict].contains(&Status::Unknown);
        let is_guessed = told.kind == PropertyKind::Discipline && !report.discipline.is_empty();
        assert!(
            open || is_guessed || told.verdict == truth.verdict,
            "{}: {:?} and {:?}, N = {n} in {source}",
            told.name,
            told.verdict,
            truth.verdict
        );
    }
    let relations = CheckOptions {
        discharge: By::Relations,
        ..by(Generic::Never)
    };
    let relations = check(source, n, &relations).expect("a model");
    let same = steps(&relations) == steps(&report);
    if same && relations.discipline.is_empty() {
        let refuted = relations
            .hypotheses
            .iter()
            .find(|h| h.status == Status::Refuted);
        assert_eq!(refuted.map(|h| &h.id), None, "N = {n} in {source}");
        assert_eq!(
            relations.states.reduced, report.states.reduced,
            "N = {n} in {source}"
        );
    }
    (true, same)
}

#[test]
fn members_of_random_families() {
    let [of_family, compared, refuted] = [const { Cell::new(0) }; 3];
    let cases = runner(160).run(&vec(0usize..1000, 60), |numbers| {
        let mut stream = numbers.into_iter().cycle();
        let mut next = |n: usize| stream.next().unwrap_or(0) % n;
        let mut source = every::family(&mut next);
        if next(3) == 0 {
            let declared = source.find(" protected").expect("a discipline");
            let end = source[declared..].find(";\n").expect("its end");
            source.replace_range(declared..declared + end, "");
        }
        source += [
            "invariant low: y < N;",
            "invariant zero: y == 0 || x[0] < 2;",
            "reach one: y == 1 && x[1] == 0;",
            "deadlock_free;",
        ][next(4)];
        for n in [3, 4] {
            let (is_one, same) = agrees(&source, n);
            of_family.set(of_family.get() + usize::from(is_one));
            compared.set(compared.get() + usize::from(same));
            let bad =
                is_one && as_member(&source, n).is_some_and(|r| r.verdict == Verdict::Refuted);
            refuted.set(refuted.get() + usize::from(bad));
        }
        Ok(())
    });
    assert!(cases.is_ok(), "{cases:?}");
    let seen = [of_family.get(), compared.get(), refuted.get()];
    eprintln!("members of families, with the visible steps of relations, refuted: {seen:?}");
    assert!(seen.iter().all(|n| enough(*n, 20)), "{seen:?}");
}

/// A program with many threads is looked at as one of its family before relations are built for all of them; what
/// holds for every value is told once.
#[test]
fn many_threads_are_one_of_a_family() {
    let counter = "const N = 2; mutex m; var x: 0..N = 0;
        thread w(i in 0..N-1) { var t: 0..N = 0; lock(m); t = x; x = t + 1; unlock(m); }
        deadlock_free;";
    let options = CheckOptions {
        every: ForEvery::Within(1),
        reduce: Reduce::First,
        ..CheckOptions::default()
    };
    for (n, is_one) in [(8, false), (9, true), (12, true)] {
        let report = check(counter, n, &options).expect("a model");
        assert_eq!(is_of_family(&report), is_one, "{n}");
        assert_eq!(report.verdict, Verdict::Holds);
        let every = report
            .every
            .first()
            .expect("a constant that numbers threads");
        assert_eq!(every.from.is_some(), is_one, "{n}");
    }
}

/// What steps may hide is seen for the program's own properties.
#[test]
fn a_property_that_a_member_may_hide_is_looked_at_otherwise() {
    let source = |property: &str| {
        format!(
            "const N = 2; mutex m; var x: 0..3 = 0;
             thread w(i in 0..N-1) {{ lock(m); x = 1; In: x = 0; unlock(m); }} {property}"
        )
    };
    for (property, is_one) in [
        ("", true),
        ("deadlock_free;", true),
        // What leads in hides nothing that is to be reached, what leads out does; of an invariant it is the converse.
        ("reach there: at(w(0), In);", false),
        ("invariant never: !at(w(0), In);", false),
        ("reach one: x == 1;", false),
    ] {
        let report = check(&source(property), 9, &by(Generic::First)).expect("a model");
        assert_eq!(is_of_family(&report), is_one, "{property}");
        let bad = property.starts_with("invariant");
        let expected = if bad {
            Verdict::Refuted
        } else {
            Verdict::Holds
        };
        assert_eq!(report.verdict, expected, "{property}: {}", report.reason);
    }
}

/// A guess that stands on the small instance, and not here, is no violation of the program.
#[test]
fn a_guess_that_fails_here_is_dropped() {
    let source = "const N = 2; mutex m; var x: 0..3 = 0; var y: 0..N = 0 unprotected;
        thread w(i in 0..N-1) {
            y = (y < N ? y + 1 : y);
            if (y < 4) { lock(m); x = 1; unlock(m); } else { x = 0; }
        }";
    for (n, stands) in [(3, true), (9, false)] {
        let report = check(source, n, &by(Generic::First)).expect("a model");
        assert_eq!(is_of_family(&report), stands, "{n}");
        assert_ne!(report.verdict, Verdict::Refuted, "{}", report.reason);
    }
}

/// Shipped models with two values more than they have: the same answers as without families.
#[test]
fn shipped_models_have_the_same_answers() {
    let mut members = 0;
    for m in shipped::some() {
        let Some(constant) = m.source.lines().find_map(|l| l.strip_prefix("const N = ")) else {
            continue;
        };
        let n: i64 = constant.trim_end_matches(';').parse().unwrap_or(2);
        let Some(report) = as_member(&m.source, n + 1) else {
            continue;
        };
        members += 1;
        let other = check(&m.source, n + 1, &by(Generic::Never)).expect("a model");
        for (a, b) in report.properties.iter().zip(&other.properties) {
            let open = [a.verdict, b.verdict].contains(&Status::Unknown);
            assert!(open || a.verdict == b.verdict, "{}: {}", m.name, a.name);
        }
        for (a, b) in report.hypotheses.iter().zip(&other.hypotheses) {
            assert_ne!(b.status, Status::Refuted, "{}: {}", m.name, a.id);
            assert_eq!(a.instances, b.instances, "{}: {}", m.name, a.id);
        }
    }
    assert!(enough(members, 12), "{members}");
}
