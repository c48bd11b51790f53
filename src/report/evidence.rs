//! What a hypothesis demands and how it was settled, in words.

use super::layout::counted;
use crate::base::results::{
    Demand, Derivation, Evaluated, Evidence, LemmaReason, Needed, Places, Rung, SyntacticFact,
    Textual, Unavailable, Underived,
};
use std::fmt;

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecided => f.write_str("not evaluated"),
            Self::NotEvaluated(why) => write!(f, "not evaluated: {why}"),
            Self::InFull => {
                f.write_str("not settled (budget): the program was explored in full first")
            }
            Self::Stopped(stop, phase) => write!(f, "stopped by {stop}, in phase `{phase}`"),
            Self::Limit(stop, phase) => {
                write!(f, "not evaluated: {stop} was hit")?;
                match phase {
                    Some(phase) => write!(f, " in phase `{phase}`"),
                    None => Ok(()),
                }
            }
            Self::NotDerived(why) => write!(f, "not derived: {why}"),
            Self::Evaluated(evaluated) => evaluated.fmt(f),
            Self::Derived(derivation) => derivation.fmt(f),
            Self::Both(derivation, evaluated) => write!(f, "{derivation}; {evaluated}"),
            Self::Text(textual) => write!(f, "by the text: {}", textual.words()),
            Self::Contradicted(why) => why.fmt(f),
        }
    }
}

impl Evidence {
    /// Without what goes without saying: that something was evaluated, and on all type-correct states.
    pub(super) fn brief(&self) -> String {
        match self {
            Self::Evaluated(evaluated) => evaluated.brief(),
            other => other.to_string(),
        }
    }

    /// The facts that it was derived from, if it was.
    pub(super) fn facts(&self) -> &[String] {
        match self {
            Self::Derived(derivation) | Self::Both(derivation, _) => &derivation.facts,
            _ => &[],
        }
    }

    /// The lemmas that it was derived with.
    pub(super) fn lemmas(&self) -> &[String] {
        match self {
            Self::Derived(derivation) | Self::Both(derivation, _) => &derivation.lemmas,
            _ => &[],
        }
    }

    /// On which states it was evaluated, if it was.
    pub(super) fn places(&self) -> String {
        match self {
            Self::Evaluated(evaluated) => evaluated.on().unwrap_or_default(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Evaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("evaluated")?;
        if let Some(on) = self.on() {
            write!(f, " {on}")?;
        }
        match self.found() {
            Some(found) => write!(f, ": {found}"),
            None => Ok(()),
        }
    }
}

impl Evaluated {
    fn brief(&self) -> String {
        let everywhere = format!("on {}", Rung::True.states());
        match (self.on(), self.found()) {
            (Some(on), Some(found)) if on != everywhere => format!("{on}: {found}"),
            (_, Some(found)) => found,
            (Some(on), None) => on,
            (None, None) => "evaluated".to_string(),
        }
    }

    /// On which states.
    fn on(&self) -> Option<String> {
        Some(match self {
            Self::Inclusions { on, .. } => match on {
                Places::Held(needed) => places(needed, "instances"),
                Places::Refuted => format!("on {}, where it fails", Rung::Reachable.states()),
                Places::Open(rung, why) => {
                    let why = why.map_or(String::new(), |why| why.to_string());
                    let on = rung.states();
                    format!(
                        "on {on}, where it fails, and the reachable states are not known ({why})"
                    )
                }
            },
            Self::On(rung) => format!("on {}", rung.states()),
            Self::Initially | Self::NoInitialViolation => "on the initial states".to_string(),
            _ => return None,
        })
    }

    /// What was found there.
    fn found(&self) -> Option<String> {
        Some(match self {
            Self::Inclusions {
                checked,
                independent,
                ..
            } => match independent {
                0 => counted(*checked, "check"),
                n => format!("{}, {n} independent", counted(*checked, "check")),
            },
            Self::On(_) | Self::Initially | Self::Outside => return None,
            Self::NoInitialViolation => "none of them is a violation".to_string(),
            Self::EnabledInitially(at) => {
                format!("{at} is invisible and enabled in an initial state")
            }
            Self::OverlapInitially => {
                "two predicates overlap in an initial state, which counts as a violation"
                    .to_string()
            }
            Self::Leaves(at) => format!("{at} leaves them, from a reachable state"),
            Self::MayLeave(at) => format!("{at} may leave them"),
            Self::PerhapsInside => {
                "some may be inside, and then lipton says nothing; --theorem flanagan-qadeer does"
                    .to_string()
            }
        })
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit(stop) => write!(f, "{stop} was hit"),
            Self::Budget(pairs) => write!(f, "the budget of {pairs} pairs of nodes was used up"),
        }
    }
}

impl fmt::Display for LemmaReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJudged => f.write_str("not judged"),
            Self::Unavailable(why) => why.fmt(f),
            Self::Inductive { used: true } => f.write_str(
                "inductive, and the hypotheses were evaluated on the states that it allows",
            ),
            Self::Inductive { used: false } => {
                f.write_str("inductive; the hypotheses hold without it")
            }
            Self::Initially => f.write_str("it is false in an initial state"),
            Self::Reachable => f.write_str("it is false in a reachable state"),
            Self::True(place) => write!(
                f,
                "true in every reachable state, but not inductive, so not used: {place} breaks it from a state that is \
                 not reachable"
            ),
            Self::Broken(place) => write!(
                f,
                "not inductive: {place} leads from a state that all else allows to one where it is false"
            ),
        }
    }
}

