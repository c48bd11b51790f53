//! Problems in TPTP's form side by side with E, cvc5, SPASS and Z3: what each solves in ten seconds, and how long it
//! takes.
//!
//! `cargo bench --bench tptp [-- [--install] FOLDER]`. The folder is that of problems, whose comments give the status;
//! without one the problems of `tests/tptp` are taken. `--install` has apt-get install the Debian packages of the
//! others first; those that are not there are left out. Every program starts anew for each problem, and gets it in one
//! file without includes; Z3 gets it as SMT-LIB.

use coarsen::algebra::files::Text;
use coarsen::algebra::tptp::text::{Formula, Role, Term, Variable};
use coarsen::algebra::tptp::{Problem, load};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SECONDS: u64 = 10;

/// A program: its name, its arguments before the file, and what it says if a conjecture follows, and if not.
struct Prover {
    name: &'static str,
    arguments: &'static [&'static str],
    smt: bool,
    yes: &'static [&'static str],
    no: &'static [&'static str],
}

const SZS: (&[&str], &[&str]) = (
    &["SZS status Theorem", "SZS status Unsatisfiable"],
    &["SZS status CounterSatisfiable", "SZS status Satisfiable"],
);

const PROVERS: &[Prover] = &[
    Prover {
        name: env!("CARGO_BIN_EXE_coarsen"),
        arguments: &["prove", "-q", "--limit-time", "10s"],
        smt: false,
        yes: SZS.0,
        no: SZS.1,
    },
    Prover {
        name: "eprover",
        arguments: &["--auto", "--tptp3-format", "--cpu-limit=10", "-s"],
        smt: false,
        yes: SZS.0,
        no: SZS.1,
    },
    Prover {
        name: "cvc5",
        arguments: &["--lang=tptp", "--tlimit=10000"],
        smt: false,
        yes: SZS.0,
        no: SZS.1,
    },
    Prover {
        name: "SPASS",
        arguments: &["-TPTP", "-TimeLimit=10"],
        smt: false,
        yes: &["SPASS beiseite: Proof found"],
        no: &["SPASS beiseite: Completion found"],
    },
    Prover {
        name: "z3",
        arguments: &["-T:10"],
        smt: true,
        yes: &["unsat"],
        no: &["sat"],
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    if arguments.iter().any(|a| a == "--install") {
        let packages = ["install", "-y", "-qq", "eprover", "cvc5", "spass", "z3"];
        let done = Command::new("apt-get").args(packages).status();
        assert!(done.is_ok_and(|s| s.success()), "apt-get failed");
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tptp");
    let folder = arguments.iter().find(|a| !a.starts_with('-'));
    let folder = folder.map_or(own, PathBuf::from);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("a folder of problems")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "p"))
        .collect();
    files.sort();
    let problems: Vec<Problem> = files.iter().map(|f| read(f)).collect();
    println!("{} problems of {}", problems.len(), folder.display());
    println!("| program | solved | wrong | median of all, s | slowest solved, s |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for prover in PROVERS {
        if Command::new(prover.name).arg("--version").output().is_err() {
            println!("| {} | not there | | | |", prover.name);
            continue;
        }
        let (mut solved, mut wrong, mut times, mut slowest) = (0, 0, Vec::new(), 0.0_f64);
        for problem in &problems {
            let (answer, time) = prover.run(problem);
            let expected = match problem.declared.as_deref() {
                Some("Theorem" | "Unsatisfiable") => Some(true),
                Some("CounterSatisfiable" | "Satisfiable") => Some(false),
                _ => None,
            };
            times.push(time);
            if answer.is_some() && answer == expected {
                solved += 1;
                slowest = slowest.max(time);
            }
            let is_wrong = answer.is_some() && expected.is_some() && answer != expected;
            wrong += usize::from(is_wrong);
            if is_wrong {
                eprintln!("{} is wrong about {}", prover.name, problem.name);
            }
        }
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        let name = prover.name.rsplit('/').next().unwrap_or(prover.name);
        println!("| {name} | {solved} | {wrong} | {median:.3} | {slowest:.3} |");
    }
}

/// Reads a problem; includes are looked for in the folders above.
fn read(file: &Path) -> Problem {
    let text = std::fs::read_to_string(file).expect("a problem");
    let name = file.display().to_string();
    let mut above = |path: &str, from: &str| {
        let mut places = Path::new(from).ancestors().skip(1).map(|f| f.join(path));
        let found = places.find(|f| f.is_file()).ok_or("no such file")?;
        let text = std::fs::read_to_string(&found).map_err(|e| e.to_string())?;
        let name = found.display().to_string();
        Ok(Text { name, text })
    };
    match load(Text { name, text }, 2000, &mut above) {
        Ok(problem) => problem,
        Err(flawed) => panic!("{}: {:?}", flawed.file.name, flawed.diagnostics),
    }
}

