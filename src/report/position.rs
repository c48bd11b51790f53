//! Lines and columns of many offsets in one pass over the source.
//!
//! [`position`](crate::base::diagnostic::position) reads the text up to its offset each time; a thousand
//! diagnostics in a source of megabytes, or on one line of a megabyte, need one sweep for all.

use crate::base::diagnostic::Position;

/// The largest character boundary of `source` that is not after `offset`.
pub(super) fn boundary(source: &str, offset: usize) -> usize {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The position of each of `offsets`, in their order; offsets past the end count as the end.
pub(super) fn positions(source: &str, offsets: &[usize]) -> Vec<Position> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|&i| offsets[i]);
    let mut found = vec![Position { line: 1, column: 1 }; offsets.len()];
    let mut here = Position { line: 1, column: 1 };
    let mut at = 0;
    for i in order {
        let target = boundary(source, offsets[i]).max(at);
        let passed = &source[at..target];
        match passed.rfind('\n') {
            None => here.column += passed.chars().count(),
            Some(last) => {
                here.line += passed.bytes().filter(|&b| b == b'\n').count();
                here.column = 1 + passed[last + 1..].chars().count();
            }
        }
        at = target;
        found[i] = here;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diagnostic::position;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::random::config(256))]

        #[test]
        fn agrees_with_position(
            source in "[a\n\r\tä€]{0,40}",
            offsets in prop::collection::vec(0usize..200, 0..12),
        ) {
            let found = positions(&source, &offsets);
            for (at, &offset) in found.iter().zip(&offsets) {
                prop_assert_eq!(*at, position(&source, offset));
            }
        }
    }
}
