//! Statements about other algebras, read in omega algebra: `algebra/demonic.rs` and `algebra/converse.rs` say how.

use super::{Elaborator, Meaning};
use crate::algebra::converse::Converse;
use crate::algebra::demonic::Demonic;
use crate::algebra::names;
use crate::algebra::prove;
use crate::algebra::suite::{Added, Hint, Item, Level, OnRelations, Use};
use crate::algebra::text::codes as code;
use crate::algebra::tree::Named;
use crate::kernel::{Id, Statement};

impl Elaborator {
    /// The zero of level `demonic`, whose models may name the states that abort.
    pub(super) fn demonic(&mut self) -> Demonic {
        if let Some((known, _)) = self.demonic_letters {
            return known;
        }
        let (terms, letters) = (&mut self.suite.development.terms, &mut self.letters);
        let mut fresh = |name, test| {
            let unique = names::letter(name, |n| letters.insert(n.to_string()));
            terms.symbol(&unique, test, 0)
        };
        let (zero, aborts) = (fresh("zero", false), fresh("aborts", true));
        let demonic = Demonic::new(zero, true);
        let key = ("aborts".to_string(), 0);
        self.meanings.entry(key).or_insert(Meaning::Letter(aborts));
        self.demonic_letters = Some((demonic, aborts));
        demonic
    }

    /// A statement of level `demonic` as it is proved and refuted.
    pub(super) fn read_demonic(&mut self, item: &mut Item, name: &Named) {
        let Some((demonic, aborts)) = self.demonic.and(self.demonic_letters) else {
            return;
        };
        if !self.suite.development.hypotheses().is_empty() {
            self.demonic_assumes(name);
            return;
        }
        let terms = &mut self.suite.development.terms;
        let (names, given): (Vec<String>, Vec<Statement>) =
            std::mem::take(&mut item.premises).into_iter().unzip();
        let mut read = demonic.read(terms, &given, &item.links, aborts);
        for ((own, _), name) in read.on_relations.given[1..].iter_mut().zip(&names) {
            own.clone_from(name);
        }
        let least = std::iter::repeat("0 is least".to_string());
        item.premises = names.into_iter().chain(least).zip(read.premises).collect();
        item.links = read.links;
        item.on_relations = Some(read.on_relations);
    }

    /// A hypothesis would speak of the algebra that a demonic one is read in.
    pub(super) fn demonic_assumes(&mut self, name: &Named) {
        self.error(
            code::LEVEL,
            name.span,
            "hypotheses are assumed by all statements, and those of level `demonic` assume premises alone",
            "no hypotheses beside statements of level `demonic`, nor in files that this uses",
            "write them as premises, in brackets behind the name",
        );
    }

    pub(super) fn converses(&mut self) -> Converse<'_> {
        Converse {
            terms: &mut self.suite.development.terms,
            known: &mut self.converses,
            letters: &mut self.letters,
        }
    }

    /// Assumes what ties letters to their converses, in a statement that speaks of these.
    pub(super) fn read_converses(&mut self, item: &mut Item) {
        if self.demonic.is_some() {
            return;
        }
        let mut about: Vec<Id> = item.links.iter().flat_map(|l| [l.left, l.right]).collect();
        let mut needed = Vec::new();
        for hint in item.links.iter().flat_map(|l| l.hints.iter().flatten()) {
            let Use::Item {
                item: n, letters, ..
            } = &hint.what
            else {
                continue;
            };
            about.extend(letters.iter().map(|(_, by)| *by));
            let lemma = &self.suite.items[*n];
            // Not what its premises say turned round: that is to be shown, as they are.
            for law in &lemma.premises[lemma.added.laws.clone()] {
                let terms = &mut self.suite.development.terms;
                let mut law = law.1.clone();
                for (l, r) in &mut law.parts {
                    *l = terms.replace(*l, letters);
                    *r = terms.replace(*r, letters);
                }
                needed.push(law);
            }
        }
        let of_relations = self.level == Some(Level::Converse);
        let theory = self.suite.theory_of(item);
        let assumed: Vec<(String, Statement)> = theory.chain(&item.premises).cloned().collect();
        let said = self
            .converses()
            .said(&assumed, &about, needed, of_relations);
        if said.laws.is_empty() {
            return;
        }
        item.on_relations = Some(OnRelations {
            given: item.premises.clone(),
            parts: prove::statement(item).parts,
        });
        // It may be there by a lemma alone.
        item.level = Level::Converse;
        let own = item.premises.len();
        let laws = own + said.turned.len();
        item.premises.extend(said.turned);
        let named = said
            .laws
            .into_iter()
            .map(|law| ("converse".to_string(), law));
        item.premises.extend(named);
        item.added = Added {
            turned: own..laws,
            laws: laws..item.premises.len(),
        };
        for hints in item.links.iter_mut().filter_map(|l| l.hints.as_mut()) {
            let text = "converse".to_string();
            hints.extend(item.added.all().map(|n| Hint {
                text: text.clone(),
                what: Use::Premise(n),
            }));
        }
    }
}
