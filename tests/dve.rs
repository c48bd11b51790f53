//! Models in DVE: counts that other tools agree on, a naive meaning of DVE on random systems, texts that are none, and
//! the printer.

#[path = "dve/generate.rs"]
mod generate;
#[path = "dve/naive.rs"]
mod naive;

use crate::{missing, random, shipped};

use coarsen::base::control::ParseLimits;
use coarsen::base::control::{Budget, Control};
use coarsen::command::reach::Engine;
use coarsen::model::dve::text::{DVE_CODES, parse_dve};
use coarsen::model::text::{parse_model, print_model};
use coarsen::results::{ReachReport, Status};
use coarsen::{CheckOptions, ReachOptions, Session, theory};
use naive::{Counts, Naive};
use proptest::prelude::*;
use std::cell::Cell;
use std::path::Path;

const DEPTH: usize = 2000;

const LIMITS: ParseLimits = ParseLimits { depth: DEPTH };

fn load(name: &str, text: &str) -> Session {
    match Session::load(name, text, &[], LIMITS) {
        Ok((session, _)) => session,
        Err(diagnostics) => panic!("{name}: {diagnostics:#?}\n{text}"),
    }
}

fn reach(session: &Session, engine: Engine) -> ReachReport {
    let theory = theory("stoller-cohen").expect("shipped");
    let declared = session.program().properties.iter();
    let options = ReachOptions {
        engine,
        deadlock: true,
        invariants: declared.map(|p| p.name.clone()).collect(),
        // Counting is quick; looking for an execution on diagrams may take long.
        operations: Some(5_000_000),
        ..ReachOptions::default()
    };
    session.reach(&theory, &options, &Control::default())
}

/// The same within limits, as one random system in many has far more states behind an error than before it, or large
/// diagrams.
fn within_limits(session: &Session, engine: Engine) -> Option<ReachReport> {
    let theory = theory("stoller-cohen").expect("shipped");
    let declared = session.program().properties.iter();
    let options = ReachOptions {
        engine,
        deadlock: true,
        invariants: declared.map(|p| p.name.clone()).collect(),
        operations: Some(100_000),
        cores: 1,
        ..ReachOptions::default()
    };
    let control = Control::new(Budget {
        states: 5_000,
        ..Budget::default()
    });
    let report = session.reach(&theory, &options, &control);
    assert!(!report.is_contradicted(), "{}", report.reason);
    report.states.is_some().then_some(report)
}

fn number(n: Option<&String>) -> usize {
    n.and_then(|n| n.parse().ok()).expect("a count")
}

/// States and deadlocks by an engine. In DVE those behind an error are not among them; in a converted model they are
/// told apart.
fn counted(session: &Session, engine: Engine) -> (usize, usize) {
    told(session, &reach(session, engine))
}

fn told(session: &Session, report: &ReachReport) -> (usize, usize) {
    let (states, deadlocks) = (
        number(report.states.as_ref()),
        number(report.deadlocks.as_ref()),
    );
    if session.program().errors_end {
        assert_eq!(number(report.wrong_deadlocks.as_ref()), 0);
        return (states, deadlocks);
    }
    (
        states - number(report.wrong.as_ref()),
        deadlocks - number(report.wrong_deadlocks.as_ref()),
    )
}

fn transitions(session: &Session) -> usize {
    number(reach(session, Engine::Explicit).transitions.as_ref())
}

const ENGINES: [Engine; 4] = [
    Engine::Interpreter,
    Engine::Explicit,
    Engine::Saturation,
    Engine::Bdd,
];

/// The text of our language that a model is converted to, read again; the printer gives the same text for it.
fn converted(session: &Session) -> Session {
    let text = session.printed();
    let again = load("converted.cor", &text);
    assert_eq!(again.printed(), text);
    again
}

/// Every count of BEEM's models that is small enough, on four engines and on the converted text.
#[test]
fn counts_of_beem() {
    let Some(folder) = missing::shared("beem") else {
        return;
    };
    let table = std::fs::read_to_string(folder.join("COUNTS.tsv")).expect("a table");
    let mut met = 0;
    for line in table.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, states, steps, deadlocks] = fields[..] else {
            panic!("{line}");
        };
        let text = std::fs::read_to_string(folder.join(name)).expect("a model");
        let session = load(name, &text);
        // All of them are read; those with few states are counted.
        let again = converted(&session);
        let expected: (usize, usize) = (states.parse().unwrap(), deadlocks.parse().unwrap());
        if expected.0 > 8_000 {
            continue;
        }
        met += 1;
        for engine in ENGINES {
            let too_much = match engine {
                Engine::Interpreter => expected.0 > 3_000,
                Engine::Bdd => !SMALL_AS_BDDS.contains(&name),
                Engine::Saturation => !SMALL_AS_DIAGRAMS.contains(&name),
                _ => false,
            };
            if too_much {
                continue;
            }
            assert_eq!(counted(&session, engine), expected, "{name} on {engine:?}");
        }
        assert_eq!(transitions(&session).to_string(), steps, "{name}");
        assert_eq!(
            counted(&again, Engine::Explicit),
            expected,
            "{name}, converted"
        );
    }
    assert!(met >= 9, "{met}");
}

