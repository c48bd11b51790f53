//! The steps of an action, or of a claimed block, one for each way through them, and weaker steps in their place.
//!
//! A statement such as a compare-and-swap has several outcomes: one changes what others see, another only tells the
//! thread that it has failed. Each is a path of its own here. A path that changes nothing but the thread's own
//! variables can be weakened: what it reads of others may have been anything.

use crate::base::diagnostic::Span;
use crate::model::program::{
    ArrayId, CellId, Claim, Class, Command, Edge, Expr, LocId, Program, Target, ThreadId, apply,
    is_total,
};
use crate::model::text::ast::BinaryOp;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a path.
#[derive(Clone, Debug)]
pub enum Part {
    /// The path is taken only where this is true.
    Assume(Expr),
    /// An assignment, a choice of a value or a check.
    Do(Command),
}

/// One way through a step of a block.
#[derive(Clone, Debug)]
pub struct Path {
    /// The thread.
    pub thread: ThreadId,
    /// Where it begins.
    pub from: LocId,
    /// The edge, by its number there.
    pub edge: usize,
    /// Which of the ways through it.
    pub way: usize,
    /// The statement.
    pub span: Span,
    /// Disabled where this is false.
    pub guard: Option<Expr>,
    /// What it does.
    pub parts: Vec<Part>,
    /// Where it leads; nowhere if it can only go wrong.
    pub to: Option<LocId>,
    /// Whether it has anything to do with what others can see.
    pub shares: bool,
    /// The same weakened, if that makes a difference and can be done.
    pub weak: Option<Vec<Part>>,
}

/// Conditions on one variable by which ways are told apart.
const TESTS: usize = 2;

/// The values of a variable before and behind, where they are known.
type Effect = (Option<i64>, Option<i64>);

/// A way through commands, and where it leads.
type Way = (Vec<Part>, Option<LocId>);

/// Ways through one step at most.
const WAYS: usize = 64;

/// Values of a variable that a condition is tried with, at most.
const TRIED: usize = 8;

impl Path {
    /// All paths of a claim's blocks; none if a step has too many.
    pub fn all(program: &Program, claim: &Claim) -> Option<Vec<Path>> {
        let mut all = Vec::new();
        for block in &claim.blocks {
            let thread = &program.threads[block.thread];
            let edges = block.steps(program);
            let met = |all: &[Path], from, number| {
                let mut all = all.iter();
                all.any(|p| (p.thread, p.from, p.edge) == (block.thread, from, number))
            };
            let own = Own {
                program,
                thread: block.thread,
            };
            let mut tests = Vec::new();
            for &(from, number) in &edges {
                for (parts, _) in ways(&thread.locations[from].edges[number].body)? {
                    own.tests(&parts, &mut tests);
                }
            }
            for (from, number) in edges {
                if met(&all, from, number) {
                    continue;
                }
                let edge = &thread.locations[from].edges[number];
                for (way, (parts, to)) in own
                    .told_apart(ways(&edge.body)?, &tests)
                    .into_iter()
                    .enumerate()
                {
                    all.push(Path::new(&own, (from, number, way), edge, parts, to));
                }
            }
        }
        Some(all)
    }

    /// The paths of the action at a location; none if there are too many.
    pub fn of_action(program: &Program, thread: ThreadId, from: LocId) -> Option<Vec<Path>> {
        let own = Own { program, thread };
        let mut all = Vec::new();
        let edges = &program.threads[thread].locations[from].edges;
        for (number, edge) in edges.iter().enumerate() {
            for (way, (parts, to)) in ways(&edge.body)?.into_iter().enumerate() {
                all.push(Path::new(&own, (from, number, way), edge, parts, to));
            }
        }
        Some(all)
    }

    /// The variables of others' that it writes.
    pub fn written(&self, program: &Program) -> BTreeSet<ArrayId> {
        let own = self.own(program);
        let array = |part: &Part| match part {
            Part::Do(Command::Assign(target, _) | Command::Havoc(target)) => Some(match target {
                Target::Cell(c) => program.cells[*c].array,
                Target::Element(array, _) => *array,
            }),
            _ => None,
        };
        let all = self.parts.iter().filter_map(array);
        all.filter(|a| !own.array(*a)).collect()
    }

