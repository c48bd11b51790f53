//! Changes of bundles.

use super::Dice;
use super::sources::{Source, Sources, WRITERS};

use coarsen::base::evidence::{
    Bundle, Diagrams, Discipline, Execution, FALSE, Letter, Node, Part, Root, TRUE, Transactions,
};

/// What is changed; the last is the text of the bundle itself.
pub const KINDS: [&str; 22] = [
    "fitted steps",
    "fitted others",
    "sets",
    "nodes",
    "claims more",
    "claims fewer",
    "threads",
    "letters",
    "derivations",
    "proofs",
    "theorem",
    "visible steps",
    "movers",
    "disciplines",
    "defines",
    "model text",
    "other model",
    "executions",
    "splice",
    "items",
    "parts",
    "lines",
];

/// Changes a bundle in one way; whether it is the text that has to be changed (`lines`) is seen by the kind.
pub fn change(kind: &str, b: &mut Bundle, of: &Source, all: &Sources, d: &mut Dice) {
    match kind {
        // The sets are fitted when all is changed.
        "fitted steps" => fewer_steps(b, d),
        "fitted others" => {
            let kinds = [
                "claims more",
                "disciplines",
                "defines",
                "model text",
                "other model",
            ];
            change(kinds[d.below(kinds.len())], b, of, all, d);
        }
        "defines" => defines(b, d),
        "model text" => b.text = edited(&b.text, d),
        "other model" => other_model(b, of, all, d),
        "executions" => executions(b, of, all, d),
        "disciplines" => disciplines(b, all, d),
        "parts" => parts(b, d),
        "splice" => splice(b, of, all, d),
        _ => {
            let n = d.below(b.parts.len());
            if let Some(part) = b.parts.get_mut(n) {
                change_part(kind, part, of, all, d);
            }
        }
    }
}

/// Fewer visible steps, or all those of one thread.
fn fewer_steps(b: &mut Bundle, d: &mut Dice) {
    for part in &mut b.parts {
        for _ in 0..=d.below(3) {
            if !part.visible.is_empty() {
                part.visible.remove(d.below(part.visible.len()));
            }
        }
        if d.once_in(4) {
            let thread = d.one(&part.visible).map(|(t, _)| t.clone());
            part.visible.retain(|(t, _)| Some(t) != thread.as_ref());
        }
    }
}

fn change_part(kind: &str, part: &mut Part, of: &Source, all: &Sources, d: &mut Dice) {
    match kind {
        "sets" => sets(part, d),
        "nodes" => nodes(part, d),
        "claims more" => {
            let claim = claim(of, part, d);
            part.claims.push(claim);
        }
        "claims fewer" => claims_fewer(part, d),
        "threads" => match d.below(3) {
            0 => shuffle(&mut part.inside, d),
            1 => shuffle(&mut part.classes, d),
            _ => {
                let n = d.below(part.classes.len());
                if let Some(class) = part.classes.get_mut(n) {
                    shuffle(class, d);
                }
            }
        },
        "letters" => letters(part, d),
        "derivations" => texts(part, all, d, |p| &mut p.derivations),
        "proofs" => texts(part, all, d, |p| &mut p.proof),
        "theorem" => theorem(part, d),
        "visible steps" => {
            let other = donor(all, d).and_then(|p| d.one(&p.visible).cloned());
            place(&mut part.visible, other, d);
        }
        "movers" => movers(part, d),
        "items" => shuffle(&mut part.items, d),
        _ => {}
    }
}

/// Some part of some bundle.
fn donor<'s>(all: &'s Sources, d: &mut Dice) -> Option<&'s Part> {
    d.one(&all.all).and_then(|s| d.one(&s.bundle.parts))
}

/// Drops, repeats or exchanges elements.
fn shuffle<T: Clone>(all: &mut Vec<T>, d: &mut Dice) {
    if all.is_empty() {
        return;
    }
    let (n, m) = (d.below(all.len()), d.below(all.len()));
    match d.below(4) {
        0 => drop(all.remove(n)),
        1 => all.insert(m, all[n].clone()),
        2 => all[n] = all[m].clone(),
        _ => all.swap(n, m),
    }
}

fn place<T: Clone>(all: &mut Vec<T>, other: Option<T>, d: &mut Dice) {
    match (d.below(4), other) {
        (0, _) => all.clear(),
        (1, Some(other)) => all.push(other),
        _ => shuffle(all, d),
    }
}

