//! Statements of a theory read on one program: names become relations and tests, indices become threads.
//!
//! The program gives meaning to a theory's letters, by the words of their declarations: visible and invisible steps,
//! that none is enabled, that the discipline has been violated; a program with phases also to movers, to where a thread
//! is in a transaction, that it has gone wrong, and the initial states; to single actions `worker(0).B` or `B[0]`, and
//! to state expressions `{ e }`. All else comes from the theory's definitions.

use super::visibility::Visibility;
use crate::algebra::{
    Atom, Form, Function, Index, Order, Over, Speaks, Statement, Steps, Term, Theory, Word,
};
use crate::base::control::Stop;
use crate::engine::compiled::Mover;
use crate::engine::relations::{Encoding, Ground, GroundAtom, Meaning};
use crate::kernel::Operator;
use crate::model::program::ThreadId;
use crate::theorem::discharge::facts::PhaseLetter;
use crate::theorem::reduced::transactions::Phased;
use biodivine_lib_bdd::Bdd;
use std::fmt::Display;

/// A program with its visibility and a theory.
pub struct Model<'e, 'p> {
    /// The program.
    pub encoding: &'e Encoding<'p>,
    /// Which actions are visible.
    pub visibility: &'e Visibility,
    /// Its phases, if it has some.
    pub phased: Option<&'e Phased>,
    /// The theory whose definitions may be used.
    pub theory: &'e Theory,
    /// State expressions `{ e }`, by their text.
    pub states: Vec<(String, Bdd)>,
    /// What a bare name may be as an index.
    pub names: Names,
}

/// What a bare name may be as an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Always a variable: a theory knows no program, and must not take a thread called `i` for its `i`.
    Variables,
    /// A thread of that name if there is one (unless something binds it), else a variable.
    Threads,
}

/// One instance of a statement.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Which thread each index variable stands for.
    pub threads: Vec<(String, ThreadId)>,
    /// The sides.
    pub sides: Vec<Ground>,
    /// How neighbouring sides compare.
    pub orders: Vec<Order>,
}

impl Instance {
    /// Whether a T may end a left side: then it matters which states it leads to.
    pub fn ends_left(&self) -> bool {
        let mut orders = self.orders.iter().enumerate();
        orders.any(|(n, order)| {
            let right = *order == Order::Equal && self.sides[n + 1].has_top();
            right || self.sides[n].has_top()
        })
    }
}

/// Why a statement can't be read on this program.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Unreadable {
    /// A limit was hit on the way.
    #[error("{0} was hit")]
    Stopped(#[from] Stop),
    /// Something in it has no meaning here.
    #[error("{message}")]
    Meaningless {
        /// The part that has none, as it is written; `None` for the whole statement.
        about: Option<String>,
        /// What is wrong.
        message: String,
        /// What was expected.
        expected: String,
    },
}

fn meaningless<T>(
    about: Option<&dyn Display>,
    message: impl Into<String>,
    expected: impl Into<String>,
) -> Result<T, Unreadable> {
    Err(Unreadable::Meaningless {
        about: about.map(ToString::to_string),
        message: message.into(),
        expected: expected.into(),
    })
}

/// The atoms met so far; beside each the theory's letter that it is, of a thread or of the program, if it is one.
#[derive(Default)]
pub struct Atoms(
    pub Vec<GroundAtom>,
    pub Vec<Option<(Word, Option<ThreadId>)>>,
);

type Binding<'a> = Vec<(&'a str, ThreadId)>;

/// Definitions may be nested this deep before they are taken for circular.
const DEEPEST: usize = 100;

impl Model<'_, '_> {
    /// The name of a thread.
    pub fn thread_name(&self, thread: ThreadId) -> &str {
        &self.encoding.program.threads[thread].name
    }

    /// The free index variables of a statement, sorted.
    pub fn variables(&self, s: &Statement) -> Vec<String> {
        let mut free: Vec<String> = Vec::new();
        for (i, j) in &s.distinct {
            self.free_index(i, &[], &mut free);
            self.free_index(j, &[], &mut free);
        }
        for side in &s.sides {
            self.free(side, &mut Vec::new(), &mut free);
        }
        free.sort();
        free
    }

    /// The instance in which the free index variables stand for these threads; `None` if they don't differ as the
    /// statement says.
    ///
    /// # Errors
    /// If a name has no meaning here, or a limit is hit.
    pub fn instance(
        &self,
        s: &Statement,
        (free, chosen): (&[String], &[ThreadId]),
        atoms: &mut Atoms,
    ) -> Result<Option<Instance>, Unreadable> {
        let binding: Binding = free
            .iter()
            .map(String::as_str)
            .zip(chosen.iter().copied())
            .collect();
        for (i, j) in &s.distinct {
            if self.thread(i, &binding)? == self.thread(j, &binding)? {
                return Ok(None);
            }
        }
        self.encoding
            .m
            .control()
            .check()
            .map_err(Unreadable::Stopped)?;
        let sides: Result<Vec<Ground>, Unreadable> = s
            .sides
            .iter()
            .map(|t| self.ground(t, &binding, atoms, 0))
            .collect();
        Ok(Some(Instance {
            threads: free.iter().cloned().zip(chosen.iter().copied()).collect(),
            sides: sides?,
            orders: s.orders.clone(),
        }))
    }

