//! Threads, mutexes, condition variables and keys.

use crate::arena;
use crate::atomics::{deliver, fetch};
use crate::check;
use crate::libc;
use crate::objects::object;
use crate::schedule;
use crate::shared::*;
use crate::shims;
use crate::spin;
use crate::startup;
use crate::state::*;
use crate::steps::UNDEFINED;
use crate::time::{late, see};
use crate::tls;
use crate::written;

unsafe extern "C" {
    fn pthread_mutexattr_gettype(attr: usize, to: *mut i32) -> i32;
}

/// What `pthread_attr_setdetachstate` is told.
const DETACHED: i32 = 1;

/// A step on an object.
pub fn on(kind: Kind, addr: u64, a: u64) -> i64 {
    schedule::step(Op {
        kind,
        addr,
        a,
        ..Op::default()
    })
}

/// A step on an object. It is an error if the object is not there any more, or if the step means nothing: `wrong` says
/// why.
pub fn operate(kind: Kind, (addr, a): (u64, u64), what: &[u8], wrong: &[u8]) -> i64 {
    // Whoever frees it from here on is to find it.
    object(addr);
    let result = on(kind, addr, a);
    if !matches!(kind, Kind::Reacquire | Kind::TimedReacquire | Kind::Leave) {
        arena::check(addr, 1);
    }
    if a != 0 {
        arena::check(a, 1);
    }
    if result == UNDEFINED {
        let wakes = matches!(kind, Kind::Reacquire | Kind::TimedReacquire);
        let used = if wakes { a } else { addr };
        if object(used).destroyed {
            check::error(MISUSE, addr, &[b"use of a destroyed ", what]);
        }
        if written::is_raw(used) {
            check::error(MISUSE, addr, &[b"use of an uninitialised ", what]);
        }
        check::error(MISUSE, addr, &[wrong]);
    }
    result
}

/// Makes an object anew.
pub fn init(addr: u64, class: u64, count: u32, limit: u32) -> i32 {
    schedule::step(Op {
        kind: Kind::Init,
        addr,
        a: class,
        b: count.into(),
        size: limit,
        ..Op::default()
    });
    arena::check(addr, 1);
    0
}

/// The identity of a thread's next child: the same in each execution, whatever the order of creations.
fn name(parent: usize, child: u16) -> usize {
    let shared = shared();
    if shared.names == 0 {
        shared.names = 1;
    }
    let known = (shared.names as usize).min(MAX_THREADS);
    let wanted = [parent as u16, child];
    if let Some(i) = (1..known).find(|&i| shared.name[i] == wanted) {
        return i;
    }
    if known >= MAX_THREADS {
        check::stop(Kind::TooMany);
    }
    shared.name[known] = wanted;
    shared.names += 1;
    known
}

/// Makes a thread that stands before its start.
pub fn spawn(i: usize, entry: usize, argument: usize) {
    let rt = rt();
    let thread = thread(i);
    unsafe { core::ptr::write_bytes(thread, 0, 1) };
    put(&mut rt.alive, i);
    put(&mut rt.made, i);
    rt.count = rt.count.max(i + 1);
    let bottom = (spin::stack_top(i) - STACK_SIZE) as *mut u8;
    unsafe { libc::mprotect(bottom, GUARD, libc::PROT_NONE) };
    let top = tls::make(i);
    *thread = Thread {
        sp: shims::prepare(top, begin as *const () as usize),
        op: Op {
            kind: Kind::Start,
            pc: entry as u64 + 1,
            ..Op::default()
        },
        entry,
        argument,
        alive: true,
        unread: NO_STEP,
        low: top,
        ..unsafe { core::mem::zeroed() }
    };
}

/// Where a thread begins, on its own stack.
extern "C" fn begin() {
    let thread = me();
    let entry: extern "C" fn(usize) -> usize = unsafe { core::mem::transmute(thread.entry) };
    let value = entry(thread.argument);
    end(value)
}

fn end(value: usize) -> ! {
    run_destructors();
    if rt().current == 0 && startup::is_needed() {
        check::limit("what is to be called at the exit of a process whose last thread ends it");
    }
    me().value = value;
    schedule::step(Op {
        kind: Kind::Exit,
        pc: me().entry as u64 + 1,
        ..Op::default()
    });
    schedule::next();
    schedule::finish(DIVERGED)
}

