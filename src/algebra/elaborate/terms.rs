//! Terms: names, indices and sorts.

use super::{Elaborator, Later, Meaning};
use crate::algebra::suite::Level;
use crate::algebra::text::{codes as code, mistakes};
use crate::algebra::{Atom, Index, Over};
use crate::algebra::{Form, Function, Term};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::kernel::{self, Id, Node, ONE, TOP, ZERO};

/// The index variables around a term.
pub(super) struct Indices {
    /// Bound by a definition or a sum: a sum inside binds another.
    bound: Vec<String>,
    /// Whether there may be others.
    closed: bool,
}

impl Indices {
    /// A definition has no index but its own.
    pub fn of_definition(bound: Vec<String>) -> Self {
        Indices {
            bound,
            closed: true,
        }
    }

    /// A statement holds for all values of its free indices.
    pub fn of_statement() -> Self {
        Indices {
            bound: Vec::new(),
            closed: false,
        }
    }
}

impl Elaborator {
    /// The term; nothing if something in it is wrong, which is then among the errors.
    pub(super) fn term(&mut self, t: &Term, indices: &mut Indices) -> Option<Id> {
        match &t.form {
            Form::Zero => Some(match self.demonic {
                Some(demonic) => demonic.nothing(&mut self.suite.development.terms),
                None => ZERO,
            }),
            Form::One => Some(ONE),
            Form::Top => {
                self.need(Level::Top, t.span, "`T`");
                Some(TOP)
            }
            Form::Atom(atom) => self.atom(atom, t.span, indices),
            Form::State(e) => {
                self.error(
                    code::MEANINGLESS,
                    t.span,
                    format!("`{{{e}}}` speaks of the states of a model; here is none"),
                    "a test",
                    "declare a test, or use `coarsen eval` with a model",
                );
                None
            }
            Form::Not(x) => {
                self.need(Level::Tests, t.span, "a complement");
                let inner = self.term(x, indices)?;
                self.test(inner, x, "so it has no complement")?;
                Some(self.suite.development.terms.not(inner))
            }
            Form::Sum(all) => {
                let all = self.each(all, indices)?;
                Some(self.suite.development.terms.sum(all))
            }
            Form::Product(all) => {
                let all = self.each(all, indices)?;
                Some(self.suite.development.terms.product(all))
            }
            Form::Star(x) => {
                self.need(Level::Kleene, t.span, "`*`");
                let x = self.term(x, indices)?;
                Some(self.suite.development.terms.star(x))
            }
            Form::Omega(x) => {
                self.need(Level::Omega, t.span, "`^w`");
                let x = self.term(x, indices)?;
                Some(self.suite.development.terms.omega(x))
            }
            Form::Applied(function, x) => {
                let level = match function {
                    Function::Test(operator) => Level::of(*operator),
                    Function::Converse => Level::Converse,
                };
                self.need(level, t.span, &format!("`{}`", function.name()));
                let x = self.term(x, indices)?;
                Some(match function {
                    Function::Test(operator) => self.suite.development.terms.applied(*operator, x),
                    Function::Converse => self.converses().of(x),
                })
            }
            Form::Hash(x, y) => {
                self.need(Level::Omega, t.span, "`#`");
                let (x, y) = (self.term(x, indices), self.term(y, indices));
                let (x, y) = (x?, y?);
                let terms = &mut self.suite.development.terms;
                let (omega, star) = (terms.omega(x), terms.star(x));
                let finite = terms.product([star, y]);
                Some(terms.sum([omega, finite]))
            }
            Form::SumOver(over, x) => {
                self.need_processes(t.span);
                let (but, body, _) = self.over(over, x, t.span, indices)?;
                Some(self.suite.development.terms.sum_over(but, body))
            }
            Form::ProductOver(over, x) => {
                self.need(Level::Tests, t.span, "a product over processes");
                let (but, body, open) = self.over(over, x, t.span, indices)?;
                self.test(
                    open,
                    x,
                    "and there are products over processes of tests only",
                )?;
                Some(self.suite.development.terms.product_over(but, body))
            }
        }
    }

    fn each(&mut self, all: &[Term], indices: &mut Indices) -> Option<Vec<Id>> {
        let all: Vec<Option<Id>> = all.iter().map(|x| self.term(x, indices)).collect();
        all.into_iter().collect()
    }

    fn test(&mut self, x: Id, tree: &Term, so: &str) -> Option<()> {
        if self.suite.development.terms.is_test(x) {
            return Some(());
        }
        // Too large a term is none, and told elsewhere.
        if !self.suite.development.terms.is_spent() {
            self.error(
                code::NO_TEST,
                tree.span,
                format!("`{}` is an action, {so}", short(tree)),
                "a test: declared with `test`, or a sum, product or complement of tests",
                "declare what is meant as a test: `test p;`",
            );
        }
        None
    }

