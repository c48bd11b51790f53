//! Random programs against every interleaving.

use super::*;
use std::fmt::Write;

/// The family of steps that others change, for which three threads need more than one step each.
const CHANGING: &str = "changing_regions";

/// Statements that a family of random programs is made of; `J` and `K` are 0 and 1 or 1 and 0, `V` is 0 or 1.
pub const FAMILIES: &[(&str, &[&str])] = &[
    ("memory", &["int V1 = x[J];", "x[J] = V;", "x[J]++;"]),
    (
        "atomics",
        &[
            "(void)a[J];",
            "a[J] = V;",
            "atomic_fetch_add(&a[J], 1);",
            "{ int e = V; atomic_compare_exchange_strong(&a[J], &e, 1 - V); }",
            "x[J] = V;",
        ],
    ),
    (
        "mutexes",
        &[
            "lock(m[J]); unlock(m[J]);",
            "lock(m[J]); lock(m[K]); unlock(m[K]); unlock(m[J]);",
            "lock(m[J]); x[2]++; unlock(m[J]);",
        ],
    ),
    (
        "trylock",
        &[
            "lock(m[J]); unlock(m[J]);",
            "if (!pthread_mutex_trylock(&m[J])) unlock(m[J]);",
            "x[J] = V;",
        ],
    ),
    (
        "semaphores",
        &[
            "sem_post(&s);",
            "sem_wait(&s);",
            "sem_trywait(&s);",
            "x[J] = V;",
        ],
    ),
    (
        "conditions",
        &[
            "lock(m[0]); pthread_cond_wait(&c, &m[0]); unlock(m[0]);",
            "pthread_cond_signal(&c);",
            "pthread_cond_broadcast(&c);",
            "lock(m[0]); unlock(m[0]);",
        ],
    ),
    (
        "timed",
        &[
            "lock(m[0]); pthread_cond_timedwait(&c, &m[0], &ts); unlock(m[0]);",
            "pthread_cond_signal(&c);",
            "lock(m[0]); unlock(m[0]);",
        ],
    ),
    (
        "rwlocks",
        &[
            "pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);",
            "pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l);",
            "if (!pthread_rwlock_trywrlock(&l)) pthread_rwlock_unlock(&l);",
        ],
    ),
    (
        "barriers",
        &[
            "if (pthread_barrier_wait(&b)) x[0] = V;",
            "x[J] = V;",
            "(void)a[J];",
        ],
    ),
    (
        "spinning",
        &[
            "while (a[J] == V);",
            "a[J] = V;",
            "atomic_fetch_add(&a[J], 1);",
            "while (a[J] == 0 && a[K] != 1) sched_yield();",
        ],
    ),
    (
        "polling",
        &[
            "while (pthread_mutex_trylock(&m[J])); unlock(m[J]);",
            "lock(m[0]); while (!x[0]) { unlock(m[0]); lock(m[0]); } unlock(m[0]);",
            "lock(m[0]); x[0] = 1; unlock(m[0]);",
            "lock(m[J]); unlock(m[J]);",
        ],
    ),
    (
        "regions",
        &[
            "coarsen_atomic_begin(); x[J]++; x[K] = V; coarsen_atomic_end();",
            "coarsen_atomic_begin(); while (x[J] == V) { coarsen_atomic_end(); coarsen_atomic_begin(); } \
             coarsen_atomic_end();",
            "x[J] = V;",
            "swap(&x[J], &x[K]);",
        ],
    ),
    (
        CHANGING,
        &[
            "coarsen_atomic_begin(); if (x[J]) y[J] = y[K]; coarsen_atomic_end();",
            "x[J] = V;",
            "y[J] = V + 1;",
        ],
    ),
    (
        "strings",
        &[
            "memcpy(x, y, J + 5);",
            "strcpy((char *)x, \"ab\");",
            "memset(y, V, 4);",
            "(void)strlen((char *)x);",
        ],
    ),
    (
        "locks_by_hand",
        &[
            "for (;;) { int e = 0; if (atomic_compare_exchange_strong(&a[J], &e, 1)) break; } a[J] = 0;",
            "while (atomic_exchange(&a[J], 1)); a[J] = 0;",
            "x[J] = V;",
        ],
    ),
    (
        "bytes",
        &[
            "((char *)x)[J * 3] = V;",
            "*(short *)((char *)x + 1 + J) = V;",
            "*(long *)x = V;",
            "(void)*(volatile short *)((char *)x + 2);",
            "x[J] = V;",
        ],
    ),
    (
        "inner_threads",
        &[
            "{ pthread_t i; go(i, leafJ); x[K] = V; end(i); }",
            "{ pthread_t i; go(i, leafJ); pthread_detach(i); }",
            "{ pthread_t i; go(i, leafJ); (void)a[K]; end(i); }",
            "a[J] = V;",
        ],
    ),
    (
        "waiters",
        &[
            "lock(m[0]); while (!x[J]) pthread_cond_wait(&c, &m[0]); unlock(m[0]);",
            "lock(m[0]); while (!x[J]) pthread_cond_wait(&d, &m[0]); x[J] = 0; unlock(m[0]);",
            "lock(m[0]); x[J] = 1; pthread_cond_signal(&c); unlock(m[0]);",
            "lock(m[0]); x[J] = 1; unlock(m[0]); pthread_cond_broadcast(&c);",
            "lock(m[0]); x[J] = 1; pthread_cond_signal(&d); unlock(m[0]);",
        ],
    ),
    (
        "kinds",
        &[
            "lock(r); lock(r); x[J] = V; unlock(r); unlock(r);",
            "if (!pthread_mutex_trylock(&r)) { lock(r); unlock(r); unlock(r); }",
            "if (!lock(f)) { if (lock(f) == own_lock) x[J] = V; unlock(f); }",
            "if (unlock(f)) x[J] = V;",
            "pthread_spin_lock(&spin); x[J]++; pthread_spin_unlock(&spin);",
        ],
    ),
    (
        "deadlines",
        &[
            "if (!pthread_mutex_timedlock(&m[J], &ts)) unlock(m[J]);",
            "lock(m[J]); x[J] = V; unlock(m[J]);",
            "if (!sem_timedwait(&s, &ts)) x[2] = 1;",
            "if (!pthread_rwlock_timedwrlock(&l, &ts)) pthread_rwlock_unlock(&l);",
            "if (!pthread_rwlock_timedrdlock(&l, &ts)) pthread_rwlock_unlock(&l);",
            "sem_post(&s);",
        ],
    ),
    (
        "results",
        &[
            "sem_getvalue(&s, &x[J]);",
            "atomic_compare_exchange_strong(&a[J], &x[K], V);",
            "time((time_t *)y);",
            "y[2] = strtol((char *)&y[2], (char **)y, 10);",
            "x[J] = V;",
            "(void)*(volatile long *)y;",
            "sem_post(&s);",
        ],
    ),
    (
        "once",
        &["pthread_once(&o, first);", "(void)a[J];", "a[J] = V;"],
    ),
    (
        "pipes",
        &[
            "write(w[J][1], \"ab\", 1 + V);",
            "{ char b; if (read(w[J][0], &b, 1) > 0) x[K] = b; }",
            "x[J] = read(w[J][0], y, 2);",
            "close(w[J][1]);",
            "if (write(w[J][V], x, 1) < 0) x[K] = V;",
            "{ char b; if (read(w[J][V], &b, 1) < 0) x[K] = V; }",
        ],
    ),
    (
        "full_pipes",
        &[
            "write(w[0][1], big, 1 + V);",
            "{ char b[2]; if (read(w[0][0], b, 1 + V) > 0) x[K] = 1; }",
            "x[J] = V;",
            "write(w[1][J], big, 1);",
        ],
    ),
    (
        "by_value",
        &[
            "pairs[J] = pair(V);",
            "x[2] = sum(pairs[J], 1);",
            "wides[J] = next(wides[K]);",
            "wides[J].w[V] = 1;",
            "pairs[J].b = V;",
        ],
    ),
];

