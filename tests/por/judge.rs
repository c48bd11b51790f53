//! Every interleaving by the twin, which shares no code with what is tested, against every combination of techniques.

use super::waiting::program;
use crate::twin::ast::{Part, StmtKind};
use crate::twin::compile::{Command, Loc};
use crate::twin::explore::waits;
use crate::twin::generate::Sample;
use crate::twin::model::{conflict, violates};
use crate::twin::semantics::{State, Step, System};

use coarsen::Session;
use coarsen::base::control::{Budget, Control};
use coarsen::engine::partial_order::{Extend, Por, Technique, explore};
use coarsen::engine::reach::{Answer, Blocked, Question, Reduction, Sort};
use coarsen::model::program::{Expr, LocId, Program};
use coarsen::model::text::ast::BinaryOp;
use std::collections::{BTreeMap, HashSet};

/// All that may be asked for, no bound given.
pub fn combinations() -> Vec<Por> {
    let all = Technique::ALL;
    let sets = (1..1usize << all.len()).map(|bits| Por {
        techniques: (0..all.len())
            .filter(|n| bits >> n & 1 == 1)
            .map(|n| all[n])
            .collect(),
        ..Por::default()
    });
    let known = sets.filter(|por| por.check().is_ok());
    // Several workers as well, and prefixes in every order.
    let more = Extend::ALL.into_iter().map(|extend| Por {
        extend,
        cores: 3,
        ..Por::only(Technique::Cartesian)
    });
    known.chain(more).collect()
}

/// What a state may be asked for: a conjunction of such facts.
#[derive(Clone, Debug, PartialEq)]
enum Fact {
    /// A cell, by the twin's number, has a value.
    Cell(usize, i64),
    /// A thread is at a location, or at another one of the same line.
    At(usize, Place),
}

/// Where a thread is, in words that both sides know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Line(usize),
    Unstarted,
    End,
    Wrong,
}

/// A program on both sides.
pub struct Case {
    system: System,
    program: Program,
    /// By the twin's number of a cell, the tool's.
    cells: Vec<usize>,
}

/// Which steps may be taken one by one, and where what lies between them ends.
struct Coarse {
    visible: Vec<Vec<bool>>,
    when_blocked: Blocked,
}

/// What there is to be found.
struct Truth {
    states: Vec<State>,
    /// Those of the states that are deadlocks.
    dead: Vec<State>,
    violated: bool,
}

/// Questions that are asked together, and what the answers have to be.
#[derive(Default)]
struct Prepared {
    questions: Vec<Question>,
    expected: Vec<bool>,
    violated: bool,
    /// How many deadlocks are meant, if they are asked for.
    dead: Option<usize>,
    states: usize,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub programs: usize,
    /// Programs with a deadlock, a thread that goes wrong, or a violation of the discipline.
    pub deadlocks: usize,
    pub wrong: usize,
    pub violated: usize,
    /// Explorations that came to their end, and answers that were compared.
    pub whole: usize,
    pub answers: usize,
}

/// States at most.
const STATES: usize = 2_000;

/// Steps of an exploration at most.
const STEPS: u64 = 5_000;

impl Case {
    /// None if the language does not have the program.
    pub fn new(sample: &Sample) -> Option<Case> {
        let loaded = Session::load("m.cor", &sample.source, &[], Default::default());
        let program = loaded.ok()?.0.program().clone();
        let system = System::new(&sample.program);
        let number = |name: &str| program.cells.iter().position(|c| c.name == name);
        let cells = system.layout.cells.iter().map(|c| number(&c.name));
        let cells = cells.collect::<Option<Vec<usize>>>();
        Some(Case {
            cells: cells.expect("both sides name the cells alike"),
            system,
            program,
        })
    }

    /// Where a thread is in a state.
    fn place(&self, thread: usize, at: Loc) -> Place {
        let Loc::At(number) = at else {
            return match at {
                Loc::End => Place::End,
                _ => Place::Wrong,
            };
        };
        let location = &self.system.graphs[thread].locations[number];
        let begins = |command: &Command| match command {
            Command::Act { stmt, .. } => matches!(stmt.kind, StmtKind::Part(Part::Begin)),
            _ => false,
        };
        match location.commands.iter().any(begins) {
            true => Place::Unstarted,
            false => Place::Line(location.line),
        }
    }

