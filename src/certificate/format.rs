//! Bundles as text: one item a line; texts within it are preceded by their length in bytes.

use crate::base::evidence::{
    Bundle, Diagrams, Discipline, Execution, Item, Letter, Node, Part, Right, Root, Taken,
    Transactions, Values, WeakPath,
};
use std::fmt;
use std::fmt::Write;

const HEADER: &str = "coarsen bundle 1";
/// The word for a part without a theorem.
const NO_THEOREM: &str = "none";

/// Why a text is no bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Malformed {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: &'static str,
}

/// Whether a text begins as a bundle.
pub fn is_one(text: &str) -> bool {
    text.starts_with("coarsen bundle ")
}

/// Writes a bundle.
pub fn write(b: &Bundle) -> String {
    let mut text = String::new();
    let mut say = |line: std::fmt::Arguments| {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{line}");
    };
    say(format_args!("{HEADER}"));
    say(format_args!("name {}", b.name.replace(['\n', '\r'], " ")));
    for (name, value) in &b.defines {
        say(format_args!("define {name}={value}"));
    }
    say(format_args!("text {}\n{}", b.text.len(), b.text));
    for discipline in &b.disciplines {
        match discipline {
            Discipline::Private { cell, thread } => say(format_args!("private {cell} {thread}")),
            Discipline::Protected {
                cell,
                exclusive,
                reading,
            } => {
                say(format_args!("protected {cell}"));
                let lines = exclusive.iter().map(|e| ("exclusive", e));
                for (word, e) in lines.chain(reading.iter().map(|e| ("reading", e))) {
                    say(format_args!("{word} {e}"));
                }
            }
        }
    }
    for claim in &b.compared {
        say(format_args!("compared {claim}"));
    }
    b.parts.iter().for_each(|part| write_part(part, &mut say));
    b.executions
        .iter()
        .for_each(|x| write_execution(x, &mut say));
    say(format_args!("end"));
    text
}

/// Writes a line.
type Say<'s> = &'s mut dyn FnMut(std::fmt::Arguments);

fn write_part(part: &Part, say: Say) {
    let theorem = part.theorem.as_deref().unwrap_or(NO_THEOREM);
    say(format_args!("theorem {theorem}"));
    if let Some(Values {
        constant,
        from,
        instance,
    }) = &part.every
    {
        say(format_args!("every {from} {instance} {constant}"));
    }
    if let Some(digest) = &part.digest {
        say(format_args!("digest {digest}"));
    }
    for (thread, location) in &part.visible {
        say(format_args!("visible {thread} {location}"));
    }
    if let Some(t) = &part.transactions {
        say(format_args!("transactions"));
        for (word, all) in [("right", &t.right), ("left", &t.left), ("cut", &t.cuts)] {
            for (thread, location) in all {
                say(format_args!("{word} {thread} {location}"));
            }
        }
    }
    if let Some(all) = &part.weaker {
        say(format_args!("paths"));
        for WeakPath { start, end, way } in all {
            say(format_args!("weaker {start} {end} {way}"));
        }
    }
    for claim in &part.claims {
        say(format_args!("claim {claim}"));
    }
    for item in &part.items {
        match item {
            Item::Violated => say(format_args!("item q")),
            Item::Location(t) => say(format_args!("item location {t}")),
            Item::Cell(c) => say(format_args!("item cell {c}")),
        }
    }
    for Node { bit, low, high } in part.diagrams.nodes() {
        say(format_args!("node {bit} {low} {high}"));
    }
    if let Some(j) = part.invariant {
        say(format_args!("set J {j}"));
    }
    if part.every.is_none() {
        say(format_args!("set X {}", part.states));
    }
    for y in &part.inside {
        say(format_args!("set Y {y}"));
    }
    for class in &part.classes {
        say(format_args!("class {}", class.join(" ")));
    }
    for letter in &part.letters {
        match letter {
            Letter::Steps { class, locations } => {
                say(format_args!("letter steps {class}{}", Numbers(locations)));
            }
            Letter::Enabled { class, locations } => {
                say(format_args!("letter enabled {class}{}", Numbers(locations)));
            }
            Letter::Violated => say(format_args!("letter q")),
            Letter::Before { class } => say(format_args!("letter before {class}")),
            Letter::Behind { class } => say(format_args!("letter behind {class}")),
            Letter::Wrong { class } => say(format_args!("letter wrong {class}")),
            Letter::Initial => say(format_args!("letter init")),
            Letter::Access { class, cell, right } => {
                say(format_args!("letter {} {class} {cell}", access(*right)));
            }
            Letter::Schematic => say(format_args!("letter hole")),
        }
    }
    if let Some(d) = &part.derivations {
        say(format_args!("derivations {}\n{d}", d.len()));
    }
    if let Some(p) = &part.proof {
        say(format_args!("proof {}\n{p}", p.len()));
    }
}

