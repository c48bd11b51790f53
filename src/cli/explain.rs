//! `coarsen explain CODE`: what a hypothesis, a well-formedness condition, an exit code or a diagnostic means.

use super::backend::Code;
use super::exit::{EXITS, Exit};
use super::output::{Output, say};
use super::suggest::hint;
use super::topics::{TOPICS, Topic};

/// Explains `wanted`, or says what could be explained.
pub fn run(wanted: &str, codes: &[&Code], output: &mut Output) -> Exit {
    match explanation(wanted, codes) {
        Some(text) => {
            output.write(&text);
            Exit::Holds
        }
        None => {
            say(&unknown(wanted, codes));
            Exit::Usage
        }
    }
}

fn explanation(wanted: &str, codes: &[&Code]) -> Option<String> {
    // `(14)` is how reports and papers write it.
    let wanted = wanted.trim().trim_start_matches('(').trim_end_matches(')');
    // `hides(NAME)` names the property it is about.
    let wanted = wanted.split('(').next().unwrap_or(wanted);
    let same = |name: &str| name.eq_ignore_ascii_case(wanted);
    if let Some(topic) = TOPICS.iter().find(|t| same(t.name)) {
        return Some(of_topic(topic));
    }
    if let Some(code) = codes.iter().find(|c| same(c.code)) {
        return Some(format!(
            "{}: {}\n\n{}\n",
            code.code,
            code.title,
            code.text.trim_end()
        ));
    }
    EXITS
        .iter()
        .find(|&&(exit, _)| same(&exit_name(exit)))
        .map(|&(exit, text)| of_exit(exit, text))
}

fn of_topic(topic: &Topic) -> String {
    let Topic {
        name,
        formula,
        says,
        breaks,
        mend,
    } = topic;
    format!("{name}: {formula}\n\n{says}\n\nwhat breaks it: {breaks}\n\nhow to mend: {mend}\n")
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

fn unknown(wanted: &str, codes: &[&Code]) -> String {
    let exits: Vec<String> = EXITS.iter().map(|&(e, _)| exit_name(e)).collect();
    let topics: Vec<&str> = TOPICS.iter().map(|t| t.name).collect();
    let codes: Vec<&str> = codes.iter().map(|c| c.code).collect();
    let exits: Vec<&str> = exits.iter().map(String::as_str).collect();
    let all = [topics.as_slice(), &codes, &exits].concat();
    format!(
        "coarsen: nothing is known about `{wanted}`{}\n  hypotheses and conditions: {}\n  diagnostics: {}\n  exit codes: {}",
        hint(wanted, all),
        topics.join(" "),
        codes.join(" "),
        exits.join(" ")
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

    #[test]
    fn everything_listed_is_explained() {
        for topic in TOPICS {
            let text = explanation(topic.name, &[]).unwrap_or_default();
            assert!(
                text.contains(topic.formula) && text.contains("how to mend"),
                "{text}"
            );
        }
        for &(exit, meaning) in EXITS {
            let text = explanation(&exit_name(exit), &[]).unwrap_or_default();
            assert!(text.contains(meaning), "{text}");
        }
    }

    #[test]
    fn case_and_parentheses_do_not_matter() {
        for (wanted, part) in [
            ("wfACC", "WFacc:"),
            ("(14)", "14:"),
            (" Exit-10 ", "exit-10:"),
            ("e0999", "E0999: a title\n\nA text.\n"),
        ] {
            let text = explanation(wanted, &[&CODE]).unwrap_or_default();
            assert!(text.starts_with(part), "{wanted}: {text}");
        }
    }

    #[test]
    fn unknown_codes_get_the_list() {
        let mut written = Vec::new();
        let exit = run("WFac", &[&CODE], &mut Output::new(&mut written));
        assert_eq!((exit, written.len()), (Exit::Usage, 0));
        let text = unknown("WFac", &[&CODE]);
        for part in ["did you mean `WFacc`?", " 11 12 ", "E0999", "exit-12"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(unknown("nonsense", &[]).contains("exit codes: exit-2"));
    }
}
