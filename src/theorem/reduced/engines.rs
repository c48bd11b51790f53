//! A program, or a reduced system, explored by the engines of `coarsen reach`: the same questions, and the same report.

use crate::base::control::{Control, Stop};
use crate::base::results::{Conclusion, Hypothesis, Note, PropertyReason, Report, Trace};
use crate::engine::quotients::{DeadLocals, Quotient, Symmetry};
use crate::engine::reach::{
    Answer, How, INSIDE, Outcome, Path, Question, Reduction, Sort, portfolio,
};
use crate::engine::{Heuristic, State, Variable};
use crate::model::program::{Expr, LocId, Program, Thread};
use crate::model::text::ast::{ExpectKind, PropertyKind};
use crate::theorem::check::{Check, Prepared, Reduce, hit};
use crate::theorem::discharge::syntactic::is_ever_open;
use crate::theorem::executions::trace::{repeat, settles};
use crate::theorem::properties::{Asked, GoalKind};
use crate::theorem::settled::{Known, by_stoller_cohen, by_transactions, nothing_found, traced};
use crate::theorem::wellformed;
use std::time::Instant;

/// Operations of an engine that are tried before BDDs explore: less than a second. Where states may be seen as one,
/// those of a first attempt in which they are not.
pub(in crate::theorem) const SOON: u64 = 1 << 21;
const AS_IT_IS: u64 = 1 << 16;
/// Of so many states, executions to what was looked for need not be the shortest ones, which diagrams find.
const LARGE: u32 = 5000;

/// What is to be explored.
pub struct Wanted<'w> {
    /// The program.
    pub program: &'w Program,
    /// What is asked.
    pub questions: &'w [Question],
    /// The reduced system, if it is not the program in full.
    pub reduction: Option<&'w Reduction>,
    /// Whether states may be seen as one that differ by an exchange of threads.
    pub symmetric: bool,
}

/// Who explores.
pub type Explore<'e> = dyn Fn(&Wanted) -> Outcome + 'e;

/// The n-th order of a program's variables to try, by name.
pub(in crate::theorem) fn order(p: &Program, n: usize) -> Option<(String, Vec<Variable>)> {
    let (heuristic, name, _) = Heuristic::ALL.get(n)?;
    Some((name.to_string(), heuristic.order(p)))
}

/// The cores that may be used.
pub(in crate::theorem) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the engines find in turn, each in so many operations at most, or until one meets a violation.
pub(in crate::theorem) fn by_engines(
    p: &Program,
    questions: &[Question],
    up_to: (Option<&Reduction>, Option<&Symmetry>),
    (most, until_violated): (u64, bool),
    control: &Control,
) -> Outcome {
    let how = How {
        most,
        facts: true,
        cores: cores(),
        keep: false,
        until_violated,
    };
    portfolio(p, questions, &|n| order(p, n), up_to, how, control).0
}

/// The same, where threads may be exchanged: states that differ by that are explored as one, and counted.
pub(in crate::theorem) fn by_exchanges(
    p: &Program,
    questions: &[Question],
    reduction: Option<&Reduction>,
    how: (u64, bool),
    control: &Control,
) -> Outcome {
    let (symmetry, _) = Symmetry::new(p, questions, reduction);
    let symmetry = Some(&symmetry).filter(|s| !s.is_trivial());
    by_engines(p, questions, (reduction, symmetry), how, control)
}

/// Whether everything was explored, and each question has its answer.
pub(in crate::theorem) fn is_complete(outcome: &Outcome) -> bool {
    let open = |a: &Answer| matches!(a, Answer::Somewhere(_));
    outcome.stopped.is_none() && !outcome.answers.iter().any(open)
}

/// A path of a program with phases as one of the program without, whose locations have these copies.
pub fn without_phases(plain: &Program, origin: &[Vec<LocId>], path: &Path) -> Path {
    let cells: Vec<i64> = (0..plain.cells.len()).map(|c| path.first.cell(c)).collect();
    let at = |t: usize| origin[t][path.first.location(t)];
    let locations: Vec<LocId> = (0..plain.threads.len()).map(at).collect();
    let mut path = path.clone();
    path.first = State::new(&cells, &locations);
    for step in &mut path.moves {
        step.location = origin[step.thread][step.location];
        for (variable, value) in &mut step.after {
            if let Variable::Location(t) = variable {
                *value = origin[*t][*value as usize] as i64;
            }
        }
    }
    path
}

