//! Processes that may be the same, told apart: a claim is proved once with them the same, once with them different.

use super::build::Step;
use super::search::{ProofSearch, scope};
use super::{Residual, Within, together};
use crate::kernel::{self, Claim, Id, Rule};

/// Proves one inclusion: as a hint asks for it, or with processes told apart if there is no other way.
pub(super) fn one(
    s: &mut ProofSearch,
    distinct: &[(u32, u32)],
    left: Id,
    right: Id,
) -> Result<Step, Residual> {
    if let Some(step) = s.b.decide(left, right) {
        return Ok(step);
    }
    let mut vars = scope(&s.b, &[left, right]);
    vars.extend(distinct.iter().flat_map(|(i, j)| [*i, *j]));
    vars.sort_unstable();
    vars.dedup();
    if let Some(pair) = asked(s, &vars, distinct) {
        return cases(s, distinct, pair, left, right);
    }
    let budget = s.budget;
    let open = match together(s, distinct, &vars, (left, right)) {
        Ok(step) => return Ok(step),
        Err(open) => open,
    };
    let Some(pair) = alike(s, &vars, distinct) else {
        return Err(open);
    };
    s.budget = budget;
    cases(s, distinct, pair, left, right).map_err(|_| open)
}

/// The next two processes to be told apart, if a hint asks for it.
fn asked(s: &ProofSearch, vars: &[u32], distinct: &[(u32, u32)]) -> Option<(u32, u32)> {
    for hint in &s.allowed.cases {
        for (n, &i) in vars.iter().enumerate() {
            for &j in &vars[n + 1..] {
                let wanted = hint.is_none_or(|(a, b)| (a.min(b), a.max(b)) == (i, j));
                if wanted && !distinct.contains(&(i, j)) {
                    return Some((i, j));
                }
            }
        }
    }
    None
}

/// Processes that something says more of if they differ, and that may be the same.
fn alike(s: &ProofSearch, vars: &[u32], distinct: &[(u32, u32)]) -> Option<(u32, u32)> {
    if !s.allowed.automatic || s.given.iter().all(|g| g.statement.distinct.is_empty()) {
        return None;
    }
    let pairs = vars.iter().enumerate();
    let mut pairs = pairs.flat_map(|(n, &i)| vars[n + 1..].iter().map(move |&j| (i, j)));
    pairs.find(|pair| !distinct.contains(pair))
}

/// Proves a claim once with two processes the same, once with them different.
fn cases(
    s: &mut ProofSearch,
    distinct: &[(u32, u32)],
    (i, j): (u32, u32),
    left: Id,
    right: Id,
) -> Result<Step, Residual> {
    let map = [(j, i)];
    let (l, r) = (s.b.terms.rename(left, &map), s.b.terms.rename(right, &map));
    let to = |v: u32| if v == j { i } else { v };
    let renamed = kernel::distinct(distinct.iter().map(|(a, b)| (to(*a), to(*b))));
    let budget = s.budget;
    let within = |same| Within::Processes {
        one: i,
        other: j,
        same,
    };
    let same = one(s, &renamed.unwrap_or_default(), l, r);
    let same = same.map_err(|left| left.within(within(true)))?;
    s.budget = budget;
    let more = distinct.iter().copied().chain([(i, j)]);
    let more = kernel::distinct(more).unwrap_or_default();
    let differ = one(s, &more, left, right);
    let differ = differ.map_err(|left| left.within(within(false)))?;
    let claim = Claim {
        distinct: distinct.to_vec(),
        left,
        right,
    };
    Ok(s.b.push(Rule::Cases(i, j, claim, same, differ), left, right))
}
