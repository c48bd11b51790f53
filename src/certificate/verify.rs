//! A bundle from its text to the answer: which model it is about, its parts, its executions, and what it leaves open.

use super::encoded::Encoded;
use super::format;
use super::invariant::{Claim, Refused, Sets, claim};
use super::letters::Letters;
use super::space::Space;
use super::verdict::{BundleVerdict, ENCODING, FRONT, LIPTON, Shown, Stated};
use super::{claims, compared, every, execution, part, weakened};
use crate::algebra::text::theory;
use crate::algebra::{Theory, digest};
use crate::base::control::ParseLimits;
use crate::base::control::{Control, Stop};
use crate::base::evidence::{Bundle, Part, Values, WeakPath, settled};
use crate::kernel::{self, Terms, WORK};
use crate::model::Loaded;
use crate::model::program::put;
use crate::model::program::{LocId, Program, ThreadId};
use crate::model::text::ast::PropertyKind;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The model that a bundle has to be about.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its name: whether it ends in `.dve` says which language it is in.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Constants given on the command line.
    pub defines: Vec<(String, String)>,
}

/// Replays a bundle; with `wanted`, it has to be about that model. It may rest on theorems that do not come with the
/// tool: on these, as their files have them.
pub fn verify(
    text: &str,
    wanted: Option<&Wanted>,
    theorems: &[Theory],
    control: &Control,
) -> BundleVerdict {
    let mut verdict = BundleVerdict::default();
    match replay(text, (wanted, theorems), control, &mut verdict) {
        Ok(()) => {}
        Err(Refused::Wrong(why)) => verdict.rejected = Some(why),
        Err(Refused::Stopped(stop)) => verdict.stopped = Some(stop),
    }
    verdict
}

impl Refused {
    /// A proof that the kernel does not accept, or did not get through.
    pub fn proof(what: &str, why: &kernel::Rejected) -> Self {
        match why.limit {
            true => Refused::Stopped(Stop::Operations),
            false => Refused::Wrong(format!("{what}: {why}")),
        }
    }
}

impl From<&'static str> for Refused {
    fn from(why: &'static str) -> Self {
        Refused::Wrong(why.into())
    }
}

fn replay(
    text: &str,
    (wanted, theorems): (Option<&Wanted>, &[Theory]),
    control: &Control,
    verdict: &mut BundleVerdict,
) -> Result<(), Refused> {
    control.enter("reading the bundle");
    let bundle = format::read(text).map_err(|e| Refused::Wrong(e.to_string()))?;
    verdict.model.clone_from(&bundle.name);
    verdict.hash = hash(&bundle.text);
    verdict.defines.clone_from(&bundle.defines);
    let values = every::values(&bundle)?;
    if let Some(wanted) = wanted {
        is_wanted(&bundle, wanted, values)?;
        verdict.model.clone_from(&wanted.name);
        verdict.compared = true;
    }
    let mut defines = bundle.defines.clone();
    // What is about every value has names as for one of them.
    defines.extend(values.map(|v| (v.constant.clone(), v.instance.to_string())));
    let model = load(&verdict.model, &bundle.text, &defines)?;
    let program = put(model.program(), &bundle.disciplines)?;
    verdict.disciplines = bundle.disciplines.iter().map(ToString::to_string).collect();
    if let (Some(values), [part]) = (values, bundle.parts.as_slice()) {
        are_distinct(&bundle)?;
        let digest = part.digest.as_deref();
        let theory = part.theorem.as_ref();
        let theory = theory.map(|name| named(name, digest, theorems)).transpose();
        let theory = theory.map_err(Refused::Wrong)?;
        verdict
            .parts
            .push(shown(theory.as_ref(), part, &bundle.text));
        verdict.uncovered = uncovered(&program, verdict);
        let about = (theory.as_ref(), part);
        return every::replay((&model, &program), about, values, control, verdict);
    }
    // Without a theorem, properties are asked as `reach` asks them.
    let mut plain = program.clone();
    plain.end_with_errors();

    let mut parts = Vec::new();
    for part in &bundle.parts {
        let named = |name: &String| named(name, part.digest.as_deref(), theorems);
        let theory = part.theorem.as_ref().map(named).transpose();
        let claims: Result<Vec<Claim>, _> = part
            .claims
            .iter()
            .map(|name| claim(&model, &plain, name))
            .collect();
        parts.push((theory.map_err(Refused::Wrong)?, part, claims?));
    }
    are_distinct(&bundle)?;
    for (theory, part, _) in &parts {
        verdict
            .parts
            .push(shown(theory.as_ref(), part, &bundle.text));
    }
    verdict.by_comparison.clone_from(&bundle.compared);
    let goals = bundle.executions.iter();
    verdict.reached = goals.map(|x| x.goal.clone()).collect();
    verdict.uncovered = uncovered(&program, verdict);

    let all: Vec<&Claim> = parts.iter().flat_map(|(.., claims)| claims).collect();
    rests_on(&program, &all)?;
    for name in verdict.claims().filter(|name| is_claim(&program, name)) {
        compared::is_left(model.program(), name, control)?;
    }
    for (theory, part, claims) in &parts {
        let about = (theory.as_ref(), *part, claims.as_slice());
        replay_part(&model, (&program, &plain), about, control, verdict)?;
    }
    // By the definition, that knows of no discipline but the text's.
    for name in &bundle.compared {
        compared::check(model.program(), name, control, verdict)?;
    }
    for x in &bundle.executions {
        execution::replay(&model, &plain, x, control)?;
        let steps = x.steps.len();
        let goal = &x.goal;
        verdict.replayed.push(format!(
            "an execution of {steps} step{} to {goal}, by the interpreter",
            if steps == 1 { "" } else { "s" }
        ));
    }
    verdict.trust(FRONT);
    Ok(())
}

