//! State expressions as BDDs over the state before a step.

use super::bdds::Bdds;
use super::bits::Bits;
use super::layout::{Group, Layout, before};
use super::symbolic::Symbolic;
use crate::base::control::Stop;
use crate::model::program::{Expr, Program};
use biodivine_lib_bdd::Bdd;

/// Where a state expression holds; where its evaluation fails it does not.
pub(super) fn predicate(
    program: &Program,
    layout: &Layout,
    m: &Bdds,
    e: &Expr,
) -> Result<Bdd, Stop> {
    let mut symbolic = Symbolic::new(program, layout, m);
    let mut path = m.yes();
    let value = symbolic.eval(e, &mut path)?;
    m.and(&path, &value.truth(m)?)
}

/// Where a group of bits holds this code.
pub(super) fn code(m: &Bdds, group: Group, code: u64) -> Bdd {
    let literals: Vec<(usize, bool)> = group
        .bits()
        .enumerate()
        .map(|(i, bit)| (before(bit), code >> (group.width as usize - 1 - i) & 1 == 1))
        .collect();
    m.cube(&literals)
}

/// Where a group of bits holds a code in use.
pub(super) fn valid(m: &Bdds, group: Group) -> Result<Bdd, Stop> {
    if group.values.is_power_of_two() {
        return Ok(m.yes());
    }
    let bits = Bits::unsigned(m, group.bits().map(|b| m.var(before(b))));
    bits.within(0, group.values as i64 - 1, m)
}
