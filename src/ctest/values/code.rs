//! Assembly as compilers write it (AT&T's syntax, x86-64), read as far as values are followed: instructions, where
//! labels are, and what functions do with addresses in their frames.
//!
//! A local variable whose address gets about is accessed behind an announcement (`__tsan_write4`), as other memory is.
//! One that is accessed without belongs to the function alone, unless it is part of something that the compiler itself
//! moves by its address (a large structure).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What an instruction works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand<'a> {
    /// A constant.
    Number(u64),
    /// A constant that the linker knows.
    Address,
    /// A general register.
    Register(Register),
    /// A register of vectors, or of numbers with fractions.
    Vector,
    /// Memory.
    Memory(Memory),
    /// A place in the code.
    Label(&'a str),
    /// Something else.
    Other,
}

/// A part of a general register, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// In the order of the processor.
    pub number: u8,
    /// 1 for the second byte, else 0.
    pub offset: u8,
    /// How many bytes.
    pub width: u8,
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The register that has the address.
    pub base: Option<u8>,
    /// The one that is added.
    pub index: Option<u8>,
    /// What is added, if it is a number.
    pub offset: Option<i32>,
}

/// The numbers of registers.
pub const RAX: u8 = 0;
pub const RCX: u8 = 1;
pub const RDX: u8 = 2;
pub const RBX: u8 = 3;
pub const RSP: u8 = 4;
pub const RBP: u8 = 5;
pub const RSI: u8 = 6;
pub const RDI: u8 = 7;

const WHOLE_RSP: Register = Register {
    number: RSP,
    offset: 0,
    width: 8,
};
const WHOLE_RBP: Register = Register {
    number: RBP,
    offset: 0,
    width: 8,
};

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction<'a> {
    /// In which line it stands.
    pub line: usize,
    /// Its name.
    pub name: &'a str,
    /// What it works on.
    pub operands: Vec<Operand<'a>>,
    /// In which function it is.
    pub function: usize,
}

/// A function, and what it does with its frame.
#[derive(Debug, Default)]
struct Function {
    /// Calls of `abort` are failed assumptions.
    assumes: bool,
    /// Addresses in the frame that it computes, from %rbp.
    addresses: Vec<i32>,
    /// It computes others, too.
    loose: bool,
    /// Something is accessed by its address that was not announced.
    silent: bool,
    /// Variables are addressed from %rbp.
    framed: bool,
    /// It begins by saving %rbp and taking it for the frame.
    saves: bool,
    /// It does something else with %rbp.
    moves: bool,
    /// Accesses are announced.
    announces: bool,
    /// It has a table of where exceptions lead.
    catches: bool,
    /// Where its first call is: what is stored before, of what it was passed, is not announced.
    first_call: Option<usize>,
}

/// Where exceptions lead that are thrown in a piece of code.
#[derive(Debug)]
struct Catch {
    from: usize,
    to: usize,
    /// Out of the function, if nowhere else.
    pad: Option<usize>,
}

/// A file.
pub struct Code<'a> {
    /// All instructions.
    pub instructions: Vec<Instruction<'a>>,
    /// Where labels are.
    pub labels: HashMap<&'a str, usize>,
    /// Functions for which another file may have others.
    pub weak: HashSet<&'a str>,
    functions: Vec<Function>,
    catches: Vec<Catch>,
    /// Where jumps may lead.
    places: HashSet<usize>,
}

/// Functions by which a compiler moves large objects.
const MOVE: [&str; 4] = ["memcpy", "memset", "memmove", "memcmp"];

