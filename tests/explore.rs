//! The explorer: its graph is that of the interpreter, strangers get nothing, and it works in a real browser.

use crate::browser::{browsed, pictured};
use crate::missing;
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

/// An explorer that has started.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(model: &str) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_coarsen"))
            .args(["explore", model])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("read");
        let port = line
            .split("127.0.0.1:")
            .nth(1)
            .and_then(|rest| rest.split('/').next());
        let port = port
            .and_then(|p| p.parse().ok())
            .unwrap_or_else(|| panic!("{line}"));
        Server { child, port }
    }

    /// The status of a request, and the body.
    fn request(&self, method: &str, path: &str, headers: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"
        )
        .expect("written");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("read");
        let status = text
            .split(' ')
            .nth(1)
            .and_then(|s| s.parse().ok())
            .unwrap_or(0);
        let (_, body) = text.split_once("\r\n\r\n").unwrap_or(("", ""));
        (status, body.to_string())
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.request("GET", path, &format!("Host: 127.0.0.1:{}\r\n", self.port))
    }

    fn ask(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap_or_else(|e| panic!("{e}: {body}"))
    }

    /// How many states are met by steps that `next` takes from a state's answer.
    fn met(&self, next: impl Fn(&Value) -> Vec<u64>) -> usize {
        let (mut met, mut open) = (BTreeSet::from([0]), VecDeque::from([0]));
        while let Some(id) = open.pop_front() {
            for to in next(&self.ask(&format!("/state?id={id}"))) {
                if met.insert(to) {
                    open.push_back(to);
                }
            }
        }
        met.len()
    }
}

fn list<'v>(state: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    state[name].as_array().expect("a list").iter()
}

/// The numbers of states are those that the models expect.
#[test]
fn the_graph_is_that_of_the_model() {
    for (model, original, reduced) in [
        ("transactions/bank", 40, 22),
        ("stoller_cohen/counter", 76, 0),
    ] {
        let file = format!("models/{model}.cor");
        if !std::path::Path::new(&file).exists() {
            continue;
        }
        let server = Server::start(&file);
        let all = server.met(|s| list(s, "steps").filter_map(|w| w["to"].as_u64()).collect());
        assert_eq!(all, original, "{model}");
        let last = |c: &Value| c["way"].as_array().and_then(|w| w.last()?.as_u64());
        let coarse = server.met(|s| list(s, "coarse").filter_map(last).collect());
        if reduced > 0 {
            assert_eq!(coarse, reduced, "{model}");
        }
    }
}

#[test]
fn states_are_found_and_executions_followed() {
    let server = Server::start("models/classic/locked_ring.cor");
    let model = server.ask("/model");
    assert_eq!(
        (&model["verdict"], &model["name"]),
        (&"refuted".into(), &"models/classic/locked_ring.cor".into())
    );
    let way = server.ask("/execution?of=deadlock_free")["way"].clone();
    assert_eq!(way.as_array().map(Vec::len), Some(4), "{way}");
    let last = server.ask(&format!("/state?id={}", way[3]));
    assert!(
        last["ended"]
            .as_str()
            .is_some_and(|e| e.contains("no step is enabled")),
        "{last}"
    );
    assert_eq!(last["steps"], Value::Array(Vec::new()));
    // Each state follows from the one before.
    for n in 0..3 {
        let state = server.ask(&format!("/state?id={}", way[n]));
        assert!(
            list(&state, "steps").any(|s| s["to"] == way[n + 1]),
            "{state}"
        );
    }
    let found = server.ask("/find?where=x%5B0%5D+%26%26+!x%5B1%5D");
    let last = found["way"]
        .as_array()
        .and_then(|w| w.last())
        .cloned()
        .expect("a way");
    let state = server.ask(&format!("/state?id={last}"));
    assert!(
        list(&state, "values").any(|v| v.as_str().is_some_and(|v| v.starts_with("[true, false"))),
        "{state}"
    );
    assert_eq!(
        server.ask("/find?where=x%5B0%5D+%26%26+!x%5B0%5D")["none"],
        true
    );
    let wrong = server.ask("/find?where=y+%3D%3D+1");
    assert!(
        wrong["wrong"].as_str().is_some_and(|w| w.contains("E0201")),
        "{wrong}"
    );
}

