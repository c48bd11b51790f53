//! What is rejected, by the reason; of lemmas also what is accepted.

use super::Case;

/// Rejected for a reason, by name of the rule.
pub const REJECTED: &[(&str, &str, &[Case])] = &[
    (
        "decide",
        "the relation is one between other terms",
        &[
            (&[], &["decide 3 22"], "3 22"),
            (&[], &["decide 3 22", "pair 3 22 22"], "3 22"),
            (&[], &["decide 3 22", "pair 4 22"], "3 22"),
            (&[], &["decide 3 22", "pair 22 3"], "3 22"),
        ],
    ),
    (
        "decide",
        "the left side ends where the right side does not",
        &[
            (&[], &["decide 6 7", "pair 6 7"], "6 7"),
            (&[], &["decide 1 5", "pair 1 5"], "1 5"),
            (&[], &["decide 1 0", "pair 1 0"], "1 0"),
        ],
    ),
    (
        "decide",
        "a step of the left side is not matched by the right side",
        &[
            (&[], &["decide 3 4", "pair 3 4"], "3 4"),
            (&[], &["decide 3 27", "pair 3 27"], "3 27"),
            (&[], &["decide 8 9", "pair 8 9", "pair 4 3"], "8 9"),
            (&[], &["decide 20 21", "pair 20 21", "pair 2 2"], "20 21"),
        ],
    ),
    (
        "hypothesis",
        "there is no such hypothesis",
        &[(&[], &["hypothesis 0 0"], "3 4")],
    ),
    (
        "premise",
        "there is no such premise",
        &[(&["3 4"], &["premise 1 0"], "3 4")],
    ),
    (
        "premise",
        "the statement has no such part",
        &[(&["3 4"], &["premise 0 1"], "3 4")],
    ),
    (
        "premise",
        "a process is asked to differ from itself",
        &[(&["10 11 | 0>1"], &["premise 0 0 1>0"], "10 10")],
    ),
    ("chain", "an empty chain", &[(&[], &["chain"], "3 3")]),
    (
        "chain",
        "the links of the chain do not meet",
        &[(
            &["3 4", "5 3"],
            &["premise 0 0", "premise 1 0", "chain 0 1"],
            "3 3",
        )],
    ),
    (
        "chain",
        "there is no such step before this one",
        &[
            (&["3 4"], &["premise 0 0", "chain 0 1"], "3 4"),
            (&["3 4"], &["premise 0 0", "chain 1"], "3 4"),
        ],
    ),
    (
        "context",
        "there is no such symbol",
        &[(&["3 4"], &["premise 0 0", "context 8 9 0"], "3 4")],
    ),
    (
        "context",
        "a hole must be an action without indices",
        &[
            (&["3 4"], &["premise 0 0", "context 34 2 0"], "3 4"),
            (&["3 4"], &["premise 0 0", "context 10 3 0"], "3 4"),
        ],
    ),
    (
        "context",
        "the hole stands in a domain",
        &[
            (&["3 4"], &["premise 0 0", "context 40 0 0"], "40 46"),
            (&["3 4"], &["premise 0 0", "context 42 0 0"], "42 46"),
            (&["3 4"], &["premise 0 0", "context 49 0 0"], "49 50"),
            (&["3 4"], &["premise 0 0", "context 51 0 0"], "51 56"),
        ],
    ),
    ("join", "nothing to join", &[(&[], &["join"], "0 3")]),
    (
        "join",
        "the joined claims have different right sides",
        &[(
            &["3 5", "4 3"],
            &["premise 0 0", "premise 1 0", "join 0 1"],
            "22 5",
        )],
    ),
    (
        "starleft",
        "the second claim is not the induction step",
        &[
            (
                &["4 5", "29 5"],
                &["premise 0 0", "premise 1 0", "starleft 3 0 1"],
                "24 5",
            ),
            (
                &["4 5", "27 4"],
                &["premise 0 0", "premise 1 0", "starleft 3 0 1"],
                "24 5",
            ),
        ],
    ),
    (
        "coinduction",
        "the claim is not `y <= x y + z`",
        &[
            (&["5 27"], &["premise 0 0", "coinduction 3 4 0"], "5 26"),
            (&["3 28"], &["premise 0 0", "coinduction 3 4 0"], "3 26"),
        ],
    ),
    (
        "beforedomain",
        "the claim is not that the product is 0",
        &[
            (&["8 0"], &["premise 0 0", "beforedomain 4 3 0"], "44 0"),
            (&["9 5"], &["premise 0 0", "beforedomain 4 3 0"], "44 0"),
            (&["9 0"], &["premise 0 0", "behindcodomain 3 4 0"], "45 0"),
        ],
    ),
    (
        "belowdivergence",
        "what is said to diverge is no test",
        &[(&["3 58"], &["premise 0 0", "belowdivergence 3 0"], "3 51")],
    ),
    (
        "belowdivergence",
        "the claim is not `p <= dom(x p)`",
        &[
            // Only where p says of itself that it comes again does it diverge.
            (&["5 40"], &["premise 0 0", "belowdivergence 3 0"], "5 51"),
            (&["5 55"], &["premise 0 0", "belowdivergence 4 0"], "5 56"),
            (&["55 5"], &["premise 0 0", "belowdivergence 3 0"], "55 51"),
        ],
    ),
    (
        "sumintro",
        "not a sum or product over processes",
        &[
            (&[], &["sumintro 18 0"], "15 18"),
            (&[], &["sumintro 22 0"], "3 22"),
            (&[], &["productelim 13 0"], "13 10"),
        ],
    ),
    (
        "sumintro",
        "a process is asked to differ from itself",
        &[(&[], &["sumintro 14 0"], "10 14")],
    ),
    (
        "sumelim",
        "the claim is not one of a member of the sum",
        &[
            (&["31 5"], &["premise 0 0", "sumelim 4 13 4 0 0"], "30 5"),
            (&["10 5"], &["premise 0 0", "sumelim 1 13 1 1 0"], "13 5"),
        ],
    ),
    (
        "sumelim",
        "the variable of the member occurs elsewhere",
        &[
            (&["10 10"], &["premise 0 0", "sumelim 1 13 1 0 0"], "13 10"),
            (&["15 15"], &["premise 0 0", "productintro 18 0 0"], "15 18"),
        ],
    ),
    (
        "sumelim",
        "the member is assumed to differ from a process that the sum does not leave out",
        &[
            (
                &["11 5 | 0>1"],
                &["premise 0 0", "sumelim 1 13 1 1 0"],
                "13 5",
            ),
            (
                &["11 5 | 1>2"],
                &["premise 0 0", "sumelim 1 14 1 1 0"],
                "14 5",
            ),
        ],
    ),
    (
        "productintro",
        "the claim is not one of a test and a factor of the product",
        &[
            (&["3 15"], &["premise 0 0", "productintro 18 0 0"], "3 18"),
            (&["5 15"], &["premise 0 0", "productintro 18 1 0"], "5 18"),
        ],
    ),
    (
        "separate",
        "not a sum over processes",
        &[(&[], &["separate 18 0"], "18 15")],
    ),
    (
        "cases",
        "the two cases are not those of the claim",
        &[
            (
                &["11 4", "11 4 | 0>1"],
                &["premise 0 0", "premise 1 0", "cases 0 1 11 4 0 1"],
                "11 4",
            ),
            (
                &["10 4", "10 4 | 0>1"],
                &["premise 0 0", "premise 1 0", "cases 0 1 11 4 0 1"],
                "11 4",
            ),
        ],
    ),
    (
        "cases",
        "not a split by whether two processes are the same",
        &[
            (
                &["10 4", "11 4"],
                &["premise 0 0", "premise 1 0", "cases 0 1 11 4 0 1 0>1"],
                "11 4",
            ),
            (
                &["10 4", "11 4"],
                &["premise 0 0", "premise 1 0", "cases 0 1 11 4 0 1 2>1"],
                "11 4",
            ),
        ],
    ),
    (
        "cases",
        "a case assumes more than the claim allows",
        &[
            (
                &["10 4 | 0>2", "11 4 | 0>1"],
                &["premise 0 0", "premise 1 0", "cases 0 1 11 4 0 1"],
                "11 4",
            ),
            (
                &["10 4", "11 4 | 1>2"],
                &["premise 0 0", "premise 1 0", "cases 0 1 11 4 0 1"],
                "11 4",
            ),
        ],
    ),
    (
        "",
        "an index has lost its binder",
        &[
            (
                &[],
                &["decide 12 12", "pair 12 12", "decide 3 3", "pair 3 3"],
                "3 3",
            ),
            (&["12 3"], &["decide 3 3", "pair 3 3"], "3 3"),
        ],
    ),
    (
        "",
        "the proof is one of another statement",
        &[
            (&["3 4"], &["premise 0 0"], "4 3"),
            (&["10 11 | 0>1"], &["premise 0 0"], "10 11"),
            (&["10 11 | 0>1"], &["premise 0 0"], "10 11 | 0>2"),
        ],
    ),
];