/// Families with choices, and those whose executions may end before their end. Those that go wrong are not counted:
/// which steps of the other threads come before that is no matter.
const ENDING: &[(&str, &[&str])] = &[
    (
        "assumptions",
        &[
            "if (coarsen_choice(2)) x[J] = V;",
            "x[J] = coarsen_choice(3);",
            "coarsen_assume(x[J] == V);",
            "x[J] = V;",
        ],
    ),
    (
        "ends",
        &[
            "if (a[J] == V) pthread_exit(0);",
            "if (a[J] == 1) exit(0);",
            "a[J] = V;",
            "assert(a[J] == 0 || a[K] == 0);",
        ],
    ),
    (
        "waiting_for_pipes",
        &[
            "x[J] = waits(w[J][0], w[K][0], -1);",
            "x[J] = waits(w[J][0], w[K][0], V);",
            "while (!waits(w[J][0], w[K][0], 1));",
            "x[J] = chooses(w[J][0], w[K][1], V);",
            "write(w[J][1], x, 1);",
            "{ char b; read(w[J][0], &b, 1); }",
            "close(w[J][V]);",
        ],
    ),
    (
        "pipe_ends",
        &[
            "write(w[J][1], \"ab\", 1 + V);",
            "x[J] = read(w[J][V], y, 2);",
            "close(w[J][V]);",
        ],
    ),
    (
        "heap",
        &[
            "if (!q) { int *n = malloc(4); *n = V; q = n; }",
            "if (q) *q = V;",
            "if (q) { free(q); q = 0; }",
            "x[J] = V;",
        ],
    ),
    (
        "heap_locks",
        &[
            "{ pthread_mutex_t *o = n; if (o) { lock(*o); x[J] = V; unlock(*o); } }",
            "{ pthread_mutex_t *o = n; if (o && !pthread_mutex_trylock(o)) unlock(*o); }",
            "{ pthread_mutex_t *o = atomic_exchange(&n, 0); if (o) { free(o); } }",
            "{ pthread_mutex_t *o = atomic_exchange(&n, 0); if (o) { lock(*o); unlock(*o); free(o); } }",
            "x[J] = V;",
        ],
    ),
    (
        "destroyed",
        &[
            "pthread_mutex_destroy(&m[J]);",
            "lock(m[J]); x[K] = V; unlock(m[J]);",
            "sem_destroy(&s);",
            "sem_post(&s);",
            "sem_wait(&s);",
            "pthread_rwlock_destroy(&l);",
            "pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);",
            "pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l);",
        ],
    ),
    (
        "stacks",
        &[
            "int V1 = V; g = &V1;",
            "if (g) *g = V;",
            "{ int *p = g; if (p) x[J] = *p; }",
            "{ pthread_t i; int V1 = 5; g = &V1; go(i, leafJ); end(i); }",
            "{ int e = V; g = &e; atomic_compare_exchange_strong(&a[J], &e, 1 - V); }",
            "a[J] = V;",
        ],
    ),
    (
        "choices",
        &[
            "while (a[J] == V && coarsen_choice(2));",
            "a[J] = V;",
            "if (coarsen_choice(2)) a[K]++;",
        ],
    ),
    (
        "choosing_regions",
        &[
            "coarsen_atomic_begin(); x[J] = coarsen_choice(2); coarsen_atomic_end();",
            "coarsen_atomic_begin(); x[J] += x[K] + coarsen_choice(2); coarsen_atomic_end();",
            "for (;;) { coarsen_atomic_begin(); int c = x[J] == V || coarsen_choice(2); coarsen_atomic_end(); if (c) \
             break; }",
            "x[J] = V;",
        ],
    ),
];

