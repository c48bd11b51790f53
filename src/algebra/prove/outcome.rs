//! What is said of a proof, or of the want of one.

use super::{Limits, Residual};
use crate::algebra::suite::{Level, Suite};
use crate::kernel::{Development, Id, Node, Rule, Terms, Theorem};

/// Which engine found a proof, and its rules in words.
pub fn describe(d: &Development, theorem: usize) -> (String, Vec<String>) {
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
            Rule::Hypothesis(..) | Rule::Premise(..) | Rule::Theorem { .. } | Rule::Unfold(_)
        )
    });
    let only_zeros = t.steps.iter().all(|r| {
        let structural = matches!(
            r,
            Rule::Decide(..) | Rule::Chain(_) | Rule::Join(_) | Rule::Context(..)
        );
        structural || matches!(r, Rule::Hypothesis(..) | Rule::Premise(..))
    });
    let engine = if t
        .steps
        .iter()
        .all(|r| matches!(r, Rule::Decide(..) | Rule::Chain(_)))
    {
        "decide"
    } else if only_zeros && !applies_rules(d, t) {
        "hypotheses"
    } else {
        "search"
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
    say(coinductions, "coinduction");
    say(sums, "sum rule");
    say(cases, "case split");
    (engine.into(), vec![parts.join(", ")])
}

/// Whether a hypothesis is used that is not of the form `e <= 0`.
fn applies_rules(d: &Development, t: &Theorem) -> bool {
    let is_zero = |parts: &[(Id, Id)], part: usize| {
        parts
            .get(part)
            .is_some_and(|(_, r)| *r == crate::kernel::ZERO)
    };
    t.steps.iter().any(|r| match r {
        Rule::Hypothesis(n, part, _) => !is_zero(&d.hypotheses()[*n].1.parts, *part),
        Rule::Premise(n, part, _) => !is_zero(&t.premises[*n].parts, *part),
        Rule::Theorem { .. } => true,
        _ => false,
    })
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
            Node::Not(_) | Node::ProductOver(..) => Level::Tests,
            Node::Atom(s, _) if terms.symbols()[*s as usize].test => Level::Tests,
            _ => Level::Semiring,
        });
        false
    });
    level
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
    if let Some(right) = residual.right {
        lines.push(format!("not shown to be below {}:", show(d, right)));
        lines.extend(
            residual
                .monomials
                .iter()
                .map(|m| format!("  {}", show(d, *m))),
        );
    }
    if let Some(limit) = residual.limit {
        lines.push(format!("{limit} was hit"));
    }
    lines
}

/// A model in which a statement fails, in lines.
pub fn refuted(_: &mut Suite, _: usize, _: &Limits) -> Option<Vec<String>> {
    None
}

/// A term as text.
pub fn show(d: &Development, t: Id) -> String {
    let ix = |is: &[crate::kernel::Index]| {
        is.iter()
            .map(|i| match i {
                crate::kernel::Index::Var(v) => d
                    .variables
                    .get(*v as usize)
                    .cloned()
                    .unwrap_or(format!("j{v}")),
                crate::kernel::Index::Bound(n) => format!("b{n}"),
            })
            .collect::<Vec<_>>()
            .join(",")
    };
    let all = |of: &[Id], sep: &str| of.iter().map(|x| show(d, *x)).collect::<Vec<_>>().join(sep);
    match d.terms.node(t) {
        Node::Zero => "0".into(),
        Node::One => "1".into(),
        Node::Top => "T".into(),
        Node::Atom(s, is) if is.is_empty() => d.terms.symbols()[*s as usize].name.clone(),
        Node::Atom(s, is) => format!("{}[{}]", d.terms.symbols()[*s as usize].name, ix(is)),
        Node::Not(x) => format!("~{}", show(d, *x)),
        Node::Sum(of) => format!("({})", all(of, " + ")),
        Node::Product(of) => all(of, " "),
        Node::Star(x) => format!("({})*", show(d, *x)),
        Node::Omega(x) => format!("({})^w", show(d, *x)),
        Node::SumOver(but, x) => format!("(+ !={} : {})", ix(but), show(d, *x)),
        Node::ProductOver(but, x) => format!("(. !={} : {})", ix(but), show(d, *x)),
    }
}
