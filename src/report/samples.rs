//! Reports made up for the tests of the renderings; between them they fill every field.

use crate::base::diagnostic::Position;
use crate::base::results::*;

fn step(
    thread: usize,
    location: &str,
    line: usize,
    text: &str,
    reasons: &[VisibilityReason],
) -> Step {
    Step {
        thread: format!("worker({thread})"),
        location: location.to_string(),
        line,
        column: 5,
        text: text.to_string(),
        reasons: reasons.iter().cloned().map(Remark::Visible).collect(),
    }
}

fn bindings(pairs: &[(&str, &str)]) -> Vec<Binding> {
    let binding = |&(name, value): &(&str, &str)| Binding {
        name: name.to_string(),
        value: value.to_string(),
    };
    pairs.iter().map(binding).collect()
}

/// All instances hold on all type-correct states.
fn inclusions(checked: usize, independent: usize) -> Evaluated {
    let mut needed = Needed::default();
    needed.add(Rung::True, 1);
    Evaluated::Inclusions {
        on: Places::Held(needed),
        checked,
        independent,
    }
}

fn hypothesis(id: &str, formula: &str, words: &str, evidence: Evaluated) -> Hypothesis {
    Hypothesis {
        id: id.to_string(),
        formula: formula.to_string(),
        words: Demand::Theory(words.to_string()),
        status: Status::Holds,
        instances: "2".to_string(),
        evidence: Evidence::Evaluated(evidence),
        discharge: crate::base::results::Discharge::Evaluated,
        facts: "0".into(),
        vacuous: false,
        invariant: Some(Rung::True),
        contradiction: None,
        witness: None,
        excluded: Vec::new(),
    }
}

fn property(name: &str, kind: PropertyKind, verdict: Status, reason: PropertyReason) -> Property {
    Property {
        verdict,
        reason,
        ..Property::undecided(name, kind)
    }
}

fn lemma(name: &str, status: Status, reason: LemmaReason) -> Lemma {
    Lemma {
        name: name.to_string(),
        line: 15,
        status,
        reason,
        used: status == Status::Holds,
        step: None,
        state: Vec::new(),
        trace: None,
    }
}

/// A lemma that is not inductive.
fn broken() -> Lemma {
    let place = Place {
        thread: "worker(0)".to_string(),
        location: "B".to_string(),
        at: Position { line: 8, column: 5 },
    };
    Lemma {
        step: Some(step(0, "B", 8, "x[0] = i;", &[])),
        state: bindings(&[("x[0]", "0"), ("worker(0)", "B")]),
        ..lemma("bounded", Status::Unknown, LemmaReason::Broken(place))
    }
}

/// Everything holds; one step was repaired, one expectation is not met.
pub(super) fn holds() -> Report {
    let mut report = Report::undecided("two_locks.cor", "stoller-cohen");
    report.reason = CheckReason::Holds {
        only: Vec::new(),
        vacuous: false,
        in_full: None,
    };
    report.verdict = Verdict::Holds;
    report.theorem_source = "Stoller & Cohen 2003, section 3".to_string();
    report.invariant = Some(Rung::LockOwnership);
    inferred(&mut report);
    report.well_formedness = vec![hypothesis(
        "WFinitVis",
        "init <= p",
        "initially no invisible step is enabled",
        Evaluated::Initially,
    )];
    report.hypotheses = vec![
        hypothesis(
            "11",
            "(u_i ~q)^w = 0",
            "no thread takes invisible steps for ever",
            inclusions(1, 0),
        ),
        Hypothesis {
            vacuous: true,
            instances: "1".to_string(),
            ..hypothesis(
                "14",
                "u_j u_i <= u_i (q T + u_j + u_j q T)",
                "invisible steps of different threads commute",
                inclusions(18, 10),
            )
        },
    ];
    report.hypotheses[0].invariant = Some(Rung::LockOwnership);
    report.hypotheses[0].excluded = vec![Witness {
        start: Start::Unreachable(Exclusion::LockOwnership(vec![LockFact::Owns {
            thread: "worker(0)".to_string(),
            location: "B".to_string(),
            lock: Lock {
                name: "m[0]".to_string(),
                writing: false,
            },
            owns: true,
        }])),
        ..witness()
    }];
    report.properties = properties();
    steps(&mut report);
    report.states = States {
        original: Some("106".to_string()),
        reduced: Some("62".to_string()),
        visited: None,
    };
    let inductive = LemmaReason::Inductive { used: true };
    report.lemmas = vec![lemma("one_owner", Status::Holds, inductive), broken()];
    report.notes = vec![Note::Overridden(vec!["N = 2".to_string()])];
    let expectation = |text: &str, met, found: Found| Expectation {
        text: text.to_string(),
        met,
        found,
    };
    report.expectations = vec![
        expectation(
            "expect verdict holds",
            Some(true),
            Found::Verdict(Verdict::Holds),
        ),
        expectation("expect reduced 61", Some(false), Found::Count("62".into())),
        expectation("expect visited 117", None, Found::Nothing),
    ];
    report.limits = Limits {
        nodes: Some("20000000".to_string()),
        states: Some("5000000".to_string()),
        time: Some(60.0),
        memory: Some("4294967296".to_string()),
        hit: None,
    };
    report.timing.total = 0.125;
    report.statistics = Statistics {
        threads: Some("2".to_string()),
        actions: Some("18".to_string()),
        bits: Some("14".to_string()),
        pairs_checked: Some("8".to_string()),
        pairs_skipped: Some("10".to_string()),
        rounds: Some("6".to_string()),
        peak_nodes: Some("321".to_string()),
    };
    report
}

