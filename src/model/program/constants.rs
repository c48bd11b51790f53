//! Parameters of procedures that hold a constant: what a call gives, where the procedure assigns nothing to them.
//!
//! Each call has a copy of the procedure's text, so reading such a parameter there is reading the constant.
//! `buffers[i]` in a procedure that is called with 0 is then a cell, as it is where the procedure is written out, and
//! nobody else's cell. What a call assigns stays assigned, so states and steps are the same. Since calls may stand in
//! each other and in `atomic` blocks, this is a forward analysis of control (Kildall 1973), for parameters only.

use super::expressions::{fold, not};
use super::{ArrayId, CellId, Command, Edge, Expr, Kind, LocId, Open, Program, Target, ThreadId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The constants that parameters hold at a place.
type Known = BTreeMap<CellId, Expr>;

/// More entries than this, of all places together, are not kept: the thread's text stays as it is.
const MOST: usize = 1 << 18;

/// Replaces reads of a thread's parameters that hold a constant. Open cells are constants, too: nobody writes them.
/// Which parameters are given does not matter for that: what else is assigned to one is followed.
pub(super) fn propagate(
    program: &mut Program,
    thread: ThreadId,
    parameters: &FxHashSet<CellId>,
    open: Option<&Open>,
) {
    let places = program.threads[thread].locations.len();
    if parameters.is_empty() || parameters.len().saturating_mul(places) > MOST {
        return;
    }
    let pass = Pass {
        program,
        parameters,
        open,
    };
    let at = pass.fixpoint(thread);
    let mut edges: Vec<(LocId, usize, Edge)> = Vec::new();
    for (l, known) in at.iter().enumerate() {
        let Some(known) = known else { continue };
        let all = program.threads[thread].locations[l].edges.iter();
        for (n, edge) in all.enumerate() {
            let replaced = pass.edge(edge, known, &mut |_, _| {});
            if replaced != *edge {
                edges.push((l, n, replaced));
            }
        }
    }
    for (l, n, edge) in edges {
        program.threads[thread].locations[l].edges[n] = edge;
    }
}

struct Pass<'p> {
    program: &'p Program,
    parameters: &'p FxHashSet<CellId>,
    open: Option<&'p Open>,
}

