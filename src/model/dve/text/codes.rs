//! The codes of models in DVE, with what `coarsen explain` says about them.

use crate::base::diagnostic::Code;

/// A constant for each code, and the table of them all.
macro_rules! codes {
    ($($name:ident = $code:literal $title:literal $text:literal)*) => {
        $(pub(crate) const $name: &str = $code;)*

        /// The codes of models in DVE, in order.
        pub static DVE_CODES: &[Code] = &[
            $(Code { code: $code, title: $title, text: $text },)*
        ];
    };
}

codes! {
    SYNTAX = "E0601" "not DVE" "\
The text does not go on as the grammar of DVE says; the message names what was expected. docs/dve.md has the grammar \
that is read.

Wrong:

    process P { state q; init q; trans q -> q { guard 1 }; }
    system async;

Right:

    process P { state q; init q; trans q -> q { guard 1; }; }
    system async;
"
    CHARACTER = "E0602" "a character or number that DVE does not have" "\
A model in DVE consists of names, numbers up to 2147483647 and signs; comments are `// ..` and `/* .. */`, and those \
are closed.

Wrong:

    byte x = 9999999999;
    process P { state q; init q; }
    system async;

Right:

    byte x = 99;
    process P { state q; init q; }
    system async;
"
    UNKNOWN = "E0603" "unknown name" "\
Each variable, channel, process and state is declared: variables and channels in front of the processes or in the \
process that uses them, states in their process. A variable of another process is written `P->x`, the question whether \
it is in a state `P.q`.

Wrong:

    process P { state q; init q; trans q -> r { }; }
    system async;

Right:

    process P { state q, r; init q; trans q -> r { }; }
    system async;
"
    TWICE = "E0604" "declared twice" "\
Global variables, channels and processes have different names, and so have the variables of a process, and its states. \
(A variable of a process may have the name of a global one, which it hides.)

Wrong:

    byte x;
    int x;
    process P { state q; init q; }
    system async;

Right:

    byte x;
    int y;
    process P { state q; init q; }
    system async;
"
    VALUE = "E0605" "a value that does not fit" "\
A `byte` is 0 to 255, an `int` -32768 to 32767; initial values and sizes are constants, and no array is without \
elements.

Wrong:

    byte x = 256;
    process P { state q; init q; }
    system async;

Right:

    int x = 256;
    process P { state q; init q; }
    system async;
"
    MISUSE = "E0606" "a name used as what it is not" "\
Only an array is used with an index. Only variables that are not `const` are assigned to, and only they receive values.

Wrong:

    byte x;
    process P { state q; init q; trans q -> q { effect x[0] = 1; }; }
    system async;

Right:

    byte x[2];
    process P { state q; init q; trans q -> q { effect x[0] = 1; }; }
    system async;
"
    CHANNEL = "E0607" "a channel used in two ways" "\
All that send on a channel and all that receive from it do so with the same number of values; for a typed channel, as \
many as it has types.

Wrong:

    channel c;
    process P { state q; init q; trans q -> q { sync c!1; }; }
    process Q { state q; init q; trans q -> q { sync c?; }; }
    system async;

Right:

    channel c;
    process P { state q; init q; trans q -> q { sync c!1; }; }
    process Q { byte x; state q; init q; trans q -> q { sync c?x; }; }
    system async;
"
    REFUSED = "E0608" "a part of DVE that is not supported" "\
Synchronous systems (`system sync;`), probabilistic transitions (`a => { .. }`) and property processes (`system async \
property P;`) are not supported. To count the states of a system that comes with a property, remove the property's \
process and end the file with `system async;`.

Wrong:

    process P { state q; init q; }
    system sync;

Right:

    process P { state q; init q; }
    system async;
"
    TOO_DEEP = "E0609" "nested too deeply, or too large" "\
Expressions are nested at most as deep as `--limit-depth` says, and what an expression becomes in our language is \
bounded, too: a division of values that may be negative is written out by cases, so divisions inside divisions grow \
fast.
"
    PRECEDENCE = "W0601" "mixed operators without parentheses" "\
In DVE `and` and `or` bind equally strongly, and so do `&`, `|` and `^`: `a or b and c` is `(a or b) and c`. In C and \
its descendants it is not. Parentheses say what is meant.

Wrong:

    byte a, b, c;
    process P { state q; init q; trans q -> q { guard a or b and c; }; }
    system async;

Right:

    byte a, b, c;
    process P { state q; init q; trans q -> q { guard (a or b) and c; }; }
    system async;
"
    NO_INDEX = "W0602" "an array without an index" "\
Where the name of an array stands without an index, its first element is meant, as in DiVinE 1. The index says so to \
other readers.

Wrong:

    byte x[2];
    process P { state q; init q; trans q -> q { effect x = 1; }; }
    system async;

Right:

    byte x[2];
    process P { state q; init q; trans q -> q { effect x[0] = 1; }; }
    system async;
"
    SURPLUS = "W0603" "more initial values than elements" "\
An array has more initial values than elements. Those that have no element are forgotten, as in DiVinE; missing ones \
are 0.

Wrong:

    byte x[2] = {1, 0, 0};
    process P { state q; init q; }
    system async;

Right:

    byte x[2] = {1, 0};
    process P { state q; init q; }
    system async;
"
}
