//! What each step is: when it can be taken, what it accesses, what it does.
//!
//! `footprint` is asked before `execute`, in the state in which the step is taken, and is as exact as that state
//! allows: a compare-and-swap that fails reads, a signal that nobody waits for changes nothing. What is dependent
//! follows from the accesses alone (`shared::conflict`), for the explorer as well.

use crate::arena;
use crate::atomics;
use crate::libc::{EBUSY, EDEADLK, EINVAL, EPERM, ESRCH, ETIMEDOUT};
use crate::objects::{NOBODY, Object, object, within};
use crate::shared::*;
use crate::spin;
use crate::state::*;
use crate::time;

/// A result that says: undefined, report it.
pub const UNDEFINED: i64 = -1000;

/// The value in memory; of wide accesses none.
pub fn peek(addr: u64, size: u32) -> u64 {
    unsafe {
        match size {
            1 => (addr as *const u8).read_volatile().into(),
            2 => (addr as *const u16).read_unaligned().into(),
            4 => (addr as *const u32).read_unaligned().into(),
            8 => (addr as *const u64).read_unaligned(),
            _ => 0,
        }
    }
}

/// Those that wait for a condition variable.
fn waiters(cond: u64) -> impl Iterator<Item = usize> {
    let rt = rt();
    (0..rt.count).filter(move |&i| {
        let thread = thread(i);
        has(&rt.alive, i)
            && matches!(thread.op.kind, REACQUIRE | TIMED_REACQUIRE)
            && thread.op.addr == cond
            && !thread.signalled
    })
}

/// Those that stand at a barrier, with `who`, who comes now.
fn meeting(who: usize, barrier: u64) -> impl Iterator<Item = usize> {
    let rt = rt();
    (0..rt.count).filter(move |&i| {
        let thread = thread(i);
        let stands = thread.op.kind == LEAVE && thread.op.addr == barrier;
        let now = thread.generation == object(barrier).generation;
        has(&rt.alive, i) && (i == who || stands && now)
    })
}

/// Who may be told to be the serial one: those who look at that, and one of the others.
fn serials(who: usize, barrier: u64) -> impl Iterator<Item = usize> {
    let mut other = false;
    meeting(who, barrier).filter(move |&i| thread(i).asks || !core::mem::replace(&mut other, true))
}

fn free_for(object: &Object, who: usize) -> bool {
    object.owner == NOBODY
        || object.destroyed
        || (usize::from(object.owner) == who && object.class != 0)
}

/// Whether a read-write lock is free for a writer.
fn nobody_has(lock: &Object) -> bool {
    lock.destroyed || lock.owner == NOBODY && lock.limit == 0
}

/// Whether a thread could take its step now.
pub fn enabled(who: usize) -> bool {
    let thread = thread(who);
    let op = &thread.op;
    if thread.spins && !spin::released(who) {
        return false;
    }
    match op.kind {
        LOCK => free_for(object(op.addr), who),
        REACQUIRE => thread.signalled && object(op.a).owner == NOBODY,
        TIMED_REACQUIRE => object(op.a).owner == NOBODY,
        JOIN => crate::state::thread(op.addr as usize).ended,
        SEM_WAIT => {
            let semaphore = object(op.addr);
            semaphore.destroyed || semaphore.count > 0
        }
        RDLOCK => object(op.addr).owner == NOBODY,
        WRLOCK => nobody_has(object(op.addr)),
        LEAVE => object(op.addr).generation != thread.generation,
        ONCE => object(op.addr).count != 1,
        PROCESS_EXIT | ASSUME | STOPPED | TOO_MANY => false,
        _ => true,
    }
}

/// How many alternatives the step has.
pub fn choices(who: usize) -> u16 {
    let op = &thread(who).op;
    match op.kind {
        CHOICE => (op.a as u16).max(1),
        SIGNAL => (waiters(op.addr).count() as u16).max(1),
        ARRIVE if object(op.addr).count + 1 >= object(op.addr).limit => {
            serials(who, op.addr).count() as u16
        }
        _ => 1,
    }
}

/// The key of an object.
fn key(addr: u64) -> u64 {
    (addr & ((1 << 61) - 1)) | OBJECT
}

