//! Random nets: bounded counters, and transitions that touch a few of them each.
//!
//! A transition takes a token, puts one, or asks whether there is one, at three to five places. In a dense net these
//! are drawn from all places, so no order of the variables has them near each other, and a decision diagram of the
//! reachable markings has little to share: the opposite of the philosophers. In a local net they are near each other in
//! an order that the names do not tell. The generator has random numbers of its own (xorshift64*, Vigna 2016), so that
//! a seed gives the same net everywhere.

use std::fmt::Write;

/// What a transition does at a place: it is enabled where the place allows all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arc {
    /// At least one token; takes it away.
    Take,
    /// Room for one more; puts it there.
    Put,
    /// At least one token.
    Some,
    /// No token.
    None,
}

/// Counters `0..max` with their first values, and transitions, each a list of different places and what is done there.
#[derive(Clone, Debug)]
pub struct Net {
    pub max: u32,
    pub initial: Vec<u32>,
    pub transitions: Vec<Vec<(usize, Arc)>>,
}

/// How a net becomes threads; either way the locations need no variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One thread that chooses among all transitions: they leave one location, so they are one action.
    Choice,
    /// A thread for each transition.
    Threads,
}

/// What a random net is drawn from.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub name: &'static str,
    pub seed: u64,
    pub places: usize,
    pub max: u32,
    pub transitions: usize,
    /// The places of a transition are among so many neighbours in a hidden order; `places` makes a net dense.
    pub within: usize,
}

/// Nets that CUDD explores in about 0.5 to 5 seconds: bits, counters `0..3`, and bits in a hidden order.
pub const SHAPES: &[Shape] = &[
    shape("dense_18a", 1, 18, 1, 54, 18),
    shape("dense_18b", 2, 18, 1, 54, 18),
    shape("dense_20a", 1, 20, 1, 60, 20),
    shape("dense_20b", 2, 20, 1, 60, 20),
    shape("dense_24", 1, 24, 1, 60, 24),
    shape("counters_9a", 2, 9, 3, 27, 9),
    shape("counters_9b", 3, 9, 3, 27, 9),
    shape("local_60a", 1, 60, 1, 120, 6),
    shape("local_60b", 2, 60, 1, 120, 6),
];

const fn shape(
    name: &'static str,
    seed: u64,
    places: usize,
    max: u32,
    transitions: usize,
    within: usize,
) -> Shape {
    Shape {
        name,
        seed,
        places,
        max,
        transitions,
        within,
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k + 1));
        }
    }
}

impl Net {
    /// The net of a shape: the same one every time. There are five places at least, and `within` is five at least, too.
    pub fn random(shape: &Shape) -> Net {
        // A generator of this kind stays at zero, and seeds near each other begin alike.
        let mut random = Random(shape.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.next();
        }
        let mut hidden: Vec<usize> = (0..shape.places).collect();
        random.shuffle(&mut hidden);
        let initial = (0..shape.places)
            .map(|_| random.below(shape.max as usize + 1) as u32)
            .collect();
        let transitions = (0..shape.transitions)
            .map(|_| transition(&mut random, &hidden, shape.within))
            .collect();
        Net {
            max: shape.max,
            initial,
            transitions,
        }
    }

    /// The net as a model.
    pub fn model(&self, form: Form) -> String {
        let mut text = String::new();
        let initial: Vec<String> = self.initial.iter().map(u32::to_string).collect();
        let (places, max) = (self.initial.len(), self.max);
        let _ = writeln!(
            text,
            "var p[{places}]: 0..{max} = [{}] unprotected;",
            initial.join(", ")
        );
        let steps = self.transitions.iter().map(|t| self.step(t));
        match form {
            Form::Choice => {
                let branches: Vec<String> = steps.map(|s| format!("{{ {s} }}")).collect();
                let _ = writeln!(
                    text,
                    "thread net {{\n    while (true) {{\n        either {}\n    }}\n}}",
                    branches.join("\n        or ")
                );
            }
            Form::Threads => {
                for (k, step) in steps.enumerate() {
                    let _ = writeln!(text, "thread t{k} {{ while (true) {{ {step} }} }}");
                }
            }
        }
        text
    }

    fn step(&self, transition: &[(usize, Arc)]) -> String {
        let max = self.max;
        let mut guard = Vec::new();
        let mut effect = String::new();
        for (p, arc) in transition {
            guard.push(match arc {
                Arc::Take | Arc::Some => format!("p[{p}] > 0"),
                Arc::Put => format!("p[{p}] < {max}"),
                Arc::None => format!("p[{p}] == 0"),
            });
            match arc {
                Arc::Take => effect += &format!(" p[{p}] = p[{p}] - 1;"),
                Arc::Put => effect += &format!(" p[{p}] = p[{p}] + 1;"),
                Arc::Some | Arc::None => {}
            }
        }
        format!("atomic {{ when ({}){effect} }}", guard.join(" && "))
    }

    /// The net as `benches/reach_dd.py` reads it: the bound, the first values, and a line for each transition.
    pub fn text(&self) -> String {
        let mut text = format!("max {}\ninitial", self.max);
        for value in &self.initial {
            let _ = write!(text, " {value}");
        }
        for transition in &self.transitions {
            text.push('\n');
            for (k, (p, arc)) in transition.iter().enumerate() {
                let sign = match arc {
                    Arc::Take => '-',
                    Arc::Put => '+',
                    Arc::Some => '?',
                    Arc::None => '!',
                };
                let _ = write!(text, "{}{sign}{p}", if k == 0 { "" } else { " " });
            }
        }
        text.push('\n');
        text
    }
}

/// Each transition takes, puts and asks somewhere; what it does at further places is open.
fn transition(random: &mut Random, hidden: &[usize], within: usize) -> Vec<(usize, Arc)> {
    let first = random.below(hidden.len() - within + 1);
    let mut near: Vec<usize> = hidden[first..first + within].to_vec();
    random.shuffle(&mut near);
    near.truncate(3 + random.below(3));
    let arc = |random: &mut Random, k: usize| match k {
        0 => Arc::Take,
        1 => Arc::Put,
        2 => [Arc::Some, Arc::None][random.below(2)],
        _ => [Arc::Take, Arc::Put, Arc::Some, Arc::None][random.below(4)],
    };
    near.into_iter()
        .enumerate()
        .map(|(k, p)| (p, arc(random, k)))
        .collect()
}
