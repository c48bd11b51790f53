//! Symmetry: threads of one family that do the same are told apart by nothing but their numbers, so of the states that
//! differ by an exchange of such threads one is explored.
//!
//! An exchange of two members swaps where they are, their local variables, and the cells of shared arrays that only
//! they use; where a mutex names one of them as its owner, it names the other. That this is a symmetry of the program
//! is read off the text: with the exchange, each thread's text is that of its partner. Neighbours suffice, since they
//! generate all permutations. Members are then sorted, so each orbit has one state that is explored, and its size is a
//! multinomial coefficient: counts are exact.

use super::forms::{Form, Leaf};
use super::images::{Exchange, Images};
use crate::base::results::{Asymmetry, Difference};
use crate::engine::Variable;
use crate::engine::interpreter::State;
use crate::engine::reach::{Path, Question, Reduction};
use crate::model::program::{ArrayId, CellId, Class, Kind, LocId, Program, ThreadId};
use num_bigint::BigUint;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The families whose members may be exchanged.
#[derive(Clone, Debug, Default)]
pub struct Symmetry {
    families: Vec<Family>,
    /// Exchanges of neighbours.
    exchanges: Vec<Exchange>,
    /// Of each question that exchanges change, its images.
    images: Vec<Option<Images>>,
}

#[derive(Clone, Debug)]
struct Family {
    threads: Vec<ThreadId>,
    /// In how many orders they can be.
    orders: BigUint,
    /// Exchanges of neighbours.
    exchanges: Vec<Exchange>,
    /// By member: the cells that are its own, in a common order.
    own: Vec<Vec<CellId>>,
    /// The cells that may name a member.
    owners: Vec<CellId>,
}

/// Everything that an exchange has to leave as it is.
struct Texts<'a> {
    program: &'a Program,
    /// By thread and location: its steps.
    steps: Vec<Vec<Form>>,
    init: Vec<Form>,
    /// By cell and thread.
    predicates: BTreeMap<CellId, Vec<Form>>,
    reduction: Option<&'a Reduction>,
}

impl Symmetry {
    /// Finds the families whose members may be exchanged if these are the questions, and says of the others why not.
    pub fn new(
        program: &Program,
        questions: &[Question],
        reduction: Option<&Reduction>,
    ) -> (Symmetry, Vec<Asymmetry>) {
        let mut all: Vec<(&str, Vec<ThreadId>)> = Vec::new();
        for (t, thread) in program.threads.iter().enumerate() {
            if thread.index.is_none() {
                continue;
            }
            match all.iter_mut().find(|(name, _)| *name == thread.family) {
                Some((_, members)) => members.push(t),
                None => all.push((&thread.family, vec![t])),
            }
        }
        all.retain(|(_, members)| members.len() > 1);
        let (mut found, mut refused) = (Symmetry::default(), Vec::new());
        let texts = Texts::new(program, reduction);
        for (name, threads) in all {
            let family = match &texts {
                Ok(texts) => texts.family(threads),
                Err(why) => Err(why.clone()),
            };
            let of = |f: &Family| -> BTreeSet<CellId> { f.own.iter().flatten().copied().collect() };
            let meets = |f: &Family| found.families.iter().any(|g| !of(f).is_disjoint(&of(g)));
            match family {
                // Their orders would depend on each other.
                Ok(family) if meets(&family) => refused.push(Asymmetry {
                    family: name.to_string(),
                    difference: Difference::Members,
                }),
                Ok(family) => {
                    let all = [found.exchanges.as_slice(), &family.exchanges].concat();
                    match images(program, questions, &all) {
                        Ok(images) => {
                            found.images = images;
                            found.exchanges = all;
                            found.families.push(family);
                        }
                        Err(difference) => refused.push(Asymmetry {
                            family: name.to_string(),
                            difference,
                        }),
                    }
                }
                Err(difference) => refused.push(Asymmetry {
                    family: name.to_string(),
                    difference,
                }),
            }
        }
        (found, refused)
    }

    /// How many states may be seen as one, at most.
    pub fn largest_orbit(&self) -> u64 {
        let sizes = self.families.iter().map(|f| f.threads.len() as u64);
        sizes.flat_map(|n| 1..=n).fold(1, u64::saturating_mul)
    }

    /// The first thread that one may be exchanged with, or itself.
    pub fn first_of(&self, thread: ThreadId) -> ThreadId {
        self.family_of(thread).map_or(thread, |f| f.threads[0])
    }

