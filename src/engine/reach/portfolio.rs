//! Engines and orders in turn, with growing budgets of operations. The choice is deterministic, and costs at most a
//! constant factor more than the best.
//!
//! No engine is best on every model, and nobody can tell beforehand which one is. So each gets a share of a budget,
//! then of one half as large again, and so on; it goes on where it was. All that is spent in vain is a constant
//! multiple of what the first engine to finish needs. Where threads may be exchanged, the search state by state does
//! that; it takes no more of the time than without.

use super::explicit::Running;
use super::question::Question;
use super::symbolic::{Model, Settings, answer, name};
use super::{Answer, Outcome, Reduction};
use crate::base::control::{Control, Stop};
use crate::engine::Variable;
use crate::engine::compiled::{Compiled, ExplicitSearch, Mode};
use crate::engine::diagrams::Strategy;
use crate::engine::quotients::Symmetry;
use crate::model::program::Program;
use std::cell::OnceCell;

/// What a first attempt may cost, at least, and for each variable: enough for models with a lot of structure, however
/// large.
const FIRST: u64 = 1 << 17;
const PER_LEVEL: u64 = 128;

/// States beyond which the explicit engine leaves the memory to the others.
const MANY: usize = 20_000_000;

/// Parts of the common budget: one part of these is all of it.
const ALL: u64 = 8;

/// The search state by state has half of it: its operations take three times as long as those of diagrams, or longer,
/// so both take about as much time. Steps of a reduced system leave less structure to diagrams: there it has more.
const STATES: u64 = ALL / 2;
const STATES_REDUCED: u64 = 4 * ALL;

/// Of a program in full, fewer states than this that may be seen as one do not pay.
const ORBIT: u64 = 24;

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

/// An engine with what it has done so far.
struct Turn<'p, 'c> {
    engine: Candidate<'p, 'c>,
    /// Its parts of the common budget.
    share: u64,
    /// Operations so far.
    done: u64,
}

/// An engine that is given its turns.
enum Candidate<'p, 'c> {
    Diagrams {
        settings: Box<Settings>,
        order: String,
        model: Box<Option<Model<'p, 'c>>>,
    },
    Explicit {
        search: Box<Running<'c>>,
        order: String,
    },
}

impl<'p, 'c> Turn<'p, 'c> {
    fn first(engine: Candidate<'p, 'c>, share: u64) -> Self {
        Turn {
            engine,
            share,
            done: 0,
        }
    }
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
    /// Goes on for so many operations, which may be the last.
    fn turn(
        &mut self,
        program: &'p Program,
        questions: &[Question],
        (operations, last): (u64, bool),
        control: &'c Control,
    ) -> Outcome {
        match self {
            Candidate::Diagrams {
                settings, model, ..
            } => {
                settings.operations = operations;
                answer(program, questions, settings, control, model)
            }
            Candidate::Explicit { search, .. } => search.go_on((operations, MANY), last, control),
        }
    }
}

/// An order with its name.
type Named = (String, Vec<Variable>);

/// The n-th order to try, best guess first, if there are so many.
pub type Orders<'o> = &'o dyn Fn(usize) -> Option<Named>;

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
    /// Whether a violation of the discipline is all that is wanted, if the search state by state meets one.
    pub until_violated: bool,
}

/// What all candidates are to do.
struct Task<'a> {
    program: &'a Program,
    questions: &'a [Question],
    reduction: Option<&'a Reduction>,
    symmetry: Option<&'a Symmetry>,
    how: How,
    control: &'a Control,
}

impl<'a> Task<'a> {
    fn diagrams(&self, strategy: Strategy, (name, order): Named, share: u64) -> Turn<'a, 'a> {
        let engine = Candidate::Diagrams {
            settings: Box::new(Settings {
                strategy,
                order,
                facts: self.how.facts,
                operations: 0,
                reduction: self.reduction.cloned(),
                stress: false,
                keep: self.how.keep,
            }),
            order: name,
            model: Box::new(None),
        };
        Turn::first(engine, share)
    }

    /// The search state by state, if the program can be compiled.
    fn explicit(
        &self,
        compiled: &'a OnceCell<Option<Compiled>>,
        (name, order): &'a Named,
        symmetry: Option<&'a Symmetry>,
    ) -> Option<Turn<'a, 'a>> {
        let Task {
            program,
            questions,
            reduction,
            how,
            control,
            ..
        } = *self;
        let made = || Compiled::new(program, order, control).ok();
        let compiled = compiled.get_or_init(made).as_ref()?;
        let mode = Mode::Breadth;
        let on = (mode, how.cores);
        let up_to = (reduction, symmetry);
        let mut search = ExplicitSearch::new(program, compiled, questions, up_to, on, control);
        search.until_violated = how.until_violated;
        let engine = Candidate::Explicit {
            search: Box::new(Running {
                program,
                compiled,
                order,
                questions,
                reduction,
                symmetry,
                search,
                mode,
                keep: how.keep,
            }),
            order: name.clone(),
        };
        let share = match reduction {
            Some(_) => STATES_REDUCED,
            None => STATES,
        };
        Some(Turn::first(engine, share))
    }

