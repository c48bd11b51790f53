//! Bytes to text: UTF-8, with or without a byte order mark.

use super::codes;
use crate::base::diagnostic::{Diagnostic, Span};

/// Bytes that are not UTF-8: a text near enough to show, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUtf8 {
    /// The bytes with U+FFFD in place of what is no UTF-8. The span of `diagnostic` lies in this text.
    pub lossy: String,
    /// Names the offset of the first wrong byte in the file, and its line.
    pub diagnostic: Diagnostic,
}

/// The text of a file, without a byte order mark if it starts with one.
///
/// All spans that a parser gives for the text count from behind the mark.
pub fn decode(mut bytes: Vec<u8>) -> Result<String, Box<NotUtf8>> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    let dropped = if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
        MARK.len()
    } else {
        0
    };
    let utf16 = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let lossy = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let line = 1 + lossy[..at].matches('\n').count();
        // What is valid stays as it is, so the first replacement stands where the wrong byte stood.
        let span = Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8());
        let help = if utf16 {
            "the file looks like UTF-16: save it as UTF-8"
        } else {
            "save the file as UTF-8; outside comments a model is plain ASCII"
        };
        Box::new(NotUtf8 {
            lossy,
            diagnostic: Diagnostic::error(
                codes::NOT_UTF8,
                span,
                format!(
                    "the file is not UTF-8: byte {} (line {line}) begins no character",
                    at + dropped
                ),
                "UTF-8 text",
                help,
            ),
        })
    })
}
