//! Concrete states out of BDDs, and the walk that explains why a pair lies in a product of relations.

use super::bdds::Bdds;
use super::encoding::Encoding;
use super::layout::{Bit, Item, Q, before};
use crate::base::control::Stop;
use crate::engine::State;
use crate::engine::Variable;
use crate::engine::relations::relation::Rel;
use crate::model::program::{LocId, ThreadId};
use biodivine_lib_bdd::{Bdd, BddValuation, BddVariable};

/// One concrete state, q included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concrete {
    /// The program state.
    pub state: State,
    /// Whether q holds.
    pub violated: bool,
}

/// The state that a valuation stands for at the levels before a step.
pub fn decode(e: &Encoding, valuation: &BddValuation) -> Concrete {
    let bit = |b: Bit| valuation.value(BddVariable::from_index(before(b)));
    let code = |item: Item| {
        e.layout
            .group(item)
            .bits()
            .fold(0i64, |acc, b| acc << 1 | i64::from(bit(b)))
    };
    let cells: Vec<i64> = e
        .program
        .cells
        .iter()
        .enumerate()
        .map(|(c, cell)| code(Item::Of(Variable::Cell(c))) + cell.ty.lo)
        .collect();
    let locations: Vec<LocId> = (0..e.program.threads.len())
        .map(|t: ThreadId| code(Item::Of(Variable::Location(t))) as LocId)
        .collect();
    Concrete {
        state: State::new(&cells, &locations),
        violated: bit(Q),
    }
}

/// Some state of a set, the same for the same function.
pub fn pick(e: &Encoding, set: &Bdd) -> Option<Concrete> {
    set.first_valuation().map(|v| decode(e, &v))
}

/// The set of one state, as far as these bits tell.
pub fn singleton(e: &Encoding, concrete: &Concrete, bits: &[Bit]) -> Bdd {
    e.m.cube(&literals(e, concrete, bits))
}

/// A state in which nothing has been violated, as a valuation of the levels before a step.
pub fn encode(e: &Encoding, state: &State) -> BddValuation {
    let concrete = Concrete {
        state: state.clone(),
        violated: false,
    };
    let mut valuation = BddValuation::all_false(e.m.no().num_vars());
    for (level, value) in literals(e, &concrete, &e.all_bits()) {
        valuation.set_value(BddVariable::from_index(level), value);
    }
    valuation
}

/// A state at the levels before a step, as far as these bits tell.
fn literals(e: &Encoding, concrete: &Concrete, bits: &[Bit]) -> Vec<(usize, bool)> {
    bits.iter()
        .filter_map(|&b| {
            let item = e.layout.item(b)?;
            let group = e.layout.group(item);
            let code = match item {
                Item::Violated => u64::from(concrete.violated),
                Item::Of(Variable::Location(t)) => concrete.state.location(t) as u64,
                Item::Of(Variable::Cell(c)) => {
                    (concrete.state.cell(c) - e.program.cells[c].ty.lo) as u64
                }
            };
            Some((
                before(b),
                code >> (group.width - 1 - (b - group.first)) & 1 == 1,
            ))
        })
        .collect()
}

/// A first and a last state related by `rel`, the first with the smallest values in the variable order.
///
/// # Errors
/// Any [`Stop`].
pub fn pick_pair(e: &Encoding, rel: &Rel) -> Result<Option<(Concrete, Concrete)>, Stop> {
    let m = &e.m;
    let Some(first) = pick(e, &rel.domain(m)?) else {
        return Ok(None);
    };
    let last = rel.image(m, &singleton(e, &first, &e.all_bits()))?;
    Ok(pick(e, &last).map(|last| (first, last)))
}

/// States `s0 .. sn` with `s0 = first`, `sn = last` and each step in the respective factor; `None` if there is no such
/// walk.
///
/// # Errors
/// Any [`Stop`].
pub fn walk(
    e: &Encoding,
    first: &Concrete,
    last: &Concrete,
    factors: &[Vec<Rel>],
) -> Result<Option<Vec<Concrete>>, Stop> {
    let (m, all) = (&e.m, e.all_bits());
    let mut reached = vec![singleton(e, first, &all)];
    for factor in factors {
        let from = &reached[reached.len() - 1];
        let next = image(m, factor, from)?;
        reached.push(next);
    }
    let mut walk = vec![last.clone()];
    for (n, factor) in factors.iter().enumerate().rev() {
        let target = singleton(e, &walk[walk.len() - 1], &all);
        if m.disjoint(&reached[n + 1], &target) {
            return Ok(None);
        }
        let sources = m.and(&preimage(m, factor, &target)?, &reached[n])?;
        match pick(e, &sources) {
            Some(state) => walk.push(state),
            None => return Ok(None),
        }
    }
    walk.reverse();
    Ok(Some(walk))
}

/// The image under a union of relations.
///
/// # Errors
/// Any [`Stop`].
pub fn image(m: &Bdds, union: &[Rel], set: &Bdd) -> Result<Bdd, Stop> {
    union
        .iter()
        .try_fold(m.no(), |acc, r| m.or(&acc, &r.image(m, set)?))
}

/// The preimage under a union of relations.
///
/// # Errors
/// Any [`Stop`].
pub fn preimage(m: &Bdds, union: &[Rel], set: &Bdd) -> Result<Bdd, Stop> {
    union
        .iter()
        .try_fold(m.no(), |acc, r| m.or(&acc, &r.preimage(m, set)?))
}
