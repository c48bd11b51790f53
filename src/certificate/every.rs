//! A part of a bundle that is about every value of a constant: its facts, derivations and proof, replayed.
//!
//! Threads, locations and cells are named as in a small instance. There the text is read anew with the constant left
//! open, and its threads are told apart by kinds: those of one kind have one text, whatever the value. A class of the
//! derivations has to be some kinds. So a fact is looked at for each choice of kinds that its processes may be of, and
//! for a process that is of no class, whose letters stand for nothing. The case split over generic threads that
//! decides it is a leaf of this checker (`theorem::EveryLeaf`), and is named among what is trusted. The hypotheses are
//! read for the threads of the instance, and compared with what the kernel concludes. No hypothesis may speak of all
//! threads at once, so what holds of two threads of the instance holds of any two of their kinds.

use super::blocks;
use super::claims;
use super::invariant::Refused;
use super::letters::{Letters, MOST_CHOICES, Reading, processes};
use super::part::{replayed_proof, visible};
use super::valuations::count_up;
use super::verdict::BundleVerdict;
use super::verify::{Wanted, load};
use crate::algebra::Theory;
use crate::base::control::{Control, Stop};
use crate::base::evidence::{self, Bundle, HYPOTHESES, Part, Root, Values};
use crate::base::results::Rung;
use crate::kernel::{self, Development, Id, Index, Node, Statement, Sym, Terms, WORK, ZERO};
use crate::model::Loaded;
use crate::model::program::{LocId, Program, ThreadId, parametric};
use crate::theorem::{EveryInstance, EveryLeaf, EveryTemplate, LARGEST, Speech, Unsaid, uses};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// The values that a bundle is about, if it is about every value of a constant.
///
/// # Errors
/// If it is about anything else, too, or about values that can't be looked at.
pub fn values(bundle: &Bundle) -> Result<Option<&Values>, Refused> {
    let Some(values) = bundle.parts.iter().find_map(|part| part.every.as_ref()) else {
        return Ok(None);
    };
    if bundle.parts.iter().any(|part| part.weaker.is_some()) {
        return Err("what is about every value has weaker steps".into());
    }
    let others = bundle.parts.len() - 1 + bundle.compared.len() + bundle.executions.len();
    if others > 0 {
        return Err("what is about every value stands beside something else".into());
    }
    let may_be = values.from <= values.instance && (2..=LARGEST).contains(&values.instance);
    if values.from < 1 || !may_be {
        return Err(Refused::Wrong(format!(
            "values from {} on, with names as for {}: no such values are looked at",
            values.from, values.instance
        )));
    }
    let constant = &values.constant;
    match bundle.defines.iter().any(|(name, _)| name == constant) {
        true => Err(Refused::Wrong(format!(
            "{constant} has one value, and every value"
        ))),
        false => Ok(Some(values)),
    }
}

/// Holds the values of a bundle against the value of the constant in the model that it has to be about: that of the
/// command line, or of the text.
///
/// # Errors
/// If the value is none of them.
pub fn is_among(values: &Values, wanted: &Wanted) -> Result<(), Refused> {
    let (name, constant, from) = (&wanted.name, &values.constant, values.from);
    let given = wanted.defines.iter().rfind(|(n, _)| n == constant);
    let value = match given {
        Some((_, text)) => text.parse().ok(),
        None => in_text(wanted, constant)?,
    };
    match value {
        Some(value) if value >= from => Ok(()),
        Some(value) => Err(Refused::Wrong(format!(
            "the bundle is about {name} with {constant} >= {from}, and {constant} is {value}"
        ))),
        None => Err(Refused::Wrong(format!(
            "the bundle is about {name} with {constant} >= {from}, and {constant} is no integer"
        ))),
    }
}

/// The value that the text of a model gives a constant, if that is an integer.
fn in_text(wanted: &Wanted, constant: &str) -> Result<Option<i64>, Refused> {
    let (name, text, defines) = (&wanted.name, &wanted.text, &wanted.defines);
    let model = load(name, text, defines)?;
    let read = parametric(&model.tree, &model.program.source, defines, Some(constant));
    let open = read.map(|read| read.open).ok();
    Ok(open.and_then(|open| open.values.get(&open.parameter?).copied()))
}

impl From<Unsaid> for Refused {
    fn from(unsaid: Unsaid) -> Self {
        match unsaid {
            Unsaid::Stopped(stop) => Refused::Stopped(stop),
            Unsaid::Because(why) => Refused::Wrong(why.to_string()),
        }
    }
}

