//! Bundles written to be accepted and not to be true, one by one: each is rejected, for the reason that it was written
//! for.

use crate::mutants::replays::replay as bounded;
use crate::mutants::sources::evidence;

use coarsen::Session;
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::evidence::{
    Bundle, Diagrams, Discipline, Execution, FALSE, Item, Node, Part, Root, TRUE, Transactions,
};
use coarsen::certificate::write;
use coarsen::certificate::{BundleVerdict, Wanted, verify};

const MOVERS: [&str; 3] = ["flanagan-qadeer", "left-movers", "right-movers"];

fn loaded(text: &str, defines: &[(&str, &str)]) -> Session {
    let defines = defines.iter().map(|(n, v)| (n.to_string(), v.to_string()));
    let defines: Vec<(String, String)> = defines.collect();
    let loaded = Session::load("m.cor", text, &defines, ParseLimits::default());
    loaded.expect("a model").0
}

fn honest(text: &str, writer: &str) -> Bundle {
    let bundle = evidence(&loaded(text, &[]), writer).expect("evidence");
    let verdict = replay(&bundle);
    assert!(verdict.is_accepted(), "{writer}: {verdict:#?}");
    bundle
}

fn replay(bundle: &Bundle) -> BundleVerdict {
    bounded(&write(bundle)).0.expect("no panic")
}

/// A rejected bundle says this.
fn refused(bundle: &Bundle, why: &str) {
    let verdict = replay(bundle);
    let said = verdict.rejected.clone().unwrap_or_default();
    assert!(said.contains(why), "{why}: {verdict:#?}");
}

/// Two threads that use x at will. It is everybody's in every state, so that each state violates the discipline.
fn everybodys(declaration: &str, theorem: Option<&str>) -> Bundle {
    let protected = Discipline::Protected {
        cell: "x".into(),
        exclusive: vec!["1".into(), "1".into()],
        reading: Vec::new(),
    };
    let items = [
        Item::Violated,
        Item::Location("a".into()),
        Item::Cell("x".into()),
        Item::Cell("n".into()),
        Item::Location("b".into()),
    ];
    let part = Part {
        theorem: theorem.map(String::from),
        transactions: theorem
            .filter(|t| MOVERS.contains(t))
            .map(|_| Transactions::default()),
        claims: ["discipline", "assertions", "deadlock_free", "least"]
            .map(String::from)
            .into(),
        items: items.into(),
        states: FALSE,
        inside: theorem.map_or(Vec::new(), |_| vec![FALSE; 2]),
        ..Part::default()
    };
    Bundle {
        name: "m.cor".into(),
        text: format!(
            "var x: 0..1 = 0;\nvar n: {declaration} unprotected;\nthread a {{ A: n = 1; B: assert(n == 7); C: x = 1; \
             }}\nthread b {{ D: n = 2; E: x = 0; }}\ninvariant least: n == 0;\ndeadlock_free;\n"
        ),
        disciplines: vec![protected],
        parts: vec![part],
        ..Bundle::default()
    }
}

/// The states with this truth value of q, the first item.
fn violated(part: &mut Part, is: bool) -> Root {
    assert_eq!(part.items.first(), Some(&Item::Violated));
    let (low, high) = if is { (FALSE, TRUE) } else { (TRUE, FALSE) };
    add_first(&mut part.diagrams, Node { bit: 0, low, high })
}

fn add_first(diagrams: &mut Diagrams, node: Node) -> Root {
    diagrams.add(node).expect("constants come first")
}

/// Few states; many; and many initial ones.
const DECLARATIONS: [&str; 3] = ["0..7 = 0", "0..2000000 = 0", "0..2000000"];

#[test]
fn initial_states_that_all_violate_the_discipline_are_not_left_out() {
    let theorems = MOVERS.into_iter().chain(["stoller-cohen"]).map(Some);
    for theorem in theorems.chain([None]) {
        for declaration in DECLARATIONS {
            for with_all in [false, true] {
                let mut bundle = everybodys(declaration, theorem);
                if !with_all {
                    bundle.parts[0].claims = vec!["discipline".into()];
                }
                let part = &mut bundle.parts[0];
                let calm = violated(part, false);
                for set in [FALSE, TRUE, calm, violated(part, true)] {
                    let part = &mut bundle.parts[0];
                    part.states = set;
                    part.inside.iter_mut().for_each(|y| *y = set);
                    refused(&bundle, "an initial state violates the discipline");
                }
            }
        }
    }
}

