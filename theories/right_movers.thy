// A theorem about right movers, in Kleene algebra with tests and top: the second half of Theorem A.1 of Flanagan & Qadeer 2003.
//
// t[i] are the steps of thread i; r[i] and l[i] say that it is before or behind its commit point, n[i] that it is in no transaction, w[i] that
// it went wrong, init where all begin. Threads behind their commit points are not interrupted: such is the system D. If the hypotheses hold, a
// thread that can go wrong there can do so in the reduced system C, in which a step is taken only while no other thread is in a transaction.
// With l[i] = 0, D has all steps, and no hypothesis but A1, A3, A5-r and A5-w says anything.

theory right-movers
    "Flanagan & Qadeer, Transactions for Software Model Checking, 2003, Theorem A.1, for transactions of right movers";

action t[i] is step of i;
test r[i] is i before its commit point, l[i] is i behind its commit point,
     w[i] is i gone wrong, init is initial;

let n[i] = ~r[i] ~l[i];
let o[i] = (. j != i : ~l[j]);
let D = (+ i : o[i] t[i]);
let C = (+ i : (. j != i : n[j]) t[i]);

hypothesis A1 "initially no thread is in a transaction":
    init <= n[i];
hypothesis A2 "no step leads from behind the commit point to before it":
    l[i] t[i] r[i] = 0;
hypothesis A3 "a step to before the commit point moves to the right of another thread's step":
    i != j => t[i] r[i] t[j] <= t[j] t[i] r[i];
hypothesis A5-r "no thread's step puts another before its commit point":
    i != j => t[j] r[i] <= r[i] t[j];
hypothesis A5-l "no thread's step puts another behind its commit point or takes it away":
    i != j => l[i] t[j] = t[j] l[i];
hypothesis A5-w "no thread's step makes another go wrong":
    i != j => t[j] w[i] <= w[i] t[j];

conclusion right "a thread that can go wrong can do so in the reduced system, if all others have got away from behind their commit points":
    init D* o[i] w[i] T <= init C* w[i] T proved right in right-movers-proof;
