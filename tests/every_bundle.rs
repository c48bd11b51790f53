//! Bundles of `check --every N`: they do not grow with N, and whatever line is forged, they are refused.

use crate::mutants::Dice;
use crate::mutants::replays::replay as bounded;

use coarsen::base::control::{Control, ParseLimits};
use coarsen::base::evidence::{
    Bundle, Discipline, Execution, HYPOTHESES, Item, Letter, Part, Transactions,
};
use coarsen::certificate::{BundleVerdict, Wanted, read, verify, write};
use coarsen::kernel::{self, Development, Statement, Sym, Terms, Theorem, ZERO};
use coarsen::{Session, theory};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// One family, and a variable whose discipline is inferred.
const COUNTER: &str = "const N = 3; const K = 3; mutex m; var x: 0..N = 0;
    thread w(i in 0..N-1) { var t: 0..N = 0; lock(m); t = x; x = t + 1; unlock(m); }";

/// Two families, so two classes; and a variable with a declared discipline.
const TWO: &str = "const N = 3; mutex m; var x: 0..N = 0 protected by m; var y[N]: 0..1 = 0;
    thread a(i in 0..N-1) { lock(m); x = i; x = 0; unlock(m); y[i] = 1; }
    thread b(i in 0..N) { lock(m); if (x > 0) { x = x - 1; } unlock(m); }";

/// The discipline is kept from 2 on only.
const LATER: &str =
    "const N = 2; mutex m; var y: 0..9 = 0 unprotected; var x: 0..3 = 0 protected by m;
    thread w(i in 0..N-1) { lock(m); x = 1; unlock(m); when (N == 1) x = 2; }";

fn bundle(source: &str, n: Option<i64>) -> Bundle {
    let defines: Vec<(String, String)> = n.iter().map(|n| ("N".into(), n.to_string())).collect();
    let loaded = Session::load("m.cor", source, &defines, ParseLimits::default());
    let (session, _) = loaded.expect("a model");
    let theory = theory("stoller-cohen").expect("shipped");
    let report = session.every(&theory, "N", true, &Control::default());
    *report.bundle.expect("a bundle")
}

fn honest(source: &str) -> Bundle {
    let bundle = bundle(source, None);
    let verdict = replay(&bundle);
    assert!(verdict.is_accepted(), "{verdict:#?}");
    bundle
}

