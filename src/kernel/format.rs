//! Certificates as text, one item a line: symbols, index variables, terms (each by the numbers of its parts), hypotheses, theorems.
//!
//! Reading is total: what is no certificate is rejected with its line, and what is one is checked while it is read.

use super::proof::{Claim, Development, Rejected, Rule, Statement, Theorem};
use crate::terms::{Id, Index, Node, Terms};
use rustc_hash::FxHashMap;
use std::fmt::Write;

const HEADER: &str = "coarsen certificate 1";

/// Operations that checking may take.
pub const WORK: u64 = 2_000_000_000;

/// Reads and checks a certificate.
///
/// # Errors
/// The first line that is wrong, or the first rule use that is none.
pub fn read(text: &str) -> Result<Development, Rejected> {
    let mut reader = Reader {
        d: Development::default(),
        ids: (0..3).collect(),
        lines: text.lines().enumerate().peekable(),
        at: 0,
    };
    reader.d.terms.allow(WORK);
    let at = |r: &Reader, why| Rejected {
        place: format!("line {}", r.at + 1),
        why,
    };
    match reader.file() {
        Ok(()) => Ok(reader.d),
        Err(Wrong::Form(why)) => Err(at(&reader, why)),
        Err(Wrong::Proof(rejected)) => Err(rejected),
    }
}

enum Wrong {
    Form(&'static str),
    Proof(Rejected),
}

impl From<&'static str> for Wrong {
    fn from(why: &'static str) -> Self {
        Wrong::Form(why)
    }
}

struct Reader<'t> {
    d: Development,
    /// The terms by the numbers they have in the text.
    ids: Vec<Id>,
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'t>>>,
    at: usize,
}

type Words<'t> = std::str::SplitWhitespace<'t>;

fn number<T: std::str::FromStr>(words: &mut Words) -> Result<T, &'static str> {
    words
        .next()
        .and_then(|w| w.parse().ok())
        .ok_or("a number is missing or too large")
}

fn numbers<T: std::str::FromStr>(words: &mut Words) -> Result<Vec<T>, &'static str> {
    words
        .by_ref()
        .map(|w| w.parse().map_err(|_| "not a number"))
        .collect()
}

/// `3>5`: pairs until the line or the list ends.
fn renaming(words: &mut Words) -> Result<Vec<(u32, u32)>, &'static str> {
    let pair = |w: &str| {
        w.split_once('>')
            .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)))
    };
    words
        .take_while(|w| *w != ";")
        .map(|w| pair(w).ok_or("not a pair of numbers"))
        .collect()
}

impl<'t> Reader<'t> {
    /// The next line that is neither empty nor a comment, with its first word taken off.
    fn line(&mut self) -> Option<(&'t str, Words<'t>)> {
        loop {
            let (n, text) = self.lines.next()?;
            self.at = n;
            let mut words = text.split_whitespace();
            match words.next() {
                Some(word) if !word.starts_with("//") => return Some((word, words)),
                _ => {}
            }
        }
    }

    fn file(&mut self) -> Result<(), Wrong> {
        match self.lines.next() {
            Some((_, HEADER)) => {}
            _ => return Err("not a certificate of this version".into()),
        }
        let mut ended = false;
        while let Some((word, mut words)) = self.line() {
            match word {
                "symbol" => self.symbol(&mut words)?,
                "variable" => self
                    .d
                    .variables
                    .push(words.next().unwrap_or("_").to_string()),
                "term" => self.term(&mut words)?,
                "hypothesis" => {
                    let name = words.next().ok_or("a name is missing")?.to_string();
                    let statement = self.statement()?;
                    self.d.assume(&name, statement);
                }
                "theorem" => {
                    let name = words.next().ok_or("a name is missing")?;
                    self.theorem(name)?;
                }
                "end" => {
                    ended = true;
                    break;
                }
                _ => return Err("this begins no item".into()),
            }
        }
        if !ended || self.line().is_some() {
            return Err("the text has no end, or goes on after it".into());
        }
        Ok(())
    }

