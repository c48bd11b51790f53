//! What a check has established, as a bundle for the checker.

use super::check::Prepared;
use super::explored::Explored;
use crate::base::control::{Control, Stop};
use crate::base::evidence::{
    Bundle, Diagrams, Execution, HYPOTHESES, Item, Letter, Node, Part, Root, TRUE, Transactions,
    Values, WeakPath, settled,
};
use crate::base::results;
use crate::base::results::{MissingEvidence, Note, Property, PropertyKind, Report, Status};
use crate::engine::Heuristic;
use crate::engine::Variable;
use crate::engine::compiled::Mover;
use crate::engine::reach::{How, portfolio};
use crate::engine::relations::{self, Encoding, Q};
use crate::kernel;
use crate::model::program::differences;
use crate::model::program::{LocId, Program, Thread, ThreadId};
use crate::theorem::claims::by_path;
use crate::theorem::discharge::facts::{self, Discharge, PhaseLetter};
use crate::theorem::invariants::{Ladder, Rung};
use crate::theorem::reduced::coarse::Grain;
use crate::theorem::reduced::transactions::Phased;
use biodivine_lib_bdd::Bdd;
use rustc_hash::FxHashSet;

impl Explored<'_, '_, '_> {
    /// The part for the theorem; `None` if nothing is established that it can show.
    ///
    /// Only properties that hold because of the theorem are claimed: what is refuted, or reached, has its trace as
    /// evidence.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub(super) fn gather(
        &self,
        report: &Report,
        ladder: &mut Ladder,
        discharge: &Discharge,
    ) -> Result<Option<Part>, Stop> {
        let Explored {
            explorer,
            visibility,
            reduced,
            goals,
            phased,
            ..
        } = *self;
        let program = self.plain.program;
        let e = ladder.encoding();
        e.m.control().enter("the certificate");
        let judged = goals.iter().zip(&report.properties);
        let mut claims: Vec<String> = judged.filter_map(|(_, p)| claimed(p)).collect();
        let mut rung = report.invariant;
        if claims.iter().any(|c| c == "discipline") {
            for claim in by_theorem(report) {
                match phased {
                    Some(phased) if !is_covered(program, phased, claim) => continue,
                    Some(_) => {}
                    None => rung = rung.zip(claim.invariant).map(|(a, b)| a.max(b)),
                }
                claims.push(claim.name.clone());
            }
        }
        let (false, Some(rung)) = (claims.is_empty(), rung) else {
            return Ok(None);
        };
        let p = e.program;
        // The theorems about transactions speak of threads that go wrong, for whatever reason.
        if phased.is_some()
            && !e
                .m
                .disjoint(&reduced.visited, &e.predicate(&p.gone_wrong())?)
        {
            return Ok(None);
        }
        let mut part = Part {
            theorem: Some(report.theorem.clone()),
            claims,
            items: items(e),
            ..Part::default()
        };
        part.transactions = phased.map(|phased| transactions(program, phased));
        for (a, action) in e.actions.iter().enumerate().filter(|_| phased.is_none()) {
            if visibility.is_visible(a) {
                let thread = &p.threads[action.thread];
                let location = thread.locations[action.location].name.clone();
                part.visible.push((thread.name.clone(), location));
            }
        }
        let mut put = |set: &Bdd| put(&mut part.diagrams, set);
        let mut roots = Vec::new();
        roots.push(put(&reduced.states));
        let from = e.m.and_not(&reduced.states, &e.q())?;
        for t in 0..p.threads.len() {
            roots.push(put(&explorer.coarse(t, &from, Grain::Single)?.inside));
        }
        if rung != Rung::True {
            roots.push(put(&ladder.rested_on(rung)?));
        }
        let Some(mut roots) = roots.into_iter().collect::<Option<Vec<Root>>>() else {
            return Ok(None);
        };
        if rung != Rung::True {
            part.invariant = roots.pop();
        }
        part.inside = roots.split_off(1);
        part.states = roots.first().copied().unwrap_or(TRUE);
        if !discharge.derived.is_empty() {
            part.classes = named(e.program, discharge);
            part.letters = letters(e.program, discharge);
            part.derivations = Some(kernel::write(&discharge.development));
        }
        Ok(Some(part))
    }
}

