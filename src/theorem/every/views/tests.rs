//! What each two threads see of each state that is reached, for the first values of the constant, is among the views;
//! none of the steps violates the discipline; and what is said of two threads in these states holds.

use super::{ANOTHER, NOBODY, ONE, TWO, Views};
use crate::base::control::{Control, ParseLimits};
use crate::base::evidence::Letter;
use crate::base::results::Obstacle;
use crate::engine::{State, initial_candidates, is_initial, overlap, successors, violates};
use crate::kernel::{Index, Terms};
use crate::model::program::{CellId, Class, Closing, LocId, Program, ThreadId, elaborate};
use crate::model::text::parse_model;
use crate::theorem::every::instance::Instance;
use crate::theorem::every::oracle::Oracle;
use crate::theorem::every::products::Words;
use crate::theorem::every::run::Unsaid;
use crate::theorem::every::{Speech, Template};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use rustc_hash::FxHashSet;

/// A program at one value: its shared cells, and the own ones of each thread with the number of its kind.
struct At<'p> {
    program: &'p Program,
    shared: Vec<CellId>,
    own: Vec<(usize, Vec<CellId>)>,
}

impl<'p> At<'p> {
    fn new(instance: &Instance, program: &'p Program, value: i64) -> Self {
        let closing = Closing {
            open: &instance.parametric,
            instance: &instance.program,
            program,
            value,
        };
        let own = |thread: ThreadId| {
            let mut kinds = instance.kinds.iter();
            let kind = kinds.position(|k| k.has(&closing, thread) == Some(true));
            let prefix = format!("{}.", program.threads[thread].name);
            let is_own = |c: &CellId| {
                let name = &program.arrays[program.cells[*c].array].name;
                name.starts_with(&prefix)
            };
            let cells = (0..program.cells.len()).filter(is_own).collect();
            (kind.expect("a kind"), cells)
        };
        let own: Vec<(usize, Vec<CellId>)> = (0..program.threads.len()).map(own).collect();
        let is_shared = |c: &CellId| own.iter().all(|(_, cells)| !cells.contains(c));
        At {
            shared: (0..program.cells.len()).filter(is_shared).collect(),
            program,
            own,
        }
    }

    /// Looks at states that are reached, and at the steps from them; how many there are.
    fn states(&self, views: &Views, facts: &[Fact], source: &str) -> usize {
        let program = self.program;
        let mut open: Vec<State> = initial_candidates(program)
            .filter(|s| is_initial(program, s))
            .collect();
        let mut known: FxHashSet<State> = open.iter().cloned().collect();
        let mut count = 0;
        while let Some(state) = open.pop() {
            let told = format!("{state:?} of {source}");
            let mut all = program.protections.iter();
            assert!(!all.any(|x| overlap(program, x, &state)), "{told}");
            self.judge(
                views,
                if count % 3 == 0 { facts } else { &[] },
                &state,
                &told,
            );
            count += 1;
            if known.len() > 1_500 {
                break;
            }
            for thread in 0..program.threads.len() {
                for next in successors(program, &state, thread) {
                    assert!(
                        !violates(program, thread, &state, &next),
                        "{thread} in {told}"
                    );
                    if known.insert(next.state.clone()) {
                        open.push(next.state);
                    }
                }
            }
        }
        count
    }

    /// What each two threads see of a state is a view, and facts hold of them.
    fn judge(&self, views: &Views, facts: &[Fact], state: &State, told: &str) {
        let threads = 0..self.program.threads.len();
        for one in threads.clone() {
            for two in threads.clone().filter(|two| *two != one) {
                assert!(
                    self.is_seen(views, state, (one, two)),
                    "{one} and {two}: {told}"
                );
                let kinds = [self.own[one].0, self.own[two].0];
                for fact in facts.iter().filter(|f| f.kinds == kinds) {
                    let holds = fact.holds(self.program, state, [one, two]);
                    assert!(holds, "{one} and {two}: {told}");
                }
            }
        }
    }

    fn own(&self, views: &Views, state: &State, thread: ThreadId) -> Option<u32> {
        let (kind, cells) = &self.own[thread];
        let values = cells.iter().map(|c| state.cell(*c) as i32).collect();
        let of = (*kind, state.location(thread), values);
        views.all_own.numbers.get(&of).copied()
    }

    /// Whether what two threads see of a state is one of the views.
    fn is_seen(&self, views: &Views, state: &State, (one, two): (ThreadId, ThreadId)) -> bool {
        let value = |c: &CellId| {
            let value = state.cell(*c);
            match self.program.cells[*c].class {
                Class::Owner if value < 0 => NOBODY,
                Class::Owner if value == one as i64 => ONE,
                Class::Owner if value == two as i64 => TWO,
                Class::Owner => ANOTHER,
                _ => value as i32,
            }
        };
        let shared: Vec<i32> = self.shared.iter().map(value).collect();
        let shared = views.all_shared.numbers.get(&shared).copied();
        let (one, two) = (self.own(views, state, one), self.own(views, state, two));
        let view = shared.zip(one.zip(two));
        view.is_some_and(|(shared, (one, two))| views.views.contains(&(shared, one, two)))
    }
}

