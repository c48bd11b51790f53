//! A proof of the algebra as a person reads it: chains of inclusions, each with its reason.

use serde::Serialize;

/// The proof of a statement. It has the steps that the kernel checked, in their order.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Derivation {
    /// What is assumed for this statement: names and what they say.
    pub premises: Vec<Assumed>,
    /// A chain for each inclusion of the statement; an equation has two.
    pub parts: Vec<Chain>,
    /// Proofs that steps rest on, each told once; a step names them by their number, from 1.
    pub below: Vec<Chain>,
    /// Whether it was cut for its length.
    pub cut: bool,
}

/// A statement that is assumed.
#[derive(Clone, Debug, Serialize)]
pub struct Assumed {
    /// Its name.
    pub name: String,
    /// What it says.
    pub statement: String,
}

/// `left <= .. <= ..`
#[derive(Clone, Debug, Serialize)]
pub struct Chain {
    /// `i != j => `, or nothing.
    pub conditions: String,
    /// Where it begins.
    pub left: String,
    /// What follows, line by line.
    pub lines: Vec<Line>,
}

/// A step of a chain.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Whether the reason is an equation; else it is an inclusion.
    pub equal: bool,
    /// The term that is reached.
    pub term: String,
    /// Why.
    pub reason: Reason,
    /// The proofs that the reason needs, by their numbers.
    pub below: Vec<usize>,
}

/// Why a step holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "rule")]
pub enum Reason {
    /// It is decided: it holds in all Kleene algebras with tests and top.
    Decided,
    /// A hypothesis of the theory.
    Hypothesis {
        /// Its name.
        name: String,
    },
    /// A premise of the statement.
    Premise {
        /// Its name.
        name: String,
    },
    /// A statement that is proved.
    Lemma {
        /// Its name.
        name: String,
        /// What its letters stand for: `x := u v`.
        letters: Vec<String>,
    },
    /// Each summand is below.
    Summands,
    /// Star induction: where it begins is below, and a step does not lead out.
    Induction,
    /// Omega coinduction.
    Coinduction,
    /// `x^w = x x^w`
    Unfolding,
    /// `x = dom(x) x`, or `x = x cod(x)`
    Domain,
    /// `y x = 0`, so `y dom(x) = 0`; or the mirror image
    LeastDomain,
    /// `div(x) <= dom(x div(x))`
    Divergence,
    /// `p <= dom(x p)`, so `p <= div(x)`
    GreatestDivergence,
    /// A member is below the sum over all processes.
    Member,
    /// Each member of the sum over processes is below.
    Members,
    /// A product of tests is below each of its factors.
    Factor,
    /// It is below each factor of the product over processes.
    Factors,
    /// One member, and the others.
    Separated,
    /// Two processes are the same, or not.
    Cases {
        /// The one.
        one: String,
        /// The other.
        other: String,
    },
}
