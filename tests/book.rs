//! The pages as a book: all of them are in it, and every link in what mdBook makes of them leads somewhere.

use crate::missing;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn all_pages_are_in_the_table_of_contents() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("read");
    let listed = summary
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let listed: BTreeSet<&str> = listed.filter(|l| !l.starts_with("..")).collect();
    let entries = fs::read_dir(root().join("docs")).expect("read");
    let names = entries.map(|e| e.expect("an entry").file_name().display().to_string());
    let pages: Vec<String> = names
        .filter(|n| n.ends_with(".md") && n != "SUMMARY.md")
        .collect();
    assert_eq!(listed, pages.iter().map(String::as_str).collect());
}

/// The values of an attribute in a page.
fn attributes<'h>(html: &'h str, name: &str) -> Vec<&'h str> {
    let begin = format!(" {name}=\"");
    html.split(begin.as_str())
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[test]
fn links_of_the_book_lead_somewhere() {
    let own = root().join("target/tools/bin/mdbook");
    if !own.exists() && Command::new("mdbook").arg("--version").output().is_err() {
        missing::say("mdbook");
        return;
    }
    let built = Command::new("bash")
        .args(["dev", "book"])
        .current_dir(root())
        .output()
        .expect("bash");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let book = root().join("target/book/book");
    let entries = fs::read_dir(&book)
        .expect("read")
        .map(|e| e.expect("an entry").path());
    let pages: Vec<PathBuf> = entries
        .filter(|p| p.extension().is_some_and(|e| e == "html"))
        .collect();
    let texts: BTreeMap<PathBuf, String> = pages
        .iter()
        .map(|p| (p.clone(), fs::read_to_string(p).expect("read")))
        .collect();
    assert!(texts.len() > 20, "{}", texts.len());
    let mut lost = Vec::new();
    for (page, html) in &texts {
        // The table of contents is put in by a script, and has been looked at above.
        for link in attributes(html, "href") {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            if path.contains(':') || path.ends_with(".css") || page.ends_with("print.html") {
                continue;
            }
            let to = if path.is_empty() {
                page.clone()
            } else {
                book.join(path)
            };
            let there = match texts.get(&to) {
                Some(html) => anchor.is_empty() || attributes(html, "id").contains(&anchor),
                None => to.exists(),
            };
            if !there {
                lost.push(format!(
                    "{}: {link}",
                    page.file_name().expect("a name").display()
                ));
            }
        }
    }
    assert_eq!(lost, Vec::<String>::new());
    let search = fs::read_dir(&book)
        .expect("read")
        .map(|e| e.expect("an entry").file_name());
    assert!(
        search
            .into_iter()
            .any(|n| n.display().to_string().starts_with("searchindex"))
    );
}
