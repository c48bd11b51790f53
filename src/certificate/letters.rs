//! What the symbols of derivations stand for, and the hypotheses of the theorem in these symbols.

use super::valuations::count_up;
use crate::algebra::{Form, Index, Order, Speaks, Statement, Steps, Term, Theory, Word};
use crate::base::evidence::{self, Part, Right};
use crate::engine::compiled::Mover;
use crate::kernel::{self, Id, Node, ONE, Sym, TOP, Terms, ZERO};
use crate::model::program::{Expr, LocId, Program, ThreadId};
use crate::model::text::ast::BinaryOp;
use crate::theorem::{Phase, Phased};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What a symbol stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Letter {
    /// The steps of a thread from a location.
    Steps(ThreadId, LocId),
    /// Where such a step is enabled.
    Enabled(ThreadId, LocId),
    /// q.
    Violated,
    /// Where a state expression holds.
    Holds(Expr),
    /// Where a thread is at one of these locations.
    At(ThreadId, Vec<LocId>),
    /// The initial states, nothing being violated.
    Initial,
}

/// What is done with the two sides of an instance.
type Visit<'a, E> = dyn FnMut(&mut Terms, (Id, Id)) -> Result<(), E> + 'a;

impl Letter {
    /// Whether it is a test.
    pub fn is_test(&self) -> bool {
        !matches!(self, Letter::Steps(..))
    }
}

/// What a symbol stands for.
pub fn meaning(letters: &[Option<Letter>], symbol: Sym) -> Option<&Letter> {
    letters.get(symbol as usize)?.as_ref()
}

/// The symbols of a [`Terms`], with their meaning.
///
/// Derivations speak of processes i, j, ..; their symbols take an index. For certain threads such a term is one over
/// symbols without index, each with one meaning; these are added here.
pub struct Letters {
    /// By symbol; those of the derivations have none of their own.
    pub meaning: Vec<Option<Letter>>,
    /// The symbols of the derivations.
    generic: Vec<evidence::Letter>,
    /// The threads of each class.
    classes: Vec<Vec<ThreadId>>,
    steps: FxHashMap<(ThreadId, LocId), Sym>,
    enabled: FxHashMap<(ThreadId, LocId), Sym>,
    /// Where a thread has access, by the letter of the derivations.
    access: FxHashMap<(ThreadId, Sym), Sym>,
    violated: Sym,
    /// What is said of phases, if there are some.
    phases: Option<Phases>,
}

/// The symbols for phases, by thread.
struct Phases {
    before: Vec<Sym>,
    behind: Vec<Sym>,
    wrong: Vec<Sym>,
    initial: Sym,
}

/// Choices of threads for one statement of the derivations.
pub const MOST_CHOICES: usize = 1 << 22;

