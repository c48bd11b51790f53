//! Random texts of programs, as odd as the grammar allows.

use std::fmt::Write;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
    fn once(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    fn of<'s>(&mut self, all: &[&'s str]) -> &'s str {
        all[self.below(all.len())]
    }
}

/// What a text may speak of where it stands.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<String>,
    bools: Vec<String>,
    enums: bool,
    /// `at` may be used, with these labels.
    labels: Vec<String>,
    this: bool,
    fresh: usize,
}

struct Gen {
    d: Dice,
    /// Programs that mostly keep their discipline and seldom go wrong, so that the hypotheses decide.
    mild: bool,
    label: usize,
    labels: Vec<String>,
    loops: usize,
}

impl Gen {
    fn int(&mut self, s: &Scope, depth: usize) -> String {
        if depth == 0 || self.d.once(3) {
            return match self.d.below(6) {
                0 | 1 => self.d.of(&["0", "1", "1", "2", "K", "-1"]).to_string(),
                2 if s.this => "self".into(),
                _ if !s.ints.is_empty() => s.ints[self.d.below(s.ints.len())].clone(),
                _ => "1".into(),
            };
        }
        let a = self.int(s, depth - 1);
        match if self.mild { 0 } else { self.d.below(9) } {
            _ if self.mild => match self.d.below(3) {
                0 => format!("({a} * {})", self.int(s, depth - 1)),
                1 => format!("({a} + 1) % 2"),
                _ => format!(
                    "({} ? {a} : {})",
                    self.bool(s, depth - 1),
                    self.int(s, depth - 1)
                ),
            },
            0..=2 => format!("({a} + {})", self.int(s, depth - 1)),
            3 => format!("({a} - {})", self.int(s, depth - 1)),
            4 => format!("({a} * {})", self.int(s, depth - 1)),
            5 => format!("({a} % {})", self.int(s, depth - 1)),
            6 => format!("({a} / {})", self.int(s, depth - 1)),
            7 => {
                let c = self.bool(s, depth - 1);
                format!("({c} ? {a} : {})", self.int(s, depth - 1))
            }
            _ => format!("-{a}"),
        }
    }

    fn bool(&mut self, s: &Scope, depth: usize) -> String {
        if !s.labels.is_empty() && self.d.once(4) {
            let l = match self.d.below(8) {
                0 => "end".to_string(),
                1 => "wrong".to_string(),
                _ => s.labels[self.d.below(s.labels.len())].clone(),
            };
            let t = if s.this && !self.d.once(3) {
                "self".to_string()
            } else {
                match self.d.below(3) {
                    0 => self.d.below(3).to_string(),
                    _ => format!("(0 + {})", self.int(s, 0)),
                }
            };
            return format!("at({t}, {l})");
        }
        if depth == 0 {
            return match self.d.below(7) {
                0 => self.d.of(&["true", "false", "FLAG"]).to_string(),
                1 if s.enums => format!(
                    "e {} {}",
                    self.d.of(&["==", "!="]),
                    self.d.of(&["red", "green", "blue"])
                ),
                2 if !s.bools.is_empty() => s.bools[self.d.below(s.bools.len())].clone(),
                _ => {
                    let (a, b) = (self.int(s, 1), self.int(s, 0));
                    format!("{a} {} {b}", self.d.of(&["==", "!=", "<", "<=", ">", ">="]))
                }
            };
        }
        let a = self.bool(s, depth - 1);
        match self.d.below(8) {
            0 | 1 => format!("({a} && {})", self.bool(s, depth - 1)),
            2 | 3 => format!("({a} || {})", self.bool(s, depth - 1)),
            4 => format!("({a} => {})", self.bool(s, depth - 1)),
            5 => format!("!({a})"),
            6 => {
                let mut inner = s.clone();
                let k = format!("b{}", s.fresh);
                inner.fresh += 1;
                inner.ints.push(k.clone());
                let body = self.bool(&inner, depth - 1);
                let q = self.d.of(&["forall", "exists"]);
                let hi = self.d.below(3) as i64 - 1;
                format!("({q} ({k} in 0..{hi}) {body})")
            }
            _ => {
                let (b, c) = (self.bool(s, depth - 1), self.bool(s, depth - 1));
                format!("({a} ? {b} : {c})")
            }
        }
    }

