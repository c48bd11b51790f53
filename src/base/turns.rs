//! Two who work at the same thing in turns. Whoever settles it first is the answer.
//!
//! One explores the program in full, the other reduces it first, and nobody can tell beforehand which one is faster.
//! Turns are counted in work, not in seconds, so two runs take the same turns and give the same answer. Only one works
//! at any time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Whose turn it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Who settles hypotheses, then explores the reduced system.
    Reduced,
    /// Who explores in full.
    Full,
}

/// What the reducing side may do before the other begins, in pairs of BDD nodes: about a hundredth of a second.
const FIRST: u64 = 1 << 19;

/// As long as the other has done no more than this, about a second, the reducing side may do one part in `SHARE` of
/// its work; after that, three quarters of what the other has done.
const SOON: u64 = 1 << 25;
const SHARE: u64 = 8;

/// The turns of two sides.
#[derive(Debug, Default)]
pub struct Turns {
    account: Mutex<Account>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Account {
    /// What the reducing side has done, and the other.
    reduced: u64,
    full: u64,
    /// Who is done.
    over: [bool; 2],
    /// Who has all turns until it is done.
    first: Option<Side>,
}

impl Account {
    fn turn(&self) -> Side {
        let [reduced, full] = self.over;
        if reduced || full {
            return if reduced { Side::Full } else { Side::Reduced };
        }
        if let Some(side) = self.first {
            return side;
        }
        let share = match self.full <= SOON {
            true => self.full / SHARE,
            false => self.full - self.full / 4,
        };
        match self.reduced <= FIRST.saturating_add(share) {
            true => Side::Reduced,
            false => Side::Full,
        }
    }
}

impl Turns {
    /// Turns that are all one side's until it is done.
    pub fn first(side: Side) -> Self {
        let account = Account {
            first: Some(side),
            ..Account::default()
        };
        Turns {
            account: Mutex::new(account),
            ..Turns::default()
        }
    }

    /// Whether both have turns, and not one of them all until it is done.
    pub fn alternate(&self) -> bool {
        self.account().first.is_none()
    }

    /// What a side has done.
    pub fn done(&self, side: Side) -> u64 {
        let account = self.account();
        match side {
            Side::Reduced => account.reduced,
            Side::Full => account.full,
        }
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to what a side has done, and waits until it is that side's turn.
    pub fn worked(&self, side: Side, work: u64) {
        let mut account = self.account();
        match side {
            Side::Reduced => account.reduced = account.reduced.saturating_add(work),
            Side::Full => account.full = account.full.saturating_add(work),
        }
        self.changed.notify_all();
        while account.turn() != side {
            account = self
                .changed
                .wait(account)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for a side's first turn. It has its turns until what is returned is dropped; then all are the other's.
    pub fn begin(&self, side: Side) -> Begun<'_> {
        let begun = Begun { turns: self, side };
        self.worked(side, 0);
        begun
    }
}

/// One of the two, at work.
#[derive(Debug)]
pub struct Begun<'t> {
    turns: &'t Turns,
    side: Side,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.turns.account().over[self.side as usize] = true;
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::{Account, FIRST, SHARE, SOON, Side, Turns};
    use std::sync::Mutex;
    use std::thread;

    #[test]
    fn turns_depend_on_work_only() {
        let turns = Turns::default();
        let order = Mutex::new(Vec::new());
        let work = |side, portions: &[u64]| {
            let _begun = turns.begin(side);
            for portion in portions {
                order.lock().expect("nobody panics").push(side);
                turns.worked(side, *portion);
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| work(Side::Full, &[SHARE, SOON, SOON, 1, 1]));
            work(Side::Reduced, &[FIRST, 1, 1, SOON + SHARE, SOON]);
        });
        let order = order.into_inner().expect("nobody panics");
        let reduced = |n: &usize| order[*n] == Side::Reduced;
        let turns: Vec<usize> = (0..order.len()).filter(reduced).collect();
        assert_eq!(turns, [0, 1, 3, 5, 7]);
    }

    /// After a second the reducing side makes up for what it has waited.
    #[test]
    fn the_reducing_side_has_little_at_first_and_nearly_half_in_the_end() {
        let turn = |full, reduced| {
            let account = Account {
                full,
                reduced,
                ..Account::default()
            };
            account.turn()
        };
        assert_eq!(turn(SOON, FIRST + SOON / SHARE), Side::Reduced);
        assert_eq!(turn(SOON, FIRST + SOON / SHARE + 1), Side::Full);
        let later = FIRST + SOON + 1 - SOON / 4;
        assert_eq!(turn(SOON + 1, later), Side::Reduced);
        assert_eq!(turn(SOON + 1, later + 1), Side::Full);
    }

    #[test]
    fn who_panics_has_no_more_turns() {
        let turns = Turns::default();
        thread::scope(|scope| {
            let full = scope.spawn(|| {
                let _begun = turns.begin(Side::Full);
                panic!("as it may");
            });
            let _begun = turns.begin(Side::Reduced);
            turns.worked(Side::Reduced, FIRST + 1);
            turns.worked(Side::Reduced, FIRST + 1);
            assert!(full.join().is_err());
        });
    }
}
