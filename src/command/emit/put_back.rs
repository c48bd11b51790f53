//! Locals that die are put back: behind the statement that reads one for the last time it gets its initial value.
//!
//! What is dead is found as for the quotient of dead locals ([`DeadLocals`]); a statement has to kill a variable in
//! every thread, and in every copy, that has it. Then the states of the emitted program are those of the other with
//! dead locals forgotten, as far as the text can say it.

use super::Emitter;
use super::edits::Edits;
use crate::base::diagnostic::Span;
use crate::command::session::Session;
use crate::engine::quotients::DeadLocals;
use crate::model::program::{CellId, Class, How, LocId, Program, ThreadId, each_use};
use crate::model::text::ast::{Block, Decl, Initial, Model, Stmt, StmtKind};
use std::collections::BTreeSet;

/// A local variable's name, and its initial value as it is written.
type Local = (String, String);

/// What is known of a program's locals.
struct Known {
    dead: DeadLocals,
    /// By thread and location: those that may have a value there which nothing reads.
    unread: Vec<Vec<BTreeSet<CellId>>>,
    /// Those that a claim says are observed.
    observed: BTreeSet<CellId>,
}

impl Known {
    fn new(program: &Program) -> Self {
        let dead = DeadLocals::new(program, &[]);
        let threads = 0..program.threads.len();
        let unread = threads
            .map(|t| dead.unread(program, t, &|_, _| true))
            .collect();
        let observed = program
            .claims
            .iter()
            .flat_map(|c| c.observed.iter().copied());
        Known {
            unread,
            observed: observed.collect(),
            dead,
        }
    }
}

/// Puts locals back wherever the language can say it; behind how many statements.
pub(super) fn put_back(emitter: &mut Emitter) -> usize {
    let Ok(session) = emitter.load(&emitter.text) else {
        return 0;
    };
    let program = session.program();
    let known = Known::new(program);
    let mut wanted: Vec<(Span, Option<Span>, Vec<Local>)> = Vec::new();
    let tree = emitter.tree();
    for decl in &tree.decls {
        let Decl::Thread(thread) = decl else { continue };
        let locals = locals(&tree, &thread.name.text, &emitter.text);
        if locals.is_empty() {
            continue;
        }
        steps(&thread.body, &mut |stmt, inner| {
            let died = |(name, _): &&Local| dies(program, &known, stmt.span, name);
            let all: Vec<_> = locals.iter().filter(died).cloned().collect();
            if !all.is_empty() {
                wanted.push((stmt.span, inner, all));
            }
        });
    }
    let mut done = 0;
    // From the end, so that places stay what they are; what can't be said is left out.
    wanted.sort_by_key(|(span, ..)| *span);
    for (span, inner, all) in wanted.into_iter().rev() {
        let back: Vec<String> = all
            .iter()
            .map(|(name, value)| format!("{name} = {value};"))
            .collect();
        let back = back.join(" ");
        let edits = match inner {
            // Before the brace of a block that is atomic already.
            Some(block) => {
                let mut edits = Edits::default();
                edits.replace(Span::new(block.end - 1, block.end - 1), format!("{back} "));
                edits
            }
            None => Edits::around(span, "atomic {", &format!("{back} }}")),
        };
        let made = edits.applied(&emitter.text);
        // What calls a procedure is several steps: in one block these would be one.
        let same = |s: &Session| places(s.program()) == places(program);
        if emitter.load(&made).is_ok_and(|s| same(&s)) {
            emitter.text = made;
            done += 1;
        }
    }
    done
}

/// How many locations each thread has.
fn places(program: &Program) -> Vec<usize> {
    let threads = program.threads.iter();
    threads.map(|t| t.locations.len()).collect()
}

/// The scalar locals of a thread with one initial value, and that value as it is written.
fn locals(tree: &Model, thread: &str, text: &str) -> Vec<Local> {
    let mut found = Vec::new();
    for decl in &tree.decls {
        let Decl::Thread(declared) = decl else {
            continue;
        };
        if declared.name.text != thread {
            continue;
        }
        for stmt in &declared.body.stmts {
            if let StmtKind::Local(var) = &stmt.kind
                && var.dims.is_empty()
                && let Some(Initial::All(e)) = &var.init
            {
                let value = text.get(e.span.start..e.span.end).unwrap_or_default();
                found.push((var.name.text.clone(), value.to_string()));
            }
        }
    }
    found
}

/// The statements that are single steps, with the block of those that are atomic.
fn steps(block: &Block, visit: &mut dyn FnMut(&Stmt, Option<Span>)) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Atomic(inner) => visit(stmt, Some(inner.span)),
            StmtKind::Assign(..)
            | StmtKind::When(..)
            | StmtKind::Assert(_)
            | StmtKind::Call(..) => {
                visit(stmt, None);
            }
            other => other.blocks().into_iter().for_each(|b| steps(b, visit)),
        }
    }
}

/// Whether a local dies in a statement, wherever the statement is a step: it is read there, or was to be read, and not
/// behind it. A value that is written there and that nothing reads is a result, which is there to be seen.
fn dies(program: &Program, known: &Known, span: Span, name: &str) -> bool {
    let mut steps = 0;
    for (t, thread) in program.threads.iter().enumerate() {
        for (l, location) in thread.locations.iter().enumerate() {
            for edge in location.edges.iter().filter(|e| e.span == span) {
                let Some(cell) = local(program, t, name) else {
                    return false;
                };
                let behind = |to: &LocId| {
                    known.dead.at(t, *to).contains(&cell) && !known.unread[t][*to].contains(&cell)
                };
                let mut read = false;
                each_use(program, edge, &mut |used| {
                    read |= used.how != How::Write && used.cells.contains(&cell);
                });
                let lives = read || !known.dead.at(t, l).contains(&cell);
                let dies = lives && edge.targets().iter().all(behind);
                if !dies || known.observed.contains(&cell) {
                    return false;
                }
                steps += 1;
            }
        }
    }
    steps > 0
}

/// The cell of a thread's local variable.
fn local(program: &Program, thread: ThreadId, name: &str) -> Option<CellId> {
    let full = format!("{}.{name}", program.threads[thread].name);
    let arrays = program.arrays.iter();
    let mut own = arrays.filter(|a| a.class == Class::Local(thread) && a.len == 1);
    own.find(|a| a.name == full).map(|a| a.first)
}
