//! Pieces of assembly: what is understood, and what is not.

use super::*;

const GCC: &str = "\t.string\t\"GNU C17 12.2.0 -g -O0 -w\"\n";
const BEGIN: &str = "pushq %rbp; movq %rsp, %rbp; pushq %rbx; subq $40, %rsp";
const ENTER: &str = "call __tsan_func_entry";
const END: &str = "call __tsan_func_exit; movl $0, %eax; movq -8(%rbp), %rbx; leave; ret";

/// Lines as a compiler writes them.
fn lines(of: &[&str]) -> String {
    let mut text = String::new();
    for part in of.iter().flat_map(|text| text.split("; ")) {
        let (label, rest) = part.split_once(": ").unwrap_or(("", part));
        for line in [format!("{label}:"), rest.to_string()] {
            match line.as_str() {
                ":" | "" => {}
                label if label.ends_with(':') => text += &format!("{label}\n"),
                line => text += &format!("\t{}\n", line.replacen(' ', "\t", 1)),
            }
        }
    }
    text
}

/// The numbers for the first call of a file.
fn numbers_of(text: &str) -> Option<Vec<i128>> {
    let code = Code::new(text);
    let own = |name: &str| name == "exit";
    let flow = Flow::new(&code, &own);
    let sites = 0..code.instructions.len();
    let mut sites = sites.filter_map(|at| Some((at, type_of(code.callee(at)?)?)));
    let (at, of) = sites.next().expect("a call");
    enough(&flow, at, of)
}

/// Likewise, of a function that goes on so behind the call.
fn numbers(body: &str) -> Option<Vec<i128>> {
    let call = "call __VERIFIER_nondet_int";
    numbers_of(&format!(
        "f:\n{}{GCC}",
        lines(&[BEGIN, ENTER, call, body, END])
    ))
}

#[test]
fn what_is_understood() {
    let min = i128::from(i32::MIN);
    for (body, expected) in [
        ("", &[0][..]),
        ("testl %eax, %eax; je .L1; call g; .L1:", &[0, 1]),
        ("cmpl $3, %eax; jg .L1; call g; .L1:", &[0, 4]),
        ("cmpl $3, %eax; ja .L1; call g; .L1:", &[0, -1]),
        ("cmpl $-2, %eax; jl .L1; call g; .L1:", &[0, -3]),
        ("cmpl $-2147483647, %eax; jl .L1; call g; .L1:", &[0, min]),
        ("testl %eax, %eax; js .L1; call g; .L1:", &[0, -1]),
        (
            "movl $7, %ecx; cmpl %eax, %ecx; jl .L1; call g; .L1:",
            &[0, 8],
        ),
        (
            "movabsq $7, %rcx; cltq; cmpq %rcx, %rax; jl .L1; call g; .L1:",
            &[0, 7],
        ),
        (
            "cmpl $3, %eax; sete %al; movzbl %al, %eax; movl %eax, %edi; call g",
            &[0, 3],
        ),
        (
            "cmpl $3, %eax; movl $5, %edi; cmovge %edi, %esi; call g",
            &[0, 3],
        ),
        (
            "movl %eax, %ebx; call g; cmpl $7, %ebx; jne .L1; call g; .L1:",
            &[0, 7],
        ),
        // A call clobbers what it need not keep.
        (
            "movl %eax, %r11d; call g; cmpl $7, %r11d; jne .L1; call g; .L1:",
            &[0],
        ),
        (
            "movl %eax, -20(%rbp); call g; cmpl $7, -20(%rbp); jne .L1; call g; .L1:",
            &[0, 7],
        ),
        (
            "movl %eax, -20(%rbp); movl $0, -20(%rbp); cmpl $7, -20(%rbp); jne .L1; call g; .L1:",
            &[0],
        ),
        // A result that is not used may end anywhere.
        ("imull $7, %eax, %ebx; addl %eax, %ebx", &[0]),
        (
            "subl $1, %eax; cmpl $1, %eax; ja .L1; call g; .L1:",
            &[0, 1],
        ),
        (
            "leal -5(%rax), %edx; cmpl $3, %edx; jbe .L1; xorl %edx, %edx; .L1: movl $0, %edx; call g",
            &[0, 5],
        ),
        ("movsbl %al, %eax; movl $1, %eax; call g", &[0]),
        // A loop that asks again.
        (
            ".L2: movl %eax, -20(%rbp); cmpl $0, -20(%rbp); jne .L1; call __VERIFIER_nondet_int; jmp .L2; .L1:",
            &[0, 1],
        ),
        // Another path has put something else there.
        (
            "cmpl $9, %ebx; je .L1; movl $1, %eax; .L1: cmpl $5, %eax; je .L2; call g; .L2:",
            &[0, 5],
        ),
        // Where it is one of few, it may be used in any way.
        (
            "cmpl $2, %eax; ja .L1; movl %eax, %edi; call g; .L1:",
            &[0, 1, -1, 2],
        ),
        (
            "cmpl $2, %eax; ja .L1; movl a(,%rax,4), %edi; call g; .L1:",
            &[0, 1, -1, 2],
        ),
        (
            "movl %eax, %ebx; cmpl $2, %ebx; jbe .L1; call abort; .L1: movl %ebx, %edi; call g",
            &[0, 1, -1, 2],
        ),
        (
            "movl %eax, -20(%rbp); cmpl $0, -20(%rbp); jle .L1; cmpl $4, -20(%rbp); jg .L1; movl $1, %eax; jmp .L2; \
             .L1: movl $0, %eax; .L2: movl %eax, %edi; call __VERIFIER_assume; movl -20(%rbp), %edi; call g",
            &[0, 1, 2, 3, 4, 5],
        ),
        // An array of which each access is announced.
        (
            "movl %eax, -20(%rbp); leaq -40(%rbp), %rdi; call __tsan_read4; movl -40(%rbp,%rbx,4), %ecx; cmpl $7, \
             -20(%rbp); jne .L1; movl %ecx, %edi; call g; .L1:",
            &[0, 7],
        ),
        // The address of another variable.
        (
            "movl %eax, -20(%rbp); leaq -40(%rbp), %rdi; call g; cmpl $7, -20(%rbp); jne .L1; call g; .L1:",
            &[0, 7],
        ),
    ] {
        assert_eq!(numbers(body).as_deref(), Some(expected), "{body}");
    }
}

