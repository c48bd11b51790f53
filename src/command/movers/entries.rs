//! Statements as movers: the actions of a statement of the text that are of one class are told together.

use crate::base::control::Stop;
use crate::base::diagnostic::{Position, Span};
use crate::base::results::{
    Conditional, Missed, MoverClass, MoverStatement, Rung, Sharing, Spot, Way,
};
use crate::engine::relations::Encoding;
use crate::model::program::LocId;
use crate::theorem::{Branch, Judged, MoverSearch, Obstacle, Other, Shared, class, step_of};

/// What is told of the statements of a program.
pub(super) fn entries(
    e: &Encoding,
    judged: &[Judged],
    branches: &[Branch],
    search: &mut MoverSearch,
) -> Result<Vec<MoverStatement>, Stop> {
    let mut all: Vec<(Span, Vec<usize>)> = Vec::new();
    for (a, j) in judged.iter().enumerate() {
        let together = |(span, group): &&mut (Span, Vec<usize>)| {
            *span == span_of(e, a) && class(judged[group[0]].mover) == class(j.mover)
        };
        match all.iter_mut().find(together) {
            Some((_, group)) => group.push(a),
            None => all.push((span_of(e, a), vec![a])),
        }
    }
    let mut told = Vec::new();
    for (span, group) in all {
        let mut entry = entry(e, judged, &group, search)?;
        entry.branches = ways(e, judged, (&group, branches), search)?;
        told.push((span, entry));
    }
    // What is said of the same threads comes together.
    let mut threads: Vec<(Vec<String>, usize)> = Vec::new();
    for (span, entry) in &told {
        match threads.iter_mut().find(|(t, _)| *t == entry.threads) {
            Some((_, first)) => *first = span.start.min(*first),
            None => threads.push((entry.threads.clone(), span.start)),
        }
    }
    let first = |entry: &MoverStatement| {
        let mut all = threads.iter();
        all.find(|(t, _)| *t == entry.threads).map(|(_, at)| *at)
    };
    told.sort_by_key(|(span, entry)| (first(entry), entry.threads.clone(), span.start, span.end));
    Ok(told.into_iter().map(|(_, entry)| entry).collect())
}

fn span_of(e: &Encoding, a: usize) -> Span {
    let action = &e.actions[a];
    e.program.threads[action.thread].locations[action.location].span
}

fn entry(
    e: &Encoding,
    judged: &[Judged],
    group: &[usize],
    search: &mut MoverSearch,
) -> Result<MoverStatement, Stop> {
    let step = step_of(e, group[0]);
    let rungs = group.iter().map(|a| judged[*a].rung);
    let rung = rungs.max().unwrap_or(Rung::True);
    let most = group.iter().map(|a| &judged[*a]);
    let most = most.max_by_key(|j| (j.right.len() + j.left.len(), j.shares.len()));
    let mut threads: Vec<String> = Vec::new();
    for &a in group {
        let name = &e.program.threads[e.actions[a].thread].name;
        if !threads.contains(name) {
            threads.push(name.clone());
        }
    }
    // A label or a line; what tells its copies apart is left out.
    let ends = [" (", " #"].iter().filter_map(|m| step.location.find(m));
    let end = ends.min().unwrap_or(step.location.len());
    Ok(MoverStatement {
        location: step.location[..end].to_string(),
        line: step.line,
        column: step.column,
        text: step.text,
        threads,
        actions: group.len().to_string(),
        class: class(judged[group[0]].mover),
        why: sharing(most.unwrap_or(&judged[group[0]])),
        invariant: rung.id().into(),
        right: missed(e, group, search, &|a| &judged[a].right)?,
        left: missed(e, group, search, &|a| &judged[a].left)?,
        under: search
            .shared(judged, group)
            .into_iter()
            .map(|shared| conditional(e, shared))
            .collect(),
        branches: Vec::new(),
    })
}