fn write_execution(x: &Execution, say: Say) {
    say(format_args!("execution {}", x.goal));
    for (cell, value) in &x.start {
        say(format_args!("value {value} {cell}"));
    }
    for step in &x.steps {
        say(format_args!("step {}", step.thread));
        for (cell, value) in &step.cells {
            say(format_args!("value {value} {cell}"));
        }
        for (thread, location) in &step.locations {
            say(format_args!("at {thread} {location}"));
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.line += 1;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// A text of so many bytes, and the line's end after it.
    fn text(&mut self, length: &str) -> Result<String, &'static str> {
        let n: usize = length.parse().map_err(|_| "not a length")?;
        let text = self
            .rest
            .get(..n)
            .ok_or("the text is shorter than its length says")?;
        let rest = &self.rest[n..];
        self.rest = rest
            .strip_prefix('\n')
            .ok_or("the text is longer than its length says")?;
        self.line += text.matches('\n').count() + 1;
        Ok(text.to_string())
    }
}

/// Reads a bundle. Whether it is right is checked elsewhere.
///
/// # Errors
/// The first line that no bundle can have.
pub fn read(text: &str) -> Result<Bundle, Malformed> {
    let mut reader = Reader {
        rest: text,
        line: 0,
    };
    contents(&mut reader).map_err(|why| Malformed {
        line: reader.line,
        why,
    })
}

/// What has been said once already.
#[derive(Default)]
struct Seen {
    name: bool,
    text: bool,
    /// The set X of the present part, or that it is about every value and has none.
    states: bool,
}

fn contents(r: &mut Reader) -> Result<Bundle, &'static str> {
    if r.next() != Some(HEADER) {
        return Err("not a bundle of this version");
    }
    let mut b = Bundle::default();
    let mut seen = Seen::default();
    while let Some(line) = r.next() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "name" | "define" | "text" => about_the_model(&mut b, &mut seen, (word, rest), r)?,
            "private" | "protected" | "exclusive" | "reading" => {
                discipline(&mut b.disciplines, word, rest)?;
            }
            "compared" => b.compared.push(rest.to_string()),
            "theorem" => {
                if !std::mem::take(&mut seen.states) && !b.parts.is_empty() {
                    return Err("the part before has no set X");
                }
                let theorem = (rest != NO_THEOREM).then(|| rest.to_string());
                b.parts.push(Part {
                    theorem,
                    ..Part::default()
                });
            }
            "execution" => b.executions.push(Execution {
                goal: rest.to_string(),
                ..Execution::default()
            }),
            "step" | "value" | "at" => {
                let x = b.executions.last_mut();
                taken(x.ok_or("a step of no execution")?, word, rest)?;
            }
            "end" => {
                let whole = seen.name && seen.text && (seen.states || b.parts.is_empty());
                return match (whole, r.rest.trim().is_empty()) {
                    (false, _) => Err("the name, the model or the states are missing"),
                    (_, false) => Err("the text goes on after its end"),
                    _ => Ok(b),
                };
            }
            _ => {
                let part = b.parts.last_mut();
                let part = part.ok_or("this begins no item, or one that belongs to a theorem")?;
                of_part(part, &mut seen.states, (word, rest), r)?;
            }
        }
    }
    Err("the text has no end")
}

/// Notes that something is said.
fn once(seen: &mut bool) -> Result<(), &'static str> {
    match std::mem::replace(seen, true) {
        true => Err("this is said twice"),
        false => Ok(()),
    }
}

