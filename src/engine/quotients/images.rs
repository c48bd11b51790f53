//! Questions that tell apart threads which may be exchanged.
//!
//! With threads exchanged, an execution is one of the program again. So a state of which something holds is reached if
//! one is reached of which an image of it holds: the same with other threads of the family named. All images are asked
//! for at once, which tells no threads apart, and an execution to one of them is told with threads exchanged.

use super::forms::{self, Form};
use super::symmetry::indexed;
use crate::engine::Variable;
use crate::engine::interpreter::{State, holds};
use crate::engine::reach::{Move, Path, Question, Sort};
use crate::model::program::{CellId, Expr, Kind, LocId, Program, ThreadId};
use crate::model::text::ast::BinaryOp;
use std::collections::{BTreeMap, BTreeSet};

/// A question has no more images than this.
const MOST: usize = 256;

/// An exchange of two members of a family.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    pub threads: (ThreadId, ThreadId),
    /// The cells of one, with those of the other, both ways.
    pub cells: BTreeMap<CellId, CellId>,
}

impl Exchange {
    pub fn thread(&self, t: ThreadId) -> ThreadId {
        match t {
            t if t == self.threads.0 => self.threads.1,
            t if t == self.threads.1 => self.threads.0,
            t => t,
        }
    }

    pub fn cell(&self, c: CellId) -> CellId {
        self.cells.get(&c).copied().unwrap_or(c)
    }

    /// A thread that something is compared with or owned by; none if negative.
    pub fn owner(&self, t: i64) -> i64 {
        ThreadId::try_from(t).map_or(t, |t| self.thread(t) as i64)
    }

    fn value(&self, p: &Program, cell: CellId, value: i64) -> i64 {
        match p.cells[cell].ty.kind {
            Kind::Owner => self.owner(value),
            _ => value,
        }
    }

    fn state(&self, p: &Program, state: &State) -> State {
        let (old, places) = (state.cells(), state.locations());
        let cell = |c: CellId| self.value(p, c, old[self.cell(c)]);
        let cells: Vec<i64> = (0..old.len()).map(cell).collect();
        let places: Vec<LocId> = (0..places.len()).map(|t| places[self.thread(t)]).collect();
        State::new(&cells, &places)
    }

    fn step(&self, p: &Program, step: &Move) -> Move {
        let after = step.after.iter().map(|(variable, value)| match *variable {
            Variable::Cell(c) => (Variable::Cell(self.cell(c)), self.value(p, c, *value)),
            Variable::Location(t) => (Variable::Location(self.thread(t)), *value),
        });
        Move {
            thread: self.thread(step.thread),
            location: step.location,
            after: after.collect(),
        }
    }
}

/// A question with its images.
#[derive(Clone, Debug)]
pub(super) struct Images {
    /// What holds where it does of one of them, or, of an invariant, of all.
    all: Expr,
    /// The exchanges that lead to each, by number, the first one first.
    words: Vec<Vec<usize>>,
}

impl Images {
    /// Of a question that exchanges change; the error says that there are too many, or that they can't be told.
    pub fn of(p: &Program, q: &Question, exchanges: &[Exchange]) -> Result<Option<Images>, ()> {
        let form = |e: &Expr| Some(Form::of_condition(p, e)?.renamed(&Clone::clone));
        let own = form(&q.expr).ok_or(())?;
        let moves = |c: CellId| exchanges.iter().any(|x| x.cells.contains_key(&c));
        if indexed(p, [&own], &moves).is_some() {
            return Err(());
        }
        let mut seen = BTreeSet::from([own]);
        let mut found = vec![(q.expr.clone(), Vec::new())];
        let mut next = 0;
        while next < found.len() {
            for (n, exchange) in exchanges.iter().enumerate() {
                let (e, word): &(Expr, Vec<usize>) = &found[next];
                let image = forms::exchanged(p, e, exchange);
                if seen.insert(form(&image).ok_or(())?) {
                    found.push((image, [word.as_slice(), &[n]].concat()));
                }
                if found.len() > MOST {
                    return Err(());
                }
            }
            next += 1;
        }
        if found.len() == 1 {
            return Ok(None);
        }
        // The evaluation of one must not keep that of others from being looked at.
        if !forms::is_plain(p, &q.expr) {
            return Err(());
        }
        let op = match q.sort {
            Sort::Invariant => BinaryOp::And,
            Sort::Find | Sort::Deadlock | Sort::Violation => BinaryOp::Or,
        };
        let (all, words): (Vec<Expr>, Vec<Vec<usize>>) = found.into_iter().unzip();
        let joined = |a, b| Expr::Binary(op, Box::new(a), Box::new(b));
        Ok(all
            .into_iter()
            .reduce(joined)
            .map(|all| Images { all, words }))
    }

    /// The question that asks for all images.
    pub fn asked(&self, q: &Question) -> Question {
        Question {
            expr: self.all.clone(),
            ..q.clone()
        }
    }

    /// The execution to a state that the question itself asks for, from one to a state that an image of it does.
    pub fn turned(&self, p: &Program, q: &Question, exchanges: &[Exchange], path: Path) -> Path {
        let end = path.end();
        let wanted = |end: &State| holds(p, &q.expr, end) != (q.sort == Sort::Invariant);
        let turns = |word: &Vec<usize>| {
            let exchanged = |s: State, n: &usize| exchanges[*n].state(p, &s);
            wanted(&word.iter().rev().fold(end.clone(), exchanged))
        };
        let Some(word) = self.words.iter().find(|word| turns(word)) else {
            return path;
        };
        word.iter().rev().fold(path, |path, n| Path {
            first: exchanges[*n].state(p, &path.first),
            moves: path
                .moves
                .iter()
                .map(|m| exchanges[*n].step(p, m))
                .collect(),
            shortest: path.shortest,
        })
    }
}
