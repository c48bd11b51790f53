//! `coarsen movers`: which kind of mover each action of a model is, what keeps it from being a better one, and how long
//! its transactions can be.
//!
//! Movers are established as for claims (`theorem/movers/`). For transactions each statement becomes a block of its own
//! (`statements.rs`); a run of statements in one list is a transaction if its ways from beginning to end have the
//! theorem's form in each thread that has them. If a run is none, no longer one is, so the longest runs are found from
//! left to right.

mod annotations;
mod entries;
mod expected;
mod statements;

use crate::algebra::Theory;
use crate::base::control::{Control, Stop};
use crate::base::diagnostic::Position;
use crate::base::results::{
    Gap, MoverClass, MoversReason, MoversReport, Note, PropertyKind, Status, Transaction,
};
use crate::engine::relations::Encoding;
use crate::model::program::{ClaimedBlock, Program};
use crate::model::text::ast::Model;
use crate::theorem::{
    Budgets, CheckOptions, Detail, Judged, MoverSearch, PATTERNS, Pattern, branches, check,
    commits, gap, judged, prepare,
};
use expected::expectations;
use rustc_hash::FxHashMap;
use statements::{List, numbered};
use std::time::Instant;

/// Finds the movers and transactions of a model. `program_of` elaborates a tree.
pub fn movers(
    name: &str,
    tree: &Model,
    program_of: &dyn Fn(&Model) -> Option<Program>,
    theory: &Theory,
    only: Option<&Theory>,
    control: &Control,
) -> MoversReport {
    let begun = Instant::now();
    let mut report = MoversReport::undecided(name);
    let (numbered, lists) = numbered(tree);
    let Some(program) = program_of(&numbered).or_else(|| program_of(tree)) else {
        return report;
    };
    let found = Found {
        name,
        theory,
        control,
        lists: &lists,
        only,
        tree,
        elaborate: program_of,
    };
    match found.all(&program, &mut report) {
        Ok(()) => {
            report.reason = only
                .and_then(silent)
                .map_or_else(|| summary(&report), MoversReason::Open)
        }
        Err(stop) => report.reason = MoversReason::Stopped(stop, control.phase()),
    }
    report.expectations = expectations(&report, &program, only.is_some());
    report.seconds = begun.elapsed().as_secs_f64();
    report
}

struct Found<'a> {
    name: &'a str,
    theory: &'a Theory,
    control: &'a Control,
    lists: &'a [List],
    only: Option<&'a Theory>,
    tree: &'a Model,
    elaborate: &'a dyn Fn(&Model) -> Option<Program>,
}

/// A run of statements that is a transaction: its list, its first and last statement, and what is told of it.
type Run = (usize, usize, usize, Transaction);

