//! The syntactic analysis: visible and invisible steps, and the hypotheses, by the text of the program alone. It is
//! used where BDDs would be too large to compare steps with each other.
//!
//! A step may be invisible if it mentions variables of its own thread only, looks at no other thread's location, and if
//! nothing else looks at what it changes: no exclusive access predicate, no property, and at the thread's location no
//! other thread. Such a step commutes with all steps of other threads, which neither enable nor disable it, and it has
//! no part in q; then each of (11)-(18) holds (`docs/soundness.md`, "By the text"). Everything else is visible. So less
//! is reduced than by relations, since the effect of a step on protected variables is not analysed.

use crate::algebra::{self, Theory};
use crate::base::results::{
    Discharge, Evidence, Hypothesis, Rung, Shared, Status, Textual, VisibilityReason,
};
use crate::model::program::{CellId, Class, Expr, How, LocId, Program, Thread, ThreadId, each_use};
use crate::model::text::ast::BinaryOp;
use crate::theorem::discharge::hypotheses;
use crate::theorem::properties::{Asked, GoalKind};
use crate::theorem::visibility::{changes_predicate, mentioned};
use rustc_hash::FxHashMap;

/// Why steps are visible, by thread and location; no reason means invisible, or that there is no step.
pub type Reasons = Vec<Vec<Vec<VisibilityReason>>>;

/// Which steps are visible, and why.
pub fn visibility(p: &Program, asked: &[Asked]) -> Reasons {
    let watched = Watched::new(p, asked);
    let mut all = Vec::new();
    for (t, thread) in p.threads.iter().enumerate() {
        let mut reasons = vec![Vec::new(); thread.locations.len()];
        for l in thread.steps().filter(|&l| is_ever_open(thread, l)) {
            reasons[l] = mentioned(p, t, l);
            if reasons[l].is_empty() {
                reasons[l] = watched.needed(p, t, l);
            }
        }
        break_cycles(p, t, &mut reasons);
        all.push(reasons);
    }
    all
}

/// Whether an invisible step changes something that a property looks at whose answer it may hide then.
pub fn may_hide(p: &Program, asked: &[Asked], visible: &[Vec<bool>]) -> bool {
    let mut watched = Watched::none(p);
    watched.properties(p, asked);
    let hides = |(t, thread): (ThreadId, &Thread)| {
        let mut invisible = thread.steps().filter(|l| !visible[t][*l]);
        invisible.any(|l| is_ever_open(thread, l) && !watched.seen(p, t, l).is_empty())
    };
    p.threads.iter().enumerate().any(hides)
}

/// How many steps are invisible if nothing is guessed.
pub fn invisible(p: &Program, reasons: &Reasons) -> usize {
    let of = |(thread, reasons): (&Thread, &Vec<Vec<VisibilityReason>>)| {
        thread.steps().filter(|&l| reasons[l].is_empty()).count()
    };
    p.threads.iter().zip(reasons).map(of).sum()
}

/// Whether a location can be left: a step that is disabled in all states is invisible, whatever it would do.
pub fn is_ever_open(thread: &Thread, location: LocId) -> bool {
    let mut edges = thread.locations[location].edges.iter();
    edges.any(|e| e.guard != Some(Expr::FALSE))
}

/// Who looks at variables and locations, besides the steps that mention them.
struct Watched {
    cells: FxHashMap<CellId, Vec<VisibilityReason>>,
    /// By thread: locations that are told apart from all others, which ways across, and by whom.
    locations: Vec<Vec<(Vec<LocId>, Across, Seen)>>,
}

/// Which steps between some locations and all others matter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Across {
    /// Those that lead in, and those that lead out.
    Both,
    In,
    Out,
}

impl Across {
    fn turned(self) -> Self {
        match self {
            Across::Both => Across::Both,
            Across::In => Across::Out,
            Across::Out => Across::In,
        }
    }
}

