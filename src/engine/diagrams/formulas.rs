//! Expressions over the levels of a diagram, simplified as values become known.
//!
//! Equal expressions have one number. So all that depends on the same rest of an expression can share its results.
//! An expression is only ever given values from the top of the order down, so what is left of it says what was needed.

use super::table::{Table, mix};
use crate::model::program::{apply, interval};
use crate::model::text::ast::BinaryOp;
use rustc_hash::FxHashMap;

/// An expression.
pub type Formula = u32;

/// The level of what depends on no variable.
pub const NOWHERE: u32 = u32::MAX;

/// False, and the number 0.
pub const NO: Formula = 0;

/// True, and the number 1.
pub const YES: Formula = 1;

/// The form of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number.
    Const(i64),
    /// The value of the variable at a level.
    Var(u32),
    /// An arbitrary value that an action has chosen, by its number among them and its range.
    Chosen(u32),
    /// Boolean complement.
    Not(Formula),
    /// Arithmetic negation.
    Neg(Formula),
    /// An operation. An undefined result counts as 0; whether it is defined is a formula of its own.
    Binary(BinaryOp, Formula, Formula),
    /// `c ? a : b`
    Cond(Formula, Formula, Formula),
}

#[derive(Clone, Copy, Debug)]
struct Known {
    form: Form,
    top: u32,
    lo: i64,
    hi: i64,
}

/// All expressions of one engine.
#[derive(Debug)]
pub struct Formulas {
    all: Vec<Known>,
    table: Table,
    /// Least and greatest value of each level's variable.
    ranges: Vec<(i64, i64)>,
    given: FxHashMap<(Formula, i64), Formula>,
    /// What [`Form::Chosen`] numbers: an action's choice, and its range.
    choices: Vec<(u32, (i64, i64))>,
}

/// Results of substitutions that are remembered at once.
const REMEMBERED: usize = 1 << 20;

impl Formulas {
    /// Expressions over variables with these least and greatest values, from the top.
    pub fn new(ranges: Vec<(i64, i64)>) -> Self {
        let mut formulas = Formulas {
            all: Vec::new(),
            table: Table::default(),
            ranges,
            given: FxHashMap::default(),
            choices: Vec::new(),
        };
        // Number 0 is vacant in tables, so the two are not looked up but known.
        for c in [0, 1] {
            formulas.all.push(Known {
                form: Form::Const(c),
                top: NOWHERE,
                lo: c,
                hi: c,
            });
        }
        formulas
    }

    /// The form of an expression.
    pub fn form(&self, e: Formula) -> Form {
        self.all[e as usize].form
    }

    /// The highest level that it depends on; [`NOWHERE`] if none.
    pub fn top(&self, e: Formula) -> u32 {
        self.all[e as usize].top
    }

    /// A range that its values lie in.
    pub fn range(&self, e: Formula) -> (i64, i64) {
        let known = self.all[e as usize];
        (known.lo, known.hi)
    }

    /// Its value, if it depends on nothing.
    pub fn value(&self, e: Formula) -> Option<i64> {
        match self.form(e) {
            Form::Const(c) => Some(c),
            _ => None,
        }
    }

    /// Least and greatest value of the variable at a level.
    pub fn domain(&self, level: u32) -> (i64, i64) {
        self.ranges[level as usize]
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Known>()
            + self.table.bytes()
            + self.given.capacity() * size_of::<((Formula, i64), Formula, u8)>()
    }

    /// A number.
    pub fn constant(&mut self, c: i64) -> Formula {
        match c {
            0 => NO,
            1 => YES,
            _ => self.intern(Form::Const(c), NOWHERE, c, c),
        }
    }

    /// The variable at a level.
    pub fn var(&mut self, level: u32) -> Formula {
        let (lo, hi) = self.ranges[level as usize];
        if lo == hi {
            return self.constant(lo);
        }
        self.intern(Form::Var(level), level, lo, hi)
    }

    /// The value that an action chooses as its n-th, between `lo` and `hi`. Choices of other ranges are others.
    pub fn chosen(&mut self, n: u32, (lo, hi): (i64, i64)) -> Formula {
        let choice = (n, (lo, hi));
        let known = self.choices.iter().position(|&c| c == choice);
        let number = known.unwrap_or_else(|| {
            self.choices.push(choice);
            self.choices.len() - 1
        });
        self.intern(Form::Chosen(number as u32), NOWHERE, lo, hi)
    }

