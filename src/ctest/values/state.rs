//! What is known before an instruction: where copies of the number are, which constants lie where, and which numbers
//! come here.

use super::code::{RBP, Register};
use super::ranges::{Condition, Image, Ranges};
use std::collections::BTreeMap;

/// What is in a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// Something that does not depend on the number.
    #[default]
    Same,
    /// A constant.
    Known(u64),
    /// A copy of the number.
    Copy(Image),
    /// Something else that depends on it.
    Opaque,
}

use Content::{Copy, Known, Opaque, Same};

impl Content {
    /// Whether it depends on the number.
    pub fn depends(&self) -> bool {
        matches!(self, Copy(_) | Opaque)
    }

    /// What an operation makes of these.
    pub fn of(contents: &[&Content]) -> Content {
        if contents.iter().any(|c| c.depends()) {
            Opaque
        } else {
            Same
        }
    }

    fn image(image: Option<Image>) -> Content {
        image.map_or(Opaque, Copy)
    }

    /// The low bytes.
    pub fn low(&self, width: u8) -> Content {
        let bits = u32::from(width) * 8;
        match self {
            Known(n) => Known(n & mask(width)),
            Copy(image) => Content::image(image.low(bits)),
            other => other.clone(),
        }
    }

    /// With a constant added.
    pub fn plus(&self, by: u64, width: u8) -> Content {
        match self {
            Known(n) => Known(n.wrapping_add(by) & mask(width)),
            Copy(image) => Content::image(image.plus(by, u32::from(width) * 8)),
            other => other.clone(),
        }
    }

    /// Extended by its sign.
    pub fn extended(&self, from: u8, to: u8) -> Content {
        let unused = 64 - u32::from(from) * 8;
        match self {
            Known(n) => Known(((n << unused) as i64 >> unused) as u64 & mask(to)),
            Copy(image) => Content::image(image.extended(u32::from(from) * 8, u32::from(to) * 8)),
            other => other.clone(),
        }
    }

    /// What it is if it may also be the other.
    fn join(&self, other: &Content) -> Content {
        if self == other {
            self.clone()
        } else {
            Content::of(&[self, other])
        }
    }
}

/// All bits of some bytes.
pub fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - 8 * u32::from(width.clamp(1, 8)))
}

/// Bytes of a register, or (without one) of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub register: Option<u8>,
    pub offset: i32,
    pub width: u8,
}

impl Place {
    /// In the frame.
    pub fn slot(offset: i32, width: u8) -> Place {
        Place {
            register: None,
            offset,
            width,
        }
    }

    /// Of a register.
    pub fn register(r: Register) -> Place {
        Place {
            register: Some(r.number),
            offset: r.offset.into(),
            width: r.width,
        }
    }

    fn end(&self) -> i32 {
        self.offset + i32::from(self.width)
    }

    fn meets(&self, other: &Place) -> bool {
        self.register == other.register && self.offset < other.end() && other.offset < self.end()
    }
}

/// What the last comparison has left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Flags {
    /// Something that does not depend on the number.
    #[default]
    Same,
    /// Of these two, one of which is a constant, in so many bytes.
    Compared(Content, Content, u8),
    /// Something else that depends on it.
    Opaque,
}

impl Flags {
    /// After a comparison.
    pub fn compared(a: Content, b: Content, width: u8) -> Flags {
        match (a, b) {
            (a @ (Known(_) | Copy(_)), b @ Known(_)) | (a @ Known(_), b @ Copy(_)) => {
                Flags::Compared(a, b, width)
            }
            (a, b) => Flags::of(&[&a, &b]),
        }
    }

    /// After an operation on these.
    pub fn of(contents: &[&Content]) -> Flags {
        match Content::of(contents) {
            Opaque => Flags::Opaque,
            _ => Flags::Same,
        }
    }

    /// Whether they depend on the number.
    pub fn depend(&self) -> bool {
        match self {
            Flags::Same => false,
            Flags::Compared(a, b, _) => a.depends() || b.depends(),
            Flags::Opaque => true,
        }
    }
}

/// Whether a condition holds.
pub enum Outcome {
    /// It may or may not, whatever the number is.
    Either,
    /// That is known.
    Is(bool),
    /// It does for these numbers.
    For(Ranges),
    /// That depends on the number.
    Unclear,
}

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    places: BTreeMap<Place, Content>,
    pub flags: Flags,
    /// The numbers that come here.
    pub numbers: Ranges,
}

impl State {
    /// Nothing depends on the number.
    pub fn new(numbers: Ranges) -> State {
        State {
            places: BTreeMap::new(),
            flags: Flags::Same,
            numbers,
        }
    }

