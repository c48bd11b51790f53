//! Formulas taken apart: what has to be proved becomes sequents, from literals to literals (Gentzen 1935).
//!
//! A variable that a quantifier leaves behind needs no new name: each has a number of its own, and a formula is taken
//! apart once in a sequent. What can't be taken apart, a universal assumption or an existential goal, is left out,
//! which makes a sequent harder to prove; it is remembered.

use crate::algebra::tptp::text::{Formula, Term};

/// An atomic formula of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    /// `s = t`
    Equal(Term, Term),
    /// `leq(s, t)`
    Below(Term, Term),
    /// `test(t)`
    Test(Term),
}

/// If all that is given holds, so does one of the goals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequent {
    pub given: Vec<Literal>,
    pub goals: Vec<Literal>,
    /// What was left out, in words.
    pub left_out: Vec<String>,
}

/// More sequents are not made of one problem.
const MOST: usize = 256;

/// Takes apart `given |- goals`; none if there are too many cases.
pub(super) fn sequents(given: &[&Formula], goals: &[&Formula]) -> Option<Vec<Sequent>> {
    let mut split = Split::default();
    split.run(State {
        given: given.iter().rev().copied().collect(),
        goals: goals.iter().rev().copied().collect(),
        done: Sequent::default(),
    });
    (!split.too_many).then_some(split.done)
}

#[derive(Clone)]
struct State<'f> {
    given: Vec<&'f Formula>,
    goals: Vec<&'f Formula>,
    done: Sequent,
}

#[derive(Default)]
struct Split {
    done: Vec<Sequent>,
    too_many: bool,
}

impl Split {
    fn run<'f>(&mut self, first: State<'f>) {
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            self.too_many |= self.done.len() + open.len() >= MOST;
            if self.too_many {
                return;
            }
            open.extend(self.step(state));
        }
    }

    /// What has to hold instead, the first case last; nothing if this is finished.
    fn step<'f>(&mut self, mut state: State<'f>) -> Vec<State<'f>> {
        while let Some(formula) = state.given.pop() {
            match formula {
                Formula::Constant(true) => {}
                Formula::Constant(false) => return Vec::new(),
                Formula::Atom(t) => state.done.assume(t),
                Formula::Equal(s, t) => state.done.given.push(Literal::Equal(s.clone(), t.clone())),
                Formula::Not(a) => state.goals.push(a),
                Formula::And(all) => state.given.extend(all.iter().rev()),
                Formula::Some(_, a) => match test_of(formula) {
                    Some(t) => state.done.given.push(Literal::Test(t.clone())),
                    None => state.given.push(a),
                },
                Formula::All(..) => state
                    .done
                    .leave_out("an assumption about all elements".into()),
                Formula::Or(all) => {
                    self.too_many |= all.len() > MOST;
                    let case = |a| {
                        let mut case = state.clone();
                        case.given.push(a);
                        case
                    };
                    return all.iter().take(MOST).rev().map(case).collect();
                }
                Formula::Implies(a, b) => {
                    let mut other = state.clone();
                    other.goals.push(a);
                    state.given.push(b);
                    return vec![state, other];
                }
                Formula::Iff(a, b) => {
                    let mut neither = state.clone();
                    neither.goals.extend([&**a, b]);
                    state.given.extend([&**a, b]);
                    return vec![neither, state];
                }
            }
        }
        while let Some(formula) = state.goals.pop() {
            let given_first = |mut state: State<'f>, a, b| {
                state.given.push(a);
                state.goals.push(b);
                state
            };
            match formula {
                Formula::Constant(false) => {}
                Formula::Constant(true) => return Vec::new(),
                Formula::Atom(t) => {
                    if let Some(cases) = complement_goal(&state, t) {
                        return cases;
                    }
                    state.done.ask(t);
                }
                Formula::Equal(s, t) => state.done.goals.push(Literal::Equal(s.clone(), t.clone())),
                Formula::Not(a) => {
                    state.given.push(a);
                    return vec![state];
                }
                Formula::Or(all) => state.goals.extend(all.iter().rev()),
                Formula::All(_, a) => state.goals.push(a),
                Formula::Some(..) => match test_of(formula) {
                    Some(t) => state.done.goals.push(Literal::Test(t.clone())),
                    None => state
                        .done
                        .leave_out("a goal that asks for an element".into()),
                },
                Formula::Implies(a, b) => return vec![given_first(state, a, b)],
                Formula::And(all) => {
                    self.too_many |= all.len() > MOST;
                    let case = |a| {
                        let mut case = state.clone();
                        case.goals.push(a);
                        case
                    };
                    return all.iter().take(MOST).rev().map(case).collect();
                }
                Formula::Iff(a, b) => {
                    let back = given_first(state.clone(), b, a);
                    return vec![back, given_first(state, a, b)];
                }
            }
        }
        self.done.push(state.done);
        Vec::new()
    }
}