#[test]
fn what_is_not_understood() {
    for body in [
        "movl %eax, %edi; call g",
        "movl %eax, x(%rip)",
        "movl %eax, x",
        "movl %eax, (%rbx)",
        "movl $3, (%rbx,%rax)",
        "movl (%rax), %ebx",
        "pushq %rax; call g",
        "addl %ebx, %eax; je .L1; call g; .L1:",
        "cmpl %ebx, %eax; je .L1; call g; .L1:",
        "cmpl x(%rip), %eax; je .L1; call g; .L1:",
        "testb $1, %al; je .L1; call g; .L1:",
        "cmpb $3, %al; jg .L1; call g; .L1:",
        "andl $255, %eax; cmpl $3, %eax; je .L1; call g; .L1:",
        "cmpl $3, %eax; jp .L1; call g; .L1:",
        "cmpl $3, %eax; sbbl %edi, %edi; call g",
        "cmpl $3, %eax; incl %ebx; jb .L1; call g; .L1:",
        "cmpl $3, %eax; sall %cl, %ebx; je .L1; call g; .L1:",
        "setne %ah; movl %eax, %edi; call g",
        "movb $1, %al; movl %eax, %edi; call g",
        "movl %eax, %ecx; movl $1, %eax; cltd; idivl %ecx",
        "cltd; movl %edx, %edi; call g",
        "movl $7, %edx; xchgl %eax, %edx; call g",
        "jmp *%rbx",
        "call *%rax",
        "subq %rax, %rsp",
        "movl %eax, %ecx; rep stosq",
        "cvtsi2sdl %eax, %xmm0; call g",
        "cmpl $200, %eax; ja .L1; movl %eax, %edi; call g; .L1:",
        // The program has an `exit` of its own.
        "movl %eax, %ebx; cmpl $2, %ebx; jbe .L1; call exit; .L1: movl %ebx, %edi; call g",
        "movl %eax, 8(%rsp); call g",
        // Parts of it, and more than it.
        "movl %eax, -24(%rbp); movq -24(%rbp), %rax; movq %rax, x(%rip)",
        "movl %eax, -24(%rbp); movzbl -23(%rbp), %eax; movl %eax, x(%rip)",
        "movl %eax, -24(%rbp); movb $0, -23(%rbp); cmpl $3, -24(%rbp); je .L1; call g; .L1:",
        // Its address gets about, or that of what it is a part of.
        "movl %eax, -20(%rbp); leaq -20(%rbp), %rdi; call g; cmpl $7, -20(%rbp); jne .L1; call g; .L1:",
        "movl %eax, %ebx; leaq -28(%rbp), %rax; addq $4, %rax; movq %rax, %rdi; call __tsan_write4; movl %ebx, \
         -24(%rbp)",
        "movl %eax, -20(%rbp); leaq -40(%rbp), %rsi; movl $x, %edi; movl $4, %ecx; rep movsq; cmpl $7, -20(%rbp); jne \
         .L1; call g; .L1:",
        "movl %eax, -20(%rbp); leaq -40(%rbp), %rbx; movl $3, (%rbx)",
        "movl %eax, -20(%rbp); movl -40(%rbp,%rbx,4), %ebx",
        "movl %eax, -20(%rbp); addq %rbp, %rbx",
        "movl %eax, -20(%rbp); jmp *%rbx",
    ] {
        assert_eq!(numbers(body), None, "{body}");
    }
}