impl Letters {
    /// Gives the symbols of `terms` the meaning that a bundle says, and adds one for each action of each thread.
    ///
    /// # Errors
    /// If a symbol can't have that meaning.
    pub fn new(
        program: &Program,
        phased: Option<&Phased>,
        part: &Part,
        terms: &mut Terms,
    ) -> Result<Self, &'static str> {
        let names = program.threads.iter().map(|t| t.name.as_str());
        let names: FxHashMap<&str, ThreadId> = names.zip(0..).collect();
        let mut classes = Vec::new();
        for class in &part.classes {
            let threads = class.iter().map(|name| names.get(name.as_str()).copied());
            let threads: Option<Vec<ThreadId>> = threads.collect();
            classes.push(threads.ok_or("a class with a thread that there is not")?);
        }
        if terms.symbols().len() != part.letters.len() {
            return Err("the derivations have not one symbol for each letter");
        }
        for (letter, symbol) in part.letters.iter().zip(terms.symbols()) {
            let (test, at): (bool, &[LocId]) = match letter {
                evidence::Letter::Steps { locations, .. } => (false, locations),
                evidence::Letter::Enabled { locations, .. } => (true, locations),
                evidence::Letter::Violated | evidence::Letter::Access { .. } => (true, &[]),
                evidence::Letter::Schematic => (symbol.test, &[]),
                evidence::Letter::Before { .. }
                | evidence::Letter::Behind { .. }
                | evidence::Letter::Wrong { .. }
                | evidence::Letter::Initial => match phased {
                    Some(_) => (true, &[]),
                    None => return Err("a letter for phases, which the program has not"),
                },
            };
            let arity = usize::from(letter.class().is_some());
            if (symbol.test, symbol.arity) != (test, arity) {
                return Err("a letter is no symbol of the derivations' kind");
            }
            let class = letter.class().map(|c| classes.get(c));
            if class == Some(None) {
                return Err("there is no such class");
            }
            if let Some(Some(class)) = class {
                let leads = |t: ThreadId, l: &LocId| {
                    let locations = &program.threads[t].locations;
                    locations.get(*l).is_some_and(|l| !l.edges.is_empty())
                };
                if !class.iter().all(|t| at.iter().all(|l| leads(*t, l))) {
                    return Err("a thread of the class has no steps from there");
                }
            }
        }
        let mut letters = Letters {
            meaning: vec![None; part.letters.len()],
            generic: part.letters.clone(),
            classes,
            steps: FxHashMap::default(),
            enabled: FxHashMap::default(),
            access: FxHashMap::default(),
            violated: 0,
            phases: None,
        };
        letters.violated = letters.add(terms, "q", Letter::Violated);
        for (t, thread) in program.threads.iter().enumerate() {
            for l in thread.steps() {
                let name = format!("{}.{}", thread.name, thread.locations[l].name);
                let steps = letters.add(terms, &name, Letter::Steps(t, l));
                letters.steps.insert((t, l), steps);
                let enabled = letters.add(terms, &format!("e({name})"), Letter::Enabled(t, l));
                letters.enabled.insert((t, l), enabled);
            }
        }
        for (s, letter) in (0..).zip(&part.letters) {
            if let evidence::Letter::Access { class, cell, right } = letter {
                letters.access(program, (s, *class), (cell, *right), terms)?;
            }
        }
        if let Some(phased) = phased {
            let mut each = |name: &str, of: &dyn Fn(ThreadId) -> Vec<LocId>| -> Vec<Sym> {
                let threads = program.threads.iter().enumerate();
                threads
                    .map(|(t, thread)| {
                        let name = format!("{name}({})", thread.name);
                        letters.add(terms, &name, Letter::At(t, of(t)))
                    })
                    .collect()
            };
            let before = each("r", &|t| phased.at(t, Phase::Before).collect());
            let behind = each("l", &|t| phased.at(t, Phase::Behind).collect());
            let wrong = each("w", &|t| program.threads[t].wrong.into_iter().collect());
            let initial = letters.add(terms, "init", Letter::Initial);
            letters.phases = Some(Phases {
                before,
                behind,
                wrong,
                initial,
            });
        }
        Ok(letters)
    }

    /// Symbols for where the threads of a class have access to a cell.
    fn access(
        &mut self,
        program: &Program,
        (s, class): (Sym, usize),
        (cell, right): (&str, Right),
        terms: &mut Terms,
    ) -> Result<(), &'static str> {
        let mut all = program.protections.iter();
        let found = all.find(|p| program.cells[p.cell].name == cell);
        let protection = found.ok_or("there is no protected cell of that name")?;
        for t in self.classes[class].clone() {
            let name = format!("{cell}({})", program.threads[t].name);
            let exclusive = protection.predicates[t].clone();
            let holds = match (right, &protection.readers) {
                (Right::Reading, Some(readers)) => Expr::Binary(
                    BinaryOp::Or,
                    Box::new(readers[t].clone()),
                    Box::new(exclusive),
                ),
                _ => exclusive,
            };
            let symbol = self.add(terms, &name, Letter::Holds(holds));
            self.access.insert((t, s), symbol);
        }
        Ok(())
    }

    /// The threads of each class.
    pub fn classes(&self) -> &[Vec<ThreadId>] {
        &self.classes
    }

    fn add(&mut self, terms: &mut Terms, name: &str, letter: Letter) -> Sym {
        let test = letter.is_test();
        self.meaning.push(Some(letter));
        terms.symbol(name, test, 0)
    }

    /// Calls `visit` with the parts of a statement of the derivations for all threads that its processes may stand for.
    /// What no thread of a letter's class stands for is the same for all others, and looked at once.
    ///
    /// # Errors
    /// If a statement has a form that derivations don't have, or that many choices, or `visit` says so.
    pub fn each_instance<E: From<&'static str>>(
        &self,
        terms: &mut Terms,
        statement: &kernel::Statement,
        visit: &mut Visit<E>,
    ) -> Result<(), E> {
        let variables = self.classes_of(terms, statement)?;
        let mut candidates: Vec<Vec<Option<ThreadId>>> = Vec::new();
        let mut choices = 1usize;
        for classes in variables.values() {
            let members = classes.iter().flat_map(|c| &self.classes[*c]);
            let members: BTreeSet<ThreadId> = members.copied().collect();
            let all: Vec<_> = members.into_iter().map(Some).chain([None]).collect();
            choices = choices.saturating_mul(all.len());
            candidates.push(all);
        }
        if choices > MOST_CHOICES {
            return Err("a statement of the derivations speaks of too many processes".into());
        }
        let names: Vec<u32> = variables.keys().copied().collect();
        let mut chosen = vec![0u64; names.len()];
        loop {
            let at = |v: u32| -> Option<ThreadId> {
                let n = names.iter().position(|name| *name == v)?;
                candidates[n][chosen[n] as usize]
            };
            let differ = statement
                .distinct
                .iter()
                .all(|(i, j)| at(*i).is_none() || at(*i) != at(*j));
            if differ {
                for &(l, r) in &statement.parts {
                    let mut known = FxHashMap::default();
                    let l = self.ground(terms, l, &at, &mut known);
                    let r = self.ground(terms, r, &at, &mut known);
                    visit(terms, (l, r))?;
                }
            }
            let bases = candidates.iter().map(|all| all.len() as u64);
            if !count_up(&mut chosen, bases) {
                return Ok(());
            }
        }
    }

    /// The classes that each process of a statement may belong to, by its variable.
    fn classes_of(
        &self,
        terms: &Terms,
        statement: &kernel::Statement,
    ) -> Result<BTreeMap<u32, BTreeSet<usize>>, &'static str> {
        let mut variables: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        let mut note = |symbol: Sym, index: &kernel::Index| {
            let kernel::Index::Var(v) = index else {
                return false;
            };
            let class = self.generic.get(symbol as usize).and_then(|l| l.class());
            variables.entry(*v).or_default().extend(class);
            true
        };
        let mut plain = true;
        for t in statement.parts.iter().flat_map(|(l, r)| [*l, *r]) {
            terms.any(t, &mut |n| {
                match n {
                    Node::Atom(s, indices) => plain &= indices.iter().all(|i| note(*s, i)),
                    Node::SumOver(..) | Node::ProductOver(..) => plain = false,
                    _ => {}
                }
                !plain
            });
        }
        match plain {
            true => Ok(variables),
            false => Err("a statement of the derivations has a sum over processes"),
        }
    }

    /// A term of the derivations for certain threads; a process without thread belongs to no class.
    fn ground(
        &self,
        terms: &mut Terms,
        t: Id,
        at: &dyn Fn(u32) -> Option<ThreadId>,
        known: &mut FxHashMap<Id, Id>,
    ) -> Id {
        if let Some(&done) = known.get(&t) {
            return done;
        }
        let done = match terms.node(t).clone() {
            Node::Zero | Node::One | Node::Top => t,
            Node::Not(x) => {
                let x = self.ground(terms, x, at, known);
                terms.not(x)
            }
            Node::Star(x) => {
                let x = self.ground(terms, x, at, known);
                terms.star(x)
            }
            Node::Omega(x) => {
                let x = self.ground(terms, x, at, known);
                terms.omega(x)
            }
            Node::Applied(operator, x) => {
                let x = self.ground(terms, x, at, known);
                terms.applied(operator, x)
            }
            Node::Sum(all) => {
                let all: Vec<Id> = all
                    .into_iter()
                    .map(|x| self.ground(terms, x, at, known))
                    .collect();
                terms.sum(all)
            }
            Node::Product(all) => {
                let all: Vec<Id> = all
                    .into_iter()
                    .map(|x| self.ground(terms, x, at, known))
                    .collect();
                terms.product(all)
            }
            // `each_instance` has refused sums over processes.
            Node::SumOver(..) | Node::ProductOver(..) => ZERO,
            Node::Atom(s, indices) => {
                let thread = match indices.first() {
                    Some(kernel::Index::Var(v)) => at(*v),
                    _ => None,
                };
                let of = |class: &usize, all: &FxHashMap<(ThreadId, LocId), Sym>, at: &[LocId]| {
                    let t = thread.filter(|t| self.classes[*class].contains(t));
                    let symbols = t.into_iter().flat_map(|t| {
                        let here = at.iter();
                        here.filter_map(move |l| all.get(&(t, *l)).copied())
                    });
                    symbols.collect()
                };
                let symbols: Vec<Sym> = match self.generic.get(s as usize) {
                    Some(evidence::Letter::Steps { class, locations }) => {
                        of(class, &self.steps, locations)
                    }
                    Some(evidence::Letter::Enabled { class, locations }) => {
                        of(class, &self.enabled, locations)
                    }
                    Some(evidence::Letter::Access { .. }) => {
                        let here = thread.and_then(|t| self.access.get(&(t, s)));
                        here.into_iter().copied().collect()
                    }
                    Some(evidence::Letter::Violated) => vec![self.violated],
                    Some(letter) => self.phase(letter, thread).into_iter().collect(),
                    None => Vec::new(),
                };
                let all: Vec<Id> = symbols.iter().map(|s| terms.atom(*s, Vec::new())).collect();
                terms.sum(all)
            }
        };
        known.insert(t, done);
        done
    }

    /// The symbol of a letter that speaks of phases.
    fn phase(&self, letter: &evidence::Letter, thread: Option<ThreadId>) -> Option<Sym> {
        let phases = self.phases.as_ref()?;
        let of = |class: usize, all: &[Sym]| {
            let t = thread.filter(|t| self.classes[class].contains(t))?;
            all.get(t).copied()
        };
        match letter {
            evidence::Letter::Before { class } => of(*class, &phases.before),
            evidence::Letter::Behind { class } => of(*class, &phases.behind),
            evidence::Letter::Wrong { class } => of(*class, &phases.wrong),
            evidence::Letter::Initial => Some(phases.initial),
            _ => None,
        }
    }

    /// The steps of a thread from a location.
    pub fn steps(&self, terms: &mut Terms, at: (ThreadId, LocId)) -> Id {
        match self.steps.get(&at) {
            Some(&s) => terms.atom(s, Vec::new()),
            None => ZERO,
        }
    }

    /// Where such a step is enabled.
    pub fn enabled(&self, terms: &mut Terms, at: (ThreadId, LocId)) -> Id {
        match self.enabled.get(&at) {
            Some(&s) => terms.atom(s, Vec::new()),
            None => ZERO,
        }
    }

    /// q.
    pub fn violated(&self, terms: &mut Terms) -> Id {
        terms.atom(self.violated, Vec::new())
    }

    /// Where a state expression holds: a new symbol.
    pub fn holds(&mut self, terms: &mut Terms, name: &str, e: &Expr) -> Id {
        let s = self.add(terms, name, Letter::Holds(e.clone()));
        terms.atom(s, Vec::new())
    }
}