fn sets(part: &mut Part, d: &mut Dice) {
    let mut known = vec![FALSE, TRUE, part.states];
    known.extend(&part.inside);
    known.extend(part.invariant);
    known.push((2 + d.below(part.diagrams.nodes().len())) as Root);
    let set = d.one(&known).copied().unwrap_or(TRUE);
    match d.below(5) {
        0 | 1 => part.states = set,
        2 => part.invariant = Some(set).filter(|_| !d.once_in(3)),
        3 => part.inside.iter_mut().for_each(|y| *y = set),
        _ => {
            let n = d.below(part.inside.len());
            if let Some(y) = part.inside.get_mut(n) {
                *y = set;
            }
        }
    }
}

/// Another branch of a node: states less or more.
fn nodes(part: &mut Part, d: &mut Dice) {
    let good = std::mem::take(&mut part.diagrams);
    let changed = d.below(good.nodes().len());
    let mut less = Diagrams::default();
    let mut roots = vec![FALSE, TRUE];
    for (n, node) in good.nodes().iter().enumerate() {
        let mut node = Node {
            bit: node.bit,
            low: roots[node.low as usize],
            high: roots[node.high as usize],
        };
        if n == changed {
            let old = node;
            match d.below(5) {
                0 => node.low = FALSE,
                1 => node.high = FALSE,
                2 => node.low = TRUE,
                3 => node.high = old.low,
                _ => (node.low, node.high) = (old.high, old.low),
            }
        }
        roots.push(less.add(node).unwrap_or(FALSE));
    }
    part.diagrams = less;
    let new = |root: &mut Root| *root = roots.get(*root as usize).copied().unwrap_or(FALSE);
    new(&mut part.states);
    part.inside.iter_mut().for_each(new);
    part.invariant.iter_mut().for_each(new);
}

/// Something that may be claimed, true or not.
fn claim(of: &Source, part: &Part, d: &mut Dice) -> String {
    let name = d.one(&of.names).cloned().unwrap_or_default();
    let cell = part.items.iter().find_map(|item| match item {
        coarsen::base::evidence::Item::Cell(c) => Some(c.clone()),
        _ => None,
    });
    let cell = cell.unwrap_or_default();
    match d.below(12) {
        0 => "discipline".into(),
        1 => "assertions".into(),
        2 => "deadlock_free".into(),
        3..=6 => name,
        7 | 8 => format!("never {name}"),
        9 => format!("never find {cell} == {}", d.below(3)),
        10 => format!("states {}", d.below(200)),
        _ => "no_such_claim".into(),
    }
}

fn claims_fewer(part: &mut Part, d: &mut Dice) {
    let n = d.below(part.claims.len());
    match d.below(3) {
        0 if !part.claims.is_empty() => drop(part.claims.remove(n)),
        1 => part.claims.clear(),
        _ => shuffle(&mut part.claims, d),
    }
    for claim in &mut part.claims {
        if let Some(Ok(states)) = claim.strip_prefix("states ").map(str::parse::<usize>) {
            *claim = format!("states {}", (states + 1).saturating_sub(d.below(4)));
        }
    }
}

fn letters(part: &mut Part, d: &mut Dice) {
    let n = d.below(part.letters.len());
    let class = d.below(part.classes.len());
    let locations: Vec<usize> = (0..=d.below(2)).map(|_| d.below(6)).collect();
    let new = match d.below(8) {
        0 => Letter::Steps { class, locations },
        1 => Letter::Enabled { class, locations },
        2 => Letter::Violated,
        3 => Letter::Before { class },
        4 => Letter::Behind { class },
        5 => Letter::Schematic,
        6 => Letter::Initial,
        _ => Letter::Wrong { class },
    };
    match part.letters.get_mut(n) {
        Some(letter) if d.once_in(2) => *letter = new,
        _ => shuffle(&mut part.letters, d),
    }
}

/// A text of the kernel: dropped, another part's, or with changed lines.
fn texts(
    part: &mut Part,
    all: &Sources,
    d: &mut Dice,
    place: impl Fn(&mut Part) -> &mut Option<String>,
) {
    match d.below(4) {
        0 => {
            *place(part) = None;
            if d.once_in(2) {
                part.letters.clear();
                part.classes.clear();
            }
        }
        1 => {
            if let Some(mut other) = donor(all, d).cloned() {
                *place(part) = place(&mut other).take();
                if d.once_in(2) {
                    (part.letters, part.classes) = (other.letters, other.classes);
                }
            }
        }
        _ => {
            if let Some(text) = place(part) {
                *text = lines(text, d);
            }
        }
    }
}

fn theorem(part: &mut Part, d: &mut Dice) {
    match d.below(3) {
        0 => part.theorem = d.one(&WRITERS).map(ToString::to_string),
        1 => part.theorem = None,
        _ => {
            // All that makes it a claim about the original program.
            *part = Part {
                claims: std::mem::take(&mut part.claims),
                items: std::mem::take(&mut part.items),
                diagrams: std::mem::take(&mut part.diagrams),
                states: part.invariant.unwrap_or(part.states),
                ..Part::default()
            };
        }
    }
}

