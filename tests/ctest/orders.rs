//! What memory orders have to do with data races: programs, and random executions against a twin that takes C11 at its
//! word (5.1.2.4, 7.17.3 and 7.17.4): it makes the whole relation of happens-before, by closing it transitively.

use super::{HEAD, Scratch, make, possible, run, settings};
use coarsen::ctest::history::{History, Step};
use coarsen::ctest::shared::{
    ACQUIRES, ATOMIC, Access, Event, Kind, MODE_READ, MODE_WRITE, ORDERED, READS, RELEASES,
    SEQUENTIAL, fenced,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const THREADS: u16 = 3;
const CELLS: u64 = 3;

/// What a step of a random execution does to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Plain,
    Read,
    Load,
    Store,
    Update,
}

/// A step: its thread, what it does, the cell, its order, and the fences before it, one after the other.
type Random = (u16, What, u64, u8, Vec<u8>);

fn random() -> impl Strategy<Value = Random> {
    let what = prop_oneof![
        Just(What::Plain),
        Just(What::Read),
        Just(What::Load),
        Just(What::Store),
        Just(What::Update)
    ];
    let orders = prop_oneof![
        Just(ORDERED),
        Just(ORDERED | ACQUIRES),
        Just(ORDERED | RELEASES),
        Just(ORDERED | ACQUIRES | RELEASES),
        Just(ORDERED | ACQUIRES | RELEASES | SEQUENTIAL)
    ];
    let fence = prop_oneof![
        Just(ORDERED | ACQUIRES),
        Just(ORDERED | RELEASES),
        Just(ORDERED | ACQUIRES | RELEASES)
    ];
    let fences = prop_oneof![
        4 => Just(Vec::new()),
        3 => proptest::collection::vec(fence, 1..4)
    ];
    (0..THREADS, what, 0..CELLS, orders, fences)
}

fn is_atomic(what: What) -> bool {
    !matches!(what, What::Plain | What::Read)
}

fn writes(what: What) -> bool {
    !matches!(what, What::Read | What::Load)
}

fn reads(what: What) -> bool {
    matches!(what, What::Read | What::Load | What::Update)
}

/// Whether a step acquires or releases by itself.
fn acquires(s: &Random) -> bool {
    is_atomic(s.1) && reads(s.1) && s.3 & ACQUIRES != 0
}

fn releases(s: &Random) -> bool {
    is_atomic(s.1) && writes(s.1) && s.3 & RELEASES != 0
}

/// The races of an execution: pairs of steps of different threads on one cell, one of which writes and one of which is
/// plain, that happens-before does not order.
fn by_definition(steps: &[Random]) -> BTreeSet<(usize, usize)> {
    let n = steps.len();
    // The steps, and behind them the fences, each before the step that it is noted at.
    let mut fences: Vec<(usize, u8)> = Vec::new();
    for (b, step) in steps.iter().enumerate() {
        fences.extend(step.4.iter().map(|order| (b, *order)));
    }
    let all = n + fences.len();
    // Where an event stands among those of its thread.
    let place = |e: usize| match e.checked_sub(n) {
        None => (steps[e].0, e, usize::MAX),
        Some(f) => (steps[fences[f].0].0, fences[f].0, f),
    };
    let follows = |a: usize, b: usize| place(a).0 == place(b).0 && place(a) < place(b);
    let row = |a: usize| (0..all).map(|b| follows(a, b)).collect();
    let mut before: Vec<Vec<bool>> = (0..all).map(row).collect();
    let with = |kind: u8| {
        let all = fences.iter().enumerate();
        all.filter(move |(_, (_, order))| order & kind != 0)
            .map(move |(f, _)| n + f)
    };
    // The step whose value a step finds.
    let source = |b: usize| (0..b).rfind(|&a| steps[a].2 == steps[b].2 && writes(steps[a].1));
    // The heads of the release sequences that a write is in: itself, and by an update or a store of the head's own
    // thread those of the write before it. A plain write ends them.
    let mut heads: Vec<Vec<usize>> = Vec::new();
    for b in 0..n {
        let mut of = Vec::new();
        if is_atomic(steps[b].1) && writes(steps[b].1) {
            of.push(b);
            let update = steps[b].1 == What::Update;
            let earlier = source(b).map(|a| heads[a].clone()).unwrap_or_default();
            of.extend(
                earlier
                    .into_iter()
                    .filter(|&h| update || steps[h].0 == steps[b].0),
            );
        }
        heads.push(of);
    }
    for b in 0..n {
        if !is_atomic(steps[b].1) || !reads(steps[b].1) {
            continue;
        }
        let Some(a) = source(b).filter(|&a| is_atomic(steps[a].1)) else {
            continue;
        };
        // What synchronises with what is released: the step itself, and a fence behind it.
        let behind = with(ACQUIRES).filter(|&f| follows(b, f));
        let mut acquired: Vec<usize> = behind.collect();
        acquired.extend(acquires(&steps[b]).then_some(b));
        for &head in &heads[a] {
            let ahead = with(RELEASES).filter(|&f| follows(f, head));
            let mut released: Vec<usize> = ahead.collect();
            released.extend(releases(&steps[head]).then_some(head));
            for &from in &released {
                for &to in &acquired {
                    before[from][to] = true;
                }
            }
        }
    }
    for k in 0..all {
        for a in 0..all {
            for b in 0..all {
                before[a][b] |= before[a][k] && before[k][b];
            }
        }
    }
    let mut races = BTreeSet::new();
    for b in 0..n {
        for a in 0..b {
            let (x, y) = (&steps[a], &steps[b]);
            let conflict = x.0 != y.0 && x.2 == y.2 && (writes(x.1) || writes(y.1));
            if conflict && !(is_atomic(x.1) && is_atomic(y.1)) && !before[a][b] {
                races.insert((a, b));
            }
        }
    }
    races
}