    /// All instances of a statement: its free index variables range over all threads that differ as it says.
    ///
    /// # Errors
    /// If a name has no meaning here, or a limit is hit.
    pub fn instances(&self, s: &Statement, atoms: &mut Atoms) -> Result<Vec<Instance>, Unreadable> {
        let free = self.variables(s);
        let n = self.encoding.program.threads.len();
        let mut all = Vec::new();
        let mut chosen = vec![0; free.len()];
        'next: loop {
            all.extend(self.instance(s, (&free, &chosen), atoms)?);
            for at in chosen.iter_mut().rev() {
                *at += 1;
                if *at < n {
                    continue 'next;
                }
                *at = 0;
            }
            return Ok(all);
        }
    }

    /// Index variables of a term that nothing binds and no thread is named after.
    fn free(&self, t: &Term, bound: &mut Vec<String>, into: &mut Vec<String>) {
        match &t.form {
            Form::Zero | Form::One | Form::Top | Form::State(_) => {}
            Form::Atom(a) => {
                if a.label.is_none() {
                    a.indices
                        .iter()
                        .for_each(|i| self.free_index(i, bound, into));
                }
            }
            Form::Not(x) | Form::Star(x) | Form::Omega(x) => self.free(x, bound, into),
            Form::Applied(_, x) => self.free(x, bound, into),
            Form::Sum(all) | Form::Product(all) => {
                all.iter().for_each(|x| self.free(x, bound, into))
            }
            Form::Hash(x, y) => {
                self.free(x, bound, into);
                self.free(y, bound, into);
            }
            Form::SumOver(over, x) | Form::ProductOver(over, x) => {
                over.but
                    .iter()
                    .for_each(|i| self.free_index(i, bound, into));
                bound.push(over.index.clone());
                self.free(x, bound, into);
                bound.pop();
            }
        }
    }

    fn free_index(&self, index: &Index, bound: &[String], into: &mut Vec<String>) {
        if let Index::Name(n) = index {
            let named = self.names == Names::Threads
                && self.encoding.program.threads.iter().any(|t| t.name == *n);
            if !named && !bound.contains(n) && !into.contains(n) {
                into.push(n.clone());
            }
        }
    }

    fn thread(&self, index: &Index, binding: &Binding) -> Result<ThreadId, Unreadable> {
        let threads = &self.encoding.program.threads;
        let found = match index {
            Index::Name(n) => binding
                .iter()
                .rev()
                .find(|(b, _)| b == n)
                .map(|(_, t)| *t)
                .or_else(|| threads.iter().position(|t| t.name == *n)),
            Index::Number(n) => usize::try_from(*n).ok().filter(|n| *n < threads.len()),
            Index::Member(n, i) => threads
                .iter()
                .position(|t| t.family == *n && t.index == Some(*i)),
        };
        match found {
            Some(t) => Ok(t),
            None => meaningless(
                Some(index),
                format!("there is no thread `{index}`"),
                format!("one of the {} threads, by number or name", threads.len()),
            ),
        }
    }

    fn ground(
        &self,
        t: &Term,
        b: &Binding,
        atoms: &mut Atoms,
        depth: usize,
    ) -> Result<Ground, Unreadable> {
        if depth > DEEPEST {
            return meaningless(
                None,
                "the definitions are circular",
                "definitions that use only earlier ones",
            );
        }
        let each = |all: &[Term], atoms: &mut Atoms| -> Result<Vec<Ground>, Unreadable> {
            all.iter()
                .map(|x| self.ground(x, b, atoms, depth))
                .collect()
        };
        let over = |over: &Over, x: &Term, atoms: &mut Atoms| -> Result<Vec<Ground>, Unreadable> {
            let but: Result<Vec<ThreadId>, _> =
                over.but.iter().map(|i| self.thread(i, b)).collect();
            let but = but?;
            (0..self.encoding.program.threads.len())
                .filter(|t| !but.contains(t))
                .map(|t| {
                    let mut inner: Binding = b.clone();
                    inner.push((&over.index, t));
                    self.ground(x, &inner, atoms, depth)
                })
                .collect()
        };
        Ok(match &t.form {
            Form::Zero => Ground::Zero,
            Form::One => Ground::One,
            Form::Top => Ground::Top,
            Form::State(text) => match self.states.iter().find(|(s, _)| s == text) {
                Some((_, holds)) => intern(atoms, format!("{{{text}}}"), None, || {
                    Ok(Meaning::Test(holds.clone()))
                })?,
                None => return meaningless(None, "state expressions can't stand here", "an atom"),
            },
            Form::Not(x) => {
                let inner = self.ground(x, b, atoms, depth)?;
                if !is_test(&inner, atoms) {
                    return meaningless(
                        Some(x),
                        format!("`{x}` is not a test, so it has no complement"),
                        "`p[i]`, `q`, `{ e }`, and sums, products and complements of tests",
                    );
                }
                Ground::Not(Box::new(inner))
            }
            Form::Sum(all) => Ground::Sum(each(all, atoms)?),
            Form::Product(all) => Ground::Product(each(all, atoms)?),
            Form::Star(x) => Ground::Star(Box::new(self.ground(x, b, atoms, depth)?)),
            Form::Omega(x) => Ground::Omega(Box::new(self.ground(x, b, atoms, depth)?)),
            Form::Applied(Function::Converse, x) => {
                return meaningless(
                    Some(t),
                    format!("`conv({x})` turns steps of a program round"),
                    "a term without `conv`, which stands in files of laws",
                );
            }
            Form::Applied(Function::Test(operator), x) => {
                let inner = self.ground(x, b, atoms, depth)?;
                if *operator == Operator::Codomain && inner.has_top() {
                    return meaningless(
                        Some(x),
                        format!("`cod({x})` asks for the states that a `T` leads to"),
                        "a term without `T`, `^w` and `#` in `cod(..)`",
                    );
                }
                applied(*operator, inner)
            }
            Form::Hash(x, y) => Ground::Hash(
                Box::new(self.ground(x, b, atoms, depth)?),
                Box::new(self.ground(y, b, atoms, depth)?),
            ),
            Form::SumOver(i, x) => Ground::Sum(over(i, x, atoms)?),
            Form::ProductOver(i, x) => Ground::Product(over(i, x, atoms)?),
            Form::Atom(a) => self.atom(a, b, atoms, depth)?,
        })
    }

    fn atom(
        &self,
        a: &Atom,
        b: &Binding,
        atoms: &mut Atoms,
        depth: usize,
    ) -> Result<Ground, Unreadable> {
        if let Some(label) = &a.label {
            let thread = match a.indices.as_slice() {
                [Index::Number(n)] => Index::Member(a.name.clone(), *n),
                _ => Index::Name(a.name.clone()),
            };
            return self.labelled(self.thread(&thread, b)?, label, atoms);
        }
        let threads: Result<Vec<ThreadId>, Unreadable> =
            a.indices.iter().map(|i| self.thread(i, b)).collect();
        let threads = threads?;
        let e = self.encoding;
        if let Some(word) = self.theory.word(&a.name, threads.len()) {
            return match self.letter(word, threads.first().copied(), atoms)? {
                Some(letter) => Ok(letter),
                None => meaningless(
                    Some(a),
                    format!("`{a}` speaks of transactions, and this program has none"),
                    "letters for visible and invisible steps",
                ),
            };
        }
        if let Some(d) = self.theory.definition(&a.name, threads.len()) {
            let inner: Binding = d
                .indices
                .iter()
                .map(String::as_str)
                .zip(threads.iter().copied())
                .collect();
            return self.ground(&d.term, &inner, atoms, depth + 1);
        }
        match threads.as_slice() {
            [t] if e.program.threads[*t].label(&a.name).is_some() => {
                self.labelled(*t, &a.name, atoms)
            }
            _ => meaningless(
                Some(a),
                format!("`{a}` has no meaning in this model"),
                "u[i], v[i], p[i], q, a definition of the theory, an action such as worker(0).B, or a test { e \
                 }",
            ),
        }
    }

    /// A letter that stands for this, of a thread. Its name is the house's, whatever the theory calls it. None if it
    /// speaks of transactions and there are none.
    fn letter(
        &self,
        word: Word,
        thread: Option<ThreadId>,
        atoms: &mut Atoms,
    ) -> Result<Option<Ground>, Unreadable> {
        let e = self.encoding;
        if self.phased.is_none() && word.speaks() == Some(Speaks::Transactions) {
            return Ok(None);
        }
        let name = match thread {
            Some(t) => format!("{}[{}]", called(word), self.thread_name(t)),
            None => called(word).to_string(),
        };
        let steps = |steps: Steps| -> Vec<usize> {
            let all = thread.into_iter().flat_map(|t| e.of_thread(t));
            all.filter(|&a| self.is(a, steps)).collect()
        };
        let meaning = || -> Result<Meaning, Stop> {
            let phase = |phase: PhaseLetter| match (self.phased, thread) {
                (Some(phased), Some(t)) => phase.holds(e, phased, t),
                _ => Ok(e.m.no()),
            };
            Ok(Meaning::Test(match word {
                Word::Steps(of) => return Ok(Meaning::Actions(steps(of))),
                Word::Disabled(of) => {
                    let mut some = e.m.no();
                    for a in steps(of) {
                        some = e.m.or(&some, &e.actions[a].enabled)?;
                    }
                    some.not()
                }
                Word::Before => phase(PhaseLetter::Before)?,
                Word::Behind => phase(PhaseLetter::Behind)?,
                Word::Wrong => phase(PhaseLetter::Wrong)?,
                Word::Outside => {
                    let inside = [PhaseLetter::Before, PhaseLetter::Behind].map(phase);
                    let [before, behind] = inside;
                    e.m.or(&before?, &behind?)?.not()
                }
                Word::Violated => e.q(),
                Word::Initial => e.initial.clone(),
            }))
        };
        let letter = Some((word, thread));
        Ok(Some(intern(atoms, name, letter, meaning)?))
    }

    /// Whether an action is one of these.
    fn is(&self, action: usize, steps: Steps) -> bool {
        let of = |kind: fn(&Mover) -> bool| {
            let a = &self.encoding.actions[action];
            self.phased.is_some_and(|phased| {
                let origin = phased.origin[a.thread][a.location];
                let mover = &phased.movers[a.thread][origin];
                mover.local || kind(mover)
            })
        };
        match steps {
            Steps::All => true,
            Steps::Visible => self.visibility.is_visible(action),
            Steps::Invisible => !self.visibility.is_visible(action),
            Steps::Right => of(|m| m.right),
            Steps::Left => of(|m| m.left),
        }
    }

    /// The action, or actions, at a label.
    fn labelled(&self, t: ThreadId, label: &str, atoms: &mut Atoms) -> Result<Ground, Unreadable> {
        let Some(locations) = self.encoding.program.threads[t].label(label) else {
            return meaningless(
                Some(&label),
                format!("thread {} has no label `{label}`", self.thread_name(t)),
                "a label of that thread",
            );
        };
        let e = self.encoding;
        let all = e
            .of_thread(t)
            .filter(|&x| locations.contains(&e.actions[x].location))
            .collect();
        let name = format!("{}.{label}", self.thread_name(t));
        intern(atoms, name, None, || Ok(Meaning::Actions(all)))
    }
}

