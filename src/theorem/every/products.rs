//! Statements about generic threads as inclusions between sums of products of letters.

use super::Speech;
use super::run::{Said, Unsaid};
use crate::base::evidence::Letter;
use crate::base::results::Obstacle;
use crate::kernel::{Id, Index, Node, Sym};
use crate::model::program::LocId;

/// A factor of a product: a letter of one of the threads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Factor {
    Step(usize, Sym),
    Test(usize, Sym, bool),
    Top,
}

/// A side of an inclusion is a sum of no more products than this.
const MOST_PRODUCTS: usize = 1 << 12;

/// What terms about generic threads say.
#[derive(Clone, Copy)]
pub(super) struct Words<'w> {
    pub speech: &'w Speech<'w>,
    /// The index variable that stands for each of the threads, and its kind.
    pub variables: &'w [(u32, usize)],
}

impl<'w> Words<'w> {
    /// A term as a sum of products.
    pub fn products(&self, t: Id) -> Said<Vec<Vec<Factor>>> {
        let terms = self.speech.terms;
        Ok(match terms.node(t) {
            Node::Zero => Vec::new(),
            Node::One => vec![Vec::new()],
            Node::Top => vec![vec![Factor::Top]],
            Node::Atom(..) => vec![vec![self.factor(t, true)?]],
            Node::Not(x) => vec![vec![self.factor(*x, false)?]],
            Node::Sum(all) => {
                let mut sum = Vec::new();
                for x in all {
                    sum.extend(self.products(*x)?);
                    few(sum.len())?;
                }
                sum
            }
            Node::Product(all) => {
                let mut done: Vec<Vec<Factor>> = vec![Vec::new()];
                for x in all {
                    let next = self.products(*x)?;
                    let longer = |p: &Vec<Factor>| -> Vec<Vec<Factor>> {
                        next.iter()
                            .map(|n| [p.as_slice(), n.as_slice()].concat())
                            .collect()
                    };
                    few(done.len().saturating_mul(next.len()))?;
                    done = done.iter().flat_map(longer).collect();
                }
                done
            }
            _ => return Err(Unsaid::Because(Obstacle::Form)),
        })
    }

    fn factor(&self, t: Id, positive: bool) -> Said<Factor> {
        let form = || Unsaid::Because(Obstacle::Form);
        let Node::Atom(symbol, indices) = self.speech.terms.node(t) else {
            return Err(form());
        };
        let letter = self.letter(*symbol)?;
        let thread = match (letter, indices.first()) {
            (Letter::Violated, _) => 0,
            (_, Some(Index::Var(v))) => {
                let mut all = self.variables.iter();
                all.position(|(known, _)| known == v).ok_or_else(form)?
            }
            _ => return Err(form()),
        };
        match letter {
            Letter::Steps { .. } if positive => Ok(Factor::Step(thread, *symbol)),
            Letter::Enabled { .. } | Letter::Access { .. } | Letter::Violated => {
                Ok(Factor::Test(thread, *symbol, positive))
            }
            _ => Err(form()),
        }
    }

    /// What a symbol stands for.
    pub fn letter(&self, symbol: Sym) -> Said<&'w Letter> {
        let letter = self.speech.letters.get(symbol as usize);
        letter.ok_or(Unsaid::Because(Obstacle::Form))
    }

    /// Where a letter's thread is.
    pub fn locations(&self, symbol: Sym) -> &'w [LocId] {
        match self.letter(symbol) {
            Ok(Letter::Steps { locations, .. } | Letter::Enabled { locations, .. }) => locations,
            _ => &[],
        }
    }
}

fn few(products: usize) -> Said<()> {
    match products <= MOST_PRODUCTS {
        true => Ok(()),
        false => Err(Unsaid::Because(Obstacle::Paths)),
    }
}
