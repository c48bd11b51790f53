//! Files of theories, proofs and identities.

use super::codes::{LETTER, MODEL, NO_ITEM, WORD};
use super::parser::Parser;
use super::tokens::Token;
use super::wrong;
use crate::algebra::suite::{Declared, Level};
use crate::algebra::tree::{Entry, File, Named, Used};
use crate::algebra::{Sort, Word};
use crate::base::diagnostic::Diagnostic;
use crate::base::nearest;
use crate::kernel::WORDS;

const ITEM: &str = "`level`, `use`, `action`, `test`, `let`, `hypothesis`, `conclusion`, `axiom`, `identity`, `fails` \
    or `open`";

/// Reads a file of theories, proofs or identities.
///
/// # Errors
/// What is wrong, with spans in the text; at most one thing for each item.
pub fn parse_file(text: &str, depth: usize) -> Result<File, Vec<Diagnostic>> {
    let mut p = Parser::new(text, depth, true).map_err(|d| vec![d])?;
    let mut file = File::default();
    let mut errors = Vec::new();
    if p.eat_word("theory") {
        match header(&mut p) {
            Ok(theory) => file.theory = Some(theory),
            Err(d) => recover(&mut p, d, &mut errors),
        }
    }
    while !p.is_end() {
        let item = item(&mut p).and_then(|item| {
            ends(&mut p)?;
            Ok(item)
        });
        match item {
            Ok(item) => file.items.push(item),
            Err(d) => recover(&mut p, d, &mut errors),
        }
    }
    if errors.is_empty() {
        Ok(file)
    } else {
        Err(errors)
    }
}

fn header(p: &mut Parser) -> Result<(String, String), Diagnostic> {
    let name = p.title("the theory's name")?.name;
    let source = p.string()?;
    ends(p)?;
    Ok((name, source))
}

/// Whether the next token begins an item.
fn item_ahead(p: &Parser) -> bool {
    p.reserved_ahead(0)
        && !matches!(p.peek(), Token::Name(w) if w == "by" || w == "proved" || w == "model")
}

/// The `:` before a statement.
fn colon(p: &mut Parser) -> Result<(), Diagnostic> {
    if p.eat(":") {
        return Ok(());
    }
    p.fail_as(NO_ITEM, "`:` and a statement")
}

/// The `;` behind an item.
fn ends(p: &mut Parser) -> Result<(), Diagnostic> {
    if p.eat(";") || p.is_end() || item_ahead(p) {
        return Ok(());
    }
    p.fail("`;`, or more of the item")
}

/// Goes on behind the next `;`, or before the next item.
fn recover(p: &mut Parser, found: Diagnostic, errors: &mut Vec<Diagnostic>) {
    // A word that can't be a name begins no item here either.
    if found.code == WORD {
        p.skip();
    }
    errors.push(found);
    p.surface();
    while !p.is_end() && !item_ahead(p) {
        if p.eat(";") {
            return;
        }
        p.skip();
    }
}

fn item(p: &mut Parser) -> Result<Entry, Diagnostic> {
    let span = p.span();
    let word = match p.peek() {
        Token::Name(word) => word.clone(),
        _ => return p.fail_as(NO_ITEM, ITEM),
    };
    if !item_ahead(p) {
        let mut d = wrong(NO_ITEM, span, format!("`{word}` begins no item"), ITEM);
        if let Some(near) = nearest(&word, WORDS.iter().copied()) {
            d.help = format!("did you mean `{near}`?");
        }
        return Err(d);
    }
    p.skip();
    match word.as_str() {
        "level" => level(p),
        "use" => {
            let path = matches!(p.peek(), Token::String(_));
            let file = p.title("the name of a shipped file, or a path in double quotes")?;
            Ok(Entry::Use(Used { file, path }))
        }
        "action" => declaration(p, Sort::Action),
        "test" => declaration(p, Sort::Test),
        "let" => definition(p),
        "hypothesis" => {
            let (name, words) = described(p)?;
            let syntactic = p.syntactic()?;
            colon(p)?;
            let chain = p.chain(false)?;
            Ok(Entry::Hypothesis {
                name,
                words,
                chain,
                syntactic,
            })
        }
        "conclusion" => {
            let (name, words) = described(p)?;
            colon(p)?;
            let chain = p.chain(false)?;
            let proved = match p.eat_word("proved") {
                true => Some(proof(p)?),
                false => None,
            };
            Ok(Entry::Conclusion {
                name,
                words,
                chain,
                proved,
            })
        }
        "axiom" | "identity" => claim(p, Declared::Proved),
        "fails" => claim(p, Declared::Refuted),
        "open" => claim(p, Declared::Open),
        _ => Err(wrong(
            NO_ITEM,
            span,
            "`theory` stands only at the beginning of a file",
            ITEM,
        )),
    }
}

/// Behind `level`
fn level(p: &mut Parser) -> Result<Entry, Diagnostic> {
    let at = p.name("a level")?;
    match Level::named(&at.name) {
        Some(level) => Ok(Entry::Level(level)),
        None => {
            let message = format!("there is no level `{}`", at.name);
            let names = Level::ALL.map(Level::name);
            let all = names.map(|name| format!("`{name}`"));
            let [before @ .., last] = all.as_slice() else {
                return p.fail("a level");
            };
            let expected = format!("{} or {last}", before.join(", "));
            let mut d = wrong(NO_ITEM, at.span, message, &expected);
            if let Some(near) = nearest(&at.name, names) {
                d.help = format!("did you mean `{near}`?");
            }
            Err(d)
        }
    }
}

