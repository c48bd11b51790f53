//! The transitions of a program as tables, made once: what may access a thing, what leads to a location, and what may
//! open a guard, conjunct by conjunct (Laarman, Pater, van de Pol & Weber 2013).
//!
//! A transition is an edge of a thread; on a reduced system an edge that leaves a visible location, with all that the
//! invisible steps behind it may do. The tables look at text, so a compare-and-swap writes, and an element of an array
//! is any of them.

use super::steps::Steps;
use crate::base::control::Stop;
use crate::engine::compiled::{Accesses, Condition};
use crate::model::program::{
    Class, Command, Edge, Expr, LocId, Program, Target, Thread, ThreadId, apply, is_total,
};
use crate::model::text::ast::BinaryOp;
use std::ops::Range;

/// The number of a transition; those of a thread follow each other.
pub(super) type Number = u32;

/// A transition.
pub(super) struct Transition {
    pub thread: ThreadId,
    pub from: LocId,
    /// It is disabled while one of them is false.
    pub conjuncts: Vec<Conjunct>,
}

/// A part of a guard that closes it by itself.
pub(super) struct Conjunct {
    pub condition: Condition,
    /// The transitions that may open it, in order.
    pub opening: Vec<Number>,
    pub mutex: Option<Mutex>,
}

/// What a conjunct waits for if that is a mutex, or the writer of a lock.
pub(super) struct Mutex {
    /// Who has it.
    pub owner: Condition,
    /// The transitions that may change which one is meant, in order.
    pub choosing: Vec<Number>,
}

/// The tables.
pub(super) struct Transitions {
    pub all: Vec<Transition>,
    /// By thread and location, those that leave it.
    pub leaving: Vec<Vec<Range<Number>>>,
    /// By thread and location, those that may lead there.
    pub entering: Vec<Vec<Vec<Number>>>,
    /// By thing, those that may access it, and those that may write it.
    pub accessing: Vec<Vec<Number>>,
    pub writing: Vec<Vec<Number>>,
    /// By thread and location, the locations that it leads to, itself included; nothing of a long thread.
    leads: Vec<Vec<Vec<u64>>>,
    /// By thread and location, whether what leaves it depends on nothing that another thread ever does, and is seen by
    /// no observer of anything else.
    pub private: Vec<Vec<bool>>,
}

/// An edge, with the location that it leaves.
type Part<'p> = (LocId, &'p Edge);

impl Transitions {
    /// Of a program, or its reduced system, with what each observer may read.
    ///
    /// # Errors
    /// As [`crate::base::control::Control::check`].
    pub fn new(steps: &Steps, looks: &[Accesses]) -> Result<Self, Stop> {
        let (program, shared) = (steps.program, steps.shared);
        let mut tables = Transitions {
            all: Vec::new(),
            leaving: Vec::new(),
            entering: Vec::new(),
            accessing: vec![Vec::new(); shared.len()],
            writing: vec![Vec::new(); shared.len()],
            leads: program.threads.iter().map(leads).collect(),
            private: Vec::new(),
        };
        let (mut parts, mut mentions) = (Vec::new(), Vec::new());
        for (t, thread) in program.threads.iter().enumerate() {
            let mut leaving = Vec::with_capacity(thread.locations.len());
            let mut entering = vec![Vec::new(); thread.locations.len()];
            for (from, location) in thread.locations.iter().enumerate() {
                steps.control.check()?;
                let begin = tables.all.len() as Number;
                let edges = location.edges.iter().filter(|_| steps.ends(t, from));
                for edge in edges {
                    let number = tables.all.len() as Number;
                    let own = together(steps, t, (from, edge));
                    let mut accesses = Accesses::none(shared.len());
                    for &(l, edge) in &own {
                        let edges = std::slice::from_ref(edge);
                        let all = shared.mentioned(program, (t, l), edges);
                        accesses.add(&all.accessed, &all.written);
                        for to in edge.targets().into_iter().filter(|&to| steps.ends(t, to)) {
                            entering[to].push(number);
                        }
                    }
                    members(&accesses.accessed).for_each(|x| tables.accessing[x].push(number));
                    members(&accesses.written).for_each(|x| tables.writing[x].push(number));
                    mentions.push(accesses);
                    parts.push(own);
                    tables.all.push(Transition {
                        thread: t,
                        from,
                        conjuncts: Vec::new(),
                    });
                }
                leaving.push(begin..tables.all.len() as Number);
            }
            entering.iter_mut().for_each(Vec::dedup);
            tables.leaving.push(leaving);
            tables.entering.push(entering);
        }
        tables.private = tables.private(steps, &mentions, looks);
        for n in 0..tables.all.len() {
            steps.control.check()?;
            tables.all[n].conjuncts = tables.conjuncts(steps, &parts, n);
        }
        Ok(tables)
    }

