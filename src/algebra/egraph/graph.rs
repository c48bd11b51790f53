//! The e-graph of a question: egg, with words as lists of cells.

use super::laws::{Equation, Rules, Use};
use super::{Limits, Move, Stop};
use crate::kernel::{Id, Node, ONE, Terms, ZERO};
use egg::{
    ENodeOrVar, Language, Pattern, PatternAst, RecExpr, Rewrite, Runner, SimpleScheduler,
    StopReason, TreeExplanation, TreeTerm, Var,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::Duration;

/// Words with more factors than this are not taken in, so that recursion over them is safe.
pub(super) const LONGEST: usize = 200;
/// Nor are ways with more steps than this written out.
const FARTHEST: usize = 10_000;
/// Cells visited while words are listed.
const VISITS: usize = 100_000;

/// A word as a list: its first factor and the rest, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Cell {
    End,
    Factor(Id, [egg::Id; 1]),
}

impl Cell {
    fn letter(&self) -> Option<Id> {
        match self {
            Cell::End => None,
            Cell::Factor(x, _) => Some(*x),
        }
    }
}

impl Language for Cell {
    type Discriminant = Option<Id>;

    fn discriminant(&self) -> Option<Id> {
        self.letter()
    }

    fn matches(&self, other: &Self) -> bool {
        self.letter() == other.letter()
    }

    fn children(&self) -> &[egg::Id] {
        match self {
            Cell::End => &[],
            Cell::Factor(_, rest) => rest,
        }
    }

    fn children_mut(&mut self) -> &mut [egg::Id] {
        match self {
            Cell::End => &mut [],
            Cell::Factor(_, rest) => rest,
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::End => write!(f, "end"),
            Cell::Factor(x, _) => write!(f, "{x}"),
        }
    }
}

fn expression(word: &[Id]) -> RecExpr<Cell> {
    let mut list = RecExpr::default();
    let mut rest = list.add(Cell::End);
    for &x in word.iter().rev() {
        rest = list.add(Cell::Factor(x, [rest]));
    }
    list
}

/// A word with anything behind it.
fn pattern(word: &[Id]) -> Pattern<Cell> {
    let mut list = PatternAst::default();
    let mut rest = list.add(ENodeOrVar::Var(Var::from_u32(0)));
    for &x in word.iter().rev() {
        rest = list.add(ENodeOrVar::ENode(Cell::Factor(x, [rest])));
    }
    Pattern::new(list)
}

type Rule = Rewrite<Cell, ()>;

/// The equations as egg takes them. A rewrite is named by the number of its equation and `>` or `<`.
#[derive(Default)]
pub(super) struct Program {
    usual: Vec<Rule>,
    /// Those that put a word in for 1.
    inserting: Vec<Rule>,
}

impl Program {
    pub fn new(rules: &Rules) -> Self {
        let mut program = Program::default();
        for (n, equation) in rules.all().iter().enumerate() {
            let Equation { left, right, .. } = equation;
            if left == right {
                continue;
            }
            program.push(format!("{n}>"), left, right);
            if equation.direction == Use::Both {
                program.push(format!("{n}<"), right, left);
            }
        }
        program
    }

    fn push(&mut self, name: String, from: &[Id], to: &[Id]) {
        // Both sides have the one variable, which is all that egg asks for.
        if let Ok(rule) = Rewrite::new(name, pattern(from), pattern(to)) {
            match from {
                [] => self.inserting.push(rule),
                _ => self.usual.push(rule),
            }
        }
    }
}

pub(super) struct Graph {
    graph: egg::EGraph<Cell, ()>,
    root: egg::Id,
}

