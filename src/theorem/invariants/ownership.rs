//! Which mutexes a thread owns at each of its locations: the second rung of the invariant.
//!
//! A data flow over each thread's control-flow graph, in the manner of lockset analyses (Flanagan & Qadeer 2003 read
//! the same off types): at each location, for each mutex, whether `m.owner == t` can be true and whether it can be
//! false. The steps are the actions' relations, so guards, computed indices and failures are followed as they are.
//!
//! It is sound because only t's own steps change the truth of `m.owner == t`: `lock` needs a mutex that is free (or, if
//! re-entrant, its thread's) and writes its own thread, `unlock` by a thread that is not the owner writes nothing,
//! `wait` does both, and no other statement writes an owner. The writer of a read-write lock is such an owner, too.
//! This is not taken on trust from the front end: an owner that some action writes in another way is left out
//! (`own_only`).

use crate::base::control::Stop;
use crate::engine::Variable;
use crate::engine::relations::{Encoding, Item, Rel};
use crate::model::program::{CellId, Class, Kind, ThreadId};
use biodivine_lib_bdd::Bdd;

/// Lock ownership by location.
#[derive(Clone, Debug)]
pub struct Ownership {
    /// The type-correct states that satisfy all facts.
    pub set: Bdd,
    /// The facts; together they are inductive.
    pub facts: Vec<Fact>,
}

/// Something that holds of a thread at each of its locations.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The thread.
    pub thread: ThreadId,
    /// The owner it is about; `None` for which locations the thread comes to.
    pub cell: Option<CellId>,
    /// Where it holds.
    pub holds: Bdd,
    /// What it says at each location: whether the thread owns the mutex, or comes there; `None` if it says nothing.
    pub says: Vec<Option<bool>>,
}

/// Whether a fact can be true, and whether it can be false.
type May = (bool, bool);

