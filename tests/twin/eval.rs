//! Expressions, places and disciplines: what they mean in a state, and what is read on the way.

use std::collections::BTreeSet;

use super::ast::{Arena, By, Discipline, Expr, Hidden, Kind, NOBODY, NULL, Place, Root, Type};
use super::compile::{Loc, apply, decided_by};
use super::semantics::{State, System};
use super::storage::{Array, Data, ObjectCells, Protected, Storage};

/// Who evaluates an expression.
#[derive(Clone, Copy, Default)]
pub struct Scope<'a> {
    pub thread: Option<usize>,
    pub parameter: Option<i64>,
    /// The fields of the object whose discipline is evaluated.
    pub object: Option<&'a [Array]>,
}

impl Scope<'_> {
    pub fn of(thread: usize) -> Scope<'static> {
        Scope {
            thread: Some(thread),
            ..Scope::default()
        }
    }
}

/// An evaluation error: an index outside its array, a division by zero, a reference to nothing or to a freed object.
#[derive(Debug)]
pub struct GoesWrong;

/// What a thread may do with a protected cell in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    /// The exclusive access predicate.
    pub exclusive: bool,
    /// The read predicate.
    pub shared: bool,
}

impl Rights {
    const NONE: Rights = Rights {
        exclusive: false,
        shared: false,
    };
}

impl System {
    /// A state expression, in which an error makes the whole predicate false.
    pub fn holds(&self, expr: &Expr, scope: Scope, state: &State) -> bool {
        matches!(self.value(expr, scope, state, &mut BTreeSet::new()), Ok(1))
    }

    /// The predicates of `thread` for a protected cell.
    pub fn rights(&self, protected: &Protected, thread: usize, state: &State) -> Rights {
        let Discipline::Protected { by, read, init } = &protected.discipline else {
            unreachable!("the cell is protected")
        };
        let scope = |thread| Scope {
            thread: Some(thread),
            parameter: Some(protected.parameter),
            object: protected.object.as_deref(),
        };
        let value = |expr: &Expr, thread| {
            self.value(expr, scope(thread), state, &mut BTreeSet::new())
                .map(|value| value == 1)
        };
        // (29) and (30): where some thread initialises, only `init` counts.
        let initialising = |init: &Expr| {
            for other in 0..self.threads.len() {
                if value(init, other)? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let rights = || -> Result<Rights, GoesWrong> {
            match init {
                Some(init) if initialising(init)? => {
                    let mine = value(init, thread)?;
                    Ok(Rights {
                        exclusive: mine,
                        shared: mine,
                    })
                }
                _ => {
                    let rights = self.rights_by(by, scope(thread), state)?;
                    // An error in `read` takes away nothing that `by` gives.
                    let reads = |read: &Expr| value(read, thread).unwrap_or(false);
                    Ok(Rights {
                        shared: rights.shared || read.as_ref().is_some_and(reads),
                        ..rights
                    })
                }
            }
        };
        rights().unwrap_or(Rights::NONE)
    }

    fn rights_by(&self, by: &By, scope: Scope, state: &State) -> Result<Rights, GoesWrong> {
        let thread = scope.thread.expect("a thread's rights");
        let object = |place: &Place| -> Result<ObjectCells, GoesWrong> {
            self.object_at(place, scope, state, &mut BTreeSet::new())
        };
        let owns = |object: ObjectCells| state.cells[object.first] == thread as i64;
        Ok(match by {
            By::Predicate(predicate) => {
                let value = self.value(predicate, scope, state, &mut BTreeSet::new())?;
                Rights {
                    exclusive: value == 1,
                    shared: value == 1,
                }
            }
            By::Lock(place) => {
                let lock = object(place)?;
                let reads = lock.kind == Kind::RwLock && state.cells[lock.per_thread + thread] == 1;
                Rights {
                    exclusive: owns(lock),
                    shared: owns(lock) || reads,
                }
            }
            By::All(places) => {
                let mut owned = Vec::new();
                for place in places {
                    owned.push(owns(object(place)?));
                }
                Rights {
                    exclusive: !owned.contains(&false),
                    shared: owned.contains(&true),
                }
            }
        })
    }

    pub fn value(
        &self,
        expr: &Expr,
        scope: Scope,
        state: &State,
        reads: &mut BTreeSet<usize>,
    ) -> Result<i64, GoesWrong> {
        let mut value = |operand: &Expr| self.value(operand, scope, state, reads);
        Ok(match expr {
            Expr::Int(value) | Expr::Tone(value) => *value,
            Expr::Bool(value) => i64::from(*value),
            Expr::Nobody => NOBODY,
            Expr::Null => NULL,
            Expr::Self_ => scope.thread.expect("`self` in the scope of a thread") as i64,
            Expr::Index => self.threads[scope.thread.expect("`i` in the scope of a thread")].index,
            Expr::Parameter => scope
                .parameter
                .expect("`k` in an exclusive access predicate"),
            Expr::Thread(number) => *number as i64,
            Expr::Read(place) => match self.storage(place, scope, state, reads)? {
                Storage::Data(data) => {
                    reads.insert(data.cell);
                    state.cells[data.cell]
                }
                _ => unreachable!("no value"),
            },
            Expr::Reference(arena, slot) => {
                let slot = value(slot)?;
                within(slot, self.arena(*arena).len())? as i64
            }
            Expr::Allocated(pool, slot) => {
                let pool = &self.layout.pools[*pool];
                state.cells[pool.allocated + within(value(slot)?, pool.slots.len())?]
            }
            Expr::Hidden(place, hidden) => {
                let object = self.object_at(place, scope, state, reads)?;
                let cell = match hidden {
                    Hidden::Owner | Hidden::Writer | Hidden::Value => object.first,
                    Hidden::Depth => object.depth,
                    Hidden::Reading(thread) | Hidden::Waiting(thread) => {
                        let thread = self.value(thread, scope, state, reads)?;
                        object.per_thread + within(thread, self.threads.len())?
                    }
                };
                state.cells[cell]
            }
            Expr::At(thread, label) => {
                let thread = value(thread)? as usize;
                let location = &state.locations[thread];
                i64::from(match label.as_str() {
                    "end" => *location == Loc::End,
                    "wrong" => *location == Loc::Wrong,
                    _ => {
                        let labels = &self.graphs[thread].labels;
                        labels
                            .get(label)
                            .is_some_and(|named| named.contains(location))
                    }
                })
            }
            Expr::Not(operand) => 1 - value(operand)?,
            Expr::Flip(operand) => -1 - value(operand)?,
            Expr::Binary(op, left, right) => {
                let left = value(left)?;
                match decided_by(*op) {
                    Some((decisive, result)) if left == decisive => result,
                    Some(_) => value(right)?,
                    None => apply(*op, left, value(right)?).ok_or(GoesWrong)?,
                }
            }
            Expr::Choose(condition, then, otherwise) => match value(condition)? {
                0 => value(otherwise)?,
                _ => value(then)?,
            },
        })
    }

    /// What a place denotes: from the left to the right, every reference and every index is evaluated and checked.
    pub fn storage<'a>(
        &'a self,
        place: &Place,
        scope: Scope<'a>,
        state: &State,
        reads: &mut BTreeSet<usize>,
    ) -> Result<&'a Storage, GoesWrong> {
        let array = match &place.root {
            Root::Field { base, field, .. } => {
                let fields = match self.storage(base, scope, state, reads)? {
                    Storage::Record(fields) => fields,
                    Storage::Data(reference) => {
                        reads.insert(reference.cell);
                        self.dereference(*reference, state)?
                    }
                    Storage::Object(_) => unreachable!("objects have no fields"),
                };
                &fields[*field]
            }
            root => self.declared(root, scope.thread, scope.object),
        };
        let index = match &place.index {
            None => 0,
            Some(index) => self.value(index, scope, state, reads)?,
        };
        Ok(&array[within(index, array.len())?])
    }

