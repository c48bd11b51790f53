//! A theorem that a user has written: read, held against the theorems that come with the tool, and its proof replayed.
//!
//! What the tool concludes follows from the form of the conclusion `A <= B`, never from a name. Without any hypothesis
//! A has to be at least what is asked of the original program by one of the tool's theorems, in the letters that stand
//! for the same. If B is that theorem's reduced system, provably, it is explored by the same engines; else it is
//! evaluated on relations. If the hypotheses imply all of that theorem's, whatever is known of it holds, too.

use super::certified::{self, Unproved};
use super::files::{Flawed, Loader, Text, load_suite};
use super::prove::{self, Limits, Status};
use super::suite::Suite;
use super::term::{Atom, Form, Index, Over, Statement, Term};
use super::text::codes::THEOREM;
use super::text::{of_shape, parse_file, parse_theory, theory};
use super::theory::{Definition, Own, Shape, Speaks, Theory, Word, shipped};
use super::tree::{Chain, Entry, File, Named};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::kernel;
use sha2::{Digest, Sha256};

/// The least that is spent on what may not be provable.
const LITTLE: Limits = Limits {
    steps: 300,
    pairs: 20_000,
    classes: 60,
    nodes: 3_000,
    models: 0,
};

/// Reads a theorem for `--theorem`, with its proof.
///
/// # Errors
/// What is wrong with it, each at its place.
pub fn load_theorem(file: Text, depth: usize, load: &mut Loader) -> Result<Theory, Box<Flawed>> {
    if let Some(known) = shipped().iter().find(|t| t.text == file.text)
        && let Some(theory) = theory(known.name)
    {
        return Ok(theory);
    }
    let flawed = |diagnostics| {
        let file = file.clone();
        Box::new(Flawed { file, diagnostics })
    };
    let tree = parse_file(&file.text, depth).map_err(flawed)?;
    let mut own = parse_theory(&file.text, depth).map_err(flawed)?;
    own.own = Some(Box::new(Own {
        digest: digest(&file.text),
        file: file.clone(),
        proof: None,
        implies: false,
        same: false,
    }));
    let conclusion = complete(&own, &tree).map_err(flawed)?;
    // Names, sorts and indices are looked at as in any file.
    load_suite(file.clone(), depth, &mut |name, _| {
        Err(format!("`{name}` is another file"))
    })?;
    shape(&mut own, conclusion, depth).map_err(|d| flawed(vec![d]))?;
    by_text(&mut own);
    if let Some((statement, name)) = proof_of(&tree) {
        let proof = proof(&own, (statement, name), &file, depth, load);
        let proof = proof.map_err(|why| flawed(vec![unproved(conclusion.0, name, why)]))?;
        if let Some(known) = own.own.as_mut() {
            known.proof = Some(proof);
        }
    }
    Ok(own)
}

/// SHA-256 of a text, in hexadecimal.
pub fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn refused(span: Span, message: impl Into<String>, expected: impl Into<String>) -> Diagnostic {
    let help = "docs/theorems.md says how to write a theorem; `coarsen explain E0419` in short";
    Diagnostic::error(THEOREM, span, message, expected, help)
}