/// Computes it; `None` if more than `budget` pairs of nodes had to be looked at.
///
/// # Errors
/// Any [`Stop`].
pub fn ownership(
    e: &Encoding,
    steps: &[Rel],
    everywhere: &Bdd,
    budget: u64,
) -> Result<Option<Ownership>, Stop> {
    let m = &e.m;
    let begun = m.work();
    let cells = own_only(e, steps)?;
    let mut found = Ownership {
        set: everywhere.clone(),
        facts: Vec::new(),
    };
    for t in 0..e.program.threads.len() {
        let flow = flow(e, steps, t, &cells)?;
        let comes: Vec<Option<bool>> = flow.iter().map(|at| Some(at.is_some())).collect();
        let mut facts: Vec<(Option<CellId>, Vec<Option<bool>>)> = vec![(None, comes)];
        for (n, &cell) in cells.iter().enumerate() {
            let says = flow.iter().map(|at| match at.as_ref().map(|may| may[n]) {
                Some((true, false)) => Some(true),
                Some((false, true)) => Some(false),
                _ => None,
            });
            facts.push((Some(cell), says.collect()));
        }
        // The facts of one thread first: the joint set is large, and each of them small.
        let mut all = m.yes();
        for (cell, says) in facts {
            let holds = meaning(e, t, cell, &says)?;
            if holds.is_true() {
                continue;
            }
            all = m.and(&all, &holds)?;
            found.facts.push(Fact {
                thread: t,
                cell,
                holds,
                says,
            });
        }
        found.set = m.and(&found.set, &all)?;
        if m.work() - begun > budget {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

fn owned(e: &Encoding, cell: CellId, by: ThreadId) -> Result<Bdd, Stop> {
    use crate::model::program::Expr;
    use crate::model::text::ast::BinaryOp;
    let sides = (Expr::Cell(cell), Expr::Const(by as i64));
    e.predicate(&Expr::Binary(
        BinaryOp::Eq,
        Box::new(sides.0),
        Box::new(sides.1),
    ))
}

/// The owners that every action changes, if at all, between its own thread and values that are no other thread.
fn own_only(e: &Encoding, steps: &[Rel]) -> Result<Vec<CellId>, Stop> {
    let m = &e.m;
    let threads = 0..e.program.threads.len();
    let mut good = Vec::new();
    'cells: for cell in 0..e.program.cells.len() {
        let declared = &e.program.cells[cell];
        let class = e.program.arrays[declared.array].class;
        if declared.ty.kind != Kind::Owner || !matches!(class, Class::Owner | Class::Sync) {
            continue;
        }
        let bits = e.layout.group(Item::Of(Variable::Cell(cell))).bits();
        let mut others: Vec<Option<Bdd>> = vec![None; threads.len()];
        for (action, step) in e.actions.iter().zip(steps) {
            if !bits.clone().any(|b| step.writes.binary_search(&b).is_ok()) {
                continue;
            }
            // That some other thread owns it, and that thread after the step is the one before.
            for u in threads.clone().filter(|&u| u != action.thread) {
                let before = match &others[u] {
                    Some(known) => known.clone(),
                    None => others[u].insert(owned(e, cell, u)?).clone(),
                };
                let changed = m.xor(&before, &step.after(m, &before))?;
                if !m.disjoint(&step.bdd, &changed) {
                    continue 'cells;
                }
            }
        }
        good.push(cell);
    }
    Ok(good)
}

/// At each location that a thread comes to: for each of these owners, whether it may be the thread, and may not be.
fn flow(
    e: &Encoding,
    steps: &[Rel],
    thread: ThreadId,
    cells: &[CellId],
) -> Result<Vec<Option<Vec<May>>>, Stop> {
    let m = &e.m;
    let t = &e.program.threads[thread];
    let own: Vec<Bdd> = cells
        .iter()
        .map(|&c| owned(e, c, thread))
        .collect::<Result<_, Stop>>()?;
    let at_first = |&c: &CellId| match e.program.cells[c].initial {
        Some(v) => (v == thread as i64, v != thread as i64),
        None => (true, true),
    };
    let mut known: Vec<Option<Vec<May>>> = vec![None; t.locations.len()];
    known[t.initial] = Some(cells.iter().map(at_first).collect());
    let mut open = vec![t.initial];
    while let Some(l) = open.pop() {
        let (Some(a), Some(here)) = (e.action_at(thread, l), known[l].clone()) else {
            continue;
        };
        let step = &steps[a];
        // Owners that the step neither reads nor writes stay as they are.
        let support = step.support(m);
        let used: Vec<usize> = (0..cells.len())
            .filter(|&n| {
                let mut bits = e.layout.group(Item::Of(Variable::Cell(cells[n]))).bits();
                bits.any(|b| support.binary_search(&b).is_ok())
            })
            .collect();
        let mut from = step.bdd.clone();
        for &n in &used {
            from = match here[n] {
                (true, false) => m.and(&from, &own[n])?,
                (false, true) => m.and_not(&from, &own[n])?,
                _ => from,
            };
        }
        let targets = t.locations[l].targets();
        for to in targets.into_iter().chain(t.wrong) {
            let there = m.and(&from, &step.after(m, &e.at(thread, to)))?;
            if there.is_false() {
                continue;
            }
            let mut then = here.clone();
            for &n in &used {
                let after = step.after(m, &own[n]);
                then[n] = (!m.disjoint(&there, &after), !m.within(&there, &after));
            }
            let joined = match &known[to] {
                None => then,
                Some(old) => {
                    let join = |(a, b): (&May, &May)| (a.0 || b.0, a.1 || b.1);
                    old.iter().zip(&then).map(join).collect()
                }
            };
            if known[to].as_ref() != Some(&joined) {
                known[to] = Some(joined);
                open.push(to);
            }
        }
    }
    Ok(known)
}

/// The states in which what is said of the thread's location is so.
fn meaning(
    e: &Encoding,
    thread: ThreadId,
    cell: Option<CellId>,
    says: &[Option<bool>],
) -> Result<Bdd, Stop> {
    let m = &e.m;
    let among = |what: Option<bool>| {
        (0..says.len())
            .filter(|&l| says[l] == what)
            .try_fold(m.no(), |acc, l| m.or(&acc, &e.at(thread, l)))
    };
    let Some(cell) = cell else {
        return Ok(among(Some(false))?.not());
    };
    let own = owned(e, cell, thread)?;
    let all = |what: Option<bool>| says.iter().all(|s| *s == what);
    if all(Some(false)) {
        return Ok(own.not());
    }
    let missing = m.and_not(&among(Some(true))?, &own)?;
    let kept = m.and(&among(Some(false))?, &own)?;
    Ok(m.or(&missing, &kept)?.not())
}
