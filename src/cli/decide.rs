//! `coarsen decide`: one statement, proved or refuted.

use super::args::{DecideArgs, Format};
use super::exit::Exit;
use super::output::{Output, say};
use super::prove::load;
use super::question::{Unanswered, failed, list, question, tell, work};
use coarsen::questions::{self, Wrong};
use coarsen::report::proofs::{self, Detail, Proof};
use coarsen::suites::{prove_item, untried};

/// What the worker returns: the answer, and the proofs as text.
type Worked = (Proof, Option<String>);

/// Answers the question of `args`.
pub fn run(args: &DecideArgs, output: &mut Output) -> Exit {
    let job = args.clone();
    let (proof, certificate) = match work(&args.limits, move |_| decide(&job)) {
        Ok(answer) => answer,
        Err(Unanswered::Wrong(wrong)) => return tell(&wrong, args.format, output),
        Err(Unanswered::Failed(reason)) => {
            return failed(&args.statement, &reason, args.format, output);
        }
        Err(Unanswered::Stopped(why)) => {
            let statement = args.clone();
            // Reading takes no time; the search has been left behind.
            match untried_for(&statement) {
                Ok(proof) => (
                    Proof {
                        why: vec![format!("stopped by {why}")],
                        ..proof
                    },
                    None,
                ),
                Err(wrong) => return tell(&wrong, args.format, output),
            }
        }
    };
    let mut exit = match proof.status {
        _ if proof.is_rejected() => Exit::EvidenceRejected,
        "proved" => Exit::Holds,
        "refuted" => Exit::Refuted,
        _ => Exit::Unknown,
    };
    match args.format {
        Format::Text => output.write(&render(&proof)),
        Format::Json => list(proofs::json(&proof), output),
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

fn decide(args: &DecideArgs) -> Result<Worked, Wrong> {
    let asked = question(&args.statement, &args.given, &args.letters);
    let mut suite = questions::statement(&asked, args.limits.depth, &mut load)?;
    let item = suite.items.len() - 1;
    let proof = prove_item(&mut suite, item, &args.limits.prover, false);
    let proved = args.certificate.is_some() && proof.status == "proved";
    let certificate = proved.then(|| coarsen::kernel::write(&suite.development));
    Ok((named(proof, args), certificate))
}

/// The answer before there is one.
fn untried_for(args: &DecideArgs) -> Result<Proof, Wrong> {
    let asked = question(&args.statement, &args.given, &args.letters);
    let suite = questions::statement(&asked, args.limits.depth, &mut load)?;
    Ok(named(untried(&suite.items[suite.items.len() - 1]), args))
}

/// The statement is its own name.
fn named(proof: Proof, args: &DecideArgs) -> Proof {
    let words: Vec<&str> = args.statement.split_whitespace().collect();
    Proof {
        name: words.join(" "),
        file: questions::STATEMENT.to_string(),
        line: 1,
        ..proof
    }
}

/// A question declares nothing, so any answer is as good as another.
fn render(proof: &Proof) -> String {
    let (declared, detail) = match proof.status {
        "proved" => ("proved", Detail::Normal),
        "refuted" => ("refuted", Detail::Verbose),
        _ => ("open", Detail::Verbose),
    };
    let shown = Proof {
        declared,
        ..proof.clone()
    };
    shown.render(detail, 0)
}
