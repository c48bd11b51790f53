//! Exit codes: a violation is told apart from a failure of the tool, and of several the most telling one wins.

use coarsen::results::{EvalReport, Expectation, ReachReport, Report, Status, Verdict};
use std::process::ExitCode;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything asked for holds.
    Holds = 0,
    /// An internal error, or one of input or output.
    Internal = 1,
    /// The command line can't be understood, or a filter matches nothing.
    Usage = 2,
    /// A model or a statement has errors, or a term is not known.
    Input = 3,
    /// A violation was found and re-executed.
    Refuted = 10,
    /// The theorem does not apply.
    HypothesisRefuted = 11,
    /// The checker of evidence rejected it.
    EvidenceRejected = 12,
    /// A limit, an interrupt, or a hypothesis that fails in states not known to be reachable.
    Unknown = 20,
}

/// Exit codes with what they mean, in the order of precedence over several models. Wrong usage stands first
/// because nothing was checked then.
pub const EXITS: &[(Exit, &str)] = &[
    (
        Exit::Usage,
        "wrong usage, or a filter (such as --property) that matches nothing",
    ),
    (
        Exit::EvidenceRejected,
        "the evidence for an answer was rejected by its checker",
    ),
    (Exit::Internal, "internal error, or one of input or output"),
    (
        Exit::Input,
        "the model or the statement has errors, or the term to be explained is not known",
    ),
    (
        Exit::Refuted,
        "refuted: a re-executed violation of a property or of the discipline, or an inclusion that fails",
    ),
    (
        Exit::HypothesisRefuted,
        "a hypothesis is refuted in a reachable state: the theorem does not apply",
    ),
    (
        Exit::Unknown,
        "unknown: a limit, an interrupt, or a hypothesis refuted only in states not known to be reachable",
    ),
    (Exit::Holds, "everything asked for holds"),
];

impl Exit {
    /// The exit code of both together.
    pub fn and(self, other: Exit) -> Exit {
        let rank = |exit| EXITS.iter().position(|&(e, _)| e == exit);
        if rank(other) < rank(self) {
            other
        } else {
            self
        }
    }

    /// What another process of this tool ended with.
    pub fn of_code(code: i32) -> Exit {
        let mut all = EXITS.iter().map(|(exit, _)| *exit);
        all.find(|exit| *exit as i32 == code)
            .unwrap_or(Exit::Internal)
    }

    /// Whether a model's `expect` lines are met; this answer, if it has none, or something speaks against it.
    pub fn expected(self, lines: &[Expectation]) -> Exit {
        let mut lines = lines.iter().map(|e| match e.met {
            Some(true) => Exit::Holds,
            Some(false) => Exit::Refuted,
            None => Exit::Unknown,
        });
        match lines.next() {
            Some(first) if self != Exit::EvidenceRejected => lines.fold(first, Exit::and),
            _ => self,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

impl From<&Report> for Exit {
    fn from(report: &Report) -> Exit {
        if report.is_contradicted() {
            return Exit::EvidenceRejected;
        }
        report.verdict.into()
    }
}

impl From<&ReachReport> for Exit {
    fn from(report: &ReachReport) -> Exit {
        if report.is_contradicted() {
            return Exit::EvidenceRejected;
        }
        report.verdict.into()
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Exit {
        match verdict {
            Verdict::Holds => Exit::Holds,
            Verdict::Refuted => Exit::Refuted,
            Verdict::HypothesisRefuted => Exit::HypothesisRefuted,
            Verdict::Unknown => Exit::Unknown,
        }
    }
}

impl From<&EvalReport> for Exit {
    fn from(report: &EvalReport) -> Exit {
        match report.status {
            Status::Holds => Exit::Holds,
            Status::Refuted => Exit::Refuted,
            Status::Unknown => Exit::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coarsen::results::Contradiction;

    #[test]
    fn precedence_over_several_models() {
        let order = [12, 1, 3, 10, 11, 20, 0];
        let ranked: Vec<u8> = EXITS.iter().map(|&(e, _)| e as u8).collect();
        assert_eq!(ranked[1..], order);
        for &(a, _) in EXITS {
            for &(b, _) in EXITS {
                assert_eq!(a.and(b), b.and(a));
                assert_eq!(Exit::Holds.and(a), a);
            }
        }
        assert_eq!(Exit::Unknown.and(Exit::Refuted), Exit::Refuted);
        assert_eq!(Exit::Input.and(Exit::Internal), Exit::Internal);
    }

    #[test]
    fn rejected_evidence_outweighs_the_verdict() {
        let mut report = ReachReport::undecided("m", "e");
        assert_eq!(Exit::from(&report), Exit::Unknown);
        report.verdict = Verdict::Holds;
        assert_eq!(Exit::from(&report), Exit::Holds);
        report.recounted = Some(Contradiction::NotRepeated);
        assert_eq!(Exit::from(&report), Exit::EvidenceRejected);
    }
}
