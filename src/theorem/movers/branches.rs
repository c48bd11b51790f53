//! Classes of the branches of an action: its steps that go one way.
//!
//! A compare-and-swap that fails, or one branch of an `either`, may be more of a mover than the action as a whole.

use super::{Judged, MoverSearch};
use crate::base::control::Stop;
use crate::engine::compiled::Mover;
use crate::engine::relations::{Encoding, Rel};
use crate::model::program::{ArrayId, Edge, LocId};
use crate::theorem::paths::Path;
use std::collections::{BTreeMap, BTreeSet};

/// The steps of an action that go one way.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The action.
    pub action: usize,
    /// The edge, by its number.
    pub edge: usize,
    /// Where it leads; nowhere if it can only go wrong.
    pub to: Option<LocId>,
    /// The variables of others' that it writes.
    pub writes: BTreeSet<ArrayId>,
    rel: Rel,
}

/// The branches of the actions that have more than one: by the edge, where it leads, and what it writes.
///
/// # Errors
/// Any [`Stop`].
pub fn branches(e: &mut Encoding) -> Result<Vec<Branch>, Stop> {
    let mut all = Vec::new();
    for action in 0..e.actions.len() {
        let (thread, location) = (e.actions[action].thread, e.actions[action].location);
        let Some(paths) = Path::of_action(e.program, thread, location) else {
            continue;
        };
        let mut ways: BTreeMap<_, Vec<Edge>> = BTreeMap::new();
        for path in paths {
            let way = (path.edge, path.to, path.written(e.program));
            ways.entry(way).or_default().push(path.as_edge(false));
        }
        for ((edge, to, writes), edges) in ways.iter().filter(|_| ways.len() > 1) {
            let rel = e.steps((thread, location), edges)?;
            if !rel.is_empty() {
                all.push(Branch {
                    action,
                    edge: *edge,
                    to: *to,
                    writes: writes.clone(),
                    rel,
                });
            }
        }
    }
    Ok(all)
}

impl MoverSearch<'_, '_> {
    /// Whether the steps of a branch are right movers, and left movers; neither if it is never taken. (The whole action
    /// may be one where a branch is not: another thread may have it go another way, to the same end.)
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn branch(&mut self, judged: &Judged, branch: &Branch) -> Result<(bool, bool), Stop> {
        let (known, _) = self.strongest()?;
        if self.e.m.disjoint(&branch.rel.domain(&self.e.m)?, &known) {
            return Ok((false, false));
        }
        let part = self.part(&branch.rel)?;
        let whole = self.replace(branch.action, part);
        let class = self.class_now(branch.action, judged, Mover::default(), &known);
        self.replace(branch.action, whole);
        class
    }
}
