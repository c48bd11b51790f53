//! The prover: from a statement and its hints to a theorem that the kernel has admitted.
//!
//! `decide` settles what holds in every Kleene algebra with tests and top; hypotheses of the form `e = 0` are compiled
//! into it (`context`), hypotheses about a letter are solved for it (`eliminate`), words are compared modulo equations
//! (`super::egraph`), and the rest is a search of directed rules on monomials (`search`). What comes out is a list of
//! kernel rules; nothing counts as proved that the kernel has not admitted.

mod build;
mod context;
mod decide;
mod divergence;
mod domain;
mod eliminate;
mod fewer;
mod hints;
mod iteration;
mod members;
mod middle;
mod models;
mod omega;
mod outcome;
mod processes;
mod search;
mod suggest;
mod types;
mod words;
mod zeros;

pub use decide::{Decider, TooLarge};
pub use outcome::{Residual, Within, describe, level, level_of};
pub use suggest::suggestions;

use self::build::{Builder, Step};
use self::context::{Allowed, Given, Source};
use self::eliminate::{Reduced, eliminate, simulate};
use self::hints::usable;
use self::outcome::tell;
use self::search::ProofSearch;
use super::refute::Model;
use super::suite::{Chains, Declared, Hint, Item, Link, Suite, Use};
use super::term::Order;
pub use crate::base::results::proofs::{Engine, Status};
use crate::kernel::{Development, Id, Rule, Statement, Theorem, ZERO};
use std::ops::Range;

/// How far the prover goes. All limits are counts, so that the same statement always has the same answer.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes of the search for one inclusion.
    pub steps: usize,
    /// Pairs of one decision.
    pub pairs: usize,
    /// Classes of words that a decision with omega tells apart.
    pub classes: usize,
    /// Nodes of the e-graph.
    pub nodes: usize,
    /// Steps on BDDs of the search for a model, in hundreds.
    pub models: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 2_000,
            pairs: 20_000,
            classes: 60,
            nodes: 10_000,
            models: 20_000,
        }
    }
}

/// The answer for a statement.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub status: Status,
    /// Which engine gave it.
    pub engine: Engine,
    /// Why, in lines: rules used; the monomials that are not below the right side and the limit; or the model.
    pub why: Vec<String>,
    /// The theorem, by position in the development.
    pub theorem: Option<usize>,
    /// The model, if it is refuted.
    pub model: Option<Model>,
}

/// Proves or refutes a statement of a suite; what its hints name is proved first if it has not been. A model that the
/// file gives is only evaluated.
pub fn prove(suite: &mut Suite, item: usize, limits: &Limits) -> Outcome {
    if let Some(outcome) = models::given(suite, item) {
        return outcome;
    }
    // Of what is declared false a model is looked for first.
    let mut search = None;
    if suite.items[item].declared == Declared::Refuted {
        match models::search(suite, item, limits) {
            Ok(outcome) => return outcome,
            Err(none) => search = Some(none),
        }
    }
    match theorem_of(suite, item, limits, None) {
        Ok(n) => {
            let (engine, mut why) = describe(&suite.development, n);
            if suite.beyond_hints.contains(&item)
                && let Some(told) = why.last_mut()
            {
                told.push_str("; its hints are not enough");
            }
            Outcome {
                status: Status::Proved,
                engine,
                why,
                theorem: Some(n),
                model: None,
            }
        }
        Err(residual) => match search.map_or_else(|| models::search(suite, item, limits), Err) {
            Ok(outcome) => outcome,
            Err(search) => models::word(suite, item, &residual, &search)
                .unwrap_or_else(|| models::neither(suite, item, limits, &residual, &search)),
        },
    }
}

/// Proves a statement of a suite, and does not look for models: the theorem's position.
pub fn establish(suite: &mut Suite, item: usize, limits: &Limits) -> Option<usize> {
    theorem_of(suite, item, limits, None).ok()
}

