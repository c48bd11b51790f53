//! Small things all renderings for people share: harmless characters, clipped texts, counted nouns.
//!
//! File names, source lines and names come from the author of the model. None of them may move the cursor, change
//! colours or reverse the line, so every such character is replaced by one visible character: columns stay true.

use crate::base::diagnostic::Position;
use crate::base::results::Place;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

/// The character shown for `c`.
pub(super) fn shown(c: char) -> char {
    match c {
        '\u{7f}' => '\u{2421}',
        c if (c as u32) < 0x20 => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{80}'..='\u{9f}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => '\u{fffd}',
        c => c,
    }
}

/// `text` on one line, without characters that act on a terminal.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| shown(c) == c) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().map(shown).collect())
    }
}

/// As [`printable`], but line breaks stay and tabs become spaces.
pub(super) fn printable_lines(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' => '\n',
            '\t' => ' ',
            c => shown(c),
        })
        .collect()
}

/// At most `limit` characters of `text`, printable, with a sign where it was cut.
pub(super) fn clipped(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => printable(text).into_owned(),
        Some((end, _)) => format!("{} [..]", printable(&text[..end])),
    }
}

thread_local! {
    static COLUMNS: Cell<usize> = const { Cell::new(WIDE) };
}

/// Columns of a line, unless others are asked for.
const WIDE: usize = 120;

/// Columns that a line takes at most, where its words allow it, in what this thread renders.
pub(super) fn columns() -> usize {
    COLUMNS.get()
}

/// Has this thread render lines of so many columns, 40 at least and 120 at most.
pub fn set_columns(columns: usize) {
    COLUMNS.set(columns.clamp(40, WIDE));
}

/// A text for people: as [`printable_lines`], with each line that is too long broken, and the rest of it indented a
/// little more.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in printable_lines(text).split_inclusive('\n') {
        if line.trim_end_matches('\n').chars().count() <= columns() {
            out += line;
            continue;
        }
        let indent = line.chars().take_while(|c| *c == ' ').count();
        // Deep inside there is little room left.
        let indent = (indent + 4).min(columns() / 2);
        out += &wrapped(line, indent);
    }
    out
}

/// One line broken between words where it is too long; what follows is indented.
pub(super) fn wrapped(line: &str, indent: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for (n, word) in line.split(' ').enumerate() {
        let width = word.chars().count();
        let goes_on = out.trim_start().is_empty() || word.is_empty();
        if !goes_on && column + 1 + width > columns() {
            out.truncate(out.trim_end_matches(' ').len());
            out += &format!("\n{:indent$}{word}", "");
            column = indent + width;
            continue;
        }
        if n > 0 {
            out.push(' ');
        }
        out += word;
        column += width + usize::from(n > 0);
    }
    out
}

/// `1 step`, `2 steps`.
pub(super) fn counted(n: usize, noun: &str) -> String {
    counted_text(&n.to_string(), noun)
}

/// As [`counted`], for a count of any size.
pub(super) fn counted_text(n: &str, noun: &str) -> String {
    if n == "1" {
        format!("1 {noun}")
    } else {
        format!("{n} {noun}s")
    }
}

/// How sentences name places.
#[derive(Clone)]
enum Places {
    /// `line 12`
    Lines,
    /// As [`place`] does in this file.
    File(String),
    /// `line 12`, with the number marked for [`linked`].
    Links,
}

thread_local! {
    static PLACES: RefCell<Places> = const { RefCell::new(Places::Lines) };
}

/// Has sentences that this thread renders meanwhile name places so.
fn with_places<T>(places: Places, render: impl FnOnce() -> T) -> T {
    let outer = PLACES.replace(places);
    let rendered = render();
    PLACES.set(outer);
    rendered
}

/// Has sentences that this thread renders meanwhile name places in this file as [`place`] does.
pub(super) fn about<T>(model: &str, render: impl FnOnce() -> T) -> T {
    with_places(Places::File(model.to_string()), render)
}

/// What marks the begin and the end of a line's number that becomes a link.
const MARKS: [char; 2] = ['\u{2}', '\u{3}'];

/// A sentence in pieces: a text, and behind it the number of a line, but for the last.
pub(super) fn linked(sentence: &dyn fmt::Display) -> Vec<(String, Option<usize>)> {
    let told = with_places(Places::Links, || sentence.to_string());
    let mut rest = told.as_str();
    let mut pieces = Vec::new();
    while let Some((text, (number, behind))) = rest
        .split_once(MARKS[0])
        .and_then(|(text, more)| Some((text, more.split_once(MARKS[1])?)))
    {
        pieces.push((text.to_string(), number.parse().ok()));
        rest = behind;
    }
    pieces.push((rest.to_string(), None));
    pieces
}

/// The number of a line where the whole place is not told.
fn number(line: usize) -> String {
    PLACES.with_borrow(|places| match places {
        Places::Links => format!("{}{line}{}", MARKS[0], MARKS[1]),
        _ => line.to_string(),
    })
}

/// Whether places are told with their file.
fn in_file() -> bool {
    PLACES.with_borrow(|places| matches!(places, Places::File(_)))
}

/// `models/a.cor:12:5` where it is said what file the report is about, else `line 12`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PLACES.with_borrow(|places| match places {
            Places::File(file) => f.write_str(&place(file, self.line, self.column)),
            _ => write!(f, "line {}", number(self.line)),
        })
    }
}

impl Position {
    /// The same behind another place of the sentence: `12:5`, as the file was told.
    pub(super) fn again(&self) -> String {
        match in_file() {
            true => format!("{}:{}", self.line, self.column),
            false => self.to_string(),
        }
    }
}

