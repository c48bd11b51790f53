//! The well-formedness conditions that the use of a theorem on a program needs (Stoller & Cohen 2003, section 4), and
//! the side condition of corollary (a).
//!
//! Not here: WFsep holds by construction (all edges of a location are one action), WFacc is not needed (accesses are
//! those of the path taken, and q is nondeterministic where they are), WFfiniteInvis is hypothesis (11), and WFendExcl
//! only serves to prove (14) and (15), which are evaluated.

use super::properties::{Asked, Goal};
use super::visibility::{Reason, Visibility, hides};
use crate::base::control::Stop;
use crate::base::results::{Discharge, Hypothesis, Status};
use crate::engine::relations::{Encoding, Rel};
use crate::model::program::Program;
use crate::theorem::executions::trace::step_of;
use crate::theorem::invariants::{Ladder, Rung};

/// Evaluates the conditions, those of the goals included.
///
/// # Errors
/// Any [`Stop`].
pub(super) fn well_formedness(
    e: &Encoding,
    visibility: &Visibility,
    goals: &[Goal],
    ladder: &mut Ladder,
) -> Result<Vec<Hypothesis>, Stop> {
    let mut all = vec![first_steps(e, visibility), disjoint_initially(e)];
    for goal in goals.iter().filter(|g| g.can_be_hidden) {
        all.push(not_hidden(e, visibility, goal, ladder)?);
    }
    Ok(all)
}

/// The conditions, all undecided: what a report says until they are evaluated.
pub(super) fn undecided(asked: &[Asked]) -> Vec<Hypothesis> {
    let why = || "not evaluated".to_string();
    let mut all = vec![
        entry(
            "WFinitVis",
            "I => p",
            "the first steps of all threads are visible",
            Status::Unknown,
            why(),
        ),
        entry(
            "WFinitExcl",
            "I => ~q",
            "no two predicates overlap initially",
            Status::Unknown,
            why(),
        ),
    ];
    for goal in asked.iter().filter(|a| a.can_be_hidden) {
        let words = format!(
            "no invisible step leaves the states that {} is about",
            goal.name
        );
        all.push(entry(
            &hides_id(goal),
            "I u <= u I",
            &words,
            Status::Unknown,
            why(),
        ));
    }
    for condition in &mut all {
        condition.discharge = Discharge::None;
    }
    all
}

/// The conditions under a visibility that was read off the text.
pub(super) fn by_text(program: &Program, asked: &[Asked]) -> Vec<Hypothesis> {
    let mut all = undecided(asked);
    for condition in &mut all {
        let why = match condition.id.as_str() {
            "WFinitVis" => "by the text: a thread's first step is visible",
            "WFinitExcl" if program.protections.is_empty() => "by the text: nothing is protected",
            "WFinitExcl" => continue,
            _ => "by the text: no invisible step changes what the property looks at",
        };
        condition.status = Status::Holds;
        condition.evidence = why.into();
        condition.discharge = Discharge::Text;
        condition.invariant = Some(Rung::True);
    }
    all
}

/// That predicates do not overlap initially, known from an exploration without a violation.
pub(super) fn disjoint_as_explored(condition: &mut Hypothesis) {
    condition.status = Status::Holds;
    condition.evidence = "evaluated on the initial states: none of them is a violation".into();
    condition.discharge = Discharge::Evaluated;
    condition.invariant = Some(Rung::True);
}

/// The name of a goal's side condition.
pub(super) fn hides_id(goal: &Asked) -> String {
    format!("hides({})", goal.name)
}

pub(super) fn entry(
    id: &str,
    formula: &str,
    words: &str,
    status: Status,
    evidence: String,
) -> Hypothesis {
    Hypothesis {
        id: id.into(),
        formula: formula.into(),
        words: words.into(),
        status,
        instances: "1".into(),
        discharge: Discharge::Evaluated,
        facts: "0".into(),
        evidence,
        vacuous: false,
        invariant: (status == Status::Holds).then_some(Rung::True),
        contradiction: None,
        witness: None,
        excluded: Vec::new(),
    }
}

fn first_steps(e: &Encoding, visibility: &Visibility) -> Hypothesis {
    let (status, evidence) = match refused(visibility, &Reason::FirstStep).first() {
        None => (Status::Holds, "evaluated on the initial states".to_string()),
        Some(&a) => {
            let evidence = format!(
                "evaluated: {} is invisible and enabled in an initial state",
                place(e, a)
            );
            (Status::Refuted, evidence)
        }
    };
    entry(
        "WFinitVis",
        "I => p",
        "the first steps of all threads are visible",
        status,
        evidence,
    )
}

pub(super) fn disjoint_initially(e: &Encoding) -> Hypothesis {
    let (status, evidence) = if e.m.disjoint(&e.initial, &e.q()) {
        (Status::Holds, "evaluated on the initial states")
    } else {
        (
            Status::Refuted,
            "evaluated: two predicates overlap in an initial state, which counts as a violation",
        )
    };
    let words = "no two threads have exclusive access to one variable initially";
    entry("WFinitExcl", "I => ~q", words, status, evidence.into())
}

fn not_hidden(
    e: &Encoding,
    visibility: &Visibility,
    goal: &Goal,
    ladder: &mut Ladder,
) -> Result<Hypothesis, Stop> {
    let id = hides_id(goal);
    let words = format!(
        "no invisible step leaves the states that {} is about",
        goal.name
    );
    let by = refused(visibility, &Reason::Hides(goal.name.clone()));
    let finish = |status, evidence: String| entry(&id, "I u <= u I", &words, status, evidence);
    let Some(&first) = by.first() else {
        return Ok(finish(
            Status::Holds,
            "evaluated on all type-correct states".into(),
        ));
    };
    let mut left = first;
    for rung in Rung::ALL {
        let Some(set) = ladder.ask(rung)? else {
            continue;
        };
        let mut hiding = None;
        for &a in &by {
            let rel = &e.actions[a].rel;
            let there = Rel {
                bdd: e.m.and(&rel.bdd, set)?,
                writes: rel.writes.clone(),
            };
            if hides(e, &there, &goal.bad)? {
                hiding = Some(a);
                break;
            }
        }
        match hiding {
            Some(a) => left = a,
            None => {
                let mut held = finish(Status::Holds, format!("evaluated on {}", rung.states()));
                held.invariant = Some(rung);
                return Ok(held);
            }
        }
    }
    let place = place(e, left);
    Ok(match ladder.unknown(Rung::Reachable) {
        Some(_) => finish(
            Status::Unknown,
            format!("evaluated: {place} may leave them"),
        ),
        None => finish(
            Status::Refuted,
            format!("evaluated: {place} leaves them, from a reachable state"),
        ),
    })
}

fn refused(visibility: &Visibility, reason: &Reason) -> Vec<usize> {
    visibility
        .refused
        .iter()
        .filter(|(_, r)| r == reason)
        .map(|(a, _)| *a)
        .collect()
}

fn place(e: &Encoding, action: usize) -> String {
    let s = step_of(e, action);
    format!("{} at {} (line {})", s.thread, s.location, s.line)
}
