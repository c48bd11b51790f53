//! Leaves: what holds in every Kleene algebra with tests and top, as lemmas about letters that `kat` proves.
//!
//! Atoms, omegas and sums over processes are letters there. `T` is `(x + y + .. + T)*` for the letters of the leaf, and
//! an omega is followed by `T`; with that, Kleene algebra with tests is complete (Pous & Wagemaker 2022). A lemma
//! serves for all leaves of its form.

use super::glue::Proof;
use super::print::{Printer, Scope};
use super::tree::{Sort, Tree};
use crate::kernel::{Id, Node, ONE, TOP, ZERO};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Tests from which on it is tried first whether they can be letters like others.
const MANY: usize = 8;

/// The lemmas so far.
#[derive(Default)]
pub struct Leaves {
    known: FxHashMap<String, usize>,
    /// The lemmas as text.
    pub text: String,
}

/// The letters of one leaf.
#[derive(Default)]
struct Letters {
    /// Names given, by term.
    names: FxHashMap<Id, String>,
    elements: Vec<Id>,
    omegas: Vec<Id>,
    tests: Vec<Id>,
    top: bool,
    /// Sums of tests that are letters, too.
    whole: FxHashSet<Id>,
}

impl Letters {
    fn name(&mut self, printer: &Printer, t: Id) -> Option<String> {
        if let Some(known) = self.names.get(&t) {
            return Some(known.clone());
        }
        let (prefix, list) = match printer.terms.node(t) {
            Node::Sum(_) if self.whole.contains(&t) => ("p", &mut self.tests),
            Node::Not(_) | Node::Sum(_) | Node::Product(_) | Node::ProductOver(..) => return None,
            _ if t == ZERO || t == ONE => return None,
            _ if t == TOP => {
                self.top = true;
                return Some("T".to_string());
            }
            Node::Omega(_) => ("o", &mut self.omegas),
            _ if printer.terms.is_test(t) => ("p", &mut self.tests),
            _ => ("x", &mut self.elements),
        };
        let name = format!("{prefix}{}", list.len());
        list.push(t);
        self.names.insert(t, name.clone());
        Some(name)
    }
}

impl Letters {
    /// A proof that a side is equal to itself with `T` and omegas replaced, if it has any.
    fn unfolded(&self, printer: &mut Printer, t: &Tree) -> Proof {
        let t = match t {
            Tree::Term(t) => match printer.taken_apart(*t, Sort::Element) {
                Ok(tree) => tree,
                Err(TOP) => return Some("NT".to_string()),
                Err(atom) => {
                    let name = self
                        .names
                        .get(&atom)
                        .filter(|_| self.omegas.contains(&atom));
                    return name.map(|o| format!("(tre N{o} (eq_dot rfe NT))"));
                }
            },
            other => other.clone(),
        };
        let (lemma, all) = match &t {
            Tree::Sum(all) => ("eq_cup", all),
            Tree::Product(all) => ("eq_dot", all),
            Tree::Star(x) => {
                return self.unfolded(printer, x).map(|p| format!("(eq_str {p})"));
            }
            _ => return None,
        };
        let parts: Vec<Proof> = all.iter().map(|x| self.unfolded(printer, x)).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        let parts = parts
            .into_iter()
            .map(|p| p.unwrap_or_else(|| "rfe".to_string()));
        parts.reduce(|a, b| format!("({lemma} {a} {b})"))
    }
}

