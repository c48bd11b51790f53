//! Sums as they are shown.

use super::{Mark, Part, Sum, Sums};
use crate::base::results::{Counted, OverThreads};
use crate::model::program::{LocId, Program};
use crate::theorem::every::Oracle;
use crate::theorem::every::linear::Linear;
use crate::theorem::every::run::Said;
use crate::theorem::inference::locations;
use std::collections::BTreeSet;

impl Sums {
    /// Those that some path contradicted, or that cut it short.
    ///
    /// # Errors
    /// A limit that was hit.
    pub fn used(&self, oracle: &Oracle) -> Said<Vec<OverThreads>> {
        let used = self.all.iter().filter(|sum| sum.is_used.get());
        used.map(|sum| self.shown(oracle, sum)).collect()
    }

    fn shown(&self, oracle: &Oracle, sum: &Sum) -> Said<OverThreads> {
        let program = &oracle.parametric.program;
        let mut threads = Vec::new();
        for (k, kind) in oracle.kinds.iter().enumerate() {
            let family = &oracle.parametric.open.families[kind.family];
            let weights = sum
                .weights
                .iter()
                .filter(|(((of, _), _), w)| *of == k && **w != 0);
            let mut factors: Vec<i128> = weights.clone().map(|(_, w)| *w).collect();
            factors.sort_unstable();
            factors.dedup();
            for factor in factors {
                let these = weights.clone().filter(|(_, w)| **w == factor);
                let of_index = matches!(self.marks[k].first(), Some(Mark::Is(_)));
                let is_its = family.bounds.is_some() && of_index;
                let is_its = is_its && these.clone().all(|((_, m), _)| m[0]);
                let at: BTreeSet<LocId> = these.map(|(((_, l), _), _)| *l).collect();
                let others = sum.weights.iter().filter(|(((of, l), m), w)| {
                    *of == k && at.contains(l) && **w != factor && (!is_its || m[0])
                });
                let some = others.count() > 0;
                // Where threads went wrong is not shown.
                let text = &program.threads[kind.like()];
                let at = at.into_iter().filter(|l| *l < text.locations.len());
                let at: BTreeSet<LocId> = at.collect();
                if at.is_empty() {
                    continue;
                }
                threads.push(Counted {
                    factor: factor.to_string(),
                    thread: match is_its {
                        true => format!("{}(k)", family.name),
                        false => family.name.clone(),
                    },
                    at: locations(program, kind.like(), &at),
                    some,
                });
            }
        }
        let variables = sum.factors.iter().map(|(part, factor)| {
            let name = indexed(program, part.array());
            let shown = match part {
                Part::Value(_) => name,
                Part::AtMost(_) => format!("({name} <= k)"),
            };
            (factor.to_string(), shown)
        });
        let machine = &oracle.steps(&[]).machine;
        Ok(OverThreads {
            threads,
            variables: variables.collect(),
            most: written(&sum.bound(oracle, machine)?, &oracle.parametric.open.name),
        })
    }
}

/// A variable's name, with k for its index.
fn indexed(program: &Program, array: usize) -> String {
    let a = &program.arrays[array];
    let first = &program.cells[a.first].name;
    match a.dims.is_empty() {
        true => a.name.clone(),
        false => first.replacen("[0]", "[k]", 1),
    }
}

/// A term over the open constant.
fn written(x: &Linear, name: &str) -> String {
    let (constant, factor) = (x.constant, x.terms.first().map_or(0, |t| t.1));
    let of_name = match factor {
        1 => name.to_string(),
        n => format!("{n} {name}"),
    };
    match (factor, constant) {
        (0, n) => n.to_string(),
        (_, 0) => of_name,
        (_, n) if n < 0 => format!("{of_name} - {}", -n),
        (_, n) => format!("{of_name} + {n}"),
    }
}
