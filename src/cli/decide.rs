//! `coarsen decide`: one statement, proved or refuted.

use super::args::{DecideArgs, Format};
use super::exit::Exit;
use super::output::{Output, say};
use super::prove::load;
use super::question::{Unanswered, failed, list, question, tell, work};
use coarsen::algebra::files::{Also, prove_item, untried};
use coarsen::algebra::inline::{self, Question, Wrong};
use coarsen::report::json;
use coarsen::report::proofs::Detail;
use coarsen::results::proofs::{Declared, Proof, Status};
use std::sync::{Arc, Mutex};

/// What the worker returns: the answer, and the proofs as text.
type Worked = (Proof, Option<String>);

/// Answers the question of `args`.
pub fn run(args: &DecideArgs, output: &mut Output) -> Exit {
    let begun = Arc::new(Mutex::new(None));
    let (job, left) = (args.clone(), Arc::clone(&begun));
    let (proof, certificate) = match work(&args.limits, move |_| decide(&job, &left)) {
        Ok(answer) => answer,
        Err(Unanswered::Wrong(wrong)) => return tell(&wrong, args.format, output),
        Err(Unanswered::Failed(reason)) => {
            return failed(inline::STATEMENT, &reason, args.format, output);
        }
        Err(Unanswered::Stopped(why)) => {
            let begun = begun.lock().unwrap_or_else(|e| e.into_inner()).take();
            let Some(proof) = begun else {
                let reason = format!("stopped by {why} while reading");
                return failed(inline::STATEMENT, &reason, args.format, output);
            };
            let why = vec![format!("stopped by {why}")];
            (Proof { why, ..proof }, None)
        }
    };
    let mut exit = match proof.status {
        _ if proof.is_rejected() => Exit::EvidenceRejected,
        Status::Proved => Exit::Holds,
        Status::Refuted => Exit::Refuted,
        Status::Unknown => Exit::Unknown,
    };
    match args.format {
        Format::Text => output.write(&render(&proof)),
        Format::Json => list(json::object(&proof), output),
    }
    if let (Some(path), Some(text)) = (&args.certificate, certificate) {
        let shown = path.display();
        match std::fs::write(path, text) {
            Ok(()) => say(&format!("the proof is written to {shown}")),
            Err(error) => {
                say(&format!("coarsen: can't write {shown}: {error}"));
                exit = exit.and(Exit::Internal);
            }
        }
    }
    exit
}

/// What the worker does; what can be said if it is left behind goes into `begun`.
fn decide(args: &DecideArgs, begun: &Mutex<Option<Proof>>) -> Result<Worked, Wrong> {
    let asked = Question {
        level: args.level,
        ..question(&args.statement, &args.given, &args.letters)
    };
    let mut suite = inline::statement(&asked, args.limits.depth, &mut load)?;
    let item = suite.items.len() - 1;
    let before = named(untried(&suite.items[item]), args);
    *begun.lock().unwrap_or_else(|e| e.into_inner()) = Some(before);
    let proof = prove_item(&mut suite, item, &args.limits.prover, Also::default());
    let proved = args.certificate.is_some() && proof.status == Status::Proved;
    let certificate = proved.then(|| coarsen::kernel::write(&suite.development));
    Ok((named(proof, args), certificate))
}

/// The statement is its own name.
fn named(proof: Proof, args: &DecideArgs) -> Proof {
    let words: Vec<&str> = args.statement.split_whitespace().collect();
    Proof {
        name: words.join(" "),
        file: inline::STATEMENT.to_string(),
        line: 1,
        ..proof
    }
}

/// A question declares nothing, so any answer is as good as another.
fn render(proof: &Proof) -> String {
    let (declared, detail) = match proof.status {
        Status::Proved => (Declared::Proved, Detail::Normal),
        Status::Refuted => (Declared::Refuted, Detail::Verbose),
        Status::Unknown => (Declared::Open, Detail::Verbose),
    };
    let shown = Proof {
        declared,
        ..proof.clone()
    };
    shown.render(detail, 0)
}