    /// Whether a transition's thread may ever take it, as far as the flow of control goes.
    pub fn is_ahead(&self, transition: &Transition, at: LocId) -> bool {
        let leads = &self.leads[transition.thread];
        let to = transition.from;
        leads.is_empty() || leads[at][to / 64] >> (to % 64) & 1 == 1
    }

    fn private(&self, steps: &Steps, mentions: &[Accesses], looks: &[Accesses]) -> Vec<Vec<bool>> {
        let of_others = |all: &[Number], t: ThreadId| {
            let ends = [all.first(), all.last()].into_iter().flatten();
            ends.into_iter().any(|&n| self.all[n as usize].thread != t)
        };
        // An observer that only one thread can wake up concerns that thread alone.
        let seen = |x: usize, t: ThreadId| {
            let sees = |l: &&Accesses| l.accessed[x / 64] >> (x % 64) & 1 == 1;
            let others =
                |l: &Accesses| members(&l.accessed).any(|y| of_others(&self.writing[y], t));
            looks.iter().filter(sees).any(others)
        };
        let private = |t: ThreadId, m: &Accesses| {
            !members(&m.accessed).any(|x| of_others(&self.writing[x], t))
                && !members(&m.written).any(|x| of_others(&self.accessing[x], t) || seen(x, t))
        };
        let threads = self.leaving.iter().enumerate();
        threads
            .map(|(t, leaving)| {
                let all = leaving.iter().enumerate();
                all.map(|(l, numbers)| {
                    let mut all = numbers.clone().map(|n| &mentions[n as usize]);
                    steps.ends(t, l) && all.all(|m| private(t, m))
                })
                .collect()
            })
            .collect()
    }

    /// What closes a transition by itself: the conjuncts of its guard before which nothing can go wrong.
    fn conjuncts(&self, steps: &Steps, parts: &[Vec<Part>], n: usize) -> Vec<Conjunct> {
        let guard = parts[n].first().and_then(|(_, edge)| edge.guard.as_ref());
        let (mut open, mut all) = (Vec::from_iter(guard), Vec::new());
        while let Some(e) = open.pop() {
            if let Expr::Binary(BinaryOp::And, a, b) = e {
                open.extend([&**b, &**a]);
                continue;
            }
            let mut things = Vec::new();
            steps.shared.reads(steps.program, e, &mut things);
            let opens =
                |&n: &Number| may_open(steps.program, &self.all[n as usize], e, &parts[n as usize]);
            all.push(Conjunct {
                condition: steps.machine.compile(steps.program, e),
                opening: self.writers(&things).into_iter().filter(opens).collect(),
                mutex: mutex(steps.program, e).map(|(owner, index)| Mutex {
                    owner: steps.machine.compile(steps.program, owner),
                    choosing: {
                        let mut things = Vec::new();
                        index
                            .iter()
                            .for_each(|e| steps.shared.reads(steps.program, e, &mut things));
                        self.writers(&things)
                    },
                }),
            });
            if !never_fails(e) {
                break;
            }
        }
        all
    }

    fn writers(&self, things: &[u32]) -> Vec<Number> {
        let all = things.iter().flat_map(|&x| &self.writing[x as usize]);
        let mut all: Vec<Number> = all.copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The numbers in a set.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(n, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(64 * n + bit)
        })
    })
}

/// By location of a thread, which it leads to.
fn leads(thread: &Thread) -> Vec<Vec<u64>> {
    let count = thread.locations.len();
    if count > LONG {
        return Vec::new();
    }
    let mut leads = vec![vec![0u64; count.div_ceil(64)]; count];
    for (l, leads) in leads.iter_mut().enumerate() {
        let mut open = vec![l];
        leads[l / 64] |= 1 << (l % 64);
        while let Some(l) = open.pop() {
            for to in thread.locations[l].targets() {
                if leads[to / 64] >> (to % 64) & 1 == 0 {
                    leads[to / 64] |= 1 << (to % 64);
                    open.push(to);
                }
            }
        }
    }
    leads
}

/// Locations up to which it is noted where each leads to.
const LONG: usize = 512;

/// An edge with those that may be taken behind it in the same coarse step.
fn together<'p>(steps: &Steps<'p>, thread: ThreadId, first: Part<'p>) -> Vec<Part<'p>> {
    let locations = &steps.program.threads[thread].locations;
    let (mut all, mut seen, mut n) = (vec![first], Vec::new(), 0);
    while let Some((_, edge)) = all.get(n) {
        n += 1;
        for to in edge.targets() {
            if !steps.ends(thread, to) && !seen.contains(&to) {
                seen.push(to);
                all.extend(locations[to].edges.iter().map(|e| (to, e)));
            }
        }
    }
    all
}

/// Whether an evaluation always has a value.
fn never_fails(e: &Expr) -> bool {
    let mut never = true;
    e.walk(&mut |e| {
        never &= match e {
            Expr::Element(..) | Expr::Via(..) | Expr::Slot(..) => false,
            Expr::Binary(op, _, right) => is_total(*op, right),
            _ => true,
        }
    });
    never
}

