//! The answer for a problem, from the answers of prover and refuter for its parts.
//!
//! A theorem needs a proof of each part, from laws that are among the axioms. A counter-model is one of relations, and
//! has to satisfy every axiom: those that are known laws hold for relations, those about no variables are premises, and
//! the others have to be proved. All else is `GaveUp`.

mod stars;

use super::axioms::{Laws, operation};
use super::claims::{Claim, Goal, Letters, Read, claims};
use super::definitions::unfolded;
use super::instances::with_instances;
use super::load::Problem;
use super::sequents::sequents;
use crate::algebra::Order;
use crate::algebra::demonic::Demonic;
use crate::algebra::names;
use crate::algebra::prove::{self, Engine, Limits, Status, level_of};
use crate::algebra::show;
use crate::algebra::suite::{Added, Declared, Item, Level, Link, OnRelations, Suite};
use crate::algebra::tptp::text::{Annotated, Formula, Role, Term};
use crate::base::control::{Control, Stop};
use crate::base::results::problems::Szs;
use crate::kernel::{Development, Id, Node, ONE, Rule, Statement, Sym, Terms, ZERO};
use rustc_hash::FxHashSet;
use std::time::Instant;

/// The answer for a problem.
pub struct Solution {
    /// The status.
    pub szs: Szs,
    /// Why nothing is known, if so; else empty.
    pub reason: String,
    /// The laws that are among the axioms, in words.
    pub laws: String,
    /// What was proved or refuted.
    pub parts: Vec<Part>,
    /// The theorems, with their proofs.
    pub development: Development,
}

/// A statement that a problem was taken apart to, with its answer.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// What it says, as in `.thy` files.
    pub text: String,
    /// The answer.
    pub status: Status,
    /// Which engine gave it.
    pub engine: Engine,
    /// Why, in lines.
    pub why: Vec<String>,
    /// The level of the axioms that the proof uses; else that of the symbols.
    pub level: Level,
    /// Seconds.
    pub time: f64,
}

/// What came of a claim, or of all.
enum Verdict {
    Proved,
    Refuted,
    Unknown(String),
}

/// Proves or refutes a problem, until asked to stop.
///
/// # Errors
/// Why it was asked to stop.
pub fn solve(problem: &Problem, limits: &Limits, control: &Control) -> Result<Solution, Stop> {
    let mut formulas = unfolded(&problem.formulas);
    for f in &mut formulas {
        if f.role == Role::Conjecture {
            f.formula = with_instances(&f.formula);
        }
    }
    let problem = &Problem {
        formulas,
        name: problem.name.clone(),
        file: problem.file.clone(),
        declared: problem.declared.clone(),
    };
    let axioms = of_role(problem, Role::Axiom);
    let formulas: Vec<&Formula> = axioms.iter().map(|a| &a.formula).collect();
    let (laws, recognised) = Laws::of(&formulas);
    let others = axioms.iter().zip(recognised).filter(|(_, known)| !known);
    let others: Vec<&Annotated> = others.map(|(a, _)| *a).collect();
    let conjectures = of_role(problem, Role::Conjecture);
    let mut solver = Solver {
        laws: &laws,
        limits: *limits,
        control,
        suite: Suite::default(),
        letters: Letters::default(),
        read: Read {
            demonic: None,
            free_star: laws.have_free_star(),
        },
        aborts: None,
        titles: FxHashSet::default(),
        parts: Vec::new(),
    };
    let verdict = solver.problem(problem, &conjectures, &others)?;
    let any = !conjectures.is_empty();
    let (szs, reason) = match verdict {
        Verdict::Proved if any => (Szs::Theorem, String::new()),
        Verdict::Proved => (Szs::Unsatisfiable, String::new()),
        Verdict::Refuted if any => (Szs::CounterSatisfiable, String::new()),
        Verdict::Refuted => (Szs::Satisfiable, String::new()),
        Verdict::Unknown(why) => (Szs::GaveUp, why),
    };
    Ok(Solution {
        szs,
        reason,
        laws: laws.describe(),
        parts: solver.parts,
        development: solver.suite.development,
    })
}

fn of_role(problem: &Problem, role: Role) -> Vec<&Annotated> {
    let all = problem.formulas.iter();
    all.filter(|f| f.role == role).collect()
}

