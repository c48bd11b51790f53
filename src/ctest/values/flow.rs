//! Follows a number from the call that returns it, instruction by instruction, on all ways.
//!
//! What is claimed of two numbers with the same outcome in all tests that are found: an execution stays the same, step by step, if one is put for the other, but for
//! the places that are tracked. Where a number gets where it can't be followed, those that come there are to be kept apart. Each call that the site makes is
//! looked at alone, so what the same site has returned at another time is something that does not depend on the number.

use super::code::{
    Code, Instruction, Memory, Operand, RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP, Register,
};
use super::ranges::{Condition, Image, Ranges, Type};
use super::state::{Content, Flags, Outcome, Place, State, mask};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Numbers that are kept apart, and representatives: no more than that.
pub const MOST: usize = 64;
/// So many states are told apart before one instruction.
const STATES: usize = 16;
/// So many steps are taken from one call.
const STEPS: usize = 20_000;
/// Calls inside of calls are looked at so deep.
const DEPTH: usize = 3;

/// The number gets where it is not followed.
struct Escapes;

type Next = Vec<(usize, State)>;

/// What the program does with a number.
#[derive(Default)]
pub struct Uses {
    /// The numbers that pass each test.
    pub tests: BTreeSet<Ranges>,
    /// Those that are used in other ways.
    pub apart: Ranges,
    /// Whether the function returns.
    returns: bool,
}

/// The states in which the ways come to one instruction; when they become too many, there is only one, in which all are joined.
#[derive(Default)]
struct Seen {
    states: Vec<State>,
    joined: bool,
}

/// Follows the numbers of a file.
pub struct Flow<'a> {
    code: &'a Code<'a>,
    /// Whether the program has a function of its own of this name.
    own: &'a dyn Fn(&str) -> bool,
    returning: RefCell<HashMap<(usize, Option<u64>), bool>>,
}

/// Functions that do not come back, unless the program has its own.
const ENDS: [&str; 7] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "__assert_fail",
    "pthread_exit",
    "thrd_exit",
];