/// A lemma with a premise `i != j => u[i] <= a`, so `i != j => u[i] <= a`; and one that rests on a hypothesis.
pub const LEMMAS: &str = "hypothesis h
distinct 0>1
part 10 3
theorem lemma
premise
distinct 0>1
part 10 3
statement
distinct 1>2
part 37 3
step premise 0 0 0>2
qed 0
theorem assumed
statement
distinct 0>1
part 10 3
step hypothesis 0 0
qed 0
";

pub const OF_LEMMAS: &[Case] = &[
    (
        &["10 3 | 0>1"],
        &["premise 0 0", "theorem 0 0 ; ; 0"],
        "37 3 | 1>2",
    ),
    (
        &["10 3 | 0>1"],
        &["premise 0 0", "theorem 0 0 2>0 ; ; 0"],
        "10 3 | 0>1",
    ),
    (
        &["10 4 | 0>1"],
        &["premise 0 0", "theorem 0 0 ; 0>4 ; 0"],
        "37 4 | 1>2",
    ),
    (&[], &["theorem 1 0"], "10 3 | 0>1"),
    (
        &["10 4 | 0>1"],
        &["premise 0 0", "theorem 1 0 ; 0>4 ; 0"],
        "10 4 | 0>1",
    ),
    // The hypothesis has no such letter.
    (&[], &["theorem 1 0 ; 1>3 ;"], "10 3 | 0>1"),
];

