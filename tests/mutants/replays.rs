//! One mutant after the other: made, replayed within bounds, and judged if it is accepted.

use super::Dice;
use super::fitted::fit;
use super::mutate::{KINDS, change, lines};
use super::sources::{Source, Sources};
use super::truth::{Judged, Worlds};

use coarsen::base::control::{Budget, Control, Stop};
use coarsen::base::evidence::Bundle;
use coarsen::certificate::{BundleVerdict, verify};
use coarsen::certificate::{read, write};
use coarsen::results::proofs::Acceptance;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A replay that takes longer is stopped; one that does not stop within six times this ends the program.
const SLOW: Duration = Duration::from_secs(20);

/// How mutants fared.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub accepted: usize,
    pub rejected: usize,
    pub unknown: usize,
    /// Of the accepted ones, those that say the same as before.
    pub true_: usize,
    pub by_twin: usize,
    pub open: usize,
}

/// What came of many mutants.
#[derive(Default)]
pub struct Findings {
    pub by_kind: BTreeMap<&'static str, Tally>,
    pub by_writer: BTreeMap<&'static str, Tally>,
    pub why: BTreeMap<String, usize>,
    /// Accepted and wrong, and panics: with the number of the mutant.
    pub failures: Vec<Failure>,
    pub slowest: Duration,
}

pub struct Failure {
    pub mutant: u64,
    pub kinds: Vec<&'static str>,
    pub of: String,
    pub why: String,
    pub text: String,
}

/// A mutant: how it was made, and its text.
pub struct Mutant<'s> {
    pub kinds: Vec<&'static str>,
    pub of: &'s Source,
    pub text: String,
}

/// The mutant of this number.
pub fn mutant<'s>(sources: &'s Sources, worlds: &mut Worlds, number: u64) -> Mutant<'s> {
    let mut d = Dice::of(number);
    // Kinds in turn, so that each has its share.
    let mut kinds = vec![KINDS[number as usize % KINDS.len()]];
    while kinds.len() < 3 && d.once_in(3) {
        kinds.push(KINDS[d.below(KINDS.len())]);
    }
    let of = chosen(sources, kinds[0], &mut d);
    let mut bundle = of.bundle.clone();
    for kind in &kinds {
        change(kind, &mut bundle, of, sources, &mut d);
    }
    if kinds.iter().any(|kind| kind.starts_with("fitted"))
        && let Some(world) = worlds.tool(&bundle)
    {
        fit(&mut bundle, &world, &mut d);
    }
    let mut text = write(&bundle);
    if kinds.contains(&"lines") {
        text = lines(&text, &mut d);
    }
    Mutant { kinds, of, text }
}

/// Evidence that has what is to be changed, if any of some has.
fn chosen<'s>(sources: &'s Sources, kind: &str, d: &mut Dice) -> &'s Source {
    let fits = |b: &Bundle| match kind {
        "executions" => !b.executions.is_empty(),
        "disciplines" => !b.disciplines.is_empty(),
        "movers" => b.parts.iter().any(|p| p.transactions.is_some()),
        "fitted steps" => b.parts.iter().any(|p| !p.visible.is_empty()),
        "fitted others" => b.parts.iter().any(|p| p.transactions.is_none()),
        "derivations" | "letters" => b.parts.iter().any(|p| p.derivations.is_some()),
        "defines" => b.text.contains("const "),
        _ => true,
    };
    let mut of = &sources.all[d.below(sources.all.len())];
    for _ in 0..30 {
        if fits(&of.bundle) {
            break;
        }
        of = &sources.all[d.below(sources.all.len())];
    }
    of
}

/// A replay that is stopped when it takes too long; `None` if it panics.
pub fn replay(text: &str) -> (Option<BundleVerdict>, Duration) {
    let control = Control::new(Budget {
        nodes: 1_000_000,
        states: 1_000_000,
        ..Budget::default()
    });
    std::thread::scope(|scope| {
        let (done, waits) = channel::<()>();
        let control = &control;
        scope.spawn(move || {
            let over = |r| r == Err(RecvTimeoutError::Timeout);
            if over(waits.recv_timeout(SLOW)) {
                control.stop(Stop::Time);
                if over(waits.recv_timeout(6 * SLOW)) {
                    eprintln!("a replay does not stop");
                    std::process::abort();
                }
            }
        });
        let started = Instant::now();
        let verdict = catch_unwind(AssertUnwindSafe(|| verify(text, None, &[], control))).ok();
        drop(done);
        (verdict, started.elapsed())
    })
}

impl Findings {
    /// Looks at one mutant.
    pub fn look(&mut self, sources: &Sources, worlds: &mut Worlds, number: u64) {
        let Mutant { kinds, of, text } = mutant(sources, worlds, number);
        let (verdict, took) = replay(&text);
        self.slowest = self.slowest.max(took);
        let failed = |why: String| Failure {
            mutant: number,
            kinds: kinds.clone(),
            of: format!("{} by {}", of.name, of.writer),
            why,
            text: text.clone(),
        };
        let Some(verdict) = verdict else {
            self.failures.push(failed("panics".into()));
            return;
        };
        let mut one = Tally::default();
        match verdict.status() {
            Acceptance::Accepted => {
                one.accepted = 1;
                let judged = match read(&text) {
                    Ok(b) => worlds.judge(&b, sources.twin(&b.text)),
                    Err(why) => Judged::Lie(format!("accepted, though malformed: {why}")),
                };
                match judged {
                    Judged::True { twin } => {
                        one.true_ = 1;
                        one.by_twin = usize::from(twin);
                    }
                    Judged::Open(why) => {
                        one.open = 1;
                        *self
                            .why
                            .entry(format!("accepted, open: {why}"))
                            .or_default() += 1;
                    }
                    Judged::Lie(why) => self.failures.push(failed(why)),
                }
            }
            Acceptance::Rejected => one.rejected = 1,
            _ => one.unknown = 1,
        }
        if let Some(why) = &verdict.rejected {
            *self.why.entry(sort(why)).or_default() += 1;
        }
        for tally in [
            self.by_kind.entry(kinds[0]).or_default(),
            self.by_writer.entry(of.writer).or_default(),
        ] {
            tally.add(&one);
        }
    }
}

/// The reason of a rejection without names and numbers.
fn sort(why: &str) -> String {
    let plain = |w: &&str| {
        w.chars()
            .all(|c| c.is_ascii_lowercase() || c == '\'' || c == '-')
    };
    let words: Vec<&str> = why.split([' ', '`', ':', ',']).filter(plain).collect();
    words[..words.len().min(5)].join(" ")
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.unknown += other.unknown;
        self.true_ += other.true_;
        self.by_twin += other.by_twin;
        self.open += other.open;
    }
}
