//! Models made to break the tool: mutated shipped models through loading and checking, and bad input through the
//! command.
//!
//! What still loads is checked twice: against the interpreter by the tool's own cross-check, and against the
//! brute-force reduced system of these tests.

use crate::command::coarsen;
use crate::{random, shipped};

use std::sync::mpsc;
use std::time::Duration;

use coarsen::base::control::ParseLimits;
use coarsen::base::control::{Budget, Control, Stop};
use coarsen::model::program::Program;
use coarsen::results::{Report, Status, Verdict};
use coarsen::{CheckOptions, Session};
use proptest::prelude::*;
use proptest::sample::Index;
use shipped::coarse::{occurs, reduced};
use shipped::{models, some};

/// Models of what the shipped ones do not have: errors inside predicates, computed indices into protected cells,
/// mutexes in arrays, atomic blocks that fail half-way, arithmetic at its edges.
const SEEDS: &[&str] = &[
    "mutex m[2]; var x[2]: 0..2 = 0 protected x[k] by m[k]; var y: 0..2 = 1 protected by m[x[1]].owner == self;
     thread t(i in 0..1) {
         var l: 0..2;
         lock(m[i]); havoc l; x[i] = l;
         if (x[i] > 1) { x[1 - i] = 2; } else { y = x[i] % 2; }
         l = 0; unlock(m[i]);
     }
     invariant low: x[0] + x[1] < 4; deadlock_free;",
    "var a[3]: -1..2 = [0, 1, -1] unprotected; var p: mod 3 = 0 protected by at(self, L) || at(self, end);
     thread s { S: a[a[2]] = a[0] / a[1]; L: p = p - 1; M: a[2] = -a[2]; }
     thread t { when (a[a[2]] > 0 || a[1] % a[0] == 1) a[0] = 1; L: p = p * 2; L2: assert(p != 2); }
     reach gone: at(s, wrong); lemma l: at(t, L) => a[0] == 1;",
    "mutex m; var x: bool protected by m; var n: 0..3 = 0;
     thread a { atomic { lock(m); if (x) { x = false; n = n + 1; } else { havoc x; } assert(n < 3); unlock(m); } A: \
     skip; }
     thread b { while (n < 2) { either { atomic { when (m.owner == none) n = n + 1; } } or { lock(m); x = !x; \
     unlock(m); } } B: }
     thread c { assume(n == 2); unlock(m); }
     init !x || n == 0; invariant i: at(c, wrong) => n >= 2; deadlock_free;",
    "enum E { p, r, s } var e[2]: E = p protected e[k] by turn == r ? self == worker(k) : self == last;
     var turn: E = r unprotected;
     thread worker(i in 0..1) { var w: E = p; W: w = e[i]; e[i] = w == p ? r : s; if (w == s) { turn = s; } V: e[i] = \
     p; turn = p; }
     thread last { when (turn == p) skip; e[0] = s; e[1] = e[0]; assert(e[1] != r); turn = r; }
     reach swapped: e[0] == s && e[1] == s; invariant never: !(e[0] == r && e[1] == r);",
    "mutex m; var big: -1000..1000 = 999 protected by m; var g[2][2]: bool = [true, false, false, true] protected \
     g[r][c] by self == r;
     thread t(i in 0..1) {
         var k: 0..2 = 0; var loc[2]: bool = false;
         T: skip;
         while (k < 2) { loc[k] = g[i][k]; g[i][k] = !loc[(k + 1) % 2]; k = k + 1; }
         lock(m); big = big > 0 ? big * -1 : big / -7; big = (big - i) % 1000; unlock(m);
     }
     reach both: at(t(0), end) && at(t(1), end); invariant diag: g[0][0] || g[1][1] || big < 500;",
    "reentrant(2) mutex m; cond c; var n: 0..2 = 0 protected by m;
     proc put(k: 0..1): bool { lock(m); if (n == 2) { unlock(m); return false; } n = n + k; notify(c); unlock(m); \
     return true; }
     thread p { var ok: bool = false; ok = put(1); lock(m); ok = put(1); unlock(m); }
     thread g(i in 0..0) { lock(m); while (n < 1 + i) { W: wait(c, m); } n = n - 1; unlock(m); notifyAll(c); }
     deadlock_free; reach w: c.waiting[g(0)] && m.depth == 0; lemma l: n <= 2;",
    "rwlock l[2]; semaphore s: 0..1 = 1; var x: 0..2 = 0 protected by l[0]; var y[2]: 0..1 = 0 protected y[k] by l[k] \
     init self == w && at(w, S);
     thread r(i in 0..1) { read_lock(l[i]); if (x == y[i]) { skip; } read_unlock(l[i]); }
     thread w { S: y[1] = 1; down(s); write_lock(l[0]); x = y[0] + 1; write_unlock(l[0]); up(s); start(late); \
     join(late); }
     thread late { atomic { down(s); x = 0; } up(s); }
     deadlock_free; invariant i: l[0].writer == w => !l[0].reading[0];",
    "record node { value: 0..1 = 0 protected by lock; next: ref node in P = null; mutex lock; } pool P[2]: node; var \
     head: ref node in P = null;
     thread a { var n: ref node in P = null; n = new P; lock(n.lock); n.value = 1; unlock(n.lock); n.next = head; head \
     = n; }
     thread b { if (head != null) { lock(head.lock); head.value = 0; unlock(head.lock); head = head.next; } }
     thread d { when (head != null) free(head); }
     reach f: at(b, wrong); reach e: at(d, end) && !P.allocated[0];",
    "record pair { x: 0..2 = 0; y: 0..2; } mutex m[2]; var q[2]: pair protected q[k] by {m[0], m[1]}; var r: ref pair \
     in q = &q[0] unprotected; barrier b: 2;
     proc swap(k: 0..1) { var t: 0..2; lock(m[0]); lock(m[1]); t = q[k].x; q[k].x = q[1 - k].x; r = &q[q[k].y]; \
     unlock(m[1]); A: unlock(m[0]); }
     thread a(i in 0..1) { swap(i); await(b); lock(m[i]); if (r.x == q[i].y) { skip; } unlock(m[i]); }
     init q[0].y < 2 && q[1].y == 2; reach e: at(a(0), A); invariant o: r != null;",
];

