//! The table of the rules: for each, steps that are accepted, and one group of rejected steps for each reason to
//! reject.
//!
//! A case is a theorem: premises, steps, and what it says; all speak of the terms of [`TERMS`]. Every reason that
//! stands in the sources has its group.

#[path = "rules/rejected.rs"]
mod rejected;

use coarsen_kernel::{Development, Rejected, read};
use rejected::{FORM, LEMMAS, NOT_OF_LEMMAS, OF_LEMMAS, REJECTED};
use std::collections::BTreeSet;

/// Terms 3, 4, ..; the comment says which.
const TERMS: &str = "coarsen certificate 1
symbol action 0 a
symbol action 0 b
symbol test 0 p
symbol action 1 u
symbol test 1 e
variable i
variable j
variable k
term atom 0
term atom 1
term atom 2
// 6: a*, 7: a a*, 8: a b, 9: b a
term star 3
term product 3 6
term product 3 4
term product 4 3
// 10: u[i], 11: u[j], 13: (+ i : u[i]), 14: (+ j != i : u[j])
term atom 3 i0
term atom 3 i1
term atom 3 b0
term sumover 12
term sumover 12 i0
// 15: e[i], 16: e[j], 18: (. i : e[i]), 19: (. j != i : e[j])
term atom 4 i0
term atom 4 i1
term atom 4 b0
term productover 17
term productover 17 i0
// 20: a^w, 21: a a^w, 22: a + b, 23: u[i] + (+ j != i : u[j])
term omega 3
term product 3 20
term sum 3 4
term sum 10 14
// 24: a* b, 25: b a*, 26: a^w + a* b, 27: a p, 28: a p + b, 29: b p
term product 6 4
term product 4 6
term sum 20 24
term product 3 5
term sum 27 4
term product 4 5
// 30: a (+ i : u[i]) b, 31: a u[i] b, 32: a u[j] b
term product 3 13 4
term product 3 10 4
term product 3 11 4
// 33: a a b, 34: p + ~p a, 35: u[k]
term product 3 3 4
term not 5
term product 34 3
term sum 5 35
term atom 3 i2
// 38: a a* b, 39: b a a*
term product 3 6 4
term product 4 3 6
// 40: dom(a), 41: cod(a), 42: dom(a) a, 43: a cod(a), 44: b dom(a), 45: cod(a) b, 46: dom(b)
// 47: p dom(b), 48: p b, 49: ~dom(a), 50: ~dom(b)
// 51: div(a), 52: a div(a), 53: dom(a div(a)), 54: a p, 55: dom(a p), 56: div(b), 57: a a, 58: dom(a a)
term domain 3
term codomain 3
term product 40 3
term product 3 41
term product 4 40
term product 41 4
term domain 4
term product 5 46
term product 5 4
term not 40
term not 46
term divergence 3
term product 3 51
term domain 52
term product 3 5
term domain 54
term divergence 4
term product 3 3
term domain 57
";

/// A statement: `l r`, then after `|` the pairs that differ.
fn statement(word: &str, text: &str) -> String {
    let (part, pairs) = text.split_once('|').unwrap_or((text, ""));
    let distinct = match pairs.trim() {
        "" => String::new(),
        pairs => format!("distinct {pairs}\n"),
    };
    format!("{word}\n{distinct}part {}\n", part.trim())
}

fn theorem(name: &str, premises: &[&str], steps: &[&str], says: &str) -> String {
    let mut text = format!("theorem {name}\n");
    premises
        .iter()
        .for_each(|p| text += &statement("premise", p));
    text += &statement("statement", says);
    for step in steps {
        let word = if step.starts_with("pair") {
            ""
        } else {
            "step "
        };
        text += &format!("{word}{step}\n");
    }
    let count = steps.iter().filter(|s| !s.starts_with("pair")).count();
    text + &format!("qed {}\n", count - 1)
}

fn check(before: &str, of: &str) -> Result<Development, Rejected> {
    read(&format!("{TERMS}{before}{of}end\n"))
}

