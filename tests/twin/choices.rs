//! A tape of numbers that decides everything a generator asks, so that shrinking the tape shrinks the program.

/// Zero is the simplest answer to every question, and what an exhausted tape answers.
pub struct Choices {
    tape: std::vec::IntoIter<u16>,
}

impl Choices {
    pub fn new(tape: Vec<u16>) -> Choices {
        Choices {
            tape: tape.into_iter(),
        }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.tape.next().unwrap_or(0)) % bound
    }

    /// True once in about `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of the options.
    pub fn one_of<T: Clone>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())].clone()
    }

    /// One of the options, each as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, options: &[(usize, T)]) -> T {
        let mut number = self.below(options.iter().map(|(weight, _)| weight).sum());
        for (weight, option) in options {
            if number < *weight {
                return *option;
            }
            number -= weight;
        }
        unreachable!("the number is below the sum of the weights")
    }
}
