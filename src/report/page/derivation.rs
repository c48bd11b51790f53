//! Proofs of the algebra as a page: chains with their reasons; what a reason needs can be folded away.

use super::{escaped, page};
use crate::base::results::derivation::Chain;
use crate::base::results::proofs::Proof;
use crate::report::derivation::{reason, sign};
use std::fmt::Write;

/// A page with the proofs that there are.
pub fn derivations(title: &str, proofs: &[Proof]) -> String {
    let mut sections = String::new();
    for proof in proofs {
        let Some(told) = &proof.derivation else {
            continue;
        };
        // Writing to a string does not fail.
        let _ = writeln!(sections, "<h2>{}</h2>", escaped(&proof.name));
        for premise in &told.premises {
            let (said, name) = (escaped(&premise.statement), escaped(&premise.name));
            let _ = writeln!(sections, "<p>if <code>{said}</code> ({name})</p>");
        }
        for part in &told.parts {
            chain(&mut sections, part);
        }
        for (n, below) in told.below.iter().enumerate() {
            let number = n + 1;
            let left = escaped(&format!("{}{}", below.conditions, below.left));
            let last = below.lines.last();
            let right = last.map_or(String::new(), |l| format!(" &lt;= {}", escaped(&l.term)));
            let _ = writeln!(
                sections,
                "<details><summary>({number}) <code>{left}{right}</code></summary>"
            );
            chain(&mut sections, below);
            sections += "</details>\n";
        }
        if told.cut {
            sections += "<p class=\"note\">cut: it is longer</p>\n";
        }
    }
    page(title, &sections, &[])
}

fn chain(out: &mut String, chain: &Chain) {
    let left = escaped(&format!("{}{}", chain.conditions, chain.left));
    let _ = writeln!(
        out,
        "<div class=\"wide\"><table>\n<tr><td></td><td><code>{left}</code></td><td></td></tr>"
    );
    for line in &chain.lines {
        let (sign, term, why) = (
            escaped(sign(line)),
            escaped(&line.term),
            escaped(&reason(line)),
        );
        let _ = writeln!(
            out,
            "<tr><td>{sign}</td><td><code>{term}</code></td><td class=\"note\">{why}</td></tr>"
        );
    }
    *out += "</table></div>\n";
}