    /// What is its thread's own.
    fn own<'p>(&self, program: &'p Program) -> Own<'p> {
        Own {
            program,
            thread: self.thread,
        }
    }

    fn new(
        own: &Own,
        (from, number, way): (LocId, usize, usize),
        edge: &Edge,
        parts: Vec<Part>,
        to: Option<LocId>,
    ) -> Path {
        let guard = edge.guard.clone();
        let guards = guard.iter().all(|g| own.reads(g));
        let shares = !guards || !parts.iter().all(|p| own.is_own(p));
        let weak = match to.is_some() && shares {
            true => own.weakened(guard.as_ref(), &parts),
            false => None,
        };
        Path {
            thread: own.thread,
            from,
            edge: number,
            way,
            span: edge.span,
            guard,
            parts,
            to,
            shares,
            weak,
        }
    }

    /// A variable of others' that this path finds with one value and leaves with another, as a lock that it takes, and
    /// the value that it finds.
    pub fn takes(&self, program: &Program) -> Option<(CellId, i64)> {
        let own = self.own(program);
        let of = own.effects(self.guard.as_ref(), &self.parts).into_iter();
        let taken = of.filter(|(c, _)| !own.array(program.cells[*c].array));
        let mut taken = taken.filter_map(|(c, (before, behind))| {
            let (before, behind) = (before?, behind?);
            (before != behind).then_some((c, before))
        });
        taken.next()
    }

    /// Paths of one thread that follow each other, as one: none if there are none, or a condition speaks of where
    /// threads are, which may change on the way.
    pub fn joined(program: &Program, all: &[&Path], way: usize) -> Option<Path> {
        let (&first, &last) = (all.first()?, all.last()?);
        let mut parts = Vec::new();
        for (n, path) in all.iter().enumerate() {
            let guard = path.guard.iter().filter(|_| n > 0);
            parts.extend(guard.cloned().map(Part::Assume));
            parts.extend(path.parts.iter().cloned());
        }
        let mut placed = false;
        let mut look = |e: &Expr| e.walk(&mut |e| placed |= matches!(e, Expr::At(..)));
        first.guard.iter().for_each(&mut look);
        for part in &parts {
            if let Part::Do(Command::Assign(target, _) | Command::Havoc(target)) = part
                && let Target::Element(_, index) = target
            {
                index.iter().for_each(&mut look);
            }
            match part {
                Part::Assume(e) | Part::Do(Command::Check(e, _) | Command::Assign(_, e)) => look(e),
                Part::Do(_) => {}
            }
        }
        let weak = first.own(program).weakened(first.guard.as_ref(), &parts);
        (!placed).then(|| Path {
            // It is no edge of the program.
            edge: usize::MAX,
            way,
            span: Span {
                start: first.span.start,
                end: last.span.end,
            },
            parts,
            to: last.to,
            shares: true,
            weak: weak.filter(|_| last.to.is_some()),
            ..first.clone()
        })
    }

    /// The path as an edge, weakened or not.
    pub fn as_edge(&self, weakened: bool) -> Edge {
        let (guard, parts) = match (weakened, &self.weak) {
            (true, Some(weak)) => (None, weak),
            _ => (self.guard.clone(), &self.parts),
        };
        let goto = self.to.map(Command::Goto);
        let mut body: Vec<Command> = goto.into_iter().collect();
        for part in parts.iter().rev() {
            match part {
                Part::Do(command) => body.insert(0, command.clone()),
                // No way on from where it is false.
                Part::Assume(e) => {
                    body = vec![Command::If(
                        e.clone(),
                        body,
                        vec![Command::Choose(Vec::new())],
                    )];
                }
            }
        }
        Edge {
            guard,
            body,
            span: self.span,
        }
    }
}

