//! Each thread with the shared variables, under the interference of the others: the third rung of the invariant.
//!
//! Owicki & Gries 1976, Flanagan & Qadeer 2003 ("Thread-modular model checking"), Cousot & Cousot 1984: for each thread
//! t a set `A_t` of its private variables (its location, its locals) and the shared ones, the least that contains the
//! initial states and is closed under t's own steps and under the steps that each other thread u takes from `A_u`, of
//! which only the shared part counts (u's private variables are quantified away, before and after). What is lost is how
//! the private variables of two threads depend on each other.
//!
//! J is the conjunction of all `A_t`. A step of u from a state of J keeps to `A_u`, since that is closed under u's
//! steps, and to each `A_t`, since the state before lies in `A_u` and so the step is one of the interferences. What
//! another thread's action reads or writes is never private, a location that a guard mentions included.

use crate::base::control::Stop;
use crate::engine::Variable;
use crate::engine::relations::{Bit, Encoding, Item, Q, Rel};
use crate::model::program::{Class, Kind, ThreadId};
use biodivine_lib_bdd::Bdd;
use std::collections::BTreeSet;

/// A set for each thread, and their conjunction.
#[derive(Clone, Debug)]
pub struct Modular {
    /// `A_t`, over the thread's private variables and the shared ones.
    pub parts: Vec<Bdd>,
    /// The states that lie in all of them.
    pub set: Bdd,
}

/// The fixpoint under way.
struct Fixpoint<'e, 'p> {
    encoding: &'e Encoding<'p>,
    /// Each thread's private bits, sorted.
    private: Vec<Vec<Bit>>,
    parts: Vec<Bdd>,
    /// How often each part has grown.
    grown: Vec<usize>,
    /// What the others see of each thread's steps, and of which version of its part.
    seen: Vec<(usize, Vec<Rel>)>,
}

/// The fixpoint for steps and initial states of which nothing is known about shared data: cells of more than `few`
/// values that own nothing. It is an invariant of the program, too, as its steps are among them; `None` also if there
/// are no such cells.
///
/// # Errors
/// Any [`Stop`].
pub fn controlled(
    e: &Encoding,
    steps: &[Rel],
    few: i64,
    budget: u64,
) -> Result<Option<Modular>, Stop> {
    let m = &e.m;
    let is_data = |item: &Item| match *item {
        Item::Of(Variable::Cell(c)) => {
            let (cell, p) = (&e.program.cells[c], e.program);
            let shared = !matches!(p.arrays[cell.array].class, Class::Local(_));
            shared && cell.ty.kind != Kind::Owner && cell.ty.hi - cell.ty.lo >= few
        }
        _ => false,
    };
    let data = e.layout.order().iter().filter(|item| is_data(item));
    let data: BTreeSet<Bit> = data.flat_map(|item| e.layout.group(*item).bits()).collect();
    if data.is_empty() {
        return Ok(None);
    }
    let free = |bdd: &Bdd| m.exists(bdd, |l| data.contains(&((l / 3) as Bit)));
    let free_step = |step: &Rel| {
        let writes = step.writes.iter().copied().filter(|b| !data.contains(b));
        Ok(Rel {
            bdd: free(&step.bdd)?,
            writes: writes.collect(),
        })
    };
    let steps: Vec<Rel> = steps.iter().map(free_step).collect::<Result<_, Stop>>()?;
    thread_modular(e, &free(&e.initial)?, &steps, budget)
}

