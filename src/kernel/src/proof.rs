//! Proofs as lists of rule uses.
//!
//! A claim `D |- x <= y` says: for all processes that differ as `D` says, `x <= y` follows from the hypotheses.

use crate::decide::Pairs;
use crate::rules::Scope;
use crate::terms::{Id, Sym, Terms};

/// `x <= y` if the processes of each pair differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Variables that differ: sorted pairs, the smaller first.
    pub distinct: Vec<(u32, u32)>,
    /// The smaller side.
    pub left: Id,
    /// The larger side.
    pub right: Id,
}

/// Inclusions that hold together; an equation is two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Variables that differ: sorted pairs, the smaller first.
    pub distinct: Vec<(u32, u32)>,
    /// `x <= y` each.
    pub parts: Vec<(Id, Id)>,
}

impl Statement {
    /// Whether it says something else with letters replaced.
    pub fn changes(&self, terms: &mut Terms, letters: &[(Sym, Id)]) -> bool {
        let mut sides = self.parts.iter().flat_map(|(l, r)| [*l, *r]);
        !letters.is_empty() && sides.any(|t| terms.replace(t, letters) != t)
    }
}

/// A proved statement with the premises it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theorem {
    /// Its name.
    pub name: String,
    /// What it assumes besides the hypotheses of the theory: each for all values of its variables.
    pub premises: Vec<Statement>,
    /// What it says.
    pub statement: Statement,
    /// Rule uses, each after those it rests on.
    pub steps: Vec<Rule>,
    /// The step that proves each part.
    pub proves: Vec<usize>,
}

/// Everything that is proved together. What has been admitted is proved; nothing else gets in.
#[derive(Default)]
pub struct Development {
    /// The terms.
    pub terms: Terms,
    /// Names of the index variables, for printing.
    pub variables: Vec<String>,
    /// What is assumed throughout: name and statement, each for all values of its variables.
    hypotheses: Vec<(String, Statement)>,
    theorems: Vec<Proved>,
}

/// What is proved, and the hypotheses that its proof uses, by position.
pub type Proved = (Theorem, Vec<usize>);

/// Variables renamed: from, to.
pub type Renaming = Vec<(u32, u32)>;

/// A rule use. Steps are given by their position in the list of the theorem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `x <= y` in Kleene algebra with tests and top, as a finite relation between derivatives shows.
    Decide(Id, Id, Pairs),
    /// Part of a hypothesis.
    Hypothesis(usize, usize, Renaming),
    /// Part of a premise of this theorem.
    Premise(usize, usize, Renaming),
    /// Part of an earlier theorem.
    Theorem {
        /// Its position.
        theorem: usize,
        /// Which part.
        part: usize,
        /// Index variables renamed.
        variables: Renaming,
        /// Atoms without indices replaced.
        letters: Vec<(Sym, Id)>,
        /// A step for each part of each premise, in order; before those, if letters are replaced in a theorem that
        /// rests on hypotheses, one for each part of each hypothesis that has one of these letters.
        premises: Vec<usize>,
    },
    /// `x <= y`, `y <= z`, .. so `x <= z`.
    Chain(Vec<usize>),
    /// `x <= y`, so `c(x) <= c(y)`; the hole of `c` is the symbol.
    Context(Id, Sym, usize),
    /// `x <= z`, `y <= z`, .. so `x + y + .. <= z`.
    Join(Vec<usize>),
    /// `z <= y` and `x y <= y`, so `x* z <= y`. Given: x, the two steps.
    StarLeft(Id, usize, usize),
    /// `z <= y` and `y x <= y`, so `z x* <= y`. Given: x, the two steps.
    StarRight(Id, usize, usize),
    /// `y <= x y + z`, so `y <= x^w + x* z`. Given: x, z, the step.
    Coinduction(Id, Id, usize),
    /// `x^w <= x x^w`. Given: x.
    Unfold(Id),
    /// `x <= dom(x) x`. Given: x.
    Domain(Id),
    /// `x <= x cod(x)`. Given: x.
    Codomain(Id),
    /// `y x <= 0`, so `y dom(x) <= 0`. Given: y, x, the step.
    BeforeDomain(Id, Id, usize),
    /// `x y <= 0`, so `cod(x) y <= 0`. Given: x, y, the step.
    BehindCodomain(Id, Id, usize),
    /// `div(x) <= dom(x div(x))`. Given: x.
    Divergence(Id),
    /// `p <= dom(x p)` of a test p, so `p <= div(x)`. Given: x, the step.
    BelowDivergence(Id, usize),
    /// `x_k <= (+ j : x_j)`. Given: the sum, k.
    SumIntro(Id, u32),
    /// `a x_j b <= z` for a variable j that occurs nowhere else, so `a (+ j : x_j) b <= z`. Given: a, the sum, b, j,
    /// the step.
    SumElim(Id, Id, Id, u32, usize),
    /// `(. j : p_j) <= p_k`. Given: the product, k.
    ProductElim(Id, u32),
    /// `q <= p_j` for a variable j that occurs nowhere else and a test q, so `q <= (. j : p_j)`. Given: the product, j,
    /// the step.
    ProductIntro(Id, u32, usize),
    /// `(+ j : x_j) <= x_k + (+ j != k : x_j)`. Given: the sum, k.
    Separate(Id, u32),
    /// A step where `j` is replaced by `i`, and one where they differ. Given: i, j, the claim, the two steps.
    Cases(u32, u32, Claim, usize, usize),
}

