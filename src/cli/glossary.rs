//! The terms of answers and pages, from `docs/glossary.md`: there is no other text about them.

/// The page: `## SECTION`, below it `### NAME, FURTHER NAME` and the text of an entry.
const PAGE: &str = include_str!("../../docs/glossary.md");

/// An explained term.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The heading of the section that it stands in.
    pub section: &'static str,
    /// Its name, and others that it is asked for by.
    pub names: Vec<&'static str>,
    /// What is said of it.
    pub text: &'static str,
}

/// All entries, as on the page.
pub fn entries() -> Vec<Entry> {
    let mut found = Vec::new();
    for section in PAGE.split("\n## ").skip(1) {
        let mut parts = section.split("\n### ");
        let head = parts.next().unwrap_or_default();
        let heading = head.lines().next().unwrap_or_default();
        found.extend(parts.map(|part| {
            let (names, text) = part.split_once('\n').unwrap_or((part, ""));
            Entry {
                section: heading,
                names: names.split(", ").map(str::trim).collect(),
                text: text.trim(),
            }
        }));
    }
    found
}

/// The entry that `wanted` names. Case, blanks, hyphens and parentheses make no difference: `(14)` is `14`.
pub fn entry(wanted: &str) -> Option<Entry> {
    let key = plain(wanted);
    let named = |e: &Entry| e.names.iter().any(|name| plain(name) == key);
    entries().into_iter().find(named)
}

/// A name without what makes no difference.
fn plain(name: &str) -> String {
    let kept = name
        .chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_' | '(' | ')'));
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_name_finds_its_own_entry() {
        let mut known = BTreeMap::new();
        for e in entries() {
            for name in &e.names {
                let found = entry(name).map(|e| e.text);
                assert_eq!(found, Some(e.text), "{name}");
                let before = known.insert(plain(name), *name);
                assert_eq!(before, None, "{name} is there twice");
            }
        }
        assert!(known.len() > 100, "only {} names", known.len());
    }

    #[test]
    fn every_entry_says_something_and_ends_with_its_sources() {
        for e in entries() {
            let last = e.text.rsplit("\n\n").next().unwrap_or_default();
            let sources = last.starts_with("Paper: ") && last.contains("Code:");
            assert!(sources && last.len() < e.text.len(), "{:?}", e.names);
        }
    }
}
