//! The twin's whole answer for one program and one choice of visible steps.

use std::collections::BTreeSet;

use super::ast::{Program, Property, StateKind};
use super::explore::{Explored, count, is_deadlock, is_wrong, original, reachable, reduced};
use super::model::{Model, Node, q, state_of};
use super::theorem::{Failure, Relations, failures};
use super::visibility::{Reasons, Visible, concerned, reasons, repair_cycles, visible};

/// The answer for a property or a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Holds,
    Refuted,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Refuted,
    HypothesisRefuted,
    Unknown,
}

/// The states on which all hypotheses hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// All type-correct states.
    True,
    /// Those that are reachable in the original program.
    Reachable,
    /// Some hypothesis fails in a reachable state.
    None,
}

pub struct Answer {
    /// Failures on all type-correct states.
    pub anywhere: [Option<Failure>; 8],
    /// Failures on the reachable states.
    pub reachable: [Option<Failure>; 8],
    pub rung: Rung,
    pub original: Explored,
    pub reduced: Explored,
    /// Of the original system: the states in which no invisible step is enabled.
    pub original_visible: BTreeSet<usize>,
    /// `discipline`, `assertions` and the program's properties.
    pub properties: Vec<(String, Status)>,
    pub verdict: Verdict,
}

/// The exact counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub original: usize,
    pub reduced: usize,
    pub visited: usize,
}

impl Answer {
    pub fn counts(&self) -> Counts {
        Counts {
            original: count(&self.original.states),
            reduced: count(&self.reduced.states),
            visited: count(&self.reduced.visited),
        }
    }

    /// Whether the theorem applies.
    pub fn applies(&self) -> bool {
        self.rung != Rung::None
    }

    /// Hypothesis by hypothesis: one that fails on unreachable states only holds.
    pub fn hypothesis(&self, number: usize) -> Status {
        match self.reachable[number] {
            None => Status::Holds,
            Some(_) => Status::Refuted,
        }
    }

    pub fn property(&self, name: &str) -> Status {
        let (_, status) = self
            .properties
            .iter()
            .find(|(known, _)| known == name)
            .expect("a property of the program");
        *status
    }
}

/// A program with everything the twin knows about it, where the twin itself chooses among the cycles.
pub struct Judged {
    pub model: Model,
    pub reasons: Reasons,
    pub answer: Answer,
}

impl Judged {
    pub fn new(program: &Program) -> Judged {
        let model = Model::new(program);
        let mut reasons = reasons(&model);
        repair_cycles(&model, &mut reasons);
        let answer = answer(&model, &visible(&reasons));
        Judged {
            model,
            reasons,
            answer,
        }
    }
}

/// Whether a state with a violation of the discipline is among them.
pub fn violation(nodes: &BTreeSet<Node>) -> bool {
    nodes.iter().any(|node| q(*node))
}

pub fn answer(model: &Model, visible: &Visible) -> Answer {
    let everywhere = Relations::new(model, visible, &vec![true; model.nodes().len()]);
    let anywhere = failures(&everywhere);
    let reachable = failures(&Relations::new(model, visible, &reachable(model)));
    let rung = match (
        anywhere.iter().all(Option::is_none),
        reachable.iter().all(Option::is_none),
    ) {
        (true, _) => Rung::True,
        (false, true) => Rung::Reachable,
        (false, false) => Rung::None,
    };
    let original = original(model);
    let reduced = reduced(model, &everywhere);
    let visible_nodes = original
        .states
        .iter()
        .filter(|node| everywhere.all_p(**node));
    let original_visible = visible_nodes.map(|node| state_of(*node)).collect();
    let properties = properties(model, &reduced, rung);
    let any = |status: Status| properties.iter().any(|(_, known)| *known == status);
    let verdict = match rung {
        _ if any(Status::Refuted) => Verdict::Refuted,
        Rung::None => Verdict::HypothesisRefuted,
        _ if any(Status::Unknown) => Verdict::Unknown,
        _ => Verdict::Holds,
    };
    Answer {
        anywhere,
        reachable,
        rung,
        original,
        reduced,
        original_visible,
        properties,
        verdict,
    }
}

/// What the reduced run says of each property.
fn properties(model: &Model, reduced: &Explored, rung: Rung) -> Vec<(String, Status)> {
    let violation = violation(&reduced.visited);
    let decides = rung != Rung::None && !violation;
    let visits = |concerned: &dyn Fn(usize) -> bool| {
        reduced
            .visited
            .iter()
            .any(|node| concerned(state_of(*node)))
    };
    let refuted_if = |bad: bool| match (bad, decides) {
        (true, _) => Status::Refuted,
        (false, true) => Status::Holds,
        (false, false) => Status::Unknown,
    };
    let mut properties = vec![
        ("discipline".to_owned(), refuted_if(violation)),
        (
            "assertions".to_owned(),
            refuted_if(visits(&|state| is_wrong(model, state))),
        ),
    ];
    let checked = |property: &&Property| property.is_checked();
    for property in model.system.program.properties.iter().filter(checked) {
        let status = match property {
            Property::DeadlockFree => refuted_if(visits(&|state| is_deadlock(model, state))),
            Property::State { kind, .. } => {
                let concerned = concerned(model, property).expect("a property of states");
                match (kind, visits(&|state| concerned[state])) {
                    (StateKind::Reach, true) => Status::Holds,
                    (StateKind::Reach, false) if decides => Status::Refuted,
                    (StateKind::Reach, false) => Status::Unknown,
                    (StateKind::Invariant, bad) => refuted_if(bad),
                    (StateKind::Lemma, _) => unreachable!("not checked"),
                }
            }
        };
        properties.push((property.name().to_owned(), status));
    }
    properties
}
