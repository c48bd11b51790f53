//! How soon an editor has its answer: a keystroke in a long model, and a question behind it, beside reading the text.
//!
//! `cargo bench --bench lsp`

#[path = "../tests/support/editor.rs"]
mod editor;

use coarsen::Session;
use coarsen::base::control::ParseLimits;
use editor::Editor;
use std::fmt::Write;
use std::time::{Duration, Instant};

const URI: &str = "file:///long.cor";

/// A model of about so many lines: many threads, each with blocks under locks.
fn model(lines: usize) -> String {
    let mut text = String::from("mutex m[4];\nvar x[4]: 0..7 = 0 protected x[k] by m[k];\n");
    let mut number = 0;
    while text.lines().count() < lines {
        number += 1;
        let _ = writeln!(text, "\nthread t{number} {{\n    var seen: 0..7 = 0;");
        for n in 0..8 {
            let _ = writeln!(
                text,
                "    lock(m[{0}]);\n    seen = x[{0}];\n    if (seen < 7) {{\n        x[{0}] = seen + 1;\n\
                 \x20   }} else {{\n        x[{0}] = 0;\n    }}\n    unlock(m[{0}]);",
                n % 4
            );
        }
        text.push_str("}\n");
    }
    text
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

fn main() {
    println!(
        "milliseconds, medians of 41   reading | keystroke and diagnostics | and a hover | keystroke / reading"
    );
    for lines in [300, 1000, 3000, 10_000] {
        let text = model(lines);
        let reading = (0..41).map(|_| {
            let begun = Instant::now();
            let read = Session::load("long.cor", &text, &[], ParseLimits::default());
            assert!(read.is_ok());
            begun.elapsed()
        });
        let reading = median(reading.collect());
        let mut editor = Editor::start(env!("CARGO_BIN_EXE_coarsen"));
        editor.open(URI, &text);
        assert_eq!(editor.diagnostics(), Vec::<serde_json::Value>::new());
        let (mut typed, mut asked) = (Vec::new(), Vec::new());
        let place = (lines / 2, 0);
        for _ in 0..41 {
            let begun = Instant::now();
            editor.edit(URI, (place, place), " ");
            editor.diagnostics();
            typed.push(begun.elapsed());
            editor.at("hover", URI, (1, 5));
            asked.push(begun.elapsed());
        }
        let (typed, asked) = (median(typed), median(asked));
        println!(
            "{:>6} lines                 {reading:>8.1} | {typed:>8.1} | {asked:>8.1} | {:>6.2}",
            text.lines().count(),
            typed / reading
        );
        editor.quit();
    }
}
