//! Synchronisation objects: what state they have, and how it is named.
//!
//! An object is nothing but a few variables that only its operations change; `operations` says how. An array of objects
//! has arrays for its state, with the object's indices first: `l[k].reading[t]` is the cell `[k][t]` of `l.reading`.

use super::codes;
use super::scope::{Context, Elaborator, Entity};
use super::variables::{Path, Size};
use super::{ArrayId, Class, Kind, NO_OWNER, Type};
use crate::base::diagnostic::Span;
use crate::model::text::ast::{ObjectDecl, ObjectKind};

/// How often a re-entrant mutex can be locked if its declaration does not say.
const DEPTH: i64 = 7;

/// An object, or an array of them.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// What it is.
    pub sync: Sync,
    /// How its state is named.
    pub path: Path,
    /// All sizes, those of the records around it included.
    pub dims: usize,
    /// Its declaration.
    pub span: Span,
}

/// The kinds of objects, with the arrays that hold their state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sync {
    Mutex {
        owner: ArrayId,
    },
    Reentrant {
        owner: ArrayId,
        depth: ArrayId,
        /// The depth of each thread that waits; made when something waits with the mutex.
        saved: Option<ArrayId>,
        bound: i64,
    },
    RwLock {
        writer: ArrayId,
        reading: ArrayId,
    },
    Cond {
        waiting: ArrayId,
    },
    Semaphore {
        value: ArrayId,
    },
    Barrier {
        waiting: ArrayId,
        parties: i64,
    },
}

impl Sync {
    /// With its article.
    pub fn words(self) -> &'static str {
        match self {
            Sync::Mutex { .. } => "a mutex",
            Sync::Reentrant { .. } => "a reentrant mutex",
            Sync::RwLock { .. } => "a read-write lock",
            Sync::Cond { .. } => "a condition variable",
            Sync::Semaphore { .. } => "a semaphore",
            Sync::Barrier { .. } => "a barrier",
        }
    }

    /// The state that expressions can read, by name.
    pub fn readable(self) -> Vec<(&'static str, ArrayId)> {
        match self {
            Sync::Mutex { owner } => vec![("owner", owner)],
            Sync::Reentrant { owner, depth, .. } => vec![("owner", owner), ("depth", depth)],
            Sync::RwLock { writer, reading } => vec![("writer", writer), ("reading", reading)],
            Sync::Cond { waiting } | Sync::Barrier { waiting, .. } => vec![("waiting", waiting)],
            Sync::Semaphore { value } => vec![("value", value)],
        }
    }

    /// The owner's array, if it is a mutex of either kind.
    pub fn owner(self) -> Option<ArrayId> {
        match self {
            Sync::Mutex { owner } | Sync::Reentrant { owner, .. } => Some(owner),
            _ => None,
        }
    }
}

/// Truth values.
pub(super) const BOOL: Type = Type {
    kind: Kind::Bool,
    lo: 0,
    hi: 1,
    wraps: false,
};

fn up_to(hi: i64) -> Type {
    Type {
        kind: Kind::Int,
        lo: 0,
        hi,
        wraps: false,
    }
}

