//! `--theorem auto`: of the theorems that apply, the one that promises the smaller reduced system.
//!
//! How many states a reduced system has is not known before it is explored. What is estimated are its control states:
//! for each thread the locations at which other threads are scheduled, multiplied over all threads. Variables add about
//! the same factor for all theorems. These locations are estimated, too, by the text: a step is what the disciplines of
//! the variables that it mentions say. Nothing rests on an estimate: a theorem that leaves something open is followed
//! by the next.

use super::inference::{Inference, Subject};
use super::properties::asked;
use super::reduced::transactions::{self, Phase, Phased, fewest};
use super::verdict::gap;
use super::visibility::mentioned;
use crate::algebra::Theory;
use crate::base::control::Control;
use crate::base::results::{Candidate, Note, Report};
use crate::engine::compiled::{Mover, Movers};
use crate::model::program::{
    CellId, Class, Command, Edge, Expr, How, LocId, NO_OWNER, Program, Target, Thread, ThreadId,
    each_use, waits_for_thread,
};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;

/// Theorems to be tried.
pub struct Candidates {
    /// They, as they were given.
    theories: Vec<Theory>,
    /// Their positions, the most promising first.
    order: Vec<usize>,
    /// What is told of each.
    told: Vec<(String, Candidate)>,
}

impl Candidates {
    /// These, as the text of a program promises.
    pub fn of(subject: &Subject, first: &Theory, others: &[Theory], control: &Control) -> Self {
        let theories: Vec<Theory> = std::iter::once(first).chain(others).cloned().collect();
        let promises = promises(subject, &theories, control);
        Candidates {
            told: candidates(&promises, &theories),
            order: promises.into_iter().map(|(n, _)| n).collect(),
            theories,
        }
    }

    /// Applies one after the other until one leaves nothing open, or a limit is hit: that theorem, and what came of it.
    /// If all leave something open, it is the first that was given. What was chosen, and what is known of the others,
    /// is noted in the report.
    pub fn apply<T>(
        mut self,
        control: &Control,
        mut applied: impl FnMut(&Theory) -> (Report, T),
        leaves_nothing: impl Fn(&Report, &T) -> bool,
    ) -> Option<(Theory, Report, T)> {
        let mut open = None;
        for n in self.order {
            let theory = &self.theories[n];
            let (mut report, done) = applied(theory);
            let chosen = Note::Chosen(theory.name.clone(), self.told.clone());
            report.notes.insert(0, chosen);
            let is_last = leaves_nothing(&report, &done) || control.check().is_err();
            self.told[n].1 = left_open(&report);
            if is_last {
                return Some((theory.clone(), report, done));
            }
            if n == 0 {
                open = Some((theory.clone(), report, done));
            }
        }
        open
    }
}

/// What is told of a theorem that leaves something open.
fn left_open(report: &Report) -> Candidate {
    match (gap(report), &report.limits.hit) {
        (_, Some(hit)) => Candidate::Hit(hit.clone()),
        (Some(gap), None) => Candidate::Gap(gap),
        (None, None) => Candidate::Open,
    }
}

/// What is told of theorems before they are tried, in their order.
fn candidates(promises: &[Promise], theories: &[Theory]) -> Vec<(String, Candidate)> {
    let of = |(n, theory): (usize, &Theory)| {
        let size = promises.iter().find(|(m, _)| *m == n);
        let size = size.map_or_else(String::new, |(_, size)| size.to_string());
        (theory.name.clone(), Candidate::Promises(size))
    };
    theories.iter().enumerate().map(of).collect()
}

/// A theorem, by its position, and the control states that it promises.
type Promise = (usize, BigUint);

/// What theorems promise, the best first; of equals, the first of the theorems is.
fn promises(subject: &Subject, theories: &[Theory], control: &Control) -> Vec<Promise> {
    let inference = subject.inference(control).ok().flatten();
    let program = inference
        .as_ref()
        .map_or(subject.program, Inference::program);
    let text = Text::new(program);
    let mut all: Vec<Promise> = theories.iter().map(|t| text.size(t)).enumerate().collect();
    all.sort_by(|a, b| a.1.cmp(&b.1));
    all
}

/// A program, and what its text says of its steps.
struct Text<'p> {
    program: &'p Program,
    /// Cells that properties look at, and threads whose location they look at.
    watched: (FxHashSet<CellId>, FxHashSet<ThreadId>),
}

