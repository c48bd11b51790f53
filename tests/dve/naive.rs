//! A second, naive meaning of DVE: it shares the tree with the tool, and nothing else. States are maps from names to
//! values.

use coarsen::model::dve::text::{
    Binary, Expr, ExprKind, Init, Passed, Place, Process, System, Transition, Type, Unary, VarDecl,
};
use coarsen::model::text::ast::Name;
use std::collections::{BTreeMap, BTreeSet};

/// A variable: the process it belongs to (none for global ones), and its name.
type Key = (Option<usize>, String);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: Vec<String>,
    values: BTreeMap<Key, Vec<i64>>,
    buffers: BTreeMap<String, Vec<Vec<i64>>>,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub states: usize,
    pub transitions: usize,
    pub deadlocks: usize,
    /// Transitions that lead to an error, among the others.
    pub errors: usize,
    /// Whether some state violates an assertion.
    pub violated: bool,
}

/// An error of evaluation.
struct Error;

type Result<T> = std::result::Result<T, Error>;

fn bounds(ty: Type) -> (i64, i64) {
    match ty {
        Type::Byte => (0, 255),
        Type::Int => (-32768, 32767),
    }
}

fn cast(ty: Type, value: i64) -> i64 {
    match ty {
        Type::Byte => value & 255,
        Type::Int => i64::from(value as i16),
    }
}

pub struct Naive<'t> {
    system: &'t System,
}

impl<'t> Naive<'t> {
    pub fn new(system: &'t System) -> Self {
        Naive { system }
    }

