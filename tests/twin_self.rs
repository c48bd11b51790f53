//! The naive twin checks itself, without the tool, on programs whose numbers are known.

mod twin;
