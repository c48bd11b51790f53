//! What is said of a proof, or of the want of one.

use super::Engine;
use crate::algebra::refute::Model;
use crate::algebra::show;
use crate::algebra::suite::{Level, Suite};
use crate::kernel::{Development, Id, Node, Rule, Terms, Theorem, ZERO};

/// What was left when no proof was found.
#[derive(Clone, Debug, Default)]
pub struct Residual {
    /// Where the claim that was not shown stands in the statement, from the inside out.
    pub within: Vec<Within>,
    /// The side that the monomials are not below.
    pub right: Option<Id>,
    /// Monomials of the left side.
    pub monomials: Vec<Id>,
    /// Which limit was hit, if one was.
    pub limit: Option<&'static str>,
    /// The kernel's objection, if it had one: that is a bug.
    pub rejected: Option<String>,
    /// Relations that may refute it, and stand for a word that the left side has and the right side has not.
    pub model: Option<Box<Model>>,
}

/// What a claim that was not shown is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// A step of a chain, counted from 0.
    Step(usize),
    /// Two processes are the same, or different.
    Processes {
        /// One of them, an index variable.
        one: u32,
        /// The other.
        other: u32,
        /// Whether they are the same.
        same: bool,
    },
    /// A statement that a hint names, which has to be proved first.
    Lemma(usize),
    /// A premise of a statement that a hint names, for the letters that it is used for.
    Premise {
        /// The statement.
        of: usize,
        /// The premise.
        premise: usize,
    },
    /// A hypothesis that such a statement rests on, for these letters.
    Hypothesis {
        /// The statement.
        of: usize,
        /// The hypothesis.
        hypothesis: usize,
    },
}

impl Residual {
    /// The same, as what is left of something larger.
    #[must_use]
    pub fn within(mut self, larger: Within) -> Self {
        self.within.push(larger);
        self
    }
}

/// Which engine found a proof, and its rules in words.
pub fn describe(d: &Development, theorem: usize) -> (Engine, Vec<String>) {
    let Some(t) = d.theorem(theorem) else {
        return Default::default();
    };
    let count = |f: fn(&Rule) -> bool| t.steps.iter().filter(|r| f(r)).count();
    let decisions = count(|r| matches!(r, Rule::Decide(..)));
    let inductions = count(|r| matches!(r, Rule::StarLeft(..) | Rule::StarRight(..)));
    let coinductions = count(|r| matches!(r, Rule::Coinduction(..)));
    let sums = count(|r| {
        matches!(
            r,
            Rule::SumElim(..)
                | Rule::SumIntro(..)
                | Rule::Separate(..)
                | Rule::ProductElim(..)
                | Rule::ProductIntro(..)
        )
    });
    let cases = count(|r| matches!(r, Rule::Cases(..)));
    let uses = count(|r| {
        matches!(
            r,
            Rule::Hypothesis(..) | Rule::Premise(..) | Rule::Theorem { .. }
        )
    });
    let unfoldings = count(|r| matches!(r, Rule::Unfold(_)));
    let structural = |r: &Rule| {
        matches!(
            r,
            Rule::Decide(..) | Rule::Chain(_) | Rule::Join(_) | Rule::Context(..)
        )
    };
    let about_omega = |r: &Rule| matches!(r, Rule::Unfold(_) | Rule::Coinduction(..));
    let given = |r: &Rule| matches!(r, Rule::Hypothesis(..) | Rule::Premise(..));
    let all = |f: &dyn Fn(&Rule) -> bool| t.steps.iter().all(f);
    let only_zeros = all(&|r| structural(r) || given(r));
    let engine = match uses_of(d, t) {
        _ if all(&|r| matches!(r, Rule::Decide(..) | Rule::Chain(_))) => Engine::Decide,
        _ if all(&|r| structural(r) || about_omega(r)) => Engine::Omega,
        Some(Uses::Zeros) if only_zeros => Engine::Hypotheses,
        Some(Uses::Words) if only_zeros => Engine::Egraph,
        _ => Engine::Search,
    };
    let mut parts = Vec::new();
    let mut say = |n: usize, one: &str| {
        if n > 0 {
            parts.push(format!("{n} {one}{}", if n == 1 { "" } else { "s" }));
        }
    };
    say(decisions, "decision");
    say(uses, "hypothesis use");
    say(inductions, "induction");
    say(unfoldings, "unfolding");
    say(coinductions, "coinduction");
    say(sums, "sum rule");
    say(cases, "case split");
    (engine, vec![parts.join(", ")])
}

/// What a proof uses of hypotheses.
enum Uses {
    /// Only `e <= 0`.
    Zeros,
    /// That, and equations between words.
    Words,
}

