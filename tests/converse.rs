//! Statements about converses against relations: what is proved holds in all small models, what is refuted fails in the
//! one that is shown. Terms are drawn, written and evaluated here.

use crate::algebra::differential::LIMITS;
use crate::algebra::{self, dice::Dice};
use crate::random;
use coarsen::algebra::files::{Text, load_suite};
use coarsen::algebra::inline::{self, Question};
use coarsen::algebra::prove::{Limits, Status, prove};
use coarsen::algebra::refute::Model;
use coarsen::algebra::suite::{Level, Suite};
use coarsen::kernel::{self, Rule};
use std::fmt;

/// A term of two actions and a test.
#[derive(Clone, Debug)]
enum Term {
    Zero,
    One,
    Top,
    Action(usize),
    Test,
    Not(Box<Term>),
    Sum(Box<Term>, Box<Term>),
    Product(Box<Term>, Box<Term>),
    Star(Box<Term>),
    Omega(Box<Term>),
    Converse(Box<Term>),
    Domain(Box<Term>),
    Codomain(Box<Term>),
    Divergence(Box<Term>),
}

use Term::*;

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Zero => f.write_str("0"),
            One => f.write_str("1"),
            Top => f.write_str("T"),
            Action(n) => f.write_str(ACTIONS[*n]),
            Test => f.write_str("p"),
            Not(x) => write!(f, "~({x})"),
            Sum(x, y) => write!(f, "({x} + {y})"),
            Product(x, y) => write!(f, "({x}) ({y})"),
            Star(x) => write!(f, "({x})*"),
            Omega(x) => write!(f, "({x})^w"),
            Converse(x) => write!(f, "conv({x})"),
            Domain(x) => write!(f, "dom({x})"),
            Codomain(x) => write!(f, "cod({x})"),
            Divergence(x) => write!(f, "div({x})"),
        }
    }
}

const ACTIONS: [&str; 2] = ["x", "y"];

fn test(d: &mut Dice, size: usize) -> Term {
    match d.below(if size > 1 { 6 } else { 2 }) {
        0 | 1 => Test,
        2 => Not(Box::new(test(d, size - 1))),
        3 => Domain(Box::new(term(d, size - 1))),
        4 => Codomain(Box::new(term(d, size - 1))),
        _ => Divergence(Box::new(term(d, size - 1))),
    }
}

fn term(d: &mut Dice, size: usize) -> Term {
    if size <= 1 {
        return match d.below(9) {
            0..=5 => Action(d.below(2)),
            6 => Test,
            7 => One,
            _ if d.flip() => Zero,
            _ => Top,
        };
    }
    let left = 1 + d.below(size - 1);
    match d.below(12) {
        0..=3 => Converse(Box::new(term(d, size - 1))),
        4..=6 => Product(Box::new(term(d, left)), Box::new(term(d, size - left))),
        7 | 8 => Sum(Box::new(term(d, left)), Box::new(term(d, size - left))),
        9 => Star(Box::new(term(d, size - 1))),
        10 if d.below(3) == 0 => Omega(Box::new(term(d, size - 1))),
        _ => test(d, size),
    }
}

/// What a letter relates: a row of bits for each state.
type Relation = Vec<u8>;

struct Relations {
    states: usize,
    actions: [Relation; 2],
    test: Relation,
}

impl Relations {
    /// The model with this number, below 2^(2 n^2 + n).
    fn numbered(states: usize, mut number: usize) -> Relations {
        let mut take = |bits: usize| {
            let taken = number & ((1 << bits) - 1);
            number >>= bits;
            taken as u8
        };
        let mut action = || (0..states).map(|_| take(states)).collect();
        let actions = [action(), action()];
        let test = (0..states).map(|s| take(1) << s).collect();
        Relations {
            states,
            actions,
            test,
        }
    }

    fn of(model: &Model, suite: &Suite) -> Relations {
        let symbols = suite.development.terms.symbols();
        let mut found = Relations::numbered(model.states, 0);
        for atom in &model.atoms {
            let name = symbols[atom.symbol as usize].name.as_str();
            let relation = match ACTIONS.iter().position(|a| *a == name) {
                Some(n) => &mut found.actions[n],
                None => {
                    assert_eq!(name, "p");
                    &mut found.test
                }
            };
            for (s, t) in &atom.pairs {
                relation[*s] |= 1 << t;
            }
        }
        found
    }

