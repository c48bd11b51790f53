//! Structs passed and returned by value where others look: as many executions as with copies to and from local
//! variables, which the compiler announces itself.

use super::*;

/// The type of the struct `S`: passed in general registers, in those for floating-point numbers, in both, and in
/// memory; copied by single instructions, by one that repeats, and by one between its ends.
const TYPES: &[&str] = &[
    "struct S { char c[3]; };",
    "struct S { int x, y; };",
    "struct S { float f[3]; };",
    "struct S { double d, e; };",
    "struct S { double d; long i; };",
    "struct S { long double l; };",
    "struct S { char c[40]; };",
    "struct S { char c[200]; };",
    "struct S { char c[300]; };",
];

/// What a thread does, the same with copies, what `main` does meanwhile, and how many executions there are.
const FORMS: &[(&str, &str, &str, u64)] = &[
    ("a = f();", "struct S t = f(); a = t;", "struct S r = a;", 2),
    (
        "*q = f();",
        "struct S *p = q, t = f(); *p = t;",
        "struct S r = a;",
        2,
    ),
    (
        "np->s = fp();",
        "struct N *p = np; struct S t = fp(); p->s = t;",
        "struct S r = n.s;",
        2,
    ),
    (
        "int i = 2; v[i] = f();",
        "int i = 2; struct S t = f(); v[i] = t;",
        "struct S r = v[2];",
        2,
    ),
    ("h(a);", "struct S t = a; h(t);", "a = c;", 2),
    (
        "h(*q++);",
        "struct S *p = q; q = p + 1; struct S t = *p; h(t);",
        "a = c;",
        2,
    ),
    (
        "int i = 3; hp(v[i]);",
        "int i = 3; struct S t = v[i]; hp(t);",
        "v[3] = c;",
        2,
    ),
    ("h(np->s);", "struct S t = np->s; h(t);", "n.s = c;", 2),
    (
        "a = k(3, a, 2.5);",
        "struct S t = a, r = k(3, t, 2.5); a = r;",
        "a = c;",
        3,
    ),
    (
        "h(k(1, k(2, a, 1.0), 2.0));",
        "struct S t = a; h(k(1, k(2, t, 1.0), 2.0));",
        "a = c;",
        2,
    ),
    (
        "many(2, a, x, c);",
        "int i = x; struct S u = c, t = a; many(2, t, i, u);",
        "a = z; x = 1;",
        3,
    ),
    (
        "struct S l = a; q = &l; h(l);",
        "struct S l = a; q = &l; struct S t = l; h(t);",
        "if (q != &a) *q = c;",
        4,
    ),
    (
        "a = f(); h(a); h(c); c = f();",
        "struct S t = f(); a = t; struct S u = a; h(u); struct S w = c; h(w); struct S x = f(); c = x;",
        "struct S r = a; c = r;",
        6,
    ),
    (
        "if (!x) a = f(); else h(c);",
        "if (!x) { struct S t = f(); a = t; } else { struct S t = c; h(t); }",
        "x = 1; a = z;",
        3,
    ),
];

/// All forms with a struct of this type, each by value and with copies; which of them runs is the program's argument.
fn program(types: &str) -> String {
    let mut text = format!(
        "{HEAD}{types}\nstruct S a, c, z, v[4], *q = &a; struct N {{ long before; struct S s; }} n, *np = &n; int x;\n\
         struct S f(void) {{ struct S s = z; return s; }} void h(struct S s) {{}} struct S k(int x, struct S s, double \
         d) {{ return s; }}\nvoid (*hp)(struct S) = h; struct S (*fp)(void) = f; void many(int n, ...) {{}}\n"
    );
    let mut cases = String::new();
    for (j, (by_value, copies, meanwhile, _)) in FORMS.iter().enumerate() {
        for (name, body) in names(j).into_iter().zip([by_value, copies]) {
            text += &format!("void *t{name}(void *_) {{ {body} return 0; }}\n");
            cases +=
                &format!("case '{name}': {{ go(h, t{name}); {meanwhile} end(h); return 0; }}\n");
        }
    }
    text + &format!(
        "int main(int count, char **form) {{ pthread_t h; switch (form[1][0]) {{\n{cases}}} return 1; }}\n"
    )
}

/// The arguments that stand for a form: by value, and with copies.
fn names(j: usize) -> [char; 2] {
    [b'a', b'A'].map(|first| char::from(first + j as u8))
}