    /// Boolean complement.
    pub fn not(&mut self, e: Formula) -> Formula {
        use BinaryOp::*;
        match self.form(e) {
            Form::Const(c) => self.constant(i64::from(c == 0)),
            Form::Not(inner) => self.truth(inner),
            Form::Binary(Eq, a, b) => self.binary(Ne, a, b),
            Form::Binary(Ne, a, b) => self.binary(Eq, a, b),
            Form::Binary(Lt, a, b) => self.binary(Ge, a, b),
            Form::Binary(Ge, a, b) => self.binary(Lt, a, b),
            _ => self.intern(Form::Not(e), self.top(e), 0, 1),
        }
    }

    /// Arithmetic negation.
    pub fn neg(&mut self, e: Formula) -> Formula {
        match self.form(e) {
            Form::Const(c) => self.constant(c.wrapping_neg()),
            Form::Neg(inner) => inner,
            _ => {
                let (lo, hi) = self.range(e);
                self.intern(
                    Form::Neg(e),
                    self.top(e),
                    hi.saturating_neg(),
                    lo.saturating_neg(),
                )
            }
        }
    }

    /// `c ? a : b`
    pub fn cond(&mut self, c: Formula, a: Formula, b: Formula) -> Formula {
        match self.form(c) {
            Form::Const(0) => return b,
            Form::Const(_) => return a,
            _ if a == b => return a,
            _ => {}
        }
        if (a, b) == (YES, NO) && self.range(c) == (0, 1) {
            return c;
        }
        let ((la, ha), (lb, hb)) = (self.range(a), self.range(b));
        let top = self.top(c).min(self.top(a)).min(self.top(b));
        self.intern(Form::Cond(c, a, b), top, la.min(lb), ha.max(hb))
    }

    /// All of them.
    pub fn and(&mut self, a: Formula, b: Formula) -> Formula {
        self.binary(BinaryOp::And, a, b)
    }

    /// One of them.
    pub fn or(&mut self, a: Formula, b: Formula) -> Formula {
        self.binary(BinaryOp::Or, a, b)
    }

    /// Whether it has this value.
    pub fn equals(&mut self, e: Formula, value: i64) -> Formula {
        let value = self.constant(value);
        self.binary(BinaryOp::Eq, e, value)
    }

    /// Whether it lies between two values, themselves included.
    pub fn within(&mut self, e: Formula, lo: i64, hi: i64) -> Formula {
        let (lo, hi) = (self.constant(lo), self.constant(hi));
        let above = self.binary(BinaryOp::Ge, e, lo);
        let below = self.binary(BinaryOp::Ge, hi, e);
        self.and(above, below)
    }

    /// Where an operation with this right side is defined.
    pub fn defined(&mut self, op: BinaryOp, right: Formula) -> Formula {
        match op {
            BinaryOp::Div | BinaryOp::Rem => {
                let zero = self.equals(right, 0);
                self.not(zero)
            }
            BinaryOp::Shl | BinaryOp::Shr => self.within(right, 0, 62),
            _ => YES,
        }
    }