/// Who tells locations apart.
enum Seen {
    /// The steps of this thread.
    By(ThreadId),
    /// A predicate or a property.
    Because(VisibilityReason),
}

impl Watched {
    /// Nobody.
    fn none(p: &Program) -> Self {
        Watched {
            cells: FxHashMap::default(),
            locations: p.threads.iter().map(|_| Vec::new()).collect(),
        }
    }

    /// Notes what the questions look at whose answer a step may hide.
    fn properties(&mut self, p: &Program, asked: &[Asked]) {
        for a in asked.iter().filter(|a| a.can_be_hidden) {
            if let GoalKind::User(n) = a.kind {
                let why = VisibilityReason::Hides(a.name.clone());
                // What leads out of the states that settle it.
                let across = if a.wanted { Across::Out } else { Across::In };
                self.look(p, &p.properties[n].expr, across, &why);
            }
        }
    }

    fn new(p: &Program, asked: &[Asked]) -> Self {
        let mut watched = Watched::none(p);
        for (x, protection) in p.protections.iter().enumerate() {
            let readers = protection.readers.iter().flatten();
            for e in protection.predicates.iter().chain(readers) {
                watched.look(p, e, Across::Both, &changes_predicate(p, x));
            }
        }
        watched.properties(p, asked);
        for (t, thread) in p.threads.iter().enumerate() {
            for edge in thread.locations.iter().flat_map(|l| &l.edges) {
                edge.each_expression(&mut |e| {
                    e.walk(&mut |e| {
                        if let Expr::At(other, locations) = e {
                            let seen = (locations.clone(), Across::Both, Seen::By(t));
                            watched.locations[*other].push(seen);
                        }
                    });
                });
            }
        }
        watched
    }

    /// Notes what an expression looks at, and which changes of it matter: those that make it true, or false.
    fn look(&mut self, p: &Program, e: &Expr, across: Across, why: &VisibilityReason) {
        let cells = match e {
            Expr::Cell(c) => *c..*c + 1,
            Expr::Element(array, _) | Expr::Via(_, Some(array)) => p.cells_of(*array),
            Expr::At(t, locations) => {
                let seen = Seen::Because(why.clone());
                self.locations[*t].push((locations.clone(), across, seen));
                0..0
            }
            _ => 0..0,
        };
        for c in cells {
            self.cells.entry(c).or_default().push(why.clone());
        }
        match e {
            Expr::Const(_) | Expr::Cell(_) | Expr::At(..) => {}
            Expr::Not(x) => self.look(p, x, across.turned(), why),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, x, y) => {
                self.look(p, x, across, why);
                self.look(p, y, across, why);
            }
            Expr::Binary(BinaryOp::Implies, x, y) => {
                self.look(p, x, across.turned(), why);
                self.look(p, y, across, why);
            }
            Expr::Cond(c, x, y) => {
                self.look(p, c, Across::Both, why);
                self.look(p, x, across, why);
                self.look(p, y, across, why);
            }
            Expr::Binary(_, x, y) => {
                self.look(p, x, Across::Both, why);
                self.look(p, y, Across::Both, why);
            }
            Expr::Element(_, index) => {
                for e in index {
                    self.look(p, e, Across::Both, why);
                }
            }
            Expr::Neg(x) | Expr::Via(x, _) | Expr::Slot(x, _) => {
                self.look(p, x, Across::Both, why);
            }
        }
    }

    /// Why a step whose text gives no reason to be visible is so all the same.
    fn needed(&self, p: &Program, thread: ThreadId, location: LocId) -> Vec<VisibilityReason> {
        let mut reasons = Vec::new();
        let here = &p.threads[thread].locations[location];
        for edge in &here.edges {
            each_use(p, edge, &mut |used| {
                for c in used.cells {
                    if p.cells[c].class != Class::Local(thread) {
                        let name = p.arrays[p.cells[c].array].name.clone();
                        reasons.push(VisibilityReason::Uncompared(Shared::Uses(name)));
                    }
                }
            });
        }
        for edge in &here.edges {
            edge.each_expression(&mut |e| {
                e.walk(&mut |e| {
                    if let Expr::At(other, _) = e
                        && *other != thread
                    {
                        let name = p.threads[*other].name.clone();
                        reasons.push(VisibilityReason::Uncompared(Shared::LooksAt(name)));
                    }
                });
            });
        }
        reasons.extend(self.seen(p, thread, location));
        if location == p.threads[thread].initial {
            reasons.push(VisibilityReason::FirstStep);
        }
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }

    /// Who looks at what a step changes.
    fn seen(&self, p: &Program, thread: ThreadId, location: LocId) -> Vec<VisibilityReason> {
        let mut reasons = Vec::new();
        let here = &p.threads[thread].locations[location];
        for edge in &here.edges {
            each_use(p, edge, &mut |used| {
                for c in used.cells.filter(|_| used.how == How::Write) {
                    reasons.extend(self.cells.get(&c).into_iter().flatten().cloned());
                }
            });
        }
        let mut targets = here.targets();
        targets.extend(p.threads[thread].wrong);
        for (locations, across, seen) in &self.locations[thread] {
            let inside = |l: &LocId| locations.contains(l);
            let unseen = if inside(&location) {
                Across::In
            } else {
                Across::Out
            };
            let stay = targets.iter().all(|l| inside(l) == inside(&location));
            if stay || *across == unseen {
                continue;
            }
            match seen {
                Seen::By(t) if *t == thread => {}
                Seen::By(t) => {
                    let other = p.threads[*t].name.clone();
                    reasons.push(VisibilityReason::Uncompared(Shared::SeenBy(other)));
                }
                Seen::Because(why) => reasons.push(why.clone()),
            }
        }
        reasons
    }
}

