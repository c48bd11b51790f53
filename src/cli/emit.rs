//! `coarsen emit`: a model with the blocks atomic that may be, for this tool or for Spin.

use super::args::{DEFAULT_THEOREM, EmitArgs, EmitFormat, Format};
use super::exit::Exit;
use super::model_run::{ModelRun, Worked, Wrong};
use super::output::{Output, say};
use super::supervise::Interrupts;
use coarsen::Session;
use coarsen::base::control::ParseLimits;
use coarsen::certificate::{hash as digest, write};
use coarsen::command::emit::promela::{Unsayable, promela};
use coarsen::command::emit::{Asked, Emitted, Obstacle, Remark, Shown, emit};
use coarsen::results::{ClaimReason, PropertyReason, Status};
use coarsen::theory;
use std::fs;
use std::path::Path;

/// A piece of evidence: the name of its block, its text, and the model that it is about.
type Evidence = (String, String, String);

/// What the worker gives back.
struct Answer {
    emitted: Emitted,
    evidence: Vec<Evidence>,
    /// The text for Spin, if that is asked for.
    promela: Option<Result<String, Unsayable>>,
}

/// Emits the model of `args`.
pub fn run(args: &EmitArgs, output: &mut Output) -> Exit {
    let run = ModelRun::read(&args.model, Format::Text, &args.limits);
    let name = run.name;
    let asked = args.clone();
    let worked = run.work(
        &Interrupts::install(),
        output,
        move |name, source, control| {
            let theory = theory(DEFAULT_THEOREM).ok_or(Wrong::NoTheorem)?;
            let limits = ParseLimits {
                depth: asked.limits.depth,
            };
            let what = Asked {
                name,
                source,
                defines: &asked.defines.defines,
                limits,
                theory: &theory,
            };
            let mut evidence = Vec::new();
            let mut emitted = emit(&what, control, &mut |remark| told(remark, &mut evidence))?;
            let head = headline(name, &emitted);
            let promela = match asked.format {
                EmitFormat::Cor => None,
                EmitFormat::Promela => {
                    let (session, _) = Session::load("emitted.cor", &emitted.text, &[], limits)?;
                    let head: Vec<String> = head.iter().cloned().chain(how(&session)).collect();
                    Some(promela(session.program(), &head))
                }
            };
            let head: String = head.iter().map(|line| format!("// {line}\n")).collect();
            emitted.text = format!("{head}\n{}", emitted.text);
            Ok((
                Vec::new(),
                Answer {
                    emitted,
                    evidence,
                    promela,
                },
            ))
        },
    );
    let answer = match worked {
        Ok((Worked::Done(answer), _)) => answer,
        Ok((Worked::Abandoned { stop, phase, .. }, _)) => {
            say(&format!(
                "coarsen: {name}: stopped by {stop}, in phase `{phase}`"
            ));
            return Exit::Unknown;
        }
        Err(exit) => return exit,
    };
    match &answer.promela {
        None => output.write(&answer.emitted.text),
        Some(Ok(text)) => output.write(text),
        Some(Err(why)) => {
            let why = match why {
                Unsayable::Wide => {
                    "its expressions may need numbers of more than 32 bits, which Promela lacks"
                }
                Unsayable::Large => "it needs more than the 255 processes that Spin takes",
            };
            say(&format!("coarsen: {name}: no model in Promela: {why}"));
            return Exit::Unknown;
        }
    }
    let kept = match &args.evidence {
        Some(folder) => keep(folder, &answer.evidence),
        None => Exit::Holds,
    };
    match answer.emitted.stopped {
        None => kept,
        Some(stop) => {
            say(&format!(
                "coarsen: {name}: stopped by {stop}: further blocks stay as they are"
            ));
            kept.and(Exit::Unknown)
        }
    }
}

/// What stands at the top: what was made of which model.
fn headline(name: &str, emitted: &Emitted) -> Vec<String> {
    let counted = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    let mut all = vec![
        format!("{name}, by `coarsen emit`:"),
        format!(
            "{} made atomic, {} left as claimed, locals put back behind {}.",
            counted(emitted.atomic, "block"),
            emitted.left,
            counted(emitted.put_back, "statement")
        ),
    ];
    if emitted.stopped.is_some() {
        all.push("A limit was hit: there may be more.".to_string());
    }
    all
}

/// How Spin is asked what the model asks.
fn how(session: &Session) -> Vec<String> {
    let deadlocks = match session.program().deadlock_free {
        Some(_) => "",
        None => " -E",
    };
    vec![
        "The discipline of shared variables is not checked here.".to_string(),
        format!("spin -a MODEL.pml && cc -O2 -o pan pan.c && ./pan -m1000000{deadlocks}"),
    ]
}

/// The comment on a block; its evidence is kept.
fn told(remark: &Remark, evidence: &mut Vec<Evidence>) -> Vec<String> {
    match remark {
        Remark::Claimed(shown) => {
            let mut all = vec![format!("{}: atomic, {}", shown.claim.name, why(shown))];
            all.extend(hash(shown, shown.claim.name.clone(), evidence));
            all
        }
        Remark::Found(shown) => {
            let mut all = vec![format!("atomic, {}", why(shown))];
            let name = format!("block_{}", evidence.len() + 1);
            all.extend(hash(shown, name, evidence));
            all
        }
        Remark::Left(name, obstacle) => vec![format!(
            "{name} stays as it is: {}",
            obstacle_words(obstacle)
        )],
    }
}

/// Why a block may be atomic, without places: those are of another text.
fn why(shown: &Shown) -> String {
    match (shown.reason, &shown.claim.theorem) {
        (PropertyReason::Claim(ClaimReason::Weakened { theorem, .. }), _) => {
            format!("by {theorem}, with weaker steps")
        }
        (PropertyReason::Claim(ClaimReason::Compared { .. }), _) | (_, None) => {
            "as a comparison of all states of this instance shows".to_string()
        }
        (_, Some(theorem)) => format!("by {theorem}"),
    }
}

fn hash(shown: &Shown, name: String, evidence: &mut Vec<Evidence>) -> Option<String> {
    let bundle = shown.bundle?;
    let text = write(bundle);
    let line = format!("evidence: {name}.cert, sha256 {}", digest(&text));
    evidence.push((name, text, bundle.text.clone()));
    Some(line)
}

fn obstacle_words(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Open(Status::Refuted, _) => {
            "the claim is refuted; `coarsen check` has the execution".to_string()
        }
        Obstacle::Open(..) => {
            "it is not known that it may be atomic; `coarsen check` says why".to_string()
        }
        Obstacle::Blocks => "a thread can get stuck inside".to_string(),
        Obstacle::Unsayable(diagnostic) => {
            format!("the language can't make it atomic ({})", diagnostic.message)
        }
        Obstacle::Changes(name) => format!("made atomic, it would change the answer about {name}"),
        Obstacle::Discipline => "the discipline is not known to hold".to_string(),
    }
}

/// Writes each piece of evidence beside the model that it is about, so that `coarsen verify` can be asked.
fn keep(folder: &Path, all: &[Evidence]) -> Exit {
    let written = fs::create_dir_all(folder).and_then(|()| {
        all.iter().try_for_each(|(name, evidence, model)| {
            fs::write(folder.join(format!("{name}.cert")), evidence)?;
            fs::write(folder.join(format!("{name}.cor")), model)
        })
    });
    match written {
        Ok(()) => Exit::Holds,
        Err(error) => {
            say(&format!(
                "coarsen: {}: can't write the evidence: {error}",
                folder.display()
            ));
            Exit::Internal
        }
    }
}