/// Behind `action` or `test`
fn declaration(p: &mut Parser, sort: Sort) -> Result<Entry, Diagnostic> {
    let mut names = Vec::new();
    loop {
        if p.reserved_ahead(0) {
            return p.fail_as(WORD, "another name");
        }
        let (name, indices) = p.indexed()?;
        let word = word(p, sort, &indices)?;
        names.push((name, indices, word));
        if !p.eat(",") {
            return Ok(Entry::Declare(sort, names));
        }
    }
}

/// `is invisible step of i`, behind a letter with its indices.
fn word(p: &mut Parser, sort: Sort, indices: &[Named]) -> Result<Option<Word>, Diagnostic> {
    if !matches!(p.peek(), Token::Name(word) if word == "is") {
        return Ok(None);
    }
    p.skip();
    let start = p.span();
    let index = indices.first().map_or("i", |i| i.name.as_str());
    let fits = |w: &Word| w.sort() == sort && w.indices() == indices.len();
    let said = |text: &str| -> Vec<String> {
        let words = text.split(' ');
        words
            .map(|w| if w == "i" { index } else { w }.to_string())
            .collect()
    };
    let mut words: Vec<String> = Vec::new();
    while let Token::Name(word) = p.peek() {
        if item_ahead(p) {
            break;
        }
        words.push(word.clone());
        p.skip();
    }
    let known = Word::ALL.iter().filter(|(_, w)| fits(w));
    if let Some((_, word)) = known.clone().find(|(text, _)| said(text) == words) {
        return Ok(Some(*word));
    }
    let span = match words.is_empty() {
        true => start,
        false => p.since(start),
    };
    let expected: Vec<String> = known
        .map(|(text, _)| format!("`{}`", said(text).join(" ")))
        .collect();
    let expected = match expected.is_empty() {
        true => "a letter with one index, or none".to_string(),
        false => expected.join(", "),
    };
    let message = format!(
        "`{}` is nothing that a letter of this kind can stand for",
        words.join(" ")
    );
    Err(wrong(LETTER, span, message, &expected))
}

/// Behind `let`
fn definition(p: &mut Parser) -> Result<Entry, Diagnostic> {
    if p.reserved_ahead(0) {
        return p.fail_as(WORD, "another name");
    }
    let (name, indices) = p.indexed()?;
    p.sign("=")?;
    let term = p.term()?;
    Ok(Entry::Define {
        name,
        indices,
        term,
    })
}

/// The name of a hypothesis or a conclusion, and what it says in words.
fn described(p: &mut Parser) -> Result<(Named, String), Diagnostic> {
    let name = p.title("a name")?;
    let words = match p.peek() {
        Token::String(_) => p.string()?,
        _ => String::new(),
    };
    Ok((name, words))
}

/// Behind `axiom`, `identity`, `fails` or `open`
fn claim(p: &mut Parser, declared: Declared) -> Result<Entry, Diagnostic> {
    let name = p.title("a name")?;
    let without = without(p, declared)?;
    let open = p.span();
    let mut premises = Vec::new();
    if p.eat("[") {
        loop {
            premises.push(p.premise()?);
            if !p.eat(",") {
                break;
            }
        }
        p.close("]", open)?;
    }
    colon(p)?;
    let chain = p.chain(true)?;
    let span = p.span();
    let model = match p.eat_word("model") {
        true => Some(p.model()?),
        false => None,
    };
    if model.is_some() && declared != Declared::Refuted {
        let message = "only a `fails` statement has a model in which it is false";
        return Err(wrong(MODEL, span, message, "`;`, or `fails`"));
    }
    Ok(Entry::Claim {
        declared,
        name,
        without,
        premises,
        chain,
        model,
    })
}

/// `without 12, 13`
fn without(p: &mut Parser, declared: Declared) -> Result<Vec<Named>, Diagnostic> {
    let mut names = Vec::new();
    let span = p.span();
    if !matches!(p.peek(), Token::Name(word) if word == "without") {
        return Ok(names);
    }
    p.skip();
    if declared == Declared::Proved {
        // A lemma proved with the hypothesis would bring it back.
        let message = "a statement to be proved can't leave out hypotheses";
        let expected =
            "`fails` or `open`; or a theory of its own with the hypotheses that are needed";
        return Err(wrong(MODEL, span, message, expected));
    }
    loop {
        names.push(p.title("the name of a hypothesis")?);
        if !p.eat(",") {
            return Ok(names);
        }
    }
}

/// `NAME in FILE`, behind `proved`.
fn proof(p: &mut Parser) -> Result<(Named, Named), Diagnostic> {
    let statement = p.title("the name of the statement that proves it")?;
    match p.peek() {
        Token::Name(word) if word == "in" => p.skip(),
        _ => return p.fail("`in` and the file with the proof"),
    }
    Ok((statement, p.title("the name of a file")?))
}
