//! A problem with all that it includes.

use crate::suites::{Flawed, Loader, Text};
use crate::syntax::diagnostic::{Diagnostic, Span};
use crate::syntax::tptp::codes::INCLUDE;
use crate::syntax::tptp::{Annotated, Include, Item, Numbers, parse_problem};

/// A problem, its includes followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its name: that of the file, without folder and ending.
    pub name: String,
    /// The name of the file.
    pub file: String,
    /// All its formulas, those included where the include stands.
    pub formulas: Vec<Annotated>,
    /// The status that the comments of the file give it.
    pub declared: Option<String>,
}

/// More files than these are not included, counting repetitions.
const MOST_FILES: usize = 1000;

/// Reads a problem. `load` finds a file that is included: its path as written, and the name of the file that includes it.
///
/// # Errors
/// The first file with errors.
pub fn load(file: Text, depth: usize, load: &mut Loader) -> Result<Problem, Box<Flawed>> {
    let mut files = Files {
        depth,
        numbers: Numbers::default(),
        open: Vec::new(),
        count: 0,
    };
    let name = stem(&file.name).to_string();
    let (path, declared) = (file.name.clone(), declared(&file.text));
    Ok(Problem {
        name,
        formulas: files.read(file, load)?,
        file: path,
        declared,
    })
}

/// `KLE001+1` of `Problems/KLE/KLE001+1.p`
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    }
}

/// `Theorem` of the line `% Status   : Theorem`.
fn declared(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let rest = line
            .strip_prefix('%')?
            .trim_start()
            .strip_prefix("Status")?;
        let word = rest
            .trim_start()
            .strip_prefix(':')?
            .split_whitespace()
            .next()?;
        let is_word = word.chars().all(|c| c.is_ascii_alphanumeric());
        is_word.then(|| word.to_string())
    })
}

struct Files {
    depth: usize,
    numbers: Numbers,
    /// The files around the one at hand.
    open: Vec<String>,
    count: usize,
}

impl Files {
    fn read(&mut self, file: Text, load: &mut Loader) -> Result<Vec<Annotated>, Box<Flawed>> {
        let items = match parse_problem(&file.text, self.depth, &mut self.numbers) {
            Ok(items) => items,
            Err(diagnostic) => return Err(flawed(file, diagnostic)),
        };
        self.open.push(file.name.clone());
        let mut formulas = Vec::new();
        for item in items {
            match item {
                Item::Formula(formula) => formulas.push(formula),
                Item::Include(include) => match self.include(&include, &file.name, load) {
                    Ok(more) => formulas.extend(more),
                    Err(Trouble::Here(diagnostic)) => return Err(flawed(file, diagnostic)),
                    Err(Trouble::Inside(flawed)) => return Err(flawed),
                },
            }
        }
        self.open.pop();
        Ok(formulas)
    }

    fn include(
        &mut self,
        include: &Include,
        from: &str,
        load: &mut Loader,
    ) -> Result<Vec<Annotated>, Trouble> {
        let refused = |span, message, help: &str| {
            Trouble::Here(Diagnostic::error(
                INCLUDE,
                span,
                message,
                "a file of formulas",
                help,
            ))
        };
        let path = &include.path;
        let file = load(path, from).map_err(|why| {
            let message = format!("`{path}` can't be read: {why}");
            refused(
                include.span,
                message,
                "it is looked for beside this file, in the folders above, and in $TPTP",
            )
        })?;
        self.count += 1;
        if self.open.contains(&file.name) {
            let message = format!("`{path}` is included in itself");
            return Err(refused(include.span, message, "take the include away"));
        }
        if self.count > MOST_FILES {
            let message = format!("more than {MOST_FILES} files are included");
            return Err(refused(include.span, message, "include fewer files"));
        }
        let mut formulas = self.read(file, load).map_err(Trouble::Inside)?;
        let Some(names) = &include.names else {
            return Ok(formulas);
        };
        let there = |name: &str| formulas.iter().any(|f| f.name == name);
        if let Some((name, span)) = names.iter().find(|(name, _)| !there(name)) {
            let message = format!("there is no formula `{name}` in `{path}`");
            return Err(refused(
                *span,
                message,
                "name formulas of that file, or take all",
            ));
        }
        formulas.retain(|f| names.iter().any(|(name, _)| *name == f.name));
        Ok(formulas)
    }
}

enum Trouble {
    /// In the file with the include.
    Here(Diagnostic),
    /// In the file included.
    Inside(Box<Flawed>),
}

fn flawed(file: Text, mut diagnostic: Diagnostic) -> Box<Flawed> {
    let end = file.text.len();
    diagnostic.span = Span::new(diagnostic.span.start.min(end), diagnostic.span.end.min(end));
    Box::new(Flawed {
        file,
        diagnostics: vec![diagnostic],
    })
}
