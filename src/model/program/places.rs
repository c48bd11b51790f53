//! Places: from a name through indices, fields and references to what is read, written or operated on.

use super::codes;
use super::expressions::Typed;
use super::scope::{Context, Elaborator, Entity, Symbol};
use super::{ArrayId, Class, Expr, Kind, Target, ThreadId};
use crate::base::diagnostic::{Help, Span};
use crate::base::nearest;
use crate::model::text::ast::{self, BinaryOp, ExprKind, Name, Place, Selector};

/// What a place denotes.
#[derive(Clone, Debug)]
pub(super) enum Denoted {
    /// A constant, a bound name or a thread.
    Value(Typed),
    /// A cell of a variable, or of an object's state.
    Cell(ArrayId, Vec<Expr>),
    /// An object.
    Object(usize, Vec<Expr>),
    /// All fields of a record.
    Record,
    /// A type or a procedure, in words.
    Other(&'static str),
}

impl Elaborator {
    /// The value of a place.
    pub(super) fn place_value(&mut self, place: &Place, cx: &Context) -> Option<Typed> {
        let denoted = self.denote(place, cx)?;
        self.value_of(denoted, place)
    }

    /// The value of what a place denotes.
    pub(super) fn value_of(&mut self, denoted: Denoted, place: &Place) -> Option<Typed> {
        let text = self.program.text(place.span);
        let (what, help) = match denoted {
            Denoted::Value(value) => return Some(value),
            Denoted::Cell(array, index) => return Some(self.read(array, index)),
            Denoted::Object(object, _) => {
                let sync = self.objects[object].sync;
                let states = sync.readable();
                let help = match states.as_slice() {
                    [(state, _), ..] if *state == "owner" => {
                        format!("write `{text}.owner` for its owner")
                    }
                    [(state, array), ..] => {
                        let own = self.program.arrays[*array].dims.len();
                        let index = match own > self.objects[object].dims {
                            true => "[self]",
                            false => "",
                        };
                        format!("write `{text}.{state}{index}` for its state")
                    }
                    [] => "name its state".to_string(),
                };
                (sync.words(), help)
            }
            Denoted::Record => {
                self.error(
                    codes::WHOLE_RECORD,
                    place.span,
                    format!("`{text}` is a whole record"),
                    "a single value",
                    format!("name a field: `{text}.f`"),
                );
                return None;
            }
            Denoted::Other(what @ "a record type") => {
                (what, format!("declare a variable of it: `var p: {text};`"))
            }
            Denoted::Other("a type") => ("a type", "write one of the enum's values".to_string()),
            Denoted::Other(what) => (what, format!("write `{text}(..);` as a statement")),
        };
        self.error(
            codes::NOT_A_VARIABLE,
            place.span,
            format!("`{text}` is {what}"),
            "a value",
            help,
        );
        None
    }

    /// What a place denotes; `None` after a diagnostic.
    pub(super) fn denote(&mut self, place: &Place, cx: &Context) -> Option<Denoted> {
        let name = &place.name;
        if let Some((_, value)) = cx.bound.iter().rev().find(|(n, _)| *n == name.text) {
            let value = Typed::constant(Kind::Int, *value);
            return self.plain(place).then_some(Denoted::Value(value));
        }
        if let Some((record, index)) = &cx.siblings
            && let Some(&entity) = self.instances[*record].fields.get(&name.text)
        {
            return self.follow(entity, index.clone(), place, cx);
        }
        if let Some(&entity) = cx.locals.get(&name.text) {
            return self.follow(entity, Vec::new(), place, cx);
        }
        let other = match self.symbol(&name.text) {
            None => {
                self.unknown(name, cx);
                return None;
            }
            Some(Symbol::Broken) => return None,
            Some(Symbol::Entity(entity)) => return self.follow(entity, Vec::new(), place, cx),
            Some(Symbol::Value(kind, value)) => Denoted::Value(Typed::constant(kind, value)),
            Some(Symbol::Thread { .. }) => {
                let mut index = Vec::new();
                let mut selectors = place.selectors.iter();
                for selector in selectors.by_ref() {
                    match selector {
                        Selector::Index(e) => index.push(e),
                        Selector::Field(field) => {
                            let t = self.thread_of(name, &index, place.span, cx)?;
                            let local = Place {
                                name: field.clone(),
                                selectors: selectors.cloned().collect(),
                                span: field.span.to(place.span),
                            };
                            return self.local_value(t, &local, cx).map(Denoted::Value);
                        }
                    }
                }
                let t = self.thread_of(name, &index, place.span, cx)?;
                let number = self.thread_number(self.number_of_named(t), t);
                return Some(Denoted::Value(number));
            }
            Some(Symbol::Enum(_)) => Denoted::Other("a type"),
            Some(Symbol::Record(_)) => Denoted::Other("a record type"),
            Some(Symbol::Proc(_)) => Denoted::Other("a procedure"),
        };
        self.plain(place).then_some(other)
    }