    fn diagonal(&self, holds: impl Fn(usize) -> bool) -> Relation {
        (0..self.states)
            .map(|s| if holds(s) { 1 << s } else { 0 })
            .collect()
    }

    fn after(&self, x: &Relation, y: &Relation) -> Relation {
        let through = |row: &u8| {
            let next = (0..self.states).filter(|t| row & (1 << t) != 0);
            next.fold(0, |all, t| all | y[t])
        };
        x.iter().map(through).collect()
    }

    fn turned(&self, x: &Relation) -> Relation {
        let column = |t: usize| (0..self.states).fold(0, |all, s| all | ((x[s] >> t & 1) << s));
        (0..self.states).map(column).collect()
    }

    /// The states from which x can be done for ever: n steps meet a state twice.
    fn for_ever(&self, x: &Relation) -> Vec<bool> {
        let mut path = self.diagonal(|_| true);
        for _ in 0..self.states {
            path = self.after(&path, x);
        }
        path.iter().map(|row| *row != 0).collect()
    }

    fn value(&self, t: &Term) -> Relation {
        let all = (1u8 << self.states) - 1;
        let both = |x: &Relation, y: &Relation| x.iter().zip(y).map(|(x, y)| x | y).collect();
        match t {
            Zero => vec![0; self.states],
            One => self.diagonal(|_| true),
            Top => vec![all; self.states],
            Action(n) => self.actions[*n].clone(),
            Test => self.test.clone(),
            Not(x) => {
                let x = self.value(x);
                self.diagonal(|s| x[s] == 0)
            }
            Sum(x, y) => both(&self.value(x), &self.value(y)),
            Product(x, y) => self.after(&self.value(x), &self.value(y)),
            Star(x) => {
                let x = self.value(x);
                let mut star = self.diagonal(|_| true);
                for _ in 0..self.states {
                    star = both(&star, &self.after(&star, &x));
                }
                star
            }
            Omega(x) => {
                let alive = self.for_ever(&self.value(x));
                alive.iter().map(|a| if *a { all } else { 0 }).collect()
            }
            Converse(x) => self.turned(&self.value(x)),
            Domain(x) => {
                let x = self.value(x);
                self.diagonal(|s| x[s] != 0)
            }
            Codomain(x) => {
                let x = self.turned(&self.value(x));
                self.diagonal(|s| x[s] != 0)
            }
            Divergence(x) => {
                let alive = self.for_ever(&self.value(x));
                self.diagonal(|s| alive[s])
            }
        }
    }

    fn satisfies(&self, (left, right): &(Term, Term)) -> bool {
        let (left, right) = (self.value(left), self.value(right));
        left.iter().zip(&right).all(|(l, r)| l & !r == 0)
    }
}

/// A term with another in place of x.
fn put(t: &Term, x: &Term) -> Term {
    let of = |t: &Term| Box::new(put(t, x));
    match t {
        Action(0) => x.clone(),
        Zero | One | Top | Action(_) | Test => t.clone(),
        Not(t) => Not(of(t)),
        Sum(s, t) => Sum(of(s), of(t)),
        Product(s, t) => Product(of(s), of(t)),
        Star(t) => Star(of(t)),
        Omega(t) => Omega(of(t)),
        Converse(t) => Converse(of(t)),
        Domain(t) => Domain(of(t)),
        Codomain(t) => Codomain(of(t)),
        Divergence(t) => Divergence(of(t)),
    }
}

#[derive(Clone)]
struct Drawn {
    premises: Vec<(Term, Term)>,
    goal: (Term, Term),
}