fn movers(part: &mut Part, d: &mut Dice) {
    let Some(t) = &mut part.transactions else {
        if d.once_in(2) {
            part.transactions = Some(Transactions {
                right: part.visible.clone(),
                ..Transactions::default()
            });
        }
        return;
    };
    let known: Vec<(String, String)> = [&t.right, &t.left, &t.cuts]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let other = d.one(&known).cloned();
    match d.below(5) {
        0 => place(&mut t.right, other, d),
        1 => place(&mut t.left, other, d),
        2 => place(&mut t.cuts, other, d),
        3 => std::mem::swap(&mut t.right, &mut t.left),
        _ => part.transactions = None,
    }
}

fn disciplines(b: &mut Bundle, all: &Sources, d: &mut Dice) {
    let n = d.below(b.disciplines.len());
    let threads: Vec<String> = b
        .parts
        .iter()
        .flat_map(|p| &p.items)
        .filter_map(|item| match item {
            coarsen::base::evidence::Item::Location(t) => Some(t.clone()),
            _ => None,
        })
        .collect();
    let many = d.below(6);
    match b.disciplines.get_mut(n) {
        Some(Discipline::Protected {
            exclusive, reading, ..
        }) if many < 4 => {
            let all = if d.once_in(4) { reading } else { exclusive };
            let constant = ["0", "1"][d.below(2)].to_string();
            match many {
                0 => all.iter_mut().for_each(|e| e.clone_from(&constant)),
                1 => shuffle(all, d),
                2 => {
                    let n = d.below(all.len());
                    if let Some(e) = all.get_mut(n) {
                        *e = constant;
                    }
                }
                _ => all.iter_mut().for_each(|e| *e = format!("not {e}")),
            }
        }
        Some(discipline) if many == 4 => {
            let (Discipline::Private { cell, .. } | Discipline::Protected { cell, .. }) =
                discipline;
            if let (cell, Some(thread)) = (cell.clone(), d.one(&threads).cloned()) {
                *discipline = Discipline::Private { cell, thread };
            }
        }
        Some(_) => shuffle(&mut b.disciplines, d),
        None => {
            let mut cells = all.all.iter().filter(|s| s.bundle.text == b.text);
            let cell = cells.find_map(|s| d.one(&s.bundle.parts)).and_then(|p| {
                p.items.iter().find_map(|item| match item {
                    coarsen::base::evidence::Item::Cell(c) => Some(c.clone()),
                    _ => None,
                })
            });
            let mut exclusive = vec!["0".to_string(); threads.len()];
            if let Some(e) = exclusive.first_mut() {
                *e = "1".into();
            }
            b.disciplines.extend(cell.map(|cell| Discipline::Protected {
                cell,
                exclusive,
                reading: Vec::new(),
            }));
        }
    }
}

fn defines(b: &mut Bundle, d: &mut Dice) {
    let constants: Vec<String> = b
        .text
        .lines()
        .filter_map(|l| l.trim().strip_prefix("const "))
        .filter_map(|l| l.split([' ', '=', ':']).next().map(String::from))
        .collect();
    match (d.below(4), d.one(&constants)) {
        (0, _) => shuffle(&mut b.defines, d),
        (1, _) => b.defines.push(("NO_SUCH".into(), "1".into())),
        (_, Some(name)) => b.defines.push((name.clone(), d.below(4).to_string())),
        _ => b.name = ["a.dve", "", "other.cor"][d.below(3)].into(),
    }
}

const TOKENS: [(&str, &str); 17] = [
    ("==", "!="),
    ("!=", "=="),
    ("<=", "<"),
    ("&&", "||"),
    ("||", "&&"),
    (" = 0", " = 1"),
    (" = 1", " = 0"),
    (" 0", " 1"),
    (" 1", " 0"),
    ("+ 1", "+ 2"),
    ("unlock(", "lock("),
    ("lock(m);", "skip;"),
    ("protected by m", "unprotected"),
    ("unprotected", "protected by m"),
    ("invariant", "reach"),
    ("reach", "invariant"),
    ("atomic", ""),
];

/// A model's text with one token changed, or without one line.
fn edited(text: &str, d: &mut Dice) -> String {
    for _ in 0..20 {
        let (old, new) = TOKENS[d.below(TOKENS.len())];
        let places: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
        if let Some(&at) = d.one(&places) {
            return format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
        }
    }
    lines(text, d)
}

