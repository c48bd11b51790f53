//! A bounded counter that threads share, without a lock; and a test that asks whether its methods are atomic.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Counts to a bound.
pub struct Counter {
    count: AtomicU32,
    bound: u32,
}

impl Counter {
    /// A counter at zero.
    pub fn new(bound: u32) -> Self {
        Counter {
            count: AtomicU32::new(0),
            bound,
        }
    }

    /// Counts one more, unless the bound is reached; whether it did.
    pub fn count(&self) -> bool {
        let mut seen = self.count.load(SeqCst);
        while seen < self.bound {
            match self.count.compare_exchange(seen, seen + 1, SeqCst, SeqCst) {
                Ok(_) => return true,
                Err(other) => seen = other,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coarsen::builder::{Model, Type, cas};
    use coarsen::results::Status;

    /// The method as a model: `careful` writes by a compare-and-swap, as the code does.
    fn model(threads: i64, bound: i64, careful: bool) -> Model {
        let mut model = Model::new("counter");
        let count = model
            .variable("count", Type::range(0, bound), 0)
            .unprotected()
            .declare();
        model.threads("worker", "i", 1, threads, |t, _| {
            let seen = t.local("seen", Type::range(0, bound), 0);
            let done = t.local("done", Type::bool(), false);
            t.claim("count", |b| {
                b.assign(&seen, &count);
                b.while_loop((!&done).and(seen.lt(bound)), |b| match careful {
                    true => b.if_else(
                        cas(&count, &seen, &seen + 1),
                        |b| b.assign(&done, true),
                        |b| b.assign(&seen, &count),
                    ),
                    false => {
                        b.assign(&count, &seen + 1);
                        b.assign(&done, true);
                    }
                });
            });
        });
        model
    }

    #[test]
    fn it_counts() {
        let counter = Counter::new(2);
        assert_eq!(
            [counter.count(), counter.count(), counter.count()],
            [true, true, false]
        );
    }

    #[test]
    fn counting_is_atomic() {
        let report = model(3, 2, true)
            .check()
            .unwrap_or_else(|wrong| panic!("{wrong}"));
        assert_eq!(report.claims[0].verdict, Status::Holds);
    }

    #[test]
    fn without_the_comparison_it_would_not_be() {
        let report = model(2, 2, false)
            .check()
            .unwrap_or_else(|wrong| panic!("{wrong}"));
        assert_eq!(report.claims[0].verdict, Status::Refuted);
    }
}
