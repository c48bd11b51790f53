//! What an execution is about, by name: variables, fields and elements of arrays from debug information, blocks of the
//! heap by what points to them.
//!
//! A block has no type of its own. It gets that of the first pointer to it that is seen, in memory that others can see
//! or on the stack of a thread. If a global pointer points to it and never to another block, it is called by that
//! pointer (`q->len`); else by its type and a number (`node#2.value`).

use super::debug::{Debug, FrameBase, Function, Local, TypeId, Types, is_number, number};
use super::history::Step;
use super::shared::{self, Block, Kind, Last, Mark, Pointer, STACK_SIZE, STACKS_AT};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What the runtime tells of an execution besides its steps.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Which functions were entered and left.
    pub marks: Vec<Mark>,
    /// Blocks of the heap.
    pub blocks: Vec<Block>,
    /// Pointers to them on stacks.
    pub pointers: Vec<Pointer>,
}

impl Seen {
    /// What stands in an answer.
    pub fn new(answer: &shared::Shared) -> Seen {
        let count = |n: u32, most| (n as usize).min(most);
        let mut blocks = answer.block[..count(answer.blocks, shared::MAX_BLOCKS)].to_vec();
        // The program may have written anywhere.
        blocks.retain(|b| b.start.checked_add(b.size).is_some_and(|end| end < 1 << 63));
        blocks.sort_unstable_by_key(|b| b.start);
        Seen {
            marks: answer.mark[..count(answer.marks, shared::MAX_MARKS)].to_vec(),
            blocks,
            pointers: answer.pointer[..count(answer.pointers, shared::MAX_POINTERS)].to_vec(),
        }
    }
}

/// A step by name.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// What it is about.
    pub object: String,
    /// Its value, as the program would write it.
    pub value: String,
    /// What was there before.
    pub before: String,
    /// Where it is to be told: at its own place, or at the program's call of the library that has it.
    pub site: u64,
}

/// What an error is about.
#[derive(Clone, Copy, Debug)]
pub enum About {
    /// A piece of memory.
    Piece(u64),
    /// A block of the heap.
    Block(u64),
}

/// An execution by name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The steps.
    pub steps: Vec<Named>,
    /// The address that its error is about.
    pub about: String,
    /// What each thread would access next, at the end.
    pub waiting: Vec<String>,
    /// The last place of the program itself that each thread has called from and not come back to, at the end; 0 if
    /// there is none.
    pub called: Vec<u64>,
    /// The blocks that have been named: what each is called, and what is known of it.
    pub blocks: Vec<(String, Block)>,
}

impl Names {
    /// Names an execution. `about` is an address that is named as things are at its end: as a piece of memory, or as a
    /// whole block.
    pub fn new(debug: &Debug, seen: &Seen, steps: &[Step], last: &[Last], about: About) -> Names {
        let mut naming = Naming {
            debug,
            seen,
            types: vec![None; seen.blocks.len()],
            called: vec![None; seen.blocks.len()],
            labels: Vec::new(),
            used: BTreeSet::new(),
        };
        naming.find_types(steps);
        naming.find_pointers(steps);
        naming.label();
        naming.all(steps, last, about)
    }

    /// The last place of the program itself that a thread has called from, at the end; 0 if there is none.
    pub fn called(&self, thread: usize) -> u64 {
        self.called.get(thread).copied().unwrap_or(0)
    }

    /// What a step is about.
    pub fn object(&self, step: usize) -> &str {
        self.steps.get(step).map_or("?", |s| &s.object)
    }
}

/// Whether a step's address is one of memory that it reads or writes.
pub fn is_memory(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Read
            | Kind::Write
            | Kind::AtomicLoad
            | Kind::AtomicStore
            | Kind::AtomicUpdate
            | Kind::CompareAndSwap
    )
}