/// Replays the part. `model` is the instance, `program` its program with the disciplines of the bundle.
///
/// # Errors
/// The first thing that is wrong, or the limit that was hit.
pub fn replay(
    (model, program): (&Loaded, &Program),
    (theory, part): (Option<&Theory>, &Part),
    values: &Values,
    control: &Control,
    verdict: &mut BundleVerdict,
) -> Result<(), Refused> {
    let Some(theory) = theory else {
        return Err("what is about every value rests on no theorem".into());
    };
    if !is_without_sets(part) {
        return Err("what belongs to certain states stands in a part about every value".into());
    }
    if uses(theory).is_some() {
        return Err(Refused::Wrong(format!(
            "nothing about every value rests on a theorem such as `{}`",
            theory.name
        )));
    }
    let claims: Vec<&str> = part.claims.iter().map(String::as_str).collect();
    let (disciplined, blocks) = match &claims[..] {
        [HYPOTHESES] => (false, [].as_slice()),
        [HYPOTHESES, DISCIPLINE, blocks @ ..] => (true, blocks),
        _ => {
            return Err(
                "of every value no more is shown than hypotheses, discipline and blocks".into(),
            );
        }
    };
    control.enter("the model with the constant left open");
    let template = EveryTemplate {
        tree: &model.tree,
        source: &model.program.source,
        defines: &model.defines,
        constant: &values.constant,
    };
    let instance = EveryInstance::at(&template, values.instance, control)?;
    let leaf = EveryLeaf::new((&template, &instance), program, values.from, control)?;
    let visible = visible(program, part)?;
    leaf.is_uniform(&|t, l| visible.contains(&(t, l)))?;

    let derivations = part.derivations.as_ref();
    let derivations = derivations.ok_or("there are no derivations")?;
    let read = kernel::read(derivations).map_err(|e| Refused::proof("the derivations", &e));
    let mut development = read?;
    development.terms.allow(WORK);
    let letters = Letters::new(program, None, part, &mut development.terms)?;
    let facts = Facts {
        part,
        leaf: &leaf,
        kinds: kinds_of_classes(&letters, &leaf)?,
    };
    control.enter("the facts");
    facts.check(&mut development, values, verdict)?;
    hypotheses(
        (theory, program),
        (&letters, &visible),
        &mut development,
        verdict,
    )?;
    if disciplined {
        control.enter("the discipline for every value");
        leaf.keeps_discipline()?;
        verdict.replayed.push(format!(
            "the discipline: each access is made with the right to, for every {} >= {}",
            values.constant, values.from
        ));
    }
    transactions(&leaf, blocks, control, verdict)?;
    if development.terms.is_spent() {
        return Err(Refused::Stopped(Stop::Operations));
    }
    let proof = replayed_proof((theory, part), control, verdict)?;
    let mut say = |words: String| verdict.trusted.push(words);
    say("the front end, that reads the model's text, also with the constant left open".into());
    say("the case split over generic threads, that says what a step is for every value".into());
    say("the kernel, and that the theorem's hypotheses and conclusion are read rightly".into());
    if proof.is_none() {
        let source = &theory.source;
        say(format!(
            "the reduction theorem ({source}): its proof is missing in this bundle"
        ));
    }
    Ok(())
}

/// Checks the claims of transactions with these names.
fn transactions(
    leaf: &EveryLeaf,
    names: &[&str],
    control: &Control,
    verdict: &mut BundleVerdict,
) -> Result<(), Refused> {
    let mut exchanged = 0;
    for name in names {
        control.enter("transactions for every value");
        let claim = leaf.program().claims.iter().find(|c| c.name == **name);
        let claim = claim.ok_or("of every value nothing is shown but blocks of the model")?;
        exchanged += blocks::check(leaf, claim)?;
    }
    claims::tell(names.len(), exchanged, verdict);
    Ok(())
}

/// The claim that no violation of the discipline is reachable.
const DISCIPLINE: &str = "discipline";

/// Whether a part has nothing that speaks of states of one program.
fn is_without_sets(part: &Part) -> bool {
    part.transactions.is_none()
        && part.items.is_empty()
        && part.diagrams.nodes().is_empty()
        && part.invariant.is_none()
        && part.states == Root::default()
        && part.inside.is_empty()
}

/// The kinds of the threads of each class.
///
/// # Errors
/// If a thread is in no class or in two, or two threads of one kind are in different ones.
fn kinds_of_classes(letters: &Letters, leaf: &EveryLeaf) -> Result<Vec<Vec<usize>>, &'static str> {
    let kinds = leaf.kinds();
    let mut seen: FxHashSet<ThreadId> = FxHashSet::default();
    let mut all = Vec::new();
    for class in letters.classes() {
        if !class.iter().all(|t| seen.insert(*t)) {
            return Err("a thread is in two classes");
        }
        let is_in = |kind: &&[ThreadId]| kind.iter().all(|t| class.contains(t));
        let here = kinds.iter().enumerate().filter(|(_, kind)| is_in(kind));
        let here: Vec<usize> = here.map(|(n, _)| n).collect();
        let threads: usize = here.iter().map(|n| kinds[*n].len()).sum();
        if threads != class.len() {
            return Err("a class has some threads of a kind, and not all");
        }
        all.push(here);
    }
    match kinds
        .iter()
        .flat_map(|kind| kind.iter())
        .all(|t| seen.contains(t))
    {
        true => Ok(all),
        false => Err("a thread is in no class"),
    }
}