/// The sums of tests whose summands stand nowhere else: `p + q` can be any test, so one letter says as much, and `kat`
/// takes exponential time in their number.
fn alone(printer: &mut Printer, sides: [&Tree; 2]) -> FxHashSet<Id> {
    // The only sum that a test is a summand of, if all its summands are letters.
    let mut only: FxHashMap<Id, Option<Id>> = FxHashMap::default();
    let mut sums = FxHashSet::default();
    let mut next: Vec<(Tree, Sort, Option<Id>)> = sides
        .into_iter()
        .map(|t| (t.clone(), Sort::Element, None))
        .collect();
    while let Some((t, sort, sum)) = next.pop() {
        let Tree::Term(id) = t else {
            let inner = match t {
                Tree::Test(_) | Tree::Not(_) => Sort::Test,
                _ => sort,
            };
            next.extend(t.parts().iter().map(|x| (x.clone(), inner, None)));
            continue;
        };
        match printer.taken_apart(id, sort) {
            Ok(tree) => {
                let atom = |x: &Tree| match x {
                    Tree::Term(x) => printer.taken_apart(*x, Sort::Test).is_err(),
                    _ => false,
                };
                match sort == Sort::Test
                    && matches!(tree, Tree::Sum(_))
                    && tree.parts().iter().all(atom)
                {
                    true => {
                        sums.insert(id);
                        let all = tree.parts().iter();
                        next.extend(all.map(|x| (x.clone(), sort, Some(id))));
                    }
                    false => next.push((tree, sort, None)),
                }
            }
            Err(atom) => {
                let one = only.entry(atom).or_insert(sum);
                *one = one.filter(|known| Some(*known) == sum);
            }
        }
    }
    let summands = |sum: &Id| match printer.terms.node(*sum) {
        Node::Sum(all) => all.clone(),
        _ => Vec::new(),
    };
    sums.retain(|sum| summands(sum).iter().all(|x| only[x] == Some(*sum)));
    sums
}

fn binder(prefix: &str, count: usize, sort: &str) -> String {
    let all: Vec<String> = (0..count).map(|n| format!(" {prefix}{n}")).collect();
    match count {
        0 => String::new(),
        _ => format!(" ({} : {sort})", all.concat().trim_start()),
    }
}

/// The summands of a side, by what they read, as letters of a lemma.
#[derive(Default)]
struct Summands {
    texts: Vec<String>,
    uses: Vec<usize>,
}

impl Summands {
    /// A sum with each summand as a letter.
    fn outline(&mut self, printer: &mut Printer, scope: &Scope, t: &Tree, first: bool) -> String {
        let apart = match t {
            Tree::Term(t) => printer.taken_apart(*t, Sort::Element).ok(),
            _ => None,
        };
        if let Tree::Sum(all) = apart.as_ref().unwrap_or(t) {
            let mut text = String::new();
            for (n, x) in all.iter().enumerate() {
                text += if n == 0 { "" } else { " + " };
                text += &self.outline(printer, scope, x, n == 0);
            }
            return if first { text } else { format!("({text})") };
        }
        let text = printer.tree(t, Sort::Element, scope, &mut |_, _, _| None);
        if text == "0" {
            return text;
        }
        let known = self.texts.iter().position(|x| *x == text);
        let n = known.unwrap_or(self.texts.len());
        if known.is_none() {
            self.texts.push(text);
        }
        self.uses.push(n);
        format!("x{n}")
    }
}

impl Leaves {
    /// A proof of `a <= b` where each summand of a is one of b, and of `a = b` where they have the same: what the
    /// summands are does not matter, and `kat` takes exponential time in the number of tests.
    fn rearranged(
        &mut self,
        printer: &mut Printer,
        scope: &Scope,
        (a, b): (&Tree, &Tree),
        equal: bool,
    ) -> Proof {
        let mut all = Summands::default();
        let right = all.outline(printer, scope, b, true);
        let count = all.texts.len();
        all.uses.clear();
        let left = all.outline(printer, scope, a, true);
        let misses = |n: &usize| !all.uses.contains(n);
        if count < 2 || all.texts.len() > count || equal && (0..count).any(|n| misses(&n)) {
            return None;
        }
        if left == right {
            return None;
        }
        let order = if equal { "≡" } else { "≦" };
        let form = format!("{} :\n  {left} {order} {right}", binder("x", count, "X"));
        let n = self.lemma(form, || "leaf".to_string());
        let all: Vec<String> = all.texts.iter().map(|t| format!(" ({t})")).collect();
        Some(format!("(leaf_{n}{})", all.concat()))
    }

