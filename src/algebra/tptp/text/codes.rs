//! The codes of TPTP problems, with what `coarsen explain` says about them.

use crate::base::diagnostic::Code;

/// A constant for each code, and the table of them all.
macro_rules! codes {
    ($($name:ident = $code:literal $title:literal $text:literal)*) => {
        $(pub(crate) const $name: &str = $code;)*

        /// The codes of TPTP problems, in order.
        pub static TPTP_CODES: &[Code] = &[
            $(Code { code: $code, title: $title, text: $text },)*
        ];
    };
}

codes! {
    FORMULA = "E0501" "not a formula" "\
A file in TPTP's form has items `fof(name, role, formula).`, `cnf(name, role, clause).` and `include('file').` \
Formulas are built with `! [X] :`, `? [X] :`, `~`, `&`, `|`, `=>`, `<=`, `<=>`, `<~>`, `~|`, `~&`, `=`, `!=`; \
variables begin with a capital letter. Of connectives other than `&` and `|`, one stands between two parentheses.

  wrong: fof(a, conjecture, p => q => p).      right: fof(a, conjecture, p => (q => p))."
    UNBALANCED = "E0502" "a bracket or quote without its partner" "\
Each `(` and `[` is closed, and so is each `'`, `\"` and `/*`.

  wrong: fof(a, conjecture, leq(zero, one).      right: fof(a, conjecture, leq(zero, one))."
    FREE = "E0503" "a variable that nothing binds" "\
In `fof` every variable stands below a `!` or `?` that names it. In `cnf` all variables are universal, and need no \
binder.

  wrong: fof(a, conjecture, leq(X, X)).      right: fof(a, conjecture, ! [X] : leq(X, X))."
    DIALECT = "E0504" "a form of TPTP that is not supported" "\
Typed and higher-order formulas (`tff`, `tcf`, `thf`, `tpi`) and sequents are not supported: `fof` and `cnf` are.

  wrong: tff(a, conjecture, ! [X : $i] : leq(X, X)).      right: fof(a, conjecture, ! [X] : leq(X, X))."
    INCLUDE = "E0505" "an include that can't be followed" "\
`include('Axioms/KLE001+0.ax').` takes the formulas of that file: it is looked for beside the file that includes it, \
then in the folders above that, then in $TPTP. The path is not absolute and has no `..`, and links do not lead out of \
the folder in which the file was found. A file does not include itself. In `include('file', [a, b]).` only the \
formulas a and b are taken, and they have to be there."
    TOO_DEEP = "E0506" "nested too deeply" "\
Formulas and terms are nested at most as deep as `--limit-depth` says. Chains of `&` and `|` count once."
    ROLE = "E0507" "an unknown role" "\
The role says what a formula is for: `axiom`, `hypothesis`, `definition`, `assumption`, `lemma`, `theorem` and \
`corollary` are assumed, `conjecture` is to be proved, `negated_conjecture` to be refuted.

  wrong: fof(a, goal, leq(zero, one)).      right: fof(a, conjecture, leq(zero, one))."
}