/// The step as the runtime tells it.
fn told((thread, what, cell, order, fences): &Random) -> Step {
    let (thread, what, cell, order) = (*thread, *what, *cell, *order);
    let kind = match what {
        What::Plain => Kind::Write,
        What::Read => Kind::Read,
        What::Load => Kind::AtomicLoad,
        What::Store => Kind::AtomicStore,
        What::Update => Kind::AtomicUpdate,
    };
    let order = match what {
        What::Plain | What::Read => 0,
        What::Load => order & !RELEASES | READS,
        What::Store => order & !ACQUIRES,
        What::Update => order | READS,
    };
    let access = Access {
        key: 0x1000 + 8 * cell,
        size: 8,
        mode: if writes(what) { MODE_WRITE } else { MODE_READ },
        flags: if is_atomic(what) { ATOMIC } else { 0 },
        order,
        unused: 0,
    };
    let event = Event {
        thread,
        kind: kind as u8,
        size: 8,
        addr: access.key,
        accesses: 1,
        fences: fences.iter().fold(0, |all, order| fenced(all, *order)),
        ..Event::default()
    };
    Step::new(&event, &[access])
}

/// What the exploration says: of each step, the latest steps with which it makes a race.
fn by_history(steps: &[Random]) -> BTreeSet<(usize, usize)> {
    let mut history = History::default();
    let mut races = BTreeSet::new();
    for (b, step) in steps.iter().map(told).enumerate() {
        let look = history.look(step.thread, &step.accesses, step.fences);
        races.extend(look.data_races.iter().map(|&a| (a as usize, b)));
        history.push(step, look);
    }
    races
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    /// The exploration looks no further back than the last write that it finds, so of each step it tells fewer races
    /// than there are; but it tells none that there is not, and whether there is one.
    #[test]
    fn memory_orders_synchronise_as_c11_says(
        steps in proptest::collection::vec(random(), 1..14)
    ) {
        let (all, told) = (by_definition(&steps), by_history(&steps));
        prop_assert!(told.is_subset(&all), "{told:?} of {all:?}");
        prop_assert_eq!(told.is_empty(), all.is_empty(), "{:?}", all);
    }
}

/// A store that another one has overwritten is not what a load reads, and need not happen before it. (Found by the test
/// above: a load acquired from both.)
#[test]
fn a_load_acquires_from_what_it_reads_only() {
    use What::{Load, Plain, Store};
    let release = ORDERED | RELEASES;
    let steps = [
        (2, Plain, 0, ORDERED, vec![]),
        (0, Store, 2, release, vec![]),
        (1, Store, 2, release, vec![]),
        (2, Load, 2, ORDERED | ACQUIRES, vec![]),
        (2, Plain, 2, ORDERED, vec![]),
    ];
    let races = BTreeSet::from([(1, 4)]);
    assert_eq!(by_definition(&steps), races);
    assert_eq!(by_history(&steps), races);
}

