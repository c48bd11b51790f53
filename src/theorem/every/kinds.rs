//! Kinds of threads: those of a family whose text assumes the same of their index and of the open constant.

use super::linear::{Linear, Literal};
use super::run::{Generic, Machine, Run, Said, Unknown, Unsaid, Values, View};
use crate::base::results::Obstacle;
use crate::model::program::each_use;
use crate::model::program::{
    Assumption, CellId, Closing, Command, Edge, Expr, Eyes, LocId, Parametric, Program, ThreadId,
};

/// A kind of threads.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub family: usize,
    /// The threads of the instance that are of this kind.
    pub threads: Vec<ThreadId>,
    /// What the text of the first of them assumes.
    assumed: Vec<Assumption>,
}

/// What the texts of one kind have in common: what they assume, and their steps.
type Text<'p> = (Vec<Expr>, Vec<&'p str>);

/// In place of a thread's index where texts are compared.
const INDEX: CellId = CellId::MAX;

/// The kinds of threads of a model.
pub(super) fn kinds(parametric: &Parametric) -> Said<Vec<Kind>> {
    let open = &parametric.open;
    let mut all: Vec<(Text, Kind)> = Vec::new();
    for (thread, (family, index)) in open.members.iter().enumerate() {
        let assumed = open.assumed[thread].clone();
        let mut general: Vec<Expr> = Vec::new();
        for a in &assumed {
            let condition = renamed(&a.condition, *index);
            if !general.contains(&condition) {
                general.push(condition);
            }
        }
        // One that is started waits for that first.
        let text = &parametric.program.threads[thread];
        let steps: Vec<&str> = text
            .steps()
            .map(|l| text.locations[l].name.as_str())
            .collect();
        let general = (general, steps);
        match all
            .iter_mut()
            .find(|(g, kind)| kind.family == *family && *g == general)
        {
            Some((_, kind)) => kind.threads.push(thread),
            None => all.push((
                general,
                Kind {
                    family: *family,
                    threads: vec![thread],
                    assumed,
                },
            )),
        }
    }
    let kinds: Vec<Kind> = all.into_iter().map(|(_, kind)| kind).collect();
    for kind in &kinds {
        kind.unnamed(parametric)?;
    }
    Ok(kinds)
}

/// An expression with one cell put for a thread's index.
fn renamed(e: &Expr, index: Option<CellId>) -> Expr {
    let again = |x: &Expr| Box::new(renamed(x, index));
    match e {
        Expr::Cell(c) if Some(*c) == index => Expr::Cell(INDEX),
        Expr::Not(x) => Expr::Not(again(x)),
        Expr::Neg(x) => Expr::Neg(again(x)),
        Expr::Binary(op, x, y) => Expr::Binary(*op, again(x), again(y)),
        Expr::Cond(c, x, y) => Expr::Cond(again(c), again(x), again(y)),
        other => other.clone(),
    }
}

/// Whether there is a kind for each thread, whatever the constant is from a value on; and in the instance at least two
/// threads of each kind of which there may be two.
pub(super) fn complete(m: &Machine, kinds: &[Kind], from: i64) -> Said<()> {
    let open = &m.parametric.open;
    let least = Literal::NonNegative(m.parameter().add(-i128::from(from)));
    let Some(begun) = m.with(&Run::default(), least)? else {
        return Ok(());
    };
    for a in &open.everywhere {
        let thread = Generic {
            number: 0,
            like: 0,
            family: 0,
            index: Linear::constant(0),
        };
        for (_, holds) in m.truth(begun.clone(), &a.condition, &view(&thread))? {
            if holds != Some(true) {
                return Err(text(m.parametric, a));
            }
        }
    }
    for family in 0..open.families.len() {
        let of_family: Vec<&Kind> = kinds.iter().filter(|k| k.family == family).collect();
        let Some(first) = of_family.first() else {
            continue;
        };
        let thread = first.generic(m, 0);
        let mut left = vec![(bounded(m, begun.clone(), &thread)?, None)];
        for kind in &of_family {
            let mut next = Vec::new();
            for (runs, last) in left {
                for run in runs {
                    let others = kind.others(m, run)?;
                    next.extend(others.into_iter().map(|(run, a)| (vec![run], Some(a))));
                }
                drop(last);
            }
            left = next;
        }
        let mut rest = left.into_iter().filter(|(runs, _)| !runs.is_empty());
        if let Some((_, why)) = rest.next() {
            return Err(match why {
                Some(a) => text(m.parametric, &a),
                None => Unsaid::Because(Obstacle::Form),
            });
        }
        for kind in of_family.iter().filter(|k| k.threads.len() == 1) {
            let (one, other) = (kind.generic(m, 0), kind.generic(m, 1));
            for run in kind.members(m, begun.clone(), &one)? {
                for run in kind.members(m, run, &other)? {
                    let apart = Literal::NonZero(one.index.minus(&other.index));
                    if m.with(&run, apart)?.is_some() {
                        return Err(Unsaid::Because(Obstacle::FewThreads(from)));
                    }
                }
            }
        }
    }
    Ok(())
}

