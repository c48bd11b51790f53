//! `coarsen compare`: every technique on one model, side by side.
//!
//! Every row answers the same questions: whether a thread can go wrong, whether the discipline can be violated, and the
//! model's invariants and `reach` properties. Deadlocks are asked for where a technique preserves them, which right
//! movers do not (Levin et al. 2005 speak of threads that go wrong only). Rows that are sound have to agree; each says
//! what it costs.

use crate::algebra::Theory;
use crate::algebra::text::theory;
use crate::base::control::{Control, Stop};
use crate::base::results;
use crate::base::results::{
    CompareNote, CompareReason, CompareReport, CompareRow, CompareTiming, Note, PropertyKind,
    ReachReport, RowReason, RowVerdict, Status, Verdict,
};
use crate::command::reach::{Engine, ReachOptions, reach};
use crate::engine::Heuristic;
use crate::engine::compiled::{Compiled, Movers, Technique as Transacted, transactions};
use crate::engine::partial_order::{Por, Technique};
use crate::engine::relations::Encoding;
use crate::model::program::{Expr, Program};
use crate::model::text::ast;
use crate::theorem::{CheckOptions, check, complete, gap, movers, prepare, uses};
use biodivine_lib_bdd::Bdd;
use std::time::Instant;

/// How the condition that a thread has gone wrong is called.
const WRONG: &str = "a thread goes wrong";

/// The theorems about transactions that are compared; the first is explored on BDDs, too. (Lipton's says nothing of
/// threads that go wrong.)
const TRANSACTIONS: [&str; 3] = ["flanagan-qadeer", "left-movers", "right-movers"];

/// Steps of a row of partial-order reduction: executions can be very many.
const STEPS: u64 = 200_000;

/// Operations of a row on decision diagrams: half a minute, after which the others have their turn.
const OPERATIONS: u64 = 100_000_000;

/// Compares all techniques on a program, and gives each row to `told` as soon as it is known. It never fails: a row
/// that could not decide is `unknown` and says why.
pub fn compare(
    name: &str,
    program: &Program,
    theory: &Theory,
    (control, told): (&Control, &mut dyn FnMut(&CompareRow)),
) -> CompareReport {
    let begun = Instant::now();
    let mut report = CompareReport::undecided(name);
    let mut program = program.clone();
    program.deadlock_free = None;
    report.notes.push(Note::Compare(CompareNote::Deadlocks));
    if !std::mem::take(&mut program.claims).is_empty() {
        report.notes.push(Note::Compare(CompareNote::Claims));
    }
    let program = &program;
    let compared = Compared {
        name,
        program,
        theory,
        control,
    };
    let mut rows = Rows(&mut report.rows, told);
    rows.add(compared.reached(None, Engine::Explicit, None));
    rows.add(compared.reached(None, Engine::Saturation, None));
    rows.add(compared.checked(theory));
    rows.add(compared.reached(Some(theory), Engine::Explicit, None));
    rows.add(compared.reached(Some(theory), Engine::Saturation, None));
    for name in TRANSACTIONS {
        let Some(theory) = self::theory(name) else {
            continue;
        };
        if name == TRANSACTIONS[0] {
            rows.add(compared.checked(&theory));
        }
        rows.add(compared.reached(Some(&theory), Engine::Explicit, None));
    }
    compared.ordered(&mut rows);
    let finding = compared.transactions(&mut rows);
    report.notes.push(Note::Compare(CompareNote::Steps(STEPS)));
    report
        .notes
        .push(Note::Compare(CompareNote::Movers(finding)));
    settle(&mut report);
    report.timing.total = begun.elapsed().as_secs_f64();
    report
}

/// The rows so far, and who is told of each.
struct Rows<'r>(&'r mut Vec<CompareRow>, &'r mut dyn FnMut(&CompareRow));

impl Rows<'_> {
    fn add(&mut self, row: CompareRow) {
        (self.1)(&row);
        self.0.push(row);
    }
}

/// What all rows have in common.
struct Compared<'a> {
    name: &'a str,
    program: &'a Program,
    theory: &'a Theory,
    control: &'a Control,
}

