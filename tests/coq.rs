//! Proofs written for Coq: the text of a small file, and that Coq accepts what the kernel has admitted and nothing that
//! has been tampered with.
//!
//! `tests/coq/small.v` is the text for the certificate beside it; `UPDATE=1 cargo test --test all coq` writes both
//! anew. The other tests need Coq with relation-algebra.

use crate::{algebra, missing, random};

use algebra::dice::{Dice, Vocabulary};
use algebra::differential::{LIMITS, statement};
use coarsen::algebra::coq::{LIBRARY, LIBRARY_NAME, export, module};
use coarsen::algebra::files::{Text, load_suite};
use coarsen::algebra::prove::{Limits, derive, prove};
use coarsen::kernel::{self, Development};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder with the compiled library; `None` without Coq.
fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("coq");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let asked = "From RelationAlgebra Require kat_tac rel.";
        fs::write(folder.join("asked.v"), asked).expect("written");
        let mut command = Command::new("coqc");
        let asked = command.arg("asked.v").current_dir(&folder).output();
        if !asked.is_ok_and(|o| o.status.success()) {
            return None;
        }
        fs::write(folder.join(LIBRARY_NAME), LIBRARY).expect("written");
        let library = run(&folder, LIBRARY_NAME);
        assert!(library.is_ok(), "{library:?}");
        Some(folder)
    });
    if folder.is_none() {
        missing::say("coqc with relation-algebra");
    }
    folder.as_deref()
}

fn run(folder: &Path, file: &str) -> Result<String, String> {
    let output = Command::new("coqc").arg(file).current_dir(folder).output();
    let output = output.expect("coqc has been asked before");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)),
    }
}

/// What Coq says to a text.
fn coq(folder: &Path, name: &str, text: &str) -> Result<String, String> {
    let file = format!("{name}.v");
    fs::write(folder.join(&file), text).expect("written");
    run(folder, &file)
}

fn proved(name: &str, text: &str) -> Development {
    let file = Text {
        name: name.to_string(),
        text: text.to_string(),
    };
    let loaded = load_suite(file, 200, &mut |path, _| Err(format!("no {path}")));
    let mut suite = loaded.unwrap_or_else(|e| panic!("{name}: {:?}", e.diagnostics));
    for item in 0..suite.items.len() {
        let outcome = prove(&mut suite, item, &Limits::default());
        let name = &suite.items[item].name;
        assert!(outcome.theorem.is_some(), "{name}: {:?}", outcome.why);
    }
    suite.development
}

fn small() -> String {
    let mut d = proved("small.thy", include_str!("coq/small.thy"));
    export(&mut d, "small.thy").expect("it is small")
}

/// From a certificate, so that another proof by the prover is not another text.
#[test]
fn the_text_is_as_expected() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coq/small.v");
    let certificate = path.with_extension("cert");
    let update = std::env::var_os("UPDATE").is_some();
    if update {
        let d = proved("small.thy", include_str!("coq/small.thy"));
        fs::write(&certificate, kernel::write(&d)).expect("written");
    }
    let read = kernel::read(&fs::read_to_string(certificate).expect("the certificate"));
    let text = export(&mut read.expect("accepted"), "small.thy").expect("it is small");
    if update {
        fs::write(&path, &text).expect("written");
    }
    let expected = fs::read_to_string(&path).expect("the text");
    let differs = text.lines().zip(expected.lines()).find(|(a, b)| a != b);
    assert!(text == expected, "{differs:?}");
}