impl fmt::Display for Underived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(message) => f.write_str(message),
            Self::AllProcesses => f.write_str("it speaks of all processes at once"),
            Self::MayBeSame => f.write_str("it speaks of processes that may be the same"),
            Self::NoTwoProcesses => {
                f.write_str("its side conditions are those of no two processes")
            }
            Self::CertainThread => f.write_str("it speaks of a certain thread"),
            Self::ActionTwice => f.write_str("an action stands in a product twice"),
            Self::ComplementOfAction => f.write_str("a complement of what is no test"),
            Self::Unknown(name) => write!(f, "nothing is known of `{name}`"),
            Self::Form => f.write_str("it has a form that no tactic knows"),
            Self::Letters(most) => write!(f, "a thread takes more than {most} letters"),
            Self::Facts(most) => write!(f, "it takes more than {most} facts"),
            Self::NotForEvery { statement, why } => {
                write!(f, "`{statement}` is a fact of a small instance only: {why}")
            }
            Self::NoFact { statement, threads } => {
                write!(f, "`{statement}` is no fact for {}", threads.join(" and "))
            }
            Self::Words => {
                f.write_str("the e-graph does not find words equal that the facts make equal")
            }
            Self::Rejected(why) => write!(f, "the kernel rejects the derivation: {why}"),
        }
    }
}

impl fmt::Display for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = self.needed.all();
        match facts {
            0 => f.write_str("derived without a fact")?,
            n => write!(f, "derived from {}", counted(n, "fact"))?,
        }
        match self.independent {
            0 => {}
            n if n == facts => f.write_str(", each because the actions are independent")?,
            n => write!(f, " ({n} of them because the actions are independent)")?,
        }
        match self.lemmas.as_slice() {
            [] => {}
            [one] => write!(f, ", by the lemma {one}")?,
            all => write!(f, ", by the lemmas {}", all.join(", "))?,
        }
        if facts > self.independent {
            write!(f, ", {}", places(&self.needed, "facts"))?;
        }
        write!(f, "; certificate of {}", counted(self.steps, "step"))
    }
}

impl Rung {
    /// The states that satisfy it, in words.
    pub(crate) fn states(self) -> &'static str {
        match self {
            Rung::True => "all type-correct states",
            Rung::LockOwnership => "the states that lock ownership allows",
            Rung::ThreadModular => "the states that the thread-modular invariant allows",
            Rung::Lemmas => "the states that the lemmas allow",
            Rung::Reachable => "the reachable states",
        }
    }
}

impl Textual {
    fn words(self) -> &'static str {
        match self {
            Self::NoneInvisible => "no step is invisible",
            Self::FirstStep => "a thread's first step is visible",
            Self::NothingProtected => "nothing is protected",
            Self::NoLook => "no invisible step leads out of the states that settle the property",
            Self::Fact(SyntacticFact::Acyclic) => "every cycle of control has a visible step",
            Self::Fact(SyntacticFact::Private) => {
                "an invisible step uses variables of its own thread only"
            }
            Self::Fact(SyntacticFact::Located) => "which step is next depends on the location",
            Self::Fact(SyntacticFact::Definition) => "p says just that",
            Self::Fact(SyntacticFact::Sticky) => "q remains",
        }
    }
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Theory(words) => f.write_str(words),
            Self::FirstSteps => f.write_str("the first steps of all threads are visible"),
            Self::Predicates => f.write_str("no two predicates overlap initially"),
            Self::Access => {
                f.write_str("no two threads have exclusive access to one variable initially")
            }
            Self::NotHidden(goal) => {
                write!(
                    f,
                    "no invisible step leaves the states that {goal} is about"
                )
            }
            Self::NotMoved(goal) => write!(
                f,
                "no right mover leads into the states that {goal} is about, and no left mover out of them"
            ),
            Self::Outside(goal) => write!(
                f,
                "all threads are outside transactions in the states that {goal} is about"
            ),
        }
    }
}

/// On which states they hold.
fn places(needed: &Needed, what: &str) -> String {
    let mut some = Rung::ALL.into_iter().filter(|r| needed.on(*r) > 0);
    if let (Some(only), None) = (some.next(), some.next()) {
        return format!("on {}", only.states());
    }
    let mut words = format!("on {}", Rung::True.states());
    let mut of = format!(" of the {what}");
    for rung in Rung::ALL.into_iter().skip(1) {
        let n = needed.on(rung);
        if n > 0 {
            words.push_str(&format!(", {n}{of} on {} only", rung.states()));
            of.clear();
        }
    }
    words
}
