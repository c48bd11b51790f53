//! Random statements, proved if the prover can, against models: what is proved must not be refuted.

use super::dice::{Dice, Vocabulary};
use super::model::Model;
use coarsen::algebra::prove::{Limits, derive};
use coarsen::algebra::refute::refute;
use coarsen::kernel::{Development, Id, Node, Statement, TOP};
use std::time::{Duration, Instant};

#[derive(Default)]
pub struct Figures {
    pub statements: usize,
    pub with_hypotheses: usize,
    pub with_omega: usize,
    pub proved: usize,
    pub refuted: usize,
    /// Models of the hypotheses in which proved statements were evaluated.
    pub models: usize,
    pub prover: Duration,
    pub refuter: Duration,
    pub slowest: Duration,
}

impl Figures {
    pub fn add(&mut self, other: &Figures) {
        self.statements += other.statements;
        self.with_hypotheses += other.with_hypotheses;
        self.with_omega += other.with_omega;
        self.proved += other.proved;
        self.refuted += other.refuted;
        self.models += other.models;
        self.prover += other.prover;
        self.refuter += other.refuter;
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// Limits that keep a hard statement from taking the time of a thousand others.
pub const LIMITS: Limits = Limits {
    steps: 60,
    pairs: 300,
    nodes: 300,
    models: 400,
    classes: 20,
};

struct Drawn {
    development: Development,
    premises: Vec<Statement>,
    goal: Statement,
}

fn term(d: &mut Dice, v: &Vocabulary, development: &mut Development, most: usize) -> Id {
    let size = 1 + d.below(most);
    v.term(d, &mut development.terms, size, 0)
}

/// Something that may follow: equal sides, the left side and more, its star, something made of a premise, or anything.
fn above(
    d: &mut Dice,
    v: &Vocabulary,
    development: &mut Development,
    premises: &[Statement],
    left: Id,
) -> Id {
    let other = term(d, v, development, 3);
    match d.below(6) {
        0 => TOP,
        1 => development.terms.sum([left, other]),
        2 => development.terms.star(left),
        3 | 4 if !premises.is_empty() => {
            let (_, r) = premises[d.below(premises.len())].parts[0];
            let context = term(d, v, development, 4);
            let used = development.terms.replace(context, &[(v.actions[0].0, r)]);
            development.terms.sum([used, other])
        }
        _ => other,
    }
}

fn draw(d: &mut Dice) -> Drawn {
    let mut development = Development::default();
    let mut v = match d.below(4) {
        0 => Vocabulary::indexed(&mut development.terms, 2),
        _ => Vocabulary::plain(&mut development.terms, 3, 2),
    };
    development.variables = (0..v.variables).map(|n| format!("i{n}")).collect();
    v.top = d.below(3) == 0;
    v.omega = d.below(3) == 0;
    v.domain = d.below(3) == 0;
    let (premises, goal) = statement(d, &v, &mut development);
    Drawn {
        development,
        premises,
        goal,
    }
}

/// A statement with premises.
pub fn statement(
    d: &mut Dice,
    v: &Vocabulary,
    development: &mut Development,
) -> (Vec<Statement>, Statement) {
    let mut premises: Vec<Statement> = Vec::new();
    for _ in 0..d.below(3) {
        let left = term(d, v, development, 3);
        let right = match d.below(4) {
            0 => coarsen::kernel::ZERO,
            _ => term(d, v, development, 3),
        };
        let mut parts = vec![(left, right)];
        if d.below(4) == 0 {
            parts.push((right, left));
        }
        premises.push(Statement {
            distinct: v.distinct(d),
            parts,
        });
    }
    let (left, right) = if premises.is_empty() || d.flip() {
        let left = term(d, v, development, 5);
        let right = above(d, v, development, &premises, left);
        (left, right)
    } else {
        // A premise in a context.
        let context = term(d, v, development, 5);
        let (l, r) = premises[d.below(premises.len())].parts[0];
        let hole = v.actions[0].0;
        let left = development.terms.replace(context, &[(hole, l)]);
        let right = development.terms.replace(context, &[(hole, r)]);
        (left, above(d, v, development, &[], right))
    };
    let goal = Statement {
        distinct: v.distinct(d),
        parts: vec![(left, right)],
    };
    (premises, goal)
}

/// One statement.
///
/// # Panics
/// If it is proved and refuted.
pub fn one(seed: u64, figures: &mut Figures) {
    let mut d = Dice::seeded(seed);
    let Drawn {
        mut development,
        premises,
        goal,
    } = draw(&mut d);
    figures.statements += 1;
    figures.with_hypotheses += usize::from(!premises.is_empty());
    let infinite = |t: Id| {
        development
            .terms
            .any(t, &mut |n| matches!(n, Node::Omega(_)))
    };
    let mut all = premises.iter().chain([&goal]).flat_map(|s| &s.parts);
    figures.with_omega += usize::from(all.any(|(l, r)| infinite(*l) || infinite(*r)));
    let clock = Instant::now();
    let proved = derive(&mut development, "goal", &premises, &goal, &LIMITS).is_ok();
    let took = clock.elapsed();
    figures.prover += took;
    figures.slowest = figures.slowest.max(took);
    figures.proved += usize::from(proved);
    let clock = Instant::now();
    let found = refute(
        &development.terms,
        &premises,
        &goal.distinct,
        &goal.parts,
        &LIMITS,
    )
    .model;
    figures.refuter += clock.elapsed();
    figures.refuted += usize::from(found.is_some());
    let told = |development: &Development| coarsen::kernel::write(development);
    if proved && let Some(model) = found {
        let lines = model
            .lines(&development.terms, &[], &goal.parts[model.part])
            .join("\n");
        panic!(
            "seed {seed}: proved and refuted\n{lines}\n{}",
            told(&development)
        );
    }
    // Other models, by another evaluation.
    for _ in 0..if proved { 12 } else { 0 } {
        let (states, processes) = (1 + d.below(3), 1 + d.below(3));
        let model = Model::random(&mut d, &development.terms, states, processes);
        if premises.iter().all(|p| model.holds(&development.terms, p)) {
            figures.models += 1;
            let holds = model.holds(&development.terms, &goal);
            assert!(
                holds,
                "seed {seed}: proved and false\n{}",
                told(&development)
            );
        }
    }
}
