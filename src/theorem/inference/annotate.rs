//! Inferred disciplines as annotations in the text of the model, to be pasted back (`--print-discipline`).
//!
//! A region is written with labels; where a location has none, one is put before its statement. A discipline that the
//! language can't say is left out, and is inferred again by the next check.

use super::guess::{Guess, Writer, lock_name};
use super::regions::Region;
use super::{Finding, Inference};
use crate::base::control::ParseLimits;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::model::program::{
    ArrayId, CellId, Class, Expr, LocId, Named, Program, ThreadId, elaborate,
};
use crate::model::text::ast::BinaryOp;
use crate::model::text::parse_model;
use std::collections::{BTreeMap, BTreeSet};

/// The source text with a discipline word for every variable that has none, as far as the language can say it.
pub fn annotated(inference: &Inference) -> String {
    // A new label may stand where none is allowed, as in a procedure that is also called in an atomic block.
    let text = with_words(inference, true);
    let (tree, findings) = parse_model(&text, ParseLimits { depth: DEPTH });
    let wrong = |all: &[Diagnostic]| all.iter().any(|d| d.severity == Severity::Error);
    let defines = inference.program().defines();
    match wrong(&findings) || elaborate(&tree, &text, &defines).is_err() {
        true => with_words(inference, false),
        false => text,
    }
}

/// Nesting that is read back: all that was read before, and what is added.
const DEPTH: usize = 2_100;

fn with_words(inference: &Inference, may_label: bool) -> String {
    let program = inference.program();
    let mut printer = Printer {
        program,
        may_label,
        labels: BTreeMap::new(),
    };
    let mut insertions: Vec<(usize, String)> = Vec::new();
    // The field of a record is declared once for all objects.
    let mut declared: BTreeMap<usize, Vec<ArrayId>> = BTreeMap::new();
    for (id, array) in program.arrays.iter().enumerate() {
        if array.class == (Class::Unprotected { declared: false }) {
            declared.entry(array.span.end).or_default().push(id);
        }
    }
    for (name_ends, arrays) in declared {
        let cells = arrays.iter().flat_map(|a| program.cells_of(*a));
        let findings: Vec<Finding> = cells.filter_map(|c| inference.finding(c)).collect();
        let Some(end) = end_of_declaration(&program.source, name_ends) else {
            continue;
        };
        let words = match arrays.as_slice() {
            [one] if !program.arrays[*one].name.contains('.') => {
                printer.discipline(*one, &findings)
            }
            fields => field_discipline(program, fields, &findings),
        };
        match words {
            Some(words) => insertions.push((end, format!(" {words}"))),
            None => {
                let words = describe(program, &findings);
                insertions.push((end + 1, format!(" /* {words} */")));
            }
        }
    }
    let labels = printer.labels.into_iter();
    insertions.extend(labels.map(|(at, name)| (at, format!("{name}: "))));
    insertions.sort_by_key(|(at, _)| *at);
    let mut text = program.source.clone();
    for (at, words) in insertions.into_iter().rev() {
        text.insert_str(at, &words);
    }
    text
}

/// The discipline words of a field, if they are the same for all objects that are used: unprotected, one mutex, or a
/// mutex of the same object.
fn field_discipline(program: &Program, fields: &[ArrayId], findings: &[Finding]) -> Option<String> {
    let cells = fields.iter().flat_map(|a| program.cells_of(*a));
    let mut all: BTreeSet<String> = BTreeSet::new();
    let mut own: BTreeSet<Option<String>> = BTreeSet::new();
    for (cell, finding) in cells.zip(findings) {
        match finding {
            Finding::Unused => {}
            Finding::Guessed(Guess::Unprotected) => {
                all.insert("unprotected".into());
                own.insert(None);
            }
            Finding::Guessed(Guess::Lock(m) | Guess::ReadWrite(m, _)) => {
                let lock = lock_name(program, *m);
                let object = program.cells[cell].name.rsplit_once('.')?.0.to_string() + ".";
                let sibling = lock.strip_prefix(&object);
                own.insert(sibling.filter(|s| !s.contains('.')).map(String::from));
                all.insert(format!("protected by {lock}"));
            }
            _ => return None,
        }
    }
    if own.len() == 1
        && let Some(Some(sibling)) = own.pop_first()
    {
        return Some(format!("protected by {sibling}"));
    }
    match all.len() {
        1 => all.pop_first(),
        _ => None,
    }
}

/// The semicolon that ends a declaration whose name ends at `from`.
fn end_of_declaration(source: &str, from: usize) -> Option<usize> {
    let mut rest = source.get(from..)?;
    let mut at = from;
    loop {
        let skip = if rest.starts_with("//") {
            rest.find('\n')?
        } else if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else if rest.starts_with(';') {
            return Some(at);
        } else {
            rest.chars().next()?.len_utf8()
        };
        at += skip;
        rest = &rest[skip..];
    }
}