impl Asked {
    /// As the engines of `reach` are asked.
    pub(in crate::theorem) fn question(&self, p: &Program) -> Question {
        let (sort, expr) = match self.kind {
            GoalKind::Discipline => (Sort::Violation, Expr::TRUE),
            GoalKind::Assertions => (Sort::Find, p.gone_wrong()),
            GoalKind::DeadlockFree => (Sort::Deadlock, Expr::TRUE),
            GoalKind::User(n) => {
                let property = &p.properties[n];
                let sort = match property.kind {
                    PropertyKind::Reach => Sort::Find,
                    PropertyKind::Invariant | PropertyKind::Lemma => Sort::Invariant,
                };
                (sort, property.expr.clone())
            }
        };
        Question {
            name: self.name.clone(),
            sort,
            expr,
        }
    }
}

impl Prepared {
    /// The reduced system, unless that is the original one.
    fn reduction(&self) -> Option<Reduction> {
        let threads = self.program.threads.iter().zip(&self.visible);
        let some = |(thread, visible): (&Thread, &Vec<bool>)| {
            let mut steps = thread.steps();
            steps.any(|l| !visible[l] && is_ever_open(thread, l))
        };
        let violations = !self.program.protections.is_empty();
        (violations || threads.into_iter().any(some)).then(|| Reduction {
            visible: self.visible.clone(),
            when_blocked: self.when_blocked,
            inside: self.inside(),
        })
    }

    /// Up to how many states those inside steps are counted: however many, if a line speaks of them.
    fn inside(&self) -> usize {
        let mut lines = self.program.expects.iter();
        let speaks = |kind: &ExpectKind| kind.states().is_some_and(|(what, _)| what == "visited");
        match lines.any(|(kind, _)| speaks(kind)) {
            true => usize::MAX,
            false => INSIDE,
        }
    }

    /// What an exploration of it is told with.
    pub(in crate::theorem) fn telling<'t>(&'t self, asked: &'t [Asked]) -> Telling<'t> {
        let all = self.visible.iter().flatten().all(|v| *v);
        Telling {
            prepared: self,
            asked,
            because: match self.plain {
                None => by_stoller_cohen(all),
                Some(_) => by_transactions(all),
            },
        }
    }

    /// A path of the reduced system, repeated on the program without phases.
    fn retold(&self, asked: &Asked, path: &Path) -> Option<Trace> {
        let badly = asked.kind == GoalKind::Discipline;
        let begins = |n: usize| {
            let step = &path.moves[n];
            self.visible[step.thread][step.location]
        };
        let (p, path) = match &self.plain {
            None => (&self.program, path.clone()),
            Some((plain, origin)) => (plain, without_phases(plain, origin, path)),
        };
        settles(p, repeat(p, &path, &begins, badly)?, asked)
    }

    /// What the engines find of the discipline in so many operations, up to all quotients.
    pub(in crate::theorem) fn disciplined(&self, most: u64, control: &Control) -> Quick {
        let asked = [Asked::discipline()];
        let outcome = self.explore(&asked, &Quotient::ALL, (most, true), control);
        match outcome.stopped {
            _ if outcome.violated => self.violated(&asked, outcome),
            None => Quick::Answered(Box::new(outcome)),
            Some(_) => Quick::Cut,
        }
    }

    /// The execution that an exploration has found to violate the discipline, if it can be repeated.
    fn violated(&self, asked: &[Asked], outcome: Outcome) -> Quick {
        let discipline = |(asked, _): &(&Asked, Answer)| asked.kind == GoalKind::Discipline;
        match asked.iter().zip(outcome.answers).find(discipline) {
            Some((asked, Answer::Found(path))) if self.retold(asked, &path).is_some() => {
                Quick::Violated(path)
            }
            _ => Quick::Open,
        }
    }

