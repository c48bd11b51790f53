//! What a check has established, as a bundle for the leaf checker.

use super::facts::{self, Discharge, PhaseLetter};
use super::invariant::{Ladder, Rung};
use super::properties::Goal;
use super::stoller_cohen::{Explorer, Grain, Reduced};
use super::transactions::Phased;
use super::visibility::Visibility;
use crate::bundle::{Bundle, Diagrams, Item, Letter, Node, Root, TRUE, Transactions, differences};
use crate::control::Stop;
use crate::explore::core::Mover;
use crate::kernel;
use crate::program::{LocId, Program, ThreadId};
use crate::relation::{self, Encoding, Q};
use crate::report::{Report, Status};
use biodivine_lib_bdd::Bdd;

/// What a finished check has found.
pub(super) struct Found<'a, 'e, 'p> {
    pub explorer: &'a Explorer<'e, 'p>,
    pub visibility: &'a Visibility,
    pub reduced: &'a Reduced,
    pub goals: &'a [Goal],
    pub discharge: &'a Discharge,
    /// The program, and its phases if all this is about a program with phases.
    pub program: &'a Program,
    pub phased: Option<&'a Phased>,
}

impl Found<'_, '_, '_> {
    /// The bundle; `None` if nothing is established that a bundle can show.
    ///
    /// Only properties that hold because of the theorem are claimed: what is refuted, or reached, has its trace as evidence.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub(super) fn gather(
        &self,
        report: &Report,
        ladder: &mut Ladder,
    ) -> Result<Option<Bundle>, Stop> {
        let Found {
            explorer,
            visibility,
            reduced,
            goals,
            discharge,
            program,
            phased,
        } = self;
        let e = ladder.encoding();
        e.m.control().enter("the certificate");
        let judged = goals.iter().zip(&report.properties);
        let held = judged.filter(|(g, p)| p.verdict == Status::Holds && !g.wanted);
        let mut claims: Vec<String> = held.map(|(g, _)| g.name.clone()).collect();
        let named = |id: &str| Rung::ALL.into_iter().find(|r| r.id() == id);
        let mut rung = named(&report.invariant);
        // What blocks are is shown where no execution violates the discipline, of the program without phases.
        if phased.is_none() && claims.iter().any(|c| c == "discipline") {
            for claim in report.claims.iter().filter(|c| c.verdict == Status::Holds) {
                claims.push(claim.name.clone());
                rung = rung.zip(named(&claim.invariant)).map(|(a, b)| a.max(b));
            }
        }
        let (false, Some(rung)) = (claims.is_empty(), rung) else {
            return Ok(None);
        };
        let p = e.program;
        // The theorems about transactions speak of threads that go wrong, for whatever reason.
        if phased.is_some()
            && !e
                .m
                .disjoint(&reduced.visited, &e.predicate(&p.gone_wrong())?)
        {
            return Ok(None);
        }
        let mut bundle = Bundle {
            name: report.model.clone(),
            theorem: report.theorem.clone(),
            defines: p
                .overridden
                .iter()
                .filter_map(|d| d.split_once('='))
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            text: p.source.clone(),
            disciplines: differences(program),
            claims,
            items: items(e),
            ..Bundle::default()
        };
        bundle.transactions = phased.map(|phased| transactions(program, phased));
        for (a, action) in e.actions.iter().enumerate().filter(|_| phased.is_none()) {
            if visibility.is_visible(a) {
                let thread = &p.threads[action.thread];
                let location = thread.locations[action.location].name.clone();
                bundle.visible.push((thread.name.clone(), location));
            }
        }
        let mut put = |set: &Bdd| put(&mut bundle.diagrams, set);
        let mut roots = Vec::new();
        roots.push(put(&reduced.states));
        let from = e.m.and_not(&reduced.states, &e.q())?;
        for t in 0..p.threads.len() {
            roots.push(put(&explorer.coarse(t, &from, Grain::Single)?.inside));
        }
        if rung != Rung::True {
            roots.push(put(&ladder.strongest(rung)?));
        }
        let Some(mut roots) = roots.into_iter().collect::<Option<Vec<Root>>>() else {
            return Ok(None);
        };
        if rung != Rung::True {
            bundle.invariant = roots.pop();
        }
        bundle.inside = roots.split_off(1);
        bundle.states = roots.first().copied().unwrap_or(TRUE);
        if discharge.development.theorems().len() > 0 {
            bundle.classes = classes(e, discharge);
            bundle.letters = discharge.letters.iter().map(letter).collect();
            bundle.derivations = Some(kernel::write(&discharge.development));
        }
        Ok(Some(bundle))
    }
}

