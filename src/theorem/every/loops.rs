//! Loops of steps that come to an end whatever the constant is: found by running them, on the variables that decide
//! where control goes.
//!
//! Of the steps of one thread, those that control may come back to are taken. A variable whose type does not depend on
//! open cells is kept if a condition there, or what is assigned to one that is kept, mentions it and only such; all
//! else is left to chance. What is left has a run for each run that the thread has, for every value of the constant; if
//! it has no cycle, no such run is endless. (Hypothesis (11) of Stoller & Cohen 2003.)

use crate::base::control::{Control, Stop};
use crate::engine::{State, Successor, each_successor};
use crate::model::program::{
    ArrayId, CellId, Command, Edge, Expr, Kind, LocId, Parametric, Program, Target, ThreadId,
    is_total,
};
use crate::model::text::ast::BinaryOp;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Places of control with values of variables that are looked at.
const MOST_STATES: u64 = 50_000;

/// Steps that are looked at: one that chooses a value has one for each.
const MOST_STEPS: usize = 500_000;

/// A thread's steps that control may come back to.
struct Loop<'p> {
    parametric: &'p Parametric,
    thread: ThreadId,
    places: BTreeSet<LocId>,
    /// The variables that are kept.
    kept: BTreeSet<ArrayId>,
}

/// Whether a thread can't take steps from these places for ever, if it takes no others; false also if that is too much
/// to look at.
///
/// # Errors
/// A limit that was hit.
pub(super) fn end(
    parametric: &Parametric,
    thread: ThreadId,
    locations: &BTreeSet<LocId>,
    control: &Control,
) -> Result<bool, Stop> {
    let program = &parametric.program;
    let mut places = locations.clone();
    // What leads nowhere in there, or is led to from nowhere, is on no way back.
    loop {
        let targets = |l: &LocId| program.threads[thread].locations[*l].targets();
        let reached: BTreeSet<LocId> = places.iter().flat_map(targets).collect();
        let stays =
            |l: &LocId| reached.contains(l) && targets(l).iter().any(|t| places.contains(t));
        let fewer: BTreeSet<LocId> = places.iter().copied().filter(stays).collect();
        if fewer.len() == places.len() {
            break;
        }
        places = fewer;
    }
    let mut found = Loop {
        parametric,
        thread,
        places,
        kept: BTreeSet::new(),
    };
    found.kept = found.deciding();
    found.ends(control)
}