fn about_the_model(
    b: &mut Bundle,
    seen: &mut Seen,
    (word, rest): (&str, &str),
    r: &mut Reader,
) -> Result<(), &'static str> {
    match word {
        "name" => {
            once(&mut seen.name)?;
            b.name = rest.to_string();
        }
        "define" => {
            let (name, value) = rest.split_once('=').ok_or("a constant has no value")?;
            if b.defines.iter().any(|(known, _)| known == name) {
                return Err("a constant has two values");
            }
            b.defines.push((name.to_string(), value.to_string()));
        }
        _ => {
            once(&mut seen.text)?;
            b.text = r.text(rest)?;
        }
    }
    Ok(())
}

fn discipline(all: &mut Vec<Discipline>, word: &str, rest: &str) -> Result<(), &'static str> {
    match (word, all.last_mut()) {
        ("private", _) => {
            let (cell, thread) = pair(rest)?;
            all.push(Discipline::Private { cell, thread });
        }
        ("protected", _) => all.push(Discipline::Protected {
            cell: rest.to_string(),
            exclusive: Vec::new(),
            reading: Vec::new(),
        }),
        ("exclusive", Some(Discipline::Protected { exclusive, .. })) => {
            exclusive.push(rest.to_string());
        }
        ("reading", Some(Discipline::Protected { reading, .. })) => reading.push(rest.to_string()),
        _ => return Err("a predicate of no cell"),
    }
    Ok(())
}

/// A line of a part.
fn of_part(
    part: &mut Part,
    explored: &mut bool,
    (word, rest): (&str, &str),
    r: &mut Reader,
) -> Result<(), &'static str> {
    match word {
        "every" if part.every.is_none() && !std::mem::replace(explored, true) => {
            part.every = Some(values(rest)?);
        }
        "visible" => part.visible.push(pair(rest)?),
        "transactions" if rest.is_empty() && part.transactions.is_none() => {
            part.transactions = Some(Transactions::default());
        }
        "right" | "left" | "cut" => {
            let t = part.transactions.as_mut();
            let t = t.ok_or("nothing has been said of transactions before this line")?;
            let all = match word {
                "right" => &mut t.right,
                "left" => &mut t.left,
                _ => &mut t.cuts,
            };
            all.push(pair(rest)?);
        }
        "paths" if rest.is_empty() && part.weaker.is_none() => part.weaker = Some(Vec::new()),
        "weaker" => {
            let all = part.weaker.as_mut();
            let all = all.ok_or("nothing has been said of paths before this line")?;
            all.push(weak_path(rest)?);
        }
        "digest" if part.digest.is_none() => part.digest = Some(rest.to_string()),
        "claim" => part.claims.push(rest.to_string()),
        "item" => part.items.push(item(rest)?),
        "node" => node(&mut part.diagrams, rest)?,
        "set" => set(part, rest, explored)?,
        "class" => (part.classes).push(rest.split(' ').map(String::from).collect()),
        "letter" => part.letters.push(letter(rest)?),
        "derivations" | "proof" => {
            let place = match word {
                "proof" => &mut part.proof,
                _ => &mut part.derivations,
            };
            if place.is_some() {
                return Err("this is said twice");
            }
            *place = Some(r.text(rest)?);
        }
        _ => return Err("this begins no item"),
    }
    Ok(())
}

/// A line of an execution.
fn taken(x: &mut Execution, word: &str, rest: &str) -> Result<(), &'static str> {
    if word == "step" {
        x.steps.push(Taken {
            thread: rest.to_string(),
            ..Taken::default()
        });
        return Ok(());
    }
    let (first, second) = pair(rest)?;
    match (word, x.steps.last_mut()) {
        ("at", Some(step)) => step.locations.push((first, second)),
        ("at", None) => return Err("a location before the first step"),
        (_, step) => {
            let value = first.parse().map_err(|_| "a value that is no number")?;
            let cells = step.map_or(&mut x.start, |step| &mut step.cells);
            cells.push((second, value));
        }
    }
    Ok(())
}

fn pair(rest: &str) -> Result<(String, String), &'static str> {
    let (a, b) = rest.split_once(' ').ok_or("a name is missing")?;
    Ok((a.to_string(), b.to_string()))
}

