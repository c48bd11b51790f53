//! Sets of states that take a few bytes each.
//!
//! A set of 64-bit keys numbers them as they come. A state of one word is its own key. A longer one becomes a tree
//! (Blom, Lisser, van de Pol and Weber 2008; Laarman, van de Pol and Weber 2011): each word is numbered in a set of its
//! own, pairs of numbers are keys of further sets, and the last pair is the key of the state. There are few different
//! words and halves, so a state costs little more than its last key and its place in the hash table. In place of the
//! fixed tables of the sources, keys stand in the order in which they came, so that tables grow.

use crate::base::control::{Control, Stop};
use crate::engine::diagrams::{grow, mix};

/// A set of keys, numbered from 0.
#[derive(Debug, Default)]
pub struct Keys {
    keys: Vec<u64>,
    /// Numbers + 1 by hash; 0 is vacant.
    slots: Vec<u32>,
    /// The number of the last key that was inserted: parts of successors are often alike.
    last: u32,
}

impl Keys {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The key with a number.
    #[inline]
    pub fn key(&self, number: u32) -> u64 {
        self.keys[number as usize]
    }

    /// The number of a key, and whether it is new.
    ///
    /// # Errors
    /// [`Stop::Memory`] if there is no room, [`Stop::States`] if the numbers are used up, or as [`Control::check`].
    #[inline]
    pub fn insert(&mut self, key: u64, control: &Control) -> Result<(u32, bool), Stop> {
        if self.keys.get(self.last as usize) == Some(&key) {
            return Ok((self.last, false));
        }
        if (self.keys.len() + 1) * 4 > self.slots.len() * 3 {
            self.enlarge(control)?;
        }
        let mask = self.slots.len() - 1;
        let mut at = place(key) & mask;
        loop {
            match self.slots[at] {
                0 => break,
                n if self.keys[n as usize - 1] == key => {
                    self.last = n - 1;
                    return Ok((n - 1, false));
                }
                _ => at = (at + 1) & mask,
            }
        }
        grow(&mut self.keys, 1, control)?;
        self.keys.push(key);
        self.slots[at] = u32::try_from(self.keys.len()).map_err(|_| Stop::States)?;
        self.last = self.keys.len() as u32 - 1;
        Ok((self.last, true))
    }

    /// Finds where keys lie, so that the processor fetches what [`Keys::insert`] needs for all of them at once.
    #[inline]
    fn touch(&self, keys: &[u64]) {
        let Some(mask) = self.slots.len().checked_sub(1) else {
            return;
        };
        let mut found = [0u32; BATCH];
        for (n, &key) in found.iter_mut().zip(keys) {
            *n = self.slots[place(key) & mask];
        }
        let met = found.iter().filter(|&&n| n != 0);
        let seen = met.fold(0, |all, &n| all ^ self.keys[n as usize - 1]);
        std::hint::black_box(seen);
    }

