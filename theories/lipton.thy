// Lipton's theorem, for any number of threads that take transactions again and again, in Kleene algebra with tests.
//
// t[i] are the steps of thread i; r[i] and l[i] say that it is before or behind the commit point of a transaction, n[i] that it is in none. A
// transaction is a run of right movers a[i], one step x[i] that may be any, and a run of left movers b[i]. If the hypotheses hold, what
// is reached with all threads outside is reached by whole transactions, one after the other. Nothing is said of runs in which a transaction
// is never finished: for them there is theorem A.1 of Flanagan & Qadeer.

theory lipton
    "Lipton, Reduction: A Method of Proving Properties of Parallel Programs, CACM 18(12), 1975";

action t[i] is step of i;
test r[i] is i before its commit point, l[i] is i behind its commit point, init is initial;

let n[i] = ~r[i] ~l[i];
let a[i] = ~l[i] t[i] r[i];                     // from outside or before the commit point to before it
let x[i] = ~l[i] t[i];                          // one step that may be any
let b[i] = l[i] t[i];                           // from behind the commit point
let t = (+ i : t[i]);
let n = (. i : n[i]);
let S = (+ i : n[i] a[i]* x[i] b[i]* n[i]);     // a whole transaction of some thread

hypothesis 1 "initially no thread is in a transaction":
    init <= n[i];
hypothesis 2 "behind the step that may be any no right mover follows":
    l[i] t[i] r[i] = 0;
hypothesis 3 "right movers move to the right of another thread's step":
    i != j => a[i] t[j] <= t[j] a[i];
hypothesis 4 "left movers move to the left of another thread's step":
    i != j => t[j] b[i] <= b[i] t[j];
hypothesis 5 "no thread's step puts another before its commit point":
    i != j => t[j] r[i] <= r[i] t[j];
hypothesis 6 "no thread's step puts another behind its commit point or takes it away":
    i != j => l[i] t[j] = t[j] l[i];

conclusion L "what is reached with all threads outside is reached by whole transactions":
    init t* n <= init S* n proved L in lipton-proof;