    /// The number of a lemma of this form; its proof is asked for where it is new.
    fn lemma(&mut self, form: String, proof: impl FnOnce() -> String) -> usize {
        let next = self.known.len();
        let n = *self.known.entry(form.clone()).or_insert(next);
        if n == next {
            let proof = proof();
            let _ = write!(self.text, "Lemma leaf_{n}{form}.\nProof. {proof}. Qed.\n");
        }
        n
    }

    /// A proof of `a <= b`, or `a = b`, where opaque parts are in normal form; `None` if the two sides are the same
    /// text.
    pub fn leaf(
        &mut self,
        printer: &mut Printer,
        scope: &Scope,
        (a, b): (&Tree, &Tree),
        equal: bool,
    ) -> Proof {
        if a == b {
            return None;
        }
        if let Some(proof) = self.rearranged(printer, scope, (a, b), equal) {
            return Some(proof);
        }
        let mut letters = Letters {
            whole: alone(printer, [a, b]),
            ..Letters::default()
        };
        let mut side = |printer: &mut Printer, t: &Tree| {
            printer.tree(t, Sort::Element, scope, &mut |printer, t, _| {
                letters.name(printer, t)
            })
        };
        let (left, right) = (side(printer, a), side(printer, b));
        if left == right {
            return None;
        }
        let order = if equal { "≡" } else { "≦" };
        let top = letters.top || !letters.omegas.is_empty();
        let mut form = binder("x", letters.elements.len(), "X");
        form += &binder("o", letters.omegas.len(), "X");
        form += &binder("p", letters.tests.len(), "B");
        let omegas = || (0..letters.omegas.len()).map(|n| format!("o{n}"));
        if top {
            form += " (T : X)";
            for o in omegas() {
                let _ = write!(form, " (N{o} : {o} ≡ {o} ⋅ T)");
            }
            let mut all: Vec<String> = (0..letters.elements.len())
                .map(|n| format!("x{n}"))
                .collect();
            all.extend(omegas());
            match all.is_empty() {
                true => form += " (NT : T ≡ T^*)",
                false => {
                    let _ = write!(form, " (NT : T ≡ ({} + T)^*)", all.join(" + "));
                }
            }
        }
        let _ = write!(form, " :\n  {left} {order} {right}");
        let n = self.lemma(form, || {
            let (from, to) = (letters.unfolded(printer, a), letters.unfolded(printer, b));
            let links = match equal {
                true => [
                    from.map(|p| format!("(tre {p} _)")),
                    to.map(|p| format!("(tre _ (sye {p}))")),
                ],
                false => [
                    from.map(|p| format!("(tr (le {p}) _)")),
                    to.map(|p| format!("(tr _ (ge {p}))")),
                ],
            };
            let links: Vec<String> = links
                .into_iter()
                .flatten()
                .map(|p| format!("refine {p}; "))
                .collect();
            match links.is_empty() {
                true if letters.tests.len() >= MANY => "first [letters | leaf]".to_string(),
                true => "leaf".to_string(),
                false => format!("first [leaf | {}leaf]", links.concat()),
            }
        });
        let mut proof = format!("(leaf_{n}");
        for (list, sort) in [
            (&letters.elements, Sort::Element),
            (&letters.omegas, Sort::Element),
            (&letters.tests, Sort::Test),
        ] {
            for t in list {
                let _ = write!(proof, " {}", printer.argument(*t, sort, scope));
            }
        }
        if top {
            proof += " T";
            for _ in &letters.omegas {
                proof += " (om_top _)";
            }
            let none = letters.elements.is_empty() && letters.omegas.is_empty();
            proof += if none {
                " top_star_alone"
            } else {
                " (top_star _)"
            };
        }
        proof.push(')');
        Some(proof)
    }
}
