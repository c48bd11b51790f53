//! Random programs whose threads wait for each other in every way, and end in the middle, against every interleaving.
//! Many are compiled at once: an argument says which one runs.

use super::support::*;
use coarsen::ctest::compile::Program;
use coarsen::ctest::explore::Settings;
use coarsen::ctest::filters::Filters;
use coarsen::ctest::process::Process;

use std::cell::RefCell;
use std::fmt::Write;

/// What all programs share. Each has its threads in `t`, and `main` in `t[0]`.
const COMMON: &str = "#include \"coarsen.h\"\n\
    atomic_int a[2]; int x[2]; pthread_t t[5]; pthread_mutex_t m[2]; pthread_cond_t c; sem_t s; struct timespec ts;\n\
    pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; pthread_rwlock_t l; pthread_barrier_t b; \
    pthread_once_t o;\nvoid first(void) { a[0] = 1; }\n";

/// A region that waits is two steps: every interleaving tells apart when it began, the exploration only where somebody
/// sees it.
const REGION: &str = "coarsen_atomic_begin();";

/// Statements around others: what comes before and what comes behind. `J` is 0 or 1, `V` likewise.
const AROUND: &[(&str, &str)] = &[
    ("lock(m[J]);", "unlock(m[J]);"),
    ("lock(m[J]);", ""),
    ("if (!pthread_mutex_trylock(&m[J])) {", "unlock(m[J]); }"),
    (
        "if (!pthread_mutex_timedlock(&m[J], &ts)) {",
        "unlock(m[J]); }",
    ),
    ("lock(r);", "unlock(r);"),
    ("sem_wait(&s);", "sem_post(&s);"),
    ("sem_wait(&s);", ""),
    ("if (!sem_trywait(&s)) {", "sem_post(&s); }"),
    ("if (!sem_timedwait(&s, &ts)) {", "}"),
    ("pthread_rwlock_rdlock(&l);", "pthread_rwlock_unlock(&l);"),
    ("pthread_rwlock_wrlock(&l);", "pthread_rwlock_unlock(&l);"),
    ("pthread_rwlock_wrlock(&l);", ""),
    (
        "if (!pthread_rwlock_trywrlock(&l)) {",
        "pthread_rwlock_unlock(&l); }",
    ),
    (
        "if (!pthread_rwlock_tryrdlock(&l)) {",
        "pthread_rwlock_unlock(&l); }",
    ),
    (
        "if (!pthread_rwlock_timedwrlock(&l, &ts)) {",
        "pthread_rwlock_unlock(&l); }",
    ),
    (
        "if (!pthread_rwlock_timedrdlock(&l, &ts)) {",
        "pthread_rwlock_unlock(&l); }",
    ),
    ("lock(m[0]); pthread_cond_wait(&c, &m[0]);", "unlock(m[0]);"),
    (
        "lock(m[0]); if (!a[J]) pthread_cond_wait(&c, &m[0]);",
        "unlock(m[0]);",
    ),
    (
        "lock(m[0]); while (!a[J]) pthread_cond_wait(&c, &m[0]);",
        "unlock(m[0]);",
    ),
    (
        "lock(m[0]); pthread_cond_timedwait(&c, &m[0], &ts);",
        "unlock(m[0]);",
    ),
    (
        "lock(m[0]); if (!pthread_cond_timedwait(&c, &m[0], &ts)) {",
        "} unlock(m[0]);",
    ),
    ("if (a[J] == V) {", "}"),
    ("if (coarsen_choice(2)) {", "}"),
    (REGION, "coarsen_atomic_end();"),
];