    /// All threads that one may be exchanged with, itself among them.
    pub fn members(&self, thread: ThreadId) -> Vec<ThreadId> {
        let own = self.family_of(thread);
        own.map_or(vec![thread], |f| f.threads.clone())
    }

    fn family_of(&self, thread: ThreadId) -> Option<&Family> {
        let mut families = self.families.iter();
        families.find(|f| f.threads.contains(&thread))
    }

    /// Whether a cell is a member's own, so that an exchange swaps it with another's.
    pub fn moves(&self, cell: CellId) -> bool {
        let mut own = self.families.iter().flat_map(|f| f.own.iter().flatten());
        own.any(|c| *c == cell)
    }

    /// Whether nothing may be exchanged.
    pub fn is_trivial(&self) -> bool {
        self.families.is_empty()
    }

    /// The questions to be asked instead, which tell no members apart.
    pub fn asked(&self, questions: &[Question]) -> Vec<Question> {
        let instead = |(n, q): (usize, &Question)| match self.images.get(n) {
            Some(Some(images)) => images.asked(q),
            _ => q.clone(),
        };
        questions.iter().enumerate().map(instead).collect()
    }

    /// The execution that answers a question, by number, from one that answers what was asked instead.
    pub fn turned(&self, p: &Program, questions: &[Question], n: usize, path: Path) -> Path {
        match (questions.get(n), self.images.get(n)) {
            (Some(q), Some(Some(images))) => images.turned(p, q, &self.exchanges, path),
            _ => path,
        }
    }

    /// What changes if the members of all families are sorted.
    pub fn sorted(&self, get: &impl Fn(Variable) -> i64) -> Vec<(Variable, i64)> {
        let mut changes = Vec::new();
        for family in &self.families {
            let Some(order) = family.order(get) else {
                continue;
            };
            let moved = order.iter().enumerate().filter(|(to, from)| to != *from);
            for (to, &from) in moved {
                let at = Variable::Location(family.threads[from]);
                changes.push((Variable::Location(family.threads[to]), get(at)));
                for (&cell, &source) in family.own[to].iter().zip(&family.own[from]) {
                    changes.push((Variable::Cell(cell), get(Variable::Cell(source))));
                }
                for &cell in &family.owners {
                    if get(Variable::Cell(cell)) == family.threads[from] as i64 {
                        changes.push((Variable::Cell(cell), family.threads[to] as i64));
                    }
                }
            }
        }
        changes
    }

    /// The state that stands for those that differ from this one by exchanges.
    pub fn representative(&self, state: &State) -> State {
        let mut cells = state.cells();
        let mut places = state.locations();
        let get = |v: Variable| match v {
            Variable::Cell(c) => state.cell(c),
            Variable::Location(t) => state.location(t) as i64,
        };
        for (v, value) in self.sorted(&get) {
            match v {
                Variable::Cell(c) => cells[c] = value,
                Variable::Location(t) => places[t] = value as LocId,
            }
        }
        State::new(&cells, &places)
    }

    /// How many states differ from this one by exchanges, itself included.
    pub fn orbit(&self, get: &impl Fn(Variable) -> i64) -> BigUint {
        let of = |family: &Family| {
            let order = family.order(get);
            let member = |n: usize| order.as_ref().map_or(n, |o| o[n]);
            // n! / (m! m'! ..) for members that are equal, factor by factor.
            let (mut size, mut same) = (family.orders.clone(), 1u32);
            for n in 1..family.threads.len() {
                let pair = (member(n - 1), member(n));
                same = match family.compare(get, pair.0, pair.1) {
                    Ordering::Equal => same + 1,
                    _ => 1,
                };
                if same > 1 {
                    size /= same;
                }
            }
            size
        };
        self.families.iter().map(of).product()
    }
}

impl Family {
    /// How a member comes before another: by where it is, then by what it has, then by what it owns. Members of which
    /// nothing tells one from the other are equal.
    fn compare(&self, get: &impl Fn(Variable) -> i64, a: usize, b: usize) -> Ordering {
        let place = |n: usize| get(Variable::Location(self.threads[n]));
        let mut order = place(a).cmp(&place(b));
        for (&c, &d) in self.own[a].iter().zip(&self.own[b]) {
            if order.is_ne() {
                return order;
            }
            order = get(Variable::Cell(c)).cmp(&get(Variable::Cell(d)));
        }
        for &c in &self.owners {
            let owner = get(Variable::Cell(c));
            let owns = |n: usize| owner == self.threads[n] as i64;
            order = order.then_with(|| owns(a).cmp(&owns(b)));
        }
        order
    }

