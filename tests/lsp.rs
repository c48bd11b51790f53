//! The language server, as a scripted editor sees it.

use crate::editor::{Editor, range};
use crate::{random, shipped};
use proptest::prelude::*;
use proptest::test_runner::TestError;
use serde_json::{Value, json};

const URI: &str = "file:///models/counter%20one.cor";

const MODEL: &str = "\
mutex m;
var x: 0..2 = 0;
thread worker(i in 0..1) {
    var t: 0..2 = 0;
    transaction add {
        lock(m);
        t = x;
        x = t + 1;
        unlock(m);
    }
}
invariant small: x <= 2 && worker(0).t <= 2;
";

fn editor() -> Editor {
    Editor::start(env!("CARGO_BIN_EXE_coarsen"))
}

/// Where a text stands for the n-th time, as line and byte.
fn find(text: &str, what: &str, n: usize) -> (usize, usize) {
    let (at, _) = text.match_indices(what).nth(n).expect("there");
    let before = &text[..at];
    let line = before.matches('\n').count();
    (line, at - before.rfind('\n').map_or(0, |n| n + 1))
}

fn markdown(hover: &Value) -> &str {
    hover["contents"]["value"]
        .as_str()
        .unwrap_or_else(|| panic!("{hover}"))
}

#[test]
fn a_session() {
    let mut editor = editor();
    editor.open(URI, MODEL);
    assert_eq!(editor.diagnostics(), Vec::<Value>::new());

    // An error is typed, explained, and mended by its fix.
    let (line, column) = find(MODEL, "t = x;", 0);
    editor.edit(URI, ((line, column + 4), (line, column + 6)), "xx;");
    let wrong = editor.diagnostics();
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert_eq!(wrong[0]["code"], "E0201");
    assert_eq!(
        wrong[0]["range"],
        range((line, column + 4), (line, column + 6))
    );
    let params = json!({
        "textDocument": { "uri": URI },
        "range": range((line, column + 5), (line, column + 5)),
        "context": { "diagnostics": [] },
    });
    let actions = editor.ask("textDocument/codeAction", params);
    assert_eq!(actions[0]["title"], "did you mean `x`?", "{actions}");
    let fix = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(
        (&fix["range"], &fix["newText"]),
        (&wrong[0]["range"], &json!("x"))
    );
    editor.edit(URI, ((line, column + 4), (line, column + 6)), "x");
    assert_eq!(editor.diagnostics(), Vec::<Value>::new());

    // What a check found out comes by itself.
    editor.next("workspace/codeLens/refresh");
    let lenses = editor.about("codeLens", URI);
    let titles: Vec<&str> = lenses
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|l| l["command"]["title"].as_str())
        .collect();
    assert!(titles[0].starts_with("coarsen: holds"), "{titles:?}");
    assert!(
        titles[1..].contains(&"holds") && titles[1..].contains(&"atomic: holds by left-movers"),
        "{titles:?}"
    );
    let hover = editor.at("hover", URI, find(MODEL, "x:", 0));
    assert!(markdown(&hover).contains("var x: 0..2 = 0"), "{hover}");
    assert!(markdown(&hover).contains("protected by m"), "{hover}");
    let hover = editor.at("hover", URI, find(MODEL, "lock(m)", 0));
    assert!(
        markdown(&hover).contains("**right-mover**") && markdown(&hover).contains("not left: "),
        "{hover}"
    );

    // Names.
    let use_of_t = find(MODEL, "t + 1", 0);
    let found = editor.at("definition", URI, use_of_t);
    let (line, column) = find(MODEL, "t: 0..2", 0);
    assert_eq!(
        found[0]["range"],
        range((line, column), (line, column + 1)),
        "{found}"
    );
    let found = editor.at("documentHighlight", URI, use_of_t);
    assert_eq!(found.as_array().map(Vec::len), Some(4), "{found}");
    let rename = |name: &str| {
        let (line, character) = use_of_t;
        let position = json!({ "line": line, "character": character });
        json!({ "textDocument": { "uri": URI }, "position": position, "newName": name })
    };
    let edits = editor.ask("textDocument/rename", rename("seen"));
    assert_eq!(
        edits["changes"][URI].as_array().map(Vec::len),
        Some(4),
        "{edits}"
    );
    for refused in ["x", "while", "1t", "i"] {
        let error = editor.ask("textDocument/rename", rename(refused));
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|m| m.contains(refused)),
            "{error}"
        );
    }
    let symbols = editor.about("documentSymbol", URI);
    let names: Vec<&str> = symbols
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|s| s["name"].as_str())
        .collect();
    assert_eq!(names, ["m", "x", "worker", "small"]);
    assert_eq!(
        symbols[2]["children"].as_array().map(Vec::len),
        Some(2),
        "{symbols}"
    );

    // The layout.
    assert_eq!(editor.about("formatting", URI), json!([]));
    editor.edit(URI, ((0, 0), (0, 0)), "\n\n   ");
    let edits = editor.about("formatting", URI);
    assert_eq!(edits[0]["newText"], MODEL, "{edits}");

    editor.tell(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(editor.at("hover", URI, (1, 4)), Value::Null);
    assert_eq!(editor.quit(), Some(0));
}