/// Statements by themselves; `T` is a thread. What ends a thread or the process comes in the middle as well.
const ALONE: &[&str] = &[
    "a[J] = V;",
    "(void)a[J];",
    "a[J]++;",
    "x[J] = V;",
    "(void)*(volatile int *)&x[J];",
    "end(t[T]);",
    "if (end(t[T])) a[J] = V;",
    "pthread_detach(t[T]);",
    "sem_post(&s);",
    "lock(m[0]); pthread_cond_signal(&c); unlock(m[0]);",
    "pthread_cond_signal(&c);",
    "pthread_cond_broadcast(&c);",
    "pthread_barrier_wait(&b);",
    "if (pthread_barrier_wait(&b)) a[J] = V;",
    "pthread_once(&o, first);",
    "if (a[J]) return 0;",
    "if (a[J] == V) pthread_exit(0);",
    "if (a[J]) exit(0);",
    "return 0;",
    "pthread_exit(0);",
    "exit(0);",
    "while (a[J] == V);",
    "assert(a[J] == V);",
    "coarsen_assume(a[J] == V);",
];

/// What changes memory, of which every program has some.
const MEMORY: usize = 5;

/// What one thread holds while others stand before it; the first of each gives it back.
const HELD: &[[(&str, &str); 2]] = &[
    [("lock(m[0]);", "unlock(m[0]);"), ("lock(m[0]);", "")],
    [("sem_wait(&s);", "sem_post(&s);"), ("sem_wait(&s);", "")],
    [
        ("pthread_rwlock_wrlock(&l);", "pthread_rwlock_unlock(&l);"),
        ("pthread_rwlock_wrlock(&l);", ""),
    ],
];

/// What threads do around it: `(` takes it and `)` gives it back, `M` and `P` access memory, mostly different, `J`
/// waits for a thread. The first three together are what a wait at the end once hid: somebody reads, somebody takes and
/// waits, and a third one stands before it and would write.
const ROLES: &[&str] = &[
    "M", "P(J)", "(M)", "(J)", "P(M)", "P()", "(MJ)", "M(J)", "MP", "(M)J", "J(M)",
];

/// A few of these statements, for one program: so they meet.
struct Words {
    around: Vec<(&'static str, &'static str)>,
    alone: Vec<&'static str>,
}

impl Words {
    fn new(dice: &mut Dice) -> Words {
        let mut any = |n: usize| dice.roll(n as u64) as usize;
        let around = (0..2 + any(2)).map(|_| AROUND[any(AROUND.len())]).collect();
        let mut alone: Vec<_> = (0..1 + any(2)).map(|_| ALONE[any(MEMORY)]).collect();
        alone.extend((0..1 + any(3)).map(|_| ALONE[MEMORY + any(ALONE.len() - MEMORY)]));
        Words { around, alone }
    }

    /// Writes statements, a line each.
    fn body(&self, dice: &mut Dice, text: &mut String, thread: u64, room: &mut u64) {
        while *room > 0 {
            *room -= 1;
            let (j, v) = (dice.roll(2).to_string(), dice.roll(2).to_string());
            // One that was created before, or sometimes `main`.
            let other = dice
                .roll(thread)
                .max(u64::from(dice.roll(4) > 0 && thread > 1));
            let fill = |statement: &str| {
                statement
                    .replace("[J]", &format!("[{j}]"))
                    .replace("[T]", &format!("[{other}]"))
                    .replace("= V", &format!("= {v}"))
            };
            if dice.roll(5) < 2 {
                let (before, behind) = self.around[dice.roll(self.around.len() as u64) as usize];
                let _ = writeln!(text, "{}", fill(before));
                let mut inner = (*room).min(dice.roll(3));
                *room -= inner;
                self.body(dice, text, thread, &mut inner);
                let _ = writeln!(text, "{}", fill(behind));
            } else {
                let statement = self.alone[dice.roll(self.alone.len() as u64) as usize];
                let _ = writeln!(text, "{}", fill(once(text, statement)));
            }
        }
    }
}

/// A program in which threads meet at something that is held.
struct Held {
    around: [(&'static str, &'static str); 2],
    /// How often, of three times, it is not given back.
    kept: u64,
    read: &'static str,
    in_order: bool,
}

