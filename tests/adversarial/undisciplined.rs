//! Random models without a discipline word, with the objects of the second part of the language in combination:
//! computed indices, references to mutexes, nested procedures, three at a barrier, starts and joins, pools,
//! thread-local records.

use std::fmt::Write;

struct Gen {
    seed: u64,
    /// Names that may be read as numbers in this body.
    reads: Vec<String>,
    writes: Vec<String>,
    label: usize,
    labels: Vec<String>,
    family: bool,
    procs: bool,
    parties: bool,
}

impl Gen {
    fn below(&mut self, n: usize) -> usize {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn once(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of(&mut self, all: &[&str]) -> String {
        let n = self.below(all.len());
        let chosen = all[n].to_string();
        match self.family {
            true => chosen,
            false => chosen.replace("1 - i", "1").replace('i', "0"),
        }
    }

    fn number(&mut self) -> String {
        match self.below(5) {
            0 => self.below(3).to_string(),
            _ => {
                let n = self.below(self.reads.len());
                self.reads[n].clone()
            }
        }
    }

    fn value(&mut self) -> String {
        let (a, b) = (self.number(), self.number());
        match self.below(4) {
            0 => format!("{a} + 1"),
            1 => format!("({a} + {b})"),
            _ => a,
        }
    }

    fn truth(&mut self) -> String {
        let (a, b) = (self.number(), self.below(3));
        let sign = ["==", "!=", "<"][self.below(3)];
        format!("{a} {sign} {b}")
    }

    fn label(&mut self) -> String {
        match self.once(3) {
            true => {
                self.label += 1;
                let name = format!("A{}", self.label);
                self.labels.push(name.clone());
                format!("{name}: ")
            }
            false => String::new(),
        }
    }

    fn assign(&mut self) -> String {
        let n = self.below(self.writes.len());
        let target = self.writes[n].clone();
        match self.once(12) {
            true => format!("havoc {target};"),
            false => format!("{target} = {};", self.value()),
        }
    }

    fn some(&mut self, depth: usize) -> String {
        let n = 1 + self.below(2);
        (0..n).map(|_| self.simple(depth)).collect()
    }

    fn simple(&mut self, depth: usize) -> String {
        let label = self.label();
        let text = match self.below(if depth == 0 { 6 } else { 10 }) {
            0..=4 => self.assign(),
            5 => match self.once(3) {
                true => format!("assert({} || {});", self.truth(), self.truth()),
                false => "skip;".into(),
            },
            6 => {
                let c = self.truth();
                let (a, b) = (self.some(depth - 1), self.some(depth - 1));
                match self.once(2) {
                    true => format!("if ({c}) {{ {a} }} else {{ {b} }}"),
                    false => format!("if ({c}) {{ {a} }}"),
                }
            }
            7 => {
                let body = self.of(&["v[k] = k;", "pr[k] = x;", "g[k][i] = k;", "q.b[k] = k;"]);
                format!("for (k in 0..1) {{ {body} }}")
            }
            8 => format!(
                "atomic {{ {} {} if ({}) {{ {} }} }}",
                self.assign(),
                self.assign(),
                self.truth(),
                self.assign()
            ),
            _ => format!("either {{ {} }} or {{ {} }}", self.some(0), self.some(0)),
        };
        format!("{label}{text} ")
    }

    fn block(&mut self) -> String {
        let body = self.some(1);
        let label = self.label();
        let e = self.of(&["0", "1", "i", "1 - i", "t", "q.a"]);
        let text = match self.below(19) {
            0..=3 => format!("lock(m); {body}{label}unlock(m);"),
            4 => format!("lock(n[{e}]); {body}{label}unlock(n[{e}]);"),
            5 => format!("read_lock(l); t = x; {label}read_unlock(l);"),
            6 => format!("write_lock(l); {body}{label}write_unlock(l);"),
            7 => format!("down(s[{e}]); {body}{label}up(s[{e}]);"),
            8 if self.parties => format!("{label}await(b); {body}"),
            9 => {
                let w = self.value();
                format!("r = &a[{e}]; lock(r.lock); r.w = {w}; {label}t = r.w; unlock(r.lock);")
            }
            10 => format!(
                "p = new P; if (p != null) {{ p.w = {}; {label}free(p); }}",
                self.number()
            ),
            11 => format!("p = new P; lock(m); head = p; {label}unlock(m);"),
            12 => format!(
                "lock(m); p = head; if (p != null) {{ {label}p.w = {}; }} unlock(m);",
                self.number()
            ),
            13 if self.procs => {
                let f = self.of(&[
                    "t = outer(x);",
                    "inner(t);",
                    "locked();",
                    "v[0] = outer(1);",
                ]);
                format!("{label}{f}")
            }
            14 => format!("{label}when ({}) {}", self.truth(), self.assign()),
            15 => format!("lock(m); while (y == 0) {{ {label}wait(c, m); }} {body}unlock(m);"),
            16 => format!(
                "lock(m); y = 1; {label}notify{}(c); unlock(m);",
                self.of(&["", "All"])
            ),
            17 => format!(
                "lock(a[{e}].lock); a[{e}].w = {}; {label}unlock(a[{e}].lock);",
                self.value()
            ),
            _ => format!("{label}{body}"),
        };
        format!("{text} ")
    }
}

/// The text of a model.
pub fn model(seed: u64) -> String {
    let mut g = Gen {
        seed,
        reads: Vec::new(),
        writes: Vec::new(),
        label: 0,
        labels: Vec::new(),
        family: false,
        procs: false,
        parties: false,
    };
    let range = |g: &mut Gen| if g.once(4) { "0..2" } else { "mod 3" };
    g.procs = g.once(2);
    let three = g.once(4);
    let layout = g.below(4);
    g.parties = g.once(3);
    let mut out = String::from(
        "mutex m; mutex n[2]; rwlock l; cond c; semaphore s[2]: 0..1 = 1;
record cell { mutex lock; w: mod 3 = 0; }
record pair { a: 0..1 = 0; b[2]: mod 3 = 1; }
var a[2]: cell; pool P[2]: cell;
var head: ref cell in P = null;\n",
    );
    if g.parties {
        let _ = writeln!(out, "barrier b: {};", if three { 3 } else { 2 });
    }
    for name in ["x", "y", "z", "v[2]", "pr[2]", "g[2][2]"] {
        let ty = range(&mut g);
        let start = if g.once(20) && name.len() == 1 {
            ""
        } else {
            " = 0"
        };
        let _ = writeln!(out, "var {name}: {ty}{start};");
    }
    if g.procs {
        out += "proc inner(k: mod 3) { var u: mod 3 = 0; u = k + x; x = u; }
proc outer(k: mod 3): mod 3 { inner(k + 1); if (k == 2) { return y; } return k; }
proc locked() { lock(m); inner(1); unlock(m); }\n";
    }
    let heads: &[&str] = match layout {
        0 if three => &["w(i in 0..2)"],
        0 => &["w(i in 0..1)"],
        1 if three => &["main", "w(i in 0..1)"],
        1 => &["main", "other"],
        2 => &["main", "w(i in 0..1)"],
        _ => &["main", "other"],
    };
    // Some of what is shared is told apart by thread, so that some of it is private.
    let all = [
        "x", "x", "y", "z", "v[0]", "v[1]", "v[i]", "v[1 - i]", "v[t % 2]", "g[0][i]", "g[i][1]",
        "pr[i]", "pr[q.a]", "q.b[i]", "t", "t",
    ];
    let mut bodies = String::new();
    for head in heads {
        g.family = head.contains('(');
        let mut own: Vec<String> = Vec::new();
        let n = 3 + g.below(4);
        for _ in 0..n {
            own.push(g.of(&all));
        }
        if head.contains("0..2") {
            own.retain(|e| !e.contains('i'));
            own.push("x".into());
        }
        g.reads = own.clone();
        g.writes = own;
        g.writes.push("t".into());
        let mut body = String::new();
        if *head == "main" && layout >= 2 {
            let before = match g.once(2) {
                true => g.some(0),
                false => String::new(),
            };
            let middle = g.block();
            let starts = match heads.len() {
                2 if heads[1] == "other" => "start(other); ",
                _ => "for (k in 0..1) { start(w(k)); } ",
            };
            let joins = match heads[1] {
                "other" => "join(other); ",
                _ => "join(w(0)); join(w(1)); ",
            };
            let last = g.some(1);
            let _ = write!(body, "{before}{starts}");
            if g.once(2) {
                body += &middle;
            }
            if !g.once(4) {
                let _ = write!(body, "{joins}{last}");
            }
        } else {
            for _ in 0..1 + g.below(if three { 1 } else { 2 }) {
                body += &g.block();
            }
        }
        if g.once(6) && *head != "main" {
            body = format!("while ({}) {{ {body}}} ", g.truth());
        }
        let _ = writeln!(
            bodies,
            "thread {head} {{ var t: mod 3 = 0; var q: pair; var r: ref cell in a = &a[0]; var p: ref cell in P = \
             null; {body}}}"
        );
    }
    out += &bodies;
    let first = if heads[0] == "main" { "main" } else { "w(0)" };
    g.family = false;
    for n in 0..g.below(4) {
        let kind = ["invariant", "reach"][g.below(2)];
        let terms = [
            format!("at({first}, end)"),
            format!("{first}.t == {}", g.below(3)),
            format!("x == {}", g.below(3)),
            format!("v[1] != {}", g.below(3)),
            "m.owner == 0".to_string(),
            "n[1].owner == none".to_string(),
            "head == null".to_string(),
            match g.labels.is_empty() {
                true => "true".into(),
                false => {
                    let (l, t) = (g.below(g.labels.len()), g.below(2));
                    let l = g.labels[l].clone();
                    format!("(exists (k in {t}..1) at(k, {l}))")
                }
            },
        ];
        let (a, b) = (g.below(terms.len()), g.below(terms.len()));
        let op = ["&&", "||", "=>"][g.below(3)];
        let _ = writeln!(out, "{kind} P{n}: {} {op} {};", terms[a], terms[b]);
    }
    if g.once(2) {
        out += "deadlock_free;\n";
    }
    out
}