/// The shipped models and the seeds, with names.
fn sources() -> Vec<(String, String)> {
    let seeds = SEEDS.iter().enumerate();
    let seeds = seeds.map(|(n, seed)| (format!("seed {n}"), seed.to_string()));
    // These have more locations and cells than are explored by hand here.
    let large = ["gueta/file_system", "gueta/indexer"];
    let small = |name: &str| !large.iter().any(|l| name.contains(l));
    let shipped = models().into_iter().filter(|m| small(&m.name));
    let shipped = shipped.map(|m| (m.name, m.source));
    shipped.chain(seeds).collect()
}

/// A change to a text of tokens.
#[derive(Clone, Debug)]
enum Mutation {
    Delete(Index),
    Duplicate(Index),
    Swap(Index, Index),
    DeleteLine(Index),
    DuplicateLine(Index),
    SwapLines(Index, Index),
    Number(Index, &'static str),
    /// A word of the text in place of another.
    Word(Index, Index),
    Operator(Index, &'static str),
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "7",
    "1000000",
    "2147483648",
    "9223372036854775808",
    "99999999999999999999999999",
];

const OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "=>", "=",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    prop_oneof![
        2 => at().prop_map(Mutation::Delete),
        1 => at().prop_map(Mutation::Duplicate),
        1 => (at(), at()).prop_map(|(a, b)| Mutation::Swap(a, b)),
        4 => at().prop_map(Mutation::DeleteLine),
        4 => at().prop_map(Mutation::DuplicateLine),
        4 => (at(), at()).prop_map(|(a, b)| Mutation::SwapLines(a, b)),
        4 => (at(), prop::sample::select(NUMBERS)).prop_map(|(a, n)| Mutation::Number(a, n)),
        6 => (at(), at()).prop_map(|(a, b)| Mutation::Word(a, b)),
        4 => (at(), prop::sample::select(OPERATORS)).prop_map(|(a, o)| Mutation::Operator(a, o)),
    ]
}

/// Words, numbers, signs and white space; comments are left out.
fn tokens(source: &str) -> Vec<String> {
    let code: Vec<&str> = source
        .lines()
        .map(|l| l.split("//").next().unwrap_or(""))
        .filter(|l| !l.trim().is_empty() && !l.starts_with("expect"))
        .collect();
    let class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 0,
        '\n' => 1,
        _ if c.is_whitespace() => 2,
        '.' | '=' | '<' | '>' | '&' | '|' | '!' => 3,
        _ => 4,
    };
    let mut all: Vec<String> = Vec::new();
    let mut last = 4;
    for c in code.join("\n").chars() {
        match all.last_mut() {
            Some(token) if class(c) == last && last != 4 && last != 1 => token.push(c),
            _ => all.push(c.to_string()),
        }
        last = class(c);
    }
    all
}

