//! Theorems of the user's (`--theorem FILE.thy`): a copy of a shipped one gives the same answers, so do variants of it;
//! what is wrong is refused at its place, and what is not proved decides nothing.

use crate::shipped;

use coarsen::algebra::files::{Flawed, Text};
use coarsen::algebra::{Shape, Theory, library, load_theorem};
use coarsen::base::control::{Budget, Control, ParseLimits};
use coarsen::base::evidence::Bundle;
use coarsen::certificate::{BundleVerdict, read, verify, write};
use coarsen::report::json;
use coarsen::results::{
    Doubt, Gap, MoversReason, PropertyKind, PropertyReason, ReachReason, Report, Rung, Status,
    Verdict,
};
use coarsen::{CheckOptions, ReachOptions, Session, kernel, theory};
use std::collections::BTreeMap;

/// The theorems that come with the tool, and the files they and their proofs stand in.
const SHIPPED: [(&str, &str); 5] = [
    ("stoller-cohen", "stoller_cohen"),
    ("flanagan-qadeer", "flanagan_qadeer"),
    ("left-movers", "left_movers"),
    ("right-movers", "right_movers"),
    ("lipton", "lipton"),
];

const DEPTH: usize = 500;

/// Files by name.
type Files = BTreeMap<String, String>;

fn text_of(path: &str) -> String {
    let mut all = library().iter();
    let (_, _, text) = all.find(|(_, p, _)| *p == path).expect(path);
    text.to_string()
}

/// A theorem that comes with the tool under another name, in `own.thy`, with its proof in `proof.thy`.
fn copy(name: &str) -> Files {
    let (_, file) = SHIPPED.iter().find(|(n, _)| *n == name).expect("shipped");
    let own = text_of(&format!("theories/{file}.thy"))
        .replace(&format!("theory {name}"), &format!("theory my-{name}"))
        .replace(&format!("in {name}-proof"), "in \"proof.thy\"");
    let proof = text_of(&format!("proofs/{file}.thy"));
    let proof = proof.replace(&format!("use {name};"), "use \"own.thy\";");
    let both = [("own.thy", own), ("proof.thy", proof)];
    both.map(|(n, t)| (n.to_string(), t)).into()
}

fn load(files: &Files) -> Result<Theory, Box<Flawed>> {
    let text = |name: &str| -> Result<Text, String> {
        let text = files.get(name).ok_or("there is no such file")?;
        Ok(Text {
            name: name.to_string(),
            text: text.clone(),
        })
    };
    let file = text("own.thy").expect("a theorem");
    load_theorem(file, DEPTH, &mut |name, _| text(name))
}

fn loaded(files: &Files) -> Theory {
    match load(files) {
        Ok(theory) => theory,
        Err(flawed) => panic!("{:#?}", flawed.diagnostics),
    }
}

/// What is said to be wrong, and the part of the text that is blamed.
fn refused(files: &Files) -> (String, String) {
    match load(files) {
        Ok(theory) => panic!("{} is accepted", theory.name),
        Err(flawed) => {
            let [one] = flawed.diagnostics.as_slice() else {
                panic!("{:#?}", flawed.diagnostics);
            };
            assert_eq!(one.code, "E0419", "{one:?}");
            assert!(!one.expected.is_empty() && !one.help.is_empty(), "{one:?}");
            let part = &flawed.file.text[one.span.start..one.span.end];
            (one.message.clone(), part.to_string())
        }
    }
}

fn change(files: &mut Files, name: &str, from: &str, to: &str) {
    let text = files.get_mut(name).expect(name);
    assert!(text.contains(from), "{name}: {from}");
    *text = text.replace(from, to);
}

/// A shipped theory without one of its hypotheses.
fn without(files: &mut Files, id: &str) {
    let text = files.get_mut("own.thy").expect("own.thy");
    let begin = text.find(&format!("\nhypothesis {id} \"")).expect(id);
    let end = begin + text[begin..].find(";\n").expect("its end") + 2;
    text.replace_range(begin..end, "\n");
}

fn check(session: &Session, theory: &Theory) -> Report {
    let options = CheckOptions {
        certificate: true,
        claims_by: Some(theory.name.clone()),
        ..CheckOptions::default()
    };
    session.check(theory, &options, &Control::default())
}

