//! A program's threads as members of families: facts about generic ones, all constants as they are.
//!
//! A fact about two threads that look into each other's cells has another relation for each two of them. Established
//! symbolically for generic indices (`oracle`), it is one question, however many threads there are.

use super::instance::Instance;
use super::oracle::Oracle;
use super::run::{Said, Unsaid};
use crate::base::control::{Control, Stop};
use crate::model::program::Program;
use crate::theorem::discharge::facts::Discharge;
use std::cell::OnceCell;

/// A fact that needs more paths than this is looked at for each choice of threads.
const PATHS: usize = 8_000;

/// The families of a program, once somebody asks for them.
pub(in crate::theorem) struct Families<'p> {
    program: &'p Program,
    control: &'p Control,
    instance: OnceCell<Option<Instance>>,
}

impl<'p> Families<'p> {
    /// Nothing is read yet.
    pub fn new(program: &'p Program, control: &'p Control) -> Self {
        Families {
            program,
            control,
            instance: OnceCell::new(),
        }
    }

    /// Who is asked about generic threads; none if the program's text is not read so.
    ///
    /// # Errors
    /// A limit that was hit.
    pub fn oracle(&self, discharge: &Discharge) -> Result<Option<Oracle<'_>>, Stop> {
        if self.instance.get().is_none() {
            let read = known(Instance::closed(self.program, self.control))?;
            let _ = self.instance.set(read);
        }
        let Some(Some(instance)) = self.instance.get() else {
            return Ok(None);
        };
        // A letter means the same for all threads of a kind.
        let one_class = |threads: &[usize]| {
            let classes = threads.iter().map(|t| discharge.class_of(*t));
            classes.clone().all(|c| classes.clone().next() == Some(c))
        };
        if !instance.kinds.iter().all(|k| one_class(&k.threads)) {
            return Ok(None);
        }
        let mut oracle = known(Oracle::new(
            instance,
            self.program,
            Vec::new(),
            self.control,
        ))?;
        if let Some(oracle) = &mut oracle {
            oracle.most_paths = PATHS;
        }
        Ok(oracle)
    }
}

/// What is known; nothing if it can't be said.
fn known<T>(found: Said<T>) -> Result<Option<T>, Stop> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Unsaid::Because(_)) => Ok(None),
        Err(Unsaid::Stopped(stop)) => Err(stop),
    }
}

#[cfg(test)]
mod tests {
    use super::{Control, Instance, Program};
    use crate::base::control::ParseLimits;
    use crate::model::program::elaborate;
    use crate::model::text::parse_model;

    fn program(source: &str) -> Program {
        let (tree, _) = parse_model(source, ParseLimits::default());
        elaborate(&tree, source, &[]).expect("a model").0
    }

    /// A program that is no longer the one of its text, whatever was changed, is not asked about.
    #[test]
    fn only_the_program_of_a_text_is_read_from_it() {
        let source = "mutex m; var x: 0..2 = 0; thread w(i in 0..2) { lock(m); x = 1; unlock(m); }";
        let is_read = |p: &Program| Instance::closed(p, &Control::default()).is_ok();
        let as_written = program(source);
        assert!(is_read(&as_written));
        let changes: [fn(&mut Program); 5] = [
            |p| p.source = p.source.replace("x = 1", "x = 2"),
            |p| p.cells[1].initial = Some(1),
            |p| p.cells[1].ty.hi = 3,
            |p| p.threads[1].locations[1].edges.clear(),
            |p| p.threads.truncate(2),
        ];
        for (n, change) in changes.iter().enumerate() {
            let mut other = as_written.clone();
            change(&mut other);
            assert!(!is_read(&other), "change {n}");
        }
    }
}