impl Loop<'_> {
    fn edges(&self) -> impl Iterator<Item = &Edge> {
        let thread = &self.parametric.program.threads[self.thread];
        self.places.iter().flat_map(|l| &thread.locations[*l].edges)
    }

    /// The variables that conditions mention, and those that these depend on.
    fn deciding(&self) -> BTreeSet<ArrayId> {
        let (mut assigned, mut conditions) = (Vec::new(), Vec::new());
        for edge in self.edges() {
            conditions.extend(edge.guard.iter().flat_map(conjuncts));
            parts(&edge.body, &mut assigned, &mut conditions);
        }
        let mut kept = BTreeSet::new();
        for condition in conditions {
            kept.extend(self.mentioned(condition).into_iter().flatten());
        }
        loop {
            let before = kept.len();
            for (target, value) in &assigned {
                if kept.contains(&self.variable(target)) {
                    kept.extend(self.mentioned(value).into_iter().flatten());
                }
            }
            if kept.len() == before {
                break;
            }
        }
        // Of a variable that is assigned to at a place that is not known, nothing is known.
        loop {
            let unknown = assigned.iter().find_map(|(target, _)| {
                let variable = self.variable(target);
                let known = match target {
                    Target::Cell(_) => true,
                    Target::Element(_, index) => index.iter().all(|e| is_within(self, e, &kept)),
                };
                (kept.contains(&variable) && !known).then_some(variable)
            });
            match unknown {
                Some(variable) => kept.remove(&variable),
                None => return kept,
            };
        }
    }

    fn variable(&self, target: &Target) -> ArrayId {
        match target {
            Target::Cell(c) => self.parametric.program.cells[*c].array,
            Target::Element(array, _) => *array,
        }
    }

    /// The variables of an expression; none if it depends on anything that may differ between values of the constant.
    fn mentioned(&self, e: &Expr) -> Option<BTreeSet<ArrayId>> {
        let (open, program) = (&self.parametric.open, &self.parametric.program);
        let mut all = Some(BTreeSet::new());
        e.walk(&mut |e| {
            let variable = match e {
                Expr::Cell(c) if open.is_open(*c) => None,
                Expr::Cell(c) => Some(program.cells[*c].array),
                Expr::Element(array, _) => Some(*array),
                Expr::At(..) | Expr::Via(..) | Expr::Slot(..) => None,
                _ => return,
            };
            let depends = |a: &ArrayId| {
                let of_kind = match program.cells[program.arrays[*a].first].ty.kind {
                    Kind::Owner => true,
                    Kind::Ref(pool) => open.slots.contains_key(&pool),
                    Kind::Bool | Kind::Int | Kind::Enum(_) => false,
                };
                of_kind || open.ranges.contains_key(a) || open.sizes.contains_key(a)
            };
            match (variable.filter(|a| !depends(a)), &mut all) {
                (Some(variable), Some(all)) => drop(all.insert(variable)),
                (None, _) => all = None,
                _ => {}
            }
        });
        all
    }

    /// Steps with everything left to chance that is not kept.
    fn abstracted(&self, all: &[Command]) -> Vec<Command> {
        let keeps = |target: &Target| self.kept.contains(&self.variable(target));
        let is_known = |e: &Expr| is_within(self, e, &self.kept);
        let mut done = Vec::new();
        for command in all {
            done.push(match command {
                Command::Assign(target, _) | Command::Havoc(target) if !keeps(target) => continue,
                Command::Assign(target, e) if !is_known(e) => Command::Havoc(target.clone()),
                Command::Check(e, _) if !is_known(e) => continue,
                Command::If(c, a, b) => {
                    let (a, b) = (self.abstracted(a), self.abstracted(b));
                    let either = Command::Choose(vec![a.clone(), b.clone()]);
                    // What is not known may decide that the rest does not go wrong.
                    let known = self.weakened(c).filter(|k| is_known(c) || is_defined(k));
                    match known {
                        Some(known) if known == *c => Command::If(known, a, b),
                        Some(known) => Command::If(known, vec![either], b),
                        None => either,
                    }
                }
                Command::Choose(all) => {
                    Command::Choose(all.iter().map(|b| self.abstracted(b)).collect())
                }
                other => other.clone(),
            });
        }
        done
    }

    /// Those parts of a guard that are known; none if there are none.
    fn weakened(&self, guard: &Expr) -> Option<Expr> {
        let known = conjuncts(guard).into_iter();
        let known = known.filter(|e| is_within(self, e, &self.kept)).cloned();
        known.reduce(|a, b| Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b)))
    }

    fn program(&self) -> Program {
        let mut program = self.parametric.program.clone();
        for l in &self.places {
            for edge in &mut program.threads[self.thread].locations[*l].edges {
                edge.guard = edge.guard.take().and_then(|e| self.weakened(&e));
                edge.body = self.abstracted(&edge.body);
            }
        }
        program
    }

    /// Whether no run comes back to where it was.
    fn ends(&self, control: &Control) -> Result<bool, Stop> {
        let program = self.program();
        let cells: Vec<CellId> = self
            .kept
            .iter()
            .flat_map(|a| program.cells_of(*a))
            .collect();
        let sizes = cells.iter().map(|c| program.cells[*c].ty.size());
        let values = sizes.fold(1, u64::saturating_mul);
        if values.saturating_mul(self.places.len() as u64) > MOST_STATES {
            return Ok(false);
        }
        let lowest: Vec<i64> = program.cells.iter().map(|c| c.ty.lo).collect();
        let locations: Vec<LocId> = program.threads.iter().map(|t| t.initial).collect();
        // Where each state leads, and how many lead to it.
        let mut after: FxHashMap<State, Vec<State>> = FxHashMap::default();
        let mut into: FxHashMap<State, usize> = FxHashMap::default();
        let mut steps = 0;
        for place in &self.places {
            let mut at = locations.clone();
            at[self.thread] = *place;
            for number in 0..values {
                control.check()?;
                let (mut now, mut rest) = (lowest.clone(), number);
                for c in &cells {
                    let size = program.cells[*c].ty.size();
                    now[*c] += i64::try_from(rest % size).unwrap_or_default();
                    rest /= size;
                }
                let state = State::new(&now, &at);
                let mut next = Vec::new();
                let looked_at = &mut |step: Successor| {
                    steps += 1;
                    if self.places.contains(&step.state.location(self.thread)) {
                        next.push(step.state);
                    }
                    match steps < MOST_STEPS {
                        true => ControlFlow::Continue(()),
                        false => ControlFlow::Break(()),
                    }
                };
                let begun = each_successor(&program, &state, self.thread, None, looked_at);
                if begun.is_break() {
                    return Ok(false);
                }
                control.worked((1 + next.len() as u64) << 6);
                next.iter()
                    .for_each(|s| *into.entry(s.clone()).or_default() += 1);
                after.insert(state, next);
            }
        }
        // What nothing leads to is taken away, until only cycles and what they lead to are left.
        let is_first = |s: &&State| !into.contains_key(*s);
        let mut first: Vec<State> = after.keys().filter(is_first).cloned().collect();
        let mut left = after.len();
        while let Some(state) = first.pop() {
            left -= 1;
            for next in after.remove(&state).unwrap_or_default() {
                let Some(n) = into.get_mut(&next) else {
                    continue;
                };
                *n -= 1;
                if *n == 0 {
                    first.push(next);
                }
            }
        }
        Ok(left == 0)
    }
}

