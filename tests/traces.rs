//! Every trace of every shipped model, replayed twice: from its ITF form with nothing but the model's text, and by the
//! interpreter; and no trace has more coarse steps than needed.

use crate::shipped;

use std::collections::BTreeSet;

use coarsen::Session;
use coarsen::engine::{State, initially_violated, successors, violates};
use coarsen::model::program::{Expr, Kind, NO_OWNER, NULL, Program};
use coarsen::report::itf;
use coarsen::results::{Outcome, Property, Report, Violation};
use serde_json::Value as Json;
use shipped::coarse::{places, reduced, settles, starts};
use shipped::{Shipped, models};

/// Calls `f` with each trace in each report (by default and strict), and returns how many there were.
fn each_trace(mut f: impl FnMut(&Shipped, &Session, &Report, &Property, &Json)) -> usize {
    let mut number = 0;
    for m in models() {
        let session = m.load(&[]);
        for strict in [false, true] {
            let report = m.report(strict);
            // An execution that refutes a claim has no coarse steps: tests/claims.rs looks at those.
            for property in report
                .properties
                .iter()
                .filter(|p| p.kind != coarsen::results::PropertyKind::Transaction)
            {
                let Some(trace) = &property.trace else {
                    assert_eq!(property.trace_length, None, "{}", m.name);
                    continue;
                };
                let text = itf::render(&m.name, &property.name, trace);
                let json: Json = serde_json::from_str(&text).expect("JSON");
                let states = json["states"].as_array().expect("states").len();
                let length = property.trace_length.as_ref().expect("a length");
                assert_eq!(*length, (states - 1).to_string(), "{}", m.name);
                f(&m, &session, &report, property, &json);
                number += 1;
            }
        }
    }
    number
}

fn states(json: &Json) -> &[Json] {
    json["states"].as_array().expect("states")
}

fn names(json: &Json) -> Vec<&str> {
    let vars = json["vars"].as_array().expect("vars");
    vars.iter().map(|v| v.as_str().expect("a name")).collect()
}

/// The statement that begins with `text` on `line`, to its semicolon or the brace that closes it.
fn statement<'a>(source: &'a str, line: usize, text: &str) -> &'a str {
    let start: usize = source
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let rest = &source[start..];
    // The report folds white space, so only the first word is looked for.
    let word = text.split_whitespace().next().expect("some text");
    let rest = &rest[rest.find(word).expect("the statement is on its line")..];
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return &rest[..at],
            '}' => depth -= 1,
            ';' if depth == 0 => return &rest[..at],
            _ => {}
        }
    }
    rest
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !part(c)).any(|w| w == word)
}