/// Hints of an item without which it is proved as well.
pub fn ablate(suite: &mut Suite, item: usize, limits: &Limits) -> Vec<String> {
    let mut unneeded = Vec::new();
    // Most of these searches fail, and all nodes are spent then.
    let limits = &Limits {
        steps: limits.steps / 4,
        ..*limits
    };
    for link in 0..suite.items[item].links.len() {
        let hints = suite.items[item].links[link]
            .hints
            .clone()
            .unwrap_or_default();
        // What a converse is has not been asked for.
        let added = suite.items[item].added.all();
        let asked = |h: &Hint| !matches!(h.what, Use::Premise(n) if added.contains(&n));
        for (n, hint) in hints.iter().enumerate().filter(|(_, h)| asked(h)) {
            if theorem_of(suite, item, limits, Some((link, n))).is_ok() {
                unneeded.push(hint.text.clone());
            }
        }
    }
    unneeded
}

/// Proves `premises |- statement`, no hint given; the theorem's position.
///
/// # Errors
/// What is left.
pub fn derive(
    development: &mut Development,
    name: &str,
    premises: &[Statement],
    statement: &Statement,
    limits: &Limits,
) -> Result<usize, Residual> {
    let given: Vec<Given> = premises
        .iter()
        .enumerate()
        .map(|(n, p)| Given {
            source: Source::Premise(n),
            statement: p.clone(),
            fixed: Vec::new(),
        })
        .collect();
    let mut proof = Proof::new(development, Vec::new(), limits);
    let mut proves = Vec::new();
    for &part in &statement.parts {
        proves.push(proof.part(&given, &everything(), &statement.distinct, part)?);
    }
    proof.admit(name, (premises.to_vec(), 0..0), statement.clone(), proves)
}

/// All rules, where no hint says which.
fn everything() -> Allowed {
    Allowed {
        induction: true,
        coinduction: true,
        unfold: true,
        sum_elim: true,
        sum_intro: true,
        product_elim: true,
        product_intro: true,
        automatic: true,
        ..Allowed::default()
    }
}

/// A theorem in the making.
struct Proof<'d> {
    development: &'d mut Development,
    /// Steps so far, kept between the links of a chain.
    rules: Vec<Rule>,
    claims: Vec<(Id, Id)>,
    /// Names that statements have, which are or will be theorems.
    titles: Vec<String>,
    limits: Limits,
}

impl<'d> Proof<'d> {
    fn new(development: &'d mut Development, titles: Vec<String>, limits: &Limits) -> Self {
        Proof {
            development,
            titles,
            rules: Vec::new(),
            claims: Vec::new(),
            limits: *limits,
        }
    }

    /// Proves one inclusion.
    fn part(
        &mut self,
        given: &[Given],
        allowed: &Allowed,
        distinct: &[(u32, u32)],
        (left, right): (Id, Id),
    ) -> Result<Step, Residual> {
        let fresh = self.development.variables.len() as u32 + 1;
        let mut b = Builder::new(
            &mut self.development.terms,
            self.limits.pairs,
            self.limits.classes,
        );
        (b.rules, b.claims) = (
            std::mem::take(&mut self.rules),
            std::mem::take(&mut self.claims),
        );
        let budget = (self.limits.steps, self.limits.nodes);
        let mut s = ProofSearch::new(b, given.to_vec(), allowed.clone(), budget, fresh);
        let outcome = processes::one(&mut s, distinct, left, right);
        if let Ok(step) = outcome {
            s.with_few(step);
        }
        let outcome = outcome.map_err(|residual| {
            let word = s.b.lasso.take();
            let model = word.map(|w| Box::new(w.model(s.b.terms, [left, right])));
            Residual { model, ..residual }
        });
        (self.rules, self.claims) = (s.b.rules, s.b.claims);
        outcome
    }