fn is_word(t: &str) -> bool {
    t.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn mutate(source: &str, mutations: &[Mutation]) -> String {
    let mut tokens = tokens(source);
    for mutation in mutations {
        if tokens.is_empty() {
            break;
        }
        let n = tokens.len();
        let pick = |at: &Index, of: &dyn Fn(&str) -> bool| {
            let places: Vec<usize> = (0..n).filter(|&i| of(&tokens[i])).collect();
            (!places.is_empty()).then(|| *at.get(&places))
        };
        let solid = |t: &str| !t.trim().is_empty();
        match mutation {
            Mutation::Delete(a) => {
                if let Some(a) = pick(a, &solid) {
                    tokens.remove(a);
                }
            }
            Mutation::Duplicate(a) => {
                if let Some(a) = pick(a, &solid) {
                    tokens.insert(a, " ".into());
                    tokens.insert(a, tokens[a + 1].clone());
                }
            }
            Mutation::Swap(a, b) => {
                if let (Some(a), Some(b)) = (pick(a, &solid), pick(b, &solid)) {
                    tokens.swap(a, b);
                }
            }
            Mutation::DeleteLine(a) => lines(&mut tokens, |lines| {
                lines.remove(a.index(lines.len()));
            }),
            Mutation::DuplicateLine(a) => lines(&mut tokens, |lines| {
                let a = a.index(lines.len());
                lines.insert(a, lines[a].clone());
            }),
            Mutation::SwapLines(a, b) => lines(&mut tokens, |lines| {
                let n = lines.len();
                lines.swap(a.index(n), b.index(n));
            }),
            Mutation::Number(a, number) => {
                if let Some(a) = pick(a, &|t| t.starts_with(|c: char| c.is_ascii_digit())) {
                    tokens[a] = number.to_string();
                }
            }
            Mutation::Word(a, b) => {
                if let (Some(a), Some(b)) = (pick(a, &is_word), pick(b, &is_word)) {
                    tokens[a] = tokens[b].clone();
                }
            }
            Mutation::Operator(a, operator) => {
                if let Some(a) = pick(a, &|t| OPERATORS.contains(&t)) {
                    tokens[a] = operator.to_string();
                }
            }
        }
    }
    tokens.concat()
}

fn lines(tokens: &mut Vec<String>, change: impl FnOnce(&mut Vec<Vec<String>>)) {
    let mut lines: Vec<Vec<String>> = tokens
        .split(|t| t == "\n")
        .map(<[String]>::to_vec)
        .collect();
    change(&mut lines);
    *tokens = lines.join(&"\n".to_string());
}

/// Small enough to be explored state by state in no time.
fn is_small(p: &Program) -> bool {
    let bits = |size: u64| 64 - (size - 1).leading_zeros();
    let all: u32 = p.cells.iter().map(|c| bits(c.ty.size())).sum();
    let free = p.cells.iter().filter(|c| c.initial.is_none());
    let free: u32 = free.map(|c| bits(c.ty.size())).sum();
    let locations: usize = p.threads.iter().map(|t| t.locations.len()).sum();
    all <= 60 && free <= 12 && locations <= 150 && p.cells.iter().all(|c| c.ty.size() <= 1 << 12)
}

/// Checks within a budget of states, nodes and time.
fn check_within(session: &Session, strict: bool, time: Duration) -> Report {
    let theory = coarsen::theory("stoller-cohen").expect("the default theorem");
    let options = CheckOptions {
        cross_check: true,
        strict,
        ..CheckOptions::thorough()
    };
    let control = Control::new(Budget {
        nodes: 200_000,
        states: 20_000,
        ..Budget::default()
    });
    let (done, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let control = &control;
        scope.spawn(move || {
            if waiting.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                control.stop(Stop::Time);
            }
        });
        let report = session.check(&theory, &options, control);
        drop(done);
        report
    })
}