/// A factor of a product about two threads, by which of them it is and where that is.
#[derive(Clone, Copy)]
enum Factor {
    Step(usize, LocId),
    Enabled(usize, LocId, bool),
}

/// An inclusion between two products, about threads of two kinds.
struct Fact {
    kinds: [usize; 2],
    sides: [Vec<Factor>; 2],
}

impl Fact {
    /// Steps that commute, and steps that do not open what is closed, or close what is open.
    fn all(kinds: [usize; 2], [one, two]: [LocId; 2]) -> Vec<Fact> {
        let (a, b) = (Factor::Step(0, one), Factor::Step(1, two));
        let open = |wanted| Factor::Enabled(0, one, wanted);
        let of = |x: Factor, y: Factor| Fact {
            kinds,
            sides: [vec![x, y], vec![y, x]],
        };
        vec![
            of(a, b),
            of(open(true), b),
            of(open(false), b),
            of(b, open(true)),
            of(b, open(false)),
        ]
    }

    fn is_said(&self, views: &mut Views, oracle: &Oracle) -> bool {
        let (mut terms, mut letters) = (Terms::new(), Vec::new());
        let sides = self.sides.each_ref().map(|side| {
            let mut factors = Vec::new();
            for factor in side {
                let (of, l) = match factor {
                    Factor::Step(of, l) | Factor::Enabled(of, l, _) => (*of, *l),
                };
                let (class, locations) = (0, vec![l]);
                let is_test = matches!(factor, Factor::Enabled(..));
                let symbol = terms.symbol(&format!("a{}", letters.len()), is_test, 1);
                letters.push(match is_test {
                    true => Letter::Enabled { class, locations },
                    false => Letter::Steps { class, locations },
                });
                let atom = terms.atom(symbol, vec![Index::Var(of as u32)]);
                factors.push(match factor {
                    Factor::Enabled(.., false) => terms.not(atom),
                    _ => atom,
                });
            }
            terms.product(factors)
        });
        let speech = Speech {
            terms: &terms,
            letters: &letters,
        };
        let words = Words {
            speech: &speech,
            variables: &[(0, self.kinds[0]), (1, self.kinds[1])],
        };
        let said = views.included(oracle, words, (sides[0], sides[1]));
        said.expect("said")
    }

    fn ends(&self, side: usize, program: &Program, state: &State, of: [ThreadId; 2]) -> Vec<State> {
        let mut at = vec![state.clone()];
        for factor in &self.sides[side] {
            let next = at.iter().flat_map(|state| match *factor {
                Factor::Step(n, l) if state.location(of[n]) == l => {
                    let all = successors(program, state, of[n]).into_iter();
                    all.map(|next| next.state).collect()
                }
                Factor::Step(..) => Vec::new(),
                Factor::Enabled(n, l, wanted) => {
                    let is_open =
                        state.location(of[n]) == l && !successors(program, state, of[n]).is_empty();
                    Vec::from_iter((is_open == wanted).then(|| state.clone()))
                }
            });
            at = next.collect();
        }
        at
    }

    /// Whether it holds of two threads in a state.
    fn holds(&self, program: &Program, state: &State, of: [ThreadId; 2]) -> bool {
        let may = self.ends(1, program, state, of);
        self.ends(0, program, state, of)
            .iter()
            .all(|end| may.contains(end))
    }
}

/// What was looked at.
#[derive(Default)]
struct Count {
    states: usize,
    /// Facts that are said to hold, and others.
    facts: [usize; 2],
}

