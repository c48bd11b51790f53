//! What reports call things: variables, fields, elements, blocks of the heap, values; and the forms of executions.

use super::formats::coarsen;
use super::{HEAD, Scratch, possible};
use serde_json::Value;

/// Two consumers take from a list, and look at it without its lock.
const QUEUE: &str = r"
struct node { int value; struct node *next; };
struct queue { pthread_mutex_t lock; pthread_cond_t nonempty; struct node *head; int len; int stats[4]; };
static struct queue *q;
static int results[2];
static void push(struct queue *self, int v) {
    struct node *n = malloc(sizeof *n);
    n->value = v;
    lock(self->lock);
    n->next = self->head;
    self->head = n;
    self->len++;
    self->stats[v % 4]++;
    pthread_cond_signal(&self->nonempty);
    unlock(self->lock);
}
static int pop(struct queue *self) {
    lock(self->lock);
    while (!self->head) pthread_cond_wait(&self->nonempty, &self->lock);
    unlock(self->lock);
    struct node *n = self->head;
    self->head = n->next;
    self->len--;
    int v = n->value;
    free(n);
    return v;
}
static void *consumer(void *arg) { results[(long)arg] = pop(q); return 0; }
int main(void) {
    q = calloc(1, sizeof *q);
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, consumer, (void *)i);
    push(q, 1);
    push(q, 2);
    for (int i = 0; i < 2; i++) end(t[i]);
    return 0;
}
";

#[test]
fn blocks_are_named_by_their_types_and_by_what_points_to_them() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("names");
    scratch.file("queue", &format!("{HEAD}{QUEUE}"));
    let (code, out, _) = coarsen(&["test", "queue.c"], &scratch.0);
    assert_eq!(code, 10, "{out}");
    for line in [
        "queue.c: refuted - use after free (node#2.value) at queue.c:",
        "trace: 53 steps; another thread is there from step 2 on (-v has all)",
        " self->len++;",
        "q->len: 0 -> 1",
        "q->head: NULL -> node#1",
        "q->lock: free -> T0",
        "signal q->nonempty",
        "free node#2",
        "! node#2.value = 2",
        "    queue#1 (*q): 120 bytes, allocated at queue.c:",
        "    node#2: 16 bytes, allocated at queue.c:",
        ", freed at queue.c:",
        "    q->len: write at queue.c:",
    ] {
        assert!(out.contains(line), "{line}\n{out}");
    }
    // Nobody else looks at the statistics, and nothing is an address.
    assert!(!out.contains("stats[v % 4]"), "{out}");
    assert!(!out.contains("0x"), "{out}");
    let (_, all, _) = coarsen(&["test", "-v", "queue.c"], &scratch.0);
    assert!(all.contains("q->stats[1]: 0 -> 1"), "{all}");
    assert!(all.lines().count() > out.lines().count());
}

/// Pieces of what a program may be made of, each with what the report calls it and its value.
const PIECES: &[(&str, &str, &str)] = &[
    ("", "grid[1][2] = 5;", "grid[1][2]: 0 -> 5"),
    ("", "box.inner.y = -3;", "box.inner.y: 0 -> -3"),
    ("", "box.deep = 4;", "box.deep: 0 -> 4"),
    ("", "box.tag = 'q';", "box.tag: 0 -> 'q'"),
    ("", "box.sure = true;", "box.sure: false -> true"),
    ("", "box.state = RUNNING;", "box.state: IDLE -> RUNNING"),
    ("", "box.run = work;", "box.run: NULL -> work"),
    ("", "box.to = &grid[1][0];", "box.to: NULL -> &grid[1][0]"),
    ("", "box.small.b = 3;", "box.small.a/b: 0 -> 24"),
    ("", "box.word.f = 1.5f;", "box.word.i: 0 -> 1069547520"),
    ("static int calls;", "calls++;", "calls: 0 -> 1"),
    ("", "shared[1].x = 7;", "here[1].x of T0: 0 -> 7"),
    ("", "pairs[2].y = 8;", "pairs[2].y: 0 -> 8"),
    ("", "open->rest[3] = 9;", "open->rest[3]: 0 -> 9"),
    (
        "",
        "atomic_fetch_add(&ticket, 4294967295u);",
        "ticket: 0 -> 4294967295",
    ),
    ("", "big = 1ul << 40;", "big: 0 -> 1099511627776"),
];