    /// The tool's locations there.
    fn locations(&self, thread: usize, place: Place) -> Vec<LocId> {
        let declared = &self.program.threads[thread];
        match place {
            Place::Unstarted => declared.unstarted.into_iter().collect(),
            Place::End => declared.end.into_iter().collect(),
            Place::Wrong => declared.wrong.into_iter().collect(),
            Place::Line(line) => declared
                .steps()
                .filter(|&l| Some(l) != declared.unstarted)
                .filter(|&l| self.program.line(declared.locations[l].span) == line)
                .collect(),
        }
    }

    fn holds(&self, state: &State, facts: &[Fact]) -> bool {
        facts.iter().all(|fact| match fact {
            Fact::Cell(cell, value) => state.cells[*cell] == *value,
            Fact::At(t, place) => self.place(*t, state.locations[*t]) == *place,
        })
    }

    fn expr(&self, facts: &[Fact]) -> Expr {
        let one = |fact: &Fact| match fact {
            Fact::Cell(cell, value) => {
                let cell = Box::new(Expr::Cell(self.cells[*cell]));
                Expr::Binary(BinaryOp::Eq, cell, Box::new(Expr::Const(*value)))
            }
            Fact::At(t, place) => Expr::At(*t, self.locations(*t, *place)),
        };
        let both = |a, b| Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b));
        facts.iter().map(one).reduce(both).unwrap_or(Expr::TRUE)
    }

    /// All that can be said of a state.
    fn facts(&self, state: &State) -> Vec<Fact> {
        let cells = state.cells.iter().enumerate();
        let cells = cells.map(|(cell, value)| Fact::Cell(cell, *value));
        let threads = state.locations.iter().enumerate();
        let threads = threads.map(|(t, at)| Fact::At(t, self.place(t, *at)));
        cells.chain(threads).collect()
    }

    fn is_deadlock(&self, state: &State) -> bool {
        let mut threads = 0..self.system.threads.len();
        waits(&self.system, state) && threads.all(|t| self.system.steps(state, t).is_empty())
    }

    /// Whether a step violates the discipline.
    fn violates(&self, thread: usize, from: &State, step: &Step) -> bool {
        self.system.layout.protected.iter().any(|x| {
            let all = 0..self.system.threads.len();
            let rights = |s| all.clone().map(|t| self.system.rights(x, t, s)).collect();
            let (before, after): (Vec<_>, Vec<_>) = (rights(from), rights(&step.target));
            violates(x.cell, (&before, &after), thread, step)
        })
    }

    /// Whether a state violates it by itself.
    fn overlaps(&self, state: &State) -> bool {
        self.system.layout.protected.iter().any(|x| {
            let all = 0..self.system.threads.len();
            let rights: Vec<_> = all.map(|t| self.system.rights(x, t, state)).collect();
            conflict(&rights)
        })
    }

    /// Everything that can be reached; none if that is too much. Nothing follows a violation of the discipline.
    fn truth(&self, discipline: bool, coarse: Option<&Coarse>) -> Option<Truth> {
        let (initial, bad): (Vec<State>, Vec<State>) =
            (self.system.initial().into_iter()).partition(|s| !discipline || !self.overlaps(s));
        let mut violated = !bad.is_empty();
        let mut seen: HashSet<State> = initial.iter().cloned().collect();
        let mut states = initial;
        let mut n = 0;
        while let Some(state) = states.get(n).cloned() {
            n += 1;
            for t in 0..self.system.threads.len() {
                let mut steps = |from: &State| -> Vec<State> {
                    let all = self.system.steps(from, t).into_iter();
                    let (bad, good): (Vec<Step>, Vec<Step>) =
                        all.partition(|s| discipline && self.violates(t, from, s));
                    violated |= !bad.is_empty();
                    good.into_iter().map(|s| s.target).collect()
                };
                let after = match coarse {
                    None => steps(&state),
                    Some(coarse) => behind(&state, t, coarse, &mut steps),
                };
                for next in after {
                    if seen.insert(next.clone()) {
                        states.push(next);
                    }
                }
            }
            if states.len() > STATES {
                return None;
            }
        }
        let dead = states
            .iter()
            .filter(|s| self.is_deadlock(s))
            .cloned()
            .collect();
        Some(Truth {
            states,
            dead,
            violated,
        })
    }

    /// Which steps are visible: those of a line together, as these bits say.
    fn coarse(&self, bits: u64) -> (Coarse, Reduction) {
        let chosen = |t: usize, place: Place| match place {
            Place::Line(line) => bits.rotate_right((7 * t + line) as u32) & 1 == 1,
            _ => true,
        };
        let mut visible = Vec::new();
        for (t, graph) in self.system.graphs.iter().enumerate() {
            let places = (0..graph.locations.len()).map(|n| self.place(t, Loc::At(n)));
            visible.push(places.map(|place| chosen(t, place)).collect());
        }
        let mut tools = Vec::new();
        for (t, thread) in self.program.threads.iter().enumerate() {
            let mut own = vec![true; thread.locations.len()];
            for l in thread.steps().filter(|&l| Some(l) != thread.unstarted) {
                own[l] = chosen(t, Place::Line(self.program.line(thread.locations[l].span)));
            }
            tools.push(own);
        }
        let when_blocked = match bits & 1 << 63 {
            0 => Blocked::Ends,
            _ => Blocked::Waits,
        };
        let coarse = Coarse {
            visible,
            when_blocked,
        };
        let reduction = Reduction {
            visible: tools,
            when_blocked,
            inside: usize::MAX,
        };
        (coarse, reduction)
    }

    /// Some questions, asked together, and what the answers have to be.
    fn prepared(&self, questions: &[(Sort, Vec<Fact>)], truth: &Truth) -> Prepared {
        let mut prepared = Prepared {
            violated: truth.violated,
            states: truth.states.len(),
            ..Prepared::default()
        };
        for (sort, facts) in questions {
            let among = match sort {
                Sort::Deadlock => &truth.dead,
                _ => &truth.states,
            };
            let met = among.iter().filter(|s| self.holds(s, facts)).count();
            if *sort == Sort::Deadlock {
                prepared.dead = Some(met);
            }
            prepared.expected.push(met > 0);
            prepared.questions.push(Question {
                name: format!("{sort:?} {facts:?}"),
                sort: *sort,
                expr: self.expr(facts),
            });
        }
        prepared
    }

    /// Asks, and compares with what there is: what is wrong, if anything is.
    fn compare(
        &self,
        por: &Por,
        reduction: Option<&Reduction>,
        asked: &Prepared,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let control = Control::new(Budget {
            states: 100_000,
            ..Budget::default()
        });
        let (p, questions) = (&self.program, &asked.questions);
        let found = explore(p, questions, por, reduction, (STEPS, &control));
        if let Some(why) = found.refused.as_ref().filter(|r| r.contains("bug")) {
            return Err(why.clone());
        }
        let outcome = found.outcome;
        let whole = found.refused.is_none() && outcome.stopped.is_none();
        counts.whole += usize::from(whole);
        match (outcome.violated, asked.violated) {
            (true, false) => return Err("makes up a violation".into()),
            (false, true) if whole => return Err("misses the violation".into()),
            _ => {}
        }
        // What lies behind a violation is not promised.
        if asked.violated {
            return Ok(());
        }
        for ((question, answer), expected) in
            (questions.iter().zip(&outcome.answers)).zip(&asked.expected)
        {
            counts.answers += usize::from(whole);
            let why = match (answer, expected) {
                (Answer::Found(_), false) => "makes up",
                (Answer::Somewhere(_), _) => "cannot repeat",
                (Answer::Nowhere, true) if whole => "misses",
                _ => continue,
            };
            return Err(format!("{why} {}", question.name));
        }
        match (whole, &outcome.deadlocks, asked.dead) {
            (true, Some(count), Some(dead)) if *count != dead.into() => {
                return Err(format!("{count} deadlocks instead of {dead}"));
            }
            _ => {}
        }
        match &outcome.states {
            Some(n) if whole && *n > asked.states.into() => Err(format!("{n} states")),
            _ => Ok(()),
        }
    }

    /// All that is asked on a program, by some of the combinations; how the first wrong answer was come by.
    ///
    /// # Errors
    /// The combination, and what is wrong.
    pub fn judge(&self, all: &[Por], luck: &[u64], counts: &mut Counts) -> Result<(), String> {
        let Some(truth) = self.truth(false, None) else {
            return Ok(());
        };
        let kept = self.truth(true, None);
        let (coarse, reduction) = self.coarse(luck[0]);
        let coarse = self.truth(true, Some(&coarse));
        let wrong = |s: &State| s.locations.contains(&Loc::Wrong);
        counts.programs += 1;
        counts.deadlocks += usize::from(!truth.dead.is_empty());
        counts.wrong += usize::from(truth.states.iter().any(wrong));
        counts.violated += usize::from(kept.as_ref().is_some_and(|k| k.violated));
        let questions = self.questions(&truth, luck);
        let prepare = |truth: &Truth| -> Vec<Prepared> {
            questions.iter().map(|q| self.prepared(q, truth)).collect()
        };
        let plain = prepare(&truth);
        let kept = kept.map(|kept| self.prepared(&[], &kept));
        let coarse = coarse.map(|coarse| prepare(&coarse));
        for por in all {
            let told = |how: &str| {
                let name = format!("{} {:?}{how}", por.name(), por.extend);
                move |why| format!("{name}: {why}")
            };
            for asked in &plain {
                (self.compare(por, None, asked, counts)).map_err(told(""))?;
            }
            let strict = Por {
                discipline: true,
                ..por.clone()
            };
            if let Some(kept) = &kept {
                let answer = self.compare(&strict, None, kept, counts);
                answer.map_err(told(" with the discipline"))?;
            }
            for asked in coarse.iter().flatten() {
                let answer = self.compare(&strict, Some(&reduction), asked, counts);
                answer.map_err(told(" on a reduced system"))?;
            }
        }
        Ok(())
    }

    /// What is asked, question by question and several together.
    fn questions(&self, truth: &Truth, luck: &[u64]) -> Vec<Vec<(Sort, Vec<Fact>)>> {
        let mut questions = vec![Vec::new(), vec![(Sort::Deadlock, Vec::new())]];
        for n in luck.iter().filter(|_| !truth.dead.is_empty()) {
            let state = &truth.dead[*n as usize % truth.dead.len()];
            questions.push(vec![(Sort::Deadlock, self.facts(state))]);
        }
        for t in 0..self.system.threads.len() {
            if self.program.threads[t].wrong.is_some() {
                questions.push(vec![(Sort::Find, vec![Fact::At(t, Place::Wrong)])]);
            }
        }
        let goals = luck.iter().map(|&n| (Sort::Find, self.goal(truth, n)));
        questions.extend(goals.clone().map(|goal| vec![goal]));
        questions.push(goals.chain([(Sort::Deadlock, Vec::new())]).collect());
        questions
    }

    /// What may be looked for: a little of one state, and a little of another.
    fn goal(&self, truth: &Truth, luck: u64) -> Vec<Fact> {
        let mut facts: BTreeMap<usize, Fact> = BTreeMap::new();
        let cells = self.cells.len();
        for n in 0..2 + luck as usize % 3 {
            let luck = luck.rotate_right(13 * (n as u32 + 1)) as usize;
            // Twice of the same state, so that something is found.
            let state = &truth.states[(luck >> (8 * (n / 2))) % truth.states.len()];
            let fact = luck % (cells + state.locations.len());
            facts.entry(fact).or_insert(self.facts(state)[fact].clone());
        }
        facts.into_values().collect()
    }
}