/// A text with a line dropped, repeated or exchanged with another, or with a number changed.
pub fn lines(text: &str, d: &mut Dice) -> String {
    let mut all: Vec<String> = text.lines().map(String::from).collect();
    let n = d.below(all.len());
    match d.below(3) {
        0 => shuffle(&mut all, d),
        _ => {
            if let Some(line) = all.get_mut(n) {
                let mut words: Vec<String> = line.split(' ').map(String::from).collect();
                let w = d.below(words.len());
                words[w] = match words[w].parse::<i64>() {
                    Ok(number) => (number + d.below(5) as i64 - 2).to_string(),
                    Err(_) if d.once_in(2) => d.below(9).to_string(),
                    Err(_) => return exchanged(all, d),
                };
                *line = words.join(" ");
            }
        }
    }
    all.join("\n") + "\n"
}

fn exchanged(mut all: Vec<String>, d: &mut Dice) -> String {
    shuffle(&mut all, d);
    all.join("\n") + "\n"
}

fn other_model(b: &mut Bundle, of: &Source, all: &Sources, d: &mut Dice) {
    match (&of.variant, d.one(&all.all)) {
        (Some(text), _) if !d.once_in(4) => b.text.clone_from(text),
        (_, Some(other)) => {
            b.text.clone_from(&other.bundle.text);
            if d.once_in(2) {
                b.name.clone_from(&other.bundle.name);
                b.disciplines.clone_from(&other.bundle.disciplines);
            }
        }
        _ => {}
    }
}

fn executions(b: &mut Bundle, of: &Source, all: &Sources, d: &mut Dice) {
    if b.executions.is_empty() {
        let with = |s: &&Source| !s.bundle.executions.is_empty();
        let same = all.all.iter().filter(with);
        let same: Vec<&Source> = same.filter(|s| s.name == of.name).collect();
        let other = d.one(&same).and_then(|s| d.one(&s.bundle.executions));
        b.executions.extend(other.cloned());
        b.executions.extend(d.one(&of.names).map(|goal| Execution {
            goal: goal.clone(),
            ..Execution::default()
        }));
        return;
    }
    let n = d.below(b.executions.len());
    let x = &mut b.executions[n];
    match d.below(7) {
        0 => shuffle(&mut x.steps, d),
        1 => shuffle(&mut x.start, d),
        2 => {
            let n = d.below(x.start.len());
            if let Some((_, value)) = x.start.get_mut(n) {
                *value += d.below(3) as i64 - 1;
            }
        }
        3 => drop(x.steps.pop()),
        4 => {
            let n = d.below(x.steps.len());
            if let Some(step) = x.steps.get_mut(n) {
                match d.below(3) {
                    0 => shuffle(&mut step.cells, d),
                    1 => shuffle(&mut step.locations, d),
                    _ => step.cells.iter_mut().for_each(|(_, v)| *v += 1),
                }
            }
        }
        5 => x.goal = d.one(&of.names).cloned().unwrap_or_default(),
        _ => shuffle(&mut b.executions, d),
    }
}

fn parts(b: &mut Bundle, d: &mut Dice) {
    match d.below(4) {
        0 => b.parts.push(Part::default()),
        1 => b.parts.clear(),
        2 => {
            let claims = b.executions.iter().map(|x| x.goal.clone()).collect();
            let n = d.below(b.parts.len());
            if let Some(part) = b.parts.get_mut(n) {
                part.claims = claims;
            }
        }
        _ => shuffle(&mut b.parts, d),
    }
}

/// A piece of another bundle, of the same model if there is one.
fn splice(b: &mut Bundle, of: &Source, all: &Sources, d: &mut Dice) {
    let same: Vec<&Source> = all.all.iter().filter(|s| s.name == of.name).collect();
    let other = match d.once_in(3) {
        true => d.one(&all.all),
        false => d.one(&same).copied(),
    };
    let Some(other) = other.map(|s| &s.bundle) else {
        return;
    };
    let n = d.below(b.parts.len());
    let (Some(mine), Some(theirs)) = (b.parts.get_mut(n), d.one(&other.parts)) else {
        b.executions.clone_from(&other.executions);
        return;
    };
    match d.below(8) {
        0 => {
            (mine.diagrams, mine.states) = (theirs.diagrams.clone(), theirs.states);
            (mine.inside, mine.invariant) = (theirs.inside.clone(), theirs.invariant);
            mine.items.clone_from(&theirs.items);
        }
        1 => mine.claims.clone_from(&theirs.claims),
        2 => {
            (mine.classes, mine.letters) = (theirs.classes.clone(), theirs.letters.clone());
            mine.derivations.clone_from(&theirs.derivations);
        }
        3 => mine.transactions.clone_from(&theirs.transactions),
        4 => mine.visible.clone_from(&theirs.visible),
        5 => b.disciplines.clone_from(&other.disciplines),
        6 => *mine = theirs.clone(),
        _ => b.parts.push(theirs.clone()),
    }
}