impl Found<'_> {
    fn all(&self, program: &Program, report: &mut MoversReport) -> Result<(), Stop> {
        let program = self.disciplined(program, report);
        self.control.enter("building relations");
        let mut e = Encoding::within(&program, self.control.budget().effort, self.control)?;
        let branches = branches(&mut e)?;
        self.control.enter("movers");
        let mut search = MoverSearch::new(&e, Detail::Conditions, Budgets::default())?;
        let mut judged = search.all(&[])?;
        meet(&e, &mut judged);
        report.statements = entries::entries(&e, &judged, &branches, &mut search)?;
        report.annotations = self.annotations(&e, &judged, report.disciplined, &mut search)?;
        for pattern in PATTERNS {
            if self.only.is_none_or(|only| pattern.is_of(only)) {
                let runs = self.transactions(&e, &judged, pattern);
                let held = self.held(runs, pattern, &program)?;
                report.transactions.extend(held);
            }
        }
        Ok(())
    }

    /// The program with the disciplines that were inferred, where they are kept.
    fn disciplined(&self, program: &Program, report: &mut MoversReport) -> Program {
        let mut asked = program.clone();
        // Only the discipline is of interest here, and whether anything goes wrong.
        asked.claims.clear();
        asked.properties.clear();
        asked.deadlock_free = None;
        let options = CheckOptions::default();
        let checked = check(self.name, &asked, self.theory, &options, self.control);
        let holds = |kind: PropertyKind| {
            let mut all = checked.properties.iter();
            all.any(|p| p.kind == kind && p.verdict == Status::Holds)
        };
        report.disciplined = holds(PropertyKind::Discipline)
            || program.protections.is_empty() && checked.discipline.is_empty();
        if report.disciplined && program.can_go_wrong() && !holds(PropertyKind::Assertions) {
            report.notes.push(Note::MayGoWrong);
        }
        if !report.disciplined {
            report.notes.push(Note::Undisciplined);
        }
        if checked.discipline.is_empty() {
            return program.clone();
        }
        let (prepared, inferred) = prepare(self.name, program, self.theory, &[], self.control);
        match inferred {
            Some(inferred) if gap(&prepared).is_none() => inferred.program,
            _ => program.clone(),
        }
    }

    /// The longest runs of statements that have a theorem's form.
    fn transactions(&self, e: &Encoding, judged: &[Judged], pattern: Pattern) -> Vec<Run> {
        let mut runs = Vec::new();
        // For each list, which statements are part of a transaction already.
        let mut covered: Vec<Vec<bool>> = self
            .lists
            .iter()
            .map(|l| vec![false; l.statements.len()])
            .collect();
        for (n, list) in self.lists.iter().enumerate() {
            if list.within.is_some_and(|(outer, at)| covered[outer][at]) {
                covered[n].fill(true);
                continue;
            }
            let mut at = 0;
            while at < list.statements.len() {
                let longest = longest(list.statements.len() - at, |length| {
                    let blocks = run(e.program, &list.statements[at..at + length])?;
                    let mover = |a: usize| judged[a].mover;
                    let mut breaks = blocks.iter().map(|b| pattern.broken_by(e, &mover, b));
                    breaks.all(|b| b.is_none()).then_some(blocks)
                });
                let Some((length, blocks)) = longest else {
                    at += 1;
                    continue;
                };
                let end = at + length - 1;
                covered[n][at..=end].fill(true);
                if !blocks.is_empty() && !self.is_claimed(e.program, &blocks) {
                    let statements = &list.statements[at..=end];
                    let told = self.told(e, judged, pattern, statements, &blocks);
                    runs.push((n, at, end, told));
                }
                at = end + 1;
            }
        }
        runs
    }

    /// Whether a run is, in each thread that has it, a block that the model says is a transaction or atomic, or a part
    /// of one.
    fn is_claimed(&self, p: &Program, run: &[ClaimedBlock]) -> bool {
        let statements = self.lists.iter().flat_map(|l| &l.statements);
        let names = statements
            .filter(|s| s.claimed)
            .filter_map(|s| s.claim.as_ref());
        let claims = names.filter_map(|name| p.claims.iter().find(|c| c.name == *name));
        let claimed: Vec<&ClaimedBlock> = claims.flat_map(|c| &c.blocks).collect();
        run.iter().all(|b| {
            let steps = b.steps(p);
            let within = |c: &&ClaimedBlock| c.thread == b.thread && steps.is_subset(&c.steps(p));
            claimed.iter().any(within)
        })
    }

    /// The runs that are transactions also as claims in the model, where the head of a loop is one location again.
    fn held(
        &self,
        runs: Vec<Run>,
        pattern: Pattern,
        inferred: &Program,
    ) -> Result<Vec<Transaction>, Stop> {
        let name = |n: usize| format!("run {n}");
        let places: Vec<(usize, usize, usize, String)> = runs
            .iter()
            .enumerate()
            .map(|(n, r)| (r.0, r.1, r.2, name(n)))
            .collect();
        let Some(mut program) = (self.elaborate)(&statements::claimed(self.tree, &places)) else {
            return Ok(Vec::new());
        };
        // Blocks do not change the cells.
        if program.cells.len() == inferred.cells.len()
            && program.protections.len() != inferred.protections.len()
        {
            program = self.disciplined(&program, &mut MoversReport::undecided(self.name));
        }
        let e = Encoding::within(&program, self.control.budget().effort, self.control)?;
        let judged = judged(&e, &[], Detail::Class)?;
        let holds = |n: usize| {
            let claim = program.claims.iter().find(|c| c.name == name(n));
            claim.is_some_and(|c| {
                let mut blocks = c.blocks.iter();
                blocks.all(|b| pattern.broken_by(&e, &|a| judged[a].mover, b).is_none())
            })
        };
        Ok(runs
            .into_iter()
            .enumerate()
            .filter(|(n, _)| holds(*n))
            .map(|(_, r)| r.3)
            .collect())
    }

    fn told(
        &self,
        e: &Encoding,
        judged: &[Judged],
        pattern: Pattern,
        statements: &[statements::Statement],
        blocks: &[ClaimedBlock],
    ) -> Transaction {
        let p = e.program;
        let (first, last) = (&statements[0], &statements[statements.len() - 1]);
        let text = p
            .source
            .get(first.span.start..last.span.end)
            .unwrap_or_default();
        let mut commits: Vec<Position> = blocks
            .iter()
            .flat_map(|b| commits(e, &|a| judged[a].mover, b))
            .map(|a| e.place(a).at)
            .collect();
        commits.sort_unstable();
        commits.dedup();
        let size = |b: &ClaimedBlock| {
            let mut all: Vec<usize> = b.entries.iter().chain(&b.inside).copied().collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        let mut end = last.span;
        end.start = end.end.saturating_sub(1).max(end.start);
        let begin = p.position(first.span);
        Transaction {
            theorem: self.only.map_or(pattern.theorem, |only| &only.name).into(),
            threads: blocks
                .iter()
                .map(|b| p.threads[b.thread].name.clone())
                .collect(),
            first_line: begin.line,
            column: begin.column,
            last_line: p.line(end),
            actions: blocks.iter().map(size).max().unwrap_or(0).to_string(),
            commits,
            text: text.to_string(),
            span: first.span.to(last.span),
        }
    }
}