/// Whether the file has all that a theorem needs: its conclusion, with its place.
fn complete<'t>(own: &Theory, tree: &'t File) -> Result<(Span, &'t Chain), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let begin = Span::new(0, 0);
    if own.name.is_empty() {
        let message = "the file does not say which theorem it is";
        errors.push(refused(
            begin,
            message,
            "`theory NAME \"source\";` before all else",
        ));
    } else if !kernel::is_title(&own.name) {
        let message = format!(
            "`{}` can't be the name of a theorem",
            own.name.escape_debug()
        );
        errors.push(refused(
            begin,
            message,
            "letters, digits, `_`, and between them `-`",
        ));
    } else if ["auto", "none"].contains(&own.name.as_str())
        || shipped().iter().any(|t| t.name == own.name)
    {
        let message = format!("`{}` is a name that the tool has given away", own.name);
        errors.push(refused(begin, message, "another name for this theorem"));
    }
    let (mut concluded, mut speaks) = (Vec::new(), None);
    for item in &tree.items {
        match item {
            Entry::Use(used) => {
                let message = "a theorem's hypotheses all stand in its own file";
                errors.push(refused(used.file.span, message, "no `use`"));
            }
            Entry::Declare(_, names) => {
                for (name, _, word) in names {
                    errors.extend(bound(name, *word, &mut speaks));
                }
            }
            Entry::Conclusion { name, chain, .. } => concluded.push((name.span, chain)),
            _ => {}
        }
        let terms = match item {
            Entry::Define { term, .. } => std::slice::from_ref(term),
            Entry::Hypothesis { chain, .. } | Entry::Conclusion { chain, .. } => &chain.sides,
            _ => &[],
        };
        if let Some(term) = terms.iter().find(|t| speaks_of_domains(t)) {
            let message = "a theorem about programs can't speak of domains";
            let expected = "a term without `dom`, `cod`, `div`, `conv` and modal operators";
            errors.push(refused(term.span, message, expected));
        }
    }
    if own.hypotheses.is_empty() {
        let message = "a theorem without hypotheses has nothing to be discharged";
        errors.push(refused(
            begin,
            message,
            "`hypothesis NAME \"in words\": ..;`",
        ));
    }
    match concluded.as_slice() {
        [] => errors.push(refused(
            begin,
            "the theorem has no conclusion",
            "`conclusion NAME \"in words\": A <= B proved NAME in FILE;`",
        )),
        [_] => {}
        [_, (span, _), ..] => errors.push(refused(*span, "a second conclusion", "one conclusion")),
    }
    match (errors.is_empty(), concluded.first()) {
        (true, Some(one)) => Ok(*one),
        _ => Err(errors),
    }
}

/// What is wrong with a letter: it stands for nothing, or for what the letters before it do not go with.
fn bound(name: &Named, word: Option<Word>, speaks: &mut Option<Speaks>) -> Option<Diagnostic> {
    let Some(word) = word else {
        let message = format!("`{}` stands for nothing on a program", name.name);
        let expected = "`is` and what it stands for, such as `is invisible step of i`";
        return Some(refused(name.span, message, expected));
    };
    let of = word.speaks()?;
    match speaks {
        Some(before) if *before != of => {
            let message =
                "some letters speak of visible and invisible steps, others of transactions";
            Some(refused(name.span, message, "letters for one of them"))
        }
        _ => {
            *speaks = Some(of);
            None
        }
    }
}

fn proof_of(tree: &File) -> Option<(&Named, &Named)> {
    tree.items.iter().find_map(|item| match item {
        Entry::Conclusion {
            proved: Some((statement, file)),
            ..
        } => Some((statement, file)),
        _ => None,
    })
}

/// Finds the theorem of the tool's that this one is as good as.
fn shape(own: &mut Theory, (_, chain): (Span, &Chain), depth: usize) -> Result<(), Diagnostic> {
    let transactions = own
        .letters
        .iter()
        .any(|l| l.word.and_then(Word::speaks) == Some(Speaks::Transactions));
    let shapes: &[Shape] = match transactions {
        false => &[Shape::StollerCohen],
        true => &[
            Shape::FlanaganQadeer,
            Shape::LeftMovers,
            Shape::RightMovers,
            Shape::Lipton,
        ],
    };
    let put = shapes
        .iter()
        .filter_map(|s| Some((*s, Recast::new(&of_shape(*s)?, own)?)));
    let put: Vec<(Shape, Recast)> = put.collect();
    let mut expected: Vec<String> = Vec::new();
    let questions = put.iter().filter_map(|(_, p)| p.question());
    for asked in questions.map(|question| format!("`{question} <= ..`")) {
        if !expected.contains(&asked) {
            expected.push(asked);
        }
    }
    let expected = match expected.is_empty() {
        false => expected.join(" or "),
        true => match transactions {
            false => "letters for visible and invisible steps, for `no invisible step of i enabled` and for `violated`",
            true => "letters for `step of i`, for `initial`, and for `i gone wrong`",
        }
        .to_string(),
    };
    let wrong = |message| Err(refused(chain.span, message, expected.clone()));
    let [left, right] = chain.sides.as_slice() else {
        return wrong("a conclusion compares two terms");
    };
    // A program may have one thread only.
    if !chain.distinct.is_empty() {
        return wrong("a conclusion holds whichever threads its index variables stand for");
    }
    let kept = |put: &Recast| put.keeps(own, left, depth);
    let mut first = None;
    for (shape, put) in put.iter().filter(|(_, put)| kept(put)) {
        if put.reduces(own, right, depth) {
            own.shape = Some(*shape);
            let implies = put.implied(own, depth);
            if let Some(known) = own.own.as_mut() {
                (known.same, known.implies) = (true, implies);
            }
            return Ok(());
        }
        // Of these it is known what it means that nothing is related.
        if first.is_none() && matches!(shape, Shape::StollerCohen | Shape::FlanaganQadeer) {
            first = Some(*shape);
        }
    }
    if first.is_none() {
        return wrong("on the left does not stand what is asked of the original program");
    }
    own.shape = first;
    Ok(())
}

