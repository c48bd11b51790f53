//! The reduced model handed back: its answers, deadlocks and states are those of the original, by the interpreter; its
//! evidence is accepted; Spin says the same of its Promela.

use crate::claimed::programs;
use crate::command::coarsen;
use crate::shipped::coarse::closure;
use crate::shipped::{self, Shipped};
use crate::{missing, random};
use coarsen::base::control::{Control, ParseLimits};
use coarsen::certificate::{verify, write};
use coarsen::command::emit::promela::promela;
use coarsen::command::emit::{Asked, Emitted, Remark, Shown, emit};
use coarsen::engine::quotients::DeadLocals;
use coarsen::engine::{State, initial_candidates, is_deadlock, is_initial, successors};
use coarsen::model::program::{Class, Program};
use coarsen::results::{PropertyKind, Report, Status};
use coarsen::theorem::Reduce;
use coarsen::{CheckOptions, Session, candidates, theory};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Programs with more states are left to the comparison of answers.
const STATES: usize = 20_000;

/// What stands in the comments of blocks that were made atomic.
const MADE: &str = "made atomic here";

fn emitted(name: &str, source: &str) -> Emitted {
    let theory = theory("stoller-cohen").expect("shipped");
    let asked = Asked {
        name,
        source,
        defines: &[],
        limits: ParseLimits::default(),
        theory: &theory,
    };
    let control = Control::default();
    let mut words = |remark: &Remark| match remark {
        Remark::Claimed(shown) | Remark::Found(shown) => {
            is_shown(shown);
            vec![MADE.to_string()]
        }
        Remark::Left(name, _) => vec![format!("{name} stays as it is")],
    };
    emit(&asked, &control, &mut words).unwrap_or_else(|d| panic!("{d:?}\n{source}"))
}

/// The evidence for a block, if there is some, shows the claim.
fn is_shown(shown: &Shown) {
    let Some(bundle) = shown.bundle else { return };
    let text = write(bundle);
    let verdict = verify(&text, None, &[], &Control::default());
    assert!(
        verdict.rejected.is_none() && verdict.stopped.is_none(),
        "{verdict:?}\n{text}"
    );
    assert!(bundle.shows(&shown.claim.name), "{text}");
}

fn load(source: &str) -> Session {
    match Session::load("emitted.cor", source, &[], ParseLimits::default()) {
        Ok((session, _)) => session,
        Err(errors) => panic!("{errors:?}\n{source}"),
    }
}

fn check(source: &str) -> Report {
    let theory = theory("stoller-cohen").expect("shipped");
    let options = CheckOptions {
        others: candidates().split_off(1),
        reduce: Reduce::Auto,
        ..CheckOptions::default()
    };
    load(source).check(&theory, &options, &Control::default())
}

/// The answers to all but claims.
fn answers(report: &Report) -> BTreeMap<String, Status> {
    let all = report
        .properties
        .iter()
        .filter(|p| p.kind != PropertyKind::Transaction);
    all.map(|p| (p.name.clone(), p.verdict)).collect()
}

/// All reachable states, if there are not too many.
fn reachable(program: &Program) -> Option<HashSet<State>> {
    let initial: Vec<State> = initial_candidates(program)
        .filter(|s| is_initial(program, s))
        .take(STATES)
        .collect();
    let count = Cell::new(initial.len());
    let all = closure(initial, |state| {
        let threads = 0..program.threads.len();
        let next: Vec<State> = threads
            .flat_map(|t| successors(program, state, t))
            .map(|s| s.state)
            .collect();
        count.set(count.get() + 1);
        if count.get() > STATES {
            Vec::new()
        } else {
            next
        }
    });
    (count.get() <= STATES).then_some(all)
}

/// The values of all cells, with those that are dead forgotten.
fn observed(program: &Program, states: impl Iterator<Item = State>) -> BTreeSet<Vec<i64>> {
    let dead = DeadLocals::new(program, &[]);
    states.map(|s| dead.forget(&s).cells()).collect()
}

/// The values of shared cells in deadlocks.
fn deadlocks(program: &Program, states: &HashSet<State>) -> BTreeSet<Vec<i64>> {
    let shared = |s: &State| {
        let cells = program.cells.iter().zip(s.cells());
        cells
            .filter(|(c, _)| !matches!(c.class, Class::Local(_)))
            .map(|(_, v)| v)
            .collect()
    };
    states
        .iter()
        .filter(|s| is_deadlock(program, s))
        .map(shared)
        .collect()
}

/// The emitted program with the blocks that were made atomic as claims, and their steps as before.
fn taken_apart(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for n in 1..lines.len() {
        if lines[n].trim() == format!("// {MADE}") {
            assert!(lines[n - 1].ends_with("atomic {"), "{text}");
            let claim = format!("transaction taken_apart_{n} {{");
            let before = lines[n - 1].len() - "atomic {".len();
            lines[n - 1].replace_range(before.., &claim);
        }
    }
    lines.join("\n")
}

