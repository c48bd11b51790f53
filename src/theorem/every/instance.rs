//! A model with a constant left open, beside a small instance of it.

use super::Template;
use super::kinds::{self, Kind, kinds};
use super::run::{Machine, Said, Unsaid};
use crate::base::control::{Control, ParseLimits};
use crate::base::diagnostic::position;
use crate::base::results::Obstacle;
use crate::model::program::{ArrayId, Parametric, Program, elaborate, parametric};
use crate::model::text::{ast, parse_model};

/// The largest instance that is looked at.
pub const LARGEST: i64 = 6;

/// A model with a constant left open, and a small instance of it.
pub struct Instance {
    /// The constant's value in the instance.
    pub value: i64,
    /// The model with the constant left open.
    pub parametric: Parametric,
    /// The instance, as its text says.
    pub program: Program,
    pub(super) kinds: Vec<Kind>,
    /// The array of the open program that each array of the instance's is.
    pub(super) arrays: Vec<ArrayId>,
}

impl Instance {
    /// The smallest instance that has threads of each kind.
    pub(super) fn first(model: &Template, control: &Control) -> Said<Instance> {
        let mut why = Obstacle::NoInstance;
        for value in 2..=LARGEST {
            control.check()?;
            match Instance::at(model, value, control) {
                Ok(instance) => return Ok(instance),
                Err(Unsaid::Because(Obstacle::NoInstance)) => {}
                Err(Unsaid::Because(obstacle)) => why = obstacle,
                Err(stopped) => return Err(stopped),
            }
        }
        Err(Unsaid::Because(why))
    }

    /// The instance at a value. From that value on there is a kind for each thread.
    ///
    /// # Errors
    /// What is not for all values, or a limit that was hit.
    pub fn at(model: &Template, value: i64, control: &Control) -> Said<Instance> {
        let constant = Some(model.constant);
        let (program, parametric) = read(model.tree, model.source, &with(model, value), constant)?;
        if parametric.open.parameter.is_none() {
            return Err(Unsaid::Because(Obstacle::NoConstant(model.constant.into())));
        }
        Instance::of(program, parametric, value, control)
    }

    /// A program with all constants as they are: nothing is open but the indices of its threads.
    ///
    /// # Errors
    /// That its text is not read so, or a limit that was hit.
    pub(super) fn closed(program: &Program, control: &Control) -> Said<Instance> {
        let (tree, _) = parse_model(&program.source, ParseLimits::default());
        let (again, parametric) = read(&tree, &program.source, &program.defines(), None)?;
        if !again.moves_as(program) {
            return Err(Unsaid::Because(Obstacle::NoInstance));
        }
        Instance::of(again, parametric, 0, control)
    }

    fn of(
        program: Program,
        parametric: Parametric,
        value: i64,
        control: &Control,
    ) -> Said<Instance> {
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

    /// Whether something can be said from a value on: the model has no errors there, and there is a kind for each
    /// thread of that value and those above.
    ///
    /// # Errors
    /// What stands against it, or a limit that was hit.
    pub(super) fn begins_at(&self, model: &Template, from: i64, control: &Control) -> Said<()> {
        if elaborate(model.tree, model.source, &with(model, from)).is_err() {
            return Err(Unsaid::Because(Obstacle::NoInstance));
        }
        kinds::complete(&Machine::new(&self.parametric, control), &self.kinds, from)
    }
}

/// The program of a model, and the same with a constant left open.
fn read(
    tree: &ast::Model,
    source: &str,
    defines: &[(String, String)],
    constant: Option<&str>,
) -> Said<(Program, Parametric)> {
    let program = elaborate(tree, source, defines);
    let open = parametric(tree, source, defines, constant);
    let why = match (program, open) {
        (Ok((program, _)), Ok(open)) => return Ok((program, open)),
        (Ok(_), Err(errors)) => errors.into_iter().next().map(|error| Obstacle::Open {
            at: position(source, error.span.start),
            message: error.message,
        }),
        (Err(_), _) => None,
    };
    Err(Unsaid::Because(why.unwrap_or(Obstacle::NoInstance)))
}

/// The constants that are given, and a value of the open one.
fn with(model: &Template, value: i64) -> Vec<(String, String)> {
    let given = model.defines.iter();
    let others = given.filter(|(name, _)| name != model.constant);
    let open = (model.constant.to_string(), value.to_string());
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