/// A hypothesis for certain threads: inclusions between terms in letters.
pub struct Asked {
    /// The hypothesis, by position in the theory.
    pub hypothesis: usize,
    /// Which thread each index variable stands for, in the order of the variables' names.
    pub threads: Vec<ThreadId>,
    /// The inclusions.
    pub parts: Vec<(Id, Id)>,
}

/// Reads a theory's statements on a program.
pub struct Reading<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its phases, if it has some.
    pub phased: Option<&'a Phased>,
    /// The theory.
    pub theory: &'a Theory,
    /// Which actions are visible.
    pub visible: &'a dyn Fn(ThreadId, LocId) -> bool,
    /// The symbols.
    pub letters: &'a Letters,
}

type Binding<'b> = Vec<(&'b str, ThreadId)>;
/// Definitions may be nested this deep before they are taken for circular.
const DEEPEST: usize = 100;
const UNKNOWN: &str = "a name of the theorem has no meaning here";

impl Reading<'_> {
    /// All instances of all hypotheses.
    ///
    /// # Errors
    /// If a hypothesis can't be read.
    pub fn asked(&self, terms: &mut Terms) -> Result<Vec<Asked>, &'static str> {
        let mut all = Vec::new();
        for (n, h) in self.theory.hypotheses.iter().enumerate() {
            self.instances(n, &h.statement, terms, &mut all)?;
        }
        Ok(all)
    }

    fn instances(
        &self,
        hypothesis: usize,
        s: &Statement,
        terms: &mut Terms,
        into: &mut Vec<Asked>,
    ) -> Result<(), &'static str> {
        let names = processes(s);
        let free: Vec<&str> = names.iter().map(String::as_str).collect();
        let threads = self.program.threads.len();
        let mut chosen = vec![0; free.len()];
        'next: loop {
            let binding: Binding = free.iter().copied().zip(chosen.iter().copied()).collect();
            let mut differ = true;
            for (i, j) in &s.distinct {
                differ &= self.thread(i, &binding)? != self.thread(j, &binding)?;
            }
            if differ {
                let mut sides = Vec::new();
                for side in &s.sides {
                    sides.push(self.term(side, &binding, terms, 0)?);
                }
                let mut parts = Vec::new();
                for (pair, order) in sides.windows(2).zip(&s.orders) {
                    parts.push((pair[0], pair[1]));
                    if *order == Order::Equal {
                        parts.push((pair[1], pair[0]));
                    }
                }
                into.push(Asked {
                    hypothesis,
                    threads: chosen.clone(),
                    parts,
                });
            }
            for at in chosen.iter_mut().rev() {
                *at += 1;
                if *at < threads {
                    continue 'next;
                }
                *at = 0;
            }
            return Ok(());
        }
    }

    fn thread(&self, i: &Index, b: &Binding) -> Result<ThreadId, &'static str> {
        match i {
            Index::Name(n) => b.iter().rev().find(|(name, _)| name == n).map(|(_, t)| *t),
            _ => None,
        }
        .ok_or(UNKNOWN)
    }

    fn term(
        &self,
        t: &Term,
        b: &Binding,
        terms: &mut Terms,
        depth: usize,
    ) -> Result<Id, &'static str> {
        if depth > DEEPEST {
            return Err("the definitions of the theorem are circular");
        }
        Ok(match &t.form {
            Form::Zero => ZERO,
            Form::One => ONE,
            Form::Top => TOP,
            Form::State(_) => return Err(UNKNOWN),
            Form::Not(x) => {
                let x = self.term(x, b, terms, depth)?;
                if !terms.is_test(x) {
                    return Err("the complement of an action");
                }
                terms.not(x)
            }
            Form::Star(x) => {
                let x = self.term(x, b, terms, depth)?;
                terms.star(x)
            }
            Form::Omega(x) => {
                let x = self.term(x, b, terms, depth)?;
                terms.omega(x)
            }
            Form::Applied(..) => {
                return Err("a theorem about programs that speaks of domains");
            }
            Form::Hash(x, y) => {
                let (x, y) = (
                    self.term(x, b, terms, depth)?,
                    self.term(y, b, terms, depth)?,
                );
                let (omega, star) = (terms.omega(x), terms.star(x));
                let ends = terms.product([star, y]);
                terms.sum([omega, ends])
            }
            Form::Sum(all) | Form::Product(all) => {
                let of: Result<Vec<Id>, _> =
                    all.iter().map(|x| self.term(x, b, terms, depth)).collect();
                match &t.form {
                    Form::Sum(_) => terms.sum(of?),
                    _ => terms.product(of?),
                }
            }
            Form::SumOver(i, x) | Form::ProductOver(i, x) => {
                let but: Result<Vec<ThreadId>, _> =
                    i.but.iter().map(|other| self.thread(other, b)).collect();
                let (but, mut of) = (but?, Vec::new());
                for thread in (0..self.program.threads.len()).filter(|t| !but.contains(t)) {
                    let mut inner = b.clone();
                    inner.push((&i.index, thread));
                    of.push(self.term(x, &inner, terms, depth)?);
                }
                match &t.form {
                    Form::SumOver(..) => terms.sum(of),
                    _ => terms.product(of),
                }
            }
            Form::Atom(a) => {
                let threads: Result<Vec<ThreadId>, _> =
                    a.indices.iter().map(|i| self.thread(i, b)).collect();
                let threads = threads?;
                if a.label.is_some() {
                    return Err(UNKNOWN);
                }
                if let Some(word) = self.theory.word(&a.name, threads.len()) {
                    return self
                        .letter(word, threads.first().copied(), terms)
                        .ok_or(UNKNOWN);
                }
                let d = self
                    .theory
                    .definition(&a.name, threads.len())
                    .ok_or(UNKNOWN)?;
                let names = d.indices.iter().map(String::as_str);
                let inner: Binding = names.zip(threads.iter().copied()).collect();
                self.term(&d.term, &inner, terms, depth + 1)?
            }
        })
    }

    /// A letter that stands for this, of a thread.
    fn letter(&self, word: Word, thread: Option<ThreadId>, terms: &mut Terms) -> Option<Id> {
        let phases = self.letters.phases.as_ref();
        if phases.is_none() && word.speaks() == Some(Speaks::Transactions) {
            return None;
        }
        let of = |all: &[Sym]| thread.and_then(|t| all.get(t).copied());
        Some(match word {
            Word::Steps(steps) => {
                let all = self.of(thread?, steps);
                let all: Vec<Id> = all.map(|at| self.letters.steps(terms, at)).collect();
                terms.sum(all)
            }
            Word::Disabled(steps) => {
                let all = self.of(thread?, steps);
                let all: Vec<Id> = all.map(|at| self.letters.enabled(terms, at)).collect();
                let all: Vec<Id> = all.into_iter().map(|e| terms.not(e)).collect();
                terms.product(all)
            }
            Word::Before => terms.atom(of(&phases?.before)?, Vec::new()),
            Word::Behind => terms.atom(of(&phases?.behind)?, Vec::new()),
            Word::Wrong => terms.atom(of(&phases?.wrong)?, Vec::new()),
            Word::Outside => {
                let inside = [of(&phases?.before)?, of(&phases?.behind)?];
                let outside = inside.map(|s| {
                    let inside = terms.atom(s, Vec::new());
                    terms.not(inside)
                });
                terms.product(outside)
            }
            Word::Violated => terms.atom(self.letters.violated, Vec::new()),
            Word::Initial => terms.atom(phases?.initial, Vec::new()),
        })
    }

    /// The steps of a thread that are such.
    fn of(&self, t: ThreadId, steps: Steps) -> impl Iterator<Item = (ThreadId, LocId)> + '_ {
        let mover = move |l: LocId, kind: fn(&Mover) -> bool| {
            self.phased.is_some_and(|phased| {
                let mover = &phased.movers[t][phased.origin[t][l]];
                mover.local || kind(mover)
            })
        };
        let is = move |l: LocId| match steps {
            Steps::All => true,
            Steps::Visible => (self.visible)(t, l),
            Steps::Invisible => !(self.visible)(t, l),
            Steps::Right => mover(l, |m| m.right),
            Steps::Left => mover(l, |m| m.left),
        };
        let all = self.program.threads[t].steps();
        all.filter(move |l| is(*l)).map(move |l| (t, l))
    }
}

