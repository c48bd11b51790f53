//! Which laws the axioms of a problem are. Names say nothing: a formula is compared with those of `known.ax`, up to the
//! names of variables, the sides of equations, the order of conjuncts and, where addition is known to commute and
//! associate, of summands.

use crate::algebra::tptp::text::{Formula, Item, Numbers, Role, Term, Variable, parse_problem};
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// Idempotent semirings.
const SEMIRING: &[&str] = &[
    "sum_commutes",
    "sum_associates",
    "sum_zero",
    "sum_idempotent",
    "product_associates",
    "one_right",
    "one_left",
    "distributes_right",
    "distributes_left",
    "zero_left",
];
/// What demonic refinement algebras have not (von Wright 2004).
const ZERO_RIGHT: &str = "zero_right";
/// Both inductions; each unfolding follows from the other.
const STAR: &[&str] = &["star_induction_left", "star_induction_right"];
const UNFOLDINGS: [&str; 2] = ["star_unfold_right", "star_unfold_left"];
const OMEGA: &[&str] = &["omega_unfold", "omega_coinduction"];
const STRONG: &[&str] = &["strong_unfold", "strong_coinduction", "strong_isolation"];
const TESTS: &[&str] = &[
    "test_defined",
    "complement_defined",
    "c_of_test",
    "c_of_other",
];

/// Domain semirings, whose domains need no complements.
const DOMAIN: &[&str] = &[
    "domain_preserves",
    "domain_local",
    "domain_below_one",
    "domain_strict",
    "domain_additive",
];
const ANTIDOMAIN: &[&str] = &[
    "antidomain_annihilates",
    "antidomain_local",
    "antidomain_complements",
];
const COANTIDOMAIN: &[&str] = &[
    "coantidomain_annihilates",
    "coantidomain_local",
    "coantidomain_complements",
];
/// Divergence Kleene algebras, over antidomain.
const DIVERGENCE: &[&str] = &["divergence_unfold", "divergence_coinduction"];

/// What a symbol of the vocabulary stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Symbol {
    Sum,
    Product,
    Zero,
    One,
    Star,
    Omega,
    Strong,
    Complement,
    Domain,
    Antidomain,
    Coantidomain,
    Divergence,
}

/// The operation that a function symbol with this number of arguments means. Any other constant is a letter.
pub(super) fn operation(name: &str, arguments: usize) -> Option<Symbol> {
    Some(match (name, arguments) {
        ("addition", 2) => Symbol::Sum,
        ("multiplication", 2) => Symbol::Product,
        ("zero", 0) => Symbol::Zero,
        ("one", 0) => Symbol::One,
        ("star", 1) => Symbol::Star,
        ("omega", 1) => Symbol::Omega,
        ("strong_iteration", 1) => Symbol::Strong,
        ("c", 1) => Symbol::Complement,
        ("domain", 1) => Symbol::Domain,
        ("antidomain", 1) => Symbol::Antidomain,
        ("coantidomain", 1) => Symbol::Coantidomain,
        ("divergence", 1) => Symbol::Divergence,
        _ => return None,
    })
}

/// Whether a function is one that no axiom defines by others.
pub(super) fn is_structural(name: &str, arguments: usize) -> bool {
    use Symbol::{Divergence, Omega, One, Product, Star, Strong, Sum, Zero};
    matches!(
        operation(name, arguments),
        Some(Sum | Product | Zero | One | Star | Omega | Strong | Divergence)
    )
}

/// Which parts of the theory some formulas speak of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    pub order: bool,
    pub star: bool,
    pub omega: bool,
    /// Of strong iteration, which demonic refinement algebras have.
    pub strong: bool,
    pub tests: bool,
    /// Of domains, and not of antidomains.
    pub domain: bool,
    pub antidomain: bool,
    pub coantidomain: bool,
    pub divergence: bool,
}

impl Needs {
    /// Whether there are domains, and nothing but semirings beside: then what holds in relations, of premises `e = 0`,
    /// follows (McLean 2020; `docs/soundness.md`).
    pub fn domain_alone(self) -> bool {
        let others = self.star || self.omega || self.tests || self.antidomain || self.coantidomain;
        self.domain && !others && !self.divergence
    }

    /// Whether this can be read where `x 0 = 0` need not hold.
    pub fn may_be_demonic(self) -> bool {
        let domains = self.domain || self.antidomain || self.coantidomain || self.divergence;
        !(self.omega || self.tests || domains)
    }

