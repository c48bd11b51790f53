//! Who is asked whether something holds of generic threads, for every value of the constant.

use super::access::Known;
use super::conditions::Conditions;
use super::facts::Question;
use super::instance::Instance;
use super::kinds::Kind;
use super::linear::{Linear, Literal};
use super::locks::{Above, Locks};
use super::overlap::looks_at;
use super::products::Words;
use super::run::{
    Failed, Failure, Generic, Key, MOST_PATHS, Machine, Run, Said, Unknown, Unsaid, onward,
    where_true,
};
use super::step::{Choosing, Discipline, Steps};
use super::sums::{Sums, Variables};
use super::views::Views;
use super::{Speech, disciplines, overlaps};
use crate::base::control::{Control, Stop};
use crate::base::evidence::Letter;
use crate::base::results::{Obstacle, OverThreads};
use crate::kernel::{Id, Index, Statement, Terms};
use crate::model::program::{
    ArrayId, Expr, LocId, OpenDiscipline, Parametric, Program, SELF, ThreadId,
};
use crate::theorem::discharge::facts::Discharge;
use crate::theorem::evidence::letters;
use crate::theorem::invariants::Rung;
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The inclusions of a fact, and the classes of its threads.
type About = (Vec<(Id, Id)>, Vec<(u32, usize)>);

/// What holds of all threads together, if that can be said.
type OfAll = Option<Rc<Known>>;

/// The steps of a kind of threads from a location.
pub type Place = (usize, LocId);

/// In how many ways a step may go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It does not.
    Never,
    /// At one place in its text, and there in one way.
    OneWay,
    /// In several, or nobody knows in how many.
    ManyWays,
}

/// Who is asked whether a fact holds for every value.
pub(in crate::theorem) struct Oracle<'p> {
    pub(super) parametric: &'p Parametric,
    /// The instance with its disciplines.
    pub(super) program: &'p Program,
    pub(super) control: &'p Control,
    pub(super) kinds: &'p [Kind],
    pub(super) disciplines: Vec<OpenDiscipline>,
    /// Of each discipline, whether its predicates can overlap.
    pub(super) overlaps: RefCell<Vec<bool>>,
    arrays: &'p [ArrayId],
    /// The constant is not below this.
    pub(super) from: Cell<i64>,
    /// Smaller values from which on something can be said, in order.
    values: Vec<i64>,
    /// Whether sums over all threads are looked for.
    pub(super) sums: bool,
    /// More paths than this are not followed for one question.
    pub(super) most_paths: usize,
    /// From which of them on each fact holds.
    held: RefCell<FxHashMap<About, i64>>,
    conditions: RefCell<Rc<Conditions>>,
    known: OnceCell<Option<Known>>,
    branched: OnceCell<Option<Known>>,
    /// What holds of all threads together.
    of_all: OnceCell<OfAll>,
    /// The same, from a value on, with sums over some variables.
    with_sums: RefCell<FxHashMap<(i64, Variables), OfAll>>,
    /// What each two threads see, or why that is not known.
    views: OnceCell<Result<RefCell<Views>, Obstacle>>,
    locks: OnceCell<Option<Locks>>,
}

/// What is said, or nothing if it can't be.
pub(super) fn said<T>(found: Said<T>) -> Said<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Unsaid::Because(_)) => Ok(None),
        Err(stopped) => Err(stopped),
    }
}