    /// The value of a thread's local variable, in a state expression. Where the thread has none of that name but
    /// another has, the evaluation fails, as for an index outside: a predicate over `self` need not fit every thread.
    pub(super) fn local_value(
        &mut self,
        thread: ThreadId,
        place: &Place,
        cx: &Context,
    ) -> Option<Typed> {
        let name = &place.name;
        if !cx.allows_at {
            self.error(
                codes::MISPLACED,
                place.span,
                "the local variables of a thread can't be named like this here",
                "an expression over this thread's and shared variables",
                "only properties and exclusive access predicates see them; a thread names its own as they are",
            );
            return None;
        }
        let of = |t: ThreadId, e: &Self| e.thread_locals.get(&t)?.get(&name.text).copied();
        let own = of(thread, self);
        let threads = 0..self.program.threads.len();
        let Some(entity) = own.or_else(|| threads.into_iter().find_map(|t| of(t, self))) else {
            let mut known: Vec<String> = self
                .thread_locals
                .values()
                .flat_map(|locals| locals.keys().cloned())
                .collect();
            known.sort_unstable();
            let help = match nearest(&name.text, known.iter().map(String::as_str)) {
                Some(near) => Help::did_you_mean(near),
                None => "declare it with `var` in the thread".into(),
            };
            self.error(
                codes::UNKNOWN_NAME,
                name.span,
                format!("no thread has a local variable `{}`", name.text),
                "a thread's local variable",
                help,
            );
            return None;
        };
        let denoted = self.follow(entity, Vec::new(), place, cx)?;
        let mut value = self.value_of(denoted, place)?;
        if own.is_none() {
            let (one, none) = (Box::new(Expr::Const(1)), Box::new(Expr::Const(0)));
            value.expr = Expr::Binary(BinaryOp::Div, one, none);
        }
        Some(value)
    }

    fn plain(&mut self, place: &Place) -> bool {
        match place.selectors.first() {
            None => return true,
            Some(Selector::Field(field)) => {
                self.no_field(field, &format!("`{}`", place.name.text));
            }
            Some(Selector::Index(_)) => self.error(
                codes::WRONG_INDEXING,
                place.span,
                format!("`{}` is not an array", place.name.text),
                "no index",
                "remove the index",
            ),
        }
        false
    }

    fn no_field(&mut self, field: &Name, what: &str) {
        self.error(
            codes::UNKNOWN_FIELD,
            field.span,
            format!("{what} has no field `{}`", field.text),
            "no `.`",
            "only records have fields, and objects such as mutexes have state",
        );
    }