/// Why a theorem says nothing of transactions.
fn silent(theory: &Theory) -> Option<Gap> {
    let own = theory.own.as_ref()?;
    match (&own.proof, own.implies && own.same) {
        (None, _) => Some(Gap::Unproved(own.file.name.clone())),
        (_, false) => Some(Gap::Silent(theory.name.clone())),
        (_, true) => None,
    }
}

fn summary(report: &MoversReport) -> MoversReason {
    let of = |c: MoverClass| report.statements.iter().filter(|s| s.class == c).count();
    let best = report.transactions.last().map(|t| &t.theorem);
    let is_long = |t: &&Transaction| Some(&t.theorem) == best && t.actions != "1";
    MoversReason::Found {
        classes: MoverClass::ALL.map(|c| (c, of(c))),
        long: report.transactions.iter().filter(is_long).count(),
    }
}

/// The head of a loop has a location here for each way that leads to it. In the model it is one location, and it moves
/// as all of these do.
fn meet(e: &Encoding, judged: &mut [Judged]) {
    let place = |a: usize| {
        let action = &e.actions[a];
        let location = &e.program.threads[action.thread].locations[action.location];
        let name = location.name.split(" #").next().unwrap_or_default();
        (action.thread, location.span, name)
    };
    let mut places: FxHashMap<_, Vec<usize>> = FxHashMap::default();
    for a in 0..judged.len() {
        places.entry(place(a)).or_default().push(a);
    }
    for a in 0..judged.len() {
        let copies = places[&place(a)].iter().copied();
        for b in copies.filter(|&b| b != a) {
            // What is in the way stays said of the copy that it is in the way of.
            let (theirs, rung) = (judged[b].mover, judged[b].rung);
            let mine = &mut judged[a];
            mine.rung = mine.rung.max(rung);
            mine.mover.right &= theirs.right;
            mine.mover.left &= theirs.left;
            mine.mover.local &= mine.mover.right && mine.mover.left;
        }
    }
}

/// The greatest length up to this one for which there is something, which then is so for all that are less, if there is
/// one at all. (What breaks a run breaks each that it begins.)
fn longest<T>(most: usize, of: impl Fn(usize) -> Option<T>) -> Option<(usize, T)> {
    let mut best = (1, of(1)?);
    // Lengths from this on have none; first far ones are tried, then those between.
    let mut none = most + 1;
    while best.0 + 1 < none {
        let next = match none > most {
            true => (2 * best.0).min(most),
            false => best.0 + (none - best.0) / 2,
        };
        match of(next) {
            Some(found) => best = (next, found),
            None => none = next,
        }
    }
    Some(best)
}

/// A run of statements as a block in each thread that has it; `None` if one of them is no part of a block.
fn run(p: &Program, statements: &[statements::Statement]) -> Option<Vec<ClaimedBlock>> {
    let mut all: Vec<ClaimedBlock> = Vec::new();
    for statement in statements {
        let claim = statement.claim.as_ref()?;
        let claim = p.claims.iter().find(|c| c.name == *claim)?;
        for b in &claim.blocks {
            let known = match all.iter_mut().find(|k| k.thread == b.thread) {
                Some(known) => {
                    known.inside.extend(&b.entries);
                    known
                }
                None => {
                    all.push(ClaimedBlock {
                        thread: b.thread,
                        entries: b.entries.clone(),
                        inside: Vec::new(),
                        edges: Vec::new(),
                    });
                    let last = all.len() - 1;
                    &mut all[last]
                }
            };
            known.inside.extend(&b.inside);
            known.inside.sort_unstable();
            known.inside.dedup();
            known.edges.extend(&b.edges);
            known.edges.sort_unstable();
            known.edges.dedup();
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_is_the_one_found_one_by_one() {
        for most in 1..70 {
            for good in 0..=most {
                let of = |length: usize| (length <= good).then_some(length * 7);
                let one_by_one = (1..=most).map_while(of).last();
                let found = longest(most, of);
                assert_eq!(found.map(|(_, x)| x), one_by_one, "{good} of {most}");
                assert!(found.is_none_or(|(length, x)| x == length * 7));
            }
        }
    }
}