/// What the derivations assume, under examination.
struct Facts<'f, 'p> {
    part: &'f Part,
    leaf: &'f EveryLeaf<'p>,
    /// The kinds of each class.
    kinds: Vec<Vec<usize>>,
}

/// The kind of a process that an index variable stands for; none if it is of no class that the statement speaks of.
type Chosen = Option<usize>;

impl Facts<'_, '_> {
    /// Checks all of them.
    fn check(
        &self,
        development: &mut Development,
        values: &Values,
        verdict: &mut BundleVerdict,
    ) -> Result<(), Refused> {
        let facts: Vec<(String, Statement)> = development.hypotheses().to_vec();
        let (mut choices, mut on) = (0, Rung::True);
        for (name, fact) in &facts {
            let holds = self.holds(&mut development.terms, fact, &mut choices);
            on = on.max(holds.map_err(|why| match why {
                Refused::Wrong(why) => Refused::Wrong(format!("this is no fact: {name}: {why}")),
                stopped => stopped,
            })?);
        }
        let (facts, theorems) = (facts.len(), development.theorems().len());
        verdict.replayed.push(format!(
            "{facts} facts about generic threads, for {choices} choices of their kinds, for every {} >= {}, on {}: by \
             cases, in linear integer arithmetic",
            values.constant,
            values.from,
            on.states()
        ));
        verdict.replayed.push(format!(
            "{theorems} theorems of the derivations, by the kernel"
        ));
        Ok(())
    }

    /// On which states a statement holds of all processes.
    fn holds(
        &self,
        terms: &mut Terms,
        fact: &Statement,
        choices: &mut usize,
    ) -> Result<Rung, Refused> {
        let variables = self.variables(terms, fact)?;
        let names: Vec<u32> = variables.keys().copied().collect();
        // The case split is about threads that differ.
        for (n, i) in names.iter().enumerate() {
            let differs = |j: &u32| fact.distinct.contains(&(*i.min(j), *i.max(j)));
            if !names[n + 1..].iter().all(differs) {
                return Err("it speaks of processes that may be the same".into());
            }
        }
        let candidates: Vec<Vec<Chosen>> = variables
            .values()
            .map(|kinds| kinds.iter().copied().map(Some).chain([None]).collect())
            .collect();
        let each = candidates.iter().map(Vec::len);
        if each.fold(1usize, |all, n| all.saturating_mul(n)) > MOST_CHOICES {
            return Err("it speaks of too many processes".into());
        }
        let mut chosen = vec![0u64; names.len()];
        let mut on = Rung::True;
        loop {
            let at = |n: usize| candidates[n][chosen[n] as usize];
            let all: Vec<(u32, Chosen)> = names
                .iter()
                .copied()
                .zip((0..names.len()).map(at))
                .collect();
            *choices += 1;
            for part in &fact.parts {
                on = on.max(self.one(terms, *part, &all)?);
            }
            let bases = candidates.iter().map(|all| all.len() as u64);
            if !count_up(&mut chosen, bases) {
                return Ok(on);
            }
        }
    }

    /// On which states an inclusion holds of processes of these kinds.
    fn one(
        &self,
        terms: &mut Terms,
        (left, right): (Id, Id),
        chosen: &[(u32, Chosen)],
    ) -> Result<Rung, Refused> {
        let mut known = FxHashMap::default();
        let left = self.of_kinds(terms, left, chosen, &mut known);
        let right = self.of_kinds(terms, right, chosen, &mut known);
        if left == right || left == ZERO {
            return Ok(Rung::True);
        }
        let speech = Speech {
            terms,
            letters: &self.part.letters,
        };
        let of_kind = |(v, kind): &(u32, Chosen)| kind.map(|kind| (*v, kind));
        let threads: Vec<(u32, usize)> = chosen.iter().filter_map(of_kind).collect();
        Ok(self.leaf.holds(&speech, (left, right), &threads)?)
    }