impl<'a> Code<'a> {
    /// Reads a file.
    pub fn new(text: &'a str) -> Code<'a> {
        let mut instructions: Vec<Instruction> = Vec::new();
        let mut labels = HashMap::new();
        let mut weak = HashSet::new();
        let mut functions = vec![Function::default()];
        for (line, text) in text.lines().enumerate() {
            let text = text.split('#').next().unwrap_or("").trim();
            if let Some(label) = text.strip_suffix(':') {
                labels.insert(label, instructions.len());
                if !label.starts_with(['.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
                    functions.push(Function {
                        assumes: label.contains("assume"),
                        ..Function::default()
                    });
                }
            } else if text.starts_with(".cfi_lsda") {
                if let Some(function) = functions.last_mut() {
                    function.catches = true;
                }
            } else if let Some(name) = text.strip_prefix(".weak") {
                weak.insert(name.trim());
            } else if !text.is_empty() && !text.starts_with('.') {
                let (name, operands) = match text.split_once([' ', '\t']) {
                    // Lines with several of them are not read.
                    _ if text.contains(';') => (";", ""),
                    split => split.unwrap_or((text, "")),
                };
                instructions.push(Instruction {
                    line,
                    name,
                    operands: parts(operands).into_iter().map(operand).collect(),
                    function: functions.len() - 1,
                });
            }
        }
        let places = labels.values().copied().collect();
        let catches = catches(text, &labels);
        let mut code = Code {
            instructions,
            labels,
            weak,
            functions,
            catches,
            places,
        };
        let known = text.lines().any(announces_all);
        for function in &mut code.functions {
            function.silent = !known;
        }
        code.look_at_frames(known);
        if known {
            code.look_for_saved();
        }
        code
    }

    /// Finds the functions that begin as compilers without optimisation begin them.
    fn look_for_saved(&mut self) {
        const HOW: [(&str, &[Operand]); 2] = [
            ("pushq", &[Operand::Register(WHOLE_RBP)]),
            (
                "movq",
                &[Operand::Register(WHOLE_RSP), Operand::Register(WHOLE_RBP)],
            ),
        ];
        let own = self.instructions.chunk_by(|a, b| a.function == b.function);
        for instructions in own {
            let endbr = usize::from(instructions[0].name == "endbr64");
            let mut rest = instructions[endbr..].iter();
            let same = |(name, operands): (&str, &[Operand])| {
                (rest.next()).is_some_and(|i| (i.name, i.operands.as_slice()) == (name, operands))
            };
            let function = &mut self.functions[instructions[0].function];
            function.saves = HOW.into_iter().all(same);
            let moves = |i: &Instruction| {
                let to = i.operands.last();
                !matches!(i.name, "popq" | "pushq")
                    && matches!(to, Some(Operand::Register(Register { number: RBP, .. })))
            };
            function.moves = instructions.iter().skip(endbr + 2).any(moves);
        }
    }

    /// The function that an instruction calls by its name.
    pub fn callee(&self, at: usize) -> Option<&'a str> {
        let instruction = self.instructions.get(at)?;
        match (instruction.name, instruction.operands.as_slice()) {
            ("call" | "callq", [Operand::Label(name)]) => {
                Some(name.strip_suffix("@PLT").unwrap_or(name))
            }
            _ => None,
        }
    }

    /// Where an exception leads that a call throws, if it stays in the function. An error: nothing is known of that.
    pub fn catch(&self, at: usize) -> Result<Option<usize>, ()> {
        let own = |at: usize| self.instructions.get(at).map(|i| i.function);
        let function = self.instructions[at].function;
        if !self.functions[function].catches {
            return Ok(None);
        }
        let mut all = self.catches.iter();
        let known = |c: &&Catch| own(c.from) == Some(function);
        if !all.clone().any(|c| known(&c)) {
            return Err(());
        }
        let here = all.find(|c| (c.from..c.to).contains(&at));
        match here.and_then(|c| c.pad) {
            Some(pad) if own(pad) != Some(function) => Err(()),
            pad => Ok(pad),
        }
    }

    /// Whether a call of `abort` is there a failed assumption (`assembly.rs` makes it one).
    pub fn assumes(&self, at: usize) -> bool {
        let Instruction {
            operands, function, ..
        } = &self.instructions[at];
        self.functions[*function].assumes && operands.as_slice() == [Operand::Label("abort")]
    }

    fn look_at_frames(&mut self, known: bool) {
        let mut announced = false;
        for at in 0..self.instructions.len() {
            let callee = self.callee(at);
            let Instruction {
                name,
                operands,
                function,
                ..
            } = &self.instructions[at];
            let function = &mut self.functions[*function];
            announced &= !self.places.contains(&at);
            if name.starts_with("call") {
                function.first_call.get_or_insert(at);
                announced = known && callee.is_some_and(|c| c.starts_with("__tsan_"));
                function.announces |= callee == Some("__tsan_func_entry");
                function.silent |= callee.is_some_and(|c| MOVE.contains(&c));
            }
            let register =
                |r: u8| move |o: &Operand| matches!(o, Operand::Register(at) if at.number == r);
            function.silent |= *name == "rep";
            function.loose |= operands.iter().any(register(10));
            match (*name, operands.as_slice()) {
                ("movq" | "mov", [from, to]) if register(RSP)(from) && register(RBP)(to) => {
                    function.framed = true;
                }
                ("pushq" | "popq" | "push" | "pop", [_]) => {}
                (lea, [Operand::Memory(m), _]) if lea.starts_with("lea") => match m {
                    Memory { index, .. } if *index == Some(RBP) => function.loose = true,
                    Memory {
                        base: Some(RBP),
                        index: None,
                        offset: Some(offset),
                    } => {
                        function.addresses.push(*offset);
                    }
                    Memory {
                        base: Some(RBP), ..
                    } => function.loose = true,
                    // What lies lower than all variables.
                    Memory {
                        base: Some(RSP), ..
                    } => function.addresses.push(i32::MIN),
                    _ => {}
                },
                _ => {
                    function.loose |= operands.iter().any(register(RBP));
                    let moves = name.starts_with("add") || name.starts_with("sub");
                    if operands.first().is_some_and(register(RSP)) {
                        function.addresses.push(i32::MIN);
                    } else if operands.iter().any(register(RSP)) && !moves {
                        function.loose = true;
                    }
                    for operand in operands {
                        let Operand::Memory(m) = operand else {
                            continue;
                        };
                        let frame = |r: Option<u8>| matches!(r, Some(RBP | RSP));
                        let computed = m.index.is_some();
                        function.loose |=
                            computed && (frame(m.base) && !announced || frame(m.index));
                        function.silent |= m.base.is_some() && !frame(m.base) && !announced;
                    }
                }
            }
        }
        // Pieces of functions that lie elsewhere.
        for (label, &at) in &self.labels {
            let whole = label
                .split_once(".cold")
                .and_then(|(name, _)| self.labels.get(name));
            for &at in whole.into_iter().chain(whole.map(|_| &at)) {
                if let Some(instruction) = self.instructions.get(at) {
                    self.functions[instruction.function].loose = true;
                }
            }
        }
    }

    /// Whether %rbp is the frame of the function where an instruction stands, with the caller's %rbp and the return
    /// address above it, as gcc has it without optimisation.
    pub fn has_frame(&self, at: usize) -> bool {
        let function = &self.functions[self.instructions[at].function];
        function.saves && !function.moves
    }

    /// Whether what an instruction stores at this place of the frame is seen only by instructions that name the place.
    pub fn is_private(&self, at: usize, offset: i32, width: u8) -> bool {
        let function = &self.functions[self.instructions[at].function];
        let end = offset + i32::from(width);
        let silent = function.silent || function.first_call.is_none_or(|first| at < first);
        let begins = |&a: &i32| a < end && (silent || a >= offset);
        function.framed
            && function.announces
            && !function.loose
            && !function.addresses.iter().any(begins)
            && !self.is_announced(at, offset..end)
    }

    /// Whether a store at this place of the frame may be the one that was announced last.
    fn is_announced(&self, at: usize, place: Range<i32>) -> bool {
        let own =
            |&before: &usize| self.instructions[before].function == self.instructions[at].function;
        for before in (0..at).rev().take_while(own) {
            match self.callee(before).map(|name| name.strip_prefix("__tsan_")) {
                Some(Some(hook)) if hook.contains("write") => {
                    return match (self.announced(before), hook.strip_prefix("write")) {
                        (Some(None), _) => false,
                        (Some(Some(from)), Some(width)) => {
                            let width = width.parse().unwrap_or(i32::MAX);
                            from < place.end && place.start < from.saturating_add(width)
                        }
                        _ => true,
                    };
                }
                Some(None) => return false,
                None if self.instructions[before].name.starts_with("call") => return false,
                _ => {}
            }
        }
        false
    }

    /// What is announced, if its address is taken right before: something in the frame, or else a global variable.
    fn announced(&self, call: usize) -> Option<Option<i32>> {
        let to = |at: usize, number: u8| {
            let Instruction { name, operands, .. } = &self.instructions[at];
            match operands.as_slice() {
                [from, Operand::Register(r)] if r.number == number => Some((*name, from)),
                _ => None,
            }
        };
        if self.places.contains(&call) {
            return None;
        }
        let last = call.checked_sub(1)?;
        let (name, address) = match to(last, RDI)? {
            ("movq", Operand::Register(r)) if !self.places.contains(&last) => {
                to(last.checked_sub(1)?, r.number)?
            }
            known => known,
        };
        match (name, address) {
            (
                "leaq",
                Operand::Memory(Memory {
                    base: Some(RBP),
                    index: None,
                    offset: Some(offset),
                }),
            ) => Some(Some(*offset)),
            (
                "leaq",
                Operand::Memory(Memory {
                    base: None,
                    index: None,
                    ..
                }),
            )
            | ("movl", Operand::Address) => Some(None),
            _ => None,
        }
    }
}

/// Reads the tables of exceptions: where a piece of code begins in its function, how long it is, where it leads. What
/// is not understood is not there.
fn catches(text: &str, labels: &HashMap<&str, usize>) -> Vec<Catch> {
    let numbers = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or("").trim());
    let numbers: Vec<Option<&str>> = numbers
        .map(|line| line.strip_prefix(".uleb128").map(str::trim))
        .collect();
    let record = |lines: &[Option<&str>]| {
        let (from, function) = lines[0]?.split_once('-')?;
        let (to, same) = lines[1]?.split_once('-')?;
        if same != from {
            return None;
        }
        let pad = match lines[2]? {
            "0" => None,
            text => Some(text.split_once('-').filter(|(_, f)| *f == function)?.0),
        };
        let place = |label: &str| labels.get(label).copied();
        Some(Catch {
            from: place(from)?,
            to: place(to)?,
            // What is unknown is no place of the function.
            pad: pad.map(|label| place(label).unwrap_or(usize::MAX)),
        })
    };
    numbers.windows(3).filter_map(record).collect()
}