/// A field of a rule.
pub(crate) enum Field<'r> {
    Term(&'r mut Id),
    Number(&'r mut u32),
    Position(&'r mut usize),
    Step(&'r mut usize),
    Steps(&'r mut Vec<usize>),
    Renaming(&'r mut Renaming),
    Letters(&'r mut Vec<(Sym, Id)>),
}

impl Rule {
    /// The fields in the order of the text; the pairs of a decision have lines of their own.
    pub(crate) fn fields(&mut self) -> Vec<Field<'_>> {
        use Field::{Letters, Number, Position, Renaming, Step, Steps, Term};
        match self {
            Rule::Decide(x, y, _) => vec![Term(x), Term(y)],
            Rule::Hypothesis(n, part, map) | Rule::Premise(n, part, map) => {
                vec![Position(n), Position(part), Renaming(map)]
            }
            Rule::Theorem {
                theorem: n,
                part,
                variables: map,
                letters,
                premises,
            } => vec![
                Position(n),
                Position(part),
                Renaming(map),
                Letters(letters),
                Steps(premises),
            ],
            Rule::Chain(all) | Rule::Join(all) => vec![Steps(all)],
            Rule::Context(c, hole, n) => vec![Term(c), Number(hole), Step(n)],
            Rule::StarLeft(x, a, b) | Rule::StarRight(x, a, b) => vec![Term(x), Step(a), Step(b)],
            Rule::Coinduction(x, z, n)
            | Rule::BeforeDomain(x, z, n)
            | Rule::BehindCodomain(x, z, n) => vec![Term(x), Term(z), Step(n)],
            Rule::Unfold(x) | Rule::Domain(x) | Rule::Codomain(x) | Rule::Divergence(x) => {
                vec![Term(x)]
            }
            Rule::BelowDivergence(x, n) => vec![Term(x), Step(n)],
            Rule::SumIntro(x, k) | Rule::ProductElim(x, k) | Rule::Separate(x, k) => {
                vec![Term(x), Number(k)]
            }
            Rule::SumElim(a, x, b, j, n) => vec![Term(a), Term(x), Term(b), Number(j), Step(n)],
            Rule::ProductIntro(x, j, n) => vec![Term(x), Number(j), Step(n)],
            Rule::Cases(i, j, c, a, b) => vec![
                Number(i),
                Number(j),
                Term(&mut c.left),
                Term(&mut c.right),
                Step(a),
                Step(b),
                Renaming(&mut c.distinct),
            ],
        }
    }

    /// The steps it rests on.
    pub fn rests_on(&self) -> Vec<usize> {
        let mut all = Vec::new();
        self.clone().each_step(|n| all.push(*n));
        all
    }

    /// Other numbers for the steps it rests on.
    pub fn renumber(&mut self, f: impl Fn(usize) -> usize) {
        self.each_step(|n| *n = f(*n));
    }

    fn each_step(&mut self, mut f: impl FnMut(&mut usize)) {
        for field in self.fields() {
            match field {
                Field::Step(n) => f(n),
                Field::Steps(all) => all.iter_mut().for_each(&mut f),
                _ => {}
            }
        }
    }
}

/// Why a certificate or a theorem is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Where: theorem and step, or the line.
    pub place: String,
    /// What is wrong.
    pub why: &'static str,
    /// Whether only the limit on operations or memory was hit. Then nothing is known of the rest.
    pub limit: bool,
}

impl std::fmt::Display for Rejected {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.why)
    }
}

impl std::error::Error for Rejected {}

impl Rejected {
    /// A rejection. If the limit on terms is hit, that is the reason, whatever else is wrong.
    pub(crate) fn at(place: String, why: &'static str, terms: &Terms) -> Self {
        let limit = terms.is_spent();
        let why = match limit {
            true => "too large: the limit of the checker is reached",
            false => why,
        };
        Rejected { place, why, limit }
    }
}

impl Development {
    /// What is assumed throughout.
    pub fn hypotheses(&self) -> &[(String, Statement)] {
        &self.hypotheses
    }

    /// Assumes a statement; its position.
    pub fn assume(&mut self, name: &str, statement: Statement) -> usize {
        self.hypotheses.push((name.to_string(), statement));
        self.hypotheses.len() - 1
    }

    /// What is proved.
    pub fn theorems(&self) -> impl ExactSizeIterator<Item = &Theorem> {
        self.theorems.iter().map(|(t, _)| t)
    }

    /// A theorem by position.
    pub fn theorem(&self, n: usize) -> Option<&Theorem> {
        self.theorems.get(n).map(|(t, _)| t)
    }

    /// Forgets all theorems from a position on.
    pub fn forget(&mut self, from: usize) {
        self.theorems.truncate(from);
    }

    /// The terms, to build more, what is assumed by name, and what is proved.
    pub fn taken_apart(&mut self) -> (&mut Terms, &[(String, Statement)], &[Proved]) {
        (&mut self.terms, &self.hypotheses, &self.theorems)
    }

    /// The hypotheses of the theory that the proof of a theorem uses, by position.
    pub fn rests_on(&self, n: usize) -> &[usize] {
        self.theorems.get(n).map_or(&[], |(_, all)| all)
    }

    /// Whether the proof of a theorem uses a hypothesis of the theory.
    pub fn is_conditional(&self, n: usize) -> bool {
        !self.rests_on(n).is_empty()
    }

    /// What each step of a theorem claims, for those who write proofs down in another form.
    ///
    /// # Errors
    /// The operations allowed are used up.
    pub fn claims(&mut self, n: usize) -> Result<Vec<Claim>, Rejected> {
        let Some((own, _)) = self.theorems.get(n) else {
            return Ok(Vec::new());
        };
        let (terms, earlier) = (&mut self.terms, &self.theorems[..n]);
        Scope::new(terms, &self.hypotheses, earlier, own)
            .check()
            .map(|(claims, _)| claims)
    }

    /// Checks a theorem and takes it in; its position. [`Terms::allow`] bounds the work.
    ///
    /// # Errors
    /// The first wrong use of a rule, or the limit that is hit.
    pub fn admit(&mut self, theorem: Theorem) -> Result<usize, Rejected> {
        let scope = Scope::new(&mut self.terms, &self.hypotheses, &self.theorems, &theorem);
        let (_, rests_on) = scope.check()?;
        self.theorems.push((theorem, rests_on));
        Ok(self.theorems.len() - 1)
    }
}

/// Pairs sorted, for comparison; `None` if a process would have to differ from itself.
pub fn distinct(pairs: impl IntoIterator<Item = (u32, u32)>) -> Option<Vec<(u32, u32)>> {
    let pairs = pairs.into_iter().map(|(i, j)| (i.min(j), i.max(j)));
    let mut all: Vec<(u32, u32)> = pairs.collect();
    // This sort takes two sorted lists, one behind the other, in one pass.
    all.sort();
    all.dedup();
    all.iter().all(|(i, j)| i != j).then_some(all)
}