/// Two that hold.
fn properties() -> Vec<Property> {
    vec![
        property(
            "discipline",
            PropertyKind::Discipline,
            Status::Holds,
            PropertyReason::Theorem(Conclusion::Discipline),
        ),
        property(
            "never_two",
            PropertyKind::Invariant,
            Status::Holds,
            PropertyReason::Theorem(Conclusion::States),
        ),
    ]
}

/// The discipline of one cell was guessed, and revised once.
fn inferred(report: &mut Report) {
    let mutexes = || Discipline::Mutexes(vec!["m[0]".to_string()]);
    report.discipline = vec![Inferred {
        variable: "x[0]".to_string(),
        discipline: mutexes(),
    }];
    report.annotated = Some("mutex m;\n".to_string());
    report.revisions = vec![Revision {
        variable: "x[0]".to_string(),
        from: Discipline::EveryMutex,
        to: mutexes(),
        why: Refutation::Unlocked {
            thread: "worker(0)".to_string(),
            location: "B".to_string(),
            missing: vec!["m[1]".to_string()],
        },
        steps: vec![step(0, "B", 7, "x[0] = i;", &[])],
    }];
}

/// Visible steps, one of them by a repair, and an invisible one.
fn steps(report: &mut Report) {
    report.visible = vec![
        step(
            0,
            "A",
            7,
            "lock(m[0]);",
            &[VisibilityReason::ChangesPredicate("x[0]".to_string())],
        ),
        step(0, "line 9", 9, "t = 1;", &[VisibilityReason::FirstStep]),
        step(1, "A", 7, "lock(m[0]);", &[]),
    ];
    report.invisible = vec![step(0, "B", 8, "x[0] = i;", &[])];
}

fn violation() -> Violation {
    Violation::Access {
        thread: "worker(1)".to_string(),
        cell: "x[0]".to_string(),
        holders: vec!["worker(0)".to_string()],
    }
}

/// The discipline is refuted by a trace.
pub(super) fn refuted() -> Report {
    let mut report = holds();
    report.verdict = Verdict::Refuted;
    report.reason = CheckReason::Property {
        name: "discipline".to_string(),
        reason: PropertyReason::Found(Outcome::Discipline),
        others: 0,
    };
    report.expectations.clear();
    report.notes.clear();
    let int = |i| Value::Int(i);
    let at = |label: &str| Value::Text(label.to_string());
    let cells = |a, b| Value::List(vec![Value::Int(a), Value::Int(b)]);
    let variable = |name: &str, dims: &[usize]| TraceVariable {
        name: name.to_string(),
        dims: dims.to_vec(),
    };
    let change = |name: &str, old: &str, new: &str| Change {
        name: name.to_string(),
        old: old.to_string(),
        new: new.to_string(),
    };
    let taken = |coarse, step, changes: Vec<Change>, violation: Option<Violation>| TraceStep {
        code: None,
        coarse,
        step,
        changes,
        violation,
    };
    report.properties[0] = Property {
        trace_length: Some("3".to_string()),
        coarse_length: Some("2".to_string()),
        trace: Some(Trace {
            variables: vec![
                variable("x", &[2]),
                variable("y", &[]),
                variable("worker(0)", &[]),
            ],
            states: vec![
                vec![cells(0, 0), int(0), at("A")],
                vec![cells(0, 0), int(0), at("B")],
                vec![cells(1, 0), int(0), at("C")],
                vec![cells(1, 0), int(0), at("C")],
            ],
            steps: vec![
                taken(
                    1,
                    step(0, "A", 7, "lock(m[0]);", &[]),
                    vec![
                        change("m[0].owner", "none", "worker(0)"),
                        change("worker(0)", "A", "B"),
                    ],
                    None,
                ),
                taken(
                    1,
                    step(0, "B", 8, "x[0] = 1;", &[]),
                    vec![change("x[0]", "0", "1")],
                    None,
                ),
                taken(
                    2,
                    step(1, "line 12", 12, "y = x[0];", &[]),
                    Vec::new(),
                    Some(violation()),
                ),
            ],
            skipped: 0,
            outcome: Outcome::Violation(violation()),
            about: vec!["x".to_string()],
            execution: Default::default(),
        }),
        ..property(
            "discipline",
            PropertyKind::Discipline,
            Status::Refuted,
            PropertyReason::Found(Outcome::Violation(violation())),
        )
    };
    report.properties[1].verdict = Status::Unknown;
    report.properties[1].reason = PropertyReason::FoundReduced(None);
    report
}