/// J leaves these states out, and everything would hold on J.
#[test]
fn an_invariant_has_initial_states_that_violate_the_discipline() {
    for theorem in MOVERS.into_iter().chain(["stoller-cohen"]) {
        for declaration in DECLARATIONS {
            let mut bundle = everybodys(declaration, Some(theorem));
            let part = &mut bundle.parts[0];
            for set in [FALSE, violated(part, false)] {
                bundle.parts[0].invariant = Some(set);
                refused(&bundle, "an initial state violates the discipline");
            }
        }
    }
}

/// The disciplines are guessed: x belongs to whoever holds m.
const GUESSED: &str = "mutex m;\nvar x: 0..1 = 0;\nthread a { lock(m); x = 1; x = 0; unlock(m); }\nthread b { lock(m); \
    x = 0; x = 1; unlock(m); }\n";

#[test]
fn disciplines_that_are_changed_do_not_fit_the_evidence() {
    for writer in MOVERS.into_iter().chain(["stoller-cohen"]) {
        let good = honest(GUESSED, writer);
        let with = |predicate: &str| {
            let mut bundle = good.clone();
            let protected = bundle.disciplines.iter_mut().find_map(|d| match d {
                Discipline::Protected { exclusive, .. } => Some(exclusive),
                Discipline::Private { .. } => None,
            });
            let exclusive = protected.expect("x is protected");
            exclusive.iter_mut().for_each(|e| *e = predicate.into());
            bundle
        };
        refused(&with("1"), "an initial state violates the discipline");
        assert!(replay(&with("0")).rejected.is_some(), "{writer}: nobody's");
        assert!(
            replay(&with("eq cell m.owner 0")).rejected.is_some(),
            "{writer}: the other's"
        );
        let mut none = good.clone();
        none.disciplines.clear();
        let verdict = replay(&none);
        assert!(verdict.rejected.is_some(), "{writer}: {verdict:#?}");
    }
}

/// A counter of which both properties of states hold, and one goal is reached.
const COUNTER: &str = "mutex m;\nvar x: 0..4 = 0 protected by m;\nthread p(i in 0..1) { var t: 0..4 = 0; transaction \
    add { lock(m); t = x; x = t + 1; unlock(m); } }\ninvariant small: x <= 2;\nreach two: x == 2;\nreach three: x == \
    3;\n";

#[test]
fn something_is_claimed_and_nothing_twice() {
    let good = honest(COUNTER, "stoller-cohen");
    assert!(good.shows("small") && good.shows("two") && good.shows("three"));
    let mut none = good.clone();
    none.parts.clear();
    none.executions.clear();
    refused(&none, "nothing is claimed");
    let mut part = good.clone();
    part.parts[0].claims.clear();
    refused(&part, "claims nothing");
    let mut beside = good.clone();
    beside.parts.push(Part {
        claims: Vec::new(),
        ..beside.parts[0].clone()
    });
    refused(&beside, "claims nothing");
    let mut twice = good.clone();
    twice.parts[0].claims.push("small".into());
    refused(&twice, "`small` is claimed twice");
    let mut over_two = good.clone();
    over_two.parts.push(Part {
        claims: vec!["small".into()],
        ..over_two.parts[0].clone()
    });
    refused(&over_two, "`small` is claimed twice");
    let mut executed = good.clone();
    executed.executions.push(executed.executions[0].clone());
    refused(&executed, "`two` is claimed twice");
    for claim in ["two", "three"] {
        let mut claimed = good.clone();
        claimed.parts[0].claims.push(claim.into());
        refused(&claimed, "one that needs an execution");
    }
    let mut both = good.clone();
    both.parts[0].claims.push("never two".into());
    assert!(replay(&both).rejected.is_some());
    let mut other = good.clone();
    other.executions[0].goal = "three".into();
    refused(&other, "does not satisfy it");
}

#[test]
fn a_transaction_is_claimed_together_with_what_it_rests_on() {
    let missing = [
        ("discipline", "and not that the discipline holds"),
        ("small", "and not that the invariants hold"),
    ];
    for writer in MOVERS.into_iter().chain(["stoller-cohen"]) {
        let good = honest(COUNTER, writer);
        assert!(good.shows("add"), "{writer}");
        for (claim, why) in missing {
            let mut bundle = good.clone();
            for part in &mut bundle.parts {
                part.claims.retain(|c| c != claim);
            }
            bundle.parts.retain(|p| !p.claims.is_empty());
            refused(&bundle, why);
        }
    }
}

