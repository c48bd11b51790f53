//! Guessed disciplines against the reduced system: which guesses it refutes, with executions that show it.

use super::check::{Check, Prepared, prepared};
use super::properties::{Asked, Goal, GoalKind, goals};
use super::visibility::Visibility;
use crate::base::control::{Control, Stop};
use crate::base::results;
use crate::base::results::{Refutation, Report, Status, VisibilityReason};
use crate::engine::reach::Path;
use crate::engine::relations::{Bdds, Concrete, Encoding, pick};
use crate::engine::{State, breaks, each_successor, may_access};
use crate::model::program::{CellId, How, LocId, Program, ThreadId, each_use};
use crate::theorem::executions::search::execution;
use crate::theorem::executions::trace::{overlap_of, step_at};
use crate::theorem::inference::{Finding, Inference, Subject, Violation};
use crate::theorem::reduced::coarse::{Explorer, Reduced, explore};
use crate::theorem::reduced::engines::{Quick, SOON};
use biodivine_lib_bdd::Bdd;
use std::ops::ControlFlow;

/// Nodes that the search for the shortest execution that refutes a guess may build.
const TRACE_BUDGET: u64 = 1_000_000;

/// Operations of an engine before BDDs go on to the end.
const LATER: u64 = SOON << 4;

/// Guesses refuted in one round that get an execution; those beyond have only their last step told.
const TRACED: usize = 12;

/// Outcomes of a violating step that are looked at.
const OUTCOMES: usize = 256;

/// Steps as threads and the locations they leave.
type Steps = Vec<(ThreadId, LocId)>;

/// What became of guesses at disciplines that were held against the reduced system.
pub(super) enum Held {
    /// One is refuted.
    Refuted,
    /// That takes longer.
    Open,
    /// Others have found no violation.
    Stands,
    /// The reduced system does not refute them.
    Explored(Reduced),
}

impl Check<'_> {
    /// Holds guesses against the reduced system with little work, then against an execution that others have found to
    /// violate one. If somebody else explores that system then, guesses are settled: the engines find that they stand,
    /// or BDDs go on to the end.
    pub(super) fn hold_first(
        &mut self,
        report: &mut Report,
        on: (&Encoding, &Explorer, &[Goal]),
        inference: &mut Inference,
        (prepared, quick): (&Prepared, &Quick),
    ) -> Result<Held, Stop> {
        let held = self.hold(report, on, inference, false)?;
        if !matches!(held, Held::Open) {
            return Ok(held);
        }
        if revise_by(on.0, quick, inference) {
            self.left = self.left.saturating_sub(on.0.m.work());
            return Ok(Held::Refuted);
        }
        if !self.options.ends_early() {
            return Ok(held);
        }
        match prepared.disciplined(LATER, self.control) {
            Quick::Answered(_) => Ok(Held::Stands),
            quick => self.hold_last(report, on, inference, &quick),
        }
    }

    /// Holds guesses against an execution that others have found to violate one, or against the reduced system to the
    /// end.
    pub(super) fn hold_last(
        &mut self,
        report: &mut Report,
        on: (&Encoding, &Explorer, &[Goal]),
        inference: &mut Inference,
        quick: &Quick,
    ) -> Result<Held, Stop> {
        if revise_by(on.0, quick, inference) {
            self.left = self.left.saturating_sub(on.0.m.work());
            return Ok(Held::Refuted);
        }
        self.hold(report, on, inference, true)
    }

    /// Holds guesses against the reduced system, to the end or with little work.
    fn hold(
        &mut self,
        report: &mut Report,
        (encoding, explorer, goals): (&Encoding, &Explorer, &[Goal]),
        inference: &mut Inference,
        to_the_end: bool,
    ) -> Result<Held, Stop> {
        let left = encoding.m.left();
        let work = match to_the_end {
            true => left,
            false => left.min(self.control.budget().little()),
        };
        let reduced = within(&encoding.m, work, || self.explore(report, explorer, goals));
        // Also after a limit: the violation of a guess must never be told as one of the model.
        if revise(encoding, explorer, &reduced, inference)? {
            self.left = self.left.saturating_sub(encoding.m.work());
            return Ok(Held::Refuted);
        }
        match reduced.stopped {
            Some(Stop::Effort) if work < left => Ok(Held::Open),
            _ => self.kept(reduced, goals).map(Held::Explored),
        }
    }

    /// What guesses were held against: all of it, if nobody holds them against it later. A violation that a limit has
    /// kept from being held against them may be one of a guess: where it begins, inside a step, is not known then.
    fn kept(&self, reduced: Reduced, goals: &[Goal]) -> Result<Reduced, Stop> {
        let is_violation = |(g, met): (&Goal, &bool)| *met && g.asked.kind == GoalKind::Discipline;
        let is_open = || goals.iter().zip(&reduced.met).any(is_violation);
        match reduced.stopped {
            Some(stop) if self.options.ends_early() || is_open() => Err(stop),
            _ => Ok(reduced),
        }
    }
}

