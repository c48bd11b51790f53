//! `coarsen compare`: every technique on one model, side by side.
//!
//! What is asked is the same in every row: whether a thread can go wrong, whether the discipline can be violated, and the model's invariants
//! and `reach` properties. Deadlocks are not asked for, as right movers do not preserve them (Levin et al. 2005 speak of
//! threads that go wrong only). Rows that are sound have to agree; each says what it costs.

use crate::algebra::Theory;
use crate::control::{Control, Stop};
use crate::explore::Heuristic;
use crate::explore::core::{Compiled, Movers, Technique, transactions};
use crate::program::{Expr, Program};
use crate::reach::{Engine, ReachOptions, reach};
use crate::reduction::{CheckOptions, check, gap, movers, prepare};
use crate::relation::Encoding;
use crate::report::{CompareReport, CompareRow, CompareTiming, ReachReport, Status, Verdict};
use crate::syntax::ast::{BinaryOp, PropertyKind};
use std::time::Instant;

/// How the condition that a thread has gone wrong is called.
const WRONG: &str = "a thread goes wrong";

/// Compares all techniques on a program. Never fails: what a row could not decide is `unknown` and says why.
pub fn compare(name: &str, program: &Program, theory: &Theory, control: &Control) -> CompareReport {
    let begun = Instant::now();
    let mut report = CompareReport::undecided(name, "nothing was explored yet");
    let mut program = program.clone();
    if program.deadlock_free.take().is_some() {
        report.notes.push(
            "deadlocks are not compared: right movers do not preserve them (`coarsen check` answers `deadlock_free`)"
                .into(),
        );
    }
    let program = &program;
    let compared = Compared {
        name,
        program,
        theory,
        control,
    };
    report.rows.extend([
        compared.reached("none", Engine::Explicit, false),
        compared.reached("none", Engine::Saturation, false),
        compared.checked(),
        compared.reached(&theory.name, Engine::Explicit, true),
        compared.reached(&theory.name, Engine::Saturation, true),
    ]);
    compared.transactions(&mut report);
    settle(&mut report);
    report.timing.total = begun.elapsed().as_secs_f64();
    report
}

/// What all rows have in common.
struct Compared<'a> {
    name: &'a str,
    program: &'a Program,
    theory: &'a Theory,
    control: &'a Control,
}

impl Compared<'_> {
    /// A row of `coarsen reach`.
    fn reached(&self, technique: &str, engine: Engine, reduced: bool) -> CompareRow {
        let begun = Instant::now();
        let declared = self.program.properties.iter();
        let options = ReachOptions {
            engine,
            reduced,
            invariants: declared.map(|p| p.name.clone()).collect(),
            find: wrong(self.program)
                .map(|e| (WRONG.to_string(), e))
                .into_iter()
                .collect(),
            ..ReachOptions::default()
        };
        let report = reach(self.name, self.program, self.theory, &options, self.control);
        let (verdict, reason) = verdict(&report);
        CompareRow {
            technique: technique.to_string(),
            engine: engine.name().to_string(),
            visited: report.visited.clone().or(report.states.clone()),
            states: report.states,
            transitions: report.transitions,
            forced: None,
            verdict,
            reason,
            sound: true,
            memory: report.memory,
            timing: since(begun),
        }
    }

    /// The row of `coarsen check`.
    fn checked(&self) -> CompareRow {
        let begun = Instant::now();
        let options = CheckOptions::default();
        let report = check(self.name, self.program, self.theory, &options, self.control);
        CompareRow {
            technique: self.theory.name.clone(),
            engine: "bdd".into(),
            states: report.states.reduced.clone(),
            visited: report.states.visited.clone(),
            transitions: None,
            forced: None,
            verdict: report.verdict,
            reason: report.reason,
            sound: true,
            memory: None,
            timing: since(begun),
        }
    }

    /// The rows of Levin et al.
    fn transactions(&self, report: &mut CompareReport) {
        let begun = Instant::now();
        let inferred = self.inferred();
        let program = inferred.as_ref().unwrap_or(self.program);
        self.control.enter("compare: movers");
        let order = Heuristic::ALL[0].0.order(program);
        let found = self.movers(program).and_then(|movers| {
            let compiled = Compiled::new(program, &order, self.control)?;
            Ok((movers, compiled))
        });
        let before = begun.elapsed().as_secs_f64();
        for (name, technique) in [
            ("unsound", Technique::Unsound),
            ("cycle-detection", Technique::CycleDetection),
            ("cpc", Technique::Cpc),
            ("cpc-l19", Technique::CpcL19),
        ] {
            let mut row = match &found {
                Ok((movers, compiled)) => self.explored(program, compiled, movers, technique),
                Err(stop) => stopped(*stop),
            };
            row.technique = name.into();
            row.sound = technique != Technique::Unsound;
            row.timing.total += before;
            report.rows.push(row);
        }
        report.notes.push(format!(
            "the times of unsound, cycle-detection, cpc and cpc-l19 include {before:.3} s for finding the movers, once"
        ));
    }

    /// The program with the disciplines that were inferred, where the theorem says that they are kept.
    fn inferred(&self) -> Option<Program> {
        let (checked, prepared) = prepare(self.name, self.program, self.theory, self.control);
        let kept = !checked.discipline.is_empty() && gap(&checked).is_none();
        prepared.filter(|_| kept).map(|p| p.program)
    }

    fn movers(&self, program: &Program) -> Result<Movers, Stop> {
        let e = Encoding::new(program, self.control)?;
        let mut wanted = Vec::new();
        for p in &program.properties {
            let holds = e.predicate(&p.expr)?;
            wanted.push(match p.kind {
                PropertyKind::Reach => holds,
                PropertyKind::Invariant | PropertyKind::Lemma => holds.not(),
            });
        }
        movers(&e, &wanted)
    }

    fn explored(
        &self,
        program: &Program,
        compiled: &Compiled,
        movers: &Movers,
        technique: Technique,
    ) -> CompareRow {
        let begun = Instant::now();
        self.control.enter("compare: transactions");
        let mut asked: Vec<(Expr, bool)> = wrong(program).map(|e| (e, true)).into_iter().collect();
        let first = asked.len();
        asked.extend(
            program
                .properties
                .iter()
                .map(|p| (p.expr.clone(), p.kind == PropertyKind::Reach)),
        );
        let (found, done) =
            transactions(program, compiled, movers, technique, &asked, self.control);
        let finished = |n: u64| done.is_ok().then(|| n.to_string());
        let mut verdict = (Verdict::Holds, "nothing goes wrong".to_string());
        let mut settle = |to: Verdict, why: String| {
            if verdict.0 != Verdict::Refuted {
                verdict = (to, why);
            }
        };
        if found.violated {
            settle(Verdict::Refuted, "the discipline is violated".into());
        }
        if found.met[..first].contains(&true) {
            settle(Verdict::Refuted, WRONG.into());
        }
        for (p, &met) in program.properties.iter().zip(&found.met[first..]) {
            match (p.kind, met, &done) {
                (PropertyKind::Reach, false, Ok(())) => {
                    settle(Verdict::Refuted, format!("{} is not reached", p.name));
                }
                (PropertyKind::Invariant, true, _) => {
                    settle(Verdict::Refuted, format!("{} is violated", p.name));
                }
                _ => {}
            }
        }
        if let Err(stop) = done {
            settle(Verdict::Unknown, stop.to_string());
        }
        CompareRow {
            engine: "explicit".into(),
            states: finished(found.states),
            visited: finished(found.visited),
            transitions: finished(found.transitions),
            forced: finished(found.forced),
            verdict: verdict.0,
            reason: verdict.1,
            memory: Some(found.bytes.to_string()),
            timing: since(begun),
            ..stopped(Stop::Time)
        }
    }
}