impl Prover {
    /// Whether the conjecture follows, if the program says so, and the seconds it took.
    fn run(&self, problem: &Problem) -> (Option<bool>, f64) {
        let ending = if self.smt { "smt2" } else { "p" };
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.{ending}", problem.name));
        let text = if self.smt {
            smt(problem)
        } else {
            tptp(problem)
        };
        std::fs::write(&path, text).expect("written");
        let begun = Instant::now();
        let mut child = Command::new(self.name)
            .args(self.arguments)
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        // Programs that overlook their limit are ended.
        let most = Duration::from_secs(SECONDS + 2);
        while child.try_wait().expect("a child").is_none() {
            if begun.elapsed() > most {
                child.kill().expect("ended");
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        let time = begun.elapsed().as_secs_f64();
        let output = child.wait_with_output().expect("output");
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        let says = |all: &[&str]| {
            let line = |l: &str| {
                all.iter()
                    .any(|a| if self.smt { l == *a } else { l.contains(a) })
            };
            output.lines().any(line)
        };
        let answer = match (says(self.yes), says(self.no)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        (answer, time)
    }
}

fn variable(v: &Variable) -> String {
    format!("X{}", v.number)
}

/// The whole problem in one file.
fn tptp(problem: &Problem) -> String {
    let mut text = String::new();
    for (n, f) in problem.formulas.iter().enumerate() {
        let role = match f.role {
            Role::Axiom => "axiom",
            Role::Conjecture => "conjecture",
            Role::Negated => "negated_conjecture",
        };
        let _ = writeln!(text, "fof(f{n}, {role}, {}).", fof(&f.formula));
    }
    text
}

fn term(t: &Term) -> String {
    match t {
        Term::Variable(v) => variable(v),
        Term::Foreign(text) => text.clone(),
        Term::Apply(name, of) if of.is_empty() => name.clone(),
        Term::Apply(name, of) => {
            let of: Vec<String> = of.iter().map(term).collect();
            format!("{name}({})", of.join(","))
        }
    }
}

fn fof(formula: &Formula) -> String {
    let several = |all: &[Formula], sign: &str| {
        let all: Vec<String> = all.iter().map(fof).collect();
        format!("({})", all.join(sign))
    };
    let bound = |sign: &str, all: &[Variable], a: &Formula| {
        let all: Vec<String> = all.iter().map(variable).collect();
        format!("({sign} [{}] : {})", all.join(","), fof(a))
    };
    match formula {
        Formula::Constant(value) => format!("${value}"),
        Formula::Atom(t) => term(t),
        Formula::Equal(s, t) => format!("({} = {})", term(s), term(t)),
        Formula::Not(a) => format!("(~ {})", fof(a)),
        Formula::And(all) => several(all, " & "),
        Formula::Or(all) => several(all, " | "),
        Formula::Implies(a, b) => format!("({} => {})", fof(a), fof(b)),
        Formula::Iff(a, b) => format!("({} <=> {})", fof(a), fof(b)),
        Formula::All(all, a) => bound("!", all, a),
        Formula::Some(all, a) => bound("?", all, a),
    }
}

/// The problem in SMT-LIB: axioms, and the negated conjecture.
fn smt(problem: &Problem) -> String {
    let mut symbols = BTreeSet::new();
    for f in &problem.formulas {
        f.formula.atoms(&mut |s, t| {
            let is_term = t.is_some();
            for t in [Some(s), t].into_iter().flatten() {
                t.parts(&mut |part| {
                    if let Term::Apply(name, of) = part {
                        let predicate = !is_term && std::ptr::eq(part, t);
                        symbols.insert((name.clone(), of.len(), predicate));
                    }
                });
            }
        });
    }
    let mut text = "(set-logic UF)\n(declare-sort U 0)\n".to_string();
    for (name, arguments, predicate) in symbols {
        let sort = if predicate { "Bool" } else { "U" };
        let _ = writeln!(
            text,
            "(declare-fun |{name}| ({}) {sort})",
            "U ".repeat(arguments)
        );
    }
    for f in &problem.formulas {
        let formula = sexpr(&f.formula);
        let _ = match f.role {
            Role::Conjecture => writeln!(text, "(assert (not {formula}))"),
            Role::Axiom | Role::Negated => writeln!(text, "(assert {formula})"),
        };
    }
    text + "(check-sat)\n"
}

fn sexpr(formula: &Formula) -> String {
    let several = |all: &[Formula], sign: &str| {
        let all: Vec<String> = all.iter().map(sexpr).collect();
        format!("({sign} {})", all.join(" "))
    };
    let bound = |word: &str, all: &[Variable], a: &Formula| {
        let all: Vec<String> = all.iter().map(|v| format!("({} U)", variable(v))).collect();
        format!("({word} ({}) {})", all.join(" "), sexpr(a))
    };
    match formula {
        Formula::Constant(value) => value.to_string(),
        Formula::Atom(t) => smt_term(t),
        Formula::Equal(s, t) => format!("(= {} {})", smt_term(s), smt_term(t)),
        Formula::Not(a) => format!("(not {})", sexpr(a)),
        Formula::And(all) => several(all, "and"),
        Formula::Or(all) => several(all, "or"),
        Formula::Implies(a, b) => format!("(=> {} {})", sexpr(a), sexpr(b)),
        Formula::Iff(a, b) => format!("(= {} {})", sexpr(a), sexpr(b)),
        Formula::All(all, a) => bound("forall", all, a),
        Formula::Some(all, a) => bound("exists", all, a),
    }
}

fn smt_term(t: &Term) -> String {
    match t {
        Term::Variable(v) => variable(v),
        Term::Foreign(text) => format!("|{text}|"),
        Term::Apply(name, of) if of.is_empty() => format!("|{name}|"),
        Term::Apply(name, of) => {
            let of: Vec<String> = of.iter().map(smt_term).collect();
            format!("(|{name}| {})", of.join(" "))
        }
    }
}
