//! Terms of omega algebra evaluated on the relations of one program (Stoller & Cohen 2003, section 2, relational
//! model).
//!
//! Everything is evaluated on a joint support: the bits that some atom of the statement reads or writes. A relation is
//! the identity on all other bits, or (with T, x^w) leaves them arbitrary. On pairs that agree outside the support this
//! is no difference. If the left side has a T, a ghost bit, which no program has, stands for the outside and tells the
//! two apart. (The argument is in `docs/soundness.md`, "joint supports".)

use super::encoding::Encoding;
use super::layout::Bit;
use super::witness::{image, preimage};
use crate::base::control::Stop;
use crate::engine::relations::relation::{Rel, union};
use biodivine_lib_bdd::Bdd;

/// What an atom stands for on this program.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A union of actions, by index; its parts may be judged one by one.
    Actions(Vec<usize>),
    /// A test: where it holds.
    Test(Bdd),
}

/// An atom with all indices given.
#[derive(Clone, Debug)]
pub struct GroundAtom {
    /// As it is shown: `u[worker(0)]`.
    pub name: String,
    /// What it stands for.
    pub meaning: Meaning,
}

/// A term whose definitions are expanded and whose indices are threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ground {
    /// `0`
    Zero,
    /// `1`
    One,
    /// `T`
    Top,
    /// An index into the atoms.
    Atom(usize),
    /// The complement of a test.
    Not(Box<Ground>),
    /// `x + y + ..`
    Sum(Vec<Ground>),
    /// `x y ..`
    Product(Vec<Ground>),
    /// `x*`
    Star(Box<Ground>),
    /// `x^w`
    Omega(Box<Ground>),
    /// `dom(x)`
    Domain(Box<Ground>),
    /// `cod(x)`
    Codomain(Box<Ground>),
    /// `x # y`
    Hash(Box<Ground>, Box<Ground>),
}

impl Ground {
    /// `div(x)`: relations follow each other for ever from where their omega begins.
    pub fn divergence(x: Ground) -> Ground {
        Ground::Domain(Box::new(Ground::Omega(Box::new(x))))
    }

    /// Calls `f` with every atom.
    pub fn atoms(&self, f: &mut impl FnMut(usize)) {
        match self {
            Ground::Zero | Ground::One | Ground::Top => {}
            Ground::Atom(a) => f(*a),
            Ground::Not(x) | Ground::Star(x) | Ground::Omega(x) => x.atoms(f),
            Ground::Domain(x) | Ground::Codomain(x) => x.atoms(f),
            Ground::Sum(all) | Ground::Product(all) => all.iter().for_each(|x| x.atoms(f)),
            Ground::Hash(x, y) => {
                x.atoms(f);
                y.atoms(f);
            }
        }
    }

    /// Calls `f` with every atom that stands in a domain or codomain.
    fn inner_atoms(&self, f: &mut impl FnMut(usize)) {
        match self {
            Ground::Zero | Ground::One | Ground::Top | Ground::Atom(_) => {}
            Ground::Domain(x) | Ground::Codomain(x) => x.atoms(f),
            Ground::Not(x) | Ground::Star(x) | Ground::Omega(x) => x.inner_atoms(f),
            Ground::Sum(all) | Ground::Product(all) => all.iter().for_each(|x| x.inner_atoms(f)),
            Ground::Hash(x, y) => {
                x.inner_atoms(f);
                y.inner_atoms(f);
            }
        }
    }

    /// Whether it may relate states that differ outside its support.
    pub fn has_top(&self) -> bool {
        match self {
            Ground::Top | Ground::Omega(_) | Ground::Hash(..) => true,
            Ground::Zero | Ground::One | Ground::Atom(_) => false,
            Ground::Domain(_) | Ground::Codomain(_) => false,
            Ground::Not(x) | Ground::Star(x) => x.has_top(),
            Ground::Sum(all) | Ground::Product(all) => all.iter().any(Ground::has_top),
        }
    }

    /// Whether something may follow a T: then T must not leave the assumed states.
    pub fn has_inner_top(&self) -> bool {
        match self {
            Ground::Zero | Ground::One | Ground::Top | Ground::Atom(_) => false,
            Ground::Domain(_) | Ground::Codomain(_) => false,
            Ground::Not(x) => x.has_inner_top(),
            Ground::Star(x) | Ground::Omega(x) => x.has_top(),
            Ground::Hash(x, y) => x.has_top() || y.has_inner_top(),
            Ground::Sum(all) => all.iter().any(Ground::has_inner_top),
            Ground::Product(all) => {
                let (last, init) = match all.split_last() {
                    Some((last, init)) => (last.has_inner_top(), init),
                    None => return false,
                };
                last || init.iter().any(Ground::has_top)
            }
        }
    }
}