pub extern "C" fn create(handle: *mut u64, attr: usize, entry: usize, argument: usize) -> i32 {
    let parent = rt().current;
    let child = me().children;
    me().children += 1;
    let made: u32 = rt().made.iter().map(|word| word.count_ones()).sum();
    if made >= shared().max_threads {
        check::stop(Kind::TooMany);
    }
    let detached = attr != 0 && fetch(attr as *const i32) == DETACHED;
    let i = name(parent, child);
    on(Kind::Create, i as u64, 0);
    spawn(i, entry, argument);
    thread(i).time = me().time;
    thread(i).detached = detached;
    deliver(handle, i as u64 + 1);
    0
}

/// Attributes of threads are our own: all that counts is whether they are detached. Preprocessed programs were often
/// made for a machine of 32 bits, where there are fewer bytes of them.
pub extern "C" fn attr_init(attr: *mut [u32; 9]) -> i32 {
    deliver(attr, [0; 9]);
    0
}

pub extern "C" fn attr_set_detached(attr: *mut i32, state: i32) -> i32 {
    deliver(attr, state);
    0
}

pub extern "C" fn attr_get_detached(attr: *const i32, to: *mut i32) -> i32 {
    deliver(to, fetch(attr));
    0
}

pub extern "C" fn attr_get_stack(_: usize, to: *mut usize) -> i32 {
    deliver(to, STACK_SIZE);
    0
}

/// An attribute that makes no difference here.
pub extern "C" fn attr_ignored() -> i32 {
    0
}

/// All threads are scheduled the usual way.
pub extern "C" fn get_policy(_: u64, policy: *mut i32, priority: *mut i32) -> i32 {
    deliver(policy, 0);
    deliver(priority, 0);
    0
}

/// Programs that send signals are refused, so it makes no difference which are blocked.
pub extern "C" fn mask(_: i32, _: usize, old: *mut [u64; 16]) -> i32 {
    if !old.is_null() {
        deliver(old, [0; 16]);
    }
    0
}

pub extern "C" fn set_robust(_: usize, robust: i32) -> i32 {
    if robust != 0 {
        check::limit("a robust mutex");
    }
    0
}

pub extern "C" fn get_robust(_: usize, to: *mut i32) -> i32 {
    deliver(to, 0);
    0
}

fn known(handle: u64) -> Option<usize> {
    let i = handle.wrapping_sub(1) as usize;
    (i < MAX_THREADS && has(&rt().made, i)).then_some(i)
}

pub extern "C" fn join(handle: u64, to: *mut u64) -> i32 {
    let Some(i) = known(handle) else {
        check::error(MISUSE, handle, &[b"join of what is no thread"])
    };
    if i == rt().current {
        return libc::EDEADLK;
    }
    let result = on(Kind::Join, i as u64, 0);
    if result == 0 {
        see(rt().current, thread(i).time);
    }
    if result == 0 && !to.is_null() {
        deliver(to, thread(i).value as u64);
    }
    result as i32
}

pub extern "C" fn detach(handle: u64) -> i32 {
    let Some(i) = known(handle) else {
        check::error(MISUSE, handle, &[b"detach of what is no thread"])
    };
    on(Kind::Detach, i as u64, 0);
    0
}

pub extern "C" fn exit(value: usize) {
    if me().handlers > 0 {
        crate::check::limit("a cleanup handler that `pthread_exit` should call");
    }
    end(value)
}

/// `pthread_cleanup_push` and `pthread_cleanup_pop`, as the C library's header has them. Nobody is cancelled.
pub extern "C" fn cleanup_push(_: usize) {
    me().handlers += 1;
}

pub extern "C" fn cleanup_pop(_: usize) {
    me().handlers = me().handlers.saturating_sub(1);
}

/// Nobody jumps back: programs that call `longjmp` are refused.
pub extern "C" fn setjmp(_: usize, _: i32) -> i32 {
    0
}

/// Goes on with what a handler is called for, where `setjmp` has returned for a second time.
pub extern "C" fn unwind_next(_: usize) {
    crate::check::limit("a jump back")
}

pub extern "C" fn itself() -> u64 {
    rt().current as u64 + 1
}

pub extern "C" fn mutex_init(mutex: u64, attr: usize) -> i32 {
    let mut kind = 0;
    if attr != 0 {
        unsafe { pthread_mutexattr_gettype(attr, &mut kind) };
    }
    init(mutex, if kind == 3 { 0 } else { kind as u64 }, 0, 1)
}

pub extern "C" fn spin_init(lock: u64, _: i32) -> i32 {
    init(lock, 0, 0, 1)
}

/// A mutex that nobody has initialised is what its static initialiser says.
fn known_mutex(mutex: u64) {
    let object = object(mutex);
    if object.limit == 0 {
        object.limit = 1;
        let kind = unsafe { *((mutex + 16) as *const i32) };
        object.class = if kind == 1 || kind == 2 {
            kind as u8
        } else {
            0
        };
    }
}