    /// The members from the smallest to the largest; none if they are sorted already.
    fn order(&self, get: &impl Fn(Variable) -> i64) -> Option<Vec<usize>> {
        let mut neighbours = 1..self.threads.len();
        if neighbours.all(|n| self.compare(get, n - 1, n).is_le()) {
            return None;
        }
        let mut order: Vec<usize> = (0..self.threads.len()).collect();
        order.sort_by(|a, b| self.compare(get, *a, *b));
        Some(order)
    }
}

impl Exchange {
    fn form(&self, form: &Form) -> Form {
        form.renamed(&|leaf| match leaf {
            Leaf::Cell(c) => Leaf::Cell(self.cell(*c)),
            Leaf::Thread(t) => Leaf::Thread(self.owner(*t)),
            Leaf::At(t, places) => Leaf::At(self.thread(*t), places.clone()),
            other => other.clone(),
        })
    }

    /// Whether one text becomes another. What mentions nothing that is exchanged stays, and most texts do.
    fn takes(&self, a: &Form, b: &Form) -> bool {
        let mut stays = std::ptr::eq(a, b);
        if stays {
            a.each_leaf(&mut |leaf| match leaf {
                Leaf::Cell(c) => stays &= self.cell(*c) == *c,
                Leaf::Thread(t) => stays &= self.owner(*t) == *t,
                Leaf::At(t, _) => stays &= self.thread(*t) == *t,
                Leaf::Array(_) | Leaf::Number(_) => {}
            });
        }
        stays || self.form(a) == b.renamed(&Leaf::clone)
    }
}

impl<'a> Texts<'a> {
    fn new(program: &'a Program, reduction: Option<&'a Reduction>) -> Result<Self, Difference> {
        let mut steps = Vec::new();
        for (t, thread) in program.threads.iter().enumerate() {
            let mut of_thread = Vec::new();
            for (l, location) in thread.locations.iter().enumerate() {
                let form = Form::of_edges(program, &location.edges);
                of_thread.push(form.ok_or_else(|| step(program, t, l))?);
            }
            steps.push(of_thread);
        }
        let init = program.init.iter().map(|e| {
            let form = Form::of_condition(program, e);
            form.ok_or(Difference::Initial("init".into()))
        });
        let mut predicates = BTreeMap::new();
        for x in &program.protections {
            let all = x.predicates.iter().chain(x.readers.iter().flatten());
            let forms: Option<Vec<Form>> = all.map(|e| Form::of_condition(program, e)).collect();
            let name = || Difference::Discipline(program.cells[x.cell].name.clone());
            predicates.insert(x.cell, forms.ok_or_else(name)?);
        }
        Ok(Texts {
            program,
            steps,
            init: init.collect::<Result<_, _>>()?,
            predicates,
            reduction,
        })
    }

    fn family(&self, threads: Vec<ThreadId>) -> Result<Family, Difference> {
        let own = self.own(&threads)?;
        let p = self.program;
        let all: BTreeSet<CellId> = own.iter().flatten().copied().collect();
        if all.len() < own.iter().map(Vec::len).sum() {
            return Err(Difference::Members);
        }
        for &c in &all {
            // To permute who owns what would be to compare graphs.
            if p.cells[c].ty.kind == Kind::Owner {
                return Err(Difference::Owner(p.cells[c].name.clone()));
            }
        }
        let predicates = self.predicates.values().flatten();
        let forms = self
            .steps
            .iter()
            .flatten()
            .chain(&self.init)
            .chain(predicates);
        if let Some(array) = indexed(p, forms, &|c| all.contains(&c)) {
            return Err(Difference::Index(p.arrays[array].name.clone()));
        }
        let mut exchanges = Vec::new();
        for pair in (0..threads.len()).collect::<Vec<_>>().windows(2) {
            let (i, j) = (pair[0], pair[1]);
            let both = || own[i].iter().copied().zip(own[j].iter().copied());
            let exchange = Exchange {
                threads: (threads[i], threads[j]),
                cells: both().chain(both().map(|(a, b)| (b, a))).collect(),
            };
            self.keeps(&exchange)?;
            exchanges.push(exchange);
        }
        let is_owner = |c: &CellId| p.cells[*c].ty.kind == Kind::Owner;
        Ok(Family {
            orders: (1..=threads.len()).product(),
            threads,
            exchanges,
            own,
            owners: (0..p.cells.len()).filter(is_owner).collect(),
        })
    }

