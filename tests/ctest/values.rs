//! Nondeterministic numbers that are only compared: what random functions do with the representatives against what they
//! do with many numbers.

use super::*;
use std::fmt::Write;
use std::process::Command;

/// Functions in one program.
const FUNCTIONS: usize = 40;
/// What a function may answer.
const OUTCOMES: usize = 16;

/// Types, with their names in SV-COMP's functions.
const TYPES: [(&str, &str); 8] = [
    ("int", "int"),
    ("unsigned", "uint"),
    ("char", "char"),
    ("unsigned char", "uchar"),
    ("short", "short"),
    ("unsigned short", "ushort"),
    ("long", "long"),
    ("unsigned long", "ulong"),
];

const CONSTANTS: [&str; 22] = [
    "0",
    "1",
    "2",
    "-1",
    "-2",
    "3",
    "7",
    "100",
    "127",
    "128",
    "-128",
    "-129",
    "200",
    "255",
    "256",
    "32767",
    "-32768",
    "65535",
    "2147483647",
    "(-2147483647-1)",
    "4294967295u",
    "5000000000",
];

/// Ways to use `x`, a number that was given, and `y`, a copy; `C` and `D` are constants, `OP` compares, `T` and `U` are
/// types.
const USES: [&str; 38] = [
    "if (x OP C) out += V;",
    "if (x OP C) out += V;",
    "if (x OP C && y OP D) out += V; else out ^= 1;",
    "if ((U)x OP C) out += V;",
    "if ((U)(x + V) OP C) out += V;",
    "if ((U)x OP (T)C) out += V;",
    "out += !x;",
    "{ _Bool b = x; if (b) out += V; }",
    "{ _Bool b = x OP C; y = 0; if (b) out += V; }",
    "out ^= x OP C;",
    "out += (x OP C) ? V : 3;",
    "switch (x) { case 1: out += V; break; case 2: out++; case 7: out ^= 4; break; default: out += 2; }",
    "switch (x) { case 0 ... 5: out += V; break; case 100 ... 120: out ^= 4; }",
    "switch (y) { case 0: out = 1; break; case 1: out = 2; break; case 2: out = 3; break; case 3: out = 4; break; case \
     4: out = 5; break; case 5: out = 6; break; case 6: out = 7; }",
    "y = x; if (y OP C) out += V;",
    "y = x; x = 3; if (y OP x) out += V;",
    "{ U z = x; if (z OP C) out += V; }",
    "if (x + V OP C) out++;",
    "if (x - 7 OP C) out++;",
    "if (-x OP C) out++;",
    "if (x > V && x < V + 3) out += x;",
    "if (!(x >= 0 && x < 4)) return 9; out += array[x];",
    "assume_abort_if_not(x >= 0 && x < 4); out += x % 3;",
    "assume_abort_if_not((U)x OP C); out++;",
    "out += x % 3;",
    "if (x & 1) out++;",
    "if (x == y) out++;",
    "global = x; if (global OP C) out += V;",
    "{ T *p = &x; if (*p OP C) out += V; *p = V; }",
    "{ T *p = &y; *p = C; if (y OP D) out += V; }",
    "{ struct { T a, b; } s = {1, x}; if (s.b OP C) out += V; }",
    "{ struct { T a, b, c[9]; } s = {1, x}, t = s; if (t.b OP C) out += V; }",
    "{ struct { T a, b, c[9]; } s; s.b = x; memset(&s, 0, sizeof s); if (s.b OP C) out += V; }",
    "{ T a[3] = {0}; a[out & 1] = x; a[V & 1] += 2; if (a[1] OP C) out += V; }",
    "{ T a[20] = {0}; a[1] = x; for (int i = 0; i < 20; i++) if (a[i] OP C) out += V; }",
    "out += greater(x, C);",
    "{ int k = 0; for (; k < 3; k++) if (x OP k) break; out += k; }",
    "if (x OP C) { x = nondet_T(); if (x OP D) out += V; }",
];

/// Two numbers in one place.
const LOOPS: [&str; 2] = [
    "for (int i = 0; i < 2; i++) if (nondet_T() OP C) out += V + i;",
    "{ int n = 0; while (nondet_T() OP C) { out += V; if (++n == 2) break; } }",
];

struct Function {
    text: String,
    of: &'static str,
}

