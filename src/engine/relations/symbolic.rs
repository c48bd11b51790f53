//! Symbolic execution of one edge: what it writes, where it goes, where it fails and what it accesses, as
//! functions of the state before it and of choice bits.
//!
//! Paths are merged as they join: a value written on one path only is an if-then-else over the path's condition.
//! The order of evaluation is the interpreter's, so that failures and accesses agree with it.

use super::bdds::Bdds;
use super::bits::Bits;
use super::layout::{Group, Layout, before, middle};
use super::predicates::{code, valid};
use crate::base::control::Stop;
use crate::model::program::{ArrayId, CellId, Command, Expr, LocId, Program, Target};
use crate::model::text::ast::BinaryOp;
use biodivine_lib_bdd::Bdd;
use std::collections::{BTreeMap, BTreeSet};

/// The state of a symbolic execution.
pub(super) struct Symbolic<'a> {
    program: &'a Program,
    layout: &'a Layout,
    m: &'a Bdds<'a>,
    /// Cells written so far.
    pub values: BTreeMap<CellId, Bits>,
    /// Where control goes on to each location.
    pub goes: BTreeMap<LocId, Bdd>,
    /// Where the step fails.
    pub fails: Bdd,
    /// Where each cell is read or written.
    pub accesses: BTreeMap<CellId, Bdd>,
    /// Where each cell is written.
    pub writes: BTreeMap<CellId, Bdd>,
    /// Cells whose middle copy is in use as an arbitrary value.
    arbitrary: BTreeSet<CellId>,
    /// Choice bits in use.
    pub choices: usize,
}

impl<'a> Symbolic<'a> {
    pub fn new(program: &'a Program, layout: &'a Layout, m: &'a Bdds<'a>) -> Self {
        Symbolic {
            program,
            layout,
            m,
            values: BTreeMap::new(),
            goes: BTreeMap::new(),
            fails: m.no(),
            accesses: BTreeMap::new(),
            writes: BTreeMap::new(),
            arbitrary: BTreeSet::new(),
            choices: 0,
        }
    }

    /// The value of an expression on `path`, which loses the part on which the evaluation fails.
    pub fn eval(&mut self, e: &Expr, path: &mut Bdd) -> Result<Bits, Stop> {
        let m = self.m;
        match e {
            Expr::Const(c) => Ok(Bits::constant(m, *c)),
            Expr::Cell(c) => {
                self.access(*c, path)?;
                self.value(*c)
            }
            Expr::Element(array, index) => {
                let cases = self.cases(*array, index, path)?;
                let mut result = Bits::constant(m, 0);
                for (cell, here) in cases {
                    self.access(cell, &m.and(path, &here)?)?;
                    result = self.value(cell)?.choose(&here, &result, m)?;
                }
                Ok(result)
            }
            Expr::Via(reference, allocated) => {
                let slot = self.eval(reference, path)?;
                let valid = slot.less(&Bits::constant(m, 0), m)?.not();
                self.fail_outside(path, &valid)?;
                if let Some(allocated) = allocated {
                    let a = &self.program.arrays[*allocated];
                    let mut live = m.no();
                    for k in 0..a.len {
                        let here = slot.equal(&Bits::constant(m, k as i64), m)?;
                        let flag = self.value(a.first + k)?.truth(m)?;
                        live = m.or(&live, &m.and(&here, &flag)?)?;
                    }
                    self.fail_outside(path, &live)?;
                }
                Ok(slot)
            }
            Expr::Slot(number, pool) => {
                let slot = self.eval(number, path)?;
                let len = self.program.pools[*pool].len as i64;
                let low = slot.less(&Bits::constant(m, 0), m)?.not();
                let valid = m.and(&low, &slot.less(&Bits::constant(m, len), m)?)?;
                self.fail_outside(path, &valid)?;
                Ok(slot)
            }
            Expr::At(thread, locations) => {
                let group = self.layout.location(*thread);
                let mut any = m.no();
                for &l in locations {
                    any = m.or(&any, &code(m, group, l as u64))?;
                }
                Ok(Bits::boolean(m, any))
            }
            Expr::Not(e) => {
                let value = self.truth(e, path)?;
                Ok(Bits::boolean(m, value.not()))
            }
            Expr::Neg(e) => self.eval(e, path)?.neg(m),
            Expr::Binary(op, a, b) => self.binary(*op, a, b, path),
            Expr::Cond(c, a, b) => {
                let c = self.truth(c, path)?;
                let mut yes = m.and(path, &c)?;
                let mut no = m.and_not(path, &c)?;
                let (va, vb) = (self.eval(a, &mut yes)?, self.eval(b, &mut no)?);
                *path = m.or(&yes, &no)?;
                va.choose(&c, &vb, m)
            }
        }
    }