    /// Has it explored up to quotients, in so many operations of each engine, or until the discipline is violated.
    pub(in crate::theorem) fn explore(
        &self,
        asked: &[Asked],
        quotients: &[Quotient],
        how: (u64, bool),
        control: &Control,
    ) -> Outcome {
        self.explore_by(asked, quotients, &|wanted| {
            let Wanted {
                program, questions, ..
            } = wanted;
            let reduction = wanted.reduction;
            match wanted.symmetric {
                true => by_exchanges(program, questions, reduction, how, control),
                false => by_engines(program, questions, (reduction, None), how, control),
            }
        })
    }

    /// Has it explored up to quotients.
    pub(in crate::theorem) fn explore_by(
        &self,
        asked: &[Asked],
        quotients: &[Quotient],
        explore: &Explore,
    ) -> Outcome {
        // All engines count what others do behind an error then, as relations do.
        let mut program = self.program.clone();
        program.errors_end = false;
        let of = |a: &Asked| a.question(&program);
        let questions: Vec<Question> = asked.iter().map(of).collect();
        let dead = quotients.contains(&Quotient::DeadLocals).then(|| {
            let asked: Vec<&Expr> = questions.iter().map(|q| &q.expr).collect();
            DeadLocals::new(&program, &asked)
        });
        if let Some(dead) = &dead {
            program = dead.forgetting(&program);
        }
        let reduction = self.reduction();
        let mut outcome = explore(&Wanted {
            program: &program,
            questions: &questions,
            reduction: reduction.as_ref(),
            symmetric: quotients.contains(&Quotient::Symmetry),
        });
        for (answer, question) in outcome.answers.iter_mut().zip(&questions) {
            if let (Answer::Found(path), Some(dead)) = (answer, &dead) {
                let badly = question.sort == Sort::Violation;
                // One that is none of the original program's is rejected where it is repeated.
                let original = dead.original(&self.program, path, badly);
                *path = original.unwrap_or_else(|| path.clone());
            }
        }
        outcome
    }
}

fn names(quotients: &[Quotient]) -> Vec<String> {
    quotients.iter().map(|q| q.name().to_string()).collect()
}

/// What an exploration of a reduced system is told with.
#[derive(Clone, Copy)]
pub(in crate::theorem) struct Telling<'t> {
    /// The reduced system.
    pub prepared: &'t Prepared,
    /// What was asked.
    pub asked: &'t [Asked],
    /// Why what was not met holds.
    pub because: fn(GoalKind) -> Conclusion,
}

/// What became of a short exploration.
pub(in crate::theorem) enum Quick {
    /// Everything is explored, and nothing is violated.
    Answered(Box<Outcome>),
    /// This execution violates the discipline, which has guesses.
    Violated(Path),
    /// There was too much to explore.
    Cut,
    /// Others have to say more.
    Open,
}