#[test]
fn itf_traces_replay_with_nothing_but_the_text() {
    let number = each_trace(|m, _, _, property, json| {
        let at = |n: usize| format!("{}, {}, state {n}", m.name, property.name);
        let vars = names(json);
        assert_eq!(json["#meta"]["source"], m.name.as_str());
        for (n, state) in states(json).iter().enumerate() {
            let keys: BTreeSet<&str> = state
                .as_object()
                .expect("a state")
                .keys()
                .map(String::as_str)
                .collect();
            let expected = vars.iter().copied().chain(["#meta"]).collect();
            assert_eq!(keys, expected, "{}", at(n));
            assert_eq!(state["#meta"]["index"], n, "{}", at(n));
        }
        let mut coarse = 0;
        let mut stepping = String::new();
        for (n, pair) in states(json).windows(2).enumerate() {
            let (before, after, meta) = (&pair[0], &pair[1], &pair[1]["#meta"]);
            let thread = meta["thread"].as_str().expect("a thread");
            assert_eq!(before[thread], meta["location"], "{}", at(n + 1));
            // Coarse steps are numbered from 1, and each is of one thread.
            let number = meta["coarse"].as_u64().expect("a number");
            if number == coarse {
                assert_eq!(thread, stepping, "{}", at(n + 1));
            } else {
                assert_eq!(number, coarse + 1, "{}", at(n + 1));
                (coarse, stepping) = (number, thread.to_string());
            }
            let line = meta["line"].as_u64().expect("a line") as usize;
            let text = meta["text"].as_str().expect("a text");
            let statement = statement(&m.source, line, text);
            for &var in &vars {
                if before[var] == after[var] || var == thread {
                    continue;
                }
                if let Some(array) = var.strip_suffix(".owner") {
                    let mutex = array.rsplit('.').next().unwrap_or(array);
                    assert!(has_word(statement, mutex), "{}: {var}", at(n + 1));
                    moves_one_owner(&before[var], &after[var], thread);
                    continue;
                }
                // A local variable of the thread, or a shared one; no other thread's local variable, nor its location.
                let own = format!("{thread}.");
                let name = var.strip_prefix(own.as_str()).unwrap_or(var);
                let started = name.ends_with(".started");
                assert!(started || !name.contains('('), "{}: {var}", at(n + 1));
                // What `return` writes stands at the call, what `free` frees is not named in it.
                let unnamed = ["return", "free"].iter().any(|w| statement.starts_with(w));
                let mut words = name.split('.').map(|part| part.split('(').next());
                assert!(
                    unnamed || words.any(|w| has_word(statement, w.unwrap_or(""))),
                    "{}: {var} is not in `{statement}`",
                    at(n + 1)
                );
            }
        }
        assert_eq!(
            property.coarse_length,
            Some(coarse.to_string()),
            "{}, {}",
            m.name,
            property.name
        );
    });
    assert!(number >= 30, "only {number} traces");
}

/// One mutex changes hands: from nobody to the thread, or back.
fn moves_one_owner(before: &Json, after: &Json, thread: &str) {
    let list =
        |owner: &Json| -> Vec<Json> { owner.as_array().cloned().unwrap_or(vec![owner.clone()]) };
    let (before, after) = (list(before), list(after));
    let changed: Vec<_> = before.iter().zip(&after).filter(|(b, a)| b != a).collect();
    assert_eq!(changed.len(), 1);
    let (b, a) = changed[0];
    assert!((b == "none" && a == thread) || (b == thread && a == "none"));
}

/// What a property's trace leads to, written down a second time: the model, the property, and the last state.
type Ending = (&'static str, &'static str, fn(&Json) -> bool);

const ENDINGS: &[Ending] = &[
    ("classic/peterson", "both_compete", |s| {
        s["process(0)"] == "Wait" && s["process(1)"] == "Wait"
    }),
    ("classic/locked_ring", "deadlock_free", |s| {
        s["m.owner"] == serde_json::json!(["worker(0)", "worker(1)", "worker(2)"])
    }),
    ("classic/philosophers", "deadlock_free", |s| {
        s["fork"] == serde_json::json!([true, true, true, true, true])
    }),
    ("stoller_cohen/two_locks_barrier", "both_done", |s| {
        s["worker(0)"] == "end" && s["worker(1)"] == "end"
    }),
    ("hypotheses/hidden_invariant", "never_both", |s| {
        s["x"] == 1 && s["y"] == 1
    }),
    ("hypotheses/invisible_loop", "served", |s| {
        s["client"] == "end"
    }),
    ("hypotheses/first_step", "done", |s| {
        s["worker(0)"] == "end" && s["worker(1)"] == "end" && s["x"] == serde_json::json!([0, 0])
    }),
    ("features/opposite_locks", "deadlock_free", |s| {
        s["m.owner"] == "left" && s["n.owner"] == "right"
    }),
    ("features/opposite_locks", "both_done", |s| {
        s["left"] == "end" && s["right"] == "end"
    }),
    ("features/ordered_locks", "right_first", |s| {
        s["right"] == "end" && s["left"] != "end" && s["x"] == 0 && s["y"] == 0
    }),
    ("features/range_overflow", "full", |s| {
        s["total"] == 3 && (s["worker(0)"] == "wrong" || s["worker(1)"] == "wrong")
    }),
    ("features/going_wrong", "divided_by_zero", |s| {
        s["divider"] == "wrong" && s["d"] == 0
    }),
    ("features/going_wrong", "index_outside", |s| {
        s["indexer"] == "wrong" && s["d"] == 2 && s["a"][0] == 1
    }),
    ("features/traffic_light", "go", |s| {
        s["light"] == "green" && s["mode"] == "night" && s["waiting"] == true
    }),
    ("features/init_predicate", "reversed", |s| {
        s["a"][0] == 2 && s["a"][2] == 0 && s["round"] == 0
    }),
    ("features/grid", "all_done", |s| {
        s["filler(0)"] == "end" && s["filler(1)"] == "end"
    }),
    ("features/wrap_around", "filled", |s| s["full"] == 3),
];