impl<'p> Oracle<'p> {
    pub(super) fn new(
        instance: &'p Instance,
        program: &'p Program,
        values: Vec<i64>,
        control: &'p Control,
    ) -> Said<Self> {
        let parametric = &instance.parametric;
        let owners = Machine::new(parametric, control).owners;
        let mut like = vec![0; program.threads.len()];
        for kind in &instance.kinds {
            kind.threads.iter().for_each(|t| like[*t] = kind.like());
        }
        let disciplines =
            disciplines::disciplines(parametric, program, &instance.arrays, &owners, &like);
        let disciplines = disciplines.map_err(Unsaid::Because)?;
        let oracle = Oracle {
            parametric,
            program,
            control,
            kinds: &instance.kinds,
            overlaps: RefCell::new(vec![true; disciplines.len()]),
            disciplines,
            arrays: &instance.arrays,
            from: Cell::new(instance.value),
            values,
            sums: true,
            most_paths: MOST_PATHS,
            held: RefCell::default(),
            conditions: RefCell::default(),
            known: OnceCell::new(),
            branched: OnceCell::new(),
            of_all: OnceCell::new(),
            with_sums: RefCell::default(),
            views: OnceCell::new(),
            locks: OnceCell::new(),
        };
        for d in 0..oracle.disciplines.len() {
            let overlaps = oracle.can_overlap(d)?;
            oracle.overlaps.borrow_mut()[d] = overlaps;
        }
        Ok(oracle)
    }

    /// The array of the open program that an array of the instance's is.
    pub(super) fn open_array(&self, array: ArrayId) -> Option<ArrayId> {
        self.arrays.get(array).copied()
    }