/// What a fence acquires happens before what it releases itself, or one behind it; not before what one before it has
/// released. (Found by the test above, whose definition did not know the first.)
#[test]
fn what_a_fence_acquires_it_releases() {
    use What::{Load, Plain, Store};
    let (acquire, release) = (ORDERED | ACQUIRES, ORDERED | RELEASES);
    for (fences, is_race) in [
        (vec![acquire | release], false),
        (vec![acquire, release], false),
        (vec![release, acquire], true),
        (vec![release, acquire, release], false),
        (vec![acquire | release, acquire], false),
    ] {
        let steps = [
            (2, Plain, 0, ORDERED, vec![]),
            (2, Store, 2, release, vec![]),
            (0, Load, 2, ORDERED, vec![]),
            (0, Store, 1, ORDERED, fences.clone()),
            (1, Load, 1, acquire, vec![]),
            (1, Plain, 0, ORDERED, vec![]),
        ];
        let races = BTreeSet::from_iter(is_race.then_some((0, 5)));
        assert_eq!(by_definition(&steps), races, "{fences:?}");
        assert_eq!(by_history(&steps), races, "{fences:?}");
    }
}

/// A program publishes data by a flag; with which orders that is a race.
#[test]
fn racy_publication_is_found() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("orders");
    let text = format!(
        "{HEAD}int data; atomic_int flag;\n\
         void *w(void *_) {{ data = 1; BEFORE atomic_store_explicit(&flag, 1, memory_order_STORE); return 0; }}\n\
         void *r(void *_) {{ if (atomic_load_explicit(&flag, memory_order_LOAD)) {{ BEHIND assert(data == 1); }} \
         return 0; }}\n\
         int main() {{ pthread_t a, b; go(a, w); go(b, r); end(a); end(b); return 0; }}\n"
    );
    let acquire = "atomic_thread_fence(memory_order_acquire);";
    let release = "atomic_thread_fence(memory_order_release);";
    for (store, load, before, behind, races, weak) in [
        ("seq_cst", "seq_cst", "", "", 0, 0),
        ("release", "acquire", "", "", 0, 2),
        ("release", "seq_cst", "", "", 0, 1),
        ("relaxed", "acquire", "", "", 1, 2),
        ("release", "relaxed", "", "", 1, 2),
        ("relaxed", "relaxed", "", "", 1, 2),
        ("release", "relaxed", "", acquire, 0, 2),
        ("relaxed", "acquire", release, "", 0, 2),
        ("relaxed", "relaxed", release, acquire, 0, 2),
        ("relaxed", "relaxed", acquire, release, 1, 2),
    ] {
        let text = text.replace("STORE", store).replace("LOAD", load);
        let text = text.replace("BEFORE", before).replace("BEHIND", behind);
        let e = run(&make(&scratch.file("publish", &text), &[]), &settings());
        let found = (e.executions, e.races.len(), e.weak.len());
        assert_eq!(found, (2, races, weak), "{store} {load} {before} {behind}");
        assert!(e.errors.is_empty());
    }
}

/// What a thread waits for actively is no access of its own: it synchronises with nothing, and races with nothing.
#[test]
fn waiting_is_no_access() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("waits");
    for (name, first, second, races) in [
        (
            "timed",
            "lock(m); item = 1; pthread_cond_signal(&c); unlock(m);",
            "struct timespec t = {1}; lock(m); while (!item) pthread_cond_timedwait(&c, &m, &t); unlock(m);",
            0,
        ),
        (
            "relaxed",
            "item = 1; atomic_store_explicit(&flag, 1, memory_order_release);",
            "while (!atomic_load_explicit(&flag, memory_order_relaxed)); assert(item == 1);",
            1,
        ),
        (
            "acquired",
            "item = 1; atomic_store_explicit(&flag, 1, memory_order_release);",
            "while (!atomic_load_explicit(&flag, memory_order_acquire)); assert(item == 1);",
            0,
        ),
        ("plain", "item = 1;", "while (!item);", 1),
    ] {
        let text = format!(
            "{HEAD}int item; atomic_int flag; pthread_mutex_t m; pthread_cond_t c;\n\
             void *t(void *_) {{ {first} return 0; }}\n\
             int main() {{ pthread_t h; go(h, t); {second} end(h); return 0; }}\n"
        );
        let e = run(&make(&scratch.file(name, &text), &[]), &settings());
        assert!(
            e.waited > 0 && e.errors.is_empty(),
            "{name}: {:?}",
            e.errors
        );
        assert_eq!(e.races.len(), races, "{name}");
    }
}
