//! Conditions that may matter to an action, in the terms of its thread.
//!
//! They speak of the locks of the thread, and compare what the action uses: two variables, or one with null, zero, its
//! initial value, or a constant that stands in the statement. They are not about values that the model has no word for,
//! so they do not depend on how large its types are.

use super::MoverSearch;
use crate::base::results::Condition;
use crate::engine::relations::Encoding;
use crate::model::program::{CellId, Expr, Kind, NO_OWNER, NULL, Program, ThreadId, each_use};
use crate::model::text::ast::BinaryOp;
use crate::theorem::inference::lock_name;

/// Conditions tried for an action.
const TRIED: usize = 80;

/// A condition, and the ways in which the thread may say it.
pub(super) type Candidate = (Vec<Condition>, Expr);

/// A variable or a value.
#[derive(Clone)]
struct Operand {
    /// What the thread may call it.
    names: Vec<String>,
    expr: Expr,
    kind: Kind,
    /// Whether it matters what is less than it.
    ordered: bool,
}

/// Comparisons; of two that say the same of the states at hand, the first is told.
const COMPARED: [(BinaryOp, &str); 6] = [
    (BinaryOp::Eq, "=="),
    (BinaryOp::Ne, "!="),
    (BinaryOp::Le, "<="),
    (BinaryOp::Ge, ">="),
    (BinaryOp::Lt, "<"),
    (BinaryOp::Gt, ">"),
];

/// The first of them, which are for all kinds.
const EQUALITIES: usize = 2;

impl MoverSearch<'_, '_> {
    /// Conditions that may matter to an action: on the locks of its thread, then on what it uses.
    pub(super) fn candidates(&self, n: usize) -> Vec<Candidate> {
        let (action, p) = (&self.e.actions[n], self.e.program);
        let me = action.thread;
        let statement = Statement::new(self.e, n);
        let used = |c: &CellId| statement.cells.contains(c);
        let mut all: Vec<Candidate> = Vec::new();
        let mut add = |told: Vec<Condition>, expr: Expr| match all
            .iter_mut()
            .find(|(_, known)| *known == expr)
        {
            Some((known, _)) => known.extend(told),
            None => all.push((told, expr)),
        };
        for (c, cell) in p.cells.iter().enumerate() {
            if cell.ty.kind == Kind::Owner {
                let locks = || statement.called(&lock_name(p, c), c).into_iter();
                let holds = compared(BinaryOp::Eq, &Expr::Cell(c), &Expr::Const(me as i64));
                add(locks().map(Condition::Holds).collect(), holds);
                if used(&c) {
                    let free = compared(BinaryOp::Eq, &Expr::Cell(c), &Expr::Const(NO_OWNER));
                    add(locks().map(Condition::Free).collect(), free);
                }
            }
        }
        for x in p.protections.iter().filter(|x| used(&x.cell)) {
            let names = statement.called(&p.cells[x.cell].name, x.cell).into_iter();
            let told = names.map(Condition::Access).collect();
            add(told, x.predicates[me].clone());
        }
        let variables = statement.variables();
        for (n, v) in variables.iter().enumerate() {
            if v.kind == Kind::Bool {
                let told = |sign: &str| {
                    let names = v.names.iter();
                    let told = names.map(|name| Condition::Expression(format!("{sign}{name}")));
                    told.collect::<Vec<Condition>>()
                };
                add(told(""), v.expr.clone());
                add(told("!"), Expr::Not(Box::new(v.expr.clone())));
                continue;
            }
            let values = statement.values(v);
            for other in values.iter().chain(&variables[n + 1..]) {
                if other.kind != v.kind {
                    continue;
                }
                let ops: &[(BinaryOp, &str)] = match other.ordered {
                    true => &COMPARED,
                    false => &COMPARED[..EQUALITIES],
                };
                for (op, sign) in ops {
                    let pairs = v
                        .names
                        .iter()
                        .flat_map(|a| other.names.iter().map(move |b| format!("{a} {sign} {b}")));
                    let told = pairs.map(Condition::Expression).collect();
                    add(told, compared(*op, &v.expr, &other.expr));
                }
            }
        }
        all.truncate(TRIED);
        all
    }
}

fn compared(op: BinaryOp, a: &Expr, b: &Expr) -> Expr {
    Expr::Binary(op, Box::new(a.clone()), Box::new(b.clone()))
}

/// What the statement of an action says.
struct Statement<'p> {
    program: &'p Program,
    thread: ThreadId,
    /// Its words; of a compound statement those of its head.
    words: Vec<&'p str>,
    /// The cells that it uses.
    cells: Vec<CellId>,
    /// The elements of arrays that it uses, where the index is a variable.
    elements: Vec<(usize, CellId)>,
}

impl<'p> Statement<'p> {
    fn new(e: &Encoding<'p>, n: usize) -> Self {
        let (program, thread) = (e.program, e.actions[n].thread);
        let location = &program.threads[thread].locations[e.actions[n].location];
        let (mut cells, mut elements) = (Vec::new(), Vec::new());
        for edge in &location.edges {
            each_use(program, edge, &mut |u| match u.index {
                [] if u.cells.len() == 1 => cells.push(u.cells.start),
                [Expr::Cell(index)] => {
                    elements.push((program.cells[u.cells.start].array, *index));
                }
                _ => {}
            });
        }
        cells.sort_unstable();
        cells.dedup();
        elements.sort_unstable();
        elements.dedup();
        let (start, end) = (location.span.start, location.span.end);
        let text = program.source.get(start..end).unwrap_or_default();
        Statement {
            program,
            thread,
            words: words(text).collect(),
            cells,
            elements,
        }
    }

