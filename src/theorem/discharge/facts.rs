//! Facts: inclusions between products of single steps, established on a program thread by thread.
//!
//! A fact speaks of generic threads i and j of two classes, such as
//! `worker(j).B worker(i).C <= worker(i).C worker(j).B`. It is established for every choice of different threads of
//! those classes: by their footprints, or by a BDD on their joint support. Threads of a class have the same locations,
//! visible and invisible; nothing else about them is assumed to be the same.

use crate::algebra::names;
use crate::base::control::Stop;
use crate::base::results::Needed;
use crate::engine::relations::{Encoding, Ground, GroundAtom, Meaning};
use crate::kernel::{Development, Id, Index, Node, Statement, Sym};
use crate::model::program::{LocId, ThreadId};
use crate::theorem::invariants::Rung;
use crate::theorem::reduced::transactions::{Phase, Phased, somewhere};
use biodivine_lib_bdd::Bdd;
use rustc_hash::FxHashMap;

/// What was derived about one program: the proofs, and the facts they rest on.
#[derive(Default)]
pub struct Discharge {
    /// The facts as hypotheses, in order, and what follows from them. Replayed by the kernel.
    pub development: Development,
    /// The classes of threads.
    pub classes: Vec<Class>,
    /// What the symbols of the development stand for, by number.
    pub letters: Vec<Letter>,
    /// What is known of each hypothesis of the development, by number.
    pub facts: Vec<Fact>,
    /// The theorems of the development, by number.
    pub derived: Vec<Derived>,
    /// The class of each thread.
    class_of: Vec<usize>,
    symbols: FxHashMap<Letter, Sym>,
    /// What the symbols are called where they are shown, by number.
    shown: Vec<String>,
}

/// Threads whose actions have the same names: of one family, with the same locations, of which the same are visible.
#[derive(Clone, Debug)]
pub struct Class {
    /// The family, or the thread; followed by a number if the family has several classes.
    pub name: String,
    /// Whether it is a family: its members are then told apart by an index.
    pub is_family: bool,
    /// Its threads.
    pub threads: Vec<ThreadId>,
    /// The locations with an action, and whether that is visible.
    pub locations: Vec<(LocId, bool)>,
}

/// What a symbol stands for; of a thread i that is not of the class, nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Letter {
    /// `worker(i).B`: the action that leaves a location.
    Action(usize, LocId),
    /// `e(worker(i).B)`: where it is enabled.
    Enabled(usize, LocId),
    /// `q`: the discipline has been violated.
    Violated,
    /// `r(worker(i))`: where a thread is in a transaction, or whether it has gone wrong.
    Phase(usize, PhaseLetter),
    /// `init`: the initial states.
    Initial,
    /// The hole of a context; in no fact.
    Hole,
}

/// The tests of a program with phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhaseLetter {
    /// `r`: before the commit point.
    Before,
    /// `l`: behind it.
    Behind,
    /// `w`: gone wrong.
    Wrong,
}

impl PhaseLetter {
    /// All of them.
    pub const ALL: [PhaseLetter; 3] =
        [PhaseLetter::Before, PhaseLetter::Behind, PhaseLetter::Wrong];

    /// As theories have it.
    pub fn name(self) -> &'static str {
        match self {
            PhaseLetter::Before => "r",
            PhaseLetter::Behind => "l",
            PhaseLetter::Wrong => "w",
        }
    }

    /// Where it holds of a thread.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn holds(self, e: &Encoding, phased: &Phased, thread: ThreadId) -> Result<Bdd, Stop> {
        let within = |phase| somewhere(e, thread, phased.at(thread, phase));
        match self {
            PhaseLetter::Before => within(Phase::Before),
            PhaseLetter::Behind => within(Phase::Behind),
            PhaseLetter::Wrong => somewhere(e, thread, e.program.threads[thread].wrong),
        }
    }
}

/// What is known of a fact besides its statement.
#[derive(Clone, Debug)]
pub struct Fact {
    /// As it is shown.
    pub text: String,
    /// The class of each index variable that occurs.
    pub threads: Vec<(u32, usize)>,
    /// For how many choices of threads it was established, by the invariant on whose states.
    pub on: Needed,
    /// For how many of them because the two don't touch what the other uses.
    pub independent: usize,
    /// For how many because, but for the names of bits, they are like others for which it was evaluated.
    pub alike: usize,
}

/// What is known of a theorem besides its statement.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The hypothesis of the theory that it is.
    pub hypothesis: String,
    /// The class of each index variable, in order.
    pub threads: Vec<usize>,
}

/// The names of index variables.
pub const VARIABLES: [&str; 4] = ["i", "j", "k", "l"];

