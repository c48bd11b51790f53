//! Claims `transaction NAME { .. }` that hold with weaker steps (Elmas, Qadeer & Tasiran 2009; Lipton 1975).
//!
//! A bundle names paths through the block that are replaced by weaker ones. The weaker program is made by the code that
//! has found them, one edge for each path, and held against the program: every step of the program that does not go
//! wrong is one of the weaker program. Its set X is checked to be an invariant of the weaker program. On X, every way
//! through the block is right movers, one step, and left movers, each path being a step of its own. And the weaker
//! program with the block atomic reaches no state without a thread inside that the program with the block atomic does
//! not reach, as it is observed. Where a section of the block is a step of the weaker program, its ways are shown to be
//! transactions on X as well, and to do nothing that this step does not do. So no execution in which nothing goes wrong
//! reaches one either; that nothing goes wrong is claimed as well. There is no discipline in the weaker program, and no
//! law rests on one.

use super::claims::{Claims, Direction};
use super::compared::{Atomic, Subject, claimed};
use super::encoded::Encoded;
use super::footprint::{Footprints, key};
use super::invariant::{Refused, Sets};
use super::judge::Judge;
use super::letters::Letters;
use super::sections::{Inner, Sections};
use super::space::{Part as Item, Space};
use super::valuations::Valuations;
use super::verdict::{BundleVerdict, ENCODING, LIPTON};
use super::verify::MOST_WORK;
use crate::base::control::{Control, Stop};
use crate::base::evidence::{Part, WeakPath};
use crate::engine::{State, each_successor};
use crate::kernel::{Terms, WORK};
use crate::model::program::{Claim, Class, Edge, LocId, Program, ThreadId};
use crate::theorem::{Divided, by_path};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Runs of the interpreter for one claim, besides those through states.
const MOST: u64 = 1 << 21;

/// Why a program is not taken for a weaker one.
const OTHER: &str = "the program with weaker steps is not the program but for the block's steps";

/// Checks that the one claim of a part holds with the weaker steps that it names.
///
/// # Errors
/// The first thing that is wrong, or the limit that was hit.
pub fn replay(
    program: &Program,
    (part, weaker): (&Part, &[WeakPath]),
    control: &Control,
    verdict: &mut BundleVerdict,
) -> Result<(), Refused> {
    let [name] = part.claims.as_slice() else {
        return Err("one block at a time has weaker steps".into());
    };
    let (program, claim) = claimed(program, name)?;
    control.enter(format!("{name}, its weaker steps"));
    let made = by_path(program, claim, &weaker.iter().copied().collect());
    let made = made.ok_or("paths that the block has not, or too many")?;
    let told = check((program, claim), &made, part, control)?;
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    verdict.replayed.push(format!(
        "{name}, with {}: right movers, one step and left movers, as {} of paths and actions can be exchanged on an \
         invariant of the weaker program; and each of {} without a thread inside that it reaches with the block \
         atomic is, as observed, one that the program reaches so",
        count(weaker.len(), "weaker step"),
        count(told.laws, "pair"),
        count(told.states, "state"),
    ));
    verdict.trust(LIPTON);
    if told.is_encoded {
        verdict.trust(ENCODING);
    }
    Ok(())
}

/// How much was gone through.
struct Told {
    laws: usize,
    states: usize,
    is_encoded: bool,
}

/// Checks that a claim holds with these steps in the block's place, on the set that a part has.
fn check(
    (program, claim): (&Program, &Claim),
    made: &Divided,
    part: &Part,
    control: &Control,
) -> Result<Told, Refused> {
    let name = &claim.name;
    let mut plain = program.clone();
    plain.protections.clear();
    let strong = Subject {
        program: &plain,
        claim,
    };
    let weak = Subject {
        program: &made.program,
        claim: &made.claim,
    };
    let mut budget = Budget {
        left: MOST,
        control,
    };
    is_weaker(&strong, &weak, &mut budget)?;

    let space = Space::new(weak.program, part)?;
    let diagrams = &part.diagrams;
    let encoded = Encoded::new(weak.program, &space, diagrams, (false, MOST_WORK), control);
    let all = |_: ThreadId, _: LocId| true;
    let sets = Sets {
        program: weak.program,
        part,
        space: &space,
        phased: None,
        plain: true,
        visible: &all,
        claims: &[],
        encoded: &encoded,
    };
    sets.check()?;
    control.enter(format!("{name}, movers"));
    let alone = alone(&weak);
    let encodings: Vec<Encoded> = alone
        .iter()
        .map(|(_, p)| Encoded::new(p, &space, diagrams, (false, MOST_WORK), control))
        .collect();
    let mut movers = Movers {
        part,
        space: &space,
        alone: &alone,
        encodings: &encodings,
        known: FxHashMap::default(),
        laws: 0,
    };
    let threads: BTreeSet<ThreadId> = claim.blocks.iter().map(|b| b.thread).collect();
    let sections = Sections {
        weak: &weak,
        inner: &made.inner,
    };
    for &t in &threads {
        sections.check(t, &mut movers, &mut budget)?;
        has_form(&weak, (t, &made.inner), &mut movers, &mut budget)?;
    }

    let runs = Atomic::new(&strong, control)?.has_all_of(&weak, control)?;
    Ok(Told {
        laws: movers.laws,
        states: runs,
        is_encoded: encoded.is_used() || encodings.iter().any(Encoded::is_used),
    })
}

