//! Honest evidence: of shipped small models, of random ones of the twin's, and of random ones with claims of
//! transactions.

use crate::twin;
use crate::{claimed, random, shipped};

use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::evidence::Bundle;
use coarsen::{CheckOptions, ReachOptions, Session, theory};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use twin::ast::Program as TwinProgram;
use twin::generate::{Disciplines, Sample, samples_with};
use twin::semantics::System;

/// Who writes evidence: a theorem, or `reach`.
pub const WRITERS: [&str; 6] = [
    "stoller-cohen",
    "flanagan-qadeer",
    "left-movers",
    "right-movers",
    "lipton",
    "reach",
];

/// Shipped models with few states.
const SHIPPED: [&str; 30] = [
    "classic/peterson",
    "classic/barrier",
    "features/ordered_locks",
    "features/going_wrong",
    "transactions/counter_method",
    "flanagan_qadeer/counter",
    "features/init_predicate",
    "transactions/two_phase_locking",
    "features/unreachable_goal",
    "hypotheses/hidden_invariant",
    "seeded/wrong_lock",
    "transactions/reference_count",
    "classic/philosophers_atomic",
    "transactions/singleton_checked",
    "features/opposite_locks",
    "features/traffic_light",
    "transactions/seqlock",
    "features/blocked_inside",
    "transactions/auction",
    "invariants/claimed_under_lock",
    "features/wrap_around",
    "hypotheses/token_ring",
    "features/vacuous",
    "levin/figure1",
    "classic/locked_ring",
    "levin/figure2",
    "transactions/singleton_bug",
    "invariants/flag_lock",
    "transactions/counter_method_bug",
    "features/grid",
];

/// Evidence, and what is known of its model.
pub struct Source {
    pub name: String,
    pub writer: &'static str,
    pub bundle: Bundle,
    /// Names that can be claimed.
    pub names: Vec<String>,
    /// The text of a model that is almost the same.
    pub variant: Option<String>,
}

/// The evidence, and which texts are which programs of the twin's.
#[derive(Default)]
pub struct Sources {
    pub all: Vec<Source>,
    pub twins: Vec<(String, TwinProgram)>,
}

impl Sources {
    /// Evidence of so many models of each sort.
    pub fn gather(shipped: usize, random: u32, claimed: u32) -> Sources {
        let mut sources = Sources::default();
        for name in SHIPPED.iter().take(shipped) {
            let model = shipped::model(name);
            sources.of(&model.name, &model.source, None);
        }
        let mut runner = random::runner(1);
        for disciplines in [Disciplines::Written, Disciplines::Omitted] {
            for _ in 0..random {
                sources.of_sample(&drawn(&samples_with(disciplines), &mut runner));
            }
        }
        for n in 0..claimed {
            let source = drawn(&claimed::programs(), &mut runner);
            sources.of(&format!("claims-{n}.cor"), &source, None);
        }
        sources
    }

    fn of_sample(&mut self, sample: &Sample) {
        let name = format!("sample-{}.cor", self.twins.len());
        let changed = variant(&sample.program);
        self.of(&name, &sample.source, changed.as_ref().map(|c| &*c.source));
        self.twins
            .push((sample.source.clone(), sample.program.clone()));
        if let Some(changed) = changed {
            self.of(&name, &changed.source, Some(&sample.source));
            self.twins.push((changed.source, changed.program));
        }
    }

    fn of(&mut self, name: &str, text: &str, variant: Option<&str>) {
        let loaded = Session::load(name, text, &[], ParseLimits::default());
        let Ok((session, _)) = loaded else {
            return;
        };
        let claims = session.program().claims.iter().map(|c| c.name.clone());
        let names: Vec<String> = names(&session).into_iter().chain(claims).collect();
        for writer in WRITERS {
            if let Some(bundle) = evidence(&session, writer) {
                self.all.push(Source {
                    name: name.into(),
                    writer,
                    bundle,
                    names: names.clone(),
                    variant: variant.map(String::from),
                });
            }
        }
    }

    /// The twin's program of this text.
    pub fn twin(&self, text: &str) -> Option<&TwinProgram> {
        let mut all = self.twins.iter();
        all.find_map(|(known, program)| (known == text).then_some(program))
    }
}

/// What a check by a theorem, or `reach`, has to show.
pub fn evidence(session: &Session, writer: &str) -> Option<Bundle> {
    let control = Control::default();
    let bundle = match writer {
        "reach" => {
            let options = ReachOptions {
                deadlock: true,
                certificate: true,
                cores: 1,
                find: condition(session).into_iter().collect(),
                invariants: names(session),
                ..ReachOptions::default()
            };
            let theory = theory("stoller-cohen")?;
            session.reach(&theory, &options, &control).bundle
        }
        theorem => {
            let options = CheckOptions {
                certificate: true,
                claims_by: (theorem != "stoller-cohen").then(|| theorem.into()),
                ..CheckOptions::default()
            };
            session.check(&theory(theorem)?, &options, &control).bundle
        }
    };
    bundle.map(|bundle| *bundle)
}

fn names(session: &Session) -> Vec<String> {
    let properties = session.program().properties.iter();
    properties.map(|p| p.name.clone()).collect()
}

/// A condition that may be reached or not: that a shared variable has its greatest value.
fn condition(session: &Session) -> Option<(String, coarsen::model::program::Expr)> {
    let mut cells = session.program().cells.iter();
    cells.find_map(|cell| {
        let text = format!("{} == {}", cell.name, cell.ty.hi);
        Some((text.clone(), session.state_expression(&text).ok()?))
    })
}

fn drawn<S: Strategy>(strategy: &S, runner: &mut TestRunner) -> S::Value {
    loop {
        if let Ok(tree) = strategy.new_tree(runner) {
            return tree.current();
        }
    }
}

/// The program with another first value of its first shared variable that has one.
fn variant(program: &TwinProgram) -> Option<Sample> {
    let mut program = program.clone();
    let mut shared = program.shared.iter_mut().map(|s| &mut s.variable);
    let other = shared.find_map(|v| {
        let first = v.initial?;
        let mut values = v.ty.values().into_iter();
        v.initial = Some(values.find(|n| *n != first)?);
        Some(())
    });
    other?;
    let has_states = !System::new(&program).initial().is_empty();
    has_states.then(|| Sample::new(program))
}