/// Replays a part about a program: as it is if it rests on a theorem, and else as `reach` asks about it.
fn replay_part(
    model: &Loaded,
    (program, plain): (&Program, &Program),
    (theory, part, claims): (Option<&Theory>, &Part, &[Claim]),
    control: &Control,
    verdict: &mut BundleVerdict,
) -> Result<(), Refused> {
    match (theory, &part.weaker) {
        (Some(theory), None) => part::replay(program, (theory, part), claims, control, verdict),
        (Some(_), Some(_)) => Err("weaker steps belong to a part without a theorem".into()),
        (None, _) if reduces(part) => {
            Err("what belongs to a reduction theorem stands where there is none".into())
        }
        (None, None) => without_theorem(plain, part, claims, control, verdict),
        // Movers are judged without discipline.
        (None, Some(weaker)) => {
            let about = (part, weaker.as_slice());
            weakened::replay(model.program(), about, control, verdict)
        }
    }
}

/// The theorem of this name. What it says is never read from the bundle: it comes with the tool, or its file is given,
/// and the bundle has to be about the same text.
fn named(name: &str, digest: Option<&str>, theorems: &[Theory]) -> Result<Theory, String> {
    let mut given = theorems.iter();
    let own = given.find_map(|t| Some((t, t.own.as_ref()?)).filter(|_| t.name == name));
    match (own, digest) {
        (Some((theory, own)), Some(digest)) if own.digest == digest => Ok(theory.clone()),
        (Some((_, own)), _) => Err(format!(
            "it rests on another text of the theorem `{name}` than {}",
            own.file.name
        )),
        (None, Some(_)) => Err(format!(
            "it rests on a theorem `{name}` that does not come with the tool; --theorem FILE.thy says what that is"
        )),
        (None, None) => {
            theory(name).ok_or_else(|| format!("there is no reduction theorem `{name}`"))
        }
    }
}

/// SHA-256 of a text, in hexadecimal.
pub fn hash(text: &str) -> String {
    digest(text)
}

