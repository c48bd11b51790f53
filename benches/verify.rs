//! What it costs to verify the evidence for every shipped model, beside the check that wrote it, in the same run.
//!
//! `cargo bench --bench verify` prints seconds and ratios, and fails if a replay takes more than five times the check
//! and half a second. `ONLY=text` takes the models whose name has that text.

// Tests use more of these.
#[path = "../tests/support/random.rs"]
mod random;
#[path = "../tests/shipped/mod.rs"]
mod shipped;

use coarsen::base::control::Control;
use coarsen::certificate::verify;
use coarsen::certificate::write;
use coarsen::{CheckOptions, theory};
use shipped::Shipped;
use std::time::Instant;

/// How much more than the check a replay may take, and how many seconds besides.
const MOST: (f64, f64) = (5.0, 0.5);

const THEOREMS: [&str; 2] = ["stoller-cohen", "flanagan-qadeer"];

fn main() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let all = shipped::all().into_iter().chain(shipped::large());
    let asked = all.filter(|m| m.name.contains(&only));
    println!("| model | theorem | check s | verify s | ratio | bytes |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    let (mut sums, mut dear) = ((0.0, 0.0), Vec::new());
    for model in asked {
        // What is about transactions has evidence by the theorem for them, too.
        let about = model.name.contains("/transactions/");
        for theorem in THEOREMS.into_iter().take(1 + usize::from(about)) {
            let Some((check, replay)) = look(&model, theorem) else {
                continue;
            };
            sums = (sums.0 + check, sums.1 + replay);
            if replay > MOST.0 * check + MOST.1 {
                dear.push(model.name.clone());
            }
        }
    }
    println!("in all {:.1} s to check, {:.1} s to verify", sums.0, sums.1);
    assert!(dear.is_empty(), "too dear: {}", dear.join(", "));
}

/// Seconds of the check and of the replay; `None` if nothing holds.
fn look(model: &Shipped, theorem: &str) -> Option<(f64, f64)> {
    let options = CheckOptions {
        certificate: true,
        ..CheckOptions::default()
    };
    let known = theory(theorem).expect("shipped");
    let begun = Instant::now();
    let report = model.load(&[]).check(&known, &options, &Control::default());
    let check = begun.elapsed().as_secs_f64();
    let text = write(&*report.bundle?);
    let begun = Instant::now();
    let verdict = verify(&text, None, &[], &Control::default());
    let replay = begun.elapsed().as_secs_f64();
    assert!(verdict.is_accepted(), "{}: {verdict:#?}", model.name);
    println!(
        "| {} | {theorem} | {check:.3} | {replay:.3} | {:.2} | {} |",
        model.name,
        replay / check,
        text.len()
    );
    Some((check, replay))
}
