// The reduction theorem of Stoller & Cohen 2003, in omega algebra.
//
// u[i] and v[i] are the invisible and the visible steps of process i, p[i] says that no invisible step of i is enabled, and q
// that the synchronisation discipline has been violated. If the hypotheses hold, an execution of the original system
// (u + v) from a visible state that violates the discipline has a counterpart in the reduced system N.

theory stoller-cohen
    "Stoller & Cohen, Optimistic Synchronization-Based State-Space Reduction, TACAS 2003, section 3";

action u[i] is invisible step of i, v[i] is visible step of i;
test p[i] is no invisible step of i enabled, q is violated;

let M[i] = v[i] u[i]*;                  // (3)  a visible step, then invisible ones
let N[i] = M[i] p[i] ~q;                // (4)  ... as many as there are, without a violation
let u = (+ i : u[i]);                   // (5)
let v = (+ i : v[i]);                   // (6)
let M = (+ i : M[i]);                   // (7)
let N = (+ i : N[i]);                   // (8)
let R = (1 + M) q T;                    // (9)  violated, now or within one M step
let p = (. i : p[i]);                   // (10) a visible state

hypothesis 11 "no thread takes invisible steps for ever without violating the discipline" syntactic acyclic:
    (u[i] ~q)^w = 0;
hypothesis 12 "no thread's invisible step enables or disables an invisible step of another" syntactic private:
    i != j => u[j] p[i] = p[i] u[j];
hypothesis 13 "no thread's visible step enables or disables an invisible step of another" syntactic private:
    i != j => v[j] p[i] = p[i] v[j];
hypothesis 14 "an invisible step moves to the left of another thread's invisible step, or the discipline is violated" syntactic private:
    i != j => u[j] u[i] <= u[i] (q T + u[j] + u[j] q T);
hypothesis 15 "an invisible step moves to the left of another thread's visible step, or the discipline is violated" syntactic private:
    i != j => v[j] u[i] <= u[i] (q T + v[j] + v[j] q T);
hypothesis 16 "visible and invisible steps of a thread are never enabled together" syntactic located:
    ~p[i] v[i] = 0 = p[i] u[i];
hypothesis 17 "an invisible step is enabled wherever p says so" syntactic definition:
    1 <= p[i] + u[i] T;
hypothesis 18 "an invisible step does not hide a violation" syntactic sticky:
    q u[i] <= u[i] q;

conclusion 19 "a violation reachable in the original system is reachable in the reduced one":
    p (u + v)* q <= N* R proved eq19 in stoller-cohen-proof;
