//! The laws by level: each has the status that its file declares, and the kernel accepts all proofs again from their
//! text.

use coarsen::algebra::files::{Text, load_suite};
use coarsen::algebra::library;
use coarsen::algebra::prove::{Limits, Status, prove};
use coarsen::algebra::suite::{Declared, Level, Suite};
use coarsen::kernel::{self, Symbol};
use std::collections::HashMap;

fn load(name: &str) -> Suite {
    let (_, path, text) = library()
        .iter()
        .find(|(n, _, _)| *n == name)
        .expect("a shipped file");
    let file = Text {
        name: path.to_string(),
        text: text.to_string(),
    };
    load_suite(file, 100, &mut |path, _| Err(format!("no path {path}")))
        .unwrap_or_else(|flawed| panic!("{flawed:?}"))
}

/// Proves a shipped file; how many statements were proved, refuted and left open.
fn check(name: &str) -> [usize; 3] {
    let mut suite = load(name);
    let limits = Limits::default();
    let mut counts = [0; 3];
    for n in 0..suite.items.len() {
        let item = &suite.items[n];
        let (name, declared, asked) = (item.name.clone(), item.declared, item.asked);
        if !asked {
            continue;
        }
        let outcome = prove(&mut suite, n, &limits);
        let due = match declared {
            Declared::Proved => Status::Proved,
            Declared::Refuted => Status::Refuted,
            Declared::Open => Status::Unknown,
        };
        assert_eq!(outcome.status, due, "{name}: {:?}", outcome.why);
        counts[declared as usize] += 1;
    }
    // Everything, with what it uses, is accepted again from its text; it rests on no hypothesis.
    let text = kernel::write(&suite.development);
    let again = kernel::read(&text).unwrap_or_else(|rejected| panic!("{rejected}"));
    assert!(again.hypotheses().is_empty());
    assert!(again.theorems().len() >= counts[0]);
    counts
}

/// A test for each file, so that they run side by side; what is proved, refuted and left open is counted.
macro_rules! files {
    ($($name:ident $counts:expr;)*) => {
        $(#[test]
        fn $name() {
            assert_eq!(check(stringify!($name)), $counts);
        })*

        const FILES: &[&str] = &[$(stringify!($name)),*];
    };
}

files! {
    semiring [61, 14, 2];
    kleene [82, 14, 0];
    conway [69, 19, 0];
    commutation [97, 20, 0];
    tests [83, 15, 0];
    hoare [65, 16, 0];
    programs [82, 16, 0];
    top [50, 12, 3];
    incorrectness [65, 15, 0];
    omega [66, 13, 1];
    domain [82, 6, 0];
    termination [66, 22, 0];
    refinement [80, 20, 0];
    divergence [48, 9, 0];
    converse [76, 12, 0];
    demonic [47, 8, 0];
    concurrent [115, 19, 0];
    purity [19, 7, 0];
    quotients [9, 4, 0];
    schemes [32, 3, 0];
}

/// Hints are mostly there for speed: these laws alone are not proved without them, each step by itself.
#[test]
fn few_laws_need_their_hints() {
    let mut needed = Vec::new();
    for file in [
        "commutation",
        "programs",
        "concurrent",
        "refinement",
        "converse",
    ] {
        let mut suite = load(file);
        for n in 0..suite.items.len() {
            let item = &mut suite.items[n];
            if !item.asked || item.declared != Declared::Proved {
                continue;
            }
            item.links.iter_mut().for_each(|link| link.hints = None);
            let name = item.name.clone();
            if prove(&mut suite, n, &Limits::default()).status != Status::Proved {
                needed.push(name);
            }
        }
    }
    assert_eq!(
        needed,
        [
            "inverse_conjugate",
            "plus_equivalence",
            "block_two_steps_each",
            "reduce_both_ends",
            "sum_run_moves",
            "sum_sorted",
            "block_of_process",
            "block_of_process_left",
            "block_of_process_whole",
            "system_hidden_refined",
        ]
    );
}

/// The models of level `demonic` satisfy what is proved there: the refuter, asked first, finds none against it.
#[test]
fn laws_of_demonic_refinement_are_not_refuted() {
    let shipped = library().iter().find(|(n, _, _)| *n == "demonic");
    let (_, path, text) = shipped.expect("a shipped file");
    let file = Text {
        name: path.to_string(),
        text: text
            .replace("identity ", "fails ")
            .replace("axiom ", "fails "),
    };
    let mut suite =
        load_suite(file, 100, &mut |path, _| Err(format!("no path {path}"))).expect("fine");
    let mut proved = 0;
    for n in 0..suite.items.len() {
        assert_eq!(suite.items[n].declared, Declared::Refuted);
        let outcome = prove(&mut suite, n, &Limits::default());
        proved += usize::from(outcome.status == Status::Proved);
    }
    assert_eq!(proved, 47);
}

#[test]
fn every_file_of_identities_is_shipped_and_tested() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/theories/identities");
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().expect("a stem").to_string_lossy();
        assert!(FILES.contains(&stem.as_ref()), "{stem} has no test");
    }
}

#[test]
fn no_law_is_stated_twice() {
    let mut seen: HashMap<String, String> = HashMap::new();
    for file in FILES {
        let suite = load(file);
        for item in suite.items.iter().filter(|i| i.asked) {
            let here = format!("{file}: {}", item.name);
            // Of demonic algebras and of relations a law says something else.
            let says = up_to_names(&suite, &item.text);
            let of_others = item.level == Level::Demonic || !item.added.laws.is_empty();
            let says = format!("{of_others} {says}");
            if let Some(there) = seen.insert(says, here.clone()) {
                panic!("{here} says the same as {there}");
            }
        }
    }
}

/// A statement with its letters numbered as they come.
fn up_to_names(suite: &Suite, text: &str) -> String {
    let symbols = suite.development.terms.symbols();
    let mut names: Vec<&str> = Vec::new();
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let in_name = |c: char| c.is_alphanumeric() || c == '_';
        let length = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
        let word = &rest[..length.max(c.len_utf8())];
        rest = &rest[word.len()..];
        let indexed = rest.starts_with('[');
        let letter = |s: &&Symbol| s.name == word && (s.arity > 0) == indexed;
        match symbols.iter().find(letter) {
            Some(symbol) => {
                let n = names.iter().position(|n| *n == word).unwrap_or_else(|| {
                    names.push(word);
                    names.len() - 1
                });
                out += &format!("{}{n}", if symbol.test { "test" } else { "action" });
            }
            None => out += word,
        }
    }
    out
}

/// One convention for letters: what a file uses beside its own has no other sort there.
#[test]
fn any_two_files_go_together() {
    for (n, first) in FILES.iter().enumerate() {
        for second in &FILES[n + 1..] {
            let file = Text {
                name: "both.thy".to_string(),
                text: format!("use {first};\nuse {second};\nidentity one : 1 = 1;"),
            };
            let loaded = load_suite(file, 100, &mut |path, _| Err(format!("no path {path}")));
            if let Err(flawed) = loaded {
                panic!("{first} and {second}: {:?}", flawed.diagnostics);
            }
        }
    }
}