/// Whether a line says that this is gcc's, without optimisation: then every access to a variable whose address is taken
/// is announced, also if the address gets nowhere.
fn announces_all(line: &str) -> bool {
    let mut levels = line.split([' ', '"']).filter(|word| word.starts_with("-O"));
    line.contains(".string\t\"GNU C") && line.contains(" -O0 ") && levels.all(|l| l == "-O0")
}

/// Operands are separated by commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let inside = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    };
    let parts = text.split(inside).map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

fn operand(text: &str) -> Operand<'_> {
    if let Some(constant) = text.strip_prefix('$') {
        return number(constant).map_or(Operand::Address, |n| Operand::Number(n as u64));
    }
    if let Some(name) = text
        .strip_prefix('%')
        .filter(|_| !text.contains([':', '(']))
    {
        let vector = ["xmm", "ymm", "zmm", "st", "mm"];
        return match register(name) {
            Some(register) => Operand::Register(register),
            None if vector.iter().any(|v| name.starts_with(v)) => Operand::Vector,
            None => Operand::Other,
        };
    }
    if text.starts_with('*') {
        return Operand::Other;
    }
    if let Some((offset, registers)) = text.strip_suffix(')').and_then(|t| t.split_once('(')) {
        let mut registers = registers.split(',').map(|name| {
            let name = name.trim().trim_start_matches('%');
            register(name).map(|r| r.number)
        });
        return Operand::Memory(Memory {
            base: registers.next().flatten(),
            index: registers.next().flatten(),
            offset: match offset {
                "" => Some(0),
                _ => number(offset).and_then(|n| n.try_into().ok()),
            },
        });
    }
    let named = |c: char| c.is_alphanumeric() || "._$@".contains(c);
    if !text.contains(':') && text.chars().all(named) {
        return Operand::Label(text);
    }
    Operand::Memory(Memory {
        base: None,
        index: None,
        offset: None,
    })
}