/// A report as JSON without times, its theorem under the shipped name.
fn told(report: &Report, name: &str) -> String {
    let mut report = report.clone();
    report.timing = Default::default();
    let text = json::object(&report).expect("JSON");
    text.replace(&format!("my-{name}"), name)
}

fn reached(session: &Session, theory: &Theory) -> String {
    let options = ReachOptions {
        reduced: true,
        deadlock: true,
        cores: 1,
        ..ReachOptions::default()
    };
    let mut report = session.reach(theory, &options, &Control::default());
    report.timing = Default::default();
    json::object(&report).expect("JSON")
}

fn replayed(report: &Report, theorems: &[Theory]) -> Option<BundleVerdict> {
    let bundle = write(report.bundle.as_deref()?);
    Some(verify(&bundle, None, theorems, &Control::default()))
}

const MODELS: [&str; 8] = [
    "flanagan_qadeer/counter",
    "transactions/singleton",
    "transactions/seqlock_unchecked",
    "features/opposite_locks",
    "features/going_wrong",
    "hypotheses/hidden_invariant",
    "section6/master_workers_bug",
    "seeded/wrong_lock",
];

#[test]
fn a_copy_under_another_name_gives_the_same_answers() {
    for (name, _) in SHIPPED {
        let (own, known) = (loaded(&copy(name)), theory(name).expect("shipped"));
        let mut certified = 0;
        for model in MODELS {
            let session = shipped::model(model).load(&[]);
            let (mine, theirs) = (check(&session, &own), check(&session, &known));
            assert_eq!(told(&mine, name), told(&theirs, name), "{name}, {model}");
            assert_eq!(
                reached(&session, &own).replace(&own.name, name),
                reached(&session, &known),
                "{name}, {model}"
            );
            let (mine, theirs) = (
                replayed(&mine, std::slice::from_ref(&own)),
                replayed(&theirs, &[]),
            );
            assert_eq!(mine.is_some(), theirs.is_some(), "{name}, {model}");
            let Some((mine, theirs)) = mine.zip(theirs) else {
                continue;
            };
            assert!(mine.is_accepted(), "{name}, {model}: {mine:#?}");
            assert!(mine.claims().eq(theirs.claims()), "{name}, {model}");
            certified += 1;
        }
        assert!(name == "lipton" || certified > 2, "{name}: {certified}");
    }
}

#[test]
fn transactions_by_a_copy_are_those_by_the_shipped_theorem() {
    let default = theory("stoller-cohen").expect("shipped");
    for name in ["left-movers", "right-movers", "lipton"] {
        let (own, known) = (loaded(&copy(name)), theory(name).expect("shipped"));
        for model in ["flanagan_qadeer/counter", "transactions/singleton"] {
            let session = shipped::model(model).load(&[]);
            let told = |only: &Theory| {
                let mut report = session.movers(&default, Some(only), &Control::default());
                report.seconds = 0.0;
                assert!(!report.is_open());
                json::object(&report)
                    .expect("JSON")
                    .replace(&own.name, name)
            };
            assert_eq!(told(&own), told(&known), "{name}, {model}");
        }
    }
}

/// A file that is one of the shipped ones, byte for byte, is that one; another one can't have its name.
#[test]
fn a_shipped_file_is_the_shipped_theorem() {
    for (name, file) in SHIPPED {
        let text = text_of(&format!("theories/{file}.thy"));
        let files: Files = [("own.thy".to_string(), text)].into();
        assert_eq!(Some(loaded(&files)), theory(name));
        let mut files = copy(name);
        change(
            &mut files,
            "own.thy",
            &format!("theory my-{name}"),
            &format!("theory {name}"),
        );
        let (message, _) = refused(&files);
        assert!(message.contains("given away"), "{message}");
    }
}

