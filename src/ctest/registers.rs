//! What the instructions of an unoptimized function access, in terms of values that registers held.
//!
//! Values are sums of unknowns, symbols and a number; the same unknown computed twice is the same. Only straight lines
//! are followed: at a label everything is forgotten. The code that gcc writes at `-O0` is understood; all else is
//! reported as not understood.

use std::collections::{BTreeMap, BTreeSet};

/// A sum of unknowns, each with a factor, and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub terms: BTreeMap<String, i64>,
    pub number: i64,
}

impl Sum {
    fn of(unknown: impl Into<String>) -> Sum {
        Sum {
            terms: BTreeMap::from([(unknown.into(), 1)]),
            number: 0,
        }
    }

    fn constant(number: i64) -> Sum {
        Sum {
            terms: BTreeMap::new(),
            number,
        }
    }

    fn plus(mut self, other: &Sum, times: i64) -> Sum {
        for (unknown, factor) in &other.terms {
            let sum = self.terms.entry(unknown.clone()).or_default();
            *sum = sum.wrapping_add(factor.wrapping_mul(times));
        }
        self.terms.retain(|_, factor| *factor != 0);
        self.number = self.number.wrapping_add(other.number.wrapping_mul(times));
        self
    }

    fn is(&self, unknown: &str) -> bool {
        self.terms.get(unknown) == Some(&1)
    }
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// What the function passes to others on the stack.
    Stack,
    /// The function's frame.
    Frame,
    /// What never changes.
    Constant,
    Elsewhere,
}

/// An access of memory.
#[derive(Clone, Debug)]
pub struct Access {
    pub address: Sum,
    /// None for a copy of an unknown length: the middle of something whose ends are accessed as well.
    pub size: Option<i64>,
    pub write: bool,
    pub place: Where,
    /// The operand, as the assembler has it.
    pub operand: String,
}

/// What an instruction does, for those who put something before it.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    pub accesses: Vec<Access>,
    /// Registers that a function need not preserve.
    pub reads: BTreeSet<String>,
    pub writes: BTreeSet<String>,
    /// How many numbers it puts on the stack of the old floating-point unit.
    pub floats: i64,
    /// How much room it makes on the stack.
    pub grows: i64,
    /// Whether it is understood.
    pub known: bool,
}

/// What registers and the frame hold.
#[derive(Default)]
pub struct Machine {
    registers: BTreeMap<String, Sum>,
    /// How often each slot of the frame was written.
    versions: BTreeMap<i64, u64>,
    /// What was rounded down to a multiple of eight.
    rounded: BTreeMap<String, Sum>,
    fresh: u64,
}

const CALLEE_SAVED: [&str; 7] = ["rbx", "rbp", "r12", "r13", "r14", "r15", "rsp"];

/// The whole register that a name is a part of.
pub fn register(name: &str) -> Option<String> {
    let name = name.strip_prefix('%')?;
    if name.starts_with("xmm") {
        return Some(name.into());
    }
    let number = name
        .strip_prefix('r')
        .map(|n| n.trim_end_matches(['d', 'w', 'b']));
    if let Some(number) = number.filter(|n| n.bytes().all(|b| b.is_ascii_digit()) && !n.is_empty())
    {
        return Some(format!("r{number}"));
    }
    let part = name.trim_start_matches(['r', 'e']);
    let whole = match part {
        "ax" | "al" | "ah" => "rax",
        "bx" | "bl" | "bh" => "rbx",
        "cx" | "cl" | "ch" => "rcx",
        "dx" | "dl" | "dh" => "rdx",
        "si" | "sil" => "rsi",
        "di" | "dil" => "rdi",
        "bp" | "bpl" => "rbp",
        "sp" | "spl" => "rsp",
        _ => return None,
    };
    Some(whole.into())
}