    fn labels(&mut self) -> String {
        if !self.d.once(3) {
            return String::new();
        }
        self.label += 1;
        let l = format!("L{}", self.label);
        self.labels.push(l.clone());
        format!("{l}: ")
    }

    /// An assignment or havoc to one of these places.
    fn simple(&mut self, s: &Scope, targets: &[(String, char)]) -> String {
        let (place, kind) = targets[self.d.below(targets.len())].clone();
        match self.d.below(8) {
            0 => format!("havoc {place};"),
            1 => "skip;".into(),
            2 if !self.mild && self.d.once(2) => format!("assert({});", self.bool(s, 1)),
            _ => match kind {
                'b' => format!("{place} = {};", self.bool(s, 1)),
                'e' => format!(
                    "{place} = {} ? red : {};",
                    self.bool(s, 0),
                    self.d.of(&["green", "blue", "e"])
                ),
                _ if self.mild || self.d.once(2) => format!("{place} = {} % 2;", self.int(s, 1)),
                _ => format!("{place} = {};", self.int(s, 1)),
            },
        }
    }

    fn inner(&mut self, s: &Scope, targets: &[(String, char)], depth: usize) -> String {
        let mut out = String::new();
        for _ in 0..self.d.below(3) {
            let next = match if depth == 0 { 9 } else { self.d.below(8) } {
                0 => {
                    let c = self.bool(s, 1);
                    let (a, b) = (
                        self.inner(s, targets, depth - 1),
                        self.inner(s, targets, depth - 1),
                    );
                    format!("if ({c}) {{ {a}}} else {{ {b}}} ")
                }
                1 => {
                    let (a, b) = (
                        self.inner(s, targets, depth - 1),
                        self.inner(s, targets, depth - 1),
                    );
                    format!("either {{ {a}}} or {{ {b}}} ")
                }
                2 => {
                    let (k, t) = self.bound(s);
                    let hi = self.d.below(3) as i64 - 1;
                    let a = self.inner(&t, targets, depth - 1);
                    format!("for ({k} in 0..{hi}) {{ {a}}} ")
                }
                _ => self.simple(s, targets),
            };
            out += &next;
            out.push(' ');
        }
        out
    }

    fn bound(&mut self, s: &Scope) -> (String, Scope) {
        self.loops += 1;
        let k = format!("k{}", self.loops);
        let mut t = s.clone();
        t.ints.push(k.clone());
        (k, t)
    }

    fn atomic(&mut self, s: &Scope, targets: &[(String, char)], guard: Option<&str>) -> String {
        let body = self.inner(s, targets, 2);
        match guard {
            Some(g) => format!("atomic {{ {g} {body}}}"),
            None => format!("atomic {{ {body}}}"),
        }
    }

