// One statement for each kind of step that the export has to write down.

level omega;

action x, y, z, u[i], v[i], d[i], H[i], N_same, H0;
test p, q, e[i];

identity slide : (x y)* x = x (y x)*;
identity pass [h : x y <= y z] : x* y <= y z* by h, induction;
identity used [h : x y <= y x] : (x + 1)* y <= y (1 + x)*
    by pass(x := x + 1, y := y, z := 1 + x), h;
identity ends : x^w y <= x^w;
identity unfold : x^w = x x^w;
identity guarded : p x + ~p x <= x T;
identity member : u[i] <= (+ j : u[j]) by sum_intro;
identity apart : (+ j : u[j] v[j]*) <= u[i] v[i]* + (+ j != i : u[j] v[j]*) by separate(i);
identity all [h : i != j => d[i] H[j] <= H[j] d[i], same : d[i] H[i] <= H[i] d[i]] :
    (+ j : d[j]) H[i] N_same H0 <= H[i] (+ j : d[j]) N_same H0 by sum_elim, sum_intro, cases, h, same;
identity each : (. j : e[j]) (+ j : ~e[j]) <= 0;
identity one : (. j : e[j]) <= e[i] by product_elim;
identity both [h : q <= e[i]] : q <= (. i : e[i]) by product_intro, h;
identity others : i != k => (+ j != i : u[j]) <= u[k] + (+ j != k, j != i : u[j]) by separate(k);
