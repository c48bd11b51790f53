//! Theorems: each rule use of the kernel's proof as one intermediate claim, proved by the lemma that stands for the
//! rule.

use super::glue::Glue;
use super::leaf::Leaves;
use super::names::{Names, comment};
use super::print::{Printer, Scope};
use super::statement::{Prefix, binders, ordered, parts_of, proposition, sides, together, with};
use super::tree::Sort;
use crate::algebra::show;
use crate::kernel::{Claim, Development, Id, Rejected, Rule, Statement, Sym, Theorem};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What is known of all theorems of a development.
pub struct Context<'a> {
    /// The development.
    pub d: &'a mut Development,
    /// The identifiers.
    pub names: &'a Names,
    /// The letters of the hypotheses.
    pub assumed: BTreeSet<Sym>,
    /// The letters that each theorem so far speaks of.
    pub letters: Vec<BTreeSet<Sym>>,
    /// The leaves so far.
    pub leaves: Leaves,
}

/// The proof of one theorem.
pub struct Script<'a> {
    pub glue: Glue<'a>,
    pub hypotheses: &'a [(String, Statement)],
    pub assumed: &'a BTreeSet<Sym>,
    pub letters: &'a [BTreeSet<Sym>],
    pub theorems: Vec<(&'a Theorem, bool)>,
    pub own: &'a Theorem,
    pub claims: &'a [Claim],
    /// The letters in scope, and nothing else.
    pub scope: Scope,
    /// The steps that are no claims of their own.
    pub inline: Vec<bool>,
}

impl Context<'_> {
    /// The text of a theorem; theorems come in order.
    ///
    /// # Errors
    /// The operations allowed are used up.
    pub fn theorem(&mut self, n: usize) -> Result<String, Rejected> {
        let claims = self.d.claims(n)?;
        let conditional = self.d.is_conditional(n);
        let Some(own) = self.d.theorem(n).cloned() else {
            return Ok(String::new());
        };
        let stated = own.premises.iter().chain([&own.statement]).flat_map(sides);
        let (_, mut letters) = parts_of(&self.d.terms, stated);
        if conditional {
            letters.extend(&self.assumed);
        }
        let scope = with(&letters);
        let title = comment(&format!(
            "{}: {}",
            own.name,
            show::statement(self.d, &own.statement)
        ));
        let mut text = format!("(** {title}");
        for p in &own.premises {
            let _ = write!(text, "\n    if {}", comment(&show::statement(self.d, p)));
        }
        text.push_str(" *)\n");
        let (terms, hypotheses, theorems) = self.d.taken_apart();
        let mut script = Script {
            glue: Glue {
                printer: Printer {
                    terms,
                    names: self.names,
                },
                leaves: &mut self.leaves,
            },
            hypotheses,
            assumed: &self.assumed,
            letters: &self.letters,
            theorems: theorems
                .iter()
                .map(|(t, used)| (t, !used.is_empty()))
                .collect(),
            own: &own,
            claims: &claims,
            scope,
            inline: Vec::new(),
        };
        script.whole(n, &letters, conditional, &mut text);
        self.letters.push(letters);
        Ok(text)
    }

    /// The record of the hypotheses.
    pub fn hypotheses(&mut self) -> String {
        let (terms, hypotheses, _) = self.d.taken_apart();
        let mut printer = Printer {
            terms,
            names: self.names,
        };
        let scope = with(&self.assumed);
        let letters = binders(&printer, &self.assumed);
        let mut text = format!(
            "(** What is assumed throughout. *)\nRecord hypotheses {letters} : Prop := {{\n"
        );
        for (n, (_, s)) in hypotheses.iter().enumerate() {
            let said = proposition(&mut printer, s, &scope);
            let end = if n + 1 == hypotheses.len() { "" } else { ";" };
            let _ = writeln!(text, "  {} : {said}{end}", self.names.hypotheses[n]);
        }
        text + "}.\n\n"
    }
}