/// Models on which saturation needs few operations.
const SMALL_AS_DIAGRAMS: [&str; 4] = [
    "phils.1.dve",
    "fischer.1.dve",
    "reader_writer.2.dve",
    "blocks.2.dve",
];

/// Models whose relations are small as BDDs.
const SMALL_AS_BDDS: [&str; 2] = ["phils.1.dve", "fischer.1.dve"];

/// States, transitions, deadlocks, and transitions to an error of the shipped models.
const SHIPPED: [(&str, Counts); 5] = [
    ("buffer", counts(14, 19, 1, 0)),
    ("committed", counts(7, 7, 0, 0)),
    ("mutex", counts(11, 14, 0, 0)),
    ("relay", counts(21, 21, 7, 0)),
    ("sort", counts(70, 135, 0, 14)),
];

const fn counts(states: usize, transitions: usize, deadlocks: usize, errors: usize) -> Counts {
    Counts {
        states,
        transitions,
        deadlocks,
        errors,
        violated: false,
    }
}

#[test]
fn shipped_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/dve");
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        let text = std::fs::read_to_string(&path).expect("a model");
        let expected = SHIPPED.iter().find(|(n, _)| *n == name);
        let (_, expected) = expected.unwrap_or_else(|| panic!("no counts for {name}"));
        let (tree, warnings) = parse_dve(&text, DEPTH).expect("no error");
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        assert_eq!(Naive::new(&tree).explore(10_000), Some(*expected), "{name}");
        // Bytes that move in arrays are too much for BDDs.
        let engines = match name.as_str() {
            "committed" | "mutex" => 4,
            _ => 3,
        };
        let met = agree(&text, *expected, &ENGINES[..engines]);
        assert_eq!(met, engines + 1, "{name}");
        files += 1;
    }
    assert_eq!(files, SHIPPED.len());
}

/// All engines that finish count what the naive meaning does, and so does one on the converted text; how many there
/// are.
fn agree(text: &str, expected: Counts, engines: &[Engine]) -> usize {
    let session = load("random.dve", text);
    let again = converted(&session);
    let wanted = (expected.states, expected.deadlocks);
    let originals = engines.iter().map(|e| (&session, *e));
    let mut met = 0;
    for (session, engine) in originals.chain([(&again, Engine::Explicit)]) {
        let Some(report) = within_limits(session, engine) else {
            continue;
        };
        met += 1;
        assert_eq!(told(session, &report), wanted, "{engine:?}\n{text}");
        let wrong = report.wrong.as_deref() != Some("0");
        assert_eq!(wrong, expected.errors > 0, "{engine:?}\n{text}");
        // What is behind an error is neither counted nor asked about; the converted model does not end with it.
        if wrong && !session.program().errors_end {
            continue;
        }
        if engine == Engine::Explicit {
            let steps = number(report.transitions.as_ref());
            assert_eq!(steps, expected.transitions, "{text}");
        }
        let invariants = report
            .questions
            .iter()
            .filter(|q| q.kind == coarsen::results::PropertyKind::Invariant);
        let verdicts: Vec<Status> = invariants.map(|q| q.verdict).collect();
        // A limit may be met behind the count, in front of an answer.
        if !verdicts.contains(&Status::Unknown) {
            let refuted = verdicts.contains(&Status::Refuted);
            assert_eq!(refuted, expected.violated, "{engine:?}\n{text}");
        }
    }
    met
}

#[test]
fn random_systems_mean_what_the_naive_meaning_says() {
    let mut runner = random::runner(300);
    let seen: [Cell<usize>; 4] = Default::default();
    let done = runner.run(&generate::system(), |text| {
        let (tree, _) = parse_dve(&text, DEPTH).expect("a system");
        let Some(expected) = Naive::new(&tree).explore(400) else {
            return Ok(());
        };
        // Numbers that may leave 64 bits on the way to 32 are refused.
        if let Err(all) = Session::load("random.dve", &text, &[], LIMITS) {
            let too_large = all.iter().all(|d| d.code == "E0213");
            prop_assert!(too_large, "{all:?}\n{text}");
            return Ok(());
        }
        let met = agree(&text, expected, &ENGINES[..3]);
        let these = [
            met > 2 && expected.states > 5,
            met > 0 && expected.errors > 0,
            met > 2 && expected.errors == 0 && expected.states > 2,
            expected.deadlocks > 0 && expected.transitions > 3,
        ];
        for (n, this) in seen.iter().zip(these) {
            n.set(n.get() + usize::from(this));
        }
        Ok(())
    });
    if let Err(why) = done {
        panic!("{why}");
    }
    // The systems are not all trivial, and the engines finish on many.
    assert!(seen.iter().all(|n| random::enough(n.get(), 15)), "{seen:?}");
}

