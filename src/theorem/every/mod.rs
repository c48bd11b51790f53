//! The hypotheses for every value of a constant, such as the number of threads.
//!
//! The model is read with the constant left open (`model::program::parametric`). Derivations speak of generic threads
//! as it is; so it is enough to establish their facts for generic threads, too: symbolically, from an arbitrary
//! type-correct state, with case distinctions over which cells are one (`run`, `step`, `facts`). What facts there are
//! to be established is found on a small instance. Nothing else of the instance is believed.

mod access;
mod disciplines;
mod facts;
mod kinds;
mod linear;
mod run;
mod step;

use self::facts::Question;
use self::kinds::{Kind, kinds};
use self::linear::{Linear, Literal};
use self::run::{Generic, Key, Machine, Run, Said, Unknown, Unsaid, onward, where_true};
use self::step::{Discipline, Steps, looks_at};
use super::check::{Prepared, prepare};
use super::discharge::derive::{Deriver, Open};
use super::discharge::facts::Discharge;
use super::discharge::hypotheses::Pairs;
use super::invariants::Ladder;
use super::read::{Model, Names};
use super::visibility::Visibility;
use crate::algebra::Theory;
use crate::base::control::{Control, Hit, Stop};
use crate::base::results::{
    EveryHypothesis, EveryReport, Evidence, Obstacle, Status, Verdict, VisibilityReason,
};
use crate::engine::relations::Encoding;
use crate::kernel::Statement;
use crate::model::program::{
    ArrayId, Expr, OpenDiscipline, Parametric, Program, SELF, ThreadId, elaborate, parametric,
};
use crate::model::text::ast;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::Instant;

/// The largest instance that is looked at.
const LARGEST: i64 = 6;

/// What is asked.
pub struct Asked<'a> {
    /// The model's name.
    pub name: &'a str,
    /// Its tree.
    pub tree: &'a ast::Model,
    /// Its text.
    pub source: &'a str,
    /// Constants that are given.
    pub defines: &'a [(String, String)],
    /// The constant that is left open.
    pub constant: &'a str,
    /// The theorem.
    pub theory: &'a Theory,
}

/// Says for which values of a constant the hypotheses hold, and whether the discipline is kept for all of them.
pub fn every(asked: &Asked, control: &Control) -> EveryReport {
    let begun = Instant::now();
    let mut report = EveryReport::undecided(asked.name, &asked.theory.name, asked.constant);
    match Instance::first(asked, control) {
        Ok(instance) => {
            report.instance = Some(instance.value.to_string());
            if let Err(unsaid) = instance.tell(asked, control, &mut report) {
                note(&mut report, unsaid, control);
            }
        }
        Err(unsaid) => note(&mut report, unsaid, control),
    }
    report.time = begun.elapsed().as_secs_f64();
    report
}

fn note(report: &mut EveryReport, unsaid: Unsaid, control: &Control) {
    match unsaid {
        Unsaid::Stopped(stop) => report.limit = Some(Hit::Phase(stop, control.phase())),
        Unsaid::Because(why) => report.obstacle = Some(why),
    }
}

/// A model with a constant left open, and a small instance of it.
struct Instance {
    /// The constant's value in the instance.
    value: i64,
    parametric: Parametric,
    /// The instance, as its text says.
    program: Program,
    kinds: Vec<Kind>,
    /// The array of the open program that each array of the instance's is.
    arrays: Vec<ArrayId>,
}

impl Instance {
    /// The smallest instance that has threads of each kind.
    fn first(asked: &Asked, control: &Control) -> Said<Instance> {
        let mut why = Obstacle::NoInstance;
        for value in 2..=LARGEST {
            control.check()?;
            match Instance::at(asked, value, control) {
                Ok(instance) => return Ok(instance),
                Err(Unsaid::Because(Obstacle::NoInstance)) => {}
                Err(Unsaid::Because(obstacle)) => why = obstacle,
                Err(stopped) => return Err(stopped),
            }
        }
        Err(Unsaid::Because(why))
    }