/// What is claimed of a property, if it is one that sets of states show: that it holds, or that no state satisfies it.
fn claimed(p: &Property) -> Option<String> {
    match (p.verdict, p.kind) {
        (_, _) if p.trace.is_some() => None,
        (Status::Refuted, PropertyKind::Reach) => Some(format!("never {}", p.name)),
        (Status::Holds, kind) if kind != PropertyKind::Reach => Some(p.name.clone()),
        _ => None,
    }
}

/// The claims that hold by a theorem about the block as it stands, and that a bundle shows.
fn by_theorem(report: &Report) -> impl Iterator<Item = &results::Claim> {
    established(report).filter(|c| c.weakened.is_none())
}

/// The claims that hold by a theorem, and whose bundle can show what they rest on.
fn established(report: &Report) -> impl Iterator<Item = &results::Claim> {
    use PropertyKind::{Assertions, DeadlockFree, Discipline, Invariant};
    let mut properties = report.properties.iter();
    let open = |p: &Property| {
        matches!(p.kind, Assertions | DeadlockFree | Discipline | Invariant)
            && p.verdict != Status::Holds
    };
    let shown = !properties.any(open);
    let held = report
        .claims
        .iter()
        .filter(move |c| shown && c.verdict == Status::Holds);
    held.filter(|c| c.theorem.is_some())
}

/// Whether the block that is claimed to be a transaction lies within transactions.
fn is_covered(p: &Program, phased: &Phased, claim: &results::Claim) -> bool {
    let mut blocks = p.claims.iter().filter(|c| c.name == claim.name);
    blocks.all(|c| c.is_within(&|t, l| phased.is_inside(t, l)))
}

/// The claims of transactions that hold by movers on the original program, not by the theorem at hand, with the
/// invariant that the movers need.
///
/// # Errors
/// Any [`Stop`].
pub(super) fn by_movers(
    plain: &Encoding,
    phased: &Phased,
    report: &Report,
) -> Result<Option<Part>, Stop> {
    let others = by_theorem(report).filter(|c| !is_covered(plain.program, phased, c));
    let others: Vec<&results::Claim> = others.collect();
    let rungs = others.iter().map(|c| c.invariant);
    let rung: Option<Option<Rung>> = rungs.max();
    let Some(Some(rung)) = rung else {
        return Ok(None);
    };
    let mut part = Part {
        claims: others.iter().map(|c| c.name.clone()).collect(),
        items: items(plain),
        states: TRUE,
        ..Part::default()
    };
    if rung != Rung::True {
        let set = Ladder::new(plain).strongest(rung)?;
        match put(&mut part.diagrams, &set) {
            Some(root) => part.states = root,
            None => return Ok(None),
        }
    }
    Ok(Some(part))
}

/// Puts the bundle of a check together. Claims of transactions that no theorem shows are compared. What
/// else no part shows is shown on the original program, all of whose states are
/// explored for that; goals that are reached have their executions. A limit that is hit then leaves the answer as it
/// is; the report says what has no evidence.
pub(super) fn complete(
    report: &mut Report,
    program: &Program,
    parts: Vec<Part>,
    control: &Control,
) {
    let mut bundle = empty(&report.model, program);
    bundle.parts = parts;
    let reached = report.properties.iter();
    let reached = reached.filter(|p| p.verdict == Status::Holds && p.kind == PropertyKind::Reach);
    bundle.executions = reached.filter_map(|p| executed(program, p)).collect();
    let shown = bundle.parts.iter().flat_map(|part| &part.claims);
    let shown: FxHashSet<String> = shown.cloned().collect();
    let open = report.properties.iter().filter_map(claimed);
    let mut open: Vec<String> = open.filter(|name| !shown.contains(name)).collect();
    let others = report.claims.iter().filter(|c| c.verdict == Status::Holds);
    let others = others.filter(|c| established(report).all(|held| held.name != c.name));
    bundle.compared = others.map(|c| c.name.clone()).collect();
    let weakened = established(report).filter_map(|c| Some((c.name.clone(), c.paths.clone()?)));
    let weakened: Vec<(String, Vec<WeakPath>)> = weakened.collect();
    let apart = |name: &String| weakened.iter().any(|(n, _)| n == name);
    open.retain(|name| !bundle.compared.contains(name) && !apart(name));
    let atomic = |name: &String| report.claims.iter().any(|c| c.name == *name);
    if !shown.contains("discipline") && !open.iter().any(|name| name == "discipline") {
        open.retain(|name| !atomic(name));
    }
    if !open.is_empty() {
        match invariant(program, open.clone(), control) {
            Ok(part) => bundle.parts.extend(part),
            Err(stop) => {
                let missing = MissingEvidence { open, stop };
                report.notes.push(Note::Missing(missing.clone()));
                report.no_bundle = Some(missing);
            }
        }
    }
    for (name, paths) in weakened.into_iter().filter(|_| report.no_bundle.is_none()) {
        match with_weaker_steps(program, &name, paths, control) {
            Ok(Some(part)) => bundle.parts.push(part),
            Ok(None) | Err(_) => bundle.compared.push(name),
        }
    }
    if bundle.claims().next().is_some() || !bundle.executions.is_empty() {
        report.bundle = Some(Box::new(bundle));
    }
}