impl<'a> Compared<'a> {
    /// A row of `coarsen reach`.
    fn reached(&self, theory: Option<&Theory>, engine: Engine, por: Option<Por>) -> CompareRow {
        let begun = Instant::now();
        let technique = match (theory, &por) {
            (None, None) => "none".to_string(),
            (Some(theory), None) => theory.name.clone(),
            (None, Some(por)) => por.name(),
            (Some(theory), Some(por)) => format!("{} + {}", theory.name, por.name()),
        };
        let command = self.reach_command(theory, engine, por.as_ref());
        let declared = self.program.properties.iter();
        let options = ReachOptions {
            engine,
            reduced: theory.is_some(),
            operations: match (&por, engine) {
                (Some(_), _) => Some(STEPS),
                (None, Engine::Saturation) => Some(OPERATIONS),
                _ => None,
            },
            por,
            deadlock: preserves_deadlocks(theory),
            invariants: declared.map(|p| p.name.clone()).collect(),
            find: wrong(self.program)
                .map(|e| (WRONG.to_string(), e))
                .into_iter()
                .collect(),
            ..ReachOptions::default()
        };
        let by = theory.unwrap_or(self.theory);
        let report = reach(self.name, self.program, by, &options, self.control);
        let (verdict, reason) = verdict(&report);
        let is_all = theory.is_none() || report.por.is_some();
        let all = report.states.clone().filter(|_| is_all);
        CompareRow {
            technique,
            engine: engine.name().to_string(),
            visited: report.visited.clone().or(all),
            states: report.states,
            executions: report.executions,
            transitions: report.transitions,
            forced: None,
            deadlock: deadlock(&report.questions),
            verdict,
            reason,
            sound: true,
            command,
            memory: report.memory,
            timing: since(begun),
        }
    }

    /// The arguments that have `coarsen reach` do this, if its questions are all that is compared: it asks for no state
    /// in which a thread has gone wrong, and those who leave out orders do not watch the discipline.
    fn reach_command(
        &self,
        theory: Option<&Theory>,
        engine: Engine,
        por: Option<&Por>,
    ) -> Option<Vec<String>> {
        let watched = por.is_none() || self.program.protections.is_empty();
        let known = theory.is_none_or(|t| t.own.is_none());
        if self.program.can_go_wrong() || !watched || !known {
            return None;
        }
        let mut words = vec!["reach".to_string()];
        let mut add = |all: &[&str]| words.extend(all.iter().map(|w| w.to_string()));
        if let Some(theory) = theory {
            add(&["--reduced", "--theorem", &theory.name]);
        }
        match por {
            Some(por) => por
                .techniques
                .iter()
                .for_each(|t| add(&["--por", t.name()])),
            None => add(&["--engine", engine.name()]),
        }
        if preserves_deadlocks(theory) {
            add(&["--deadlock"]);
        }
        for property in &self.program.properties {
            add(&["--invariant", &property.name]);
        }
        words.extend(self.defines());
        Some(words)
    }

    /// The arguments that give constants the values they have here.
    fn defines(&self) -> impl Iterator<Item = String> {
        let all = self.program.overridden.iter();
        all.flat_map(|define| ["-D".to_string(), define.clone()])
    }

    /// The rows of partial-order reduction, on the original program and on the reduced system.
    fn ordered(&self, rows: &mut Rows) {
        use Technique as T;
        let por = |techniques: &[T]| Por {
            techniques: techniques.to_vec(),
            discipline: true,
            ..Por::default()
        };
        for techniques in [
            &[T::Persistent][..],
            &[T::Stubborn],
            &[T::Cartesian],
            &[T::SourceDpor, T::LocalCycles],
        ] {
            rows.add(self.reached(None, Engine::Explicit, Some(por(techniques))));
        }
        let stubborn = Some(por(&[T::Stubborn]));
        rows.add(self.reached(Some(self.theory), Engine::Explicit, stubborn));
    }

    /// The row of `coarsen check`.
    fn checked(&self, theory: &Theory) -> CompareRow {
        let begun = Instant::now();
        let options = CheckOptions::default();
        let report = check(self.name, self.program, theory, &options, self.control);
        CompareRow {
            technique: theory.name.clone(),
            engine: "bdd".into(),
            states: report.states.reduced.clone(),
            visited: report.states.visited.clone(),
            executions: None,
            transitions: None,
            forced: None,
            deadlock: None,
            verdict: report.verdict,
            reason: RowReason::Check(report.reason),
            sound: true,
            command: theory.own.is_none().then(|| {
                let words = ["check", "--theorem", &theory.name].map(String::from);
                words.into_iter().chain(self.defines()).collect()
            }),
            memory: None,
            timing: since(begun),
        }
    }