    /// What the thread may call a cell: its own index may stand for a parameter.
    fn called(&self, name: &str, cell: CellId) -> Vec<String> {
        let thread = &self.program.threads[self.thread];
        let own = format!("{}.", thread.name);
        let plain = name.strip_prefix(&own).unwrap_or(name).to_string();
        let mut names = Vec::new();
        if let (Some(parameter), Some(index)) = (&thread.parameter, thread.index)
            && self
                .program
                .indices(cell)
                .iter()
                .any(|&i| i as i64 == index)
        {
            let (here, there) = (format!("[{index}]"), format!("[{parameter}]"));
            names.push(plain.replace(&here, &there));
        }
        names.push(plain);
        names.dedup();
        names
    }

    fn variables(&self) -> Vec<Operand> {
        let p = self.program;
        let cells = self.cells.iter().map(|&c| Operand {
            names: self.called(&p.cells[c].name, c),
            expr: Expr::Cell(c),
            kind: p.cells[c].ty.kind,
            ordered: p.cells[c].ty.kind == Kind::Int,
        });
        let elements = self.elements.iter().flat_map(|&(array, index)| {
            let first = p.cells_of(array).start;
            let own = format!("{}.", p.threads[self.thread].name);
            let array_name = p.arrays[array].name.strip_prefix(&own);
            let array_name = array_name.unwrap_or(&p.arrays[array].name);
            let names = self.called(&p.cells[index].name, index).into_iter();
            let plain = !p.cells[first].name.contains("].");
            plain.then(|| Operand {
                names: names.map(|i| format!("{array_name}[{i}]")).collect(),
                expr: Expr::Element(array, vec![Expr::Cell(index)]),
                kind: p.cells[first].ty.kind,
                ordered: p.cells[first].ty.kind == Kind::Int,
            })
        });
        let all = cells.chain(elements);
        all.filter(|v| v.kind != Kind::Owner).collect()
    }

    /// Values of a variable's kind that the statement has a word for, zero or null, and the initial value.
    fn values(&self, v: &Operand) -> Vec<Operand> {
        let p = self.program;
        let value = |name: &str, value: i64| Operand {
            names: vec![name.to_string()],
            expr: Expr::Const(value),
            kind: v.kind,
            // A number such as 1 is more often added than a bound.
            ordered: v.ordered && (value == 0 || name.parse::<i64>().is_err()),
        };
        let mut all = Vec::new();
        match v.kind {
            Kind::Int => all.push(value("0", 0)),
            Kind::Ref(_) => all.push(value("null", NULL)),
            _ => {}
        }
        let initial = match &v.expr {
            Expr::Cell(c) => self.initial_words(*c),
            _ => Vec::new(),
        };
        for word in self.words.iter().copied().chain(initial) {
            if let Some(known) = self.value(word, v.kind) {
                all.push(value(word, known));
            }
        }
        // Those that are of the type.
        let array = match &v.expr {
            Expr::Cell(c) => p.cells[*c].array,
            Expr::Element(array, _) => *array,
            _ => return all,
        };
        let ty = p.cells[p.arrays[array].first].ty;
        all.retain(|o| matches!(o.expr, Expr::Const(value) if ty.contains(value)));
        all
    }

    /// The value of this kind that a word stands for.
    fn value(&self, word: &str, kind: Kind) -> Option<i64> {
        let thread = &self.program.threads[self.thread];
        match kind {
            Kind::Int => {
                if thread.parameter.as_deref() == Some(word) {
                    return thread.index;
                }
                let mut constants = self.program.constants.iter();
                let constant = constants.find(|(name, kind, _)| name == word && *kind == Kind::Int);
                constant
                    .map(|(.., value)| *value)
                    .or_else(|| word.parse().ok())
            }
            Kind::Enum(e) => {
                let mut variants = self.program.enums[e].variants.iter();
                variants.position(|v| v == word).map(|n| n as i64)
            }
            _ => None,
        }
    }

    /// The word for a variable's initial value, if it is one word.
    fn initial_words(&self, cell: CellId) -> Vec<&'p str> {
        let (p, array) = (
            self.program,
            &self.program.arrays[self.program.cells[cell].array],
        );
        let rest = p.source.get(array.span.end..).unwrap_or_default();
        let rest = rest.split([';', '}']).next().unwrap_or_default();
        let given = rest.split_once('=').map(|(_, given)| given.trim());
        let mut words = given.unwrap_or_default().split_whitespace();
        let word = words.next();
        let alone = words
            .next()
            .is_none_or(|next| ["protected", "unprotected"].contains(&next));
        let value = word.and_then(|w| self.value(w, p.cells[cell].ty.kind));
        match (word, alone && value == p.cells[cell].initial) {
            (Some(word), true) => vec![word],
            _ => Vec::new(),
        }
    }
}

/// The names and numbers in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let outside = |c: char| !(c.is_alphanumeric() || c == '_');
    text.split(outside).filter(|w| !w.is_empty())
}
