//! Facts: inclusions between products of single steps, established on a program thread by thread.
//!
//! A fact speaks of generic threads i and j of two classes, such as
//! `worker(j).B worker(i).C <= worker(i).C worker(j).B`. It is established for every choice of different threads of
//! those classes: by their footprints, or by a BDD on their joint support. Threads of a class have the same locations,
//! visible and invisible; nothing else about them is assumed to be the same.

use crate::algebra::{self, names};
use crate::base::control::Stop;
use crate::base::evidence::Right;
use crate::base::results::Needed;
use crate::engine::Variable;
use crate::engine::relations::{Bit, Encoding, Ground, GroundAtom, Item, Meaning};
use crate::kernel::{self, Development, Id, Index, Node, Statement, Sym};
use crate::model::program::{CellId, Class as CellClass, How, LocId, Program, ThreadId, each_use};
use crate::theorem::invariants::Rung;
use crate::theorem::read::{Model, applied};
use crate::theorem::reduced::transactions::{Phase, Phased, somewhere};
use biodivine_lib_bdd::Bdd;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

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
    /// How many of the theorems are lemmas, which stand first.
    pub lemmas: usize,
    /// How many of the symbols are those of the lemmas.
    pub(super) schematic: usize,
    /// An action in no fact and no theorem: the hole of contexts.
    pub(super) hole: Sym,
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
    /// The same, those together of whose actions the same is known.
    pub groups: Vec<Group>,
    /// All invisible actions, whatever else is known of them.
    pub invisible: Group,
}

/// Actions of a class that are one letter: as visible as each other, in the same phases, and of each thread with one
/// footprint but for what is the thread's own. So a critical section costs no more facts than a single access.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The locations that the actions leave, in order.
    pub locations: Vec<LocId>,
    /// Whether the actions are visible.
    pub is_visible: bool,
    /// The protected cells that each of them mentions, whichever thread of the class takes it.
    pub uses: BTreeSet<CellId>,
    /// The protected cells that one of them writes.
    pub writes: BTreeSet<CellId>,
}

impl Class {
    /// A group by its number; behind the others that of all invisible actions.
    pub fn group(&self, n: usize) -> &Group {
        self.groups.get(n).unwrap_or(&self.invisible)
    }

    /// The group of the action that leaves a location.
    pub fn group_of(&self, location: LocId) -> usize {
        let mut groups = self.groups.iter();
        let found = groups.position(|g| g.locations.binary_search(&location).is_ok());
        debug_assert!(found.is_some(), "no action leaves {location}");
        found.unwrap_or_default()
    }
}

