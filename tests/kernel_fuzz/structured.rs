//! Mutants of certificates that are well-formed: operands, numbers, premises, steps, names, theorems, hypotheses, sorts
//! and pairs changed, and parts of two certificates put together. What is accepted is true in random relations.
//!
//! `cargo bench --bench certificates` looks at more; a failure prints what repeats it.

use super::{is_true, read, shipped, small, told};
use crate::algebra::dice::{Dice, Vocabulary};
use coarsen::algebra::prove::{Limits, derive};
use coarsen::kernel::{self, Development, Statement};
use std::collections::BTreeSet;

/// The lines of a certificate, parted before each item.
struct Parted(Vec<Vec<String>>);

impl Parted {
    fn of(text: &str) -> Self {
        let mut items: Vec<Vec<String>> = Vec::new();
        for line in text.lines() {
            let word = line.split(' ').next().unwrap_or_default();
            let begins = [
                "coarsen",
                "symbol",
                "variable",
                "term",
                "hypothesis",
                "theorem",
                "end",
            ];
            match items.last_mut() {
                Some(item) if !begins.contains(&word) => item.push(line.to_string()),
                _ => items.push(vec![line.to_string()]),
            }
        }
        Parted(items)
    }

    fn text(&self) -> String {
        self.0.concat().join("\n") + "\n"
    }

    fn all(&self, word: &str) -> Vec<usize> {
        let begins = |n: &usize| self.0[*n][0].split(' ').next() == Some(word);
        (0..self.0.len()).filter(begins).collect()
    }

    /// A line within the items that begin with a word, by its own first word.
    fn line(&mut self, d: &mut Dice, item: &str, word: &str) -> Option<&mut String> {
        let items = self.all(item);
        let lines: Vec<(usize, usize)> = items
            .into_iter()
            .flat_map(|n| (0..self.0[n].len()).map(move |m| (n, m)))
            .filter(|(n, m)| self.0[*n][*m].split(' ').next() == Some(word))
            .collect();
        if lines.is_empty() {
            return None;
        }
        let (n, m) = d.pick(&lines);
        Some(&mut self.0[n][m])
    }
}

/// Two words of a line exchanged, those before `from` apart.
fn swap(line: &mut String, from: usize, d: &mut Dice) -> Option<()> {
    let mut words: Vec<&str> = line.split(' ').collect();
    let count = words.len().checked_sub(from).filter(|n| *n > 1)?;
    let (a, b) = (from + d.below(count), from + d.below(count));
    words.swap(a, b);
    *line = words.join(" ");
    Some(())
}

/// A number of a line replaced by another one that is not far off, or any below a bound.
fn renumber(line: &mut String, below: usize, d: &mut Dice) -> Option<()> {
    let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
    let numbers: Vec<usize> = (0..words.len())
        .filter(|n| words[*n].contains(|c: char| c.is_ascii_digit()))
        .collect();
    let at = (!numbers.is_empty()).then(|| d.pick(&numbers))?;
    let word = words[at].clone();
    let digit = word.find(|c: char| c.is_ascii_digit())?;
    let end = word[digit..]
        .find(|c: char| !c.is_ascii_digit())
        .map_or(word.len(), |n| digit + n);
    let old: usize = word[digit..end].parse().ok()?;
    let new = match d.below(4) {
        0 => old + 1,
        1 => old.saturating_sub(1),
        2 => d.below(below),
        _ => d.below(4),
    };
    words[at] = format!("{}{new}{}", &word[..digit], &word[end..]);
    *line = words.join(" ");
    Some(())
}

