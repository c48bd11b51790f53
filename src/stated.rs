//! Whether a certificate proves what files state: by the statement's name, and by what it says, elaborated anew.

use crate::algebra::prove;
use crate::algebra::suite::{Declared, Item, Suite};
use crate::kernel::{Development, Statement, WORK};
use crate::leaf::Put;
use crate::report::proofs::Asked;

/// What a certificate says of the statements of a file that are to be proved. A theorem may say more than is stated: rest on fewer hypotheses and
/// premises, assume fewer processes to differ, have more parts.
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
            None => ("missing", String::new()),
            Some(None) => ("proved", String::new()),
            Some(Some(why)) => ("differs", why.to_string()),
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