/// A hypothesis is refuted by a witness.
pub(super) fn inapplicable() -> Report {
    let mut report = holds();
    report.verdict = Verdict::HypothesisRefuted;
    report.reason = CheckReason::Fails("14".to_string());
    report.properties.clear();
    report.lemmas = vec![Lemma {
        trace: report_trace(),
        ..lemma("bounded", Status::Refuted, LemmaReason::Reachable)
    }];
    report.visible.clear();
    report.expectations.clear();
    report.notes.clear();
    report.states = States::default();
    report.hypotheses[0].excluded.clear();
    report.hypotheses[1].vacuous = false;
    report.hypotheses[1].status = Status::Refuted;
    report.hypotheses[1].invariant = None;
    let start = report_trace().map(Box::new).ok_or(NoTrace::NotFound);
    report.hypotheses[1].witness = Some(Witness {
        start: Start::Reachable(start),
        ..witness()
    });
    report
}

/// A trace without a violation.
fn report_trace() -> Option<Trace> {
    refuted().properties[0].trace.clone()
}

fn witness() -> Witness {
    Witness {
        instance: bindings(&[("i", "worker(0)"), ("j", "worker(1)")]),
        invariant: Some(Rung::True),
        inequality: "u_1 u_0 <= u_0 (q T + u_1 + u_1 q T)".to_string(),
        shape: Shape::Swap,
        states: vec![
            bindings(&[("x[0]", "0"), ("y", "1"), ("worker(0)", "B")]),
            bindings(&[("x[0]", "1"), ("y", "1"), ("worker(0)", "B")]),
            bindings(&[("x[0]", "1"), ("y", "1"), ("worker(0)", "B")]),
        ],
        steps: vec![
            step(1, "B", 8, "x[0] = 1;", &[]),
            step(0, "B", 8, "skip;", &[]),
        ],
        start: Start::Unknown(None),
        mend: Some(Mend::Separate(vec![Common::Cell("x[0]".to_string())])),
    }
}

/// A statement that fails.
pub(super) fn eval() -> EvalReport {
    EvalReport {
        schema_version: SCHEMA_VERSION,
        model: "two_locks.cor".to_string(),
        statement: "u[0] u[1] <= u[1] u[0]".to_string(),
        status: Status::Refuted,
        evidence: Evidence::Evaluated(Evaluated::On(Rung::Reachable)),
        instances: "1".to_string(),
        witness: Some(Witness {
            instance: Vec::new(),
            ..witness()
        }),
    }
}

/// A deadlock was found in a reduced system; one question is open.
pub(super) fn reach() -> ReachReport {
    let mut report = ReachReport::undecided("ring.cor", "chaining");
    let dead = PropertyReason::Found(Outcome::Deadlock(vec![Place {
        thread: "ring(0)".into(),
        location: "A".into(),
        at: Position { line: 9, column: 5 },
    }]));
    report.reason = ReachReason::Question("deadlock".to_string(), dead.clone());
    report.verdict = Verdict::Refuted;
    report.order = Some("force".to_string());
    report.theorem = Some("stoller-cohen".to_string());
    report.states = Some("26".to_string());
    report.visited = Some("62".to_string());
    report.deadlocks = Some("1".to_string());
    report.wrong_deadlocks = Some("0".to_string());
    let dead = property("deadlock", PropertyKind::Deadlock, Status::Refuted, dead);
    report.questions = vec![
        Property {
            trace_length: Some("3".to_string()),
            trace: report_trace(),
            ..dead
        },
        property(
            "bounded",
            PropertyKind::Invariant,
            Status::Holds,
            PropertyReason::Explored(PropertyKind::Invariant),
        ),
        property(
            "y == 2",
            PropertyKind::Find,
            Status::Unknown,
            PropertyReason::NotFound(Doubt::Hidden),
        ),
    ];
    report.peak_nodes = Some("416".to_string());
    report.memory = Some("206000".to_string());
    report.operations = Some("3351".to_string());
    let attempt = |engine: &str, operations: &str, finished| Attempt {
        engine: engine.to_string(),
        order: "force".to_string(),
        operations: operations.to_string(),
        finished,
    };
    report.attempts = vec![
        attempt("saturation", "131073", false),
        attempt("chaining", "3351", true),
    ];
    report.limits = ReachLimits {
        nodes: Some("100000000".to_string()),
        states: Some("5000000".to_string()),
        operations: Some("200000".to_string()),
        time: Some(60.0),
        memory: Some("4294967296".to_string()),
        hit: None,
        so_far: None,
    };
    report.timing.total = 0.125;
    report.notes = vec![Note::PerhapsLonger {
        name: "deadlock".to_string(),
        exhausted: false,
    }];
    report
}
