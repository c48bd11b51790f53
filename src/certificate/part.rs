//! A part of a bundle that rests on a reduction theorem: its sets, facts, derivations and proof, replayed.

use super::claims::{Claims, tell};
use super::encoded::Encoded;
use super::invariant::{Claim, Refused, Sets, property};
use super::judge::Judge;
use super::letters::{Asked, Letters, Reading};
use super::phases::{asks_for_copies, phased};
use super::space::Space;
use super::verdict::{BundleVerdict, ENCODING, FRONT};
use crate::algebra::Theory;
use crate::algebra::certified::{Unproved, shown};
use crate::base::control::{Control, Stop};
use crate::base::evidence::Part;
use crate::kernel::{self, Development, Id, Statement, Theorem, WORK, ZERO};
use crate::model::program::{Expr, LocId, Program, ThreadId};
use crate::theorem::{Evaluation, Phase, Phased, holds_under, uses};
use rustc_hash::{FxHashMap, FxHashSet};

/// Replays a part about a program, whose claims have been read.
///
/// # Errors
/// The first thing that is wrong, or the limit that was hit.
pub fn replay(
    plain: &Program,
    (theory, part): (&Theory, &Part),
    claims: &[Claim],
    control: &Control,
    verdict: &mut BundleVerdict,
) -> Result<(), Refused> {
    speaks(theory, claims)?;
    let phased = match (uses(theory), &part.transactions) {
        // Lipton's theorem speaks of states with all threads outside only, which is not what a bundle claims.
        (Some(uses), Some(all)) if uses.keeps_inside => Some(phased(plain, all, uses)?),
        (None, None) => None,
        _ => {
            return Err(
                "transactions belong to a theorem about them, that keeps what is claimed".into(),
            );
        }
    };
    let program = match &phased {
        Some(phased) if part.visible.is_empty() => &phased.program,
        Some(_) => return Err("with transactions no step is visible or invisible".into()),
        None => plain,
    };
    let visible = match &phased {
        Some(phased) => outside(phased),
        None => visible(program, part)?,
    };
    let claims = &match &phased {
        Some(phased) => relocated(plain, phased, claims)?,
        None => claims.to_vec(),
    };
    let space = Space::new(program, part)?;
    let replay = Replay {
        theory,
        plain,
        program,
        phased: phased.as_ref(),
        part,
        space: &space,
        visible: &visible,
        claims,
        encoded: &Encoded::new(
            program,
            &space,
            &part.diagrams,
            (phased.is_some(), u64::MAX),
            control,
        ),
    };
    replay.all(verdict)
}

/// Whether a theorem is known to speak of what is claimed, and of the sets of a bundle.
fn speaks(theory: &Theory, claims: &[Claim]) -> Result<(), Refused> {
    if !theory.reduces_as_shape() {
        return Err(Refused::Wrong(format!(
            "the reduced system of `{}` is its own, and no sets of a bundle show what it does not reach",
            theory.name
        )));
    }
    let wrong = uses(theory).is_some();
    let concluded = |claim: &&Claim| match claim {
        Claim::Discipline => true,
        Claim::Assertions => wrong,
        _ => false,
    };
    match theory.implies_shape() || claims.iter().all(|c| concluded(&c)) {
        true => Ok(()),
        false => Err(Refused::Wrong(format!(
            "the conclusion of `{}` does not speak of all that is claimed",
            theory.name
        ))),
    }
}

/// What messages call the proof.
const PROOF: &str = "the theorem's proof";

/// Claims about a program, of the program with phases: goals ask for all copies of a location.
fn relocated(
    plain: &Program,
    phased: &Phased,
    claims: &[Claim],
) -> Result<Vec<Claim>, &'static str> {
    let all = claims.iter().map(|claim| match claim {
        Claim::Never(goal) => {
            let with = phased.expr(goal);
            match asks_for_copies(plain, phased, (goal, &with)) {
                true => Ok(Claim::Never(with)),
                false => Err("a goal does not ask for all copies of its locations"),
            }
        }
        other => Ok(other.clone()),
    });
    all.collect()
}

