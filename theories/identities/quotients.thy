// Kleene algebra: states seen as one.
//
// Hennessy & Milner 1985 and Lynch & Vaandrager 1995 (simulations); Bozga, Fernandez & Ghirvu 1999, "State space reduction based on
// live variables analysis"; Ip & Dill 1996, "Better verification through symmetry". `d` takes a state to the one that stands for it, and
// `a d` is a step followed by that. The law of a step `a` is `a d = d a d`: what `d` forgets has no influence on what `a` does, but
// for what `d` forgets again. `a d = d a` is too much to ask: a step may write what is forgotten behind it.

use kleene;

level kleene;

action a, b, c, d, m, n, u, v;

// What is reached, then seen through `d`, is what is reached through `d` all along.

identity quotient_run [a d = d a d] : a* d = d (a d)*;
identity quotient_reached [a d = d a d] : m a* d = m d (a d)*;
identity quotient_asked [law : a d = d a d, look : c d = d c] : m a* c d = m d (a d)* c by law, look, quotient_run;
identity quotient_kept [d d = d, a d = d a d] : d (a d)* d = d (a d)*;

// Where the law comes from: a step that `d` has nothing to do with; several steps; several threads.

identity quotient_of_other [b d = d b, d d = d] : b d = d b d;
identity quotient_of_sum [a d = d a d, b d = d b d] : (a + b) d = d (a + b) d;
identity quotient_of_two [a d = d a d, a n = n a, d n = n d, n n = n] : a d n = d n a d n;
identity quotient_of_product [a d = d a d, b d = d b d] : a b d = d a d b d;

// A coarse step: visible, then invisible as often as can be.

identity quotient_of_coarse [one : v d = d v d, more : u d = d u d] : v u* d = d v d (u d)*
    by one, more, quotient_run(a := u);

// What does not follow, and what is needed.

fails quotient_commutes [a d = d a d, d d = d] : a d = d a;
fails quotient_for_nothing [d d = d] : a* d = d (a d)*;
fails quotient_too_much [d d = d, d a d <= a d] : a* d <= d (a d)*;
fails quotient_too_little [d d = d, a d <= d a d] : d (a d)* <= a* d;
