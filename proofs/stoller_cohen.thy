// The proof of the reduction theorem of Stoller & Cohen 2003, section 3, for any number of processes.
//
// The paper's lines (20)-(25) and the chain for (19), each from its hints alone, in an order in which nothing is used before it is proved.
// What the paper writes with an index stands for every process: a line about i and j is proved for i = j and for i != j, sums are
// eliminated member by member. [x] is x + x q T + q T.

use stoller-cohen;

// What it leans on (section 2), in any Kleene algebra.

action x, y, z;

identity star_star : x* x* = x*;
identity eq1 [h : x y <= y z] : x* y <= y z* by h, induction;
identity eq1_right [h : z x <= y z] : z x* <= y* z by h, induction;
identity eq2 [h : y x <= x y] : (x + y)* <= x* y*
    by eq1_right(x := x, y := x, z := y), h, induction;

// (25): a step of process i moves to the left of the visible step of another and all its invisible ones, or the discipline is violated.

identity eq25_step : i != j =>
    u[j] (p[i] + u[i]) <= (p[i] + u[i]) (u[j] + u[j] q T + q T) by 12, 14;
identity eq25_differ : i != j =>
       v[j] u[j]* (p[i] + u[i])
    <= v[j] (p[i] + u[i]) (u[j] + u[j] q T + q T)*
           by eq1(x := u[j], y := p[i] + u[i], z := u[j] + u[j] q T + q T), eq25_step
    <= v[j] (p[i] + u[i]) (u[j]* + u[j]* q T + q T)
    <= (p[i] + u[i]) (v[j] + v[j] q T + q T) (u[j]* + u[j]* q T + q T) by 13, 15
    <= (p[i] + u[i]) (M[j] + R) by sum_intro;
identity eq25_same :
       M[i] (p[i] + u[i])
    <= M[i]
    <= p[i] M[i] by 16
    <= (p[i] + u[i]) (M[i] + R);
identity eq25 : M[j] (p[i] + u[i]) <= (p[i] + u[i]) (M[j] + R) by cases, eq25_same, eq25_differ;
identity eq25_sum : M (p[i] + u[i]) <= (p[i] + u[i]) (M + R) by sum_elim, sum_intro, eq25;

// (24): the same for a step of the reduced system.

identity eq24_differ : i != j =>
       N[j] (p[i] + u[i])
    <= M[j] p[j] (p[i] + u[i])
    <= M[j] (p[i] + u[i]) p[j] by 12
    <= (p[i] + u[i]) (M[j] + R) p[j] by eq25
    <= (p[i] + u[i]) (M[j] + R) p[j] (q + ~q)
    <= (p[i] + u[i]) (N + R) by sum_intro;
identity eq24_same : N[i] (p[i] + u[i]) <= (p[i] + u[i]) (N + R) by 16, sum_intro;
identity eq24 : N[j] (p[i] + u[i]) <= (p[i] + u[i]) (N + R) by cases, eq24_same, eq24_differ;
identity eq24_sum : N (p[i] + u[i]) <= (p[i] + u[i]) (N + R) by sum_elim, eq24;

// (23): from a violation in sight, process i can be let run first, if it has anything to run.

identity eq23 :
       N* R
    <= N* (1 + M) q (p[i] + u[i]) T by 17
    <= N* (1 + M) (p[i] + u[i]) q T by 18
    <= N* (p[i] + u[i]) (1 + M + R) q T by eq25_sum
    <= N* (p[i] + u[i]) R
    <= (p[i] + u[i]) (N + R)* R by eq1(x := N, y := p[i] + u[i], z := N + R), eq24_sum
    <= (p[i] + u[i]) N* R;

// (22), and what omega coinduction makes of it.

identity eq22 :
       N* R
    <= (p[i] + u[i]) N* R by eq23
    <= (p[i] + u[i] ~q + u[i] q) N* R
    <= (u[i] ~q) N* R + (p[i] + u[i] q) N* R;
identity eq22_forever : N* R <= (u[i] ~q) # ((p[i] + u[i] q) N* R) by eq22, coinduction;

// (21): a visible step with its invisible ones, before a violation in sight, is a step of the reduced system.

identity eq21_member :
       M[i] N* R
    <= M[i] ((u[i] ~q) # ((p[i] + u[i] q) N* R)) by eq22_forever
    <= M[i] (u[i] ~q)* (p[i] + u[i] q) N* R by 11
    <= M[i] (p[i] + u[i] q) N* R
    <= (M[i] p[i] ~q + M[i] q) N* R
    <= (N + M[i] q) N* R by sum_intro
    <= N N* R + R by sum_intro
    <= N* R;
identity eq21 : M N* R <= N* R by sum_elim, eq21_member;

// (20): an invisible step moves to the left of all that the reduced system is made of.

identity eq20_member :
       (M + R) u[i]
    <= M u[i] + R
    <= (p[i] + u[i]) (M + R) + R by eq25_sum
    <= (1 + u[i]) (M + R);
identity eq20 : (M + R) u <= (1 + u) (M + R) by sum_elim, sum_intro, eq20_member;

// (19): the theorem.

identity visible_first : v <= M by sum_elim, sum_intro;
identity nothing_invisible_member : p u[i] <= 0 by product_elim, 16;
identity nothing_invisible : p u <= 0 by sum_elim, nothing_invisible_member;
identity eq19 :
       p (u + v)* q
    <= p (u + M + R)* q by visible_first
    <= p u* (M + R)* q by eq2(x := 1 + u, y := M + R), eq20
    <= (M + R)* q by nothing_invisible
    <= M* R* q
    <= M* (1 + R) q
    <= M* R
    <= M* N* R
    <= N* R by eq21, induction;
