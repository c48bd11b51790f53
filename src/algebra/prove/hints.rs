//! What hints allow: which statements may be used, and which rules.

use super::context::{self, Allowed, Given, Source};
use super::{Proof, Residual, everything};
use crate::algebra::suite::{Hint, Item, Use};
use crate::kernel::{self, Id, Renaming, Statement, Sym};

/// A theorem to be used, with its variables renamed and its letters replaced.
struct Lemma {
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
        theorem.is_some_and(|t| !t.premises.is_empty()) || is_carried(proof, lemma)
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

/// Whether a lemma rests on hypotheses and is used for other letters, so that they must be proved for these.
fn is_carried(proof: &Proof, lemma: &Lemma) -> bool {
    proof.development.is_conditional(lemma.theorem) && !lemma.letters.is_empty()
}

/// What a lemma says of the letters that it is used for, once its premises are proved for them.
fn instance(
    proof: &mut Proof,
    item: &Item,
    (given, allowed): (&[Given], &Allowed),
    lemma: Lemma,
) -> Result<Option<Given>, Residual> {
    let Some(theorem) = proof.development.theorem(lemma.theorem).cloned() else {
        return Ok(None);
    };
    let assumed: Vec<Statement> = match is_carried(proof, &lemma) {
        true => {
            let all = proof.development.hypotheses().iter();
            all.map(|(_, s)| s.clone()).collect()
        }
        false => Vec::new(),
    };
    let Lemma {
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
    let statement = put(&theorem.statement);
    let general = assumed.iter().chain(&theorem.premises);
    let premises: Vec<(&Statement, Statement)> = general.map(|s| (s, put(s))).collect();
    let mut steps = Vec::new();
    for (general, premise) in premises {
        // A premise holds for all its processes; of the others, what this statement says is known.
        let own = context::variables(&proof.development.terms, general);
        let other = |d: &&(u32, u32)| !own.contains(&d.0) && !own.contains(&d.1);
        let known = item.distinct.iter().filter(other).chain(&premise.distinct);
        let distinct = kernel::distinct(known.copied()).unwrap_or_default();
        for part in premise.parts {
            steps.push(proof.part(given, allowed, &distinct, part)?);
        }
    }
    Ok(Some(Given {
        source: Source::Theorem(number, letters, steps),
        statement,
        fixed: variables,
    }))
}
