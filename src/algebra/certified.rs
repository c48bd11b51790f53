//! Whether a certificate proves what files state: by the statement's name, and by what it says, elaborated anew; and
//! whether it proves a reduction theorem.

use super::own::{Recast, with};
use super::put::Put;
use super::show;
use super::term::Order;
use super::text::of_shape;
use super::theory::{Shape, Theory};
use crate::algebra::prove;
use crate::algebra::suite::{Declared, Item, Suite};
use crate::base::control::ParseLimits;
use crate::base::results::SCHEMA_VERSION;
use crate::base::results::proofs::{Acceptance, Asked, Certificate, Letter, Said, Stated};
use crate::kernel::{self, Development, Statement, WORK};

/// What a certificate says of the statements of a file that are to be proved. A theorem may say more than is stated:
/// rest on fewer hypotheses and premises, assume fewer processes to differ, have more parts.
///
/// # Errors
/// The limit that is hit.
pub fn compare(suite: &Suite, d: &mut Development) -> Result<Vec<Asked>, &'static str> {
    d.terms.allow(WORK);
    let Ok(mut put) = Put::new(&suite.development, d) else {
        return Err("names stand twice");
    };
    let given = suite.development.hypotheses().iter();
    let given: Vec<Option<Statement>> =
        given.map(|(_, h)| put.statement(h, &mut d.terms)).collect();
    let items = suite.items.iter();
    let wanted = items.filter(|i| i.asked && i.declared == Declared::Proved);
    let all = wanted.map(|item| {
        let (status, why) = match differs(item, d, &mut put, &given) {
            None => (Said::Missing, String::new()),
            Some(None) => (Said::Proved, String::new()),
            Some(Some(why)) => (Said::Differs, why.to_string()),
        };
        Asked {
            name: item.name.clone(),
            file: item.file.clone(),
            line: item.line,
            status,
            why,
        }
    });
    let all = all.collect();
    match d.terms.is_spent() {
        true => Err("too large: the limit of the checker is reached"),
        false => Ok(all),
    }
}

/// What a certificate was found to prove of a reduction theorem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Theorems replayed.
    pub theorems: usize,
    /// Whether the corollary is among them.
    pub corollary: bool,
}

/// Why a certificate does not prove a reduction theorem.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Unproved {
    /// The kernel does not accept it.
    #[error("{0}")]
    Rejected(#[from] kernel::Rejected),
    /// Its names can't be matched.
    #[error("{0}")]
    Names(String),
    /// The theorem can't be read.
    #[error("the theorem can't be read")]
    Unreadable,
    /// It assumes something else.
    #[error("it assumes `{0}`, which is no hypothesis of the theorem")]
    Assumes(String),
    /// It proves something else.
    #[error("it does not prove the theorem's conclusion")]
    Other,
    /// The limit of the checker is reached.
    #[error("the limit of the checker is reached")]
    Spent,
}

/// The corollary of Stoller & Cohen's theorem for properties other than the discipline: if no invisible step leaves I,
/// I is reached only if the reduced system reaches it, or a violation, within its steps.
fn corollary(theory: &Theory, depth: usize) -> Option<String> {
    if theory.shape != Some(Shape::StollerCohen) {
        return None;
    }
    let recast = Recast::new(&of_shape(Shape::StollerCohen)?, theory)?;
    let [from, to, left, right] =
        ["I u[i]", "u[i] I", "p (u + v)* I", "N* (1 + M) (q + I) T"].map(|t| recast.read(t, depth));
    let text = format!(
        "test I;\nidentity wanted_corollary [stable : {} <= {}] : {} <= {};\n",
        from?, to?, left?, right?
    );
    Some(recast.with_definitions(&text))
}

/// What has to be proved: the conclusion, and the corollary if the theory has the words for it.
fn wanted(theory: &Theory) -> Option<Suite> {
    let depth = ParseLimits::default().depth;
    let conclusion = theory.conclusion.as_ref()?;
    let head = format!("identity wanted : {};\n", conclusion.statement);
    let both = corollary(theory, depth)
        .and_then(|more| with(Some(theory), format!("{head}{more}"), depth));
    both.or_else(|| with(Some(theory), head, depth))
}

