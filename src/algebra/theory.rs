//! Theories: a reduction theorem as data, read from a file in `theories/`.

use super::files::Text;
use super::term::{Form, Statement, Term};
use crate::base::results::SyntacticFact;

/// What a declared atom stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A relation.
    Action,
    /// A predicate: it has a complement.
    Test,
}

/// Which steps of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Steps {
    /// Whichever.
    All,
    /// The visible ones.
    Visible,
    /// The invisible ones.
    Invisible,
    /// Those that move to the right of other threads' steps.
    Right,
    /// Those that move to the left.
    Left,
}

/// What a letter of a theory stands for on a program; all but two speak of the process that is its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// Steps of it.
    Steps(Steps),
    /// That it has none of these enabled.
    Disabled(Steps),
    /// That it is before the commit point of a transaction.
    Before,
    /// That it is behind it.
    Behind,
    /// That it is in no transaction.
    Outside,
    /// That it has gone wrong.
    Wrong,
    /// That the discipline has been violated.
    Violated,
    /// The initial states.
    Initial,
}

/// What a word speaks of: a theory's words speak of one of these, or of what both have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// Visible and invisible steps.
    Visibility,
    /// Transactions.
    Transactions,
}

impl Word {
    /// Every word, as it stands behind `is`; `i` stands for the letter's index.
    pub const ALL: [(&'static str, Word); 16] = [
        ("step of i", Word::Steps(Steps::All)),
        ("visible step of i", Word::Steps(Steps::Visible)),
        ("invisible step of i", Word::Steps(Steps::Invisible)),
        ("right mover of i", Word::Steps(Steps::Right)),
        ("left mover of i", Word::Steps(Steps::Left)),
        ("no step of i enabled", Word::Disabled(Steps::All)),
        (
            "no visible step of i enabled",
            Word::Disabled(Steps::Visible),
        ),
        (
            "no invisible step of i enabled",
            Word::Disabled(Steps::Invisible),
        ),
        ("no right mover of i enabled", Word::Disabled(Steps::Right)),
        ("no left mover of i enabled", Word::Disabled(Steps::Left)),
        ("i before its commit point", Word::Before),
        ("i behind its commit point", Word::Behind),
        ("i in no transaction", Word::Outside),
        ("i gone wrong", Word::Wrong),
        ("violated", Word::Violated),
        ("initial", Word::Initial),
    ];

    /// Whether it names actions or tests.
    pub fn sort(self) -> Sort {
        match self {
            Word::Steps(_) => Sort::Action,
            _ => Sort::Test,
        }
    }

    /// How many indices its letters have.
    pub fn indices(self) -> usize {
        usize::from(!matches!(self, Word::Violated | Word::Initial))
    }

    /// What it speaks of, if not of what every program has.
    pub fn speaks(self) -> Option<Speaks> {
        match self {
            Word::Steps(s) | Word::Disabled(s) => match s {
                Steps::All => None,
                Steps::Visible | Steps::Invisible => Some(Speaks::Visibility),
                Steps::Right | Steps::Left => Some(Speaks::Transactions),
            },
            Word::Before | Word::Behind | Word::Outside | Word::Wrong | Word::Initial => {
                Some(Speaks::Transactions)
            }
            Word::Violated => Some(Speaks::Visibility),
        }
    }
}

/// A theorem that comes with the tool. What a reduced system keeps, and who explores it, is known of these; any other
/// theorem is used as the one of them that it is provably as good as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Visible steps, and the invisible ones behind them.
    StollerCohen,
    /// Right movers, one step, left movers.
    FlanaganQadeer,
    /// One step and left movers.
    LeftMovers,
    /// Right movers and one step.
    RightMovers,
    /// As for the second, for what is reached with all threads outside.
    Lipton,
}

/// A declared letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Its name.
    pub name: String,
    /// How many indices it has.
    pub indices: usize,
    /// What it is.
    pub sort: Sort,
    /// What it stands for on a program, if the file says so.
    pub word: Option<Word>,
}

/// A reduction theorem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theory {
    /// Its name, as in `--theorem NAME`.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// Declared letters.
    pub letters: Vec<Letter>,
    /// Definitions, each using only what stands before it.
    pub definitions: Vec<Definition>,
    /// What has to hold of the model.
    pub hypotheses: Vec<Hypothesis>,
    /// What then holds of the model.
    pub conclusion: Option<Hypothesis>,
    /// Where the conclusion is proved: statement and file.
    pub proof: Option<(String, String)>,
    /// Which theorem of the tool's it is, or is used as.
    pub shape: Option<Shape>,
    /// What is known of it besides, if it does not come with the tool.
    pub own: Option<Box<Own>>,
}