/// What may still be done.
pub(super) struct Budget<'c> {
    left: u64,
    control: &'c Control,
}

impl Budget<'_> {
    fn take(&mut self, runs: u64) -> Result<(), Refused> {
        self.control.check()?;
        let left = self.left.checked_sub(runs);
        self.left = left.ok_or(Refused::Stopped(Stop::Operations))?;
        Ok(())
    }
}

/// Whether every step of a program that does not go wrong is one of another, which differs in the steps of the block
/// only.
fn is_weaker(strong: &Subject, weak: &Subject, budget: &mut Budget) -> Result<(), Refused> {
    let (p, w) = (strong.program, weak.program);
    let cells = |p: &Program| -> Vec<_> {
        let of = p.cells.iter().map(|c| (c.array, c.ty, c.initial));
        of.collect()
    };
    let arrays = |p: &Program| -> Vec<_> {
        let of = p.arrays.iter().map(|a| (a.first, a.dims.clone()));
        of.collect()
    };
    let pools = |p: &Program| -> Vec<_> { p.pools.iter().map(|p| p.len).collect() };
    let blocks = |c: &Claim| -> Vec<_> {
        let of = c.blocks.iter();
        of.map(|b| (b.thread, b.entries.clone(), b.inside.clone()))
            .collect()
    };
    let same = cells(p) == cells(w) && arrays(p) == arrays(w) && pools(p) == pools(w);
    let same = same && p.init == w.init && p.threads.len() == w.threads.len();
    if !same || !w.protections.is_empty() || blocks(strong.claim) != blocks(weak.claim) {
        return Err(OTHER.into());
    }
    for (t, (a, b)) in p.threads.iter().zip(&w.threads).enumerate() {
        let begins = (a.initial, a.wrong, a.locations.len());
        if begins != (b.initial, b.wrong, b.locations.len()) {
            return Err(OTHER.into());
        }
        for l in 0..a.locations.len() {
            let others = |s: &Subject| -> Vec<Edge> {
                let edges = s.program.threads[t].locations[l].edges.iter().enumerate();
                let others = edges.filter(|(n, _)| !s.has(t, (l, *n)));
                others.map(|(_, e)| e.clone()).collect()
            };
            if others(strong) != others(weak) {
                return Err(OTHER.into());
            }
            if a.locations[l].edges != b.locations[l].edges {
                has_steps_of(strong, weak, (t, l), budget)?;
            }
        }
    }
    Ok(())
}

/// Whether the steps of a block from a location are steps of the weaker one: all values of what they look at are gone
/// through.
fn has_steps_of(
    strong: &Subject,
    weak: &Subject,
    (t, l): (ThreadId, LocId),
    budget: &mut Budget,
) -> Result<(), Refused> {
    let mut parts = Footprints::new(strong.program).of(t, l).parts;
    parts.extend(Footprints::new(weak.program).of(t, l).parts);
    parts.remove(&key(strong.program, Item::Location(t)));
    let cells = strong.program.cells.iter().map(|c| c.ty.lo).collect();
    let mut places = vec![0; strong.program.threads.len()];
    places[t] = l;
    let steps = |s: &Subject, from: &State| {
        let mut found: FxHashSet<State> = FxHashSet::default();
        let _: ControlFlow<()> = each_successor(s.program, from, t, None, &mut |step| {
            if step.failure.is_none() && s.has(t, (l, step.edge)) {
                found.insert(step.state);
            }
            ControlFlow::Continue(())
        });
        found
    };
    each(
        strong.program,
        &parts,
        (cells, places),
        budget,
        &mut |from| {
            if steps(strong, from).is_subset(&steps(weak, from)) {
                return Ok(());
            }
            let thread = &strong.program.threads[t];
            let place = format!("{} at {}", thread.name, thread.locations[l].name);
            Err(strong.refused(&format!(
                "{place} has steps that are none of the weaker ones"
            )))
        },
    )
}