/// The part for a claim that holds with weaker steps: all states of the program with these.
fn with_weaker_steps(
    program: &Program,
    name: &str,
    paths: Vec<WeakPath>,
    control: &Control,
) -> Result<Option<Part>, Stop> {
    let of = |p: &Program| p.claims.iter().position(|c| c.name == name);
    let split = of(program).and_then(|n| program.claims[n].split.as_deref());
    let program = split.unwrap_or(program);
    let weaker = paths.iter().copied().collect();
    let made = of(program).and_then(|n| by_path(program, &program.claims[n], &weaker));
    let Some(made) = made else {
        return Ok(None);
    };
    let part = invariant(&made.program, vec![name.to_string()], control)?;
    Ok(part.map(|part| Part {
        weaker: Some(paths),
        ..part
    }))
}

/// A bundle that shows nothing yet.
pub(crate) fn empty(name: &str, program: &Program) -> Bundle {
    Bundle {
        name: name.to_string(),
        defines: settled(&program.defines()),
        text: program.source.clone(),
        disciplines: differences(program),
        ..Bundle::default()
    }
}

/// The bundle for every value of a constant: that the hypotheses hold, and that the discipline is kept if it is.
pub(super) fn for_every(
    (name, theorem): (&str, &str),
    (prepared, discharge): (&Prepared, &Discharge),
    values: Values,
    disciplined: bool,
) -> Bundle {
    let program = &prepared.program;
    let mut bundle = empty(name, program);
    bundle.defines.retain(|(name, _)| *name != values.constant);
    let mut part = Part {
        theorem: Some(theorem.to_string()),
        every: Some(values),
        claims: vec![HYPOTHESES.to_string()],
        classes: named(program, discharge),
        letters: letters(program, discharge),
        derivations: Some(kernel::write(&discharge.development)),
        ..Part::default()
    };
    if disciplined {
        part.claims.push("discipline".to_string());
    }
    for (t, thread) in program.threads.iter().enumerate() {
        for l in thread.steps().filter(|l| prepared.visible[t][*l]) {
            let location = thread.locations[l].name.clone();
            part.visible.push((thread.name.clone(), location));
        }
    }
    bundle.parts.push(part);
    bundle
}

/// The execution of a property whose trace can be told. Where an error ends the system, one that goes on behind it
/// counts for nothing.
fn executed(program: &Program, p: &Property) -> Option<Execution> {
    let trace = p.trace.as_ref()?;
    let gone = |t: &Thread| {
        let wrong = t.wrong.map(|l| (&t.name, &t.locations[l].name));
        let mut moves = trace.execution.steps.iter().flat_map(|s| &s.locations);
        wrong.is_some_and(|(t, l)| moves.any(|(thread, at)| (thread, at) == (t, l)))
    };
    if program.errors_end && program.threads.iter().any(gone) {
        return None;
    }
    Some(Execution {
        goal: p.name.clone(),
        ..trace.execution.clone()
    })
}

/// A part without a theorem: all states that the original program reaches, met by the engines of `coarsen reach`;
/// `None` if the discipline is violated.
///
/// # Errors
/// Any [`Stop`].
pub(crate) fn invariant(
    program: &Program,
    claims: Vec<String>,
    control: &Control,
) -> Result<Option<Part>, Stop> {
    let order = |n: usize| {
        let (heuristic, name, _) = Heuristic::ALL.get(n)?;
        Some((name.to_string(), heuristic.order(program)))
    };
    let how = How {
        most: u64::MAX,
        facts: true,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        keep: true,
        until_violated: false,
    };
    let (outcome, _) = portfolio(program, &[], &order, (None, None), how, control);
    if let Some(stop) = outcome.stopped {
        return Err(stop);
    }
    let Some(kept) = outcome.kept else {
        return Ok(None);
    };
    let named = kept.order.iter().map(|v| match *v {
        Variable::Location(t) => Item::Location(program.threads[t].name.clone()),
        Variable::Cell(c) => Item::Cell(program.cells[c].name.clone()),
    });
    Ok(Some(Part {
        claims,
        items: std::iter::once(Item::Violated).chain(named).collect(),
        diagrams: kept.diagrams,
        states: kept.root,
        ..Part::default()
    }))
}