/// Functions that answer by two numbers at most.
fn functions(dice: &mut Dice) -> Vec<Function> {
    let mut some = |from: &[&'static str]| from[dice.roll(from.len() as u64) as usize];
    let types: Vec<&str> = TYPES.iter().map(|t| t.0).collect();
    let mut all = Vec::new();
    for n in 0..FUNCTIONS {
        let of = some(&types);
        let name = of.replace(' ', "_");
        let mut text = format!(
            "static int f{n}(void) {{ {of} x = {}, y = x; unsigned out = 0; (void)y;\n",
            if n % 5 == 0 {
                "3".into()
            } else {
                format!("nondet_{name}()")
            }
        );
        for k in 0..1 + n % 3 {
            let mut line = some(if n % 5 + k == 0 { &LOOPS } else { &USES }).to_string();
            if line.contains("nondet_")
                && (n % 5 == 0 && k > 0 || text.matches("nondet_").count() > 1)
            {
                line = USES[0].into();
            }
            while let Some(at) = line.find("OP") {
                let op = some(&["<", "<=", ">", ">=", "==", "!="]);
                line.replace_range(at..at + 2, op);
            }
            line = line.replace("nondet_T", &format!("nondet_{name}"));
            for (letter, from) in [
                ("C", &CONSTANTS[..]),
                ("D", &CONSTANTS),
                ("V", &["1", "2", "4"]),
            ] {
                line = line.replace(letter, some(from));
            }
            line = line.replace("(U)", &format!("({})", some(&types)));
            line = line.replace("U z", &format!("{} z", some(&types)));
            for (before, after) in [("T *", " *"), ("(T)", ")"), ("{ T a", " a")] {
                let open = before.split('T').next().unwrap_or("");
                line = line.replace(before, &format!("{open}{of}{after}"));
            }
            let _ = writeln!(text, "    {line}");
        }
        text += "    return out & 15; }\n";
        all.push(Function { text, of });
    }
    all
}

const COMMON: &str = "static int array[4] = {3, 1, 4, 1}; static long global;\n\
    static __attribute__((noinline)) int greater(long a, long b) { return a > b; }\n";

/// The program that is explored: function `argv[1]`, and an assertion for each outcome.
fn explored(functions: &[Function]) -> String {
    let mut text =
        String::from("#include <string.h>\nvoid assume_abort_if_not(int c) { if (!c) abort(); }\n");
    for (of, name) in TYPES {
        let spelled = of.replace(' ', "_");
        let _ = writeln!(
            text,
            "extern {of} __VERIFIER_nondet_{name}(void);\n#define nondet_{spelled} __VERIFIER_nondet_{name}"
        );
    }
    text += COMMON;
    text.extend(functions.iter().map(|f| f.text.as_str()));
    text += "int main(int n, char **arguments) { int out = 0; switch (atoi(arguments[1])) {\n";
    for n in 0..functions.len() {
        let _ = writeln!(text, "case {n}: out = f{n}(); break;");
    }
    text += "}\n";
    for out in 0..OUTCOMES {
        let _ = writeln!(text, "assert(out != {out});");
    }
    text + "return 0; }\n"
}

/// The program that tries many numbers, two for each function, and prints the outcomes of each as bits.
fn driver(functions: &[Function]) -> String {
    let mut text = String::from(
        "#include <setjmp.h>\n#include <stdio.h>\n#include <string.h>\nstatic long given[2]; static int calls; static \
         jmp_buf failed;\nstatic void assume_abort_if_not(int c) { if (!c) longjmp(failed, 1); }\n",
    );
    for (of, _) in TYPES {
        let spelled = of.replace(' ', "_");
        let _ = writeln!(
            text,
            "static {of} nondet_{spelled}(void) {{ return given[calls++ & 1]; }}"
        );
    }
    text += COMMON;
    text.extend(functions.iter().map(|f| f.text.as_str()));
    text += "static int (*f[])(void) = {";
    for n in 0..functions.len() {
        let _ = write!(text, "f{n}, ");
    }
    text += "};\nstatic long numbers[5000]; int main(void) { int n = 0; for (long i = -300; i <= 300; i++) \
        numbers[n++] = i;\n";
    for constant in CONSTANTS {
        let _ = writeln!(
            text,
            "for (long i = -9; i <= 9; i++) numbers[n++] = i + {constant}l;"
        );
    }
    // The ends of the widest types.
    text += "for (long i = -9; i <= 9; i++) numbers[n++] = (1ul << 63) + i;\n";
    text = text
        .replace("(-2147483647-1)l", "-2147483648l")
        .replace("4294967295ul", "4294967295l");
    let _ = write!(
        text,
        "for (unsigned k = 0; k < {}; k++) {{ unsigned seen = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; \
         j++) {{\ngiven[0] = numbers[i]; given[1] = numbers[j]; calls = 0; if (setjmp(failed)) continue; seen |= 1u << \
         f[k](); if (calls < 2) break; }}\nprintf(\"%u\\n\", seen); }} return 0; }}\n",
        functions.len()
    );
    text
}

/// The outcomes of each function by brute force.
fn brute(scratch: &Scratch, name: &str, functions: &[Function]) -> Vec<u32> {
    let file = scratch.file(name, &driver(functions));
    let program = file.with_extension("");
    let mut gcc = Command::new("gcc");
    let made = gcc
        .args(["-O1", "-w", "-fwrapv", "-fno-strict-aliasing"])
        .arg(&file)
        .arg("-o")
        .arg(&program);
    assert!(made.status().expect("gcc").success());
    let output = Command::new(&program).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("numbers");
    text.lines().map(|line| line.parse().expect(line)).collect()
}

#[test]
fn representatives_show_what_all_numbers_show() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("values");
    let mut dice = Dice::seeded(0x5EED_0FA1_1BA5_E5ED);
    let mut understood = 0;
    for (round, flags) in ["-O0", "-O0", "-O0", "-O1", "-O2"].iter().enumerate() {
        let functions = functions(&mut dice);
        let brute = brute(&scratch, &format!("driver{round}"), &functions);
        assert_eq!(brute.len(), functions.len());
        let text = format!("{HEAD}{}", explored(&functions));
        // Each assertion stays a place of its own.
        let apart = ["-fno-crossjumping", "-fno-tree-tail-merge"];
        let flags = [flags, "-fwrapv", "-fno-strict-aliasing", apart[0], apart[1]];
        let program = make(&scratch.file(&format!("explored{round}"), &text), &flags);
        for (n, function) in functions.iter().enumerate() {
            let argument = n.to_string();
            let mut process = Process::start(&program.path, &[argument], false).expect("it starts");
            let settings = Settings {
                cores: 1,
                ..settings()
            };
            let e = explore(&mut process, &settings, &Nobody);
            let say =
                |what: &str| format!("{what}, {flags:?}, of {}:\n{}", function.of, function.text);
            assert!(e.limits.is_empty(), "{}", say(&format!("{:?}", e.limits)));
            let seen = e.errors.iter().fold(0_u32, |seen, error| {
                let out = error
                    .message
                    .rsplit(' ')
                    .next()
                    .and_then(|out| out.parse::<u32>().ok());
                seen | 1 << out.unwrap_or_else(|| panic!("{}", say(&error.message)))
            });
            let all = brute[n];
            if e.sampled & shared::SAMPLED_NONDET == 0 {
                understood += 1;
                assert_eq!(format!("{seen:#b}"), format!("{all:#b}"), "{}", say("all"));
            } else {
                assert_eq!(seen & !all, 0, "{}", say("some"));
            }
        }
    }
    // Else it would test nothing.
    let most = 5 * FUNCTIONS;
    assert!(
        (most / 2..most).contains(&understood),
        "{understood} of {most}"
    );
}