/// What a letter that stands for this is called where it is read; derivations go by these names.
pub(in crate::theorem) fn called(word: Word) -> &'static str {
    match word {
        Word::Steps(Steps::All) => "t",
        Word::Steps(Steps::Visible) => "v",
        Word::Steps(Steps::Invisible) => "u",
        Word::Steps(Steps::Right) => "right",
        Word::Steps(Steps::Left) => "left",
        Word::Disabled(Steps::All) => "no step",
        Word::Disabled(Steps::Visible) => "no visible step",
        Word::Disabled(Steps::Invisible) => "p",
        Word::Disabled(Steps::Right) => "no right mover",
        Word::Disabled(Steps::Left) => "no left mover",
        Word::Before => PhaseLetter::Before.name(),
        Word::Behind => PhaseLetter::Behind.name(),
        Word::Wrong => PhaseLetter::Wrong.name(),
        Word::Outside => "n",
        Word::Violated => "q",
        Word::Initial => "init",
    }
}

fn intern(
    atoms: &mut Atoms,
    name: String,
    letter: Option<(Word, Option<ThreadId>)>,
    meaning: impl FnOnce() -> Result<Meaning, Stop>,
) -> Result<Ground, Unreadable> {
    let known = atoms.0.iter().position(|a| a.name == name);
    let id = match known {
        Some(id) => id,
        None => {
            atoms.0.push(GroundAtom {
                name,
                meaning: meaning()?,
            });
            atoms.1.push(letter);
            atoms.0.len() - 1
        }
    };
    Ok(Ground::Atom(id))
}

fn is_test(t: &Ground, atoms: &Atoms) -> bool {
    match t {
        Ground::Zero | Ground::One | Ground::Not(_) => true,
        Ground::Domain(_) | Ground::Codomain(_) => true,
        Ground::Atom(a) => matches!(atoms.0[*a].meaning, Meaning::Test(_)),
        Ground::Sum(all) | Ground::Product(all) => all.iter().all(|x| is_test(x, atoms)),
        _ => false,
    }
}

/// A test of a term.
pub(super) fn applied(operator: Operator, x: Ground) -> Ground {
    match operator {
        Operator::Domain => Ground::Domain(Box::new(x)),
        Operator::Codomain => Ground::Codomain(Box::new(x)),
        Operator::Divergence => Ground::divergence(x),
    }
}