impl Drawn {
    fn new(d: &mut Dice) -> Drawn {
        let mut inclusion = |most: usize| {
            let mut side = || {
                let size = 1 + d.below(most);
                term(d, size)
            };
            (side(), side())
        };
        let premises: Vec<(Term, Term)> = (0..2).map(|_| inclusion(3)).collect();
        let mut goal = inclusion(5);
        let premises = premises[..d.below(3)].to_vec();
        // Something that may follow: a premise turned round and in a context, or a word with what it came from.
        match d.below(5) {
            0 if !premises.is_empty() => {
                let (l, r) = premises[0].clone();
                let around = term(d, 2);
                let in_it = |x: Term| {
                    let turned = Converse(Box::new(x));
                    Product(Box::new(around.clone()), Box::new(turned))
                };
                goal = (in_it(l), in_it(r));
            }
            1 => {
                let x = goal.0.clone();
                let there = Product(Box::new(x.clone()), Box::new(Converse(Box::new(x.clone()))));
                goal.1 = Product(Box::new(there), Box::new(x));
            }
            2 => {
                let x = goal.0.clone();
                goal.1 = Sum(
                    Box::new(Converse(Box::new(Converse(Box::new(x))))),
                    Box::new(goal.1),
                );
            }
            _ => {}
        }
        Drawn { premises, goal }
    }

    /// The same of another term than x; perhaps with fewer premises.
    fn instance(&self, d: &mut Dice, by: &Term) -> Drawn {
        let of = |(l, r): &(Term, Term)| (put(l, by), put(r, by));
        let mut premises: Vec<(Term, Term)> = self.premises.iter().map(of).collect();
        premises.retain(|_| d.below(3) > 0);
        Drawn {
            premises,
            goal: of(&self.goal),
        }
    }

    fn text(&self) -> String {
        format!(
            "level converse; action x, y; test p; {};",
            self.named("drawn")
        )
    }

    fn named(&self, name: &str) -> String {
        let said = |(l, r): &(Term, Term)| format!("{l} <= {r}");
        let premises = self.premises.iter().map(said);
        let premises: Vec<String> = ["0 <= x".to_string()].into_iter().chain(premises).collect();
        let premises = premises.join(", ");
        format!("identity {name} [{premises}] : {}", said(&self.goal))
    }

    /// Whether the premises hold in a model, and the goal does not.
    fn fails(&self, model: &Relations) -> bool {
        self.premises.iter().all(|p| model.satisfies(p)) && !model.satisfies(&self.goal)
    }

    /// A model on at most two states, or one of some on three.
    fn counterexample(&self, d: &mut Dice) -> Option<Relations> {
        let small = [1, 2]
            .into_iter()
            .flat_map(|states| (0..1 << (2 * states * states + states)).map(move |n| (states, n)));
        let larger: Vec<(usize, usize)> = (0..300).map(|_| (3, d.below(1 << 21))).collect();
        let mut models = small.chain(larger).map(|(s, n)| Relations::numbered(s, n));
        models.find(|m| self.fails(m))
    }
}

fn loaded(text: String) -> Suite {
    let file = Text {
        name: "drawn.thy".to_string(),
        text,
    };
    load_suite(file, 200, &mut |path, _| Err(format!("no file {path}")))
        .unwrap_or_else(|flawed| panic!("{flawed:?}"))
}

#[test]
fn random_statements_about_converses_are_answered_rightly() {
    let mut counts = [0; 3];
    for n in 0..random::cases(800) as u64 {
        let mut d = Dice::seeded(n);
        let drawn = Drawn::new(&mut d);
        let text = drawn.text();
        let mut suite = loaded(text.clone());
        let outcome = prove(&mut suite, 0, &LIMITS);
        let found = drawn.counterexample(&mut d);
        match outcome.status {
            Status::Proved => {
                counts[0] += 1;
                assert!(found.is_none(), "proved, and false: {text}");
                let again = kernel::read(&kernel::write(&suite.development));
                assert!(again.is_ok(), "{text}");
                assert_only_truth_is_assumed(&suite, &mut d, &text);
            }
            Status::Refuted => {
                counts[1] += 1;
                let model = outcome.model.expect("a model");
                assert!(drawn.fails(&Relations::of(&model, &suite)), "{text}");
            }
            Status::Unknown => {
                counts[2] += 1;
                let small = found.filter(|m| m.states <= 2);
                assert!(small.is_none(), "not refuted: {text}");
            }
        }
    }
    let all: usize = counts.iter().sum();
    assert!(counts[0] * 5 > all && counts[1] * 5 > all, "{counts:?}");
    assert!(counts[2] * 10 < all, "{counts:?}");
}