    /// An operation on two expressions.
    pub fn binary(&mut self, op: BinaryOp, a: Formula, b: Formula) -> Formula {
        use BinaryOp::*;
        let (va, vb) = (self.value(a), self.value(b));
        if let (Some(x), Some(y)) = (va, vb) {
            return self.constant(folded(op, x, y));
        }
        match op {
            And => match (va, vb) {
                (Some(0), _) | (_, Some(0)) => return NO,
                (Some(_), _) => return self.truth(b),
                (_, Some(_)) => return self.truth(a),
                _ if a == b => return self.truth(a),
                _ => {}
            },
            Or => match (va, vb) {
                (Some(0), _) => return self.truth(b),
                (_, Some(0)) => return self.truth(a),
                (Some(_), _) | (_, Some(_)) => return YES,
                _ if a == b => return self.truth(a),
                _ => {}
            },
            Implies => {
                let not = self.not(a);
                return self.binary(Or, not, b);
            }
            Gt => return self.binary(Lt, b, a),
            Le => return self.binary(Ge, b, a),
            Sub => {
                let minus = self.neg(b);
                return self.binary(Add, a, minus);
            }
            Add | Mul | Eq | Ne | BitAnd | BitOr | BitXor if va.is_some() => {
                return self.binary(op, b, a);
            }
            Add => {
                if vb == Some(0) {
                    return a;
                }
                // Numbers go to the end. So sums are equal if they differ only in the order in which values became
                // known.
                if let Form::Binary(Add, x, c) = self.form(a)
                    && let Some(c) = self.value(c)
                {
                    let (rest, number) = match vb {
                        Some(d) => (x, c.wrapping_add(d)),
                        None => (self.binary(Add, x, b), c),
                    };
                    let number = self.constant(number);
                    return self.binary(Add, rest, number);
                }
                if let Form::Binary(Add, x, c) = self.form(b)
                    && self.value(c).is_some()
                {
                    let rest = self.binary(Add, a, x);
                    return self.binary(Add, rest, c);
                }
            }
            Mul if vb == Some(0) => return NO,
            Mul if vb == Some(1) => return a,
            Eq | Ne | Lt | Ge => {
                if let Some(known) = self.compared(op, a, b) {
                    return known;
                }
            }
            _ => {}
        }
        let (lo, hi) = self.bounds(op, a, b);
        let top = self.top(a).min(self.top(b));
        self.intern(Form::Binary(op, a, b), top, lo, hi)
    }

    /// A comparison that ranges decide, or that becomes a simpler one.
    fn compared(&mut self, op: BinaryOp, a: Formula, b: Formula) -> Option<Formula> {
        use BinaryOp::*;
        let ((la, ha), (lb, hb)) = (self.range(a), self.range(b));
        let answer = match op {
            _ if a == b => Some(matches!(op, Eq | Ge)),
            Eq | Ne if ha < lb || hb < la => Some(op == Ne),
            Lt | Ge if ha < lb => Some(op == Lt),
            Lt | Ge if la >= hb => Some(op == Ge),
            _ => None,
        };
        if let Some(answer) = answer {
            return Some(if answer { YES } else { NO });
        }
        // x + c == d is x == d - c; a Boolean compared with a number is itself or its complement.
        if let (Eq | Ne, Some(d)) = (op, self.value(b)) {
            if (la, ha) == (0, 1) {
                return Some(if (op == Eq) == (d == 1) {
                    self.truth(a)
                } else {
                    self.not(a)
                });
            }
            if let Form::Binary(Add, x, c) = self.form(a)
                && let Some(number) = self.value(c).and_then(|c| d.checked_sub(c))
            {
                let number = self.constant(number);
                return Some(self.binary(op, x, number));
            }
        }
        None
    }

    /// Whether it is not 0, as 0 or 1.
    fn truth(&mut self, e: Formula) -> Formula {
        match self.range(e) {
            (lo, hi) if lo >= 0 && hi <= 1 => e,
            _ => {
                let not = self.intern(Form::Not(e), self.top(e), 0, 1);
                self.intern(Form::Not(not), self.top(e), 0, 1)
            }
        }
    }

    fn bounds(&self, op: BinaryOp, a: Formula, b: Formula) -> (i64, i64) {
        use BinaryOp::*;
        let ((la, ha), (lb, hb)) = (self.range(a), self.range(b));
        match op {
            Add => (la.saturating_add(lb), ha.saturating_add(hb)),
            Mul => {
                let all =
                    [(la, lb), (la, hb), (ha, lb), (ha, hb)].map(|(x, y)| x.saturating_mul(y));
                let least = all.iter().copied().min().unwrap_or(i64::MIN);
                (least, all.iter().copied().max().unwrap_or(i64::MAX))
            }
            // The remainder is never negative and smaller than the divisor, also for undefined ones.
            Rem if lb > 0 => (0, hb - 1),
            Div if lb > 0 && la >= 0 => (0, ha),
            Eq | Ne | Lt | Le | Gt | Ge | And | Or | Implies => (0, 1),
            BitAnd | BitOr | BitXor | Shl | Shr => {
                let wide = |(lo, hi): (i64, i64)| (i128::from(lo), i128::from(hi));
                let (lo, hi) = interval(op, wide((la, ha)), wide((lb, hb)));
                let narrow = |n: i128| n.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
                // An undefined shift counts as 0.
                (narrow(lo.min(0)), narrow(hi.max(0)))
            }
            _ => (i64::MIN, i64::MAX),
        }
    }

