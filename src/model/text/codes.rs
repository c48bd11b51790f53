//! The codes of everything that can be wrong with a text, and what `coarsen explain` says about them.
//!
//! A code exists only as a constant made by the same macro as its row in the table, so a diagnostic
//! can't carry one that is not explained. The examples in the explanations are run by the tests:
//! what stands under `Wrong:` gives the code, what stands under `Right:` gives no error.

use crate::base::diagnostic::Code;

/// A constant for each code, and the table of them all.
macro_rules! codes {
    ($($name:ident = $code:literal $title:literal $text:literal)*) => {
        $(pub(super) const $name: &str = $code;)*

        /// The codes for lexical errors, encoding and limits (`E00..`) and syntax (`E01..`), in order.
        pub static SYNTAX_CODES: &[Code] = &[
            $(Code { code: $code, title: $title, text: $text },)*
        ];
    };
}

codes! {
    NOT_UTF8 = "E0001" "the file is not UTF-8" "\
A model is UTF-8 text. Some bytes of this file are not, so it was saved in another encoding (such as \
UTF-16 or Latin-1) or is no text at all. Save it as UTF-8; a byte order mark is accepted and ignored.
"
    UNKNOWN_CHARACTER = "E0002" "unknown character" "\
Outside comments, a model consists of names, numbers and the signs of the language, all in ASCII. \
Mathematical signs, typographic quotes and no-break spaces often come from pasted text.

Wrong:

    thread a { when (x ≤ 1) skip; }

Right:

    thread a { when (x <= 1) skip; }
"
    OPEN_COMMENT = "E0003" "comment never closed" "\
A comment that begins with `/*` ends with the next `*/`; such comments do not nest. One that begins \
with `//` ends with its line.

Wrong:

    thread a { skip; } /* the end

Right:

    thread a { skip; } /* the end */
"
    NUMBER_TOO_LARGE = "E0004" "number too large" "\
A number in an expression fits into 64 bits with a sign: it is at most 9223372036854775807. \
(The counts of `expect` lines may be of any size.)

Wrong:

    const BIG = 9_223_372_036_854_775_808;
    thread a { skip; }

Right:

    const BIG = 9_223_372_036_854_775_807;
    thread a { skip; }
"
    BAD_NUMBER = "E0005" "not a number" "\
Numbers are decimal integers, perhaps with `_` between their digits. There are no fractions, no \
exponents and no hexadecimal numbers, and a name does not begin with a digit.

Wrong:

    const MASK = 0xFF;
    thread a { skip; }

Right:

    const MASK = 255;
    thread a { skip; }
"
    TOO_DEEP = "E0006" "nested too deeply" "\
Statements, operators, parentheses, indices and labels stand in each other at most as deep as the limit \
says, so that no text can exhaust the stack. A sum `a + a + .. + a` is as deep as it is long. Written by hand, \
models stay far below the limit; for generated ones, balance long sums with parentheses, or raise it with \
`--limit-depth`. What follows the place where the limit is exceeded has not been read.
"
    TOO_MANY_ERRORS = "E0007" "too many errors" "\
Only the first thousand errors of a file are kept. Mend the first ones: many of the others usually follow from them.
"
    UNEXPECTED = "E0101" "something else was expected" "\
The text does not go on as the grammar says; the message names what was expected. Often the mistake is just before the \
place shown.

Wrong:

    thread a { lock(m; }

Right:

    thread a { lock(m); }
"
    MISSING_SEMICOLON = "E0102" "missing `;`" "\
Every declaration and statement that does not end with a block ends with `;`, also the last one before a `}`.

Wrong:

    thread a { x = 1 }

Right:

    thread a { x = 1; }
"
    UNKNOWN_DECLARATION = "E0103" "not a declaration" "\
Outside threads stand declarations only: `const`, `enum`, `mutex` (also `reentrant mutex`), `rwlock`, `cond`, \
`semaphore`, `barrier`, `record`, `pool`, `var`, `proc`, `thread`, `init`, `invariant`, `lemma`, `reach`, \
`deadlock_free` and `expect`. Statements stand inside a thread; a `}` too many ends it early.

Wrong:

    x = 1;

Right:

    thread a { x = 1; }
"
    UNKNOWN_STATEMENT = "E0104" "not a statement" "\
A statement is an assignment, or begins with one of `if`, `while`, `for`, `either`, `when`, `atomic`, `transaction`, \
`lock`, `unlock`, `havoc`, `skip`, `assert`, `assume`, `return`, `var`, or is a call `f(..);` of a procedure of the \
model or of one of the operations `read_lock`, `read_unlock`, `write_lock`, `write_unlock`, `wait`, `notify`, \
`notifyAll`, `up`, `down`, `await`, `start`, `join`, `free`.

Wrong:

    thread a { whlie (true) { skip; } }

Right:

    thread a { while (true) { skip; } }
"
    RESERVED_WORD = "E0105" "reserved word used as a name" "\
The words of the language can't be names of variables, threads, labels or anything else that a model declares.

Wrong:

    var lock: bool;
    thread a { skip; }

Right:

    var locked: bool;
    thread a { skip; }
"
    MISSING_EXPRESSION = "E0106" "expression expected" "\
An operand is missing: an operator, a bracket or a keyword stands where a number, a name or an expression in \
parentheses should.

Wrong:

    thread a { x = 1 + ; }

Right:

    thread a { x = 1 + y; }
"
    ASSIGNMENT_IN_EXPRESSION = "E0107" "`=` in an expression" "\
`==` compares, `=` assigns. An assignment is a statement, not an expression, and has one target.

Wrong:

    thread a { if (x = 1) { skip; } }

Right:

    thread a { if (x == 1) { skip; } }
"
    FOREIGN_ASSIGNMENT = "E0108" "not an assignment of this language" "\
The only assignment is `x = e;`. There are no `x++`, `x += e`, `x := e` or `x <- e`, and `x == e` compares.

Wrong:

    thread a { x++; }

Right:

    thread a { x = x + 1; }
"
    FOREIGN_OPERATOR = "E0109" "not an operator of this language" "\
The logical operators are `!`, `&&`, `||` and `=>`; comparisons are `==`, `!=`, `<`, `<=`, `>`, `>=`; the remainder is \
`%`. Words such as `and` are none; `&` and `|` are for the bits of integers. (Before a place, `&` makes a reference: \
`&P[0]`.)

Wrong:

    thread a { when (x == 0 and y == 0) skip; }

Right:

    thread a { when (x == 0 && y == 0) skip; }
"
    CHAINED_COMPARISON = "E0110" "chained comparison" "\
`a <= b <= c` would compare the truth value of `a <= b` with `c`. Comparisons of the same strength do not associate.

Wrong:

    thread a { assert(0 <= x <= 3); }

Right:

    thread a { assert(0 <= x && x <= 3); }
"
    WHEN_BLOCK = "E0111" "`when` before a block" "\
`when (g)` makes its condition part of one action, so that nothing can happen between the two. A block is many \
actions. Make it one with `atomic`, or guard its first statement only.

Wrong:

    thread a { when (x == 0) { x = 1; y = 1; } }

Right:

    thread a { when (x == 0) atomic { x = 1; y = 1; } }
"
    BARE_BLOCK = "E0112" "block without a statement" "\
Braces stand only where a statement or a thread asks for them. They open no scope of their own.

Wrong:

    thread a { { x = 1; y = 1; } }

Right:

    thread a { atomic { x = 1; y = 1; } }
"
    MISPLACED_DECLARATION = "E0113" "declaration inside a thread" "\
All declarations but that of a thread-local `var` stand outside threads and procedures. Usually a `}` is missing \
before this one.

Wrong:

    thread a { skip;
    thread b { skip; }

Right:

    thread a { skip; }
    thread b { skip; }
"
    FOREIGN_FOR = "E0114" "`for` of another language" "\
`for` repeats its body for each number of a constant range. For anything else use `while`.

Wrong:

    thread a { for (i = 0; i < 3; i++) { x[i] = 0; } }

Right:

    thread a { for (i in 0..2) { x[i] = 0; } }
"
    FOREIGN_DECLARATION = "E0115" "variable declared as in C" "\
A variable is declared with `var`, its name, and its type behind a colon. All types are bounded; there is no `int`.

Wrong:

    int x = 0;
    thread a { x = 1; }

Right:

    var x: 0..7 = 0;
    thread a { x = 1; }
"
    MISSING_BLOCK = "E0116" "block expected" "\
Threads, procedures, `atomic`, `either` and `or` have their statements in braces. The body of `if`, `else`, `while` \
and `for` may also be a single statement, but not nothing.

Wrong:

    thread a { atomic x = 1; }

Right:

    thread a { atomic { x = 1; } }
"
    EITHER_WITHOUT_OR = "E0117" "`either` without `or`" "\
`either` chooses among its branches, so it has at least two. For a choice between something and nothing leave one empty.

Wrong:

    thread a { either { x = 1; } }

Right:

    thread a { either { x = 1; } or { } }
"
    LABEL_ALONE = "E0118" "label before no statement" "\
A label names the location of the statement behind it. Before the `}` of a block it may stand alone and names \
the location reached there; as the whole body of `if`, `while`, `for` or `when` it names nothing.

Wrong:

    thread a { if (x == 0) L: }

Right:

    thread a { if (x == 0) { L: } }
"
    NO_THREAD = "E0119" "no thread" "\
A model declares at least one thread; without one there is nothing to run.

Wrong:

    var x: bool;

Right:

    var x: bool;
    thread a { x = true; }
"
    BAD_TYPE = "E0121" "type expected" "\
A type is `bool`, a range `0..7` with two bounds, `mod 4`, the name of an enum or of a record, a list of values \
`{ red, green }`, or a reference `ref cell in P`.

Wrong:

    var x: 7;
    thread a { skip; }

Right:

    var x: 0..7;
    thread a { skip; }
"
    BAD_EXPECTATION = "E0122" "malformed `expect`" "\
`expect` states the verdict (`expect verdict holds;`), that of one property (`expect refuted NAME;`), a number of \
states (`expect original 106;`, `reduced`, `visited`), or one of statements as movers, or of transactions \
(`expect left 2;`, `local`, `both`, `right`, `non`, `transactions`).

Wrong:

    expect states 106;
    thread a { skip; }

Right:

    expect original 106;
    thread a { skip; }
"
    UNCLOSED_BLOCK = "E0123" "block never closed" "\
A `{` has no `}`. The place shown is the last block still open at the end of the file; the brace may be missing in any \
block around it.

Wrong:

    thread a { if (x == 0) { x = 1; }

Right:

    thread a { if (x == 0) { x = 1; } }
"
    STRAY_SIGN = "E0124" "sign that closes or ends nothing" "\
A `}` without its `{`, or a `;` without a statement before it. No `;` stands behind a block; a step that does nothing \
is `skip;`.

Wrong:

    thread a { skip; };

Right:

    thread a { skip; }
"
}
