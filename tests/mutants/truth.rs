//! What an accepted bundle says that is not so.

use super::predicates::{self, Tree};
use super::worlds::{Move, Origin, Place, World};
use crate::claimed::truth;
use crate::twin;

use coarsen::Session;
use coarsen::base::control::ParseLimits;
use coarsen::base::evidence::{Bundle, Discipline, Execution, Part};
use coarsen::results::Status;
use std::collections::HashMap;
use std::rc::Rc;
use twin::ast::Program as TwinProgram;
use twin::eval::Rights;
use twin::model::{conflict, violates};

type Model = (String, String, Vec<(String, String)>);

/// Worlds that were enumerated, by model.
#[derive(Default)]
pub struct Worlds {
    known: HashMap<Model, Option<Rc<World>>>,
    twins: HashMap<String, Option<Rc<World>>>,
}

/// How an accepted bundle was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// All that is claimed is true; whether the twin says so as well.
    True { twin: bool },
    /// Not all could be judged.
    Open(&'static str),
    /// What is wrong.
    Lie(String),
}

impl Worlds {
    /// The model of a bundle, by the interpreter; `None` if it has errors or too many states.
    pub fn tool(&mut self, b: &Bundle) -> Option<Rc<World>> {
        if self.known.len() > 300 {
            self.known.clear();
        }
        let key = (b.name.clone(), b.text.clone(), b.defines.clone());
        let known = self.known.entry(key).or_insert_with(|| {
            let limits = ParseLimits::default();
            let (session, _) = Session::load(&b.name, &b.text, &b.defines, limits).ok()?;
            World::of_the_tool(session).map(Rc::new)
        });
        known.clone()
    }

    fn twin(&mut self, b: &Bundle, program: &TwinProgram) -> Option<Rc<World>> {
        let known = self.twins.entry(b.text.clone());
        known
            .or_insert_with(|| World::of_the_twin(program).map(Rc::new))
            .clone()
    }

    /// Judges an accepted bundle, whose text is this program of the twin's if it is one.
    pub fn judge(&mut self, b: &Bundle, program: Option<&TwinProgram>) -> Judged {
        let Some(world) = self.tool(b) else {
            return Judged::Open("too many states");
        };
        let first = judged(&world, b);
        let Some(program) = program.filter(|_| b.defines.is_empty()) else {
            return first;
        };
        let Some(world) = self.twin(b, program) else {
            return first;
        };
        match (first, judged(&world, b)) {
            (Judged::Lie(why), _) => Judged::Lie(why),
            (_, Judged::Lie(why)) => Judged::Lie(format!("by the twin: {why}")),
            (Judged::True { .. }, Judged::True { .. }) => Judged::True { twin: true },
            (first, _) => first,
        }
    }
}

fn judged(world: &World, b: &Bundle) -> Judged {
    let is_disciplined = is_disciplined(world, b);
    let mut open = None;
    for part in &b.parts {
        let asks = part.theorem.is_some() || part.claims.iter().any(|c| c == "discipline");
        match is_disciplined {
            Some(false) if asks => return Judged::Lie("the discipline is violated".into()),
            None if asks => open = Some("unknown words in a discipline"),
            _ => {}
        }
        for claim in &part.claims {
            match is_true(world, part, claim) {
                Some(true) => {}
                Some(false) => return Judged::Lie(format!("`{claim}` is not so")),
                None => open = Some("a claim that the twin does not know"),
            }
        }
    }
    for x in &b.executions {
        match is_execution(world, x) {
            Some(true) => {}
            Some(false) => return Judged::Lie(format!("no execution to {}", x.goal)),
            None => open = Some("a goal that the twin does not know"),
        }
    }
    open.map_or(Judged::True { twin: false }, Judged::Open)
}

fn is_true(world: &World, part: &Part, claim: &str) -> Option<bool> {
    let never = |bad: &dyn Fn(&Place) -> bool| Some(!world.places.iter().any(bad));
    match claim {
        "discipline" => return Some(true),
        "assertions" => return never(&|s| s.wrong),
        "deadlock_free" => {
            let ends = match &world.origin {
                Origin::Tool(session, _) => session.program().errors_end,
                Origin::Twin(..) => false,
            };
            let ends = ends && part.theorem.is_none();
            return never(&|s| s.dead && !(ends && s.wrong));
        }
        _ => {}
    }
    match claim.split_once(' ') {
        Some(("never", goal)) => return Some(!world.meets(goal)?.contains(&true)),
        Some(("states", n)) => {
            let n: num_bigint::BigUint = n.parse().ok()?;
            return Some(num_bigint::BigUint::from(world.places.len()) <= n);
        }
        _ => {}
    }
    if let Some(holds) = world.holds(claim) {
        return Some(!holds.contains(&false));
    }
    let Origin::Tool(session, _) = &world.origin else {
        return None;
    };
    let p = session.program();
    let claim = p.claims.iter().find(|c| c.name == claim)?;
    Some(truth(p, claim) != Status::Refuted)
}