/// The discipline of a program: guessed and revised until the reduced system agrees, each round with so much work on
/// BDDs at most; `None` if nothing is open. BDDs show what refutes a guess; that guesses stand, engines may find
/// sooner.
///
/// # Errors
/// Any [`Stop`].
pub fn settled(
    subject: &Subject,
    effort: u64,
    control: &Control,
) -> Result<Option<Inference>, Stop> {
    let Some(mut inference) = subject.inference(control)? else {
        return Ok(None);
    };
    loop {
        let program = inference.program().clone();
        control.enter("inferring disciplines: building relations");
        let mut encoding = Encoding::within(&program, effort, control)?;
        let mut visibility = Visibility::by_definition(&mut encoding)?;
        let goals = goals(&encoding, &[])?;
        visibility.repair(&encoding, &goals, false)?;
        let prepared = prepared(&encoding, &visibility);
        let quick = prepared.disciplined(SOON, control);
        if let Quick::Answered(_) = quick {
            return Ok(Some(inference));
        }
        let explorer = Explorer::new(&encoding, &visibility)?;
        let (m, left) = (&encoding.m, encoding.m.left());
        let little = left.min(control.budget().little());
        let mut reduced = within(m, little, || explore(&explorer, &goals));
        let mut is_refuted = revise(&encoding, &explorer, &reduced, &mut inference)?;
        if !is_refuted && reduced.stopped == Some(Stop::Effort) && little < left {
            is_refuted = revise_by(&encoding, &quick, &mut inference);
            if !is_refuted {
                let quick = prepared.disciplined(LATER, control);
                if let Quick::Answered(_) = quick {
                    return Ok(Some(inference));
                }
                is_refuted = revise_by(&encoding, &quick, &mut inference);
            }
            if !is_refuted {
                reduced = explore(&explorer, &goals);
                is_refuted = revise(&encoding, &explorer, &reduced, &mut inference)?;
            }
        }
        match reduced.stopped {
            _ if is_refuted => {}
            Some(stop) => return Err(stop),
            None => return Ok(Some(inference)),
        }
    }
}

/// Does something with so much work on BDDs, of that which is left.
fn within<T>(m: &Bdds, work: u64, does: impl FnOnce() -> T) -> T {
    let (begun, left) = (m.work(), m.left());
    m.allow(work, usize::MAX);
    let done = does();
    m.allow(left.saturating_sub(m.work() - begun), usize::MAX);
    done
}

