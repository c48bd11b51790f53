//! State expressions of a program as words in prefix form: `and eq cell m.owner 0 at worker(1) 2 4 5`.
//!
//! Inferred predicates can say more than the model language can, so that they are not written in it. What is read is
//! held to what the front end guarantees for expressions of a model: indices and references fit, and no number gets too
//! large to compute with.

use crate::model::program::{ArrayId, CellId, Expr, Kind, Program, apply, interval};
use crate::model::text::ast::BinaryOp;
use rustc_hash::FxHashMap;

const OPERATORS: &[(&str, BinaryOp)] = &[
    ("add", BinaryOp::Add),
    ("sub", BinaryOp::Sub),
    ("mul", BinaryOp::Mul),
    ("div", BinaryOp::Div),
    ("rem", BinaryOp::Rem),
    ("bitand", BinaryOp::BitAnd),
    ("bitor", BinaryOp::BitOr),
    ("bitxor", BinaryOp::BitXor),
    ("shl", BinaryOp::Shl),
    ("shr", BinaryOp::Shr),
    ("eq", BinaryOp::Eq),
    ("ne", BinaryOp::Ne),
    ("lt", BinaryOp::Lt),
    ("le", BinaryOp::Le),
    ("gt", BinaryOp::Gt),
    ("ge", BinaryOp::Ge),
    ("and", BinaryOp::And),
    ("or", BinaryOp::Or),
    ("implies", BinaryOp::Implies),
];

/// Deeper expressions are not read, so that recursion over them is safe.
const DEEPEST: usize = 400;
/// Nor do values get larger than this.
const LARGEST: i64 = 1 << 40;

/// Writes an expression; words are set apart by blanks.
pub fn write(program: &Program, e: &Expr, into: &mut String) {
    let mut word = |w: &str| {
        if !into.is_empty() {
            into.push(' ');
        }
        into.push_str(w);
    };
    match e {
        Expr::Const(c) => word(&c.to_string()),
        Expr::Cell(c) => {
            word("cell");
            word(&program.cells[*c].name);
        }
        Expr::Element(array, index) => {
            word("element");
            word(&program.arrays[*array].name);
            index.iter().for_each(|e| write(program, e, into));
        }
        Expr::Via(reference, None) => {
            word("via");
            write(program, reference, into);
        }
        Expr::Via(reference, Some(allocated)) => {
            word("allocated");
            word(&program.arrays[*allocated].name);
            write(program, reference, into);
        }
        Expr::Slot(number, pool) => {
            word("slot");
            word(&pool.to_string());
            write(program, number, into);
        }
        Expr::At(thread, locations) => {
            word("at");
            word(&program.threads[*thread].name);
            word(&locations.len().to_string());
            locations.iter().for_each(|l| word(&l.to_string()));
        }
        Expr::Not(x) => {
            word("not");
            write(program, x, into);
        }
        Expr::Neg(x) => {
            word("neg");
            write(program, x, into);
        }
        Expr::Binary(op, a, b) => {
            let name = OPERATORS.iter().find(|(_, o)| o == op);
            word(name.map_or("eq", |(n, _)| n));
            write(program, a, into);
            write(program, b, into);
        }
        Expr::Cond(c, a, b) => {
            word("if");
            [c, a, b].into_iter().for_each(|x| write(program, x, into));
        }
    }
}

/// Names of a program's parts.
pub struct Names<'p> {
    program: &'p Program,
    /// Cells by name.
    pub cells: FxHashMap<&'p str, CellId>,
    arrays: FxHashMap<&'p str, usize>,
    /// Threads by name.
    pub threads: FxHashMap<&'p str, usize>,
}

impl<'p> Names<'p> {
    /// All names; of two parts of one name the later is found.
    pub fn new(program: &'p Program) -> Self {
        let arrays = program.arrays.iter().enumerate();
        let cells = program.cells.iter().enumerate();
        let threads = program.threads.iter().enumerate();
        Names {
            program,
            cells: cells.map(|(n, c)| (c.name.as_str(), n)).collect(),
            arrays: arrays.map(|(n, a)| (a.name.as_str(), n)).collect(),
            threads: threads.map(|(n, t)| (t.name.as_str(), n)).collect(),
        }
    }
}