pub const NOT_OF_LEMMAS: &[(&str, &[Case])] = &[
    (
        "there is no such theorem before this one",
        &[(&[], &["theorem 2 0"], "3 3")],
    ),
    (
        "the statement has no such part",
        &[(
            &["10 3 | 0>1"],
            &["premise 0 0", "theorem 0 1 ; ; 0"],
            "37 3",
        )],
    ),
    (
        "there is no such symbol",
        &[(&["10 3"], &["premise 0 0", "theorem 0 0 ; 7>3 ; 0"], "37 3")],
    ),
    (
        "a letter is replaced by what can't stand for it",
        &[
            (&["10 3"], &["premise 0 0", "theorem 0 0 ; 3>3 ; 0"], "37 3"),
            (&["10 3"], &["premise 0 0", "theorem 0 0 ; 2>3 ; 0"], "37 3"),
            (
                &["10 3"],
                &["premise 0 0", "theorem 0 0 ; 0>12 ; 0"],
                "37 3",
            ),
        ],
    ),
    (
        "a letter is replaced by a term with a variable of a premise",
        &[
            (
                &["10 11 | 0>1"],
                &["premise 0 0", "theorem 0 0 ; 0>11 ; 0"],
                "37 11 | 1>2",
            ),
            (
                &["10 15 | 0>1"],
                &["premise 0 0", "theorem 1 0 ; 0>15 ; 0"],
                "10 15 | 0>1",
            ),
        ],
    ),
    (
        "a premise of the theorem has no proof",
        &[
            (&[], &["theorem 0 0"], "37 3 | 1>2"),
            (&[], &["theorem 1 0 ; 0>4"], "10 4 | 0>1"),
        ],
    ),
    (
        "a premise of the theorem is proved by another statement",
        &[
            (
                &["10 4 | 0>1"],
                &["premise 0 0", "theorem 0 0 ; ; 0"],
                "37 3 | 1>2",
            ),
            (
                &["10 3 | 0>1"],
                &["premise 0 0", "theorem 0 0 ; 0>4 ; 0"],
                "37 4 | 1>2",
            ),
        ],
    ),
    (
        "a premise of the theorem is not proved for all processes",
        &[(
            &["10 3 | 0>1 0>2"],
            &["premise 0 0", "theorem 0 0 ; ; 0"],
            "37 3 | 1>2",
        )],
    ),
    (
        "a process is asked to differ from itself",
        &[(
            &["10 3 | 0>1"],
            &["premise 0 0", "theorem 0 0 2>1 ; ; 0"],
            "11 3",
        )],
    ),
];

