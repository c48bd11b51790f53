//! A theorem's steps as chains that a person can read. A chain within a context is told line by line, so each line has
//! the whole term; what a rule rests on besides is told below, once.

use super::show;
use crate::base::results::derivation::{Assumed, Chain, Derivation, Line, Reason};
use crate::kernel::{Claim, Development, Id, Rejected, Rule, Statement, Sym, Theorem};
use rustc_hash::FxHashMap;

/// Lines of a proof.
const LONGEST: usize = 2_000;

/// The proof of a theorem, by position. `names` are those of its premises.
///
/// # Errors
/// The kernel's limit of operations.
pub fn derivation(
    d: &mut Development,
    theorem: usize,
    names: &[String],
) -> Result<Option<Derivation>, Rejected> {
    let Some(proved) = d.theorem(theorem).cloned() else {
        return Ok(None);
    };
    let claims = d.claims(theorem)?;
    let mut teller = Teller {
        d,
        proved: &proved,
        names,
        claims: &claims,
        numbers: FxHashMap::default(),
        told: Derivation::default(),
        lines: 0,
    };
    for (n, premise) in proved.premises.iter().enumerate() {
        let statement = show::conditions(teller.d, &premise.distinct);
        let assumed = Assumed {
            name: teller.premise(n),
            statement: statement + &bare(teller.d, premise),
        };
        teller.told.premises.push(assumed);
    }
    for &step in &proved.proves {
        let chain = teller.chain(step);
        teller.told.parts.push(chain);
    }
    Ok(Some(teller.told))
}

/// What a statement says, without its conditions.
fn bare(d: &Development, s: &Statement) -> String {
    let parts = Statement {
        distinct: Vec::new(),
        parts: s.parts.clone(),
    };
    show::statement(d, &parts)
}

struct Teller<'a> {
    d: &'a mut Development,
    proved: &'a Theorem,
    names: &'a [String],
    claims: &'a [Claim],
    /// The numbers of the steps that are told below.
    numbers: FxHashMap<usize, usize>,
    told: Derivation,
    lines: usize,
}

/// A term with a hole, and the hole.
type Around = Vec<(Id, Sym)>;

