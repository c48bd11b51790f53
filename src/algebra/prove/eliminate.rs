//! Hypotheses about a letter solved for it.
//!
//! `t <= x` says that x is closed under t: x is then equal to a term c(x) for which the hypothesis holds anyway, so
//! that it can be replaced by c(x) throughout and the hypothesis forgotten (for `t <= x` without x in t: Cohen 1994;
//! for `p x = p`: Hardin & Kozen 2002). Candidates for c are guessed from the form of the hypotheses and used only if
//! `t(c) <= c`, `x <= c(x)` and `c(x) <= x` are proved.

use super::build::Step;
use super::context::{Context, Directed};
use super::search::ProofSearch;
use crate::kernel::{Id, Node, ONE, Sym};

/// Summands of a right side that what passes a letter is gathered from.
const SUMMANDS: usize = 16;
/// Rules that simulations may add.
const MOST_SIMULATIONS: usize = 24;

/// A goal with some letters replaced, and the way back.
pub struct Reduced {
    /// What may be used.
    pub context: Context,
    /// The goal's left side.
    pub left: Id,
    /// The goal's right side.
    pub right: Id,
    /// `old left <= left`, for each letter replaced.
    before: Vec<Step>,
    /// `right <= old right`, for each letter replaced.
    after: Vec<Step>,
}

impl Reduced {
    /// A goal as it is.
    pub fn new(context: Context, left: Id, right: Id) -> Self {
        Reduced {
            context,
            left,
            right,
            before: Vec::new(),
            after: Vec::new(),
        }
    }

    /// The proof of the original goal from one of the reduced.
    pub fn back(&self, s: &mut ProofSearch, step: Step) -> Option<Step> {
        let mut steps = self.before.clone();
        steps.push(step);
        steps.extend(self.after.iter().rev());
        s.b.chain(&steps)
    }
}

/// Replaces letters as long as there are hypotheses to solve; false if there was none.
pub fn eliminate(s: &mut ProofSearch, r: &mut Reduced) -> bool {
    let mut any = false;
    let mut done: Vec<Sym> = Vec::new();
    loop {
        let mut letters: Vec<(Sym, Id)> = Vec::new();
        for rule in &r.context.rules {
            for t in [rule.left, rule.right] {
                let factors = s.b.factors(t);
                for x in factors {
                    if let Node::Atom(symbol, indices) = s.b.terms.node(x)
                        && indices.is_empty()
                        && !s.b.terms.is_test(x)
                        && !done.contains(symbol)
                        && !letters.contains(&(*symbol, x))
                    {
                        letters.push((*symbol, x));
                    }
                }
            }
        }
        let Some((symbol, x)) = letters.first().copied() else {
            return any;
        };
        done.push(symbol);
        for by in candidates(s, &r.context, x) {
            if by != x && replace(s, r, symbol, x, by) {
                any = true;
                break;
            }
        }
    }
}

/// What a letter may be equal to.
fn candidates(s: &mut ProofSearch, c: &Context, x: Id) -> Vec<Id> {
    let contains = |s: &ProofSearch, t: Id| s.b.letters([t]).contains(&x);
    let mut all = Vec::new();
    let (mut bases, mut lefts, mut rights) = (vec![x], Vec::new(), Vec::new());
    let mut square = false;
    for rule in &c.rules {
        let back = |r: &Directed| (r.left, r.right) == (rule.right, rule.left);
        if rule.left == x && !contains(s, rule.right) && c.rules.iter().any(back) {
            all.push(rule.right);
        }
        // `p x = p` and `x p = p`
        let factors = s.b.factors(rule.left);
        if let [p, q] = factors.as_slice()
            && c.rules.iter().any(back)
        {
            let (p, q) = (*p, *q);
            if q == x && s.b.terms.is_test(p) && rule.right == p {
                let not = s.b.terms.not(p);
                let rest = s.b.terms.product([not, x]);
                all.push(s.b.terms.sum([rest, p]));
            }
            if p == x && s.b.terms.is_test(q) && rule.right == q {
                let not = s.b.terms.not(q);
                let rest = s.b.terms.product([x, not]);
                all.push(s.b.terms.sum([rest, q]));
            }
        }
        if rule.right != x {
            continue;
        }
        let Some(monomials) = s.b.monomials(rule.left, 64) else {
            continue;
        };
        for m in monomials {
            let factors = s.b.factors(m);
            let rest = |s: &mut ProofSearch, f: &[Id]| s.b.terms.product(f.iter().copied());
            if !contains(s, m) {
                bases.push(m);
            } else if let Some((last, init)) = factors.split_last()
                && *last == x
                && !init.iter().any(|f| contains(s, *f))
            {
                lefts.push(rest(s, init));
            } else if let Some((first, tail)) = factors.split_first()
                && *first == x
                && !tail.iter().any(|f| contains(s, *f))
            {
                rights.push(rest(s, tail));
            } else {
                square = true;
            }
        }
    }
    let base = s.b.terms.sum(bases);
    let left = s.b.terms.sum(lefts);
    let left = s.b.terms.star(left);
    let right = s.b.terms.sum(rights);
    let right = s.b.terms.star(right);
    let closed = s.b.terms.product([left, base, right]);
    let star = s.b.terms.star(closed);
    if square {
        all.push(s.b.terms.product([closed, star]));
        all.push(star);
    }
    all.push(closed);
    all.retain(|t| *t != ONE || x == ONE);
    all
}

