//! The rungs of the invariant a second time, by enumeration of all type-correct states with the interpreter.

use coarsen::engine::{
    State, holds, initial_candidates, initially_violated, is_initial, successors, violates,
};
use coarsen::model::program::{Class, Expr, Kind, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A program's type-correct states, numbered, and all steps between them.
pub struct Naive<'p> {
    pub program: &'p Program,
    pub states: Vec<State>,
    /// `steps[t][s]`: where thread t's steps lead from state s.
    pub steps: Vec<Vec<Vec<usize>>>,
    pub initial: Vec<usize>,
    /// Lowest value and number of values of each cell, then of each location.
    digits: Vec<(i64, usize)>,
}

/// A set of states, by number.
pub type Set = Vec<bool>;

impl<'p> Naive<'p> {
    pub fn new(program: &'p Program) -> Self {
        let cells = program
            .cells
            .iter()
            .map(|c| (c.ty.lo, c.ty.size() as usize));
        let locations = program.threads.iter().map(|t| (0, t.locations.len()));
        let digits: Vec<(i64, usize)> = cells.chain(locations).collect();
        let mut naive = Naive {
            program,
            states: Vec::new(),
            steps: Vec::new(),
            initial: Vec::new(),
            digits,
        };
        let size: usize = naive.digits.iter().map(|d| d.1).product();
        naive.states = (0..size).map(|n| naive.state(n)).collect();
        naive.steps = (0..program.threads.len())
            .map(|t| {
                let next = |s: &State| successors(program, s, t);
                let to = |s| next(s).iter().map(|n| naive.number(&n.state)).collect();
                naive.states.iter().map(to).collect()
            })
            .collect();
        let initial = initial_candidates(program).filter(|s| is_initial(program, s));
        naive.initial = initial.map(|s| naive.number(&s)).collect();
        naive
    }

    fn values(&self, s: &State) -> Vec<i64> {
        let cells = (0..self.program.cells.len()).map(|c| s.cell(c));
        let locations = (0..self.program.threads.len()).map(|t| s.location(t) as i64);
        cells.chain(locations).collect()
    }

    fn of_values(&self, values: &[i64]) -> usize {
        let digit = |n: usize, (v, (lo, size)): (&i64, &(i64, usize))| {
            n * size + usize::try_from(v - lo).expect("in range")
        };
        values.iter().zip(&self.digits).fold(0, digit)
    }

    fn number(&self, s: &State) -> usize {
        self.of_values(&self.values(s))
    }

    fn state(&self, mut n: usize) -> State {
        let mut values: Vec<i64> = Vec::new();
        for (lo, size) in self.digits.iter().rev() {
            values.push(lo + (n % size) as i64);
            n /= size;
        }
        values.reverse();
        let (cells, locations) = values.split_at(self.program.cells.len());
        let locations: Vec<usize> = locations.iter().map(|&l| l as usize).collect();
        State::new(cells, &locations)
    }

    fn all(&self, holds: impl Fn(usize) -> bool) -> Set {
        (0..self.states.len()).map(holds).collect()
    }

    /// Whether no step leaves a set.
    pub fn closed(&self, set: &Set) -> bool {
        let stays = |steps: &Vec<Vec<usize>>| {
            (0..set.len()).all(|s| !set[s] || steps[s].iter().all(|to| set[*to]))
        };
        self.steps.iter().all(stays)
    }

