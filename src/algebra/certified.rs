//! Whether a certificate proves what files state: by the statement's name, and by what it says, elaborated anew.

use super::put::Put;
use super::show;
use crate::algebra::prove;
use crate::algebra::suite::{Declared, Item, Suite};
use crate::base::results::SCHEMA_VERSION;
use crate::base::results::proofs::{Acceptance, Asked, Certificate, Letter, Said, Stated};
use crate::kernel::{Development, Statement, WORK};

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
        let told = match crate::kernel::read_within(text, operations) {
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