/// What a certificate proves of a reduction theorem. What has to be proved is read from the theory's file, not from the
/// certificate: hypotheses and conclusion are elaborated anew, put into the certificate's terms symbol by symbol, and
/// compared there.
///
/// # Errors
/// Where the proof is wrong, or that it proves something else.
pub fn shown(theory: &Theory, text: &str) -> Result<Shown, Unproved> {
    let mut d = kernel::read(text)?;
    let wanted = wanted(theory).ok_or(Unproved::Unreadable)?;
    let mut put = Put::new(&wanted.development, &d).map_err(Unproved::Names)?;
    d.terms.allow(WORK);
    let assumed: Vec<Option<Statement>> = wanted
        .development
        .hypotheses()
        .iter()
        .map(|(_, h)| put.statement(h, &mut d.terms))
        .collect();
    let foreign = |h: &&(String, Statement)| !assumed.contains(&Some(h.1.clone()));
    if let Some((name, _)) = d.hypotheses().iter().find(foreign) {
        return Err(Unproved::Assumes(name.clone()));
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
    match (d.terms.is_spent(), concluded) {
        (true, _) => Err(Unproved::Spent),
        (false, true) => Ok(found),
        (false, false) => Err(Unproved::Other),
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

/// In what the theorem of a statement's name differs from it; none if there is no such theorem.
fn differs(
    item: &Item,
    d: &mut Development,
    put: &mut Put,
    given: &[Option<Statement>],
) -> Option<Option<&'static str>> {
    let n = d.theorems().position(|t| t.name == item.title)?;
    let wanted = put.statement(&prove::statement(item), &mut d.terms);
    let premises = item.premises.iter();
    let premises: Vec<Option<Statement>> = premises
        .map(|(_, p)| put.statement(p, &mut d.terms))
        .collect();
    let theorem = d.theorem(n)?;
    let Some(wanted) = wanted else {
        return Some(Some("its letters or index variables are others"));
    };
    let rests_on = d.rests_on(n).iter();
    let mut used = rests_on.filter_map(|h| d.hypotheses().get(*h));
    let has = |all: &[Option<Statement>], one: &Statement| all.iter().flatten().any(|p| p == one);
    let (says, asked) = (&theorem.statement, &wanted);
    Some(if !asked.parts.iter().all(|p| says.parts.contains(p)) {
        Some("it says something else")
    } else if !says.distinct.iter().all(|p| asked.distinct.contains(p)) {
        Some("it assumes that other processes differ")
    } else if !theorem.premises.iter().all(|p| has(&premises, p)) {
        Some("it has other premises")
    } else if !used.all(|(_, h)| has(given, h)) {
        Some("it rests on hypotheses that the file has not")
    } else {
        None
    })
}

impl Certificate {
    /// What is to be said of a text, replayed in so many operations, and of the statements of these files.
    pub fn of(file: &str, text: &str, operations: u64, files: &[Suite]) -> Certificate {
        let mut certificate = Certificate {
            schema_version: SCHEMA_VERSION,
            file: file.to_string(),
            status: Acceptance::Rejected,
            reason: String::new(),
            letters: Vec::new(),
            hypotheses: Vec::new(),
            theorems: Vec::new(),
            asked: Vec::new(),
        };
        // The printed text is no longer than the text that was read, except for what terms share.
        let mut room = 16 * (text.len() + (1 << 20));
        let told = match kernel::read_within(text, operations) {
            Ok(mut d) => certificate.tell(&mut d, files, &mut room),
            Err(rejected) => {
                certificate.reason = rejected.to_string();
                match rejected.limit {
                    true => Err(()),
                    false => return certificate,
                }
            }
        };
        certificate.status = match told {
            Ok(()) => Acceptance::Accepted,
            Err(()) => Acceptance::Unknown,
        };
        certificate
    }

    /// What a certificate says; that it is too long is an error.
    fn tell(&mut self, d: &mut Development, files: &[Suite], room: &mut usize) -> Result<(), ()> {
        self.letters = letters(d);
        for (name, statement) in d.hypotheses() {
            let stated = Stated {
                name: name.clone(),
                premises: Vec::new(),
                statement: self.whole(d, statement, room)?,
                conditional: true,
                rests_on: Vec::new(),
            };
            self.hypotheses.push(stated);
        }
        for (n, theorem) in d.theorems().enumerate() {
            let premises = theorem.premises.iter();
            let premises: Result<Vec<String>, ()> =
                premises.map(|p| self.whole(d, p, room)).collect();
            let used = d.rests_on(n).iter();
            let stated = Stated {
                name: theorem.name.clone(),
                premises: premises?,
                statement: self.whole(d, &theorem.statement, room)?,
                conditional: d.is_conditional(n),
                rests_on: used.map(|h| d.hypotheses()[*h].0.clone()).collect(),
            };
            let long: usize = stated.rests_on.iter().map(|n| 24 + n.len()).sum();
            *room = room.checked_sub(long).ok_or(()).inspect_err(|()| {
                self.reason = "too large to be told".into();
            })?;
            self.theorems.push(stated);
        }
        for suite in files {
            match crate::algebra::certified::compare(suite, d) {
                Ok(found) => self.asked.extend(found),
                Err(why) => {
                    self.reason = why.into();
                    return Err(());
                }
            }
        }
        Ok(())
    }

    fn whole(&mut self, d: &Development, s: &Statement, room: &mut usize) -> Result<String, ()> {
        show::whole(d, s, room).ok_or(()).inspect_err(|()| {
            self.reason = "its statements are too long to be told".into();
        })
    }
}

fn letters(d: &Development) -> Vec<Letter> {
    let all = d.terms.symbols().iter();
    all.map(|s| Letter {
        name: s.name.clone(),
        sort: if s.test { "test" } else { "action" },
        arity: s.arity,
    })
    .collect()
}
