//! Structs that are passed and returned by value, and what else gcc accesses without announcing it.
//!
//! gcc puts its calls before assignments only (see [`gimple`](super::gimple)). Where a call passes or returns a struct in memory that others
//! see, the accesses are looked for in the assembly around it, and announced there. Where that is not understood, the statement is named.

use super::gimple::{self, Call, Function, Sight};
use std::collections::BTreeMap;

/// The compiler's output, with announcements put into it.
pub struct Treated {
    /// The assembly.
    pub text: String,
    /// What is accessed without being announced.
    pub missed: Vec<String>,
}

/// What gcc tells of a file.
pub struct Dump {
    /// The functions, behind the pass that puts calls before accesses.
    pub bodies: String,
    /// Its table of symbols.
    pub symbols: String,
}

/// So many statements of a file are named.
const NAMED: usize = 3;

/// Announces what gcc has not announced, as far as that can be done.
pub fn treat(text: &str, dump: Option<&Dump>) -> Treated {
    let bodies = bodies(text);
    let mut missed = Vec::new();
    let known = dump.map_or_else(Vec::new, |d| gimple::functions(&d.bodies, &d.symbols));
    let mut by_name: BTreeMap<&str, &Function> = BTreeMap::new();
    for function in &known {
        by_name.insert(&function.name, function);
    }
    for body in &bodies {
        let function = by_name.get(body.name).or_else(|| {
            // Copies and pieces that optimizations make.
            let whole = body.name.split('.').next()?;
            by_name.get(whole)
        });
        let Some(function) = function else {
            missed.push(match dump {
                None => format!("the structs that `{}` passes or returns by value (this compiler does not tell which)", body.name),
                Some(_) => format!("`{}` (gcc is told not to announce what it accesses)", body.name),
            });
            continue;
        };
        if function.nested {
            missed.push(format!("what `{}` accesses of the function that it is nested in", body.name));
        }
        for call in &function.calls {
            if let Some(why) = inside(call) {
                missed.push(format!("`{}`{} ({why})", call.text, at(call)));
            } else if sees(call) {
                missed.push(unannounced(call));
            }
        }
    }
    let more = missed.len().saturating_sub(NAMED);
    missed.truncate(NAMED);
    if more > 0 {
        missed.push(format!("more of the kind, at {more} places"));
    }
    Treated {
        text: text.into(),
        missed,
    }
}

fn at(call: &Call) -> String {
    if call.place.is_empty() {
        return String::new();
    }
    format!(" at {}", call.place)
}

fn unannounced(call: &Call) -> String {
    format!(
        "the struct that is passed or returned by value in `{}`{} (gcc does not announce that access: copy it to or from a local variable first)",
        call.text,
        at(call)
    )
}

/// Whether a call passes or returns what others see.
fn sees(call: &Call) -> bool {
    let mut all = call.arguments.iter().chain([&call.result]);
    all.any(|sight| *sight != Sight::Nobody)
}

/// What a function of the compiler accesses that it may turn into instructions.
fn inside(call: &Call) -> Option<&'static str> {
    let name = call.callee.as_deref()?;
    let any = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if let Some(plain) = name.strip_prefix("__builtin_") {
        let plain = plain.trim_start_matches('_');
        let families = ["mem", "str", "stp", "bcopy", "bzero", "bcmp", "index", "rindex", "clear_padding"];
        if families.iter().any(|family| plain.starts_with(family)) {
            return Some("gcc does not announce what its own function accesses: call the one of the C library");
        }
        let jumps = ["setjmp", "longjmp", "apply"];
        if jumps.contains(&plain) {
            return Some("it can't be followed");
        }
        let wide = ["load", "store", "mov", "gather", "scatter", "save", "restore"];
        if plain.starts_with("ia32_") && any(&wide) {
            return Some("gcc does not announce what this instruction accesses");
        }
    }
    let wide = ["LOAD", "STORE", "GATHER", "SCATTER", "ATOMIC"];
    (name.starts_with('.') && any(&wide)).then_some("gcc does not announce what this instruction accesses")
}

/// A function of the assembly.
struct Body<'a> {
    name: &'a str,
}

/// The functions of the assembly, each with its lines.
fn bodies(text: &str) -> Vec<Body<'_>> {
    let mut bodies = Vec::new();
    let mut typed = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("\t.type\t")
            && let Some((name, "@function")) = rest.split_once(", ")
        {
            typed = Some(name);
        }
        if let Some(name) = line.strip_suffix(':')
            && typed == Some(name)
        {
            bodies.push(Body { name });
            typed = None;
        }
    }
    bodies
}