/// The processes that a statement of a theory speaks of, by name.
pub fn processes(s: &Statement) -> Vec<String> {
    let see = |i: &Index| -> Option<String> {
        match i {
            Index::Name(n) => Some(n.clone()),
            _ => None,
        }
    };
    let mut names: Vec<String> = Vec::new();
    for (i, j) in &s.distinct {
        names.extend(see(i));
        names.extend(see(j));
    }
    for side in &s.sides {
        indices(side, &mut Vec::new(), &mut names);
    }
    names.sort();
    names.dedup();
    names
}

/// Names of indices that nothing binds.
fn indices(t: &Term, bound: &mut Vec<String>, into: &mut Vec<String>) {
    match &t.form {
        Form::Zero | Form::One | Form::Top | Form::State(_) => {}
        Form::Atom(a) => into.extend(a.indices.iter().filter_map(|i| match i {
            Index::Name(n) if !bound.contains(n) => Some(n.clone()),
            _ => None,
        })),
        Form::Not(x) | Form::Star(x) | Form::Omega(x) => indices(x, bound, into),
        Form::Applied(_, x) => indices(x, bound, into),
        Form::Sum(all) | Form::Product(all) => {
            all.iter().for_each(|x| indices(x, bound, into));
        }
        Form::Hash(x, y) => {
            indices(x, bound, into);
            indices(y, bound, into);
        }
        Form::SumOver(i, x) | Form::ProductOver(i, x) => {
            let outside = i.but.iter().filter_map(|i| match i {
                Index::Name(n) if !bound.contains(n) => Some(n.clone()),
                _ => None,
            });
            into.extend(outside);
            bound.push(i.index.clone());
            indices(x, bound, into);
            bound.pop();
        }
    }
}