/// Revises the guesses that the reduced system refutes; whether there were any.
///
/// # Errors
/// Any [`Stop`].
pub fn revise(
    e: &Encoding,
    explorer: &Explorer,
    reduced: &Reduced,
    inference: &mut Inference,
) -> Result<bool, Stop> {
    let m = &e.m;
    let visited = m.or(&reduced.visited, &reduced.states)?;
    let unviolated = m.and_not(&visited, &e.q())?;
    let mut violations = Vec::new();
    for (x, protection) in e.program.protections.iter().enumerate() {
        if !inference.may_revise(protection.cell) {
            continue;
        }
        let search = ViolationSearch {
            e,
            explorer,
            reduced,
            traced: violations.len() < TRACED,
        };
        let mut found = None;
        for (n, action) in e.actions.iter().enumerate() {
            let Some((_, from)) = action.outside.iter().find(|(y, _)| *y == x) else {
                continue;
            };
            let here = m.and(from, &unviolated)?;
            if !here.is_false() {
                found = search.access(protection.cell, n, &here, inference)?;
                break;
            }
        }
        if found.is_none() {
            let both = m.and(e.overlap(x), &visited)?;
            if !both.is_false() {
                found = Some(search.overlap(x, &both)?);
            }
        }
        violations.extend(found);
    }
    inference.revise(&violations);
    Ok(!violations.is_empty())
}