/// Letters and index variables have the names that the file gives them.
fn renamed() -> Files {
    let own = "theory renamed \"a copy in other letters\";
action right[a] is invisible step of a, seen[a] is visible step of a;
test done[a] is no invisible step of a enabled, bad is violated;
let r = (+ a : right[a]);
let s = (+ a : seen[a]);
let d = (. a : done[a]);
let C = (+ a : seen[a] right[a]* done[a] ~bad);
hypothesis ends: (right[a] ~bad)^w = 0;
hypothesis uo: a != b => right[b] done[a] = done[a] right[b];
hypothesis vo: a != b => seen[b] done[a] = done[a] seen[b];
hypothesis uu: a != b => right[b] right[a] <= right[a] (bad T + right[b] + right[b] bad T);
hypothesis vu: a != b => seen[b] right[a] <= right[a] (bad T + seen[b] + seen[b] bad T);
hypothesis apart: ~done[a] seen[a] = 0 = done[a] right[a];
hypothesis some: 1 <= done[a] + right[a] T;
hypothesis stays: bad right[a] <= right[a] bad;
conclusion c: d (r + s)* bad <= C* (1 + (+ a : seen[a] right[a]*)) bad T;
";
    [("own.thy".to_string(), own.to_string())].into()
}

#[test]
fn the_form_counts_and_not_the_letters() {
    let own = loaded(&renamed());
    let known = own.own.as_ref().expect("not shipped");
    assert_eq!(own.shape, Some(Shape::StollerCohen));
    assert!(known.same && known.implies && known.proof.is_none());
}

/// Other definitions of N and R.
fn variant() -> Files {
    let mut files = copy("stoller-cohen");
    let text = files.get_mut("own.thy").expect("own.thy");
    let lines = text.lines().map(|line| match line {
        l if l.starts_with("let N[i] =") => "let N[i] = v[i] (u[i])* ~q p[i];",
        l if l.starts_with("let R =") => "let R = q T + (+ i : v[i] u[i]*) q T;",
        l => l,
    });
    let changed = lines.collect::<Vec<_>>().join("\n");
    *text = changed;
    files
}

#[test]
fn a_variant_with_other_definitions_gives_the_same_answers() {
    let (own, known) = (
        loaded(&variant()),
        theory("stoller-cohen").expect("shipped"),
    );
    for model in MODELS {
        let session = shipped::model(model).load(&[]);
        let (mine, theirs) = (check(&session, &own), check(&session, &known));
        let name = "stoller-cohen";
        assert_eq!(told(&mine, name), told(&theirs, name), "{model}");
        if let Some(verdict) = replayed(&mine, std::slice::from_ref(&own)) {
            assert!(verdict.is_accepted(), "{model}: {verdict:#?}");
        }
    }
}

#[test]
fn a_stronger_theorem_gives_the_same_answers_and_a_line_more() {
    for (name, more) in [
        ("stoller-cohen", "hypothesis more: q v[i] <= v[i] q;"),
        ("flanagan-qadeer", "hypothesis more: r[i] l[i] = 0;"),
    ] {
        let mut files = copy(name);
        change(
            &mut files,
            "own.thy",
            "\nconclusion",
            &format!("\n{more}\nconclusion"),
        );
        let (own, known) = (loaded(&files), theory(name).expect("shipped"));
        for model in MODELS {
            let session = shipped::model(model).load(&[]);
            let (mine, theirs) = (check(&session, &own), check(&session, &known));
            assert_eq!(mine.hypotheses.len(), theirs.hypotheses.len() + 1);
            assert_eq!(
                mine.hypotheses.last().map(|h| h.status),
                Some(Status::Holds)
            );
            let of = |r: &Report| {
                let all = (&r.properties, &r.states, &r.claims, r.verdict.id());
                let all = serde_json::to_string(&all).expect("JSON");
                all.replace(&format!("my-{name}"), name)
            };
            assert_eq!(of(&mine), of(&theirs), "{name}, {model}");
        }
    }
}

