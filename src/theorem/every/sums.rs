//! Sums over all threads that no step makes larger: why barriers, semaphores and hand-made locks give access.
//!
//! A sum has a weight for each place where a thread may be, and a factor for each of some shared variables, such as
//! `(threads before the barrier) + y <= N`. These are the place invariants of a Petri net whose tokens are the threads
//! (Lautenbach 1975), with "not larger" for "the same". Weights are not negative, so the threads at hand, and the
//! variables, are not above the bound either, however many threads there are. Sums may be about one index k: a place
//! then says whether a term of the thread is k, and a variable is that at k. Candidates are the extreme rays of the
//! cone that the steps leave (Farkas; Colom & Silva 1991); each is looked at once more for each step.

mod net;
mod shown;
#[cfg(test)]
mod tests;

use self::net::Net;
use super::Oracle;
use super::access::{branches_of, each_write, initial_value};
use super::linear::{Linear, Literal};
use super::oracle::Place;
use super::run::{Generic, Key, Machine, Run, Said, Values, View, bit, onward};
use super::step::Steps;
use crate::model::program::{
    ArrayId, Class, Edge, Expr, Kind, LocId, Program, Target, Thread, ThreadId,
};
use crate::model::text::ast::BinaryOp;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Something that a thread's own variables decide.
#[derive(Clone, Debug, PartialEq)]
enum Mark {
    /// Whether this is the index that a sum is about.
    Is(Expr),
    /// Whether this is true.
    True(Expr),
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Part {
    /// Its value.
    Value(ArrayId),
    /// 1 if that is not above the index that a sum is about, else 0.
    AtMost(ArrayId),
}

/// A kind of threads and where one is, and which of its marks hold.
type State = (Place, Vec<bool>);

/// A sum that no step makes larger.
#[derive(Clone, Debug, PartialEq)]
struct Sum {
    /// Of each place that has one.
    weights: FxHashMap<State, i128>,
    /// Of variables, each with its factor.
    factors: Vec<(Part, i128)>,
    /// By family: the weights of a thread where it begins if its index is not the one in question, and if it is.
    first: Vec<(i128, i128)>,
    /// Whether it is about one index.
    is_indexed: bool,
    /// By how much it may be above what it is in an initial state: it is about variables only, and their values.
    beyond: i128,
    /// Whether some path contradicts it.
    is_used: Cell<bool>,
}

/// The sums of a program.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// By kind.
    marks: Vec<Vec<Mark>>,
    all: Vec<Sum>,
}

/// The variables that sums are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variables {
    /// None: there are no sums.
    None,
    /// Those that no discipline is about.
    Free,
    /// All.
    All,
}

impl Variables {
    pub const ALL: [Variables; 3] = [Variables::None, Variables::Free, Variables::All];
}

/// A thread has no more marks than this: its places are as many as there are combinations.
const MOST_MARKS: usize = 4;