#[test]
fn what_a_check_refutes_is_told_where_it_stands() {
    let mut editor = editor();
    let wrong = MODEL
        .replace("        lock(m);\n", "")
        .replace("        unlock(m);\n", "");
    editor.open(URI, &wrong);
    assert_eq!(editor.diagnostics(), Vec::<Value>::new());
    let told = editor.diagnostics();
    let messages: Vec<&str> = told.iter().filter_map(|d| d["message"].as_str()).collect();
    assert!(
        messages.iter().any(|m| m.starts_with("add: refuted: ")),
        "{messages:?}"
    );
    let (line, column) = find(&wrong, "add", 0);
    assert!(
        told.iter()
            .any(|d| d["range"] == range((line, column), (line, column + 3))),
        "{told:?}"
    );
    assert_eq!(editor.quit(), Some(0));
}

#[test]
fn what_is_not_understood_is_refused_and_the_session_goes_on() {
    let mut editor = editor();
    editor.tell("textDocument/didOpen", json!({ "nothing": 1 }));
    editor.tell("$/unknown", json!([]));
    assert_eq!(editor.ask("textDocument/hover", json!({}))["code"], -32602);
    assert_eq!(editor.ask("coarsen/nothing", json!({}))["code"], -32601);
    assert_eq!(
        editor.at("hover", "file:///not/open.cor", (0, 0)),
        Value::Null
    );
    editor.open(URI, "thread t { skip; }\n");
    assert_eq!(editor.about("documentSymbol", URI)[0]["name"], "t");
    assert_eq!(editor.quit(), Some(0));
}

/// An edit: where it begins and ends, in thousandths of the text, and what is put there.
fn edits() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
    let text = prop_oneof![
        Just(String::new()),
        "[a-z{};=.\\[\\]()+\n /*]{1,6}".boxed(),
        prop_oneof![
            Just("x"),
            Just("}"),
            Just("\u{1f600}"),
            Just("\r\n"),
            Just("thread t { skip; }"),
            Just("/*")
        ]
        .prop_map(str::to_string),
    ];
    prop::collection::vec((0..1000usize, 0..30usize, text), 1..12)
}

/// After any edits the server has the editor's text: it answers as another one does that is given that text at once.
#[test]
fn random_edits_leave_both_in_step() {
    let models = shipped::models();
    let texts: Vec<&str> = models
        .iter()
        .map(|m| m.source.as_str())
        .filter(|s| s.len() < 3000)
        .collect();
    let sessions = std::cell::RefCell::new((editor(), editor()));
    let which = any::<prop::sample::Index>();
    let result = random::runner(80).run(&(which, edits()), |(which, edits)| {
        let (edited, fresh) = &mut *sessions.borrow_mut();
        let mut text = (*which.get(&texts)).to_string();
        edited.open(URI, &text);
        for (start, length, put) in edits {
            let boundary = |mut at: usize| {
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let start = boundary(text.len() * start / 1000);
            let end = boundary((start + length).min(text.len()));
            let place = |at: usize| {
                let before = &text[..at];
                (
                    before.matches('\n').count(),
                    at - before.rfind('\n').map_or(0, |n| n + 1),
                )
            };
            edited.edit(URI, (place(start), place(end)), &put);
            text.replace_range(start..end, &put);
        }
        fresh.open(URI, &text);
        for question in ["documentSymbol", "formatting"] {
            let (one, other) = (edited.about(question, URI), fresh.about(question, URI));
            prop_assert_eq!(one, other, "{} of:\n{}", question, text);
        }
        for line in 0..text.lines().count().min(20) {
            let (one, other) = (
                edited.at("definition", URI, (line, 8)),
                fresh.at("definition", URI, (line, 8)),
            );
            prop_assert_eq!(one, other, "definition of:\n{}", text);
        }
        edited.told.clear();
        fresh.told.clear();
        Ok(())
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, _)) => panic!("{why}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
    let (edited, fresh) = sessions.into_inner();
    assert_eq!((edited.quit(), fresh.quit()), (Some(0), Some(0)));
}

#[test]
fn columns_are_words_of_utf_16_unless_agreed_otherwise() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let text = "// \u{1f600}\nthread t { /* \u{1f600} */ y = 1; }\n";
    let document = json!({ "uri": URI, "languageId": "coarsen", "version": 1, "text": text });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }),
        json!({ "jsonrpc": "2.0", "method": "exit" }),
    ];
    let mut stdin = child.stdin.take().expect("piped");
    for message in messages {
        let text = message.to_string();
        write!(stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("written");
    }
    let output = child.wait_with_output().expect("waited");
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    // `y` stands behind 11 characters, one comment of 8 of which one has two words, and a blank.
    assert!(
        told.contains(r#""start":{"character":20,"line":1}"#),
        "{told}"
    );
}