/// What two threads of a small instance show is not what a hypothesis about three, or about all, asks for.
#[test]
fn every_value_by_a_theorem_of_ones_own() {
    let counter = "const N = 3; mutex m; var x: 0..N = 0;
        thread w(i in 0..N-1) { lock(m); x = i; x = 0; unlock(m); }";
    let loaded_model = Session::load("m.cor", counter, &[], ParseLimits::default());
    let (session, _) = loaded_model.expect("a model");
    let of = |theory: &Theory| session.every(theory, "N", true, &Control::default());
    let verified = |bundle: &Bundle, theory: &Theory| {
        let theorems = std::slice::from_ref(theory);
        verify(&write(bundle), None, theorems, &Control::default())
    };
    let own = loaded(&copy("stoller-cohen"));
    let bundle = of(&own).bundle.expect("a bundle");
    let verdict = verified(&bundle, &own);
    assert!(verdict.is_accepted(), "{verdict:#?}");
    for (more, why) in [
        (
            "i != j, i != k, j != k => v[i] v[j] v[k] = 0",
            "hypothesis (more) speaks of more than two processes",
        ),
        (
            "q (+ i : v[i]) <= (+ i : v[i]) q",
            "hypothesis (more) speaks of all processes at once",
        ),
        (
            "q v <= v q",
            "hypothesis (more) speaks of all processes at once",
        ),
    ] {
        let mut files = copy("stoller-cohen");
        let more = format!("\nhypothesis more : {more};\nconclusion");
        change(&mut files, "own.thy", "\nconclusion", &more);
        let stronger = loaded(&files);
        let report = of(&stronger);
        assert!(report.bundle.is_none(), "{more}");
        assert!(report.from.is_none(), "{more}");
        // All that was derived without it, under its name.
        let mut forged = bundle.clone();
        let known = stronger.own.as_ref().expect("not shipped");
        forged.parts[0].digest = Some(known.digest.clone());
        forged.parts[0].proof.clone_from(&known.proof);
        assert_eq!(verified(&forged, &stronger).rejected.as_deref(), Some(why));
    }
}

/// Each of the theorems needs each of its hypotheses; where one is missing, the proof does not go through, which is
/// said of the conclusion.
#[test]
fn a_dropped_hypothesis_is_refused_at_the_conclusion() {
    for (name, _) in SHIPPED {
        for hypothesis in &theory(name).expect("shipped").hypotheses {
            let mut files = copy(name);
            without(&mut files, &hypothesis.id);
            let (message, part) = refused(&files);
            assert!(
                message.starts_with("its proof does not go through"),
                "{message}"
            );
            let conclusion = theory(name).and_then(|t| t.conclusion).expect("one");
            assert_eq!(part, conclusion.id, "{name}, {}", hypothesis.id);
        }
    }
}

/// The same with the proof as the kernel has written it: it assumes what the theorem does not.
#[test]
fn a_proof_from_other_hypotheses_is_none() {
    for (name, _) in SHIPPED {
        let known = loaded(&copy(name)).own.expect("not shipped");
        let proof = known.proof.expect("proved");
        for hypothesis in &theory(name).expect("shipped").hypotheses {
            let mut files = copy(name);
            files.insert("proof.cert".into(), proof.clone());
            change(&mut files, "own.thy", "proof.thy", "proof.cert");
            assert!(loaded(&files).is_proved(), "{name}");
            without(&mut files, &hypothesis.id);
            let (message, _) = refused(&files);
            assert!(
                message.contains("no hypothesis of the theorem"),
                "{message}"
            );
        }
        assert!(kernel::read(&proof).is_ok());
    }
}

#[test]
fn a_conclusion_that_is_turned_round_is_refused_there() {
    for (name, _) in SHIPPED {
        let mut files = copy(name);
        let conclusion = theory(name).and_then(|t| t.conclusion).expect("one");
        let said = conclusion.statement.to_string();
        let sides: Vec<String> = conclusion
            .statement
            .sides
            .iter()
            .map(ToString::to_string)
            .collect();
        let turned = format!("{} <= {}", sides[1], sides[0]);
        change(&mut files, "own.thy", &said, &turned);
        let (message, part) = refused(&files);
        assert!(
            message.contains("what is asked of the original program"),
            "{message}"
        );
        assert_eq!(part, turned);
        // So is one that says nothing of programs with one thread.
        let mut files = copy(name);
        change(&mut files, "own.thy", &said, &format!("i != j => {said}"));
        let (message, part) = refused(&files);
        assert!(message.contains("whichever threads"), "{message}");
        assert_eq!(part, format!("i != j => {said}"));
        // What is weaker is no conclusion either, proved or not.
        let mut files = copy(name);
        change(&mut files, "own.thy", &said, "0 <= T");
        assert_eq!(refused(&files).1, "0 <= T");
    }
}