#[test]
fn the_last_state_of_a_trace_settles_its_property() {
    let mut met = BTreeSet::new();
    each_trace(|m, _, _, property, json| {
        let last = states(json).last().expect("a state");
        let model = m.name["models/".len()..].trim_end_matches(".cor");
        let ending = ENDINGS
            .iter()
            .find(|(of, p, _)| *of == model && *p == property.name);
        match (property.name.as_str(), ending) {
            (_, Some((of, p, holds))) => {
                assert!(holds(last), "{of}, {p}: {last}");
                met.insert((*of, *p));
            }
            ("assertions", _) => {
                let violation = last["#meta"]["violation"].as_str().expect("a violation");
                let thread = last["#meta"]["thread"].as_str().expect("a thread");
                assert!(violation.starts_with(thread), "{violation}");
                assert_eq!(last[thread], "wrong", "{}", m.name);
            }
            ("discipline", _) => {
                assert!(last["#meta"]["violation"].is_string(), "{}", m.name);
            }
            _ => {}
        }
    });
    assert_eq!(met.len(), ENDINGS.len(), "an ending without a trace");
}

/// A state of a trace as the interpreter's.
fn state(program: &Program, json: &Json) -> State {
    let mut cells = vec![0; program.cells.len()];
    for array in &program.arrays {
        let first = &program.cells[array.first];
        let is_mutex = first.ty.kind == Kind::Owner && !array.name.ends_with(".writer");
        let suffix = if is_mutex { ".owner" } else { "" };
        let mut flat = Vec::new();
        flatten(&json[format!("{}{suffix}", array.name)], &mut flat);
        assert_eq!(flat.len(), array.len, "{}", array.name);
        for (n, value) in flat.into_iter().enumerate() {
            let kind = program.cells[array.first + n].ty.kind;
            cells[array.first + n] = match (kind, value) {
                (Kind::Bool, Json::Bool(b)) => i64::from(*b),
                (Kind::Int, Json::Number(i)) => i.as_i64().expect("an integer"),
                (Kind::Enum(e), Json::String(name)) => {
                    let variants = &program.enums[e].variants;
                    variants.iter().position(|v| v == name).expect("a value") as i64
                }
                (Kind::Owner, Json::String(name)) => {
                    let thread = program.threads.iter().position(|t| t.name == *name);
                    assert!(thread.is_some() || name == "none");
                    thread.map_or(NO_OWNER, |t| t as i64)
                }
                (Kind::Ref(_), Json::String(name)) if name == "null" => NULL,
                (Kind::Ref(_), Json::String(name)) => {
                    let slot = name.split(['[', ']']).nth(1).expect("&name[slot]");
                    slot.parse().expect("a slot")
                }
                other => panic!("{}: {other:?}", array.name),
            };
        }
    }
    let location = |thread: &coarsen::model::program::Thread| {
        let name = json[&thread.name].as_str().expect("a location");
        let at = thread.locations.iter().position(|l| l.name == name);
        at.expect("one of the thread's locations")
    };
    let locations: Vec<usize> = program.threads.iter().map(location).collect();
    State::new(&cells, &locations)
}

fn flatten<'a>(json: &'a Json, into: &mut Vec<&'a Json>) {
    match json.as_array() {
        Some(all) => all.iter().for_each(|x| flatten(x, into)),
        None => into.push(json),
    }
}

