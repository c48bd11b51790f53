// The proof of Theorem A.1 of Flanagan & Qadeer 2003, for any number of threads.
//
// The paper has none: it refers to another. Here left movers are gathered first (Step 1), then right movers (Step 2). D is the system between, in
// which only threads behind their commit points are not interrupted. The lines of both steps are in movers.thy; no induction over threads is
// needed, as a transaction is finished where it was begun.

use flanagan-qadeer;
use movers-lemmas;

let o[i] = (. j != i : ~l[j]);
let D = (+ i : o[i] t[i]);

identity can_leave : l[i] T <= t[i]* ~l[i] T by A6;

// Nobody else puts a thread behind its commit point: it could take a step there, move it to the left, and would not find itself there.

identity l_local : i != j => l[i] t[j] = t[j] l[i] by A4, A5-l, can_leave;
identity step1 : init t* w[k] T <= init D* o[k] w[k] T by A1, A4, A5-w, can_leave, l_local, left_movers;
identity step2 : init D* o[i] w[i] T <= init C* w[i] T by A1, A2, A3, A5-r, A5-w, l_local, right_movers;
identity A :
       init t* w[i] T
    <= init D* o[i] w[i] T by step1
    <= init C* w[i] T by step2;
identity any_thread : init t* (+ i : w[i] T) <= init C* (+ i : w[i] T) by A, sum_elim, sum_intro;
