//! What two threads see: an invariant about each two of them, for every number of threads.
//!
//! A view is what shared variables hold, the own variables and locations of two threads, and of each owner of a lock
//! whether it is nobody, one of the two, or another thread. Where threads are told apart by nothing but what they own,
//! there are as many views as there are for few threads. They are found from above: a view is reached if it is one of
//! an initial state, if a step of one of its threads leads to it, or if a step of a third thread does whose views with
//! both are reached (view abstraction with k = 2: Abdulla, Haziza and Holik, "All for the price of few", VMCAI 2013,
//! section 3; owners that are "another thread" are what is new). So the views of every state that is reached are among
//! them, whatever the number of threads is. In none may a step access a protected variable without the right to, nor
//! both threads have access.

use super::Oracle;
use super::access::number;
use super::linear::Linear;
use super::products::{Factor, Words};
use super::run::{Machine, Said, Unsaid, Values};
use crate::base::evidence::{Letter, Right};
use crate::base::results::{self, Obstacle};
use crate::engine::{State, has_right, initial_candidates, is_initial, may_access, successors};
use crate::kernel::{Id, Node};
use crate::model::program::{
    ArrayId, CellId, Class, Command, Expr, LocId, NO_OWNER, SELF, Target, ThreadId,
};
use crate::model::text::ast::BinaryOp;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
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
const MOST_VIEWS: usize = 1 << 16;
const MOST_PAIRS: u64 = 1 << 23;

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
    of: FxHashMap<(Shared, Own), Vec<(Shared, Own)>>,
    open: Vec<View>,
    /// What single threads may do.
    known: FxHashMap<(Shared, Own), Rc<Alone>>,
    pairs: u64,
    is_used: bool,
}