    /// What is there.
    pub fn get(&self, place: Place) -> Content {
        if let Some(content) = self.places.get(&place) {
            return content.clone();
        }
        let meeting = || self.places.iter().filter(|(p, _)| p.meets(&place));
        match meeting().next() {
            Some((p, content)) if p.offset == place.offset && place.width < p.width => {
                content.low(place.width)
            }
            _ if meeting().any(|(_, content)| content.depends()) => Opaque,
            _ => Same,
        }
    }

    /// The places that are known and overlap one.
    fn met_by(&self, place: &Place) -> Vec<Place> {
        let known = self.places.keys().copied();
        known.filter(|p| p.meets(place)).collect()
    }

    /// Puts something there.
    pub fn set(&mut self, place: Place, content: Content) {
        let met = self.met_by(&place);
        for old in met {
            let depends = self.places.remove(&old).is_some_and(|c| c.depends());
            let rests = [(old.offset, place.offset), (place.end(), old.end())];
            for (from, to) in rests.into_iter().filter(|(from, to)| depends && from < to) {
                let rest = Place {
                    offset: from,
                    width: (to - from) as u8,
                    ..old
                };
                self.places.insert(rest, Opaque);
            }
        }
        if content != Same {
            self.places.insert(place, content);
        }
    }

    /// Writes a register: 4 bytes clear the rest.
    pub fn set_register(&mut self, r: Register, content: Content) {
        let width = if r.width == 4 { 8 } else { r.width };
        self.set(Place::register(Register { width, ..r }), content);
    }

    /// All of a register.
    pub fn whole(&self, number: u8) -> Content {
        self.get(whole(number))
    }

    /// It gets something that does not depend on the number.
    pub fn clobber(&mut self, number: u8) {
        self.set(whole(number), Same);
    }

    /// The frame is left.
    pub fn leave(&mut self) {
        self.places.retain(|p, _| p.register.is_some());
        self.clobber(RBP);
    }

    /// Whether any register depends on the number.
    pub fn in_registers(&self) -> bool {
        let mut places = self.places.iter();
        places.any(|(p, content)| p.register.is_some() && content.depends())
    }

    /// Whether anything is known of the frame.
    pub fn in_frame(&self) -> bool {
        self.places.keys().any(|p| p.register.is_none())
    }

    /// Whether anything depends on the number.
    pub fn depends(&self) -> bool {
        self.flags.depend() || self.places.values().any(Content::depends)
    }

    /// What a condition says.
    pub fn outcome(&self, condition: Condition) -> Outcome {
        let (image, condition, constant, width) = match &self.flags {
            Flags::Same => return Outcome::Either,
            Flags::Opaque => return Outcome::Unclear,
            Flags::Compared(Known(a), Known(b), width) => {
                let holds = condition.holds(*b, u32::from(*width) * 8);
                return Outcome::Is(holds.has((a & mask(*width)).into()));
            }
            Flags::Compared(Copy(image), Known(c), width) => (image, Some(condition), c, width),
            Flags::Compared(Known(c), Copy(image), width) => (image, condition.turned(), c, width),
            Flags::Compared(..) => return Outcome::Unclear,
        };
        let Some(condition) = condition else {
            return Outcome::Unclear;
        };
        let holds = condition.holds(*constant, u32::from(*width) * 8);
        Outcome::For(image.preimage(&holds))
    }

    /// Of those numbers only, if any come here.
    pub fn among(mut self, numbers: &Ranges) -> Option<State> {
        self.numbers = self.numbers.and(numbers);
        (!self.numbers.is_empty()).then_some(self)
    }

    /// The state of who may be in either.
    pub fn join(&self, other: &State) -> State {
        let mut joined = State::new(self.numbers.or(&other.numbers));
        for place in self.places.keys().chain(other.places.keys()) {
            let content = self.get(*place).join(&other.get(*place));
            joined.put(*place, content);
        }
        joined.flags = match (&self.flags, &other.flags) {
            (a, b) if a == b => a.clone(),
            (a, b) if a.depend() || b.depend() => Flags::Opaque,
            _ => Flags::Same,
        };
        joined
    }

    /// Where places of two states overlap, what depends on the number wins.
    fn put(&mut self, place: Place, content: Content) {
        let met = self.met_by(&place);
        match met.as_slice() {
            [] => self.set(place, content),
            [same] if *same == place => {}
            met => {
                let depends = content.depends() || met.iter().any(|p| self.get(*p).depends());
                let from = met
                    .iter()
                    .map(|p| p.offset)
                    .min()
                    .unwrap_or(0)
                    .min(place.offset);
                let to = met
                    .iter()
                    .map(Place::end)
                    .max()
                    .unwrap_or(0)
                    .max(place.end());
                let all = Place {
                    offset: from,
                    width: (to - from).clamp(0, 255) as u8,
                    ..place
                };
                self.set(all, if depends { Opaque } else { Same });
            }
        }
    }
}

fn whole(number: u8) -> Place {
    Place::register(Register {
        number,
        offset: 0,
        width: 8,
    })
}
