//! What the symbols of derivations stand for, and the hypotheses of the theorem in these symbols.

use crate::algebra::{Index, Order, Statement, Term, Theory};
use crate::kernel::{Id, ONE, Sym, TOP, Terms, ZERO};
use crate::program::{Expr, LocId, Program, ThreadId};
use rustc_hash::FxHashMap;

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
}

impl Letter {
    /// Whether it is a test.
    pub fn is_test(&self) -> bool {
        !matches!(self, Letter::Steps(..))
    }
}

/// The name of the steps of a thread from a location, as derivations have it.
pub fn name_of(program: &Program, thread: ThreadId, location: LocId) -> String {
    let t = &program.threads[thread];
    format!("{}.{}", t.name, t.locations[location].name).replace(char::is_whitespace, "_")
}

/// The symbols of a [`Terms`], with their meaning.
pub struct Letters {
    /// By symbol.
    pub meaning: Vec<Letter>,
    steps: FxHashMap<(ThreadId, LocId), Sym>,
    enabled: FxHashMap<(ThreadId, LocId), Sym>,
    violated: Sym,
}

impl Letters {
    /// Gives every symbol of `terms` its meaning, and adds those that are missing.
    ///
    /// # Errors
    /// If a symbol has no meaning, or is a test where its meaning is none.
    pub fn new(program: &Program, terms: &mut Terms) -> Result<Self, &'static str> {
        let mut known: FxHashMap<String, Letter> = FxHashMap::default();
        known.insert("q".into(), Letter::Violated);
        for (t, thread) in program.threads.iter().enumerate() {
            for l in thread.steps() {
                let name = name_of(program, t, l);
                let again = known.insert(format!("e({name})"), Letter::Enabled(t, l));
                if again.is_some() || known.insert(name, Letter::Steps(t, l)).is_some() {
                    return Err("two actions of the model have one name");
                }
            }
        }
        let mut letters = Letters {
            meaning: Vec::new(),
            steps: FxHashMap::default(),
            enabled: FxHashMap::default(),
            violated: 0,
        };
        let mut violated = None;
        for (n, s) in terms.symbols().iter().enumerate() {
            let letter = known
                .get(&s.name)
                .filter(|l| l.is_test() == s.test && s.arity == 0)
                .ok_or("a symbol that stands for nothing in the model")?;
            match letter {
                Letter::Steps(t, l) => drop(letters.steps.insert((*t, *l), n as Sym)),
                Letter::Enabled(t, l) => drop(letters.enabled.insert((*t, *l), n as Sym)),
                _ => violated = Some(n as Sym),
            }
            letters.meaning.push(letter.clone());
        }
        let mut add = |name: &str, letter: Letter| {
            letters.meaning.push(letter.clone());
            terms.symbol(name, letter.is_test(), 0)
        };
        letters.violated = violated.unwrap_or_else(|| add("q", Letter::Violated));
        for (t, thread) in program.threads.iter().enumerate() {
            for l in thread.steps() {
                let name = name_of(program, t, l);
                let steps = letters.steps.entry((t, l));
                steps.or_insert_with(|| add(&name, Letter::Steps(t, l)));
                let enabled = letters.enabled.entry((t, l));
                enabled.or_insert_with(|| add(&format!("e({name})"), Letter::Enabled(t, l)));
            }
        }
        Ok(letters)
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

