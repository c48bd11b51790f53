//! Lemmas about pairs of steps, used for a pair at hand.
//!
//! A lemma (`theories/lemmas/`) says what two steps a and b do, from premises that speak of one step each, and of at
//! most one test. It is proved once; here its letters are replaced. Which tests there are is the vocabulary: e and f
//! where the threads of a and b have access to a variable that both use, g and h where a and b are enabled, q. Access
//! is exclusive, but for a step that only reads: that may be one of several. Each premise then becomes a fact.
//! (Stoller & Cohen 2003 argue so in section 4, in words.)

use super::script::Script;
use super::{Deriver, Goal, Open};
use crate::base::evidence::Right;
use crate::kernel::{Id, Node, Rule, Statement, Sym};
use crate::model::program::CellId;
use crate::theorem::discharge::facts::{Group, Letter};

/// A letter for steps, with its place.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    pub letter: Id,
    pub class: usize,
    pub group: usize,
    pub var: u32,
}

impl Deriver<'_, '_, '_> {
    /// `left <= right`, which is about b and then a, by a lemma whose premises are facts on all type-correct states.
    pub(super) fn by_lemma(
        &mut self,
        goal: &mut Goal,
        script: &mut Script,
        (b, a): (Steps, Steps),
        claim: (Id, Id),
    ) -> Result<Option<usize>, Open> {
        let mut cells: Vec<Option<CellId>> =
            self.used_by_both(a, b).into_iter().map(Some).collect();
        if cells.is_empty() {
            cells.push(None);
        }
        for lemma in 0..self.discharge.lemmas {
            for &cell in &cells {
                let letters = self.vocabulary(a, b, cell);
                let Some((part, premises)) = self.instantiated(lemma, &letters, claim) else {
                    continue;
                };
                let Some(facts) = self.facts_everywhere(goal, &premises)? else {
                    continue;
                };
                let mut steps = Vec::new();
                for (fact, premise) in facts.into_iter().zip(premises) {
                    for (n, (l, r)) in premise.parts.into_iter().enumerate() {
                        steps.push(script.add(Rule::Hypothesis(fact, n, Vec::new()), l, r));
                    }
                }
                let name = self
                    .discharge
                    .development
                    .theorem(lemma)
                    .map(|t| t.name.clone());
                goal.lemmas.extend(name);
                let used = Rule::Theorem {
                    theorem: lemma,
                    part,
                    variables: Vec::new(),
                    letters,
                    premises: steps,
                };
                return Ok(Some(script.add(used, claim.0, claim.1)));
            }
        }
        Ok(None)
    }

    /// What the letters of lemmas stand for; those that mean nothing here are left out.
    fn vocabulary(&mut self, a: Steps, b: Steps, cell: Option<CellId>) -> Vec<(Sym, Id)> {
        let mut all = vec![
            ("a", a.letter),
            ("b", b.letter),
            (
                "g",
                self.letter(Letter::Enabled(a.class, a.group), Some(a.var)),
            ),
            (
                "h",
                self.letter(Letter::Enabled(b.class, b.group), Some(b.var)),
            ),
            ("q", self.letter(Letter::Violated, None)),
        ];
        if let Some(cell) = cell {
            let program = self.model.encoding.program;
            let x = program.protection_of(cell);
            let has_readers = x.is_some_and(|x| program.protections[x].readers.is_some());
            let access = |s: Steps| {
                let right = match has_readers && !self.group(s).writes.contains(&cell) {
                    true => Right::Reading,
                    false => Right::Exclusive,
                };
                Letter::Access(s.class, cell, right)
            };
            let (of_a, of_b) = (access(a), access(b));
            all.push(("e", self.letter(of_a, Some(a.var))));
            all.push(("f", self.letter(of_b, Some(b.var))));
        }
        let symbols = self.discharge.development.terms.symbols();
        let named = |name: &str| {
            let mut schematic = symbols.iter().take(self.discharge.schematic);
            schematic.position(|s| s.name == name)
        };
        let with = |(name, by): (&str, Id)| Some((Sym::try_from(named(name)?).ok()?, by));
        all.into_iter().filter_map(with).collect()
    }

    /// The part of a lemma that is the claim, and its premises, with letters replaced; none if there is no such part,
    /// or a letter that stands for nothing.
    fn instantiated(
        &mut self,
        lemma: usize,
        letters: &[(Sym, Id)],
        claim: (Id, Id),
    ) -> Option<(usize, Vec<Statement>)> {
        let d = &mut self.discharge.development;
        let theorem = d.theorem(lemma)?;
        let (parts, premises) = (theorem.statement.parts.clone(), theorem.premises.clone());
        let schematic = self.discharge.schematic;
        let mut put = |t: Id| {
            let by = d.terms.replace(t, letters);
            let is_left = |n: &Node| matches!(n, Node::Atom(s, _) if (*s as usize) < schematic);
            (!d.terms.any(by, &mut |n| is_left(n))).then_some(by)
        };
        let mut both = |(l, r): (Id, Id)| Some((put(l)?, put(r)?));
        let part = parts.into_iter().position(|p| both(p) == Some(claim))?;
        let mut replaced = Vec::new();
        for premise in premises {
            let parts: Option<Vec<(Id, Id)>> = premise.parts.into_iter().map(&mut both).collect();
            replaced.push(Statement {
                distinct: Vec::new(),
                parts: parts?,
            });
        }
        Some((part, replaced))
    }

    /// The positions of facts that hold on all type-correct states; none if one of them does not. None is assumed then.
    fn facts_everywhere(
        &mut self,
        goal: &mut Goal,
        premises: &[Statement],
    ) -> Result<Option<Vec<usize>>, Open> {
        for premise in premises {
            if !self.holds_everywhere(goal, &premise.parts)? {
                return Ok(None);
            }
        }
        let facts = premises
            .iter()
            .map(|p| self.fact(goal, p.parts.clone(), false));
        facts.collect::<Result<Vec<usize>, Open>>().map(Some)
    }

    fn group(&self, s: Steps) -> &Group {
        &self.discharge.classes[s.class].groups[s.group]
    }

    /// The protected variables that both mention, whichever threads of the classes they belong to.
    fn used_by_both(&self, a: Steps, b: Steps) -> Vec<CellId> {
        let (of_a, of_b) = (&self.group(a).uses, &self.group(b).uses);
        of_a.intersection(of_b).copied().collect()
    }
}
