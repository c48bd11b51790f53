//! What is looked for in the compiler's output, and what is put into it: functions that mean something by their names.
//!
//! SV-COMP's rules: a function `__VERIFIER_atomic_NAME` is atomic, `reach_error` and `__VERIFIER_error` are errors whatever they do, and an
//! `abort` in a function that assumes something ends its thread only. It is done here and not in C, since any C may come.
//!
//! Constructors and destructors (`.init_array`, `.fini_array`) go to sections of our own: they belong to the execution.
//!
//! A call of `pthread_barrier_wait` whose result nobody reads is another function: who is told to be the serial thread matters to those
//! only that read it.

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

/// Has a result that may not matter.
const WAIT: &str = "pthread_barrier_wait";

/// Instructions that read and write what they name, and nothing else that matters here.
const PLAIN: &[&str] = &[
    "add", "sub", "and", "or", "xor", "cmp", "test", "sal", "shl", "shr", "sar", "neg", "not",
    "push", "pop", "nop",
];

/// Whether a call's result is overwritten before anybody reads it, on the straight way from here.
fn is_overwritten<'a>(behind: impl Iterator<Item = &'a str>) -> bool {
    const RESULT: [&str; 5] = ["%rax", "%eax", "%ax", "%al", "%ah"];
    for line in behind.map(str::trim) {
        if line.is_empty() || line.starts_with(['.', '#']) || line.ends_with(':') {
            continue;
        }
        let (name, operands) = line.split_once('\t').unwrap_or((line, ""));
        let reads = |text: &str| RESULT.iter().any(|r| text.contains(r));
        if name == "call" {
            return !reads(operands);
        }
        let to = operands.rsplit(", ").next().unwrap_or("");
        let from = operands.strip_suffix(to).unwrap_or("");
        let whole = ["%rax", "%eax"].contains(&to);
        let copies = name.starts_with("mov") || name.starts_with("lea");
        match name {
            _ if copies && whole && !reads(from) => return true,
            "xorl" if operands == "%eax, %eax" => return true,
            _ if reads(operands) => return false,
            _ if copies => {}
            _ if PLAIN.contains(&name.trim_end_matches(['b', 'w', 'l', 'q'])) => {}
            _ if PLAIN.contains(&name) => {}
            _ => return false,
        }
    }
    false
}

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

/// Where functions are listed that run before `main` and at the end, and where they are to be: the section, with the priority.
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

/// Reads and changes the compiler's output.
pub fn prepare(text: &str) -> Assembly {
    let mut out = String::with_capacity(text.len() + 256);
    let (mut atomic, mut assumes) = (false, false);
    // What goes before the first instruction of a function (behind the lines that say which line of the program it is).
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
        let waits = words().eq(["call", WAIT]) || words().eq(["call", &format!("{WAIT}@PLT")]);
        if waits && is_overwritten(text.lines().skip(n + 1)) {
            out.push_str("\tcall\tcoarsen_c_barrier_unasked\n");
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

/// The first instruction that the program's own assembly has, beyond what changes nothing. gcc says where such a text begins and ends
/// (`# 5 "file.c" 1`, `# 0 "" 2`), and may put directives of its own behind it, before `#NO_APP`.
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
    fn results_that_are_overwritten() {
        for (behind, overwritten) in [
            ("\tmovl\t$0, %eax\n\tret", true),
            (
                "\t.loc 1 2\n.L3:\n\tmovl\tx(%rip), %edx\n\txorl\t%eax, %eax",
                true,
            ),
            ("\tcall\tf", true),
            ("\tleaq\t8(%rsp), %rdi\n\tmovq\t%rdi, %rax", true),
            ("\tcall\t*%rax", false),
            ("\tmovl\t%eax, -4(%rbp)", false),
            ("\tmovl\t(%rax), %eax", false),
            ("\tmovb\t$1, %al", false),
            ("\ttestl\t%eax, %eax\n\tmovl\t$0, %eax", false),
            ("\tcltq\n\tmovl\t$0, %eax", false),
            ("\tcmpxchgl\t%edx, x(%rip)\n\tmovl\t$0, %eax", false),
            ("\tjne\t.L3\n\tmovl\t$0, %eax", false),
            ("\tret", false),
            ("", false),
        ] {
            assert_eq!(is_overwritten(behind.lines()), overwritten, "{behind}");
        }
    }

    #[test]
    fn constructors_are_ours() {
        let text =
            "\t.section\t.init_array.00101,\"aw\"\n\t.align 8\n\t.quad\tf\n\t.text\n\t.quad\tx\n";
        let ours = "\t.section\tcoarsen_before,\"aw\",@progbits\n\t.align 8\n\t.quad\tf, 101\n\t.text\n\t.quad\tx\n";
        assert_eq!(prepare(text).text, ours);
        assert_eq!(
            array("\t.section\t.fini_array,\"aw\""),
            Some(("coarsen_after", 65536))
        );
        assert_eq!(array("\t.section\t.rodata"), None);
    }

    #[test]
    fn a_wait_that_nobody_asks_about_is_another_function() {
        let text = |behind: &str| format!("t:\n\tcall\tpthread_barrier_wait@PLT\n{behind}\n");
        let prepared = |behind: &str| prepare(&text(behind)).text;
        assert!(prepared("\tmovl\t$0, %eax").contains("call\tcoarsen_c_barrier_unasked\n"));
        assert_eq!(prepared("\tmovl\t%eax, %ebx"), text("\tmovl\t%eax, %ebx"));
    }
}
