//! Theories: a reduction theorem as data, read from a file in `theories/`.

use super::term::{Statement, Term};
use crate::base::results::SyntacticFact;

/// What a declared atom stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A relation.
    Action,
    /// A predicate: it has a complement.
    Test,
}

/// A reduction theorem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theory {
    /// Its name, as in `--theorem NAME`.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// Declared atoms: name, number of indices, sort.
    pub atoms: Vec<(String, usize, Sort)>,
    /// Definitions, each using only what stands before it.
    pub definitions: Vec<Definition>,
    /// What has to hold of the model.
    pub hypotheses: Vec<Hypothesis>,
    /// What then holds of the model.
    pub conclusion: Option<Hypothesis>,
    /// Where the conclusion is proved: statement and file.
    pub proof: Option<(String, String)>,
}

/// `let M[i] = v[i] u[i]*`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its index variables.
    pub indices: Vec<String>,
    /// Its meaning.
    pub term: Term,
}

/// A named statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// Its name, such as `14`.
    pub id: String,
    /// In words.
    pub words: String,
    /// The formula.
    pub statement: Statement,
    /// Why it is true of every program whose invisible steps were read off its text, if it is.
    pub syntactic: Option<SyntacticFact>,
}

impl Theory {
    /// A definition by name and number of indices: `M[i]` and `M` are two.
    pub fn definition(&self, name: &str, indices: usize) -> Option<&Definition> {
        self.definitions
            .iter()
            .find(|d| d.name == name && d.indices.len() == indices)
    }
}

/// The theories that come with the tool: name, text of the file, and what it is in a line.
pub fn shipped() -> &'static [(&'static str, &'static str, &'static str)] {
    macro_rules! theories {
        ($($name:literal $path:literal $about:literal)*) => {
            &[$(($name, include_str!(concat!("../../theories/", $path)), $about),)*]
        };
    }
    theories! {
        "stoller-cohen" "stoller_cohen.thy"
        "Stoller & Cohen 2003: invisible steps move left into the visible step before them"
        "flanagan-qadeer" "flanagan_qadeer.thy"
        "Flanagan & Qadeer 2003: transactions of right movers, one step that commits, and left movers"
        "left-movers" "left_movers.thy"
        "its part for left movers: transactions of one step and left movers"
        "right-movers" "right_movers.thy"
        "its part for right movers: transactions of right movers and one step"
        "lipton" "lipton.thy"
        "Lipton 1975: the same transactions, for what is reached with all threads outside of them"
    }
}

/// The lemmas about pairs of steps (`theories/lemmas/`) with their proofs, as the kernel writes them.
pub fn lemmas() -> &'static str {
    include_str!("../../proofs/lemmas.cert")
}

/// The files that `use NAME;` finds without a path: name, path in the repository, text.
pub fn library() -> &'static [(&'static str, &'static str, &'static str)] {
    macro_rules! files {
        ($($name:literal $path:literal)*) => {
            &[$(($name, $path, include_str!(concat!("../../", $path))),)*]
        };
    }
    files! {
        "semiring" "theories/identities/semiring.thy"
        "kleene" "theories/identities/kleene.thy"
        "tests" "theories/identities/tests.thy"
        "top" "theories/identities/top.thy"
        "omega" "theories/identities/omega.thy"
        "conway" "theories/identities/conway.thy"
        "commutation" "theories/identities/commutation.thy"
        "hoare" "theories/identities/hoare.thy"
        "programs" "theories/identities/programs.thy"
        "incorrectness" "theories/identities/incorrectness.thy"
        "termination" "theories/identities/termination.thy"
        "refinement" "theories/identities/refinement.thy"
        "concurrent" "theories/identities/concurrent.thy"
        "quotients" "theories/identities/quotients.thy"
        "stoller-cohen" "theories/stoller_cohen.thy"
        "stoller-cohen-proof" "proofs/stoller_cohen.thy"
        "stoller-cohen-corollaries" "proofs/stoller_cohen_corollaries.thy"
        "stoller-cohen-necessity" "proofs/stoller_cohen_necessity.thy"
        "movers-lemmas" "proofs/movers.thy"
        "left-movers" "theories/left_movers.thy"
        "left-movers-proof" "proofs/left_movers.thy"
        "left-movers-necessity" "proofs/left_movers_necessity.thy"
        "right-movers" "theories/right_movers.thy"
        "right-movers-proof" "proofs/right_movers.thy"
        "right-movers-necessity" "proofs/right_movers_necessity.thy"
        "lipton" "theories/lipton.thy"
        "lipton-proof" "proofs/lipton.thy"
        "lipton-necessity" "proofs/lipton_necessity.thy"
        "observer" "theories/observer.thy"
        "flanagan-qadeer" "theories/flanagan_qadeer.thy"
        "flanagan-qadeer-proof" "proofs/flanagan_qadeer.thy"
        "flanagan-qadeer-necessity" "proofs/flanagan_qadeer_necessity.thy"
        "lemma-protected" "theories/lemmas/protected.thy"
        "lemmas-necessity" "proofs/lemmas_necessity.thy"
    }
}