/// Revises the guesses that the last step of an execution refutes, if others have found one; whether there were any.
fn revise_by(e: &Encoding, quick: &Quick, inference: &mut Inference) -> bool {
    let p = e.program;
    let Quick::Violated(path) = quick else {
        return false;
    };
    let Some((last, earlier)) = path.moves.split_last() else {
        return false;
    };
    let before = Path {
        moves: earlier.to_vec(),
        ..path.clone()
    };
    let (before, after) = (before.end(), path.end());
    let steps: Steps = path.moves.iter().map(|m| (m.thread, m.location)).collect();
    let place = (last.thread, last.location);
    let guessed = p.protections.iter();
    let guessed = guessed.filter(|x| inference.may_revise(x.cell));
    let mut violations = Vec::new();
    for x in guessed {
        let mut broken = None;
        let _: ControlFlow<()> = each_successor(p, &before, last.thread, None, &mut |next| {
            if next.state == after && breaks(p, x, last.thread, &before, &next) {
                let accesses = next.accesses.contains(&x.cell);
                broken = Some(accesses && !may_access(p, x, last.thread, &before, &next));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        violations.extend(broken.map(|access| match access {
            true => accessed(p, x.cell, place, (before.clone(), steps.clone()), inference),
            false => Violation {
                cell: x.cell,
                access: None,
                state: Some(after.clone()),
                steps: steps.clone(),
                why: Refutation::Overlap(overlap_of(p, x, &after)),
            },
        }));
    }
    inference.revise(&violations);
    !violations.is_empty()
}

/// An access without the right to it: from where, from which state, and the steps that lead to it, itself the last.
fn accessed(
    p: &Program,
    cell: CellId,
    (thread, location): (ThreadId, LocId),
    (state, steps): (State, Steps),
    inference: &Inference,
) -> Violation {
    let (mut written, mut tried) = (false, 0);
    // A step may have millions of outcomes; whether it writes only colours the next guess.
    let _: ControlFlow<()> = each_successor(p, &state, thread, None, &mut |next| {
        written |= next.writes.contains(&cell);
        tried += 1;
        match written || tried >= OUTCOMES {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    let held = inference.held(&state, thread, written);
    let place = &p.threads[thread];
    Violation {
        cell,
        access: Some((thread, location, held)),
        state: Some(state),
        steps,
        why: Refutation::Access {
            thread: place.name.clone(),
            location: place.locations[location].name.clone(),
            written,
        },
    }
}

struct ViolationSearch<'s, 'p> {
    e: &'s Encoding<'p>,
    explorer: &'s Explorer<'s, 'p>,
    reduced: &'s Reduced,
    traced: bool,
}

impl ViolationSearch<'_, '_> {
    /// An access without the right to it, from one of these states.
    fn access(
        &self,
        cell: CellId,
        action: usize,
        from: &Bdd,
        inference: &Inference,
    ) -> Result<Option<Violation>, Stop> {
        let (e, p) = (self.e, self.e.program);
        let (thread, location) = (e.actions[action].thread, e.actions[action].location);
        let (mut steps, state) = self.steps_to(from)?;
        let Some(state) = state else { return Ok(None) };
        steps.push((thread, location));
        let (place, how) = ((thread, location), (state.state, steps));
        Ok(Some(accessed(p, cell, place, how, inference)))
    }

    /// States in which two threads have access.
    fn overlap(&self, x: usize, both: &Bdd) -> Result<Violation, Stop> {
        let (e, p) = (self.e, self.e.program);
        let (steps, state) = self.steps_to(both)?;
        let state = state.map(|s| s.state);
        let overlap = state
            .as_ref()
            .and_then(|s| overlap_of(p, &p.protections[x], s));
        Ok(Violation {
            cell: e.program.protections[x].cell,
            access: None,
            state,
            steps,
            why: Refutation::Overlap(overlap),
        })
    }

    /// Steps to one of these states, and that state; no steps if the search for them would cost too much.
    fn steps_to(&self, states: &Bdd) -> Result<(Steps, Option<Concrete>), Stop> {
        let e = self.e;
        let goal = Goal {
            asked: Asked::discipline(),
            bad: states.clone(),
        };
        let found = match self.traced {
            true => execution(e, self.explorer, self.reduced, &goal, TRACE_BUDGET)?,
            false => None,
        };
        let Some(found) = found else {
            return Ok((Vec::new(), pick(e, states)));
        };
        let place = |a: &usize| (e.actions[*a].thread, e.actions[*a].location);
        let steps = found.steps.iter().map(|(_, a, _)| place(a)).collect();
        let last = found.steps.last().map(|(_, _, state)| state.clone());
        Ok((steps, Some(last.unwrap_or(found.first))))
    }
}

/// Makes the actions visible that the inference wants to be.
pub fn pin(e: &Encoding, visibility: &mut Visibility, inference: &Inference) {
    for (n, action) in e.actions.iter().enumerate() {
        let here =
            |(t, l, _): &&(ThreadId, LocId, String)| *t == action.thread && *l == action.location;
        if let Some((_, _, id)) = inference.pinned().iter().find(here) {
            visibility.pin(n, VisibilityReason::Guessed(id.clone()));
        }
    }
}

/// Has the invisible steps of witnesses made visible where these rest on a guess; whether there were any.
pub fn pin_witnesses(
    e: &Encoding,
    visibility: &Visibility,
    report: &Report,
    inference: &mut Inference,
) -> bool {
    let mut any = false;
    for h in report
        .hypotheses
        .iter()
        .filter(|h| h.status != Status::Holds)
    {
        for step in h.witness.iter().flat_map(|w| &w.steps) {
            for (n, action) in e.actions.iter().enumerate() {
                let t = &e.program.threads[action.thread];
                let here =
                    t.name == step.thread && t.locations[action.location].name == step.location;
                if here && !visibility.is_visible(n) && rests_on_guess(e.program, inference, n, e) {
                    inference.pin(action.thread, action.location, h.id.clone());
                    any = true;
                }
            }
        }
    }
    any
}

/// Whether an action is invisible only because of a guess, or of a reference that it trusts.
fn rests_on_guess(p: &Program, inference: &Inference, action: usize, e: &Encoding) -> bool {
    let a = &e.actions[action];
    let mut rests = false;
    for edge in &p.threads[a.thread].locations[a.location].edges {
        each_use(p, edge, &mut |used| {
            let guessed = used.cells.clone().any(|c| inference.may_revise(c));
            rests |= guessed || used.how == How::Check;
        });
    }
    rests
}

/// The inferred disciplines and how they were arrived at.
pub fn tell(report: &mut Report, inference: &Inference) {
    let p = inference.program();
    report.discipline.clear();
    for array in &p.arrays {
        // Cells found alike are told together.
        let mut groups: Vec<(Finding, Vec<CellId>)> = Vec::new();
        for c in array.first..array.first + array.len {
            let Some(finding) = inference.finding(c) else {
                continue;
            };
            match groups.iter_mut().find(|(f, _)| *f == finding) {
                Some((_, cells)) => cells.push(c),
                None => groups.push((finding, vec![c])),
            }
        }
        for (finding, cells) in groups {
            report.discipline.push(results::Inferred {
                variable: named(p, &cells),
                discipline: finding.discipline(p),
            });
        }
    }
    let step = |(t, l): &(ThreadId, LocId)| step_at(p, *t, *l);
    report.revisions = inference
        .revisions()
        .iter()
        .map(|r| results::Revision {
            variable: named(p, &r.cells),
            from: r.from.clone(),
            to: r.to.clone(),
            why: r.why.clone(),
            steps: r.steps.iter().map(step).collect(),
        })
        .collect();
}

/// The variable if these are all its cells, else the cells.
fn named(p: &Program, cells: &[CellId]) -> String {
    const SHOWN: usize = 4;
    let array = &p.arrays[p.cells[cells[0]].array];
    if cells.len() == array.len {
        return array.name.clone();
    }
    let name = |c: &CellId| p.cells[*c].name.clone();
    let mut names: Vec<String> = cells.iter().take(SHOWN).map(name).collect();
    if cells.len() > SHOWN {
        names.push(format!("{} more", cells.len() - SHOWN));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::control::{Budget, ParseLimits};
    use crate::model::Loaded;

    /// A stack of ids that seven threads use, with work of their own between.
    const STACK: &str = "const N = 7; mutex m; var top: 0..3 = 0; var data[3]: 0..N = 0;
        thread w(i in 0..N-1) {
            var t: 0..N = 0; var k: 0..3 = 0;
            while (true) {
                t = i; k = 0; while (k < 3) { k = k + 1; }
                lock(m); if (top < 3) { data[top] = t; top = top + 1; } unlock(m);
                t = 0;
                lock(m); if (top > 0) { top = top - 1; t = data[top]; data[top] = 0; } unlock(m);
            }
        }";

    /// Each execution that violates a discipline that is only guessed refutes a guess, until the guesses stand.
    #[test]
    fn guesses_are_revised_by_an_execution() {
        let mut all = 0;
        for name in ["memory_reuse", "semaphore_driver", "master_workers"] {
            let root = env!("CARGO_MANIFEST_DIR");
            let path = format!("{root}/models/section6/{name}.cor");
            let text = std::fs::read_to_string(&path).expect("a model");
            let loaded = Loaded::load(&path, &text, &[], ParseLimits::default());
            let (loaded, _) = loaded.unwrap_or_else(|errors| panic!("{errors:?}"));
            let control = Control::default();
            let subject = Subject::new(loaded.program());
            let found = subject.inference(&control);
            let mut inference = found.expect("within the limits").expect("guesses");
            loop {
                let program = inference.program().clone();
                let mut encoding = Encoding::new(&program, &control).expect("small");
                let mut visibility = Visibility::by_definition(&mut encoding).expect("small");
                let goals = goals(&encoding, &[]).expect("small");
                visibility.repair(&encoding, &goals, false).expect("small");
                match prepared(&encoding, &visibility).disciplined(SOON, &control) {
                    Quick::Answered(_) => break,
                    quick => assert!(revise_by(&encoding, &quick, &mut inference), "{name}"),
                }
                all += 1;
            }
        }
        assert!(all > 2, "{all}");
    }

    /// Neither a short search nor little work on BDDs shows that the guesses stand.
    #[test]
    fn guesses_that_take_long_are_settled_by_a_longer_search() {
        let loaded = Loaded::load("m.cor", STACK, &[], ParseLimits::default());
        let (loaded, _) = loaded.unwrap_or_else(|errors| panic!("{errors:?}"));
        let budget = Budget {
            effort: 1 << 28,
            ..Budget::default()
        };
        let control = Control::new(budget);
        let subject = Subject::new(loaded.program());
        let found = settled(&subject, budget.effort, &control);
        let inference = found.expect("within the limits").expect("guesses");
        assert!(inference.has_guesses(inference.program()));
        assert!(inference.program().protections.len() > 3);
    }
}
