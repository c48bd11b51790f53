//! Certificates as text, one item a line: symbols, index variables, terms (each by the numbers of its parts),
//! hypotheses, theorems.
//!
//! Reading is total: what is no certificate is rejected with its line, and what is one is checked while it is read.
//! `docs/proof-format.md` describes the text for those who write another checker.

use crate::names::{is_name, is_title};
use crate::proof::{Claim, Development, Field, Rejected, Rule, Statement, Theorem, distinct};
use crate::terms::{Id, Index, Node, Operator, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::{Display, Write};

const SPENT: &str = "too large";
const HEADER: &str = "coarsen certificate 1";

/// Operations that checking may take.
pub const WORK: u64 = 2_000_000_000;

/// Bytes that terms and claims may take for a certificate of this length. With all that is read, a replay takes at most
/// twice as many.
pub fn room(length: usize) -> u64 {
    32 * (length as u64 + (1 << 20))
}

/// Each rule as it is called, with fields to be filled in.
static RULES: [(&str, Rule); 23] = [
    ("decide", Rule::Decide(0, 0, Vec::new())),
    ("hypothesis", Rule::Hypothesis(0, 0, Vec::new())),
    ("premise", Rule::Premise(0, 0, Vec::new())),
    (
        "theorem",
        Rule::Theorem {
            theorem: 0,
            part: 0,
            variables: Vec::new(),
            letters: Vec::new(),
            premises: Vec::new(),
        },
    ),
    ("chain", Rule::Chain(Vec::new())),
    ("join", Rule::Join(Vec::new())),
    ("context", Rule::Context(0, 0, 0)),
    ("starleft", Rule::StarLeft(0, 0, 0)),
    ("starright", Rule::StarRight(0, 0, 0)),
    ("coinduction", Rule::Coinduction(0, 0, 0)),
    ("unfold", Rule::Unfold(0)),
    ("domain", Rule::Domain(0)),
    ("codomain", Rule::Codomain(0)),
    ("beforedomain", Rule::BeforeDomain(0, 0, 0)),
    ("behindcodomain", Rule::BehindCodomain(0, 0, 0)),
    ("divergence", Rule::Divergence(0)),
    ("belowdivergence", Rule::BelowDivergence(0, 0)),
    ("sumintro", Rule::SumIntro(0, 0)),
    ("sumelim", Rule::SumElim(0, 0, 0, 0, 0)),
    ("productelim", Rule::ProductElim(0, 0)),
    ("productintro", Rule::ProductIntro(0, 0, 0)),
    ("separate", Rule::Separate(0, 0)),
    (
        "cases",
        Rule::Cases(
            0,
            0,
            Claim {
                distinct: Vec::new(),
                left: 0,
                right: 0,
            },
            0,
            0,
        ),
    ),
];

/// Reads and checks a certificate.
///
/// # Errors
/// The first wrong line, the first wrong rule use, or the limit that was hit.
pub fn read(text: &str) -> Result<Development, Rejected> {
    read_within(text, WORK)
}

/// The same in at most so many operations.
///
/// # Errors
/// As [`read`].
pub fn read_within(text: &str, operations: u64) -> Result<Development, Rejected> {
    let mut reader = Reader {
        d: Development::default(),
        ids: (0..3).collect(),
        lines: text.lines().enumerate().peekable(),
        at: 0,
        names: FxHashSet::default(),
    };
    reader.d.terms.allow_within(operations, room(text.len()));
    let why = match reader.file() {
        Ok(()) if !reader.d.terms.is_spent() => return Ok(reader.d),
        Ok(()) => "",
        Err(Wrong::Proof(rejected)) => return Err(rejected),
        Err(Wrong::Form(why)) => why,
    };
    let place = format!("line {}", reader.at + 1);
    Err(Rejected::at(place, why, &reader.d.terms))
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

type Read<T> = Result<T, &'static str>;
type Words<'t> = std::str::SplitWhitespace<'t>;

struct Reader<'t> {
    d: Development,
    /// The terms by the numbers they have in the text.
    ids: Vec<Id>,
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'t>>>,
    at: usize,
    /// What has a name.
    names: FxHashSet<(&'static str, &'t str)>,
}

fn digits<T: std::str::FromStr>(word: &str) -> Read<T> {
    let number = word.starts_with(|c: char| c.is_ascii_digit());
    let number = number.then(|| word.parse().ok()).flatten();
    number.ok_or("a number is missing or too large")
}

fn number<T: std::str::FromStr>(words: &mut Words) -> Read<T> {
    digits(words.next().unwrap_or_default())
}

fn numbers<T: std::str::FromStr>(words: &mut Words) -> Read<Vec<T>> {
    words.map(digits).collect()
}

/// `3>5`: pairs until the line or the list ends.
fn pairs(words: &mut Words) -> Read<Vec<(u32, u32)>> {
    let all = words.take_while(|w| *w != ";").map(|w| {
        let (a, b) = w.split_once('>').ok_or("not a pair of numbers")?;
        Ok((digits(a)?, digits(b)?))
    });
    all.collect()
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
        loop {
            let (word, mut words) = self.line().ok_or("the text has no end")?;
            match word {
                "symbol" => self.symbol(&mut words)?,
                "variable" => {
                    let name = self.name("variable", &mut words, is_name)?;
                    self.d.variables.push(name.to_string());
                }
                "term" => self.term(&mut words)?,
                "hypothesis" => {
                    let name = self.name("hypothesis", &mut words, is_title)?;
                    let statement = self.statement()?;
                    self.d.assume(name, statement);
                }
                "theorem" => {
                    let name = self.name("theorem", &mut words, is_title)?;
                    let theorem = self.theorem(name)?;
                    self.d.admit(theorem).map_err(Wrong::Proof)?;
                }
                "end" => match self.line() {
                    None => return Ok(()),
                    Some(_) => return Err("the text goes on after its end".into()),
                },
                _ => return Err("this begins no item".into()),
            }
            over(&mut words)?;
        }
    }

    /// A name that nothing of its kind has.
    fn name(
        &mut self,
        kind: &'static str,
        words: &mut Words<'t>,
        is_one: fn(&str) -> bool,
    ) -> Read<&'t str> {
        let name = words.next().filter(|name| is_one(name));
        let name = name.ok_or("a name is missing, or not one of the language")?;
        match self.names.insert((kind, name)) {
            true => Ok(name),
            false => Err("this name is given twice"),
        }
    }

    fn symbol(&mut self, words: &mut Words<'t>) -> Read<()> {
        let test = match words.next() {
            Some("test") => true,
            Some("action") => false,
            _ => return Err("neither action nor test"),
        };
        let arity: usize = number(words)?;
        let name = self.name("symbol", words, is_name)?;
        self.d.terms.symbol(name, test, arity);
        Ok(())
    }

    fn id(&self, n: usize) -> Read<Id> {
        let known = self.ids.get(n).copied();
        known.ok_or("there is no such term before this line")
    }

    fn term(&mut self, words: &mut Words) -> Read<()> {
        let form = match words.next().unwrap_or_default() {
            "atom" => Node::Atom(number(words)?, Vec::new()),
            "not" => Node::Not(0),
            "sum" => Node::Sum(Vec::new()),
            "product" => Node::Product(Vec::new()),
            "star" => Node::Star(0),
            "omega" => Node::Omega(0),
            "sumover" => Node::SumOver(Vec::new(), 0),
            "productover" => Node::ProductOver(Vec::new(), 0),
            word => match Operator::ALL.into_iter().find(|o| o.word() == word) {
                Some(operator) => Node::Applied(operator, 0),
                None => return Err("no such term"),
            },
        };
        let (mut parts, mut indices) = (Vec::new(), Vec::new());
        for word in words {
            match word.split_at_checked(1) {
                Some(("i", n)) => indices.push(Index::Var(digits(n)?)),
                Some(("b", n)) => indices.push(Index::Bound(digits(n)?)),
                _ => parts.push(self.id(digits(word)?)?),
            }
        }
        let terms = &mut self.d.terms;
        let fits = match &form {
            Node::Atom(s, _) => {
                let symbol = terms.symbols().get(*s as usize);
                parts.is_empty() && symbol.is_some_and(|s| s.arity == indices.len())
            }
            Node::Sum(_) | Node::Product(_) => indices.is_empty(),
            Node::SumOver(..) | Node::ProductOver(..) => parts.len() == 1,
            _ => parts.len() == 1 && indices.is_empty(),
        };
        if !fits {
            return Err("no such symbol, or not the parts and indices that it takes");
        }
        let of_tests = matches!(form, Node::Not(_) | Node::ProductOver(..));
        if of_tests && !terms.is_test(parts[0]) {
            return Err("only tests have complements and products over processes");
        }
        self.ids.push(terms.build(&form, parts, indices));
        match self.d.terms.is_spent() {
            true => Err(SPENT),
            false => Ok(()),
        }
    }

    /// `distinct` and `part` lines.
    fn statement(&mut self) -> Read<Statement> {
        let mut s = Statement::default();
        while let Some((_, text)) = self.lines.peek().copied() {
            let mut words = text.split_whitespace();
            match words.next() {
                Some("distinct") if s == Statement::default() => {
                    let pairs = distinct(pairs(&mut words)?);
                    s.distinct = pairs.ok_or("a process is asked to differ from itself")?;
                }
                Some("part") => {
                    let part = (self.id(number(&mut words)?)?, self.id(number(&mut words)?)?);
                    let terms = &self.d.terms;
                    if !terms.is_closed(part.0) || !terms.is_closed(part.1) {
                        return Err("an index has lost its binder");
                    }
                    s.parts.push(part);
                }
                _ => break,
            }
            self.line();
            over(&mut words)?;
        }
        match s.parts.is_empty() {
            true => Err("the statement has no part"),
            false => Ok(s),
        }
    }

    fn theorem(&mut self, name: &str) -> Read<Theorem> {
        let mut theorem = Theorem {
            name: name.to_string(),
            ..Theorem::default()
        };
        loop {
            let (word, mut words) = self.line().ok_or("the theorem has no end")?;
            match word {
                "premise" => theorem.premises.push(self.statement()?),
                "statement" if theorem.statement.parts.is_empty() => {
                    theorem.statement = self.statement()?;
                }
                "step" => theorem.steps.push(self.rule(&mut words)?),
                "pair" => {
                    let l = self.id(number(&mut words)?)?;
                    let rs = words.by_ref().map(|w| self.id(digits(w)?));
                    let rs: Vec<Id> = rs.collect::<Read<_>>()?;
                    match theorem.steps.last_mut() {
                        Some(Rule::Decide(_, _, pairs)) => pairs.push((l, rs)),
                        _ => return Err("a pair belongs to a decision"),
                    }
                }
                "qed" => {
                    theorem.proves = numbers(&mut words)?;
                    return Ok(theorem);
                }
                _ => return Err("this belongs to no theorem"),
            }
            over(&mut words)?;
        }
    }

    fn rule(&mut self, words: &mut Words) -> Read<Rule> {
        let name = words.next().unwrap_or_default();
        let blank = RULES.iter().find(|(known, _)| *known == name);
        let (_, mut rule) = blank.ok_or("no such rule")?.clone();
        for field in rule.fields() {
            match field {
                Field::Term(t) => *t = self.id(number(words)?)?,
                Field::Number(n) => *n = number(words)?,
                Field::Position(n) | Field::Step(n) => *n = number(words)?,
                Field::Steps(all) => *all = numbers(words)?,
                Field::Renaming(map) => *map = pairs(words)?,
                Field::Letters(map) => {
                    for (symbol, by) in pairs(words)? {
                        map.push((symbol, self.id(by as usize)?));
                    }
                }
            }
        }
        Ok(rule)
    }
}