/// Makes a step on each cycle of a thread's invisible steps visible: where control comes back to in a depth-first
/// search.
fn break_cycles(p: &Program, thread: ThreadId, reasons: &mut [Vec<VisibilityReason>]) {
    let locations = &p.threads[thread].locations;
    let targets = |l: LocId| match is_ever_open(&p.threads[thread], l) {
        true => locations[l].targets(),
        false => Vec::new(),
    };
    // Not met, on the way, done.
    let mut state = vec![0u8; locations.len()];
    for root in 0..locations.len() {
        let mut stack: Vec<(LocId, Vec<LocId>)> = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(l) = next.take()
                && reasons[l].is_empty()
            {
                match state[l] {
                    0 => {
                        state[l] = 1;
                        stack.push((l, targets(l)));
                    }
                    1 => reasons[l].push(VisibilityReason::Cycle),
                    _ => {}
                }
            }
            let Some((l, targets)) = stack.last_mut() else {
                break;
            };
            next = targets.pop();
            if next.is_none() {
                state[*l] = 2;
                stack.pop();
            }
        }
    }
}

/// The hypotheses of a theory, as far as the text settles them: those of which the theory's file says by what fact.
/// Vacuous if nothing is invisible.
pub fn hypotheses(theory: &Theory, p: &Program, vacuous: bool) -> Vec<Hypothesis> {
    let n = p.threads.len();
    let settled = |hypothesis: &algebra::Hypothesis| {
        let open = hypotheses::undecided(hypothesis);
        let Some(fact) = hypothesis.syntactic else {
            return open;
        };
        let instances = match hypothesis.statement.distinct.is_empty() {
            true => n,
            false => n * n.saturating_sub(1),
        };
        let why = match vacuous {
            true => Textual::NoneInvisible,
            false => Textual::Fact(fact),
        };
        Hypothesis {
            status: Status::Holds,
            instances: instances.to_string(),
            evidence: Evidence::Text(why),
            discharge: Discharge::Text,
            vacuous,
            invariant: Some(Rung::True),
            ..open
        }
    };
    theory.hypotheses.iter().map(settled).collect()
}