/// What a proof uses of hypotheses, if no more than that.
fn uses_of(d: &Development, t: &Theorem) -> Option<Uses> {
    let mut uses = Uses::Zeros;
    for rule in &t.steps {
        let (statement, part) = match rule {
            Rule::Hypothesis(n, part, _) => (&d.hypotheses().get(*n)?.1, *part),
            Rule::Premise(n, part, _) => (t.premises.get(*n)?, *part),
            Rule::Theorem { .. } => return None,
            _ => continue,
        };
        let (l, r) = *statement.parts.get(part)?;
        let is_word = |t: Id| !matches!(d.terms.node(t), Node::Sum(_));
        if r == ZERO {
            continue;
        }
        if !statement.parts.contains(&(r, l)) || !is_word(l) || !is_word(r) {
            return None;
        }
        uses = Uses::Words;
    }
    Some(uses)
}

/// The level of the axioms that a proof needs.
pub fn level(d: &Development, theorem: usize) -> Level {
    let Some(t) = d.theorem(theorem) else {
        return Level::default();
    };
    let sides = t
        .premises
        .iter()
        .chain([&t.statement])
        .flat_map(|s| &s.parts);
    let mut level = sides.fold(Level::default(), |l, (a, b)| {
        l.max(level_of(&d.terms, *a)).max(level_of(&d.terms, *b))
    });
    for rule in &t.steps {
        level = level.max(match rule {
            Rule::Decide(a, b, _) => level_of(&d.terms, *a).max(level_of(&d.terms, *b)),
            Rule::StarLeft(..) | Rule::StarRight(..) => Level::Kleene,
            Rule::Coinduction(..) | Rule::Unfold(_) => Level::Omega,
            Rule::Domain(_)
            | Rule::Codomain(_)
            | Rule::BeforeDomain(..)
            | Rule::BehindCodomain(..) => Level::Domain,
            Rule::Divergence(_) | Rule::BelowDivergence(..) => Level::Divergence,
            Rule::ProductElim(..) | Rule::ProductIntro(..) => Level::Tests,
            Rule::Theorem { theorem, .. } => self::level(d, *theorem),
            _ => Level::default(),
        });
    }
    level
}

/// The level of the symbols in a term.
pub fn level_of(terms: &Terms, t: Id) -> Level {
    let mut level = Level::default();
    terms.any(t, &mut |n| {
        level = level.max(match n {
            Node::Top => Level::Top,
            Node::Star(_) => Level::Kleene,
            Node::Omega(_) => Level::Omega,
            Node::Applied(operator, _) => Level::of(*operator),
            Node::Not(_) | Node::ProductOver(..) => Level::Tests,
            Node::Atom(s, _) if terms.is_converse_of(*s).is_some() => Level::Converse,
            Node::Atom(s, _) if terms.symbols()[*s as usize].test => Level::Tests,
            _ => Level::Semiring,
        });
        false
    });
    level
}

impl Within {
    fn told(self, suite: &Suite) -> String {
        let variable = |v: u32| suite.development.variables.get(v as usize);
        let name = |v: u32| variable(v).map_or_else(|| v.to_string(), String::clone);
        match self {
            Within::Step(n) => format!("step {}", n + 1),
            Within::Processes { one, other, same } => {
                let is = if same { "=" } else { "!=" };
                format!("where {} {is} {}", name(one), name(other))
            }
            Within::Lemma(n) => format!("lemma {}", suite.items[n].title),
            Within::Premise { of, premise } => {
                let title = &suite.items[of].title;
                let theorem = suite.development.theorems().find(|t| t.name == *title);
                let names = theorem.map(|t| suite.names_of_premises(of, t));
                let name = names.and_then(|names| names.into_iter().nth(premise));
                let name = name.filter(|name| !name.is_empty());
                let name = name.unwrap_or_else(|| (premise + 1).to_string());
                format!("premise {name} of {title}")
            }
            Within::Hypothesis { of, hypothesis } => {
                let (name, _) = &suite.development.hypotheses()[hypothesis];
                format!("hypothesis {name} of {}", suite.items[of].title)
            }
        }
    }
}

/// What is left of a statement that was not proved.
pub fn tell(suite: &Suite, residual: &Residual) -> Vec<String> {
    let d = &suite.development;
    let mut lines = Vec::new();
    if let Some(why) = &residual.rejected {
        lines.push(format!(
            "the kernel rejected the proof found, which is a bug in coarsen: {why}"
        ));
        return lines;
    }
    let parts = residual.within.iter().rev().map(|w| w.told(suite));
    let parts: Vec<String> = parts.collect();
    let within = match parts.as_slice() {
        [] => String::new(),
        some => format!("{}: ", some.join(", ")),
    };
    if let Some(right) = residual.right {
        lines.push(format!(
            "{within}not shown to be below {}:",
            show::term(d, right)
        ));
        lines.extend(
            residual
                .monomials
                .iter()
                .map(|m| format!("  {}", show::term(d, *m))),
        );
    }
    if let Some(limit) = residual.limit {
        let within = if residual.right.is_none() {
            &within
        } else {
            ""
        };
        lines.push(format!("{within}{limit} was hit"));
    }
    lines
}