/// The ways through commands, and where they lead.
fn ways(commands: &[Command]) -> Option<Vec<Way>> {
    let mut done = Vec::new();
    let mut open = vec![(Vec::new(), Vec::from_iter(commands.iter().rev()))];
    while let Some((mut parts, mut rest)) = open.pop() {
        if done.len() + open.len() > WAYS {
            return None;
        }
        let Some(command) = rest.pop() else {
            done.push((parts, None));
            continue;
        };
        match command {
            Command::Goto(to) => done.push((parts, Some(*to))),
            Command::If(c, yes, no) => {
                let mut other = (parts.clone(), rest.clone());
                parts.push(Part::Assume(c.clone()));
                rest.extend(yes.iter().rev());
                other.0.push(Part::Assume(Expr::Not(Box::new(c.clone()))));
                other.1.extend(no.iter().rev());
                open.extend([other, (parts, rest)]);
            }
            Command::Choose(branches) => {
                for branch in branches.iter().rev() {
                    let mut rest = rest.clone();
                    rest.extend(branch.iter().rev());
                    open.push((parts.clone(), rest));
                }
            }
            _ => {
                parts.push(Part::Do(command.clone()));
                open.push((parts, rest));
            }
        }
    }
    Some(done)
}

/// What is a thread's own.
struct Own<'p> {
    program: &'p Program,
    thread: ThreadId,
}

