//! Whether a step of a generic thread violates a discipline.
//!
//! q becomes true as in (26) of Stoller & Cohen 2003, read as the relations read it: the step accesses a protected cell
//! without the right to, or predicates overlap behind it for a cell that it accessed or whose predicates it changed.
//! Where it is not known whether they overlap, that is an atom of its own, which depends on what the predicates look
//! at.

use super::linear::{Linear, Literal};
use super::run::{Denied, Generic, Key, Run, Said, Unknown, View, bit};
use super::step::{Ended, Steps};

impl Steps<'_> {
    /// A step from `before`, with q as it then is.
    pub fn judged(&self, before: &Run, run: Run, thread: &Generic) -> Said<Vec<Run>> {
        let mut open = vec![run];
        let mut violated = Vec::new();
        for d in 0..self.disciplines.len() {
            let mut next = Vec::new();
            for run in open {
                let (fine, bad) = self.against(d, before, run, thread)?;
                next.extend(fine);
                violated.extend(bad);
            }
            open = next;
        }
        for run in &mut violated {
            run.writes.push((Key::Violated, Vec::new(), bit(true)));
        }
        open.extend(violated);
        Ok(open)
    }

    /// The paths on which a step keeps a discipline, and those on which it violates it.
    fn against(&self, d: usize, before: &Run, run: Run, thread: &Generic) -> Said<Ended> {
        let discipline = &self.disciplines[d];
        let mut cells: Vec<(Vec<Linear>, bool)> = Vec::new();
        for (_, index, writes) in run.accesses.iter().filter(|a| a.0 == discipline.open.array) {
            match cells.iter_mut().find(|(known, _)| known == index) {
                Some((_, written)) => *written |= writes,
                None => cells.push((index.clone(), *writes)),
            }
        }
        let (mut open, mut violated) = (vec![run], Vec::new());
        for (index, written) in &cells {
            let mut next = Vec::new();
            for run in open {
                // The right is looked at in the state before the step.
                for (run, right) in
                    self.holds_at(run, before.writes.len(), d, thread, index, *written)?
                {
                    match right {
                        true => next.push(run),
                        false => violated.push(run),
                    }
                }
            }
            open = next;
        }
        if !discipline.overlaps {
            return Ok((open, violated));
        }
        let mut fine = Vec::new();
        let accessed: Vec<Vec<Linear>> = cells.into_iter().map(|(index, _)| index).collect();
        for run in open {
            let (no, yes) = self.overlap((d, thread), before.writes.len(), run, &accessed)?;
            fine.extend(no);
            violated.extend(yes);
        }
        Ok((fine, violated))
    }

    /// Whether a thread had the right to a cell after the first `length` writes of a path.
    pub fn holds_at(
        &self,
        run: Run,
        length: usize,
        d: usize,
        thread: &Generic,
        index: &[Linear],
        write: bool,
    ) -> Said<Vec<(Run, bool)>> {
        let mut earlier = run.clone();
        let later = earlier.writes.split_off(length);
        let all = self.right(earlier, d, thread, index, write)?;
        let restored = all.into_iter().map(|(mut run, right)| {
            run.writes.extend(later.iter().cloned());
            (run, right)
        });
        Ok(restored.collect())
    }

    /// Whether a thread has the right to a cell.
    pub fn right(
        &self,
        run: Run,
        d: usize,
        thread: &Generic,
        index: &[Linear],
        write: bool,
    ) -> Said<Vec<(Run, bool)>> {
        let discipline = &self.disciplines[d].open;
        let binders = discipline.binders.iter().copied();
        let view = View {
            thread,
            binders: binders.zip(index.iter().cloned()).collect(),
            accesses: false,
        };
        let Some((exclusive, reading)) = discipline.predicates.get(thread.like) else {
            return Ok(vec![(run, false)]);
        };
        let mut all = Vec::new();
        for (run, holds) in self.machine.truth(run, exclusive, &view)? {
            match holds {
                Some(true) => all.push((run, true)),
                _ if write || exclusive == reading => all.push((run, false)),
                _ => {
                    let less = self.machine.truth(run, reading, &view)?;
                    all.extend(less.into_iter().map(|(run, v)| (run, v == Some(true))));
                }
            }
        }
        Ok(all)
    }

    /// The paths on which a step does not violate a discipline by predicates that overlap behind it, and those on which
    /// it does.
    fn overlap(
        &self,
        (d, thread): (usize, &Generic),
        before: usize,
        run: Run,
        accessed: &[Vec<Linear>],
    ) -> Said<Ended> {
        let ahead = self.relevant(&run, d, before, None)?;
        let behind = self.relevant(&run, d, run.writes.len(), None)?;
        let changes = ahead != behind;
        if accessed.is_empty() && !changes {
            return Ok((vec![run], Vec::new()));
        }
        let step = Denied {
            discipline: d,
            writes: (before, run.writes.len()),
            accessed: accessed.to_vec(),
            only_accessed: !changes,
        };
        if self.surely_overlaps(&run, &step)? {
            return Ok((Vec::new(), vec![run]));
        }
        let mut unknowns = Vec::new();
        for index in accessed {
            let here = self.relevant(&run, d, run.writes.len(), Some(index))?;
            unknowns.push(Unknown::Overlap(d, index.clone(), here));
        }
        if changes {
            let (ahead, behind) = self.concerned(&run, d, before, thread, (ahead, behind))?;
            unknowns.push(Unknown::Changed(d, ahead, behind));
        }
        let (mut open, mut violated) = (Some(run), Vec::new());
        for unknown in unknowns {
            let Some(run) = open.take() else { break };
            let atom = Linear::atom(self.machine.atom(unknown.clone()));
            let (no, yes) = self.machine.divide(&run, Literal::Zero(atom.clone()))?;
            let yes = match yes {
                Some(run) => self.machine.with(&run, Literal::Zero(atom.add(-1)))?,
                None => None,
            };
            if let Some(run) = yes {
                violated.extend(self.overlapped(run, &unknown)?);
            }
            open = no;
        }
        let kept = open.map(|mut run| {
            run.denied.push(step);
            run
        });
        Ok((kept.into_iter().collect(), violated))
    }

    /// A path on which predicates overlap for a cell, with what that says of earlier states: behind a step that is
    /// taken to have no part in it they overlap only if they did before.
    fn overlapped(&self, run: Run, unknown: &Unknown) -> Said<Option<Run>> {
        let Unknown::Overlap(d, cell, here) = unknown else {
            return Ok(Some(run));
        };
        let (mut run, mut here) = (run, here.clone());
        for step in run
            .denied
            .clone()
            .iter()
            .rev()
            .filter(|s| s.discipline == *d)
        {
            if self.relevant(&run, *d, step.writes.1, Some(cell))? != here {
                continue;
            }
            here = self.relevant(&run, *d, step.writes.0, Some(cell))?;
            let earlier = Unknown::Overlap(*d, cell.clone(), here.clone());
            let atom = Linear::atom(self.machine.atom(earlier));
            match self.machine.with(&run, Literal::Zero(atom.add(-1)))? {
                Some(more) => run = more,
                None => return Ok(None),
            }
        }
        Ok(Some(run))
    }
}
