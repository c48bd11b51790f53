//! `coarsen reach`: the exact reachable states, and answers to questions about them.
//!
//! The engines are in [`crate::engine::reach`] (decision diagrams, state by state) and here (BDDs). What they find is
//! an execution, which the interpreter repeats on the original program before anything is said. Where the states are
//! few, they are met one by one as well: for a shortest execution, and as a check of the counts.

mod bdds;
mod evidence;
mod expected;
mod hypotheses;
mod tell;

use crate::algebra::Theory;
use crate::base::control::{Control, Stop};
use crate::base::diagnostic::Span;
use crate::base::results::distributed::Distributed;
use crate::base::results::{Contradiction, Gap, Note, ReachReport, Silence};
use crate::distributed::{Subject, Together, distributed};
use crate::engine::Heuristic;
use crate::engine::Variable;
use crate::engine::compiled::Mode;
use crate::engine::diagrams::Strategy;
use crate::engine::partial_order::{self, Por};
use crate::engine::quotients::{DeadLocals, Quotient, Symmetry};
use crate::engine::reach::{
    Answer, Attempt, How, Outcome, Question, Reduction, Settings, Sort, diagrams, enumerate,
    explicit, portfolio,
};
use crate::model::program::{Expr, LocId, Program, Property};
use crate::model::text::ast::PropertyKind;
use evidence::Applied;
use std::time::Instant;

/// Who explores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Engines and orders in turn, with growing budgets of operations.
    #[default]
    Auto,
    /// Decision diagrams, saturation.
    Saturation,
    /// Decision diagrams, all events in turn.
    Chaining,
    /// Decision diagrams, the events whose turn it is.
    Worklist,
    /// BDDs.
    Bdd,
    /// State by state, by compiled steps.
    Explicit,
    /// State by state, by the interpreter.
    Interpreter,
}

impl Engine {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Saturation => "saturation",
            Engine::Chaining => "chaining",
            Engine::Worklist => "worklist",
            Engine::Bdd => "bdd",
            Engine::Explicit => "explicit",
            Engine::Interpreter => "interpreter",
        }
    }

    fn strategy(self) -> Option<Strategy> {
        match self {
            Engine::Saturation => Some(Strategy::Saturation),
            Engine::Chaining => Some(Strategy::Chaining),
            Engine::Worklist => Some(Strategy::Worklist),
            _ => None,
        }
    }
}

/// Where the variables lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As the engine thinks best.
    #[default]
    Best,
    /// As a heuristic says.
    By(Heuristic),
    /// This one, by a name for it.
    Given(String, Vec<Variable>),
}

/// What to explore, and what is asked.
#[derive(Clone, Debug)]
pub struct ReachOptions {
    /// Who explores.
    pub engine: Engine,
    /// Where the variables lie.
    pub order: Order,
    /// Explore the reduced system.
    pub reduced: bool,
    /// Theorems that may be applied instead, if one promises more.
    pub others: Vec<Theory>,
    /// Leave out orders of independent steps by these techniques, state by state.
    pub por: Option<Por>,
    /// See states as one in these ways.
    pub quotients: Vec<Quotient>,
    /// Ask for deadlocks.
    pub deadlock: bool,
    /// Ask for states that satisfy these: as the user wrote them, and elaborated.
    pub find: Vec<(String, Expr)>,
    /// Ask about these properties of the model, by name.
    pub invariants: Vec<String>,
    /// Operations on decision diagrams at most.
    pub operations: Option<u64>,
    /// Whether facts about pairs of events save firings.
    pub facts: bool,
    /// Collect rubbish whenever a node is made: for tests.
    pub stress: bool,
    /// How the explicit engine searches.
    pub search: Mode,
    /// Cores for the explicit engine, 0 for all; the result does not depend on it.
    pub cores: usize,
    /// Gather a bundle that shows the answers.
    pub certificate: bool,
    /// Ask what the model's `expect` lines speak of, and compare.
    pub expect: bool,
    /// Explore with other processes.
    pub together: Option<Together>,
}