/// What is said of a variable that can't be annotated.
fn describe(program: &Program, findings: &[Finding]) -> String {
    let mut all: Vec<String> = Vec::new();
    for f in findings {
        let words = match f {
            Finding::Unused => "not used".to_string(),
            Finding::Private(t, _) => format!("used by {} only", program.threads[*t].name),
            Finding::Guessed(g) => g.discipline(program).to_string(),
        };
        if !all.contains(&words) {
            all.push(words);
        }
    }
    all.truncate(4);
    format!("inferred: {}", all.join(" | ")).replace("*/", "* /")
}

/// The predicate of nobody.
const NOBODY: &str = "false";

/// The word that tells readers from writers, if there are some.
fn read_by(reading: String) -> String {
    match reading.as_str() {
        NOBODY => String::new(),
        _ => format!(", read by {reading}"),
    }
}

/// A predicate that differs from cell to cell, given with the condition of each; the last needs none.
fn by_case(mut cases: Vec<(String, String)>) -> Option<String> {
    let (_, mut text) = cases.pop()?;
    for (condition, predicate) in cases.into_iter().rev() {
        text = format!("{condition} ? ({predicate}) : {text}");
    }
    Some(text)
}

struct Printer<'p> {
    program: &'p Program,
    /// Whether labels may be added.
    may_label: bool,
    /// New labels by the place where they are put.
    labels: BTreeMap<usize, String>,
}