/// Why one of these actions is no mover in a direction, told of the first, and the other statements in the way.
fn missed<'j>(
    e: &Encoding,
    group: &[usize],
    search: &mut MoverSearch,
    obstacles: &dyn Fn(usize) -> &'j Vec<Obstacle>,
) -> Result<Option<Missed>, Stop> {
    let first = group.iter().find_map(|&a| Some((a, obstacles(a).first()?)));
    let Some((a, obstacle)) = first else {
        return Ok(None);
    };
    let Some(mut missed) = search.missed(a, obstacle)? else {
        return Ok(None);
    };
    let mut met: Vec<Span> = Vec::new();
    for obstacle in group.iter().flat_map(|&a| obstacles(a)) {
        let Other::Action(other) = obstacle.other else {
            continue;
        };
        let span = span_of(e, other);
        if met.contains(&span) {
            continue;
        }
        // The first is the one that is told.
        if !met.is_empty() {
            missed.more.push(step_of(e, other));
        }
        met.push(span);
    }
    Ok(Some(missed))
}

fn conditional(e: &Encoding, shared: Shared) -> Conditional {
    let threads = shared.threads.iter();
    Conditional {
        class: moving(shared.right, shared.left),
        condition: shared.told,
        threads: threads
            .map(|&t| e.program.threads[t].name.clone())
            .collect(),
    }
}

fn moving(right: bool, left: bool) -> MoverClass {
    match (right, left) {
        (true, true) => MoverClass::Both,
        (true, false) => MoverClass::Right,
        (false, true) => MoverClass::Left,
        (false, false) => MoverClass::Non,
    }
}

/// The ways that steps of these actions may go, where that makes them more than all are.
fn ways(
    e: &Encoding,
    judged: &[Judged],
    (group, branches): (&[usize], &[Branch]),
    search: &mut MoverSearch,
) -> Result<Vec<Way>, Stop> {
    let whole = judged[group[0]].mover;
    let mut all: Vec<(Way, bool, bool)> = Vec::new();
    if whole.right && whole.left {
        return Ok(Vec::new());
    }
    for branch in branches.iter().filter(|b| group.contains(&b.action)) {
        let (right, left) = search.branch(&judged[branch.action], branch)?;
        let way = way(e, branch, branches);
        match all.iter_mut().find(|(known, ..)| *known == way) {
            Some((_, r, l)) => (*r, *l) = (*r && right, *l && left),
            None => all.push((way, right, left)),
        }
    }
    let more = |(_, r, l): &(Way, bool, bool)| *r && !whole.right || *l && !whole.left;
    let told = all.into_iter().filter(more).map(|(way, r, l)| Way {
        class: moving(r, l),
        ..way
    });
    Ok(told.collect())
}

/// A branch by what tells it from others of its action; its class is not said yet.
fn way(e: &Encoding, branch: &Branch, branches: &[Branch]) -> Way {
    let p = e.program;
    let action = &e.actions[branch.action];
    let thread = &p.threads[action.thread];
    let others = || branches.iter().filter(|b| b.action == branch.action);
    let same_edge = || others().filter(|b| b.edge == branch.edge);
    let spot = |span: Span| {
        let Position { line, column } = p.position(span);
        Spot {
            line,
            column,
            text: p.text(span),
        }
    };
    let then = |to: Option<LocId>| match to {
        Some(l) if thread.resting().all(|r| r != l) => spot(thread.locations[l].span),
        to => Spot {
            line: 0,
            column: 0,
            text: to
                .map_or("wrong", |l| thread.locations[l].name.as_str())
                .into(),
        },
    };
    let edges = &thread.locations[action.location].edges;
    let chosen = others().any(|b| b.edge != branch.edge);
    let turns = same_edge().any(|b| b.to != branch.to);
    let mut alike = same_edge().filter(|b| b.to == branch.to);
    let names = branch.writes.iter().map(|a| p.arrays[*a].name.clone());
    Way {
        class: MoverClass::Non,
        taken: chosen.then(|| spot(edges[branch.edge].span)),
        then: turns.then(|| then(branch.to)),
        writes: alike
            .any(|b| b.writes != branch.writes)
            .then(|| names.collect()),
    }
}

fn sharing(j: &Judged) -> Sharing {
    Sharing {
        actions: j.shares.len(),
        excluded: j.excluded,
        right: j.right.len(),
        left: j.left.len(),
    }
}