fn text(parametric: &Parametric, a: &Assumption) -> Unsaid {
    let program = &parametric.program;
    Unsaid::Because(Obstacle::Text {
        at: program.position(a.span),
        text: program.text(a.span),
    })
}

fn view(thread: &Generic) -> View<'_> {
    View {
        thread,
        binders: Values::default(),
        accesses: false,
    }
}

/// The paths on which a thread's index lies between its family's bounds.
fn bounded(m: &Machine, run: Run, thread: &Generic) -> Said<Vec<Run>> {
    let Some((low, high)) = &m.parametric.open.families[thread.family].bounds else {
        return Ok(vec![run]);
    };
    let (low, high) = (m.constant(low)?, m.constant(high)?);
    let above = m.with(&run, Literal::NonNegative(thread.index.minus(&low)))?;
    let Some(run) = above else {
        return Ok(Vec::new());
    };
    let within = m.with(&run, Literal::NonNegative(high.minus(&thread.index)))?;
    Ok(within.into_iter().collect())
}

impl Kind {
    /// The thread whose text stands for all.
    pub fn like(&self) -> ThreadId {
        self.threads.first().copied().unwrap_or_default()
    }

    /// Whether a thread is of this kind at one value of the constant; none if that can't be said.
    pub fn has(&self, closing: &Closing, thread: ThreadId) -> Option<bool> {
        let of = &closing.program.threads[thread];
        let family = &closing.open.open.families[self.family];
        if family.name != of.family || family.bounds.is_some() != of.index.is_some() {
            return Some(false);
        }
        let eyes = Eyes {
            thread,
            like: self.like(),
            binders: &[],
        };
        let mut all = self
            .assumed
            .iter()
            .map(|a| closing.holds(&a.condition, eyes));
        all.try_fold(true, |all, holds| Some(all && holds?))
    }

    /// A generic thread of this kind.
    pub fn generic(&self, m: &Machine, number: usize) -> Generic {
        let is_family = m.parametric.open.families[self.family].bounds.is_some();
        let index = match is_family {
            true => Linear::atom(m.atom(Unknown::Named(format!("({number})")))),
            false => Linear::constant(0),
        };
        Generic {
            number,
            like: self.like(),
            family: self.family,
            index,
        }
    }

    /// The paths on which a thread is of this kind.
    pub fn members(&self, m: &Machine, run: Run, thread: &Generic) -> Said<Vec<Run>> {
        let mut runs = bounded(m, run, thread)?;
        for a in &self.assumed {
            let mut next = Vec::new();
            for run in runs {
                let all = m.truth(run, &a.condition, &view(thread))?;
                let holds = all.into_iter().filter(|(_, holds)| *holds == Some(true));
                next.extend(holds.map(|(run, _)| run));
            }
            runs = next;
        }
        Ok(runs)
    }

