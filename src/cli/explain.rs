//! `coarsen explain TERM`: what a term of the glossary, a diagnostic or an exit code means.

use super::backend::Code;
use super::exit::{EXITS, Exit};
use super::glossary::{Entry, entries, entry};
use super::output::{Output, say};
use super::suggest::hint;

/// The columns of the list of terms.
const COLUMNS: usize = 100;

/// Explains `wanted`, the words of one term, or lists all that can be explained.
pub fn run(wanted: &[String], codes: &[&Code], output: &mut Output) -> Exit {
    let wanted = wanted.join(" ");
    if wanted.trim().is_empty() {
        output.write(&list(codes));
        return Exit::Holds;
    }
    match explanation(wanted.trim(), codes) {
        Some(text) => {
            output.write(&text);
            Exit::Holds
        }
        None => {
            say(&unknown(wanted.trim(), codes));
            Exit::Input
        }
    }
}

fn explanation(wanted: &str, codes: &[&Code]) -> Option<String> {
    if let Some(found) = entry(wanted) {
        return Some(of_entry(&found));
    }
    let same = |name: &str| name.eq_ignore_ascii_case(wanted);
    if let Some(code) = codes.iter().find(|c| same(c.code)) {
        return Some(format!(
            "{}: {}\n\n{}\n",
            code.code,
            code.title,
            code.text.trim_end()
        ));
    }
    if let Some(&(exit, text)) = EXITS.iter().find(|&&(exit, _)| same(&exit_name(exit))) {
        return Some(of_exit(exit, text));
    }
    // `hides(NAME)` names the property it is about.
    let (name, _) = wanted.split_once('(')?;
    entry(name).map(|found| of_entry(&found))
}

fn of_entry(found: &Entry) -> String {
    format!("{}\n\n{}\n", found.names.join(", "), found.text)
}

fn of_exit(exit: Exit, text: &str) -> String {
    let order: Vec<String> = EXITS.iter().map(|&(e, _)| (e as u8).to_string()).collect();
    format!(
        "{}: {text}\n\nOver several models the first of these that occurs is the exit code: {}.\n",
        exit_name(exit),
        order.join(", ")
    )
}

fn exit_name(exit: Exit) -> String {
    format!("exit-{}", exit as u8)
}

/// All names, under the headings of the glossary.
fn list(codes: &[&Code]) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for e in entries() {
        if groups
            .last()
            .is_none_or(|(section, _)| *section != e.section)
        {
            groups.push((e.section, Vec::new()));
        }
        if let Some((_, names)) = groups.last_mut() {
            names.extend(e.names.iter().map(ToString::to_string));
        }
    }
    let code = |c: &&Code| c.code.to_string();
    groups.push(("Diagnostics", codes.iter().map(code).collect()));
    let exits = EXITS.iter().map(|&(e, _)| exit_name(e));
    groups.push(("Exit codes", exits.collect()));
    let mut text = String::from("`coarsen explain TERM` explains one of these:\n");
    for (section, names) in groups {
        text += &format!("\n{section}\n{}\n", filled(&names));
    }
    text
}

/// Names with commas between them, in indented lines.
fn filled(names: &[String]) -> String {
    let mut lines = vec![String::from(" ")];
    for (n, name) in names.iter().enumerate() {
        let comma = if n + 1 < names.len() { "," } else { "" };
        let word = format!(" {name}{comma}");
        match lines.last_mut() {
            Some(line) if line.len() + word.len() <= COLUMNS => *line += &word,
            _ => lines.push(format!(" {word}")),
        }
    }
    lines.join("\n")
}

fn unknown(wanted: &str, codes: &[&Code]) -> String {
    let exits: Vec<String> = EXITS.iter().map(|&(e, _)| exit_name(e)).collect();
    let entries = entries();
    let terms = entries.iter().flat_map(|e| e.names.iter().copied());
    let codes = codes.iter().map(|c| c.code);
    let all = terms.chain(codes).chain(exits.iter().map(String::as_str));
    format!(
        "coarsen: nothing is known about `{wanted}`{}\n  `coarsen explain` lists all terms",
        hint(wanted, all)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: Code = Code {
        code: "E0999",
        title: "a title",
        text: "A text.",
    };

    fn asked(wanted: &[&str]) -> (Exit, String) {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let mut written = Vec::new();
        let exit = run(&wanted, &[&CODE], &mut Output::new(&mut written));
        (exit, String::from_utf8_lossy(&written).into_owned())
    }

    #[test]
    fn everything_listed_is_explained() {
        let (exit, listed) = asked(&[]);
        assert_eq!(exit, Exit::Holds);
        for e in entries() {
            for name in &e.names {
                assert!(listed.contains(name), "{name} is not listed");
                let (exit, text) = asked(&[name]);
                assert!(
                    exit == Exit::Holds && text.ends_with(&format!("{}\n", e.text)),
                    "{text}"
                );
            }
        }
        for &(exit, meaning) in EXITS {
            assert!(listed.contains(&exit_name(exit)));
            let (_, text) = asked(&[&exit_name(exit)]);
            assert!(text.contains(meaning), "{text}");
        }
        assert!(listed.contains("E0999"));
        assert!(listed.lines().all(|line| line.len() <= COLUMNS), "{listed}");
    }

    #[test]
    fn case_blanks_and_parentheses_do_not_matter() {
        for (wanted, part) in [
            (vec!["wfACC"], "WFacc\n"),
            (vec!["(14)"], "(14)\n"),
            (vec!["14"], "(14)\n"),
            (vec!["Left", "Mover"], "mover, right mover, left mover"),
            (vec!["corollary", "(b)"], "corollary, "),
            (vec!["hides(waits_empty)"], "hides\n"),
            (vec![" Exit-10 "], "exit-10:"),
            (vec!["e0999"], "E0999: a title\n\nA text.\n"),
        ] {
            let (exit, text) = asked(&wanted);
            assert_eq!(exit, Exit::Holds);
            assert!(text.starts_with(part), "{wanted:?}: {text}");
        }
    }

    #[test]
    fn unknown_terms_get_the_nearest_one() {
        assert_eq!(asked(&["WFac"]), (Exit::Input, String::new()));
        for (wanted, part) in [
            ("WFac", "did you mean `WFacc`?"),
            ("transactoin", "did you mean `transaction`?"),
            ("E0998", "did you mean `E0999`?"),
            ("utter nonsense", "`coarsen explain` lists all terms"),
        ] {
            let text = unknown(wanted, &[&CODE]);
            assert!(text.contains(part), "{text}");
        }
    }
}