/// The bytes of memory that a step reads or writes; none, if it does something else with an object.
fn width(step: &Step) -> u32 {
    if is_memory(step.kind) { step.size } else { 0 }
}

/// A function that a thread is in.
#[derive(Clone, Copy)]
struct Frame<'a> {
    function: Option<&'a Function>,
    /// What the stack pointer was before it was called.
    canonical: u64,
    /// The register for frames.
    register: u64,
    /// Its beginning, and where it returns to.
    begins: u64,
    caller: u64,
}

/// The functions that threads are in, at some step.
struct Frames<'a> {
    debug: &'a Debug,
    marks: std::slice::Iter<'a, Mark>,
    taken: usize,
    of: FxHashMap<usize, Vec<Frame<'a>>>,
}

impl<'a> Frames<'a> {
    fn new(debug: &'a Debug, seen: &'a Seen) -> Frames<'a> {
        Frames {
            debug,
            marks: seen.marks.iter(),
            taken: 0,
            of: FxHashMap::default(),
        }
    }

    /// Goes on for as long as that is so.
    fn go_on(&mut self, goes: impl Fn(usize, &Mark) -> bool) {
        while let Some(mark) = self.marks.as_slice().first()
            && goes(self.taken, mark)
        {
            self.marks.next();
            self.taken += 1;
            let frames = self.of.entry(usize::from(mark.thread)).or_default();
            if mark.pc == 0 {
                frames.pop();
                continue;
            }
            // The call has put its return address on the stack.
            let canonical = self
                .debug
                .canonical_frame(mark.pc, mark.sp.wrapping_add(8), mark.bp);
            frames.push(Frame {
                function: self.debug.function(mark.pc),
                canonical: canonical.unwrap_or(0),
                register: mark.bp,
                begins: mark.pc,
                caller: mark.caller,
            });
        }
    }

    fn go_to(&mut self, step: usize) {
        self.go_on(|_, mark| mark.at as usize <= step);
    }

    /// The last place of the program itself that a thread has called from; 0 if there is none.
    fn called(&self, thread: usize) -> u64 {
        let frames = self.of.get(&thread).map_or(&[] as &[Frame], Vec::as_slice);
        let is_own = |pc: &u64| self.debug.line(*pc).is_some() && !self.debug.is_library(*pc);
        // A function of the program that has called nobody is where it begins.
        let mut places = frames.iter().rev().flat_map(|f| [f.begins, f.caller]);
        places.find(is_own).unwrap_or(0)
    }

    /// The function on whose part of a thread's stack an address lies.
    fn frame(&self, thread: usize, addr: u64) -> Option<&Frame<'a>> {
        let frames = self.of.get(&thread)?;
        frames.iter().rev().find(|f| addr < f.canonical)
    }
}

/// What an address belongs to.
struct Place {
    name: String,
    /// Whose it is, if it is on the stack of another thread.
    whose: String,
    of: Option<TypeId>,
    offset: u64,
    /// The bytes of the whole, if it can be several values of the type.
    size: u64,
    pointer: bool,
}

impl Place {
    /// The name of a piece, which `path` finds in a type.
    fn piece(
        self,
        types: &Types,
        path: impl Fn(TypeId, u64) -> (String, Option<TypeId>),
    ) -> (String, Option<TypeId>) {
        let (name, whose) = (self.name, self.whose);
        let Some(of) = self.of else {
            let plus = match self.offset {
                0 => String::new(),
                n => format!("+{n}"),
            };
            return (format!("{name}{plus}{whose}"), None);
        };
        let each = types.size(of);
        // A block may have several values, one behind the other.
        let many = each > 0 && self.size >= 2 * each && !types.is_open(of);
        let (path, found) = match many {
            true => {
                let (piece, found) = path(of, self.offset % each);
                (format!("[{}]{piece}", self.offset / each), found)
            }
            false => path(of, self.offset),
        };
        let name = match (self.pointer, path.strip_prefix('.')) {
            (true, Some(field)) => format!("{name}->{field}"),
            (true, None) if path.is_empty() => format!("*{name}"),
            _ => format!("{name}{path}{whose}"),
        };
        (name, found)
    }

