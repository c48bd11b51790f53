//! Statements that are not proved: models in which they are false, and what is known if there is none.

use super::{Decider, Engine, Limits, Outcome, Residual, Status, derive, tell};
use crate::algebra::refute::{Model, ModelSearch, PROCESSES, atoms_of, refute};
use crate::algebra::suite::Suite;
use crate::kernel::{Index, Node, Statement, TOP};

/// The answer for a statement whose file gives a model, if that is one.
pub fn given(suite: &Suite, item: usize) -> Option<Outcome> {
    let model = suite.items[item].model.clone()?;
    let (assumed, goal) = on_relations(suite, item);
    let part = goal.parts.get(model.part)?;
    let confirmed = model.is_confirmed(&suite.development.terms, &assumed, part);
    confirmed.then(|| told(suite, &goal, Engine::Model, model))
}

/// The answer for a statement if there is a model.
///
/// # Errors
/// How far the search went.
pub fn search(suite: &Suite, item: usize, limits: &Limits) -> Result<Outcome, ModelSearch> {
    let (assumed, goal) = on_relations(suite, item);
    let terms = &suite.development.terms;
    let mut search = refute(terms, &assumed, &goal.distinct, &goal.parts, limits);
    match search.model.take() {
        Some(model) => Ok(told(suite, &goal, Engine::Refuter, model)),
        None => Err(search),
    }
}

/// The answer for a statement whose proof has failed on a word, if that is a model.
pub fn word(
    suite: &Suite,
    item: usize,
    residual: &Residual,
    search: &ModelSearch,
) -> Option<Outcome> {
    let mut model = residual.model.as_deref()?.clone();
    let (assumed, goal) = on_relations(suite, item);
    let part = goal.parts.get(model.part)?;
    let terms = &suite.development.terms;
    let all: Vec<&Statement> = assumed.iter().chain([&goal]).collect();
    let atoms = atoms_of(terms, &all);
    if atoms.indexed || !goal.distinct.is_empty() {
        return None;
    }
    model.turn_round(terms);
    model.fill(&atoms);
    let confirmed = model.is_confirmed(terms, &assumed, part);
    model.smallest = search.searched + 1 == model.states;
    confirmed.then(|| told(suite, &goal, Engine::Refuter, model))
}

/// The answer for a statement that was neither proved nor refuted.
pub fn neither(
    suite: &mut Suite,
    item: usize,
    limits: &Limits,
    residual: &Residual,
    search: &ModelSearch,
) -> Outcome {
    let mut why = tell(suite, residual);
    let engine = match residual.rejected {
        Some(_) => Engine::Rejected,
        None => {
            let (assumed, goal) = on_relations(suite, item);
            why.extend(unrefuted(suite, search, &assumed, &goal, limits));
            Engine::Search
        }
    };
    Outcome {
        status: Status::Unknown,
        engine,
        why,
        theorem: None,
        model: None,
    }
}

/// What is assumed of relations, and what is stated of them.
fn on_relations(suite: &Suite, item: usize) -> (Vec<Statement>, Statement) {
    let (assumed, goal) = suite.on_relations(item);
    (assumed.into_iter().map(|(_, s)| s).collect(), goal)
}

fn told(suite: &Suite, goal: &Statement, engine: Engine, model: Model) -> Outcome {
    let d = &suite.development;
    let why = match goal.parts.get(model.part) {
        Some(part) => model.lines(&d.terms, &d.variables, part),
        None => Vec::new(),
    };
    Outcome {
        status: Status::Refuted,
        engine,
        why,
        theorem: None,
        model: Some(model),
    }
}

/// What is known of a statement that was neither proved nor refuted.
fn unrefuted(
    suite: &mut Suite,
    search: &ModelSearch,
    assumed: &[Statement],
    goal: &Statement,
    limits: &Limits,
) -> Vec<String> {
    let all: Vec<&Statement> = assumed.iter().chain([goal]).collect();
    let atoms = atoms_of(&suite.development.terms, &all);
    let indexed = atoms.indexed || !goal.distinct.is_empty();
    if holds_on_relations(suite, assumed, goal, limits) {
        let follows = match !assumed.is_empty() || indexed || !is_underivable(suite, goal, limits) {
            true => "it is not known whether it follows from the axioms",
            false => "it does not follow from the axioms",
        };
        return vec![format!(
            "holds in all relations, because x <= x T x does; {follows}"
        )];
    }
    let mut lines = Vec::new();
    if search.searched > 0 {
        let states = match search.searched {
            1 => "1 state".to_string(),
            n => format!("up to {n} states"),
        };
        let processes = match indexed {
            true => format!(" and up to {PROCESSES} processes"),
            false => String::new(),
        };
        lines.push(format!("holds in all relations on {states}{processes}"));
    }
    if search.cut_short {
        lines.push("the limit of the search for a model (--limit-models) was hit".to_string());
    }
    lines
}

/// Whether the statement follows from `x <= x T x` for each of its letters and omegas. Relations satisfy that; it does
/// not follow from the axioms.
fn holds_on_relations(
    suite: &mut Suite,
    assumed: &[Statement],
    goal: &Statement,
    limits: &Limits,
) -> bool {
    let d = &mut suite.development;
    let mut letters = Vec::new();
    for (symbol, arity) in atoms_of(&d.terms, &[goal]).symbols {
        if !d.terms.symbols()[symbol as usize].test {
            let indices = (0..arity as u32).map(Index::Var).collect();
            letters.push(d.terms.atom(symbol, indices));
        }
    }
    let mut bodies = Vec::new();
    for t in goal.parts.iter().flat_map(|(l, r)| [*l, *r]) {
        d.terms.any(t, &mut |n| {
            bodies.extend(match n {
                Node::Omega(x) => Some(*x),
                _ => None,
            });
            false
        });
    }
    for x in bodies {
        if d.terms.is_closed(x) {
            letters.push(d.terms.omega(x));
        }
    }
    letters.sort_unstable();
    letters.dedup();
    let mut premises = assumed.to_vec();
    for x in letters {
        let jump = d.terms.product([x, TOP, x]);
        premises.push(Statement {
            distinct: Vec::new(),
            parts: vec![(x, jump)],
        });
    }
    let limits = Limits {
        steps: limits.steps / 10,
        nodes: limits.nodes / 10,
        ..*limits
    };
    let before = d.theorems().len();
    let found = derive(d, "holds_on_relations", &premises, goal, &limits).is_ok();
    d.forget(before);
    found
}

/// Whether the decision procedure, which is complete without hypotheses and omega, says that the statement does not
/// follow.
fn is_underivable(suite: &mut Suite, goal: &Statement, limits: &Limits) -> bool {
    let terms = &mut suite.development.terms;
    let parts = goal.parts.iter();
    let plain = parts
        .clone()
        .flat_map(|(l, r)| [*l, *r])
        .all(|t| !terms.any(t, &mut |n| matches!(n, Node::Omega(_))));
    plain
        && parts
            .clone()
            .any(|(l, r)| Decider::default().decide(terms, *l, *r, limits.pairs) == Ok(None))
}