/// What a lemma assumes of relations is assumed where it is used; what its own premises say is not.
#[test]
fn lemmas_about_converses_say_no_more_than_they_say() {
    let (mut used, mut fewer) = (0, 0);
    for n in 0..random::cases(800) as u64 {
        let mut d = Dice::seeded(n);
        let drawn = Drawn::new(&mut d);
        let by = term(&mut d, 3);
        let instance = drawn.instance(&mut d, &by);
        let second = instance.named("second");
        let text = format!("{} {second} by drawn(x := {by});", drawn.text());
        let mut suite = loaded(text.clone());
        if prove(&mut suite, 0, &LIMITS).status != Status::Proved
            || prove(&mut suite, 1, &LIMITS).status != Status::Proved
        {
            continue;
        }
        used += 1;
        fewer += usize::from(instance.premises.len() < drawn.premises.len());
        assert!(instance.counterexample(&mut d).is_none(), "false: {text}");
        assert_only_truth_is_assumed(&suite, &mut d, &text);
    }
    assert!(used > 80 && fewer > 20, "{used} {fewer}");
}

/// Premises of theorems hold of all relations, or of those for which the user's premises hold.
fn assert_only_truth_is_assumed(suite: &Suite, d: &mut Dice, text: &str) {
    let terms = &suite.development.terms;
    for item in 0..suite.items.len() {
        let title = &suite.items[item].title;
        let theorem = suite.development.theorems().find(|t| t.name == *title);
        let theorem = theorem.expect("a theorem");
        let (given, _) = suite.on_relations(item);
        for _ in 0..30 {
            let states = 1 + d.below(3);
            let mut model = algebra::model::Model::random(d, terms, states, 1);
            model.turn_round(terms);
            if given.iter().all(|(_, p)| model.holds(terms, p)) {
                for p in &theorem.premises {
                    let told = coarsen::algebra::show::statement(&suite.development, p);
                    assert!(model.holds(terms, p), "{told} is assumed: {text}");
                }
            }
        }
    }
}

/// A premise of a lemma is no law, turned round or not.
#[test]
fn premises_of_lemmas_have_to_be_shown() {
    let text = "level converse; action x, y, z;
        identity lem [h : x <= y] : conv(x) <= conv(y);
        identity none : conv(x) <= conv(y) by lem;
        identity other : conv(z) <= conv(y) by lem(x := z);
        identity shown [k : z <= y] : conv(z) <= conv(y) by k, lem(x := z);";
    let mut suite = loaded(text.to_string());
    let mut answers = Vec::new();
    for n in 0..4 {
        answers.push(prove(&mut suite, n, &Limits::default()).status);
    }
    let (proved, refuted) = (Status::Proved, Status::Refuted);
    assert_eq!(answers, [proved, refuted, refuted, proved]);
}

/// The answer to a statement of the command line.
fn answer(text: &str, given: &[&str], level: Option<Level>) -> (Status, Suite) {
    let given: Vec<String> = given.iter().map(ToString::to_string).collect();
    let asked = Question {
        text,
        given: &given,
        tests: &[],
        theory: None,
        level,
    };
    let no_file = &mut |path: &str, _: &str| Err(format!("no file {path}"));
    let mut suite = inline::statement(&asked, 200, no_file).expect("a statement");
    let last = suite.items.len() - 1;
    (prove(&mut suite, last, &Limits::default()).status, suite)
}

#[test]
fn what_holds_of_relations_alone_is_known_where_they_are_meant() {
    for (text, level, due) in [
        ("x <= x conv(x) x", None, Status::Proved),
        (
            "a b c d e x <= a b c d e x conv(a b c d e x) a b c d e x",
            None,
            Status::Proved,
        ),
        ("x <= x T x", None, Status::Unknown),
        ("x <= x T x", Some(Level::Converse), Status::Proved),
        ("dom(x) T <= x T", None, Status::Unknown),
        ("dom(x) T <= x T", Some(Level::Converse), Status::Proved),
        ("x y <= y x", Some(Level::Converse), Status::Refuted),
        ("x <= conv(x)", None, Status::Refuted),
    ] {
        assert_eq!(answer(text, &[], level).0, due, "{text} at {level:?}");
    }
    let low = Question {
        text: "conv(x) = x",
        given: &[],
        tests: &[],
        theory: None,
        level: Some(Level::Divergence),
    };
    let no_file = &mut |path: &str, _: &str| Err(format!("no file {path}"));
    assert!(inline::statement(&low, 200, no_file).is_err());
}

