//! The hypotheses (11)-(18) of Stoller & Cohen's reduction theorem, each by enumeration straight from its formula.

use super::model::{Model, Node, NodeSet, Relation, q, state_of};
use super::visibility::Visible;

/// The numbers of the hypotheses, in the order of [`failures`].
pub const HYPOTHESES: [&str; 8] = ["11", "12", "13", "14", "15", "16", "17", "18"];

/// The letters of the theorem, on the nodes within a set `J` that no step leaves.
pub struct Relations {
    /// `u[i]`: the invisible steps of thread `i`.
    pub u: Vec<Relation>,
    /// `v[i]`: its visible steps.
    pub v: Vec<Relation>,
    /// `p[i]`: no invisible step of thread `i` is enabled.
    pub p: Vec<NodeSet>,
    pub within: NodeSet,
}

impl Relations {
    pub fn new(model: &Model, visible: &Visible, within: &NodeSet) -> Relations {
        let relation = |i: usize, wanted: bool| -> Relation {
            let row = |from: Node| match model.location(i, state_of(from)) {
                Some(location) if within[from] && visible[i][location] == wanted => {
                    model.successors(i, from).into_iter().collect()
                }
                _ => Vec::new(),
            };
            model.nodes().map(row).collect()
        };
        let u: Vec<Relation> = model.threads().map(|i| relation(i, false)).collect();
        let v: Vec<Relation> = model.threads().map(|i| relation(i, true)).collect();
        let p = u
            .iter()
            .map(|u_i| u_i.iter().map(Vec::is_empty).collect())
            .collect();
        Relations {
            u,
            v,
            p,
            within: within.clone(),
        }
    }

    /// `p`: no invisible step of any thread is enabled.
    pub fn all_p(&self, node: Node) -> bool {
        self.p.iter().all(|p_i| p_i[node])
    }

    fn nodes(&self) -> impl Iterator<Item = Node> {
        (0..self.within.len()).filter(|node| self.within[*node])
    }

    fn threads(&self) -> std::ops::Range<usize> {
        0..self.u.len()
    }

    /// The ordered pairs of different threads.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.threads()
            .flat_map(|i| self.threads().map(move |j| (i, j)))
            .filter(|(i, j)| i != j)
    }
}

/// Why a hypothesis fails: the states along the left side.
pub type Failure = Vec<Node>;

/// For each hypothesis a failure, or `None` if it holds.
pub fn failures(relations: &Relations) -> [Option<Failure>; 8] {
    let Relations { u, v, p, .. } = relations;
    let threads = || relations.threads();
    let pairs = || relations.pairs();
    [
        threads().find_map(|i| never_ends(&u[i])),
        pairs().find_map(|(i, j)| commutes_with_test(&u[j], &p[i])),
        pairs().find_map(|(i, j)| commutes_with_test(&v[j], &p[i])),
        pairs().find_map(|(i, j)| commutes(&u[j], &u[i])),
        pairs().find_map(|(i, j)| commutes(&v[j], &u[i])),
        threads().find_map(|i| separated(relations, i)),
        threads().find_map(|i| total(relations, i)),
        threads().find_map(|i| keeps_q(&u[i])),
    ]
}

/// (11) `(u_i ~q)^w = 0`
fn never_ends(u_i: &Relation) -> Option<Failure> {
    endless(u_i, q)
        .iter()
        .position(|endless| *endless)
        .map(|node| vec![node])
}

/// From where `(u ~stop)^w` starts: the greatest set whose every node has a `u`-step to a `~stop`-node of the set.
pub fn endless(u: &Relation, stop: impl Fn(Node) -> bool) -> NodeSet {
    let mut set = vec![true; u.len()];
    loop {
        let goes_on =
            |node: usize| set[node] && u[node].iter().any(|next| set[*next] && !stop(*next));
        let smaller: NodeSet = (0..u.len()).map(goes_on).collect();
        if smaller == set {
            return set;
        }
        set = smaller;
    }
}

/// (12), (13) `x_j p_i = p_i x_j`
fn commutes_with_test(x_j: &Relation, p_i: &NodeSet) -> Option<Failure> {
    for (s1, targets) in x_j.iter().enumerate() {
        for &s2 in targets {
            // (s1, s2) is in the left side iff p_i holds in s2, in the right side iff p_i holds in s1.
            if p_i[s2] != p_i[s1] {
                return Some(vec![s1, s2]);
            }
        }
    }
    None
}

/// (14), (15) `x_j u_i <= u_i (q T + x_j + x_j q T)`
fn commutes(x_j: &Relation, u_i: &Relation) -> Option<Failure> {
    for (s1, targets) in x_j.iter().enumerate() {
        for &s2 in targets {
            for &s3 in &u_i[s2] {
                let right =
                    |t: &Node| q(*t) || x_j[*t].contains(&s3) || x_j[*t].iter().any(|end| q(*end));
                if !u_i[s1].iter().any(right) {
                    return Some(vec![s1, s2, s3]);
                }
            }
        }
    }
    None
}

/// (16) `~p_i v_i = 0 = p_i u_i`
fn separated(relations: &Relations, i: usize) -> Option<Failure> {
    let Relations { u, v, p, .. } = relations;
    let fails = |s: &Node| !p[i][*s] && !v[i][*s].is_empty() || p[i][*s] && !u[i][*s].is_empty();
    relations.nodes().find(fails).map(|s| vec![s])
}

/// (17) `1 <= p_i + u_i T`
fn total(relations: &Relations, i: usize) -> Option<Failure> {
    let Relations { u, p, .. } = relations;
    relations
        .nodes()
        .find(|s| !p[i][*s] && u[i][*s].is_empty())
        .map(|s| vec![s])
}

/// (18) `q u_i <= u_i q`
fn keeps_q(u_i: &Relation) -> Option<Failure> {
    for (s1, targets) in u_i.iter().enumerate() {
        if let Some(s2) = targets.iter().find(|s2| q(s1) && !q(**s2)) {
            return Some(vec![s1, *s2]);
        }
    }
    None
}