    /// Where a state expression holds: a new symbol.
    pub fn holds(&mut self, terms: &mut Terms, name: &str, e: &Expr) -> Id {
        self.meaning.push(Letter::Holds(e.clone()));
        let s = terms.symbol(name, true, 0);
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
        let mut free: Vec<&str> = Vec::new();
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
        free.extend(names.iter().map(String::as_str));
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
        Ok(match t {
            Term::Zero => ZERO,
            Term::One => ONE,
            Term::Top => TOP,
            Term::State(_) => return Err(UNKNOWN),
            Term::Not(x) => {
                let x = self.term(x, b, terms, depth)?;
                if !terms.is_test(x) {
                    return Err("the complement of an action");
                }
                terms.not(x)
            }
            Term::Star(x) => {
                let x = self.term(x, b, terms, depth)?;
                terms.star(x)
            }
            Term::Omega(x) => {
                let x = self.term(x, b, terms, depth)?;
                terms.omega(x)
            }
            Term::Hash(x, y) => {
                let (x, y) = (self.term(x, b, terms, depth)?, self.term(y, b, terms, depth)?);
                let (omega, star) = (terms.omega(x), terms.star(x));
                let ends = terms.product([star, y]);
                terms.sum([omega, ends])
            }
            Term::Sum(all) | Term::Product(all) => {
                let of: Result<Vec<Id>, _> = all
                    .iter()
                    .map(|x| self.term(x, b, terms, depth))
                    .collect();
                match t {
                    Term::Sum(_) => terms.sum(of?),
                    _ => terms.product(of?),
                }
            }
            Term::SumOver(i, x) | Term::ProductOver(i, x) => {
                let mut of = Vec::new();
                for thread in 0..self.program.threads.len() {
                    let mut inner = b.clone();
                    inner.push((i, thread));
                    of.push(self.term(x, &inner, terms, depth)?);
                }
                match t {
                    Term::SumOver(..) => terms.sum(of),
                    _ => terms.product(of),
                }
            }
            Term::Atom(a) => {
                let threads: Result<Vec<ThreadId>, _> =
                    a.indices.iter().map(|i| self.thread(i, b)).collect();
                match (a.name.as_str(), threads?.as_slice()) {
                    _ if a.label.is_some() => return Err(UNKNOWN),
                    ("u", [t]) => self.actions(*t, false, terms),
                    ("v", [t]) => self.actions(*t, true, terms),
                    ("p", [t]) => {
                        let of = self.of(*t, false);
                        let none = of.map(|at| self.letters.enabled(terms, at));
                        let none: Vec<Id> = none.collect();
                        let none: Vec<Id> = none.into_iter().map(|e| terms.not(e)).collect();
                        terms.product(none)
                    }
                    ("q", []) => terms.atom(self.letters.violated, Vec::new()),
                    (name, threads) => {
                        let d = self.theory.definition(name, threads.len()).ok_or(UNKNOWN)?;
                        let names = d.indices.iter().map(String::as_str);
                        let inner: Binding = names.zip(threads.iter().copied()).collect();
                        self.term(&d.term, &inner, terms, depth + 1)?
                    }
                }
            }
        })
    }

    fn of(&self, t: ThreadId, visible: bool) -> impl Iterator<Item = (ThreadId, LocId)> + '_ {
        let all = self.program.threads[t].steps();
        all.filter(move |l| (self.visible)(t, *l) == visible)
            .map(move |l| (t, l))
    }

    fn actions(&self, t: ThreadId, visible: bool, terms: &mut Terms) -> Id {
        let of = self.of(t, visible).map(|at| self.letters.steps(terms, at));
        let of: Vec<Id> = of.collect();
        terms.sum(of)
    }
}

/// Names of indices that nothing binds.
fn indices(t: &Term, bound: &mut Vec<String>, into: &mut Vec<String>) {
    match t {
        Term::Zero | Term::One | Term::Top | Term::State(_) => {}
        Term::Atom(a) => into.extend(a.indices.iter().filter_map(|i| match i {
            Index::Name(n) if !bound.contains(n) => Some(n.clone()),
            _ => None,
        })),
        Term::Not(x) | Term::Star(x) | Term::Omega(x) => indices(x, bound, into),
        Term::Sum(all) | Term::Product(all) => {
            all.iter().for_each(|x| indices(x, bound, into));
        }
        Term::Hash(x, y) => {
            indices(x, bound, into);
            indices(y, bound, into);
        }
        Term::SumOver(i, x) | Term::ProductOver(i, x) => {
            bound.push(i.clone());
            indices(x, bound, into);
            bound.pop();
        }
    }
}