fn locking(kind: Kind, mutex: u64) -> i32 {
    let wrong = b"unlock of a mutex that the thread does not hold";
    operate(kind, (mutex, 0), b"mutex", wrong) as i32
}

pub extern "C" fn mutex_lock(mutex: u64) -> i32 {
    known_mutex(mutex);
    locking(Kind::Lock, mutex)
}

pub extern "C" fn mutex_trylock(mutex: u64) -> i32 {
    known_mutex(mutex);
    locking(Kind::TryLock, mutex)
}

pub extern "C" fn mutex_timedlock(mutex: u64, until: *const [i64; 2]) -> i32 {
    known_mutex(mutex);
    late(locking(Kind::TimedLock, mutex), until)
}

pub extern "C" fn mutex_clocklock(mutex: u64, _: i32, until: *const [i64; 2]) -> i32 {
    mutex_timedlock(mutex, until)
}

pub extern "C" fn mutex_unlock(mutex: u64) -> i32 {
    known_mutex(mutex);
    locking(Kind::Unlock, mutex)
}

pub extern "C" fn spin_lock(lock: u64) -> i32 {
    locking(Kind::Lock, lock)
}

pub extern "C" fn spin_trylock(lock: u64) -> i32 {
    locking(Kind::TryLock, lock)
}

pub extern "C" fn spin_unlock(lock: u64) -> i32 {
    locking(Kind::Unlock, lock)
}

const CONDITION: &[u8] = b"condition variable";

pub extern "C" fn cond_init(cond: u64, _: usize) -> i32 {
    init(cond, 0, 0, 0)
}

fn wait(cond: u64, mutex: u64, kind: Kind) -> i32 {
    known_mutex(mutex);
    let wrong = b"wait without holding the mutex";
    operate(Kind::Wait, (cond, mutex), CONDITION, wrong);
    operate(kind, (cond, mutex), b"mutex", b"") as i32
}

pub extern "C" fn cond_wait(cond: u64, mutex: u64) -> i32 {
    if shared().spurious == 0 {
        return wait(cond, mutex, Kind::Reacquire);
    }
    // What ends it may be nothing at all.
    match wait(cond, mutex, Kind::TimedReacquire) {
        libc::ETIMEDOUT => 0,
        result => result,
    }
}

pub extern "C" fn cond_timedwait(cond: u64, mutex: u64, until: *const [i64; 2]) -> i32 {
    late(wait(cond, mutex, Kind::TimedReacquire), until)
}

pub extern "C" fn cond_clockwait(cond: u64, mutex: u64, _: i32, until: *const [i64; 2]) -> i32 {
    cond_timedwait(cond, mutex, until)
}

pub extern "C" fn cond_signal(cond: u64) -> i32 {
    operate(Kind::Signal, (cond, 0), CONDITION, b"") as i32
}

pub extern "C" fn cond_broadcast(cond: u64) -> i32 {
    operate(Kind::Broadcast, (cond, 0), CONDITION, b"") as i32
}

pub extern "C" fn key_create(to: *mut u32, destructor: usize) -> i32 {
    on(Kind::Key, 0, 0);
    let rt = rt();
    let key = rt.keys;
    if key >= rt.destructor.len() {
        return libc::EAGAIN;
    }
    rt.destructor[key] = destructor;
    rt.keys += 1;
    deliver(to, key as u32);
    0
}

pub extern "C" fn key_delete(key: u32) -> i32 {
    on(Kind::Key, 0, 0);
    match rt().destructor.get_mut(key as usize) {
        Some(destructor) => *destructor = 0,
        None => return libc::EINVAL,
    }
    0
}

pub extern "C" fn getspecific(key: u32) -> usize {
    me().specific.get(key as usize).copied().unwrap_or(0)
}

pub extern "C" fn setspecific(key: u32, value: usize) -> i32 {
    spin::forget(rt().current);
    match me().specific.get_mut(key as usize) {
        Some(place) => *place = value,
        None => return libc::EINVAL,
    }
    0
}

/// POSIX asks for at least four rounds.
fn run_destructors() {
    for _ in 0..4 {
        let mut any = false;
        for key in 0..rt().keys {
            let value = core::mem::take(&mut me().specific[key]);
            let destructor = rt().destructor[key];
            if value != 0 && destructor != 0 {
                any = true;
                let destructor: extern "C" fn(usize) = unsafe { core::mem::transmute(destructor) };
                destructor(value);
            }
        }
        if !any {
            return;
        }
    }
}