    /// Something of which no more is known.
    fn unknown(name: String, whose: String) -> Place {
        Place {
            name,
            whose,
            of: None,
            offset: 0,
            size: 0,
            pointer: false,
        }
    }
}

struct Naming<'a> {
    debug: &'a Debug,
    seen: &'a Seen,
    types: Vec<Option<TypeId>>,
    /// The global pointers by which blocks are called.
    called: Vec<Option<String>>,
    labels: Vec<String>,
    used: BTreeSet<usize>,
}

impl<'a> Naming<'a> {
    /// The block that has a byte, or ends there.
    fn block(&self, addr: u64) -> Option<usize> {
        let n = self.seen.blocks.partition_point(|b| b.start <= addr);
        let i = n.checked_sub(1)?;
        let block = &self.seen.blocks[i];
        (addr < block.start + block.size.max(1)).then_some(i)
    }

    fn starts(&self, addr: u64) -> Option<usize> {
        self.block(addr)
            .filter(|&i| self.seen.blocks[i].start == addr)
    }

    /// What has a byte; `who` looks at it.
    fn place(&self, addr: u64, who: usize, frames: &Frames) -> Option<Place> {
        if let Some(variable) = self.debug.variable(addr) {
            return Some(Place {
                name: variable.name.clone(),
                whose: String::new(),
                of: variable.of,
                offset: addr - variable.start,
                size: 0,
                pointer: false,
            });
        }
        if let Some(i) = self.block(addr) {
            let block = &self.seen.blocks[i];
            let called = self.called.get(i).cloned().flatten();
            let pointer = called.is_some();
            let label = || self.labels.get(i).cloned().unwrap_or_default();
            return Some(Place {
                name: called.unwrap_or_else(label),
                whose: String::new(),
                of: self.types[i],
                offset: addr - block.start,
                size: block.size,
                pointer,
            });
        }
        self.on_stack(addr, who, frames)
    }

    fn on_stack(&self, addr: u64, who: usize, frames: &Frames) -> Option<Place> {
        let at = usize::try_from(addr).ok()?.checked_sub(STACKS_AT)?;
        let thread = at / STACK_SIZE;
        if thread >= shared::MAX_THREADS {
            return None;
        }
        let whose = match thread == who {
            true => String::new(),
            false => format!(" of T{thread}"),
        };
        let frame = frames.frame(thread, addr);
        let function = frame.and_then(|f| Some((f, f.function?)));
        let Some((frame, function)) = function else {
            return Some(Place::unknown(
                format!("the stack of T{thread}"),
                String::new(),
            ));
        };
        let base = match function.base {
            FrameBase::Canonical => frame.canonical,
            FrameBase::Register => frame.register,
        };
        let types = &self.debug.types;
        let has = |local: &&Local| {
            let start = base.wrapping_add_signed(local.offset);
            addr.wrapping_sub(start) < types.size(local.of).max(1)
        };
        let Some(local) = function.locals.iter().rfind(has) else {
            let name = format!("a local variable of {}", function.name);
            return Some(Place::unknown(name, whose));
        };
        Some(Place {
            name: local.name.clone(),
            whose,
            of: Some(local.of),
            offset: addr.wrapping_sub(base.wrapping_add_signed(local.offset)),
            size: 0,
            pointer: false,
        })
    }

    /// The name of a piece of something, and its type.
    fn piece(&self, place: Place, size: u32) -> (String, Option<TypeId>) {
        let types = &self.debug.types;
        place.piece(types, |of, offset| types.piece(of, offset, size))
    }

    /// The type of what a step reads or writes.
    fn type_at(&self, addr: u64, size: u32, who: usize, frames: &Frames) -> Option<TypeId> {
        self.piece(self.place(addr, who, frames)?, size).1
    }