impl Script<'_> {
    fn whole(&mut self, n: usize, letters: &BTreeSet<Sym>, conditional: bool, text: &mut String) {
        let name = &self.glue.printer.names.theorems[n];
        let own = self.own;
        let _ = write!(text, "Theorem {name} :");
        let mut intros = String::new();
        if !letters.is_empty() {
            let _ = write!(text, " forall {},", binders(&self.glue.printer, letters));
            for s in ordered(self.glue.printer.terms, letters) {
                intros.push_str(&self.glue.printer.names.symbols[s as usize]);
                intros.push(' ');
            }
        }
        let scope = self.scope.clone();
        if conditional {
            let _ = write!(
                text,
                "\n  hypotheses{} ->",
                self.plain(self.assumed, &scope)
            );
            intros.push_str("H ");
        }
        for (m, p) in own.premises.iter().enumerate() {
            let said = proposition(&mut self.glue.printer, p, &scope);
            let _ = write!(text, "\n  ({said}) ->");
            let _ = write!(intros, "H{m} ");
        }
        let said = proposition(&mut self.glue.printer, &own.statement, &scope);
        let _ = write!(text, "\n  {said}.\nProof.\n");
        if !intros.is_empty() {
            let _ = writeln!(text, "  intros {}.", intros.trim_end());
        }
        let mut needed = vec![false; own.steps.len()];
        own.proves.iter().for_each(|n| needed[*n] = true);
        for n in (0..own.steps.len()).rev() {
            if needed[n] {
                own.steps[n]
                    .rests_on()
                    .iter()
                    .for_each(|m| needed[*m] = true);
            }
        }
        // What is used once is written down where it is used.
        let mut uses = vec![0; own.steps.len()];
        let steps = (0..own.steps.len()).filter(|n| needed[*n]);
        let used = steps.flat_map(|n| own.steps[n].rests_on());
        used.chain(own.proves.iter().copied())
            .for_each(|n| uses[n] += 1);
        self.inline = (own.steps.iter().zip(&uses))
            .map(|(rule, uses)| *uses == 1 && !matches!(rule, Rule::Cases(..)))
            .collect();
        for n in (0..own.steps.len()).filter(|n| needed[*n]) {
            if !self.inline[n] {
                self.step(n, text);
            }
        }
        let statement = &own.statement;
        let prefix = Prefix::new(
            self.glue.printer.terms,
            sides(statement),
            &statement.distinct,
        );
        let inner = prefix.enter(&self.glue.printer, &scope);
        let bound = prefix.intros(&self.glue.printer, &inner);
        if !bound.is_empty() {
            let _ = writeln!(text, "  intros {bound}.");
        }
        let proofs: Vec<String> = own.proves.iter().map(|n| self.use_of(*n, &inner)).collect();
        let _ = writeln!(
            text,
            "  exact {}.\nQed.\n",
            together(&statement.parts, &proofs)
        );
    }

    /// ` x u ..`: letters as they are called at a place.
    pub fn plain(&mut self, letters: &BTreeSet<Sym>, scope: &Scope) -> String {
        self.replaced(letters, &[], scope)
    }

    /// ` x u ..`: arguments for letters, some replaced.
    pub fn replaced(&mut self, letters: &BTreeSet<Sym>, by: &[(Sym, Id)], scope: &Scope) -> String {
        let mut text = String::new();
        for s in ordered(self.glue.printer.terms, letters) {
            let symbol = self.glue.printer.terms.symbols()[s as usize].clone();
            let sort = if symbol.test {
                Sort::Test
            } else {
                Sort::Element
            };
            text.push(' ');
            if let Some((_, t)) = by.iter().find(|(from, _)| *from == s) {
                text += &self.glue.printer.argument(*t, sort, scope);
            } else if scope.letters.contains(&s) {
                text += &self.glue.printer.names.symbols[s as usize];
            } else {
                let nothing = if symbol.test { "bot" } else { "0" };
                let _ = match symbol.arity {
                    0 => write!(text, "{nothing}"),
                    n => write!(text, "(fun{} => {nothing})", " _".repeat(n)),
                };
            }
        }
        text
    }

    fn prefix(&self, n: usize) -> Prefix {
        let c = &self.claims[n];
        Prefix::new(self.glue.printer.terms, [c.left, c.right], &c.distinct)
    }

    /// An earlier step as a proof, at a place.
    pub fn use_of(&mut self, n: usize, scope: &Scope) -> String {
        if self.inline[n] {
            let own = self.own;
            return self.rule(n, &own.steps[n], scope);
        }
        self.prefix(n)
            .apply(&format!("s{n}"), &[], &self.glue.printer, scope)
    }

    fn step(&mut self, n: usize, text: &mut String) {
        let prefix = self.prefix(n);
        let outer = self.scope.clone();
        let inner = prefix.enter(&self.glue.printer, &outer);
        let Claim { left, right, .. } = self.claims[n];
        let said = format!(
            "{}{} ≦ {}",
            prefix.forall(&self.glue.printer, &inner),
            self.glue.printer.term(left, &inner),
            self.glue.printer.term(right, &inner)
        );
        let bound = prefix.intros(&self.glue.printer, &inner);
        let _ = writeln!(text, "  assert (s{n} : {said}).\n  {{");
        if !bound.is_empty() {
            let _ = writeln!(text, "    intros {bound}.");
        }
        let own = self.own;
        match &own.steps[n] {
            Rule::Cases(i, j, _, same, differ) => {
                self.cases(n, (*i, *j), [*same, *differ], &inner, text)
            }
            rule => {
                let proof = self.rule(n, rule, &inner);
                let _ = writeln!(text, "    exact {proof}.");
            }
        }
        text.push_str("  }\n");
    }
}
