//! A model in which every statement is a block of its own, so that the program tells where each begins and what is
//! inside.

use crate::base::diagnostic::Span;
use crate::model::text::ast::{
    Block, BlockMover, Claimed, Decl, Expect, Model, Name, Stmt, StmtKind,
};

/// A list of statements, of a body or of a part of a compound statement.
pub(super) struct List {
    /// The list and statement that it is a part of.
    pub within: Option<(usize, usize)>,
    /// In order.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Clone)]
pub(super) struct Statement {
    /// With its labels.
    pub span: Span,
    /// The name of its block; none for a statement that can't be one.
    pub claim: Option<String>,
    /// Whether it is a `transaction` or `atomic` already.
    pub claimed: bool,
    /// What it is said to be as a mover, and its own name.
    pub said: Option<(Name, BlockMover)>,
}

/// The model with blocks, and its lists of statements, outer ones first. Its own transactions are not kept.
pub(super) fn numbered(model: &Model) -> (Model, Vec<List>) {
    let mut model = model.clone();
    // Others may speak of the model's own transactions.
    let is_kept = |e: &Expect| e.kind.counted_by_movers().is_some();
    model.decls.retain(|d| match d {
        Decl::Expect(e) => is_kept(e),
        _ => true,
    });
    let mut walk = Walk {
        lists: Vec::new(),
        blocks: 0,
        jumps: false,
    };
    for decl in &mut model.decls {
        let body = match decl {
            Decl::Thread(thread) => &mut thread.body,
            Decl::Proc(procedure) => &mut procedure.body,
            _ => continue,
        };
        // Nothing may jump into a block, so where there are jumps only single actions are blocks.
        walk.jumps = has_jumps(body);
        walk.list(body, None);
    }
    (model, walk.lists)
}

/// The model with runs of statements as transactions: list, first and last statement, name.
pub(super) fn claimed(model: &Model, runs: &[(usize, usize, usize, String)]) -> Model {
    let mut model = model.clone();
    model.decls.retain(|d| !matches!(d, Decl::Expect(_)));
    let mut number = 0;
    for decl in &mut model.decls {
        match decl {
            Decl::Thread(thread) => claim(&mut thread.body, runs, &mut number),
            Decl::Proc(procedure) => claim(&mut procedure.body, runs, &mut number),
            _ => {}
        }
    }
    model
}

/// Goes through the lists in the order in which [`numbered`] does.
fn claim(block: &mut Block, runs: &[(usize, usize, usize, String)], number: &mut usize) {
    let list = *number;
    *number += 1;
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::If(_, yes, no) => {
                claim(yes, runs, number);
                if let Some(no) = no {
                    claim(no, runs, number);
                }
            }
            StmtKind::While(_, body)
            | StmtKind::For(_, _, _, body)
            | StmtKind::Transaction(_, body) => claim(body, runs, number),
            StmtKind::Either(branches) => branches.iter_mut().for_each(|b| claim(b, runs, number)),
            _ => {}
        }
    }
    // From the last to the first, so that places stay what they are.
    let mut here: Vec<_> = runs.iter().filter(|r| r.0 == list).collect();
    here.sort_by_key(|r| std::cmp::Reverse(r.1));
    for (_, first, last, text) in here {
        let stmts: Vec<Stmt> = block.stmts.drain(*first..=*last).collect();
        let span = stmts[0].span.to(stmts[stmts.len() - 1].span);
        let name = Name {
            text: text.clone(),
            span,
        };
        let whole = Stmt {
            labels: Vec::new(),
            kind: StmtKind::Transaction(Claimed::named(name), Block { stmts, span }),
            span,
        };
        block.stmts.insert(*first, whole);
    }
}

struct Walk {
    lists: Vec<List>,
    blocks: usize,
    jumps: bool,
}

impl Walk {
    fn list(&mut self, block: &mut Block, within: Option<(usize, usize)>) {
        let number = self.lists.len();
        self.lists.push(List {
            within,
            statements: Vec::new(),
        });
        for (at, stmt) in block.stmts.iter_mut().enumerate() {
            let span = match stmt.labels.first() {
                Some(label) => label.span.to(stmt.span),
                None => stmt.span,
            };
            let here = Some((number, at));
            let compound = self.inner(stmt, here);
            let single = !matches!(
                stmt.kind,
                StmtKind::Local(_) | StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Return(_)
            );
            let claimed = matches!(stmt.kind, StmtKind::Transaction(..) | StmtKind::Atomic(..));
            let said = match &stmt.kind {
                StmtKind::Transaction(Claimed { name, mover, .. }, _) => {
                    mover.map(|(mover, _)| (name.clone(), mover))
                }
                _ => None,
            };
            let claim = (single && !(compound && self.jumps)).then(|| {
                self.blocks += 1;
                // No name of the language has a blank.
                format!("block {}", self.blocks)
            });
            if let Some(claim) = &claim {
                enclose(stmt, claim);
            }
            self.lists[number].statements.push(Statement {
                span,
                claim,
                claimed,
                said,
            });
        }
    }

    /// The lists in a statement; whether it is compound.
    fn inner(&mut self, stmt: &mut Stmt, here: Option<(usize, usize)>) -> bool {
        match &mut stmt.kind {
            StmtKind::If(_, yes, no) => {
                self.list(yes, here);
                if let Some(no) = no {
                    self.list(no, here);
                }
            }
            StmtKind::While(_, body) | StmtKind::For(_, _, _, body) => self.list(body, here),
            StmtKind::Either(branches) => branches.iter_mut().for_each(|b| self.list(b, here)),
            StmtKind::Transaction(_, body) => self.list(body, here),
            _ => return false,
        }
        true
    }
}

fn enclose(stmt: &mut Stmt, claim: &str) {
    let name = Name {
        text: claim.to_string(),
        span: stmt.span,
    };
    let inner = match &mut stmt.kind {
        // The user's claim makes way for ours.
        StmtKind::Transaction(_, body) => std::mem::take(body),
        kind => Block {
            stmts: vec![Stmt {
                labels: Vec::new(),
                kind: std::mem::replace(kind, StmtKind::Empty),
                span: stmt.span,
            }],
            span: stmt.span,
        },
    };
    stmt.kind = StmtKind::Transaction(Claimed::named(name), inner);
}

fn has_jumps(block: &Block) -> bool {
    block.stmts.iter().any(|s| match &s.kind {
        StmtKind::Goto(_) => true,
        StmtKind::If(_, yes, no) => has_jumps(yes) || no.as_ref().is_some_and(has_jumps),
        StmtKind::While(_, body)
        | StmtKind::For(_, _, _, body)
        | StmtKind::Transaction(_, body) => has_jumps(body),
        StmtKind::Either(branches) => branches.iter().any(has_jumps),
        _ => false,
    })
}