    /// Generic threads of these kinds, and what steps they take.
    pub(super) fn steps(&self, kinds: &[usize]) -> Steps<'p> {
        let mut machine = Machine::new(self.parametric, self.control);
        // Paths of earlier questions, if there are any left, go on with theirs.
        if self.conditions.borrow().are_many() {
            self.conditions.take();
        }
        machine.conditions = Rc::clone(&self.conditions.borrow());
        machine.most_paths = self.most_paths;
        let threads: Vec<Generic> = kinds
            .iter()
            .enumerate()
            .map(|(number, kind)| self.kinds[*kind].generic(&machine, number))
            .collect();
        let disciplines = (0..self.disciplines.len()).map(|d| self.discipline(&machine, d));
        let disciplines = disciplines.collect();
        Steps {
            machine,
            disciplines,
            threads,
            arrays: self.arrays.to_vec(),
        }
    }

    /// A discipline, and what its predicates look at.
    fn discipline(&self, machine: &Machine, d: usize) -> Discipline {
        let mut done = Discipline {
            open: self.disciplines[d].clone(),
            support: BTreeSet::new(),
            regions: Vec::new(),
            overlaps: self.overlaps.borrow()[d],
            mentions: Vec::new(),
            looks_at_itself: true,
        };
        for kind in self.kinds {
            let thread = kind.generic(machine, 0);
            let (exclusive, reading) = &self.disciplines[d].predicates[kind.like()];
            for e in [exclusive, reading] {
                looks_at(machine, e, &thread, &mut done.support);
                e.walk(&mut |e| {
                    done.looks_at_itself &= self.is_own(e, kind.like());
                    done.mentions.extend(self.mention(e));
                    if let Expr::At(t, locations) = e {
                        let known = self.parametric.open.members.get(*t);
                        let family = known.map_or(thread.family, |(family, _)| *family);
                        done.regions.push((family, locations.clone()));
                    }
                });
            }
        }
        done
    }

    /// The variable that a part of a predicate mentions, with its indices.
    pub(super) fn mention(&self, e: &Expr) -> Option<(ArrayId, Vec<Expr>)> {
        let program = &self.parametric.program;
        match e {
            Expr::Cell(c) => {
                let index = program.cells.get(*c).map(|_| program.indices(*c))?;
                let index = index.into_iter().map(|i| Expr::Const(i as i64));
                Some((program.cells[*c].array, index.collect()))
            }
            Expr::Element(array, index) => Some((*array, index.clone())),
            // The slot's flag, which is looked at where the reference leads.
            Expr::Via(reference, Some(array)) => Some((*array, vec![(**reference).clone()])),
            _ => None,
        }
    }

    /// Whether an expression uses only what no other thread writes: a thread's own variables, its index, constants.
    pub(super) fn is_of(&self, e: &Expr, thread: ThreadId) -> bool {
        let program = &self.parametric.program;
        let own = |array: ArrayId| {
            let owner = program.arrays[array].name.split_once('.').map(|(t, _)| t);
            owner == Some(program.threads[thread].name.as_str())
        };
        let mut all = true;
        e.walk(&mut |e| {
            all &= match e {
                Expr::Cell(c) => {
                    self.parametric.open.is_open(*c)
                        || program.cells.get(*c).is_some_and(|c| own(c.array))
                }
                Expr::Element(array, _) => own(*array),
                Expr::Via(_, allocated) => allocated.is_none(),
                Expr::At(..) => false,
                _ => true,
            }
        });
        all
    }

    /// Whether a part of a thread's predicate looks at no other thread's location or variables.
    fn is_own(&self, e: &Expr, thread: ThreadId) -> bool {
        let program = &self.parametric.program;
        let own = |array: ArrayId| {
            let owner = program.arrays[array].name.split_once('.').map(|(t, _)| t);
            let mut threads = program.threads.iter();
            owner.is_none_or(|o| threads.all(|t| t.name != o) || o == program.threads[thread].name)
        };
        match e {
            Expr::At(t, _) => *t == SELF,
            Expr::Cell(c) => program.cells.get(*c).is_none_or(|c| own(c.array)),
            Expr::Element(array, _) => own(*array),
            _ => true,
        }
    }

    /// The states in which a question begins: type-correct, with threads that differ, and the constant not below a
    /// value.
    pub(super) fn begun(&self, steps: &Steps, kinds: &[usize], from: i64) -> Said<Vec<Run>> {
        let m = &steps.machine;
        m.begin();
        let mut runs = Vec::new();
        let least = Literal::NonNegative(m.parameter().add(-i128::from(from)));
        runs.extend(m.with(&Run::default(), least)?);
        for (thread, kind) in steps.threads.iter().zip(kinds) {
            let mut next = Vec::new();
            for run in runs {
                next.extend(self.kinds[*kind].members(m, run, thread)?);
            }
            runs = next;
        }
        for (n, thread) in steps.threads.iter().enumerate() {
            for other in &steps.threads[n + 1..] {
                if other.family != thread.family {
                    continue;
                }
                let mut next = Vec::new();
                for run in runs {
                    let apart = Literal::NonZero(thread.index.minus(&other.index));
                    next.extend(m.with(&run, apart)?);
                }
                runs = next;
            }
        }
        Ok(runs)
    }

    /// Whether the predicates of two threads can overlap for some cell.
    fn can_overlap(&self, d: usize) -> Said<bool> {
        let all = 0..self.kinds.len();
        for one in all.clone() {
            for other in all.clone() {
                if self.can_overlap_of(d, &[one, other])? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Indices that stand for those of any cell of a discipline's variable.
    pub(super) fn cell_of(&self, m: &Machine, d: usize) -> Vec<Linear> {
        let named = |n: usize| Linear::atom(m.atom(Unknown::Named(format!("[{n}]"))));
        (0..self.disciplines[d].binders.len()).map(named).collect()
    }

    fn can_overlap_of(&self, d: usize, kinds: &[usize; 2]) -> Said<bool> {
        let steps = self.steps(kinds);
        let m = &steps.machine;
        let index = self.cell_of(m, d);
        let runs = onward(self.begun(&steps, kinds, 1)?, |run| {
            Ok(m.inside(run, self.disciplines[d].array, &index)?.0)
        })?;
        let first = onward(runs, |run| {
            steps.right(run, d, &steps.threads[0], &index, true)
        })?;
        let both = onward(where_true(first), |run| {
            steps.right(run, d, &steps.threads[1], &index, false)
        })?;
        Ok(both.iter().any(|(_, right)| *right))
    }

    /// Whether a statement about generic threads of these classes (by index variable) is a fact from a value on.
    ///
    /// # Errors
    /// What stands against it.
    pub(super) fn holds(
        &self,
        discharge: &Discharge,
        statement: &Statement,
        classes: &[(u32, usize)],
        (from, everywhere): (i64, bool),
    ) -> Said<Rung> {
        let speech = Speech {
            terms: &discharge.development.terms,
            letters: &letters(self.program, discharge),
        };
        let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
        for (_, class) in classes {
            let threads = &discharge.classes[*class].threads;
            let of = |n: &usize| threads.contains(&self.kinds[*n].like());
            let kinds: Vec<usize> = (0..self.kinds.len()).filter(of).collect();
            if kinds.is_empty() {
                return Err(Unsaid::Because(Obstacle::Form));
            }
            let longer = |c: &Vec<usize>| -> Vec<Vec<usize>> {
                kinds
                    .iter()
                    .map(|k| [c.as_slice(), &[*k]].concat())
                    .collect()
            };
            choices = choices.iter().flat_map(longer).collect();
        }
        let mut on = Rung::True;
        for kinds in choices {
            let threads: Vec<(u32, usize)> = classes.iter().map(|c| c.0).zip(kinds).collect();
            for part in &statement.parts {
                on = on.max(self.included(&speech, *part, &threads, (from, everywhere))?);
            }
        }
        Ok(on)
    }

    /// Whether a statement about generic threads of these classes is a fact on all type-correct states, as far as that
    /// can be said; none if it takes too many cases.
    ///
    /// # Errors
    /// A limit that was hit.
    pub(in crate::theorem) fn says(
        &self,
        discharge: &Discharge,
        statement: &Statement,
        classes: &[(u32, usize)],
    ) -> Result<Option<bool>, Stop> {
        match self.holds(discharge, statement, classes, (self.from.get(), true)) {
            Ok(_) => Ok(Some(true)),
            Err(Unsaid::Because(Obstacle::Paths)) => Ok(None),
            Err(Unsaid::Because(_)) => Ok(Some(false)),
            Err(Unsaid::Stopped(stop)) => Err(stop),
        }
    }

    /// On which states an inclusion holds of all threads of these kinds (by index variable) that differ, from a value
    /// on: all that are type-correct, or else, if not `everywhere` is asked, those that what holds at locations allows.
    ///
    /// # Errors
    /// What stands against it.
    pub(super) fn included(
        &self,
        speech: &Speech,
        (left, right): (Id, Id),
        threads: &[(u32, usize)],
        (from, everywhere): (i64, bool),
    ) -> Said<Rung> {
        let kinds: Vec<usize> = threads.iter().map(|(_, kind)| *kind).collect();
        let steps = self.steps(&kinds);
        let begun = self.begun(&steps, &kinds, from)?;
        let words = Words {
            speech,
            variables: threads,
        };
        let question = Question {
            steps: &steps,
            words,
            program: self.program,
            known: None,
        };
        // What can't be said in one way may be said in another.
        let mut why = Obstacle::Fails;
        let mut said = |found: Said<bool>| match found {
            Err(Unsaid::Because(obstacle)) => {
                why = obstacle;
                Ok(false)
            }
            other => other,
        };
        if said(question.included(&begun, left, right))? {
            return Ok(Rung::True);
        }
        let rungs = [Rung::ThreadModular, Rung::Lemmas];
        for rung in rungs.into_iter().filter(|_| !everywhere) {
            let known = match rung {
                Rung::ThreadModular => self.known()?.as_ref(),
                _ => self.of_all()?.as_deref(),
            };
            if let Some(known) = known {
                let mut steps = self.steps(&kinds);
                steps.keep_apart(&known.apart);
                let begun = self.begun(&steps, &kinds, from)?;
                let question = Question {
                    steps: &steps,
                    known: Some((self, known)),
                    ..question.clone()
                };
                if said(question.included(&begun, left, right))? {
                    return Ok(rung);
                }
            }
            // They say at once what sums would have to be asked for.
            if rung == Rung::ThreadModular
                && let Ok(views) = self.views()?
                && said(views.borrow_mut().included(self, words, (left, right)))?
            {
                return Ok(Rung::Lemmas);
            }
        }
        Err(Unsaid::Because(why))
    }

    /// Whether a step of some thread may be taken after a step of another thread that follows it, if nothing is
    /// violated: `a b ~q <= b a`, on the states that what holds at locations allows.
    ///
    /// # Errors
    /// What stands against it.
    pub(super) fn swaps(&self, first: Place, second: Place) -> Said<bool> {
        let mut terms = Terms::new();
        let letters: Vec<Letter> = [first, second]
            .map(|(_, l)| Letter::Steps {
                class: 0,
                locations: vec![l],
            })
            .into_iter()
            .chain([Letter::Violated])
            .collect();
        let (a, b) = (terms.symbol("a", false, 1), terms.symbol("b", false, 1));
        let q = terms.symbol("q", true, 0);
        let a = terms.atom(a, vec![Index::Var(0)]);
        let b = terms.atom(b, vec![Index::Var(1)]);
        let q = terms.atom(q, Vec::new());
        let calm = terms.not(q);
        let (left, right) = (terms.product([a, b, calm]), terms.product([b, a]));
        let speech = Speech {
            terms: &terms,
            letters: &letters,
        };
        let threads = [(0, first.0), (1, second.0)];
        let from = self.from.get();
        match self.included(&speech, (left, right), &threads, (from, false)) {
            Ok(_) => Ok(true),
            Err(Unsaid::Because(Obstacle::Fails)) => Ok(false),
            Err(unsaid) => Err(unsaid),
        }
    }

    /// The paths that begin where a step does, with what holds there.
    fn begun_at(&self, place: Place) -> Said<(Steps<'p>, Vec<Run>)> {
        self.begun_with(self.known()?, place)
    }

    /// The same, with what its thread has branched on.
    pub(super) fn begun_behind_branches(&self, place: Place) -> Said<(Steps<'p>, Vec<Run>)> {
        self.begun_with(self.branched()?, place)
    }

    fn begun_with(&self, known: &Option<Known>, (k, l): Place) -> Said<(Steps<'p>, Vec<Run>)> {
        let form = || Unsaid::Because(Obstacle::Form);
        let known = known.as_ref().ok_or_else(form)?;
        let steps = self.steps(&[k]);
        let begun = self.begun(&steps, &[k], self.from.get())?;
        let begun = known.at(&steps, begun, (0, k), l)?;
        Ok((steps, begun))
    }

    /// Whether two threads may be where two steps begin, for all that is known of locations.
    ///
    /// # Errors
    /// What can't be said.
    pub(super) fn together(&self, one: Place, other: Place) -> Said<bool> {
        let form = || Unsaid::Because(Obstacle::Form);
        let known = self.known()?.as_ref().ok_or_else(form)?;
        let kinds = [one.0, other.0];
        let steps = self.steps(&kinds);
        let begun = self.begun(&steps, &kinds, self.from.get())?;
        let begun = known.at(&steps, begun, (0, one.0), one.1)?;
        let begun = known.at(&steps, begun, (1, other.0), other.1)?;
        Ok(!begun.is_empty())
    }

    /// Whether a step may have to wait, on the states that what holds at its location allows.
    ///
    /// # Errors
    /// What can't be said.
    pub(super) fn waits(&self, place: Place) -> Said<bool> {
        let (steps, begun) = self.begun_at(place)?;
        let all = onward(begun, |run| {
            steps.is_enabled(run, &steps.threads[0], place.1)
        })?;
        Ok(all.iter().any(|(_, enabled)| !enabled))
    }

    /// Whether a step may go wrong, on the states that what holds at its location allows.
    ///
    /// # Errors
    /// What can't be said.
    pub(super) fn goes_wrong(&self, place: Place) -> Said<Wrong> {
        let failures = |known| -> Said<BTreeSet<Failed>> {
            let ends = self.ends(known, place)?;
            Ok(ends.iter().filter_map(|run| run.failed).collect())
        };
        let mut found = failures(self.known()?)?;
        if !found.is_empty() {
            // What a thread has found out on its way is asked for only where that may matter.
            found = failures(self.branched()?)?;
        }
        let evaluated = found.iter().any(|f| f.how == Failure::Evaluation);
        Ok(match found.len() {
            0 => Wrong::Never,
            1 if !evaluated => Wrong::OneWay,
            _ => Wrong::ManyWays,
        })
    }

    /// Whether a step that goes wrong leaves all but its thread's location as it was.
    ///
    /// # Errors
    /// What can't be said.
    pub(super) fn fails_alone(&self, place: Place) -> Said<bool> {
        let ends = self.ends(self.branched()?, place)?;
        let mut failed = ends.iter().filter(|run| run.failed.is_some());
        Ok(failed.all(|run| {
            let mut written = run.writes.iter();
            written.all(|w| matches!(w.0, Key::Location(_)))
        }))
    }

    /// Whether a thread may own a lock at a place.
    ///
    /// # Errors
    /// A limit that was hit.
    pub(super) fn owns(&self, place: Place) -> Said<bool> {
        let locks = self.locks()?.as_ref();
        Ok(locks.is_none_or(|locks| locks.owns_something(place)))
    }

    /// Where a step waits for a lock only, and that is above all that its thread owns: which variables have to be above
    /// which for that. None if that is not known.
    ///
    /// # Errors
    /// A limit that was hit.
    pub(super) fn ascends(&self, place: Place) -> Said<Option<Above>> {
        let Some(locks) = self.locks()?.as_ref() else {
            return Ok(None);
        };
        said(locks.ascends(self, place)).map(Option::flatten)
    }

    /// What locks threads own at most; nothing if that can't be said.
    pub(super) fn locks(&self) -> Said<&Option<Locks>> {
        if let Some(locks) = self.locks.get() {
            return Ok(locks);
        }
        let locks = said(Locks::new(self))?;
        Ok(self.locks.get_or_init(|| locks))
    }

    /// What holds of threads where they are, from the smallest value on; nothing if that can't be said.
    pub(super) fn known(&self) -> Said<&Option<Known>> {
        self.known_of(&self.known, false)
    }

    /// The same, with what they have branched on.
    fn branched(&self) -> Said<&Option<Known>> {
        self.known_of(&self.branched, true)
    }

    /// What holds of all threads together, from the smallest value on; nothing if that can't be said, or is no more.
    fn of_all(&self) -> Said<&OfAll> {
        if let Some(known) = self.of_all.get() {
            return Ok(known);
        }
        let known = self.at_smallest(|| overlaps::together(self))?;
        Ok(self.of_all.get_or_init(|| known.flatten()))
    }

    /// What holds of all threads together, from the value on, with sums over these variables; nothing if that can't be
    /// said.
    pub(super) fn with_sums(&self, variables: Variables) -> Said<Option<Rc<Known>>> {
        if !self.sums {
            return Ok(None);
        }
        let about = (self.from.get(), variables);
        if let Some(known) = self.with_sums.borrow().get(&about) {
            return Ok(known.clone());
        }
        let known = said(Sums::new(self, variables).and_then(|sums| Known::together(self, sums)))?;
        let known = known.map(Rc::new);
        self.with_sums.borrow_mut().insert(about, known.clone());
        Ok(known)
    }

    /// The sums that facts, or what is known of the discipline, have made use of.
    ///
    /// # Errors
    /// A limit that was hit.
    pub(super) fn used_sums(&self, kept: Option<&Known>) -> Said<Vec<OverThreads>> {
        let mut all = Vec::new();
        let of_all = self.of_all.get().and_then(Option::as_deref);
        for known in kept.into_iter().chain(of_all) {
            for sum in known.sums.used(self)? {
                if !all.contains(&sum) {
                    all.push(sum);
                }
            }
        }
        Ok(all)
    }

    /// What each two threads see, or why that is not known.
    ///
    /// # Errors
    /// A limit that was hit.
    pub(super) fn views(&self) -> Said<&Result<RefCell<Views>, Obstacle>> {
        if let Some(views) = self.views.get() {
            return Ok(views);
        }
        let found = match self.sums {
            true => Views::of(self),
            false => Err(Unsaid::Because(Obstacle::Unasked)),
        };
        let views = match found {
            Ok(views) => Ok(RefCell::new(views)),
            Err(Unsaid::Because(why)) => Err(why),
            Err(stopped) => return Err(stopped),
        };
        Ok(self.views.get_or_init(|| views))
    }

    /// How many views there are, if facts or the discipline have made use of them.
    pub(super) fn used_views(&self) -> Option<usize> {
        let views = self.views.get()?.as_ref().ok()?;
        views.borrow().used()
    }

    fn known_of<'k>(
        &self,
        kept: &'k OnceCell<Option<Known>>,
        branches: bool,
    ) -> Said<&'k Option<Known>> {
        if let Some(known) = kept.get() {
            return Ok(known);
        }
        let known = self.at_smallest(|| Known::alone(self, branches))?;
        Ok(kept.get_or_init(|| known))
    }

    /// What is found from the smallest value on; nothing if it can't be said.
    fn at_smallest<T>(&self, find: impl FnOnce() -> Said<T>) -> Said<Option<T>> {
        let from = self.from.get();
        let smallest = self.values.first().copied();
        self.from.set(smallest.unwrap_or(from));
        let found = find();
        self.from.set(from);
        said(found)
    }

    /// The paths on which a step has been taken.
    fn ends(&self, known: &Option<Known>, place: Place) -> Said<Vec<Run>> {
        let (steps, begun) = self.begun_with(known, place)?;
        onward(begun, |run| {
            steps.step(run, &steps.threads[0], place.1, &mut Choosing::All)
        })
    }

    /// On which states something is a fact from the instance's value on, or what stands against it. If nothing does, it
    /// is noted from which value on it holds. With `everywhere`, only all type-correct states will do.
    ///
    /// # Errors
    /// A limit that was hit.
    pub fn asked(
        &self,
        discharge: &Discharge,
        statement: &Statement,
        classes: &[(u32, usize)],
        everywhere: bool,
    ) -> Result<Result<Rung, Obstacle>, Stop> {
        let on = |from: i64| match self.holds(discharge, statement, classes, (from, everywhere)) {
            Ok(on) => Ok(Ok(on)),
            Err(Unsaid::Because(why)) => Ok(Err(why)),
            Err(Unsaid::Stopped(stop)) => Err(stop),
        };
        let about = (statement.parts.clone(), classes.to_vec());
        let note = |from: i64| self.held.borrow_mut().insert(about, from);
        // Most facts hold from the smallest value on. Of others it is asked first whether they hold at all.
        let mut smaller = self.values.iter().copied();
        if let Some(first) = smaller.next()
            && let Ok(rung) = on(first)?
        {
            note(first);
            return Ok(Ok(rung));
        }
        let here = self.from.get();
        let rung = match on(here)? {
            Ok(rung) => rung,
            refuted => return Ok(refuted),
        };
        for value in smaller {
            if let Ok(rung) = on(value)? {
                note(value);
                return Ok(Ok(rung));
            }
        }
        note(here);
        Ok(Ok(rung))
    }

    /// The value from which on all facts of a discharge hold.
    pub(super) fn smallest(&self, discharge: &Discharge) -> i64 {
        let held = self.held.borrow();
        let smallest = self.values.first().copied();
        let smallest = smallest.unwrap_or(self.from.get());
        let statements = discharge.development.hypotheses().iter();
        let from = statements.zip(&discharge.facts).map(|((_, s), fact)| {
            let about = (s.parts.clone(), fact.threads.clone());
            held.get(&about).copied().unwrap_or(self.from.get())
        });
        from.fold(smallest, i64::max)
    }
}