    /// The fields of the object that a reference points to. Whether it is allocated is no access.
    fn dereference(&self, reference: Data, state: &State) -> Result<&[Array], GoesWrong> {
        let Type::Ref(arena, _) = reference.ty else {
            unreachable!("only references have fields")
        };
        let slot = state.cells[reference.cell];
        if slot == NULL {
            return Err(GoesWrong);
        }
        let slot = slot as usize;
        if let Arena::Pool(pool) = arena
            && state.cells[self.layout.pools[pool].allocated + slot] == 0
        {
            return Err(GoesWrong);
        }
        match &self.arena(arena)[slot] {
            Storage::Record(fields) => Ok(fields),
            _ => unreachable!("references point to records"),
        }
    }

    fn object_at(
        &self,
        place: &Place,
        scope: Scope,
        state: &State,
        reads: &mut BTreeSet<usize>,
    ) -> Result<ObjectCells, GoesWrong> {
        match self.storage(place, scope, state, reads)? {
            Storage::Object(object) => Ok(*object),
            _ => unreachable!("no object"),
        }
    }

    /// Any of the storages that a place can denote: they differ in their cells only.
    pub fn example(&self, place: &Place, thread: usize) -> &Storage {
        let array = match &place.root {
            Root::Field { base, field, .. } => match self.example(base, thread) {
                Storage::Record(fields) => &fields[*field],
                Storage::Data(Data {
                    ty: Type::Ref(arena, _),
                    ..
                }) => match &self.arena(*arena)[0] {
                    Storage::Record(fields) => &fields[*field],
                    _ => unreachable!("references point to records"),
                },
                _ => unreachable!("no record"),
            },
            root => self.declared(root, Some(thread), None),
        };
        &array[0]
    }

    /// What a name denotes.
    fn declared<'a>(
        &'a self,
        root: &Root,
        thread: Option<usize>,
        object: Option<&'a [Array]>,
    ) -> &'a Array {
        let thread = || thread.expect("locals in the scope of a thread");
        match root {
            Root::Shared(number) => &self.layout.shared[*number],
            Root::Object(number) => &self.layout.objects[*number],
            Root::Pool(number) => &self.layout.pools[*number].slots,
            Root::Local(number) => &self.layout.locals[thread()][*number],
            Root::Frame {
                procedure,
                variable,
            } => &self.layout.frames[&(thread(), *procedure)][*variable],
            Root::Sibling { field, .. } => &object.expect("in a field's discipline")[*field],
            Root::Field { .. } => unreachable!("has a base"),
        }
    }

    fn arena(&self, arena: Arena) -> &Array {
        match arena {
            Arena::Pool(pool) => &self.layout.pools[pool].slots,
            Arena::Array(shared) => &self.layout.shared[shared],
        }
    }
}

/// The index, if it lies inside an array of this length.
fn within(index: i64, length: usize) -> Result<usize, GoesWrong> {
    usize::try_from(index)
        .ok()
        .filter(|index| *index < length)
        .ok_or(GoesWrong)
}
