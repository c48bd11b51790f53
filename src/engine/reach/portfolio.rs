//! Engines and orders in turn, with growing budgets of operations. The choice is deterministic, and costs at most a
//! constant factor more than the best.
//!
//! No engine is best on every model, and nobody can tell beforehand which one is. So each gets a share of a budget,
//! then of one twice as large, and so on. An engine that was interrupted keeps its tables, so it is soon where it was.
//! All that is spent in vain is a constant multiple of what the first engine to finish needs.

use super::explicit::Running;
use super::question::Question;
use super::symbolic::{Model, Settings, answer, name};
use super::{Answer, Outcome, Reduction};
use crate::base::control::{Control, Stop};
use crate::engine::compiled::{Compiled, Mode, Search};
use crate::engine::diagrams::{Strategy, Variable};
use crate::model::program::Program;
use std::cell::OnceCell;

/// What a first attempt may cost, at least, and for each variable: enough for models with a lot of structure, however
/// large.
const FIRST: u64 = 1 << 17;
const PER_LEVEL: u64 = 128;

/// States beyond which the explicit engine leaves the memory to the others.
const MANY: usize = 20_000_000;

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The engine.
    pub engine: &'static str,
    /// The order.
    pub order: String,
    /// Whether it finished.
    pub finished: bool,
}

/// An engine that is given its turns.
enum Candidate<'p, 'c> {
    Diagrams {
        settings: Box<Settings>,
        order: String,
        /// Its budget is the common one divided by this.
        share: u64,
        model: Box<Option<Model<'p, 'c>>>,
    },
    Explicit {
        search: Box<Running<'c>>,
        order: String,
    },
}

impl Candidate<'_, '_> {
    fn attempt(&self, finished: bool) -> Attempt {
        let (engine, order) = match self {
            Candidate::Diagrams {
                settings, order, ..
            } => (name(settings.strategy), order),
            Candidate::Explicit { order, .. } => ("explicit", order),
        };
        Attempt {
            engine,
            order: order.clone(),
            finished,
        }
    }
}

impl<'p: 'c, 'c> Candidate<'p, 'c> {
    /// Goes on for `allowed` operations, `most` being the end.
    fn turn(
        &mut self,
        program: &'p Program,
        questions: &[Question],
        (allowed, most): (u64, u64),
        control: &'c Control,
    ) -> Outcome {
        match self {
            Candidate::Diagrams {
                settings,
                share,
                model,
                ..
            } => {
                settings.operations = if allowed == most {
                    most
                } else {
                    allowed / *share
                };
                answer(program, questions, settings, control, model)
            }
            // Its operations are cheap, and where it wins, the diagrams' are dear.
            Candidate::Explicit { search, .. } => {
                let last = allowed == most;
                search.go_on((allowed.saturating_mul(2), MANY), last, control)
            }
        }
    }
}

/// The n-th order to try, best guess first, if there are so many.
pub type Orders<'o> = &'o dyn Fn(usize) -> Option<(String, Vec<Variable>)>;

/// How engines are given their turns.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Operations of any of them at most.
    pub most: u64,
    /// Whether facts save firings.
    pub facts: bool,
    /// Cores.
    pub cores: usize,
    /// Whether all states are wanted ([`Outcome::kept`]).
    pub keep: bool,
}

/// Tries engines and orders until one has answered everything. The result also has the attempts, with the operations
/// spent.
pub fn portfolio(
    program: &Program,
    questions: &[Question],
    orders: Orders,
    reduction: Option<&Reduction>,
    how: How,
    control: &Control,
) -> (Outcome, Vec<(Attempt, u64)>) {
    let How {
        most,
        facts,
        cores,
        keep,
    } = how;
    let candidate = |strategy: Strategy, (name, order): (String, Vec<Variable>), share: u64| {
        Candidate::Diagrams {
            settings: Box::new(Settings {
                strategy,
                order,
                facts,
                operations: 0,
                reduction: reduction.cloned(),
                stress: false,
                keep,
            }),
            order: name,
            share,
            model: Box::new(None),
        }
    };
    let compiled = OnceCell::new();
    let first = orders(0);
    let mut candidates: Vec<Candidate> = first
        .iter()
        .map(|o| candidate(Strategy::Saturation, o.clone(), 1))
        .collect();
    let mut all_tried = false;
    let mut attempts = Vec::new();
    let mut last = Outcome::begin("auto", questions.len());
    let levels = (program.cells.len() + program.threads.len()) as u64;
    let mut allowed = FIRST.max(PER_LEVEL * levels).min(most);
    loop {
        let mut again = Vec::new();
        for mut c in candidates {
            let outcome = c.turn(program, questions, (allowed, most), control);
            let short = |s: Stop| s == Stop::Operations;
            let cut = outcome.stopped.is_some_and(short)
                || outcome
                    .answers
                    .iter()
                    .any(|a| matches!(a, Answer::Somewhere(s) if short(*s)));
            let finished = outcome.stopped.is_none() && !cut;
            attempts.push((c.attempt(finished), outcome.operations.unwrap_or(0)));
            // Time, memory and interrupts end everything; a budget of nodes or states ends this candidate only.
            let over = control.check().is_err();
            let full = matches!(outcome.stopped, Some(Stop::Nodes | Stop::States));
            last = outcome;
            if finished || over {
                return (last, attempts);
            }
            if !full {
                again.push(c);
            }
        }
        // The others join when the first guess is not quick. Most models never need another order.
        if !all_tried {
            all_tried = true;
            // First, since where it wins, diagrams of the same budget take longer.
            again.splice(
                ..0,
                first.iter().filter_map(|(name, order)| {
                    let made = || Compiled::new(program, order, control).ok();
                    let compiled = compiled.get_or_init(made).as_ref()?;
                    let how = (Mode::Breadth, cores);
                    let search = Search::new(program, compiled, questions, reduction, how, control);
                    Some(Candidate::Explicit {
                        search: Box::new(Running {
                            program,
                            compiled,
                            order,
                            questions,
                            reduction,
                            search,
                            mode: how.0,
                            keep,
                        }),
                        order: name.clone(),
                    })
                }),
            );
            again.extend(
                first
                    .iter()
                    .map(|o| candidate(Strategy::Chaining, o.clone(), 4)),
            );
            let mut seen: Vec<Vec<Variable>> = first.iter().map(|o| o.1.clone()).collect();
            for other in (1..).map_while(orders) {
                if !seen.contains(&other.1) {
                    seen.push(other.1.clone());
                    again.push(candidate(Strategy::Saturation, other, 8));
                }
            }
            again.extend(
                first
                    .iter()
                    .map(|o| candidate(Strategy::Worklist, o.clone(), 8)),
            );
            candidates = again;
            continue;
        }
        if again.is_empty() || allowed >= most {
            return (last, attempts);
        }
        candidates = again;
        allowed = allowed.saturating_mul(2).min(most);
    }
}