impl<'p> Text<'p> {
    fn new(program: &'p Program) -> Self {
        let mut watched = (FxHashSet::default(), FxHashSet::default());
        let hidden = asked(program, &[]).into_iter().filter(|a| a.can_be_hidden);
        let hidden: FxHashSet<String> = hidden.map(|a| a.name).collect();
        let properties = program
            .properties
            .iter()
            .filter(|p| hidden.contains(&p.name));
        for property in properties {
            property.expr.walk(&mut |e| match e {
                Expr::Cell(c) => watched.0.extend([*c]),
                Expr::Element(array, _) | Expr::Via(_, Some(array)) => {
                    watched.0.extend(program.cells_of(*array));
                }
                Expr::At(t, _) => watched.1.extend([*t]),
                _ => {}
            });
        }
        Text { program, watched }
    }

    /// The control states in which threads are scheduled.
    fn size(&self, theory: &Theory) -> BigUint {
        let points = match transactions::uses(theory) {
            None => self.visible(),
            Some(uses) => {
                let movers = self.movers();
                let cuts = fewest(self.program, &movers, uses);
                let phased = Phased::new(self.program, &movers, uses, &cuts);
                let outside = |t: ThreadId| {
                    let locations = &phased.program.threads[t].locations;
                    let outside = phased.at(t, Phase::Outside);
                    outside.filter(|l| !locations[*l].edges.is_empty()).count()
                };
                (0..phased.phases.len()).map(outside).collect()
            }
        };
        let of = |n: usize| BigUint::from(n.max(1));
        points.into_iter().map(of).product()
    }

    /// By thread: how many locations have visible steps.
    fn visible(&self) -> Vec<usize> {
        let threads = self.program.threads.iter().enumerate();
        let of = |(t, thread): (ThreadId, &Thread)| {
            let is_visible = |l: &LocId| {
                *l == thread.initial
                    || self.is_watched(t, *l)
                    || !mentioned(self.program, t, *l).is_empty()
            };
            thread.steps().filter(is_visible).count()
        };
        threads.map(of).collect()
    }

    /// Whether a property may look at what the steps of a location change.
    fn is_watched(&self, t: ThreadId, l: LocId) -> bool {
        let (cells, threads) = &self.watched;
        let edges = &self.program.threads[t].locations[l].edges;
        threads.contains(&t)
            || edges.iter().any(|edge| {
                let mut found = false;
                each_use(self.program, edge, &mut |mut used| {
                    found |= used.how == How::Write && used.cells.any(|c| cells.contains(&c));
                });
                found
            })
    }

    /// What steps are as movers if disciplines are kept: what acquires moves to the right, what releases to the left,
    /// what is protected or private in both directions, and all else in none.
    fn movers(&self) -> Movers {
        let threads = self.program.threads.iter().enumerate();
        let of = |(t, thread): (ThreadId, &Thread)| {
            let locations = 0..thread.locations.len();
            locations.map(|l| self.mover(t, l)).collect()
        };
        threads.map(of).collect()
    }

    fn mover(&self, t: ThreadId, l: LocId) -> Mover {
        let mut mover = Mover {
            local: mentioned(self.program, t, l).is_empty() && !self.is_watched(t, l),
            right: true,
            left: true,
        };
        if mover.local {
            return mover;
        }
        for edge in &self.program.threads[t].locations[l].edges {
            let releases = releases(self.program, edge);
            mover.left &= !waits_for_thread(edge);
            each_use(self.program, edge, &mut |used| {
                let class = |c: CellId| self.program.cells[c].class;
                let is = |is: &dyn Fn(Class) -> bool| used.cells.clone().any(|c| is(class(c)));
                let shared = is(&|c| matches!(c, Class::Sync | Class::Unprotected { .. }));
                let owner = is(&|c| c == Class::Owner);
                mover.right &= !(shared || owner && releases);
                mover.left &= !(shared || owner && !releases);
            });
        }
        if self.is_watched(t, l) {
            (mover.right, mover.left) = (false, false);
        }
        mover
    }
}

/// Whether an edge gives a lock back.
fn releases(p: &Program, edge: &Edge) -> bool {
    let owner = |target: &Target| match target {
        Target::Cell(c) => p.cells[*c].class == Class::Owner,
        Target::Element(array, _) => p.arrays[*array].class == Class::Owner,
    };
    edge.body.iter().any(|command| match command {
        Command::Assign(target, Expr::Const(value)) => *value == NO_OWNER && owner(target),
        _ => false,
    })
}
