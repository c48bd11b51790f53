//! Developments as text for Coq 8.16 with relation-algebra 1.7.8, so that a checker from elsewhere can say whether what
//! the kernel admitted is proved.
//!
//! Everything is stated of an abstract omega algebra ([`LIBRARY`]); rule uses become uses of lemmas, decisions are
//! closed by `kat`. Prover and kernel need not be trusted: Coq rejects what does not follow.

mod glue;
mod leaf;
mod names;
mod print;
mod rules;
mod statement;
mod sums;
mod theorem;
mod tree;

use crate::kernel::{Development, Id, Node, Operator, Rejected, WORK};
use names::{Names, comment};
use statement::{parts_of, sides};
use std::collections::BTreeSet;

/// The library that exported text needs beside it, as `Coarsen.v`: omega algebra, and the kernel's rules as lemmas.
pub const LIBRARY: &str = include_str!("../../../proofs/coq/Coarsen.v");

/// The name of the library's file.
pub const LIBRARY_NAME: &str = "Coarsen.v";

/// The name of a file for Coq, from that of any file: letters, digits and `_`.
pub fn module(stem: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = stem.chars().map(plain).collect();
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic());
    // Coq itself, or the library, may have a file of a name that is no more than a word.
    match named && name != "Coarsen" {
        true => name,
        false => format!("proofs_{name}"),
    }
}

const HEADER: &str = "\
Require Import Coarsen.

Section export.
Context {K : kat.ops} {n : ob (@kar K)} {A : omega_algebra K n} {P : processes}.DOMAIN
Notation X := (car (@mor (@kar K) n n)).
Notation B := (car (@tst K n)).
Notation \"0\" := (@bot (@mor (@kar K) n n)).
Notation \"1\" := (@one (@kar K) n).
Notation \"x ⋅ y\" := (@dot (@kar K) n n n x y).
Notation \"x + y\" := (@cup (@mor (@kar K) n n) x y).
Notation \"x ^*\" := (@str (@kar K) n x).
Notation \"[ p ]\" := (@inj K n p).
Notation \"p ⊔ q\" := (@cup (@tst K n) p q).
Notation \"p ⊓ q\" := (@cap (@tst K n) p q).
Notation \"! p\" := (@neg (@tst K n) p).
Notation \"x ≦ y\" := (@leq (@mor (@kar K) n n) x y).
Notation \"x ≡ y\" := (@weq (@mor (@kar K) n n) x y).

";

/// What stands in the header if terms speak of domains.
const DOMAIN: &str = "\nContext {D : domain_algebra K n}.";
/// And if they speak of divergence.
const DIVERGENCE: &str = "\nContext {V : divergence_algebra D}.";

/// Everything that a development has proved, with its proofs. `title` is what the text calls itself.
///
/// # Errors
/// The text would be too large.
pub fn export(d: &mut Development, title: &str) -> Result<String, Rejected> {
    d.terms.allow(WORK);
    let count = d.theorems().len();
    let claims: Result<Vec<_>, _> = (0..count).map(|n| d.claims(n)).collect();
    let claims = claims?;
    let stated = d.hypotheses().iter().map(|(_, s)| s);
    let own = d
        .theorems()
        .flat_map(|t| t.premises.iter().chain([&t.statement]));
    let all: Vec<_> = stated.chain(own).collect();
    let terms = all.iter().flat_map(|s| sides(s));
    let terms = terms.chain(claims.iter().flatten().flat_map(|c| [c.left, c.right]));
    let all_terms: Vec<Id> = terms.collect();
    let mut operators: Vec<Operator> = Vec::new();
    for t in &all_terms {
        d.terms.any(*t, &mut |n| {
            operators.extend(match n {
                Node::Applied(operator, _) => Some(*operator),
                _ => None,
            });
            false
        });
    }
    let more = match operators.iter().max() {
        Some(Operator::Divergence) => format!("{DOMAIN}{DIVERGENCE}"),
        Some(_) => DOMAIN.to_string(),
        None => String::new(),
    };
    let (mut variables, _) = parts_of(&d.terms, all_terms);
    let distinct = all.iter().flat_map(|s| &s.distinct);
    let distinct = distinct.chain(claims.iter().flatten().flat_map(|c| &c.distinct));
    variables.extend(distinct.flat_map(|(i, j)| [*i, *j]));
    variables.extend(d.theorems().flat_map(|t| t.steps.iter().flat_map(named)));
    let indices = variables.last().map_or(0, |v| *v as usize + 1);
    let (_, assumed) = parts_of(&d.terms, d.hypotheses().iter().flat_map(|(_, s)| sides(s)));
    let names = Names::new(d, indices);
    let mut text = format!(
        "(** {}\n\n    Written by coarsen; checked with Coarsen.v beside it. *)\n\n{}",
        comment(title),
        HEADER.replace("DOMAIN", &more)
    );
    let conditional = (0..count).any(|n| d.is_conditional(n));
    let mut context = theorem::Context {
        d,
        names: &names,
        assumed: if conditional {
            assumed
        } else {
            BTreeSet::new()
        },
        letters: Vec::new(),
        leaves: leaf::Leaves::default(),
    };
    if conditional {
        text += &context.hypotheses();
    }
    for n in 0..count {
        let theorem = context.theorem(n)?;
        text += &std::mem::take(&mut context.leaves.text);
        text += &theorem;
        if context.d.terms.is_spent() {
            return Err(Rejected {
                place: title.to_string(),
                why: "too large for Coq: the limit of the export is reached",
                limit: true,
            });
        }
    }
    Ok(text + "End export.\n")
}

/// Variables that a rule names itself.
fn named(rule: &crate::kernel::Rule) -> Vec<u32> {
    use crate::kernel::Rule;
    match rule {
        Rule::SumIntro(_, v) | Rule::ProductElim(_, v) | Rule::Separate(_, v) => vec![*v],
        Rule::SumElim(_, _, _, v, _) | Rule::ProductIntro(_, v, _) => vec![*v],
        Rule::Cases(i, j, ..) => vec![*i, *j],
        Rule::Hypothesis(_, _, map) | Rule::Premise(_, _, map) => {
            map.iter().map(|(_, to)| *to).collect()
        }
        Rule::Theorem { variables, .. } => variables.iter().map(|(_, to)| *to).collect(),
        _ => Vec::new(),
    }
}