#[test]
fn pieces_and_values_are_named_as_the_program_does() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("pieces");
    for (n, (before, statement, said)) in PIECES.iter().enumerate() {
        let text = format!(
            "{HEAD}#include <stdbool.h>\n\
             enum state {{ IDLE, RUNNING }};\n\
             struct pair {{ int x, y; }};\n\
             struct open {{ long n; int rest[]; }};\n\
             static int grid[2][3];\n\
             static atomic_uint ticket;\n\
             static unsigned long big;\n\
             static struct {{ struct pair inner; struct {{ int deep; }}; char tag; bool sure; enum state state;\n\
             void (*run)(void); int *to; struct {{ unsigned a : 3, b : 5; }} small; union {{ int i; float f; }} word;\n\
             }} box;\n\
             static struct pair *shared, *pairs;\n\
             static struct open *open;\n\
             static void work(void) {{}}\n\
             static void *t(void *_) {{ {before} {statement} return 0; }}\n\
             int main() {{ struct pair here[2] = {{0}}; shared = here; pairs = calloc(4, sizeof *pairs);\n\
             open = calloc(1, sizeof *open + 20); pthread_t h; go(h, t); end(h); work(); assert(!open); }}\n"
        );
        let name = format!("piece{n}");
        scratch.file(&name, &text);
        let (code, out, _) = coarsen(&["test", "-v", &format!("{name}.c")], &scratch.0);
        assert!(
            code == 10 && out.contains(said),
            "{statement}: {said}\n{out}"
        );
    }
}

#[test]
fn executions_have_the_forms_of_models_executions() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("forms");
    scratch.file("queue", &format!("{HEAD}{QUEUE}"));
    let written = |file: &str, more: &[&str]| {
        let args = [&["test", "-q", "queue.c", "--trace", file], more].concat();
        assert_eq!(coarsen(&args, &scratch.0).0, 10);
        std::fs::read_to_string(scratch.0.join(file)).expect("a file")
    };
    let mermaid = written("it.mmd", &[]);
    assert!(mermaid.starts_with("sequenceDiagram\n"), "{mermaid}");
    assert!(mermaid.contains("participant t2 as T2"), "{mermaid}");
    let page = written("it.html", &[]);
    assert!(
        page.contains("q-\\u003ehead") || page.contains("q->head"),
        "{page}"
    );
    let table = written("it.txt", &[]);
    assert!(table.contains("q->head: NULL -> node#1"), "{table}");
    let itf: Value = serde_json::from_str(&written("it.itf.json", &[])).expect("JSON");
    let states = itf["states"].as_array().expect("states");
    let schedule: Value = serde_json::from_str(&written("it.json", &[])).expect("JSON");
    let steps = schedule["schedule"].as_array().expect("steps").len();
    assert_eq!(states.len(), steps + 1);
    assert_eq!(states[steps]["q->lock"], "free");
    assert_eq!(states[steps]["T2"], "end");
    assert_eq!(written("other", &["--trace-format", "text"]), table);
    let (code, _, err) = coarsen(&["test", "queue.c", "--trace-format", "text"], &scratch.0);
    assert!(code == 2 && err.contains("--trace"), "{err}");
    // A replay tells the same.
    let (code, out, _) = coarsen(&["replay", "it.json"], &scratch.0);
    let (_, first, _) = coarsen(&["test", "queue.c"], &scratch.0);
    let trace = |text: &str| {
        let from = text.find("    trace: ").expect("a trace");
        text[from..].split("\n\n").next().map(str::to_string)
    };
    assert_eq!((code, trace(&out)), (10, trace(&first)));
}

/// Long executions of much memory stay readable; JSON and `-v` have all.
#[test]
fn long_executions_are_told_in_short() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("long");
    let text = format!(
        "{HEAD}struct cell {{ struct cell *next; int v; }} *list; int hits[400]; pthread_mutex_t m;\n\
         void *t(void *_) {{\nfor (int i = 0; i < 400; i++) {{\nstruct cell *c = malloc(sizeof *c); lock(m);\n\
         c->next = list; list = c; hits[i]++; unlock(m); }}\nreturn 0; }}\n\
         int main() {{ pthread_t h; go(h, t); t(0); end(h); if (hits[0]) abort(); }}\n"
    );
    scratch.file("long", &text);
    let (code, out, _) = coarsen(&["test", "--limit-executions", "1", "long.c"], &scratch.0);
    assert!(code == 10 && out.lines().count() < 200, "{out}");
    for said in [
        "lines (-v, or --trace FILE, has all) ..",
        ".. 364 more",
        "more blocks (-v, or --format json, has all)",
    ] {
        assert!(out.contains(said), "{said}\n{out}");
    }
    let (_, all, _) = coarsen(
        &["test", "-v", "--limit-executions", "1", "long.c"],
        &scratch.0,
    );
    assert!(all.contains("cell#800: 16 bytes") && all.contains("hits[399]: 1 -> 2"));
}