impl Own<'_> {
    fn array(&self, array: usize) -> bool {
        self.program.arrays[array].class == Class::Local(self.thread)
    }

    /// Whether an expression reads nothing but the thread's own variables.
    fn reads(&self, e: &Expr) -> bool {
        let mut own = true;
        e.walk(&mut |e| match e {
            Expr::Cell(c) => own &= self.array(self.program.cells[*c].array),
            Expr::Element(array, _) => own &= self.array(*array),
            Expr::At(..) | Expr::Via(..) => own = false,
            _ => {}
        });
        own
    }

    fn target(&self, target: &Target) -> bool {
        match target {
            Target::Cell(c) => self.array(self.program.cells[*c].array),
            Target::Element(array, index) => {
                self.array(*array) && index.iter().all(|e| self.reads(e))
            }
        }
    }

    fn is_own(&self, part: &Part) -> bool {
        match part {
            Part::Assume(e) | Part::Do(Command::Check(e, _)) => self.reads(e),
            Part::Do(Command::Assign(target, e)) => self.target(target) && self.reads(e),
            Part::Do(Command::Havoc(target)) => self.target(target),
            Part::Do(_) => false,
        }
    }

    /// Conditions in the block on one variable of the thread's own, by the variable.
    fn tests(&self, parts: &[Part], into: &mut Vec<(CellId, Expr)>) {
        for part in parts {
            let Part::Assume(e) = part else { continue };
            let e = match e {
                Expr::Not(e) => &**e,
                e => e,
            };
            // It must not go wrong where it was not asked.
            let (mut read, mut told) = (BTreeSet::new(), true);
            e.walk(&mut |e| match e {
                Expr::Cell(c) => drop(read.insert(*c)),
                Expr::Element(..) | Expr::Via(..) | Expr::At(..) | Expr::Slot(..) => told = false,
                Expr::Binary(op, _, right) => told &= is_total(*op, right),
                _ => {}
            });
            let Some(&cell) = read.first().filter(|_| read.len() == 1) else {
                continue;
            };
            let same = into.iter().filter(|(c, _)| *c == cell).count();
            if told && self.reads(e) && same < TESTS && !into.iter().any(|(_, t)| t == e) {
                into.push((cell, e.clone()));
            }
        }
    }

    /// The same ways, those that give a variable a value from elsewhere by what the block's conditions say of it then.
    fn told_apart(&self, ways: Vec<Way>, tests: &[(CellId, Expr)]) -> Vec<Way> {
        let mut ways = ways;
        for (cell, test) in tests {
            let gives = |part: &Part| match part {
                Part::Do(Command::Assign(Target::Cell(c), e)) => c == cell && !self.reads(e),
                _ => false,
            };
            let mut apart = Vec::new();
            for (parts, to) in ways {
                let given = parts.iter().rposition(gives);
                let Some(given) = given.filter(|_| apart.len() < WAYS) else {
                    apart.push((parts, to));
                    continue;
                };
                for test in [test.clone(), Expr::Not(Box::new(test.clone()))] {
                    let mut parts = parts.clone();
                    parts.insert(given + 1, Part::Assume(test));
                    let mut known = Known::default();
                    if parts.iter().all(|part| known.step(self.program, part)) {
                        apart.push((parts, to));
                    }
                }
            }
            ways = apart;
        }
        ways
    }

    /// The same with any value where one comes from others' variables, and without conditions on these: every step of
    /// it that does not go wrong is one of the weakened.
    fn weakened(&self, guard: Option<&Expr>, parts: &[Part]) -> Option<Vec<Part>> {
        let mut weak = Vec::new();
        if let Some(guard) = guard {
            self.assume(guard, true, &mut weak);
        }
        let effects = self.effects(guard, parts);
        let is_restored = |target: &Target| match target {
            Target::Cell(c) => {
                let of = effects.get(c);
                of.is_some_and(|(before, behind)| before.is_some() && before == behind)
            }
            Target::Element(..) => false,
        };
        let mut known = Known::default();
        if let Some(guard) = guard {
            known.learn(self.program, guard, true);
        }
        for part in parts {
            let idle = known.changes_nothing(part);
            known.step(self.program, part);
            match part {
                _ if idle => {}
                Part::Assume(e) | Part::Do(Command::Check(e, _)) => self.assume(e, true, &mut weak),
                Part::Do(Command::Assign(target, e)) if self.target(target) => {
                    weak.push(Part::Do(match self.reads(e) {
                        true => Command::Assign(target.clone(), e.clone()),
                        false => Command::Havoc(target.clone()),
                    }));
                }
                Part::Do(Command::Havoc(target)) if self.target(target) => weak.push(part.clone()),
                Part::Do(Command::Assign(target, _)) if is_restored(target) => {}
                Part::Do(_) => return None,
            }
        }
        Some(weak)
    }

    /// By variable that is written: the value before and behind, as far as they are known.
    fn effects(&self, guard: Option<&Expr>, parts: &[Part]) -> BTreeMap<CellId, Effect> {
        let mut known = Known::default();
        if let Some(guard) = guard {
            known.learn(self.program, guard, true);
        }
        let mut effects: BTreeMap<CellId, Effect> = BTreeMap::new();
        for part in parts {
            if let Part::Do(Command::Assign(target, _) | Command::Havoc(target)) = part {
                let cells = match target {
                    Target::Cell(c) => vec![*c],
                    Target::Element(array, _) => self.program.cells_of(*array).collect(),
                };
                for c in cells {
                    let before = known.values.get(&c).copied();
                    effects.entry(c).or_insert((before, None));
                }
            }
            known.step(self.program, part);
        }
        for (c, (_, behind)) in &mut effects {
            *behind = known.values.get(c).copied();
        }
        effects
    }

    /// What of a condition speaks of the thread's own variables only.
    fn assume(&self, e: &Expr, value: bool, into: &mut Vec<Part>) {
        match (e, value) {
            (Expr::Not(e), _) => self.assume(e, !value, into),
            (Expr::Binary(BinaryOp::And, a, b), true)
            | (Expr::Binary(BinaryOp::Or, a, b), false) => {
                self.assume(a, value, into);
                self.assume(b, value, into);
            }
            _ if self.reads(e) => into.push(Part::Assume(match value {
                true => e.clone(),
                false => Expr::Not(Box::new(e.clone())),
            })),
            _ => {}
        }
    }
}

/// Values of variables that are known behind steps of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Known {
    values: BTreeMap<CellId, i64>,
    /// Pairs of variables that have the same value.
    equal: BTreeSet<(CellId, CellId)>,
}