fn classes(e: &Encoding, discharge: &Discharge) -> Vec<Vec<String>> {
    let name = |t: &usize| e.program.threads[*t].name.clone();
    let of = |c: &facts::Class| c.threads.iter().map(name).collect();
    discharge.classes.iter().map(of).collect()
}

/// What a program with phases is made of.
fn transactions(p: &Program, phased: &Phased) -> Transactions {
    let places = || {
        let threads = p.threads.iter().enumerate();
        threads.flat_map(|(t, thread)| thread.steps().map(move |l| (t, l)))
    };
    let named = |(t, l): (ThreadId, LocId)| {
        let thread = &p.threads[t];
        (thread.name.clone(), thread.locations[l].name.clone())
    };
    let of = |is: &dyn Fn(&Mover) -> bool| {
        let all = places().filter(|(t, l)| is(&phased.movers[*t][*l]));
        all.map(named).collect()
    };
    let cut = |&(t, l): &(ThreadId, LocId)| phased.cuts.get(t).is_some_and(|c| c.contains(&l));
    Transactions {
        right: of(&|m| m.right || m.local),
        left: of(&|m| m.left || m.local),
        cuts: places().filter(cut).map(named).collect(),
    }
}

/// A letter of a bundle.
fn letter(of: &facts::Letter) -> Letter {
    match *of {
        facts::Letter::Action(class, location) => Letter::Steps { class, location },
        facts::Letter::Enabled(class, location) => Letter::Enabled { class, location },
        facts::Letter::Violated => Letter::Violated,
        facts::Letter::Hole => Letter::Hole,
        facts::Letter::Phase(class, PhaseLetter::Before) => Letter::Before { class },
        facts::Letter::Phase(class, PhaseLetter::Behind) => Letter::Behind { class },
        facts::Letter::Phase(class, PhaseLetter::Wrong) => Letter::Wrong { class },
        facts::Letter::Initial => Letter::Initial,
    }
}

/// The state's components in the order of their bits.
fn items(e: &Encoding) -> Vec<Item> {
    let name = |item: &relation::Item| match item {
        relation::Item::Violated => Item::Violated,
        relation::Item::Location(t) => Item::Location(e.program.threads[*t].name.clone()),
        relation::Item::Cell(c) => Item::Cell(e.program.cells[*c].name.clone()),
    };
    e.layout.order().iter().map(name).collect()
}

/// A set over the levels before a step, as a diagram; `None` if it looks at others.
fn put(diagrams: &mut Diagrams, set: &Bdd) -> Option<Root> {
    if let Some(constant) = set.as_bool() {
        return Some(Root::from(constant));
    }
    debug_assert_eq!(Q, 0, "bits are counted from q");
    let mut known: Vec<Root> = vec![0, 1];
    let mut last = None;
    for pointer in set.pointers().skip(2) {
        let level = set.var_of(pointer).to_index();
        let child = |p: biodivine_lib_bdd::BddPointer| known.get(p.to_index()).copied();
        let node = Node {
            bit: level.is_multiple_of(3).then_some(level as u32 / 3)?,
            low: child(set.low_link_of(pointer))?,
            high: child(set.high_link_of(pointer))?,
        };
        let root = diagrams.add(node).ok()?;
        known.push(root);
        last = Some(root);
    }
    last
}