    /// Has the kernel check a theorem that says what another does, of other premises, by its last steps.
    fn admit_beside(
        &mut self,
        theorem: &Theorem,
        premises: Vec<Statement>,
        steps: Vec<Rule>,
    ) -> Result<usize, Residual> {
        let same = |t: &Theorem| t.premises == premises && t.statement == theorem.statement;
        if let Some(known) = self.development.theorems().position(same) {
            return Ok(known);
        }
        let known = self.development.theorems();
        let mut taken: Vec<&str> = known.map(|t| t.name.as_str()).collect();
        taken.extend(self.titles.iter().map(String::as_str));
        let names = (1..).map(|n| format!("{}.{n}", theorem.name));
        let mut free = names.filter(|name| !taken.contains(&name.as_str()));
        let proves = steps.len() - theorem.statement.parts.len()..steps.len();
        let beside = Theorem {
            name: free.next().unwrap_or_default(),
            premises,
            statement: theorem.statement.clone(),
            proves: proves.collect(),
            steps,
        };
        let admitted = self.development.admit(beside);
        admitted.map_err(|rejected| Residual {
            rejected: Some(rejected.to_string()),
            ..Residual::default()
        })
    }

    /// Has the kernel check the theorem. Premises that were added are left out if nothing uses them.
    fn admit(
        self,
        name: &str,
        (premises, added): (Vec<Statement>, Range<usize>),
        statement: Statement,
        proves: Vec<Step>,
    ) -> Result<usize, Residual> {
        let (mut steps, proves) = build::prune(&self.rules, &proves);
        let used = |n: usize| {
            let mut steps = steps.iter();
            steps.any(|s| matches!(s, Rule::Premise(m, ..) if *m == n))
        };
        let kept: Vec<usize> = (0..premises.len())
            .filter(|n| !added.contains(n) || used(*n))
            .collect();
        for step in &mut steps {
            if let Rule::Premise(n, ..) = step {
                *n = kept.binary_search(n).unwrap_or(*n);
            }
        }
        let premises = kept.iter().map(|n| premises[*n].clone()).collect();
        let theorem = Theorem {
            name: name.to_string(),
            premises,
            statement,
            steps,
            proves,
        };
        self.development
            .admit(theorem)
            .map_err(|rejected| Residual {
                rejected: Some(rejected.to_string()),
                ..Residual::default()
            })
    }
}

/// Proves one inclusion: as it is, then with letters eliminated and simulations added, then with its own letters again
/// and what passes its stars.
fn together(
    s: &mut ProofSearch,
    distinct: &[(u32, u32)],
    vars: &[u32],
    (left, right): (Id, Id),
) -> Result<Step, Residual> {
    let mut goal = vec![left, right];
    goal.extend(s.allowed.invariants.iter().copied());
    let mut context = s.context(vars, distinct, &goal);
    if let Some(step) = domain::learn(s, &mut context, [left, right]) {
        return Ok(step);
    }
    if let Some(step) = s.decide_fully(&context, left, right) {
        return Ok(step);
    }
    let budget = s.budget;
    if context.is_empty() && s.b.too_large.is_none() && s.b.is_settled(left, right) {
        return Err(residual(s, &context, left, right));
    }
    if !s.allowed.automatic {
        return match s.prove(&context, left, right) {
            Some(step) => Ok(step),
            None => Err(residual(s, &context, left, right)),
        };
    }
    s.budget = budget / 10;
    if let Some(step) = s.prove_within(&context, left, right, 4) {
        return Ok(step);
    }
    if members::gather(s, &mut context, [left, right])
        && let Some(step) = s.prove_within(&context, left, right, 4)
    {
        return Ok(step);
    }
    let mut passing = context.clone();
    // What passes one star may help to pass another.
    for _ in 0..2 {
        s.budget = budget / 4;
        let learned = middle::pass(s, &mut passing, [left, right], middle::SHALLOW);
        s.budget = budget / 10;
        if learned && let Some(step) = s.prove_within(&passing, left, right, 4) {
            return Ok(step);
        }
        if !learned {
            break;
        }
    }
    reduced(s, (context, passing), (left, right), budget)
}