/// Premises, steps, what is said.
type Case = (
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

const ACCEPTED: &[(&str, &[Case])] = &[
    (
        "decide",
        &[
            (&[], &["decide 3 6", "pair 3 6", "pair 1 6"], "3 6"),
            (&[], &["decide 3 22", "pair 3 22"], "3 22"),
            (&[], &["decide 5 1", "pair 5 1"], "5 1"),
            (&[], &["decide 21 2", "pair 21 2"], "21 2"),
        ],
    ),
    (
        "premise",
        &[
            (&["3 4"], &["premise 0 0"], "3 4"),
            (&["10 11"], &["premise 0 0 0>1 1>0"], "11 10"),
            (&["10 11 | 0>1"], &["premise 0 0 0>2"], "37 11 | 1>2"),
        ],
    ),
    (
        "chain",
        &[
            (
                &["3 4", "4 5"],
                &["premise 0 0", "premise 1 0", "chain 0 1"],
                "3 5",
            ),
            (&["3 4"], &["premise 0 0", "chain 0"], "3 4"),
            (
                &["10 11 | 0>1", "11 37 | 1>2"],
                &["premise 0 0", "premise 1 0", "chain 0 1"],
                "10 37 | 0>1 1>2",
            ),
        ],
    ),
    (
        "context",
        &[
            (&["3 4"], &["premise 0 0", "context 4 1 0"], "3 4"),
            (&["3 4"], &["premise 0 0", "context 22 1 0"], "3 22"),
        ],
    ),
    (
        "join",
        &[(
            &["3 5", "4 5"],
            &["premise 0 0", "premise 1 0", "join 0 1"],
            "22 5",
        )],
    ),
    (
        "starleft",
        &[(
            &["4 5", "27 5"],
            &["premise 0 0", "premise 1 0", "starleft 3 0 1"],
            "24 5",
        )],
    ),
    (
        "coinduction",
        &[(&["5 28"], &["premise 0 0", "coinduction 3 4 0"], "5 26")],
    ),
    ("unfold", &[(&[], &["unfold 3"], "20 21")]),
    (
        "domain",
        &[(&[], &["domain 3"], "3 42"), (&[], &["domain 5"], "5 5")],
    ),
    ("codomain", &[(&[], &["codomain 3"], "3 43")]),
    (
        "beforedomain",
        &[
            (&["9 0"], &["premise 0 0", "beforedomain 4 3 0"], "44 0"),
            (&["48 0"], &["premise 0 0", "beforedomain 5 4 0"], "47 0"),
        ],
    ),
    (
        "behindcodomain",
        &[(&["8 0"], &["premise 0 0", "behindcodomain 3 4 0"], "45 0")],
    ),
    (
        "divergence",
        &[
            (&[], &["divergence 3"], "51 53"),
            (&[], &["divergence 5"], "5 5"),
        ],
    ),
    (
        "belowdivergence",
        &[(&["5 55"], &["premise 0 0", "belowdivergence 3 0"], "5 51")],
    ),
    (
        "sumintro",
        &[
            (&[], &["sumintro 13 0"], "10 13"),
            (&[], &["sumintro 14 1"], "11 14 | 0>1"),
        ],
    ),
    (
        "sumelim",
        &[
            (&["32 5"], &["premise 0 0", "sumelim 3 13 4 1 0"], "30 5"),
            (
                &["11 5 | 0>1"],
                &["premise 0 0", "sumelim 1 14 1 1 0"],
                "14 5",
            ),
        ],
    ),
    (
        "productelim",
        &[
            (&[], &["productelim 18 0"], "18 15"),
            (&[], &["productelim 19 1"], "19 16 | 0>1"),
        ],
    ),
    (
        "productintro",
        &[
            (&["5 15"], &["premise 0 0", "productintro 18 0 0"], "5 18"),
            (
                &["5 16 | 0>1"],
                &["premise 0 0", "productintro 19 1 0"],
                "5 19",
            ),
        ],
    ),
    ("separate", &[(&[], &["separate 13 0"], "13 23")]),
    (
        "cases",
        &[(
            &["10 4", "11 4 | 0>1"],
            &["premise 0 0", "premise 1 0", "cases 0 1 11 4 0 1"],
            "11 4",
        )],
    ),
];

#[test]
fn each_rule_is_used_as_its_formula_says() {
    for (rule, cases) in ACCEPTED {
        for (premises, steps, says) in *cases {
            let of = theorem("t", premises, steps, says);
            check("", &of).unwrap_or_else(|e| panic!("{rule}: {e}\n{of}"));
        }
    }
    for (premises, steps, says) in OF_LEMMAS {
        let of = theorem("t", premises, steps, says);
        check(LEMMAS, &of).unwrap_or_else(|e| panic!("{e}\n{of}"));
    }
}

#[test]
fn induction_on_either_side() {
    let steps = |rule: &'static str| ["premise 0 0", "premise 1 0", rule];
    let of = theorem("t", &["4 3", "57 3"], &steps("starright 3 0 1"), "25 3");
    check("", &of).expect("z <= y and y x <= y");
    let of = theorem("t", &["4 3", "9 3"], &steps("starright 3 0 1"), "25 3");
    assert!(check("", &of).is_err(), "the factor is on the other side");
}

#[test]
fn each_reason_rejects() {
    let mut told = BTreeSet::new();
    let mut rejects = |why: &'static str, before: &str, of: &str| {
        told.insert(why);
        match check(before, of) {
            Ok(_) => panic!("accepted, though `{why}`:\n{of}"),
            Err(rejected) => {
                assert_eq!((rejected.why, rejected.limit), (why, false), "{of}");
            }
        }
    };
    for (_, why, cases) in REJECTED {
        for (premises, steps, says) in *cases {
            rejects(why, "", &theorem("t", premises, steps, says));
        }
    }
    for (why, cases) in NOT_OF_LEMMAS {
        for (premises, steps, says) in *cases {
            rejects(why, LEMMAS, &theorem("t", premises, steps, says));
        }
    }
    for (why, texts) in FORM {
        for text in *texts {
            rejects(why, "", &format!("{text}\n"));
        }
    }
    told.insert("not a certificate of this version");
    for text in [
        "",
        "coarsen certificate 2\nend\n",
        "\ncoarsen certificate 1\nend\n",
    ] {
        assert_eq!(
            read(text).map(|_| ()).unwrap_err().why,
            "not a certificate of this version"
        );
    }
    told.insert("the text has no end");
    assert_eq!(
        read(TERMS).map(|_| ()).unwrap_err().why,
        "the text has no end"
    );
    told.insert("the theorem has no end");
    let open = format!("{TERMS}theorem t\nstatement\npart 3 3\n");
    assert_eq!(
        read(&open).map(|_| ()).unwrap_err().why,
        "the theorem has no end"
    );
    // None is left out.
    let sources = [
        include_str!("../src/rules.rs"),
        include_str!("../src/decide.rs"),
        include_str!("../src/format.rs"),
    ];
    let in_sources = sources.iter().flat_map(|s| reasons(s));
    let missing: Vec<&str> = in_sources.filter(|r| !told.contains(r)).collect();
    assert!(missing.is_empty(), "reasons without a group: {missing:?}");
}

