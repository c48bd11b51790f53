//! Models made in Rust: the texts are those that a person would write, and what is wrong is told.

use crate::shipped;
use coarsen::base::control::ParseLimits;
use coarsen::builder::{
    Expr, Model, Type, Variable, cas, exists, fetch_add, forall, none, null, self_thread, swap,
};
use coarsen::model::text::ast::Decl;
use coarsen::model::text::{parse_model, print_model};

/// A text without comments and `expect` lines, as it is printed.
fn plain(source: &str) -> String {
    let (mut tree, diagnostics) = parse_model(source, ParseLimits::default());
    assert_eq!(diagnostics, [], "{source}");
    tree.decls.retain(|d| !matches!(d, Decl::Expect(_)));
    print_model(&tree)
}

/// A made model is the shipped one, and has its answers.
fn is_shipped(model: &Model, name: &str) {
    assert_eq!(model.text(), plain(&shipped::model(name).source));
    assert!(model.load().is_ok());
}

#[test]
fn the_bank() {
    let mut model = Model::new("bank");
    let accounts = model.constant("ACCOUNTS", 3);
    let m = model.mutexes("m", &accounts);
    let balance = model
        .variable("balance", Type::range(0, 4), 0)
        .array(&accounts)
        .each([1, 2, 1])
        .each_protected_by(|k| m.at(&k[0]).into());
    let balance = balance.declare();
    model.threads("teller", "i", 0, 1, |t, i| {
        let next = &i + 1;
        t.claim("transfer", |b| {
            b.lock(&m.at(&i));
            b.lock(&m.at(&next));
            b.if_then(balance.at(&i).gt(0), |b| {
                b.assign(&balance.at(&i), balance.at(&i) - 1);
                b.assign(&balance.at(&next), balance.at(&next) + 1);
            });
            b.unlock(&m.at(&next));
            b.unlock(&m.at(&i));
        });
    });
    model.deadlock_free();
    let text = model
        .text()
        .replace("balance[k0] by m[k0]", "balance[k] by m[k]");
    assert_eq!(text, plain(&shipped::model("transactions/bank").source));
}

#[test]
fn the_counter_without_a_lock() {
    let mut model = Model::new("cas_counter");
    let n = model.constant("N", 3);
    let count = model
        .variable("count", Type::range(0, &n), 0)
        .unprotected()
        .declare();
    model.threads("worker", "i", 1, &n, |t, _| {
        let seen = t.local("seen", Type::range(0, &n), 0);
        let done = t.local("done", Type::bool(), false);
        t.claim("increment", |b| {
            b.while_loop(!&done, |b| {
                b.assign(&seen, &count);
                b.assign(&done, cas(&count, &seen, &seen + 1));
            });
        });
    });
    let all = forall("i", 1, &n, |i| Expr::member("worker", i).is_at("end"));
    model.invariant("counted", all.implies(count.is(&n)));
    is_shipped(&model, "lock_free/cas_counter");
    let report = model.check().expect("no errors");
    assert_eq!(report.claims[0].theorem.as_deref(), Some("lipton"));
}