impl Sums {
    /// The sums of a program from a value on, over these variables.
    ///
    /// # Errors
    /// That it can't be said what its steps do, or a limit that was hit.
    pub fn new(oracle: &Oracle, variables: Variables) -> Said<Self> {
        if variables == Variables::None {
            return Ok(Sums::default());
        }
        let marks: Vec<Vec<Mark>> = oracle
            .kinds
            .iter()
            .map(|k| marks(oracle, k.like()))
            .collect();
        let left_out: Vec<ArrayId> = match variables {
            Variables::Free => oracle.disciplines.iter().map(|d| d.array).collect(),
            _ => Vec::new(),
        };
        let mut sums = Sums {
            marks,
            all: Vec::new(),
        };
        // What never happens by the first sums is left out for the second ones, which are no fewer.
        for _ in 0..2 {
            let mut net = Net::new(limits(oracle, &sums.marks), left_out.clone());
            for k in 0..oracle.kinds.len() {
                net.follow(oracle, k, &sums)?;
            }
            let mut found: Vec<Sum> = Vec::new();
            for sum in net.sums(oracle)? {
                if !found.iter().any(|other| other.implies(&sum)) {
                    found.retain(|other| !sum.implies(other));
                    found.push(sum);
                }
            }
            if found.is_empty() {
                break;
            }
            sums.all = found;
        }
        Ok(sums)
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The paths on which no sum is above its bound, of those on which nothing has been written yet, and the threads at
    /// hand are at these places: for the indices given, and those of the threads.
    pub fn below(
        &self,
        oracle: &Oracle,
        steps: &Steps,
        places: &[Option<Place>],
        runs: Vec<Run>,
        indices: &[Linear],
    ) -> Said<Vec<Run>> {
        if self.is_empty() {
            return Ok(runs);
        }
        onward(runs, |run| {
            let mut about = indices.to_vec();
            for (thread, place) in steps.threads.iter().zip(places) {
                let of_kind = place.iter().flat_map(|(k, _)| &self.marks[*k]);
                for mark in of_kind {
                    let Mark::Is(e) = mark else { continue };
                    // A term that may have no value, or one of several, is none to ask for.
                    if let [(_, Some(index))] =
                        &steps.machine.eval(run.clone(), e, &view(thread))?[..]
                        && !about.contains(index)
                    {
                        about.push(index.clone());
                    }
                }
            }
            let within = |runs: Vec<Run>, sum: &Sum| -> Said<Vec<Run>> {
                let once = [Linear::constant(0)];
                let indices = if sum.is_indexed { &about[..] } else { &once };
                indices.iter().try_fold(runs, |open, index| {
                    onward(open, |run| {
                        self.is_below(oracle, steps, places, (sum, index), run)
                    })
                })
            };
            let mut open = vec![run.clone()];
            for (n, sum) in self.all.iter().enumerate() {
                open = within(open, sum)?;
                if open.is_empty() && !within(vec![run.clone()], sum)?.is_empty() {
                    // Another had its part in it.
                    for other in &self.all[..n] {
                        let with = within(vec![run.clone()], other)?;
                        if within(with, sum)?.is_empty() {
                            other.is_used.set(true);
                            break;
                        }
                    }
                }
                if open.is_empty() {
                    break;
                }
            }
            Ok(open)
        })
    }

    /// The paths on which one sum is not above its bound for an index.
    fn is_below(
        &self,
        oracle: &Oracle,
        steps: &Steps,
        places: &[Option<Place>],
        (sum, index): (&Sum, &Linear),
        run: Run,
    ) -> Said<Vec<Run>> {
        let m = &steps.machine;
        let (mut open, mut outside) = (vec![run], Vec::new());
        for (part, _) in &sum.factors {
            let (_, at) = part.cell(oracle, index);
            open = onward(open, |run| {
                let (inside, others) = m.inside(run, part.array(), &at)?;
                outside.extend(others);
                Ok(inside)
            })?;
        }
        let bound = sum.bound(oracle, m)?;
        let mut left: Vec<(Run, Linear)> =
            open.into_iter().map(|run| (run, bound.clone())).collect();
        for (part, factor) in &sum.factors {
            let (key, at) = part.cell(oracle, index);
            left = onward(left, |(run, left)| {
                onward(m.read(run, &key, &at)?, |(run, x)| {
                    let all = part.of(m, run, &x, index)?.into_iter();
                    Ok(all.map(|(run, x)| (run, left.plus(&x, -factor))).collect())
                })
            })?;
        }
        // A thread that may be anywhere, or went wrong nobody knows where, counts for nothing.
        let text = |t: &Generic| &m.parametric.program.threads[t.like];
        let placed = steps.threads.iter().zip(places);
        let placed = placed.filter_map(|(t, p)| Some((t, p.as_ref()?)));
        for (thread, place) in placed.filter(|(t, p)| text(t).wrong != Some(p.1)) {
            left = onward(left, |(run, left)| {
                let all = self
                    .weight(sum, m, run, (thread, *place), index)?
                    .into_iter();
                Ok(all.map(|(run, w)| (run, left.add(-w))).collect())
            })?;
        }
        let within = onward(left, |(run, left)| {
            let within = m.with(&run, Literal::NonNegative(left))?;
            sum.is_used.set(sum.is_used.get() || within.is_none());
            Ok(within.into_iter().collect())
        })?;
        outside.extend(within);
        Ok(outside)
    }

    /// The weight of a thread at a place, on each path.
    fn weight(
        &self,
        sum: &Sum,
        m: &Machine,
        run: Run,
        (thread, (k, l)): (&Generic, Place),
        index: &Linear,
    ) -> Said<Vec<(Run, i128)>> {
        let marks = &self.marks[k];
        let states = sum.weights.iter().filter(|((at, _), _)| *at == (k, l));
        let states: Vec<(&[bool], i128)> = states.map(|((_, m), w)| (m.as_slice(), *w)).collect();
        let mut open = vec![(run, states)];
        for (n, mark) in marks.iter().enumerate() {
            open = onward(open, |(run, states)| {
                let all = states.len() == 1 << (marks.len() - n);
                let same = states.windows(2).all(|two| two[0].1 == two[1].1);
                if states.is_empty() || all && same {
                    return Ok(vec![(run, states)]);
                }
                let told = mark.told(m, run, thread, index)?.into_iter();
                let with = told.map(|(run, holds)| {
                    let those = states.iter().filter(|(marks, _)| marks[n] == holds);
                    (run, those.copied().collect())
                });
                Ok(with.collect())
            })?;
        }
        // Nobody is where no thread comes to.
        let first = |(run, states): (Run, Vec<(&[bool], i128)>)| Some((run, states.first()?.1));
        Ok(open.into_iter().filter_map(first).collect())
    }
}

impl Sum {
    /// Whether a sum of the same variables has nowhere a larger weight, and no smaller bound.
    fn implies(&self, other: &Sum) -> bool {
        let weight = |of: &Sum, state: &State| of.weights.get(state).copied().unwrap_or(0);
        let mut states = other.weights.keys();
        let no_more = |(mine, theirs): (&(i128, i128), &(i128, i128))| {
            mine.0 <= theirs.0 && mine.1.max(mine.0) - mine.0 <= theirs.1.max(theirs.0) - theirs.0
        };
        self.factors == other.factors
            && self.beyond <= other.beyond
            && states.all(|s| weight(other, s) <= weight(self, s))
            && self.first.iter().zip(&other.first).all(no_more)
    }

