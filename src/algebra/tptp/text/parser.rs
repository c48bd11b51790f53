//! Tokens to trees, by recursive descent of bounded depth. The first error ends it.

use super::codes::{DIALECT, FORMULA, FREE, ROLE, TOO_DEEP, UNBALANCED};
use super::tokens::{Token, tokens};
use super::tree::{Annotated, Formula, Include, Item, Role, Term, Variable};
use super::wrong;
use crate::base::diagnostic::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// The numbers of variables: files that are read together share them.
#[derive(Debug, Default)]
pub struct Numbers(u32);

/// Reads a problem or a file of axioms.
///
/// # Errors
/// The first thing that is wrong, with its span in the text.
pub fn parse_problem(
    text: &str,
    depth: usize,
    numbers: &mut Numbers,
) -> Result<Vec<Item>, Diagnostic> {
    let mut p = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth,
        numbers,
        scope: FxHashMap::default(),
        free: None,
    };
    let mut items = Vec::new();
    while p.peek() != &Token::End {
        items.push(p.item()?);
    }
    Ok(items)
}

struct Parser<'n> {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    numbers: &'n mut Numbers,
    /// The variables bound around the place at hand, the innermost last.
    scope: FxHashMap<String, Vec<Variable>>,
    /// In `cnf`: the variables met so far.
    free: Option<Vec<Variable>>,
}

