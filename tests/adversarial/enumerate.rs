//! What a report says, held against enumeration with the interpreter.

use super::{run, shipped};
use coarsen::Session;
use coarsen::base::control::Budget;
use coarsen::base::control::ParseLimits;
use coarsen::engine::{
    State, initial_candidates, initially_violated, is_initial, successors, violates,
};
use coarsen::model::program::Program;
use coarsen::results::{Rung, Status};
use std::collections::{BTreeSet, HashMap};

const MOST: usize = 3000;

/// All states that can be reached, those after a violation included; `None` if there are too many.
pub fn reachable(p: &Program) -> Option<Vec<(State, bool)>> {
    let mut seen: HashMap<(State, bool), ()> = HashMap::new();
    let mut open: Vec<(State, bool)> = initial_candidates(p)
        .take(20_000)
        .filter(|s| is_initial(p, s))
        .map(|s| {
            let q = initially_violated(p, &s);
            (s, q)
        })
        .collect();
    let mut all = Vec::new();
    while let Some((s, q)) = open.pop() {
        if seen.insert((s.clone(), q), ()).is_some() {
            continue;
        }
        if seen.len() > MOST {
            return None;
        }
        for t in 0..p.threads.len() {
            for step in successors(p, &s, t) {
                let q = q || violates(p, t, &s, &step);
                open.push((step.state, q));
            }
        }
        all.push((s, q));
    }
    Some(all)
}

type Node = (State, bool);

/// The hypotheses that fail on a set of states closed under all steps.
fn failing(p: &Program, visible: &BTreeSet<(usize, usize)>, states: &[Node]) -> BTreeSet<String> {
    let mut failing = BTreeSet::new();
    let n = p.threads.len();
    let mut steps: HashMap<(usize, Node), Vec<Node>> = HashMap::new();
    for (s, q) in states {
        for t in 0..n {
            let next = successors(p, s, t)
                .into_iter()
                .map(|x| {
                    let v = *q || violates(p, t, s, &x);
                    (x.state, v)
                })
                .collect();
            steps.insert((t, (s.clone(), *q)), next);
        }
    }
    let vis = |t: usize, s: &Node| visible.contains(&(t, s.0.location(t)));
    let can = |t: usize, s: &Node| !vis(t, s) && !steps[&(t, s.clone())].is_empty();
    for i in 0..n {
        // (11)
        let mut on: std::collections::HashSet<Node> = states.iter().cloned().collect();
        loop {
            let keep: std::collections::HashSet<Node> = on
                .iter()
                .filter(|s| {
                    !vis(i, s)
                        && steps[&(i, (*s).clone())]
                            .iter()
                            .any(|x| !x.1 && on.contains(x))
                })
                .cloned()
                .collect();
            if keep.len() == on.len() {
                break;
            }
            on = keep;
        }
        if !on.is_empty() {
            failing.insert("11".into());
        }
        for j in (0..n).filter(|&j| j != i) {
            for s in states {
                let (at_j, which) = if vis(j, s) {
                    ("13", "15")
                } else {
                    ("12", "14")
                };
                for s1 in &steps[&(j, s.clone())] {
                    if can(i, s) != can(i, s1) {
                        failing.insert(at_j.into());
                    }
                    if vis(i, s1) {
                        continue;
                    }
                    for s2 in &steps[&(i, s1.clone())] {
                        let ok = !vis(i, s)
                            && steps[&(i, s.clone())].iter().any(|t1| {
                                t1.1 || vis(j, t1) == vis(j, s)
                                    && steps[&(j, t1.clone())].iter().any(|t2| t2.1 || t2 == s2)
                            });
                        if !ok {
                            failing.insert(which.into());
                        }
                    }
                }
            }
        }
    }
    failing
}

fn everything(p: &Program) -> Option<Vec<Node>> {
    let ranges: Vec<(i64, i64)> = p
        .cells
        .iter()
        .map(|c| (c.ty.lo, c.ty.hi))
        .chain(p.threads.iter().map(|t| (0, t.locations.len() as i64 - 1)))
        .collect();
    let size = ranges.iter().try_fold(2usize, |n, (l, h)| {
        Some(n * (h - l + 1) as usize).filter(|&n| n <= 2 * MOST)
    })?;
    let mut all = Vec::with_capacity(size);
    let mut now: Vec<i64> = ranges.iter().map(|r| r.0).collect();
    loop {
        let (c, l) = now.split_at(p.cells.len());
        let l: Vec<usize> = l.iter().map(|&l| l as usize).collect();
        for q in [false, true] {
            all.push((State::new(c, &l), q));
        }
        let Some(at) = (0..now.len()).rev().find(|&n| now[n] < ranges[n].1) else {
            return Some(all);
        };
        now[at] += 1;
        for n in at + 1..now.len() {
            now[n] = ranges[n].0;
        }
    }
}

