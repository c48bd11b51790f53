//! Did you mean ..?

/// The candidate nearest to `word`, if it is near: at most a third of the letters differ. Case does not count.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    candidates
        .into_iter()
        .map(|candidate| {
            let letters: Vec<char> = candidate.to_lowercase().chars().collect();
            let allowed = 1.max(word.len().max(letters.len()) / 3);
            (distance(&word, &letters, allowed), allowed, candidate)
        })
        .filter(|(distance, allowed, _)| distance <= allowed)
        .min_by_key(|&(distance, ..)| distance)
        .map(|(.., candidate)| candidate)
}

/// ` (did you mean `NAME`?)`, or nothing.
pub fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or(String::new(), |c| format!(" (did you mean `{c}`?)"))
}

/// Insertions, deletions and replacements from `a` to `b`, or anything larger than `enough`.
fn distance(a: &[char], b: &[char], enough: usize) -> usize {
    if a.len().abs_diff(b.len()) > enough {
        return enough + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_only() {
        let names = ["stoller-cohen", "lipton", "mutual_exclusion"];
        assert_eq!(nearest("stoler-cohen", names), Some("stoller-cohen"));
        assert_eq!(nearest("LIPTON", names), Some("lipton"));
        assert_eq!(nearest("mutex", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(hint("liptn", names), " (did you mean `lipton`?)");
        assert_eq!(hint("xyz", []), "");
    }
}