type Parsed<T> = Result<T, Diagnostic>;

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    fn next(&mut self) -> (Token, Span) {
        let (token, span) = (self.peek().clone(), self.span());
        self.at += 1;
        (token, span)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let there = matches!(self.peek(), Token::Sign(s) if *s == sign);
        self.at += usize::from(there);
        there
    }

    fn unexpected<T>(&self, expected: &str) -> Parsed<T> {
        let message = match self.peek() {
            Token::End => "the file ends here".to_string(),
            Token::Sign(sign) => format!("unexpected `{sign}`"),
            Token::Lower(name)
            | Token::Upper(name)
            | Token::Dollar(name)
            | Token::Foreign(name) => {
                format!("unexpected `{name}`")
            }
        };
        Err(wrong(FORMULA, self.span(), message, expected))
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) {
            return Ok(());
        }
        self.unexpected(&format!("`{sign}`"))
    }

    /// The partner of a bracket.
    fn close(&mut self, sign: &str, open: Span) -> Parsed<()> {
        match self.peek() {
            Token::Sign(s) if *s == sign => {
                self.at += 1;
                Ok(())
            }
            Token::End | Token::Sign(".") => Err(wrong(
                UNBALANCED,
                open,
                "this is not closed",
                &format!("`{sign}`"),
            )),
            _ => self.unexpected(&format!("`{sign}`")),
        }
    }

    /// The name of a formula or file.
    fn name(&mut self) -> Parsed<(String, Span)> {
        match self.next() {
            (Token::Lower(name), span) => Ok((name, span)),
            (Token::Foreign(name), span) if !name.starts_with('"') => Ok((name, span)),
            _ => {
                self.at -= 1;
                self.unexpected("a name")
            }
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        let (word, span) = match self.next() {
            (Token::Lower(word), span) => (word, span),
            _ => {
                self.at -= 1;
                return self.unexpected("`fof`, `cnf` or `include`");
            }
        };
        match word.as_str() {
            "fof" | "cnf" => self.annotated(word == "cnf").map(Item::Formula),
            "include" => self.include().map(Item::Include),
            "tff" | "thf" | "tcf" | "txf" | "tpi" => Err(wrong(
                DIALECT,
                span,
                format!("not supported: `{word}`"),
                "`fof`, `cnf` or `include`",
            )),
            _ => {
                self.at -= 1;
                self.unexpected("`fof`, `cnf` or `include`")
            }
        }
    }

    fn annotated(&mut self, clause: bool) -> Parsed<Annotated> {
        let open = self.span();
        self.expect("(")?;
        let (name, span) = self.name()?;
        self.expect(",")?;
        let role = self.role()?;
        self.expect(",")?;
        self.scope.clear();
        self.free = clause.then(Vec::new);
        let formula = self.formula(0)?;
        let formula = match self.free.take() {
            Some(all) if !all.is_empty() => Formula::All(all, Box::new(formula)),
            _ => formula,
        };
        if self.takes(",") {
            self.skip(open)?;
        }
        self.close(")", open)?;
        self.expect(".")?;
        Ok(Annotated {
            name,
            role,
            formula,
            span,
        })
    }

    fn role(&mut self) -> Parsed<Role> {
        let (word, span) = self.name()?;
        match word.as_str() {
            "axiom" | "hypothesis" | "definition" | "assumption" | "lemma" | "theorem"
            | "corollary" => Ok(Role::Axiom),
            "conjecture" => Ok(Role::Conjecture),
            "negated_conjecture" => Ok(Role::Negated),
            _ => Err(wrong(
                ROLE,
                span,
                format!("the role `{word}` is not supported"),
                "a role",
            )),
        }
    }

    /// Annotations, up to the `)` of the item.
    fn skip(&mut self, open: Span) -> Parsed<()> {
        let mut brackets: Vec<(&str, Span)> = Vec::new();
        loop {
            let span = self.span();
            match self.peek() {
                Token::End => {
                    let (sign, span) = brackets.pop().unwrap_or((")", open));
                    return Err(wrong(
                        UNBALANCED,
                        span,
                        "this is not closed",
                        &format!("`{sign}`"),
                    ));
                }
                Token::Sign("(") => brackets.push((")", span)),
                Token::Sign("[") => brackets.push(("]", span)),
                Token::Sign(sign @ (")" | "]")) => match brackets.pop() {
                    None if *sign == ")" => return Ok(()),
                    Some((wanted, _)) if wanted == *sign => {}
                    _ => {
                        let message = format!("`{sign}` closes nothing");
                        return Err(wrong(UNBALANCED, span, message, "an annotation"));
                    }
                },
                _ => {}
            }
            self.at += 1;
        }
    }

    fn include(&mut self) -> Parsed<Include> {
        let open = self.span();
        self.expect("(")?;
        let (path, span) = self.name()?;
        let mut names = None;
        if self.takes(",") {
            if matches!(self.peek(), Token::Lower(all) if all == "all") {
                self.at += 1;
            } else {
                let mut all = Vec::new();
                let open = self.span();
                self.expect("[")?;
                if !self.takes("]") {
                    loop {
                        all.push(self.name()?);
                        if !self.takes(",") {
                            break;
                        }
                    }
                    self.close("]", open)?;
                }
                names = Some(all);
            }
        }
        self.close(")", open)?;
        self.expect(".")?;
        Ok(Include { path, span, names })
    }

    fn deeper(&self, depth: usize) -> Parsed<usize> {
        if depth < self.depth {
            return Ok(depth + 1);
        }
        let message = format!("nested deeper than {} levels", self.depth);
        Err(wrong(
            TOO_DEEP,
            self.span(),
            message,
            "less nesting, or a higher limit (--limit-depth N)",
        ))
    }

    fn formula(&mut self, depth: usize) -> Parsed<Formula> {
        let first = self.unitary(depth)?;
        let Token::Sign(sign) = *self.peek() else {
            return Ok(first);
        };
        match sign {
            "&" | "|" => {
                let mut all = vec![first];
                while self.takes(sign) {
                    all.push(self.unitary(depth)?);
                }
                if matches!(self.peek(), Token::Sign("&" | "|")) {
                    return self.unexpected("parentheses around one of the two connectives");
                }
                self.single()?;
                Ok(match sign {
                    "&" => Formula::And(all),
                    _ => Formula::Or(all),
                })
            }
            "=>" | "<=" | "<=>" | "<~>" | "~|" | "~&" => {
                self.at += 1;
                let second = self.unitary(depth)?;
                self.single()?;
                let iff = |a, b| Formula::Iff(Box::new(a), Box::new(b));
                Ok(match sign {
                    "=>" => first.implies(second),
                    "<=" => second.implies(first),
                    "<=>" => iff(first, second),
                    "<~>" => iff(first, second).negated(),
                    "~|" => Formula::Or(vec![first, second]).negated(),
                    _ => Formula::And(vec![first, second]).negated(),
                })
            }
            "-->" => Err(wrong(
                DIALECT,
                self.span(),
                "not supported: a sequent",
                "a formula",
            )),
            _ => Ok(first),
        }
    }

    /// No second connective of a kind that does not associate.
    fn single(&self) -> Parsed<()> {
        match self.peek() {
            Token::Sign("=>" | "<=" | "<=>" | "<~>" | "~|" | "~&" | "&" | "|") => {
                self.unexpected("parentheses around one of the two connectives")
            }
            _ => Ok(()),
        }
    }

    fn unitary(&mut self, depth: usize) -> Parsed<Formula> {
        let depth = self.deeper(depth)?;
        let span = self.span();
        match self.peek() {
            Token::Sign(sign @ ("!" | "?")) => {
                let sign = *sign;
                self.at += 1;
                let bound = self.binder()?;
                let inner = self.unitary(depth);
                for v in &bound {
                    self.scope.entry(v.name.clone()).or_default().pop();
                }
                let inner = Box::new(inner?);
                Ok(match sign {
                    "!" => Formula::All(bound, inner),
                    _ => Formula::Some(bound, inner),
                })
            }
            Token::Sign("~") => {
                self.at += 1;
                Ok(self.unitary(depth)?.negated())
            }
            Token::Sign("(") => {
                self.at += 1;
                let inner = self.formula(depth)?;
                self.close(")", span)?;
                Ok(inner)
            }
            _ => self.atom(depth),
        }
    }

    fn binder(&mut self) -> Parsed<Vec<Variable>> {
        let open = self.span();
        self.expect("[")?;
        let mut bound = Vec::new();
        loop {
            let (token, _) = self.next();
            let Token::Upper(name) = token else {
                self.at -= 1;
                return self.unexpected("a variable");
            };
            bound.push(self.fresh(name));
            if !self.takes(",") {
                break;
            }
        }
        if matches!(self.peek(), Token::Sign(":")) {
            return Err(wrong(
                DIALECT,
                self.span(),
                "not supported: a type",
                "`,` or `]`",
            ));
        }
        self.close("]", open)?;
        self.expect(":")?;
        for v in &bound {
            self.scope
                .entry(v.name.clone())
                .or_default()
                .push(v.clone());
        }
        Ok(bound)
    }

    fn fresh(&mut self, name: String) -> Variable {
        let number = self.numbers.0;
        self.numbers.0 = number.saturating_add(1);
        Variable { number, name }
    }

    fn atom(&mut self, depth: usize) -> Parsed<Formula> {
        let span = self.span();
        let left = self.term(depth)?;
        let equal = match self.peek() {
            Token::Sign("=") => Some(true),
            Token::Sign("!=") => Some(false),
            _ => None,
        };
        if let Some(equal) = equal {
            self.at += 1;
            let right = self.term(depth)?;
            let equation = Formula::Equal(left, right);
            return Ok(if equal { equation } else { equation.negated() });
        }
        match &left {
            Term::Foreign(name) if name == "$true" => Ok(Formula::Constant(true)),
            Term::Foreign(name) if name == "$false" => Ok(Formula::Constant(false)),
            Term::Variable(v) => Err(wrong(
                FORMULA,
                span,
                format!("the variable `{}` is no formula", v.name),
                "a formula",
            )),
            _ => Ok(Formula::Atom(left)),
        }
    }

    fn term(&mut self, depth: usize) -> Parsed<Term> {
        let depth = self.deeper(depth)?;
        let (token, span) = self.next();
        match token {
            Token::Upper(name) => self.variable(name, span).map(Term::Variable),
            Token::Lower(name) => {
                let arguments = self.arguments(depth)?;
                Ok(Term::Apply(name, arguments))
            }
            Token::Dollar(name) => {
                self.arguments(depth)?;
                Ok(Term::Foreign(name))
            }
            Token::Foreign(text) => Ok(Term::Foreign(text)),
            Token::Sign(_) | Token::End => {
                self.at -= 1;
                self.unexpected("a formula or a term")
            }
        }
    }

    fn arguments(&mut self, depth: usize) -> Parsed<Vec<Term>> {
        let open = self.span();
        let mut all = Vec::new();
        if self.takes("(") {
            loop {
                all.push(self.term(depth)?);
                if !self.takes(",") {
                    break;
                }
            }
            self.close(")", open)?;
        }
        Ok(all)
    }

    fn variable(&mut self, name: String, span: Span) -> Parsed<Variable> {
        if let Some(v) = self.scope.get(&name).and_then(|all| all.last()) {
            return Ok(v.clone());
        }
        if self.free.is_none() {
            let message = format!("nothing binds `{name}`");
            return Err(wrong(FREE, span, message, "a bound variable"));
        }
        let v = self.fresh(name);
        self.scope
            .entry(v.name.clone())
            .or_default()
            .push(v.clone());
        if let Some(free) = &mut self.free {
            free.push(v.clone());
        }
        Ok(v)
    }
}
