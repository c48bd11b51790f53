//! What is looked for in the compiler's output, and what is put into it: functions that mean something by their names.
//!
//! SV-COMP's rules: a function `__VERIFIER_atomic_NAME` is atomic, `reach_error` and `__VERIFIER_error` are errors
//! whatever they do, and an `abort` in a function that assumes something ends its thread only. It is done here and not
//! in C, since any C may come.
//!
//! Constructors and destructors (`.init_array`, `.fini_array`) go to sections of our own: they belong to the execution.
//!
//! Calls whose results are only looked at in a few ways are others (`values/`).

use super::values;

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
pub const OURS: &[&str] = &["reach_error", "__VERIFIER_error", "__VERIFIER_assume"];

/// The function that a label begins. The compiler makes several of one (`NAME.constprop.0`), and moves pieces out
/// (`NAME.cold`).
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

/// What a file defines.
pub fn defined(text: &str) -> impl Iterator<Item = &str> {
    let labels = text.lines().filter_map(|line| line.strip_suffix(':'));
    labels.filter(|label| !label.starts_with(['.', '\t', ' ']))
}

/// Where functions are listed that run before `main` and at the end, and where they are to be: the section, with the
/// priority.
fn array(line: &str) -> Option<(&'static str, u32)> {
    let name = line.trim().strip_prefix(".section")?.trim();
    let name = name.split(',').next()?.trim_matches('"');
    let (section, rest) = match name.strip_prefix(".init_array") {
        Some(rest) => ("coarsen_before", rest),
        None => ("coarsen_after", name.strip_prefix(".fini_array")?),
    };
    let priority = rest.strip_prefix('.').and_then(|n| n.parse().ok());
    Some((section, priority.unwrap_or(65536)))
}

/// Whether a line leads to another section.
fn leads_on(line: &str) -> bool {
    let word = line.split_whitespace().next();
    word.is_some_and(|w| [".section", ".text", ".data", ".bss", ".previous"].contains(&w))
}

/// Reads and changes the compiler's output. `own` says which functions the program has itself.
pub fn prepare(text: &str, own: &dyn Fn(&str) -> bool) -> Assembly {
    let instead = values::instead(text, own);
    let mut out = String::with_capacity(text.len() + 256);
    let (mut atomic, mut assumes) = (false, false);
    // The text before the first instruction of a function, behind the lines that say which line of the program it is.
    let mut first = String::new();
    let mut listed = None;
    for (n, line) in text.lines().enumerate() {
        if let Some((section, priority)) = array(line) {
            listed = Some(priority);
            out.push_str(&format!("\t.section\t{section},\"aw\",@progbits\n"));
            continue;
        }
        if leads_on(line) {
            listed = None;
        }
        if let (Some(priority), true) = (listed, line.starts_with("\t.quad\t")) {
            out.push_str(&format!("{line}, {priority}\n"));
            continue;
        }
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
        if let Some(other) = instead.lines.get(&n) {
            out.push_str(other);
            continue;
        }
        out.push_str(line);
        out.push('\n');
        if let Some(mark) = instead.behind.get(&n) {
            out.push_str(mark);
        }
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
    out.push_str(&instead.tables);
    Assembly {
        inline: inline(text),
        thread_local: text.contains(",\"awT\"") || text.contains("%fs:"),
        text: out,
    }
}

/// The first instruction that the program's own assembly has, beyond what changes nothing. gcc says where such a text
/// begins and ends (`# 5 "file.c" 1`, `# 0 "" 2`), and may put directives of its own behind it, before `#NO_APP`.
fn inline(text: &str) -> Option<String> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        match line {
            "#APP" => inside = true,
            "#NO_APP" | "# 0 \"\" 2" => inside = false,
            _ if line.starts_with("# ") && line.ends_with("\" 1") => inside = true,
            _ if inside && !line.starts_with('#') && !harmless(line) => {
                return Some(line.replace('\t', " "));
            }
            _ => {}
        }
    }
    None
}

/// Whether instructions only wait or order accesses, also by a locked addition of nothing to the own stack.
fn harmless(line: &str) -> bool {
    line.split(';').all(|part| {
        let words: Vec<_> = part
            .split([' ', '\t', ','])
            .filter(|w| !w.is_empty())
            .collect();
        let words = match words.as_slice() {
            ["lock" | "rep", rest @ ..] => rest,
            all => all,
        };
        match words {
            [] => true,
            ["pause" | "nop" | "mfence" | "lfence" | "sfence"] => true,
            ["addl" | "addq" | "orl" | "orq", "$0" | "$0x0", place] => {
                place.ends_with("(%rsp)") || place.ends_with("(%esp)")
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_are_ours() {
        let text =
            "\t.section\t.init_array.00101,\"aw\"\n\t.align 8\n\t.quad\tf\n\t.text\n\t.quad\tx\n";
        let ours = "\t.section\tcoarsen_before,\"aw\",@progbits\n\t.align 8\n\t.quad\tf, 101\n\t.text\n\t.quad\tx\n";
        assert_eq!(prepare(text, &|_| false).text, ours);
        assert_eq!(
            array("\t.section\t.fini_array,\"aw\""),
            Some(("coarsen_after", 65536))
        );
        assert_eq!(array("\t.section\t.rodata"), None);
    }
}
