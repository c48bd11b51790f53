//! How a hypothesis or a well-formedness condition was settled.

use super::{Contradiction, Obstacle, Rung};
use crate::base::control::Stop;
use crate::base::diagnostic::Position;

/// How a hypothesis was settled, or why it was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    /// Nobody has looked at it yet.
    #[default]
    Undecided,
    /// It has no meaning on this model, for this reason.
    NotEvaluated(String),
    /// A limit was hit, perhaps in this phase.
    Limit(Stop, Option<String>),
    /// The program was explored in full first.
    InFull,
    /// Somebody has stopped the work: what, and in which phase.
    Stopped(Stop, String),
    /// There is no derivation, for this reason.
    NotDerived(Underived),
    /// Looked for in the initial states or in relations.
    Evaluated(Evaluated),
    /// Derived from facts about single steps.
    Derived(Derivation),
    /// Derived and evaluated, with the same answer.
    Both(Derivation, Evaluated),
    /// Read off the program's text.
    Text(Textual),
    /// Derived, and refuted on the relations.
    Contradicted(Contradiction),
}

/// What an evaluation found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evaluated {
    /// The inclusions of all instances were evaluated.
    Inclusions {
        /// Which states they were evaluated on.
        on: Places,
        /// Choices of single actions evaluated.
        checked: usize,
        /// Choices skipped, because the actions are independent.
        independent: usize,
    },
    /// No step leads out of the states in question, on the states of this rung.
    On(Rung),
    /// The initial states are as they have to be.
    Initially,
    /// An exploration has met no violation in the initial states.
    NoInitialViolation,
    /// This invisible step is enabled in an initial state.
    EnabledInitially(Place),
    /// Two exclusive access predicates hold in an initial state.
    OverlapInitially,
    /// This step leaves the states in question, from a reachable state.
    Leaves(Place),
    /// This step leaves the states in question, from a state not known to be unreachable.
    MayLeave(Place),
    /// All threads are outside transactions where they have to be.
    Outside,
    /// Some thread may be inside a transaction where it must not.
    PerhapsInside,
}

/// On which states the instances of a hypothesis were evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// All hold; so many need each rung.
    Held(Needed),
    /// One fails in a reachable state.
    Refuted,
    /// One fails on this rung, and the reachable states are not known, for this reason.
    Open(Rung, Option<Unavailable>),
}

/// Why an invariant could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// A limit was hit.
    Limit(Stop),
    /// The budget of so many pairs of BDD nodes looked at was used up.
    Budget(u64),
}

/// A step, or a thread at it, as a sentence names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The thread.
    pub thread: String,
    /// The location that it leaves.
    pub location: String,
    /// Where it stands in the source.
    pub at: Position,
}

/// Why there is no derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Underived {
    /// The statement can't be read on the program, as this message says.
    Unreadable(String),
    /// It speaks of processes that may be the same.
    MayBeSame,
    /// Its side conditions are those of no two processes.
    NoTwoProcesses,
    /// It has a sum or product over all processes.
    AllProcesses,
    /// It speaks of a certain thread.
    CertainThread,
    /// An action stands in a product twice.
    ActionTwice,
    /// It has a complement of what is no test.
    ComplementOfAction,
    /// Nothing is known of this name.
    Unknown(String),
    /// It has a form that no tactic knows.
    Form,
    /// A thread takes more letters than this.
    Letters(usize),
    /// It takes more facts than this.
    Facts(usize),
    /// A statement is no fact for these threads.
    NoFact {
        /// As it is shown.
        statement: String,
        /// The threads, by name.
        threads: Vec<String>,
    },
    /// A statement is a fact in the instance, but not for every number of threads.
    NotForEvery {
        /// As it is shown.
        statement: String,
        /// Why.
        why: Box<Obstacle>,
    },
    /// The e-graph does not find words equal that the facts make equal.
    Words,
    /// The kernel rejects the derivation, for this reason.
    Rejected(String),
}

/// What a derivation rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// How many facts need each rung.
    pub needed: Needed,
    /// How many of the facts hold because the actions are independent.
    pub independent: usize,
    /// The lemmas that it uses.
    pub lemmas: Vec<String>,
    /// The facts, as they are shown.
    pub facts: Vec<String>,
    /// Steps of its certificate.
    pub steps: usize,
}

/// What the text of a program shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Textual {
    /// No step is invisible, so nothing is to be shown.
    NoneInvisible,
    /// A thread's first step is visible.
    FirstStep,
    /// There is no exclusive access predicate.
    NothingProtected,
    /// No invisible step leads out of the states that settle a property.
    NoLook,
    /// What makes the hypothesis true of every program.
    Fact(SyntacticFact),
}

/// Why a hypothesis of a theory is true of every program whose invisible steps were read off its text. Theory files
/// name it:
/// `hypothesis 17 "words" syntactic definition: ..;`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntacticFact {
    /// Every cycle of control has a visible step.
    Acyclic,
    /// Invisible steps use variables of their own thread only.
    Private,
    /// Which step is next depends on the location alone.
    Located,
    /// The test is defined as what it has to include.
    Definition,
    /// A violation stays one.
    Sticky,
}

impl SyntacticFact {
    /// All of them.
    pub const ALL: [SyntacticFact; 5] = [
        SyntacticFact::Acyclic,
        SyntacticFact::Private,
        SyntacticFact::Located,
        SyntacticFact::Definition,
        SyntacticFact::Sticky,
    ];

    /// As theory files have it.
    pub fn name(self) -> &'static str {
        match self {
            SyntacticFact::Acyclic => "acyclic",
            SyntacticFact::Private => "private",
            SyntacticFact::Located => "located",
            SyntacticFact::Definition => "definition",
            SyntacticFact::Sticky => "sticky",
        }
    }
}

/// How many instances, or facts, need which rung.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needed([usize; Rung::ALL.len()]);

impl Needed {
    /// Counts `n` more that need this rung.
    pub fn add(&mut self, rung: Rung, n: usize) {
        self.0[rung as usize] += n;
    }

    /// How many need this rung.
    pub fn on(&self, rung: Rung) -> usize {
        self.0[rung as usize]
    }

    /// How many there are.
    pub fn all(&self) -> usize {
        self.0.iter().sum()
    }

    /// The highest rung that one needs.
    pub fn highest(&self) -> Rung {
        let some = Rung::ALL.into_iter().rev().find(|r| self.on(*r) > 0);
        some.unwrap_or(Rung::True)
    }
}