/// A symbol of a formula that is not in the vocabulary.
fn foreign(formula: &Formula) -> Option<String> {
    let mut found: Option<String> = None;
    let mut functions = |t: &Term| {
        t.parts(&mut |part| match part {
            Term::Foreign(name) => found = found.take().or(Some(name.clone())),
            Term::Apply(name, of) if !of.is_empty() && operation(name, of.len()).is_none() => {
                found = found.take().or(Some(name.clone()));
            }
            Term::Apply(..) | Term::Variable(_) => {}
        });
    };
    let mut predicate = None;
    formula.atoms(&mut |atom, other| match (atom, other) {
        (s, Some(t)) => [s, t].into_iter().for_each(&mut functions),
        (Term::Apply(name, of), None) => {
            match (name.as_str(), of.len()) {
                ("leq" | "complement", 2) | ("test", 1) => {}
                _ => predicate = predicate.take().or(Some(name.clone())),
            }
            of.iter().for_each(&mut functions);
        }
        (Term::Foreign(name), None) => predicate = predicate.take().or(Some(name.clone())),
        (Term::Variable(_), None) => {}
    });
    predicate.or(found)
}

struct Solver<'a> {
    laws: &'a Laws,
    limits: Limits,
    control: &'a Control,
    suite: Suite,
    letters: Letters,
    /// How the problem is read.
    read: Read,
    /// The test of its models, once it has a name.
    aborts: Option<Sym>,
    /// Names of theorems: a theorem is found again by its name.
    titles: FxHashSet<String>,
    parts: Vec<Part>,
}

