//! What README.md lists is what there is: theorems, commands with their formats, exit codes, and what is not there yet.

use coarsen::algebra::shipped;
use coarsen::base::control::ParseLimits;
use coarsen::{Session, theory};
use std::collections::BTreeSet;
use std::process::Command;

const README: &str = include_str!("../README.md");

fn coarsen(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coarsen"));
    let output = command.args(arguments).output().expect("started");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The cells of the table that begins with `head`, row by row.
fn table(head: &str) -> Vec<Vec<&'static str>> {
    let (_, rest) = README.split_once(head).expect("a table");
    let rows = rest
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect()
}

/// What stands in backticks.
fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_string)
        .collect()
}

#[test]
fn the_theorems_are_those_that_are_shipped() {
    let listed: BTreeSet<String> = table("| theorem | a step")
        .iter()
        .flat_map(|row| quoted(row[0]))
        .collect();
    let shipped: BTreeSet<String> = shipped().iter().map(|t| t.name.to_string()).collect();
    assert_eq!(listed, shipped);
    assert!(listed.iter().all(|name| theory(name).is_some()));
}

#[test]
fn the_commands_and_their_formats_are_those_of_the_command_line() {
    let help = coarsen(&["--help"]);
    let (_, commands) = help.split_once("Commands:\n").expect("the commands");
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let known: Vec<&str> = commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    let listed = table("| command | what");
    let names: Vec<String> = listed.iter().flat_map(|row| quoted(row[0])).collect();
    assert_eq!(names, known);
    for row in listed {
        let name = row[0].trim_matches('`');
        let help = coarsen(&[name, "--help"]);
        let formats = help.split_once("--format <").map_or("", |(_, rest)| rest);
        let formats = formats
            .lines()
            .skip(1)
            .take_while(|l| !l.trim_start().starts_with("--"));
        let values = formats.filter_map(|line| line.trim().strip_prefix("- ")?.split(':').next());
        let values: BTreeSet<String> = values.map(str::to_string).collect();
        let said = row.get(2).map_or_else(BTreeSet::new, |cell| quoted(cell));
        assert_eq!(said, values, "{name}");
    }
}

#[test]
fn the_exit_codes_are_all_told() {
    let help = coarsen(&["--help"]);
    let (_, codes) = help.split_once("Exit codes:\n").expect("the exit codes");
    let known: BTreeSet<&str> = codes
        .lines()
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    let verdicts = table("| verdict | exit code");
    let (_, others) = README
        .split_once("Other exit codes are ")
        .expect("the others");
    let (others, _) = others.split_once("\n\n").expect("an end");
    let others = others
        .split([' ', '\n'])
        .filter(|w| w.chars().all(|c| c.is_ascii_digit()));
    let told: BTreeSet<&str> = verdicts.iter().map(|row| row[1]).chain(others).collect();
    assert_eq!(told, known);
}

#[test]
fn what_is_not_there_yet_is_not_there_and_what_is_said_to_be_decided_is() {
    let (_, missing) = README.split_once("## Not there yet\n").expect("the list");
    let refused = |word: &str, text: &str| {
        assert!(missing.contains(word), "{word}");
        let loaded = Session::load("m.cor", text, &[], ParseLimits::default());
        assert!(loaded.is_err(), "{word} is there: {text}");
    };
    refused("Recursion", "proc p() { p(); } thread t { p(); }");
    refused("unbounded data", "var x: int = 0; thread t { x = x + 1; }");
    assert!(missing.contains("Omega (`x^w`) under hypotheses"));
    let decided = coarsen(&["decide", "x (y x)^w = (x y)^w"]);
    assert!(decided.contains("(omega:"), "{decided}");
    let searched = coarsen(&[
        "decide",
        "(x + y)^w <= 0",
        "--given",
        "y x <= x (x + y)*",
        "--given",
        "x^w = 0",
        "--given",
        "y^w = 0",
    ]);
    assert!(searched.contains("(search:"), "{searched}");
}
