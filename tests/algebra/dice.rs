//! Random terms of the kernel, drawn by rolling dice: from bytes that proptest can shrink, or from a seeded generator.

use crate::random;
use coarsen::kernel::{Id, Index, ONE, Operator, Sym, TOP, Terms, ZERO};

/// A source of choices; 0 is always the simplest.
pub struct Dice {
    bytes: std::vec::IntoIter<u8>,
    /// 0: no generator, 0 for ever once the bytes are used up.
    state: u64,
}

impl Dice {
    pub fn of(bytes: Vec<u8>) -> Self {
        Dice {
            bytes: bytes.into_iter(),
            state: 0,
        }
    }

    pub fn seeded(usual: u64) -> Self {
        Dice {
            bytes: Vec::new().into_iter(),
            state: random::seed(usual).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
        }
    }

    pub fn below(&mut self, n: usize) -> usize {
        if let Some(byte) = self.bytes.next() {
            return byte as usize % n;
        }
        if self.state == 0 {
            return 0;
        }
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }

    pub fn flip(&mut self) -> bool {
        self.below(2) == 1
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// What random terms are made of.
#[derive(Clone, Default)]
pub struct Vocabulary {
    pub actions: Vec<(Sym, usize)>,
    pub tests: Vec<(Sym, usize)>,
    /// Index variables 0, 1, ..
    pub variables: u32,
    pub top: bool,
    pub omega: bool,
    /// `dom(x)` and `cod(x)`, too.
    pub domain: bool,
}

impl Vocabulary {
    /// So many letters `a`, `b`, .. and tests `p`, `q`, .. without indices.
    pub fn plain(terms: &mut Terms, actions: usize, tests: usize) -> Self {
        let mut new = |n: usize, first: u8, test| -> Vec<(Sym, usize)> {
            (0..n)
                .map(|k| {
                    let name = ((first + k as u8) as char).to_string();
                    (terms.symbol(&name, test, 0), 0)
                })
                .collect()
        };
        Vocabulary {
            actions: new(actions, b'a', false),
            tests: new(tests, b'p', true),
            ..Vocabulary::default()
        }
    }

    /// With letters and tests of one process.
    pub fn indexed(terms: &mut Terms, variables: u32) -> Self {
        let mut all = Vocabulary::plain(terms, 2, 1);
        all.actions.push((terms.symbol("u", false, 1), 1));
        all.actions.push((terms.symbol("v", false, 1), 1));
        all.tests.push((terms.symbol("e", true, 1), 1));
        all.variables = variables;
        all
    }

    fn atom(&self, d: &mut Dice, terms: &mut Terms, of: &[(Sym, usize)], under: u32) -> Id {
        let (symbol, arity) = d.pick(of);
        let indices = (0..arity).map(|_| self.index(d, under)).collect();
        terms.atom(symbol, indices)
    }

    fn index(&self, d: &mut Dice, under: u32) -> Index {
        match d.below((self.variables + under) as usize) as u32 {
            n if n < under => Index::Bound(n),
            n => Index::Var(n - under),
        }
    }

    fn but(&self, d: &mut Dice, under: u32) -> Vec<Index> {
        if self.variables + under == 0 {
            return Vec::new();
        }
        (0..d.below(3)).map(|_| self.index(d, under)).collect()
    }

    fn is_indexed(&self) -> bool {
        self.actions
            .iter()
            .chain(&self.tests)
            .any(|(_, arity)| *arity > 0)
    }

    /// A test with about `size` symbols, under that many binders.
    pub fn test(&self, d: &mut Dice, terms: &mut Terms, size: usize, under: u32) -> Id {
        if self.domain && size > 1 && d.below(3) == 0 {
            let x = self.term(d, terms, size - 1, under);
            return terms.applied(Operator::ALL[d.below(3)], x);
        }
        if size <= 1 || self.tests.is_empty() {
            return match d.below(6) {
                0 => ONE,
                1 => ZERO,
                _ if self.tests.is_empty() => ONE,
                n => {
                    let atom = self.atom(d, terms, &self.tests, under);
                    if n > 3 { terms.not(atom) } else { atom }
                }
            };
        }
        let kinds = if self.is_indexed() { 5 } else { 4 };
        match d.below(kinds) {
            0 => {
                let x = self.test(d, terms, size - 1, under);
                terms.not(x)
            }
            4 => {
                let but = self.but(d, under);
                let x = self.test(d, terms, size - 1, under + 1);
                if d.flip() {
                    terms.sum_over(but, x)
                } else {
                    terms.product_over(but, x)
                }
            }
            k => {
                let left = 1 + d.below(size - 1);
                let both = [
                    self.test(d, terms, left, under),
                    self.test(d, terms, size - left, under),
                ];
                if k == 1 {
                    terms.sum(both)
                } else {
                    terms.product(both)
                }
            }
        }
    }

    /// A term with about `size` symbols, under that many binders.
    pub fn term(&self, d: &mut Dice, terms: &mut Terms, size: usize, under: u32) -> Id {
        if size <= 1 {
            return match d.below(12) {
                0 => ONE,
                1 if self.top => TOP,
                2 => ZERO,
                1 | 3..=5 => self.test(d, terms, 1, under),
                _ => self.atom(d, terms, &self.actions, under),
            };
        }
        match d.below(12) {
            0..=2 => {
                let x = self.term(d, terms, size - 1, under);
                terms.star(x)
            }
            3 => self.test(d, terms, size, under),
            4 if self.omega => {
                let x = self.term(d, terms, size - 1, under);
                terms.omega(x)
            }
            5 if self.is_indexed() => {
                let but = self.but(d, under);
                let x = self.term(d, terms, size - 1, under + 1);
                terms.sum_over(but, x)
            }
            k => {
                let left = 1 + d.below(size - 1);
                let both = [
                    self.term(d, terms, left, under),
                    self.term(d, terms, size - left, under),
                ];
                if k < 8 {
                    terms.sum(both)
                } else {
                    terms.product(both)
                }
            }
        }
    }

    /// Pairs of variables that are to differ.
    pub fn distinct(&self, d: &mut Dice) -> Vec<(u32, u32)> {
        let n = self.variables as usize;
        let pairs = (0..d.below(3)).map(|_| (d.below(n.max(1)) as u32, d.below(n.max(1)) as u32));
        let pairs: Vec<(u32, u32)> = pairs.collect();
        coarsen::kernel::distinct(pairs.into_iter().filter(|(i, j)| i != j)).unwrap_or_default()
    }
}

/// A term from text, for tests that name theirs: `0 1 T`, letters `a`..`o` and `x`..`z` for actions, `p`..`t` for
/// tests, `~`, `+`, juxtaposition, `*`, `^` for omega, parentheses.
pub struct Text {
    pub terms: Terms,
    symbols: std::collections::BTreeMap<String, Sym>,
}

impl Default for Text {
    fn default() -> Self {
        Text {
            terms: Terms::new(),
            symbols: Default::default(),
        }
    }
}

impl Text {
    pub fn read(&mut self, text: &str) -> Id {
        let letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
        let mut at = 0;
        let t = self.sum(&letters, &mut at);
        assert_eq!(at, letters.len(), "{text}");
        t
    }

    /// `l <= r`
    pub fn inclusion(&mut self, text: &str) -> (Id, Id) {
        let (l, r) = text.split_once("<=").expect("an inclusion");
        (self.read(l), self.read(r))
    }

    fn sum(&mut self, c: &[char], at: &mut usize) -> Id {
        let mut all = vec![self.product(c, at)];
        while c.get(*at) == Some(&'+') {
            *at += 1;
            all.push(self.product(c, at));
        }
        self.terms.sum(all)
    }

    fn product(&mut self, c: &[char], at: &mut usize) -> Id {
        let mut all = Vec::new();
        while c.get(*at).is_some_and(|x| !matches!(x, '+' | ')')) {
            all.push(self.postfix(c, at));
        }
        self.terms.product(all)
    }

    fn postfix(&mut self, c: &[char], at: &mut usize) -> Id {
        let letter = c[*at];
        *at += 1;
        let mut t = match letter {
            '0' => ZERO,
            '1' => ONE,
            'T' => TOP,
            '~' => {
                let x = self.postfix(c, at);
                return self.terms.not(x);
            }
            '(' => {
                let x = self.sum(c, at);
                assert_eq!(c[*at], ')');
                *at += 1;
                x
            }
            letter => {
                let test = ('p'..='t').contains(&letter);
                let terms = &mut self.terms;
                let name = letter.to_string();
                let symbol = self
                    .symbols
                    .entry(name.clone())
                    .or_insert_with(|| terms.symbol(&name, test, 0));
                let symbol = *symbol;
                self.terms.atom(symbol, Vec::new())
            }
        };
        while let Some(mark @ ('*' | '^')) = c.get(*at) {
            *at += 1;
            t = if *mark == '*' {
                self.terms.star(t)
            } else {
                self.terms.omega(t)
            };
        }
        t
    }
}
