//! A text as editors speak of it: lines from 0, columns in the units agreed on.

use coarsen::base::diagnostic::Span;
use lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent};

/// What columns count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// What is agreed on if nothing is: words of UTF-16.
    Utf16,
}

impl Encoding {
    /// Bytes, if the client offers them.
    pub fn agreed(offered: Option<&[PositionEncodingKind]>) -> Self {
        match offered.is_some_and(|all| all.contains(&PositionEncodingKind::UTF8)) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        }
    }

    /// Its name.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn width(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        }
    }
}

/// A text with the beginnings of its lines.
#[derive(Clone, Debug)]
pub struct Text {
    source: String,
    /// Offsets of the lines' first bytes.
    lines: Vec<usize>,
    encoding: Encoding,
}

impl Text {
    pub fn new(source: String, encoding: Encoding) -> Self {
        let mut text = Text {
            source,
            lines: Vec::new(),
            encoding,
        };
        text.index();
        text
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    fn index(&mut self) {
        let breaks = self.source.match_indices('\n').map(|(at, _)| at + 1);
        self.lines = std::iter::once(0).chain(breaks).collect();
    }

    /// The offset of a position; behind the end of a line that is its end, behind the last line the end of the text.
    pub fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.lines.get(line) else {
            return self.source.len();
        };
        let end = self
            .lines
            .get(line + 1)
            .copied()
            .unwrap_or(self.source.len());
        let text = self.source[start..end].trim_end_matches(['\n', '\r']);
        let wanted = position.character as usize;
        let mut width = 0;
        for (at, c) in text.char_indices() {
            if width >= wanted {
                return start + at;
            }
            width += self.encoding.width(c.encode_utf8(&mut [0; 4]));
        }
        start + text.len()
    }

    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.source.len());
        while !self.source.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let before = &self.source[self.lines[line]..offset];
        // A text of 4 GiB is no document of an editor's.
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position::new(number(line), number(self.encoding.width(before)))
    }

    pub fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    pub fn span(&self, range: Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span::new(start, end.max(start))
    }

    /// The offset of a line and a column in characters, both from 1, as reports have them.
    pub fn reported(&self, line: usize, column: usize) -> Option<usize> {
        let start = *self.lines.get(line.checked_sub(1)?)?;
        let rest = &self.source[start..];
        let skipped = rest.char_indices().nth(column.checked_sub(1)?);
        skipped.map(|(at, _)| start + at)
    }

    /// Changes the text as the editor did.
    pub fn apply(&mut self, changes: Vec<TextDocumentContentChangeEvent>) {
        for change in changes {
            match change.range {
                Some(range) => {
                    let span = self.span(range);
                    self.source
                        .replace_range(span.start..span.end, &change.text);
                }
                None => self.source = change.text,
            }
            self.index();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_agreed() {
        let source = "a\u{e9}\u{1f600}b\r\nx\n";
        for (encoding, columns) in [
            (Encoding::Utf8, [0, 1, 3, 7]),
            (Encoding::Utf16, [0, 1, 2, 4]),
        ] {
            let text = Text::new(source.to_string(), encoding);
            for ((offset, _), column) in source.char_indices().zip(columns) {
                let position = Position::new(0, column);
                assert_eq!(text.position(offset), position);
                assert_eq!(text.offset(position), offset);
            }
            // Inside a character and behind the end of a line.
            assert_eq!(text.position(2), Position::new(0, 1));
            assert_eq!(text.offset(Position::new(0, 99)), 8);
            assert_eq!(text.offset(Position::new(9, 0)), source.len());
            assert_eq!(text.reported(1, 4), Some(7));
            assert_eq!(text.position(source.len()), Position::new(2, 0));
        }
    }
}