#[test]
fn frames_that_are_not_trusted() {
    let body = "call __VERIFIER_nondet_int; movl %eax, -20(%rbp); leaq -40(%rbp), %rdi; call g; cmpl $7, -20(%rbp); \
        jne .L1; call g; .L1:";
    let text = |parts: &[&str], ident: &str| format!("f:\n{}{ident}", lines(parts));
    let all = [BEGIN, ENTER, body, END];
    assert_eq!(numbers_of(&text(&all, GCC)), Some(vec![0, 7]));
    // Another compiler announces less, and so does gcc when it optimises. Without a computed address that makes no
    // difference.
    let clang = "\t.string\t\"clang version 15\"\n";
    assert_eq!(numbers_of(&text(&all, clang)), None);
    assert_eq!(numbers_of(&text(&all, &GCC.replace("-w", "-O1"))), None);
    let plain = body.replace("leaq -40", "movq -40");
    assert_eq!(
        numbers_of(&text(&[BEGIN, ENTER, &plain, END], clang)),
        Some(vec![0, 7])
    );
    // `no_sanitize_thread`; no frame.
    assert_eq!(numbers_of(&text(&[BEGIN, body, END], GCC)), None);
    assert_eq!(
        numbers_of(&text(&["pushq %rbx", ENTER, body, END], GCC)),
        None
    );
    // Its result is not used.
    let ret = "call __VERIFIER_nondet_int; leave; ret";
    assert_eq!(numbers_of(&text(&[BEGIN, ENTER, ret], GCC)), None);
}

#[test]
fn narrow_and_wide_types() {
    let of = |function: &str, body: &str| {
        let call = format!("call __VERIFIER_nondet_{function}@PLT");
        numbers_of(&format!(
            "f:\n{}{GCC}",
            lines(&[BEGIN, ENTER, &call, body, END])
        ))
    };
    let test = "jg .L1; call g; .L1:";
    let compare = |with: &str| format!("{with}; {test}");
    let some = |numbers: &[i128]| Some(numbers.to_vec());
    assert_eq!(of("char", &compare("cmpb $100, %al")), some(&[0, 101]));
    assert_eq!(of("uchar", &compare("cmpb $100, %al")), some(&[0, 101]));
    assert_eq!(of("uchar", &compare("cmpb $-1, %al")), some(&[0, 128]));
    assert_eq!(
        of("uchar", &compare("movzbl %al, %eax; cmpl $-1, %eax")),
        some(&[0])
    );
    assert_eq!(
        of("char", &compare("movsbl %al, %eax; cmpl $127, %eax")),
        some(&[0])
    );
    assert_eq!(
        of("short", &compare("cwtl; cmpl $200, %eax")),
        some(&[0, 201])
    );
    assert_eq!(of("uint", &compare("cmpl $5, %eax")), some(&[0, 6]));
    assert_eq!(of("uint", &compare("cmpl $-5, %eax")), some(&[0, 1 << 31]));
    assert_eq!(of("long", &compare("cmpq $-5, %rax")), some(&[0, -5]));
    assert_eq!(of("long", &compare("cmpl $5, %eax")), None);
    assert_eq!(of("ulong", &compare("cmpq $0, %rax")), some(&[0, 1]));
    assert_eq!(type_of("__VERIFIER_nondet_float"), None);
}