/// The threads of each class, by name.
fn named(p: &Program, discharge: &Discharge) -> Vec<Vec<String>> {
    let name = |t: &ThreadId| p.threads[*t].name.clone();
    let of = |c: &facts::Class| c.threads.iter().map(name).collect();
    discharge.classes.iter().map(of).collect()
}

/// What the symbols of the derivations stand for.
pub(super) fn letters(p: &Program, discharge: &Discharge) -> Vec<Letter> {
    let all = discharge.letters.iter();
    all.map(|l| letter(l, p, discharge)).collect()
}

/// What a program with phases is made of.
fn transactions(p: &Program, phased: &Phased) -> Transactions {
    let places = || {
        let threads = p.threads.iter().enumerate();
        threads.flat_map(|(t, thread)| thread.steps().map(move |l| (t, l)))
    };
    let named = |(t, l): (ThreadId, LocId)| {
        let thread = &p.threads[t];
        (thread.name.clone(), thread.locations[l].name.clone())
    };
    let of = |is: &dyn Fn(&Mover) -> bool| {
        let all = places().filter(|(t, l)| is(&phased.movers[*t][*l]));
        all.map(named).collect()
    };
    let cut = |&(t, l): &(ThreadId, LocId)| phased.cuts.get(t).is_some_and(|c| c.contains(&l));
    Transactions {
        right: of(&|m| m.right || m.local),
        left: of(&|m| m.left || m.local),
        cuts: places().filter(cut).map(named).collect(),
    }
}

/// A letter of a bundle.
fn letter(of: &facts::Letter, p: &Program, d: &Discharge) -> Letter {
    let locations = |c: usize, g: usize| d.classes[c].group(g).locations.clone();
    match *of {
        facts::Letter::Action(class, group) => Letter::Steps {
            class,
            locations: locations(class, group),
        },
        facts::Letter::Enabled(class, group) => Letter::Enabled {
            class,
            locations: locations(class, group),
        },
        facts::Letter::Violated => Letter::Violated,
        facts::Letter::Access(class, cell, right) => Letter::Access {
            class,
            cell: p.cells[cell].name.clone(),
            right,
        },
        facts::Letter::Schematic => Letter::Schematic,
        facts::Letter::Phase(class, PhaseLetter::Before) => Letter::Before { class },
        facts::Letter::Phase(class, PhaseLetter::Behind) => Letter::Behind { class },
        facts::Letter::Phase(class, PhaseLetter::Wrong) => Letter::Wrong { class },
        facts::Letter::Initial => Letter::Initial,
    }
}

/// The state's components in the order of their bits.
fn items(e: &Encoding) -> Vec<Item> {
    let name = |item: &relations::Item| match item {
        relations::Item::Violated => Item::Violated,
        relations::Item::Of(Variable::Location(t)) => {
            Item::Location(e.program.threads[*t].name.clone())
        }
        relations::Item::Of(Variable::Cell(c)) => Item::Cell(e.program.cells[*c].name.clone()),
    };
    e.layout.order().iter().map(name).collect()
}

/// A set over the levels before a step, as a diagram; `None` if it looks at others.
fn put(diagrams: &mut Diagrams, set: &Bdd) -> Option<Root> {
    if let Some(constant) = set.as_bool() {
        return Some(Root::from(constant));
    }
    debug_assert_eq!(Q, 0, "bits are counted from q");
    let mut known: Vec<Root> = vec![0, 1];
    let mut last = None;
    for pointer in set.pointers().skip(2) {
        let level = set.var_of(pointer).to_index();
        let child = |p: biodivine_lib_bdd::BddPointer| known.get(p.to_index()).copied();
        let node = Node {
            bit: level.is_multiple_of(3).then_some(level as u32 / 3)?,
            low: child(set.low_link_of(pointer))?,
            high: child(set.high_link_of(pointer))?,
        };
        let root = diagrams.add(node).ok()?;
        known.push(root);
        last = Some(root);
    }
    last
}
