// Corollaries of the reduction theorem of Stoller & Cohen 2003: what the reduced system says of predicates other than q.
//
// The theorem is applied with q + I in the place of q: its hypotheses hold for that, too, if no invisible step leaves I. All speak of programs in
// which no violation is reachable: then the summands with q are empty.

use stoller-cohen-proof;

test I;

// Each step of the reduced system is one or more of the original.

identity within_step : N* (1 + M) <= (u + v)* by sum_elim, sum_intro, induction;

// (a) A predicate that no invisible step leaves is reachable from a visible state iff N* (1 + M) reaches it.

identity isotone_forever :
       (u[i] ~q ~I)^w
    <= (u[i] ~q)^w by unfold, coinduction
    <= 0 by 11;
identity cut_step : (+ i : M[i] p[i] ~q ~I) <= N by sum_elim, sum_intro;
identity corollary_a [stable : I u[i] <= u[i] I] :
       p (u + v)* I
    <= (+ i : M[i] p[i] ~q ~I)* (1 + M) (q + I) T
           by eq19(q := q + I), isotone_forever, stable, 12, 13, 14, 15, 16, 17, 18
    <= N* (1 + M) (q + I) T by cut_step;

// (b) If moreover no invisible step begins in it, as in a deadlock, N* alone reaches it.

identity dead_member [dead : I u[i] = 0] : M[i] I <= N[i] I + M[i] q by dead, 17;
identity dead_end [dead : I u[i] = 0] : M I <= N I + M q by dead_member, dead, sum_elim, sum_intro;
identity corollary_b [dead : I u[i] = 0] :
       p (u + v)* I
    <= N* (1 + M) (q + I) T by corollary_a, dead
    <= N* I T + N* M I T + N* R
    <= N* I T + N* R by dead_end, dead;

// (c) So does it for every set of visible states.

identity corollary_c [visible : I <= p] :
    p (u + v)* I <= N* I T + N* R by corollary_b, visible, product_elim, 16;