#[test]
fn functions_that_do_not_come_back() {
    let body = "call __VERIFIER_nondet_int; movl %eax, -20(%rbp); cmpl $2, -20(%rbp); setbe %al; movzbl %al, %eax; \
        movl %eax, %edi; call check; movl -20(%rbp), %edi; call g";
    let with = |name: &str, check: &str, more: &str| {
        let main = lines(&[BEGIN, ENTER, &body.replace("check", name), END]);
        let check = lines(&[BEGIN, "movl %edi, -36(%rbp)", ENTER, check, END]);
        numbers_of(&format!("f:\n{main}{name}:\n{check}{more}{GCC}"))
    };
    let all = Some(vec![0, 1, -1, 2]);
    let check = "cmpl $0, -36(%rbp); jne .L9; call abort; .L9:";
    assert_eq!(with("check", check, ""), all);
    assert_eq!(with("assume_not", check, ""), all);
    assert_eq!(with("check", check, "\t.weak\tcheck\n"), None);
    assert_eq!(with("check", &check.replace("abort", "g"), ""), None);
    assert_eq!(with("check", &check.replace("jne", "je"), ""), None);
    // It might be changed by its address.
    let changed = check.replace("cmpl", "leaq -36(%rbp), %rdi; call g; cmpl");
    assert_eq!(with("check", &changed, ""), None);
    assert_eq!(
        with(
            "check",
            "movl -36(%rbp), %ebx; .L9: testl %ebx, %ebx; je .L9",
            ""
        ),
        all
    );
}

#[test]
fn what_is_put_for_a_call() {
    let text = |body: &str| {
        let call = "call __VERIFIER_nondet_int";
        format!("f:\n{}{GCC}", lines(&[BEGIN, ENTER, call, body, END]))
    };
    let nobody = |_: &str| false;
    let found = instead(&text("testl %eax, %eax; je .L1; call g; .L1:"), &nobody);
    let call = "\tleaq\t.Lcoarsen_values_0(%rip), %rdi\n\tmovl\t$2, %esi\n\tcall\tcoarsen_c_nondet_among\n";
    assert_eq!(found.lines[&6], call);
    assert!(
        found
            .tables
            .ends_with(".Lcoarsen_values_0:\n\t.quad\t0\n\t.quad\t1\n")
    );
    assert_eq!(
        instead(&text(""), &nobody).lines[&6],
        "\tmovabsq\t$0, %rax\n"
    );
    assert!(instead(&text("movl %eax, x"), &nobody).lines.is_empty());
    assert!(instead(&text(""), &|_| true).lines.is_empty());
}

/// Offsets and widths of the variables that are marked behind the first call of `poll`; nothing if it is not marked.
fn marked(text: &str) -> Option<Vec<(u32, u32)>> {
    let code = Code::new(text);
    let flow = Flow::new(&code, &|_| false);
    let line = text.lines().position(|line| line == "\tcall\tpoll");
    let marks = faint::marks(&code, &flow);
    let numbers = marks
        .get(&line.expect("a call"))?
        .lines()
        .filter_map(|l| l.strip_prefix("\t.long\t0x5c"));
    let number = |digits: &str| u32::from_str_radix(digits, 16).expect("a number");
    let place = |n: u32| (n & 0x3F_FFFF, 1 << (n >> 22));
    Some(numbers.map(number).filter(|&n| n > 0).map(place).collect())
}