/// The actions of threads that are in no transaction.
fn outside(phased: &Phased) -> FxHashSet<(ThreadId, LocId)> {
    let threads = phased.program.threads.iter().enumerate();
    let steps = threads.flat_map(|(t, thread)| thread.steps().map(move |l| (t, l)));
    steps
        .filter(|&(t, l)| phased.phases[t][l] == Phase::Outside)
        .collect()
}

/// The visible actions.
///
/// # Errors
/// If one is none of the program, or listed twice.
pub fn visible(
    program: &Program,
    part: &Part,
) -> Result<FxHashSet<(ThreadId, LocId)>, &'static str> {
    let mut names: FxHashMap<(&str, &str), (ThreadId, LocId)> = FxHashMap::default();
    for (t, thread) in program.threads.iter().enumerate() {
        for l in thread.steps() {
            let name = (thread.name.as_str(), thread.locations[l].name.as_str());
            names.insert(name, (t, l));
        }
    }
    let mut all = FxHashSet::default();
    for (thread, location) in &part.visible {
        let at = names.get(&(thread.as_str(), location.as_str()));
        if !all.insert(*at.ok_or("a visible step that there is not")?) {
            return Err("a visible step is listed twice");
        }
    }
    Ok(all)
}

/// Replays the proof of a part's theorem; whether it is there, and has the corollary.
pub fn replayed_proof(
    (theory, part): (&Theory, &Part),
    control: &Control,
    verdict: &mut BundleVerdict,
) -> Result<Option<bool>, Refused> {
    let own = theory.own.as_ref();
    let known = own.and_then(|own| own.proof.as_ref());
    let text = match (part.proof.as_ref().or(known), own) {
        (Some(text), _) => text,
        (None, None) => return Ok(None),
        // Nobody else has proved it.
        (None, Some(own)) => {
            let file = &own.file.name;
            return Err(Refused::Wrong(format!(
                "the conclusion of {file} is not proved"
            )));
        }
    };
    control.enter("the theorem's proof");
    let shown = shown(theory, text).map_err(|why| match why {
        Unproved::Spent => Refused::Stopped(Stop::Operations),
        Unproved::Rejected(why) => Refused::proof(PROOF, &why),
        why => Refused::Wrong(format!("{PROOF}: {why}")),
    })?;
    verdict.replayed.push(format!(
        "the reduction theorem, for any number of processes: {} theorems, by the kernel",
        shown.theorems
    ));
    Ok(Some(shown.corollary))
}

struct Replay<'a, 'p> {
    theory: &'a Theory,
    program: &'p Program,
    phased: Option<&'a Phased>,
    plain: &'a Program,
    part: &'a Part,
    space: &'a Space<'p>,
    visible: &'a FxHashSet<(ThreadId, LocId)>,
    claims: &'a [Claim],
    encoded: &'a Encoded<'p>,
}