    /// The number of a key, if it is there.
    pub fn find(&self, key: u64) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = place(key) & mask;
        loop {
            match self.slots[at] {
                0 => return None,
                n if self.keys[n as usize - 1] == key => return Some(n - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn enlarge(&mut self, control: &Control) -> Result<(), Stop> {
        control.check()?;
        let size = (self.slots.len() * 2).max(64);
        control.room(size * 4 - self.slots.len() * 4)?;
        // The old table goes first: it can be made again from the keys.
        self.slots = Vec::new();
        self.slots
            .try_reserve_exact(size)
            .map_err(|_| Stop::Memory)?;
        self.slots.resize(size, 0);
        for (n, &key) in self.keys.iter().enumerate() {
            let mut at = place(key) & (size - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = n as u32 + 1;
        }
        Ok(())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * 8 + self.slots.capacity() * 4
    }
}

/// The upper half of the hash: shards are told apart by the lower one.
#[inline]
fn place(key: u64) -> usize {
    (mix(key) >> 32) as usize
}

/// A set of states of some words each, numbered from 0.
#[derive(Debug)]
pub struct Visited {
    words: usize,
    /// One for each word, then one for each pair but the last, level by level.
    parts: Vec<Keys>,
    /// From the root down: how many numbers a level of pairs becomes, and the first of its parts.
    levels: Vec<(usize, usize)>,
    all: Keys,
}

impl Visited {
    /// No states of this many words (one at least).
    pub fn new(words: usize) -> Self {
        let parts = match words {
            1 => 0,
            // A binary tree has one inner node less than leaves; the root is `all`.
            n => 2 * n - 2,
        };
        let mut levels = Vec::new();
        let (mut wide, mut first) = (words, words);
        while wide > 2 {
            levels.push((wide, first));
            first += wide / 2;
            wide = wide.div_ceil(2);
        }
        levels.reverse();
        Visited {
            words,
            levels,
            parts: (0..parts).map(|_| Keys::default()).collect(),
            all: Keys::default(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The number of a state, and whether it is new.
    ///
    /// # Errors
    /// As [`Keys::insert`].
    pub fn insert(&mut self, state: &[u64], control: &Control) -> Result<(u32, bool), Stop> {
        let key = self.key(state, control)?;
        self.all.insert(key, control)
    }

    /// [`Visited::insert`] for up to [`BATCH`] states one after another, which is faster. Afterwards `numbers` has
    /// their results.
    ///
    /// # Errors
    /// As [`Keys::insert`].
    pub fn insert_all<'s>(
        &mut self,
        states: impl Iterator<Item = &'s [u64]>,
        control: &Control,
        numbers: &mut Vec<(u32, bool)>,
    ) -> Result<(), Stop> {
        let mut keys = [0; BATCH];
        let mut count = 0;
        for (key, state) in keys.iter_mut().zip(states) {
            *key = self.key(state, control)?;
            count += 1;
        }
        let keys = &keys[..count];
        self.all.touch(keys);
        numbers.clear();
        for &key in keys {
            numbers.push(self.all.insert(key, control)?);
        }
        Ok(())
    }

    /// The key of a state, whose parts are numbered.
    #[inline]
    fn key(&mut self, state: &[u64], control: &Control) -> Result<u64, Stop> {
        if self.words == 1 {
            return Ok(state[0]);
        }
        let mut numbers = [0u32; LONG];
        let mut long;
        let numbers: &mut [u32] = match self.words {
            n if n <= LONG => &mut numbers[..n],
            n => {
                long = vec![0u32; n];
                &mut long
            }
        };
        let mut part = 0;
        for (number, &word) in numbers.iter_mut().zip(state) {
            *number = self.parts[part].insert(word, control)?.0;
            part += 1;
        }
        // Neighbours are joined until two are left; an odd one goes up as it is.
        let mut len = self.words;
        while len > 2 {
            let mut to = 0;
            let mut from = 0;
            while from < len {
                numbers[to] = match from + 1 < len {
                    true => {
                        let pair = joined(numbers[from], numbers[from + 1]);
                        let number = self.parts[part].insert(pair, control)?.0;
                        part += 1;
                        number
                    }
                    false => numbers[from],
                };
                to += 1;
                from += 2;
            }
            len = to;
        }
        Ok(joined(numbers[0], numbers[1]))
    }

    /// The number of a state, if it is there.
    pub fn find(&self, state: &[u64]) -> Option<u32> {
        if self.words == 1 {
            return self.all.find(state[0]);
        }
        let (words, rest) = self.parts.split_at(self.words);
        let found = words.iter().zip(state).map(|(part, &word)| part.find(word));
        let mut numbers: Vec<u32> = found.collect::<Option<_>>()?;
        let mut parts = rest.iter();
        while numbers.len() > 2 {
            let mut wider = Vec::with_capacity(numbers.len().div_ceil(2));
            for pair in numbers.chunks(2) {
                wider.push(match *pair {
                    [a, b] => parts.next()?.find(joined(a, b))?,
                    _ => pair[0],
                });
            }
            numbers = wider;
        }
        self.all.find(joined(numbers[0], numbers[1]))
    }

    /// The state with a number.
    #[inline]
    pub fn state(&self, number: u32, into: &mut [u64]) {
        let key = self.all.key(number);
        if self.words == 1 {
            into[0] = key;
            return;
        }
        (into[0], into[1]) = (key >> 32, key & NUMBER);
        // In place from the right: nothing is overwritten before it was read.
        for &(wide, first) in &self.levels {
            if wide % 2 == 1 {
                into[wide - 1] = into[wide / 2];
            }
            for n in (0..wide / 2).rev() {
                let key = self.parts[first + n].key(into[n] as u32);
                (into[2 * n], into[2 * n + 1]) = (key >> 32, key & NUMBER);
            }
        }
        for (n, word) in into[..self.words].iter_mut().enumerate() {
            *word = self.parts[n].key(*word as u32);
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.all.bytes() + self.parts.iter().map(Keys::bytes).sum::<usize>()
    }
}

/// The bits of a number.
const NUMBER: u64 = u32::MAX as u64;

/// States that are put in together at most.
pub const BATCH: usize = 32;

/// Words up to which numbers need no allocation.
const LONG: usize = 32;

#[inline]
fn joined(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// States of any width come back as they were put in, under the number they were given.
    #[test]
    fn states_come_back() {
        let control = Control::default();
        for words in [1, 2, 3, 4, 5, 7, 8, 13, 33, 40] {
            let mut visited = Visited::new(words);
            let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
            let mut seed = 1u64;
            for _ in 0..3000 {
                let state: Vec<u64> = (0..words)
                    .map(|_| {
                        seed = mix(seed);
                        [0, 1, u64::MAX, seed % 5, seed][(seed >> 40) as usize % 5]
                    })
                    .collect();
                let fresh = !known.contains_key(&state);
                let next = known.len() as u32;
                assert_eq!(visited.find(&state), known.get(&state).copied());
                let number = *known.entry(state.clone()).or_insert(next);
                assert_eq!(visited.insert(&state, &control), Ok((number, fresh)));
            }
            assert_eq!(visited.len(), known.len());
            let mut back = vec![0; words];
            for (state, number) in known {
                visited.state(number, &mut back);
                assert_eq!(back, state, "{words} words");
            }
        }
    }
}
