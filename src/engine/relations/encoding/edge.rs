//! The relation of one edge, and where it violates a discipline.

use super::Encoding;
use crate::base::control::Stop;
use crate::engine::relations::layout::{Bit, Q, after};
use crate::engine::relations::predicates::code;
use crate::engine::relations::relation::{Rel, minus, union};
use crate::engine::relations::symbolic::{Symbolic, encode};
use crate::model::program::{CellId, Edge, LocId, ThreadId};
use biodivine_lib_bdd::Bdd;
use std::collections::BTreeMap;

/// Where each cell is accessed, and where it is written.
type Accesses = (BTreeMap<CellId, Bdd>, BTreeMap<CellId, Bdd>);

impl Encoding<'_> {
    /// The steps of an edge.
    ///
    /// A step may access a cell without the right to. Where that right is a guess, `without_right` gets the cell, and
    /// the states before such steps.
    pub(super) fn edge(
        &mut self,
        thread: ThreadId,
        location: LocId,
        edge: &Edge,
        without_right: &mut Vec<(usize, Bdd)>,
    ) -> Result<Rel, Stop> {
        let (mut step, accesses) = self.moves(thread, location, edge)?;
        let violation = self.violation(thread, &step, &accesses, without_right)?;
        let m = &self.m;
        // Only where the step is taken: what a guard reads in vain is no access.
        let violation = m.and(&violation, &step.bdd)?;
        if !violation.is_false() {
            let set = m.or(&self.q(), &violation)?;
            step.bdd = m.and(&step.bdd, &m.iff(&m.var(after(Q)), &set)?)?;
            step.writes = union(&step.writes, &[Q]);
        }
        step.bdd = m.exists(&step.bdd, |l| l % 3 == 2 || self.layout.is_choice(l))?;
        Ok(step)
    }

    /// Where an edge leads and what it writes, q and the choices left open.
    fn moves(
        &self,
        thread: ThreadId,
        location: LocId,
        edge: &Edge,
    ) -> Result<(Rel, Accesses), Stop> {
        let m = &self.m;
        let mut run = Symbolic::new(self.program, &self.layout, m);
        let mut path = self.at(thread, location);
        if let Some(guard) = &edge.guard {
            let holds = run.eval(guard, &mut path)?.truth(m)?;
            path = m.and(&path, &holds)?;
        }
        run.execute(&edge.body, &mut path)?;

        let group = self.layout.location(thread);
        let here_after = |l: LocId| m.rename(&code(m, group, l as u64), |level| level + 1);
        let mut bdd = m.no();
        for (l, on) in run.goes {
            bdd = m.or(&bdd, &m.and(&on, &here_after(l))?)?;
        }
        if let Some(wrong) = self.program.threads[thread].wrong {
            bdd = m.or(&bdd, &m.and(&run.fails, &here_after(wrong))?)?;
        }
        let mut writes: Vec<Bit> = group.bits().collect();
        for (cell, value) in &run.values {
            let group = self.layout.cell(*cell);
            let stored = encode(m, group, self.program.cells[*cell].ty.lo, value)?;
            for (bit, value) in group.bits().zip(&stored) {
                bdd = m.and(&bdd, &m.iff(&m.var(after(bit)), value)?)?;
            }
            writes.extend(group.bits());
        }
        writes.sort_unstable();
        Ok((Rel { writes, bdd }, (run.accesses, run.writes)))
    }

    /// Where a step violates a discipline.
    ///
    /// It does if it accesses a protected cell without the right to. It also does if predicates overlap after it, and
    /// it accesses their cell or changes them.
    fn violation(
        &mut self,
        thread: ThreadId,
        step: &Rel,
        (accesses, written): &Accesses,
        without_right: &mut Vec<(usize, Bdd)>,
    ) -> Result<Bdd, Stop> {
        let m = &self.m;
        let mut violation = m.no();
        let mut touched = Vec::new();
        for (x, protection) in self.program.protections.iter().enumerate() {
            let accessed = accesses.get(&protection.cell).cloned();
            let accessed = accessed.unwrap_or_else(|| m.no());
            if !accessed.is_false() {
                let written = written.get(&protection.cell);
                let outside = self.outside(x, thread, &accessed, written)?;
                violation = m.or(&violation, &outside)?;
                if self.is_guess(x) {
                    let taken = m.and(&outside, &step.bdd)?;
                    let from = m.exists(&taken, |l| l % 3 != 0 || self.layout.is_choice(l))?;
                    if !from.is_false() {
                        without_right.push((x, from));
                    }
                }
            }
            if !self.guarded[x].overlap.is_false() {
                touched.push((x, accessed));
            }
        }
        for (x, accessed) in touched {
            if let Some(overlap) = self.overlap_after(x, &accessed, &step.writes)? {
                violation = self.m.or(&violation, &overlap)?;
            }
        }
        Ok(violation)
    }

    /// Where a thread that accesses the x-th protected cell has no right to.
    fn outside(
        &self,
        x: usize,
        thread: ThreadId,
        accessed: &Bdd,
        written: Option<&Bdd>,
    ) -> Result<Bdd, Stop> {
        let (m, guarded) = (&self.m, &self.guarded[x]);
        let exclusive = &guarded.predicates[thread];
        let Some(readers) = &guarded.readers else {
            return m.and_not(accessed, exclusive);
        };
        let none = m.and_not(accessed, &readers[thread])?;
        match written {
            Some(written) => m.or(&none, &m.and_not(written, exclusive)?),
            None => Ok(none),
        }
    }

    /// Where the x-th protected cell's predicates overlap after a step that accesses the cell or changes them.
    ///
    /// `None` if no step does.
    fn overlap_after(
        &mut self,
        x: usize,
        accessed: &Bdd,
        writes: &[Bit],
    ) -> Result<Option<Bdd>, Stop> {
        let changes = minus(writes, &self.guarded[x].support).len() < writes.len();
        if !changes && accessed.is_false() {
            return Ok(None);
        }
        let relevant = match changes {
            true => self.changed(x, writes)?,
            false => self.m.no(),
        };
        let m = &self.m;
        let concerned = m.or(accessed, &relevant)?;
        let all = Rel {
            writes: writes.to_vec(),
            bdd: m.yes(),
        };
        let overlap = all.after(m, &self.guarded[x].overlap);
        Ok(Some(m.and(&concerned, &overlap)?))
    }
}
