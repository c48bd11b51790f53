//! Whether a certificate proves the reduction theorem at hand, and the corollary for properties other than the discipline.
//!
//! What has to be proved is read from the theory's file, not from the certificate: hypotheses and conclusion are elaborated anew, put into
//! the certificate's terms symbol by symbol, and compared there.

use super::invariant::Refused;
use crate::algebra::suite::{Item, Suite};
use crate::algebra::{Order, Theory};
use crate::control::Stop;
use crate::kernel::{self, Development, Id, Index, Node, Statement, Sym, Terms, distinct};
use crate::suites::{Text, load_suite};
use crate::syntax::ParseLimits;
use rustc_hash::FxHashMap;

/// What a certificate was found to prove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Theorems replayed.
    pub theorems: usize,
    /// Whether the corollary is among them.
    pub corollary: bool,
}

/// The corollary: if no invisible step leaves I, I is reached only if the reduced system reaches it, or a violation, within its steps.
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

/// How the proof is called in what is told of it.
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

/// Terms of one development put into another, symbols and variables by name.
pub(crate) struct Put<'d> {
    from: &'d Development,
    symbols: FxHashMap<Sym, Sym>,
    variables: FxHashMap<u32, u32>,
    known: FxHashMap<Id, Option<Id>>,
}

impl<'d> Put<'d> {
    pub(crate) fn new(from: &'d Development, to: &Development) -> Result<Self, String> {
        let mut names: FxHashMap<(&str, bool, usize), Sym> = FxHashMap::default();
        for (n, s) in (0..).zip(to.terms.symbols()) {
            if names.insert((&s.name, s.test, s.arity), n).is_some() {
                return Err(format!("it has two symbols `{}`", s.name));
            }
        }
        let mut indices: FxHashMap<&str, u32> = FxHashMap::default();
        for (n, v) in (0..).zip(&to.variables) {
            if indices.insert(v, n).is_some() {
                return Err(format!("it has two variables `{v}`"));
            }
        }
        let symbols = (0..).zip(from.terms.symbols());
        let variables = (0..).zip(&from.variables);
        Ok(Put {
            from,
            symbols: symbols
                .filter_map(|(n, s)| Some((n, *names.get(&(s.name.as_str(), s.test, s.arity))?)))
                .collect(),
            variables: variables
                .filter_map(|(n, v)| Some((n, *indices.get(v.as_str())?)))
                .collect(),
            known: FxHashMap::default(),
        })
    }

    pub(crate) fn statement(&mut self, s: &Statement, to: &mut Terms) -> Option<Statement> {
        let pairs = s.distinct.iter();
        let pairs: Option<Vec<(u32, u32)>> = pairs
            .map(|(i, j)| Some((*self.variables.get(i)?, *self.variables.get(j)?)))
            .collect();
        let parts = s.parts.iter();
        let parts: Option<Vec<(Id, Id)>> = parts
            .map(|(l, r)| Some((self.term(*l, to)?, self.term(*r, to)?)))
            .collect();
        Some(Statement {
            distinct: distinct(pairs?)?,
            parts: parts?,
        })
    }

    /// `None` if the other has no symbol or variable of a name.
    fn term(&mut self, t: Id, to: &mut Terms) -> Option<Id> {
        if let Some(&known) = self.known.get(&t) {
            return known;
        }
        let done = self.build(t, to);
        self.known.insert(t, done);
        done
    }

    fn build(&mut self, t: Id, to: &mut Terms) -> Option<Id> {
        let each = |put: &mut Self, all: &[Id], to: &mut Terms| -> Option<Vec<Id>> {
            all.iter().map(|x| put.term(*x, to)).collect()
        };
        Some(match self.from.terms.node(t).clone() {
            Node::Zero | Node::One | Node::Top => t,
            Node::Atom(s, is) => {
                let symbol = *self.symbols.get(&s)?;
                let indices = self.indices(&is)?;
                to.atom(symbol, indices)
            }
            Node::Not(x) => {
                let x = self.term(x, to)?;
                to.not(x)
            }
            Node::Sum(all) => {
                let all = each(self, &all, to)?;
                to.sum(all)
            }
            Node::Product(all) => {
                let all = each(self, &all, to)?;
                to.product(all)
            }
            Node::Star(x) => {
                let x = self.term(x, to)?;
                to.star(x)
            }
            Node::Omega(x) => {
                let x = self.term(x, to)?;
                to.omega(x)
            }
            Node::SumOver(but, x) => {
                let (but, x) = (self.indices(&but)?, self.term(x, to)?);
                to.sum_over(but, x)
            }
            Node::ProductOver(but, x) => {
                let (but, x) = (self.indices(&but)?, self.term(x, to)?);
                to.product_over(but, x)
            }
        })
    }

    fn indices(&self, all: &[Index]) -> Option<Vec<Index>> {
        let one = |i: &Index| match i {
            Index::Var(v) => self.variables.get(v).map(|v| Index::Var(*v)),
            bound => Some(*bound),
        };
        all.iter().map(one).collect()
    }
}
