//! Hints: what a step of a proof may use.

use super::terms::Indices;
use super::{Elaborator, Meaning, Stated};
use crate::algebra::Form;
use crate::algebra::suite::{Declared, Hint, Item, Level, Use};
use crate::algebra::text::codes as code;
use crate::algebra::tree::{Argument, Chain, HintTree};
use crate::kernel::{Id, Index, Node, Sym};
use std::collections::BTreeSet;

/// The words for rules.
pub(super) const RULES: &[&str] = &[
    "induction",
    "coinduction",
    "unfold",
    "sum_elim",
    "sum_intro",
    "product_elim",
    "product_intro",
    "separate",
    "cases",
];

/// What a hint may give values: index variables and letters of a statement.
#[derive(Default)]
pub(super) struct Free {
    variables: BTreeSet<u32>,
    letters: BTreeSet<Sym>,
}

impl Elaborator {
    /// The hints of all links, looked up.
    pub(super) fn hints(&mut self, item: &mut Item, chain: &Chain) {
        if chain.hints.iter().all(Option::is_none) {
            return;
        }
        for (n, hints) in chain.hints.iter().enumerate() {
            let mut all = Vec::new();
            for hint in hints.iter().flatten() {
                if let Some(what) = self.hint(hint, item) {
                    let text = hint.text.clone();
                    all.push(Hint { text, what });
                }
            }
            if let Some(link) = item.links.get_mut(n) {
                link.hints = Some(all);
            }
        }
    }

    fn hint(&mut self, hint: &HintTree, item: &Item) -> Option<Use> {
        let arguments = &hint.arguments;
        let name = hint.name.name.as_str();
        let plain = match name {
            "coinduction" => Some(Use::Coinduction),
            "unfold" => Some(Use::Unfold),
            "sum_elim" => Some(Use::SumElim),
            "sum_intro" => Some(Use::SumIntro),
            "product_elim" => Some(Use::ProductElim),
            "product_intro" => Some(Use::ProductIntro),
            _ => None,
        };
        let premise = item.premises.iter().position(|(title, _)| title == name);
        if RULES.contains(&name) && (premise.is_some() || self.stated.contains_key(name)) {
            self.error(
                code::HINT,
                hint.span,
                format!("`{name}` is the word for a rule and the name of a statement"),
                "one of them",
                "give the statement another name",
            );
            return None;
        }
        if let Some(rule) = plain {
            return self.none(hint, "the rule").map(|()| rule);
        }
        let positional = arguments.iter().all(|a| a.what.is_none());
        match (name, arguments.as_slice()) {
            ("induction", []) => return Some(Use::Induction(None)),
            ("induction", [invariant]) if positional => {
                let invariant = self.term(&invariant.by, &mut Indices::of_statement())?;
                return Some(Use::Induction(Some(invariant)));
            }
            ("separate", []) => return Some(Use::Separate(None)),
            ("separate", [i]) if positional => {
                return Some(Use::Separate(Some(self.index_argument(i)?)));
            }
            ("cases", []) => return Some(Use::Cases(None)),
            ("cases", [i, j]) if positional => {
                let (i, j) = (self.index_argument(i), self.index_argument(j));
                let (i, j) = (i?, j?);
                if i == j {
                    self.wrong_arguments(hint, "two index variables: `cases(i, j)`");
                    return None;
                }
                return Some(Use::Cases(Some((i, j))));
            }
            ("induction", _) => {
                self.wrong_arguments(hint, "nothing or an invariant: `induction(TERM)`");
                return None;
            }
            ("separate", _) => {
                self.wrong_arguments(hint, "nothing or an index variable: `separate(i)`");
                return None;
            }
            ("cases", _) => {
                self.wrong_arguments(hint, "nothing or two index variables: `cases(i, j)`");
                return None;
            }
            _ => {}
        }
        if let Some(n) = premise {
            return self.none(hint, "a premise").map(|()| Use::Premise(n));
        }
        match self.stated.get(name).copied() {
            Some(Stated::Hypothesis(n)) => {
                self.none(hint, "a hypothesis").map(|()| Use::Hypothesis(n))
            }
            Some(Stated::Item(n)) => self.lemma(n, hint, item),
            None => {
                self.no_hint(hint, item);
                None
            }
        }
    }

    /// Complains about arguments where none belong.
    fn none(&mut self, hint: &HintTree, what: &str) -> Option<()> {
        if hint.arguments.is_empty() {
            return Some(());
        }
        self.error(
            code::HINT,
            hint.span,
            format!("`{}` takes no arguments", hint.name.name),
            format!("`{}`", hint.name.name),
            format!(
                "{what} is used for whatever fits; only statements before this one take values"
            ),
        );
        None
    }

    fn wrong_arguments(&mut self, hint: &HintTree, expected: &str) {
        self.error(
            code::HINT,
            hint.span,
            format!("`{}` has other arguments", hint.name.name),
            expected,
            "see `coarsen explain E0412`",
        );
    }

    /// An argument that is an index variable.
    fn index_argument(&mut self, argument: &Argument) -> Option<u32> {
        if let Form::Atom(a) = &argument.by.form
            && a.indices.is_empty()
            && a.label.is_none()
        {
            return Some(self.variable(&a.name));
        }
        self.error(
            code::HINT,
            argument.by.span,
            "this is no index variable",
            "an index variable",
            "write `i`, `j`, ..",
        );
        None
    }

