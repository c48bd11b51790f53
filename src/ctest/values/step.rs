//! What instructions that go on behind do with what is tracked. What is not in these tables is not followed.

use super::code::{Code, Memory, Operand, RAX, RBP, RCX, RDI, RDX, RSI, RSP, Register};
use super::state::{Content, Flags, Place, State, mask};

/// The number gets where it is not followed.
pub struct Escapes;

/// An instruction that goes on behind.
pub struct Execution<'a> {
    pub code: &'a Code<'a>,
    pub at: usize,
    pub name: &'a str,
    pub operands: &'a [Operand<'a>],
}

/// Instructions on vectors and on numbers with fractions, by how their names begin.
const VECTORS: [&str; 33] = [
    "cvt", "movs", "mova", "movu", "movd", "movq", "movl", "movh", "add", "sub", "mul", "div",
    "pxor", "por", "pand", "xorp", "orp", "andp", "andn", "ucomis", "comis", "sqrt", "unpck",
    "punpck", "max", "min", "shuf", "pshuf", "padd", "psub", "pmul", "psll", "psrl",
];

impl Execution<'_> {
    /// The place in the frame that memory is, if it is one.
    fn slot(&self, memory: &Memory, width: u8) -> Option<Place> {
        match memory {
            Memory {
                base: Some(RBP),
                index: None,
                offset: Some(offset),
            } => Some(Place::slot(*offset, width)),
            _ => None,
        }
    }

    /// An address must not depend on the number, and may lead into the frame only in the way that is followed.
    fn address(&self, state: &State, memory: &Memory) -> Result<(), Escapes> {
        let mut registers = memory.base.iter().chain(&memory.index);
        let depends = registers.clone().any(|&r| state.whole(r).depends());
        // From %rbp it goes to something that is announced (else nothing would be followed in the frame).
        let frame =
            registers.any(|&r| r == RSP) || memory.base == Some(RBP) && memory.index.is_none();
        if depends || frame && state.in_frame() {
            return Err(Escapes);
        }
        Ok(())
    }

    /// What an operand has.
    pub fn read(&self, state: &State, operand: &Operand, width: u8) -> Result<Content, Escapes> {
        Ok(match operand {
            Operand::Number(n) => Content::Known(n & mask(width)),
            Operand::Register(r) => state.get(Place::register(Register { width, ..*r })),
            Operand::Memory(memory) => match self.slot(memory, width) {
                Some(slot) => state.get(slot),
                None => {
                    self.address(state, memory)?;
                    Content::Same
                }
            },
            Operand::Address | Operand::Vector | Operand::Label(_) => Content::Same,
            Operand::Other => return Err(Escapes),
        })
    }

    /// Gives an operand something.
    pub fn write(
        &self,
        state: &mut State,
        operand: &Operand,
        width: u8,
        content: Content,
    ) -> Result<(), Escapes> {
        match operand {
            Operand::Register(Register { number: RBP, .. }) => Err(Escapes),
            Operand::Register(Register { number: RSP, .. }) if content.depends() => Err(Escapes),
            Operand::Register(r) => {
                state.set_register(Register { width, ..*r }, content);
                Ok(())
            }
            Operand::Memory(memory) => match self.slot(memory, width) {
                Some(slot) if self.code.is_private(self.at, slot.offset, width) => {
                    state.set(slot, content);
                    Ok(())
                }
                Some(slot) if !content.depends() => {
                    state.set(slot, Content::Same);
                    Ok(())
                }
                Some(_) => Err(Escapes),
                None => {
                    self.address(state, memory)?;
                    if content.depends() {
                        Err(Escapes)
                    } else {
                        Ok(())
                    }
                }
            },
            Operand::Label(_) if !content.depends() => Ok(()),
            _ => Err(Escapes),
        }
    }

    /// The width that the name says, with the name without it; else that of a register.
    fn sized(&self, names: &[&'static str]) -> Option<(&'static str, u8)> {
        let sizes = [("b", 1), ("w", 2), ("l", 4), ("q", 8)];
        for name in names {
            match self.name.strip_prefix(name) {
                Some("") => {
                    let width = self.operands.iter().rev().find_map(|o| match o {
                        Operand::Register(r) => Some(r.width),
                        _ => None,
                    });
                    return width.map(|width| (*name, width));
                }
                Some(suffix) => {
                    if let Some((_, width)) = sizes.iter().find(|(s, _)| *s == suffix) {
                        return Some((name, *width));
                    }
                }
                None => {}
            }
        }
        None
    }

    /// What an instruction does that goes on behind.
    pub fn plain(&self, state: &mut State) -> Result<(), Escapes> {
        if self.operands.contains(&Operand::Vector) {
            return self.vector(state);
        }
        let register = |number: u8, width: u8| {
            Operand::Register(Register {
                number,
                offset: 0,
                width,
            })
        };
        match (self.name, self.operands) {
            ("nop" | "nopw" | "nopl" | "endbr64" | "pause" | "mfence" | "lfence" | "sfence", _) => {
                return Ok(());
            }
            ("mov" | "movq", [from, to])
                if (from, to) == (&register(RSP, 8), &register(RBP, 8)) =>
            {
                state.leave();
                return Ok(());
            }
            ("leave", []) => {
                state.leave();
                return Ok(());
            }
            ("push", [from]) => {
                let content = self.read(state, from, 8)?;
                return if content.depends() {
                    Err(Escapes)
                } else {
                    Ok(())
                };
            }
            ("pop", [Operand::Register(Register { number: RBP, .. })]) => {
                state.leave();
                return Ok(());
            }
            ("pop", [to]) => return self.write(state, to, 8, Content::Same),
            ("cltq" | "cdqe", []) => {
                return self.extend(state, &register(RAX, 4), &register(RAX, 8), 4, 8);
            }
            ("cwtl" | "cwde", []) => {
                return self.extend(state, &register(RAX, 2), &register(RAX, 4), 2, 4);
            }
            ("cltd" | "cdq", []) | ("cqto" | "cqo", []) => {
                let content = Content::of(&[&state.whole(RAX)]);
                return self.write(state, &register(RDX, 8), 8, content);
            }
            ("rep", _) => {
                let used = [RAX, RCX, RSI, RDI];
                let moves = |s: &str| s.starts_with("stos") || s.starts_with("movs");
                let string = matches!(self.operands, [Operand::Label(s)] if moves(s));
                if !string || used.iter().any(|&r| state.whole(r).depends()) {
                    return Err(Escapes);
                }
                [RCX, RSI, RDI].iter().for_each(|&r| state.clobber(r));
                return Ok(());
            }
            (name, [from, to]) if name.starts_with("movs") || name.starts_with("movz") => {
                return self.widen(state, from, to);
            }
            _ => {}
        }
        if let (Some((_, width)), [from, to]) = (self.sized(&["movabs", "mov"]), self.operands) {
            let content = self.read(state, from, width)?;
            return self.write(state, to, width, content);
        }
        if let (Some((_, width)), [Operand::Memory(memory), to]) =
            (self.sized(&["lea"]), self.operands)
        {
            let part = |r: &Option<u8>| r.map_or(Content::Same, |r| state.whole(r).low(width));
            let content = match (memory, memory.offset) {
                (
                    Memory {
                        base: Some(_),
                        index: None,
                        ..
                    },
                    Some(offset),
                ) => part(&memory.base).plus(i64::from(offset) as u64 & mask(width), width),
                _ => Content::of(&[&part(&memory.base), &part(&memory.index)]),
            };
            return self.write(state, to, width, content);
        }
        self.arithmetic(state)
    }

    /// `movsbl` and the like: a move to a larger width, with or without the sign.
    fn widen(&self, state: &mut State, from: &Operand, to: &Operand) -> Result<(), Escapes> {
        let width = |i: usize| match self.name.get(i..i + 1) {
            Some("b") => Ok(1),
            Some("w") => Ok(2),
            Some("l") => Ok(4),
            Some("q") => Ok(8),
            _ => Err(Escapes),
        };
        let (narrow, wide) = (width(4)?, width(5)?);
        if self.name.len() != 6 || narrow >= wide {
            return Err(Escapes);
        }
        if self.name.starts_with("movs") {
            return self.extend(state, from, to, narrow, wide);
        }
        let content = self.read(state, from, narrow)?;
        self.write(state, to, wide, content)
    }

    fn extend(
        &self,
        state: &mut State,
        from: &Operand,
        to: &Operand,
        narrow: u8,
        wide: u8,
    ) -> Result<(), Escapes> {
        let content = self.read(state, from, narrow)?.extended(narrow, wide);
        self.write(state, to, wide, content)
    }

    /// Operations that set the flags.
    fn arithmetic(&self, state: &mut State) -> Result<(), Escapes> {
        if let (Some((name, width)), [from, to]) = (self.sized(&["cmp", "test"]), self.operands) {
            let (b, a) = (self.read(state, from, width)?, self.read(state, to, width)?);
            state.flags = match (&a, &b) {
                _ if name == "cmp" => Flags::compared(a, b, width),
                _ if from == to => Flags::compared(a, Content::Known(0), width),
                (Content::Known(a), Content::Known(b)) => {
                    Flags::compared(Content::Known(a & b), Content::Known(0), width)
                }
                _ => Flags::of(&[&a, &b]),
            };
            return Ok(());
        }
        let two = ["add", "sub", "and", "or", "xor", "imul"];
        if let (Some((name, width)), [from, to]) = (self.sized(&two), self.operands) {
            if let (Operand::Number(0), "or", Operand::Memory(_)) = (from, name, to) {
                // Only touches the stack.
                state.flags = Flags::Same;
                return match to {
                    Operand::Memory(Memory {
                        base: Some(RSP),
                        index: None,
                        ..
                    }) => Ok(()),
                    _ => self
                        .read(state, to, width)
                        .and_then(|c| self.write(state, to, width, c)),
                };
            }
            return self.two(state, name, width, from, to);
        }
        if let (Some((_, width)), [a, b, to]) = (self.sized(&["imul"]), self.operands) {
            let content =
                Content::of(&[&self.read(state, a, width)?, &self.read(state, b, width)?]);
            state.flags = Flags::of(&[&content]);
            return self.write(state, to, width, content);
        }
        let one = ["neg", "not", "inc", "dec"];
        if let (Some((name, width)), [to]) = (self.sized(&one), self.operands) {
            let old = self.read(state, to, width)?;
            let content = match (name, &old) {
                ("inc", Content::Copy(_)) => old.plus(1, width),
                ("dec", Content::Copy(_)) => old.plus(mask(width), width),
                _ => Content::of(&[&old]),
            };
            if name != "not" {
                let depend = state.flags.depend() || old.depends();
                state.flags = if depend { Flags::Opaque } else { Flags::Same };
            }
            return self.write(state, to, width, content);
        }
        let more = ["adc", "sbb", "sal", "sar", "shl", "shr", "rol", "ror"];
        if let (Some((_, width)), [.., to]) = (self.sized(&more), self.operands)
            && self.operands.len() <= 2
        {
            // By 0 the flags stay, and some of these read them.
            let mut content = Content::of(&[&self.read(state, to, width)?]);
            if let [by, _] = self.operands {
                let width = if self.name.ends_with(['b', 'w', 'l', 'q']) {
                    width
                } else {
                    1
                };
                content = Content::of(&[&content, &self.read(state, by, width)?]);
            }
            if state.flags.depend() || content.depends() {
                content = Content::Opaque;
                state.flags = Flags::Opaque;
            } else {
                state.flags = Flags::Same;
            }
            return self.write(state, to, width, content);
        }
        let long = ["mul", "imul", "div", "idiv"];
        if let (Some((name, width)), [by]) = (self.sized(&long), self.operands) {
            let content = [
                &self.read(state, by, width)?,
                &state.whole(RAX),
                &state.whole(RDX),
            ];
            let content = Content::of(&content);
            // A division may crash.
            if content.depends() && name.ends_with("div") {
                return Err(Escapes);
            }
            state.flags = Flags::of(&[&content]);
            for number in [RAX, RDX] {
                let whole = Register {
                    number,
                    offset: 0,
                    width: 8,
                };
                state.set_register(whole, content.clone());
            }
            return Ok(());
        }
        Err(Escapes)
    }

    /// Two operands, the second of which gets the result.
    fn two(
        &self,
        state: &mut State,
        name: &str,
        width: u8,
        from: &Operand,
        to: &Operand,
    ) -> Result<(), Escapes> {
        use Content::{Copy, Known};
        let (b, a) = (self.read(state, from, width)?, self.read(state, to, width)?);
        let zero = Known(0);
        let (content, flags) = match (name, &a, &b) {
            ("xor" | "sub", ..) if from == to && matches!(from, Operand::Register(_)) => {
                (zero.clone(), Flags::compared(zero.clone(), zero, width))
            }
            ("and" | "or", ..) if from == to => (a.clone(), Flags::compared(a, zero, width)),
            ("sub", Copy(_), Known(n)) => (
                a.plus(n.wrapping_neg(), width),
                Flags::compared(a, b, width),
            ),
            // Constants are not counted on: there would be no end of them in loops.
            ("add" | "sub", Known(_), Known(_)) => (Content::Same, Flags::Same),
            ("add", copy @ Copy(_), Known(n)) | ("add", Known(n), copy @ Copy(_)) => {
                (copy.plus(*n, width), Flags::Opaque)
            }
            ("and" | "or" | "xor", Known(a), Known(b)) => {
                let result = Known(match name {
                    "and" => a & b,
                    "or" => a | b,
                    _ => a ^ b,
                });
                (result.clone(), Flags::compared(result, zero, width))
            }
            ("and", Copy(_), Known(n))
                if n.wrapping_add(1).is_power_of_two() && n.count_ones().is_multiple_of(8) =>
            {
                let low = a.low((n.count_ones() / 8) as u8);
                (low.clone(), Flags::compared(low, zero, width))
            }
            _ => (Content::of(&[&a, &b]), Flags::of(&[&a, &b])),
        };
        state.flags = flags;
        self.write(state, to, width, content)
    }

    /// Vectors are not followed.
    fn vector(&self, state: &mut State) -> Result<(), Escapes> {
        if !VECTORS.iter().any(|v| self.name.starts_with(v)) {
            return Err(Escapes);
        }
        let width = match self.name {
            name if name.ends_with("ss") || name.ends_with('l') || name.ends_with("movd") => 4,
            name if name.ends_with("sd")
                || name.ends_with('q')
                || name.contains("lp")
                || name.contains("hp") =>
            {
                8
            }
            _ => 16,
        };
        let (to, from) = self.operands.split_last().ok_or(Escapes)?;
        for operand in from {
            let read = match operand {
                Operand::Register(r) => r.width,
                _ => width,
            };
            if self.read(state, operand, read)?.depends() {
                return Err(Escapes);
            }
        }
        if self.name.contains("comis") {
            state.flags = Flags::Same;
        }
        match to {
            Operand::Vector => Ok(()),
            Operand::Register(r) => self.write(state, to, r.width, Content::Same),
            _ => self.write(state, to, width, Content::Same),
        }
    }
}
