// A theorem about left movers, in Kleene algebra with tests and top: the first half of Theorem A.1 of Flanagan & Qadeer 2003.
//
// t[i] are the steps of thread i, l[i] says that it is behind its commit point, w[i] that it went wrong, init where all begin. If the hypotheses
// hold, a thread that can go wrong can do so in the reduced system D, in which a step is taken only while no other thread is behind its commit point.

theory left-movers
    "Flanagan & Qadeer, Transactions for Software Model Checking, 2003, Theorem A.1, for transactions of left movers";

action t[i] is step of i;
test l[i] is i behind its commit point, w[i] is i gone wrong, init is initial;

let t = (+ i : t[i]);
let o[i] = (. j != i : ~l[j]);          // no other thread is behind its commit point
let D = (+ i : o[i] t[i]);              // threads behind their commit points are not interrupted

hypothesis A1 "initially no thread is behind its commit point":
    init <= ~l[i];
hypothesis A4 "a step from behind the commit point moves to the left of another thread's step":
    i != j => t[j] l[i] t[i] <= l[i] t[i] t[j];
hypothesis A5-l "no thread's step takes another away from behind its commit point":
    i != j => l[i] t[j] <= t[j] l[i];
hypothesis A5-w "no thread's step makes another go wrong or rights it":
    i != j => w[i] t[j] = t[j] w[i];
hypothesis A6 "a thread behind its commit point can get away from there by itself":
    l[i] T <= t[i]* ~l[i] T;

conclusion left "a thread that can go wrong can do so in the reduced system, with all others not behind their commit points":
    init t* w[k] T <= init D* o[k] w[k] T proved left in left-movers-proof;
