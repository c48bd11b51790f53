//! Sections of a block that are steps of their own: from where a lock is taken to where it is given back.
//!
//! Flanagan, Freund & Qadeer 2005 (Exploiting purity for atomicity): an iteration of a loop that changes nothing can be
//! left out, and a part of a block that is a transaction itself is one step first. In a loop, `lock(m); if (n > 0) ..;
//! unlock(m);` is right movers, one step, and left movers. As one step it changes nothing where `n` is 0, though
//! `lock(m)` alone changes `m`; and a step that changes nothing can be weakened to none (`weakened.rs`).
//!
//! Where this differs from the source: purity is no property of loops, but of steps. It is a way through a section that
//! changes nothing of others', whether it is in a loop or not, and what it reads may be weakened to any value.

use crate::model::program::{CellId, Claim, LocId, Program, ThreadId};
use crate::theorem::paths::{Known, Path};
use std::collections::BTreeSet;

/// Ways through a section at most.
const WAYS: usize = 16;

/// Paths of all ways through a section, one after the other, at most.
const LONG: usize = 1 << 9;

/// A section.
pub struct Section {
    /// Its ways, by the numbers of their paths.
    pub ways: Vec<Vec<usize>>,
    /// All paths in it.
    pub inner: BTreeSet<usize>,
    /// Each way as one path.
    pub joined: Vec<Path>,
}

/// The sections of a claim's blocks that have a way which can be weakened, and do not overlap. Control comes into one
/// at its beginning only.
pub fn sections(program: &Program, claim: &Claim, paths: &[Path]) -> Vec<Section> {
    let mut all: Vec<Section> = Vec::new();
    let mut known: BTreeSet<(ThreadId, LocId, CellId)> = BTreeSet::new();
    for path in paths {
        let Some(taken) = path.takes(program) else {
            continue;
        };
        if !known.insert((path.thread, path.from, taken.0)) {
            continue;
        }
        let found = section(program, claim, paths, (path.thread, path.from), taken);
        let alone = |s: &Section| all.iter().all(|other| other.inner.is_disjoint(&s.inner));
        all.extend(found.filter(alone));
    }
    all.retain(|section| section.joined.iter().any(|p| p.weak.is_some()));
    all
}

/// The section that begins with the paths of a location which take a lock, if all ways from there give it back.
fn section(
    program: &Program,
    claim: &Claim,
    paths: &[Path],
    (thread, start): (ThreadId, LocId),
    taken: (CellId, i64),
) -> Option<Section> {
    let inside = |l: LocId| {
        let mut blocks = claim.blocks.iter().filter(|b| b.thread == thread);
        blocks.any(|b| b.inside.binary_search(&l).is_ok())
    };
    let at = |l: LocId| {
        let all = paths.iter().enumerate();
        all.filter(move |(_, p)| (p.thread, p.from) == (thread, l))
    };
    let (mut ways, mut inner, mut places) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut open: Vec<(Vec<usize>, Known)> = at(start)
        .filter(|(_, p)| p.takes(program) == Some(taken))
        .map(|(n, _)| (vec![n], Known::default()))
        .collect();
    let mut gone = 0;
    while let Some((way, known)) = open.pop() {
        gone += 1;
        if ways.len() + open.len() > WAYS || gone > LONG {
            return None;
        }
        let &last = way.last()?;
        inner.insert(last);
        let known = known.along(program, &paths[last]);
        if known.has(taken) {
            ways.push(way);
            continue;
        }
        // What can only go wrong is not in an execution that is looked at.
        let Some(to) = paths[last].to else { continue };
        let again = way.iter().any(|&n| paths[n].from == to);
        if again || !inside(to) {
            return None;
        }
        places.insert(to);
        for (n, _) in at(to) {
            open.push(([way.as_slice(), &[n]].concat(), known.clone()));
        }
    }
    // Nothing else leads into it. Control comes into the block at its beginning only, so all that could are its paths.
    let into = |(n, p): (usize, &Path)| {
        p.thread == thread && !inner.contains(&n) && p.to.is_some_and(|to| places.contains(&to))
    };
    if paths.iter().enumerate().any(into) {
        return None;
    }
    ways.sort();
    let join = |(number, way): (usize, &Vec<usize>)| {
        let all: Vec<&Path> = way.iter().map(|&n| &paths[n]).collect();
        Path::joined(program, &all, number)
    };
    let joined = ways.iter().enumerate().map(join);
    let joined: Option<Vec<Path>> = joined.collect();
    Some(Section {
        joined: joined?,
        ways,
        inner,
    })
}