impl Known {
    /// What is known of a thread's own variables behind these parts of a path; none if they can't be taken.
    pub fn behind(&self, program: &Program, thread: ThreadId, parts: &[Part]) -> Option<Known> {
        let own = Own { program, thread };
        let mut known = self.clone();
        if !parts.iter().all(|part| known.step(program, part)) {
            return None;
        }
        known.equal.clear();
        known
            .values
            .retain(|c, _| own.array(program.cells[*c].array));
        Some(known)
    }

    /// What is known behind a path that is taken without interruption, of others' variables as well.
    pub fn along(&self, program: &Program, path: &Path) -> Known {
        let mut known = self.clone();
        if let Some(guard) = &path.guard {
            known.learn(program, guard, true);
        }
        for part in &path.parts {
            known.step(program, part);
        }
        known
    }

    /// Whether a variable is known to have a value.
    pub fn has(&self, (cell, value): (CellId, i64)) -> bool {
        self.values.get(&cell) == Some(&value)
    }

    /// What is known behind a part of a path, within one step; whether it can be taken.
    fn step(&mut self, program: &Program, part: &Part) -> bool {
        match part {
            Part::Assume(e) => {
                if self.value(e) == Some(0) {
                    return false;
                }
                self.learn(program, e, true);
            }
            Part::Do(Command::Assign(Target::Cell(c), e)) => {
                let ty = program.cells[*c].ty;
                let value = self.value(e).map(|v| match ty.wraps {
                    true => v.rem_euclid(ty.hi + 1),
                    false => v,
                });
                self.forget(|other| other == *c);
                if let Some(value) = value.filter(|v| ty.contains(*v)) {
                    self.values.insert(*c, value);
                }
                match e {
                    Expr::Cell(from) if from != c && !ty.wraps => {
                        self.equal.insert((*c, *from));
                    }
                    _ => {}
                }
            }
            // Where it is false the path goes wrong.
            Part::Do(Command::Check(e, _)) => self.learn(program, e, true),
            Part::Do(Command::Havoc(Target::Cell(c))) => self.forget(|other| other == *c),
            Part::Do(
                Command::Assign(Target::Element(array, _), _)
                | Command::Havoc(Target::Element(array, _)),
            ) => self.forget(|c| program.cells[c].array == *array),
            Part::Do(_) => {}
        }
        true
    }

    fn forget(&mut self, which: impl Fn(CellId) -> bool) {
        self.values.retain(|c, _| !which(*c));
        self.equal.retain(|(a, b)| !which(*a) && !which(*b));
    }

    /// Whether an assignment changes nothing.
    fn changes_nothing(&self, part: &Part) -> bool {
        match part {
            Part::Do(Command::Assign(Target::Cell(c), e)) => {
                let before = self.values.get(c).copied();
                before.is_some() && before == self.value(e)
            }
            _ => false,
        }
    }

    fn is(&mut self, cell: CellId, value: i64) {
        self.values.insert(cell, value);
        let equal = self.equal.iter().filter(|(a, b)| *a == cell || *b == cell);
        let equal: Vec<CellId> = equal.flat_map(|&(a, b)| [a, b]).collect();
        self.values.extend(equal.into_iter().map(|c| (c, value)));
    }

    /// What follows from a condition.
    fn learn(&mut self, program: &Program, e: &Expr, value: bool) {
        match (e, value) {
            (Expr::Not(e), _) => self.learn(program, e, !value),
            (Expr::Binary(BinaryOp::And, a, b), true)
            | (Expr::Binary(BinaryOp::Or, a, b), false) => {
                self.learn(program, a, value);
                self.learn(program, b, value);
            }
            (Expr::Binary(BinaryOp::Eq, a, b), true)
            | (Expr::Binary(BinaryOp::Ne, a, b), false) => {
                let sides = (self.value(a), self.value(b));
                match (&**a, &**b, sides) {
                    (Expr::Cell(c), _, (None, Some(v))) | (_, Expr::Cell(c), (Some(v), None)) => {
                        self.is(*c, v);
                    }
                    _ => self.learn_only(program, e, value),
                }
            }
            (Expr::Cell(c), _) => self.is(*c, i64::from(value)),
            _ => self.learn_only(program, e, value),
        }
    }