    fn symbol(&mut self, words: &mut Words) -> Result<(), &'static str> {
        let test = match words.next() {
            Some("test") => true,
            Some("action") => false,
            _ => return Err("neither action nor test"),
        };
        let arity: usize = number(words)?;
        let name = words.next().ok_or("a name is missing")?;
        self.d.terms.symbol(name, test, arity);
        Ok(())
    }

    fn id(&self, n: usize) -> Result<Id, &'static str> {
        self.ids
            .get(n)
            .copied()
            .ok_or("there is no such term before this line")
    }

    fn term(&mut self, words: &mut Words) -> Result<(), &'static str> {
        let index = |w: &str| match w.split_at_checked(1) {
            Some(("i", n)) => n.parse().ok().map(Index::Var),
            Some(("b", n)) => n.parse().ok().map(Index::Bound),
            _ => None,
        };
        let indices = |words: &mut Words| -> Result<Vec<Index>, &'static str> {
            words.map(|w| index(w).ok_or("not an index")).collect()
        };
        let kind = words.next().unwrap_or_default();
        let id = match kind {
            "atom" => {
                let symbol: u32 = number(words)?;
                let indices = indices(words)?;
                let known = self
                    .d
                    .terms
                    .symbols()
                    .get(symbol as usize)
                    .ok_or("there is no such symbol")?;
                if known.arity != indices.len() {
                    return Err("a symbol with the wrong number of indices");
                }
                self.d.terms.atom(symbol, indices)
            }
            "sum" | "product" => {
                let all: Result<Vec<Id>, _> =
                    numbers(words)?.into_iter().map(|n| self.id(n)).collect();
                let all = all?;
                match kind {
                    "sum" => self.d.terms.sum(all),
                    _ => self.d.terms.product(all),
                }
            }
            "sumover" | "productover" => {
                let x = self.id(number(words)?)?;
                let but = indices(words)?;
                match kind {
                    "sumover" => self.d.terms.sum_over(but, x),
                    _ if self.d.terms.is_test(x) => self.d.terms.product_over(but, x),
                    _ => return Err("a product over processes is one of tests"),
                }
            }
            _ => {
                let x = self.id(number(words)?)?;
                match kind {
                    "not" if self.d.terms.is_test(x) => self.d.terms.not(x),
                    "star" => self.d.terms.star(x),
                    "omega" => self.d.terms.omega(x),
                    _ => return Err("no such term, or the complement of an action"),
                }
            }
        };
        if self.d.terms.is_spent() {
            return Err("too large: the limit of the checker is reached");
        }
        self.ids.push(id);
        Ok(())
    }

    /// `distinct` and `part` lines.
    fn statement(&mut self) -> Result<Statement, &'static str> {
        let mut s = Statement::default();
        while let Some((_, text)) = self.lines.peek().copied() {
            let mut words = text.split_whitespace();
            match words.next() {
                Some("distinct") => {
                    let pairs = renaming(&mut words)?;
                    s.distinct = super::proof::distinct(pairs)
                        .ok_or("a process is asked to differ from itself")?;
                }
                Some("part") => {
                    let part = (self.id(number(&mut words)?)?, self.id(number(&mut words)?)?);
                    s.parts.push(part);
                }
                _ => break,
            }
            self.line();
        }
        Ok(s)
    }

    fn theorem(&mut self, name: &str) -> Result<(), Wrong> {
        let mut theorem = Theorem {
            name: name.to_string(),
            ..Theorem::default()
        };
        loop {
            let (word, mut words) = self.line().ok_or("the theorem has no end")?;
            match word {
                "premise" => theorem.premises.push(self.statement()?),
                "statement" => theorem.statement = self.statement()?,
                "step" => {
                    let rule = self.rule(&mut words)?;
                    if words.next().is_some() {
                        return Err("more on the line than the rule takes".into());
                    }
                    theorem.steps.push(rule);
                }
                "pair" => {
                    let l = self.id(number(&mut words)?)?;
                    let rs: Result<Vec<Id>, _> = numbers(&mut words)?
                        .into_iter()
                        .map(|n| self.id(n))
                        .collect();
                    match theorem.steps.last_mut() {
                        Some(Rule::Decide(_, _, pairs)) => pairs.push((l, rs?)),
                        _ => return Err("a pair belongs to a decision".into()),
                    }
                }
                "qed" => {
                    theorem.proves = numbers(&mut words)?;
                    return self.d.admit(theorem).map(|_| ()).map_err(Wrong::Proof);
                }
                _ => return Err("this belongs to no theorem".into()),
            }
        }
    }

    fn rule(&mut self, words: &mut Words) -> Result<Rule, &'static str> {
        let kind = words.next().unwrap_or_default();
        let term = |r: &Self, words: &mut Words| r.id(number(words)?);
        Ok(match kind {
            "decide" => Rule::Decide(term(self, words)?, term(self, words)?, Vec::new()),
            "hypothesis" => Rule::Hypothesis(number(words)?, number(words)?, renaming(words)?),
            "premise" => Rule::Premise(number(words)?, number(words)?, renaming(words)?),
            "theorem" => {
                let (theorem, part, variables) = (number(words)?, number(words)?, renaming(words)?);
                let mut letters = Vec::new();
                for (symbol, by) in renaming(words)? {
                    letters.push((symbol, self.id(by as usize)?));
                }
                Rule::Theorem {
                    theorem,
                    part,
                    variables,
                    letters,
                    premises: numbers(words)?,
                }
            }
            "chain" => Rule::Chain(numbers(words)?),
            "join" => Rule::Join(numbers(words)?),
            "context" => Rule::Context(term(self, words)?, number(words)?, number(words)?),
            "starleft" => Rule::StarLeft(term(self, words)?, number(words)?, number(words)?),
            "starright" => Rule::StarRight(term(self, words)?, number(words)?, number(words)?),
            "coinduction" => {
                Rule::Coinduction(term(self, words)?, term(self, words)?, number(words)?)
            }
            "unfold" => Rule::Unfold(term(self, words)?),
            "sumintro" => Rule::SumIntro(term(self, words)?, number(words)?),
            "productelim" => Rule::ProductElim(term(self, words)?, number(words)?),
            "sumelim" => {
                let (a, sum, b) = (term(self, words)?, term(self, words)?, term(self, words)?);
                Rule::SumElim(a, sum, b, number(words)?, number(words)?)
            }
            "productintro" => {
                Rule::ProductIntro(term(self, words)?, number(words)?, number(words)?)
            }
            "separate" => Rule::Separate(term(self, words)?, number(words)?),
            "cases" => {
                let (i, j) = (number(words)?, number(words)?);
                let (left, right) = (term(self, words)?, term(self, words)?);
                let (same, differ) = (number(words)?, number(words)?);
                Rule::Cases(
                    i,
                    j,
                    Claim {
                        distinct: renaming(words)?,
                        left,
                        right,
                    },
                    same,
                    differ,
                )
            }
            _ => return Err("no such rule"),
        })
    }
}