/// Reads an expression.
///
/// # Errors
/// What is wrong with it.
pub fn read(names: &Names, text: &str) -> Result<Expr, &'static str> {
    let mut words = text.split(' ').filter(|w| !w.is_empty());
    let (e, _) = expression(names, &mut words, 0)?;
    match words.next() {
        None => Ok(e),
        Some(_) => Err("an expression goes on after its end"),
    }
}

/// The least and the greatest value that an expression may have.
type Span = (i64, i64);

fn expression<'t>(
    names: &Names,
    words: &mut impl Iterator<Item = &'t str>,
    depth: usize,
) -> Result<(Expr, Span), &'static str> {
    if depth > DEEPEST {
        return Err("an expression is nested too deeply");
    }
    let p = names.program;
    let first = words.next().ok_or("an expression is cut off")?;
    if let Ok(c) = first.parse::<i64>() {
        return match (-LARGEST..=LARGEST).contains(&c) {
            true => Ok((Expr::Const(c), (c, c))),
            false => Err("a number is too large"),
        };
    }
    let (e, span) = match first {
        "cell" => {
            let name = words.next().unwrap_or_default();
            let c = *names.cells.get(name).ok_or("there is no such cell")?;
            (Expr::Cell(c), bounds(p, c))
        }
        "element" => {
            let name = words.next().unwrap_or_default();
            let a = *names.arrays.get(name).ok_or("there is no such variable")?;
            let mut index = Vec::new();
            for _ in &p.arrays[a].dims {
                index.push(expression(names, words, depth + 1)?.0);
            }
            let all = p.cells_of(a).map(|c| bounds(p, c));
            let span = all.fold((0, 0), |s, c| (s.0.min(c.0), s.1.max(c.1)));
            (Expr::Element(a, index), span)
        }
        "via" => {
            let reference = expression(names, words, depth + 1)?;
            followed(p, reference, None)?
        }
        "allocated" => {
            let name = words.next().unwrap_or_default();
            let flags = *names.arrays.get(name).ok_or("there is no such variable")?;
            let reference = expression(names, words, depth + 1)?;
            followed(p, reference, Some(flags))?
        }
        "slot" => {
            let pool = words.next().and_then(|w| w.parse::<usize>().ok());
            let pool = pool
                .filter(|n| *n < p.pools.len())
                .ok_or("there is no such pool")?;
            let (number, _) = expression(names, words, depth + 1)?;
            let span = (0, p.pools[pool].len as i64);
            (Expr::Slot(Box::new(number), pool), span)
        }
        "at" => (at(names, words)?, (0, 1)),
        "not" => {
            let (x, span) = expression(names, words, depth + 1)?;
            if span.0 < 0 || span.1 > 1 {
                return Err("the complement of a number");
            }
            (Expr::Not(Box::new(x)), (0, 1))
        }
        "neg" => {
            let (x, (lo, hi)) = expression(names, words, depth + 1)?;
            (Expr::Neg(Box::new(x)), (-hi, -lo))
        }
        "if" => {
            let (c, _) = expression(names, words, depth + 1)?;
            let (a, x) = expression(names, words, depth + 1)?;
            let (b, y) = expression(names, words, depth + 1)?;
            let span = (x.0.min(y.0), x.1.max(y.1));
            (Expr::Cond(Box::new(c), Box::new(a), Box::new(b)), span)
        }
        name => {
            let op = OPERATORS.iter().find(|(n, _)| *n == name);
            let op = op.ok_or("no such operator")?.1;
            let (a, x) = expression(names, words, depth + 1)?;
            let (b, y) = expression(names, words, depth + 1)?;
            let span = combined(op, x, y)?;
            (Expr::Binary(op, Box::new(a), Box::new(b)), span)
        }
    };
    match span.0 >= -LARGEST && span.1 <= LARGEST {
        true => Ok((e, span)),
        false => Err("an expression can get too large"),
    }
}

