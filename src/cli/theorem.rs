//! Which theorem `--theorem` asks for: one that comes with the tool, by name, or one in a file, with its proof.

use super::args::{AUTO, DEFAULT_THEOREM, Format};
use super::exit::Exit;
use super::failure::tell_diagnostics;
use super::input::{self, Refused};
use super::output::{Output, say};
use super::prove;
use super::suggest::hint;
use coarsen::algebra::files::{Flawed, Text};
use coarsen::algebra::{Theory, load_theorem, shipped};
use coarsen::report::json::{self, Blamed};
use coarsen::report::{diagnostics, text};
use coarsen::{candidates, theory};

/// What a file of a theorem ends with.
const FILE: &str = ".thy";

/// A theorem that is asked for, or the wish that the tool chooses.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// The tool chooses.
    Auto,
    /// This one.
    Theorem(Box<Theory>),
}

impl Chosen {
    /// What messages call it.
    pub fn name(&self) -> &str {
        match self {
            Chosen::Auto => AUTO,
            Chosen::Theorem(theory) => &theory.name,
        }
    }

    /// The theorem, and those that may be applied instead.
    pub fn theories(&self) -> Option<(Theory, Vec<Theory>)> {
        match self {
            Chosen::Auto => {
                let mut all = candidates().into_iter();
                all.next().map(|first| (first, all.collect()))
            }
            Chosen::Theorem(theory) => Some((theory.as_ref().clone(), Vec::new())),
        }
    }
}

/// The theorem that is asked for; the default one if none is. What is wrong with it is told.
///
/// # Errors
/// How the command ends then.
pub fn chosen(
    asked: Option<&str>,
    (depth, format): (usize, Format),
    output: &mut Output,
) -> Result<Chosen, Exit> {
    let name = asked.unwrap_or(DEFAULT_THEOREM);
    if name == AUTO {
        return Ok(Chosen::Auto);
    }
    if name.ends_with(FILE) {
        let theory = given(name, (depth, format), output)?;
        return Ok(Chosen::Theorem(Box::new(theory)));
    }
    if let Some(theory) = theory(name) {
        return Ok(Chosen::Theorem(Box::new(theory)));
    }
    let known: Vec<String> = shipped()
        .iter()
        .map(|t| format!("\n  {}  {}", t.name, t.about))
        .collect();
    say(&format!(
        "coarsen: there is no theorem `{name}`{}; the theorems are:{}\n  {AUTO}  whichever of the first two promises \
         fewer states\n  FILE{FILE}  a theorem of yours (docs/theorems.md)",
        hint(name, shipped().iter().map(|t| t.name)),
        known.concat()
    ));
    Err(Exit::Usage)
}

/// The theorem in a file. What is wrong with it is told.
///
/// # Errors
/// How the command ends then.
pub fn given(
    path: &str,
    (depth, format): (usize, Format),
    output: &mut Output,
) -> Result<Theory, Exit> {
    let tell = |reason: &str, flawed: Option<&Flawed>, exit: Exit, output: &mut Output| {
        match flawed {
            Some(f) => tell_diagnostics((&f.file.name, &f.file.text), &f.diagnostics),
            None => say(&format!("coarsen: {path}: {reason}")),
        }
        let (source, found) = flawed.map_or(("", &[][..]), |f| (&f.file.text, &f.diagnostics));
        match format {
            Format::Text => output.write(&text::headline(path, "error", reason)),
            Format::Json => output.line(json::fault(Blamed::File(path), reason, source, found)),
        }
        exit
    };
    let text = match input::read(path) {
        Ok(input) => Text {
            name: path.to_string(),
            text: input.source,
        },
        Err(Refused::Unreadable(error)) => {
            let reason = format!("can't read the file: {error}");
            return Err(tell(&reason, None, Exit::Internal, output));
        }
        Err(Refused::NotAModel(_, diagnostic)) => {
            return Err(tell(&diagnostic.message, None, Exit::Input, output));
        }
    };
    load_theorem(text, depth, &mut prove::load_proof).map_err(|flawed| {
        let reason = diagnostics::summary(&flawed.diagnostics);
        tell(&reason, Some(&flawed), Exit::Input, output)
    })
}