    /// What the sum is not above: what it may be in an initial state.
    fn bound(&self, oracle: &Oracle, m: &Machine) -> Said<Linear> {
        let mut bound = Linear::constant(self.beyond);
        for (family, (others, own)) in oracle.parametric.open.families.iter().zip(&self.first) {
            if *others != 0 {
                bound = bound.plus(&m.constant(&family.members())?, *others);
            }
            bound = bound.add((own - others).max(0));
        }
        for (part, factor) in &self.factors {
            match part {
                Part::Value(array) => {
                    if let Some(e) = initial_value(oracle, *array) {
                        bound = bound.plus(&m.constant(&e)?, *factor);
                    }
                }
                // The index may be any.
                Part::AtMost(_) => bound = bound.add((*factor).max(0)),
            }
        }
        Ok(bound)
    }
}

impl Part {
    fn array(self) -> ArrayId {
        match self {
            Part::Value(array) | Part::AtMost(array) => array,
        }
    }

    fn both(array: ArrayId) -> [Part; 2] {
        [Part::Value(array), Part::AtMost(array)]
    }

    /// The cell that a sum about an index looks at.
    fn cell(self, oracle: &Oracle, index: &Linear) -> (Key, Vec<Linear>) {
        let dims = oracle.parametric.program.arrays[self.array()].dims.len();
        (Key::Shared(self.array()), vec![index.clone(); dims])
    }

