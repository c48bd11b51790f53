//! Memory of the heap that nobody has written, where reading it is to be an error.
//!
//! A bit for each byte says whether an announced write has come. Not all writes are announced (some functions of the C
//! library make theirs unseen), so a block is filled besides, with numbers that follow from its address: only what
//! still holds them counts as unwritten. As in MemorySanitizer (Stepanov and Serebryany 2015), but that only the C
//! library's functions copy what is unwritten as such.

use crate::arena::in_arena;
use crate::check;
use crate::libc;
use crate::shared::*;
use crate::spin;
use crate::state::*;
use crate::strings::ROOM;

/// Where the bits are.
const BITS_AT: usize = 0x2600_0000_0000;
/// Of a block so many bytes are filled.
const MOST: u64 = 1 << 20;
/// What is read at once and is wider is a structure that is copied.
const WIDEST: u32 = 8;
/// So many unwritten bytes side by side are no accident.
const ENOUGH: usize = 4;
/// So much of a synchronisation object shows whether somebody has initialised it.
pub const HEAD: u32 = 4;

pub fn map_bits() {
    map(BITS_AT, ARENA_SIZE * MAX_THREADS / 8);
}

fn asked() -> bool {
    shared().unwritten != 0
}

/// The byte with the bit of an address in the arena.
fn byte(addr: u64) -> *mut u8 {
    (BITS_AT + (addr as usize - ARENA_AT) / 8) as *mut u8
}

/// What eight bytes of a block are filled with: no small number and no pointer.
fn filling(addr: u64) -> [u8; 8] {
    (spin::mix(addr) | 0x8080_8080_8080_8080).to_le_bytes()
}

/// A new block, with nothing in it.
pub fn fill(start: u64, size: u64) {
    if !asked() {
        return;
    }
    // Blocks begin at multiples of 16.
    for addr in (start..start + size.min(MOST)).step_by(8) {
        let n = (start + size - addr).min(8) as usize;
        unsafe { libc::memcpy(addr as *mut u8, filling(addr).as_ptr(), n) };
    }
}

/// A write is made.
pub fn note(addr: u64, size: u32) {
    let end = addr.saturating_add(size.into());
    if !asked() || !in_arena(addr) || !in_arena(end) {
        return;
    }
    let (first, last) = (addr.next_multiple_of(8), end & !7);
    if first < last {
        let n = (last - first) / 8;
        unsafe { libc::memset(byte(first), 0xFF, n as usize) };
    }
    let ends = (addr..end.min(first)).chain(last.max(first)..end);
    ends.for_each(|addr| unsafe { *byte(addr) |= 1 << (addr & 7) });
}

/// Whether the byte at an address in the arena is as it was before anybody has written it.
fn fresh(addr: u64) -> bool {
    let held = unsafe { *(addr as *const u8) };
    let written = unsafe { *byte(addr) } & 1 << (addr & 7) != 0;
    !written && held == filling(addr & !7)[addr as usize & 7]
}

/// Which bytes of what is copied nobody has written, if there are not too many.
pub struct Unwritten([u8; ROOM / 8]);

impl Unwritten {
    pub fn of(from: u64, n: usize) -> Unwritten {
        let mut bits = [0; ROOM / 8];
        if asked() && n <= ROOM {
            for i in (0..n).filter(|&i| in_arena(from + i as u64) && fresh(from + i as u64)) {
                bits[i / 8] |= 1 << (i % 8);
            }
        }
        Unwritten(bits)
    }

    /// The copy has been written: those bytes have not.
    pub fn again(&self, to: u64) {
        if !asked() {
            return;
        }
        for i in (0..ROOM).filter(|&i| self.0[i / 8] & 1 << (i % 8) != 0) {
            let addr = to + i as u64;
            if in_arena(addr) {
                unsafe {
                    *(addr as *mut u8) = filling(addr & !7)[addr as usize & 7];
                    *byte(addr) &= !(1 << (addr & 7));
                }
            }
        }
    }
}

/// Whether nobody can have written any of a piece of memory.
pub fn is_fresh(addr: u64, size: u32) -> bool {
    // One byte could be what somebody has written unseen; but its neighbours, too?
    let neighbours = || (addr & !7..(addr & !7) + 8).filter(|&addr| fresh(addr));
    asked()
        && size <= WIDEST
        && in_arena(addr)
        && (addr..addr + u64::from(size)).all(fresh)
        && (size as usize >= ENOUGH || neighbours().count() >= ENOUGH)
}

/// Whether nobody has initialised a synchronisation object.
pub fn is_raw(addr: u64) -> bool {
    is_fresh(addr, HEAD)
}

/// The running thread has read what nobody has written.
pub fn refuse(addr: u64) -> ! {
    check::error(UNWRITTEN, addr, &[])
}

/// A thread's memory is as it was before its first allocation.
pub fn wipe(base: u64, used: u64) {
    if asked() {
        zero(byte(base), used as usize / 8 + 1);
    }
}