#[test]
fn what_is_missing_is_told_at_its_place() {
    for (from, to, said, blamed) in [
        ("theory my-lipton", "// theory", "which theorem it is", ""),
        (
            "theory my-lipton",
            "theory \"my lipton\"",
            "can't be the name of a theorem",
            "",
        ),
        ("t[i] is step of i", "t[i]", "`t` stands for nothing", "t"),
        (
            "hypothesis 1 ",
            "use kleene;\nhypothesis 1 ",
            "all stand in its own file",
            "kleene",
        ),
        // What holds of `cod` on all states need not hold on the reachable ones.
        (
            "hypothesis 1 ",
            "hypothesis 0 \"ends\" : cod(t[i]) <= 1;\nhypothesis 1 ",
            "can't speak of domains",
            "cod(t[i])",
        ),
        (
            "hypothesis 1 ",
            "hypothesis 0 \"back\" : conv(t[i]) <= T;\nhypothesis 1 ",
            "can't speak of domains",
            "conv(t[i])",
        ),
        (
            "init is initial",
            "init is violated",
            "visible and invisible steps",
            "init",
        ),
        (
            "proof.thy",
            "nowhere.thy",
            "there is no such file",
            "\"nowhere.thy\"",
        ),
        (
            "proved L",
            "proved M",
            "has no statement `M`",
            "\"proof.thy\"",
        ),
    ] {
        let mut files = copy("lipton");
        if to.starts_with("//") {
            let text = files.get_mut("own.thy").expect("own.thy");
            let at = text.find("\naction").expect("letters");
            text.replace_range(..at, "");
        } else {
            change(&mut files, "own.thy", from, to);
        }
        let (message, part) = refused(&files);
        assert!(message.contains(said), "{message}");
        assert_eq!(part, blamed, "{message}");
    }
}

fn unproved(name: &str) -> Theory {
    let mut files = copy(name);
    let text = files.get_mut("own.thy").expect("own.thy");
    let at = text.rfind(" proved ").expect("a proof");
    text.replace_range(at.., ";\n");
    loaded(&files)
}

/// A conclusion without a proof: every answer says so, and is unknown.
#[test]
fn what_is_not_proved_decides_nothing() {
    let unknown = |reason: &PropertyReason| {
        let (PropertyReason::Unsettled(doubt) | PropertyReason::NotFound(doubt)) = reason else {
            return false;
        };
        *doubt == Doubt::Gap(Gap::Unproved("own.thy".into()))
    };
    for (name, _) in SHIPPED {
        let own = unproved(name);
        for model in MODELS {
            let session = shipped::model(model).load(&[]);
            let report = check(&session, &own);
            assert_eq!(report.verdict, Verdict::Unknown);
            assert!(!report.properties.is_empty() && report.bundle.is_none());
            for p in &report.properties {
                assert!(p.verdict == Status::Unknown && unknown(&p.reason), "{p:?}");
            }
            let told = report.reason.to_string();
            assert_eq!(told, "the conclusion of own.thy is not proved");
            let options = ReachOptions {
                reduced: true,
                deadlock: true,
                ..ReachOptions::default()
            };
            let report = session.reach(&own, &options, &Control::default());
            assert_eq!(report.verdict, Verdict::Unknown);
            assert_eq!(report.reason, ReachReason::Unproved("own.thy".into()));
            assert!(!report.questions.is_empty());
            assert!(report.questions.iter().all(|q| unknown(&q.reason)));
        }
    }
    let session = shipped::model("flanagan_qadeer/counter").load(&[]);
    let (default, own) = (
        theory("stoller-cohen").expect("shipped"),
        unproved("lipton"),
    );
    let report = session.movers(&default, Some(&own), &Control::default());
    assert!(report.transactions.is_empty());
    assert_eq!(
        report.reason,
        MoversReason::Open(Gap::Unproved("own.thy".into()))
    );
}

/// A theorem with its proof.
fn both(own: &str, proof: &str) -> Files {
    let both = [("own.thy", own), ("proof.thy", proof)];
    both.map(|(n, t)| (n.to_string(), t.to_string())).into()
}