    fn at(asked: &Asked, value: i64, control: &Control) -> Said<Instance> {
        let defines = with(asked, value);
        let read = elaborate(asked.tree, asked.source, &defines);
        let open = parametric(asked.tree, asked.source, &defines, asked.constant);
        let (Ok((program, _)), Ok(parametric)) = (read, open) else {
            return Err(Unsaid::Because(Obstacle::NoInstance));
        };
        let arrays = matched(&program, &parametric)?;
        let kinds = kinds(&parametric)?;
        let machine = Machine::new(&parametric, control);
        kinds::complete(&machine, &kinds, value)?;
        Ok(Instance {
            value,
            program,
            kinds,
            arrays,
            parametric,
        })
    }

    /// Derives the hypotheses, finds the smallest value, and looks at the discipline.
    fn tell(&self, asked: &Asked, control: &Control, report: &mut EveryReport) -> Said<()> {
        control.enter("disciplines and visible steps of a small instance");
        let (prepared_report, prepared) =
            prepare(asked.name, &self.program, asked.theory, &[], control);
        let Some(prepared) = prepared else {
            let hit = prepared_report.limits.hit;
            return Err(Unsaid::Because(
                hit.map_or(Obstacle::NoInstance, Obstacle::Limit),
            ));
        };
        for kind in &self.kinds {
            kind.uniform(&prepared, &self.parametric)?;
        }
        let oracle = Oracle::new(self, &prepared.program, control)?;
        let encoding = Encoding::new(&prepared.program, control)?;
        let visibility = as_prepared(&encoding, &prepared);
        let model = Model {
            encoding: &encoding,
            visibility: &visibility,
            theory: asked.theory,
            states: Vec::new(),
            phased: None,
            names: Names::Variables,
        };
        let mut ladder = Ladder::new(&encoding);
        let mut discharge = Discharge::new(&model);
        let mut deriver = Deriver::new(&model, &mut ladder, &mut discharge, false)?;
        deriver.every = Some(&oracle);
        for hypothesis in &asked.theory.hypotheses {
            control.enter(format!("hypothesis ({})", hypothesis.id));
            let entry = match deriver.derive(hypothesis, &mut Pairs::default()) {
                Ok(derived) => EveryHypothesis {
                    id: hypothesis.id.clone(),
                    status: Status::Holds,
                    facts: derived.facts,
                    vacuous: derived.vacuous,
                    lemmas: match derived.evidence {
                        Evidence::Derived(d) => d.lemmas,
                        _ => Vec::new(),
                    },
                    obstacle: None,
                },
                Err(Open::Stopped(stop)) => return Err(stop.into()),
                Err(Open::Because(why)) => EveryHypothesis {
                    id: hypothesis.id.clone(),
                    status: Status::Unknown,
                    facts: "0".to_string(),
                    vacuous: false,
                    lemmas: Vec::new(),
                    obstacle: Some(Obstacle::Underived(why)),
                },
            };
            report.hypotheses.push(entry);
        }
        report.facts = discharge.facts.iter().map(|f| f.text.clone()).collect();
        if report.hypotheses.iter().any(|h| h.status != Status::Holds) {
            report.obstacle = Some(Obstacle::Hypotheses);
            return Ok(());
        }
        control.enter("the smallest value");
        let from = self.smallest(asked, &oracle, &discharge, control)?;
        report.from = Some(from.to_string());
        if !asked.theory.is_proved() {
            return Err(Unsaid::Because(Obstacle::Unproved));
        }
        control.enter("the discipline for every value");
        for from in from..=self.value {
            oracle.from.set(from);
            match access::kept(&oracle, &prepared.program)? {
                None => {
                    report.from = Some(from.to_string());
                    report.obstacle = None;
                    report.discipline = Status::Holds;
                    report.verdict = Verdict::Holds;
                    break;
                }
                obstacle => report.obstacle = obstacle,
            }
        }
        Ok(())
    }