/// How much was looked at; nothing if the views say that the discipline may be violated, or are too many.
fn seen(source: &str, next: &mut dyn FnMut(usize) -> usize) -> Option<Count> {
    let (tree, _) = parse_model(source, ParseLimits::default());
    let model = Template {
        tree: &tree,
        source,
        defines: &[],
        constant: "N",
    };
    let control = Control::default();
    let instance = Instance::first(&model, &control).unwrap_or_else(|e| panic!("{e:?}: {source}"));
    let oracle = Oracle::new(&instance, &instance.program, Vec::new(), &control).expect("said");
    let mut views = match Views::of(&oracle) {
        Ok(views) => views,
        Err(Unsaid::Because(
            Obstacle::NoAccess { .. } | Obstacle::Overlap(_) | Obstacle::Paths,
        )) => return None,
        Err(unsaid) => panic!("{unsaid:?}: {source}"),
    };
    let mut count = Count::default();
    let mut facts: Vec<Fact> = Vec::new();
    for _ in 0..6 {
        let kinds = [0; 2].map(|_| next(instance.kinds.len()));
        let at = kinds.map(|k| {
            let thread = &instance.program.threads[instance.kinds[k].like()];
            let all: Vec<LocId> = thread.steps().collect();
            all[next(all.len())]
        });
        facts.extend(Fact::all(kinds, at));
    }
    facts.retain(|fact| {
        let is_said = fact.is_said(&mut views, &oracle);
        count.facts[usize::from(!is_said)] += 1;
        is_said
    });
    for value in 1..=4 {
        let defines = [("N".to_string(), value.to_string())];
        if let Ok((program, _)) = elaborate(&tree, source, &defines) {
            let at = At::new(&instance, &program, value);
            count.states += at.states(&views, &facts, source);
        }
    }
    Some(count)
}

/// Threads that are told apart by nothing but what they own, from a stream of numbers.
fn family(mut next: impl FnMut(usize) -> usize) -> String {
    let by = [
        "m",
        "m.owner == self",
        "at(self, A)",
        "b == 1 && at(self, A)",
        "l[1]",
    ][next(5)];
    let by = match by {
        "m" | "l[1]" => format!("by {by}"),
        other => format!("by ({other})"),
    };
    let mut text = format!(
        "const N = 3; mutex m; mutex l[2]; var b: 0..2 = 0; var p: 0..3 = {}; semaphore s: 0..1 = 1;\n\
         var x: 0..3 = 0 protected {by};\n",
        next(2)
    );
    let families = ["w(i in 0..N-1)", "v(i in 0..N-2)", "u"];
    for of in &families[..1 + next(3)] {
        let mut body = String::new();
        for _ in 0..1 + next(3) {
            let works = [
                "A: x = 1;",
                "A: t = x;",
                "A: x = (x + 1) % 4; x = 0;",
                "A: b = (b + 1) % 3;",
                "A: when (b > 0) t = b - 1;",
            ];
            let work = works[next(5)];
            // A label stands once.
            let work = if body.contains("A:") {
                &work[3..]
            } else {
                work
            };
            body += &match next(16) {
                0 | 1 => format!("lock(m); {work} unlock(m);"),
                2 => format!("when (b == 0) b = 1;\n{work}\nb = 0;"),
                3 => format!("down(s); {work} up(s);"),
                4 => format!(
                    "atomic {{ t = p; if (p < 3) {{ p = p + 1; }} }}\nif (t == 0) {{ {work} }}"
                ),
                5 => format!(
                    "atomic {{ t = p; if (p < 3) {{ p = p + 1; }} }}\nif (t != 1) {{ {work} }}"
                ),
                6 => format!(
                    "havoc t;\nif (t < 2) {{ lock(l[t]); if (t == 1) {{ {work} }} unlock(l[t]); }}"
                ),
                7 => format!("lock(l[1]);\nlock(m);\n{work}\nunlock(l[1]); unlock(m);"),
                8 => "when (b == 1) b = 2;".to_string(),
                9 => "b = (b + 1) % 3;".to_string(),
                10 => "lock(m);".to_string(),
                11 => "unlock(m);".to_string(),
                12 => "t = b;\nassert(t < 2);".to_string(),
                13 | 14 if *of != "u" => format!("if (i == 0) {{ {work} }} else {{ t = 1; }}"),
                _ => format!("when (b != 1 && t == 0) skip;\n{work}"),
            };
            body += "\n";
        }
        if !body.contains("A:") {
            body += "A: skip;\n";
        }
        if next(2) == 0 {
            body = format!("while (true) {{ {body} }}");
        }
        text += &format!("thread {of} {{ var t: 0..3 = {};\n{body} }}\n", next(2));
    }
    text
}

#[test]
fn views_of_reached_states() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let all = prop::collection::vec(0usize..1000, 40);
    let (mut of, mut all_of) = (0, Count::default());
    for _ in 0..300 {
        let numbers = all.new_tree(&mut runner).expect("numbers").current();
        let mut stream = numbers.into_iter().cycle();
        let mut next = |n| stream.next().unwrap_or(0) % n;
        let source = family(&mut next);
        if let Some(count) = seen(&source, &mut next) {
            of += 1;
            all_of.states += count.states;
            let [said, others] = count.facts;
            all_of.facts = [all_of.facts[0] + said, all_of.facts[1] + others];
        }
    }
    assert!(of > 20, "only of {of} families views are known");
    assert!(all_of.states > 10_000, "only {} states", all_of.states);
    assert!(
        all_of.facts.iter().all(|n| *n > 100),
        "{:?} facts",
        all_of.facts
    );
}
