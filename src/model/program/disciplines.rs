//! Disciplines of variables that declare none, as the check settled on them.
//!
//! They are written cell by cell, with the predicates themselves, so that a reader of a bundle infers nothing.

use crate::base::diagnostic::Span;
use crate::base::evidence::Discipline;
use crate::model::program::prefix::{self, Names, read};
use crate::model::program::{Class, Expr, How, Program, Protection, ThreadId, each_use};

fn is_open(program: &Program, cell: usize) -> bool {
    let array = program.cells[cell].array;
    program.arrays[array].class == Class::Unprotected { declared: false }
}

/// The disciplines that `settled` has for cells that declare none.
pub fn differences(settled: &Program) -> Vec<Discipline> {
    let mut all = Vec::new();
    let text = |e: &Expr| {
        let mut text = String::new();
        prefix::write(settled, e, &mut text);
        text
    };
    for (c, cell) in settled.cells.iter().enumerate() {
        if !is_open(settled, c) {
            continue;
        }
        let name = cell.name.clone();
        if let Class::Local(t) = cell.class {
            let thread = settled.threads[t].name.clone();
            all.push(Discipline::Private { cell: name, thread });
        } else if let Some(x) = settled.protection_of(c) {
            let x = &settled.protections[x];
            all.push(Discipline::Protected {
                cell: name,
                exclusive: x.predicates.iter().map(text).collect(),
                reading: x.readers.iter().flatten().map(text).collect(),
            });
        }
    }
    all
}

const NOT_PRIVATE: &str = "a private cell that another thread mentions";

/// Who mentions each cell in the text: nobody, one thread, or several.
enum Users {
    Nobody,
    One(ThreadId),
    Several,
}

fn users_of(program: &Program) -> Vec<Users> {
    let mut all: Vec<Users> = program.cells.iter().map(|_| Users::Nobody).collect();
    for (t, thread) in program.threads.iter().enumerate() {
        for edge in thread.locations.iter().flat_map(|l| &l.edges) {
            each_use(program, edge, &mut |used| {
                for cell in used.cells.clone().filter(|_| used.how != How::Check) {
                    all[cell] = match all[cell] {
                        Users::Nobody => Users::One(t),
                        Users::One(other) if other == t => Users::One(t),
                        _ => Users::Several,
                    };
                }
            });
        }
    }
    all
}

/// Puts disciplines into a program that was read from its text.
///
/// # Errors
/// What is wrong: above all, nothing that the text declares can be changed.
pub fn put(program: &Program, all: &[Discipline]) -> Result<Program, &'static str> {
    let mut done = program.clone();
    let names = Names::new(program);
    let mut users = None;
    let n = program.threads.len();
    for discipline in all {
        let (Discipline::Private { cell, .. } | Discipline::Protected { cell, .. }) = discipline;
        let c = *names
            .cells
            .get(cell.as_str())
            .ok_or("a discipline for a cell that there is not")?;
        let known = matches!(done.cells[c].class, Class::Local(_))
            || done.protections.iter().any(|p| p.cell == c);
        if !is_open(program, c) || known {
            return Err("a discipline for a cell that has one");
        }
        match discipline {
            Discipline::Private { thread, .. } => {
                let t = names.threads.get(thread.as_str());
                let t = *t.ok_or("there is no such thread")?;
                let users = users.get_or_insert_with(|| users_of(program));
                match users[c] {
                    Users::One(owner) if owner != t => return Err(NOT_PRIVATE),
                    Users::Several => return Err(NOT_PRIVATE),
                    _ => {}
                }
                done.cells[c].class = Class::Local(t);
            }
            Discipline::Protected {
                exclusive, reading, ..
            } => {
                let parsed = |all: &[String]| -> Result<Vec<Expr>, &'static str> {
                    all.iter().map(|e| read(&names, e)).collect()
                };
                let (predicates, readers) = (parsed(exclusive)?, parsed(reading)?);
                if predicates.len() != n || !readers.is_empty() && readers.len() != n {
                    return Err("a discipline has not one predicate for each thread");
                }
                done.cells[c].class = Class::Protected;
                done.protections.push(Protection {
                    cell: c,
                    predicates,
                    readers: (!readers.is_empty()).then_some(readers),
                    regional: false,
                    span: Span::default(),
                });
            }
        }
    }
    done.protections.sort_by_key(|p| p.cell);
    Ok(done)
}
