//! Inclusions with omega at the end of monomials, decided; what comes out is a proof from the axioms.
//!
//! `r x^w <= s` holds in omega algebra if it holds of languages of finite and infinite words (Cohen 2000, section 3;
//! Wagner 1976 for the omega-regular part), and that is the inclusion of one Buechi automaton in another. The proof
//! follows Buechi's: the words of x fall into finitely many classes by what they do to the states of s (`automaton`),
//! and `ramsey` breaks `x^w` up into `A E^w` where all words of E are of one class. Differs from a decision of
//! languages in that every step is a use of unfolding and coinduction with decisions of regular terms between, so that
//! the kernel needs no rule for it and the axiom `x^w 0 = 0` costs nothing: omega elsewhere than at the end is an
//! opaque letter.

mod automaton;
mod lasso;
mod paths;
mod ramsey;
mod system;

use self::automaton::{Buechi, Tests};
pub use self::lasso::Lasso;
use self::paths::Graph;
use super::build::{Builder, CLASSES, Step};
use crate::kernel::{Automaton, Id, Node, ONE, Rule, TOP, Terms, ZERO};
use rustc_hash::FxHashMap;

/// Monomials of a side.
const MONOMIALS: usize = 64;
/// Derivatives of the body of an omega on the right.
const DERIVATIVES: usize = 32;

/// `r s^w` on the right side.
struct Loop {
    /// r
    before: Id,
    /// s, without the empty word.
    body: Id,
    /// Derivatives d of s, each with the words g from s to d: `g d <= s`. 1 stands for the end, with s.
    derivatives: Vec<(Id, Id)>,
}

/// A right side.
struct Right {
    /// The sum of `r s* s^w` for each loop and the other monomials.
    open: Id,
    /// `open <= right`
    closed: Step,
    loops: Vec<Loop>,
    /// Monomials without omega at the end.
    finite: Vec<Id>,
    effort: Effort,
}

/// How far a decision goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As far as one loop of the right side does for all words of each monomial's omega.
    Direct,
    /// All the way.
    Full,
}

/// Proves `left <= right` if it follows from the axioms and its omegas stand at the ends of monomials. `None` says
/// nothing if [`Builder::too_large`] is set; else it doesn't follow, and [`Builder::lasso`] is a word that shows it if
/// it is not about finite ones.
pub fn inclusion(b: &mut Builder, left: Id, right: Id, effort: Effort) -> Option<Step> {
    let monomials = b.monomials(left, MONOMIALS)?;
    let omega = |n: &Node| matches!(n, Node::Omega(_));
    if ![left, right]
        .iter()
        .any(|t| b.terms.any(*t, &mut |n| omega(n)))
    {
        return None;
    }
    let mut right = Right::new(b, right, effort)?;
    let mut steps = Vec::new();
    for m in monomials {
        let step = match split(b.terms, m) {
            Some((before, body)) => right.covers(b, before, body)?,
            None => b.decide(m, right.open)?,
        };
        let step = b.starting(m, step)?;
        steps.push(step);
    }
    let step = b.join(left, steps)?;
    b.chain(&[step, right.closed])
}

/// A monomial that ends with an omega: what stands before it, and its body.
fn split(terms: &mut Terms, m: Id) -> Option<(Id, Id)> {
    let factors = match terms.node(m) {
        Node::Product(all) => all.clone(),
        _ => vec![m],
    };
    // `x^w T = x^w`
    let end = match factors.last() {
        Some(&TOP) => factors.len() - 1,
        _ => factors.len(),
    };
    let (last, before) = factors[..end].split_last()?;
    let Node::Omega(body) = *terms.node(*last) else {
        return None;
    };
    Some((terms.product(before.iter().copied()), body))
}

