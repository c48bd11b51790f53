//! `coarsen verify` on certificates of theorems: what they say is told such that it can be read in one way only, and
//! held against the user's own files.

use crate::missing;

use coarsen::algebra::files::{Text, load_suite};
use coarsen::algebra::prove::statement;
use coarsen::algebra::show;
use coarsen::algebra::suite::Suite;
use coarsen::kernel::Statement;
use std::collections::BTreeSet;
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
            "coarsen certificate 1\nsymbol test 0 {name}\nterm atom 0\ntheorem collapse\nstatement\npart 3 1\nstep \
             decide 3 1\npair 3 1\nqed 0\nend\n"
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
    if let Some(forgeries) = missing::shared("forgeries") {
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
        "coarsen certificate 1\nsymbol action 0 {name}\nsymbol action 0 y\nterm atom 0\nterm atom 1\nterm sum 3 \
         4\ntheorem t\nstatement\npart 3 5\nstep decide 3 5\npair 3 5\nqed 0\nend\n"
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
    text += "theorem t\nstatement\npart 3 3\npart 115 2\nstep decide 3 3\npair 3 3\nstep decide 115 2\npair 115 2\nqed \
        0 1\nend\n";
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

/// What is shown of the statements of shipped theories, read again behind them, is the same terms.
#[test]
fn what_is_printed_parses_back() {
    let mut count = 0;
    for name in [
        "omega",
        "domain",
        "tests",
        "top",
        "concurrent",
        "stoller-cohen-proof",
        "lipton-proof",
    ] {
        let shipped = coarsen::algebra::library().iter();
        let (_, _, text) = shipped.clone().find(|(n, ..)| *n == name).expect("shipped");
        let load = |text: String| {
            let file = Text {
                name: format!("{name}.thy"),
                text,
            };
            let suite = load_suite(file, 2000, &mut |path, _| Err(path.to_string()));
            suite.unwrap_or_else(|e| panic!("{}: {:?}", e.file.text, e.diagnostics))
        };
        let suite = load(text.to_string());
        let asked = |s: &Suite| -> Vec<Statement> {
            let all = s.items.iter().filter(|i| i.asked);
            let all = all.flat_map(|i| {
                let premises = i.premises.iter().map(|(_, p)| p.clone());
                premises.chain([statement(i)])
            });
            all.collect()
        };
        let mut again = format!("{text}\nlevel domain;\n");
        let original = asked(&suite);
        for (n, s) in original.iter().enumerate() {
            let printed = show::statement(&suite.development, s);
            again += &format!("axiom printed{n} : {printed};\n");
        }
        let both = asked(&load(again));
        let (first, second) = both.split_at(original.len());
        assert_eq!(first.len(), second.len(), "{name}");
        for (n, (one, other)) in first.iter().zip(second).enumerate() {
            let parts = |s: &Statement| BTreeSet::from_iter(s.parts.iter().copied());
            let printed = show::statement(&suite.development, &original[n]);
            assert_eq!(parts(one), parts(other), "{name}: {printed}");
            assert_eq!(one.distinct, other.distinct, "{name}: {printed}");
            count += 1;
        }
    }
    assert!(count > 300, "{count}");
}

/// Indices are named as they are written, unless a certificate can't have the name.
#[test]
fn any_index_has_a_name() {
    let theory = "action x[i]; identity a : x[T] <= x[T] + x[dom] + x[i];";
    let at = written("any_index", &[("a.thy", theory)]);
    let path = |name: &str| at.join(name).to_string_lossy().into_owned();
    let (code, out, err) = coarsen(&["prove", &path("a.thy"), "--certificate", &path("")]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = coarsen(&["verify", &path("a.cert")]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("x[x_T] <= x[x_T] + x[x_dom] + x[i]"), "{out}");
}