impl<'a> Flow<'a> {
    pub fn new(code: &'a Code<'a>, own: &'a dyn Fn(&str) -> bool) -> Flow<'a> {
        Flow {
            code,
            own,
            returning: RefCell::default(),
        }
    }

    /// What becomes of the number that the call at `at` returns; nothing if that is not known.
    pub fn uses(&self, at: usize, of: Type) -> Option<Uses> {
        let mut state = State::new(of.numbers());
        let rax = Register {
            number: RAX,
            offset: 0,
            width: 8,
        };
        state.set_register(rax, Content::Copy(Image::whole(of)));
        self.follow(self.behind(at, state), true, 0)
    }

    /// Whether a function may return if its first argument is this.
    fn returns(&self, entry: usize, argument: &Content, depth: usize) -> bool {
        let argument = match argument {
            Content::Known(n) => Some(*n),
            _ => None,
        };
        let known = self.returning.borrow().get(&(entry, argument)).copied();
        known.unwrap_or_else(|| {
            let mut state = State::new(Ranges::new([(0, 0)]));
            let rdi = Register {
                number: RDI,
                offset: 0,
                width: 8,
            };
            state.set_register(rdi, argument.map_or(Content::Same, Content::Known));
            let uses = self.follow(vec![(entry, state)], false, depth + 1);
            let returns = uses.is_none_or(|uses| uses.returns);
            self.returning
                .borrow_mut()
                .insert((entry, argument), returns);
            returns
        })
    }

    /// Takes all ways from here. Nothing if there are too many, or, where no number is tracked, if one is not understood.
    fn follow(&self, mut open: Next, tracks: bool, depth: usize) -> Option<Uses> {
        let mut uses = Uses::default();
        let mut seen: BTreeMap<usize, Seen> = BTreeMap::new();
        let mut steps = 0;
        while let Some((at, mut state)) = open.pop() {
            if tracks && !state.depends() {
                continue;
            }
            let here = seen.entry(at).or_default();
            if here.states.contains(&state) {
                continue;
            }
            here.joined |= here.states.len() >= STATES;
            if here.joined {
                state = here.states.drain(..).fold(state, |a, b| a.join(&b));
            }
            here.states.push(state.clone());
            steps += 1;
            if steps > STEPS {
                return None;
            }
            let numbers = state.numbers.clone();
            match self.step(at, state, &mut uses, depth) {
                Ok(next) => open.extend(next),
                Err(Escapes) if tracks => {
                    uses.apart = uses.apart.or(&numbers);
                    if uses.apart.count() > MOST as i128 {
                        return None;
                    }
                }
                Err(Escapes) => return None,
            }
        }
        Some(uses)
    }

    /// The instruction behind, in the same function: what runs out of its function has called something that does not come back.
    fn behind(&self, at: usize, state: State) -> Next {
        let function = |at: usize| self.code.instructions.get(at).map(|i| i.function);
        if function(at) == function(at + 1) {
            vec![(at + 1, state)]
        } else {
            Vec::new()
        }
    }

    fn step(
        &self,
        at: usize,
        mut state: State,
        uses: &mut Uses,
        depth: usize,
    ) -> Result<Next, Escapes> {
        let Some(Instruction { name, operands, .. }) = self.code.instructions.get(at) else {
            return Err(Escapes);
        };
        let name = match *name {
            "callq" | "retq" | "jmpq" | "pushq" | "popq" | "leaveq" => name.trim_end_matches('q'),
            name => name,
        };
        let step = Step {
            code: self.code,
            at,
            name,
            operands,
        };
        if name == "ret" {
            uses.returns = true;
            let left = [RAX, RDX, RBX, 12, 13, 14, 15];
            let depends = left.iter().any(|&r| state.whole(r).depends());
            return if depends {
                Err(Escapes)
            } else {
                Ok(Vec::new())
            };
        }
        if name == "call" {
            return self.call(at, operands, state, depth);
        }
        if let Some(condition) = name.strip_prefix('j') {
            let [Operand::Label(label)] = operands.as_slice() else {
                return Err(Escapes);
            };
            let to = *self.code.labels.get(label).ok_or(Escapes)?;
            if !label.starts_with('.') {
                return Err(Escapes);
            }
            if condition == "mp" {
                return Ok(vec![(to, state)]);
            }
            let condition = Condition::named(condition).ok_or(Escapes)?;
            let ways = split(state, condition, uses)?;
            let next = ways.into_iter().flat_map(|(holds, state)| match holds {
                true => vec![(to, state)],
                false => self.behind(at, state),
            });
            return Ok(next.collect());
        }
        if let Some(condition) = name.strip_prefix("set").and_then(Condition::named) {
            let [to] = operands.as_slice() else {
                return Err(Escapes);
            };
            return match state.outcome(condition) {
                Outcome::Unclear => {
                    step.write(&mut state, to, 1, Content::Opaque)?;
                    Ok(self.behind(at, state))
                }
                Outcome::Either => {
                    step.write(&mut state, to, 1, Content::Same)?;
                    Ok(self.behind(at, state))
                }
                _ => self.each(at, split(state, condition, uses)?, |holds, state| {
                    step.write(state, to, 1, Content::Known(holds.into()))
                }),
            };
        }
        if let Some(condition) = name.strip_prefix("cmov") {
            let last = condition
                .get(..condition.len().saturating_sub(1))
                .unwrap_or("");
            let condition = Condition::named(condition).or_else(|| Condition::named(last));
            let (Some(condition), [from, to @ Operand::Register(r)]) =
                (condition, operands.as_slice())
            else {
                return Err(Escapes);
            };
            let (new, old) = (
                step.read(&state, from, r.width)?,
                step.read(&state, to, r.width)?,
            );
            return match state.outcome(condition) {
                Outcome::Unclear => {
                    step.write(&mut state, to, r.width, Content::Opaque)?;
                    Ok(self.behind(at, state))
                }
                _ => self.each(at, split(state, condition, uses)?, |holds, state| {
                    let content = if holds { &new } else { &old };
                    step.write(state, to, r.width, content.clone())
                }),
            };
        }
        step.plain(&mut state)?;
        Ok(self.behind(at, state))
    }

    /// The instruction behind, after doing something in each case.
    fn each(
        &self,
        at: usize,
        ways: Vec<(bool, State)>,
        mut write: impl FnMut(bool, &mut State) -> Result<(), Escapes>,
    ) -> Result<Next, Escapes> {
        let mut next = Vec::new();
        for (holds, mut state) in ways {
            write(holds, &mut state)?;
            next.extend(self.behind(at, state));
        }
        Ok(next)
    }

    fn call(
        &self,
        at: usize,
        operands: &[Operand],
        mut state: State,
        depth: usize,
    ) -> Result<Next, Escapes> {
        let all = [RDI, RSI, RDX, RCX, 8, 9, 10];
        let name = self.code.callee(at);
        let count = match name.and_then(|name| name.strip_prefix("__tsan_")) {
            Some("func_exit" | "init") => 0,
            Some("func_entry") => 1,
            Some(hook) if hook.contains("read") || hook.contains("write") => {
                if hook.ends_with("range") { 2 } else { 1 }
            }
            _ => all.len(),
        };
        let through =
            name.is_none() && (state.in_registers() || !matches!(operands, [Operand::Other]));
        if through || all[..count].iter().any(|&r| state.whole(r).depends()) {
            return Err(Escapes);
        }
        if name.is_some_and(|name| self.ends(at, name, &state, depth)) {
            return Ok(Vec::new());
        }
        for r in [RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11] {
            state.clobber(r);
        }
        state.flags = Flags::Same;
        Ok(self.behind(at, state))
    }

    /// Whether a call does not come back.
    fn ends(&self, at: usize, name: &str, state: &State, depth: usize) -> bool {
        let argument = state.whole(RDI);
        match name {
            // These are always ours (`assembly.rs`).
            "reach_error" | "__VERIFIER_error" => return true,
            "__VERIFIER_assume" => {
                return matches!(argument, Content::Known(n) if n & mask(4) == 0);
            }
            _ => {}
        }
        match self.code.labels.get(name) {
            Some(_) if self.code.weak.contains(name) || depth >= DEPTH => false,
            Some(&entry) => !self.returns(entry, &argument, depth),
            None if name == "abort" && self.code.assumes(at) => true,
            None => ENDS.contains(&name) && !(self.own)(name),
        }
    }
}

/// The ways that a condition goes, and the states there. What it asks of the number is noted.
fn split(
    state: State,
    condition: Condition,
    uses: &mut Uses,
) -> Result<Vec<(bool, State)>, Escapes> {
    match state.outcome(condition) {
        Outcome::Unclear => Err(Escapes),
        Outcome::Either => Ok(vec![(true, state.clone()), (false, state)]),
        Outcome::Is(holds) => Ok(vec![(holds, state)]),
        Outcome::For(numbers) => {
            let others = state.numbers.without(&numbers);
            uses.tests.insert(numbers.clone());
            let ways = [
                (true, state.clone().among(&numbers)),
                (false, state.among(&others)),
            ];
            Ok(ways
                .into_iter()
                .filter_map(|(holds, s)| Some((holds, s?)))
                .collect())
        }
    }
}

/// An instruction that goes on behind.
struct Step<'a> {
    code: &'a Code<'a>,
    at: usize,
    name: &'a str,
    operands: &'a [Operand<'a>],
}