/// Texts that are no certificates, by the reason; each stands behind [`TERMS`] and has an end unless that is the point.
pub const FORM: &[(&str, &[&str])] = &[
    (
        "a number is missing or too large",
        &[
            "term star x1",
            "term star x",
            "term atom 99999999999",
            "symbol test p",
            "term star +3",
        ],
    ),
    (
        "not a pair of numbers",
        &["theorem t\nstatement\ndistinct 0\npart 3 3"],
    ),
    ("this begins no item", &["qed 0", "terms"]),
    ("the text goes on after its end", &["end\nend"]),
    (
        "a name is missing, or not one of the language",
        &[
            "symbol test 0 T",
            "symbol action 0 0",
            "symbol action 0 y<=0,x",
            "symbol action 0",
            "symbol action 0 by",
            "symbol action 0 x'",
            "variable 1",
            "variable T",
            "theorem a=b",
            "theorem",
            "hypothesis use",
            "theorem a..b",
        ],
    ),
    (
        "this name is given twice",
        &[
            "symbol action 0 a",
            "symbol test 0 a",
            "symbol action 2 a",
            "variable i",
            "hypothesis h\npart 3 3\nhypothesis h\npart 3 4",
            "theorem t\nstatement\npart 3 3\nstep decide 3 3\npair 3 3\nqed 0\ntheorem t\nstatement\npart 4 4\nstep \
             decide 4 4\npair 4 4\nqed 0",
        ],
    ),
    ("neither action nor test", &["symbol relation 0 r"]),
    (
        "there is no such term before this line",
        &["term star 60", "term sum 3 99"],
    ),
    ("no such term", &["term plus 3 4", "term"]),
    (
        "no such symbol, or not the parts and indices that it takes",
        &[
            "term atom 9",
            "term atom 3",
            "term atom 0 i0",
            "term atom 0 3",
            "term star 3 4",
            "term star 3 i0",
            "term sum 3 i0",
            "term sumover i0",
            "term sumover 3 4",
            "term not",
        ],
    ),
    (
        "only tests have complements and products over processes",
        &["term not 3", "term not 2", "term productover 12"],
    ),
    (
        "a process is asked to differ from itself",
        &["hypothesis h\ndistinct 0>0\npart 3 3"],
    ),
    (
        "an index has lost its binder",
        &["hypothesis h\npart 12 3", "hypothesis h\npart 3 17"],
    ),
    (
        "the statement has no part",
        &[
            "hypothesis h",
            "theorem t\nstatement\nqed",
            "theorem t\npremise\nstatement\npart 3 3",
        ],
    ),
    (
        "a pair belongs to a decision",
        &["theorem t\nstatement\npart 3 3\npair 3 3"],
    ),
    (
        "this belongs to no theorem",
        &[
            "theorem t\nstatement\npart 3 3\nterm star 3",
            "theorem t\nstatement\npart 3 3\nstatement\npart 3 4",
            "hypothesis h\ndistinct 0>1\npart 3 3\ntheorem t\ndistinct 0>1",
        ],
    ),
    (
        "no such rule",
        &[
            "theorem t\nstatement\npart 3 3\nstep trust 3 3",
            "theorem t\nstatement\npart 3 3\nstep",
        ],
    ),
    (
        "more on the line than belongs there",
        &[
            "symbol action 0 c d",
            "variable m n",
            "theorem t u\nstatement\npart 3 3\nstep decide 3 3\npair 3 3\nqed 0",
            "theorem t\nstatement\npart 3 3 3",
            "theorem t\nstatement\npart 3 3\nstep unfold 3 3",
            "hypothesis h\npart 3 3 3",
        ],
    ),
    (
        "not every part of the statement has a proof",
        &[
            "theorem t\nstatement\npart 3 3\npart 4 4\nstep decide 3 3\npair 3 3\nqed 0",
            "theorem t\nqed",
            "theorem t\nstatement\npart 3 3\nqed",
        ],
    ),
];