/// The model of this text.
///
/// # Errors
/// If it has errors.
pub fn load(name: &str, text: &str, defines: &[(String, String)]) -> Result<Loaded, Refused> {
    let limits = ParseLimits::default();
    let model = Loaded::load(name, text, defines, limits);
    let (model, _) = model.map_err(|errors| {
        let first = errors.first().map_or("", |d| d.message.as_str());
        Refused::Wrong(format!("the model has errors: {first}"))
    })?;
    Ok(model)
}

/// Holds the model of a bundle against the one that it has to be about.
fn is_wanted(bundle: &Bundle, wanted: &Wanted, values: Option<&Values>) -> Result<(), Refused> {
    let wrong = |why: String| Err(Refused::Wrong(why));
    let (name, text) = (&wanted.name, &wanted.text);
    if bundle.text != *text {
        let (mine, other) = (bundle.text.lines(), text.lines());
        let same = mine.zip(other).take_while(|(a, b)| a == b).count();
        return wrong(format!(
            "the bundle is about another model than {name}: the texts differ at line {}",
            same + 1
        ));
    }
    let is_open = |name: &String| values.is_some_and(|v| v.constant == *name);
    let sorted = |all: &[(String, String)]| {
        let mut all = settled(all);
        all.retain(|(name, _)| !is_open(name));
        let all: Vec<String> = all.iter().map(|(n, v)| format!("{n}={v}")).collect();
        match all.is_empty() {
            true => "no constants".to_string(),
            false => all.join(", "),
        }
    };
    let (mine, other) = (sorted(&bundle.defines), sorted(&wanted.defines));
    if mine != other {
        return wrong(format!(
            "the bundle is about {name} with {mine}, and {other} are given (-D)"
        ));
    }
    values.map_or(Ok(()), |values| every::is_among(values, wanted))
}

/// Checks that what a claim of a transaction rests on is claimed, too.
fn rests_on(program: &Program, all: &[&Claim]) -> Result<(), Refused> {
    let moves = |c: &&Claim| matches!(c, Claim::Transaction(_));
    if !all.iter().any(moves) {
        return Ok(());
    }
    let (fails, waits) = (program.can_go_wrong(), program.deadlock_free.is_some());
    let mut asked = vec![
        (Claim::Discipline, true, "the discipline holds"),
        (Claim::Assertions, fails, "no thread goes wrong"),
        (Claim::DeadlockFree, waits, "there is no deadlock"),
    ];
    let properties = program.properties.iter().enumerate();
    let invariants = properties.filter(|(_, p)| p.kind == PropertyKind::Invariant);
    asked.extend(invariants.map(|(n, _)| (Claim::Invariant(n), true, "the invariants hold")));
    let missing = |(claim, asked, _): &(Claim, bool, &str)| *asked && !all.contains(&claim);
    match asked.iter().find(|one| missing(one)) {
        Some((.., what)) => Err(Refused::Wrong(format!(
            "a transaction is claimed, and not that {what}"
        ))),
        None => Ok(()),
    }
}

/// Checks that something is claimed, and nothing twice.
fn are_distinct(bundle: &Bundle) -> Result<(), Refused> {
    let mut all: Vec<&String> = bundle.claims().collect();
    all.extend(bundle.executions.iter().map(|x| &x.goal));
    if let Some(part) = bundle.parts.iter().find(|p| p.claims.is_empty()) {
        let theorem = part.theorem.as_deref().unwrap_or("none");
        return Err(Refused::Wrong(format!(
            "the part for the theorem `{theorem}` claims nothing"
        )));
    }
    let mut seen = FxHashSet::default();
    match all.iter().find(|name| !seen.insert(**name)) {
        Some(twice) => Err(Refused::Wrong(format!("`{twice}` is claimed twice"))),
        None if all.is_empty() => Err("nothing is claimed".into()),
        None => Ok(()),
    }
}