/// Proves one inclusion with letters eliminated; then with its own again and all that passes its stars and omegas.
fn reduced(
    s: &mut ProofSearch,
    (context, mut passing): (context::Context, context::Context),
    (left, right): (Id, Id),
    budget: usize,
) -> Result<Step, Residual> {
    let own = context.rules.len();
    let mut reduced = Reduced::new(context, left, right);
    s.budget = budget;
    let eliminated = eliminate(s, &mut reduced);
    if eliminated {
        let (context, left, right) = (reduced.context.clone(), reduced.left, reduced.right);
        let step = match s.decide_fully(&context, left, right) {
            Some(step) => Some(step),
            None => s.prove_within(&context, left, right, 4),
        };
        if let Some(step) = step.and_then(|step| reduced.back(s, step)) {
            return Ok(step);
        }
    }
    simulate(s, &mut reduced.context);
    s.budget = budget;
    let step = domain::learn(s, &mut reduced.context, [reduced.left, reduced.right]);
    if let Some(step) = step.and_then(|step| reduced.back(s, step)) {
        return Ok(step);
    }
    let step = s.prove(&reduced.context, reduced.left, reduced.right);
    if let Some(step) = step.and_then(|step| reduced.back(s, step)) {
        return Ok(step);
    }
    s.budget = budget / 2;
    middle::pass(s, &mut passing, [left, right], middle::DEEP);
    // Without anything new the search has been here.
    if eliminated || passing.rules.len() > own {
        simulate(s, &mut passing);
        s.budget = budget / 2;
        if let Some(step) = s.prove(&passing, left, right) {
            return Ok(step);
        }
    }
    s.unrolls = true;
    s.renew(&mut passing);
    s.budget = budget / 4;
    let step = s.prove_within(&passing, left, right, 4);
    s.unrolls = false;
    match step {
        Some(step) => Ok(step),
        None => Err(residual(s, &passing, left, right)),
    }
}

fn residual(s: &mut ProofSearch, c: &context::Context, left: Id, right: Id) -> Residual {
    let limit = match (s.budget, s.b.too_large) {
        (0, _) => Some("the limit of search nodes (--limit-steps)"),
        (_, Some(limit)) => Some(limit),
        _ if s.classes.cut_short => Some("the limit of nodes in an e-graph (--limit-nodes)"),
        _ => None,
    };
    Residual {
        monomials: s.residual(c, left, right),
        right: Some(right),
        limit,
        ..Residual::default()
    }
}

/// The theorem for an item, proved now if it has not been; `without` leaves out one hint of one link (and then nothing
/// is kept).
fn theorem_of(
    suite: &mut Suite,
    item: usize,
    limits: &Limits,
    without: Option<(usize, usize)>,
) -> Result<usize, Residual> {
    if without.is_none()
        && let Some(known) = known(suite, item)
    {
        return Ok(known);
    }
    let this = suite.items[item].clone();
    let mut lemmas = Vec::new();
    for link in &this.links {
        let hints = link.hints.clone().unwrap_or_default();
        for hint in &hints {
            if let Use::Item { item: other, .. } = &hint.what
                && *other < item
                && suite.items[*other].declared == Declared::Proved
            {
                let lemma = theorem_of(suite, *other, limits, None).map_err(|left| Residual {
                    // The word is one of the lemma's sides.
                    model: None,
                    ..left.within(Within::Lemma(*other))
                })?;
                lemmas.push((*other, lemma));
            }
        }
    }
    let statement = statement(&this);
    let premises: Vec<Statement> = this.premises.iter().map(|(_, s)| s.clone()).collect();
    let titles = suite.items.iter().map(|i| i.title.clone()).collect();
    let mut proof = Proof::new(&mut suite.development, titles, limits);
    let mut proves = Vec::new();
    let (mut up, mut down) = (Vec::new(), Vec::new());
    let mut beyond = false;
    for (n, link) in this.links.iter().enumerate() {
        let hints: Option<Vec<Hint>> = link.hints.as_ref().map(|all| {
            let keep = |m: &usize| without != Some((n, *m));
            (0..all.len())
                .filter(keep)
                .map(|m| all[m].clone())
                .collect()
        });
        let steps = match proof.link(&this, link, hints.as_deref(), &lemmas) {
            // A hint is an offer: what it is not enough for may be proved without.
            Err(residual) if hints.is_some() && without.is_none() => {
                beyond = true;
                proof.link(&this, link, None, &lemmas).map_err(|_| residual)
            }
            other => other,
        };
        let steps = steps.map_err(|mut residual| {
            if let Some(model) = &mut residual.model {
                model.part += proves.len();
            }
            match this.links.len() {
                1 => residual,
                _ => residual.within(Within::Step(n)),
            }
        })?;
        proves.extend(&steps);
        up.extend(steps.first());
        down.extend(steps.get(1));
    }
    if this.links.len() > 1 {
        proves.push(proof.whole(up));
        if down.len() == this.links.len() {
            down.reverse();
            proves.push(proof.whole(down));
        }
    }
    let before = proof.development.theorems().len();
    let done = proof.admit(&this.title, (premises, this.added.all()), statement, proves)?;
    if without.is_some() {
        suite.development.forget(before);
    }
    if beyond {
        suite.beyond_hints.insert(item);
    }
    Ok(done)
}

