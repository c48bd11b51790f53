//! What the replay of a bundle found.

use crate::control::Stop;

/// The answer for one bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleVerdict {
    /// The model's name, as the bundle has it.
    pub model: String,
    /// The properties that it claims to hold.
    pub claims: Vec<String>,
    /// Why it is rejected, if it is.
    pub rejected: Option<String>,
    /// Why it is undecided, if the work was cut short.
    pub stopped: Option<Stop>,
    /// What was replayed and how, line by line.
    pub replayed: Vec<String>,
    /// What the answer rests on besides.
    pub trusted: Vec<String>,
}

impl BundleVerdict {
    /// Whether everything in it was found right.
    pub fn is_accepted(&self) -> bool {
        self.rejected.is_none() && self.stopped.is_none()
    }

    /// `accepted`, `rejected` or `unknown`.
    pub fn status(&self) -> &'static str {
        match (&self.rejected, self.stopped) {
            (Some(_), _) => "rejected",
            (None, Some(_)) => "unknown",
            (None, None) => "accepted",
        }
    }

    /// The status in a sentence: what is claimed, or what is wrong.
    pub fn reason(&self) -> String {
        match (&self.rejected, self.stopped) {
            (Some(why), _) => why.clone(),
            (None, Some(stop)) => format!("{stop} was hit"),
            (None, None) => {
                let holds = if self.claims.len() == 1 {
                    "holds"
                } else {
                    "hold"
                };
                format!("{} {holds} in {}", self.claims.join(", "), self.model)
            }
        }
    }
}
