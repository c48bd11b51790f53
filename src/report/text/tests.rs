//! Texts of the sample reports, compared with the files in `expected/`.

use super::*;
use crate::base::control::{Hit, Stop};
use crate::base::results::{CheckReason, Note, Step, TraceStep};
use crate::report::samples;

/// Compares with `expected/NAME`; with `UPDATE` set, writes it.
fn check(name: &str, found: &str) {
    let file = format!(
        "{}/src/report/text/expected/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, found).expect(&file);
    }
    let expected = std::fs::read_to_string(&file).expect(&file);
    assert_eq!(found, expected, "{name} (UPDATE=1 accepts)");
}

#[test]
fn texts_are_as_expected() {
    check("holds.txt", &render(&samples::holds(), Detail::Normal));
    check(
        "holds_verbose.txt",
        &render(&samples::holds(), Detail::Verbose),
    );
    check("refuted.txt", &render(&samples::refuted(), Detail::Normal));
    check(
        "inapplicable.txt",
        &render(&samples::inapplicable(), Detail::Normal),
    );
    check("eval.txt", &render_eval(&samples::eval()));
}

#[test]
fn quiet_is_one_line() {
    let seen = render(&samples::refuted(), Detail::Quiet);
    assert_eq!(
        seen,
        "two_locks.cor: refuted - discipline: the synchronisation discipline is violated\n"
    );
}

#[test]
fn an_empty_report_has_a_verdict_and_no_empty_sections() {
    let seen = render(&Report::undecided("a\nb", "t"), Detail::Normal);
    assert_eq!(
        seen,
        "a␊b: unknown - nothing has been established yet\n\n-v shows sizes and times\n"
    );
}

#[test]
fn the_limit_that_was_hit_is_said_once() {
    let mut report = Report::undecided("m", "t");
    let hit = Hit::Phase(Stop::Time, "p".to_string());
    report.limits.hit = Some(hit.clone());
    let said = "\nthe time limit (--limit-time) was hit in phase `p`\n";
    assert!(render(&report, Detail::Normal).contains(said));
    report.limits.hit = Some(Hit::Abandoned(Stop::Time, "p".to_string()));
    let said = "\nstopped by the time limit (--limit-time), in phase `p`\n";
    assert!(render(&report, Detail::Normal).contains(said));
    report.limits.hit = Some(hit.clone());
    report.reason = CheckReason::Hit(hit);
    assert_eq!(
        render(&report, Detail::Normal)
            .matches("the time limit")
            .count(),
        1
    );
}

#[test]
fn names_and_source_lines_can_not_act_on_the_terminal() {
    let mut report = samples::refuted();
    report
        .notes
        .push(Note::Engine("\x1b[2J\u{202e}".to_string()));
    report.invisible[0].location = "\x07".to_string();
    let seen = render(&report, Detail::Verbose);
    assert!(!seen.chars().any(|c| c.is_control() && c != '\n'), "{seen}");
    assert!(!seen.contains('\u{202e}'));
}

#[test]
fn long_lists_of_steps_are_short_unless_asked_for() {
    let mut report = samples::holds();
    let one = report.visible[0].clone();
    report.visible = (0..5000)
        .map(|i| Step {
            thread: format!("worker({})", i / 50),
            location: format!("L{}", i % 50),
            ..one.clone()
        })
        .collect();
    let seen = render(&report, Detail::Normal);
    assert!(seen.contains(", 5000 visible steps,"), "{seen}");
    assert!(!seen.contains("L49"), "{seen}");
    assert!(render(&report, Detail::Verbose).contains("worker(99) at L49"));
}

#[test]
fn answers_have_colours_and_nothing_else_changes() {
    let report = samples::refuted();
    let plain = render(&report, Detail::Normal);
    let painted = coloured(&report, &plain);
    assert!(
        painted.starts_with("two_locks.cor: \x1b[1;31mrefuted\x1b[0m - "),
        "{painted}"
    );
    assert!(
        painted.contains("\n  discipline  \x1b[1;31mrefuted\x1b[0m  "),
        "{painted}"
    );
    let codes = ["\x1b[1;31m", "\x1b[1;32m", "\x1b[1;33m", "\x1b[0m"];
    let without = codes
        .iter()
        .fold(painted, |text, code| text.replace(code, ""));
    assert_eq!(without, plain);
}

/// Of a long execution the middle is left out, unless all is asked for.
#[test]
fn the_middle_of_a_long_trace_is_left_out() {
    let mut report = samples::refuted();
    let traces = report.properties.iter_mut();
    let trace = traces.filter_map(|p| p.trace.as_mut()).next();
    let trace = trace.expect("a trace");
    let mut two = trace.steps[..2].to_vec();
    trace.steps = two.iter().cycle().take(10_000).cloned().collect();
    let brief = render(&report, Detail::Normal);
    assert!(
        brief.contains(".. 9970 actions (-v, or --trace FILE, has all) .."),
        "{brief}"
    );
    assert!(
        brief.contains(" 1-10000  worker(0), two_locks.cor:7:"),
        "{brief}"
    );
    assert!(brief.lines().count() < 60);
    let whole = render(&report, Detail::Verbose);
    assert!(whole.lines().count() > 10_000 && !whole.contains(".. 9970"));
    // A hundred threads find room.
    let traces = report.properties.iter_mut();
    if let Some(trace) = traces.filter_map(|p| p.trace.as_mut()).next() {
        trace.steps = (0..100)
            .map(|n| TraceStep {
                step: Step {
                    thread: format!("t{n}"),
                    ..two[0].step.clone()
                },
                ..two[0].clone()
            })
            .collect();
    }
    let narrow = render(&report, Detail::Verbose);
    assert!(narrow.lines().all(|l| l.chars().count() <= 120), "{narrow}");
    let lines = narrow.lines().filter(|l| l.contains("lock(m[0]);")).count();
    assert!((100..120).contains(&lines), "{narrow}");
    // What is done again and again is told once, and runs of many threads are left out, too.
    two.iter_mut()
        .zip(["a", "b"])
        .for_each(|(s, name)| s.step.thread = name.to_string());
    for (steps, said) in [
        (vec![two[0].clone(); 10_000], "(10000 times)"),
        (
            two.iter().cycle().take(10_000).cloned().collect(),
            "    .. 9970 actions",
        ),
    ] {
        let traces = report.properties.iter_mut();
        if let Some(trace) = traces.filter_map(|p| p.trace.as_mut()).next() {
            trace.steps = steps;
        }
        let brief = render(&report, Detail::Normal);
        assert!(
            brief.contains(said) && brief.lines().count() < 120,
            "{brief}"
        );
    }
}
