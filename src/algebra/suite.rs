//! Statements to be proved or refuted, elaborated: names resolved, definitions unfolded, hints looked up.

use super::prove;
use super::refute::Model;
use super::term::Order;
use crate::base::diagnostic::Diagnostic;
use crate::kernel::{Development, Id, Operator, Renaming, Statement, Sym, Theorem};
use std::collections::BTreeSet;
use std::ops::Range;

pub use crate::base::results::proofs::Declared;

/// Which axioms a statement or a proof needs; each level but the last has those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Idempotent semirings.
    #[default]
    Semiring,
    /// Kleene algebra.
    Kleene,
    /// Kleene algebra with tests.
    Tests,
    /// With tests and a greatest element.
    Top,
    /// Omega algebra.
    Omega,
    /// Omega algebra with domain and codomain.
    Domain,
    /// And with divergence.
    Divergence,
    /// Relations, with all of these and their converses.
    Converse,
    /// Demonic refinement algebra: without tests, and without `x 0 = 0`.
    Demonic,
}

impl Level {
    /// All of them.
    pub const ALL: [Level; 9] = [
        Level::Semiring,
        Level::Kleene,
        Level::Tests,
        Level::Top,
        Level::Omega,
        Level::Domain,
        Level::Divergence,
        Level::Converse,
        Level::Demonic,
    ];

    /// The level of a name.
    pub fn named(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }

    /// The level of an operator.
    pub fn of(operator: Operator) -> Level {
        match operator {
            Operator::Domain | Operator::Codomain => Level::Domain,
            Operator::Divergence => Level::Divergence,
        }
    }

    /// Whether symbols of another level are known at this one.
    pub fn has(self, level: Level) -> bool {
        match self {
            Level::Demonic => !matches!(
                level,
                Level::Tests | Level::Domain | Level::Divergence | Level::Converse
            ),
            _ => level <= self,
        }
    }

    /// Its name, as in `level kleene;`.
    pub fn name(self) -> &'static str {
        self.told().0
    }

    /// Its name, and what it is.
    pub fn told(self) -> (&'static str, &'static str) {
        match self {
            Level::Semiring => ("semiring", "idempotent semirings"),
            Level::Kleene => ("kleene", "Kleene algebra"),
            Level::Tests => ("tests", "Kleene algebra with tests"),
            Level::Top => ("top", "with a greatest element"),
            Level::Omega => ("omega", "omega algebra"),
            Level::Domain => ("domain", "omega algebra with domain and codomain"),
            Level::Divergence => ("divergence", "with domain, codomain and divergence"),
            Level::Converse => ("converse", "relations with their converses"),
            Level::Demonic => ("demonic", "demonic refinement algebra"),
        }
    }
}

/// Files of statements, with all that they use.
#[derive(Default)]
pub struct Suite {
    /// The terms, the hypotheses of the theories in use, and what is proved so far.
    pub development: Development,
    /// The statements in the order of the text; used files come before those that use them.
    pub items: Vec<Item>,
    /// What is odd about the file that was asked for.
    pub warnings: Vec<Diagnostic>,
    /// Statements, by position, that their hints were not enough for: they are proved without.
    pub beyond_hints: BTreeSet<usize>,
}

/// A statement with its hints.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// The name of its theorem: such as certificates may have, and no other statement of the suite has it.
    pub title: String,
    /// The file it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// What the file says of it.
    pub declared: Declared,
    /// The statement as written, without hints.
    pub text: String,
    /// The level that the file declares for it; else the least that has its symbols.
    pub level: Level,
    /// Whether it belongs to a file that was asked for, not only used by one.
    pub asked: bool,
    /// Hypotheses of the theory that it does not assume, by position in the development.
    pub without: Vec<usize>,
    /// What it assumes besides the hypotheses of the theory: name (may be empty) and statement.
    pub premises: Vec<(String, Statement)>,
    /// Those that the file does not write, which are the last ones.
    pub added: Added,
    /// Processes that differ: sorted pairs.
    pub distinct: Vec<(u32, u32)>,
    /// Neighbouring sides of the chain.
    pub links: Vec<Link>,
    /// The model that the file gives for a statement that fails.
    pub model: Option<Model>,
    /// What is assumed and stated of relations, where that is something else (`super::demonic`,
    /// `super::converse`).
    pub on_relations: Option<OnRelations>,
}

/// Premises that a statement about converses has beside its own (`super::converse`), by position.
#[derive(Clone, Debug, Default)]
pub struct Added {
    /// What its own say, turned round. It holds if they do.
    pub turned: Range<usize>,
    /// What holds of all relations; behind those.
    pub laws: Range<usize>,
}

