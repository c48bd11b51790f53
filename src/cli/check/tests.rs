//! Several models in one run, before a library that does whatever the model's text says.

use super::*;
use clap::Parser;
use coarsen::base::diagnostic::{Diagnostic, Span};
use coarsen::distributed::Together;
use coarsen::results::{
    Contradiction, Outcome, Property, PropertyKind, PropertyReason, Status, Trace, TraceStep,
    TraceVariable, Value,
};
use serde_json::Value as Json;
use std::time::Duration;

/// Each word of a model's text is obeyed.
#[derive(Clone)]
struct Obedient;

impl Backend for Obedient {
    type Model = (String, String);

    fn load(
        &self,
        name: &str,
        source: &str,
        defines: &[(String, String)],
        _depth_limit: usize,
    ) -> Result<(Self::Model, Vec<Diagnostic>), Vec<Diagnostic>> {
        let bad = |what: &str| Diagnostic::error("E0999", Span::new(0, 1), what, "", "");
        if source.contains("error") {
            return Err(vec![bad("told to fail"), bad("twice")]);
        }
        if let Some((name, _)) = defines.first() {
            return Err(vec![bad(&format!("no constant `{name}`"))]);
        }
        Ok(((name.to_string(), source.to_string()), Vec::new()))
    }

    fn property_names(&self, (_, source): &Self::Model) -> Vec<String> {
        source.split_whitespace().map(str::to_string).collect()
    }

    fn variable_order(&self, (_, source): &Self::Model) -> Vec<String> {
        self.property_names(&(String::new(), source.clone()))
    }

    fn check(
        &self,
        (name, source): &Self::Model,
        theorem: &Chosen,
        (options, _): (&Options, Option<&Together>),
        control: &Control,
    ) -> Report {
        let mut report = Report::undecided(name, theorem.name());
        control.enter("obeying");
        control.publish(&report);
        for word in source.split_whitespace() {
            match word {
                "panic" => panic!("on purpose, in a test"),
                "hang" => std::thread::sleep(Duration::from_secs(4)),
                "holds" => report.verdict = Verdict::Holds,
                "rejected" => {
                    let mut property = refuted();
                    property.reason = PropertyReason::Contradicted(Contradiction::NotRepeated);
                    report.properties.push(property);
                }
                "inapplicable" => report.verdict = Verdict::HypothesisRefuted,
                "refuted" => {
                    report.verdict = Verdict::Refuted;
                    report.properties.push(refuted());
                }
                _ => {}
            }
        }
        if options.cross_check {
            report.states.original = Some("7".to_string());
        }
        report
    }

    fn movers(&self, (name, _): &Self::Model, _: &Control) -> MoversReport {
        MoversReport::undecided(name)
    }

    fn eval(
        &self,
        _model: &Self::Model,
        _statement: &str,
        _control: &Control,
    ) -> Result<coarsen::results::EvalReport, Vec<Diagnostic>> {
        Err(Vec::new())
    }
}

fn refuted() -> Property {
    Property {
        verdict: Status::Refuted,
        trace_length: Some("0".to_string()),
        coarse_length: Some("0".to_string()),
        trace: Some(Trace {
            variables: vec![TraceVariable {
                name: "x".to_string(),
                dims: Vec::new(),
            }],
            states: vec![vec![Value::Int(1)]],
            steps: Vec::<TraceStep>::new(),
            skipped: 0,
            outcome: Outcome::Wrong,
            about: Vec::new(),
            execution: Default::default(),
        }),
        ..Property::undecided("refuted", PropertyKind::Invariant)
    }
}

/// The exit code and stdout of `coarsen check` with these options on these texts, called `m0`, `m1`, ..
fn check(options: &[&str], texts: &[&str]) -> (Exit, String) {
    let names: Vec<String> = (0..texts.len()).map(|i| format!("m{i}")).collect();
    let words = ["coarsen", "check"]
        .into_iter()
        .chain(options.iter().copied());
    let words = words.chain(names.iter().map(String::as_str));
    let arguments = crate::cli::args::Arguments::try_parse_from(words).expect("arguments");
    let crate::cli::args::Command::Check(args) = arguments.command else {
        panic!("not `check`");
    };
    let inputs = names.iter().zip(texts).map(|(name, source)| {
        let input = Input {
            name: name.clone(),
            source: source.to_string(),
        };
        (name.as_str(), Ok(input))
    });
    let mut written = Vec::new();
    let mut output = Output::new(&mut written);
    let theorem = chosen(args.theorem.as_deref(), (99, args.format()), &mut output);
    let exit = match usable(&args).and(theorem.map_err(|_| String::new())) {
        Ok(theorem) => {
            let run = Session::new(&Obedient, (&args, theorem), Interrupts::default());
            run.all(inputs, &mut output)
        }
        Err(_) => Exit::Usage,
    };
    (exit, String::from_utf8(written).expect("text"))
}

