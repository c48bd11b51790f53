//! What is too large to be gone through state by state, judged in an encoding that is built anew from the model's text.

use super::letters::{Letter, meaning};
use super::space::{Part, Space};
use crate::base::control::{Control, Stop};
use crate::base::evidence::{Diagrams, Root};
use crate::engine::Variable;
use crate::engine::relations::{Encoding, Evaluator, Ground, GroundAtom, Item, Meaning};
use crate::kernel::{Id, Node, Operator, Terms};
use crate::model::program::{Expr, Program};
use crate::theorem::checked;
use biodivine_lib_bdd::Bdd;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};

/// The encoding, and the bundle's sets in it.
pub struct Encoded<'p> {
    program: &'p Program,
    control: &'p Control,
    /// The bundle's order of variables: its sets are small in that one.
    order: Vec<Variable>,
    diagrams: &'p Diagrams,
    /// Whether steps that violate the discipline make their thread go wrong.
    checks: bool,
    /// What BDDs may cost, in pairs of nodes.
    work: u64,
    encoding: OnceCell<Encoding<'p>>,
    sets: RefCell<FxHashMap<Root, Bdd>>,
}

impl<'p> Encoded<'p> {
    /// Nothing is built yet. With `checks`, a step that violates the discipline makes its thread go wrong, and does
    /// nothing else. The last argument is the budget of BDDs.
    pub fn new(
        program: &'p Program,
        space: &Space,
        diagrams: &'p Diagrams,
        (checks, work): (bool, u64),
        control: &'p Control,
    ) -> Self {
        let order = space.parts().filter_map(|part| match part {
            Part::Violated => None,
            Part::Location(t) => Some(Variable::Location(t)),
            Part::Cell(c) => Some(Variable::Cell(c)),
        });
        Encoded {
            program,
            order: order.collect(),
            control,
            diagrams,
            checks,
            work,
            encoding: OnceCell::new(),
            sets: RefCell::default(),
        }
    }

    /// The control that bounds the work.
    pub fn control(&self) -> &'p Control {
        self.control
    }

    /// Whether steps that violate the discipline make their thread go wrong.
    pub fn checks(&self) -> bool {
        self.checks
    }

    /// Whether it had to be built.
    pub fn is_used(&self) -> bool {
        self.encoding.get().is_some()
    }

    /// The encoding.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn encoding(&self) -> Result<&Encoding<'p>, Stop> {
        if let Some(known) = self.encoding.get() {
            return Ok(known);
        }
        self.control.enter("building relations anew");
        let mut built = Encoding::built(self.program, &self.order, self.work, self.control)?;
        if self.checks {
            built.actions = checked(&built)?;
        }
        Ok(self.encoding.get_or_init(|| built))
    }

    /// A set of the bundle, its type-correct states only; `None` if its bits are in another order.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn set(&self, space: &Space, root: Root) -> Result<Option<Bdd>, Stop> {
        let e = self.encoding()?;
        if let Some(known) = self.sets.borrow().get(&root) {
            return Ok(Some(known.clone()));
        }
        let order = e.layout.order().iter().map(|item| match item {
            Item::Violated => Part::Violated,
            Item::Of(Variable::Location(t)) => Part::Location(*t),
            Item::Of(Variable::Cell(c)) => Part::Cell(*c),
        });
        let built = match space.parts().eq(order) {
            true => self.build(e, root),
            false => None,
        };
        let Some(built) = built else {
            return Ok(None);
        };
        let correct = e.type_correct(&e.all_bits())?;
        let set = e.m.and(&built, &correct)?;
        self.sets.borrow_mut().insert(root, set.clone());
        Ok(Some(set))
    }

    fn build(&self, e: &Encoding, root: Root) -> Option<Bdd> {
        if root < 2 {
            return Some(e.m.constant(root == 1));
        }
        let below = self.diagrams.below(root);
        let place = |n: Root| -> Option<u32> {
            match n {
                0 | 1 => Some(n),
                _ => Some(below.binary_search(&n).ok()? as u32 + 2),
            }
        };
        let nodes: Option<Vec<(usize, u32, u32)>> = below
            .iter()
            .map(|&n| {
                let node = self.diagrams.node(n)?;
                Some((3 * node.bit as usize, place(node.low)?, place(node.high)?))
            })
            .collect();
        e.m.build(&nodes?)
    }

    /// Whether `left <= right`, from the states of a set if one is given.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn holds(
        &self,
        space: &Space,
        terms: &Terms,
        letters: &[Option<Letter>],
        (left, right): (Id, Id),
        assumed: Option<Root>,
    ) -> Result<bool, Stop> {
        let e = self.encoding()?;
        let assumption = match assumed {
            None => None,
            Some(j) => match self.set(space, j)? {
                None => return Ok(false),
                known => known,
            },
        };
        let mut atoms = Atoms {
            terms,
            letters,
            encoding: e,
            known: FxHashMap::default(),
            all: Vec::new(),
        };
        let (Some(left), Some(right)) = (atoms.ground(left)?, atoms.ground(right)?) else {
            return Ok(false);
        };
        let evaluator = Evaluator {
            encoding: e,
            atoms: &atoms.all,
            assumption: assumption.as_ref(),
        };
        Ok(evaluator.included(&left, &right)?.failure.is_none())
    }
}