impl Held {
    fn new(dice: &mut Dice) -> Held {
        Held {
            around: HELD[dice.roll(HELD.len() as u64) as usize],
            kept: [0, 1, 3][dice.roll(3) as usize],
            read: ["(void)a[J];", "assert(a[J] == 0);"][dice.roll(2) as usize],
            in_order: dice.roll(2) == 0,
        }
    }

    /// Writes what a thread does, a line each.
    fn body(&self, dice: &mut Dice, text: &mut String, thread: u64) {
        let any = dice.roll(ROLES.len() as u64) + 1;
        let role = if self.in_order && thread <= 3 {
            thread
        } else {
            any
        };
        let (before, behind) = self.around[usize::from(dice.roll(3) < self.kept)];
        for letter in ROLES[role as usize - 1].chars() {
            let statement = match letter {
                '(' => before.into(),
                ')' => behind.into(),
                'J' => format!("end(t[{}]);", dice.roll(thread).max(u64::from(thread > 1))),
                _ => {
                    let other = (letter == 'P') != (dice.roll(4) == 0);
                    let write = format!("a[J] = {};", dice.roll(2));
                    let access = [write.as_str(), self.read][dice.roll(2) as usize];
                    once(text, access).replace("[J]", &format!("[{}]", u8::from(other)))
                }
            };
            let _ = writeln!(text, "{statement}");
        }
    }
}

/// Where two threads go wrong, only one is told: who comes first. So one may.
fn once<'a>(text: &str, statement: &'a str) -> &'a str {
    let again = statement.starts_with("assert") && text.contains("assert");
    if again { "(void)a[J];" } else { statement }
}

/// Functions of a program whose names begin with `name`.
fn program(dice: &mut Dice, name: &str) -> String {
    let held = (dice.roll(2) == 0).then(|| Held::new(dice));
    let words = Words::new(dice);
    let mut text = String::new();
    let threads = 2 + u64::from(held.is_some()) + u64::from(dice.roll(3) == 0);
    for thread in 1..=threads {
        let _ = writeln!(text, "static void *{name}_{thread}(void *_) {{");
        let mut room = 1 + dice.roll(if threads == 2 { 4 } else { 2 });
        match &held {
            Some(held) => held.body(dice, &mut text, thread),
            None => words.body(dice, &mut text, thread, &mut room),
        }
        text.push_str("return 0; }\n");
    }
    let there = u64::from(held.is_some()) | dice.roll(2);
    let init = INIT.replace('N', &there.to_string());
    let _ = writeln!(text, "static void *{name}_0(void *_) {{\n{init}");
    for thread in 1..=threads {
        let _ = writeln!(text, "go(t[{thread}], {name}_{thread});");
    }
    let mut room = if held.is_some() { 0 } else { dice.roll(2) };
    words.body(dice, &mut text, threads + 1, &mut room);
    for thread in 1..=threads {
        if dice.roll(5) > 1 {
            let _ = writeln!(text, "end(t[{thread}]);");
        }
    }
    text.push_str(["return 0; }\n", "pthread_exit(0); }\n"][usize::from(dice.roll(3) == 0)]);
    text
}

/// How `main` begins.
const INIT: &str = "t[0] = pthread_self(); sem_init(&s, 0, N); pthread_barrier_init(&b, 0, 2);";

/// Programs that were compiled together.
pub struct Batch {
    texts: Vec<String>,
    built: Program,
}

impl Batch {
    /// Makes and compiles so many programs.
    pub fn new(dice: &mut Dice, count: usize, scratch: &Scratch) -> Batch {
        let texts: Vec<_> = (0..count)
            .map(|i| program(dice, &format!("p{i}")))
            .collect();
        let mut all = format!(
            "{HEAD}{COMMON}{}static void *(*const all[])(void *) = {{",
            texts.concat()
        );
        for i in 0..count {
            let _ = write!(all, "p{i}_0, ");
        }
        all.push_str("};\nint main(int n, char **w) { int i = 0; for (char *d = w[1]; *d; d++) i = 10 * i + *d - '0'; \
            all[i](0); return 0; }\n");
        let built = make(&scratch.file("waiting", &all), &[]);
        Batch { texts, built }
    }