    /// Takes a function symbol in.
    pub fn function(&mut self, symbol: Symbol) {
        match symbol {
            Symbol::Star => self.star = true,
            Symbol::Omega => self.omega = true,
            Symbol::Strong => self.strong = true,
            Symbol::Complement => self.tests = true,
            Symbol::Domain => self.domain = true,
            Symbol::Antidomain => self.antidomain = true,
            Symbol::Coantidomain => self.coantidomain = true,
            Symbol::Divergence => self.divergence = true,
            Symbol::Sum | Symbol::Product | Symbol::Zero | Symbol::One => {}
        }
    }
}

/// The laws among some axioms.
#[derive(Clone, Debug, Default)]
pub(super) struct Laws(FxHashSet<&'static str>);

impl Laws {
    /// Recognises axioms: which laws they are, and which of them are no known law.
    pub fn of(axioms: &[&Formula]) -> (Laws, Vec<bool>) {
        let mut laws = Laws::default();
        let mut recognised = vec![false; axioms.len()];
        // First the laws of addition, by their formulas as they stand. Then laws that are compared up to those, then up
        // to the order as well.
        for round in 0..3 {
            let ac = laws.has("sum_commutes") && laws.has("sum_associates");
            let how = Reading {
                sums: round > 0 && ac,
                order: round > 1 && laws.has("order"),
            };
            let table: Vec<(&'static str, Shape, usize)> = known()
                .iter()
                .map(|(name, formula)| (name.as_str(), how.law(formula)))
                .map(|(name, shape)| (name, shape.size(), shape))
                .map(|(name, size, shape)| (name, shape, size))
                .collect();
            for (axiom, done) in axioms.iter().zip(&mut recognised) {
                if *done {
                    continue;
                }
                let shape = how.law(axiom);
                let size = shape.size();
                for (name, law, same) in &table {
                    if *same == size && law.matches(&shape) {
                        laws.0.insert(name);
                        *done = true;
                    }
                }
            }
        }
        (laws, recognised)
    }

    fn has(&self, law: &str) -> bool {
        self.0.contains(law)
    }

    /// Laws that are missing for what is needed.
    pub fn missing(&self, needs: Needs) -> Vec<&'static str> {
        let mut wanted = SEMIRING.to_vec();
        if !(self.are_demonic() && needs.may_be_demonic()) {
            wanted.push(ZERO_RIGHT);
        }
        let star = needs.star || needs.omega || needs.strong;
        if needs.order || star {
            wanted.push("order");
        }
        if star {
            wanted.extend(STAR);
            if !UNFOLDINGS.iter().any(|law| self.has(law)) {
                wanted.push(UNFOLDINGS[0]);
            }
        }
        if needs.omega {
            wanted.extend(OMEGA);
        }
        if needs.strong {
            wanted.extend(STRONG);
        }
        if needs.tests {
            wanted.extend(TESTS);
        }
        if needs.domain {
            wanted.extend(DOMAIN);
        }
        if needs.antidomain || needs.divergence {
            wanted.extend(ANTIDOMAIN);
        }
        if needs.coantidomain {
            wanted.extend(COANTIDOMAIN);
        }
        if needs.divergence {
            wanted.extend(DIVERGENCE);
        }
        wanted.retain(|law| !self.has(law));
        wanted
    }

    /// Whether there is a zero, from the left alone, and nothing that demonic refinement algebras have not.
    pub fn are_demonic(&self) -> bool {
        let others = [DOMAIN, ANTIDOMAIN, COANTIDOMAIN].concat();
        self.has("zero_left") && !self.has(ZERO_RIGHT) && !others.iter().any(|law| self.has(law))
    }

    /// Whether there is strong iteration, as in demonic refinement algebras.
    pub fn have_strong(&self) -> bool {
        let needs = Needs {
            strong: true,
            ..Needs::default()
        };
        self.are_demonic() && self.missing(needs).is_empty()
    }

    /// Whether proofs may use the laws of `^w`.
    pub fn have_omega(&self) -> bool {
        let needs = Needs {
            omega: true,
            ..Needs::default()
        };
        self.missing(needs).is_empty()
    }

    /// Whether proofs may use the laws of star.
    pub fn have_star(&self) -> bool {
        let needs = Needs {
            star: true,
            ..Needs::default()
        };
        self.missing(needs).is_empty()
    }

    /// Whether of star nothing is said but by the axioms of divergence.
    pub fn have_free_star(&self) -> bool {
        let of_star = STAR.iter().chain(&UNFOLDINGS);
        DIVERGENCE.iter().all(|law| self.has(law)) && !of_star.into_iter().any(|law| self.has(law))
    }

    /// What they are, in words.
    pub fn describe(&self) -> String {
        let mut said = Vec::new();
        let mut of = |what: &str, needs: Needs, all: &[&str]| {
            let whole = self.missing(needs).is_empty();
            if whole {
                said.push(what.to_string());
            } else if all.iter().any(|law| self.has(law)) {
                said.push(format!("some of those of {what}"));
            }
        };
        let none = Needs::default();
        let semirings = match self.are_demonic() {
            true => "idempotent semirings, but for x 0 = 0",
            false => "idempotent semirings",
        };
        of(semirings, none, SEMIRING);
        of(
            "the order",
            Needs {
                order: true,
                ..none
            },
            &["order"],
        );
        let star = [STAR, &UNFOLDINGS].concat();
        of("star", Needs { star: true, ..none }, &star);
        of(
            "omega",
            Needs {
                omega: true,
                ..none
            },
            OMEGA,
        );
        of(
            "strong iteration",
            Needs {
                strong: true,
                ..none
            },
            STRONG,
        );
        of(
            "tests",
            Needs {
                tests: true,
                ..none
            },
            TESTS,
        );
        of(
            "domain",
            Needs {
                domain: true,
                ..none
            },
            DOMAIN,
        );
        of(
            "antidomain",
            Needs {
                antidomain: true,
                ..none
            },
            ANTIDOMAIN,
        );
        of(
            "coantidomain",
            Needs {
                coantidomain: true,
                ..none
            },
            COANTIDOMAIN,
        );
        of(
            "divergence",
            Needs {
                divergence: true,
                ..none
            },
            DIVERGENCE,
        );
        match said.is_empty() {
            true => "none that is known".to_string(),
            false => said.join(", "),
        }
    }
}

/// The laws that come with the tool.
fn known() -> &'static [(String, Formula)] {
    static KNOWN: OnceLock<Vec<(String, Formula)>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut numbers = Numbers::default();
        let items = parse_problem(include_str!("known.ax"), 100, &mut numbers).unwrap_or_default();
        let laws = items.into_iter().filter_map(|item| match item {
            Item::Formula(f) if f.role == Role::Axiom => Some((f.name, f.formula)),
            _ => None,
        });
        laws.collect()
    })
}