fn model(path: &str) -> String {
    let path = format!("{}/models/{path}.cor", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a shipped model")
}

fn replay(bundle: &Bundle) -> BundleVerdict {
    bounded(&write(bundle)).0.expect("no panic")
}

/// A rejected bundle says this.
fn refused(bundle: &Bundle, why: &str) {
    let verdict = replay(bundle);
    let said = verdict.rejected.clone().unwrap_or_default();
    assert!(
        said.contains(why) && !said.is_empty(),
        "{why}: {verdict:#?}"
    );
}

/// What is changed in the only part of a bundle.
fn with(bundle: &Bundle, change: impl Fn(&mut Part)) -> Bundle {
    let mut forged = bundle.clone();
    change(&mut forged.parts[0]);
    assert_ne!(forged, *bundle);
    forged
}

/// The derivations made anew from other assumptions, and of some theorems only.
fn derived(
    bundle: &Bundle,
    facts: impl Fn(&mut Terms, &mut Vec<(String, Statement)>),
    keep: impl Fn(usize, &Theorem) -> bool,
) -> Bundle {
    let mut old = derivations(bundle);
    let mut known = old.hypotheses().to_vec();
    facts(&mut old.terms, &mut known);
    let theorems: Vec<Theorem> = old.theorems().cloned().collect();
    let mut forged = Development::default();
    std::mem::swap(&mut forged.terms, &mut old.terms);
    forged.variables.clone_from(&old.variables);
    for (name, fact) in known {
        forged.assume(&name, fact);
    }
    for (n, theorem) in theorems.into_iter().enumerate() {
        // What the kernel does not accept is not forged.
        if keep(n, &theorem) {
            let _ = forged.admit(theorem);
        }
    }
    with(bundle, |part| {
        part.derivations = Some(kernel::write(&forged))
    })
}

fn derivations(bundle: &Bundle) -> Development {
    let text = bundle.parts[0].derivations.as_ref().expect("derivations");
    kernel::read(text).expect("a proof")
}

/// How many facts there are, and the positions of the theorems that are no lemmas.
fn size(bundle: &Bundle) -> (usize, Range<usize>) {
    let read = derivations(bundle);
    // Conclusions have the name of a hypothesis, such as `12.w.w`; lemmas stand before them.
    let first = read.theorems().position(|t| t.name.contains('.'));
    let theorems = read.theorems().len();
    (read.hypotheses().len(), first.unwrap_or(theorems)..theorems)
}

#[test]
fn a_bundle_does_not_grow_with_the_constant() {
    for source in [COUNTER, TWO] {
        let one = write(&bundle(source, None));
        for n in [2, 5, 40] {
            assert_eq!(write(&bundle(source, Some(n))), one, "N = {n}");
        }
    }
}

#[test]
fn the_models_value_has_to_be_one_of_those_shown() {
    let source = model("stoller_cohen/two_locks_barrier");
    let text = write(&honest(&source));
    let said = |text: &str, source: &str, defines: &[(&str, &str)]| {
        let defines = defines.iter().map(|(n, v)| (n.to_string(), v.to_string()));
        let wanted = Wanted {
            name: "mine.cor".into(),
            text: source.into(),
            defines: defines.collect(),
        };
        let verdict = verify(text, Some(&wanted), &[], &Control::default());
        verdict.rejected.unwrap_or_default()
    };
    assert_eq!(said(&text, &source, &[]), "");
    assert_eq!(said(&text, &source, &[("N", "2")]), "");
    assert_eq!(said(&text, &source, &[("N", "1"), ("N", "1000")]), "");
    let about = "the bundle is about mine.cor with N >= 2, and N is";
    assert_eq!(said(&text, &source, &[("N", "1")]), format!("{about} 1"));
    assert_eq!(said(&text, &source, &[("N", "-4")]), format!("{about} -4"));
    let none = said(&text, &source, &[("N", "two")]);
    assert_eq!(none, format!("{about} no integer"));
    let other = said(&text, &source, &[("N", "2"), ("M", "2")]);
    assert!(other.contains("no constants, and M=2 are given"), "{other}");
    assert!(said(&text, COUNTER, &[]).contains("about another model"));
    // The value of the text counts where none is given.
    let source = LATER.replace("const N = 2;", "const N = 1;");
    let text = write(&honest(&source));
    let about = "the bundle is about mine.cor with N >= 2, and N is 1";
    assert_eq!(said(&text, &source, &[]), about);
    assert_eq!(said(&text, &source, &[("N", "2")]), "");
}

#[test]
fn values_that_were_not_shown() {
    let smaller = |path: &str, from: i64| {
        let bundle = honest(&model(path));
        let values = bundle.parts[0].every.as_ref().expect("values");
        assert_eq!(values.from, from);
        for less in 1..from {
            let forged = with(&bundle, |part| {
                part.every.as_mut().expect("values").from = less
            });
            let verdict = replay(&forged);
            assert!(verdict.rejected.is_some(), "{path}, {less}: {verdict:#?}");
        }
    };
    smaller("stoller_cohen/two_locks_barrier", 2);
    smaller("section6/memory_reuse", 2);
    smaller("transactions/auction_bug", 2);
    smaller("transactions/counter_method", 3);
    let later = honest(LATER);
    let forged = with(&later, |part| part.every.as_mut().expect("values").from = 1);
    refused(&forged, "has access to `x`");
    for source in [COUNTER, TWO] {
        let bundle = honest(source);
        for from in [0, -3, 7, i64::MIN, i64::MAX] {
            let forged = with(&bundle, |part| {
                part.every.as_mut().expect("values").from = from
            });
            refused(&forged, "no such values are looked at");
        }
        let of = bundle.parts[0].every.as_ref().expect("values").instance;
        for instance in (-1..9).filter(|n| *n != of) {
            let forged = with(&bundle, |part| {
                part.every.as_mut().expect("values").instance = instance;
            });
            let verdict = replay(&forged);
            assert!(verdict.rejected.is_some(), "{instance}: {verdict:#?}");
        }
    }
}

#[test]
fn another_constant() {
    let bundle = honest(COUNTER);
    let constant = |name: &str| {
        with(&bundle, |part| {
            part.every.as_mut().expect("values").constant = name.into()
        })
    };
    refused(&constant("M"), "the model has errors");
    refused(&constant(""), "the model has errors");
    // K is a constant on which nothing depends: with another instance there are other threads.
    refused(&constant("K"), "");
    let mut twice = bundle.clone();
    twice.defines = vec![("N".into(), "3".into())];
    refused(&twice, "N has one value, and every value");
    twice.defines = vec![("K".into(), "7".into())];
    assert!(replay(&twice).is_accepted(), "nothing depends on K");
}

#[test]
fn facts_left_out_added_or_changed() {
    for source in [COUNTER, TWO] {
        let bundle = honest(source);
        let (facts, theorems) = size(&bundle);
        assert!(
            facts > 4 && theorems.len() > 4,
            "{facts} facts, {theorems:?}"
        );
        // Whatever rests on a fact says nothing without it.
        let last = |_: &mut Terms, all: &mut Vec<(String, Statement)>| drop(all.pop());
        refused(&derived(&bundle, last, |_, _| true), "is not derived for");
        let read = derivations(&bundle);
        for (n, (_, fact)) in read.hypotheses().iter().enumerate() {
            // Stronger than it was: nothing is left of the right side.
            if fact.parts.iter().any(|part| part.1 != ZERO) {
                let stronger = |_: &mut Terms, all: &mut Vec<(String, Statement)>| {
                    all[n].1.parts.iter_mut().for_each(|part| part.1 = ZERO);
                };
                let why = replay(&derived(&bundle, stronger, |_, _| true)).rejected;
                assert!(why.is_some(), "fact {n} of {source}");
            }
            // Of threads that may be the same, too.
            if !fact.distinct.is_empty() {
                let same = |_: &mut Terms, all: &mut Vec<(String, Statement)>| {
                    all[n].1.distinct.clear();
                };
                let forged = derived(&bundle, same, |_, _| true);
                refused(&forged, "processes that may be the same");
            }
        }
        // Some steps are never taken.
        let letters = bundle.parts[0].letters.iter().enumerate();
        for (letter, _) in letters.filter(|(_, l)| matches!(l, Letter::Steps { .. })) {
            let never = |terms: &mut Terms, all: &mut Vec<(String, Statement)>| {
                let steps = terms.atom(letter as u32, vec![kernel::Index::Var(0)]);
                let parts = vec![(steps, ZERO)];
                let distinct = Vec::new();
                all.push(("never".into(), Statement { distinct, parts }));
            };
            let forged = derived(&bundle, never, |_, _| true);
            refused(&forged, "this is no fact: never");
        }
    }
}

#[test]
fn a_fact_that_holds_where_no_thread_is() {
    // Of a process of the other class it would say that no lock is ever taken.
    let bundle = honest(TWO);
    let letters = &bundle.parts[0].letters;
    let find = |class: usize, is: &dyn Fn(&Letter) -> bool| {
        letters
            .iter()
            .position(|l| l.class() == Some(class) && is(l))
    };
    let enabled = find(0, &|l| matches!(l, Letter::Enabled { .. })).expect("a letter") as u32;
    let steps = find(1, &|l| matches!(l, Letter::Steps { .. })).expect("a letter") as u32;
    let impossible = |terms: &mut Terms, all: &mut Vec<(String, Statement)>| {
        let var = |v| vec![kernel::Index::Var(v)];
        // i is of the class of `enabled`, or e(i) is nothing.
        let (e, s) = (terms.atom(enabled, var(0)), terms.atom(steps, var(0)));
        let none = terms.not(e);
        let left = terms.product([none, s]);
        let parts = vec![(left, ZERO)];
        let distinct = Vec::new();
        all.push(("elsewhere".into(), Statement { distinct, parts }));
    };
    refused(
        &derived(&bundle, impossible, |_, _| true),
        "no fact: elsewhere",
    );
}

#[test]
fn conclusions_left_out() {
    for source in [COUNTER, TWO] {
        let bundle = honest(source);
        let (_, theorems) = size(&bundle);
        let read = derivations(&bundle);
        for dropped in theorems.clone() {
            let forged = derived(&bundle, |_, _| {}, |n, _| n != dropped);
            let theorem = read.theorem(dropped).expect("a theorem");
            // A fact may be a hypothesis as it stands.
            let mut facts = read.hypotheses().iter();
            match facts.any(|(_, fact)| *fact == theorem.statement) {
                true => assert!(replay(&forged).is_accepted()),
                false => refused(&forged, "is not derived for"),
            }
        }
        let none = derived(&bundle, |_, _| {}, |n, _| n < theorems.start);
        refused(&none, "is not derived for");
        refused(
            &with(&bundle, |part| part.derivations = None),
            "there are no derivations",
        );
    }
}

#[test]
fn classes_that_are_no_kinds() {
    let bundle = honest(TWO);
    assert_eq!(bundle.parts[0].classes.len(), 2);
    let classes =
        |change: &dyn Fn(&mut Vec<Vec<String>>)| with(&bundle, |p| change(&mut p.classes));
    refused(&classes(&|all| all.swap(0, 1)), "");
    refused(
        &classes(&|all| drop(all[0].pop())),
        "some threads of a kind, and not all",
    );
    refused(
        &classes(&|all| drop(all[1].remove(0))),
        "some threads of a kind, and not all",
    );
    refused(
        &classes(&|all| {
            let moved = all[0].pop().expect("a thread");
            all[1].push(moved);
        }),
        "",
    );
    refused(
        &classes(&|all| {
            let both = all[0].pop().expect("a thread");
            all.push(vec![both]);
        }),
        "some threads of a kind, and not all",
    );
    refused(
        &classes(&|all| {
            let again = all[0][0].clone();
            all.push(vec![again]);
        }),
        "a thread is in two classes",
    );
    refused(
        &classes(&|all| all[0].push("w(0)".into())),
        "a thread that there is not",
    );
    refused(&classes(&|all| all[0].clear()), "");
    refused(&classes(&|all| drop(all.pop())), "");
    refused(
        &classes(&|all| {
            let second = all.remove(1);
            all[0].extend(second);
        }),
        "",
    );
}

/// The symbols that stand in some statement. What others stand for does not matter.
fn stands(derivations: &Development) -> BTreeSet<Sym> {
    let facts = derivations.hypotheses().iter().map(|(_, s)| s);
    let statements = facts.chain(derivations.theorems().map(|t| &t.statement));
    let mut all = BTreeSet::new();
    for side in statements.flat_map(|s| &s.parts).flat_map(|(l, r)| [l, r]) {
        derivations.terms.any(*side, &mut |node| {
            if let kernel::Node::Atom(symbol, _) = node {
                all.insert(*symbol);
            }
            false
        });
    }
    all
}

#[test]
fn other_letters() {
    for source in [COUNTER, TWO] {
        let bundle = honest(source);
        let stands = stands(&derivations(&bundle));
        for (n, letter) in bundle.parts[0].letters.iter().enumerate() {
            if *letter == Letter::Schematic {
                continue;
            }
            let others = |change: &dyn Fn(&mut Letter)| {
                let mut forged = bundle.clone();
                change(&mut forged.parts[0].letters[n]);
                if forged != bundle {
                    let accepted = replay(&forged).is_accepted();
                    assert!(!accepted || !stands.contains(&(n as Sym)), "{letter:?}");
                }
            };
            others(&|l| *l = Letter::Schematic);
            others(&|l| *l = Letter::Violated);
            others(&|l| *l = Letter::Initial);
            others(&|l| {
                if let Letter::Steps { class, .. }
                | Letter::Enabled { class, .. }
                | Letter::Access { class, .. } = l
                {
                    *class += 1;
                }
            });
            others(&|l| {
                if let Letter::Access { cell, .. } = l {
                    cell.push('2');
                }
            });
        }
    }
}

#[test]
fn other_visible_steps() {
    for source in [COUNTER, TWO] {
        let bundle = honest(source);
        let visible = bundle.parts[0].visible.clone();
        for (n, step) in visible.iter().enumerate() {
            let forged = with(&bundle, |part| drop(part.visible.remove(n)));
            refused(&forged, "depends on the thread");
            let twice = with(&bundle, |part| part.visible.push(step.clone()));
            refused(&twice, "listed twice");
            // The same step of all threads.
            let forged = with(&bundle, |part| part.visible.retain(|(_, l)| *l != step.1));
            refused(&forged, "");
        }
        refused(&with(&bundle, |part| part.visible.clear()), "");
    }
    // What is invisible from the start.
    let bundle = honest(COUNTER);
    let first = bundle.parts[0].visible[0].1.clone();
    let forged = with(&bundle, |part| part.visible.retain(|(_, l)| *l != first));
    refused(&forged, "can be a first step");
}

#[test]
fn other_disciplines() {
    let bundle = honest(COUNTER);
    let [Discipline::Protected { exclusive, .. }] = bundle.disciplines.as_slice() else {
        panic!("{:?}", bundle.disciplines);
    };
    let predicates = exclusive.clone();
    let with = |all: Vec<String>| {
        let mut forged = bundle.clone();
        let Some(Discipline::Protected { exclusive, .. }) = forged.disciplines.first_mut() else {
            return forged;
        };
        *exclusive = all;
        forged
    };
    let all = |e: &str| predicates.iter().map(|_| e.to_string()).collect::<Vec<_>>();
    // Everybody's, nobody's, whoever waits at the lock.
    refused(&with(all("1")), "");
    refused(&with(all("0")), "has access to `x`");
    refused(&with(all("eq cell m.owner -1")), "");
    // One thread's only, or the other's.
    let mut swapped = predicates.clone();
    swapped.reverse();
    refused(&with(swapped), "");
    let mut one = predicates.clone();
    one[0] = "0".into();
    refused(&with(one), "");
    refused(
        &with(predicates[1..].to_vec()),
        "not one predicate for each thread",
    );
    let mut none = bundle.clone();
    none.disciplines.clear();
    refused(&none, "");
    // A declared discipline stays as it is.
    let mut declared = honest(TWO);
    declared.disciplines.insert(
        0,
        Discipline::Protected {
            cell: "x".into(),
            exclusive: vec!["1".into(); 5],
            reading: Vec::new(),
        },
    );
    refused(&declared, "for a cell that has one");
}

#[test]
fn claims_and_lines_of_other_parts() {
    let bundle = honest(COUNTER);
    let claims = |all: &[&str]| {
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        with(&bundle, |part| part.claims.clone_from(&all))
    };
    let no_more = "no more is shown than hypotheses, discipline and blocks";
    let no_block = "nothing is shown but blocks";
    refused(&claims(&[HYPOTHESES, "discipline", "assertions"]), no_block);
    refused(&claims(&[HYPOTHESES, "states 3"]), no_more);
    refused(&claims(&["discipline"]), no_more);
    refused(&claims(&["assertions"]), no_more);
    refused(&claims(&[]), "claims nothing");
    refused(&claims(&[HYPOTHESES, HYPOTHESES]), "claimed twice");
    assert!(replay(&claims(&[HYPOTHESES])).is_accepted());
    // Each thread's last step is not behind the barrier.
    let early =
        model("stoller_cohen/two_locks_barrier").replace("H: when (y == N) skip;", "H: skip;");
    let barrier = honest(&early);
    let more = with(&barrier, |part| part.claims.push("discipline".into()));
    refused(&more, "has access to `x`");

    let sets = "belongs to certain states";
    refused(&with(&bundle, |part| part.items.push(Item::Violated)), sets);
    refused(&with(&bundle, |part| part.invariant = Some(1)), sets);
    refused(&with(&bundle, |part| part.inside.push(0)), sets);
    let transactions = Some(Transactions::default());
    refused(
        &with(&bundle, |part| part.transactions.clone_from(&transactions)),
        sets,
    );
    refused(
        &with(&bundle, |part| part.theorem = None),
        "rests on no theorem",
    );
    refused(
        &with(&bundle, |part| part.theorem = Some("lipton".into())),
        "`lipton`",
    );
    refused(
        &with(&bundle, |part| part.theorem = Some("mine".into())),
        "no reduction theorem",
    );
    refused(
        &with(&bundle, |part| part.digest = Some("0".into())),
        "does not come with the tool",
    );
    refused(
        &with(&bundle, |part| part.proof = part.derivations.clone()),
        "the theorem's proof",
    );
    let unproved = replay(&with(&bundle, |part| part.proof = None));
    assert!(unproved.is_accepted());
    assert!(
        unproved
            .trusted
            .iter()
            .any(|l| l.contains("its proof is missing"))
    );

    let beside = "stands beside something else";
    let mut second = bundle.clone();
    second.parts.push(bundle.parts[0].clone());
    refused(&second, beside);
    let mut executed = bundle.clone();
    executed.executions.push(Execution::default());
    refused(&executed, beside);
    let text = write(&bundle);
    for line in ["set X 0", "every 1 2 N", "every 1 N", "every a 2 N"] {
        let forged = text.replacen("claim ", &format!("{line}\nclaim "), 1);
        let verdict = verify(&forged, None, &[], &Control::default());
        assert!(verdict.rejected.is_some(), "{line}");
    }
    let without = text.replacen("every 1 2 N\n", "", 1);
    assert_ne!(without, text);
    let verdict = verify(&without, None, &[], &Control::default());
    assert!(verdict.rejected.is_some(), "{verdict:#?}");
}

#[test]
fn no_property_is_taken_for_a_claim_about_every_value() {
    let source = format!("{COUNTER} invariant hypotheses: x <= N;");
    let verdict = replay(&honest(&source));
    assert_eq!(verdict.uncovered, ["assertions", "hypotheses"]);
}

/// A bundle with some lines behind the model's text changed.
fn lines_changed(text: &str, d: &mut Dice) -> String {
    let begins = ["\nprotected ", "\nprivate ", "\ntheorem "];
    let begin = begins.iter().filter_map(|word| text.find(word)).min();
    let begin = begin.map_or(0, |at| at + 1);
    let mut lines: Vec<String> = text[begin..].lines().map(String::from).collect();
    // The proof is the longest by far, and nothing is claimed of it.
    let end = lines
        .iter()
        .position(|l| l.starts_with("proof "))
        .unwrap_or(lines.len());
    for _ in 0..=d.below(2) {
        let (n, m) = (d.below(end), d.below(end));
        match d.below(4) {
            0 => lines[n].clear(),
            1 => lines.swap(n, m),
            2 => lines[n] = lines[m].clone(),
            _ => {
                let mut words: Vec<String> = lines[n].split(' ').map(String::from).collect();
                let w = d.below(words.len());
                words[w] = match words[w].parse::<i64>() {
                    Ok(_) if d.once_in(6) => [i64::MIN, i64::MAX][d.below(2)].to_string(),
                    Ok(number) => number.wrapping_add([-1, 1, 2][d.below(3)]).to_string(),
                    Err(_) => d.below(4).to_string(),
                };
                lines[n] = words.join(" ");
            }
        }
    }
    // Lengths of texts fit, so that what is in them is looked at.
    let proof = lines.iter().position(|l| l.starts_with("derivations "));
    if let (Some(at), Some(end)) = (proof, lines.iter().position(|l| l.starts_with("proof "))) {
        let inside: usize = lines[at + 1..end].iter().map(|l| l.len() + 1).sum();
        lines[at] = format!("derivations {}", inside.saturating_sub(1));
    }
    let head = &text[..begin];
    format!("{head}{}\n", lines.join("\n"))
}

/// Numbers that no cell holds are refused, and nothing goes wrong.
#[test]
fn numbers_that_are_too_large() {
    let bundle = honest(COUNTER);
    let huge = i64::MAX.to_string();
    let many = |op: &str, of: &str| (0..9).fold(of.to_string(), |e, _| format!("{op} {huge} {e}"));
    let predicates = [
        format!("eq {} 0", many("mul", "cell m.owner")),
        format!("eq {} cell m.owner", many("add", "cell m.owner")),
        format!(
            "lt {} {}",
            many("mul", "cell m.owner"),
            many("mul", "cell x")
        ),
        format!("eq {} 0", many("rem", "cell m.owner")),
        format!("eq {} 0", many("shl", "cell m.owner")),
        format!("eq div {} -1 cell x", i64::MIN),
        format!("eq neg {} cell x", i64::MIN),
        format!("eq rem neg {} {} 0", i64::MIN, i64::MIN),
    ];
    for e in predicates {
        let mut forged = bundle.clone();
        let Some(Discipline::Protected { exclusive, .. }) = forged.disciplines.first_mut() else {
            panic!("{:?}", bundle.disciplines);
        };
        exclusive.iter_mut().for_each(|p| p.clone_from(&e));
        refused(&forged, "");
    }
}

#[test]
fn lines_changed_at_random() {
    let mut all: BTreeMap<bool, usize> = BTreeMap::new();
    for (source, mutants) in [(COUNTER, 0..600), (TWO, 600..1200)] {
        let honest = honest(source);
        let text = write(&honest);
        for mutant in mutants {
            let forged = lines_changed(&text, &mut Dice::of(mutant));
            let (verdict, _) = bounded(&forged);
            let accepted = verdict.expect("no panic").is_accepted();
            *all.entry(accepted).or_default() += 1;
            if !accepted {
                continue;
            }
            // What is claimed is no more than before, of the same model, steps and threads.
            let bundle = read(&forged).expect("accepted");
            let (mine, other) = (&honest.parts[0], &bundle.parts[0]);
            let sorted = |all: &[(String, String)]| {
                let mut all = all.to_vec();
                all.sort();
                all
            };
            if bundle.disciplines == honest.disciplines {
                assert_eq!(sorted(&mine.visible), sorted(&other.visible), "{mutant}");
            }
            assert!(
                other.claims.iter().all(|c| mine.claims.contains(c)),
                "{mutant}"
            );
            let (mine, other) = (mine.every.as_ref(), other.every.as_ref());
            let (mine, other) = (mine.expect("values"), other.expect("values"));
            assert!(other.from >= mine.from, "{mutant}");
            assert_eq!(mine.constant, other.constant, "{mutant}");
        }
    }
    assert!(all.get(&false) > all.get(&true), "{all:?}");
}