#[test]
fn what_counts_turns_makes_no_difference() {
    let with = |before: &str, turn: &str, after: &str| {
        let text = [
            BEGIN,
            ENTER,
            before,
            ".L1: call poll; testl %eax, %eax; jne .L2",
            turn,
            "jmp .L1; .L2:",
            after,
            END,
        ];
        marked(&format!("f:\n{}{GCC}", lines(&text)))
    };
    let begin = "movl $0, -20(%rbp)";
    let count = "addl $1, -20(%rbp)";
    for (before, turn, after, faint) in [
        (begin, count, "", &[(20, 4)][..]),
        ("movq $0, -24(%rbp)", "salq -24(%rbp)", "", &[(24, 8)]),
        ("movb $0, -17(%rbp)", "xorb $3, -17(%rbp)", "", &[(17, 1)]),
        (
            begin,
            "movl -20(%rbp), %eax; imull $3, %eax, %eax; movl %eax, -20(%rbp)",
            "",
            &[(20, 4)],
        ),
        // Two of them, each of which gets into the other.
        (
            begin,
            "movl -24(%rbp), %eax; addl %eax, -20(%rbp); movl -20(%rbp), %eax; movl %eax, -24(%rbp)",
            "",
            &[(24, 4), (20, 4)],
        ),
        // What is written anew before it is read.
        (
            begin,
            "movl $7, -20(%rbp); cmpl $3, -20(%rbp); je .L2",
            "",
            &[(20, 4)],
        ),
        // It is compared, divided by, passed, stored, used as an address, returned.
        (
            begin,
            "addl $1, -20(%rbp); cmpl $100, -20(%rbp); je .L2",
            "",
            &[],
        ),
        (begin, count, "cmpl $100, -20(%rbp); je .L1", &[]),
        (
            begin,
            "addl $1, -20(%rbp); movl $9, %eax; cltd; idivl -20(%rbp)",
            "",
            &[],
        ),
        (
            begin,
            "addl $1, -20(%rbp); movl -20(%rbp), %edi; call g",
            "",
            &[],
        ),
        (
            begin,
            count,
            "movl -20(%rbp), %eax; movl %eax, x(%rip)",
            &[],
        ),
        (
            begin,
            count,
            "movl -20(%rbp), %eax; movl x(,%rax,4), %eax",
            &[],
        ),
        (
            begin,
            count,
            "movl -20(%rbp), %ebx; movl %ebx, %eax; leave; ret",
            &[],
        ),
        // Somebody may have its address.
        ("leaq -20(%rbp), %rdi; call g", count, "", &[]),
        // Only a part of it is written anew.
        (
            begin,
            "addl $1, -20(%rbp); movw $0, -20(%rbp)",
            "cmpl $5, -20(%rbp); je .L1",
            &[],
        ),
    ] {
        assert_eq!(
            with(before, turn, after).as_deref(),
            Some(faint),
            "{turn}; {after}"
        );
    }
}

#[test]
fn only_what_has_a_frame_is_marked() {
    let text = [
        "subq $40, %rsp",
        ENTER,
        ".L1: call poll; testl %eax, %eax; je .L1; addq $40, %rsp; ret",
    ];
    assert_eq!(marked(&format!("f:\n{}{GCC}", lines(&text))), None);
    let text = [BEGIN, ENTER, ".L1: call poll; movq $0, %rbp; je .L1", END];
    assert_eq!(marked(&format!("f:\n{}{GCC}", lines(&text))), None);
}

