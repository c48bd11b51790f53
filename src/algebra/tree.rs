//! What a parser makes of a file of theories, proofs or identities: items, statements and terms, each with its place in
//! the text.
//!
//! `elaborate` resolves the names in it; the relational interpreter takes the same terms.

use super::suite::{Declared, Level};
use super::term::{Index, Order, Statement, Term};
use super::theory::{Sort, Word};
use crate::base::diagnostic::Span;
use crate::base::results::SyntacticFact;

/// `i != j => x <= y by h <= z`: a chain of comparisons, with the hints of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Where it stands.
    pub span: Span,
    /// Indices that differ.
    pub distinct: Vec<(Index, Index, Span)>,
    /// The sides, two or more, the least first.
    pub sides: Vec<Term>,
    /// How neighbouring sides compare: one less than sides.
    pub orders: Vec<Order>,
    /// What each comparison may use, if it says so: as many as orders.
    pub hints: Vec<Option<Vec<HintTree>>>,
}

/// A hint as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintTree {
    /// Where it stands.
    pub span: Span,
    /// The text.
    pub text: String,
    /// The name, or the word for a rule.
    pub name: Named,
    /// What stands in parentheses behind it.
    pub arguments: Vec<Argument>,
}

/// `x := t`, or only `t`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// What is replaced.
    pub what: Option<Named>,
    /// By what.
    pub by: Term,
}

/// A name with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// A file: its items in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Name and source of the theory, if the file has a header.
    pub theory: Option<(String, String)>,
    /// The items.
    pub items: Vec<Entry>,
}

/// An item of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// `level kleene;`
    Level(Level),
    /// `use kleene;` or `use "path.thy";`
    Use(Used),
    /// `action u[i] is step of i, x;` or `test p[i], q;`: names with their indices, and what they stand for.
    Declare(Sort, Vec<(Named, Vec<Named>, Option<Word>)>),
    /// `let M[i] = v[i] u[i]*;`
    Define {
        /// What is defined.
        name: Named,
        /// Its indices.
        indices: Vec<Named>,
        /// Its meaning.
        term: Term,
    },
    /// `hypothesis 14 "words": ..;`
    Hypothesis {
        /// Its name.
        name: Named,
        /// In words.
        words: String,
        /// What is assumed.
        chain: Chain,
        /// `syntactic sticky`: why the text of every program shows it.
        syntactic: Option<SyntacticFact>,
    },
    /// `conclusion 19 "words": .. proved NAME in FILE;`
    Conclusion {
        /// Its name.
        name: Named,
        /// In words.
        words: String,
        /// What the theory says.
        chain: Chain,
        /// Where it is proved: statement and file.
        proved: Option<(Named, Named)>,
    },
    /// `axiom`, `identity`, `fails` or `open`.
    Claim {
        /// Which of them.
        declared: Declared,
        /// Its name.
        name: Named,
        /// Hypotheses of the theory that it does not assume.
        without: Vec<Named>,
        /// What it assumes.
        premises: Vec<(Option<Named>, Chain)>,
        /// What it says.
        chain: Chain,
        /// Where it is false, if the file says so.
        model: Option<ModelTree>,
    },
}

/// The model of a `fails` statement as written; states and processes count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelTree {
    /// Where it stands.
    pub span: Span,
    /// How many states.
    pub states: Option<(usize, Span)>,
    /// How many processes.
    pub processes: Option<(usize, Span)>,
    /// Values of atoms and index variables.
    pub entries: Vec<ModelEntry>,
}

/// The value of an atom, or of an index variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelEntry {
    /// Its name.
    pub name: Named,
    /// The processes it is indexed with.
    pub processes: Vec<(usize, Span)>,
    /// States that stand alone: those of a test, or the process of an index variable.
    pub states: Vec<(usize, Span)>,
    /// Pairs of states.
    pub pairs: Vec<(usize, usize, Span)>,
}

/// A file that another uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// Its name or path.
    pub file: Named,
    /// Whether it is a path, not the name of a shipped file.
    pub path: bool,
}

impl Chain {
    /// The statement without places and hints.
    pub fn statement(&self) -> Statement {
        let pairs = self.distinct.iter();
        Statement {
            distinct: pairs.map(|(i, j, _)| (i.clone(), j.clone())).collect(),
            sides: self.sides.clone(),
            orders: self.orders.clone(),
        }
    }
}