/// The owner of a mutex, and what says which one, if an expression reads nothing else.
fn mutex<'e>(program: &Program, e: &'e Expr) -> Option<(&'e Expr, &'e [Expr])> {
    match e {
        Expr::Cell(c) => (program.cells[*c].class == Class::Owner).then_some((e, &[])),
        Expr::Element(a, index) => {
            let mut cells = program.cells_of(*a);
            let owners = cells.all(|c| program.cells[c].class == Class::Owner);
            owners.then_some((e, index.as_slice()))
        }
        Expr::Not(e) => mutex(program, e),
        Expr::Binary(_, a, b) => match (&**a, &**b) {
            (Expr::Const(_), e) | (e, Expr::Const(_)) => mutex(program, e),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a transition may make true, or have fail, what is false before it.
fn may_open(program: &Program, transition: &Transition, e: &Expr, parts: &[Part]) -> bool {
    let thread = &program.threads[transition.thread];
    if let Expr::At(_, locations) = e {
        let comes = |edge: &Edge| edge.targets().into_iter().chain(thread.wrong);
        let enters = |(_, edge): &Part| comes(edge).any(|to| locations.contains(&to));
        return parts.iter().any(enters);
    }
    let (mut cell, mut only) = (None, true);
    e.walk(&mut |e| match e {
        Expr::Cell(c) => only &= *cell.get_or_insert(*c) == *c,
        Expr::Element(..) | Expr::Via(..) | Expr::At(..) | Expr::Slot(..) => only = false,
        _ => {}
    });
    let Some(cell) = cell.filter(|_| only) else {
        return true;
    };
    let opens = |(_, edge): &Part| opened(program, &edge.body, e, cell);
    parts.iter().any(opens)
}

/// Whether commands may write a value to a cell with which an expression, about nothing else, is not false any more.
fn opened(program: &Program, commands: &[Command], e: &Expr, cell: usize) -> bool {
    let meant = |to: &Target| match to {
        Target::Cell(c) => *c == cell,
        Target::Element(a, _) => program.cells_of(*a).contains(&cell),
    };
    commands.iter().any(|command| match command {
        Command::Assign(to, _) | Command::Havoc(to) if !meant(to) => false,
        Command::Assign(_, Expr::Const(v)) if program.cells[cell].ty.contains(*v) => {
            value_at(e, *v) != Some(0)
        }
        Command::Assign(Target::Cell(_), Expr::Binary(op, a, b)) => match (&**a, &**b) {
            (Expr::Cell(c), Expr::Const(by)) if *c == cell && !program.cells[cell].ty.wraps => {
                let up = match op {
                    BinaryOp::Add => *by > 0,
                    BinaryOp::Sub => *by < 0,
                    _ => return true,
                };
                may_open_by(e, up)
            }
            _ => true,
        },
        Command::Assign(..) | Command::Havoc(_) => true,
        Command::If(_, a, b) => opened(program, a, e, cell) || opened(program, b, e, cell),
        Command::Choose(all) => all.iter().any(|b| opened(program, b, e, cell)),
        Command::Check(..) | Command::Goto(_) => false,
    })
}

/// Whether a comparison of a variable with a constant that is false may be true when the variable has become larger, or
/// smaller.
fn may_open_by(e: &Expr, larger: bool) -> bool {
    use BinaryOp::{Ge, Gt, Le, Lt};
    let Expr::Binary(op, a, b) = e else {
        return true;
    };
    let larger = match (&**a, &**b) {
        (Expr::Cell(_), Expr::Const(_)) => larger,
        (Expr::Const(_), Expr::Cell(_)) => !larger,
        _ => return true,
    };
    match op {
        Gt | Ge => larger,
        Lt | Le => !larger,
        _ => true,
    }
}

/// The value of an expression about one cell, if it has one with this value.
fn value_at(e: &Expr, v: i64) -> Option<i64> {
    Some(match e {
        Expr::Const(c) => *c,
        Expr::Cell(_) => v,
        Expr::Not(e) => 1 - value_at(e, v)?,
        Expr::Neg(e) => -value_at(e, v)?,
        Expr::Binary(op, a, b) => {
            let a = value_at(a, v)?;
            match (op, a != 0) {
                (BinaryOp::And, false) => 0,
                (BinaryOp::Or, true) | (BinaryOp::Implies, false) => 1,
                _ => apply(*op, a, value_at(b, v)?)?,
            }
        }
        Expr::Cond(c, a, b) => match value_at(c, v)? {
            0 => value_at(b, v)?,
            _ => value_at(a, v)?,
        },
        Expr::Element(..) | Expr::Via(..) | Expr::Slot(..) | Expr::At(..) => return None,
    })
}