/// A term without its empty word, and the test under which it has one.
fn strict(terms: &mut Terms, t: Id) -> (Id, Id) {
    let mut automaton = Automaton::default();
    let out = automaton.output(terms, t);
    if out == ZERO {
        return (t, ZERO);
    }
    let moves = automaton.moves(terms, t);
    let words: Vec<Id> = moves
        .into_iter()
        .map(|m| terms.product([m.guard, m.letter, m.target]))
        .collect();
    (terms.sum(words), out)
}

/// `y <= x y`, so `y <= x^w`; the step may end in anything below `x y`.
fn coinduct(b: &mut Builder, x: Id, step: Step) -> Option<Step> {
    let y = b.claims[step].0;
    let again = b.terms.product([x, y]);
    let step = b.ending(step, again)?;
    let omega = b.terms.omega(x);
    Some(b.push(Rule::Coinduction(x, ZERO, step), y, omega))
}

/// `a x^w <= a x x^w`
fn unfold(b: &mut Builder, before: Id, x: Id) -> Step {
    let omega = b.terms.omega(x);
    let right = b.terms.product([x, omega]);
    let step = b.push(Rule::Unfold(x), omega, right);
    b.within(&[before], step, &[])
}

/// `x <= y`, so `a x^w <= a y^w`.
fn monotone(b: &mut Builder, before: Id, x: Id, y: Id) -> Option<Step> {
    let step = b.decide(x, y)?;
    let hole = b.hole();
    let omega = b.terms.omega(hole);
    let context = b.terms.product([before, omega]);
    Some(b.context(context, step))
}

impl Right {
    fn new(b: &mut Builder, right: Id, effort: Effort) -> Option<Self> {
        let (mut loops, mut finite, mut pieces, mut steps) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for m in b.monomials(right, MONOMIALS)? {
            let Some((before, whole)) = split(b.terms, m) else {
                finite.push(m);
                pieces.push(m);
                steps.push(b.decide(m, right)?);
                continue;
            };
            let omega = b.terms.omega(whole);
            let m = b.terms.product([before, omega]);
            let above = b.decide(m, right)?;
            let (body, out) = strict(b.terms, whole);
            if out != ZERO {
                // o <= s, so s* o T <= s^w.
                let star = b.terms.star(body);
                let all = b.terms.product([star, out, TOP]);
                let again = b.terms.product([whole, all]);
                let again = b.decide(all, again)?;
                let step = coinduct(b, whole, again)?;
                let step = b.within(&[before], step, &[]);
                let piece = b.terms.product([before, all]);
                finite.push(piece);
                pieces.push(piece);
                steps.push(b.chain(&[step, above])?);
            }
            if body == ZERO {
                continue;
            }
            // s* s^w <= s^w
            let (star, omega) = (b.terms.star(body), b.terms.omega(body));
            let all = b.terms.product([star, omega]);
            let again = unfold(b, star, body);
            let again = b.starting(all, again)?;
            let step = coinduct(b, body, again)?;
            let step = b.within(&[before], step, &[]);
            let same = monotone(b, before, body, whole)?;
            steps.push(b.chain(&[step, same, above])?);
            pieces.push(b.terms.product([before, all]));
            let derivatives = derivatives(b.terms, body)?;
            loops.push(Loop {
                before,
                body,
                derivatives,
            });
        }
        let open = b.terms.sum(pieces);
        let closed = if steps.is_empty() {
            b.decide(ZERO, right)?
        } else {
            b.join(open, steps)?
        };
        Some(Right {
            open,
            closed,
            loops,
            finite,
            effort,
        })
    }