/// Programs in which a number gets where it is not followed, and is compared there.
const PASSED: &[&str] = &[
    "void g(int n, ...) { va_list l; va_start(l, n); int v = va_arg(l, int); va_end(l); assert(v != 5); }\n\
     int main() { g(0, any()); return 0; }",
    "void h(struct s *p) { assert(p->b != 5); } void g(struct s v) { h(&v); }\n\
     int main() { struct s v; v.a = 1; v.b = any(); g(v); return 0; }",
    "void h(long *p) { assert(p[1] != 5); } void g(long a, long b) { long v[2] = {a, b}; h(v); }\n\
     int main() { g(1, any()); return 0; }",
    "int g(int a, int b) { return b; } int main() { assert(g(1, any()) != 5); return 0; }",
    "void g(int a, int b, int c, int d, int e, int f, int v) { assert(v != 5); }\n\
     int main() { g(0, 0, 0, 0, 0, 0, any()); return 0; }",
];

#[test]
fn what_is_passed_is_not_taken_for_unused() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("values-passed");
    for (i, text) in PASSED.iter().enumerate() {
        let text = format!(
            "{HEAD}#include <stdarg.h>\nstruct s {{ long a, b; }};\nint __VERIFIER_nondet_int(void);\n{text}\n"
        );
        let text = text.replace("any()", "__VERIFIER_nondet_int()");
        let program = make(&scratch.file(&format!("passed{i}"), &text), &[]);
        let e = run(&program, &settings());
        let known = e.sampled & shared::SAMPLED_NONDET == 0;
        assert!(!known || !e.errors.is_empty(), "{text}");
    }
}