/// Nothing is reduced, and nothing but the conclusion is known.
fn whole() -> [Theory; 2] {
    let visibility = both(
        "theory whole \"nothing is reduced\";
action u[i] is invisible step of i, v[i] is visible step of i;
test p[i] is no invisible step of i enabled, q is violated;
let s = (+ i : u[i]) + (+ i : v[i]);
hypothesis stays: q u[i] <= u[i] q;
conclusion c: (. i : p[i]) s* q <= s* q T proved c in \"proof.thy\";
",
        "use \"own.thy\";\nidentity c : (. i : p[i]) s* q <= s* q T;\n",
    );
    let threads = both(
        "theory threads \"nothing is reduced\";
action t[i] is step of i;
test w[i] is i gone wrong, init is initial;
let t = (+ i : t[i]);
hypothesis own: i != j => w[i] t[j] = t[j] w[i];
conclusion c: init t* w[i] T <= init (1 + t t*) w[i] T proved c in \"proof.thy\";
",
        "use \"own.thy\";\nidentity c : init t* w[i] T <= init (1 + t t*) w[i] T;\n",
    );
    [loaded(&visibility), loaded(&threads)]
}

/// A reduced system that is no shipped one: what its definitions say, evaluated.
#[test]
fn a_reduced_system_of_its_own_is_evaluated() {
    for (own, decided) in whole()
        .iter()
        .zip([&["discipline"][..], &["discipline", "assertions"]])
    {
        let known = own.own.as_ref().expect("not shipped");
        assert!(!known.same && !known.implies && known.proof.is_some());
        let (mut held, mut refuted) = (0, 0);
        for model in [
            "features/ordered_locks",
            "flanagan_qadeer/counter",
            "seeded/wrong_lock",
            "features/going_wrong",
        ] {
            let session = shipped::model(model).load(&[]);
            let report = check(&session, own);
            let shipped = check(&session, &theory("flanagan-qadeer").expect("shipped"));
            let mut all = report.properties.iter();
            let wrong = all.any(|p| p.verdict == Status::Refuted);
            for (mine, theirs) in report.properties.iter().zip(&shipped.properties) {
                // Claims are compared where no theorem shows them.
                let is_claim = mine.kind == PropertyKind::Transaction;
                let decided = decided.contains(&mine.name.as_str()) || is_claim;
                match (mine.verdict, mine.trace.is_some()) {
                    // An execution shows it, whatever the theorem.
                    (Status::Refuted, true) => refuted += 1,
                    (Status::Holds, true) => {}
                    (Status::Holds, false) if decided => held += 1,
                    // That some thread goes wrong does not say how.
                    (Status::Unknown, _) if !decided || wrong => continue,
                    _ => panic!("{}, {model}: {mine:?}", own.name),
                }
                assert_eq!(
                    mine.verdict, theirs.verdict,
                    "{}, {model}: {mine:?}",
                    own.name
                );
            }
            // Its sets would show another reduced system.
            let mut parts = report.bundle.iter().flat_map(|b| &b.parts);
            assert!(parts.all(|p| p.theorem.is_none()));
        }
        assert!(held > 0 && refuted > 0, "{}: {held}, {refuted}", own.name);
    }
}

