//! A scripted editor: it starts `coarsen lsp`, keeps its own copy of each text, and speaks the protocol over pipes.

#![allow(dead_code, reason = "every program uses its own part")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Editor {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    asked: i64,
    version: i64,
    /// What the server has told since it was last looked at.
    pub told: Vec<Value>,
}

impl Editor {
    /// A session that has begun. Columns are bytes if the server agrees.
    pub fn start(program: &str) -> Editor {
        let mut child = Command::new(program)
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let stdin = child.stdin.take().expect("piped");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut editor = Editor {
            child,
            stdin,
            stdout,
            asked: 0,
            version: 0,
            told: Vec::new(),
        };
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-8", "utf-16"] },
            "workspace": { "codeLens": { "refreshSupport": true } },
        });
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
        let answer = editor.ask("initialize", params);
        assert_eq!(
            answer["capabilities"]["positionEncoding"], "utf-8",
            "{answer}"
        );
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("written");
        self.stdin.flush().expect("written");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.stdout.read_line(&mut line).expect("read");
            assert!(!line.is_empty(), "the server has gone");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(n) => length = n.parse().expect("a length"),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.stdout.read_exact(&mut text).expect("read");
        serde_json::from_slice(&text).expect("JSON")
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The answer to a request, or the error.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => error.clone(),
                    None => message["result"].clone(),
                };
            }
            self.told.push(message);
        }
    }

    /// The next message of this method that the server tells, those before it left out.
    pub fn next(&mut self, method: &str) -> Value {
        loop {
            let message = match self.told.is_empty() {
                true => self.receive(),
                false => self.told.remove(0),
            };
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    /// The diagnostics that are told next.
    pub fn diagnostics(&mut self) -> Vec<Value> {
        let told = self.next("textDocument/publishDiagnostics");
        told["diagnostics"].as_array().expect("a list").clone()
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        self.version += 1;
        let document =
            json!({ "uri": uri, "languageId": "coarsen", "version": self.version, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a part of a text, given by lines and bytes.
    pub fn edit(&mut self, uri: &str, (start, end): ((usize, usize), (usize, usize)), text: &str) {
        let change = json!({ "range": range(start, end), "text": text });
        self.change(uri, &change);
    }

    /// Replaces all of it.
    pub fn replace(&mut self, uri: &str, text: &str) {
        self.change(uri, &json!({ "text": text }));
    }

    fn change(&mut self, uri: &str, change: &Value) {
        self.version += 1;
        let document = json!({ "uri": uri, "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.tell("textDocument/didChange", params);
    }

    /// A question about a place.
    pub fn at(&mut self, method: &str, uri: &str, (line, column): (usize, usize)) -> Value {
        let position = json!({ "line": line, "character": column });
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        self.ask(&format!("textDocument/{method}"), params)
    }

    /// A question about a document.
    pub fn about(&mut self, method: &str, uri: &str) -> Value {
        let params = json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 4, "insertSpaces": true } });
        self.ask(&format!("textDocument/{method}"), params)
    }

    /// Ends the session; the exit code.
    pub fn quit(mut self) -> Option<i32> {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        self.child.wait().expect("waited").code()
    }
}

pub fn range(start: (usize, usize), end: (usize, usize)) -> Value {
    let position = |(line, column)| json!({ "line": line, "character": column });
    json!({ "start": position(start), "end": position(end) })
}
