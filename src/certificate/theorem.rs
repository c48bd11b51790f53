//! Whether a certificate proves the reduction theorem at hand, and the corollary for properties other than the
//! discipline.
//!
//! What has to be proved is read from the theory's file, not from the certificate: hypotheses and conclusion are
//! elaborated anew, put into the certificate's terms symbol by symbol, and compared there.

use super::invariant::Refused;
use crate::algebra::files::{Text, load_suite};
use crate::algebra::put::Put;
use crate::algebra::suite::{Item, Suite};
use crate::algebra::{Order, Theory};
use crate::base::control::ParseLimits;
use crate::base::control::Stop;
use crate::kernel::{self, Statement};

/// What a certificate was found to prove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Theorems replayed.
    pub theorems: usize,
    /// Whether the corollary is among them.
    pub corollary: bool,
}

/// The corollary: if no invisible step leaves I, I is reached only if the reduced system reaches it, or a violation,
/// within its steps.
const COROLLARY: &str = "test I;
identity wanted_corollary [stable : I u[i] <= u[i] I] : p (u + v)* I <= N* (1 + M) (q + I) T;
";

/// What has to be proved: the conclusion, and the corollary if the theory has the words for it.
fn wanted(theory: &Theory) -> Option<Suite> {
    let conclusion = theory.conclusion.as_ref()?;
    let head = format!(
        "use {};\nidentity wanted : {};\n",
        theory.name, conclusion.statement
    );
    let elaborated = |text: String| {
        let name = "theorem.thy".to_string();
        let depth = ParseLimits::default().depth;
        let mut none = |_: &str, _: &str| Err("no other file is used".to_string());
        load_suite(Text { name, text }, depth, &mut none).ok()
    };
    elaborated(format!("{head}{COROLLARY}")).or_else(|| elaborated(head))
}

/// What messages call the proof.
const PROOF: &str = "the theorem's proof";

/// Replays a proof of the theorem.
///
/// # Errors
/// Where the proof is wrong, or that it proves something else.
pub fn shown(theory: &Theory, text: &str) -> Result<Shown, Refused> {
    let mut d = kernel::read(text).map_err(|e| Refused::proof(PROOF, &e))?;
    let wanted = wanted(theory).ok_or("the theorem can't be read")?;
    let put = Put::new(&wanted.development, &d);
    let mut put = put.map_err(|why| Refused::Wrong(format!("{PROOF}: {why}")))?;
    d.terms.allow(kernel::WORK);
    let assumed: Vec<Option<Statement>> = wanted
        .development
        .hypotheses()
        .iter()
        .map(|(_, h)| put.statement(h, &mut d.terms))
        .collect();
    let foreign = |h: &&(String, Statement)| !assumed.contains(&Some(h.1.clone()));
    if let Some((name, _)) = d.hypotheses().iter().find(foreign) {
        return Err(Refused::Wrong(format!(
            "{PROOF}: it assumes `{name}`, which is no hypothesis of the theorem"
        )));
    }
    let mut found = Shown {
        theorems: d.theorems().len(),
        corollary: false,
    };
    let mut concluded = false;
    for item in wanted.items.iter().filter(|i| i.asked) {
        let statement = put.statement(&stated(item), &mut d.terms);
        let premises = item.premises.iter();
        let premises: Option<Vec<Statement>> = premises
            .map(|(_, p)| put.statement(p, &mut d.terms))
            .collect();
        let (Some(statement), Some(premises)) = (statement, premises) else {
            continue;
        };
        // A theorem may say more: the links of a chain.
        let says = |t: &Statement| {
            t.distinct == statement.distinct && statement.parts.iter().all(|p| t.parts.contains(p))
        };
        let proved = d
            .theorems()
            .any(|t| says(&t.statement) && t.premises == premises);
        match item.name.as_str() {
            "wanted" => concluded = proved,
            _ => found.corollary = proved,
        }
    }
    if d.terms.is_spent() {
        return Err(Refused::Stopped(Stop::Operations));
    }
    match concluded {
        true => Ok(found),
        false => Err(Refused::Wrong(format!(
            "{PROOF}: it does not prove the theorem's conclusion"
        ))),
    }
}

/// What an item says, its sides put together.
fn stated(item: &Item) -> Statement {
    let mut parts = Vec::new();
    if let (Some(first), Some(last)) = (item.links.first(), item.links.last()) {
        parts.push((first.left, last.right));
        if item.links.iter().all(|l| l.order == Order::Equal) {
            parts.push((last.right, first.left));
        }
    }
    Statement {
        distinct: item.distinct.clone(),
        parts,
    }
}
