// The reduction theorem of Flanagan & Qadeer 2003, in Kleene algebra with tests and top.
//
// t[i] are the steps of thread i; r[i] and l[i] say that it is before or behind the commit point of a transaction, n[i] that it is in none, w[i]
// that it went wrong, init where all begin. If the hypotheses hold, a thread that can go wrong can do so in the reduced system C, in which
// a step is taken only while no other thread is in a transaction.
//
// What it keeps: that a thread goes wrong. A set of states, such as the deadlocks, is kept as far as an observer, one more thread that goes wrong
// in it and is in no transaction, satisfies A3 and A4; right movers that lead into the set do not.
//
// The paper assumes more: that r[i] and l[i] exclude each other, that a thread that went wrong is in no transaction, that others don't take
// a thread from before its commit point, and that they don't put it behind it (which follows from A4 and A6).

theory flanagan-qadeer
    "Flanagan & Qadeer, Transactions for Software Model Checking, 2003, Theorem A.1";

action t[i] is step of i;
test r[i] is i before its commit point, l[i] is i behind its commit point,
     w[i] is i gone wrong, init is initial;

let n[i] = ~r[i] ~l[i];                         // in no transaction
let t = (+ i : t[i]);
let C = (+ i : (. j != i : n[j]) t[i]);         // threads in transactions are not interrupted

hypothesis A1 "initially no thread is in a transaction":
    init <= n[i];
hypothesis A2 "no step leads from behind the commit point to before it":
    l[i] t[i] r[i] = 0;
hypothesis A3 "a step to before the commit point moves to the right of another thread's step":
    i != j => t[i] r[i] t[j] <= t[j] t[i] r[i];
hypothesis A4 "a step from behind the commit point moves to the left of another thread's step":
    i != j => t[j] l[i] t[i] <= l[i] t[i] t[j];
hypothesis A5-r "no thread's step puts another before its commit point":
    i != j => t[j] r[i] <= r[i] t[j];
hypothesis A5-l "no thread's step takes another away from behind its commit point":
    i != j => l[i] t[j] <= t[j] l[i];
hypothesis A5-w "no thread's step makes another go wrong or rights it":
    i != j => w[i] t[j] = t[j] w[i];
hypothesis A6 "a thread behind its commit point can finish its transaction by itself":
    l[i] T <= t[i]* n[i] T;

conclusion A "a thread that can go wrong can do so in the reduced system":
    init t* w[i] T <= init C* w[i] T proved A in flanagan-qadeer-proof;