    fn truth(&mut self, e: &Expr, path: &mut Bdd) -> Result<Bdd, Stop> {
        let m = self.m;
        self.eval(e, path)?.truth(m)
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, path: &mut Bdd) -> Result<Bits, Stop> {
        use BinaryOp::*;
        let m = self.m;
        if let And | Or | Implies = op {
            let va = self.truth(a, path)?;
            let goes_on = if op == Or { va.not() } else { va.clone() };
            let mut on = m.and(path, &goes_on)?;
            let off = m.and_not(path, &goes_on)?;
            let vb = self.truth(b, &mut on)?;
            *path = m.or(&on, &off)?;
            let value = match op {
                And => m.and(&va, &vb)?,
                Or => m.or(&va, &vb)?,
                _ => m.or(&va.not(), &vb)?,
            };
            return Ok(Bits::boolean(m, value));
        }
        let va = self.eval(a, path)?;
        let vb = self.eval(b, path)?;
        Ok(match op {
            Add => va.add(&vb, m)?,
            Sub => va.sub(&vb, m)?,
            Mul => va.mul(&vb, m)?,
            Div | Rem => {
                let defined = vb.truth(m)?;
                self.fail_outside(path, &defined)?;
                let (quotient, rest) = va.div_rem(&vb, m)?;
                if op == Div { quotient } else { rest }
            }
            BitAnd => va.bitwise(&vb, m, Bdds::and)?,
            BitOr => va.bitwise(&vb, m, Bdds::or)?,
            BitXor => va.bitwise(&vb, m, Bdds::xor)?,
            Shl | Shr => {
                let defined = vb.within(0, 62, m)?;
                self.fail_outside(path, &defined)?;
                if op == Shl {
                    va.shl(&vb, m)?
                } else {
                    va.shr(&vb, m)?
                }
            }
            Eq => Bits::boolean(m, va.equal(&vb, m)?),
            Ne => Bits::boolean(m, va.equal(&vb, m)?.not()),
            Lt => Bits::boolean(m, va.less(&vb, m)?),
            Ge => Bits::boolean(m, va.less(&vb, m)?.not()),
            Gt => Bits::boolean(m, vb.less(&va, m)?),
            Le | And | Or | Implies => Bits::boolean(m, vb.less(&va, m)?.not()),
        })
    }

    fn fail_outside(&mut self, path: &mut Bdd, defined: &Bdd) -> Result<(), Stop> {
        self.fails = self.m.or(&self.fails, &self.m.and_not(path, defined)?)?;
        *path = self.m.and(path, defined)?;
        Ok(())
    }

    fn access(&mut self, cell: CellId, path: &Bdd) -> Result<(), Stop> {
        let entry = self.accesses.entry(cell).or_insert_with(|| self.m.no());
        *entry = self.m.or(entry, path)?;
        Ok(())
    }

    /// The present value of a cell.
    fn value(&self, cell: CellId) -> Result<Bits, Stop> {
        match self.values.get(&cell) {
            Some(value) => Ok(value.clone()),
            None => self.stored(cell, before),
        }
    }

    /// The value that a copy of a cell's bits stands for.
    fn stored(&self, cell: CellId, level: fn(super::layout::Bit) -> usize) -> Result<Bits, Stop> {
        let m = self.m;
        let raw = Bits::unsigned(m, self.layout.cell(cell).bits().map(|b| m.var(level(b))));
        match self.program.cells[cell].ty.lo {
            0 => Ok(raw),
            lo => raw.add(&Bits::constant(m, lo), m),
        }
    }

    /// The cells that an index may select, each with its condition; `path` keeps what lies inside the array.
    fn cases(
        &mut self,
        array: ArrayId,
        index: &[Expr],
        path: &mut Bdd,
    ) -> Result<Vec<(CellId, Bdd)>, Stop> {
        let m = self.m;
        let mut values = Vec::new();
        for e in index {
            values.push(self.eval(e, path)?);
        }
        let a = &self.program.arrays[array];
        let mut cases = vec![(0usize, m.yes())];
        for (value, &d) in values.iter().zip(&a.dims) {
            let mut next = Vec::new();
            for i in 0..d {
                let here = value.equal(&Bits::constant(m, i as i64), m)?;
                if m.disjoint(&here, path) {
                    continue;
                }
                for (offset, condition) in &cases {
                    let both = m.and(condition, &here)?;
                    if !both.is_false() {
                        next.push((offset * d + i, both));
                    }
                }
            }
            cases = next;
        }
        let mut inside = m.no();
        for (_, condition) in &cases {
            inside = m.or(&inside, condition)?;
        }
        self.fail_outside(path, &inside)?;
        Ok(cases
            .into_iter()
            .map(|(offset, condition)| (a.first + offset, condition))
            .collect())
    }

    fn targets(&mut self, target: &Target, path: &mut Bdd) -> Result<Vec<(CellId, Bdd)>, Stop> {
        match target {
            Target::Cell(c) => Ok(vec![(*c, self.m.yes())]),
            Target::Element(array, index) => self.cases(*array, index, path),
        }
    }