impl Teller<'_> {
    fn premise(&self, n: usize) -> String {
        let name = self.names.get(n).filter(|name| !name.is_empty());
        name.cloned()
            .unwrap_or_else(|| format!("premise {}", n + 1))
    }

    fn chain(&mut self, step: usize) -> Chain {
        let claim = &self.claims[step];
        let chain = Chain {
            conditions: show::conditions(self.d, &claim.distinct),
            left: show::term(self.d, claim.left),
            lines: Vec::new(),
        };
        let mut lines = Vec::new();
        self.steps(step, &mut Vec::new(), &mut lines);
        Chain { lines, ..chain }
    }

    /// The lines of a step within contexts, the outermost first.
    fn steps(&mut self, step: usize, around: &mut Around, lines: &mut Vec<Line>) {
        if self.lines >= LONGEST {
            self.told.cut = true;
            return;
        }
        match &self.proved.steps[step] {
            Rule::Chain(links) => {
                for &link in links {
                    self.steps(link, around, lines);
                }
            }
            Rule::Context(context, hole, inner) => {
                around.push((*context, *hole));
                self.steps(*inner, around, lines);
                around.pop();
            }
            rule => {
                let Claim { left, right, .. } = self.claims[step];
                let (from, to) = (self.put(left, around), self.put(right, around));
                if from == to {
                    return;
                }
                self.lines += 1;
                let (reason, below) = self.reason(rule);
                let below = below.into_iter().map(|s| self.below(s)).collect();
                lines.push(Line {
                    equal: self.is_equation(rule),
                    term: show::term(self.d, to),
                    reason,
                    below,
                });
            }
        }
    }

    fn put(&mut self, t: Id, around: &Around) -> Id {
        let terms = &mut self.d.terms;
        let outward = around.iter().rev();
        outward.fold(t, |t, (context, hole)| {
            terms.replace(*context, &[(*hole, t)])
        })
    }

    /// The number of a step's proof, which is told now if it has not been.
    fn below(&mut self, step: usize) -> usize {
        if let Some(known) = self.numbers.get(&step) {
            return *known;
        }
        let place = self.told.below.len();
        self.numbers.insert(step, place + 1);
        // Keeps the place: proofs that it needs come behind it.
        self.told.below.push(Chain {
            conditions: String::new(),
            left: String::new(),
            lines: Vec::new(),
        });
        let chain = self.chain(step);
        self.told.below[place] = chain;
        place + 1
    }

    /// Whether a rule uses one half of an equation.
    fn is_equation(&self, rule: &Rule) -> bool {
        let (statement, part) = match rule {
            Rule::Hypothesis(n, part, _) => (self.d.hypotheses().get(*n).map(|(_, s)| s), *part),
            Rule::Premise(n, part, _) => (self.proved.premises.get(*n), *part),
            Rule::Theorem { theorem, part, .. } => {
                (self.d.theorem(*theorem).map(|t| &t.statement), *part)
            }
            Rule::Unfold(_) | Rule::Separate(..) => return true,
            _ => return false,
        };
        let sides = statement.and_then(|s| Some((s, s.parts.get(part)?)));
        sides.is_some_and(|(s, (l, r))| s.parts.contains(&(*r, *l)))
    }

    /// Why, and the steps that it needs.
    fn reason(&self, rule: &Rule) -> (Reason, Vec<usize>) {
        let d = &*self.d;
        let alone = |reason| (reason, Vec::new());
        match rule {
            Rule::Decide(..) | Rule::Chain(_) | Rule::Context(..) => alone(Reason::Decided),
            Rule::Hypothesis(n, ..) => alone(Reason::Hypothesis {
                name: d
                    .hypotheses()
                    .get(*n)
                    .map(|(name, _)| name.clone())
                    .unwrap_or_default(),
            }),
            Rule::Premise(n, ..) => alone(Reason::Premise {
                name: self.premise(*n),
            }),
            Rule::Theorem {
                theorem,
                letters,
                premises,
                ..
            } => {
                let name = d.theorem(*theorem).map(|t| t.name.clone());
                let symbols = d.terms.symbols();
                let letter = |(symbol, by): &(Sym, Id)| {
                    let name = symbols.get(*symbol as usize).map_or("?", |s| &s.name);
                    format!("{name} := {}", show::term(d, *by))
                };
                // What stands for a converse follows from what stands for the letter.
                let chosen = |(symbol, _): &&(Sym, Id)| d.terms.is_converse_of(*symbol).is_none();
                let chosen = letters.iter().filter(chosen);
                let reason = Reason::Lemma {
                    name: name.unwrap_or_default(),
                    letters: chosen.map(letter).collect(),
                };
                (reason, premises.clone())
            }
            Rule::Join(steps) => (Reason::Summands, steps.clone()),
            Rule::StarLeft(_, base, step) | Rule::StarRight(_, base, step) => {
                (Reason::Induction, vec![*base, *step])
            }
            Rule::Coinduction(_, _, step) => (Reason::Coinduction, vec![*step]),
            Rule::Unfold(_) => alone(Reason::Unfolding),
            Rule::Domain(_) | Rule::Codomain(_) => alone(Reason::Domain),
            Rule::BeforeDomain(.., step) | Rule::BehindCodomain(.., step) => {
                (Reason::LeastDomain, vec![*step])
            }
            Rule::Divergence(_) => alone(Reason::Divergence),
            Rule::BelowDivergence(_, step) => (Reason::GreatestDivergence, vec![*step]),
            Rule::SumIntro(..) => alone(Reason::Member),
            Rule::SumElim(.., step) => (Reason::Members, vec![*step]),
            Rule::ProductElim(..) => alone(Reason::Factor),
            Rule::ProductIntro(_, _, step) => (Reason::Factors, vec![*step]),
            Rule::Separate(..) => alone(Reason::Separated),
            Rule::Cases(i, j, _, same, differ) => {
                let reason = Reason::Cases {
                    one: show::variable(d, *i),
                    other: show::variable(d, *j),
                };
                (reason, vec![*same, *differ])
            }
        }
    }
}