/// Operands: what is between commas outside of parentheses.
pub fn operands(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// `a+8` or `-24`.
fn displacement(text: &str) -> Sum {
    if let Ok(number) = text.parse() {
        return Sum::constant(number);
    }
    let at = text[1..].find(['+', '-']).map_or(text.len(), |at| at + 1);
    let (name, rest) = text.split_at(at);
    match rest.trim_start_matches('+').parse() {
        Ok(number) => Sum::of(format!("${name}")).plus(&Sum::constant(number), 1),
        _ => Sum::of(format!("${text}")),
    }
}

/// How many bytes of memory an instruction accesses.
fn size(name: &str) -> Option<i64> {
    let exact = match name {
        "movss" | "movd" | "flds" | "fstps" => 4,
        "movsd" | "movlps" | "movhps" | "movlpd" | "movhpd" | "fldl" | "fstpl" => 8,
        "movaps" | "movups" | "movapd" | "movupd" | "movdqa" | "movdqu" => 16,
        "fldt" | "fstpt" => 16,
        "movslq" => 4,
        _ if name.starts_with("movzb") || name.starts_with("movsb") => 1,
        _ if name.starts_with("movzw") || name.starts_with("movsw") => 2,
        _ if name.starts_with("cvtss") || name.starts_with("cvttss") => 4,
        _ if name.starts_with("cvtsd") || name.starts_with("cvttsd") => 8,
        _ if name.ends_with("ss") => 4,
        _ if name.ends_with("sd") => 8,
        _ if name.starts_with("set") => 1,
        _ => match name.chars().last()? {
            'b' => 1,
            'w' => 2,
            'l' => 4,
            'q' => 8,
            _ => return None,
        },
    };
    Some(exact)
}

const MOVES: [&str; 27] = [
    "movb", "movw", "movl", "movq", "movabsq", "movzbl", "movzbw", "movzbq", "movzwl", "movzwq",
    "movsbl", "movsbw", "movsbq", "movswl", "movswq", "movslq", "movss", "movsd", "movd", "movaps",
    "movups", "movapd", "movupd", "movdqa", "movdqu", "leaq", "leal",
];

const PLAIN: [&str; 24] = [
    "add",
    "sub",
    "and",
    "or",
    "xor",
    "sal",
    "shl",
    "shr",
    "sar",
    "neg",
    "not",
    "imul",
    "inc",
    "dec",
    "adc",
    "sbb",
    "pxor",
    "xorps",
    "unpcklps",
    "movlps",
    "movhps",
    "movlpd",
    "movhpd",
    "punpcklqdq",
];

/// Whether an instruction computes with floating-point numbers, as most others do.
fn is_float(name: &str) -> bool {
    let operations = ["add", "sub", "mul", "div"];
    let ends = name.ends_with("ss") || name.ends_with("sd");
    name.starts_with("cvt") || ends && operations.iter().any(|o| name.starts_with(o))
}

impl Machine {
    fn new_unknown(&mut self) -> Sum {
        self.fresh += 1;
        Sum::of(format!("?{}", self.fresh))
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        self.registers.clear();
        self.fresh += 1;
        let all = self.fresh;
        self.versions = BTreeMap::from([(i64::MIN, all)]);
    }

    /// A function was called.
    pub fn called(&mut self, harmless: bool) {
        self.registers
            .retain(|name, _| CALLEE_SAVED.contains(&name.as_str()));
        if !harmless {
            self.fresh += 1;
            let all = self.fresh;
            self.versions = BTreeMap::from([(i64::MIN, all)]);
        }
    }

    /// What a register holds.
    pub fn holds(&mut self, name: &str) -> Sum {
        match name {
            "rbp" => return Sum::of("frame"),
            "rip" => return Sum::constant(0),
            _ => {}
        }
        if let Some(sum) = self.registers.get(name) {
            return sum.clone();
        }
        let sum = if name == "rsp" {
            Sum::of("stack")
        } else {
            self.new_unknown()
        };
        self.registers.insert(name.into(), sum.clone());
        sum
    }

    fn address(&mut self, operand: &str, effect: &mut Effect) -> Option<Sum> {
        if operand.contains("%fs:") || operand.contains("%gs:") || operand.contains("@tpoff") {
            return None;
        }
        let (front, inside) = match operand.split_once('(') {
            Some((front, inside)) => (front, inside.strip_suffix(')')?),
            None => (operand, ""),
        };
        let mut sum = match front.trim() {
            "" => Sum::default(),
            front => displacement(front),
        };
        let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
        let factor = parts.get(2).map_or(Some(1), |f| f.parse().ok())?;
        for (part, times) in parts.iter().take(2).zip([1, factor]) {
            if part.is_empty() {
                continue;
            }
            let name = if *part == "%rip" {
                "rip".into()
            } else {
                register(part)?
            };
            effect.reads.insert(name.clone());
            sum = sum.plus(&self.holds(&name), times);
        }
        Some(sum)
    }

    /// An address with what was rounded taken as it was before.
    fn unrounded(&self, mut sum: Sum) -> Sum {
        for _ in 0..4 {
            let found = sum.terms.iter().find_map(|(unknown, factor)| {
                let inner = self.rounded.get(unknown)?;
                Some((unknown.clone(), *factor, inner.clone()))
            });
            let Some((unknown, factor, inner)) = found else {
                break;
            };
            sum.terms.remove(&unknown);
            sum = sum.plus(&inner, factor);
        }
        sum
    }

    fn access(address: Sum, size: Option<i64>, write: bool, operand: &str) -> Access {
        let symbols = || address.terms.keys().filter_map(|t| t.strip_prefix('$'));
        let place = if address.is("frame") {
            Where::Frame
        } else if address.is("stack") {
            Where::Stack
        } else if symbols().any(|name| name.starts_with(".L") || name.starts_with("C.")) {
            Where::Constant
        } else {
            Where::Elsewhere
        };
        Access {
            address,
            size,
            write,
            place,
            operand: operand.into(),
        }
    }

    /// The value of a source, and its access.
    fn value(&mut self, name: &str, operand: &str, effect: &mut Effect) -> Option<Sum> {
        if let Some(number) = operand.strip_prefix('$') {
            return Some(displacement(number));
        }
        if operand.starts_with('%') && !operand.contains(':') {
            let name = register(operand)?;
            effect.reads.insert(name.clone());
            return Some(self.holds(&name));
        }
        if let Some(symbol) = operand.strip_suffix("@GOTPCREL(%rip)") {
            return Some(Sum::of(format!("${symbol}")));
        }
        let address = self.address(operand, effect)?;
        if name.starts_with("lea") {
            return Some(address);
        }
        let bytes = size(name)?;
        let access = Machine::access(address.clone(), Some(bytes), false, operand);
        let mine = access.place == Where::Frame && address.terms.len() == 1;
        effect.accesses.push(access);
        if !mine {
            return Some(self.new_unknown());
        }
        let at = address.number;
        let version = self
            .versions
            .range(..=at)
            .next_back()
            .filter(|(k, _)| **k == at);
        let all = self.versions.get(&i64::MIN).copied().unwrap_or(0);
        let version = version.map_or(all, |(_, v)| *v);
        Some(Sum::of(format!("slot {at} {bytes} {version}")))
    }

    /// Something is put into a register or into memory.
    fn put(&mut self, name: &str, operand: &str, value: Sum, effect: &mut Effect) -> Option<()> {
        if operand.starts_with('%') && !operand.contains(':') {
            let name = register(operand)?;
            if name == "rbp" {
                return None;
            }
            effect.writes.insert(name.clone());
            self.registers.insert(name, value);
            return Some(());
        }
        let address = self.address(operand, effect)?;
        let bytes = size(name)?;
        self.stored(&address);
        effect
            .accesses
            .push(Machine::access(address, Some(bytes), true, operand));
        Some(())
    }

    fn stored(&mut self, address: &Sum) {
        self.fresh += 1;
        let version = self.fresh;
        if address.is("frame") && address.terms.len() == 1 {
            // What overlaps is no slot of a pointer.
            for at in address.number - 7..address.number + 16 {
                self.versions.insert(at, version);
            }
        } else if address.is("frame") {
            self.versions = BTreeMap::from([(i64::MIN, version)]);
        }
    }

    /// Follows an instruction that is no call and no jump.
    pub fn step(&mut self, line: &str) -> Effect {
        let mut effect = Effect::default();
        effect.known = self.follow(line.trim(), &mut effect).is_some();
        if !effect.known {
            self.forget();
        }
        let preserved = |name: &String| !CALLEE_SAVED.contains(&name.as_str()) && name != "rip";
        effect.reads.retain(preserved);
        effect.writes.retain(preserved);
        effect
    }

    fn follow(&mut self, line: &str, effect: &mut Effect) -> Option<()> {
        let (name, rest) = line.split_once(['\t', ' ']).unwrap_or((line, ""));
        let operands = operands(rest);
        let stem = name.strip_suffix(['b', 'w', 'l', 'q']).unwrap_or(name);
        match (name, operands.as_slice()) {
            ("nop", _) => {}
            ("rep", ["movsq" | "movsl" | "movsb"]) => self.copies(rest.trim(), true, effect),
            ("rep", ["stosq" | "stosl" | "stosb"]) => self.copies(rest.trim(), false, effect),
            ("cltq" | "cwtl", []) => {
                effect.reads.insert("rax".into());
                effect.writes.insert("rax".into());
                let value = self.holds("rax");
                let value = self.combined(name, &[value]);
                self.registers.insert("rax".into(), value);
            }
            ("cltd" | "cqto", []) => {
                effect.reads.insert("rax".into());
                effect.writes.insert("rdx".into());
                let value = self.new_unknown();
                self.registers.insert("rdx".into(), value);
            }
            ("pushq", [from]) => {
                self.value("movq", from, effect)?;
                self.moves_stack(8);
            }
            ("popq", [to]) => {
                let value = self.new_unknown();
                self.put("movq", to, value, effect)?;
                self.moves_stack(-8);
            }
            ("fldt" | "flds" | "fldl", [from]) => {
                self.value(name, from, effect)?;
                effect.floats = 1;
            }
            ("fstpt" | "fstps" | "fstpl", [to]) => {
                let value = self.new_unknown();
                self.put(name, to, value, effect)?;
                effect.floats = -1;
            }
            (_, [from, _] | [from]) if ["cmp", "test"].contains(&stem) => {
                self.value(name, from, effect)?;
                if let [_, other] = operands.as_slice() {
                    self.value(name, other, effect)?;
                }
            }
            ("subq", [number, "%rsp"]) => {
                let number = number.strip_prefix('$')?.parse().ok()?;
                self.moves_stack(number);
                effect.grows = number;
            }
            ("addq", [number, "%rsp"]) => {
                let number: i64 = number.strip_prefix('$')?.parse().ok()?;
                self.moves_stack(-number);
            }
            ("orq", ["$0", "(%rsp)"]) => {}
            (_, [.., "%rsp"]) if name == "leaq" || name == "movq" => {
                self.registers.remove("rsp");
            }
            (_, [.., "%rsp" | "%rbp"]) => return None,
            (_, [from, to]) if MOVES.contains(&name) => {
                let value = self.value(name, from, effect)?;
                let whole = matches!(name, "movq" | "movabsq" | "leaq");
                let small = value.terms.is_empty() && (0..1 << 31).contains(&value.number);
                let same = name == "movl" && (from.starts_with('$') || small);
                let value = if whole || same {
                    value
                } else {
                    self.combined(name, &[value])
                };
                self.put(name, to, value, effect)?;
            }
            (_, [to]) if name.starts_with("set") => {
                let value = self.new_unknown();
                self.put(name, to, value, effect)?;
            }
            (_, [from @ .., to])
                if PLAIN.contains(&name) || PLAIN.contains(&stem) || is_float(name) =>
            {
                let mut values = Vec::new();
                for operand in from.iter().chain([to]) {
                    values.push(self.value(name, operand, effect)?);
                }
                let value = self.computed(name, &values);
                self.put(name, to, value, effect)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn moves_stack(&mut self, by: i64) {
        let sum = self.holds("rsp").plus(&Sum::constant(by), -1);
        self.registers.insert("rsp".into(), sum);
    }

    /// Something new that depends on these values alone.
    fn combined(&mut self, name: &str, values: &[Sum]) -> Sum {
        let texts: Vec<String> = values
            .iter()
            .map(|v| format!("{:?} {}", v.terms, v.number))
            .collect();
        Sum::of(format!("{name}({})", texts.join(", ")))
    }

    fn computed(&mut self, name: &str, values: &[Sum]) -> Sum {
        let number = |sum: &Sum| sum.terms.is_empty().then_some(sum.number);
        match (name, values) {
            ("addq", [a, b]) => b.clone().plus(a, 1),
            ("subq", [a, b]) => b.clone().plus(a, -1),
            ("negq", [a]) => Sum::default().plus(a, -1),
            ("salq" | "shlq", [a, b]) if number(a).is_some_and(|n| (0..32).contains(&n)) => {
                Sum::default().plus(b, 1 << a.number)
            }
            ("andq", [a, b]) if number(a) == Some(-8) => {
                let sum = self.combined(name, values);
                for unknown in sum.terms.keys() {
                    self.rounded.insert(unknown.clone(), b.clone());
                }
                sum
            }
            _ => self.combined(name, values),
        }
    }

    /// `rep movsq` and its kin.
    fn copies(&mut self, name: &str, reads: bool, effect: &mut Effect) {
        let unit = match name.chars().last() {
            Some('q') => 8,
            Some('l') => 4,
            _ => 1,
        };
        let count = self.holds("rcx");
        let length = count.terms.is_empty().then_some(count.number * unit);
        let ends: &[(&str, bool)] = if reads {
            &[("rsi", false), ("rdi", true)]
        } else {
            &[("rdi", true)]
        };
        for (name, write) in ends {
            let at = self.holds(name);
            let address = self.unrounded(at.clone());
            let operand = format!("(%{name})");
            if *write {
                self.stored(&Sum::of("frame").plus(&Sum::of("anywhere"), 1));
            }
            effect
                .accesses
                .push(Machine::access(address, length, *write, &operand));
            let behind = match length {
                Some(length) => at.plus(&Sum::constant(length), 1),
                None => self.new_unknown(),
            };
            self.registers.insert((*name).into(), behind);
        }
        self.registers.insert("rcx".into(), Sum::default());
        for name in ["rdi", "rcx"]
            .iter()
            .chain(if reads { &["rsi"] } else { &["rax"] })
        {
            effect.reads.insert((*name).into());
        }
        for name in ["rdi", "rcx"].iter().chain(reads.then_some(&"rsi")) {
            effect.writes.insert((*name).into());
        }
    }
}