#[test]
fn structs_by_value_are_accessed_as_copies_are() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("by_value");
    let mut wrong = String::new();
    for (i, types) in TYPES.iter().enumerate() {
        // One program, as building one takes longer than running all.
        let program = make(&scratch.file("t", &program(types)), &[]);
        if !program.uncontrolled.is_empty() {
            wrong += &format!("{types}: {:?}\n", program.uncontrolled);
        }
        for (j, (by_value, copies, _, executions)) in FORMS.iter().enumerate() {
            if !crate::random::picked(i + j) {
                continue;
            }
            for (name, body) in names(j).into_iter().zip([by_value, copies]) {
                let mut process = start(&program, &[name.to_string()]);
                let found = again(&mut process, &program, &settings());
                if found.executions != *executions || !found.limits.is_empty() {
                    let said = (found.executions, &found.limits);
                    wrong += &format!("{types} {body} {executions}: {said:?}\n");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_a_struct_holds_outlasts_its_announcement() {
    if !possible() {
        return;
    }
    // Others run while the struct is on its way, and use all registers.
    let text = "typedef struct { long double l; } L; typedef struct { double d; long i; } M; typedef struct { long \
        w[6]; } W;\nL l, ls[2] = {{1.5L}, {2.5L}}; M m, ms[2] = {{0.5, 7}, {1.5, 8}}; W w, ws[2] = {{{1, 2, 3, 4, 5, \
        6}}, {{6, 5, 4, 3, 2, 1}}}; int i;\nL fl(int k) { return ls[k]; } M fm(int k) { return ms[k]; } W fw(int k) { \
        return ws[k]; }\nint same(L a, M b, W c, int k, double d, int n) { return a.l == ls[k].l && b.d == ms[k].d && \
        b.i == ms[k].i && c.w[0] == ws[k].w[0] && c.w[5] == ws[k].w[5] && d == 3.25 && n == 9; }\nvoid *t(void *_) { \
        lock(g); l = fl(1); m = fm(1); w = fw(1); i = 1; unlock(g); i += same(l, m, w, 1, 3.25, 9) * 0; return 0; \
        }\nint main() { pthread_t h; go(h, t); lock(g); l = fl(0); m = fm(0); w = fw(0); assert(same(l, m, w, 0, 3.25, \
        9)); unlock(g); end(h); assert(same(l, m, w, 0, 3.25, 9) || same(l, m, w, 1, 3.25, 9)); return 0; }\n";
    let scratch = Scratch::new("outlasts");
    let text = format!("{HEAD}pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;\n{text}");
    let program = make(&scratch.file("t", &text), &[]);
    assert!(
        program.uncontrolled.is_empty(),
        "{:?}",
        program.uncontrolled
    );
    let found = run(&program, &settings());
    assert!(found.errors.is_empty() && found.limits.is_empty());
    assert!(found.executions > 2);
}

#[test]
fn what_gcc_does_not_announce_is_named() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("unannounced");
    let head = "struct S { int x, y; } s, v[2]; struct B { char c[40]; } b; struct S f(void) { return s; } void \
        h(struct S a, struct S b) {}\n__thread struct S own; __attribute__((no_sanitize_thread)) void hidden(void) { \
        s.x = 1; }\n";
    for (body, cflag, named) in [
        ("h(v[0], v[1]);", "-O0", "`h (v[0], v[1])` at"),
        ("s = f();", "-O1", "`s = f ()` at"),
        ("own = f();", "-O0", "`own = f ()` at"),
        (
            "__builtin_memset(&b, 0, 40);",
            "-O0",
            "`__builtin_memset (&b, 0, 40)` at",
        ),
        ("", "-O0", "`hidden` in"),
    ] {
        let hidden = if body.is_empty() {
            head
        } else {
            head.split("__attr").next().unwrap_or("")
        };
        let file = scratch.file(
            "t",
            &format!("{hidden}\nint main() {{ {body} return 0; }}\n"),
        );
        let uncontrolled = &make(&file, &[cflag]).uncontrolled;
        let found = uncontrolled.iter().any(|what| what.contains(named));
        assert!(found && uncontrolled.len() == 1, "{body}: {uncontrolled:?}");
    }
    let directory = scratch.0.join("a [b] c");
    std::fs::create_dir_all(&directory).expect("a directory");
    let strange = directory.join("d.c");
    std::fs::write(
        &strange,
        "struct S { int x; } s; void h(struct S s) {} int main() { h(s); return 0; }",
    )
    .expect("a file");
    assert!(!make(&strange, &[]).uncontrolled.is_empty());
    for harmless in [
        "struct S l = f(); h(l, l); struct S m; m = l; return m.x;",
        "struct S l = f(); struct S *p = &l; return p->x;",
        "char c[9]; return __builtin_strlen(c);",
    ] {
        let text = format!(
            "struct S {{ int x, y; }}; struct S f(void) {{ struct S s = {{0}}; return s; }} void h(struct S a, struct \
             S b) {{}}\nint main() {{ {harmless} }}\n"
        );
        let program = make(&scratch.file("t", &text), &[]);
        assert!(
            program.uncontrolled.is_empty(),
            "{:?}",
            program.uncontrolled
        );
    }
}
