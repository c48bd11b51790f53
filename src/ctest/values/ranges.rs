//! Sets of numbers as ranges; what a copy of a number is after extensions and additions; which numbers tests can tell
//! apart.

use std::collections::{BTreeMap, BTreeSet};

/// A set of numbers: ranges with both ends, in order, that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ranges(Vec<(i128, i128)>);

impl Ranges {
    /// The union of ranges; those whose ends are the wrong way round are empty.
    pub fn new(ranges: impl IntoIterator<Item = (i128, i128)>) -> Ranges {
        let mut ranges: Vec<_> = ranges.into_iter().filter(|(a, b)| a <= b).collect();
        ranges.sort_unstable();
        let mut out: Vec<(i128, i128)> = Vec::new();
        for (a, b) in ranges {
            match out.last_mut() {
                Some(last) if a <= last.1 + 1 => last.1 = last.1.max(b),
                _ => out.push((a, b)),
            }
        }
        Ranges(out)
    }

    /// Its ranges.
    pub fn iter(&self) -> impl Iterator<Item = (i128, i128)> + '_ {
        self.0.iter().copied()
    }

    /// What is in both.
    pub fn and(&self, other: &Ranges) -> Ranges {
        let pairs = self
            .iter()
            .flat_map(|a| other.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
        Ranges::new(pairs)
    }

    /// What is in one of them.
    pub fn or(&self, other: &Ranges) -> Ranges {
        Ranges::new(self.iter().chain(other.iter()))
    }

    /// What is in the first only.
    pub fn without(&self, other: &Ranges) -> Ranges {
        let mut left = Vec::new();
        for (mut from, to) in self.iter() {
            for (a, b) in other.iter() {
                left.push((from, to.min(a - 1)));
                from = from.max(b + 1);
            }
            left.push((from, to));
        }
        Ranges::new(left)
    }

    /// How many numbers it has.
    pub fn count(&self) -> i128 {
        self.iter().map(|(a, b)| b - a + 1).sum()
    }

    /// Whether it has this one.
    pub fn has(&self, number: i128) -> bool {
        self.iter().any(|(a, b)| (a..=b).contains(&number))
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The numbers of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// How wide it is.
    pub bits: u32,
    /// Whether it has negative ones.
    pub signed: bool,
}

impl Type {
    /// All its numbers.
    pub fn numbers(self) -> Ranges {
        let all = 1 << self.bits;
        let least = if self.signed { -all / 2 } else { 0 };
        Ranges::new([(least, least + all - 1)])
    }
}

/// A function of the number that was chosen, into the unsigned numbers of some width: on each piece, the number plus a
/// constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    from: i128,
    to: i128,
    plus: i128,
}

/// More pieces are not followed.
const PIECES: usize = 16;

impl Image {
    /// The number itself, as it lies in a register.
    pub fn whole(of: Type) -> Image {
        let pieces = of
            .numbers()
            .0
            .into_iter()
            .map(|(from, to)| Piece { from, to, plus: 0 });
        let image = Image(pieces.collect());
        image.wrap(64).unwrap_or(image)
    }

    /// Modulo a power of two.
    fn wrap(&self, bits: u32) -> Option<Image> {
        let all = 1_i128 << bits;
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in &self.0 {
            let turn = |number: i128| (number + piece.plus).div_euclid(all);
            for t in turn(piece.from)..=turn(piece.to) {
                let plus = piece.plus - t * all;
                let (from, to) = (piece.from.max(-plus), piece.to.min(all - 1 - plus));
                match pieces.last_mut() {
                    Some(last) if last.plus == plus && last.to + 1 == from => last.to = to,
                    _ => pieces.push(Piece { from, to, plus }),
                }
                if pieces.len() > PIECES {
                    return None;
                }
            }
        }
        Some(Image(pieces))
    }

    fn moved(&self, by: i128) -> Image {
        let pieces = self.0.iter().map(|piece| Piece {
            plus: piece.plus + by,
            ..*piece
        });
        Image(pieces.collect())
    }

    /// The low bits, if that is still simple.
    pub fn low(&self, bits: u32) -> Option<Image> {
        self.wrap(bits)
    }

    /// With a constant added, in so many bits.
    pub fn plus(&self, by: u64, bits: u32) -> Option<Image> {
        self.moved(signed(by, bits)).wrap(bits)
    }

    /// Extended by its sign.
    pub fn extended(&self, from: u32, to: u32) -> Option<Image> {
        let half = 1 << (from - 1);
        let value = self.moved(half).wrap(from)?.moved(-half);
        value.wrap(to)
    }