impl Graph {
    /// The words equal to `a`, until `b` is among them or a limit is reached.
    pub fn grow(program: &Program, a: &[Id], b: Option<&[Id]>, limits: Limits) -> (Graph, Stop) {
        let Program { usual, inserting } = program;
        let mut graph = egg::EGraph::default()
            .with_explanations_enabled()
            .without_explanation_length_optimization();
        let root = graph.add_expr(&expression(a));
        let goal = b.map(|b| graph.add_expr(&expression(b)));
        let mut stop = Stop::Saturated;
        // A word equal to 1 may stand between any two factors, again and again: it is put in once.
        for round in 0..2 {
            let iterations = if round == 0 { 1 } else { limits.iterations };
            let rules: Vec<&Rule> = match round {
                0 if inserting.is_empty() => continue,
                0 => usual.iter().chain(inserting).collect(),
                _ => usual.iter().collect(),
            };
            let runner = Runner::<Cell, ()>::default()
                .with_egraph(graph)
                .with_scheduler(SimpleScheduler)
                .with_iter_limit(iterations)
                .with_node_limit(limits.nodes)
                .with_time_limit(Duration::MAX)
                .with_hook(move |r| match goal {
                    Some(goal) if r.egraph.find(root) == r.egraph.find(goal) => {
                        Err("found".to_string())
                    }
                    _ => Ok(()),
                })
                .run(rules);
            graph = runner.egraph;
            let met = goal.is_some_and(|goal| graph.find(root) == graph.find(goal));
            stop = match runner.stop_reason {
                _ if met => Stop::Found,
                Some(StopReason::NodeLimit(_)) => Stop::Nodes,
                Some(StopReason::Saturated) if inserting.is_empty() => Stop::Saturated,
                _ => Stop::Iterations,
            };
            if matches!(stop, Stop::Found | Stop::Nodes) {
                break;
            }
        }
        (Graph { graph, root }, stop)
    }

    /// How the e-graph came from one word to another; none if it did not, or by too long a way.
    pub fn explain(&mut self, a: &[Id], b: &[Id]) -> Option<Vec<Move>> {
        let (a, b) = (expression(a), expression(b));
        let (at, to) = (self.graph.lookup_expr(&a)?, self.graph.lookup_expr(&b)?);
        if self.graph.find(at) != self.graph.find(to) {
            return None;
        }
        let trees = self.graph.explain_equivalence(&a, &b).explanation_trees;
        if length(&trees, &mut FxHashMap::default()) > FARTHEST {
            return None;
        }
        let mut moves = Vec::new();
        flatten(&trees, 0, &mut moves)?;
        Some(moves)
    }

    /// The least words of the class, at most as many as asked for.
    pub fn words(&self, terms: &Terms, word: &[Id], most: usize) -> Vec<Vec<Id>> {
        // Of each class its cells, least factor first, and, by length, whether it has words so long.
        let mut cells: FxHashMap<egg::Id, Vec<(Id, egg::Id)>> = FxHashMap::default();
        let mut ends: Vec<egg::Id> = Vec::new();
        for class in self.graph.classes() {
            let of = cells.entry(class.id).or_default();
            for cell in class.iter() {
                match cell {
                    Cell::End => ends.push(class.id),
                    Cell::Factor(x, [rest]) => of.push((*x, self.graph.find(*rest))),
                }
            }
            of.sort_unstable();
        }
        let mut lister = Lister {
            terms,
            cells: &cells,
            by_length: vec![ends.into_iter().collect()],
            word: Vec::new(),
            found: Vec::new(),
            most,
            visits: VISITS,
        };
        let longest = 2 * word.len() + 8;
        let root = self.graph.find(self.root);
        for length in 0..=longest {
            if lister.found.len() == most || lister.by_length[length].is_empty() {
                break;
            }
            lister.list(&[root], length);
            let shorter = &lister.by_length[length];
            let longer = cells
                .iter()
                .filter(|(_, of)| of.iter().any(|(_, rest)| shorter.contains(rest)))
                .map(|(class, _)| *class)
                .collect();
            lister.by_length.push(longer);
        }
        lister.found
    }
}