fn over(words: &mut Words) -> Read<()> {
    match words.next() {
        None => Ok(()),
        Some(_) => Err("more on the line than belongs there"),
    }
}

/// Writes a development. It can be read again if its names are such as [`is_name`] and [`is_title`] say, each given
/// once.
pub fn write(d: &Development) -> String {
    let mut w = Writer {
        terms: &d.terms,
        numbers: (0..3).map(|t| (t, t as usize)).collect(),
        text: format!("{HEADER}\n"),
    };
    for s in d.terms.symbols() {
        let sort = if s.test { "test" } else { "action" };
        w.say(format_args!("symbol {sort} {} {}", s.arity, s.name));
    }
    for v in &d.variables {
        w.say(format_args!("variable {v}"));
    }
    for (name, statement) in d.hypotheses() {
        let lines = w.statement(statement);
        w.say(format_args!("hypothesis {name}\n{lines}"));
    }
    d.theorems().for_each(|theorem| w.theorem(theorem));
    w.text.push_str("end\n");
    w.text
}

struct Writer<'d> {
    terms: &'d Terms,
    numbers: FxHashMap<Id, usize>,
    text: String,
}

fn joined<T: Display>(all: impl IntoIterator<Item = T>) -> String {
    let words = all.into_iter().map(|x| x.to_string());
    words
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn arrows<A: Display, B: Display>(all: impl IntoIterator<Item = (A, B)>) -> String {
    joined(all.into_iter().map(|(a, b)| format!("{a}>{b}")))
}

impl Writer<'_> {
    fn say(&mut self, lines: std::fmt::Arguments) {
        // Writing to a string can't fail.
        let _ = writeln!(self.text, "{}", lines.to_string().trim_end());
    }

    /// The number of a term, written out with all its parts if it has none yet.
    fn id(&mut self, t: Id) -> usize {
        if let Some(&n) = self.numbers.get(&t) {
            return n;
        }
        let node = self.terms.node(t);
        let kind = match node {
            Node::Zero | Node::One | Node::Top => String::new(),
            Node::Atom(s, _) => format!("atom {s}"),
            Node::Not(_) => "not".into(),
            Node::Sum(_) => "sum".into(),
            Node::Product(_) => "product".into(),
            Node::Star(_) => "star".into(),
            Node::Omega(_) => "omega".into(),
            Node::Applied(operator, _) => operator.word().into(),
            Node::SumOver(..) => "sumover".into(),
            Node::ProductOver(..) => "productover".into(),
        };
        let parts = joined(node.parts().iter().map(|x| self.id(*x)));
        let indices = joined(node.indices().iter().map(|i| match i {
            Index::Var(n) => format!("i{n}"),
            Index::Bound(n) => format!("b{n}"),
        }));
        self.say(format_args!("term {}", joined([kind, parts, indices])));
        let n = self.numbers.len();
        self.numbers.insert(t, n);
        n
    }

    fn statement(&mut self, s: &Statement) -> String {
        let mut lines = match s.distinct.as_slice() {
            [] => String::new(),
            some => format!("distinct {}\n", arrows(some.iter().copied())),
        };
        for &(l, r) in &s.parts {
            let _ = writeln!(lines, "part {} {}", self.id(l), self.id(r));
        }
        lines
    }

    /// Terms stand before the theorem that speaks of them.
    fn theorem(&mut self, t: &Theorem) {
        let mut lines = format!("theorem {}\n", t.name);
        for p in &t.premises {
            lines += &format!("premise\n{}", self.statement(p));
        }
        lines += &format!("statement\n{}", self.statement(&t.statement));
        for rule in &t.steps {
            lines += &format!("step {}\n", self.rule(rule.clone()));
            if let Rule::Decide(_, _, pairs) = rule {
                for (l, rs) in pairs {
                    let all = std::iter::once(l).chain(rs).map(|t| self.id(*t));
                    lines += &format!("pair {}\n", joined(all));
                }
            }
        }
        self.say(format_args!("{lines}qed {}", joined(&t.proves)));
    }

    fn rule(&mut self, mut rule: Rule) -> String {
        let same = |r: &Rule| std::mem::discriminant(r) == std::mem::discriminant(&rule);
        let name = RULES
            .iter()
            .find(|(_, r)| same(r))
            .map_or("", |(name, _)| name);
        let fields = rule.fields();
        let ends = fields.len();
        let words = fields.into_iter().enumerate().map(|(n, field)| {
            let list = match field {
                Field::Term(t) => return self.id(*t).to_string(),
                Field::Number(n) => return n.to_string(),
                Field::Position(n) | Field::Step(n) => return n.to_string(),
                Field::Steps(all) => joined(all),
                Field::Renaming(map) => arrows(map.iter().copied()),
                Field::Letters(map) => arrows(map.iter().map(|(s, by)| (*s, self.id(*by)))),
            };
            // Each list but the last ends with a sign.
            joined([list.as_str(), if n + 1 < ends { ";" } else { "" }])
        });
        joined(std::iter::once(name.to_string()).chain(words.collect::<Vec<_>>()))
    }
}