/// Calls `put` with each access of the step.
pub fn footprint(who: usize, choice: u16, put: &mut dyn FnMut(Access)) {
    let thread = thread(who);
    let op = &thread.op;
    if thread.spins {
        spin::cells(who, put);
    }
    let mut on = |key: u64, mode: u8, flags: u8| {
        put(Access {
            key,
            size: 1,
            mode,
            flags,
            unused: 0,
        })
    };
    let it = key(op.addr);
    if let Some(addr) = used(op)
        && arena::may_go(who, addr)
        && !object(addr).touched
    {
        // Who frees the memory can't know of an object that nobody has used: the first step on it reads memory as well.
        on(addr, MODE_READ, SILENT);
    }
    match op.kind {
        START => on(THREAD | who as u64, MODE_READ, ORDER),
        EXIT => {
            on(THREAD | who as u64, MODE_WRITE, ORDER);
            if who != 0 {
                on(STACK | who as u64, MODE_WRITE, SILENT);
                let bottom = (STACKS_AT + who * STACK_SIZE) as u64;
                within(bottom, STACK_SIZE as u64).for_each(|o| on(key(o.addr), MODE_WRITE, SILENT));
            }
        }
        CREATE => on(THREAD | op.addr, MODE_WRITE, ORDER),
        JOIN => {
            on(THREAD | op.addr, MODE_READ, ORDER);
            // Who joins a thread that somebody has joined or detached is told so.
            on(FATE | op.addr, MODE_WRITE, SILENT);
        }
        DETACH => on(FATE | op.addr, MODE_ADD, SILENT),
        READ | WRITE | FREE | ATOMIC_LOAD | ATOMIC_STORE | ATOMIC_RMW | ATOMIC_CAS => {
            // What is no address crashes when it is accessed, and must not be taken for an object.
            if op.size > 0 && op.addr < 1 << 47 {
                put(Access {
                    key: op.addr,
                    size: op.size,
                    mode: atomics::mode(op),
                    flags: op.flags,
                    unused: 0,
                });
                if op.kind == FREE {
                    within(op.addr, op.size.into()).for_each(|o| {
                        put(Access {
                            key: key(o.addr),
                            size: 1,
                            mode: MODE_WRITE,
                            flags: SILENT,
                            unused: 0,
                        })
                    });
                }
                if let Some(owner) = foreign_stack(who, op.addr) {
                    put(Access {
                        key: STACK | owner as u64,
                        size: 1,
                        mode: MODE_READ,
                        flags: SILENT,
                        unused: 0,
                    });
                }
                if atomics::mode(op) == MODE_WRITE {
                    crate::invariants::touched(op.addr, op.size, &mut |i| put(promised(i)));
                }
            }
        }
        LOCK => {
            if usize::from(object(op.addr).owner) != who {
                on(it, MODE_WRITE, BLOCKING);
            }
        }
        // POSIX: what can be had at once is never too late. Who waits and gets it comes when it is free.
        TRYLOCK | TIMEDLOCK => match object(op.addr) {
            object if object.owner == NOBODY => on(it, MODE_WRITE, 0),
            object if usize::from(object.owner) == who && object.class == 1 => {}
            _ => on(it, MODE_READ, 0),
        },
        UNLOCK => {
            let object = object(op.addr);
            if usize::from(object.owner) != who {
                on(it, MODE_READ, 0);
            } else if object.count <= 1 {
                on(it, MODE_WRITE, RELEASE);
            }
        }
        INIT | DESTROY => on(it, MODE_WRITE, 0),
        WAIT => {
            on(op.a | OBJECT, MODE_WRITE, RELEASE);
            on(it, MODE_WRITE, 0);
        }
        REACQUIRE => {
            on(WAKE | who as u64, MODE_READ, ORDER);
            on(op.a | OBJECT, MODE_WRITE, BLOCKING);
        }
        TIMED_REACQUIRE => {
            // A signal that comes may come too late: no order is taken for granted.
            on(it, MODE_WRITE, 0);
            on(op.a | OBJECT, MODE_WRITE, BLOCKING);
        }
        SIGNAL => match waiters(op.addr).nth(choice.into()) {
            None => on(it, MODE_READ, 0),
            Some(other) => {
                on(it, MODE_WRITE, 0);
                on(WAKE | other as u64, MODE_WRITE, ORDER);
            }
        },
        BROADCAST => {
            let mut any = false;
            for other in waiters(op.addr) {
                any = true;
                on(WAKE | other as u64, MODE_WRITE, ORDER);
            }
            on(it, if any { MODE_WRITE } else { MODE_READ }, 0);
        }
        SEM_WAIT => on(it, MODE_WRITE, BLOCKING),
        SEM_TRYWAIT | SEM_TIMEDWAIT => {
            let free = object(op.addr).count > 0;
            on(it, if free { MODE_WRITE } else { MODE_READ }, 0);
        }
        SEM_POST => {
            let empty = object(op.addr).count == 0;
            on(it, MODE_ADD, if empty { RELEASE } else { 0 });
        }
        SEM_GET => on(it, MODE_READ, 0),
        RDLOCK => on(it, MODE_ADD, BLOCKING),
        WRLOCK => on(it, MODE_WRITE, BLOCKING),
        TRYRDLOCK | TIMEDRDLOCK => {
            let free = object(op.addr).owner == NOBODY;
            on(it, if free { MODE_ADD } else { MODE_READ }, 0);
        }
        TRYWRLOCK | TIMEDWRLOCK => {
            let free = nobody_has(object(op.addr));
            on(it, if free { MODE_WRITE } else { MODE_READ }, 0);
        }
        RWUNLOCK => {
            let writer = object(op.addr).owner != NOBODY;
            on(it, if writer { MODE_WRITE } else { MODE_ADD }, RELEASE);
        }
        ARRIVE => {
            // They may come in any order: who is told to be the serial thread is an alternative of the last one's step.
            // But who meets whom matters, if there are more of them.
            let barrier = object(op.addr);
            let mode = if barrier.generation & 1 == 0 {
                MODE_ADD
            } else {
                MODE_ADD_OTHER
            };
            let last = barrier.count + 1 >= barrier.limit;
            on(it, mode, if last { CLOSES } else { 0 });
            on(generation(op.addr, barrier.generation), MODE_ADD, ORDER);
        }
        LEAVE => on(generation(op.addr, thread.generation), MODE_READ, ORDER),
        ONCE => {
            let done = object(op.addr).count == 2;
            on(it, if done { MODE_READ } else { MODE_WRITE }, BLOCKING);
        }
        ONCE_DONE => on(it, MODE_WRITE, RELEASE),
        KEY => on(OBJECT | 1, MODE_WRITE, 0),
        PROMISE => put(promised(op.a)),
        _ => {}
    }
}

