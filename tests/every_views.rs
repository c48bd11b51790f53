//! What each two threads see, for every value: objects reached by references, and whoever is first, give access by it.
//! What needs three threads or more to go wrong is not said to hold.

use crate::every::{agrees, every, holds, model, said};
use crate::random::{enough, runner};
use coarsen::results::{Rung, Status};
use proptest::collection::vec;

/// A model of which everything holds by what two threads see, in so many views.
fn by_views(source: &str, from: &str, views: &str) {
    holds(source, from);
    assert_eq!(every(source).views.as_deref(), Some(views), "{source}");
}

#[test]
fn shipped_models() {
    by_views(&model("section6/memory_reuse"), "2", "8732");
    by_views(&model("monitors/once"), "1", "124");
    let once = every(&model("monitors/once"));
    let on: Vec<Option<Rung>> = once.hypotheses.iter().map(|h| h.invariant).collect();
    assert!(on.contains(&Some(Rung::Lemmas)), "{on:?}");
    // Sums say why it holds, or what holds of each thread does: views are not needed.
    for name in ["section6/semaphore_driver", "classic/locked_ring"] {
        let report = every(&model(name));
        assert_eq!(
            (report.discipline, report.views),
            (Status::Holds, None),
            "{name}"
        );
    }
}

/// Cells on a list, each with whoever took it.
fn list(takes: &str) -> String {
    format!(
        "const N = 3; record cell {{ next: ref cell in cells; data: 0..3 = 0; }} var cells[2]: cell;\n\
         var top: ref cell in cells = &cells[0]; mutex m;\n\
         init forall (b in 0..1) cells[b].next == (b < 1 ? &cells[b + 1] : null);\n\
         thread w(i in 0..N-1) {{ var c: ref cell in cells = null; while (true) {{\n\
         lock(m); {takes} unlock(m);\n\
         if (c != null) {{ c.data = 1; c.data = c.data + 1; c.data = 0;\n\
         lock(m); c.next = top; top = c; unlock(m); c = null; }} }} }}"
    )
}

#[test]
fn cells_of_a_list() {
    let right = list("c = top; if (c != null) { top = c.next; }");
    holds(&right, "1");
    assert!(every(&right).views.is_some());
    // Two threads may take the same one.
    let wrong = list("c = top;");
    let report = every(&wrong);
    assert_eq!(report.discipline, Status::Unknown, "{}", said(&report));
    agrees(&wrong);
}

/// Threads draw numbers, and whoever has one of these has access.
fn drawn(which: &str) -> String {
    format!(
        "const N = 3; var p: 0..4 = 0; var x: 0..3 = 0 protected by (at(self, A) || at(self, B));\n\
         thread w(i in 0..N-1) {{ var t: 0..4 = 4;\n\
         atomic {{ t = p; if (p < 4) {{ p = p + 1; }} }}\n\
         if ({which}) {{ A: x = 1; B: x = 0; }} }}"
    )
}

#[test]
fn whoever_is_first() {
    for t in 0..4 {
        holds(&drawn(&format!("t == {t}")), "1");
    }
    // Many come last, and then it takes three threads, four, or five.
    for which in ["t == 0 || t == 2", "t == 0 || t == 3", "t == 4"] {
        let report = every(&drawn(which));
        assert_eq!(
            report.discipline,
            Status::Unknown,
            "{which}: {}",
            said(&report)
        );
        agrees(&drawn(which));
    }
}

/// What is told apart by more than what threads own has no such views, and nothing is said for it.
#[test]
fn other_threads_are_looked_at() {
    let turn = |turns: &str| {
        format!(
            "const N = 3; var turn: 0..2 = 0; var x: 0..3 = 0; thread w(i in 0..N-1) {{\n\
             when (turn == {turns}) skip; x = 1; x = 0; }}"
        )
    };
    for turns in ["i % 3", "N - 3"] {
        let report = every(&turn(turns));
        assert_eq!(report.views, None, "{turns}");
        agrees(&turn(turns));
    }
    let named = "const N = 3; mutex m; var x: 0..3 = 0 protected by (m.owner == self || m.owner == 0 && at(self, A));
        thread w(i in 0..N-1) { lock(m); A: x = 1; unlock(m); }";
    agrees(named);
}

