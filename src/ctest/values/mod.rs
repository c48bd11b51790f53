//! Which values of a nondeterministic number matter. If the program only compares it with constants
//! (`__VERIFIER_nondet_int()` and the like), one number of each class that the comparisons tell apart is enough. If
//! comparisons leave few numbers, all of these are taken.
//!
//! This is read off the assembly, so it is about the compiled program. If something is not understood ([`flow`]), the
//! call is left as it is: a few values are tried, and the answer says so.

mod code;
mod faint;
mod flow;
mod ranges;
mod state;
mod step;

use code::Code;
use flow::{Flow, MOST};
use ranges::{Type, representatives};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// Has a result that may not matter.
const WAIT: &str = "pthread_barrier_wait";

/// What is put for calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Instead {
    /// By the line in which a call stands.
    pub lines: HashMap<usize, String>,
    /// What is put behind calls.
    pub behind: BTreeMap<usize, String>,
    /// What goes to the end of the file.
    pub tables: String,
}

/// The type of the number that a function gives.
fn type_of(function: &str) -> Option<Type> {
    let (bits, signed) = match function.strip_prefix("__VERIFIER_nondet_")? {
        "char" | "S8" => (8, true),
        "short" | "S16" => (16, true),
        "int" | "S32" => (32, true),
        "long" | "longlong" | "loff_t" | "S64" => (64, true),
        "uchar" | "unsigned_char" | "u8" | "U8" => (8, false),
        "ushort" | "u16" | "U16" => (16, false),
        "uint" | "unsigned" | "unsigned_int" | "u32" | "U32" => (32, false),
        "ulong" | "ulonglong" | "size_t" | "u64" | "U64" | "sector_t" => (64, false),
        _ => return None,
    };
    Some(Type { bits, signed })
}

/// Numbers that are as good as all that a call may return, if they are few.
fn enough(flow: &Flow, at: usize, of: Type) -> Option<Vec<i128>> {
    let uses = flow.uses(at, of)?;
    let numbers = representatives(&of.numbers(), &uses.tests, &uses.apart);
    (numbers.len() <= MOST).then_some(numbers)
}

/// What replaces the calls of a file that are understood. `own` says which functions the program has itself.
pub fn instead(text: &str, own: &dyn Fn(&str) -> bool) -> Instead {
    let mut out = Instead::default();
    let wanted = |name: &str| name == WAIT || type_of(name).is_some();
    let code = Code::new(text);
    let flow = Flow::new(&code, own);
    out.behind = faint::marks(&code, &flow);
    if !text.contains("__VERIFIER_nondet_") && !text.contains(WAIT) {
        return out;
    }
    let mut tables = 0;
    for (at, instruction) in code.instructions.iter().enumerate() {
        let Some(name) = code.callee(at).filter(|name| wanted(name) && !own(name)) else {
            continue;
        };
        let of = type_of(name).unwrap_or(Type {
            bits: 32,
            signed: true,
        });
        let Some(numbers) = enough(&flow, at, of) else {
            continue;
        };
        let call = match numbers.as_slice() {
            // Who is the serial thread of a barrier matters to those only that look.
            [_] if name == WAIT => "\tcall\tcoarsen_c_barrier_unasked\n".into(),
            _ if name == WAIT => continue,
            [one] => format!("\tmovabsq\t${one}, %rax\n"),
            numbers => {
                if tables == 0 {
                    out.tables.push_str("\t.section\t.rodata\n\t.align 8\n");
                }
                let _ = writeln!(out.tables, ".Lcoarsen_values_{tables}:");
                for number in numbers {
                    let _ = writeln!(out.tables, "\t.quad\t{number}");
                }
                tables += 1;
                format!(
                    "\tleaq\t.Lcoarsen_values_{}(%rip), %rdi\n\tmovl\t${}, %esi\n\tcall\tcoarsen_c_nondet_among\n",
                    tables - 1,
                    numbers.len()
                )
            }
        };
        out.lines.insert(instruction.line, call);
    }
    out
}

#[cfg(test)]
mod tests;