/// What is said of a part: the theorem with its hypotheses, and what it shows.
fn shown(theory: Option<&Theory>, part: &Part, text: &str) -> Shown {
    let line = |path: &WeakPath| {
        1 + text
            .bytes()
            .take(path.start)
            .filter(|b| *b == b'\n')
            .count()
    };
    let lines = |all: &Vec<WeakPath>| BTreeSet::from_iter(all.iter().map(line));
    let stated = |t: &Theory| {
        let all = t.hypotheses.iter();
        let all = all.map(|h| Stated {
            id: h.id.clone(),
            words: h.words.clone(),
            formula: h.statement.to_string(),
        });
        all.collect()
    };
    Shown {
        theorem: theory.map(|t| t.name.clone()),
        source: theory.map(|t| t.source.clone()).unwrap_or_default(),
        hypotheses: theory.map(stated).unwrap_or_default(),
        claims: part.claims.clone(),
        weakened: part
            .weaker
            .as_ref()
            .map(|all| lines(all).into_iter().collect()),
        every: part.every.clone(),
    }
}

/// What the model asks for and the bundle says nothing of.
fn uncovered(program: &Program, verdict: &BundleVerdict) -> Vec<String> {
    let built_in = [
        (!program.protections.is_empty()).then_some("discipline"),
        Some("assertions"),
        program.deadlock_free.map(|_| "deadlock_free"),
    ];
    let built_in = built_in.into_iter().flatten().map(String::from);
    let properties = program.properties.iter().map(|p| p.name.clone());
    let claims = program.claims.iter().map(|c| c.name.clone());
    let covered: Vec<&String> = verdict.claims().chain(&verdict.reached).collect();
    let never = |name: &str| format!("never {name}");
    built_in
        .chain(properties)
        .chain(claims)
        .filter(|name| !covered.contains(&name) && !covered.contains(&&never(name)))
        .collect()
}

/// The budget of BDDs, in pairs of nodes. Beyond it an invariant of the original program is gone through state by state
/// instead.
pub const MOST_WORK: u64 = 1 << 26;

/// Whether this is the name of a claim of a transaction.
fn is_claim(program: &Program, name: &str) -> bool {
    program.claims.iter().any(|c| c.name == name)
}

/// Whether a part has what belongs to a reduction theorem.
fn reduces(part: &Part) -> bool {
    !part.visible.is_empty()
        || part.digest.is_some()
        || part.transactions.is_some()
        || part.invariant.is_some()
        || part.derivations.is_some()
        || part.proof.is_some()
}

/// Replays a part whose X is an invariant of the original program.
fn without_theorem(
    program: &Program,
    part: &Part,
    claims: &[Claim],
    control: &Control,
    verdict: &mut BundleVerdict,
) -> Result<(), Refused> {
    let space = Space::new(program, part)?;
    let work = (false, MOST_WORK);
    let encoded = Encoded::new(program, &space, &part.diagrams, work, control);
    let all = |_: ThreadId, _: LocId| true;
    let sets = Sets {
        program,
        part,
        space: &space,
        phased: None,
        plain: true,
        visible: &all,
        claims,
        encoded: &encoded,
    };
    let done = sets.check()?;
    verdict.vacuous |= done.vacuous;
    let nodes = done.nodes.0;
    verdict.replayed.push(match done.states {
        Some((x, _)) => format!(
            "an invariant of the original program: each of its {x} states ({nodes} nodes) was gone through by the \
             interpreter"
        ),
        None => format!(
            "an invariant of the original program ({nodes} nodes), in an encoding built anew"
        ),
    });
    let mut terms = Terms::default();
    terms.allow(WORK);
    let letters = Letters::new(program, None, part, &mut terms)?;
    let mut judge = super::judge::Judge::new(program, &space, Some(part.states), &encoded);
    let mut moving = claims::Claims::new(program, &letters, &mut terms, &mut judge);
    let atomic = moving.check(claims, &|_, _| false)?;
    let laws = moving.laws;
    if terms.is_spent() {
        return Err(Refused::Stopped(Stop::Operations));
    }
    claims::tell(atomic, laws, verdict);
    verdict.trust(FRONT);
    if atomic > 0 {
        verdict.trust(LIPTON);
    }
    if encoded.is_used() {
        verdict.trust(ENCODING);
    }
    Ok(())
}
