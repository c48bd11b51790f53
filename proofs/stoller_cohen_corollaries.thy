// Corollaries of the reduction theorem of Stoller & Cohen 2003: what the reduced system says of predicates other than q.
//
// The theorem is applied with q + I in the place of q: its hypotheses hold for that, too, if no invisible step leaves I. All speak of programs in
// which no violation is reachable: then the summands with q are empty.

use stoller-cohen-proof;

test I;

// Each step of the reduced system is one or more of the original.

identity within_step : N* (1 + M) <= (u + v)* by sum_elim, sum_intro, induction;

// (a) A predicate that no invisible step leaves is reachable from a visible state iff N* (1 + M) reaches it.

identity isotone_forever : (u[i] ~q ~I)^w = 0 by 11, unfold, coinduction;
identity corollary_a [stable : I u[i] <= u[i] I] :
    p (u + v)* I <= N* (1 + M) (q + I) T
        by eq19(q := q + I), isotone_forever, stable, 12, 13, 14, 15, 16, 17, 18;

// (b) If moreover no invisible step begins in it, as in a deadlock, N* alone reaches it.

identity corollary_b [dead : I u[i] = 0] :
    p (u + v)* I <= N* I T + N* R by corollary_a, dead, 17, sum_elim, sum_intro;

// (c) So does it for every set of visible states.

identity corollary_c [visible : I <= p] :
    p (u + v)* I <= N* I T + N* R by corollary_b, visible, product_elim, 16;