/// A row of transactions that has nothing to tell.
fn stopped(stop: Stop) -> CompareRow {
    CompareRow {
        technique: String::new(),
        engine: "explicit".into(),
        states: None,
        visited: None,
        transitions: None,
        forced: None,
        verdict: Verdict::Unknown,
        reason: format!("stopped by {stop}"),
        sound: true,
        memory: None,
        timing: CompareTiming::default(),
    }
}

fn since(begun: Instant) -> CompareTiming {
    CompareTiming {
        total: begun.elapsed().as_secs_f64(),
    }
}

/// That some thread has gone wrong, if one can.
fn wrong(program: &Program) -> Option<Expr> {
    let threads = program.threads.iter().enumerate();
    let all = threads.filter_map(|(t, thread)| Some(Expr::At(t, vec![thread.wrong?])));
    all.reduce(|a, b| Expr::Binary(BinaryOp::Or, Box::new(a), Box::new(b)))
}

/// What a row of `coarsen reach` says about all that is compared.
fn verdict(report: &ReachReport) -> (Verdict, String) {
    if report.violated {
        return (Verdict::Refuted, "the discipline is violated".into());
    }
    let is_bad = |q: &&crate::report::Property| match q.name.as_str() {
        WRONG => q.verdict == Status::Holds,
        _ => q.verdict == Status::Refuted,
    };
    if let Some(q) = report.questions.iter().find(is_bad) {
        let why = match (q.name.as_str(), q.kind.as_str()) {
            (WRONG, _) => WRONG.to_string(),
            (name, "find") => format!("{name} is not reached"),
            (name, _) => format!("{name} is violated"),
        };
        return (Verdict::Refuted, why);
    }
    if let Some(gap) = &report.gap {
        return (Verdict::Unknown, gap.clone());
    }
    if report.states.is_none()
        || report
            .questions
            .iter()
            .any(|q| q.verdict == Status::Unknown)
    {
        return (Verdict::Unknown, report.reason.clone());
    }
    (Verdict::Holds, "nothing goes wrong".into())
}

/// The sound rows' common verdict.
fn settle(report: &mut CompareReport) {
    let decided = |v: Verdict| matches!(v, Verdict::Holds | Verdict::Refuted);
    let sound = || report.rows.iter().filter(|r| r.sound && decided(r.verdict));
    let Some(first) = sound().next() else {
        report.reason = "no sound technique has decided it".into();
        return;
    };
    if let Some(other) = sound().find(|r| r.verdict != first.verdict) {
        report.disagree = true;
        report.reason = format!(
            "{} on {} says {}, {} on {} says {}; this is a bug in coarsen",
            first.technique,
            first.engine,
            said(first.verdict),
            other.technique,
            other.engine,
            said(other.verdict)
        );
        return;
    }
    let (verdict, count) = (first.verdict, sound().count());
    let reason = first.reason.clone();
    report.reason = format!("{reason}, as {count} sound rows agree");
    report.verdict = verdict;
}

fn said(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Refuted => "refuted",
        _ => "unknown",
    }
}
