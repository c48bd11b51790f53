//! Things to know about an answer, in words.

use super::layout::counted_text;
use crate::base::results::{
    Asymmetry, Candidate, CompareNote, CrossCheck, Difference, MissingEvidence, Note,
};
use std::fmt;

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overridden(all) => write!(f, "constants overridden: {}", all.join(", ")),
            Self::Chosen(theorem, candidates) => {
                let candidates = candidates.iter();
                let told = candidates.map(|(name, candidate)| candidate.of(name));
                let told: Vec<String> = told.collect();
                write!(f, "theorem {theorem} was chosen ({})", told.join("; "))
            }
            Self::ByText(phase) => write!(
                f,
                "BDDs would be too large (they used up their budget in phase `{phase}`), so visibility and the \
                 hypotheses were read off the text: a step is invisible only if it uses nothing but variables of its \
                 own thread"
            ),
            Self::OfFamily { from, like } => write!(
                f,
                "disciplines and visible steps are those of {like}: the theorem applies for every value from {from} on"
            ),
            Self::InFull(engine) => write!(
                f,
                "the program was explored in full by the engine `{engine}` of `coarsen reach`"
            ),
            Self::Engine(engine) => write!(
                f,
                "the reduced system was explored by the engine `{engine}` of `coarsen reach`"
            ),
            Self::Inferred(inferred) => {
                write!(f, "inferred: {}: {}", inferred.variable, inferred.discipline)
            }
            Self::PerhapsLonger { name, exhausted } => {
                write!(f, "the trace for {name} is perhaps not a shortest one")?;
                match exhausted {
                    true => f.write_str(": the search for that used up its budget"),
                    false => Ok(()),
                }
            }
            Self::TooLong(name) => write!(
                f,
                "the execution for {name} was repeated by the interpreter, and is too long to be told"
            ),
            Self::CrossCheck(found) => found.fmt(f),
            Self::Missing(missing) => write!(f, "certificate: {missing}"),
            Self::Evaluated(theorem) => write!(
                f,
                "the reduced system of {theorem} was evaluated on relations; executions were looked for in, and states \
                 counted of, that of a theorem with the same question"
            ),
            Self::Gap(gap) => write!(
                f,
                "what is not found in the reduced system is not known to be unreachable: {gap}"
            ),
            Self::ErrorsEnd(wrong) => write!(
                f,
                "an error ends a system in DVE; {wrong} further states, reached by what other processes do behind one, \
                 are not counted"
            ),
            Self::Compare(note) => note.fmt(f),
            Self::Asymmetric(Asymmetry { family, difference }) => write!(
                f,
                "no symmetry of the threads `{family}`: an exchange of two of them changes {difference}"
            ),
            Self::Vacuous => f.write_str(
                "vacuous: no state satisfies the initial values and `init`, so nothing can happen",
            ),
            Self::MemoryUnlimited => f.write_str("the memory limit is not kept on this system"),
            Self::AllVisible => f.write_str(
                "no step is invisible: the hypotheses hold vacuously, and the reduced system is the original one",
            ),
            Self::AllScheduled => f.write_str(
                "no step is inside transactions only: other threads are scheduled before each",
            ),
            Self::Transactions => f.write_str(
                "visible are the steps before which other threads are scheduled, invisible those inside transactions \
                 only",
            ),
            Self::GuessesDropped => f.write_str(
                "the disciplines that were inferred do not hold, so what declares none is taken as unprotected",
            ),
            Self::DisciplineAside => f.write_str(
                "with --por the discipline is left aside: executions go on behind a violation",
            ),
            Self::Violated => f.write_str(
                "the synchronisation discipline is violated; states behind a violation are not explored (`coarsen \
                 check` shows an execution)",
            ),
            Self::Undisciplined => f.write_str(
                "the discipline is not known to hold: what stands here is true only of executions that keep it",
            ),
            Self::MayGoWrong => f.write_str(
                "a thread may go wrong: a transaction need not be atomic for what goes wrong while it is interrupted",
            ),
        }
    }
}

impl fmt::Display for CrossCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut(limit) => write!(
                f,
                "the cross-check was cut short: more than {limit} states (--limit-states)"
            ),
            Self::Met { name, wanted } => {
                let met = if *wanted { "reached" } else { "violated" };
                write!(
                    f,
                    "cross-check: {name} is {met} in the original program, state by state"
                )
            }
            Self::Agrees => f.write_str(
                "cross-checked: the original program, explored state by state, contradicts no answer",
            ),
        }
    }
}

impl fmt::Display for CompareNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadlocks => f.write_str(
                "deadlocks are compared where a technique preserves them, which right movers do not",
            ),
            Self::Claims => f.write_str(
                "claims of transactions are not compared (`coarsen check` answers them)",
            ),
            Self::Steps(most) => write!(
                f,
                "rows of partial-order reduction take {most} steps at most; `coarsen reach --por` has no such limit"
            ),
            Self::Movers(seconds) => write!(
                f,
                "the times of unsound, cycle-detection, cpc, cpc-l19 and symbolic-cpc include {seconds:.3} s for \
                 finding the movers, once"
            ),
        }
    }
}

impl Candidate {
    fn of(&self, theorem: &str) -> String {
        let why = match self {
            Self::Promises(size) => {
                return format!("{theorem}: {}", counted_text(size, "control state"));
            }
            Self::Hit(hit) => hit.to_string(),
            Self::Gap(gap) => gap.to_string(),
            Self::Unprepared => "it could not be prepared".to_string(),
            Self::Open => return format!("{theorem} leaves something open"),
        };
        format!("{theorem} does not apply: {why}")
    }
}

impl fmt::Display for MissingEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.open.is_empty() {
            let open = self.open.join(", ");
            write!(f, "nothing shows {open}: the theorem's sets do not, and ")?;
        }
        let stop = self.stop;
        write!(
            f,
            "{stop} was hit when all states of the original program were explored"
        )
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(place) => write!(f, "a step of {place}"),
            Self::Question(name) => write!(f, "the question {name}"),
            Self::Initial(name) => write!(f, "the initial value of {name}"),
            Self::Discipline(name) => write!(f, "the discipline of {name}"),
            Self::Owner(name) => write!(f, "whose {name} is, one of several"),
            Self::Index(name) => write!(f, "the cells of {name}, whose index is computed"),
            Self::Members => f.write_str("what is theirs alone"),
        }
    }
}