    /// The cells that are a member's own: its local variables, and where its text differs from the first member's.
    fn own(&self, threads: &[ThreadId]) -> Result<Vec<Vec<CellId>>, Difference> {
        let p = self.program;
        let locals = |t: ThreadId| -> Vec<CellId> {
            let cells = (0..p.cells.len()).filter(|&c| p.cells[c].class == Class::Local(t));
            cells.collect()
        };
        let first = locals(threads[0]);
        let mut own = vec![first.clone()];
        let mut shared: Option<BTreeSet<CellId>> = None;
        for &t in &threads[1..] {
            let mine = locals(t);
            let mut pairs: BTreeMap<CellId, CellId> = BTreeMap::new();
            let (one, other) = (&self.steps[threads[0]], &self.steps[t]);
            if mine.len() != first.len() || one.len() != other.len() {
                return Err(Difference::Members);
            }
            for (l, (a, b)) in one.iter().zip(other).enumerate() {
                let known = a.pair(b, &mut |c, d| match first.binary_search(&c) {
                    Ok(n) => mine[n] == d,
                    Err(_) => c == d || *pairs.entry(c).or_insert(d) == d,
                });
                if !known {
                    return Err(step(p, t, l));
                }
            }
            let keys: BTreeSet<CellId> = pairs.keys().copied().collect();
            if shared.get_or_insert_with(|| keys.clone()) != &keys {
                return Err(Difference::Members);
            }
            own.push(mine.into_iter().chain(pairs.into_values()).collect());
        }
        own[0].extend(shared.into_iter().flatten());
        Ok(own)
    }

    /// Whether an exchange changes nothing.
    fn keeps(&self, exchange: &Exchange) -> Result<(), Difference> {
        let p = self.program;
        let ends = |t: ThreadId| {
            let thread = &p.threads[t];
            (thread.initial, thread.unstarted, thread.end, thread.wrong)
        };
        for t in 0..p.threads.len() {
            let other = exchange.thread(t);
            let visible = self.reduction.map(|r| r.visible[t] == r.visible[other]);
            if ends(t) != ends(other) || visible == Some(false) {
                return Err(Difference::Members);
            }
            for (l, (a, b)) in self.steps[t].iter().zip(&self.steps[other]).enumerate() {
                if !exchange.takes(a, b) {
                    return Err(step(p, t, l));
                }
            }
        }
        for (c, cell) in p.cells.iter().enumerate() {
            let other = &p.cells[exchange.cell(c)];
            let named = cell.ty.kind == Kind::Owner && cell.initial.is_some_and(|v| v >= 0);
            if other.ty != cell.ty || other.initial != cell.initial || named {
                return Err(Difference::Initial(cell.name.clone()));
            }
        }
        let sorted = |of: &dyn Fn(&Form) -> Form| {
            let mut all: Vec<Form> = self.init.iter().map(of).collect();
            all.sort();
            all
        };
        if sorted(&|e| exchange.form(e)) != sorted(&|e| e.renamed(&Leaf::clone)) {
            return Err(Difference::Initial("init".into()));
        }
        let threads = p.threads.len();
        for (&c, forms) in &self.predicates {
            let others = self.predicates.get(&exchange.cell(c));
            let kept = |(n, form): (usize, &Form)| {
                let partner = n / threads * threads + exchange.thread(n % threads);
                let other = others.and_then(|o| o.get(partner));
                other.is_some_and(|other| exchange.takes(form, other))
            };
            if !forms.iter().enumerate().all(kept) {
                return Err(Difference::Discipline(p.cells[c].name.clone()));
            }
        }
        Ok(())
    }
}

/// An array with such cells whose index is computed somewhere: then nobody knows whose cell is meant.
pub(super) fn indexed<'f>(
    p: &Program,
    forms: impl IntoIterator<Item = &'f Form>,
    own: &dyn Fn(CellId) -> bool,
) -> Option<ArrayId> {
    let mut found = None;
    for form in forms {
        form.each_leaf(&mut |leaf| match leaf {
            Leaf::Array(a) if p.cells_of(*a).any(own) => found = Some(*a),
            _ => {}
        });
    }
    found
}

/// The images of those questions that exchanges change.
fn images(
    p: &Program,
    questions: &[Question],
    exchanges: &[Exchange],
) -> Result<Vec<Option<Images>>, Difference> {
    let of = |q: &Question| {
        let images = Images::of(p, q, exchanges);
        images.map_err(|()| Difference::Question(q.name.clone()))
    };
    questions.iter().map(of).collect()
}

fn step(p: &Program, thread: ThreadId, location: LocId) -> Difference {
    Difference::Step(p.place(thread, location))
}