/// Lists the words of a class, read as an automaton whose states are classes.
struct Lister<'a> {
    terms: &'a Terms,
    cells: &'a FxHashMap<egg::Id, Vec<(Id, egg::Id)>>,
    by_length: Vec<rustc_hash::FxHashSet<egg::Id>>,
    word: Vec<Id>,
    found: Vec<Vec<Id>>,
    most: usize,
    visits: usize,
}

impl Lister<'_> {
    /// The words of a length that one of the classes has, behind the word read so far, in order.
    fn list(&mut self, from: &[egg::Id], length: usize) {
        let from: Vec<egg::Id> = from
            .iter()
            .copied()
            .filter(|c| self.by_length[length].contains(c))
            .collect();
        if self.found.len() == self.most || from.is_empty() {
            return;
        }
        let Some(rest) = length.checked_sub(1) else {
            self.found.push(self.word.clone());
            return;
        };
        let mut next: Vec<(Id, egg::Id)> = from
            .iter()
            .flat_map(|c| self.cells.get(c).into_iter().flatten().copied())
            .collect();
        next.sort_unstable();
        next.dedup();
        for group in next.chunk_by(|a, b| a.0 == b.0) {
            self.visits = self.visits.saturating_sub(1);
            let Some(&(x, _)) = group.first() else {
                continue;
            };
            if self.visits == 0 || !self.fits(x) {
                continue;
            }
            let to: Vec<egg::Id> = group.iter().map(|(_, rest)| *rest).collect();
            self.word.push(x);
            self.list(&to, rest);
            self.word.pop();
        }
    }

    /// Whether a factor may come next in a word that the kernel's product leaves as it is and that does not stutter.
    fn fits(&self, x: Id) -> bool {
        let Some(&last) = self.word.last() else {
            return x != ONE;
        };
        if x == ZERO || x == ONE || last == ZERO {
            return false;
        }
        let terms = self.terms;
        match terms.node(x) {
            Node::Star(_) | Node::Top => x != last,
            Node::Not(y) if self.block().any(|z| z == *y) => false,
            _ if terms.is_test(x) && terms.is_test(last) => {
                x > last
                    && !self
                        .block()
                        .any(|z| matches!(terms.node(z), Node::Not(y) if *y == x))
            }
            _ => true,
        }
    }

    /// The tests at the end of the word.
    fn block(&self) -> impl Iterator<Item = Id> {
        let last = self.word.iter().rev().copied();
        last.take_while(|x| self.terms.is_test(*x))
    }
}

type Lengths = FxHashMap<*const TreeTerm<Cell>, usize>;

/// How many steps an explanation has when written out; it is a graph with much in common.
fn length(trees: &TreeExplanation<Cell>, known: &mut Lengths) -> usize {
    let of_tree = |tree: &Rc<TreeTerm<Cell>>| {
        if let Some(n) = known.get(&Rc::as_ptr(tree)) {
            return *n;
        }
        let own = tree.forward_rule.is_some() || tree.backward_rule.is_some();
        let n = match tree.child_proofs.first() {
            Some(rest) if !own => length(rest, known),
            _ => usize::from(own),
        };
        known.insert(Rc::as_ptr(tree), n);
        n
    };
    trees.iter().map(of_tree).fold(0, usize::saturating_add)
}

/// The rule uses of an explanation in order, with their places.
fn flatten(trees: &TreeExplanation<Cell>, position: usize, moves: &mut Vec<Move>) -> Option<()> {
    for tree in trees {
        let (name, backwards) = match (tree.forward_rule, tree.backward_rule) {
            (Some(name), _) => (name, false),
            (_, Some(name)) => (name, true),
            _ => {
                if let Some(rest) = tree.child_proofs.first() {
                    flatten(rest, position + 1, moves)?;
                }
                continue;
            }
        };
        let name = name.as_str();
        let (number, reversed) = match name.strip_suffix('<') {
            Some(number) => (number, true),
            None => (name.strip_suffix('>')?, false),
        };
        moves.push(Move {
            rule: number.parse().ok()?,
            reversed: reversed != backwards,
            position,
        });
    }
    Some(())
}