/// One change; none if there is nothing of the kind.
fn change(c: &mut Parted, other: &Parted, d: &mut Dice) -> Option<()> {
    let terms = c.all("term").len() + 3;
    let theorems = c.all("theorem");
    let of = |d: &mut Dice, all: &[usize]| (!all.is_empty()).then(|| d.pick(all));
    match d.below(16) {
        0 => swap(c.line(d, "term", "term")?, 2, d),
        1 => renumber(c.line(d, "term", "term")?, terms, d),
        2 => {
            let item = d.pick(&["theorem", "hypothesis"]);
            swap(c.line(d, item, "part")?, 1, d)
        }
        3 => {
            let word = d.pick(&["part", "distinct"]);
            renumber(c.line(d, "theorem", word)?, terms, d)
        }
        4 | 5 => renumber(c.line(d, "theorem", "step")?, terms, d),
        6 => {
            // A premise dropped, with what belongs to it; those behind it move up.
            let n = of(d, &theorems)?;
            let lines = &mut c.0[n];
            let begin = lines.iter().position(|l| l == "premise")?;
            let rest = lines[begin + 1..].iter();
            let length = rest.take_while(|l| l.starts_with("part") || l.starts_with("distinct"));
            lines.drain(begin..=begin + length.count());
            Some(())
        }
        7 => {
            let n = of(d, &theorems)?;
            let steps: Vec<usize> = (0..c.0[n].len())
                .filter(|m| c.0[n][*m].starts_with("step") || c.0[n][*m].starts_with("pair"))
                .collect();
            c.0[n].remove(of(d, &steps)?);
            Some(())
        }
        8 => {
            // Two letters exchange their names.
            let (a, b) = (of(d, &c.all("symbol"))?, of(d, &c.all("symbol"))?);
            let name = |line: &str| {
                line.rsplit_once(' ')
                    .map(|(l, r)| (l.to_string(), r.to_string()))
            };
            let ((a_sort, a_name), (b_sort, b_name)) = (name(&c.0[a][0])?, name(&c.0[b][0])?);
            c.0[a][0] = format!("{a_sort} {b_name}");
            c.0[b][0] = format!("{b_sort} {a_name}");
            Some(())
        }
        9 => {
            let n = of(d, &theorems)?;
            let mut copy = c.0[n].clone();
            copy[0] += "2";
            c.0.insert(n + 1, copy);
            Some(())
        }
        10 => {
            // A hypothesis dropped, or one made of what a theorem says.
            match of(d, &c.all("hypothesis")) {
                Some(n) if d.flip() => _ = c.0.remove(n),
                _ => {
                    let n = of(d, &theorems)?;
                    let mut parts = c.0[n].iter().filter(|l| l.starts_with("part"));
                    let part = parts.next_back()?.clone();
                    c.0.insert(n, vec!["hypothesis more".to_string(), part]);
                }
            }
            Some(())
        }
        11 => {
            let (a, b) = (of(d, &theorems)?, of(d, &theorems)?);
            c.0.swap(a, b);
            Some(())
        }
        12 => {
            // The steps of another theorem, of this certificate or another.
            let a = of(d, &theorems)?;
            let from = if d.flip() {
                c.0[of(d, &theorems)?].clone()
            } else {
                other.0[of(d, &other.all("theorem"))?].clone()
            };
            let steps = |all: &[String]| all.iter().position(|l| l.starts_with("step"));
            let (begin, theirs) = (steps(&c.0[a])?, steps(&from)?);
            c.0[a].truncate(begin);
            c.0[a].extend_from_slice(&from[theirs..]);
            Some(())
        }
        13 => {
            let line = c.line(d, "symbol", "symbol")?;
            *line = match line.contains("symbol test") {
                true => line.replacen("test", "action", 1),
                false => line.replacen("action", "test", 1),
            };
            Some(())
        }
        _ => {
            let line = c.line(d, "theorem", "pair")?;
            match (d.below(3), line.rsplit_once(' ')) {
                (0, Some((rest, _))) => *line = rest.to_string(),
                (1, _) => *line += &format!(" {}", d.below(terms)),
                _ => return renumber(line, terms, d),
            }
            Some(())
        }
    }
}

/// Certificates of random statements that the prover proves.
fn random(count: usize, d: &mut Dice) -> Vec<String> {
    let mut found = Vec::new();
    while found.len() < count {
        let mut development = Development::default();
        let mut v = Vocabulary::indexed(&mut development.terms, 2);
        development.variables = ["i", "j"].map(String::from).to_vec();
        v.top = true;
        v.omega = d.flip();
        let terms = &mut development.terms;
        let (left, more) = (v.term(d, terms, 5, 0), v.term(d, terms, 3, 0));
        let right = match d.below(3) {
            0 => terms.sum([left, more]),
            1 => v.term(d, terms, 4, 0),
            _ => terms.star(left),
        };
        let premises = match d.flip() {
            true => vec![Statement {
                distinct: v.distinct(d),
                parts: vec![(more, left)],
            }],
            false => Vec::new(),
        };
        let goal = Statement {
            distinct: v.distinct(d),
            parts: vec![(left, right)],
        };
        if derive(
            &mut development,
            "goal",
            &premises,
            &goal,
            &Limits::default(),
        )
        .is_ok()
            && development.theorems().len() > 0
        {
            found.push(kernel::write(&development));
        }
    }
    found
}

#[test]
fn well_formed_mutants_are_rejected_or_true() {
    let count = u64::from(crate::random::cases(500));
    let (accepted, _) = look_at(0, count);
    assert!(
        crate::random::any_number() || accepted * 20 > count as usize,
        "only {accepted} of {count} were accepted"
    );
}

/// Looks at mutants by number; how many are accepted, and for how many new theorems a model was searched.
pub fn look_at(first: u64, count: u64) -> (usize, usize) {
    let mut sources = small();
    sources.extend(random(20, &mut Dice::seeded(7)));
    let shipped = [
        shipped(
            "omega.thy",
            include_str!("../../theories/identities/omega.thy"),
        ),
        shipped(
            "tests.thy",
            include_str!("../../theories/identities/tests.thy"),
        ),
        shipped(
            "stoller_cohen.thy",
            include_str!("../../proofs/stoller_cohen.thy"),
        ),
    ];
    sources.extend(shipped);
    let known: Vec<BTreeSet<String>> = sources
        .iter()
        .map(|text| {
            let d = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            told(&d).into_iter().collect()
        })
        .collect();
    let (mut accepted, mut searched) = (0, 0);
    for n in first..first + count {
        // A mutant depends on `SEED` and its number only.
        let mut d = Dice::seeded(1_000_003 + n);
        let large = d.below(10) == 0;
        let at = if large {
            sources.len() - 1 - d.below(3)
        } else {
            d.below(sources.len() - 3)
        };
        let other = Parted::of(&sources[d.below(sources.len())]);
        let mut mutant = Parted::of(&sources[at]);
        let mut changes = 1 + d.below(3);
        while changes > 0 {
            changes -= usize::from(change(&mut mutant, &other, &mut d).is_some());
        }
        let text = mutant.text();
        if let Ok(development) = read(&text) {
            accepted += 1;
            match is_true(&development, &known[at], &mut d) {
                Ok(more) => searched += more,
                Err(why) => {
                    panic!("FIRST={n} COUNT=1 cargo bench --bench certificates: {why}\n{text}")
                }
            }
        }
    }
    (accepted, searched)
}