/// Everything else that can be said, against a text.
#[test]
fn all_the_words() {
    let mut model = Model::new("words");
    let [red, _] = model.enumeration("color", ["red", "green"]);
    model.declarations(
        "record node { next: ref node in nodes = null unprotected; }\npool nodes[2]: node;",
    );
    let (l, c, s) = (
        model.rwlock("l"),
        model.condition("c"),
        model.semaphore("s", 3, 1),
    );
    let m = model.mutex("m");
    let b = model.barrier("b", 1);
    let hue = model.variable("hue", Type::named("color"), &red).declare();
    let x = model
        .variable("x", Type::modulo(4), 3)
        .protected_by(m.field("owner").is(self_thread()));
    let x = x.declare();
    let table = model.variable("table", Type::bool(), false).array(2);
    let table =
        table.each_protected_by(|k| m.field("owner").is(self_thread()).and(k[0].clone().is(0)));
    table.read_by(|k| k[0].clone().is(1)).declare();
    let constant = model.variable("constant", Type::bool(), true);
    constant.read_by(|_| true.into()).declare();
    let top = model
        .variable("top", Type::reference("node", "nodes"), null())
        .unprotected()
        .declare();
    model.thread("t", |t| {
        let p = t.local("p", Type::reference("node", "nodes"), null());
        let k = t.local("k", Type::range(-1, 3), -1);
        t.allocate(&p, "nodes");
        t.assign(&p.field("next"), &top);
        t.label("Here");
        t.when(top.is(null()), |b| b.assign(&top, &p));
        t.choose("k", 0, 3, Some(k.lt(2)));
        t.either(&mut [&mut |b| b.skip(), &mut |b| b.havoc(&k)]);
        t.for_each("j", 0, 1, |b, j| b.assign(&k, j));
        t.atomic(|b| {
            b.lock(&m);
            b.assign(&x, ((&x * 2 + 1) % 4) & 3);
            b.unlock(&m);
        });
        t.if_else(
            k.ge(0).and(hue.is_not(&red)),
            |b| b.assume(true),
            |b| b.assert(k.le(3).or(k.is(-1))),
        );
        t.assign(&k, k.gt(0).then(-&k + 1, 0));
        t.call("down", [(&s).into()]);
        t.call("read_lock", [(&l).into()]);
        t.call("notify", [(&c).into()]);
        t.call("await", [(&b).into()]);
        t.goto("Here");
    });
    model.thread("u", |t| {
        let old = t.local("old", Type::modulo(4), 0);
        let y = t.local("y", Type::modulo(4), 0);
        t.atomic(|b| {
            b.lock(&m);
            b.assign(&old, fetch_add(&x, 1));
            b.assign(&old, swap(&x, (&y << 1) | ((&y >> 1) ^ 1)));
            b.unlock(&m);
        });
        t.label("Last");
    });
    model.init(x.is(3));
    model.lemma("free", m.field("owner").is(none()).or(true));
    let some = exists("k", 0, 1, |k| {
        Variable::named("nodes").at(k).reference().is(&top)
    });
    model.reach(
        "pushed",
        some.and(Expr::named("t").is_at("Here"))
            .and(Expr::named("u").local("old").is(0)),
    );
    let expected = "\
enum color { red, green }

record node {
    next: ref node in nodes = null unprotected;
}

pool nodes[2]: node;
rwlock l;
cond c;
semaphore s: 0..3 = 1;
mutex m;
barrier b: 1;
var hue: color = red;
var x: mod 4 = 3 protected by m.owner == self;
var table[2]: bool = false protected table[k0] by m.owner == self && k0 == 0, read by k0 == 1;
var constant: bool = true protected by false, read by true;
var top: ref node in nodes = null unprotected;

thread t {
    var p: ref node in nodes = null;
    var k: -1..3 = -1;
    p = new nodes;
    p.next = top;
    Here: when (top == null) atomic {
        top = p;
    }
    choose k in 0..3 where k < 2;
    either {
        skip;
    } or {
        havoc k;
    }
    for (j in 0..1) {
        k = j;
    }
    atomic {
        lock(m);
        x = (x * 2 + 1) % 4 & 3;
        unlock(m);
    }
    if (k >= 0 && hue != red) {
        assume(true);
    } else {
        assert(k <= 3 || k == -1);
    }
    k = k > 0 ? -k + 1 : 0;
    down(s);
    read_lock(l);
    notify(c);
    await(b);
    goto Here;
}

thread u {
    var old: mod 4 = 0;
    var y: mod 4 = 0;
    atomic {
        lock(m);
        old = fetch_add(x, 1);
        old = swap(x, y << 1 | y >> 1 ^ 1);
        unlock(m);
    }
    Last:
}

init x == 3;
lemma free: m.owner == none || true;
reach pushed: (exists (k in 0..1) &nodes[k] == top) && at(t, Here) && u.old == 0;
";
    assert_eq!(model.text(), expected);
    assert_eq!(plain(&model.text()), model.text());
    model.load().unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn what_is_wrong_is_told_with_its_place_in_the_text() {
    let mut model = Model::new("wrong");
    model.thread("t", |t| t.assign(&Variable::named("y"), 1));
    let wrong = model.load().expect_err("y is not declared");
    assert_eq!(wrong.diagnostics[0].code, "E0201");
    assert!(
        wrong
            .to_string()
            .starts_with("2:5: E0201: `y` is not declared"),
        "{wrong}"
    );
    // Names that are none.
    let mut model = Model::new("wrong");
    model.mutex("while");
    model.thread("t", |t| t.skip());
    assert!(model.check().is_err());
    let mut model = Model::new("wrong");
    model.declarations("record {");
    model.thread("t", |t| t.skip());
    assert!(model.load().is_err_and(|w| w.text == "record {"));
}
