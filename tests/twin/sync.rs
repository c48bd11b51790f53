//! The operations on synchronisation objects, each as the language defines it, on the object's hidden cells.

use super::ast::{Kind, NOBODY, Part, Place, Stmt, StmtKind};
use super::semantics::{Run, System};

impl System {
    /// The ways in which an operation can be executed; none if it blocks.
    pub fn operate(&self, stmt: &Stmt, thread: usize, mut run: Run) -> Vec<Run> {
        let me = thread as i64;
        let threads = 0..self.threads.len();
        let place = match &stmt.kind {
            StmtKind::Lock(place) | StmtKind::Unlock(place) => place,
            StmtKind::ReadLock(place) | StmtKind::ReadUnlock(place) => place,
            StmtKind::WriteLock(place) | StmtKind::WriteUnlock(place) => place,
            StmtKind::Notify(place) | StmtKind::NotifyAll(place) => place,
            StmtKind::Down(place) | StmtKind::Up(place) => place,
            StmtKind::Part(Part::Pass(place)) => place,
            StmtKind::Part(Part::Sleep(cond, _) | Part::Wake(cond, _)) => cond,
            _ => unreachable!("no operation"),
        };
        let Some(object) = self.object(place, thread, &mut run) else {
            return vec![run];
        };
        match (&stmt.kind, object.kind) {
            (StmtKind::Lock(_), Kind::Reentrant(bound)) => {
                let owner = run.state.cells[object.first];
                if owner != NOBODY && owner != me {
                    return Vec::new();
                }
                if run.state.cells[object.depth] == bound {
                    run.wrong = true;
                } else {
                    run.state.cells[object.first] = me;
                    run.state.cells[object.depth] += 1;
                }
            }
            (StmtKind::Lock(_), _) => {
                if run.state.cells[object.first] != NOBODY {
                    return Vec::new();
                }
                run.state.cells[object.first] = me;
            }
            (StmtKind::Unlock(_), Kind::Reentrant(_)) => {
                // A depth of 0 although it is owned: in no reachable state.
                if run.state.cells[object.first] != me || run.state.cells[object.depth] == 0 {
                    run.wrong = true;
                } else {
                    run.state.cells[object.depth] -= 1;
                    if run.state.cells[object.depth] == 0 {
                        run.state.cells[object.first] = NOBODY;
                    }
                }
            }
            (StmtKind::Unlock(_) | StmtKind::WriteUnlock(_), _) => {
                if run.state.cells[object.first] == me {
                    run.state.cells[object.first] = NOBODY;
                } else {
                    run.wrong = true;
                }
            }
            (StmtKind::ReadLock(_), _) => {
                if run.state.cells[object.first] != NOBODY {
                    return Vec::new();
                }
                if run.state.cells[object.per_thread + thread] == 1 {
                    run.wrong = true;
                } else {
                    run.state.cells[object.per_thread + thread] = 1;
                }
            }
            (StmtKind::ReadUnlock(_), _) => {
                if run.state.cells[object.per_thread + thread] == 0 {
                    run.wrong = true;
                } else {
                    run.state.cells[object.per_thread + thread] = 0;
                }
            }
            (StmtKind::WriteLock(_), _) => {
                let read = |t: usize| run.state.cells[object.per_thread + t] == 1;
                if run.state.cells[object.first] != NOBODY || threads.clone().any(read) {
                    return Vec::new();
                }
                run.state.cells[object.first] = me;
            }
            (StmtKind::Down(_), _) => {
                if run.state.cells[object.first] == 0 {
                    return Vec::new();
                }
                run.state.cells[object.first] -= 1;
            }
            (StmtKind::Up(_), Kind::Semaphore { highest, .. }) => {
                if run.state.cells[object.first] == highest {
                    run.wrong = true;
                } else {
                    run.state.cells[object.first] += 1;
                }
            }
            (StmtKind::Notify(_), _) => {
                let waiting = |t: &usize| run.state.cells[object.per_thread + t] == 1;
                let waiting: Vec<usize> = threads.clone().filter(waiting).collect();
                if waiting.is_empty() {
                    return vec![run];
                }
                let wake = |t: &usize| {
                    let mut run = run.clone();
                    run.state.cells[object.per_thread + t] = 0;
                    run
                };
                return waiting.iter().map(wake).collect();
            }
            (StmtKind::NotifyAll(_), _) => {
                threads.for_each(|t| run.state.cells[object.per_thread + t] = 0);
            }
            (StmtKind::Part(Part::Pass(_)), _) => {
                if run.state.cells[object.per_thread + thread] == 1 {
                    return Vec::new();
                }
            }
            (StmtKind::Part(Part::Sleep(_, mutex)), _) => {
                let Some(mutex) = self.object(mutex, thread, &mut run) else {
                    return vec![run];
                };
                if run.state.cells[mutex.first] != me {
                    run.wrong = true;
                } else {
                    run.state.cells[mutex.first] = NOBODY;
                    if let Kind::Reentrant(_) = mutex.kind {
                        run.state.cells[mutex.per_thread + thread] = run.state.cells[mutex.depth];
                        run.state.cells[mutex.depth] = 0;
                    }
                    run.state.cells[object.per_thread + thread] = 1;
                }
            }
            (StmtKind::Part(Part::Wake(_, mutex)), _) => {
                let Some(mutex) = self.object(mutex, thread, &mut run) else {
                    return vec![run];
                };
                let waits = run.state.cells[object.per_thread + thread] == 1;
                if waits || run.state.cells[mutex.first] != NOBODY {
                    return Vec::new();
                }
                run.state.cells[mutex.first] = me;
                if let Kind::Reentrant(_) = mutex.kind {
                    run.state.cells[mutex.depth] = run.state.cells[mutex.per_thread + thread];
                    run.state.cells[mutex.per_thread + thread] = 0;
                }
            }
            _ => unreachable!("no operation on this kind of object"),
        }
        vec![run]
    }

    /// The first action of `await`: the last thread wakes the others, any other one starts to wait.
    pub fn arrives_last(&self, barrier: &Place, thread: usize, run: &mut Run) -> bool {
        let Some(object) = self.object(barrier, thread, run) else {
            return false;
        };
        let Kind::Barrier(parties) = object.kind else {
            unreachable!("no barrier")
        };
        let waiting = object.per_thread..object.per_thread + self.threads.len();
        let count = run.state.cells[waiting.clone()].iter().sum::<i64>();
        let last = count + 1 == parties as i64;
        if last {
            run.state.cells[waiting].fill(0);
        } else {
            run.state.cells[object.per_thread + thread] = 1;
        }
        last
    }
}