/// Statements of any family.
fn mixed() -> Vec<&'static str> {
    FAMILIES.iter().flat_map(|f| f.1.iter().copied()).collect()
}

/// What `main` does first, where there are pipes.
pub fn pipes(statements: &[&str]) -> &'static str {
    let any = |what: &str| statements.iter().any(|s| s.contains(what));
    match (any("w["), any("big")) {
        (true, true) => "pipe(w[0]); pipe(w[1]); write(w[0][1], big, 65535);\n",
        (true, false) => "pipe(w[0]); pipe(w[1]);\n",
        (false, _) => "",
    }
}

pub fn random_program(dice: &mut Dice, statements: &[&str], long: bool) -> String {
    let threads = 2 + dice.roll(2) as usize;
    let mut text = format!(
        "{HEAD}#include <string.h>\n#include <unistd.h>\n#include <poll.h>\n\
         #include <sys/select.h>\n#include \"coarsen.h\"\nint x[3], y[3], \
         w[2][2]; char big[65535]; _Thread_local int own; atomic_int a[2]; \
         pthread_mutex_t m[2]; pthread_cond_t c; sem_t s; struct timespec ts;\npthread_rwlock_t l = \
         PTHREAD_RWLOCK_INITIALIZER; pthread_barrier_t b;\n#define swap __VERIFIER_atomic_swap\n\
         void swap(int *p, int *q) {{ own = *p; *p = *q; *q = own; }}\n\
         pthread_cond_t d; pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, f = \
         PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP; pthread_spinlock_t spin;\nconst int own_lock = EDEADLK;\n\
         struct pair {{ int a, b; }} pairs[2]; struct wide {{ int w[6]; }} wides[2];\n\
         struct pair pair(int a) {{ struct pair p = {{a, 1}}; return p; }} int sum(struct pair p, int n) {{ return p.a \
         + p.b + n; }}\nstruct wide next(struct wide w) {{ w.w[0]++; return w; }}\n\
         int waits(int a, int b, int t) {{ struct pollfd f[2] = {{{{a, POLLIN}}, {{b, POLLIN}}}};\n\
         int n = poll(f, 2, t); return n * 10000 + f[0].revents * 100 + f[1].revents; }}\n\
         int chooses(int a, int b, int t) {{ fd_set r, u; FD_ZERO(&r); FD_SET(a, &r); FD_ZERO(&u); FD_SET(b, &u);\n\
         struct timeval v = {{0, 1}}; int n = select(200, &r, &u, 0, t ? &v : 0);\n\
         return n * 100 + FD_ISSET(a, &r) * 10 + FD_ISSET(b, &u); }}\n\
         int *q, *_Atomic g; pthread_mutex_t *_Atomic n; pthread_once_t o; void first(void) {{ a[0] = 1; }}\n\
         void *leaf0(void *_) {{ x[0] = 1; return 0; }}\nvoid *leaf1(void *_) {{ a[1] = 1; return 0; }}\n"
    );
    for t in 0..threads {
        let _ = write!(text, "void *t{t}(void *_) {{ ");
        for _ in 0..1 + dice.roll(if threads == 2 { 3 } else { 1 + u64::from(long) }) {
            let j = dice.roll(2);
            let statement = statements[dice.roll(statements.len() as u64) as usize];
            let statement = statement
                .replace('J', &j.to_string())
                .replace('K', &(1 - j).to_string())
                .replace("V1", &format!("l{}", dice.0 % 100_000))
                .replace('V', &dice.roll(2).to_string());
            let _ = writeln!(text, "{statement}");
        }
        text.push_str("return 0; }\n");
    }
    let value = dice.roll(2);
    let _ = writeln!(
        text,
        "int main() {{ sem_init(&s, 0, {value}); q = malloc(4); n = calloc(1, sizeof *n); pthread_barrier_init(&b, 0, \
         2); pthread_t h[3];"
    );
    text.push_str(pipes(statements));
    for t in 1..threads {
        let _ = writeln!(text, "go(h[{t} - 1], t{t});");
    }
    text.push_str("t0(0);\n");
    for t in 1..threads {
        let _ = writeln!(text, "end(h[{t} - 1]);");
    }
    text.push_str("return 0; }\n");
    text
}