#[derive(Default, Debug)]
pub struct Tally {
    ran: usize,
    rejected: usize,
    large: usize,
    holds: usize,
    refuted: usize,
    hypothesis: usize,
    unknown: usize,
    violated: usize,
    reduced_less: usize,
    everything: usize,
    invisible: usize,
}

/// Every way in which the report on a program contradicts enumeration.
pub fn contradictions(source: &str, strict: bool, tally: &mut Tally) -> Vec<String> {
    let mut wrong = Vec::new();
    let Ok((session, _)) = Session::load("fuzz.cor", source, &[], ParseLimits::default()) else {
        tally.rejected += 1;
        return wrong;
    };
    let p = session.program();
    if initial_candidates(p).take(20_001).count() > 20_000 {
        tally.large += 1;
        return wrong;
    }
    let Some(states) = reachable(p) else {
        tally.large += 1;
        return wrong;
    };
    tally.ran += 1;
    let report = run(&session, strict, Budget::default());
    if report.is_contradicted() {
        wrong.push(format!("evidence rejected: {}", report.reason));
    }
    let visible = shipped::coarse::places(p, &report.visible);
    let fails = failing(p, &visible, &states);
    for h in &report.hypotheses {
        let expected = if fails.contains(&h.id) {
            Status::Refuted
        } else {
            Status::Holds
        };
        if h.status != expected {
            wrong.push(format!(
                "({}) is {:?}, should be {expected:?}",
                h.id, h.status
            ));
        }
    }
    if let (Some(all), true) = (everything(p), fails.is_empty()) {
        tally.everything += 1;
        let label = if failing(p, &visible, &all).is_empty() {
            Rung::True
        } else {
            Rung::Reachable
        };
        if report.invariant != Some(label) {
            let found = report.invariant;
            wrong.push(format!("J is {found:?}, should be {label:?}"));
        }
    }
    tally.invisible += usize::from(!report.invisible.is_empty());
    let original: usize = report
        .states
        .original
        .as_deref()
        .unwrap_or("0")
        .parse()
        .unwrap();
    {
        let brute = shipped::coarse::reduced(p, &report);
        let (r, v) = (brute.states.to_string(), brute.visited.to_string());
        if report.states.reduced.as_ref() != Some(&r) {
            wrong.push(format!(
                "reduced {:?}, should be {r}",
                report.states.reduced
            ));
        }
        if report.states.visited.as_ref() != Some(&v) {
            wrong.push(format!(
                "visited {:?}, should be {v}",
                report.states.visited
            ));
        }
        for (property, fewest) in report.properties.iter().zip(&brute.fewest) {
            let length = property
                .coarse_length
                .as_deref()
                .map(|n| n.parse::<usize>().unwrap());
            if length != *fewest {
                wrong.push(format!(
                    "{} has coarse length {length:?}, should be {fewest:?}",
                    property.name
                ));
            }
        }
        tally.reduced_less += usize::from(brute.states < original);
    }
    // Whatever is said must be true of the original (violated states not expanded, as the counts say).
    for property in &report.properties {
        let met = states
            .iter()
            .any(|(s, q)| shipped::coarse::settles(p, &property.name, s, *q));
        let wanted = property.kind == coarsen::results::PropertyKind::Reach;
        let said = match property.verdict {
            Status::Unknown => continue,
            Status::Holds => wanted,
            Status::Refuted => !wanted,
        };
        let violated = states.iter().any(|(_, q)| *q);
        if said != met && (said || !violated) {
            wrong.push(format!(
                "{} is {:?} but met is {met}",
                property.name, property.verdict
            ));
        }
        if said && !met {
            wrong.push(format!("{} said to be met", property.name));
        }
    }
    use coarsen::results::Verdict::*;
    match report.verdict {
        Holds => tally.holds += 1,
        Refuted => tally.refuted += 1,
        HypothesisRefuted => tally.hypothesis += 1,
        Unknown => tally.unknown += 1,
    }
    tally.violated += usize::from(states.iter().any(|(_, q)| *q));
    if report.verdict == Holds && report.properties.iter().any(|x| x.verdict != Status::Holds) {
        wrong.push("holds, but not all".into());
    }
    wrong
}
