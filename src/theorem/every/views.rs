//! What two threads see: an invariant about each two of them, for every number of threads.
//!
//! A view is what shared variables hold, the own variables and locations of two threads, and of each owner of a lock
//! whether it is nobody, one of the two, or another thread. Where threads are told apart by nothing but what they own,
//! there are as many views as there are for few threads. They are found from above: a view is reached if it is one of
//! an initial state, if a step of one of its threads leads to it, or if a step of a third thread does whose views with
//! both are reached (view abstraction with k = 2: Abdulla, Haziza and Holík, "All for the price of few", VMCAI 2013,
//! section 3; owners that are "another thread" are what is new). So the views of every state that is reached are among
//! them, whatever the number of threads is. In none may a step access a protected variable without the right to, nor
//! both threads have access.

mod facts;
#[cfg(test)]
mod tests;
mod text;

use self::text::{told_apart_by_owners, writes};
use super::Oracle;
use super::run::{Machine, Said, Unsaid};
use crate::base::results::{self, Obstacle};
use crate::engine::{State, each_successor, has_right, initial_candidates, is_initial, may_access};
use crate::model::program::{CellId, Class, LocId, NO_OWNER, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Who owns something, in the eyes of one of two threads or of both.
type Code = i32;

const NOBODY: Code = -1;
const ONE: Code = 0;
const TWO: Code = 1;
const ANOTHER: Code = 2;

/// Values of shared variables, with codes for owners, by number.
type Shared = u32;

/// A kind of threads, where one is, and what its own variables hold, by number.
type Own = u32;

/// What two threads see.
type View = (Shared, Own, Own);

/// More views, or pairs of views of one thread, than these are not looked at.
const MOST_VIEWS: usize = 1 << 19;
const MOST_PAIRS: u64 = 1 << 25;

/// What fits the declared initial values, and what a step may lead to, is no more than this.
const MOST_CANDIDATES: usize = 1 << 16;
const MOST_OUTCOMES: usize = 1 << 12;

/// What a view costs, and a step, in pairs of BDD nodes.
const VIEW: u64 = 1 << 5;
const STEP: u64 = 1 << 7;

/// The views of a program's states.
pub(super) struct Views {
    /// The cells that threads share.
    shared: Vec<CellId>,
    /// Which of them are owners.
    owners: Vec<usize>,
    /// The own cells of each thread of the instance.
    own: Vec<Vec<CellId>>,
    /// What nobody looks at.
    rest: State,
    all_shared: Numbered<Vec<i32>>,
    all_own: Numbered<(usize, LocId, Vec<i32>)>,
    views: FxHashSet<View>,
    /// By what the first thread is like, and by shared values, whoever owns something: the views.
    of: FxHashMap<(Shared, Own), Seconds>,
    /// By kind, where a thread may write something shared.
    writes: Vec<Vec<bool>>,
    open: Vec<View>,
    /// What single threads may do.
    known: FxHashMap<(Shared, Own), Rc<Alone>>,
    pairs: u64,
    is_used: bool,
}

/// Views of one thread, as what is shared, and the second thread.
#[derive(Clone, Default)]
struct Seconds {
    /// Those in which the second thread may write something shared next.
    writing: Vec<(Shared, Own)>,
    others: Vec<(Shared, Own)>,
}

/// What one thread may do, that sees of owners only whether it is the thread itself.
struct Alone {
    /// Where its steps lead.
    steps: Vec<(Shared, Own)>,
    /// What others see of them: each once, where it is something.
    shown: Vec<Shared>,
    /// Of each protected cell, whether it may be written, and read.
    rights: Vec<(bool, bool)>,
}

/// Things by number.
struct Numbered<T> {
    all: Vec<Rc<T>>,
    numbers: FxHashMap<Rc<T>, u32>,
}

impl<T: Eq + Hash> Numbered<T> {
    fn new() -> Self {
        Numbered {
            all: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    fn number(&mut self, of: T) -> u32 {
        if let Some(&known) = self.numbers.get(&of) {
            return known;
        }
        let shared = Rc::new(of);
        let number = self.all.len() as u32;
        self.all.push(Rc::clone(&shared));
        self.numbers.insert(shared, number);
        number
    }

    fn get(&self, number: u32) -> Rc<T> {
        Rc::clone(&self.all[number as usize])
    }
}

impl Views {
    /// Those of a program that keeps its discipline.
    ///
    /// # Errors
    /// What stands against it, or a limit that was hit.
    pub fn of(oracle: &Oracle) -> Said<Self> {
        told_apart_by_owners(oracle)?;
        let program = oracle.program;
        let machine = Machine::new(oracle.parametric, oracle.control);
        let mut own: Vec<Vec<CellId>> = vec![Vec::new(); program.threads.len()];
        let mut shared = Vec::new();
        for (cell, of) in program.cells.iter().enumerate() {
            let array = oracle.open_array(of.array);
            match array.and_then(|array| machine.owners[array].as_ref()) {
                Some((thread, _)) => own[*thread].push(cell),
                None => shared.push(cell),
            }
        }
        let is_owner = |n: &usize| program.cells[shared[*n]].class == Class::Owner;
        let owners = (0..shared.len()).filter(is_owner).collect();
        let mut initial: Vec<State> = Vec::new();
        for (n, state) in initial_candidates(program).enumerate() {
            oracle.control.worked(STEP);
            oracle.control.check()?;
            if n >= MOST_CANDIDATES {
                return Err(Unsaid::Because(Obstacle::Paths));
            }
            initial.extend(is_initial(program, &state).then_some(state));
        }
        let rest = initial.first().cloned();
        let mut views = Views {
            shared,
            owners,
            own,
            rest: rest.ok_or(Unsaid::Because(Obstacle::NoInstance))?,
            all_shared: Numbered::new(),
            all_own: Numbered::new(),
            views: FxHashSet::default(),
            of: FxHashMap::default(),
            writes: writes(oracle, &machine),
            open: Vec::new(),
            known: FxHashMap::default(),
            pairs: 0,
            is_used: false,
        };
        if program.threads.len() < 2 {
            return Err(Unsaid::Because(Obstacle::FewThreads(oracle.from.get())));
        }
        for state in initial {
            for one in 0..program.threads.len() {
                for two in (0..program.threads.len()).filter(|two| *two != one) {
                    let view = views.seen(oracle, &state, (one, two))?;
                    views.add(oracle, view)?;
                }
            }
        }
        views.close(oracle)?;
        Ok(views)
    }

    /// How many there are, if they were of use.
    pub fn used(&self) -> Option<usize> {
        self.is_used.then_some(self.views.len())
    }

    /// They are of use.
    pub fn use_them(&mut self) {
        self.is_used = true;
    }

    /// What two threads see of a state.
    fn seen(
        &mut self,
        oracle: &Oracle,
        state: &State,
        (one, two): (ThreadId, ThreadId),
    ) -> Said<View> {
        let shared = self.coded(state, |owner| match owner {
            _ if owner == one => ONE,
            _ if owner == two => TWO,
            _ => ANOTHER,
        });
        Ok((
            shared,
            self.own_of(oracle, state, one)?,
            self.own_of(oracle, state, two)?,
        ))
    }

    /// Shared values, with a code for each owner.
    fn coded(&mut self, state: &State, code: impl Fn(ThreadId) -> Code) -> Shared {
        let mut values: Vec<i32> = self.shared.iter().map(|c| state.cell(*c) as i32).collect();
        for &n in &self.owners {
            values[n] = usize::try_from(values[n]).map_or(NOBODY, &code);
        }
        self.all_shared.number(values)
    }

    /// Where a thread is, and what its own variables hold.
    fn own_of(&mut self, oracle: &Oracle, state: &State, thread: ThreadId) -> Said<Own> {
        let mut kinds = oracle.kinds.iter();
        let kind = kinds.position(|k| k.threads.contains(&thread));
        let kind = kind.ok_or(Unsaid::Because(Obstacle::Form))?;
        let own = self.own[thread].iter().map(|c| state.cell(*c) as i32);
        let location = state.location(thread);
        Ok(self.all_own.number((kind, location, own.collect())))
    }

    /// Notes a view, and the same the other way round.
    fn add(&mut self, oracle: &Oracle, view: View) -> Said<()> {
        if !self.views.insert(view) {
            return Ok(());
        }
        let (shared, one, two) = view;
        self.open.push(view);
        let whoever = self.renamed(shared, |code| code.min(ONE));
        let writes = self.may_write(two);
        let of = self.of.entry((whoever, one)).or_default();
        match writes {
            true => of.writing.push((shared, two)),
            false => of.others.push((shared, two)),
        }
        if self.views.len() > MOST_VIEWS {
            return Err(Unsaid::Because(Obstacle::Paths));
        }
        oracle.control.worked(VIEW);
        oracle.control.check()?;
        let turned = self.renamed(shared, |code| match code {
            ONE => TWO,
            TWO => ONE,
            other => other,
        });
        self.add(oracle, (turned, two, one))
    }

    /// Shared values with other codes for owners.
    fn renamed(&mut self, shared: Shared, code: impl Fn(Code) -> Code) -> Shared {
        let mut values = (*self.all_shared.get(shared)).clone();
        for &n in &self.owners {
            values[n] = code(values[n]);
        }
        self.all_shared.number(values)
    }

    /// All views that steps lead to.
    fn close(&mut self, oracle: &Oracle) -> Said<()> {
        while let Some(view) = self.open.pop() {
            let (shared, one, two) = view;
            self.judge(oracle, view)?;
            let mine = self.mine(shared, ONE);
            for &(after, there) in &self.alone(oracle, (mine, one))?.steps {
                let changed = self.changed(shared, (mine, after), ONE)?;
                self.add(oracle, (changed, there, two))?;
            }
            let whoever = self.renamed(shared, |code| code.min(ONE));
            let of = self.of.get(&(whoever, one)).cloned().unwrap_or_default();
            // What nobody writes nobody sees.
            let others = if self.may_write(two) {
                of.others
            } else {
                Vec::new()
            };
            for (other, three) in of.writing.into_iter().chain(others) {
                self.pairs += 1;
                if self.pairs > MOST_PAIRS {
                    return Err(Unsaid::Because(Obstacle::Paths));
                }
                self.third(oracle, (one, shared, two), (other, three))?;
            }
        }
        Ok(())
    }

    /// Whether a thread's next step may write something shared.
    fn may_write(&self, own: Own) -> bool {
        let of = self.all_own.get(own);
        self.writes[of.0][of.1]
    }

    /// The steps of two threads in the eyes of the other and a third, if what the third sees with each may be at once.
    fn third(
        &mut self,
        oracle: &Oracle,
        (one, with_two, two): (Own, Shared, Own),
        third: (Shared, Own),
    ) -> Said<()> {
        let (with_three, three) = third;
        let Some(without) = self.without(with_two, with_three) else {
            return Ok(());
        };
        if !self.views.contains(&(without, two, three)) {
            return Ok(());
        }
        for (seen, stays, moves, me) in [(with_two, two, three, TWO), (with_three, three, two, ONE)]
        {
            let mine = self.mine(without, me);
            for &after in &self.alone(oracle, (mine, moves))?.shown {
                let changed = self.changed(seen, (mine, after), ANOTHER)?;
                self.add(oracle, (changed, one, stays))?;
            }
        }
        Ok(())
    }

    /// What the second threads of two views of one thread see of each other, if the views agree.
    fn without(&mut self, with_two: Shared, with_three: Shared) -> Option<Shared> {
        let (a, b) = (
            self.all_shared.get(with_two),
            self.all_shared.get(with_three),
        );
        let mut values = (*a).clone();
        for &n in &self.owners {
            values[n] = match (a[n], b[n]) {
                (NOBODY, NOBODY) => NOBODY,
                (TWO, ANOTHER) => ONE,
                (ANOTHER, TWO) => TWO,
                (ONE, ONE) | (ANOTHER, ANOTHER) => ANOTHER,
                _ => return None,
            };
        }
        Some(self.all_shared.number(values))
    }

    /// What a thread sees that has a code.
    fn mine(&mut self, shared: Shared, me: Code) -> Shared {
        self.renamed(shared, |code| match code {
            NOBODY => NOBODY,
            code if code == me => ONE,
            _ => TWO,
        })
    }

    /// What two threads see after a step of one that saw `before` and `after`, and has a code for them.
    fn changed(
        &mut self,
        seen: Shared,
        (before, after): (Shared, Shared),
        code: Code,
    ) -> Said<Shared> {
        let (seen, before) = (self.all_shared.get(seen), self.all_shared.get(before));
        let mut values = (*self.all_shared.get(after)).clone();
        for &n in &self.owners {
            values[n] = match values[n] {
                same if same == before[n] => seen[n],
                NOBODY => NOBODY,
                ONE => code,
                _ => return Err(Unsaid::Because(Obstacle::Form)),
            };
        }
        Ok(self.all_shared.number(values))
    }

    /// What a thread may do, and has access to.
    fn alone(&mut self, oracle: &Oracle, (shared, own): (Shared, Own)) -> Said<Rc<Alone>> {
        if let Some(known) = self.known.get(&(shared, own)) {
            return Ok(Rc::clone(known));
        }
        let program = oracle.program;
        let of = self.all_own.get(own);
        let thread = oracle.kinds[of.0].like();
        let state = self.state(&self.all_shared.get(shared), &of, thread);
        let mut steps: Vec<(Shared, Own)> = Vec::new();
        let mut outcomes = 0;
        let stopped = each_successor(program, &state, thread, None, &mut |step| {
            oracle.control.worked(STEP);
            outcomes += 1;
            if outcomes > MOST_OUTCOMES {
                return ControlFlow::Break(Unsaid::Because(Obstacle::Paths));
            }
            let mut accessed = program.protections.iter();
            let wrong = accessed.find(|x| {
                step.accesses.binary_search(&x.cell).is_ok()
                    && !may_access(program, x, thread, &state, &step)
            });
            if let Some(x) = wrong {
                return ControlFlow::Break(Unsaid::Because(Obstacle::NoAccess {
                    variable: self.name(oracle, x.cell),
                    step: results::Place {
                        thread: program.threads[thread].family.clone(),
                        ..program.place(thread, of.1)
                    },
                }));
            }
            let after = self.coded(&step.state, |owner| match owner {
                _ if owner == thread => ONE,
                _ => TWO,
            });
            match self.own_of(oracle, &step.state, thread) {
                Ok(there) => steps.push((after, there)),
                Err(unsaid) => return ControlFlow::Break(unsaid),
            }
            ControlFlow::Continue(())
        });
        if let ControlFlow::Break(unsaid) = stopped {
            return Err(unsaid);
        }
        steps.sort_unstable();
        steps.dedup();
        let right = |x, write| has_right(program, x, thread, write, &state);
        let all = program.protections.iter();
        let rights = all.map(|x| (right(x, true), right(x, false))).collect();
        let shown = steps.iter().map(|step| step.0);
        let mut shown: Vec<Shared> = shown.filter(|after| *after != shared).collect();
        shown.dedup();
        let alone = Rc::new(Alone {
            steps,
            shown,
            rights,
        });
        self.known.insert((shared, own), Rc::clone(&alone));
        Ok(alone)
    }

    /// A state in which a thread sees that.
    fn state(
        &self,
        shared: &[i32],
        (_, at, own): &(usize, LocId, Vec<i32>),
        thread: ThreadId,
    ) -> State {
        let (mut cells, mut locations) = (self.rest.cells(), self.rest.locations());
        for (cell, value) in self.shared.iter().zip(shared) {
            cells[*cell] = i64::from(*value);
        }
        for &n in &self.owners {
            cells[self.shared[n]] = match shared[n] {
                NOBODY => NO_OWNER,
                ONE => thread as i64,
                _ if thread == 0 => 1,
                _ => 0,
            };
        }
        for (cell, value) in self.own[thread].iter().zip(own) {
            cells[*cell] = i64::from(*value);
        }
        locations[thread] = *at;
        State::new(&cells, &locations)
    }

    /// Looks whether both threads of a view have access to something, one of them exclusively.
    fn judge(&mut self, oracle: &Oracle, (shared, one, two): View) -> Said<()> {
        let (mine, theirs) = (self.mine(shared, ONE), self.mine(shared, TWO));
        let (one, two) = (
            self.alone(oracle, (mine, one))?,
            self.alone(oracle, (theirs, two))?,
        );
        let mut both = one.rights.iter().zip(&two.rights);
        match both.position(|((write, _), (other, read))| *write && (*other || *read)) {
            None => Ok(()),
            Some(x) => {
                let cell = oracle.program.protections[x].cell;
                Err(Unsaid::Because(Obstacle::Overlap(self.name(oracle, cell))))
            }
        }
    }

    fn name(&self, oracle: &Oracle, cell: CellId) -> String {
        let program = oracle.program;
        program.arrays[program.cells[cell].array].name.clone()
    }
}