impl Discharge {
    /// Nothing known yet.
    pub fn new(encoding: &Encoding, is_visible: impl Fn(usize) -> bool) -> Self {
        let mut d = Discharge::default();
        d.development.variables = VARIABLES.map(String::from).to_vec();
        let threads = &encoding.program.threads;
        let mut locations: Vec<Vec<(LocId, bool)>> = vec![Vec::new(); threads.len()];
        for (a, action) in encoding.actions.iter().enumerate() {
            locations[action.thread].push((action.location, is_visible(a)));
        }
        for (t, locations) in locations.into_iter().enumerate() {
            let family = &threads[t].family;
            let same =
                |c: &Class| threads[c.threads[0]].family == *family && c.locations == locations;
            match d.classes.iter().position(same) {
                Some(n) => {
                    d.classes[n].threads.push(t);
                    d.class_of.push(n);
                }
                None => {
                    d.class_of.push(d.classes.len());
                    let many = d
                        .classes
                        .iter()
                        .filter(|c| c.name == *family || c.name.starts_with(&format!("{family}'")));
                    let name = match many.count() {
                        0 => family.clone(),
                        n => format!("{family}'{}", n + 1),
                    };
                    d.classes.push(Class {
                        name,
                        is_family: threads[t].index.is_some(),
                        threads: vec![t],
                        locations,
                    });
                }
            }
        }
        d.letter(encoding, Letter::Hole);
        d
    }

    /// The class of a thread.
    pub fn class_of(&self, thread: ThreadId) -> usize {
        self.class_of[thread]
    }

    /// The symbol of the hole.
    pub fn hole(&self) -> Sym {
        0
    }

    /// The symbol of a letter.
    pub fn letter(&mut self, encoding: &Encoding, letter: Letter) -> Sym {
        if let Some(&known) = self.symbols.get(&letter) {
            return known;
        }
        let (name, test, arity) = match letter {
            Letter::Action(c, l) => (self.place(encoding, c, l), false, 1),
            Letter::Enabled(c, l) => (format!("e({})", self.place(encoding, c, l)), true, 1),
            Letter::Violated => ("q".into(), true, 0),
            Letter::Phase(c, p) => (format!("{}({}.)", p.name(), self.classes[c].name), true, 1),
            Letter::Initial => ("init".into(), true, 0),
            Letter::Hole => ("hole".into(), false, 0),
        };
        let terms = &mut self.development.terms;
        let is_free = |n: &str| terms.symbols().iter().all(|s| s.name != n);
        let plain = names::letter(&name, is_free);
        let symbol = terms.symbol(&plain, test, arity);
        self.letters.push(letter);
        self.shown.push(name);
        self.symbols.insert(letter, symbol);
        symbol
    }

    /// `worker.B`, with the number of the location where others have the same name.
    fn place(&self, encoding: &Encoding, class: usize, location: LocId) -> String {
        let class = &self.classes[class];
        let all = &encoding.program.threads[class.threads[0]].locations;
        let name = |l: LocId| all[l].name.split_whitespace().collect::<Vec<_>>().join("_");
        let here = name(location);
        let repeated = class.locations.iter().filter(|(l, _)| name(*l) == here);
        match repeated.count() {
            0 | 1 => format!("{}.{here}", class.name),
            _ => format!("{}.{here}'{location}", class.name),
        }
    }

    /// A term as it is shown: `worker(j).B` for the letter `worker.B` at process j.
    pub fn show(&self, t: Id) -> String {
        let terms = &self.development.terms;
        let join = |all: &[Id], sep: &str| -> Vec<String> {
            all.iter()
                .map(|x| match terms.node(*x) {
                    Node::Sum(_) if sep == " " => format!("({})", self.show(*x)),
                    _ => self.show(*x),
                })
                .collect()
        };
        match terms.node(t) {
            Node::Zero => "0".into(),
            Node::One => "1".into(),
            Node::Top => "T".into(),
            Node::Atom(s, indices) => {
                let name = &self.shown[*s as usize];
                let class = match self.letters[*s as usize] {
                    Letter::Action(c, _) | Letter::Enabled(c, _) | Letter::Phase(c, _) => {
                        Some(&self.classes[c])
                    }
                    _ => None,
                };
                match (class, indices.first()) {
                    (Some(class), Some(Index::Var(v))) if class.is_family => {
                        let var = VARIABLES.get(*v as usize).unwrap_or(&"?");
                        let with = format!("{}({var}).", class.name);
                        let shown = name.replacen(&format!("{}.", class.name), &with, 1);
                        shown.replace(".)", ")")
                    }
                    _ => name.replace(".)", ")"),
                }
            }
            Node::Not(x) => format!("~{}", self.show(*x)),
            Node::Sum(all) => join(all, " + ").join(" + "),
            Node::Product(all) => join(all, " ").join(" "),
            Node::Star(x) => format!("({})*", self.show(*x)),
            Node::Omega(x) => format!("({})^w", self.show(*x)),
            Node::SumOver(..) | Node::ProductOver(..) => "..".into(),
        }
    }

