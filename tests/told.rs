//! What the prover says beside its answers: proofs for people, what is missing, whether hints were enough, warnings.

use crate::prove::{coarsen, folder, load, root};
use coarsen::algebra::files::{Also, prove_item};
use coarsen::algebra::prove::Limits;
use coarsen::results::proofs::Status;

/// The statements of a file of identities with their proofs for people.
fn shown(name: &str) -> Vec<coarsen::results::proofs::Proof> {
    let folder = root().join("theories/identities");
    let text = std::fs::read_to_string(folder.join(format!("{name}.thy"))).expect("shipped");
    let mut suite =
        load(&folder, &format!("{name}.thy"), &text).unwrap_or_else(|_| panic!("{name}"));
    let also = Also {
        derivation: true,
        ..Also::default()
    };
    let own = |n: &usize| suite.items[*n].asked;
    let items: Vec<usize> = (0..suite.items.len()).filter(own).collect();
    let prove = |n| prove_item(&mut suite, n, &Limits::default(), also);
    items.into_iter().map(prove).collect()
}

/// A proof that is shown begins and ends with the statement's sides, and each of its lines is proved by itself.
#[test]
fn each_line_of_a_shown_proof_is_proved() {
    let mut text =
        "level tests;\naction a, b, c, d, x, y, z;\ntest e, f, p, q, r, s;\n".to_string();
    let mut lines = 0;
    for proof in shown("programs") {
        let Some(told) = proof.derivation else {
            assert_ne!(proof.status, Status::Proved, "{}", proof.name);
            continue;
        };
        let premises: Vec<String> = told.premises.iter().map(|p| p.statement.clone()).collect();
        let premises = match premises.as_slice() {
            [] => String::new(),
            some => format!(" [{}]", some.join(", ")),
        };
        let numbers = told.parts.iter().chain(&told.below).flat_map(|c| &c.lines);
        let mut named: Vec<usize> = numbers.flat_map(|l| l.below.iter().copied()).collect();
        named.sort_unstable();
        named.dedup();
        let all: Vec<usize> = (1..=told.below.len()).collect();
        assert_eq!(
            named, all,
            "{}: what is told is needed, and what is needed told",
            proof.name
        );
        for chain in told.parts.iter().chain(&told.below) {
            let mut from = &chain.left;
            for line in &chain.lines {
                lines += 1;
                let order = if line.equal { "=" } else { "<=" };
                text += &format!(
                    "identity l{lines}{premises} : {from} {order} {};\n",
                    line.term
                );
                from = &line.term;
            }
        }
    }
    assert!(lines > 300, "{lines} lines");
    let mut suite =
        load(root(), "lines.thy", &text).unwrap_or_else(|f| panic!("{:?}", f.diagnostics));
    for n in 0..suite.items.len() {
        let proof = prove_item(&mut suite, n, &Limits::default(), Also::default());
        assert_eq!(proof.status, Status::Proved, "{}", suite.items[n].text);
    }
}

/// What hints are not enough for is proved without, and said to be; a lemma's own index is kept apart from the user's.
#[test]
fn hints_are_offers_and_indices_are_kept_apart() {
    let text = "level tests;
action u[i], v[i], x, y, z, w;
test p, q;
hypothesis h1 : u[i] x <= x u[i];
hypothesis h2 : y p <= p y;
identity short [h : x y = w] : z (x y)* <= z w* by induction;
identity one [h : u[i] z <= z u[i]] : (+ j : u[j]) z <= z (+ j : u[j]);
identity captured [h : u[i] v[k] <= v[k] u[i]] : (+ j : u[j]) v[i] <= v[i] (+ j : u[j]) by h, one(z := v[i]);
identity of_two [h : p v[j] = v[j] p] : p v[i]* <= v[i]* p;
identity passed [h : q v[j] = v[j] q] : q v[j]* <= v[j]* q by h, of_two(p := q);
identity from_two : y* p <= p y* by h2, induction;
identity only_its_own [h : w p <= p w] : w* p <= p w* by h, from_two(y := w);
";
    let mut suite = load(root(), "a.thy", text).unwrap_or_else(|f| panic!("{:?}", f.diagnostics));
    for n in 0..suite.items.len() {
        let proof = prove_item(&mut suite, n, &Limits::default(), Also::default());
        assert_eq!(
            proof.status,
            Status::Proved,
            "{} {:?}",
            proof.name,
            proof.why
        );
        let beyond = proof
            .why
            .iter()
            .any(|line| line.ends_with("its hints are not enough"));
        assert_eq!(
            beyond,
            proof.name == "short",
            "{} {:?}",
            proof.name,
            proof.why
        );
    }
}

/// With what is suggested a statement is proved, and what can only be a premise is refuted as a lemma.
#[test]
fn suggestions_are_enough() {
    let head = "level omega;\naction x, y, z, u, v;\ntest p, q;\n";
    let also = Also {
        suggestions: true,
        ..Also::default()
    };
    for (premises, statement, first) in [
        ("", "(x + y)* = x* y*", Some("y x <= x y")),
        ("", "p x* ~p = 0", Some("p x <= x p")),
        ("z x <= y z", "u z x* <= y* u z", Some("u y <= y u")),
        ("y u <= u v", "x y* u <= u x v*", Some("x u <= u x")),
        ("", "x <= x T x", None),
    ] {
        let asked = |more: &str, of: &str| -> coarsen::results::proofs::Proof {
            let all: Vec<&str> = [premises, more]
                .into_iter()
                .filter(|p| !p.is_empty())
                .collect();
            let text = format!("{head}identity one [q = q, {}] : {of};", all.join(", "));
            let text = text.replace(", ]", "]");
            let mut suite =
                load(root(), "a.thy", &text).unwrap_or_else(|f| panic!("{:?}", f.diagnostics));
            prove_item(&mut suite, 0, &Limits::default(), also)
        };
        let told = asked("", statement).suggestions.expect("asked for");
        assert_eq!(
            told.first().map(|s| s.statement.as_str()),
            first,
            "{statement}"
        );
        for suggestion in told {
            let with = asked(&suggestion.statement, statement);
            assert_eq!(
                with.status,
                Status::Proved,
                "{statement} with {}",
                suggestion.statement
            );
            let alone = asked("", &suggestion.statement);
            let refuted = alone.status == Status::Refuted;
            assert_eq!(refuted, suggestion.premise, "{}", suggestion.statement);
        }
    }
}