    /// Lock ownership: for each thread and location, which values `m.owner == t` can have, by a flow over all states.
    pub fn ownership(&self) -> Set {
        let p = self.program;
        let is_owner = |c: &usize| {
            let class = p.arrays[p.cells[*c].array].class;
            p.cells[*c].ty.kind == Kind::Owner && matches!(class, Class::Owner | Class::Sync)
        };
        // Of a mutex that some step takes from another thread, or gives to one, nothing is known.
        let own_only = |c: &usize| {
            let keeps = |t: usize, s: usize, to: usize| {
                let (old, new) = (self.states[s].cell(*c), self.states[to].cell(*c));
                let foreign = |v: i64| v >= 0 && v != t as i64;
                old == new || !foreign(old) && !foreign(new)
            };
            let mut each = self.steps.iter().enumerate();
            each.all(|(t, from)| {
                let mut from = from.iter().enumerate();
                from.all(|(s, next)| next.iter().all(|to| keeps(t, s, *to)))
            })
        };
        let owners = (0..p.cells.len()).filter(is_owner).filter(own_only);
        let owners: Vec<usize> = owners.collect();
        let mut set = vec![true; self.states.len()];
        for (t, thread) in p.threads.iter().enumerate() {
            // may[l][m]: the truth values found so far; none at all where t never comes.
            let mut may = vec![vec![BTreeSet::new(); owners.len()]; thread.locations.len()];
            let mut comes = BTreeSet::from([thread.initial]);
            for (m, &c) in owners.iter().enumerate() {
                let free = p.cells[c].initial.map(|v| v == t as i64);
                may[thread.initial][m].extend(free.map_or(vec![false, true], |v| vec![v]));
            }
            let owns = |s: usize, m: usize| self.states[s].cell(owners[m]) == t as i64;
            let allowed = |s: usize, may: &[Vec<BTreeSet<bool>>], comes: &BTreeSet<usize>| {
                let l = self.states[s].location(t);
                comes.contains(&l) && (0..owners.len()).all(|m| may[l][m].contains(&owns(s, m)))
            };
            loop {
                let before = (may.clone(), comes.clone());
                for s in 0..self.states.len() {
                    if !allowed(s, &may, &comes) {
                        continue;
                    }
                    for &to in &self.steps[t][s] {
                        let l = self.states[to].location(t);
                        comes.insert(l);
                        for (m, known) in may[l].iter_mut().enumerate() {
                            known.insert(owns(to, m));
                        }
                    }
                }
                if before == (may.clone(), comes.clone()) {
                    break;
                }
            }
            for (s, inside) in set.iter_mut().enumerate() {
                *inside &= allowed(s, &may, &comes);
            }
        }
        set
    }

    /// Whether thread u's steps depend on where thread t is. (Only a guard can say so.)
    fn looks_at(&self, u: usize, t: usize) -> bool {
        let p = self.program;
        let edges = p.threads[u].locations.iter().flat_map(|l| &l.edges);
        let mut said = false;
        for guard in edges.filter_map(|e| e.guard.as_ref()) {
            guard.walk(&mut |e| said |= matches!(e, Expr::At(other, _) if *other == t));
        }
        let moved = |s: usize, l: usize| {
            let mut values = self.values(&self.states[s]);
            values[p.cells.len() + t] = l as i64;
            self.of_values(&values)
        };
        let differs = |s: usize| {
            let here: BTreeSet<usize> = self.steps[u][s].iter().map(|to| moved(*to, 0)).collect();
            let there = &self.steps[u][moved(s, 0)];
            here != there.iter().copied().collect()
        };
        said && (0..self.states.len()).any(differs)
    }