    /// Follows the selectors of a place from an entity, whose first indices are known.
    fn follow(
        &mut self,
        mut entity: Entity,
        mut index: Vec<Expr>,
        place: &Place,
        cx: &Context,
    ) -> Option<Denoted> {
        let mut rest = place.selectors.as_slice();
        // What has been read so far, for messages.
        let mut read = place.name.span;
        loop {
            if let Entity::Record(r) = entity
                && index.is_empty()
                && let Some(target) = self.targets.iter().position(|t| t.instance == Some(r))
            {
                self.program.pools[target].named = true;
            }
            if let (Entity::Record(r), Some(Selector::Field(field))) = (entity, rest.first())
                && index.len() < self.instances[r].dims
                && field.text == "allocated"
                && let Some(array) = self.instances[r].allocated
            {
                entity = Entity::Data(array);
                (rest, read) = (&rest[1..], read.to(field.span));
            }
            let dims = match entity {
                Entity::Data(array) => self.program.arrays[array].dims.len(),
                Entity::Object(object) => self.objects[object].dims,
                Entity::Record(record) => self.instances[record].dims,
                Entity::Broken => return None,
            };
            let given = rest
                .iter()
                .take_while(|s| matches!(s, Selector::Index(_)))
                .count();
            let wanted = dims.saturating_sub(index.len());
            if given != wanted {
                self.wrong_indexing(place, read, wanted, given);
                return None;
            }
            let (indices, behind) = rest.split_at(wanted);
            let mut complete = true;
            for selector in indices {
                let Selector::Index(e) = selector else {
                    continue;
                };
                read = read.to(Span::new(e.span.end, e.span.end + 1));
                match self.number(e, cx) {
                    Some(value) => index.push(value.expr),
                    None => complete = false,
                }
            }
            if !complete {
                return None;
            }
            let Some((Selector::Field(field), behind)) = behind.split_first() else {
                return Some(match entity {
                    Entity::Data(array) => Denoted::Cell(array, index),
                    Entity::Object(object) => Denoted::Object(object, index),
                    _ => Denoted::Record,
                });
            };
            if let Entity::Data(array) = entity {
                let ty = self.program.cells[self.program.arrays[array].first].ty;
                let Kind::Ref(target) = ty.kind else {
                    let text = self.program.text(read);
                    self.no_field(field, &format!("`{text}`"));
                    return None;
                };
                let Some(record) = self.targets[target].instance else {
                    let name = &self.program.pools[target].name;
                    if let Some(Symbol::Broken) = self.symbol(name) {
                        return None;
                    }
                    self.error(
                        codes::NOT_CONSTANT,
                        place.span,
                        "this is not a constant",
                        "numbers, constants and enclosing loop variables",
                        "declare a `const`, or move the computation into a statement",
                    );
                    return None;
                };
                let reference = self.read(array, index).expr;
                let allocated = self.instances[record].allocated;
                index = vec![Expr::Via(Box::new(reference), allocated)];
                entity = Entity::Record(record);
            }
            entity = self.part(entity, field)?;
            (rest, read) = (behind, read.to(field.span));
        }
    }

    /// A field of a record, or a part of an object's state.
    fn part(&mut self, entity: Entity, field: &Name) -> Option<Entity> {
        let (what, known): (String, Vec<String>) = match entity {
            Entity::Record(record) => {
                let instance = &self.instances[record];
                if let Some(&part) = instance.fields.get(&field.text) {
                    return Some(part);
                }
                let record = &self.records[instance.record].name.text;
                let mut known: Vec<String> = instance.fields.keys().cloned().collect();
                known.sort_unstable();
                (format!("the record `{record}`"), known)
            }
            Entity::Object(object) => {
                let sync = self.objects[object].sync;
                let states = sync.readable();
                if let Some((_, array)) = states.iter().find(|(n, _)| *n == field.text) {
                    return Some(Entity::Data(*array));
                }
                let known = states.iter().map(|(n, _)| (*n).to_string()).collect();
                (sync.words().to_string(), known)
            }
            _ => return None,
        };
        let help = match nearest(&field.text, known.iter().map(String::as_str)) {
            Some(near) => Help::did_you_mean(near),
            None => format!("it has {}", known.join(", ")).into(),
        };
        self.error(
            codes::UNKNOWN_FIELD,
            field.span,
            format!("{what} has no `{}`", field.text),
            "one of its fields",
            help,
        );
        None
    }

