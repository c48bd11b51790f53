//! The well-formedness conditions that the use of a theorem on a program needs (Stoller & Cohen 2003, section 4), and
//! the side condition of corollary (a).
//!
//! Not here: WFsep holds by construction (all edges of a location are one action), WFacc is not needed (accesses are
//! those of the path taken, and q is nondeterministic where they are), WFfiniteInvis is hypothesis (11), and WFendExcl
//! only serves to prove (14) and (15), which are evaluated.

use super::properties::{Asked, Goal};
use super::visibility::{Visibility, hides};
use crate::base::control::Stop;
use crate::base::results::{
    Demand, Discharge, Evaluated, Evidence, Hypothesis, Status, Textual, VisibilityReason,
};
use crate::engine::relations::{Encoding, Rel};
use crate::model::program::Program;
use crate::theorem::invariants::{Ladder, Rung, Step};

/// The first steps of all threads are visible.
pub(super) const WF_INIT_VIS: &str = "WFinitVis";
/// No violation in the initial states.
pub(super) const WF_INIT_EXCL: &str = "WFinitExcl";

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
    let mut all = vec![
        entry(
            WF_INIT_VIS,
            "I => p",
            Demand::FirstSteps,
            Status::Unknown,
            Evidence::Undecided,
        ),
        entry(
            WF_INIT_EXCL,
            "I => ~q",
            Demand::Predicates,
            Status::Unknown,
            Evidence::Undecided,
        ),
    ];
    for goal in asked.iter().filter(|a| a.can_be_hidden) {
        all.push(entry(
            &hides_id(goal),
            "I u <= u I",
            Demand::NotHidden(goal.name.clone()),
            Status::Unknown,
            Evidence::Undecided,
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
            WF_INIT_VIS => Textual::FirstStep,
            WF_INIT_EXCL if program.protections.is_empty() => Textual::NothingProtected,
            WF_INIT_EXCL => continue,
            _ => Textual::NoLook,
        };
        condition.status = Status::Holds;
        condition.evidence = Evidence::Text(why);
        condition.discharge = Discharge::Text;
        condition.invariant = Some(Rung::True);
    }
    all
}

/// That predicates do not overlap initially, known from an exploration without a violation.
pub(super) fn disjoint_as_explored(condition: &mut Hypothesis) {
    condition.status = Status::Holds;
    condition.evidence = Evidence::Evaluated(Evaluated::NoInitialViolation);
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
    words: Demand,
    status: Status,
    evidence: Evidence,
) -> Hypothesis {
    Hypothesis {
        id: id.into(),
        formula: formula.into(),
        words,
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
    let (status, evidence) = match refused(visibility, &VisibilityReason::FirstStep).first() {
        None => (Status::Holds, Evaluated::Initially),
        Some(&a) => (Status::Refuted, Evaluated::EnabledInitially(e.place(a))),
    };
    entry(
        WF_INIT_VIS,
        "I => p",
        Demand::FirstSteps,
        status,
        Evidence::Evaluated(evidence),
    )
}

pub(super) fn disjoint_initially(e: &Encoding) -> Hypothesis {
    let (status, evidence) = if e.m.disjoint(&e.initial, &e.q()) {
        (Status::Holds, Evaluated::Initially)
    } else {
        (Status::Refuted, Evaluated::OverlapInitially)
    };
    entry(
        WF_INIT_EXCL,
        "I => ~q",
        Demand::Access,
        status,
        Evidence::Evaluated(evidence),
    )
}

fn not_hidden(
    e: &Encoding,
    visibility: &Visibility,
    goal: &Goal,
    ladder: &mut Ladder,
) -> Result<Hypothesis, Stop> {
    let id = hides_id(goal);
    let by = refused(visibility, &VisibilityReason::Hides(goal.name.clone()));
    let finish = |status, evidence| {
        let evidence = Evidence::Evaluated(evidence);
        let demand = Demand::NotHidden(goal.name.clone());
        entry(&id, "I u <= u I", demand, status, evidence)
    };
    let Some(&first) = by.first() else {
        return Ok(finish(Status::Holds, Evaluated::On(Rung::True)));
    };
    let mut left = first;
    for step in Step::ALL {
        let Some(set) = ladder.step(step)? else {
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
                let mut held = finish(Status::Holds, Evaluated::On(step.rung()));
                held.invariant = Some(step.rung());
                return Ok(held);
            }
        }
    }
    let place = e.place(left);
    Ok(match ladder.unknown(Rung::Reachable) {
        Some(_) => finish(Status::Unknown, Evaluated::MayLeave(place)),
        None => finish(Status::Refuted, Evaluated::Leaves(place)),
    })
}

fn refused(visibility: &Visibility, reason: &VisibilityReason) -> Vec<usize> {
    visibility
        .refused
        .iter()
        .filter(|(_, r)| r == reason)
        .map(|(a, _)| *a)
        .collect()
}