/// Terms of the kernel as terms of the relational evaluator.
struct Atoms<'a, 'p> {
    terms: &'a Terms,
    letters: &'a [Option<Letter>],
    encoding: &'a Encoding<'p>,
    known: FxHashMap<u32, usize>,
    all: Vec<GroundAtom>,
}

impl Atoms<'_, '_> {
    /// `None` if no letter stands for it.
    fn ground(&mut self, t: Id) -> Result<Option<Ground>, Stop> {
        let each = |atoms: &mut Self, of: &[Id]| -> Result<Option<Vec<Ground>>, Stop> {
            let all: Result<Vec<Option<Ground>>, Stop> =
                of.iter().map(|x| atoms.ground(*x)).collect();
            Ok(all?.into_iter().collect())
        };
        Ok(match self.terms.node(t) {
            Node::Zero => Some(Ground::Zero),
            Node::One => Some(Ground::One),
            Node::Top => Some(Ground::Top),
            Node::Sum(of) => each(self, of)?.map(Ground::Sum),
            Node::Product(of) => each(self, of)?.map(Ground::Product),
            Node::Not(x) => self.ground(*x)?.map(|x| Ground::Not(Box::new(x))),
            Node::Star(x) => self.ground(*x)?.map(|x| Ground::Star(Box::new(x))),
            Node::Omega(x) => self.ground(*x)?.map(|x| Ground::Omega(Box::new(x))),
            Node::Applied(operator, x) => self.ground(*x)?.map(|x| match operator {
                Operator::Domain => Ground::Domain(Box::new(x)),
                Operator::Codomain => Ground::Codomain(Box::new(x)),
                Operator::Divergence => Ground::divergence(x),
            }),
            Node::SumOver(..) | Node::ProductOver(..) => None,
            Node::Atom(s, _) => self.atom(*s)?.map(Ground::Atom),
        })
    }

    fn atom(&mut self, symbol: u32) -> Result<Option<usize>, Stop> {
        if let Some(&known) = self.known.get(&symbol) {
            return Ok(Some(known));
        }
        let e = self.encoding;
        let action = |t: usize, l: usize| {
            let mut all = e.actions.iter();
            all.position(|a| (a.thread, a.location) == (t, l))
        };
        let Some(letter) = meaning(self.letters, symbol) else {
            return Ok(None);
        };
        let meaning = match letter {
            Letter::Steps(t, l) => action(*t, *l).map(|a| Meaning::Actions(vec![a])),
            Letter::Enabled(t, l) => {
                action(*t, *l).map(|a| Meaning::Test(e.actions[a].enabled.clone()))
            }
            Letter::Violated => Some(Meaning::Test(e.q())),
            Letter::Holds(x) => Some(Meaning::Test(e.predicate(x)?)),
            Letter::At(t, all) => Some(Meaning::Test(e.predicate(&Expr::At(*t, all.clone()))?)),
            Letter::Initial => Some(Meaning::Test(e.initial.clone())),
        };
        let Some(meaning) = meaning else {
            return Ok(None);
        };
        self.all.push(GroundAtom {
            name: self.terms.symbols()[symbol as usize].name.clone(),
            meaning,
        });
        self.known.insert(symbol, self.all.len() - 1);
        Ok(Some(self.all.len() - 1))
    }
}
