//! Values that nothing reads: which local variables may have one, and where.
//!
//! The mirror of dead locals: a value is unread if the variable is dead behind the write. It stays where it is until
//! something else is written there.

use super::dead_locals::{Cells, DeadLocals, Flow};
use crate::model::program::{Command, LocId, Program, Target, ThreadId};

impl DeadLocals {
    /// For each location of a thread, the local variables that may have a value there which some of its edges
    /// have written, and which nothing reads.
    pub fn unread(
        &self,
        program: &Program,
        thread: ThreadId,
        writes: &dyn Fn(LocId, usize) -> bool,
    ) -> Vec<Cells> {
        let locations = &program.threads[thread].locations;
        let (own, live) = self.liveness(thread);
        let mut unread = vec![Cells::new(); locations.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (l, location) in locations.iter().enumerate() {
                let mut walk = Walk {
                    flow: Flow {
                        program,
                        own: &own,
                        live: &live,
                    },
                    writes: false,
                    behind: Vec::new(),
                };
                for (n, edge) in location.edges.iter().enumerate() {
                    walk.writes = writes(l, n);
                    walk.through(&edge.body, unread[l].clone(), Cells::new());
                }
                for (to, found) in walk.behind {
                    let known = unread[to].len();
                    unread[to].extend(found);
                    changed |= unread[to].len() > known;
                }
            }
        }
        unread
    }
}

/// The way through a step, forwards.
struct Walk<'a> {
    flow: Flow<'a>,
    /// Whether what this step writes counts.
    writes: bool,
    /// What is unread where it leads to.
    behind: Vec<(LocId, Cells)>,
}

impl Walk<'_> {
    /// What is unread behind these commands, if this is before them, and this is alive behind them.
    fn through(&mut self, commands: &[Command], mut unread: Cells, live: Cells) -> Cells {
        // What is alive behind each command.
        let mut alive = vec![live];
        for command in commands.iter().skip(1).rev() {
            let behind = alive[alive.len() - 1].clone();
            alive.push(self.flow.before(std::slice::from_ref(command), behind));
        }
        for (command, live) in commands.iter().zip(alive.into_iter().rev()) {
            match command {
                Command::Goto(l) => self.behind.push((*l, unread.clone())),
                Command::Assign(target, _) | Command::Havoc(target) => {
                    self.write(target, &live, &mut unread);
                }
                Command::Check(..) => {}
                Command::If(_, yes, no) => {
                    let other = self.through(no, unread.clone(), live.clone());
                    unread = self.through(yes, unread, live);
                    unread.extend(other);
                }
                Command::Choose(branches) => {
                    let before = std::mem::take(&mut unread);
                    for branch in branches {
                        unread.extend(self.through(branch, before.clone(), live.clone()));
                    }
                }
            }
        }
        unread
    }

    fn write(&self, target: &Target, live: &Cells, unread: &mut Cells) {
        let cells = match target {
            Target::Cell(c) => {
                unread.remove(c);
                *c..*c + 1
            }
            Target::Element(array, _) => self.flow.program.cells_of(*array),
        };
        if self.writes {
            unread.extend(cells.filter(|c| self.flow.own.contains(c) && !live.contains(c)));
        }
    }
}