/// The reasons in a source: texts behind `Err(`, `ok_or(` and `const NAME: .. =`.
fn reasons(source: &str) -> Vec<&str> {
    let squeezed = source.split('"').collect::<Vec<_>>();
    let texts = squeezed
        .chunks(2)
        .filter_map(|two| Some((two[0].trim_end(), *two.get(1)?)));
    texts
        .filter(|(before, text)| {
            let asked = before.ends_with("Err(") || before.ends_with("ok_or(");
            let named = before.ends_with("Why =");
            (asked || named) && *text != "too large"
        })
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn hypotheses_in_use_are_told() {
    let of = theorem("t", &[], &["theorem 1 0"], "10 3 | 0>1");
    // Of two hypotheses only that with the letter is proved for what replaces it.
    let replaced = ["premise 0 0", "theorem 3 0 ; 1>20 ; 0"];
    let more = format!(
        "{of}hypothesis g\npart 3 4\n{}{}",
        theorem("s", &[], &["hypothesis 1 0"], "3 4"),
        theorem("r", &["3 20"], &replaced, "3 20")
    );
    let d = check(LEMMAS, &more).expect("accepted");
    let rests_on: Vec<&[usize]> = (0..d.theorems().len()).map(|n| d.rests_on(n)).collect();
    assert_eq!(rests_on, [&[][..], &[0], &[0], &[1], &[0]]);
}
