//! `malloc` and its kin: each thread takes from a range of its own and nothing is given out twice, so that an address
//! does not depend on what other threads do, and what is freed can be told from what is in use.

use crate::check;
use crate::libc;
use crate::schedule;
use crate::shared::*;
use crate::state::*;
use crate::written;

/// Descriptions of blocks.
const BLOCKS_AT: usize = 0x2280_0000_0000;
const BLOCKS_SIZE: usize = 1 << 25;
const MOST: usize = BLOCKS_SIZE / size_of::<Block>();
/// Between two blocks.
const GAP: u64 = 32;

pub fn map_all() {
    map(ARENA_AT, ARENA_SIZE * MAX_THREADS);
    map(BLOCKS_AT, BLOCKS_SIZE * MAX_THREADS);
    written::map_bits();
}

fn block(thread: usize, i: usize) -> &'static mut Block {
    unsafe { &mut *((BLOCKS_AT + thread * BLOCKS_SIZE) as *mut Block).add(i) }
}

/// The block in which an address may lie: the last one that begins at or before it.
fn find(addr: u64) -> Option<&'static mut Block> {
    let at = (addr as usize).checked_sub(ARENA_AT)?;
    let owner = at / ARENA_SIZE;
    if owner >= MAX_THREADS || !has(&rt().made, owner) {
        return None;
    }
    let (mut low, mut high) = (0, thread(owner).blocks as usize);
    while low < high {
        let middle = (low + high) / 2;
        if block(owner, middle).start <= addr {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (low > 0).then(|| block(owner, low - 1))
}

pub fn in_arena(addr: u64) -> bool {
    (ARENA_AT as u64..(ARENA_AT + ARENA_SIZE * MAX_THREADS) as u64).contains(&addr)
}

/// The thread that has allocated what is at an address.
pub fn owner(addr: u64) -> u32 {
    ((addr as usize).saturating_sub(ARENA_AT) / ARENA_SIZE) as u32
}

/// Whether memory may be given back, or end with its thread, while others use it.
pub fn may_go(who: usize, addr: u64) -> bool {
    in_arena(addr) || foreign_stack(who, addr).is_some()
}

/// Whether a block begins at an address, in use or not.
pub fn owns(addr: u64) -> bool {
    in_arena(addr) && find(addr).is_some_and(|block| block.start == addr)
}

/// Reports an access that has just been made, if it was not inside a block in use.
pub fn check(addr: u64, size: u32) {
    if let Some(owner) = foreign_stack(rt().current, addr)
        && thread(owner).ended
    {
        check::error(STACK_GONE, addr, &[]);
    }
    if !in_arena(addr) {
        return;
    }
    match find(addr) {
        Some(block) if addr + u64::from(size) <= block.start + block.size => {
            if block.freed > 0 {
                check::error(USE_AFTER_FREE, addr, &[]);
            }
        }
        _ => check::error(OUT_OF_BLOCK, addr, &[]),
    }
}

fn allocate(size: u64, align: u64) -> u64 {
    let rt = rt();
    let thread = me();
    if size >= 1 << 47 {
        // More than there are addresses.
        unsafe { *libc::__errno_location() = libc::ENOMEM };
        return 0;
    }
    crate::spin::forget(rt.current);
    rt.allocated += size;
    if rt.allocated > shared().memory {
        check::limit("the program allocates more than --limit-memory allows");
    }
    let base = (ARENA_AT + rt.current * ARENA_SIZE) as u64;
    let start = (base + thread.top + GAP).next_multiple_of(align.max(16));
    let end = start + size;
    if size >= ARENA_SIZE as u64
        || end + GAP > base + ARENA_SIZE as u64
        || thread.blocks as usize >= MOST
    {
        check::limit("a thread allocates more than 4 GB, or more than 500,000 blocks");
    }
    *block(rt.current, thread.blocks as usize) = Block {
        start,
        size,
        pc: crate::shims::registers().pc,
        freed_at: 0,
        made: rt.steps,
        freed: 0,
        by: rt.current as u32,
        marks: shared().marks,
    };
    thread.blocks += 1;
    thread.top = end.next_multiple_of(16) - base;
    start
}

/// A block for the program; none, where that is an alternative and it is taken.
fn give(size: u64, align: u64) -> u64 {
    if shared().oom != 0 && !me().starved && !rt().quiet {
        let fails = schedule::step(Op {
            kind: Kind::Allocate,
            a: 2,
            ..Op::default()
        });
        if fails != 0 {
            me().starved = true;
            unsafe { *libc::__errno_location() = libc::ENOMEM };
            return 0;
        }
    }
    allocate(size, align)
}

/// A block that the runtime needs itself.
pub fn own(size: u64) -> u64 {
    allocate(size, 16)
}

/// The same, with nothing in it.
fn give_empty(size: u64, align: u64) -> u64 {
    let start = give(size, align);
    if start != 0 {
        written::fill(start, size);
    }
    start
}

pub extern "C" fn malloc(size: u64) -> u64 {
    give_empty(size, 16)
}

pub extern "C" fn calloc(n: u64, size: u64) -> u64 {
    // Never used before, so it is zero.
    n.checked_mul(size).map_or(0, |size| give(size, 16))
}

pub extern "C" fn aligned_alloc(align: u64, size: u64) -> u64 {
    if !align.is_power_of_two() {
        check::error(MISUSE, 0, &[b"alignment that is no power of two"]);
    }
    give_empty(size, align)
}

pub extern "C" fn posix_memalign(to: *mut u64, align: u64, size: u64) -> i32 {
    if !align.is_power_of_two() {
        return libc::EINVAL;
    }
    match give_empty(size, align) {
        0 => libc::ENOMEM,
        block => {
            crate::atomics::deliver(to, block);
            0
        }
    }
}

/// Marks a block as freed by the step that is taken: 0, or the error.
pub fn release(addr: u64, pc: u64) -> i64 {
    match find(addr) {
        Some(block) if block.start == addr => {
            if block.freed > 0 {
                return DOUBLE_FREE.into();
            }
            (block.freed, block.freed_at) = (rt().steps, pc);
            0
        }
        _ => BAD_FREE.into(),
    }
}

/// Whether the C library has allocated it itself, for one of its functions that we don't know (`getline`).
fn is_of_the_library(addr: u64) -> bool {
    unsafe extern "C" {
        static _end: u8;
    }
    let data_ends = &raw const _end as u64;
    addr > data_ends && addr < unsafe { libc::sbrk(0) } as u64
}

pub extern "C" fn free(addr: u64) {
    if addr == 0 {
        return;
    }
    if is_of_the_library(addr) {
        return unsafe { libc::free(addr as *mut u8) };
    }
    let size = match find(addr) {
        Some(block) if block.start == addr => block.size.min(u32::MAX.into()) as u32,
        _ => check::error(BAD_FREE, addr, &[]),
    };
    let result = schedule::step(Op {
        kind: Kind::Free,
        size: size.max(1),
        addr,
        ..Op::default()
    });
    if result != 0 {
        check::error(result as u32, addr, &[]);
    }
}

pub extern "C" fn realloc(addr: u64, size: u64) -> u64 {
    if addr == 0 {
        return malloc(size);
    }
    if is_of_the_library(addr) {
        return unsafe { libc::realloc(addr as *mut u8, size as usize) } as u64;
    }
    let old = match find(addr) {
        Some(block) if block.start == addr => block.size,
        _ => check::error(BAD_FREE, addr, &[]),
    };
    let new = malloc(size);
    if new == 0 {
        return 0;
    }
    let n = old.min(size);
    crate::strings::copy(new, addr, n);
    free(addr);
    new
}

pub extern "C" fn reallocarray(addr: u64, n: u64, size: u64) -> u64 {
    n.checked_mul(size).map_or(0, |size| realloc(addr, size))
}

/// The block in use that an address points into.
pub fn used(addr: u64) -> Option<&'static mut Block> {
    find(addr).filter(|b| b.freed == 0 && addr < b.start + b.size.max(1))
}