/// What follows an invisible step may be another one: of a single step that is no fact but where it is dead, and the
/// hypothesis holds everywhere all the same. No fact is looked for where the hypothesis does not need to be.
#[test]
fn a_fact_that_needs_an_invariant_does_not_serve_a_hypothesis_that_needs_none() {
    let mut files = copy("stoller-cohen");
    let more = "\nhypothesis onward : u[i] <= u[i] (u[i] + v[i]) T;\nconclusion";
    change(&mut files, "own.thy", "\nconclusion", more);
    let source = "mutex m; var z: 0..1 = 0 protected z by m; var x: 0..1 = 0 unprotected;
        thread t {
            var s: 0..1 = 0;
            I: if (x == 1) { lock(m); D: s = 1; E: z = 1; unlock(m); }
            while (true) { A: x = 1 - x; }
        }";
    let loaded_model = Session::load("dead.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded_model.unwrap_or_else(|errors| panic!("{errors:?}"));
    let report = check(&session, &loaded(&files));
    let invisible: Vec<&str> = report
        .invisible
        .iter()
        .map(|s| s.location.as_str())
        .collect();
    assert!(
        invisible.contains(&"D") && invisible.contains(&"E"),
        "{invisible:?}"
    );
    let onward = report.hypotheses.iter().find(|h| h.id == "onward");
    let onward = onward.expect("the last one");
    assert_eq!(
        (onward.status, onward.invariant),
        (Status::Holds, Some(Rung::True))
    );
}

/// An argument by the text of programs was made for a hypothesis, not for its name.
#[test]
fn no_hint_makes_a_hypothesis_hold() {
    let mut files = copy("stoller-cohen");
    change(
        &mut files,
        "own.thy",
        "\nconclusion",
        "\nhypothesis more syntactic private : v[i] v[j] <= v[j] v[i];\nconclusion",
    );
    let own = loaded(&files);
    let hints: Vec<bool> = own
        .hypotheses
        .iter()
        .map(|h| h.syntactic.is_some())
        .collect();
    assert_eq!(hints, [[true; 8].as_slice(), &[false]].concat());
    let session = shipped::model("classic/peterson").load(&[]);
    let budget = Budget {
        effort: 1,
        ..Budget::default()
    };
    let options = CheckOptions::default();
    let of = |theory: &Theory| session.check(theory, &options, &Control::new(budget));
    let by_text = |r: &Report| r.hypotheses.iter().all(|h| h.status == Status::Holds);
    assert!(by_text(&of(&loaded(&copy("stoller-cohen")))));
    assert!(!by_text(&of(&own)));
}

/// The attacker writes the bundle; the model and the theorem are the user's.
#[test]
fn forged_bundles_are_refused() {
    let files = copy("flanagan-qadeer");
    let own = loaded(&files);
    let session = shipped::model("flanagan_qadeer/counter").load(&[]);
    let report = check(&session, &own);
    let bundle = write(report.bundle.as_deref().expect("a bundle"));
    let control = Control::default();
    let verified = |text: &str, theorems: &[Theory]| verify(text, None, theorems, &control);
    assert!(verified(&bundle, std::slice::from_ref(&own)).is_accepted());
    let refused = |text: &str, theorems: &[Theory], part: &str| {
        let why = verified(text, theorems).rejected.expect(part);
        assert!(why.contains(part), "{why}");
    };
    refused(&bundle, &[], "does not come with the tool");
    // The same without a word on its text.
    let digest = own.own.as_ref().expect("not shipped").digest.clone();
    let without_digest = bundle.replace(&format!("digest {digest}\n"), "");
    refused(&without_digest, &[], "there is no reduction theorem");
    refused(&without_digest, std::slice::from_ref(&own), "another text");
    // It was made under a weaker theorem of the same name.
    let mut weaker = files.clone();
    change(
        &mut weaker,
        "own.thy",
        "t[i] r[i] t[j] <= t[j] t[i] r[i]",
        "t[i] r[i] t[j] <= T",
    );
    let text = weaker.get_mut("own.thy").expect("own.thy");
    let at = text.rfind(" proved ").expect("a proof");
    text.replace_range(at.., ";\n");
    let mut weak = loaded(&weaker);
    weak.own.as_mut().expect("not shipped").proof = own.own.as_ref().and_then(|o| o.proof.clone());
    let made = check(&session, &weak);
    let made = write(made.bundle.as_deref().expect("a bundle"));
    refused(&made, std::slice::from_ref(&own), "another text");
    refused(
        &made,
        std::slice::from_ref(&weak),
        "no hypothesis of the theorem",
    );
    // Its proof is missing, and the user's file has none.
    let mut parts = read(&bundle).expect("a bundle");
    for part in &mut parts.parts {
        part.proof = None;
    }
    let stripped = write(&parts);
    assert!(verified(&stripped, std::slice::from_ref(&own)).is_accepted());
    let mut open = own.clone();
    open.own.as_mut().expect("not shipped").proof = None;
    refused(&stripped, std::slice::from_ref(&open), "is not proved");
    // The proof is one of another theorem.
    let other = loaded(&copy("left-movers")).own.and_then(|o| o.proof);
    for part in &mut parts.parts {
        part.proof.clone_from(&other);
    }
    refused(
        &write(&parts),
        std::slice::from_ref(&own),
        "the theorem's proof",
    );
    // The hypotheses do not imply what is known of the shipped theorem, or the reduced system is another one.
    let mut less = own.clone();
    less.own.as_mut().expect("not shipped").implies = false;
    refused(
        &bundle,
        std::slice::from_ref(&less),
        "does not speak of all",
    );
    less.own.as_mut().expect("not shipped").same = false;
    refused(&bundle, std::slice::from_ref(&less), "no sets of a bundle");
}