    /// Statements that work on what the thread has exclusively, mostly.
    fn work(&mut self, s: &Scope, targets: &[(String, char)], depth: usize, n: usize) -> String {
        let mut out = String::new();
        for _ in 0..n {
            let label = self.labels();
            let next = match if depth == 0 { 9 } else { self.d.below(14) } {
                0 | 1 => {
                    let c = self.bool(s, 1);
                    let (n, m) = (self.d.below(2), self.d.below(2));
                    let (a, b) = (
                        self.work(s, targets, depth - 1, n),
                        self.work(s, targets, depth - 1, m),
                    );
                    format!("if ({c}) {{ {a}}} else {{ {b}}}")
                }
                2 | 3 => {
                    let (n, m) = (self.d.below(3), self.d.below(2));
                    let a = self.work(s, targets, depth - 1, n);
                    let b = match self.d.below(4) {
                        0 => "if (FLAG) { skip; } ".into(),
                        1 => "for (z in 1..0) { skip; } ".into(),
                        2 => {
                            let c = self.bool(s, 1);
                            format!("when ({c}) skip; ")
                        }
                        _ => self.work(s, targets, depth - 1, m),
                    };
                    format!("either {{ {a}}} or {{ {b}}}")
                }
                4 => {
                    let (k, t) = self.bound(s);
                    let hi = self.d.below(3) as i64 - 1;
                    let a = self.work(&t, targets, 0, 1);
                    format!("for ({k} in 0..{hi}) {{ {a}}}")
                }
                5 => {
                    let c = self.bool(s, 1);
                    let a = self.work(s, targets, 0, 1);
                    format!(
                        "while ({c} && FLAG || {}) {{ {a}}}",
                        self.d.of(&["false", "j < 1", "t[0] == 0"])
                    )
                }
                6 | 7 => self.atomic(s, targets, None),
                8 => {
                    let c = self.bool(s, 1);
                    format!("when ({c}) {}", self.simple(s, targets))
                }
                _ => self.simple(s, targets),
            };
            let _ = write!(out, "{label}{next} ");
        }
        out
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mild = seed & 2 == 0;
    let mut g = Gen {
        d: Dice(seed),
        mild,
        label: 0,
        labels: Vec::new(),
        loops: 0,
    };
    let mut out = String::new();
    let flag = g.d.of(&["true", "false"]);
    let _ = writeln!(
        out,
        "const K = {}; const FLAG = {flag};",
        g.d.below(4) as i64 - 1
    );
    let _ = writeln!(
        out,
        "enum colour {{ red, green, blue }}\nmutex m; mutex n[2];"
    );
    let ty = g.d.of(&["0..1", "0..2", "-1..1", "mod 2", "mod 3"]);
    let init = |g: &mut Gen| if g.d.once(5) { "" } else { " = 0" };
    let (i0, i1, i2, i3) = (init(&mut g), init(&mut g), init(&mut g), init(&mut g));
    let square = g.d.once(4);
    let has_enum = g.d.once(3);
    // The threads first, their labels are needed by the predicates.
    let layout = g.d.below(5);
    let families: Vec<(&str, Option<(i64, i64)>)> = match layout {
        0 => vec![("w", Some((3, 4)))],
        1 => vec![("a", None), ("w", Some((-1, -1)))],
        2 => vec![("v", Some((2, 2))), ("w", Some((5, 5)))],
        3 => vec![("a", None), ("b", None)],
        _ => vec![("w", Some((1, 2))), ("b", None)],
    };
    let count: i64 = families
        .iter()
        .map(|(_, f)| f.map_or(1, |(l, h)| h - l + 1))
        .sum();
    let small = count > 2;
    let mut bodies = String::new();
    for (name, family) in &families {
        let mut s = Scope {
            this: true,
            enums: has_enum && g.d.once(2),
            ..Scope::default()
        };
        s.ints = vec![
            "t[0]".into(),
            "t[(K + 9) % 2]".into(),
            "x".into(),
            "x".into(),
            "j".into(),
        ];
        let mut targets: Vec<(String, char)> = vec![
            ("x".into(), 'i'),
            ("t[0]".into(), 'i'),
            ("t[j]".into(), 'i'),
            ("j".into(), 'i'),
        ];
        if square {
            s.ints.push("s[0][j]".into());
            targets.push(("s[j][1 - j]".into(), 'b'));
            s.ints.pop();
            s.bools.push("s[j][0]".into());
        }
        if has_enum {
            targets.push(("e".into(), 'e'));
        }
        if family.is_some() {
            s.ints.push("i".into());
        }
        let mut body = String::from("var t[2]: 0..1 = [0, 1]; var j: 0..1 = 0; ");
        for _ in 0..1 + g.d.below(2) {
            let mutex = if mild && !g.d.once(4) {
                "m"
            } else {
                g.d.of(&["m", "m", "n[0]", "n[x % 2]"])
            };
            let (label, last) = (g.labels(), g.labels());
            let n = 1 + g.d.below(if small { 2 } else { 3 });
            body += &match if g.mild {
                1 + g.d.below(7)
            } else {
                g.d.below(8)
            } {
                0 => {
                    let w = g.work(&s, &targets, 1, n);
                    format!("{label}{w}")
                }
                1 => {
                    let w = g.work(&s, &targets, 1, n);
                    format!("{label}when (y != 1) lock(m); {w} {last}unlock(m); ")
                }
                2 => {
                    let mut f = s.clone();
                    f.ints.push("y".into());
                    let c = g.bool(&f, 1);
                    let w = g.work(&s, &targets, 1, n);
                    format!(
                        "{label}when ({c}) y = {}; {w}",
                        g.d.of(&["1", "y + 1", "1 - y", "self"])
                    )
                }
                3 => {
                    let at = g.atomic(&s, &targets, Some("lock(m);"));
                    format!("{label}{at} {last}unlock(m); ")
                }
                _ => {
                    let w = g.work(&s, &targets, 1 + usize::from(!small), n);
                    format!("{label}lock({mutex}); {w} {last}unlock({mutex}); ")
                }
            };
        }
        let head = family.map_or(String::new(), |(l, h)| format!("(i in {l}..{h})"));
        if g.d.once(4) {
            let _ = writeln!(
                bodies,
                "thread {name}{head} {{ var t[2]: 0..1 = [0, 1]; var j: 0..1 = 0; while (true) {{ {} }} }}",
                &body[body.find("j: 0..1 = 0; ").unwrap() + 13..]
            );
        } else {
            let _ = writeln!(bodies, "thread {name}{head} {{ {body}}}");
        }
    }
    let mut p = Scope {
        this: true,
        labels: g.labels.clone(),
        ints: vec!["y".into()],
        ..Scope::default()
    };
    if p.labels.is_empty() {
        p.labels.push("end".into());
    }
    let predicate = |g: &mut Gen, p: &Scope| match g.d.below(8) {
        0..=3 => "m".to_string(),
        4 => format!("m.owner == self && {}", g.bool(p, 1)),
        5 => format!(
            "m.owner == self || ({} && self == {})",
            g.bool(p, 0),
            g.d.below(3)
        ),
        6 => "y == self".to_string(),
        _ => g.bool(p, 1),
    };
    let by = predicate(&mut g, &p);
    let _ = writeln!(out, "var x: {ty}{i0} protected x by {by};");
    let _ = writeln!(out, "var y: 0..2{i1} unprotected;");
    if square {
        let by = g.d.of(&[
            "m.owner == self",
            "j == 0 || m.owner == self",
            "self == j",
            "n[j].owner == self || n[k].owner == self",
        ]);
        let _ = writeln!(
            out,
            "var s[2][2]: bool{} protected s[j][k] by {by};",
            if i2.is_empty() {
                ""
            } else {
                " = [true, false, false, true]"
            }
        );
    }
    {
        let _ = writeln!(
            out,
            "var e: colour{} {};",
            if i3.is_empty() { "" } else { " = green" },
            if has_enum {
                "protected by m.owner == self"
            } else {
                "unprotected"
            }
        );
    }
    out += &bodies;
    p.this = false;
    p.ints.push("x".into());
    p.enums = true;
    p.ints.push("m.owner".into());
    if g.d.once(3) {
        let mut q = p.clone();
        q.ints.truncate(1);
        let c = g.bool(&q, 1);
        let _ = writeln!(out, "init {c};");
    }
    for n in 0..g.d.below(3) {
        let kind = g.d.of(&["invariant", "reach", "lemma"]);
        let c = g.bool(&p, 1);
        let _ = writeln!(out, "{kind} P{n}: {c};");
    }
    if g.d.once(2) {
        out += "deadlock_free;\n";
    }
    out
}
