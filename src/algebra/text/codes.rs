//! The codes of terms, statements, theories and suites, with what `coarsen explain` says about them.

use crate::base::diagnostic::Code;

/// A constant for each code, and the table of them all.
macro_rules! codes {
    ($($name:ident = $code:literal $title:literal $text:literal)*) => {
        $(pub(crate) const $name: &str = $code;)*

        /// The codes of terms, statements, theories and suites, in order.
        pub static TERM_CODES: &[Code] = &[
            $(Code { code: $code, title: $title, text: $text },)*
        ];
    };
}

codes! {
    NO_TERM = "E0401" "no term" "\
A statement compares terms with `<=`, `>=` or `=`. Terms are built from 0, 1, T, atoms (`u[0]`, `v[i]`, \
`p[worker(1)]`, `q`, single actions such as `worker(0).B`, tests `{ x[0] == 1 }`), complements `~` of tests, `+`, \
products written side by side, `*`, `^w` and `#`.

  wrong: u[0] v[1] <      right: u[0] v[1] <= v[1] u[0]"
    MEANINGLESS = "E0402" "a term without meaning here" "\
The statement can be read, but something in it means nothing here. On a model: a thread that does not exist, a label \
that the thread does not have, a name that is neither u, v, p, q nor defined by the theory, or a complement of \
something that is no test. In a file of theories or identities: a number of a process, a state expression.

  wrong: ~u[0] <= p[0]      right: ~p[0] <= u[0] T"
    UNBALANCED = "E0403" "a bracket without its partner" "\
Each `(`, `[` and `{` is closed in the term it stands in, and each string ends with `\"`.

  wrong: identity a : x (y z <= x y z;      right: identity a : x (y z) <= x y z;"
    NO_ITEM = "E0404" "not an item" "\
A file of theories, proofs or identities is made of items, each with its first word: `level`, `use`, `action`, `test`, \
`let`, `hypothesis`, `conclusion`, `axiom`, `identity`, `fails`, `open`. A header `theory NAME \"source\";` may stand \
before them. Items end with `;`.

  wrong: lemma a : x <= x;      right: identity a : x <= x;"
    WORD = "E0405" "a name that can't be declared" "\
The words that begin items can't name actions and tests; a name stands for one thing: an action, a test, or what a \
`let` defines. `u` and `u[i]` are two names.

  wrong: action p; test p; identity a : p p <= T;      right: action a; test p; identity a : a p <= T;"
    UNKNOWN = "E0406" "unknown name" "\
Every name in a term is declared or defined before, in this file or one that it uses: `action x;`, `test p;`, `let M = \
x y*;`. In suites of S-expressions all names are actions.

  wrong: action v; identity a : v w = w v;      right: action v, w; open a : v w = w v;"
    INDICES = "E0407" "wrong number of indices" "\
A name takes as many process indices as its declaration says.

  wrong: action u[i]; identity a : u <= u[i];      right: action u[i]; identity a : u[i] <= (+ j : u[j]);"
    SUMS = "E0408" "ill-indexed" "\
A sum or product over processes binds a new index variable, its side conditions `j != i` speak of it, and `i != i` \
never holds. A definition has no free index but its own: each stands for one process, so it is named once.

  wrong: identity a : (+ i : (+ i : u[i])) <= T;      right: identity a : (+ i : (+ j : u[i] u[j])) <= T;"
    NO_TEST = "E0409" "a test is needed" "\
Only tests have complements and products over processes, and only a test may stand for a test letter of a lemma. Tests \
are declared with `test`; 0, 1, and sums, products and complements of tests are tests, too.

  wrong: action v; identity a : v + ~v = 1;      right: test v; identity a : v + ~v = 1;"
    CIRCULAR = "E0410" "circular definition" "\
A definition uses only what is declared or defined before it, so never itself. What repeats is written with `*` or `^w`.

  wrong: let X = 1 + x X;      right: let X = x*; identity a : 1 <= X;"
    TWICE = "E0411" "stated twice" "\
Statements and hypotheses of a file have different names, and so have the premises of a statement.

  wrong: identity a : x <= x; identity a : y <= y;      right: identity a : x <= x; identity b : y <= y;"
    HINT = "E0412" "no such hint" "\
Behind `by` stand names of hypotheses, of premises of the statement and of statements before it that are to be proved, \
and words for rules: `induction`, `induction(TERM)`, `coinduction`, `unfold`, `sum_elim`, `sum_intro`, `product_elim`, \
`product_intro`, `separate`, `separate(i)`, `cases`, `cases(i, j)`. A name that is also a rule's can't be a hint. A \
statement may be given values for its index variables and letters: `lemma(j := i, x := u + v)`.

  wrong: identity a : x x* <= x* by b; identity b : 1 <= x*;      right: identity b : 1 <= x*; identity a : x x* <= x* \
  by b;"
    LEVEL = "E0413" "above the level" "\
What stands behind `level L;` is stated and proved with the axioms of that level: `semiring` has 0, 1, + and \
products; `kleene` adds `*`; `tests` adds tests and their complements; `top` adds T; `omega` adds `^w` and `#`; \
`domain` adds `dom`, `cod` and modal operators; `divergence` adds `div`; `converse` adds `conv`, and is about \
relations; `demonic` has the symbols of `omega`, but neither tests nor processes, and `x 0` need not be `0` there. \
Lemmas of a higher level can't be hints.

  wrong: level semiring; identity a : 1 <= x*;      right: level kleene; identity a : 1 <= x*;"
    USE = "E0414" "a file that can't be used" "\
`use NAME;` takes a file that comes with the tool, `use \"path.thy\";` one beside this file. A file does not use \
itself, not even through others.

  wrong: use stoler-cohen; identity a : p <= 1;      right: use stoller-cohen; identity a : p <= 1;"
    TOO_DEEP = "E0415" "nested too deeply, or too large" "\
Terms are nested at most as deep as `--limit-depth` says, and 1,000 levels after definitions are put in and products \
and sums of one kind are merged; these have at most 65,536 members."
    SEXPR = "E0416" "no line of a suite" "\
In a suite of S-expressions a line is a name, `POS` or `NEG`, any number of hypotheses and the goal, separated by \
tabs. Hypotheses and goal are `= l r` or `<= l r`; `+` and `.` have two or more arguments, `st` and `om` one.

  wrong: a<TAB>POS<TAB>= (st x y) (st x)      right: a<TAB>POS<TAB>= (st (st x)) (st x)"
    MODEL = "E0417" "no model" "\
A `fails` statement may carry the model in which it is false: relations on states 1, 2, .. that satisfy all hypotheses \
and premises, and in which the statement fails. Each atom has the pairs of states that it relates, a test its states; \
an atom that is not named relates nothing. Where there are processes, they are 1, 2, .., and an index variable may be \
given one. Only `fails` and `open` statements may leave out hypotheses with `without`.

  wrong: action x, y; fails a : x y <= y x model { states 2; x = 1->2; y = 1->2 };      right: action x, y; fails a : \
  x y <= y x model { states 2; x = 1->2; y = 2->2 };"
    LETTER = "E0418" "a letter that stands for nothing" "\
Behind `is` a declaration says what its letter stands for on a program. Actions: `step of i`, `visible step of i`, \
`invisible step of i`, `right mover of i`, `left mover of i`. Tests: `no .. enabled` with one of these, `i before its \
commit point`, `i behind its commit point`, `i in no transaction`, `i gone wrong`, and without an index `violated` and \
`initial`. A theorem for `--theorem FILE.thy` says it of each letter, and speaks of visible steps or of transactions.

  wrong: action a[i] is unseen step of i;      right: action a[i] is invisible step of i;"
    THEOREM = "E0419" "no theorem to reduce with" "\
A file for `--theorem` begins with `theory NAME \"source\";`, uses no other file, and has hypotheses and a conclusion \
`A <= B`. On the left stands at least what is asked of the original program, such as `p (u + v)* q` or `init t* w[i] \
T`; on the right what the reduced system does. Behind `proved` stand the name of a statement and the file that proves \
it. See docs/theorems.md.

  wrong: conclusion c: N* R <= p (u + v)* q;      right: conclusion c: p (u + v)* q <= N* R;"
    UNUSED_BINDER = "W0401" "an index that is bound and not used" "\
A sum or product over processes has the same member for each of them. That is allowed, and the sum is its member, or 0 \
where there are no processes; mostly another index was meant.

  wrong: axiom a : (+ j : u[i]) <= x;      right: axiom a : (+ j : u[j]) <= x;"
}
