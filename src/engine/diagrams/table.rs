//! Hash tables of numbers: one that finds what stands elsewhere, and one that remembers results and may forget them.

use super::store::{Marks, Node};

/// Numbers by the hash of what they stand for; the owner compares. Open addressing, zero is no number.
#[derive(Debug, Default)]
pub struct Table {
    /// Half of the hash, and the number. With it, other keys are rarely compared.
    slots: Vec<u64>,
    used: usize,
}

impl Table {
    /// The number with this hash for which `same` says yes.
    #[inline]
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let tag = hash >> 32;
        let mut at = tag as usize & mask;
        loop {
            match self.slots[at] {
                0 => return None,
                slot if slot >> 32 == tag && same(slot as u32) => return Some(slot as u32),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Bytes that the next number to be added will need at once.
    pub fn needs(&self) -> usize {
        match (self.used + 1) * 4 > self.slots.len() * 3 {
            true => self.slots.len() * 2 * 8,
            false => 0,
        }
    }

    /// Adds a number that is not there.
    pub fn insert(&mut self, hash: u64, number: u32) {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.rebuild(self.slots.len() * 2, |_| true);
        }
        self.put(hash >> 32 << 32 | u64::from(number));
        self.used += 1;
    }

    #[inline]
    fn put(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (slot >> 32) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    fn rebuild(&mut self, size: usize, keep: impl Fn(u32) -> bool) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; size.max(1024)];
        for slot in old {
            if slot != 0 && keep(slot as u32) {
                self.put(slot);
            }
        }
    }

    /// Forgets all numbers but those that `keep` names, which are `left`.
    pub fn retain(&mut self, left: usize, keep: impl Fn(u32) -> bool) {
        self.rebuild((left * 2).next_power_of_two(), keep);
        self.used = left;
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * 8
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: (u32, u32),
    value: u32,
}

/// Results of an operation on two numbers. Entries may be lost at any time: nothing may depend on them.
#[derive(Debug, Default)]
pub struct Cache {
    /// Key (0, 0) is vacant: no operation is ever done on two empty sets.
    entries: Vec<Entry>,
    /// Puts since it last grew.
    puts: usize,
    most: usize,
    room: usize,
}

impl Cache {
    /// At most this many entries (a power of two).
    pub fn at_most(most: usize) -> Self {
        Cache {
            entries: Vec::new(),
            puts: 0,
            most: most.next_power_of_two(),
            room: 1 << 14,
        }
    }

    /// How many entries may be worth their memory now, if so many bytes are left: a large table is slow, since no
    /// processor cache holds it.
    pub fn suit(&mut self, entries: usize, left: usize) {
        let entries = entries.next_power_of_two().clamp(1 << 14, self.most);
        // Where memory is short, it stays as it is.
        self.room = match entries > self.entries.len() && entries * size_of::<Entry>() > left / 4 {
            true => self.entries.len(),
            false => entries,
        };
    }

    /// What is remembered.
    #[inline]
    pub fn get(&self, a: u32, b: u32) -> Option<u32> {
        let mask = self.entries.len().checked_sub(1)?;
        let entry = &self.entries[place(a, b) as usize & mask];
        (entry.key == (a, b)).then_some(entry.value)
    }

    /// Remembers a result.
    pub fn put(&mut self, a: u32, b: u32, value: u32) {
        self.puts += 1;
        if self.puts > self.entries.len() && self.entries.len() < self.room {
            let old = std::mem::take(&mut self.entries);
            self.entries = vec![Entry::default(); (old.len() * 2).max(1024)];
            for e in old.into_iter().filter(|e| e.key != (0, 0)) {
                self.set(e);
            }
            self.puts = 0;
        }
        self.set(Entry { key: (a, b), value });
    }

    fn set(&mut self, entry: Entry) {
        let mask = self.entries.len() - 1;
        let at = place(entry.key.0, entry.key.1) as usize & mask;
        self.entries[at] = entry;
    }

    /// Forgets entries that name nodes which are gone; `nodes` says which parts of the key are nodes.
    pub fn retain(&mut self, marks: &Marks, nodes: (bool, bool)) {
        let gone = |is: bool, n: Node| is && !marks.has(n);
        for e in &mut self.entries {
            if gone(nodes.0, e.key.0) || gone(nodes.1, e.key.1) || !marks.has(e.value) {
                *e = Entry::default();
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.fill(Entry::default());
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }
}

#[inline]
fn place(a: u32, b: u32) -> u64 {
    mix(u64::from(a) << 32 | u64::from(b))
}

/// Spreads a number over all bits.
#[inline]
pub fn mix(x: u64) -> u64 {
    let m = u128::from(x ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
    (m as u64) ^ ((m >> 64) as u64)
}