/// Gives hypotheses the arguments by the text of programs that were made for them, and no others.
fn by_text(own: &mut Theory) {
    let put = own
        .shape
        .and_then(of_shape)
        .and_then(|shape| Some((Recast::new(&shape, own)?, shape)));
    let known: Vec<_> = match &put {
        Some((put, shape)) => {
            let all = shape.hypotheses.iter();
            all.map(|h| (put.statement(&h.statement).to_string(), h.syntactic))
                .collect()
        }
        None => Vec::new(),
    };
    for h in &mut own.hypotheses {
        // What is compared is how they are written, in the same letters.
        let said = h.statement.to_string();
        let same = known.iter().find(|(text, _)| *text == said);
        h.syntactic = same.and_then(|(_, fact)| *fact);
    }
}

/// Why a proof is none.
enum Why {
    /// The file is not to be had.
    Missing(String),
    /// It has errors.
    Flawed(Box<Flawed>),
    /// A statement is not proved.
    Open(String, usize),
    /// It has no statement of this name.
    Nameless(String),
    /// It proves something else.
    Other(Unproved),
}

fn unproved(conclusion: Span, file: &Named, why: Why) -> Diagnostic {
    let name = &file.name;
    let (span, message) = match why {
        Why::Missing(why) => (file.span, format!("`{name}` can't be read: {why}")),
        Why::Flawed(flawed) => {
            let first = flawed.diagnostics.first();
            let what = first.map_or("", |d| d.message.as_str());
            let line = first.map_or(1, |d| {
                1 + flawed.file.text[..d.span.start].matches('\n').count()
            });
            let place = format!("{}, line {line}", flawed.file.name);
            (
                conclusion,
                format!("its proof does not go through: {place}: {what}"),
            )
        }
        Why::Open(statement, line) => (
            conclusion,
            format!(
                "its proof does not go through: {name}, line {line}: {statement} is not proved"
            ),
        ),
        Why::Nameless(statement) => (
            file.span,
            format!("`{name}` has no statement `{statement}`"),
        ),
        Why::Other(why) => (conclusion, format!("its proof does not go through: {why}")),
    };
    let expected = "a file whose statements are proved from the theorem's hypotheses, the conclusion among them";
    let mut d = refused(span, message, expected);
    d.help = format!(
        "`coarsen prove {name}` says what is missing; without `proved` the theorem can be tried, and every answer is \
         unknown"
    );
    d
}

/// The proof of the conclusion, as the kernel writes it.
fn proof(
    own: &Theory,
    (statement, named): (&Named, &Named),
    file: &Text,
    depth: usize,
    load: &mut Loader,
) -> Result<String, Why> {
    let shipped = super::library().iter().find(|(n, _, _)| *n == named.name);
    let text = match shipped {
        Some((_, path, text)) => Text {
            name: (*path).to_string(),
            text: (*text).to_string(),
        },
        None => load(&named.name, &file.name).map_err(Why::Missing)?,
    };
    let proof = match text.name.ends_with(".cert") {
        true => text.text,
        false => {
            let mut suite = load_suite(text, depth, load).map_err(Why::Flawed)?;
            let mut known = false;
            for item in 0..suite.items.len() {
                let done = prove::prove(&mut suite, item, &Limits::default());
                let item = &suite.items[item];
                known |= item.name == statement.name;
                if item.asked
                    && item.declared == super::suite::Declared::Proved
                    && done.status != Status::Proved
                {
                    return Err(Why::Open(item.name.clone(), item.line));
                }
            }
            if !known {
                return Err(Why::Nameless(statement.name.clone()));
            }
            kernel::write(&suite.development)
        }
    };
    certified::shown(own, &proof).map_err(Why::Other)?;
    Ok(proof)
}

