//! Bundles as text: one item a line; texts within it are preceded by their length in bytes.

use super::{Bundle, Diagrams, Discipline, Item, Letter, Node, Root, Transactions};
use std::fmt::Write;

const HEADER: &str = "coarsen bundle 1";

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
    say(format_args!("theorem {}", b.theorem));
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
    for (thread, location) in &b.visible {
        say(format_args!("visible {thread} {location}"));
    }
    if let Some(t) = &b.transactions {
        say(format_args!("transactions"));
        for (word, all) in [("right", &t.right), ("left", &t.left), ("cut", &t.cuts)] {
            for (thread, location) in all {
                say(format_args!("{word} {thread} {location}"));
            }
        }
    }
    for claim in &b.claims {
        say(format_args!("claim {claim}"));
    }
    for item in &b.items {
        match item {
            Item::Violated => say(format_args!("item q")),
            Item::Location(t) => say(format_args!("item location {t}")),
            Item::Cell(c) => say(format_args!("item cell {c}")),
        }
    }
    for Node { bit, low, high } in b.diagrams.nodes() {
        say(format_args!("node {bit} {low} {high}"));
    }
    if let Some(j) = b.invariant {
        say(format_args!("set J {j}"));
    }
    say(format_args!("set X {}", b.states));
    for y in &b.inside {
        say(format_args!("set Y {y}"));
    }
    for class in &b.classes {
        say(format_args!("class {}", class.join(" ")));
    }
    for letter in &b.letters {
        match letter {
            Letter::Steps { class, location } => {
                say(format_args!("letter steps {class} {location}"));
            }
            Letter::Enabled { class, location } => {
                say(format_args!("letter enabled {class} {location}"));
            }
            Letter::Violated => say(format_args!("letter q")),
            Letter::Before { class } => say(format_args!("letter before {class}")),
            Letter::Behind { class } => say(format_args!("letter behind {class}")),
            Letter::Wrong { class } => say(format_args!("letter wrong {class}")),
            Letter::Initial => say(format_args!("letter init")),
            Letter::Hole => say(format_args!("letter hole")),
        }
    }
    if let Some(d) = &b.derivations {
        say(format_args!("derivations {}\n{d}", d.len()));
    }
    if let Some(p) = &b.proof {
        say(format_args!("proof {}\n{p}", p.len()));
    }
    say(format_args!("end"));
    text
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

/// Reads a bundle; whether it is right is not looked at.
///
/// # Errors
/// The first line that is none of a bundle.
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

fn contents(r: &mut Reader) -> Result<Bundle, &'static str> {
    if r.next() != Some(HEADER) {
        return Err("not a bundle of this version");
    }
    let mut b = Bundle::default();
    let (mut named, mut modelled, mut explored) = (false, false, false);
    while let Some(line) = r.next() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let once = |seen: &mut bool| match std::mem::replace(seen, true) {
            true => Err("this is said twice"),
            false => Ok(()),
        };
        match word {
            "name" => {
                once(&mut named)?;
                b.name = rest.to_string();
            }
            "theorem" => b.theorem = rest.to_string(),
            "define" => {
                let (name, value) = rest.split_once('=').ok_or("a constant has no value")?;
                b.defines.push((name.to_string(), value.to_string()));
            }
            "text" => {
                once(&mut modelled)?;
                b.text = r.text(rest)?;
            }
            "private" => {
                let (cell, thread) = pair(rest)?;
                b.disciplines.push(Discipline::Private { cell, thread });
            }
            "protected" => b.disciplines.push(Discipline::Protected {
                cell: rest.to_string(),
                exclusive: Vec::new(),
                reading: Vec::new(),
            }),
            "exclusive" | "reading" => match b.disciplines.last_mut() {
                Some(Discipline::Protected {
                    exclusive, reading, ..
                }) => match word {
                    "exclusive" => exclusive.push(rest.to_string()),
                    _ => reading.push(rest.to_string()),
                },
                _ => return Err("a predicate of no cell"),
            },
            "visible" => b.visible.push(pair(rest)?),
            "transactions" if rest.is_empty() && b.transactions.is_none() => {
                b.transactions = Some(Transactions::default());
            }
            "right" | "left" | "cut" => {
                let t = b.transactions.as_mut();
                let t = t.ok_or("nothing has been said of transactions before this line")?;
                let all = match word {
                    "right" => &mut t.right,
                    "left" => &mut t.left,
                    _ => &mut t.cuts,
                };
                all.push(pair(rest)?);
            }
            "claim" => b.claims.push(rest.to_string()),
            "item" => b.items.push(item(rest)?),
            "node" => node(&mut b.diagrams, rest)?,
            "set" => set(&mut b, rest, &mut explored)?,
            "class" => b.classes.push(rest.split(' ').map(String::from).collect()),
            "letter" => b.letters.push(letter(rest)?),
            "derivations" | "proof" => {
                let part = match word {
                    "proof" => &mut b.proof,
                    _ => &mut b.derivations,
                };
                if part.is_some() {
                    return Err("this is said twice");
                }
                *part = Some(r.text(rest)?);
            }
            "end" => {
                let whole = named && modelled && explored;
                return match (whole, r.rest.trim().is_empty()) {
                    (false, _) => Err("the name, the model or the states are missing"),
                    (_, false) => Err("the text goes on after its end"),
                    _ => Ok(b),
                };
            }
            _ => return Err("this begins no item"),
        }
    }
    Err("the text has no end")
}

fn pair(rest: &str) -> Result<(String, String), &'static str> {
    let (a, b) = rest.split_once(' ').ok_or("a name is missing")?;
    Ok((a.to_string(), b.to_string()))
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

fn letter(rest: &str) -> Result<Letter, &'static str> {
    let mut words = rest.split(' ');
    let kind = words.next();
    let numbers: Vec<usize> = words.map_while(|w| w.parse().ok()).collect();
    match (kind, numbers.as_slice()) {
        (Some("steps"), &[class, location]) => Ok(Letter::Steps { class, location }),
        (Some("enabled"), &[class, location]) => Ok(Letter::Enabled { class, location }),
        (Some("q"), []) => Ok(Letter::Violated),
        (Some("before"), &[class]) => Ok(Letter::Before { class }),
        (Some("behind"), &[class]) => Ok(Letter::Behind { class }),
        (Some("wrong"), &[class]) => Ok(Letter::Wrong { class }),
        (Some("init"), []) => Ok(Letter::Initial),
        (Some("hole"), []) => Ok(Letter::Hole),
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

fn set(b: &mut Bundle, rest: &str, explored: &mut bool) -> Result<(), &'static str> {
    let (name, root) = rest.split_once(' ').ok_or("a set without its node")?;
    let root: Root = number(Some(root))?;
    if !b.diagrams.has(root) {
        return Err("there is no such node before this line");
    }
    match name {
        "J" if b.invariant.is_none() => b.invariant = Some(root),
        "X" if !std::mem::replace(explored, true) => b.states = root,
        "Y" => b.inside.push(root),
        _ => return Err("no such set, or one that is given twice"),
    }
    Ok(())
}