/// Loads and, if it is small, checks a text; what was found wrong, and whether it was checked.
fn attack(name: &str, source: &str) -> Result<bool, String> {
    // Naming the copies of an unrolled loop takes time quadratic in their number, so huge loops are left out for now.
    let words = tokens(source);
    let huge = |t: &String| t.starts_with(|c: char| c.is_ascii_digit()) && t.len() > 3;
    if words.iter().any(|t| t == "for") && words.iter().any(huge) {
        return Ok(false);
    }
    let Ok((session, _)) = Session::load(name, source, &[], ParseLimits::default()) else {
        return Ok(false);
    };
    if !is_small(session.program()) {
        return Ok(false);
    }
    for strict in [false, true] {
        let report = check_within(&session, strict, Duration::from_secs(5));
        if report.is_contradicted() {
            return Err(format!("strict: {strict}, {}", report.reason));
        }
        if report.limits.hit.is_some() {
            continue;
        }
        for h in &report.hypotheses {
            let witness = h
                .witness
                .as_ref()
                .filter(|w| w.start.is_reachable() == Some(true));
            if witness.is_some_and(|w| !occurs(session.program(), &w.states[0])) {
                return Err(format!("strict: {strict}, ({}): s1 is not reachable", h.id));
            }
        }
        let expected = reduced(session.program(), &report);
        let counts = (expected.states.to_string(), expected.visited.to_string());
        let found = (
            report.states.reduced.clone().unwrap_or_default(),
            report.states.visited.clone().unwrap_or_default(),
        );
        if counts != found {
            return Err(format!("strict: {strict}, {found:?}, expected {counts:?}"));
        }
        for (p, fewest) in report.properties.iter().zip(&expected.fewest) {
            if p.coarse_length != fewest.map(|n| n.to_string()) {
                return Err(format!(
                    "strict: {strict}, {}: {:?} coarse steps, expected {fewest:?}",
                    p.name, p.coarse_length
                ));
            }
        }
    }
    Ok(true)
}