/// Compares an emitted model with the original. The number of states of the original, and of the emitted one, if they
/// are known.
fn compare(name: &str, source: &str, emitted: &Emitted) -> Option<(usize, usize)> {
    let text = &emitted.text;
    let (before, after) = (check(source), check(text));
    assert_eq!(answers(&before), answers(&after), "{name}\n{text}");
    let (original, made) = (load(source), load(text));
    let (original, made) = (original.program(), made.program());
    let (all, fewer) = (reachable(original)?, reachable(made)?);
    assert_eq!(
        deadlocks(original, &all),
        deadlocks(made, &fewer),
        "{name}\n{text}"
    );
    let apart = load(&taken_apart(text));
    let apart = apart.program();
    let states = reachable(apart)?;
    let blocks = apart
        .claims
        .iter()
        .filter(|c| c.name.starts_with("taken_apart_"));
    let blocks: Vec<_> = blocks.flat_map(|c| &c.blocks).collect();
    let quiescent = |s: &State| {
        blocks
            .iter()
            .all(|b| !b.inside.contains(&s.location(b.thread)))
    };
    let (few, quiet) = (fewer.len(), states.into_iter().filter(quiescent));
    assert_eq!(
        observed(apart, quiet),
        observed(made, fewer.into_iter()),
        "{name}\n{text}"
    );
    Some((all.len(), few))
}

#[test]
fn shipped_models_are_what_they_were() {
    let (mut atomic, mut put_back, mut fewer) = (0, 0, 0);
    for Shipped { name, source } in shipped::models() {
        // Their checks take long, and there are many of them.
        let slow = [
            "semaphore_driver",
            "master_workers",
            "memory_reuse",
            "rw_cache",
            "thread_pool",
        ];
        if slow.iter().any(|s| name.contains(s)) {
            continue;
        }
        let emitted = emitted(&name, &source);
        assert_eq!(emitted.stopped, None, "{name}");
        if let Some((before, after)) = compare(&name, &source, &emitted) {
            assert!(after <= before, "{name}: {before} states became {after}");
            fewer += usize::from(after < before);
        }
        atomic += emitted.atomic;
        put_back += emitted.put_back;
    }
    assert!(
        atomic >= 100 && put_back >= 40 && fewer >= 50,
        "{atomic} {put_back} {fewer}"
    );
}

#[test]
fn random_programs_are_what_they_were() {
    let (atomic, compared) = (Cell::new(0), Cell::new(0));
    let cases = random::cases(160);
    let result = random::runner(160).run(&programs(), |source| {
        let emitted = emitted("random.cor", &source);
        let few = compare("random.cor", &source, &emitted).is_some();
        compared.set(compared.get() + usize::from(few));
        atomic.set(atomic.get() + emitted.atomic);
        Ok(())
    });
    assert_eq!(result, Ok(()));
    if random::any_number() {
        return;
    }
    let (atomic, compared) = (atomic.get(), compared.get());
    assert!(
        atomic * 4 > cases as usize && compared * 2 > cases as usize,
        "{atomic} {compared}"
    );
}

/// The counter with a lock: one block, of which one step is left, and a local that is put back.
#[test]
fn a_counter() {
    let source = "\
const N = 3;
mutex m;
var x: 0..N = 0 protected by m;
// Counts.
thread worker(i in 1..N) {
    var t: 0..N = 0;
    transaction add { hide m; lock(m); t = x; x = t + 1; unlock(m); } // once
}
invariant small: x <= N;
expect verdict holds;
expect holds add;
expect original 76;
";
    let emitted = emitted("counter.cor", source);
    let expected = "\
const N = 3;
mutex m;
var x: 0..N = 0;
// Counts.
thread worker(i in 1..N) {
    var t: 0..N = 0;
    atomic {
        // made atomic here
        lock(m); t = x; x = t + 1; unlock(m); t = 0;
    } // once
}
invariant small: x <= N;
expect verdict holds;
";
    assert_eq!(emitted.text, expected);
    assert_eq!(
        compare("counter.cor", source, &emitted).map(|(_, few)| few),
        Some(8)
    );
}

/// A call is several steps, which nobody has shown to be one.
#[test]
fn calls_are_not_made_atomic() {
    for call in ["f(t);", "x = g(t);"] {
        let source = format!(
            "var x: 0..3 = 0 unprotected; var y: 0..3 = 0 unprotected;
proc f(a: 0..3) {{ x = a; y = x; }}
proc g(a: 0..3): 0..3 {{ y = a; y = x; return y; }}
thread p(i in 1..2) {{ var t: 0..3 = 0; t = i; {call} }}
thread q {{ assert(x == y || x != 2); }}
"
        );
        let emitted = emitted("calls.cor", &source);
        assert!(compare("calls.cor", &source, &emitted).is_some());
        assert!(
            !emitted.text.contains(&format!("{call} t = 0")),
            "{}",
            emitted.text
        );
    }
}

