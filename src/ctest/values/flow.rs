//! Follows a number from the call that returns it, instruction by instruction, on all ways.
//!
//! The claim is about two numbers that have the same outcome in all tests that are found. If one takes the place of the
//! other, an execution stays the same, step by step, except at the places that are tracked. If a number gets to a place
//! where it can't be followed, the numbers that come there are kept apart. Each call at the site is treated alone: a
//! number that the same site has returned at another time does not depend on this one.

use super::code::{Code, Instruction, Operand, RAX, RBX, RCX, RDI, RDX, RSI, Register};
use super::ranges::{Condition, Image, Ranges, Type};
use super::state::{Content, Flags, Outcome, Place, State, mask};
use super::step::{Escapes, Execution};
use crate::ctest::assembly::OURS;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Numbers that are kept apart, and representatives: no more than that.
pub const MOST: usize = 64;
/// So many states are told apart before one instruction.
const STATES: usize = 16;
/// So many steps are taken from one call.
const STEPS: usize = 20_000;
/// How deep calls inside of calls are followed.
const DEPTH: usize = 3;

type Next = Vec<(usize, State)>;

/// What is to be found out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Whether a function returns; nothing is tracked.
    Returns,
    /// What is done with a number.
    Uses,
    /// Whether nothing is done with something.
    NoUse,
}

/// What the program does with a number.
#[derive(Default)]
pub struct Uses {
    /// The numbers that pass each test.
    pub tests: BTreeSet<Ranges>,
    /// Those that are used in other ways.
    pub apart: Ranges,
    /// Whether the function returns.
    returns: bool,
}

/// The states in which the ways come to one instruction; when they become too many, there is only one, in which all are
/// joined.
#[derive(Default)]
struct Seen {
    states: Vec<State>,
    joined: bool,
}

/// Follows the numbers of a file.
pub struct Flow<'a> {
    code: &'a Code<'a>,
    /// Whether the program has a function of its own of this name.
    own: &'a dyn Fn(&str) -> bool,
    returning: RefCell<HashMap<(usize, Option<u64>), bool>>,
    ignoring: RefCell<HashMap<(usize, u8), bool>>,
}

/// Functions of the library, and how many arguments they have.
const ARGUMENTS: [(&str, usize); 11] = [
    ("sched_yield", 0),
    ("pthread_yield", 0),
    ("thrd_yield", 0),
    ("sleep", 1),
    ("usleep", 1),
    ("nanosleep", 2),
    ("pthread_mutex_lock", 1),
    ("pthread_mutex_trylock", 1),
    ("pthread_mutex_unlock", 1),
    ("pthread_spin_trylock", 1),
    ("sem_trywait", 1),
];

/// Functions that do not come back, unless the program has its own.
const ENDS: [&str; 7] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "__assert_fail",
    "pthread_exit",
    "thrd_exit",
];