/// Proofs as a page and for LaTeX stand alone, and nothing in them acts as markup.
#[test]
fn proofs_as_a_page_and_for_latex() {
    let at = folder(
        "show",
        &[(
            "a.thy",
            "action x_1, y, z;\nidentity p_1 [h_1 : x_1 y <= y z] : x_1* y <= y z*;",
        )],
    );
    let file = at.join("a.thy").to_string_lossy().into_owned();
    let show = |form: &str| coarsen(&["prove", &file, "--show", "p_1", "--show-as", form]);
    let (code, page, _) = show("html");
    assert_eq!(code, 0);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<details").count(), 2);
    assert!(
        page.contains("<code>x_1 y &lt;= y z</code> (h_1)"),
        "{page}"
    );
    let (code, latex, _) = show("latex");
    assert_eq!(code, 0);
    let begins = latex.matches("\\begin{align*}").count();
    assert_eq!((begins, latex.matches("\\end{align*}").count()), (3, 3));
    assert!(
        latex.contains("(h\\_1)") && latex.contains("\\mathit{x\\_1}"),
        "{latex}"
    );
    let (code, text, _) = show("text");
    assert_eq!(code, 0);
    assert!(text.contains("star induction: (1), (2)"), "{text}");
    let (code, _, told) = coarsen(&["prove", &file, "--show", "p_2"]);
    assert_eq!(
        (code, told.as_str()),
        (
            2,
            "coarsen: no statement is called `p_2` (did you mean `p_1`?)\n"
        )
    );
}

/// An index that is bound and not used is warned of, in the file that is asked for only.
#[test]
fn unused_binders_are_warned_of() {
    let odd = "action u[i];\nidentity odd : (+ j : u[i]) <= (+ j : u[j]) + u[i];";
    let uses = "use \"odd.thy\";\nidentity fine : (+ j : u[j]) <= (+ i : u[i]);";
    let at = folder("binders", &[("odd.thy", odd), ("uses.thy", uses)]);
    let told = |name: &str| {
        let (code, _, told) = coarsen(&["prove", &at.join(name).to_string_lossy()]);
        assert_eq!(code, 0, "{told}");
        told
    };
    let odd = told("odd.thy");
    assert!(
        odd.contains("W0401") && odd.contains("`j` is bound here and not used"),
        "{odd}"
    );
    assert_eq!(odd.matches("W0401] Warning").count(), 1, "{odd}");
    assert_eq!(told("uses.thy"), "");
}

/// What is left names the step, the case, and the lemma, premise or hypothesis that it is part of.
#[test]
fn what_is_left_says_what_it_is_part_of() {
    let text = "level kleene;
action s, t, u[i], v, x, y, z;
hypothesis passes \"they commute\" : s t = t s;
identity passed : s t s = s s t by passes;
identity chosen [h : x y = y x, k : v x <= v] : v x y = v y x <= v y by induction;
identity other [x y = y x] : v x y = v y x;
identity whole [y <= 1, z <= 1] : z y <= y z;
fails premise [y <= 1, z <= 1] : v z y = v y z by chosen(x := z);
fails assumed [y <= 1, z <= 1] : z y z = z z y by passed(s := z, t := y);
fails step [y <= 1, z <= 1, g : y z v <= v y] : z y v <= y z v <= v y by g;
fails case [y <= 1, z <= 1] : u[i] z y u[j] <= u[i] y z u[j] by cases(i, j);
fails second [y <= 1, z <= 1] : z y = z y + z y z y <= y z + y z y by passed(s := z, t := y);
fails lemma [y <= 1, z <= 1] : v z y <= v y z by whole;
fails unnamed [y <= 1, z <= 1] : v z y = v y z by other(x := z);
";
    let expected = [
        ("whole", "not shown to be below y z:"),
        ("premise", "premise h of chosen: not shown to be below y z:"),
        (
            "assumed",
            "hypothesis passes of passed: not shown to be below y z:",
        ),
        ("step", "step 1: not shown to be below y z v:"),
        ("case", "where i = j: not shown to be below u[i] y z u[i]:"),
        (
            "second",
            "step 2, hypothesis passes of passed: not shown to be below y z:",
        ),
        ("lemma", "lemma whole: not shown to be below y z:"),
        ("unnamed", "premise 1 of other: not shown to be below y z:"),
    ];
    let mut suite = load(root(), "a.thy", text).unwrap_or_else(|f| panic!("{:?}", f.diagnostics));
    let limits = Limits {
        models: 10,
        ..Limits::default()
    };
    let prove = |n| prove_item(&mut suite, n, &limits, Also::default());
    let left: Vec<(String, String)> = (3..11)
        .map(prove)
        .map(|p| (p.name, p.why[0].clone()))
        .collect();
    let left: Vec<(&str, &str)> = left.iter().map(|(n, w)| (n.as_str(), w.as_str())).collect();
    assert_eq!(left, expected);
}