/// What a symbol stands for; of a thread i that is not of the class, nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Letter {
    /// `worker(i).B`: the actions of a group of a class.
    Action(usize, usize),
    /// `e(worker(i).B)`: where one of them is enabled.
    Enabled(usize, usize),
    /// `q`: the discipline has been violated.
    Violated,
    /// `r(worker(i))`: where a thread is in a transaction, or whether it has gone wrong.
    Phase(usize, PhaseLetter),
    /// `init`: the initial states.
    Initial,
    /// `x(worker(i))`, `reads x(worker(i))`: where a thread has exclusive access to a protected cell, or may read it.
    Access(usize, CellId, Right),
    /// A letter of the lemmas; in no fact.
    Schematic,
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
    /// For how many because it was established for generic threads.
    pub generic: usize,
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
    pub fn new(model: &Model) -> Self {
        let encoding = model.encoding;
        let mut d = Discharge::with_lemmas();
        d.development.variables = VARIABLES.map(String::from).to_vec();
        let threads = &encoding.program.threads;
        let mut locations: Vec<Vec<(LocId, bool)>> = vec![Vec::new(); threads.len()];
        for (a, action) in encoding.actions.iter().enumerate() {
            let is_visible = model.visibility.is_visible(a);
            locations[action.thread].push((action.location, is_visible));
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
                        groups: Vec::new(),
                        invisible: Group::default(),
                    });
                }
            }
        }
        let places = Places::new(encoding);
        for class in &mut d.classes {
            class.groups = groups(model, &places, class);
            let invisible = class.locations.iter().filter(|(_, is_visible)| !is_visible);
            class.invisible.locations = invisible.map(|(l, _)| *l).collect();
        }
        d
    }

    /// The lemmas, and nothing about a program.
    fn with_lemmas() -> Self {
        let read = kernel::read(algebra::lemmas());
        debug_assert!(read.is_ok(), "{:?}", read.err());
        let mut development = read.unwrap_or_default();
        let lemmas = development.theorems().len();
        // The proofs of the lemmas have one, which no statement contains.
        let mut known = development.terms.symbols().iter();
        let hole = match known.position(|s| s.name == "_") {
            Some(n) => n as Sym,
            None => development.terms.symbol("_", false, 0),
        };
        let symbols = development.terms.symbols();
        Discharge {
            lemmas,
            schematic: symbols.len(),
            hole,
            letters: vec![Letter::Schematic; symbols.len()],
            shown: symbols.iter().map(|s| s.name.clone()).collect(),
            development,
            ..Discharge::default()
        }
    }

    /// The class of a thread.
    pub fn class_of(&self, thread: ThreadId) -> usize {
        self.class_of[thread]
    }

    /// The symbol of a letter.
    pub fn letter(&mut self, encoding: &Encoding, letter: Letter) -> Sym {
        if let Some(&known) = self.symbols.get(&letter) {
            return known;
        }
        let (name, test, arity) = match letter {
            Letter::Action(c, g) => (self.place(encoding, c, g), false, 1),
            Letter::Enabled(c, g) => (format!("e({})", self.place(encoding, c, g)), true, 1),
            Letter::Violated => ("q".into(), true, 0),
            Letter::Phase(c, p) => (format!("{}({}.)", p.name(), self.classes[c].name), true, 1),
            Letter::Initial => ("init".into(), true, 0),
            Letter::Access(c, cell, right) => {
                let cell = &encoding.program.cells[cell].name;
                let reads = match right {
                    Right::Exclusive => "",
                    Right::Reading => "reads ",
                };
                let name = format!("{reads}{cell}({}.)", self.classes[c].name);
                (name, true, 1)
            }
            Letter::Schematic => return self.hole,
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

    /// `worker.B`, with the number of the location where others have the same name; `worker.B..F` for several.
    fn place(&self, encoding: &Encoding, class: usize, group: usize) -> String {
        let class = &self.classes[class];
        let group = class.group(group);
        let all = &encoding.program.threads[class.threads[0]].locations;
        let name = |l: LocId| all[l].name.split_whitespace().collect::<Vec<_>>().join("_");
        let one = |location: LocId| {
            let here = name(location);
            let repeated = class.locations.iter().filter(|(l, _)| name(*l) == here);
            match repeated.count() {
                0 | 1 => here,
                _ => format!("{here}'{location}"),
            }
        };
        match group.locations.as_slice() {
            [first, .., last] => format!("{}.{}..{}", class.name, one(*first), one(*last)),
            rest => rest
                .iter()
                .fold(format!("{}.", class.name), |all, l| all + &one(*l)),
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
                    Letter::Action(c, _)
                    | Letter::Enabled(c, _)
                    | Letter::Phase(c, _)
                    | Letter::Access(c, ..) => Some(&self.classes[c]),
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
            Node::Applied(operator, x) => format!("{}({})", operator.name(), self.show(*x)),
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
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn ground(
        &self,
        places: &Places,
        t: Id,
        threads: &[ThreadId],
        atoms: &mut Vec<GroundAtom>,
    ) -> Result<Ground, Stop> {
        let terms = &self.development.terms;
        let mut one = |x: Id| self.ground(places, x, threads, atoms);
        Ok(match terms.node(t) {
            Node::Zero | Node::SumOver(..) | Node::ProductOver(..) => Ground::Zero,
            Node::One => Ground::One,
            Node::Top => Ground::Top,
            Node::Not(x) => Ground::Not(Box::new(one(*x)?)),
            Node::Star(x) => Ground::Star(Box::new(one(*x)?)),
            Node::Omega(x) => Ground::Omega(Box::new(one(*x)?)),
            Node::Applied(operator, x) => applied(*operator, one(*x)?),
            Node::Sum(all) => Ground::Sum(all.iter().map(|x| one(*x)).collect::<Result<_, _>>()?),
            Node::Product(all) => {
                Ground::Product(all.iter().map(|x| one(*x)).collect::<Result<_, _>>()?)
            }
            Node::Atom(s, indices) => {
                let name = format!("{t}");
                if let Some(known) = atoms.iter().position(|a| a.name == name) {
                    return Ok(Ground::Atom(known));
                }
                let thread = match indices.first() {
                    Some(Index::Var(v)) => threads.get(*v as usize).copied(),
                    _ => None,
                };
                let meaning = places.meaning(self, self.letters[*s as usize], thread)?;
                atoms.push(GroundAtom { name, meaning });
                Ground::Atom(atoms.len() - 1)
            }
        })
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

    /// The actions of a group of a class, of one of its threads.
    pub fn actions(&self, group: &Group, thread: ThreadId) -> Vec<usize> {
        let all = group.locations.iter();
        all.filter_map(|l| self.actions.get(&(thread, *l)).copied())
            .collect()
    }

    fn meaning(
        &self,
        d: &Discharge,
        letter: Letter,
        thread: Option<ThreadId>,
    ) -> Result<Meaning, Stop> {
        let actions = |c: usize, g: usize| match thread {
            Some(t) => self.actions(d.classes[c].group(g), t),
            None => Vec::new(),
        };
        Ok(match letter {
            Letter::Action(c, g) => Meaning::Actions(actions(c, g)),
            Letter::Enabled(c, g) => {
                let mut some = self.encoding.m.no();
                for a in actions(c, g) {
                    some = self
                        .encoding
                        .m
                        .or(&some, &self.encoding.actions[a].enabled)?;
                }
                Meaning::Test(some)
            }
            Letter::Violated => Meaning::Test(self.encoding.q()),
            Letter::Phase(_, p) => {
                let here = thread.and_then(|t| self.phases.get(&(t, p)));
                Meaning::Test(here.cloned().unwrap_or_else(|| self.encoding.m.no()))
            }
            Letter::Initial => Meaning::Test(self.encoding.initial.clone()),
            Letter::Access(_, cell, right) => {
                let x = self.encoding.program.protection_of(cell);
                let test = match (x, thread) {
                    (Some(x), Some(t)) => self.encoding.access(x, t, right).clone(),
                    _ => self.encoding.m.no(),
                };
                Meaning::Test(test)
            }
            Letter::Schematic => Meaning::Actions(Vec::new()),
        })
    }
}

/// What is known of an action before it is compared with others.
#[derive(PartialEq)]
struct Profile {
    is_visible: bool,
    /// Of each thread the phase of the location, then those that it leads to.
    phases: Vec<(Phase, BTreeSet<Phase>)>,
    /// Footprint and writes, by thread, but for the thread's own location and variables.
    prints: Vec<(Vec<Bit>, Vec<Bit>)>,
}

/// The locations of a class by what is known of their actions.
fn groups(model: &Model, places: &Places, class: &Class) -> Vec<Group> {
    let e = model.encoding;
    let foreign = |t: ThreadId, bits: &[Bit]| -> Vec<Bit> {
        let is_own = |b: &&Bit| match e.layout.item(**b) {
            Some(Item::Of(Variable::Location(other))) => other == t,
            Some(Item::Of(Variable::Cell(c))) => e.program.cells[c].class == CellClass::Local(t),
            _ => false,
        };
        bits.iter().filter(|b| !is_own(b)).copied().collect()
    };
    let mut all: Vec<(Profile, Group)> = Vec::new();
    for &(location, is_visible) in &class.locations {
        let mut profile = Profile {
            is_visible,
            phases: Vec::new(),
            prints: Vec::new(),
        };
        for &t in &class.threads {
            if let Some(a) = places.action(t, location) {
                let a = &e.actions[a];
                profile
                    .prints
                    .push((foreign(t, &a.footprint), foreign(t, &a.writes)));
            }
            if let Some(phased) = model.phased {
                let phases = &phased.phases[t];
                let to = e.program.threads[t].locations[location].targets();
                let to = to.into_iter().map(|l| phases[l]).collect();
                profile.phases.push((phases[location], to));
            }
        }
        let each = class.threads.iter();
        let each = each.map(|t| protected(e.program, *t, location));
        let (used, written): (Vec<_>, Vec<_>) = each.unzip();
        let mut uses = used.first().cloned().unwrap_or_default();
        uses.retain(|c| used.iter().all(|of_thread| of_thread.contains(c)));
        let written = written.into_iter().flatten();
        match all.iter_mut().find(|(known, _)| *known == profile) {
            Some((_, group)) => {
                group.locations.push(location);
                group.uses.retain(|c| uses.contains(c));
                group.writes.extend(written);
            }
            None => all.push((
                profile,
                Group {
                    locations: vec![location],
                    is_visible,
                    uses,
                    writes: written.collect(),
                },
            )),
        }
    }
    all.into_iter().map(|(_, group)| group).collect()
}

/// The protected cells that an action accesses, and those that it writes.
fn protected(
    program: &Program,
    thread: ThreadId,
    location: LocId,
) -> (BTreeSet<CellId>, BTreeSet<CellId>) {
    let (mut used, mut written) = (BTreeSet::new(), BTreeSet::new());
    for edge in &program.threads[thread].locations[location].edges {
        each_use(program, edge, &mut |mention| {
            let is_protected = |c: &CellId| program.protection_of(*c).is_some();
            if mention.how != How::Check {
                used.extend(mention.cells.clone().filter(is_protected));
            }
            if mention.how == How::Write {
                written.extend(mention.cells.filter(is_protected));
            }
        });
    }
    (used, written)
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
