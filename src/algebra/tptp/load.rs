//! A problem with all that it includes.

use crate::algebra::files::{Flawed, Loader, Text};
use crate::algebra::tptp::text::codes::INCLUDE;
use crate::algebra::tptp::text::{Annotated, Include, Item, Numbers, TPTP_CODES, parse_problem};
use crate::base::diagnostic::{Diagnostic, Position, Span, position};

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

/// Nor more text than this.
const MOST_BYTES: usize = 64 << 20;

/// Reads a problem. `load` finds a file that is included: its path as written, and the name of the file that includes
/// it.
///
/// # Errors
/// What is wrong with the file. Of an included file only the place is told, never its text: it may be any file.
pub fn load(file: Text, depth: usize, load: &mut Loader) -> Result<Problem, Box<Flawed>> {
    let mut files = Files {
        depth,
        numbers: Numbers::default(),
        open: Vec::new(),
        count: 0,
        bytes: 0,
    };
    let name = stem(&file.name).to_string();
    let (path, declared) = (file.name.clone(), declared(&file.text));
    match files.read(&file, load) {
        Ok(formulas) => Ok(Problem {
            name,
            file: path,
            formulas,
            declared,
        }),
        Err(Trouble::Here(diagnostic) | Trouble::Inside(diagnostic)) => {
            let diagnostics = vec![diagnostic];
            Err(Box::new(Flawed { file, diagnostics }))
        }
    }
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
    /// Files that were included, and the sum of their sizes.
    count: usize,
    bytes: usize,
}

impl Files {
    fn read(&mut self, file: &Text, load: &mut Loader) -> Result<Vec<Annotated>, Trouble> {
        let items = parse_problem(&file.text, self.depth, &mut self.numbers)
            .map_err(|wrong| Trouble::Here(clamped(wrong, &file.text)))?;
        self.open.push(file.name.clone());
        let mut formulas = Vec::new();
        for item in items {
            match item {
                Item::Formula(formula) => formulas.push(formula),
                Item::Include(include) => {
                    formulas.extend(self.include(&include, &file.name, load)?);
                }
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
        self.bytes = self.bytes.saturating_add(file.text.len());
        if self.open.contains(&file.name) {
            let message = format!("`{path}` is included in itself");
            return Err(refused(include.span, message, "take the include away"));
        }
        if self.count > MOST_FILES {
            let message = format!("more than {MOST_FILES} files are included");
            return Err(refused(include.span, message, "include fewer files"));
        }
        if self.bytes > MOST_BYTES {
            let message = format!("more than {} MiB are included", MOST_BYTES >> 20);
            return Err(refused(include.span, message, "include smaller files"));
        }
        let mut formulas = self
            .read(&file, load)
            .map_err(|trouble| trouble.seen_from(include.span, &file))?;
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
    /// In the file at hand.
    Here(Diagnostic),
    /// In a file that it includes, told at the include.
    Inside(Diagnostic),
}

impl Trouble {
    /// Trouble in a file, reported where that file is included, without words of its text.
    fn seen_from(self, include: Span, file: &Text) -> Trouble {
        Trouble::Inside(match self {
            Trouble::Here(wrong) => {
                let Position { line, column } = position(&file.text, wrong.span.start);
                let known = TPTP_CODES.iter().find(|c| c.code == wrong.code);
                let title = known.map_or("an error", |c| c.title);
                Diagnostic::error(
                    wrong.code,
                    include,
                    format!("{}:{line}:{column}: {title}", file.name),
                    "a file of formulas",
                    "what is in a file that is included is not shown",
                )
            }
            Trouble::Inside(told) => Diagnostic {
                span: include,
                ..told
            },
        })
    }
}

/// With a span that ends where the text does.
fn clamped(mut diagnostic: Diagnostic, text: &str) -> Diagnostic {
    let Span { start, end } = diagnostic.span;
    diagnostic.span = Span::new(start.min(text.len()), end.min(text.len()));
    diagnostic
}