    /// The numbers whose image is one of these.
    pub fn preimage(&self, of: &Ranges) -> Ranges {
        let parts = self.0.iter().flat_map(|piece| {
            of.iter()
                .map(|(a, b)| (piece.from.max(a - piece.plus), piece.to.min(b - piece.plus)))
        });
        Ranges::new(parts)
    }
}

/// A pattern of bits as a signed number.
pub fn signed(pattern: u64, bits: u32) -> i128 {
    let cut = i128::from(pattern) & ((1 << bits) - 1);
    if cut >> (bits - 1) == 1 {
        cut - (1 << bits)
    } else {
        cut
    }
}

/// What a conditional jump asks of the comparison before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    what: What,
    not: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Equal,
    Below,
    BelowOrEqual,
    Less,
    LessOrEqual,
    Negative,
}

impl Condition {
    /// By its name in instructions.
    pub fn named(name: &str) -> Option<Condition> {
        use What::{Below, BelowOrEqual, Equal, Less, LessOrEqual, Negative};
        let (what, not) = match name {
            "e" | "z" => (Equal, false),
            "ne" | "nz" => (Equal, true),
            "b" | "c" | "nae" => (Below, false),
            "ae" | "nc" | "nb" => (Below, true),
            "be" | "na" => (BelowOrEqual, false),
            "a" | "nbe" => (BelowOrEqual, true),
            "l" | "nge" => (Less, false),
            "ge" | "nl" => (Less, true),
            "le" | "ng" => (LessOrEqual, false),
            "g" | "nle" => (LessOrEqual, true),
            "s" => (Negative, false),
            "ns" => (Negative, true),
            _ => return None,
        };
        Some(Condition { what, not })
    }

    /// The same of `b` and `a` as this is of `a` and `b`. The sign of a difference is not turned round.
    pub fn turned(self) -> Option<Condition> {
        let (what, turns) = match self.what {
            What::Equal => (What::Equal, false),
            What::Below => (What::BelowOrEqual, true),
            What::BelowOrEqual => (What::Below, true),
            What::Less => (What::LessOrEqual, true),
            What::LessOrEqual => (What::Less, true),
            What::Negative => return None,
        };
        let not = self.not != turns;
        Some(Condition { what, not })
    }

    /// The patterns of bits that satisfy it when they are compared with a constant.
    pub fn holds(self, constant: u64, bits: u32) -> Ranges {
        let all = 1_i128 << bits;
        let c = i128::from(constant) & (all - 1);
        let (least, of_sign) = (-all / 2, signed(constant, bits));
        // Signed numbers as patterns.
        let patterns =
            |from: i128, to: i128| Ranges::new([(from.max(0), to), (from + all, to.min(-1) + all)]);
        let is = match self.what {
            What::Equal => Ranges::new([(c, c)]),
            What::Below => Ranges::new([(0, c - 1)]),
            What::BelowOrEqual => Ranges::new([(0, c)]),
            What::Less => patterns(least, of_sign - 1),
            What::LessOrEqual => patterns(least, of_sign),
            What::Negative => {
                let (from, to) = (c + all / 2, c + all - 1);
                let parts = [(from, to.min(all - 1)), (from.max(all) - all, to - all)];
                Ranges::new(parts)
            }
        };
        if self.not {
            Ranges::new([(0, all - 1)]).without(&is)
        } else {
            is
        }
    }
}