/// Whether an expression says the same whatever the constant is, of variables that are kept.
fn is_within(found: &Loop, e: &Expr, kept: &BTreeSet<ArrayId>) -> bool {
    let mentioned = found.mentioned(e);
    mentioned.is_some_and(|all| all.is_subset(kept))
}

/// What has to hold so that a condition does.
fn conjuncts(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::Binary(BinaryOp::And, a, b) => [conjuncts(a), conjuncts(b)].concat(),
        other => vec![other],
    }
}

/// Whether an expression has a value in each state.
fn is_defined(e: &Expr) -> bool {
    let mut all = true;
    e.walk(&mut |e| {
        all &= match e {
            Expr::Element(..) | Expr::Via(..) | Expr::Slot(..) => false,
            Expr::Binary(op, _, right) => is_total(*op, right),
            _ => true,
        }
    });
    all
}

/// What is assigned, and the conditions.
fn parts<'c>(
    all: &'c [Command],
    assigned: &mut Vec<(&'c Target, &'c Expr)>,
    conditions: &mut Vec<&'c Expr>,
) {
    for command in all {
        match command {
            Command::Assign(target, e) => assigned.push((target, e)),
            Command::Havoc(target) => assigned.push((target, &Expr::TRUE)),
            Command::Check(..) | Command::Goto(_) => {}
            Command::If(c, a, b) => {
                conditions.extend(conjuncts(c));
                parts(a, assigned, conditions);
                parts(b, assigned, conditions);
            }
            Command::Choose(all) => all.iter().for_each(|b| parts(b, assigned, conditions)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::control::ParseLimits;
    use crate::model::program::parametric;
    use crate::model::text::parse_model;

    /// Whether the steps of the first thread, all of them, come to an end for every N.
    fn ends(body: &str) -> bool {
        let source = format!(
            "const N = 2; var s: 0..3 = 0; var m: 0..N = 0; var b[2]: bool = false; var g: 0..40000 = 0;
             record node {{ next: ref node in nodes; }} var nodes[N]: node;
             thread w(i in 0..N-1) {{ var k: 0..3 = 0; var n: 0..N = 0; var r: ref node in nodes = null; {body} }}"
        );
        let (tree, _) = parse_model(&source, ParseLimits::default());
        let open = parametric(&tree, &source, &[], Some("N")).unwrap_or_else(|e| panic!("{e:?}"));
        let steps = open.program.threads[0].steps().collect();
        end(&open, 0, &steps, &Control::default()).expect("within the limits")
    }

    #[test]
    fn loops_end_if_what_decides_is_the_same_for_all_values() {
        for body in [
            "k = 1; s = 2;",
            "while (k < 3) { k = k + 1; }",
            // Shared variables count: no other thread takes a step between.
            "while (s < 3) { s = s + 1; }",
            "k = 0; while (k < 3) { n = m; k = k + 1; if (n > 0) { k = 3; } }",
            "k = 0; while (k < 2) { b[k] = !b[k]; k = k + 1; }",
            "while (k < 3 && m < 1) { k = k + 1; }",
        ] {
            assert!(ends(body), "{body}");
        }
    }

    #[test]
    fn loops_that_may_go_on_or_depend_on_the_constant_are_not_said_to_end() {
        for body in [
            "while (true) { k = 0; }",
            "while (k < 3) { s = s + 1 - 1; }",
            // The number of rounds depends on N.
            "n = 0; while (n < N) { n = n + 1; }",
            // What is left to chance may lead back.
            "while (k < 3) { k = k + 1; if (m > 0) { k = 0; } }",
            "while (k < 3) { k = k + 1; havoc k; }",
            "while (k < 3) { k = i; }",
            // Too much to look at.
            "while (g < 7) { havoc g; }",
            // The number of slots depends on N.
            "while (r != null) { r = null; }",
            // Where b is not looked at because of m, control goes on.
            "while (k == 3) { if (m < 1 && b[k]) { k = 0; } else { s = 1; } }",
            "while (b[0]) { b[i % 2] = false; }",
        ] {
            assert!(!ends(body), "{body}");
        }
    }
}