/// Which edge of its locations a thread has alone.
type Only = (ThreadId, usize);

/// The program with one edge of each location of a block only, for each number of an edge in a thread.
fn alone(weak: &Subject) -> Vec<(Only, Program)> {
    let mut made: Vec<(Only, Program)> = Vec::new();
    for block in &weak.claim.blocks {
        for number in block.edges.iter().map(|(_, n)| *n) {
            let only = (block.thread, number);
            if made.iter().all(|(known, _)| *known != only) {
                let mut program = weak.program.clone();
                for location in &mut program.threads[block.thread].locations {
                    let edge = location.edges.get(number).cloned();
                    location.edges = edge.into_iter().collect();
                }
                made.push((only, program));
            }
        }
    }
    made
}

/// What paths are as movers, found when it is asked.
pub(super) struct Movers<'a, 'p> {
    part: &'a Part,
    space: &'a Space<'p>,
    alone: &'p [(Only, Program)],
    encodings: &'a [Encoded<'p>],
    known: FxHashMap<(ThreadId, LocId, usize, Direction), bool>,
    laws: usize,
}

impl Movers<'_, '_> {
    /// Whether the step of a thread along an edge of a location can be exchanged with every action of another thread.
    pub(super) fn moves(
        &mut self,
        (t, l, number): (ThreadId, LocId, usize),
        direction: Direction,
    ) -> Result<bool, Refused> {
        if let Some(&known) = self.known.get(&(t, l, number, direction)) {
            return Ok(known);
        }
        let place = self.alone.iter().position(|(only, _)| *only == (t, number));
        let place = place.ok_or("a step of no block")?;
        let (program, encoded) = (&self.alone[place].1, &self.encodings[place]);
        let mut terms = Terms::default();
        terms.allow(WORK);
        let letters = Letters::new(program, None, self.part, &mut terms)?;
        let mut judge = Judge::new(program, self.space, Some(self.part.states), encoded);
        let mut claims = Claims::new(program, &letters, &mut terms, &mut judge);
        let moves = claims.moves(t, l, direction)?;
        self.laws += claims.laws;
        if terms.is_spent() {
            return Err(Refused::Stopped(Stop::Operations));
        }
        self.known.insert((t, l, number, direction), moves);
        Ok(moves)
    }
}