    /// A pointer of a known type to a block says what the block is; whether that was not known.
    fn learn(&mut self, pointer: Option<TypeId>, value: u64) -> bool {
        let to = pointer.and_then(|p| self.debug.types.pointee(p));
        let (Some(to), Some(block)) = (to, self.starts(value)) else {
            return false;
        };
        let known = self.types[block].is_some();
        if !known && self.debug.types.size(to) > 0 {
            self.types[block] = Some(to);
            return true;
        }
        false
    }

    /// Finds the types of blocks: what stands in one says what another one is.
    fn find_types(&mut self, steps: &[Step]) {
        let seen = self.seen;
        for _ in 0..20 {
            let mut new = false;
            let mut frames = Frames::new(self.debug, seen);
            let mut pointers = seen.pointers.iter().peekable();
            for (n, step) in steps.iter().enumerate() {
                while let Some(pointer) = pointers.next_if(|p| p.at as usize <= n) {
                    frames.go_on(|taken, _| taken < pointer.marks as usize);
                    let thread = (pointer.addr as usize).saturating_sub(STACKS_AT) / STACK_SIZE;
                    let of = self.type_at(pointer.addr, 8, thread, &frames);
                    new |= self.learn(of, pointer.value);
                }
                frames.go_to(n);
                if is_memory(step.kind) && step.size == 8 {
                    let who = usize::from(step.thread);
                    let of = self.type_at(step.addr, 8, who, &frames);
                    new |= self.learn(of, step.value) | self.learn(of, step.before);
                }
            }
            if !new {
                break;
            }
        }
    }

    /// Finds the global pointers by which blocks can be called: those that point to one only.
    fn find_pointers(&mut self, steps: &[Step]) {
        let mut values: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for step in steps.iter().filter(|s| is_memory(s.kind) && s.size == 8) {
            if self.debug.variable(step.addr).is_some() {
                values
                    .entry(step.addr)
                    .or_default()
                    .extend([step.value, step.before]);
            }
        }
        let frames = Frames::new(self.debug, self.seen);
        for (addr, mut to) in values {
            to.retain(|&v| v != 0);
            to.sort_unstable();
            to.dedup();
            let &[one] = to.as_slice() else { continue };
            let Some(block) = self.starts(one) else {
                continue;
            };
            let Some(place) = self.place(addr, 0, &frames) else {
                continue;
            };
            let (name, of) = self.piece(place, 8);
            let is_pointer = of.is_some_and(|of| self.debug.types.is_pointer(of));
            if is_pointer && self.types[block].is_some() {
                self.called[block].get_or_insert(name);
            }
        }
    }

    /// Numbers the blocks of each type, in the order in which they were allocated.
    fn label(&mut self) {
        let mut order: Vec<usize> = (0..self.seen.blocks.len()).collect();
        order.sort_by_key(|&i| (self.seen.blocks[i].made, self.seen.blocks[i].start));
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        self.labels = vec![String::new(); self.seen.blocks.len()];
        for i in order {
            let name = self.types[i].and_then(|of| self.debug.types.name(of));
            let name = name.unwrap_or("block");
            let count = counts.entry(name).or_default();
            *count += 1;
            self.labels[i] = format!("{name}#{count}");
        }
    }

    fn object(
        &mut self,
        addr: u64,
        size: u32,
        who: usize,
        frames: &Frames,
    ) -> (String, Option<TypeId>) {
        if let Some(i) = self.block(addr) {
            self.used.insert(i);
        }
        match self.place(addr, who, frames) {
            Some(place) => self.piece(place, size),
            None if self.debug.is_constant(addr) => ("a constant".into(), None),
            None => (Debug::elsewhere(addr), None),
        }
    }