/// A theorem of the tool's in the letters of another one.
pub(super) struct Recast {
    /// Letters of the first, with those of the second.
    letters: Vec<((String, usize), String)>,
    /// Its definitions, under names of their own.
    definitions: Vec<Definition>,
    /// What it is asked about and what its reduced system does.
    sides: Vec<Term>,
    hypotheses: Vec<Statement>,
}

/// What the definitions are called in the other theorem.
const PREFIX: &str = "shape_";

/// What stands before a letter that the other theorem has not; no name has it.
const MISSING: &str = "?";

impl Recast {
    /// A letter that the other theorem has not becomes what is no name: nothing that is said with it can be read.
    pub(super) fn new(shape: &Theory, own: &Theory) -> Option<Recast> {
        let pairs = shape.letters.iter().map(|l| {
            let other = l.word.and_then(|w| own.letter(w));
            let name = other.map_or_else(|| format!("{MISSING}{}", l.name), |o| o.name.clone());
            ((l.name.clone(), l.indices), name)
        });
        let mut letters: Vec<((String, usize), String)> = pairs.collect();
        let names = shape.definitions.iter();
        letters.extend(names.map(|d| {
            let name = (d.name.clone(), d.indices.len());
            (name, format!("{PREFIX}{}", d.name))
        }));
        let mut put = Recast {
            letters,
            definitions: Vec::new(),
            sides: Vec::new(),
            hypotheses: Vec::new(),
        };
        put.definitions = shape
            .definitions
            .iter()
            .map(|d| Definition {
                name: format!("{PREFIX}{}", d.name),
                indices: d.indices.clone(),
                term: put.term(&d.term, &[]),
            })
            .collect();
        put.hypotheses = shape
            .hypotheses
            .iter()
            .map(|h| put.statement(&h.statement))
            .collect();
        let conclusion = &shape.conclusion.as_ref()?.statement;
        // What a conclusion says of a thread it says of each.
        let one = |s: &Statement| match free(s).as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        };
        let renamed = one(conclusion).zip(own.conclusion.as_ref().and_then(|c| one(&c.statement)));
        let renamed: Vec<(String, String)> = renamed.into_iter().collect();
        put.sides = conclusion
            .sides
            .iter()
            .map(|t| put.term(t, &renamed))
            .collect();
        Some(put)
    }

    /// What has to stand on the left of the conclusion, at least, if the other theorem has the letters.
    fn question(&self) -> Option<String> {
        // Without names that the other file does not have.
        let mut term = self.sides.first()?.clone();
        for d in self.definitions.iter().rev() {
            term = put_in(&term, d);
        }
        Some(term.to_string()).filter(|text| !text.contains(MISSING))
    }

    fn statement(&self, s: &Statement) -> Statement {
        let sides = s.sides.iter().map(|t| self.term(t, &[]));
        Statement {
            sides: sides.collect(),
            ..s.clone()
        }
    }

    /// The definitions that a text needs, before it.
    pub(super) fn with_definitions(&self, text: &str) -> String {
        // A name may be met where it is not meant; then there is a definition more.
        self.definitions
            .iter()
            .rev()
            .fold(text.to_string(), |text, d| match text.contains(&d.name) {
                true => format!("{}{text}", line(d)),
                false => text,
            })
    }

    /// A term of the first theorem that is given as text, in the letters of the other.
    pub(super) fn read(&self, text: &str, depth: usize) -> Option<String> {
        Some(
            self.term(&super::text::parse_term(text, depth).ok()?, &[])
                .to_string(),
        )
    }

    /// Whether the question is within a term, whatever the hypotheses.
    fn keeps(&self, own: &Theory, left: &Term, depth: usize) -> bool {
        let Some(asked) = self.sides.first() else {
            return false;
        };
        let text = self.with_definitions(&format!("identity keeps : {asked} <= {left};\n"));
        let text = format!("{}{}{text}", declared(own), defined(own));
        holds(None, text, depth)
    }

    /// Whether a term is the reduced system, if the hypotheses hold.
    fn reduces(&self, own: &Theory, right: &Term, depth: usize) -> bool {
        let Some(reduced) = self.sides.last() else {
            return false;
        };
        let text = self.with_definitions(&format!("identity reduces : {right} = {reduced};\n"));
        holds(Some(own), text, depth)
    }

    /// Whether the hypotheses imply those of the theorem.
    fn implied(&self, own: &Theory, depth: usize) -> bool {
        let all = self.hypotheses.iter().enumerate();
        let all = all.map(|(n, h)| format!("identity hypothesis_{n} : {h};\n"));
        let text = self.with_definitions(&all.collect::<String>());
        holds(Some(own), text, depth)
    }

    fn name(&self, name: &str, indices: usize) -> String {
        let mut letters = self.letters.iter();
        let found = letters.find(|((n, i), _)| n == name && *i == indices);
        found.map_or_else(|| name.to_string(), |(_, other)| other.clone())
    }

    fn term(&self, t: &Term, renamed: &[(String, String)]) -> Term {
        let index = |i: &Index| match i {
            Index::Name(n) => {
                let mut all = renamed.iter();
                let to = all.find(|(from, _)| from == n);
                Index::Name(to.map_or_else(|| n.clone(), |(_, to)| to.clone()))
            }
            other => other.clone(),
        };
        let named = map(t, &mut |form| match form {
            Form::Atom(a) => Form::Atom(Atom {
                name: self.name(&a.name, a.indices.len()),
                ..a.clone()
            }),
            other => other.clone(),
        });
        with_indices(&named, &index)
    }
}

