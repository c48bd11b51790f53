//! `coarsen simplify`: a smaller term that equals a given one.

use super::args::{Format, SimplifyArgs};
use super::exit::Exit;
use super::output::{Output, say};
use super::prove::load;
use super::question::{Unanswered, failed, list, question, tell, work};
use coarsen::algebra::inline::{self, Wrong};
use coarsen::algebra::{egraph, prove, show, simplify};
use coarsen::report::classes::dot;
use coarsen::report::json;
use coarsen::results::SCHEMA_VERSION;
use coarsen::results::proofs::{Engine, EqualTerms, Simplification};
use std::time::Instant;

/// Answers the question of `args`.
pub fn run(args: &SimplifyArgs, output: &mut Output) -> Exit {
    let job = args.clone();
    let (answer, exit) = match work(&args.limits, move |_| find(&job)) {
        Ok((answer, classes)) => (answer, written(args, &classes)),
        Err(Unanswered::Wrong(wrong)) => return tell(&wrong, args.format, output),
        Err(Unanswered::Failed(reason)) => {
            return failed(inline::TERM, &reason, args.format, output);
        }
        Err(Unanswered::Stopped(why)) => {
            let stopped = Simplification {
                why: vec![format!("stopped by {why}")],
                ..nothing(args)
            };
            (stopped, Exit::Unknown)
        }
    };
    match args.format {
        Format::Text => output.write(&answer.render()),
        Format::Json => list(json::object(&answer), output),
    }
    exit
}

/// Writes the e-graph where it is wanted.
fn written(args: &SimplifyArgs, classes: &[EqualTerms]) -> Exit {
    let Some(path) = &args.trace else {
        return Exit::Holds;
    };
    match std::fs::write(path, dot(classes)) {
        Ok(()) => Exit::Holds,
        Err(error) => {
            say(&format!("coarsen: can't write {}: {error}", path.display()));
            Exit::Internal
        }
    }
}

/// The answer as long as there is none.
fn nothing(args: &SimplifyArgs) -> Simplification {
    let words: Vec<&str> = args.term.split_whitespace().collect();
    Simplification {
        schema_version: SCHEMA_VERSION,
        term: words.join(" "),
        symbols: 0,
        result: None,
        result_symbols: None,
        engine: Engine::None,
        why: Vec::new(),
        time: 0.0,
    }
}

fn find(args: &SimplifyArgs) -> Result<(Simplification, Vec<EqualTerms>), Wrong> {
    let begun = Instant::now();
    let asked = question(&args.term, &args.given, &args.letters);
    let mut asked = inline::term(&asked, args.limits.depth, &mut load)?;
    let limits = &args.limits.prover;
    let suite = &mut asked.suite;
    let classes = match args.trace {
        Some(_) => simplify::classes(suite, asked.term, limits),
        None => Vec::new(),
    };
    let found = simplify::simplify(suite, asked.term, asked.written, limits);
    let mut answer = Simplification {
        symbols: asked.written,
        time: begun.elapsed().as_secs_f64(),
        ..nothing(args)
    };
    let d = &suite.development;
    if let Some(found) = found {
        let (engine, why) = prove::describe(d, found.theorem);
        answer.result = Some(show::term(d, found.term));
        answer.result_symbols = Some(egraph::cost(&d.terms, found.term).0);
        (answer.engine, answer.why) = (engine, why);
    } else if asked.written.max(egraph::cost(&d.terms, asked.term).0) > egraph::LARGEST_TERM {
        let most = egraph::LARGEST_TERM;
        answer.why = vec![format!("it has more than {most} symbols")];
    }
    Ok((answer, classes))
}