/// What a comparison looks through.
#[derive(Clone, Copy)]
struct Reading {
    /// The order of summands.
    sums: bool,
    /// `leq`: it is `s + t = t`.
    order: bool,
}

/// A formula as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    Variable(u32),
    /// A symbol or connective with parts in order.
    Row(String, Vec<Shape>),
    /// Parts in any order.
    Bag(&'static str, Vec<Shape>),
    /// A quantifier that is not outermost.
    Bind(&'static str, Vec<u32>, Box<Shape>),
}

impl Reading {
    /// A whole axiom: without its outermost universal quantifiers.
    fn law(self, mut formula: &Formula) -> Shape {
        while let Formula::All(_, inner) = formula {
            formula = inner;
        }
        self.formula(formula)
    }

    fn formula(self, formula: &Formula) -> Shape {
        let bind = |word, all: &[Variable], inner: &Formula| {
            let numbers = all.iter().map(|v| v.number).collect();
            Shape::Bind(word, numbers, Box::new(self.formula(inner)))
        };
        match formula {
            Formula::Constant(value) => Shape::Row(value.to_string(), Vec::new()),
            Formula::Atom(Term::Apply(name, of))
                if self.order && name == "leq" && of.len() == 2 =>
            {
                let sum = Shape::Bag("+", [self.summands(&of[0]), self.summands(&of[1])].concat());
                Shape::Bag("=", vec![sum, self.term(&of[1])])
            }
            Formula::Atom(t) => self.term(t),
            Formula::Equal(s, t) => Shape::Bag("=", vec![self.term(s), self.term(t)]),
            Formula::Not(a) => Shape::Row("~".into(), vec![self.formula(a)]),
            Formula::And(all) => {
                Shape::Bag("&", all.iter().flat_map(|a| self.members("&", a)).collect())
            }
            Formula::Or(all) => self.clause(all),
            Formula::Implies(a, b) => {
                let mut assumed = self.members("&", a);
                let mut goal: &Formula = b;
                while let Formula::Implies(a, b) = goal {
                    assumed.extend(self.members("&", a));
                    goal = b;
                }
                Shape::Row("=>".into(), vec![conjunction(assumed), self.formula(goal)])
            }
            Formula::Iff(a, b) => Shape::Bag("<=>", vec![self.formula(a), self.formula(b)]),
            Formula::All(all, a) => bind("!", all, a),
            Formula::Some(all, a) => bind("?", all, a),
        }
    }

    /// A disjunction; with negated members and one other it is an implication.
    fn clause(self, all: &[Formula]) -> Shape {
        let (mut assumed, mut goals) = (Vec::new(), Vec::new());
        for member in all {
            match member {
                Formula::Not(a) => assumed.extend(self.members("&", a)),
                other => goals.push(other),
            }
        }
        match (goals.as_slice(), assumed.is_empty()) {
            ([goal], false) => {
                Shape::Row("=>".into(), vec![conjunction(assumed), self.formula(goal)])
            }
            _ => Shape::Bag("|", all.iter().map(|a| self.formula(a)).collect()),
        }
    }

    fn members(self, word: &'static str, formula: &Formula) -> Vec<Shape> {
        match self.formula(formula) {
            Shape::Bag(same, members) if same == word => members,
            other => vec![other],
        }
    }

    fn summands(self, term: &Term) -> Vec<Shape> {
        match self.term(term) {
            Shape::Bag("+", members) => members,
            other => vec![other],
        }
    }

    fn term(self, term: &Term) -> Shape {
        match term {
            Term::Variable(v) => Shape::Variable(v.number),
            Term::Apply(name, of) if self.sums && name == "addition" && of.len() == 2 => {
                Shape::Bag("+", of.iter().flat_map(|t| self.summands(t)).collect())
            }
            Term::Apply(name, of) => {
                // A space keeps symbols apart from connectives.
                Shape::Row(
                    format!(" {name}"),
                    of.iter().map(|t| self.term(t)).collect(),
                )
            }
            Term::Foreign(text) => Shape::Row(format!("  {text}"), Vec::new()),
        }
    }
}

fn conjunction(mut members: Vec<Shape>) -> Shape {
    match (members.len(), members.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            members.extend(last);
            Shape::Bag("&", members)
        }
    }
}