    /// The paths on which a thread of the family is not of this kind, each with the assumption that fails.
    fn others(&self, m: &Machine, run: Run) -> Said<Vec<(Run, Assumption)>> {
        let thread = &self.generic(m, 0);
        let (mut runs, mut others) = (vec![run], Vec::new());
        for a in &self.assumed {
            let mut next = Vec::new();
            for run in runs {
                for (run, holds) in m.truth(run, &a.condition, &view(thread))? {
                    match holds {
                        Some(true) => next.push(run),
                        _ => others.push((run, a.clone())),
                    }
                }
            }
            runs = next;
        }
        Ok(others)
    }

    /// Whether the same steps of all threads of this kind are visible, their first ones among them.
    pub fn uniform(
        &self,
        parametric: &Parametric,
        is_visible: &dyn Fn(ThreadId, LocId) -> bool,
    ) -> Said<()> {
        let thread = &parametric.program.threads[self.like()];
        for l in thread.steps() {
            let place = || parametric.program.place(self.like(), l);
            let visible = is_visible(self.like(), l);
            if self.threads.iter().any(|t| is_visible(*t, l) != visible) {
                return Err(Unsaid::Because(Obstacle::Visibility(place())));
            }
            // What the instance never lets begin may begin for other values.
            let mut edges = thread.locations[l].edges.iter();
            let may_begin = edges.any(|e| e.guard != Some(Expr::FALSE));
            if l == thread.initial && !visible && may_begin {
                return Err(Unsaid::Because(Obstacle::FirstStep(place())));
            }
        }
        Ok(())
    }

    /// No thread of this kind is named in the text of another; else its text would not stand for all.
    fn unnamed(&self, parametric: &Parametric) -> Said<()> {
        let program = &parametric.program;
        let owner = |array: usize| {
            let name = program.arrays[array]
                .name
                .split_once('.')
                .map(|(owner, _)| owner);
            (0..program.threads.len()).find(|t| Some(program.threads[*t].name.as_str()) == name)
        };
        for &t in &self.threads {
            let mut named: Vec<ThreadId> = Vec::new();
            for edge in program.threads[t].locations.iter().flat_map(|l| &l.edges) {
                each_use(program, edge, &mut |used| {
                    named.extend(owner(program.cells[used.cells.start].array));
                });
                each_at(edge, &mut |other| named.push(other));
            }
            let predicates = parametric.open.disciplines.iter().map(|d| &d.predicates[t]);
            for e in predicates.flat_map(|(exclusive, reading)| [exclusive, reading]) {
                e.walk(&mut |e| match e {
                    Expr::At(other, _) => named.push(*other),
                    Expr::Cell(c) => {
                        let array = program.cells.get(*c).map(|c| c.array);
                        named.extend(array.and_then(owner));
                    }
                    Expr::Element(array, _) => named.extend(owner(*array)),
                    _ => {}
                });
            }
            if named
                .iter()
                .any(|other| *other != t && self.threads.contains(other))
            {
                let name = parametric.open.families[self.family].name.clone();
                return Err(Unsaid::Because(Obstacle::Named(name)));
            }
        }
        Ok(())
    }
}

/// Whether some step looks at where threads are.
pub(super) fn looks_at_locations(program: &Program) -> bool {
    let mut looks = false;
    let locations = program.threads.iter().flat_map(|t| &t.locations);
    for edge in locations.flat_map(|l| &l.edges) {
        each_at(edge, &mut |_| looks = true);
    }
    looks
}

/// Calls `f` with every thread whose location an edge looks at.
fn each_at(edge: &Edge, f: &mut dyn FnMut(ThreadId)) {
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            if let Expr::At(t, _) = e {
                f(*t);
            }
        });
    };
    edge.guard.iter().for_each(&mut look);
    fn inside(all: &[Command], look: &mut dyn FnMut(&Expr)) {
        for command in all {
            match command {
                Command::Assign(_, e) | Command::Check(e, _) => look(e),
                Command::If(c, a, b) => {
                    look(c);
                    inside(a, look);
                    inside(b, look);
                }
                Command::Choose(all) => all.iter().for_each(|b| inside(b, look)),
                Command::Havoc(_) | Command::Goto(_) => {}
            }
        }
    }
    inside(&edge.body, &mut look);
}
