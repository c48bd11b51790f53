//! What hints allow: which statements may be used, and which rules.

use super::context::{self, Allowed, Given, Source};
use super::{Proof, Residual, Within, everything};
use crate::algebra::suite::{Hint, Item, Use};
use crate::kernel::{self, Id, Renaming, Rule, Statement, Sym};
use std::collections::BTreeSet;

/// A theorem to be used, with its variables renamed and its letters replaced.
struct Lemma {
    item: usize,
    theorem: usize,
    variables: Renaming,
    letters: Vec<(Sym, Id)>,
}

/// What the hints of a link allow; without hints, everything that the item assumes.
pub(super) fn usable(
    proof: &mut Proof,
    item: &Item,
    hints: Option<&[Hint]>,
    lemmas: &[(usize, usize)],
) -> Result<(Vec<Given>, Allowed), Residual> {
    let Some(hints) = hints else {
        return Ok((assumptions(proof, item), everything()));
    };
    let (mut given, mut allowed) = (Vec::new(), Allowed::default());
    let mut applied = Vec::new();
    for hint in hints {
        match &hint.what {
            Use::Hypothesis(n) => given.push(hypothesis(proof, *n)),
            Use::Premise(n) => given.push(premise(item, *n)),
            Use::Item {
                item,
                variables,
                letters,
            } => {
                if let Some((_, theorem)) = lemmas.iter().find(|(i, _)| i == item) {
                    applied.push(Lemma {
                        item: *item,
                        theorem: *theorem,
                        variables: variables.clone(),
                        letters: letters.clone(),
                    });
                }
            }
            Use::Induction(invariant) => {
                allowed.induction = true;
                allowed.invariants.extend(invariant);
            }
            Use::Coinduction => allowed.coinduction = true,
            Use::Unfold => allowed.unfold = true,
            Use::SumElim => allowed.sum_elim = true,
            Use::SumIntro => allowed.sum_intro = true,
            Use::ProductElim => allowed.product_elim = true,
            Use::ProductIntro => allowed.product_intro = true,
            Use::Separate(i) => allowed.separate.push(*i),
            Use::Cases(pair) => allowed.cases.push(*pair),
        }
    }
    // Premises of a lemma are proved from the other hints; those without premises come first.
    applied.sort_by_key(|lemma| {
        let theorem = proof.development.theorem(lemma.theorem);
        let premises = theorem.is_some_and(|t| !t.premises.is_empty());
        premises || !carried(proof, lemma).is_empty()
    });
    for lemma in applied {
        let instance = instance(proof, item, (&given, &allowed), lemma)?;
        given.extend(instance);
    }
    Ok((given, allowed))
}

fn premise(item: &Item, n: usize) -> Given {
    Given {
        source: Source::Premise(n),
        statement: item.premises[n].1.clone(),
        fixed: Vec::new(),
    }
}

fn hypothesis(proof: &Proof, n: usize) -> Given {
    Given {
        source: Source::Hypothesis(n),
        statement: proof.development.hypotheses()[n].1.clone(),
        fixed: Vec::new(),
    }
}

/// All premises, and the hypotheses but those that the item does without.
fn assumptions(proof: &Proof, item: &Item) -> Vec<Given> {
    let premises = (0..item.premises.len()).map(|n| premise(item, n));
    let all = 0..proof.development.hypotheses().len();
    let hypotheses = all.filter(|n| !item.without.contains(n));
    let hypotheses = hypotheses.map(|n| hypothesis(proof, n));
    premises.chain(hypotheses).collect()
}

/// The hypotheses that must be proved for the letters that a lemma is used for: if it rests on any, all that have one
/// of these letters; with their positions.
fn carried(proof: &mut Proof, lemma: &Lemma) -> Vec<(usize, Statement)> {
    if !proof.development.is_conditional(lemma.theorem) {
        return Vec::new();
    }
    let all = proof.development.hypotheses().to_vec();
    let terms = &mut proof.development.terms;
    let all = all.into_iter().map(|(_, s)| s).enumerate();
    all.filter(|(_, s)| s.changes(terms, &lemma.letters))
        .collect()
}

/// The index variables of what replaces a lemma's letters.
fn named(proof: &Proof, lemma: &Lemma) -> Vec<u32> {
    let terms = &proof.development.terms;
    let by = lemma.letters.iter().map(|(_, by)| *by);
    by.flat_map(|t| context::variables_of(terms, t)).collect()
}

