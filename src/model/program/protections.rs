//! Disciplines: who may write a protected cell, and who may read it, as predicates over states.

use super::codes;
use super::expressions::{balanced, fold};
use super::objects::Sync;
use super::places::Denoted;
use super::scope::{Context, Elaborator};
use super::variables::Word;
use super::{ArrayId, Expr, Protection};
use crate::model::text::ast::{self, BinaryOp, By, Discipline, Name, Place};

/// What a thread needs to write a cell, and what it needs to read it.
type Access = (Expr, Expr);

impl Elaborator {
    /// The predicates of all protected cells, in the order of cells.
    pub(super) fn disciplines(&mut self) {
        for (array, word) in std::mem::take(&mut self.words) {
            match self.open {
                Some(_) => drop(self.open_discipline(array, &word)),
                None => self.protection(array, &word),
            }
        }
        self.program.protections.sort_by_key(|p| p.cell);
    }

    fn protection(&mut self, array: ArrayId, word: &Word) {
        let Discipline::Protected {
            target,
            by,
            read,
            init,
            span,
        } = &*word.discipline
        else {
            return;
        };
        let binders: &[Name] = target.as_ref().map_or(&[], |(_, b)| b);
        if let Some((name, binders)) = target
            && !self.repeats(word, name, binders)
        {
            return;
        }
        let dims = self.program.arrays[array].dims.clone();
        let cells = self.program.cells_of(array);
        for cell in cells.clone() {
            let mut rest = cell - cells.start;
            let mut index: Vec<i64> = Vec::new();
            for &d in dims.iter().rev() {
                index.push((rest % d) as i64);
                rest /= d;
            }
            index.reverse();
            let bound = binders.iter().zip(&index[word.outer..]);
            let mut cx = Context {
                allows_at: true,
                bound: bound.map(|(b, &k)| (b.text.clone(), k)).collect(),
                ..Context::default()
            };
            cx.siblings = word.record.map(|r| {
                let object = &index[..self.instances[r].dims];
                (r, object.iter().map(|&k| Expr::Const(k)).collect())
            });
            let Some(all) = self.accesses((by, read.as_ref()), init.as_ref(), *span, &mut cx)
            else {
                return;
            };
            let (predicates, readers): (Vec<Expr>, Vec<Expr>) = all.into_iter().unzip();
            self.program.protections.push(Protection {
                cell,
                readers: (readers != predicates).then_some(readers),
                regional: false,
                predicates,
                span: *span,
            });
        }
    }

    /// Whether the word repeats the name of its variable, with a name per index or none.
    fn repeats(&mut self, word: &Word, name: &Name, binders: &[Name]) -> bool {
        let named = name.text == word.name.text;
        if named && (binders.is_empty() || binders.len() == word.own) {
            return true;
        }
        let form: String = ["j", "k", "l"]
            .iter()
            .take(word.own)
            .map(|b| format!("[{b}]"))
            .collect();
        self.error(
            codes::BAD_DISCIPLINE,
            name.span,
            if named {
                format!("`{}` is declared with {} sizes", name.text, word.own)
            } else {
                format!(
                    "this protects `{}`, but declares `{}`",
                    name.text, word.name.text
                )
            },
            format!("`{}{form}`", word.name.text),
            "repeat the variable's own name with one fresh name per index",
        );
        false
    }

    /// The predicates of one cell, thread by thread.
    pub(super) fn accesses(
        &mut self,
        (by, read): (&By, Option<&ast::Expr>),
        init: Option<&ast::Expr>,
        span: crate::base::diagnostic::Span,
        cx: &mut Context,
    ) -> Option<Vec<Access>> {
        let mut all = Vec::new();
        for thread in 0..self.program.threads.len() {
            if !self.grow(1, span) {
                return None;
            }
            cx.this = Some(thread);
            let (write, both) = self.access(by, cx)?;
            let both = match read {
                Some(read) => fold(BinaryOp::Or, both, self.condition(read, cx)?),
                None => both,
            };
            all.push((write, both));
        }
        let Some(init) = init else {
            return Some(all);
        };
        cx.this = None;
        self.assume_size(&self.thread_count(), span, cx);
        let mut before = Vec::new();
        for thread in 0..self.program.threads.len() {
            cx.this = Some(thread);
            before.push(self.condition(init, cx)?);
        }
        // As long as some thread satisfies `init`, those that do have access, and no others.
        if !self.grow(before.len() * before.len(), span) {
            return None;
        }
        let some = balanced(BinaryOp::Or, before.clone(), Expr::FALSE);
        let either = |now: Expr, later: Expr| match &some {
            Expr::Const(0) => later,
            Expr::Const(_) => now,
            some => Expr::Cond(Box::new(some.clone()), Box::new(now), Box::new(later)),
        };
        let both = all.into_iter().zip(before);
        Some(
            both.map(|((write, read), now)| (either(now.clone(), write), either(now, read)))
                .collect(),
        )
    }

    fn access(&mut self, by: &By, cx: &Context) -> Option<Access> {
        match by {
            By::One(e) => match Self::as_place(e) {
                Some(place) => self.access_by_place(place, e, cx),
                None => self.condition(e, cx).map(|e| (e.clone(), e)),
            },
            By::All(places, _) => {
                let mut held = Vec::new();
                for place in places {
                    let object = self.denote(place, cx)?;
                    let owner = match &object {
                        Denoted::Object(object, _) => self.objects[*object].sync.owner(),
                        _ => None,
                    };
                    let (Denoted::Object(_, index), Some(owner)) = (object, owner) else {
                        self.no_access(place, "a mutex or reentrant mutex", "a mutex");
                        return None;
                    };
                    held.push(self.held(owner, index, cx));
                }
                let all = balanced(BinaryOp::And, held.clone(), Expr::TRUE);
                Some((all, balanced(BinaryOp::Or, held, Expr::FALSE)))
            }
        }
    }

    fn access_by_place(&mut self, place: &Place, e: &ast::Expr, cx: &Context) -> Option<Access> {
        let denoted = self.denote(place, cx)?;
        let Denoted::Object(object, mut index) = denoted else {
            let value = self.value_of(denoted, place)?;
            let condition = self.truth(value, e.span)?;
            return Some((condition.clone(), condition));
        };
        match self.objects[object].sync {
            Sync::Mutex { owner } | Sync::Reentrant { owner, .. } => {
                let held = self.held(owner, index, cx);
                Some((held.clone(), held))
            }
            Sync::RwLock { writer, reading } => {
                let write = self.held(writer, index.clone(), cx);
                index.push(self.this(cx));
                let read = self.read(reading, index).expr;
                Some((write.clone(), fold(BinaryOp::Or, write, read)))
            }
            other => {
                self.no_access(
                    place,
                    "a mutex, a read-write lock or a condition",
                    other.words(),
                );
                None
            }
        }
    }

    /// Whether the thread at hand is the owner.
    fn held(&mut self, owner: ArrayId, index: Vec<Expr>, cx: &Context) -> Expr {
        let this = self.this(cx);
        let owner = self.read(owner, index).expr;
        fold(BinaryOp::Eq, owner, this)
    }

    fn no_access(&mut self, place: &Place, wanted: &str, found: &str) {
        let text = self.program.text(place.span);
        let message = match wanted.starts_with(found) {
            true => format!("`{text}` is not {found}"),
            false => format!("`{text}` is {found}, which nobody holds"),
        };
        self.error(
            codes::BAD_DISCIPLINE,
            place.span,
            message,
            wanted.to_string(),
            "name what a thread holds while it accesses the variable",
        );
    }
}
