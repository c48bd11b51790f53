//! What contains or calls what: an order in which parts come first, and the cycles that make one impossible.

/// A depth-first order of a graph.
pub(super) struct Order {
    /// Every node behind those that it leads to, cycles aside.
    pub order: Vec<usize>,
    /// Cycles, at least one node of every cycle being in one of them.
    pub cycles: Vec<Vec<usize>>,
}

/// How many cycles are given in full.
const TOLD: usize = 100;

/// The order of a graph given by the nodes that each node leads to. No recursion, however long its paths.
pub(super) fn order(edges: &[Vec<usize>]) -> Order {
    #[derive(Clone, Copy, PartialEq)]
    enum Met {
        No,
        OnPath,
        Done,
    }
    let mut met = vec![Met::No; edges.len()];
    let mut found = Order {
        order: Vec::new(),
        cycles: Vec::new(),
    };
    for root in 0..edges.len() {
        if met[root] != Met::No {
            continue;
        }
        met[root] = Met::OnPath;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&target) = edges[*node].get(*next) else {
                met[*node] = Met::Done;
                found.order.push(*node);
                path.pop();
                continue;
            };
            *next += 1;
            match met[target] {
                Met::Done => {}
                Met::No => {
                    met[target] = Met::OnPath;
                    path.push((target, 0));
                }
                Met::OnPath if found.cycles.len() < TOLD => {
                    let nodes = path.iter().map(|(n, _)| *n);
                    let cycle = nodes.skip_while(|n| *n != target).collect();
                    found.cycles.push(cycle);
                }
                // A long path is not copied for each of its edges backwards: the two ends will do.
                Met::OnPath => found.cycles.push(vec![target, *node]),
            }
        }
    }
    found
}

/// Names with a sign between them, the middle left out of a long list.
pub(super) fn shortened(names: &[&str], between: &str) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<&str> = match names {
        [first @ .., last] if names.len() > SHOWN => {
            let some = first.iter().take(SHOWN - 2).copied();
            some.chain(["..", last]).collect()
        }
        _ => names.to_vec(),
    };
    shown.join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_first_and_cycles_are_found() {
        let found = order(&[vec![1, 2], vec![2], vec![], vec![0]]);
        assert_eq!((found.order, found.cycles), (vec![2, 1, 0, 3], vec![]));
        let found = order(&[vec![1], vec![2], vec![1], vec![3]]);
        assert_eq!(found.cycles, [vec![1, 2], vec![3]]);
        let long: Vec<Vec<usize>> = (0..100_000).map(|n| vec![(n + 1) % 100_000]).collect();
        assert_eq!(order(&long).cycles.len(), 1);
    }

    #[test]
    fn long_chains_are_shortened() {
        assert_eq!(shortened(&["a", "b", "a"], " > "), "a > b > a");
        let many = ["x"; 20];
        assert_eq!(shortened(&many, ">"), "x>x>x>x>x>x>..>x");
    }
}
