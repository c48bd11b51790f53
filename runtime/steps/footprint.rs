//! What each step accesses, family by family.

use super::{nobody_has, used, waiters};
use crate::arena;
use crate::atomics;
use crate::descriptors::Open;
use crate::invariants;
use crate::objects::{NOBODY, object, within};
use crate::pipes;
use crate::poll;
use crate::shared::*;
use crate::spin;
use crate::state::*;

/// Calls `put` with each access of the step.
pub fn footprint(who: usize, choice: u16, put: &mut dyn FnMut(Access)) {
    let thread = thread(who);
    let op = &thread.op;
    if thread.spins {
        spin::cells(who, put);
    }
    let mut step = Footprint { who, op, put };
    if let Some(addr) = used(op)
        && arena::may_go(who, addr)
        && !object(addr).touched
    {
        // Who frees the memory can't know of an object that nobody has used.
        // So the first step on it reads memory as well.
        step.on(addr, MODE_READ, SILENT);
    }
    match op.kind {
        Kind::Start | Kind::Exit | Kind::Create | Kind::Join | Kind::Detach => step.thread(),
        Kind::Read
        | Kind::Write
        | Kind::Free
        | Kind::AtomicLoad
        | Kind::AtomicStore
        | Kind::AtomicUpdate
        | Kind::CompareAndSwap => step.memory(),
        Kind::Init | Kind::Destroy => step.on_it(MODE_WRITE, 0),
        Kind::Lock | Kind::TryLock | Kind::TimedLock | Kind::Unlock => step.mutex(),
        Kind::Wait | Kind::Reacquire | Kind::TimedReacquire | Kind::Signal | Kind::Broadcast => {
            step.condition(choice)
        }
        Kind::SemWait | Kind::SemTryWait | Kind::SemTimedWait | Kind::SemPost | Kind::SemGet => {
            step.semaphore()
        }
        Kind::ReadLock
        | Kind::WriteLock
        | Kind::TryReadLock
        | Kind::TryWriteLock
        | Kind::TimedReadLock
        | Kind::TimedWriteLock
        | Kind::ReadWriteUnlock => step.read_write_lock(),
        Kind::Arrive | Kind::Leave => step.barrier(thread.generation),
        Kind::Once => {
            let done = object(op.addr).count == 2;
            step.on_it(if done { MODE_READ } else { MODE_WRITE }, BLOCKING);
        }
        Kind::OnceDone => step.on_it(MODE_WRITE, RELEASE),
        Kind::PipeRead | Kind::PipeWrite | Kind::PipeClose => {
            let (mode, flags) = pipes::access_of(op);
            step.on_it(mode, flags);
        }
        Kind::Poll => poll::looks_at(op).for_each(|open| match open {
            Open::Pipe(at, _) => step.on(key(at), MODE_READ, 0),
            Open::File(stream) => step.on(unsafe { (*stream).word() }, MODE_READ, ATOMIC),
        }),
        Kind::Key => step.on(OBJECT | 1, MODE_WRITE, 0),
        Kind::Promise => (step.put)(promised(op.a)),
        Kind::Nothing
        | Kind::Choice
        | Kind::Allocate
        | Kind::Assume
        | Kind::Stopped
        | Kind::ProcessExit
        | Kind::AtomicBegin
        | Kind::TooMany => {}
    }
}

/// The key of an object.
fn key(addr: u64) -> u64 {
    (addr & ((1 << 61) - 1)) | OBJECT
}

/// The key of one use of a barrier.
fn generation(addr: u64, generation: u32) -> u64 {
    7 << 61 | (spin::mix(addr) >> 3).wrapping_add(generation.into()) & !(7 << 61)
}

/// The access of what is no memory.
fn whole(key: u64, mode: u8, flags: u8) -> Access {
    Access {
        key,
        size: 1,
        mode,
        flags,
        order: 0,
        unused: 0,
    }
}

/// What all steps have in common that write what an invariant reads.
fn promised(invariant: u64) -> Access {
    whole(PROMISED | invariant, MODE_WRITE, SILENT)
}

/// A step whose accesses are being told.
struct Footprint<'a> {
    who: usize,
    op: &'a Op,
    put: &'a mut dyn FnMut(Access),
}

