//! From statements to locations: `docs/language.md`, section "Steps".
//!
//! A statement is compiled backwards: given the location behind it, it yields the location before it. Constant
//! conditions vanish, `either` merges the first actions of its branches, and locations that no path reaches are dropped.

use std::collections::BTreeMap;

use super::ast::{Expr, Op, Program, Stmt, StmtKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Loc {
    At(usize),
    End,
    Wrong,
}

/// The control-flow graph of one thread.
#[derive(Clone, Debug)]
pub struct Graph {
    pub entry: Loc,
    pub locations: Vec<Location>,
    pub labels: BTreeMap<String, Loc>,
    /// Whether some path reaches the end of the body.
    pub ends: bool,
}

/// A location; all its commands together are one action.
#[derive(Clone, Debug)]
pub struct Location {
    /// Of its statement; for an `either`, of its first action.
    pub line: usize,
    pub commands: Vec<Command>,
}

#[derive(Clone, Debug)]
pub enum Command {
    /// A single action, or an `atomic` block.
    Act { stmt: Stmt, next: Loc },
    /// The condition of an `if` or a `while`.
    Test {
        condition: Expr,
        then: Loc,
        otherwise: Loc,
    },
}

impl Command {
    fn targets(&self) -> Vec<Loc> {
        match self {
            Command::Act { next, .. } => vec![*next],
            Command::Test {
                then, otherwise, ..
            } => vec![*then, *otherwise],
        }
    }
}

/// What is constant in the statements of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// The thread's number, `self`.
    pub thread: i64,
    /// The family's index, `i`.
    pub index: i64,
}

/// The value of a constant expression.
pub fn constant(expr: &Expr, constants: Constants) -> Option<i64> {
    let value = |operand: &Expr| constant(operand, constants);
    match expr {
        Expr::Int(value) | Expr::Tone(value) => Some(*value),
        Expr::Bool(value) => Some(i64::from(*value)),
        Expr::Thread(number) => Some(*number as i64),
        Expr::Self_ => Some(constants.thread),
        Expr::Index => Some(constants.index),
        Expr::Not(operand) => Some(1 - value(operand)?),
        Expr::Binary(op, left, right) => match (decided_by(*op), value(left)?) {
            (Some((decisive, result)), left) if left == decisive => Some(result),
            (Some(_), _) => value(right),
            (None, left) => apply(*op, left, value(right)?),
        },
        Expr::Choose(condition, then, otherwise) => match value(condition)? {
            1 => value(then),
            _ => value(otherwise),
        },
        Expr::Nobody | Expr::Parameter | Expr::Read(_) | Expr::Owner(_) | Expr::At(..) => None,
    }
}

/// For an operator that need not evaluate its right side: the left value that decides, and the result it gives.
pub fn decided_by(op: Op) -> Option<(i64, i64)> {
    match op {
        Op::And => Some((0, 0)),
        Op::Or => Some((1, 1)),
        Op::Implies => Some((0, 1)),
        _ => None,
    }
}

/// A strict operator on values; `None` is a division by zero.
pub fn apply(op: Op, left: i64, right: i64) -> Option<i64> {
    match op {
        Op::Add => Some(left + right),
        Op::Sub => Some(left - right),
        Op::Mul => Some(left * right),
        Op::Div => left.checked_div_euclid(right),
        Op::Rem => left.checked_rem_euclid(right),
        Op::Eq => Some(i64::from(left == right)),
        Op::Ne => Some(i64::from(left != right)),
        Op::Lt => Some(i64::from(left < right)),
        Op::Le => Some(i64::from(left <= right)),
        Op::And | Op::Or | Op::Implies => unreachable!("evaluated from the left"),
    }
}

/// The graph of one thread.
pub fn compile(program: &Program, thread: usize) -> Graph {
    let numbered = program.threads()[thread];
    let constants = Constants {
        thread: thread as i64,
        index: numbered.index,
    };
    let mut builder = Builder {
        constants,
        locations: Vec::new(),
        labels: BTreeMap::new(),
        joins: BTreeMap::new(),
    };
    let entry = builder.block(&program.families[numbered.family].body, Loc::End);
    builder.finish(entry)
}

struct Builder {
    constants: Constants,
    locations: Vec<Location>,
    labels: BTreeMap<String, Loc>,
    /// The ends of `while (true)` bodies, which are their beginnings.
    joins: BTreeMap<Loc, Loc>,
}

impl Builder {
    fn fresh(&mut self, line: usize, commands: Vec<Command>) -> Loc {
        self.locations.push(Location { line, commands });
        Loc::At(self.locations.len() - 1)
    }