    /// The smallest value from which on everything was established.
    fn smallest(
        &self,
        asked: &Asked,
        oracle: &Oracle,
        discharge: &Discharge,
        control: &Control,
    ) -> Said<i64> {
        'next: for value in 1..self.value {
            if elaborate(asked.tree, asked.source, &with(asked, value)).is_err() {
                continue;
            }
            match kinds::complete(&Machine::new(&self.parametric, control), &self.kinds, value) {
                Ok(()) => {}
                Err(Unsaid::Because(_)) => continue,
                Err(stopped) => return Err(stopped),
            }
            let statements = discharge.development.hypotheses().iter();
            for ((_, statement), fact) in statements.zip(&discharge.facts) {
                match oracle.holds(discharge, statement, &fact.threads, value) {
                    Ok(()) => {}
                    Err(Unsaid::Because(_)) => continue 'next,
                    Err(stopped) => return Err(stopped),
                }
            }
            return Ok(value);
        }
        Ok(self.value)
    }
}

/// The constants that are given, and a value of the open one.
fn with(asked: &Asked, value: i64) -> Vec<(String, String)> {
    let others = asked
        .defines
        .iter()
        .filter(|(name, _)| name != asked.constant);
    let open = (asked.constant.to_string(), value.to_string());
    others.cloned().chain([open]).collect()
}

/// The array of the open program that each array of the instance's is: both have the same variables and steps.
fn matched(program: &Program, parametric: &Parametric) -> Said<Vec<ArrayId>> {
    let open = &parametric.program;
    let is_real = |a: &ArrayId| {
        let cell = open.arrays[*a].first;
        !parametric.open.is_open(cell)
    };
    let arrays: Vec<ArrayId> = (0..open.arrays.len()).filter(is_real).collect();
    let named = |n: usize| open.arrays[arrays[n]].name == program.arrays[n].name;
    if arrays.len() != program.arrays.len() || !(0..arrays.len()).all(named) {
        return Err(Unsaid::Because(Obstacle::OtherSteps(String::new())));
    }
    for (one, other) in program.threads.iter().zip(&open.threads) {
        // Where it goes wrong no step begins; the open one may go wrong where the other does not.
        let at = |l: usize| one.locations[l].name == other.locations[l].name;
        let same =
            one.initial == other.initial && one.steps().eq(other.steps()) && one.steps().all(at);
        if !same {
            return Err(Unsaid::Because(Obstacle::OtherSteps(one.name.clone())));
        }
    }
    Ok(arrays)
}

/// The visibility that was found.
fn as_prepared(e: &Encoding, prepared: &Prepared) -> Visibility {
    let mut visibility = Visibility {
        reasons: vec![Vec::new(); e.actions.len()],
        refused: Vec::new(),
    };
    for (n, a) in e.actions.iter().enumerate() {
        if prepared.visible[a.thread][a.location] {
            visibility.pin(n, VisibilityReason::Wanted);
        }
    }
    visibility
}

/// Who is asked whether a fact holds for every value.
pub(in crate::theorem) struct Oracle<'p> {
    parametric: &'p Parametric,
    /// The instance with its disciplines.
    program: &'p Program,
    control: &'p Control,
    kinds: &'p [Kind],
    disciplines: Vec<OpenDiscipline>,
    /// Of each discipline, whether its predicates can overlap.
    overlaps: RefCell<Vec<bool>>,
    arrays: &'p [ArrayId],
    /// The constant is not below this.
    from: Cell<i64>,
}

impl<'p> Oracle<'p> {
    fn new(instance: &'p Instance, program: &'p Program, control: &'p Control) -> Said<Self> {
        let parametric = &instance.parametric;
        let owners = Machine::new(parametric, control).owners;
        let mut like = vec![0; program.threads.len()];
        for kind in &instance.kinds {
            kind.threads.iter().for_each(|t| like[*t] = kind.like());
        }
        let disciplines =
            disciplines::disciplines(parametric, program, &instance.arrays, &owners, &like);
        let disciplines = disciplines.map_err(Unsaid::Because)?;
        let oracle = Oracle {
            parametric,
            program,
            control,
            kinds: &instance.kinds,
            overlaps: RefCell::new(vec![true; disciplines.len()]),
            disciplines,
            arrays: &instance.arrays,
            from: Cell::new(instance.value),
        };
        for d in 0..oracle.disciplines.len() {
            let overlaps = oracle.can_overlap(d)?;
            oracle.overlaps.borrow_mut()[d] = overlaps;
        }
        Ok(oracle)
    }