/// The values of a cell.
fn bounds(program: &Program, cell: CellId) -> Span {
    let ty = &program.cells[cell].ty;
    (ty.lo, ty.hi)
}

/// The slot that a reference names, which these flags say is allocated.
fn followed(
    program: &Program,
    (reference, span): (Expr, Span),
    flags: Option<ArrayId>,
) -> Result<(Expr, Span), &'static str> {
    let ty = match &reference {
        Expr::Cell(c) => Some(program.cells[*c].ty),
        Expr::Element(a, _) => program.cells.get(program.arrays[*a].first).map(|c| c.ty),
        _ => None,
    };
    let Some(Kind::Ref(_)) = ty.map(|t| t.kind) else {
        return Err("what is followed is no reference");
    };
    if flags.is_some_and(|a| (program.arrays[a].len as i64) <= span.1) {
        return Err("a reference does not fit the flags of its pool");
    }
    Ok((Expr::Via(Box::new(reference), flags), span))
}

/// Behind `at`: a thread, how many locations, and these.
fn at<'t>(names: &Names, words: &mut impl Iterator<Item = &'t str>) -> Result<Expr, &'static str> {
    let name = words.next().unwrap_or_default();
    let t = *names.threads.get(name).ok_or("there is no such thread")?;
    let there = names.program.threads[t].locations.len();
    let mut next = || words.next().and_then(|w| w.parse::<usize>().ok());
    let n = next()
        .filter(|n| *n <= there)
        .ok_or("not a number of locations")?;
    let mut all = Vec::new();
    for _ in 0..n {
        let l = next()
            .filter(|l| *l < there)
            .ok_or("there is no such location")?;
        all.push(l);
    }
    all.sort_unstable();
    Ok(Expr::At(t, all))
}

/// The values of an operation on values within these bounds.
fn combined(op: BinaryOp, x: Span, y: Span) -> Result<Span, &'static str> {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
    let most = |s: Span| s.0.abs().max(s.1.abs());
    let bound = |s: Span| {
        (most(s) < 1 << 30)
            .then_some(())
            .ok_or("an expression can get too large")
    };
    Ok(match op {
        Add | Sub | Mul => {
            if op == Mul {
                bound(x)?;
                bound(y)?;
            }
            let ends = [(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)];
            let all = ends.iter().filter_map(|(a, b)| apply(op, *a, *b));
            all.fold((i64::MAX, i64::MIN), |s, v| (s.0.min(v), s.1.max(v)))
        }
        // Euclidean: at most one more than the quotient in size.
        Div => (-most(x) - 1, most(x) + 1),
        Rem => (0, most(y)),
        BitAnd | BitOr | BitXor | Shl | Shr => {
            let wide = |s: Span| (i128::from(s.0), i128::from(s.1));
            let (lo, hi) = interval(op, wide(x), wide(y));
            let fits = |n: i128| i64::try_from(n).map_err(|_| "an expression can get too large");
            (fits(lo)?, fits(hi)?)
        }
        _ => (0, 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::control::ParseLimits;
    use crate::model::Loaded;

    #[test]
    fn operators_are_read_as_they_were_written() {
        let source = "var x: 0..7; var y: -3..7; thread a { skip; }
             invariant e: (x & y) + (x | y) - (x ^ y) * ~x == x >> y && x << (y & 3) > x / y || x % 3 <= y => x != y;";
        let (session, _) =
            Loaded::load("m.cor", source, &[], ParseLimits::default()).expect("no errors");
        let program = session.program();
        let mut text = String::new();
        write(program, &program.properties[0].expr, &mut text);
        let names = Names::new(program);
        assert_eq!(
            read(&names, &text).as_ref(),
            Ok(&program.properties[0].expr)
        );
        for words in ["bitand", "bitor", "bitxor", "shl", "shr"] {
            assert!(text.contains(words), "{text}");
        }
        // The amount may be 7, and the value then too large to compute with.
        assert!(read(&names, "eq 0 shl 1099511627776 cell x").is_err());
        assert!(read(&names, "eq 0 shr 1099511627776 cell y").is_ok());
    }
}