/// Several blocks, each found in the text as it was, whatever is made atomic behind it.
#[test]
fn all_blocks_of_a_thread() {
    let source = "\
mutex m;
var x: 0..9 = 0 protected by m;
var y: 0..9 = 0 unprotected;
thread a(i in 0..1) {
    lock(m); x = x + 1; x = x + 1; unlock(m);
    y = 1;
    lock(m); x = x + 1; unlock(m);
}
thread b { y = 2; lock(m); x = x + 1; unlock(m); y = 3; }
";
    let emitted = emitted("all.cor", source);
    assert_eq!(emitted.atomic, 3, "{}", emitted.text);
    assert!(compare("all.cor", source, &emitted).is_some());
}

#[test]
fn what_can_t_be_said_stays() {
    // A second step that blocks; the part behind it will do.
    let bank = emitted("bank.cor", &shipped::model("transactions/bank").source);
    assert_eq!((bank.atomic, bank.left), (1, 1), "{}", bank.text);
    // What is refuted.
    let bug = emitted(
        "bug.cor",
        &shipped::model("transactions/counter_method_bug").source,
    );
    assert!(bug.text.contains("stays as it is"), "{}", bug.text);
    // A goal that is inside a block.
    let inside = "\
var x: 0..1 = 0 unprotected; var y: 0..1 = 0 unprotected;
thread a { transaction t { x = 1; x = 0; } }
reach seen: x == 1;
";
    let seen = emitted("seen.cor", inside);
    assert_eq!((seen.atomic, seen.left), (0, 1), "{}", seen.text);
    // A result that nothing reads is there to be seen.
    let result = "\
mutex m; var x: 0..3 = 0 protected by m;
thread a(i in 0..1) { var got: 0..3 = 0; var t: 0..3 = 0;
    transaction t1 { lock(m); t = x; got = t; x = t + 1; unlock(m); } }
";
    let result = emitted("result.cor", result);
    assert!(
        result.text.contains(" t = 0;") && !result.text.contains("got = 0;\n    }"),
        "{}",
        result.text
    );
    // Where the discipline is violated it could not be asked for any more.
    let racy = "mutex m; var x: 0..3 = 0 protected by m;\n\
        thread a { transaction t { lock(m); unlock(m); x = 1; } }\nthread b { x = 2; }\n";
    assert_eq!(emitted("racy.cor", racy).atomic, 0);
}

/// What Spin says of a model: whether it finds no error.
fn spin(folder: &Path, text: &str, flags: &[&str]) -> bool {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .output()
            .expect("runs");
        let told = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{program} {arguments:?}\n{told}\n{text}"
        );
        told
    };
    fs::write(folder.join("model.pml"), text).expect("written");
    let mut arguments: Vec<&str> = flags
        .iter()
        .copied()
        .filter(|f| f.starts_with("-D"))
        .collect();
    arguments.extend(["-a", "model.pml"]);
    run("spin", &arguments);
    run("gcc", &["-O1", "-w", "-DSAFETY", "-o", "pan", "pan.c"]);
    let mut arguments = vec!["-m1000000"];
    arguments.extend(flags.iter().filter(|f| !f.starts_with("-D")));
    let told = run("./pan", &arguments);
    assert!(!told.contains("max search depth too small"), "{told}");
    let errors = told
        .split("errors: ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    errors.expect("a number of errors") == "0"
}

/// Whether there was an answer to compare.
fn spin_agrees(folder: &Path, name: &str, source: &str) -> bool {
    let session = load(source);
    let program = session.program();
    let text = promela(program, &[]).unwrap_or_else(|why| panic!("{name}: {why:?}"));
    let report = check(source);
    let wrong = |p: &coarsen::results::Property| {
        let kinds = [
            PropertyKind::Assertions,
            PropertyKind::Invariant,
            PropertyKind::DeadlockFree,
        ];
        kinds.contains(&p.kind) && p.verdict == Status::Refuted
    };
    let unknown = |p: &&coarsen::results::Property| {
        p.verdict == Status::Unknown && p.kind != PropertyKind::Transaction
    };
    // A violation of the discipline ends executions here, and not there.
    if report.properties.iter().any(|p| unknown(&p)) {
        return false;
    }
    if report
        .properties
        .iter()
        .any(|p| p.kind == PropertyKind::Discipline && p.verdict == Status::Refuted)
    {
        return false;
    }
    let flags: &[&str] = if program.deadlock_free.is_some() {
        &[]
    } else {
        &["-E"]
    };
    let holds = !report.properties.iter().any(wrong);
    assert_eq!(spin(folder, &text, flags), holds, "{name}\n{text}");
    for property in report
        .properties
        .iter()
        .filter(|p| p.kind == PropertyKind::Reach && holds)
    {
        let define = format!("-DREACH_{}", property.name);
        let found = !spin(folder, &text, &[&[define.as_str()], flags].concat());
        assert_eq!(
            found,
            property.verdict == Status::Holds,
            "{name}: {}\n{text}",
            property.name
        );
    }
    true
}