    fn write(&mut self, cell: CellId, value: &Bits, path: &Bdd) -> Result<(), Stop> {
        if path.is_false() {
            return Ok(());
        }
        self.access(cell, path)?;
        let written = self.writes.entry(cell).or_insert_with(|| self.m.no());
        *written = self.m.or(written, path)?;
        let merged = value.choose(path, &self.value(cell)?, self.m)?;
        self.values.insert(cell, merged);
        Ok(())
    }

    /// Executes commands on `path`; what is left of it goes on.
    pub fn execute(&mut self, commands: &[Command], path: &mut Bdd) -> Result<(), Stop> {
        let m = self.m;
        for command in commands {
            if path.is_false() {
                return Ok(());
            }
            match command {
                Command::Assign(target, value) => {
                    let cells = self.targets(target, path)?;
                    let mut value = self.eval(value, path)?;
                    if let Some((cell, _)) = cells.first() {
                        let ty = self.program.cells[*cell].ty;
                        if ty.wraps {
                            value = value.div_rem(&Bits::constant(m, ty.size() as i64), m)?.1;
                        } else {
                            let fits = value.within(ty.lo, ty.hi, m)?;
                            self.fail_outside(path, &fits)?;
                        }
                    }
                    for (cell, here) in cells {
                        self.write(cell, &value, &m.and(path, &here)?)?;
                    }
                }
                Command::Havoc(target) => {
                    let cells = self.targets(target, path)?;
                    let Some(&(first, _)) = cells.first() else {
                        continue;
                    };
                    // The middle copy of the cell's own bits keeps the order good; a second havoc takes choice bits.
                    let (value, allowed) = if cells.len() == 1 && self.arbitrary.insert(first) {
                        let group = self.layout.cell(first);
                        let allowed = m.rename(&valid(m, group)?, |l| l + 2);
                        (self.stored(first, middle)?, allowed)
                    } else {
                        self.fresh(first)?
                    };
                    *path = m.and(path, &allowed)?;
                    for (cell, here) in cells {
                        self.write(cell, &value, &m.and(path, &here)?)?;
                    }
                }
                Command::Check(e, _) => {
                    let holds = self.truth(e, path)?;
                    self.fail_outside(path, &holds)?;
                }
                Command::If(c, yes, no) => {
                    let c = self.truth(c, path)?;
                    let mut on = m.and(path, &c)?;
                    let mut off = m.and_not(path, &c)?;
                    self.execute(yes, &mut on)?;
                    self.execute(no, &mut off)?;
                    *path = m.or(&on, &off)?;
                }
                Command::Choose(branches) => {
                    let mut rest = path.clone();
                    let mut after = m.no();
                    for (i, branch) in branches.iter().enumerate() {
                        let mut on = rest.clone();
                        if i + 1 < branches.len() {
                            let coin = m.var(before(self.layout.choice(self.choices)));
                            self.choices += 1;
                            on = m.and(&rest, &coin)?;
                            rest = m.and_not(&rest, &coin)?;
                        }
                        self.execute(branch, &mut on)?;
                        after = m.or(&after, &on)?;
                    }
                    *path = after;
                }
                Command::Goto(location) => {
                    let entry = self.goes.entry(*location).or_insert_with(|| m.no());
                    *entry = m.or(entry, path)?;
                }
            }
        }
        Ok(())
    }

    /// An arbitrary value of a cell's type from choice bits, and where the bits are in use.
    fn fresh(&mut self, cell: CellId) -> Result<(Bits, Bdd), Stop> {
        let m = self.m;
        let (width, ty) = (
            self.layout.cell(cell).width as usize,
            self.program.cells[cell].ty,
        );
        let bits = (0..width).map(|i| m.var(before(self.layout.choice(self.choices + i))));
        let raw = Bits::unsigned(m, bits);
        self.choices += width;
        let allowed = raw.within(0, ty.hi - ty.lo, m)?;
        Ok((raw.add(&Bits::constant(m, ty.lo), m)?, allowed))
    }
}

/// Choice bits that executing these commands may need at most.
pub(super) fn choices_needed(program: &Program, commands: &[Command]) -> usize {
    commands
        .iter()
        .map(|command| match command {
            Command::Havoc(target) => {
                let size = match target {
                    Target::Cell(c) => program.cells[*c].ty.size(),
                    Target::Element(a, _) => program.cells[program.arrays[*a].first].ty.size(),
                };
                (64 - (size - 1).leading_zeros()) as usize
            }
            Command::If(_, a, b) => choices_needed(program, a) + choices_needed(program, b),
            Command::Choose(branches) => {
                branches.len()
                    + branches
                        .iter()
                        .map(|b| choices_needed(program, b))
                        .sum::<usize>()
            }
            _ => 0,
        })
        .sum()
}

/// The bits of a group that a value of a cell is stored in, most significant first.
pub(super) fn encode(m: &Bdds, group: Group, lo: i64, value: &Bits) -> Result<Vec<Bdd>, Stop> {
    let raw = if lo == 0 {
        value.clone()
    } else {
        value.sub(&Bits::constant(m, lo), m)?
    };
    Ok(raw.low(group.width))
}