    /// The rows of Levin et al.; the seconds that finding the movers took, once for all of them.
    fn transactions(&self, rows: &mut Rows) -> f64 {
        let begun = Instant::now();
        let inferred = self.inferred();
        let program = inferred.as_ref().unwrap_or(self.program);
        self.control.enter("compare: movers");
        let relations = self.relations(program);
        let before = begun.elapsed().as_secs_f64();
        let order = Heuristic::ALL[0].0.order(program);
        let compiled = Compiled::new(program, &order, self.control);
        for (name, technique) in [
            ("unsound", Transacted::Unsound),
            ("cycle-detection", Transacted::CycleDetection),
            ("cpc", Transacted::Cpc),
            ("cpc-l19", Transacted::CpcL19),
        ] {
            let mut row = match (&relations, &compiled) {
                (Ok(r), Ok(compiled)) => self.explored(program, compiled, &r.movers, technique),
                (Err(stop), _) | (_, Err(stop)) => stopped(*stop),
            };
            row.technique = name.into();
            row.sound = technique != Transacted::Unsound;
            row.timing.total += before;
            rows.add(row);
        }
        let mut row = match &relations {
            Ok(r) => self.completed(program, r),
            Err(stop) => stopped(*stop),
        };
        row.technique = "symbolic-cpc".into();
        row.engine = "bdd".into();
        row.timing.total += before;
        rows.add(row);
        before
    }

    /// The program with the disciplines that were inferred, where the theorem says that they are kept.
    fn inferred(&self) -> Option<Program> {
        let (checked, prepared) = prepare(self.name, self.program, self.theory, &[], self.control);
        let kept = !checked.discipline.is_empty() && gap(&checked).is_none();
        prepared.filter(|_| kept).map(|p| p.program)
    }

    fn relations<'p>(&self, program: &'p Program) -> Result<Relations<'p>, Stop>
    where
        'a: 'p,
    {
        let e = Encoding::within(program, self.control.budget().effort, self.control)?;
        let asked = asked(program)
            .iter()
            .map(|a| {
                let holds = e.predicate(&a.condition)?;
                Ok(if a.value { holds } else { holds.not() })
            })
            .collect::<Result<Vec<Bdd>, Stop>>()?;
        let declared = asked.len() - program.properties.len();
        let movers = movers(&e, &asked[declared..])?;
        Ok(Relations { e, asked, movers })
    }

    fn explored(
        &self,
        program: &Program,
        compiled: &Compiled,
        movers: &Movers,
        technique: Transacted,
    ) -> CompareRow {
        let begun = Instant::now();
        self.control.enter("compare: transactions");
        let asked = asked(program);
        let conditions: Vec<(Expr, bool)> = asked
            .iter()
            .map(|a| (a.condition.clone(), a.value))
            .collect();
        let (found, done) = transactions(
            program,
            compiled,
            movers,
            technique,
            &conditions,
            self.control,
        );
        let finished = |n: u64| done.is_ok().then(|| n.to_string());
        let (verdict, reason) = told(&asked, found.violated, &found.met, done.err());
        CompareRow {
            states: finished(found.states),
            visited: finished(found.visited),
            transitions: finished(found.transitions),
            forced: finished(found.forced),
            verdict,
            reason,
            memory: Some(found.bytes.to_string()),
            timing: since(begun),
            ..stopped(Stop::Time)
        }
    }

    /// The row of transactions as sets.
    fn completed(&self, program: &Program, relations: &Relations) -> CompareRow {
        let begun = Instant::now();
        let (e, m) = (&relations.e, &relations.e.m);
        let (found, done) = complete(e, &relations.movers);
        let violated = !m.disjoint(&found.visited, &e.q());
        let met: Vec<bool> = relations
            .asked
            .iter()
            .map(|a| !m.disjoint(&found.visited, a))
            .collect();
        let counted = done.and_then(|()| {
            let sets = [&found.states, &found.visited, &found.forced];
            sets.into_iter()
                .map(|set| Ok(e.count(set)?.to_string()))
                .collect::<Result<Vec<_>, Stop>>()
        });
        let (verdict, reason) = told(
            &asked(program),
            violated,
            &met,
            counted.as_ref().err().copied(),
        );
        let count = |n: usize| counted.as_ref().ok().map(|c| c[n].clone());
        CompareRow {
            states: count(0),
            visited: count(1),
            forced: count(2),
            verdict,
            reason,
            timing: since(begun),
            ..stopped(Stop::Time)
        }
    }
}

/// A program as relations.
struct Relations<'p> {
    e: Encoding<'p>,
    /// The states of each [`Asked`].
    asked: Vec<Bdd>,
    movers: Movers,
}

/// States that are looked for.
struct Asked {
    condition: Expr,
    /// The value it has in them.
    value: bool,
    /// What it means for the verdict, and in which case.
    reason: RowReason,
    bad_if_met: bool,
}

/// That a thread goes wrong, if one can, and the program's properties.
fn asked(program: &Program) -> Vec<Asked> {
    let wrong = wrong(program).map(|condition| Asked {
        condition,
        value: true,
        reason: RowReason::Wrong,
        bad_if_met: true,
    });
    let declared = program.properties.iter().map(|p| {
        let reach = p.kind == ast::PropertyKind::Reach;
        Asked {
            condition: p.expr.clone(),
            value: reach,
            reason: match reach {
                true => RowReason::NotReached(p.name.clone()),
                false => RowReason::Violates(p.name.clone()),
            },
            bad_if_met: !reach,
        }
    });
    wrong.into_iter().chain(declared).collect()
}