/// Only the page's own questions are answered, and no file is.
#[test]
fn strangers_get_nothing() {
    let server = Server::start("models/transactions/bank.cor");
    let port = server.port;
    let own = format!("Host: localhost:{port}\r\n");
    assert_eq!(server.request("GET", "/", &own).0, 200);
    for path in [
        "/etc/passwd",
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "//etc/passwd",
        "/page.html",
        "/state",
        "/state?id=99999999",
        "/state?id=-1",
        "/execution?of=nothing",
        "/find",
        "http://127.0.0.1/etc/passwd",
    ] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    assert_eq!(server.request("POST", "/", &own).0, 405);
    for headers in [
        format!("Host: evil.example:{port}\r\n"),
        "Host: 127.0.0.1\r\n".to_string(),
        format!("{own}Origin: http://evil.example\r\n"),
        format!("{own}Origin: null\r\n"),
        format!("{own}Sec-Fetch-Site: cross-site\r\n"),
        String::new(),
    ] {
        assert_ne!(
            server.request("GET", "/state?id=0", &headers).0,
            200,
            "{headers}"
        );
    }
    // All of 127.0.0.0/8 is this machine, and only one address is served.
    assert!(TcpStream::connect(("127.0.0.2", port)).is_err());
}

/// A model may begin in several states.
#[test]
fn all_initial_states_are_there() {
    let path = std::env::temp_dir().join(format!("coarsen-{}-starts.cor", std::process::id()));
    std::fs::write(&path, "var x: 0..2; thread t { x = x; }\ninit x > 0;\n").expect("written");
    let server = Server::start(path.to_str().expect("UTF-8"));
    assert_eq!(server.ask("/model")["initial"], serde_json::json!([0, 1]));
    // Only the second has it.
    assert_eq!(
        server.ask("/find?where=x+%3D%3D+2")["way"],
        serde_json::json!([1])
    );
    std::fs::remove_file(&path).expect("removed");
}

/// Nothing is explored that is not looked at; two windows work beside each other.
#[test]
fn large_models_are_lazy() {
    let path = std::env::temp_dir().join(format!("coarsen-{}-large.cor", std::process::id()));
    let text = "var x[6]: 0..9 = 0 unprotected;\nthread t(i in 0..5) { while (true) { x[i] = (x[i] + 1) % 10; } }\n";
    std::fs::write(&path, text).expect("written");
    let server = Server::start(path.to_str().expect("UTF-8"));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut id = 0;
                for _ in 0..40 {
                    let state = server.ask(&format!("/state?id={id}"));
                    id = list(&state, "steps")
                        .last()
                        .and_then(|s| s["to"].as_u64())
                        .expect("a step");
                }
            });
        }
    });
    let found = server.ask("/find?where=x%5B5%5D+%3D%3D+3");
    assert_eq!(found["way"].as_array().map(Vec::len), Some(4), "{found}");
    std::fs::remove_file(&path).expect("removed");
}

/// What is done with the page, in its frame; it says what it found.
const STEPS: &str = r##"
const page = frame.contentDocument, found = [];
const wait = async (what, holds) => {
  for (let n = 0; n < 400; n++) { if (holds()) return; await new Promise((r) => setTimeout(r, 20)); }
  found.push(`waited in vain: ${what}`);
};
const here = () => page.getElementById("here").textContent;
await wait("the first state", () => here() === "State 0");
found.push(page.getElementById("verdict").textContent.split(":")[0]);
const circles = () => page.querySelectorAll("svg circle").length;
if (circles() < 3) found.push(`${circles()} states`);
// The counter-example, to its end, and back to its beginning.
page.querySelector("button[data-property=deadlock_free]").click();
await wait("the deadlock", () => page.getElementById("ended").textContent.includes("no step is enabled"));
if (page.querySelectorAll("svg line.way").length !== 3) found.push("the way is not drawn");
if (page.querySelectorAll("#steps tr").length !== 0) found.push("a deadlock with steps");
for (let n = 0; n < 3; n++) {
  const at = here();
  page.getElementById("back").click();
  await wait("back", () => here() !== at);
}
if (here() !== "State 0") found.push(`back at ${here()}`);
// A step, and a coarse step.
const at = here();
page.querySelector("#steps button").click();
await wait("a step", () => here() !== at);
if (page.querySelectorAll("#values tr.changed").length === 0) found.push("nothing has changed");
const before = here();
page.querySelector("#coarse button").click();
await wait("a coarse step", () => here() !== before);
// A state by a condition.
page.getElementById("goal").value = "x[0] && !x[1]";
page.getElementById("find").requestSubmit();
await wait("the state", () => page.getElementById("told").textContent.endsWith("steps"));
if (!page.getElementById("values").textContent.includes("[true, false")) found.push("not the state asked for");
page.getElementById("goal").value = "y";
page.getElementById("find").requestSubmit();
await wait("what is wrong", () => page.getElementById("told").textContent.includes("E0201"));
page.querySelector("svg circle").dispatchEvent(new frame.contentWindow.MouseEvent("click"));
await wait("a click on a state", () => here() === "State 0");
// All of them.
for (let n = 0; n < 40 && !page.getElementById("told").textContent.startsWith("these are all"); n++) {
  const before = circles();
  page.getElementById("expand").click();
  await wait("more", () => circles() > before || page.getElementById("told").textContent.startsWith("these are all"));
}
const told = page.getElementById("told").textContent;
if (told !== "these are all 62 states") found.push(told);
const root = page.documentElement;
if (root.scrollWidth > root.clientWidth) found.push(`wider: ${root.scrollWidth} > ${root.clientWidth}`);
return found;
"##;

