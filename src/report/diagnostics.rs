//! Diagnostics for people: the place, what is wrong, what was expected, how to mend it (drawn by ariadne).
//!
//! Ariadne reads the whole source and prints whole lines; a source may be megabytes, and one line of it as well. So
//! it is given a *sheet*: a text in which every line without a diagnostic is blank, and a long line is a window
//! around the place. Line numbers stay true because the blank lines are there; the column of a clipped line does
//! not, so the place in the header is ours.

use super::layout::{clipped, counted, printable, printable_lines, shown};
use super::position::{boundary, positions};
use crate::base::diagnostic::{Diagnostic, Position, Severity, Span};
use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};
use std::ops::Range;

/// How many diagnostics are shown in full.
pub const SHOWN: usize = 20;

/// Lines of more characters than this are clipped.
const LONG_LINE: usize = 240;
/// Characters shown before the place in a clipped line.
const BEFORE: usize = 60;
/// Characters shown from the place on in a clipped line.
const AFTER: usize = 120;
/// Characters shown of a message, an expectation or a help.
const LONG_MESSAGE: usize = 600;
/// Stands for the place in what ariadne writes; escaped texts contain no control character.
const PLACE: &str = "\u{1}";
/// Marks where a line was clipped.
const CUT: &str = "[..] ";

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// No escape sequences.
    Plain,
    /// For a terminal.
    Coloured,
}

/// The first [`SHOWN`] diagnostics of the source called `name` in the order of their places, and a count of the rest.
pub fn render(name: &str, source: &str, diagnostics: &[Diagnostic], colour: Colour) -> String {
    let sorted = in_order(diagnostics);
    let (first, rest) = sorted.split_at(sorted.len().min(SHOWN));
    let offsets: Vec<usize> = first.iter().map(|d| d.span.start).collect();
    let places = positions(source, &offsets);
    let mut sheet = Sheet::default();
    let mut pending = Vec::new();
    let mut out = String::new();
    for (diagnostic, place) in first.iter().zip(places) {
        let window = Window::around(source, diagnostic.span);
        let label = sheet.place(source, &window, place).unwrap_or_else(|| {
            // The line stands on the sheet already, clipped elsewhere.
            std::mem::take(&mut sheet).draw(name, &mut pending, colour, &mut out);
            sheet.begin(source, &window, place)
        });
        pending.push((*diagnostic, place, label));
    }
    sheet.draw(name, &mut pending, colour, &mut out);
    out.push_str(&remainder(rest));
    out
}

/// Diagnostics in the order of their places.
pub(super) fn in_order(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|d| d.span);
    sorted
}

/// `3 errors`, `2 errors and 1 warning`, ...
pub fn summary<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    let (mut errors, mut warnings) = (0, 0);
    for diagnostic in diagnostics {
        match diagnostic.severity {
            Severity::Error => errors += stands_for(diagnostic),
            Severity::Warning => warnings += 1,
        }
    }
    match (errors, warnings) {
        (e, 0) => counted(e, "error"),
        (0, w) => counted(w, "warning"),
        (e, w) => format!("{} and {}", counted(e, "error"), counted(w, "warning")),
    }
}

/// How many errors a diagnostic is: the parser's last one (E0007) begins with the number of those it did not keep.
fn stands_for(diagnostic: &Diagnostic) -> usize {
    let first = diagnostic.message.split(' ').next().unwrap_or_default();
    if diagnostic.code == "E0007" {
        first.parse().unwrap_or(1)
    } else {
        1
    }
}

/// `and 3 more errors`, or nothing.
fn remainder(rest: &[&Diagnostic]) -> String {
    if rest.is_empty() {
        return String::new();
    }
    let text = summary(rest.iter().copied());
    format!("and {}\n", text.replacen(' ', " more ", 1))
}

/// The part of one line that is shown, as byte offsets into the source.
struct Window {
    shown: Range<usize>,
    marked: Range<usize>,
    cut_before: bool,
    cut_after: bool,
}

impl Window {
    fn around(source: &str, span: Span) -> Window {
        let start = boundary(source, span.start);
        let first = source[..start].rfind('\n').map_or(0, |i| i + 1);
        let end = source[start..]
            .find('\n')
            .map_or(source.len(), |i| start + i);
        let last = match source[first..end].strip_suffix('\r') {
            Some(line) => first + line.len(),
            None => end,
        };
        let mut window = Window {
            shown: first..last,
            marked: start.min(last)..boundary(source, span.end).clamp(start.min(last), last),
            cut_before: false,
            cut_after: false,
        };
        if source[first..last].chars().nth(LONG_LINE).is_some() {
            window.clip(source);
        }
        window
    }