#[test]
fn mutated_models_are_checked_correctly_or_refused() {
    let sources: Vec<String> = sources().into_iter().map(|(_, source)| source).collect();
    let mut runner = random::runner(256);
    let mutations = prop::collection::vec(mutation(), 1..4);
    let mutated = (prop::sample::select(sources), mutations).prop_map(|(s, m)| mutate(&s, &m));
    let mut checked = std::cell::Cell::new(0);
    let result = runner.run(&mutated, |source| {
        let outcome = attack("mutated.cor", &source);
        prop_assert!(outcome.is_ok(), "{outcome:?}\n{source}");
        checked.set(checked.get() + usize::from(outcome == Ok(true)));
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    println!("{} mutants were checked", checked.get_mut());
    assert!(
        random::enough(*checked.get_mut(), 1),
        "no mutant could be checked"
    );
}

#[test]
fn limits_never_change_an_answer() {
    let theory = coarsen::theory("stoller-cohen").expect("the default theorem");
    let mut decided = 0;
    for m in some() {
        let session = m.load(&[]);
        let full = m.report(false);
        for (nodes, states) in [
            (100, 1),
            (200, 10),
            (500, 100),
            (1500, 1000),
            (5000, 10_000),
        ] {
            let options = CheckOptions {
                cross_check: true,
                ..CheckOptions::thorough()
            };
            let report = session.check(
                &theory,
                &options,
                &Control::new(Budget {
                    nodes,
                    states,
                    ..Budget::default()
                }),
            );
            assert!(!report.is_contradicted(), "{} within {nodes}", m.name);
            if full.verdict == Verdict::Unknown {
                // A claim that is neither shown nor refuted.
                assert_eq!(report.verdict, full.verdict, "{} within {nodes}", m.name);
            } else if report.verdict == Verdict::Unknown {
                assert!(report.limits.hit.is_some(), "{} within {nodes}", m.name);
            } else {
                assert_eq!(report.verdict, full.verdict, "{} within {nodes}", m.name);
                decided += 1;
            }
            for (p, all) in report.properties.iter().zip(&full.properties) {
                assert!(
                    p.verdict == Status::Unknown || p.verdict == all.verdict,
                    "{}, {} within {nodes}",
                    m.name,
                    p.name
                );
            }
        }
        let stopped = Control::default();
        stopped.stop(Stop::Interrupt);
        let report = session.check(&theory, &CheckOptions::thorough(), &stopped);
        assert_eq!(report.verdict, Verdict::Unknown, "{}", m.name);
    }
    assert!(
        random::enough(decided, 20),
        "only {decided} runs came to an answer"
    );
}

#[test]
fn what_is_mutated_is_itself_checked_correctly() {
    let sources = sources().into_iter().enumerate();
    for (_, (name, source)) in sources.filter(|(n, _)| random::picked(*n)) {
        let text = mutate(&source, &[]);
        assert_eq!(attack(&name, &text), Ok(true), "{name}");
    }
}

#[test]
fn bad_input_is_code_3_and_says_why() {
    let noise = |unit: &str| unit.repeat((2 << 20) / unit.len()).into_bytes();
    let nested = |open: &str, close: &str| {
        let n = 50_000;
        format!("thread t {{ {}{} }}", open.repeat(n), close.repeat(n)).into_bytes()
    };
    let inputs: Vec<(&str, Vec<u8>)> = vec![
        ("an empty file", vec![]),
        ("white space", b" \n\t\r\n".to_vec()),
        ("a comment only", b"// nothing".to_vec()),
        ("invalid UTF-8", b"thread t { skip; } \xff\xfe".to_vec()),
        ("zeros", vec![0; 1 << 16]),
        ("noise of signs", noise("$%&")),
        ("noise of words", noise("lorem ipsum ")),
        ("noise of braces", noise("}{")),
        ("noise of lines", noise("\n;")),
        ("nested blocks", nested("if (true) {", "}")),
        ("nested choices", nested("either {", "} or { }")),
        ("nested parentheses", nested("assert(", ");")),
        ("an unknown name", b"thread t { x = 1; }".to_vec()),
        (
            "a huge array",
            b"var x[1000000][1000000]: bool; thread t { skip; }".to_vec(),
        ),
        (
            "a huge family",
            b"thread t(i in 0..999999999999) { skip; }".to_vec(),
        ),
        (
            "a huge type",
            b"var x: 0..99999999999999999999; thread t { skip; }".to_vec(),
        ),
        (
            "an endless constant",
            b"const N = N + 1; thread t { skip; }".to_vec(),
        ),
    ];
    for (what, input) in inputs {
        let (code, out, err) = coarsen(&["check", "-"], &input);
        assert_eq!(code, Some(3), "{what}: {out}{err}");
        assert!(err.contains("Error"), "{what}: {err}");
        assert!(err.len() < 100_000, "{what}: {} bytes", err.len());
        assert!(!err.contains("panicked"), "{what}: {err}");
        let (code, out, _) = coarsen(&["check", "--format", "json", "-"], &input);
        assert_eq!(code, Some(3), "{what}");
        let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(json["verdict"], "error", "{what}");
        let first = &json["diagnostics"][0];
        // Invalid UTF-8 and a limit of the text have a place, too.
        assert!(first["line"].as_u64() > Some(0), "{what}: {json}");
        assert!(first["help"].is_string(), "{what}: {json}");
    }
}

#[test]
fn an_unknown_constant_is_code_3() {
    let model = "models/classic/philosophers.cor";
    for define in ["M=3", "fork=3", "N=100000000000000000000"] {
        let (code, _, err) = coarsen(&["check", "-D", define, model], b"");
        assert_eq!(code, Some(3), "{define}: {err}");
        assert!(err.contains(&define[..1]), "{define}: {err}");
    }
}

#[test]
fn a_missing_file_is_code_1_and_a_missing_argument_code_2() {
    let (code, _, err) = coarsen(&["check", "models/no/such/model.cor"], b"");
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("models/no/such/model.cor"), "{err}");
    let (code, _, err) = coarsen(&["eval", "models", "1 <= 1"], b"");
    assert_eq!(code, Some(1), "{err}");
    for arguments in [&["check"][..], &[], &["check", "-D"], &["eval", "m.cor"]] {
        let (code, _, err) = coarsen(arguments, b"");
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert!(err.contains("--help"), "{arguments:?}: {err}");
    }
}

#[test]
fn bad_models_do_not_keep_the_good_ones_from_being_checked() {
    let good = "models/stoller_cohen/two_locks_barrier.cor";
    let refuted = "models/seeded/wrong_lock.cor";
    let (code, out, _) = coarsen(&["check", "-q", "no.cor", good, "-", refuted], b"thread");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains(&format!("{good}: holds")), "{out}");
    assert!(out.contains(&format!("{refuted}: refuted")), "{out}");
}
