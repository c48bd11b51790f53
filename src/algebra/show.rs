//! Terms and statements of the kernel in the language of the files, with the names that a development gives to index variables.

use crate::kernel::{Development, Id, Index, Node, Statement};
use std::fmt::Write;

/// A term is cut off behind so many characters: shared parts can make it exponentially long.
const LONGEST: usize = 4000;

/// A term.
pub fn term(d: &Development, t: Id) -> String {
    let mut writer = Writer {
        d,
        text: String::new(),
        bound: Vec::new(),
    };
    writer.term(t, 0);
    writer.text
}

/// `x <= y`, or `x = y` where both inclusions stand one after the other; several parts are separated by commas.
pub fn statement(d: &Development, s: &Statement) -> String {
    let mut text = conditions(d, &s.distinct);
    let mut parts = s.parts.as_slice();
    let mut ends: Option<(Id, Id)> = None;
    while let Some((&(l, r), rest)) = parts.split_first() {
        let equal = rest.first() == Some(&(r, l));
        parts = if equal { &rest[1..] } else { rest };
        let order = if equal { "=" } else { "<=" };
        // Neighbours that meet are a chain; what it says as a whole, which follows it, needs no words.
        match ends {
            Some((first, last)) if (first, last) == (l, r) => continue,
            Some((first, last)) if last == l => {
                let _ = write!(text, " {order} {}", term(d, r));
                ends = Some((first, r));
            }
            _ => {
                let separator = if ends.is_none() { "" } else { ", " };
                let _ = write!(text, "{separator}{} {order} {}", term(d, l), term(d, r));
                ends = Some((l, r));
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

/// The name of an index variable.
pub fn variable(d: &Development, v: u32) -> String {
    match d.variables.get(v as usize) {
        // Two variables of one name are told apart.
        Some(name) if d.variables.iter().position(|n| n == name) == Some(v as usize) => {
            name.clone()
        }
        Some(name) => format!("{name}_{v}"),
        None => format!("i_{v}"),
    }
}

struct Writer<'d> {
    d: &'d Development,
    text: String,
    /// Names of the enclosing binders.
    bound: Vec<String>,
}

/// Binding strengths.
const SUM: u8 = 0;
const PRODUCT: u8 = 1;
const POSTFIX: u8 = 2;
const PRIMARY: u8 = 3;

impl Writer<'_> {
    fn term(&mut self, t: Id, least: u8) {
        if self.text.len() > LONGEST {
            if !self.text.ends_with("..") {
                self.text.push_str("..");
            }
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
            Node::Atom(s, indices) => {
                let name = self.d.terms.symbols().get(*s as usize);
                self.text.push_str(name.map_or("?", |s| &s.name));
                if !indices.is_empty() {
                    let all: Vec<String> = indices.iter().map(|i| self.index(*i)).collect();
                    let _ = write!(self.text, "[{}]", all.join(", "));
                }
            }
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
            Node::SumOver(but, x) => self.over('+', but, *x),
            Node::ProductOver(but, x) => self.over('.', but, *x),
        }
    }

    fn list(&mut self, all: &[Id], separator: &str, least: u8) {
        for (n, x) in all.iter().enumerate() {
            if n > 0 {
                self.text.push_str(separator);
            }
            if self.text.len() > LONGEST {
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