/// One number of each class of those that have the same outcome in all tests, and all those that are to be kept apart;
/// the least first.
pub fn representatives(all: &Ranges, tests: &BTreeSet<Ranges>, apart: &Ranges) -> Vec<i128> {
    let mut cuts: BTreeSet<i128> = BTreeSet::new();
    for (from, to) in tests.iter().chain([all]).flat_map(Ranges::iter) {
        cuts.extend([from, to + 1]);
    }
    for (from, to) in apart.iter() {
        cuts.extend(from..=to + 1);
    }
    let size = |number: i128| (number.abs(), number < 0);
    let mut classes: BTreeMap<(Option<i128>, Vec<bool>), i128> = BTreeMap::new();
    let next = cuts.iter().skip(1);
    for (&from, &next) in cuts.iter().zip(next).filter(|&(&from, _)| all.has(from)) {
        let number = 0.clamp(from, next - 1);
        let outcome = tests.iter().map(|test| test.has(number)).collect();
        let own = apart.has(number).then_some(number);
        let best = classes.entry((own, outcome)).or_insert(number);
        if size(number) < size(*best) {
            *best = number;
        }
    }
    let mut numbers: Vec<i128> = classes.into_values().collect();
    numbers.sort_by_key(|&number| size(number));
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 12] = [
        "e", "ne", "b", "ae", "be", "a", "l", "ge", "le", "g", "s", "ns",
    ];

    /// What the processor says of two bytes.
    fn compares(name: &str, a: u8, b: u8) -> bool {
        let (sa, sb) = (a as i8, b as i8);
        match name {
            "e" => a == b,
            "ne" => a != b,
            "b" => a < b,
            "ae" => a >= b,
            "be" => a <= b,
            "a" => a > b,
            "l" => sa < sb,
            "ge" => sa >= sb,
            "le" => sa <= sb,
            "g" => sa > sb,
            "s" => (a.wrapping_sub(b) as i8) < 0,
            _ => a.wrapping_sub(b) as i8 >= 0,
        }
    }

    #[test]
    fn conditions_are_those_of_the_processor() {
        for name in NAMES {
            let condition = Condition::named(name).expect(name);
            for c in 0..=255_u8 {
                let holds = condition.holds(u64::MAX << 8 | u64::from(c), 8);
                let turned = condition.turned().map(|t| t.holds(c.into(), 8));
                for x in 0..=255_u8 {
                    assert_eq!(holds.has(x.into()), compares(name, x, c), "{x} {name} {c}");
                    if let Some(turned) = &turned {
                        assert_eq!(turned.has(x.into()), compares(name, c, x), "{c} {name} {x}");
                    }
                }
            }
        }
    }

    #[test]
    fn images_are_those_of_the_processor() {
        for (bits, is_signed) in [(8, true), (8, false), (16, true)] {
            let of = Type {
                bits,
                signed: is_signed,
            };
            let whole = Image::whole(of);
            let images = [
                (whole.low(32), 32, (|x| x) as fn(i128) -> i128),
                (whole.low(8), 8, |x| x),
                (whole.low(8).and_then(|i| i.extended(8, 32)), 32, |x| {
                    i128::from(x as i8)
                }),
                (whole.plus(200, 32), 32, |x| x + 200),
                (
                    whole.plus(u64::MAX - 6, 16).and_then(|i| i.low(8)),
                    8,
                    |x| x - 7,
                ),
                (
                    whole.plus(100, 8).and_then(|i| i.extended(8, 64)),
                    64,
                    |x| i128::from((x + 100) as i8),
                ),
            ];
            for (image, bits, naive) in images {
                let Some(image) = image else {
                    // A short in a byte has too many pieces.
                    assert_eq!(of.bits, 16);
                    continue;
                };
                let (from, to) = of.numbers().0[0];
                for x in from..=to {
                    let at = naive(x).rem_euclid(1 << bits);
                    let here = Ranges::new([(at, at)]);
                    assert!(image.preimage(&here).has(x), "{x} {of:?}");
                    let elsewhere = Ranges::new([(0, (1 << bits) - 1)]).without(&here);
                    assert!(!image.preimage(&elsewhere).has(x), "{x} {of:?}");
                }
            }
        }
    }

    #[test]
    fn one_of_each_class() {
        let int = Type {
            bits: 32,
            signed: true,
        }
        .numbers();
        let test = |ranges: &[(i128, i128)]| Ranges::new(ranges.iter().copied());
        let of = |tests: &[&[(i128, i128)]], apart: &[(i128, i128)]| {
            let tests = tests.iter().map(|t| test(t)).collect();
            representatives(&int, &tests, &test(apart))
        };
        let (min, max) = (i32::MIN.into(), i32::MAX.into());
        assert_eq!(of(&[], &[]), [0]);
        assert_eq!(of(&[&[(0, 0)]], &[]), [0, 1]);
        assert_eq!(of(&[&[(1, max)], &[(min, 4)]], &[]), [0, 1, 5]);
        assert_eq!(of(&[&[(7, 7)], &[(-3, -3)]], &[]), [0, -3, 7]);
        assert_eq!(of(&[&[(1, max)]], &[(1, 3)]), [0, 1, 2, 3, 4]);
        assert_eq!(of(&[&[(min, min)]], &[]), [0, min]);
    }

    #[test]
    fn sets_are_sets() {
        let set = |bits: u32| Ranges::new((0..10).filter(|i| bits >> i & 1 == 1).map(|i| (i, i)));
        for a in (0..1024).step_by(7) {
            for b in (0..1024).step_by(11) {
                assert_eq!(set(a).and(&set(b)), set(a & b));
                assert_eq!(set(a).or(&set(b)), set(a | b));
                assert_eq!(set(a).without(&set(b)), set(a & !b));
            }
            assert_eq!(set(a).count(), i128::from(a.count_ones()));
        }
    }
}