/// The scheduling points behind a step of a thread.
fn behind(
    state: &State,
    thread: usize,
    coarse: &Coarse,
    steps: &mut impl FnMut(&State) -> Vec<State>,
) -> Vec<State> {
    let visible = |s: &State| match s.locations[thread] {
        Loc::At(n) => coarse.visible[thread][n],
        _ => true,
    };
    if !visible(state) {
        return Vec::new();
    }
    let (mut points, mut seen) = (Vec::new(), HashSet::new());
    let mut waiting = steps(state);
    while let Some(next) = waiting.pop() {
        if !seen.insert(next.clone()) {
            continue;
        }
        if visible(&next) {
            points.push(next);
            continue;
        }
        let after = steps(&next);
        if after.is_empty() && coarse.when_blocked == Blocked::Ends {
            points.push(next);
        }
        waiting.extend(after);
    }
    points
}

/// The numbers that a seed stands for (Steele, Lea and Flood 2014: SplitMix).
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed.wrapping_mul(0x2545_f491_4f6c_dd1d);
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    })
}

/// What a seed's program is made of, and what else is left to luck.
pub fn tape(seed: u64) -> (Vec<u16>, Vec<u64>) {
    let mut numbers = numbers(seed);
    let luck = numbers.by_ref().take(3).collect();
    (numbers.take(300).map(|n| n as u16).collect(), luck)
}

/// Judges some combinations on the program of a tape.
///
/// # Errors
/// As [`Case::judge`].
pub fn of_tape(tape: &[u16], luck: &[u64], all: &[Por], counts: &mut Counts) -> Result<(), String> {
    let sample = Sample::new(program(tape.to_vec()));
    match Case::new(&sample) {
        Some(case) => case.judge(all, luck, counts),
        None => Ok(()),
    }
}
