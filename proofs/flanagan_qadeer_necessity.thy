// What theorem A.1 of Flanagan & Qadeer, Transactions for Software Model Checking, 2003, needs: for hypotheses models of the others in which
// it is false.
//
// t[i] are the steps of thread i; r[i], l[i] and n[i] say that it is before its commit point, behind it, or in no transaction; w[i] that it
// went wrong; init are the initial states. The reduced system D lets a thread run only where all others are outside. With up to three threads
// no model has fewer states than the one given.

action t[i];
test r[i], l[i], w[i], init;

let n[i] = ~r[i] ~l[i];
let w = (+ i : w[i]);
let D = (+ i : (. j != i : n[j]) t[i]);

hypothesis partition "no thread is before and behind its commit point": r[i] l[i] = 0;
hypothesis A1 "initially all threads are outside": init <= n[i];
hypothesis A1w "a thread that went wrong is outside": w[i] <= n[i];
hypothesis A2 "no step leads from behind the commit point to before it": l[i] t[i] r[i] = 0;
hypothesis A3 "steps to before the commit point move to the right": i != j => t[i] r[i] t[j] <= t[j] t[i] r[i];
hypothesis A4 "steps from behind the commit point move to the left": i != j => t[j] l[i] t[i] <= l[i] t[i] t[j];
hypothesis r-preserved "nobody else takes a thread out of r": i != j => r[i] t[j] <= t[j] r[i];
hypothesis r-reflected "nobody else puts a thread into r": i != j => t[j] r[i] <= r[i] t[j];
hypothesis l-preserved "nobody else takes a thread out of l": i != j => l[i] t[j] <= t[j] l[i];
hypothesis l-reflected "nobody else puts a thread into l": i != j => t[j] l[i] <= l[i] t[j];
hypothesis w-preserved "nobody else rights what went wrong": i != j => w[i] t[j] <= t[j] w[i];
hypothesis w-reflected "nobody else makes a thread go wrong": i != j => t[j] w[i] <= w[i] t[j];
hypothesis A6 "a thread behind its commit point can finish": l[i] T <= t[i]* n[i] T;

fails "needs A1" without A1 : init (+ i : t[i])* w T <= init D* w T
    model { states 2; processes 2;
            t[1] = none;  t[2] = 1->2;
            r[1] = 1,2;   w[2] = 2;
            init = 1; };

fails "needs A2" without A2 : init (+ i : t[i])* w T <= init D* w T
    model { states 6; processes 2;
            t[1] = 1->3  3->1,6  4->2  5->4;  r[1] = 4,6;  l[1] = 3,5;  w[1] = 2;
            t[2] = 3->5  6->4;
            init = 1; };

fails "needs A3" without A3 : init (+ i : t[i])* w T <= init D* w T
    model { states 3; processes 2;
            t[1] = 3->2;  w[1] = 2;
            t[2] = 1->3;  r[2] = 2,3;
            init = 1; };

fails "needs A4" without A4 : init (+ i : t[i])* w T <= init D* w T
    model { states 4; processes 2;
            t[1] = 1->3  3->1  4->2;  l[1] = 3,4;  w[1] = 2;
            t[2] = 3->4;
            init = 1; };

fails "needs r-reflected" without r-reflected : init (+ i : t[i])* w T <= init D* w T
    model { states 3; processes 2;
            t[1] = 1->3  3->2;  w[1] = 2;
            t[2] = none;        r[2] = 2,3;
            init = 1; };

fails "needs l-preserved" without l-preserved : init (+ i : t[i])* w T <= init D* w T
    model { states 3; processes 2;
            t[1] = 3->2;        w[1] = 2;
            t[2] = 1->3  3->1;  l[2] = 3;
            init = 1; };

fails "needs w-preserved" without w-preserved : init (+ i : t[i])* w T <= init D* w T
    model { states 3; processes 2;
            t[1] = 1->1  2->3;        w[1] = 3;
            t[2] = 1->2  2->1  3->1;  l[2] = 2,3;
            init = 1; };

// Two threads do without it.

fails "needs w-reflected" without w-reflected : init (+ i : t[i])* w T <= init D* w T
    model { states 4; processes 3;
            t[1] = none;        w[1] = 2;
            t[2] = 1->4  3->2;  r[2] = 2,4;
            t[3] = 1->3  4->2;  r[3] = 2,3;
            init = 1; };

fails "needs A6" without A6 : init (+ i : t[i])* w T <= init D* w T
    model { states 3; processes 2;
            t[1] = 3->2;  w[1] = 2;
            t[2] = 1->3;  l[2] = 2,3;
            init = 1; };

// Reflection of l is not needed: what moves to the left begins behind its commit point, and can finish.

identity "l can step" : l[i] <= t[i] T by A6;
identity "l-reflected from A4" : i != j =>
       t[j] l[i]
    <= l[i] t[j] + ~l[i] t[j] l[i]
    <= l[i] t[j] + ~l[i] t[j] l[i] t[i] T by "l can step"
    <= l[i] t[j] + ~l[i] l[i] t[i] t[j] T by A4
    <= l[i] t[j];