#[test]
fn what_is_proved_is_accepted_and_assumes_nothing() {
    let Some(folder) = folder() else { return };
    let mut text = small();
    let names: Vec<String> = text
        .lines()
        .filter_map(|l| l.strip_prefix("Theorem ")?.split_once(" :"))
        .map(|(name, _)| name.to_string())
        .collect();
    assert_eq!(names.len(), 13);
    text += &format!(
        "Definition everything := (@{}, @relations).\nPrint Assumptions everything.\n",
        names.join(", @")
    );
    let said = coq(folder, "small", &text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(said.trim(), "Closed under the global context");
}

/// Where a test that the coinduction of divergence speaks of is 1, the text says that it is a test.
#[test]
fn a_divergence_of_everything_is_accepted() {
    let Some(folder) = folder() else { return };
    let text = "level divergence;\naction x;\nidentity always : div(x*) = 1;\n";
    let mut d = proved("always.thy", text);
    let text = export(&mut d, "always.thy").expect("it is small");
    assert!(text.contains("below_dv"));
    coq(folder, "always", &text).unwrap_or_else(|e| panic!("{e}"));
}

/// `kat` takes exponential time in the number of tests: those in the middle of a chain are eliminated, and what stands
/// on both sides is a letter.
#[test]
fn few_tests_stand_in_a_leaf() {
    let Some(folder) = folder() else { return };
    let chain: Vec<String> = (0..12).map(|n| format!("p{n} ~p{} = 0", n + 1)).collect();
    let each: Vec<String> = (0..8).map(|n| format!("p{n} x = 0")).collect();
    let all: Vec<String> = (0..8).map(|n| format!("p{n}")).collect();
    let tests: Vec<String> = (0..13).map(|n| format!("p{n}")).collect();
    let text = format!(
        "action x, y;\ntest {}, q;\nidentity chain [{}, p12 x = 0, q y = 0] : p0 x = 0;\n\
         identity choice [{}, q y = 0] : ({}) x = 0;\n\
         identity sum : p8 x <= ({}) x;\n",
        tests.join(", "),
        chain.join(", "),
        each.join(", "),
        all.join(" + "),
        tests.join(" + "),
    );
    let mut d = proved("chain.thy", &text);
    let text = export(&mut d, "chain.thy").expect("it is small");
    let lemmas: Vec<&str> = text.lines().filter(|l| l.starts_with("Lemma")).collect();
    let (last, before) = lemmas.split_last().expect("there are some");
    assert!(before.iter().all(|l| !l.contains(" p8")), "{lemmas:?}");
    assert!(
        last.contains(" p8") && text.contains("first [letters | leaf]"),
        "{last}"
    );
    assert!(text.contains("  x1 + x0 ≦ x0 + x1"));
    coq(folder, "chain", &text).unwrap_or_else(|e| panic!("{e}"));
}

/// The text with one line changed.
fn changed(text: &str, at: &str, f: impl Fn(&str) -> String) -> String {
    let mut changes = 0;
    let lines = text.lines().map(|line| {
        if line.contains(at) {
            changes += 1;
            return f(line);
        }
        line.to_string()
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    assert_eq!(changes, 1, "{at}");
    text
}

fn turned(line: &str) -> String {
    let (left, right) = line.split_once(" ≦ ").expect("an inclusion");
    let end = right.strip_suffix('.').expect("the end of a statement");
    format!("{end} ≦ {left}.")
}

#[test]
fn what_has_been_tampered_with_is_rejected() {
    let Some(folder) = folder() else { return };
    let text = small();
    for (n, changed) in [
        changed(&text, "  (x)^* ⋅ y ≦ y ⋅ (z)^*.", turned),
        changed(&text, "  om x ⋅ y ≦ om x.", turned),
        changed(&text, "  (x ⋅ y ≦ y ⋅ z) ->", |_| String::new()),
        changed(&text, "  (x ⋅ y)^* ⋅ x ≡ x ⋅ (y ⋅ x)^*.", |l| {
            l.replace("(y ⋅ x)", "(x ⋅ y)")
        }),
        changed(&text, "  (forall i : process, [q] ≦ [e i]) ->", |l| {
            l.replace("forall i", "exists i")
        }),
    ]
    .iter()
    .enumerate()
    {
        let said = coq(folder, &format!("tampered{n}"), changed);
        assert!(said.is_err(), "{changed}");
    }
}

/// A lemma that rests on hypotheses, used for other letters, needs them for those.
#[test]
fn hypotheses_for_other_letters() {
    let Some(folder) = folder() else { return };
    let text = "level omega; action x, y, u[i]; test p, q;
        hypothesis 1 \"q stays\" : x q = q x;
        hypothesis 2 \"pairs\" : i != j => u[i] u[j] <= u[j] u[i];
        hypothesis 3 \"an end\" : (x q)^w = 0;
        identity a : x q x <= q x x by 1;
        identity b [h : y q = q y, g : (y q)^w = 0] : y q y <= q y y by a(x := y), 2, h, g;
        identity c [h : (y + 1) p = p (y + 1), g : ((y + 1) p)^w = 0] :
            (y + 1) p (y + 1) <= p (1 + y) (y + 1) by a(x := y + 1, q := p), 2, h, g;";
    let mut d = proved("hypotheses.thy", text);
    let text = export(&mut d, "hypotheses.thy").expect("it is small");
    assert!(text.contains("(Build_hypotheses "));
    let said = coq(folder, "hypotheses", &text);
    assert!(said.is_ok(), "{said:?}");
}

/// Several exports as one text.
#[derive(Default)]
struct Together {
    text: String,
    count: usize,
}

impl Together {
    fn add(&mut self, d: &mut Development) {
        let text = export(d, "random").expect("it is small");
        let head = "Require Import Coarsen.\n";
        assert!(text.contains(head));
        if self.count == 0 {
            self.text += head;
        }
        let body = text.replacen(head, "", 1);
        self.count += 1;
        self.text += &format!("Module M{}.\n{body}End M{}.\n", self.count, self.count);
    }
}

/// Random statements that are proved, all of one vocabulary in one development.
fn proved_at_random(wanted: usize) -> Development {
    let mut dice = Dice::seeded(1);
    let mut d = Development::default();
    let mut v = Vocabulary::indexed(&mut d.terms, 2);
    d.variables = vec!["i".to_string(), "j".to_string()];
    for n in 0..20 * wanted {
        v.top = dice.flip();
        v.omega = dice.flip();
        let (premises, goal) = statement(&mut dice, &v, &mut d);
        let _ = derive(&mut d, &format!("random{n}"), &premises, &goal, &LIMITS);
        if d.theorems().len() == wanted {
            break;
        }
    }
    d
}

#[test]
fn random_proofs_are_accepted() {
    let Some(folder) = folder() else { return };
    let wanted = random::cases(40) as usize;
    let mut d = proved_at_random(wanted);
    assert_eq!(d.theorems().len(), wanted);
    let text = export(&mut d, "random").expect("it is small");
    let said = coq(folder, "random", &text);
    assert!(said.is_ok(), "{said:?}");
}

/// Certificates changed at random: what the kernel still accepts, Coq accepts as well.
#[test]
fn what_the_kernel_accepts_coq_accepts() {
    let Some(folder) = folder() else { return };
    let mut small = proved("small.thy", include_str!("coq/small.thy"));
    small.terms.allow(kernel::WORK);
    let original = kernel::write(&small);
    let mut dice = Dice::seeded(1);
    let mut all = Together::default();
    let wanted = random::cases(4) as usize;
    while all.count < wanted {
        let mutant = crate::kernel_fuzz::mutate(&original, &mut dice);
        if let Ok(mut d) = kernel::read(&mutant) {
            all.add(&mut d);
        }
    }
    let said = coq(folder, "mutants", &all.text);
    assert!(said.is_ok(), "{said:?}");
}

#[test]
fn files_have_names_for_coq() {
    for (stem, expected) in [
        ("kleene", "kleene"),
        ("stoller-cohen.2", "stoller_cohen_2"),
        ("1", "proofs_1"),
        ("_a", "proofs__a"),
        ("Coarsen", "proofs_Coarsen"),
        ("ä", "proofs__"),
    ] {
        assert_eq!(module(stem), expected);
    }
}
