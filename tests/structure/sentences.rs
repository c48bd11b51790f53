//! Where sentences stand: nothing that decides makes one.
//!
//! A sentence is a text in quotes that has two words of small letters with a blank between them. In the folders that
//! decide there are three kinds: names of phases, which `enter` gets; what a broken promise of the code itself says;
//! and those of the files below.

use super::{comment, is_test, quoted, read, sources};

/// The folders that decide.
const DECIDING: &[&str] = &["command", "theorem"];

/// Files with sentences of their own.
const ALLOWED: &[&str] = &[
    // Mistakes in what the user wrote.
    "command/session.rs",
    "theorem/eval.rs",
    "theorem/read.rs",
    // The name of a question.
    "command/compare/mod.rs",
    // Names of locations.
    "theorem/reduced/transactions/phases.rs",
    // Comments in the text of a model.
    "theorem/inference/annotate.rs",
    // Text of another language.
    "command/emit/promela.rs",
];

/// What may be given a sentence.
const TAKING: &[&str] = &[
    "enter(",
    "enter(format!(",
    "panic!(",
    "unreachable!(",
    "expect(",
];

/// The sentences of a text, without its comments and the unit tests at its end.
fn sentences(text: &str) -> Vec<String> {
    let text = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut before, mut at) = (Vec::new(), String::new(), 0);
    while at < chars.len() {
        if let Some(end) = comment(&chars, at) {
            at = end;
        } else if let Some(end) = quoted(&chars, at) {
            let quote: String = chars[at..end].iter().collect();
            let taken = TAKING.iter().any(|t| before.ends_with(t));
            // The line tells of the assertion, whatever was asserted before the words.
            let asserted = before
                .rsplit(';')
                .next()
                .is_some_and(|s| s.contains("assert"));
            if is_sentence(&quote) && !taken && !asserted {
                found.push(quote);
            }
            before.push('"');
            at = end;
        } else {
            // Blanks do not come between a call and what it gets.
            if !chars[at].is_whitespace() {
                before.push(chars[at]);
            }
            at += 1;
        }
    }
    found
}

fn is_sentence(quote: &str) -> bool {
    let words: Vec<&str> = quote.split(' ').collect();
    words.windows(2).any(|two| {
        let end = two[0].chars().next_back();
        let begin = two[1].chars().next();
        end.is_some_and(|c| c.is_ascii_lowercase()) && begin.is_some_and(|c| c.is_ascii_lowercase())
    })
}

#[test]
fn what_decides_makes_no_sentence() {
    let mut wrong = Vec::new();
    let mut used = vec![false; ALLOWED.len()];
    for (path, module) in sources() {
        let deciding = module
            .first()
            .is_some_and(|f| DECIDING.contains(&f.as_str()));
        if !deciding || is_test(&module) {
            continue;
        }
        let name = path.to_string_lossy().replace('\\', "/");
        let found = sentences(&read(&path));
        let allowed = ALLOWED
            .iter()
            .position(|a| name.contains(&format!("src/{a}")));
        match allowed {
            Some(n) => used[n] |= !found.is_empty(),
            None => wrong.extend(found.iter().map(|s| format!("{name}: {s}"))),
        }
    }
    assert!(wrong.is_empty(), "sentences:\n{}", wrong.join("\n"));
    let idle = ALLOWED.iter().zip(used).filter(|(_, used)| !used);
    let idle: Vec<_> = idle.map(|(a, _)| a).collect();
    assert!(idle.is_empty(), "allowed, but without a sentence: {idle:?}");
}

/// The test's own reading, on texts where it could go wrong.
#[test]
fn sentences_are_found() {
    let text = "// no sentence\nlet a = \"one sentence\"; e.enter(\"a phase\");\n\
                e\n.enter(format!(\n\"the {x} phase\"));\n\
                let b = \"{} words\"; debug_assert!(b == c, \"so it is\"); let d = format!(\"it is {x}\");\n\
                #[cfg(test)]\nmod tests { let t = \"in a test\"; }";
    assert_eq!(sentences(text), ["\"one sentence\"", "\"it is {x}\""]);
}