impl Solver<'_> {
    fn problem(
        &mut self,
        problem: &Problem,
        conjectures: &[&Annotated],
        others: &[&Annotated],
    ) -> Result<Verdict, Stop> {
        for conjecture in conjectures {
            if let Some(name) = foreign(&conjecture.formula) {
                return Ok(Verdict::Unknown(format!("not supported: `{name}`")));
            }
        }
        // Of an axiom about all elements nothing is used, but a counter-model has to satisfy it.
        let is_general = |a: &&&Annotated| matches!(a.formula, Formula::All(..));
        let general: Vec<&Annotated> = others.iter().filter(is_general).copied().collect();
        let ground = others.iter().filter(|a| !is_general(a));
        let negated = of_role(problem, Role::Negated);
        let given: Vec<&Formula> = ground.chain(&negated).map(|a| &a.formula).collect();
        let goals = conjectures.iter().map(|c| (&c.name, Some(&c.formula)));
        let contradiction = conjectures.is_empty().then_some((&problem.name, None));
        let goals: Vec<(&String, Option<&Formula>)> = goals.chain(contradiction).collect();
        let all = match self.all_claims(&given, &goals) {
            Ok(all) => all,
            Err(why) => return Ok(Verdict::Unknown(why)),
        };
        let mut verdict = Verdict::Proved;
        for (n, (name, claim)) in all.iter().enumerate() {
            let name = numbered(name, n, all.len());
            match self.settle(&name, claim, Some(self.laws))? {
                Verdict::Proved => {}
                Verdict::Refuted => return self.checked(&general),
                unknown if matches!(verdict, Verdict::Proved) => verdict = unknown,
                Verdict::Unknown(_) => {}
            }
        }
        Ok(verdict)
    }

    /// The claims of all goals, each with the name of its goal.
    fn all_claims<'n>(
        &mut self,
        given: &[&Formula],
        goals: &[(&'n String, Option<&Formula>)],
    ) -> Result<Vec<(&'n str, Claim)>, String> {
        let read = |solver: &mut Self| {
            let mut all = Vec::new();
            for (name, goal) in goals {
                let goal: Vec<&Formula> = goal.iter().copied().collect();
                let claims = solver.claims(given, &goal)?;
                all.extend(claims.into_iter().map(|c| (name.as_str(), c)));
            }
            Ok(all)
        };
        let all = read(self)?;
        if !self.laws.are_demonic() || !all.iter().all(|(_, c)| c.needs.may_be_demonic()) {
            return Ok(all);
        }
        let zero = self
            .letters
            .fresh(&mut self.suite.development.terms, "zero", false);
        self.read.demonic = Some(Demonic::new(zero, self.laws.have_strong()));
        read(self)
    }

    fn claims(&mut self, given: &[&Formula], goals: &[&Formula]) -> Result<Vec<Claim>, String> {
        let all = sequents(given, goals).ok_or("there are too many cases")?;
        let mut done = Vec::new();
        for sequent in all {
            let terms = &mut self.suite.development.terms;
            done.extend(claims(terms, &mut self.letters, self.read, sequent)?);
        }
        Ok(done)
    }

    /// A counter-model was found: it is one if it satisfies what else is assumed.
    fn checked(&mut self, general: &[&Annotated]) -> Result<Verdict, Stop> {
        for axiom in general {
            if !self.holds(axiom)? {
                return Ok(Verdict::Unknown(format!(
                    "refuted without the axiom `{}`, which is not known to hold for relations",
                    axiom.name
                )));
            }
        }
        Ok(Verdict::Refuted)
    }

    /// Whether a formula is proved to hold in all algebras with all laws, so in those of relations.
    fn holds(&mut self, axiom: &Annotated) -> Result<bool, Stop> {
        if foreign(&axiom.formula).is_some() {
            return Ok(false);
        }
        let Ok(all) = self.claims(&[], &[&axiom.formula]) else {
            return Ok(false);
        };
        // Tests and domains of omega algebra are not those of the demonic algebra in it.
        if self.read.demonic.is_some() && !all.iter().all(|c| c.needs.may_be_demonic()) {
            return Ok(false);
        }
        for (n, claim) in all.iter().enumerate() {
            let name = numbered(&axiom.name, n, all.len());
            let verdict = self.settle(&name, claim, None)?;
            if !matches!(verdict, Verdict::Proved) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Settles one claim: a goal has to be proved, or all to be refuted, as a product of counter-models is one of all
    /// goals. Proofs may use the laws given, or all.
    fn settle(&mut self, name: &str, claim: &Claim, laws: Option<&Laws>) -> Result<Verdict, Stop> {
        if self.letters.stars.is_empty() {
            return self.settle_as_read(name, claim, laws);
        }
        self.settle_with_stars(name, claim, laws)
    }

    fn settle_as_read(
        &mut self,
        name: &str,
        claim: &Claim,
        laws: Option<&Laws>,
    ) -> Result<Verdict, Stop> {
        let solved = claim.clone().solved(&mut self.suite.development.terms);
        let claim = if claim.needs.domain { &solved } else { claim };
        let missing = laws
            .map(|laws| laws.missing(claim.needs))
            .unwrap_or_default();
        let with_omega = laws.is_none_or(|laws| match self.read.demonic {
            Some(_) => laws.have_strong(),
            None => laws.have_omega(),
        });
        let mut why = None;
        let mut refuted = true;
        // A sequent without goals says that its assumptions contradict each other. An algebra with one element
        // satisfies every equation, so they do not.
        let none = [Goal::BelowOne(ONE)];
        let goals = match claim.goals.as_slice() {
            [] => &none,
            goals => goals,
        };
        for (n, goal) in goals.iter().enumerate() {
            let name = numbered(name, n, goals.len());
            let mut proved = true;
            let nothing = claim.goals.is_empty().then(|| self.zero());
            for comparison in comparisons(goal, nothing) {
                let status = self.part(&name, claim, goal, comparison, &missing, with_omega)?;
                proved &= status == Status::Proved;
                refuted &= status == Status::Refuted && !matches!(goal, Goal::Complemented(_));
                if status == Status::Unknown {
                    why.get_or_insert_with(|| format!("`{name}` is neither proved nor refuted"));
                }
            }
            if proved {
                return Ok(Verdict::Proved);
            }
        }
        if !missing.is_empty() {
            why = Some(format!(
                "laws that are not among the axioms: {}",
                missing.join(", ")
            ));
        }
        Ok(match (refuted, claim.left_out.as_slice()) {
            (true, []) => Verdict::Refuted,
            (_, [first, ..]) => Verdict::Unknown(format!("left out: {first}")),
            (false, []) => {
                Verdict::Unknown(why.unwrap_or_else(|| format!("`{name}` is not proved")))
            }
        })
    }

    /// A claim as it is proved and refuted.
    fn read(
        &mut self,
        claim: &Claim,
        link: Link,
    ) -> (Vec<Statement>, Vec<Link>, Option<OnRelations>) {
        let terms = &mut self.suite.development.terms;
        let Some(demonic) = self.read.demonic else {
            return (claim.premises.clone(), vec![link], None);
        };
        let letters = &mut self.letters;
        let aborts = self
            .aborts
            .get_or_insert_with(|| letters.fresh(terms, "aborts", true));
        let read = demonic.read(terms, &claim.premises, &[link], *aborts);
        (read.premises, read.links, Some(read.on_relations))
    }

    fn zero(&mut self) -> Id {
        match self.read.demonic {
            Some(demonic) => demonic.nothing(&mut self.suite.development.terms),
            None => ZERO,
        }
    }

    /// Has one comparison proved or refuted.
    fn part(
        &mut self,
        name: &str,
        claim: &Claim,
        goal: &Goal,
        (left, right, order): (Id, Id, Order),
        missing: &[&str],
        with_omega: bool,
    ) -> Result<Status, Stop> {
        self.control.check()?;
        self.control.enter(name.to_string());
        let title = names::title(name, |n| self.titles.insert(n.to_string()));
        let link = Link::new(left, right, order);
        let (premises, links, on_relations) = self.read(claim, link);
        let unnamed = |p| (String::new(), p);
        let item = Item {
            model: None,
            on_relations,
            without: Vec::new(),
            name: name.to_string(),
            title,
            file: String::new(),
            line: 1,
            declared: Declared::Proved,
            text: String::new(),
            level: Level::default(),
            asked: true,
            premises: premises.into_iter().map(unnamed).collect(),
            added: Added::default(),
            distinct: Vec::new(),
            links,
        };
        let text = text(&self.suite.development, claim, (left, right, order));
        let item_level = match self.read.demonic {
            Some(_) => Level::Demonic,
            None => level(&self.suite.development.terms, &item),
        };
        self.suite.items.push(item);
        let item = self.suite.items.len() - 1;
        let before = self.suite.development.theorems().len();
        let begun = Instant::now();
        let mut outcome = prove::prove(&mut self.suite, item, &self.limits);
        let time = begun.elapsed().as_secs_f64();
        let d = &mut self.suite.development;
        let mut level = item_level;
        if outcome.status == Status::Proved {
            let omega = !with_omega && outcome.theorem.is_none_or(|n| uses_omega(d, n));
            let star = claim.needs.star || self.laws.have_star();
            let beyond = outcome
                .theorem
                .is_some_and(|n| uses_domain_beyond(d, n, star));
            let needs = claim.needs;
            let zero = |p: &Statement| p.parts.iter().all(|(l, r)| *l == ZERO || *r == ZERO);
            let alone = needs.domain_alone() && claim.premises.iter().all(zero);
            let unfit = match (goal, missing) {
                // Shown is what follows from the goal, for the sake of a counter-model.
                (Goal::BelowOne(_), _) if claim.goals.is_empty() => {
                    Some("only the algebra of one element satisfies all assumptions".to_string())
                }
                (Goal::BelowOne(_), _) => {
                    Some("this is below 1, but not known to be a test".to_string())
                }
                (_, [_, ..]) => Some("proved with laws that are not among the axioms".to_string()),
                (_, []) if needs.domain && !alone => {
                    Some("proved with complements of domains, which need not exist".to_string())
                }
                (_, []) if beyond && !with_omega => {
                    Some("proved with domains of terms that need not exist".to_string())
                }
                (_, []) if omega => {
                    Some("proved with laws of omega, which are not among the axioms".to_string())
                }
                (_, []) => None,
            };
            match (outcome.theorem, unfit) {
                (Some(n), None) if self.read.demonic.is_none() => level = prove::level(d, n),
                (Some(_), None) => {}
                (_, unfit) => {
                    outcome.status = Status::Unknown;
                    outcome.why = unfit.into_iter().collect();
                    d.forget(before);
                }
            }
        }
        self.parts.push(Part {
            name: name.to_string(),
            text,
            status: outcome.status,
            engine: outcome.engine,
            why: outcome.why,
            level,
            time,
        });
        Ok(outcome.status)
    }
}

/// `name.2` for the second of several.
fn numbered(name: &str, n: usize, of: usize) -> String {
    match of {
        1 => name.to_string(),
        _ => format!("{name}.{}", n + 1),
    }
}

/// What a goal has to be compared for. That 1 is `nothing` stands for the goal that never holds.
fn comparisons(goal: &Goal, nothing: Option<Id>) -> Vec<(Id, Id, Order)> {
    match goal {
        Goal::Compare(left, right, order) => vec![(*left, *right, *order)],
        Goal::Complemented(all) => all.clone(),
        Goal::BelowOne(t) => match nothing {
            Some(zero) => vec![(ONE, zero, Order::Below)],
            None => vec![(*t, ONE, Order::Below)],
        },
    }
}

/// `[p <= q] l = r`
fn text(d: &Development, claim: &Claim, (left, right, order): (Id, Id, Order)) -> String {
    let premises: Vec<String> = claim
        .premises
        .iter()
        .map(|p| show::statement(d, p))
        .collect();
    let goal = Statement {
        distinct: Vec::new(),
        parts: match order {
            Order::Below => vec![(left, right)],
            Order::Equal => vec![(left, right), (right, left)],
        },
    };
    let goal = show::statement(d, &goal);
    match premises.is_empty() {
        true => goal,
        false => format!("[{}] {goal}", premises.join(", ")),
    }
}

/// The level of the symbols of a statement.
fn level(terms: &Terms, item: &Item) -> Level {
    let statements = item.premises.iter().flat_map(|(_, s)| &s.parts);
    let sides = statements.flat_map(|(l, r)| [*l, *r]);
    let sides = sides.chain(item.links.iter().flat_map(|l| [l.left, l.right]));
    sides.fold(Level::default(), |level, t| level.max(level_of(terms, t)))
}

/// Whether the rules of domain and divergence are used of terms that may be no elements: with `*` or `T` where there
/// may be none.
fn uses_domain_beyond(d: &mut Development, theorem: usize, star: bool) -> bool {
    let steps = d.theorem(theorem).map(|t| t.steps.clone());
    let steps = steps.unwrap_or_default();
    let diverge = |rule: &Rule| matches!(rule, Rule::BelowDivergence(..));
    let claims = match steps.iter().any(diverge) {
        true => d.claims(theorem).ok(),
        false => Some(Vec::new()),
    };
    let Some(claims) = claims else {
        return true;
    };
    let beyond = |t: &Id| {
        d.terms.any(*t, &mut |n| match n {
            Node::Top | Node::Omega(_) => true,
            Node::Star(_) => !star,
            _ => false,
        })
    };
    steps.iter().any(|rule| match rule {
        Rule::Domain(x) | Rule::Codomain(x) | Rule::Divergence(x) => beyond(x),
        Rule::BeforeDomain(x, y, _) | Rule::BehindCodomain(x, y, _) => beyond(x) || beyond(y),
        Rule::BelowDivergence(x, step) => beyond(x) || beyond(&claims[*step].left),
        _ => false,
    })
}

/// Whether a proof may rest on the laws of `^w`: yes, unless each of its rules is known to be free of them.
fn uses_omega(d: &Development, theorem: usize) -> bool {
    let Some(t) = d.theorem(theorem) else {
        return true;
    };
    let has = |t: &Id| d.terms.any(*t, &mut |n| matches!(n, Node::Omega(_)));
    let sides = t
        .premises
        .iter()
        .chain([&t.statement])
        .flat_map(|s| &s.parts);
    sides.clone().any(|(l, r)| has(l) || has(r))
        || t.steps.iter().any(|rule| match rule {
            Rule::Decide(l, r, _) => has(l) || has(r),
            Rule::Context(c, _, _) => has(c),
            Rule::StarLeft(x, ..) | Rule::StarRight(x, ..) => has(x),
            Rule::Domain(x) | Rule::Codomain(x) => has(x),
            Rule::Divergence(x) | Rule::BelowDivergence(x, _) => has(x),
            Rule::BeforeDomain(x, y, _) | Rule::BehindCodomain(x, y, _) => has(x) || has(y),
            Rule::Premise(..) | Rule::Chain(_) | Rule::Join(_) => false,
            _ => true,
        })
}