fn number(text: &str) -> Option<i64> {
    let (minus, digits) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let number = number.ok()? as i64;
    Some(if minus { number.wrapping_neg() } else { number })
}

fn register(name: &str) -> Option<Register> {
    const NAMES: [[&str; 4]; 8] = [
        ["rax", "eax", "ax", "al"],
        ["rcx", "ecx", "cx", "cl"],
        ["rdx", "edx", "dx", "dl"],
        ["rbx", "ebx", "bx", "bl"],
        ["rsp", "esp", "sp", "spl"],
        ["rbp", "ebp", "bp", "bpl"],
        ["rsi", "esi", "si", "sil"],
        ["rdi", "edi", "di", "dil"],
    ];
    const WIDTHS: [u8; 4] = [8, 4, 2, 1];
    let found = |number: usize, width: usize| Register {
        number: number as u8,
        offset: 0,
        width: WIDTHS[width],
    };
    for (number, names) in NAMES.iter().enumerate() {
        if let Some(width) = names.iter().position(|n| *n == name) {
            return Some(found(number, width));
        }
    }
    if let Some(number) = ["ah", "ch", "dh", "bh"].iter().position(|n| *n == name) {
        return Some(Register {
            number: number as u8,
            offset: 1,
            width: 1,
        });
    }
    let rest = name.strip_prefix('r')?;
    let digits = rest.trim_end_matches(['d', 'w', 'b', 'l']);
    let number = digits.parse().ok().filter(|n| (8..16).contains(n))?;
    let width = match rest.strip_prefix(digits)? {
        "" => 0,
        "d" => 1,
        "w" => 2,
        "b" | "l" => 3,
        _ => return None,
    };
    Some(found(number, width))
}