/// Writes a development. Names must have no blanks in them.
pub fn write(d: &Development) -> String {
    let mut w = Writer {
        terms: &d.terms,
        numbers: FxHashMap::default(),
        text: format!("{HEADER}\n"),
    };
    (0..3).for_each(|t| _ = w.numbers.insert(t, t as usize));
    for s in d.terms.symbols() {
        let sort = if s.test { "test" } else { "action" };
        w.say(format_args!("symbol {sort} {} {}", s.arity, s.name));
    }
    for v in &d.variables {
        w.say(format_args!("variable {v}"));
    }
    for (name, statement) in d.hypotheses() {
        w.terms_of(statement);
        w.say(format_args!("hypothesis {name}"));
        w.statement(statement);
    }
    for theorem in d.theorems() {
        w.theorem(theorem);
    }
    w.text.push_str("end\n");
    w.text
}

struct Writer<'d> {
    terms: &'d Terms,
    numbers: FxHashMap<Id, usize>,
    text: String,
}

fn joined<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter()
        .map(|x| x.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

fn pairs(all: &[(u32, u32)]) -> String {
    joined(all.iter().map(|(a, b)| format!("{a}>{b}")))
}

impl Writer<'_> {
    fn say(&mut self, line: std::fmt::Arguments) {
        // Writing to a string can't fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// The number of a term, written out with all its parts if it has none yet.
    fn id(&mut self, t: Id) -> usize {
        if let Some(&n) = self.numbers.get(&t) {
            return n;
        }
        let index = |i: &Index| match i {
            Index::Var(n) => format!("i{n}"),
            Index::Bound(n) => format!("b{n}"),
        };
        let line = match self.terms.node(t).clone() {
            Node::Zero | Node::One | Node::Top => String::new(),
            Node::Atom(s, indices) => format!("atom {s} {}", joined(indices.iter().map(index))),
            Node::Not(x) => format!("not {}", self.id(x)),
            Node::Star(x) => format!("star {}", self.id(x)),
            Node::Omega(x) => format!("omega {}", self.id(x)),
            Node::Sum(all) => format!("sum {}", joined(all.into_iter().map(|x| self.id(x)))),
            Node::Product(all) => {
                format!("product {}", joined(all.into_iter().map(|x| self.id(x))))
            }
            Node::SumOver(but, x) => {
                format!("sumover {} {}", self.id(x), joined(but.iter().map(index)))
            }
            Node::ProductOver(but, x) => format!(
                "productover {} {}",
                self.id(x),
                joined(but.iter().map(index))
            ),
        };
        self.say(format_args!("term {}", line.trim_end()));
        let n = self.numbers.len();
        self.numbers.insert(t, n);
        n
    }

    fn terms_of(&mut self, s: &Statement) {
        for &(l, r) in &s.parts {
            self.id(l);
            self.id(r);
        }
    }

    fn statement(&mut self, s: &Statement) {
        if !s.distinct.is_empty() {
            self.say(format_args!("distinct {}", pairs(&s.distinct)));
        }
        for &(l, r) in &s.parts {
            let (l, r) = (self.id(l), self.id(r));
            self.say(format_args!("part {l} {r}"));
        }
    }

    fn theorem(&mut self, t: &Theorem) {
        // Terms stand before the theorem that speaks of them.
        t.premises.iter().for_each(|p| self.terms_of(p));
        self.terms_of(&t.statement);
        let before = std::mem::take(&mut self.text);
        let mut lines: Vec<String> = Vec::new();
        for rule in &t.steps {
            let line = self.rule(rule);
            lines.push(format!("step {line}"));
            if let Rule::Decide(_, _, all) = rule {
                for (l, rs) in all {
                    let l = self.id(*l);
                    let rs = joined(rs.iter().map(|r| self.id(*r)));
                    lines.push(format!("pair {l} {rs}"));
                }
            }
        }
        self.text = before + &self.text;
        self.say(format_args!("theorem {}", t.name));
        for p in &t.premises {
            self.say(format_args!("premise"));
            self.statement(p);
        }
        self.say(format_args!("statement"));
        self.statement(&t.statement);
        for line in lines {
            self.say(format_args!("{}", line.trim_end()));
        }
        self.say(format_args!("qed {}", joined(&t.proves)));
    }

    fn rule(&mut self, rule: &Rule) -> String {
        match rule {
            Rule::Decide(l, r, _) => format!("decide {} {}", self.id(*l), self.id(*r)),
            Rule::Hypothesis(n, part, map) => format!("hypothesis {n} {part} {}", pairs(map)),
            Rule::Premise(n, part, map) => format!("premise {n} {part} {}", pairs(map)),
            Rule::Theorem {
                theorem,
                part,
                variables,
                letters,
                premises,
            } => {
                let letters = joined(
                    letters
                        .iter()
                        .map(|(s, by)| format!("{s}>{}", self.id(*by))),
                );
                let variables = pairs(variables);
                format!(
                    "theorem {theorem} {part} {variables} ; {letters} ; {}",
                    joined(premises)
                )
            }
            Rule::Chain(all) => format!("chain {}", joined(all)),
            Rule::Join(all) => format!("join {}", joined(all)),
            Rule::Context(c, hole, n) => format!("context {} {hole} {n}", self.id(*c)),
            Rule::StarLeft(x, a, b) => format!("starleft {} {a} {b}", self.id(*x)),
            Rule::StarRight(x, a, b) => format!("starright {} {a} {b}", self.id(*x)),
            Rule::Coinduction(x, z, n) => {
                format!("coinduction {} {} {n}", self.id(*x), self.id(*z))
            }
            Rule::Unfold(x) => format!("unfold {}", self.id(*x)),
            Rule::SumIntro(s, k) => format!("sumintro {} {k}", self.id(*s)),
            Rule::ProductElim(p, k) => format!("productelim {} {k}", self.id(*p)),
            Rule::SumElim(a, s, b, j, n) => {
                format!(
                    "sumelim {} {} {} {j} {n}",
                    self.id(*a),
                    self.id(*s),
                    self.id(*b)
                )
            }
            Rule::ProductIntro(p, j, n) => format!("productintro {} {j} {n}", self.id(*p)),
            Rule::Separate(s, k) => format!("separate {} {k}", self.id(*s)),
            Rule::Cases(i, j, c, same, differ) => {
                let (l, r) = (self.id(c.left), self.id(c.right));
                format!(
                    "cases {i} {j} {l} {r} {same} {differ} {}",
                    pairs(&c.distinct)
                )
            }
        }
    }
}