impl Ground {
    /// Whether it asks, wherever that stands, from which states steps come, or whether a T leads to some: then those
    /// must be assumed states.
    pub fn looks_around(&self) -> bool {
        match self {
            Ground::Zero | Ground::One | Ground::Top | Ground::Atom(_) => false,
            Ground::Codomain(_) => true,
            Ground::Domain(x) => x.has_top() || x.looks_around(),
            Ground::Not(x) | Ground::Star(x) | Ground::Omega(x) => x.looks_around(),
            Ground::Hash(x, y) => x.looks_around() || y.looks_around(),
            Ground::Sum(all) | Ground::Product(all) => all.iter().any(Ground::looks_around),
        }
    }
}

/// Squarings tried before an infinite run is looked for in earnest.
const SQUARINGS: usize = 20;

/// A union of relations with different written bits.
pub type Value = Vec<Rel>;

/// For some atoms, the one action of theirs to take instead of all.
pub type Restriction = Vec<(usize, usize)>;

/// Where a statement is evaluated.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The joint support, sorted; the ghost bit last if it is needed.
    pub bits: Vec<Bit>,
    /// Its type-correct states.
    pub correct: Bdd,
    /// Those of them that a T leads to, and that steps come from: the assumed ones, if it matters.
    assumed: Bdd,
    /// T, on this support.
    top: Rel,
    /// Whether a T inside, or a domain, must not leave the assumed states.
    pub(super) is_inner: bool,
}

/// Evaluates terms on a program.
#[derive(Clone, Copy)]
pub struct Evaluator<'e, 'p> {
    /// The program.
    pub encoding: &'e Encoding<'p>,
    /// The atoms of the terms.
    pub atoms: &'e [GroundAtom],
    /// The inductive invariant J under which statements are judged; all type-correct states if `None`.
    pub assumption: Option<&'e Bdd>,
}