impl Sequent {
    fn leave_out(&mut self, what: String) {
        if !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }

    fn assume(&mut self, atom: &Term) {
        match atom {
            Term::Apply(name, of) if name == "complement" && of.len() == 2 => {
                // A complement is that of a test, and the only one.
                let c = Term::Apply("c".into(), vec![of[1].clone()]);
                self.given.push(Literal::Test(of[1].clone()));
                self.given.push(Literal::Equal(of[0].clone(), c));
            }
            _ => match literal(atom) {
                Ok(literal) => self.given.push(literal),
                Err(name) => self.leave_out(format!("an assumption about `{name}`")),
            },
        }
    }

    fn ask(&mut self, atom: &Term) {
        match literal(atom) {
            Ok(literal) => self.goals.push(literal),
            Err(name) => self.leave_out(format!("a goal about `{name}`")),
        }
    }
}

/// `leq` and `test`; else the name of what is not known.
fn literal(atom: &Term) -> Result<Literal, String> {
    match atom {
        Term::Apply(name, of) => match (name.as_str(), of.as_slice()) {
            ("leq", [s, t]) => Ok(Literal::Below(s.clone(), t.clone())),
            ("test", [t]) => Ok(Literal::Test(t.clone())),
            _ => Err(name.clone()),
        },
        Term::Foreign(name) => Err(name.clone()),
        Term::Variable(v) => Err(v.name.clone()),
    }
}

/// What has to be shown for `complement(s, t)`: `t s = 0`, `s t = 0`, `t + s = 1`.
fn complement_goal<'f>(state: &State<'f>, atom: &Term) -> Option<Vec<State<'f>>> {
    let Term::Apply(name, of) = atom else {
        return None;
    };
    let ("complement", [s, t]) = (name.as_str(), of.as_slice()) else {
        return None;
    };
    let apply =
        |f: &str, of: &[&Term]| Term::Apply(f.into(), of.iter().map(|t| (*t).clone()).collect());
    let (zero, one) = (apply("zero", &[]), apply("one", &[]));
    let goals = [
        Literal::Equal(apply("addition", &[t, s]), one),
        Literal::Equal(apply("multiplication", &[s, t]), zero.clone()),
        Literal::Equal(apply("multiplication", &[t, s]), zero),
    ];
    let case = |goal| {
        let mut case = state.clone();
        case.done.goals.push(goal);
        case
    };
    Some(goals.into_iter().map(case).collect())
}

/// `? [X] : complement(X, t)` says that t is a test, and so does `? [X] : complement(t, X)`.
fn test_of(formula: &Formula) -> Option<&Term> {
    let Formula::Some(bound, inner) = formula else {
        return None;
    };
    let ([x], Formula::Atom(Term::Apply(name, of))) = (bound.as_slice(), &**inner) else {
        return None;
    };
    let is_x = |t: &Term| matches!(t, Term::Variable(v) if v == x);
    let t = match (name.as_str(), of.as_slice()) {
        ("complement", [a, t]) if is_x(a) => t,
        ("complement", [t, a]) if is_x(a) => t,
        _ => return None,
    };
    let mut free = true;
    t.parts(&mut |part| free &= !is_x(part));
    free.then_some(t)
}
