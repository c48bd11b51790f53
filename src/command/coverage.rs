//! What is executed, told by statement. `never` is said only if all reachable states of the original program were
//! looked at: a theorem's reduced system need not have every step of the original.

use crate::base::control::{Control, Stop};
use crate::base::diagnostic::{Position, Span};
use crate::base::results::{Coverage, Covered, Onward, Stuck};
use crate::engine::compiled::{Steps, steps};
use crate::model::program::{Edge, Expr, LocId, Program, Thread};
use crate::model::text::ast::{BinaryOp, PropertyKind};
use std::collections::BTreeMap;

/// States that every check looks at: some milliseconds.
pub const ALWAYS: usize = 1 << 13;

/// Explores up to so many states of the original program, and says what is executed in them.
///
/// # Errors
/// Any [`Stop`] but that of states.
pub fn coverage(program: &Program, most: usize, control: &Control) -> Result<Coverage, Stop> {
    let mut program = program.clone();
    // What others do behind an error counts, too.
    program.errors_end = false;
    let program = &program;
    let invariants: Vec<(&str, Vec<&Expr>)> = program
        .properties
        .iter()
        .filter(|p| p.kind == PropertyKind::Invariant)
        .filter_map(|p| Some((p.name.as_str(), premises(&p.expr)?)))
        .collect();
    let all: Vec<&Expr> = invariants.iter().flat_map(|i| &i.1).copied().collect();
    let found = steps(program, &all, most, control)?;
    let mut met = found.met.iter();
    let mut trivial = Vec::new();
    for (name, premises) in &invariants {
        let some = met.by_ref().take(premises.len()).filter(|m| **m).count();
        if some == 0 && found.complete && found.states > 0 {
            trivial.push(name.to_string());
        }
    }
    let threads = program.threads.iter().zip(&found.stuck);
    let stuck = threads.filter_map(|(thread, at)| {
        let Position { line, column } = program.position(thread.locations[(*at)?].span);
        Some(Stuck {
            thread: thread.name.clone(),
            line,
            column,
        })
    });
    Ok(Coverage {
        states: found.states.to_string(),
        complete: found.complete,
        statements: statements(program, &found),
        stuck: stuck.collect(),
        trivial,
    })
}

/// What an invariant is premised on, if it says nothing else.
fn premises(e: &Expr) -> Option<Vec<&Expr>> {
    match e {
        Expr::Binary(BinaryOp::And, a, b) => {
            let mut all = premises(a)?;
            all.extend(premises(b)?);
            Some(all)
        }
        Expr::Binary(BinaryOp::Implies, a, _) => Some(vec![a]),
        Expr::Const(c) if *c != 0 => Some(Vec::new()),
        _ => None,
    }
}

fn statements(program: &Program, found: &Steps) -> Vec<Covered> {
    let lines = Lines::of(program);
    let mut all: BTreeMap<(usize, usize), Covered> = BTreeMap::new();
    for (t, thread) in program.threads.iter().enumerate() {
        for (l, location) in thread.locations.iter().enumerate() {
            for (n, edge) in location.edges.iter().enumerate() {
                let key = (edge.span.start, edge.span.end);
                let covered = all.entry(key).or_insert_with(|| Covered {
                    line: lines.line(edge.span),
                    column: lines.column(edge.span),
                    text: program.text(edge.span),
                    reached: false,
                    executions: 0,
                    branches: Vec::new(),
                });
                let taken = found.taken[t][l].iter().filter(|way| way.0 == n);
                let taken: Vec<(LocId, u64)> = taken.map(|(_, to, steps)| (*to, *steps)).collect();
                covered.reached |= found.reached[t][l];
                covered.executions += taken.iter().map(|(_, steps)| steps).sum::<u64>();
                branches(&lines, thread, edge, &taken, &mut covered.branches);
            }
        }
    }
    let mut all: Vec<Covered> = all.into_values().filter(|s| s.line > 0).collect();
    for s in &mut all {
        s.branches.sort_unstable();
        if s.branches.len() == 1 {
            s.branches.clear();
        }
    }
    all.sort_by_key(|s| s.line);
    all
}

/// A text with the places where its lines begin: many places are looked up.
struct Lines<'p> {
    text: &'p str,
    begins: Vec<usize>,
}

impl<'p> Lines<'p> {
    fn of(program: &'p Program) -> Self {
        let text = program.source.as_str();
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines {
            text,
            begins: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// The line of a place, from 1; 0 if it has none.
    fn line(&self, span: Span) -> usize {
        match span == Span::default() {
            true => 0,
            false => self.begins.partition_point(|begin| *begin <= span.start),
        }
    }

    /// Its column there, in characters from 1; 0 if it has none.
    fn column(&self, span: Span) -> usize {
        let begin = self.line(span).checked_sub(1).map(|n| self.begins[n]);
        let before = begin.and_then(|begin| self.text.get(begin..span.start));
        before.map_or(0, |before| before.chars().count() + 1)
    }
}

/// Adds the lines that an edge goes on to, with how often it does.
fn branches(
    lines: &Lines,
    thread: &Thread,
    edge: &Edge,
    taken: &[(LocId, u64)],
    into: &mut Vec<Onward>,
) {
    for to in edge.targets() {
        let target = &thread.locations[to];
        let (line, column) = match target.edges.is_empty() {
            true => (0, 0),
            false => (lines.line(target.span), lines.column(target.span)),
        };
        let steps = taken
            .iter()
            .filter(|(l, _)| *l == to)
            .map(|(_, n)| n)
            .sum::<u64>();
        match into.iter_mut().find(|known| known.line == line) {
            Some(known) => {
                known.steps += steps;
                known.column = known.column.min(column);
            }
            None => into.push(Onward {
                line,
                column,
                steps,
            }),
        }
    }
}