    /// `r x^w <= open`
    fn covers(&mut self, b: &mut Builder, before: Id, whole: Id) -> Option<Step> {
        let (body, out) = strict(b.terms, whole);
        if out == ZERO {
            return self.strictly(b, before, body);
        }
        // x <= x' + o, so x^w <= x' x^w + o T and x^w <= x'^w + x'* o T.
        let omega = b.terms.omega(whole);
        let ends = b.terms.product([out, TOP]);
        let again = b.terms.product([body, omega]);
        let again = b.terms.sum([again, ends]);
        let step = unfold(b, ONE, whole);
        let step = b.ending(step, again)?;
        let (star, rest) = (b.terms.star(body), b.terms.omega(body));
        let ended = b.terms.product([star, ends]);
        let both = b.terms.sum([rest, ended]);
        let step = b.push(Rule::Coinduction(body, ends, step), omega, both);
        let step = b.within(&[before], step, &[]);
        let ended = b.terms.product([before, ended]);
        let mut parts = vec![b.decide(ended, self.open)?];
        if body != ZERO {
            parts.push(self.strictly(b, before, body)?);
        }
        let parts = b.join(b.claims[step].1, parts)?;
        b.chain(&[step, parts])
    }

    /// The same for an x without the empty word.
    fn strictly(&mut self, b: &mut Builder, before: Id, body: Id) -> Option<Step> {
        if let Some(step) = self.directly(b, before, body) {
            return Some(step);
        }
        if self.effort == Effort::Direct {
            return None;
        }
        let mut of = vec![self.open, before, body];
        of.extend(self.loops.iter().map(|l| l.body));
        let loops: Vec<(Id, Id)> = self.loops.iter().map(|l| (l.before, l.body)).collect();
        let found = Tests::new(b.terms, &of)
            .and_then(|tests| Buechi::new(b.terms, tests, &loops, &self.finite, b.classes));
        let Some(buechi) = found else {
            b.too_large = Some(CLASSES);
            return None;
        };
        ramsey::covers(b, self, buechi, before, body)
    }

    /// `r x^w <= open` if one loop does for all words of x: `x <= d s* g` for a derivative d of s, and
    /// `r d s^w <= open`.
    fn directly(&self, b: &mut Builder, before: Id, x: Id) -> Option<Step> {
        let omega = b.terms.omega(x);
        let left = b.terms.product([before, omega]);
        if let Some(step) = b.decide(left, self.open) {
            return Some(step);
        }
        for l in &self.loops {
            let (star, own) = (b.terms.star(l.body), b.terms.omega(l.body));
            for &(d, g) in &l.derivatives {
                let whole = b.terms.product([d, star, g]);
                if b.decide(x, whole).is_none() {
                    continue;
                }
                let reached = b.terms.product([before, d, own]);
                let Some(last) = b.decide(reached, self.open) else {
                    continue;
                };
                // y = s* g x^w <= s* g x x^w <= s y
                let middle = b.terms.product([star, g]);
                let y = b.terms.product([middle, omega]);
                let step = unfold(b, middle, x);
                let step = b.starting(y, step)?;
                let step = coinduct(b, l.body, step)?;
                // x^w <= x x^w <= d y <= d s^w
                let after = b.within(&[before, d], step, &[]);
                let first = unfold(b, before, x);
                return b.chain(&[first, after, last]);
            }
        }
        None
    }
}

/// The derivatives of a term, each with the words that lead to it.
fn derivatives(terms: &mut Terms, of: Id) -> Option<Vec<(Id, Id)>> {
    let mut automaton = Automaton::default();
    let mut nodes = vec![of];
    let mut known = FxHashMap::from_iter([(of, 0)]);
    let mut graph = Graph::default();
    let mut at = 0;
    while at < nodes.len() {
        for m in automaton.moves(terms, nodes[at]) {
            let to = *known.entry(m.target).or_insert_with(|| {
                nodes.push(m.target);
                nodes.len() - 1
            });
            let label = terms.product([m.guard, m.letter]);
            graph.add(terms, at, label, to);
        }
        at += 1;
        if nodes.len() > DERIVATIVES {
            return None;
        }
    }
    let mut all = vec![(ONE, of)];
    for (n, &d) in nodes.iter().enumerate() {
        if d != ONE {
            all.push((d, graph.clone().paths(terms, 0, n)));
        }
    }
    Some(all)
}