/// The verdict of an exploration that met these states, and was stopped or not.
fn told(asked: &[Asked], violated: bool, met: &[bool], stop: Option<Stop>) -> (Verdict, RowReason) {
    if violated {
        return (Verdict::Refuted, RowReason::Discipline);
    }
    for (a, &met) in asked.iter().zip(met) {
        if met == a.bad_if_met && (met || stop.is_none()) {
            return (Verdict::Refuted, a.reason.clone());
        }
    }
    match stop {
        Some(stop) => (Verdict::Unknown, RowReason::Stopped(stop)),
        None => (Verdict::Holds, RowReason::Fine),
    }
}

/// A row of transactions that has nothing to tell.
fn stopped(stop: Stop) -> CompareRow {
    CompareRow {
        technique: String::new(),
        engine: "explicit".into(),
        states: None,
        visited: None,
        executions: None,
        transitions: None,
        forced: None,
        deadlock: None,
        verdict: Verdict::Unknown,
        reason: RowReason::NotBegun(stop),
        sound: true,
        command: None,
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
    program.can_go_wrong().then(|| program.gone_wrong())
}

/// Whether a reduced system has the deadlocks of the original: Levin et al. (2005) speak of threads that go wrong only.
fn preserves_deadlocks(theory: Option<&Theory>) -> bool {
    theory.is_none_or(|t| uses(t).is_none())
}

/// Whether a deadlock is reachable, where that was asked for and decided.
fn deadlock(questions: &[results::Property]) -> Option<bool> {
    let asked = questions.iter().find(|q| q.kind == PropertyKind::Deadlock);
    match asked?.verdict {
        Status::Holds => Some(false),
        Status::Refuted => Some(true),
        Status::Unknown => None,
    }
}

/// What a row of `coarsen reach` says about all that is compared, but for deadlocks.
fn verdict(report: &ReachReport) -> (Verdict, RowReason) {
    if report.violated {
        return (Verdict::Refuted, RowReason::Discipline);
    }
    let is_bad = |q: &&results::Property| match q.name.as_str() {
        WRONG => q.verdict == Status::Holds,
        _ => q.verdict == Status::Refuted,
    };
    let questions = || {
        let all = report.questions.iter();
        all.filter(|q| q.kind != PropertyKind::Deadlock)
    };
    if let Some(q) = questions().find(is_bad) {
        let why = match (q.name.as_str(), q.kind) {
            (WRONG, _) => RowReason::Wrong,
            (name, PropertyKind::Find) => RowReason::NotReached(name.to_string()),
            (name, _) => RowReason::Violates(name.to_string()),
        };
        return (Verdict::Refuted, why);
    }
    if let Some(gap) = &report.gap {
        return (Verdict::Unknown, RowReason::Gap(gap.clone()));
    }
    if report.states.is_none() && report.executions.is_none()
        || questions().any(|q| q.verdict == Status::Unknown)
    {
        let reason = RowReason::Reach(report.reason.clone());
        return (Verdict::Unknown, reason);
    }
    (Verdict::Holds, RowReason::Fine)
}

/// The sound rows' common verdict.
fn settle(report: &mut CompareReport) {
    let decided = |v: Verdict| matches!(v, Verdict::Holds | Verdict::Refuted);
    let sound = || report.rows.iter().filter(|r| r.sound && decided(r.verdict));
    let Some(first) = sound().next() else {
        report.reason = CompareReason::Open;
        return;
    };
    if let Some(other) = sound().find(|r| r.verdict != first.verdict) {
        let says = |row: &CompareRow| RowVerdict {
            technique: row.technique.clone(),
            engine: row.engine.clone(),
            verdict: row.verdict,
        };
        report.reason = CompareReason::Disagree([says(first), says(other)]);
        return;
    }
    let mut known = report.rows.iter().filter(|r| r.deadlock.is_some());
    if let Some(first) = known.next()
        && let Some(other) = known.find(|r| r.deadlock != first.deadlock)
    {
        let says = |row: &CompareRow| RowVerdict {
            technique: format!("{} on deadlocks", row.technique),
            engine: row.engine.clone(),
            verdict: match row.deadlock {
                Some(true) => Verdict::Refuted,
                _ => Verdict::Holds,
            },
        };
        report.reason = CompareReason::Disagree([says(first), says(other)]);
        return;
    }
    report.verdict = first.verdict;
    report.reason = CompareReason::Agree(first.reason.clone(), sound().count());
}
