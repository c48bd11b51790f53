//! What a model says of blocks as movers: `transaction NAME left { .. }`. As with the atomicities of Flanagan & Qadeer
//! (2003, section 3) a block is a left mover if each of its steps is one, and atomic if it is right movers, one step,
//! left movers. All ways through its text count, whether or not data allow them.

use super::Found;
use super::statements::Statement;
use crate::base::control::Stop;
use crate::base::diagnostic::Position;
use crate::base::results::{Annotation, Status};
use crate::engine::relations::Encoding;
use crate::model::program::ClaimedBlock;
use crate::model::text::ast::BlockMover;
use crate::theorem::{Judged, MoverSearch, Obstacle, PATTERNS, step_of};

/// The direction in which a step does not move.
#[derive(Clone, Copy)]
enum Direction {
    Right,
    Left,
}

impl Found<'_> {
    /// All annotations, in the order of the text. Where the discipline is not known to hold, none does.
    pub(super) fn annotations(
        &self,
        e: &Encoding,
        judged: &[Judged],
        disciplined: bool,
        search: &mut MoverSearch,
    ) -> Result<Vec<Annotation>, Stop> {
        let statements = self.lists.iter().flat_map(|l| &l.statements);
        let mut said: Vec<&Statement> = statements.filter(|s| s.said.is_some()).collect();
        said.sort_by_key(|s| s.span.start);
        let mut told = Vec::new();
        for statement in said {
            let Some((name, mover)) = &statement.said else {
                continue;
            };
            let claim = e
                .program
                .claims
                .iter()
                .find(|c| Some(&c.name) == statement.claim.as_ref());
            let blocks = claim.map_or(&[][..], |c| &c.blocks);
            let against = against(e, judged, *mover, blocks);
            let mut met = 0;
            for &(a, direction) in &against {
                met += usize::from(reachable(e, judged, (a, direction), search)?);
            }
            // Two steps together keep a block from being atomic, each alone from being of one class.
            let seen = match mover {
                BlockMover::Atomic => met > 0 && met == against.len(),
                _ => met > 0,
            };
            let mut entered = false;
            for b in blocks {
                entered = entered || search.may_reach(b.thread, &b.entries)?;
            }
            let Position { line, column } = e.program.position(name.span);
            told.push(Annotation {
                name: name.text.clone(),
                said: mover.word(),
                line,
                column,
                entered,
                verdict: match against.is_empty() && disciplined && entered {
                    true => Status::Holds,
                    false if seen => Status::Refuted,
                    false => Status::Unknown,
                },
                against: against.iter().map(|(a, _)| step_of(e, *a)).collect(),
            });
        }
        Ok(told)
    }
}

/// The actions that are not what is said, one of each statement, and what keeps each from it.
fn against(
    e: &Encoding,
    judged: &[Judged],
    said: BlockMover,
    blocks: &[ClaimedBlock],
) -> Vec<(usize, Direction)> {
    let mut found: Vec<(usize, Direction)> = Vec::new();
    if said == BlockMover::Atomic {
        let [.., lipton] = PATTERNS;
        let mut breaks = blocks
            .iter()
            .map(|b| lipton.broken_by(e, &|a| judged[a].mover, b));
        if let Some(broken) = breaks.find_map(|b| b) {
            found.push((broken.committed, Direction::Right));
            found.push((broken.action, Direction::Left));
        }
        return found;
    }
    for block in blocks {
        let mut all: Vec<usize> = block.entries.iter().chain(&block.inside).copied().collect();
        all.sort_unstable();
        all.dedup();
        for a in all.iter().filter_map(|&l| e.action_at(block.thread, l)) {
            let mover = judged[a].mover;
            let direction = match said {
                BlockMover::Left | BlockMover::Both if !mover.left => Direction::Left,
                BlockMover::Right | BlockMover::Both if !mover.right => Direction::Right,
                _ => continue,
            };
            let (line, text) = (step_of(e, a).line, step_of(e, a).text);
            let told = |(b, _): &(usize, Direction)| {
                let other = step_of(e, *b);
                (other.line, other.text) == (line, text.clone())
            };
            if !found.iter().any(told) {
                found.push((a, direction));
            }
        }
    }
    found
}

/// Whether what is in the way of an action, or of a copy of it, is known to happen.
fn reachable(
    e: &Encoding,
    judged: &[Judged],
    (action, direction): (usize, Direction),
    search: &mut MoverSearch,
) -> Result<bool, Stop> {
    let place = |a: usize| {
        (
            e.actions[a].thread,
            step_of(e, a).line,
            step_of(e, a).column,
        )
    };
    for a in (0..judged.len()).filter(|&a| place(a) == place(action)) {
        let obstacles: &[Obstacle] = match direction {
            Direction::Right => &judged[a].right,
            Direction::Left => &judged[a].left,
        };
        for obstacle in obstacles {
            let exchange = search.missed(a, obstacle)?.and_then(|m| m.exchange);
            if exchange.is_some_and(|x| x.reachable) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