/// Whether every way through the block of a thread is right movers, one step, and left movers, its sections being
/// steps. The thread is followed alone, from its beginning, and whatever is not its own may have any value before each
/// step.
fn has_form(
    weak: &Subject,
    (t, inner): (ThreadId, &Inner),
    movers: &mut Movers,
    budget: &mut Budget,
) -> Result<(), Refused> {
    let p = weak.program;
    let own: BTreeSet<usize> = (0..p.cells.len())
        .filter(|&c| p.cells[c].class == Class::Local(t))
        .collect();
    let footprints = Footprints::new(p);
    let first = p
        .cells
        .iter()
        .map(|c| c.initial.unwrap_or(c.ty.lo))
        .collect();
    let mut places = vec![0; p.threads.len()];
    places[t] = p.threads[t].initial;
    let free = own
        .iter()
        .copied()
        .filter(|&c| p.cells[c].initial.is_none());
    let mut met: FxHashSet<(State, bool)> = FxHashSet::default();
    let mut open: Vec<(State, bool)> = Vec::new();
    each(p, &free.collect(), (first, places), budget, &mut |s| {
        open.push((own_part(p, t, &own, s), false));
        Ok(())
    })?;
    while let Some((present, committed)) = open.pop() {
        let l = present.location(t);
        let mut others = footprints.of(t, l).parts;
        others.remove(&key(p, Item::Location(t)));
        others.retain(|k| !own.contains(k));
        let around = (present.cells(), present.locations());
        each(p, &others, around, budget, &mut |from| {
            let mut steps: Vec<(usize, State)> = Vec::new();
            let _: ControlFlow<()> = each_successor(p, from, t, None, &mut |step| {
                // What goes wrong is no step of the executions that are looked at.
                if step.failure.is_none() && !inner.contains(&(t, l, step.edge)) {
                    steps.push((step.edge, step.state));
                }
                ControlFlow::Continue(())
            });
            for (edge, to) in steps {
                let mut committed = committed;
                if weak.has(t, (l, edge)) {
                    if committed && !movers.moves((t, l, edge), Direction::Left)? {
                        let thread = &p.threads[t];
                        let place = format!("{} at {}", thread.name, thread.locations[l].name);
                        let why = format!("{place} is no left mover behind what commits");
                        return Err(weak.refused(&why));
                    }
                    committed = committed || !movers.moves((t, l, edge), Direction::Right)?;
                }
                let committed = committed && weak.is_inside(t, to.location(t));
                let point = (own_part(p, t, &own, &to), committed);
                if met.insert(point.clone()) {
                    open.push(point);
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// A state in which all that is not a thread's own has one value.
fn own_part(p: &Program, t: ThreadId, own: &BTreeSet<usize>, s: &State) -> State {
    let cells = p.cells.iter().enumerate();
    let cells = cells.map(|(c, cell)| {
        if own.contains(&c) {
            s.cell(c)
        } else {
            cell.ty.lo
        }
    });
    let places = (0..p.threads.len()).map(|u| if u == t { s.location(u) } else { 0 });
    State::new(
        &cells.collect::<Vec<i64>>(),
        &places.collect::<Vec<LocId>>(),
    )
}

/// Calls `visit` with all states that differ from one in nothing but these parts.
pub(super) fn each(
    p: &Program,
    parts: &BTreeSet<usize>,
    from: (Vec<i64>, Vec<LocId>),
    budget: &mut Budget,
    visit: &mut dyn FnMut(&State) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let mut valuations = Valuations::around(p, parts, from);
    budget.take(valuations.count())?;
    loop {
        visit(&valuations.marked(false).state)?;
        if !valuations.advance() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::control::ParseLimits;
    use crate::base::evidence::{Item as Named, TRUE};
    use crate::model::Loaded;
    use crate::model::program::Command;

    /// A counter whose read is weakened, with one step of it changed.
    fn is_accepted(change: &dyn Fn(&mut Program)) -> bool {
        let text = "var x: 0..3 = 0 unprotected; thread inc(i in 1..2) { var t: 0..3 = 0; var done: bool = false;
            transaction c { while (!done) { t = x; done = cas(x, t, t + 1); } } } thread o { x = 0; }";
        let loaded = Loaded::load("m.cor", text, &[], ParseLimits::default());
        let (loaded, _) = loaded.expect("no errors");
        let (program, claim) = claimed(loaded.program(), "c").expect("a claim");
        let ways = (0..text.len()).filter(|n| text[*n..].starts_with("t = x;"));
        let path = |start: usize| WeakPath {
            start,
            end: start + "t = x;".len(),
            way: 0,
        };
        let weaker = ways.map(path).collect();
        let mut weak = by_path(program, claim, &weaker).expect("such a path");
        change(&mut weak.program);
        let mut budget = Budget {
            left: MOST,
            control: &Control::default(),
        };
        let strong = Subject { program, claim };
        let weak = Subject {
            program: &weak.program,
            claim: &weak.claim,
        };
        is_weaker(&strong, &weak, &mut budget).is_ok()
    }

    /// A block that takes something from under a lock, and tries again where nothing is there.
    const POLLED: &str = "mutex m; var n: 0..1 = 0 unprotected; var k: 0..1 = 0 unprotected;
        thread w(i in 1..2) { var done: bool = false;
          transaction c { while (!done) { lock(m); atomic { if (n > 0) { n = n - 1; done = true; } } unlock(m); } } }
        thread o { n = 1; k = 1; }";

    /// What the checker says if a way through the section that changes nothing is weakened, with one thing changed.
    fn checked(text: &str, change: &dyn Fn(&mut Divided)) -> Result<(), String> {
        let loaded = Loaded::load("m.cor", text, &[], ParseLimits::default());
        let (loaded, _) = loaded.expect("no errors");
        let (program, claim) = claimed(loaded.program(), "c").expect("a claim");
        let place = |what: &str| text.find(what).expect("a statement");
        let path = |way| WeakPath {
            start: place("lock(m);"),
            end: place("unlock(m);") + "unlock(m);".len(),
            way,
        };
        let mut made = (0..4).filter_map(|way| by_path(program, claim, &[path(way)].into()));
        let mut made = made.next().expect("a section");
        change(&mut made);
        let places = program.threads.iter();
        let places = places.map(|t| Named::Location(t.name.clone()));
        let cells = program.cells.iter().map(|c| Named::Cell(c.name.clone()));
        let items = std::iter::once(Named::Violated).chain(places).chain(cells);
        let part = Part {
            claims: vec!["c".into()],
            items: items.collect(),
            states: TRUE,
            ..Part::default()
        };
        match check((program, claim), &made, &part, &Control::default()) {
            Ok(_) => Ok(()),
            Err(Refused::Wrong(why)) => Err(why),
            Err(Refused::Stopped(stop)) => panic!("{stop}"),
        }
    }

    #[test]
    fn sections_are_held_to_what_their_steps_do() {
        assert_eq!(checked(POLLED, &|_| ()), Ok(()));
        let refused = |text: &str, why: &str, change: &dyn Fn(&mut Divided)| {
            let told = checked(text, change).expect_err(why);
            assert!(told.contains(why), "{told}");
        };
        // Where the section of the first thread begins, and the steps that stand for it.
        let steps = |made: &Divided| -> (LocId, Vec<usize>) {
            let &(_, l, _) = made.inner.first().expect("a section");
            let edges = 0..made.program.threads[0].locations[l].edges.len();
            let others = edges.filter(|n| !made.inner.contains(&(0, l, *n)));
            (l, others.collect())
        };
        // Without the step that takes something, and without the one that takes nothing.
        for (kept, gone) in [(0, 1), (1, 0)] {
            refused(POLLED, "does more than the step", &|made| {
                let (l, others) = steps(made);
                let edges = &mut made.program.threads[0].locations[l].edges;
                edges[others[gone]] = edges[others[kept]].clone();
            });
        }
        // Any edge told for one in the section that is not, or the other way round.
        refused(POLLED, "behind what commits", &|made| made.inner.clear());
        let edges = std::cell::RefCell::new(Inner::new());
        let told = checked(POLLED, &|made| {
            let locations = made.program.threads[0].locations.iter().enumerate();
            let all = locations.flat_map(|(l, at)| (0..at.edges.len()).map(move |n| (0, l, n)));
            edges.borrow_mut().extend(all);
        });
        let edges = edges.into_inner();
        assert!(told.is_ok() && edges.len() == 10, "{edges:?}");
        for edge in edges {
            refused(POLLED, "", &|made| {
                if !made.inner.remove(&edge) {
                    made.inner.insert(edge);
                }
            });
        }
        // A step of the block into the section, and a section that others see half of.
        refused(POLLED, "into the middle", &|made| {
            let (l, _) = steps(made);
            let to = made.program.threads[0].locations[l].edges[0].targets()[0];
            let mut edge = made.program.threads[0].locations[0].edges[0].clone();
            edge.body = vec![Command::Goto(to)];
            made.program.threads[0].locations[0].edges.push(edge);
            let block = made.claim.blocks.iter_mut().find(|b| b.thread == 0);
            block.expect("a block").edges.push((0, 2));
        });
        let halves = POLLED.replace("unlock(m);", "if (done) { k = 0; } unlock(m);");
        refused(&halves, "in a section that has committed", &|_| ());
    }

    #[test]
    fn a_weaker_program_has_all_steps() {
        assert!(is_accepted(&|_| ()));
        let weakened = |e: &Edge| matches!(e.body.first(), Some(Command::Havoc(_)));
        let all = |p: &mut Program, change: &dyn Fn(&mut Vec<Edge>)| {
            let locations = p.threads[1].locations.iter_mut();
            locations.for_each(|l| change(&mut l.edges));
        };
        // No way to read, or only one value.
        assert!(!is_accepted(
            &|p| all(p, &|edges| edges.retain(|e| !weakened(e)))
        ));
        assert!(!is_accepted(&|p| all(p, &|edges| {
            for edge in edges.iter_mut().filter(|e| weakened(e)) {
                if let Some(Command::Havoc(target)) = edge.body.first().cloned() {
                    let one = crate::model::program::Expr::Const(1);
                    edge.body[0] = Command::Assign(target, one);
                }
            }
        })));
        // One way less to write.
        assert!(!is_accepted(&|p| all(p, &|edges| {
            if edges.len() > 1 {
                edges.pop();
            }
        })));
        // Others, and the beginning, are as they were.
        assert!(!is_accepted(&|p| p.threads[2].locations[0].edges.clear()));
        assert!(!is_accepted(&|p| p.cells[0].initial = Some(1)));
        assert!(!is_accepted(
            &|p| p.threads[0].initial = p.threads[0].locations.len() - 1
        ));
    }
}