/// For each protected cell, the rights of the threads in each state; `None` if some predicate is unknown.
pub fn rights(world: &World, b: &Bundle) -> Option<Vec<(usize, Vec<Vec<Rights>>)>> {
    let mut all = Vec::new();
    for discipline in &b.disciplines {
        let Discipline::Protected {
            cell,
            exclusive,
            reading,
        } = discipline
        else {
            continue;
        };
        let trees = |texts: &[String]| -> Option<Vec<Tree>> {
            texts.iter().map(|e| predicates::read(world, e)).collect()
        };
        let (exclusive, reading) = (trees(exclusive)?, trees(reading)?);
        let mut of_states = Vec::new();
        for place in &world.places {
            let mut of_threads = Vec::new();
            for t in 0..world.threads() {
                of_threads.push(Rights {
                    exclusive: exclusive.get(t)?.holds(world, place)?,
                    shared: match reading.get(t) {
                        Some(tree) => tree.holds(world, place)?,
                        None => false,
                    },
                });
            }
            of_states.push(of_threads);
        }
        all.push((world.cell(cell)?, of_states));
    }
    for (n, cell) in world.protected.iter().enumerate() {
        let of_states = world.places.iter().map(|s| s.rights[n].clone());
        all.push((*cell, of_states.collect()));
    }
    Some(all)
}

/// Whether no execution violates the discipline; `None` if some predicate is unknown.
fn is_disciplined(world: &World, b: &Bundle) -> Option<bool> {
    let all = rights(world, b)?;
    for (cell, rights) in &all {
        if world.initial.iter().any(|s| conflict(&rights[*s])) {
            return Some(false);
        }
        for (from, moves) in world.moves.iter().enumerate() {
            for step in moves {
                if breaks(*cell, (&rights[from], &rights[step.target]), step) {
                    return Some(false);
                }
            }
        }
    }
    Some(true)
}

/// Whether a step violates the discipline of a cell, whose rights before and behind the step are these.
pub fn breaks(cell: usize, rights: (&[Rights], &[Rights]), step: &Move) -> bool {
    let as_twin = twin::semantics::Step {
        target: twin::semantics::State {
            cells: Vec::new(),
            locations: Vec::new(),
        },
        reads: step.reads.clone(),
        writes: step.writes.clone(),
    };
    violates(cell, rights, step.thread, &as_twin)
}

/// Whether an execution is one of the world's, to its goal; the twin only looks whether the goal is reached.
fn is_execution(world: &World, x: &Execution) -> Option<bool> {
    let met = world.meets(&x.goal)?;
    let Origin::Tool(session, _) = &world.origin else {
        return Some(met.contains(&true));
    };
    let p = session.program();
    let mut cells = vec![None; p.cells.len()];
    for (name, value) in &x.start {
        cells[world.cell(name)?] = Some(*value);
    }
    let Some(mut cells) = cells.into_iter().collect::<Option<Vec<i64>>>() else {
        return Some(false);
    };
    let mut at: Vec<usize> = p.threads.iter().map(|t| t.initial).collect();
    let is = |n: usize, cells: &[i64], at: &[usize]| {
        let place = &world.places[n];
        place.cells == cells && place.locations.as_deref() == Some(at)
    };
    let mut initial = world.initial.iter();
    let Some(mut now) = initial.find(|n| is(**n, &cells, &at)).copied() else {
        return Some(false);
    };
    for step in &x.steps {
        let thread = world.thread(&step.thread)?;
        for (name, value) in &step.cells {
            cells[world.cell(name)?] = *value;
        }
        for (name, location) in &step.locations {
            let t = world.thread(name)?;
            let mut all = p.threads[t].locations.iter();
            at[t] = all.position(|l| l.name == *location)?;
        }
        let mut moves = world.moves[now].iter();
        let taken = moves.find(|m| m.thread == thread && is(m.target, &cells, &at));
        match taken {
            Some(taken) => now = taken.target,
            None => return Some(false),
        }
    }
    Some(met[now])
}