    fn wrong_indexing(&mut self, place: &Place, read: Span, wanted: usize, given: usize) {
        let text = self.program.text(read);
        self.error(
            codes::WRONG_INDEXING,
            place.span,
            format!(
                "`{text}` has {}, here it has {given}",
                counted(wanted, "index", "indices")
            ),
            counted(wanted, "index", "indices"),
            if wanted > given {
                format!("write `{text}{}`", "[0]".repeat(wanted))
            } else {
                "remove the surplus `[..]`".to_string()
            },
        );
    }

    /// What a cell holds.
    pub(super) fn read(&mut self, array: ArrayId, index: Vec<Expr>) -> Typed {
        let ty = self.program.cells[self.program.arrays[array].first].ty;
        let expr = match self.program.constant_cell(array, &index) {
            Some(cell) => Expr::Cell(cell),
            None => Expr::Element(array, index),
        };
        Typed {
            expr,
            kind: ty.kind,
            lo: ty.lo.into(),
            hi: ty.hi.into(),
        }
    }

    /// A cell to be written.
    pub(super) fn write(&self, array: ArrayId, index: Vec<Expr>) -> Target {
        match self.program.constant_cell(array, &index) {
            Some(cell) => Target::Cell(cell),
            None => Target::Element(array, index),
        }
    }

    /// A place to assign to.
    pub(super) fn target_of(&mut self, place: &Place, cx: &Context) -> Option<(Target, ArrayId)> {
        let denoted = self.denote(place, cx)?;
        let text = self.program.text(place.span);
        match denoted {
            Denoted::Cell(array, index) => match self.program.arrays[array].class {
                Class::Owner | Class::Sync => {
                    self.error(
                        codes::NOT_A_VARIABLE,
                        place.span,
                        format!("`{text}` can't be assigned"),
                        "a variable",
                        "this is the state of an object, which only its operations change, such as `lock(m);`",
                    );
                    None
                }
                _ => {
                    if self.gone == 0 {
                        self.assigned.insert(array);
                    }
                    Some((self.write(array, index), array))
                }
            },
            Denoted::Record => {
                self.value_of(denoted, place);
                None
            }
            _ => {
                self.error(
                    codes::NOT_A_VARIABLE,
                    place.span,
                    format!("`{text}` can't be assigned"),
                    "a variable",
                    "constants, loop variables and threads never change; a mutex is changed by `lock` and `unlock`",
                );
                None
            }
        }
    }

    /// `&P[e]`
    pub(super) fn reference(&mut self, place: &Place, cx: &Context) -> Option<Typed> {
        let name = &place.name;
        let hidden =
            cx.bound.iter().any(|(n, _)| *n == name.text) || cx.locals.contains_key(&name.text);
        let [Selector::Index(e)] = place.selectors.as_slice() else {
            self.error(
                codes::TYPE_MISMATCH,
                place.span,
                "this is no slot",
                "a pool or an array of records, with one index",
                "write `&P[0]`: references point to whole records",
            );
            return None;
        };
        let slot = self.number(e, cx);
        if hidden {
            self.error(
                codes::NOT_A_VARIABLE,
                name.span,
                format!("references can't point into `{}`", name.text),
                "a pool, or a shared array of records",
                "declare it at the top level",
            );
            return None;
        }
        let target = self.target(name, cx)?;
        self.program.pools[target].named = true;
        let slot = slot?;
        let len = self.program.pools[target].len as i64;
        let expr = match slot.expr {
            Expr::Const(k) if (0..len).contains(&k) => Expr::Const(k),
            e => Expr::Slot(Box::new(e), target),
        };
        Some(Typed {
            expr,
            kind: Kind::Ref(target),
            lo: 0,
            hi: i128::from(len) - 1,
        })
    }

    /// The place that an expression consists of, if it does.
    pub(super) fn as_place(e: &ast::Expr) -> Option<&Place> {
        match &e.kind {
            ExprKind::Place(place) => Some(place),
            _ => None,
        }
    }
}

pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    match n {
        0 => format!("no {one}"),
        1 => format!("one {one}"),
        n => format!("{n} {many}"),
    }
}
