//! Local variables whose value makes no difference any more, for places at which a thread may wait (`runtime/spin.rs`).
//!
//! A loop that counts its turns while it waits (`while (!flag) spins++;`) never comes back to the same local state. But
//! if the count only ever gets into itself, two states that differ in it do the same (a faint variable: Giegerich,
//! Moencke & Wilhelm 1981; here for one place in the code at a time, by [`Flow`]).
//!
//! The runtime reads it off the code, behind the call at which the thread stands or that leads to where it stands: an
//! instruction that does nothing, with a number in it. The caller's frame is found by `%rbp`.

use super::code::{Code, Instruction, Memory, Operand, RBP};
use super::flow::Flow;
use super::state::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// So many variables at one place.
const MOST: usize = 16;
/// So many pairs of a place and a variable in one function.
const PAIRS: usize = 20_000;

/// What is written there, if it is a variable of the frame.
fn written(instruction: &Instruction) -> Option<Place> {
    let Instruction { name, operands, .. } = instruction;
    let Some(Operand::Memory(Memory {
        base: Some(RBP),
        index: None,
        offset: Some(offset),
    })) = operands.last()
    else {
        return None;
    };
    if ["cmp", "test", "push", "call", "lea", "j"]
        .iter()
        .any(|n| name.starts_with(n))
    {
        return None;
    }
    let width = match name.chars().last()? {
        'b' => 1,
        'w' => 2,
        'l' => 4,
        'q' => 8,
        _ => return None,
    };
    Some(Place::slot(*offset, width))
}

/// The loops of a file, each as its first and its last instruction.
fn loops<'a>(code: &'a Code) -> impl Iterator<Item = (usize, usize)> + 'a {
    let function = |at: usize| code.instructions.get(at).map(|i| i.function);
    let jumps = code.instructions.iter().enumerate();
    jumps.filter_map(
        move |(last, instruction)| match instruction.operands.as_slice() {
            [Operand::Label(to)] if instruction.name.starts_with('j') => {
                let first = *code.labels.get(to)?;
                (first <= last && function(first) == function(last)).then_some((first, last))
            }
            _ => None,
        },
    )
}

/// What is put behind calls, by their lines.
pub fn marks(code: &Code, flow: &Flow) -> BTreeMap<usize, String> {
    // Nobody waits there.
    let is_write = |at: &usize| {
        let hook = code
            .callee(*at)
            .and_then(|name| name.strip_prefix("__tsan_"));
        hook.is_some_and(|hook| hook.starts_with("write") || hook.starts_with("func"))
    };
    let is_call = |at: &usize| code.instructions[*at].name.starts_with("call");
    let mut pairs: BTreeMap<usize, BTreeSet<(usize, Place)>> = BTreeMap::new();
    for (first, last) in loops(code) {
        let private = |at: usize| {
            let place = written(&code.instructions[at])?;
            code.is_private(at, place.offset, place.width)
                .then_some(place)
        };
        let places: BTreeSet<Place> = (first..=last).filter_map(private).collect();
        let of = pairs.entry(code.instructions[first].function).or_default();
        for at in (first..=last).filter(|at| is_call(at) && !is_write(at)) {
            of.extend(places.iter().map(|&place| (at, place)));
        }
    }
    let few = pairs.into_values().filter(|of| of.len() <= PAIRS);
    let mut faint: BTreeMap<usize, BTreeSet<Place>> = BTreeMap::new();
    for (at, place) in few.flatten() {
        if faint.get(&at).is_none_or(|known| !known.contains(&place)) {
            let same = (flow.faint_from(at, place)).map(|before| [before, vec![at]].concat());
            for at in same.into_iter().flatten().filter(is_call) {
                faint.entry(at).or_default().insert(place);
            }
        }
    }
    let calls = (0..code.instructions.len()).filter(|at| is_call(at) && code.has_frame(*at));
    let marks = calls.map(|at| {
        let places = faint.get(&at).into_iter().flatten().take(MOST);
        (
            code.instructions[at].line,
            mark(&places.copied().collect::<Vec<_>>()),
        )
    });
    marks.collect()
}

/// `nopl NUMBER(%rax)`, one for each variable; without any, one that only says that there is a frame.
fn mark(places: &[Place]) -> String {
    let known = |place: &&Place| (1..1 << 22).contains(&-i64::from(place.offset));
    let number =
        |place: &Place| u32::from(place.width).trailing_zeros() << 22 | place.offset.unsigned_abs();
    let mut numbers: Vec<u32> = places.iter().filter(known).map(number).collect();
    if numbers.is_empty() {
        numbers.push(0);
    }
    numbers.iter().fold(String::new(), |mut text, low| {
        let number = 0x5C << 24 | low;
        let _ = writeln!(text, "\t.byte\t0x0f, 0x1f, 0x80\n\t.long\t{number:#x}");
        text
    })
}