    fn clip(&mut self, source: &str) {
        let before = &source[self.shown.start..self.marked.start];
        if let Some((skip, _)) = before.char_indices().rev().nth(BEFORE - 1) {
            self.cut_before = skip > 0;
            self.shown.start += skip;
        }
        let after = &source[self.marked.start..self.shown.end];
        if let Some((keep, _)) = after.char_indices().nth(AFTER) {
            self.cut_after = true;
            self.shown.end = self.marked.start + keep;
        }
        self.marked.end = self.marked.end.min(self.shown.end);
    }
}

/// A text for ariadne: lines with windows, all others blank.
#[derive(Default)]
struct Sheet {
    text: String,
    /// The number of the last line, from 1; 0 while nothing stands on the sheet.
    line: usize,
    /// What of the source the last line shows, and where its first character stands in `text`.
    shown: Range<usize>,
    written: usize,
}

impl Sheet {
    /// Where `window` of the line at `place` stands on the sheet; none if that line shows another part already.
    /// Places come in ascending order.
    fn place(&mut self, source: &str, window: &Window, place: Position) -> Option<Range<usize>> {
        if self.line < place.line {
            return Some(self.begin(source, window, place));
        }
        let covers = self.shown.start <= window.marked.start && window.marked.end <= self.shown.end;
        covers.then(|| self.label(source, &window.marked))
    }

    /// Writes `window` as the line at `place`.
    fn begin(&mut self, source: &str, window: &Window, place: Position) -> Range<usize> {
        let breaks = place.line - self.line.max(1);
        self.text.extend(std::iter::repeat_n('\n', breaks));
        self.line = place.line;
        if window.cut_before {
            self.text.push_str(CUT);
        }
        self.written = self.text.len();
        self.shown = window.shown.clone();
        let visible = &source[window.shown.clone()];
        self.text.extend(visible.chars().map(on_sheet));
        // A place at the end of the line or of the text needs a character to point at.
        self.text.push(' ');
        if window.cut_after {
            self.text.push_str(CUT);
        }
        self.label(source, &window.marked)
    }

    fn label(&self, source: &str, marked: &Range<usize>) -> Range<usize> {
        let width = |part: Range<usize>| -> usize {
            source[part].chars().map(|c| on_sheet(c).len_utf8()).sum()
        };
        let start = self.written + width(self.shown.start..marked.start);
        let end = start + width(marked.clone());
        if end > start {
            return start..end;
        }
        let next = self.text[start..].chars().next();
        start..start + next.map_or(0, char::len_utf8)
    }

    /// Draws the pending diagnostics, all of which stand on this sheet, and forgets them.
    fn draw(
        self,
        name: &str,
        pending: &mut Vec<(&Diagnostic, Position, Range<usize>)>,
        colour: Colour,
        out: &mut String,
    ) {
        let mut cache = (PLACE, Source::from(self.text));
        for (diagnostic, place, label) in pending.drain(..) {
            let report = ariadne_report(diagnostic, label, colour);
            let mut bytes = Vec::new();
            // Writing to memory does not fail; should ariadne refuse all the same, the bare facts are shown.
            if report.write(&mut cache, &mut bytes).is_err() {
                bytes = format!("{PLACE} {diagnostic}\n").into_bytes();
            }
            let drawn = with_place(&String::from_utf8_lossy(&bytes), name, place);
            for line in drawn.lines() {
                out.push_str(line.trim_end());
                out.push('\n');
            }
        }
    }
}

/// The character shown for `c` in a source line: tabs are expanded by ariadne.
fn on_sheet(c: char) -> char {
    if c == '\t' { c } else { shown(c) }
}

fn ariadne_report(
    diagnostic: &Diagnostic,
    marked: Range<usize>,
    colour: Colour,
) -> Report<'static, (&'static str, Range<usize>)> {
    let (kind, tint) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let mut label = Label::new((PLACE, marked.clone())).with_color(tint);
    if !diagnostic.expected.is_empty() {
        let expected = clipped(&diagnostic.expected, LONG_MESSAGE);
        label = label.with_message(if expected.starts_with("expected") {
            expected
        } else {
            format!("expected {expected}")
        });
    }
    let mut report = Report::build(kind, (PLACE, marked))
        .with_config(
            Config::new()
                .with_index_type(IndexType::Byte)
                .with_color(colour == Colour::Coloured),
        )
        .with_code(diagnostic.code)
        .with_message(clipped(&diagnostic.message, LONG_MESSAGE))
        .with_label(label);
    if !diagnostic.help.is_empty() {
        let help: String = diagnostic.help.chars().take(LONG_MESSAGE).collect();
        report.set_help(printable_lines(&help));
    }
    report.finish()
}

/// What ariadne wrote, with `name:line:column` for the place on the sheet.
fn with_place(drawn: &str, name: &str, place: Position) -> String {
    let Some((head, tail)) = drawn.split_once(PLACE) else {
        return drawn.to_string();
    };
    let tail = tail.trim_start_matches(|c: char| c == ':' || c == '?' || c.is_ascii_digit());
    let Position { line, column } = place;
    format!("{head}{}:{line}:{column}{tail}", printable(name))
}

#[cfg(test)]
mod tests;