/// A theorem that says the same, and no variable of its premises is one of what replaces its letters: with `x` as
/// `v[i]`, `[u[i] x <= x u[i]]` is meant for all `u`, so it is said of `u[j]`.
fn apart(proof: &mut Proof, lemma: &Lemma) -> Result<usize, Residual> {
    let Some(theorem) = proof.development.theorem(lemma.theorem).cloned() else {
        return Ok(lemma.theorem);
    };
    let named = named(proof, lemma);
    let terms = &proof.development.terms;
    let own = theorem.premises.iter();
    let own: BTreeSet<u32> = own.flat_map(|p| context::variables(terms, p)).collect();
    let caught: Vec<u32> = own.iter().copied().filter(|v| named.contains(v)).collect();
    if caught.is_empty() {
        return Ok(lemma.theorem);
    }
    let used = |v: &u32| own.contains(v) || named.contains(v);
    let mut free = (0..).filter(|v| !used(v));
    let away: Renaming = caught.iter().copied().zip(&mut free).collect();
    let back: Renaming = away.iter().map(|(from, to)| (*to, *from)).collect();
    let variables = &mut proof.development.variables;
    while away.iter().any(|(_, to)| *to as usize >= variables.len()) {
        let mut names = (0..).map(|n| format!("i{n}"));
        variables.extend(names.find(|name| !variables.contains(name)));
    }
    let mut premises = Vec::new();
    let mut steps = Vec::new();
    for (n, premise) in theorem.premises.iter().enumerate() {
        premises.push(renamed(proof, premise, &away));
        let parts = 0..premise.parts.len();
        steps.extend(parts.map(|part| Rule::Premise(n, part, back.clone())));
    }
    let proofs: Vec<usize> = (0..steps.len()).collect();
    let parts = 0..theorem.statement.parts.len();
    steps.extend(parts.map(|part| Rule::Theorem {
        theorem: lemma.theorem,
        part,
        variables: Vec::new(),
        letters: Vec::new(),
        premises: proofs.clone(),
    }));
    proof.admit_beside(&theorem, premises, steps)
}

/// A statement with index variables renamed, none to one that it has.
fn renamed(proof: &mut Proof, s: &Statement, map: &Renaming) -> Statement {
    let to = |v: u32| {
        map.iter()
            .find(|(from, _)| *from == v)
            .map_or(v, |(_, to)| *to)
    };
    let terms = &mut proof.development.terms;
    let distinct = s.distinct.iter().map(|(i, j)| (to(*i), to(*j)));
    Statement {
        distinct: kernel::distinct(distinct).unwrap_or_default(),
        parts: s
            .parts
            .iter()
            .map(|(l, r)| (terms.rename(*l, map), terms.rename(*r, map)))
            .collect(),
    }
}

/// What a lemma says of the letters that it is used for, once its premises are proved for them.
fn instance(
    proof: &mut Proof,
    item: &Item,
    (given, allowed): (&[Given], &Allowed),
    mut lemma: Lemma,
) -> Result<Option<Given>, Residual> {
    lemma.theorem = apart(proof, &lemma)?;
    let Some(theorem) = proof.development.theorem(lemma.theorem).cloned() else {
        return Ok(None);
    };
    let assumed = carried(proof, &lemma);
    let named = named(proof, &lemma);
    let terms = &proof.development.terms;
    let mut assumes = assumed
        .iter()
        .flat_map(|(_, s)| context::variables(terms, s));
    if assumes.any(|v| named.contains(&v)) {
        return Err(Residual {
            limit: Some(
                "the limit of names (an index variable of a hypothesis in what replaces its letter: rename it)",
            ),
            ..Residual::default()
        });
    }
    let Lemma {
        item: of,
        theorem: number,
        variables,
        letters,
    } = lemma;
    let terms = &mut proof.development.terms;
    let mut replace = |t: Id| terms.replace(t, &letters);
    let mut put = |s: &Statement| Statement {
        distinct: s.distinct.clone(),
        parts: s
            .parts
            .iter()
            .map(|(l, r)| (replace(*l), replace(*r)))
            .collect(),
    };
    let assumed = assumed.iter().map(|(hypothesis, s)| {
        let hypothesis = *hypothesis;
        (Within::Hypothesis { of, hypothesis }, s)
    });
    let own = theorem.premises.iter().enumerate();
    let own = own.map(|(premise, s)| (Within::Premise { of, premise }, s));
    let general = assumed.chain(own);
    let premises: Vec<(Within, &Statement, Statement)> =
        general.map(|(within, s)| (within, s, put(s))).collect();
    let mut steps = Vec::new();
    for (within, general, premise) in premises {
        // A premise holds for all its processes; of the others, what this statement says is known.
        let own = context::variables(&proof.development.terms, general);
        let other = |d: &&(u32, u32)| !own.contains(&d.0) && !own.contains(&d.1);
        let known = item.distinct.iter().filter(other).chain(&premise.distinct);
        let distinct = kernel::distinct(known.copied()).unwrap_or_default();
        for part in premise.parts {
            let step = proof.part(given, allowed, &distinct, part);
            steps.push(step.map_err(|left| left.within(within))?);
        }
    }
    Ok(Some(Given {
        source: Source::Theorem(number, letters, steps),
        statement: theorem.statement,
        fixed: variables,
    }))
}