/// A page around the explorer's, of the same origin: what comes for the explorer is handed on.
fn around(explorer: &Server, width: u32) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
    let port = listener.local_addr().expect("an address").port();
    let page = format!(
        "<!DOCTYPE html><body><iframe id=f style=\"width:{width}px;height:900px;border:0\"></iframe><pre id=out></pre>\
         <script>const failed = []; const frame = document.getElementById('f');\n\
         const steps = async () => {{ {STEPS} }};\n\
         frame.onload = async () => {{ frame.contentWindow.onerror = (e) => failed.push(String(e));\n\
         frame.contentWindow.console.error = (e) => failed.push(String(e));\n\
         let all; try {{ all = await steps(); }} catch (e) {{ all = ['threw ' + e]; }}\n\
         document.getElementById('out').textContent = 'FOUND' + JSON.stringify([...all, ...failed]) + 'END'; }};\n\
         frame.src = '/explorer/';</script></body>"
    );
    let answered = |mut stream: TcpStream| {
        let mut head = String::new();
        let mut reader = BufReader::new(&stream);
        while reader.read_line(&mut head).is_ok_and(|n| n > 2) {}
        let path = head.split(' ').nth(1).unwrap_or_default().to_string();
        let (status, kind, body) = match path.as_str() {
            "/around" => (200, "text/html", page.clone()),
            "/over" => return false,
            other => {
                let path = other.replacen("/explorer", "", 1);
                let (status, body) = explorer.get(&path);
                let kind = match path.rsplit('.').next() {
                    Some("js") => "text/javascript",
                    Some("css") => "text/css",
                    _ if path == "/" => "text/html",
                    _ => "application/json",
                };
                (status, kind, body)
            }
        };
        let length = body.len();
        let head =
            format!("HTTP/1.1 {status} \r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n");
        // The browser may be gone.
        let _ = write!(stream, "{head}Connection: close\r\n\r\n{body}");
        true
    };
    std::thread::scope(|scope| {
        scope.spawn(|| listener.incoming().flatten().all(answered));
        let found = browsed(&format!("http://127.0.0.1:{port}/around"));
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
            let _ = write!(stream, "GET /over HTTP/1.0\r\n\r\n");
        }
        found
    })
}

/// A page with content takes more bytes as a picture than an empty one.
#[test]
fn a_picture_of_it_is_not_blank() {
    if !missing::tools(&["chromium"]) {
        return;
    }
    let explorer = Server::start("models/classic/locked_ring.cor");
    let page = pictured(&format!("http://127.0.0.1:{}/", explorer.port));
    assert!(page > 4 * pictured("about:blank"), "{page}");
}

#[test]
fn a_browser_walks_through_it() {
    if !missing::tools(&["chromium"]) {
        return;
    }
    let explorer = Server::start("models/classic/locked_ring.cor");
    for width in [1280, 400] {
        assert_eq!(around(&explorer, width), r#"["refuted"]"#, "{width}");
    }
}