/// Computes the fixpoint; `None` if more than `budget` pairs of nodes had to be looked at.
///
/// # Errors
/// Any [`Stop`].
pub fn thread_modular(
    e: &Encoding,
    initial: &Bdd,
    steps: &[Rel],
    budget: u64,
) -> Result<Option<Modular>, Stop> {
    let m = &e.m;
    let begun = m.work();
    let over = || m.work() - begun > budget;
    let threads = e.program.threads.len();
    let private = private(e, steps);
    let mut parts = Vec::new();
    for t in 0..threads {
        let foreign = |l: usize| {
            let bit = (l / 3) as Bit;
            bit == Q || (0..threads).any(|u| u != t && private[u].binary_search(&bit).is_ok())
        };
        parts.push(m.exists(initial, foreign)?);
    }
    let mut run = Fixpoint {
        encoding: e,
        private,
        parts,
        grown: vec![0; threads],
        seen: vec![(usize::MAX, Vec::new()); threads],
    };
    // Which versions of the two parts an interference was last applied to.
    let mut applied = vec![vec![(usize::MAX, usize::MAX); threads]; threads];
    loop {
        let before = run.grown.clone();
        for (u, applied) in applied.iter_mut().enumerate() {
            let own: Vec<&Rel> = e.of_thread(u).map(|a| &steps[a]).collect();
            if !run.close(u, &own, &over)? {
                return Ok(None);
            }
            run.show(u, &own)?;
            let shown = run.seen[u].1.clone();
            let shown: Vec<&Rel> = shown.iter().collect();
            for t in (0..threads).filter(|&t| t != u) {
                if applied[t] == (run.grown[u], run.grown[t]) {
                    continue;
                }
                if !run.close(t, &shown, &over)? {
                    return Ok(None);
                }
                applied[t] = (run.grown[u], run.grown[t]);
            }
        }
        if run.grown == before {
            break;
        }
    }
    let mut set = m.yes();
    for part in run.parts.iter().rev() {
        set = m.and(&set, part)?;
        if over() {
            return Ok(None);
        }
    }
    Ok(Some(Modular {
        parts: run.parts,
        set,
    }))
}

impl Fixpoint<'_, '_> {
    /// Closes a thread's part under these steps; false if there is no time left for it.
    fn close(
        &mut self,
        t: ThreadId,
        steps: &[&Rel],
        over: &dyn Fn() -> bool,
    ) -> Result<bool, Stop> {
        let m = &self.encoding.m;
        loop {
            let mut more = false;
            for step in steps {
                let next = step.image(m, &self.parts[t])?;
                if over() {
                    return Ok(false);
                }
                if !m.within(&next, &self.parts[t]) {
                    self.parts[t] = m.or(&self.parts[t], &next)?;
                    self.grown[t] += 1;
                    more = true;
                }
            }
            if !more {
                return Ok(true);
            }
        }
    }

    /// What the other threads see of a thread's steps from its part.
    fn show(&mut self, u: ThreadId, own: &[&Rel]) -> Result<(), Stop> {
        let m = &self.encoding.m;
        if self.seen[u].0 == self.grown[u] {
            return Ok(());
        }
        let hidden = |bit: Bit| self.private[u].binary_search(&bit).is_ok();
        let mut shown: Vec<Rel> = Vec::new();
        for step in own {
            let writes: Vec<Bit> = step
                .writes
                .iter()
                .copied()
                .filter(|&b| !hidden(b))
                .collect();
            if writes.is_empty() {
                continue;
            }
            let bdd = m.and_exists(&step.bdd, &self.parts[u], |l| hidden((l / 3) as Bit))?;
            match shown.iter_mut().find(|known| known.writes == writes) {
                Some(known) => known.bdd = m.or(&known.bdd, &bdd)?,
                None => shown.push(Rel { writes, bdd }),
            }
        }
        self.seen[u] = (self.grown[u], shown);
        Ok(())
    }
}

/// Each thread's private bits, sorted: its location and its locals, but for what another thread's action reads or
/// writes.
fn private(e: &Encoding, steps: &[Rel]) -> Vec<Vec<Bit>> {
    let threads = e.program.threads.len();
    let mut used: Vec<Vec<Bit>> = vec![Vec::new(); threads];
    for (action, step) in e.actions.iter().zip(steps) {
        used[action.thread].extend(step.support(&e.m));
    }
    for bits in &mut used {
        bits.sort_unstable();
        bits.dedup();
    }
    let alone = |t: ThreadId, item: Item| {
        let mut others = used.iter().enumerate().filter(|(u, _)| *u != t);
        others.all(|(_, bits)| {
            let mut own = e.layout.group(item).bits();
            own.all(|b| bits.binary_search(&b).is_err())
        })
    };
    let mut private = vec![Vec::new(); threads];
    for &item in e.layout.order() {
        let owner = match item {
            Item::Violated => None,
            Item::Of(Variable::Location(t)) => Some(t),
            Item::Of(Variable::Cell(c)) => match e.program.arrays[e.program.cells[c].array].class {
                Class::Local(t) => Some(t),
                _ => None,
            },
        };
        if let Some(t) = owner.filter(|&t| alone(t, item)) {
            private[t].extend(e.layout.group(item).bits());
        }
    }
    private
        .iter_mut()
        .for_each(|bits: &mut Vec<Bit>| bits.sort_unstable());
    private
}
