//! Did you mean ..?, on the command line.

use coarsen::base::nearest;

/// ` (did you mean `NAME`?)`, or nothing.
pub fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or(String::new(), |c| format!(" (did you mean `{c}`?)"))
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn near_names_only() {
        assert_eq!(
            hint("liptn", ["stoller-cohen", "lipton"]),
            " (did you mean `lipton`?)"
        );
        assert_eq!(hint("xyz", []), "");
    }
}