    /// The thread-modular fixpoint: a thread's part holds the states in which what is private to the others is put to
    /// 0.
    pub fn thread_modular(&self) -> Set {
        let p = self.program;
        let threads = p.threads.len();
        let looked_at = |t: usize| (0..threads).any(|u| u != t && self.looks_at(u, t));
        let open: Vec<bool> = (0..threads).map(looked_at).collect();
        let owner = |n: usize| match n.checked_sub(p.cells.len()) {
            Some(t) => Some(t).filter(|t| !open[*t]),
            None => match p.arrays[p.cells[n].array].class {
                Class::Local(t) => Some(t),
                _ => None,
            },
        };
        let project = |s: usize, keep: Option<usize>| -> Vec<i64> {
            let mut values = self.values(&self.states[s]);
            for (n, v) in values.iter_mut().enumerate() {
                if owner(n).is_some_and(|t| Some(t) != keep) {
                    *v = self.digits[n].0;
                }
            }
            values
        };
        // Whether thread t's part has the state, and what is private to t in a state.
        let part = |s: usize, t: usize| self.of_values(&project(s, Some(t)));
        let shared: Vec<usize> = (0..self.states.len())
            .map(|s| self.of_values(&project(s, None)))
            .collect();
        let mut parts: Vec<BTreeSet<usize>> = (0..threads)
            .map(|t| self.initial.iter().map(|&s| part(s, t)).collect())
            .collect();
        loop {
            let before: Vec<usize> = parts.iter().map(BTreeSet::len).collect();
            for u in 0..threads {
                let mut moves: BTreeSet<(usize, usize)> = BTreeSet::new();
                for s in parts[u].clone() {
                    for &to in &self.steps[u][s] {
                        parts[u].insert(part(to, u));
                        moves.insert((shared[s], shared[to]));
                    }
                }
                let mut leads: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
                for (from, to) in moves {
                    leads.entry(from).or_default().push(to);
                }
                for t in (0..threads).filter(|t| *t != u) {
                    for s in parts[t].clone() {
                        for &to in leads.get(&shared[s]).into_iter().flatten() {
                            let mut values = self.values(&self.states[to]);
                            let own = self.values(&self.states[s]);
                            for n in (0..values.len()).filter(|n| owner(*n) == Some(t)) {
                                values[n] = own[n];
                            }
                            parts[t].insert(self.of_values(&values));
                        }
                    }
                }
            }
            if before == parts.iter().map(BTreeSet::len).collect::<Vec<_>>() {
                break;
            }
        }
        self.all(|s| (0..threads).all(|t| parts[t].contains(&part(s, t))))
    }

    /// The states of `below` in which the lemmas of its largest inductive set hold, and which these are.
    pub fn lemmas(&self, below: &Set) -> (Set, Vec<bool>) {
        let p = self.program;
        let truth: Vec<Set> = p
            .lemmas
            .iter()
            .map(|l| self.all(|s| holds(p, &l.expr, &self.states[s])))
            .collect();
        // All subsets, the largest that will do: there are few lemmas.
        let mut best: Option<(Set, Vec<bool>)> = None;
        for chosen in 0..1usize << truth.len() {
            let kept: Vec<bool> = (0..truth.len()).map(|l| chosen >> l & 1 == 1).collect();
            let set = self.all(|s| below[s] && (0..kept.len()).all(|l| !kept[l] || truth[l][s]));
            let good = self.initial.iter().all(|s| set[*s]) && self.closed(&set);
            let size = |kept: &[bool]| kept.iter().filter(|k| **k).count();
            if good && best.as_ref().is_none_or(|(_, b)| size(b) < size(&kept)) {
                best = Some((set, kept));
            }
        }
        best.expect("the empty set of lemmas is inductive")
    }

    /// Everything that is reachable, with and without a violation.
    pub fn reachable(&self) -> BTreeSet<(usize, bool)> {
        let p = self.program;
        let first = |&s: &usize| (s, initially_violated(p, &self.states[s]));
        let mut open: Vec<(usize, bool)> = self.initial.iter().map(first).collect();
        let mut seen: BTreeSet<(usize, bool)> = BTreeSet::new();
        let mut known: HashMap<(usize, usize), Vec<(usize, bool)>> = HashMap::new();
        while let Some((s, q)) = open.pop() {
            if !seen.insert((s, q)) {
                continue;
            }
            for t in 0..p.threads.len() {
                let next = known.entry((s, t)).or_insert_with(|| {
                    let all = successors(p, &self.states[s], t);
                    all.iter()
                        .map(|n| (self.number(&n.state), violates(p, t, &self.states[s], n)))
                        .collect()
                });
                open.extend(next.iter().map(|(to, violated)| (*to, q || *violated)));
            }
        }
        seen
    }
}