#[test]
fn executions_begin_where_the_program_does() {
    let good = honest(COUNTER, "reach");
    assert!(good.executions.iter().any(|x| x.goal == "two"));
    let with = |change: &dyn Fn(&mut Execution)| {
        let mut bundle = good.clone();
        let mut all = bundle.executions.iter_mut();
        change(all.find(|x| x.goal == "two").expect("an execution"));
        bundle
    };
    let start = |value: i64| {
        move |x: &mut Execution| {
            let cell = x.start.iter_mut().find(|(cell, _)| cell == "x");
            cell.expect("x").1 = value;
        }
    };
    refused(&with(&start(2)), "does not begin in an initial state");
    refused(&with(&start(5)), "a first value that the cell can't have");
    let nothing = |x: &mut Execution| x.steps.clear();
    refused(&with(&nothing), "does not satisfy it");
    let at_once = |x: &mut Execution| {
        x.steps.clear();
        start(2)(x);
    };
    refused(&with(&at_once), "does not begin in an initial state");
    let unsaid = |x: &mut Execution| x.start.retain(|(cell, _)| cell != "x");
    refused(&with(&unsaid), "a cell without a first value");
    let less = |x: &mut Execution| drop(x.steps.remove(0));
    refused(&with(&less), "is none of");
}

#[test]
fn no_fewer_states_are_claimed_than_there_are() {
    let good = honest(COUNTER, "reach");
    let mut numbers = good.parts.iter().flat_map(|p| &p.claims);
    let number = numbers.find_map(|c| c.strip_prefix("states ")?.parse().ok());
    let number: u64 = number.expect("a number of states");
    let with = |n: u64| {
        let mut bundle = good.clone();
        let claims = bundle.parts.iter_mut().flat_map(|p| &mut p.claims);
        claims
            .filter(|c| c.starts_with("states "))
            .for_each(|c| *c = format!("states {n}"));
        bundle
    };
    assert!(replay(&with(number + 1)).is_accepted());
    for n in [0, 1, number - 1] {
        refused(&with(n), "X has more states than are claimed");
        let mut empty = with(n);
        empty.parts.iter_mut().for_each(|p| p.states = FALSE);
        refused(&empty, "an initial state is not in X");
    }
    let mut reduced = honest(COUNTER, "stoller-cohen");
    reduced.parts[0].claims.push("states 1000".into());
    refused(&reduced, "of a reduced system");
}

#[test]
fn steps_are_visible_or_belong_to_transactions() {
    for writer in MOVERS {
        let mut bundle = honest(COUNTER, writer);
        let mut parts = bundle.parts.iter_mut();
        let part = parts.find(|p| p.transactions.is_some()).expect("a part");
        let first = part.transactions.iter().flat_map(|t| &t.right).next();
        let place = ("p(0)".to_string(), "line 3".to_string());
        part.visible.push(first.cloned().unwrap_or(place));
        refused(&bundle, "no step is visible or invisible");
    }
    let mut bundle = honest(COUNTER, "stoller-cohen");
    bundle.parts[0].transactions = Some(Transactions::default());
    refused(&bundle, "transactions belong to a theorem about them");
}

#[test]
fn constants_are_part_of_the_model() {
    let text = "const K = 3;\nmutex m;\nvar x: 0..9 = 0 protected by m;\nthread p(i in 0..1) { lock(m); x = x + K; \
        unlock(m); }\ninvariant small: x <= 4;\n";
    let session = loaded(text, &[("K", "2")]);
    let good = evidence(&session, "stoller-cohen").expect("evidence");
    assert_eq!(good.defines, [("K".to_string(), "2".to_string())]);
    assert!(good.shows("small"));
    assert!(replay(&good).is_accepted());
    let with = |defines: &[(&str, &str)]| {
        let mut bundle = good.clone();
        let defines = defines.iter().map(|(n, v)| (n.to_string(), v.to_string()));
        bundle.defines = defines.collect();
        bundle
    };
    for other in [vec![], vec![("K", "3")], vec![("K", "4")]] {
        let verdict = replay(&with(&other));
        assert!(verdict.rejected.is_some(), "{other:?}: {verdict:#?}");
    }
    refused(&with(&[("K", "2"), ("L", "1")]), "the model has errors");
    let about = |defines: Vec<(String, String)>| {
        let wanted = Wanted {
            name: "m.cor".into(),
            text: text.into(),
            defines,
        };
        verify(&write(&good), Some(&wanted), &[], &Control::default())
    };
    assert!(about(good.defines.clone()).is_accepted());
    let said = about(Vec::new()).rejected.expect("another model");
    assert!(said.contains("no constants are given"), "{said}");
}