#[test]
fn random_programs_against_every_interleaving() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("random");
    // Larger ones, one family only: `MOST=100000 FAMILY=regions`.
    let most = asked("MOST", if crate::random::long() { 8_000 } else { 2_000 });
    let only = std::env::var("FAMILY").unwrap_or_default();
    let mut dice = Dice::seeded(0x9E37_79B9_7F4A_7C15);
    let mut compared = 0;
    let mixed = mixed();
    let families = FAMILIES.iter().chain(ENDING).copied();
    let families = families.chain([("mixed", mixed.as_slice())]);
    for (family, statements) in families.filter(|f| only.is_empty() || only == f.0) {
        for round in 0..crate::random::cases(3) {
            let text = random_program(&mut dice, statements, family == CHANGING);
            let program = make(&scratch.file(&format!("{family}{round}"), &text), &[]);
            let every = Settings {
                exhaustive: true,
                executions: most,
                cores: 1,
                ..settings()
            };
            let every = run(&program, &every);
            if !every.limits.is_empty() {
                continue;
            }
            compared += 1;
            // Handed out one by one, ways meet in all orders.
            for (piece, alone) in [(settings().piece, settings().alone), (1, 0), (4, 200)] {
                let reduced = Settings {
                    piece,
                    alone,
                    ..settings()
                };
                let reduced = run(&program, &reduced);
                assert_eq!(findings(&reduced), findings(&every), "{text}");
                if !cut_short(&every) {
                    assert_eq!(reduced.executions, every.classes.len() as u64, "{text}");
                }
            }
        }
    }
    let enough = !only.is_empty() || crate::random::enough(compared, 40);
    assert!(enough, "only {compared} programs were small enough");
}