    /// Where all but one variable of a condition are known, and the condition is so with one value of it only.
    fn learn_only(&mut self, program: &Program, e: &Expr, value: bool) {
        if let Some((cell, v)) = self.only(program, e, value) {
            self.is(cell, v);
        }
    }

    /// That variable, and the value.
    fn only(&self, program: &Program, e: &Expr, value: bool) -> Option<(CellId, i64)> {
        let mut open = BTreeSet::new();
        e.walk(&mut |e| {
            if let Expr::Cell(c) = e
                && !self.values.contains_key(c)
            {
                open.insert(*c);
            }
        });
        let &cell = open.first().filter(|_| open.len() == 1)?;
        let ty = program.cells[cell].ty;
        let values = (ty.lo..=ty.hi).take(TRIED + 1);
        let mut possible = Vec::new();
        for (tried, v) in values.enumerate() {
            let mut known = self.clone();
            known.values.insert(cell, v);
            if tried == TRIED {
                return None;
            }
            if (known.value(e)? != 0) == value {
                possible.push(v);
            }
        }
        match possible.as_slice() {
            &[v] => Some((cell, v)),
            _ => None,
        }
    }

    /// The value of an expression, if it is known and defined.
    fn value(&self, e: &Expr) -> Option<i64> {
        match e {
            Expr::Const(v) => Some(*v),
            Expr::Cell(c) => self.values.get(c).copied(),
            Expr::Not(e) => Some(i64::from(self.value(e)? == 0)),
            Expr::Neg(e) => self.value(e)?.checked_neg(),
            Expr::Binary(op, a, b) => {
                let short = match (op, self.value(a)) {
                    (BinaryOp::And, Some(0)) => Some(0),
                    (BinaryOp::Or, Some(1)) | (BinaryOp::Implies, Some(0)) => Some(1),
                    _ => None,
                };
                short.or_else(|| apply(*op, self.value(a)?, self.value(b)?))
            }
            Expr::Cond(c, a, b) => match self.value(c)? {
                0 => self.value(b),
                _ => self.value(a),
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::control::ParseLimits;
    use crate::model::Loaded;

    /// What the first step of a thread takes, if it takes something: the value that it finds.
    fn taken(declared: &str, step: &str) -> Option<i64> {
        let text = format!("{declared} thread w {{ transaction c {{ {step} }} }}");
        let loaded = Loaded::load("m.cor", &text, &[], ParseLimits::default());
        let (loaded, _) = loaded.unwrap_or_else(|d| panic!("{text}: {d:?}"));
        let p = loaded.program();
        let paths = Path::of_action(p, 0, p.threads[0].initial).expect("few ways");
        paths[0].takes(p).map(|(_, value)| value)
    }

    /// A condition tells a variable if one value is left, and all others are known.
    #[test]
    fn the_only_value_is_known() {
        assert_eq!(taken("semaphore s: 0..1 = 1;", "down(s);"), Some(1));
        assert_eq!(taken("semaphore s: 0..2 = 1;", "down(s);"), None);
        assert_eq!(taken("mutex m;", "lock(m);"), Some(-1));
        assert_eq!(taken("rwlock l;", "read_lock(l);"), Some(0));
        let x = "var x: 0..3 = 0; var y: 0..1 = 0;";
        assert_eq!(taken(x, "when (x >= 3) x = 0;"), Some(3));
        assert_eq!(taken(x, "when (x >= 2) x = 0;"), None);
        assert_eq!(taken(x, "when (!(x != 2)) x = 0;"), Some(2));
        assert_eq!(taken(x, "when (x + y == 0) x = 1;"), None);
        assert_eq!(taken(x, "when (y == 1 && x + y == 1) x = 1;"), Some(0));
        // What goes wrong for some value says nothing.
        assert_eq!(taken(x, "when (3 / x == 1) x = 1;"), None);
        // More values than are tried.
        assert_eq!(taken("var x: 0..99 = 0;", "when (x > 98) x = 0;"), None);
    }
}