/// Replaces a letter throughout, if that is proved to change nothing.
fn replace(s: &mut ProofSearch, r: &mut Reduced, symbol: Sym, x: Id, by: Id) -> bool {
    // In a domain nothing is put in a letter's place.
    let mut sides = super::domain::terms_of(&r.context);
    sides.extend([r.left, r.right]);
    if sides.iter().any(|t| s.b.terms.is_in_test(*t, symbol)) {
        return false;
    }
    let map = [(symbol, by)];
    let solved = r.context.rules.iter().any(|rule| {
        let (left, right) = (
            s.b.terms.replace(rule.left, &map),
            s.b.terms.replace(rule.right, &map),
        );
        s.b.decide(left, right).is_some()
    });
    if !solved {
        return false;
    }
    let Some(up) = s.prove_within(&r.context, x, by, 3) else {
        return false;
    };
    let Some(down) = s.prove_within(&r.context, by, x, 5) else {
        return false;
    };
    let hole = s.b.hole();
    let put = |s: &mut ProofSearch, t: Id, step: Step| {
        let context = s.b.terms.replace(t, &[(symbol, hole)]);
        if context == t {
            None
        } else {
            Some(s.b.context(context, step))
        }
    };
    let (rules, zeros) = (r.context.rules.clone(), r.context.zeros.clone());
    r.context.rules.clear();
    r.context.zeros.clear();
    r.context.equations.clear();
    for rule in rules.into_iter().chain(zeros) {
        let mut steps: Vec<Step> = put(s, rule.left, down).into_iter().collect();
        steps.push(rule.step);
        steps.extend(put(s, rule.right, up));
        let Some(step) = s.b.chain(&steps) else {
            continue;
        };
        let (left, right) = s.b.claims[step];
        super::context::classify(&mut s.b, &mut r.context, Directed { left, right, step });
    }
    s.renew(&mut r.context);
    r.before.extend(put(s, r.left, up));
    r.after.extend(put(s, r.right, down));
    r.left = s.b.terms.replace(r.left, &map);
    r.right = s.b.terms.replace(r.right, &map);
    true
}

/// Adds what simulation gives: `x z <= z y` gives `x* z <= z y*`, and `z x <= y z` gives `z x* <= y* z`
/// (Stoller & Cohen 2003, (1)), twice over. `z x <= r` gives `z x* <= x* s` as well, where s is what is left of r
/// behind any x, with z; and the mirror image.
pub fn simulate(s: &mut ProofSearch, c: &mut Context) {
    let mut next = 0;
    for _ in 0..2 {
        let known = c.rules.len();
        let mut more = Vec::new();
        for n in next..known {
            let rule = c.rules[n];
            let (l, r) = (s.b.factors(rule.left), s.b.factors(rule.right));
            for cut in 1..l.len() {
                let (x, z) = l.split_at(cut);
                if r.starts_with(z) {
                    more.push(starred(s, x, z, &r[z.len()..], true));
                }
                let (z, x) = l.split_at(cut);
                if r.ends_with(z) {
                    more.push(starred(s, x, z, &r[..r.len() - z.len()], false));
                }
                more.extend(passed(s, z, x, rule.right, false));
                more.extend(passed(s, z, x, rule.right, true));
            }
        }
        next = known;
        for (left, right) in more {
            if c.rules.len() >= MOST_SIMULATIONS || s.b.decide(left, right).is_some() {
                continue;
            }
            if let Some(step) = s.prove_within(c, left, right, 3) {
                let rule = Directed { left, right, step };
                if !c.rules.iter().any(|r| (r.left, r.right) == (left, right)) {
                    c.rules.push(rule);
                }
            }
        }
    }
    s.renew(c);
}

/// For `a b <= r`: `a b* <= b* s`, where s is a and what is left of r behind any b; or `a* b <= s a*` with b and what
/// is left of r before any a.
fn passed(s: &mut ProofSearch, a: &[Id], b: &[Id], r: Id, mirrored: bool) -> Option<(Id, Id)> {
    let product = |s: &mut ProofSearch, f: &[Id]| s.b.terms.product(f.iter().copied());
    let (a, b) = (product(s, a), product(s, b));
    let (kept, moved) = if mirrored { (b, a) } else { (a, b) };
    let star = s.b.terms.star(moved);
    let mut rest = vec![kept];
    for m in s.b.monomials(r, SUMMANDS)? {
        let factors = s.b.factors(m);
        let stays = |f: &Id| *f != moved && *f != star;
        let left = match mirrored {
            true => factors
                .iter()
                .rposition(stays)
                .map_or(&[][..], |n| &factors[..=n]),
            false => factors
                .iter()
                .position(stays)
                .map_or(&[][..], |n| &factors[n..]),
        };
        rest.push(product(s, left));
    }
    let rest = s.b.terms.sum(rest);
    Some(match mirrored {
        true => (
            s.b.terms.product([star, kept]),
            s.b.terms.product([rest, star]),
        ),
        false => (
            s.b.terms.product([kept, star]),
            s.b.terms.product([star, rest]),
        ),
    })
}

fn starred(s: &mut ProofSearch, x: &[Id], z: &[Id], y: &[Id], at_left: bool) -> (Id, Id) {
    let product = |s: &mut ProofSearch, f: &[Id]| s.b.terms.product(f.iter().copied());
    let (x, z, y) = (product(s, x), product(s, z), product(s, y));
    let (x, y) = (s.b.terms.star(x), s.b.terms.star(y));
    match at_left {
        true => (s.b.terms.product([x, z]), s.b.terms.product([z, y])),
        false => (s.b.terms.product([z, x]), s.b.terms.product([y, z])),
    }
}