fn values(rest: &str) -> Result<Values, &'static str> {
    let (from, rest) = pair(rest)?;
    let (instance, constant) = pair(&rest)?;
    let number = |word: String| word.parse().map_err(|_| "a value that is no number");
    Ok(Values {
        constant,
        from: number(from)?,
        instance: number(instance)?,
    })
}

fn weak_path(rest: &str) -> Result<WeakPath, &'static str> {
    let numbers: Result<Vec<usize>, _> = rest.split(' ').map(str::parse).collect();
    match numbers.as_deref() {
        Ok(&[start, end, way]) => Ok(WeakPath { start, end, way }),
        _ => Err("not three numbers"),
    }
}

fn item(rest: &str) -> Result<Item, &'static str> {
    match rest.split_once(' ') {
        Some(("location", t)) => Ok(Item::Location(t.to_string())),
        Some(("cell", c)) => Ok(Item::Cell(c.to_string())),
        None if rest == "q" => Ok(Item::Violated),
        _ => Err("neither q nor a location nor a cell"),
    }
}

fn number(word: Option<&str>) -> Result<u32, &'static str> {
    word.and_then(|w| w.parse().ok())
        .ok_or("a number is missing or too large")
}

/// Each after a blank.
struct Numbers<'n>(&'n [usize]);

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|n| write!(f, " {n}"))
    }
}

fn access(right: Right) -> &'static str {
    match right {
        Right::Exclusive => "exclusive",
        Right::Reading => "reading",
    }
}

fn letter(rest: &str) -> Result<Letter, &'static str> {
    for right in [Right::Exclusive, Right::Reading] {
        let what = rest.strip_prefix(access(right));
        let Some(what) = what.and_then(|what| what.strip_prefix(' ')) else {
            continue;
        };
        let (class, cell) = what.split_once(' ').ok_or("a cell is missing")?;
        return Ok(Letter::Access {
            class: class.parse().map_err(|_| "no number")?,
            cell: cell.to_string(),
            right,
        });
    }
    let mut words = rest.split(' ');
    let kind = words.next();
    let numbers: Result<Vec<usize>, _> = words.map(str::parse).collect();
    match (kind, numbers.map_err(|_| "no number")?.as_slice()) {
        (Some("steps"), [class, locations @ ..]) if !locations.is_empty() => Ok(Letter::Steps {
            class: *class,
            locations: locations.to_vec(),
        }),
        (Some("enabled"), [class, locations @ ..]) if !locations.is_empty() => {
            Ok(Letter::Enabled {
                class: *class,
                locations: locations.to_vec(),
            })
        }
        (Some("q"), []) => Ok(Letter::Violated),
        (Some("before"), &[class]) => Ok(Letter::Before { class }),
        (Some("behind"), &[class]) => Ok(Letter::Behind { class }),
        (Some("wrong"), &[class]) => Ok(Letter::Wrong { class }),
        (Some("init"), []) => Ok(Letter::Initial),
        (Some("hole"), []) => Ok(Letter::Schematic),
        _ => Err("no such letter"),
    }
}

fn node(diagrams: &mut Diagrams, rest: &str) -> Result<(), &'static str> {
    let mut words = rest.split(' ');
    let node = Node {
        bit: number(words.next())?,
        low: number(words.next())?,
        high: number(words.next())?,
    };
    let next = diagrams.nodes().len() + 2;
    match (diagrams.add(node)? as usize == next, words.next()) {
        (true, None) => Ok(()),
        (_, Some(_)) => Err("more on the line than a node takes"),
        _ => Err("a node that decides nothing, or stands here already"),
    }
}

fn set(part: &mut Part, rest: &str, explored: &mut bool) -> Result<(), &'static str> {
    let (name, root) = rest.split_once(' ').ok_or("a set without its node")?;
    let root: Root = number(Some(root))?;
    if !part.diagrams.has(root) {
        return Err("there is no such node before this line");
    }
    match name {
        "J" if part.invariant.is_none() => part.invariant = Some(root),
        "X" if !std::mem::replace(explored, true) => part.states = root,
        "Y" => part.inside.push(root),
        _ => return Err("no such set, or one that is given twice"),
    }
    Ok(())
}