fn rename(over: &Over, index: &dyn Fn(&Index) -> Index) -> Over {
    Over {
        index: match index(&Index::Name(over.index.clone())) {
            Index::Name(n) => n,
            _ => over.index.clone(),
        },
        but: over.but.iter().map(index).collect(),
    }
}

/// A term with each of its parts changed, the inner ones first.
fn map(t: &Term, change: &mut dyn FnMut(&Form) -> Form) -> Term {
    let mut of = |x: &Term| Box::new(map(x, change));
    let form = match &t.form {
        Form::Zero | Form::One | Form::Top | Form::Atom(_) | Form::State(_) => t.form.clone(),
        Form::Not(x) => Form::Not(of(x)),
        Form::Star(x) => Form::Star(of(x)),
        Form::Omega(x) => Form::Omega(of(x)),
        Form::Applied(function, x) => Form::Applied(*function, of(x)),
        Form::Hash(x, y) => Form::Hash(of(x), of(y)),
        Form::Sum(all) => Form::Sum(all.iter().map(|x| *of(x)).collect()),
        Form::Product(all) => Form::Product(all.iter().map(|x| *of(x)).collect()),
        Form::SumOver(i, x) => Form::SumOver(i.clone(), of(x)),
        Form::ProductOver(i, x) => Form::ProductOver(i.clone(), of(x)),
    };
    Term::new(t.span, change(&form))
}

/// Whether `dom` or one of its kin stands in a term. What holds of them on all states need not hold on the reachable
/// ones, so hypotheses that were settled on different sets of states would not go together.
fn speaks_of_domains(t: &Term) -> bool {
    let mut found = false;
    map(t, &mut |form| {
        found |= matches!(form, Form::Applied(..));
        form.clone()
    });
    found
}

/// A term with what a name means in its place. It is only shown: an index may be bound twice in it.
fn put_in(t: &Term, d: &Definition) -> Term {
    map(t, &mut |form| match form {
        Form::Atom(a) if a.name == d.name && a.indices.len() == d.indices.len() => {
            let index = |i: &Index| {
                let mut all = d.indices.iter().zip(&a.indices);
                let to = all.find(|(from, _)| *i == Index::Name((*from).clone()));
                to.map_or_else(|| i.clone(), |(_, to)| to.clone())
            };
            with_indices(&d.term, &index).form
        }
        other => other.clone(),
    })
}

