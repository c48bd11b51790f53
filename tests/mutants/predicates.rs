//! State expressions of bundles in prefix form, evaluated over naive states.

use super::worlds::{Place, World};
use std::iter::Peekable;
use std::str::Split;

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum No {
    /// The evaluation goes wrong, so that the predicate is false.
    Fails,
    /// Nothing is known of a word.
    Unknown,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Tree {
    word: String,
    /// The name that stands behind `cell`, `element` and `at`.
    name: String,
    locations: Vec<usize>,
    of: Vec<Tree>,
}

/// Reads an expression; `None` if it is cut short or has unknown words.
pub fn read(world: &World, text: &str) -> Option<Tree> {
    let mut words = text.split(' ').peekable();
    let tree = tree(world, &mut words)?;
    words.next().is_none().then_some(tree)
}

fn tree(world: &World, words: &mut Peekable<Split<char>>) -> Option<Tree> {
    let word = words.next()?.to_string();
    let mut tree_ = Tree {
        word,
        name: String::new(),
        locations: Vec::new(),
        of: Vec::new(),
    };
    let operands = match tree_.word.as_str() {
        "cell" => {
            tree_.name = words.next()?.into();
            0
        }
        "element" => {
            tree_.name = words.next()?.into();
            world.dimensions(&tree_.name)?
        }
        "at" => {
            tree_.name = words.next()?.into();
            let n: usize = words.next()?.parse().ok()?;
            for _ in 0..n {
                tree_.locations.push(words.next()?.parse().ok()?);
            }
            0
        }
        "not" | "neg" => 1,
        "if" => 3,
        "add" | "sub" | "mul" | "div" | "rem" | "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "and"
        | "or" | "implies" => 2,
        number => {
            number.parse::<i64>().ok()?;
            0
        }
    };
    for _ in 0..operands {
        let operand = tree(world, words)?;
        tree_.of.push(operand);
    }
    Some(tree_)
}

impl Tree {
    /// Whether it holds; `None` if nothing is known.
    pub fn holds(&self, world: &World, place: &Place) -> Option<bool> {
        match self.value(world, place) {
            Ok(value) => Some(value != 0),
            Err(No::Fails) => Some(false),
            Err(No::Unknown) => None,
        }
    }

    fn value(&self, world: &World, place: &Place) -> Result<i64, No> {
        let of = |n: usize| self.of[n].value(world, place);
        match self.word.as_str() {
            "cell" => {
                let cell = world.cell(&self.name).ok_or(No::Unknown)?;
                Ok(place.cells[cell])
            }
            "element" => {
                let mut name = self.name.clone();
                for n in 0..self.of.len() {
                    name += &format!("[{}]", of(n)?);
                }
                let cell = world.cell(&name).ok_or(No::Fails)?;
                Ok(place.cells[cell])
            }
            "at" => {
                let thread = world.thread(&self.name).ok_or(No::Unknown)?;
                let at = place.locations.as_ref().ok_or(No::Unknown)?[thread];
                Ok(i64::from(self.locations.contains(&at)))
            }
            "not" => Ok(i64::from(of(0)? == 0)),
            "neg" => Ok(-of(0)?),
            "if" => match of(0)? {
                0 => of(2),
                _ => of(1),
            },
            "and" => Ok(i64::from(of(0)? != 0 && of(1)? != 0)),
            "or" => Ok(i64::from(of(0)? != 0 || of(1)? != 0)),
            "implies" => Ok(i64::from(of(0)? == 0 || of(1)? != 0)),
            "add" => Ok(of(0)? + of(1)?),
            "sub" => Ok(of(0)? - of(1)?),
            "mul" => Ok(of(0)? * of(1)?),
            "div" => of(0)?.checked_div_euclid(of(1)?).ok_or(No::Fails),
            "rem" => of(0)?.checked_rem_euclid(of(1)?).ok_or(No::Fails),
            "eq" => Ok(i64::from(of(0)? == of(1)?)),
            "ne" => Ok(i64::from(of(0)? != of(1)?)),
            "lt" => Ok(i64::from(of(0)? < of(1)?)),
            "le" => Ok(i64::from(of(0)? <= of(1)?)),
            "gt" => Ok(i64::from(of(0)? > of(1)?)),
            "ge" => Ok(i64::from(of(0)? >= of(1)?)),
            number => number.parse().map_err(|_| No::Unknown),
        }
    }
}