    /// One of them by itself, as a file.
    pub fn text(&self, i: usize) -> String {
        let text = &self.texts[i];
        format!("{HEAD}{COMMON}{text}int main() {{ p{i}_0(0); return 0; }}\n")
    }

    /// Starts one of them, for all of its explorations.
    fn start(&self, i: usize) -> RefCell<Process> {
        RefCell::new(start(&self.built, &[i.to_string()]))
    }
}

/// What came of one program.
pub enum Compared {
    /// All agree.
    Same,
    /// It has too many interleavings.
    Large,
    /// Not.
    Differs(String),
}

const SUPER: Filters = Filters {
    super_step: true,
    ..BEGINNINGS
};

const CYCLES: Filters = Filters {
    local_cycles: true,
    ..SUPER
};

/// Explores a program of a batch in every way.
pub fn compare(batch: &Batch, i: usize, most: u64) -> Compared {
    let one = Settings {
        executions: most,
        cores: 1,
        ..settings()
    };
    let process = batch.start(i);
    let run = |s: &Settings| again(&mut process.borrow_mut(), &batch.built, s);
    let usual = run(&one);
    let few = usual.made() <= most / 20;
    let right = few.then(|| Right::of(&run, &usual, most));
    let Some(right) = right.flatten() else {
        return Compared::Large;
    };
    let counts = !batch.texts[i].contains(REGION);
    let mut wrong = String::new();
    let mut check = |way: &str, how: Option<String>| {
        wrong.extend(how.map(|how| format!("{way}: {how}\n")));
    };
    check("default", right.differs(&usual, counts));
    // Handed out one by one, ways meet in all orders.
    let pieces = Settings {
        cores: 1 + usize::from(i.is_multiple_of(4)),
        piece: 1,
        alone: [0, 100][i % 2],
        ..one.clone()
    };
    check("pieces", right.differs(&run(&pieces), counts));
    let filters = [BEGINNINGS, SUPER, CYCLES][i % 3];
    // Who waits actively is blocked without filters, and goes on with them.
    if !right.waited || filters.local_cycles {
        let filters = Settings {
            filters: Some(filters),
            ..one.clone()
        };
        let found = run(&filters);
        if found.finished && found.limits.is_empty() {
            check("filters", right.filters_differ(&found, counts));
        }
    }
    let first = Settings {
        keep_going: false,
        ..one
    };
    let first = run(&first).errors.is_empty();
    let same = first == usual.errors.is_empty();
    check("first", (!same).then(|| format!("no error: {first}")));
    match wrong.is_empty() {
        true => Compared::Same,
        false => Compared::Differs(wrong),
    }
}

/// What came of many programs.
#[derive(Default)]
pub struct Summary {
    /// How many agree.
    pub same: usize,
    /// How many have too many interleavings.
    pub large: usize,
    /// What differs, each with its program.
    pub wrong: Vec<String>,
}

/// Compares so many programs of a seed; `most` bounds the interleavings of each.
pub fn compare_all(seed: u64, count: usize, most: u64, scratch: &Scratch) -> Summary {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ seed.wrapping_mul(0xD1B5_4A32_D192_ED03));
    let batch = Batch::new(&mut dice, count, scratch);
    let mut summary = Summary::default();
    for i in 0..count {
        match compare(&batch, i, most) {
            Compared::Same => summary.same += 1,
            Compared::Large => summary.large += 1,
            Compared::Differs(how) => summary.wrong.push(format!("{how}{}", batch.text(i))),
        }
    }
    summary
}

#[test]
fn random_waits_against_every_interleaving() {
    if !possible() {
        return;
    }
    let count = crate::random::cases(120) as usize;
    let (seed, most) = (crate::random::seed(0), asked("MOST", 300));
    let found = compare_all(seed, count, most, &Scratch::new("waiting"));
    assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n"));
    let same = found.same;
    assert!(
        crate::random::enough(2 * same, 120),
        "only {same} were small enough"
    );
}