    /// Explores all states, if there are not too many.
    pub fn explore(&self, most: usize) -> Option<Counts> {
        let mut counts = Counts::default();
        let first = self.initial();
        let mut seen = BTreeSet::from([first.clone()]);
        let mut waiting = vec![first];
        while let Some(state) = waiting.pop() {
            let next = self.successors(&state);
            counts.transitions += next.len();
            counts.deadlocks += usize::from(next.is_empty());
            counts.violated |= self.violates(&state);
            for after in next {
                match after {
                    None => counts.errors += 1,
                    Some(after) => {
                        if seen.insert(after.clone()) {
                            waiting.push(after);
                        }
                    }
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        counts.states = seen.len();
        Some(counts)
    }

    fn initial(&self) -> State {
        let mut state = State {
            at: Vec::new(),
            values: BTreeMap::new(),
            buffers: BTreeMap::new(),
        };
        self.declare(None, &self.system.vars, &mut state);
        for (p, process) in self.system.processes.iter().enumerate() {
            self.declare(Some(p), &process.vars, &mut state);
            state.at.push(process.init.text.clone());
        }
        for channel in &self.system.channels {
            let name = channel.name.text.clone();
            state.buffers.insert(name, Vec::new());
        }
        state
    }

    fn declare(&self, owner: Option<usize>, vars: &[VarDecl], state: &mut State) {
        for var in vars {
            let value = |e: &Expr, state: &State| self.value(e, owner, state).ok().unwrap();
            let mut values: Vec<i64> = match &var.init {
                None => Vec::new(),
                Some(Init::One(e)) => vec![value(e, state)],
                Some(Init::Many(all, _)) => all.iter().map(|e| value(e, state)).collect(),
            };
            let size = var.size.as_ref().map_or(1, |e| value(e, state));
            values.resize(size as usize, 0);
            let key = (owner, var.name.text.clone());
            state.values.insert(key, values);
        }
    }

    fn process(&self, name: &Name) -> usize {
        let mut all = self.system.processes.iter();
        all.position(|p| p.name.text == name.text).unwrap()
    }

    fn key(&self, place: &Place, p: Option<usize>, state: &State) -> Key {
        let text = place.name.text.clone();
        if let Some(process) = &place.process {
            return (Some(self.process(process)), text);
        }
        let local = (p, text.clone());
        match state.values.contains_key(&local) {
            true => local,
            false => (None, text),
        }
    }

    /// A cell: the variable, and which of its elements.
    fn cell(&self, place: &Place, p: Option<usize>, state: &State) -> Result<(Key, usize)> {
        let key = self.key(place, p, state);
        let size = state.values[&key].len();
        let index = match &place.index {
            None => 0,
            Some(e) => self.value(e, p, state)?,
        };
        match usize::try_from(index) {
            Ok(index) if index < size => Ok((key, index)),
            _ => Err(Error),
        }
    }

    fn value(&self, e: &Expr, p: Option<usize>, state: &State) -> Result<i64> {
        let word = |v: i64| Ok(i64::from(v as i32));
        match &e.kind {
            ExprKind::Number(n) => Ok(*n),
            ExprKind::Place(place) => {
                let (key, index) = self.cell(place, p, state)?;
                Ok(state.values[&key][index])
            }
            ExprKind::At(process, name) => {
                Ok(i64::from(state.at[self.process(process)] == name.text))
            }
            ExprKind::Unary(op, inner) => {
                let v = self.value(inner, p, state)?;
                match op {
                    Unary::Not => Ok(i64::from(v == 0)),
                    Unary::Neg => word(-v),
                    Unary::Complement => word(!v),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let x = self.value(a, p, state)?;
                match op {
                    Binary::And if x == 0 => return Ok(0),
                    Binary::Or if x != 0 => return Ok(1),
                    Binary::Imply if x == 0 => return Ok(1),
                    _ => {}
                }
                let y = self.value(b, p, state)?;
                match op {
                    Binary::And | Binary::Or | Binary::Imply => Ok(i64::from(y != 0)),
                    Binary::BitOr => word(x | y),
                    Binary::BitAnd => word(x & y),
                    Binary::BitXor => word(x ^ y),
                    Binary::Eq => Ok(i64::from(x == y)),
                    Binary::Ne => Ok(i64::from(x != y)),
                    Binary::Lt => Ok(i64::from(x < y)),
                    Binary::Le => Ok(i64::from(x <= y)),
                    Binary::Ge => Ok(i64::from(x >= y)),
                    Binary::Gt => Ok(i64::from(x > y)),
                    Binary::Shl | Binary::Shr if !(0..32).contains(&y) => Err(Error),
                    Binary::Shl => Ok(i64::from((x as i32) << y)),
                    Binary::Shr => Ok(i64::from((x as i32) >> y)),
                    Binary::Sub => word(x - y),
                    Binary::Add => word(x + y),
                    Binary::Mul => Ok(i64::from((x as i32).wrapping_mul(y as i32))),
                    Binary::Div | Binary::Rem if y == 0 => Err(Error),
                    Binary::Div => Ok(i64::from((x as i32).wrapping_div(y as i32))),
                    Binary::Rem => Ok(i64::from((x as i32).wrapping_rem(y as i32))),
                }
            }
        }
    }

    fn assign(&self, place: &Place, value: i64, p: usize, state: &mut State) -> Result<()> {
        let (key, index) = self.cell(place, Some(p), state)?;
        self.put(&key, index, value, state)
    }

    fn put(&self, key: &Key, index: usize, value: i64, state: &mut State) -> Result<()> {
        let vars = match key.0 {
            None => &self.system.vars,
            Some(p) => &self.system.processes[p].vars,
        };
        let ty = vars.iter().find(|v| v.name.text == key.1).unwrap().ty;
        let (lo, hi) = bounds(ty);
        if !(lo..=hi).contains(&value) {
            return Err(Error);
        }
        state.values.get_mut(key).unwrap()[index] = value;
        Ok(())
    }

    fn effects(&self, t: &Transition, p: usize, state: &mut State) -> Result<()> {
        for (place, e) in &t.effects {
            let value = self.value(e, Some(p), state)?;
            self.assign(place, value, p, state)?;
        }
        Ok(())
    }

    /// Whether the process is at the source and the guard is passed; with an error in the guard.
    fn enabled(&self, t: &Transition, p: usize, state: &State) -> Option<bool> {
        if state.at[p] != t.from.text {
            return None;
        }
        for guard in &t.guards {
            match self.value(guard, Some(p), state) {
                Err(Error) => return Some(true),
                Ok(0) => return None,
                Ok(_) => {}
            }
        }
        Some(false)
    }

    fn is_committed(&self, p: usize, state: &State) -> bool {
        let process = &self.system.processes[p];
        process.commit.iter().any(|c| c.text == state.at[p])
    }

    fn size(&self, channel: &Name, state: &State) -> usize {
        let mut all = self.system.channels.iter();
        let decl = all.find(|c| c.name.text == channel.text).unwrap();
        let size = decl.size.as_ref().map(|e| self.value(e, None, state));
        size.map_or(0, |s| s.ok().unwrap() as usize)
    }

    fn item(&self, channel: &Name, n: usize, value: i64) -> i64 {
        let mut all = self.system.channels.iter();
        let decl = all.find(|c| c.name.text == channel.text).unwrap();
        match &decl.types {
            None => value,
            Some(types) => cast(types[n], value),
        }
    }

    /// What enabled transitions and pairs lead to; nothing for an error.
    fn successors(&self, state: &State) -> Vec<Option<State>> {
        let n = self.system.processes.len();
        let committed: Vec<bool> = (0..n).map(|p| self.is_committed(p, state)).collect();
        let any = committed.iter().any(|c| *c);
        let mut all = Vec::new();
        for (p, process) in self.system.processes.iter().enumerate() {
            if any && !committed[p] {
                continue;
            }
            for t in &process.transitions {
                let Some(failed) = self.enabled(t, p, state) else {
                    continue;
                };
                let Some(sync) = &t.sync else {
                    all.push(self.step(failed, || {
                        let mut after = state.clone();
                        after.at[p].clone_from(&t.to.text);
                        self.effects(t, p, &mut after)?;
                        Ok(after)
                    }));
                    continue;
                };
                let size = self.size(&sync.channel, state);
                let items = state.buffers[&sync.channel.text].len();
                match &sync.passed {
                    Passed::Sent(values) if size > 0 => {
                        if items < size {
                            all.push(self.step(failed, || {
                                let mut after = state.clone();
                                let mut item = Vec::new();
                                for (n, e) in values.iter().enumerate() {
                                    let v = self.value(e, Some(p), state)?;
                                    item.push(self.item(&sync.channel, n, v));
                                }
                                // An untyped buffer holds `int`s.
                                if item.iter().any(|v| !(-32768..=32767).contains(v)) {
                                    return Err(Error);
                                }
                                let buffer = after.buffers.get_mut(&sync.channel.text);
                                buffer.unwrap().push(item);
                                after.at[p].clone_from(&t.to.text);
                                self.effects(t, p, &mut after)?;
                                Ok(after)
                            }));
                        }
                    }
                    Passed::Received(places) if size > 0 => {
                        if items > 0 {
                            all.push(self.step(failed, || {
                                let mut after = state.clone();
                                let buffer = after.buffers.get_mut(&sync.channel.text);
                                let item = buffer.unwrap().remove(0);
                                self.pass(places, &item, p, state, &mut after)?;
                                after.at[p].clone_from(&t.to.text);
                                self.effects(t, p, &mut after)?;
                                Ok(after)
                            }));
                        }
                    }
                    Passed::Received(_) => {}
                    Passed::Sent(values) => {
                        for (q, other) in self.system.processes.iter().enumerate() {
                            if q == p || any && !committed[q] {
                                continue;
                            }
                            for r in &other.transitions {
                                all.extend(self.pair((p, t, values, failed), (q, r), state));
                            }
                        }
                    }
                }
            }
        }
        all
    }

    fn step(&self, failed: bool, take: impl FnOnce() -> Result<State>) -> Option<State> {
        if failed { None } else { take().ok() }
    }

    /// Values arrive all at once; where they go is found in the old state.
    fn pass(
        &self,
        places: &[Place],
        values: &[i64],
        q: usize,
        before: &State,
        after: &mut State,
    ) -> Result<()> {
        let mut cells = Vec::new();
        for place in places {
            cells.push(self.cell(place, Some(q), before)?);
        }
        for ((key, index), value) in cells.into_iter().zip(values) {
            self.put(&key, index, *value, after)?;
        }
        Ok(())
    }

    #[allow(clippy::type_complexity)]
    fn pair(
        &self,
        (p, t, values, failed): (usize, &Transition, &[Expr], bool),
        (q, r): (usize, &Transition),
        state: &State,
    ) -> Option<Option<State>> {
        let (mine, theirs) = (t.sync.as_ref()?, r.sync.as_ref()?);
        let Passed::Received(places) = &theirs.passed else {
            return None;
        };
        if mine.channel.text != theirs.channel.text {
            return None;
        }
        let failed = self.enabled(r, q, state)? || failed;
        Some(self.step(failed, || {
            let mut after = state.clone();
            let mut item = Vec::new();
            for (n, e) in values.iter().enumerate() {
                let v = self.value(e, Some(p), state)?;
                item.push(self.item(&mine.channel, n, v));
            }
            self.pass(places, &item, q, state, &mut after)?;
            after.at[q].clone_from(&r.to.text);
            self.effects(r, q, &mut after)?;
            after.at[p].clone_from(&t.to.text);
            self.effects(t, p, &mut after)?;
            Ok(after)
        }))
    }

    fn violates(&self, state: &State) -> bool {
        let holds = |(p, process): (usize, &Process)| {
            process.asserts.iter().all(|(at, e)| {
                state.at[p] != at.text || matches!(self.value(e, Some(p), state), Ok(v) if v != 0)
            })
        };
        !self.system.processes.iter().enumerate().all(holds)
    }
}