#[test]
fn all_models_are_answered_and_the_gravest_code_wins() {
    let all = [
        "holds",
        "nothing",
        "inapplicable",
        "refuted",
        "error",
        "panic",
        "rejected",
    ];
    let codes = [0, 20, 11, 10, 3, 1, 12];
    for (i, code) in codes.into_iter().enumerate() {
        let (exit, seen) = check(&["-q"], &all[..=i]);
        assert_eq!(exit as u8, code, "{:?}", &all[..=i]);
        assert_eq!(seen.lines().count(), i + 1, "{seen}");
    }
    let (_, seen) = check(&["-q"], &all[..5]);
    let why = "nothing has been established yet";
    let first = format!("m0: holds - {why}\nm1: unknown - {why}\nm2: hypothesis refuted - {why}\n");
    assert_eq!(
        seen,
        format!("{first}m3: refuted - {why}\nm4: error - 2 errors\n")
    );
}

#[test]
fn json_is_one_object_per_model_and_line() {
    let (exit, seen) = check(
        &["--format=json", "--cross-check"],
        &["holds", "error", "refuted"],
    );
    assert_eq!(exit, Exit::Input);
    let objects: Vec<Json> = seen
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    let verdicts: Vec<&Json> = objects.iter().map(|o| &o["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "error", "refuted"]);
    assert_eq!(objects[0]["limits"]["nodes"], "20000000");
    assert_eq!(objects[0]["states"]["original"], "7");
    assert_eq!(objects[1]["diagnostics"][1]["message"], "twice");
    assert_eq!(objects[1]["diagnostics"][1]["end_column"], 2);
}

#[test]
fn a_filter_that_matches_nothing_is_wrong_usage() {
    let property = ["--property", "deadlock_free"];
    assert_eq!(
        check(&property, &["holds", "refuted"]),
        (Exit::Usage, String::new())
    );
    let (exit, seen) = check(&property, &["holds", "deadlock_free holds"]);
    assert_eq!(exit, Exit::Holds);
    assert!(seen.starts_with("m1: holds"), "{seen}");
    assert_eq!(check(&property, &["holds", "error"]).0, Exit::Input);
}

#[test]
fn unusable_arguments() {
    assert_eq!(check(&["--theorem", "liptn"], &["holds"]).0, Exit::Usage);
    assert_eq!(check(&["--theorem", "lipton"], &["holds"]).0, Exit::Holds);
    assert_eq!(check(&["-D", "N=4"], &["holds"]).0, Exit::Input);
}

#[test]
fn the_order_is_printed_instead() {
    let (exit, seen) = check(&["--print-order"], &["x y"]);
    assert_eq!(
        (exit, seen.as_str()),
        (Exit::Holds, "m0: variable order\n  x\n  y\n")
    );
    let (_, seen) = check(&["--print-order", "--format=json"], &["x y"]);
    assert!(seen.contains(r#""variable_order":["x","y"]"#), "{seen}");
}

#[test]
fn a_worker_that_hangs_leaves_its_snapshot_and_no_further_model_is_begun() {
    let (exit, seen) = check(&["--limit-time=50ms", "-q"], &["hang", "holds"]);
    assert_eq!(exit, Exit::Unknown);
    let lines: Vec<&str> = seen.lines().collect();
    let reason = "stopped by the time limit (--limit-time), in phase `obeying`";
    assert_eq!(lines[0], format!("m0: unknown - {reason}"));
    assert!(lines[1].starts_with("m1: unknown - not checked"), "{seen}");
}

#[test]
fn the_first_trace_is_written_once() {
    let file = std::env::temp_dir().join(format!("coarsen-trace-{}.itf.json", std::process::id()));
    let path = file.to_string_lossy().into_owned();
    assert_eq!(check(&["--trace", &path], &["holds"]).0, Exit::Holds);
    assert!(!file.exists());
    assert_eq!(
        check(&["--trace", &path], &["holds", "refuted", "refuted"]).0,
        Exit::Refuted
    );
    let read: Json = std::fs::read_to_string(&file)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .expect("ITF");
    assert_eq!(read["#meta"]["source"], "m1");
    std::fs::remove_file(&file).expect("removed");
    let nowhere = check(&["--trace", "/nonexistent/t.json"], &["refuted"]);
    assert_eq!(nowhere.0, Exit::Internal);
}
