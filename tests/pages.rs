//! Pages in a real browser: no script fails, executions can be stepped through, and nothing is wider than the window.
//!
//! A page stands in a frame of the width asked for, and what is around it clicks and measures. The browser prints what
//! came of it.

use crate::browser::found;
use crate::{missing, shipped};
use coarsen::base::control::{Control, ParseLimits};
use coarsen::report::{mermaid, page};
use coarsen::results::Report;
use coarsen::{Session, theory};
use std::path::Path;

/// What is done with a page, in its frame; it returns what it found.
const STEPS: &str = r#"
const page = frame.contentDocument, found = [];
const root = page.documentElement;
if (root.scrollWidth > root.clientWidth) found.push(`wider: ${root.scrollWidth} > ${root.clientWidth}`);
const walks = page.querySelectorAll(".walk");
for (const walk of walks) {
  const where = () => walk.querySelector("p span").textContent;
  const [back, next] = walk.querySelectorAll("button");
  if (!where().includes(": ")) found.push(`does not begin at the end: ${where()}`);
  const values = () => walk.querySelector(".state").textContent;
  const last = values();
  let steps = 0;
  while (!where().startsWith("step 0 of") && steps < 20000) { back.click(); steps += 1; }
  if (steps === 0) continue;
  const first = values();
  if (first === last) found.push("nothing changes");
  for (let n = 0; n < steps; n++) next.click();
  if (values() !== last) found.push("not the same state there and back");
  walk.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", { key: "ArrowUp" }));
  if (where().startsWith(`step ${steps} of`)) found.push("arrow keys do nothing");
}
return [walks.length, ...found];
"#;

/// What a browser says of a page in a frame of this width: how many executions it has, and what is wrong.
fn opened(page: &str, width: u32) -> String {
    // The page's own errors are told to the frame around it.
    let watched = page.replacen(
        "<head>",
        "<head><script>window.onerror = (e) => parent.failed.push(String(e));</script>",
        1,
    );
    let inside = serde_json::to_string(&watched)
        .expect("a string")
        .replace('<', "\\u003c");
    let around = format!(
        "<!DOCTYPE html><body><iframe id=f style=\"width:{width}px;height:900px;border:0\"></iframe><pre id=out></pre>\
         <script>const failed = []; window.failed = failed; const frame = document.getElementById('f');\n\
         const steps = () => {{ {STEPS} }};\n\
         frame.onload = () => {{ let all; try {{ all = steps(); }} catch (e) {{ all = ['threw ' + e]; }}\n\
         document.getElementById('out').textContent = 'FOUND' + JSON.stringify([...all, ...failed]) + 'END'; }};\n\
         frame.srcdoc = {inside};</script></body>"
    );
    found(&around)
}

fn checked(name: &str, more: &str) -> (Report, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/{name}.cor"));
    let source = std::fs::read_to_string(path).expect("a shipped model") + more;
    let (session, _) = Session::load(name, &source, &[], ParseLimits::default()).expect("loads");
    let theory = theory("stoller-cohen").expect("the default theorem");
    let report = session.check(
        &theory,
        &coarsen::CheckOptions::default(),
        &Control::default(),
    );
    (report, source)
}

/// With executions that are refuted and ones that are wanted, and without any.
#[test]
fn a_page_about_a_check_can_be_stepped_through() {
    if !missing::tools(&["chromium"]) {
        return;
    }
    let mut walks = 0;
    for name in [
        "transactions/bank_bug",
        "classic/locked_ring",
        "section6/memory_reuse_bug",
    ] {
        let (report, source) = checked(name, "\nreach some: true;\n");
        let traces = report
            .properties
            .iter()
            .filter(|p| p.trace.is_some())
            .count();
        let page = page::check(&report, &source, None);
        for width in [400, 1280] {
            assert_eq!(
                opened(&page, width),
                format!("[{traces}]"),
                "{name} at {width}"
            );
        }
        walks += traces;
    }
    assert!(walks > 2, "{walks}");
}

/// The page of a comparison fits, with linear bars and with logarithmic ones.
#[test]
fn a_page_about_a_comparison_fits() {
    if !missing::tools(&["chromium"]) {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/classic/locked_ring.cor");
    let source = std::fs::read_to_string(path).expect("a shipped model");
    let (session, _) = Session::load("ring", &source, &[], ParseLimits::default()).expect("loads");
    let theory = theory("stoller-cohen").expect("the default theorem");
    let report = session.compare(&theory, &Control::default(), &mut |_| {});
    let page = page::compare(&[report]);
    for page in [page.replace("<body>", "<body class=log>"), page] {
        for width in [400, 1280] {
            assert_eq!(opened(&page, width), "[0]", "at {width}");
        }
    }
}

/// Mermaid's own parser accepts the diagrams of all traces of the shipped models, and refuses what is none.
#[test]
fn mermaid_reads_the_diagrams() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mermaid.min.js");
    if !missing::tools(&["chromium"]) {
        return;
    }
    if !script.exists() {
        missing::say("mermaid");
        return;
    }
    let mut diagrams = vec!["sequenceDiagram\n  this is -> none -> at all\n".to_string()];
    for m in shipped::models() {
        let report = m.report(false);
        for property in &report.properties {
            let trace = property.trace.as_ref();
            diagrams.extend(trace.map(|t| mermaid::render(&m.name, &property.name, t)));
        }
    }
    assert!(diagrams.len() > 30, "{}", diagrams.len());
    let texts = serde_json::to_string(&diagrams).expect("strings");
    let texts = texts.replace('<', "\\u003c");
    let page = format!(
        "<!DOCTYPE html><body><pre id=out></pre><script src=\"file://{}\"></script><script>\n\
         (async () => {{ const bad = []; const all = {texts};\n\
         for (const [n, text] of all.entries()) try {{ await mermaid.parse(text); }} catch (e) {{ bad.push(n); }}\n\
         document.getElementById('out').textContent = 'FOUND' + JSON.stringify(bad) + 'END'; }})();</script></body>",
        script.display()
    );
    assert_eq!(found(&page), "[0]");
}
