//! `coarsen verify` on certificates of theorems: what they say is told such that it can be read in one way only, and held against the user's own files.

use coarsen::algebra::prove::{Limits, prove};
use coarsen::algebra::show;
use coarsen::kernel::Development;
use coarsen::suites::{Text, load_suite};
use std::path::{Path, PathBuf};
use std::process::Command;

fn coarsen(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args(arguments)
        .output()
        .expect("started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("ended"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn written(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("verify")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("written");
    }
    folder
}

/// Letters whose names look like something else.
#[test]
fn names_that_lie_are_rejected() {
    let disp = |name: &str| {
        format!(
            "coarsen certificate 1\nsymbol test 0 {name}\nterm atom 0\ntheorem collapse\nstatement\npart 3 1\nstep decide 3 1\npair 3 1\nqed 0\nend\n"
        )
    };
    for (name, expected) in [
        ("p", 0),
        ("T", 12),
        ("0", 12),
        ("y<=0,x", 12),
        ("p]", 12),
        ("~p", 12),
    ] {
        let at = written("names", &[("a.cert", &disp(name))]);
        let (code, out, err) = coarsen(&["verify", &at.join("a.cert").to_string_lossy()]);
        assert_eq!(code, expected, "{name}: {out}{err}");
        assert_eq!(out.contains("test     p\n"), expected == 0, "{out}");
    }
    let forgeries = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/forgeries");
    if forgeries.is_dir() {
        for name in ["disp1.cert", "disp2.cert"] {
            let (code, out, _) = coarsen(&["verify", &forgeries.join(name).to_string_lossy()]);
            assert_eq!(code, 12, "{name}: {out}");
        }
        let (_, out, _) = coarsen(&["verify", &forgeries.join("cut.cert").to_string_lossy()]);
        assert!(
            !out.contains("proved") || out.contains("more characters)"),
            "{out}"
        );
    }
}

#[test]
fn what_is_cut_is_marked_and_json_is_whole() {
    let name = "x".repeat(5_000);
    let text = format!(
        "coarsen certificate 1\nsymbol action 0 {name}\nsymbol action 0 y\nterm atom 0\nterm atom 1\nterm sum 3 4\ntheorem t\nstatement\npart 3 5\nstep decide 3 5\npair 3 5\nqed 0\nend\n"
    );
    let at = written("cut", &[("a.cert", &text)]);
    let path = at.join("a.cert").to_string_lossy().into_owned();
    let (code, out, _) = coarsen(&["verify", &path]);
    assert_eq!(code, 0);
    assert!(
        out.contains(".. (cut: 6008 more characters)"),
        "{}",
        &out[out.len() - 200..]
    );
    let (_, out, _) = coarsen(&["verify", "--format=json", &path]);
    assert!(out.contains(&format!("\"{name} <= {name} + y\"")));
}

/// A small file of terms, each half of the one before: printed it would be longer than memory allows.
#[test]
fn what_is_too_long_to_be_told_is_no_answer() {
    let mut text = "coarsen certificate 1\nsymbol action 0 x\nterm atom 0\n".to_string();
    for n in 3..60 {
        text += &format!(
            "term star {}\nterm product {} 3 {}\n",
            2 * n - 3,
            2 * n - 2,
            2 * n - 2
        );
    }
    text += "theorem t\nstatement\npart 3 3\npart 115 2\nstep decide 3 3\npair 3 3\nstep decide 115 2\npair 115 2\nqed 0 1\nend\n";
    let at = written("long", &[("a.cert", &text)]);
    let path = at.join("a.cert").to_string_lossy().into_owned();
    for format in ["--format=text", "--format=json"] {
        let (code, out, _) = coarsen(&["verify", format, &path]);
        assert_eq!(code, 20, "{}", &out[..out.len().min(500)]);
    }
}

#[test]
fn few_operations_are_no_answer() {
    let theory = "action x, y; identity slide : (x y)* x = x (y x)*;";
    let at = written("limits", &[("a.thy", theory)]);
    let path = |name: &str| at.join(name).to_string_lossy().into_owned();
    let (code, out, err) = coarsen(&["prove", &path("a.thy"), "--certificate", &path("")]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, _) = coarsen(&["verify", "--limit-operations=10", &path("a.cert")]);
    assert_eq!(code, 20, "{out}");
    assert!(out.contains("unknown"), "{out}");
}