/// What one thread may do, that sees of owners only whether it is the thread itself.
struct Alone {
    /// Where its steps lead.
    steps: Vec<(Shared, Own)>,
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
        let mut initial = initial_candidates(program).filter(|s| is_initial(program, s));
        let first = initial.next();
        let mut views = Views {
            shared,
            owners,
            own,
            rest: first.clone().ok_or(Unsaid::Because(Obstacle::NoInstance))?,
            all_shared: Numbered::new(),
            all_own: Numbered::new(),
            views: FxHashSet::default(),
            of: FxHashMap::default(),
            open: Vec::new(),
            known: FxHashMap::default(),
            pairs: 0,
            is_used: false,
        };
        if program.threads.len() < 2 {
            return Err(Unsaid::Because(Obstacle::FewThreads(oracle.from.get())));
        }
        for state in first.into_iter().chain(initial) {
            oracle.control.check()?;
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
        let of = self.of.entry((whoever, one)).or_default();
        of.push((shared, two));
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
            let others = self.of.get(&(whoever, one)).cloned().unwrap_or_default();
            for (other, three) in others {
                self.pairs += 1;
                if self.pairs > MOST_PAIRS {
                    return Err(Unsaid::Because(Obstacle::Paths));
                }
                self.third(oracle, (one, shared, two), (other, three))?;
            }
        }
        Ok(())
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
            for &(after, _) in &self.alone(oracle, (mine, moves))?.steps {
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
        let mut steps = Vec::new();
        for step in successors(program, &state, thread) {
            oracle.control.worked(STEP);
            let mut accessed = program.protections.iter();
            let wrong = accessed.find(|x| {
                step.accesses.binary_search(&x.cell).is_ok()
                    && !may_access(program, x, thread, &state, &step)
            });
            if let Some(x) = wrong {
                return Err(Unsaid::Because(Obstacle::NoAccess {
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
            steps.push((after, self.own_of(oracle, &step.state, thread)?));
        }
        let right = |x, write| has_right(program, x, thread, write, &state);
        let all = program.protections.iter();
        let rights = all.map(|x| (right(x, true), right(x, false))).collect();
        let alone = Rc::new(Alone { steps, rights });
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

    /// Whether an inclusion holds of threads of these kinds in each state whose views are reached. In none of them the
    /// discipline has been violated.
    ///
    /// # Errors
    /// That it has no such form, or a limit that was hit.
    pub fn included(
        &mut self,
        oracle: &Oracle,
        words: Words,
        (left, right): (Id, Id),
    ) -> Said<bool> {
        let is_run = matches!(words.speech.terms.node(left), Node::Omega(_));
        if is_run || words.variables.is_empty() || words.variables.len() > 2 {
            return Ok(false);
        }
        let (lefts, rights) = (words.products(left)?, words.products(right)?);
        let mut views: Vec<View> = self.views.iter().copied().collect();
        if words.variables.len() == 1 {
            let mut seen = FxHashSet::default();
            views.retain(|(shared, one, _)| seen.insert((*shared, *one)));
        }
        for view in views {
            let of = [view.1, view.2].map(|own| self.all_own.get(own).0);
            if words
                .variables
                .iter()
                .zip(of)
                .any(|((_, kind), is)| *kind != is)
            {
                continue;
            }
            let (mut leads, mut may) = (FxHashSet::default(), FxHashSet::default());
            let from = self.ends(oracle, words, view, &lefts, &mut leads)?;
            let to = self.ends(oracle, words, view, &rights, &mut may)?;
            if !to && (from || !leads.is_subset(&may)) {
                return Ok(false);
            }
        }
        self.is_used = true;
        Ok(true)
    }

    /// Where products lead; whether one of them leads anywhere.
    fn ends(
        &mut self,
        oracle: &Oracle,
        words: Words,
        from: View,
        products: &[Vec<Factor>],
        into: &mut FxHashSet<View>,
    ) -> Said<bool> {
        for product in products {
            let mut at = vec![from];
            for (n, factor) in product.iter().enumerate() {
                oracle.control.worked(STEP);
                oracle.control.check()?;
                let mut next = Vec::new();
                for view in at {
                    match *factor {
                        Factor::Top if n + 1 == product.len() => return Ok(true),
                        Factor::Top => return Err(Unsaid::Because(Obstacle::Form)),
                        Factor::Test(thread, letter, wanted) => {
                            let is = self.test(oracle, view, thread, words.letter(letter)?)?;
                            next.extend((is == wanted).then_some(view));
                        }
                        Factor::Step(thread, letter) => {
                            self.step(oracle, view, thread, words.locations(letter), &mut next)?;
                        }
                    }
                }
                at = next;
            }
            into.extend(at);
        }
        Ok(false)
    }

    /// A view as one of its threads has it.
    fn alone_in(
        &mut self,
        oracle: &Oracle,
        (shared, one, two): View,
        thread: usize,
    ) -> Said<(Shared, Rc<Alone>)> {
        let (code, own) = if thread == 0 { (ONE, one) } else { (TWO, two) };
        let mine = self.mine(shared, code);
        Ok((mine, self.alone(oracle, (mine, own))?))
    }

    /// The steps of a thread that is at one of these locations.
    fn step(
        &mut self,
        oracle: &Oracle,
        view: View,
        thread: usize,
        locations: &[LocId],
        into: &mut Vec<View>,
    ) -> Said<()> {
        let (shared, one, two) = view;
        if !self.is_at(view, thread, locations) {
            return Ok(());
        }
        let (mine, alone) = self.alone_in(oracle, view, thread)?;
        for &(after, there) in &alone.steps {
            let code = if thread == 0 { ONE } else { TWO };
            let changed = self.changed(shared, (mine, after), code)?;
            into.push(match thread {
                0 => (changed, there, two),
                _ => (changed, one, there),
            });
        }
        Ok(())
    }

    fn is_at(&self, (_, one, two): View, thread: usize, locations: &[LocId]) -> bool {
        let own = if thread == 0 { one } else { two };
        locations.contains(&self.all_own.get(own).1)
    }

    /// Whether a test holds of a thread.
    fn test(&mut self, oracle: &Oracle, view: View, thread: usize, letter: &Letter) -> Said<bool> {
        let alone = self.alone_in(oracle, view, thread)?.1;
        Ok(match letter {
            Letter::Violated => false,
            Letter::Enabled { locations, .. } => {
                self.is_at(view, thread, locations) && !alone.steps.is_empty()
            }
            Letter::Access { cell, right, .. } => {
                let mut all = oracle.program.protections.iter();
                let x = all.position(|x| oracle.program.cells[x.cell].name == *cell);
                let (write, read) = alone.rights[x.ok_or(Unsaid::Because(Obstacle::Form))?];
                match right {
                    Right::Exclusive => write,
                    _ => read,
                }
            }
            _ => return Err(Unsaid::Because(Obstacle::Form)),
        })
    }
}

/// Looks whether threads are told apart by nothing but what they own, and nothing depends on how many there are.
///
/// # Errors
/// If that is not so.
fn told_apart_by_owners(oracle: &Oracle) -> Said<()> {
    let (program, open) = (&oracle.parametric.program, &oracle.parametric.open);
    let mut ranges = open.ranges.keys();
    let mut all = open.sizes.is_empty()
        && open.slots.is_empty()
        && open.initial.is_empty()
        && ranges.all(|a| program.arrays[*a].class == Class::Owner);
    let machine = Machine::new(oracle.parametric, oracle.control);
    for kind in oracle.kinds {
        let thread = kind.generic(&machine, 0);
        let mut text = Text {
            machine: &machine,
            thread: Some(thread.like),
            number: Some(number(&machine, &thread)?),
            values: Values::default(),
        };
        if let Some(cell) = open.members[thread.like].1 {
            text.values.insert(cell, thread.index.clone());
        }
        let locations = program.threads[thread.like].locations.iter();
        for edge in locations.flat_map(|l| &l.edges) {
            all &= edge.guard.iter().all(|e| text.is_plain(e, &[])) && text.are_plain(&edge.body);
        }
        for d in &oracle.disciplines {
            let (exclusive, reading) = &d.predicates[thread.like];
            all &= [exclusive, reading]
                .iter()
                .all(|e| text.is_plain(e, &d.binders));
        }
    }
    let initial = Text {
        machine: &machine,
        thread: None,
        number: None,
        values: Values::default(),
    };
    all &= program.init.iter().all(|e| initial.is_plain(e, &[]));
    match all {
        true => Ok(()),
        false => Err(Unsaid::Because(Obstacle::Form)),
    }
}

/// The text of a generic thread, or of none.
struct Text<'t, 'p> {
    machine: &'t Machine<'p>,
    thread: Option<ThreadId>,
    /// The thread's number, as owners are told.
    number: Option<Linear>,
    values: Values,
}

impl Text<'_, '_> {
    fn are_plain(&self, all: &[Command]) -> bool {
        let program = &self.machine.parametric.program;
        all.iter().all(|command| match command {
            Command::Assign(target, value) => {
                let (array, index) = match target {
                    Target::Cell(c) => (program.cells[*c].array, &[][..]),
                    Target::Element(array, index) => (*array, index.as_slice()),
                };
                let is_fine = match program.arrays[array].class {
                    Class::Owner => self.is_nobody_or_itself(value),
                    _ => self.is_plain(value, &[]),
                };
                is_fine && self.is_its(array) && index.iter().all(|e| self.is_plain(e, &[]))
            }
            Command::Havoc(Target::Cell(c)) => self.is_plain(&Expr::Cell(*c), &[]),
            Command::Havoc(Target::Element(array, index)) => {
                self.is_plain(&Expr::Element(*array, index.clone()), &[])
            }
            Command::Check(e, _) => self.is_plain(e, &[]),
            Command::If(c, yes, no) => {
                self.is_plain(c, &[]) && self.are_plain(yes) && self.are_plain(no)
            }
            Command::Choose(branches) => branches.iter().all(|b| self.are_plain(b)),
            Command::Goto(_) => true,
        })
    }

    /// Whether an array is shared, or the thread's own.
    fn is_its(&self, array: ArrayId) -> bool {
        let owner = self.machine.owners[array].as_ref();
        owner.is_none_or(|(thread, _)| Some(*thread) == self.thread)
    }

    fn is_nobody_or_itself(&self, e: &Expr) -> bool {
        let number = || self.machine.open_term(e, &self.values).ok();
        *e == Expr::Const(NO_OWNER) || self.number.is_some() && number() == self.number
    }

    /// Whether an expression has one value for all threads that see the same: it speaks of owners only to ask whether
    /// they are nobody or the thread itself, of no other thread, and of nothing that is open.
    fn is_plain(&self, e: &Expr, binders: &[CellId]) -> bool {
        let (program, open) = (
            &self.machine.parametric.program,
            &self.machine.parametric.open,
        );
        let again = |e: &Expr| self.is_plain(e, binders);
        let is_owner = |array: ArrayId| program.arrays[array].class == Class::Owner;
        match e {
            Expr::Const(_) => true,
            Expr::Cell(c) if binders.contains(c) => true,
            Expr::Cell(c) => {
                let array = program.cells[*c].array;
                !open.is_open(*c) && !is_owner(array) && self.is_its(array)
            }
            Expr::Element(array, index) => {
                !is_owner(*array) && self.is_its(*array) && index.iter().all(again)
            }
            Expr::Via(reference, allocated) => {
                again(reference) && allocated.is_none_or(|array| self.is_its(array))
            }
            Expr::At(thread, _) => *thread == SELF && self.thread.is_some(),
            Expr::Slot(x, _) | Expr::Not(x) | Expr::Neg(x) => again(x),
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, x, y) => {
                let asked = |owner: &Expr, of: &Expr| {
                    let index = match owner {
                        Expr::Cell(c)
                            if program.cells.get(*c).is_some_and(|c| is_owner(c.array)) =>
                        {
                            &[][..]
                        }
                        Expr::Element(array, index) if is_owner(*array) => index.as_slice(),
                        _ => return false,
                    };
                    self.thread.is_some() && index.iter().all(again) && self.is_nobody_or_itself(of)
                };
                asked(x, y) || asked(y, x) || again(x) && again(y)
            }
            Expr::Binary(_, x, y) => again(x) && again(y),
            Expr::Cond(c, x, y) => [c, x, y].into_iter().all(|e| again(e)),
        }
    }
}

#[cfg(test)]
mod tests;