/// All blocks of a thread.
pub fn blocks(i: usize) -> impl Iterator<Item = &'static mut Block> {
    (0..thread(i).blocks as usize).map(move |k| block(i, k))
}

/// Tells the explorer of the blocks.
pub fn tell() {
    let (rt, shared) = (rt(), shared());
    for i in (0..rt.count).filter(|&i| has(&rt.made, i)) {
        for block in blocks(i) {
            let n = shared.blocks as usize;
            if n < MAX_BLOCKS {
                shared.block[n] = *block;
                shared.blocks += 1;
            }
        }
    }
}

/// Words at the top of a stack in which a function's variables are looked for.
const TOP: u64 = 64;
/// Pointers that were told last, and need not be told again.
const RECENT: usize = 32;

/// Tells the explorer which pointers into the heap the running function keeps on the stack.
pub fn tell_pointers(who: usize, sp: u64) {
    let (rt, shared) = (rt(), shared());
    for addr in (sp..sp + 8 * TOP).step_by(8) {
        let n = shared.pointers as usize;
        if n >= MAX_POINTERS || !own_stack(who, addr) {
            return;
        }
        let value = unsafe { (addr as *const u64).read_unaligned() };
        let known = |p: &Pointer| p.addr == addr && p.value == value;
        if in_arena(value) && !shared.pointer[n.saturating_sub(RECENT)..n].iter().any(known) {
            shared.pointer[n] = Pointer {
                addr,
                value,
                at: rt.steps,
                marks: shared.marks,
            };
            shared.pointers += 1;
        }
    }
}

/// Makes a thread's memory as it was before its first allocation.
pub fn wipe(i: usize) {
    let used = thread(i).top as usize;
    if used == 0 {
        return;
    }
    let base = (ARENA_AT + i * ARENA_SIZE) as *mut u8;
    written::wipe(base as u64, used as u64);
    zero(base, used);
}