impl<'a> Flow<'a> {
    pub fn new(code: &'a Code<'a>, own: &'a dyn Fn(&str) -> bool) -> Flow<'a> {
        Flow {
            code,
            own,
            returning: RefCell::default(),
            ignoring: RefCell::default(),
        }
    }

    /// What becomes of the number that the call at `at` returns; nothing if that is not known.
    pub fn uses(&self, at: usize, of: Type) -> Option<Uses> {
        let mut state = State::new(of.numbers());
        let rax = Register {
            number: RAX,
            offset: 0,
            width: 8,
        };
        state.set_register(rax, Content::Copy(Image::whole(of)));
        self.follow(self.behind(at, state), Aim::Uses, 0)
    }

    /// If it makes no difference what a private variable holds during a call (executions that differ in that alone take
    /// the same steps, with the same values): before which instructions it makes none either. Else none.
    pub fn faint_from(&self, at: usize, place: Place) -> Option<Vec<usize>> {
        let mut state = State::new(Ranges::new([(0, 0)]));
        state.set(place, Content::Opaque);
        let pad = self.code.catch(at).ok()?;
        let mut open = self.behind(at, state.clone());
        open.extend(pad.map(|pad| (pad, state)));
        let (_, seen) = self.explore(open, Aim::NoUse, 0)?;
        let depends = |seen: &Seen| seen.states.iter().any(|s| s.get(place) == Content::Opaque);
        Some(
            seen.iter()
                .filter(|(_, s)| depends(s))
                .map(|(&at, _)| at)
                .collect(),
        )
    }

    /// Whether a function may return if its first argument is this.
    fn returns(&self, entry: usize, argument: &Content, depth: usize) -> bool {
        let argument = match argument {
            Content::Known(n) => Some(*n),
            _ => None,
        };
        let known = self.returning.borrow().get(&(entry, argument)).copied();
        known.unwrap_or_else(|| {
            let mut state = State::new(Ranges::new([(0, 0)]));
            let rdi = Register {
                number: RDI,
                offset: 0,
                width: 8,
            };
            state.set_register(rdi, argument.map_or(Content::Same, Content::Known));
            let uses = self.follow(vec![(entry, state)], Aim::Returns, depth + 1);
            let returns = uses.is_none_or(|uses| uses.returns);
            self.returning
                .borrow_mut()
                .insert((entry, argument), returns);
            returns
        })
    }

    /// Takes all ways from here. `None` if there are too many, or if one is not understood while no number is tracked.
    fn follow(&self, open: Next, aim: Aim, depth: usize) -> Option<Uses> {
        self.explore(open, aim, depth).map(|found| found.0)
    }

    /// Likewise, with the states that were seen.
    fn explore(
        &self,
        mut open: Next,
        aim: Aim,
        depth: usize,
    ) -> Option<(Uses, BTreeMap<usize, Seen>)> {
        let mut uses = Uses::default();
        let mut seen: BTreeMap<usize, Seen> = BTreeMap::new();
        let mut steps = 0;
        while let Some((at, mut state)) = open.pop() {
            if aim != Aim::Returns && !state.depends() {
                continue;
            }
            let here = seen.entry(at).or_default();
            if here.states.contains(&state) {
                continue;
            }
            here.joined |= here.states.len() >= STATES;
            if here.joined {
                state = here.states.drain(..).fold(state, |a, b| a.join(&b));
            }
            here.states.push(state.clone());
            steps += 1;
            if steps > STEPS {
                return None;
            }
            let numbers = state.numbers.clone();
            match self.step(at, state, &mut uses, depth) {
                Ok(next) => open.extend(next),
                Err(Escapes) if aim == Aim::Uses => {
                    uses.apart = uses.apart.or(&numbers);
                    if uses.apart.count() > MOST as i128 {
                        return None;
                    }
                }
                Err(Escapes) => return None,
            }
        }
        Some((uses, seen))
    }

    /// The next instruction in the same function. At the end of a function there is none: the last call does not
    /// return.
    fn behind(&self, at: usize, state: State) -> Next {
        let function = |at: usize| self.code.instructions.get(at).map(|i| i.function);
        if function(at) == function(at + 1) {
            vec![(at + 1, state)]
        } else {
            Vec::new()
        }
    }

    fn step(
        &self,
        at: usize,
        mut state: State,
        uses: &mut Uses,
        depth: usize,
    ) -> Result<Next, Escapes> {
        let Some(Instruction { name, operands, .. }) = self.code.instructions.get(at) else {
            return Err(Escapes);
        };
        let name = match *name {
            "callq" | "retq" | "jmpq" | "pushq" | "popq" | "leaveq" => name.trim_end_matches('q'),
            name => name,
        };
        let step = Execution {
            code: self.code,
            at,
            name,
            operands,
        };
        if name == "ret" {
            uses.returns = true;
            let left = [RAX, RDX, RBX, 12, 13, 14, 15];
            let depends = left.iter().any(|&r| state.whole(r).depends());
            return if depends {
                Err(Escapes)
            } else {
                Ok(Vec::new())
            };
        }
        if name == "call" {
            return self.call(at, operands, state, depth);
        }
        if let Some(condition) = name.strip_prefix('j') {
            let [Operand::Label(label)] = operands.as_slice() else {
                return Err(Escapes);
            };
            let to = *self.code.labels.get(label).ok_or(Escapes)?;
            if !label.starts_with('.') {
                return Err(Escapes);
            }
            if condition == "mp" {
                return Ok(vec![(to, state)]);
            }
            let condition = Condition::named(condition).ok_or(Escapes)?;
            let ways = split(state, condition, uses)?;
            let next = ways.into_iter().flat_map(|(holds, state)| match holds {
                true => vec![(to, state)],
                false => self.behind(at, state),
            });
            return Ok(next.collect());
        }
        if let Some(condition) = name.strip_prefix("set").and_then(Condition::named) {
            let [to] = operands.as_slice() else {
                return Err(Escapes);
            };
            return match state.outcome(condition) {
                Outcome::Unclear => {
                    step.write(&mut state, to, 1, Content::Opaque)?;
                    Ok(self.behind(at, state))
                }
                Outcome::Either => {
                    step.write(&mut state, to, 1, Content::Same)?;
                    Ok(self.behind(at, state))
                }
                _ => self.each(at, split(state, condition, uses)?, |holds, state| {
                    step.write(state, to, 1, Content::Known(holds.into()))
                }),
            };
        }
        if let Some(condition) = name.strip_prefix("cmov") {
            let last = condition
                .get(..condition.len().saturating_sub(1))
                .unwrap_or("");
            let condition = Condition::named(condition).or_else(|| Condition::named(last));
            let (Some(condition), [from, to @ Operand::Register(r)]) =
                (condition, operands.as_slice())
            else {
                return Err(Escapes);
            };
            let (new, old) = (
                step.read(&state, from, r.width)?,
                step.read(&state, to, r.width)?,
            );
            return match state.outcome(condition) {
                Outcome::Unclear => {
                    step.write(&mut state, to, r.width, Content::Opaque)?;
                    Ok(self.behind(at, state))
                }
                _ => self.each(at, split(state, condition, uses)?, |holds, state| {
                    let content = if holds { &new } else { &old };
                    step.write(state, to, r.width, content.clone())
                }),
            };
        }
        step.plain(&mut state)?;
        Ok(self.behind(at, state))
    }

    /// The instruction behind, after doing something in each case.
    fn each(
        &self,
        at: usize,
        ways: Vec<(bool, State)>,
        mut write: impl FnMut(bool, &mut State) -> Result<(), Escapes>,
    ) -> Result<Next, Escapes> {
        let mut next = Vec::new();
        for (holds, mut state) in ways {
            write(holds, &mut state)?;
            next.extend(self.behind(at, state));
        }
        Ok(next)
    }

    fn call(
        &self,
        at: usize,
        operands: &[Operand],
        mut state: State,
        depth: usize,
    ) -> Result<Next, Escapes> {
        let all = [RDI, RSI, RDX, RCX, 8, 9, 10];
        let name = self.code.callee(at);
        let count = name.and_then(|name| self.arguments(name));
        let through =
            name.is_none() && (state.in_registers() || !matches!(operands, [Operand::Other]));
        let passed = &all[..count.unwrap_or(all.len())];
        let passes = |&r: &u8| state.whole(r).depends() && !self.ignores(name, r, depth);
        if through || passed.iter().any(passes) {
            return Err(Escapes);
        }
        let ends = name.is_some_and(|name| self.ends(at, name, &state, depth));
        for r in [RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11] {
            state.clobber(r);
        }
        state.flags = Flags::Same;
        let pad = self.code.catch(at).map_err(|()| Escapes)?;
        let caught = pad.map(|pad| (pad, state.clone()));
        let behind = (!ends).then(|| self.behind(at, state));
        Ok(behind.into_iter().flatten().chain(caught).collect())
    }

    /// How many registers a function may find arguments in, if it is known.
    fn arguments(&self, name: &str) -> Option<usize> {
        let Some(hook) = name.strip_prefix("__tsan_") else {
            let known = ARGUMENTS.iter().find(|(known, _)| *known == name)?;
            return (!(self.own)(name)).then_some(known.1);
        };
        let count = match hook {
            "func_exit" | "init" => 0,
            "func_entry" => 1,
            _ if hook.ends_with("range") => 2,
            _ if hook.contains("read") || hook.contains("write") => 1,
            _ if hook.starts_with("atomic") && hook.ends_with("_load") => 2,
            _ if hook.starts_with("atomic") && hook.ends_with("_store") => 3,
            _ => return None,
        };
        Some(count)
    }

    /// Whether a function makes no use of what it finds in a register.
    fn ignores(&self, name: Option<&str>, register: u8, depth: usize) -> bool {
        let changed = |name: &&str| self.code.weak.contains(name) || OURS.contains(name);
        let entry = name.filter(|name| !changed(name));
        let Some(&entry) = entry.and_then(|name| self.code.labels.get(name)) else {
            return false;
        };
        let known = self.ignoring.borrow().get(&(entry, register)).copied();
        known.unwrap_or_else(|| {
            let mut state = State::new(Ranges::new([(0, 0)]));
            let whole = Register {
                number: register,
                offset: 0,
                width: 8,
            };
            state.set_register(whole, Content::Opaque);
            let ignores = depth < DEPTH
                && (self.follow(vec![(entry, state)], Aim::NoUse, depth + 1)).is_some();
            self.ignoring
                .borrow_mut()
                .insert((entry, register), ignores);
            ignores
        })
    }

    /// Whether a call does not come back.
    fn ends(&self, at: usize, name: &str, state: &State, depth: usize) -> bool {
        let argument = state.whole(RDI);
        match name {
            // These are always ours (`assembly.rs`).
            "reach_error" | "__VERIFIER_error" => return true,
            "__VERIFIER_assume" => {
                return matches!(argument, Content::Known(n) if n & mask(4) == 0);
            }
            _ => {}
        }
        match self.code.labels.get(name) {
            Some(_) if self.code.weak.contains(name) || depth >= DEPTH => false,
            Some(&entry) => !self.returns(entry, &argument, depth),
            None if name == "abort" && self.code.assumes(at) => true,
            None => ENDS.contains(&name) && !(self.own)(name),
        }
    }
}

/// The ways that a condition goes, and the states there. What it asks of the number is noted.
fn split(
    state: State,
    condition: Condition,
    uses: &mut Uses,
) -> Result<Vec<(bool, State)>, Escapes> {
    match state.outcome(condition) {
        Outcome::Unclear => Err(Escapes),
        Outcome::Either => Ok(vec![(true, state.clone()), (false, state)]),
        Outcome::Is(holds) => Ok(vec![(holds, state)]),
        Outcome::For(numbers) => {
            let others = state.numbers.without(&numbers);
            uses.tests.insert(numbers.clone());
            let ways = [
                (true, state.clone().among(&numbers)),
                (false, state.among(&others)),
            ];
            Ok(ways
                .into_iter()
                .filter_map(|(holds, s)| Some((holds, s?)))
                .collect())
        }
    }
}