    /// What a pointer points to.
    fn pointed(
        &self,
        value: u64,
        pointer: Option<TypeId>,
        who: usize,
        frames: &Frames,
    ) -> Option<String> {
        if let Some(i) = self.starts(value) {
            return Some(self.labels[i].clone());
        }
        if let Some(f) = self.debug.function(value) {
            return (f.range.start == value).then(|| f.name.clone());
        }
        let place = self.place(value, who, frames)?;
        place.of?;
        let types = &self.debug.types;
        let piece = |of, offset| (types.pointed(of, offset, pointer), None);
        Some(format!("&{}", place.piece(types, piece).0))
    }

    fn all(mut self, steps: &[Step], last: &[Last], about: About) -> Names {
        let mut names = Names::default();
        let mut frames = Frames::new(self.debug, self.seen);
        for (n, step) in steps.iter().enumerate() {
            frames.go_to(n);
            let who = usize::from(step.thread);
            let (object, of) = match step.kind {
                Kind::Free => (self.label_of(step.addr), None),
                _ => self.object(step.addr, width(step), who, &frames),
            };
            let mut value = |value: u64| {
                if let Some(i) = self.starts(value).filter(|_| step.size == 8) {
                    self.used.insert(i);
                }
                match is_number(step.size) {
                    true => self
                        .debug
                        .types
                        .value(of, value, step.size, &|v| self.pointed(v, of, who, &frames)),
                    false => number(value, 8),
                }
            };
            let (value, before) = match is_memory(step.kind) {
                true => (value(step.value), value(step.before)),
                false => (number(step.value, 8), String::new()),
            };
            names.steps.push(Named {
                object,
                value,
                before,
                site: self.debug.told_at(step.pc, || frames.called(who)),
            });
        }
        frames.go_to(steps.len());
        for (who, last) in last.iter().enumerate() {
            let size = if is_memory(last.kind()) { 1 } else { 0 };
            let object = self.object(last.addr, size, who, &frames).0;
            names.waiting.push(object);
            // Of a thread that has not come to another step, where its last one is told.
            let before = steps.iter().zip(&names.steps).rev();
            let mut before = before.filter(|(s, _)| usize::from(s.thread) == who);
            let is_own = |site| !self.debug.is_library(site);
            let stays = before.next();
            let stays = stays.filter(|(s, named)| s.pc == last.pc && is_own(named.site));
            let called = stays.map_or_else(|| frames.called(who), |(_, named)| named.site);
            names.called.push(called);
        }
        names.about = match about {
            About::Piece(addr) => self.object(addr, 1, usize::MAX, &frames).0,
            About::Block(addr) => self.label_of(addr),
        };
        let mut used: Vec<usize> = self.used.iter().copied().collect();
        used.sort_by_key(|&i| self.seen.blocks[i].marks);
        let mut frames = Frames::new(self.debug, self.seen);
        let mut blocks: BTreeMap<usize, Block> = BTreeMap::new();
        for i in used {
            let mut block = self.seen.blocks[i];
            frames.go_on(|taken, _| taken < block.marks as usize);
            let called = || frames.called(block.by as usize);
            block.pc = self.debug.told_at(block.pc, called);
            // It is freed by the last of these steps.
            let freed = (block.freed as usize).checked_sub(1);
            if let Some(step) = freed.and_then(|n| names.steps.get(n)) {
                block.freed_at = step.site;
            }
            blocks.insert(i, block);
        }
        names.blocks = blocks
            .into_iter()
            .map(|(i, block)| {
                let label = match &self.called[i] {
                    Some(name) => format!("{} (*{name})", self.labels[i]),
                    None => self.labels[i].clone(),
                };
                (label, block)
            })
            .collect();
        names
    }

    /// What a block is called that is freed.
    fn label_of(&mut self, addr: u64) -> String {
        match self.starts(addr) {
            Some(i) => {
                self.used.insert(i);
                self.labels[i].clone()
            }
            None => format!("{addr:#x}"),
        }
    }
}