/// Instructions on vectors and on numbers with fractions, by how their names begin.
const VECTORS: [&str; 33] = [
    "cvt", "movs", "mova", "movu", "movd", "movq", "movl", "movh", "add", "sub", "mul", "div",
    "pxor", "por", "pand", "xorp", "orp", "andp", "andn", "ucomis", "comis", "sqrt", "unpck",
    "punpck", "max", "min", "shuf", "pshuf", "padd", "psub", "pmul", "psll", "psrl",
];

impl Step<'_> {
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

    fn read(&self, state: &State, operand: &Operand, width: u8) -> Result<Content, Escapes> {
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

    fn write(
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
    fn plain(&self, state: &mut State) -> Result<(), Escapes> {
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
                let string = matches!(self.operands, [Operand::Label(s)] if s.starts_with("stos") || s.starts_with("movs"));
                if !string || used.iter().any(|&r| state.whole(r).depends()) {
                    return Err(Escapes);
                }
                [RCX, RSI, RDI].iter().for_each(|&r| state.clobber(r));
                return Ok(());
            }
            (name, [from, to]) if name.starts_with("movs") || name.starts_with("movz") => {
                let width = |i: usize| match name.get(i..i + 1) {
                    Some("b") => Ok(1),
                    Some("w") => Ok(2),
                    Some("l") => Ok(4),
                    Some("q") => Ok(8),
                    _ => Err(Escapes),
                };
                let (narrow, wide) = (width(4)?, width(5)?);
                if name.len() != 6 || narrow >= wide {
                    return Err(Escapes);
                }
                if name.starts_with("movs") {
                    return self.extend(state, from, to, narrow, wide);
                }
                let content = self.read(state, from, narrow)?;
                return self.write(state, to, wide, content);
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