/// What is known of a theorem that a user has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// Its file.
    pub file: Text,
    /// The SHA-256 of that text, in hexadecimal.
    pub digest: String,
    /// The proof of its conclusion, as the kernel writes it, once the kernel has accepted it.
    pub proof: Option<String>,
    /// Whether its hypotheses imply all of those of its shape. Then all that is known of the shape holds where they do;
    /// else nothing but the conclusion.
    pub implies: bool,
    /// Whether its reduced system is the one of its shape; else it is evaluated on relations.
    pub same: bool,
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

    /// Whether a statement has a sum or product over all processes, in a definition that it uses, for instance.
    pub fn speaks_of_all(&self, s: &Statement) -> bool {
        s.sides.iter().any(|t| self.sums(t, 0))
    }

    fn sums(&self, t: &Term, depth: usize) -> bool {
        match &t.form {
            Form::Zero | Form::One | Form::Top | Form::State(_) => false,
            Form::SumOver(..) | Form::ProductOver(..) => true,
            Form::Not(x) | Form::Star(x) | Form::Omega(x) => self.sums(x, depth),
            Form::Applied(_, x) => self.sums(x, depth),
            Form::Hash(x, y) => self.sums(x, depth) || self.sums(y, depth),
            Form::Sum(all) | Form::Product(all) => all.iter().any(|x| self.sums(x, depth)),
            // Definitions use earlier ones, so this ends; a circle would speak of anything.
            Form::Atom(a) => match self.definition(&a.name, a.indices.len()) {
                Some(d) => depth > self.definitions.len() || self.sums(&d.term, depth + 1),
                None => false,
            },
        }
    }

    /// What a letter stands for on a program, by its name and number of indices.
    pub fn word(&self, name: &str, indices: usize) -> Option<Word> {
        let mut letters = self.letters.iter();
        letters
            .find(|l| l.name == name && l.indices == indices)?
            .word
    }

    /// The first letter that stands for this.
    pub fn letter(&self, word: Word) -> Option<&Letter> {
        self.letters.iter().find(|l| l.word == Some(word))
    }

    /// Whether its conclusion is proved. The tests prove those of the theorems that come with the tool.
    pub fn is_proved(&self) -> bool {
        self.own.as_ref().is_none_or(|own| own.proof.is_some())
    }

    /// Whether all that is known of its shape may be said where its hypotheses hold.
    pub fn implies_shape(&self) -> bool {
        self.own.as_ref().is_none_or(|own| own.implies)
    }

    /// Whether its reduced system is that of its shape.
    pub fn reduces_as_shape(&self) -> bool {
        self.own.as_ref().is_none_or(|own| own.same)
    }
}

/// A theory that comes with the tool.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
    /// Which theorem it is.
    pub shape: Shape,
    /// What it is in a line.
    pub about: &'static str,
}

/// The theories that come with the tool.
pub fn shipped() -> &'static [Shipped] {
    macro_rules! theories {
        ($($name:literal $path:literal $shape:ident $about:literal)*) => {
            &[$(Shipped {
                name: $name,
                text: include_str!(concat!("../../theories/", $path)),
                shape: Shape::$shape,
                about: $about,
            },)*]
        };
    }
    theories! {
        "stoller-cohen" "stoller_cohen.thy" StollerCohen
        "Stoller & Cohen 2003: invisible steps move left into the visible step before them"
        "flanagan-qadeer" "flanagan_qadeer.thy" FlanaganQadeer
        "Flanagan & Qadeer 2003: transactions of right movers, one step that commits, and left movers"
        "left-movers" "left_movers.thy" LeftMovers
        "its part for left movers: transactions of one step and left movers"
        "right-movers" "right_movers.thy" RightMovers
        "its part for right movers: transactions of right movers and one step"
        "lipton" "lipton.thy" Lipton
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
        "domain" "theories/identities/domain.thy"
        "conway" "theories/identities/conway.thy"
        "commutation" "theories/identities/commutation.thy"
        "hoare" "theories/identities/hoare.thy"
        "programs" "theories/identities/programs.thy"
        "incorrectness" "theories/identities/incorrectness.thy"
        "termination" "theories/identities/termination.thy"
        "refinement" "theories/identities/refinement.thy"
        "concurrent" "theories/identities/concurrent.thy"
        "purity" "theories/identities/purity.thy"
        "divergence" "theories/identities/divergence.thy"
        "converse" "theories/identities/converse.thy"
        "demonic" "theories/identities/demonic.thy"
        "quotients" "theories/identities/quotients.thy"
        "schemes" "theories/identities/schemes.thy"
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
