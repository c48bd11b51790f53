//! The extreme rays of a cone: vectors that are not negative, for which no row's product is positive.
//!
//! The double description method (Motzkin, Raiffa, Thompson & Thrall 1953), one row at a time, in whole numbers.

use super::linear::gcd;
use crate::base::control::{Control, Stop};

/// The factors of a row, by column.
pub(super) type Row = Vec<(usize, i128)>;

/// A ray, and what it makes of each row.
#[derive(Clone, Debug)]
struct Ray {
    at: Vec<i128>,
    values: Vec<i128>,
    /// Where it is 0: its columns, and the rows that have been dealt with.
    zeros: Vec<u64>,
}

/// No more rays than this are kept at a time.
const MOST: usize = 400;

/// Nor numbers larger than this.
const LARGEST: i128 = 1 << 40;

/// The extreme rays of `x >= 0`, `row x <= 0` for each row; none if there are too many on the way.
///
/// # Errors
/// A limit that was hit.
pub(super) fn rays(
    columns: usize,
    rows: &[Row],
    control: &Control,
) -> Result<Option<Vec<Vec<i128>>>, Stop> {
    if columns > MOST {
        return Ok(None);
    }
    let mut all: Vec<Ray> = (0..columns).map(|c| Ray::unit(c, columns, rows)).collect();
    let mut left: Vec<usize> = (0..rows.len()).collect();
    while let Some(n) = next(&all, &left) {
        let row = left.swap_remove(n);
        let (above, mut kept): (Vec<Ray>, Vec<Ray>) =
            all.iter().cloned().partition(|ray| ray.values[row] > 0);
        let below = kept.iter().filter(|ray| ray.values[row] < 0);
        let mut met = Vec::new();
        for other in below {
            control.worked((above.len() * all.len()) as u64);
            control.check()?;
            for one in above.iter().filter(|one| is_edge(one, other, &all)) {
                let Some(ray) = one.met(other, row) else {
                    return Ok(None);
                };
                met.push(ray);
            }
            if met.len() > MOST {
                return Ok(None);
            }
        }
        kept.extend(met);
        for ray in kept.iter_mut().filter(|ray| ray.values[row] == 0) {
            let bit = columns + row;
            ray.zeros[bit / 64] |= 1 << (bit % 64);
        }
        all = kept;
        if all.len() > MOST {
            return Ok(None);
        }
    }
    Ok(Some(all.into_iter().map(|ray| ray.at).collect()))
}

/// The row that makes the fewest rays.
fn next(all: &[Ray], left: &[usize]) -> Option<usize> {
    let cost = |row: usize| {
        let above = all.iter().filter(|ray| ray.values[row] > 0).count();
        above * all.iter().filter(|ray| ray.values[row] < 0).count()
    };
    (0..left.len()).min_by_key(|n| cost(left[*n]))
}

/// Whether the two span an edge: no other ray is 0 wherever both are.
fn is_edge(one: &Ray, other: &Ray, all: &[Ray]) -> bool {
    let both = one.zeros.iter().zip(&other.zeros);
    let both: Vec<u64> = both.map(|(a, b)| a & b).collect();
    let covers = |ray: &&Ray| both.iter().zip(&ray.zeros).all(|(a, b)| a & !b == 0);
    all.iter().filter(covers).count() == 2
}

impl Ray {
    fn unit(column: usize, columns: usize, rows: &[Row]) -> Self {
        let mut at = vec![0; columns];
        at[column] = 1;
        let of = |row: &Row| row.iter().filter(|(c, _)| *c == column).map(|x| x.1).sum();
        let mut ray = Ray {
            values: rows.iter().map(of).collect(),
            zeros: vec![0; (columns + rows.len()).div_ceil(64)],
            at,
        };
        ray.mark();
        ray
    }

    /// Notes the columns in which it is 0.
    fn mark(&mut self) {
        for (c, _) in self.at.iter().enumerate().filter(|(_, x)| **x == 0) {
            self.zeros[c / 64] |= 1 << (c % 64);
        }
    }

    /// The ray between two on which a row is 0; none if its numbers are too large.
    fn met(&self, other: &Ray, row: usize) -> Option<Ray> {
        let (a, b) = (-other.values[row], self.values[row]);
        let sum = |x: &[i128], y: &[i128]| -> Vec<i128> {
            x.iter().zip(y).map(|(x, y)| a * x + b * y).collect()
        };
        let (mut at, mut values) = (sum(&self.at, &other.at), sum(&self.values, &other.values));
        let divisor = at.iter().fold(0, |d, x| gcd(d, *x)).max(1);
        at.iter_mut().chain(&mut values).for_each(|x| *x /= divisor);
        let small = |x: &i128| x.abs() <= LARGEST;
        if !at.iter().chain(&values).all(small) {
            return None;
        }
        let both = self.zeros.iter().zip(&other.zeros);
        let zeros = both.map(|(a, b)| a & b).collect();
        Some(Ray { at, values, zeros })
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, gcd, rays};
    use crate::base::control::Control;
    use proptest::prelude::*;

    fn inside(x: &[i128], rows: &[Vec<i128>]) -> bool {
        let product = |row: &Vec<i128>| row.iter().zip(x).map(|(a, b)| a * b).sum::<i128>();
        x.iter().all(|v| *v >= 0) && rows.iter().all(|row| product(row) <= 0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Each ray is inside, and each small vector inside that is no sum of two others is a ray.
        #[test]
        fn those_that_are_no_sums(rows in prop::collection::vec(prop::collection::vec(-2..3i128, 4), 0..5)) {
            let sparse: Vec<Row> = rows.iter().map(|r| r.iter().copied().enumerate().collect()).collect();
            let found = rays(4, &sparse, &Control::default()).expect("no limit").expect("they are few");
            for ray in &found {
                prop_assert!(inside(ray, &rows));
            }
            let small: Vec<Vec<i128>> = (0..256)
                .map(|n| (0..4).map(|c| n / 4i128.pow(c) % 4).collect())
                .collect();
            for x in small.iter().filter(|x| inside(x, &rows)) {
                let rest = rest(x, &found, &rows);
                prop_assert!(rest.iter().all(|v| *v == 0), "{x:?} is no sum of {found:?}");
            }
        }
    }

    /// What is left of a vector inside when of each ray as much is taken away as leaves it inside: nothing, since each
    /// time that leaves it on a smaller face, or else the ray is none of the face's.
    fn rest(x: &[i128], rays: &[Vec<i128>], rows: &[Vec<i128>]) -> Vec<i128> {
        let mut left = x.to_vec();
        for ray in rays {
            let product = |row: &Vec<i128>, x: &[i128]| -> i128 {
                row.iter().zip(x).map(|(a, b)| a * b).sum()
            };
            let columns = left.iter().zip(ray).map(|(v, r)| (*v, *r));
            let slopes = rows
                .iter()
                .map(|row| (-product(row, &left), -product(row, ray)));
            let bounds = columns.chain(slopes).filter(|(_, slope)| *slope > 0);
            let least = bounds.min_by(|(a, b), (c, d)| (a * d).cmp(&(c * b)));
            let (most, slope) = least.expect("a ray is not 0");
            left = left
                .iter()
                .zip(ray)
                .map(|(v, r)| slope * v - most * r)
                .collect();
            let divisor = left.iter().fold(0, |d, v| gcd(d, *v)).max(1);
            left.iter_mut().for_each(|v| *v /= divisor);
        }
        left
    }
}