/// A term with other index variables.
fn with_indices(t: &Term, index: &dyn Fn(&Index) -> Index) -> Term {
    map(t, &mut |form| match form {
        Form::Atom(a) => Form::Atom(Atom {
            indices: a.indices.iter().map(index).collect(),
            ..a.clone()
        }),
        Form::SumOver(over, x) => Form::SumOver(rename(over, index), x.clone()),
        Form::ProductOver(over, x) => Form::ProductOver(rename(over, index), x.clone()),
        other => other.clone(),
    })
}

/// The index variables of a statement that nothing binds.
fn free(s: &Statement) -> Vec<String> {
    fn of(t: &Term, bound: &mut Vec<String>, into: &mut Vec<String>) {
        let mut see = |i: &Index, bound: &[String]| {
            if let Index::Name(n) = i
                && !bound.contains(n)
                && !into.contains(n)
            {
                into.push(n.clone());
            }
        };
        match &t.form {
            Form::Zero | Form::One | Form::Top | Form::State(_) => {}
            Form::Atom(a) => a.indices.iter().for_each(|i| see(i, bound)),
            Form::Not(x) | Form::Star(x) | Form::Omega(x) => of(x, bound, into),
            Form::Applied(_, x) => of(x, bound, into),
            Form::Sum(all) | Form::Product(all) => all.iter().for_each(|x| of(x, bound, into)),
            Form::Hash(x, y) => {
                of(x, bound, into);
                of(y, bound, into);
            }
            Form::SumOver(over, x) | Form::ProductOver(over, x) => {
                over.but.iter().for_each(|i| see(i, bound));
                bound.push(over.index.clone());
                of(x, bound, into);
                bound.pop();
            }
        }
    }
    let mut into = Vec::new();
    for side in &s.sides {
        of(side, &mut Vec::new(), &mut into);
    }
    into
}

/// The letters of a theorem, to stand in a file.
fn declared(own: &Theory) -> String {
    let line = |l: &super::theory::Letter| {
        let word = match l.sort {
            super::theory::Sort::Action => "action",
            super::theory::Sort::Test => "test",
        };
        let indices = match l.indices {
            0 => String::new(),
            n => format!("[{}]", ["i", "j", "k", "l"][..n.min(4)].join(", ")),
        };
        format!("{word} {}{indices};\n", l.name)
    };
    own.letters.iter().map(line).collect()
}

/// The definitions of a theorem, to stand in a file.
fn defined(own: &Theory) -> String {
    own.definitions.iter().map(line).collect()
}

fn line(d: &Definition) -> String {
    match d.indices.as_slice() {
        [] => format!("let {} = {};\n", d.name, d.term),
        all => format!("let {}[{}] = {};\n", d.name, all.join(", "), d.term),
    }
}

/// Whether all statements of a text are proved; it may use a theorem.
fn holds(own: Option<&Theory>, text: String, depth: usize) -> bool {
    let Some(mut suite) = with(own, text, depth) else {
        return false;
    };
    let wanted: Vec<usize> = (0..suite.items.len())
        .filter(|n| suite.items[*n].asked)
        .collect();
    wanted
        .into_iter()
        .all(|n| prove::establish(&mut suite, n, &LITTLE).is_some())
}

/// A text that uses a theorem, elaborated; none if it has errors.
pub(super) fn with(theory: Option<&Theory>, text: String, depth: usize) -> Option<Suite> {
    let name = "obligations.thy".to_string();
    let own = theory.and_then(|t| t.own.as_ref());
    let head = match (theory, own) {
        (None, _) => String::new(),
        (Some(t), None) => format!("use {};\n", t.name),
        (Some(_), Some(_)) => "use \"theorem.thy\";\n".to_string(),
    };
    let file = Text {
        name,
        text: format!("{head}{text}"),
    };
    let mut find = |_: &str, _: &str| match own {
        Some(own) => Ok(Text {
            name: "theorem.thy".into(),
            text: own.file.text.clone(),
        }),
        None => Err("no other file is used".to_string()),
    };
    load_suite(file, depth, &mut find).ok()
}