    fn no_hint(&mut self, hint: &HintTree, item: &Item) {
        let name = hint.name.name.as_str();
        let mut known: Vec<&str> = self.stated.keys().map(String::as_str).collect();
        known.extend(item.premises.iter().map(|(title, _)| title.as_str()));
        known.extend(RULES);
        known.sort_unstable();
        let (message, help) = if name == item.name {
            let message = format!("`{name}` can't be a hint for itself");
            (message, "prove it from something else".to_string())
        } else if self.stated_later.iter().any(|later| later == name) {
            let message = format!("`{name}` is stated only behind this");
            (message, "put it first".to_string())
        } else {
            let message = format!("there is no hypothesis, premise, statement or rule `{name}`");
            let list = "see `coarsen explain E0412` for what a hint can be".to_string();
            (message, Self::guess(name, known).unwrap_or(list))
        };
        self.error(
            code::HINT,
            hint.name.span,
            message,
            "a hypothesis, a premise, an earlier statement or a rule",
            help,
        );
    }

    fn lemma(&mut self, n: usize, hint: &HintTree, item: &Item) -> Option<Use> {
        let lemma = &self.suite.items[n];
        let (declared, level) = (lemma.declared, lemma.level);
        if declared != Declared::Proved {
            self.error(
                code::HINT,
                hint.span,
                format!("`{}` is not to be proved", hint.name.name),
                "an `axiom` or an `identity`",
                "what is stated with `fails` or `open` proves nothing",
            );
            return None;
        }
        // What is proved of relations need not hold in other algebras.
        let is_above = |own| own < level || own == Level::Demonic && level == Level::Converse;
        if self.level.is_some_and(is_above) {
            self.error(
                code::LEVEL,
                hint.span,
                format!(
                    "`{}` is of level `{}`, and this stands at level `{}`",
                    hint.name.name,
                    level.name(),
                    item.level.name()
                ),
                format!("a lemma of level `{}`", item.level.name()),
                format!("put `level {};` before this", level.name()),
            );
        }
        let mut variables = Vec::new();
        let mut letters = Vec::new();
        for argument in &hint.arguments {
            let Some(what) = &argument.what else {
                self.wrong_arguments(
                    hint,
                    "values for its indices and letters: `lemma(j := i, x := u + v)`",
                );
                return None;
            };
            // Its symbol may be called otherwise, where a letter with indices has the name, too.
            let letter = match self.meanings.get(&(what.name.clone(), 0)) {
                Some(Meaning::Letter(s)) if self.free[n].letters.contains(s) => Some(*s),
                _ => None,
            };
            let variable = self
                .variables
                .get(&what.name)
                .copied()
                .filter(|v| self.free[n].variables.contains(v));
            match (variable, letter) {
                (Some(from), _) => variables.push((from, self.index_argument(argument)?)),
                (None, Some(symbol)) => {
                    let by = self.letter(symbol, argument)?;
                    letters.push((symbol, by));
                    if let Some(turned) = self.converse_in(n, symbol) {
                        letters.push((turned, self.converses().of(by)));
                    }
                }
                (None, None) => {
                    self.no_argument(n, hint, &what.name, what.span);
                    return None;
                }
            }
        }
        Some(Use::Item {
            item: n,
            variables,
            letters,
        })
    }

    /// The converse of a letter, if it occurs in a statement.
    fn converse_in(&self, item: usize, symbol: Sym) -> Option<Sym> {
        let turned = self.suite.development.terms.symbols()[symbol as usize].converse;
        turned.filter(|turned| self.free[item].letters.contains(turned))
    }

    fn letter(&mut self, symbol: Sym, argument: &Argument) -> Option<Id> {
        let by = self.term(&argument.by, &mut Indices::of_statement())?;
        let terms = &self.suite.development.terms;
        let letter = terms.symbols()[symbol as usize].clone();
        if letter.test && !terms.is_test(by) {
            self.error(
                code::NO_TEST,
                argument.by.span,
                format!("`{}` is a test, and this is an action", letter.name),
                "a test",
                "an action letter may be replaced by a test, but no test by an action",
            );
            return None;
        }
        Some(by)
    }

    fn no_argument(
        &mut self,
        lemma: usize,
        hint: &HintTree,
        what: &str,
        span: crate::base::diagnostic::Span,
    ) {
        let d = &self.suite.development;
        let indices = self.free[lemma].variables.iter();
        let indices = indices.map(|v| d.variables[*v as usize].clone());
        let symbols = d.terms.symbols();
        let letters = self.free[lemma].letters.iter();
        let letters = letters.filter(|s| d.terms.is_converse_of(**s).is_none());
        let letters = letters.map(|s| symbols[*s as usize].name.clone());
        let all: Vec<String> = indices.chain(letters).collect();
        let expected = match all.as_slice() {
            [] => "no arguments".to_string(),
            _ => format!("one of {}", all.join(", ")),
        };
        let message = format!(
            "`{}` has no free index and no letter `{what}`",
            hint.name.name
        );
        let help = Self::guess(what, all.iter().map(String::as_str)).unwrap_or_else(|| {
            "values are given to the index variables and the letters without indices".to_string()
        });
        self.error(code::HINT, span, message, expected, help);
    }

    /// The index variables and letters of a statement and its premises.
    pub(super) fn free_of(&self, item: &Item) -> Free {
        let terms = &self.suite.development.terms;
        let mut free = Free::default();
        let links = item.links.iter().flat_map(|l| [l.left, l.right]);
        let premises = item.premises.iter().flat_map(|(_, s)| &s.parts);
        let premises = premises.flat_map(|(l, r)| [*l, *r]);
        for t in links.chain(premises).collect::<BTreeSet<Id>>() {
            terms.any(t, &mut |node| {
                if let Node::Atom(symbol, indices) = node
                    && indices.is_empty()
                {
                    free.letters.insert(*symbol);
                }
                if let Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _) = node {
                    free.variables.extend(is.iter().filter_map(|i| match i {
                        Index::Var(v) => Some(*v),
                        Index::Bound(_) => None,
                    }));
                }
                false
            });
        }
        free
    }
}