/// What has too many initial states, outcomes or views is given up at once.
#[test]
fn too_many() {
    let drawn = drawn("t == 1");
    for (more, uses) in [
        ("var g[12]: 0..9;", "skip;"),
        (
            "var g: 0..69 = 0; var h: 0..69 = 0;",
            "atomic { havoc g; havoc h; }",
        ),
        (
            "var g: 0..3000 = 0;",
            "while (true) { either { g = (g + 1) % 3001; } or { t = (g + t) % 4; } }",
        ),
    ] {
        let source = drawn
            .replacen("var x", &format!("{more}\nvar x"), 1)
            .replacen("B: x = 0; }", &format!("B: x = 0; }} {uses}"), 1);
        let report = every(&source);
        assert_eq!(report.views, None, "{source}");
        assert_eq!(report.discipline, Status::Unknown, "{source}");
    }
    assert!(every(&drawn).views.is_some());
}

/// Threads that are told apart by what they own, from a stream of numbers. They are few, since relations judge.
fn family(mut next: impl FnMut(usize) -> usize) -> String {
    let mut text = String::from(
        "const N = 3; record cell { next: ref cell in cells; data: 0..2 = 0; } var cells[2]: cell;\n\
         var top: ref cell in cells = &cells[0]; mutex m; mutex l; var b: 0..2 = 0; var p: 0..3 = 0; var x: 0..2 = 0;\n\
         init forall (b in 0..1) cells[b].next == (b < 1 ? &cells[b + 1] : null);\n",
    );
    let mut body = String::new();
    for _ in 0..1 + next(2) {
        let work = ["x = 1; x = 0;", "x = (x + 1) % 3;", "x = 1;\nt = x;"][next(3)];
        let mine = ["c.data = 1; c.data = 0;", "c.data = (c.data + 1) % 3;"][next(2)];
        let lock = if next(4) == 0 { "l" } else { "m" };
        let takes = match next(4) {
            0 => "c = top;",
            _ => "c = top; if (c != null) { top = c.next; }",
        };
        body += &match next(6) {
            0 => format!("lock({lock}); {work} unlock({lock});"),
            1 => format!("when (b == 0) b = 1;\n{work}\nb = 0;"),
            2 => format!(
                "atomic {{ t = p; if (p < 3) {{ p = p + 1; }} }}\nif (t == {}) {{ {work} }}",
                next(4)
            ),
            3 => format!("lock(m); {takes} unlock(m);\nif (c != null) {{ {mine} c = null; }}"),
            _ => format!(
                "lock(m); {takes} unlock(m);\nif (c != null) {{ {mine} lock({lock}); c.next = top; top = c; \
                 unlock({lock}); c = null; }}"
            ),
        };
        body += "\n";
    }
    if next(3) == 0 {
        body = format!("while (true) {{ {body} }}");
    }
    text += &format!(
        "thread w(i in 0..N-1) {{ var t: 0..3 = {}; var c: ref cell in cells = null;\n{body} }}\n",
        next(2)
    );
    text
}

#[test]
fn random_families() {
    let tried = std::cell::Cell::new((0usize, 0usize));
    let cases = runner(60).run(&vec(0usize..1000, 40), |numbers| {
        let mut stream = numbers.into_iter().cycle();
        let source = family(|n| stream.next().unwrap_or(0) % n);
        let (said, by_views) = tried.get();
        let one = agrees(&source);
        let views = one && every(&source).views.is_some();
        tried.set((said + usize::from(one), by_views + usize::from(views)));
        Ok(())
    });
    assert!(cases.is_ok(), "{cases:?}");
    let (said, by_views) = tried.get();
    assert!(
        enough(said, 30) && enough(by_views, 8),
        "only of {said} families anything is said, of {by_views} by views"
    );
}
