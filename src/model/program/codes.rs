//! The codes of names, types, ranges and disciplines (`E02xx`, warnings `W02xx`), explained.

use crate::base::diagnostic::Code;

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal, $text:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*
        /// Every code of this phase.
        pub static PROGRAM_CODES: &[Code] = &[$(Code { code: $code, title: $title, text: $text }),*];
    };
}

codes! {
    UNKNOWN_NAME = "E0201", "unknown name",
        "The name is not declared, or not visible here. Shared variables, constants, enums, mutexes and threads are \
         declared at the top level; a thread's own variables only inside it; `self` stands in threads and in exclusive \
         access predicates.\n\n  wrong: x = cuont;      right: x = count;";
    DUPLICATE_NAME = "E0202", "name declared twice",
        "Each name is declared once. A thread-local variable may not hide a top-level name, and two labels of one \
         thread or procedure differ, as do the fields of a record.";
    TYPE_MISMATCH = "E0203", "types do not fit",
        "Conditions are boolean, arithmetic and indices are integers, and both sides of `==` have one type. There is \
         no conversion: write `b ? 1 : 0` for the number of a boolean.\n\n  wrong: if (n) { .. }      right: if (n != \
         0) { .. }";
    NOT_CONSTANT = "E0204", "constant expected",
        "Bounds of types, array sizes, initial values, family and loop bounds are computed before the program runs: \
         numbers, constants, enclosing loop variables and operators.";
    EMPTY_RANGE = "E0205", "empty or too large type, array or family",
        "A type `lo..hi` needs lo <= hi, `mod k` needs k >= 1, an array needs at least one cell, a family at least one \
         thread; bounds lie within -2147483647..2147483647.";
    OUT_OF_RANGE = "E0206", "value outside its type",
        "An initial value must belong to the variable's type. (An assignment that leaves the type while the program \
         runs is no input error: it sends the thread to `wrong`.)";
    WRONG_INDEXING = "E0207", "wrong number of indices",
        "A variable declared with n sizes is used with n indices: `var x[3]: bool;` is read as `x[0]`, never as `x`.";
    NOT_A_VARIABLE = "E0208", "not something that can be used so",
        "Only variables can be assigned, only mutexes can be locked, and an object such as a mutex is used only by its \
         operations (`lock`, `unlock`) and by its state (`m.owner`), which no assignment changes. References point \
         into pools and into arrays of records; `new` and `free` are for pools only.";
    BAD_ATOMIC = "E0209", "not possible inside one action",
        "An `atomic` block is one step: it may block only at its first statement and may not loop, and `when` guards a \
         single action. `wait` and `await` are two actions and can stand in neither. A procedure called in an `atomic` \
         block has to keep to this as well, and returns with its last statement only.\n\n  wrong: atomic { x = 1; when \
         (y == 0) skip; }\n  right: atomic { when (y == 0) skip; x = 1; }      or two statements without `atomic`";
    NO_ACTION = "E0210", "a loop without a step",
        "`while (true) { }` never performs a step, so that the thread would hang without ending; nor does `L: goto \
         L;`. Write `skip;` if a busy wait is meant, `when (false) skip;` if the thread is to block for ever.";
    BAD_DISCIPLINE = "E0211", "discipline that can't be meant",
        "`protected x[k] by e` repeats the variable's own name with one bound name per index, and `e` is a mutex, a \
         read-write lock, several mutexes `{m1, m2}`, or a boolean expression over `self`, the bound names, `at(..)`, \
         owners and variables. Thread-local variables have no discipline.";
    UNKNOWN_LABEL = "E0212", "unknown label",
        "`at(t, L)` needs a label `L:` in thread `t` (for `self`, in some thread). `end` and `wrong` need no label. \
         `goto L;` needs a label `L:` in the same body: of the thread, or of the procedure. To leave a procedure, \
         write `return`.\n\n  wrong: thread a { goto done; }      right: thread a { goto done; skip; done: }";
    TOO_LARGE = "E0213", "too large",
        "Unrolling, arrays and families are limited to 1,000,000 locations and cells together, and the values of an \
         expression to 62 bits.";
    BAD_DEFINE = "E0214", "-D does not fit",
        "`-D NAME=VALUE` overrides a constant of the model: an integer for an integer, `true` or `false` for a \
         boolean.";
    MISPLACED = "E0215", "not possible here",
        "`at(..)` describes locations and may stand only in properties, `init` and exclusive access predicates; `self` \
         only in threads, procedures and exclusive access predicates; thread-local declarations only at the top level \
         of the body of a thread or procedure. A thread's own variable holds no objects for threads to meet at.";
    BAD_EXPECT = "E0216", "expectation that can't be met",
        "`expect holds NAME` speaks of `discipline`, `assertions`, `deadlock_free` (if the model asks for it) or a \
         declared property. A lemma is no property: nothing depends on whether it holds.";
    NO_THREAD = "E0217", "no thread",
        "A model declares at least one thread.";
    RECURSION = "E0218", "contains or calls itself",
        "A call is replaced by the procedure's body, and a variable of record type by its fields, so neither may \
         contain itself. Write a loop instead of a recursive procedure, and a reference `ref R in P` instead of a \
         record in itself.\n\n  wrong: proc f() { f(); }\n  wrong: record node { next: node; }      right: record node \
         { next: ref node in nodes; }";
    BAD_CALL = "E0219", "call that can't be meant",
        "A procedure is called with as many arguments as it has parameters, in a statement of its own, `f(e);` or `x = \
         f(e);`, or in an expression where it is evaluated in any case: in an assignment, `if`, `while`, `assert`, \
         `return` or a call. It has a value only if it has a result type. No procedure has the name of an operation \
         such as `wait`.\n\n  wrong: if (b && f(1)) { .. }      right: if (b) { if (f(1)) { .. } }";
    BAD_RETURN = "E0220", "`return` that does not fit",
        "A procedure with a result type ends with `return e;` on every path, and one without has `return;` only. \
         Outside procedures there is nothing to return from. Only the shape of the body counts, not the values of \
         conditions.\n\n  wrong: proc f(b: bool): 0..7 { if (b) { return 1; } }\n  right: proc f(b: bool): 0..7 { if \
         (b) { return 1; } return 0; }";
    UNKNOWN_FIELD = "E0221", "no such field",
        "Behind a `.` stands a field of a record, also through a reference (`p.next.value`), or the state of an \
         object: `m.owner`, `m.depth` of a reentrant mutex, `l.writer` and `l.reading[t]` of a read-write lock, \
         `c.waiting[t]` of a condition variable or barrier, `s.value` of a semaphore, `P.allocated[k]` of a pool.";
    WHOLE_RECORD = "E0222", "record used as a whole",
        "Records are used field by field: there is no assignment, comparison, `havoc` or parameter of a whole record, \
         and its initial values stand at the fields. Pass a reference, `ref R in P`, where several fields are \
         meant.\n\n  wrong: p = q;      right: p.x = q.x; p.y = q.y;";
    BAD_GOTO = "E0223", "jump into a `for` or a transaction",
        "A `for` loop is unrolled, so that a label in it names a place in each copy. `goto` may lead to it from the \
         same copy of the loop's body, and out of the loop, but not into it from outside. Nor may it lead into a \
         `transaction` from outside, which begins with its first statement.\n\n  wrong: goto A; for (k in 0..2) { A: x \
         = k; }\n  right: for (k in 0..2) { if (x == k) { goto A; } skip; A: x = k; }";
    EXCHANGE = "E0224", "operation that can't be meant",
        "`cas(x, old, new)`, `fetch_add(x, k)` and `swap(x, v)` stand on the right of an assignment, in the condition \
         of `if` and `while`, in `assert` and `return`, or as statements of their own. `x` is a variable. All that a \
         step reads is read first, so no operand may be something that the same step writes.\n\n  wrong: t = swap(x, \
         t);      right: u = t; t = swap(x, u);\n  wrong: when (cas(x, 0, 1)) skip;      right: when (x == 0) x = 1;";
    ALWAYS_WRONG = "W0201", "this step always goes wrong",
        "No value that the right side can take belongs to the variable's type, so that the thread goes to `wrong` \
         whenever it takes this step.";
    NO_CHOICE = "W0203", "nothing to choose",
        "`choose v in lo..hi where e;` waits until `e` holds for some value of the range. Here it holds for none, \
         whatever the state, or the range is empty: the thread waits for ever.";
    UNREACHABLE_CODE = "W0202", "never reached",
        "Control never comes here, because the loop before it does not end, or a `return` leaves the procedure, or a \
         `goto` goes on elsewhere. Code with a label that some `goto` names is reached.";
}