impl Pass<'_> {
    /// What is known at each location; nothing of one that no way leads to.
    fn fixpoint(&self, thread: ThreadId) -> Vec<Option<Rc<Known>>> {
        let thread = &self.program.threads[thread];
        let mut at: Vec<Option<Rc<Known>>> = vec![None; thread.locations.len()];
        at[thread.initial] = Some(Rc::default());
        let mut open = vec![thread.initial];
        while let Some(l) = open.pop() {
            let Some(known) = at[l].clone() else { continue };
            for edge in &thread.locations[l].edges {
                self.edge(edge, &known, &mut |to, known| {
                    let met = match &at[to] {
                        None => Some(known.clone()),
                        Some(before) => meet(before, known),
                    };
                    if let Some(met) = met {
                        at[to] = Some(Rc::new(met));
                        open.push(to);
                    }
                });
            }
        }
        at
    }

    /// An edge with what is known put in; `goes` is told what is known where it leads.
    fn edge(&self, edge: &Edge, known: &Known, goes: &mut dyn FnMut(LocId, &Known)) -> Edge {
        let mut known = known.clone();
        Edge {
            guard: edge.guard.as_ref().map(|g| self.put(g, &known)),
            body: self.commands(&edge.body, &mut known, goes),
            span: edge.span,
        }
    }

    fn commands(
        &self,
        commands: &[Command],
        known: &mut Known,
        goes: &mut dyn FnMut(LocId, &Known),
    ) -> Vec<Command> {
        let mut done = Vec::with_capacity(commands.len());
        for command in commands {
            done.push(match command {
                Command::Assign(target, value) => {
                    let value = self.put(value, known);
                    let to = self.target(target, known);
                    if let Target::Cell(cell) = target
                        && self.parameters.contains(cell)
                    {
                        match self.is_constant(*cell, &value) {
                            true => known.insert(*cell, value.clone()),
                            false => known.remove(cell),
                        };
                    }
                    Command::Assign(to, value)
                }
                Command::Havoc(target) => {
                    let to = self.target(target, known);
                    if let Target::Cell(cell) = target {
                        known.remove(cell);
                    }
                    Command::Havoc(to)
                }
                Command::Check(e, failure) => Command::Check(self.put(e, known), *failure),
                Command::If(c, a, b) => {
                    let c = self.put(c, known);
                    let mut other = known.clone();
                    let a = self.commands(a, known, goes);
                    let b = self.commands(b, &mut other, goes);
                    known.retain(|cell, value| other.get(cell) == Some(value));
                    Command::If(c, a, b)
                }
                Command::Choose(all) => {
                    let before = known.clone();
                    let mut branches = Vec::with_capacity(all.len());
                    for (n, branch) in all.iter().enumerate() {
                        let mut after = before.clone();
                        branches.push(self.commands(branch, &mut after, goes));
                        match n {
                            0 => *known = after,
                            _ => known.retain(|cell, value| after.get(cell) == Some(value)),
                        }
                    }
                    Command::Choose(branches)
                }
                Command::Goto(to) => {
                    goes(*to, known);
                    Command::Goto(*to)
                }
            });
        }
        done
    }

    fn target(&self, target: &Target, known: &Known) -> Target {
        let Target::Element(array, index) = target else {
            return target.clone();
        };
        let index: Vec<Expr> = index.iter().map(|e| self.put(e, known)).collect();
        match self.cell(*array, &index) {
            Some(cell) => Target::Cell(cell),
            None => Target::Element(*array, index),
        }
    }

    /// Whether what is assigned to a parameter is a constant, and stored as it is.
    fn is_constant(&self, cell: CellId, value: &Expr) -> bool {
        let ty = self.program.cells[cell].ty;
        let is_number = matches!(ty.kind, Kind::Bool | Kind::Int | Kind::Enum(_));
        is_number
            && match value {
                Expr::Const(c) => ty.contains(*c),
                Expr::Cell(c) => !ty.wraps && self.open.is_some_and(|o| o.is_open(*c)),
                _ => false,
            }
    }

    /// The cell, if all indices are constant and inside for every value of what is open.
    fn cell(&self, array: ArrayId, index: &[Expr]) -> Option<CellId> {
        let varies = self.open.is_some_and(|o| o.sizes.contains_key(&array));
        (!varies).then(|| self.program.constant_cell(array, index))?
    }

    fn has_slot(&self, pool: usize, k: i64) -> bool {
        let varies = self.open.is_some_and(|o| o.slots.contains_key(&pool));
        !varies && (0..self.program.pools[pool].len as i64).contains(&k)
    }

    /// An expression with what is known put in, and folded.
    fn put(&self, e: &Expr, known: &Known) -> Expr {
        let one = |e: &Expr| Box::new(self.put(e, known));
        match e {
            Expr::Cell(c) => known.get(c).unwrap_or(e).clone(),
            Expr::Const(_) | Expr::At(..) => e.clone(),
            Expr::Element(array, index) => {
                let index: Vec<Expr> = index.iter().map(|e| self.put(e, known)).collect();
                match self.cell(*array, &index) {
                    Some(cell) => Expr::Cell(cell),
                    None => Expr::Element(*array, index),
                }
            }
            Expr::Via(reference, allocated) => Expr::Via(one(reference), *allocated),
            Expr::Slot(number, pool) => match self.put(number, known) {
                Expr::Const(k) if self.has_slot(*pool, k) => Expr::Const(k),
                number => Expr::Slot(Box::new(number), *pool),
            },
            Expr::Not(e) => not(self.put(e, known)),
            Expr::Neg(e) => match self.put(e, known) {
                Expr::Const(c) => Expr::Const(-c),
                e => Expr::Neg(Box::new(e)),
            },
            Expr::Binary(op, a, b) => fold(*op, self.put(a, known), self.put(b, known)),
            Expr::Cond(c, a, b) => match self.put(c, known) {
                Expr::Const(0) => self.put(b, known),
                Expr::Const(_) => self.put(a, known),
                c => Expr::Cond(Box::new(c), one(a), one(b)),
            },
        }
    }
}

/// What is known after two ways; none if that is what was known after the first.
fn meet(before: &Known, other: &Known) -> Option<Known> {
    let stays = |cell: &CellId, value: &Expr| other.get(cell) == Some(value);
    if before.iter().all(|(cell, value)| stays(cell, value)) {
        return None;
    }
    let mut met = before.clone();
    met.retain(|cell, value| stays(cell, value));
    Some(met)
}

#[cfg(test)]
mod tests {
    use super::propagate;
    use crate::base::control::ParseLimits;
    use crate::model::program::{Command, Expr, Program, Target, elaborate, parametric};
    use crate::model::text::parse_model;

    fn program(threads: &str) -> Program {
        let source = format!(
            "var x[3]: 0..2 = 0; proc q(k: 0..2) {{ x[k] = 1; }} proc p(i: 0..2) {{ x[i] = 1; q(i); }} {threads}"
        );
        let (tree, _) = parse_model(&source, ParseLimits::default());
        elaborate(&tree, &source, &[]).expect("a model").0
    }

