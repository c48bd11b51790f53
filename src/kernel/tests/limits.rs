//! Certificates written to take much memory: a replay takes at most 64 times the file and 64 MiB, whatever it says.
//!
//! An allocator counts. The cases run one after the other, in one test, so that nothing else is counted.

use coarsen_kernel::read_within;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a certificate comes to.
#[derive(Debug, PartialEq)]
enum End {
    Accepted,
    Limit,
    Wrong(String),
}

/// The end and the most bytes at once, the text apart.
fn replay(text: &str) -> (End, usize) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let read = read_within(text, 300_000_000);
    let most = PEAK.load(Relaxed) - before;
    let end = match read {
        Ok(_) => End::Accepted,
        Err(rejected) if rejected.limit => End::Limit,
        Err(rejected) => End::Wrong(rejected.to_string()),
    };
    (end, most)
}

/// A certificate that is being written.
struct Text {
    text: String,
    next: usize,
}

impl Text {
    /// With actions `a0`, .. (terms 3, ..), then tests `p0`, ..
    fn new(actions: usize, tests: usize) -> Text {
        let mut t = Text {
            text: "coarsen certificate 1\n".into(),
            next: 3,
        };
        (0..actions).for_each(|n| t.line(&format!("symbol action 0 a{n}")));
        (0..tests).for_each(|n| t.line(&format!("symbol test 0 p{n}")));
        (0..actions + tests).for_each(|n| _ = t.term(&format!("atom {n}")));
        t
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn term(&mut self, term: &str) -> usize {
        self.line(&format!("term {term}"));
        self.next += 1;
        self.next - 1
    }

    /// A theorem `x <= x` with these steps behind its decision.
    fn theorem(&mut self, x: usize, steps: &str) {
        let _ = write!(
            self.text,
            "theorem t{}\nstatement\npart {x} {x}\nstep decide {x} {x}\npair {x} {x}\n{steps}qed 0\n",
            self.text.len()
        );
    }

    fn end(mut self) -> String {
        self.line("end");
        self.text
    }
}

fn listed(all: std::ops::Range<usize>) -> String {
    all.map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
}

/// Each line doubles a product of alternating letters.
fn doubling_products() -> String {
    let mut t = Text::new(2, 0);
    let mut at = t.term("product 3 4");
    for _ in 0..40 {
        at = t.term(&format!("product {at} {at}"));
    }
    t.end()
}

/// Long products, each a little different.
fn many_long_products() -> String {
    let mut t = Text::new(2, 0);
    let mut at = t.term("product 3 4");
    for _ in 0..14 {
        at = t.term(&format!("product {at} {at}"));
    }
    for _ in 0..100_000 {
        at = t.term(&format!("product 3 {at}"));
    }
    t.end()
}

/// Sums that grow by one member a line.
fn growing_sums() -> String {
    let mut t = Text::new(40_000, 0);
    let mut at = 3;
    for n in 1..40_000 {
        at = t.term(&format!("sum {at} {}", 3 + n));
    }
    t.end()
}

/// Two long sums with members in common, whose product with each other is asked for by a substitution.
fn substitutions() -> String {
    let mut t = Text::new(3, 0);
    let mut deep = t.term("star 3");
    for _ in 0..400 {
        deep = t.term(&format!("product 3 {deep} 3"));
        deep = t.term(&format!("star {deep}"));
    }
    let mut long = t.term("product 4 5");
    for _ in 0..12 {
        long = t.term(&format!("product {long} {long}"));
    }
    let premise = format!("theorem s\npremise\npart {long} {long}\nstatement\n");
    t.text += &format!("{premise}part {long} {long}\nstep premise 0 0\n");
    (0..2_000).for_each(|_| t.line(&format!("step context {deep} 0 0")));
    t.line("qed 0");
    t.end()
}

/// The hole doubled, again and again: `c(c(c(..)))` with `c(x) = x a x`.
fn contexts_of_contexts() -> String {
    let mut t = Text::new(3, 0);
    let c = t.term("product 3 4 3");
    let steps: String = (0..60)
        .map(|n| format!("step context {c} 0 {n}\n"))
        .collect();
    t.theorem(5, &steps);
    t.end()
}

/// Many steps, each with its own copy of many pairs that differ.
fn distinct_indices() -> String {
    let mut t = Text::new(1, 0);
    let pairs: Vec<String> = (0..100_000).map(|n| format!("{n}>{}", n + 1)).collect();
    let _ = write!(
        t.text,
        "theorem t\npremise\ndistinct {}\npart 3 3\nstatement\npart 3 3\nstep decide 3 3\npair 3 3\n",
        pairs.join(" ")
    );
    (0..50_000).for_each(|_| t.line("step premise 0 0"));
    t.line("qed 0");
    t.end()
}

/// One step that asks for the pairs of very many.
fn chains_of_distinct_indices() -> String {
    let mut t = Text::new(1, 0);
    t.text += "theorem t\n";
    for n in 0..300 {
        let pairs: Vec<String> = (0..300)
            .map(|m| format!("{}>{}", 2 * n, 2 * m + 1))
            .collect();
        let _ = writeln!(t.text, "premise\ndistinct {}\npart 3 3", pairs.join(" "));
    }
    t.text += "statement\npart 3 3\nstep decide 3 3\npair 3 3\n";
    (0..300).for_each(|n| t.line(&format!("step premise {n} 0")));
    for _ in 0..2_000 {
        t.line(&format!("step chain {}", listed(1..301)));
    }
    t.line("qed 0");
    t.end()
}

/// Deeper than terms may be.
fn deep_nesting() -> String {
    let mut t = Text::new(1, 0);
    let mut at = 3;
    for _ in 0..2_000 {
        at = t.term(&format!("star {at}"));
        at = t.term(&format!("product {at} 3"));
    }
    t.end()
}

/// Under many binders, where each part is another term for each of them.
fn deep_binders() -> String {
    let mut t = Text {
        text: "coarsen certificate 1\nsymbol action 1 u\n".into(),
        next: 3,
    };
    let mut at = t.term("atom 0 i0");
    for _ in 0..450 {
        at = t.term(&format!("sumover {at} i0 b0"));
        at = t.term(&format!("star {at}"));
    }
    let whole = t.term(&format!("sumover {at}"));
    let steps: String = (0..20_000)
        .map(|n| format!("step sumintro {whole} {n}\n"))
        .collect();
    t.theorem(3, &steps);
    t.end()
}

/// (x + 1)(x + 1) .. with stars: moves that double.
fn closures() -> String {
    let mut t = Text::new(1, 0);
    let mut at = 3;
    for _ in 0..300 {
        let star = t.term(&format!("star {at}"));
        at = t.term(&format!("product {star} 3 {star} 3 {star}"));
    }
    t.theorem(at, "");
    t.end()
}

/// A product of one nullable factor very many times: as many moves as factors, each to a long product.
fn repeated_factors() -> String {
    let mut t = Text::new(3, 0);
    let all = t.term("sum 1 3 4 5");
    let mut at = all;
    for _ in 0..15 {
        at = t.term(&format!("product {at} {at}"));
    }
    t.theorem(at, "");
    t.end()
}

/// Many letters on the left, each with all that many sets say.
fn answers() -> String {
    let mut t = Text::new(3_000, 0);
    let target = t.term(&format!("star {}", 3));
    let steps: Vec<usize> = (3..1_503)
        .map(|a| t.term(&format!("product {a} {target}")))
        .collect();
    let steps: Vec<String> = steps.iter().map(usize::to_string).collect();
    let left = t.term(&format!("sum {}", steps.join(" ")));
    let _ = writeln!(
        t.text,
        "theorem t\nstatement\npart {left} {left}\nstep decide {left} {left}\npair {left} {left}"
    );
    for n in 0..1_500 {
        let _ = writeln!(t.text, "pair {target} {}", 3 + n);
    }
    t.line("qed 0");
    t.end()
}

/// Complements of sums of products of tests, nested.
fn complements() -> String {
    let mut t = Text::new(0, 2_000);
    let mut at = 3;
    for n in 0..900 {
        let both = t.term(&format!("product {at} {}", 4 + n));
        let either = t.term(&format!("sum {both} {}", 1_000 + n));
        at = t.term(&format!("not {either}"));
    }
    t.end()
}

/// Conjunctions split in a bad order.
fn bad_splits() -> String {
    let mut t = Text::new(0, 80);
    let both: Vec<usize> = (0..40)
        .map(|n| t.term(&format!("product {} {}", 3 + n, 43 + n)))
        .collect();
    let both: Vec<String> = both.iter().map(usize::to_string).collect();
    let sum = t.term(&format!("sum {}", both.join(" ")));
    let not = t.term(&format!("not {sum}"));
    let _ = write!(
        t.text,
        "theorem t\nstatement\npart {not} {sum}\nstep decide {not} {sum}\npair {not} {sum}\nqed 0\n"
    );
    t.end()
}

/// Many hypotheses, all of which each of many theorems rests on.
fn hypotheses() -> String {
    let mut t = Text::new(1, 0);
    (0..20_000).for_each(|n| t.line(&format!("hypothesis h{n}\npart 3 3")));
    t.text += "theorem all\nstatement\npart 3 3\n";
    (0..20_000).for_each(|n| t.line(&format!("step hypothesis {n} 0")));
    t.line("qed 0");
    for n in 0..20_000 {
        t.line(&format!(
            "theorem t{n}\nstatement\npart 3 3\nstep theorem 0 0\nqed 0"
        ));
    }
    t.end()
}

/// Nothing but lines of one kind: what is read costs in proportion.
fn plain(kind: usize) -> String {
    let mut t = Text::new(1, 1);
    match kind {
        0 => (0..200_000).for_each(|n| t.line(&format!("symbol test 0 q{n}"))),
        1 => {
            (0..200_000).for_each(|n| t.line(&format!("variable q{n}")));
        }
        2 => {
            (0..990).for_each(|n| _ = t.term(&format!("omega {}", if n == 0 { 3 } else { n + 4 })))
        }
        3 => (0..60_000).for_each(|n| t.line(&format!("hypothesis {n}\npart 3 3"))),
        4 => t.theorem(3, &"step unfold 3\n".repeat(200_000)),
        5 => {
            let pairs = "pair 3 3\n".repeat(300_000);
            let _ = write!(
                t.text,
                "theorem t\nstatement\npart 3 3\nstep decide 3 3\n{pairs}qed 0\n"
            );
        }
        _ => (0..30_000).for_each(|_| t.theorem(3, "")),
    }
    t.end()
}

#[test]
fn memory_is_bounded_by_the_file() {
    use End::{Accepted, Limit};
    let mut cases = vec![
        ("doubling products", doubling_products(), Some(Limit)),
        ("many long products", many_long_products(), Some(Limit)),
        ("growing sums", growing_sums(), Some(Limit)),
        ("substitutions", substitutions(), None),
        ("contexts of contexts", contexts_of_contexts(), Some(Limit)),
        ("distinct indices", distinct_indices(), Some(Limit)),
        (
            "chains of distinct indices",
            chains_of_distinct_indices(),
            Some(Limit),
        ),
        ("deep nesting", deep_nesting(), Some(Limit)),
        ("deep binders", deep_binders(), None),
        ("closures", closures(), Some(Limit)),
        ("repeated factors", repeated_factors(), Some(Limit)),
        ("answers", answers(), None),
        ("complements", complements(), None),
        ("bad splits", bad_splits(), None),
        ("hypotheses", hypotheses(), Some(Limit)),
    ];
    for kind in 0..=6 {
        let end = if kind == 2 { None } else { Some(Accepted) };
        cases.push(("plain", plain(kind), end));
    }
    let mut over = Vec::new();
    for (name, text, wanted) in &cases {
        let clock = std::time::Instant::now();
        let (end, most) = replay(text);
        let bound = 64 * text.len() + (64 << 20);
        println!(
            "{name}: {} bytes, at most {most} of {bound} ({} times the file), {end:?}, {:.1} s",
            text.len(),
            most / text.len(),
            clock.elapsed().as_secs_f64()
        );
        if most > bound || wanted.as_ref().is_some_and(|w| *w != end) {
            over.push(format!(
                "{name}: {most} of {bound}, {end:?}, not {wanted:?}"
            ));
        }
    }
    assert!(over.is_empty(), "{over:#?}");
    // So many operations are too few for what is else accepted, and that is no rejection.
    let text = plain(4);
    let rejected = read_within(&text, 1_000).map(|_| ()).unwrap_err();
    assert!(rejected.limit, "{rejected}");
}