impl Default for ReachOptions {
    fn default() -> Self {
        ReachOptions {
            engine: Engine::Auto,
            order: Order::Best,
            reduced: false,
            others: Vec::new(),
            por: None,
            quotients: Vec::new(),
            deadlock: false,
            find: Vec::new(),
            invariants: Vec::new(),
            operations: None,
            facts: true,
            stress: false,
            search: Mode::Breadth,
            cores: 0,
            certificate: false,
            expect: false,
            together: None,
        }
    }
}

/// The cores that may be used.
fn cores(options: &ReachOptions) -> usize {
    match options.cores {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

/// Up to how many states they are met one by one as well.
const FEW: u32 = 20_000;

/// How a goal of `--find` is called in the program.
fn goal_name(text: &str) -> String {
    format!("find {text}")
}

/// Explores a program. Never fails: what could not be decided is `unknown` and says why.
pub fn reach(
    name: &str,
    program: &Program,
    theory: &Theory,
    options: &ReachOptions,
    control: &Control,
) -> ReachReport {
    if options.expect {
        let mut more = ReachOptions {
            expect: false,
            ..options.clone()
        };
        expected::ask(program, &mut more);
        let mut report = reach(name, program, theory, &more, control);
        report.expectations = expected::expectations(&report, program);
        return report;
    }
    let begun = Instant::now();
    let mut report = ReachReport::undecided(name, options.engine.name());
    if !program.overridden.is_empty() {
        let all = program.overridden.clone();
        report.notes.push(Note::Overridden(all));
    }
    // What is looked for has to be visible in the reduced system, so it is part of the program there.
    let (mut program, mut finds) = (program.clone(), options.find.clone());
    program.end_with_errors();
    for (_, expr) in &mut finds {
        *expr = program.asked(PropertyKind::Reach, expr.clone());
    }
    for (text, expr) in &finds {
        program.properties.push(Property {
            name: goal_name(text),
            kind: PropertyKind::Reach,
            expr: expr.clone(),
            span: Span::default(),
        });
    }
    // A lemma that is asked about, too: `check` asks about none, so it makes no step visible for them.
    let asked = |p: &&Property| options.invariants.contains(&p.name);
    let lemmas: Vec<Property> = program.lemmas.iter().filter(asked).cloned().collect();
    let questions = questions(&program, options, &finds);
    program.properties.extend(lemmas);
    let mut run = Run {
        questions,
        plain: None,
        program,
        options,
        control,
        reduction: None,
        gap: None,
        silence: Silence::default(),
        hidden: Vec::new(),
        order: None,
        attempts: Vec::new(),
        por: None,
        asked: None,
        whole: None,
        symmetry: None,
        distributed: None,
    };
    let mut applied = None;
    if options.reduced {
        let clock = Instant::now();
        let (theory, ready) = run.reduce(name, theory, &mut report);
        report.theorem = Some(theory.name.clone());
        applied = run.asked.take().map(|program| Applied { theory, program });
        report.timing.hypotheses = clock.elapsed().as_secs_f64();
        if !ready {
            report.timing.total = begun.elapsed().as_secs_f64();
            return report;
        }
    }
    let clock = Instant::now();
    run.forget(&mut report);
    let outcome = run.explore();
    report.timing.exploration = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    run.tell(&outcome, &mut report);
    if options.certificate && !report.is_contradicted() {
        run.certify(&outcome, applied.as_ref(), &mut report);
    }
    report.timing.evidence = clock.elapsed().as_secs_f64();
    report.timing.total = begun.elapsed().as_secs_f64();
    report
}

/// Which deadlocks are meant: where an error ends the system, not those behind one.
fn which_deadlocks(program: &Program) -> Expr {
    match program.errors_end {
        true => Expr::Not(Box::new(program.gone_wrong())),
        false => Expr::TRUE,
    }
}

fn questions(program: &Program, options: &ReachOptions, finds: &[(String, Expr)]) -> Vec<Question> {
    let mut all = Vec::new();
    if options.deadlock {
        all.push(Question {
            name: "deadlock".into(),
            sort: Sort::Deadlock,
            expr: which_deadlocks(program),
        });
    }
    for name in &options.invariants {
        let known = program.properties.iter().chain(&program.lemmas);
        all.extend(known.filter(|p| p.name == *name).map(|p| Question {
            name: name.clone(),
            sort: match p.kind {
                PropertyKind::Reach => Sort::Find,
                PropertyKind::Invariant | PropertyKind::Lemma => Sort::Invariant,
            },
            expr: p.expr.clone(),
        }));
    }
    all.extend(finds.iter().map(|(text, expr)| Question {
        name: text.clone(),
        sort: Sort::Find,
        expr: expr.clone(),
    }));
    all
}

struct Run<'a> {
    program: Program,
    questions: Vec<Question>,
    /// If the program has phases: the program and questions without, and what each location is a copy of, by thread.
    plain: Option<(Program, Vec<Question>, Vec<Vec<LocId>>)>,
    options: &'a ReachOptions,
    control: &'a Control,
    reduction: Option<Reduction>,
    /// Why the theorem cannot be used, if it cannot.
    gap: Option<Gap>,
    /// What the theorem is not known to say.
    silence: Silence,
    /// Goals that an invisible step could hide.
    hidden: Vec<String>,
    /// The order in use, by name.
    order: Option<String>,
    attempts: Vec<(Attempt, u64)>,
    /// What partial-order reduction has to tell besides.
    por: Option<partial_order::Reduced>,
    /// The program that the theorem was applied to, before its disciplines were inferred.
    asked: Option<Program>,
    /// If the program forgets dead locals: the one that does not.
    whole: Option<(Program, DeadLocals)>,
    /// Which threads may be exchanged.
    symmetry: Option<Symmetry>,
    /// How the processes did, if there were several.
    distributed: Option<Distributed>,
}

impl Run<'_> {
    /// Has the program forget dead locals, if that is wanted.
    fn forget(&mut self, report: &mut ReachReport) {
        let names = self.options.quotients.iter().map(|q| q.name().to_string());
        report.reductions = names.collect();
        if self.options.quotients.contains(&Quotient::DeadLocals) {
            let asked: Vec<&Expr> = self.questions.iter().map(|q| &q.expr).collect();
            let dead = DeadLocals::new(&self.program, &asked);
            let forgetting = dead.forgetting(&self.program);
            let whole = std::mem::replace(&mut self.program, forgetting);
            self.whole = Some((whole, dead));
        }
        if self.options.quotients.contains(&Quotient::Symmetry) {
            let reduction = self.reduction.as_ref();
            let (symmetry, refused) = Symmetry::new(&self.program, &self.questions, reduction);
            report
                .notes
                .extend(refused.into_iter().map(Note::Asymmetric));
            self.symmetry = Some(symmetry).filter(|s| !s.is_trivial());
            if self.symmetry.is_none() {
                let name = Quotient::Symmetry.name();
                report.reductions.retain(|n| n != name);
            }
        }
    }

    fn explore(&mut self) -> Outcome {
        let (options, control) = (self.options, self.control);
        let states = control.budget().states;
        if let Some(por) = &options.por {
            let reduction = self.reduction.as_ref();
            let por = Por {
                cores: cores(options),
                ..por.clone()
            };
            let limits = (options.operations.unwrap_or(u64::MAX), control);
            let found =
                partial_order::explore(&self.program, &self.questions, &por, reduction, limits);
            let outcome = found.outcome.clone();
            self.por = Some(found);
            return outcome;
        }
        if let Some(together) = &options.together {
            return self.with_others(together);
        }
        let engine = match self.symmetry {
            Some(_) => Engine::Explicit,
            None => options.engine,
        };
        match engine {
            Engine::Interpreter => {
                let reduction = self.reduction.as_ref();
                enumerate(&self.program, &self.questions, reduction, states, control)
            }
            Engine::Auto => {
                let most = options.operations.unwrap_or(u64::MAX);
                let (outcome, attempts) = portfolio(
                    &self.program,
                    &self.questions,
                    &|n| self.order(n),
                    (self.reduction.as_ref(), None),
                    How {
                        until_violated: false,
                        most,
                        facts: options.facts,
                        cores: cores(options),
                        keep: false,
                    },
                    control,
                );
                self.order = attempts.last().map(|a| a.0.order.clone());
                self.attempts = attempts;
                outcome
            }
            engine => {
                control.enter("the variable order");
                let Some((name, order)) = self.order(0) else {
                    return Outcome::begin(engine.name(), self.questions.len());
                };
                self.order = Some(name);
                if engine == Engine::Explicit {
                    let reduction = (self.reduction.as_ref(), self.symmetry.as_ref());
                    let how = (options.search, cores(options));
                    let (program, questions) = (&self.program, &self.questions);
                    let most = options.operations.unwrap_or(u64::MAX);
                    return explicit(program, questions, &order, reduction, how, most, control);
                }
                let Some(strategy) = engine.strategy() else {
                    let reduction = self.reduction.as_ref();
                    return bdds::bdds(&self.program, &self.questions, &order, reduction, control);
                };
                let settings = Settings {
                    strategy,
                    order,
                    facts: options.facts,
                    operations: options.operations.unwrap_or(u64::MAX),
                    reduction: self.reduction.clone(),
                    stress: options.stress,
                    keep: false,
                };
                diagrams(&self.program, &self.questions, &settings, control)
            }
        }
    }

    /// Explores with other processes.
    fn with_others(&mut self, together: &Together) -> Outcome {
        self.control.enter("the variable order");
        let (name, order) = self.order(0).unzip();
        let subject = Subject {
            program: &self.program,
            questions: &self.questions,
            order: &order.unwrap_or_default(),
            reduction: self.reduction.as_ref(),
            symmetry: self.symmetry.as_ref(),
        };
        let most = self.options.operations.unwrap_or(u64::MAX);
        let (outcome, told) = distributed(&subject, together, most, self.control);
        self.order = name;
        self.distributed = Some(told);
        outcome
    }

    /// The n-th order to be used, best guess first; there is one at least.
    fn order(&self, n: usize) -> Option<(String, Vec<Variable>)> {
        let by = |h: Heuristic| (h.name().to_string(), h.order(&self.program));
        match &self.options.order {
            Order::Best => {
                let (heuristic, ..) = Heuristic::ALL.get(n)?;
                Some(by(*heuristic))
            }
            Order::By(heuristic) => (n == 0).then(|| by(*heuristic)),
            Order::Given(name, order) => (n == 0).then(|| (name.clone(), order.clone())),
        }
    }

    /// Where states are few, the same state by state: shortest executions, and a check. `Err` if the two disagree.
    fn recount(&self, outcome: &mut Outcome) -> Result<(), Contradiction> {
        let few = outcome.states.as_ref().is_some_and(|n| *n <= FEW.into());
        let small = self.program.cells.len() + self.program.threads.len() <= 1000;
        let cut = outcome.stopped.is_some() || self.por.is_some();
        if !few
            || !small
            || cut
            || outcome.engine == Engine::Interpreter.name()
            || self.reduction.is_some()
        {
            return Ok(());
        }
        let most = 2 * FEW as usize;
        self.control.enter("the same, state by state");
        let again = enumerate(&self.program, &self.questions, None, most, self.control);
        // It goes through all candidates for initial states, so it may have stopped although it has not met too many
        // states.
        if again
            .stopped
            .is_some_and(|s| s != Stop::States || again.so_far <= outcome.states)
        {
            return Ok(());
        }
        let told = |o: &Outcome| {
            let wrong = (o.wrong.clone(), o.wrong_deadlocks.clone());
            (o.states.clone(), o.deadlocks.clone(), wrong, o.violated)
        };
        if told(&again) != told(outcome) {
            let number = |o: &Outcome| o.states.as_ref().map(|n| n.to_string());
            return Err(Contradiction::Recounted {
                engine: outcome.engine.to_string(),
                states: number(outcome),
                again: number(&again),
            });
        }
        for ((mine, other), question) in outcome
            .answers
            .iter_mut()
            .zip(again.answers)
            .zip(&self.questions)
        {
            if matches!(mine, Answer::Nowhere) != matches!(other, Answer::Nowhere) {
                return Err(Contradiction::Disagreement {
                    engine: outcome.engine.to_string(),
                    question: question.name.clone(),
                });
            }
            *mine = other;
        }
        Ok(())
    }
}
