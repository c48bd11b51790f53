//! What is nothing of each process is nothing of all of them: `q s[i] ~q = 0` gives `q (+ i : s[i]) ~q = 0`.
//! A decision takes the sum for a letter, so it does not find this.

use super::context::{Context, Directed, variables_of};
use super::search::ProofSearch;
use crate::kernel::{Id, Node, ZERO};
use std::collections::BTreeSet;

/// Rule uses on a branch of the search for one of them.
const DEEP: usize = 2;

/// Adds what is known of the members of the goal's sums as said of the sums; whether there was anything.
pub(super) fn gather(s: &mut ProofSearch, c: &mut Context, goal: [Id; 2]) -> bool {
    let mut sums = BTreeSet::new();
    for t in goal {
        s.b.terms.any(t, &mut |n| {
            let bodies = n.parts().iter().copied();
            sums.extend(
                bodies.filter(
                    |t| matches!(s.b.terms.node(*t), Node::SumOver(but, _) if but.is_empty()),
                ),
            );
            false
        });
    }
    sums.retain(|sum| s.b.terms.is_closed(*sum));
    let said = s.given.iter().flat_map(|g| &g.statement.parts);
    let nothing: Vec<Id> = said.filter(|p| p.1 == ZERO).map(|p| p.0).collect();
    let known = c.zeros.len();
    for sum in sums {
        for &left in &nothing {
            let Some(whole) = put(s, left, sum) else {
                continue;
            };
            if c.zeros.iter().all(|z| z.left != whole)
                && let Some(step) = s.prove_within(c, whole, ZERO, DEEP)
            {
                c.zeros.push(Directed {
                    left: whole,
                    right: ZERO,
                    step,
                });
            }
        }
    }
    s.renew(c);
    c.zeros.len() > known
}

/// A term about one process with a sum for what is a member of it.
fn put(s: &mut ProofSearch, of: Id, sum: Id) -> Option<Id> {
    let Node::SumOver(_, body) = *s.b.terms.node(sum) else {
        return None;
    };
    let [variable] = variables_of(s.b.terms, of)[..] else {
        return None;
    };
    let member = s.b.terms.open(body, variable);
    let context = s.b.holed(of, member);
    let all = s.b.filled(context, sum);
    (context != of && !s.b.terms.has_var(all, variable)).then_some(all)
}