    /// The level that a symbol needs.
    pub(super) fn need(&mut self, level: Level, span: Span, what: &str) {
        self.needs = self.needs.max(level);
        let undeclared = level == Level::Demonic && self.demonic.is_none();
        let level_here = self.level.or(undeclared.then_some(Level::Divergence));
        let Some(allowed) = level_here.filter(|l| !l.has(level)) else {
            return;
        };
        if !self.blamed {
            self.blamed = true;
            self.error(
                code::LEVEL,
                span,
                format!(
                    "{what} belongs to level `{}`, and this stands at level `{}`",
                    level.name(),
                    allowed.name()
                ),
                format!("a term of level `{}`", allowed.name()),
                match allowed {
                    Level::Demonic => {
                        "leave it out: there are no tests, as `x 0 = 0` need not hold".into()
                    }
                    _ => format!("put `level {};` before it", level.name()),
                },
            );
        }
    }

    /// What is defined elsewhere has the zero of elsewhere.
    fn need_no_zero(&mut self, body: Id, name: &str, span: Span) {
        let elsewhere =
            |n: &Node| matches!(n, Node::Zero | Node::SumOver(..)) || !n.indices().is_empty();
        let terms = &self.suite.development.terms;
        if self.demonic.is_some() && !self.blamed && terms.any(body, &mut |n| elsewhere(n)) {
            self.blamed = true;
            self.error(
                code::LEVEL,
                span,
                format!("`{name}` is defined at another level, where `x 0 = 0`, and has `0` or processes in it"),
                "a definition of level `demonic`",
                format!("define it behind `level demonic;`, under another name than `{name}`"),
            );
        }
    }

    /// At level `demonic` a sum over no process would have to be that level's zero.
    fn need_processes(&mut self, span: Span) {
        if self.demonic.is_some() && !self.blamed {
            self.blamed = true;
            self.error(
                code::LEVEL,
                span,
                "there are no processes at level `demonic`",
                "names without indices, and sums written out",
                "write `x + y` of two letters",
            );
        }
    }

    /// What is left out, the body with its index bound, and the body with its index free.
    fn over(
        &mut self,
        over: &Over,
        body: &Term,
        span: Span,
        indices: &mut Indices,
    ) -> Option<(Vec<kernel::Index>, Id, Id)> {
        let known = indices.bound.contains(&over.index);
        if known {
            self.error(
                code::SUMS,
                span,
                format!(
                    "`{}` is bound here already: by a sum around this, or as an index of the definition",
                    over.index
                ),
                "an index variable that is new here",
                "rename the index of this sum",
            );
        }
        let but: Vec<Option<u32>> = over
            .but
            .iter()
            .map(|i| self.index(i, span, indices))
            .collect();
        indices.bound.push(over.index.clone());
        let inner = self.term(body, indices);
        indices.bound.pop();
        let inner = inner.filter(|_| !known)?;
        let but = but.into_iter().map(|i| i.map(kernel::Index::Var));
        let but: Vec<kernel::Index> = but.collect::<Option<_>>()?;
        let variable = self.variable(&over.index);
        if self.asked && !self.suite.development.terms.has_var(inner, variable) {
            self.suite.warnings.push(Diagnostic::warning(
                code::UNUSED_BINDER,
                span,
                format!("`{}` is bound here and not used", over.index),
                format!("a term with `{}`", over.index),
                "all members are the same; see `coarsen explain W0401`",
            ));
        }
        let closed = self.suite.development.terms.close(inner, variable);
        Some((but, closed, inner))
    }

    /// The variable of an index.
    pub(super) fn index(
        &mut self,
        index: &Index,
        span: Span,
        indices: &mut Indices,
    ) -> Option<u32> {
        let Index::Name(name) = index else {
            self.error(
                code::MEANINGLESS,
                span,
                format!("`{index}` is a thread of a model; here is none"),
                "an index variable",
                "a statement holds for all values of its index variables: write `u[i]`",
            );
            return None;
        };
        if indices.closed && !indices.bound.contains(name) {
            self.error(
                code::SUMS,
                span,
                format!("nothing binds the index `{name}`"),
                "an index of the definition, or of a sum around this",
                format!("write `let NAME[{name}] = ..`, or a sum `(+ {name} : ..)`"),
            );
            return None;
        }
        Some(self.variable(name))
    }

    fn atom(&mut self, atom: &Atom, span: Span, indices: &mut Indices) -> Option<Id> {
        let arity = atom.indices.len();
        if arity > 0 {
            self.need_processes(span);
        }
        let variables: Vec<Option<u32>> = atom
            .indices
            .iter()
            .map(|i| self.index(i, span, indices))
            .collect();
        let meaning = self.meanings.get(&(atom.name.clone(), arity)).cloned();
        let Some(meaning) = meaning else {
            self.unknown(atom, span);
            return None;
        };
        let variables: Vec<u32> = variables.into_iter().collect::<Option<_>>()?;
        match meaning {
            Meaning::Letter(symbol) => {
                if self.suite.development.terms.symbols()[symbol as usize].test {
                    self.need(Level::Tests, span, "a test");
                }
                let indices = variables.into_iter().map(kernel::Index::Var).collect();
                Some(self.suite.development.terms.atom(symbol, indices))
            }
            Meaning::Definition {
                indices,
                body,
                level,
            } => {
                self.need(level, span, &format!("the definition of `{}`", atom.name));
                if level != Level::Demonic {
                    self.need_no_zero(body?, &atom.name, span);
                }
                let map: Vec<(u32, u32)> = indices.into_iter().zip(variables).collect();
                Some(self.suite.development.terms.rename(body?, &map))
            }
        }
    }