    /// The symmetry, if it is used: whoever explores state by state then does so up to exchanges of threads.
    fn exchanges(&self) -> Option<&'a Symmetry> {
        let pays = |s: &&Symmetry| self.reduction.is_some() || s.largest_orbit() >= ORBIT;
        self.symmetry.filter(pays)
    }

    /// All others join those whose turns are not over.
    fn join(
        &self,
        turns: &mut Vec<Turn<'a, 'a>>,
        first: &'a Option<Named>,
        orders: Orders,
        compiled: &'a OnceCell<Option<Compiled>>,
    ) {
        if self.exchanges().is_none() {
            let explicit = |o| self.explicit(compiled, o, None);
            // First, since where it wins, diagrams of the same budget take longer.
            turns.splice(..0, first.iter().filter_map(explicit));
        }
        let with = |strategy, share| {
            let first = first.iter().cloned();
            first.map(move |o| self.diagrams(strategy, o, share))
        };
        turns.extend(with(Strategy::Chaining, ALL / 4));
        let mut seen: Vec<Vec<Variable>> = first.iter().map(|o| o.1.clone()).collect();
        for other in (1..).map_while(orders) {
            if !seen.contains(&other.1) {
                seen.push(other.1.clone());
                turns.push(self.diagrams(Strategy::Saturation, other, ALL / 8));
            }
        }
        turns.extend(with(Strategy::Worklist, ALL / 8));
    }
}

/// Whether an engine has answered all, and did not only run out of operations.
fn has_finished(outcome: &Outcome) -> bool {
    let short = |a: &Answer| matches!(a, Answer::Somewhere(Stop::Operations));
    outcome.stopped.is_none() && !outcome.answers.iter().any(short)
}

/// Notes an attempt in place of what the same engine has done before, behind all others.
fn note(attempts: &mut Vec<(Attempt, u64)>, last: (Attempt, u64)) {
    let is_other = |a: &Attempt| a.engine != last.0.engine || a.order != last.0.order;
    attempts.retain(|(a, _)| is_other(a));
    attempts.push(last);
}

/// Tries engines and orders until one has answered everything. With a symmetry, states that differ by an exchange of
/// threads may be explored as one. The result also has each engine with the operations spent, the last one behind.
pub fn portfolio(
    program: &Program,
    questions: &[Question],
    orders: Orders,
    (reduction, symmetry): (Option<&Reduction>, Option<&Symmetry>),
    how: How,
    control: &Control,
) -> (Outcome, Vec<(Attempt, u64)>) {
    let task = Task {
        program,
        questions,
        reduction,
        symmetry,
        how,
        control,
    };
    let most = how.most;
    let compiled = OnceCell::new();
    let first = orders(0);
    let exchanged = |s| task.explicit(&compiled, first.as_ref()?, Some(s));
    let exchanged = task.exchanges().and_then(exchanged);
    let mut candidates: Vec<Turn> = exchanged.into_iter().collect();
    let saturation = |o: &Named| task.diagrams(Strategy::Saturation, o.clone(), ALL);
    candidates.extend(first.iter().map(saturation));
    let mut all_tried = false;
    let mut attempts = Vec::new();
    let mut last = Outcome::begin("auto", questions.len());
    let levels = (program.cells.len() + program.threads.len()) as u64;
    let mut allowed = FIRST.max(PER_LEVEL * levels).min(most);
    loop {
        let mut again = Vec::new();
        for mut c in candidates {
            let ends = allowed == most;
            let some = match ends {
                true => most,
                false => allowed.saturating_mul(c.share) / ALL,
            };
            let some = some.min(most.saturating_sub(c.done));
            let outcome = c.engine.turn(program, questions, (some, ends), control);
            let finished = has_finished(&outcome);
            c.done = outcome.operations.unwrap_or(0);
            note(&mut attempts, (c.engine.attempt(finished), c.done));
            // Time, memory and interrupts end everything; a budget of nodes or states ends this candidate only.
            let over = control.check().is_err() || outcome.stopped == Some(Stop::Settled);
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
            task.join(&mut again, &first, orders, &compiled);
            candidates = again;
            continue;
        }
        if again.is_empty() || allowed >= most {
            return (last, attempts);
        }
        candidates = again;
        allowed = allowed.saturating_add(allowed / 2).min(most);
    }
}