/// What all steps have in common that write what an invariant reads.
fn promised(invariant: u64) -> Access {
    Access {
        key: PROMISED | invariant,
        size: 1,
        mode: MODE_WRITE,
        flags: SILENT,
        unused: 0,
    }
}

/// The key of one use of a barrier.
fn generation(addr: u64, generation: u32) -> u64 {
    7 << 61 | (spin::mix(addr) >> 3).wrapping_add(generation.into()) & !(7 << 61)
}

fn take(object: &mut Object, who: usize) {
    object.owner = who as u16;
    object.count = 1;
    time::see(who, object.time);
    let thread = thread(who);
    thread.holds += 1;
    thread.held ^= spin::mix(object.addr);
}

fn give(object: &mut Object, who: usize) {
    object.owner = NOBODY;
    object.count = 0;
    let thread = thread(who);
    object.time = object.time.max(thread.time);
    thread.holds -= 1;
    thread.gave += 1;
    thread.held ^= spin::mix(object.addr);
}

/// Takes the step. The result is what the function returns; the value is for people.
pub fn execute(who: usize, choice: u16) -> (i64, u64) {
    let thread = thread(who);
    let op = thread.op;
    if thread.spins {
        spin::goes_on(who);
    }
    let result = match op.kind {
        READ | WRITE | FREE | ATOMIC_LOAD | ATOMIC_STORE | ATOMIC_RMW | ATOMIC_CAS => {
            return atomics::execute(who);
        }
        _ => synchronise(who, choice, &op),
    };
    (result, result as u64)
}

/// The object that a step must not find destroyed. Who is woken may find that the condition variable is gone, and who
/// leaves a barrier, too.
fn used(op: &Op) -> Option<u64> {
    match op.kind {
        LOCK | TRYLOCK | TIMEDLOCK | UNLOCK | DESTROY | WAIT | SIGNAL | BROADCAST | SEM_WAIT
        | SEM_TRYWAIT | SEM_TIMEDWAIT | SEM_POST | SEM_GET | RDLOCK | WRLOCK | TRYRDLOCK
        | TRYWRLOCK | TIMEDRDLOCK | TIMEDWRLOCK | RWUNLOCK | ARRIVE => Some(op.addr),
        REACQUIRE | TIMED_REACQUIRE => Some(op.a),
        _ => None,
    }
}

fn synchronise(who: usize, choice: u16, op: &Op) -> i64 {
    let thread = thread(who);
    let fails = |error: i32| {
        spin::see_object(who, op.addr);
        i64::from(error)
    };
    if let Some(addr) = used(op) {
        object(addr).touched = true;
        if object(addr).destroyed {
            return UNDEFINED;
        }
    }
    match op.kind {
        LOCK | TRYLOCK | TIMEDLOCK => {
            let object = object(op.addr);
            if object.owner == NOBODY {
                take(object, who);
                return 0;
            }
            if usize::from(object.owner) == who && object.class == 1 {
                object.count += 1;
                thread.holds += 1;
                return 0;
            }
            match op.kind {
                LOCK => EDEADLK.into(),
                TRYLOCK => fails(EBUSY),
                _ => fails(ETIMEDOUT),
            }
        }
        UNLOCK => {
            let object = object(op.addr);
            if usize::from(object.owner) != who {
                return if object.class == 0 {
                    UNDEFINED
                } else {
                    EPERM.into()
                };
            }
            if object.count > 1 {
                object.count -= 1;
                thread.holds -= 1;
                thread.gave += 1;
            } else {
                give(object, who);
            }
            0
        }
        WAIT => {
            let object = object(op.a);
            if usize::from(object.owner) != who {
                return UNDEFINED;
            }
            if object.count > 1 {
                return UNDEFINED;
            }
            thread.signalled = false;
            give(object, who);
            0
        }
        REACQUIRE | TIMED_REACQUIRE => {
            let signalled = thread.signalled;
            if signalled {
                spin::forget(who);
            }
            thread.signalled = false;
            take(object(op.a), who);
            if signalled { 0 } else { ETIMEDOUT.into() }
        }
        ATOMIC_BEGIN => {
            rt().region = true;
            0
        }
        CHOICE => {
            thread.chose += 1;
            match op.b as *const i64 {
                values if values.is_null() => choice.into(),
                values => unsafe { *values.add(choice.into()) },
            }
        }
        START => {
            thread.begun = true;
            0
        }
        _ => {
            spin::forget(who);
            change(who, choice, op)
        }
    }
}