#[test]
fn spin_says_the_same() {
    if !missing::tools(&["gcc"]) || Command::new("spin").arg("-V").output().is_err() {
        missing::say("spin");
        return;
    }
    let folder = std::env::temp_dir().join(format!("coarsen-emit-spin-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("made");
    let mut compared = 0;
    // Each takes two compilations.
    let most = if random::long() { 40 } else { 8 };
    for Shipped { name, source } in shipped::some().into_iter().take(most) {
        let few = reachable(load(&source).program()).is_some();
        if few {
            compared += usize::from(spin_agrees(&folder, &name, &source));
            let emitted = emitted(&name, &source);
            let name = format!("{name}, emitted");
            compared += usize::from(spin_agrees(&folder, &name, &emitted.text));
        }
    }
    assert!(compared >= 8, "{compared}");
    // Arithmetic, undefined expressions and wrapping types, each of which goes wrong or not.
    let words = [
        (
            "x = (0 - 7) / 2; assert(x == -4); x = (0 - 7) % 2; assert(x == 1);",
            true,
        ),
        (
            "x = 7 / (0 - 2); assert(x == -3); x = (0 - 7) % (0 - 2); assert(x == 1);",
            true,
        ),
        ("x = y / (y - y);", false),
        ("x = y == 0 || 1 / y == 1 ? 1 : 2; assert(x == 1);", true),
        ("x = 9; x = x + 1;", false),
        ("w = 3; w = w + 1; assert(w == 0);", true),
        ("a[y + 3] = 1;", false),
        ("havoc x; assert(x < 9);", false),
        ("choose x in 2..4 where x > 2; assert(x > 2);", true),
        ("x = 1 << 3; assert(x == 8); x = y << x;", true),
        (
            "atomic { when (y == 0) x = 1; if (x == 1) { x = 2; } else { x = 3; } } assert(x == 2);",
            true,
        ),
    ];
    for (statements, holds) in words {
        let source = format!(
            "var x: -9..9 = 0; var y: 0..1 = 0; var w: mod 4 = 0; var a[3]: 0..3 = 0;\nthread t {{ {statements} }}\n"
        );
        let verdict = check(&source)
            .properties
            .iter()
            .any(|p| p.verdict == Status::Refuted);
        assert_eq!(!verdict, holds, "{source}");
        assert!(spin_agrees(&folder, statements, &source));
    }
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn the_command() {
    let folder = std::env::temp_dir().join(format!("coarsen-emit-{}", std::process::id()));
    let evidence = folder.to_str().expect("UTF-8");
    let run = |arguments: &[&str]| coarsen(arguments, b"");
    let model = "models/classic/locked_ring.cor";
    let (code, out, err) = run(&["emit", model, "--evidence", evidence, "-D", "N=4"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.starts_with(
            "// models/classic/locked_ring.cor, by `coarsen emit`:\n// 1 block made atomic, "
        ),
        "{out}"
    );
    assert!(out.contains("const N = 4;"), "{out}");
    let certificate = fs::read_to_string(folder.join("block_1.cert")).expect("written");
    let hash = coarsen::certificate::hash(&certificate);
    assert!(
        out.contains(&format!("// evidence: block_1.cert, sha256 {hash}")),
        "{out}"
    );
    let (kept, about) = (folder.join("block_1.cert"), folder.join("block_1.cor"));
    let (kept, about) = (
        kept.to_str().expect("UTF-8"),
        about.to_str().expect("UTF-8"),
    );
    let (code, out, err) = run(&["verify", "--model", about, kept]);
    assert_eq!(code, Some(0), "{out}{err}");
    let (code, out, _) = run(&["emit", "--format", "promela", model]);
    assert!(
        code == Some(0) && out.contains("proctype worker_0() {") && out.contains("spin -a"),
        "{out}"
    );
    let (code, out, err) = run(&["emit", "models/dve/mutex.dve"]);
    assert!(code == Some(0) && out.contains("thread "), "{out}{err}");
    assert_eq!(run(&["emit", "tests/emit.rs"]).0, Some(3));
    fs::remove_dir_all(&folder).expect("removed");
}