    /// What the first thread writes of x, by cell; nothing where that is computed.
    fn written(program: &Program) -> Vec<Option<usize>> {
        let mut all = Vec::new();
        let edges = program.threads[0].locations.iter().flat_map(|l| &l.edges);
        for command in edges.flat_map(|e| &e.body) {
            match command {
                Command::Assign(Target::Cell(c), _) if *c < 3 => all.push(Some(*c)),
                Command::Assign(Target::Element(..), _) => all.push(None),
                _ => {}
            }
        }
        all.sort_unstable();
        all
    }

    #[test]
    fn parameters_are_the_constants_that_a_call_gives() {
        let twice = program("thread a { p(1); p(2); }");
        assert_eq!(written(&twice), [Some(1), Some(1), Some(2), Some(2)]);
        let members = program("thread w(i in 1..2) { p(i); }");
        assert_eq!(written(&members), [Some(1), Some(1)]);
        let computed = program("thread a { p(1); p(x[0]); atomic { p(2); } }");
        let known = [Some(1), Some(1), Some(2), Some(2)];
        assert_eq!(written(&computed), [&[None; 2], known.as_slice()].concat());
        let looping = program("thread a { while (x[0] == 0) { p(1); p(x[1]); p(2); } }");
        assert_eq!(written(&looping), [&[None; 2], known.as_slice()].concat());
    }

    #[test]
    fn parameters_that_are_assigned_are_variables() {
        let with = |body: &str| {
            written(&program(&format!(
                "proc r(k: 0..2) {{ {body} }} thread a {{ r(1); }}"
            )))
        };
        assert_eq!(with("x[k] = 1;"), [Some(1)]);
        for assigned in [
            "k = 2;",
            "havoc k;",
            "k = swap(x[0], 1);",
            "choose k in 0..1;",
            "atomic { k = 1; }",
        ] {
            assert!(
                with(&format!("{assigned} x[k] = 1;")).contains(&None),
                "{assigned}"
            );
        }
        // Also where a condition would remove the statement, and a jump leads there.
        let entered = "if (x[0] == 0) { goto L; } if (false) { L: k = 2; } x[k] = 1;";
        assert_eq!(with(entered), [None]);
        // What a type does not hold is not what is stored.
        let wraps = program("proc r(k: mod 2) { x[k] = 1; } thread a { r(3); r(1); }");
        assert_eq!(written(&wraps), [None, Some(1)]);
    }

    /// The analysis is right by itself: it may be given parameters to which statements assign.
    #[test]
    fn what_statements_assign_is_followed() {
        let with = |body: &str| {
            let mut p = program(&format!(
                "proc r(k: 0..2) {{ {body} }} thread a {{ r(1); }}"
            ));
            let k = p.cells.iter().position(|c| c.name == "a.r.k");
            propagate(&mut p, 0, &k.into_iter().collect(), None);
            written(&p)
        };
        assert_eq!(with("k = 2; x[k] = 1;"), [Some(2)]);
        assert_eq!(with("k = x[0]; x[k] = 1;"), [None]);
        assert_eq!(with("havoc k; x[k] = 1;"), [None]);
        assert_eq!(
            with("atomic { x[k] = 1; havoc k; x[k] = 1; }"),
            [None, Some(1)]
        );
        assert_eq!(
            with("atomic { if (x[0] == 0) { k = 2; } } x[k] = 1;"),
            [None]
        );
        assert_eq!(
            with("atomic { either { k = 2; } or { k = 0; } } x[k] = 1;"),
            [None]
        );
        assert_eq!(with("either { k = 2; } or { k = 0; } x[k] = 1;"), [None]);
        assert_eq!(with("either { k = 2; } or { k = 2; } x[k] = 1;"), [Some(2)]);
        assert_eq!(with("while (x[0] == 0) { x[k] = 1; k = 2; }"), [None]);
    }

    /// Of a family that is read once for all its threads, the index is as good as a constant, and sizes are open.
    #[test]
    fn open_indices_are_constants_too() {
        let source = "const N = 3; var x[N]: 0..1 = 0; proc p(i: 0..N-1) { x[i] = 1; }
            thread w(i in 0..N-1) { p(i); p(0); }";
        let (tree, _) = parse_model(source, ParseLimits::default());
        let read = parametric(&tree, source, &[], Some("N")).expect("a model");
        let index = read.open.members[0].1.expect("an index");
        let thread = &read.program.threads[0];
        let edges = thread.locations.iter().flat_map(|l| &l.edges);
        let index_of = |c: &Command| match c {
            Command::Assign(Target::Element(_, index), _) => Some(index[0].clone()),
            _ => None,
        };
        let indices: Vec<Expr> = edges.flat_map(|e| &e.body).filter_map(index_of).collect();
        assert_eq!(indices, [Expr::Cell(index), Expr::Const(0)]);
    }
}