impl<'e, 'p> Evaluator<'e, 'p> {
    fn chosen<'s>(&'s self, atom: usize, restriction: &'s Restriction) -> Vec<usize> {
        match (
            &self.atoms[atom].meaning,
            restriction.iter().find(|(a, _)| *a == atom),
        ) {
            (_, Some((_, action))) => vec![*action],
            (Meaning::Actions(all), None) => all.clone(),
            (Meaning::Test(_), None) => Vec::new(),
        }
    }

    /// The scope of `left <= right`.
    pub fn scope(
        &self,
        left: &Ground,
        right: &Ground,
        restriction: &Restriction,
    ) -> Result<Scope, Stop> {
        let (e, m) = (self.encoding, &self.encoding.m);
        let mut bits: Vec<Bit> = Vec::new();
        // A T that ends the left side, or that something follows, must not leave the assumed states.
        // (Of a left side that ought to be empty only the first states matter.)
        let ends_left = left.has_inner_top() || left.has_top() && *right != Ground::Zero;
        let around = left.looks_around() || right.looks_around();
        let inner = self.assumption.is_some() && (ends_left || right.has_inner_top() || around);
        if inner {
            bits = e.all_bits();
        } else {
            let mut see = |atom: usize, restriction: &Restriction| {
                for action in self.chosen(atom, restriction) {
                    bits.extend(&e.actions[action].footprint);
                    bits.extend(&e.actions[action].rel.writes);
                }
                if let Meaning::Test(test) = &self.atoms[atom].meaning {
                    bits.extend(m.support(test).into_iter().map(|l| (l / 3) as Bit));
                }
            };
            for side in [left, right] {
                side.atoms(&mut |atom| see(atom, restriction));
                side.inner_atoms(&mut |atom| see(atom, &Vec::new()));
            }
            bits = e.with_groups(&bits);
        }
        if left.has_top() && bits.len() < e.layout.bits() {
            bits.push(e.layout.ghost());
        }
        let correct = e.type_correct(&bits)?;
        let end = match self.assumption {
            Some(j) if inner => m.and(&correct, j)?,
            _ => correct.clone(),
        };
        let top = Rel {
            bdd: m.rename(&end, |l| l + 1),
            writes: bits.clone(),
        };
        Ok(Scope {
            bits,
            correct,
            assumed: end,
            top,
            is_inner: inner,
        })
    }

    /// The value of a term.
    pub fn value(
        &self,
        t: &Ground,
        scope: &Scope,
        restriction: &Restriction,
    ) -> Result<Value, Stop> {
        let m = &self.encoding.m;
        match t {
            Ground::Zero => Ok(Vec::new()),
            Ground::One => Ok(vec![Rel::test(m.yes())]),
            Ground::Top => Ok(vec![scope.top.clone()]),
            Ground::Not(x) => Ok(vec![Rel::test(self.test(x, scope)?.not())]),
            Ground::Domain(_) | Ground::Codomain(_) => Ok(vec![Rel::test(self.test(t, scope)?)]),
            Ground::Atom(a) => match &self.atoms[*a].meaning {
                Meaning::Test(test) => Ok(vec![Rel::test(test.clone())]),
                Meaning::Actions(_) => {
                    let mut value = Vec::new();
                    for action in self.chosen(*a, restriction) {
                        add(m, &mut value, &self.encoding.actions[action].rel)?;
                    }
                    Ok(value)
                }
            },
            Ground::Sum(all) => {
                let mut value = Vec::new();
                for x in all {
                    for rel in self.value(x, scope, restriction)? {
                        add(m, &mut value, &rel)?;
                    }
                }
                Ok(value)
            }
            Ground::Product(all) => {
                let Some((first, rest)) = all.split_first() else {
                    return Ok(vec![Rel::test(m.yes())]);
                };
                if let Some(before) = before_top(all) {
                    let from = Rel::test(self.sources(before, scope, restriction)?);
                    return self.then(&[from], std::slice::from_ref(&scope.top));
                }
                let mut value = self.value(first, scope, restriction)?;
                for x in rest {
                    value = self.then(&value, &self.value(x, scope, restriction)?)?;
                }
                Ok(value)
            }
            Ground::Star(x) => {
                let step = self.value(x, scope, restriction)?;
                self.star(&step)
            }
            Ground::Omega(x) => {
                let step = self.value(x, scope, restriction)?;
                let forever = Rel::test(self.endless(&step, scope)?);
                self.then(&[forever], std::slice::from_ref(&scope.top))
            }
            Ground::Hash(x, y) => {
                let omega = self.value(&Ground::Omega(x.clone()), scope, restriction)?;
                let star = Ground::Product(vec![Ground::Star(x.clone()), (**y).clone()]);
                let mut value = self.value(&star, scope, restriction)?;
                for rel in omega {
                    add(m, &mut value, &rel)?;
                }
                Ok(value)
            }
        }
    }

    /// The part of a term's value that begins at some states.
    pub(super) fn value_from(
        &self,
        from: &Bdd,
        t: &Ground,
        scope: &Scope,
        restriction: &Restriction,
    ) -> Result<Value, Stop> {
        let m = &self.encoding.m;
        if from.is_true() {
            return self.value(t, scope, restriction);
        }
        match t {
            Ground::Sum(all) => {
                let mut value = Vec::new();
                for x in all {
                    for rel in self.value_from(from, x, scope, restriction)? {
                        add(m, &mut value, &rel)?;
                    }
                }
                Ok(value)
            }
            Ground::Product(all) if all.len() > 1 && before_top(all).is_none() => {
                let mut value = self.value_from(from, &all[0], scope, restriction)?;
                for x in &all[1..] {
                    if value.iter().all(Rel::is_empty) {
                        break;
                    }
                    value = self.then(&value, &self.value(x, scope, restriction)?)?;
                }
                Ok(value)
            }
            Ground::Atom(a) if matches!(self.atoms[*a].meaning, Meaning::Actions(_)) => {
                let mut value = Vec::new();
                for action in self.chosen(*a, restriction) {
                    let rel = &self.encoding.actions[action].rel;
                    let writes = rel.writes.clone();
                    let bdd = m.and(&rel.bdd, from)?;
                    add(m, &mut value, &Rel { writes, bdd })?;
                }
                Ok(value)
            }
            _ => {
                let mut value = self.value(t, scope, restriction)?;
                for rel in &mut value {
                    rel.bdd = m.and(&rel.bdd, from)?;
                }
                Ok(value)
            }
        }
    }

    fn then(&self, first: &[Rel], second: &[Rel]) -> Result<Value, Stop> {
        let m = &self.encoding.m;
        let mut value = Vec::new();
        for a in first {
            for b in second {
                add(m, &mut value, &a.then(m, b)?)?;
            }
        }
        Ok(value)
    }

    /// The states where a test holds.
    pub fn test(&self, t: &Ground, scope: &Scope) -> Result<Bdd, Stop> {
        let m = &self.encoding.m;
        match t {
            Ground::Zero => Ok(m.no()),
            Ground::Not(x) => Ok(self.test(x, scope)?.not()),
            // Whatever is chosen of actions elsewhere: a complement would turn fewer of them into more.
            Ground::Domain(x) => preimage(m, &self.value(x, scope, &Vec::new())?, &scope.assumed),
            Ground::Codomain(x) => image(m, &self.value(x, scope, &Vec::new())?, &scope.correct),
            Ground::Sum(all) => all
                .iter()
                .try_fold(m.no(), |acc, x| m.or(&acc, &self.test(x, scope)?)),
            Ground::Product(all) => all
                .iter()
                .try_fold(m.yes(), |acc, x| m.and(&acc, &self.test(x, scope)?)),
            Ground::Atom(a) => match &self.atoms[*a].meaning {
                Meaning::Test(test) => Ok(test.clone()),
                // Sorts are checked when a statement is read: an action never stands under a complement.
                Meaning::Actions(_) => Ok(m.no()),
            },
            _ => Ok(m.yes()),
        }
    }

    /// The states from which factors lead somewhere. For `x y T` nothing else matters, and x* is never built.
    pub(super) fn sources(
        &self,
        factors: &[Ground],
        scope: &Scope,
        restriction: &Restriction,
    ) -> Result<Bdd, Stop> {
        let m = &self.encoding.m;
        let back = |rels: &[Rel], to: &Bdd| {
            rels.iter()
                .try_fold(m.no(), |acc, r| m.or(&acc, &r.preimage(m, to)?))
        };
        let mut states = m.yes();
        for factor in factors.iter().rev() {
            let Ground::Star(x) = factor else {
                states = back(&self.value(factor, scope, restriction)?, &states)?;
                continue;
            };
            let step = self.value(x, scope, restriction)?;
            loop {
                let more = m.or(&states, &back(&step, &states)?)?;
                if m.within(&more, &states) {
                    break;
                }
                states = more;
            }
        }
        Ok(states)
    }

    fn star(&self, step: &[Rel]) -> Result<Value, Stop> {
        let m = &self.encoding.m;
        let mut total = step
            .iter()
            .try_fold(Rel::test(m.yes()), |acc, r| acc.plus(m, r))?;
        loop {
            let squared = total.then(m, &total)?;
            if m.within(&squared.bdd, &total.bdd) {
                return Ok(vec![total]);
            }
            total = squared;
        }
    }

    /// The type-correct states from which infinitely many steps lead: the greatest fixpoint of the preimage.
    pub fn endless(&self, step: &[Rel], scope: &Scope) -> Result<Bdd, Stop> {
        let m = &self.encoding.m;
        if self.runs_out(step)? {
            return Ok(m.no());
        }
        let mut states = scope.correct.clone();
        loop {
            let mut next = m.no();
            for rel in step {
                next = m.or(&next, &rel.preimage(m, &states)?)?;
            }
            next = m.and(&next, &states)?;
            if m.within(&states, &next) {
                return Ok(next);
            }
            states = next;
        }
    }

    /// Whether some power of a relation is empty, tried by squaring as long as the powers stay small: a straight line
    /// of n steps takes log n products, where the fixpoint above takes n images. False says nothing.
    fn runs_out(&self, step: &[Rel]) -> Result<bool, Stop> {
        let m = &self.encoding.m;
        let mut power = step
            .iter()
            .try_fold(Rel::test(m.no()), |acc, r| acc.plus(m, r))?;
        let most = 4 * power.bdd.size() + 1000;
        for _ in 0..SQUARINGS {
            if power.is_empty() || power.bdd.size() > most {
                break;
            }
            power = power.then(m, &power)?;
        }
        Ok(power.is_empty())
    }

    /// The pairs in the left value, from assumed states, that are not in the right one; `None` if there is none.
    pub fn difference(
        &self,
        left: &[Rel],
        right: &[Rel],
        scope: &Scope,
    ) -> Result<Option<Rel>, Stop> {
        let m = &self.encoding.m;
        for l in left {
            let writes = right
                .iter()
                .fold(l.writes.clone(), |acc, r| union(&acc, &r.writes));
            let from = m.and(&l.bdd, &scope.correct)?;
            if from.is_false() {
                continue;
            }
            let wide = Rel {
                writes: l.writes.clone(),
                bdd: from,
            };
            // What is left of the left side stays small; the union of the right side may not.
            let mut bdd = wide.widen(m, &writes)?.bdd;
            for r in right {
                bdd = m.and_not(&bdd, &r.widen(m, &writes)?.bdd)?;
                if bdd.is_false() {
                    break;
                }
            }
            // What holds without the assumption, as most does, is not burdened with it.
            if let Some(j) = self.assumption {
                bdd = m.and(&bdd, j)?;
            }
            if !bdd.is_false() {
                return Ok(Some(Rel { bdd, writes }));
            }
        }
        Ok(None)
    }
}

/// The other factors of a product that ends with its only T.
pub(super) fn before_top(all: &[Ground]) -> Option<&[Ground]> {
    let (last, before) = all.split_last()?;
    let is_only = *last == Ground::Top && !before.iter().any(Ground::has_top);
    is_only.then_some(before)
}

/// Adds a relation to a union, joining those that write the same bits.
fn add(m: &super::bdds::Bdds, value: &mut Value, rel: &Rel) -> Result<(), Stop> {
    if rel.is_empty() {
        return Ok(());
    }
    match value.iter_mut().find(|r| r.writes == rel.writes) {
        Some(known) => known.bdd = m.or(&known.bdd, &rel.bdd)?,
        None => value.push(rel.clone()),
    }
    Ok(())
}