/// The steps that always change something.
fn change(who: usize, choice: u16, op: &Op) -> i64 {
    let rt = rt();
    let fails = |error: i32| {
        spin::see_object(who, op.addr);
        i64::from(error)
    };
    let late = match op.kind {
        TIMEDRDLOCK | TIMEDWRLOCK => ETIMEDOUT,
        _ => EBUSY,
    };
    match op.kind {
        EXIT => {
            thread(who).ended = true;
            drop(&mut rt.alive, who);
            0
        }
        PROCESS_EXIT => {
            shared().exit_code = op.a as i32;
            crate::schedule::finish(crate::schedule::unfinished())
        }
        JOIN => {
            let other = thread(op.addr as usize);
            if other.joined || other.detached {
                let error = if other.joined { ESRCH } else { EINVAL };
                return error.into();
            }
            other.joined = true;
            0
        }
        DETACH => {
            crate::state::thread(op.addr as usize).detached = true;
            0
        }
        INIT => {
            let object = object(op.addr);
            object.owner = NOBODY;
            object.destroyed = false;
            object.class = op.a as u8;
            object.count = op.b as u32;
            object.limit = op.size;
            0
        }
        DESTROY => {
            let object = object(op.addr);
            let waited = waiters(op.addr).next().is_some();
            if object.owner != NOBODY || waited {
                return EBUSY.into();
            }
            object.destroyed = true;
            0
        }
        SIGNAL => {
            let chosen = waiters(op.addr).nth(choice.into());
            if let Some(other) = chosen {
                thread(other).signalled = true;
            }
            0
        }
        BROADCAST => {
            for other in waiters(op.addr) {
                thread(other).signalled = true;
            }
            0
        }
        SEM_WAIT | SEM_TRYWAIT | SEM_TIMEDWAIT => {
            let object = object(op.addr);
            if object.count > 0 {
                object.count -= 1;
                time::see(who, object.time);
                return 0;
            }
            fails(if op.kind == SEM_TRYWAIT {
                crate::libc::EAGAIN
            } else {
                ETIMEDOUT
            })
        }
        SEM_POST => {
            let object = object(op.addr);
            object.count += 1;
            object.time = object.time.max(thread(who).time);
            0
        }
        SEM_GET => object(op.addr).count.into(),
        RDLOCK | TRYRDLOCK | TIMEDRDLOCK => {
            let lock = object(op.addr);
            if lock.owner != NOBODY {
                return fails(late);
            }
            lock.limit += 1;
            0
        }
        WRLOCK | TRYWRLOCK | TIMEDWRLOCK => {
            let lock = object(op.addr);
            if !nobody_has(lock) {
                return fails(late);
            }
            lock.owner = who as u16;
            0
        }
        RWUNLOCK => {
            let lock = object(op.addr);
            if usize::from(lock.owner) == who {
                lock.owner = NOBODY;
            } else if lock.owner == NOBODY && lock.limit > 0 {
                lock.limit -= 1;
            } else {
                return UNDEFINED;
            }
            0
        }
        ARRIVE => {
            let barrier = object(op.addr);
            if barrier.limit == 0 {
                return UNDEFINED;
            }
            thread(who).generation = barrier.generation;
            thread(who).serial = false;
            barrier.count += 1;
            if barrier.count >= barrier.limit {
                if let Some(serial) = serials(who, op.addr).nth(choice.into()) {
                    thread(serial).serial = true;
                }
                barrier.count = 0;
                barrier.generation += 1;
            }
            0
        }
        ONCE => {
            let once = object(op.addr);
            if once.count == 2 {
                return 0;
            }
            once.count = 1;
            1
        }
        ONCE_DONE => {
            object(op.addr).count = 2;
            0
        }
        _ => 0,
    }
}
