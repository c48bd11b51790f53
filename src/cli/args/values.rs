//! The values that options take by name.

use clap::ValueEnum;
use coarsen::command::reach::Engine;
use coarsen::engine::quotients::Quotient;
use coarsen::theorem::By;
use std::ffi::OsStr;
use std::path::Path;

/// Form of a file with a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// A table for people (.txt)
    Text,
    /// A sequence diagram in Mermaid's language (.mmd, .mermaid)
    Mermaid,
    /// A page on which one steps through it (.html)
    Html,
    /// Apalache's format (.json)
    Itf,
    /// As it stands in the reports of `--format json`
    Json,
}

impl TraceFormat {
    /// The form that a file is given, if none was asked for.
    pub fn of(file: &Path) -> TraceFormat {
        match file.extension().and_then(|e| e.to_str()) {
            Some("txt") => TraceFormat::Text,
            Some("mmd" | "mermaid") => TraceFormat::Mermaid,
            Some("html" | "htm") => TraceFormat::Html,
            _ => TraceFormat::Itf,
        }
    }
}

/// Form of a file with the execution of a C program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScheduleFormat {
    /// For `coarsen replay` (.json, and others)
    Schedule,
    /// A table for people (.txt)
    Text,
    /// A sequence diagram in Mermaid's language (.mmd, .mermaid)
    Mermaid,
    /// A page on which one steps through it (.html)
    Html,
    /// Apalache's format (.itf.json)
    Itf,
}

impl ScheduleFormat {
    /// The form that a file is given, if none was asked for.
    pub fn of(file: &Path) -> ScheduleFormat {
        let is_itf = |stem: &OsStr| Path::new(stem).extension() == Some(OsStr::new("itf"));
        match TraceFormat::of(file) {
            TraceFormat::Text => ScheduleFormat::Text,
            TraceFormat::Mermaid => ScheduleFormat::Mermaid,
            TraceFormat::Html => ScheduleFormat::Html,
            _ if file.file_stem().is_some_and(is_itf) => ScheduleFormat::Itf,
            _ => ScheduleFormat::Schedule,
        }
    }

    /// The form among those of models' executions, if it is one.
    pub fn of_models(self) -> Option<TraceFormat> {
        match self {
            ScheduleFormat::Schedule => None,
            ScheduleFormat::Text => Some(TraceFormat::Text),
            ScheduleFormat::Mermaid => Some(TraceFormat::Mermaid),
            ScheduleFormat::Html => Some(TraceFormat::Html),
            ScheduleFormat::Itf => Some(TraceFormat::Itf),
        }
    }
}

/// Who explores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Decision diagrams and state by state, strategies and orders in turn with growing budgets
    #[default]
    Auto,
    /// Decision diagrams: events fired where their highest variable lies
    Saturation,
    /// Decision diagrams: all events in turn
    Chaining,
    /// Decision diagrams: the events whose turn it is
    Worklist,
    /// BDDs, as for `check`
    Bdd,
    /// State by state, compiled, on several cores
    Explicit,
    /// State by state, as the language is defined
    Interpreter,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Engine {
        match name {
            EngineName::Auto => Engine::Auto,
            EngineName::Saturation => Engine::Saturation,
            EngineName::Chaining => Engine::Chaining,
            EngineName::Worklist => Engine::Worklist,
            EngineName::Bdd => Engine::Bdd,
            EngineName::Explicit => Engine::Explicit,
            EngineName::Interpreter => Engine::Interpreter,
        }
    }
}

/// Whether a theorem is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReduceName {
    /// If that answers sooner than exploring the program in full
    #[default]
    Auto,
    /// In any case
    Always,
    /// First; the program is explored in full only if that does not answer
    First,
    /// Only if exploring the program in full does not answer
    Last,
}

/// How states are seen as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReductionName {
    /// In no way
    None,
    /// In all that there are
    All,
    /// A local variable that is not read before it is written has its initial value
    DeadLocals,
    /// Of states that differ by an exchange of threads of one family, one is explored
    Symmetry,
}

impl ReductionName {
    /// What several names mean together, where states may be `exchanged` or may not; `all` is all that may be.
    ///
    /// # Errors
    /// Why they do not go together.
    pub fn chosen(names: &[ReductionName], exchanged: bool) -> Result<Vec<Quotient>, String> {
        let mut chosen: Vec<Quotient> = Vec::new();
        for name in names {
            match name {
                ReductionName::None if names.len() > 1 => {
                    return Err("--reductions is `none` or some, not both".into());
                }
                ReductionName::None => {}
                ReductionName::Symmetry if !exchanged => {
                    return Err(
                        "`--reductions symmetry` takes all steps, state by state: it goes with `coarsen reach` by \
                         `--engine explicit` (or `auto`), and not with --por (docs/por.md)"
                            .into(),
                    );
                }
                ReductionName::All => {
                    let all = Quotient::ALL.into_iter();
                    chosen.extend(all.filter(|q| exchanged || *q != Quotient::Symmetry));
                }
                ReductionName::DeadLocals => chosen.push(Quotient::DeadLocals),
                ReductionName::Symmetry => chosen.push(Quotient::Symmetry),
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }
}

/// How the explicit engine searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SearchName {
    /// By distance: executions are shortest
    #[default]
    Breadth,
    /// What was met last first
    Depth,
}

/// What is done about data races, deadlocks and livelocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum TreatmentArg {
    /// List them; they do not decide the verdict
    #[default]
    List,
    /// Refute the program
    Refute,
    /// Do not speak of them
    Off,
}

/// What leaves out executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Filter {
    /// Goes on once from equivalent beginnings of executions
    NotSeenBefore,
    /// Follows one thread for as long as no other is concerned
    SuperStep,
    /// Ends an execution where a thread has come back to its own state, unnoticed
    LocalCycles,
    /// What is done without filters: source sets and sleep sets
    SourceDpor,
}

/// Form of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// A table for people
    #[default]
    Text,
    /// One JSON object for each model
    Json,
    /// One page for all models, with bars
    Html,
}

/// How hypotheses are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Discharge {
    /// Derived from facts about single steps; what is not derived is unknown
    Algebra,
    /// Evaluated on relations
    Relations,
    /// Both, and a contradiction is an error of the tool
    Both,
}

impl From<Discharge> for By {
    fn from(how: Discharge) -> By {
        match how {
            Discharge::Algebra => By::Algebra,
            Discharge::Relations => By::Relations,
            Discharge::Both => By::Both,
        }
    }
}

/// Form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON object per model and line; docs/json.md describes it
    Json,
}

/// Form of proofs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ShowAs {
    /// Below the answers
    #[default]
    Text,
    /// A page, and nothing else
    Html,
    /// For LaTeX with amsmath, and nothing else
    Latex,
}

/// Form of the output, also for continuous integration: there one document has all that was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people
    #[default]
    Text,
    /// One JSON object per model and line; docs/json.md describes it
    Json,
    /// SARIF 2.1.0: what is not as one would have it
    Sarif,
    /// JUnit's XML: a case for each property or statement
    Junit,
    /// GitHub's annotations: what is not as one would have it
    Github,
}

impl Form {
    /// The form of single answers.
    pub fn format(self) -> Format {
        match self {
            Form::Json => Format::Json,
            _ => Format::Text,
        }
    }
}