#[test]
fn statements_asked_for_are_proved_or_not() {
    let theory = "action x, y, z; test p;
hypothesis 1 : y x <= x y;
identity below : x <= x + y;
identity pass : y x* <= x* y by 1, induction;
identity given [h : x y <= y z] : x* y <= y z* by h, induction;
fails not : x y <= y x;
";
    let at = written("asked", &[("a.thy", theory)]);
    let path = |name: &str| at.join(name).to_string_lossy().into_owned();
    let (code, out, err) = coarsen(&["prove", &path("a.thy"), "--certificate", &path("")]);
    assert_eq!(code, 0, "{out}{err}");
    let ask = |text: &str| {
        std::fs::write(path("b.thy"), text).expect("written");
        let (code, out, _) = coarsen(&["verify", "--theory", &path("b.thy"), &path("a.cert")]);
        (code, out)
    };
    let (code, out) = ask(theory);
    assert_eq!((code, out.matches(": proved\n").count()), (0, 3), "{out}");
    assert!(
        out.contains("(from 1)") && out.contains("(from no hypothesis)"),
        "{out}"
    );
    assert!(out.contains("action   x, y, z"), "{out}");
    for (old, new, expected) in [
        // Another statement, letter, kind, premise, hypothesis; a name of its own.
        ("x <= x + y", "x <= y", "differs"),
        ("x <= x + y", "x = x + y", "differs"),
        ("test p;", "test p, q; identity more : p q <= q;", "missing"),
        ("[h : x y <= y z]", "[h : x y <= y x]", "differs"),
        (
            "hypothesis 1 : y x <= x y",
            "hypothesis 1 : y x <= 0",
            "differs",
        ),
        ("identity below", "identity under", "missing"),
    ] {
        let (code, out) = ask(&theory.replacen(old, new, 1));
        assert_eq!(code, 12, "{new}: {out}");
        assert!(out.contains(&format!(": {expected}")), "{new}: {out}");
    }
    let (code, out) = ask("test x; action y; identity below : x <= x + y;");
    assert_eq!((code, out.contains("differs")), (12, true), "{out}");
    // A theorem may say more.
    let (code, out) = ask(&theory.replacen("identity pass :", "identity pass [z <= 0] :", 1));
    assert_eq!(code, 0, "{out}");
    assert_eq!(ask("action x; identity below :").0, 3);
}

/// What is shown of the shipped theories, read again, is the same statement.
#[test]
fn what_is_printed_parses_back() {
    let mut count = 0;
    for (file, text) in [
        (
            "omega.thy",
            include_str!("../theories/identities/omega.thy"),
        ),
        (
            "tests.thy",
            include_str!("../theories/identities/tests.thy"),
        ),
        (
            "concurrent.thy",
            include_str!("../theories/identities/concurrent.thy"),
        ),
        (
            "stoller_cohen.thy",
            include_str!("../proofs/stoller_cohen.thy"),
        ),
    ] {
        let load = |text: String| {
            let file = Text {
                name: file.to_string(),
                text,
            };
            load_suite(file, 2000, &mut |path, _| Err(path.to_string()))
        };
        let mut suite = load(text.to_string()).unwrap_or_else(|e| panic!("{:?}", e.diagnostics));
        let few = Limits {
            steps: 50,
            ..Limits::default()
        };
        for item in 0..suite.items.len().min(60) {
            prove(&mut suite, item, &few);
        }
        let d = &suite.development;
        let mut again = declared(d);
        let mut said = Vec::new();
        for t in d.theorems() {
            let chain = show::statement(d, &t.statement);
            if !chain.contains(", ") || !t.statement.distinct.is_empty() {
                again += &format!("axiom n{} : {chain};\n", said.len());
                said.push(chain);
            }
        }
        let again = load(again.clone()).unwrap_or_else(|e| panic!("{:?}\n{again}", e.diagnostics));
        for (item, said) in again.items.iter().zip(&said) {
            let statement = coarsen::algebra::prove::statement(item);
            assert_eq!(&show::statement(&again.development, &statement), said);
            count += 1;
        }
        assert_eq!(again.items.len(), said.len());
    }
    assert!(count > 100, "{count}");
}

fn declared(d: &Development) -> String {
    let letters = d.terms.symbols().iter();
    let declared = letters.map(|s| {
        let sort = if s.test { "test" } else { "action" };
        let indices = ["i", "j", "k"][..s.arity].join(", ");
        match s.arity {
            0 => format!("{sort} {};\n", s.name),
            _ => format!("{sort} {}[{indices}];\n", s.name),
        }
    });
    declared.collect()
}