/// Several places: `m.cor:12:5, 20:9`, or else `lines 12, 20`.
pub(super) fn places(all: &[Position]) -> String {
    let each: Vec<(Position, usize)> = all.iter().map(|p| (*p, p.line)).collect();
    stretches(&each)
}

/// Several stretches, each with the line it ends on: `m.cor:12:5 to line 14, 20:9`, or else `lines 12-14, 20`.
pub(super) fn stretches(all: &[(Position, usize)]) -> String {
    let is_in_file = in_file();
    let is_one = matches!(all, [(first, last)] if first.line == *last);
    let told = all.iter().enumerate().map(|(n, (first, last))| {
        let begin = match (is_in_file, n) {
            (true, 0) => first.to_string(),
            (true, _) => first.again(),
            (false, 0) if !is_one => format!("lines {}", number(first.line)),
            (false, 0) => first.to_string(),
            (false, _) => number(first.line),
        };
        match (*last == first.line, is_in_file) {
            (true, _) => begin,
            (_, true) => format!("{begin} to line {last}"),
            (_, false) => format!("{begin}-{last}"),
        }
    });
    told.collect::<Vec<_>>().join(", ")
}

/// `worker(1) at m.cor:12:5`, `worker(1) at B (m.cor:12:5)`
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.thread, self.spot(&self.at.to_string()))
    }
}

impl Place {
    /// Where it is: its position, told so, with what tells its location from others there.
    pub(super) fn spot(&self, at: &str) -> String {
        let line = format!("line {}", self.at.line);
        match self.location.strip_prefix(&line) {
            Some(rest) => format!("{at}{rest}"),
            None => format!("{} ({at})", self.location),
        }
    }
}

/// `models/a.cor:12:5`, which editors and terminals find.
pub(super) fn place(model: &str, line: usize, column: usize) -> String {
    format!("{}:{line}:{column}", printable(model))
}

/// `(14)`, but `WFinitVis`.
pub(super) fn display_id(id: &str) -> String {
    if id.bytes().all(|b| b.is_ascii_digit()) {
        format!("({id})")
    } else {
        id.to_string()
    }
}

/// `a`, `a and b`, `a, b and c`
pub fn enumerated(names: &[&str]) -> String {
    match names {
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        names => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_a_file_where_one_is_known() {
        let at = |line, column| Position { line, column };
        let (one, far) = ((at(3, 5), 3), (at(7, 9), 8));
        assert_eq!(stretches(&[one]), "line 3");
        assert_eq!(stretches(&[far]), "lines 7-8");
        assert_eq!(stretches(&[one, far]), "lines 3, 7-8");
        let piece = |text: &str, line| (text.to_string(), line);
        let [line, end] = [piece("line ", Some(3)), piece("", None)];
        assert_eq!(linked(&one.0), [line, end]);
        // Only marks that belong together name a line.
        let odd = "a\u{2}x\u{3}b\u{2}";
        let pieces = [piece("a", None), piece("b\u{2}", None)];
        assert_eq!(linked(&odd), pieces);
        about("m.cor", || {
            assert_eq!(stretches(&[one]), "m.cor:3:5");
            assert_eq!(stretches(&[far, one]), "m.cor:7:9 to line 8, 3:5");
            let place = |location: &str| Place {
                thread: "a".to_string(),
                location: location.to_string(),
                at: at(3, 5),
            };
            assert_eq!(place("B").to_string(), "a at B (m.cor:3:5)");
            assert_eq!(place("line 3 (k=0)").to_string(), "a at m.cor:3:5 (k=0)");
            assert_eq!(at(4, 1).again(), "4:1");
            about("n.cor", || assert_eq!(at(1, 2).to_string(), "n.cor:1:2"));
            assert_eq!(at(1, 2).to_string(), "m.cor:1:2");
        });
        assert_eq!(at(1, 2).to_string(), "line 1");
        assert_eq!(at(1, 2).again(), "line 1");
    }

    #[test]
    fn nothing_that_acts_on_a_terminal_passes() {
        let evil = "a\x1b[31m\u{202e}b\u{9b}\x7f\r\n\t\0";
        let seen = printable(evil);
        assert_eq!(seen.chars().count(), evil.chars().count());
        assert!(!seen.chars().any(char::is_control), "{seen:?}");
        assert!(!seen.contains('\u{202e}'));
        assert_eq!(printable("plain -> text"), "plain -> text");
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clipped("äöü", 3), "äöü");
        assert_eq!(clipped("äöüß", 3), "äöü [..]");
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        assert_eq!(wrapped("  a  b c", 4), "  a  b c");
        let word = "x".repeat(70);
        assert_eq!(
            wrapped(&format!("  a: {word} {word} b"), 4),
            format!("  a: {word}\n    {word} b")
        );
        set_columns(80);
        assert_eq!(
            wrapped(&format!("  a: {word} {word} b"), 4),
            format!("  a: {word}\n    {word} b")
        );
        set_columns(70);
        assert_eq!(wrapped("  a b", 4), "  a b");
        set_columns(usize::MAX);
        assert_eq!(columns(), WIDE);
        let long = "y".repeat(200);
        assert_eq!(
            wrapped(&format!("  {long}  c"), 4),
            format!("  {long}\n    c")
        );
    }

    #[test]
    fn nouns() {
        assert_eq!(counted(1, "step"), "1 step");
        assert_eq!(counted(0, "step"), "0 steps");
        assert_eq!(
            counted_text("123456789012345678901", "state"),
            "123456789012345678901 states"
        );
    }
}