impl Added {
    /// All of them.
    pub fn all(&self) -> Range<usize> {
        self.turned.start..self.laws.end
    }
}

/// What is assumed of relations, and stated of them.
#[derive(Clone, Debug)]
pub struct OnRelations {
    /// The premises, with names that may be empty.
    pub given: Vec<(String, Statement)>,
    /// The inclusions.
    pub parts: Vec<(Id, Id)>,
}

/// Chains of terms, each below the next. The sum of their first terms is below the last term, which they share.
pub type Chains = Vec<Vec<Id>>;

impl Suite {
    /// What a statement assumes: the hypotheses of its theory that it does not leave out, and its premises; each with
    /// its name, which may be empty.
    pub fn assumed(&self, item: usize) -> Vec<(String, Statement)> {
        let item = &self.items[item];
        let all = self.theory_of(item).chain(&item.premises);
        all.cloned().collect()
    }

    /// The hypotheses of its theory that a statement assumes.
    pub fn theory_of(&self, item: &Item) -> impl Iterator<Item = &(String, Statement)> {
        let theory = self.development.hypotheses().iter().enumerate();
        let theory = theory.filter(|(n, _)| !item.without.contains(n));
        theory.map(|(_, h)| h)
    }

    /// The names that the premises of a statement's theorem have: it has no more laws of converses than it uses.
    pub fn names_of_premises(&self, item: usize, theorem: &Theorem) -> Vec<String> {
        let own = &self.items[item].premises;
        let name = |p: &Statement| {
            own.iter()
                .find(|(_, s)| s == p)
                .map(|(name, _)| name.clone())
        };
        let names = theorem.premises.iter().map(name);
        names.map(Option::unwrap_or_default).collect()
    }

    /// What a statement assumes of relations, with names that may be empty, and what it states: relations refute that.
    pub fn on_relations(&self, item: usize) -> (Vec<(String, Statement)>, Statement) {
        let this = &self.items[item];
        let Some(on) = &this.on_relations else {
            return (self.assumed(item), prove::statement(this));
        };
        let goal = Statement {
            distinct: this.distinct.clone(),
            parts: on.parts.clone(),
        };
        let given = self.theory_of(this).chain(&on.given);
        (given.cloned().collect(), goal)
    }
}

/// `left <= right` or `left = right`
#[derive(Clone, Debug)]
pub struct Link {
    /// The left side.
    pub left: Id,
    /// The right side.
    pub right: Id,
    /// How they compare.
    pub order: Order,
    /// `by ..`: only what it names may be used. Without it, all that the statement assumes may be used, and every rule.
    pub hints: Option<Vec<Hint>>,
    /// How it is proved, each way of an equation; directly, if that is empty.
    pub through: Vec<Chains>,
}

impl Link {
    /// Two sides, without hints.
    pub fn new(left: Id, right: Id, order: Order) -> Self {
        Link {
            left,
            right,
            order,
            hints: None,
            through: Vec::new(),
        }
    }
}

/// Something that a step may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// As written.
    pub text: String,
    /// What it is.
    pub what: Use,
}

/// What a hint stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// A hypothesis of the theory, by position in the development.
    Hypothesis(usize),
    /// A premise of this statement.
    Premise(usize),
    /// An earlier statement, by position in the suite, with variables renamed and letters replaced as given.
    Item {
        /// Its position.
        item: usize,
        /// Index variables renamed as the hint says; others are tried.
        variables: Renaming,
        /// Letters replaced as the hint says.
        letters: Vec<(Sym, Id)>,
    },
    /// `induction`: star induction on either side; with an invariant if one is given.
    Induction(Option<Id>),
    /// `coinduction`
    Coinduction,
    /// `unfold`: `x^w = x x^w`
    Unfold,
    /// `sum_elim`: `x_j <= z` for each j, so `(+ j : x_j) <= z`.
    SumElim,
    /// `sum_intro`: `x_k <= (+ j : x_j)`
    SumIntro,
    /// `product_elim`: `(. j : p_j) <= p_k`
    ProductElim,
    /// `product_intro`: a test below each factor is below the product.
    ProductIntro,
    /// `separate(i)`: `(+ j : x_j) = x_i + (+ j != i : x_j)`; without an argument for every variable.
    Separate(Option<u32>),
    /// `cases(i, j)`: whether two processes are the same; without arguments every pair that may be.
    Cases(Option<(u32, u32)>),
}