impl Elaborator {
    /// Declares an object behind `prefix`, which names the record around it (empty at the top level).
    pub(super) fn object(&mut self, decl: &ObjectDecl, prefix: &Path) -> Option<Entity> {
        let cx = Context::default();
        let dims = self.sizes(&decl.dims, &cx)?;
        let mut path = prefix.clone();
        path.push((decl.name.text.clone(), dims));
        let dims = path.iter().map(|(_, d)| d.len()).sum();
        let span = decl.name.span;
        let threads = &[self.thread_count()];
        let owner = Type {
            kind: Kind::Owner,
            lo: NO_OWNER,
            hi: self.program.threads.len() as i64 - 1,
            wraps: false,
        };
        let sync = match &decl.kind {
            ObjectKind::Mutex => Sync::Mutex {
                owner: self.owner_array(&path, owner, span)?,
            },
            ObjectKind::Reentrant(bound) => {
                let bound = match bound {
                    None => DEPTH,
                    Some(e) => self.at_least(e, 1, "a mutex that can't be locked", &cx)?,
                };
                Sync::Reentrant {
                    owner: self.owner_array(&path, owner, span)?,
                    depth: self.state(&path, "depth", &[], up_to(bound), 0, span)?,
                    saved: None,
                    bound,
                }
            }
            ObjectKind::RwLock => {
                let writer = self.state(&path, "writer", &[], owner, NO_OWNER, span)?;
                self.reclassify(writer, Class::Owner);
                Sync::RwLock {
                    writer,
                    reading: self.state(&path, "reading", threads, BOOL, 0, span)?,
                }
            }
            ObjectKind::Cond => Sync::Cond {
                waiting: self.state(&path, "waiting", threads, BOOL, 0, span)?,
            },
            ObjectKind::Semaphore { lo, hi, initial } => {
                let range = lo.span.to(hi.span);
                let low = self.integer(lo, &cx);
                let high = self.at_least(hi, 0, "a semaphore without values", &cx);
                if low? != 0 {
                    self.error(
                        codes::EMPTY_RANGE,
                        range,
                        "the lowest value of a semaphore is 0",
                        "a range `0..k`",
                        "write 0 as the lower bound; `down` waits there",
                    );
                    return None;
                }
                let ty = up_to(high?);
                let value = self.initial_value(initial, ty, &cx)?;
                Sync::Semaphore {
                    value: self.state(&path, "value", &[], ty, value, span)?,
                }
            }
            ObjectKind::Barrier(parties) => {
                let parties = self.at_least(parties, 1, "a barrier for no thread", &cx)?;
                Sync::Barrier {
                    waiting: self.state(&path, "waiting", threads, BOOL, 0, span)?,
                    parties,
                }
            }
        };
        self.objects.push(Object {
            sync,
            path,
            dims,
            span,
        });
        Some(Entity::Object(self.objects.len() - 1))
    }

    /// A constant that is `least` at least; `what` says what a smaller one would mean.
    fn at_least(
        &mut self,
        e: &crate::model::text::ast::Expr,
        least: i64,
        what: &str,
        cx: &Context,
    ) -> Option<i64> {
        const MOST: i64 = (1 << 31) - 1;
        let value = self.integer(e, cx)?;
        if (least..=MOST).contains(&value) {
            return Some(value);
        }
        let too_large = value > MOST;
        self.error(
            codes::EMPTY_RANGE,
            e.span,
            match too_large {
                true => format!("{value} is too large"),
                false => format!("{what}: {value}"),
            },
            format!("a number in {least}..{MOST}"),
            "correct the number",
        );
        None
    }

    fn owner_array(&mut self, path: &Path, ty: Type, span: Span) -> Option<ArrayId> {
        let array = self.new_array(path, ty, Class::Owner, span)?;
        self.initial(array, Some(vec![NO_OWNER]));
        Some(array)
    }

    /// A part of an object's state, with sizes of its own behind the object's.
    fn state(
        &mut self,
        path: &Path,
        name: &str,
        dims: &[Size],
        ty: Type,
        initial: i64,
        span: Span,
    ) -> Option<ArrayId> {
        let mut path = path.clone();
        path.push((name.to_string(), dims.to_vec()));
        let array = self.new_array(&path, ty, Class::Sync, span)?;
        self.initial(array, Some(vec![initial]));
        Some(array)
    }

    fn reclassify(&mut self, array: ArrayId, class: Class) {
        self.program.arrays[array].class = class;
        for cell in self.program.cells_of(array) {
            self.program.cells[cell].class = class;
        }
    }

    /// The depths that threads which wait with a re-entrant mutex return to.
    pub(super) fn saved(&mut self, object: usize) -> Option<ArrayId> {
        let Object {
            sync, path, span, ..
        } = self.objects[object].clone();
        let Sync::Reentrant {
            owner,
            depth,
            saved,
            bound,
        } = sync
        else {
            return None;
        };
        if saved.is_some() {
            return saved;
        }
        let threads = &[self.thread_count()];
        let saved = Some(self.state(&path, "saved", threads, up_to(bound), 0, span)?);
        self.objects[object].sync = Sync::Reentrant {
            owner,
            depth,
            saved,
            bound,
        };
        saved
    }

    /// The flag that says whether a thread has been started.
    pub(super) fn started(&mut self, thread: usize, span: Span) -> Option<ArrayId> {
        if let Some(array) = self.started[thread] {
            return Some(array);
        }
        let path = vec![(self.program.threads[thread].name.clone(), Vec::new())];
        let array = self.state(&path, "started", &[], BOOL, 0, span)?;
        self.started[thread] = Some(array);
        Some(array)
    }
}
