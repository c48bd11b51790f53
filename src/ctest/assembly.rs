//! What is looked for in the compiler's output, and what is put into it: functions that mean something by their names.
//!
//! SV-COMP's rules: a function `__VERIFIER_atomic_NAME` is atomic, `reach_error` and `__VERIFIER_error` are errors whatever they do, and an
//! `abort` in a function that assumes something ends its thread only. It is done here and not in C, since any C may come.

/// An object before it is assembled.
pub struct Assembly {
    /// The text, with what was put into it.
    pub text: String,
    /// The first instruction of inline assembly that is more than a barrier or a pause.
    pub inline: Option<String>,
    /// Whether it has thread-local variables.
    pub thread_local: bool,
}

/// Functions that are ours even where the program has one: the runtime's `coarsen_c_NAME` is jumped to.
const OURS: &[&str] = &["reach_error", "__VERIFIER_error", "__VERIFIER_assume"];

/// The function that a label begins. The compiler makes several of one (`NAME.constprop.0`), and moves pieces out (`NAME.cold`).
fn function(line: &str) -> Option<&str> {
    let label = line.strip_suffix(':')?;
    let mut parts = label.split('.');
    let name = parts.next().filter(|name| !name.is_empty())?;
    (!parts.any(|part| part == "cold")).then_some(name)
}

fn is_atomic(name: &str) -> bool {
    let rest = name.strip_prefix("__VERIFIER_atomic_");
    rest.is_some_and(|rest| rest != "begin" && rest != "end")
}

/// Reads and changes the compiler's output.
pub fn prepare(text: &str) -> Assembly {
    let mut out = String::with_capacity(text.len() + 256);
    let (mut atomic, mut assumes) = (false, false);
    // What goes before the first instruction of a function (behind the lines that say which line of the program it is).
    let mut first = String::new();
    for line in text.lines() {
        if line.starts_with("\t.size\t") {
            (atomic, assumes) = (false, false);
        }
        let words = || line.split_whitespace();
        if !first.is_empty() && line.starts_with('\t') && !line.starts_with("\t.") {
            out.push_str(&std::mem::take(&mut first));
        }
        if atomic && words().next() == Some("ret") {
            out.push_str("\tcall\tcoarsen_atomic_leave\n");
        }
        if assumes && words().eq(["call", "abort"]) {
            out.push_str("\tcall\tcoarsen_c_assume_abort\n");
            continue;
        }
        out.push_str(line);
        out.push('\n');
        let Some(name) = function(line) else {
            continue;
        };
        atomic = is_atomic(name);
        assumes = name.contains("assume");
        if atomic {
            first = "\tcall\tcoarsen_atomic_enter\n".into();
        }
        if OURS.contains(&name) {
            first = format!("\tjmp\tcoarsen_c_{name}\n");
        }
    }
    Assembly {
        inline: inline(text),
        thread_local: text.contains(",\"awT\"") || text.contains("%fs:"),
        text: out,
    }
}

fn inline(text: &str) -> Option<String> {
    const HARMLESS: &[&str] = &[
        "pause", "rep; nop", "rep nop", "nop", "mfence", "lfence", "sfence",
    ];
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        match line {
            "#APP" => inside = true,
            "#NO_APP" => inside = false,
            _ => {
                let harmless = line.is_empty() || line.starts_with('#') || HARMLESS.contains(&line);
                if inside && !harmless {
                    return Some(line.replace('\t', " "));
                }
            }
        }
    }
    None
}