/// An array without an index means its first element, and initial values without an element are forgotten, as in
/// DiVinE 1.
#[test]
fn what_divine_reads_is_read() {
    let text = "byte a[2] = {2, 1, 7}, b[3]; int i; channel c;
        process P { state q, r; init q; trans
            q -> r { guard a > b and i < 4; effect b = b + a[1], i = i + a, b[i % 3] = 3; },
            -> q { guard a[1] == 1; effect a = i; }, r -> q { sync c!a; }; }
        process Q { state s; init s; trans s -> s { sync c?b; }; }
        system async;";
    let (tree, _) = parse_dve(text, DEPTH).expect("a system");
    let expected = Naive::new(&tree).explore(1000).expect("few states");
    assert_eq!(expected, counts(4, 5, 0, 0));
    // Arrays whose index is an `int` are much work for BDDs.
    assert_eq!(agree(text, expected, &ENGINES[..3]), 4);
    let (_, warnings) = Session::load("x.dve", text, &[], LIMITS).expect("a model");
    let codes: Vec<&str> = warnings.iter().map(|d| d.code).collect();
    assert_eq!(codes[0], "W0603");
    assert_eq!(codes[1..], ["W0602"; 8]);
}

/// Behind an error nothing is counted, and nothing is found but by those who ask for the error; all engines say the
/// same.
#[test]
fn an_error_ends_the_system() {
    let text = "byte x = 2, y;
        process P { state q; init q; trans q -> q { effect y = 5, x = x * 200; }; }
        process Q { byte z; state s; init s; trans s -> s { guard z < 2; effect z = z + 1; }; assert s: y != 5; }
        system async;";
    let (tree, _) = parse_dve(text, DEPTH).expect("a system");
    let expected = Naive::new(&tree).explore(100).expect("few states");
    assert_eq!(expected, counts(3, 5, 0, 3));
    assert_eq!(agree(text, expected, &ENGINES), ENGINES.len() + 1);
    let session = load("x.dve", text);
    let found = |engine: Engine, condition: &str| {
        let find = session.state_expression(condition).expect("a condition");
        let options = ReachOptions {
            engine,
            find: vec![(condition.into(), find)],
            ..ReachOptions::default()
        };
        let theory = theory("stoller-cohen").expect("shipped");
        let report = session.reach(&theory, &options, &Control::default());
        report.questions[0].verdict
    };
    for engine in ENGINES {
        assert_eq!(found(engine, "y == 5"), Status::Refuted, "{engine:?}");
        let asked = "at(P, wrong) && y == 5";
        assert_eq!(found(engine, asked), Status::Holds, "{engine:?}");
    }
}

// ---- texts ----

/// The examples in the explanations of codes.
#[test]
fn explanations_are_true() {
    let example = |text: &str, word: &str| {
        let (_, rest) = text.split_once(word)?;
        let lines = rest.lines().skip(1).skip_while(|l| l.is_empty());
        let lines = lines.take_while(|l| l.starts_with("    "));
        Some(lines.map(|l| format!("{l}\n")).collect::<String>())
    };
    let told = |text: &str| {
        let diagnostics = match Session::load("x.dve", text, &[], LIMITS) {
            Ok((_, warnings)) => warnings,
            Err(errors) => errors,
        };
        diagnostics.iter().map(|d| d.code).collect::<Vec<_>>()
    };
    for code in DVE_CODES {
        let Some(wrong) = example(code.text, "Wrong:") else {
            assert_eq!(code.code, "E0609");
            continue;
        };
        assert_eq!(told(&wrong), [code.code], "{wrong}");
        let right = example(code.text, "Right:").expect("two examples");
        assert_eq!(told(&right), Vec::<&str>::new(), "{right}");
    }
}

#[test]
fn what_is_too_deep_or_too_large_is_refused() {
    let with = |e: &str| {
        let text = format!(
            "int x = -9; process P {{ state q; init q; trans q -> q {{ effect x = {e}; }}; }} system async;"
        );
        match Session::load("x.dve", &text, &[], ParseLimits { depth: 256 }) {
            Ok(_) => Vec::new(),
            Err(all) => all.iter().map(|d| d.code).collect::<Vec<_>>(),
        }
    };
    assert_eq!(
        with(&format!("{}x{}", "(".repeat(300), ")".repeat(300))),
        ["E0609"]
    );
    assert_eq!(with(&vec!["x"; 300].join(" + ")), ["E0609"]);
    assert_eq!(
        with(&format!("{}x{}", "(".repeat(30), " / x)".repeat(30))),
        ["E0609"]
    );
    assert_eq!(
        with(&format!("{}x{}", "(".repeat(3), " / x)".repeat(3))),
        Vec::<&str>::new()
    );
    assert_eq!(with(&format!("{}x", "- ".repeat(300))), ["E0609"]);
}

fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/dve");
    let files = std::fs::read_dir(folder).expect("a folder");
    let texts = files.map(|f| std::fs::read_to_string(f.unwrap().path()).unwrap());
    texts.collect()
}

/// Whatever the text: diagnostics that lie in it, or a model.
fn survives(text: &str) {
    if let Err(all) = Session::load("x.dve", text, &[], ParseLimits::default()) {
        assert!(!all.is_empty(), "{text}");
        for d in all {
            let ours = d.code.starts_with("E06") || d.code == "E0213";
            assert!(ours, "{d:?}\n{text}");
            assert!(
                d.span.start <= d.span.end && d.span.end <= text.len(),
                "{d:?}"
            );
            assert!(text.is_char_boundary(d.span.start) && text.is_char_boundary(d.span.end));
        }
    }
}

#[test]
fn truncated_and_mutated_texts_get_diagnostics() {
    for text in texts() {
        for end in (0..text.len()).filter(|&n| text.is_char_boundary(n)) {
            survives(&text[..end]);
        }
    }
    let words = [
        "",
        "{",
        "}",
        ";",
        ",",
        "->",
        "x",
        "0",
        "-",
        "99999999999",
        "\u{e9}",
        "commit",
        "sync",
        "guard",
        "!",
        "?",
        "[",
        "]",
        "(",
        "const",
        "/*",
        "x[x[x[0]]]",
        "a",
        "P.q",
        "P->x",
        "~",
    ];
    let texts = texts();
    let mutations = (
        0..texts.len(),
        prop::collection::vec(
            (any::<prop::sample::Index>(), 0..3usize, 0..words.len()),
            1..4,
        ),
    );
    let mut runner = random::runner(3000);
    let done = runner.run(&mutations, |(n, changes)| {
        let mut pieces: Vec<String> = pieces(&texts[n]);
        for (at, how, word) in changes {
            let at = at.index(pieces.len());
            match how {
                0 => drop(pieces.remove(at)),
                1 => pieces.insert(at, words[word].to_string()),
                _ => pieces[at] = words[word].to_string(),
            }
            if pieces.is_empty() {
                break;
            }
        }
        survives(&pieces.concat());
        Ok(())
    });
    if let Err(why) = done {
        panic!("{why}");
    }
}

/// Words and single characters.
fn pieces(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in text.chars() {
        let word = c.is_alphanumeric() || c == '_';
        match all.last_mut() {
            Some(last) if word && in_word => last.push(c),
            _ => all.push(c.to_string()),
        }
        in_word = word;
    }
    all
}

/// Disciplines are written into the converted text, which is read again.
#[test]
fn inferred_disciplines_are_printed_in_our_language() {
    for text in texts().iter().filter(|t| t.contains("process Lock")) {
        let session = load("x.dve", text);
        let theory = theory("stoller-cohen").expect("shipped");
        let options = CheckOptions {
            annotate: true,
            ..CheckOptions::default()
        };
        let report = session.check(&theory, &options, &Control::default());
        let annotated = report.annotated.expect("a text");
        assert!(
            annotated.contains("var inside: 0..255 = 0 unprotected;"),
            "{annotated}"
        );
        let again = load("annotated.cor", &annotated);
        assert_eq!(
            counted(&again, Engine::Explicit),
            counted(&session, Engine::Explicit)
        );
    }
}

// ---- the printer ----

/// A tree without its spans.
fn bare(text: &str) -> String {
    let (tree, findings) = parse_model(text, LIMITS);
    assert!(
        findings.iter().all(|d| !d.code.starts_with('E')),
        "{findings:?}\n{text}"
    );
    without_spans(&format!("{tree:?}"))
}

fn without_spans(tree: &str) -> String {
    let mut parts = tree.split("Span { start: ");
    let first = parts.next().unwrap_or_default().to_string();
    let rest = parts.map(|p| p.split_once('}').map_or("", |(_, rest)| rest));
    first + &rest.collect::<String>()
}

#[test]
fn printed_models_are_read_as_what_they_were() {
    let mut met = 0;
    for (name, text) in shipped::all().into_iter().map(|m| (m.name, m.source)) {
        let (tree, _) = parse_model(&text, LIMITS);
        let printed = print_model(&tree);
        assert_eq!(
            bare(&printed),
            without_spans(&format!("{tree:?}")),
            "{name}\n{printed}"
        );
        met += 1;
    }
    assert!(met > 30, "{met}");
}