    fn intern(&mut self, form: Form, top: u32, lo: i64, hi: i64) -> Formula {
        let hash = hash(form);
        let all = &self.all;
        if let Some(found) = self.table.find(hash, |n| all[n as usize].form == form) {
            return found;
        }
        let number = self.all.len() as Formula;
        self.all.push(Known { form, top, lo, hi });
        self.table.insert(hash, number);
        number
    }

    /// What is left of an expression when the variable of its own top level has this value.
    pub fn given(&mut self, e: Formula, level: u32, value: i64) -> Formula {
        if self.top(e) != level {
            return e;
        }
        if let Form::Var(_) = self.form(e) {
            return self.constant(value);
        }
        if let Some(&known) = self.given.get(&(e, value)) {
            return known;
        }
        let result = match self.form(e) {
            Form::Const(_) | Form::Var(_) | Form::Chosen(_) => e,
            Form::Not(x) => {
                let x = self.given(x, level, value);
                self.not(x)
            }
            Form::Neg(x) => {
                let x = self.given(x, level, value);
                self.neg(x)
            }
            Form::Binary(op, a, b) => {
                let a = self.given(a, level, value);
                let b = self.given(b, level, value);
                self.binary(op, a, b)
            }
            Form::Cond(c, a, b) => match self.given(c, level, value) {
                NO => self.given(b, level, value),
                YES => self.given(a, level, value),
                c => {
                    let a = self.given(a, level, value);
                    let b = self.given(b, level, value);
                    self.cond(c, a, b)
                }
            },
        };
        if self.given.len() >= REMEMBERED {
            self.given.clear();
        }
        self.given.insert((e, value), result);
        result
    }

    /// Calls `f` with every level that an expression depends on, some perhaps more than once.
    pub fn levels(&self, e: Formula, f: &mut impl FnMut(u32)) {
        if self.top(e) == NOWHERE {
            return;
        }
        let mut seen: rustc_hash::FxHashSet<Formula> = rustc_hash::FxHashSet::default();
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if self.top(e) == NOWHERE || !seen.insert(e) {
                continue;
            }
            match self.form(e) {
                Form::Const(_) | Form::Chosen(_) => {}
                Form::Var(level) => f(level),
                Form::Not(x) | Form::Neg(x) => stack.push(x),
                Form::Binary(_, a, b) => stack.extend([a, b]),
                Form::Cond(c, a, b) => stack.extend([c, a, b]),
            }
        }
    }

    /// Whether a chosen value stands in an expression.
    pub fn has_choice(&self, e: Formula) -> bool {
        match self.form(e) {
            Form::Const(_) | Form::Var(_) => false,
            Form::Chosen(_) => true,
            Form::Not(x) | Form::Neg(x) => self.has_choice(x),
            Form::Binary(_, a, b) => self.has_choice(a) || self.has_choice(b),
            Form::Cond(c, a, b) => self.has_choice(c) || self.has_choice(a) || self.has_choice(b),
        }
    }
}

/// A result that is defined, or 0. Sums and products of what types allow cannot overflow in defined places.
fn folded(op: BinaryOp, x: i64, y: i64) -> i64 {
    match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Sub => x.wrapping_sub(y),
        BinaryOp::Mul => x.wrapping_mul(y),
        _ => apply(op, x, y).unwrap_or(0),
    }
}

fn hash(form: Form) -> u64 {
    let pair = |a: Formula, b: Formula| u64::from(a) << 32 | u64::from(b);
    match form {
        Form::Const(c) => mix(c as u64),
        Form::Var(level) => mix(1 << 40 | u64::from(level)),
        Form::Chosen(n) => mix(2 << 40 | u64::from(n)),
        Form::Not(x) => mix(3 << 40 | u64::from(x)),
        Form::Neg(x) => mix(4 << 40 | u64::from(x)),
        Form::Binary(op, a, b) => mix(mix(pair(a, b)) ^ op as u64),
        Form::Cond(c, a, b) => mix(mix(pair(a, b)) ^ mix(5 << 40 | u64::from(c))),
    }
}
