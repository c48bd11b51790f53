//! The classes of an e-graph for Graphviz: a box for each, its smallest term first, with arrows to those of its parts.

use crate::base::results::proofs::EqualTerms;
use std::fmt::Write;

/// A graph in DOT.
pub fn dot(classes: &[EqualTerms]) -> String {
    let mut out = "digraph classes {\n  node [shape=box, fontname=\"monospace\"];\n".to_string();
    for (n, class) in classes.iter().enumerate() {
        let others = class.others.iter().map(|t| format!("= {t}"));
        let lines: Vec<String> = std::iter::once(class.least.clone()).chain(others).collect();
        let label: String = lines.iter().map(|l| escaped(l) + "\\l").collect();
        // Writing to a string does not fail.
        let _ = writeln!(out, "  c{n} [label=\"{label}\"];");
        for part in &class.parts {
            let _ = writeln!(out, "  c{n} -> c{part};");
        }
    }
    out + "}\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
