// Lipton's theorem: the proof. Its lines are in movers.thy.

use lipton;
use movers-lemmas;

identity right_mover : i != j => t[i] r[i] t[j] <= t[j] t[i] r[i] by 2, 3;
identity L : init t* n <= init S* n by 1, 2, 4, 5, 6, right_mover, transactions;

// A transaction is what the definitions say, and each is a run.

identity transaction : n[i] (t[i] ~n[i])* t[i] n[i] <= n[i] a[i]* x[i] b[i]* n[i] by 2;
identity transaction_run : S <= t* by sum_elim, sum_intro;