impl Proof<'_> {
    /// One link of a chain, and the way back if it is an equation.
    fn link(
        &mut self,
        item: &Item,
        link: &Link,
        hints: Option<&[Hint]>,
        lemmas: &[(usize, usize)],
    ) -> Result<Vec<Step>, Residual> {
        let (given, allowed) = usable(self, item, hints, lemmas)?;
        let mut ways = vec![(link.left, link.right)];
        if link.order == Order::Equal {
            ways.push((link.right, link.left));
        }
        let mut steps = Vec::new();
        for (n, way) in ways.into_iter().enumerate() {
            let step = match link.through.get(n) {
                None => self.part(&given, &allowed, &item.distinct, way),
                Some(chains) => {
                    let step = self.through(&given, &allowed, chains);
                    // Together they may be proved where each alone is not.
                    step.or_else(|residual| {
                        let whole = self.part(&given, &allowed, &item.distinct, way);
                        whole.map_err(|_| residual)
                    })
                }
            };
            let step = step.map_err(|mut residual| {
                if let Some(model) = &mut residual.model {
                    model.part = steps.len();
                }
                residual
            })?;
            steps.push(step);
        }
        Ok(steps)
    }

    /// The sum of the first terms of some chains is below the last term of them all.
    fn through(
        &mut self,
        given: &[Given],
        allowed: &Allowed,
        chains: &Chains,
    ) -> Result<Step, Residual> {
        let mut done = Vec::new();
        for chain in chains {
            let mut links = Vec::new();
            for pair in chain.windows(2) {
                links.push(self.part(given, allowed, &[], (pair[0], pair[1]))?);
            }
            done.push(match links.as_slice() {
                [one] => *one,
                _ => self.whole(links),
            });
        }
        if let [one] = done.as_slice() {
            return Ok(*one);
        }
        let left = self
            .development
            .terms
            .sum(done.iter().map(|s| self.claims[*s].0));
        let right = done.first().map_or(ZERO, |s| self.claims[*s].1);
        self.rules.push(Rule::Join(done));
        self.claims.push((left, right));
        Ok(self.rules.len() - 1)
    }

    /// The links of a chain as one step.
    fn whole(&mut self, links: Vec<Step>) -> Step {
        let (left, right) = (
            self.claims[links[0]].0,
            self.claims[links[links.len() - 1]].1,
        );
        self.rules.push(Rule::Chain(links));
        self.claims.push((left, right));
        self.rules.len() - 1
    }
}

/// An item that has been proved.
fn known(suite: &Suite, item: usize) -> Option<usize> {
    let title = &suite.items[item].title;
    suite.development.theorems().position(|t| t.name == *title)
}

/// What an item states, all links and the chain as a whole.
pub fn statement(item: &Item) -> Statement {
    let mut parts = Vec::new();
    for link in &item.links {
        parts.push((link.left, link.right));
        if link.order == Order::Equal {
            parts.push((link.right, link.left));
        }
    }
    if let (Some(first), Some(last)) = (item.links.first(), item.links.last())
        && item.links.len() > 1
    {
        parts.push((first.left, last.right));
        if item.links.iter().all(|l| l.order == Order::Equal) {
            parts.push((last.right, first.left));
        }
    }
    Statement {
        distinct: item.distinct.clone(),
        parts,
    }
}
