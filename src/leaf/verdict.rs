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

    /// The answer for people, without a final line end.
    pub fn text(&self, file: &str) -> String {
        let said = match (&self.rejected, self.stopped) {
            (Some(why), _) => format!("{file}: rejected: {why}"),
            (None, Some(stop)) => format!("{file}: unknown: {stop} was hit"),
            (None, None) => {
                let claims = self.claims.join(", ");
                format!("{file}: accepted: in {} these hold: {claims}", self.model)
            }
        };
        let mut lines = vec![said];
        if self.is_accepted() {
            let say = |(word, all): (&str, &Vec<String>)| -> Vec<String> {
                all.iter().map(|l| format!("  {word}: {l}")).collect()
            };
            lines.extend(say(("replayed", &self.replayed)));
            lines.extend(say(("trusted", &self.trusted)));
        }
        lines.join("\n")
    }
}