impl Replay<'_, '_> {
    fn all(&self, verdict: &mut BundleVerdict) -> Result<(), Refused> {
        let is_visible = |t: ThreadId, l: LocId| self.visible.contains(&(t, l));
        let sets = Sets {
            program: self.program,
            phased: self.phased,
            part: self.part,
            space: self.space,
            plain: false,
            visible: &is_visible,
            claims: self.claims,
            encoded: self.encoded,
        };
        let done = sets.check()?;
        verdict.vacuous |= done.vacuous;
        let nodes = format!("{} and {} nodes", done.nodes.0, done.nodes.1);
        verdict.replayed.push(match done.states {
            Some((x, y)) => format!(
                "the reduced system: X has {x} states, the sets Y have {y} ({nodes}); each was gone through by the \
                 interpreter"
            ),
            None => format!("the reduced system: X and the sets Y ({nodes}), in an encoding built anew"),
        });
        if self.part.invariant.is_some() {
            verdict.replayed.push(match done.invariant {
                Some(n) => format!(
                    "J is inductive: each of its {n} states was gone through by the interpreter"
                ),
                None => "J is inductive: in an encoding built anew".into(),
            });
        }

        let mut development = match &self.part.derivations {
            Some(text) => kernel::read(text).map_err(|e| Refused::proof("the derivations", &e))?,
            None => Development::default(),
        };
        development.terms.allow(WORK);
        let mut judge = Judge::new(self.program, self.space, self.part.invariant, self.encoded);
        let mut letters =
            Letters::new(self.program, self.phased, self.part, &mut development.terms)?;
        let proved = self.facts(&mut development, &letters, &mut judge, verdict)?;
        let reading = Reading {
            program: self.program,
            phased: self.phased,
            theory: self.theory,
            visible: &is_visible,
            letters: &letters,
        };
        let asked = reading.asked(&mut development.terms)?;
        let evaluated =
            self.hypotheses(&development, &letters, &asked, &proved, &mut judge, verdict)?;
        match self.phased {
            Some(phased) => self.observed(phased, &sets)?,
            None => self.hidden(&mut development, &mut letters, &mut judge)?,
        }
        self.encoded.control().enter("claims of transactions");
        match self.phased {
            Some(phased) => tell(self.within(phased)?, 0, verdict),
            None => {
                let terms = &mut development.terms;
                let mut claims = Claims::new(self.program, &letters, terms, &mut judge);
                let covered = |t: ThreadId, l: LocId| !is_visible(t, l);
                let checked = claims.check(self.claims, &covered)?;
                tell(checked, claims.laws, verdict);
            }
        }
        if development.terms.is_spent() {
            return Err(Refused::Stopped(Stop::Operations));
        }
        let about = (self.theory, self.part);
        let proof = replayed_proof(about, self.encoded.control(), verdict)?;
        self.trusted(evaluated, proof, verdict);
        Ok(())
    }

    /// Checks that blocks which are claimed to be transactions lie within transactions. The result is their number.
    fn within(&self, phased: &Phased) -> Result<usize, Refused> {
        let mut checked = 0;
        for claim in self.claims {
            if let Claim::Transaction(n) = claim {
                let claim = &self.plain.claims[*n];
                if !claim.is_within(&|t, l| phased.is_inside(t, l)) {
                    return Err(Refused::Wrong(format!(
                        "other threads are scheduled inside {}",
                        claim.name
                    )));
                }
                checked += 1;
            }
        }
        Ok(checked)
    }

    /// Judges what the derivations assume; all inclusions that are proved then.
    fn facts(
        &self,
        development: &mut Development,
        letters: &Letters,
        judge: &mut Judge,
        verdict: &mut BundleVerdict,
    ) -> Result<FxHashSet<(Id, Id)>, Refused> {
        self.encoded.control().enter("the facts");
        let mut proved: FxHashSet<(Id, Id)> = FxHashSet::default();
        let facts: Vec<(String, Statement)> = development.hypotheses().to_vec();
        for (name, fact) in &facts {
            letters.each_instance(&mut development.terms, fact, &mut |terms, part| {
                if part.0 == part.1 || part.0 == ZERO || !proved.insert(part) {
                    return Ok(());
                }
                match judge.holds(terms, &letters.meaning, part)? {
                    Some(_) => Ok(()),
                    None => Err(Refused::Wrong(format!("this is no fact: {name}"))),
                }
            })?;
        }
        let instances = proved.len();
        let free = |t: &&Theorem| t.premises.is_empty();
        let theorems: Vec<Statement> = development
            .theorems()
            .filter(free)
            .map(|t| t.statement.clone())
            .collect();
        for statement in &theorems {
            letters.each_instance::<Refused>(
                &mut development.terms,
                statement,
                &mut |_, part| {
                    proved.insert(part);
                    Ok(())
                },
            )?;
        }
        if instances > 0 {
            let (t, facts, theorems) = (judge.tally, facts.len(), theorems.len());
            verdict.replayed.push(format!(
                "{facts} facts, for {instances} choices of threads: {} for footprints or control, {} by going through \
                 {} valuations, {} in an encoding built anew{}",
                t.apart,
                t.enumerated,
                t.valuations,
                t.encoded,
                match t.on_invariant {
                    0 => String::new(),
                    n => format!("; {n} of them on J only"),
                }
            ));
            verdict.replayed.push(format!(
                "{theorems} theorems of the derivations, by the kernel"
            ));
        }
        Ok(proved)
    }