#[test]
fn traces_are_executions_of_the_original_program() {
    each_trace(|m, session, report, property, json| {
        let p = session.program();
        let visible = places(p, &report.visible);
        let at = |n: usize| format!("{}, {}, step {n}", m.name, property.name);
        let mut current = state(p, &states(json)[0]);
        assert!(starts(p, &current), "{}", at(0));
        let mut violated = initially_violated(p, &current);
        let (mut coarse, mut last_thread) = (Json::from(0), None);
        let goes_on = |t: usize, s: &State| {
            !visible.contains(&(t, s.location(t))) && !successors(p, s, t).is_empty()
        };
        for (n, json) in states(json).iter().enumerate().skip(1) {
            let meta = &json["#meta"];
            let t = p
                .threads
                .iter()
                .position(|t| meta["thread"] == t.name.as_str())
                .expect("a thread");
            // A coarse step begins with a visible action, goes on with invisible ones, and ends where none is enabled.
            let begins = meta["coarse"] != coarse;
            coarse = meta["coarse"].clone();
            let here = (t, current.location(t));
            assert_eq!(visible.contains(&here), begins, "{}", at(n));
            if let (true, Some(before)) = (begins, last_thread) {
                assert!(!goes_on(before, &current), "{}", at(n));
            }
            last_thread = Some(t);
            let next = state(p, json);
            assert!(!violated, "{}: nothing follows a violation", at(n));
            let step = successors(p, &current, t)
                .into_iter()
                .find(|s| s.state == next)
                .unwrap_or_else(|| panic!("{}: no such step", at(n)));
            violated = violates(p, t, &current, &step);
            assert_eq!(
                meta["violation"].is_string(),
                violated || step.failure.is_some(),
                "{}",
                at(n)
            );
            current = next;
        }
        assert!(settles(p, &property.name, &current, violated), "{}", at(0));
    });
}

#[test]
fn no_trace_has_more_coarse_steps_than_needed() {
    for m in models() {
        let session = m.load(&[]);
        for strict in [false, true] {
            let report = m.report(strict);
            let fewest = reduced(session.program(), &report).fewest;
            for (property, fewest) in report.properties.iter().zip(fewest) {
                assert_eq!(
                    property.coarse_length,
                    fewest.map(|n| n.to_string()),
                    "{}, {} (strict: {strict})",
                    m.name,
                    property.name
                );
            }
        }
    }
}

/// What the last state of a trace is about: nothing but what is in it, and something wherever it is shown why.
#[test]
fn what_is_wrong_is_marked() {
    let (mut all, mut marked) = (0, 0);
    each_trace(|m, session, _, property, _| {
        let trace = property.trace.as_ref().expect("a trace");
        let known = |name: &String| trace.variables.iter().any(|v| v.name == *name);
        assert!(
            trace.about.iter().all(known),
            "{}: {:?}",
            m.name,
            trace.about
        );
        let about = |name: &str| trace.about.iter().any(|a| a == name);
        match &trace.outcome {
            Outcome::Deadlock(waiting) => {
                assert!(
                    waiting.iter().all(|waits| about(&waits.thread)),
                    "{}",
                    m.name
                );
            }
            Outcome::Violates(name) | Outcome::Reached(name) => {
                let p = session.program();
                let asked = p.properties.iter().find(|p| p.name == *name);
                asked.expect("the property").expr.walk(&mut |e| {
                    if let Expr::Cell(c) = e {
                        let cell = &p.cells[*c].name;
                        assert!(known_as(cell, &trace.about), "{}: {cell}", m.name);
                    }
                });
            }
            Outcome::Violation(Violation::Access { cell, .. }) => {
                assert!(known_as(cell, &trace.about), "{}: {cell}", m.name);
            }
            _ => {}
        }
        all += 1;
        marked += usize::from(!trace.about.is_empty());
    });
    assert!(all > 20 && marked * 10 > all * 9, "{marked} of {all}");
}

/// Whether the variable that has a cell is one of these.
fn known_as(cell: &str, names: &[String]) -> bool {
    let base: String = cell
        .split('[')
        .map(|part| part.rsplit(']').next().unwrap_or(part))
        .collect();
    names.contains(&base)
}