/// Pairs of shapes that still have to match, and pairs of bags of which members have to be chosen.
#[derive(Clone, Default)]
struct Matching<'s> {
    pairs: Vec<(&'s Shape, &'s Shape)>,
    bags: Vec<(Vec<&'s Shape>, Vec<&'s Shape>)>,
    /// Variables of the law and of the axiom: one to one.
    variables: Vec<(u32, u32)>,
    /// Variables of binders, which have to match each other.
    binders: Vec<(&'s [u32], &'s [u32])>,
}

impl Shape {
    fn size(&self) -> usize {
        match self {
            Shape::Variable(_) => 1,
            Shape::Row(_, of) | Shape::Bag(_, of) => 1 + of.iter().map(Shape::size).sum::<usize>(),
            Shape::Bind(_, _, inner) => 1 + inner.size(),
        }
    }

    /// Whether the shapes are the same up to the names of variables and the order of bags.
    fn matches(&self, other: &Shape) -> bool {
        let mut matching = Matching::default();
        matching.pairs.push((self, other));
        matching.solve()
    }
}

impl<'s> Matching<'s> {
    fn solve(mut self) -> bool {
        while let Some((a, b)) = self.pairs.pop() {
            match (a, b) {
                (Shape::Variable(v), Shape::Variable(w)) => {
                    let known = |(x, y): &(u32, u32)| x == v || y == w;
                    match self.variables.iter().find(|pair| known(pair)) {
                        Some(pair) if *pair != (*v, *w) => return false,
                        Some(_) => {}
                        None => self.variables.push((*v, *w)),
                    }
                }
                (Shape::Row(f, of), Shape::Row(g, with)) if f == g && of.len() == with.len() => {
                    self.pairs.extend(of.iter().zip(with));
                }
                (Shape::Bag(f, of), Shape::Bag(g, with)) if f == g && of.len() == with.len() => {
                    self.bags.push((of.iter().collect(), with.iter().collect()));
                }
                (Shape::Bind(f, vs, x), Shape::Bind(g, ws, y))
                    if f == g && vs.len() == ws.len() =>
                {
                    self.binders.push((vs, ws));
                    self.pairs.push((x, y));
                }
                _ => return false,
            }
        }
        let Some((mut of, with)) = self.bags.pop() else {
            return self.binders.iter().all(|(vs, ws)| {
                let outside = |(v, w): &(u32, u32)| vs.contains(v) != ws.contains(w);
                !self.variables.iter().any(outside)
            });
        };
        let Some(first) = of.pop() else {
            return self.solve();
        };
        (0..with.len()).any(|n| {
            let mut next = self.clone();
            let mut rest = with.clone();
            next.pairs.push((first, rest.swap_remove(n)));
            next.bags.push((of.clone(), rest));
            next.solve()
        })
    }
}
