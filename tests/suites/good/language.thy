// Everything that the language has.
theory sample "a file of the tests";
action x, y, u[i];
test p, q[i];
let M[i] = x u[i]*;
let M = (+ i : M[i]);
let P = (. j : ~q[j]);
hypothesis 12 "in words" : i != j => u[i] q[j] = q[j] u[i];
hypothesis sub-term.1' : u[i] <= M
conclusion 19 : P M* x <= T proved eq19 in stoller-cohen-proof;
level kleene
axiom star_unfold : 1 + x x* = x*
identity eq1 [h : x y <= y x, y y = y] : x* y <= y x* by h, induction;
fails "a name in words" : x* <= x x*;
level omega;
identity chain : i != j, k != i =>
       u[i] (+ k != i, k != j : u[k]) (. i : q[i])
    <= M # p by 12, cases(i, j), separate(k), sum_intro
    =  M^w + M* p
    <= T by eq1(x := M + u[j], y := p), unfold, induction(x + 1);
open down : T >= x + y = y + x >= x by sub-term.1';
identity dots : x.y.x <= (x y) . x
fails lost without 12, sub-term.1' [x u[i] <= x] : u[i] u[j] <= y
    model { states 3; processes 2; x = none; u[1] = 1->2->3, 2->2  3->1; u[2] = 2->1,3 1->1 // in words
            ; i = 1; y = none };
identity model : x <= x + x;
