//! Values of limits, and the table in the documentation.

use super::*;

fn limits(arguments: &[&str]) -> Result<Limits, String> {
    let command = Of::<Check>::augment_args(Command::new("t"));
    let given = std::iter::once("t").chain(arguments.iter().copied());
    let matches = command
        .try_get_matches_from(given)
        .map_err(|e| e.to_string())?;
    let found = Of::<Check>::from_arg_matches(&matches);
    found.map(|l| *l).map_err(|e| e.to_string())
}

fn tables() -> impl Iterator<Item = &'static Limit> {
    let all = [Check::LIMITS, Prove::LIMITS, Reach::LIMITS, Verify::LIMITS];
    all.into_iter().flatten()
}

#[test]
fn defaults_are_those_of_the_library() {
    let found = limits(&[]).expect("defaults");
    assert_eq!(found.budget, Budget::default());
    assert_eq!(found.time, None);
    assert_eq!(found.memory, Some(4 << 30));
    assert_eq!(found.depth, 2000);
}

#[test]
fn defaults_of_the_prover_are_those_of_the_library() {
    let command = Of::<Prove>::augment_args(Command::new("t"));
    let matches = command.try_get_matches_from(["t"]).expect("defaults");
    let found = Of::<Prove>::from_arg_matches(&matches).expect("limits");
    let numbers = |l: coarsen::algebra::prove::Limits| [l.steps, l.pairs, l.nodes, l.models];
    assert_eq!(numbers(found.prover), numbers(Default::default()));
    assert_eq!(found.depth, 2000);
}

#[test]
fn times() {
    for (text, milliseconds) in [
        ("500ms", 500),
        ("60s", 60_000),
        ("2m", 120_000),
        ("1h", 3_600_000),
        ("7", 7_000),
        ("1.5s", 1_500),
        ("0.25", 250),
        ("1_000 s", 1_000_000),
    ] {
        let found = limits(&["--limit-time", text]).map(|l| l.time);
        assert_eq!(
            found,
            Ok(Some(Duration::from_millis(milliseconds))),
            "{text}"
        );
    }
    assert_eq!(limits(&["--limit-time=none"]).map(|l| l.time), Ok(None));
}

#[test]
fn sizes() {
    for (text, bytes) in [
        ("4GiB", 4u64 << 30),
        ("512MiB", 512 << 20),
        ("1G", 1 << 30),
        ("2GB", 2_000_000_000),
        ("1.5GiB", 3 << 29),
        ("20000000", 20_000_000),
    ] {
        let found = limits(&["--limit-memory", text]).map(|l| l.memory);
        assert_eq!(found, Ok(Some(bytes)), "{text}");
    }
}

#[test]
fn bad_values_say_what_was_expected() {
    for (option, text, expected) in [
        ("--limit-time", "fast", "a time such as 500ms"),
        ("--limit-time", "0", "1ms to 8760h"),
        ("--limit-time", "1.s", "a time"),
        ("--limit-time", "1.2345s", "a time"),
        ("--limit-time", "99999999999999999999h", "a time"),
        ("--limit-time", "-1s", "a time"),
        ("--limit-time", "ms", "a time"),
        ("--limit-time", "", "a time"),
        ("--limit-memory", "4 gigs", "a size such as 512MiB"),
        ("--limit-memory", "1M", "16MiB to"),
        ("--limit-memory", "99999999999T", "a size"),
        ("--limit-nodes", "many", "a number, from 100"),
        ("--limit-nodes", "none", "a number"),
        ("--limit-states", "0", "a number, from 1"),
        ("--limit-depth", "10001", "1 to 10000"),
    ] {
        let given = format!("{option}={text}");
        let error = limits(&[given.as_str()]).expect_err(&given);
        assert!(error.contains(expected), "{given}: {error}");
    }
}

#[test]
fn the_defaults_of_the_table_are_in_their_ranges() {
    for limit in tables() {
        assert!(limit.parse(limit.default).is_ok(), "{}", limit.option);
    }
}

#[test]
fn the_manual_has_the_table() {
    let manual = include_str!("../../../docs/command-line.md");
    for limit in tables() {
        let row = format!(
            "| `--{}` | {} | {} | {} |",
            limit.option,
            limit.default,
            limit.range(),
            limit.help
        );
        assert!(manual.contains(&row), "docs/command-line.md lacks:\n{row}");
    }
}