impl Check<'_> {
    /// Explores the reduced system and tells what is found; whether the discipline is violated.
    pub(in crate::theorem) fn elsewhere(&self, report: &mut Report, telling: Telling) -> bool {
        let Telling {
            prepared, asked, ..
        } = telling;
        let quotients = self.quotients();
        let outcome = prepared.explore(asked, &quotients, (u64::MAX, false), self.control);
        self.explored(report, telling, &quotients, &outcome);
        outcome.violated
    }

    /// Tells what others found, and what follows from it.
    pub(in crate::theorem) fn explored(
        &self,
        report: &mut Report,
        telling: Telling,
        quotients: &[Quotient],
        outcome: &Outcome,
    ) {
        report.reductions = names(quotients);
        report.notes.push(Note::Engine(outcome.engine.to_string()));
        if let Some(stop) = outcome.stopped {
            hit(report, stop, self.control);
        }
        self.tell(report, telling, outcome);
        if outcome.stopped.is_none() && !outcome.violated {
            let open = |w: &&mut Hypothesis| w.id == wellformed::WF_INIT_EXCL;
            let overlaps = report.well_formedness.iter_mut().find(open);
            overlaps
                .into_iter()
                .for_each(wellformed::disjoint_as_explored);
        }
    }

    /// The quotients that may be used: what is asked for, and all where nobody asked for the reduced system, or
    /// somebody else explores it.
    pub(in crate::theorem) fn quotients(&self) -> Vec<Quotient> {
        match self.options.reduce {
            Reduce::Always if !self.options.ends_early() => self.options.quotients.clone(),
            _ => Quotient::ALL.to_vec(),
        }
    }

    /// What others find soon. Where they find nothing that is asked for, no BDDs are needed; those have traces and
    /// evidence. Of a violation of guesses nothing more is needed than how it comes about.
    pub(in crate::theorem) fn quick(
        &self,
        report: &mut Report,
        prepared: &Prepared,
        (asked, guesses): (&[Asked], bool),
    ) -> Quick {
        if self.options.certificate {
            return Quick::Open;
        }
        let clock = Instant::now();
        self.control.enter("the reduced system");
        let mut quotients = self.options.quotients.clone();
        let more = self.quotients() != quotients;
        let first = if more { AS_IT_IS } else { SOON };
        let mut outcome = prepared.explore(asked, &quotients, (first, guesses), self.control);
        if outcome.stopped == Some(Stop::Operations) && more {
            quotients = self.quotients();
            outcome = prepared.explore(asked, &quotients, (SOON, guesses), self.control);
        }
        report.timing.exploration = clock.elapsed().as_secs_f64();
        if outcome.stopped == Some(Stop::Operations) {
            return Quick::Cut;
        }
        if guesses && outcome.violated {
            return prepared.violated(asked, outcome);
        }
        let complete = outcome.stopped.is_none() && !outcome.violated;
        let large = outcome.states.as_ref().is_some_and(|n| *n >= LARGE.into());
        let is_good = |(asked, answer): (&Asked, &Answer)| match answer {
            Answer::Nowhere => true,
            Answer::Found(path) => large && asked.wanted && prepared.retold(asked, path).is_some(),
            Answer::Somewhere(_) => false,
        };
        if !complete || !asked.iter().zip(&outcome.answers).all(is_good) {
            return Quick::Open;
        }
        // Who explores elsewhere tells its own.
        if !self.options.ends_early() {
            report.reductions = names(&quotients);
        }
        Quick::Answered(Box::new(outcome))
    }

    /// What others find, however long it takes, if they find no violation.
    pub(in crate::theorem) fn all(
        &self,
        report: &mut Report,
        prepared: &Prepared,
        asked: &[Asked],
    ) -> Quick {
        let clock = Instant::now();
        self.control.enter("the reduced system");
        let quotients = self.quotients();
        let outcome = prepared.explore(asked, &quotients, (u64::MAX, true), self.control);
        report.timing.exploration = clock.elapsed().as_secs_f64();
        if outcome.violated {
            return prepared.violated(asked, outcome);
        }
        if !is_complete(&outcome) {
            return Quick::Open;
        }
        report.reductions = names(&quotients);
        Quick::Answered(Box::new(outcome))
    }

    /// Tells what an exploration found.
    pub(in crate::theorem) fn tell(
        &self,
        report: &mut Report,
        telling: Telling,
        outcome: &Outcome,
    ) {
        let Telling {
            prepared,
            asked,
            because,
        } = telling;
        let told = |n: &num_bigint::BigUint| n.to_string();
        report.states.reduced = outcome.states.as_ref().map(told);
        let is_all = prepared.reduction().is_none();
        let visited = outcome.visited.as_ref();
        let visited = visited.or(outcome.states.as_ref().filter(|_| is_all));
        report.states.visited = visited.map(told);
        report.statistics.peak_nodes = outcome.peak_nodes.map(|n| n.to_string());
        let known = Known {
            complete: outcome.stopped.is_none(),
            violated: outcome.violated,
            vacuous: outcome.states.as_ref().is_some_and(|n| *n == 0u32.into()),
            because,
        };
        known.note(report);
        for (n, (asked, answer)) in asked.iter().zip(&outcome.answers).enumerate() {
            match answer {
                Answer::Found(path) => {
                    if !path.shortest {
                        report.notes.push(Note::PerhapsLonger {
                            name: asked.name.clone(),
                            exhausted: false,
                        });
                    }
                    let trace = prepared.retold(asked, path);
                    traced(report, n, asked, trace, path.moves.len());
                }
                Answer::Somewhere(stop) => self.somewhere(report, n, *stop),
                Answer::Nowhere => nothing_found(report, n, asked, &known),
            }
        }
    }

    fn somewhere(&self, report: &mut Report, n: usize, stop: Stop) {
        report.properties[n].reason = PropertyReason::FoundReduced(Some(stop));
        hit(report, stop, self.control);
    }
}