    /// A statement as it is shown.
    pub fn show_statement(&self, s: &Statement) -> String {
        match s.parts.as_slice() {
            [(l, r), (r2, l2)] if l == l2 && r == r2 => {
                format!("{} = {}", self.show(*l), self.show(*r))
            }
            parts => {
                let shown = parts
                    .iter()
                    .map(|(l, r)| format!("{} <= {}", self.show(*l), self.show(*r)));
                shown.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// A term over letters, at threads: what the relational interpreter reads.
    pub fn ground(
        &self,
        places: &Places,
        t: Id,
        threads: &[ThreadId],
        atoms: &mut Vec<GroundAtom>,
    ) -> Ground {
        let terms = &self.development.terms;
        let each = |all: &[Id], atoms: &mut Vec<GroundAtom>| -> Vec<Ground> {
            all.iter()
                .map(|x| self.ground(places, *x, threads, atoms))
                .collect()
        };
        match terms.node(t) {
            Node::Zero | Node::SumOver(..) | Node::ProductOver(..) => Ground::Zero,
            Node::One => Ground::One,
            Node::Top => Ground::Top,
            Node::Not(x) => Ground::Not(Box::new(self.ground(places, *x, threads, atoms))),
            Node::Star(x) => Ground::Star(Box::new(self.ground(places, *x, threads, atoms))),
            Node::Omega(x) => Ground::Omega(Box::new(self.ground(places, *x, threads, atoms))),
            Node::Sum(all) => Ground::Sum(each(all, atoms)),
            Node::Product(all) => Ground::Product(each(all, atoms)),
            Node::Atom(s, indices) => {
                let thread = match indices.first() {
                    Some(Index::Var(v)) => threads.get(*v as usize).copied(),
                    _ => None,
                };
                let meaning = places.meaning(self.letters[*s as usize], thread);
                let name = format!("{t}");
                let known = atoms.iter().position(|a| a.name == name);
                Ground::Atom(known.unwrap_or_else(|| {
                    atoms.push(GroundAtom { name, meaning });
                    atoms.len() - 1
                }))
            }
        }
    }
}

/// Where the actions of a program are.
pub struct Places<'d> {
    encoding: &'d Encoding<'d>,
    actions: FxHashMap<(ThreadId, LocId), usize>,
    phases: FxHashMap<(ThreadId, PhaseLetter), Bdd>,
}

impl<'d> Places<'d> {
    /// Those of this program.
    pub fn new(encoding: &'d Encoding<'d>) -> Self {
        let at = |(n, a): (usize, &crate::engine::relations::Action)| ((a.thread, a.location), n);
        Places {
            encoding,
            phases: FxHashMap::default(),
            actions: encoding.actions.iter().enumerate().map(at).collect(),
        }
    }

    /// The same with phases.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn with_phases(mut self, phased: &Phased) -> Result<Self, Stop> {
        for t in 0..self.encoding.program.threads.len() {
            for letter in PhaseLetter::ALL {
                let holds = letter.holds(self.encoding, phased, t)?;
                self.phases.insert((t, letter), holds);
            }
        }
        Ok(self)
    }

    /// The action of a thread at a location.
    pub fn action(&self, thread: ThreadId, location: LocId) -> Option<usize> {
        self.actions.get(&(thread, location)).copied()
    }

    fn meaning(&self, letter: Letter, thread: Option<ThreadId>) -> Meaning {
        let action = |l| thread.and_then(|t| self.action(t, l));
        match letter {
            Letter::Action(_, l) => Meaning::Actions(action(l).into_iter().collect()),
            Letter::Enabled(_, l) => Meaning::Test(match action(l) {
                Some(a) => self.encoding.actions[a].enabled.clone(),
                None => self.encoding.m.no(),
            }),
            Letter::Violated => Meaning::Test(self.encoding.q()),
            Letter::Phase(_, p) => {
                let here = thread.and_then(|t| self.phases.get(&(t, p)));
                Meaning::Test(here.cloned().unwrap_or_else(|| self.encoding.m.no()))
            }
            Letter::Initial => Meaning::Test(self.encoding.initial.clone()),
            Letter::Hole => Meaning::Actions(Vec::new()),
        }
    }
}

/// The highest rung that some facts need, and how many there are.
pub fn summary<'f>(facts: impl Iterator<Item = &'f Fact>) -> (Needed, usize) {
    let (mut needed, mut independent) = (Needed::default(), 0);
    for fact in facts {
        for rung in Rung::ALL {
            needed.add(rung, fact.on.on(rung));
        }
        independent += fact.independent;
    }
    (needed, independent)
}
