//! Synchronisation objects: their state, in a table of our own and not in the program's memory, found by address.

use crate::state::*;

/// Places of the index, a power of two.
pub const SLOTS: usize = 8192;
const MOST: usize = SLOTS / 2;
/// Behind the threads.
const OBJECTS_AT: usize = THREADS_AT + (1 << 30);

/// No thread.
pub const NOBODY: u16 = u16::MAX;

/// A mutex, a semaphore, ..: whatever stands at one address.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Object {
    pub addr: u64,
    /// The owner of a mutex, or the writer of a read-write lock.
    pub owner: u16,
    /// Kind of mutex: 0 normal, 1 recursive, 2 error-checking.
    pub class: u8,
    pub destroyed: bool,
    /// How often it is locked; the value of a semaphore; who has arrived; 1 begun and 2 done of `once`.
    pub count: u32,
    /// Readers; how many a barrier waits for.
    pub limit: u32,
    pub generation: u32,
    /// When it was last given back, by the clock of who did it.
    pub time: i64,
    /// Whether a step was taken on it.
    pub touched: bool,
}

pub fn map_tables() {
    map(THREADS_AT, core::mem::size_of::<Thread>() * 256);
    map(OBJECTS_AT, core::mem::size_of::<Object>() * (MOST + 1));
}

/// The objects that stand in a piece of memory.
pub fn within(from: u64, size: u64) -> impl Iterator<Item = &'static Object> {
    let place = |n: usize| unsafe { &*(OBJECTS_AT as *const Object).add(n) };
    let all = (1..=rt().objects).map(place);
    all.filter(move |object| (from..from + size).contains(&object.addr))
}

/// The object at an address, made when it is first asked for.
pub fn object(addr: u64) -> &'static mut Object {
    let rt = rt();
    let mut at = (addr >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 20 & (SLOTS - 1);
    loop {
        let number = rt.index[at] as usize;
        let place = |n: usize| unsafe { &mut *(OBJECTS_AT as *mut Object).add(n) };
        if number == 0 {
            // What does not exist crashes here, as it would in the program.
            crate::steps::peek(addr, 1);
            if rt.objects + 1 >= MOST {
                crate::check::limit("more than 4,000 synchronisation objects");
            }
            rt.objects += 1;
            rt.index[at] = rt.objects as u16;
            let object = place(rt.objects);
            *object = Object {
                addr,
                owner: NOBODY,
                class: 0,
                destroyed: false,
                count: 0,
                limit: 0,
                generation: 0,
                time: 0,
                touched: false,
            };
            return object;
        }
        let object = place(number);
        if object.addr == addr {
            return object;
        }
        at = (at + 1) & (SLOTS - 1);
    }
}