#[test]
fn functions_that_are_passed_less_see_less() {
    let with = |called: &str, more: &str| {
        let turn = "addl $1, -20(%rbp); movl -20(%rbp), %edx; call g; jmp .L1; .L2:";
        let text = [
            BEGIN,
            ENTER,
            "movl $0, -20(%rbp); .L1: call poll; testl %eax, %eax; jne .L2",
            turn,
            END,
        ];
        let g = [
            "pushq %rbp; movq %rsp, %rbp; movl %edi, -4(%rbp)",
            called,
            "call __tsan_func_entry; call __tsan_func_exit; movl $0, %eax; popq %rbp; ret",
        ];
        marked(&format!("{more}g:\n{}f:\n{}{GCC}", lines(&g), lines(&text)))
    };
    assert_eq!(with("movl -4(%rbp), %eax", ""), Some(vec![(20, 4)]));
    assert_eq!(with("movl %edx, -8(%rbp)", ""), Some(vec![(20, 4)]));
    assert_eq!(
        with(
            "movl %edx, -8(%rbp); call h; movl -8(%rbp), %edi; call h",
            ""
        ),
        Some(vec![])
    );
    assert_eq!(with("movl $0, %ebx", "\t.weak\tg\n"), Some(vec![]));
    // What is passed comes into a struct, or into the registers of which `va_arg` makes a list.
    let passed = "movq %rdx, -8(%rbp)";
    assert_eq!(
        with(&format!("{passed}; leaq -8(%rbp), %rdi; call h"), ""),
        Some(vec![])
    );
    assert_eq!(
        with(&format!("{passed}; leaq -16(%rbp), %rdi; call h"), ""),
        Some(vec![])
    );
    assert_eq!(
        with(&format!("{passed}; leaq -4(%rbp), %rdi; call h"), ""),
        Some(vec![])
    );
    assert_eq!(
        with(&format!("{passed}; movl $0, %edx; call h"), ""),
        Some(vec![(20, 4)])
    );
}

#[test]
fn functions_that_are_ours_see_all() {
    let with = |name: &str| {
        let turn = format!("addl $1, -20(%rbp); movl -20(%rbp), %edi; call {name}; jmp .L1; .L2:");
        let text = [
            BEGIN,
            ENTER,
            "movl $0, -20(%rbp); .L1: call poll; testl %eax, %eax; jne .L2",
            &turn,
            END,
        ];
        let stub = lines(&[
            "pushq %rbp; movq %rsp, %rbp; movl %edi, -4(%rbp); movq 8(%rbp), %rdi",
            ENTER,
            "popq %rbp; ret",
        ]);
        marked(&format!("{name}:\n{stub}f:\n{}{GCC}", lines(&text)))
    };
    assert_eq!(with("g"), Some(vec![(20, 4)]));
    assert_eq!(with("__VERIFIER_assume"), Some(vec![]));
}

/// The table of a function whose second call leads to `.L9`, if `pad` says so.
fn thrown(pad: &str) -> String {
    lines(&[
        ".section .gcc_except_table; .uleb128 .LEHB0-.LFB0; .uleb128 .LEHE0-.LEHB0",
        pad,
        ".uleb128 0x1",
    ])
}

#[test]
fn exceptions_lead_to_their_handlers() {
    let body = "movl %eax, -20(%rbp); .LEHB0: call g; .LEHE0: movl $0, -20(%rbp); jmp .L8; \
                .L9: cmpl $5, -20(%rbp); jne .L8; call h; .L8:";
    let with = |table: &str| {
        let call = "call __VERIFIER_nondet_int";
        let text = lines(&[
            ".LFB0: .cfi_lsda 0x3,.LLSDA0",
            BEGIN,
            ENTER,
            call,
            body,
            END,
        ]);
        numbers_of(&format!("f:\n{text}{table}{GCC}"))
    };
    assert_eq!(with(&thrown(".uleb128 .L9-.LFB0")), Some(vec![0, 5]));
    assert_eq!(with(&thrown(".uleb128 0")), Some(vec![0]));
    // What is not understood.
    assert_eq!(with(&thrown(".uleb128 .L7-.LFB0")), None);
    assert_eq!(with(&thrown("")), None);
    assert_eq!(with(""), None);
}

#[test]
fn a_wait_that_nobody_asks_about_is_another_function() {
    let unasked = |body: &str| {
        let call = "call pthread_barrier_wait@PLT";
        let text = format!("f:\n{}{GCC}", lines(&[BEGIN, ENTER, call, body, END]));
        !instead(&text, &|_| false).lines.is_empty()
    };
    assert!(unasked("movl $0, %eax"));
    assert!(unasked("movl %eax, -20(%rbp)"));
    assert!(unasked("movl %eax, %edx; call __tsan_func_exit"));
    assert!(!unasked("cmpl $-1, %eax; je .L1; call g; .L1:"));
    assert!(!unasked("movl %eax, x(%rip)"));
}