    /// Generic threads of these kinds, and what steps they take.
    fn steps(&self, kinds: &[usize]) -> Steps<'p> {
        let machine = Machine::new(self.parametric, self.control);
        let threads: Vec<Generic> = kinds
            .iter()
            .enumerate()
            .map(|(number, kind)| self.kinds[*kind].generic(&machine, number))
            .collect();
        let disciplines = (0..self.disciplines.len()).map(|d| self.discipline(&machine, d));
        let disciplines = disciplines.collect();
        Steps {
            machine,
            disciplines,
            threads,
            arrays: self.arrays.to_vec(),
        }
    }

    /// A discipline, and what its predicates look at.
    fn discipline(&self, machine: &Machine, d: usize) -> Discipline {
        let mut done = Discipline {
            open: self.disciplines[d].clone(),
            support: BTreeSet::new(),
            regions: Vec::new(),
            overlaps: self.overlaps.borrow()[d],
            mentions: Vec::new(),
            looks_at_itself: true,
        };
        for kind in self.kinds {
            let thread = kind.generic(machine, 0);
            let (exclusive, reading) = &self.disciplines[d].predicates[kind.like()];
            for e in [exclusive, reading] {
                looks_at(machine, e, &thread, &mut done.support);
                e.walk(&mut |e| {
                    done.looks_at_itself &= self.is_own(e, kind.like());
                    done.mentions.extend(self.mention(e));
                    if let Expr::At(t, locations) = e {
                        let known = self.parametric.open.members.get(*t);
                        let family = known.map_or(thread.family, |(family, _)| *family);
                        done.regions.push((family, locations.clone()));
                    }
                });
            }
        }
        done
    }

    /// The variable that a part of a predicate mentions, with its indices.
    fn mention(&self, e: &Expr) -> Option<(ArrayId, Vec<Expr>)> {
        let program = &self.parametric.program;
        match e {
            Expr::Cell(c) => {
                let index = program.cells.get(*c).map(|_| program.indices(*c))?;
                let index = index.into_iter().map(|i| Expr::Const(i as i64));
                Some((program.cells[*c].array, index.collect()))
            }
            Expr::Element(array, index) => Some((*array, index.clone())),
            // The slot's flag, which is looked at where the reference leads.
            Expr::Via(reference, Some(array)) => Some((*array, vec![(**reference).clone()])),
            _ => None,
        }
    }

    /// Whether a part of a thread's predicate looks at no other thread's location or variables.
    fn is_own(&self, e: &Expr, thread: ThreadId) -> bool {
        let program = &self.parametric.program;
        let own = |array: ArrayId| {
            let owner = program.arrays[array].name.split_once('.').map(|(t, _)| t);
            let mut threads = program.threads.iter();
            owner.is_none_or(|o| threads.all(|t| t.name != o) || o == program.threads[thread].name)
        };
        match e {
            Expr::At(t, _) => *t == SELF,
            Expr::Cell(c) => program.cells.get(*c).is_none_or(|c| own(c.array)),
            Expr::Element(array, _) => own(*array),
            _ => true,
        }
    }

    /// The states in which a question begins: type-correct, with threads that differ, and the constant not below a
    /// value.
    fn begun(&self, steps: &Steps, kinds: &[usize], from: i64) -> Said<Vec<Run>> {
        let m = &steps.machine;
        m.begin();
        let mut runs = Vec::new();
        let least = Literal::NonNegative(m.parameter().add(-i128::from(from)));
        runs.extend(m.with(&Run::default(), least)?);
        for (thread, kind) in steps.threads.iter().zip(kinds) {
            let mut next = Vec::new();
            for run in runs {
                next.extend(self.kinds[*kind].members(m, run, thread)?);
            }
            runs = next;
        }
        for (n, thread) in steps.threads.iter().enumerate() {
            for other in &steps.threads[n + 1..] {
                if other.family != thread.family {
                    continue;
                }
                let mut next = Vec::new();
                for run in runs {
                    let apart = Literal::NonZero(thread.index.minus(&other.index));
                    next.extend(m.with(&run, apart)?);
                }
                runs = next;
            }
        }
        Ok(runs)
    }

    /// Whether the predicates of two threads can overlap for some cell.
    fn can_overlap(&self, d: usize) -> Said<bool> {
        let all = 0..self.kinds.len();
        for one in all.clone() {
            for other in all.clone() {
                if self.can_overlap_of(d, &[one, other])? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn can_overlap_of(&self, d: usize, kinds: &[usize; 2]) -> Said<bool> {
        let steps = self.steps(kinds);
        let m = &steps.machine;
        let named = |n: usize| Linear::atom(m.atom(Unknown::Named(format!("[{n}]"))));
        let index: Vec<Linear> = (0..self.disciplines[d].binders.len()).map(named).collect();
        let runs = onward(self.begun(&steps, kinds, 1)?, |run| {
            Ok(m.inside(run, self.disciplines[d].array, &index)?.0)
        })?;
        let first = onward(runs, |run| {
            steps.right(run, d, &steps.threads[0], &index, true)
        })?;
        let both = onward(where_true(first), |run| {
            steps.right(run, d, &steps.threads[1], &index, false)
        })?;
        Ok(both.iter().any(|(_, right)| *right))
    }

    /// The kinds of a class of threads of the instance.
    fn kinds_of(&self, discharge: &Discharge, class: usize) -> Vec<usize> {
        let threads = &discharge.classes[class].threads;
        let of = |n: &usize| threads.contains(&self.kinds[*n].like());
        (0..self.kinds.len()).filter(of).collect()
    }

    /// Whether a statement about generic threads of these classes (by index variable) is a fact for every value.
    ///
    /// # Errors
    /// What stands against it.
    fn holds(
        &self,
        discharge: &Discharge,
        statement: &Statement,
        classes: &[(u32, usize)],
        from: i64,
    ) -> Said<()> {
        let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
        for (_, class) in classes {
            let kinds = self.kinds_of(discharge, *class);
            if kinds.is_empty() {
                return Err(Unsaid::Because(Obstacle::Form));
            }
            let longer = |c: &Vec<usize>| -> Vec<Vec<usize>> {
                kinds
                    .iter()
                    .map(|k| [c.as_slice(), &[*k]].concat())
                    .collect()
            };
            choices = choices.iter().flat_map(longer).collect();
        }
        let most = classes
            .iter()
            .map(|(v, _)| *v as usize + 1)
            .max()
            .unwrap_or(0);
        let mut variables = vec![None; most];
        for (n, (v, _)) in classes.iter().enumerate() {
            variables[*v as usize] = Some(n);
        }
        for kinds in choices {
            let steps = self.steps(&kinds);
            let begun = self.begun(&steps, &kinds, from)?;
            let question = Question {
                steps: &steps,
                discharge,
                program: self.program,
                variables: variables.clone(),
            };
            for (left, right) in &statement.parts {
                if !question.included(&begun, *left, *right)? {
                    return Err(Unsaid::Because(Obstacle::Fails));
                }
            }
        }
        Ok(())
    }

    /// The same, from the instance's value on.
    ///
    /// # Errors
    /// A limit that was hit.
    pub fn refutes(
        &self,
        discharge: &Discharge,
        statement: &Statement,
        classes: &[(u32, usize)],
    ) -> Result<Option<Obstacle>, Stop> {
        match self.holds(discharge, statement, classes, self.from.get()) {
            Ok(()) => Ok(None),
            Err(Unsaid::Because(why)) => Ok(Some(why)),
            Err(Unsaid::Stopped(stop)) => Err(stop),
        }
    }
}
