//! Did you mean ..?

/// The candidate nearest to `word`, if it is near: at most one edit in three letters (insertions, deletions,
/// replacements, swaps of neighbours), at least one, and fewer than the word has letters. Case does not count; of
/// equally near ones the first.
///
/// ```
/// use coarsen::base::nearest;
/// assert_eq!(nearest("cuont", ["count", "x"]), Some("count"));
/// assert_eq!(nearest("cuont", ["mutex"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64;
    let letters = word.chars().count();
    if letters > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let length = candidate.chars().count();
            let allowed = (letters.max(length) / 3).max(1);
            if length > LONGEST || length.abs_diff(letters) > allowed {
                return None;
            }
            let distance = strsim::osa_distance(&word, &candidate.to_lowercase());
            (distance <= allowed && distance < letters).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_only() {
        let names = ["stoller-cohen", "lipton", "mutual_exclusion"];
        assert_eq!(nearest("stoler-cohen", names), Some("stoller-cohen"));
        assert_eq!(nearest("LIPTON", names), Some("lipton"));
        assert_eq!(nearest("mutex", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("fi", ["if"]), Some("if"));
        assert_eq!(nearest("x", ["y"]), None);
    }
}