/// A model has no letters for converses, though a proof that failed on a word may have taken them for letters.
#[test]
fn a_model_gives_actions_and_not_their_converses() {
    let text =
        "level converse; action x, y; fails a : x conv(y) x conv(y) x conv(y) x <= x conv(y);";
    let mut suite = loaded(text.to_string());
    let model = prove(&mut suite, 0, &LIMITS).model.expect("a model");
    let symbols = suite.development.terms.symbols();
    let names: Vec<&str> = model
        .atoms
        .iter()
        .map(|a| symbols[a.symbol as usize].name.as_str())
        .collect();
    assert_eq!(names, ["x", "y"]);
}

/// What a lemma says of a letter it says of its converse, and neither is named where hints or letters are.
#[test]
fn hints_and_letters_of_lemmas_are_the_users() {
    let text = "level converse; action x, y, m, n;
        identity lem [h : conv(x) x <= 1] : x conv(x) x <= x by h;
        identity part [h : conv(m n) m n <= 1] : y m n conv(m n) m n <= y m n by h, lem(x := m n);";
    let mut suite = loaded(text.to_string());
    assert_eq!(prove(&mut suite, 0, &LIMITS).status, Status::Proved);
    let part = prove(&mut suite, 1, &LIMITS);
    assert_eq!(part.status, Status::Proved);
    let told = part.why.join(" ");
    assert!(!told.contains("hints are not enough"), "{told}");
    let unneeded = coarsen::algebra::prove::ablate(&mut suite, 1, &LIMITS);
    assert!(!unneeded.contains(&"converse".to_string()), "{unneeded:?}");
    let wrong = format!("{text} identity bad : x = x by lem(z := m);");
    let file = Text {
        name: "drawn.thy".to_string(),
        text: wrong,
    };
    let flawed = load_suite(file, 200, &mut |path, _| Err(format!("no file {path}")));
    let flawed = flawed.err().expect("no letter z");
    assert_eq!(flawed.diagnostics[0].expected, "one of x");
}

/// A law of relations proves nothing of demonic algebras, whose elements need not be relations.
#[test]
fn laws_of_relations_are_no_hints_in_other_algebras() {
    let text = "level converse; action x; identity ways : x <= x T x;
        level demonic; action y; identity other : y <= y T y by ways(x := y);";
    let file = Text {
        name: "drawn.thy".to_string(),
        text: text.to_string(),
    };
    let flawed = load_suite(file, 200, &mut |path, _| Err(format!("no file {path}")));
    let flawed = flawed.err().expect("a hint of another level");
    let told = &flawed.diagnostics[0].message;
    assert!(told.contains("`ways` is of level `converse`"), "{told}");
    // Not through a lemma that has no symbol of that level either.
    let text = "action x, y; identity back : x <= x conv(x) x; identity ways : x <= x T x by back;";
    let suite = loaded(text.to_string());
    assert_eq!(suite.items[1].level, Level::Converse);
}

/// The kernel knows of no converse: what is assumed of one stands in the theorem, and no more than that.
#[test]
fn theorems_assume_what_they_take_from_relations() {
    let (status, suite) = answer("x <= conv(y)", &["conv(x) <= y"], None);
    assert_eq!(status, Status::Proved);
    let theorem = suite.development.theorems().last().expect("a theorem");
    let told = |s: &kernel::Statement| coarsen::algebra::show::statement(&suite.development, s);
    let premises: Vec<String> = theorem.premises.iter().map(told).collect();
    assert_eq!(premises, ["conv(x) <= y", "x <= conv(y)"]);
    let used = |rule: &Rule| matches!(rule, Rule::Premise(1, ..));
    assert!(theorem.steps.iter().any(used));
    let names = suite.names_of_premises(suite.items.len() - 1, theorem);
    assert_eq!(names, ["", ""]);
    let text = kernel::write(&suite.development);
    let again = kernel::read(&text).expect("a proof");
    assert_eq!(again.theorems().len(), suite.development.theorems().len());
    assert!(text.contains("conv_x") && !text.contains("conv("));
}