    fn unknown(&mut self, atom: &Atom, span: Span) {
        let (name, arity) = (&atom.name, atom.indices.len());
        let later = |l: &&Later| l.name == *name && l.arity == arity;
        if let Some(found) = self.later.iter().find(later) {
            let current = self.later.last().filter(|_| self.defining);
            let is_own = current.is_some_and(|c| c.name == *name && c.arity == arity);
            let (code, message) = if is_own {
                let message = format!("`{name}` is defined by itself");
                (code::CIRCULAR, message)
            } else if current.is_some_and(|c| self.leads_to(found, c)) {
                let own = current.map_or("", |c| &c.name);
                let message = format!("`{own}` and `{name}` are defined by each other");
                (code::CIRCULAR, message)
            } else {
                let message = format!("`{name}` is declared or defined only behind this");
                (code::UNKNOWN, message)
            };
            self.error(
                code,
                span,
                message,
                "names that are declared or defined before this",
                if code == code::CIRCULAR {
                    "what repeats is written with `*` or `^w`"
                } else {
                    "put the declaration or definition first"
                },
            );
            return;
        }
        let mut others: Vec<usize> = self
            .meanings
            .keys()
            .filter(|(n, _)| n == name)
            .map(|(_, arity)| *arity)
            .collect();
        others.sort_unstable();
        if !others.is_empty() {
            let counted = |n: &usize| match n {
                0 => "no index".to_string(),
                1 => "1 index".to_string(),
                n => format!("{n} indices"),
            };
            let takes: Vec<String> = others.iter().map(counted).collect();
            let example = others[0];
            let variables: Vec<&str> = ["i", "j", "k"].into_iter().take(example).collect();
            let example = match variables.as_slice() {
                [] => name.clone(),
                some => format!("{name}[{}]", some.join(", ")),
            };
            self.error(
                code::INDICES,
                span,
                format!(
                    "`{name}` takes {}, not {}",
                    takes.join(" or "),
                    if arity == 0 {
                        "none".to_string()
                    } else {
                        arity.to_string()
                    }
                ),
                format!("`{example}`"),
                "a name takes as many indices as its declaration says",
            );
            return;
        }
        let mut known: Vec<&str> = self.meanings.keys().map(|(n, _)| n.as_str()).collect();
        known.sort_unstable();
        let declare = match arity {
            0 => format!("declare it: `action {name};` or `test {name};`"),
            _ => format!("declare it: `action {atom};` or `test {atom};`"),
        };
        let help = match mistakes::named(name, &known) {
            Some(guess) => format!("{guess} Else {declare}"),
            None => declare,
        };
        self.error(
            code::UNKNOWN,
            span,
            format!("there is no `{name}`"),
            "a declared action or test, or a definition",
            help,
        );
    }

    /// Whether the definition at hand is used by a later one, perhaps through others.
    fn leads_to(&self, from: &Later, to: &Later) -> bool {
        let mut seen: Vec<&Later> = vec![from];
        let mut next = 0;
        while let Some(at) = seen.get(next).copied() {
            next += 1;
            for (name, arity) in &at.uses {
                if (name, arity) == (&to.name, &to.arity) {
                    return true;
                }
                let found = self
                    .later
                    .iter()
                    .find(|l| (&l.name, &l.arity) == (name, arity));
                if let Some(found) = found
                    && !seen.iter().any(|s| std::ptr::eq(*s, found))
                {
                    seen.push(found);
                }
            }
        }
        false
    }
}

/// The names in a term, with their numbers of indices.
pub(super) fn names_in(t: &Term, into: &mut Vec<(String, usize)>) {
    match &t.form {
        Form::Zero | Form::One | Form::Top | Form::State(_) => {}
        Form::Atom(a) => into.push((a.name.clone(), a.indices.len())),
        Form::Not(x) | Form::Star(x) | Form::Omega(x) => names_in(x, into),
        Form::Applied(_, x) => names_in(x, into),
        Form::SumOver(_, x) | Form::ProductOver(_, x) => names_in(x, into),
        Form::Sum(all) | Form::Product(all) => all.iter().for_each(|x| names_in(x, into)),
        Form::Hash(x, y) => {
            names_in(x, into);
            names_in(y, into);
        }
    }
}

/// A term in a message.
fn short(t: &Term) -> String {
    const LONG: usize = 60;
    let text = t.to_string();
    if text.chars().count() <= LONG {
        return text;
    }
    text.chars().take(LONG).chain(" ..".chars()).collect()
}