impl Footprint<'_> {
    fn on(&mut self, key: u64, mode: u8, flags: u8) {
        (self.put)(whole(key, mode, flags));
    }

    /// On the object that the step is about.
    fn on_it(&mut self, mode: u8, flags: u8) {
        self.on(key(self.op.addr), mode, flags);
    }

    fn thread(&mut self) {
        let (who, other) = (self.who, self.op.addr);
        match self.op.kind {
            Kind::Start => self.on(THREAD | who as u64, MODE_READ, ORDER),
            Kind::Exit => {
                self.on(THREAD | who as u64, MODE_WRITE, ORDER);
                if who != 0 {
                    self.on(STACK | who as u64, MODE_WRITE, SILENT);
                    let bottom = (STACKS_AT + who * STACK_SIZE) as u64;
                    self.gone(bottom, STACK_SIZE as u64);
                }
            }
            Kind::Create => self.on(THREAD | other, MODE_WRITE, ORDER),
            Kind::Join => {
                self.on(THREAD | other, MODE_READ, ORDER);
                // Who joins a thread that somebody has joined or detached is told so.
                self.on(FATE | other, MODE_WRITE, SILENT);
            }
            _ => self.on(FATE | other, MODE_ADD, SILENT),
        }
    }

    /// All objects in memory that goes away.
    fn gone(&mut self, from: u64, bytes: u64) {
        within(from, bytes).for_each(|o| self.on(key(o.addr), MODE_WRITE, SILENT));
    }

    fn memory(&mut self) {
        let op = self.op;
        // What is no address crashes when it is accessed, and must not be taken for an object.
        if op.size == 0 || op.addr >= 1 << 47 {
            return;
        }
        let mode = atomics::mode(op);
        (self.put)(Access {
            key: op.addr,
            size: op.size,
            mode,
            flags: op.flags,
            order: atomics::order(op, mode),
            unused: 0,
        });
        if op.kind == Kind::Free {
            self.gone(op.addr, op.size.into());
        }
        if let Some(owner) = foreign_stack(self.who, op.addr) {
            self.on(STACK | owner as u64, MODE_READ, SILENT);
        }
        if mode == MODE_WRITE {
            invariants::touched(op.addr, op.size, &mut |i| (self.put)(promised(i)));
        }
    }

    fn mutex(&mut self) {
        let object = object(self.op.addr);
        let own = usize::from(object.owner) == self.who;
        match self.op.kind {
            Kind::Lock if own => {}
            Kind::Lock => self.on_it(MODE_WRITE, BLOCKING),
            Kind::Unlock if !own => self.on_it(MODE_READ, 0),
            Kind::Unlock if object.count <= 1 => self.on_it(MODE_WRITE, RELEASE),
            Kind::Unlock => {}
            // POSIX: what can be had at once is never too late. Who waits and gets it comes when it is free.
            _ if object.owner == NOBODY => self.on_it(MODE_WRITE, 0),
            _ if own && object.class == 1 => {}
            _ => self.on_it(MODE_READ, 0),
        }
    }

    fn condition(&mut self, choice: u16) {
        let op = self.op;
        match op.kind {
            Kind::Wait => {
                self.on(op.a | OBJECT, MODE_WRITE, RELEASE);
                self.on_it(MODE_WRITE, 0);
            }
            Kind::Reacquire => {
                self.on(WAKE | self.who as u64, MODE_READ, ORDER);
                self.on(op.a | OBJECT, MODE_WRITE, BLOCKING);
            }
            Kind::TimedReacquire => {
                // A signal that comes may come too late: no order is taken for granted.
                self.on_it(MODE_WRITE, 0);
                self.on(op.a | OBJECT, MODE_WRITE, BLOCKING);
            }
            Kind::Signal => match waiters(op.addr).nth(choice.into()) {
                None => self.on_it(MODE_READ, 0),
                Some(other) => {
                    self.on_it(MODE_WRITE, 0);
                    self.on(WAKE | other as u64, MODE_WRITE, ORDER);
                }
            },
            _ => {
                let mut any = false;
                for other in waiters(op.addr) {
                    any = true;
                    self.on(WAKE | other as u64, MODE_WRITE, ORDER);
                }
                self.on_it(if any { MODE_WRITE } else { MODE_READ }, 0);
            }
        }
    }

    fn semaphore(&mut self) {
        let op = self.op;
        let free = || object(op.addr).count > 0;
        match op.kind {
            Kind::SemWait => self.on_it(MODE_WRITE, BLOCKING),
            Kind::SemPost => self.on_it(MODE_ADD, if free() { 0 } else { RELEASE }),
            Kind::SemGet => self.on_it(MODE_READ, 0),
            _ => self.on_it(if free() { MODE_WRITE } else { MODE_READ }, 0),
        }
    }

    fn read_write_lock(&mut self) {
        let op = self.op;
        let lock = || object(op.addr);
        let written = || lock().owner != NOBODY;
        match op.kind {
            Kind::ReadLock => self.on_it(MODE_ADD, BLOCKING),
            Kind::WriteLock => self.on_it(MODE_WRITE, BLOCKING),
            Kind::TryReadLock | Kind::TimedReadLock => {
                self.on_it(if written() { MODE_READ } else { MODE_ADD }, 0);
            }
            Kind::TryWriteLock | Kind::TimedWriteLock => {
                let free = nobody_has(lock());
                self.on_it(if free { MODE_WRITE } else { MODE_READ }, 0);
            }
            _ => {
                let mode = if written() { MODE_WRITE } else { MODE_ADD };
                self.on_it(mode, RELEASE);
            }
        }
    }

    fn barrier(&mut self, met: u32) {
        if self.op.kind == Kind::Leave {
            return self.on(generation(self.op.addr, met), MODE_READ, ORDER);
        }
        let barrier = object(self.op.addr);
        // They may come in any order: who is told to be the serial thread is an alternative of the last one's step.
        // But who meets whom matters, if there are more of them.
        let mode = if barrier.generation & 1 == 0 {
            MODE_ADD
        } else {
            MODE_ADD_OTHER
        };
        let last = barrier.count + 1 >= barrier.limit;
        self.on_it(mode, if last { CLOSES } else { 0 });
        let present = generation(self.op.addr, barrier.generation);
        self.on(present, MODE_ADD, ORDER);
    }
}