    /// What it is if the variable has a value, on each path.
    fn of(self, m: &Machine, run: Run, x: &Linear, index: &Linear) -> Said<Vec<(Run, Linear)>> {
        if let Part::Value(_) = self {
            return Ok(vec![(run, x.clone())]);
        }
        let (below, above) = m.divide(&run, Literal::NonNegative(index.minus(x)))?;
        let below = below.map(|run| (run, bit(true)));
        let above = above.map(|run| (run, bit(false)));
        Ok(below.into_iter().chain(above).collect())
    }
}

impl Mark {
    /// Whether it holds of a thread, on each path.
    fn told(
        &self,
        m: &Machine,
        run: Run,
        thread: &Generic,
        index: &Linear,
    ) -> Said<Vec<(Run, bool)>> {
        let view = view(thread);
        let e = match self {
            Mark::True(e) => {
                let all = m.truth(run, e, &view)?.into_iter();
                return Ok(all.map(|(run, v)| (run, v == Some(true))).collect());
            }
            Mark::Is(e) => e,
        };
        let mut all = Vec::new();
        for (run, value) in m.eval(run, e, &view)? {
            let Some(value) = value else {
                all.push((run, false));
                continue;
            };
            let (is, other) = m.divide(&run, Literal::Zero(value.minus(index)))?;
            all.extend(is.map(|run| (run, true)));
            all.extend(other.map(|run| (run, false)));
        }
        Ok(all)
    }
}

/// Which marks hold, on each path.
fn told(
    marks: &[Mark],
    m: &Machine,
    run: Run,
    thread: &Generic,
    index: &Linear,
) -> Said<Vec<(Run, Vec<bool>)>> {
    marks
        .iter()
        .try_fold(vec![(run, Vec::new())], |open, mark| {
            onward(open, |(run, held)| {
                let all = mark.told(m, run, thread, index)?.into_iter();
                Ok(all
                    .map(|(run, holds)| (run, [held.as_slice(), &[holds]].concat()))
                    .collect())
            })
        })
}

/// Where a thread is that went wrong at a location: it is told apart from those that did so elsewhere.
pub(super) fn wrong_at(thread: &Thread, l: LocId) -> LocId {
    thread.locations.len() + l
}

/// Whether a variable is a number, or an array of them.
fn is_number(program: &Program, array: ArrayId) -> bool {
    let a = &program.arrays[array];
    let ty = program.cells[a.first].ty;
    a.class != Class::Owner && a.dims.len() <= 1 && matches!(ty.kind, Kind::Int | Kind::Bool)
}

/// What a thread's place tells: whether its index is the one in question, then other terms that it has for indices,
/// and what it branches on.
fn marks(oracle: &Oracle, like: ThreadId) -> Vec<Mark> {
    let program = &oracle.parametric.program;
    let mut all = Vec::new();
    if let Some(cell) = oracle.parametric.open.members[like].1 {
        all.push(Mark::Is(Expr::Cell(cell)));
    }
    let is_own = |e: &Expr| !matches!(e, Expr::Const(_)) && oracle.is_of(e, like);
    let mut add = |mark: Mark| {
        if all.len() < MOST_MARKS && !all.contains(&mark) {
            all.push(mark);
        }
    };
    for edge in program.threads[like]
        .locations
        .iter()
        .flat_map(|l| &l.edges)
    {
        each_term(program, edge, &mut |e| {
            if is_own(e) {
                add(Mark::Is(e.clone()));
            }
        });
    }
    for e in branches_of(oracle, like) {
        if is_own(&e) {
            add(Mark::True(e));
        }
    }
    all
}

/// Calls `f` with each term of an edge that may be the index of a numbered variable, or is compared or set to one.
fn each_term(program: &Program, edge: &Edge, f: &mut dyn FnMut(&Expr)) {
    let mut found: Vec<Expr> = Vec::new();
    edge.each_expression(&mut |e| {
        e.walk(&mut |e| match e {
            Expr::Element(array, index) if is_number(program, *array) => {
                found.extend(index.first().cloned());
            }
            Expr::Binary(BinaryOp::Eq, x, y) => {
                for (one, other) in [(x, y), (y, x)] {
                    found.extend(number(program, one).map(|_| (**other).clone()));
                }
            }
            _ => {}
        });
    });
    each_write(&edge.body, &mut |target, _| {
        if let Target::Element(array, index) = target
            && is_number(program, *array)
        {
            found.extend(index.first().cloned());
        }
    });
    found.iter().for_each(f);
}

/// The shared variable without an index that an expression is.
fn number(program: &Program, e: &Expr) -> Option<ArrayId> {
    let array = match e {
        Expr::Cell(c) => program.cells.get(*c)?.array,
        Expr::Element(array, index) if index.is_empty() => *array,
        _ => return None,
    };
    let is_shared = !matches!(program.arrays[array].class, Class::Local(_));
    (is_shared && is_number(program, array)).then_some(array)
}

/// Variables whose value threads take for an index: tickets are drawn from them.
fn limits(oracle: &Oracle, marks: &[Vec<Mark>]) -> Vec<ArrayId> {
    let program = &oracle.parametric.program;
    let mut all = Vec::new();
    for (kind, marks) in oracle.kinds.iter().zip(marks) {
        let locations = program.threads[kind.like()].locations.iter();
        for edge in locations.flat_map(|l| &l.edges) {
            each_write(&edge.body, &mut |target, value| {
                let Target::Cell(c) = target else { return };
                let drawn = value.and_then(|value| number(program, value));
                if marks.contains(&Mark::Is(Expr::Cell(*c))) {
                    all.extend(drawn.filter(|a| !all.contains(a)));
                }
            });
        }
    }
    all
}

fn view(thread: &Generic) -> View<'_> {
    View {
        thread,
        binders: Values::default(),
        accesses: false,
    }
}