    /// The index variables of a statement, each with the kinds of all classes whose letters it is an index of.
    fn variables(
        &self,
        terms: &Terms,
        statement: &Statement,
    ) -> Result<BTreeMap<u32, BTreeSet<usize>>, &'static str> {
        let mut all: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        let mut plain = true;
        let mut note = |s: Sym, index: &Index| {
            let Index::Var(v) = index else {
                return false;
            };
            let class = self.class(s);
            let kinds = class.into_iter().flat_map(|c| &self.kinds[c]);
            all.entry(*v).or_default().extend(kinds);
            true
        };
        for t in statement.parts.iter().flat_map(|(l, r)| [*l, *r]) {
            terms.any(t, &mut |n| {
                match n {
                    Node::Atom(s, indices) => plain &= indices.iter().all(|i| note(*s, i)),
                    Node::SumOver(..) | Node::ProductOver(..) => plain = false,
                    _ => {}
                }
                !plain
            });
        }
        match plain {
            true => Ok(all),
            false => Err("it has a sum over processes"),
        }
    }

    fn class(&self, s: Sym) -> Option<usize> {
        self.part
            .letters
            .get(s as usize)
            .and_then(evidence::Letter::class)
    }

    /// A term for processes of these kinds: a letter of a class that such a process is not of stands for nothing.
    fn of_kinds(
        &self,
        terms: &mut Terms,
        t: Id,
        chosen: &[(u32, Chosen)],
        known: &mut FxHashMap<Id, Id>,
    ) -> Id {
        if let Some(&done) = known.get(&t) {
            return done;
        }
        let mut again = |terms: &mut Terms, x: Id| self.of_kinds(terms, x, chosen, known);
        let done = match terms.node(t).clone() {
            // `variables` has refused sums over processes.
            Node::Zero | Node::One | Node::Top | Node::SumOver(..) | Node::ProductOver(..) => t,
            Node::Not(x) => {
                let x = again(terms, x);
                terms.not(x)
            }
            Node::Star(x) => {
                let x = again(terms, x);
                terms.star(x)
            }
            Node::Omega(x) => {
                let x = again(terms, x);
                terms.omega(x)
            }
            Node::Applied(operator, x) => {
                let x = again(terms, x);
                terms.applied(operator, x)
            }
            Node::Sum(all) => {
                let all: Vec<Id> = all.into_iter().map(|x| again(terms, x)).collect();
                terms.sum(all)
            }
            Node::Product(all) => {
                let all: Vec<Id> = all.into_iter().map(|x| again(terms, x)).collect();
                terms.product(all)
            }
            Node::Atom(s, indices) => {
                let kind = indices.first().and_then(|index| match index {
                    Index::Var(v) => chosen.iter().find(|(known, _)| known == v)?.1,
                    _ => None,
                });
                match self.class(s) {
                    Some(class) if kind.is_none_or(|k| !self.kinds[class].contains(&k)) => ZERO,
                    _ => t,
                }
            }
        };
        known.insert(t, done);
        done
    }
}

/// Checks that each hypothesis of the theorem, for the threads of the instance, is among what the kernel concludes.
fn hypotheses(
    (theory, program): (&Theory, &Program),
    (letters, visible): (&Letters, &FxHashSet<(ThreadId, LocId)>),
    development: &mut Development,
    verdict: &mut BundleVerdict,
) -> Result<(), Refused> {
    // Of each kind there are two threads in the instance, if there can be two; three there need not be.
    let mut all = theory.hypotheses.iter();
    if let Some(h) = all.find(|h| processes(&h.statement).len() > 2) {
        return Err(Refused::Wrong(format!(
            "hypothesis ({}) speaks of more than two processes",
            h.id
        )));
    }
    if let Some(h) = theory
        .hypotheses
        .iter()
        .find(|h| theory.speaks_of_all(&h.statement))
    {
        return Err(Refused::Wrong(format!(
            "hypothesis ({}) speaks of all processes at once",
            h.id
        )));
    }
    let mut proved: FxHashSet<(Id, Id)> = FxHashSet::default();
    let theorems = development.theorems().filter(|t| t.premises.is_empty());
    let mut concluded: Vec<Statement> = theorems.map(|t| t.statement.clone()).collect();
    concluded.extend(development.hypotheses().iter().map(|(_, s)| s.clone()));
    for statement in &concluded {
        letters.each_instance::<Refused>(&mut development.terms, statement, &mut |_, part| {
            proved.insert(part);
            Ok(())
        })?;
    }
    let reading = Reading {
        program,
        phased: None,
        theory,
        visible: &|t, l| visible.contains(&(t, l)),
        letters,
    };
    let asked = reading.asked(&mut development.terms)?;
    for instance in &asked {
        let mut parts = instance.parts.iter();
        if !parts.all(|p| p.0 == p.1 || p.0 == ZERO || proved.contains(p)) {
            let threads = instance.threads.iter();
            let names: Vec<&str> = threads.map(|t| program.threads[*t].name.as_str()).collect();
            return Err(Refused::Wrong(format!(
                "hypothesis ({}) is not derived for {}",
                theory.hypotheses[instance.hypothesis].id,
                names.join(" and ")
            )));
        }
    }
    verdict.replayed.push(format!(
        "{} instances of the theorem's hypotheses, which stand for those of every value: derived from the facts",
        asked.len()
    ));
    Ok(())
}