    fn block(&mut self, block: &[Stmt], next: Loc) -> Loc {
        block
            .iter()
            .rev()
            .fold(next, |next, stmt| self.stmt(stmt, next))
    }

    fn stmt(&mut self, stmt: &Stmt, next: Loc) -> Loc {
        let before = self.unlabelled(stmt, next);
        for label in &stmt.labels {
            self.labels.insert(label.clone(), before);
        }
        before
    }

    fn unlabelled(&mut self, stmt: &Stmt, next: Loc) -> Loc {
        match &stmt.kind {
            StmtKind::If(condition, then, otherwise) => match constant(condition, self.constants) {
                Some(value) => self.block(if value == 1 { then } else { otherwise }, next),
                None => {
                    let then = self.block(then, next);
                    let otherwise = self.block(otherwise, next);
                    self.fresh(
                        stmt.line,
                        vec![Command::Test {
                            condition: condition.clone(),
                            then,
                            otherwise,
                        }],
                    )
                }
            },
            StmtKind::While(condition, body) => match constant(condition, self.constants) {
                Some(0) => next,
                Some(_) => {
                    let join = self.fresh(stmt.line, Vec::new());
                    let entry = self.block(body, join);
                    assert_ne!(entry, join, "the body of `while (true)` has no action");
                    self.joins.insert(join, entry);
                    entry
                }
                None => {
                    let head = self.fresh(stmt.line, Vec::new());
                    let then = self.block(body, head);
                    let test = Command::Test {
                        condition: condition.clone(),
                        then,
                        otherwise: next,
                    };
                    self.location(head).commands.push(test);
                    head
                }
            },
            StmtKind::Either(branches) => {
                let mut commands = Vec::new();
                let mut lines = Vec::new();
                for branch in branches {
                    assert!(
                        !branch.is_empty(),
                        "the model language allows it, the twin does not"
                    );
                    let entry = self.block(branch, next);
                    assert_ne!(entry, next, "a branch without an action");
                    let first = self.location(entry);
                    lines.push(first.line);
                    commands.append(&mut first.commands.clone());
                }
                self.fresh(lines[0], commands)
            }
            _ => self.fresh(
                stmt.line,
                vec![Command::Act {
                    stmt: stmt.clone(),
                    next,
                }],
            ),
        }
    }

    fn location(&mut self, location: Loc) -> &mut Location {
        match location {
            Loc::At(number) => &mut self.locations[number],
            Loc::End | Loc::Wrong => unreachable!("has no commands"),
        }
    }

    /// Replaces joins and keeps the locations that a path from the entry reaches.
    fn finish(mut self, entry: Loc) -> Graph {
        let joins = self.joins.clone();
        let real = |mut location: Loc| {
            while let Some(entry) = joins.get(&location) {
                location = *entry;
            }
            location
        };
        for location in &mut self.locations {
            for command in &mut location.commands {
                *command = redirect(command, real);
            }
        }
        let mut kept = vec![real(entry)];
        let mut next = 0;
        while let Some(&location) = kept.get(next) {
            next += 1;
            let Loc::At(number) = location else { continue };
            for target in self.locations[number]
                .commands
                .iter()
                .flat_map(Command::targets)
            {
                if !kept.contains(&target) {
                    kept.push(target);
                }
            }
        }
        let ends = kept.contains(&Loc::End);
        kept.retain(|location| *location != Loc::End);
        let renumbered = |location: Loc| match kept.iter().position(|kept| *kept == location) {
            Some(number) => Loc::At(number),
            None => location,
        };
        let mut locations = Vec::new();
        for location in &kept {
            let Location { line, commands } = self.location(*location).clone();
            let commands = commands
                .iter()
                .map(|command| redirect(command, renumbered))
                .collect();
            locations.push(Location { line, commands });
        }
        let labels = self.labels.iter().filter_map(|(label, location)| {
            let location = real(*location);
            (location == Loc::End || kept.contains(&location))
                .then(|| (label.clone(), renumbered(location)))
        });
        Graph {
            entry: renumbered(real(entry)),
            locations,
            labels: labels.collect(),
            ends,
        }
    }
}

fn redirect(command: &Command, to: impl Fn(Loc) -> Loc) -> Command {
    match command {
        Command::Act { stmt, next } => Command::Act {
            stmt: stmt.clone(),
            next: to(*next),
        },
        Command::Test {
            condition,
            then,
            otherwise,
        } => Command::Test {
            condition: condition.clone(),
            then: to(*then),
            otherwise: to(*otherwise),
        },
    }
}
