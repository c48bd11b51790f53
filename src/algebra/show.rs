//! Terms and statements of the kernel in the language of the files, with the names that a development gives to index
//! variables.

use crate::kernel::{Development, Id, Index, Node, Statement, Sym};
use std::fmt::Write;

/// A term in a message is cut off behind so many characters: shared parts can make it exponentially long.
const LONGEST: usize = 4000;

/// A term; if it is very long, its beginning, and that it is cut.
pub fn term(d: &Development, t: Id) -> String {
    let (text, is_whole) = within(d, t, LONGEST);
    if is_whole { text } else { text + " .. (cut)" }
}

/// A term or its beginning, and whether it is all of it.
fn within(d: &Development, t: Id, most: usize) -> (String, bool) {
    let mut writer = Writer {
        d,
        text: String::new(),
        bound: Vec::new(),
        most,
    };
    writer.term(t, 0);
    let is_whole = writer.text.len() <= most;
    (writer.text, is_whole)
}

/// `x <= y`, or `x = y` where both inclusions stand one after the other; several parts are separated by commas.
pub fn statement(d: &Development, s: &Statement) -> String {
    stated(d, s, &mut |t| term(d, t))
}

/// A statement, nothing cut off; none if it is longer than the bytes left, which are counted down.
pub fn whole(d: &Development, s: &Statement, left: &mut usize) -> Option<String> {
    let mut fits = true;
    let text = stated(d, s, &mut |t| {
        let (text, is_whole) = within(d, t, if fits { *left } else { 0 });
        fits = fits && is_whole;
        *left = left.saturating_sub(text.len());
        text
    });
    fits.then_some(text)
}

fn stated(d: &Development, s: &Statement, term: &mut dyn FnMut(Id) -> String) -> String {
    let mut text = conditions(d, &s.distinct);
    let mut parts = s.parts.as_slice();
    // The ends of the chain at hand, and whether all of it are equations.
    let mut ends: Option<(Id, Id, bool)> = None;
    while let Some((&(l, r), rest)) = parts.split_first() {
        let equal = rest.first() == Some(&(r, l));
        parts = if equal { &rest[1..] } else { rest };
        let order = if equal { "=" } else { "<=" };
        // Neighbours that meet are a chain; what it says as a whole, which follows it, needs no words.
        match ends {
            Some((first, last, equals)) if (first, last) == (l, r) && (equals || !equal) => {}
            Some((first, last, equals)) if last == l => {
                let _ = write!(text, " {order} {}", term(r));
                ends = Some((first, r, equals && equal));
            }
            _ => {
                let separator = if ends.is_none() { "" } else { ", " };
                let left = term(l);
                let _ = write!(text, "{separator}{left} {order} {}", term(r));
                ends = Some((l, r, equal));
            }
        }
    }
    text
}

/// `i != j, i != k => `, or nothing.
pub fn conditions(d: &Development, distinct: &[(u32, u32)]) -> String {
    let pairs = distinct
        .iter()
        .map(|(i, j)| format!("{} != {}", variable(d, *i), variable(d, *j)));
    match distinct {
        [] => String::new(),
        _ => pairs.collect::<Vec<_>>().join(", ") + " => ",
    }
}

/// The name of an index variable; those without one have one that no other has.
pub fn variable(d: &Development, v: u32) -> String {
    if let Some(name) = d.variables.get(v as usize) {
        return name.clone();
    }
    let mut prefix = "i_".to_string();
    while d.variables.iter().any(|n| n.starts_with(&prefix)) {
        prefix.push('_');
    }
    format!("{prefix}{v}")
}

struct Writer<'d> {
    d: &'d Development,
    text: String,
    /// Names of the enclosing binders.
    bound: Vec<String>,
    /// Nothing is written behind so many characters.
    most: usize,
}

/// Binding strengths.
const SUM: u8 = 0;
const PRODUCT: u8 = 1;
const POSTFIX: u8 = 2;
const PRIMARY: u8 = 3;