impl Printer<'_> {
    /// The discipline words of a variable; `None` if it needs none, or the language can't say it.
    fn discipline(&mut self, array: ArrayId, findings: &[Finding]) -> Option<String> {
        let a = &self.program.arrays[array];
        let guesses: Option<Vec<&Guess>> = findings
            .iter()
            .map(|f| match f {
                Finding::Guessed(g) => Some(g),
                _ => None,
            })
            .collect();
        let first = findings.first()?;
        let alike = findings.iter().all(|f| f == first);
        if let (Some(guesses), true) = (&guesses, alike) {
            match guesses[0] {
                Guess::Unprotected => return Some("unprotected".into()),
                Guess::Lock(m) => {
                    let lock = lock_name(self.program, *m);
                    return Some(format!("protected {} by {lock}", a.name));
                }
                Guess::Several(all) => {
                    let all: Vec<String> =
                        all.iter().map(|m| lock_name(self.program, *m)).collect();
                    return Some(format!("protected {} by {{{}}}", a.name, all.join(", ")));
                }
                Guess::ReadWrite(writer, _) => {
                    let lock = lock_name(self.program, *writer);
                    return Some(format!("protected {} by {lock}", a.name));
                }
                Guess::Initialised { .. }
                | Guess::HandedOver { .. }
                | Guess::Published { .. }
                | Guess::Constant => {}
            }
        }
        // A private variable is found again without a word.
        if alike && guesses.is_none() {
            return None;
        }
        let names: Vec<String> = (0..a.dims.len()).map(|d| self.binder(d)).collect();
        let header = names.iter().map(|n| format!("[{n}]")).collect::<String>();
        let header = format!("protected {}{header} by", a.name);
        if let Some(locks) = guesses.as_deref().and_then(|g| self.cell_by_cell(array, g)) {
            return Some(format!("{header} {locks}"));
        }
        if alike {
            let whole = self.predicate(first, &names)?;
            let reading = self.reading(first, &names)?;
            return Some(format!("{header} {whole}{}", read_by(reading)));
        }
        let (mut writing, mut reading) = (Vec::new(), Vec::new());
        for (offset, finding) in findings.iter().enumerate() {
            let index = self.program.indices(a.first + offset);
            let here: Vec<String> = index.iter().map(ToString::to_string).collect();
            let equal = names.iter().zip(&here).map(|(n, i)| format!("{n} == {i}"));
            let condition = equal.collect::<Vec<_>>().join(" && ");
            writing.push((condition.clone(), self.predicate(finding, &here)?));
            reading.push((condition, self.reading(finding, &here)?));
        }
        let shared = reading.iter().any(|(_, r)| r != NOBODY);
        let reading = shared.then(|| by_case(reading)).flatten();
        let read = read_by(reading.unwrap_or_else(|| NOBODY.into()));
        Some(format!("{header} {}{read}", by_case(writing)?))
    }

    /// `m[j]`, if each cell is protected by the mutex of its own index.
    fn cell_by_cell(&self, array: ArrayId, guesses: &[&Guess]) -> Option<String> {
        let (first, dims) = {
            let a = &self.program.arrays[array];
            (a.first, &a.dims)
        };
        let mut base: Option<String> = None;
        for (offset, guess) in guesses.iter().enumerate() {
            let (Guess::Lock(m) | Guess::ReadWrite(m, _)) = guess else {
                return None;
            };
            let index: String = self
                .program
                .indices(first + offset)
                .iter()
                .map(|i| format!("[{i}]"))
                .collect();
            let lock = lock_name(self.program, *m);
            let stem = lock.strip_suffix(&index)?.to_string();
            if *base.get_or_insert_with(|| stem.clone()) != stem {
                return None;
            }
        }
        let header: String = (0..dims.len())
            .map(|d| format!("[{}]", self.binder(d)))
            .collect();
        Some(format!("{}{header}", base?))
    }

    /// The exclusive access predicate of a cell whose indices are written `index`.
    fn predicate(&mut self, finding: &Finding, index: &[String]) -> Option<String> {
        let p = self.program;
        let owns = |m: &CellId| format!("{} == self", p.cells[*m].name);
        match finding {
            Finding::Private(t, _) => Some(format!("self == {}", self.thread(*t))),
            Finding::Unused | Finding::Guessed(Guess::Constant) => Some(NOBODY.into()),
            Finding::Guessed(Guess::Lock(m)) => Some(owns(m)),
            Finding::Guessed(Guess::Initialised {
                lock,
                thread,
                locations,
            }) => {
                let name = self.thread(*thread);
                let at = self.at(*thread, locations, &name)?;
                let owned = owns(lock);
                Some(format!("{at} ? self == {name} : {owned}"))
            }
            Finding::Guessed(Guess::HandedOver { lock, regions, .. }) => {
                let owned = lock.iter().map(owns).collect();
                self.regions(owned, regions, index)
            }
            Finding::Guessed(Guess::Published { writer, until }) => {
                let writer = match writer {
                    Writer::Thread(t) => format!("self == {}", self.thread(*t)),
                    Writer::Lock(m) => owns(m),
                    Writer::Regions(all) => {
                        let inside = self.regions(Vec::new(), all, index)?;
                        format!("({inside})")
                    }
                };
                Some(format!("{writer} && !({})", until.text(p)))
            }
            Finding::Guessed(Guess::Several(all)) => {
                let all: Vec<String> = all.iter().map(owns).collect();
                Some(all.join(" && "))
            }
            // No predicate speaks of a read-write lock's readers, nor can some cells be unprotected.
            Finding::Guessed(Guess::ReadWrite(..) | Guess::Unprotected) => None,
        }
    }

    /// Who may read such a cell beside those who may write it.
    fn reading(&mut self, finding: &Finding, index: &[String]) -> Option<String> {
        let p = self.program;
        let owns = |m: &CellId| format!("{} == self", p.cells[*m].name);
        match finding {
            Finding::Guessed(Guess::Constant) => Some("true".into()),
            Finding::Guessed(Guess::Published { until, .. }) => Some(until.text(p)),
            Finding::Guessed(Guess::HandedOver { readers, .. }) => {
                self.regions(Vec::new(), readers, index)
            }
            Finding::Guessed(Guess::Several(all)) => {
                let all: Vec<String> = all.iter().map(owns).collect();
                Some(all.join(" || "))
            }
            _ => Some(NOBODY.into()),
        }
    }

    /// One of these terms, or in one of the regions of some thread.
    fn regions(
        &mut self,
        mut terms: Vec<String>,
        regions: &[Vec<Region>],
        index: &[String],
    ) -> Option<String> {
        for (t, regions) in regions.iter().enumerate() {
            for region in regions {
                let term = self.region(t, region, index)?;
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
        }
        match terms.is_empty() {
            true => Some(NOBODY.into()),
            false => Some(terms.join(" || ")),
        }
    }

    fn region(&mut self, t: ThreadId, region: &Region, index: &[String]) -> Option<String> {
        let at = self.at(t, &region.locations, "self")?;
        let mut all = vec![format!("self == {}", self.thread(t)), format!("({at})")];
        for (e, wanted) in region.index.iter().zip(index) {
            all.push(match e {
                Expr::Via(reference, _) => {
                    let pool = self.pool_of(reference)?;
                    format!("{} == &{pool}[{wanted}]", self.expression(t, reference)?)
                }
                other => format!("{} == {wanted}", self.expression(t, other)?),
            });
        }
        Some(all.join(" && "))
    }

    fn pool_of(&self, reference: &Expr) -> Option<String> {
        let cell = match reference {
            Expr::Cell(c) => *c,
            Expr::Element(a, _) => self.program.arrays[*a].first,
            _ => return None,
        };
        match self.program.cells[cell].ty.kind {
            crate::model::program::Kind::Ref(pool) => Some(self.program.pools[pool].name.clone()),
            _ => None,
        }
    }

    /// `worker(1)`, or `a`.
    fn thread(&self, t: ThreadId) -> String {
        self.program.threads[t].name.clone()
    }

    /// `at(who, A) || at(who, B)` for exactly these locations of a thread.
    fn at(&mut self, t: ThreadId, locations: &[LocId], who: &str) -> Option<String> {
        let thread = &self.program.threads[t];
        let mut left: BTreeSet<LocId> = locations.iter().copied().collect();
        let mut names: Vec<String> = Vec::new();
        let special = [(thread.end, "end"), (thread.wrong, "wrong")];
        for (l, name) in special {
            if l.is_some_and(|l| left.remove(&l)) {
                // A declared label of that name takes the place of the undeclared one.
                if thread.labels.iter().any(|(declared, _)| declared == name) {
                    return None;
                }
                names.push(name.into());
            }
        }
        for (name, at) in &thread.labels {
            let inside = at.iter().all(|l| locations.contains(l));
            if inside && at.iter().any(|l| left.contains(l)) {
                left.retain(|l| !at.contains(l));
                names.push(name.clone());
            }
        }
        while let Some(l) = left.first().copied() {
            let start = thread.locations[l].span.start;
            let copies: Vec<LocId> = thread
                .steps()
                .filter(|&k| thread.locations[k].span.start == start)
                .collect();
            let nameless =
                |k: &LocId| matches!(thread.locations[*k].named, Named::Start | Named::Part);
            if !self.may_label || copies.iter().any(|k| !locations.contains(k) || nameless(k)) {
                return None;
            }
            left.retain(|l| !copies.contains(l));
            names.push(self.label(start));
        }
        names.sort();
        let all = names.iter().map(|n| format!("at({who}, {n})"));
        Some(all.collect::<Vec<_>>().join(" || "))
    }

    /// Whether a name stands anywhere in the model.
    fn is_word(&self, name: &str) -> bool {
        let source = &self.program.source;
        let mut words = source.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|w| w == name)
    }

    /// `j0`, `j1`, ..: the name of a bound index, one that is no other name.
    fn binder(&self, d: usize) -> String {
        let mut name = format!("j{d}");
        while self.is_word(&name) {
            name.insert(0, 'j');
        }
        name
    }

    /// The new label at a place, `L12` if that is no name yet.
    fn label(&mut self, start: usize) -> String {
        if let Some(known) = self.labels.get(&start) {
            return known.clone();
        }
        let line = self.program.source[..start].matches('\n').count() + 1;
        let taken = |name: &String| self.is_word(name) || self.labels.values().any(|l| l == name);
        let names = (0..).map(|n| match n {
            0 => format!("L{line}"),
            n => format!("L{line}_{n}"),
        });
        let name = names
            .into_iter()
            .find(|n| !taken(n))
            .unwrap_or_else(|| format!("L{start}"));
        self.labels.insert(start, name.clone());
        name
    }

    /// An expression over what the thread alone changes.
    fn expression(&self, t: ThreadId, e: &Expr) -> Option<String> {
        // Not `self.t`: another thread may have a variable of that name and another type.
        let own = format!("{}.", self.program.threads[t].name);
        let known = |name: &str| -> Option<String> {
            let local = name.strip_prefix(&own).unwrap_or(name);
            (!local.contains('.')).then(|| name.to_string())
        };
        Some(match e {
            Expr::Const(c) => c.to_string(),
            Expr::Cell(c) => known(&self.program.cells[*c].name)?,
            Expr::Element(a, index) => {
                let mut text = known(&self.program.arrays[*a].name)?;
                for e in index {
                    text += &format!("[{}]", self.expression(t, e)?);
                }
                text
            }
            Expr::Binary(op, a, b) => {
                let sign = match op {
                    BinaryOp::Add => "+",
                    BinaryOp::Sub => "-",
                    BinaryOp::Mul => "*",
                    BinaryOp::Div => "/",
                    BinaryOp::Rem => "%",
                    BinaryOp::BitAnd => "&",
                    BinaryOp::BitOr => "|",
                    BinaryOp::BitXor => "^",
                    BinaryOp::Shl => "<<",
                    BinaryOp::Shr => ">>",
                    _ => return None,
                };
                let (a, b) = (self.expression(t, a)?, self.expression(t, b)?);
                format!("({a} {sign} {b})")
            }
            _ => return None,
        })
    }
}