    /// Checks that each hypothesis of the theorem is derived; what is not is evaluated. How many are.
    fn hypotheses(
        &self,
        development: &Development,
        letters: &Letters,
        asked: &[Asked],
        proved: &FxHashSet<(Id, Id)>,
        judge: &mut Judge,
        verdict: &mut BundleVerdict,
    ) -> Result<usize, Refused> {
        let (mut derived, mut small) = (0, 0);
        let mut open: Vec<&Asked> = Vec::new();
        for instance in asked {
            if instance
                .parts
                .iter()
                .all(|p| p.0 == p.1 || p.0 == ZERO || proved.contains(p))
            {
                derived += 1;
                continue;
            }
            let mut answers = Vec::new();
            for &part in &instance.parts {
                answers.push(judge.small(&development.terms, &letters.meaning, part)?);
            }
            if answers.contains(&Some(false)) {
                return self.fails(instance);
            }
            match answers.iter().all(|a| *a == Some(true)) {
                true => small += 1,
                false => open.push(instance),
            }
        }
        if let Some(failed) = self.evaluate(&open)? {
            return self.fails(failed);
        }
        verdict.replayed.push(format!(
            "{} instances of the theorem's hypotheses: {derived} derived from the facts, {small} gone through by the \
             interpreter, {} evaluated in an encoding built anew",
            asked.len(),
            open.len()
        ));
        Ok(open.len())
    }

    fn fails<T>(&self, instance: &Asked) -> Result<T, Refused> {
        let threads = instance.threads.iter();
        let names: Vec<&str> = threads
            .map(|t| self.program.threads[*t].name.as_str())
            .collect();
        let id = self
            .theory
            .hypotheses
            .get(instance.hypothesis)
            .map_or("", |h| &h.id);
        Err(Refused::Wrong(format!(
            "hypothesis ({id}) does not hold for {}",
            names.join(" and ")
        )))
    }