impl Writer<'_> {
    fn term(&mut self, t: Id, least: u8) {
        if self.text.len() > self.most {
            return;
        }
        let node = self.d.terms.node(t);
        let strength = match node {
            Node::Sum(_) => SUM,
            Node::Product(_) => PRODUCT,
            Node::Star(_) | Node::Omega(_) => POSTFIX,
            _ => PRIMARY,
        };
        if strength < least {
            self.text.push('(');
            self.term(t, SUM);
            self.text.push(')');
            return;
        }
        match node {
            Node::Zero => self.text.push('0'),
            Node::One => self.text.push('1'),
            Node::Top => self.text.push('T'),
            Node::Atom(s, indices) => match self.d.terms.is_converse_of(*s) {
                Some(of) => {
                    self.text.push_str("conv(");
                    self.atom(of, indices);
                    self.text.push(')');
                }
                None => self.atom(*s, indices),
            },
            Node::Not(x) => {
                self.text.push('~');
                self.term(*x, PRIMARY);
            }
            Node::Sum(all) => self.list(all, " + ", PRODUCT),
            Node::Product(all) => self.list(all, " ", POSTFIX),
            Node::Star(x) => {
                self.term(*x, POSTFIX);
                self.text.push('*');
            }
            Node::Omega(x) => {
                self.term(*x, POSTFIX);
                self.text.push_str("^w");
            }
            Node::Applied(operator, x) => self.applied(operator.name(), *x),
            Node::SumOver(but, x) => self.over('+', but, *x),
            Node::ProductOver(but, x) => self.over('.', but, *x),
        }
    }

    fn atom(&mut self, s: Sym, indices: &[Index]) {
        let name = self.d.terms.symbols().get(s as usize);
        self.text.push_str(name.map_or("?", |s| &s.name));
        if !indices.is_empty() {
            let all: Vec<String> = indices.iter().map(|i| self.index(*i)).collect();
            let _ = write!(self.text, "[{}]", all.join(", "));
        }
    }

    fn applied(&mut self, operator: &str, x: Id) {
        let _ = write!(self.text, "{operator}(");
        self.term(x, SUM);
        self.text.push(')');
    }

    fn list(&mut self, all: &[Id], separator: &str, least: u8) {
        for (n, x) in all.iter().enumerate() {
            if n > 0 {
                self.text.push_str(separator);
            }
            if self.text.len() > self.most {
                break;
            }
            self.term(*x, least);
        }
    }

    fn over(&mut self, sign: char, but: &[Index], x: Id) {
        let name = self.fresh(but, x);
        let binder = match but {
            [] => name.clone(),
            _ => {
                let all: Vec<String> = but
                    .iter()
                    .map(|i| format!("{name} != {}", self.index(*i)))
                    .collect();
                all.join(", ")
            }
        };
        let _ = write!(self.text, "({sign} {binder} : ");
        self.bound.push(name);
        self.term(x, SUM);
        self.bound.pop();
        self.text.push(')');
    }

    fn index(&self, i: Index) -> String {
        match i {
            Index::Var(v) => variable(self.d, v),
            Index::Bound(n) => {
                let at = self.bound.len().checked_sub(1 + n as usize);
                at.and_then(|at| self.bound.get(at))
                    .cloned()
                    .unwrap_or_else(|| format!("?{n}"))
            }
        }
    }

    /// A name for the index bound around `x` that nothing in it has, and no process left out.
    fn fresh(&self, but: &[Index], x: Id) -> String {
        let is_free = |name: &String| {
            let known = self.d.variables.iter().position(|v| v == name);
            let inside =
                |v: usize| self.d.terms.has_var(x, v as u32) || but.contains(&Index::Var(v as u32));
            !self.bound.contains(name) && !known.is_some_and(inside)
        };
        let usual = ["i", "j", "k", "l", "m"].map(String::from).into_iter();
        usual
            .chain((0..=self.bound.len() + self.d.variables.len()).map(|n| format!("i{n}")))
            .find(is_free)
            .unwrap_or_default()
    }
}