    /// Evaluates hypotheses as relations; the first that fails.
    fn evaluate<'i>(&self, open: &[&'i Asked]) -> Result<Option<&'i Asked>, Refused> {
        if open.is_empty() {
            return Ok(None);
        }
        let encoding = self.encoded.encoding()?;
        let invariant = match self.part.invariant {
            Some(j) => self.encoded.set(self.space, j)?,
            None => None,
        };
        let evaluation = Evaluation {
            encoding,
            theory: self.theory,
            visible: &|t, l| self.visible.contains(&(t, l)),
            phased: self.phased,
            invariant: invariant.as_ref(),
        };
        let wanted: Vec<(usize, &[ThreadId])> = open
            .iter()
            .map(|a| (a.hypothesis, a.threads.as_slice()))
            .collect();
        match holds_under(&evaluation, &wanted) {
            Ok(failed) => Ok(failed.and_then(|n| open.get(n).copied())),
            Err(Some(stop)) => Err(Refused::Stopped(stop)),
            Err(None) => Err("a hypothesis can't be read on this model".into()),
        }
    }

    /// Checks that no invisible step leaves the states in which a claimed property fails, since it would hide them
    /// (corollary (a)).
    fn hidden(
        &self,
        development: &mut Development,
        letters: &mut Letters,
        judge: &mut Judge,
    ) -> Result<(), Refused> {
        let p = self.program;
        for claim in self.claims {
            let (name, good) = match claim {
                Claim::Invariant(n) => match property(p, *n) {
                    Some(property) => (property.name.clone(), property.expr.clone()),
                    None => return Err("there is no such property".into()),
                },
                Claim::Never(goal) => ("a goal".into(), Expr::Not(Box::new(goal.clone()))),
                Claim::Assertions => {
                    // Whoever has gone wrong stays there; nothing else can change that.
                    let stays = |t: &crate::model::program::Thread| {
                        t.wrong.is_none_or(|l| t.locations[l].edges.is_empty())
                    };
                    match p.threads.iter().all(stays) {
                        true => continue,
                        false => return Err("a thread that has gone wrong has steps".into()),
                    }
                }
                // Where no step is enabled no invisible one is; and q stays.
                Claim::DeadlockFree
                | Claim::Discipline
                | Claim::Transaction(_)
                | Claim::States(_) => continue,
            };
            let terms = &mut development.terms;
            let good = letters.holds(terms, &name, &good);
            let bad = terms.not(good);
            for (t, thread) in p.threads.iter().enumerate() {
                for l in thread.steps().filter(|l| !self.visible.contains(&(t, *l))) {
                    let a = letters.steps(&mut development.terms, (t, l));
                    let part = (
                        development.terms.product([bad, a]),
                        development.terms.product([a, bad]),
                    );
                    let held = judge.holds(&development.terms, &letters.meaning, part)?;
                    if held.is_none() {
                        return Err(Refused::Wrong(format!(
                            "an invisible step may hide {}: {} at {}",
                            name, thread.name, thread.locations[l].name
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks A3 and A4 where the other thread is an observer, that goes wrong in what a claim excludes: no right mover
    /// leads into it, no left mover out of it.
    fn observed(&self, phased: &Phased, sets: &Sets) -> Result<(), Refused> {
        let all = self.claims.iter();
        let mut of_states = all.filter(|c| {
            matches!(
                c,
                Claim::DeadlockFree | Claim::Invariant(_) | Claim::Never(_)
            )
        });
        if of_states.clone().next().is_none() {
            return Ok(());
        }
        self.encoded.control().enter("who may hide what is claimed");
        let e = self.encoded.encoding()?;
        let m = &e.m;
        let j = match self.part.invariant {
            Some(j) => self.encoded.set(self.space, j)?,
            None => Some(e.type_correct(&e.all_bits())?),
        };
        let j = j.ok_or("J is too large to be gone through, and its bits are in another order than the encoding's")?;
        let hidden = |claim: &Claim| -> Result<bool, Stop> {
            let bad = sets.excluded(claim)?;
            for a in &e.actions {
                let at = |phase: Phase| {
                    let mut all = phased.at(a.thread, phase);
                    all.try_fold(m.no(), |some, l| m.or(&some, &e.at(a.thread, l)))
                };
                let to_right = a.rel.image(m, &m.and_not(&j, &bad)?)?;
                let into = m.and(&m.and(&to_right, &at(Phase::Before)?)?, &bad)?;
                let from_left = m.and(&m.and(&j, &bad)?, &at(Phase::Behind)?)?;
                if !into.is_false() || !m.within(&a.rel.image(m, &from_left)?, &bad) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        match of_states.try_fold(false, |some, claim| {
            Ok::<bool, Stop>(some || hidden(claim)?)
        })? {
            true => Err(
                "a right mover leads into what a claim excludes, or a left mover out of it".into(),
            ),
            false => Ok(()),
        }
    }

    fn trusted(&self, evaluated: usize, proof: Option<bool>, verdict: &mut BundleVerdict) {
        let mut say = |words: String| verdict.trust(&words);
        say(FRONT.into());
        say("the kernel and the leaf checker, and that the theorem's hypotheses and conclusion are read \
            rightly".into());
        if proof.is_none() {
            say(format!(
                "the reduction theorem ({}): its proof is missing in this bundle",
                self.theory.source
            ));
        }
        if self.phased.is_some() {
            say("that a state of which a property speaks is a thread that goes wrong there, an observer in no \
                transaction; and that a violation of the discipline is one".into());
        } else if proof != Some(true) && self.claims.iter().any(|c| *c != Claim::Discipline) {
            say("that the theorem speaks of all properties which no invisible step hides (corollary (a))".into());
        }
        if self.encoded.is_used() {
            say(ENCODING.into());
        }
        if evaluated > 0 {
            say(format!(
                "the evaluation of terms as relations, for {evaluated} instances without derivation"
            ));
        }
    }
}
